// thread.h: what the runtime keeps of a thread.

#ifndef SINTER_RUNTIME_THREAD_H
#define SINTER_RUNTIME_THREAD_H

#include "kept.h"

#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

typedef struct SinterThread {
  struct SinterCall *_Atomic call; // that this thread works for; NULL outside of calls
  jmp_buf *end;            // where compiled code of this thread ends when it cannot go on
  bool in_task;            // it runs a task of a parallel region
  char sizes[192];         // which sizes differ, for the assert behind; "" if none do
  char last_error[640];    // of the last call; "" if it did not fail
  char cuda_error[2048];   // of the last function of cuda*.c that failed
  atomic_bool taken;       // by a thread that lives
  SinterKept kept;         // memory that it released
  struct SinterThread *next;
} SinterThread;

// The record of this thread. The first time it is made: NULL if there is no memory for it.
SinterThread *sinter_rt_thread(void);

// The same, but NULL if it was never made.
SinterThread *sinter_rt_known_thread(void);

// Whether a thread is in a call.
bool sinter_rt_busy(void);

// Whether a record could not be made, on any thread.
bool sinter_rt_thread_failed(void);

#pragma GCC visibility pop

#endif
