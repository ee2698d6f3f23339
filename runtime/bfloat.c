// bfloat.c: conversions to bf16 and f16 that LLVM calls by these names where the CPU has no
// instruction for them. Compilers older than 13 (gcc) or 16 (LLVM) ship none.

#include "runtime.h"
#include <stdbool.h>
#include <string.h>

// The bits of x rounded to nearest even; a NaN stays one, quiet.
static uint16_t round_to_bf16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

static __bf16 from_bits(uint16_t bits) {
  __bf16 y;
  memcpy(&y, &bits, sizeof y);
  return y;
}

__bf16 __truncsfbf2(float x) { return from_bits(round_to_bf16(x)); }

// Through f32, rounded to odd there, so that the second rounding sees what the first dropped.
__bf16 __truncdfbf2(double x) {
  float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  if ((double)f != x && x == x && (bits & 0x7f800000u) != 0x7f800000u && !(bits & 1)) {
    // f was rounded to an even number: the odd neighbour on x's side is the one to keep.
    bool up = x > (double)f;
    bool negative = bits >> 31;
    bits += up != negative ? 1u : -1u;
    if (f == 0) // from zero, the neighbour is the smallest number of x's sign
      bits = (x < 0 ? 0x80000000u : 0) | 1;
    memcpy(&f, &bits, sizeof f);
  }
  return from_bits(round_to_bf16(f));
}

// F16C has an instruction for f32 alone.
_Float16 __truncdfhf2(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  uint16_t sign = (uint16_t)(bits >> 48 & 0x8000u), to;
  bits &= 0x7fffffffffffffffu;
  if (bits > 0x7ff0000000000000u) // a NaN stays one, quiet
    to = (uint16_t)(0x7e00u | (bits >> 42 & 0x3ffu));
  else if (bits >= 0x40effe0000000000u) // 65520, half way to what would be the next number
    to = 0x7c00u;
  else if (bits >= 0x3f10000000000000u) // 2^-14, the least normal number
    to = (uint16_t)(((bits + 0x1ffffffffffu + (bits >> 42 & 1)) >> 42) - (1008u << 10));
  else { // multiples of 2^-24: 2^28 more, and a double's last bit is one of those
    double y;
    memcpy(&y, &bits, sizeof y);
    y += 0x1p28;
    memcpy(&bits, &y, sizeof bits);
    to = (uint16_t)(bits & 0x7ffu);
  }
  to |= sign;
  _Float16 h;
  memcpy(&h, &to, sizeof h);
  return h;
}
