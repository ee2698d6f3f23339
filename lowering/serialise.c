// serialise.c: LLVM's dialect -> LLVM IR -> an object with its descriptor table.
//
//   llvm.func internal @main_packed(%d: !llvm.ptr)
//       attributes {sinter.function = "main", sinter.inputs = [...], ...}
//   ->
//   define internal void @main_packed(ptr)
//   define i32 @model_main(ptr %in, ptr %out, ptr %stream, ptr %workspace) {
//     %s = tail call i32 @sinter_rt_call(ptr @functions[0], %in, %out, %stream, %workspace)
//     ret i32 %s
//   }
//   define i64 @model_main_workspace()
//   @model_library = constant { i32 1, i32 1, ptr @functions, ... }
//   @sinter_library = weak alias @model_library
//
// names.h says what is called how. The alias is weak, so that several programs may be linked into one.
// The structs are those of runtime/abi.h, field by field. One road for a program
// that is run at once and for a library.
//
// test: test/tools/sinter-cc.test, test/run

#include "lowering/serialise.h"
#include "capi/shim.h"
#include "lowering/host/host.h"
#include "lowering/host/names.h"
#include "lowering/object_constants.h"
#include "lowering/object_merge.h"
#include "lowering/serialise_code.h"
#include "lowering/serialise_details.h"
#include "lowering/serialise_parts.h"
#include "mlir-c/Target/LLVMIR.h"
#include "runtime/abi.h"
#include "runtime/cpu_features.h"
#include "llvm-c/Core.h"
#include <stdio.h>

typedef struct {
  MlirOperation module;
  const SnSerialise *options;
  SnCode *codes; // the first has the table of functions
  size_t n;
  LLVMContextRef ctx; // of the first
  LLVMModuleRef llvm;
  LLVMTypeRef i8, i16, i32, i64, pointer;
  SnOpVec entries; // llvm.func with sinter.function
  uint64_t features; // of the processor, that the code may use
  LLVMValueRef table, rows; // of functions, and what stands for it until the optimiser has run
  LLVMValueRef constants; // the pointer to large constants, or NULL
  LLVMValueRef file; // the SinterConstants of a library whose constants are in a file, else NULL
} Writer;

static SnOpVec entries_of(MlirOperation module) {
  SnOpVec all = sn_collect(module, "llvm.func"), entries = {0};
  for (size_t i = 0; i < all.size; ++i)
    if (!mlirAttributeIsNull(sn_get_attr(all.data[i], SN_FUNCTION)))
      sn_push(&entries, all.data[i]);
  sn_vec_free(&all);
  return entries;
}

static const char *string_attr(MlirOperation op, const char *name) {
  return mlirStringAttrGetValue(sn_get_attr(op, name)).data;
}

// ---- constants ------------------------------------------------------------------

static LLVMValueRef int32(const Writer *w, int64_t x) {
  return LLVMConstInt(w->i32, (uint64_t)x, true);
}
static LLVMValueRef int64(const Writer *w, int64_t x) {
  return LLVMConstInt(w->i64, (uint64_t)x, true);
}
static LLVMValueRef null(const Writer *w) { return LLVMConstNull(w->pointer); }

static LLVMValueRef structure(const Writer *w, unsigned n, LLVMValueRef *fields) {
  return LLVMConstStructInContext(w->ctx, fields, n, false);
}
#define STRUCT(w, ...)                                                                             \
  structure(w, sizeof((LLVMValueRef[]){__VA_ARGS__}) / sizeof(LLVMValueRef),                       \
            (LLVMValueRef[]){__VA_ARGS__})

static LLVMValueRef constant(const Writer *w, const char *name, LLVMValueRef value) {
  LLVMValueRef global = LLVMAddGlobal(w->llvm, LLVMTypeOf(value), name);
  LLVMSetInitializer(global, value);
  LLVMSetGlobalConstant(global, true);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  return global;
}

// An attribute without text has no bytes either: data is NULL then.
static LLVMValueRef string(const Writer *w, MlirStringRef text) {
  LLVMValueRef value = LLVMConstStringInContext2(w->ctx, text.length ? text.data : "", text.length, false);
  LLVMValueRef global = constant(w, "", value);
  LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
  return global;
}

