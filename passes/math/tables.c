// tables.c: exp, log and log1p of 16 f32 at once, with AVX-512.
//
//   exp(x)   = 2^n * 2^(i/32) * p(f)                 32 x / ln 2 = 32 n + i + f                   11 instructions
//   log(x)   = (e * ln 2 + t[i]) + f * q(f)          x = 2^e * m, i = bits of m, f = m r[i] - 1   12
//   log1p(x) = the same of u = 1 + x, f + (x - (u - 1)) / u                                       21
//
// A table of 16 numbers is a register, and looking it up one permutation, one of 32 two registers and a permutation;
// what is left for a polynomial is that part of the range, and half the terms do. Exponent and mantissa are an
// instruction each, which know zeros, infinities, NaNs and numbers below 2^-126: nothing is compared but in log1p, of
// infinity.
//
// Measured over all exponents: exp within 1.8 ulp where it is not below 2^-126 (2.3 in the last 0.02 before infinity),
// log and log1p within 1.6. The exponential of a difference drops what 32 / ln 2 has beyond 24 bits: 1.8 + |x| / 22
// ulp, which is less than the difference itself was rounded by.
//
// test: test/passes/math/f32.mlir, and the numbers in test/losses/cases_*.test

#include "passes/math/parts.h"

static MlirValue i32_of(const Math *m, int64_t v) { return sn_int(m->b, mlirIntegerTypeGet(m->b->ctx, 32), v); }

static MlirValue intrinsic(const Math *m, const char *name, SnValues operands, MlirType type) {
  int32_t none = 0, segments[] = {(int32_t)operands.n, 0};
  return sn(m->b, "llvm.call_intrinsic", operands, type, sn_attr("intrin", sn_string(m->b->ctx, name)),
            sn_attr("op_bundle_sizes", mlirDenseI32ArrayGet(m->b->ctx, 0, &none)),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(m->b->ctx, 2, segments)));
}

// table[index mod 16], lane by lane.
static MlirValue look_up(const Math *m, const int32_t *table, MlirValue index) {
  MlirValue numbers = sn_constant(m->b, mlirDenseElementsAttrInt32Get(ints(m), 16, table)),
            operands[] = {numbers, index};
  return intrinsic(m, "llvm.x86.avx512.permvar.si.512", sn_values(2, operands), ints(m));
}

// table[index mod 32]
static MlirValue look_up_32(const Math *m, const int32_t *table, MlirValue index) {
  MlirValue low = sn_constant(m->b, mlirDenseElementsAttrInt32Get(ints(m), 16, table));
  MlirValue high = sn_constant(m->b, mlirDenseElementsAttrInt32Get(ints(m), 16, table + 16)),
            operands[] = {low, index, high};
  return intrinsic(m, "llvm.x86.avx512.vpermi2var.d.512", sn_values(3, operands), ints(m));
}

// ---- exp -----------------------------------------------------------------------------
//
//   t = 32 x / ln 2 + 1.5 * 2^23, whose low bits are 32 n + i
//   exp(x) = (table[i] + (t << 18)) * (1 + q(f))      table[i] is 2^(i/32) less i << 18: what t adds beside n
//
// Near the largest number n has no next one, and f grows: what may be above 0 takes the shorter steps and the longer
// polynomial of a table of 16.

static const int32_t sixteen[] = {0x3f800000, 0x3f7daac3, 0x3f7b95c2, 0x3f79c3d3, 0x3f7837f0, 0x3f76f532,
                                  0x3f75fed7, 0x3f75583f, 0x3f7504f3, 0x3f7508a4, 0x3f75672a, 0x3f76248c,
                                  0x3f7744fd, 0x3f78ccdf, 0x3f7ac0c7, 0x3f7d257d};
static const int32_t thirty_two[] = {0x3f800000, 0x3f7ecd87, 0x3f7daac3, 0x3f7c980f, 0x3f7b95c2, 0x3f7aa43a, 0x3f79c3d3,
                                     0x3f78f4f0, 0x3f7837f0, 0x3f778d3a, 0x3f76f532, 0x3f767043, 0x3f75fed7, 0x3f75a15b,
                                     0x3f75583f, 0x3f7523f6, 0x3f7504f3, 0x3f74fbaf, 0x3f7508a4, 0x3f752c4d, 0x3f75672a,
                                     0x3f75b9be, 0x3f76248c, 0x3f76a81e, 0x3f7744fd, 0x3f77fbb8, 0x3f78ccdf, 0x3f79b907,
                                     0x3f7ac0c7, 0x3f7be4ba, 0x3f7d257d, 0x3f7e83b3};
static const double terms_of_16[] = {1.0, 0.5000161528587341, 0.16666719317436218}; // of f, f^2, f^3
static const double terms_of_32[] = {1.0000146627426147, 0.5000001788139343};
#define LOG2E 1.44269502162933349609375
#define LN2_EXP 0.693147182464599609375 // and what is left of it
#define LN2_EXP_LOW -1.904654323148236e-09
#define MAGIC 12582912.0 // 1.5 * 2^23

