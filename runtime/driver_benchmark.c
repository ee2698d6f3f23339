// driver_benchmark.c: the time of a call, and on CUDA of a copy of as many bytes.

#include "cuda.h"
#include "driver_parts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double read_clock(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double sinter_driver_now(void) { return read_clock(CLOCK_MONOTONIC); }

static double now(void) { return sinter_driver_now(); }

enum { EVENTS = 64, SAMPLES = 1 << 18 };

typedef struct Timer {
  void *from[EVENTS], *to[EVENTS]; // on CUDA
  double *samples;
  int64_t count;
  double processor; // seconds of a call, of all threads
} Timer;

// What is timed: a call, or a copy on the device.
typedef struct Work {
  bool (*run)(SinterRun *r, const struct Work *work);
  void *to, *from;
  int64_t bytes;
} Work;

static bool work_call(SinterRun *r, const Work *work) {
  (void)work;
  return sinter_run_call(r);
}

static bool work_copy(SinterRun *r, const Work *work) {
  return sinter_run_cuda_ok(r, sinter_cuda_copy(work->to, work->from, work->bytes, r->stream));
}

// One sample on the CPU, up to n queued at once on CUDA, so that the device
// does not wait for the host between them.
static bool sample(SinterRun *r, const Work *work, Timer *t, int64_t n) {
  if (!sinter_run_on_device(r)) {
    double start = now();
    if (!work->run(r, work))
      return false;
    t->samples[t->count++] = now() - start;
    return true;
  }
  for (int64_t i = 0; i < n; i++)
    if (!sinter_run_cuda_ok(r, sinter_cuda_event_record(t->from[i], r->stream)) ||
        !work->run(r, work) ||
        !sinter_run_cuda_ok(r, sinter_cuda_event_record(t->to[i], r->stream)))
      return false;
  if (!sinter_run_cuda_ok(r, sinter_cuda_stream_wait(r->stream)))
    return false;
  for (int64_t i = 0; i < n; i++)
    if (!sinter_run_cuda_ok(
            r, sinter_cuda_event_seconds(&t->samples[t->count++], t->from[i], t->to[i])))
      return false;
  return true;
}

// What is timed in turns with others, each with a timer of its own.
typedef struct Turn {
  SinterRun *r;
  const Work *work;
  Timer *timer;
} Turn;

// Samples of each in turns for so many seconds; at least three of them, unless that takes three times as long.
static bool sample_for(const Turn *turns, int n, double seconds) {
  for (int k = 0; k < n; k++)
    turns[k].timer->count = 0;
  double start = now(), processor = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  double elapsed = 0;
  int64_t *count = &turns[0].timer->count;
  while ((elapsed < seconds || (*count < 3 && elapsed < 3 * seconds)) && *count + EVENTS <= SAMPLES) {
    double per_sample = *count > 0 ? elapsed / (double)*count : seconds;
    double left = per_sample > 0 ? (seconds - elapsed) / per_sample : EVENTS;
    for (int k = 0; k < n; k++)
      if (!sample(turns[k].r, turns[k].work, turns[k].timer, left < 1 ? 1 : left > EVENTS ? EVENTS : (int64_t)left))
        return false;
    elapsed = now() - start;
  }
  turns[0].timer->processor = (read_clock(CLOCK_PROCESS_CPUTIME_ID) - processor) / (double)*count;
  return true;
}

int sinter_by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Warms up for a tenth of the time, then measures. A call that takes all of the time was warmed up by the first.
static bool measure_turns(const Turn *turns, int n, double seconds) {
  double start = now();
  if (!sample_for(turns, n, seconds / 10))
    return false;
  if (now() - start < seconds && !sample_for(turns, n, seconds))
    return false;
  for (int k = 0; k < n; k++)
    qsort(turns[k].timer->samples, (size_t)turns[k].timer->count, sizeof *turns[k].timer->samples, sinter_by_size);
  return true;
}

