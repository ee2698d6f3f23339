// call.h: the running call, for the files of runtime/.

#ifndef SINTER_RUNTIME_CALL_H
#define SINTER_RUNTIME_CALL_H

#include "runtime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

typedef struct SinterCall {
  const SinterFunction *function;
  void *stream;
  int32_t device_id;
  bool prepare; // load what a call launches, launch and count nothing
  // Set once, by whoever fails first; message is that one's.
  _Atomic int32_t status;
  char message[512];
  struct SinterBlock *memory; // what it allocated, on any of its threads
  pthread_mutex_t memory_lock; // held while that list changes
  struct SinterDeviceBlock *device_memory;         // what it allocated on the device, in cuda_memory.c
  void (*release_device)(struct SinterCall *call); // gives that back; set with the first block
} SinterCall;

// The call that this thread works for; NULL outside of calls.
SinterCall *sinter_rt_current(void);

// count.c: who is told of kernels and tasks; NULL: nobody.
const SinterProfiler *sinter_rt_profiler(void);

// Runs compiled code on this thread for call. Where memory ends, the code ends, and so does this.
void sinter_rt_run(SinterCall *call, void (*code)(void *context, int64_t index), void *context,
                   int64_t index);

// Ends this thread's compiled code; whatever the call allocated is given back.
_Noreturn void sinter_rt_end_code(void);

// arguments.c: whether the tensors and the workspace of the running call are what its function takes; if not,
// the call fails with SINTER_BAD_ARGUMENT and the numbers that disagree.
bool sinter_rt_check(const SinterCall *call, DLTensor *const *inputs, DLTensor *const *outputs, void *workspace);

// The running call fails with status and a message; the first one wins.
// Outside of calls it becomes the thread's last error.
void sinter_rt_error(int32_t status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#pragma GCC visibility pop

#endif
