// guard.h: what sinter-guard is made of: guard.c, guard/indices.c and guard/divisions.c; and sinter-guard-reshapes:
// guard/reshapes.c, guard/concatenations.c and guard/paddings.c.
//
// decides: which subscripts and divisors are checked at run time.

#ifndef SINTER_PASSES_GUARD_H
#define SINTER_PASSES_GUARD_H

#include "passes/edit/size_terms.h"
#include "passes/raise/raise.h"

// Subscripts of tensor.extract and tensor.insert, offsets and sizes of slices, outside of the bodies of linalg.
void sn_guard_indices(MlirOperation func);
// Divisors of integers.
MlirLogicalResult sn_guard_divisors(MlirOperation func);
// Sizes of the parts of a tensor.concat.
void sn_guard_concatenation(SnSizeReader *r, MlirOperation concat);
// Sizes of what a tensor.pad gives, and of what a linalg.pack is put into.
void sn_guard_padding(SnSizeReader *r, MlirOperation pad);
void sn_guard_pack(SnSizeReader *r, MlirOperation pack);
// Adds to the condition `all` (null: none yet) that both are one, unless that is known.
void sn_guard_equal(SnSizeReader *r, SnBuilder *b, MlirValue *all, const SnSize *x, const SnSize *y);

#endif
