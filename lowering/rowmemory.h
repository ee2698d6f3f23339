// rowmemory.h: what rowprogram.c takes from rowmemory.c beside rowprogram.h.

#ifndef SINTER_LOWERING_ROWMEMORY_H
#define SINTER_LOWERING_ROWMEMORY_H

#include "lowering/rowprogram.h"

// T, or vector<width x T>.
MlirType sn_lanes_of(MlirType element, int64_t width);
// The scalar on every lane; a vector as it is.
MlirValue sn_lanes_broadcast(SnBuilder *b, MlirValue v, int64_t width);
MlirValue sn_lane(SnBuilder *b, MlirValue vector, int64_t l);
// All dimensions of the form: rows, and columns at lane `lane` of `c` (null: none).
void sn_row_dims(SnBuilder *b, SnRowProgram *p, SnColumn *c, int64_t lane, MlirValue *dims);
// The lanes of an access, or of a row in scratch memory.
MlirValue sn_row_load_lanes(SnBuilder *b, SnRowProgram *p, SnColumn *c, const SnAccess *a);
MlirValue sn_row_load_scratch(SnBuilder *b, SnColumn *c, const SnRowSource *s);
// rowlanes.c: of a program whose lanes are rows: an access at the columns of `c`, or at none (null), and its store.
MlirValue sn_row_load_rows(SnBuilder *b, SnRowProgram *p, SnColumn *c, const SnAccess *a);
void sn_row_store_rows(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirValue element, const SnAccess *a);
// Neighbours in dimension d at `dims` from an access with a fill value: one load of the lanes that are inside.
MlirValue sn_row_load_masked(SnBuilder *b, const SnForm *f, const SnAccess *a, const MlirValue *dims, int64_t width);
// memref[at...], or `otherwise` where a subscript is outside; nothing outside is read. Changes `at`.
MlirValue sn_row_load_guarded(SnBuilder *b, MlirValue memref, intptr_t n, MlirValue *at, MlirValue otherwise);
// i < n, and i >= 0. An integer, or a vector of integers, as index.
MlirValue sn_row_below(SnBuilder *b, MlirValue i, MlirValue n);
MlirValue sn_row_as_index(SnBuilder *b, MlirValue t);
// Neighbours in dimension d are neighbours in memory, whatever the sizes.
bool sn_unit_stride(MlirAffineMap map, intptr_t d);
// A memref as one dimension, so that lanes may run over the ends of inner ones; `offset` is where [at...] is in it.
MlirValue sn_row_flat(SnBuilder *b, MlirValue memref, const MlirValue *at, MlirValue *offset);

// rowgather.c: what a sinter.gather gives at the columns of `c`; at none (null) for a scalar.
MlirValue sn_row_gather(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op);
// The dimension that a sinter.index is of.
intptr_t sn_row_named_dim(const SnForm *f, MlirOperation index);

#endif
