// scattered.c: gradients that go back through an index, or by subscripts that have no way back.
//
//   %x[%t[i], j]     ->  %dx = zeros; %dx[%t[i], j] += %g[i, j], for each i in order
//   %x[i, i]         ->  %dx[p[n, 0], p[n, 1]] += %g[n]
//
// What was written as it was read is `made`. The input's last subscripts that are dimensions as they stand are slices;
// all others become numbers in a tensor of indices, [elements, subscripts], which a form computes. Elements that were
// read outside of the input have no gradient.
//
// runs in: differentiate    test: test/passes/differentiate/scattered.mlir, test/run/gradients.test

#include "passes/differentiate/tm_gradients.h"
#include "passes/program/tensor_steps.h"

typedef struct {
  SnBuilder *b;
  const SnForm *f, *sizes; // the second knows its sizes `?`
  const SnAccess *a;
  MlirAffineMap written;
  MlirType type;                            // of the input
  intptr_t depth;                           // subscripts that become indices
  intptr_t others[SN_MAX_DIMS], num_others; // dimensions of the form that `made` has and slices have not
  intptr_t slices[SN_MAX_DIMS], num_slices; // those of the input's dimensions depth ..
  MlirAffineExpr place[SN_MAX_DIMS];        // of each dimension of the form, in those that are made: others first
} Scattered;

static const SnAccess *index_of(const Scattered *s, MlirAffineExpr symbol) {
  int64_t k = mlirDenseI64ArrayGetElement(s->a->through, mlirAffineSymbolExprGetPosition(symbol));
  return sn_form_access(s->f, s->f->inputs.size + (size_t)k);
}

// How often subscripts and index tensors use dimension d.
static int uses(const Scattered *s, intptr_t d) {
  int n = 0;
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(s->a->map); ++p) {
    MlirAffineExpr e = mlirAffineMapGetResult(s->a->map, p);
    n += mlirAffineExprIsASymbol(e) ? sn_map_uses(index_of(s, e)->map, d) : mlirAffineExprIsFunctionOfDim(e, d);
  }
  return n;
}

static bool is_written(const Scattered *s, intptr_t d) { return sn_map_uses(s->written, d); }

static void find_slices(Scattered *s) {
  intptr_t rank = sn_rank(s->type);
  for (s->depth = rank; s->depth > 0; --s->depth) {
    intptr_t d = sn_map_dim(s->a->map, s->depth - 1);
    if (d < 0 || !is_written(s, d) || uses(s, d) != 1 || s->f->dims.data[d].size != sn_dim(s->type, s->depth - 1))
      break;
  }
  for (intptr_t p = s->depth; p < rank; ++p)
    s->slices[s->num_slices++] = sn_map_dim(s->a->map, p);
  for (intptr_t k = 0; k < mlirAffineMapGetNumResults(s->written); ++k) {
    intptr_t d = sn_map_dim(s->written, k);
    bool slice = false;
    for (intptr_t i = 0; i < s->num_slices; ++i)
      slice |= s->slices[i] == d;
    if (!slice)
      s->others[s->num_others++] = d;
  }
  for (size_t d = 0; d < s->f->dims.size; ++d)
    s->place[d] = mlirAffineConstantExprGet(s->b->ctx, 0);
  for (intptr_t k = 0; k < s->num_others; ++k)
    s->place[s->others[k]] = mlirAffineDimExprGet(s->b->ctx, k);
  for (intptr_t k = 0; k < s->num_slices; ++k)
    s->place[s->slices[k]] = mlirAffineDimExprGet(s->b->ctx, s->num_others + k);
}

// ---- the numbers -----------------------------------------------------------------------------

// Rows are the other dimensions; columns are to follow. Index tensors are inputs.
static SnForm begin_form(const Scattered *s) {
  SnForm g = {.num_rows = s->num_others};
  for (intptr_t k = 0; k < s->num_others; ++k)
    sn_push(&g.dims, s->f->dims.data[s->others[k]]);
  return g;
}

