// random.c: random arguments. See random.h.

#include "random.h"
#include "describe.h"
#include "float8.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint64_t splitmix64(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static uint16_t bfloat16_of(float x) { // of a finite number
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void store_float(const SinterArray *a, int64_t i, double x) {
  if (a->dtype.code == kDLBfloat)
    ((uint16_t *)a->data)[i] = bfloat16_of((float)x);
  else if (a->dtype.bits == 8)
    ((uint8_t *)a->data)[i] = sinter_float8_of(a->dtype, (float)x);
  else if (a->dtype.bits == 16)
    ((_Float16 *)a->data)[i] = (_Float16)x;
  else if (a->dtype.bits == 32)
    ((float *)a->data)[i] = (float)x;
  else
    ((double *)a->data)[i] = x;
}

static double fraction(uint64_t *state) { return (double)(splitmix64(state) >> 11) * 0x1p-53; }

static void fill_floats(const SinterArray *a, int64_t count, const SinterRandom *r, uint64_t state) {
  for (int64_t i = 0; i < count; i += 2) {
    double x, y;
    if (r->kind == SINTER_NORMAL) {
      double length = sqrt(-2 * log(fraction(&state) + 0x1p-53)), turn = 2 * M_PI * fraction(&state);
      x = length * cos(turn);
      y = length * sin(turn);
    } else if (r->kind == SINTER_UNIFORM) {
      x = fraction(&state);
      y = fraction(&state);
    } else {
      x = splitmix64(&state) & 1 ? 1 : -1;
      y = splitmix64(&state) & 1 ? 1 : -1;
    }
    store_float(a, i, x * r->scale + r->low);
    if (i + 1 < count)
      store_float(a, i + 1, y * r->scale + r->low);
  }
}

static void fill_integers(const SinterArray *a, int64_t count, const SinterRandom *r, uint64_t state) {
  int bits = a->dtype.code == kDLInt ? a->dtype.bits - 1 : a->dtype.bits;
  int64_t low = r->from, high = r->high;
  if (bits < 63) { // what the type holds
    int64_t end = (int64_t)1 << bits, least = a->dtype.code == kDLInt ? -end : 0;
    high = high > end ? end : high;
    low = low < least ? least : low;
  }
  uint64_t limit = high > low ? (uint64_t)high - (uint64_t)low : 1;
  for (int64_t i = 0; i < count; i++) {
    uint64_t x = splitmix64(&state);
    x = a->dtype.code == SINTER_DL_BOOL ? x & 1 : (uint64_t)low + x % limit;
    memcpy((char *)a->data + i * (a->dtype.bits / 8), &x, a->dtype.bits / 8); // little-endian
  }
}

void sinter_random_fill(const SinterArray *a, const SinterRandom *r, uint64_t state) {
  int64_t size = sinter_type_bytes(a->dtype), count = a->bytes / size;
  int64_t first = count < SINTER_RANDOM_PERIOD ? count : SINTER_RANDOM_PERIOD;
  if (sinter_is_float(a->dtype))
    fill_floats(a, first, r, state);
  else
    fill_integers(a, first, r, state);
  char *data = a->data;
  int64_t period = first * size;
  for (int64_t done = period; done < a->bytes; done += period)
    memcpy(data + done, data, (size_t)(a->bytes - done < period ? a->bytes - done : period));
}

const char *sinter_random_read(const char *text, SinterRandom *r) {
  static const char *const kinds[] = {"normal", "uniform", "sign"};
  char *end;
  errno = 0;
  long long high = strtoll(text, &end, 10);
  if (end != text) {
    r->high = high;
    r->from = 0;
    return *end || errno || high < 1 ? "is no number from 1 on" : NULL;
  }
  size_t k = 0;
  while (k < 3 && strncmp(text, kinds[k], strlen(kinds[k])) != 0)
    k++;
  if (k == 3)
    return "is not normal, uniform, sign or a number";
  *r = (SinterRandom){.kind = (int)k, .scale = 1, .from = r->from, .high = r->high};
  text += strlen(kinds[k]);
  if (*text == '*') {
    r->scale = strtod(text + 1, &end);
    text = end;
  }
  if (*text == '+') {
    r->low = strtod(text + 1, &end);
    text = end;
  }
  return *text || !isfinite(r->scale) || !isfinite(r->low) ? "is not KIND[*SCALE][+LOW]" : NULL;
}
