// gpu_stream_tiles.c: few rows on a GPU, by weights that go through shared memory as they lie in memory.
//
//   #sinter.mma<kernel = "mma.stream", m = 16, n = 128, k = 128, threads = 128, stages = 4, split = 4, occupancy = 2>
//
// Two products of the same rows (a gate) have one kernel: a slot has the lines of both.
//
// Weights that a program makes of narrower ones have no other kernel. Those of half types have it up to 16 rows: a tile
// of wgmma has 64, and its copies are as wide. A slot takes as long as a multiprocessor's share of memory needs for it,
// or as lanes convert it. Where sums are shared the last block adds all parts, which costs more than it saves unless
// multiprocessors have nothing to do: of columns and parts those that cost least are taken.
//
// Measured on an H200 (bench/results/gpu_streams.md): 16 rows by 4096 x 4096 in bf16: by wgmma 15.5 us, in 4 parts 9.3,
// in 8 10.2, in 11 11.2.
//
// test: test/passes/schedule/gpu_stream_tiles.mlir

#include "dialect/sequence.h"
#include "lowering/facts/gpu_streams.h"
#include "passes/schedule/schedule.h"
#include "target/chips.h"

enum {
  STAGES = 4,
  MOST_PARTS = 32,
  LEAST_PIECES = 2,        // of a part
  GROUP_CYCLES = 3000,     // more, where groups of warps share a slot and blocks a multiprocessor
  OTHER_SHARED = 1024 + 128, // of a block: what the chip keeps, and which part came last
  BYTES_OF_A_CYCLE = 24,   // that a multiprocessor gets where all read
  SHARED_BYTES_OF_A_CYCLE = 45, // of the second cache, which has the rows
  LEAST_SLOT_CYCLES = 400, // however few its bytes are
  BEGIN_CYCLES = 1500,
  MEET_CYCLES = 2000,
  MET_BYTES_OF_A_CYCLE = 30,
};

// Each warp has 16 columns: what waits for a result of its own needs others beside it (an H200: of eight warps on a
// multiprocessor half of all cycles have nothing to issue). Of few columns groups of warps share what a slot sums, so
// that no blocks have to (16 rows by 4096 x 4096 in bf16: 9.5 us in 4 parts, 8.6 by four groups); where weights are
// converted that costs more than it saves (i8 24.5 us, and 32).
static const struct {
  int64_t n, threads, most_blocks; // of a multiprocessor, by their registers
  double factor;                   // of a slot's cycles, as measured
} shapes[] = {{128, 256, 3, 1.0}, {64, 128, 6, 1.1}, {32, 256, 3, 1.0}, {64, 256, 3, 1.0}};

typedef struct {
  size_t shape;
  int64_t m, n; // of the few rows, of the lines of weights: columns and rows where they are turned
  int64_t k, threads, stages, occupancy, split;
} Tile;

static int64_t weight_bytes(const SnForm *f, const Tile *t, const SnGpuStream *s) {
  return sn_gpu_stream_side_bytes(f, s->turned, t->n, t->k);
}

static int64_t slot_bytes(const SnForm *f, const Tile *t, const SnGpuStream *s) {
  return sn_gpu_stream_side_bytes(f, !s->turned, t->m, t->k) + weight_bytes(f, t, s);
}

static int64_t block_bytes(const SnForm *f, const Tile *t, const SnGpuStream *s) {
  return t->stages * slot_bytes(f, t, s) + (int64_t)f->products.size * t->m * t->n * 4 + OTHER_SHARED;
}

static bool converts(const SnForm *f, const SnGpuStream *s) {
  return sn_side(f, s->weights).program.ptr || s->lanes > 8;
}

// Cycles in which lanes convert the slot's weights and multiply them: as measured for i8, f8 and i4 with a scale for
// each 128. Few warps wait for what they compute.
static double convert_cycles(const SnForm *f, const Tile *t, const SnGpuStream *s, int64_t beside) {
  double waits = 3 / (double)(t->threads / 32 * beside);
  double each = converts(f, s) ? 0.045 : s->odd ? 0.03 : 0.01;
  return (double)f->products.size * (double)(t->n * t->k) * (each + 0.0015 * (double)t->m) *
         (1 + waits);
}

