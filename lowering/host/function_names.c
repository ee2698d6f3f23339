// function_names.c: what a program calls its functions is not what they are called inside.
//
//   func.func @exp(%x: tensor<4xf32>) -> tensor<4xf32> {...}
//   ->
//   func.func @exp_host(%x: tensor<4xf32>) -> tensor<4xf32> attributes {sinter.function = "exp"} {...}
//
// Later passes declare functions of libm, of the C library and of the runtime by their names. A function
// of the program that had such a name would be called in their place. The name itself goes into the library's
// table, and into names in C (names.h), from the attribute. Calls that were not inlined are there
// still: a public function that the program calls as well becomes two.
//
//   func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {...}   ... call @f(%y)
//   ->
//   func.func @f_host(%x: tensor<4xf32>) -> tensor<4xf32> {  %r = call @f_called(%x)   return %r  }
//   func.func private @f_called(%x: tensor<4xf32>) -> tensor<4xf32> {...}   ... call @f_called(%y)
//
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_names.mlir

#include "lowering/host/host.h"
#include "lowering/host/names.h"

// ---- names ------------------------------------------------------------------------

// Nothing before this pass declares a symbol, but for the runtime's own.
static MlirLogicalResult check(MlirOperation symbol, MlirStringRef name) {
  static const char runtime[] = "sinter_rt_";
  if (name.length >= strlen(runtime) && !memcmp(name.data, runtime, strlen(runtime)))
    return sn_error(symbol, "names that begin with %s are the runtime's: rename it", runtime);
  return sn_is_text(name) ? SN_OK
                          : sn_error(symbol, "its name holds a control character, or is not UTF-8: rename it");
}

static MlirLogicalResult rename_symbol(MlirOperation module, MlirOperation symbol) {
  MlirContext ctx = mlirOperationGetContext(module);
  MlirAttribute name = sn_get_attr(symbol, "sym_name");
  bool function = sn_is(symbol, "func.func");
  if (sn_failed(check(symbol, mlirStringAttrGetValue(name))))
    return SN_FAIL;
  if (function && sn_is_public(symbol))
    sn_set_attr(symbol, SN_FUNCTION, name);
  else if (sn_get_attr(symbol, SN_FUNCTION).ptr)
    mlirOperationRemoveAttributeByName(symbol, SN_STR(SN_FUNCTION));
  char *base = sn_symbol_base(symbol), *own = sn_new_symbol(module, base, function ? "_host" : "_data");
  MlirLogicalResult result = mlirSymbolTableReplaceAllSymbolUses(mlirStringAttrGetValue(name), SN_STR(own), module);
  if (sn_failed(result))
    sn_error(symbol, "is referred to by an operation that is not known: it cannot be renamed");
  sn_set_attr(symbol, "sym_name", sn_string(ctx, own));
  free(base);
  free(own);
  return result;
}

// A function with a body, or data; not a kernel, whose name is ours already.
static bool is_of_program(MlirOperation op) {
  MlirAttribute name = sn_get_attr(op, "sym_name");
  if (!name.ptr || !mlirAttributeIsAString(name))
    return false;
  if (sn_is(op, "func.func"))
    return sn_function_body(op).ptr && !sn_get_attr(op, SN_KERNEL).ptr;
  return sn_is(op, "memref.global");
}

// ---- calls ------------------------------------------------------------------------

static MlirStringRef callee_of(MlirOperation call) {
  return mlirFlatSymbolRefAttrGetValue(sn_get_attr(call, "callee"));
}

static bool has(const SnOpVec *ops, MlirOperation op) {
  for (size_t i = 0; i < ops->size; ++i)
    if (mlirOperationEqual(ops->data[i], op))
      return true;
  return false;
}

// Fails if a function is called whenever it runs: that never ends. `path` are those that call it, `done` those that are
// right.
static MlirLogicalResult check_calls(MlirOperation module, SnOpVec *path, SnOpVec *done, MlirOperation func) {
  if (has(done, func))
    return SN_OK;
  if (has(path, func))
    return sn_error(func, "calls itself whenever it runs, and so never ends");
  sn_push(path, func);
  MlirLogicalResult result = SN_OK;
  MlirOperation op = mlirBlockGetFirstOperation(sn_function_body(func));
  for (; !sn_null(op) && !sn_failed(result); op = mlirOperationGetNextInBlock(op)) {
    MlirOperation callee = sn_is(op, "func.call") ? sn_symbol(module, callee_of(op).data) : (MlirOperation){0};
    if (!sn_null(callee) && sn_is(callee, "func.func") && sn_function_body(callee).ptr)
      result = check_calls(module, path, done, callee);
  }
  --path->size;
  sn_push(done, func);
  return result;
}

