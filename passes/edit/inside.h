// inside.h: what is read or written by numbers of run time is inside of its tensor.

#ifndef SINTER_PASSES_EDIT_INSIDE_H
#define SINTER_PASSES_EDIT_INSIDE_H

#include "capi/pass.h"

// A number, or one of a loop's turns, that is inside of so many with `more` behind it.
bool sn_is_inside(MlirValue v, int64_t more, int64_t size);
// Asserts in front of a slice of `tensor`, whose offsets, sizes and strides are operands from `next` on, that its ends
// are inside; once.
void sn_guard_slice(MlirOperation op, MlirValue tensor, intptr_t next);

#endif
