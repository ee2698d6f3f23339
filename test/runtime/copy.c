// A copy between two layouts of one shape: transposed, strided, empty, rank 0.

#include "check.h"
#include "runtime/runtime.h"

typedef struct Unranked {
  int64_t rank;
  int64_t *descriptor;
} Unranked;

static void copy(int64_t bytes, int64_t rank, int64_t *from, int64_t *to) {
  Unranked source = {rank, from}, target = {rank, to};
  memrefCopy(bytes, &source, &target);
}

int main(void) {
  float x[6] = {1, 2, 3, 4, 5, 6}, y[12] = {0};
  int64_t px = (int64_t)(uintptr_t)x, py = (int64_t)(uintptr_t)y;

  int64_t plain[] = {px, px, 0, 2, 3, 3, 1};
  int64_t transposed[] = {py, py, 0, 2, 3, 1, 2};
  copy(sizeof *x, 2, plain, transposed);
  CHECK(memcmp(y, (float[]){1, 4, 2, 5, 3, 6, 0}, 7 * sizeof *y) == 0);

  memset(y, 0, sizeof y);
  int64_t wide[] = {py, py, 1, 2, 3, 5, 1}; // from element 1, rows of 5
  copy(sizeof *x, 2, plain, wide);
  CHECK(memcmp(y, (float[]){0, 1, 2, 3, 0, 0, 4, 5, 6, 0}, 10 * sizeof *y) == 0);

  memset(y, 0, sizeof y);
  int64_t backwards[] = {py, py, 5, 6, -1};
  int64_t flat[] = {px, px, 0, 6, 1};
  copy(sizeof *x, 1, flat, backwards);
  CHECK(memcmp(y, (float[]){6, 5, 4, 3, 2, 1, 0}, 7 * sizeof *y) == 0);

  int64_t from0[] = {px, px, 3}, to0[] = {py, py, 7};
  copy(sizeof *x, 0, from0, to0);
  CHECK(y[7] == 4 && y[6] == 0 && y[8] == 0);

  int64_t empty[] = {0, 0, 0, 3, 0, 1, 1};
  copy(sizeof *x, 2, empty, empty);
  return failures != 0;
}
