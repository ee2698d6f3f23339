// slice_views.h: what a tensor.extract_slice or tensor.insert_slice takes, for raise/views.c.
//
// decides: which part of a tensor a slice is.

#ifndef SINTER_PASSES_RAISE_SLICE_VIEWS_H
#define SINTER_PASSES_RAISE_SLICE_VIEWS_H

#include "passes/raise/raise.h"

// ---- raise/slice_views.c ------------------------------------------------------------------------
// `of`: the tensor that the slice is a part of; d: a dimension of it.

// A number of "static_offsets", "static_sizes" or "static_strides", SN_DYNAMIC where it is an operand; all are numbers.
int64_t sn_slice_number(MlirOperation op, const char *name, intptr_t d);
bool sn_slice_is_static(MlirOperation op, const char *name);
// Which dimension of a slice each of its source's is; -1 where a size of 1 is dropped. False if it has other sizes.
bool sn_slice_dims(MlirOperation op, MlirType small, MlirType big, intptr_t *dims);
// Where the slice begins; SN_DYNAMIC if that is not known.
int64_t sn_slice_begins(MlirOperation op, MlirValue of, intptr_t d);
// Whether it takes all of the dimension, and whether it is known to end inside of it.
bool sn_slice_takes_all(MlirOperation op, MlirValue of, intptr_t d);
bool sn_slice_ends_inside(MlirOperation op, MlirValue of, intptr_t d);
// The view of a slice becomes one of its tensor; false if the view is none of a slice, or sizes are not known.
bool sn_view_slice(SnView *v);

// ---- raise/views.c ------------------------------------------------------------------------

// The view is one of `source` at these subscripts.
void sn_view_go_to(SnView *v, MlirValue source, intptr_t rank, MlirAffineExpr *at);
MlirAttribute sn_view_zero(MlirType element);

#endif
