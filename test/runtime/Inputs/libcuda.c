// libcuda.c: a CUDA driver without a device, which writes down what it is asked.
//
// What runtime/cuda.c calls of the driver, as libcuda.so.1: two devices whose memory is
// the host's, and kernels that do nothing. Tests put its folder (%cuda) first on
// LD_LIBRARY_PATH. A test in C reads fake_cuda_log and sets fake_cuda_fail; for a program,
//
//   FAKE_CUDA_LOG=FILE                   gets a line for each call that does something
//   FAKE_CUDA_FAIL=cuLaunchKernel=2      this call answers that error

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

API char fake_cuda_log[1 << 16];
API char fake_cuda_fail[64];  // "cuLaunchKernel"
API int fake_cuda_result = 1; // what it answers then
API int fake_cuda_capturing;  // every stream is being captured

typedef struct {
  int device;
} Context;
static Context contexts[2] = {{0}, {1}}, foreign = {0};
API void *fake_cuda_foreign_context = &foreign; // of device 0, an embedder's own
static _Thread_local Context *current;

__attribute__((constructor)) static void read_environment(void) {
  const char *fail = getenv("FAKE_CUDA_FAIL"), *equals = fail ? strchr(fail, '=') : NULL;
  if (equals)
    snprintf(fake_cuda_fail, sizeof fake_cuda_fail, "%.*s", (int)(equals - fail), fail);
  if (equals)
    fake_cuda_result = atoi(equals + 1);
}

static int answer(const char *name) {
  return strcmp(name, fake_cuda_fail) == 0 ? fake_cuda_result : 0;
}

__attribute__((format(printf, 2, 3))) static int did(const char *name, const char *format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  int n = snprintf(line, sizeof line, "%s ", name);
  vsnprintf(line + n, sizeof line - (size_t)n, format, arguments);
  va_end(arguments);
  size_t used = strlen(fake_cuda_log);
  snprintf(fake_cuda_log + used, sizeof fake_cuda_log - used, "%s\n", line);
  const char *path = getenv("FAKE_CUDA_LOG");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (file) {
    fprintf(file, "%s\n", line);
    fclose(file);
  }
  return answer(name);
}

API int cuInit(unsigned flags) { return did("cuInit", "%u", flags); }
API int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
API int cuGetErrorName(int result, const char **name) {
  *name = result == 1     ? "CUDA_ERROR_INVALID_VALUE"
          : result == 2   ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == 218 ? "CUDA_ERROR_INVALID_PTX"
                          : NULL;
  return *name ? 0 : 1;
}
API int cuGetErrorString(int result, const char **text) {
  *text = result == 1 ? "invalid argument" : result == 2 ? "out of memory" : "a PTX JIT compilation failed";
  return 0;
}
API int cuDeviceGet(int *device, int i) { return *device = i, answer("cuDeviceGet"); }
API int cuDeviceGetCount(int *count) { return *count = 2, answer("cuDeviceGetCount"); }
API int cuDeviceGetName(char *name, int size, int device) {
  snprintf(name, (size_t)size, "fake device %d", device);
  return 0;
}
API int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  return *value = attribute == 75 ? 9 : attribute == 16 ? 100 : 0, 0;
}
API int cuDeviceTotalMem_v2(size_t *bytes, int device) { return (void)device, *bytes = 1 << 30, 0; }
API int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = &contexts[device];
  return did("cuDevicePrimaryCtxRetain", "%d", device);
}
API int cuCtxGetCurrent(void **context) { return *context = current, 0; }
API int cuCtxSetCurrent(void *context) { return current = context, answer("cuCtxSetCurrent"); }
API int cuCtxGetDevice(int *device) { return current ? *device = current->device, 0 : 201; }

API int cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options, void **values) {
  *module = (void *)image;
  for (unsigned i = 0; i < n && answer("cuModuleLoadDataEx"); i++)
    if (options[i] == 5) // CU_JIT_ERROR_LOG_BUFFER
      strcpy(values[i], "ptxas application ptx input, line 7\nerror");
  return did("cuModuleLoadDataEx", "on device %d", current->device);
}
API int cuCtxSynchronize(void) { return did("cuCtxSynchronize", ""); }
API int cuModuleUnload(void *module) { return (void)module, did("cuModuleUnload", "module"); }
API int cuDevicePrimaryCtxRelease_v2(int device) { return did("cuDevicePrimaryCtxRelease_v2", "%d", device); }
API int cuModuleGetFunction(void **function, void *module, const char *name) {
  (void)module;
  *function = (void *)name;
  return did("cuModuleGetFunction", "%s", name);
}
// The last block begins a phase each microsecond, and those before it 100 ns later each; a phase takes 700 ns.
API int cuModuleGetGlobal_v2(uint64_t *memory, size_t *bytes, void *module, const char *name) {
  static int64_t times[1 << 16];
  const char *blocks = getenv("SINTER_TEST_CLOCKED_BLOCKS"), *phases = getenv("SINTER_TEST_CLOCKED_PHASES");
  int64_t n = blocks ? atoi(blocks) : 0, m = phases ? atoi(phases) : 0;
  (void)module;
  for (int64_t i = 0; i < n * m; i++)
    times[2 * i + 1] = 700 + (times[2 * i] = 1790000000000000000 + i % m * 1000 + (n - 1 - i / m) * 100);
  *memory = (uint64_t)(uintptr_t)times;
  *bytes = (size_t)(n * m) * 16;
  return did("cuModuleGetGlobal_v2", "%s", name);
}
API int cuFuncGetAttribute(int *value, int attribute, void *function) {
  (void)function;
  return *value = attribute == 1 ? 1000 : 0, 0;
}
API int cuFuncSetAttribute(void *function, int attribute, int value) {
  (void)attribute;
  return did("cuFuncSetAttribute", "%s %d", (char *)function, value);
}
API int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                       unsigned shared, void *stream, void **args, void **extra) {
  (void)args, (void)extra;
  return did("cuLaunchKernel", "%s grid %ux%ux%u block %ux%ux%u shared %u %s", (char *)function, x, y, z, bx, by, bz,
             shared, stream ? "stream" : "default stream");
}
API int cuLaunchCooperativeKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by,
                                  unsigned bz, unsigned shared, void *stream, void **args) {
  (void)args;
  return did("cuLaunchCooperativeKernel", "%s grid %ux%ux%u block %ux%ux%u shared %u %s", (char *)function, x, y, z, bx,
             by, bz, shared, stream ? "stream" : "default stream");
}
API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared) {
  (void)function, (void)threads, (void)shared;
  return *blocks = 2, 0;
}
API int cuStreamIsCapturing(void *stream, int *capturing) { return (void)stream, *capturing = fake_cuda_capturing, 0; }