MlirValue sn_math_table_exp(const Math *m, MlirValue x, bool negative, bool rough, MlirValue sum) {
  bool few = !negative && !rough;
  double steps = few ? 16 : 32;
  MlirValue round = number(m, MAGIC);
  x = at_least(m, x, number(m, -88.029693603515625)); // 127 steps below 1: the power is 0
  MlirValue t = fma(m, x, number(m, LOG2E * steps), round);
  if (!negative)
    t = at_most(m, t, number(m, MAGIC + 128 * steps - 1));
  MlirValue n = sn(m->b, "arith.subf", t, round), f = fma(m, n, number(m, -LN2_EXP / steps), x);
  if (!rough)
    f = fma(m, n, number(m, -LN2_EXP_LOW / steps), f);
  MlirValue power = few ? look_up(m, sixteen, as_ints(m, t)) : look_up_32(m, thirty_two, as_ints(m, t));
  power = as_floats(m, sn(m->b, "arith.addi", power, sn(m->b, "arith.shli", as_ints(m, t), bits(m, few ? 19 : 18))));
  MlirValue q = few ? polynomial(m, f, 3, terms_of_16) : polynomial(m, f, 2, terms_of_32);
  if (!sn_none(sum))
    return fma(m, fma(m, q, f, number(m, 1.0)), power, sum);
  return fma(m, sn(m->b, "arith.mulf", q, f), power, power);
}

// ---- log and log1p ---------------------------------------------------------------------
//
// r[i] is about 1 / m for mantissas m of [1 + i/16, 1 + (i + 1)/16), and t[i] = -log(r[i]) to 2^-38: of all numbers
// about there the ones whose logarithms are nearest to an f32. From i = 7 on it is LN2 - log(2 r[i]), so that e * LN2 +
// t[i] is exact for numbers a little below 1. r[0] = 1 and r[15] = 1/2, so that nothing is rounded next to 1.

static const int32_t reciprocals[] = {0x3f800000, 0x3f6a1b1b, 0x3f5d5628, 0x3f5216d8, 0x3f47cb84, 0x3f3e929b,
                                      0x3f3609c0, 0x3f2e39de, 0x3f273bd7, 0x3f208bd8, 0x3f1a924b, 0x3f15045e,
                                      0x3f0fbba6, 0x3f0ad2f4, 0x3f064cab, 0x3f000000};
static const int32_t logarithms[] = {0x00000000, 0x3db7196b, 0x3e14fc22, 0x3e4a6379, 0x3e7dd5bf, 0x3e971d17,
                                     0x3eae9282, 0x3ec507a3, 0x3eda007b, 0x3eeee594, 0x3f012849, 0x3f0a869f,
                                     0x3f13c4b1, 0x3f1caa15, 0x3f25259d, 0x3f317218};
static const double log_terms[] = {1.0, -0.5, 0.33334478735923767, -0.2500966787338257,
                                   0.18890942633152008}; // minimax on [-1/31, 1/16]
#define LN2 0.693147182464599609375

static MlirValue exponent(const Math *m, MlirValue x) {
  MlirValue operands[] = {x, x, sn_int(m->b, mlirIntegerTypeGet(m->b->ctx, 16), -1), i32_of(m, 4)};
  return intrinsic(m, "llvm.x86.avx512.mask.getexp.ps.512", sn_values(4, operands), m->type);
}

// In [1, 2); a NaN of what is negative.
static MlirValue mantissa(const Math *m, MlirValue x) {
  MlirValue operands[] = {x, i32_of(m, 8), x, sn_int(m->b, mlirIntegerTypeGet(m->b->ctx, 16), -1), i32_of(m, 4)};
  return intrinsic(m, "llvm.x86.avx512.mask.getmant.ps.512", sn_values(5, operands), m->type);
}

// log(x + lost); `lost` is as nothing beside x, and may be null.
static MlirValue log_of(const Math *m, MlirValue x, MlirValue lost) {
  MlirValue e = exponent(m, x), h = mantissa(m, x), i = sn(m->b, "arith.shrui", as_ints(m, h), bits(m, 19));
  MlirValue r = as_floats(m, look_up(m, reciprocals, i)), t = as_floats(m, look_up(m, logarithms, i));
  MlirValue f = fma(m, h, r, number(m, -1.0));
  if (!sn_none(lost)) {
    MlirValue power = sn(m->b, "arith.andi", as_ints(m, x), bits(m, 0x7f800000));
    MlirValue scale = as_floats(m, sn(m->b, "arith.subi", bits(m, 0x7f000000), power)); // 2^-e
    MlirValue part = sn(m->b, "arith.mulf", lost, scale);
    part = sn(m->b, "arith.select", compare(m, OLT, x, number(m, __builtin_inf())), part, number(m, 0.0)); // inf - inf
    f = fma(m, part, r, f);
  }
  return fma(m, f, polynomial(m, f, 5, log_terms), fma(m, e, number(m, LN2), t));
}

MlirValue sn_math_table_log(const Math *m, MlirValue x) { return log_of(m, x, (MlirValue){0}); }

MlirValue sn_math_table_log1p(const Math *m, MlirValue x) {
  MlirValue one = number(m, 1.0), u = sn(m->b, "arith.addf", x, one);
  MlirValue log = log_of(m, u, sn(m->b, "arith.subf", x, sn(m->b, "arith.subf", u, one)));
  return sn(m->b, "math.copysign", log, x); // of -0
}
