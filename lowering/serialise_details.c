// serialise_details.c: what profilers want to know of a library, beside its table.
//
//   llvm.func internal @main_packed(...) attributes {sinter.kernels = [{kind = "rowwise", name = "main_kernel0"}],
//       sinter.costs = "main.costs_packed", sinter.input_facts = [{range = array<f64: 0, 8>}], ...}
//   ->
//   @details = private constant { ptr @function_details, ptr @sinter_rt_set_profiler, ptr @sinter_rt_costs }
//
// The structs are those of runtime/abi.h, field by field.
//
// test: test/tools/sinter-run-stats.test

#include "lowering/serialise_details.h"
#include "lowering/host/host.h"
#include "llvm-c/Core.h"

typedef struct {
  LLVMContextRef ctx;
  LLVMModuleRef llvm;
  LLVMTypeRef i32, f64, pointer;
} Writer;

static LLVMValueRef int32(const Writer *w, int64_t x) { return LLVMConstInt(w->i32, (uint64_t)x, true); }

static LLVMValueRef structure(const Writer *w, unsigned n, LLVMValueRef *fields) {
  return LLVMConstStructInContext(w->ctx, fields, n, false);
}
#define STRUCT(w, ...)                                                                                                 \
  structure(w, sizeof((LLVMValueRef[]){__VA_ARGS__}) / sizeof(LLVMValueRef), (LLVMValueRef[]){__VA_ARGS__})

static LLVMValueRef constant(const Writer *w, LLVMValueRef value) {
  LLVMValueRef global = LLVMAddGlobal(w->llvm, LLVMTypeOf(value), "");
  LLVMSetInitializer(global, value);
  LLVMSetGlobalConstant(global, true);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  return global;
}

static LLVMValueRef string(const Writer *w, MlirAttribute text) {
  MlirStringRef s = mlirStringAttrGetValue(text);
  return constant(w, LLVMConstStringInContext2(w->ctx, s.data, s.length, false));
}

// Takes the values; a constant array of them, NULL of none.
static LLVMValueRef array(const Writer *w, LLVMValueRef *all, intptr_t n) {
  LLVMValueRef global =
      n ? constant(w, LLVMConstArray2(LLVMTypeOf(all[0]), all, (uint64_t)n)) : LLVMConstNull(w->pointer);
  free(all);
  return global;
}

static intptr_t length(MlirAttribute list) { return list.ptr ? mlirArrayAttrGetNumElements(list) : 0; }

static LLVMValueRef kernels(const Writer *w, MlirAttribute list) {
  intptr_t n = length(list);
  LLVMValueRef *all = sn_alloc((size_t)(n + 1) * sizeof *all);
  for (intptr_t i = 0; i < n; ++i) {
    MlirAttribute k = mlirArrayAttrGetElement(list, i);
    all[i] = STRUCT(w, string(w, mlirDictionaryAttrGetElementByName(k, SN_STR("name"))),
                    string(w, mlirDictionaryAttrGetElementByName(k, SN_STR("kind"))));
  }
  return array(w, all, n);
}

// Of an input: {low, high, input, dim}; 0, 0, -1, 0 where nothing is known.
static LLVMValueRef range(const Writer *w, MlirAttribute facts) {
  MlirAttribute r = facts.ptr ? mlirDictionaryAttrGetElementByName(facts, SN_STR("range")) : facts;
  double x[4] = {0, 0, -1, 0};
  for (intptr_t i = 0; r.ptr && i < 4; ++i)
    x[i] = mlirDenseF64ArrayGetElement(r, i);
  return STRUCT(w, LLVMConstReal(w->f64, x[0]), LLVMConstReal(w->f64, x[1]), int32(w, (int64_t)x[2]),
                int32(w, (int64_t)x[3]));
}

