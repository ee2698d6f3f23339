// exchange.c: values of the blocks that share a row, combined into one that all have, by way of memory.
//
//   warp:                x = combined over the warp; shared memory; all threads arrive the row is over for it until it
//   waits one warp of a block: x = combined over warps; partial[turn, rank] = x              of its own, with nothing
//   else to do
//                        count at the group's counter; wait until all have counted
//                        x = partial[turn, 0] . partial[turn, 1] . ...                 in their order; shared memory;
//                        arrive
//   warp:                wait; x
//
// All blocks of the launch run at once (the launch is cooperative), so that they may wait for each other. One warp of a
// block reads what all blocks have left: with all warps of all blocks reading the same 2 KB, several microseconds a row
// (an H200, layer norm of 16 rows of 4 M: 0.248 ms against 0.167). A counter goes on from exchange to exchange, and
// begins anew by its tag, as those of grid.c; the last block that is done leaves 0.
//
// Partials take turns, two: who leaves those of exchange e + 2 has seen all count for e + 1, behind their reading of e.
// Every order is fixed: equal inputs give equal bits.
//
// test: test/lowering/gpu/grid_rows.mlir

#include "lowering/gpu/rows/exchange.h"

#define TURNS 2  // of rows
#define LINE 128 // bytes: a counter has a cache line to itself

static MlirType i32_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 32); }
static MlirType i64_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 64); }
static MlirValue i64_of(SnBuilder *b, int64_t v) { return sn_int(b, i64_type(b), v); }
static MlirValue as(SnBuilder *b, MlirValue index, MlirType t) { return sn(b, "arith.index_cast", index, t); }

size_t sn_gpu_plan_exchanges(SnGpuRowKernel *g, SnGpuExchange *list) {
  size_t count = 0;
  for (size_t i = 0; i < g->program.phases.size && count < SN_GPU_EXCHANGES; ++i) {
    SnGpuPart parts[SN_MAX_REDUCTIONS];
    SnGpuExchange *x = &list[count];
    size_t n = sn_gpu_parts(g, i, parts);
    *x = (SnGpuExchange){.phase = i};
    MlirValue none[SN_GPU_EXCHANGED + 3];
    for (size_t r = 0; r < n && x->n <= SN_GPU_EXCHANGED; ++r)
      if (!sn_gpu_feeds_accumulator(g, parts[r].reduce))
        x->n = sn_gpu_meet(g, &parts[r], x->n, x->reductions, none, x->of);
    count += x->n > 0;
  }
  return count;
}

static int64_t most_values(const SnGpuExchange *list, size_t count) {
  size_t most = 0;
  for (size_t e = 0; e < count; ++e)
    most = list[e].n > most ? list[e].n : most;
  return (int64_t)most;
}

static int64_t groups(const SnGpuKernel *k) { return k->blocks / k->cluster; }

int64_t sn_gpu_exchange_scratch(SnGpuRowKernel *g, const SnGpuKernel *k) {
  SnGpuExchange list[SN_GPU_EXCHANGES];
  size_t count = sn_gpu_plan_exchanges(g, list);
  return LINE * groups(k) + 8 * groups(k) * 2 * most_values(list, count) * k->cluster + LINE; // aligned to a line
}

void sn_gpu_begin_exchanges(SnBuilder *b, SnGpuRowKernel *g, SnGpuExchange *list, size_t count) {
  SnGpuKernel *k = g->k;
  int64_t hands = TURNS * k->warps, two = TURNS;
  for (size_t e = 0; e < count; ++e) {
    SnGpuExchange *x = &list[e];
    for (size_t i = 0; i < x->n; ++i) {
      x->hands[i] = sn_gpu_shared(k, "values of warps", 1, &hands, x->reductions[i].type, SN_GPU_FOR_VECTORS);
      x->results[i] = sn_gpu_shared(k, "results", 1, &two, x->reductions[i].type, SN_GPU_FOR_VECTORS);
    }
    x->ring = sn_gpu_ring(b, k, "exchange", TURNS, k->threads, 32);
  }
}

SnGpuTurn sn_gpu_exchange_turn(SnBuilder *b, MlirValue q) {
  return sn_gpu_ring_turn(b, &(SnGpuRing){.slots = TURNS}, as(b, q, i32_type(b)));
}

