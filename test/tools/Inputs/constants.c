// Calls the program of constants.mlir on zeros, and prints how that ended.
#include HEADER
#include "sinter/abi.h"
#include <stdio.h>

int main(void) {
  static _Alignas(64) float x[8 * 64], y[8 * 64];
  int64_t shape[] = {8, 64};
  DLTensor in = {x, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, NULL, 0}, out = in;
  out.data = y;
  DLTensor *ins[] = {&in}, *outs[] = {&out};
  int32_t status = p_main(ins, outs, NULL, NULL);
  printf("status %d, %s\n", status, p_library.last_error());
  return status;
}
