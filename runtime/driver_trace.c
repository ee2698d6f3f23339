// driver_trace.c: what happened when, as a file in Chrome's trace-event format.
//
//   {"traceEvents": [{"ph": "X", "pid": 1, "tid": 1, "ts": 0.000, "dur": 12.500, "name": "main_kernel0", ...}, ...]}
//
// about:tracing and https://ui.perfetto.dev open it. Process 1 is the tool: what it did before the program ran. Process
// 2 is the program: a line of calls and kernels, and on a CPU one for each thread's tasks. On a device the times of
// kernels are its own, each call's laid out from where its first kernel was launched. Processes from 3 on are kernels
// of several phases that keep the time (sinter-cc --clocks), in the last call: a line for each block, of the phases
// that it had a part of and the waits for other blocks between them.

#include "driver_parts.h"
#include "file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 4, TOOL = 1, PROGRAM = 2, HOST = 0, FIRST_CLOCKED = 3 };

typedef struct Trace {
  FILE *to;
  double zero; // seconds that are 0 in the file
  bool comma;
} Trace;

void sinter_put_string(FILE *to, const char *text) {
  putc('"', to);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    if (*c == '"' || *c == '\\')
      fprintf(to, "\\%c", *c);
    else if (*c < ' ')
      fprintf(to, "\\u%04x", *c);
    else
      putc(*c, to);
  putc('"', to);
}

static void open_event(Trace *t, const char *name, const char *phase, int pid, int tid) {
  fprintf(t->to, "%s{\"name\": ", t->comma ? ",\n" : "");
  sinter_put_string(t->to, name);
  fprintf(t->to, ", \"ph\": \"%s\", \"pid\": %d, \"tid\": %d", phase, pid, tid);
  t->comma = true;
}

static void span(Trace *t, const char *name, int pid, int tid, double begin, double end) {
  open_event(t, name, "X", pid, tid);
  fprintf(t->to, ", \"ts\": %.3f, \"dur\": %.3f", (begin - t->zero) * 1e6, (end > begin ? end - begin : 0) * 1e6);
}

static void name_line(Trace *t, const char *what, int pid, int tid, const char *name) {
  open_event(t, what, "M", pid, tid);
  fprintf(t->to, ", \"args\": {\"name\": ");
  sinter_put_string(t->to, name);
  fprintf(t->to, "}}");
}

static const char *kernel_name(const SinterFunctionDetails *d, int32_t k) {
  return k >= 0 && k < d->num_kernels ? d->kernels[k].name : "kernel";
}

static void put_kernel(Trace *t, const SinterFunctionDetails *d, const SinterCosts *costs, const SinterSpan *s,
                       double shift) {
  span(t, kernel_name(d, s->kernel), PROGRAM, HOST, s->begin + shift, s->end + shift);
  fprintf(t->to, ", \"args\": {\"call\": %d, \"kind\": ", s->call);
  sinter_put_string(t->to, s->kernel >= 0 && s->kernel < d->num_kernels ? d->kernels[s->kernel].kind : "");
  if (costs->kernels && s->kernel >= 0 && costs->kernels[s->kernel].runs == 1) {
    const SinterKernelCost *c = &costs->kernels[s->kernel];
    fprintf(t->to, ", \"bytes_read\": %lld, \"bytes_written\": %lld, \"flops\": %lld", (long long)c->bytes_read,
            (long long)c->bytes_written, (long long)c->flops);
  }
  fprintf(t->to, "}}");
}

static void put_tasks(Trace *t, const SinterFunctionDetails *d, const SinterProfile *p) {
  for (int32_t k = 0; k < p->num_threads && k < SINTER_PROFILE_THREADS; k++) {
    char name[32];
    snprintf(name, sizeof name, "thread %d", k);
    name_line(t, "thread_name", PROGRAM, k + 1, name);
    for (int64_t i = 0; i < p->threads[k].size; i++) {
      const SinterSpan *s = &p->threads[k].data[i];
      span(t, kernel_name(d, s->kernel), PROGRAM, k + 1, s->begin, s->end);
      fprintf(t->to, ", \"args\": {\"call\": %d, \"tasks\": %lld}}", s->call, (long long)s->tasks);
    }
  }
}

// Where the kernel began in the last call, as the trace has it.
static double last_begin(const SinterProfile *p, const SinterFunctionDetails *d, const char *kernel,
                         const double *calls) {
  for (int64_t i = p->kernels.size; i-- > 0;)
    if (!strcmp(kernel_name(d, p->kernels.data[i].kernel), kernel))
      return p->kernels.data[i].begin + calls[p->kernels.data[i].call];
  return -1;
}

