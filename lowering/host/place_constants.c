// place_constants.c: where each large constant is, from one pointer.
//
//   llvm.mlir.global private constant @w(dense_resource<w> : tensor<64x3xf32>) : !llvm.array<64 x array<3 x f32>>
//   %p = llvm.mlir.addressof @w : !llvm.ptr
//   ->
//   module attributes {sinter.constants = [dense_resource<w> : tensor<64x3xf32>], sinter.offsets = array<i64: 0, 768>}
//   llvm.mlir.global external @sinter_constants() : !llvm.ptr
//   %c = llvm.mlir.addressof @sinter_constants : !llvm.ptr
//   %d = llvm.load %c invariant : !llvm.ptr -> !llvm.ptr
//   %p = llvm.getelementptr %d[0] : (!llvm.ptr) -> !llvm.ptr, i8
//
// LLVM never sees the bytes: lowering/serialise.c writes them behind its object, or a tool into a file that is mapped
// when the library runs. Constants of equal bytes are one, whatever their types.
//
// relies on: sinter-constants, so that what is large is a dense_resource with its bytes
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/place_constants.mlir

#include "lowering/host/host.h"
#include "runtime/fingerprint.h"

typedef struct {
  SN_VEC(MlirAttribute) values; // each once
  SN_VEC(int64_t) offsets;
  int64_t end;
  SnTable by_print; // of a fingerprint, which of them
} Places;

static uint64_t print_of(SnResource r) {
  SinterFingerprint f = sinter_fingerprint_begin();
  sinter_fingerprint_add(&f, r.data, r.size);
  return sinter_fingerprint_end(&f) + r.size;
}

static bool same_bytes(SnResource a, SnResource b) {
  return a.size == b.size && (a.data == b.data || !memcmp(a.data, b.data, a.size));
}

static int64_t place(Places *p, MlirAttribute value) {
  SnResource r = sn_shim_resource(value);
  uint64_t print = print_of(r);
  const void *key = (const void *)(uintptr_t)(print ? print : 1);
  uintptr_t known;
  if (sn_table_get(&p->by_print, key, &known) && same_bytes(sn_shim_resource(p->values.data[known]), r))
    return p->offsets.data[known];
  sn_table_put(&p->by_print, key, p->values.size);
  int64_t at = p->end;
  sn_push(&p->values, value);
  sn_push(&p->offsets, at);
  p->end += sn_pieces((int64_t)r.size, SN_CONSTANT_ALIGNMENT) * SN_CONSTANT_ALIGNMENT;
  return at;
}

static bool is_constant(MlirOperation global) {
  MlirAttribute value = sn_get_attr(global, "value");
  return value.ptr && mlirAttributeIsADenseResourceElements(value);
}

static void point(MlirOperation address, int64_t offset) {
  SnBuilder b = sn_before(address);
  MlirType pointer = sn_type(b.ctx, "!llvm.ptr");
  MlirValue where = sn(&b, "llvm.mlir.addressof", pointer,
                       sn_attr("global_name", mlirFlatSymbolRefAttrGet(b.ctx, SN_STR(SN_CONSTANTS_POINTER))));
  MlirValue first = sn(&b, "llvm.load", pointer, where, sn_attr("invariant", sn_unit(b.ctx)));
  // An index in the operation has 32 bits.
  MlirValue distance = sn(&b, "llvm.mlir.constant", sn_type(b.ctx, "i64"), sn_attr("value", sn_i64(b.ctx, offset)));
  int32_t dynamic = INT32_MIN;
  MlirValue at = sn(&b, "llvm.getelementptr", pointer, first, distance,
                    sn_attr("elem_type", mlirTypeAttrGet(sn_type(b.ctx, "i8"))),
                    sn_attr("rawConstantIndices", mlirDenseI32ArrayGet(b.ctx, 1, &dynamic)));
  mlirValueReplaceAllUsesOfWith(sn_result(address, 0), at);
  mlirOperationDestroy(address);
}

static void say(MlirOperation module, const Places *p) {
  MlirContext ctx = mlirOperationGetContext(module);
  SnBuilder top = sn_at_start(mlirModuleGetBody(mlirModuleFromOperation(module)), mlirOperationGetLocation(module));
  sn_op(&top, "llvm.mlir.global", mlirRegionCreate(), sn_attr("sym_name", sn_string(ctx, SN_CONSTANTS_POINTER)),
        sn_attr("global_type", mlirTypeAttrGet(sn_type(ctx, "!llvm.ptr"))),
        sn_attr("linkage", sn_parse_attr(ctx, "#llvm.linkage<external>")));
  sn_set_attr(module, SN_CONSTANTS, mlirArrayAttrGet(ctx, (intptr_t)p->values.size, p->values.data));
  sn_set_attr(module, SN_CONSTANT_OFFSETS, mlirDenseI64ArrayGet(ctx, (intptr_t)p->offsets.size, p->offsets.data));
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  Places places = {.end = 0};
  SnTable offsets = {0}; // of a reference to a global, by its address, which MLIR makes once
  SnOpVec globals = sn_collect(module, "llvm.mlir.global"), addresses = sn_collect(module, "llvm.mlir.addressof");
  MlirLogicalResult result = SN_OK;
  for (size_t i = 0; i < globals.size; ++i) {
    if (!is_constant(globals.data[i]))
      continue;
    if (!sn_shim_resource(sn_get_attr(globals.data[i], "value")).known) { // on a road that begins in its middle
      result = sn_error(globals.data[i], "has no bytes: run sinter-constants in front");
      continue;
    }
    MlirAttribute name =
        mlirFlatSymbolRefAttrGet(run->ctx, mlirStringAttrGetValue(sn_get_attr(globals.data[i], "sym_name")));
    sn_table_put(&offsets, name.ptr, (uintptr_t)place(&places, sn_get_attr(globals.data[i], "value")));
    mlirOperationDestroy(globals.data[i]);
  }
  for (size_t i = 0; i < addresses.size; ++i) {
    uintptr_t offset;
    if (sn_table_get(&offsets, sn_get_attr(addresses.data[i], "global_name").ptr, &offset))
      point(addresses.data[i], (int64_t)offset);
  }
  if (places.values.size)
    say(module, &places);
  sn_vec_free(&places.values);
  sn_vec_free(&places.offsets);
  sn_table_free(&places.by_print);
  sn_table_free(&offsets);
  sn_vec_free(&globals);
  sn_vec_free(&addresses);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__llvm__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__llvm__, NULL};

const SnPass sn_pass_host_place = {
    .argument = "sinter-place-constants",
    .summary = "large constants lie at offsets from one pointer, equal ones at the same",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
