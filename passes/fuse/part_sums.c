// part_sums.c: a sum over several dimensions is a product's over one, and a sum of those over the others.
//
//   contract (b, n) by (e)  product (h = 2, i = 6016) (%p[b, h, i, n], %g[b, h, i, e])
//     ->  contract (b, n, h) by (e)  product (i) (...)      in f32
//         rowwise (b, n, e) by (h)   reduce add             and what was made of the sum
//
// Keys that heads share get a gradient from each of them. Rows that are made again as columns have the queries of one
// head, so the heads' parts, which are small, are stored and added up behind it.
//
// runs in: fuse    test: test/passes/fuse/part_sums.mlir

#include "passes/fuse/fuse.h"
#include <math.h>

static bool is_simple(const SnAccess *a) { return !a->fill.ptr && !a->through.ptr && !sn_is_table(a); }

double sn_parts_of_sum(const SnForm *g, int64_t kept) {
  bool can = sn_is_plain(g) && !g->schedule.ptr && g->products.size == 1 && g->outputs.size == 1 && !g->indices.size &&
             !g->accumulators.size && !g->finish.ptr && sn_is_float(g->products.data[0].type) &&
             sn_is_elementwise_body(g->body) && !sn_form_asserts(g);
  for (size_t k = 0; k < g->inputs.size && can; ++k)
    can = is_simple(&g->inputs.data[k]);
  int64_t own = sn_first_own(g, 0);
  double parts = can ? 1 : 0;
  for (int64_t d = own; d < own + g->products.data[0].num_dims && can; ++d)
    parts *= d == kept ? 1 : g->dims.data[d].size == SN_DYNAMIC ? INFINITY : (double)g->dims.data[d].size;
  return parts;
}

// Dimensions of g over those of the form of parts: rows, then parts, then columns, then what is still summed.
static void set_dims(const SnForm *g, int64_t kept, SnForm *to, MlirAffineExpr *dims) {
  MlirContext ctx = mlirOperationGetContext(g->op);
  int64_t own = sn_first_own(g, 0), order[SN_MAX_DIMS], n = 0;
  for (int64_t d = 0; d < g->num_rows; ++d)
    order[n++] = d;
  for (int64_t d = own; d < (int64_t)g->dims.size; ++d)
    if (d != kept)
      order[n++] = d;
  to->num_rows = n;
  to->num_cols = g->num_cols;
  for (int64_t d = g->num_rows; d < own; ++d)
    order[n++] = d;
  order[n++] = kept;
  for (int64_t at = 0; at < n; ++at) {
    dims[order[at]] = mlirAffineDimExprGet(ctx, (intptr_t)at);
    sn_push(&to->dims, g->dims.data[order[at]]);
  }
}

// Where a part is stored: parts, then what the result stores in its order, all dimensions of g but `kept`.
static MlirAffineMap stored_at(const SnForm *g, int64_t kept) {
  MlirContext ctx = mlirOperationGetContext(g->op);
  MlirAffineMap written = g->outputs.data[0].map;
  MlirAffineExpr at[SN_MAX_DIMS];
  int64_t own = sn_first_own(g, 0);
  bool is_there[SN_MAX_DIMS] = {0};
  intptr_t n = 0;
  for (int64_t d = own; d < (int64_t)g->dims.size; ++d)
    if (d != kept)
      at[n++] = mlirAffineDimExprGet(ctx, (intptr_t)d);
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(written); ++p) {
    intptr_t d = sn_map_dim(written, p);
    if (d < 0 || is_there[d])
      continue;
    is_there[d] = true;
    at[n++] = mlirAffineDimExprGet(ctx, d);
  }
  for (int64_t d = 0; d < own; ++d)
    if (!is_there[d])
      at[n++] = mlirAffineDimExprGet(ctx, (intptr_t)d);
  return mlirAffineMapGet(ctx, (intptr_t)g->dims.size, 0, n, at);
}

