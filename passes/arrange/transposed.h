// transposed.h: products by images with zeros between their elements, as place_phases.c reads them.

#ifndef SINTER_PASSES_ARRANGE_TRANSPOSED_H
#define SINTER_PASSES_ARRANGE_TRANSPOSED_H

#include "passes/arrange/arrange.h"

// One dimension of an image, of which elements are `step` apart. Place `step * q + p` of the result and tap
// `step * t + turn * p + first` meet element `q + factor * t + shift * p + offset`.
typedef struct {
  intptr_t place, tap; // dimensions of the form
  int64_t step, factor, turn, first, taps, shift, offset;
} SnPhases;

// A product by an image with zeros.
typedef struct {
  size_t image, weights; // inputs of the form
  SnSpaced spaced;
  SnPhases phases[SN_MAX_DIMS]; // of dimensions of the image whose elements are apart
} SnZerosProduct;

typedef struct {
  SnForm f;
  SnZerosProduct *windows; // one for each product
  bool more;               // phases have more places than there are
  // Of dimensions of the form:
  int64_t step[SN_MAX_DIMS];        // of a place, how many phases it has; else 0
  bool apart[SN_MAX_DIMS];          // of a place, its phases read an image each at a place of its own
  const SnPhases *tap[SN_MAX_DIMS]; // of a tap; else null
} SnTransposed;

static inline const SnAccess *sn_image_of(const SnTransposed *c, const SnZerosProduct *w) {
  return &c->f.inputs.data[w->image];
}
static inline const SnAccess *sn_weights_of(const SnTransposed *c, const SnZerosProduct *w) {
  return &c->f.inputs.data[w->weights];
}

// Fills all but `f`, which is read, and `windows`, which has an entry for each product; false where f is no such form,
// or phases multiply as often.
bool sn_read_transposed(SnTransposed *c);

#endif