// ---- the table ---------------------------------------------------------------------

static DLDataType dl_type(MlirType element) {
  unsigned bits = sn_bits(element);
  if (mlirTypeIsABF16(element))
    return (DLDataType){kDLBfloat, 16, 1};
  if (sn_is_float8(element))
    return (DLDataType){mlirTypeIsAFloat8E5M2(element) ? SINTER_DL_FLOAT8_E5M2 : SINTER_DL_FLOAT8_E4M3FN, 8, 1};
  if (sn_is_float(element))
    return (DLDataType){kDLFloat, (uint8_t)bits, 1};
  if (bits == 1)
    return (DLDataType){kDLUInt, 8, 1};
  return (DLDataType){kDLInt, (uint8_t)bits, 1};
}

static MlirAttribute fact(MlirAttribute facts, const char *name) {
  return facts.ptr ? mlirDictionaryAttrGetElementByName(facts, SN_STR(name)) : facts;
}

static LLVMValueRef tensor(const Writer *w, MlirType type, MlirAttribute facts) {
  intptr_t rank = sn_rank(type);
  LLVMValueRef *sizes = sn_alloc((size_t)rank * sizeof *sizes);
  for (intptr_t i = 0; i < rank; ++i)
    sizes[i] = int64(w, sn_dim(type, i) == SN_DYNAMIC ? -1 : sn_dim(type, i));
  LLVMValueRef shape =
      rank ? constant(w, "shape", LLVMConstArray2(w->i64, sizes, (uint64_t)rank)) : null(w);
  free(sizes);
  DLDataType t = dl_type(sn_element(type));
  LLVMValueRef dtype =
      STRUCT(w, LLVMConstInt(w->i8, t.code, false), LLVMConstInt(w->i8, t.bits, false),
             LLVMConstInt(w->i16, t.lanes, false));
  bool boolean = sn_bits(sn_element(type)) == 1;
  MlirAttribute name = fact(facts, "name"), of = fact(facts, "gradient_of"), shares = fact(facts, "shares");
  int64_t flags = (boolean ? SINTER_TENSOR_BOOL : 0) |
                  (shares.ptr ? SINTER_TENSOR_SHARES | mlirIntegerAttrGetValueInt(shares) << SINTER_SHARES_SHIFT : 0);
  return STRUCT(w, string(w, name.ptr ? mlirStringAttrGetValue(name) : SN_STR("")), dtype, int32(w, rank),
                int32(w, of.ptr ? mlirIntegerAttrGetValueInt(of) : -1), int32(w, flags), shape);
}

static LLVMValueRef tensors(const Writer *w, const char *name, MlirAttribute types,
                            MlirAttribute facts) {
  unsigned n = (unsigned)mlirArrayAttrGetNumElements(types);
  if (!n)
    return null(w);
  LLVMValueRef *all = sn_alloc(n * sizeof *all);
  for (unsigned i = 0; i < n; ++i)
    all[i] = tensor(w, mlirTypeAttrGetValue(mlirArrayAttrGetElement(types, i)),
                    facts.ptr ? mlirArrayAttrGetElement(facts, i) : facts);
  LLVMValueRef global = constant(w, name, LLVMConstArray2(LLVMTypeOf(all[0]), all, n));
  free(all);
  return global;
}

static LLVMValueRef runtime(const Writer *w, const char *name, LLVMTypeRef type) {
  LLVMValueRef function = LLVMGetNamedFunction(w->llvm, name);
  return function ? function : LLVMAddFunction(w->llvm, name, type);
}

// A name that the host calls is that of nothing inside.
static void leave_name(const Writer *w, const char *name) {
  LLVMValueRef f = LLVMGetNamedFunction(w->llvm, name), g = LLVMGetNamedGlobal(w->llvm, name);
  if (f || g)
    LLVMSetValueName2(f ? f : g, "", 0);
}

