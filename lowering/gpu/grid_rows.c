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

#include "lowering/gpu/meet/exchange.h"
#include "lowering/rows/rowmemory.h"

#define AT_ONCE 1              // pieces that are loaded before the first is used

// ---- slices --------------------------------------------------------------------------

typedef struct {
  int64_t vectors; // of a row, at most
  int64_t slice;   // of a block; the last block may have less
  int64_t whole;   // that every block has, and all of whose elements are in the row
} Slices;

// A slice begins at a multiple of 16 bytes if the row does: four vectors of any width.
static Slices slices_of(const SnForm *f, const SnGpuRows *s) {
  int64_t n = sn_row_length(f), front = sn_gpu_peels(f, s) ? s->vector - 1 : 0;
  Slices x = {.vectors = sn_pieces(n + front, s->vector)};
  x.slice = sn_pieces(sn_pieces(x.vectors, s->cluster), 4) * 4;
  x.whole = n / s->vector - (s->cluster - 1) * x.slice;
  x.whole = x.whole < 0 ? 0 : x.whole;
  return x;
}

static MlirValue ult(SnBuilder *b, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, sn_attr("predicate", sn_i64(b->ctx, 6)));
}
static MlirValue plus(SnBuilder *b, MlirValue x, MlirValue y) { return sn(b, "arith.addi", x, y); }
static MlirValue times(SnBuilder *b, MlirValue x, int64_t y) { return sn(b, "arith.muli", x, sn_index(b, y)); }

// Where a row's vectors are counted from: its first element, or the vector that it is in.
static MlirValue row_from(SnBuilder *b, const SnGpuRowKernel *g, MlirValue row, MlirValue *start) {
  *start = sn(b, "arith.muli", row, g->length);
  return g->peeled ? sn(b, "arith.subi", *start, sn(b, "arith.remui", *start, sn_index(b, g->width))) : *start;
}

// Vectors of this block's slice of a row.
static MlirValue slice_length(SnBuilder *b, const SnGpuRowKernel *g, MlirValue from, MlirValue start) {
  Slices x = slices_of(g->form, g->schedule);
  MlirValue all = sn_index(b, x.vectors), before = times(b, g->k->rank, x.slice);
  if (g->peeled)
    all = sn(b, "arith.divui",
             plus(b, sn(b, "arith.subi", start, from), sn_index(b, sn_row_length(g->form) + g->width - 1)),
             sn_index(b, g->width));
  return sn(b, "arith.minui", sn(b, "arith.subi", all, sn(b, "arith.minui", before, all)), sn_index(b, x.slice));
}

static void begin_peeled(SnBuilder *b, SnGpuRowKernel *g, const Slices *x, MlirValue row, SnColumn *at,
                         MlirValue *inside) {
  int64_t n = sn_row_length(g->form), rows = sn_num_rows(g->form), threads = g->k->threads;
  MlirType i1s = sn_vector(mlirIntegerTypeGet(b->ctx, 1), g->width);
  MlirValue start, from = row_from(b, g, row, &start), width = sn_index(b, g->width),
                   length = slice_length(b, g, from, start);
  MlirValue end = plus(b, start, sn_index(b, n - 1)), last = sn(b, "arith.subi", end, sn(b, "arith.remui", end, width));
  MlirValue mine = plus(b, from, times(b, plus(b, times(b, g->k->rank, x->slice), g->k->thread), g->width));
  for (size_t u = 0; u < g->num_resident; ++u) {
    bool behind = ((int64_t)u + 1) * threads > x->whole;
    MlirValue place = u ? plus(b, mine, sn_index(b, (int64_t)u * threads * g->width)) : mine,
              j = sn(b, "arith.subi", place, start);
    at[u] = sn_column(j, g->width);
    at[u].place = behind ? sn(b, "arith.minui", place, last) : place;
    inside[u] = (MlirValue){0};
    if (u && !behind)
      continue;
    inside[u] = sn_gpu_peeled_lanes(b, g, j);
    at[u].whole = sn_row_below(b, j, sn_index(b, n - g->width + 1));
    if (behind) {
      MlirValue own = ult(b, plus(b, g->k->thread, sn_index(b, (int64_t)u * threads)), length);
      inside[u] = sn(b, "arith.andi", inside[u], sn(b, "vector.broadcast", own, i1s));
      at[u].whole = sn(b, "arith.andi", at[u].whole, own);
    }
    at[u].in = inside[u];
    if (behind && (rows == SN_DYNAMIC || rows % g->width * (n % g->width) % g->width))
      at[u].readable = sn_gpu_peeled_readable(b, g, at[u].place);
  }
}

