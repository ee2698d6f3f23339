// copy_form.c: the form that writes a tensor anew, in another order or with more around it.
//
//   rowwise (d0 = 4, d1 = 22) by (d2 = 462) ins(%x[d0, d1 - 2, d2 - 42] else 0.0) outs(%e[d0, d1, d2])
//
// test: test/passes/arrange/channel_lanes.mlir, test/passes/schedule/channels_last.mlir,
// test/passes/schedule/padded_windows.mlir

#include "passes/edit/edit.h"
#include <stdio.h>

MlirValue sn_copy_form(SnBuilder *b, SnAccess in, intptr_t rank, const int64_t *shape, MlirAffineMap written) {
  return sn_copy_form_as(b, in, rank, shape, written, sn_element(sn_type_of(in.value)));
}

MlirValue sn_copy_form_as(SnBuilder *b, SnAccess in, intptr_t rank, const int64_t *shape, MlirAffineMap written,
                          MlirType element) {
  int64_t to[SN_MAX_DIMS];
  SnForm copy = {.num_rows = rank - 1, .num_cols = 1};
  for (intptr_t i = 0; i < rank; ++i) {
    char name[24];
    snprintf(name, sizeof name, "d%lld", (long long)i);
    sn_push(&copy.dims, ((SnDim){.name = mlirStringAttrGetValue(sn_string(b->ctx, name)), .size = shape[i]}));
    to[i] = shape[mlirAffineDimExprGetPosition(mlirAffineMapGetResult(written, i))];
  }
  MlirType t = sn_tensor(element, rank, to);
  sn_push(&copy.inputs, in);
  sn_push(&copy.outputs, ((SnAccess){.value = sn(b, "tensor.empty", sn_values(0, NULL), t), .map = written}));
  MlirOperation made = sn_form_create(b, &copy, false);
  SnBuilder body = sn_at_end(copy.body, b->loc);
  MlirValue row = sn_input_argument(&copy, 0);
  if (!mlirTypeEqual(sn_element(sn_type_of(row)), element))
    row = sn(&body, "arith.extf", row, sn_tensor_like(sn_type_of(row), element));
  sn_op(&body, "sinter.yield", row, sn_types(0, NULL));
  sn_form_free(&copy);
  return sn_result(made, 0);
}

int64_t sn_num_elements(MlirType t) {
  int64_t n = 1;
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    n = sn_times(n, sn_dim(t, i));
  return n;
}

MlirValue sn_with_shape(SnBuilder *b, MlirValue v, intptr_t rank, const int64_t *shape) {
  MlirType t = sn_type_of(v);
  MlirAttribute all[SN_MAX_DIMS + 1];
  int64_t flat = sn_num_elements(t);
  for (intptr_t i = 0; i < (rank > sn_rank(t) ? rank : sn_rank(t)); ++i)
    all[i] = sn_i64(b->ctx, i);
  if (sn_rank(t) > 1) {
    MlirAttribute group = mlirArrayAttrGet(b->ctx, sn_rank(t), all);
    v = sn(b, "tensor.collapse_shape", v, sn_tensor(sn_element(t), 1, &flat),
           sn_attr("reassociation", mlirArrayAttrGet(b->ctx, 1, &group)));
  }
  MlirAttribute group = mlirArrayAttrGet(b->ctx, rank, all);
  return rank < 2 ? v
                  : sn(b, "tensor.expand_shape", v, sn_values(0, NULL), sn_tensor(sn_element(t), rank, shape),
                       sn_attr("reassociation", mlirArrayAttrGet(b->ctx, 1, &group)),
                       sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, rank, shape)));
}

MlirValue sn_turned(SnBuilder *b, MlirValue v, MlirType element) {
  MlirType t = sn_type_of(v);
  int64_t shape[] = {sn_dim(t, 0), sn_dim(t, 2), sn_dim(t, 1)};
  MlirAffineExpr e[] = {mlirAffineDimExprGet(b->ctx, 0), mlirAffineDimExprGet(b->ctx, 2),
                        mlirAffineDimExprGet(b->ctx, 1)};
  SnAccess in = {.value = v, .map = mlirAffineMapGet(b->ctx, 3, 0, 3, e)};
  return sn_copy_form_as(b, in, 3, shape, mlirAffineMapMultiDimIdentityGet(b->ctx, 3), element);
}
