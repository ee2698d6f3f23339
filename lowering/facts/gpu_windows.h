// gpu_windows.h: convolutions whose windows a GPU's threads read where they lie.
//
//   product (c, r, s) (%w[o, c, r, s], %x[n, c, y + r - 1, x + s - 1] else 0.0)
//   ->   a warp has a patch of y and x, a thread some of its rows; c is a loop, r and s are written out
//
// What is read for one tap of a thread's row is another tap's of the next one, and stays in a register. No IR is made
// here.

#ifndef SINTER_LOWERING_FACTS_GPU_WINDOWS_H
#define SINTER_LOWERING_FACTS_GPU_WINDOWS_H

#include "lowering/facts/gpu_products.h"

enum {
  SN_GPU_WINDOW_FILTERS = 16,       // of a warp at most; more are other warps'
  SN_GPU_WINDOW_MOST_FILTERS = 64,  // of a tile
  SN_GPU_WINDOW_POINTS = 4,         // of a thread at most
  SN_GPU_WINDOW_REGISTERS = 112,    // of a thread, for sums and what is read; of 128
  SN_GPU_WINDOW_WRITTEN_OUT = 2304, // multiplications of a thread, of all taps that no loop goes over
};

typedef struct {
  size_t input;      // of the form: what windows are of
  int64_t taps;      // summed elements that are written out, the last dimensions of the sum
  int64_t loop;      // and all others' points
  int64_t first_tap; // dimension of the form: the first one that is written out
  int64_t x, y;      // dimensions of a patch, the last two of the columns; y: -1: there is one
  bool down;         // a thread's points are below each other, and share what they read; else beside each other
} SnGpuWindow;

// NULL: the form's product can be made so, `to` is how where a thread has so many sums; else why not.
const char *sn_gpu_not_window(const SnForm *form, int64_t sums, SnGpuWindow *to);
// Filters of a warp of a tile of m rows; and bytes of shared memory that k points of the loop have of them.
int64_t sn_gpu_window_filters(int64_t m);
int64_t sn_gpu_window_line(int64_t m); // elements of a tap in shared memory
// Lanes of a warp that lie beside each other, where a tile is a patch of n points.
int64_t sn_gpu_window_lanes(const SnGpuWindow *window, int64_t n, int64_t patch);
int64_t sn_gpu_window_bytes(const SnGpuWindow *window, int64_t m, int64_t k);
// Elements that a thread loads for all taps: of points below each other only the first one's lines are all new.
int64_t sn_gpu_window_loads(const SnForm *form, const SnGpuWindow *window, int64_t points);
// Factors of the dimensions in subscript `i` of an access, and its constant: all subscripts are linear.
int64_t sn_gpu_subscript(const SnForm *form, const SnAccess *access, intptr_t i, int64_t *factors);

#endif
