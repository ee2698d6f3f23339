// alloc.c: the size of a buffer is a number before it is asked for.
//
//   %m = memref.alloc(%i, %j) : memref<?x8x?xf32>
//   ->
//   %b = func.call @sinter_rt_bytes(%c32, %i) : (i64, i64) -> i64     32 bytes, %i times
//   %c = func.call @sinter_rt_bytes(%b, %j) : (i64, i64) -> i64
//   %m = memref.alloc(%i, %j) : memref<?x8x?xf32>
//
// Upstream multiplies sizes without looking: 2^32 rows of 2^32 columns would get 0 bytes. Each size alone may come
// from an input that is empty, so the inputs' own checks do not help. The runtime ends the call with
// SINTER_BAD_ARGUMENT where a size is negative or the product passes 2^63; sizes that are known pass or are refused
// here.
//
// relies on: tensors are buffers
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_alloc.mlir, test/run/huge_sizes.mlir

#include "lowering/host/host.h"

// Bytes of an element times the sizes that are known; false if they pass 2^63.
static bool known_bytes(MlirType memref, int64_t *bytes) {
  *bytes = (sn_bits(sn_element(memref)) + 7) / 8;
  for (intptr_t i = 0; i < sn_rank(memref); ++i) {
    int64_t size = sn_dim(memref, i);
    if (size != SN_DYNAMIC && size != 0 && __builtin_mul_overflow(*bytes, size, bytes))
      return false;
  }
  return true;
}

static MlirOperation declare(MlirOperation module, const char *name, SnBuilder *b) {
  MlirOperation found = sn_symbol(module, name);
  if (!sn_null(found))
    return found;
  MlirType i64 = sn_type(b->ctx, "i64"), arguments[] = {i64, i64};
  SnBuilder top = sn_at_start(mlirModuleGetBody(mlirModuleFromOperation(module)), mlirOperationGetLocation(module));
  MlirType type = mlirFunctionTypeGet(b->ctx, 2, arguments, 1, &i64);
  return sn_op(&top, "func.func", sn_attr("sym_name", sn_string(b->ctx, name)),
               sn_attr("sym_visibility", sn_string(b->ctx, "private")),
               sn_attr("function_type", mlirTypeAttrGet(type)), mlirRegionCreate());
}

static MlirLogicalResult check(MlirOperation module, MlirOperation alloc) {
  MlirType memref = sn_type_of(sn_result(alloc, 0)), element = sn_element(memref);
  int64_t bytes;
  if (!sn_is_float(element) && !sn_is_int(element) && !mlirTypeIsAIndex(element))
    return SN_OK; // of memrefs, as upstream makes for its own use
  if (!known_bytes(memref, &bytes)) {
    char *text = sn_type_text(memref);
    MlirLogicalResult failed = sn_error(alloc, "needs a buffer of %s: more bytes than memory can address", text);
    free(text);
    return failed;
  }
  SnBuilder b = sn_before(alloc);
  MlirType i64 = sn_type(b.ctx, "i64");
  MlirValue product = {0};
  for (intptr_t i = 0, next = 0; i < sn_rank(memref); ++i) {
    if (sn_dim(memref, i) != SN_DYNAMIC)
      continue;
    const char *name = "sinter_rt_bytes";
    declare(module, name, &b);
    MlirValue size = sn(&b, "arith.index_cast", i64, sn_operand(alloc, next++));
    MlirValue factors[] = {sn_none(product) ? sn_int(&b, i64, bytes) : product, size};
    product = sn(&b, "func.call", sn_values(2, factors), i64,
                 sn_attr("callee", mlirFlatSymbolRefAttrGet(b.ctx, SN_STR(name))));
  }
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) { return sn_each(module, "memref.alloc", check); }

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__func__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__,
                                                      mlirGetDialectHandle__func__, NULL};

const SnPass sn_pass_host_alloc = {
    .argument = "sinter-allocations",
    .summary = "sizes of buffers are multiplied with a check",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
