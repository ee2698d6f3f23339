// float8.h: numbers of 8 bits (DLPack's float8_e4m3fn, float8_e5m2) to and from float, for the tools.
//
// e4m3fn: 4 bits of exponent, 3 of fraction, largest 448, no infinities, of seven ones a NaN. e5m2: the upper half of a
// float16. (Micikevicius et al., FP8 Formats for Deep Learning, 2022.)

#ifndef SINTER_RUNTIME_FLOAT8_H
#define SINTER_RUNTIME_FLOAT8_H

#include "abi.h"

#include <math.h>

static inline float sinter_float8_value(DLDataType type, uint8_t bits) {
  int digits = type.code == SINTER_DL_FLOAT8_E5M2 ? 2 : 3, bias = digits == 2 ? 15 : 7;
  int size = bits & 0x7f, exponent = size >> digits, fraction = size & ((1 << digits) - 1);
  float x = ldexpf((float)(exponent ? fraction + (1 << digits) : fraction), (exponent ? exponent : 1) - bias - digits);
  if (digits == 3 ? size == 0x7f : exponent == 31)
    x = digits == 2 && !fraction ? INFINITY : NAN;
  return bits & 0x80 ? -x : x;
}

// To nearest even; beyond the largest number infinity, or that number where the type has none, as PyTorch's .to().
static inline uint8_t sinter_float8_of(DLDataType type, float x) {
  int digits = type.code == SINTER_DL_FLOAT8_E5M2 ? 2 : 3, bias = digits == 2 ? 15 : 7, exponent = 1;
  uint8_t sign = signbit(x) ? 0x80 : 0, beyond = digits == 2 ? 0x7c : 0x7e;
  x = fabsf(x);
  if (isnan(x))
    return sign | 0x7f;
  if (x > 65536)
    return sign | beyond;
  frexpf(x, &exponent);
  exponent = x == 0 || exponent < 2 - bias ? 2 - bias : exponent; // x is below 2^exponent
  int size = (int)rintf(ldexpf(x, digits + 1 - exponent)) + ((exponent + bias - 2) << digits);
  return sign | (uint8_t)(size < beyond ? size : beyond);
}

#endif
