// f32.c: exp, log and log1p of f32, where upstream's polynomials are slower.
//
//   exp(x)   = 2^n * p(f)                n = round(x / ln 2), f = x / ln 2 - n         14 instructions
//   log(x)   = e * ln 2 + q(m - 1)       x = 2^e * m, m in [sqrt(1/2), sqrt(2))
//   log1p(x) = log(u) + (x - (u - 1)) / u,  u = 1 + x                                   without the division
//   log1p(t) = t * r(t) for t = exp(-|x|), which is in [0, 1]                            11 instructions
//
// Rounding to n is an addition of 1.5 * 2^23, which leaves n in the low bits: shifted
// into the exponent they are 2^n. The polynomials are minimax ones of relative error below 2^-24. What they
// give is within 2 ulp, and right at infinities and NaNs; below the least normal number exp gives 0 or something below
// it. Vectors of 16 are
// math/tables.c's where the processor has AVX-512.

#include "passes/math/parts.h"

// ---- exp -----------------------------------------------------------------------------

static const double exp_terms[] = {1.0, 0.6931472149677311, 0.24022652783005377, 0.05550310551590464,
                                   0.009617692959786222, 0.0013406643714997182, 0.00015594681287174614};
static const double rough_exp_terms[] = {
    1.0, 0.693142830757656, 0.24022350652897909, 0.05557400251599931, 0.009666282538844837, 0.0011125578639905613};
#define ROUND 12583039.0 // 1.5 * 2^23 + 127
#define LOG2E 1.44269502162933349609375 // and what is left of it
#define LOG2E_LOW 1.925963033500e-08

// -|x|, also spelled x < 0 ? x : -x.
bool sn_math_is_negated_magnitude(MlirValue v) {
  MlirOperation neg = sn_def(v, "arith.negf"), select = sn_def(v, "arith.select");
  if (!sn_null(neg))
    return !sn_null(sn_def(sn_operand(neg, 0), "math.absf"));
  MlirOperation compare = sn_null(select) ? select : sn_def(sn_operand(select, 0), "arith.cmpf");
  if (sn_null(select) || sn_null(compare))
    return false;
  MlirValue x = sn_operand(select, 1);
  neg = sn_def(sn_operand(select, 2), "arith.negf");
  return !sn_null(neg) && sn_same(sn_operand(neg, 0), x) && sn_same(sn_operand(compare, 0), x) &&
         sn_is_constant(sn_operand(compare, 1), 0.0) &&
         mlirIntegerAttrGetValueInt(sn_get_attr(compare, "predicate")) == OLT;
}

