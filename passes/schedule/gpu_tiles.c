// gpu_tiles.c: a form with products on a GPU.
//
//   #sinter.mma<kernel = "fma", m = 128, n = 128, k = 8, threads = 256, blocks = 1048576, occupancy = 2>
//
// A tile of 128 by 128 reads a side of f32 once for 128 multiplications of each element, and a thread's 8 by 8 sums
// need 16 loads of shared memory for 64 of them. mma.sync comes first where all products have types of it. Where that
// leaves multiprocessors without a tile, or sums do not fit their registers or shared memory, tiles are smaller. Few
// rows, or few columns, have tiles that are as flat.
//
//   #sinter.mma<kernel = "wgmma", m = 128, n = 192, k = 64, threads = 256, stages = 4, share = "turns", group = 12,
//   ...>
//
// On Hopper wgmma comes before both where slots can have all sides. Of its tiles the one that costs least is taken: so
// many waves of tiles over the multiprocessors, times the cycles of one, those of who fetches among them.
//
// new schedule key: of a GPU's products: when it is said.
//
// test: test/passes/schedule/gpu_tiles.mlir

#include "dialect/sequence.h"
#include "lowering/facts/gpu_slots.h"
#include "passes/schedule/schedule.h"
#include "target/chips.h"
#include <assert.h>
#include <stdio.h>

typedef struct {
  const char *kernel;
  int64_t m, n, k, threads, occupancy;
} Tile;

// The first that fits is taken, or the last of a kernel.
static const Tile tiles[] = {
    {"mma.sync", 128, 128, 32, 256, 2},   {"mma.sync", 128, 192, 32, 256, 1},
    {"mma.sync", 128, 64, 32, 128, 3},    {"mma.sync", 64, 128, 32, 128, 3},
    {"mma.sync", 64, 64, 32, 128, 4},     {"mma.sync", 16, 128, 32, 128, 4},
    {"mma.sync", 128, 16, 32, 128, 4},    {"mma.sync", 32, 32, 32, 64, 8},
    {"mma.f64", 128, 128, 16, 256, 1},    {"mma.f64", 64, 64, 16, 128, 2},
    {"mma.f64", 16, 128, 16, 128, 2},     {"mma.f64", 128, 16, 16, 128, 2},
    {"mma.f64", 32, 32, 16, 64, 5},       {"mma.f64.small", 64, 64, 16, 128, 2},
    {"mma.f64.small", 32, 32, 16, 64, 5}, {"mma.tf32", 128, 128, 16, 256, 2},
    {"mma.tf32", 64, 64, 32, 128, 3},     {"mma.tf32", 16, 128, 32, 128, 3},
    {"mma.tf32", 128, 16, 32, 128, 3},    {"mma.tf32", 32, 32, 32, 64, 6},
    {"mma.parts", 128, 128, 16, 256, 1},  {"mma.parts", 64, 64, 16, 128, 2},
    {"mma.parts", 16, 128, 16, 128, 3},   {"mma.parts", 128, 16, 16, 128, 3},
    {"mma.parts", 32, 32, 16, 64, 5},     {"fma", 128, 128, 8, 256, 2},
    {"fma", 128, 64, 8, 128, 3},          {"fma", 64, 128, 8, 128, 3},
    {"fma", 64, 64, 16, 256, 4},          {"fma", 64, 64, 8, 256, 4},
    {"fma", 4, 128, 32, 128, 4},          {"fma", 16, 128, 16, 128, 4},
    {"fma", 128, 16, 16, 128, 4},         {"fma", 32, 32, 16, 64, 8},
    {"fma", 16, 16, 16, 64, 8},
};

static int64_t at_least(int64_t size, int64_t otherwise) { return size == SN_DYNAMIC ? otherwise : size; }

static int64_t register_bytes(const SnForm *f) {
  int64_t bytes = 4;
  for (size_t p = 0; p < f->products.size; ++p)
    bytes = sn_bits(f->products.data[p].type) > 32 ? 8 : bytes;
  return bytes;
}

// Tiles of so many columns have the form's rows whole, where they have to.
static bool has_columns(const SnForm *f, int64_t n) {
  int64_t columns = sn_gpu_tile_columns(f);
  return !columns || columns == n;
}

static bool may_take(const SnForm *f, const Tile *t) {
  return has_columns(f, t->n) && (t->n != SN_GPU_WIDE_PIECE || sn_gpu_tile_columns(f));
}

