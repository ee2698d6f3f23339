// written_places.h: what is made of a tensor that must stay is made of a copy, where bufferization would not see it.

#ifndef SINTER_LOWERING_HOST_WRITTEN_PLACES_H
#define SINTER_LOWERING_HOST_WRITTEN_PLACES_H

#include "capi/pass.h"

// In all functions of a module, which have bufferization.materialize_in_destination where loops hand tensors on.
void sn_written_places(MlirOperation module);

#endif
