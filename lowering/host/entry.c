// entry.c: public functions get the entry that the runtime calls.
//
//   func.func @main_host(%x: memref<4xf32>, %y: memref<f32>, %w: memref<?xi8>)
//       attributes {sinter.function = "main", sinter.inputs = [tensor<4xf32>], sinter.outputs = [tensor<f32>],
//                   sinter.workspace_bytes = 0 : i64} {
//     call @main_kernel0(%x, %y)
//     return
//   }
//   ->
//   func.func private @main_host(%d: !llvm.ptr) {
//     %0 = llvm.load %d : !llvm.ptr -> !llvm.ptr
//     %1 = llvm.load %0 : !llvm.ptr -> !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
//     %x = builtin.unrealized_conversion_cast %1 : ... to memref<4xf32>
//     ...
//     call @main_kernel0(%x, %y)
//     return
//   }
//   llvm.func internal @main_packed(%d: !llvm.ptr) attributes {sinter.function = "main", ...} {
//     func.call @main_host(%d)
//     llvm.return
//   }
//
// The runtime checks what a host passed, and makes the descriptors. They are read where they are needed, once in a
// block (in front of everything for what a loop needs), so that a program of thousands of arguments has none of them in
// a register for long. Kernel functions on memrefs of known sizes take bare pointers. lowering/serialise.c makes the
// function of the host ABI from the attributes.
//
// relies on: sinter-names, sinter-boundary, sinter-workspace
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_entry.mlir

#include "lowering/host/host.h"
#include "lowering/host/names.h"

// What the call is told of the function, and what the table is made from.
static const char *const facts[] = {SN_INPUTS, SN_OUTPUTS, SN_WORKSPACE_BYTES, NULL};
// The first of results with sizes `?`, the next of names and gradients, the last of what is counted.
static const char *const more_facts[] = {SN_SHAPES, SN_INPUT_FACTS, SN_OUTPUT_FACTS, SN_KERNELS, NULL};

static MlirType descriptor_type(MlirContext ctx, MlirType memref) {
  int rank = (int)sn_rank(memref);
  if (!rank)
    return sn_type(ctx, "!llvm.struct<(ptr, ptr, i64)>");
  return sn_type(ctx, "!llvm.struct<(ptr, ptr, i64, array<%d x i64>, array<%d x i64>)>", rank,
                 rank);
}

enum { LOADS = 4 }; // operations that give a memref
static MlirValue load_descriptor(SnBuilder *b, MlirValue descriptors, int32_t i, MlirType memref) {
  MlirType pointer = sn_type(b->ctx, "!llvm.ptr");
  MlirValue slot = sn(b, "llvm.getelementptr", pointer, descriptors, sn_attr("elem_type", mlirTypeAttrGet(pointer)),
                      sn_attr("rawConstantIndices", mlirDenseI32ArrayGet(b->ctx, 1, &i)));
  MlirValue where = sn(b, "llvm.load", pointer, slot);
  MlirValue descriptor = sn(b, "llvm.load", descriptor_type(b->ctx, memref), where);
  return sn(b, "builtin.unrealized_conversion_cast", memref, descriptor);
}

// ---- arguments become descriptors --------------------------------------------------------

typedef struct {
  MlirValue value;
  size_t block; // where it was loaded, counted from 1; 0: nowhere
} Loaded;

typedef struct {
  MlirBlock entry;       // whose first argument is the descriptors, the next n are memrefs
  MlirValue descriptors;
  intptr_t n;
  Loaded *loaded;        // of each memref
  size_t operations;     // that load them
  size_t block;          // that is looked at, counted from 1
  MlirOperation at;      // the op of that block, null in a loop
} Descriptors;

static MlirValue taken(Descriptors *d, MlirValue argument) {
  int32_t i = (int32_t)mlirBlockArgumentGetArgNumber(argument) - 1;
  Loaded *loaded = &d->loaded[i];
  size_t block = sn_null(d->at) ? 1 : d->block;
  if (loaded->block != block) {
    SnBuilder b = sn_before(sn_null(d->at) ? mlirBlockGetFirstOperation(d->entry) : d->at);
    *loaded = (Loaded){load_descriptor(&b, d->descriptors, i, sn_type_of(argument)), block};
    d->operations += LOADS;
  }
  return loaded->value;
}

