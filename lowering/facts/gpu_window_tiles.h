// gpu_window_tiles.h: the tile by which a convolution costs least where threads read its windows where they lie.

#ifndef SINTER_LOWERING_FACTS_GPU_WINDOW_TILES_H
#define SINTER_LOWERING_FACTS_GPU_WINDOW_TILES_H

#include "lowering/facts/gpu_windows.h"
#include "target/chips.h"

typedef struct {
  int64_t m, n, k, threads, patch, split, occupancy; // as a #sinter.mma has them
  double cycles;                                     // that it takes, of a multiprocessor
} SnGpuWindowTile;

// Whether a form is faster so than as a product of written sides, and how. `exact`: no tensor core may have that.
bool sn_gpu_window_tile(const SnForm *form, const SnGpuChip *chip, bool exact, SnGpuWindowTile *to);

#endif
