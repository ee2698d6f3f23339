// gpu_grid.c: rows that many blocks of a GPU share.
//
//   #sinter.gpu_rows<shape = "grid", group = 132, blocks = 132, threads = 512, vector = 4, residency = "registers",
//   ahead = 1, slots = 26>
//
// Rows that no cluster holds in registers: a block on each multiprocessor, and groups of blocks that share rows
// (lowering/gpu/rows/grid_rows.c). What decides is how many share a row: the exchange of a row takes 2.8 us, under
// load, as long as it takes to move 58 KB of a block in and out, so that slices should be as large as registers hold
// them.
//
// Measured on an H200, f32: softmax of 64 rows of 1,000,000 in groups of 33 blocks 0.138 ms, 44 0.145, 66 0.181, 132
// 0.272, read again by clusters 0.194; layer norm of 16 rows of 4,194,304 by 132 blocks 0.148, without `ahead` 0.200,
// read again 0.219, by clusters 0.319; softmax of 4 rows of 10,000,000, read again, 0.138, by clusters 0.180; cross
// entropy's value of a row of 4,000,000 0.0076, by a cluster 0.0244, of 8 rows by 16 blocks each 0.036, one after
// another 0.063, by clusters 0.037, of 16 rows of 1,000,000 by 8 blocks each 0.022, by clusters 0.029.

#include "passes/schedule/gpu_grid.h"
#include "lowering/rows/rowmemory.h"
#include "lowering/rows/rowprogram.h"
#include "passes/schedule/schedule.h"
#include <stdio.h>
#include <string.h>

#define THREADS 512
#define OTHER_SHARED (16 << 10) // of a multiprocessor, beside rows
#define EXCHANGE (58 << 10)     // bytes that move meanwhile
#define UNKNOWN_ROWS 1000
#define MOST_ELEMENTS 16        // of a thread, where each has a place of its own to compute
#define DEPTH 4                 // pieces on their way; what the key has by itself
#define UNROLL 4                // vectors of 16 bytes that a thread has under way of a row that is read again,
#define MOST_APART 4            // and as many bytes of a row without vectors, or this many times as many elements
#define MOST_ELEMENTS_APART 32  // of all inputs, each with an address of its own
#define LONG_ROW (1 << 20)      // bytes that several blocks share where nothing waits for them, or half of it

// Rows in registers of `group` blocks: the bytes that go by, in units of a block's, or 0 if they do not fit.
static int64_t cost(const SnGpuGridFacts *a, SnGpuGridRows *s, int64_t group) {
  int64_t vectors = sn_pieces(a->length + (a->length % s->vector ? s->vector - 1 : 0), s->vector);
  int64_t slice = sn_pieces(sn_pieces(vectors, group), 4) * 4, pieces = sn_pieces(slice, THREADS);
  int64_t groups = a->gpu->multiprocessors / group, rows = a->rows == SN_DYNAMIC ? UNKNOWN_ROWS
                                                           : a->rows < 1         ? 1
                                                                                 : a->rows;
  groups = groups < rows ? groups : rows;
  SnGpuRows r = {.threads = THREADS,
                 .team = THREADS,
                 .vector = s->vector,
                 .cluster = 1,
                 .group = group,
                 .residency = SN_GPU_REGISTERS,
                 .shape = SN_GPU_SHAPE_GRID,
                 .ahead = true};
  int64_t bytes = sn_gpu_plan_rows(a->form, &r).fetch.piece_bytes,
          held = bytes ? (a->gpu->shared_bytes - OTHER_SHARED) / bytes : 0;
  if (pieces > (s->vector == 1 ? MOST_ELEMENTS : SN_GPU_MOST_RESIDENT) || pieces * s->vector > a->kept ||
      (bytes && pieces > held))
    return 0;
  s->slots = bytes ? held < 2 * pieces ? held : 2 * pieces : 0;
  s->group = group;
  s->blocks = group * groups;
  return sn_pieces(rows, groups) * (EXCHANGE + slice * (bytes ? bytes / THREADS : 16));
}

// Adds the form's inputs that a value is made of; `seen`: of the same phase.
static void read_for(const SnForm *f, MlirValue v, bool *read, SnValueVec *seen) {
  for (size_t i = 0; i < seen->size; ++i)
    if (sn_same(seen->data[i], v))
      return;
  sn_push(seen, v);
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_same(sn_input_argument(f, k), v)) {
      read[k] |= sn_is_row(v);
      return;
    }
  MlirOperation op = sn_definer(v);
  for (intptr_t i = 0; sn_is_row(v) && !sn_null(op) && i < sn_num_operands(op); ++i)
    read_for(f, sn_operand(op, i), read, seen);
}