// All products have a line of this name, the chip what it needs, and who asks for it may have it.
static bool runs(const SnForm *f, const char *kernel, const SnScheduleOptions *options) {
  bool all = sn_gpu_has_kernel(f, kernel);
  for (size_t i = 0; i < f->products.size && all; ++i) {
    const SnMicroKernel *line = sn_gpu_product(f, i, kernel).line;
    all = sn_gpu_chip_has(options->chip, line->needs) && (line->a != SN_TF32 || options->allow_tf32) &&
          (line->a != SN_PARTS || options->f32_parts);
  }
  return all;
}

enum {
  REGISTERS = 1 << 16, // of a multiprocessor; sums take half of a thread's
  MOST_PARTS = 32,
  PARTS_BYTES = 64 << 20, // of the workspace, that partial sums take at most
  PIECES_OF_A_PART = 6, // at least, where threads fetch sides
};

// Blocks that share a sum where tiles leave multiprocessors without one: each has some pieces of it.
static int64_t split_of(const SnForm *f, const SnGpuPoints *points, const Tile *t, const SnGpuChip *chip) {
  int64_t tiles = sn_gpu_num_tiles(f, points, t->m, t->n), split = MOST_PARTS;
  if (tiles == SN_DYNAMIC || !tiles)
    return 1;
  // In a sequence several blocks of a form share one of its own, which keeps nothing else busy meanwhile (an H200, 20
  // steps of an LSTM of 8 rows: 272 us by two parts, 219 by four).
  int64_t blocks = (sn_in_sequence(f->op) ? 4 : 2) * chip->multiprocessors;
  split = blocks / tiles < split ? blocks / tiles : split;
  for (size_t i = 0; i < f->products.size; ++i) {
    int64_t all = sn_gpu_pieces(f, i, t->k, 1);
    split = all == SN_DYNAMIC ? 1 : all / PIECES_OF_A_PART < split ? all / PIECES_OF_A_PART : split;
  }
  for (; split > 1; --split) {
    bool all_have = true;
    for (size_t i = 0; i < f->products.size; ++i)
      all_have &= sn_gpu_pieces(f, i, t->k, split) * (split - 1) < sn_gpu_pieces(f, i, t->k, 1);
    if (all_have)
      return split;
  }
  return 1;
}

static bool fits(const SnForm *f, const SnGpuPoints *points, const Tile *t, const SnGpuChip *chip) {
  int64_t rows = at_least(sn_gpu_dims_size(f, &points->rows), 1 << 20),
          columns = at_least(sn_gpu_dims_size(f, &points->columns), 1 << 20),
          batch = at_least(sn_gpu_dims_size(f, &points->batch), 1),
          each = t->m * t->n / t->threads * register_bytes(f) / 4;
  bool few = t->m >= 16 || rows <= t->m, wasted = (t->m > 16 && rows <= t->m / 2) || (t->n > 16 && columns <= t->n / 2);
  int64_t all = sn_times(batch, sn_times(sn_pieces(rows, t->m), sn_pieces(columns, t->n))),
          enough = t->m == 16 || t->n == 16 ? chip->multiprocessors * 9 / 10 : chip->multiprocessors;
  all = sn_times(all, split_of(f, points, t, chip));
  return few && !wasted && each * 2 <= REGISTERS / (t->threads * t->occupancy) && all >= enough &&
         sn_gpu_tile_bytes(f, t->kernel, t->m, t->n, t->k, t->threads) * t->occupancy <= chip->shared_bytes;
}

// ---- f32 by ordinary arithmetic ------------------------------------------------------------------

// How much of a multiprocessor's multiplications a tile gets where it has one block, and where it has more; and of a
// product whose sides both lie along the sum: as measured (bench/results/gpu_products_f32.md).
typedef struct {
  Tile tile;
  double one, more, more_along;
} MeasuredTile;

static const MeasuredTile f32_tiles[] = {
    {{"fma", 128, 128, 8, 256, 2}, 0.70, 0.78, 0.78}, {{"fma", 128, 128, 16, 128, 2}, 0.55, 0.80, 0.73},
    {{"fma", 128, 64, 8, 128, 3}, 0.55, 0.64, 0.64},  {{"fma", 64, 128, 16, 128, 3}, 0.61, 0.67, 0.67},
    {{"fma", 64, 64, 16, 256, 4}, 0.35, 0.46, 0.46},  {{"fma", 64, 64, 8, 128, 4}, 0.45, 0.52, 0.52},
    {{"fma", 64, 32, 16, 128, 4}, 0.38, 0.42, 0.42},  {{"fma", 32, 64, 16, 128, 4}, 0.40, 0.45, 0.45},
    {{"fma", 32, 128, 16, 64, 4}, 0.20, 0.63, 0.45},  {{"fma", 128, 32, 8, 128, 3}, 0.40, 0.55, 0.50},
};

