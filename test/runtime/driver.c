// The driver on a library written by hand, as a JIT would hand it over: files
// in and out, random numbers, comparison, and what each mistake exits with.
//
//   softplus(x[2x3] f32, t[3] i64, m[2] bool) -> sum [] f32, x + 1 [2x3] bf16, t + m[0] [3] i64
//
// fails an assert where t[0] is 7. The second library is wrong by a little.

#include "runtime/driver.h"
#include "check.h"
#include "runtime/cuda.h"
#include "runtime/runtime.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static const int64_t s23[] = {2, 3}, s3[] = {3}, s2[] = {2}, sn[] = {-1};
static const SinterTensor inputs[] = {
    {"x", {kDLFloat, 32, 1}, 2, -1, 0, s23},
    {"t", {kDLInt, 64, 1}, 1, -1, 0, s3},
    {"", {kDLUInt, 8, 1}, 1, -1, SINTER_TENSOR_BOOL, s2},
};
static const SinterTensor outputs[] = {
    {"", {kDLFloat, 32, 1}, 0, -1, 0, NULL},
    {"", {kDLBfloat, 16, 1}, 2, 0, 0, s23},
    {"", {kDLInt, 64, 1}, 1, -1, 0, s3},
};
static const SinterTensor any[] = {{"", {kDLFloat, 32, 1}, 1, -1, 0, sn}};

static float factor = 1;
static bool poisoned;

static float bfloat(const uint16_t *x) {
  uint32_t bits = (uint32_t)*x << 16;
  float y;
  memcpy(&y, &bits, sizeof y);
  return y;
}

static void packed(void **d) {
  const float *x = (float *)((int64_t *)d[0])[1];
  const int64_t *t = (int64_t *)((int64_t *)d[1])[1];
  const uint8_t *m = (uint8_t *)((int64_t *)d[2])[1];
  float *sum = (float *)((int64_t *)d[3])[1];
  uint16_t *y = (uint16_t *)((int64_t *)d[4])[1];
  int64_t *u = (int64_t *)((int64_t *)d[5])[1];
  poisoned = isnan(*sum) && isnan(bfloat(y)) && u[0] == -1;
  if (t[0] == 7)
    sinter_rt_fail("t is 7");
  *sum = 0;
  for (int i = 0; i < 6; i++) {
    float z = x[i] + 1;
    uint32_t bits;
    *sum += x[i];
    memcpy(&bits, &z, sizeof bits);
    y[i] = (uint16_t)(bits >> 16);
  }
  *sum *= factor;
  for (int i = 0; i < 3; i++)
    u[i] = t[i] + m[0];
  sinter_rt_count(SINTER_COUNT_KERNEL, 1);
  sinter_rt_count(SINTER_COUNT_TEMPORARY_BYTES, 24);
}

static void packed_wrong(void **d) {
  factor = 1.01f;
  packed(d);
  factor = 1;
}

#define CALL(name)                                                                                 \
  static int32_t call_##name(DLTensor *const *in, DLTensor *const *out, void *stream,              \
                             void *workspace);
CALL(softplus)
CALL(any)
CALL(gpu)
CALL(wrong)

static const SinterFunction functions[] = {
    {"softplus", kDLCPU, 3, 3, 0, inputs, outputs, 0, packed, call_softplus, NULL},
    {"any", kDLCPU, 1, 1, 0, any, any, 0, packed, call_any, NULL},
    {"gpu", kDLCUDA, 3, 3, 0, inputs, outputs, 0, packed, call_gpu, NULL},
};
static const SinterFunction wrongs[] = {
    {"softplus", kDLCPU, 3, 3, 0, inputs, outputs, 0, packed_wrong, call_wrong, NULL},
};

#define DEFINE(name, function)                                                                     \
  static int32_t call_##name(DLTensor *const *in, DLTensor *const *out, void *stream,              \
                             void *workspace) {                                                    \
    return sinter_rt_call(function, in, out, stream, workspace);                                   \
  }
