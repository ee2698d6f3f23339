// detach.c: what only gradients see goes away.
//
//   %k = sinter.detach %x                  %k -> %x
//   %z = arith.subf %x, %k         ->
//   %t = arith.mulf %slope, %z             %l -> %v
//   %l = arith.addf %v, %t
//   %c = arith.select %p, %k, %x           %c -> %x
//
// A definition gives a value a gradient of its own so: beside the value stands a 0 with that slope. Zeros of this kind
// are not computed. For x of inf or NaN they would be NaN; the value says what it is there.
//
// runs in: differentiate, at its end    test: test/passes/differentiate/detach.mlir

#include "passes/differentiate/differentiate.h"

static SnOpVec readers(MlirValue v) {
  SnOpVec all = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    sn_push(&all, mlirOpOperandGetOwner(use));
  return all;
}

// v is 0: sums are their other side, products and rows of it are 0.
static void is_nothing(MlirValue v) {
  SnOpVec all = readers(v);
  for (size_t k = 0; k < all.size; ++k) {
    MlirOperation op = all.data[k];
    if (sn_is(op, "arith.addf"))
      mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn_operand(op, sn_same(sn_operand(op, 0), v)));
    else if (sn_is(op, "arith.mulf") || (sn_num_results(op) && !sn_none(sn_broadcast_of(sn_result(op, 0)))))
      is_nothing(sn_result(op, 0));
  }
  sn_vec_free(&all);
}

// A choice between a value and itself is the value.
static void choose_nothing(MlirValue x) {
  SnOpVec all = readers(x);
  for (size_t k = 0; k < all.size; ++k)
    if (sn_is(all.data[k], "arith.select") && sn_same(sn_operand(all.data[k], 1), x) &&
        sn_same(sn_operand(all.data[k], 2), x) && mlirValueGetFirstUse(sn_result(all.data[k], 0)).ptr)
      mlirValueReplaceAllUsesOfWith(sn_result(all.data[k], 0), x);
  sn_vec_free(&all);
}

void sn_drop_detach(MlirOperation root) {
  SnOpVec all = sn_collect(root, "sinter.detach");
  for (size_t k = 0; k < all.size; ++k) {
    MlirValue known = sn_result(all.data[k], 0), x = sn_operand(all.data[k], 0);
    SnOpVec reading = readers(known);
    for (size_t i = 0; i < reading.size; ++i)
      if (sn_is(reading.data[i], "arith.subf") && sn_same(sn_operand(reading.data[i], 0), x) &&
          sn_same(sn_operand(reading.data[i], 1), known))
        is_nothing(sn_result(reading.data[i], 0));
    sn_vec_free(&reading);
    mlirValueReplaceAllUsesOfWith(known, x);
    mlirOperationDestroy(all.data[k]);
    choose_nothing(x);
  }
  sn_vec_free(&all);
}