static bool measure(SinterRun *r, const Work *work, Timer *t, double seconds) {
  return measure_turns(&(Turn){r, work, t}, 1, seconds);
}

static double median(const Timer *t) {
  return (t->samples[(t->count - 1) / 2] + t->samples[t->count / 2]) / 2;
}

static bool measure_copy(SinterRun *r, Timer *t, double seconds, SinterMeasurement *m) {
  // A copy reads and writes: half of the function's bytes each. Less if the
  // device has no room for it.
  int64_t limit = (int64_t)2 << 30;
  int64_t bytes = (m->bytes_in + m->bytes_out + 1) / 2;
  Work work = {work_copy, NULL, NULL, bytes > limit ? limit : bytes};
  while (work.bytes > 0) {
    if (sinter_cuda_allocate(&work.from, work.bytes) == SINTER_OK) {
      if (sinter_cuda_allocate(&work.to, work.bytes) == SINTER_OK)
        break;
      sinter_cuda_free(work.from);
      work.from = NULL;
    }
    work.bytes /= 2;
  }
  bool ok = true;
  if (work.bytes > 0) {
    ok = sinter_run_cuda_ok(r, sinter_cuda_set(work.from, 0, work.bytes, r->stream)) &&
         measure(r, &work, t, seconds);
    m->copy_bytes = work.bytes;
    m->copy_median = ok ? median(t) : 0;
  }
  sinter_cuda_free(work.from);
  sinter_cuda_free(work.to);
  return ok;
}

static bool open_timer(SinterRun *r, Timer *t) {
  *t = (Timer){.count = 0};
  t->samples = malloc(SAMPLES * sizeof *t->samples);
  if (!t->samples) {
    r->code = sinter_driver_fail(r->message, SINTER_EXIT_RUN, "not enough memory for a benchmark");
    return false;
  }
  bool ok = true;
  for (int i = 0; i < EVENTS && ok && sinter_run_on_device(r); i++)
    ok = sinter_run_cuda_ok(r, sinter_cuda_event_create(&t->from[i])) &&
         sinter_run_cuda_ok(r, sinter_cuda_event_create(&t->to[i]));
  return ok;
}

static void close_timer(Timer *t) {
  for (int i = 0; i < EVENTS; i++) {
    sinter_cuda_event_destroy(t->from[i]);
    sinter_cuda_event_destroy(t->to[i]);
  }
  free(t->samples);
}

// The function alone, for the processor time of all threads; then, if there is one, in turns with the reference.
bool sinter_run_benchmark(SinterRun *r, SinterRun *reference, double seconds, SinterMeasurement *m) {
  Timer t[2] = {{.count = 0}, {.count = 0}};
  SinterCudaDevice device = {.name = ""};
  bool ok = open_timer(r, &t[0]) && (!reference || open_timer(reference, &t[1]));
  if (ok && sinter_run_on_device(r)) {
    ok = sinter_run_cuda_ok(r, sinter_cuda_describe(&device));
    memcpy(m->device, device.name, sizeof m->device);
  }
  Work work = {work_call, NULL, NULL, 0};
  if (ok && (ok = measure(r, &work, &t[0], seconds))) {
    m->processor = t[0].processor;
    m->median = median(&t[0]);
    m->minimum = t[0].samples[0];
    m->calls = t[0].count;
  }
  ok = ok && (!sinter_run_on_device(r) || measure_copy(r, &t[0], seconds < 0.5 ? seconds : 0.5, m));
  Turn both[] = {{r, &work, &t[0]}, {reference, &work, &t[1]}};
  if (ok && reference && (ok = measure_turns(both, 2, seconds))) {
    m->median = median(&t[0]);
    m->minimum = t[0].samples[0];
    m->calls = t[0].count;
    m->reference_median = median(&t[1]);
  }
  close_timer(&t[0]);
  close_timer(&t[1]);
  return ok;
}
