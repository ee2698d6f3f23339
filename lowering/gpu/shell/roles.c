// roles.c: which warps of a block do what, and where they meet.
//
//   {"rows", 16 warps}, {"exchange", 1}, {"fetch", 1}
//   ->
//   if thread < 512 {...} else if thread < 544 {...} else {...}
//
// A barrier of a block waits for all of its threads. So a role of several warps has a barrier of its own, by a number
// from the kernel's table, and one of a single warp that of the warp. A kernel without roles has none to give: all of
// its threads meet at barrier 0.

#include "lowering/gpu/shell/shell.h"
#include <assert.h>

// The number of a barrier that nobody else has.
static int named(SnGpuBarriers *all, const char *name) {
  if (!all->count)
    all->names[all->count++] = "block";
  assert(all->count < SN_GPU_BARRIERS && "a block has 16 barriers");
  all->names[all->count] = name;
  return all->count++;
}

int sn_gpu_name_barrier(SnGpuKernel *k, const char *name) { return named(k->barriers, name); }

void sn_gpu_run_roles(SnBuilder *b, SnGpuKernel *k, SnGpuRole *roles, size_t n, void *user) {
  SnIf branches[SN_GPU_BARRIERS];
  int64_t warps = 0;
  assert(n && n <= SN_GPU_BARRIERS);
  for (size_t r = 0; r < n; ++r) {
    if (roles[r].warps > 1)
      roles[r].barrier = named(k->barriers, roles[r].name);
    warps += roles[r].warps;
    if (r + 1 < n) {
      MlirValue end = sn_index(b, 32 * warps);
      branches[r] = sn_if(b, sn(b, "arith.cmpi", k->thread, end, sn_attr("predicate", sn_i64(b->ctx, 6)))); // ult
    }
    k->role = &roles[r];
    roles[r].emit(b, k, user);
    if (r + 1 < n)
      sn_else(b, &branches[r]);
  }
  k->role = NULL;
  for (size_t r = n - 1; r-- > 0;)
    sn_end_if(b, &branches[r]);
}

void sn_gpu_sync(SnBuilder *b, const SnGpuKernel *k) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  if (sn_gpu_is_one_warp(k)) {
    sn_op(b, "nvvm.bar.warp.sync", sn_int(b, i32, -1), sn_types(0, NULL));
  } else if (k->role) {
    MlirValue which = sn_none(k->barrier) ? sn_int(b, i32, k->role->barrier) : k->barrier;
    sn_op(b, "nvvm.barrier", which, sn_int(b, i32, 32 * k->role->warps), sn_types(0, NULL),
          sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 3, (int32_t[]){1, 1, 0})));
  } else {
    sn_op(b, "gpu.barrier");
  }
}

SnGpuKernel sn_gpu_first_warp(const SnGpuKernel *k) {
  static const SnGpuRole first = {.name = "first warp", .warps = 1};
  SnGpuKernel warp = *k;
  warp.role = &first;
  warp.threads = warp.team = 32;
  warp.warps = 1;
  return warp;
}

bool sn_gpu_is_one_warp(const SnGpuKernel *k) { return k->role && k->role->warps == 1; }
