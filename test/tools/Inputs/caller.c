// Calls the functions of two.mlir by name.
#include <dlpack/dlpack.h>
#include <stdint.h>
#include <stdio.h>

int32_t double_(DLTensor *const *inputs, DLTensor *const *outputs, void *stream, void *workspace) __asm__("double");
int32_t scale(DLTensor *const *inputs, DLTensor *const *outputs, void *stream, void *workspace);

// The first fields of SinterLibrary.
struct Library {
  int32_t version, num_functions;
  const void *functions;
  const char *(*last_error)(void);
};
extern const struct Library sinter_library;

int main(void) {
  _Alignas(16) float x[4] = {1, 2, 3}, y[4], a[4] = {4}, b[4];
  int64_t three = 3, two = 2;
  DLTensor tx = {.data = x, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = &three};
  DLTensor ty = tx, ta = tx, tb = tx;
  ty.data = y;
  ta.data = a, ta.ndim = 0;
  tb.data = b, tb.ndim = 0;
  DLTensor *in[] = {&tx, &ta}, *out[] = {&ty, &tb};
  if (double_(in, out, 0, 0))
    return 1;
  printf("%g %g %g\n", y[0], y[1], y[2]);
  if (scale(in, out, 0, 0))
    return 1;
  printf("%g %g %g, %g\n", y[0], y[1], y[2], b[0]);
  tx.shape = &two;
  int32_t status = double_(in, out, 0, 0);
  printf("status %d: %s\n", status, sinter_library.last_error());
  return 0;
}