static MlirWalkResult take(MlirOperation op, void *user) {
  Descriptors *d = user;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    MlirValue v = sn_operand(op, k);
    if (!mlirValueIsABlockArgument(v) || !mlirBlockEqual(mlirBlockArgumentGetOwner(v), d->entry))
      continue;
    intptr_t number = mlirBlockArgumentGetArgNumber(v);
    if (number > 0 && number <= d->n)
      mlirOperationSetOperand(op, k, taken(d, v));
  }
  return MlirWalkResultAdvance;
}

// What blocks hold together.
typedef struct {
  size_t operations, calls;
} Held;

// Of each block, what those in front of it hold; behind the last, what all hold.
static Held *find_held(MlirBlock entry, size_t blocks) {
  Held *held = sn_alloc((blocks + 1) * sizeof *held);
  size_t at = 0;
  for (MlirBlock block = entry; block.ptr; block = mlirBlockGetNextInRegion(block), ++at) {
    held[at + 1] = held[at];
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
      ++held[at + 1].operations;
      held[at + 1].calls += sn_is(op, "func.call") || sn_is(op, "memref.copy");
    }
  }
  return held;
}

// Of each block, whether it may run more than once: from where a branch leads back to, up to that branch. `calls`: each
// turn of each loop is a call for every few operations at least.
enum { FEW = 32 };
static bool *find_loops(MlirBlock entry, size_t blocks, const Held *held, bool *calls) {
  bool *loop = sn_alloc(blocks + 1);
  SnTable places = {0};
  size_t at = 0;
  for (MlirBlock block = entry; block.ptr; block = mlirBlockGetNextInRegion(block))
    sn_table_put(&places, block.ptr, at++);
  SN_VEC(size_t) back = {0}; // the end of what a branch back to here runs again, plus 1
  for (size_t k = 0; k <= blocks; ++k)
    sn_push(&back, 0);
  at = 0;
  for (MlirBlock block = entry; block.ptr; block = mlirBlockGetNextInRegion(block), ++at) {
    MlirOperation end = mlirBlockGetTerminator(block);
    for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(end); ++s) {
      uintptr_t to = 0;
      sn_table_get(&places, mlirOperationGetSuccessor(end, s).ptr, &to);
      if (to > at)
        continue;
      *calls &= held[at + 1].operations - held[to].operations <= FEW * (held[at + 1].calls - held[to].calls);
      if (back.data[to] < at + 1)
        back.data[to] = at + 1;
    }
  }
  size_t until = 0;
  for (size_t k = 0; k < blocks; ++k) {
    until = back.data[k] > until ? back.data[k] : until;
    loop[k] = k < until;
  }
  sn_vec_free(&back);
  sn_table_free(&places);
  return loop;
}

// A function of so many operations that runs each at most once, or once for a call, gains nothing from LLVM's
// optimiser, and makes it take more than linear time: a thousand layers are a thousand calls in a row. So does the
// allocation of registers: what a hundred loops read is compared with all of them, and so are a hundred arguments.
enum { LONG = 512 };

