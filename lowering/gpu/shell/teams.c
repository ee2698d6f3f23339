// teams.c: which threads work on a tile together, and what each of them is called.
//
//   teams            a block has     group, rank                   member
//   neighbours       threads / team  block, -                      thread mod team
//   across warps     32              block, -                      warp
//   cluster, group   a part of one   block / size, block mod size  rank * threads + thread
//   grid             a part of one   block, -                      block * threads + thread
//
// test: test/lowering/gpu/teams.mlir, tile.mlir, registers.mlir, grid_rows.mlir, flat.mlir

#include "lowering/gpu/shell/shell.h"

static MlirValue is_zero(SnBuilder *b, MlirValue x) {
  return sn(b, "arith.cmpi", x, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 0)));
}

// A team has consecutive blocks.
static void number_blocks(SnBuilder *b, SnGpuKernel *k) {
  MlirValue size = sn_index(b, k->cluster);
  k->group = sn(b, "arith.divui", k->block, size);
  k->rank = sn(b, "arith.remui", k->block, size);
  k->first_of_team = sn(b, "arith.andi", k->first, is_zero(b, k->rank));
  if (k->teams == SN_GPU_CLUSTER)
    k->entered = sn_op(b, "nvvm.cluster.arrive.relaxed", sn_types(0, NULL), sn_attr("aligned", sn_unit(b->ctx)));
}

void sn_gpu_number_threads(SnBuilder *b, SnGpuKernel *k) {
  MlirAttribute x = sn_parse_attr(b->ctx, "#gpu<dim x>");
  k->block = sn(b, "gpu.block_id", sn_index_type(b->ctx), sn_attr("dimension", x));
  k->thread = sn(b, "gpu.thread_id", sn_index_type(b->ctx), sn_attr("dimension", x));
  sn_gpu_number_teams(b, k);
}

void sn_gpu_number_teams(SnBuilder *b, SnGpuKernel *k) {
  k->first = is_zero(b, k->thread);
  k->group = k->block;
  k->first_of_team = k->first;
  k->member = k->team == 1 ? sn_index(b, 0) : k->thread;
  if (k->cluster > 1) {
    number_blocks(b, k);
    k->team = k->cluster * k->threads;
    k->member = sn(b, "arith.addi", sn(b, "arith.muli", k->rank, sn_index(b, k->threads)), k->thread);
  } else if (k->teams == SN_GPU_GRID) {
    k->team = k->blocks * k->threads;
    k->member = sn(b, "arith.addi", sn(b, "arith.muli", k->block, sn_index(b, k->threads)), k->thread);
  } else if (k->team > 1 && k->team < k->threads) {
    bool apart = k->teams == SN_GPU_ACROSS_WARPS;
    k->member = sn(b, apart ? "arith.divui" : "arith.remui", k->thread, sn_index(b, apart ? 32 : k->team));
    k->first_of_team = is_zero(b, k->member);
  }
}

// At the head of the kernel, so that every use is below.
void sn_gpu_know_lanes(SnGpuKernel *k) {
  if (!sn_none(k->lane))
    return;
  SnBuilder top = sn_after(sn_definer(k->first));
  MlirValue warp_size = sn_index(&top, 32);
  k->lane = sn(&top, "arith.remui", k->thread, warp_size);
  k->warp = sn(&top, "arith.divui", k->thread, warp_size);
  k->first_of_warp = is_zero(&top, k->lane);
}

void sn_gpu_await_cluster(SnBuilder *b, SnGpuKernel *k) {
  if (k->teams == SN_GPU_CLUSTER && k->cluster > 1 && !k->cluster_began)
    sn_op(b, "nvvm.cluster.wait", sn_types(0, NULL), sn_attr("aligned", sn_unit(b->ctx)));
  k->cluster_began = true;
}

void sn_gpu_meet_cluster(SnBuilder *b, SnGpuKernel *k) {
  mlirOperationRemoveFromParent(k->entered);
  mlirOperationDestroy(k->entered);
  k->entered = sn_op(b, "nvvm.cluster.arrive", sn_types(0, NULL), sn_attr("aligned", sn_unit(b->ctx)));
  sn_gpu_await_cluster(b, k);
}

void sn_gpu_leave_cluster(SnBuilder *b) {
  sn_op(b, "nvvm.cluster.arrive", sn_types(0, NULL));
  sn_op(b, "nvvm.cluster.wait", sn_types(0, NULL));
}