static bool is_called(MlirOperation module, MlirStringRef name) {
  SnOpVec calls = sn_collect(module, "func.call");
  bool found = false;
  for (size_t i = 0; i < calls.size && !found; ++i)
    found = mlirStringRefEqual(callee_of(calls.data[i]), name);
  sn_vec_free(&calls);
  return found;
}

// A public function takes what the host passes, and answers through it. Where the program calls it as well, its body is
// that of a private function, which both call.
static void keep_from_host(MlirOperation module, MlirOperation func) {
  MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(func, "sym_name"));
  if (!is_called(module, name))
    return;
  SnBuilder b = sn_after(func);
  char *base = sn_symbol_base(func), *own = sn_new_symbol(module, base, "_called");
  MlirOperation inner = mlirOperationClone(func);
  mlirBlockInsertOwnedOperationAfter(b.block, func, inner);
  sn_set_attr(inner, "sym_name", sn_string(b.ctx, own));
  sn_set_attr(inner, "sym_visibility", sn_string(b.ctx, "private"));
  static const char *const of_host[] = {SN_FUNCTION, "arg_attrs", "res_attrs"};
  for (size_t i = 0; i < sizeof of_host / sizeof *of_host; ++i)
    mlirOperationRemoveAttributeByName(inner, SN_STR(of_host[i]));
  mlirSymbolTableReplaceAllSymbolUses(name, SN_STR(own), module);

  MlirRegion region = mlirOperationGetRegion(func, 0);
  MlirBlock old = mlirRegionGetFirstBlock(region);
  intptr_t n = mlirBlockGetNumArguments(old);
  MlirType type = mlirTypeAttrGetValue(sn_get_attr(func, "function_type"));
  intptr_t results = mlirFunctionTypeGetNumResults(type);
  MlirType *types = sn_alloc((size_t)(n + results + 1) * sizeof *types), *answers = types + n;
  MlirLocation *locs = sn_alloc((size_t)(n + 1) * sizeof *locs);
  MlirValue *values = sn_alloc((size_t)(n + results + 1) * sizeof *values);
  for (intptr_t i = 0; i < n; ++i) {
    types[i] = mlirFunctionTypeGetInput(type, i);
    locs[i] = b.loc;
  }
  for (intptr_t i = 0; i < results; ++i)
    answers[i] = mlirFunctionTypeGetResult(type, i);
  MlirRegion empty = mlirRegionCreate();
  mlirRegionTakeBody(region, empty); // the clone has the body
  mlirRegionDestroy(empty);
  MlirBlock block = mlirBlockCreate(n, types, locs);
  mlirRegionAppendOwnedBlock(region, block);
  for (intptr_t i = 0; i < n; ++i)
    values[i] = mlirBlockGetArgument(block, i);
  b = sn_at_end(block, b.loc);
  MlirOperation call = sn_op(&b, "func.call", sn_values(n, values), sn_types(results, answers),
                             sn_attr("callee", mlirFlatSymbolRefAttrGet(b.ctx, SN_STR(own))));
  for (intptr_t i = 0; i < results; ++i)
    values[i] = sn_result(call, i);
  sn_op(&b, "func.return", sn_values(results, values));
  free(values);
  free(locs);
  free(types);
  free(own);
  free(base);
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  SnOpVec symbols = {0};
  MlirBlock body = mlirModuleGetBody(mlirModuleFromOperation(module));
  MlirLogicalResult result = SN_OK;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    if (is_of_program(op))
      sn_push(&symbols, op);
    else if (sn_is(op, "builtin.module"))
      result = sn_error(op, "is a module inside of the program: move its functions to the outer one");
  }
  for (size_t i = 0; i < symbols.size; ++i)
    if (sn_failed(rename_symbol(module, symbols.data[i])))
      result = SN_FAIL;
  SnOpVec path = {0}, done = {0};
  for (size_t i = 0; i < symbols.size && !sn_failed(result); ++i)
    if (sn_is(symbols.data[i], "func.func"))
      result = check_calls(module, &path, &done, symbols.data[i]);
  for (size_t i = 0; i < symbols.size && !sn_failed(result); ++i)
    if (sn_is(symbols.data[i], "func.func") && sn_is_public(symbols.data[i]))
      keep_from_host(module, symbols.data[i]);
  sn_vec_free(&path);
  sn_vec_free(&done);
  sn_vec_free(&symbols);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__func__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__func__, NULL};

const SnPass sn_pass_host_names = {
    .argument = "sinter-names",
    .summary = "what the program calls a function is not what it is called inside",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
