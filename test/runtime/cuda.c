// What a call asks of the CUDA driver: at its first launch, later, in a capture, on another
// device, and when the driver refuses. By test/runtime/Inputs/libcuda.c.

#include "runtime/cuda.h"
#include "check.h"
#include "runtime/runtime.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

static char *log_text, *fail;
static int *result, *capturing;
static void *foreign;
static int (*get_current)(void **), (*set_current)(void *);

static const int64_t shape[] = {4};
static const SinterTensor tensor = {"x", {kDLFloat, 32, 1}, 1, -1, 0, shape};
static int64_t shared_bytes;
static int image; // the runtime looks at its address alone

static void packed(void **d) {
  void *memory = ((void **)d[0])[1], *args[] = {&memory};
  sinter_rt_count(SINTER_COUNT_KERNEL, 2);
  sinter_rt_launch(&image, 1000, "first", 3, 2, 1, 128, 1, 1, 0, args);
  sinter_rt_launch(&image, 1000, "second", 1, 1, 1, 64, 1, 1, shared_bytes, args);
  sinter_rt_launch(&image, 1000, "empty", 0, 1, 1, 64, 1, 1, 0, args);
}

static const SinterFunction f = {"loss", kDLCUDA, 1, 0, 0, &tensor, NULL, 64, packed, NULL, NULL};
static _Alignas(64) float x[4], workspace[16];

static int32_t run(int device, void *stream, bool prepare) {
  DLTensor t = {x, {kDLCUDA, device}, 1, {kDLFloat, 32, 1}, (int64_t *)shape, NULL, 0}, *in[] = {&t};
  log_text[0] = 0;
  return prepare ? sinter_rt_prepare(&f, in, NULL) : sinter_rt_call(&f, in, NULL, stream, workspace);
}

static void open_fake(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  CHECK(library && dlsym(library, "fake_cuda_log"));
  if (failures)
    exit(1); // a real driver, or none: the folder of the fake comes first on LD_LIBRARY_PATH
  log_text = dlsym(library, "fake_cuda_log");
  fail = dlsym(library, "fake_cuda_fail");
  result = dlsym(library, "fake_cuda_result");
  capturing = dlsym(library, "fake_cuda_capturing");
  foreign = *(void **)dlsym(library, "fake_cuda_foreign_context");
  get_current = (int (*)(void **))dlsym(library, "cuCtxGetCurrent");
  set_current = (int (*)(void *))dlsym(library, "cuCtxSetCurrent");
}

static void *current(void) {
  void *context = NULL;
  get_current(&context);
  return context;
}

#define LAUNCHES(stream)                                                                                               \
  "cuLaunchKernel first grid 3x2x1 block 128x1x1 shared 0 " stream "\n"                                                \
  "cuLaunchKernel second grid 1x1x1 block 64x1x1 shared 0 " stream "\n"

static void first_call(void) {
  // A capture holds launches only: what is not loaded is refused, and nothing is asked for.
  *capturing = 1;
  CHECK(run(0, x, false) == SINTER_DEVICE_ERROR);
  CHECK_TEXT(sinter_rt_last_error(),
             "loss: kernel first: it is not loaded on this device yet, and the stream is being captured: call the "
             "function once, or prepare it, before the capture");
  CHECK_TEXT(log_text, "cuInit 0\ncuDevicePrimaryCtxRetain 0\n");
  *capturing = 0;
  // Preparing loads, and neither launches nor counts.
  SinterStats before, after;
  sinter_rt_stats(&before);
  CHECK(run(0, NULL, true) == SINTER_OK);
  sinter_rt_stats(&after);
  CHECK(before.kernels == after.kernels);
  CHECK_TEXT(log_text, "cuModuleLoadDataEx on device 0\ncuModuleGetFunction first\ncuModuleGetFunction second\n");
  // Then a capture is launches alone: no memory, no module, no wait.
  *capturing = 1;
  CHECK(run(0, x, false) == SINTER_OK);
  CHECK_TEXT(log_text, LAUNCHES("stream"));
  sinter_rt_stats(&after);
  CHECK(after.kernels == before.kernels + 2);
  *capturing = 0;
  CHECK(run(0, NULL, false) == SINTER_OK);
  CHECK_TEXT(log_text, LAUNCHES("default stream"));
}

