// tune_options.c: the options that sinter-tune and sinter-tune-run share.

#include "tools/tune.h"
#include <stdbool.h>
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

static bool is_word_of(const char *words, const char *name) {
  size_t n = strlen(name);
  for (const char *at = words; (at = strstr(at, name)); at += n)
    if ((at == words || at[-1] == ' ') && (!at[n] || at[n] == ' '))
      return true;
  return false;
}

// Nothing else of the driver's has a meaning here: results are not written, and times are what this is about.
const SinterOption *tune_driver_options(void) {
  static SinterOption table[16];
  size_t n = 0;
  for (const SinterOption *o = sinter_driver_options; o->name && n + 1 < sizeof table / sizeof *table; o++)
    if (is_word_of("entry " TUNE_RUNS_WITH, o->name))
      table[n++] = *o;
  table[n] = (SinterOption){0};
  return table;
}

const SinterOption tune_options[] = {
    {"tuning", "FILE", "write the best schedules to it; what it has of other forms stays", set_out},
    {"form", "TEXT", "only forms that have TEXT in what they are known by (default: all)", set_form},
    {"seconds", "S", "of one measurement (default: 0.1)", set_seconds},
    {"limit", "S", "of one candidate, all told (default: 60)", set_limit},
    {0},
};
