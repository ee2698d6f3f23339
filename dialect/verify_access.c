// verify_access.c: subscripts. How each operand is reached from the dimensions.
//
//   %x[i, j * 2 - 1] : tensor<4x8xf32>     j < 5  ->  reads columns -1 .. 7
//
// The range of a subscript is computed over all its dimensions. What is attained
// for certain and lies outside is an error; what only might be (a `mod` of
// something sparse, a size `?`) is the program's promise.
//
// test: test/dialect/invalid.mlir, @f3.. to @f7..

#include "dialect/verify.h"

// ---- the range of a subscript ----------------------------------------------------

typedef struct {
  int64_t low, high;
  bool known; // else nothing is
  bool ends;  // both ends are attained, else they are bounds
  bool dense; // every value between is attained
} Range;

static const Range unknown = {0};

static Range point(int64_t v) { return (Range){v, v, true, true, true}; }

static Range times(Range a, int64_t c) {
  int64_t x, y;
  if (!a.known || __builtin_mul_overflow(a.low, c, &x) || __builtin_mul_overflow(a.high, c, &y))
    return unknown;
  return (Range){x < y ? x : y, x < y ? y : x, true, a.ends, a.dense && (c == 1 || c == -1 || c == 0)};
}

// `apart`: no dimension is in both.
static Range plus(Range a, Range b, bool apart) {
  Range r = {.known = a.known && b.known, .ends = apart && a.ends && b.ends, .dense = apart && a.dense && b.dense};
  if (!r.known || __builtin_add_overflow(a.low, b.low, &r.low) || __builtin_add_overflow(a.high, b.high, &r.high))
    return unknown;
  return r;
}

static int64_t floor_div(int64_t a, int64_t m) { return a / m - (a % m < 0); }

static Range divided(Range a, int64_t m, bool up) {
  if (!a.known || a.low == INT64_MIN || a.high == INT64_MIN)
    return unknown;
  a.low = up ? -floor_div(-a.low, m) : floor_div(a.low, m);
  a.high = up ? -floor_div(-a.high, m) : floor_div(a.high, m);
  return a;
}

static Range modulo(Range a, int64_t m) {
  if (!a.known)
    return (Range){0, m - 1, true, false, false};
  if (floor_div(a.low, m) == floor_div(a.high, m)) {
    int64_t base = floor_div(a.low, m) * m;
    a.low -= base;
    a.high -= base;
    return a;
  }
  // Both sides of a multiple of m are attained, if all between the ends are.
  return (Range){0, m - 1, true, a.ends && a.dense, false};
}

static bool share_a_dim(const SnForm *f, MlirAffineExpr a, MlirAffineExpr b) {
  for (size_t d = 0; d < f->dims.size; ++d)
    if (mlirAffineExprIsFunctionOfDim(a, (intptr_t)d) && mlirAffineExprIsFunctionOfDim(b, (intptr_t)d))
      return true;
  return false;
}

// The factor of dimension d in a linear expression, whatever else it holds.
static bool linear(MlirAffineExpr e, int64_t scale, int64_t *factors, int64_t *constant) {
  int64_t c;
  if (mlirAffineExprIsAConstant(e))
    return !__builtin_mul_overflow(scale, mlirAffineConstantExprGetValue(e), &c) &&
           !__builtin_add_overflow(*constant, c, constant);
  if (mlirAffineExprIsADim(e)) {
    int64_t *factor = &factors[mlirAffineDimExprGetPosition(e)];
    return !__builtin_add_overflow(*factor, scale, factor);
  }
  if (mlirAffineExprIsAAdd(e))
    return linear(mlirAffineBinaryOpExprGetLHS(e), scale, factors, constant) &&
           linear(mlirAffineBinaryOpExprGetRHS(e), scale, factors, constant);
  if (!mlirAffineExprIsAMul(e) || !mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(e)))
    return false;
  return !__builtin_mul_overflow(scale, mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e)), &c) &&
         linear(mlirAffineBinaryOpExprGetLHS(e), c, factors, constant);
}

static Range of_dim(const SnForm *f, size_t d) {
  int64_t n = f->dims.data[d].size;
  return n == SN_DYNAMIC ? unknown : (Range){0, n - 1, true, true, true};
}

