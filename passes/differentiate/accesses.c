// accesses.c: how the gradient of an input goes back to where the input was read.
//
//   %x[i, j]                     ->  %dx[i, j], a row for each row
//   %b[j]                        ->  reduce(add [j]) ... %db[j]
//
// Everything else is written as it was read, %t[i, j, ...], and taken back in a form of its own over the input's
// dimensions p, q, ...:
//
//   %x[i, j + 3]                 ->  %dx[p, q] = %t[p, q - 3] else 0
//   %s[g, c] of (b, g) by (c, k) ->  %ds[p, q] = the sum of %t[b, p, q, k] over b and k
//   %x[i, g * 4 + c]             ->  %dx[p, q] = %t[p, q floordiv 4, q mod 4]
//   %x[j floordiv 4, j mod 4]    ->  %dx[p, q] = %t[p * 4 + q]
//   %x[j floordiv 4]             ->  %dx[p] = the sum of %t[p * 4 + k] over k
//   %x[(j - 1) floordiv 2]       ->  %dx[p] = the sum of %t[p * 2 + k + 1] over k
//   %x[i, j * 2 + k - 1]         ->  %dx[p, q] = the sum of %t[p, (q + 1) floordiv 2 - k, (q + 1) mod 2 + k * 2] over k
//   %x[i, i + 1]                 ->  %dx[p, q] = %t[p] where q - p is 1, else 0
//   %x[i, j * 2 + k * 4 - 1]     ->  %dx[p, q] = the sum of %t[p, (q - k * 4 + 1) floordiv 2, k] over k, where 2
//   divides
//
// Through an index, or where an element may be read at several places, they are added up one by one (scattered.c).
//
// runs in: differentiate    test: test/passes/differentiate/accesses.mlir

#include "passes/differentiate/differentiate.h"
#include "passes/merge/merge.h"
#include <assert.h>

// ---- small forms --------------------------------------------------------------------------

MlirValue sn_empty_like(SnBuilder *b, MlirType t, MlirValue like) {
  SnValueVec sizes = {0};
  for (intptr_t p = 0; p < sn_rank(t); ++p)
    if (sn_dim(t, p) == SN_DYNAMIC)
      sn_push(&sizes, sn(b, "tensor.dim", like, sn_index(b, p)));
  MlirValue e = sn(b, "tensor.empty", t, sn_values((intptr_t)sizes.size, sizes.data));
  sn_vec_free(&sizes);
  return e;
}

static void push_dim(SnForm *f, MlirContext ctx, int64_t size) {
  SnDim d = {sn_fresh_name(ctx, f, "d"), size};
  sn_push(&f->dims, d);
}

MlirValue sn_elementwise_form(SnBuilder *b, MlirType element, MlirValue like, intptr_t n, const MlirValue *values,
                              const MlirAffineMap *maps, bool bounded, double number) {
  MlirType t = sn_tensor_like(sn_type_of(like), element);
  intptr_t rank = sn_rank(t);
  SnForm f = {.num_rows = rank ? rank - 1 : 0, .num_cols = rank ? 1 : 0};
  for (intptr_t p = 0; p < rank; ++p)
    push_dim(&f, b->ctx, sn_dim(t, p));
  MlirAffineMap all = mlirAffineMapMultiDimIdentityGet(b->ctx, rank);
  for (intptr_t k = 0; k < n; ++k) {
    MlirType e = sn_element(sn_type_of(values[k]));
    SnAccess in = {.value = values[k], .map = maps ? maps[k] : all};
    if (bounded)
      in.fill = mlirFloatAttrDoubleGet(b->ctx, e, 0);
    sn_push(&f.inputs, in);
  }
  SnAccess out = {.value = sn_empty_like(b, t, like), .map = all};
  sn_push(&f.outputs, out);
  MlirOperation made = sn_form_create(b, &f, false);
  SnBuilder in = sn_at_end(f.body, b->loc);
  MlirValue v = n ? sn_to_float(&in, sn_input_argument(&f, 0), n > 1 ? sn_wide_type(element) : element)
                  : sn_float(&in, element, number);
  for (intptr_t k = 1; k < n; ++k) {
    MlirValue both[] = {v, sn_to_float(&in, sn_input_argument(&f, (size_t)k), sn_wide_type(element))};
    v = sn_row_op(&in, "arith.addf", (MlirType){0}, 2, both);
  }
  v = sn_to_float(&in, v, element);
  sn_op(&in, "sinter.yield", rank ? sn_as_row(&in, v, sn_row_type(&f, element)) : v, sn_types(0, NULL));
  sn_form_free(&f);
  return sn_result(made, 0);
}

