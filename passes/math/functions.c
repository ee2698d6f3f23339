// functions.c: the elementary functions of f32 beside exp, log and log1p, as polynomials on vectors.
//
//   expm1(x)  = 2^n (r + r^2 p(r)) + 2^n - 1          r = x - n ln 2; of f64 tanh(x / 2) (exp(x) + 1)
//   tanh(x)   = e / (e + 2)                           e = expm1(2 |x|)
//   log2(x)   = e + log(m) / ln 2                     x = 2^e m, m in [sqrt(1/2), sqrt(2))
//   sin, cos  = of r = x - n pi/2, or their cofunction; where |x| is over 2^16, libm's, lane by lane
//   atan2(y, x) = a + a^3 p(a^2) of a = the smaller one of |y| and |x| over the greater, taken from pi/2 and from pi as
//   their signs say asin, acos  = of x up to 1/2, and of sqrt((1 - |x|) / 2) beyond cbrt(x)   = two steps from an
//   integer's third
//
// The polynomials are minimax ones of a relative error below 2^-26. Zeros keep their signs; infinities, NaNs, numbers
// below 2^-126 and the largest are as in C. erf is math/tables.c's with AVX-512, else upstream's but for the sign of a
// zero. How accurate all of these are is in docs/cpu-rows.md.
//
// test: test/passes/math/functions.mlir, and test/run/elementary.test against libm

#include "passes/math/parts.h"

// ---- pieces ----------------------------------------------------------------------------

static MlirValue add(const Math *m, MlirValue x, MlirValue y) { return sn(m->b, "arith.addf", x, y); }
static MlirValue sub(const Math *m, MlirValue x, MlirValue y) { return sn(m->b, "arith.subf", x, y); }
static MlirValue mul(const Math *m, MlirValue x, MlirValue y) { return sn(m->b, "arith.mulf", x, y); }
static MlirValue divide(const Math *m, MlirValue x, MlirValue y) { return sn(m->b, "arith.divf", x, y); }
static MlirValue magnitude(const Math *m, MlirValue x) { return sn(m->b, "math.absf", x); }
static MlirValue choose(const Math *m, MlirValue which, MlirValue yes, MlirValue no) {
  return sn(m->b, "arith.select", which, yes, no);
}
static MlirValue with_sign(const Math *m, MlirValue x, MlirValue sign) { return sn(m->b, "math.copysign", x, sign); }

#define ROUND 12582912.0 // 1.5 * 2^23: what is added to it is rounded to an integer, which the low bits hold
#define LOG2E 1.4426950408889634
#define LN2 0.693145751953125 // of 16 bits, so that n * LN2 is exact, and what is left
#define LN2_LOW 1.42860682030941723212e-06

// ---- expm1 and tanh --------------------------------------------------------------------

static const double expm1_terms[] = {0.49999998142574653, 0.16666543056370742, 0.041667201641062315,
                                     0.008366596734568818, 0.0013882566400932742};

// x = n ln 2 + r; expm1(r), and the bits of n.
static MlirValue expm1_of_rest(const Math *m, MlirValue x, MlirValue *n) {
  MlirValue t = fma(m, x, number(m, LOG2E), number(m, ROUND)), whole = sub(m, t, number(m, ROUND));
  MlirValue r = fma(m, whole, number(m, -LN2_LOW), fma(m, whole, number(m, -LN2), x));
  *n = as_ints(m, t);
  return fma(m, mul(m, r, r), polynomial(m, r, 5, expm1_terms), r);
}

// 2^(n + by)
static MlirValue power(const Math *m, MlirValue n, int by) {
  MlirValue shifted = sn(m->b, "arith.shli", n, bits(m, 23));
  return as_floats(m, sn(m->b, "arith.addi", shifted, bits(m, (int64_t)(127 + by) << 23)));
}

// Half of it first, as 2^128 is no number. Below -18 it is -1, from 89 on infinite.
static MlirValue expm1_(const Math *m, const MlirValue *v) {
  MlirValue n, x = at_most(m, at_least(m, v[0], number(m, -18.0)), number(m, 89.0));
  MlirValue e = expm1_of_rest(m, x, &n), s = power(m, n, -1);
  MlirValue half = fma(m, s, e, sub(m, s, number(m, 0.5)));
  return with_sign(m, add(m, half, half), v[0]);
}