// Two products of the same rows, whose sums a thread has both: what is multiplied by each element of shared memory is
// that of a tile of twice as many columns.
static const MeasuredTile f32_pairs[] = {
    {{"fma", 128, 64, 8, 256, 2}, 0.70, 0.78, 0.78}, {{"fma", 64, 64, 16, 128, 3}, 0.61, 0.67, 0.67},
    {{"fma", 64, 32, 16, 128, 4}, 0.45, 0.52, 0.52}, {{"fma", 32, 32, 16, 128, 4}, 0.38, 0.42, 0.42},
};
enum {
  MULTIPLICATIONS_OF_A_CYCLE = 128, // of f32, in a multiprocessor
  MEET_CYCLES = 2000,               // until all know that the last part of a sum is there
  MET_BYTES_OF_A_CYCLE = 40,
  MUCH_MET = 16 << 20,              // bytes of parts, that the second cache has beside all else
  MUCH_MET_BYTES_OF_A_CYCLE = 7,
  STORED_OF_A_CYCLE = 3,            // elements of a tile, at its end
  MANY_MULTIPLICATIONS = 16 << 20, // below, launches and latencies say how long it takes
  MANY_IN_SEQUENCE = 64 << 20,     // where no launch is
  FEW_OUTER = 16,                  // rows or columns, which have tiles as flat
};

static double meet_cycles(const SnForm *f, int64_t m, int64_t n, int64_t split) {
  double bytes = (double)(f->products.size * (size_t)(m * n * 4 * (split + 1)));
  return split == 1 ? 0 : MEET_CYCLES + bytes / MET_BYTES_OF_A_CYCLE;
}

// A side with a fill value that is read by vectors along the sum.
static bool along_vectors(const SnForm *f, size_t side) {
  SnGroup g = sn_side_summed(f, side);
  SnGpuDims sum = {0};
  for (int64_t d = g.first; d < g.first + g.num_dims; ++d)
    sum.dims[sum.n++] = d;
  return sn_gpu_are_vectors(f, &f->inputs.data[sn_side(f, side).first], &sum, 4);
}

// Sides of f32, that are read by vectors, of many rows and columns.
static bool is_measured(const SnForm *f, const SnGpuPoints *points) {
  int64_t rows = sn_gpu_dims_size(f, &points->rows), columns = sn_gpu_dims_size(f, &points->columns),
          batch = sn_gpu_dims_size(f, &points->batch), all = 0, few = sn_in_sequence(f->op) ? 64 : FEW_OUTER;
  bool plain = rows != SN_DYNAMIC && columns != SN_DYNAMIC && batch != SN_DYNAMIC && rows > few && columns > few;
  for (size_t p = 0; p < f->products.size; ++p) {
    int64_t sum = sn_gpu_pieces(f, p, 1, 1);
    plain &= sum != SN_DYNAMIC && mlirTypeIsAF32(f->products.data[p].type);
    all += plain ? sn_times(sn_times(sn_times(rows, columns), batch), sum) : 0;
    for (size_t side = 2 * p; side < 2 * p + 2; ++side) {
      const SnAccess *a = &f->inputs.data[sn_side(f, side).first];
      plain &= (!a->fill.ptr || along_vectors(f, side)) && !a->through.ptr && mlirTypeIsAF32(sn_side_element(f, side));
    }
  }
  return plain && all >= (sn_in_sequence(f->op) ? MANY_IN_SEQUENCE : MANY_MULTIPLICATIONS);
}

// Neighbours in both sides of all products are neighbours of the sum: it is their last subscript.
static bool is_along_sums(const SnForm *f) {
  bool all = true;
  for (size_t side = 0; side < 2 * f->products.size; ++side) {
    SnGroup summed = sn_side_summed(f, side);
    MlirAffineMap map = f->inputs.data[sn_side(f, side).first].map;
    MlirAffineExpr last = mlirAffineMapGetResult(map, mlirAffineMapGetNumResults(map) - 1);
    all &= mlirAffineExprIsADim(last) && mlirAffineDimExprGetPosition(last) == summed.first + summed.num_dims - 1;
  }
  return all;
}

