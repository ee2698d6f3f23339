// grid_rows.c: rows that no cluster holds, each shared by many blocks; all of them run at once.
//
//   group = block / C, rank = block % C: a group has rows group, group + groups, ...; a block has a slice of each
//
//   threads of the row                                    fetching warp (ahead = 1)         exchanging warp
//   (exchange.c)
//     row 0: statistics from shared memory; hand            for each row, for each piece:
//     for each row:                                           wait until the slot is empty
//       registers = shared memory; slots are empty            no more than `depth` under way
//       next row: statistics from shared memory; hand         bulk copy into the slot
//       receive this row's
//       other phases, from registers; stored
//
// A row crosses the bus twice, in and out. What its blocks have to exchange is on its way while the row before is
// stored. A full memory queue delays the exchange as well: few pieces are under way at a time (an H200, layer norm of
// 16 rows of 4 M: 0.175 ms without that limit, 0.152 with 32 KB, 0.149 with statistics one row ahead; to move the bytes
// alone takes 0.126).
//
// Without `ahead` a thread loads its part of a row itself, into registers, or reads it in every phase.
//
// test: test/lowering/gpu/grid_rows.mlir

#include "lowering/gpu/rows/exchange.h"
#include "lowering/rows/index.h"
#include "lowering/rows/rowmemory.h"

// ---- slices --------------------------------------------------------------------------

static MlirValue ult(SnBuilder *b, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, sn_attr("predicate", sn_i64(b->ctx, 6)));
}

// Where a row's vectors are counted from: its first element, or the vector that it is in.
static MlirValue row_from(SnBuilder *b, const SnGpuRowKernel *g, MlirValue row, MlirValue *start) {
  *start = sn(b, "arith.muli", row, g->length);
  return g->mine.peeled ? sn(b, "arith.subi", *start, sn(b, "arith.remui", *start, sn_index(b, g->mine.width)))
                        : *start;
}

// Vectors of this block's slice of a row.
static MlirValue slice_length(SnBuilder *b, const SnGpuRowKernel *g, MlirValue from, MlirValue start) {
  const SnGpuSlices *x = &g->plan->slices;
  MlirValue all = sn_index(b, x->vectors), before = times(b, g->k->rank, x->slice);
  if (g->mine.peeled)
    all = sn(b, "arith.divui",
             plus(b, sn(b, "arith.subi", start, from), sn_index(b, sn_row_length(g->form) + g->mine.width - 1)),
             sn_index(b, g->mine.width));
  return sn(b, "arith.minui", sn(b, "arith.subi", all, sn(b, "arith.minui", before, all)), sn_index(b, x->slice));
}

static void begin_peeled(SnBuilder *b, SnGpuRowKernel *g, MlirValue row, SnFragment *at, MlirValue *inside) {
  const SnGpuSlices *x = &g->plan->slices;
  int64_t n = sn_row_length(g->form), rows = sn_num_rows(g->form), threads = g->k->threads;
  MlirType i1s = sn_vector(mlirIntegerTypeGet(b->ctx, 1), g->mine.width);
  MlirValue start, from = row_from(b, g, row, &start), width = sn_index(b, g->mine.width),
                   length = slice_length(b, g, from, start);
  MlirValue end = plus(b, start, sn_index(b, n - 1)), last = sn(b, "arith.subi", end, sn(b, "arith.remui", end, width));
  MlirValue mine = plus(b, from, times(b, plus(b, times(b, g->k->rank, x->slice), g->k->thread), g->mine.width));
  for (size_t u = 0; u < g->mine.resident; ++u) {
    bool behind = ((int64_t)u + 1) * threads > x->whole;
    MlirValue place = u ? plus(b, mine, sn_index(b, (int64_t)u * threads * g->mine.width)) : mine,
              j = sn(b, "arith.subi", place, start);
    at[u] = sn_fragment(j, g->mine.width);
    at[u].place = behind ? sn(b, "arith.minui", place, last) : place;
    inside[u] = (MlirValue){0};
    if (u && !behind)
      continue;
    inside[u] = sn_gpu_peeled_lanes(b, g, j);
    at[u].whole = sn_row_below(b, j, sn_index(b, n - g->mine.width + 1));
    if (behind) {
      MlirValue own = ult(b, plus(b, g->k->thread, sn_index(b, (int64_t)u * threads)), length);
      inside[u] = sn(b, "arith.andi", inside[u], sn(b, "vector.broadcast", own, i1s));
      at[u].whole = sn(b, "arith.andi", at[u].whole, own);
    }
    at[u].in = inside[u];
    if (behind && (rows == SN_DYNAMIC || rows % g->mine.width * (n % g->mine.width) % g->mine.width))
      at[u].readable = sn_gpu_peeled_readable(b, g, at[u].place);
  }
}

