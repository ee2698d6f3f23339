// side_factors.c: what is the same along the sum of a product leaves it.
//
//   product (k) (side(%x[i, k], %r[i]) {mulf %x, broadcast %r}, %w[j, k])    ->   product (k) (%x[i, k], %w[j, k])
//   { %acc ... }                                                                  { mulf %acc, broadcast %r ... }
//
// A scale of rows (a norm's) or of columns (of quantised weights) is one multiplication for each result then, not
// one for each element of a side, and the side is often read where it lies. The sum is rounded otherwise, no worse. It
// stays in the side where results are many more than what is summed; and where the sum might leave its type's range
// without it, as a sum of f32 or bf16 in f32 might: no finite result becomes an infinity.
//
// runs in: simplify, fuse    test: test/passes/simplify/side_factors.mlir

#include "dialect/row_groups.h"
#include "passes/edit/edit.h"
#include "passes/merge/merge.h"
#include "passes/simplify/simplify.h"

typedef struct {
  MlirValue scalar; // of the side's program
  bool divides;
} Factor;

typedef struct {
  SnBuilder b; // in front of the program's end
  SN_VEC(Factor) factors;
} Factors;

// v without its factors, which are added.
static MlirValue without_factors(Factors *f, MlirValue v) {
  MlirOperation op = sn_definer(v);
  bool divides = sn_is(op, "arith.divf");
  if (!divides && !sn_is(op, "arith.mulf") && !sn_is(op, "arith.negf"))
    return v;
  MlirValue rest[2];
  intptr_t n = sn_num_operands(op);
  for (intptr_t k = 0; k < n; ++k) {
    MlirValue scalar = sn_broadcast_of(sn_operand(op, k));
    if (sn_none(scalar) || n < 2 || (divides && k == 0))
      continue;
    sn_push(&f->factors, ((Factor){scalar, divides}));
    return without_factors(f, sn_operand(op, 1 - k));
  }
  bool same = true;
  for (intptr_t k = 0; k < n; ++k) {
    rest[k] = divides && k ? sn_operand(op, k) : without_factors(f, sn_operand(op, k));
    same &= sn_same(rest[k], sn_operand(op, k));
  }
  return same ? v : sn_elementwise(&f->b, op, n, rest);
}

static double size_of(const SnForm *f, int64_t first, int64_t n) {
  double size = 1;
  for (int64_t d = first; d < first + n; ++d)
    size *= f->dims.data[d].size == SN_DYNAMIC ? 1024 : (double)f->dims.data[d].size;
  return size;
}

// Multiplications of results are not many more than those of elements.
static bool is_less(const SnForm *f, size_t side, MlirValue rest) {
  enum { MORE = 4 };
  SnGroup summed = sn_side_summed(f, side);
  for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
    if (sn_side_uses(f, side, d))
      return true; // each block of rows computes it again
  return sn_null(sn_definer(rest)) ||
         size_of(f, f->num_rows, f->num_cols) <= MORE * size_of(f, summed.first, summed.num_dims);
}

// The type that these numbers fit, before they were converted.
static MlirType fits_type(MlirValue v) {
  MlirOperation cast = sn_definer(v);
  bool widens = sn_is(cast, "arith.extf") || sn_is(cast, "arith.sitofp") || sn_is(cast, "arith.uitofp");
  return sn_element(sn_type_of(widens ? sn_operand(cast, 0) : v));
}

// v without the factors that it ends with, where they leave its side too.
static MlirValue without_last_factors(const SnForm *f, size_t side, MlirValue v) {
  MlirValue rest = v;
  for (MlirOperation op; op = sn_definer(rest), sn_is(op, "arith.mulf") || sn_is(op, "arith.divf");) {
    intptr_t at = sn_none(sn_broadcast_of(sn_operand(op, 1))) ? 0 : 1;
    if (sn_none(sn_broadcast_of(sn_operand(op, at))) || (sn_is(op, "arith.divf") && !at))
      break;
    rest = sn_operand(op, 1 - at);
  }
  return is_less(f, side, rest) ? rest : v;
}

// What is summed is neither infinite nor too small for its type without factors, whatever those are. And there is
// something to sum: times an infinite factor, 0 is no number.
static bool stays_in_range(const SnForm *f, size_t side, MlirValue rest) {
  enum { MOST_SUMMED = 63 }; // two to this
  SnGroup summed = sn_side_summed(f, side);
  SnSide other = sn_side(f, side ^ 1);
  MlirType type = sn_side_element(f, side ^ 1);
  if (other.program.ptr)
    type = fits_type(without_last_factors(f, side ^ 1, sn_operand(mlirBlockGetTerminator(other.program), 0)));
  for (int64_t d = summed.first; d < summed.first + summed.num_dims; ++d)
    if (f->dims.data[d].size == SN_DYNAMIC || !f->dims.data[d].size)
      return false;
  return sn_range(fits_type(rest)) + sn_range(type) + MOST_SUMMED <= sn_range(f->products.data[side / 2].type);
}

