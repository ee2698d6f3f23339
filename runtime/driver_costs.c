// driver_costs.c: what a call will cost, from the sizes of its inputs.

#include "describe.h"
#include "driver_parts.h"

#include <stdlib.h>

const SinterFunctionDetails *sinter_driver_details(const SinterLibrary *library,
                                                   const SinterFunction *f) {
  return library->details ? &library->details->functions[f - library->functions] : NULL;
}

// A memref descriptor without memory: {allocated, aligned, offset, sizes, strides}.
enum { DESCRIPTOR_WORDS = 3 + 2 * SINTER_MAX_RANK };

static void describe(int64_t *to, const SinterArray *a) {
  to[0] = to[1] = to[2] = 0;
  int64_t stride = 1;
  for (int32_t d = a->ndim; d-- > 0;) {
    to[3 + d] = a->shape[d];
    to[3 + a->ndim + d] = stride;
    __builtin_mul_overflow(stride, a->shape[d] > 0 ? a->shape[d] : 1, &stride); // nobody reads there
  }
}

SinterExit sinter_driver_costs(const SinterLibrary *library, const SinterFunction *f,
                               const SinterDriverOptions *options, const SinterArray *inputs, SinterCosts *costs,
                               bool *known, SinterMessage *message) {
  const SinterFunctionDetails *details = sinter_driver_details(library, f);
  size_t count = (size_t)f->num_inputs + (size_t)f->num_outputs;
  *costs = (SinterCosts){0};
  *known = details && details->costs;
  if (!*known)
    return SINTER_EXIT_OK;
  costs->kernels = calloc((size_t)details->num_kernels + 1, sizeof *costs->kernels);
  int64_t *words = calloc(count * DESCRIPTOR_WORDS + 1, sizeof *words);
  void **descriptors = calloc(count + 1, sizeof *descriptors);
  SinterExit code = SINTER_EXIT_OK;
  if (!costs->kernels || !words || !descriptors)
    code = sinter_driver_fail(message, SINTER_EXIT_RUN, "not enough memory for what %zu tensors cost", count);
  for (size_t i = 0; i < count && code == SINTER_EXIT_OK; i++) {
    SinterArray output;
    const SinterArray *a = i < (size_t)f->num_inputs ? &inputs[i] : &output;
    if (a == &output)
      code = sinter_driver_output(f, (int32_t)i - f->num_inputs, options, inputs, &output, message);
    if (code == SINTER_EXIT_OK)
      describe(descriptors[i] = words + i * DESCRIPTOR_WORDS, a);
  }
  if (code == SINTER_EXIT_OK) {
    if (library->details->costs(f, details, descriptors, costs) != SINTER_OK)
      code = sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT, "%s", library->last_error());
  }
  free(words);
  free(descriptors);
  return code;
}
