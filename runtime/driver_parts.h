// driver_parts.h: what the files of the driver share.

#ifndef SINTER_RUNTIME_DRIVER_PARTS_H
#define SINTER_RUNTIME_DRIVER_PARTS_H

#include "driver.h"

#pragma GCC visibility push(hidden)

// driver.c: sets the message; answers code.
__attribute__((format(printf, 3, 4))) SinterExit sinter_driver_fail(SinterMessage *message,
                                                                    SinterExit code,
                                                                    const char *format, ...);

// driver_inputs.c: an empty array of the type and shape that the table gives; false if a size
// is dynamic.
bool sinter_driver_shape_of(const SinterTensor *t, SinterArray *a);

// driver_run.c

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
} SinterRun;

bool sinter_run_cuda_ok(SinterRun *r, int32_t status);
bool sinter_run_call(SinterRun *r);
bool sinter_run_on_device(const SinterRun *r);

// driver_benchmark.c: fills what a measurement has of time.
bool sinter_run_benchmark(SinterRun *r, double seconds, SinterMeasurement *m);

#pragma GCC visibility pop

#endif
