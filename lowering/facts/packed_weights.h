// packed_weights.h: weights that lie as a CPU's kernel multiplies them, before the program runs.
//
// The scheduler asks before it chooses, the lowering when it writes the kernel. No IR is made here.

#ifndef SINTER_LOWERING_FACTS_PACKED_WEIGHTS_H
#define SINTER_LOWERING_FACTS_PACKED_WEIGHTS_H

#include "lowering/facts/product_sides.h"

// A tensor [panels][steps][rows][columns]: of each panel of n columns, and of each k summed elements, what a task would
// pack. Behind the last column and the last summed element are zeros.
typedef struct {
  int64_t n, k;          // columns and summed elements of a panel
  int64_t panels, steps; // of columns; of what is summed
  int64_t rows, columns; // of a panel in memory
  int64_t group;         // neighbours along k in one row of it
  int64_t tile, groups;  // columns of a tile, and rows that each has; 0: there are no tiles
} SnPackedWeights;

// What is said of an argument of a function; null: nothing of this name.
MlirAttribute sn_weights_said(MlirOperation func, intptr_t argument, const char *name);
// Its function asks for this argument to be packed.
bool sn_cpu_weights_asked_for(MlirValue v);
// What weights that may be packed are known by: the bytes of a large constant, or such an argument. NULL: they may not.
const void *sn_cpu_weights_key(MlirValue v);

// Weights of product p can lie so, if the schedule says so: no program makes them, nothing bounds them or leads through
// an index, no row of the form uses them, and the kernel does not read them where they lie.
bool sn_cpu_can_pack(const SnForm *f, const SnCpuProduct *p);
// Why they cannot, as a clause about an argument; NULL: they can.
const char *sn_cpu_cannot_pack(const SnForm *f, const SnCpuProduct *p);
// How the weights of product p would lie under this schedule; false where they cannot.
bool sn_cpu_packed_weights(const SnForm *f, const SnCpuProduct *p, MlirAttribute schedule, SnPackedWeights *w);
// Its shape, of four dimensions, and where in it element [s, j] of the weights is, as a map of the form's dimensions.
void sn_cpu_packed_shape(const SnPackedWeights *w, int64_t *shape);
MlirAffineMap sn_cpu_packed_map(const SnForm *f, const SnCpuProduct *p, const SnPackedWeights *w);
// The weights of product p lie so.
bool sn_cpu_is_packed(const SnForm *f, const SnCpuProduct *p, MlirAttribute schedule);

#endif
