// power.c: exponentials of a row's elements under one number of the row, its maximum.
//
//   math.exp(%x - broadcast(%m))                       ->   2^(%x f - r) broadcast(c)             f = log2 e, r = %m f,
//   c = 2^(r - %m f) math.exp(%x - broadcast(%m) - broadcast(%l))       ->   2^(%x f - r) broadcast(c exp(-%l)) %y
//   broadcast(%k) of one of these                   ->   2^(%x f - r) broadcast(c %k)
//
// Of an element this takes an fma and ex2.approx.ftz. r is rounded, and c puts that right for all elements at once: %m
// f - r is what the fma of both gives. The fma rounds once, which costs up to 16 ulp of the result from -20 on and 64
// from -87 on, as rounding x - m alone does; log2 e in f32 adds a ninth of |x - m| / 2 at most, ex2.approx 1.5 ulp, and
// its factor as much. Where |m| is over 2^30, what rounding leaves would be too much for an exponent, and x - m is 0 or
// under -63: 2 will do for e.
//
// test: test/lowering/gpu/power.mlir

#include "lowering/gpu/math/gpu_math.h"
#include "lowering/rows/rowmemory.h"
#include <math.h>

static MlirValue on_lanes(SnBuilder *b, MlirValue x, MlirType t) {
  return mlirTypeIsAVector(t) ? sn(b, "vector.broadcast", x, t) : x;
}

// The number that is on every lane; null if it is none.
static MlirValue one_number(MlirValue v) {
  if (!mlirTypeIsAVector(sn_type_of(v)))
    return v;
  MlirOperation broadcast = sn_def(v, "vector.broadcast");
  return sn_null(broadcast) ? (MlirValue){0} : sn_operand(broadcast, 0);
}

// x c for a c that is 2^n: part of the factor, and exactly so.
static MlirValue without_scale(MlirValue x, double *scale) {
  MlirOperation mul = sn_def(x, "arith.mulf");
  for (int k = 0; k < 2 && !sn_null(mul); ++k) {
    MlirValue number = one_number(sn_operand(mul, k));
    MlirAttribute a = sn_none(number) ? sn_constant_of(sn_operand(mul, k)) : sn_constant_of(number);
    int exponent;
    if (!a.ptr || !mlirAttributeIsAFloat(a) || frexp(mlirFloatAttrGetValueDouble(a), &exponent) != 0.5 ||
        abs(exponent) > 20)
      continue;
    *scale = mlirFloatAttrGetValueDouble(a);
    return sn_operand(mul, 1 - k);
  }
  *scale = 1;
  return x;
}

static const float LOG2E = (float)1.4426950408889634;

static SnGpuPower power_of(SnBuilder *b, MlirValue m, double most) {
  MlirType f32 = sn_type_of(m);
  SnGpuPower p = {.big = sn(b, "arith.cmpf", sn(b, "math.absf", m), sn_float(b, f32, most),
                            sn_attr("predicate", sn_i64(b->ctx, 2)))}; // ogt
  p.factor = sn(b, "arith.select", p.big, sn_float(b, f32, 1), sn_float(b, f32, LOG2E));
  p.minus = sn(b, "arith.negf", sn(b, "arith.mulf", m, p.factor));
  return p;
}

SnGpuPower sn_gpu_power_of(SnBuilder *b, MlirValue m) { return power_of(b, m, 0x1p30); }

SnGpuPower sn_gpu_near_power_of(SnBuilder *b, MlirValue m) {
  MlirType f32 = sn_type_of(m);
  SnGpuPower p = power_of(b, m, 0x1p13); // up to it rounding leaves less than a thousandth
  p.times = sn(b, "arith.select", p.big, sn_float(b, f32, LOG2E), sn_float(b, f32, 1));
  return p;
}

MlirValue sn_gpu_power_rest(SnBuilder *b, const SnGpuPower *p, MlirValue m) {
  MlirValue error = sn(b, "arith.negf", sn(b, "math.fma", m, p->factor, p->minus));
  return sn_gpu_each_lane(b, "llvm.nvvm.ex2.approx.ftz",
                          sn(b, "arith.select", p->big, sn_float(b, sn_type_of(m), 0), error));
}

MlirValue sn_gpu_power_at(SnBuilder *b, const SnGpuPower *p, MlirValue x) {
  MlirType t = sn_type_of(x);
  MlirValue y = sn(b, "math.fma", x, on_lanes(b, p->factor, t), on_lanes(b, p->minus, t));
  return sn_gpu_each_lane(b, "llvm.nvvm.ex2.approx.ftz",
                          sn_none(p->times) ? y : sn(b, "arith.mulf", y, on_lanes(b, p->times, t)));
}

void sn_gpu_power(MlirOperation op) {
  bool of_sum = sn_get_attr(op, "sinter.under_sum").ptr != NULL;
  MlirOperation sub = sn_def(sn_operand(op, 0), "arith.subf"), outer = sub;
  if (!of_sum && !sn_get_attr(op, "sinter.under_maximum").ptr)
    return;
  if (of_sum && !sn_null(sub))
    sub = sn_def(sn_operand(outer, 0), "arith.subf");
  MlirType t = sn_type_of(sn_result(op, 0)), f32 = sn_element(t);
  MlirValue m = sn_null(sub) ? (MlirValue){0} : one_number(sn_operand(sub, 1)),
            l = of_sum && !sn_null(sub) ? one_number(sn_operand(outer, 1)) : m;
  if (sn_none(m) || sn_none(l) || !mlirTypeIsAF32(f32))
    return;
  SnBuilder b = sn_before(op);
  double scale;
  MlirValue x = without_scale(sn_operand(sub, 0), &scale), c;
  SnGpuPower p = sn_gpu_power_of(&b, m);
  c = sn_gpu_power_rest(&b, &p, m);
  if (of_sum)
    c = sn(&b, "arith.mulf", c,
           sn(&b, "math.exp", sn(&b, "arith.negf", l), sn_attr("sinter.not_positive", sn_unit(b.ctx))));
  if (scale != 1)
    p.factor = sn(&b, "arith.mulf", p.factor, sn_float(&b, f32, scale));
  MlirValue product = sn(&b, "arith.mulf", sn_gpu_power_at(&b, &p, x), on_lanes(&b, c, t));
  sn_set_attr(sn_definer(product), "sinter.power", sn_unit(b.ctx));
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), product);
  mlirOperationDestroy(op);
}

void sn_gpu_scale_power(MlirOperation op) {
  for (int k = 0; k < 2; ++k) {
    MlirOperation power = sn_def(sn_operand(op, k), "arith.mulf");
    MlirValue number = one_number(sn_operand(op, 1 - k));
    if (sn_null(power) || !sn_get_attr(power, "sinter.power").ptr || sn_none(number) ||
        sn_get_attr(op, "sinter.power").ptr)
      continue;
    SnBuilder b = sn_before(op);
    MlirType t = sn_type_of(sn_result(op, 0));
    MlirValue c = sn(&b, "arith.mulf", number, one_number(sn_operand(power, 1)));
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn(&b, "arith.mulf", sn_operand(power, 0), on_lanes(&b, c, t)));
    mlirOperationDestroy(op);
    return;
  }
}
