// driver_inputs.c: the arguments of a call, from files or random.

#include "describe.h"
#include "driver_parts.h"
#include "random.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

// An empty array of the type and shape that the table gives; false if a size
// is dynamic.
bool sinter_driver_shape_of(const SinterTensor *t, SinterArray *a) {
  *a = (SinterArray){.dtype = sinter_tensor_type(t), .ndim = t->ndim};
  for (int32_t d = 0; d < t->ndim; d++) {
    a->shape[d] = t->shape[d];
    if (t->shape[d] < 0)
      return false;
  }
  return true;
}

bool sinter_driver_read_shape(const char *text, SinterArray *a) {
  for (int32_t d = 0; d < a->ndim; d++) {
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (end == text || errno || n < 0 || *end != (d + 1 < a->ndim ? 'x' : 0))
      return false;
    a->shape[d] = n;
    text = end + 1;
  }
  return true;
}

// The shape of a random input with sizes `?`: that of the option whose turn it is.
static SinterExit chosen_shape(const SinterFunction *f, int32_t i,
                               const SinterDriverOptions *options, SinterArray *a,
                               SinterMessage *message) {
  const SinterTensor *t = &f->inputs[i];
  int32_t turn = 0;
  for (int32_t k = 0; k < i; k++) {
    SinterArray before;
    turn += !sinter_driver_shape_of(&f->inputs[k], &before);
  }
  if (options->num_shapes == 0)
    return sinter_driver_fail(
        message, SINTER_EXIT_BAD_INPUT,
        "input %d of %s is %s: give its sizes with --shape, or files with --input", i, f->name,
        sinter_describe_shape(t->ndim, t->shape).text);
  const char *text = options->shapes[turn < options->num_shapes ? turn : options->num_shapes - 1];
  bool same = sinter_driver_read_shape(text, a);
  for (int32_t d = 0; same && d < t->ndim; d++)
    same = t->shape[d] < 0 || t->shape[d] == a->shape[d];
  if (!same)
    return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT,
                              "--shape=%.100s is no shape of input %d of %s: it is %s", text, i,
                              f->name, sinter_describe_shape(t->ndim, t->shape).text);
  return SINTER_EXIT_OK;
}

// What the program says of an input, where the library does.
static const SinterRange *range_of(const SinterLibrary *library, const SinterFunction *f, int32_t i) {
  const SinterFunctionDetails *details = sinter_driver_details(library, f);
  const SinterRange *r = details ? &details->ranges[i] : NULL;
  return r && (r->low != 0 || r->high != 0 || r->input >= 0) ? r : NULL;
}

// Of an input: what was asked for, else what the program says, else normal floats and integers in [0, 8).
static void choose_random(const SinterLibrary *library, const SinterFunction *f, int32_t i,
                          const SinterDriverOptions *options, const SinterArray *inputs, SinterRandom *random) {
  const SinterRange *r = range_of(library, f, i);
  bool is_float = sinter_is_float(f->inputs[i].dtype);
  *random = (SinterRandom){.kind = SINTER_NORMAL, .scale = 1, .from = options->low, .high = options->high};
  if (r && is_float) {
    *random = (SinterRandom){.kind = SINTER_UNIFORM, .scale = r->high - r->low, .low = r->low};
  } else if (r && !options->high) {
    random->high = (int64_t)r->high;
    if (r->input >= 0)
      random->high = inputs[r->input].shape[r->dim];
    if (!options->low)
      random->from = (int64_t)r->low;
  }
  if (!random->high)
    random->high = random->from + 8;
}

// Shape and randomness of an input without a file; its memory is not allocated.
static SinterExit random_shape(const SinterFunction *f, int32_t i, const SinterDriverOptions *options, SinterArray *a,
                               SinterMessage *message) {
  return sinter_driver_shape_of(&f->inputs[i], a) ? SINTER_EXIT_OK : chosen_shape(f, i, options, a, message);
}