// ---- where an element was read -----------------------------------------------------------

// What a subscript of the input is: offset + sum of factor * dimension, or ((dimension + offset) floordiv by) mod
// modulus.
typedef struct {
  int64_t offset;
  int64_t factors[SN_MAX_DIMS]; // of each dimension
  bool digit;
  intptr_t dim;        // of a digit
  int64_t by, modulus; // modulus 0: none
} Subscript;

static bool read_digit(MlirAffineExpr e, intptr_t dims, Subscript *s) {
  s->digit = true;
  s->by = 1;
  if (mlirAffineExprIsAMod(e)) {
    s->modulus = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e));
    e = mlirAffineBinaryOpExprGetLHS(e);
  }
  if (mlirAffineExprIsAFloorDiv(e)) {
    s->by = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e));
    e = mlirAffineBinaryOpExprGetLHS(e);
  }
  int64_t factors[SN_MAX_DIMS] = {0}, sum = 0;
  if (!sn_read_linear(e, 1, &s->offset, factors))
    return false;
  for (intptr_t d = 0; d < dims; ++d) {
    sum += factors[d] == 1 ? 1 : factors[d] ? 2 : 0;
    if (factors[d])
      s->dim = d;
  }
  return sum == 1;
}

// ---- and back ------------------------------------------------------------------------------

// Over the input's dimensions, then others that are summed over: which element of what was written belongs to one of
// the input's. Where `zero` is not 0 (or no multiple of `multiple`) none does.
typedef struct {
  MlirAffineExpr zero;
  int64_t multiple;
} Check;
typedef struct {
  MlirContext ctx;
  const SnForm *f;
  intptr_t rank; // of the input
  Subscript *subscripts;
  MlirAffineExpr dims[SN_MAX_DIMS]; // of each dimension of the form; null while not known
  SN_VEC(int64_t) summed;           // sizes of what is summed over: dimensions of the form, or digits of one
  SN_VEC(Check) checks;
} Back;

static MlirAffineExpr constant(const Back *k, int64_t n) { return mlirAffineConstantExprGet(k->ctx, n); }
static MlirAffineExpr times(const Back *k, MlirAffineExpr e, int64_t n) {
  return mlirAffineMulExprGet(e, constant(k, n));
}
static MlirAffineExpr divided(const Back *k, MlirAffineExpr e, int64_t n) {
  return n == 1 ? e : mlirAffineFloorDivExprGet(e, constant(k, n));
}

// One more that is summed over.
static MlirAffineExpr sum_over(Back *k, int64_t size) {
  sn_push(&k->summed, size);
  return mlirAffineDimExprGet(k->ctx, k->rank + (intptr_t)k->summed.size - 1);
}

// The subscript that is the lowest digit of d from `below` on; -1: there is none.
static intptr_t next_digit(const Back *k, intptr_t d, int64_t below) {
  intptr_t found = -1;
  for (intptr_t p = 0; p < k->rank; ++p) {
    const Subscript *s = &k->subscripts[p];
    if (s->digit && s->dim == d && s->by >= below && (found < 0 || s->by < k->subscripts[found].by))
      found = p;
  }
  return found;
}

