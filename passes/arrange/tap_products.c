// tap_products.c: an image is multiplied by all taps of few filters where it lies, and windows of that are added up.
//
//   contract (n, y, x) by (o) product (r, s, c) (%x[n, y + r - 1, x + s - 1, c] else 0.0, %w[o, r, s, c])
//       { relu(%acc + %b[o]) }
// ->
//   %t = contract (d0 = o, d1 = r, d2 = s) by (d3 = n, d4 = h, d5 = w) product (d6 = c) (%w[d0, d1, d2, d6], ...) : f32
//   rowwise (o, n, y, x) by (r, s) ins(%t[o, r, s, n, y + r - 1, x + s - 1] else 0.0, %b[o])
//       { relu(row_reduce add %t + %b) }
//
// Windows of few filters are read at the speed of memory, each element once for each tap. So the image is read once,
// and taps by filters many numbers of f32 for each pixel are written and read. Which convolutions: lowering/facts/
// gpu_taps.c. Sums over channels are those that there were, in f32; taps are added up behind them.
//
// runs in: sinter-gpu    test: test/passes/arrange/tap_products.mlir, test/gpu/emulate_products.test

#include "dialect/sequence.h"
#include "lowering/facts/gpu_taps.h"
#include "passes/arrange/arrange.h"
#include <stdio.h>

static MlirAffineExpr dim(const SnBuilder *b, intptr_t d) { return mlirAffineDimExprGet(b->ctx, d); }

static void add_dim(SnBuilder *b, SnForm *to, int64_t size) {
  char name[24];
  snprintf(name, sizeof name, "d%zu", to->dims.size);
  sn_push(&to->dims, ((SnDim){.name = mlirStringAttrGetValue(sn_string(b->ctx, name)), .size = size}));
}

// All taps of all filters by all pixels. `order`: which dimension of f each subscript of the filters is, without
// channels, n of them.
static MlirOperation multiply(SnBuilder *b, const SnForm *f, const SnGpuTaps *taps, intptr_t *order, intptr_t *n) {
  const SnAccess *x = &f->inputs.data[taps->image], *w = &f->inputs.data[taps->weights];
  intptr_t ranks[] = {sn_rank(sn_type_of(w->value)), sn_rank(sn_type_of(x->value))}, at[SN_MAX_DIMS], points = 0;
  MlirAffineExpr of_w[SN_MAX_DIMS], of_x[SN_MAX_DIMS], of_t[SN_MAX_DIMS];
  int64_t shape[SN_MAX_DIMS];
  SnForm to = {.contract = true};
  *n = 0;
  for (intptr_t i = 0; i < ranks[0]; ++i) {
    intptr_t d = sn_map_dim(w->map, i);
    of_w[i] = mlirAffineMapGetResult(w->map, i); // 0, of one filter
    if (d < 0 || taps->is_channel[d])
      continue;
    of_w[i] = dim(b, points++);
    order[(*n)++] = d;
    add_dim(b, &to, f->dims.data[d].size);
  }
  to.num_rows = *n;
  for (intptr_t i = 0; i < ranks[1]; ++i)
    if (taps->channel[i] < 0) {
      of_x[i] = dim(b, points++);
      add_dim(b, &to, sn_dim(sn_type_of(x->value), i));
    }
  to.num_cols = points - *n;
  for (intptr_t d = 0; d < points; ++d) {
    shape[d] = to.dims.data[d].size;
    of_t[d] = dim(b, d);
  }
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d)
    if (taps->is_channel[d]) {
      at[d] = (intptr_t)to.dims.size;
      add_dim(b, &to, f->dims.data[d].size);
    }
  for (intptr_t i = 0; i < ranks[0]; ++i)
    if (sn_map_dim(w->map, i) >= 0 && taps->is_channel[sn_map_dim(w->map, i)])
      of_w[i] = dim(b, at[sn_map_dim(w->map, i)]);
  for (intptr_t i = 0; i < ranks[1]; ++i)
    if (taps->channel[i] >= 0)
      of_x[i] = dim(b, at[taps->channel[i]]);
  intptr_t dims = (intptr_t)to.dims.size;
  MlirType type = f->products.data[0].type, t = sn_tensor(type, points, shape);
  sn_push(&to.products, ((SnProduct){.num_dims = dims - points, .type = type}));
  sn_push(&to.inputs, ((SnAccess){.value = w->value, .map = mlirAffineMapGet(b->ctx, dims, 0, ranks[0], of_w)}));
  sn_push(&to.inputs, ((SnAccess){.value = x->value, .map = mlirAffineMapGet(b->ctx, dims, 0, ranks[1], of_x)}));
  sn_push(&to.outputs, ((SnAccess){.value = sn(b, "tensor.empty", sn_values(0, NULL), t),
                                   .map = mlirAffineMapGet(b->ctx, dims, 0, points, of_t)}));
  MlirOperation made = sn_form_create(b, &to, false);
  SnBuilder in = sn_at_end(to.body, b->loc);
  sn_op(&in, "sinter.yield", sn_product_argument(&to, 0), sn_types(0, NULL));
  sn_form_free(&to);
  return made;
}