void sn_gpu_begin_slice(SnBuilder *b, SnGpuRowKernel *g, MlirValue row, SnColumn *at, MlirValue *inside) {
  Slices x = slices_of(g->form, g->schedule);
  int64_t threads = g->k->threads;
  if (g->peeled) {
    begin_peeled(b, g, &x, row, at, inside);
    return;
  }
  MlirValue length = slice_length(b, g, (MlirValue){0}, (MlirValue){0}), before = times(b, g->k->rank, x.slice);
  for (size_t u = 0; u < g->num_resident; ++u) {
    MlirValue v = u ? plus(b, g->k->thread, sn_index(b, (int64_t)u * threads)) : g->k->thread;
    inside[u] = ((int64_t)u + 1) * threads > x.whole ? ult(b, v, length) : (MlirValue){0};
    v = plus(b, before, v);
    if (!sn_none(inside[u])) // one behind the slice is read from the row's last place
      v = sn(b, "arith.minui", v, sn_index(b, x.vectors - 1));
    at[u] = sn_column(times(b, v, g->width), g->width);
  }
}

// ---- the next row in shared memory -------------------------------------------------------

static int64_t bytes_of(const SnAccess *a, int64_t width) {
  return width * sn_bits(sn_element(sn_type_of(a->value))) / 8;
}

MlirLogicalResult sn_gpu_grid_rows_check(const SnForm *f, const SnGpuRows *s) {
  size_t values, count;
  int64_t rows, pieces = (int64_t)sn_gpu_resident(f, s);
  if (s->flat || s->tile || sn_gpu_lanes_are_rows(f) || s->team < s->threads)
    return sn_error(f->op, "shape = \"grid\" needs columns and no team: blocks share a row");
  if (s->threads + 32 * SN_GPU_GRID_WARPS > 1024)
    return sn_error(f->op, "shape = \"grid\" has %d threads beside threads = %lld, and a block has 1024 at most",
                    32 * SN_GPU_GRID_WARPS, (long long)s->threads);
  if (s->cluster < 2 || s->blocks < s->cluster)
    return sn_error(f->op,
                    "shape = \"grid\" with group = %lld of blocks = %lld: two blocks or more share a row, and no more "
                    "than there are",
                    (long long)s->cluster, (long long)s->blocks);
  count = sn_gpu_exchanges(f, &values);
  if (!count)
    return sn_error(f->op,
                    "shape = \"grid\" is for rows whose reductions blocks have to share: nothing is reduced here");
  if (count > SN_GPU_EXCHANGES)
    return sn_error(f->op, "blocks that share a row meet at most %d times: schedule with shape = \"rows\"",
                    SN_GPU_EXCHANGES);
  if (values > SN_GPU_EXCHANGED)
    return sn_error(f->op, "a phase reduces %zu values; blocks exchange at most %d at a time", values,
                    SN_GPU_EXCHANGED);
  if (sn_gpu_sums_columns(f))
    return sn_error(f->op, "shape = \"grid\" keeps no sums of columns over all rows: schedule with shape = \"rows\"");
  if (!sn_gpu_counts(f, s->cluster, count, &rows))
    return sn_error(
        f->op,
        "%lld rows with %zu exchanges of %lld blocks each are more than 2^32: smaller groups of blocks are needed",
        (long long)rows, count, (long long)s->cluster);
  if (s->ahead && (!s->registers || !sn_gpu_piece_bytes(f, s)))
    return sn_error(f->op, "ahead = 1 of shape = \"grid\" needs residency = \"registers\", and an input with rows of a "
                           "multiple of 16 bytes or vectors of 16 bytes");
  if (s->ahead && s->depth > s->slots)
    return sn_error(
        f->op, "depth = %lld pieces on their way are more than slots = %lld: one would wait for another in its place",
        (long long)s->depth, (long long)s->slots);
  if (s->ahead && s->slots < pieces)
    return sn_error(f->op,
                    "a block's part of a row is %lld pieces, and slots = %lld do not hold them: larger groups of "
                    "blocks or more slots are needed",
                    (long long)pieces, (long long)s->slots);
  return SN_OK;
}

typedef struct {
  SnGpuRowKernel *g;
  SnGpuExchange *list;
  size_t exchanges;
  MlirValue groups, count; // index: of all; rows of this group
  int64_t slots, pieces;   // of shared memory; of a slice
  MlirValue full, empty;   // mbarriers of slots
} Grid;

