// widened.c: inputs of half types that are stored as f32.
//
//   ^row(%v: tensor<9xbf16>):                        ^row(%v: tensor<9xf32>):
//     %w = arith.extf %v : bf16 to f32       ->        %v in place of %w
//
// Of an input that is read again and again that saves as many conversions.
//
// test: test/passes/arrange/channel_lanes.mlir, test/passes/schedule/turned_taps.mlir

#include "passes/edit/edit.h"

MlirType sn_widened_input(const SnForm *f, size_t k) {
  MlirType t = sn_type_of(f->inputs.data[k].value), f32 = mlirF32TypeGet(mlirTypeGetContext(t));
  MlirOpOperand use = mlirValueGetFirstUse(sn_input_argument(f, k));
  bool widens = !mlirOpOperandIsNull(use);
  for (; !mlirOpOperandIsNull(use) && widens; use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    widens = sn_is(op, "arith.extf") && mlirTypeEqual(sn_element(sn_type_of(sn_result(op, 0))), f32);
  }
  return widens ? f32 : sn_element(t);
}

void sn_leave_out_extensions(MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !sn_null(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!sn_is(op, "arith.extf") || !mlirTypeEqual(sn_type_of(sn_operand(op, 0)), sn_type_of(sn_result(op, 0))))
      continue;
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn_operand(op, 0));
    mlirOperationDestroy(op);
  }
}
