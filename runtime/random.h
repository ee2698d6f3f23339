// random.h: random arguments, for runs without files.

#ifndef SINTER_RUNTIME_RANDOM_H
#define SINTER_RUNTIME_RANDOM_H

#include "npy.h"

// What the elements are. `low` and `scale` apply to all kinds of floats: x * scale + low.
typedef struct SinterRandom {
  enum { SINTER_NORMAL, SINTER_UNIFORM, SINTER_SIGN } kind; // of floats: N(0, 1), [0, 1), -1 or 1
  double scale, low;
  int64_t from, high; // integers are in [from, high)
} SinterRandom;

// Reads KIND[*SCALE][+LOW] or a number: "normal", "uniform+0.1", "normal*0.05", "1003". NULL, or what is wrong.
const char *sinter_random_read(const char *text, SinterRandom *random);

// Fills the array's memory, the same for each state.
//
// splitmix64 (Steele, Lea, Flood, OOPSLA 2014), one step for an integer
// (modulo high - from, where high is at most what the type holds plus one, plus from), a bool (its
// lowest bit), a sign (the same) or a uniform float (its upper 53 bits), two for two normal
// floats: Box and Muller's r cos t and r sin t with
// r = sqrt(-2 log((a + 1) 2^-53)) and t = 2 pi b 2^-53, where a and b are the
// upper 53 bits; computed in float64, then rounded. Elements from SINTER_RANDOM_PERIOD on repeat the
// first, so that gigabytes take as long as a copy.
enum { SINTER_RANDOM_PERIOD = 1000003 };
void sinter_random_fill(const SinterArray *a, const SinterRandom *random, uint64_t state);

#endif
