// copy_parts.c: a part of a buffer, where a whole one is read, is copied.
//
//   %s = memref.subview %x[0, 0] [4, %n] [1, 1]                   %a = memref.alloc(%n) : memref<4x?xf32>
//   %c = memref.cast %s : ..., strided<[?, 1]>> to memref<4x?xf32>   ->   memref.copy %s, %a
//   call @kernel(%c)                                              call @kernel(%a)
//
// To upstream any strides fit a memref whose sizes are `?`, since they are not known either: bufferization casts such a
// part. But a memref without a layout is dense, and who reads it computes where its rows are from its sizes. Parts that
// are dense, as the first rows of a buffer, stay casts. Nobody writes through such a cast: what is written is a buffer
// of its own.
//
// relies on: tensors are buffers
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_copy_parts.mlir, test/run/prefixes.mlir

#include "lowering/host/host.h"

static bool is_whole(MlirType memref) { return mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(memref)); }

static MlirValue without_casts(MlirValue v) {
  for (MlirOperation cast = sn_def(v, "memref.cast"); !sn_null(cast); cast = sn_def(v, "memref.cast"))
    v = sn_operand(cast, 0);
  return v;
}

// Whether a number is the size of the buffer in dimension d.
static bool is_size_of(MlirValue n, MlirValue buffer, intptr_t d) {
  intptr_t i;
  MlirOperation dim = sn_def(n, "memref.dim"), alloc = sn_def(buffer, "memref.alloc");
  if (!sn_null(dim) && sn_known_dim(dim, &i) && i == d)
    return sn_same(without_casts(sn_operand(dim, 0)), buffer);
  intptr_t at = 0;
  for (intptr_t k = 0; k < d; ++k)
    at += sn_dim(sn_type_of(buffer), k) == SN_DYNAMIC;
  return !sn_null(alloc) && sn_same(sn_operand(alloc, at), n);
}

// The part's elements follow one another in memory: it has all that a whole one has behind its first dimension of more
// than one element.
static bool is_dense(MlirValue part) {
  MlirOperation view = sn_def(without_casts(part), "memref.subview");
  if (sn_null(view))
    return is_whole(sn_type_of(without_casts(part)));
  MlirValue buffer = without_casts(sn_operand(view, 0));
  MlirType from = sn_type_of(buffer);
  if (!is_whole(from))
    return false;
  MlirAttribute sizes = sn_get_attr(view, "static_sizes"), steps = sn_get_attr(view, "static_strides"),
                offsets = sn_get_attr(view, "static_offsets");
  intptr_t next = 1;
  bool one = true; // so far each dimension has one element
  for (intptr_t d = 0; d < sn_rank(from); ++d)
    next += mlirDenseI64ArrayGetElement(offsets, d) == SN_DYNAMIC;
  for (intptr_t d = 0; d < sn_rank(from); ++d) {
    int64_t n = mlirDenseI64ArrayGetElement(sizes, d);
    MlirValue size = n == SN_DYNAMIC ? sn_operand(view, next++) : (MlirValue){0};
    bool all = n == SN_DYNAMIC ? is_size_of(size, buffer, d) : n == sn_dim(from, d);
    if (mlirDenseI64ArrayGetElement(steps, d) != 1 || (!all && !one))
      return false;
    one &= n == 1;
  }
  return true;
}

static MlirLogicalResult each(MlirOperation module, MlirOperation cast) {
  MlirValue part = sn_operand(cast, 0);
  MlirType from = sn_type_of(part), to = sn_type_of(sn_result(cast, 0));
  if (!mlirTypeIsAMemRef(from) || !mlirTypeIsAMemRef(to) || is_whole(from) || !is_whole(to) || is_dense(part))
    return SN_OK;
  SnBuilder b = sn_before(cast);
  SnValueVec sizes = {0};
  for (intptr_t d = 0; d < sn_rank(to); ++d)
    if (sn_dim(to, d) == SN_DYNAMIC)
      sn_push(&sizes, sn(&b, "memref.dim", part, sn_index(&b, d), sn_index_type(b.ctx)));
  const int32_t segments[] = {(int32_t)sizes.size, 0};
  MlirValue whole = sn(&b, "memref.alloc", sn_values((intptr_t)sizes.size, sizes.data), to,
                       sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 2, segments)));
  sn_op(&b, "memref.copy", part, whole);
  mlirValueReplaceAllUsesOfWith(sn_result(cast, 0), whole);
  mlirOperationDestroy(cast);
  sn_vec_free(&sizes);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) { return sn_each(module, "memref.cast", each); }

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__memref__,
                                                      NULL};

const SnPass sn_pass_host_copy_parts = {
    .argument = "sinter-copy-parts",
    .summary = "parts of buffers are copied where a dense one is read: upstream casts them",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