static void contexts(void) {
  // A first call on another device loads there, and leaves this thread's context as it was.
  void *own = current();
  CHECK(own);
  CHECK(run(1, NULL, false) == SINTER_OK);
  CHECK_TEXT(log_text,
             "cuDevicePrimaryCtxRetain 1\ncuModuleLoadDataEx on device 1\n"
             "cuModuleGetFunction first\ncuLaunchKernel first grid 3x2x1 block 128x1x1 shared 0 default stream\n"
             "cuModuleGetFunction second\ncuLaunchKernel second grid 1x1x1 block 64x1x1 shared 0 default stream\n");
  CHECK(current() == own);
  // An embedder's own context of the device is the one to run in.
  set_current(foreign);
  CHECK(run(0, NULL, true) == SINTER_OK);
  CHECK_TEXT(log_text, "cuModuleLoadDataEx on device 0\ncuModuleGetFunction first\ncuModuleGetFunction second\n");
  CHECK(current() == foreign);
  set_current(own);
  CHECK(run(2, NULL, false) == SINTER_NO_DEVICE);
  CHECK_TEXT(sinter_rt_last_error(), "loss: no device 2: the CUDA driver has 2");
}

static void shared_memory(void) {
  // More than every kernel may have is asked for once: 48 KiB with the 1000 bytes that are its own.
  shared_bytes = 48 * 1024 - 1000;
  CHECK(run(0, NULL, true) == SINTER_OK);
  CHECK_TEXT(log_text, "");
  shared_bytes += 1;
  CHECK(run(0, NULL, true) == SINTER_OK);
  CHECK_TEXT(log_text, "cuFuncSetAttribute second 48153\n");
  shared_bytes = 100000;
  CHECK(run(0, NULL, true) == SINTER_OK);
  CHECK_TEXT(log_text, "cuFuncSetAttribute second 100000\n");
  CHECK(run(0, NULL, false) == SINTER_OK);
  CHECK(!strstr(log_text, "cuFuncSetAttribute") && strstr(log_text, "shared 100000"));
  shared_bytes = 200000;
  strcpy(fail, "cuFuncSetAttribute");
  CHECK(run(0, NULL, false) == SINTER_DEVICE_ERROR);
  CHECK_TEXT(sinter_rt_last_error(), "loss: kernel second: asking for 200000 bytes of shared memory: "
                                     "CUDA_ERROR_INVALID_VALUE (1): invalid argument");
  fail[0] = 0;
  shared_bytes = 0;
}

static void errors(void) {
  strcpy(fail, "cuLaunchKernel");
  CHECK(run(0, NULL, false) == SINTER_DEVICE_ERROR);
  CHECK_TEXT(sinter_rt_last_error(),
             "loss: kernel first: cuLaunchKernel: CUDA_ERROR_INVALID_VALUE (1): invalid argument");
  CHECK(!strstr(log_text, "second")); // after an error nothing is launched
  *result = 2;
  CHECK(run(0, NULL, false) == SINTER_OUT_OF_MEMORY);
  CHECK_TEXT(sinter_rt_last_error(), "loss: kernel first: cuLaunchKernel: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory "
                                     "(1000 bytes of code, 6 blocks of 128 threads with 0 bytes of shared memory)");
  strcpy(fail, "cuMemAlloc_v2");
  void *memory;
  CHECK(sinter_cuda_open(0) == SINTER_OK && sinter_cuda_allocate(&memory, 12345) == SINTER_OUT_OF_MEMORY);
  CHECK_TEXT(sinter_cuda_error(), "not enough memory on the device for 12345 bytes");
  fail[0] = 0;
}

static void other_packed(void **d) {
  (void)d;
  static int other;
  sinter_rt_launch(&other, 77, "third", 1, 1, 1, 1, 1, 1, 0, NULL);
}

