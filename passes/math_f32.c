// math_f32.c: exp, log and log1p of f32, where upstream's polynomials are slower.
//
//   exp(x)   = 2^n * p(f)                n = round(x / ln 2), f = x / ln 2 - n         14 instructions, 13 with AVX-512's permutations
//   log(x)   = e * ln 2 + q(m - 1)       x = 2^e * m, m in [sqrt(1/2), sqrt(2))
//   log1p(x) = log(u) + (x - (u - 1)) / u,  u = 1 + x                                   without the division
//   log1p(t) = t * r(t) for t = exp(-|x|), which is in [0, 1]                            11 instructions
//
// Rounding to n is an addition of 1.5 * 2^23, which leaves n in the low bits: shifted
// into the exponent they are 2^n. The polynomials are minimax ones of relative error below 2^-24. What they
// give is within 2 ulp, and right at infinities and NaNs; below the least normal number exp gives 0 or something below
// it, and log reads that number. (Beyond 88.3 the polynomial of exp is off by up to 75 ulp; the table is not.)

#include "passes/math.h"

typedef struct {
  SnBuilder *b;
  MlirType type; // f32, or a vector of it
  bool avx512;   // the processor has it
} Math;

static MlirType ints(const Math *m) {
  MlirType i32 = mlirIntegerTypeGet(m->b->ctx, 32);
  return mlirTypeIsAVector(m->type) ? sn_vector(i32, sn_dim(m->type, 0)) : i32;
}
static MlirValue number(const Math *m, double v) {
  MlirType e = sn_element(m->type);
  return sn_splat(m->b, m->type, mlirFloatAttrDoubleGet(m->b->ctx, e, v));
}
static MlirValue bits(const Math *m, int64_t v) { return sn_splat(m->b, ints(m), mlirIntegerAttrGet(mlirIntegerTypeGet(m->b->ctx, 32), v)); }
static MlirValue fma(const Math *m, MlirValue x, MlirValue y, MlirValue z) { return sn(m->b, "math.fma", x, y, z); }
static MlirValue as_ints(const Math *m, MlirValue x) { return sn(m->b, "arith.bitcast", x, ints(m)); }
static MlirValue as_floats(const Math *m, MlirValue x) { return sn(m->b, "arith.bitcast", x, m->type); }

enum { OEQ = 1, OGT = 2, OLT = 4 };
static MlirValue compare(const Math *m, int predicate, MlirValue x, MlirValue y) {
  return sn(m->b, "arith.cmpf", x, y, sn_attr("predicate", sn_i64(m->b->ctx, predicate)));
}
// One instruction each; x where it is a NaN.
static MlirValue at_least(const Math *m, MlirValue x, MlirValue low) { return sn(m->b, "arith.select", compare(m, OGT, low, x), low, x); }
static MlirValue at_most(const Math *m, MlirValue x, MlirValue high) { return sn(m->b, "arith.select", compare(m, OLT, high, x), high, x); }

// c[0] + c[1] x + ... + c[n - 1] x^(n - 1)
static MlirValue polynomial(const Math *m, MlirValue x, int n, const double *c) {
  MlirValue p = number(m, c[n - 1]);
  for (int i = n - 1; i-- > 0;)
    p = fma(m, p, x, number(m, c[i]));
  return p;
}

// ---- exp -----------------------------------------------------------------------------

static const double exp_terms[] = {1.0, 0.6931472149677311, 0.24022652783005377, 0.05550310551590464,
                                   0.009617692959786222, 0.0013406643714997182, 0.00015594681287174614};
static const double rough_exp_terms[] = {1.0, 0.693142830757656, 0.24022350652897909, 0.05557400251599931, 0.009666282538844837, 0.0011125578639905613};
#define ROUND 12583039.0 // 1.5 * 2^23 + 127
#define LOG2E 1.44269502162933349609375 // and what is left of it
#define LOG2E_LOW 1.925963033500e-08

// -|x|, also spelled x < 0 ? x : -x.
static bool is_negated_magnitude(MlirValue v) {
  MlirOperation neg = sn_def(v, "arith.negf"), select = sn_def(v, "arith.select");
  if (!sn_null(neg))
    return !sn_null(sn_def(sn_operand(neg, 0), "math.absf"));
  MlirOperation compare = sn_null(select) ? select : sn_def(sn_operand(select, 0), "arith.cmpf");
  if (sn_null(select) || sn_null(compare))
    return false;
  MlirValue x = sn_operand(select, 1);
  neg = sn_def(sn_operand(select, 2), "arith.negf");
  return !sn_null(neg) && sn_same(sn_operand(neg, 0), x) && sn_same(sn_operand(compare, 0), x) && sn_is_constant(sn_operand(compare, 1), 0.0) &&
         mlirIntegerAttrGetValueInt(sn_get_attr(compare, "predicate")) == OLT;
}

