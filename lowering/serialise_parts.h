// serialise_parts.h: a lowered module as several, whose code is generated side by side.

#ifndef SINTER_LOWERING_SERIALISE_PARTS_H
#define SINTER_LOWERING_SERIALISE_PARTS_H

#include "capi/sn.h"

typedef struct {
  MlirOperation op, next; // what stood behind it, or null
} SnMoved;

typedef struct {
  SN_VEC(MlirModule) modules; // beside the program's own; none where it is too small to be cut
  bool last_is_plain;         // the last of them has the functions that are not optimised
  SN_VEC(MlirStringRef) shared; // symbols that are in one of them, or in the program's own, and others refer to
  SN_VEC(SnMoved) moved;        // in their order
  SnOpVec declared;             // in the program's own module
} SnParts;

// Moves kernels' functions, and those that are not optimised, into modules of their own. How they are shared out
// follows from the program alone.
SnParts sn_parts_cut(MlirOperation module);
// The module as it was.
void sn_parts_join(SnParts *parts, MlirOperation module);

#endif
