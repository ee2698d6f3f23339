// What a call checks before it runs a function, and what the function gets.

#include "check.h"
#include "runtime/runtime.h"

#include <stdlib.h>

static const int64_t shape_x[] = {37, 131}, shape_n[] = {-1, 4};
static const SinterTensor inputs[] = {
    {"x", {kDLFloat, 32, 1}, 2, -1, 0, shape_x},
    {"m", {kDLUInt, 8, 1}, 2, -1, SINTER_TENSOR_BOOL, shape_n},
};
static const SinterTensor outputs[] = {{"", {kDLFloat, 32, 1}, 0, 0, 0, NULL}};

static void packed(void **d);
static SinterFunction f = {"main", kDLCPU, 2, 1, 0, inputs, outputs, 100, packed, NULL, NULL};

static _Alignas(64) float x[37 * 131 + 16];
static _Alignas(64) uint8_t m[64];
static _Alignas(64) float y[16];
static _Alignas(64) char own[128];
static int64_t x_shape[3], x_strides[3], m_shape[2];
static DLTensor tx, tm, ty;
static DLTensor *in[2], *out[1];
static int calls, asserts;
static void *workspace;

static void packed(void **d) {
  calls++;
  int64_t *a = d[0], *b = d[1], *c = d[2], *w = d[3];
  CHECK(a[0] == a[1] && (float *)a[1] == (float *)((char *)tx.data + tx.byte_offset) && a[2] == 0);
  CHECK(a[3] == 37 && a[4] == 131 && a[5] == 131 && a[6] == 1);
  CHECK((uint8_t *)b[1] == m && b[3] == m_shape[0] && b[4] == 4 && b[5] == 4 && b[6] == 1);
  CHECK((float *)c[1] == y && c[2] == 0);
  CHECK(w[1] % SINTER_WORKSPACE_ALIGNMENT == 0 && w[2] == 0 && w[3] == 100 && w[4] == 1);
  CHECK(!workspace || (void *)w[1] == workspace);
  memset((void *)w[1], 1, 100);
  for (int i = 0; i < asserts; i++)
    sinter_rt_fail(i == 0 ? "label out of range" : "a later one");
  CHECK(sinter_rt_status() == (asserts ? SINTER_ASSERT_FAILED : SINTER_OK));
}

static void fresh(void) {
  memcpy(x_shape, (int64_t[]){37, 131, 1}, sizeof x_shape);
  memcpy(x_strides, (int64_t[]){131, 1, 7}, sizeof x_strides);
  memcpy(m_shape, (int64_t[]){5, 4}, sizeof m_shape);
  tx = (DLTensor){x, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, x_shape, NULL, 0};
  tm = (DLTensor){m, {kDLCPU, 0}, 2, {kDLUInt, 8, 1}, m_shape, NULL, 0};
  ty = (DLTensor){y, {kDLCPU, 0}, 0, {kDLFloat, 32, 1}, NULL, NULL, 0};
  in[0] = &tx, in[1] = &tm, out[0] = &ty;
  calls = asserts = 0;
  workspace = NULL;
  f.device = kDLCPU;
}

static void accepts(void) {
  CHECK(sinter_rt_call(&f, in, out, NULL, workspace) == SINTER_OK);
  CHECK(calls == 1);
  CHECK_TEXT(sinter_rt_last_error(), "");
  fresh();
}

static void refuses(int32_t status, const char *why) {
  CHECK(sinter_rt_call(&f, in, out, NULL, workspace) == status);
  CHECK(calls == 0 || asserts);
  CHECK_TEXT(sinter_rt_last_error(), why);
  fresh();
}

// Another library's call within a call has a status of its own.
static void packed_outer(void **d) {
  (void)d;
  asserts = 1;
  CHECK(sinter_rt_call(&f, in, out, NULL, NULL) == SINTER_ASSERT_FAILED);
  CHECK(sinter_rt_status() == SINTER_OK);
}

static int how;

static void packed_memory(void **d) {
  (void)d;
  char *p = sinter_rt_allocate(100), *q = sinter_rt_allocate(0), *r = sinter_rt_allocate(1000);
  CHECK((uintptr_t)p % 64 == 0 && (uintptr_t)q % 64 == 0);
  p[99] = r[999] = 1;
  sinter_rt_release(q); // the others go with the call
  sinter_rt_release(NULL);
  if (how == 1)
    CHECK(sinter_rt_same_size(7, 7, 0, 0, 1, 1));
  if (how == 2 || how == 3) { // as compiled code does
    CHECK(!sinter_rt_same_size(8, 7, 1, 2, how == 2 ? 0 : -1, how == 2 ? 3 : -1));
    sinter_rt_fail("g.mlir:3:8: sizes of operands differ");
    sinter_rt_fail("g.mlir:4:8: the first message is kept");
  }
  if (how == 4)
    sinter_rt_allocate(INT64_MAX / 2);
  if (how == 5)
    sinter_rt_allocate(-8);
  CHECK(how < 4);
}