// `rough`: within 2^-21, for what is rounded to a half type or says that it may be (afn).
static MlirValue expand_exp_by_table(const Math *m, MlirValue x, bool negative, bool rough);
static MlirValue expand_exp(const Math *m, MlirValue x, bool negative, bool rough) {
  if (m->avx512 && mlirTypeIsAVector(m->type) && sn_dim(m->type, 0) == 16)
    return expand_exp_by_table(m, x, negative, rough);
  MlirValue log2e = number(m, LOG2E), round = number(m, ROUND);
  x = at_least(m, x, number(m, -88.029693603515625)); // n = -127, whose power is 0
  MlirValue t = fma(m, x, log2e, round);
  if (!negative)
    t = at_most(m, t, number(m, ROUND + 127.0)); // beyond, f grows, and the product becomes infinite
  MlirValue n = sn(m->b, "arith.subf", t, round), f = fma(m, x, log2e, sn(m->b, "arith.negf", n));
  if (!rough)
    f = fma(m, x, number(m, LOG2E_LOW), f);
  MlirValue p = rough ? polynomial(m, f, 6, rough_exp_terms) : polynomial(m, f, 7, exp_terms);
  return sn(m->b, "arith.mulf", p, as_floats(m, sn(m->b, "arith.shli", as_ints(m, t), bits(m, 23))));
}

// 2^(i/16) for i = 0 .. 15 in a register, and less than half of the polynomial:
//
//   t = 16 x / ln 2 + 1.5 * 2^23, whose low bits are 16 n + i
//   exp(x) = (table[i] + (t << 19)) * p(f)        table[i] is 2^(i/16) less i << 19: what t adds beside n
//
static const double table_terms[] = {1.0, 0.0433216987849966, 0.000938384793300777, 1.35506681150573e-05};
static const double rough_table_terms[] = {1.0, 0.043324267504287695, 0.0009384682454251858};
#define LOG2E_16 23.083120346069336 // 16 / ln 2, and what is left of it
#define LOG2E_16_LOW 3.081540785802588e-07

static MlirValue expand_exp_by_table(const Math *m, MlirValue x, bool negative, bool rough) {
  static const int32_t table[] = {0x3f800000, 0x3f7daac3, 0x3f7b95c2, 0x3f79c3d3, 0x3f7837f0, 0x3f76f532, 0x3f75fed7, 0x3f75583f,
                                  0x3f7504f3, 0x3f7508a4, 0x3f75672a, 0x3f76248c, 0x3f7744fd, 0x3f78ccdf, 0x3f7ac0c7, 0x3f7d257d};
  int32_t none = 0, segments[] = {2, 0};
  MlirContext ctx = m->b->ctx;
  MlirValue scale = number(m, LOG2E_16), round = number(m, 12582912.0);
  x = at_least(m, x, number(m, -88.029693603515625)); // 16 n + i = -127 * 16: the power is 0
  MlirValue t = fma(m, x, scale, round);
  if (!negative)
    t = at_most(m, t, number(m, 12582912.0 + 127 * 16 + 15));
  MlirValue f = fma(m, x, scale, sn(m->b, "arith.negf", sn(m->b, "arith.subf", t, round)));
  if (!rough)
    f = fma(m, x, number(m, LOG2E_16_LOW), f);
  MlirValue powers = sn_constant(m->b, mlirDenseElementsAttrInt32Get(ints(m), 16, table));
  MlirValue power = sn(m->b, "llvm.call_intrinsic", powers, as_ints(m, t), ints(m), sn_attr("intrin", sn_string(ctx, "llvm.x86.avx512.permvar.si.512")),
                       sn_attr("op_bundle_sizes", mlirDenseI32ArrayGet(ctx, 0, &none)), sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(ctx, 2, segments)));
  power = sn(m->b, "arith.addi", power, sn(m->b, "arith.shli", as_ints(m, t), bits(m, 19)));
  MlirValue p = rough ? polynomial(m, f, 3, rough_table_terms) : polynomial(m, f, 4, table_terms);
  return sn(m->b, "arith.mulf", p, as_floats(m, power));
}

// ---- log ------------------------------------------------------------------------------

static const double log_terms[] = {-0.4999999160718033, 0.33333950216991, -0.25001755179829316, 0.19962072251624943,
                                   -0.16570509742002437, 0.14917973992012293, -0.1430751241886182, 0.08734831581669758};
#define HALF_ROOT 0x3f3504f3 // sqrt(1/2)
#define LN2 0.693145751953125 // of 16 bits, so that e * LN2 is exact, and what is left
#define LN2_LOW 1.42860682030941723212e-06

// e * ln 2 + log(1 + f)
static MlirValue log_of(const Math *m, MlirValue f, MlirValue e) {
  MlirValue q = polynomial(m, f, 8, log_terms), low = fma(m, e, number(m, LN2_LOW), f);
  MlirValue r = fma(m, sn(m->b, "arith.mulf", f, f), q, low);
  return fma(m, e, number(m, LN2), r);
}