static MlirType i32_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 32); }
static MlirValue i32_of(SnBuilder *b, int64_t v) { return sn_int(b, i32_type(b), v); }

void sn_gpu_begin_slots(SnBuilder *b, SnGpuRowKernel *g, int64_t slots) {
  int64_t offset = 0;
  MlirValue memory = sn_gpu_launch_shared(g->k, slots * sn_gpu_piece_bytes(g->form, g->schedule));
  for (size_t k = 0; k < g->form->inputs.size && g->num_fetched < SN_GPU_MAX_FETCHED; ++k) {
    const SnAccess *a = &g->form->inputs.data[k];
    int64_t shape[] = {slots * g->k->threads, g->width};
    if (!sn_gpu_is_copied(g->form, g->schedule, k))
      continue;
    MlirType type = mlirMemRefTypeContiguousGet(sn_element(sn_type_of(a->value)), 2, shape,
                                                mlirMemRefTypeGetMemorySpace(sn_type_of(memory)));
    g->slots[g->num_fetched] = sn(b, "memref.view", memory, sn_index(b, offset), type);
    g->fetched[g->num_fetched++] = k;
    offset += shape[0] * bytes_of(a, g->width);
  }
}

static void begin_slots(SnBuilder *b, Grid *x) {
  SnGpuRowKernel *g = x->g;
  if (!sn_gpu_slot_bytes(g->form, g->schedule))
    return;
  x->slots = g->schedule->slots;
  x->pieces = (int64_t)g->num_resident;
  sn_gpu_begin_slots(b, g, x->slots);
  x->full = sn_gpu_mbarriers(b, g->k, x->slots, 1);
  x->empty = sn_gpu_mbarriers(b, g->k, x->slots, g->k->threads);
}

// Pieces are numbered from the first that this block ever has: which slot, and the parity of its turn there.
typedef struct {
  MlirValue slot, parity; // i32
} Place;
static Place place_of(SnBuilder *b, const Grid *x, MlirValue number) {
  MlirValue slots = i32_of(b, x->slots);
  return (Place){sn(b, "arith.remui", number, slots),
                 sn(b, "arith.andi", sn(b, "arith.divui", number, slots), i32_of(b, 1))};
}
static MlirValue first_piece(SnBuilder *b, const Grid *x, MlirValue q) {
  return sn(b, "arith.muli", sn(b, "arith.index_cast", q, i32_type(b)), i32_of(b, x->pieces));
}
// The place t behind another, of one row: slots are enough for it.
static Place behind(SnBuilder *b, const Grid *x, Place first, int64_t t) {
  if (!t)
    return first;
  MlirValue slot = sn(b, "arith.addi", first.slot, i32_of(b, t)), slots = i32_of(b, x->slots);
  MlirValue again = sn(b, "arith.cmpi", slot, slots, sn_attr("predicate", sn_i64(b->ctx, 9))); // uge
  return (Place){sn(b, "arith.select", again, sn(b, "arith.subi", slot, slots), slot),
                 sn(b, "arith.xori", first.parity, sn(b, "arith.extui", again, i32_type(b)))};
}

