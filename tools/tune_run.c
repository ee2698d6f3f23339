// tune_run.c: candidates of a folder, verified and timed; the half of sinter-tune that runs where no compiler is.
//
//   AUTOTUNE rowwise:4096x32000:f32,i64,f32:f32,f32:8e1c66aa01b2f0c3 on NVIDIA H200
//     0.2551 ms   96.1 % of copy  1.00x  #sinter.gpu_rows<cluster = 4, ...>
//     0.2786 ms   88.0 % of copy  1.09x  #sinter.gpu_rows<cluster = 2, ...>  what sinter-schedule chooses
//     wrong: output 1 ...                #sinter.gpu_rows<cluster = 8, ...>
//
// Inputs and what is right are made once; each candidate then runs in a process of its own, so that one that
// hangs, or leaves a device unusable, costs nothing but itself. The fastest ones are measured once more.

#include "tools/tune.h"
#include "runtime/npy.h"
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---- options --------------------------------------------------------------------------

static const char *set_seconds(void *to, const char *value) {
  char *end;
  ((TuneOptions *)to)->seconds = strtod(value, &end);
  return *end || !(((TuneOptions *)to)->seconds > 0) ? "is not a number of seconds" : NULL;
}
static const char *set_limit(void *to, const char *value) {
  char *end;
  ((TuneOptions *)to)->limit = strtod(value, &end);
  return *end || !(((TuneOptions *)to)->limit >= 1) ? "is not a number of seconds, 1 or more" : NULL;
}
static const char *set_form(void *to, const char *value) {
  ((TuneOptions *)to)->form = value;
  return NULL;
}
static const char *set_out(void *to, const char *value) {
  ((TuneOptions *)to)->out = value;
  return *value ? NULL : "is no file";
}

const SinterOption tune_options[] = {
    {"tuning", "FILE", "write the best schedules to it; what it has of other forms stays", set_out},
    {"form", "TEXT", "only forms that have TEXT in what they are known by (default: all)", set_form},
    {"seconds", "S", "of one measurement (default: 0.1)", set_seconds},
    {"limit", "S", "of one candidate, all told (default: 60)", set_limit},
    {0},
};

// ---- candidates -------------------------------------------------------------------------

typedef struct {
  int32_t verified;
  SinterExit code;
  double seconds; // of a call
  double copy;    // bytes a second
  int64_t bytes;
  char device[128], why[400];
} Answer;

typedef struct {
  char *form, *schedule, *file;
  Answer answer;
} Candidate;

typedef struct {
  char target[8];
  Candidate *data;
  size_t size;
} Candidates;

static SinterExit complain(const TuneOptions *o, SinterExit code, const char *what, const char *why) {
  fflush(stdout);
  fprintf(stderr, "%s: error: %s: %s\n", o->driver.program, what, why);
  return code;
}

static char *field(char **rest) {
  char *start = *rest, *end = start ? strchr(start, '\t') : NULL;
  *rest = end ? end + 1 : NULL;
  if (end)
    *end = 0;
  return start ? start : "";
}

static SinterExit read_candidates(const char *folder, const TuneOptions *o, Candidates *all) {
  char path[4096];
  snprintf(path, sizeof path, "%s/candidates", folder);
  FILE *file = fopen(path, "r");
  if (!file)
    return complain(o, SINTER_EXIT_BAD_INPUT, path, strerror(errno));
  size_t capacity = 0, room = 0;
  char *line = NULL;
  bool head = getline(&line, &capacity, file) > 0 && sscanf(line, "target %7s", all->target) == 1;
  while (head && getline(&line, &capacity, file) >= 0) {
    line[strcspn(line, "\n")] = 0;
    if (all->size == room)
      all->data = realloc(all->data, (room = 2 * room + 16) * sizeof *all->data);
    char *rest = strdup(line);
    Candidate *c = &all->data[all->size++];
    *c = (Candidate){.form = field(&rest), .schedule = field(&rest), .file = field(&rest)};
    snprintf(c->answer.why, sizeof c->answer.why, "refused: %s", field(&rest));
  }
  free(line);
  fclose(file);
  return head && all->size ? SINTER_EXIT_OK : complain(o, SINTER_EXIT_BAD_INPUT, path, "is no list of candidates");
}

