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

// What is known, and what has been found out: a subexpression that is there many times is looked at once.
typedef struct {
  MlirAffineExpr expr, simple; // simple is null while it is not known
  bool has_range;
  Range range;
} Fact;
typedef struct {
  const int64_t *sizes;
  SN_VEC(Fact) facts;
} Known;

// Where the fact about `e` is in known->facts.
static size_t fact_of(Known *known, MlirAffineExpr e) {
  size_t i = 0;
  while (i < known->facts.size && !mlirAffineExprEqual(known->facts.data[i].expr, e))
    ++i;
  if (i == known->facts.size)
    sn_push(&known->facts, (Fact){.expr = e});
  return i;
}

static void add_term(Sum *s, MlirAffineExpr atom, int64_t factor) {
  for (size_t i = 0; i < s->terms.size; ++i)
    if (mlirAffineExprEqual(s->terms.data[i].atom, atom)) {
      s->terms.data[i].factor += factor;
      return;
    }
  sn_push(&s->terms, (Term){atom, factor});
}

static MlirAffineExpr simplified(MlirAffineExpr e, Known *known);

static void add_expr(Sum *s, MlirAffineExpr e, int64_t factor, Known *known) {
  if (mlirAffineExprIsAConstant(e)) {
    s->constant += factor * mlirAffineConstantExprGetValue(e);
  } else if (mlirAffineExprIsAAdd(e)) {
    add_expr(s, mlirAffineBinaryOpExprGetLHS(e), factor, known);
    add_expr(s, mlirAffineBinaryOpExprGetRHS(e), factor, known);
  } else if (mlirAffineExprIsAMul(e) && mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(e))) {
    add_expr(s, mlirAffineBinaryOpExprGetLHS(e),
             factor * mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e)), known);
  } else if (mlirAffineExprIsAFloorDiv(e) || mlirAffineExprIsAMod(e)) {
    MlirAffineExpr r = simplified(e, known);
    if (mlirAffineExprIsAFloorDiv(r) || mlirAffineExprIsAMod(r))
      add_term(s, r, factor);
    else
      add_expr(s, r, factor, known);
  } else {
    add_term(s, e, factor);
  }
}

static Range range_of(const Sum *s, Known *known);

static Range range_of_atom(MlirAffineExpr e, Known *known) {
  if (mlirAffineExprIsADim(e)) {
    int64_t n = known->sizes[mlirAffineDimExprGetPosition(e)];
    return n > 0 ? (Range){0, n - 1, true} : (Range){0};
  }
  if (!mlirAffineExprIsABinary(e) || !mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(e)))
    return (Range){0};
  int64_t m = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e));
  if (mlirAffineExprIsAMod(e))
    return (Range){0, m - 1, true};
  if (!mlirAffineExprIsAFloorDiv(e))
    return (Range){0};
  size_t fact = fact_of(known, e);
  if (!known->facts.data[fact].has_range) {
    Sum inner = {0};
    add_expr(&inner, mlirAffineBinaryOpExprGetLHS(e), 1, known);
    Range r = range_of(&inner, known);
    sn_vec_free(&inner.terms);
    known->facts.data[fact].has_range = true;
    known->facts.data[fact].range = (Range){r.low / m, r.high / m, r.known && r.low >= 0};
  }
  return known->facts.data[fact].range;
}

// sum += factor * x; false if that does not fit.
static bool add_product(int64_t *sum, int64_t factor, int64_t x) {
  int64_t product;
  return !__builtin_mul_overflow(factor, x, &product) && !__builtin_add_overflow(*sum, product, sum);
}

static Range range_of(const Sum *s, Known *known) {
  Range all = {s->constant, s->constant, true};
  for (size_t i = 0; i < s->terms.size; ++i) {
    int64_t f = s->terms.data[i].factor;
    Range r = f ? range_of_atom(s->terms.data[i].atom, known) : (Range){0, 0, true};
    all.known &= r.known;
    all.known = all.known && add_product(&all.low, f, f < 0 ? r.high : r.low) &&
                add_product(&all.high, f, f < 0 ? r.low : r.high);
  }
  return all;
}