void sn_gpu_hand(SnBuilder *b, SnGpuRowKernel *g, SnGpuExchange *x, SnGpuTurn turn, MlirValue *values) {
  SnGpuKernel *k = g->k;
  MlirType index = sn_index_type(b->ctx);
  sn_gpu_butterflies(b, x->n, x->reductions, values, 32, false);
  SnIf leader = sn_if(b, k->first_of_warp);
  MlirValue at = sn(b, "arith.addi", sn(b, "arith.muli", as(b, turn.slot, index), sn_index(b, k->warps)), k->warp);
  for (size_t i = 0; i < x->n; ++i)
    sn_op(b, "memref.store", values[i], x->hands[i], at);
  sn_end_if(b, &leader);
  // Each thread: it has read the result of two rows ago, whose place is free.
  sn_gpu_ring_filled(b, &x->ring, turn);
}

void sn_gpu_receive(SnBuilder *b, SnGpuExchange *x, SnGpuTurn turn, MlirValue *values) {
  sn_gpu_ring_await_emptied(b, &x->ring, turn);
  for (size_t i = 0; i < x->n; ++i)
    values[i] = sn(b, "memref.load", x->results[i], as(b, turn.slot, sn_index_type(b->ctx)), x->reductions[i].type);
}

// ---- the warp that exchanges -----------------------------------------------------------

typedef struct {
  SnGpuRowKernel *g;
  SnGpuExchange *list;
  size_t count;
  int64_t values;     // of the largest exchange
  MlirValue partials; // i64: an address, of this group
  MlirValue counter;  // !llvm.ptr<1>
  MlirValue lane, first;
} Warp;

static MlirValue pointer(SnBuilder *b, MlirValue address) {
  return sn(b, "llvm.inttoptr", address, sn_type(b->ctx, "!llvm.ptr<1>"));
}

// The address of value 0 of block `rank` in a turn; the next value is 8 * cluster bytes behind it.
static MlirValue partial(SnBuilder *b, const Warp *w, MlirValue turn, MlirValue rank) {
  int64_t cluster = w->g->k->cluster;
  MlirValue at = sn(b, "arith.addi", sn(b, "arith.muli", turn, sn_index(b, w->values * cluster)), rank);
  return sn(b, "arith.addi", w->partials, as(b, sn(b, "arith.muli", at, sn_index(b, 8)), i64_type(b)));
}

static void leave(SnBuilder *b, const Warp *w, const SnGpuExchange *x, const MlirValue *values, MlirValue turn) {
  MlirValue to = partial(b, w, turn, w->g->k->rank);
  for (size_t i = 0; i < x->n; ++i) {
    MlirValue bits = sn_gpu_bits(b, values[i]);
    if (sn_bits(sn_type_of(bits)) < 64)
      bits = sn(b, "arith.extui", bits, i64_type(b));
    MlirValue operands[] = {pointer(b, i ? sn(b, "arith.addi", to, i64_of(b, 8 * (int64_t)i * w->g->k->cluster)) : to),
                            bits};
    sn_gpu_ptx(b, "st.relaxed.gpu.global.b64 [$0], $1;", "l,l,~{memory}", sn_values(2, operands), (MlirType){0});
  }
  sn_gpu_count(b, w->counter);
}

// Of all blocks that share the row, a lane has every 32nd.
static void read_all(SnBuilder *b, const Warp *w, const SnGpuExchange *x, MlirValue turn, MlirValue *values) {
  int64_t cluster = w->g->k->cluster, rounds = (cluster + 31) / 32;
  MlirValue *parts = sn_alloc((size_t)rounds * x->n * sizeof *parts);
  for (int64_t r = 0; r < rounds; ++r) {
    MlirValue rank = r ? sn(b, "arith.addi", w->lane, sn_index(b, 32 * r)) : w->lane, there = {0};
    if ((r + 1) * 32 > cluster) {
      there = sn(b, "arith.cmpi", rank, sn_index(b, cluster), sn_attr("predicate", sn_i64(b->ctx, 6))); // ult
      rank = sn(b, "arith.minui", rank, sn_index(b, cluster - 1));
    }
    MlirValue from = partial(b, w, turn, rank);
    for (size_t i = 0; i < x->n; ++i) {
      MlirValue at = pointer(b, i ? sn(b, "arith.addi", from, i64_of(b, 8 * (int64_t)i * cluster)) : from);
      MlirValue bits = sn_result(
          sn_gpu_ptx(b, "ld.relaxed.gpu.global.b64 $0, [$1];", "=l,l,~{memory}", sn_values(1, &at), i64_type(b)), 0);
      if (sn_bits(x->reductions[i].type) <= 32 && !mlirTypeIsAIndex(x->reductions[i].type))
        bits = sn(b, "arith.trunci", bits, i32_type(b));
      MlirValue v = sn_gpu_from_bits(b, bits, x->reductions[i].type);
      parts[r * (int64_t)x->n + (int64_t)i] =
          sn_gpu_select(b, there, v, sn_none(there) ? v : sn_reduction_identity(b, &x->reductions[i], 1));
    }
  }
  sn_reduction_parts(b, &sn_gpu_moves, x->n, x->reductions, (size_t)rounds, parts, values, false);
  sn_gpu_butterflies(b, x->n, x->reductions, values, 32, true);
  free(parts);
}

