// copy.c: a copy between two layouts of one shape.

#include "runtime.h"

#include <string.h>

typedef struct Unranked {
  int64_t rank;
  int64_t *descriptor; // allocated, aligned, offset, sizes[rank], strides[rank]
} Unranked;

static char *start(const Unranked *u, int64_t element_bytes) {
  return (char *)(uintptr_t)u->descriptor[1] + u->descriptor[2] * element_bytes;
}

static void copy(int64_t element_bytes, const char *from, char *to, int64_t rank,
                 const int64_t *sizes, const int64_t *from_strides, const int64_t *to_strides) {
  if (rank == 0) {
    memcpy(to, from, (size_t)element_bytes);
    return;
  }
  if (rank == 1 && from_strides[0] == 1 && to_strides[0] == 1) {
    memcpy(to, from, (size_t)(sizes[0] * element_bytes));
    return;
  }
  for (int64_t i = 0; i < sizes[0]; i++)
    copy(element_bytes, from + i * from_strides[0] * element_bytes,
         to + i * to_strides[0] * element_bytes, rank - 1, sizes + 1, from_strides + 1,
         to_strides + 1);
}

void memrefCopy(int64_t element_bytes, void *source, void *target) {
  const Unranked *from = source;
  const Unranked *to = target;
  const int64_t *sizes = from->descriptor + 3;
  for (int64_t d = 0; d < from->rank; d++)
    if (sizes[d] == 0)
      return;
  copy(element_bytes, start(from, element_bytes), start(to, element_bytes), from->rank, sizes,
       sizes + from->rank, to->descriptor + 3 + to->rank);
}
