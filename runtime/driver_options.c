// driver_options.c: the options of sinter-exec and sinter-run by name.

#include "driver.h"

#include <errno.h>
#include <stdlib.h>

static const char *append(const char ***list, int32_t *count, const char *value) {
  const char **longer = realloc(*list, ((size_t)*count + 1) * sizeof *longer);
  if (!longer)
    return "does not fit into memory";
  longer[(*count)++] = value;
  *list = longer;
  return NULL;
}

static const char *integer(const char *value, int64_t low, int64_t high, int64_t *out) {
  char *end;
  errno = 0;
  long long x = strtoll(value, &end, 10);
  if (end == value || *end || errno)
    return "is not a number";
  if (x < low || x > high)
    return low == 0 ? "is negative or too large" : "is less than 1 or too large";
  *out = x;
  return NULL;
}

static const char *set_entry(void *to, const char *value) {
  ((SinterDriverOptions *)to)->entry = value;
  return NULL;
}

static const char *set_input(void *to, const char *value) {
  SinterDriverOptions *o = to;
  return append(&o->inputs, &o->num_inputs, value);
}

static const char *set_output(void *to, const char *value) {
  SinterDriverOptions *o = to;
  return append(&o->outputs, &o->num_outputs, value);
}

static const char *set_expect(void *to, const char *value) {
  SinterDriverOptions *o = to;
  return append(&o->expects, &o->num_expects, value);
}

static const char *set_shape(void *to, const char *value) {
  SinterDriverOptions *o = to;
  return append(&o->shapes, &o->num_shapes, value);
}

static const char *set_output_shape(void *to, const char *value) {
  SinterDriverOptions *o = to;
  return append(&o->output_shapes, &o->num_output_shapes, value);
}

static const char *set_random(void *to, const char *value) {
  SinterDriverOptions *o = to;
  return append(&o->randoms, &o->num_randoms, value);
}

static const char *set_tolerance(void *to, const char *value) {
  SinterDriverOptions *o = to;
  char *end;
  o->tolerance = strtod(value, &end);
  return end == value || *end || !(o->tolerance > 0 && o->tolerance < 1)
             ? "is not a number between 0 and 1"
             : NULL;
}

static const char *set_element_tolerance(void *to, const char *value) {
  SinterDriverOptions *o = to;
  char *end;
  o->relative = strtod(value, &end);
  bool two = end != value && *end == ',';
  const char *second = two ? end + 1 : end;
  o->absolute = strtod(second, &end);
  return !two || end == second || *end ||
                 !(o->relative >= 0 && o->absolute >= 0 && o->relative + o->absolute > 0)
             ? "is not two numbers that are not negative, as 1e-5,1e-6"
             : NULL;
}

static const char *set_seed(void *to, const char *value) {
  int64_t seed = 0;
  const char *wrong = integer(value, 0, INT64_MAX, &seed);
  ((SinterDriverOptions *)to)->seed = (uint64_t)seed;
  return wrong;
}

static const char *set_low(void *to, const char *value) {
  return integer(value, INT64_MIN, INT64_MAX, &((SinterDriverOptions *)to)->low);
}

static const char *set_json(void *to, const char *value) {
  (void)value;
  ((SinterDriverOptions *)to)->json = true;
  return NULL;
}

static const char *set_quiet(void *to, const char *value) {
  (void)value;
  ((SinterDriverOptions *)to)->quiet = true;
  return NULL;
}

static const char *set_profile(void *to, const char *value) {
  ((SinterDriverOptions *)to)->profile = value;
  return *value ? NULL : "is no file";
}

static const char *set_high(void *to, const char *value) {
  return integer(value, 1, INT64_MAX, &((SinterDriverOptions *)to)->high);
}

static const char *set_threads(void *to, const char *value) {
  int64_t threads = 0;
  const char *wrong = integer(value, 0, 65536, &threads);
  ((SinterDriverOptions *)to)->threads = (int32_t)threads;
  return wrong;
}

static const char *set_benchmark(void *to, const char *value) {
  SinterDriverOptions *o = to;
  char *end = "";
  o->benchmark = value ? strtod(value, &end) : 1;
  return (value && end == value) || *end || !(o->benchmark > 0 && o->benchmark <= 86400)
             ? "is not a number of seconds"
             : NULL;
}

static const char *set_stats(void *to, const char *value) {
  (void)value;
  ((SinterDriverOptions *)to)->stats = true;
  return NULL;
}

static const char *set_list(void *to, const char *value) {
  (void)value;
  ((SinterDriverOptions *)to)->list = true;
  return NULL;
}

const SinterOption sinter_driver_options[] = {
    {"entry", "NAME", "the function to run (default: the only one, or main)", set_entry},
    {"input", "FILE.npy", "an argument; repeated, in their order (default: random)", set_input, .repeats = true},
    {"output", "FILE.npy", "where a result goes; repeated, in their order", set_output, .repeats = true},
    {"expect", "FILE.npy", "what a result must agree with; repeated, in their order", set_expect, .repeats = true},
    {"tolerance", "X", "norm(got - want) <= X norm(want) (default: f64 1e-9, f32 1e-4, else 2e-2)", set_tolerance},
    {"element-tolerance", "R,A", "of each element instead: |got - want| <= R |want| + A", set_element_tolerance},
    {"shape", "SHAPE", "37x1003, of a random argument with sizes ?; repeated, the last for the rest", set_shape,
     .repeats = true},
    {"output-shape", "SHAPE",
     "37x1003, of each result, in order, where sizes depend on data; repeated, the last for the rest", set_output_shape,
     .repeats = true},
    {"random", "KIND",
     "of an argument: normal, uniform or sign with *SCALE and +LOW, or an integer's end; repeated, "
     "the last for the rest",
     set_random, .repeats = true},
    {"seed", "N", "of the random arguments (default: 0)", set_seed},
    {"high", "N", "random integers are less than N (default: what the program's gathers and asserts allow, or 8)",
     set_high},
    {"low", "LOW", "and LOW or more (default: 0)", set_low},
    {"threads", "N", "on the CPU (default: 0, all that the process may use)", set_threads},
    {"benchmark", "[SECONDS]",
     "time repeated calls and each kernel, against what this machine can (default: for 1 second)", set_benchmark},
    {"stats", NULL, "print kernels, library calls and bytes of one call as JSON; runs nothing by itself", set_stats},
    {"json", NULL, "print one JSON object with all that is known", set_json},
    {"profile", "FILE.json", "write a trace of kernels and threads for about:tracing or Perfetto", set_profile},
    {"quiet", NULL, "no summary, no progress", set_quiet},
    {"list", NULL, "print the functions with their types, and run nothing", set_list},
    {NULL, NULL, NULL, NULL},
};
