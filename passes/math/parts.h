// parts.h: what math/f32.c and math/tables.c write their polynomials with.

#ifndef SINTER_PASSES_MATH_PARTS_H
#define SINTER_PASSES_MATH_PARTS_H

#include "passes/math/math.h"

typedef struct {
  SnBuilder *b;
  MlirType type; // f32, or a vector of it
  bool avx512;   // the processor has it
} Math;

static inline MlirType ints(const Math *m) {
  MlirType i32 = mlirIntegerTypeGet(m->b->ctx, 32);
  return mlirTypeIsAVector(m->type) ? sn_vector(i32, sn_dim(m->type, 0)) : i32;
}
static inline MlirValue number(const Math *m, double v) {
  MlirType e = sn_element(m->type);
  return sn_splat(m->b, m->type, mlirFloatAttrDoubleGet(m->b->ctx, e, v));
}
static inline MlirValue bits(const Math *m, int64_t v) {
  return sn_splat(m->b, ints(m), mlirIntegerAttrGet(mlirIntegerTypeGet(m->b->ctx, 32), v));
}
static inline MlirValue fma(const Math *m, MlirValue x, MlirValue y, MlirValue z) {
  return sn(m->b, "math.fma", x, y, z);
}
static inline MlirValue as_ints(const Math *m, MlirValue x) { return sn(m->b, "arith.bitcast", x, ints(m)); }
static inline MlirValue as_floats(const Math *m, MlirValue x) { return sn(m->b, "arith.bitcast", x, m->type); }

enum { OEQ = 1, OGT = 2, OGE = 3, OLT = 4, UNO = 14 };
static inline MlirValue compare(const Math *m, int predicate, MlirValue x, MlirValue y) {
  return sn(m->b, "arith.cmpf", x, y, sn_attr("predicate", sn_i64(m->b->ctx, predicate)));
}
// One instruction each; x where it is a NaN.
static inline MlirValue at_least(const Math *m, MlirValue x, MlirValue low) {
  return sn(m->b, "arith.select", compare(m, OGT, low, x), low, x);
}
static inline MlirValue at_most(const Math *m, MlirValue x, MlirValue high) {
  return sn(m->b, "arith.select", compare(m, OLT, high, x), high, x);
}

// c[0] + c[1] x + ... + c[n - 1] x^(n - 1)
static inline MlirValue polynomial(const Math *m, MlirValue x, int n, const double *c) {
  MlirValue p = number(m, c[n - 1]);
  for (int i = n - 1; i-- > 0;)
    p = fma(m, p, x, number(m, c[i]));
  return p;
}

// -|x|, however it is spelled.
bool sn_math_is_negated_magnitude(MlirValue v);

// log(x) less e ln 2, where x = 2^e m and m is between sqrt(1/2) and sqrt(2); and a logarithm with that of a zero (from
// `zero` down), of numbers below it, of infinity and NaN.
MlirValue sn_math_log_parts(const Math *m, MlirValue x, MlirValue *e);
MlirValue sn_math_log_corners(const Math *m, MlirValue log, MlirValue x, double zero);

// ---- math/tables.c: vectors of 16, 32 and 64, with AVX-512 ----

static inline bool sn_math_has_tables(const Math *m) {
  int64_t n = m->avx512 && mlirTypeIsAVector(m->type) ? sn_dim(m->type, 0) : 0;
  return n == 16 || n == 32 || n == 64;
}
// exp(x), or sum + exp(x) unless `sum` is null. `negative`: x is not above 0. `rough`: what 32 / ln 2 has beyond 24
// bits is dropped.
MlirValue sn_math_table_exp(const Math *m, MlirValue x, bool negative, bool rough, MlirValue sum);
MlirValue sn_math_table_log(const Math *m, MlirValue x);
MlirValue sn_math_table_log1p(const Math *m, MlirValue x);
MlirValue sn_math_table_erf(const Math *m, MlirValue x);

#endif