// Less than 0: some block would have no part, or all parts no room in the workspace.
static double measured_cost(const SnForm *f, const SnGpuPoints *points, const MeasuredTile *t, int64_t split,
                            const SnGpuChip *chip) {
  const Tile *tile = &t->tile;
  int64_t tiles = sn_gpu_num_tiles(f, points, tile->m, tile->n), blocks = sn_times(tiles, split),
          each = sn_pieces(blocks, chip->multiprocessors);
  double cycles = 0;
  if (split > 1 && sn_times(sn_times(blocks, tile->m * tile->n * 4), (int64_t)f->products.size) > PARTS_BYTES)
    return -1;
  for (size_t p = 0; p < f->products.size; ++p) {
    int64_t pieces = sn_gpu_pieces(f, p, tile->k, split), all = sn_gpu_pieces(f, p, tile->k, 1);
    if (split > 1 && (pieces < PIECES_OF_A_PART || pieces * (split - 1) >= all))
      return -1;
    cycles += (double)(each * tile->m * tile->n * tile->k * pieces) / MULTIPLICATIONS_OF_A_CYCLE;
  }
  double more = is_along_sums(f) ? t->more_along : t->more,
         meet = meet_cycles(f, tile->m, tile->n, split) * (double)sn_pieces(tiles, chip->multiprocessors),
         parts = split > 1 ? (double)sn_times(blocks, tile->m * tile->n * 4) * (double)f->products.size : 0;
  if (parts > MUCH_MET)
    meet += 2 * parts / (double)(chip->multiprocessors * MUCH_MET_BYTES_OF_A_CYCLE);
  // What is left behind the last whole round may be too few blocks to keep a multiprocessor busy.
  double left = (double)(each % tile->occupancy), rate = left * t->one < more ? left * t->one : more,
         store = each > 1 && split == 1 ? (double)(each * tile->m * tile->n) / STORED_OF_A_CYCLE : 0;
  return cycles / (double)each * (((double)each - left) / more + (left > 0 ? left / rate : 0)) + meet + store;
}

// The tile that costs least, and in how many parts; NULL: it is none of those that were measured.
static const Tile *choose_measured(const SnForm *f, const SnGpuPoints *points, const SnGpuChip *chip, int64_t *parts) {
  bool pair = f->products.size == 2 && sn_gpu_same_rows(f, 1);
  const MeasuredTile *list = pair ? f32_pairs : f32_tiles;
  size_t n = pair ? sizeof f32_pairs / sizeof *f32_pairs : sizeof f32_tiles / sizeof *f32_tiles;
  const Tile *best = NULL;
  double least = 0;
  for (size_t i = 0; i < n && is_measured(f, points); ++i)
    for (int64_t split = 1; split <= MOST_PARTS; ++split) {
      const Tile *t = &list[i].tile;
      double cost = measured_cost(f, points, &list[i], split, chip);
      if (cost < 0 || (best && cost >= least) || !has_columns(f, t->n) ||
          sn_gpu_tile_bytes(f, t->kernel, t->m, t->n, t->k, t->threads) * t->occupancy > chip->shared_bytes)
        continue;
      best = t;
      least = cost;
      *parts = split;
    }
  return best;
}

// ---- wgmma -----------------------------------------------------------------------------------

typedef struct {
  int64_t m, n, stages;
  const char *share;
  double factor; // of the cycles, as measured (bench/results/gpu_products.md)
} StagedTile;

// With as many stages as fit beside the sums of two warpgroups on their way to the row program.
static const StagedTile staged[] = {
    {128, 256, 4, "tile", 1.00}, {128, 192, 4, "turns", 0.99}, {128, 128, 6, "turns", 1.02},
    {64, 256, 5, "turns", 1.05}, {128, 64, 8, "turns", 1.05},  {64, 128, 8, "turns", 1.05},
    {64, 64, 12, "turns", 1.05}, {64, 32, 16, "turns", 1.10},  {128, 192, 4, "tile", 1.04},
    {128, 128, 6, "tile", 1.08}, {128, 64, 8, "tile", 1.08},
};
enum {
  STAGED_THREADS = 256,
  FEWEST_STAGES = 3,
  SUMS_OF_A_THREAD = 192, // in its registers
  SUMS_BESIDE_FETCHERS = 128,
  FETCH_CYCLES = 300, // of a slot, where threads move a side: waiting, saying so
  BYTES_OF_A_CYCLE = 64,  // that a multiprocessor gets of L2
  WINDOW_BYTES_OF_A_CYCLE = 25, // the same where threads ask for pieces of windows
  WINDOW_CYCLES = 150,          // of a slot of them, beside what its pieces take
  TILE_CYCLES = 700,            // of a tile at least, however short its sum is
  STORE_CYCLES = 19,      // of a thread, for an element of the row program, where nothing is multiplied meanwhile
  BEGIN_CYCLES = 1500,    // until the first line is there, and from the last one to the last store
};

// By types: what wgmma has of them.
static const char *staged_kernel(const SnForm *f) { return sn_gpu_has_kernel(f, "wgmma") ? "wgmma" : "wgmma.tf32"; }