static MlirValue size_tensor(const Scattered *s, intptr_t p) {
  SnBuilder *b = s->b;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  MlirValue n = sn(b, "tensor.dim", s->a->value, sn_index(b, p), sn_index_type(b->ctx));
  return sn(b, "tensor.from_elements", sn(b, "arith.index_cast", n, i64), sn_tensor(i64, 0, NULL));
}

static void add_indices(const Scattered *s, SnForm *g) {
  for (intptr_t p = 0; p < s->depth; ++p) {
    MlirAffineExpr e = mlirAffineMapGetResult(s->a->map, p);
    if (!mlirAffineExprIsASymbol(e))
      continue;
    SnAccess in = *index_of(s, e);
    in.map = sn_map_replace(in.map, (intptr_t)g->dims.size, s->place);
    sn_push(&g->inputs, in);
  }
  for (intptr_t p = 0; p < s->depth && s->a->fill.ptr; ++p)
    if (sn_dim(s->type, p) == SN_DYNAMIC)
      sn_push(&g->inputs, (SnAccess){.value = size_tensor(s, p),
                                     .map = mlirAffineMapGet(s->b->ctx, (intptr_t)g->dims.size, 0, 0, NULL)});
}

// Of a subscript whose end is not known.
static MlirValue size_argument(const Scattered *s, const SnForm *g, intptr_t p) {
  size_t input = 0;
  for (intptr_t q = 0; q < s->depth; ++q)
    input += mlirAffineExprIsASymbol(mlirAffineMapGetResult(s->a->map, q));
  for (intptr_t q = 0; q < p; ++q)
    input += sn_dim(s->type, q) == SN_DYNAMIC;
  return sn_input_argument(g, input);
}

// Subscript p in the body of the form: an i64, the same for all columns.
static MlirValue subscript(SnBuilder *in, const Scattered *s, const SnForm *g, intptr_t p, size_t *input) {
  MlirAffineExpr e = mlirAffineMapGetResult(s->a->map, p);
  MlirType i64 = mlirIntegerTypeGet(in->ctx, 64);
  if (!mlirAffineExprIsASymbol(e)) {
    MlirAffineMap one = mlirAffineMapGet(in->ctx, (intptr_t)s->f->dims.size, 0, 1, &e);
    e = mlirAffineMapGetResult(sn_map_replace(one, (intptr_t)g->dims.size, s->place), 0);
    return sn(in, "arith.index_cast", sn_affine_value(in, g, e), i64);
  }
  MlirValue v = sn_input_argument(g, (*input)++);
  MlirType t = sn_type_of(v);
  if (mlirTypeIsAIndex(t))
    return sn(in, "arith.index_cast", v, i64);
  return sn_bits(t) == 64 ? v : sn(in, "arith.extsi", v, i64);
}

// Whether all of them are inside of the input.
static MlirValue inside(SnBuilder *in, const Scattered *s, const SnForm *g, const MlirValue *at) {
  MlirValue all = {0};
  for (intptr_t p = 0; p < s->depth; ++p) {
    MlirType i64 = sn_type_of(at[p]);
    MlirValue low = sn(in, "arith.cmpi", at[p], sn_int(in, i64, 0), sn_attr("predicate", sn_i64(in->ctx, 5 /* sge */)));
    MlirValue size = sn_dim(s->type, p) == SN_DYNAMIC ? size_argument(s, g, p) : sn_int(in, i64, sn_dim(s->type, p));
    MlirValue high = sn(in, "arith.cmpi", at[p], size, sn_attr("predicate", sn_i64(in->ctx, 2 /* slt */)));
    MlirValue both = sn(in, "arith.andi", low, high);
    all = sn_none(all) ? both : sn(in, "arith.andi", all, both);
  }
  return all;
}

