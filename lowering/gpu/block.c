// block.c: values of all threads of a block, or a cluster, combined into one that all have.
//
//   warp:   x = x . shuffle(x, lane ^ 16), then ^ 8, 4, 2, 1
//   block:  lane 0 of each warp leaves its value in shared memory; barrier;
//           every warp reads all of them, one a lane, and combines them likewise
//   cluster: thread t leaves the block's value in the shared memory of block t; barrier of the
//           cluster; every warp reads what its block got, and combines likewise
//
// Butterflies give every lane the same bits, in an order that only the number
// of threads decides.

#include "lowering/gpu/gpu.h"

MlirValue sn_gpu_combine(SnBuilder *b, const SnGpuReduction *r, MlirValue acc, MlirValue x) {
  return r->combiner ? sn_combine(b, r->combiner, acc, x) : sn_row_combine(b, r->program, r->reduce, acc, x);
}

MlirValue sn_gpu_identity(SnBuilder *b, const SnGpuReduction *r) {
  return r->combiner ? sn_constant(b, sn_combiner_identity(r->combiner, r->type)) : sn_row_identity(b, r->program, r->reduce, 1);
}

MlirValue sn_gpu_shared(SnGpuKernel *k, intptr_t rank, const int64_t *shape, MlirType element) {
  MlirContext ctx = mlirOperationGetContext(k->func);
  MlirAttribute space = sn_parse_attr(ctx, "#gpu.address_space<workgroup>");
  MlirType type = mlirMemRefTypeContiguousGet(element, rank, shape, space);
  sn_set_attr(k->func, "workgroup_attributions", sn_i64(ctx, sn_int_attr(k->func, "workgroup_attributions", 0) + 1));
  return mlirBlockAddArgument(k->entry, type, mlirOperationGetLocation(k->func));
}

// gpu.shuffle is of 32 and 64 bits; what is narrower goes as an i32.
static MlirValue shuffle(SnBuilder *b, MlirValue x, int64_t offset) {
  MlirType type = sn_type_of(x), i32 = mlirIntegerTypeGet(b->ctx, 32);
  unsigned bits = sn_bits(type);
  MlirType narrow = mlirIntegerTypeGet(b->ctx, bits);
  if (mlirTypeIsAIndex(type))
    x = sn(b, "arith.index_cast", x, narrow);
  else if (bits < 32 && sn_is_float(type))
    x = sn(b, "arith.bitcast", x, narrow);
  if (bits < 32)
    x = sn(b, "arith.extui", x, i32);
  MlirType results[] = {sn_type_of(x), mlirIntegerTypeGet(b->ctx, 1)};
  x = sn(b, "gpu.shuffle", x, sn_int(b, i32, offset), sn_int(b, i32, 32), sn_types(2, results),
         sn_attr("mode", sn_parse_attr(b->ctx, "#gpu<shuffle_mode xor>")));
  if (bits < 32)
    x = sn(b, "arith.trunci", x, narrow);
  if (mlirTypeIsAIndex(type))
    return sn(b, "arith.index_cast", x, type);
  return bits < 32 && sn_is_float(type) ? sn(b, "arith.bitcast", x, type) : x;
}

static MlirValue butterfly(SnBuilder *b, const SnGpuReduction *r, MlirValue x, int64_t lanes) {
  for (int64_t offset = lanes / 2; offset; offset /= 2)
    x = sn_gpu_combine(b, r, x, shuffle(b, x, offset));
  return x;
}

// At the head of the kernel, so that every use is below.
static void know_lanes(SnGpuKernel *k) {
  if (k->first_of_warp_known)
    return;
  SnBuilder top = sn_after(sn_definer(k->first));
  MlirValue warp_size = sn_index(&top, 32);
  k->lane = sn(&top, "arith.remui", k->thread, warp_size);
  k->warp = sn(&top, "arith.divui", k->thread, warp_size);
  k->first_of_warp = sn(&top, "arith.cmpi", k->lane, sn_index(&top, 0), mlirIntegerTypeGet(top.ctx, 1), sn_attr("predicate", sn_i64(top.ctx, 0)));
  k->first_of_warp_known = true;
}