void sn_gpu_begin_slice(SnBuilder *b, SnGpuRowKernel *g, MlirValue row, SnFragment *at, MlirValue *inside) {
  const SnGpuSlices *x = &g->plan->slices;
  int64_t threads = g->k->threads;
  if (g->mine.peeled) {
    begin_peeled(b, g, row, at, inside);
    return;
  }
  MlirValue length = slice_length(b, g, (MlirValue){0}, (MlirValue){0}), before = times(b, g->k->rank, x->slice);
  for (size_t u = 0; u < g->mine.resident; ++u) {
    MlirValue v = u ? plus(b, g->k->thread, sn_index(b, (int64_t)u * threads)) : g->k->thread;
    inside[u] = ((int64_t)u + 1) * threads > x->whole ? ult(b, v, length) : (MlirValue){0};
    v = plus(b, before, v);
    if (!sn_none(inside[u])) // one behind the slice is read from the row's last place
      v = sn(b, "arith.minui", v, sn_index(b, x->vectors - 1));
    at[u] = sn_fragment(times(b, v, g->mine.width), g->mine.width);
  }
}

// ---- the next row in shared memory -------------------------------------------------------

typedef struct {
  SnGpuRowKernel *g, *next; // next: what it needs of the next row it takes from shared memory, as it comes
  SnGpuExchange *list;
  size_t exchanges;
  SnGpuTiles rows; // of this group
  int64_t pieces;  // of a slice
} Grid;

static MlirType i32_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 32); }

// Pieces are numbered from the first that this block ever has; of row q, the first.
static MlirValue first_piece(SnBuilder *b, const Grid *x, MlirValue q) {
  return sn(b, "arith.muli", sn(b, "arith.index_cast", q, i32_type(b)), sn_int(b, i32_type(b), x->pieces));
}

static void fetch_row(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  Grid *x = user;
  SnGpuRowKernel *g = x->g;
  int64_t threads = k->threads;
  const SnGpuRing *ring = &g->slots.ring;
  MlirValue start, from = row_from(b, g, sn_gpu_counted_tile(b, k, tile->count), &start);
  MlirValue length = slice_length(b, g, from, start),
            first = plus(b, from, times(b, k->rank, g->plan->slices.slice * g->mine.width));
  if (g->mine.peeled) { // nothing is read behind the last row
    MlirValue all = sn(b, "arith.muli", g->num_rows, g->length);
    MlirValue there =
        sn(b, "arith.divui", sn(b, "arith.subi", all, sn(b, "arith.minui", first, all)), sn_index(b, g->mine.width));
    length = sn(b, "arith.minui", length, there);
  }
  SnLoop t = sn_for(b, sn_index(b, 0), sn_index(b, x->pieces), sn_index(b, 1));
  MlirValue number = plus(b, first_piece(b, x, tile->count), sn(b, "arith.index_cast", t.index, i32_type(b))),
            depth = sn_int(b, i32_type(b), g->plan->fetch.depth);
  SnGpuTurn turn = sn_gpu_ring_turn(b, ring, number);
  sn_gpu_ring_await_empty(b, ring, turn);
  SnIf many = sn_if(b, sn(b, "arith.cmpi", number, depth, sn_attr("predicate", sn_i64(b->ctx, 9)))); // uge
  sn_gpu_ring_await_full(b, ring, sn_gpu_ring_turn(b, ring, sn(b, "arith.subi", number, depth)));
  sn_end_if(b, &many);
  MlirValue done = times(b, t.index, threads);
  MlirValue vectors =
      sn(b, "arith.minui", sn(b, "arith.subi", length, sn(b, "arith.minui", done, length)), sn_index(b, threads));
  sn_gpu_copy_piece(b, g, turn, first, done, vectors, false);
  sn_next(b, &t);
}

