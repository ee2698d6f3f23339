// affine.c: affine maps under what is known about their dimensions. See sn.h.
//
//   (8 * i + j) floordiv 8 -> i      (8 * i + j) mod 8 -> j      where 0 <= j < 8
//
// Subscripts through reshapes compose to such expressions. An expression is read
// as a sum of terms, factor * atom, whose atoms are dimensions, symbols, quotients
// and remainders.

#include "capi/sn.h"

typedef struct {
  MlirAffineExpr atom;
  int64_t factor;
} Term;
typedef struct {
  SN_VEC(Term) terms;
  int64_t constant;
} Sum;

// Both ends included; `known` is false where there are none.
typedef struct {
  int64_t low, high;
  bool known;
} Range;

static void add_term(Sum *s, MlirAffineExpr atom, int64_t factor) {
  for (size_t i = 0; i < s->terms.size; ++i)
    if (mlirAffineExprEqual(s->terms.data[i].atom, atom)) {
      s->terms.data[i].factor += factor;
      return;
    }
  sn_push(&s->terms, (Term){atom, factor});
}

static MlirAffineExpr simplified(MlirAffineExpr e, const int64_t *sizes);

static void add_expr(Sum *s, MlirAffineExpr e, int64_t factor, const int64_t *sizes) {
  if (mlirAffineExprIsAConstant(e)) {
    s->constant += factor * mlirAffineConstantExprGetValue(e);
  } else if (mlirAffineExprIsAAdd(e)) {
    add_expr(s, mlirAffineBinaryOpExprGetLHS(e), factor, sizes);
    add_expr(s, mlirAffineBinaryOpExprGetRHS(e), factor, sizes);
  } else if (mlirAffineExprIsAMul(e) && mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(e))) {
    add_expr(s, mlirAffineBinaryOpExprGetLHS(e), factor * mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e)), sizes);
  } else if (mlirAffineExprIsAFloorDiv(e) || mlirAffineExprIsAMod(e)) {
    MlirAffineExpr r = simplified(e, sizes);
    if (mlirAffineExprIsAFloorDiv(r) || mlirAffineExprIsAMod(r))
      add_term(s, r, factor);
    else
      add_expr(s, r, factor, sizes);
  } else {
    add_term(s, e, factor);
  }
}

static Range range_of(const Sum *s, const int64_t *sizes);

static Range range_of_atom(MlirAffineExpr e, const int64_t *sizes) {
  if (mlirAffineExprIsADim(e)) {
    int64_t n = sizes[mlirAffineDimExprGetPosition(e)];
    return (Range){0, n - 1, n > 0};
  }
  if (!mlirAffineExprIsABinary(e) || !mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(e)))
    return (Range){0};
  int64_t m = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e));
  if (mlirAffineExprIsAMod(e))
    return (Range){0, m - 1, true};
  if (!mlirAffineExprIsAFloorDiv(e))
    return (Range){0};
  Sum inner = {0};
  add_expr(&inner, mlirAffineBinaryOpExprGetLHS(e), 1, sizes);
  Range r = range_of(&inner, sizes);
  sn_vec_free(&inner.terms);
  return (Range){r.low / m, r.high / m, r.known && r.low >= 0};
}

static Range range_of(const Sum *s, const int64_t *sizes) {
  Range all = {s->constant, s->constant, true};
  for (size_t i = 0; i < s->terms.size; ++i) {
    int64_t f = s->terms.data[i].factor;
    Range r = f ? range_of_atom(s->terms.data[i].atom, sizes) : (Range){0, 0, true};
    all.known &= r.known;
    all.low += f * (f < 0 ? r.high : r.low);
    all.high += f * (f < 0 ? r.low : r.high);
  }
  return all;
}

// b * (x floordiv b) + x mod b is x.
static void join(Sum *s, const int64_t *sizes) {
  for (size_t i = 0; i < s->terms.size; ++i) {
    MlirAffineExpr rest = s->terms.data[i].atom;
    int64_t f = s->terms.data[i].factor;
    if (!f || !mlirAffineExprIsAMod(rest))
      continue;
    MlirAffineExpr x = mlirAffineBinaryOpExprGetLHS(rest), b = mlirAffineBinaryOpExprGetRHS(rest);
    for (size_t k = 0; k < s->terms.size; ++k) {
      MlirAffineExpr whole = s->terms.data[k].atom;
      if (!mlirAffineExprIsAFloorDiv(whole) || !mlirAffineExprEqual(mlirAffineBinaryOpExprGetLHS(whole), x) ||
          !mlirAffineExprEqual(mlirAffineBinaryOpExprGetRHS(whole), b) || s->terms.data[k].factor != f * mlirAffineConstantExprGetValue(b))
        continue;
      s->terms.data[i].factor = s->terms.data[k].factor = 0;
      add_expr(s, x, f, sizes);
      i = (size_t)-1; // from the start: the sum has other terms now
      break;
    }
  }
}

