// gpu_taps.h: convolutions of few filters whose image is multiplied by all taps of them where it lies.
//
//   product (r, s, c) (%x[n, y + r - 1, x + s - 1, c] else 0.0, %w[o, r, s, c])
//   ->   %t[o, r, s, n, h, w] = product (c) (%w[o, r, s, c], %x[n, h, w, c])
//        sum (r, s) of %t[o, r, s, n, y + r - 1, x + s - 1] else 0.0
//
// The image is read once, not once for each tap; what is written for that is a number of f32 for each pixel, tap and
// filter. No IR is made here.

#ifndef SINTER_LOWERING_FACTS_GPU_TAPS_H
#define SINTER_LOWERING_FACTS_GPU_TAPS_H

#include "lowering/facts/gpu_products.h"

typedef struct {
  size_t image, weights;          // inputs of the form
  intptr_t channel[SN_MAX_DIMS];  // of each subscript of the image: the summed dimension that it is alone; -1: pixels
  bool is_channel[SN_MAX_DIMS];   // of the form's dimensions
} SnGpuTaps;

// NULL: a GPU takes less memory for the form so, and `to` says how; else why not.
const char *sn_gpu_not_taps(const SnForm *form, SnGpuTaps *to);

#endif
