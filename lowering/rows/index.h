// index.h: arithmetic of indices, as lowerings write it: plus(b, times(b, row, 4), column).
//
// Indices are not negative and do not wrap; what is known to change nothing makes no operation.
//
// test: whatever a lowering makes (test/lowering)

#ifndef SINTER_LOWERING_INDEX_H
#define SINTER_LOWERING_INDEX_H

#include "capi/sn.h"

static inline MlirValue plus(SnBuilder *b, MlirValue x, MlirValue y) { return sn(b, "arith.addi", x, y); }

static inline MlirValue plus_n(SnBuilder *b, MlirValue x, int64_t n) { return n ? plus(b, x, sn_index(b, n)) : x; }

static inline MlirValue times(SnBuilder *b, MlirValue x, int64_t n) {
  return n == 1 ? x : sn(b, "arith.muli", x, sn_index(b, n));
}

// x / n, rounded down; n > 0.
static inline MlirValue over(SnBuilder *b, MlirValue x, int64_t n) {
  return n == 1 ? x : sn(b, "arith.divui", x, sn_index(b, n));
}

// The remainder of x / n; n > 0.
static inline MlirValue modulo(SnBuilder *b, MlirValue x, int64_t n) {
  return n == 1 ? sn_index(b, 0) : sn(b, "arith.remui", x, sn_index(b, n));
}

#endif