static void set_attribute(LLVMValueRef function, const char *name, const char *value) {
  LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  LLVMAddAttributeAtIndex(
      function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
      LLVMCreateStringAttribute(ctx, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

// The function that a call is of, in whichever module it is; NULL: in none.
static LLVMValueRef called(const Writer *w, LLVMValueRef call) {
  LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(call));
  size_t length;
  const char *name = callee ? LLVMGetValueName2(callee, &length) : NULL;
  for (size_t i = 0; i < w->n && callee && LLVMIsDeclaration(callee); ++i) {
    LLVMValueRef there = LLVMGetNamedFunction(w->codes[i].llvm, name);
    callee = there ? there : callee;
  }
  return callee && !LLVMIsDeclaration(callee) ? callee : NULL;
}

// A function, and what it calls, runs on every processor of the architecture: a host may call it before it knows
// whether this one will do.
static void for_any_processor(const Writer *w, LLVMValueRef function) {
  static const char cpu[] = "target-cpu";
  if (!w->features ||
      LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, cpu, sizeof cpu - 1))
    return;
  set_attribute(function, cpu, "x86-64");
  set_attribute(function, "target-features", "");
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
      LLVMValueRef callee = LLVMGetInstructionOpcode(i) == LLVMCall ? called(w, i) : NULL;
      if (callee)
        for_any_processor(w, callee);
    }
}

// ---- large constants ---------------------------------------------------------------

// The SinterConstants of a file.
static LLVMValueRef constants_file(const Writer *w) {
  MlirStringRef path = SN_STR(w->options->constants);
  LLVMValueRef value = STRUCT(w, string(w, path), int64(w, sn_constants_bytes(w->module)),
                              LLVMConstInt(w->i64, sn_constants_fingerprint(w->module), false), w->constants, null(w));
  LLVMValueRef file = constant(w, "sinter_constants_file", value);
  LLVMSetGlobalConstant(file, false); // the runtime keeps a list of them
  return file;
}

// Behind the optimiser, which would take what it sees for what is there.
static void define_constants(const Writer *w) {
  LLVMValueRef first = null(w);
  if (!w->constants)
    return;
  if (!w->options->constants) {
    LLVMTypeRef word = LLVMArrayType2(w->i8, SN_CONSTANT_ALIGNMENT);
    first = LLVMAddGlobal(w->llvm, word, "sinter_constants_first");
    LLVMSetInitializer(first, LLVMConstNull(word));
    LLVMSetGlobalConstant(first, true);
    LLVMSetLinkage(first, LLVMInternalLinkage);
    LLVMSetAlignment(first, SN_CONSTANT_ALIGNMENT);
    LLVMSetSection(first, SN_CONSTANTS_SECTION);
  }
  LLVMSetInitializer(w->constants, first);
  if (LLVMGetVisibility(w->constants) != LLVMHiddenVisibility) // no other part refers to it
    LLVMSetLinkage(w->constants, LLVMInternalLinkage);
}

// int32_t NAME(inputs, outputs, stream, workspace): a tail call of the runtime.
static LLVMValueRef call(const Writer *w, const char *name, LLVMValueRef self) {
  LLVMTypeRef p = w->pointer, types[] = {p, p, p, p, p, w->i64, p};
  bool asks = w->features != 0;
  unsigned n = w->file ? 7 : asks ? 6 : 5;
  LLVMTypeRef type = LLVMFunctionType(w->i32, types, 4, false), rt_type = LLVMFunctionType(w->i32, types, n, false);
  LLVMValueRef rt = runtime(w,
                            w->file ? "sinter_rt_call_mapped"
                            : asks  ? "sinter_rt_call_on"
                                    : "sinter_rt_call",
                            rt_type);
  LLVMValueRef function = LLVMAddFunction(w->llvm, name, type);
  for_any_processor(w, function);
  LLVMBuilderRef b = LLVMCreateBuilderInContext(w->ctx);
  LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(w->ctx, function, ""));
  LLVMValueRef arguments[] = {self, NULL, NULL, NULL, NULL, LLVMConstInt(w->i64, w->features, false), w->file};
  for (unsigned i = 0; i < 4; ++i)
    arguments[i + 1] = LLVMGetParam(function, i);
  LLVMValueRef status = LLVMBuildCall2(b, rt_type, rt, arguments, n, "");
  LLVMSetTailCall(status, true);
  LLVMBuildRet(b, status);
  LLVMDisposeBuilder(b);
  return function;
}