static MlirValue destination(const Scattered *s, const SnForm *g, MlirType element) {
  SnBuilder *b = s->b;
  int64_t shape[SN_MAX_DIMS];
  SnValueVec sizes = {0};
  intptr_t n = (intptr_t)g->dims.size;
  for (intptr_t k = 0; k < n; ++k) {
    shape[k] = g->dims.data[k].size;
    if (shape[k] == SN_DYNAMIC)
      sn_push(&sizes, sn_size_value(b, s->sizes, k < s->num_others ? s->others[k] : s->slices[k - s->num_others]));
  }
  MlirValue e = sn(b, "tensor.empty", sn_tensor(element, n, shape), sn_values((intptr_t)sizes.size, sizes.data));
  sn_vec_free(&sizes);
  return e;
}

// [others.., depth]: where each of them goes.
static MlirValue numbers(const Scattered *s) {
  SnForm g = begin_form(s);
  SnDim column = {sn_fresh_name(s->b->ctx, s->f, "k"), s->depth};
  MlirType i64 = mlirIntegerTypeGet(s->b->ctx, 64);
  sn_push(&g.dims, column);
  g.num_cols = 1;
  add_indices(s, &g);
  SnAccess out = {.value = destination(s, &g, i64),
                  .map = mlirAffineMapMultiDimIdentityGet(s->b->ctx, (intptr_t)g.dims.size)};
  sn_push(&g.outputs, out);
  MlirOperation made = sn_form_create(s->b, &g, false);
  SnBuilder in = sn_at_end(g.body, s->b->loc);
  MlirValue at[SN_MAX_DIMS], v = {0}, k = sn_position(&in, &g, g.num_rows);
  size_t input = 0;
  for (intptr_t p = 0; p < s->depth; ++p)
    at[p] = subscript(&in, s, &g, p, &input);
  MlirValue all = s->a->fill.ptr ? inside(&in, s, &g, at) : (MlirValue){0};
  for (intptr_t p = 0; p < s->depth; ++p) {
    if (s->a->fill.ptr)
      at[p] = sn(&in, "arith.select", all, at[p], sn_int(&in, i64, 0));
    MlirValue both[] = {k, sn_index(&in, p)};
    both[1] = sn_as_row(&in, both[1], sn_type_of(k));
    MlirValue is = sn(&in, "arith.cmpi", both[0], both[1], sn_attr("predicate", sn_i64(in.ctx, 0 /* eq */)));
    MlirValue row = sn_as_row(&in, at[p], sn_row_type(&g, i64));
    v = sn_none(v) ? row : sn(&in, "arith.select", is, row, v);
  }
  sn_op(&in, "sinter.yield", v, sn_types(0, NULL));
  sn_form_free(&g);
  return sn_result(made, 0);
}

// [others.., slices..]: what is added there; 0 for what was read outside.
static MlirValue ordered(const Scattered *s, MlirValue made, MlirType element) {
  SnForm g = begin_form(s);
  for (intptr_t k = 0; k < s->num_slices; ++k)
    sn_push(&g.dims, s->f->dims.data[s->slices[k]]);
  g.num_cols = s->num_slices;
  add_indices(s, &g);
  size_t read = g.inputs.size;
  intptr_t n = (intptr_t)g.dims.size;
  sn_push(&g.inputs, (SnAccess){.value = made, .map = sn_map_replace(s->written, n, s->place)});
  SnAccess out = {.value = destination(s, &g, element), .map = mlirAffineMapMultiDimIdentityGet(s->b->ctx, n)};
  sn_push(&g.outputs, out);
  MlirOperation op = sn_form_create(s->b, &g, false);
  SnBuilder in = sn_at_end(g.body, s->b->loc);
  MlirValue at[SN_MAX_DIMS], v = sn_to_float(&in, sn_input_argument(&g, read), element);
  size_t input = 0;
  if (s->a->fill.ptr && s->depth) {
    for (intptr_t p = 0; p < s->depth; ++p)
      at[p] = subscript(&in, s, &g, p, &input);
    MlirValue chosen[] = {inside(&in, s, &g, at), v, sn_float(&in, element, 0)};
    v = sn_row_op(&in, "arith.select", (MlirType){0}, 3, chosen);
  }
  sn_op(&in, "sinter.yield", g.num_cols ? sn_as_row(&in, v, sn_row_type(&g, element)) : v, sn_types(0, NULL));
  sn_form_free(&g);
  return sn_result(op, 0);
}

