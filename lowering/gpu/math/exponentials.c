// exponentials.c: exponentials of f32 in a kernel, and products that are added.
//
//   math.exp %d, %d <= 0          ->   e = max(%d, -104), y = e log2(e), ex2(y) (1 + (e - y ln 2))      5 ulp from -20
//   on, 8 from -87 on the same of half types        ->   ex2(%d log2(e)) |%d| + 3 ulp %x < 0 ? %x : -%x             ->
//   -|%x|                                                            a sign is part of an instruction %a * %b + %c ->
//   fma(%a, %b, %c)
//
// ex2.approx.ftz is one instruction of a unit that makes 16 of them a cycle; libdevice's exp is it and nine more, most
// of them for arguments of any sign. What is not positive: an element under a maximum that it is in
// (`sinter.not_positive`), -|x|, x - max(x, y). Results under 2^-126 are 0. Halves of a sum's relative error are far
// below those of a half type's own.
//
// test: test/lowering/gpu/math.mlir

#include "lowering/gpu/math/gpu_math.h"
#include "lowering/rows/rowmemory.h"
#include "passes/math/math.h"

bool sn_gpu_constant(MlirValue v, double *x) {
  MlirOperation broadcast = sn_def(v, "vector.broadcast");
  MlirAttribute a = sn_constant_of(sn_null(broadcast) ? v : sn_operand(broadcast, 0));
  if (!a.ptr || !mlirAttributeIsAFloat(a))
    return false;
  *x = mlirFloatAttrGetValueDouble(a);
  return true;
}

static MlirOperation definer(MlirValue v, const char *name, const char *other) {
  MlirOperation op = sn_def(v, name);
  return sn_null(op) ? sn_def(v, other) : op;
}

// max(x, y), written as that or as a select.
static bool is_maximum(MlirValue v, MlirValue *x, MlirValue *y) {
  MlirOperation max = definer(v, "arith.maximumf", "arith.maxnumf"), select = sn_def(v, "arith.select");
  MlirOperation compare = sn_null(select) ? select : sn_def(sn_operand(select, 0), "arith.cmpf");
  if (!sn_null(max)) {
    *x = sn_operand(max, 0);
    *y = sn_operand(max, 1);
    return true;
  }
  if (sn_null(compare))
    return false;
  int64_t predicate = mlirIntegerAttrGetValueInt(sn_get_attr(compare, "predicate"));
  bool greater = predicate == 2 || predicate == 3 || predicate == 9 || predicate == 10,
       less = predicate == 4 || predicate == 5 || predicate == 11 || predicate == 12;
  *x = sn_operand(compare, 0);
  *y = sn_operand(compare, 1);
  MlirValue yes = sn_operand(select, 1), no = sn_operand(select, 2);
  return (greater && sn_same(yes, *x) && sn_same(no, *y)) || (less && sn_same(yes, *y) && sn_same(no, *x));
}

bool sn_gpu_not_negative(MlirValue v) {
  MlirValue x, y;
  double c;
  if (sn_gpu_constant(v, &c))
    return c >= 0;
  if (!sn_null(sn_def(v, "math.absf")) || !sn_null(sn_def(v, "math.exp")))
    return true;
  if (is_maximum(v, &x, &y))
    return (sn_gpu_constant(x, &c) && c >= 0) || (sn_gpu_constant(y, &c) && c >= 0);
  MlirOperation mul = sn_def(v, "arith.mulf");
  return !sn_null(mul) && sn_same(sn_operand(mul, 0), sn_operand(mul, 1));
}

static bool not_positive(MlirOperation exp);
bool sn_gpu_is_unit(MlirValue v) {
  MlirOperation exp = sn_def(v, "math.exp");
  return !sn_null(exp) && not_positive(exp);
}

bool sn_gpu_is_moderate(MlirValue v) {
  MlirOperation add = sn_def(v, "arith.addf");
  double c;
  for (int k = 0; k < 2 && !sn_null(add); ++k)
    if (sn_gpu_constant(sn_operand(add, k), &c) && c >= 1 && c <= 0x1p64)
      return sn_gpu_is_unit(sn_operand(add, 1 - k));
  return false;
}