// From 10 on it is 1.
static MlirValue tanh_(const Math *m, const MlirValue *v) {
  MlirValue n, a = magnitude(m, v[0]), x = at_most(m, add(m, a, a), number(m, 20.0));
  MlirValue r = expm1_of_rest(m, x, &n), s = power(m, n, 0), e = fma(m, s, r, sub(m, s, number(m, 1.0)));
  return with_sign(m, divide(m, e, add(m, e, number(m, 2.0))), v[0]);
}

// ---- log2 ------------------------------------------------------------------------------

static MlirValue log2_(const Math *m, const MlirValue *v) {
  MlirValue e, log = sn_math_log_parts(m, v[0], &e);
  return sn_math_log_corners(m, fma(m, log, number(m, LOG2E), e), v[0], 0.0);
}

// ---- sin and cos -----------------------------------------------------------------------

static const double sin_terms[] = {-0.1666665307948758, 0.00833206387299707, -0.0001950213463527918};
static const double cos_terms[] = {0.04166664298368172, -0.0013887184700735382, 2.4418128242424234e-05};
#define HALF_PI 0x1.921fb6p+0 // of 24 bits, and what is left, and what of that
#define HALF_PI_LOW -0x1.777a5cp-25
#define HALF_PI_LOWEST -0x1.ee59dap-50
#define LARGE 65536.0 // n has 16 bits, of which the three parts of pi/2 leave nothing that counts

// Of lanes that are LARGE, or infinite, libm's.
static MlirValue large_angles(const Math *m, const char *name, MlirValue x, MlirValue y) {
  MlirType t = m->type, i1 = mlirIntegerTypeGet(m->b->ctx, 1), f32 = sn_element(t);
  SnBuilder *b = m->b;
  MlirValue limit = sn_float(b, f32, LARGE), not_less[] = {magnitude(m, x), number(m, LARGE)};
  SnAttr greater = sn_attr("predicate", sn_i64(b->ctx, OGT)),
         no_position = sn_attr("static_position", mlirDenseI64ArrayGet(b->ctx, 1, (int64_t[]){SN_DYNAMIC}));
  MlirValue is = sn(b, "arith.cmpf", not_less[0], not_less[1], greater), any = is;
  if (!mlirTypeIsAVector(t)) {
    SnIf large = sn_if(b, any, t);
    sn_else(b, &large, sn(b, name, x));
    sn_end_if(b, &large, y);
    return sn_result(large.op, 0);
  }
  any = sn(b, "vector.reduction", is, i1, sn_attr("kind", sn_parse_attr(b->ctx, "#vector.kind<or>")));
  SnIf some = sn_if(b, any, t);
  SnLoop l = sn_for(b, sn_index(b, 0), sn_index(b, sn_dim(t, 0)), sn_index(b, 1), y);
  {
    MlirValue lane = sn(b, "vector.extract", x, l.index, f32, no_position),
              own = sn(b, "vector.extract", l.carried[0], l.index, f32, no_position);
    SnIf large = sn_if(b, sn(b, "arith.cmpf", sn(b, "math.absf", lane), limit, greater), f32);
    sn_else(b, &large, sn(b, name, lane));
    sn_end_if(b, &large, own);
    sn_next(b, &l, sn(b, "vector.insert", sn_result(large.op, 0), l.carried[0], l.index, t, no_position));
  }
  sn_else(b, &some, sn_result(l.op, 0));
  sn_end_if(b, &some, y);
  return sn_result(some.op, 0);
}

