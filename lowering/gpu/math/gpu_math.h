// gpu_math.h: elementary functions of a kernel, as a GPU has them.
//
// decides: by which instructions a GPU computes functions.

#ifndef SINTER_LOWERING_GPU_MATH_H
#define SINTER_LOWERING_GPU_MATH_H

#include "capi/sn.h"

// divide.c

// Divisions of f32 of the kernel by what is no constant.
void sn_gpu_divide(MlirOperation func);

// power.c

// An exponential of an element under its row's maximum (`sinter.under_maximum`), and under that and the logarithm of
// their sum (`sinter.under_sum`); a product of one with a number of the row.
void sn_gpu_power(MlirOperation exp);
// exp(x - m) of f32 by its parts: 2^(x factor + minus), and what all of them are multiplied by.
typedef struct {
  MlirValue big, factor, minus;
  MlirValue times; // of that, behind it: null: 1
} SnGpuPower;
SnGpuPower sn_gpu_power_of(SnBuilder *b, MlirValue m);
// The same to a type of few exponents: what all of them are multiplied by is about 1, for an instruction more.
SnGpuPower sn_gpu_near_power_of(SnBuilder *b, MlirValue m);
MlirValue sn_gpu_power_at(SnBuilder *b, const SnGpuPower *p, MlirValue x);
MlirValue sn_gpu_power_rest(SnBuilder *b, const SnGpuPower *p, MlirValue m);
void sn_gpu_scale_power(MlirOperation product);

// math.c

// Divisions, exponentials of what is not positive, and products that are added.
void sn_gpu_math(MlirOperation func);
// f for each op of this name, of those that are there now.
void sn_gpu_each(MlirOperation in, const char *name, void (*f)(MlirOperation));
bool sn_gpu_constant(MlirValue v, double *x); // the same in all lanes
bool sn_gpu_not_negative(MlirValue v);        // or NaN
bool sn_gpu_at_least_one(MlirValue v);
bool sn_gpu_is_unit(MlirValue v);     // from 0 to 1, or NaN
bool sn_gpu_is_moderate(MlirValue v); // from 1 to 2^65, or NaN
// An intrinsic of one f32, of each lane.
MlirValue sn_gpu_each_lane(SnBuilder *b, const char *intrinsic, MlirValue x);

// halves.c

// A math.tanh, exp, erf or expm1 of a half type, replaced.
void sn_gpu_halves(MlirOperation op);

// signs.c

// A math.absf or copysign of a half type, replaced; a select of an element and a constant, where it is their maximum or
// minimum.
void sn_gpu_sign_of_half(MlirOperation op);
void sn_gpu_chosen(MlirOperation select);

// logarithm.c

// A math.log or math.log1p of f32, replaced.
void sn_gpu_logarithm(MlirOperation op);

#endif
