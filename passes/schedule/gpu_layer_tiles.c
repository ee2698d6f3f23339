// gpu_layer_tiles.c: a form on a GPU whose rows go through several products whole.
//
//   #sinter.mma<kernel = "fma", m = 8, n = 32, k = 32, threads = 128, cluster = 8>
//
// A block reads all products' weights once for its rows, so it has as many of these as leave every multiprocessor a
// block. Where even the fewest leave some without one, blocks of a cluster share rows: each makes some columns.
//
// new schedule key: of rows that a GPU takes through several products: when it is said.
//
// test: test/passes/schedule/gpu_layers.mlir

#include "lowering/facts/gpu_chains.h"
#include "lowering/facts/gpu_layers.h"
#include "passes/schedule/schedule.h"
#include "target/chips.h"
#include <stdio.h>

typedef struct {
  const char *kernel;
  int64_t m, n, k, threads;
} Tile;

// The first that leaves no multiprocessor without rows is taken, or the last of a kernel.
static const Tile tiles[] = {
    {"mma.sync", 64, 64, 64, 128}, {"mma.sync", 32, 64, 64, 128}, {"mma.sync", 16, 64, 128, 128},
    {"fma", 64, 64, 16, 256},      {"fma", 32, 64, 32, 128},      {"fma", 16, 64, 32, 128},
    {"fma", 8, 32, 32, 128},
};
enum { MOST_BLOCKS = 8, REGISTERS_OF_A_THREAD = 128 };

static bool fits(const SnForm *f, const Tile *t, const SnGpuChip *chip) {
  return sn_gpu_layers_have(f, t->kernel) && sn_gpu_layer_bytes(f, t->kernel, t->m, t->n, t->k) <= chip->shared_bytes;
}

static const Tile *choose(const SnForm *f, const char *kernel, const SnGpuChip *chip) {
  const Tile *last = NULL;
  int64_t rows = sn_gpu_layer_rows(f);
  for (size_t i = 0; i < sizeof tiles / sizeof *tiles; ++i) {
    const Tile *t = &tiles[i];
    if (strcmp(t->kernel, kernel) || !fits(f, t, chip))
      continue;
    last = t;
    if (rows == SN_DYNAMIC || sn_pieces(rows, t->m) >= chip->multiprocessors)
      return t;
  }
  return last;
}

// So many blocks share rows: each has a tile of the widest group of columns at least.
static int64_t cluster_of(const SnForm *f, const Tile *t, const SnGpuChip *chip, const char *name) {
  int64_t rows = sn_gpu_layer_rows(f), blocks = rows == SN_DYNAMIC ? chip->multiprocessors : sn_pieces(rows, t->m),
          most = sn_pieces(sn_gpu_layer_widest(f), t->n), cluster = 1;
  if (!sn_gpu_chip_has(name, "sm_90") || !sn_gpu_layers_exchange(f, t->n))
    return 1;
  while (cluster < MOST_BLOCKS && cluster < most && 2 * cluster * blocks <= chip->multiprocessors)
    cluster *= 2;
  return cluster;
}

static int64_t smaller(int64_t x, int64_t y) { return x < y ? x : y; }

static MlirAttribute schedule_of(const SnForm *f, const Tile *t, const SnGpuChip *chip, const char *name) {
  int64_t cluster = cluster_of(f, t, chip, name),
          occupancy = smaller(chip->shared_bytes / sn_gpu_layer_bytes(f, t->kernel, t->m, t->n, t->k),
                              (1 << 16) / (t->threads * REGISTERS_OF_A_THREAD));
  char blocks[48] = "", shared[32] = "";
  if (sn_gpu_layer_rows(f) == SN_DYNAMIC)
    snprintf(blocks, sizeof blocks, "blocks = %lld, ",
             (long long)(chip->multiprocessors * occupancy / cluster * cluster));
  if (cluster > 1)
    snprintf(shared, sizeof shared, ", cluster = %lld", (long long)cluster);
  MlirLocation loc = mlirOperationGetLocation(f->op);
  return sn_schedule_attr(loc, "mma",
                          sn_parse_attr(mlirLocationGetContext(loc),
                                        "{kernel = \"%s\", %sm = %lld, n = %lld, k = %lld, threads = %lld, occupancy = "
                                        "%lld%s}",
                                        t->kernel, blocks, (long long)t->m, (long long)t->n, (long long)t->k,
                                        (long long)t->threads, (long long)occupancy, shared));
}

MlirAttribute sn_schedule_gpu_layers(const SnForm *f, const SnScheduleOptions *options) {
  const SnGpuChip *chip = sn_gpu_chip(options->chip);
  if (sn_gpu_not_layers(f))
    return mlirAttributeGetNull();
  const Tile *t = choose(f, "mma.sync", chip);
  t = t ? t : choose(f, "fma", chip);
  return t ? schedule_of(f, t, chip, options->chip) : mlirAttributeGetNull();
}

bool sn_schedule_gpu_layer_tile(const SnForm *f, const SnScheduleOptions *options, size_t i, MlirAttribute *schedule) {
  const SnGpuChip *chip = sn_gpu_chip(options->chip);
  *schedule = mlirAttributeGetNull();
  if (!sn_gpu_not_chain(f) || sn_gpu_not_layers(f) || i >= sizeof tiles / sizeof *tiles)
    return false;
  if (fits(f, &tiles[i], chip))
    *schedule = schedule_of(f, &tiles[i], chip, options->chip);
  return true;
}