// int64_t NAME_workspace(void)
static void workspace_function(const Writer *w, const char *name, int64_t bytes) {
  LLVMValueRef function = LLVMAddFunction(w->llvm, name, LLVMFunctionType(w->i64, NULL, 0, false));
  for_any_processor(w, function);
  LLVMBuilderRef b = LLVMCreateBuilderInContext(w->ctx);
  LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(w->ctx, function, ""));
  LLVMBuildRet(b, int64(w, bytes));
  LLVMDisposeBuilder(b);
}

// The row's SinterExtension, if there is anything to say.
static LLVMValueRef extension(const Writer *w, MlirOperation entry) {
  if (mlirAttributeIsNull(sn_get_attr(entry, SN_SHAPES)))
    return null(w);
  LLVMValueRef shapes = LLVMGetNamedFunction(w->llvm, string_attr(entry, SN_SHAPES));
  for_any_processor(w, shapes); // a host asks for sizes before it calls
  return constant(w, "extension", STRUCT(w, shapes));
}

static LLVMValueRef function(const Writer *w, MlirOperation entry, LLVMValueRef self) {
  // The table has its own call: where a program opens the library that has a function of
  // this name itself, the dynamic linker would take the program's.
  LLVMValueRef own = call(w, "", self);
  LLVMSetLinkage(own, LLVMPrivateLinkage);
  MlirAttribute inputs = sn_get_attr(entry, SN_INPUTS), outputs = sn_get_attr(entry, SN_OUTPUTS);
  return STRUCT(w, string(w, mlirStringAttrGetValue(sn_get_attr(entry, SN_FUNCTION))),
                int32(w, w->options->gpu ? kDLCUDA : kDLCPU), int32(w, mlirArrayAttrGetNumElements(inputs)),
                int32(w, mlirArrayAttrGetNumElements(outputs)), int32(w, 0),
                tensors(w, "inputs", inputs, sn_get_attr(entry, SN_INPUT_FACTS)),
                tensors(w, "outputs", outputs, sn_get_attr(entry, SN_OUTPUT_FACTS)),
                int64(w, sn_int_attr(entry, SN_WORKSPACE_BYTES, 0)),
                LLVMGetNamedFunction(w->llvm, string_attr(entry, "sym_name")), own, extension(w, entry));
}

// The functions that a host calls by their names in C. `shapes` is null, or computes sizes.
static void export(const Writer *w, MlirOperation entry, LLVMValueRef self, LLVMValueRef shapes) {
  MlirStringRef function = mlirStringAttrGetValue(sn_get_attr(entry, SN_FUNCTION));
  char *name = sn_c_name(w->options->name, function, NULL);
  char *workspace = sn_c_name(w->options->name, function, "workspace");
  char *sizes = sn_c_name(w->options->name, function, "shapes");
  leave_name(w, name);
  leave_name(w, workspace);
  call(w, name, self);
  workspace_function(w, workspace, sn_int_attr(entry, SN_WORKSPACE_BYTES, 0));
  if (shapes) {
    leave_name(w, sizes);
    LLVMSetLinkage(shapes, LLVMExternalLinkage);
    LLVMSetValueName2(shapes, sizes, strlen(sizes));
  }
  free(name);
  free(workspace);
  free(sizes);
}

static LLVMTypeRef function_type(const Writer *w) {
  LLVMTypeRef p = w->pointer, i32 = w->i32;
  return LLVMStructTypeInContext(
      w->ctx, (LLVMTypeRef[]){p, i32, i32, i32, i32, p, p, w->i64, p, p, p}, 11, false);
}

// SinterLibraryExtension.
static LLVMValueRef library_extension(const Writer *w) {
  LLVMTypeRef p = w->pointer;
  LLVMTypeRef prepare = LLVMFunctionType(w->i32, (LLVMTypeRef[]){p, p, p}, 3, false);
  LLVMTypeRef status = LLVMFunctionType(w->i32, &p, 1, false);
  return constant(w, "library_extension",
                  STRUCT(w, runtime(w, "sinter_rt_prepare", prepare), runtime(w, "sinter_rt_device_status", status)));
}

