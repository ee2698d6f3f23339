// cluster.c: values of all threads of a cluster of blocks combined into one that all have.
//
//   x = combined over the warp                                      block.c
//   lane t < C of warp w: slots[rank, w] of block t = x, and x's bytes on block t's mbarrier    st.async
//   all: wait until the own mbarrier has the bytes of the warps of C blocks
//   x = slots[0] . slots[1] . ...                                   one a lane or more, butterfly
//
// Two values of 32 bits travel as one. A barrier of the whole cluster would do instead of the mbarriers, but has each
// warp wait for all that it stored before, rows of output too; and one of the block in front of the posts has each warp
// wait twice.
//
// A mbarrier goes through one phase each row, so what a thread waits for is the row's turn, 0 or 1.
// Nothing of the next row arrives in a phase that is not over: with two exchanges or more in a row,
// whoever posts in the next row's first has seen the end of this row's last, for which every
// warp has posted after the end of its own first. Where a row has one exchange, rows take turns with two
// mbarriers and their slots. Slots are written again only when they have been read, for the same reason.

#include "lowering/gpu/meet/meet.h"
#include <stdio.h>

// Warps of a tile: of 32, all threads would read for 3,000 cycles of a multiprocessor.
#define MOST_READ_BY_ALL 4
#define TYPE_I32(b) mlirIntegerTypeGet((b)->ctx, 32)

static MlirValue i32_of(SnBuilder *b, int64_t v) { return sn_int(b, TYPE_I32(b), v); }

static MlirValue less(SnBuilder *b, MlirValue x, int64_t n) {
  return sn(b, "arith.cmpi", x, sn_index(b, n), sn_attr("predicate", sn_i64(b->ctx, 6))); // ult
}

void sn_gpu_begin_turns(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile) {
  if (k->cluster == 1)
    return;
  k->turn = k->half = i32_of(b, 0);
  if (k->single_tile)
    return;
  MlirValue two = sn_index(b, 2), half = sn(b, "arith.divui", tile->count, two);
  k->turn = sn(b, "arith.index_cast", sn(b, "arith.remui", tile->count, two), TYPE_I32(b));
  k->half = sn(b, "arith.index_cast", sn(b, "arith.remui", half, two), TYPE_I32(b));
}

void sn_gpu_sync_cluster(SnBuilder *b) {
  sn_op(b, "nvvm.cluster.arrive", sn_types(0, NULL), sn_attr("aligned", sn_unit(b->ctx)));
  sn_op(b, "nvvm.cluster.wait", sn_types(0, NULL), sn_attr("aligned", sn_unit(b->ctx)));
}

MlirValue sn_gpu_load_of_block(SnBuilder *b, MlirValue address, MlirValue rank) {
  MlirValue there = sn_gpu_in_block(b, address, rank);
  return sn_result(sn_gpu_ptx(b, "ld.shared::cluster.b64 $0, [$1];", "=l,r,~{memory}", sn_values(1, &there),
                              mlirIntegerTypeGet(b->ctx, 64)),
                   0);
}

// What travels together: value `i`, and `i + 1` if there are two.
typedef struct {
  MlirValue bits, slots; // i32 or i64; memref of as many as share the row
  size_t i;
  bool two;
} Message;

static int64_t bytes_of(const Message *m) { return sn_bits(sn_type_of(m->bits)) / 8; }

static size_t messages(SnBuilder *b, size_t n, const MlirValue *values, Message *list) {
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  size_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    Message m = {.bits = sn_gpu_bits(b, values[i]), .i = i};
    MlirValue next = sn_bits(sn_type_of(m.bits)) == 32 && i + 1 < n ? sn_gpu_bits(b, values[i + 1]) : (MlirValue){0};
    if (!sn_none(next) && sn_bits(sn_type_of(next)) == 32) {
      m.bits = sn(b, "arith.ori", sn(b, "arith.extui", m.bits, i64),
                  sn(b, "arith.shli", sn(b, "arith.extui", next, i64), sn_int(b, i64, 32)));
      m.two = true;
      ++i;
    }
    list[count++] = m;
  }
  return count;
}

