// arrange.h: what the files of sinter-arrange take from each other.

#ifndef SINTER_PASSES_ARRANGE_H
#define SINTER_PASSES_ARRANGE_H

#include "passes/edit/edit.h"

// The form on tensors with summed dimensions that lie behind one another in both sides as one; itself, if none do.
MlirOperation sn_merge_sums(MlirOperation form);

#endif