// b * (x floordiv b) + x mod b is x.
static void join(Sum *s, Known *known) {
  for (size_t i = 0; i < s->terms.size; ++i) {
    MlirAffineExpr rest = s->terms.data[i].atom;
    int64_t f = s->terms.data[i].factor;
    if (!f || !mlirAffineExprIsAMod(rest))
      continue;
    MlirAffineExpr x = mlirAffineBinaryOpExprGetLHS(rest), b = mlirAffineBinaryOpExprGetRHS(rest);
    for (size_t k = 0; k < s->terms.size; ++k) {
      MlirAffineExpr whole = s->terms.data[k].atom;
      if (!mlirAffineExprIsAFloorDiv(whole) || !mlirAffineExprEqual(mlirAffineBinaryOpExprGetLHS(whole), x) ||
          !mlirAffineExprEqual(mlirAffineBinaryOpExprGetRHS(whole), b) ||
          s->terms.data[k].factor != f * mlirAffineConstantExprGetValue(b))
        continue;
      s->terms.data[i].factor = s->terms.data[k].factor = 0;
      add_expr(s, x, f, known);
      i = (size_t)-1; // from the start: the sum has other terms now
      break;
    }
  }
}

// Where `s` has x - b * (x floordiv b), `factor` times, its terms: false where one of x's is missing.
static bool has_rest(const Sum *s, const Sum *x, int64_t factor) {
  for (size_t k = 0; k < x->terms.size; ++k) {
    bool found = !x->terms.data[k].factor;
    for (size_t i = 0; i < s->terms.size && !found; ++i)
      found = mlirAffineExprEqual(s->terms.data[i].atom, x->terms.data[k].atom) &&
              s->terms.data[i].factor == factor * x->terms.data[k].factor;
    if (!found)
      return false;
  }
  return true;
}

// x - b * (x floordiv b) is x mod b.
static void join_remainders(Sum *s, Known *known) {
  for (size_t i = 0; i < s->terms.size; ++i) {
    Term t = s->terms.data[i];
    MlirAffineExpr divisor = mlirAffineExprIsAFloorDiv(t.atom) ? mlirAffineBinaryOpExprGetRHS(t.atom) : t.atom;
    if (!t.factor || !mlirAffineExprIsAFloorDiv(t.atom) || !mlirAffineExprIsAConstant(divisor))
      continue;
    int64_t b = mlirAffineConstantExprGetValue(divisor);
    if (b <= 0 || t.factor % b)
      continue;
    Sum x = {0};
    add_expr(&x, mlirAffineBinaryOpExprGetLHS(t.atom), 1, known);
    if (has_rest(s, &x, -(t.factor / b))) {
      s->terms.data[i].factor = 0;
      for (size_t k = 0; k < x.terms.size; ++k)
        add_term(s, x.terms.data[k].atom, t.factor / b * x.terms.data[k].factor);
      s->constant += t.factor / b * x.constant;
      add_term(s, mlirAffineModExprGet(mlirAffineBinaryOpExprGetLHS(t.atom), divisor), -(t.factor / b));
    }
    sn_vec_free(&x.terms);
  }
}

static MlirAffineExpr expr_of(MlirContext ctx, Sum *s) {
  MlirAffineExpr e = mlirAffineConstantExprGet(ctx, s->constant);
  bool any = false;
  for (size_t i = 0; i < s->terms.size; ++i) {
    int64_t f = s->terms.data[i].factor;
    if (!f)
      continue;
    MlirAffineExpr t =
        f == 1 ? s->terms.data[i].atom : mlirAffineMulExprGet(s->terms.data[i].atom, mlirAffineConstantExprGet(ctx, f));
    e = any ? mlirAffineAddExprGet(e, t) : t;
    any = true;
  }
  if (any && s->constant)
    e = mlirAffineAddExprGet(e, mlirAffineConstantExprGet(ctx, s->constant));
  sn_vec_free(&s->terms);
  return e;
}