// As many as fit beside the sums of all products; 0: too few.
static int64_t stages_of(const SnForm *f, const StagedTile *t, const SnGpuChip *chip) {
  int64_t stages = t->stages;
  while (stages >= FEWEST_STAGES &&
         sn_gpu_staged_bytes(f, t->m, t->n, stages, STAGED_THREADS) + SN_GPU_TILES_ALIGNED > chip->shared_bytes)
    --stages;
  return stages < FEWEST_STAGES ? 0 : stages;
}

static bool staged_fits(const SnForm *f, const SnGpuPoints *points, const StagedTile *t, const SnGpuChip *chip) {
  int64_t rows = strcmp(t->share, "turns") ? t->m * SN_GPU_WARPGROUP / STAGED_THREADS : t->m,
          sums = (int64_t)f->products.size * rows / SN_GPU_WARPGROUP_ROWS * t->n / 2, k = 0;
  bool threads = false;
  for (size_t i = 0; i < f->products.size; ++i) {
    SnGpuSlot slot;
    SnGpuProduct p = sn_gpu_product(f, i, staged_kernel(f));
    if (!p.line || (k && k != sn_gpu_map_sum(&p)) || !sn_gpu_slot(f, points, &p, true, t->m, &slot, NULL) ||
        !sn_gpu_slot(f, points, &p, false, t->n, &slot, NULL))
      return false;
    threads |= slot.fetch != SN_GPU_BY_COPIES;
    sn_gpu_slot(f, points, &p, true, t->m, &slot, NULL);
    threads |= slot.fetch != SN_GPU_BY_COPIES;
    k = sn_gpu_map_sum(&p);
  }
  return has_columns(f, t->n) && sums <= (threads ? SUMS_BESIDE_FETCHERS : SUMS_OF_A_THREAD) && stages_of(f, t, chip);
}

// Until threads have moved a side into a slot; 0, where the copy engine does.
static double fetch_cycles(const SnForm *f, const SnGpuPoints *points, size_t product, bool is_a, const StagedTile *t) {
  SnGpuSlot slot;
  SnGpuProduct p = sn_gpu_product(f, product, staged_kernel(f));
  int64_t extent = is_a ? t->m : t->n, k = sn_gpu_map_sum(&p);
  sn_gpu_slot(f, points, &p, is_a, extent, &slot, NULL);
  double each = (double)(extent * k) / (double)sn_gpu_fetchers(f, points, t->m, t->n);
  return slot.fetch == SN_GPU_BY_COPIES    ? 0
         : slot.fetch == SN_GPU_BY_PIECES  ? FETCH_CYCLES + each / (double)slot.lanes * SN_GPU_PIECE_CYCLES
         : slot.fetch == SN_GPU_BY_VECTORS ? FETCH_CYCLES + each / (double)slot.lanes * SN_GPU_VECTOR_CYCLES
                                           : FETCH_CYCLES + each * SN_GPU_ELEMENT_CYCLES;
}

// Of a slot, where threads bring pieces of windows; 0: they bring none. What it reads, or what its threads ask for: of
// lines shorter than a slot's a thread has to find each piece. (A convolution 3 x 3 of 344 channels on an H200: 1289 of
// 128 by 128, 1934 of 128 by 256; 5 x 5 of 128 and 14 filters 1051 of 128 by 64, 481 of 64 by 32; 7 x 7 of 161 and 3
// filters, whose columns are the image's, 1395 of 64 by 128, 2115 of 64 by 256; 5 x 5 of 6, 1312 of 64 by 128, 3700 of
// 128 by 192.)
// Of few filters, the rows, a warpgroup's have nothing to do. (128 by 192 of 12 and 32: 1.2 and 1.09 of 64 by 128.)
static double window_cycles(const SnForm *f, const SnGpuPoints *points, size_t product, const StagedTile *t) {
  const double of_piece = 1.15, of_found = 250; // of all that a slot has; of those of one thread
  SnGpuProduct p = sn_gpu_product(f, product, staged_kernel(f));
  int64_t rows = sn_gpu_dims_size(f, &points->rows);
  double bytes = 0, pieces = 0, empty = t->m > SN_GPU_WARPGROUP_ROWS && rows != SN_DYNAMIC && rows <= t->m / 2 ? 2 : 1;
  for (int is_a = 0; is_a < 2; ++is_a) {
    SnGpuSlot slot;
    const SnGpuDims *outer = is_a ? &points->rows : &points->columns;
    int64_t extent = is_a ? t->m : t->n, size = sn_gpu_dims_size(f, outer);
    sn_gpu_slot(f, points, &p, is_a, extent, &slot, NULL);
    if (outer->n > 1 && p.summed.num_dims > 1 && slot.fetch == SN_GPU_BY_PIECES)
      pieces += (double)(extent * sn_gpu_map_sum(&p)) / (double)slot.lanes;
    // What is beside the end is zeros in slots alone.
    int64_t there = size != SN_DYNAMIC && size < extent ? size : extent;
    bytes += (double)(extent + there) / 2 * SN_GPU_SWIZZLED_BYTES;
  }
  bool found = f->dims.data[p.summed.first + p.summed.num_dims - 1].size < sn_gpu_map_sum(&p);
  double ask = pieces * (found ? of_found / (double)sn_gpu_fetchers(f, points, t->m, t->n) : of_piece),
         read = bytes / WINDOW_BYTES_OF_A_CYCLE;
  return pieces == 0 ? 0 : empty * (read > ask + WINDOW_CYCLES ? read : ask + WINDOW_CYCLES);
}