// The first n arguments, memrefs, are read from descriptors, which are the first argument instead.
static void take_descriptors(MlirOperation func, intptr_t n) {
  MlirContext ctx = mlirOperationGetContext(func);
  MlirType pointer = sn_type(ctx, "!llvm.ptr");
  MlirBlock entry = sn_function_body(func);
  size_t blocks = 0;
  for (MlirBlock block = entry; block.ptr; block = mlirBlockGetNextInRegion(block))
    ++blocks;
  Held *held = find_held(entry, blocks);
  bool calls = true, *loop = find_loops(entry, blocks, held, &calls);
  Descriptors d = {.entry = entry,
                   .descriptors = mlirBlockInsertArgument(entry, 0, pointer, mlirOperationGetLocation(func)),
                   .n = n,
                   .loaded = sn_alloc(((size_t)n + 1) * sizeof *d.loaded)};
  // Loops first: what they need is loaded in front of everything else.
  for (int loops = 1; loops >= 0; --loops) {
    d.block = 0;
    for (MlirBlock block = entry; block.ptr; block = mlirBlockGetNextInRegion(block)) {
      if (loop[d.block++] != loops)
        continue;
      for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
        d.at = loops ? (MlirOperation){0} : op;
        mlirOperationWalk(op, take, &d, MlirWalkPreOrder);
      }
    }
  }
  for (intptr_t i = n; i > 0; --i)
    mlirBlockEraseArgument(entry, (unsigned)i);
  SN_VEC(MlirType) types = {0};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i)
    sn_push(&types, sn_type_of(mlirBlockGetArgument(entry, i)));
  sn_set_attr(func, "function_type",
              mlirTypeAttrGet(mlirFunctionTypeGet(ctx, (intptr_t)types.size, types.data, 0, NULL)));
  sn_vec_free(&types);
  if (calls && held[blocks].operations + d.operations > LONG)
    sn_host_keep_as_it_stands(func);
  free(held);
  free(d.loaded);
  free(loop);
}

// ---- the entry ---------------------------------------------------------------------------------

// An llvm.func that hands its `n` pointers on to `callee`.
static MlirOperation make_entry(SnBuilder b, const char *name, MlirAttribute callee, intptr_t n) {
  MlirContext ctx = b.ctx;
  MlirType pointer = sn_type(ctx, "!llvm.ptr"), pointers[] = {pointer, pointer};
  MlirLocation locs[] = {b.loc, b.loc};
  MlirRegion region = mlirRegionCreate();
  MlirBlock body = mlirBlockCreate(n, pointers, locs);
  mlirRegionAppendOwnedBlock(region, body);
  MlirOperation entry = sn_op(
      &b, "llvm.func", region, sn_attr("sym_name", sn_string(ctx, name)),
      sn_attr("function_type", sn_parse_attr(ctx, n > 1 ? "!llvm.func<void (ptr, ptr)>" : "!llvm.func<void (ptr)>")),
      sn_attr("linkage", sn_parse_attr(ctx, "#llvm.linkage<internal>")),
      sn_attr("CConv", sn_parse_attr(ctx, "#llvm.cconv<ccc>")));
  b = sn_at_end(body, b.loc);
  MlirValue arguments[2];
  for (intptr_t i = 0; i < n; ++i)
    arguments[i] = mlirBlockGetArgument(body, i);
  sn_op(&b, "func.call", sn_values(n, arguments),
        sn_attr("callee", mlirFlatSymbolRefAttrGet(ctx, mlirStringAttrGetValue(callee))), sn_types(0, NULL));
  sn_op(&b, "llvm.return", sn_values(0, NULL));
  return entry;
}

