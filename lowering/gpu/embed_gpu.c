// embed_gpu.c: the device code becomes bytes in the host program.
//
//   gpu.binary @kernels [#gpu.object<#nvvm.target<...>, bin = "\7FELF...">]
//   llvm.mlir.global external constant @kernels_image() : !llvm.array<0 x i8>
//   llvm.mlir.global external constant @kernels_bytes() : i64
//   ->
//   llvm.mlir.global internal constant @kernels_image("\7FELF...") {alignment = 64} : !llvm.array<5432 x i8>
//   llvm.mlir.global internal constant @kernels_bytes(5432 : i64) : i64
//
// The runtime's sinter_rt_launch takes either a cubin or PTX, which ends in a NUL.
//
// runs in: sinter-gpu    test: test/lowering/gpu/embed_gpu.mlir

#include "lowering/host/host.h"
#include "mlir-c/Dialect/GPU.h"
#include <stdio.h>

enum { ISA = 2 }; // CompilationTarget::Assembly

static void define(MlirOperation module, const char *name, MlirType type, MlirAttribute value, MlirOperation like) {
  MlirOperation declared = sn_symbol(module, name);
  SnBuilder b = sn_before(like);
  if (!sn_null(declared))
    mlirOperationDestroy(declared);
  sn_op(&b, "llvm.mlir.global", sn_types(0, NULL), sn_attr("sym_name", sn_string(b.ctx, name)),
        sn_attr("global_type", mlirTypeAttrGet(type)),
        sn_attr("linkage", sn_parse_attr(b.ctx, "#llvm.linkage<internal>")), sn_attr("value", value),
        sn_attr("constant", sn_unit(b.ctx)), sn_attr("alignment", sn_i64(b.ctx, 64)), mlirRegionCreate());
}

static MlirLogicalResult embed(MlirOperation module, MlirOperation binary) {
  MlirContext ctx = mlirOperationGetContext(module);
  MlirAttribute objects = sn_get_attr(binary, "objects");
  intptr_t n = mlirArrayAttrGetNumElements(objects);
  if (n != 1)
    return sn_error(binary, "has %ld objects: one target is expected", (long)n);
  MlirAttribute object = mlirArrayAttrGetElement(objects, 0);
  MlirStringRef bytes = mlirGPUObjectAttrGetObject(object);
  size_t size = bytes.length;
  char *copy = sn_alloc(size + 1);
  memcpy(copy, bytes.data, size);
  if (mlirGPUObjectAttrGetFormat(object) == ISA && (!size || copy[size - 1]))
    ++size; // the NUL that sn_alloc left there
  MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(binary, "sym_name"));
  char image[300], count[300];
  snprintf(image, sizeof image, "%.*s_image", (int)name.length, name.data);
  snprintf(count, sizeof count, "%.*s_bytes", (int)name.length, name.data);
  define(module, image, sn_type(ctx, "!llvm.array<%zu x i8>", size),
         mlirStringAttrGet(ctx, mlirStringRefCreate(copy, size)), binary);
  define(module, count, mlirIntegerTypeGet(ctx, 64), sn_i64(ctx, (int64_t)size), binary);
  free(copy);
  mlirOperationDestroy(binary);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) { return sn_each(module, "gpu.binary", embed); }

MlirDialectHandle mlirGetDialectHandle__gpu__(void);
MlirDialectHandle mlirGetDialectHandle__llvm__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__gpu__, mlirGetDialectHandle__llvm__, NULL};

const SnPass sn_pass_embed_gpu = {
    .argument = "sinter-embed-gpu",
    .summary = "gpu.binary -> bytes in the host program",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