static LLVMValueRef ranges(const Writer *w, MlirOperation entry) {
  MlirAttribute facts = sn_get_attr(entry, SN_INPUT_FACTS);
  intptr_t n = length(sn_get_attr(entry, SN_INPUTS));
  LLVMValueRef *all = sn_alloc((size_t)(n + 1) * sizeof *all);
  for (intptr_t i = 0; i < n; ++i)
    all[i] = range(w, facts.ptr ? mlirArrayAttrGetElement(facts, i) : facts);
  return array(w, all, n);
}

static MlirAttribute entry_of(MlirAttribute dict, const char *name) {
  return mlirDictionaryAttrGetElementByName(dict, SN_STR(name));
}

static LLVMValueRef clocks(const Writer *w, MlirAttribute list) {
  intptr_t n = length(list);
  LLVMValueRef *all = sn_alloc((size_t)(n + 1) * sizeof *all);
  for (intptr_t i = 0; i < n; ++i) {
    MlirAttribute c = mlirArrayAttrGetElement(list, i), phases = entry_of(c, "phases");
    LLVMValueRef *texts = sn_alloc((size_t)(length(phases) + 1) * sizeof *texts);
    for (intptr_t p = 0; p < length(phases); ++p)
      texts[p] = string(w, mlirArrayAttrGetElement(phases, p));
    all[i] = STRUCT(w, string(w, entry_of(c, "kernel")), string(w, entry_of(c, "symbol")),
                    int32(w, mlirIntegerAttrGetValueInt(entry_of(c, "blocks"))), int32(w, length(phases)),
                    array(w, texts, length(phases)));
  }
  return array(w, all, n);
}

static MlirAttribute clocks_of(MlirOperation entry) {
  return sn_get_attr(mlirOperationGetParentOperation(entry), SN_KERNEL_CLOCKS);
}

static LLVMValueRef details(const Writer *w, MlirOperation entry) {
  MlirAttribute list = sn_get_attr(entry, SN_KERNELS), costs = sn_get_attr(entry, SN_COSTS);
  return STRUCT(w, int32(w, length(list)), int32(w, clocks_of(entry).ptr != NULL), kernels(w, list), ranges(w, entry),
                costs.ptr ? LLVMGetNamedFunction(w->llvm, mlirStringAttrGetValue(costs).data)
                          : LLVMConstNull(w->pointer));
}

LLVMValueRef sn_serialise_details(LLVMModuleRef llvm, const SnOpVec *entries, LLVMValueRef constants) {
  LLVMContextRef ctx = LLVMGetModuleContext(llvm);
  Writer w = {ctx, llvm, LLVMInt32TypeInContext(ctx), LLVMDoubleTypeInContext(ctx), LLVMPointerTypeInContext(ctx, 0)};
  LLVMValueRef *all = sn_alloc((entries->size + 1) * sizeof *all);
  for (size_t i = 0; i < entries->size; ++i)
    all[i] = details(&w, entries->data[i]);
  LLVMTypeRef p = w.pointer;
  LLVMValueRef set =
      LLVMAddFunction(llvm, "sinter_rt_set_profiler", LLVMFunctionType(LLVMVoidTypeInContext(ctx), &p, 1, false));
  LLVMValueRef costs =
      LLVMAddFunction(llvm, "sinter_rt_costs", LLVMFunctionType(w.i32, (LLVMTypeRef[]){p, p, p, p}, 4, false));
  LLVMValueRef functions = array(&w, all, (intptr_t)entries->size);
  MlirAttribute kept = entries->size ? clocks_of(entries->data[0]) : mlirAttributeGetNull();
  LLVMValueRef read =
      kept.ptr ? LLVMAddFunction(llvm, "sinter_rt_clocks", LLVMFunctionType(w.i32, (LLVMTypeRef[]){p, p}, 2, false))
               : LLVMConstNull(p);
  return constant(&w, STRUCT(&w, functions, set, costs, constants ? constants : LLVMConstNull(p),
                             LLVMConstInt(LLVMInt64TypeInContext(ctx), (uint64_t)length(kept), false), clocks(&w, kept),
                             read));
}
