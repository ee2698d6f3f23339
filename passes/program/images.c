// images.c: what convolutions and poolings read in windows.
//
//   %p = tensor.pad %y    %e = tensor.expand_shape %p [[0], [1, 2], [3], [4]]    linalg.conv_2d_ngchw_gfchw %e, %w
//     %e is an image
//
// They read it through the reshape in front of them, which costs nothing there. Moved up, it would be one more
// dimension of all that makes %y, and not the one that the convolution in front of that has, whose subscripts are not
// written over others.
//
// runs in: sinter-reshape    test: test/passes/program/reshape_images.mlir

#include "passes/program/reshape.h"
#include "mlir-c/Dialect/Linalg.h"

static bool reads_windows(MlirOperation op, intptr_t operand) {
  MlirAttribute maps = sn_in_dialect(op, "linalg") ? mlirLinalgGetIndexingMapsAttribute(op) : mlirAttributeGetNull();
  MlirAffineMap map = maps.ptr ? mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, operand)) : (MlirAffineMap){0};
  bool sums = false;
  for (intptr_t i = 0; maps.ptr && i < mlirAffineMapGetNumResults(map); ++i)
    sums |= sn_map_dim(map, i) < 0 && !mlirAffineExprIsAConstant(mlirAffineMapGetResult(map, i));
  return sums;
}

bool sn_is_image(MlirValue v) {
  MlirOpOperand use = mlirValueGetFirstUse(v);
  bool is = !mlirOpOperandIsNull(use);
  for (; !mlirOpOperandIsNull(use) && is; use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    is = sn_is(op, "tensor.pad") ? sn_is_image(sn_result(op, 0))
                                 : reads_windows(op, mlirOpOperandGetOperandNumber(use));
  }
  return is;
}
