// tune.h: what the two halves of sinter-tune share: a folder of candidates.
//
//   DIR/reference.so    the decomposed program, on the CPU, with sums in float64
//   DIR/0.so, 1.so ...  the program, each with another schedule of one of its forms
//   DIR/candidates      `target cpu|gpu`, then a line for each, by tabs: form, schedule, file
//                       (- if it was refused), and why it was; the first of a form is what sinter-schedule chooses
//
// Free of MLIR: the half that runs needs nothing but a library's table.

#ifndef SINTER_TOOLS_TUNE_H
#define SINTER_TOOLS_TUNE_H

#include "runtime/driver.h"
#include "runtime/options.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TuneOptions {
  SinterDriverOptions driver; // first: sinter_driver_options fill it
  const char *out;            // the tuning file; NULL: none is written
  const char *form;           // only forms whose fingerprint has this text in it
  double seconds;             // of one measurement
  double limit;               // of one candidate, all told
} TuneOptions;

#define TUNE_DEFAULTS {SINTER_DRIVER_DEFAULTS, NULL, "", 0.1, 60}

// Ends with a name of NULL; these fill a TuneOptions.
extern const SinterOption tune_options[];

// Verifies and times the candidates of a folder, prints a table for each form, writes the tuning file.
SinterExit tune_run(const char *folder, const TuneOptions *options);

#ifdef __cplusplus
}
#endif
#endif
