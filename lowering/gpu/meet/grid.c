// grid.c: values of all blocks combined into one, by the block that is done last.
//
//   partial[block] = x
//   if the counter says that all others are done:
//     x = partial[0] . partial[1] . ...     threads take turns, then block.c
//
// All threads of a block have its values: its first warp does all of that, and the others are done; but in clusters
// whose blocks have values of their own. The order is the same whichever block is last: equal inputs give equal bits.
// Where there are more partials than one block reads in a few steps, they meet in two: the last block of a bunch of
// them leaves the bunch's. Where the host counts the blocks, all are one bunch if they are few, and that is all.
//
// Rows of columns, one of each group of threads that shares its rows of the form, meet in two
// steps, so that not one block reads them all:
//
//   row[group] = x                          by the group itself (accumulate.c)
//   the last block of a bunch of groups:    row[first] = row[first] . row[first + 1] . ...
//   the last bunch:                         row[0] = row[0] . row[second bunch] . ...
//
// Counters: shell/tag_counters.c.

#include "lowering/gpu/meet/meet.h"

#define ALIGN 64

static int64_t bytes_of(const SnReduction *r) { return sn_scratch_bytes(r->type); }
static int64_t aligned(int64_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

static MlirValue compare(SnBuilder *b, int64_t predicate, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, mlirIntegerTypeGet(b->ctx, 1), sn_attr("predicate", sn_i64(b->ctx, predicate)));
}

static int64_t groups(const SnGpuKernel *k) { return k->blocks / k->cluster; }

// Who leaves partials: every block, or where all values are those of rows, the first block of every group.
static int64_t leavers(const SnGpuKernel *k, const SnGpuAccumulators *a) {
  return a->of_groups ? groups(k) : k->blocks;
}

// The same as an index: those that the host has launched.
static MlirValue leavers_now(SnBuilder *b, const SnGpuKernel *k, const SnGpuAccumulators *a) {
  if (sn_none(k->grid))
    return sn_index(b, leavers(k, a));
  return a->of_groups && k->cluster > 1 ? sn(b, "arith.divui", k->grid, sn_index(b, k->cluster)) : k->grid;
}

#define FEW 1024
static bool in_bunches(const SnGpuKernel *k, const SnGpuAccumulators *a) { return a->columns || leavers(k, a) > FEW; }

// What a bunch has of groups, or of partials: about the square root of all.
static int64_t bunch(const SnGpuKernel *k, const SnGpuAccumulators *a) {
  int64_t size = 8, all = a->columns ? groups(k) : leavers(k, a);
  while (size * size < all)
    size *= 2;
  return size;
}
static int64_t bunches(const SnGpuKernel *k, const SnGpuAccumulators *a) {
  int64_t size = bunch(k, a), all = a->columns ? groups(k) : leavers(k, a);
  return in_bunches(k, a) ? sn_pieces(all, size) : 0;
}

// The same as an index: of columns, or of blocks that the host has counted, which are one bunch if they are few.
static MlirValue bunch_now(SnBuilder *b, const SnGpuKernel *k, const SnGpuAccumulators *a) {
  MlirValue size = sn_index(b, bunch(k, a)), few = sn_index(b, FEW);
  return a->columns || sn_none(k->grid)
             ? size
             : sn(b, "arith.select", compare(b, 7, leavers_now(b, k, a), few), few, size); // ule
}

static int64_t counters(const SnGpuKernel *k, const SnGpuAccumulators *a) { return aligned(8 * (1 + bunches(k, a))); }

// The bytes in front of scalar i's partials, behind which its bunches' are, or of the columns.
static int64_t scalar_offset(const SnGpuKernel *k, const SnGpuAccumulators *a, size_t i) {
  int64_t bytes = counters(k, a);
  for (size_t s = 0; s < i && k->blocks > 1; ++s)
    bytes += aligned(bytes_of(&a->of_scalars[s]) * (leavers(k, a) + bunches(k, a)));
  return bytes;
}
static int64_t column_offset(const SnGpuKernel *k, const SnGpuAccumulators *a, size_t i) {
  int64_t bytes = scalar_offset(k, a, a->scalars);
  for (size_t c = 0; c < i; ++c)
    bytes = sn_times(bytes + aligned(sn_times(bytes_of(&a->of_columns[c]) * groups(k), a->length)), 1);
  return bytes;
}

