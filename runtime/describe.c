// describe.c: types and shapes in messages.

#include "describe.h"

#include <stdio.h>

SinterWord sinter_describe_type(DLDataType type) {
  static const char *const names[] = {"int",    "uint",    "float", "handle",
                                      "bfloat", "complex", "bool"};
  const char *name = type.code < sizeof names / sizeof names[0] ? names[type.code] : "type";
  SinterWord word;
  if (type.code == SINTER_DL_BOOL)
    snprintf(word.text, sizeof word.text, "bool");
  else if (sinter_is_float8(type))
    snprintf(word.text, sizeof word.text, "float8_%s", type.code == SINTER_DL_FLOAT8_E5M2 ? "e5m2" : "e4m3fn");
  else if (type.lanes == 1)
    snprintf(word.text, sizeof word.text, "%s%d", name, type.bits);
  else
    snprintf(word.text, sizeof word.text, "%s%dx%d", name, type.bits, type.lanes);
  return word;
}

SinterWord sinter_describe_shape(int32_t ndim, const int64_t *shape) {
  SinterWord word = {"scalar"};
  size_t length = 0;
  for (int32_t d = 0; d < ndim; d++) {
    if (length + 32 > sizeof word.text) {
      snprintf(word.text + length, sizeof word.text - length, "x...");
      break;
    }
    char *at = word.text + length;
    size_t room = sizeof word.text - length;
    const char *separator = d == 0 ? "" : "x";
    int written = shape[d] == -1 ? snprintf(at, room, "%s?", separator)
                                 : snprintf(at, room, "%s%lld", separator, (long long)shape[d]);
    length += (size_t)written;
  }
  return word;
}

DLDataType sinter_tensor_type(const SinterTensor *t) {
  DLDataType type = t->dtype;
  if (t->flags & SINTER_TENSOR_BOOL)
    type.code = SINTER_DL_BOOL;
  return type;
}
