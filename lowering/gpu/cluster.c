// cluster.c: values of all threads of a cluster of blocks combined into one that all have.
//
//   x = combined over the block                                     block.c
//   thread t < C: slots[rank] of block t = x, and x's bytes on block t's mbarrier    st.async
//   all: wait until the own mbarrier has the bytes of C blocks
//   x = slots[0] . slots[1] . ...                                    one a lane, butterfly
//
// A barrier of the whole cluster would do instead of the mbarriers, but has each warp wait for
// all that it stored before, rows of output too.
//
// A mbarrier goes through one phase each row, so what a thread waits for is the row's turn, 0 or 1.
// Nothing of the next row arrives in a phase that is not over: with two exchanges or more in a row,
// whoever posts in the next row's first has seen the end of this row's last, for which every
// block has posted after the end of its own first. Where a row has one exchange, a barrier
// of the cluster stands in front of it. Slots are written again only when they have been read,
// for the same reason.

#include "lowering/gpu/gpu.h"
#include <stdio.h>

#define TYPE_I32(b) mlirIntegerTypeGet((b)->ctx, 32)

static MlirValue i32_of(SnBuilder *b, int64_t v) { return sn_int(b, TYPE_I32(b), v); }

static MlirValue less(SnBuilder *b, MlirValue x, int64_t n) {
  return sn(b, "arith.cmpi", x, sn_index(b, n), sn_attr("predicate", sn_i64(b->ctx, 6))); // ult
}

MlirValue sn_gpu_shared_address(SnBuilder *b, MlirValue memref) {
  MlirValue address = sn(b, "memref.extract_aligned_pointer_as_index", memref, sn_index_type(b->ctx));
  return sn(b, "arith.index_cast", address, TYPE_I32(b));
}

static MlirOperation cluster_barrier(SnBuilder *b) {
  MlirOperation arrive = sn_op(b, "nvvm.cluster.arrive", sn_types(0, NULL), sn_attr("aligned", sn_unit(b->ctx)));
  sn_op(b, "nvvm.cluster.wait", sn_types(0, NULL), sn_attr("aligned", sn_unit(b->ctx)));
  return arrive;
}

void sn_gpu_enter_cluster(SnBuilder *b, SnGpuKernel *k) {
  MlirValue size = sn_index(b, k->cluster); // consecutive blocks
  k->group = sn(b, "arith.divui", k->block, size);
  k->rank = sn(b, "arith.remui", k->block, size);
  k->first_of_group = sn(b, "arith.andi", k->first, less(b, k->rank, 1));
  k->entered = cluster_barrier(b);
}

void sn_gpu_begin_row(SnBuilder *b, SnGpuKernel *k, MlirValue row) {
  if (k->cluster == 1)
    return;
  if (k->one_row) {
    k->turn = i32_of(b, 0);
    return;
  }
  MlirValue count = sn(b, "arith.divui", row, sn_index(b, k->blocks / k->cluster));
  k->turn = sn(b, "arith.index_cast", sn(b, "arith.remui", count, sn_index(b, 2)), TYPE_I32(b));
}

// A mbarrier that one thread of the block arrives at, made before any block goes on.
static MlirValue make_mbarrier(SnGpuKernel *k) {
  SnBuilder top = sn_before(k->entered);
  int64_t one = 1;
  MlirValue mbarrier = sn_gpu_shared(k, 1, &one, mlirIntegerTypeGet(top.ctx, 64));
  SnIf first = sn_if(&top, k->first);
  MlirValue operands[] = {sn_gpu_shared_address(&top, mbarrier), i32_of(&top, 1)};
  sn_gpu_ptx(&top, "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}", sn_values(2, operands), (MlirType){0});
  sn_gpu_ptx(&top, "fence.mbarrier_init.release.cluster;", "~{memory}", sn_values(0, NULL), (MlirType){0});
  sn_end_if(&top, &first);
  return mbarrier;
}

static MlirValue in_block(SnBuilder *b, MlirValue address, MlirValue block) {
  MlirValue operands[] = {address, block};
  return sn_result(sn_gpu_ptx(b, "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", sn_values(2, operands), TYPE_I32(b)), 0);
}

