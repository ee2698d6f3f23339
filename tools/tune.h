// tune.h: what the two halves of sinter-tune share: a folder of candidates.
//
//   DIR/form0-reference.so   form 0 by itself, decomposed, on the CPU, with sums in float64
//   DIR/form0-inputs.so      the program up to form 0, on the CPU: what form 0 is run on; not there for a form in a
//   loop DIR/0.so, 1.so ...       a form by itself, each with another schedule DIR/candidates           `target
//   cpu|gpu`, then a line for each, by tabs: number of the form, form, schedule, file (- if
//                            it was refused), and why it was; the first of a form is what sinter-schedule chooses
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

// End with a name of NULL; these fill a TuneOptions: the tuner's own, and what it takes of the driver's, which is
// written into the array by tune_driver_options.
#define TUNE_RUNS_WITH "input shape random seed low high threads tolerance"
extern const SinterOption tune_options[];
const SinterOption *tune_driver_options(void);

// Verifies and times the candidates of a folder, prints a table for each form, writes the tuning file.
SinterExit tune_run(const char *folder, const TuneOptions *options);

#ifdef __cplusplus
}
#endif
#endif
