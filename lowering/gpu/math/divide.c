// divide.c: divisions of f32 and of half types in a kernel.
//
//   arith.divf %x, %y : vector<4xf32>    ->   4 x llvm.nvvm.div.full
//   arith.divf %x, broadcast(%y)         ->   (%x * c) * r, r = 1 / (%y * c)      once for all elements that %y divides
//   arith.divf 1, %y, %y >= 1            ->   4 x llvm.nvvm.rcp.approx.ftz
//   arith.divf %x, %y, 1 <= %y <= 2^65   ->   %x * rcp.approx.ftz(%y)              once for all that %y divides
//   arith.divf %x, %y of halves          ->   in f32, rounded; by a constant c a product with 1 / c
//   arith.divf %x, %y of f16             ->   %x * rcp.approx.ftz(%y) in f32, rounded
//
// div.full.f32 errs by at most 2 ulp, over all of f32 (PTX ISA, "div"), in eight instructions; div.rn.f32 is
// correctly rounded in ten and a call. The product errs by 1.5 ulp; c is 1, or a power of two that keeps 1 / y in range
// where y is very small or large. rcp.approx errs by 1 ulp, and is 0 where 1 / y is under 2^-126; a product with it
// by 1.5 ulp. By a constant LLVM multiplies where that is exact, so those of f32 stay: a quotient that is
// a whole number is one, which a product with 1 / c need not be before it is rounded to a half type.
//
// test: test/lowering/gpu/divide.mlir

#include "lowering/gpu/math/gpu_math.h"
#include "lowering/rows/rowmemory.h"
#include "passes/math/math.h"
#include <math.h>

static MlirValue full(SnBuilder *b, MlirValue x, MlirValue y) {
  return sn(b, "llvm.call_intrinsic", x, y, sn_type_of(x), sn_attr("intrin", sn_string(b->ctx, "llvm.nvvm.div.full")),
            sn_attr("op_bundle_sizes", mlirDenseI32ArrayGet(b->ctx, 0, NULL)),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){2, 0})));
}

// By one number for all lanes.
static MlirValue by_scalar(SnBuilder *b, MlirValue x, MlirOperation broadcast) {
  MlirValue y = sn_operand(broadcast, 0);
  MlirType t = sn_type_of(x), f32 = sn_type_of(y);
  SnBuilder at = sn_before(broadcast);
  MlirValue size = sn(&at, "math.absf", y), one = sn_float(&at, f32, 1);
  MlirValue small =
      sn(&at, "arith.cmpf", size, sn_float(&at, f32, 0x1p-100), sn_attr("predicate", sn_i64(b->ctx, 4))); // olt
  MlirValue large =
      sn(&at, "arith.cmpf", size, sn_float(&at, f32, 0x1p100), sn_attr("predicate", sn_i64(b->ctx, 2))); // ogt
  MlirValue scale = sn(&at, "arith.select", small, sn_float(&at, f32, 0x1p50),
                       sn(&at, "arith.select", large, sn_float(&at, f32, 0x1p-50), one));
  MlirValue r = sn_gpu_each_lane(&at, "llvm.nvvm.rcp.rn.f", sn(&at, "arith.mulf", y, scale));
  return sn(b, "arith.mulf", sn(b, "arith.mulf", x, sn(&at, "vector.broadcast", scale, t)),
            sn(&at, "vector.broadcast", r, t));
}

static bool is_half(MlirType t) { return mlirTypeIsAF16(sn_element(t)) || mlirTypeIsABF16(sn_element(t)); }

static MlirType wide_type(MlirContext ctx, MlirType t) {
  MlirType f32 = mlirF32TypeGet(ctx);
  return mlirTypeIsAVector(t) ? sn_vector(f32, sn_dim(t, 0)) : f32;
}

static MlirValue widened(SnBuilder *b, MlirValue x) {
  MlirOperation broadcast = sn_def(x, "vector.broadcast");
  MlirType t = wide_type(b->ctx, sn_type_of(x));
  if (sn_null(broadcast))
    return sn(b, "arith.extf", x, t);
  SnBuilder at = sn_before(broadcast);
  MlirValue y = sn_operand(broadcast, 0);
  return sn(&at, "vector.broadcast", sn(&at, "arith.extf", y, wide_type(b->ctx, sn_type_of(y))), t);
}

