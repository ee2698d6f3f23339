// tune_run.c: candidates of a folder, verified and timed; the half of sinter-tune that runs where no compiler is.
//
//   AUTOTUNE rowwise:4096x32000:f32,i64,f32:f32,f32:8e1c66aa01b2f0c3 on NVIDIA H200
//     0.2551 ms   96.1 % of copy  0.92x  #sinter.gpu_rows<cluster = 4, ...>  kept
//     0.2786 ms   88.0 % of copy  1.00x  #sinter.gpu_rows<cluster = 2, ...>  what sinter-schedule chooses
//     wrong: output 1 ...                #sinter.gpu_rows<cluster = 8, ...>
//
// Inputs and what is right are made once; each measurement then runs in a process of its own, so that a candidate that
// hangs, or leaves a device unusable, costs nothing but itself. The fastest ones and the chosen one then take turns for
// some rounds (tune_rounds): a machine that others use slows all of a round, and what is kept has to win in each.

#include "tools/tune.h"
#include "tools/tune_file.h"
#include "runtime/npy.h"
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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
  size_t number; // of the form
  Answer answer;
  double gain; // its time over that of the chosen one in the same round: the median; 0: it was in no round
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
    *c = (Candidate){.number = strtoul(field(&rest), NULL, 10)};
    c->form = field(&rest);
    c->schedule = field(&rest);
    c->file = field(&rest);
    snprintf(c->answer.why, sizeof c->answer.why, "refused: %s", field(&rest));
  }
  free(line);
  fclose(file);
  return head && all->size ? SINTER_EXIT_OK : complain(o, SINTER_EXIT_BAD_INPUT, path, "is no list of candidates");
}

// ---- one candidate -------------------------------------------------------------------------

// What the candidates of a form share.
typedef struct {
  const char *folder;
  const TuneOptions *options;
  SinterArray *inputs, *want;
  int32_t num_inputs, num_outputs;
} Shared;

static const SinterFunction *open_library(const Shared *s, const char *name, const SinterLibrary **library,
                                          SinterMessage *message) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s", s->folder, name);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  *library = handle ? dlsym(handle, "sinter_library") : NULL;
  if (*library)
    return sinter_driver_find(*library, NULL, message);
  snprintf(message->text, sizeof message->text, "%s", dlerror());
  return NULL;
}

// Numbers that come out of a comparison may differ where two sums are rounded apart: one of a hundred thousand, or one.
static bool nearly_equal(const SinterArray *got, const SinterArray *want) {
  if (got->dtype.code != SINTER_DL_BOOL || got->bytes != want->bytes)
    return false;
  int64_t differ = 0;
  for (int64_t i = 0; i < got->bytes; i++)
    differ += ((const char *)got->data)[i] != ((const char *)want->data)[i];
  return differ <= 1 + got->bytes / 100000;
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
    answer->verified = sinter_array_compare(&got[i], &s->want[i], driver.tolerance, &error, &message) ||
                       nearly_equal(&got[i], &s->want[i]);
    if (!answer->verified)
      snprintf(answer->why, sizeof answer->why, "wrong: output %d %.360s", i, message.text);
  }
  // A machine that others use delays calls, and never speeds one up.
  answer->seconds = f->device == kDLCUDA ? m.median : m.minimum;
  answer->bytes = m.bytes_in + m.bytes_out;
  answer->copy = m.copy_bytes > 0 && m.copy_median > 0 ? 2 * (double)m.copy_bytes / m.copy_median : 0;
  memcpy(answer->device, m.device, sizeof answer->device);
}

