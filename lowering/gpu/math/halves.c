// halves.c: functions of half types in a kernel, by f32's own instructions, which are more exact than a half type is.
//
//   math.tanh %x : bf16    ->   tanh.approx
//   math.tanh %x : f16     ->   |x| < 1/16 ? x - x^3 / 3 : 1 - 2 / (exp(2 |x|) + 1), with the sign of x
//   math.exp %x            ->   ex2.approx(x log2(e))
//
// All in f32, and rounded once. tanh.approx.f32 errs by 2^-11 of the result (PTX ISA, "tanh"), a quarter of bf16's last
// place, and half of f16's. Of f16 the two parts err by 2^-18 where they meet, and less elsewhere. exp errs by 2^-24
// for each |x|, and results that f16 has are of an x of 17 at most, which is 2^-9 of its last place. libdevice's
// functions of f32 take 20 instructions and a branch, and ten.
//
// test: test/lowering/gpu/divide.mlir

#include "lowering/gpu/math/gpu_math.h"
#include "lowering/rows/rowmemory.h"

static MlirValue splat(SnBuilder *b, MlirType t, double x) {
  return sn_splat(b, t, mlirFloatAttrDoubleGet(b->ctx, sn_element(t), x));
}

static MlirValue approximate_tanh(SnBuilder *b, MlirValue x) {
  MlirType t = sn_type_of(x), f32 = sn_element(t);
  MlirValue lanes[SN_MAX_LANES];
  int64_t width = mlirTypeIsAVector(t) ? sn_dim(t, 0) : 1;
  for (int64_t l = 0; l < width; ++l)
    lanes[l] = sn(b, "llvm.inline_asm", mlirTypeIsAVector(t) ? sn_lane(b, x, l) : x, f32,
                  sn_attr("asm_string", sn_string(b->ctx, "tanh.approx.f32 $0, $1;")),
                  sn_attr("constraints", sn_string(b->ctx, "=f,f")));
  return mlirTypeIsAVector(t) ? sn(b, "vector.from_elements", sn_values(width, lanes), t) : lanes[0];
}

static MlirValue tanh_of(SnBuilder *b, MlirValue x) {
  MlirType t = sn_type_of(x);
  MlirValue size = sn(b, "math.absf", x), one = splat(b, t, 1), twice = splat(b, t, 2 * 1.4426950408889634),
            e = sn_gpu_each_lane(b, "llvm.nvvm.ex2.approx.ftz", sn(b, "arith.mulf", size, twice)),
            r = sn_gpu_each_lane(b, "llvm.nvvm.rcp.approx.ftz.f", sn(b, "arith.addf", e, one)),
            large = sn(b, "math.copysign", sn(b, "math.fma", r, splat(b, t, -2), one), x),
            third = sn(b, "arith.mulf", sn(b, "arith.mulf", x, x), splat(b, t, -1.0 / 3)),
            small = sn(b, "math.fma", third, x, x),
            is = sn(b, "arith.cmpf", size, splat(b, t, 1.0 / 16), sn_attr("predicate", sn_i64(b->ctx, 4))); // olt
  return sn(b, "arith.select", is, small, large);
}

void sn_gpu_halves(MlirOperation op) {
  MlirValue x = sn_operand(op, 0), y;
  MlirType t = sn_type_of(x), f32 = mlirF32TypeGet(mlirOperationGetContext(op));
  bool bf16 = mlirTypeIsABF16(sn_element(t));
  if (!bf16 && !mlirTypeIsAF16(sn_element(t)))
    return;
  SnBuilder b = sn_before(op);
  MlirType wide = mlirTypeIsAVector(t) ? sn_vector(f32, sn_dim(t, 0)) : f32;
  MlirValue v = sn(&b, "arith.extf", x, wide);
  if (sn_is(op, "math.tanh"))
    y = bf16 ? approximate_tanh(&b, v) : tanh_of(&b, v);
  else // bf16 has numbers under 2^-126
    y = sn_gpu_each_lane(&b, bf16 ? "llvm.nvvm.ex2.approx" : "llvm.nvvm.ex2.approx.ftz",
                         sn(&b, "arith.mulf", v, splat(&b, wide, 1.4426950408889634)));
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn(&b, "arith.truncf", y, t));
  mlirOperationDestroy(op);
}