// The digits of one dimension: d + offset = sum of by * subscript. Those that no subscript has are summed over.
static bool join_digits(Back *k, MlirType t, intptr_t d) {
  int64_t below = 1, size = k->f->dims.data[d].size; // what the digits found so far count up to
  intptr_t first = next_digit(k, d, below);
  int64_t offset = k->subscripts[first].offset;
  MlirAffineExpr sum = constant(k, -offset);
  for (intptr_t p; (p = next_digit(k, d, below)) >= 0;) {
    const Subscript *s = &k->subscripts[p];
    if (s->by % below || s->offset != offset || (s->modulus && s->modulus != sn_dim(t, p)))
      return false;
    if (s->by > below)
      sum = mlirAffineAddExprGet(sum, times(k, sum_over(k, s->by / below), below));
    sum = mlirAffineAddExprGet(sum, times(k, mlirAffineDimExprGet(k->ctx, p), s->by));
    k->dims[d] = sum;
    if (!s->modulus)
      return true;
    below = sn_times(s->by, s->modulus);
    if (below < 2)
      return false;
  }
  if (size == SN_DYNAMIC || below < 1 || offset)
    return false;
  if (size > below)
    k->dims[d] = mlirAffineAddExprGet(sum, times(k, sum_over(k, (size + below - 1) / below), below));
  return true;
}

// Whether p - offset has the dimensions as its digits: factors 12, 4, 1 of sizes ?, 3, 4.
static bool split_digits(Back *k, const Subscript *s, MlirAffineExpr at) {
  int64_t below = 1;
  for (size_t left = 0;; ++left) {
    intptr_t found = -1, n = 0;
    for (intptr_t d = 0; d < (intptr_t)k->f->dims.size; ++d) {
      n += s->factors[d] != 0;
      if (s->factors[d] == below && found < 0)
        found = d;
    }
    if (found < 0)
      return false;
    int64_t size = k->f->dims.data[found].size;
    bool last = (intptr_t)left + 1 == n;
    if (!last && (size == SN_DYNAMIC || size < 2))
      return false;
    k->dims[found] = divided(k, at, below);
    if (last)
      return true;
    k->dims[found] = mlirAffineModExprGet(k->dims[found], constant(k, size));
    below = sn_times(below, size);
  }
}

// The dimension that follows from the subscript and the others: the largest, of a window its place.
static intptr_t largest_of(const Back *k, const Subscript *s) {
  intptr_t largest = -1;
  for (intptr_t d = 0; d < (intptr_t)k->f->dims.size; ++d) {
    int64_t size = k->f->dims.data[d].size, most = largest < 0 ? 0 : k->f->dims.data[largest].size;
    if (s->factors[d] && (largest < 0 || (most != SN_DYNAMIC && (size == SN_DYNAMIC || size > most))))
      largest = d;
  }
  return largest;
}

// One that the subscript counts one by one, of a known size: of a window's taps only every `step`th is at a place.
static intptr_t counted(const Back *k, const Subscript *s, intptr_t solved, int64_t step) {
  for (intptr_t d = 0; step > 1 && d < (intptr_t)k->f->dims.size; ++d)
    if (d != solved && s->factors[d] == 1 && k->f->dims.data[d].size > 0)
      return d;
  return -1;
}

// One dimension follows, the others are summed over. at = step * place + tap: the taps of one place are at mod step and
// every one that is a step further, of the place in front of it. (One that is behind the last is outside.)
static void solve(Back *k, const Subscript *s, MlirAffineExpr at) {
  intptr_t solved = largest_of(k, s);
  int64_t step = s->factors[solved];
  intptr_t tap = counted(k, s, solved, step);
  for (intptr_t d = 0; d < (intptr_t)k->f->dims.size; ++d)
    if (s->factors[d] && d != solved && d != tap) {
      k->dims[d] = sum_over(k, k->f->dims.data[d].size);
      at = mlirAffineAddExprGet(at, times(k, k->dims[d], -s->factors[d]));
    }
  if (tap >= 0) {
    MlirAffineExpr turn = sum_over(k, sn_pieces(k->f->dims.data[tap].size, step));
    k->dims[tap] = mlirAffineAddExprGet(mlirAffineModExprGet(at, constant(k, step)), times(k, turn, step));
    k->dims[solved] = mlirAffineAddExprGet(divided(k, at, step), times(k, turn, -1));
    return;
  }
  if (step != 1 && step != -1)
    sn_push(&k->checks, (Check){at, step < 0 ? -step : step});
  k->dims[solved] = divided(k, step < 0 ? times(k, at, -1) : at, step < 0 ? -step : step);
}

static bool no_route(const SnForm *f, size_t input, const char *why) {
  sn_error(f->op, "input %zu has no gradient here: %s", input, why);
  return false;
}