// Rows in the order of what is multiplied, so that neighbouring threads read neighbours. `to_dim`: what each dimension
// of f is there.
static void order_rows(SnForm *to, const SnForm *f, const SnGpuTaps *taps, MlirAffineExpr *to_dim) {
  const SnAccess *both[] = {&f->inputs.data[taps->weights], &f->inputs.data[taps->image]};
  MlirContext ctx = mlirOperationGetContext(f->op);
  intptr_t points = (intptr_t)(f->num_rows + f->num_cols);
  bool there[SN_MAX_DIMS] = {false};
  for (size_t side = 0; side < 2; ++side)
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(both[side]->map); ++i)
      for (intptr_t d = 0; d < points; ++d)
        if (!there[d] && mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(both[side]->map, i), d)) {
          there[d] = true;
          to_dim[d] = mlirAffineDimExprGet(ctx, (intptr_t)to->dims.size);
          sn_push(&to->dims, f->dims.data[d]);
        }
  to->num_rows = (int64_t)to->dims.size;
  for (intptr_t d = points; d < (intptr_t)f->dims.size; ++d) {
    to_dim[d] = mlirAffineConstantExprGet(ctx, 0); // nothing but sides uses channels
    if (taps->is_channel[d])
      continue;
    to_dim[d] = mlirAffineDimExprGet(ctx, (intptr_t)to->dims.size);
    sn_push(&to->dims, f->dims.data[d]);
  }
  to->num_cols = (int64_t)to->dims.size - to->num_rows;
}

static SnAccess moved(SnAccess a, const SnForm *to, MlirAffineExpr *to_dim) {
  a.map = sn_map_replace(a.map, (intptr_t)to->dims.size, to_dim);
  return a;
}

static MlirOperation add_up(SnBuilder *b, const SnForm *f, const SnGpuTaps *taps, MlirValue t, const intptr_t *order,
                            intptr_t n) {
  const SnAccess *x = &f->inputs.data[taps->image];
  MlirType type = f->products.data[0].type;
  SnForm to = {0};
  MlirAffineExpr to_dim[SN_MAX_DIMS], e[SN_MAX_DIMS];
  order_rows(&to, f, taps, to_dim);
  for (intptr_t i = 0; i < n; ++i)
    e[i] = dim(b, order[i]);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(x->map); ++i)
    if (taps->channel[i] < 0)
      e[n++] = mlirAffineMapGetResult(x->map, i);
  SnAccess read = {.value = t, .map = mlirAffineMapGet(b->ctx, (intptr_t)f->dims.size, 0, n, e)};
  read.fill = x->fill.ptr ? mlirFloatAttrDoubleGet(b->ctx, type, 0) : read.fill;
  sn_push(&to.inputs, moved(read, &to, to_dim));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    sn_push(&to.inputs, moved(f->inputs.data[k], &to, to_dim));
  for (size_t k = 0; k < f->indices.size; ++k)
    sn_push(&to.indices, moved(f->indices.data[k], &to, to_dim));
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&to.outputs, moved(f->outputs.data[k], &to, to_dim));
  MlirOperation made = sn_form_create(b, &to, false);
  SnBuilder in = sn_at_end(to.body, b->loc);
  MlirValue sum = sn_row_reduce(&in, "add", sn_input_argument(&to, 0), type);
  sn_copy_body_by_elements(&in, f, &to, &sum);
  sn_form_free(&to);
  return made;
}

MlirOperation sn_multiply_taps(MlirOperation op) {
  SnForm f = sn_form_read(op);
  SnGpuTaps taps;
  intptr_t order[SN_MAX_DIMS], n;
  if (!sn_num_results(op) || sn_in_sequence(op) || f.schedule.ptr || sn_gpu_not_taps(&f, &taps) ||
      !sn_goes_by_elements(&f)) {
    sn_form_free(&f);
    return op;
  }
  SnBuilder b = sn_before(op);
  MlirOperation products = multiply(&b, &f, &taps, order, &n),
                sums = add_up(&b, &f, &taps, sn_result(products, 0), order, n);
  for (intptr_t r = 0; r < sn_num_results(op); ++r)
    mlirValueReplaceAllUsesOfWith(sn_result(op, r), sn_result(sums, r));
  mlirOperationDestroy(op);
  sn_form_free(&f);
  return products;
}
