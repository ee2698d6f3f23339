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
#include <stdio.h>

// ---- names ------------------------------------------------------------------------

// Nothing before this pass declares a symbol, but for the runtime's own.
static MlirLogicalResult check(MlirOperation symbol, MlirStringRef name) {
  static const char runtime[] = "sinter_rt_";
  if (name.length >= strlen(runtime) && !memcmp(name.data, runtime, strlen(runtime)))
    return sn_error(symbol, "names that begin with %s are the runtime's: rename it", runtime);
  return sn_is_text(name) ? SN_OK
                          : sn_error(symbol, "its name holds a control character, or is not UTF-8: rename it");
}

// Symbols of a module, and what those of the program are called from now on.
typedef struct {
  MlirOperation module;
  SnOpVec own;     // of the program
  SnTable taken;   // each name that a symbol has or had, as its string attribute, which MLIR makes once
  SnTable renamed; // of an old name the new one
  SnTable by_name; // of a name the op
  SnTable called;  // functions that a func.call names, by the name as a reference
} Symbols;

// BASE and suffix, with a number behind it if somebody has that.
static MlirAttribute new_name(Symbols *s, MlirOperation symbol, const char *suffix) {
  MlirContext ctx = mlirOperationGetContext(symbol);
  char *base = sn_symbol_base(symbol);
  size_t size = strlen(base) + strlen(suffix) + 32;
  char *text = sn_alloc(size);
  snprintf(text, size, "%s%s", base, suffix);
  MlirAttribute name = sn_string(ctx, text);
  uintptr_t next = 0;
  const void *first = name.ptr;
  for (sn_table_get(&s->taken, first, &next); sn_table_has(&s->taken, name.ptr); name = sn_string(ctx, text))
    snprintf(text, size, "%s%s%zu", base, suffix, (size_t)++next);
  sn_table_put(&s->taken, first, next); // the next of this base looks behind it
  if (name.ptr != first)
    sn_table_put(&s->taken, name.ptr, 0);
  free(text);
  free(base);
  return name;
}

static void call_it(Symbols *s, MlirOperation symbol, MlirAttribute name) {
  sn_set_attr(symbol, "sym_name", name);
  sn_table_put(&s->by_name, name.ptr, (uintptr_t)symbol.ptr);
}

static MlirAttribute new_reference(void *user, MlirAttribute name) {
  uintptr_t to = 0;
  sn_table_get(user, name.ptr, &to);
  return (MlirAttribute){(const void *)to};
}

// References to old names are to the new ones.
static void refer(Symbols *s) {
  sn_shim_refer(s->module, new_reference, &s->renamed);
  sn_table_clear(&s->renamed);
}

