// tables.c: exp, log, log1p and erf of 16 f32 at once, with AVX-512.
//
//   exp(x)   = 2^n * 2^(i/32) * p(f)                 32 x / ln 2 = 32 n + i + f                   11 instructions
//   log(x)   = (e * ln 2 + t[i]) + f * q(f)          x = 2^e * m, i = bits of m, f = m r[i] - 1   12
//   log1p(x) = the same of u = 1 + x, f + (x - (u - 1)) / u                                       21
//   erf(x)   = its polynomial of degree 5 about h i, h = 65/256, i = round(|x| / h)               17
//
// A table of 16 numbers is a register, and looking it up one permutation, one of 32 two registers and a permutation;
// what is left for a polynomial is that part of the range, and half the terms do. Exponent and mantissa are an
// instruction each, which know zeros, infinities, NaNs and numbers below 2^-126: nothing is compared but in log1p, of
// infinity.
//
// Measured over all exponents: exp within 1.8 ulp where it is not below 2^-126 (2.3 in the last 0.02 before infinity),
// log and log1p within 1.6, erf within 2.3. The exponential of a difference drops what 32 / ln 2 has beyond 24
// bits: 1.8 + |x| / 22 ulp, which is less than the difference itself was rounded by.
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

// What is of 32 lanes or more, by halves.
typedef MlirValue (*OfSixteen)(const Math *m, MlirValue x, MlirValue sum, int how);
static MlirValue in_order(const Math *m, MlirValue x, MlirValue y, int64_t first, int64_t n) {
  int64_t lanes[64];
  for (int64_t l = 0; l < n; ++l)
    lanes[l] = first + l;
  return sn(m->b, "vector.shuffle", x, y, sn_attr("mask", mlirDenseI64ArrayGet(m->b->ctx, n, lanes)));
}
static MlirValue in_sixteens(const Math *m, OfSixteen of, MlirValue x, MlirValue sum, int how) {
  int64_t n = sn_dim(m->type, 0);
  if (n == 16)
    return of(m, x, sum, how);
  Math half = *m;
  half.type = sn_vector(sn_element(m->type), n / 2);
  MlirValue y[2];
  for (int i = 0; i < 2; ++i)
    y[i] = in_sixteens(&half, of, in_order(m, x, x, i * (n / 2), n / 2),
                       sn_none(sum) ? sum : in_order(m, sum, sum, i * (n / 2), n / 2), how);
  return in_order(m, y[0], y[1], 0, n);
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

enum { NEGATIVE = 1, ROUGH = 2 };

static MlirValue exp_of(const Math *m, MlirValue x, MlirValue sum, int how) {
  bool negative = how & NEGATIVE, rough = how & ROUGH, few = !negative && !rough;
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

MlirValue sn_math_table_exp(const Math *m, MlirValue x, bool negative, bool rough, MlirValue sum) {
  return in_sixteens(m, exp_of, x, sum, (negative ? NEGATIVE : 0) | (rough ? ROUGH : 0));
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

static MlirValue log_alone(const Math *m, MlirValue x, MlirValue none, int how) { return log_of(m, x, none); }

static MlirValue log1p_of(const Math *m, MlirValue x, MlirValue none, int how) {
  MlirValue one = number(m, 1.0), u = sn(m->b, "arith.addf", x, one);
  MlirValue log = log_of(m, u, sn(m->b, "arith.subf", x, sn(m->b, "arith.subf", u, one)));
  return sn(m->b, "math.copysign", log, x); // of -0
}

MlirValue sn_math_table_log(const Math *m, MlirValue x) { return in_sixteens(m, log_alone, x, (MlirValue){0}, 0); }
MlirValue sn_math_table_log1p(const Math *m, MlirValue x) { return in_sixteens(m, log1p_of, x, (MlirValue){0}, 0); }

// ---- erf -------------------------------------------------------------------------------
//
// terms[k][i] are of d^k, d = |x| - h i: minimax on [-h/2, h/2], the first number erf(h i) as f32. About 0 they are of
// x q(x^2), relative to it. From 3.925 on erf is 1, and so is the last polynomial at LAST.

#define H 0.25390625
#define LAST 3.93
static const uint32_t erf_terms[6][16] = {
    {0x00000000, 0x3e8f98d9, 0x3f06ffa7, 0x3f37f7bb, 0x3f595db4, 0x3f6d6a9f, 0x3f78030a, 0x3f7cf0ae, 0x3f7ef537,
     0x3f7faf5b, 0x3f7fea65, 0x3f7ffae0, 0x3f7ffeed, 0x3f7fffcd, 0x3f7ffff8, 0x3f7fffff},
    {0x3f906eba, 0x3f876a3d, 0x3f5f3439, 0x3f21b343, 0x3ecdf21c, 0x3e669154, 0x3de2e824, 0x3d444a75, 0x3c9543ad,
     0x3bc78c15, 0x3aea7f70, 0x39f23bf8, 0x38dbf4c8, 0x37af90ee, 0x36765d84, 0x3517f281},
    {0x00000000, 0xbe89871f, 0xbee2b018, 0xbef6569c, 0xbed12a02, 0xbe925ba9, 0xbe2cd789, 0xbdae70c6, 0xbd1798b6,
     0xbc63fdb7, 0xbb94d6a7, 0xbaa91c1e, 0xb9a77f2a, 0xb890cfa5, 0xb75acaa8, 0xb61089fa},
    {0xbec09320, 0xbe9d4558, 0xbe101e3e, 0x3d0a551b, 0x3e11f0d4, 0x3e2ae1ca, 0x3e09b93d, 0x3dadfac8, 0x3d3469bb,
     0x3c9d0aed, 0x3be869f6, 0x3b135c3d, 0x3a20f840, 0x39180a57, 0x37f908bd, 0x36b13683},
    {0x00000000, 0x3e029c48, 0x3e3a7e50, 0x3e166d43, 0x3d82f64a, 0xbc25d3a0, 0xbd3b5713, 0xbd4025a4, 0xbd04b738,
     0xbc8e07cf, 0xbbf78943, 0xbb33f16a, 0xba5d46f3, 0xb9682dc8, 0xb8511d8a, 0xb7225c26},
    {0x3de5c453, 0x3da0f32b, 0x3ba9a624, 0xbd5f27df, 0xbd8bb186, 0xbd368dc6, 0xbc4aaa5e, 0x3bfffa58, 0x3c554697,
     0x3c241ce6, 0x3bb4323d, 0x3b1b8146, 0x3a5b7a70, 0x39814ef6, 0x3880ccdc, 0x375ab692},
};

static MlirValue erf_of(const Math *m, MlirValue x, MlirValue none, int how) {
  MlirValue a = at_most(m, sn(m->b, "math.absf", x), number(m, LAST));
  MlirValue t = fma(m, a, number(m, 1 / H), number(m, MAGIC)), n = sn(m->b, "arith.subf", t, number(m, MAGIC)),
            d = fma(m, n, number(m, -H), a), i = as_ints(m, t),
            y = as_floats(m, look_up(m, (const int32_t *)erf_terms[5], i));
  for (int k = 5; k-- > 0;)
    y = fma(m, y, d, as_floats(m, look_up(m, (const int32_t *)erf_terms[k], i)));
  return sn(m->b, "math.copysign", y, x);
}

MlirValue sn_math_table_erf(const Math *m, MlirValue x) { return in_sixteens(m, erf_of, x, (MlirValue){0}, 0); }