// The entry of SN_COSTS, of the same inputs and outputs: there is no workspace yet where costs are computed.
static void costs_entry(MlirSymbolTable symbols, MlirOperation func, MlirOperation entry, intptr_t n) {
  MlirAttribute costs = sn_get_attr(func, SN_COSTS);
  if (mlirAttributeIsNull(costs))
    return;
  char *base = sn_symbol_base(func), *packed = sn_new_symbol(symbols, base, "_costs_packed");
  take_descriptors(mlirSymbolTableLookup(symbols, mlirStringAttrGetValue(costs)), n);
  mlirSymbolTableInsert(symbols, make_entry(sn_after(entry), packed, costs, 2));
  sn_set_attr(entry, SN_COSTS, sn_string(mlirOperationGetContext(func), packed));
  mlirOperationRemoveAttributeByName(func, SN_STR(SN_COSTS));
  free(base);
  free(packed);
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  const MlirSymbolTable *symbols = user;
  if (!sn_is_public(func))
    return SN_OK;
  for (const char *const *fact = facts; *fact; ++fact)
    if (mlirAttributeIsNull(sn_get_attr(func, *fact)))
      return sn_error(func, "has no %s: sinter-boundary and sinter-workspace run before", *fact);
  MlirType type = mlirTypeAttrGetValue(sn_get_attr(func, "function_type"));
  intptr_t n = mlirFunctionTypeGetNumInputs(type);
  intptr_t wanted = mlirArrayAttrGetNumElements(sn_get_attr(func, SN_INPUTS)) +
                    mlirArrayAttrGetNumElements(sn_get_attr(func, SN_OUTPUTS)) + 1;
  if (n != wanted)
    return sn_error(func, "has %ld arguments: expected %ld inputs, outputs and workspace", (long)n,
                    (long)wanted);

  MlirContext ctx = mlirOperationGetContext(func);
  MlirAttribute own = sn_get_attr(func, "sym_name"), named = sn_get_attr(func, SN_FUNCTION);
  char *base = sn_symbol_base(func), *packed = sn_new_symbol(*symbols, base, "_packed");

  MlirOperation entry = make_entry(sn_after(func), packed, own, 1);
  mlirSymbolTableInsert(*symbols, entry);
  sn_set_attr(entry, SN_FUNCTION, named.ptr ? named : own);
  for (const char *const *fact = facts; *fact; ++fact)
    sn_set_attr(entry, *fact, sn_get_attr(func, *fact));
  for (const char *const *fact = more_facts; *fact; ++fact)
    if (sn_get_attr(func, *fact).ptr)
      sn_set_attr(entry, *fact, sn_get_attr(func, *fact));
  costs_entry(*symbols, func, entry, n - 1);
  take_descriptors(func, n);

  // Nobody calls it but the entry: what called it was inlined.
  sn_set_attr(func, "sym_visibility", sn_string(ctx, "private"));
  sn_set_attr(func, "llvm.linkage", sn_parse_attr(ctx, "#llvm.linkage<internal>"));
  for (const char *const *fact = facts; *fact; ++fact)
    mlirOperationRemoveAttributeByName(func, SN_STR(*fact));
  for (const char *const *fact = more_facts; *fact; ++fact)
    mlirOperationRemoveAttributeByName(func, SN_STR(*fact));
  if (named.ptr)
    mlirOperationRemoveAttributeByName(func, SN_STR(SN_FUNCTION));
  free(base);
  free(packed);
  return SN_OK;
}

// Upstream passes no bare pointer to a memref without elements.
static bool is_bare(MlirType type) {
  if (!mlirTypeIsAMemRef(type))
    return true;
  bool bare = mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type));
  for (intptr_t d = 0; d < sn_rank(type); ++d)
    bare &= sn_dim(type, d) > 0;
  return bare;
}

static MlirLogicalResult pass_pointers(MlirOperation module, MlirOperation func) {
  MlirType type = mlirTypeAttrGetValue(sn_get_attr(func, "function_type"));
  bool ours = sn_get_attr(func, SN_KERNEL).ptr || sn_get_attr(func, SN_PART).ptr;
  bool bare = ours && sn_function_body(func).ptr && !sn_is_public(func);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type) && bare; ++i)
    bare = is_bare(mlirFunctionTypeGetInput(type, i));
  if (bare && !mlirFunctionTypeGetNumResults(type))
    sn_set_attr(func, "llvm.bareptr", sn_unit(mlirOperationGetContext(func)));
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  MlirLogicalResult result = sn_each_function(module, function, &symbols);
  mlirSymbolTableDestroy(symbols);
  if (sn_failed(result))
    return SN_FAIL;
  return sn_each(module, "func.func", pass_pointers);
}

MlirDialectHandle mlirGetDialectHandle__func__(void);
MlirDialectHandle mlirGetDialectHandle__llvm__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__func__,
                                                      mlirGetDialectHandle__llvm__, NULL};

const SnPass sn_pass_host_entry = {
    .argument = "sinter-entry",
    .summary = "public functions get an entry that reads memref descriptors, and its description",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
