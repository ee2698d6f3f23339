// sinter-tune-run: verifies and times what sinter-tune --emit compiled, without MLIR.
//
//   sinter-tune --target=gpu loss.mlir --emit=DIR        where a compiler is
//   DIR/sinter-tune-run DIR --tuning=loss.tuning         where a GPU is
//
// All it does is in tools/tune_run.c.

#include "tools/tune.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  static const char usage[] = "sinter-tune-run DIR [options]";
  TuneOptions options = TUNE_DEFAULTS;
  options.driver.program = "sinter-tune-run";
  // Both tables fill what begins at the same place.
  SinterOption table[64];
  size_t n = 0;
  for (const SinterOption *o = tune_options; o->name; o++)
    table[n++] = *o;
  for (const SinterOption *o = tune_driver_options(); o->name && n + 1 < sizeof table / sizeof *table; o++)
    table[n++] = *o;
  table[n] = (SinterOption){0};
  int rest = 0;
  switch (sinter_options_parse(table, &options, usage, argc, argv, &rest)) {
  case SINTER_PARSED_HELP:
    return SINTER_EXIT_OK;
  case SINTER_PARSED_BAD:
    return SINTER_EXIT_BAD_INPUT;
  case SINTER_PARSED:
    break;
  }
  if (argc - rest != 1) {
    fprintf(stderr, "sinter-tune-run: error: %d folders are given, expected 1\nusage: %s\n", argc - rest, usage);
    return SINTER_EXIT_BAD_INPUT;
  }
  return tune_run(argv[rest], &options);
}
