// tiles.c: which tiles a team works on, one after another.
//
//   one each     number = first                                   each team has one, and there is no loop
//   in steps     number = first, first + step, ... < end
//   counted      number = group + count * groups, count = 0, 1, ... < end      for roles that walk the same tiles
//
// What is carried from tile to tile is changed in its place. A tile that waits for others would be one more line here:
// counters that blocks wait for are there (tag_counters.c).
//
// test: test/lowering/gpu/lower_gpu.mlir, teams.mlir, grid_rows.mlir

#include "lowering/gpu/shell/shell.h"
#include "lowering/rows/rowprogram.h"

typedef struct {
  MlirValue *carried;
  size_t n;
  SnGpuEmitTile emit;
  void *user;
} Walk;

static void one_each(SnBuilder *b, SnGpuKernel *k, const SnGpuTiles *t, const Walk *w) {
  k->single_tile = true;
  w->emit(b, k, &(SnGpuTile){.number = t->first, .count = sn_index(b, 0)}, w->user);
}

static void loop(SnBuilder *b, SnGpuKernel *k, const SnGpuTiles *t, const Walk *w) {
  bool counted = t->deal == SN_GPU_COUNTED;
  SnLoop at = sn_for_values(b, t->first, t->end, sn_index(b, t->step), sn_values((intptr_t)w->n, w->carried));
  memcpy(w->carried, at.carried, w->n * sizeof *w->carried);
  SnGpuTile tile = {.number = counted ? (MlirValue){0} : at.index,
                    .count = counted ? at.index : sn(b, "arith.divui", at.index, sn_index(b, t->step))};
  w->emit(b, k, &tile, w->user);
  sn_next_values(b, &at, sn_values((intptr_t)w->n, w->carried));
  for (size_t i = 0; i < w->n; ++i)
    w->carried[i] = sn_result(at.op, (intptr_t)i);
}

static void (*const deals[])(SnBuilder *b, SnGpuKernel *k, const SnGpuTiles *t, const Walk *w) = {
    [SN_GPU_ONE_EACH] = one_each,
    [SN_GPU_IN_STEPS] = loop,
    [SN_GPU_COUNTED] = loop,
};

SnGpuTiles sn_gpu_tiles_in_steps(const SnGpuKernel *k, MlirValue first, MlirValue end, int64_t step) {
  int64_t known;
  bool one = k->team > 1 && sn_known(end, &known) && known == step;
  return (SnGpuTiles){.deal = one ? SN_GPU_ONE_EACH : SN_GPU_IN_STEPS, .first = first, .end = end, .step = step};
}

SnGpuTiles sn_gpu_tiles_counted(SnBuilder *b, const SnGpuKernel *k, MlirValue end) {
  int64_t groups = k->blocks / k->cluster;
  MlirValue behind = sn(b, "arith.subi", sn(b, "arith.addi", end, sn_index(b, groups - 1)), k->group);
  return (SnGpuTiles){.deal = SN_GPU_COUNTED,
                      .first = sn_index(b, 0),
                      .end = sn(b, "arith.divui", behind, sn_index(b, groups)),
                      .step = 1};
}

MlirValue sn_gpu_counted_tile(SnBuilder *b, const SnGpuKernel *k, MlirValue count) {
  return sn(b, "arith.addi", k->group, sn(b, "arith.muli", count, sn_index(b, k->blocks / k->cluster)));
}

void sn_gpu_each_tile(SnBuilder *b, SnGpuKernel *k, const SnGpuTiles *tiles, MlirValue *carried, size_t n,
                      SnGpuEmitTile emit, void *user) {
  deals[tiles->deal](b, k, tiles, &(Walk){carried, n, emit, user});
}