// What the warp that fetches does.
static void fetch_rows(SnBuilder *b, Grid *x) {
  SnGpuRowKernel *g = x->g;
  Slices s = slices_of(g->form, g->schedule);
  int64_t threads = g->k->threads;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  SnIf one = sn_if(b, g->k->first_of_warp);
  SnLoop q = sn_for(b, sn_index(b, 0), x->count, sn_index(b, 1));
  MlirValue start, row = plus(b, g->k->group, sn(b, "arith.muli", q.index, x->groups)),
                   from = row_from(b, g, row, &start);
  MlirValue length = slice_length(b, g, from, start), first = plus(b, from, times(b, g->k->rank, s.slice * g->width));
  if (g->peeled) { // nothing is read behind the last row
    MlirValue all = sn(b, "arith.muli", sn_form_sizes(b, g->form, 0, g->form->num_rows), g->length);
    MlirValue there =
        sn(b, "arith.divui", sn(b, "arith.subi", all, sn(b, "arith.minui", first, all)), sn_index(b, g->width));
    length = sn(b, "arith.minui", length, there);
  }
  SnLoop t = sn_for(b, sn_index(b, 0), sn_index(b, x->pieces), sn_index(b, 1));
  MlirValue number = plus(b, first_piece(b, x, q.index), sn(b, "arith.index_cast", t.index, i32_type(b))),
            depth = i32_of(b, g->schedule->depth);
  Place at = place_of(b, x, number);
  sn_gpu_await(b, sn_gpu_mbarrier(b, x->empty, at.slot), sn(b, "arith.xori", at.parity, i32_of(b, 1)));
  SnIf many = sn_if(b, sn(b, "arith.cmpi", number, depth, sn_attr("predicate", sn_i64(b->ctx, 9)))); // uge
  Place before = place_of(b, x, sn(b, "arith.subi", number, depth));
  sn_gpu_await(b, sn_gpu_mbarrier(b, x->full, before.slot), before.parity);
  sn_end_if(b, &many);
  MlirValue done = times(b, t.index, threads);
  MlirValue vectors = sn(b, "arith.minui", sn(b, "arith.subi", length, sn(b, "arith.minui", done, length)),
                         sn_index(b, threads)),
            bytes[SN_GPU_MAX_FETCHED];
  MlirValue all = sn_index(b, 0), mbarrier = sn_gpu_mbarrier(b, x->full, at.slot);
  for (size_t i = 0; i < g->num_fetched; ++i) {
    bytes[i] = times(b, vectors, bytes_of(&g->form->inputs.data[g->fetched[i]], g->width));
    all = plus(b, all, bytes[i]);
  }
  sn_gpu_arrive_expecting(b, mbarrier, sn(b, "arith.index_cast", all, i32_type(b)));
  SnIf some = sn_if(b, ult(b, sn_index(b, 0), vectors));
  for (size_t i = 0; i < g->num_fetched; ++i) {
    const SnAccess *a = &g->form->inputs.data[g->fetched[i]];
    int64_t vector = bytes_of(a, g->width);
    MlirValue place = plus(b, first, times(b, done, g->width));
    MlirValue offset = sn(b, "arith.muli", sn(b, "arith.index_cast", place, i64), sn_int(b, i64, vector / g->width));
    MlirValue source = plus(b, g->k->addresses[g->fetched[i]], offset);
    MlirValue to =
        plus(b, sn_gpu_shared_address(b, g->slots[i]), sn(b, "arith.muli", at.slot, i32_of(b, threads * vector)));
    sn_gpu_bulk_copy(b, to, source, sn(b, "arith.index_cast", bytes[i], i32_type(b)), mbarrier);
  }
  sn_end_if(b, &some);
  sn_next(b, &t);
  sn_next(b, &q);
  sn_end_if(b, &one);
}

void sn_gpu_take(SnBuilder *b, SnGpuRowKernel *g, MlirValue slot, SnColumn *at) {
  MlirValue row =
      plus(b, times(b, sn(b, "arith.index_cast", slot, sn_index_type(b->ctx)), g->k->threads), g->k->thread);
  for (size_t i = 0; i < g->num_fetched; ++i) {
    const SnAccess *a = &g->form->inputs.data[g->fetched[i]];
    MlirType t = sn_lanes_of(sn_element(sn_type_of(a->value)), g->width);
    MlirValue places[] = {row, sn_index(b, 0)};
    MlirValue x =
        sn(b, g->width > 1 ? "vector.load" : "memref.load", g->slots[i], sn_values(2, places), t,
           sn_attr("alignment", g->width > 1 ? sn_i64(b->ctx, bytes_of(a, g->width)) : mlirAttributeGetNull()));
    if (!sn_none(at->readable)) { // the last vector of all is not whole, and was not fetched
      SnIf there = sn_if(b, at->readable, t);
      sn_else(b, &there, x);
      sn_end_if(b, &there, sn_row_load_place(b, &g->program, at, a));
      x = sn_result(there.op, 0);
    }
    sn_map(&at->made, mlirBlockGetArgument(g->form->body, (intptr_t)g->fetched[i]), x);
  }
}

// The row with this number goes to registers.
static void move(SnBuilder *b, Grid *x, MlirValue q) {
  SnGpuRowKernel *g = x->g;
  Place first = place_of(b, x, first_piece(b, x, q));
  for (int64_t t = 0; t < x->pieces; ++t) {
    Place at = behind(b, x, first, t);
    sn_gpu_take(b, g, at.slot, &g->resident[t]);
    // Loads have to be over when the next copy into the slot begins, which is of another proxy.
    sn_gpu_ptx(b, "fence.proxy.async.shared::cta;", "~{memory}", sn_values(0, NULL), (MlirType){0});
    sn_gpu_arrive(b, sn_gpu_mbarrier(b, x->empty, at.slot)); // each thread for itself: one of a warp for all is no
                                                             // faster, and ptxas drops the bar.warp.sync in front
  }
}