static bool is_one(MlirValue v) {
  double c;
  return sn_math_constant(v, &c) && c == 1;
}

// Of f16, none of which is too small or too large for it, in f32. Once for all that a number divides.
static MlirValue reciprocal(SnBuilder *b, MlirValue y) {
  MlirValue v = widened(b, y);
  MlirOperation broadcast = sn_def(v, "vector.broadcast");
  if (sn_null(broadcast) || mlirTypeIsAVector(sn_type_of(sn_operand(broadcast, 0))))
    return sn_gpu_each_lane(b, "llvm.nvvm.rcp.approx.ftz.f", v);
  SnBuilder at = sn_before(broadcast);
  MlirValue r = sn_gpu_each_lane(&at, "llvm.nvvm.rcp.approx.ftz.f", sn_operand(broadcast, 0));
  return sn(&at, "vector.broadcast", r, sn_type_of(v));
}

// A division of halves is one of f32, by a constant a product, and of f16 a product with a reciprocal.
static void divide_halves(MlirOperation op) {
  MlirValue x = sn_operand(op, 0), y = sn_operand(op, 1), quotient;
  MlirType t = sn_type_of(x);
  if (!is_half(t))
    return;
  SnBuilder b = sn_before(op);
  MlirOperation broadcast = sn_def(y, "vector.broadcast");
  double c;
  bool by_constant = sn_attr_number(sn_constant_of(sn_null(broadcast) ? y : sn_operand(broadcast, 0)), &c) &&
                     fabs(c) >= 0x1p-100 && fabs(c) <= 0x1p100;
  MlirValue wide = widened(&b, x);
  if (by_constant) {
    MlirType f32 = sn_type_of(wide);
    MlirValue r = sn_float(&b, sn_element(f32), 1 / c);
    quotient = sn(&b, "arith.mulf", wide, mlirTypeIsAVector(f32) ? sn(&b, "vector.broadcast", r, f32) : r);
  } else if (mlirTypeIsAF16(sn_element(t))) {
    MlirValue r = reciprocal(&b, y);
    quotient = is_one(x) ? r : sn(&b, "arith.mulf", wide, r);
  } else {
    quotient = sn(&b, "arith.divf", wide, widened(&b, y));
  }
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn(&b, "arith.truncf", quotient, t));
  mlirOperationDestroy(op);
}

void sn_gpu_divide(MlirOperation func) {
  sn_gpu_each(func, "arith.divf", divide_halves);
  SnOpVec found = sn_collect(func, "arith.divf");
  for (size_t i = 0; i < found.size; ++i) {
    MlirOperation op = found.data[i];
    SnBuilder b = sn_before(op);
    MlirValue x = sn_operand(op, 0), y = sn_operand(op, 1), lanes[SN_MAX_LANES], quotient;
    MlirType t = sn_type_of(x);
    MlirOperation broadcast = sn_def(y, "vector.broadcast");
    if (!mlirTypeIsAF32(sn_element(t)) || sn_constant_of(y).ptr ||
        (!sn_null(broadcast) && sn_constant_of(sn_operand(broadcast, 0)).ptr))
      continue;
    int64_t width = mlirTypeIsAVector(t) ? sn_dim(t, 0) : 1;
    if (is_one(x) && sn_gpu_at_least_one(y)) {
      quotient = sn_gpu_each_lane(&b, "llvm.nvvm.rcp.approx.ftz.f", y);
    } else if (sn_gpu_is_moderate(y)) {
      quotient = sn(&b, "arith.mulf", x, sn_gpu_each_lane(&b, "llvm.nvvm.rcp.approx.ftz.f", y));
    } else if (!sn_null(broadcast) && !mlirTypeIsAVector(sn_type_of(sn_operand(broadcast, 0)))) {
      quotient = by_scalar(&b, x, broadcast);
    } else {
      for (int64_t l = 0; mlirTypeIsAVector(t) && l < width; ++l)
        lanes[l] = full(&b, sn_lane(&b, x, l), sn_lane(&b, y, l));
      quotient = mlirTypeIsAVector(t) ? sn(&b, "vector.from_elements", sn_values(width, lanes), t) : full(&b, x, y);
    }
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), quotient);
    mlirOperationDestroy(op);
  }
  sn_vec_free(&found);
}