// Bytes of an element that are read and stored where each phase reads what it needs, and where the row waits in
// registers; how many exchanges there are between phases.
static int64_t read_again(const SnForm *f, int64_t *exchanges, int64_t *once) {
  SnRowProgram p = sn_row_program(f, sn_values(0, NULL));
  bool *read = sn_alloc((f->inputs.size + 1) * sizeof *read), *ever = sn_alloc((f->inputs.size + 1) * sizeof *ever);
  int64_t bytes = 0, stored = 0;
  memset(ever, 0, f->inputs.size * sizeof *ever);
  *once = 0;
  *exchanges = (int64_t)p.phases.size - 1;
  for (size_t i = 0; i < p.phases.size; ++i) {
    SnValueVec seen = {0};
    memset(read, 0, f->inputs.size * sizeof *read);
    for (size_t r = 0; r < p.phases.data[i].reduces.size; ++r)
      read_for(f, sn_operand(p.phases.data[i].reduces.data[r], 0), read, &seen);
    for (size_t y = 0; y < p.phases.data[i].yields.size; ++y) {
      read_for(f, sn_row_yield(&p, p.phases.data[i].yields.data[y]), read, &seen);
      stored += (int64_t)sn_bits(sn_element(sn_type_of(sn_row_yield(&p, p.phases.data[i].yields.data[y])))) / 8;
    }
    for (size_t k = 0; k < f->inputs.size; ++k) {
      int64_t own = (int64_t)sn_bits(sn_element(sn_type_of(f->inputs.data[k].value))) / 8;
      bytes += read[k] ? own : 0;
      *once += read[k] && !ever[k] ? own : 0;
      ever[k] |= read[k];
    }
    sn_vec_free(&seen);
  }
  free(read);
  free(ever);
  sn_row_program_free(&p);
  *once += stored;
  return bytes + stored;
}

// Where no copies bring the next row meanwhile, a turn is its loads, its exchanges and its stores, one behind the
// other. Rows that are read again by clusters, each by itself, go by at 0.92 of a copy. (An H200, batch norm's gradient
// of f16 32x96x24640: three rows at a time by 44 blocks each 413 us, read again 312, three exchanges of 4.2 us and 143
// KB of a block in each of 32 turns, and 16 bytes of an element for 8; its value of 9x128x205x208 92.5 and 85.1.) There
// are enough rows for all threads, by clusters of the largest size.
static void compare(const SnGpuGridFacts *a, SnGpuGridRows *s) {
  enum { EXCHANGE_ALONE = 134 << 10, LEAST_THREADS = 8 * 256 };
  int64_t groups = s->blocks / s->group, exchanges, once, again = read_again(a->form, &exchanges, &once),
          all = sn_times(a->rows, a->length);
  if (s->slots || a->rows == SN_DYNAMIC || again < 1 || all > INT64_MAX / (2 * again) ||
      sn_times(a->rows, LEAST_THREADS) < a->gpu->multiprocessors * 1024)
    return;
  int64_t held = sn_pieces(a->rows, groups) * (exchanges * EXCHANGE_ALONE + sn_pieces(a->length, s->group) * once);
  s->less_again = all / a->gpu->multiprocessors * again / 11 * 12 < held;
}

bool sn_schedule_gpu_grid(const SnGpuGridFacts *a, SnGpuGridRows *s) {
  int64_t most = a->gpu->multiprocessors, best = 0, chosen = 0;
  *s = (SnGpuGridRows){.vector = a->vector, .unroll = 1};
  if (a->gpu->number < 90 || a->length == SN_DYNAMIC || a->row_bytes < LONG_ROW / 2 ||
      !sn_gpu_may_share_rows(a->form, most))
    return false; // copies in bulk, and what waits for them, begin with sm_90
  if (a->vector < a->lanes && a->length >= 32 * a->lanes && sn_row_is_placed(a->form))
    s->vector = a->lanes; // where memory is aligned, wherever rows begin
  for (int64_t group = 2; a->again && group <= most; ++group) {
    int64_t c = cost(a, s, group);
    if (c && (!best || c < best)) {
      best = c;
      chosen = group;
    }
  }
  if (best) {
    s->registers = true;
    cost(a, s, chosen);
    compare(a, s);
    return true;
  }
  // More than all blocks hold: read again from L2, a row at a time. Or nothing to hold: few rows, each with its part of
  // all blocks, which clusters do not use up.
  int64_t group = a->again ? most : a->rows > 0 && sn_times(a->rows, 4) < most ? most / a->rows : 0;
  if (!group || (!a->again && a->row_bytes < LONG_ROW))
    return false;
  int64_t apart = a->lanes / a->vector, inputs = 0;
  for (size_t k = 0; k < a->form->inputs.size; ++k)
    inputs += sn_uses_cols(a->form, a->form->inputs.data[k].map);
  while (apart > MOST_APART || (apart > 1 && UNROLL * apart * inputs > MOST_ELEMENTS_APART))
    apart /= 2;
  *s = (SnGpuGridRows){.group = group,
                       .blocks = a->again ? most : group * a->rows,
                       .vector = a->vector,
                       .unroll = UNROLL * apart};
  return true;
}

MlirAttribute sn_schedule_gpu_grid_attr(MlirLocation loc, const SnGpuGridRows *s, bool remake) {
  char more[128] = "";
  if (s->slots)
    snprintf(more, sizeof more,
             s->slots < DEPTH ? ", ahead = 1, slots = %lld, depth = %lld" : ", ahead = 1, slots = %lld",
             (long long)s->slots, (long long)s->slots);
  else if (s->unroll > 1)
    snprintf(more, sizeof more, ", unroll = %lld", (long long)s->unroll);
  return sn_schedule_attr(loc, "gpu_rows",
                          sn_parse_attr(mlirLocationGetContext(loc),
                                        "{shape = \"grid\", threads = %d, blocks = %lld, group = %lld, occupancy = 1, "
                                        "vector = %lld, residency = \"%s\"%s%s}",
                                        THREADS, (long long)s->blocks, (long long)s->group, (long long)s->vector,
                                        s->registers ? "registers" : "reread",
                                        s->registers && remake ? ", remake = 1" : "", more));
}