static double cost_of(const SnForm *f, const SnGpuPoints *points, const Tile *t, const SnGpuStream *s,
                      const SnGpuChip *chip) {
  int64_t tiles = s->turned ? sn_gpu_num_tiles(f, points, t->n, t->m) : sn_gpu_num_tiles(f, points, t->m, t->n),
          blocks = sn_times(tiles, t->split), each = sn_pieces(blocks, chip->multiprocessors),
          beside = each < t->occupancy ? each : t->occupancy,
          rounds = sn_pieces(each, beside), pieces = sn_pieces(sn_pieces(s->sum, t->k), t->split);
  double all = (double)slot_bytes(f, t, s) / SHARED_BYTES_OF_A_CYCLE,
         own = (double)weight_bytes(f, t, s) / BYTES_OF_A_CYCLE, bytes = own > all ? own : all,
         convert = convert_cycles(f, t, s, beside),
         slot = (double)beside * (bytes > convert ? bytes : convert),
         met = (double)f->products.size * (double)(t->m * t->n * 4 * (t->split + 1)),
         meet = MEET_CYCLES + met / MET_BYTES_OF_A_CYCLE,
         groups = each > 1 && sn_gpu_stream_groups(t->n, t->threads) > 1 ? GROUP_CYCLES : 0;
  slot = slot < LEAST_SLOT_CYCLES ? LEAST_SLOT_CYCLES : slot;
  return groups +
         (double)rounds * ((double)pieces * slot * shapes[t->shape].factor + (t->split > 1 ? meet : 0) + BEGIN_CYCLES);
}

// Of the form's rows, with as many slots and blocks as a multiprocessor has memory for.
static Tile tile_of(const SnForm *f, int64_t rows, size_t shape, const SnGpuStream *s, const SnGpuChip *chip) {
  Tile t = {.shape = shape,
            .m = SN_GPU_STREAM_ROWS,
            .n = shapes[shape].n,
            .threads = shapes[shape].threads,
            .k = 2 * SN_GPU_STREAM_LANES * s->lanes *
                 sn_gpu_stream_groups(shapes[shape].n, shapes[shape].threads),
            .stages = STAGES,
            .split = 1};
  while (t.m < rows && t.m < SN_GPU_STREAM_FEW_ROWS)
    t.m *= 2;
  if (s->sum <= t.k / 2)
    t.k /= 2;
  while (t.stages > 2 && block_bytes(f, &t, s) > chip->shared_bytes)
    --t.stages;
  t.occupancy = chip->shared_bytes / block_bytes(f, &t, s);
  t.occupancy = t.occupancy > shapes[shape].most_blocks ? shapes[shape].most_blocks : t.occupancy;
  return t;
}

static bool is_wanted(const SnForm *f, SnGpuStream *s) {
  return f->sides.size ? !sn_gpu_not_streamed(f, s) : !sn_in_sequence(f->op) && sn_gpu_stream_is_wanted(f, s);
}

MlirAttribute sn_schedule_gpu_streams(const SnForm *f, const SnScheduleOptions *options) {
  const SnGpuChip *chip = sn_gpu_chip(options->chip);
  SnGpuStream s;
  SnGpuPoints points = sn_gpu_points(f);
  if (!is_wanted(f, &s))
    return mlirAttributeGetNull();
  Tile best = {0};
  double least = 0;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
    if (converts(f, &s) && sn_gpu_stream_groups(shapes[i].n, shapes[i].threads) > 1)
      continue;
    Tile t = tile_of(f, sn_gpu_dims_size(f, s.turned ? &points.columns : &points.rows), i, &s, chip);
    int64_t pieces = sn_pieces(s.sum, t.k);
    for (t.split = 1; t.split <= MOST_PARTS && t.occupancy > 0; ++t.split) {
      int64_t each = sn_pieces(pieces, t.split);
      if (t.split > 1 && (each < LEAST_PIECES || each * (t.split - 1) >= pieces)) // a part would have none
        continue;
      double cost = cost_of(f, &points, &t, &s, chip);
      if (best.m && cost >= least)
        continue;
      best = t;
      least = cost;
    }
  }
  if (!best.m)
    return mlirAttributeGetNull();
  MlirLocation loc = mlirOperationGetLocation(f->op);
  return sn_schedule_attr(
      loc, "mma",
      sn_parse_attr(mlirLocationGetContext(loc),
                    "{kernel = \"mma.stream\", m = %lld, n = %lld, k = %lld, threads = %lld, stages = %lld, "
                    "split = %lld, occupancy = %lld}",
                    (long long)(s.turned ? best.n : best.m), (long long)(s.turned ? best.m : best.n),
                    (long long)best.k, (long long)best.threads,
                    (long long)best.stages, (long long)best.split, (long long)best.occupancy));
}
