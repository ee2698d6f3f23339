// in_front.c: what waits for nothing may stand further in front.
//
//   %y = sinter.rowwise ...                  %e = tensor.empty() : tensor<48xf32>
//   %e = tensor.empty() : tensor<48xf32>  -> %y = sinter.rowwise ...
//   %z = sinter.rowwise ... outs(%e[i])      %z = sinter.rowwise ... outs(%e[i])
//
// So kernels of arguments alone can be brought together, wherever a program has them.
//
// test: test/passes/fuse/argument_tables.mlir, test/passes/sequence/share_tables.mlir

#include "passes/edit/edit.h"

bool sn_is_there(MlirValue v, MlirBlock block) {
  MlirOperation op = sn_definer(v);
  if (sn_null(op) || !mlirBlockEqual(mlirOperationGetBlock(op), block) || !sn_num_operands(op))
    return true;
  bool is = sn_is(op, "tensor.empty") || sn_is(op, "tensor.dim");
  for (intptr_t k = 0; k < sn_num_operands(op) && is; ++k) // a destination of sizes of an argument by a number
    is = sn_is_there(sn_operand(op, k), block);
  return is;
}

static uintptr_t place_of(const SnTable *places, MlirOperation op) {
  uintptr_t place = 0;
  sn_table_get(places, op.ptr, &place);
  return place;
}

void sn_move_needed(SnTable *places, MlirOperation a, MlirOperation b) {
  uintptr_t place = place_of(places, a);
  for (intptr_t k = 0; k < sn_num_operands(b); ++k) {
    MlirOperation needed = sn_definer(sn_operand(b, k));
    if (sn_null(needed) || !mlirBlockEqual(mlirOperationGetBlock(needed), mlirOperationGetBlock(a)) ||
        place_of(places, needed) <= place)
      continue;
    sn_move_needed(places, a, needed);
    mlirOperationMoveBefore(needed, a);
    sn_table_put(places, needed.ptr, place);
  }
}