void sn_gpu_reduce_block(SnBuilder *b, SnGpuKernel *k, size_t n, const SnGpuReduction *reductions, MlirValue *values, bool barrier) {
  for (size_t i = 0; i < n; ++i)
    values[i] = butterfly(b, &reductions[i], values[i], 32);
  if (!n || k->warps == 1)
    return;
  know_lanes(k);
  MlirValue *slots = sn_alloc(n * sizeof *slots);
  for (size_t i = 0; i < n; ++i)
    slots[i] = sn_gpu_shared(k, 1, &k->warps, reductions[i].type);
  if (barrier)
    sn_op(b, "gpu.barrier");
  SnIf leader = sn_if(b, k->first_of_warp);
  for (size_t i = 0; i < n; ++i)
    sn_op(b, "memref.store", values[i], slots[i], k->warp);
  sn_end_if(b, &leader);
  sn_op(b, "gpu.barrier");
  MlirValue at = sn(b, "arith.remui", k->lane, sn_index(b, k->warps));
  for (size_t i = 0; i < n; ++i)
    values[i] = butterfly(b, &reductions[i], sn(b, "memref.load", slots[i], at, reductions[i].type), k->warps);
  free(slots);
}

void sn_gpu_cluster_barrier(SnBuilder *b) {
  sn_op(b, "nvvm.cluster.arrive", sn_types(0, NULL), sn_attr("aligned", sn_unit(b->ctx)));
  sn_op(b, "nvvm.cluster.wait", sn_types(0, NULL), sn_attr("aligned", sn_unit(b->ctx)));
}

// Stores into slots[rank] of the block that has this thread's number in the cluster.
static void post(SnBuilder *b, SnGpuKernel *k, MlirValue slots, MlirValue value) {
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64), type = sn_type_of(value);
  if (mlirTypeIsAIndex(type)) {
    value = sn(b, "arith.index_cast", value, i64);
    type = i64;
  }
  int32_t dynamic = INT32_MIN;
  MlirValue address = sn(b, "memref.extract_aligned_pointer_as_index", slots, sn_index_type(b->ctx));
  MlirValue here = sn(b, "llvm.inttoptr", sn(b, "arith.index_cast", address, i64), sn_type(b->ctx, "!llvm.ptr<3>"));
  MlirValue place = sn(b, "llvm.getelementptr", here, sn(b, "arith.index_cast", k->rank, i64), sn_type_of(here), sn_attr("elem_type", mlirTypeAttrGet(type)),
                       sn_attr("rawConstantIndices", mlirDenseI32ArrayGet(b->ctx, 1, &dynamic)));
  MlirValue peer = sn(b, "arith.index_cast", k->thread, mlirIntegerTypeGet(b->ctx, 32));
  sn_op(b, "llvm.store", value, sn(b, "nvvm.mapa", place, peer, sn_type(b->ctx, "!llvm.ptr<7>")), sn_types(0, NULL));
}

void sn_gpu_reduce_group(SnBuilder *b, SnGpuKernel *k, size_t n, const SnGpuReduction *reductions, MlirValue *values, bool barrier) {
  sn_gpu_reduce_block(b, k, n, reductions, values, barrier);
  if (!n || k->cluster == 1)
    return;
  know_lanes(k);
  MlirValue *slots = sn_alloc(n * sizeof *slots);
  for (size_t i = 0; i < n; ++i)
    slots[i] = sn_gpu_shared(k, 1, &k->cluster, reductions[i].type);
  if (barrier)
    sn_gpu_cluster_barrier(b);
  SnIf posts = sn_if(b, sn(b, "arith.cmpi", k->thread, sn_index(b, k->cluster), sn_attr("predicate", sn_i64(b->ctx, 6)))); // ult
  for (size_t i = 0; i < n; ++i)
    post(b, k, slots[i], values[i]);
  sn_end_if(b, &posts);
  sn_gpu_cluster_barrier(b);
  MlirValue at = sn(b, "arith.remui", k->lane, sn_index(b, k->cluster));
  for (size_t i = 0; i < n; ++i)
    values[i] = butterfly(b, &reductions[i], sn(b, "memref.load", slots[i], at, reductions[i].type), k->cluster);
  free(slots);
}
