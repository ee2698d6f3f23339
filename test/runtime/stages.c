// Tasks of a sequence run once, and not before all that their form waits for, on any number of threads, on the
// embedder's threads, inside of a task, and from several threads at once; one that waits for a long time sleeps; and a
// task that fails or that has no memory is the call's error, and keeps nobody waiting.

#include "check.h"
#include "runtime/runtime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORMS = 40, MOST = 3 * FORMS };

typedef struct Drawn Drawn;
typedef struct {
  Drawn *of;
  int64_t form, count, needs; // stages that must have run
  int value;                  // set by its first task, by no atomic: who reads it has waited
  _Atomic int64_t ran;
} Stage;

struct Drawn {
  int64_t n, waits[FORMS], end[FORMS];
  int slow; // microseconds that a task takes, now and then
  Stage stages[MOST];
  unsigned char *memory;
};

static int64_t number(unsigned *seed, int64_t below) {
  *seed = *seed * 1664525u + 1013904223u;
  return (int64_t)(*seed >> 8) % below;
}

static void task(void *context, int64_t i) {
  Stage *s = context;
  Drawn *d = s->of;
  CHECK(i >= 0 && i < s->count);
  for (int64_t k = 0; k < s->needs; k++) {
    CHECK(atomic_load_explicit(&d->stages[k].ran, memory_order_relaxed) == d->stages[k].count);
    CHECK(d->stages[k].count == 0 || d->stages[k].value == 1);
  }
  if (d->slow && i % 3 == 1)
    usleep((useconds_t)d->slow);
  if (i == 0)
    s->value = 1;
  atomic_fetch_add_explicit(&s->ran, 1, memory_order_relaxed);
}

static void draw(Drawn *d, unsigned seed, int slow) {
  memset(d, 0, sizeof *d);
  d->slow = slow;
  for (int64_t f = 0; f < FORMS; f++) {
    d->waits[f] = number(&seed, f + 1);
    int64_t stages = 1 + number(&seed, 3);
    for (int64_t k = 0; k < stages; k++) {
      Stage *s = &d->stages[d->n];
      s->of = d;
      s->form = f;
      s->count = number(&seed, 4) ? number(&seed, 20) : number(&seed, 2);
      // Of one form each stage is behind all in front of it.
      s->needs = k ? d->n : d->waits[f] ? d->end[d->waits[f] - 1] : 0;
      d->n++;
    }
    d->end[f] = d->n;
  }
  d->memory = aligned_alloc(64, SINTER_SEQUENCE_HEADER + MOST * SINTER_SEQUENCE_STAGE);
}

static void run_drawn(Drawn *d) {
  sinter_rt_sequence_begin(d->memory);
  for (int64_t f = 0, s = 0; f < FORMS; f++) {
    sinter_rt_sequence_form(d->memory, d->waits[f]);
    for (; s < d->end[f]; s++)
      sinter_rt_sequence_stage(task, &d->stages[s], d->stages[s].count, d->memory);
  }
  sinter_rt_sequence_run(d->memory);
  for (int64_t s = 0; s < d->n; s++)
    CHECK(d->stages[s].ran == d->stages[s].count);
}

static void drawn(unsigned seeds, int slow) {
  Drawn *d = malloc(sizeof *d);
  for (unsigned seed = 1; seed <= seeds; seed++) {
    draw(d, seed, slow);
    run_drawn(d);
    free(d->memory);
  }
  free(d);
}

static void packed(void **descriptors) {
  (void)descriptors;
  drawn(5, 0);
}

static void fail_odd(void *context, int64_t i) {
  (void)context;
  if (i % 2)
    sinter_rt_fail("odd");
}
static void no_memory(void *context, int64_t i) {
  (void)context;
  if (i % 2)
    sinter_rt_allocate(INT64_MAX); // does not return
}
static void mark(void *context, int64_t i) {
  (void)i;
  atomic_fetch_add((_Atomic int *)context, 1);
}
// Behind a stage that fails the others run, as kernels do behind one that fails.
static void failing(SinterTask bad) {
  _Atomic int marks = 0;
  void *memory = aligned_alloc(64, SINTER_SEQUENCE_HEADER + 2 * SINTER_SEQUENCE_STAGE);
  sinter_rt_sequence_begin(memory);
  sinter_rt_sequence_form(memory, 0);
  sinter_rt_sequence_stage(bad, NULL, 100, memory);
  sinter_rt_sequence_form(memory, 1);
  sinter_rt_sequence_stage(mark, &marks, 100, memory);
  sinter_rt_sequence_run(memory);
  CHECK(marks == 100);
  free(memory);
}
static void packed_bad(void **d) {
  (void)d;
  failing(fail_odd);
}
static void packed_empty(void **d) {
  (void)d;
  failing(no_memory);
}

static const SinterFunction good = {"good", kDLCPU, 0, 0, 0, NULL, NULL, 0, packed, NULL, NULL};
static const SinterFunction bad = {"bad", kDLCPU, 0, 0, 0, NULL, NULL, 0, packed_bad, NULL, NULL};
static const SinterFunction empty = {"empty", kDLCPU, 0, 0, 0, NULL, NULL, 0, packed_empty, NULL, NULL};

static void *caller(void *argument) {
  for (int i = 0; i < 10; i++) {
    CHECK(sinter_rt_call(argument ? &bad : &good, NULL, NULL, NULL, NULL) ==
          (argument ? SINTER_ASSERT_FAILED : SINTER_OK));
    CHECK_TEXT(sinter_rt_last_error(), argument ? "bad: odd" : "");
    CHECK(sinter_rt_call(&empty, NULL, NULL, NULL, NULL) == SINTER_OUT_OF_MEMORY);
  }
  return NULL;
}

static void nested(void *context, int64_t i) {
  (void)context;
  (void)i;
  drawn(2, 0);
}

static void backwards(void *pool, SinterTask t, void *context, int64_t count) {
  (void)pool;
  while (count-- > 0)
    t(context, count);
}

int main(void) {
  alarm(200); // who waits for ever is wrong
  static const int32_t threads[] = {0, 1, 2, 3, 7, 16};
  for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
    sinter_rt_set_threads(threads[t]);
    drawn(100, 0);
    drawn(1, 300); // longer than anybody spins
    sinter_rt_parallel(nested, NULL, 5);
    caller(NULL);
    caller("fails");
    pthread_t callers[4];
    for (int i = 0; i < 4; i++)
      pthread_create(&callers[i], NULL, caller, i % 2 ? "fails" : NULL);
    for (int i = 0; i < 4; i++)
      pthread_join(callers[i], NULL);
  }
  sinter_rt_set_threads(3);
  sinter_rt_set_parallel(backwards, NULL);
  drawn(100, 0);
  caller("fails");
  sinter_rt_set_parallel(NULL, NULL);
  return failures != 0;
}
