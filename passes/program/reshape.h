// reshape.h: what decides which reshapes move

#ifndef SINTER_PASSES_PROGRAM_RESHAPE_H
#define SINTER_PASSES_PROGRAM_RESHAPE_H

#include "capi/sn.h"

// All that reads the value are convolutions and poolings, in windows, perhaps padded first.
bool sn_is_image(MlirValue v);

#endif
