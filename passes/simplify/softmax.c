// softmax.c: what is known of a row's maximum, and of the sum of exponentials under it.
//
//   %m = row_reduce maximumf %x ; %s = row_reduce add exp(%x - %m)
//
//   %y / broadcast %s                          ->  %y * broadcast (1 / %s)
//   %y / broadcast c                           ->  %y * broadcast (1 / c)       1 <= |c| <= 2^60, or 1 / c is exact
//   %y / broadcast %n                          ->  %y * broadcast (1 / %n)      %n an integer: a size `?`
//   row_product ((%e * broadcast (1 / %s)) * %y), %v      ->  row_product ((%e * %y) * broadcast (1 / %s)), %v
//   row_reduce maximumf (%x - broadcast %a - broadcast %b)  ->  (%m - %a) - %b    log_softmax of a log_softmax
//   row_reduce add exp(%x - (|%m| == inf ? 0 : %m))  ->  |%m| == inf ? max(%m, 0) : %s    log-sum-exps, as exported
//
// A division takes a vector unit three times as long as an exponential. The sum is 1 at least (the maximum's own
// exponential), or NaN: its reciprocal is 1 at most, and no product with it is larger than what it stands for. The
// product is rounded once more than the quotient, which f32 can bear and half types cannot. An integer is 0 or 1 at
// least, and its reciprocal does not wait for the row's sum, as a division by it would. Where weights are multiplied by
// a row (dropout) the number is the last factor, so that it is known in time where they are made a block of columns at
// a time; the exponential is 1 at most, so nothing becomes an infinity. Subtraction rounds no pair of elements into the
// other order, so the rule of shifted maxima is exact. Under a maximum that is
// infinite, exponentials of the elements themselves are all 0, or one is infinite, and so is their sum; one loop makes
// a sum under the maximum itself beside it (lowering/rows/rowjoint.c).
//
// runs in: simplify, fuse    test: test/passes/simplify/softmax.mlir

#include "dialect/row_ops.h"
#include "dialect/under_maximum.h"
#include "passes/edit/rewrite.h"
#include <math.h>

enum { ORDERED_EQUAL = 1 }; // predicate of arith.cmpf

static bool is_reduce(MlirOperation op, const char *kind) {
  return sn_is_reduce(op, kind) &&
         mlirTypeEqual(sn_element(sn_type_of(sn_operand(op, 0))), sn_type_of(sn_result(op, 0)));
}

// The sum of exp(x - max x).
static bool is_sum_under_maximum(MlirValue s) {
  MlirOperation maximum = sn_sum_under_maximum(s);
  return !sn_null(maximum) && is_reduce(maximum, "maximumf");
}

// A power of two whose reciprocal the type holds: f16 ends below 2^16.
static bool has_exact_reciprocal(double c, MlirType type) {
  int exponent;
  double reciprocal = 0;
  return fabs(frexp(c, &exponent)) == 0.5 && exponent > -60 && exponent < 60 &&
         sn_attr_number(mlirFloatAttrDoubleGet(mlirTypeGetContext(type), type, 1 / c), &reciprocal) &&
         reciprocal == 1 / c;
}

// What an input of the form, one number, is made of in front of it; else v.
static MlirValue given_number(MlirOperation op, MlirValue v) {
  MlirOperation form = mlirOperationGetParentOperation(op);
  if (!mlirValueIsABlockArgument(v) || !sn_is_form(form))
    return v;
  SnForm f = sn_form_read(form);
  for (size_t k = sn_first_input(&f); k < f.inputs.size; ++k)
    if (sn_same(sn_input_argument(&f, k), v)) {
      MlirOperation made = sn_def(f.inputs.data[k].value, "tensor.from_elements");
      v = !sn_null(made) && sn_num_operands(made) == 1 ? sn_operand(made, 0) : f.inputs.data[k].value;
      break;
    }
  sn_form_free(&f);
  return v;
}

