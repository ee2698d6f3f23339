// math.h: what math.c takes from math_f32.c and math_lanes.c.

#ifndef SINTER_PASSES_MATH_H
#define SINTER_PASSES_MATH_H

#include "capi/sn.h"

// exp, log and log1p of f32 and of vectors of it, under `root`, as polynomials; with instructions that processors with AVX-512 have.
void sn_math_f32(MlirOperation root, bool avx512);
// In math_lanes.c. A maximum or minimum with a constant as one comparison.
void sn_math_maxima(MlirOperation root);
// f32 rounded to bf16 by LLVM's own conversion, which takes an instruction of the processor.
void sn_math_native_bf16(MlirOperation root);

#endif