static void shapes(const int64_t *in, int64_t *out) {
  out[0] = in[1];
  out[1] = 2 * in[0];
}

static void sizes_and_memory(void) {
  static const int64_t any[] = {-1, -1};
  static const SinterTensor dynamic = {"", {kDLFloat, 32, 1}, 2, -1, 0, any};
  static const SinterExtension extension = {shapes};
  SinterFunction g = {"g", kDLCPU, 1, 1, 0, &dynamic, &dynamic, 0, packed_memory, NULL, &extension};
  int64_t in_shape[] = {2, 3}, out_shape[] = {3, 4};
  static _Alignas(64) float data[12], result[12];
  DLTensor a = {data, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, in_shape, NULL, 0}, b = a, *ins[] = {&a}, *outs[] = {&b};
  b.data = result;
  b.shape = out_shape;
  CHECK(sinter_rt_call(&g, ins, outs, NULL, NULL) == SINTER_OK);
  how = 1;
  CHECK(sinter_rt_call(&g, ins, outs, NULL, NULL) == SINTER_OK);
  how = 2;
  CHECK(sinter_rt_call(&g, ins, outs, NULL, NULL) == SINTER_BAD_ARGUMENT);
  CHECK_TEXT(sinter_rt_last_error(),
             "g: g.mlir:3:8: sizes of operands differ: the size of input 1 in dimension 2 is 8, expected 7, that of "
             "input 0 in dimension 3");
  how = 3;
  CHECK(sinter_rt_call(&g, ins, outs, NULL, NULL) == SINTER_BAD_ARGUMENT);
  CHECK_TEXT(sinter_rt_last_error(),
             "g: g.mlir:3:8: sizes of operands differ: the size of input 1 in dimension 2 is 8, expected 7");
  how = 4;
  CHECK(sinter_rt_call(&g, ins, outs, NULL, NULL) == SINTER_OUT_OF_MEMORY);
  CHECK_TEXT(sinter_rt_last_error(), "g: not enough memory for 4611686018427387903 bytes");
  how = 5;
  CHECK(sinter_rt_call(&g, ins, outs, NULL, NULL) == SINTER_OUT_OF_MEMORY);
  out_shape[1] = 5;
  how = 0;
  CHECK(sinter_rt_call(&g, ins, outs, NULL, NULL) == SINTER_BAD_ARGUMENT);
  CHECK_TEXT(sinter_rt_last_error(), "g: output 0 has shape 3x5, expected 3x4 for these inputs");
}

static void nothing(void **d) { (void)d; }

// Outputs overlap nothing, among few tensors (sorted on the stack) and many (by qsort), in any order of addresses, and
// where one that is long holds one that is far behind its start. Inputs may be one another.
// An output that lies where an input does is that input, and overlaps nothing else.
static void counted(void **d) { calls += d[0] && d[2]; }

static void shares(void) {
  static const SinterTensor ins[] = {{"", {kDLFloat, 32, 1}, 1, -1, 0, shape_x},
                                     {"", {kDLFloat, 32, 1}, 1, -1, 0, shape_x}};
  static const SinterTensor result[] = {
      {"", {kDLFloat, 32, 1}, 1, -1, SINTER_TENSOR_SHARES | 1 << SINTER_SHARES_SHIFT, shape_x}};
  SinterFunction g = {"g", kDLCPU, 2, 1, 0, ins, result, 0, counted, NULL, NULL};
  DLTensor a = {x, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, (int64_t *)shape_x, NULL, 0}, b = a, c = a;
  DLTensor *given[] = {&a, &b}, *made[] = {&c};
  b.data = x + 64, c.data = x + 48, c.byte_offset = 64;
  CHECK(sinter_rt_call(&g, given, made, NULL, NULL) == SINTER_OK && calls == 1);
  c.byte_offset = 1024;
  CHECK(sinter_rt_call(&g, given, made, NULL, NULL) == SINTER_BAD_ARGUMENT);
  CHECK_TEXT(sinter_rt_last_error(), "g: output 0 lies where input 1 does, and was given memory of its own");
  c.byte_offset = 64, a.data = x + 80;
  CHECK(sinter_rt_call(&g, given, made, NULL, NULL) == SINTER_BAD_ARGUMENT);
  CHECK_TEXT(sinter_rt_last_error(),
             "g: output 0 overlaps input 0: outputs and the workspace have memory of their own");
  fresh();
}

