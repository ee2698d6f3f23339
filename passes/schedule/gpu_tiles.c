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
// On Hopper wgmma comes before both where slots can have all sides (staged_tiles.c). Of its tiles, and of those of f32
// by ordinary arithmetic (measured_tiles.c), the one that costs least is taken.
//
// new schedule key: of a GPU's products: when it is said.
//
// test: test/passes/schedule/gpu_tiles.mlir

#include "dialect/sequence.h"
#include "passes/schedule/gpu_tiles.h"
#include <assert.h>
#include <stdio.h>

enum { DEEP = 64 }; // summed elements of a slot, of elements that are loaded one by one

// The first that fits is taken, or the last of a kernel.
static const SnGpuTile tiles[] = {
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
    {"fma", 16, 16, 64, 64, 8},           {"fma", 16, 16, 16, 64, 8},
};

static int64_t at_least(int64_t size, int64_t otherwise) { return size == SN_DYNAMIC ? otherwise : size; }

static int64_t register_bytes(const SnForm *f) {
  int64_t bytes = 4;
  for (size_t p = 0; p < f->products.size; ++p)
    bytes = sn_bits(f->products.data[p].type) > 32 ? 8 : bytes;
  return bytes;
}

bool sn_gpu_tile_has_columns(const SnForm *f, int64_t n) {
  int64_t columns = sn_gpu_tile_columns(f);
  return !columns || columns == n;
}

static bool may_take(const SnForm *f, const SnGpuTile *t) {
  return sn_gpu_tile_has_columns(f, t->n) && (t->n != SN_GPU_WIDE_PIECE || sn_gpu_tile_columns(f));
}

bool sn_gpu_tile_runs(const SnForm *f, const char *kernel, const SnScheduleOptions *options) {
  bool all = sn_gpu_has_kernel(f, kernel);
  for (size_t i = 0; i < f->products.size && all; ++i) {
    const SnMicroKernel *line = sn_gpu_product(f, i, kernel).line;
    all = sn_gpu_chip_has(options->chip, line->needs) && (line->a != SN_TF32 || options->allow_tf32) &&
          (line->a != SN_PARTS || options->f32_parts);
  }
  return all;
}

double sn_gpu_meet_cycles(const SnForm *f, int64_t m, int64_t n, int64_t split) {
  enum { UNTIL_ALL_KNOW = 2000, BYTES_OF_A_CYCLE = 40 };
  double bytes = (double)(f->products.size * (size_t)(m * n * 4 * (split + 1)));
  return split == 1 ? 0 : UNTIL_ALL_KNOW + bytes / BYTES_OF_A_CYCLE;
}

double sn_gpu_much_met_cycles(double bytes, const SnGpuChip *chip) {
  enum { MUCH = 16 << 20, BYTES_OF_A_CYCLE = 7 };
  return bytes > MUCH ? 2 * bytes / (double)(chip->multiprocessors * BYTES_OF_A_CYCLE) : 0;
}

enum { REGISTERS = 1 << 16 };  // of a multiprocessor; sums take half of a thread's
enum { PIECES_OF_FEW = 4 }; // of a part at least, where the larger side is read once

// A tile of half types as flat as few rows or columns: the larger side is read once, and what counts is how many blocks
// ask for it. (An H200, 4 filters 1 x 1 of 448 channels, 88 tiles of 14 pieces: in three parts 0.72 of two's time, in
// four, 352 blocks, 0.95.)
static bool reads_once(const SnGpuTile *t) {
  enum { FLAT = 16 };
  return !strcmp(t->kernel, "mma.sync") && (t->m == FLAT || t->n == FLAT);
}