// `rough`: within 2^-21, for what is rounded to a half type or says that it may be (afn).
static MlirValue expand_exp(const Math *m, MlirValue x, bool negative, bool rough) {
  MlirValue log2e = number(m, LOG2E), round = number(m, ROUND);
  x = at_least(m, x, number(m, -88.029693603515625)); // n = -127, whose power is 0
  MlirValue t = fma(m, x, log2e, round);
  if (!negative)
    t = at_most(m, t, number(m, ROUND + (rough ? 127.0 : 128.0))); // beyond, f grows, and the product becomes infinite
  MlirValue n = sn(m->b, "arith.subf", t, round), f = fma(m, x, log2e, sn(m->b, "arith.negf", n));
  if (!rough)
    f = fma(m, x, number(m, LOG2E_LOW), f);
  MlirValue p = rough ? polynomial(m, f, 6, rough_exp_terms) : polynomial(m, f, 7, exp_terms);
  if (!negative && !rough) { // 2^128 is no number: twice 2^127
    MlirValue most = at_most(m, t, number(m, ROUND + 127.0));
    p = fma(m, sn(m->b, "arith.subf", t, most), p, p);
    t = most;
  }
  return sn(m->b, "arith.mulf", p, as_floats(m, sn(m->b, "arith.shli", as_ints(m, t), bits(m, 23))));
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
MlirValue sn_math_log_corners(const Math *m, MlirValue log, MlirValue x, double zero) {
  MlirValue at = number(m, zero), inf = number(m, __builtin_inf());
  MlirValue below =
      sn(m->b, "arith.select", compare(m, OEQ, x, at), number(m, -__builtin_inf()), number(m, __builtin_nan("")));
  log = sn(m->b, "arith.select", compare(m, OGT, x, at), log, below); // NaN is not greater
  return sn(m->b, "arith.select", compare(m, OEQ, x, inf), inf, log);
}

// x = 2^e (1 + f) for x > 0, also below 2^-126; anything for other ones.
static MlirValue split_number(const Math *m, MlirValue x, MlirValue *e) {
  MlirValue tiny = compare(m, OLT, x, number(m, 0x1p-126)), mantissa, shift;
  x = sn(m->b, "arith.select", tiny, sn(m->b, "arith.mulf", x, number(m, 0x1p23)), x);
  *e = split(m, x, &mantissa, &shift);
  *e = sn(m->b, "arith.subf", *e, sn(m->b, "arith.select", tiny, number(m, 23.0), number(m, 0.0)));
  return sn(m->b, "arith.subf", mantissa, number(m, 1.0));
}

MlirValue sn_math_log_parts(const Math *m, MlirValue x, MlirValue *e) {
  MlirValue f = split_number(m, x, e);
  return log_of(m, f, number(m, 0.0));
}

static MlirValue expand_log(const Math *m, MlirValue x) {
  if (sn_math_has_tables(m))
    return sn_math_table_log(m, x);
  MlirValue e, f = split_number(m, x, &e);
  return sn_math_log_corners(m, log_of(m, f, e), x, 0.0);
}

static MlirValue expand_log1p(const Math *m, MlirValue x) {
  if (sn_math_has_tables(m))
    return sn_math_table_log1p(m, x);
  MlirValue one = number(m, 1.0), mantissa, shift, u = sn(m->b, "arith.addf", x, one);
  MlirValue lost = sn(m->b, "arith.subf", x, sn(m->b, "arith.subf", u, one)),
            e = split(m, at_least(m, u, number(m, 1.17549435e-38)), &mantissa, &shift);
  MlirValue scale = as_floats(m, sn(m->b, "arith.subi", bits(m, 0x3f800000), shift)); // 2^-e, or 0 where e is 128
  scale = at_least(m, scale, number(m, 0.0));
  MlirValue f = fma(m, lost, scale, sn(m->b, "arith.subf", mantissa, one));
  return sn(m->b, "math.copysign", sn_math_log_corners(m, log_of(m, f, e), x, -1.0), x);
}

static const double log1p_terms[] = {1.0,
                                     -0.4999990241961163,
                                     0.3332996233926353,
                                     -0.2495413297250235,
                                     0.19675936197654367,
                                     -0.15305584744739006,
                                     0.10603642945619259,
                                     -0.05695942675011124,
                                     0.01985140956221086,
                                     -0.003244014262926736};

static MlirValue expand_log1p_of_unit(const Math *m, MlirValue t) {
  return sn(m->b, "arith.mulf", t, polynomial(m, t, 10, log1p_terms));
}

MlirValue sn_math_log1p_of_unit(SnBuilder *b, MlirValue t) {
  return expand_log1p_of_unit(&(Math){b, sn_type_of(t), false}, t);
}

MlirValue sn_math_log1p_near_0(SnBuilder *b, MlirValue f) {
  Math m = {b, sn_type_of(f), false};
  return fma(&m, sn(b, "arith.mulf", f, f), polynomial(&m, f, 8, log_terms), f);
}

// ---- the walk ----------------------------------------------------------------------------

static bool approximate(MlirOperation op) {
  MlirAttribute flags = sn_get_attr(op, "fastmath");
  return flags.ptr && mlirAttributeEqual(flags, sn_parse_attr(mlirOperationGetContext(op), "#arith.fastmath<afn>"));
}

// The sum that the op's result is added to beside it, if that is all it is for: else null.
static MlirOperation only_sum(MlirOperation op) {
  MlirValue v = sn_result(op, 0);
  MlirOperation none = {0}, user = sn_one_use(v) ? mlirOpOperandGetOwner(mlirValueGetFirstUse(v)) : none;
  return !sn_null(user) && sn_is(user, "arith.addf") &&
                 mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(op))
             ? user
             : none;
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
      // A difference was rounded by more than what `rough` drops.
      bool difference = sn_get_attr(op, "sinter.not_positive").ptr,
           negative = difference || sn_math_is_negated_magnitude(x), tables = sn_math_has_tables(&m);
      MlirOperation add = tables ? only_sum(op) : (MlirOperation){0};
      if (!sn_null(add)) {
        SnBuilder at = sn_before(add);
        m.b = &at;
        y = sn_math_table_exp(&m, x, negative, approximate(op) || difference,
                              sn_operand(add, sn_same(sn_operand(add, 0), sn_result(op, 0))));
        mlirValueReplaceAllUsesOfWith(sn_result(add, 0), y);
        mlirOperationDestroy(add);
      } else {
        y = tables ? sn_math_table_exp(&m, x, negative, approximate(op) || difference, (MlirValue){0})
                   : expand_exp(&m, x, negative, approximate(op));
      }
    } else if (sn_is(op, "math.log")) {
      y = expand_log(&m, x);
    } else {
      MlirOperation exp = sn_def(x, "math.exp");
      y = !sn_null(exp) && sn_math_is_negated_magnitude(sn_operand(exp, 0)) ? expand_log1p_of_unit(&m, x)
                                                                            : expand_log1p(&m, x);
    }
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), y);
    mlirOperationDestroy(op);
  }
  sn_vec_free(&ops);
}