DEFINE(softplus, &functions[0])
DEFINE(any, &functions[1])
DEFINE(gpu, &functions[2])
DEFINE(wrong, &wrongs[0])

static const SinterLibrary library = {
    SINTER_ABI_VERSION,    3, functions, sinter_rt_last_error, sinter_rt_stats,
    sinter_rt_set_threads, 0, 0};
static const SinterLibrary wrong = {SINTER_ABI_VERSION, 1,    wrongs, sinter_rt_last_error,
                                    sinter_rt_stats,    NULL, 0,      0};

static char folder[900];
static char paths[8][1000];
static char captured[4000]; // of stdout and stderr

static const char *file(int i, const char *name) {
  snprintf(paths[i], sizeof paths[i], "%s.%s.npy", folder, name);
  return paths[i];
}

// What sinter_driver_main prints goes to a file, and from there to captured.
static SinterExit run_main(const SinterLibrary *l, const SinterDriverOptions *o) {
  char log[1000];
  snprintf(log, sizeof log, "%s.log", folder);
  fflush(NULL);
  int out = dup(1), err = dup(2);
  FILE *f = fopen(log, "w+");
  dup2(fileno(f), 1);
  dup2(fileno(f), 2);
  SinterExit code = sinter_driver_main(l, o);
  fflush(NULL);
  dup2(out, 1);
  dup2(err, 2);
  close(out);
  close(err);
  rewind(f);
  captured[fread(captured, 1, sizeof captured - 1, f)] = 0;
  fclose(f);
  unlink(log);
  return code;
}

static void save(const char *path, DLDataType type, int32_t ndim, const int64_t *shape,
                 const void *data) {
  SinterMessage message;
  SinterArray a = {.dtype = type, .ndim = ndim};
  memcpy(a.shape, shape, (size_t)ndim * sizeof *shape);
  CHECK(sinter_array_allocate(&a, &message));
  memcpy(a.data, data, (size_t)a.bytes);
  CHECK(sinter_npy_write(path, &a, &message));
  sinter_array_free(&a);
}

// "error: " after the program, then text, in which %s is a path.
static void expect_error(SinterExit got, SinterExit want, const char *text) {
  char all[2000];
  snprintf(all, sizeof all, "sinter-exec: error: %s\n", text);
  CHECK(got == want);
  CHECK_TEXT(captured, all);
}