// The product by parts; parts stand in front in what it stores.
static MlirOperation make_parts(const SnForm *g, int64_t kept, SnBuilder *b) {
  SnForm to = {.contract = true};
  MlirAffineExpr dims[SN_MAX_DIMS];
  set_dims(g, kept, &to, dims);
  sn_push(&to.products, ((SnProduct){.num_dims = 1, .type = g->products.data[0].type}));
  for (size_t s = 0; s < 2; ++s) {
    SnAccess a = g->inputs.data[s];
    a.map = sn_map_replace(a.map, (intptr_t)to.dims.size, dims);
    sn_push(&to.inputs, a);
  }
  MlirAffineMap stored = stored_at(g, kept);
  SnAccess out = {.value = sn_empty_at(b, g, stored, to.products.data[0].type),
                  .map = sn_map_replace(stored, (intptr_t)to.dims.size, dims)};
  sn_push(&to.outputs, out);
  MlirOperation made = sn_form_create(b, &to, false);
  SnBuilder in = sn_at_end(to.body, b->loc);
  MlirValue sum = sn_product_argument(&to, 0);
  sn_op(&in, "sinter.yield", sn_values(1, &sum), sn_types(0, NULL));
  sn_form_free(&to);
  return made;
}

// The parts added up, and what g makes of the sum: rows are g's rows and columns, columns are the parts.
static MlirOperation add_up(const SnForm *g, int64_t kept, MlirOperation parts, SnBuilder *b) {
  SnForm to = {0};
  MlirAffineExpr dims[SN_MAX_DIMS];
  int64_t own = sn_first_own(g, 0);
  for (int64_t d = 0; d < (int64_t)g->dims.size; ++d) {
    dims[d] = mlirAffineConstantExprGet(b->ctx, 0);
    if (d == kept)
      continue;
    dims[d] = mlirAffineDimExprGet(b->ctx, (intptr_t)to.dims.size);
    sn_push(&to.dims, g->dims.data[d]);
  }
  to.num_rows = own;
  to.num_cols = (int64_t)to.dims.size - own;
  SnAccess in_parts = {.value = sn_result(parts, 0),
                       .map = sn_map_replace(stored_at(g, kept), (intptr_t)to.dims.size, dims)};
  sn_push(&to.inputs, in_parts);
  for (size_t k = sn_first_input(g); k < g->inputs.size; ++k) {
    SnAccess a = g->inputs.data[k];
    a.map = sn_map_replace(a.map, (intptr_t)to.dims.size, dims);
    sn_push(&to.inputs, a);
  }
  SnAccess out = g->outputs.data[0];
  out.map = sn_map_replace(out.map, (intptr_t)to.dims.size, dims);
  sn_push(&to.outputs, out);
  MlirOperation made = sn_form_create(b, &to, false);
  SnBuilder in = sn_at_end(to.body, b->loc);
  SnMap map = {0};
  MlirType t = g->products.data[0].type;
  sn_map(&map, sn_product_argument(g, 0), sn_row_reduce(&in, "add", sn_input_argument(&to, 0), t));
  for (size_t k = sn_first_input(g), i = 1; k < g->inputs.size; ++k, ++i)
    sn_map(&map, sn_input_argument(g, k), sn_input_argument(&to, i));
  MlirValue v = sn_operand(mlirBlockGetTerminator(g->body), (intptr_t)sn_output_position(g, 0));
  v = sn_under_broadcast(&in, sn_move_value(&in, g, v, dims, &to, &map));
  sn_op(&in, "sinter.yield", sn_values(1, &v), sn_types(0, NULL));
  sn_map_free(&map);
  sn_form_free(&to);
  return made;
}

MlirOperation sn_sum_parts(MlirOperation op, int64_t kept) {
  SnForm g = sn_form_read(op);
  SnBuilder b = sn_before(op);
  MlirOperation parts = make_parts(&g, kept, &b), made = add_up(&g, kept, parts, &b);
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn_result(made, 0));
  sn_form_free(&g);
  mlirOperationDestroy(op);
  return parts;
}