static void put_block(Trace *t, const SinterKernelClocks *c, int pid, int32_t block, const int64_t *times,
                      double shift) {
  static const char wait[] = "waits for other blocks";
  char name[32];
  snprintf(name, sizeof name, "block %d", block);
  name_line(t, "thread_name", pid, block + 1, name);
  for (int32_t phase = 0; phase < c->num_phases; phase++) {
    double began = (double)times[2 * phase] * 1e-9 + shift, ended = (double)times[2 * phase + 1] * 1e-9 + shift;
    span(t, c->phases[phase], pid, block + 1, began, ended);
    fprintf(t->to, ", \"args\": {\"phase\": %d}}", phase);
    if (phase + 1 == c->num_phases)
      break;
    span(t, wait, pid, block + 1, ended, (double)times[2 * phase + 2] * 1e-9 + shift);
    fprintf(t->to, ", \"cname\": \"grey\"}");
  }
}

// The device's timer counts from some day: the first block to begin does so where the kernel did.
static bool put_clocks(Trace *t, const SinterProfile *p, const SinterFunctionDetails *d, const double *calls) {
  const SinterLibraryDetails *of = p->r->library->details;
  bool ok = true;
  for (int64_t i = 0; d->clocked && i < of->num_clocks && ok; i++) {
    const SinterKernelClocks *c = &of->clocks[i];
    int64_t each = 2 * (int64_t)c->num_phases, *times = calloc((size_t)(c->blocks * each), sizeof *times);
    double begin = last_begin(p, d, c->kernel, calls);
    int pid = FIRST_CLOCKED + (int)i;
    ok = times && (begin < 0 || of->read_clocks(c, times) == SINTER_OK);
    int64_t first = times ? times[0] : 0;
    for (int32_t block = 0; ok && block < c->blocks; block++)
      if (times[block * each]) // 0: the device holds fewer blocks
        first = times[block * each] < first ? times[block * each] : first;
    for (int64_t n = 0; ok && n < c->blocks * each; n++)
      times[n] -= first; // so many nanoseconds since that day are more than a double holds
    if (ok && begin >= 0)
      name_line(t, "process_name", pid, 0, c->kernel);
    for (int32_t block = 0; ok && begin >= 0 && block < c->blocks && times[block * each] >= 0; block++)
      put_block(t, c, pid, block, times + block * each, begin);
    free(times);
  }
  return ok;
}

static bool put(Trace *t, const SinterProfile *p, const SinterDriverOptions *options, const SinterCosts *costs,
                const double *calls) {
  const SinterFunctionDetails *d = sinter_driver_details(p->r->library, p->r->f);
  bool device = sinter_run_on_device(p->r);
  fprintf(t->to, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
  name_line(t, "process_name", TOOL, 0, options->program);
  name_line(t, "process_name", PROGRAM, 0, p->r->f->name);
  name_line(t, "thread_name", PROGRAM, HOST, device ? "kernels on the device" : "calls and kernels");
  for (int32_t i = 0; i < options->num_phases; i++) {
    span(t, options->phases[i].name, TOOL, 0, options->phases[i].begin, options->phases[i].end);
    fprintf(t->to, "}");
  }
  for (int32_t i = 0; i < p->call; i++) {
    span(t, p->r->f->name, PROGRAM, HOST, calls[i], calls[i + CALLS]);
    fprintf(t->to, ", \"args\": {\"call\": %d}}", i);
  }
  for (int64_t i = 0; i < p->kernels.size; i++)
    put_kernel(t, d, costs, &p->kernels.data[i], device ? calls[p->kernels.data[i].call] : 0);
  put_tasks(t, d, p);
  bool ok = put_clocks(t, p, d, calls);
  fprintf(t->to, "\n]}\n");
  return ok;
}

SinterExit sinter_driver_trace(SinterRun *r, const SinterDriverOptions *options, const SinterCosts *costs,
                               SinterMessage *message) {
  SinterProfile *p = calloc(1, sizeof *p);
  if (!p)
    return sinter_driver_fail(message, SINTER_EXIT_RUN, "not enough memory for a profile");
  p->r = r;
  p->tasks = true;
  double calls[2 * CALLS]; // their beginnings, then their ends
  bool ok = true;
  for (int i = 0; i < CALLS && ok; i++) {
    calls[i] = sinter_driver_now();
    ok = sinter_profile_call(p);
    calls[i + CALLS] = sinter_driver_now();
  }
  SinterExit code = r->code;
  SinterFile file;
  if (ok && sinter_file_create(&file, options->profile, false)) {
    Trace t = {file.to, options->num_phases > 0 ? options->phases[0].begin : calls[0], false};
    bool whole = put(&t, p, options, costs, calls);
    ok = sinter_file_finish(&file);
    if (ok && !whole)
      code = sinter_driver_fail(message, SINTER_EXIT_RUN, "cannot read when the phases of kernels began");
    ok = ok && whole;
  } else if (ok) {
    ok = false;
  }
  if (!ok && code == SINTER_EXIT_OK)
    code = sinter_driver_fail(message, SINTER_EXIT_RUN, "%.500s: cannot write: %s", options->profile, strerror(errno));
  sinter_profile_free(p);
  free(p);
  return code;
}
