// Tasks of one call allocate and release on all threads at once; what a task leaves behind, and a
// task that finds no memory, are the call's to clear up.

#include "check.h"
#include "runtime/runtime.h"
#include <stdatomic.h>
#include <string.h>

static atomic_long after_missing;

static void churn(void *context, int64_t index) {
  (void)context;
  void *kept[16];
  for (int round = 0; round < 200; ++round) {
    for (int k = 0; k < 16; ++k) {
      int64_t bytes = 64 * (1 + (index * 7 + k * 13 + round) % 40);
      kept[k] = sinter_rt_allocate(bytes);
      memset(kept[k], (int)index, (size_t)bytes);
    }
    for (int k = 15; k > 0; --k)
      sinter_rt_release(kept[k]);
    if (round % 50)
      sinter_rt_release(kept[0]); // else it is left
  }
}
static void packed_churn(void **descriptors) {
  (void)descriptors;
  for (int round = 0; round < 20; ++round)
    sinter_rt_parallel(churn, NULL, 64);
}

static void greedy(void *context, int64_t index) {
  (void)context;
  if (index % 3 == 0) {
    sinter_rt_allocate(INT64_MAX / 2); // ends the task
    atomic_fetch_add(&after_missing, 1);
  }
}
static void packed_greedy(void **descriptors) {
  (void)descriptors;
  sinter_rt_parallel(greedy, NULL, 64);
}

int main(void) {
  SinterFunction churning = {.name = "churn", .device = kDLCPU, .packed = packed_churn};
  SinterFunction missing = {.name = "greedy", .device = kDLCPU, .packed = packed_greedy};
  for (int threads = 1; threads <= 4; ++threads) {
    sinter_rt_set_threads(threads);
    CHECK(sinter_rt_call(&churning, NULL, NULL, NULL, NULL) == SINTER_OK);
    CHECK(sinter_rt_call(&missing, NULL, NULL, NULL, NULL) == SINTER_OUT_OF_MEMORY);
    CHECK(strstr(sinter_rt_last_error(), "not enough memory") != NULL);
  }
  CHECK(after_missing == 0);
  return failures != 0;
}
