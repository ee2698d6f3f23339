// driver_rules.c: options that would have no effect are errors: first by their names, then for a function.

#include "describe.h"
#include "driver_parts.h"

#include <string.h>

#define DATA "random seed low high"

const SinterOptionRule sinter_driver_rules[] = {
    {"list", SINTER_OPTION_EXCLUDES,
     "input output expect tolerance element-tolerance shape threads benchmark stats json profile quiet " DATA,
     "it prints the functions, and runs nothing"},
    {"list", SINTER_OPTION_EXCLUDES, "entry", "it prints all functions"},
    {"input", SINTER_OPTION_EXCLUDES, "shape " DATA, "nothing is random where files are given"},
    {"tolerance", SINTER_OPTION_NEEDS, "expect verify", "nothing is compared"},
    {"element-tolerance", SINTER_OPTION_NEEDS, "expect verify", "nothing is compared"},
    {"element-tolerance", SINTER_OPTION_EXCLUDES, "tolerance", "each element is compared then"},
    {NULL, SINTER_OPTION_NEEDS, NULL, NULL},
};

bool sinter_driver_runs(const SinterDriverOptions *o) {
  return !o->stats || o->num_outputs > 0 || o->num_expects > 0 || o->reference || o->benchmark > 0 || o->profile;
}

static bool is_integer(const SinterTensor *t) {
  return (t->dtype.code == kDLInt || t->dtype.code == kDLUInt) && !(t->flags & SINTER_TENSOR_BOOL);
}

// The first option of several that was given.
static const char *given_of(const char *const *names) {
  while (*names && !sinter_option_given(*names))
    names++;
  return *names;
}

SinterExit sinter_driver_check(const SinterLibrary *library, const SinterFunction *f,
                               const SinterDriverOptions *options, SinterMessage *message) {
  static const char *const data[] = {"random", "seed", "low", "high", "threads", NULL};
  static const char *const integers[] = {"low", "high", NULL};
  const SinterFunctionDetails *details = sinter_driver_details(library, f);
  int32_t any = 0, dynamic = 0;
  for (int32_t i = 0; i < f->num_inputs; i++) {
    SinterArray a;
    any += is_integer(&f->inputs[i]);
    dynamic += !sinter_driver_shape_of(&f->inputs[i], &a);
  }
  const char *name = given_of(data);
  if (name && !sinter_driver_runs(options) && details && details->costs)
    return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT,
                              "--%s has no effect with --stats alone: counts need no data, and nothing runs", name);
  name = given_of(integers);
  if (name && any == 0)
    return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT, "--%s has no effect: %s has no input of integers", name,
                              f->name);
  if (options->num_shapes > dynamic)
    return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT,
                              "--shape=%.100s has no effect: %s has %d input%s with sizes ?, and %d shape%s given",
                              options->shapes[dynamic], f->name, dynamic, dynamic == 1 ? "" : "s", options->num_shapes,
                              options->num_shapes == 1 ? " is" : "s are");
  if (options->num_randoms > f->num_inputs)
    return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT, "--random=%.100s has no effect: %s takes %d inputs",
                              options->randoms[f->num_inputs], f->name, f->num_inputs);
  if (options->threads > 0 && !library->set_threads)
    return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT, "--threads has no effect: %s runs on a device", f->name);
  if (options->profile && !details)
    return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT, "--profile: the library does not say what it does");
  return SINTER_EXIT_OK;
}