// A function refers to its row, the row to the function, and the table to all rows. LLVM's graph of calls would follow
// that from each function to all others, so functions refer to a table from elsewhere until the optimiser is done.
static void add_table(Writer *w) {
  unsigned n = (unsigned)w->entries.size;
  LLVMTypeRef type = function_type(w);
  LLVMValueRef table = LLVMAddGlobal(w->llvm, LLVMArrayType2(type, n), "functions");
  w->table = table;
  w->rows = LLVMAddGlobal(w->llvm, LLVMArrayType2(type, n), "rows");
  LLVMValueRef *rows = sn_alloc((n + 1) * sizeof *rows), *selves = sn_alloc((n + 1) * sizeof *selves),
               *shapes = sn_alloc((n + 1) * sizeof *shapes);
  for (unsigned i = 0; i < n; ++i) {
    LLVMValueRef index[2] = {int64(w, 0), int64(w, i)};
    selves[i] = LLVMConstInBoundsGEP2(LLVMArrayType2(type, n), w->rows, index, 2);
    rows[i] = function(w, w->entries.data[i], selves[i]);
    if (sn_get_attr(w->entries.data[i], SN_COSTS).ptr)
      for_any_processor(w, LLVMGetNamedFunction(w->llvm, string_attr(w->entries.data[i], SN_COSTS)));
    if (sn_get_attr(w->entries.data[i], SN_SHAPES).ptr)
      shapes[i] = LLVMGetNamedFunction(w->llvm, string_attr(w->entries.data[i], SN_SHAPES));
  }
  for (unsigned i = 0; i < n && w->options->name; ++i) // from here on names inside may be gone
    export(w, w->entries.data[i], selves[i], shapes[i]);
  LLVMSetInitializer(table, LLVMConstArray2(type, rows, n));
  LLVMSetGlobalConstant(table, true);
  LLVMSetLinkage(table, LLVMPrivateLinkage);
  free(rows);
  free(selves);
  free(shapes);

  LLVMTypeRef nothing = LLVMVoidTypeInContext(w->ctx), p = w->pointer;
  LLVMValueRef none = null(w);
  bool threads = w->options->parallel;
  LLVMValueRef library =
      STRUCT(w, int32(w, SINTER_ABI_VERSION), int32(w, n), table,
             runtime(w, "sinter_rt_last_error", LLVMFunctionType(p, NULL, 0, false)),
             runtime(w, "sinter_rt_stats", LLVMFunctionType(nothing, &p, 1, false)),
             threads ? runtime(w, "sinter_rt_set_threads",
                               LLVMFunctionType(nothing, (LLVMTypeRef[]){w->i32}, 1, false))
                     : none,
             threads ? runtime(w, "sinter_rt_set_parallel",
                               LLVMFunctionType(nothing, (LLVMTypeRef[]){p, p}, 2, false))
                     : none,
             w->options->gpu ? library_extension(w) : none, sn_serialise_details(w->llvm, &w->entries, w->constants));
  char *name = w->options->name ? sn_c_name(w->options->name, SN_STR("library"), NULL) : NULL;
  if (name)
    leave_name(w, name);
  LLVMValueRef global = LLVMAddGlobal(w->llvm, LLVMTypeOf(library), name ? name : SN_LIBRARY);
  LLVMSetInitializer(global, library);
  LLVMSetGlobalConstant(global, true);
  if (name)
    LLVMSetLinkage(LLVMAddAlias2(w->llvm, LLVMTypeOf(library), 0, global, SN_LIBRARY), LLVMWeakAnyLinkage);
  free(name);
}

// Behind the optimiser.
static void close_table(const Writer *w) {
  LLVMReplaceAllUsesWith(w->rows, w->table);
  LLVMDeleteGlobal(w->rows);
}

// ---- machine code ------------------------------------------------------------------

// The program has instructions on tiles: only these are written by hand.
static bool has_tiles(const Writer *w) {
  bool has = false;
  for (size_t i = 0; i < w->n; ++i)
    has |= LLVMGetNamedFunction(w->codes[i].llvm, "llvm.x86.tilezero.internal") != NULL;
  return has;
}

