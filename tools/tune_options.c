// tune_options.c: the options that sinter-tune and sinter-tune-run share.

#include "tools/tune.h"
#include <stdlib.h>
#include <string.h>

static const char *set_seconds(void *to, const char *value) {
  char *end;
  ((TuneOptions *)to)->seconds = strtod(value, &end);
  return *end || !(((TuneOptions *)to)->seconds > 0) ? "is not a number of seconds" : NULL;
}
static const char *set_limit(void *to, const char *value) {
  char *end;
  ((TuneOptions *)to)->limit = strtod(value, &end);
  return *end || !(((TuneOptions *)to)->limit >= 1) ? "is not a number of seconds, 1 or more" : NULL;
}
static const char *set_form(void *to, const char *value) {
  ((TuneOptions *)to)->form = value;
  return NULL;
}
static const char *set_out(void *to, const char *value) {
  ((TuneOptions *)to)->out = value;
  return *value ? NULL : "is no file";
}

// Nothing else of the driver's has a meaning here: results are not written, and times are what this is about.
const SinterOption *tune_driver_options(void) {
  static const char *const taken[] = {"entry", "input", "shape", "random", "seed", "high", "threads", "tolerance"};
  static SinterOption table[sizeof taken / sizeof *taken + 1];
  size_t n = 0;
  for (const SinterOption *o = sinter_driver_options; o->name; o++)
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
      if (!strcmp(o->name, taken[i]))
        table[n++] = *o;
  return table;
}

const SinterOption tune_options[] = {
    {"tuning", "FILE", "write the best schedules to it; what it has of other forms stays", set_out},
    {"form", "TEXT", "only forms that have TEXT in what they are known by (default: all)", set_form},
    {"seconds", "S", "of one measurement (default: 0.1)", set_seconds},
    {"limit", "S", "of one candidate, all told (default: 60)", set_limit},
    {0},
};