// Every subscript that uses dimension d is a multiple of it alone: a diagonal.
static bool is_diagonal(const SnForm *f, const Subscript *s, intptr_t rank, size_t d) {
  for (intptr_t p = 0; p < rank; ++p) {
    if (s[p].digit ? s[p].dim == (intptr_t)d : !s[p].factors[d])
      continue;
    for (size_t e = 0; e < f->dims.size; ++e)
      if (s[p].digit || (e != d && s[p].factors[e]))
        return false;
  }
  return true;
}

// False, without an error, where a subscript is neither a sum of dimensions nor a digit of one, or two use one
// dimension and are no diagonal.
static bool read_subscripts(const SnForm *f, size_t input, Subscript *to) {
  const SnAccess *a = &f->inputs.data[input];
  int uses[SN_MAX_DIMS] = {0};
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(a->map); ++p) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, p);
    Subscript linear = {0}, digit = {0};
    if (!sn_read_linear(e, 1, &linear.offset, linear.factors) && !read_digit(e, (intptr_t)f->dims.size, &digit))
      return false;
    to[p] = digit.digit ? digit : linear;
    for (size_t d = 0; d < f->dims.size; ++d)
      uses[d] += !digit.digit && linear.factors[d] ? 2 : digit.digit && digit.dim == (intptr_t)d;
  }
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(a->map); ++p)
    for (size_t d = 0; d < f->dims.size; ++d)
      if (!to[p].digit && to[p].factors[d] && uses[d] > 2 && !is_diagonal(f, to, mlirAffineMapGetNumResults(a->map), d))
        return false;
  return true;
}

// Finds each dimension that `written` uses. False, without an error, where one does not follow.
static bool find_back(Back *k, const SnForm *f, size_t input, MlirAffineMap written) {
  MlirType t = sn_type_of(f->inputs.data[input].value);
  for (intptr_t p = 0; p < k->rank; ++p) {
    const Subscript *s = &k->subscripts[p];
    MlirAffineExpr at = mlirAffineAddExprGet(mlirAffineDimExprGet(k->ctx, p), constant(k, -s->offset));
    bool uses = false, known = false;
    for (size_t d = 0; d < f->dims.size; ++d) {
      uses |= !s->digit && s->factors[d];
      if (s->digit || !s->factors[d] || !k->dims[d].ptr)
        continue;
      known = true; // off the diagonal there is nothing
      sn_push(&k->checks, (Check){mlirAffineAddExprGet(at, times(k, k->dims[d], -s->factors[d])), 0});
    }
    if (s->digit && !k->dims[s->dim].ptr && !join_digits(k, t, s->dim))
      return false;
    if (!s->digit && !uses && (s->offset || sn_dim(t, p) != 1))
      sn_push(&k->checks, (Check){at, 0});
    if (uses && !known && !split_digits(k, s, at))
      solve(k, s, at);
  }
  for (size_t d = 0; d < f->dims.size; ++d)
    if (!k->dims[d].ptr && sn_map_uses(written, (intptr_t)d))
      k->dims[d] = sum_over(k, f->dims.data[d].size);
  return true;
}

// ---- routes -------------------------------------------------------------------------------

// The dimensions of these rows and columns, in order.
static MlirAffineMap written_map(const SnForm *f, MlirContext ctx, bool rows, bool columns) {
  MlirAffineExpr all[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t d = 0; d < f->num_rows + f->num_cols; ++d)
    if (sn_is_row_dim(f, d) ? rows : columns)
      all[n++] = mlirAffineDimExprGet(ctx, d);
  return mlirAffineMapGet(ctx, (intptr_t)f->dims.size, 0, n, all);
}