// Runs a candidate in a process of its own.
static Answer ask(const Shared *s, const Candidate *c, double seconds) {
  int ends[2];
  Answer answer = {.verified = false};
  fflush(stdout);
  if (pipe(ends)) {
    snprintf(answer.why, sizeof answer.why, "failed: %s", strerror(errno));
    return answer;
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
      snprintf(answer.why, sizeof answer.why, "failed: the process ended with %d",
               WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  }
  return answer;
}

// ---- which one is faster ---------------------------------------------------------------------

enum { ROUNDS = 7, FINALISTS = 4 };

static int by_number(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_of(double *values, size_t n) {
  qsort(values, n, sizeof *values, by_number);
  return n ? (values[(n - 1) / 2] + values[n / 2]) / 2 : 0;
}

static int by_time(const void *a, const void *b) {
  const Answer *x = &(*(Candidate *const *)a)->answer, *y = &(*(Candidate *const *)b)->answer;
  if (x->verified != y->verified)
    return y->verified - x->verified;
  return x->verified ? (x->seconds > y->seconds) - (x->seconds < y->seconds) : 0;
}

// The chosen candidate and the fastest others take turns, in another order each round, the chosen one twice. Sets times
// and gains; *noise is how far the chosen one is from itself in a round. Answers the candidate that is faster than the
// chosen one in each round, and by more than twice the noise and 1 % in most; NULL if none is.
static const Candidate *take_turns(const Shared *s, Candidate *chosen, Candidate **order, size_t n, double *noise) {
  Candidate *finalists[FINALISTS + 1] = {chosen, chosen};
  size_t count = 2;
  for (size_t i = 0; i < n && count < FINALISTS + 1; i++)
    if (order[i] != chosen && order[i]->answer.verified)
      finalists[count++] = order[i];
  double times[FINALISTS + 1][ROUNDS], ratios[ROUNDS];
  for (size_t r = 0; r < ROUNDS; r++)
    for (size_t k = 0; k < count; k++) {
      size_t who = (k + r) % count;
      Answer a = ask(s, finalists[who], s->options->seconds);
      times[who][r] = a.verified ? a.seconds : HUGE_VAL;
      if (!a.verified)
        finalists[who]->answer = a; // it was right once, and is not always
    }
  for (size_t r = 0; r < ROUNDS; r++)
    ratios[r] = fabs(times[1][r] / times[0][r] - 1);
  *noise = median_of(ratios, ROUNDS);
  const Candidate *best = NULL;
  for (size_t k = 0; k < count; k++) {
    Candidate *c = finalists[k];
    bool each = k > 1 && c->answer.verified;
    for (size_t r = 0; r < ROUNDS; r++) {
      double chosen_time = times[0][r] < times[1][r] ? times[0][r] : times[1][r];
      ratios[r] = times[k][r] / chosen_time;
      each &= ratios[r] < 1;
    }
    c->gain = k > 1 ? median_of(ratios, ROUNDS) : 1;
    memcpy(ratios, times[k], sizeof ratios);
    if (c->answer.verified)
      c->answer.seconds = median_of(ratios, ROUNDS);
    if (each && c->gain < 1 - (*noise > 0.005 ? 2 * *noise : 0.01) && (!best || c->gain < best->gain))
      best = c;
  }
  return best;
}

// ---- a form ----------------------------------------------------------------------------------

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

static void print_table(Candidate *const *order, size_t n, const Candidate *chosen, const Candidate *kept,
                        double noise) {
  const Answer *best = order[0]->answer.verified ? &order[0]->answer : NULL;
  double copy = best ? best->copy > 0 ? best->copy : copy_on_cpu(best->bytes) : 0;
  double unit = chosen->answer.verified ? chosen->answer.seconds : best ? best->seconds : 1;
  printf("AUTOTUNE %s on %s", chosen->form, best && best->device[0] ? best->device : "the CPU");
  if (best)
    printf(", the kernel moves %lld bytes, a copy %.1f GB/s", (long long)best->bytes, copy * 1e-9);
  printf("\n");
  for (size_t i = 0; i < n; i++) {
    const Answer *a = &order[i]->answer;
    if (a->verified)
      printf("  %10.4f ms  %5.1f %% of copy  %5.2fx  %s", a->seconds * 1e3, 100 * (double)a->bytes / a->seconds / copy,
             order[i]->gain > 0 ? order[i]->gain : a->seconds / unit, order[i]->schedule);
    else
      printf("  %s  %s", a->why, order[i]->schedule);
    printf("%s%s\n", order[i] == chosen ? "  what sinter-schedule chooses" : "", order[i] == kept ? "  kept" : "");
  }
  if (best && !kept && chosen->answer.verified)
    printf("  nothing is faster in all of %d rounds and by more than the noise, %.1f %%\n", ROUNDS, 100 * noise);
}

// The candidates of one form; the first is the cost model's. *kept is the one that replaces it, NULL if none does.
static SinterExit tune_form(const Shared *s, Candidate *first, size_t n, const Candidate **kept, double *noise) {
  Candidate **order = calloc(n, sizeof *order);
  SinterExit code = order ? SINTER_EXIT_OK : complain(s->options, SINTER_EXIT_RUN, first->form, "not enough memory");
  *kept = NULL;
  *noise = 0;
  for (size_t i = 0; i < n && code == SINTER_EXIT_OK; i++) {
    order[i] = &first[i];
    if (strcmp(first[i].file, "-"))
      first[i].answer = ask(s, &first[i], s->options->seconds);
    if (first[i].answer.code == SINTER_EXIT_NO_DEVICE)
      code = complain(s->options, SINTER_EXIT_NO_DEVICE, "nothing is measured", first[i].answer.why);
  }
  if (code == SINTER_EXIT_OK) {
    qsort(order, n, sizeof *order, by_time);
    if (first->answer.verified)
      *kept = take_turns(s, first, order, n, noise);
    qsort(order, n, sizeof *order, by_time);
    if (!first->answer.verified && order[0]->answer.verified)
      *kept = order[0];
    print_table(order, n, first, *kept, *noise);
    if (!order[0]->answer.verified)
      code = complain(s->options, SINTER_EXIT_RUN, first->form, "no candidate is right");
  }
  free(order);
  return code;
}

static SinterExit keep(const TuneOptions *o, const char *target, const Candidate *first, const Candidate *kept,
                       double noise) {
  char comment[600];
  const Answer *a = kept ? &kept->answer : &first->answer;
  const char *device = a->device[0] ? a->device : "the CPU";
  TuneEntry entry = {
      .target = target, .form = first->form, .schedule = kept ? kept->schedule : NULL, .comment = comment};
  if (!kept)
    snprintf(comment, sizeof comment,
             "measured on %s, nothing is faster than what sinter-schedule chooses, %.4f ms (noise %.1f %%)", device,
             a->seconds * 1e3, 100 * noise);
  else if (first->answer.verified)
    snprintf(comment, sizeof comment, "%s: %.4f ms, %.3f of what sinter-schedule chooses (noise %.1f %%)", device,
             a->seconds * 1e3, kept->gain, 100 * noise);
  else
    snprintf(comment, sizeof comment, "%s: %.4f ms, what sinter-schedule chooses is %.300s", device, a->seconds * 1e3,
             first->answer.why);
  SinterMessage message = {""};
  return tune_file_merge(o->out, &entry, &message)
             ? SINTER_EXIT_OK
             : complain(o, SINTER_EXIT_BAD_INPUT, "the tuning file", message.text);
}

// ---- what a form runs on -----------------------------------------------------------------------

static const SinterFunction *open_piece(const Shared *s, size_t number, const char *what, const SinterLibrary **library,
                                        SinterMessage *message) {
  char name[64];
  snprintf(name, sizeof name, "form%zu-%s.so", number, what);
  return open_library(s, name, library, message);
}

static bool there(const Shared *s, size_t number) {
  char path[4200];
  snprintf(path, sizeof path, "%s/form%zu-inputs.so", s->folder, number);
  return !access(path, F_OK);
}

// Runs the program up to the form on the user's inputs, and the form without our kernels on what comes out.
static SinterExit prepare(Shared *s, size_t number, SinterMessage *message) {
  SinterDriverOptions once = s->options->driver;
  once.benchmark = 0;
  once.entry = NULL; // each library has one function
  SinterMeasurement ignored;
  const SinterLibrary *library, *front = NULL;
  const SinterFunction *f = open_piece(s, number, "reference", &library, message), *before = NULL;
  if (!f || (there(s, number) && !(before = open_piece(s, number, "inputs", &front, message))))
    return SINTER_EXIT_BAD_INPUT;
  s->num_inputs = f->num_inputs;
  s->num_outputs = f->num_outputs;
  s->inputs = calloc((size_t)f->num_inputs + 1, sizeof *s->inputs);
  s->want = calloc((size_t)f->num_outputs + 1, sizeof *s->want);
  SinterArray *of_program = before ? calloc((size_t)before->num_inputs + 1, sizeof *of_program) : NULL;
  SinterExit code = sinter_driver_inputs(before ? front : library, before ? before : f, &once,
                                         before ? of_program : s->inputs, message);
  if (before && code == SINTER_EXIT_OK)
    code = sinter_driver_run(front, before, &once, of_program, s->inputs, &ignored, message);
  if (before)
    sinter_arrays_free(of_program, before->num_inputs);
  free(of_program);
  return code == SINTER_EXIT_OK ? sinter_driver_run(library, f, &once, s->inputs, s->want, &ignored, message) : code;
}

SinterExit tune_run(const char *folder, const TuneOptions *options) {
  Candidates all = {.size = 0};
  SinterMessage refused;
  if (options->out && !tune_file_may_write(options->out, &refused))
    return complain(options, SINTER_EXIT_BAD_INPUT, "the tuning file", refused.text);
  SinterExit code = read_candidates(folder, options, &all);
  bool any = false;
  for (size_t i = 0, n; i < all.size && code == SINTER_EXIT_OK; i += n) {
    for (n = 1; i + n < all.size && all.data[i].number == all.data[i + n].number; n++)
      ;
    if (!strstr(all.data[i].form, options->form))
      continue;
    any = true;
    Shared s = {.folder = folder, .options = options};
    SinterMessage message = {""};
    const Candidate *kept;
    double noise;
    code = prepare(&s, all.data[i].number, &message);
    if (code != SINTER_EXIT_OK)
      complain(options, code, all.data[i].form, message.text);
    else
      code = tune_form(&s, &all.data[i], n, &kept, &noise);
    if (code == SINTER_EXIT_OK && options->out)
      code = keep(options, all.target, &all.data[i], kept, noise);
    sinter_arrays_free(s.inputs, s.num_inputs);
    sinter_arrays_free(s.want, s.num_outputs);
    free(s.inputs);
    free(s.want);
  }
  if (code == SINTER_EXIT_OK && !any)
    code = complain(options, SINTER_EXIT_BAD_INPUT, options->form, "--form is in the name of no form of this folder");
  free(all.data);
  return code;
}
