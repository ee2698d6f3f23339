// variances.h: what the files of sinter-variances take from each other.

#ifndef SINTER_PASSES_VARIANCES_H
#define SINTER_PASSES_VARIANCES_H

#include "capi/form.h"

// w is x in f64, of a float of 32 bits at most.
bool sn_is_widened(MlirValue w, MlirValue x);
// An element in f64, 0 in place of one that is no number or infinite.
MlirValue sn_finite_or_0(SnBuilder *b, MlirValue element);
// How many elements there are: a value in f64; null: this number.
typedef struct {
  MlirValue value;
  double number;
} SnElementCount;
// Of n elements, all in f64: their sum, where `t` is that of their differences from `first`; the sum of squares of
// their differences from `mean`, where `u` is that of those from `first`.
MlirValue sn_sum_about(SnBuilder *b, MlirValue t, MlirValue first, SnElementCount n);
MlirValue sn_squares_about(SnBuilder *b, MlirValue u, MlirValue t, MlirValue mean, MlirValue first, SnElementCount n);

// all_variances.c: squares of all elements about a mean that another form makes become one form with that, and both are
// gone. Any other form stays.
void sn_variance_of_all(MlirOperation form);

#endif