int64_t sn_gpu_grid_scratch(const SnGpuKernel *k, const SnGpuAccumulators *a) {
  if (a->scalars + a->columns == 0 || (k->blocks == 1 && !a->columns))
    return 0;
  return column_offset(k, a, a->columns);
}

MlirValue sn_gpu_grid_columns(SnBuilder *b, SnGpuKernel *k, const SnGpuAccumulators *a, size_t column) {
  int64_t shape[] = {groups(k), a->length};
  return sn(b, "memref.view", k->scratch, sn_index(b, column_offset(k, a, column)),
            sn_memref(sn_scratch_type(a->of_columns[column].type), 2, shape));
}

// The same for one warp.
static MlirValue warp_is_last(SnBuilder *b, SnGpuKernel *k, MlirValue which, MlirValue found, MlirValue count) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  SnReduction any = {.type = i32, .combiner = sn_combiner(SN_STR("add"))};
  SnIf leader = sn_if(b, k->first, i32);
  sn_else(b, &leader, sn(b, "arith.extui", sn_gpu_is_last_of_taken(b, k, which, found, count), i32));
  sn_end_if(b, &leader, sn_int(b, i32, 0));
  sn_gpu_sync(b, k);
  return compare(b, 1, sn_gpu_butterfly(b, &any, sn_result(leader.op, 0), 32), sn_int(b, i32, 0));
}

// i1, for the whole block: it is the last of `count` to come here. What thread 0 acquired, the barrier hands on.
static MlirValue is_last(SnBuilder *b, SnGpuKernel *k, MlirValue which, MlirValue found, MlirValue count) {
  int64_t one = 1;
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  if (sn_gpu_is_one_warp(k))
    return warp_is_last(b, k, which, found, count);
  MlirValue flag = sn_gpu_shared(k, "which block is the last", 1, &one, i32, SN_GPU_FOR_VECTORS), zero = sn_index(b, 0);
  sn_gpu_sync(b, k); // all of the block have stored what others will read
  SnIf leader = sn_if(b, k->first);
  sn_op(b, "memref.store", sn(b, "arith.extui", sn_gpu_is_last_of_taken(b, k, which, found, count), i32), flag, zero);
  sn_end_if(b, &leader);
  sn_gpu_sync(b, k);
  return compare(b, 1, sn(b, "memref.load", flag, zero, i32), sn_int(b, i32, 0));
}

// A branch for it.
static SnIf if_last(SnBuilder *b, SnGpuKernel *k, MlirValue which, MlirValue found, MlirValue count) {
  return sn_if(b, is_last(b, k, which, found, count));
}

// Closing the inner branch closes both.
static SnIf both(SnIf outer, SnIf inner) {
  SnBuilder end = inner.outside;
  sn_op(&end, "scf.yield", sn_types(0, NULL));
  inner.outside = outer.outside;
  return inner;
}

// row[to] = row[to] . row[to + step] . ..., up to row `end`, in that order; the threads of the block share the columns.
static void combine_rows(SnBuilder *b, SnGpuKernel *k, const SnGpuAccumulators *a, MlirValue to, MlirValue end,
                         int64_t step) {
  MlirValue by = sn_index(b, step), next = sn(b, "arith.addi", to, by);
  for (size_t c = 0; c < a->columns; ++c) {
    const SnReduction *r = &a->of_columns[c];
    bool vector = a->width > 1;
    MlirValue rows = sn_gpu_grid_columns(b, k, a, c);
    MlirType t = vector ? sn_vector(r->type, a->width) : r->type;
    MlirValue w = sn_index(b, a->width);
    int64_t bytes = a->width * bytes_of(r);
    SnAttr alignment = sn_attr("alignment", vector ? sn_i64(b->ctx, bytes < 16 ? bytes : 16) : mlirAttributeGetNull());
    SnLoop j = sn_for(b, sn(b, "arith.muli", k->thread, w), sn_index(b, a->length),
                      sn(b, "arith.muli", sn_index(b, k->threads), w));
    MlirValue at[] = {to, j.index};
    SnLoop g = sn_for(b, next, end, by, sn_scratch_load(b, rows, sn_values(2, at), t, alignment));
    MlirValue other[] = {g.index, j.index};
    MlirValue x = sn_scratch_load(b, rows, sn_values(2, other), t, alignment);
    sn_next(b, &g, sn_reduction_combine(b, r, g.carried[0], x));
    sn_scratch_store(b, sn_result(g.op, 0), rows, sn_values(2, at), alignment);
    sn_next(b, &j);
  }
}