// The first n dimensions as one.
static MlirValue flat(SnBuilder *b, MlirValue v, intptr_t n) {
  MlirType t = sn_type_of(v);
  int64_t shape[SN_MAX_DIMS], first = 1;
  MlirAttribute groups[SN_MAX_DIMS];
  intptr_t rank = sn_rank(t), to = 0;
  if (n == 1)
    return v;
  if (!n) {
    groups[0] = sn_members(b->ctx, 0, rank ? 2 : 0);
    shape[to++] = 1;
    for (intptr_t d = 0; d < rank; ++d) {
      if (d)
        groups[d] = sn_members(b->ctx, d + 1, d + 2);
      shape[to++] = sn_dim(t, d);
    }
    return sn_unfold(b, v, sn_tensor(sn_element(t), to, shape), mlirArrayAttrGet(b->ctx, rank, groups), v, 1);
  }
  for (intptr_t d = 0; d < n; ++d)
    first = first == SN_DYNAMIC || sn_dim(t, d) == SN_DYNAMIC ? SN_DYNAMIC : first * sn_dim(t, d);
  groups[to] = sn_members(b->ctx, 0, n);
  shape[to++] = first;
  for (intptr_t d = n; d < rank; ++d) {
    groups[to] = sn_members(b->ctx, d, d + 1);
    shape[to++] = sn_dim(t, d);
  }
  return sn(b, "tensor.collapse_shape", v, sn_tensor(sn_element(t), to, shape),
            sn_attr("reassociation", mlirArrayAttrGet(b->ctx, to, groups)));
}

// Row n of `updates` is added where row n of `at` says, in the first dimensions of `original`.
static MlirValue scatter_add(SnBuilder *b, MlirValue updates, MlirValue at, MlirValue original) {
  int64_t map[SN_MAX_DIMS];
  intptr_t depth = sn_dim(sn_type_of(at), 1);
  for (intptr_t k = 0; k < depth; ++k)
    map[k] = k;
  return sn_tm_scatter(b, updates, at, original, "arith.addf", mlirDenseI64ArrayGet(b->ctx, depth, map),
                       mlirBoolAttrGet(b->ctx, false));
}

bool sn_can_scatter(const SnForm *f, size_t input) {
  const SnAccess *a = &f->inputs.data[input];
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(a->map); ++p)
    if (!mlirAffineExprIsASymbol(mlirAffineMapGetResult(a->map, p)) &&
        !sn_has_affine_value(f, mlirAffineMapGetResult(a->map, p)))
      return false;
  return true;
}

MlirValue sn_scatter_gradient(SnBuilder *b, const SnForm *f, const SnForm *sizes, size_t input, MlirAffineMap written,
                              MlirValue made, MlirType element) {
  const SnAccess *a = &f->inputs.data[input];
  Scattered s = {.b = b, .f = f, .sizes = sizes, .a = a, .written = written, .type = sn_type_of(a->value)};
  MlirType wide = sn_wide_type(element);
  find_slices(&s);
  MlirValue updates = flat(b, ordered(&s, made, wide), s.num_others), at = flat(b, numbers(&s), s.num_others);
  MlirValue zeros = sn_elementwise_form(b, wide, a->value, 0, NULL, NULL, false, 0);
  MlirValue sum = scatter_add(b, updates, at, zeros);
  return mlirTypeEqual(wide, element) ? sum : sn_elementwise_form(b, element, a->value, 1, &sum, NULL, false, 0);
}
