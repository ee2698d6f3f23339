// Calls the functions of two.mlir by name.
#include "two.h"
#include <stdio.h>

// The first fields of SinterLibrary.
struct SinterLibrary {
  int32_t version, num_functions;
  const void *functions;
  const char *(*last_error)(void);
};

int main(void) {
  _Alignas(16) float x[4] = {1, 2, 3}, y[4], a[4] = {4}, b[4];
  int64_t three = 3, two = 2;
  DLTensor tx = {.data = x, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = &three};
  DLTensor ty = tx, ta = tx, tb = tx;
  ty.data = y;
  ta.data = a, ta.ndim = 0;
  tb.data = b, tb.ndim = 0;
  DLTensor *in[] = {&tx, &ta}, *out[] = {&ty, &tb};
  if (two_double(in, out, 0, 0))
    return 1;
  printf("%g %g %g\n", y[0], y[1], y[2]);
  if (two_scale(in, out, 0, 0))
    return 1;
  printf("%g %g %g, %g\n", y[0], y[1], y[2], b[0]);
  tx.shape = &two;
  int32_t status = two_double(in, out, 0, 0);
  printf("status %d: %s\n", status, two_library.last_error());
  return 0;
}