static SinterExit random_input(const SinterLibrary *library, const SinterFunction *f, int32_t i,
                               const SinterDriverOptions *options, SinterArray *inputs,
                               SinterMessage *message) {
  SinterArray *a = &inputs[i];
  if (!sinter_array_allocate(a, message))
    return SINTER_EXIT_RUN;
  int32_t turn = i < options->num_randoms ? i : options->num_randoms - 1;
  SinterRandom random;
  choose_random(library, f, i, options, inputs, &random);
  const char *wrong = turn >= 0 ? sinter_random_read(options->randoms[turn], &random) : NULL;
  if (wrong)
    return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT, "--random=%.100s %s",
                              options->randoms[turn], wrong);
  if (random.high <= random.from && a->bytes > 0)
    return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT,
                              "random integers of input %d of %s would be in [%lld, %lld): none", i, f->name,
                              (long long)random.from, (long long)random.high);
  sinter_random_fill(a, &random, options->seed + ((uint64_t)i + 1) * 0xd1342543de82ef95u);
  return SINTER_EXIT_OK;
}

static SinterExit file_input(const SinterFunction *f, int32_t i, const char *path, SinterArray *a,
                             SinterMessage *message) {
  const SinterTensor *t = &f->inputs[i];
  char what[256];
  snprintf(what, sizeof what, "input %d of %s", i, f->name);
  if (!sinter_npy_read_as(path, sinter_tensor_type(t), what, a, message))
    return SINTER_EXIT_BAD_INPUT;
  bool same = a->ndim == t->ndim;
  for (int32_t d = 0; same && d < t->ndim; d++)
    same = t->shape[d] < 0 || t->shape[d] == a->shape[d];
  if (!same)
    return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT, "%.500s: shape %s, but %s is %s",
                              path, sinter_describe_shape(a->ndim, a->shape).text, what,
                              sinter_describe_shape(t->ndim, t->shape).text);
  return SINTER_EXIT_OK;
}

SinterExit sinter_driver_shapes(const SinterFunction *f, const SinterDriverOptions *options,
                                SinterArray *inputs, SinterMessage *message) {
  for (int32_t i = 0; i < f->num_inputs; i++)
    inputs[i] = (SinterArray){.data = NULL};
  if (options->num_inputs > 0 && options->num_inputs != f->num_inputs)
    return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT, "%d input%s given, but %s takes %d: give all, or none; "
                              "--list says what they are",
                              options->num_inputs, options->num_inputs == 1 ? " is" : "s are",
                              f->name, f->num_inputs);
  SinterExit code = SINTER_EXIT_OK;
  for (int32_t i = 0; i < f->num_inputs && code == SINTER_EXIT_OK; i++) {
    if (f->inputs[i].ndim > SINTER_MAX_RANK)
      code = sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT,
                                "input %d of %s has more than %d dimensions", i, f->name,
                                SINTER_MAX_RANK);
    else if (options->num_inputs > 0)
      code = file_input(f, i, options->inputs[i], &inputs[i], message);
    else
      code = random_shape(f, i, options, &inputs[i], message);
  }
  return code;
}

SinterExit sinter_driver_fill(const SinterLibrary *library, const SinterFunction *f,
                              const SinterDriverOptions *options, SinterArray *inputs,
                              SinterMessage *message) {
  SinterExit code = SINTER_EXIT_OK;
  for (int32_t i = 0; i < f->num_inputs && options->num_inputs == 0 && code == SINTER_EXIT_OK; i++)
    code = random_input(library, f, i, options, inputs, message);
  return code;
}

SinterExit sinter_driver_inputs(const SinterLibrary *library, const SinterFunction *f,
                                const SinterDriverOptions *options, SinterArray *inputs,
                                SinterMessage *message) {
  SinterExit code = sinter_driver_shapes(f, options, inputs, message);
  return code == SINTER_EXIT_OK ? sinter_driver_fill(library, f, options, inputs, message) : code;
}

int64_t sinter_array_bytes(const SinterArray *a) {
  int64_t bytes = sinter_type_bytes(a->dtype);
  bool fits = true;
  for (int32_t d = 0; d < a->ndim; d++)
    fits &= !__builtin_mul_overflow(bytes, a->shape[d], &bytes);
  return fits ? bytes : INT64_MAX;
}

void sinter_arrays_free(SinterArray *arrays, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    sinter_array_free(&arrays[i]);
}
