// driver_compare.c: whether two arrays agree.

#include "describe.h"
#include "driver_parts.h"
#include "float8.h"

#include <math.h>
#include <string.h>

static double load_float(const SinterArray *a, int64_t i) {
  if (a->dtype.code == kDLBfloat) {
    uint32_t bits = (uint32_t)((const uint16_t *)a->data)[i] << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
  }
  if (a->dtype.bits == 8)
    return sinter_float8_value(a->dtype, ((const uint8_t *)a->data)[i]);
  if (a->dtype.bits == 16)
    return (double)((const _Float16 *)a->data)[i];
  return a->dtype.bits == 32 ? (double)((const float *)a->data)[i] : ((const double *)a->data)[i];
}

static int64_t load_integer(const SinterArray *a, int64_t i) {
  int bits = a->dtype.bits;
  uint64_t x = 0;
  memcpy(&x, (const char *)a->data + i * (bits / 8), (size_t)bits / 8); // little-endian
  if (a->dtype.code == kDLInt && bits < 64 && x >> (bits - 1))
    x |= ~(uint64_t)0 << bits;
  return (int64_t)x;
}

static double default_tolerance(DLDataType type) {
  return type.bits == 64 ? 1e-9 : type.bits == 32 ? 1e-4 : type.bits == 16 ? 2e-2 : 1e-1;
}

// One type and shape, and equal integers; *done where nothing is left to compare.
static bool compare_exactly(const SinterArray *got, const SinterArray *want, double *error,
                            bool *done, SinterMessage *message) {
  *error = INFINITY;
  *done = true;
  bool types =
      sinter_same_type(got->dtype, want->dtype) || (sinter_is_float(got->dtype) && sinter_is_float(want->dtype));
  bool same = types && got->ndim == want->ndim &&
              memcmp(got->shape, want->shape, (size_t)got->ndim * sizeof *got->shape) == 0;
  if (!same) {
    sinter_driver_fail(message, SINTER_EXIT_DIFFERENT, "is %s %s, expected %s %s",
                       sinter_describe_type(got->dtype).text,
                       sinter_describe_shape(got->ndim, got->shape).text,
                       sinter_describe_type(want->dtype).text,
                       sinter_describe_shape(want->ndim, want->shape).text);
    return false;
  }
  int64_t count = got->bytes / sinter_type_bytes(got->dtype);
  *done = !sinter_is_float(got->dtype);
  for (int64_t i = 0; *done && i < count; i++)
    if (load_integer(got, i) != load_integer(want, i)) {
      sinter_driver_fail(message, SINTER_EXIT_DIFFERENT,
                         "differs: element %lld is %lld, expected %lld", (long long)i,
                         (long long)load_integer(got, i), (long long)load_integer(want, i));
      return false;
    }
  *error = 0;
  return true;
}

// Whether x and y are numbers to subtract; NaN and infinities have to be the same.
static bool finite_or_same(double x, double y, int64_t i, bool *finite, SinterMessage *message) {
  *finite = isfinite(x) && isfinite(y);
  if (*finite || (isnan(x) && isnan(y)) || x == y)
    return true;
  sinter_driver_fail(message, SINTER_EXIT_DIFFERENT, "differs: element %lld is %g, expected %g",
                     (long long)i, x, y);
  return false;
}

bool sinter_array_compare(const SinterArray *got, const SinterArray *want, double tolerance,
                          double *error, SinterMessage *message) {
  bool done, finite;
  if (!compare_exactly(got, want, error, &done, message))
    return false;
  if (done)
    return true;
  *error = INFINITY;
  int64_t count = got->bytes / sinter_type_bytes(got->dtype);
  // Wider than float64, so that no square overflows.
  long double difference = 0, norm = 0;
  for (int64_t i = 0; i < count; i++) {
    double x = load_float(got, i), y = load_float(want, i);
    if (!finite_or_same(x, y, i, &finite, message))
      return false;
    if (finite) {
      difference += ((long double)x - y) * ((long double)x - y);
      norm += (long double)y * y;
    }
  }
  tolerance = tolerance > 0 ? tolerance : default_tolerance(got->dtype);
  *error = difference == 0 ? 0 : norm == 0 ? INFINITY : (double)sqrtl(difference / norm);
  if (*error <= tolerance)
    return true;
  sinter_driver_fail(message, SINTER_EXIT_DIFFERENT,
                     "differs: relative error %.2e, expected at most %.0e", *error, tolerance);
  return false;
}

bool sinter_array_close(const SinterArray *got, const SinterArray *want, double relative,
                        double absolute, double *error, SinterMessage *message) {
  bool done, finite;
  if (!compare_exactly(got, want, error, &done, message))
    return false;
  int64_t count = got->bytes / sinter_type_bytes(got->dtype), worst = 0;
  for (int64_t i = 0; !done && i < count; i++) {
    double x = load_float(got, i), y = load_float(want, i);
    if (!finite_or_same(x, y, i, &finite, message)) {
      *error = INFINITY;
      return false;
    }
    double part = !finite || x == y ? 0 : fabs(x - y) / (relative * fabs(y) + absolute);
    if (part > *error) {
      *error = part;
      worst = i;
    }
  }
  if (*error <= 1)
    return true;
  sinter_driver_fail(message, SINTER_EXIT_DIFFERENT,
                     "differs: element %lld is %.9g, expected %.9g within %.1e: %.2g times that",
                     (long long)worst, load_float(got, worst), load_float(want, worst),
                     relative * fabs(load_float(want, worst)) + absolute, *error);
  return false;
}