// The form with the factors in its body. `rest`: what its side yields without them.
static MlirOperation leave(SnForm *f, size_t side, const Factors *factors, MlirValue rest) {
  SnSide s = sn_side(f, side);
  SnForm to = *f;
  SnBuilder b = sn_before(f->op);
  to.inputs.data = NULL;
  to.inputs.size = to.inputs.capacity = 0;
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_push(&to.inputs, f->inputs.data[k]);
  to.indices.data = NULL;
  to.indices.size = to.indices.capacity = 0;
  for (size_t k = 0; k < f->indices.size; ++k)
    sn_push(&to.indices, f->indices.data[k]);
  for (size_t k = s.first; k < s.first + s.count; ++k)
    if (!sn_is_row(mlirBlockGetArgument(s.program, (intptr_t)(k - s.first)))) { // dropped where no factor reads it
      SnAccess a = sn_with_own_indices(f, f->inputs.data[k], &to);
      sn_push(&to.inputs, a);
    }
  mlirOperationSetOperand(mlirBlockGetTerminator(s.program), 0, rest);

  int64_t at[SN_MAX_DIMS];
  MlirAffineExpr back[SN_MAX_DIMS];
  SnForm alone = sn_side_form(f, side, at);
  for (size_t d = 0; d < f->dims.size; ++d)
    back[at[d]] = mlirAffineDimExprGet(b.ctx, (intptr_t)d);
  MlirOperation made = sn_with_other_sides(&b, f, &to);
  MlirValue product = sn_product_argument(&to, side / 2), value = product;
  SnBuilder in = sn_at_start(to.body, b.loc);
  SnOpVec readers = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(product); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    sn_push(&readers, mlirOpOperandGetOwner(use));
  SnMap map = {0};
  for (intptr_t k = 0, next = (intptr_t)f->inputs.size; k < (intptr_t)s.count; ++k)
    if (!sn_is_row(mlirBlockGetArgument(s.program, k)))
      sn_map(&map, mlirBlockGetArgument(s.program, k), sn_input_argument(&to, (size_t)next++));
  MlirType t = sn_element(sn_type_of(product));
  for (size_t i = 0; i < factors->factors.size; ++i) {
    MlirValue x = sn_move_value(&in, &alone, factors->factors.data[i].scalar, back, &to, &map);
    if (!mlirTypeEqual(sn_element(sn_type_of(x)), t))
      x = sn_row_op(&in, "arith.extf", t, 1, &x);
    MlirValue both[] = {value, x};
    value = sn_row_op(&in, factors->factors.data[i].divides ? "arith.divf" : "arith.mulf", (MlirType){0}, 2, both);
  }
  for (size_t i = 0; i < readers.size; ++i)
    for (intptr_t k = 0; k < sn_num_operands(readers.data[i]); ++k)
      if (sn_same(sn_operand(readers.data[i], k), product))
        mlirOperationSetOperand(readers.data[i], k, value);
  sn_vec_free(&readers);
  sn_map_free(&map);
  mlirOperationDestroy(f->op);
  sn_vec_free(&to.inputs);
  sn_vec_free(&to.indices);
  sn_form_free(&alone);
  return made;
}

bool sn_factors_leave_sides(MlirOperation op) {
  SnForm f = sn_form_read(op);
  bool changed = false;
  for (size_t s = 0; s < 2 * f.products.size && f.sides.size && !changed && sn_has_one_group(&f); ++s) {
    MlirBlock program = f.sides.data[s].program;
    if (!program.ptr || !sn_is_float(f.products.data[s / 2].type) || sn_bits(f.products.data[s / 2].type) < 32)
      continue;
    MlirOperation end = mlirBlockGetTerminator(program);
    Factors factors = {.b = sn_before(end)};
    MlirValue rest = without_factors(&factors, sn_operand(end, 0));
    changed =
        factors.factors.size && sn_none(sn_broadcast_of(rest)) && is_less(&f, s, rest) && stays_in_range(&f, s, rest);
    if (changed)
      sn_tidy(leave(&f, s, &factors, rest));
    else
      sn_erase_dead(program);
    sn_vec_free(&factors.factors);
  }
  sn_form_free(&f);
  return changed;
}
