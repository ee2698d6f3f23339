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
#include "passes/schedule/schedule.h"
#include <stdio.h>

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
