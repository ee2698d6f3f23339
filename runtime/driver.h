// driver.h: running one function of a library on files or random numbers.
//
// What sinter-exec is, and what sinter-run does once it has code; free of MLIR.
// A library is a table, from dlopen or from a JIT.

#ifndef SINTER_RUNTIME_DRIVER_H
#define SINTER_RUNTIME_DRIVER_H

#include "abi.h"
#include "npy.h"
#include "options.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// What the tools exit with.
typedef enum SinterExit {
  SINTER_EXIT_OK = 0,
  SINTER_EXIT_BAD_INPUT = 1, // usage, files, types, shapes
  SINTER_EXIT_COMPILE = 2,   // the compiler refused the program
  SINTER_EXIT_RUN = 3,       // it failed as it ran: an assert, memory, the device
  SINTER_EXIT_NO_DEVICE = 4, // no driver, or no device
  SINTER_EXIT_DIFFERENT = 5, // --expect, --verify: the results differ
} SinterExit;

// Initialise with SINTER_DRIVER_DEFAULTS. Strings and libraries are the
// caller's; the lists grow by their options and live as long as the process.
typedef struct SinterDriverOptions {
  const char *program; // who speaks: "sinter-exec"
  const char *entry;   // NULL: the only function, or main
  const char **inputs; // files; none: random numbers
  int32_t num_inputs;
  const char **outputs; // files, for the first results
  int32_t num_outputs;
  uint64_t seed;
  int64_t low, high; // random integers are in [low, high); high = 0: what the program says, or 8
  int32_t threads;  // 0: every CPU that the process may use
  double benchmark; // seconds; 0: no benchmark
  bool stats;
  bool list;
  // What the results must agree with, on the same inputs (NULL: nothing), and
  // within what (0: 1e-9 for float64, 1e-4 for float32, 2e-2 for narrower).
  const SinterLibrary *reference;
  double tolerance;
  const char **expects; // files with what the first results must agree with
  int32_t num_expects;
  const char **shapes; // "37x1003": of random inputs that have a size `?`; the last for all others
  int32_t num_shapes;
  const char **output_shapes; // of results whose sizes depend on data, one for each result; the last for all others
  int32_t num_output_shapes;
  const char **randoms; // "uniform+0.1": what random inputs are, in order; the last for all others
  int32_t num_randoms;
  // If one is above 0, each element is compared instead of norms:
  // |got - want| <= relative |want| + absolute.
  double relative, absolute;
  bool json;           // all that is printed is one JSON object
  bool quiet;          // no summary, no progress
  const char *profile; // a file for a trace
  // Of who made the library, for the summary and the trace: what it did before, in order. NULL: nothing.
  const struct SinterPhase *phases;
  int32_t num_phases;
} SinterDriverOptions;

#define SINTER_DRIVER_DEFAULTS {.program = "sinter-exec"}

// Something that took time before the program ran, in seconds of sinter_driver_now.
typedef struct SinterPhase {
  const char *name;
  double begin, end;
} SinterPhase;

double sinter_driver_now(void);

// The options above by name, for option tables: sets fill a SinterDriverOptions.
// Ends with a name of NULL.
extern const SinterOption sinter_driver_options[];
// Which of them go together, for sinter_options_check.
extern const SinterOptionRule sinter_driver_rules[];

// Everything: find the function, read or make inputs, run, compare, write,
// measure, print. Results go to stdout, errors to stderr.
SinterExit sinter_driver_main(const SinterLibrary *library, const SinterDriverOptions *options);

// The pieces of it. Those with a message answer SINTER_EXIT_OK, or set it.

// NULL, with a message that names the functions there are, if entry is not one.
const SinterFunction *sinter_driver_find(const SinterLibrary *library, const char *entry,
                                         SinterMessage *message);

// f->num_inputs arrays, from the files or random; the caller frees them with
// sinter_arrays_free, also on failure.
//
// Random numbers are those of random.h: input i from the state seed + (i + 1) * 0xd1342543de82ef95. What they are is
// for --random, --low and --high to say, then for the library (SinterRange); otherwise floats are normal and integers
// in [0, 8).
SinterExit sinter_driver_inputs(const SinterLibrary *library, const SinterFunction *f,
                                const SinterDriverOptions *options, SinterArray *inputs,
                                SinterMessage *message);

// The same without random data: arrays of those that no file gives have a type and a shape, and no memory.
SinterExit sinter_driver_shapes(const SinterFunction *f, const SinterDriverOptions *options,
                                SinterArray *inputs, SinterMessage *message);

// And then the random data.
SinterExit sinter_driver_fill(const SinterLibrary *library, const SinterFunction *f,
                              const SinterDriverOptions *options, SinterArray *inputs,
                              SinterMessage *message);

// What the library says of a function; NULL if nothing.
const SinterFunctionDetails *sinter_driver_details(const SinterLibrary *library,
                                                   const SinterFunction *f);

// What a call with inputs of these shapes costs; costs->kernels is for the caller to free. *known is false where that
// depends on data. A message if such sizes do not go together.
SinterExit sinter_driver_costs(const SinterLibrary *library, const SinterFunction *f,
                               const SinterDriverOptions *options, const SinterArray *inputs, SinterCosts *costs,
                               bool *known, SinterMessage *message);

typedef struct SinterMeasurement {
  SinterStats stats; // of one call
  int64_t bytes_in, bytes_out;
  // Only if benchmark > 0: seconds of one call.
  double median, minimum;
  double processor; // of all threads: what a shared machine does not stretch
  int64_t calls;
  double reference_median; // of the reference, in turns with the function; 0 without one
  // And on CUDA: a copy from device to device that reads copy_bytes and writes
  // as many, in the same run.
  int64_t copy_bytes;
  double copy_median;
  char device[128];
} SinterMeasurement;

// Runs f once on inputs, with outputs that were filled with 0xff (a NaN, or
// -1) before, and then the benchmark. Sets outputs, f->num_outputs arrays, which
// the caller frees, also on failure.
SinterExit sinter_driver_run(const SinterLibrary *library, const SinterFunction *f,
                             const SinterDriverOptions *options, const SinterArray *inputs,
                             SinterArray *outputs, SinterMeasurement *measurement,
                             SinterMessage *message);

// Whether norm(got - want) <= tolerance norm(want) in float64 (0: the tolerance
// of the type of got), with NaN and infinities in the same places; integers and
// bool must be equal, and of one type. error is that ratio; message says what differs.
bool sinter_array_compare(const SinterArray *got, const SinterArray *want, double tolerance,
                          double *error, SinterMessage *message);
// Whether |got - want| <= relative |want| + absolute for each element; otherwise as
// above. error is the largest part of what is allowed that an element uses.
bool sinter_array_close(const SinterArray *got, const SinterArray *want, double relative, double absolute,
                        double *error, SinterMessage *message);

void sinter_arrays_free(SinterArray *arrays, int32_t count);

#ifdef __cplusplus
}
#endif

#endif