static void overlaps(int32_t inputs) {
  enum { MOST = 100, SIZE = 16 };
  static const int64_t any[] = {-1};
  static const SinterTensor flat = {"", {kDLFloat, 32, 1}, 1, -1, 0, any};
  static _Alignas(64) float memory[(MOST + 8) * SIZE];
  SinterTensor want[MOST], results[] = {flat, flat};
  DLTensor tensors[MOST], *ins[MOST];
  int64_t size[] = {SIZE}, longer[] = {4 * SIZE};
  for (int32_t i = 0; i < inputs; i++) { // from the end to the start
    want[i] = flat;
    tensors[i] = (DLTensor){memory + (MOST - 1 - i) * SIZE, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, size, NULL, 0};
    ins[i] = &tensors[i];
  }
  float *free_memory = memory + MOST * SIZE;
  DLTensor a = {free_memory, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, longer, NULL, 0}, b = a, *outs[] = {&a, &b};
  b.shape = size;
  b.data = free_memory + 4 * SIZE;
  SinterFunction g = {"g", kDLCPU, inputs, 2, 0, want, results, 0, nothing, NULL, NULL};
  CHECK(sinter_rt_call(&g, ins, outs, NULL, NULL) == SINTER_OK);
  tensors[0].data = tensors[1].data;
  CHECK(sinter_rt_call(&g, ins, outs, NULL, NULL) == SINTER_OK);
  b.data = free_memory + 3 * SIZE; // its end
  CHECK(sinter_rt_call(&g, ins, outs, NULL, NULL) == SINTER_BAD_ARGUMENT);
  CHECK_TEXT(sinter_rt_last_error(),
             "g: output 1 overlaps output 0: outputs and the workspace have memory of their own");
  b.data = free_memory + 4 * SIZE;
  tensors[0].data = free_memory + SIZE; // within the long one, and
  tensors[1].data = free_memory + 3 * SIZE; // behind the end of an input between them
  CHECK(sinter_rt_call(&g, ins, outs, NULL, NULL) == SINTER_BAD_ARGUMENT);
  CHECK_TEXT(sinter_rt_last_error(),
             "g: output 0 overlaps input 0: outputs and the workspace have memory of their own");
  tensors[0].data = free_memory + 7 * SIZE;
  CHECK(sinter_rt_call(&g, ins, outs, NULL, NULL) == SINTER_BAD_ARGUMENT);
  CHECK_TEXT(sinter_rt_last_error(),
             "g: output 0 overlaps input 1: outputs and the workspace have memory of their own");
  tensors[1].data = (float *)b.data + SIZE / 2; // begins behind it
  CHECK(sinter_rt_call(&g, ins, outs, NULL, NULL) == SINTER_BAD_ARGUMENT);
  CHECK_TEXT(sinter_rt_last_error(),
             "g: output 1 overlaps input 1: outputs and the workspace have memory of their own");
}