static MlirValue circular(const Math *m, MlirValue x, bool cosine) {
  MlirValue t = fma(m, x, number(m, 0.63661977236758134), number(m, ROUND)), n = sub(m, t, number(m, ROUND));
  MlirValue r =
      fma(m, n, number(m, -HALF_PI_LOWEST), fma(m, n, number(m, -HALF_PI_LOW), fma(m, n, number(m, -HALF_PI), x)));
  MlirValue z = mul(m, r, r), quarter = as_ints(m, t), one = bits(m, 1), zero = bits(m, 0);
  if (cosine)
    quarter = sn(m->b, "arith.addi", quarter, one);
  MlirValue sine = fma(m, mul(m, z, r), polynomial(m, z, 3, sin_terms), r);
  MlirValue other = fma(m, mul(m, z, z), polynomial(m, z, 3, cos_terms), fma(m, z, number(m, -0.5), number(m, 1.0)));
  MlirValue even =
      sn(m->b, "arith.cmpi", sn(m->b, "arith.andi", quarter, one), zero, sn_attr("predicate", sn_i64(m->b->ctx, 0)));
  MlirValue sign = sn(m->b, "arith.shli", sn(m->b, "arith.andi", quarter, bits(m, 2)), bits(m, 30));
  return as_floats(m, sn(m->b, "arith.xori", as_ints(m, choose(m, even, sine, other)), sign));
}

// A sine has its argument's sign where it is 0.
static MlirValue sin_(const Math *m, const MlirValue *v) {
  MlirValue y = circular(m, v[0], false);
  y = choose(m, compare(m, OEQ, v[0], number(m, 0.0)), v[0], y);
  return large_angles(m, "math.sin", v[0], y);
}
static MlirValue cos_(const Math *m, const MlirValue *v) {
  return large_angles(m, "math.cos", v[0], circular(m, v[0], true));
}

// ---- atan, atan2, asin, acos -----------------------------------------------------------

static const double atan_terms[] = {-0.3333329908919688,   0.19998548286480955,  -0.14264241703373826,
                                    0.10952185892926677,   -0.08403450659889555, 0.05795759902226479,
                                    -0.031177851073104612, 0.010914608447907006, -0.0017936222909314388};
static const double asin_terms[] = {0.16666753482966057, 0.07495252643361694, 0.04547654666411256, 0.02414664774557356,
                                    0.042225961730678226};

// x + x^3 p(x^2)
static MlirValue odd(const Math *m, MlirValue x, int n, const double *terms) {
  MlirValue z = mul(m, x, x);
  return fma(m, mul(m, z, x), polynomial(m, z, n, terms), x);
}

// `parts` times pi/2, less x
static MlirValue from_half_pi(const Math *m, double parts, MlirValue x) {
  return sub(m, number(m, parts * HALF_PI), sub(m, x, number(m, parts * HALF_PI_LOW)));
}

static MlirValue atan_(const Math *m, const MlirValue *v) {
  MlirValue a = magnitude(m, v[0]), one = number(m, 1.0), over = compare(m, OGT, a, one);
  MlirValue r = odd(m, choose(m, over, divide(m, one, a), a), 9, atan_terms);
  return with_sign(m, choose(m, over, from_half_pi(m, 1, r), r), v[0]);
}

// Of two zeros, and of two infinities, C's: as if 0 / 0 were 0, and infinity over infinity 1.
static MlirValue atan2_(const Math *m, const MlirValue *v) {
  MlirValue y = magnitude(m, v[0]), x = magnitude(m, v[1]), steep = compare(m, OGT, y, x),
            inf = number(m, __builtin_inf());
  MlirValue small = sn(m->b, "arith.minimumf", x, y), great = sn(m->b, "arith.maximumf", x, y),
            t = divide(m, small, great);
  t = choose(m, compare(m, OEQ, great, number(m, 0.0)), great, t);
  t = choose(m, compare(m, OEQ, small, inf), number(m, 1.0), t);
  MlirValue r = odd(m, t, 9, atan_terms);
  r = choose(m, steep, from_half_pi(m, 1, r), r);
  MlirValue left =
      sn(m->b, "arith.cmpi", as_ints(m, v[1]), bits(m, 0), sn_attr("predicate", sn_i64(m->b->ctx, 2))); // slt: -0 too
  r = choose(m, left, from_half_pi(m, 2, r), r);
  return with_sign(m, r, v[0]);
}

