// Two programs in one executable, from C++.
#include "model.h"
#include "second.h"
#include <sinter/abi.h>
#include <cstdio>

int main() {
  alignas(16) float x[6] = {1, 2, 3, 4, 0, 2}, y[2], z[6], e[1];
  int64_t shape[] = {2, 3};
  DLTensor in = {x, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, nullptr, 0};
  DLTensor rows = in, doubled = in, sum = in;
  rows.data = y, rows.ndim = 1;
  doubled.data = z;
  sum.data = e, sum.ndim = 0;
  DLTensor *ins[] = {&in}, *one[] = {&rows}, *two[] = {&doubled}, *three[] = {&sum}, *wrong[] = {&rows};
  if (model_energy(ins, one, nullptr, nullptr) || second_main(ins, two, nullptr, nullptr) ||
      second_energy(ins, three, nullptr, nullptr))
    return 1;
  std::printf("%g %g, %g %g, %g\n", y[0], y[1], z[0], z[5], e[0]);
  std::printf("%d, %d: %s\n", model_library.num_functions, second_library.num_functions,
              second_library.functions[0].name);
  int status = second_main(wrong, two, nullptr, nullptr);
  std::printf("status %d: %s; %s\n", status, second_library.last_error(),
              second_library.functions == model_library.functions ? "one" : "two");
  return 0;
}
