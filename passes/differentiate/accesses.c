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

#include "passes/differentiate/back.h"
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

// ---- routes -------------------------------------------------------------------------------

static bool no_route(const SnForm *f, size_t input, const char *why) {
  sn_error(f->op, "input %zu has no gradient here: %s", input, why);
  return false;
}

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
  SnBack back = {0};
  bool ok = !a->through.ptr && sn_find_back(&back, f, input, to->map);
  to->scattered = !ok;
  if (!ok)
    ok = sn_can_scatter(f, input) ||
         no_route(f, input, "a subscript has no value in a row program; reshape it in a form of its own");
  sn_back_free(&back);
  return ok;
}

MlirValue sn_route_destination(SnBuilder *b, const SnForm *f, size_t input, const SnRoute *to, MlirType element) {
  MlirValue like = f->inputs.data[input].value;
  if (to->exact)
    return sn_empty_like(b, sn_tensor_like(sn_type_of(like), element), like);
  return sn_empty_at(b, f, to->map, sn_wide_type(element));
}

// Whether the element belongs to the one that the form stands at.
static MlirValue emit_checks(SnBuilder *b, const SnForm *f, const SnBack *k) {
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
static bool sums_in_front(const SnForm *f, const SnBack *k, MlirAffineMap written) {
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
                               const SnSubscript *subscripts) {
  MlirType t = sn_type_of(f->inputs.data[input].value);
  intptr_t at = 0, n = mlirAffineMapGetNumResults(to->map);
  MlirAttribute groups[SN_MAX_DIMS];
  if (f->inputs.data[input].fill.ptr || n != sn_rank(made))
    return mlirAttributeGetNull();
  for (intptr_t p = 0; p < sn_rank(t); ++p) {
    const SnSubscript *s = &subscripts[p];
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
static intptr_t unknown_sum(const SnForm *f, const SnBack *k, MlirAffineMap written) {
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

// The form that takes what was written back. Rows are elements of the input, columns what is summed over; without any,
// the last dimension is the column. What is summed over in front of all else are rows, as raising has it: it then joins
// the kernel that walks those.
typedef struct {
  const SnForm *f; // the forward one
  SnAccess read;   // its input
  SnBack back;
  SnForm g;
  intptr_t rank, sums; // dimensions of the input, and those that are summed over
  bool over_rows;      // the latter are rows
  MlirType is;         // the element of what was written
} Taken;

static void lay_out(Taken *t, SnBuilder *b, MlirAffineMap written, MlirValue made, MlirType element) {
  const SnForm *f = t->f;
  MlirAffineExpr places[SN_MAX_DIMS];
  intptr_t rank = t->rank, sums = t->sums;
  t->g.num_rows = t->over_rows ? sums : sums ? rank : rank ? rank - 1 : 0;
  for (intptr_t d = 0; d < rank + sums; ++d) {
    intptr_t at = !t->over_rows ? d : d < sums ? rank + d : d - sums; // of `back`: the input's, then the others
    places[at] = mlirAffineDimExprGet(b->ctx, d);
    push_dim(&t->g, b->ctx, at < rank ? read_size(f, &t->read, at) : t->back.summed.data[at - rank]);
  }
  intptr_t n = (intptr_t)t->g.dims.size;
  t->g.num_cols = n - t->g.num_rows;
  for (size_t d = 0; d < f->dims.size; ++d) {
    MlirAffineExpr *e = &t->back.dims[d];
    *e = e->ptr ? replaced(*e, rank + sums, n, places) : mlirAffineConstantExprGet(b->ctx, 0);
  }
  SnAccess in = {.value = made, .map = sn_map_replace(written, n, t->back.dims)};
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(in.map); ++p) {
    MlirAffineExpr e = mlirAffineMapGetResult(in.map, p);
    if (!is_whole(f, &t->read, sn_map_dim(written, p)) &&
        (!stays_inside(&t->g, e, sn_dim(sn_type_of(made), p)) ||
         may_be_longer(&t->g, &t->read, e, t->over_rows ? sums : 0)))
      in.fill = mlirFloatAttrDoubleGet(b->ctx, t->is, 0);
  }
  MlirType like = sn_tensor_like(sn_type_of(t->read.value), element);
  sn_push(&t->g.inputs, in);
  sn_push(&t->g.outputs, ((SnAccess){.value = sn_empty_like(b, like, t->read.value),
                                     .map = mlirAffineMapGet(b->ctx, n, 0, rank, places)}));
  if (t->over_rows)
    sn_push(&t->g.accumulators, ((SnAccumulator){SN_STR("add"), t->g.outputs.data[0].map, t->is}));
}

static MlirValue take_back(Taken *t, SnBuilder *b, MlirType element) {
  SnForm *g = &t->g;
  MlirOperation op = sn_form_create(b, g, t->over_rows && !mlirTypeEqual(t->is, element));
  SnBuilder body = sn_at_end(g->body, b->loc);
  MlirValue v = sn_input_argument(g, 0), checks = emit_checks(&body, g, &t->back);
  if (!sn_none(checks)) {
    if (sn_is_row(checks))
      v = sn_as_row(&body, v, sn_type_of(checks));
    MlirValue chosen[] = {checks, v, sn_float(&body, t->is, 0)};
    v = sn_row_op(&body, "arith.select", (MlirType){0}, 3, chosen);
  }
  if (t->sums && !t->over_rows)
    v = sn_row_reduce(&body, "add", sn_as_row(&body, v, sn_row_type(g, t->is)), t->is);
  if (g->finish.ptr) {
    SnBuilder finish = sn_at_end(g->finish, b->loc);
    sn_op(&finish, "sinter.yield", sn_to_float(&finish, mlirBlockGetArgument(g->finish, 0), element),
          sn_types(0, NULL));
  } else {
    v = sn_to_float(&body, v, element);
  }
  bool row = sn_uses_cols(g, g->outputs.data[0].map);
  v = row ? sn_as_row(&body, v, sn_row_type(g, sn_element(sn_type_of(v)))) : v;
  sn_op(&body, "sinter.yield", v, sn_types(0, NULL));
  return sn_result(op, 0);
}

MlirValue sn_route_finish(SnBuilder *b, const SnForm *f, size_t input, const SnRoute *to, MlirValue made,
                          MlirType element) {
  if (to->exact)
    return made;
  if (to->scattered)
    return sn_scatter_gradient(b, f, f, input, to->map, made, element);
  Taken t = {.f = f, .read = f->inputs.data[input], .is = sn_element(sn_type_of(made))};
  if (sn_always_inside(f, &t.read)) // bounds that say nothing hide no size
    t.read.fill = mlirAttributeGetNull();
  bool ok = sn_find_back(&t.back, f, input, to->map);
  assert(ok && "sn_find_route found it");
  (void)ok;
  MlirAttribute groups = collapses(b, f, input, to, sn_type_of(made), t.back.subscripts);
  t.rank = t.back.rank;
  t.sums = (intptr_t)t.back.summed.size;
  t.over_rows = t.sums && t.rank && !t.back.checks.size && sums_in_front(f, &t.back, to->map);
  intptr_t unknown = unknown_sum(f, &t.back, to->map);
  if (groups.ptr) {
    MlirType like = sn_tensor_like(sn_type_of(t.read.value), t.is);
    made = sn(b, "tensor.collapse_shape", made, like, sn_attr("reassociation", groups));
  } else {
    lay_out(&t, b, to->map, made, element);
    if (unknown >= 0 && !sn_sizes_known(&t.g)) { // what is read may be outside, so nobody says how many are summed
      SnRoute rest = *to;
      made = summed_over(b, f, unknown, made, &rest.map);
      made = sn_route_finish(b, f, input, &rest, made, element);
    } else {
      made = take_back(&t, b, element);
    }
  }
  sn_back_free(&t.back);
  sn_form_free(&t.g);
  return made;
}