static bool is_integer(MlirOperation op, MlirValue s) {
  MlirOperation made = sn_definer(given_number(op, s));
  return sn_is(made, "arith.sitofp") || sn_is(made, "arith.uitofp");
}

// ---- rules ------------------------------------------------------------------------------

static bool divide(SnRewriter *rw, MlirOperation op) {
  MlirValue y = sn_operand(op, 0), s = sn_broadcast_of(sn_operand(op, 1));
  if (sn_none(s) || !sn_is_row(y))
    return false;
  MlirType type = sn_type_of(s);
  double c = 0;
  bool constant = sn_attr_number(sn_constant_of(s), &c);
  if (!mlirTypeIsAF32(type) && !mlirTypeIsAF64(type) && !(constant && has_exact_reciprocal(c, type)))
    return sn_no(op, "a half type is rounded once");
  if (constant && !has_exact_reciprocal(c, type) && !(fabs(c) >= 1 && fabs(c) <= 0x1p60))
    return sn_no(op, "the reciprocal of the divisor may overflow, or lose digits");
  if (!constant && !is_sum_under_maximum(s) && !is_integer(op, s))
    return sn_no(op, "the divisor is not known to be 1 at least");
  MlirValue r = constant ? sn_float(rw->b, type, 1 / c) : sn(rw->b, "arith.divf", sn_float(rw->b, type, 1), s);
  sn_replace(rw, op, sn(rw->b, "arith.mulf", y, sn_as_row(rw->b, r, sn_type_of(y))));
  return true;
}

// Products with matrices alone read it, perhaps rounded.
static bool is_multiplied_alone(MlirValue row) {
  MlirOpOperand use = mlirValueGetFirstUse(row);
  bool alone = !mlirOpOperandIsNull(use);
  for (; !mlirOpOperandIsNull(use) && alone; use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    alone = sn_is(user, "arith.truncf") ? is_multiplied_alone(sn_result(user, 0))
                                        : sn_row_op_has(user, SN_READS_MATRIX) && !mlirOpOperandGetOperandNumber(use);
  }
  return alone;
}

// %e * broadcast (1 / %s), in either order.
static MlirValue without_sum(MlirValue row, MlirValue *reciprocal) {
  MlirOperation mul = sn_def(row, "arith.mulf");
  for (int k = 0; k < 2 && !sn_null(mul); ++k) {
    MlirValue e = sn_operand(mul, 1 - k), scalar = sn_broadcast_of(sn_operand(mul, k));
    MlirOperation div = sn_none(scalar) ? (MlirOperation){0} : sn_def(scalar, "arith.divf");
    *reciprocal = sn_operand(mul, k);
    if (!sn_null(div) && sn_is_constant(sn_operand(div, 0), 1) && is_sum_under_maximum(sn_operand(div, 1)) &&
        mlirOperationEqual(sn_exp_under_maximum(e), sn_sum_under_maximum(sn_operand(div, 1))))
      return e;
  }
  return (MlirValue){0};
}

static bool sum_last(SnRewriter *rw, MlirOperation op) {
  MlirValue reciprocal;
  for (int k = 0; k < 2 && sn_is_row(sn_result(op, 0)); ++k) {
    MlirValue y = sn_operand(op, 1 - k), e = without_sum(sn_operand(op, k), &reciprocal);
    if (sn_none(e) || !sn_none(sn_broadcast_of(y)) || !is_multiplied_alone(sn_result(op, 0)))
      continue;
    sn_replace(rw, op, sn(rw->b, "arith.mulf", sn(rw->b, "arith.mulf", e, y), reciprocal));
    return true;
  }
  return false;
}

// The same reduction of x in front of `op`, if there is one.
static MlirValue found_before(MlirOperation op, MlirValue x) {
  for (MlirOpOperand use = mlirValueGetFirstUse(x); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (is_reduce(user, "maximumf") && mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(op)) &&
        !mlirOperationEqual(user, op) && mlirOperationIsBeforeInBlock(user, op))
      return sn_result(user, 0);
  }
  return (MlirValue){0};
}

