// halves.c: functions of half types in a kernel, by f32's own instructions, which are more exact than a half type is.
//
//   math.tanh %x : bf16    ->   tanh.approx
//   math.tanh %x : f16     ->   |x| < 1/16 ? x - x^3 / 3 : 1 - 2 / (exp(2 |x|) + 1), with the sign of x
//   math.exp %x            ->   ex2.approx(x log2(e))
//   math.erf %x            ->   c P(c^2), c = min(|x|, 2.75), with the sign of x; of bf16 2.3, and a shorter P
//   math.expm1 %x          ->   |x| < 1/32 ? x + x^2 / 2 + x^3 / 6 : exp(x) - 1
//
// All in f32, and rounded once. tanh.approx.f32 errs by 2^-11 of the result (PTX ISA, "tanh"), a quarter of bf16's last
// place, and half of f16's. Of f16 the two parts err by 2^-18 where they meet, and less elsewhere. exp errs by 2^-24
// for each |x|, and results that f16 has are of an x of 17 at most, which is 2^-9 of its last place. P is a minimax
// polynomial of erf(c) / c: with it erf of f16 errs by 2^-16.7 of the result, of bf16 by 2^-12, and what lies beyond
// the largest c is rounded to 1 by the half type. expm1 errs by 2^-18 where its parts meet. libdevice's functions of
// f32 take 20 instructions and a branch, ten, 25, of which nine are choices between two coefficients, and 15.
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

// erf(c) / c up to 2.75, and up to 2.3, in powers of c^2.
static const double erf_of_f16[] = {1.1283706426620483,    -0.37595894932746887,   0.11226847022771835,
                                    -0.026087814942002296, 0.004667114932090044,   -0.000618106045294553,
                                    5.6151297030737624e-05, -3.0712994885107037e-06, 7.53143822862512e-08},
                    erf_of_bf16[] = {1.128108263015747,     -0.3727121651172638,    0.10525108873844147,
                                     -0.020215319469571114, 0.0022832404356449842, -0.00011178172280779108};

static MlirValue erf_of(SnBuilder *b, MlirValue x, bool bf16) {
  MlirType t = sn_type_of(x);
  const double *terms = bf16 ? erf_of_bf16 : erf_of_f16;
  size_t n = bf16 ? sizeof erf_of_bf16 / sizeof *terms : sizeof erf_of_f16 / sizeof *terms;
  MlirValue c = sn(b, "arith.minimumf", sn(b, "math.absf", x), splat(b, t, bf16 ? 2.3 : 2.75)),
            square = sn(b, "arith.mulf", c, c), p = splat(b, t, terms[n - 1]);
  for (size_t i = n - 1; i-- > 0;)
    p = sn(b, "math.fma", p, square, splat(b, t, terms[i]));
  return sn(b, "math.copysign", sn(b, "arith.mulf", p, c), x);
}

// bf16 has numbers under 2^-126.
static MlirValue exp_of(SnBuilder *b, MlirValue x, bool bf16) {
  return sn_gpu_each_lane(b, bf16 ? "llvm.nvvm.ex2.approx" : "llvm.nvvm.ex2.approx.ftz",
                          sn(b, "arith.mulf", x, splat(b, sn_type_of(x), 1.4426950408889634)));
}

static MlirValue expm1_of(SnBuilder *b, MlirValue x, bool bf16) {
  MlirType t = sn_type_of(x);
  MlirValue large = sn(b, "arith.subf", exp_of(b, x, bf16), splat(b, t, 1)),
            inner = sn(b, "math.fma", x, splat(b, t, 1.0 / 6), splat(b, t, 0.5)),
            small = sn(b, "arith.mulf", x, sn(b, "math.fma", x, inner, splat(b, t, 1))), // -0 of -0
            is = sn(b, "arith.cmpf", sn(b, "math.absf", x), splat(b, t, 1.0 / 32),
                    sn_attr("predicate", sn_i64(b->ctx, 4))); // olt
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
  else
    y = sn_is(op, "math.erf") ? erf_of(&b, v, bf16) : sn_is(op, "math.expm1") ? expm1_of(&b, v, bf16)
                                                                             : exp_of(&b, v, bf16);
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn(&b, "arith.truncf", y, t));
  mlirOperationDestroy(op);
}