bool sn_find_route(const SnForm *f, size_t input, SnRoute *to) {
  const SnAccess *a = &f->inputs.data[input];
  MlirType t = sn_type_of(a->value);
  assert(!sn_is_table(a) && "a table's gradient goes back in gathered.c");
  intptr_t rank = sn_rank(t), n = (intptr_t)f->dims.size;
  if (rank > 64 || n > 64)
    return no_route(f, input, "it has more than 64 dimensions");
  // As it stands: each subscript a dimension of its own and of its size, or the only element. Sizes of which one is
  // `?` are the same: the program checks that (lowering/host/check_sizes.c).
  bool seen[SN_MAX_DIMS] = {false}, rows = false, columns = false, plain = !a->fill.ptr && !a->through.ptr;
  for (intptr_t d = 0; d < f->num_rows + f->num_cols; ++d)
    *(sn_is_row_dim(f, d) ? &rows : &columns) |= sn_access_uses(f, a, d);
  for (intptr_t p = 0; p < rank; ++p) {
    intptr_t d = sn_map_dim(a->map, p);
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, p);
    int64_t size = d >= 0 ? f->dims.data[d].size : 1;
    plain &= d >= 0 ? !seen[d] && (size == sn_dim(t, p) || size == SN_DYNAMIC || sn_dim(t, p) == SN_DYNAMIC)
                    : mlirAffineExprIsAConstant(e) && mlirAffineConstantExprGetValue(e) == 0 && sn_dim(t, p) == 1;
    if (d >= 0)
      seen[d] = true;
  }
  for (intptr_t d = 0; d < f->num_rows + f->num_cols; ++d)
    plain &= seen[d] || !(sn_is_row_dim(f, d) ? rows : columns);
  to->exact = plain;
  to->scattered = false;
  to->sum = !rows && f->num_rows;
  to->map = plain ? a->map : written_map(f, mlirOperationGetContext(f->op), rows, columns);
  if (plain)
    return true;
  Back back = {.ctx = mlirOperationGetContext(f->op),
               .f = f,
               .rank = rank,
               .subscripts = sn_alloc((size_t)(rank + 1) * sizeof(Subscript))};
  bool ok = !a->through.ptr && read_subscripts(f, input, back.subscripts) && find_back(&back, f, input, to->map);
  to->scattered = !ok;
  if (!ok)
    ok = sn_can_scatter(f, input) ||
         no_route(f, input, "a subscript has no value in a row program; reshape it in a form of its own");
  free(back.subscripts);
  sn_vec_free(&back.summed);
  sn_vec_free(&back.checks);
  return ok;
}

MlirValue sn_route_destination(SnBuilder *b, const SnForm *f, size_t input, const SnRoute *to, MlirType element) {
  MlirValue like = f->inputs.data[input].value;
  if (to->exact)
    return sn_empty_like(b, sn_tensor_like(sn_type_of(like), element), like);
  return sn_empty_at(b, f, to->map, sn_wide_type(element));
}

// Whether the element belongs to the one that the form stands at.
static MlirValue emit_checks(SnBuilder *b, const SnForm *f, const Back *k) {
  MlirValue all = {0};
  for (size_t c = 0; c < k->checks.size; ++c) {
    MlirValue at[] = {sn_affine_value(b, f, k->checks.data[c].zero), sn_index(b, k->checks.data[c].multiple)},
              zero = sn_index(b, 0);
    if (k->checks.data[c].multiple)
      at[0] = sn_row_op(b, "arith.remsi", (MlirType){0}, 2, at);
    if (sn_is_row(at[0]))
      zero = sn_as_row(b, zero, sn_type_of(at[0]));
    MlirValue both[] = {all, sn(b, "arith.cmpi", at[0], zero, sn_attr("predicate", sn_i64(b->ctx, 0 /* eq */)))};
    all = sn_none(all) ? both[1] : sn_row_op(b, "arith.andi", (MlirType){0}, 2, both);
  }
  return all;
}

// What is summed over comes before all else, and all else is the input's dimensions as they are.
static bool sums_in_front(const SnForm *f, const Back *k, MlirAffineMap written) {
  bool behind = false;
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(written); ++p) {
    intptr_t d = sn_map_dim(written, p);
    bool summed = mlirAffineExprIsADim(k->dims[d]) && mlirAffineDimExprGetPosition(k->dims[d]) >= k->rank;
    if (!mlirAffineExprIsADim(k->dims[d]) || (summed && behind))
      return false;
    behind |= !summed;
  }
  return behind;
}