// ---- one candidate -------------------------------------------------------------------------

// What all candidates share.
typedef struct {
  const char *folder;
  const TuneOptions *options;
  SinterArray *inputs, *want;
  int32_t num_inputs, num_outputs;
} Shared;

static const SinterFunction *open_library(const Shared *s, const char *name, const SinterLibrary **library, SinterMessage *message) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s", s->folder, name);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  *library = handle ? dlsym(handle, "sinter_library") : NULL;
  if (*library)
    return sinter_driver_find(*library, s->options->driver.entry, message);
  snprintf(message->text, sizeof message->text, "%s", dlerror());
  return NULL;
}

static void measure(const Shared *s, const char *name, double seconds, Answer *answer) {
  SinterMessage message = {""};
  const SinterLibrary *library;
  const SinterFunction *f = open_library(s, name, &library, &message);
  SinterArray *got = calloc((size_t)s->num_outputs + 1, sizeof *got);
  SinterDriverOptions driver = s->options->driver;
  driver.benchmark = seconds;
  SinterMeasurement m;
  answer->code = f && got ? sinter_driver_run(library, f, &driver, s->inputs, got, &m, &message) : SINTER_EXIT_RUN;
  if (answer->code != SINTER_EXIT_OK) {
    snprintf(answer->why, sizeof answer->why, "failed: %.380s", message.text);
    return;
  }
  answer->verified = true;
  for (int32_t i = 0; i < s->num_outputs && answer->verified; i++) {
    double error;
    answer->verified = sinter_array_compare(&got[i], &s->want[i], driver.tolerance, &error, &message);
    if (!answer->verified)
      snprintf(answer->why, sizeof answer->why, "wrong: output %d %.360s", i, message.text);
  }
  // A machine that others use delays calls, and never speeds one up.
  answer->seconds = f->device == kDLCUDA ? m.median : m.minimum;
  answer->bytes = m.bytes_in + m.bytes_out;
  answer->copy = m.copy_bytes > 0 && m.copy_median > 0 ? 2 * (double)m.copy_bytes / m.copy_median : 0;
  memcpy(answer->device, m.device, sizeof answer->device);
}

