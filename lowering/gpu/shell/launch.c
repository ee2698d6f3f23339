// launch.c: the host launches a kernel.
//
//   call @sinter_rt_launch(image, bytes, "main_kernel0", blocks, 1, 1, threads, 1, 1, shared bytes, pointers to
//   arguments)
//
// The image's bytes and their number are globals that sinter-embed-gpu fills. Blocks that wait for each other are
// launched together, which fails if the device does not hold all of them, or as many as it holds.
//
// test: test/lowering/gpu/lower_gpu.mlir, grid_rows.mlir

#include "lowering/gpu/shell/launch.h"
#include <stdio.h>

static MlirValue pointer_to(SnBuilder *b, const char *global) {
  return sn(b, "llvm.mlir.addressof", sn_type(b->ctx, "!llvm.ptr"),
            sn_attr("global_name", mlirFlatSymbolRefAttrGet(b->ctx, SN_STR(global))));
}

static MlirValue i64_of(SnBuilder *b, int64_t v) { return sn_int(b, mlirIntegerTypeGet(b->ctx, 64), v); }

static void global(MlirOperation module, const char *name, MlirType type, MlirAttribute value, const char *linkage,
                   bool constant) {
  if (!sn_take_symbol(module, name))
    return;
  SnBuilder b = sn_at_start(mlirModuleGetBody(mlirModuleFromOperation(module)), mlirOperationGetLocation(module));
  sn_op(&b, "llvm.mlir.global", sn_types(0, NULL), sn_attr("sym_name", sn_string(b.ctx, name)),
        sn_attr("global_type", mlirTypeAttrGet(type)),
        sn_attr("linkage", sn_parse_attr(b.ctx, "#llvm.linkage<%s>", linkage)), sn_attr("value", value),
        sn_attr("constant", constant ? sn_unit(b.ctx) : mlirAttributeGetNull()), mlirRegionCreate());
}

int64_t sn_gpu_block_threads(const SnGpuLaunch *l) { return l->threads + l->more_threads; }

const char *sn_gpu_kernel_name(MlirOperation func, const SnGpuBody *body) {
  return body->name ? body->name : mlirStringAttrGetValue(sn_get_attr(func, "sym_name")).data;
}

// Each argument is stored, and its address: LLVM's optimiser and scheduler compare each of these with each other one.
enum { MANY = 64 };

void sn_gpu_launch(const SnGpuHost *host, MlirOperation op, const SnGpuBody *body, const SnGpuArguments *arguments,
                   int64_t shared_bytes) {
  SnBuilder b = sn_before(op);
  MlirOperation module = host->module;
  const SnGpuLaunch *l = body->launch;
  const char *name = sn_gpu_kernel_name(host->func, body);
  MlirType pointer = sn_type(b.ctx, "!llvm.ptr"), i64 = mlirIntegerTypeGet(b.ctx, 64);
  SnValueVec places = {0};
  for (size_t i = 0; i < arguments->size; ++i)
    sn_push(&places, sn_gpu_pass(&b, host, op, body, &arguments->data[i]));
  if (places.size > MANY)
    sn_host_keep_as_it_stands(host->func);
  MlirValue list = sn_gpu_on_stack(&b, pointer, places.size ? (int64_t)places.size : 1);
  for (size_t i = 0; i < places.size; ++i) {
    MlirValue entry = sn(&b, "llvm.getelementptr", list, pointer, sn_attr("elem_type", mlirTypeAttrGet(pointer)),
                         sn_attr("rawConstantIndices", mlirDenseI32ArrayGet(b.ctx, 1, (int32_t[]){(int32_t)i})));
    sn_op(&b, "llvm.store", places.data[i], entry, sn_types(0, NULL));
  }
  char symbol[300], text[300];
  snprintf(symbol, sizeof symbol, "%s_name", name);
  size_t length = (size_t)snprintf(text, sizeof text, "%s", name) + 1; // with its NUL
  global(module, symbol, sn_type(b.ctx, "!llvm.array<%zu x i8>", length),
         mlirStringAttrGet(b.ctx, mlirStringRefCreate(text, length)), "internal", true);
  global(module, SN_GPU_MODULE "_image", sn_type(b.ctx, "!llvm.array<0 x i8>"), mlirAttributeGetNull(), "external",
         true);
  global(module, SN_GPU_MODULE "_bytes", i64, mlirAttributeGetNull(), "external", true);
  MlirValue one = i64_of(&b, 1);
  MlirValue operands[] = {pointer_to(&b, SN_GPU_MODULE "_image"),
                          sn(&b, "llvm.load", pointer_to(&b, SN_GPU_MODULE "_bytes"), i64),
                          pointer_to(&b, symbol),
                          sn_none(body->blocks) ? i64_of(&b, l->blocks) : sn(&b, "arith.index_cast", body->blocks, i64),
                          one,
                          one,
                          i64_of(&b, sn_gpu_block_threads(l)),
                          one,
                          one,
                          i64_of(&b, shared_bytes),
                          list};
  if (l->filling) {
    MlirValue fill[] = {operands[0], operands[1], operands[2], i64_of(&b, l->blocks), i64_of(&b, l->least),
                        i64_of(&b, l->occupancy), operands[6], operands[9], list};
    sn_call_runtime(&b, module, "sinter_rt_launch_filling", sn_values(9, fill));
    sn_vec_free(&places);
    return;
  }
  const char *how = l->teams == SN_GPU_GROUP ? "sinter_rt_launch_together" : "sinter_rt_launch";
  sn_call_runtime(&b, module, how, sn_values(11, operands));
  sn_vec_free(&places);
}
