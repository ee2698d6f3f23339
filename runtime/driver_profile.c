// driver_profile.c: when the kernels and tasks of a call began and ended.

#include "cuda.h"
#include "driver_parts.h"

#include <stdlib.h>
#include <string.h>

static SinterSpan *append(SinterProfile *p, SinterSpans *s, SinterSpan span) {
  if (s->size == s->capacity) {
    int64_t capacity = s->capacity ? 2 * s->capacity : 256;
    SinterSpan *longer = realloc(s->data, (size_t)capacity * sizeof *longer);
    if (!longer) {
      p->failed = true;
      return NULL;
    }
    s->data = longer;
    s->capacity = capacity;
  }
  s->data[s->size] = span;
  return &s->data[s->size++];
}

// A device's clock is its own: an event in front of the kernels, and one behind them.
static void *record(SinterProfile *p) {
  void *event = NULL;
  if (p->failed || !sinter_run_cuda_ok(p->r, sinter_cuda_event_create(&event)) ||
      !sinter_run_cuda_ok(p->r, sinter_cuda_event_record(event, p->r->stream)))
    p->failed = true;
  return event;
}

static void begin(void *user, const SinterFunction *f, int32_t kernel) {
  (void)f;
  SinterProfile *p = user;
  SinterSpan span = {.kernel = kernel, .call = p->call};
  if (sinter_run_on_device(p->r))
    span.from = record(p);
  span.begin = sinter_driver_now();
  append(p, &p->kernels, span);
}

static void end(void *user, const SinterFunction *f, int32_t kernel) {
  (void)f, (void)kernel;
  SinterProfile *p = user;
  double now = sinter_driver_now();
  if (p->failed || p->kernels.size == 0)
    return;
  SinterSpan *span = &p->kernels.data[p->kernels.size - 1]; // kernels do not nest
  span->end = now;
  if (sinter_run_on_device(p->r))
    span->to = record(p);
}

// Which of the lists is this thread's, of which profile.
static _Thread_local SinterProfile *own_profile;
static _Thread_local int32_t own_list;

static void task(void *user, int begins) {
  SinterProfile *p = user;
  if (!p->tasks || p->failed || p->kernels.size == 0)
    return;
  if (own_profile != p) {
    own_profile = p;
    own_list = atomic_fetch_add(&p->num_threads, 1);
  }
  if (own_list >= SINTER_PROFILE_THREADS)
    return;
  SinterSpans *s = &p->threads[own_list];
  double now = sinter_driver_now();
  // The list of kernels stands still while tasks run: the thread that made the call waits for them.
  int64_t running = p->kernels.size - 1;
  SinterSpan *last = s->size > 0 ? &s->data[s->size - 1] : NULL;
  bool same = last && last->begin >= p->kernels.data[running].begin;
  if (!begins && last)
    last->end = now;
  else if (begins && same)
    last->tasks++;
  else if (begins)
    append(
        p, s,
        (SinterSpan){.kernel = p->kernels.data[running].kernel, .call = p->call, .begin = now, .end = now, .tasks = 1});
}

// The device is done: events become seconds from the first of them on.
static void settle(SinterProfile *p, int64_t first) {
  void *zero = p->kernels.size > first ? p->kernels.data[first].from : NULL;
  for (int64_t i = first; i < p->kernels.size; i++) {
    SinterSpan *s = &p->kernels.data[i];
    double at = 0, took = 0;
    if (!p->failed && (!sinter_run_cuda_ok(p->r, sinter_cuda_event_seconds(&at, zero, s->from)) ||
                       !sinter_run_cuda_ok(p->r, sinter_cuda_event_seconds(&took, s->from, s->to))))
      p->failed = true;
    s->begin = at;
    s->end = at + took;
  }
  for (int64_t i = first; i < p->kernels.size; i++) {
    sinter_cuda_event_destroy(p->kernels.data[i].from);
    sinter_cuda_event_destroy(p->kernels.data[i].to);
    p->kernels.data[i].from = p->kernels.data[i].to = NULL;
  }
}

bool sinter_profile_call(SinterProfile *p) {
  SinterProfiler profiler = {p, begin, end, task};
  int64_t first = p->kernels.size;
  p->r->library->details->set_profiler(&profiler);
  bool ok = sinter_run_call(p->r);
  p->r->library->details->set_profiler(NULL);
  bool device = sinter_run_on_device(p->r);
  if (ok && device)
    ok = sinter_run_cuda_ok(p->r, sinter_cuda_stream_wait(p->r->stream));
  if (device)
    settle(p, first);
  p->call++;
  if (ok && p->failed && p->r->code == SINTER_EXIT_OK)
    p->r->code = sinter_driver_fail(p->r->message, SINTER_EXIT_RUN, "not enough memory for a profile");
  return ok && !p->failed;
}

void sinter_profile_free(SinterProfile *p) {
  free(p->kernels.data);
  for (int i = 0; i < SINTER_PROFILE_THREADS; i++)
    free(p->threads[i].data);
  own_profile = NULL;
}

double *sinter_profile_kernels(SinterRun *r, double seconds) {
  enum { MOST_CALLS = 500, MOST_SAMPLES = 1 << 22 };
  int32_t n = sinter_driver_details(r->library, r->f)->num_kernels;
  int64_t most = n > 0 && MOST_SAMPLES / n < MOST_CALLS ? MOST_SAMPLES / n + 3 : MOST_CALLS, calls = 0;
  double *samples = calloc((size_t)(n * most + 1), sizeof *samples), *answer = calloc((size_t)n + 1, sizeof *answer);
  SinterProfile *p = calloc(1, sizeof *p);
  bool ok = samples && answer && p;
  if (!ok)
    r->code = sinter_driver_fail(r->message, SINTER_EXIT_RUN, "not enough memory for a profile");
  else
    p->r = r;
  double start = sinter_driver_now(), elapsed = 0;
  while (ok && calls < most && (elapsed < seconds || (calls < 3 && elapsed < 3 * seconds))) {
    p->kernels.size = 0;
    ok = sinter_profile_call(p);
    for (int64_t i = 0; i < p->kernels.size; i++)
      if (p->kernels.data[i].kernel >= 0 && p->kernels.data[i].kernel < n)
        samples[p->kernels.data[i].kernel * most + calls] += p->kernels.data[i].end - p->kernels.data[i].begin;
    calls++;
    elapsed = sinter_driver_now() - start;
  }
  for (int32_t k = 0; ok && k < n; k++) {
    double *s = samples + k * most;
    qsort(s, (size_t)calls, sizeof *s, sinter_by_size);
    answer[k] = (s[(calls - 1) / 2] + s[calls / 2]) / 2;
  }
  if (p)
    sinter_profile_free(p);
  free(p);
  free(samples);
  if (!ok)
    free(answer);
  return ok ? answer : NULL;
}