// x = 2^e * m; `shift` is e in the place of an exponent.
static MlirValue split(const Math *m, MlirValue x, MlirValue *mantissa, MlirValue *shift) {
  MlirValue above = sn(m->b, "arith.subi", as_ints(m, x), bits(m, HALF_ROOT));
  *shift = sn(m->b, "arith.andi", above, bits(m, -(1 << 23)));
  *mantissa = as_floats(m, sn(m->b, "arith.subi", as_ints(m, x), *shift));
  return sn(m->b, "arith.sitofp", sn(m->b, "arith.shrsi", above, bits(m, 23)), m->type);
}

// Of numbers that are not finite and positive: 0 (from `zero` down) -> -inf, below -> NaN, inf and NaN -> themselves.
static MlirValue log_corners(const Math *m, MlirValue log, MlirValue x, double zero) {
  MlirValue at = number(m, zero), inf = number(m, __builtin_inf());
  MlirValue below = sn(m->b, "arith.select", compare(m, OEQ, x, at), number(m, -__builtin_inf()), number(m, __builtin_nan("")));
  log = sn(m->b, "arith.select", compare(m, OGT, x, at), log, below); // NaN is not greater
  return sn(m->b, "arith.select", compare(m, OEQ, x, inf), inf, log);
}

static MlirValue expand_log(const Math *m, MlirValue x) {
  MlirValue mantissa, shift, e = split(m, at_least(m, x, number(m, 1.17549435e-38)), &mantissa, &shift);
  return log_corners(m, log_of(m, sn(m->b, "arith.subf", mantissa, number(m, 1.0)), e), x, 0.0);
}

static MlirValue expand_log1p(const Math *m, MlirValue x) {
  MlirValue one = number(m, 1.0), mantissa, shift, u = sn(m->b, "arith.addf", x, one);
  MlirValue lost = sn(m->b, "arith.subf", x, sn(m->b, "arith.subf", u, one)), e = split(m, at_least(m, u, number(m, 1.17549435e-38)), &mantissa, &shift);
  MlirValue scale = as_floats(m, sn(m->b, "arith.subi", bits(m, 0x3f800000), shift)); // 2^-e
  MlirValue f = fma(m, lost, scale, sn(m->b, "arith.subf", mantissa, one));
  return log_corners(m, log_of(m, f, e), x, -1.0);
}

static const double log1p_terms[] = {1.0, -0.4999990241961163, 0.3332996233926353, -0.2495413297250235, 0.19675936197654367,
                                     -0.15305584744739006, 0.10603642945619259, -0.05695942675011124, 0.01985140956221086, -0.003244014262926736};

static MlirValue expand_log1p_of_unit(const Math *m, MlirValue t) {
  return sn(m->b, "arith.mulf", t, polynomial(m, t, 10, log1p_terms));
}

// ---- the walk ----------------------------------------------------------------------------

static bool approximate(MlirOperation op) {
  MlirAttribute flags = sn_get_attr(op, "fastmath");
  return flags.ptr && mlirAttributeEqual(flags, sn_parse_attr(mlirOperationGetContext(op), "#arith.fastmath<afn>"));
}

static MlirWalkResult collect(MlirOperation op, void *found) {
  static const char *const names[] = {"math.exp", "math.log", "math.log1p"};
  for (int i = 0; i < 3; ++i)
    if (sn_is(op, names[i]) && mlirTypeIsAF32(sn_element(sn_type_of(sn_result(op, 0)))))
      sn_push((SnOpVec *)found, op);
  return MlirWalkResultAdvance;
}

void sn_math_f32(MlirOperation root, bool avx512) {
  SnOpVec ops = {0};
  mlirOperationWalk(root, collect, &ops, MlirWalkPreOrder);
  // Users before what they use: a log1p sees the exp that it is of.
  for (size_t i = ops.size; i-- > 0;) {
    MlirOperation op = ops.data[i];
    SnBuilder b = sn_before(op);
    MlirValue x = sn_operand(op, 0), y;
    Math m = {&b, sn_type_of(x), avx512};
    if (mlirTypeIsAVector(m.type) && sn_rank(m.type) != 1)
      continue; // upstream's
    if (sn_is(op, "math.exp")) {
      y = expand_exp(&m, x, is_negated_magnitude(x) || sn_get_attr(op, "sinter.not_positive").ptr, approximate(op));
    } else if (sn_is(op, "math.log")) {
      y = expand_log(&m, x);
    } else {
      MlirOperation exp = sn_def(x, "math.exp");
      y = !sn_null(exp) && is_negated_magnitude(sn_operand(exp, 0)) ? expand_log1p_of_unit(&m, x) : expand_log1p(&m, x);
    }
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), y);
    mlirOperationDestroy(op);
  }
  sn_vec_free(&ops);
}
