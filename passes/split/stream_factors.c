// stream_factors.c: rows of a form that are made a block of columns at a time: what is left for their end.
//
//   %e = exp(%x - max %x),  %u = (%e * broadcast (1 / sum %e)) . V      ->      %u = (%e . V) * broadcast (1 / sum %e)
//
// That this is the same is asked by sn_cpu_streams. It is for lowerings, which change a form just before they cut it.
//
// runs in: split    test: test/lowering/cpu/stream.mlir, test/lowering/gpu/chains.mlir

#include "dialect/row_groups.h"
#include "dialect/row_ops.h"
#include "dialect/under_maximum.h"
#include "lowering/facts/cpu_forms.h"
#include "passes/edit/edit.h"
#include "passes/split/split.h"

enum { OEQ = 1 }; // of arith.cmpf

// ---- factors -----------------------------------------------------------------------------

MlirOperation sn_stream_maximum(MlirBlock body) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    MlirOperation m = sn_is(op, "math.exp") ? sn_exp_under_maximum(sn_result(op, 0)) : (MlirOperation){0};
    if (!sn_null(m))
      return m;
  }
  return (MlirOperation){0};
}

// The factor, or 0 where the row has no elements and the product is 0, whatever the factor; where all are -inf the
// product is NaN.
static MlirValue factor_of_some(SnBuilder *b, const SnForm *f, MlirValue s) {
  MlirOperation maximum = sn_stream_maximum(f->body);
  int64_t length = sn_row_length(f);
  if (length > 0 || sn_null(maximum))
    return s;
  MlirValue m = sn_result(maximum, 0), least = sn_float(b, sn_type_of(m), -__builtin_inf());
  MlirValue none = sn(b, "arith.cmpf", m, least, sn_attr("predicate", sn_i64(b->ctx, OEQ)));
  return sn(b, "arith.select", none, sn_zero(b, sn_type_of(s)), s);
}

// ---- sums that stay in their type's range ------------------------------------------------
//
//   %u = row_product (%e * broadcast %s), %v    ->    %w = %e * broadcast c,  %u = (row_product %w, %v) * broadcast (%s
//   / c) %t = row_reduce add (%e * %y)               ->    %w = %e * %y * broadcast c,  %t = (row_reduce add %w) / c
//
// c is a power of two, one by more than there are columns: whatever the maximum so far, the sum is no larger than the
// largest number that it is of. What is exact stays so, but where it is below the least normal number.

// The number that c is one by: the power of two above the number of columns.
typedef struct {
  int64_t known; // 0: at run time only
  MlirValue f32; // then: an argument of the body
  MlirValue c;   // the row of c; null: not made yet
} Power;

static MlirValue power(SnBuilder *b, const Power *p, MlirType type) {
  if (p->known)
    return sn_float(b, type, (double)p->known);
  return mlirTypeIsAF32(type) ? p->f32 : sn(b, "arith.extf", p->f32, type);
}

// x * y, where it is not there yet.
static MlirValue times(MlirValue x, MlirValue y) {
  for (MlirOpOperand use = mlirValueGetFirstUse(x); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (sn_is(user, "arith.mulf") && sn_same(sn_operand(user, 1), y))
      return sn_result(user, 0);
  }
  SnBuilder b = sn_after(sn_definer(x));
  return sn(&b, "arith.mulf", x, y);
}

// In a type that the program rounds to, where it does.
static MlirValue rounded(MlirValue x, MlirOperation trunc) {
  if (sn_null(trunc))
    return x;
  for (MlirOpOperand use = mlirValueGetFirstUse(x); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (sn_is(user, "arith.truncf") && mlirTypeEqual(sn_type_of(sn_result(user, 0)), sn_type_of(sn_result(trunc, 0))))
      return sn_result(user, 0);
  }
  SnBuilder b = sn_after(sn_definer(x));
  return sn_result(sn_clone_as(&b, trunc, sn_values(1, &x), sn_types(1, (MlirType[]){sn_type_of(sn_result(trunc, 0))})),
                   0);
}