API int cuMemAlloc_v2(uint64_t *memory, size_t bytes) {
  *memory = (uint64_t)(uintptr_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
  return did("cuMemAlloc_v2", "%zu", bytes);
}
API int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  return did("cuMemHostAlloc", "%zu flags %u", bytes, flags);
}
API int cuMemFreeHost(void *memory) { return free(memory), did("cuMemFreeHost", "memory"); }
API int cuMemHostGetDevicePointer_v2(uint64_t *address, void *memory, unsigned flags) {
  return (void)flags, *address = (uint64_t)(uintptr_t)memory, 0;
}
API int cuMemFree_v2(uint64_t memory) { return free((void *)(uintptr_t)memory), did("cuMemFree_v2", "memory"); }
API int cuMemAllocAsync(uint64_t *memory, size_t bytes, void *stream) {
  *memory = (uint64_t)(uintptr_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
  return did("cuMemAllocAsync", "%zu %s", bytes, stream ? "stream" : "default stream");
}
API int cuMemAllocFromPoolAsync(uint64_t *memory, size_t bytes, void *pool, void *stream) {
  *memory = (uint64_t)(uintptr_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
  return did("cuMemAllocFromPoolAsync", "%zu %s %s", bytes, (const char *)pool, stream ? "stream" : "default stream");
}
API int cuMemPoolCreate(void **pool, const int *props) {
  static char name[] = "pool";
  *pool = name;
  return did("cuMemPoolCreate", "type %d of device %d", props[0], props[3]);
}
API int cuMemPoolSetAttribute(void *pool, int attribute, const uint64_t *value) {
  (void)pool;
  return did("cuMemPoolSetAttribute", "%d %llu", attribute, (unsigned long long)*value);
}
API int cuMemPoolDestroy(void *pool) { return did("cuMemPoolDestroy", "%s", (const char *)pool); }
API int cuMemFreeAsync(uint64_t memory, void *stream) {
  free((void *)(uintptr_t)memory);
  return did("cuMemFreeAsync", "%s", stream ? "stream" : "default stream");
}
API int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  memcpy((void *)(uintptr_t)to, from, bytes);
  return did("cuMemcpyHtoD_v2", "%zu", bytes);
}
API int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  memcpy(to, (void *)(uintptr_t)from, bytes);
  return did("cuMemcpyDtoH_v2", "%zu", bytes);
}
API int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
  memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
  return did("cuMemcpyDtoDAsync_v2", "%zu %s", bytes, stream ? "stream" : "default stream");
}
API int cuMemsetD16Async(uint64_t memory, unsigned short number, size_t count, void *stream) {
  for (size_t i = 0; i < count; ++i)
    memcpy((char *)memory + 2 * i, &number, 2);
  return did("cuMemsetD16Async", "%hu %s", number, stream ? "stream" : "default stream");
}
API int cuMemsetD32Async(uint64_t memory, unsigned number, size_t count, void *stream) {
  for (size_t i = 0; i < count; ++i)
    memcpy((char *)memory + 4 * i, &number, 4);
  return did("cuMemsetD32Async", "%u %s", number, stream ? "stream" : "default stream");
}
API int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  memcpy(to, (void *)(uintptr_t)from, bytes);
  return did("cuMemcpyDtoHAsync_v2", "%zu %s", bytes, stream ? "stream" : "default stream");
}
API int cuMemsetD8Async(uint64_t memory, unsigned char byte, size_t bytes, void *stream) {
  memset((void *)(uintptr_t)memory, byte, bytes);
  return did("cuMemsetD8Async", "%zu %s", bytes, stream ? "stream" : "default stream");
}
API int cuStreamCreate(void **stream, unsigned flags) {
  static int streams;
  *stream = &streams;
  return did("cuStreamCreate", "%u", flags);
}
API int cuStreamDestroy_v2(void *stream) { return (void)stream, did("cuStreamDestroy_v2", "stream"); }
API int cuStreamSynchronize(void *stream) { return (void)stream, did("cuStreamSynchronize", "stream"); }
API int cuEventCreate(void **event, unsigned flags) { return (void)flags, *event = event, 0; }
API int cuEventDestroy_v2(void *event) { return (void)event, 0; }
API int cuEventRecord(void *event, void *stream) { return (void)event, (void)stream, 0; }
API int cuEventElapsedTime(float *ms, void *from, void *to) { return (void)from, (void)to, *ms = 0.5f, 0; }
