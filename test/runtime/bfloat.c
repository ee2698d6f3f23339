// Conversions to bf16 against a search for the nearest of all bf16 numbers, ties to even.

#include "check.h"
#include "runtime/runtime.h"
#include <math.h>
#include <string.h>

static double value(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float f;
  memcpy(&f, &wide, sizeof f);
  return f;
}
static uint16_t bits_of(__bf16 x) {
  uint16_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// The positive bf16 nearest to x >= 0, by bisection over all of them.
static uint16_t nearest(double x) {
  uint16_t lo = 0, hi = 0x7f80;
  while (hi - lo > 1) {
    uint16_t mid = (uint16_t)((lo + hi) / 2);
    if (value(mid) <= x)
      lo = mid;
    else
      hi = mid;
  }
  // Beyond the largest number, infinity stands where the next number would.
  double up = hi == 0x7f80 ? ldexp(1, 128) : value(hi), down = value(lo);
  return x - down < up - x || (x - down == up - x && !(lo & 1)) ? lo : hi;
}

int main(void) {
  uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint64_t pattern = state ^ state >> 29;
    // Exponents around those of bf16, and low bits that make ties and near ties.
    int exponent = (int)(pattern % 300) - 160;
    double m = 1 + ldexp((double)(pattern >> 20 & 0xff), -8) + ldexp((double)(pattern >> 40 & 3) - 1.5, i % 50 - 60);
    double x = ldexp(i % 3 ? m : 1 + ldexp((double)(pattern >> 20 & 0xff), -8), exponent);
    CHECK(bits_of(__truncdfbf2(x)) == nearest(x));
    CHECK(bits_of(__truncdfbf2(-x)) == (nearest(x) | 0x8000));
    float f = (float)x;
    CHECK(bits_of(__truncsfbf2(f)) == nearest(f));
  }
  CHECK(bits_of(__truncdfbf2(0.0)) == 0 && bits_of(__truncdfbf2(-0.0)) == 0x8000);
  CHECK(bits_of(__truncdfbf2(INFINITY)) == 0x7f80 && bits_of(__truncsfbf2(-INFINITY)) == 0xff80);
  CHECK(isnan(value(bits_of(__truncdfbf2(NAN)))) && isnan(value(bits_of(__truncsfbf2(NAN)))));
  CHECK(bits_of(__truncdfbf2(1e300)) == 0x7f80);
  return failures != 0;
}