// What takes `op`'s result takes that times the scalar.
static void multiply_result(SnBuilder *b, MlirOperation op, MlirValue scalar) {
  MlirValue u = sn_result(op, 0);
  MlirOperation mul =
      sn_op(b, "arith.mulf", u, sn_is_row(u) ? sn_as_row(b, scalar, sn_type_of(u)) : scalar, sn_type_of(u));
  mlirValueReplaceAllUsesExcept(u, sn_result(mul, 0), 1, &mul);
}

static void stay_in_range(const SnForm *f, MlirOperation op, Power *p) {
  MlirValue row = sn_operand(op, 0), s = {0}, e = sn_cpu_without_factor(row, &s);
  MlirOperation trunc = sn_def(row, "arith.truncf");
  bool has_factor = !sn_none(e), scaled = sn_cpu_weights_scaled(op);
  MlirType type = sn_element(sn_type_of(sn_result(op, 0)));
  e = has_factor ? e : sn_null(trunc) ? row : sn_operand(trunc, 0);
  if (scaled) {
    SnBuilder b = sn_at_start(f->body, mlirOperationGetLocation(op));
    MlirType element = sn_element(sn_type_of(e)); // of all exponentials of the form: they are under one maximum
    if (sn_none(p->c))
      p->c = sn_as_row(&b, sn(&b, "arith.divf", sn_float(&b, element, 1), power(&b, p, element)), sn_type_of(e));
    e = times(e, p->c);
  }
  mlirOperationSetOperand(op, 0, rounded(e, trunc));
  SnBuilder b = sn_after(op);
  MlirValue more = scaled ? power(&b, p, type) : (MlirValue){0};
  if (has_factor && scaled)
    more = sn(&b, "arith.mulf", s, more);
  if (has_factor)
    more = factor_of_some(&b, f, scaled ? more : s);
  if (!sn_none(more))
    multiply_result(&b, op, more);
}

// Products and sums of rows of the first group that are changed. *scaled: some are of scaled rows.
static SnOpVec sums_of_exponentials(const SnForm *f, bool *scaled) {
  SnRowGroups groups;
  SnOpVec found = {0};
  int64_t one, other;
  sn_row_groups(f, false, &groups, &one, &other);
  *scaled = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    bool multiplies = sn_row_op_has(op, SN_READS_MATRIX);
    if (!(multiplies || sn_is_reduce(op, "add")) || sn_row_group(&groups, sn_operand(op, 0)) != 0)
      continue;
    MlirValue s;
    bool scales = sn_cpu_weights_scaled(op);
    *scaled |= scales;
    if (scales || (multiplies && !sn_none(sn_cpu_without_factor(sn_operand(op, 0), &s))))
      sn_push(&found, op);
  }
  sn_row_groups_free(&groups);
  return found;
}

bool sn_stream_scales(const SnForm *f) {
  bool scaled;
  SnOpVec sums = sums_of_exponentials(f, &scaled);
  sn_vec_free(&sums);
  return scaled;
}

int64_t sn_stream_power(const SnForm *f) {
  int64_t length = sn_row_length(f), power = 1;
  while (length != SN_DYNAMIC && power <= length && power < INT64_C(1) << 62)
    power *= 2;
  return length == SN_DYNAMIC ? 0 : power;
}

MlirValue sn_stream_factors(SnForm *f, int64_t power, MlirValue f32) {
  bool scaled;
  Power p = {.known = power, .f32 = f32};
  SnOpVec sums = sums_of_exponentials(f, &scaled);
  for (size_t i = 0; i < sums.size; ++i)
    stay_in_range(f, sums.data[i], &p);
  sn_vec_free(&sums);
  sn_erase_dead(f->body);
  return p.c;
}