// What the code may use of a processor, beyond what each of its architecture has.
static uint64_t features_used(const Writer *w) {
#define NAME(name, ...) "+" name,
  static const char *const names[] = {SINTER_CPU_FEATURES(NAME)};
#undef NAME
  uint64_t used = 0;
  bool is_x86 = !strncmp(LLVMGetTarget(w->llvm), "x86_64", 6), tiles = has_tiles(w);
  for (unsigned i = 0; i < sizeof names / sizeof *names && is_x86; ++i)
    if ((strncmp(names[i], "+amx-", 5) || tiles) && sn_shim_machine_has(w->codes[0].machine, names[i]))
      used |= (uint64_t)1 << i;
  return used;
}

// The processor to compile for; NULL: this one. Host code of a library for a GPU only launches, so any will do.
static const char *processor(const Writer *w) {
  char *triple = LLVMGetDefaultTargetTriple();
  bool any = !w->options->cpu && w->options->gpu && !strncmp(triple, "x86_64", 6);
  LLVMDisposeMessage(triple);
  return any ? "x86-64" : w->options->cpu;
}

// What is not exported is nobody else's: LLVM may then inline and drop it.
static void internalise(LLVMModuleRef llvm) {
  for (LLVMValueRef f = LLVMGetFirstFunction(llvm); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f))
      LLVMSetLinkage(f, LLVMInternalLinkage);
  for (LLVMValueRef g = LLVMGetFirstGlobal(llvm); g; g = LLVMGetNextGlobal(g))
    if (!LLVMIsDeclaration(g) && LLVMGetLinkage(g) == LLVMExternalLinkage)
      LLVMSetLinkage(g, LLVMInternalLinkage);
}

// What the program allocates belongs to the call: it is freed also where an assert ends it.
static void own_memory(LLVMModuleRef llvm) {
  static const char *const names[][2] = {{"malloc", "sinter_rt_allocate"},
                                         {"free", "sinter_rt_release"}};
  for (int i = 0; i < 2; ++i) {
    LLVMValueRef f = LLVMGetNamedFunction(llvm, names[i][0]);
    if (f && LLVMIsDeclaration(f))
      LLVMSetValueName2(f, names[i][1], strlen(names[i][1]));
  }
}

// What other parts refer to has a name there that nothing else has, as no symbol in C has a dot; nobody else sees it.
static void name_shared(LLVMModuleRef llvm, const SnParts *parts) {
  for (size_t i = 0; i < parts->shared.size; ++i) {
    MlirStringRef s = parts->shared.data[i];
    size_t size = s.length + 24;
    char *name = sn_alloc(size);
    memcpy(name, s.data, s.length);
    LLVMValueRef f = LLVMGetNamedFunction(llvm, name), it = f ? f : LLVMGetNamedGlobal(llvm, name);
    snprintf(name + s.length, size - s.length, ".%zu", i);
    if (it) {
      LLVMSetValueName2(it, name, strlen(name));
      LLVMSetLinkage(it, LLVMExternalLinkage);
      LLVMSetVisibility(it, LLVMHiddenVisibility);
    }
    free(name);
  }
}

// What a loop was given on its way down is a discardable attribute of its branch; LLVM's dialect has a place of its own
// for it, which is what is translated.
static MlirWalkResult annotate(MlirOperation op, void *user) {
  (void)user;
  MlirAttribute said = sn_get_attr(op, "llvm.loop_annotation");
  if (said.ptr) {
    mlirOperationRemoveAttributeByName(op, SN_STR("llvm.loop_annotation"));
    sn_set_attr(op, "loop_annotation", said);
  }
  return MlirWalkResultAdvance;
}

// An operation of a dialect that is not translated, which no pass of the road has lowered.
static MlirWalkResult find_left(MlirOperation op, void *left) {
  static const char *const translated[] = {"llvm", "builtin", "gpu", "nvvm", "x86", "x86vector", "amx"};
  for (size_t i = 0; i < sizeof translated / sizeof *translated; ++i)
    if (sn_in_dialect(op, translated[i]))
      return MlirWalkResultAdvance;
  *(MlirOperation *)left = op;
  return MlirWalkResultInterrupt;
}

typedef struct {
  char text[512]; // of the first error
} Said;

