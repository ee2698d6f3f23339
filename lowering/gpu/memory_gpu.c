// memory_gpu.c: host code leaves the memory of a GPU to the driver.
//
//   memref.copy %x, %y : memref<4x8xf32> to memref<4x8xf32>
//   ->
//   func.call @sinter_rt_copy(%to, %from, %bytes) : (!llvm.ptr, !llvm.ptr, i64) -> ()
//
//   memref.store %n, %x[] : memref<i64>             of a number that sizes give
//   ->
//   func.call @sinter_rt_put(%to, %bits, %bytes) : (!llvm.ptr, i64, i64) -> ()
//
//   %c = memref.get_global @w : memref<64xf32>      of a constant
//   ->
//   %d = func.call @sinter_rt_device_constant(%host, %bytes) : (!llvm.ptr, i64) -> !llvm.ptr      and a memref of it
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

static MlirValue bits_of(SnBuilder *b, MlirValue number) {
  MlirType type = sn_type_of(number), i64 = sn_type(b->ctx, "i64");
  if (sn_is_float(type))
    number = sn(b, "arith.bitcast", number, mlirIntegerTypeGet(b->ctx, sn_bits(type)));
  if (mlirTypeIsAIndex(type))
    return sn(b, "arith.index_cast", number, i64);
  return sn_bits(type) < 64 ? sn(b, "arith.extui", number, i64) : number;
}

static MlirLogicalResult put(MlirOperation module, MlirOperation op) {
  MlirValue number = sn_operand(op, 0), memref = sn_operand(op, 1);
  MlirType type = sn_type_of(memref), i64 = sn_type(mlirOperationGetContext(op), "i64");
  if (!sn_null(sn_def(memref, "memref.get_global")))
    return SN_OK; // the host's own
  int64_t bytes = (sn_bits(sn_element(type)) + 7) / 8;
  SnBuilder b = sn_before(op);
  MlirValue at = sn_index(&b, 0);
  for (intptr_t d = 0; d < sn_rank(type); ++d) // row-major: what is stored here was made as a whole
    at = sn(&b, "arith.addi", sn(&b, "arith.muli", at, sn_index(&b, sn_dim(type, d))), sn_operand(op, 2 + d));
  MlirValue address = sn(&b, "memref.extract_aligned_pointer_as_index", memref, sn_index_type(b.ctx)),
            place = sn(&b, "arith.addi", address, sn(&b, "arith.muli", at, sn_index(&b, bytes)));
  MlirValue arguments[] = {sn(&b, "llvm.inttoptr", sn(&b, "arith.index_cast", place, i64), sn_type(b.ctx, "!llvm.ptr")),
                           bits_of(&b, number), sn_int(&b, i64, bytes)};
  sn_call_runtime(&b, module, "sinter_rt_put", sn_values(3, arguments));
  mlirOperationDestroy(op);
  return SN_OK;
}

// A contiguous memref of static sizes at this address, as upstream's conversion to LLVM's dialect has one.
static MlirValue memref_at(SnBuilder *b, MlirValue pointer, MlirType type) {
  int64_t rank = sn_rank(type), stride = 1;
  MlirType i64 = sn_type(b->ctx, "i64"), all = rank ? sn_type(b->ctx,
                                                              "!llvm.struct<(ptr, ptr, i64, array<%lld x i64>, "
                                                              "array<%lld x i64>)>",
                                                              (long long)rank, (long long)rank)
                                                    : sn_type(b->ctx, "!llvm.struct<(ptr, ptr, i64)>");
  MlirValue made = sn(b, "llvm.mlir.undef", all);
  int64_t at[2] = {0};
  for (; at[0] < 2; ++at[0])
    made = sn(b, "llvm.insertvalue", made, pointer, sn_attr("position", mlirDenseI64ArrayGet(b->ctx, 1, at)));
  made = sn(b, "llvm.insertvalue", made, sn_int(b, i64, 0), sn_attr("position", mlirDenseI64ArrayGet(b->ctx, 1, at)));
  for (at[1] = rank; at[1]-- > 0; stride *= sn_dim(type, at[1])) {
    int64_t size[] = {3, at[1]}, step[] = {4, at[1]};
    made = sn(b, "llvm.insertvalue", made, sn_int(b, i64, sn_dim(type, at[1])),
              sn_attr("position", mlirDenseI64ArrayGet(b->ctx, 2, size)));
    made = sn(b, "llvm.insertvalue", made, sn_int(b, i64, stride),
              sn_attr("position", mlirDenseI64ArrayGet(b->ctx, 2, step)));
  }
  return sn(b, "builtin.unrealized_conversion_cast", made, type);
}

static MlirLogicalResult place(MlirOperation module, MlirOperation op) {
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(sn_get_attr(op, "name"));
  if (!sn_get_attr(sn_symbol(module, name.data), "constant").ptr)
    return SN_OK; // the host's own
  SnBuilder top = sn_at_start(mlirOperationGetBlock(op), mlirOperationGetLocation(op)), b = sn_after(op);
  MlirType pointer = sn_type(b.ctx, "!llvm.ptr"), i64 = sn_type(b.ctx, "i64");
  MlirValue host = sn_result(op, 0), word = sn(&top, "llvm.alloca", sn_int(&top, i64, 1), pointer,
                                               sn_attr("elem_type", mlirTypeAttrGet(pointer)));
  MlirValue address = sn(&b, "memref.extract_aligned_pointer_as_index", host, sn_index_type(b.ctx)),
            from = sn(&b, "llvm.inttoptr", sn(&b, "arith.index_cast", address, i64), pointer);
  MlirValue arguments[] = {from, bytes_of(&b, host), word};
  sn_call_runtime(&b, module, "sinter_rt_device_constant", sn_values(3, arguments));
  MlirValue there = memref_at(&b, sn(&b, "llvm.load", word, pointer), sn_type_of(host));
  MlirOperation reads = sn_definer(address);
  mlirValueReplaceAllUsesExcept(host, there, 1, &reads);
  return SN_OK;
}

static MlirLogicalResult refuse(MlirOperation module, MlirOperation alloc) {
  return sn_error(alloc, "memory between kernels has a size that is known only when it runs, and "
                         "the caller's workspace has none: make the sizes static");
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  MlirLogicalResult result = sn_each(module, "memref.copy", copy);
  if (!sn_failed(result))
    result = sn_each(module, "memref.store", put);
  if (!sn_failed(result))
    result = sn_each(module, "memref.get_global", place);
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
    .summary =
        "copies in host code -> the driver's, constants -> the device's; allocations of unknown size are refused",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