static void random_numbers(void) {
  // The generator's own first values for a state of 0 (Vigna's splitmix64.c).
  static const int64_t big[] = {100000}, few[] = {64};
  SinterTensor t[] = {
      {"", {kDLFloat, 32, 1}, 1, -1, 0, big},
      {"", {kDLFloat, 64, 1}, 1, -1, 0, big},
      {"", {kDLInt, 64, 1}, 1, -1, 0, big},
      {"", {kDLInt, 8, 1}, 1, -1, 0, big},
      {"", {kDLUInt, 8, 1}, 1, -1, SINTER_TENSOR_BOOL, big},
      {"", {kDLInt, 64, 1}, 1, -1, 0, few},
  };
  SinterFunction f = {"f", kDLCPU, 6, 0, 0, t, NULL, 0, NULL, NULL, NULL};
  SinterDriverOptions o = SINTER_DRIVER_DEFAULTS;
  o.high = 1000;
  o.seed = 0u - 6 * 0xd1342543de82ef95u; // input 5 starts from 0
  SinterArray a[6], b[6];
  SinterMessage message;
  CHECK(sinter_driver_inputs(&(SinterLibrary){.functions = &f}, &f, &o, a, &message) == SINTER_EXIT_OK);
  CHECK(((int64_t *)a[5].data)[0] == (int64_t)(0xe220a8397b1dcdafu % 1000));
  CHECK(((int64_t *)a[5].data)[1] == (int64_t)(0x6e789e6aa1b965f4u % 1000));
  double mean = 0, square = 0, ints = 0, ones = 0, cross = 0;
  for (int i = 0; i < 100000; i++) {
    double x = (double)((float *)a[0].data)[i], y = ((double *)a[1].data)[i];
    mean += x / 1e5, square += x * x / 1e5, cross += x * y / 1e5;
    int64_t n = ((int64_t *)a[2].data)[i];
    CHECK(n >= 0 && n < 1000 && ((int8_t *)a[3].data)[i] >= 0);
    ints += (double)n / 1e5;
    CHECK(((uint8_t *)a[4].data)[i] <= 1);
    ones += ((uint8_t *)a[4].data)[i] / 1e5;
  }
  CHECK(fabs(mean) < 0.02 && fabs(square - 1) < 0.03 && fabs(cross) < 0.02);
  CHECK(fabs(ints - 499.5) < 5 && fabs(ones - 0.5) < 0.01);
  CHECK(sinter_driver_inputs(&(SinterLibrary){.functions = &f}, &f, &o, b, &message) == SINTER_EXIT_OK);
  CHECK(memcmp(a[0].data, b[0].data, (size_t)a[0].bytes) == 0); // again the same
  sinter_arrays_free(b, 6);
  o.seed++;
  CHECK(sinter_driver_inputs(&(SinterLibrary){.functions = &f}, &f, &o, b, &message) == SINTER_EXIT_OK);
  CHECK(memcmp(a[0].data, b[0].data, (size_t)a[0].bytes) != 0);
  sinter_arrays_free(a, 6);
  sinter_arrays_free(b, 6);
}

static bool same(DLDataType type, const void *got, const void *want, int64_t n, const char *why) {
  SinterArray a = {type, 1, {n}, (void *)got, n * type.bits / 8};
  SinterArray b = {type, 1, {n}, (void *)want, n * type.bits / 8};
  SinterMessage message = {""};
  double error;
  bool answer = sinter_array_compare(&a, &b, 0, &error, &message);
  CHECK_TEXT(message.text, why);
  CHECK(!answer || error < 1e-4);
  return answer;
}

static void comparison(void) {
  DLDataType f32 = {kDLFloat, 32, 1}, i32 = {kDLInt, 32, 1}, f16 = {kDLFloat, 16, 1},
             f64 = {kDLFloat, 64, 1};
  float x[] = {3, 4, NAN, INFINITY}, y[] = {3, 4.001f, NAN, INFINITY}, z[] = {3, 4, 0, INFINITY};
  float w[] = {3, 4, NAN, -INFINITY}, zero[] = {0, 0, 0, 0}, tiny[] = {0, 1e-30f, 0, 0};
  CHECK(same(f32, x, x, 4, ""));
  CHECK(!same(f32, y, x, 4, "differs: relative error 2.00e-04, expected at most 1e-04"));
  CHECK(!same(f32, z, x, 4, "differs: element 2 is 0, expected nan"));
  CHECK(!same(f32, w, x, 4, "differs: element 3 is -inf, expected inf"));
  CHECK(same(f32, zero, zero, 4, ""));
  CHECK(!same(f32, tiny, zero, 4, "differs: relative error inf, expected at most 1e-04"));
  int32_t i[] = {1, -2, 3}, j[] = {1, -2, 4};
  CHECK(same(i32, i, i, 3, ""));
  CHECK(!same(i32, i, j, 3, "differs: element 2 is 3, expected 4"));
  uint16_t h[] = {0x3c00, 0xc000}, k[] = {0x3c00, 0x4000};
  CHECK(same(f16, h, h, 2, ""));
  CHECK(!same(f16, h, k, 2, "differs: relative error 1.79e+00, expected at most 2e-02"));
  double huge[] = {1e200, -1e200};
  CHECK(same(f64, huge, huge, 2, ""));
}

