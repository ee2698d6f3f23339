// side_views.c: the gradient of a side that is read in any way.
//
//   %c[i, j] = sum over k of %a[i, k] * %w[%t[j], 2, k]
//     %v[j, k] = %w[%t[j], 2, k]                              the side as a tensor, of which nothing but the gradient
//     %dv[j, k] = sum over i of %dc[i, j] * %a[i, k]          is computed (side_gradients.c)
//     %dw = the gradient of %v by %w                          as that of any form's input (accesses.c)
//
// A slice of packed weights, an embedding, a window that goes backwards, a diagonal. Where side_gradients.c has a way
// back of its own, that is taken. The other side, where it is read through an index, becomes a tensor too. What no
// side uses, all elements share: the gradient is summed over it before.
//
// runs in: differentiate    test: test/passes/differentiate/side_views.mlir

#include "passes/differentiate/differentiate.h"
#include <assert.h>

static void push_dim(SnForm *to, MlirAffineExpr *place, const SnForm *f, intptr_t d, MlirContext ctx) {
  place[d] = mlirAffineDimExprGet(ctx, (intptr_t)to->dims.size);
  sn_push(&to->dims, f->dims.data[d]);
}

// The map of these dimensions of f, in order.
static MlirAffineMap map_of(const SnForm *f, MlirContext ctx, const bool *dims) {
  MlirAffineExpr exprs[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d)
    if (dims[d])
      exprs[n++] = mlirAffineDimExprGet(ctx, d);
  return mlirAffineMapGet(ctx, (intptr_t)f->dims.size, 0, n, exprs);
}

// The side as a tensor, which is read as it stands from then on.
static MlirOperation make_view(SnBuilder *b, SnForm *f, size_t side) {
  SnAccess a = f->inputs.data[side];
  MlirType element = sn_element(sn_type_of(a.value));
  MlirAffineExpr place[SN_MAX_DIMS];
  bool used[SN_MAX_DIMS] = {false};
  SnForm to = {0};
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    used[d] = sn_access_uses(f, &a, d);
    place[d] = mlirAffineConstantExprGet(b->ctx, 0);
    if (used[d])
      push_dim(&to, place, f, d, b->ctx);
  }
  intptr_t n = (intptr_t)to.dims.size;
  to.num_cols = n > 0;
  to.num_rows = n - to.num_cols;
  a.map = sn_map_replace(a.map, n, place);
  sn_push(&to.inputs, a);
  int64_t through[SN_MAX_DIMS];
  intptr_t symbols = mlirAffineMapGetNumSymbols(a.map);
  for (intptr_t k = 0; k < symbols; ++k) {
    SnAccess index = f->indices.data[mlirDenseI64ArrayGetElement(a.through, k)];
    index.map = sn_map_replace(index.map, n, place);
    sn_push(&to.indices, index);
    through[k] = k;
  }
  if (symbols)
    to.inputs.data[0].through = mlirDenseI64ArrayGet(b->ctx, symbols, through);
  SnAccess view = {.map = map_of(f, b->ctx, used)};
  view.value = sn_empty_at(b, f, view.map, element);
  sn_push(&to.outputs, (SnAccess){.value = view.value, .map = sn_map_replace(view.map, n, place)});
  MlirOperation made = sn_form_create(b, &to, false);
  SnBuilder in = sn_at_end(to.body, b->loc);
  MlirValue v = sn_input_argument(&to, 0);
  sn_op(&in, "sinter.yield", n ? sn_as_row(&in, v, sn_row_type(&to, element)) : v, sn_types(0, NULL));
  sn_form_free(&to);
  view.value = sn_result(made, 0);
  f->inputs.data[side] = view;
  return made;
}

// The gradient with respect to the product, summed over rows and columns that neither side uses; *points: its map.
static MlirValue summed(SnBuilder *b, const SnForm *f, size_t product, MlirValue gradient, MlirAffineMap *points) {
  MlirType element = sn_element(sn_type_of(gradient));
  intptr_t n = (intptr_t)(f->num_rows + f->num_cols);
  bool kept[SN_MAX_DIMS] = {false}, all[SN_MAX_DIMS] = {false};
  SnForm to = {0};
  MlirAffineExpr place[SN_MAX_DIMS];
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    all[d] = d < n;
    kept[d] = d < n && (f->dims.data[d].size == 1 || sn_access_uses(f, &f->inputs.data[2 * product], d) ||
                        sn_access_uses(f, &f->inputs.data[2 * product + 1], d));
    place[d] = mlirAffineConstantExprGet(b->ctx, 0);
    if (kept[d])
      push_dim(&to, place, f, d, b->ctx);
  }
  to.num_rows = (intptr_t)to.dims.size;
  for (intptr_t d = 0; d < n; ++d)
    if (!kept[d])
      push_dim(&to, place, f, d, b->ctx);
  to.num_cols = n - to.num_rows;
  *points = map_of(f, b->ctx, kept);
  if (!to.num_cols) {
    sn_form_free(&to);
    return gradient;
  }
  sn_push(&to.inputs, (SnAccess){.value = gradient, .map = sn_map_replace(map_of(f, b->ctx, all), n, place)});
  sn_push(&to.outputs,
          (SnAccess){.value = sn_empty_at(b, f, *points, element), .map = sn_map_replace(*points, n, place)});
  MlirOperation made = sn_form_create(b, &to, false);
  SnBuilder in = sn_at_end(to.body, b->loc);
  sn_op(&in, "sinter.yield", sn_row_reduce(&in, "add", sn_input_argument(&to, 0), element), sn_types(0, NULL));
  sn_form_free(&to);
  return sn_result(made, 0);
}

// The same through a view of the side.
static bool through_view(SnBuilder *b, SnForm *f, size_t side, MlirValue gradient, MlirAffineMap points,
                         MlirType element, MlirValue *made) {
  MlirOperation op = make_view(b, f, side);
  SnForm view = sn_form_read(op);
  SnRoute back;
  MlirValue of_view, v = sn_result(op, 0);
  bool ok = sn_find_route(&view, 0, &back);
  if (ok && !sn_plain_side_gradient(b, f, side, gradient, points, sn_wide_type(element), &of_view)) {
    sn_error(f->op,
             "has no gradient with respect to side %zu of product %zu: it has too many dimensions; "
             "differentiate by its result",
             side % 2, side / 2);
    ok = false;
  }
  assert(!ok || !back.exact); // else it had a gradient of its own
  if (ok)
    *made = sn_route_finish(b, &view, 0, &back, of_view, element);
  mlirValueReplaceAllUsesOfWith(v, view.outputs.data[0].value); // which its sizes were asked of
  sn_form_free(&view);
  mlirOperationDestroy(op);
  return ok;
}

bool sn_side_gradient(SnBuilder *b, const SnForm *f, size_t side, MlirValue gradient, MlirType element,
                      MlirValue *made) {
  SnForm own = sn_form_read(f->op);
  MlirAffineMap points;
  gradient = summed(b, &own, side / 2, gradient, &points);
  if (own.inputs.data[side ^ 1].through.ptr)
    make_view(b, &own, side ^ 1);
  SnAccess other = own.inputs.data[side ^ 1];
  bool ok = sn_plain_side_gradient(b, &own, side, gradient, points, element, made);
  if (!ok) { // which may have split dimensions
    sn_form_free(&own);
    own = sn_form_read(f->op);
    own.inputs.data[side ^ 1] = other;
    ok = through_view(b, &own, side, gradient, points, element, made);
  }
  sn_form_free(&own);
  return ok;
}