static void broken_image(void) {
  const SinterFunction g = {"g", kDLCUDA, 0, 0, 0, NULL, NULL, 0, other_packed, NULL, NULL};
  strcpy(fail, "cuModuleLoadDataEx");
  *result = 218;
  CHECK(sinter_rt_call(&g, NULL, NULL, NULL, NULL) == SINTER_DEVICE_ERROR);
  CHECK_TEXT(sinter_rt_last_error(),
             "g: kernel third: loading its module: CUDA_ERROR_INVALID_PTX (218): a PTX JIT compilation "
             "failed: ptxas application ptx input, line 7 error");
  fail[0] = 0; // and what could not be loaded is tried again
  CHECK(sinter_rt_call(&g, NULL, NULL, NULL, NULL) == SINTER_OK);
}

static const float weights[3] = {1, 2, 3};
static const void *seen;
static void constant_packed(void **d) {
  (void)d;
  sinter_rt_device_constant(weights, sizeof weights, &seen);
}

static int copies_to_device(void) {
  int n = 0;
  for (const char *at = log_text; (at = strstr(at, "cuMemcpyHtoD")); at++)
    n++;
  return n;
}

// A constant is copied once, by prepare or the first call, and not while a stream is captured.
static void constants(void) {
  const SinterFunction g = {"g", kDLCUDA, 0, 0, 0, NULL, NULL, 0, constant_packed, NULL, NULL};
  int before = copies_to_device();
  strcpy(fail, "cuMemAlloc_v2");
  *result = 2;
  CHECK(sinter_rt_call(&g, NULL, NULL, NULL, NULL) == SINTER_OUT_OF_MEMORY && !seen);
  CHECK_TEXT(sinter_rt_last_error(),
             "g: a constant of 12 bytes: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
  fail[0] = 0;
  *capturing = 1;
  CHECK(sinter_rt_call(&g, NULL, NULL, NULL, NULL) == SINTER_DEVICE_ERROR && !seen);
  *capturing = 0;
  CHECK(sinter_rt_prepare(&g, NULL, NULL) == SINTER_OK && seen);
  *capturing = 1;
  CHECK(sinter_rt_call(&g, NULL, NULL, NULL, NULL) == SINTER_OK && seen);
  *capturing = 0;
  CHECK(copies_to_device() == before + 1);
}

static void together_packed(void **d) {
  (void)d;
  sinter_rt_launch_together(&image, 1000, "all", 300, 1, 1, 64, 1, 1, 0, NULL);
}

// Blocks that wait for each other are launched so that all run at once; else it is said how many could.
static void together(void) {
  const SinterFunction g = {"g", kDLCUDA, 0, 0, 0, NULL, NULL, 0, together_packed, NULL, NULL};
  CHECK(sinter_rt_prepare(&g, NULL, NULL) == SINTER_OK);
  log_text[0] = 0;
  CHECK(sinter_rt_call(&g, NULL, NULL, x, NULL) == SINTER_OK);
  CHECK_TEXT(log_text, "cuLaunchCooperativeKernel all grid 300x1x1 block 64x1x1 shared 0 stream\n");
  strcpy(fail, "cuLaunchCooperativeKernel");
  *result = 720;
  CHECK(sinter_rt_call(&g, NULL, NULL, x, NULL) == SINTER_UNSUPPORTED);
  CHECK_TEXT(sinter_rt_last_error(),
             "g: kernel all: its 300 blocks wait for each other, and the device holds 200 at once (2 on each of 100 "
             "multiprocessors): compile for this device, with a schedule of fewer blocks");
  *result = 1;
  CHECK(sinter_rt_call(&g, NULL, NULL, x, NULL) == SINTER_DEVICE_ERROR);
  CHECK_TEXT(sinter_rt_last_error(),
             "g: kernel all: cuLaunchCooperativeKernel: CUDA_ERROR_INVALID_VALUE (1): invalid argument");
  fail[0] = 0;
}

static void filling_packed(void **d) {
  (void)d;
  sinter_rt_launch_filling(&image, 1000, "fills", 300, 7, 1, 64, 0, NULL);
}
static void filling_more_packed(void **d) {
  (void)d;
  sinter_rt_launch_filling(&image, 1000, "fills", 150, 7, 2, 64, 0, NULL);
  sinter_rt_launch_filling(&image, 1000, "needs many", 300, 201, 4, 64, 0, NULL);
}

// As many blocks are launched as run at once, of 100 multiprocessors with room for 2 each; at least 201 are too many.
static void filling(void) {
  SinterFunction g = {"g", kDLCUDA, 0, 0, 0, NULL, NULL, 0, filling_packed, NULL, NULL};
  log_text[0] = 0;
  CHECK(sinter_rt_call(&g, NULL, NULL, x, NULL) == SINTER_OK);
  CHECK(strstr(log_text, "cuLaunchCooperativeKernel fills grid 100x1x1 block 64x1x1 shared 0 stream\n"));
  log_text[0] = 0;
  CHECK(sinter_rt_call(&g, NULL, NULL, x, NULL) == SINTER_OK);
  CHECK_TEXT(log_text, "cuLaunchCooperativeKernel fills grid 100x1x1 block 64x1x1 shared 0 stream\n");
  const SinterFunction h = {"h", kDLCUDA, 0, 0, 0, NULL, NULL, 0, filling_more_packed, NULL, NULL};
  CHECK(sinter_rt_call(&h, NULL, NULL, x, NULL) == SINTER_UNSUPPORTED);
  CHECK_TEXT(sinter_rt_last_error(),
             "h: kernel needs many: it needs 201 blocks at once, and the device holds 200 (2 on each of 100 "
             "multiprocessors): compile for this device, with a schedule of fewer blocks");
}

static void workspaces(void) {
  DLTensor t = {x, {kDLCUDA, 0}, 1, {kDLFloat, 32, 1}, (int64_t *)shape, NULL, 0}, *in[] = {&t};
  CHECK(sinter_rt_call(&f, in, NULL, NULL, NULL) == SINTER_BAD_ARGUMENT);
  CHECK_TEXT(sinter_rt_last_error(), "loss: the workspace is NULL, expected 64 bytes on the device");
}

static void copying(void **d) {
  (void)d;
  sinter_rt_copy(workspace, x, 16);
  sinter_rt_copy(workspace, x, 0);
}

// Copies are queued on the call's stream.
static void copies(void) {
  const SinterFunction g = {"g", kDLCUDA, 0, 0, 0, NULL, NULL, 0, copying, NULL, NULL};
  log_text[0] = 0;
  CHECK(sinter_rt_prepare(&g, NULL, NULL) == SINTER_OK);
  CHECK_TEXT(log_text, "");
  CHECK(sinter_rt_call(&g, NULL, NULL, x, NULL) == SINTER_OK);
  CHECK_TEXT(log_text, "cuMemcpyDtoDAsync_v2 16 stream\n");
  strcpy(fail, "cuMemcpyDtoDAsync_v2");
  *result = 1;
  CHECK(sinter_rt_call(&g, NULL, NULL, x, NULL) == SINTER_DEVICE_ERROR);
  CHECK_TEXT(sinter_rt_last_error(),
             "g: a copy of 16 bytes: cuMemcpyDtoDAsync: CUDA_ERROR_INVALID_VALUE (1): invalid argument");
  fail[0] = 0;
}

static float element;
static void *buffers[2];
static int32_t *word;

static void host_code(void **d) {
  (void)d;
  int64_t wide = -3;
  sinter_rt_device_allocate(0, &buffers[0]);
  CHECK(!buffers[0]);
  sinter_rt_device_allocate(64, &buffers[0]);
  sinter_rt_device_allocate(128, &buffers[1]);
  sinter_rt_put(buffers[1], 0x40200000, 4); // 2.5
  sinter_rt_put((char *)buffers[1] + 8, wide, 8);
  CHECK(memcmp((char *)buffers[1] + 8, &wide, 8) == 0);
  sinter_rt_device_release(buffers[0]);
  sinter_rt_read(&element, buffers[1], 4);
  sinter_rt_count(SINTER_COUNT_KERNEL, 7);
}

// Host code reads and writes elements, and has memory of its own that ends with the call; what it reads it waits for,
// which no graph can hold, and no preparation.
static void elements(void) {
  const SinterFunction g = {"g", kDLCUDA, 0, 0, 0, NULL, NULL, 0, host_code, NULL, NULL};
  SinterStats before, after;
  log_text[0] = 0;
  CHECK(sinter_rt_call(&g, NULL, NULL, x, NULL) == SINTER_OK && element == 2.5f);
  CHECK_TEXT(log_text, "cuMemPoolCreate type 1 of device 0\ncuMemPoolSetAttribute 4 268435456\n"
                       "cuMemAllocFromPoolAsync 64 pool stream\ncuMemAllocFromPoolAsync 128 pool stream\n"
                       "cuMemsetD32Async 1075838976 stream\n"
                       "cuMemsetD32Async 4294967293 stream\ncuMemsetD32Async 4294967295 stream\n"
                       "cuMemFreeAsync stream\n"
                       "cuMemcpyDtoHAsync_v2 4 stream\ncuStreamSynchronize stream\ncuMemFreeAsync stream\n");
  *capturing = 1;
  sinter_rt_stats(&before);
  CHECK(sinter_rt_call(&g, NULL, NULL, x, NULL) == SINTER_DEVICE_ERROR);
  sinter_rt_stats(&after);
  CHECK(before.kernels == after.kernels); // it ended where it would have read
  CHECK_TEXT(sinter_rt_last_error(), "g: an element of 4 bytes: the program reads it to know what to do next, so a "
                                     "graph cannot hold the call");
  *capturing = 0;
  strcpy(fail, "cuMemAllocFromPoolAsync");
  *result = 2;
  CHECK(sinter_rt_call(&g, NULL, NULL, x, NULL) == SINTER_OUT_OF_MEMORY);
  CHECK_TEXT(sinter_rt_last_error(),
             "g: a buffer of 64 bytes: cuMemAllocFromPoolAsync: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
  fail[0] = 0;
}

static void deciding(void **d) {
  (void)d;
  sinter_rt_count(SINTER_COUNT_KERNEL, 1);
  sinter_rt_read(&element, x, 4);
  abort(); // nobody decides by an element that is not there
}

static void prepared(void) {
  const SinterFunction g = {"g", kDLCUDA, 0, 0, 0, NULL, NULL, 0, deciding, NULL, NULL};
  log_text[0] = 0;
  CHECK(sinter_rt_prepare(&g, NULL, NULL) == SINTER_OK);
  CHECK_TEXT(log_text, "");
  // Neither by one that a kernel wrote whose assert had failed.
  *word = 1;
  CHECK(sinter_rt_call(&g, NULL, NULL, NULL, NULL) == SINTER_ASSERT_FAILED);
  CHECK_TEXT(sinter_rt_last_error(), "g: first");
  CHECK(*word == 0);
}

// Asserts in kernels write a number to a word in memory that both sides see; reading it waits for nothing.
static void asserting(void **d) {
  (void)d;
  sinter_rt_status_word("first\0second", (void **)&word);
}

static void device_status(void) {
  const SinterFunction g = {"g", kDLCUDA, 0, 0, 0, NULL, NULL, 0, asserting, NULL, NULL};
  const char *message = NULL;
  *capturing = 1;
  CHECK(sinter_rt_call(&g, NULL, NULL, NULL, NULL) == SINTER_DEVICE_ERROR);
  *capturing = 0;
  CHECK(sinter_rt_call(&g, NULL, NULL, NULL, NULL) == SINTER_OK && word && *word == 0);
  CHECK(sinter_rt_device_status(&message) == SINTER_OK);
  CHECK_TEXT(message, "");
  *word = 7; // "second" begins at 6
  *capturing = 1;
  log_text[0] = 0;
  CHECK(sinter_rt_call(&g, NULL, NULL, NULL, NULL) == SINTER_OK);
  CHECK(sinter_rt_device_status(&message) == SINTER_ASSERT_FAILED);
  CHECK_TEXT(message, "second");
  CHECK(sinter_rt_device_status(&message) == SINTER_OK);
  CHECK_TEXT(log_text, "");
  *capturing = 0;
}

int main(void) {
  open_fake();
  first_call();
  contexts();
  shared_memory();
  errors();
  broken_image();
  constants();
  together();
  filling();
  workspaces();
  copies();
  device_status();
  elements();
  prepared();
  return failures != 0;
}