// What the warp that fetches does: one of its threads.
static void fetch_rows(SnBuilder *b, SnGpuKernel *k, void *user) {
  Grid *x = user;
  if (!sn_gpu_has_slots(x->g))
    return;
  SnIf one = sn_if(b, k->first_of_warp);
  sn_gpu_each_tile(b, k, &x->rows, NULL, 0, fetch_row, x);
  sn_end_if(b, &one);
}

// The row with this number goes to registers.
static void move(SnBuilder *b, Grid *x, MlirValue q) {
  SnGpuRowKernel *g = x->g;
  const SnGpuRing *ring = &g->slots.ring;
  SnGpuTurn first = sn_gpu_ring_turn(b, ring, first_piece(b, x, q));
  for (int64_t t = 0; t < x->pieces; ++t) {
    SnGpuTurn turn = sn_gpu_ring_behind(b, ring, first, t);
    sn_gpu_take(b, g, turn.slot, &g->resident[t]);
    sn_gpu_fence_copies(b); // loads are over when the next copy into the slot begins
    // Each thread for itself: one of a warp for all is no faster, and ptxas drops the bar.warp.sync in front.
    sn_gpu_ring_emptied(b, ring, turn);
  }
}

// ---- rows ---------------------------------------------------------------------------------

static void begin_row(SnBuilder *b, SnGpuRowKernel *g, MlirValue row) {
  sn_row_begin(&g->program);
  sn_form_point(b, g->form, 0, g->form->num_rows, row, g->program.dims);
  if (g->mine.resident)
    sn_gpu_begin_resident(b, g, row, g->resident, g->inside);
}

static void end_row(SnGpuRowKernel *g) {
  for (size_t u = 0; u < g->mine.resident; ++u)
    sn_fragment_free(&g->resident[u]);
}

static SnGpuExchange *exchange_of(Grid *x, size_t phase) {
  for (size_t e = 0; e < x->exchanges; ++e)
    if (x->list[e].phase == phase)
      return &x->list[e];
  return NULL;
}

// What a phase has reduced is handed on.
static void hand(SnBuilder *b, Grid *x, SnGpuRowKernel *g, size_t phase, SnGpuTurn turn, const SnGpuPart *parts,
                 size_t n) {
  SnGpuExchange *own = exchange_of(x, phase);
  SnReduction unused[SN_GPU_MAX_VALUES];
  MlirOperation of[SN_GPU_MAX_VALUES];
  MlirValue values[SN_GPU_MAX_VALUES];
  size_t count = 0;
  for (size_t r = 0; r < n; ++r)
    if (!sn_gpu_keep_own_part(b, g, &parts[r]))
      count = sn_gpu_meet(g, &parts[r], count, unused, values, of);
  if (own)
    sn_gpu_hand(b, g, own, turn, values);
}

// ... and known. Sums of squares are, when the row's scalars of the next phase are.
static void receive(SnBuilder *b, Grid *x, size_t phase, SnGpuTurn turn, MlirValue *values) {
  SnGpuExchange *own = exchange_of(x, phase);
  if (!own)
    return;
  sn_gpu_receive(b, own, turn, values);
  for (size_t i = 0; i < own->n; ++i)
    if (!sn_null(own->of[i]) && !own->reductions[i].about)
      sn_row_know(&x->g->program, sn_result(own->of[i], 0), values[i]);
}