// Blocks that share a sum where tiles leave multiprocessors without one: each has some pieces of it.
static int64_t split_of(const SnForm *f, const SnGpuPoints *points, const SnGpuTile *t, const SnGpuChip *chip) {
  int64_t tiles = sn_gpu_num_tiles(f, points, t->m, t->n), split = SN_GPU_MOST_PARTS;
  if (tiles == SN_DYNAMIC || !tiles)
    return 1;
  // In a sequence several blocks of a form share one of its own, which keeps nothing else busy meanwhile (an H200, 20
  // steps of an LSTM of 8 rows: 272 us by two parts, 219 by four).
  int64_t blocks = (sn_in_sequence(f->op) ? 4 : 2) * chip->multiprocessors;
  split = blocks / tiles < split ? blocks / tiles : split;
  int64_t least = reads_once(t) ? PIECES_OF_FEW : SN_GPU_PIECES_OF_A_PART,
          parts = reads_once(t) ? sn_gpu_parts_read_once(f) : 1;
  if (parts > 1) { // as many blocks as have room, of which each has much to read
    split = t->occupancy * chip->multiprocessors / tiles < parts ? t->occupancy * chip->multiprocessors / tiles : parts;
    split = split < 1 ? 1 : split;
  }
  for (size_t i = 0; i < f->products.size; ++i) {
    int64_t all = sn_gpu_pieces(f, i, t->k, 1);
    split = all == SN_DYNAMIC ? 1 : all / least < split ? all / least : split;
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

// Flat tiles of 128, several below each other, of whose length a third or more is beside the end. (551 x 129 of 181 in
// f32 on an H200: 10.0 us by 16 x 128, 7.5 by 32 x 32.)
static bool ends_early(int64_t size, int64_t tile, int64_t other, int64_t few) {
  return few == 16 && tile == 128 && other > few && 2 * sn_pieces(size, tile) * tile >= 3 * size;
}

static bool fits(const SnForm *f, const SnGpuPoints *points, const SnGpuTile *t, const SnGpuChip *chip) {
  int64_t rows = at_least(sn_gpu_dims_size(f, &points->rows), 1 << 20),
          columns = at_least(sn_gpu_dims_size(f, &points->columns), 1 << 20),
          batch = at_least(sn_gpu_dims_size(f, &points->batch), 1),
          each = t->m * t->n / t->threads * register_bytes(f) / 4;
  bool few = t->m >= 16 || rows <= t->m, wasted = (t->m > 16 && rows <= t->m / 2) || (t->n > 16 && columns <= t->n / 2);
  wasted |= ends_early(columns, t->n, rows, t->m) || ends_early(rows, t->m, columns, t->n);
  int64_t all = sn_times(batch, sn_times(sn_pieces(rows, t->m), sn_pieces(columns, t->n))),
          enough = t->m == 16 || t->n == 16 ? chip->multiprocessors * 9 / 10 : chip->multiprocessors;
  all = sn_times(all, split_of(f, points, t, chip));
  return few && !wasted && each * 2 <= REGISTERS / (t->threads * t->occupancy) && all >= enough &&
         sn_gpu_tile_bytes(f, t->kernel, t->m, t->n, t->k, t->threads) * t->occupancy <= chip->shared_bytes;
}

// ---- sums of one slot, and few rows by elements --------------------------------------------------

static const SnGpuTile small_tiles[] = {
    {"mma.sync", 16, 128, 32, 128, 4},
    {"mma.sync", 128, 16, 32, 128, 4},
    {"mma.sync", 32, 32, 32, 64, 8},
    {"mma.sync", 64, 64, 32, 128, 4}};

// Rows and columns are one small tile, and threads bring a side element by element: a tile of wgmma is four times as
// large, and each of its elements is one that a thread asks for, whether it is there or not (an H200: 11 x 24 of 4096
// in f16 13.7 us by wgmma, 6.6 so; of 239 elements and fewer wgmma takes 0.75 to 0.95 of the time).
static bool is_one_by_elements(const SnForm *f, const SnGpuPoints *points, const SnGpuTile *t) {
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
static const SnGpuTile *choose_small(const SnForm *f, const SnGpuPoints *points, const SnScheduleOptions *options,
                                const SnGpuChip *chip) {
  int64_t rows = sn_gpu_dims_size(f, &points->rows), columns = sn_gpu_dims_size(f, &points->columns);
  if (!sn_gpu_tile_runs(f, "mma.sync", options) || rows == SN_DYNAMIC || columns == SN_DYNAMIC ||
      sn_gpu_tile_columns(f) || !sn_gpu_has_kernel(f, "wgmma"))
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

static MlirAttribute plain_schedule(const SnForm *f, const SnGpuPoints *points, const SnGpuTile *t, int64_t split,
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

// Of f32 and few multiplications, which latencies take, not the tile's rate. Larger tiles than 32 x 32 have to leave
// each multiprocessor several blocks, and be no flat ones; these have sums of their own where smaller ones fill all
// multiprocessors without sharing any. Of elements that are loaded one by one 64 of each row are under way at a time.
// (An H200, us by the tile that came first before and by this one: 1073 x 461 of 17 5.1 by 64 x 64 and 4.2 by 32 x 32,
// 1500 x 500 of 20 4.8 and 4.6, 3000 x 100 of 50 5.6 by 16 x 128 and 4.4; 300 x 200 of 200 7.6 by 32 x 32 in two parts
// and 5.8 by 16 x 16; 128 x 512 of 181 6.0 by 16 x 16 x 16 and 4.5 by 16 x 16 x 64, 551 x 129 of 181 5.1 by it, by 32 x
// 32 in two parts 7.4. Of vectors it is 1.1 to 1.5 times as long.)
static bool is_of_small(const SnForm *f, const SnGpuPoints *points, const SnGpuTile *t, const SnGpuChip *chip) {
  enum { SMALL = 32, SMALLEST = 16, BLOCKS = 2 };
  int64_t tiles = sn_gpu_num_tiles(f, points, t->m, t->n), smallest = sn_gpu_num_tiles(f, points, SMALLEST, SMALLEST);
  if (t->m > SMALL || t->n > SMALL)
    return t->m >= SMALL && t->n >= SMALL && tiles >= BLOCKS * chip->multiprocessors;
  return t->m == SMALLEST || tiles >= chip->multiprocessors || smallest < chip->multiprocessors;
}

static bool is_deep(const SnForm *f, const SnGpuPoints *points) {
  bool deep = sn_gpu_loaded_at_once(f, points) == 1;
  for (size_t p = 0; p < f->products.size; ++p)
    deep &= sn_gpu_pieces(f, p, 1, 1) >= 2 * DEEP;
  return deep;
}

static size_t choose_plain(const SnForm *f, const SnGpuPoints *points, const SnScheduleOptions *options,
                           const SnGpuChip *chip) {
  size_t n = sizeof tiles / sizeof *tiles, last = n;
  bool small = sn_gpu_is_small(f, points);
  for (size_t i = 0; i < n; ++i) {
    bool other = last < n && strcmp(tiles[i].kernel, tiles[last].kernel);
    if (other)
      break;
    if (!sn_gpu_tile_runs(f, tiles[i].kernel, options) || !may_take(f, &tiles[i]))
      continue;
    bool fma = !strcmp(tiles[i].kernel, "fma");
    if (fma && tiles[i].k == DEEP && !(small && is_deep(f, points)))
      continue;
    last = i;
    if (fits(f, points, &tiles[i], chip) && !(fma && small && !is_of_small(f, points, &tiles[i], chip)))
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
  const SnGpuTile *small = sn_in_sequence(f->op) ? NULL : choose_small(f, &points, options, chip);
  if (small)
    return plain_schedule(f, &points, small, split_of(f, &points, small, chip), chip);
  MlirAttribute staged =
      sn_in_sequence(f->op) ? mlirAttributeGetNull() : sn_gpu_staged_schedule(f, &points, options, chip);
  if (staged.ptr)
    return staged;
  size_t i = choose_plain(f, &points, options, chip);
  bool measured = !strcmp(tiles[i].kernel, "fma") && sn_gpu_chip_has(options->chip, "sm_90");
  const SnGpuTile *t = measured ? sn_gpu_measured_tile(f, &points, chip, &split) : NULL;
  if (t)
    return plain_schedule(f, &points, t, split, chip);
  return plain_schedule(f, &points, &tiles[i], split_of(f, &points, &tiles[i], chip), chip);
}

bool sn_schedule_gpu_tile(const SnForm *f, const SnScheduleOptions *options, size_t i, MlirAttribute *schedule) {
  size_t num_staged = sn_gpu_num_staged_tiles(), num_tiles = sizeof tiles / sizeof *tiles;
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
    *schedule = sn_gpu_staged_candidate(f, &points, options, chip, i);
    return true;
  }
  const SnGpuTile *t = &tiles[i - num_staged];
  if (sn_gpu_tile_runs(f, t->kernel, options) && may_take(f, t) &&
      sn_gpu_tile_bytes(f, t->kernel, t->m, t->n, t->k, t->threads) * t->occupancy <= chip->shared_bytes)
    *schedule = plain_schedule(f, &points, t, split_of(f, &points, t, chip), chip);
  return true;
}