bool sn_gpu_at_least_one(MlirValue v) {
  MlirOperation extended = sn_def(v, "arith.extf"),
                add = sn_def(sn_null(extended) ? v : sn_operand(extended, 0), "arith.addf");
  double c;
  for (int k = 0; k < 2 && !sn_null(add); ++k)
    if (sn_gpu_constant(sn_operand(add, k), &c) && c >= 1)
      return sn_gpu_not_negative(sn_operand(add, 1 - k));
  return false;
}

static bool not_positive(MlirOperation exp) {
  MlirValue v = sn_operand(exp, 0), x, y;
  MlirOperation neg = sn_def(v, "arith.negf"), sub = sn_def(v, "arith.subf");
  if (sn_get_attr(exp, "sinter.not_positive").ptr)
    return true;
  if (!sn_null(neg))
    return sn_gpu_not_negative(sn_operand(neg, 0));
  return !sn_null(sub) && is_maximum(sn_operand(sub, 1), &x, &y) &&
         (sn_same(x, sn_operand(sub, 0)) || sn_same(y, sn_operand(sub, 0)));
}

// x - m of an x that was made wider.
static bool is_of_half(MlirValue v) {
  MlirOperation sub = sn_def(v, "arith.subf"), extended = sn_null(sub) ? sub : sn_def(sn_operand(sub, 0), "arith.extf");
  MlirOperation lanes = sn_null(sub) ? sub : sn_def(sn_operand(sub, 0), "vector.from_elements"); // packed.c
  if (!sn_null(lanes))
    return !sn_null(sn_def(sn_operand(lanes, 0), "arith.bitcast"));
  return !sn_null(extended) && sn_bits(sn_element(sn_type_of(sn_operand(extended, 0)))) == 16;
}

MlirValue sn_gpu_each_lane(SnBuilder *b, const char *intrinsic, MlirValue x) {
  MlirType t = sn_type_of(x), f32 = sn_element(t);
  MlirValue lanes[SN_MAX_LANES];
  int64_t width = mlirTypeIsAVector(t) ? sn_dim(t, 0) : 1;
  for (int64_t l = 0; l < width; ++l)
    lanes[l] = sn(b, "llvm.call_intrinsic", mlirTypeIsAVector(t) ? sn_lane(b, x, l) : x, f32,
                  sn_attr("intrin", sn_string(b->ctx, intrinsic)),
                  sn_attr("op_bundle_sizes", mlirDenseI32ArrayGet(b->ctx, 0, NULL)),
                  sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){1, 0})));
  return mlirTypeIsAVector(t) ? sn(b, "vector.from_elements", sn_values(width, lanes), t) : lanes[0];
}

static MlirValue splat(SnBuilder *b, MlirType t, double x) {
  return sn_splat(b, t, mlirFloatAttrDoubleGet(b->ctx, sn_element(t), x));
}

// What stands where; a zero's sign may differ.
static void magnitude(MlirOperation select) {
  MlirValue x = sn_operand(select, 1), minus = sn_operand(select, 2);
  MlirOperation compare = sn_def(sn_operand(select, 0), "arith.cmpf");
  double c;
  if (!mlirTypeIsAF32(sn_element(sn_type_of(x))) || sn_null(compare) || !sn_gpu_constant(sn_operand(compare, 1), &c) ||
      c != 0)
    return;
  int64_t predicate = mlirIntegerAttrGetValueInt(sn_get_attr(compare, "predicate"));
  bool greater = predicate == 2 || predicate == 3, less = predicate == 4 || predicate == 5;
  if (greater) {
    x = minus;
    minus = sn_operand(select, 1);
  }
  MlirOperation neg = sn_def(minus, "arith.negf");
  if ((!greater && !less) || sn_null(neg) || !sn_same(sn_operand(neg, 0), x) || !sn_same(sn_operand(compare, 0), x))
    return;
  SnBuilder b = sn_before(select);
  mlirValueReplaceAllUsesOfWith(sn_result(select, 0), sn(&b, "arith.negf", sn(&b, "math.absf", x)));
  mlirOperationDestroy(select);
}