// In a process of its own.
static void try_candidate(const Shared *s, Candidate *c, double seconds) {
  int ends[2];
  Answer answer = {.verified = false};
  double before = c->answer.verified ? c->answer.seconds : 0;
  fflush(stdout);
  if (pipe(ends)) {
    snprintf(c->answer.why, sizeof c->answer.why, "failed: %s", strerror(errno));
    return;
  }
  pid_t child = fork();
  if (!child) {
    alarm((unsigned)s->options->limit);
    measure(s, c->file, seconds, &answer);
    ssize_t written = write(ends[1], &answer, sizeof answer);
    _exit(written != (ssize_t)sizeof answer);
  }
  close(ends[1]);
  ssize_t n = child < 0 ? 0 : read(ends[0], &answer, sizeof answer);
  close(ends[0]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (n != (ssize_t)sizeof answer) {
    answer = (Answer){.verified = false};
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
      snprintf(answer.why, sizeof answer.why, "failed: no answer in %.0f s", s->options->limit);
    else
      snprintf(answer.why, sizeof answer.why, "failed: the process ended with %d", WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  } else if (before > 0 && before < answer.seconds && !answer.device[0]) {
    answer.seconds = before;
  }
  c->answer = answer;
}

// ---- a form ----------------------------------------------------------------------------------

static int by_time(const void *a, const void *b) {
  const Answer *x = &(*(Candidate *const *)a)->answer, *y = &(*(Candidate *const *)b)->answer;
  if (x->verified != y->verified)
    return y->verified - x->verified;
  return x->verified ? (x->seconds > y->seconds) - (x->seconds < y->seconds) : 0;
}

// Bytes a second of a copy by one thread, read and written.
static double copy_on_cpu(int64_t moved) {
  size_t half = (size_t)(moved / 2 < 4096 ? 4096 : moved / 2 > 1 << 28 ? 1 << 28 : moved / 2);
  char *from = malloc(half), *to = malloc(half);
  double best = 0;
  if (from && to)
    memset(from, 1, half);
  for (int i = 0; from && to && i < 20; i++) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    memcpy(to, from, half);
    clock_gettime(CLOCK_MONOTONIC, &b);
    double speed = 2 * (double)half / ((double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9);
    best = speed > best && to[half / 2] ? speed : best;
  }
  free(from);
  free(to);
  return best;
}

// The candidates of one form; the first is the cost model's. Answers the best, NULL if none is right, or no device is there.
static const Candidate *tune_form(const Shared *s, Candidate *first, size_t n) {
  Candidate **order = calloc(n, sizeof *order);
  for (size_t i = 0; i < n; i++) {
    order[i] = &first[i];
    if (strcmp(first[i].file, "-"))
      try_candidate(s, &first[i], s->options->seconds);
    if (first[i].answer.code == SINTER_EXIT_NO_DEVICE) {
      first->answer = first[i].answer;
      free(order);
      return NULL;
    }
  }
  qsort(order, n, sizeof *order, by_time);
  for (size_t i = 0; i < n && i < 3; i++)
    if (order[i]->answer.verified)
      try_candidate(s, order[i], 2 * s->options->seconds);
  if (first->answer.verified)
    try_candidate(s, first, 2 * s->options->seconds);
  qsort(order, n, sizeof *order, by_time);
  const Candidate *best = order[0]->answer.verified ? order[0] : NULL;
  double copy = best ? best->answer.copy > 0 ? best->answer.copy : copy_on_cpu(best->answer.bytes) : 0;
  printf("AUTOTUNE %s on %s", first->form, best && best->answer.device[0] ? best->answer.device : "the CPU");
  if (best)
    printf(", the program moves %lld bytes, a copy %.1f GB/s", (long long)best->answer.bytes, copy * 1e-9);
  printf("\n");
  for (size_t i = 0; i < n; i++) {
    const Answer *a = &order[i]->answer;
    if (a->verified)
      printf("  %10.4f ms  %5.1f %% of copy  %5.2fx  %s", a->seconds * 1e3, 100 * (double)a->bytes / a->seconds / copy, a->seconds / best->answer.seconds,
             order[i]->schedule);
    else
      printf("  %s  %s", a->why, order[i]->schedule);
    printf("%s\n", order[i] == first ? "  what sinter-schedule chooses" : "");
  }
  free(order);
  // What cannot be told apart stays as it is chosen.
  return best && first->answer.verified && first->answer.seconds <= 1.01 * best->answer.seconds ? first : best;
}

// ---- the tuning file ----------------------------------------------------------------------------

static void write_best(FILE *file, const Candidates *all, const Candidate *best, const Candidate *first) {
  fprintf(file, "// %s: %.4f ms, what sinter-schedule chooses ", best->answer.device[0] ? best->answer.device : "the CPU", best->answer.seconds * 1e3);
  if (first->answer.verified)
    fprintf(file, "%.4f ms\n", first->answer.seconds * 1e3);
  else
    fprintf(file, "is %s\n", first->answer.why);
  fprintf(file, "%s %s %s\n", all->target, best->form, best->schedule);
}

// Lines of other forms, with the comments in front of them.
static char *others(const char *path, const Candidates *all, const char *only) {
  char *kept = NULL, *line = NULL;
  size_t size = 0, capacity = 0;
  FILE *file = fopen(path, "r"), *to = open_memstream(&kept, &size);
  char comments[4096] = "";
  while (file && to && getline(&line, &capacity, file) >= 0) {
    char target[8], form[400];
    if (!strncmp(line, "//", 2)) {
      snprintf(comments + strlen(comments), sizeof comments - strlen(comments), "%s", line);
      continue;
    }
    bool ours = false;
    if (sscanf(line, "%7s %399s", target, form) == 2 && strstr(form, only))
      for (size_t i = 0; i < all->size; i++)
        ours |= !strcmp(target, all->target) && !strcmp(form, all->data[i].form);
    if (!ours)
      fprintf(to, "%s%s", comments, line);
    *comments = 0;
  }
  free(line);
  if (file)
    fclose(file);
  if (to)
    fclose(to);
  return kept;
}

// ---- all of it -----------------------------------------------------------------------------------

static SinterExit tune_all(const Shared *s, Candidates *all) {
  const char *path = s->options->out;
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  char *kept = path ? others(path, all, s->options->form) : NULL;
  if (kept)
    fputs(kept, file);
  free(kept);
  SinterExit code = SINTER_EXIT_OK;
  for (size_t i = 0, n; i < all->size && code != SINTER_EXIT_NO_DEVICE; i += n) {
    for (n = 1; i + n < all->size && !strcmp(all->data[i].form, all->data[i + n].form); n++)
      ;
    if (!strstr(all->data[i].form, s->options->form))
      continue;
    const Candidate *best = tune_form(s, &all->data[i], n);
    if (best)
      write_best(file, all, best, &all->data[i]);
    else if (all->data[i].answer.code == SINTER_EXIT_NO_DEVICE)
      code = complain(s->options, SINTER_EXIT_NO_DEVICE, "nothing is measured", all->data[i].answer.why);
    else
      code = complain(s->options, SINTER_EXIT_RUN, all->data[i].form, "no candidate is right");
  }
  fclose(file);
  // Written at the end: what is there stays if nothing can be measured.
  FILE *to = path && code != SINTER_EXIT_NO_DEVICE ? fopen(path, "w") : NULL;
  if (path && code != SINTER_EXIT_NO_DEVICE && (!to || fputs(text, to) < 0 || fclose(to)))
    code = complain(s->options, SINTER_EXIT_BAD_INPUT, path, strerror(errno));
  free(text);
  return code;
}

SinterExit tune_run(const char *folder, const TuneOptions *options) {
  Candidates all = {.size = 0};
  SinterExit code = read_candidates(folder, options, &all);
  if (code != SINTER_EXIT_OK)
    return code;
  Shared s = {.folder = folder, .options = options};
  SinterMessage message = {""};
  const SinterLibrary *library;
  const SinterFunction *f = open_library(&s, "reference.so", &library, &message);
  if (!f)
    return complain(options, SINTER_EXIT_BAD_INPUT, "the reference", message.text);
  s.num_inputs = f->num_inputs;
  s.num_outputs = f->num_outputs;
  s.inputs = calloc((size_t)f->num_inputs + 1, sizeof *s.inputs);
  s.want = calloc((size_t)f->num_outputs + 1, sizeof *s.want);
  SinterDriverOptions once = options->driver;
  once.benchmark = 0;
  SinterMeasurement ignored;
  code = sinter_driver_inputs(f, &once, s.inputs, &message);
  if (code == SINTER_EXIT_OK)
    code = sinter_driver_run(library, f, &once, s.inputs, s.want, &ignored, &message);
  code = code == SINTER_EXIT_OK ? tune_all(&s, &all) : complain(options, code, "the reference", message.text);
  sinter_arrays_free(s.inputs, s.num_inputs);
  sinter_arrays_free(s.want, s.num_outputs);
  free(s.inputs);
  free(s.want);
  free(all.data);
  return code;
}
