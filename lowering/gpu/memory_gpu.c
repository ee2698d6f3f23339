// memory_gpu.c: host code leaves the memory of a GPU to the driver.
//
//   memref.copy %x, %y : memref<4x8xf32> to memref<4x8xf32>
//   ->
//   func.call @sinter_rt_copy(%to, %from, %bytes) : (!llvm.ptr, !llvm.ptr, i64) -> ()
//
// Upstream would copy by the CPU, which does not reach that memory: an argument that is
// returned, or a value that is returned twice, is such a copy. The runtime queues it on
// the call's stream. What is still allocated here has a size that the caller was
// not told of (sinter-workspace took the others), and malloc's memory is no kernel's: refused.
//
// relies on: sinter-workspace    runs in: sinter-gpu    test: test/lowering/gpu/memory_gpu.mlir

#include "lowering/host/host.h"

static MlirValue pointer_to(SnBuilder *b, MlirValue memref) {
  MlirValue address = sn(b, "memref.extract_aligned_pointer_as_index", memref, sn_index_type(b->ctx));
  return sn(b, "llvm.inttoptr", sn(b, "arith.index_cast", address, sn_type(b->ctx, "i64")),
            sn_type(b->ctx, "!llvm.ptr"));
}

static MlirValue bytes_of(SnBuilder *b, MlirValue memref) {
  MlirType type = sn_type_of(memref);
  int64_t known = (sn_bits(sn_element(type)) + 7) / 8;
  for (intptr_t d = 0; d < sn_rank(type); ++d)
    known = sn_times(known, sn_dim(type, d) == SN_DYNAMIC ? 1 : sn_dim(type, d));
  MlirValue bytes = sn_index(b, known);
  for (intptr_t d = 0; d < sn_rank(type); ++d)
    if (sn_dim(type, d) == SN_DYNAMIC)
      bytes = sn(b, "arith.muli", bytes, sn(b, "memref.dim", memref, sn_index(b, d), sn_index_type(b->ctx)));
  return sn(b, "arith.index_cast", bytes, sn_type(b->ctx, "i64"));
}

static MlirLogicalResult copy(MlirOperation module, MlirOperation op) {
  MlirValue from = sn_operand(op, 0), to = sn_operand(op, 1);
  for (int i = 0; i < 2; ++i)
    if (!mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(sn_type_of(sn_operand(op, i)))))
      return sn_error(op, "copies memory of the GPU that is not contiguous: make it a kernel");
  SnBuilder b = sn_before(op);
  MlirValue arguments[] = {pointer_to(&b, to), pointer_to(&b, from), bytes_of(&b, from)};
  sn_call_runtime(&b, module, "sinter_rt_copy", sn_values(3, arguments));
  mlirOperationDestroy(op);
  return SN_OK;
}

static MlirLogicalResult refuse(MlirOperation module, MlirOperation alloc) {
  return sn_error(alloc, "memory between kernels has a size that is known only when it runs, and "
                         "the caller's workspace has none: make the sizes static");
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  MlirLogicalResult result = sn_each(module, "memref.copy", copy);
  return sn_failed(result) ? result : sn_each(module, "memref.alloc", refuse);
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__func__(void);
MlirDialectHandle mlirGetDialectHandle__llvm__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__func__,
                                                      mlirGetDialectHandle__llvm__, mlirGetDialectHandle__memref__,
                                                      NULL};

const SnPass sn_pass_memory_gpu = {
    .argument = "sinter-gpu-memory",
    .summary = "copies in host code -> the driver's; allocations of unknown size are refused",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