static MlirAffineExpr expr_of(MlirContext ctx, Sum *s) {
  MlirAffineExpr e = mlirAffineConstantExprGet(ctx, s->constant);
  bool any = false;
  for (size_t i = 0; i < s->terms.size; ++i) {
    int64_t f = s->terms.data[i].factor;
    if (!f)
      continue;
    MlirAffineExpr t = f == 1 ? s->terms.data[i].atom : mlirAffineMulExprGet(s->terms.data[i].atom, mlirAffineConstantExprGet(ctx, f));
    e = any ? mlirAffineAddExprGet(e, t) : t;
    any = true;
  }
  if (any && s->constant)
    e = mlirAffineAddExprGet(e, mlirAffineConstantExprGet(ctx, s->constant));
  sn_vec_free(&s->terms);
  return e;
}

// x floordiv b or x mod b, b > 0: what is a multiple of b leaves it, the rest goes where its range is one multiple.
static MlirAffineExpr divided(MlirAffineExpr e, const int64_t *sizes) {
  MlirContext ctx = mlirAffineExprGetContext(e);
  MlirAffineExpr divisor = mlirAffineBinaryOpExprGetRHS(e);
  bool mod = mlirAffineExprIsAMod(e);
  if (!mlirAffineExprIsAConstant(divisor) || mlirAffineConstantExprGetValue(divisor) <= 0)
    return e;
  int64_t b = mlirAffineConstantExprGetValue(divisor);
  Sum s = {0}, whole = {0}, rest = {0};
  add_expr(&s, mlirAffineBinaryOpExprGetLHS(e), 1, sizes);
  join(&s, sizes);
  for (size_t i = 0; i < s.terms.size; ++i) {
    Term t = s.terms.data[i];
    if (t.factor % b)
      sn_push(&rest.terms, t);
    else if (t.factor)
      sn_push(&whole.terms, ((Term){t.atom, t.factor / b}));
  }
  int64_t carried = s.constant >= 0 ? s.constant / b : -((-s.constant + b - 1) / b);
  whole.constant = carried;
  rest.constant = s.constant - carried * b;
  sn_vec_free(&s.terms);
  Range r = range_of(&rest, sizes);
  int64_t at = r.known && r.low >= 0 ? r.low / b : 0;
  bool one = r.known && r.low >= 0 && r.high / b == at;
  if (one) {
    whole.constant += at;
    rest.constant -= at * b;
  }
  MlirAffineExpr left = expr_of(ctx, &rest);
  if (mod) {
    sn_vec_free(&whole.terms);
    return one ? left : mlirAffineModExprGet(left, divisor);
  }
  if (!one)
    add_term(&whole, mlirAffineFloorDivExprGet(left, divisor), 1);
  return expr_of(ctx, &whole);
}

static MlirAffineExpr simplified(MlirAffineExpr e, const int64_t *sizes) {
  if (mlirAffineExprIsAFloorDiv(e) || mlirAffineExprIsAMod(e))
    return divided(e, sizes);
  Sum s = {0};
  add_expr(&s, e, 1, sizes);
  join(&s, sizes);
  return expr_of(mlirAffineExprGetContext(e), &s);
}

MlirAffineMap sn_map_simplify(MlirAffineMap map, const int64_t *sizes) {
  intptr_t n = mlirAffineMapGetNumResults(map);
  MlirAffineExpr *results = sn_alloc((size_t)(n + 1) * sizeof *results);
  for (intptr_t i = 0; i < n; ++i)
    results[i] = simplified(mlirAffineMapGetResult(map, i), sizes);
  MlirAffineMap simple = mlirAffineMapGet(mlirAffineMapGetContext(map), mlirAffineMapGetNumDims(map), mlirAffineMapGetNumSymbols(map), n, results);
  free(results);
  return simple;
}

bool sn_affine_range(MlirAffineExpr e, const int64_t *sizes, int64_t *low, int64_t *high) {
  Sum s = {0};
  add_expr(&s, e, 1, sizes);
  Range r = range_of(&s, sizes);
  sn_vec_free(&s.terms);
  *low = r.low;
  *high = r.high;
  return r.known;
}

bool sn_affine_is_linear(MlirAffineExpr e) {
  if (!mlirAffineExprIsABinary(e))
    return true;
  return (mlirAffineExprIsAAdd(e) || mlirAffineExprIsAMul(e)) && sn_affine_is_linear(mlirAffineBinaryOpExprGetLHS(e)) &&
         sn_affine_is_linear(mlirAffineBinaryOpExprGetRHS(e));
}
bool sn_map_is_linear(MlirAffineMap map) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
    if (!sn_affine_is_linear(mlirAffineMapGetResult(map, i)))
      return false;
  return true;
}
