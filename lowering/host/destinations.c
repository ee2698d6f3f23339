// destinations.c: what an operation of linalg writes is nobody else's.
//
//   %e = tensor.empty() : tensor<4x8xf32>
//   %z = linalg.fill ins(%f0 : f32) outs(%e)
//   %a = linalg.matmul ins(%x, %y) outs(%z)
//   %b = linalg.matmul ins(%a, %y) outs(%z)
//   ->
//   %e0 = tensor.empty()   %z0 = linalg.fill ins(%f0) outs(%e0)   %a = linalg.matmul ins(%x, %y) outs(%z0)
//   %e1 = tensor.empty()   %z1 = linalg.fill ins(%f0) outs(%e1)   %b = linalg.matmul ins(%a, %y) outs(%z1)
//
// Exporters and CSE make one such value for all operations of a size. Bufferization then asks of each of them what it
// shares with all others, which takes more than the square of their number; and a copy of what was filled once costs
// more than filling again.
//
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_destinations.mlir

#include "lowering/host/host.h"

static bool is_new(MlirOperation op) {
  return sn_is(op, "tensor.empty") || (sn_is(op, "linalg.fill") && sn_num_results(op) == 1 &&
                                       !sn_null(sn_def(sn_operand(op, sn_num_operands(op) - 1), "tensor.empty")));
}

static MlirValue made_again(SnBuilder *b, MlirOperation op) {
  SnMap none = {0};
  MlirOperation copy = sn_clone(b, op, &none);
  sn_map_free(&none);
  return sn_result(copy, 0);
}

static MlirWalkResult visit(MlirOperation op, void *user) {
  intptr_t n = sn_num_operands(op), results = sn_in_dialect(op, "linalg") ? sn_num_results(op) : 0;
  for (intptr_t k = results < n ? n - results : n; k < n; ++k) { // its last operands are what it writes
    MlirValue v = sn_operand(op, k);
    MlirOperation maker = sn_definer(v);
    if (sn_null(maker) || sn_one_use(v) || !is_new(maker))
      continue;
    SnBuilder b = sn_before(op);
    MlirValue own = made_again(&b, maker);
    mlirOperationSetOperand(op, k, own);
    MlirOperation fill = sn_definer(own);
    if (sn_is(fill, "linalg.fill")) {
      b = sn_before(fill);
      intptr_t to = sn_num_operands(fill) - 1;
      mlirOperationSetOperand(fill, to, made_again(&b, sn_definer(sn_operand(fill, to))));
    }
  }
  return MlirWalkResultAdvance;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  mlirOperationWalk(module, visit, NULL, MlirWalkPreOrder);
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tensor__, NULL};

const SnPass sn_pass_host_destinations = {
    .argument = "sinter-destinations",
    .summary = "what an operation of linalg writes is nobody else's",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