static MlirAffineExpr replaced(MlirAffineExpr e, intptr_t dims, intptr_t to_dims, const MlirAffineExpr *exprs) {
  return mlirAffineMapGetResult(
      sn_map_replace(mlirAffineMapGet(mlirAffineExprGetContext(e), dims, 0, 1, &e), to_dims, exprs), 0);
}

// Each dimension of the input has as its digits the next dimensions of what was written, in order: it is the same in
// another shape. One of size `?` is one of what was written. Null where it is not.
static MlirAttribute collapses(SnBuilder *b, const SnForm *f, size_t input, const SnRoute *to, MlirType made,
                               const Subscript *subscripts) {
  MlirType t = sn_type_of(f->inputs.data[input].value);
  intptr_t at = 0, n = mlirAffineMapGetNumResults(to->map);
  MlirAttribute groups[SN_MAX_DIMS];
  if (f->inputs.data[input].fill.ptr || n != sn_rank(made))
    return mlirAttributeGetNull();
  for (intptr_t p = 0; p < sn_rank(t); ++p) {
    const Subscript *s = &subscripts[p];
    MlirAttribute places[SN_MAX_DIMS];
    int64_t below = sn_dim(t, p);
    intptr_t first = at;
    if (below == SN_DYNAMIC) {
      intptr_t d = at < n && sn_dim(made, at) == SN_DYNAMIC ? sn_map_dim(to->map, at) : -1;
      if (d < 0 || sn_map_dim(f->inputs.data[input].map, p) != d)
        return mlirAttributeGetNull();
      places[0] = sn_i64(b->ctx, at++);
      below = 1;
    }
    for (; at < n && !s->digit && below > 0 && (below > 1 || at == first); ++at) {
      intptr_t d = sn_map_dim(to->map, at);
      int64_t size = f->dims.data[d].size;
      if (size < 1 || below % size || s->factors[d] != below / size)
        return mlirAttributeGetNull();
      below /= size;
      places[at - first] = sn_i64(b->ctx, at);
    }
    if (s->digit || s->offset || below != 1 || at == first)
      return mlirAttributeGetNull();
    groups[p] = mlirArrayAttrGet(b->ctx, at - first, places);
  }
  return at == n ? mlirArrayAttrGet(b->ctx, sn_rank(t), groups) : mlirAttributeGetNull();
}

// The subscript is never outside of a dimension of this size.
static bool stays_inside(const SnForm *g, MlirAffineExpr e, int64_t size) {
  int64_t sizes[SN_MAX_DIMS], low, high;
  for (size_t d = 0; d < g->dims.size; ++d)
    sizes[d] = g->dims.data[d].size;
  if (mlirAffineExprIsADim(e))
    return sizes[mlirAffineDimExprGetPosition(e)] == size;
  return size != SN_DYNAMIC && sn_affine_range(e, sizes, &low, &high) && low >= 0 && high < size;
}

// The subscript is a dimension of the input of a size `?`, and the form may read outside of it: nothing says that there
// are as many elements of what was made.
static bool may_be_longer(const SnForm *g, const SnAccess *a, MlirAffineExpr e, intptr_t first) {
  intptr_t d = mlirAffineExprIsADim(e) ? mlirAffineDimExprGetPosition(e) : -1;
  return a->fill.ptr && d >= first && d < first + sn_rank(sn_type_of(a->value)) && g->dims.data[d].size == SN_DYNAMIC;
}

// The dimension that subscript p of the input is, where their sizes agree: one of them is `?`, and the program compares
// them (lowering/host/check_sizes.c). -1: there is none.
static intptr_t compared_dim(const SnForm *f, const SnAccess *a, intptr_t p) {
  intptr_t d = sn_map_dim(a->map, p);
  bool known = d >= 0 && f->dims.data[d].size != SN_DYNAMIC && sn_dim(sn_type_of(a->value), p) != SN_DYNAMIC;
  return a->fill.ptr || known ? -1 : d;
}

// What of the input's dimension p is read: all of it, whose size the form may know where the input does not.
static int64_t read_size(const SnForm *f, const SnAccess *a, intptr_t p) {
  int64_t size = sn_dim(sn_type_of(a->value), p);
  intptr_t d = compared_dim(f, a, p);
  return size == SN_DYNAMIC && d >= 0 ? f->dims.data[d].size : size;
}

