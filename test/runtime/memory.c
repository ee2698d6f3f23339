// Tasks of one call allocate and release on all threads at once; what a task leaves behind, and a
// task that finds no memory, are the call's to clear up.

#include "check.h"
#include "runtime/runtime.h"
#include "runtime/thread.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

// What a call released the next one has again: the same pages, which are the process's already.
static void *taken[2][4];
static void packed_again(void **descriptors) {
  (void)descriptors;
  static int call;
  void **of = taken[call++ % 2];
  for (int k = 0; k < 4; ++k)
    of[k] = memset(sinter_rt_allocate(100000 << k), k, 100000 << k);
  for (int k = 0; k < 4; ++k)
    sinter_rt_release(of[k]);
}

// A large piece is not held by a small one; what would be too much is not kept.
static void packed_bounds(void **descriptors) {
  (void)descriptors;
  SinterKept *kept = &sinter_rt_thread()->kept;
  for (int k = 0; k < 100; ++k)
    sinter_rt_release(sinter_rt_allocate(k % 2 ? 3 << 20 : 5 << 13));
  void *large = sinter_rt_allocate(3 << 20), *more[100];
  sinter_rt_release(large);
  void *small = sinter_rt_allocate(1 << 20);
  CHECK(small != large);
  sinter_rt_release(small);
  for (int k = 0; k < 100; ++k)
    more[k] = sinter_rt_allocate((k + 1) << 16);
  for (int k = 0; k < 100; ++k) {
    sinter_rt_release(more[k]);
    CHECK(kept->bytes <= SINTER_KEPT_MOST && kept->count <= SINTER_KEPT_PIECES);
  }
  int count = kept->count;
  sinter_rt_release(sinter_rt_allocate(SINTER_KEPT_MOST));
  sinter_rt_release(sinter_rt_allocate(100));
  CHECK(kept->count == count && count > 0);
}

// A call without a workspace takes what the last one had.
enum { WORKSPACE = 100 << 20 };
static size_t kept_in_call;
static void packed_workspace(void **descriptors) {
  CHECK(((void **)descriptors[0])[1] != NULL);
  kept_in_call = sinter_rt_thread()->kept.bytes;
}

static void test_workspace(void) {
  SinterFunction working = {
      .name = "working", .device = kDLCPU, .packed = packed_workspace, .workspace_bytes = WORKSPACE};
  CHECK(sinter_rt_call(&working, NULL, NULL, NULL, NULL) == SINTER_OK);
  size_t kept = sinter_rt_thread()->kept.bytes;
  CHECK(kept >= WORKSPACE);
  CHECK(sinter_rt_call(&working, NULL, NULL, NULL, NULL) == SINTER_OK);
  CHECK(kept_in_call == kept - WORKSPACE && sinter_rt_thread()->kept.bytes == kept);
}

#if !__has_feature(address_sanitizer) // which needs terabytes of addresses
// What is kept makes room for a call that needs it: of its workspace, and of what it allocates.
static size_t address_space(void) { // in use
  size_t pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  CHECK(f && fscanf(f, "%zu", &pages) == 1);
  if (f)
    fclose(f);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}
static void packed_nothing(void **descriptors) { (void)descriptors; }
static void packed_allocate(void **descriptors) {
  (void)descriptors;
  sinter_rt_release(sinter_rt_allocate(2 * WORKSPACE));
}

static void test_room(void) {
  sinter_rt_set_threads(1); // or one of the pool's, late to its first allocation, would take addresses beside
  SinterFunction small = {.name = "small", .device = kDLCPU, .packed = packed_nothing, .workspace_bytes = WORKSPACE},
                 large = {.name = "large",
                          .device = kDLCPU,
                          .packed = packed_nothing,
                          .workspace_bytes = 5 * (WORKSPACE / 2)},
                 allocates = {.name = "allocates", .device = kDLCPU, .packed = packed_allocate},
                 *needs[] = {&large, &allocates};
  for (int k = 0; k < 2; ++k) {
    struct rlimit before, less;
    sinter_rt_kept_free(&sinter_rt_thread()->kept);
    CHECK(sinter_rt_call(&small, NULL, NULL, NULL, NULL) == SINTER_OK);
    CHECK(getrlimit(RLIMIT_AS, &before) == 0);
    less = before;
    less.rlim_cur = address_space() + 7 * (WORKSPACE / 4);
    CHECK(setrlimit(RLIMIT_AS, &less) == 0);
    CHECK(sinter_rt_call(needs[k], NULL, NULL, NULL, NULL) == SINTER_OK);
    CHECK(setrlimit(RLIMIT_AS, &before) == 0);
  }
}
#endif

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
  SinterFunction again = {.name = "again", .device = kDLCPU, .packed = packed_again};
  CHECK(sinter_rt_call(&again, NULL, NULL, NULL, NULL) == SINTER_OK);
  CHECK(sinter_rt_call(&again, NULL, NULL, NULL, NULL) == SINTER_OK);
  for (int k = 0; k < 4; ++k)
    CHECK(taken[0][k] == taken[1][k]);
  SinterFunction bounds = {.name = "bounds", .device = kDLCPU, .packed = packed_bounds};
  CHECK(sinter_rt_call(&bounds, NULL, NULL, NULL, NULL) == SINTER_OK);
  test_workspace();
#if !__has_feature(address_sanitizer)
  test_room();
#endif
  return failures != 0;
}
