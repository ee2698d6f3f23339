// guard.h: what sinter-guard is made of: guard.c, guard/indices.c and guard/divisions.c; and sinter-guard-reshapes.
//
// decides: which subscripts and divisors are checked at run time.

#ifndef SINTER_PASSES_GUARD_H
#define SINTER_PASSES_GUARD_H

#include "passes/raise/raise.h"

// Subscripts of tensor.extract and tensor.insert, offsets and sizes of slices, outside of the bodies of linalg.
void sn_guard_indices(MlirOperation func);
// Divisors of integers.
MlirLogicalResult sn_guard_divisors(MlirOperation func);

#endif