int main(int argc, char **argv) {
  snprintf(folder, sizeof folder, "%s", argc > 1 ? argv[1] : argv[0]);
  const float x[] = {1, 2, 3, 4, 5, 6};
  const int64_t t[] = {10, 20, 30}, seven[] = {7, 0, 0};
  const uint8_t m[] = {1, 0};
  DLDataType f32 = {kDLFloat, 32, 1}, i64 = {kDLInt, 64, 1}, b = {SINTER_DL_BOOL, 8, 1};
  save(file(0, "x"), f32, 2, s23, x);
  save(file(1, "t"), i64, 1, s3, t);
  save(file(2, "m"), b, 1, s2, m);
  save(file(3, "seven"), i64, 1, s3, seven);

  SinterDriverOptions defaults = SINTER_DRIVER_DEFAULTS, o = defaults;
  const char *in[] = {paths[0], paths[1], paths[2], paths[2]};
  const char *out[] = {file(4, "sum"), file(5, "y"), file(6, "u"), "none"};
  defaults.entry = "softplus";
  o = defaults;
  o.inputs = in, o.num_inputs = 3, o.outputs = out, o.num_outputs = 3;
  o.stats = true, o.threads = 2;
  CHECK(run_main(&library, &o) == SINTER_EXIT_OK);
  CHECK_TEXT(captured,
             "{\"kernels\": 1, \"library_calls\": 0, \"bytes_in\": 50, \"bytes_out\": 40, "
             "\"bytes_temporary\": 24}\n");
  CHECK(poisoned);
  SinterArray got;
  SinterMessage message;
  CHECK(sinter_npy_read(out[0], &got, &message) && *(float *)got.data == 21 && got.ndim == 0);
  sinter_array_free(&got);
  CHECK(sinter_npy_read_as(out[1], outputs[1].dtype, "y", &got, &message));
  CHECK(bfloat(got.data) == 2 && bfloat((uint16_t *)got.data + 5) == 7);
  sinter_array_free(&got);
  CHECK(sinter_npy_read(out[2], &got, &message) && ((int64_t *)got.data)[2] == 31);
  sinter_array_free(&got);

  // Fewer outputs than results, random inputs, a benchmark, a reference.
  o = defaults;
  o.outputs = out, o.num_outputs = 1, o.benchmark = 0.01, o.reference = &library;
  CHECK(run_main(&library, &o) == SINTER_EXIT_OK);
  CHECK(strstr(captured, "agrees with the decomposed program: relative error 0.0e+00\n"));
  CHECK(strstr(captured, "median ") && strstr(captured, " us, minimum ") &&
        strstr(captured, " of processor time each\n"));
  o.reference = &wrong, o.benchmark = 0;
  CHECK(run_main(&library, &o) == SINTER_EXIT_DIFFERENT);
  CHECK(strstr(captured, "sinter-exec: error: output 0 of softplus differs: relative error 9.90e-03, "
                         "expected at most 1e-04 (the decomposed program)\n"));
  o.tolerance = 0.1;
  CHECK(run_main(&library, &o) == SINTER_EXIT_OK);

  o = defaults;
  o.list = true;
  CHECK(run_main(&wrong, &o) == SINTER_EXIT_OK);
  CHECK_TEXT(captured, "softplus on CPU, workspace of 0 bytes\n"
                       "  input 0: float32 2x3 x\n"
                       "  input 1: int64 3 t\n"
                       "  input 2: bool 2\n"
                       "  output 0: float32 scalar\n"
                       "  output 1: bfloat16 2x3, gradient of input 0\n"
                       "  output 2: int64 3\n");

  // Mistakes.
  char text[1500];
  o = defaults;
  o.inputs = in, o.num_inputs = 2;
  expect_error(run_main(&library, &o), SINTER_EXIT_BAD_INPUT,
               "2 inputs are given, but softplus takes 3: give all, or none; --list says what they are");
  o.num_inputs = 4;
  expect_error(run_main(&library, &o), SINTER_EXIT_BAD_INPUT,
               "4 inputs are given, but softplus takes 3: give all, or none; --list says what they are");
  o = defaults;
  o.outputs = out, o.num_outputs = 4;
  expect_error(run_main(&library, &o), SINTER_EXIT_BAD_INPUT,
               "4 outputs are given, but softplus has 3");
  o = defaults;
  o.entry = "relu";
  expect_error(run_main(&library, &o), SINTER_EXIT_BAD_INPUT,
               "there is no function relu; there are: softplus, any, gpu");
  o.entry = NULL;
  expect_error(run_main(&library, &o), SINTER_EXIT_BAD_INPUT,
               "there is no function main; there are: softplus, any, gpu");
  CHECK(run_main(&wrong, &o) == SINTER_EXIT_OK); // the only one
  o.entry = "any";
  expect_error(run_main(&library, &o), SINTER_EXIT_BAD_INPUT,
               "input 0 of any is ?: give its sizes with --shape, or files with --input");
  const char *shapes[] = {"2x3"};
  o.shapes = shapes, o.num_shapes = 1;
  expect_error(run_main(&library, &o), SINTER_EXIT_BAD_INPUT,
               "--shape=2x3 is no shape of input 0 of any: it is ?");
  o = defaults;
  const char *swapped[] = {paths[0], paths[0], paths[2]};
  o.inputs = swapped, o.num_inputs = 3;
  snprintf(text, sizeof text, "%s: dtype float32, but input 1 of softplus is int64", paths[0]);
  expect_error(run_main(&library, &o), SINTER_EXIT_BAD_INPUT, text);
  save(file(7, "wide"), f32, 2, (int64_t[]){3, 2}, x);
  const char *wide[] = {paths[7], paths[1], paths[2]};
  o.inputs = wide;
  snprintf(text, sizeof text, "%s: shape 3x2, but input 0 of softplus is 2x3", paths[7]);
  expect_error(run_main(&library, &o), SINTER_EXIT_BAD_INPUT, text);
  const char *fails[] = {paths[0], paths[3], paths[2]};
  o.inputs = fails;
  expect_error(run_main(&library, &o), SINTER_EXIT_RUN, "softplus: t is 7");
  o.inputs = in, o.outputs = (const char *[]){"/dev/full"}, o.num_outputs = 1;
  expect_error(run_main(&library, &o), SINTER_EXIT_RUN,
               "/dev/full: cannot write: No space left on device");
  SinterLibrary old = library;
  old.abi_version = 99;
  expect_error(run_main(&old, &o), SINTER_EXIT_BAD_INPUT,
               "the library has ABI version 99, expected 2: compile it again");
  if (sinter_cuda_open(0) == SINTER_NO_DEVICE) {
    o = defaults;
    o.entry = "gpu";
    CHECK(run_main(&library, &o) == SINTER_EXIT_NO_DEVICE);
    CHECK(strncmp(captured, "sinter-exec: error: no device", 29) == 0);
  }

  // The table of options.
  o = defaults;
  for (const SinterOption *row = sinter_driver_options; row->name; row++) {
    if (!row->argument || row->argument[0] == '[')
      CHECK(!row->set(&o, NULL));
    if (row->argument && row->argument[0] == 'N' && strcmp(row->name, "entry") != 0) {
      CHECK(row->set(&o, "x") && row->set(&o, "") && row->set(&o, "-1") && row->set(&o, "3x"));
      CHECK(!row->set(&o, "3"));
    }
  }
  CHECK(o.benchmark == 1 && o.stats && o.list && o.seed == 3 && o.high == 3 && o.threads == 3);

  random_numbers();
  comparison();
  for (int i = 0; i < 8; i++)
    unlink(paths[i]);
  return failures != 0;
}
