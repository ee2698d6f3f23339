// unit_results.c: a result whose dimensions of 1 a reshape takes away is stored without them.
//
//   %y = contract (i, k, m) by (l) ... outs(%e[i, m, k, 0, l, 0] : tensor<8x20x23x1x23x1xf32>)
//   %z = tensor.collapse_shape %y [[0], [1], [2, 3], [4, 5]] into tensor<8x20x23x23xf32>
// ->
//   %z = contract (i, k, m) by (l) ... outs(%e[i, m, k, l] : tensor<8x20x23x23xf32>)
//
// So are gradients of images under windows of one tap.
//
// runs in: sinter-channel-order    test: test/passes/arrange/channel_order.mlir

#include "passes/arrange/arrange.h"

// The subscripts of the reshaped result: of each group the one that is no 0 of a dimension of 1; false: there are more.
static bool subscripts(const SnAccess *a, MlirType t, MlirOperation reshape, MlirAffineExpr *e) {
  MlirAttribute groups = sn_get_attr(reshape, "reassociation");
  intptr_t n = mlirArrayAttrGetNumElements(groups), at = 0;
  for (intptr_t i = 0; i < n; ++i) {
    intptr_t size = mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(groups, i)), found = 0;
    for (intptr_t k = 0; k < size; ++k, ++at) {
      MlirAffineExpr s = mlirAffineMapGetResult(a->map, at);
      bool none = sn_dim(t, at) == 1 && mlirAffineExprIsAConstant(s) && mlirAffineConstantExprGetValue(s) == 0;
      if (none && (k + 1 < size || found))
        continue;
      e[i] = s;
      found += 1;
    }
    if (found != 1)
      return false;
  }
  return n > 0 && at == mlirAffineMapGetNumResults(a->map);
}

// The reshape that alone reads the result; null: there is none.
static MlirOperation only_reshape(MlirValue v) {
  MlirOpOperand use = mlirValueGetFirstUse(v);
  if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return (MlirOperation){0};
  MlirOperation op = mlirOpOperandGetOwner(use);
  return sn_is(op, "tensor.collapse_shape") ? op : (MlirOperation){0};
}

MlirOperation sn_store_without_units(MlirOperation op) {
  SnForm from = sn_form_read(op), to = sn_form_read(op);
  MlirOperation reshape =
      from.schedule.ptr || sn_num_results(op) != 1 ? (MlirOperation){0} : only_reshape(sn_result(op, 0));
  MlirAffineExpr e[SN_MAX_DIMS];
  SnAccess *a = &to.outputs.data[0];
  if (!sn_null(reshape) && mlirShapedTypeHasStaticShape(sn_type_of(a->value)) &&
      !sn_null(sn_def(a->value, "tensor.empty")) && subscripts(a, sn_type_of(a->value), reshape, e)) {
    SnBuilder b = sn_before(op);
    MlirType t = sn_type_of(sn_result(reshape, 0));
    a->map = mlirAffineMapGet(b.ctx, mlirAffineMapGetNumDims(a->map), 0, sn_rank(t), e);
    a->value = sn(&b, "tensor.empty", sn_values(0, NULL), t);
    MlirOperation made = sn_with_other_sides(&b, &from, &to);
    mlirValueReplaceAllUsesOfWith(sn_result(reshape, 0), sn_result(made, 0));
    mlirOperationDestroy(reshape);
    mlirOperationDestroy(op);
    op = made;
  }
  sn_form_free(&from);
  sn_form_free(&to);
  return op;
}
