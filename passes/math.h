// math.h: what math.c takes from math_f32.c.

#ifndef SINTER_PASSES_MATH_H
#define SINTER_PASSES_MATH_H

#include "capi/sn.h"

// exp, log and log1p of f32 and of vectors of it, under `root`, as polynomials.
void sn_math_f32(MlirOperation root);

#endif
