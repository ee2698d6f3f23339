// elements.h: arith on whole tensors as linalg, for passes that make some.

#ifndef SINTER_PASSES_PROGRAM_ELEMENTS_H
#define SINTER_PASSES_PROGRAM_ELEMENTS_H

#include "capi/pass.h"

// Of all that stands in a function or in its control flow. Fails after an error.
MlirLogicalResult sn_arith_to_linalg(MlirOperation func);

#endif