static void finish_squares(SnBuilder *b, Grid *x, size_t phase, const MlirValue *values) {
  SnGpuExchange *own = exchange_of(x, phase);
  for (size_t i = 0; own && i < own->n; ++i)
    if (own->reductions[i].about) {
      size_t sum = own->reductions[i].about - 1;
      sn_row_know(&x->g->program, sn_result(own->of[i], 0),
                  sn_gpu_squares_finish(b, &x->g->joints, own->of[sum], &x->g->program, values[i], values + sum));
    }
}

// One of them, at work.
typedef struct {
  Grid *grid;
  MlirValue q; // index: how many this group has had before
  SnGpuTurn turn;
  MlirValue values[SN_GPU_MAX_VALUES]; // of the last exchange
} Row;

// Phase 0 of a row that is in shared memory.
static void take_phase(SnBuilder *b, size_t i, void *user) {
  const Row *r = user;
  Grid *x = r->grid;
  SnGpuRowKernel *next = x->next;
  const SnGpuRing *ring = &next->slots.ring;
  SnGpuPart parts[SN_MAX_REDUCTIONS];
  size_t n = sn_gpu_parts(next, i, parts);
  sn_gpu_begin_phase(b, next, parts, n);
  SnGpuTurn first = sn_gpu_ring_turn(b, ring, first_piece(b, x, r->q));
  for (int64_t t = 0; t < x->pieces; ++t) {
    SnGpuTurn turn = sn_gpu_ring_behind(b, ring, first, t);
    sn_gpu_ring_await_full(b, ring, turn);
    sn_gpu_take(b, next, turn.slot, &next->resident[t]);
    sn_gpu_run_columns(b, next, i, parts, n, (size_t)t, 1);
  }
  sn_gpu_end_phase(b, next, parts, n);
  hand(b, x, next, i, sn_gpu_exchange_turn(b, r->q), parts, n);
}

static void statistics(SnBuilder *b, Grid *x, MlirValue q) {
  SnGpuRowKernel *g = x->g, *next = x->next;
  memcpy(next->carried, g->carried, sizeof g->carried);
  begin_row(b, next, sn_gpu_counted_tile(b, g->k, q));
  sn_row_walk(b, &next->program, 1, &(SnRowWalk){.columns = take_phase, .user = &(Row){.grid = x, .q = q}});
  end_row(next);
  memcpy(g->carried, next->carried, sizeof g->carried);
}

// The same if there is such a row.
static void statistics_if(SnBuilder *b, Grid *x, MlirValue q) {
  SnGpuRowKernel *g = x->g;
  MlirType types[SN_CARRIED];
  MlirValue before[SN_CARRIED];
  for (size_t a = 0; a < g->num_carried; ++a) {
    before[a] = g->carried[a];
    types[a] = sn_type_of(before[a]);
  }
  SnIf there = sn_if_types(b, ult(b, q, x->rows.end), sn_types((intptr_t)g->num_carried, types));
  statistics(b, x, q);
  if (g->num_carried) {
    sn_else_values(b, &there, sn_values((intptr_t)g->num_carried, g->carried));
    sn_end_if_values(b, &there, sn_values((intptr_t)g->num_carried, before));
  } else {
    sn_end_if(b, &there);
  }
  for (size_t a = 0; a < g->num_carried; ++a)
    g->carried[a] = sn_result(there.op, (intptr_t)a);
}

static void before_phase(SnBuilder *b, size_t i, void *user) {
  SnGpuRowKernel *g = ((const Row *)user)->grid->g;
  bool ahead = sn_gpu_has_slots(g);
  if (g->mine.packed && (i || !ahead))
    sn_gpu_unpack(b, g, i);
  else if (i > (size_t)ahead && g->mine.remade)
    sn_gpu_forget(b, g, i);
}

