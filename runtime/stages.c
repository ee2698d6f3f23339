// stages.c: stages of tasks in order, in one parallel region.
//
//   stage 0   [ ][ ][ ][ ]       thread 0 begins with the first half of each stage, thread 1 with the second
//   stage 1   [ ][ ][ ][ ]       after 1: not before all tasks of stage 0 have run
//   stage 2   [ ][ ]             after 1: while stage 1 runs, too
//
// Each thread walks the stages. It takes tasks of a stage as in a region of its own (pool.c): from its share, then from
// the ends of others' shares. Where none is left to take it goes on to the next stage, whoever still runs one; where
// there are some, it waits until the `after` first stages have run, and then takes.
//
// Nobody waits for ever: a thread is at a stage only when no task of an earlier one is left to take, and it holds no
// task while it waits. So what it waits for runs on other threads, and a task waits for nothing. One thread alone
// never waits, nor does it matter how many of the region's threads come, or when.
//
// Memory is of the call, in its workspace or allocated here: calls on several threads share nothing.
//
// test: test/runtime/stages.test

#include "call.h"
#include "helgrind.h"
#include "pool.h"

#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <string.h>

// Tasks [first, end) that nobody has taken, in one word so that they are taken at once.
typedef _Atomic uint64_t Share;
static uint64_t share(uint64_t first, uint64_t end) { return end << 32 | first; }

typedef struct {
  SinterTask task;
  void *context;
  int64_t count, after;
  int64_t end_of_form;               // of the form whose number is this stage's: the stage behind its last one
  alignas(64) _Atomic uint32_t left; // tasks that have not run
} Stage;

typedef struct {
  int64_t stages, forms;
  int64_t after; // of the next stage; -1: of all in front of it
  Share *shares; // one for each stage, of each thread
  int64_t threads;
  _Atomic uint32_t events; // stages that were done while somebody slept
  _Atomic int32_t sleepers;
} Header;

static_assert(sizeof(Header) <= SINTER_SEQUENCE_HEADER && sizeof(Stage) == SINTER_SEQUENCE_STAGE, "runtime.h");

static Stage *stages_of(void *sequence) { return (Stage *)((char *)sequence + SINTER_SEQUENCE_HEADER); }

// ---- what there is to do ---------------------------------------------------------------

void sinter_rt_sequence_begin(void *sequence) { memset(sequence, 0, SINTER_SEQUENCE_HEADER); }

void sinter_rt_sequence_form(void *sequence, int64_t waits) {
  Header *q = sequence;
  Stage *stages = stages_of(q);
  if (q->forms > 0)
    stages[q->forms - 1].end_of_form = q->stages;
  q->forms++;
  q->after = waits > 0 ? stages[waits - 1].end_of_form : 0;
}

void sinter_rt_sequence_stage(SinterTask task, void *context, int64_t count, void *sequence) {
  Header *q = sequence;
  Stage *s = &stages_of(q)[q->stages];
  s->task = task;
  s->context = context;
  s->count = count > 0 ? count : 0;
  s->after = q->after >= 0 ? q->after : q->stages;
  atomic_store_explicit(&s->left, (uint32_t)s->count, memory_order_relaxed);
  q->stages++;
  q->after = -1;
}

// ---- waiting ------------------------------------------------------------------------------

static void wait_for(Header *q, Stage *s) {
  uint32_t left = atomic_load_explicit(&s->left, memory_order_acquire);
  while (left) {
    if (!sinter_pool_changes_soon(&s->left, UINT32_MAX, left)) {
      // Either the last task's thread sees a sleeper, or we see that it was the last.
      atomic_fetch_add(&q->sleepers, 1);
      uint32_t events = atomic_load(&q->events);
      if (atomic_load(&s->left))
        sinter_pool_sleep_on(&q->events, events);
      atomic_fetch_sub(&q->sleepers, 1);
    }
    left = atomic_load_explicit(&s->left, memory_order_acquire);
  }
  ANNOTATE_HAPPENS_AFTER(&s->left);
}

static void done(Header *q, Stage *s, uint32_t tasks) {
  atomic_thread_fence(memory_order_seq_cst); // stores past the caches are ordered by nothing else
  ANNOTATE_HAPPENS_BEFORE(&s->left);
  if (atomic_fetch_sub(&s->left, tasks) == tasks && atomic_load(&q->sleepers) > 0) {
    atomic_fetch_add(&q->events, 1);
    sinter_pool_wake(&q->events, INT32_MAX);
  }
}

// ---- taking tasks ---------------------------------------------------------------------------

static bool has_tasks(Header *q, int64_t stage) {
  for (int64_t t = 0; t < q->threads; t++) {
    uint64_t s = atomic_load_explicit(&q->shares[t * q->stages + stage], memory_order_relaxed);
    if ((uint32_t)s < s >> 32)
      return true;
  }
  return false;
}

// The next task of a share, its first or its last; -1: there is none.
static int64_t take(Share *from, bool first) {
  uint64_t s = atomic_load_explicit(from, memory_order_relaxed);
  while ((uint32_t)s < s >> 32) {
    uint64_t rest = first ? s + 1 : s - ((uint64_t)1 << 32);
    if (atomic_compare_exchange_weak_explicit(from, &s, rest, memory_order_relaxed, memory_order_relaxed))
      return first ? (int64_t)(uint32_t)s : (int64_t)(rest >> 32);
  }
  return -1;
}

static void walk(void *sequence, int64_t thread) {
  Header *q = sequence;
  Stage *stages = stages_of(q);
  SinterCall *call = sinter_rt_current();
  int64_t waited = 0; // stages whose tasks have all run, as this thread knows
  for (int64_t i = 0; i < q->stages; i++) {
    if (!has_tasks(q, i))
      continue;
    Stage *s = &stages[i];
    for (; waited < s->after; waited++)
      wait_for(q, &stages[waited]);
    uint32_t tasks = 0;
    for (int64_t k = 0, task; k < q->threads; k++)
      while ((task = take(&q->shares[(thread + k) % q->threads * q->stages + i], k == 0)) >= 0) {
        sinter_rt_run(call, s->task, s->context, task); // an error ends the task, and it is done
        tasks++;
      }
    if (tasks)
      done(q, s, tasks);
  }
}

// In order, on this thread.
static void run_alone(Header *q) {
  Stage *stages = stages_of(q);
  for (int64_t i = 0; i < q->stages; i++)
    sinter_rt_parallel(stages[i].task, stages[i].context, stages[i].count);
}

void sinter_rt_sequence_run(void *sequence) {
  Header *q = sequence;
  q->threads = sinter_rt_threads();
  if (q->threads == 1 || q->stages == 0) {
    run_alone(q);
    return;
  }
  q->shares = sinter_rt_allocate(q->threads * q->stages * (int64_t)sizeof *q->shares);
  for (int64_t i = 0; i < q->stages; i++) {
    int64_t count = stages_of(q)[i].count, each = count / q->threads, more = count % q->threads, first = 0;
    for (int64_t t = 0; t < q->threads; t++) {
      int64_t end = first + each + (t < more);
      atomic_init(&q->shares[t * q->stages + i], share((uint64_t)first, (uint64_t)end));
      first = end;
    }
  }
  sinter_rt_parallel(walk, q, q->threads);
  sinter_rt_release(q->shares);
}
