// splice.c: what sinter-cut-chains made functions of is where it was before.
//
//   call @main_cut0(%x)   ->   what @main_cut0 holds
//
// relies on: tensors are buffers
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_splice.mlir

#include "lowering/host/host.h"

typedef struct {
  MlirSymbolTable symbols;
  SnOpVec calls, called; // and the function of each
} Splice;

static MlirWalkResult find_calls(MlirOperation op, void *user) {
  Splice *s = user;
  if (!sn_is(op, "func.call"))
    return MlirWalkResultAdvance;
  MlirOperation func = mlirSymbolTableLookup(s->symbols, mlirFlatSymbolRefAttrGetValue(sn_get_attr(op, "callee")));
  if (!sn_null(func) && sn_get_attr(func, SN_CUT).ptr) {
    sn_push(&s->calls, op);
    sn_push(&s->called, func);
  }
  return MlirWalkResultAdvance;
}

// Each function is called once.
static void splice(MlirOperation call, MlirOperation func) {
  MlirBlock body = sn_function_body(func);
  MlirOperation ret = mlirBlockGetTerminator(body);
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(body); ++k)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, k), sn_operand(call, k));
  for (intptr_t k = 0; k < sn_num_results(call); ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(call, k), sn_operand(ret, k));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, ret);) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    mlirOperationMoveBefore(op, call);
    op = next;
  }
  mlirOperationDestroy(call);
}

static MlirWalkResult find_function(MlirOperation op, void *user) {
  if (sn_is(op, "func.func") && sn_get_attr(op, SN_CUT).ptr)
    sn_push((SnOpVec *)user, op);
  return sn_is(op, "builtin.module") ? MlirWalkResultAdvance : MlirWalkResultSkip;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  SnOpVec functions = {0};
  mlirOperationWalk(module, find_function, &functions, MlirWalkPreOrder);
  if (functions.size) {
    Splice s = {.symbols = mlirSymbolTableCreate(module)};
    mlirOperationWalk(module, find_calls, &s, MlirWalkPreOrder);
    for (size_t k = 0; k < s.calls.size; ++k)
      splice(s.calls.data[k], s.called.data[k]);
    mlirSymbolTableDestroy(s.symbols);
    sn_vec_free(&s.calls);
    sn_vec_free(&s.called);
  }
  for (size_t k = 0; k < functions.size; ++k)
    mlirOperationDestroy(functions.data[k]);
  sn_vec_free(&functions);
  return SN_OK;
}

const SnPass sn_pass_host_splice = {
    .argument = "sinter-splice",
    .summary = "puts what sinter-cut-chains made functions of back where they are called",
    .anchor = "builtin.module",
    .run = run,
};