static MlirLogicalResult rename_symbol(Symbols *s, MlirOperation symbol) {
  MlirAttribute name = sn_get_attr(symbol, "sym_name");
  bool function = sn_is(symbol, "func.func");
  if (sn_failed(check(symbol, mlirStringAttrGetValue(name))))
    return SN_FAIL;
  if (function && sn_is_public(symbol))
    sn_set_attr(symbol, SN_FUNCTION, name);
  else if (sn_get_attr(symbol, SN_FUNCTION).ptr)
    mlirOperationRemoveAttributeByName(symbol, SN_STR(SN_FUNCTION));
  MlirAttribute own = new_name(s, symbol, function ? "_host" : "_data");
  sn_table_put(&s->renamed, name.ptr, (uintptr_t)own.ptr);
  call_it(s, symbol, own);
  return SN_OK;
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

static MlirAttribute name_of_callee(MlirOperation call) {
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(sn_get_attr(call, "callee"));
  return mlirStringAttrGet(mlirOperationGetContext(call), name);
}

enum { CALLS_ON = 1, RIGHT }; // of a function: it is among those that led here; it ends

// Fails if a function is called whenever it runs: that never ends.
static MlirLogicalResult check_calls(Symbols *s, SnTable *known, MlirOperation func) {
  uintptr_t is = 0;
  sn_table_get(known, func.ptr, &is);
  if (is)
    return is == RIGHT ? SN_OK : sn_error(func, "calls itself whenever it runs, and so never ends");
  sn_table_put(known, func.ptr, CALLS_ON);
  MlirLogicalResult result = SN_OK;
  MlirOperation op = mlirBlockGetFirstOperation(sn_function_body(func));
  for (; !sn_null(op) && !sn_failed(result); op = mlirOperationGetNextInBlock(op)) {
    uintptr_t callee = 0;
    if (!sn_is(op, "func.call") || !sn_table_get(&s->by_name, name_of_callee(op).ptr, &callee))
      continue;
    MlirOperation called = {(void *)callee};
    if (sn_is(called, "func.func") && sn_function_body(called).ptr)
      result = check_calls(s, known, called);
  }
  sn_table_put(known, func.ptr, RIGHT);
  return result;
}

static void find_called(Symbols *s) {
  SnOpVec calls = sn_collect(s->module, "func.call");
  for (size_t i = 0; i < calls.size; ++i)
    sn_table_put(&s->called, name_of_callee(calls.data[i]).ptr, 1);
  sn_vec_free(&calls);
}

// The program calls what the host does, too.
static bool is_shared(const Symbols *s, MlirOperation symbol) {
  return sn_is(symbol, "func.func") && sn_is_public(symbol) &&
         sn_table_has(&s->called, sn_get_attr(symbol, "sym_name").ptr);
}

// A public function takes what the host passes, and answers through it. Where the program calls it as well, its body is
// that of a private function of the name `own`, which both call.
static void keep_from_host(MlirOperation func, MlirAttribute own) {
  SnBuilder b = sn_after(func);
  MlirOperation inner = mlirOperationClone(func);
  mlirBlockInsertOwnedOperationAfter(b.block, func, inner);
  sn_set_attr(inner, "sym_name", own);
  sn_set_attr(inner, "sym_visibility", sn_string(b.ctx, "private"));
  static const char *const of_host[] = {SN_FUNCTION, "arg_attrs", "res_attrs"};
  for (size_t i = 0; i < sizeof of_host / sizeof *of_host; ++i)
    mlirOperationRemoveAttributeByName(inner, SN_STR(of_host[i]));

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
                             sn_attr("callee", mlirFlatSymbolRefAttrGet(b.ctx, mlirStringAttrGetValue(own))));
  for (intptr_t i = 0; i < results; ++i)
    values[i] = sn_result(call, i);
  sn_op(&b, "func.return", sn_values(results, values));
  free(values);
  free(locs);
  free(types);
}

// All calls name the private functions before the public ones call them.
static void keep_all_from_host(Symbols *s) {
  SnOpVec shared = {0};
  SN_VEC(MlirAttribute) names = {0};
  find_called(s);
  for (size_t i = 0; i < s->own.size; ++i) {
    if (!is_shared(s, s->own.data[i]))
      continue;
    sn_push(&shared, s->own.data[i]);
    sn_push(&names, new_name(s, s->own.data[i], "_called"));
    sn_table_put(&s->renamed, sn_get_attr(s->own.data[i], "sym_name").ptr, (uintptr_t)names.data[names.size - 1].ptr);
  }
  if (shared.size)
    refer(s);
  for (size_t i = 0; i < shared.size; ++i)
    keep_from_host(shared.data[i], names.data[i]);
  sn_vec_free(&shared);
  sn_vec_free(&names);
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  Symbols s = {.module = module};
  MlirBlock body = mlirModuleGetBody(mlirModuleFromOperation(module));
  MlirLogicalResult result = SN_OK;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    MlirAttribute name = sn_get_attr(op, "sym_name");
    if (name.ptr && mlirAttributeIsAString(name)) {
      sn_table_put(&s.taken, name.ptr, 0);
      sn_table_put(&s.by_name, name.ptr, (uintptr_t)op.ptr);
    }
    if (is_of_program(op))
      sn_push(&s.own, op);
    else if (sn_is(op, "builtin.module"))
      result = sn_error(op, "is a module inside of the program: move its functions to the outer one");
  }
  for (size_t i = 0; i < s.own.size; ++i)
    if (sn_failed(rename_symbol(&s, s.own.data[i])))
      result = SN_FAIL;
  refer(&s);
  SnTable known = {0};
  for (size_t i = 0; i < s.own.size && !sn_failed(result); ++i)
    if (sn_is(s.own.data[i], "func.func"))
      result = check_calls(&s, &known, s.own.data[i]);
  if (!sn_failed(result))
    keep_all_from_host(&s);
  sn_table_free(&known);
  sn_table_free(&s.taken);
  sn_table_free(&s.renamed);
  sn_table_free(&s.by_name);
  sn_table_free(&s.called);
  sn_vec_free(&s.own);
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
