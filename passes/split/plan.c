// plan.c: what a piece computes, what it reads, and what it is for.
//
// runs in: split    test: test/passes/split/split.mlir

#include "passes/split/pieces.h"
#include <assert.h>

bool sn_is_here(const SnPiece *p, const SnKnown *x) { return x && x->stage == p->stage && x->group == p->group; }

// The first piece that there is anyway, of that group if it is one; the group's first if there is none.
static bool is_first(const SnPiece *p, int64_t group) {
  const SnKnown *first = NULL;
  for (size_t i = 0; i < p->s->known.size; ++i) {
    const SnKnown *x = &p->s->known.data[i];
    if (x->stage == SN_FREE || (group >= 0 && x->group != group))
      continue;
    if (!first || x->stage < first->stage || (x->stage == first->stage && x->group < first->group))
      first = x;
  }
  return first ? sn_is_here(p, first) : p->stage == 0 && p->group == (group < 0 ? 0 : group);
}

// The operation as a value of the body would be placed: asserts have none.
static bool op_is_here(SnPiece *p, MlirOperation op) {
  if (sn_num_results(op))
    return sn_is_here(p, sn_placed(p->s, sn_result(op, 0)));
  SnKnown *x = sn_placed(p->s, sn_operand(op, 0));
  return x && x->stage != SN_FREE ? sn_is_here(p, x) : is_first(p, SN_NO_GROUP);
}

// A value that the body yields, as long as nothing is known of it but its inputs, is given by a piece that there is.
static bool gives(SnPiece *p, MlirValue v, int64_t group) {
  SnKnown *x = sn_placed(p->s, v);
  return x && x->stage != SN_FREE ? sn_is_here(p, x) : is_first(p, group);
}

// So is what it accumulates, beside others that its finish reads with it.
static bool accumulates(SnPiece *p, size_t accumulator) {
  SnForm *f = &p->s->f;
  MlirOperation yield = mlirBlockGetTerminator(f->body);
  MlirValue v = sn_operand(yield, (intptr_t)accumulator);
  int64_t group = sn_group_of_map(f, f->accumulators.data[accumulator].map);
  if (sn_placed(p->s, v)->stage != SN_FREE || !f->finish.ptr)
    return gives(p, v, group);
  const SnKnown *last = NULL;
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    const SnKnown *x = sn_placed(p->s, sn_operand(yield, (intptr_t)k));
    if (x->stage != SN_FREE && (group < 0 || x->group == group))
      last = x;
  }
  return last ? sn_is_here(p, last) : gives(p, v, group);
}

static bool has_value(const SnValueVec *values, MlirValue v) {
  for (size_t i = 0; i < values->size; ++i)
    if (sn_same(values->data[i], v))
      return true;
  return false;
}

// Some piece that is not this one reads it.
static bool is_read_elsewhere(SnPiece *p, MlirValue v) {
  MlirOperation end = mlirBlockGetTerminator(p->s->f.body);
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!mlirOperationEqual(user, end) && (sn_row_op_has(user, SN_READS_MATRIX) || !op_is_here(p, user)))
      return true;
  }
  return false;
}

// Of two products of the form: its own in their order, then rows times matrices in that of the body.
static bool stands_before(MlirValue a, MlirValue b) {
  MlirOperation x = sn_definer(a), y = sn_definer(b);
  if (sn_null(x) || sn_null(y))
    return sn_null(x) && (!sn_null(y) || mlirBlockArgumentGetArgNumber(a) < mlirBlockArgumentGetArgNumber(b));
  return mlirOperationIsBeforeInBlock(x, y);
}

// The piece's products are in the form's order, which who knows the form's may rely on.
static void add_product(SnPiece *p, MlirValue v) {
  sn_push(&p->products, v);
  MlirValue *data = p->products.data;
  for (size_t i = p->products.size - 1; i > 0 && stands_before(v, data[i - 1]); --i) {
    data[i] = data[i - 1];
    data[i - 1] = v;
  }
}

// Makes `v` known in the piece, with all that it needs.
void sn_need(SnPiece *p, MlirValue v) {
  SnCut *s = p->s;
  SnKnown *x = sn_placed(s, v);
  if (has_value(&p->reads, v) || has_value(&p->products, v))
    return;
  MlirOperation op = sn_definer(v);
  bool free = x->stage == SN_FREE, argument = sn_null(op),
       product = argument ? mlirBlockArgumentGetArgNumber(v) < (intptr_t)s->f.products.size
                          : sn_row_op_has(op, SN_READS_MATRIX);
  if (product && sn_is_here(p, x)) {
    add_product(p, v);
    return;
  }
  if (argument && (free || sn_is_here(p, x))) {
    for (size_t k = sn_first_input(&s->f); k < s->f.inputs.size; ++k)
      if (sn_same(v, sn_input_argument(&s->f, k))) {
        sn_push(&p->reads, v);
        sn_push(&p->read_from, s->f.inputs.data[k]);
      }
    return;
  }
  if (!free && !sn_is_here(p, x)) {
    assert(x->stored.value.ptr && "an earlier piece stores it");
    sn_push(&p->reads, v);
    sn_push(&p->read_from, x->stored);
    return;
  }
  for (size_t i = 0; i < p->ops.size; ++i)
    if (mlirOperationEqual(p->ops.data[i], op))
      return;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    sn_need(p, sn_operand(op, k));
  sn_push(&p->ops, op);
}

static void give(SnPiece *p, MlirValue v, size_t result) {
  sn_need(p, v);
  sn_push(&p->gives, v);
  sn_push(&p->results, result);
}

// What the piece is for: results, accumulators, asserts, and what later pieces read.
bool sn_plan_piece(SnPiece *p) {
  SnForm *f = &p->s->f;
  MlirOperation yield = mlirBlockGetTerminator(f->body);
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    if (accumulates(p, k)) {
      sn_need(p, sn_operand(yield, (intptr_t)k));
      sn_push(&p->accumulators, k);
    }
  }
  for (size_t k = 0; k < f->outputs.size; ++k) {
    MlirValue v = sn_is_reduced(f, k) ? (MlirValue){0} : sn_operand(yield, (intptr_t)sn_output_position(f, k));
    if (!sn_none(v) && gives(p, v, sn_group_of_map(f, f->outputs.data[k].map)))
      give(p, v, k);
  }
  for (size_t i = 0; i < p->s->known.size; ++i) {
    MlirValue v = p->s->known.data[i].value;
    if (sn_is_here(p, &p->s->known.data[i]) && is_read_elsewhere(p, v) && !has_value(&p->gives, v))
      give(p, v, SN_NO_RESULT);
  }
  bool asserts = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (!sn_num_results(op) && !mlirOperationEqual(op, yield) && op_is_here(p, op)) {
      sn_need(p, sn_operand(op, 0));
      sn_push(&p->ops, op);
      asserts = true;
    }
  return asserts || p->gives.size || p->accumulators.size;
}

void sn_free_piece(SnPiece *p) {
  sn_form_free(&p->to);
  sn_vec_free(&p->products);
  sn_vec_free(&p->reads);
  sn_vec_free(&p->read_from);
  sn_vec_free(&p->ops);
  sn_vec_free(&p->gives);
  sn_vec_free(&p->results);
  sn_vec_free(&p->accumulators);
}