// Of this block to all: thread t writes into block t.
static void post(SnBuilder *b, SnGpuKernel *k, size_t n, const MlirValue *bits, const MlirValue *slots, MlirValue mbarrier) {
  MlirValue rank = sn(b, "arith.index_cast", k->rank, TYPE_I32(b)), peer = sn(b, "arith.index_cast", k->thread, TYPE_I32(b));
  MlirValue signal = in_block(b, mbarrier, peer);
  for (size_t i = 0; i < n; ++i) {
    int64_t bytes = sn_bits(sn_type_of(bits[i])) / 8;
    MlirValue slot = sn(b, "arith.addi", sn_gpu_shared_address(b, slots[i]), sn(b, "arith.muli", rank, i32_of(b, bytes)));
    MlirValue operands[] = {in_block(b, slot, peer), bits[i], signal};
    char text[128];
    snprintf(text, sizeof text, "st.async.shared::cluster.mbarrier::complete_tx::bytes.b%lld [$0], $1, [$2];", (long long)bytes * 8);
    sn_gpu_ptx(b, text, bytes == 8 ? "r,l,r,~{memory}" : "r,r,r,~{memory}", sn_values(3, operands), (MlirType){0});
  }
}

// A thread of each warp has a part of the same row; all of them read all parts, in their order.
static void reduce_tile(SnBuilder *b, SnGpuKernel *k, size_t n, const SnGpuReduction *reductions, MlirValue *values, bool barrier) {
  int64_t shape[] = {k->warps, 32};
  MlirValue slots[16];
  if (!n)
    return;
  sn_gpu_know_lanes(k);
  if (barrier)
    sn_op(b, "gpu.barrier");
  for (size_t i = 0; i < n; ++i) {
    slots[i] = sn_gpu_shared(k, 2, shape, reductions[i].type);
    sn_op(b, "memref.store", values[i], slots[i], k->warp, k->lane);
  }
  sn_op(b, "gpu.barrier");
  for (size_t i = 0; i < n; ++i)
    for (int64_t w = 0; w < k->warps; ++w) {
      MlirValue x = sn(b, "memref.load", slots[i], sn_index(b, w), k->lane, reductions[i].type);
      values[i] = w ? sn_gpu_combine(b, &reductions[i], values[i], x) : x;
    }
}

void sn_gpu_reduce_group(SnBuilder *b, SnGpuKernel *k, size_t n, const SnGpuReduction *reductions, MlirValue *values, bool barrier) {
  if (k->tile) {
    reduce_tile(b, k, n, reductions, values, barrier);
    return;
  }
  if (k->team < k->threads) {
    for (size_t i = 0; i < n; ++i)
      values[i] = sn_gpu_butterfly(b, &reductions[i], values[i], k->team);
    return;
  }
  sn_gpu_reduce_block(b, k, n, reductions, values, barrier);
  if (!n || k->cluster == 1)
    return;
  sn_gpu_know_lanes(k);
  MlirValue *slots = sn_alloc(n * sizeof *slots), *bits = sn_alloc(n * sizeof *bits);
  int64_t bytes = 0;
  MlirValue mbarrier = sn_gpu_shared_address(b, make_mbarrier(k));
  if (barrier && !k->one_row)
    cluster_barrier(b);
  for (size_t i = 0; i < n; ++i) {
    bits[i] = sn_gpu_bits(b, values[i]);
    slots[i] = sn_gpu_shared(k, 1, &k->cluster, sn_type_of(bits[i]));
    bytes += k->cluster * sn_bits(sn_type_of(bits[i])) / 8;
  }
  SnIf first = sn_if(b, k->first);
  MlirValue expect[] = {mbarrier, i32_of(b, bytes)};
  sn_gpu_ptx(b, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r,~{memory}", sn_values(2, expect), (MlirType){0});
  sn_end_if(b, &first);
  SnIf posts = sn_if(b, less(b, k->thread, k->cluster));
  post(b, k, n, bits, slots, mbarrier);
  sn_end_if(b, &posts);
  MlirValue wait[] = {mbarrier, k->turn};
  sn_gpu_ptx(b,
             "{\n\t.reg .pred done;\n\tWAIT:\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [$0], $1;\n\t@!done bra WAIT;\n\t}",
             "r,r,~{memory}", sn_values(2, wait), (MlirType){0});
  MlirValue at = sn(b, "arith.remui", k->lane, sn_index(b, k->cluster));
  for (size_t i = 0; i < n; ++i) {
    MlirValue x = sn(b, "memref.load", slots[i], at, sn_type_of(bits[i]));
    values[i] = sn_gpu_butterfly(b, &reductions[i], sn_gpu_from_bits(b, x, reductions[i].type), k->cluster);
  }
  free(slots);
  free(bits);
}
