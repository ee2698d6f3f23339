// memrefs.c: memory at any address, as a memref.
//
//   %m = unrealized_conversion_cast {%pointer, %pointer, 0, [4, 8], [8, 1]} : !llvm.struct<...> to memref<4x8xf32>
//
// test: test/lowering/gpu/memory_gpu.mlir, test/lowering/cpu/sequence_loops.mlir

#include "lowering/rows/memrefs.h"

static MlirValue make(SnBuilder *b, MlirValue pointer, MlirType type, const MlirValue *sizes, unsigned bits) {
  int64_t rank = sn_rank(type);
  MlirType number = mlirIntegerTypeGet(b->ctx, bits), all;
  all = rank ? sn_type(b->ctx, "!llvm.struct<(ptr, ptr, i%u, array<%lld x i%u>, array<%lld x i%u>)>", bits,
                       (long long)rank, bits, (long long)rank, bits)
             : sn_type(b->ctx, "!llvm.struct<(ptr, ptr, i%u)>", bits);
  MlirValue made = sn(b, "llvm.mlir.undef", all), stride = sn_int(b, number, 1);
  int64_t at[2] = {0};
  intptr_t unknown = 0;
  for (; at[0] < 2; ++at[0])
    made = sn(b, "llvm.insertvalue", made, pointer, sn_attr("position", mlirDenseI64ArrayGet(b->ctx, 1, at)));
  made =
      sn(b, "llvm.insertvalue", made, sn_int(b, number, 0), sn_attr("position", mlirDenseI64ArrayGet(b->ctx, 1, at)));
  for (intptr_t d = 0; d < rank; ++d)
    unknown += sn_dim(type, d) == SN_DYNAMIC;
  for (at[1] = rank; at[1]-- > 0;) {
    int64_t place[] = {3, at[1]}, step[] = {4, at[1]}, known = sn_dim(type, at[1]);
    MlirValue size =
        known == SN_DYNAMIC ? sn(b, "arith.index_cast", sizes[--unknown], number) : sn_int(b, number, known);
    made = sn(b, "llvm.insertvalue", made, size, sn_attr("position", mlirDenseI64ArrayGet(b->ctx, 2, place)));
    made = sn(b, "llvm.insertvalue", made, stride, sn_attr("position", mlirDenseI64ArrayGet(b->ctx, 2, step)));
    if (at[1])
      stride = sn(b, "arith.muli", stride, size);
  }
  return sn(b, "builtin.unrealized_conversion_cast", made, type);
}

MlirValue sn_memref_at(SnBuilder *b, MlirValue pointer, MlirType type, const MlirValue *sizes) {
  return make(b, pointer, type, sizes, 64);
}

MlirValue sn_narrow_memref_at(SnBuilder *b, MlirValue pointer, MlirType type, unsigned bits) {
  return make(b, pointer, type, NULL, bits);
}

MlirValue sn_memref_address(MlirValue memref) {
  MlirOperation cast = sn_def(memref, "builtin.unrealized_conversion_cast");
  MlirOperation made = sn_null(cast) ? cast : sn_def(sn_operand(cast, 0), "llvm.insertvalue");
  MlirValue pointer = {0};
  for (; !sn_null(made); made = sn_def(sn_operand(made, 0), "llvm.insertvalue"))
    pointer = sn_operand(made, 1); // the first that was put in
  return pointer;
}