static double cost_of(const SnForm *f, const SnGpuPoints *points, const StagedTile *t, int64_t split,
                      const SnGpuChip *chip) {
  int64_t rows = at_least(sn_gpu_dims_size(f, &points->rows), 1 << 12),
          columns = at_least(sn_gpu_dims_size(f, &points->columns), 1 << 12),
          batch = at_least(sn_gpu_dims_size(f, &points->batch), 1),
          tiles = sn_times(batch, sn_times(sn_pieces(rows, t->m), sn_pieces(columns, t->n)));
  double waves = (double)sn_pieces(sn_times(tiles, split), chip->multiprocessors),
         multiply = (double)(t->m * t->n) / 32, copy = (double)sn_gpu_stage_bytes(t->m, t->n) / BYTES_OF_A_CYCLE,
         cycles = 0;
  copy = multiply > copy ? multiply : copy;
  for (size_t i = 0; i < f->products.size; ++i) {
    SnGpuProduct p = sn_gpu_product(f, i, staged_kernel(f));
    double fetch = fetch_cycles(f, points, i, true, t) + fetch_cycles(f, points, i, false, t),
           slot = fetch > copy ? fetch + copy / 16 : copy,
           window = window_cycles(f, points, i, t);
    slot = slot < window ? (window + copy / 4) / t->factor : slot;
    cycles += (double)sn_gpu_pieces(f, i, sn_gpu_map_sum(&p), split) * slot;
  }
  // All wait for the last rows to be stored, which by turns one warpgroup does. By turns the other one multiplies while
  // those of other waves are; the widest tile was measured with its stores, of many waves.
  bool turns = !strcmp(t->share, "turns");
  double stores = turns || t->n == 256 ? 1 : waves,
         store = stores * (double)(t->m * t->n * STORE_CYCLES) / (turns ? SN_GPU_WARPGROUP : STAGED_THREADS);
  double tile = cycles * t->factor > TILE_CYCLES ? cycles * t->factor : TILE_CYCLES,
         parts = (double)sn_times(sn_times(tiles, split), t->m * t->n * 4) * (double)f->products.size;
  if (split > 1 && parts > MUCH_MET)
    store += 2 * parts / (double)(chip->multiprocessors * MUCH_MET_BYTES_OF_A_CYCLE);
  return waves * (tile + meet_cycles(f, t->m, t->n, split)) + store + BEGIN_CYCLES;
}

// Every block has two pieces at least, and all parts have some room in the workspace.
static bool may_split(const SnForm *f, const SnGpuPoints *points, const StagedTile *t, int64_t split) {
  int64_t tiles = sn_gpu_num_tiles(f, points, t->m, t->n);
  if (split == 1)
    return true;
  if (tiles == SN_DYNAMIC || sn_times(tiles * split, t->m * t->n * 4) > PARTS_BYTES)
    return false;
  for (size_t i = 0; i < f->products.size; ++i) {
    SnGpuProduct p = sn_gpu_product(f, i, staged_kernel(f));
    int64_t k = sn_gpu_map_sum(&p), all = sn_gpu_pieces(f, i, k, 1), each = sn_gpu_pieces(f, i, k, split);
    if (each < 2 || each * (split - 1) >= all)
      return false;
  }
  return true;
}

// The number of parts that costs least, and the cost; 0: the tile does not fit.
static int64_t choose_parts(const SnForm *f, const SnGpuPoints *points, const StagedTile *t, const SnGpuChip *chip,
                            double *cost) {
  int64_t best = 0;
  for (int64_t split = 1; split <= MOST_PARTS && staged_fits(f, points, t, chip); ++split) {
    double of_this = may_split(f, points, t, split) ? cost_of(f, points, t, split, chip) : -1;
    if (of_this < 0 || (best && of_this >= *cost))
      continue;
    best = split;
    *cost = of_this;
  }
  return best;
}

