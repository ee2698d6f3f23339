// mbarrier.c: barriers in shared memory on which threads and copies arrive.
//
//   memref<n x i64>: mbarrier i is at its address + 8 * i
//
// What a thread waits for is the parity of a phase: phases of one mbarrier are counted from 0.
//
// test: test/lowering/gpu/grid_rows.mlir, shared.mlir

#include "lowering/gpu/gpu.h"

static MlirValue i32_of(SnBuilder *b, int64_t v) { return sn_int(b, mlirIntegerTypeGet(b->ctx, 32), v); }

MlirValue sn_gpu_mbarriers(SnBuilder *b, SnGpuKernel *k, int64_t n, int64_t arrivals) {
  MlirValue memref = sn_gpu_shared(k, 1, &n, mlirIntegerTypeGet(b->ctx, 64)), base = sn_gpu_shared_address(b, memref);
  SnIf first = sn_if(b, k->first);
  for (int64_t i = 0; i < n; ++i) {
    MlirValue operands[] = {sn(b, "arith.addi", base, i32_of(b, 8 * i)), i32_of(b, arrivals)};
    sn_gpu_ptx(b, "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}", sn_values(2, operands), (MlirType){0});
  }
  sn_end_if(b, &first);
  return memref;
}

MlirValue sn_gpu_mbarrier(SnBuilder *b, MlirValue mbarriers, MlirValue i) {
  return sn(b, "arith.addi", sn_gpu_shared_address(b, mbarriers), sn(b, "arith.muli", i, i32_of(b, 8)));
}

void sn_gpu_arrive(SnBuilder *b, MlirValue mbarrier) {
  sn_gpu_ptx(b, "mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}", sn_values(1, &mbarrier), (MlirType){0});
}

void sn_gpu_arrive_expecting(SnBuilder *b, MlirValue mbarrier, MlirValue bytes) {
  MlirValue operands[] = {mbarrier, bytes};
  sn_gpu_ptx(b, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r,~{memory}", sn_values(2, operands),
             (MlirType){0});
}

void sn_gpu_await(SnBuilder *b, MlirValue mbarrier, MlirValue parity) {
  MlirValue operands[] = {mbarrier, parity};
  sn_gpu_ptx(b,
             "{\n\t.reg .pred done;\n\tWAIT:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n\t@!done bra "
             "WAIT;\n\t}",
             "r,r,~{memory}", sn_values(2, operands), (MlirType){0});
}

void sn_gpu_bulk_copy(SnBuilder *b, MlirValue to, MlirValue from, MlirValue bytes, MlirValue mbarrier) {
  MlirValue operands[] = {to, from, bytes, mbarrier};
  sn_gpu_ptx(b, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];",
             "r,l,r,r,~{memory}", sn_values(4, operands), (MlirType){0});
}

void sn_gpu_warp_sync(SnBuilder *b) { sn_op(b, "nvvm.bar.warp.sync", i32_of(b, -1), sn_types(0, NULL)); }
