// tiles.c: which tiles a team works on, one after another.
//
//   one each     number = first                                   each team has one, and there is no loop
//   in steps     number = first, first + step, ... < end
//   counted      number = group + count * groups, count = 0, 1, ... < end      for roles that walk the same tiles
//   by ticket    number = what a counter of the launch says, as long as it is < end      tiles that take unlike times
//   handed       number = what `next` says, as long as it is < end                       roles of a block that agree
//
// What is carried from tile to tile is changed in its place. A tile that waits for others asks by sn_gpu_await_count
// (tag_counters.c) first thing in `emit`.
//
// test: test/lowering/gpu/lower_gpu.mlir, teams.mlir, grid_rows.mlir, products.mlir

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
  for (size_t i = 0; i < w->n; ++i)
    w->carried[i] = at.carried[i];
  SnGpuTile tile = {.number = counted ? (MlirValue){0} : at.index,
                    .count = counted ? at.index : sn(b, "arith.divui", at.index, sn_index(b, t->step))};
  w->emit(b, k, &tile, w->user);
  sn_next_values(b, &at, sn_values((intptr_t)w->n, w->carried));
  for (size_t i = 0; i < w->n; ++i)
    w->carried[i] = sn_result(at.op, (intptr_t)i);
}

// Thread 0 draws; the block that draws last of all leaves the counter as it was before.
static MlirValue draw(SnBuilder *b, SnGpuKernel *k, const SnGpuTiles *t, MlirValue slot) {
  MlirType index = sn_index_type(b->ctx);
  MlirValue zero = sn_index(b, 0), i64 = {0};
  sn_gpu_sync(b, k); // all have read the last one
  SnIf first = sn_if(b, k->first);
  i64 = sn_gpu_ticket(b, k, zero, sn(b, "arith.addi", t->end, sn_index(b, k->blocks)));
  sn_op(b, "memref.store", sn(b, "arith.index_cast", i64, index), slot, zero);
  sn_end_if(b, &first);
  sn_gpu_sync(b, k);
  return sn(b, "memref.load", slot, zero, index);
}

static MlirRegion region_of(SnBuilder *b, size_t n, const MlirType *types, MlirBlock *block) {
  SN_VEC(MlirLocation) locs = {0};
  for (size_t i = 0; i < n; ++i)
    sn_push(&locs, b->loc);
  MlirRegion region = mlirRegionCreate();
  *block = mlirBlockCreate((intptr_t)n, types, locs.data);
  mlirRegionAppendOwnedBlock(region, *block);
  sn_vec_free(&locs);
  return region;
}

static void handed(SnBuilder *b, SnGpuKernel *k, const SnGpuTiles *t, const Walk *w) {
  MlirType index = sn_index_type(b->ctx), *types = sn_alloc((w->n + 1) * sizeof *types);
  MlirValue *values = sn_alloc((w->n + 1) * sizeof *values);
  MlirBlock before, after;
  types[0] = index;
  for (size_t i = 0; i < w->n; ++i)
    types[i + 1] = sn_type_of(w->carried[i]);
  MlirRegion condition = region_of(b, w->n, types + 1, &before), body = region_of(b, w->n + 1, types, &after);
  MlirOperation op = sn_op(b, "scf.while", sn_values((intptr_t)w->n, w->carried), sn_types((intptr_t)w->n + 1, types),
                           condition, body);
  SnBuilder in = sn_at_end(before, b->loc);
  for (size_t i = 0; i < w->n; ++i)
    values[i + 1] = mlirBlockGetArgument(before, (intptr_t)i);
  values[0] = t->next(&in, k, t, values + 1, t->user);
  MlirValue more = sn(&in, "arith.cmpi", values[0], t->end, sn_attr("predicate", sn_i64(b->ctx, 6))); // ult
  sn_op(&in, "scf.condition", more, sn_values((intptr_t)w->n + 1, values), sn_types(0, NULL));
  in = sn_at_end(after, b->loc);
  for (size_t i = 0; i < w->n; ++i)
    w->carried[i] = mlirBlockGetArgument(after, (intptr_t)i + 1);
  SnGpuTile tile = {.number = mlirBlockGetArgument(after, 0)};
  w->emit(&in, k, &tile, w->user);
  sn_op(&in, "scf.yield", sn_values((intptr_t)w->n, w->carried), sn_types(0, NULL));
  for (size_t i = 0; i < w->n; ++i)
    w->carried[i] = sn_result(op, (intptr_t)i + 1);
  free(types);
  free(values);
}

static MlirValue next_drawn(SnBuilder *b, SnGpuKernel *k, const SnGpuTiles *t, MlirValue *carried, void *user) {
  (void)carried;
  return draw(b, k, t, *(MlirValue *)user);
}

static void by_ticket(SnBuilder *b, SnGpuKernel *k, const SnGpuTiles *t, const Walk *w) {
  int64_t one = 1;
  MlirValue slot = sn_gpu_shared(k, "the next tile", 1, &one, sn_index_type(b->ctx), 8);
  SnGpuTiles drawn = *t;
  drawn.next = next_drawn, drawn.user = &slot;
  handed(b, k, &drawn, w);
}

static void (*const deals[])(SnBuilder *b, SnGpuKernel *k, const SnGpuTiles *t, const Walk *w) = {
    [SN_GPU_ONE_EACH] = one_each,
    [SN_GPU_IN_STEPS] = loop,
    [SN_GPU_COUNTED] = loop,
    [SN_GPU_BY_TICKET] = by_ticket,
    [SN_GPU_HANDED] = handed,
};

// Of the last block some teams may have none.
SnGpuTiles sn_gpu_tiles_in_steps(const SnGpuKernel *k, MlirValue first, MlirValue end, int64_t step) {
  int64_t known, teams = k->team < k->threads ? k->threads / k->team : 1;
  bool one = k->team > 1 && sn_known(end, &known) && known <= step && step - known < teams;
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

SnGpuTiles sn_gpu_tiles_by_ticket(SnBuilder *b, MlirValue end) {
  return (SnGpuTiles){.deal = SN_GPU_BY_TICKET, .first = sn_index(b, 0), .end = end, .step = 1};
}

SnGpuTiles sn_gpu_tiles_handed(MlirValue end, SnGpuNextTile next, void *user) {
  return (SnGpuTiles){.deal = SN_GPU_HANDED, .end = end, .step = 1, .next = next, .user = user};
}

MlirValue sn_gpu_counted_tile(SnBuilder *b, const SnGpuKernel *k, MlirValue count) {
  return sn(b, "arith.addi", k->group, sn(b, "arith.muli", count, sn_index(b, k->blocks / k->cluster)));
}

void sn_gpu_each_tile(SnBuilder *b, SnGpuKernel *k, const SnGpuTiles *tiles, MlirValue *carried, size_t n,
                      SnGpuEmitTile emit, void *user) {
  deals[tiles->deal](b, k, tiles, &(Walk){carried, n, emit, user});
}