static const StagedTile *choose_staged(const SnForm *f, const SnGpuPoints *points, const SnScheduleOptions *options,
                                       const SnGpuChip *chip, int64_t *parts) {
  const StagedTile *best = NULL;
  double least = 0, cost = 0;
  for (size_t i = 0; i < sizeof staged / sizeof *staged && runs(f, staged_kernel(f), options); ++i) {
    int64_t split = choose_parts(f, points, &staged[i], chip, &cost);
    if (!split || (best && cost >= least))
      continue;
    best = &staged[i];
    least = cost;
    *parts = split;
  }
  return best;
}

static MlirAttribute staged_schedule(const SnForm *f, const StagedTile *t, int64_t split, const SnGpuChip *chip) {
  MlirLocation loc = mlirOperationGetLocation(f->op);
  SnGpuProduct p = sn_gpu_product(f, 0, staged_kernel(f));
  char shared[40] = "";
  if (split > 1)
    snprintf(shared, sizeof shared, ", split = %lld", (long long)split);
  return sn_schedule_attr(loc, "mma",
                          sn_parse_attr(mlirLocationGetContext(loc),
                                        "{kernel = \"%s\", blocks = %lld, m = %lld, n = %lld, k = %lld, threads = %d, "
                                        "stages = %lld, share = \"%s\", group = %d%s}",
                                        staged_kernel(f), (long long)chip->multiprocessors, (long long)t->m,
                                        (long long)t->n, (long long)sn_gpu_map_sum(&p), STAGED_THREADS,
                                        (long long)stages_of(f, t, chip), t->share, t->m == 128 ? 12 : 16, shared));
}

// ---- sums of one slot, and few rows by elements --------------------------------------------------

static const Tile small_tiles[] = {
    {"mma.sync", 16, 128, 32, 128, 4},
    {"mma.sync", 128, 16, 32, 128, 4},
    {"mma.sync", 32, 32, 32, 64, 8},
    {"mma.sync", 64, 64, 32, 128, 4}};

// Rows and columns are one small tile, and threads bring a side element by element: a tile of wgmma is four times as
// large, and each of its elements is one that a thread asks for, whether it is there or not (an H200: 11 x 24 of 4096
// in f16 13.7 us by wgmma, 6.6 so; of 239 elements and fewer wgmma takes 0.75 to 0.95 of the time).
static bool is_one_by_elements(const SnForm *f, const SnGpuPoints *points, const Tile *t) {
  enum { LONG = 1024 };
  bool by_elements = false, one = sn_gpu_num_tiles(f, points, t->m, t->n) == 1;
  for (size_t i = 0; one && i < f->products.size; ++i) {
    int64_t sum = sn_gpu_pieces(f, i, 1, 1);
    one &= sum != SN_DYNAMIC && sum >= LONG;
    for (int is_a = 0; is_a < 2; ++is_a) {
      SnGpuSlot slot;
      SnGpuProduct p = sn_gpu_product(f, i, "wgmma");
      bool found = p.line && sn_gpu_slot(f, points, &p, is_a, t->m, &slot, NULL);
      by_elements |= found && slot.fetch == SN_GPU_BY_ELEMENTS;
    }
  }
  return one && by_elements;
}

// As wide as few rows or columns are; NULL: other tiles are better.
static const Tile *choose_small(const SnForm *f, const SnGpuPoints *points, const SnScheduleOptions *options,
                                const SnGpuChip *chip) {
  int64_t rows = sn_gpu_dims_size(f, &points->rows), columns = sn_gpu_dims_size(f, &points->columns);
  if (!runs(f, "mma.sync", options) || rows == SN_DYNAMIC || columns == SN_DYNAMIC || sn_gpu_tile_columns(f) ||
      !sn_gpu_has_kernel(f, "wgmma"))
    return NULL;
  // Of many rows and columns, stored by vectors, larger tiles (an H200, 4 x 1573 x 240 of 24 in f16: 0.92 of the time).
  bool many = rows >= 64 && columns >= 64 && sn_row_length(f) % 4 == 0 &&
              sn_gpu_num_tiles(f, points, 64, 64) >= 2 * chip->multiprocessors;
  if (sn_gpu_sums_are_short(f))
    return &small_tiles[rows <= small_tiles[0].m ? 0 : columns <= small_tiles[1].n ? 1 : many ? 3 : 2];
  return sn_gpu_reads_once(f, points, true)                ? &small_tiles[0]
         : sn_gpu_reads_once(f, points, false)             ? &small_tiles[1]
         : is_one_by_elements(f, points, &small_tiles[2]) ? &small_tiles[2]
                                                           : NULL;
}

