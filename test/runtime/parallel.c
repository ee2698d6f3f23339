// Every task runs once, on any number of threads, on the embedder's threads,
// nested, from several threads and in a forked child; and an assert that fails
// in a task is the call's.

#include "check.h"
#include "runtime/runtime.h"

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 10007 };

static void mark(void *context, int64_t i) { atomic_fetch_add(&((_Atomic int *)context)[i], 1); }

static void all_once(int64_t count) {
  _Atomic int *marks = calloc((size_t)count + 1, sizeof *marks);
  sinter_rt_parallel(mark, marks, count);
  for (int64_t i = 0; i < count; i++)
    CHECK(atomic_load(&marks[i]) == 1);
  CHECK(atomic_load(&marks[count]) == 0);
  free(marks);
}

// No two tasks that run at once have one slot; 64 that never give theirs back have all.
static int64_t taken;
static _Atomic int users[64];
static void in_slot(void *context, int64_t i) {
  int64_t slot = sinter_rt_take_slot(&taken);
  CHECK(atomic_fetch_add(&users[slot], 1) == 0);
  for (volatile int k = 0; k < 1000; k++)
    ;
  atomic_fetch_sub(&users[slot], 1);
  if (!context)
    sinter_rt_give_slot(&taken, slot);
}
static void slots(void) {
  taken = 0;
  sinter_rt_parallel(in_slot, NULL, 64);
  CHECK(taken == 0);
  sinter_rt_parallel(in_slot, &taken, 64);
  CHECK(taken == -1);
}

static void nested(void *context, int64_t i) {
  sinter_rt_set_threads(1); // ignored here
  sinter_rt_parallel(mark, (_Atomic int *)context + i * 100, 100);
}

static void all_nested(void) {
  _Atomic int *marks = calloc(1000, sizeof *marks);
  sinter_rt_parallel(nested, marks, 10);
  for (int i = 0; i < 1000; i++)
    CHECK(atomic_load(&marks[i]) == 1);
  free(marks);
}

// Tasks round as the caller does, on whatever thread.
static void look(void *context, int64_t i) {
  volatile float small = 1e-38f, one = 1;
  ((int *)context)[i] = one + small > one;
  for (volatile int k = 0; k < 10000; k++) // long enough for all threads to come
    ;
}
static void rounding(void) {
  static int upward[512];
  fesetround(FE_UPWARD);
  sinter_rt_parallel(look, upward, 512);
  fesetround(FE_TONEAREST);
  int count = 0;
  for (int i = 0; i < 512; i++)
    count += upward[i];
  CHECK(count == 512);
  sinter_rt_parallel(look, upward, 512);
  for (int i = 0; i < 512; i++)
    count -= !upward[i];
  CHECK(count == 0);
}

// Regions of very different lengths, with pauses in which threads go to sleep.
static void sleepy(void *context, int64_t i) {
  if (i == 0)
    usleep(500);
  mark(context, i);
}
static void all_wake(void) {
  for (int round = 0; round < 50; round++) {
    _Atomic int marks[8] = {0};
    if (round % 3 == 0)
      usleep(500);
    sinter_rt_parallel(round % 5 ? mark : sleepy, marks, 8);
    for (int i = 0; i < 8; i++)
      CHECK(atomic_load(&marks[i]) == 1);
  }
}

static int64_t backwards_calls;

static void backwards(void *pool, SinterTask task, void *context, int64_t count) {
  CHECK(pool == &backwards_calls);
  backwards_calls++;
  while (count-- > 0)
    task(context, count);
}

static void fail_odd(void *context, int64_t i) {
  (void)context;
  if (i % 2)
    sinter_rt_fail("odd");
}

static void packed(void **d) {
  (void)d;
  sinter_rt_parallel(fail_odd, NULL, 1000);
  CHECK(sinter_rt_status() == SINTER_ASSERT_FAILED);
}

static void packed_good(void **d) {
  (void)d;
  all_once(100);
}

static const SinterFunction bad = {"bad", kDLCPU, 0, 0, 0, NULL, NULL, 0, packed, NULL, NULL};
static const SinterFunction good = {"good", kDLCPU, 0,           0,    0,   NULL,
                                    NULL,   0,      packed_good, NULL, NULL};

static void *caller(void *argument) {
  for (int i = 0; i < 100; i++) {
    CHECK(sinter_rt_call(argument ? &bad : &good, NULL, NULL, NULL, NULL) ==
          (argument ? SINTER_ASSERT_FAILED : SINTER_OK));
    CHECK_TEXT(sinter_rt_last_error(), argument ? "bad: odd" : "");
  }
  return NULL;
}

int main(void) {
  static const int32_t threads[] = {0, 1, 2, 3, 7, 16};
  for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
    sinter_rt_set_threads(threads[t]);
    static const int64_t counts[] = {-1, 0, 1, 2, 3, 64, COUNT};
    for (size_t i = 1; i < sizeof counts / sizeof *counts; i++)
      all_once(counts[i]);
    sinter_rt_parallel(mark, NULL, counts[0]);
    all_nested();
    slots();
    rounding();
    all_wake();
    caller(NULL);
    caller("fails");

    pthread_t callers[4];
    for (int i = 0; i < 4; i++)
      pthread_create(&callers[i], NULL, caller, i % 2 ? "fails" : NULL);
    for (int i = 0; i < 4; i++)
      pthread_join(callers[i], NULL);
  }

  sinter_rt_set_parallel(backwards, &backwards_calls);
  all_once(COUNT);
  all_nested();
  caller("fails");
  CHECK(backwards_calls == 1 + 1 + 100);
  sinter_rt_set_parallel(NULL, NULL);
  all_once(COUNT);
  CHECK(backwards_calls == 1 + 1 + 100);

  sinter_rt_set_threads(3);
  all_once(COUNT);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    all_once(COUNT);
    exit(failures != 0);
  }
  int status = 1;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return failures != 0;
}
