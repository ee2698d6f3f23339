// describe.h: types and shapes in messages, for the files of runtime/.

#ifndef SINTER_RUNTIME_DESCRIBE_H
#define SINTER_RUNTIME_DESCRIBE_H

#include "abi.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

// A piece of a message, to be returned by value and printed at once.
typedef struct SinterWord {
  char text[160];
} SinterWord;

// "float32", "bool".
SinterWord sinter_describe_type(DLDataType type);

// "37x131", "?x8" for dynamic sizes, "scalar" for no dimension.
SinterWord sinter_describe_shape(int32_t ndim, const int64_t *shape);

// The type of t with bool spelled as one: SINTER_DL_BOOL.
DLDataType sinter_tensor_type(const SinterTensor *t);

static inline bool sinter_is_float8(DLDataType type) {
  return type.code == SINTER_DL_FLOAT8_E4M3FN || type.code == SINTER_DL_FLOAT8_E5M2;
}

static inline bool sinter_is_float(DLDataType type) {
  return type.code == kDLFloat || type.code == kDLBfloat || sinter_is_float8(type);
}

// Bytes of one element.
static inline int64_t sinter_type_bytes(DLDataType type) {
  return ((int64_t)type.bits * type.lanes + 7) / 8;
}

static inline bool sinter_same_type(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

#pragma GCC visibility pop

#endif