// The last block of its bunch combines the bunch's rows; then the last of those the bunches'.
static SnIf reduce_columns(SnBuilder *b, SnGpuKernel *k, const SnGpuAccumulators *a) {
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  int64_t size = bunch(k, a);
  MlirValue in_bunch = sn_index(b, size), which = sn(b, "arith.divui", k->group, in_bunch),
            first = sn(b, "arith.muli", which, in_bunch);
  MlirValue end = sn(b, "arith.minui", sn(b, "arith.addi", first, in_bunch), sn_index(b, groups(k)));
  MlirValue members = sn(b, "arith.muli", sn(b, "arith.subi", end, first), sn_index(b, k->cluster));
  SnIf last = if_last(b, k, sn(b, "arith.addi", which, sn_index(b, 1)), a->found[1],
                      sn(b, "arith.index_cast", members, i64));
  combine_rows(b, k, a, first, end, 1);
  if (bunches(k, a) > 1) {
    last = both(last, if_last(b, k, sn_index(b, 0), a->found[0], sn_int(b, i64, bunches(k, a))));
    combine_rows(b, k, a, sn_index(b, 0), sn_index(b, groups(k)), size);
  }
  sn_gpu_sync(b, k);
  return last;
}

// Of a thread, where one warp combines all, or a bunch's: as many as there are, up to 8.
static int64_t loads_of_warp(const SnGpuKernel *k, const SnGpuAccumulators *a) {
  int64_t all = !in_bunches(k, a) ? leavers(k, a) : sn_none(k->grid) ? bunch(k, a) : FEW, each = sn_pieces(all, 32);
  return each < 8 ? each : 8;
}

// values = what a thread has of partials[from] . partials[from + 1] . ... up to `to`, so many of them at once.
static void combine_own(SnBuilder *b, SnGpuKernel *k, const SnGpuAccumulators *a, const MlirValue *partials,
                        MlirValue from, MlirValue to, int64_t at_once, MlirValue *values) {
  size_t n = a->scalars;
  MlirValue *start = sn_alloc((n + 1) * sizeof *start);
  for (size_t i = 0; i < n; ++i)
    start[i] = sn_reduction_identity(b, &a->of_scalars[i], 1);
  SnLoop g = sn_for_values(b, sn(b, "arith.addi", from, k->thread), to, sn_index(b, k->threads * at_once),
                           sn_values((intptr_t)n, start));
  MlirValue last = sn(b, "arith.subi", to, sn_index(b, 1));
  memcpy(start, g.carried, n * sizeof *start);
  for (int64_t u = 0; u < at_once; ++u) {
    MlirValue at = sn(b, "arith.addi", g.index, sn_index(b, u * k->threads)), there = compare(b, 6, at, to); // ult
    for (size_t i = 0; i < n; ++i) {
      MlirValue x =
          sn(b, "memref.load", partials[i], u ? sn(b, "arith.minui", at, last) : g.index, a->of_scalars[i].type);
      if (u)
        x = sn(b, "arith.select", there, x, sn_reduction_identity(b, &a->of_scalars[i], 1));
      start[i] = sn_reduction_combine(b, &a->of_scalars[i], start[i], x);
    }
  }
  sn_next_values(b, &g, sn_values((intptr_t)n, start));
  for (size_t i = 0; i < n; ++i)
    values[i] = sn_result(g.op, (intptr_t)i);
  free(start);
}

// The same of all threads of the block. Blocks that the host has counted are as many as a warp has threads, or fewer,
// where there is little work: then a thread has one at most, and makes no more of it.
static void combine_partials(SnBuilder *b, SnGpuKernel *k, const SnGpuAccumulators *a, const MlirValue *partials,
                             MlirValue from, MlirValue to, MlirValue *values) {
  size_t n = a->scalars;
  if (!n)
    return;
  int64_t at_once = sn_gpu_is_one_warp(k) ? loads_of_warp(k, a) : 1;
  if (at_once == 1 || sn_none(k->grid)) {
    combine_own(b, k, a, partials, from, to, at_once, values);
  } else {
    MlirType *types = sn_alloc(n * sizeof *types);
    for (size_t i = 0; i < n; ++i)
      types[i] = a->of_scalars[i].type;
    MlirValue few = compare(b, 7, sn(b, "arith.subi", to, from), sn_index(b, k->threads)); // ule
    SnIf it = sn_if_types(b, few, sn_types((intptr_t)n, types));
    combine_own(b, k, a, partials, from, to, 1, values);
    sn_else_values(b, &it, sn_values((intptr_t)n, values));
    combine_own(b, k, a, partials, from, to, at_once, values);
    sn_end_if_values(b, &it, sn_values((intptr_t)n, values));
    for (size_t i = 0; i < n; ++i)
      values[i] = sn_result(it.op, (intptr_t)i);
    free(types);
  }
  sn_gpu_reduce_block(b, k, n, a->of_scalars, values, false);
}

