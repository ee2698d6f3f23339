// arithmetic.c: identities that upstream folds on scalars, on rows too.
//
//   x * 1, x / 1, x - 0, x + -0   ->  x
//   math.fpowi x, 2               ->  x * x          (exponents 1 to 4)
//   math.powf x, 2.0              ->  x * x
//   -(-x)                         ->  x
//   log(exp(x))                   ->  x              (finite where exp(x) is not)
//   x + (c - x)                   ->  c              (c a constant; not NaN where x is infinite)
//   a + (c ? v : 0) - (c ? 0 : v) ->  a + (c ? v : -v)    the gradient through c ? x : -x
//   c and true                    ->  c
//   true ? x : y                  ->  x
//   (c xor true) ? x : y          ->  c ? y : x      as masked_fill(~c, -inf) is exported
//   (x < y) xor true              ->  x >= y         of integers
//   truncf of an f64 constant     ->  an f32 constant, rounded to nearest even
//   sqrt of a constant of a half type  ->  a constant
//   extf of sitofp of bytes, to f32 of bf16  ->  sitofp to f32    (bf16 has all bytes)
//
// Exporters multiply by a gradient of one and raise to the second power. Each rule
// is exact, or as exact as what it replaces or more; none turns a finite result into an infinity.
//
// runs in: simplify, fuse    test: test/passes/simplify/arithmetic.mlir

#include "passes/edit/rewrite.h"
#include <math.h>

static bool keep_first(SnRewriter *rw, MlirOperation op) {
  sn_replace(rw, op, sn_operand(op, 0));
  return true;
}

static bool is_number(MlirValue v, double number, bool negative) {
  double found;
  return sn_attr_number(sn_constant_of(v), &found) && found == number && !signbit(found) == !negative;
}

static bool multiply(SnRewriter *rw, MlirOperation op) {
  if (is_number(sn_operand(op, 1), 1, false))
    return keep_first(rw, op);
  if (!is_number(sn_operand(op, 0), 1, false))
    return false;
  sn_replace(rw, op, sn_operand(op, 1));
  return true;
}
static bool divide(SnRewriter *rw, MlirOperation op) {
  return is_number(sn_operand(op, 1), 1, false) && keep_first(rw, op);
}
static bool subtract(SnRewriter *rw, MlirOperation op) {
  return is_number(sn_operand(op, 1), 0, false) && keep_first(rw, op);
}
static bool is_zero(MlirValue v) {
  double found;
  return sn_attr_number(sn_constant_of(v), &found) && found == 0;
}

// c ? v : 0, or c ? 0 : v.
static bool is_part(MlirValue x, MlirValue c, MlirValue v, bool where) {
  MlirOperation select = sn_def(x, "arith.select");
  return !sn_null(select) && sn_same(sn_operand(select, 0), c) && sn_same(sn_operand(select, where ? 1 : 2), v) &&
         is_zero(sn_operand(select, where ? 2 : 1));
}

// Exact but for the sign of a zero: one of the parts is 0.
static bool add_parts(SnRewriter *rw, MlirOperation op) {
  MlirOperation minus = sn_def(sn_operand(op, 1), "arith.negf"),
                select = sn_null(minus) ? minus : sn_def(sn_operand(minus, 0), "arith.select");
  if (sn_null(select) || !is_zero(sn_operand(select, 1)))
    return false;
  MlirValue a = sn_operand(op, 0), c = sn_operand(select, 0), v = sn_operand(select, 2), rest = {0};
  MlirOperation sum = sn_def(a, "arith.addf");
  bool alone = is_part(a, c, v, true);
  for (int k = 0; k < 2 && !alone && !sn_null(sum); ++k)
    if (is_part(sn_operand(sum, k), c, v, true))
      rest = sn_operand(sum, 1 - k);
  if (!alone && sn_none(rest))
    return false;
  MlirValue both = sn(rw->b, "arith.select", c, v, sn(rw->b, "arith.negf", v));
  sn_replace(rw, op, alone ? both : sn(rw->b, "arith.addf", rest, both));
  return true;
}

// x + 0 is not x: it turns -0 into 0.
static bool add(SnRewriter *rw, MlirOperation op) {
  if (is_number(sn_operand(op, 1), 0, true))
    return keep_first(rw, op);
  for (int k = 0; k < 2; ++k) {
    MlirOperation difference = sn_def(sn_operand(op, k), "arith.subf");
    if (!sn_null(difference) && sn_same(sn_operand(difference, 1), sn_operand(op, 1 - k)) &&
        sn_constant_of(sn_operand(difference, 0)).ptr) {
      sn_replace(rw, op, sn_operand(difference, 0));
      return true;
    }
  }
  return add_parts(rw, op);
}

static bool negate(SnRewriter *rw, MlirOperation op) {
  MlirOperation inner = sn_def(sn_operand(op, 0), "arith.negf");
  if (sn_null(inner))
    return false;
  sn_replace(rw, op, sn_operand(inner, 0));
  return true;
}

// The exponential may overflow or vanish; its logarithm need not.
static bool logarithm(SnRewriter *rw, MlirOperation op) {
  MlirOperation inner = sn_def(sn_operand(op, 0), "math.exp");
  if (sn_null(inner))
    return false;
  sn_replace(rw, op, sn_operand(inner, 0));
  return true;
}