// asin of |x| up to 1/2, and of what halves the angle from there to pi/2 beyond.
static MlirValue arc(const Math *m, MlirValue a, MlirValue *over) {
  MlirValue half = number(m, 0.5), rest = fma(m, a, number(m, -0.5), half);
  *over = compare(m, OGT, a, half);
  return odd(m, choose(m, *over, sn(m->b, "math.sqrt", rest), a), 5, asin_terms);
}

static MlirValue asin_(const Math *m, const MlirValue *v) {
  MlirValue over, r = arc(m, magnitude(m, v[0]), &over);
  return with_sign(m, choose(m, over, from_half_pi(m, 1, add(m, r, r)), r), v[0]);
}

static MlirValue acos_(const Math *m, const MlirValue *v) {
  MlirValue over, r = arc(m, magnitude(m, v[0]), &over), twice = add(m, r, r),
                  negative = compare(m, OLT, v[0], number(m, 0.0));
  MlirValue ends = choose(m, negative, from_half_pi(m, 2, twice), twice);
  return choose(m, over, ends, from_half_pi(m, 1, with_sign(m, r, v[0])));
}

// ---- cbrt and erf ----------------------------------------------------------------------

// A first guess is within 4 %, a step by thirds within 2^-14, one by a half of that exact but for rounding.
static MlirValue cbrt_(const Math *m, const MlirValue *v) {
  MlirValue a = magnitude(m, v[0]), tiny = compare(m, OLT, a, number(m, 0x1p-126)),
            huge = compare(m, OGT, a, number(m, 0x1p120));
  MlirValue x = choose(m, tiny, mul(m, a, number(m, 0x1p24)), choose(m, huge, mul(m, a, number(m, 0x1p-24)), a));
  MlirValue t =
      as_floats(m, sn(m->b, "arith.addi", sn(m->b, "arith.divui", as_ints(m, x), bits(m, 3)), bits(m, 709958130)));
  MlirValue cube = mul(m, mul(m, t, t), t);
  t = mul(m, t, divide(m, add(m, cube, add(m, x, x)), add(m, add(m, cube, cube), x)));
  MlirValue square = mul(m, t, t), error = fma(m, square, t, sn(m->b, "arith.negf", x));
  t = sub(m, t, divide(m, error, mul(m, square, number(m, 3.0))));
  t = choose(m, tiny, mul(m, t, number(m, 0x1p-8)), choose(m, huge, mul(m, t, number(m, 0x1p8)), t));
  MlirValue in =
      sn(m->b, "arith.andi", compare(m, OGT, a, number(m, 0.0)), compare(m, OLT, a, number(m, __builtin_inf())));
  return choose(m, in, with_sign(m, t, v[0]), v[0]);
}

static MlirValue erf_(const Math *m, const MlirValue *v) {
  return sn_math_has_tables(m) ? sn_math_table_erf(m, v[0]) : with_sign(m, sn(m->b, "math.erf", v[0]), v[0]);
}

// x^(1/2) and x^(-1/2): a root, but for -0, whose power is 0 or infinity, and -infinity.
static MlirValue powf_(const Math *m, const MlirValue *v) {
  double n;
  if (!sn_math_constant(v[1], &n) || (n != 0.5 && n != -0.5))
    return (MlirValue){0}; // libm's
  MlirValue inf = number(m, __builtin_inf()), root = add(m, sn(m->b, "math.sqrt", v[0]), number(m, 0.0));
  root = choose(m, compare(m, OEQ, v[0], number(m, -__builtin_inf())), inf, root);
  return n > 0 ? root : divide(m, number(m, 1.0), root);
}

// ---- the walk --------------------------------------------------------------------------

static const struct {
  const char *name;
  MlirValue (*expand)(const Math *, const MlirValue *);
} functions[] = {
    {"math.expm1", expm1_}, {"math.tanh", tanh_}, {"math.log2", log2_},   {"math.sin", sin_},
    {"math.cos", cos_},     {"math.atan", atan_}, {"math.atan2", atan2_}, {"math.asin", asin_},
    {"math.acos", acos_},   {"math.cbrt", cbrt_}, {"math.erf", erf_},     {"math.powf", powf_},
};