static void leave_partials(SnBuilder *b, SnGpuKernel *k, const SnGpuAccumulators *a, const MlirValue *partials,
                           MlirValue at, const MlirValue *values) {
  SnIf leader = sn_if(b, k->first);
  for (size_t i = 0; i < a->scalars; ++i)
    sn_op(b, "memref.store", values[i], partials[i], at);
  sn_end_if(b, &leader);
}

// What the bunches left, combined by the last block of those that come here; i1: this is it.
static MlirValue reduce_bunches_of(SnBuilder *b, SnGpuKernel *k, const SnGpuAccumulators *a, const MlirValue *partials,
                                   MlirValue which, MlirValue count, MlirValue *values) {
  size_t n = a->scalars;
  MlirValue first = sn_index(b, leavers(k, a)), *combined = sn_alloc((n + 1) * sizeof *combined);
  MlirType *types = sn_alloc((n + 1) * sizeof *types);
  for (size_t i = 0; i < n; ++i)
    types[i] = sn_type_of(values[i]);
  leave_partials(b, k, a, partials, sn(b, "arith.addi", first, which), values);
  MlirValue last = is_last(b, k, sn_index(b, 0), a->found[0],
                           sn(b, "arith.index_cast", count, mlirIntegerTypeGet(b->ctx, 64)));
  SnIf it = sn_if_types(b, last, sn_types((intptr_t)n, types));
  combine_partials(b, k, a, partials, first, sn(b, "arith.addi", first, count), combined);
  sn_else_values(b, &it, sn_values((intptr_t)n, combined));
  sn_end_if_values(b, &it, sn_values((intptr_t)n, values));
  for (size_t i = 0; i < n; ++i)
    values[i] = sn_result(it.op, (intptr_t)i);
  free(combined);
  free(types);
  return last;
}

// The last block of a bunch combines its partials; then the last of those the bunches'. Of blocks that the host has
// counted, few are one bunch.
static SnIf reduce_bunches(SnBuilder *b, SnGpuKernel *k, const SnGpuAccumulators *a, const MlirValue *partials,
                           MlirValue who, MlirValue *values) {
  MlirType i1 = mlirIntegerTypeGet(b->ctx, 1), i64 = mlirIntegerTypeGet(b->ctx, 64);
  size_t n = a->scalars;
  bool counted = !sn_none(k->grid);
  MlirValue now = leavers_now(b, k, a), size = bunch_now(b, k, a), few = sn_index(b, FEW);
  MlirValue which = sn(b, "arith.divui", who, size), from = sn(b, "arith.muli", which, size);
  MlirValue to = sn(b, "arith.minui", sn(b, "arith.addi", from, size), now), count = sn_size_ceil(b, now, size);
  MlirValue members = sn(b, "arith.index_cast", sn(b, "arith.subi", to, from), i64);
  SnIf of_bunch = if_last(b, k, sn(b, "arith.addi", which, sn_index(b, 1)), a->found[1], members);
  combine_partials(b, k, a, partials, from, to, values);
  if (!counted)
    return both(of_bunch, sn_if(b, reduce_bunches_of(b, k, a, partials, which, count, values)));
  MlirType *types = sn_alloc((n + 1) * sizeof *types);
  MlirValue *left = sn_alloc((n + 1) * sizeof *left), *alone = sn_alloc((n + 1) * sizeof *alone);
  types[n] = i1;
  for (size_t i = 0; i < n; ++i) {
    types[i] = sn_type_of(values[i]);
    left[i] = alone[i] = values[i];
  }
  alone[n] = sn_int(b, i1, 1);
  SnIf several = sn_if_types(b, compare(b, 8, now, few), sn_types((intptr_t)n + 1, types)); // ugt
  left[n] = reduce_bunches_of(b, k, a, partials, which, count, left);
  sn_else_values(b, &several, sn_values((intptr_t)n + 1, left));
  sn_end_if_values(b, &several, sn_values((intptr_t)n + 1, alone));
  for (size_t i = 0; i < n; ++i)
    values[i] = sn_result(several.op, (intptr_t)i);
  SnIf last = sn_if(b, sn_result(several.op, (intptr_t)n));
  free(types);
  free(left);
  free(alone);
  return both(of_bunch, last);
}

