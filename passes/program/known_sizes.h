// known_sizes.h: private to sinter-known-sizes.

#ifndef SINTER_PASSES_KNOWN_SIZES_H
#define SINTER_PASSES_KNOWN_SIZES_H

#include "capi/pass.h"

// broadcast_sizes.c: sizes of the function that are `?`, or one at least, where they are broadcast to themselves.
void sn_drop_broadcast_sizes(MlirOperation func);

#endif