// ---- one of all ------------------------------------------------------------------------------

static MlirAttribute plain_schedule(const SnForm *f, const SnGpuPoints *points, const Tile *t, int64_t split,
                                    const SnGpuChip *chip) {
  char blocks[40] = "", shared[40] = "";
  if (split > 1)
    snprintf(shared, sizeof shared, ", split = %lld", (long long)split);
  if (sn_gpu_num_tiles(f, points, t->m, t->n) == SN_DYNAMIC) // as many as run at once
    snprintf(blocks, sizeof blocks, "blocks = %lld, ", (long long)(chip->multiprocessors * t->occupancy));
  MlirLocation loc = mlirOperationGetLocation(f->op);
  return sn_schedule_attr(loc, "mma",
                          sn_parse_attr(mlirLocationGetContext(loc),
                                        "{kernel = \"%s\", %sm = %lld, n = %lld, k = %lld, threads = %lld, occupancy = "
                                        "%lld%s}",
                                        t->kernel, blocks, (long long)t->m, (long long)t->n, (long long)t->k,
                                        (long long)t->threads, (long long)t->occupancy, shared));
}

static size_t choose_plain(const SnForm *f, const SnGpuPoints *points, const SnScheduleOptions *options,
                           const SnGpuChip *chip) {
  size_t n = sizeof tiles / sizeof *tiles, last = n;
  for (size_t i = 0; i < n; ++i) {
    bool other = last < n && strcmp(tiles[i].kernel, tiles[last].kernel);
    if (other)
      break;
    if (!runs(f, tiles[i].kernel, options) || !may_take(f, &tiles[i]))
      continue;
    last = i;
    if (fits(f, points, &tiles[i], chip))
      break;
  }
  assert(last < n && "every form with products runs by fma, with rows of a piece too");
  return last;
}

MlirAttribute sn_schedule_gpu_products(const SnForm *f, const SnScheduleOptions *options) {
  if (sn_gpu_not_products(f))
    return mlirAttributeGetNull();
  const SnGpuChip *chip = sn_gpu_chip(options->chip);
  SnGpuPoints points = sn_gpu_points(f);
  MlirAttribute streams = sn_schedule_gpu_streams(f, options);
  if (streams.ptr)
    return streams;
  MlirAttribute windows = sn_schedule_gpu_windows(f, options);
  if (windows.ptr)
    return windows;
  int64_t split = 1;
  const Tile *small = sn_in_sequence(f->op) ? NULL : choose_small(f, &points, options, chip);
  if (small)
    return plain_schedule(f, &points, small, split_of(f, &points, small, chip), chip);
  const StagedTile *by_copies =
      sn_in_sequence(f->op) ? NULL : choose_staged(f, &points, options, chip, &split);
  if (by_copies)
    return staged_schedule(f, by_copies, split, chip);
  size_t i = choose_plain(f, &points, options, chip);
  bool measured = !strcmp(tiles[i].kernel, "fma") && sn_gpu_chip_has(options->chip, "sm_90");
  const Tile *t = measured ? choose_measured(f, &points, chip, &split) : NULL;
  if (t)
    return plain_schedule(f, &points, t, split, chip);
  return plain_schedule(f, &points, &tiles[i], split_of(f, &points, &tiles[i], chip), chip);
}

bool sn_schedule_gpu_tile(const SnForm *f, const SnScheduleOptions *options, size_t i, MlirAttribute *schedule) {
  size_t num_staged = sizeof staged / sizeof *staged, num_tiles = sizeof tiles / sizeof *tiles;
  *schedule = mlirAttributeGetNull();
  if (sn_gpu_not_products(f) || f->sides.size || i > num_staged + num_tiles)
    return false;
  if (i == num_staged + num_tiles) {
    *schedule = sn_schedule_gpu_windows(f, options);
    return true;
  }
  const SnGpuChip *chip = sn_gpu_chip(options->chip);
  SnGpuPoints points = sn_gpu_points(f);
  if (i < num_staged) {
    double cost = 0;
    int64_t split = runs(f, staged_kernel(f), options) ? choose_parts(f, &points, &staged[i], chip, &cost) : 0;
    if (split)
      *schedule = staged_schedule(f, &staged[i], split, chip);
    return true;
  }
  const Tile *t = &tiles[i - num_staged];
  if (runs(f, t->kernel, options) && may_take(f, t) &&
      sn_gpu_tile_bytes(f, t->kernel, t->m, t->n, t->k, t->threads) * t->occupancy <= chip->shared_bytes)
    *schedule = plain_schedule(f, &points, t, split_of(f, &points, t, chip), chip);
  return true;
}