static void read_message(SnBuilder *b, const SnReduction *reductions, const Message *m, MlirValue at,
                         MlirValue *values) {
  MlirValue bits = sn(b, "memref.load", m->slots, at, sn_type_of(m->bits));
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  if (m->two) {
    values[m->i + 1] =
        sn_gpu_from_bits(b, sn(b, "arith.trunci", sn(b, "arith.shrui", bits, sn_int(b, i64, 32)), TYPE_I32(b)),
                         reductions[m->i + 1].type);
    bits = sn(b, "arith.trunci", bits, TYPE_I32(b));
  }
  values[m->i] = sn_gpu_from_bits(b, bits, reductions[m->i].type);
}

// Lane t of a warp writes into block t, at `place`.
static void post(SnBuilder *b, SnGpuKernel *k, size_t n, const Message *list, MlirValue place, MlirValue mbarrier) {
  MlirValue peer = sn(b, "arith.index_cast", k->lane, TYPE_I32(b)), signal = sn_gpu_in_block(b, mbarrier, peer);
  for (size_t i = 0; i < n; ++i) {
    MlirValue slot = sn(b, "arith.addi", sn_gpu_shared_address(b, list[i].slots),
                        sn(b, "arith.muli", place, i32_of(b, bytes_of(&list[i]))));
    MlirValue operands[] = {sn_gpu_in_block(b, slot, peer), list[i].bits, signal};
    char text[128];
    snprintf(text, sizeof text, "st.async.shared::cluster.mbarrier::complete_tx::bytes.b%lld [$0], $1, [$2];",
             (long long)bytes_of(&list[i]) * 8);
    sn_gpu_ptx(b, text, bytes_of(&list[i]) == 8 ? "r,l,r,~{memory}" : "r,r,r,~{memory}", sn_values(3, operands),
               (MlirType){0});
  }
}

static void reduce_cluster(SnBuilder *b, SnGpuKernel *k, size_t n, const SnReduction *reductions, MlirValue *values,
                           bool alone) {
  int64_t warps = k->cluster * k->warps, turns = alone && !k->single_tile ? 2 : 1, places = warps * turns, bytes = 0;
  Message list[SN_GPU_MAX_VALUES];
  sn_gpu_know_lanes(k);
  sn_gpu_butterflies(b, n, reductions, values, 32, false);
  size_t count = messages(b, n, values, list);
  for (size_t i = 0; i < count; ++i) {
    list[i].slots =
        sn_gpu_shared(k, "values of a cluster's warps", 1, &places, sn_type_of(list[i].bits), SN_GPU_FOR_VECTORS);
    bytes += warps * bytes_of(&list[i]);
  }
  MlirValue mbarrier = sn_gpu_shared_address(b, sn_gpu_cluster_mbarriers(k, "values of a cluster", turns, bytes));
  MlirValue rank = sn(b, "arith.index_cast", k->rank, TYPE_I32(b)),
            warp = sn(b, "arith.index_cast", k->warp, TYPE_I32(b));
  MlirValue place = sn(b, "arith.addi", sn(b, "arith.muli", rank, i32_of(b, k->warps)), warp), from = sn_index(b, 0);
  if (turns > 1) {
    MlirValue begin = sn(b, "arith.muli", k->turn, i32_of(b, warps));
    place = sn(b, "arith.addi", place, begin);
    from = sn(b, "arith.index_cast", begin, sn_index_type(b->ctx));
    mbarrier = sn(b, "arith.addi", mbarrier, sn(b, "arith.muli", k->turn, i32_of(b, 8)));
  }
  if (!k->single_tile) {
    SnIf first = sn_if(b, k->first);
    sn_gpu_arrive_expecting(b, mbarrier, i32_of(b, bytes));
    sn_end_if(b, &first);
  }
  sn_gpu_await_cluster(b, k);
  SnIf posts = sn_if(b, less(b, k->lane, k->cluster));
  post(b, k, count, list, place, mbarrier);
  sn_end_if(b, &posts);
  sn_gpu_await_from_cluster(b, mbarrier, turns > 1 ? k->half : k->turn);
  int64_t rounds = warps > 32 ? warps / 32 : 1, lanes = warps > 32 ? 32 : warps;
  MlirValue at = sn(b, "arith.addi", from, lanes < 32 ? sn(b, "arith.remui", k->lane, sn_index(b, lanes)) : k->lane),
            parts[8 * SN_GPU_MAX_VALUES];
  for (int64_t r = 0; r < rounds; ++r)
    for (size_t i = 0; i < count; ++i)
      read_message(b, reductions, &list[i], r ? sn(b, "arith.addi", at, sn_index(b, 32 * r)) : at,
                   parts + r * (int64_t)n);
  sn_reduction_parts(b, &sn_gpu_moves, n, reductions, (size_t)rounds, parts, values, false);
  sn_gpu_butterflies(b, n, reductions, values, lanes, true);
}

