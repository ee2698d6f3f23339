// entry.c: public functions get the entry that the runtime calls.
//
//   func.func @main_host(%x: memref<4xf32>, %y: memref<f32>, %w: memref<?xi8>)
//       attributes {sinter.function = "main", sinter.inputs = [tensor<4xf32>], sinter.outputs = [tensor<f32>],
//                   sinter.workspace_bytes = 0 : i64}
//   ->
//   func.func private @main_host(%x: memref<4xf32>, %y: memref<f32>, %w: memref<?xi8>)
//   llvm.func internal @main_packed(%d: !llvm.ptr) attributes {sinter.function = "main", ...} {
//     %0 = llvm.load %d : !llvm.ptr -> !llvm.ptr
//     %1 = llvm.load %0 : !llvm.ptr -> !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x
//     i64>)> %x = builtin.unrealized_conversion_cast %1 : ... to memref<4xf32>
//     ...
//     func.call @main_host(%x, %y, %w)
//     llvm.return
//   }
//
// The runtime checks what a host passed, and makes the descriptors; here they are
// read. lowering/serialise.c makes the function of the host ABI from the attributes.
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

static MlirValue load_descriptor(SnBuilder *b, MlirValue descriptors, int i, MlirType memref) {
  MlirType pointer = sn_type(b->ctx, "!llvm.ptr");
  MlirValue slot = sn(b, "llvm.getelementptr", pointer, descriptors,
                      sn_attr("elem_type", mlirTypeAttrGet(pointer)),
                      sn_attr("rawConstantIndices", sn_parse_attr(b->ctx, "array<i32: %d>", i)));
  MlirValue where = sn(b, "llvm.load", pointer, slot);
  MlirValue descriptor = sn(b, "llvm.load", descriptor_type(b->ctx, memref), where);
  return sn(b, "builtin.unrealized_conversion_cast", memref, descriptor);
}

// An llvm.func that reads descriptors of the first n arguments, has `more` pointers besides, and calls `callee` on
// both.
static MlirOperation make_entry(SnBuilder b, const char *name, MlirAttribute callee, intptr_t n, const MlirType *types,
                                intptr_t more) {
  MlirContext ctx = b.ctx;
  MlirType pointer = sn_type(ctx, "!llvm.ptr"), pointers[] = {pointer, pointer};
  MlirLocation locs[] = {b.loc, b.loc};
  MlirRegion region = mlirRegionCreate();
  MlirBlock body = mlirBlockCreate(1 + more, pointers, locs);
  mlirRegionAppendOwnedBlock(region, body);
  MlirOperation entry = sn_op(
      &b, "llvm.func", region, sn_attr("sym_name", sn_string(ctx, name)),
      sn_attr("function_type", sn_parse_attr(ctx, more ? "!llvm.func<void (ptr, ptr)>" : "!llvm.func<void (ptr)>")),
      sn_attr("linkage", sn_parse_attr(ctx, "#llvm.linkage<internal>")),
      sn_attr("CConv", sn_parse_attr(ctx, "#llvm.cconv<ccc>")));
  b = sn_at_end(body, b.loc);
  MlirValue *arguments = sn_alloc((size_t)(n + more) * sizeof *arguments);
  for (intptr_t i = 0; i < n; ++i)
    arguments[i] = load_descriptor(&b, mlirBlockGetArgument(body, 0), (int)i, types[i]);
  for (intptr_t i = 0; i < more; ++i)
    arguments[n + i] = mlirBlockGetArgument(body, 1 + i);
  sn_op(&b, "func.call", sn_values(n + more, arguments),
        sn_attr("callee", mlirFlatSymbolRefAttrGet(ctx, mlirStringAttrGetValue(callee))), sn_types(0, NULL));
  sn_op(&b, "llvm.return", sn_values(0, NULL));
  free(arguments);
  return entry;
}

// The entry of SN_COSTS, of the same inputs and outputs: there is no workspace yet where costs are computed.
static void costs_entry(MlirOperation module, MlirOperation func, MlirOperation entry, intptr_t n,
                        const MlirType *types) {
  MlirAttribute costs = sn_get_attr(func, SN_COSTS);
  if (mlirAttributeIsNull(costs))
    return;
  char *base = sn_symbol_base(func), *packed = sn_new_symbol(module, base, "_costs_packed");
  make_entry(sn_after(entry), packed, costs, n, types, 1);
  sn_set_attr(entry, SN_COSTS, sn_string(mlirOperationGetContext(func), packed));
  mlirOperationRemoveAttributeByName(func, SN_STR(SN_COSTS));
  free(base);
  free(packed);
}

static MlirLogicalResult function(MlirOperation module, MlirOperation func) {
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
  char *base = sn_symbol_base(func), *packed = sn_new_symbol(module, base, "_packed");

  MlirType *types = sn_alloc((size_t)n * sizeof *types);
  for (intptr_t i = 0; i < n; ++i)
    types[i] = mlirFunctionTypeGetInput(type, i);
  MlirOperation entry = make_entry(sn_after(func), packed, own, n, types, 0);
  sn_set_attr(entry, SN_FUNCTION, named.ptr ? named : own);
  for (const char *const *fact = facts; *fact; ++fact)
    sn_set_attr(entry, *fact, sn_get_attr(func, *fact));
  for (const char *const *fact = more_facts; *fact; ++fact)
    if (sn_get_attr(func, *fact).ptr)
      sn_set_attr(entry, *fact, sn_get_attr(func, *fact));
  costs_entry(module, func, entry, n - 1, types);

  // Nobody calls it but the entry: what called it was inlined.
  sn_set_attr(func, "sym_visibility", sn_string(ctx, "private"));
  sn_set_attr(func, "llvm.linkage", sn_parse_attr(ctx, "#llvm.linkage<internal>"));
  for (const char *const *fact = facts; *fact; ++fact)
    mlirOperationRemoveAttributeByName(func, SN_STR(*fact));
  for (const char *const *fact = more_facts; *fact; ++fact)
    mlirOperationRemoveAttributeByName(func, SN_STR(*fact));
  if (named.ptr)
    mlirOperationRemoveAttributeByName(func, SN_STR(SN_FUNCTION));
  free(types);
  free(base);
  free(packed);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  return sn_each_public(module, function);
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