// isnan, isinf, isfinite and isnormal, as comparisons of x or |x|.
static void classify(MlirOperation root, const char *name, int predicate) {
  SnOpVec ops = sn_collect(root, name);
  for (size_t i = 0; i < ops.size; ++i) {
    MlirOperation op = ops.data[i];
    SnBuilder b = sn_before(op);
    MlirValue x = sn_operand(op, 0), is;
    Math m = {&b, sn_type_of(x), false};
    if (predicate == UNO) {
      is = compare(&m, UNO, x, x);
    } else {
      unsigned bits = sn_bits(sn_element(m.type));
      bool f16 = mlirTypeIsAF16(sn_element(m.type));
      MlirValue a = magnitude(&m, x);
      is = compare(&m, predicate, a, number(&m, __builtin_inf()));
      if (!strcmp(name, "math.isnormal"))
        is = sn(&b, "arith.andi", is,
                compare(&m, OGE, a,
                        number(&m, bits == 64 ? 0x1p-1022
                                   : f16      ? 0x1p-14
                                              : 0x1p-126)));
    }
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), is);
    mlirOperationDestroy(op);
  }
  sn_vec_free(&ops);
}

void sn_math_by_comparisons(MlirOperation root) {
  classify(root, "math.isnan", UNO);
  classify(root, "math.isinf", OEQ);
  classify(root, "math.isfinite", OLT);
  classify(root, "math.isnormal", OLT);
  SnOpVec ops = sn_collect(root, "math.clampf");
  for (size_t i = 0; i < ops.size; ++i) {
    MlirOperation op = ops.data[i];
    SnBuilder b = sn_before(op);
    MlirValue above = sn(&b, "arith.maximumf", sn_operand(op, 0), sn_operand(op, 1));
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn(&b, "arith.minimumf", above, sn_operand(op, 2)));
    mlirOperationDestroy(op);
  }
  sn_vec_free(&ops);
}

// Of f64: upstream takes exp(x) - 1 for it, which has no digit left near 0.
static void expm1_of_f64(MlirOperation op) {
  MlirValue x = sn_operand(op, 0);
  SnBuilder b = sn_before(op);
  Math m = {&b, sn_type_of(x), false};
  MlirValue half = sn(&b, "math.tanh", mul(&m, x, number(&m, 0.5)));
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), mul(&m, half, add(&m, sn(&b, "math.exp", x), number(&m, 1.0))));
  mlirOperationDestroy(op);
}

void sn_math_roots(MlirOperation root) {
  SnOpVec ops = sn_collect(root, "math.powf");
  for (size_t i = 0; i < ops.size; ++i) {
    MlirOperation op = ops.data[i];
    SnBuilder b = sn_before(op);
    Math m = {&b, sn_type_of(sn_operand(op, 0)), false};
    MlirValue y = powf_(&m, (MlirValue[]){sn_operand(op, 0), sn_operand(op, 1)});
    if (sn_none(y))
      continue;
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), y);
    mlirOperationDestroy(op);
  }
  sn_vec_free(&ops);
}

void sn_math_functions(MlirOperation root, bool avx512) {
  for (size_t k = 0; k < sizeof functions / sizeof *functions; ++k) {
    SnOpVec ops = sn_collect(root, functions[k].name);
    for (size_t i = 0; i < ops.size; ++i) {
      MlirOperation op = ops.data[i];
      SnBuilder b = sn_before(op);
      Math m = {&b, sn_type_of(sn_operand(op, 0)), avx512};
      if (!k && mlirTypeIsAF64(sn_element(m.type)))
        expm1_of_f64(op);
      if (!mlirTypeIsAF32(sn_element(m.type)) || (mlirTypeIsAVector(m.type) && sn_rank(m.type) != 1))
        continue; // libm's
      MlirValue operands[2] = {sn_operand(op, 0), sn_operand(op, sn_num_operands(op) - 1)};
      MlirValue y = functions[k].expand(&m, operands);
      if (sn_none(y))
        continue;
      mlirValueReplaceAllUsesOfWith(sn_result(op, 0), y);
      mlirOperationDestroy(op);
    }
    sn_vec_free(&ops);
  }
}