static void exponential(MlirOperation op) {
  MlirValue x = sn_operand(op, 0), result;
  MlirType t = sn_type_of(x);
  if (!mlirTypeIsAF32(sn_element(t)) || !not_positive(op))
    return;
  SnBuilder b = sn_before(op);
  MlirValue log2e = splat(&b, t, 1.4426950408889634);
  if (is_of_half(x)) {
    result = sn_gpu_each_lane(&b, "llvm.nvvm.ex2.approx.ftz", sn(&b, "arith.mulf", x, log2e));
  } else {
    MlirValue d = sn(&b, "arith.maximumf", x, splat(&b, t, -104.0)); // below, ex2 is 0; and -inf would be NaN
    MlirValue y = sn(&b, "arith.mulf", d, log2e), e = sn_gpu_each_lane(&b, "llvm.nvvm.ex2.approx.ftz", y);
    result = sn(&b, "math.fma", e, sn(&b, "math.fma", y, splat(&b, t, -0.6931471805599453), d), e);
  }
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), result);
  mlirOperationDestroy(op);
}

// A product that nothing else reads, of f32 and in the same block.
static MlirOperation product(MlirOperation op, int k) {
  MlirOperation mul = sn_def(sn_operand(op, k), "arith.mulf");
  bool is = !sn_null(mul) && sn_one_use(sn_result(mul, 0)) &&
            mlirBlockEqual(mlirOperationGetBlock(mul), mlirOperationGetBlock(op));
  return is ? mul : (MlirOperation){0};
}

static void contract(MlirOperation op) {
  bool minus = sn_is(op, "arith.subf");
  MlirType t = sn_type_of(sn_result(op, 0));
  if (!mlirTypeIsAF32(sn_element(t)) || sn_get_attr(op, "sinter.not_fused").ptr)
    return;
  MlirOperation mul = product(op, 0);
  int other = sn_null(mul) ? 0 : 1;
  if (sn_null(mul))
    mul = product(op, 1);
  if (sn_null(mul))
    return;
  SnBuilder b = sn_before(op);
  MlirValue x = sn_operand(mul, 0), y = sn_operand(mul, 1), z = sn_operand(op, other);
  if (minus && other == 0)
    x = sn(&b, "arith.negf", x);
  if (minus && other == 1)
    z = sn(&b, "arith.negf", z);
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn(&b, "math.fma", x, y, z));
  mlirOperationDestroy(op);
  mlirOperationDestroy(mul);
}

void sn_gpu_each(MlirOperation in, const char *name, void (*f)(MlirOperation)) {
  SnOpVec found = sn_collect(in, name);
  for (size_t i = 0; i < found.size; ++i)
    f(found.data[i]);
  sn_vec_free(&found);
}

// trunc(x) = the sign of x at floor(|x|): upstream has no trunc for a GPU.
static void toward_zero(MlirOperation op) {
  SnBuilder b = sn_before(op);
  MlirValue x = sn_operand(op, 0);
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0),
                                sn(&b, "math.copysign", sn(&b, "math.floor", sn(&b, "math.absf", x)), x));
  mlirOperationDestroy(op);
}

void sn_gpu_math(MlirOperation func) {
  sn_gpu_each(func, "math.trunc", toward_zero);
  sn_math_random(func, true);
  sn_math_integers(func);
  sn_math_by_comparisons(func);
  sn_gpu_each(func, "arith.select", magnitude);
  sn_math_roots(func);
  sn_gpu_each(func, "math.tanh", sn_gpu_halves);
  sn_gpu_each(func, "math.erf", sn_gpu_halves);
  sn_gpu_each(func, "math.expm1", sn_gpu_halves);
  sn_gpu_each(func, "math.exp", sn_gpu_power);
  sn_gpu_divide(func);
  sn_gpu_each(func, "arith.mulf", sn_gpu_scale_power);
  sn_gpu_each(func, "math.log", sn_gpu_logarithm);
  sn_gpu_each(func, "math.log1p", sn_gpu_logarithm);
  sn_gpu_each(func, "math.exp", exponential);
  sn_gpu_each(func, "math.exp", sn_gpu_halves);
  sn_gpu_each(func, "arith.addf", contract);
  sn_gpu_each(func, "arith.subf", contract);
  sn_gpu_each(func, "math.absf", sn_gpu_sign_of_half);
  sn_gpu_each(func, "math.copysign", sn_gpu_sign_of_half);
  sn_gpu_each(func, "arith.select", sn_gpu_chosen);
}