static bool power(SnRewriter *rw, MlirOperation op) {
  double n;
  if (!sn_attr_number(sn_constant_of(sn_operand(op, 1)), &n) || (n != 1 && n != 2 && n != 3 && n != 4))
    return sn_no(op, "not a small constant power");
  // powf rounds once; a cube in two roundings would be less exact than it.
  if (n > 2 && sn_is(op, "math.powf"))
    return sn_no(op, "powf to another power than 2");
  MlirValue x = sn_operand(op, 0), square = x;
  if (n >= 2)
    square = sn(rw->b, "arith.mulf", x, x);
  sn_replace(rw, op,
             n == 3   ? sn(rw->b, "arith.mulf", square, x)
             : n == 4 ? sn(rw->b, "arith.mulf", square, square)
                      : square);
  return true;
}

static bool conjunction(SnRewriter *rw, MlirOperation op) {
  if (sn_bits(sn_element(sn_type_of(sn_result(op, 0)))) != 1)
    return false;
  for (int side = 0; side < 2; ++side) {
    double c;
    if (sn_attr_number(sn_constant_of(sn_operand(op, side)), &c) && c != 0) {
      sn_replace(rw, op, sn_operand(op, !side));
      return true;
    }
  }
  return false;
}

// x, where v is that x is not so; else null.
static MlirValue negated(MlirValue v) {
  MlirOperation op = sn_def(v, "arith.xori");
  double c;
  for (int side = 0; side < 2 && !sn_null(op) && sn_bits(sn_element(sn_type_of(v))) == 1; ++side)
    if (sn_attr_number(sn_constant_of(sn_operand(op, side)), &c) && c != 0)
      return sn_operand(op, !side);
  return (MlirValue){0};
}

static bool negate_comparison(SnRewriter *rw, MlirOperation op) {
  // eq ne, slt sge, sle sgt, ult uge, ule ugt
  static const int64_t other[] = {1, 0, 5, 4, 3, 2, 9, 8, 7, 6};
  MlirValue x = negated(sn_result(op, 0));
  MlirOperation compare = sn_none(x) ? (MlirOperation){0} : sn_def(x, "arith.cmpi");
  if (sn_null(compare))
    return false;
  sn_replace(rw, op,
             sn(rw->b, "arith.cmpi", sn_operand(compare, 0), sn_operand(compare, 1),
                sn_attr("predicate", sn_i64(rw->b->ctx, other[sn_int_attr(compare, "predicate", 0)]))));
  return true;
}

static bool choose(SnRewriter *rw, MlirOperation op) {
  double c;
  MlirValue other = negated(sn_operand(op, 0));
  if (!sn_none(other)) {
    sn_replace(rw, op, sn(rw->b, "arith.select", other, sn_operand(op, 2), sn_operand(op, 1)));
    return true;
  }
  if (!sn_attr_number(sn_constant_of(sn_operand(op, 0)), &c))
    return false;
  sn_replace(rw, op, sn_operand(op, c != 0 ? 1 : 2));
  return true;
}

// Python's floats come as f64; upstream folds only what is exact.
static bool round_constant(SnRewriter *rw, MlirOperation op) {
  double value;
  MlirType type = sn_type_of(sn_result(op, 0));
  if (!sn_is_float(type) || sn_get_attr(op, "roundingmode").ptr ||
      !sn_attr_number(sn_constant_of(sn_operand(op, 0)), &value))
    return false;
  sn_replace(rw, op, sn_float(rw->b, type, value));
  return true;
}

// Exporters divide by sqrt(2). Upstream folds roots of f32 and f64.
static bool root_of_constant(SnRewriter *rw, MlirOperation op) {
  double value;
  MlirType type = sn_type_of(sn_result(op, 0));
  if (!sn_is_float(type) || sn_bits(type) != 16 || !sn_attr_number(sn_constant_of(sn_operand(op, 0)), &value))
    return false;
  sn_replace(rw, op, sn_float(rw->b, type, sqrt(value)));
  return true;
}

// A byte is none other in bf16, nor any number of 11 bits in f16: rounded on its way to a wider type it took three more
// instructions.
static bool widen_integer(SnRewriter *rw, MlirOperation op) {
  MlirValue half = sn_operand(op, 0);
  MlirType t = sn_element(sn_type_of(half));
  MlirOperation cast = sn_def(half, "arith.sitofp");
  if (sn_null(cast))
    cast = sn_def(half, "arith.uitofp");
  unsigned digits = mlirTypeIsABF16(t) ? 8 : mlirTypeIsAF16(t) ? 11 : 0;
  if (sn_null(cast) || sn_bits(sn_element(sn_type_of(sn_operand(cast, 0)))) > digits)
    return false;
  sn_replace(rw, op, sn(rw->b, sn_name(cast), sn_operand(cast, 0), sn_type_of(sn_result(op, 0))));
  return true;
}

SnRules sn_simplify_arith = {{"arith.mulf", multiply},
                             {"arith.divf", divide},
                             {"arith.subf", subtract},
                             {"arith.addf", add},
                             {"arith.negf", negate},
                             {"math.log", logarithm},
                             {"math.fpowi", power},
                             {"math.powf", power},
                             {"arith.andi", conjunction},
                             {"arith.xori", negate_comparison},
                             {"arith.select", choose},
                             {"arith.truncf", round_constant},
                             {"math.sqrt", root_of_constant},
                             {"arith.extf", widen_integer},
                             {0}};
