// driver.c: running one function of a library on files or random numbers.

#include "driver.h"
#include "cuda.h"
#include "describe.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__attribute__((format(printf, 3, 4))) static SinterExit
fail(SinterMessage *message, SinterExit code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message->text, sizeof message->text, format, arguments);
  va_end(arguments);
  return code;
}

static SinterExit exit_of(int32_t status) {
  switch (status) {
  case SINTER_OK:
    return SINTER_EXIT_OK;
  case SINTER_BAD_ARGUMENT:
    return SINTER_EXIT_BAD_INPUT;
  case SINTER_NO_DEVICE:
    return SINTER_EXIT_NO_DEVICE;
  default:
    return SINTER_EXIT_RUN;
  }
}

// Options

static const char *append(const char ***list, int32_t *count, const char *value) {
  const char **longer = realloc(*list, ((size_t)*count + 1) * sizeof *longer);
  if (!longer)
    return "does not fit into memory";
  longer[(*count)++] = value;
  *list = longer;
  return NULL;
}

static const char *integer(const char *value, int64_t low, int64_t high, int64_t *out) {
  char *end;
  errno = 0;
  long long x = strtoll(value, &end, 10);
  if (end == value || *end || errno)
    return "is not a number";
  if (x < low || x > high)
    return low == 0 ? "is negative or too large" : "is less than 1 or too large";
  *out = x;
  return NULL;
}

static const char *set_entry(void *to, const char *value) {
  ((SinterDriverOptions *)to)->entry = value;
  return NULL;
}

static const char *set_input(void *to, const char *value) {
  SinterDriverOptions *o = to;
  return append(&o->inputs, &o->num_inputs, value);
}

static const char *set_output(void *to, const char *value) {
  SinterDriverOptions *o = to;
  return append(&o->outputs, &o->num_outputs, value);
}

static const char *set_expect(void *to, const char *value) {
  SinterDriverOptions *o = to;
  return append(&o->expects, &o->num_expects, value);
}

static const char *set_shape(void *to, const char *value) {
  SinterDriverOptions *o = to;
  return append(&o->shapes, &o->num_shapes, value);
}

static const char *set_tolerance(void *to, const char *value) {
  SinterDriverOptions *o = to;
  char *end;
  o->tolerance = strtod(value, &end);
  return end == value || *end || !(o->tolerance > 0 && o->tolerance < 1)
             ? "is not a number between 0 and 1"
             : NULL;
}

static const char *set_seed(void *to, const char *value) {
  int64_t seed = 0;
  const char *wrong = integer(value, 0, INT64_MAX, &seed);
  ((SinterDriverOptions *)to)->seed = (uint64_t)seed;
  return wrong;
}

static const char *set_high(void *to, const char *value) {
  return integer(value, 1, INT64_MAX, &((SinterDriverOptions *)to)->high);
}

static const char *set_threads(void *to, const char *value) {
  int64_t threads = 0;
  const char *wrong = integer(value, 0, 65536, &threads);
  ((SinterDriverOptions *)to)->threads = (int32_t)threads;
  return wrong;
}

static const char *set_benchmark(void *to, const char *value) {
  SinterDriverOptions *o = to;
  char *end = "";
  o->benchmark = value ? strtod(value, &end) : 1;
  return (value && end == value) || *end || !(o->benchmark > 0 && o->benchmark <= 86400)
             ? "is not a number of seconds"
             : NULL;
}

static const char *set_stats(void *to, const char *value) {
  (void)value;
  ((SinterDriverOptions *)to)->stats = true;
  return NULL;
}

static const char *set_list(void *to, const char *value) {
  (void)value;
  ((SinterDriverOptions *)to)->list = true;
  return NULL;
}

const SinterOption sinter_driver_options[] = {
    {"entry", "NAME", "the function to run (default: the only one, or main)", set_entry},
    {"input", "FILE.npy", "an argument; repeated, in their order (default: random)", set_input},
    {"output", "FILE.npy", "where a result goes; repeated, in their order", set_output},
    {"expect", "FILE.npy", "what a result must agree with; repeated, in their order", set_expect},
    {"tolerance", "X", "norm(got - want) <= X norm(want) (default: f64 1e-9, f32 1e-4, else 2e-2)",
     set_tolerance},
    {"shape", "SHAPE", "37x1003, of a random argument with sizes ?; repeated, the last for the rest",
     set_shape},
    {"seed", "N", "of the random arguments (default: 0)", set_seed},
    {"high", "N", "random integers are in [0, N) (default: 8)", set_high},
    {"threads", "N", "on the CPU (default: 0, all that the process may use)", set_threads},
    {"benchmark", "[SECONDS]", "time repeated calls (default: for 1 second)", set_benchmark},
    {"stats", NULL, "print kernels, library calls and bytes of one call as JSON", set_stats},
    {"list", NULL, "print the functions with their types, and run nothing", set_list},
    {NULL, NULL, NULL, NULL},
};

