// count.c: what calls have done so far.

#include "call.h"

#include <stdatomic.h>

static _Atomic int64_t counters[3];

void sinter_rt_count(int32_t what, int64_t n) {
  SinterCall *call = sinter_rt_current();
  if (call && call->prepare)
    return;
  atomic_fetch_add_explicit(&counters[what], n, memory_order_relaxed);
}

void sinter_rt_stats(SinterStats *out) {
  out->kernels = atomic_load_explicit(&counters[SINTER_COUNT_KERNEL], memory_order_relaxed);
  out->library_calls =
      atomic_load_explicit(&counters[SINTER_COUNT_LIBRARY_CALL], memory_order_relaxed);
  out->bytes_temporary =
      atomic_load_explicit(&counters[SINTER_COUNT_TEMPORARY_BYTES], memory_order_relaxed);
}
