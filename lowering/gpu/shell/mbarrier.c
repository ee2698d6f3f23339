// mbarrier.c: barriers in shared memory on which threads and copies arrive.
//
//   memref<n x i64>: mbarrier i is at its address + 8 * i
//
// What a thread waits for is the parity of a phase: phases of one mbarrier are counted from 0.
//
// test: test/lowering/gpu/grid_rows.mlir, shared.mlir

#include "lowering/gpu/shell/shell.h"
#include <stdio.h>

static MlirValue i32_of(SnBuilder *b, int64_t v) { return sn_int(b, mlirIntegerTypeGet(b->ctx, 32), v); }

// By one thread.
static void init(SnBuilder *b, MlirValue mbarriers, int64_t n, int64_t arrivals) {
  MlirValue base = sn_gpu_shared_address(b, mbarriers);
  for (int64_t i = 0; i < n; ++i) {
    MlirValue operands[] = {sn(b, "arith.addi", base, i32_of(b, 8 * i)), i32_of(b, arrivals)};
    sn_gpu_ptx(b, "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}", sn_values(2, operands), (MlirType){0});
  }
}

static MlirValue allocate(SnBuilder *b, SnGpuKernel *k, const char *name, int64_t n) {
  return sn_gpu_shared(k, name, 1, &n, mlirIntegerTypeGet(b->ctx, 64), SN_GPU_FOR_VECTORS);
}

void sn_gpu_fence_mbarriers(SnBuilder *b) {
  sn_gpu_ptx(b, "fence.mbarrier_init.release.cluster;", "~{memory}", sn_values(0, NULL), (MlirType){0});
}

MlirValue sn_gpu_mbarriers(SnBuilder *b, SnGpuKernel *k, const char *name, int64_t n, int64_t arrivals) {
  MlirValue mbarriers = allocate(b, k, name, n);
  SnIf first = sn_if(b, k->first);
  init(b, mbarriers, n, arrivals);
  sn_end_if(b, &first);
  return mbarriers;
}

MlirValue sn_gpu_cluster_mbarriers(SnGpuKernel *k, const char *name, int64_t n, int64_t bytes) {
  SnBuilder b = sn_before(k->entered);
  MlirValue mbarriers = allocate(&b, k, name, n);
  SnIf first = sn_if(&b, k->first);
  init(&b, mbarriers, n, 1);
  sn_gpu_fence_mbarriers(&b);
  if (k->single_tile)
    sn_gpu_arrive_expecting(&b, sn_gpu_shared_address(&b, mbarriers), i32_of(&b, bytes));
  sn_end_if(&b, &first);
  return mbarriers;
}

MlirValue sn_gpu_mbarrier(SnBuilder *b, MlirValue mbarriers, MlirValue i) {
  return sn(b, "arith.addi", sn_gpu_shared_address(b, mbarriers), sn(b, "arith.muli", i, i32_of(b, 8)));
}

void sn_gpu_arrive(SnBuilder *b, MlirValue mbarrier) {
  sn_gpu_ptx(b, "mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}", sn_values(1, &mbarrier), (MlirType){0});
}

MlirValue sn_gpu_in_block(SnBuilder *b, MlirValue address, MlirValue rank) {
  MlirValue operands[] = {address, rank};
  return sn_result(sn_gpu_ptx(b, "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", sn_values(2, operands),
                              mlirIntegerTypeGet(b->ctx, 32)),
                   0);
}

void sn_gpu_arrive_at(SnBuilder *b, MlirValue mbarrier, MlirValue rank) {
  MlirValue there = sn_gpu_in_block(b, mbarrier, rank);
  sn_gpu_ptx(b, "mbarrier.arrive.shared::cluster.b64 _, [$0];", "r,~{memory}", sn_values(1, &there),
             (MlirType){0});
}

void sn_gpu_arrive_expecting(SnBuilder *b, MlirValue mbarrier, MlirValue bytes) {
  MlirValue operands[] = {mbarrier, bytes};
  sn_gpu_ptx(b, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r,~{memory}", sn_values(2, operands),
             (MlirType){0});
}

static void await(SnBuilder *b, const char *text, MlirValue mbarrier, MlirValue parity) {
  MlirValue operands[] = {mbarrier, parity};
  sn_gpu_ptx(b, text, "r,r,~{memory}", sn_values(2, operands), (MlirType){0});
}

#define UNTIL(wait) "{\n\t.reg .pred done;\n\tWAIT:\n\t" wait " done, [$0], $1;\n\t@!done bra WAIT;\n\t}"

void sn_gpu_await(SnBuilder *b, MlirValue mbarrier, MlirValue parity) {
  await(b, UNTIL("mbarrier.try_wait.parity.shared::cta.b64"), mbarrier, parity);
}

void sn_gpu_await_from_cluster(SnBuilder *b, MlirValue mbarrier, MlirValue parity) {
  await(b, UNTIL("mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64"), mbarrier, parity);
}

void sn_gpu_bulk_copy(SnBuilder *b, MlirValue to, MlirValue from, MlirValue bytes, MlirValue mbarrier) {
  MlirValue operands[] = {to, from, bytes, mbarrier};
  sn_gpu_ptx(b, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];",
             "r,l,r,r,~{memory}", sn_values(4, operands), (MlirType){0});
}

void sn_gpu_copy_async(SnBuilder *b, MlirValue to, MlirValue from, int64_t bytes, MlirValue there) {
  bool whole = sn_none(there);
  MlirValue operands[] = {to, from, there};
  char text[96];
  snprintf(text, sizeof text, "cp.async.%s.shared.global [$0], [$1], %lld%s;", bytes == 16 ? "cg" : "ca",
           (long long)bytes, whole ? "" : ", $2");
  sn_gpu_ptx(b, text, whole ? "r,l,~{memory}" : "r,l,r,~{memory}", sn_values(whole ? 2 : 3, operands), (MlirType){0});
}

void sn_gpu_commit_copies(SnBuilder *b) {
  sn_gpu_ptx(b, "cp.async.commit_group;", "~{memory}", sn_values(0, NULL), (MlirType){0});
}

void sn_gpu_await_copies(SnBuilder *b, int64_t left) {
  char text[40];
  snprintf(text, sizeof text, "cp.async.wait_group %lld;", (long long)left);
  sn_gpu_ptx(b, left ? text : "cp.async.wait_all;", "~{memory}", sn_values(0, NULL), (MlirType){0});
}

void sn_gpu_fence_copies(SnBuilder *b) {
  sn_gpu_ptx(b, "fence.proxy.async.shared::cta;", "~{memory}", sn_values(0, NULL), (MlirType){0});
}