// ---- rows ---------------------------------------------------------------------------------

static MlirValue begin_row(SnBuilder *b, Grid *x, SnGpuRowKernel *g, MlirValue q) {
  MlirValue row = plus(b, g->k->group, sn(b, "arith.muli", q, x->groups));
  sn_row_begin(&g->program);
  sn_form_point(b, g->form, 0, g->form->num_rows, row, g->program.dims);
  if (g->num_resident)
    sn_gpu_begin_resident(b, g, row, g->resident, g->inside);
  return row;
}

static void end_row(SnGpuRowKernel *g) {
  for (size_t u = 0; u < g->num_resident; ++u)
    sn_column_free(&g->resident[u]);
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
  SnGpuReduction unused[SN_GPU_MAX_VALUES];
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
      sn_map(&x->g->program.scalars, sn_result(own->of[i], 0), values[i]);
}

static void finish_squares(SnBuilder *b, Grid *x, size_t phase, const MlirValue *values) {
  SnGpuExchange *own = exchange_of(x, phase);
  for (size_t i = 0; own && i < own->n; ++i)
    if (own->reductions[i].about) {
      size_t sum = own->reductions[i].about - 1;
      sn_map(&x->g->program.scalars, sn_result(own->of[i], 0),
             sn_gpu_squares_finish(b, &x->g->online, own->of[sum], &x->g->program, values[i], values + sum));
    }
}

// Phase 0 of a row that is in shared memory.
static void statistics(SnBuilder *b, Grid *x, SnGpuRowKernel *next, MlirValue q) {
  SnGpuRowKernel *g = x->g;
  SnGpuPart parts[SN_MAX_REDUCTIONS];
  memcpy(next->carried, g->carried, sizeof g->carried);
  begin_row(b, x, next, q);
  size_t n = sn_gpu_parts(next, 0, parts);
  sn_row_scalars(b, &next->program, 0);
  sn_gpu_begin_phase(b, next, parts, n);
  Place first = place_of(b, x, first_piece(b, x, q));
  for (int64_t t = 0; t < x->pieces; t += AT_ONCE) {
    int64_t count = t + AT_ONCE < x->pieces ? AT_ONCE : x->pieces - t;
    for (int64_t i = 0; i < count; ++i) {
      Place at = behind(b, x, first, t + i);
      sn_gpu_await(b, sn_gpu_mbarrier(b, x->full, at.slot), at.parity);
      sn_gpu_take(b, next, at.slot, &next->resident[t + i]);
    }
    sn_gpu_run_columns(b, next, 0, parts, n, (size_t)t, (size_t)count);
  }
  sn_gpu_end_phase(b, next, parts, n);
  hand(b, x, next, 0, sn_gpu_turn(b, q), parts, n);
  end_row(next);
  memcpy(g->carried, next->carried, sizeof g->carried);
}

// The same if there is such a row.
static void statistics_if(SnBuilder *b, Grid *x, SnGpuRowKernel *next, MlirValue q) {
  SnGpuRowKernel *g = x->g;
  MlirType types[SN_CARRIED];
  MlirValue before[SN_CARRIED];
  for (size_t a = 0; a < g->num_carried; ++a) {
    before[a] = g->carried[a];
    types[a] = sn_type_of(before[a]);
  }
  SnIf there = sn_if_types(b, ult(b, q, x->count), sn_types((intptr_t)g->num_carried, types));
  statistics(b, x, next, q);
  if (g->num_carried) {
    sn_else_values(b, &there, sn_values((intptr_t)g->num_carried, g->carried));
    sn_end_if_values(b, &there, sn_values((intptr_t)g->num_carried, before));
  } else {
    sn_end_if(b, &there);
  }
  for (size_t a = 0; a < g->num_carried; ++a)
    g->carried[a] = sn_result(there.op, (intptr_t)a);
}