// A thread of each warp has a part of the same row. Of few warps all read all parts, in their order; of many each warp
// takes some rows, whose parts it shuffles, and leaves what they are for all.
//
//   warps = 8:   lane 9 of warp 2 has part 1 of row 2 * 4 + 1
static void reduce_tile(SnBuilder *b, SnGpuKernel *k, size_t n, const SnReduction *reductions, MlirValue *values,
                        bool barrier) {
  bool shuffles = k->warps > MOST_READ_BY_ALL;
  int64_t shape[] = {k->warps, shuffles ? 33 : 32}; // neither way has conflicts of banks
  MlirValue slots[SN_GPU_MAX_VALUES];
  if (!n)
    return;
  sn_gpu_know_lanes(k);
  if (barrier)
    sn_gpu_sync(b, k);
  for (size_t i = 0; i < n; ++i) {
    slots[i] = sn_gpu_shared(k, "values of warps", 2, shape, reductions[i].type, SN_GPU_FOR_VECTORS);
    sn_op(b, "memref.store", values[i], slots[i], k->warp, k->lane);
  }
  sn_gpu_sync(b, k);
  if (!shuffles) {
    MlirValue *parts = sn_alloc((size_t)k->warps * n * sizeof *parts);
    for (int64_t w = 0; w < k->warps; ++w)
      for (size_t i = 0; i < n; ++i)
        parts[w * (int64_t)n + (int64_t)i] =
            sn(b, "memref.load", slots[i], sn_index(b, w), k->lane, reductions[i].type);
    sn_reduction_parts(b, &sn_gpu_moves, n, reductions, (size_t)k->warps, parts, values, true);
    free(parts);
    return;
  }
  MlirValue warps = sn_index(b, k->warps), part = sn(b, "arith.remui", k->lane, warps),
            row = sn(b, "arith.addi", sn(b, "arith.muli", k->warp, sn_index(b, 32 / k->warps)),
                     sn(b, "arith.divui", k->lane, warps));
  for (size_t i = 0; i < n; ++i)
    values[i] = sn(b, "memref.load", slots[i], part, row, reductions[i].type);
  sn_gpu_butterflies(b, n, reductions, values, k->warps, true);
  SnIf first = sn_if(b, sn(b, "arith.cmpi", part, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 0 /* eq */))));
  for (size_t i = 0; i < n; ++i)
    sn_op(b, "memref.store", values[i], slots[i], sn_index(b, 0), row);
  sn_end_if(b, &first);
  sn_gpu_sync(b, k);
  for (size_t i = 0; i < n; ++i)
    values[i] = sn(b, "memref.load", slots[i], sn_index(b, 0), k->lane, reductions[i].type);
}

void sn_gpu_reduce_group(SnBuilder *b, SnGpuKernel *k, size_t n, const SnReduction *reductions, MlirValue *values,
                         bool barrier) {
  if (k->teams == SN_GPU_ACROSS_WARPS)
    reduce_tile(b, k, n, reductions, values, barrier);
  else if (k->team < k->threads)
    sn_gpu_butterflies(b, n, reductions, values, k->team, true);
  else if (k->cluster == 1)
    sn_gpu_reduce_block(b, k, n, reductions, values, barrier);
  else if (n)
    reduce_cluster(b, k, n, reductions, values, barrier);
}