// Shapes, strides and addresses that no host should pass.
static void hostile(void) {
  static const int64_t any[] = {-1, -1, -1};
  static const SinterTensor three = {"", {kDLFloat, 32, 1}, 3, -1, 0, any},
                            flat = {"", {kDLFloat, 32, 1}, 1, -1, 0, any};
  const SinterFunction g = {"g", kDLCPU, 1, 1, 0, &three, &flat, 64, nothing, NULL, NULL};
  const int64_t large = (int64_t)1 << 32, most = INT64_MAX, least = INT64_MIN;
  static _Alignas(64) float data[64], result[64];
  static _Alignas(64) char room[64];
  const struct {
    int64_t shape[3], strides[3]; // no strides if all are 0
    float *data;
    uint64_t offset;
    int32_t ndim;
    const char *why; // "": right
  } cases[] = {
      {{2, 3, 4}, {0}, data, 0, 3, ""},
      {{large, 0, 1}, {0}, NULL, 0, 3, ""},
      {{2, 3, 4}, {12, 4, 1}, data, 16, 3, ""},
      {{large, large, 1},
       {0},
       NULL,
       0,
       3,
       "has shape 4294967296x4294967296x1 of 4 bytes each: more than memory can address"},
      {{large, large, 0},
       {0},
       NULL,
       0,
       3,
       "has shape 4294967296x4294967296x0 of 4 bytes each: more than memory can address"},
      {{most, 1, 1},
       {0},
       data,
       0,
       3,
       "has shape 9223372036854775807x1x1 of 4 bytes each: more than memory can address"},
      {{least, 2, 1}, {0}, data, 0, 3, "has shape -9223372036854775808x2x1, expected ?x?x?"},
      {{least, least, 1}, {0}, data, 0, 3, "has shape -9223372036854775808x-9223372036854775808x1, expected ?x?x?"},
      {{large, 2, 1}, {0}, NULL, 0, 3, "has no data"},
      {{2, 3, 4},
       {0, 0, 1},
       data,
       0,
       3,
       "has stride 0 in dimension 1, expected 4: it must be row-major and contiguous"},
      {{2, 3, 4},
       {most, 4, 1},
       data,
       0,
       3,
       "has stride 9223372036854775807 in dimension 0, expected 12: it must be row-major and contiguous"},
      {{2, 3, 4},
       {-12, 4, 1},
       data,
       0,
       3,
       "has stride -12 in dimension 0, expected 12: it must be row-major and contiguous"},
      {{2, 3, 4}, {0}, data, UINT64_MAX - 15, 3, "has 96 bytes from ..."},
      {{most / 8, 1, 1}, {0}, data, UINT64_MAX / 2 + 1, 3, "has 4611686018427387900 bytes from ..."},
      {{2, 3, 4}, {0}, data, 0, INT32_MAX, "has shape of 2147483647 dimensions, expected ?x?x?"},
      {{2, 3, 4}, {0}, data, 0, INT32_MIN, "has shape of -2147483648 dimensions, expected ?x?x?"},
      {{2, 3, 4}, {0}, result, 0, 3, "overlaps"},
      {{2, 3, 2}, {0}, (float *)room, 0, 3, "overlaps"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t shape[3], strides[3], one[] = {64};
    memcpy(shape, cases[i].shape, sizeof shape);
    memcpy(strides, cases[i].strides, sizeof strides);
    DLTensor a = {cases[i].data, {kDLCPU, 0}, cases[i].ndim, {kDLFloat, 32, 1}, shape, NULL, cases[i].offset},
             *ins[] = {&a};
    DLTensor b = {result, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, one, NULL, 0}, *outs[] = {&b};
    if (strides[0] || strides[1] || strides[2])
      a.strides = strides;
    int right = !cases[i].why[0];
    CHECK(sinter_rt_call(&g, ins, outs, NULL, room) == (right ? SINTER_OK : SINTER_BAD_ARGUMENT));
    char want[256];
    snprintf(want, sizeof want, "g: input 0 %s", cases[i].why);
    const char *got = sinter_rt_last_error(), *rest = strstr(want, "...");
    if (strcmp(cases[i].why, "overlaps") == 0)
      CHECK(
          strstr(got, cases[i].data == result ? "g: output 0 overlaps input 0" : "g: the workspace overlaps input 0"));
    else if (rest)
      CHECK(strncmp(got, want, (size_t)(rest - want)) == 0);
    else
      CHECK_TEXT(got, right ? "" : want);
  }
}

int main(void) {
  fresh();
  accepts();
  tx.strides = x_strides;
  accepts();
  tx.byte_offset = 16;
  accepts();
  tm.dtype.code = SINTER_DL_BOOL;
  accepts();
  m_shape[0] = 1; // any size, and then any stride of it
  tm.strides = (int64_t[]){99, 1};
  accepts();
  m_shape[0] = 0;
  accepts();
  tx.device.device_type = kDLCUDAHost;
  accepts();
  workspace = own;
  accepts();

  in[1] = NULL;
  refuses(SINTER_BAD_ARGUMENT, "main: input 1 is NULL");
  out[0] = NULL;
  refuses(SINTER_BAD_ARGUMENT, "main: output 0 is NULL");
  CHECK(sinter_rt_call(&f, NULL, out, NULL, NULL) == SINTER_BAD_ARGUMENT);
  CHECK_TEXT(sinter_rt_last_error(), "main: the array of inputs is NULL");
  tx.device.device_type = kDLCUDA;
  refuses(SINTER_BAD_ARGUMENT, "main: input 0 is on a device of type 2, expected the CPU (1)");
  f.device = kDLCUDA;
  refuses(SINTER_BAD_ARGUMENT, "main: input 0 is on a device of type 1, expected CUDA (2)");
  tx.dtype.bits = 64;
  refuses(SINTER_BAD_ARGUMENT, "main: input 0 is float64, expected float32");
  tm.dtype = (DLDataType){kDLInt, 8, 1};
  refuses(SINTER_BAD_ARGUMENT, "main: input 1 is int8, expected bool");
  x_shape[0] = 3, x_shape[1] = 4;
  refuses(SINTER_BAD_ARGUMENT, "main: input 0 has shape 3x4, expected 37x131");
  tx.ndim = 3;
  refuses(SINTER_BAD_ARGUMENT, "main: input 0 has shape 37x131x1, expected 37x131");
  tx.ndim = 0;
  refuses(SINTER_BAD_ARGUMENT, "main: input 0 has shape scalar, expected 37x131");
  tx.shape = NULL;
  refuses(SINTER_BAD_ARGUMENT, "main: input 0 has shape NULL, expected 37x131");
  m_shape[1] = 5;
  refuses(SINTER_BAD_ARGUMENT, "main: input 1 has shape 5x5, expected ?x4");
  m_shape[0] = -3;
  refuses(SINTER_BAD_ARGUMENT, "main: input 1 has shape -3x4, expected ?x4");
  ty.ndim = 1, ty.shape = m_shape;
  refuses(SINTER_BAD_ARGUMENT, "main: output 0 has shape 5, expected scalar");
  x_strides[0] = 1, x_strides[1] = 37, tx.strides = x_strides;
  refuses(SINTER_BAD_ARGUMENT, "main: input 0 has stride 37 in dimension 1, expected 1: it must be "
                               "row-major and contiguous");
  tx.data = NULL;
  refuses(SINTER_BAD_ARGUMENT, "main: input 0 has no data");
  char why[200];
  tx.byte_offset = 4;
  snprintf(why, sizeof why, "main: input 0 starts at %p, which is not a multiple of 16 bytes",
           (void *)(x + 1));
  refuses(SINTER_BAD_ARGUMENT, why);
  ty.data = (char *)y + 2; // one element: its own alignment will do
  snprintf(why, sizeof why, "main: output 0 starts at %p, which is not a multiple of 4 bytes",
           ty.data);
  refuses(SINTER_BAD_ARGUMENT, why);
  workspace = own + 16;
  snprintf(why, sizeof why, "main: the workspace starts at %p, which is not a multiple of 64",
           workspace);
  refuses(SINTER_BAD_ARGUMENT, why);
  f.device = kDLCUDA;
  tx.device.device_type = tm.device.device_type = ty.device.device_type = kDLCUDA;
  refuses(SINTER_BAD_ARGUMENT, "main: the workspace is NULL, expected 100 bytes on the device");
  f.device = kDLCUDA;
  tx.device.device_type = tm.device.device_type = ty.device.device_type = kDLCUDA;
  tm.device.device_id = 1;
  refuses(SINTER_BAD_ARGUMENT, "main: input 1 is on device 1, the first tensor on 0");

  asserts = 3;
  refuses(SINTER_ASSERT_FAILED, "main: label out of range");
  accepts(); // and the next call is as good as new

  SinterFunction outer = {"outer", kDLCPU, 0, 0, 0, NULL, NULL, 0, packed_outer, NULL, NULL};
  CHECK(sinter_rt_call(&outer, NULL, NULL, NULL, NULL) == SINTER_OK);
  CHECK_TEXT(sinter_rt_last_error(), "");

  // More tensors than a call keeps on its stack.
  enum { MANY = 100 };
  fresh();
  SinterTensor many[MANY];
  DLTensor *all[MANY];
  for (int i = 0; i < MANY; i++)
    many[i] = inputs[i == 1], all[i] = in[i == 1];
  SinterFunction wide = {"wide", kDLCPU, MANY, 0, 0, many, NULL, 0, NULL, NULL, NULL};
  extern void packed_wide(void **);
  wide.packed = packed_wide;
  CHECK(sinter_rt_call(&wide, all, NULL, NULL, NULL) == SINTER_OK);

  sizes_and_memory();
  hostile();
  shares();
  overlaps(3);
  overlaps(90);

  SinterStats before, after;
  sinter_rt_stats(&before);
  sinter_rt_count(SINTER_COUNT_KERNEL, 2);
  sinter_rt_count(SINTER_COUNT_LIBRARY_CALL, 3);
  sinter_rt_count(SINTER_COUNT_TEMPORARY_BYTES, (int64_t)1 << 40);
  sinter_rt_stats(&after);
  CHECK(after.kernels - before.kernels == 2);
  CHECK(after.library_calls - before.library_calls == 3);
  CHECK(after.bytes_temporary - before.bytes_temporary == (int64_t)1 << 40);
  return failures != 0;
}

void packed_wide(void **d) {
  CHECK((float *)((int64_t *)d[99])[1] == x && ((int64_t *)d[99])[6] == 1);
  CHECK((uint8_t *)((int64_t *)d[1])[1] == m);
  CHECK(((int64_t *)d[100])[3] == 0); // no workspace
}
