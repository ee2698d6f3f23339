// math.h: what math.c takes from math/f32.c and math/lanes.c, and kernels of a GPU from the first.
//
// decides: which polynomials functions are, and how accurate.

#ifndef SINTER_PASSES_MATH_H
#define SINTER_PASSES_MATH_H

#include "capi/sn.h"

// exp, log and log1p of f32 and of vectors of it, under `root`, as polynomials; with instructions that processors with
// AVX-512 have.
void sn_math_f32(MlirOperation root, bool avx512);
// In math/functions.c. The other functions of f32.
void sn_math_functions(MlirOperation root, bool avx512);
// math.clampf as a maximum and a minimum, of any float type (upstream's expansion takes them the other way round), and
// math.isnan and the like.
void sn_math_by_comparisons(MlirOperation root);
// math.powf by 1/2 or -1/2 as a root, of any float type.
void sn_math_roots(MlirOperation root);
// In math/integers.c. math.ipowi as products, math.fpowi as those or by math.powf, and math.sincos as a sine and a
// cosine, of any type.
void sn_math_integers(MlirOperation root);
// In math/philox.c. sinter.random as arith, of numbers and of vectors; narrow: in lanes of 32 bits, as a GPU has them,
// and not of 64.
void sn_math_random(MlirOperation root, bool narrow);
// log(1 + t) of an f32, or a vector of it, in [0, 1], and in [sqrt(1/2) - 1, sqrt(2) - 1].
MlirValue sn_math_log1p_of_unit(SnBuilder *b, MlirValue t);
MlirValue sn_math_log1p_near_0(SnBuilder *b, MlirValue f);
// In math/lanes.c. A number that was rounded only to be widened again stays as it was, where both ops allow that
// (contract): half types are computed in f32 and rounded once.
void sn_math_unrounded(MlirOperation root);
// What every lane of v is.
bool sn_math_constant(MlirValue v, double *number);
// A maximum or minimum with a constant as one comparison, one of two numbers as one instruction and a mask.
void sn_math_maxima(MlirOperation root);
// The greater one of two vectors of 16 f32 by an instruction of AVX-512.
void sn_math_greater(MlirOperation root);
// In math/sums.c. Products that loops add up are added without being rounded; logarithms that they add up are taken
// together.
void sn_math_products(MlirOperation root);
// The operation may be rounded together with what it is made of.
bool sn_math_contracts(MlirOperation op);
void sn_math_logarithms(MlirOperation root);
// f32 rounded to bf16 by LLVM's own conversion, which takes an instruction of the processor.
void sn_math_native_bf16(MlirOperation root);

#endif
