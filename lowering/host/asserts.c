// asserts.c: a failing assert ends the call, not the process.
//
//     cf.assert %ok, "label out of range"
//     ...
//   ->
//     cf.cond_br %ok, ^on, ^failed
//   ^failed:
//     %m = llvm.mlir.addressof @sinter_message_0 : !llvm.ptr
//     func.call @sinter_rt_fail(%m) : (!llvm.ptr) -> ()
//     return
//   ^on:
//     ...
//
// The runtime keeps the first message, and the entry point answers
// SINTER_ASSERT_FAILED. Returning skips the load that the assert guards. A task of a
// parallel region returns from its task only; the other ones go on.
//
// relies on: structured control flow is branches already
// runs in: sinter-cpu    test: test/lowering/host_assert.mlir

#include "lowering/host/host.h"
#include <stdio.h>

typedef struct {
  MlirOperation module;
  SnTable numbers; // of a message's text, 1 + the number in its global's name
  int next;        // no global has this number, or a larger one
} Messages;

static void name_of(int number, char *name, size_t size) { snprintf(name, size, "sinter_message_%d", number); }

// Those that the module has.
static Messages messages_of(MlirOperation module) {
  Messages all = {.module = module};
  char name[40];
  MlirOperation global;
  for (; name_of(all.next, name, sizeof name), !sn_null(global = sn_symbol(module, name)); ++all.next)
    sn_table_put(&all.numbers, sn_get_attr(global, "value").ptr, (uintptr_t)all.next + 1);
  return all;
}

// The number of an assert's message, which ends in 0; equal messages share one.
static int message(Messages *all, MlirOperation assertion) {
  MlirContext ctx = mlirOperationGetContext(assertion);
  MlirStringRef text = mlirStringAttrGetValue(sn_get_attr(assertion, "msg"));
  char name[40], *with_end = sn_alloc(text.length + 1);
  memcpy(with_end, text.data, text.length);
  MlirAttribute value = mlirStringAttrGet(ctx, mlirStringRefCreate(with_end, text.length + 1));
  uintptr_t known = 0;
  free(with_end);
  if (sn_table_get(&all->numbers, value.ptr, &known))
    return (int)known - 1;
  name_of(all->next, name, sizeof name);
  SnBuilder top =
      sn_at_start(mlirModuleGetBody(mlirModuleFromOperation(all->module)), mlirOperationGetLocation(assertion));
  sn_op(&top, "llvm.mlir.global", mlirRegionCreate(), sn_attr("sym_name", sn_string(ctx, name)),
        sn_attr("global_type", mlirTypeAttrGet(sn_type(ctx, "!llvm.array<%zu x i8>", text.length + 1))),
        sn_attr("linkage", sn_parse_attr(ctx, "#llvm.linkage<internal>")), sn_attr("constant", sn_unit(ctx)),
        sn_attr("value", value));
  sn_table_put(&all->numbers, value.ptr, (uintptr_t)all->next + 1);
  return all->next++;
}

static MlirLogicalResult lower(MlirOperation module, MlirOperation assertion, int number) {
  MlirOperation func = mlirOperationGetParentOperation(assertion);
  bool plain = sn_is(func, "func.func");
  if (!plain && !sn_is(func, "llvm.func"))
    return sn_error(assertion, "is inside %s: expected a function", sn_name(func));
  SnValues results = sn_values(0, NULL);
  if (plain &&
      mlirFunctionTypeGetNumResults(mlirTypeAttrGetValue(sn_get_attr(func, "function_type"))))
    return sn_error(assertion, "is in a function with results, which a failing assert has none of");

  // Everything behind the assert is the block that goes on.
  MlirBlock block = mlirOperationGetBlock(assertion);
  MlirBlock on = mlirBlockCreate(0, NULL, NULL), failed = mlirBlockCreate(0, NULL, NULL);
  mlirRegionInsertOwnedBlockAfter(mlirOperationGetRegion(func, 0), block, on);
  mlirRegionInsertOwnedBlockAfter(mlirOperationGetRegion(func, 0), block, failed);
  for (MlirOperation op; !sn_null(op = mlirOperationGetNextInBlock(assertion));) {
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(on, op);
  }
  MlirLocation loc = mlirOperationGetLocation(assertion);
  MlirContext ctx = mlirOperationGetContext(assertion);
  SnBuilder b = sn_at_end(failed, loc);
  char name[40];
  name_of(number, name, sizeof name);
  MlirValue text = sn(&b, "llvm.mlir.addressof", sn_type(ctx, "!llvm.ptr"),
                      sn_attr("global_name", mlirFlatSymbolRefAttrGet(ctx, SN_STR(name))));
  sn_call_runtime(&b, module, "sinter_rt_fail", sn_values(1, &text));
  sn_op(&b, plain ? "func.return" : "llvm.return", results);
  b = sn_at_end(block, loc);
  sn_op(&b, "cf.cond_br", sn_operand(assertion, 0), on, failed,
        sn_attr("operandSegmentSizes", sn_parse_attr(ctx, "array<i32: 1, 0, 0>")));
  mlirOperationDestroy(assertion);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  SnOpVec all = sn_collect(module, "cf.assert");
  SN_VEC(int) numbers = {0};
  Messages messages = messages_of(module);
  MlirLogicalResult result = SN_OK;
  for (size_t i = 0; i < all.size; ++i)
    sn_push(&numbers, message(&messages, all.data[i]));
  // From the last one on: behind each is what stands in front of the next one, and no more.
  for (size_t i = all.size; i-- > 0;)
    if (sn_failed(lower(module, all.data[i], numbers.data[i])))
      result = SN_FAIL;
  sn_vec_free(&all);
  sn_vec_free(&numbers);
  sn_table_free(&messages.numbers);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__cf__(void);
MlirDialectHandle mlirGetDialectHandle__func__(void);
MlirDialectHandle mlirGetDialectHandle__llvm__(void);
static MlirDialectHandle (*const dialects[])(void) = {
    mlirGetDialectHandle__cf__, mlirGetDialectHandle__func__, mlirGetDialectHandle__llvm__, NULL};

const SnPass sn_pass_host_assert = {
    .argument = "sinter-assert",
    .summary = "a failing assert records its message and returns",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