static bool shifted_maximum(SnRewriter *rw, MlirOperation reduce) {
  enum { MOST = 8 };
  MlirValue x = sn_operand(reduce, 0), by[MOST], m = {0};
  int n = 0;
  if (!is_reduce(reduce, "maximumf"))
    return false;
  for (; n < MOST && sn_none(m); ++n) {
    MlirOperation sub = sn_def(x, "arith.subf");
    by[n] = sn_null(sub) ? (MlirValue){0} : sn_broadcast_of(sn_operand(sub, 1));
    if (sn_none(by[n]))
      break;
    x = sn_operand(sub, 0);
    m = found_before(reduce, x);
  }
  if (sn_none(m))
    return n && sn_no(reduce, "the maximum of what is shifted is not there");
  while (n--)
    m = sn(rw->b, "arith.subf", m, by[n]);
  sn_replace(rw, reduce, m);
  return true;
}

// %m, where v is |%m| == inf ? 0 : %m; else null.
static MlirValue finite_or_zero(MlirValue v, MlirValue *infinite) {
  MlirOperation select = sn_def(v, "arith.select"),
                compare = sn_null(select) ? select : sn_def(sn_operand(select, 0), "arith.cmpf"),
                size = sn_null(compare) ? compare : sn_def(sn_operand(compare, 0), "arith.extf");
  size = sn_null(compare) ? compare : sn_def(sn_null(size) ? sn_operand(compare, 0) : sn_operand(size, 0), "math.absf");
  double c;
  if (sn_null(size) || sn_int_attr(compare, "predicate", 0) != ORDERED_EQUAL ||
      !sn_attr_number(sn_constant_of(sn_operand(compare, 1)), &c) || !isinf(c) || c < 0 ||
      !sn_is_constant(sn_operand(select, 1), 0) || !sn_same(sn_operand(size, 0), sn_operand(select, 2)))
    return (MlirValue){0};
  *infinite = sn_operand(select, 0);
  return sn_operand(select, 2);
}

static bool sum_under_finite(SnRewriter *rw, MlirOperation reduce) {
  MlirOperation exp = sn_def(sn_operand(reduce, 0), "math.exp"),
                sub = sn_null(exp) ? exp : sn_def(sn_operand(exp, 0), "arith.subf");
  MlirValue by = sn_null(sub) ? (MlirValue){0} : sn_broadcast_of(sn_operand(sub, 1)), infinite,
            m = sn_none(by) ? by : finite_or_zero(by, &infinite);
  if (sn_none(m) || !sn_is_reduce(reduce, "add") || !sn_one_use(sn_result(exp, 0)))
    return false;
  MlirOperation maximum = sn_def(m, "sinter.row_reduce");
  if (sn_null(maximum) || !is_reduce(maximum, "maximumf") || !sn_same(sn_operand(maximum, 0), sn_operand(sub, 0)))
    return sn_no(reduce, "the maximum that exponentials are under is not their own row's");
  MlirValue x = sn_operand(sub, 0), d = sn(rw->b, "arith.subf", x, sn_as_row(rw->b, m, sn_type_of(x))),
            s = sn_row_reduce(rw->b, "add", sn(rw->b, "math.exp", d), sn_type_of(sn_result(reduce, 0)));
  MlirType t = sn_type_of(s);
  MlirValue zero = sn_float(rw->b, sn_type_of(m), 0), most = sn(rw->b, "arith.maximumf", m, zero);
  if (!mlirTypeEqual(sn_type_of(most), t))
    most = sn(rw->b, sn_bits(sn_type_of(most)) < sn_bits(t) ? "arith.extf" : "arith.truncf", most, t);
  sn_replace(rw, reduce, sn(rw->b, "arith.select", infinite, most, s));
  return true;
}

SnRules sn_simplify_softmax = {{"arith.divf", divide},
                               {"arith.mulf", sum_last},
                               {"sinter.row_reduce", shifted_maximum},
                               {"sinter.row_reduce", sum_under_finite},
                               {0}};