// Dimension d of the form is a dimension of the input as a whole.
static bool is_whole(const SnForm *f, const SnAccess *a, intptr_t d) {
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(a->map); ++p)
    if (d >= 0 && compared_dim(f, a, p) == d)
      return true;
  return false;
}

// The dimension of size `?` that was written and that the gradient is summed over, as a dimension of its own; -1 where
// there is none.
static intptr_t unknown_sum(const SnForm *f, const Back *k, MlirAffineMap written) {
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d)
    if (f->dims.data[d].size == SN_DYNAMIC && sn_map_uses(written, d) && mlirAffineExprIsADim(k->dims[d]) &&
        mlirAffineDimExprGetPosition(k->dims[d]) >= k->rank)
      return d;
  return -1;
}

// What was written by `*map`, summed over dimension d of the form, which leaves the map.
static MlirValue summed_over(SnBuilder *b, const SnForm *f, intptr_t d, MlirValue made, MlirAffineMap *map) {
  SnForm g = {0};
  MlirAffineExpr out[SN_MAX_DIMS], in[SN_MAX_DIMS], kept[SN_MAX_DIMS];
  intptr_t n = mlirAffineMapGetNumResults(*map);
  for (intptr_t p = 0; p < n; ++p) {
    intptr_t e = sn_map_dim(*map, p);
    in[p] = mlirAffineDimExprGet(b->ctx, e == d ? n - 1 : g.num_rows);
    if (e == d)
      continue;
    kept[g.num_rows] = mlirAffineMapGetResult(*map, p);
    out[g.num_rows++] = in[p];
    push_dim(&g, b->ctx, f->dims.data[e].size);
  }
  push_dim(&g, b->ctx, f->dims.data[d].size);
  g.num_cols = 1;
  MlirType is = sn_element(sn_type_of(made));
  *map = mlirAffineMapGet(b->ctx, (intptr_t)f->dims.size, 0, g.num_rows, kept);
  sn_push(&g.inputs, ((SnAccess){.value = made, .map = mlirAffineMapGet(b->ctx, n, 0, n, in)}));
  sn_push(&g.outputs, ((SnAccess){.value = sn_empty_at(b, f, *map, is),
                                  .map = mlirAffineMapGet(b->ctx, n, 0, g.num_rows, out)}));
  MlirOperation op = sn_form_create(b, &g, false);
  SnBuilder body = sn_at_end(g.body, b->loc);
  sn_op(&body, "sinter.yield", sn_row_reduce(&body, "add", sn_input_argument(&g, 0), is), sn_types(0, NULL));
  sn_form_free(&g);
  return sn_result(op, 0);
}

