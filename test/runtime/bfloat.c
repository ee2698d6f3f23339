// Conversions to bf16 and f16 against a search for the nearest of all numbers of the type, ties to even.

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

static double half(uint16_t bits) {
  double m = bits & 0x3ff;
  return bits >> 10 ? ldexp(1024 + m, (bits >> 10) - 25) : ldexp(m, -24);
}
static uint16_t half_bits(_Float16 x) {
  uint16_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// Every number of f16, the middle between it and the next one, and the neighbours of both.
static void halves(void) {
  for (uint16_t b = 0; b < 0x7c00; ++b) {
    double x = half(b), next = b == 0x7bff ? 65536 : half(b + 1), middle = (x + next) / 2;
    CHECK(half_bits(__truncdfhf2(x)) == b && half_bits(__truncdfhf2(-x)) == (b | 0x8000));
    CHECK(half_bits(__truncdfhf2(nextafter(x, 1e9))) == b);
    CHECK(half_bits(__truncdfhf2(nextafter(middle, 0))) == b);
    CHECK(half_bits(__truncdfhf2(middle)) == b + (b & 1) && half_bits(__truncdfhf2(-middle)) == (b + (b & 1) | 0x8000));
    CHECK(half_bits(__truncdfhf2(nextafter(middle, 1e9))) == b + 1);
  }
  CHECK(half_bits(__truncdfhf2(1e300)) == 0x7c00 && half_bits(__truncdfhf2(-INFINITY)) == 0xfc00);
  CHECK(half_bits(__truncdfhf2(1e-300)) == 0 && half_bits(__truncdfhf2(-0.0)) == 0x8000);
  uint16_t nan = half_bits(__truncdfhf2(NAN));
  CHECK((nan & 0x7c00) == 0x7c00 && nan & 0x3ff);
}

int main(void) {
  halves();
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