// Inputs

static uint64_t splitmix64(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static uint16_t bfloat16_of(float x) { // of a finite number
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void store_float(const SinterArray *a, int64_t i, double x) {
  if (a->dtype.code == kDLBfloat)
    ((uint16_t *)a->data)[i] = bfloat16_of((float)x);
  else if (a->dtype.bits == 16)
    ((_Float16 *)a->data)[i] = (_Float16)x;
  else if (a->dtype.bits == 32)
    ((float *)a->data)[i] = (float)x;
  else
    ((double *)a->data)[i] = x;
}

static bool is_float(DLDataType type) { return type.code == kDLFloat || type.code == kDLBfloat; }

static void fill_floats(const SinterArray *a, int64_t count, uint64_t state) {
  for (int64_t i = 0; i < count; i += 2) {
    double u = (double)((splitmix64(&state) >> 11) + 1) * 0x1p-53;
    double t = 2 * M_PI * ((double)(splitmix64(&state) >> 11) * 0x1p-53);
    double r = sqrt(-2 * log(u));
    store_float(a, i, r * cos(t));
    if (i + 1 < count)
      store_float(a, i + 1, r * sin(t));
  }
}

static void fill_integers(const SinterArray *a, int64_t count, uint64_t state, int64_t high) {
  int bits = a->dtype.code == kDLInt ? a->dtype.bits - 1 : a->dtype.bits;
  uint64_t limit = (uint64_t)high;
  if (a->dtype.code == SINTER_DL_BOOL)
    limit = 2;
  else if (bits < 63 && limit > (uint64_t)1 << bits)
    limit = (uint64_t)1 << bits;
  for (int64_t i = 0; i < count; i++) {
    uint64_t x = splitmix64(&state);
    x = a->dtype.code == SINTER_DL_BOOL ? x & 1 : x % limit;
    memcpy((char *)a->data + i * (a->dtype.bits / 8), &x, a->dtype.bits / 8); // little-endian
  }
}

// An empty array of the type and shape that the table gives; false if a size
// is dynamic.
static bool shape_of(const SinterTensor *t, SinterArray *a) {
  *a = (SinterArray){.dtype = sinter_tensor_type(t), .ndim = t->ndim};
  for (int32_t d = 0; d < t->ndim; d++) {
    a->shape[d] = t->shape[d];
    if (t->shape[d] < 0)
      return false;
  }
  return true;
}

// Sizes written as 37x1003; false if they are not so many numbers.
static bool read_shape(const char *text, SinterArray *a) {
  for (int32_t d = 0; d < a->ndim; d++) {
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (end == text || errno || n < 0 || *end != (d + 1 < a->ndim ? 'x' : 0))
      return false;
    a->shape[d] = n;
    text = end + 1;
  }
  return true;
}

// The shape of a random input with sizes `?`: that of the option whose turn it is.
static SinterExit chosen_shape(const SinterFunction *f, int32_t i,
                               const SinterDriverOptions *options, SinterArray *a,
                               SinterMessage *message) {
  const SinterTensor *t = &f->inputs[i];
  int32_t turn = 0;
  for (int32_t k = 0; k < i; k++) {
    SinterArray before;
    turn += !shape_of(&f->inputs[k], &before);
  }
  if (options->num_shapes == 0)
    return fail(message, SINTER_EXIT_BAD_INPUT,
                "input %d of %s is %s: give its sizes with --shape, or files with --input", i,
                f->name, sinter_describe_shape(t->ndim, t->shape).text);
  const char *text = options->shapes[turn < options->num_shapes ? turn : options->num_shapes - 1];
  bool same = read_shape(text, a);
  for (int32_t d = 0; same && d < t->ndim; d++)
    same = t->shape[d] < 0 || t->shape[d] == a->shape[d];
  if (!same)
    return fail(message, SINTER_EXIT_BAD_INPUT, "--shape=%.100s is no shape of input %d of %s: it is %s",
                text, i, f->name, sinter_describe_shape(t->ndim, t->shape).text);
  return SINTER_EXIT_OK;
}

static SinterExit random_input(const SinterFunction *f, int32_t i,
                               const SinterDriverOptions *options, SinterArray *a,
                               SinterMessage *message) {
  SinterExit code =
      shape_of(&f->inputs[i], a) ? SINTER_EXIT_OK : chosen_shape(f, i, options, a, message);
  if (code != SINTER_EXIT_OK)
    return code;
  if (!sinter_array_allocate(a, message))
    return SINTER_EXIT_RUN;
  uint64_t state = options->seed + ((uint64_t)i + 1) * 0xd1342543de82ef95u;
  int64_t count = a->bytes / sinter_type_bytes(a->dtype);
  if (is_float(a->dtype))
    fill_floats(a, count, state);
  else
    fill_integers(a, count, state, options->high);
  return SINTER_EXIT_OK;
}

static SinterExit file_input(const SinterFunction *f, int32_t i, const char *path, SinterArray *a,
                             SinterMessage *message) {
  const SinterTensor *t = &f->inputs[i];
  char what[256];
  snprintf(what, sizeof what, "input %d of %s", i, f->name);
  if (!sinter_npy_read_as(path, sinter_tensor_type(t), what, a, message))
    return SINTER_EXIT_BAD_INPUT;
  bool same = a->ndim == t->ndim;
  for (int32_t d = 0; same && d < t->ndim; d++)
    same = t->shape[d] < 0 || t->shape[d] == a->shape[d];
  if (!same)
    return fail(message, SINTER_EXIT_BAD_INPUT, "%.500s: shape %s, but %s is %s", path,
                sinter_describe_shape(a->ndim, a->shape).text, what,
                sinter_describe_shape(t->ndim, t->shape).text);
  return SINTER_EXIT_OK;
}

SinterExit sinter_driver_inputs(const SinterFunction *f, const SinterDriverOptions *options,
                                SinterArray *inputs, SinterMessage *message) {
  for (int32_t i = 0; i < f->num_inputs; i++)
    inputs[i] = (SinterArray){.data = NULL};
  if (options->num_inputs > 0 && options->num_inputs != f->num_inputs)
    return fail(message, SINTER_EXIT_BAD_INPUT, "%d input%s given, but %s takes %d",
                options->num_inputs, options->num_inputs == 1 ? " is" : "s are", f->name,
                f->num_inputs);
  SinterExit code = SINTER_EXIT_OK;
  for (int32_t i = 0; i < f->num_inputs && code == SINTER_EXIT_OK; i++) {
    if (f->inputs[i].ndim > SINTER_MAX_RANK)
      code = fail(message, SINTER_EXIT_BAD_INPUT, "input %d of %s has more than %d dimensions", i,
                  f->name, SINTER_MAX_RANK);
    else if (options->num_inputs > 0)
      code = file_input(f, i, options->inputs[i], &inputs[i], message);
    else
      code = random_input(f, i, options, &inputs[i], message);
  }
  return code;
}

void sinter_arrays_free(SinterArray *arrays, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    sinter_array_free(&arrays[i]);
}

// A run: the tensors of a call, on the CPU the arrays themselves, on CUDA
// copies of them. Functions answer false once a message is set.

typedef struct Run {
  const SinterLibrary *library;
  const SinterFunction *f;
  DLTensor *tensors;   // inputs, outputs
  DLTensor **pointers; // to them
  void *workspace;
  void *stream;
  SinterMessage *message;
  SinterExit code;
} Run;

static bool cuda_ok(Run *r, int32_t status) {
  if (status == SINTER_OK)
    return true;
  const char *separator = status == SINTER_NO_DEVICE ? "" : ": ";
  const char *who = status == SINTER_NO_DEVICE ? "" : r->f->name;
  r->code = fail(r->message, exit_of(status), "%s%s%s", who, separator, sinter_cuda_error());
  return false;
}

static bool call(Run *r) {
  int32_t status = r->f->call(r->pointers, r->pointers + r->f->num_inputs, r->stream, r->workspace);
  if (status != SINTER_OK)
    r->code = fail(r->message, exit_of(status), "%s", r->library->last_error());
  return status == SINTER_OK;
}

static bool on_device(const Run *r) { return r->f->device == kDLCUDA; }

static void describe_tensor(Run *r, int32_t slot, const SinterArray *a) {
  DLTensor *t = &r->tensors[slot];
  *t = (DLTensor){.data = a->data,
                  .device = {(DLDeviceType)r->f->device, 0},
                  .ndim = a->ndim,
                  .dtype = a->dtype,
                  .shape = (int64_t *)a->shape};
  if (t->dtype.code == SINTER_DL_BOOL)
    t->dtype.code = kDLUInt;
  r->pointers[slot] = t;
}

// Sizes of the output i, computed from those of the inputs; sizes has room for all of both.
static void compute_sizes(const SinterFunction *f, int32_t i, const SinterArray *inputs,
                          int64_t *sizes, SinterArray *a) {
  int64_t *to = sizes;
  for (int32_t k = 0; k < f->num_inputs; k++)
    for (int32_t d = 0; d < inputs[k].ndim; d++)
      *to++ = inputs[k].shape[d];
  f->extension->shapes(sizes, to);
  for (int32_t k = 0; k < i; k++)
    to += f->outputs[k].ndim;
  for (int32_t d = 0; d < a->ndim; d++)
    a->shape[d] = to[d];
}

// The shape of output i: of the table, or computed.
static bool output_shape(Run *r, int32_t i, const SinterArray *inputs, SinterArray *a) {
  const SinterFunction *f = r->f;
  const SinterTensor *t = &f->outputs[i];
  if (t->ndim > SINTER_MAX_RANK) {
    r->code = fail(r->message, SINTER_EXIT_BAD_INPUT, "output %d of %s has more than %d dimensions",
                   i, f->name, SINTER_MAX_RANK);
    return false;
  }
  if (shape_of(t, a))
    return true;
  *a = (SinterArray){.dtype = sinter_tensor_type(t), .ndim = t->ndim};
  int64_t count = (int64_t)SINTER_MAX_RANK * (f->num_inputs + f->num_outputs);
  int64_t *sizes = calloc((size_t)count, sizeof *sizes);
  bool possible = sizes && f->extension;
  if (possible)
    compute_sizes(f, i, inputs, sizes, a);
  for (int32_t d = 0; d < a->ndim; d++)
    possible &= a->shape[d] >= 0;
  free(sizes);
  if (!possible)
    r->code = fail(r->message, SINTER_EXIT_BAD_INPUT, "output %d of %s would have shape %s", i,
                   f->name, sinter_describe_shape(a->ndim, a->shape).text);
  return possible;
}

static bool prepare(Run *r, const SinterArray *inputs, SinterArray *outputs) {
  const SinterFunction *f = r->f;
  int32_t count = f->num_inputs + f->num_outputs;
  for (int32_t i = 0; i < f->num_outputs; i++) {
    if (!output_shape(r, i, inputs, &outputs[i]))
      return false;
    if (!sinter_array_allocate(&outputs[i], r->message)) {
      r->code = SINTER_EXIT_RUN;
      return false;
    }
    memset(outputs[i].data, 0xff, (size_t)outputs[i].bytes);
  }
  for (int32_t i = 0; i < count; i++)
    describe_tensor(r, i, i < f->num_inputs ? &inputs[i] : &outputs[i - f->num_inputs]);
  if (!on_device(r))
    return true; // a CPU function allocates its workspace
  // Whatever is made below, release frees: start from nothing.
  for (int32_t i = 0; i < count; i++)
    r->tensors[i].data = NULL;
  if (!cuda_ok(r, sinter_cuda_open(0)) || !cuda_ok(r, sinter_cuda_stream_create(&r->stream)) ||
      !cuda_ok(r, sinter_cuda_allocate(&r->workspace, f->workspace_bytes)))
    return false;
  for (int32_t i = 0; i < count; i++) {
    const SinterArray *a = i < f->num_inputs ? &inputs[i] : &outputs[i - f->num_inputs];
    if (!cuda_ok(r, sinter_cuda_allocate(&r->tensors[i].data, a->bytes)) ||
        !cuda_ok(r, sinter_cuda_to_device(r->tensors[i].data, a->data, a->bytes)))
      return false;
  }
  return true;
}

static bool run_once(Run *r, SinterArray *outputs, SinterMeasurement *m) {
  SinterStats before, after;
  r->library->stats(&before);
  if (!call(r))
    return false;
  r->library->stats(&after);
  m->stats.kernels = after.kernels - before.kernels;
  m->stats.library_calls = after.library_calls - before.library_calls;
  m->stats.bytes_temporary = after.bytes_temporary - before.bytes_temporary;
  if (!on_device(r))
    return true;
  if (!cuda_ok(r, sinter_cuda_stream_wait(r->stream)))
    return false;
  const DLTensor *tensors = r->tensors + r->f->num_inputs;
  for (int32_t i = 0; i < r->f->num_outputs; i++)
    if (!cuda_ok(r, sinter_cuda_from_device(outputs[i].data, tensors[i].data, outputs[i].bytes)))
      return false;
  return true;
}

static void release(Run *r) {
  if (on_device(r) && r->stream) {
    for (int32_t i = 0; i < r->f->num_inputs + r->f->num_outputs; i++)
      sinter_cuda_free(r->tensors[i].data);
    sinter_cuda_free(r->workspace);
    sinter_cuda_stream_destroy(r->stream);
  }
  free(r->tensors);
  free(r->pointers);
}

// Benchmark

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum { EVENTS = 64, SAMPLES = 1 << 18 };

typedef struct Timer {
  void *from[EVENTS], *to[EVENTS]; // on CUDA
  double *samples;
  int64_t count;
} Timer;

// What is timed: a call, or a copy on the device.
typedef struct Work {
  bool (*run)(Run *r, const struct Work *work);
  void *to, *from;
  int64_t bytes;
} Work;

static bool work_call(Run *r, const Work *work) {
  (void)work;
  return call(r);
}

static bool work_copy(Run *r, const Work *work) {
  return cuda_ok(r, sinter_cuda_copy(work->to, work->from, work->bytes, r->stream));
}

// One sample on the CPU, up to n queued at once on CUDA, so that the device
// does not wait for the host between them.
static bool sample(Run *r, const Work *work, Timer *t, int64_t n) {
  if (!on_device(r)) {
    double start = now();
    if (!work->run(r, work))
      return false;
    t->samples[t->count++] = now() - start;
    return true;
  }
  for (int64_t i = 0; i < n; i++)
    if (!cuda_ok(r, sinter_cuda_event_record(t->from[i], r->stream)) || !work->run(r, work) ||
        !cuda_ok(r, sinter_cuda_event_record(t->to[i], r->stream)))
      return false;
  if (!cuda_ok(r, sinter_cuda_stream_wait(r->stream)))
    return false;
  for (int64_t i = 0; i < n; i++)
    if (!cuda_ok(r, sinter_cuda_event_seconds(&t->samples[t->count++], t->from[i], t->to[i])))
      return false;
  return true;
}

// Samples for so many seconds, at least three of them.
static bool sample_for(Run *r, const Work *work, Timer *t, double seconds) {
  t->count = 0;
  double start = now();
  double elapsed = 0;
  while ((elapsed < seconds || t->count < 3) && t->count + EVENTS <= SAMPLES) {
    double per_sample = t->count > 0 ? elapsed / (double)t->count : seconds;
    double left = per_sample > 0 ? (seconds - elapsed) / per_sample : EVENTS;
    if (!sample(r, work, t, left < 1 ? 1 : left > EVENTS ? EVENTS : (int64_t)left))
      return false;
    elapsed = now() - start;
  }
  return true;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Warms up for a tenth of the time, then measures.
static bool measure(Run *r, const Work *work, Timer *t, double seconds) {
  if (!sample_for(r, work, t, seconds / 10) || !sample_for(r, work, t, seconds))
    return false;
  qsort(t->samples, (size_t)t->count, sizeof *t->samples, by_size);
  return true;
}

static double median(const Timer *t) {
  return (t->samples[(t->count - 1) / 2] + t->samples[t->count / 2]) / 2;
}

static bool measure_copy(Run *r, Timer *t, double seconds, SinterMeasurement *m) {
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
    ok = cuda_ok(r, sinter_cuda_set(work.from, 0, work.bytes, r->stream)) &&
         measure(r, &work, t, seconds);
    m->copy_bytes = work.bytes;
    m->copy_median = ok ? median(t) : 0;
  }
  sinter_cuda_free(work.from);
  sinter_cuda_free(work.to);
  return ok;
}

static bool benchmark(Run *r, double seconds, SinterMeasurement *m) {
  Timer t = {.count = 0};
  t.samples = malloc(SAMPLES * sizeof *t.samples);
  if (!t.samples) {
    r->code = fail(r->message, SINTER_EXIT_RUN, "not enough memory for a benchmark");
    return false;
  }
  bool ok = true;
  SinterCudaDevice device = {.name = ""};
  if (on_device(r)) {
    for (int i = 0; i < EVENTS && ok; i++)
      ok = cuda_ok(r, sinter_cuda_event_create(&t.from[i])) &&
           cuda_ok(r, sinter_cuda_event_create(&t.to[i]));
    ok = ok && cuda_ok(r, sinter_cuda_describe(&device));
    memcpy(m->device, device.name, sizeof m->device);
  }
  Work work = {work_call, NULL, NULL, 0};
  if (ok && (ok = measure(r, &work, &t, seconds))) {
    m->median = median(&t);
    m->minimum = t.samples[0];
    m->calls = t.count;
  }
  ok = ok && (!on_device(r) || measure_copy(r, &t, seconds < 0.5 ? seconds : 0.5, m));
  for (int i = 0; i < EVENTS; i++) {
    sinter_cuda_event_destroy(t.from[i]);
    sinter_cuda_event_destroy(t.to[i]);
  }
  free(t.samples);
  return ok;
}

SinterExit sinter_driver_run(const SinterLibrary *library, const SinterFunction *f,
                             const SinterDriverOptions *options, const SinterArray *inputs,
                             SinterArray *outputs, SinterMeasurement *m, SinterMessage *message) {
  size_t count = (size_t)f->num_inputs + (size_t)f->num_outputs;
  *m = (SinterMeasurement){.calls = 0};
  for (int32_t i = 0; i < f->num_outputs; i++)
    outputs[i] = (SinterArray){.data = NULL};
  Run r = {.library = library, .f = f, .message = message, .code = SINTER_EXIT_OK};
  r.tensors = calloc(count + 1, sizeof *r.tensors);
  r.pointers = calloc(count + 1, sizeof *r.pointers);
  if (!r.tensors || !r.pointers)
    r.code = fail(message, SINTER_EXIT_RUN, "not enough memory for %zu tensors", count);
  if (library->set_threads)
    library->set_threads(options->threads);
  if (r.code == SINTER_EXIT_OK && prepare(&r, inputs, outputs) && run_once(&r, outputs, m)) {
    for (int32_t i = 0; i < f->num_inputs; i++)
      m->bytes_in += inputs[i].bytes;
    for (int32_t i = 0; i < f->num_outputs; i++)
      m->bytes_out += outputs[i].bytes;
    if (options->benchmark > 0)
      benchmark(&r, options->benchmark, m);
  }
  release(&r);
  return r.code;
}

// Comparison

static double load_float(const SinterArray *a, int64_t i) {
  if (a->dtype.code == kDLBfloat) {
    uint32_t bits = (uint32_t)((const uint16_t *)a->data)[i] << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
  }
  if (a->dtype.bits == 16)
    return (double)((const _Float16 *)a->data)[i];
  return a->dtype.bits == 32 ? (double)((const float *)a->data)[i] : ((const double *)a->data)[i];
}

static int64_t load_integer(const SinterArray *a, int64_t i) {
  int bits = a->dtype.bits;
  uint64_t x = 0;
  memcpy(&x, (const char *)a->data + i * (bits / 8), (size_t)bits / 8); // little-endian
  if (a->dtype.code == kDLInt && bits < 64 && x >> (bits - 1))
    x |= ~(uint64_t)0 << bits;
  return (int64_t)x;
}

static double default_tolerance(DLDataType type) {
  return type.bits == 64 ? 1e-9 : type.bits == 32 ? 1e-4 : 2e-2;
}

bool sinter_array_compare(const SinterArray *got, const SinterArray *want, double tolerance,
                          double *error, SinterMessage *message) {
  *error = INFINITY;
  bool types = sinter_same_type(got->dtype, want->dtype) ||
               (is_float(got->dtype) && is_float(want->dtype));
  bool same = types && got->ndim == want->ndim &&
              memcmp(got->shape, want->shape, (size_t)got->ndim * sizeof *got->shape) == 0;
  if (!same) {
    fail(message, SINTER_EXIT_DIFFERENT, "is %s %s, expected %s %s",
         sinter_describe_type(got->dtype).text, sinter_describe_shape(got->ndim, got->shape).text,
         sinter_describe_type(want->dtype).text,
         sinter_describe_shape(want->ndim, want->shape).text);
    return false;
  }
  int64_t count = got->bytes / sinter_type_bytes(got->dtype);
  if (!is_float(got->dtype)) {
    for (int64_t i = 0; i < count; i++)
      if (load_integer(got, i) != load_integer(want, i)) {
        fail(message, SINTER_EXIT_DIFFERENT, "differs: element %lld is %lld, expected %lld",
             (long long)i, (long long)load_integer(got, i), (long long)load_integer(want, i));
        return false;
      }
    *error = 0;
    return true;
  }
  // Wider than float64, so that no square overflows.
  long double difference = 0, norm = 0;
  for (int64_t i = 0; i < count; i++) {
    double x = load_float(got, i), y = load_float(want, i);
    if (isfinite(x) && isfinite(y)) {
      difference += ((long double)x - y) * ((long double)x - y);
      norm += (long double)y * y;
    } else if (!(isnan(x) && isnan(y)) && x != y) {
      fail(message, SINTER_EXIT_DIFFERENT, "differs: element %lld is %g, expected %g", (long long)i,
           x, y);
      return false;
    }
  }
  tolerance = tolerance > 0 ? tolerance : default_tolerance(got->dtype);
  *error = difference == 0 ? 0 : norm == 0 ? INFINITY : (double)sqrtl(difference / norm);
  if (*error <= tolerance)
    return true;
  fail(message, SINTER_EXIT_DIFFERENT, "differs: relative error %.2e, expected at most %.0e",
       *error, tolerance);
  return false;
}

// Everything

const SinterFunction *sinter_driver_find(const SinterLibrary *library, const char *entry,
                                         SinterMessage *message) {
  if (!entry)
    entry = library->num_functions == 1 ? library->functions[0].name : "main";
  for (int32_t i = 0; i < library->num_functions; i++)
    if (strcmp(library->functions[i].name, entry) == 0)
      return &library->functions[i];
  size_t length = 0;
  char names[512] = "none";
  for (int32_t i = 0; i < library->num_functions && length < sizeof names; i++)
    length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "",
                               library->functions[i].name);
  fail(message, SINTER_EXIT_BAD_INPUT, "there is no function %.200s; there are: %s", entry, names);
  return NULL;
}

static void list_tensors(const char *what, int32_t count, const SinterTensor *tensors) {
  for (int32_t i = 0; i < count; i++) {
    const SinterTensor *t = &tensors[i];
    printf("  %s %d: %s %s", what, i, sinter_describe_type(sinter_tensor_type(t)).text,
           sinter_describe_shape(t->ndim, t->shape).text);
    if (t->name && t->name[0])
      printf(" %s", t->name);
    if (t->gradient_of >= 0)
      printf(", gradient of input %d", t->gradient_of);
    printf("\n");
  }
}

static void list(const SinterLibrary *library) {
  for (int32_t i = 0; i < library->num_functions; i++) {
    const SinterFunction *f = &library->functions[i];
    printf("%s on %s, workspace of %lld bytes\n", f->name, f->device == kDLCUDA ? "CUDA" : "CPU",
           (long long)f->workspace_bytes);
    list_tensors("input", f->num_inputs, f->inputs);
    list_tensors("output", f->num_outputs, f->outputs);
  }
}

static void print(const SinterDriverOptions *options, const SinterMeasurement *m) {
  if (options->benchmark > 0) {
    printf("median %.3f us, minimum %.3f us, %lld calls\n", m->median * 1e6, m->minimum * 1e6,
           (long long)m->calls);
    if (m->copy_bytes > 0 && m->copy_median > 0 && m->median > 0) {
      double copy = 2 * (double)m->copy_bytes / m->copy_median;
      double own = (double)(m->bytes_in + m->bytes_out) / m->median;
      printf(
          "%lld bytes in and out, %.1f GB/s, %.1f%% of a copy of %lld bytes at %.1f GB/s on %s\n",
          (long long)(m->bytes_in + m->bytes_out), own * 1e-9, 100 * own / copy,
          (long long)m->copy_bytes, copy * 1e-9, m->device);
    }
  }
  if (options->stats)
    printf("{\"kernels\": %lld, \"library_calls\": %lld, \"bytes_in\": %lld, \"bytes_out\": %lld, "
           "\"bytes_temporary\": %lld}\n",
           (long long)m->stats.kernels, (long long)m->stats.library_calls, (long long)m->bytes_in,
           (long long)m->bytes_out, (long long)m->stats.bytes_temporary);
}

// Prints a line for each result; the message is of the first that differs.
static SinterExit compare(const SinterFunction *f, const SinterDriverOptions *options,
                          int32_t count, const SinterArray *got, const SinterArray *want,
                          const char *who, SinterMessage *message) {
  SinterExit code = SINTER_EXIT_OK;
  for (int32_t i = 0; i < count; i++) {
    SinterMessage why;
    double error;
    bool same = sinter_array_compare(&got[i], &want[i], options->tolerance, &error, &why);
    if (same)
      printf("output %d of %s agrees with %s: relative error %.1e\n", i, f->name, who, error);
    else
      printf("output %d of %s %s\n", i, f->name, why.text);
    if (!same && code == SINTER_EXIT_OK)
      code = fail(message, SINTER_EXIT_DIFFERENT, "output %d of %.200s %.500s (%s)", i, f->name,
                  why.text, who);
  }
  return code;
}

static SinterExit expect(const SinterFunction *f, const SinterDriverOptions *options,
                         const SinterArray *outputs, SinterMessage *message) {
  SinterExit code = SINTER_EXIT_OK;
  SinterArray *want = calloc((size_t)options->num_expects, sizeof *want);
  if (!want)
    return fail(message, SINTER_EXIT_RUN, "not enough memory for the expected results");
  for (int32_t i = 0; i < options->num_expects && code == SINTER_EXIT_OK; i++)
    if (!sinter_npy_read(options->expects[i], &want[i], message))
      code = SINTER_EXIT_BAD_INPUT;
  if (code == SINTER_EXIT_OK)
    code = compare(f, options, options->num_expects, outputs, want, "what was expected", message);
  sinter_arrays_free(want, options->num_expects);
  free(want);
  return code;
}

static SinterExit verify(const SinterFunction *f, const SinterDriverOptions *options,
                         const SinterArray *inputs, const SinterArray *outputs,
                         SinterMessage *message) {
  const SinterFunction *g = sinter_driver_find(options->reference, f->name, message);
  if (!g)
    return SINTER_EXIT_BAD_INPUT;
  if (g->num_inputs != f->num_inputs || g->num_outputs != f->num_outputs)
    return fail(message, SINTER_EXIT_BAD_INPUT,
                "%s has %d inputs and %d outputs, its reference %d and %d", f->name, f->num_inputs,
                f->num_outputs, g->num_inputs, g->num_outputs);
  SinterArray *want = calloc((size_t)g->num_outputs + 1, sizeof *want);
  if (!want)
    return fail(message, SINTER_EXIT_RUN, "not enough memory for %d outputs", g->num_outputs);
  SinterDriverOptions once = *options;
  once.benchmark = 0;
  SinterMeasurement ignored;
  SinterExit code =
      sinter_driver_run(options->reference, g, &once, inputs, want, &ignored, message);
  if (code == SINTER_EXIT_OK)
    code = compare(f, options, g->num_outputs, outputs, want, "the decomposed program", message);
  sinter_arrays_free(want, g->num_outputs);
  free(want);
  return code;
}

static SinterExit everything(const SinterLibrary *library, const SinterFunction *f,
                             const SinterDriverOptions *options, SinterArray *inputs,
                             SinterArray *outputs, SinterMessage *message) {
  SinterMeasurement m;
  SinterExit code = sinter_driver_inputs(f, options, inputs, message);
  if (code != SINTER_EXIT_OK)
    return code;
  code = sinter_driver_run(library, f, options, inputs, outputs, &m, message);
  for (int32_t i = 0; i < options->num_outputs && code == SINTER_EXIT_OK; i++)
    if (!sinter_npy_write(options->outputs[i], &outputs[i], message))
      code = SINTER_EXIT_RUN;
  if (code == SINTER_EXIT_OK && options->num_expects > 0)
    code = expect(f, options, outputs, message);
  if (code == SINTER_EXIT_OK && options->reference)
    code = verify(f, options, inputs, outputs, message);
  if (code == SINTER_EXIT_OK)
    print(options, &m);
  return code;
}

SinterExit sinter_driver_main(const SinterLibrary *library, const SinterDriverOptions *options) {
  SinterMessage message = {""};
  SinterExit code;
  const SinterFunction *f = NULL;
  if (library->abi_version != SINTER_ABI_VERSION) {
    code = fail(&message, SINTER_EXIT_BAD_INPUT,
                "the library has ABI version %d, expected %d: compile it again",
                library->abi_version, SINTER_ABI_VERSION);
  } else if (options->list) {
    list(library);
    code = SINTER_EXIT_OK;
  } else if (!(f = sinter_driver_find(library, options->entry, &message))) {
    code = SINTER_EXIT_BAD_INPUT;
  } else if (options->num_outputs > f->num_outputs) {
    code = fail(&message, SINTER_EXIT_BAD_INPUT, "%d outputs are given, but %s has %d",
                options->num_outputs, f->name, f->num_outputs);
  } else if (options->num_expects > f->num_outputs) {
    code = fail(&message, SINTER_EXIT_BAD_INPUT, "%d results are expected, but %s has %d",
                options->num_expects, f->name, f->num_outputs);
  } else {
    SinterArray *inputs = calloc((size_t)f->num_inputs + 1, sizeof *inputs);
    SinterArray *outputs = calloc((size_t)f->num_outputs + 1, sizeof *outputs);
    if (inputs && outputs) {
      code = everything(library, f, options, inputs, outputs, &message);
      sinter_arrays_free(inputs, f->num_inputs);
      sinter_arrays_free(outputs, f->num_outputs);
    } else {
      code = fail(&message, SINTER_EXIT_RUN, "not enough memory for the arrays");
    }
    free(inputs);
    free(outputs);
  }
  bool printed = fflush(stdout) == 0; // first what was found, then what is wrong
  if (code != SINTER_EXIT_OK)
    fprintf(stderr, "%s: error: %s\n", options->program, message.text);
  if (!printed && code == SINTER_EXIT_OK) {
    fprintf(stderr, "%s: error: cannot write to stdout: %s\n", options->program, strerror(errno));
    code = SINTER_EXIT_RUN;
  }
  return code;
}
