// gpu_tiles.h: tiles of a GPU's products: what all of them are asked, and the two tables that say what a tile costs.

#ifndef SINTER_PASSES_GPU_TILES_H
#define SINTER_PASSES_GPU_TILES_H

#include "lowering/facts/gpu_slots.h"
#include "passes/schedule/schedule.h"
#include "target/chips.h"

typedef struct {
  const char *kernel;
  int64_t m, n, k, threads, occupancy;
} SnGpuTile;

enum {
  SN_GPU_MOST_PARTS = 32,
  SN_GPU_PARTS_BYTES = 64 << 20, // of the workspace, that partial sums take at most
  SN_GPU_PIECES_OF_A_PART = 6,   // at least, where threads fetch sides
};

// Tiles of so many columns have the form's rows whole, where they have to.
bool sn_gpu_tile_has_columns(const SnForm *f, int64_t n);
// All products have a line of this name, the chip what it needs, and who asks for it may have it.
bool sn_gpu_tile_runs(const SnForm *f, const char *kernel, const SnScheduleOptions *options);
// Of a tile whose sum so many blocks have a part of: until their parts have met.
double sn_gpu_meet_cycles(const SnForm *f, int64_t m, int64_t n, int64_t split);
// What more it takes where all parts together are so many bytes that the second cache does not have them.
double sn_gpu_much_met_cycles(double bytes, const SnGpuChip *chip);

// Fewer multiplications of f32 than any of these was measured on.
bool sn_gpu_is_small(const SnForm *form, const SnGpuPoints *points);
// Elements of each side that are loaded at once by fma, at most 4.
int64_t sn_gpu_loaded_at_once(const SnForm *form, const SnGpuPoints *points);
// Of f32 by ordinary arithmetic, the tile that costs least, and in how many parts; NULL: it is none of those that were
// measured.
const SnGpuTile *sn_gpu_measured_tile(const SnForm *f, const SnGpuPoints *points, const SnGpuChip *chip,
                                      int64_t *parts);

// By wgmma, the tile that costs least; null: no tile fits.
MlirAttribute sn_gpu_staged_schedule(const SnForm *f, const SnGpuPoints *points, const SnScheduleOptions *options,
                                     const SnGpuChip *chip);
// All of its tiles, for who tries each; null: this one does not fit.
size_t sn_gpu_num_staged_tiles(void);
MlirAttribute sn_gpu_staged_candidate(const SnForm *f, const SnGpuPoints *points, const SnScheduleOptions *options,
                                      const SnGpuChip *chip, size_t i);

#endif
