// logarithm.c: logarithms of vectors of f32 in a kernel, without branches.
//
//   math.log1p %e, 0 <= %e <= 1    ->   %e * p(%e)                                             p of 10 terms
//   math.log %x                    ->   f = %x - 1: sqrt(1/2) - 1 <= f < sqrt(2) - 1 ? f + f^2 q(f) : lg2(%x) ln 2 q of
//   8 terms math.log1p %x                  ->   f = %x, and 1 + %x in place of %x
//
// The polynomials are those of the CPU (passes/math/f32.c). lg2.approx is one instruction of a unit that makes 16 of
// them a cycle, and has every corner: 0, infinities, NaN, numbers below 0. Its error is absolute near 1, so a
// polynomial stands in there. libdevice splits exponent and mantissa instead, and has its corners by comparisons: a
// third more instructions, and an error of 1 ulp. One number, of a row's sum, is left to it.
//
// test: test/lowering/gpu/logarithm.mlir

#include "lowering/gpu/math/gpu_math.h"
#include "passes/math/math.h"

#define LOW -0.29289321881345254 // sqrt(1/2) - 1
#define HIGH 0.41421356237309515 // sqrt(2) - 1

static MlirValue number(SnBuilder *b, MlirType t, double x) {
  return sn_splat(b, t, mlirFloatAttrDoubleGet(b->ctx, sn_element(t), x));
}

static MlirValue compare(SnBuilder *b, int predicate, MlirValue x, double y) {
  return sn(b, "arith.cmpf", x, number(b, sn_type_of(x), y), sn_attr("predicate", sn_i64(b->ctx, predicate)));
}

static MlirValue general(SnBuilder *b, MlirValue x, bool of_one_more) {
  enum { OGE = 3, OLT = 4 };
  MlirType t = sn_type_of(x);
  MlirValue one = number(b, t, 1), f = of_one_more ? x : sn(b, "arith.subf", x, one),
            u = of_one_more ? sn(b, "arith.addf", x, one) : x;
  // 1 + x is no number below 2^-126; x may be one.
  MlirValue far = sn_gpu_each_lane(b, of_one_more ? "llvm.nvvm.lg2.approx.ftz.f" : "llvm.nvvm.lg2.approx.f", u);
  MlirValue is_near = sn(b, "arith.andi", compare(b, OGE, f, LOW), compare(b, OLT, f, HIGH)),
            near = sn_math_log1p_near_0(b, f);
  return sn(b, "arith.select", is_near, near, sn(b, "arith.mulf", far, number(b, t, 0.6931471805599453)));
}

void sn_gpu_logarithm(MlirOperation op) {
  MlirValue x = sn_operand(op, 0);
  if (!mlirTypeIsAVector(sn_type_of(x)) || !mlirTypeIsAF32(sn_element(sn_type_of(x))))
    return;
  SnBuilder b = sn_before(op);
  bool of_one_more = sn_is(op, "math.log1p");
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), of_one_more && sn_gpu_is_unit(x) ? sn_math_log1p_of_unit(&b, x)
                                                                                   : general(&b, x, of_one_more));
  mlirOperationDestroy(op);
}
