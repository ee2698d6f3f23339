// known_sizes.h: private to sinter-known-sizes.

#ifndef SINTER_PASSES_KNOWN_SIZES_H
#define SINTER_PASSES_KNOWN_SIZES_H

#include "passes/edit/size_terms.h"

// broadcast_sizes.c: sizes of the function that are `?`, or one at least, where they are broadcast to themselves.
void sn_drop_broadcast_sizes(MlirOperation func);

// asserted_sizes.c: what the function asserts of its arguments' sizes is asserted at its head, by the operations that
// are put into `made`, and from then on the reader knows of it.
void sn_take_asserted_sizes(MlirOperation func, SnSizeReader *reader, SnTable *made);

// equal_parts.c: equal parts of a size `?` that a tensor.concat puts side by side, or of which a tensor.extract_slice
// takes one, are a dimension of their own. The op stays, and nobody reads it.
void sn_unfold_equal_parts(SnSizeReader *reader, MlirOperation op);

#endif