static Range range_of(const SnForm *f, MlirAffineExpr e) {
  // Linear: exact, also where a dimension is there more than once.
  int64_t *factors = sn_alloc((f->dims.size + 1) * sizeof *factors), constant = 0;
  Range r = unknown;
  bool is_linear = linear(e, 1, factors, &constant);
  if (is_linear) {
    r = point(constant);
    for (size_t d = 0; d < f->dims.size; ++d)
      if (factors[d])
        r = plus(r, times(of_dim(f, d), factors[d]), true);
  }
  free(factors);
  if (is_linear || !mlirAffineExprIsABinary(e))
    return r;
  MlirAffineExpr a = mlirAffineBinaryOpExprGetLHS(e), b = mlirAffineBinaryOpExprGetRHS(e);
  if (mlirAffineExprIsAAdd(e))
    return plus(range_of(f, a), range_of(f, b), !share_a_dim(f, a, b));
  int64_t c = mlirAffineConstantExprGetValue(b); // F3 was checked before
  if (mlirAffineExprIsAMul(e))
    return times(range_of(f, a), c);
  if (mlirAffineExprIsAMod(e))
    return modulo(range_of(f, a), c);
  return divided(range_of(f, a), c, mlirAffineExprIsACeilDiv(e));
}

// ---- the rules ---------------------------------------------------------------------

static bool is_affine(MlirAffineExpr e) {
  if (!mlirAffineExprIsABinary(e))
    return true;
  MlirAffineExpr a = mlirAffineBinaryOpExprGetLHS(e), b = mlirAffineBinaryOpExprGetRHS(e);
  if (mlirAffineExprIsAAdd(e))
    return is_affine(a) && is_affine(b);
  if (!mlirAffineExprIsAConstant(b))
    return false;
  return is_affine(a) && (mlirAffineExprIsAMul(e) || mlirAffineConstantExprGetValue(b) > 0);
}

static MlirLogicalResult check_map(const SnForm *f, size_t k, const SnAccess *a) {
  int64_t rank = sn_rank(sn_type_of(a->value));
  intptr_t subscripts = mlirAffineMapGetNumResults(a->map);
  if (subscripts != rank) // F3
    return sn_error(f->op, "%s has %td subscripts and rank %lld; give one for each dimension of %s",
                    sn_show_operand(f, k).text, subscripts, (long long)rank, sn_show_type(sn_type_of(a->value)).text);
  for (intptr_t s = 0; s < subscripts; ++s)
    if (!is_affine(mlirAffineMapGetResult(a->map, s))) // F3
      return sn_error(f->op,
                      "subscript %td of %s is not affine; multiply by constants, and divide by positive ones, only", s,
                      sn_show_operand(f, k).text);
  return SN_OK;
}

static MlirLogicalResult check_ranges(const SnForm *f, size_t k, const SnAccess *a) {
  for (size_t d = 0; d < f->dims.size; ++d)
    if (f->dims.data[d].size == 0)
      return SN_OK; // nothing is read
  for (intptr_t s = 0; s < mlirAffineMapGetNumResults(a->map); ++s) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, s);
    int64_t size = sn_dim(sn_type_of(a->value), s);
    Range r = range_of(f, e);
    if (mlirAffineExprIsASymbol(e) || !r.known || size == SN_DYNAMIC)
      continue;
    bool leaves = r.low < 0 || r.high >= size, never_inside = r.high < 0 || r.low >= size;
    if (r.ends ? leaves : never_inside) // F4
      return sn_error(f->op, "%s ranges over %lld..%lld in dimension %td of size %lld; %s", sn_show_operand(f, k).text,
                      (long long)r.low, (long long)r.high, s, (long long)size,
                      k < f->inputs.size ? "give the access a fill value (`else 0.0`) or change the subscript"
                                         : "change the subscript");
  }
  return SN_OK;
}

static MlirLogicalResult check_fill(const SnForm *f, size_t k, const SnAccess *a) {
  MlirType element = sn_element(sn_type_of(a->value));
  if (!mlirAttributeIsAFloat(a->fill) && !mlirAttributeIsAInteger(a->fill)) // F5
    return sn_error(f->op, "the fill value of %s is not a number; write one of type %s", sn_show_operand(f, k).text,
                    sn_show_type(element).text);
  MlirType fill = mlirAttributeGetType(a->fill);
  if (!mlirTypeEqual(fill, element)) // F5
    return sn_error(f->op, "the fill value of %s has type %s, and its elements have %s", sn_show_operand(f, k).text,
                    sn_show_type(fill).text, sn_show_type(element).text);
  return SN_OK;
}