static MlirLogicalResult keep_said(MlirDiagnostic diagnostic, void *user) {
  if (mlirDiagnosticGetSeverity(diagnostic) != MlirDiagnosticError)
    return SN_FAIL; // others' handlers have it
  Said *said = user;
  if (!*said->text) {
    SnText text = sn_text_in(said->text, sizeof said->text);
    mlirDiagnosticPrint(diagnostic, sn_text_add, &text);
  }
  return SN_OK;
}

// One error, at the operation that was left.
static void not_translated(SnCode *code, MlirOperation module, const char *said) {
  MlirOperation left = {0};
  mlirOperationWalk(module, find_left, &left, MlirWalkPreOrder);
  if (sn_null(left))
    sn_code_fail(code, "cannot be translated", *said ? said : "LLVM says not why");
  else
    sn_error(left, "has no way to machine code: neither Sinter's passes nor upstream's lower it here");
}

static bool translate(Writer *w, size_t i, const SnParts *parts) {
  SnCode *code = &w->codes[i];
  MlirOperation part = i ? mlirModuleGetOperation(parts->modules.data[i - 1]) : w->module;
  mlirOperationWalk(part, annotate, NULL, MlirWalkPreOrder);
  code->plain = parts->last_is_plain && i == parts->modules.size;
  Said said = {0};
  MlirContext ctx = mlirOperationGetContext(part);
  MlirDiagnosticHandlerID id = mlirContextAttachDiagnosticHandler(ctx, keep_said, &said, NULL);
  code->llvm = mlirTranslateModuleToLLVMIR(part, code->ctx);
  mlirContextDetachDiagnosticHandler(ctx, id);
  if (!code->llvm)
    not_translated(code, part, said.text);
  if (!code->llvm || code->error || !sn_code_target(code, processor(w)))
    return false;
  internalise(code->llvm);
  own_memory(code->llvm);
  if (!i)
    w->constants = LLVMGetNamedGlobal(code->llvm, SN_CONSTANTS_POINTER);
  name_shared(code->llvm, parts);
  return true;
}

// Behind the optimiser.
static void finish(void *user) {
  const Writer *w = user;
  close_table(w);
  define_constants(w);
}

static LLVMMemoryBufferRef write_object(Writer *w) {
  w->llvm = w->codes[0].llvm;
  w->features = features_used(w);
  if (w->options->constants && sn_constants_bytes(w->module))
    w->file = constants_file(w);
  add_table(w);
  return sn_code_object(w->codes, w->n, finish, w);
}

MlirLogicalResult sn_serialise(MlirOperation module, const SnSerialise *options,
                               LLVMMemoryBufferRef *object) {
  *object = NULL;
  Writer w = {.module = module, .options = options, .entries = entries_of(module)};
  if (!w.entries.size)
    return sn_error(module, "has no public function");
  SnParts parts = {0};
  if (!options->gpu && SN_OBJECTS_MERGE)
    parts = sn_parts_cut(module);
  w.n = parts.modules.size + 1;
  w.codes = sn_alloc(w.n * sizeof *w.codes);
  bool translated = true;
  for (size_t i = 0; i < w.n; ++i)
    sn_code_begin(&w.codes[i]);
  w.ctx = w.codes[0].ctx;
  w.i8 = LLVMInt8TypeInContext(w.ctx);
  w.i16 = LLVMInt16TypeInContext(w.ctx);
  w.i32 = LLVMInt32TypeInContext(w.ctx);
  w.i64 = LLVMInt64TypeInContext(w.ctx);
  w.pointer = LLVMPointerTypeInContext(w.ctx, 0);
  for (size_t i = 0; i < w.n && translated; ++i)
    translated = translate(&w, i, &parts);
  if (translated)
    *object = write_object(&w);
  const char *error = NULL;
  for (size_t i = w.n; i-- > 0;)
    error = w.codes[i].error ? w.codes[i].error : error;
  MlirLogicalResult result = error ? sn_error(module, "%s", error) : translated ? SN_OK : SN_FAIL;
  for (size_t i = 0; i < w.n; ++i)
    sn_code_end(&w.codes[i]);
  sn_parts_join(&parts, module);
  sn_vec_free(&w.entries);
  free(w.codes);
  return result;
}
