// guard.h: what sinter-guard is made of: guard.c, guard/indices.c and guard/divisions.c; and sinter-guard-reshapes:
// guard/reshapes.c and guard/concatenations.c.
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

#endif
