// driver_parts.h: what the files of the driver share.

#ifndef SINTER_RUNTIME_DRIVER_PARTS_H
#define SINTER_RUNTIME_DRIVER_PARTS_H

#include "driver.h"

#include <stdatomic.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)

// driver.c: sets the message; answers code.
__attribute__((format(printf, 3, 4))) SinterExit sinter_driver_fail(SinterMessage *message,
                                                                    SinterExit code,
                                                                    const char *format, ...);

// driver_inputs.c: an empty array of the type and shape that the table gives; false if a size
// is dynamic.
bool sinter_driver_shape_of(const SinterTensor *t, SinterArray *a);

// Sizes written as 37x1003, a->ndim of them; false if they are not so many numbers.
bool sinter_driver_read_shape(const char *text, SinterArray *a);

// driver_run.c: an array of the type and shape of output i for inputs of these shapes; without memory. Where sizes
// depend on data, options say it.
SinterExit sinter_driver_output(const SinterFunction *f, int32_t i, const SinterDriverOptions *options,
                                const SinterArray *inputs, SinterArray *a, SinterMessage *message);

// A run: the tensors of a call, on the CPU the arrays themselves, on CUDA
// copies of them. Functions answer false once a message is set.

typedef struct SinterRun {
  const SinterLibrary *library;
  const SinterFunction *f;
  DLTensor *tensors;   // inputs, outputs
  DLTensor **pointers; // to them
  void *workspace;
  void *stream;
  SinterMessage *message;
  SinterExit code;
  bool asserted; // the message is of an assert of the program
} SinterRun;

// Makes outputs, f->num_outputs arrays filled with 0xff, and what a call needs. Close it, also on failure.
bool sinter_run_open(SinterRun *r, const SinterLibrary *library, const SinterFunction *f,
                     const SinterDriverOptions *options, const SinterArray *inputs, SinterArray *outputs,
                     SinterMessage *message);
// One call; outputs hold its results.
bool sinter_run_once(SinterRun *r, SinterArray *outputs, SinterMeasurement *m);
void sinter_run_close(SinterRun *r);

bool sinter_run_cuda_ok(SinterRun *r, int32_t status);
bool sinter_run_call(SinterRun *r);
bool sinter_run_on_device(const SinterRun *r);

// driver_benchmark.c: fills what a measurement has of time; reference, in turns with r, may be NULL.
bool sinter_run_benchmark(SinterRun *r, SinterRun *reference, double seconds, SinterMeasurement *m);
int sinter_by_size(const void *a, const void *b); // for qsort of doubles

// driver_profile.c: what a library does in calls, as its SinterProfiler is told. Times are those of
// sinter_driver_now, of a device in seconds from the call's first kernel on.

typedef struct SinterSpan {
  int32_t kernel; // its index
  int32_t call;   // which call since the profile was opened
  double begin, end;
  int64_t tasks; // of a kernel on the thread that made the call 0
  void *from, *to; // events of a device, until the call is complete
} SinterSpan;

typedef struct SinterSpans {
  SinterSpan *data;
  int64_t size, capacity;
} SinterSpans;

enum { SINTER_PROFILE_THREADS = 256 };

typedef struct SinterProfile {
  SinterRun *r;
  SinterSpans kernels;
  SinterSpans threads[SINTER_PROFILE_THREADS]; // tasks, those of one kernel in a row as one
  _Atomic int32_t num_threads;
  int32_t call;
  bool tasks; // whether they are kept
  bool failed; // memory ended, or the device did
} SinterProfile;

// One call, told of. False if it failed.
bool sinter_profile_call(SinterProfile *p);
void sinter_profile_free(SinterProfile *p);

// Seconds of each of details->num_kernels kernels in one call, all of its runs together, as a median of calls. NULL
// with r->code set.
double *sinter_profile_kernels(SinterRun *r, double seconds);

// driver_trace.c: runs some calls, and writes them with the phases before as a trace in Chrome's format.
SinterExit sinter_driver_trace(SinterRun *r, const SinterDriverOptions *options, const SinterCosts *costs,
                               SinterMessage *message);
void sinter_put_string(FILE *to, const char *text); // as JSON has strings

// driver_ceilings.c: what this machine's processors do at best, on so many threads.
typedef struct SinterCeilings {
  double read, copy; // bytes a second, of data of the size asked for; a copy reads half and writes half of them
  double flops;      // float32 multiplications and additions, fused where the processor can
  int64_t bytes;
} SinterCeilings;
SinterCeilings sinter_driver_ceilings(int32_t threads, int64_t bytes);

// Everything that is found out about one function, and printed in the end.
typedef struct SinterReport {
  const SinterDriverOptions *options;
  const SinterLibrary *library;
  const SinterFunction *f;
  const SinterFunctionDetails *details; // NULL: the library says nothing
  bool ran;
  double first; // seconds of the first call
  SinterMeasurement m;
  bool has_costs;
  SinterCosts costs;
  double *kernel_seconds; // NULL: not measured
  SinterCeilings ceilings;
  struct SinterAgreement {
    int32_t output;
    const char *who;
    bool agrees;
    double error;
    SinterMessage why;
  } *agreements;
  int32_t num_agreements;
} SinterReport;

// driver_report.c. One agreement at once; the rest in the end.
void sinter_report_agreement(const SinterReport *report, int32_t i);
void sinter_report(const SinterReport *report);

int64_t sinter_array_bytes(const SinterArray *a); // of its shape; in driver_inputs.c

// driver_rules.c: whether what is asked for needs a call. Then options that have no effect on this function.
// SINTER_EXIT_OK, or a message.
bool sinter_driver_runs(const SinterDriverOptions *options);
SinterExit sinter_driver_check(const SinterLibrary *library, const SinterFunction *f,
                               const SinterDriverOptions *options, SinterMessage *message);

#pragma GCC visibility pop

#endif
