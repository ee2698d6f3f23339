// host_names.c: what a program calls its functions is not what they are called inside.
//
//   func.func @exp(%x: tensor<4xf32>) -> tensor<4xf32> {...}
//   ->
//   func.func @exp_host(%x: tensor<4xf32>) -> tensor<4xf32> attributes {sinter.function = "exp"} {...}
//
// Later passes declare functions of libm, of the C library and of the runtime by their names. A function
// of the program that had such a name would be called in their place. The name itself goes into the library's
// table, and into names in C (names.h), from the attribute.
//
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_names.mlir

#include "lowering/host.h"
#include "lowering/names.h"

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
  sn_vec_free(&symbols);
  return result;
}

const SnPass sn_pass_host_names = {
    .argument = "sinter-names",
    .summary = "what the program calls a function is not what it is called inside",
    .anchor = "builtin.module",
    .run = run,
};