// x floordiv b or x mod b, b > 0: what is a multiple of b leaves it, the rest goes where its range is one multiple.
static MlirAffineExpr divided(MlirAffineExpr e, Known *known) {
  MlirContext ctx = mlirAffineExprGetContext(e);
  MlirAffineExpr divisor = mlirAffineBinaryOpExprGetRHS(e);
  bool mod = mlirAffineExprIsAMod(e);
  if (!mlirAffineExprIsAConstant(divisor) || mlirAffineConstantExprGetValue(divisor) <= 0)
    return e;
  int64_t b = mlirAffineConstantExprGetValue(divisor);
  Sum s = {0}, whole = {0}, rest = {0};
  add_expr(&s, mlirAffineBinaryOpExprGetLHS(e), 1, known);
  join(&s, known);
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
  Range r = range_of(&rest, known);
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

static MlirAffineExpr simplified(MlirAffineExpr e, Known *known) {
  if (mlirAffineExprIsAFloorDiv(e) || mlirAffineExprIsAMod(e)) {
    size_t fact = fact_of(known, e);
    if (!known->facts.data[fact].simple.ptr) {
      MlirAffineExpr simple = divided(e, known);
      known->facts.data[fact].simple = simple;
    }
    return known->facts.data[fact].simple;
  }
  Sum s = {0};
  add_expr(&s, e, 1, known);
  join(&s, known);
  return expr_of(mlirAffineExprGetContext(e), &s);
}

MlirAffineMap sn_map_simplify(MlirAffineMap map, const int64_t *sizes) {
  intptr_t n = mlirAffineMapGetNumResults(map);
  MlirAffineExpr *results = sn_alloc((size_t)(n + 1) * sizeof *results);
  Known known = {.sizes = sizes};
  for (intptr_t i = 0; i < n; ++i)
    results[i] = simplified(mlirAffineMapGetResult(map, i), &known);
  sn_vec_free(&known.facts);
  MlirAffineMap simple = mlirAffineMapGet(mlirAffineMapGetContext(map), mlirAffineMapGetNumDims(map),
                                          mlirAffineMapGetNumSymbols(map), n, results);
  free(results);
  return simple;
}

MlirAffineExpr sn_affine_remainders(MlirAffineExpr e, const int64_t *sizes) {
  Sum s = {0};
  Known known = {.sizes = sizes};
  add_expr(&s, e, 1, &known);
  join(&s, &known);
  join_remainders(&s, &known);
  sn_vec_free(&known.facts);
  return expr_of(mlirAffineExprGetContext(e), &s);
}

bool sn_affine_range(MlirAffineExpr e, const int64_t *sizes, int64_t *low, int64_t *high) {
  Sum s = {0};
  Known known = {.sizes = sizes};
  add_expr(&s, e, 1, &known);
  Range r = range_of(&s, &known);
  sn_vec_free(&s.terms);
  sn_vec_free(&known.facts);
  *low = r.low;
  *high = r.high;
  return r.known;
}

// Adds the parts of `e` to *n, each dimension d counted as parts[d] if that is given, up to `most` + 1.
static void count_parts(MlirAffineExpr e, const int64_t *parts, int64_t most, int64_t *n) {
  *n += parts && mlirAffineExprIsADim(e) ? parts[mlirAffineDimExprGetPosition(e)] : 1;
  if (mlirAffineExprIsABinary(e) && *n <= most) {
    count_parts(mlirAffineBinaryOpExprGetLHS(e), parts, most, n);
    if (*n <= most)
      count_parts(mlirAffineBinaryOpExprGetRHS(e), parts, most, n);
  }
}
static int64_t most_parts(MlirAffineMap map, const int64_t *of_dims) {
  int64_t most = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i) {
    int64_t n = 0;
    count_parts(mlirAffineMapGetResult(map, i), of_dims, SN_MAX_SUBSCRIPT_PARTS, &n);
    most = n > most ? n : most;
  }
  return most;
}
bool sn_map_fits(MlirAffineMap map) { return most_parts(map, NULL) <= SN_MAX_SUBSCRIPT_PARTS; }
bool sn_map_fits_with(MlirAffineMap map, const MlirAffineExpr *dims) {
  intptr_t n = mlirAffineMapGetNumDims(map);
  int64_t *parts = sn_alloc((size_t)(n + 1) * sizeof *parts);
  for (intptr_t d = 0; d < n; ++d)
    count_parts(dims[d], NULL, SN_MAX_SUBSCRIPT_PARTS, &parts[d]);
  bool fits = most_parts(map, parts) <= SN_MAX_SUBSCRIPT_PARTS;
  free(parts);
  return fits;
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

bool sn_read_linear(MlirAffineExpr e, int64_t factor, int64_t *offset, int64_t *factors) {
  if (mlirAffineExprIsAConstant(e)) {
    *offset += factor * mlirAffineConstantExprGetValue(e);
    return true;
  }
  if (mlirAffineExprIsADim(e)) {
    factors[mlirAffineDimExprGetPosition(e)] += factor;
    return true;
  }
  if (!mlirAffineExprIsAAdd(e) && !mlirAffineExprIsAMul(e))
    return false;
  MlirAffineExpr left = mlirAffineBinaryOpExprGetLHS(e), right = mlirAffineBinaryOpExprGetRHS(e);
  if (mlirAffineExprIsAAdd(e))
    return sn_read_linear(left, factor, offset, factors) && sn_read_linear(right, factor, offset, factors);
  return mlirAffineExprIsAConstant(right) &&
         sn_read_linear(left, factor * mlirAffineConstantExprGetValue(right), offset, factors);
}
