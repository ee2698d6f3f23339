// staged_tiles.c: tiles of wgmma, of which the one that costs least is taken: so many waves of tiles over the
// multiprocessors, times the cycles of one, those of who fetches among them.
//
//   #sinter.mma<kernel = "wgmma", m = 128, n = 192, k = 64, threads = 256, stages = 4, share = "turns", group = 12,
//   ...>
//
// test: test/passes/schedule/gpu_tiles.mlir

#include "lowering/facts/gpu_slots.h"
#include "passes/schedule/gpu_tiles.h"
#include <stdio.h>

static int64_t at_least(int64_t size, int64_t otherwise) { return size == SN_DYNAMIC ? otherwise : size; }

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
    {128, 128, 6, "tile", 1.08}, {128, 64, 8, "tile", 1.08},  {128, 96, 7, "tile", 1.06},
    {64, 96, 10, "turns", 1.05}, {192, 128, 4, "turns", 0.99},
};
enum {
  STAGED_THREADS = 256,
  FEWEST_STAGES = 3,
  SUMS_OF_A_THREAD = 192, // in its registers
  SUMS_BESIDE_FETCHERS = 128,
  FETCH_CYCLES = 300, // of a slot, where threads move a side: waiting, saying so
  BYTES_OF_A_CYCLE = 64,  // that a multiprocessor gets of L2
  IMAGE_BYTES_OF_A_CYCLE = 58, // the same of windows by copies, and where all ask for them
  IMAGE_BYTES_OF_ALL = 46,
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
  return sn_gpu_tile_has_columns(f, t->n) && sums <= (threads ? SUMS_BESIDE_FETCHERS : SUMS_OF_A_THREAD) &&
         stages_of(f, t, chip);
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

// The copy engine brings windows of some side.
static bool copies_images(const SnForm *f, const SnGpuPoints *points, const StagedTile *t) {
  bool some = false;
  for (size_t i = 0; i < f->products.size; ++i)
    for (int is_a = 0; is_a < 2; ++is_a) {
      SnGpuSlot slot;
      SnGpuProduct p = sn_gpu_product(f, i, staged_kernel(f));
      some |= sn_gpu_slot(f, points, &p, is_a, is_a ? t->m : t->n, &slot, NULL) && slot.fetch == SN_GPU_BY_COPIES &&
              slot.map.map.num_windows;
    }
  return some;
}

// Until a slot's bytes are there, where so many tiles are at work. (27,648 x 192 of 3 x 3 x 512 on an H200, all
// multiprocessors: 830 cycles for 128 by 128; 2880 x 384 of 5 x 5 x 192, 69 of 132: 555, and 800 for 128 by 192.)
static double copy_cycles(const SnForm *f, const SnGpuPoints *points, const StagedTile *t, int64_t tiles,
                          const SnGpuChip *chip) {
  double busy = tiles < chip->multiprocessors ? (double)tiles / (double)chip->multiprocessors : 1,
         of_all = IMAGE_BYTES_OF_ALL / busy, rate = BYTES_OF_A_CYCLE;
  if (copies_images(f, points, t))
    rate = of_all < IMAGE_BYTES_OF_A_CYCLE ? of_all : IMAGE_BYTES_OF_A_CYCLE;
  return (double)sn_gpu_stage_bytes(t->m, t->n) / rate;
}

// Blocks in pairs copy a quarter to a third less, and those of narrow tiles ask for half as many of the lines that all
// blocks read. Of tiles of 128 rows that pays where a block has some slots to fill, most rows of pairs are there, and
// last tiles that have no partner are not too many waves more (an H200, over the same tiles without pairs: 648 x 4160
// of 5720 in bf16 0.86, 2241 x 4456 of 2648 0.76, 4629 x 2744 of 2584 0.77, 3437 x 896 of 1880 0.90, 1832 x 256 of 840
// 1.04; a gate of 5680 x 4400 and 741, which has 9 waves for 8, 0.89; 14,336 x 40 of 3584 0.89, 4544 x 16 of 704 1.12;
// bench/results/gpu_pairs.md). What is so large that power limits it gains nothing (4096 x 4096 of 4096 1.00). Windows
// by copies gain little, and where multiprocessors are idle or tiles narrow they lose (27,648 x 192 of 3 x 3 x 512 by
// tiles of 128 columns 0.94, 192 1.03, 64 1.05; 2880 x 384 of 5 x 5 x 192, 69 tiles, 1.09; 100,352 x 64 1.15;
// bench/results/gpu_images.md). Tiles of 64 rows are paired where two of them are all rows: then the columns' side is
// read once. (An H200, over the tiles chosen without pairs, by 64 x 128: a gate of 85 x 6064 and 920 in f16 0.88, 85 x
// 6064 of 920 0.91, 120 x 8000 of 1000 in bf16 0.80, 128 x 8192 of 4096 0.85, 128 x 6000 of 3000 by [k, i] 0.97; by 64
// x 256 128 x 14,336 of 4096 1.03; by 64 x 64 128 x 4096 of 4096 1.12.)
static bool in_pairs(const SnForm *f, const SnGpuPoints *points, const StagedTile *t, int64_t split,
                     const SnGpuChip *chip, bool *gains) {
  enum { LARGE = 128, NARROW = 64, SLOTS = 24, SLOTS_OF_NARROW = 48, SLOTS_OF_TWO = 12, MORE_WAVES = 6 };
  enum { OF_POWER = 6 << 20 };
  int64_t tiles = sn_gpu_num_tiles(f, points, t->m, t->n), pairs = sn_gpu_num_tiles(f, points, 2 * t->m, t->n),
          rows = sn_gpu_dims_size(f, &points->rows), slots = 0;
  bool two = t->m < LARGE && rows <= 2 * t->m; // tiles are all rows
  if (split > 1 || tiles == SN_DYNAMIC || rows <= t->m || (t->m < LARGE && (!two || t->n != LARGE)) || t->n < NARROW ||
      chip->multiprocessors % 2 || sn_gpu_not_paired(f, points, staged_kernel(f), t->m, t->n))
    return false;
  bool measured = true; // half types
  int64_t waves = sn_pieces(tiles, chip->multiprocessors), of_pairs = sn_pieces(2 * pairs, chip->multiprocessors);
  for (size_t i = 0; i < f->products.size; ++i) {
    SnGpuProduct p = sn_gpu_product(f, i, staged_kernel(f));
    slots += waves * sn_gpu_pieces(f, i, sn_gpu_map_sum(&p), 1);
    measured &= sn_bits(sn_side_element(f, 2 * i)) == 16 && sn_bits(sn_side_element(f, 2 * i + 1)) == 16;
  }
  bool images = copies_images(f, points, t);
  if (images && (4 * tiles < 3 * chip->multiprocessors || t->n < LARGE))
    return false;
  *gains = slots * t->m * t->n <= OF_POWER && !images;
  bool there = two || 4 * rows >= 3 * 2 * t->m * sn_pieces(rows, 2 * t->m),
       fits = *gains && !two ? (of_pairs - waves) * MORE_WAVES < waves : of_pairs == waves;
  return measured && there && fits && slots >= (two ? SLOTS_OF_TWO : t->n < LARGE ? SLOTS_OF_NARROW : SLOTS);
}

// One product whose sums are short, and whose row program has functions: these are what takes time. (Of a gate, and of
// long sums, counting stores chooses better: 5680 x 4400 of 741 on an H200 0.54.)
static bool has_functions(const SnForm *f) {
  enum { MOST_PIECES = 8 };
  SnGpuProduct p = sn_gpu_product(f, 0, staged_kernel(f));
  return f->products.size == 1 && sn_gpu_program_weight(f) >= SN_GPU_FUNCTION_WEIGHT &&
         sn_gpu_pieces(f, 0, sn_gpu_map_sum(&p), 1) <= MOST_PIECES;
}

// Cycles of such a form: so many waves of tiles, `tile` cycles of each until it is summed. By rows both warpgroups
// compute functions, and nobody multiplies. By turns one of them does; where that takes longer than the other one
// multiplies, both do, and wait for each other's. (An H200, gelu, over the tile that counting stores alone had chosen:
// 574 x 14,905 of 256 in bf16 0.70, 10,232 x 667 of 64 in f16 0.88, 128 x 5070 of 192 0.92;
// bench/results/gpu_functions.md. Over 32 columns in two waves 64 take 0.75 and 0.85 of the time of sums of eight
// pieces, 1.02 and 1.06 of four and two.)
static double functions_cost(const SnForm *f, const StagedTile *t, double waves, double tile) {
  enum { NARROW = 64, FEW_PIECES = 4 };
  const double both = 8.6, alone = 4.8; // cycles of a thread, for each simple operation
  SnGpuProduct p = sn_gpu_product(f, 0, staged_kernel(f));
  bool several = waves > 1 && sn_gpu_pieces(f, 0, sn_gpu_map_sum(&p), 1) > FEW_PIECES;
  const double of_narrow = several ? 1.35 : 1.1;
  int64_t weight = sn_gpu_program_weight(f);
  bool turns = !strcmp(t->share, "turns");
  double each = (double)(t->m * t->n) / (turns ? SN_GPU_WARPGROUP : STAGED_THREADS) * t->factor *
                (t->n < NARROW ? of_narrow : 1),
         by_both = each * (STORE_CYCLES + both * (double)weight),
         by_one = each * (STORE_CYCLES + alone * (double)weight);
  if (!turns)
    return waves * (tile + by_both);
  double multiplied = waves * tile + by_one, computed = (double)sn_pieces((int64_t)waves, 2) * (tile + by_both);
  return multiplied > computed || waves == 1 ? multiplied : computed;
}

// How much longer than its multiplications a slot of a pair takes, where all multiprocessors ask the second cache for
// its rows and half of its columns. (2880 x 2366 of 4488 in bf16 on an H200: 128 by 128 670 cycles a slot, where 512
// are multiplied, 128 by 256 1080 of 1024: 128 us and 103; bench/results/gpu_pairs.md.)
static double crowded(const SnForm *f, const StagedTile *t, int64_t tiles, const SnGpuChip *chip) {
  enum { WIDE = 128, BYTES_OF_ALL = 41 };
  double bytes = (double)((t->m + t->n / 2) * SN_GPU_SWIZZLED_BYTES), multiply = (double)(t->m * t->n) / 32,
         asked = bytes / BYTES_OF_ALL / multiply;
  return f->products.size > 1 || t->n < WIDE || tiles < chip->multiprocessors || asked < 1 ? 1 : asked;
}

static double cost_of(const SnForm *f, const SnGpuPoints *points, const StagedTile *t, int64_t split,
                      const SnGpuChip *chip) {
  const double OF_PAIRS = 0.82, OF_NARROW_PAIRS = 0.9, OF_TWO = 0.7;
  int64_t rows = at_least(sn_gpu_dims_size(f, &points->rows), 1 << 12),
          columns = at_least(sn_gpu_dims_size(f, &points->columns), 1 << 12),
          batch = at_least(sn_gpu_dims_size(f, &points->batch), 1),
          tiles = sn_times(batch, sn_times(sn_pieces(rows, t->m), sn_pieces(columns, t->n)));
  double waves = (double)sn_pieces(sn_times(tiles, split), chip->multiprocessors),
         multiply = (double)(t->m * t->n) / 32, copy = copy_cycles(f, points, t, sn_times(tiles, split), chip),
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
  bool gains = false, turns = !strcmp(t->share, "turns"), pairs = in_pairs(f, points, t, split, chip, &gains) && gains;
  double stores = turns || (t->n == 256 && !pairs && !copies_images(f, points, t)) ? 1 : waves,
         store = stores * (double)(t->m * t->n * STORE_CYCLES) / (turns ? SN_GPU_WARPGROUP : STAGED_THREADS);
  if (pairs) {
    cycles *= t->m < 128 ? OF_TWO : (t->n < 128 ? OF_NARROW_PAIRS : OF_PAIRS) * crowded(f, t, tiles, chip);
    waves = (double)sn_pieces(2 * sn_gpu_num_tiles(f, points, 2 * t->m, t->n), chip->multiprocessors);
  }
  double tile = cycles * t->factor > TILE_CYCLES ? cycles * t->factor : TILE_CYCLES,
         parts = (double)sn_times(sn_times(tiles, split), t->m * t->n * 4) * (double)f->products.size;
  if (split > 1)
    store += sn_gpu_much_met_cycles(parts, chip);
  // Of 128 rows one warpgroup adds all parts by turns (291 x 1693 of 1990 in three: 0.70 by both; 1937 x 360 of 5120 in
  // two 0.91).
  double meet = sn_gpu_meet_cycles(f, t->m, t->n, split) * (turns && t->m > SN_GPU_WARPGROUP_ROWS ? 2 : 1);
  if (has_functions(f))
    return functions_cost(f, t, waves, tile + meet) + (split > 1 ? store : 0) + BEGIN_CYCLES;
  return waves * (tile + meet) + store + BEGIN_CYCLES;
}

static bool goes_by_elements(const SnForm *f, const SnGpuPoints *points, const SnGpuProduct *p, const StagedTile *t) {
  bool some = false;
  for (int is_a = 0; is_a < 2; ++is_a) {
    SnGpuSlot slot;
    some |= sn_gpu_slot(f, points, p, is_a, is_a ? t->m : t->n, &slot, NULL) && slot.fetch == SN_GPU_BY_ELEMENTS;
  }
  return some;
}

// Every block has two pieces at least, of four where threads bring elements, which are all on their way at once; and
// all parts have some room in the workspace. (8 products of 16 x 124 and 137, three pieces, in bf16 on an H200: 0.85
// without parts.)
static bool may_split(const SnForm *f, const SnGpuPoints *points, const StagedTile *t, int64_t split) {
  int64_t tiles = sn_gpu_num_tiles(f, points, t->m, t->n);
  if (split == 1)
    return true;
  if (tiles == SN_DYNAMIC || sn_times(tiles * split, t->m * t->n * 4) > SN_GPU_PARTS_BYTES)
    return false;
  for (size_t i = 0; i < f->products.size; ++i) {
    SnGpuProduct p = sn_gpu_product(f, i, staged_kernel(f));
    int64_t k = sn_gpu_map_sum(&p), all = sn_gpu_pieces(f, i, k, 1), each = sn_gpu_pieces(f, i, k, split);
    if (each < 2 || each * (split - 1) >= all || (all < 4 && goes_by_elements(f, points, &p, t)))
      return false;
  }
  return true;
}

// The number of parts that costs least, and the cost; 0: the tile does not fit.
static int64_t choose_parts(const SnForm *f, const SnGpuPoints *points, const StagedTile *t, const SnGpuChip *chip,
                            double *cost) {
  int64_t best = 0;
  for (int64_t split = 1; split <= SN_GPU_MOST_PARTS && staged_fits(f, points, t, chip); ++split) {
    double of_this = may_split(f, points, t, split) ? cost_of(f, points, t, split, chip) : -1;
    if (of_this < 0 || (best && of_this >= *cost))
      continue;
    best = split;
    *cost = of_this;
  }
  return best;
}

static MlirAttribute schedule_of(const SnForm *f, const SnGpuPoints *points, const StagedTile *t, int64_t split,
                                 const SnGpuChip *chip) {
  MlirLocation loc = mlirOperationGetLocation(f->op);
  SnGpuProduct p = sn_gpu_product(f, 0, staged_kernel(f));
  char shared[40] = "";
  if (split > 1)
    snprintf(shared, sizeof shared, ", split = %lld", (long long)split);
  bool gains;
  if (in_pairs(f, points, t, split, chip, &gains))
    snprintf(shared, sizeof shared, ", cluster = 2");
  return sn_schedule_attr(loc, "mma",
                          sn_parse_attr(mlirLocationGetContext(loc),
                                        "{kernel = \"%s\", blocks = %lld, m = %lld, n = %lld, k = %lld, threads = %d, "
                                        "stages = %lld, share = \"%s\", group = %d%s}",
                                        staged_kernel(f), (long long)chip->multiprocessors, (long long)t->m,
                                        (long long)t->n, (long long)sn_gpu_map_sum(&p), STAGED_THREADS,
                                        (long long)stages_of(f, t, chip), t->share, t->m == 128 ? 12 : 16, shared));
}

MlirAttribute sn_gpu_staged_schedule(const SnForm *f, const SnGpuPoints *points, const SnScheduleOptions *options,
                                     const SnGpuChip *chip) {
  const StagedTile *best = NULL;
  int64_t parts = 1;
  double least = 0, cost = 0;
  for (size_t i = 0; i < sn_gpu_num_staged_tiles() && sn_gpu_tile_runs(f, staged_kernel(f), options); ++i) {
    int64_t split = choose_parts(f, points, &staged[i], chip, &cost);
    if (!split || (best && cost >= least))
      continue;
    best = &staged[i];
    least = cost;
    parts = split;
  }
  return best ? schedule_of(f, points, best, parts, chip) : mlirAttributeGetNull();
}

size_t sn_gpu_num_staged_tiles(void) { return sizeof staged / sizeof *staged; }

MlirAttribute sn_gpu_staged_candidate(const SnForm *f, const SnGpuPoints *points, const SnScheduleOptions *options,
                                      const SnGpuChip *chip, size_t i) {
  double cost = 0;
  int64_t split = sn_gpu_tile_runs(f, staged_kernel(f), options) ? choose_parts(f, points, &staged[i], chip, &cost) : 0;
  return split ? schedule_of(f, points, &staged[i], split, chip) : mlirAttributeGetNull();
}