MlirValue sn_route_finish(SnBuilder *b, const SnForm *f, size_t input, const SnRoute *to, MlirValue made,
                          MlirType element) {
  if (to->exact)
    return made;
  if (to->scattered)
    return sn_scatter_gradient(b, f, f, input, to->map, made, element);
  SnAccess read = f->inputs.data[input];
  const SnAccess *a = &read;
  if (sn_always_inside(f, a)) // bounds that say nothing hide no size
    read.fill = mlirAttributeGetNull();
  MlirValue like = a->value;
  MlirType t = sn_tensor_like(sn_type_of(like), element), is = sn_element(sn_type_of(made));
  intptr_t rank = sn_rank(t);
  Back back = {.ctx = b->ctx, .f = f, .rank = rank, .subscripts = sn_alloc((size_t)(rank + 1) * sizeof(Subscript))};
  bool ok = read_subscripts(f, input, back.subscripts) && find_back(&back, f, input, to->map);
  assert(ok && "sn_find_route found it");
  (void)ok;
  MlirAttribute groups = collapses(b, f, input, to, sn_type_of(made), back.subscripts);
  if (groups.ptr) {
    free(back.subscripts);
    sn_vec_free(&back.summed);
    sn_vec_free(&back.checks);
    return sn(b, "tensor.collapse_shape", made, sn_tensor_like(t, is), sn_attr("reassociation", groups));
  }
  // Rows are elements of the input, columns what is summed over; without any, the last dimension is the column. What is
  // summed over in front of all else are rows, as raising has it: it then joins the kernel that walks those.
  SnForm g = {0};
  intptr_t sums = (intptr_t)back.summed.size;
  bool over_rows = sums && rank && !back.checks.size && sums_in_front(f, &back, to->map);
  intptr_t unknown = unknown_sum(f, &back, to->map);
  MlirAffineExpr places[SN_MAX_DIMS], all[SN_MAX_DIMS];
  g.num_rows = over_rows ? sums : sums ? rank : rank ? rank - 1 : 0;
  for (intptr_t d = 0; d < rank + sums; ++d) {
    intptr_t at =
        over_rows ? (d < sums ? rank + d : d - sums) : d; // of `back`: the input's dimensions, then the others
    places[at] = mlirAffineDimExprGet(b->ctx, d);
    push_dim(&g, b->ctx, at < rank ? read_size(f, a, at) : back.summed.data[at - rank]);
  }
  intptr_t n = (intptr_t)g.dims.size;
  g.num_cols = n - g.num_rows;
  for (size_t d = 0; d < f->dims.size; ++d)
    back.dims[d] =
        back.dims[d].ptr ? replaced(back.dims[d], rank + sums, n, places) : mlirAffineConstantExprGet(b->ctx, 0);
  SnAccess in = {.value = made, .map = sn_map_replace(to->map, n, back.dims)};
  for (intptr_t p = 0; p < rank; ++p)
    all[p] = places[p];
  SnAccess out = {.value = sn_empty_like(b, t, like), .map = mlirAffineMapGet(b->ctx, n, 0, rank, all)};
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(in.map); ++p) {
    MlirAffineExpr e = mlirAffineMapGetResult(in.map, p);
    if (!is_whole(f, a, sn_map_dim(to->map, p)) && (!stays_inside(&g, e, sn_dim(sn_type_of(made), p)) ||
                                                    may_be_longer(&g, a, e, over_rows ? sums : 0)))
      in.fill = mlirFloatAttrDoubleGet(b->ctx, is, 0);
  }
  sn_push(&g.inputs, in);
  sn_push(&g.outputs, out);
  if (unknown >= 0 && !sn_sizes_known(&g)) { // what is read may be outside, so nobody says how many are summed
    SnRoute rest = *to;
    free(back.subscripts);
    sn_vec_free(&back.summed);
    sn_vec_free(&back.checks);
    sn_form_free(&g);
    MlirValue sum = summed_over(b, f, unknown, made, &rest.map);
    return sn_route_finish(b, f, input, &rest, sum, element);
  }
  SnAccumulator acc = {SN_STR("add"), out.map, is};
  if (over_rows)
    sn_push(&g.accumulators, acc);
  MlirOperation op = sn_form_create(b, &g, over_rows && !mlirTypeEqual(is, element));
  SnBuilder body = sn_at_end(g.body, b->loc);
  MlirValue v = sn_input_argument(&g, 0), checks = emit_checks(&body, &g, &back);
  if (!sn_none(checks)) {
    if (sn_is_row(checks))
      v = sn_as_row(&body, v, sn_type_of(checks));
    MlirValue chosen[] = {checks, v, sn_float(&body, is, 0)};
    v = sn_row_op(&body, "arith.select", (MlirType){0}, 3, chosen);
  }
  if (sums && !over_rows)
    v = sn_row_reduce(&body, "add", sn_as_row(&body, v, sn_row_type(&g, is)), is);
  if (g.finish.ptr) {
    SnBuilder finish = sn_at_end(g.finish, b->loc);
    sn_op(&finish, "sinter.yield", sn_to_float(&finish, mlirBlockGetArgument(g.finish, 0), element), sn_types(0, NULL));
  } else {
    v = sn_to_float(&body, v, element);
  }
  sn_op(&body, "sinter.yield",
        sn_uses_cols(&g, out.map) ? sn_as_row(&body, v, sn_row_type(&g, sn_element(sn_type_of(v)))) : v,
        sn_types(0, NULL));
  free(back.subscripts);
  sn_vec_free(&back.summed);
  sn_vec_free(&back.checks);
  sn_form_free(&g);
  return sn_result(op, 0);
}
