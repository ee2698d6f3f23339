// integers.c: powers whose exponents are integers, and the sine with the cosine.
//
//   math.ipowi x, 5               ->  t = x x;  x (t t)
//   math.ipowi x, p               ->  for each bit of p: r = bit ? r x : r;  x = x x
//   math.fpowi x, -3              ->  1 / (x x x)                                    exponents to 8
//   math.fpowi x, p               ->  |x| to the power of p, and x's sign where p is odd
//   s, c = math.sincos x          ->  s = math.sin x;  c = math.cos x
//
// Products wrap as those of arith.muli do. Of a negative power what is left is an integer: 1 of 1, 1 or -1 of -1, and 0
// of all others (of 0 too, where the reciprocal would be infinite). Upstream's math.fpowi gives p in x's type, which
// cannot tell whether 2^24 + 1 is odd, nor 257 in bf16: here p's own last bit says it.
//
// runs in: sinter-cpu, sinter-lower-gpu    test: test/passes/math/integers.mlir, and test/run/integers.test against
// Python

#include "capi/limits.h"
#include "passes/math/math.h"

enum { EQ = 0, NE = 1, SLT = 2 };

static MlirValue number(SnBuilder *b, MlirType t, int64_t v) {
  return sn_splat(b, t, mlirIntegerAttrGet(sn_element(t), v));
}
static MlirValue one_of(SnBuilder *b, MlirType t) {
  MlirType e = sn_element(t);
  return sn_is_float(e) ? sn_splat(b, t, mlirFloatAttrDoubleGet(b->ctx, e, 1)) : number(b, t, 1);
}
static MlirValue compare(SnBuilder *b, int predicate, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, sn_attr("predicate", sn_i64(b->ctx, predicate)));
}

// p >= 0, products by `mul`.
static MlirValue known_power(SnBuilder *b, const char *mul, MlirValue x, uint64_t p) {
  MlirValue r = {0};
  for (; p; p >>= 1) {
    if (p & 1)
      r = sn_none(r) ? x : sn(b, mul, r, x);
    if (p > 1)
      x = sn(b, mul, x, x);
  }
  return sn_none(r) ? one_of(b, sn_type_of(x)) : r;
}

static MlirValue power(SnBuilder *b, MlirValue x, MlirValue p) {
  MlirType t = sn_type_of(x);
  MlirValue zero = number(b, t, 0), one = number(b, t, 1), minus = number(b, t, -1);
  SnLoop bit = sn_for(b, sn_index(b, 0), sn_index(b, sn_bits(sn_element(t))), sn_index(b, 1), one, x, p);
  {
    MlirValue r = bit.carried[0], square = bit.carried[1], left = bit.carried[2];
    MlirValue is_set = compare(b, NE, sn(b, "arith.andi", left, one), zero);
    sn_next(b, &bit, sn(b, "arith.select", is_set, sn(b, "arith.muli", r, square), r),
            sn(b, "arith.muli", square, square), sn(b, "arith.shrui", left, one));
  }
  // Of 1 and -1 only the last bit of p counts, and that of -3 is that of 3.
  MlirValue is_unit = sn(b, "arith.ori", compare(b, EQ, x, one), compare(b, EQ, x, minus));
  MlirValue stays = sn(b, "arith.ori", is_unit, compare(b, SLT, minus, p));
  return sn(b, "arith.select", stays, sn_result(bit.op, 0), zero);
}

// A constant; false if it is none.
static bool is_known(MlirValue p, int64_t *known) {
  MlirAttribute a = sn_constant_of(p);
  if (!a.ptr || !mlirAttributeIsAInteger(a))
    return false;
  *known = mlirIntegerAttrGetValueInt(a);
  return true;
}

static MlirValue integer_power(SnBuilder *b, MlirValue x, MlirValue p) {
  int64_t known;
  return is_known(p, &known) && known >= 0 ? known_power(b, "arith.muli", x, (uint64_t)known) : power(b, x, p);
}

enum { MOST_PRODUCTS = 8 }; // each rounds; math.powf is as accurate for all exponents

static MlirValue float_power(SnBuilder *b, MlirValue x, MlirValue p) {
  MlirType t = sn_type_of(x), e = sn_element(t), f32 = mlirF32TypeGet(b->ctx);
  if (sn_bits(e) < 32) {
    MlirType wide = mlirTypeIsAVector(t) ? sn_vector(f32, sn_dim(t, 0)) : f32;
    return sn(b, "arith.truncf", float_power(b, sn(b, "arith.extf", x, wide), p), t);
  }
  int64_t known;
  if (is_known(p, &known) && known >= -MOST_PRODUCTS && known <= MOST_PRODUCTS) {
    MlirValue y = known_power(b, "arith.mulf", x, (uint64_t)(known < 0 ? -known : known));
    return known < 0 ? sn(b, "arith.divf", one_of(b, t), y) : y;
  }
  MlirType integers = sn_type_of(p);
  MlirValue size = sn(b, "math.absf", x), y = sn(b, "math.powf", size, sn(b, "arith.sitofp", p, t));
  MlirValue is_odd = compare(b, NE, sn(b, "arith.andi", p, number(b, integers, 1)), number(b, integers, 0));
  return sn(b, "math.copysign", y, sn(b, "arith.select", is_odd, x, size));
}

static void expand_powers(MlirOperation root, const char *name,
                          MlirValue (*power_of)(SnBuilder *, MlirValue, MlirValue)) {
  SnOpVec ops = sn_collect(root, name);
  for (size_t i = 0; i < ops.size; ++i) {
    MlirOperation op = ops.data[i];
    SnBuilder b = sn_before(op);
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), power_of(&b, sn_operand(op, 0), sn_operand(op, 1)));
    mlirOperationDestroy(op);
  }
  sn_vec_free(&ops);
}

static void split_sines(MlirOperation root) {
  SnOpVec ops = sn_collect(root, "math.sincos");
  for (size_t i = 0; i < ops.size; ++i) {
    MlirOperation op = ops.data[i];
    SnBuilder b = sn_before(op);
    MlirValue x = sn_operand(op, 0);
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn(&b, "math.sin", x));
    mlirValueReplaceAllUsesOfWith(sn_result(op, 1), sn(&b, "math.cos", x));
    mlirOperationDestroy(op);
  }
  sn_vec_free(&ops);
}

void sn_math_integers(MlirOperation root) {
  expand_powers(root, "math.ipowi", integer_power);
  expand_powers(root, "math.fpowi", float_power);
  split_sines(root);
}
