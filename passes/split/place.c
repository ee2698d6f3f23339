// place.c: when each value of a form's body is computed.
//
//   %h = tanh %acc            stage 0 of group j
//   %u = row_product %h, %m   stage 1 of group e: behind the product
//   %s = row_reduce add %u    the same
//   %y = mulf %h, %s          stage 2 of group j: behind a scalar of another group
//
// What only inputs make is free: any piece makes it. An elementwise function of products and inputs moves to the latest
// piece that reads it.
//
// runs in: split    test: test/passes/split/split.mlir

#include "passes/split/pieces.h"

SnKnown *sn_placed(SnCut *s, MlirValue v) {
  uintptr_t at = 0;
  return sn_table_get(&s->place_of, v.ptr, &at) ? &s->known.data[at] : NULL;
}

static void place(SnCut *s, SnKnown x) {
  sn_table_put(&s->place_of, x.value.ptr, s->known.size);
  sn_push(&s->known, x);
}

static bool is_matrix_operand(MlirOperation op, intptr_t k) { return k == 1 && sn_row_op_has(op, SN_READS_MATRIX); }

// The group that the operation has to be computed beside; SN_NO_GROUP for scalars of scalars.
static int64_t home(SnCut *s, MlirOperation op) {
  if (sn_num_results(op) && sn_is_row(sn_result(op, 0)))
    return sn_row_group(&s->groups, sn_result(op, 0));
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    if (sn_is_row(sn_operand(op, k)))
      return sn_row_group(&s->groups, sn_operand(op, k));
  return SN_NO_GROUP;
}

// ---- when each value is computed ------------------------------------------------------

// A row that is multiplied by a matrix has to lie somewhere: an input does already.
static bool is_multiplied(MlirValue v) {
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (sn_row_op_has(mlirOpOperandGetOwner(use), SN_READS_MATRIX) && !mlirOpOperandGetOperandNumber(use))
      return true;
  return false;
}

static void place_op(SnCut *s, MlirOperation op) {
  bool multiplies = sn_row_op_has(op, SN_READS_MATRIX);
  // What a row gives one number of is computed beside that row.
  bool free = !sn_row_op_has(op, SN_READS_ALL) && !sn_row_op_has(op, SN_READS_ONE);
  bool movable = free && sn_num_results(op);
  int64_t stage = 0, group = home(s, op);
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    SnKnown *x = is_matrix_operand(op, k) ? NULL : sn_placed(s, sn_operand(op, k));
    if (!x || x->stage == SN_FREE)
      continue;
    free = false;
    movable &= x->movable;
    if (group == SN_NO_GROUP)
      group = x->group;
    int64_t from = x->stage + (multiplies || x->group != group);
    stage = from > stage ? from : stage;
  }
  free &= sn_num_results(op) > 0; // an assert stands somewhere
  for (intptr_t r = 0; r < sn_num_results(op); ++r)
    free &= !is_multiplied(sn_result(op, r));
  group = group == SN_NO_GROUP ? 0 : group;
  for (intptr_t r = 0; r < sn_num_results(op); ++r)
    place(s, (SnKnown){sn_result(op, r), free ? SN_FREE : stage, group, movable && !free && !multiplies, {}});
}

// The latest stage in which `v` can be computed and still be there for each of its users; -1 where a result needs it.
static int64_t latest(SnCut *s, SnKnown *x) {
  int64_t stage = INT64_MAX;
  MlirOperation end = mlirBlockGetTerminator(s->f.body);
  for (MlirOpOperand use = mlirValueGetFirstUse(x->value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    SnKnown *y = mlirOperationEqual(user, end) || !sn_num_results(user) ? NULL : sn_placed(s, sn_result(user, 0));
    if (!y || y->stage == SN_FREE || y->group != x->group || sn_row_op_has(user, SN_READS_MATRIX))
      return -1;
    stage = y->stage < stage ? y->stage : stage;
  }
  return stage == INT64_MAX ? -1 : stage;
}

// A product takes the access as a side: it uses all that is summed (P2) and says how large that is (F7).
static bool fits_product(const SnForm *f, const SnAccess *a, SnGroup summed) {
  for (int64_t d = summed.first; d < summed.first + summed.num_dims; ++d)
    if (!sn_access_uses(f, a, d) || (f->dims.data[d].size == SN_DYNAMIC && !sn_gives_size(a, d)))
      return false;
  return true;
}

static void place_input(SnCut *s, size_t k) {
  SnForm *f = &s->f;
  MlirValue v = sn_input_argument(f, k);
  int64_t group = sn_group_of_access(f, &f->inputs.data[k]);
  bool stored = group >= 0 && is_multiplied(v) && !fits_product(f, &f->inputs.data[k], sn_group(f, (size_t)group));
  place(s, (SnKnown){v, stored ? 0 : SN_FREE, stored ? group : SN_NO_GROUP, false, {}});
}

void sn_place_values(SnCut *s) {
  SnForm *f = &s->f;
  for (size_t p = 0; p < f->products.size; ++p)
    place(s, (SnKnown){sn_product_argument(f, p), 0, sn_group_of_product(f, p), true, {}});
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    place_input(s, k);
  MlirOperation end = mlirBlockGetTerminator(f->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    place_op(s, op);
  for (size_t i = s->known.size; i-- > 0;) { // users stand behind
    SnKnown *x = &s->known.data[i];
    int64_t later = x->movable && x->stage != SN_FREE ? latest(s, x) : -1;
    x->stage = later > x->stage ? later : x->stage;
    s->stages = x->stage + 1 > s->stages ? x->stage + 1 : s->stages;
  }
}