void sn_gpu_ask_early(SnBuilder *b, SnGpuKernel *k, SnGpuAccumulators *a) {
  if (k->blocks == 1 || a->scalars + a->columns == 0)
    return;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  // Who counts itself: of blocks that have the same values the first of each cluster.
  bool one = !a->columns && a->of_groups && k->cluster > 1;
  MlirValue who = a->columns || a->of_groups ? k->group : k->block,
            asks = one ? sn(b, "arith.andi", k->first, compare(b, 0, k->rank, sn_index(b, 0))) : k->first;
  for (int64_t i = 0; i < 1 + in_bunches(k, a); ++i) {
    MlirValue which = i ? sn(b, "arith.addi", sn(b, "arith.divui", who, bunch_now(b, k, a)), sn_index(b, 1))
                        : sn_index(b, 0);
    SnIf it = sn_if(b, asks, i64);
    sn_else(b, &it, sn_gpu_take_early(b, k, which));
    sn_end_if(b, &it, sn_int(b, i64, 0));
    a->found[i] = sn_result(it.op, 0);
  }
}

bool sn_gpu_one_warp_is_left(const SnGpuKernel *k, const SnGpuAccumulators *a) {
  return k->blocks > 1 && !a->columns && (a->of_groups || k->cluster == 1);
}

SnIf sn_gpu_reduce_grid(SnBuilder *b, SnGpuKernel *k, const SnGpuAccumulators *a, MlirValue *values) {
  MlirType i1 = mlirIntegerTypeGet(b->ctx, 1), i64 = mlirIntegerTypeGet(b->ctx, 64);
  if (k->blocks == 1) {
    if (a->columns)
      sn_gpu_sync(b, k);
    return sn_if(b, sn_int(b, i1, 1));
  }
  int64_t all = leavers(k, a), places = all + bunches(k, a);
  bool few = sn_gpu_one_warp_is_left(k, a); // and of a cluster one block
  sn_gpu_know_lanes(k);
  SnGpuKernel warp = sn_gpu_first_warp(k);
  MlirValue *partials = sn_alloc((a->scalars + 1) * sizeof *partials), who = a->of_groups ? k->group : k->block;
  for (size_t i = 0; i < a->scalars; ++i)
    partials[i] = sn(b, "memref.view", k->scratch, sn_index(b, scalar_offset(k, a, i)),
                     sn_memref(a->of_scalars[i].type, 1, &places));
  SnIf leaver = {0}, last;
  if (a->scalars + a->columns == 0) { // rows have left nothing, so nobody is waited for
    MlirValue first = compare(b, 0, who, sn_index(b, 0));
    if (a->of_groups && k->cluster > 1)
      first = sn(b, "arith.andi", first, compare(b, 0, k->rank, sn_index(b, 0)));
    if (few)
      first = sn(b, "arith.andi", first, compare(b, 0, k->warp, sn_index(b, 0)));
    free(partials);
    return sn_if(b, first);
  }
  if (a->of_groups && k->cluster > 1) {
    MlirValue first = compare(b, 0, k->rank, sn_index(b, 0));
    leaver = sn_if(b, few ? sn(b, "arith.andi", first, compare(b, 0, k->warp, sn_index(b, 0))) : first);
  } else if (few) {
    leaver = sn_if(b, compare(b, 0, k->warp, sn_index(b, 0)));
  }
  if (few)
    k = &warp;
  leave_partials(b, k, a, partials, who, values);
  if (a->of_groups && k->cluster > 1 && !few)
    sn_end_if(b, &leaver);
  if (a->columns) {
    last = reduce_columns(b, k, a);
    combine_partials(b, k, a, partials, sn_index(b, 0), sn_index(b, all), values);
  } else if (in_bunches(k, a)) {
    last = reduce_bunches(b, k, a, partials, who, values);
  } else {
    MlirValue now = leavers_now(b, k, a);
    last = if_last(b, k, sn_index(b, 0), a->found[0], sn(b, "arith.index_cast", now, i64));
    combine_partials(b, k, a, partials, sn_index(b, 0), now, values);
  }
  free(partials);
  return few ? both(leaver, last) : last;
}