static void run_phase(SnBuilder *b, size_t i, void *user) {
  Row *r = user;
  SnGpuRowKernel *g = r->grid->g;
  SnGpuPart parts[SN_MAX_REDUCTIONS];
  size_t n = sn_gpu_parts(g, i, parts);
  if (i)
    finish_squares(b, r->grid, i - 1, r->values);
  if (!i && sn_gpu_has_slots(g)) { // handed on before: while it came
    statistics_if(b, r->grid, plus(b, r->q, sn_index(b, 1)));
  } else {
    sn_gpu_begin_phase(b, g, parts, n);
    sn_gpu_run_all_columns(b, g, i, parts, n);
    sn_gpu_end_phase(b, g, parts, n);
    hand(b, r->grid, g, i, r->turn, parts, n);
  }
  receive(b, r->grid, i, r->turn, r->values);
}

static void emit_row(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  Grid *x = user;
  SnGpuRowKernel *g = x->g;
  Row row = {.grid = x, .q = tile->count, .turn = sn_gpu_exchange_turn(b, tile->count)};
  begin_row(b, g, sn_gpu_counted_tile(b, k, row.q));
  if (sn_gpu_has_slots(g))
    move(b, x, row.q);
  SnRowWalk walk = {.before = before_phase, .columns = run_phase, .user = &row};
  sn_row_walk(b, &g->program, g->program.phases.size, &walk);
  sn_gpu_accumulate_scalars(b, g);
  sn_gpu_store_scalars(b, g);
  end_row(g);
}

static void run_rows(SnBuilder *b, SnGpuKernel *k, void *user) {
  Grid *x = user;
  SnGpuRowKernel *g = x->g, next = *g;
  next.mine.packed = next.mine.remade = false;
  next.program = sn_row_program(g->form, sn_values((intptr_t)k->num_operands, k->operands));
  next.program.aligned = g->program.aligned;
  x->next = &next;
  sn_gpu_begin_accumulators(b, g);
  if (sn_gpu_has_slots(g))
    statistics_if(b, x, sn_index(b, 0));
  sn_gpu_each_tile(b, k, &x->rows, g->carried, g->num_carried, emit_row, x);
  sn_gpu_finish(b, g);
  sn_row_program_free(&next.program);
}

static void exchange_rows(SnBuilder *b, SnGpuKernel *k, void *user) {
  Grid *x = user;
  sn_gpu_run_exchanges(b, x->g, x->list, x->exchanges, &x->rows);
}

void sn_gpu_grid_rows(SnBuilder *b, SnGpuRowKernel *g) {
  SnGpuKernel *k = g->k;
  SnGpuExchange list[SN_GPU_EXCHANGES];
  Grid x = {.g = g, .list = list, .exchanges = sn_gpu_plan_exchanges(g, list), .pieces = (int64_t)g->mine.resident};
  SnGpuRole roles[] = {
      {.name = "rows", .warps = k->warps, .emit = run_rows},
      {.name = "exchange", .warps = 1, .emit = exchange_rows},
      {.name = "fetch", .warps = 1, .emit = fetch_rows},
  };
  sn_gpu_know_lanes(k);
  sn_gpu_begin_exchanges(b, g, list, x.exchanges);
  if (g->plan->fetch.n) {
    sn_gpu_make_slots(b, g);
    g->slots.ring = sn_gpu_ring(b, k, "slots of rows", g->plan->fetch.slots, 1, k->threads);
  }
  sn_gpu_fence_mbarriers(b);
  sn_gpu_sync(b, k);
  x.rows = sn_gpu_tiles_counted(b, k, g->num_rows);
  sn_gpu_run_roles(b, k, roles, sizeof roles / sizeof *roles, &x);
}