// An expression that holds a symbol and is not one itself.
static bool hides_symbol(MlirAffineExpr e) {
  if (mlirAffineExprIsASymbol(e))
    return true;
  return mlirAffineExprIsABinary(e) &&
         (hides_symbol(mlirAffineBinaryOpExprGetLHS(e)) || hides_symbol(mlirAffineBinaryOpExprGetRHS(e)));
}

static MlirLogicalResult check_table(const SnForm *f, size_t k, const SnAccess *a) {
  if (a->fill.ptr) // F6
    return sn_error(f->op, "%s is a table and has a fill value; give it to each sinter.gather",
                    sn_show_operand(f, k).text);
  return SN_OK;
}

static MlirLogicalResult check_indirect(const SnForm *f, size_t k, const SnAccess *a, size_t *users) {
  if (sn_is_table(a))
    return check_table(f, k, a);
  intptr_t symbols = mlirAffineMapGetNumSymbols(a->map);
  for (intptr_t s = 0; s < mlirAffineMapGetNumResults(a->map); ++s) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, s);
    if (!mlirAffineExprIsASymbol(e) && hides_symbol(e)) // F6
      return sn_error(f->op, "subscript %td of %s computes with an index tensor; an indirect subscript stands alone", s,
                      sn_show_operand(f, k).text);
  }
  for (intptr_t symbol = 0; symbol < symbols; ++symbol) {
    int64_t index = mlirDenseI64ArrayGetElement(a->through, symbol);
    intptr_t uses = 0;
    for (intptr_t s = 0; s < mlirAffineMapGetNumResults(a->map); ++s) {
      MlirAffineExpr e = mlirAffineMapGetResult(a->map, s);
      uses += mlirAffineExprIsASymbol(e) && mlirAffineSymbolExprGetPosition(e) == symbol;
    }
    if (uses != 1) // F6
      return sn_error(f->op, "%s has symbol %td in %td subscripts; each indirect subscript has its own",
                      sn_show_operand(f, k).text, symbol, uses);
    MlirType type = sn_element(sn_type_of(f->indices.data[index].value));
    if (!sn_is_int(type)) // F6
      return sn_error(f->op, "index tensor %lld has elements of type %s; an index is an integer", (long long)index,
                      sn_show_type(type).text);
    ++users[index];
  }
  return SN_OK;
}

// F7: where the size of a dimension `?` can be read from.
static MlirLogicalResult check_dynamic(const SnForm *f) {
  for (size_t d = 0; d < f->dims.size; ++d) {
    bool found = f->dims.data[d].size != SN_DYNAMIC;
    for (size_t k = 0; !found && k < (size_t)sn_num_operands(f->op); ++k) {
      const SnAccess *a = sn_form_access(f, k);
      for (intptr_t s = 0; !a->fill.ptr && s < mlirAffineMapGetNumResults(a->map); ++s)
        found |= sn_map_dim(a->map, s) == (intptr_t)d;
    }
    if (!found) // F7
      return sn_error(
          f->op, "the size of dimension '%.*s' is `?`, and no operand without a fill value has it as a plain subscript",
          (int)f->dims.data[d].name.length, f->dims.data[d].name.data);
  }
  return SN_OK;
}

MlirLogicalResult sn_verify_accesses(const SnForm *f) {
  MlirLogicalResult result = SN_OK;
  size_t n = (size_t)sn_num_operands(f->op);
  for (size_t k = 0; k < n && !sn_failed(result); ++k)
    result = check_map(f, k, sn_form_access(f, k));
  size_t *users = sn_alloc((f->indices.size + 1) * sizeof *users);
  for (size_t k = 0; k < f->inputs.size && !sn_failed(result); ++k)
    result = check_indirect(f, k, &f->inputs.data[k], users);
  for (size_t i = 0; i < f->indices.size && !sn_failed(result); ++i)
    if (users[i] != 1) // F6
      result = sn_error(f->op, "index tensor %zu is in %zu subscripts; give each indirect subscript one of its own", i,
                        users[i]);
  free(users);
  for (size_t k = 0; k < n && !sn_failed(result); ++k) {
    const SnAccess *a = sn_form_access(f, k);
    result = a->fill.ptr ? check_fill(f, k, a) : check_ranges(f, k, a);
  }
  return sn_failed(result) ? result : check_dynamic(f);
}
