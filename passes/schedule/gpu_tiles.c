// gpu_tiles.c: a form with products on a GPU.
//
//   #sinter.mma<kernel = "fma", m = 128, n = 128, k = 8, threads = 256, blocks = 1048576, occupancy = 2>
//
// A tile of 128 by 128 reads a side of f32 once for 128 multiplications of each element, and a thread's 8 by 8 sums
// need 16 loads of shared memory for 64 of them. mma.sync comes first where all products have types of it. Where that
// leaves multiprocessors without a tile, or sums do not fit their registers or shared memory, tiles are smaller. Few
// rows, or few columns, have tiles that are as flat.
//
// new schedule key: of a GPU's products: when it is said.
//
// test: test/passes/schedule/gpu_tiles.mlir

#include "lowering/facts/gpu_products.h"
#include "passes/schedule/schedule.h"
#include "target/chips.h"
#include <stdio.h>

typedef struct {
  const char *kernel;
  int64_t m, n, k, threads, occupancy;
} Tile;

// The first that fits is taken, or the last of a kernel.
static const Tile tiles[] = {
    {"mma.sync", 128, 128, 32, 256, 2}, {"mma.sync", 128, 64, 32, 128, 3}, {"mma.sync", 64, 128, 32, 128, 3},
    {"mma.sync", 64, 64, 32, 128, 4},   {"mma.sync", 16, 128, 32, 128, 4}, {"mma.sync", 128, 16, 32, 128, 4},
    {"mma.sync", 32, 32, 32, 64, 8},    {"fma", 128, 128, 8, 256, 2},      {"fma", 128, 64, 8, 128, 3},
    {"fma", 64, 128, 8, 128, 3},        {"fma", 64, 64, 16, 256, 4},       {"fma", 16, 128, 16, 128, 4},
    {"fma", 128, 16, 16, 128, 4},       {"fma", 32, 32, 16, 64, 8},        {"fma", 16, 16, 16, 64, 8},
};

static int64_t at_least(int64_t size, int64_t otherwise) { return size == SN_DYNAMIC ? otherwise : size; }

static int64_t register_bytes(const SnForm *f) {
  int64_t bytes = 4;
  for (size_t p = 0; p < f->products.size; ++p)
    bytes = sn_bits(f->products.data[p].type) > 32 ? 8 : bytes;
  return bytes;
}

static bool fits(const SnForm *f, const SnGpuPoints *points, const Tile *t, const SnGpuChip *chip) {
  int64_t rows = at_least(sn_gpu_dims_size(f, &points->rows), 1 << 20),
          columns = at_least(sn_gpu_dims_size(f, &points->columns), 1 << 20),
          batch = at_least(sn_gpu_dims_size(f, &points->batch), 1),
          each = t->m * t->n / t->threads * register_bytes(f) / 4;
  bool wasted = (t->m > 16 && rows <= t->m / 2) || (t->n > 16 && columns <= t->n / 2);
  int64_t all = sn_times(batch, sn_times(sn_pieces(rows, t->m), sn_pieces(columns, t->n)));
  return !wasted && each <= 64 && all >= chip->multiprocessors &&
         sn_gpu_tile_bytes(f, t->kernel, t->m, t->n, t->k) * t->occupancy <= chip->shared_bytes;
}

MlirAttribute sn_schedule_gpu_products(const SnForm *f, const SnScheduleOptions *options) {
  if (sn_gpu_not_products(f))
    return mlirAttributeGetNull();
  const SnGpuChip *chip = sn_gpu_chip(options->chip);
  SnGpuPoints points = sn_gpu_points(f);
  size_t last = sizeof tiles / sizeof *tiles - 1, i = 0;
  while (i < last && !(sn_gpu_has_kernel(f, tiles[i].kernel) &&
                       (fits(f, &points, &tiles[i], chip) || strcmp(tiles[i].kernel, tiles[i + 1].kernel))))
    ++i;
  const Tile *t = &tiles[i];
  char blocks[40] = "";
  if (sn_gpu_dims_size(f, &points.rows) == SN_DYNAMIC || sn_gpu_dims_size(f, &points.columns) == SN_DYNAMIC ||
      sn_gpu_dims_size(f, &points.batch) == SN_DYNAMIC) // as many as run at once
    snprintf(blocks, sizeof blocks, "blocks = %lld, ", (long long)(chip->multiprocessors * t->occupancy));
  MlirLocation loc = mlirOperationGetLocation(f->op);
  return sn_schedule_attr(loc, "mma",
                          sn_parse_attr(mlirLocationGetContext(loc),
                                        "{kernel = \"%s\", %sm = %lld, n = %lld, k = %lld, threads = %lld, occupancy = "
                                        "%lld}",
                                        t->kernel, blocks, (long long)t->m, (long long)t->n, (long long)t->k,
                                        (long long)t->threads, (long long)t->occupancy));
}