// Exchange `number` (an index) of the launch.
static void exchange(SnBuilder *b, const Warp *w, const SnGpuExchange *x, SnGpuTurn turn, MlirValue number) {
  SnGpuKernel *k = w->g->k;
  MlirValue values[SN_GPU_MAX_VALUES], which = as(b, turn.slot, sn_index_type(b->ctx)),
                                       parity = sn(b, "arith.remui", number, sn_index(b, 2));
  sn_gpu_ring_await_full(b, &x->ring, turn);
  MlirValue at = sn(b, "arith.addi", sn(b, "arith.muli", which, sn_index(b, k->warps)),
                    sn(b, "arith.remui", w->lane, sn_index(b, k->warps)));
  for (size_t i = 0; i < x->n; ++i)
    values[i] = sn(b, "memref.load", x->hands[i], at, x->reductions[i].type);
  sn_gpu_butterflies(b, x->n, x->reductions, values, k->warps, false);
  SnIf leader = sn_if(b, w->first);
  leave(b, w, x, values, parity);
  MlirValue so_many = sn(b, "arith.muli", sn(b, "arith.addi", number, sn_index(b, 1)), sn_index(b, k->cluster));
  sn_gpu_await_count(b, k, w->counter, as(b, so_many, i64_type(b)));
  sn_end_if(b, &leader);
  sn_gpu_sync(b, k);
  read_all(b, w, x, parity, values);
  leader = sn_if(b, w->first);
  for (size_t i = 0; i < x->n; ++i)
    sn_op(b, "memref.store", values[i], x->results[i], which);
  sn_end_if(b, &leader);
  // Each lane: it has read what was handed in this turn, whose place is free.
  sn_gpu_ring_emptied(b, &x->ring, turn);
}

static void exchange_row(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  const Warp *w = user;
  SnGpuTurn turn = sn_gpu_exchange_turn(b, tile->count);
  MlirValue number = sn(b, "arith.muli", tile->count, sn_index(b, (int64_t)w->count));
  for (size_t e = 0; e < w->count; ++e)
    exchange(b, w, &w->list[e], turn, e ? sn(b, "arith.addi", number, sn_index(b, (int64_t)e)) : number);
}

void sn_gpu_run_exchanges(SnBuilder *b, SnGpuRowKernel *g, SnGpuExchange *list, size_t count, const SnGpuTiles *rows) {
  SnGpuKernel *k = g->k;
  int64_t first = (sn_gpu_grid_scratch(k, &g->all) + LINE - 1) / LINE * LINE;
  Warp w = {.g = g,
            .list = list,
            .count = count,
            .values = most_values(list, count),
            .lane = k->lane,
            .first = k->first_of_warp};
  MlirValue own = sn(b, "arith.muli", k->group, sn_index(b, 2 * w.values * k->cluster * 8));
  w.partials = sn(b, "arith.addi", k->scratch_address,
                  as(b, sn(b, "arith.addi", own, sn_index(b, first + LINE * groups(k))), i64_type(b)));
  MlirValue counter = sn(b, "arith.addi", sn(b, "arith.muli", k->group, sn_index(b, LINE / 8)), sn_index(b, first / 8));
  w.counter = sn_gpu_counter(b, k, counter);
  SnIf leader = sn_if(b, w.first);
  sn_gpu_take_counter(b, k, counter);
  sn_end_if(b, &leader);
  sn_gpu_each_tile(b, k, rows, NULL, 0, exchange_row, &w);
  leader = sn_if(b, w.first);
  SnIf last = sn_if(b, sn_gpu_is_last(b, k, sn(b, "arith.addi", counter, sn_index(b, 1)), i64_of(b, k->cluster)));
  sn_gpu_reset_counter(b, w.counter);
  sn_end_if(b, &last);
  sn_end_if(b, &leader);
}