static void run_row(SnBuilder *b, Grid *x, SnGpuRowKernel *next, MlirValue q) {
  SnGpuRowKernel *g = x->g;
  SnRowProgram *p = &g->program;
  SnGpuTurn turn = sn_gpu_turn(b, q);
  MlirValue values[SN_GPU_MAX_VALUES];
  begin_row(b, x, g, q);
  if (x->slots)
    move(b, x, q);
  for (size_t i = 0; i < p->phases.size; ++i) {
    SnGpuPart parts[SN_MAX_REDUCTIONS];
    size_t n = sn_gpu_parts(g, i, parts);
    if (g->packed && (i || !x->slots))
      sn_gpu_unpack(b, g, i);
    else if (i > (x->slots > 0) && g->remade)
      sn_gpu_forget(b, g, i);
    sn_row_scalars(b, p, (int)i);
    if (i)
      finish_squares(b, x, i - 1, values);
    if (!i && x->slots) {
      statistics_if(b, x, next, plus(b, q, sn_index(b, 1)));
    } else {
      sn_gpu_begin_phase(b, g, parts, n);
      sn_gpu_run_all_columns(b, g, i, parts, n);
      sn_gpu_end_phase(b, g, parts, n);
      hand(b, x, g, i, turn, parts, n);
    }
    receive(b, x, i, turn, values);
  }
  sn_gpu_accumulate_scalars(b, g);
  sn_gpu_store_scalars(b, g);
  end_row(g);
}

static void run_rows(SnBuilder *b, Grid *x) {
  SnGpuRowKernel *g = x->g, next = *g; // what it needs of a row it takes from shared memory, as it comes
  next.packed = next.remade = false;
  next.program = sn_row_program(g->form, sn_values((intptr_t)g->k->num_operands, g->k->operands));
  next.program.one_hot_by_lane = g->program.one_hot_by_lane;
  next.program.one_hot_in_i32 = g->program.one_hot_in_i32;
  sn_gpu_begin_accumulators(b, g);
  if (x->slots)
    statistics_if(b, x, &next, sn_index(b, 0));
  SnLoop q =
      sn_for_values(b, sn_index(b, 0), x->count, sn_index(b, 1), sn_values((intptr_t)g->num_carried, g->carried));
  memcpy(g->carried, q.carried, g->num_carried * sizeof *g->carried);
  run_row(b, x, &next, q.index);
  sn_next_values(b, &q, sn_values((intptr_t)g->num_carried, g->carried));
  for (size_t a = 0; a < g->num_carried; ++a)
    g->carried[a] = sn_result(q.op, (intptr_t)a);
  sn_gpu_finish(b, g);
  sn_row_program_free(&next.program);
}

// Two warps of a block are elsewhere: the others have a barrier of their own.
static void name_barriers(const SnGpuKernel *k, MlirOperation where) {
  SnOpVec found = sn_collect(where, "gpu.barrier");
  for (size_t i = 0; i < found.size; ++i) {
    SnBuilder b = sn_before(found.data[i]);
    sn_op(&b, "nvvm.barrier", i32_of(&b, 1), i32_of(&b, k->threads), sn_types(0, NULL),
          sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 3, (int32_t[]){1, 1, 0})));
    mlirOperationDestroy(found.data[i]);
  }
  sn_vec_free(&found);
}

void sn_gpu_grid_rows(SnBuilder *b, SnGpuRowKernel *g, MlirValue rows) {
  SnGpuKernel *k = g->k;
  SnGpuExchange list[SN_GPU_EXCHANGES];
  Grid x = {.g = g, .list = list, .groups = sn_index(b, k->blocks / k->cluster)};
  x.exchanges = sn_gpu_plan_exchanges(g, list);
  sn_gpu_know_lanes(k);
  sn_gpu_begin_exchanges(b, g, list, x.exchanges);
  begin_slots(b, &x);
  sn_gpu_ptx(b, "fence.mbarrier_init.release.cluster;", "~{memory}", sn_values(0, NULL), (MlirType){0});
  sn_op(b, "gpu.barrier");
  // Rows group, group + groups, ...
  x.count = sn(b, "arith.divui", sn(b, "arith.subi", plus(b, rows, sn_index(b, k->blocks / k->cluster - 1)), k->group),
               x.groups);
  SnIf of_row = sn_if(b, ult(b, k->thread, sn_index(b, k->threads)));
  run_rows(b, &x);
  sn_else(b, &of_row);
  SnIf exchanges = sn_if(b, ult(b, k->thread, sn_index(b, k->threads + 32)));
  sn_gpu_run_exchanges(b, g, list, x.exchanges, x.count);
  sn_else(b, &exchanges);
  if (x.slots)
    fetch_rows(b, &x);
  sn_end_if(b, &exchanges);
  sn_end_if(b, &of_row);
  name_barriers(k, of_row.op);
}
