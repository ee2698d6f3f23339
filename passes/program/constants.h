// constants.h: large constants as bytes, for those who need them before a road begins.

#ifndef SINTER_PASSES_CONSTANTS_H
#define SINTER_PASSES_CONSTANTS_H

#include "capi/pass.h"

#ifdef __cplusplus
extern "C" {
#endif

// What the pass sinter-constants does, with its option: NULL or "" is no folder. Done twice is done.
MlirLogicalResult sn_keep_constants(MlirOperation root, const char *from);
// narrowed.c, a part of it: a large constant that is rounded to a shorter type is one of that type.
void sn_narrow_constants(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif
