// cuda.c: modules and launches on the CUDA driver, which is opened at run time.
//
// The declarations below are those of the CUDA driver API (cuda.h of the CUDA
// toolkit), written here so that building needs no toolkit. Names with _v2 are
// the ones that cuda.h maps the plain names to.

#include "cuda.h"
#include "call.h"
#include "thread.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef void *CUcontext, *CUmodule, *CUfunction, *CUstream, *CUevent;

enum {
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
};

// What a kernel may use without asking (CUDA programming guide, "Shared memory"), its own variables and what the
// launch gives together.
enum { SHARED_BYTES_WITHOUT_ASKING = 48 * 1024 };

#define DRIVER_FUNCTIONS(F)                                                                                            \
  F(cuInit, (unsigned))                                                                                                \
  F(cuDriverGetVersion, (int *))                                                                                       \
  F(cuGetErrorName, (CUresult, const char **))                                                                         \
  F(cuGetErrorString, (CUresult, const char **))                                                                       \
  F(cuDeviceGet, (CUdevice *, int))                                                                                    \
  F(cuDeviceGetCount, (int *))                                                                                         \
  F(cuDeviceGetName, (char *, int, CUdevice))                                                                          \
  F(cuDeviceGetAttribute, (int *, int, CUdevice))                                                                      \
  F(cuDeviceTotalMem_v2, (size_t *, CUdevice))                                                                         \
  F(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                                                 \
  F(cuDevicePrimaryCtxRelease_v2, (CUdevice))                                                                          \
  F(cuCtxSynchronize, (void))                                                                                          \
  F(cuCtxGetCurrent, (CUcontext *))                                                                                    \
  F(cuCtxSetCurrent, (CUcontext))                                                                                      \
  F(cuCtxGetDevice, (CUdevice *))                                                                                      \
  F(cuModuleLoadDataEx, (CUmodule *, const void *, unsigned, int *, void **))                                          \
  F(cuModuleUnload, (CUmodule))                                                                                        \
  F(cuModuleGetFunction, (CUfunction *, CUmodule, const char *))                                                       \
  F(cuFuncGetAttribute, (int *, int, CUfunction))                                                                      \
  F(cuFuncSetAttribute, (CUfunction, int, int))                                                                        \
  F(cuLaunchKernel,                                                                                                    \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **))    \
  F(cuLaunchCooperativeKernel,                                                                                         \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **))             \
  F(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, CUfunction, int, size_t))                                     \
  F(cuMemAlloc_v2, (CUdeviceptr *, size_t))                                                                            \
  F(cuMemFree_v2, (CUdeviceptr))                                                                                       \
  F(cuMemAllocAsync, (CUdeviceptr *, size_t, CUstream))                                                                \
  F(cuMemFreeAsync, (CUdeviceptr, CUstream))                                                                           \
  F(cuMemHostAlloc, (void **, size_t, unsigned))                                                                       \
  F(cuMemFreeHost, (void *))                                                                                           \
  F(cuMemHostGetDevicePointer_v2, (CUdeviceptr *, void *, unsigned))                                                   \
  F(cuMemcpyHtoD_v2, (CUdeviceptr, const void *, size_t))                                                              \
  F(cuMemcpyDtoH_v2, (void *, CUdeviceptr, size_t))                                                                    \
  F(cuMemcpyDtoDAsync_v2, (CUdeviceptr, CUdeviceptr, size_t, CUstream))                                                \
  F(cuMemcpyDtoHAsync_v2, (void *, CUdeviceptr, size_t, CUstream))                                                     \
  F(cuMemsetD8Async, (CUdeviceptr, unsigned char, size_t, CUstream))                                                   \
  F(cuMemsetD16Async, (CUdeviceptr, unsigned short, size_t, CUstream))                                                 \
  F(cuMemsetD32Async, (CUdeviceptr, unsigned, size_t, CUstream))                                                       \
  F(cuStreamCreate, (CUstream *, unsigned))                                                                            \
  F(cuStreamDestroy_v2, (CUstream))                                                                                    \
  F(cuStreamIsCapturing, (CUstream, int *))                                                                            \
  F(cuStreamSynchronize, (CUstream))                                                                                   \
  F(cuEventCreate, (CUevent *, unsigned))                                                                              \
  F(cuEventDestroy_v2, (CUevent))                                                                                      \
  F(cuEventRecord, (CUevent, CUstream))                                                                                \
  F(cuEventElapsedTime, (float *, CUevent, CUevent))

// Drivers of CUDA 12 and newer have it; only kernels that copy tiles ask for it.
typedef CUresult (*EncodeTensorMap)(void *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
                                    const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                                    int interleave, int swizzle, int promotion, int fill);
static EncodeTensorMap encode_tensor_map;

#define MEMBER(name, arguments) CUresult(*name) arguments;
static struct {
  DRIVER_FUNCTIONS(MEMBER)
} cu;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char missing[256]; // why there is no driver; "": there is one

static void *symbol(void *library, const char *name) {
  void *address = dlsym(library, name);
  if (!address && !missing[0])
    snprintf(missing, sizeof missing, "no device: the CUDA driver has no %s; it is too old", name);
  return address;
}

static void open_driver(void) {
  // Stays open for the life of the process, as the driver expects.
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(missing, sizeof missing, "no device: %s", dlerror());
    return;
  }
#define LOAD(name, arguments) cu.name = (CUresult(*) arguments)symbol(library, #name);
  DRIVER_FUNCTIONS(LOAD)
  if (missing[0])
    return;
  encode_tensor_map = (EncodeTensorMap)dlsym(library, "cuTensorMapEncodeTiled");
  CUresult result = cu.cuInit(0);
  const char *name = NULL;
  if (result != 0 && (cu.cuGetErrorName(result, &name) != 0 || !name))
    name = "unknown error";
  if (result != 0)
    snprintf(missing, sizeof missing, "no device: cuInit answers %s", name);
}

const char *sinter_cuda_error(void) {
  const SinterThread *t = sinter_rt_known_thread();
  return t ? t->cuda_error : "not enough memory for what is kept of a thread";
}

static int32_t refuse(int32_t status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  SinterThread *t = sinter_rt_thread();
  if (t)
    vsnprintf(t->cuda_error, sizeof t->cuda_error, format, arguments);
  va_end(arguments);
  return status;
}

// The status of an answer of the driver; what was tried is in words, or a call
// whose arguments are left out.
static int32_t check(CUresult result, const char *what) {
  if (result == 0)
    return SINTER_OK;
  const char *name = NULL, *text = NULL;
  cu.cuGetErrorName(result, &name);
  cu.cuGetErrorString(result, &text);
  int32_t status = result == CUDA_ERROR_OUT_OF_MEMORY ? SINTER_OUT_OF_MEMORY
                   : result == CUDA_ERROR_NO_DEVICE || result == CUDA_ERROR_INVALID_DEVICE
                       ? SINTER_NO_DEVICE
                       : SINTER_DEVICE_ERROR;
  return refuse(status, "%.*s: %s (%d): %s", (int)strcspn(what, "("), what,
                name ? name : "unknown error", result, text ? text : "?");
}

static int32_t driver(void) {
  pthread_once(&once, open_driver);
  return missing[0] ? refuse(SINTER_NO_DEVICE, "%s", missing) : SINTER_OK;
}

// Runs the calls in order until one fails.
#define TRY(call)                                                                                  \
  do {                                                                                             \
    int32_t try_status = check(cu.call, #call);                                                    \
    if (try_status != SINTER_OK)                                                                   \
      return try_status;                                                                           \
  } while (0)

// The context that kernels of a device run in: the current one if it is that
// device's (an embedder may have made its own), else the primary one, which is
// then current. Retained once, for the life of the process.
enum { DEVICES = 64 };
static CUcontext primary[DEVICES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; // of primary, modules, kernels

static int32_t retain(int32_t device, CUcontext *context) {
  int count = 0;
  CUdevice handle;
  TRY(cuDeviceGetCount(&count));
  if (device < 0 || device >= count || device >= DEVICES)
    return refuse(SINTER_NO_DEVICE, "no device %d: the CUDA driver has %d", device, count);
  TRY(cuDeviceGet(&handle, device));
  if (!primary[device])
    TRY(cuDevicePrimaryCtxRetain(&primary[device], handle));
  *context = primary[device];
  return SINTER_OK;
}

// before: what was current on this thread, for leave.
static int32_t enter(int32_t device, CUcontext *context, CUcontext *before) {
  int32_t status = driver();
  if (status != SINTER_OK)
    return status;
  CUdevice current;
  *context = *before = NULL;
  if (cu.cuCtxGetCurrent(before) == 0 && *before && cu.cuCtxGetDevice(&current) == 0 &&
      current == device) {
    *context = *before;
    return SINTER_OK;
  }
  pthread_mutex_lock(&mutex);
  status = retain(device, context);
  pthread_mutex_unlock(&mutex);
  if (status != SINTER_OK)
    return status;
  TRY(cuCtxSetCurrent(*context));
  return SINTER_OK;
}

// A thread without a context keeps the primary one: it costs nothing, and saves the next switch.
static void leave(CUcontext context, CUcontext before) {
  if (before && before != context)
    cu.cuCtxSetCurrent(before);
}

// Modules by image and context, kernels by image, context and the address of
// their name. Found without a lock, added under the mutex, never removed but by
// sinter_rt_close: else they go with the process. A library that is closed and
// opened again has a runtime with empty tables.
typedef struct Module {
  const void *image;
  CUcontext context;
  CUmodule handle;
  struct Module *next;
} Module;

typedef struct Kernel {
  const void *image;
  CUcontext context;
  const char *name;
  CUfunction handle;
  _Atomic int64_t shared_bytes; // allowed so far
  struct Kernel *next;
} Kernel;

enum { BUCKETS = 256 };
static Module *modules;
static Kernel *_Atomic kernels[BUCKETS];

static int32_t load(const void *image, CUcontext context, CUmodule *handle) {
  for (Module *m = modules; m; m = m->next)
    if (m->image == image && m->context == context) {
      *handle = m->handle;
      return SINTER_OK;
    }
  Module *m = malloc(sizeof *m);
  if (!m)
    return refuse(SINTER_OUT_OF_MEMORY, "not enough memory for a module");
  char log[1024] = "";
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  CUresult result = cu.cuModuleLoadDataEx(handle, image, 2, options, values);
  int32_t status = check(result, "loading its module");
  if (status != SINTER_OK) {
    free(m);
    char reason[512];
    snprintf(reason, sizeof reason, "%s", sinter_cuda_error());
    for (char *end; (end = strchr(log, '\n'));) // one line
      *end = ' ';
    return log[0] ? refuse(status, "%s: %s", reason, log) : status;
  }
  *m = (Module){image, context, *handle, modules};
  modules = m;
  return SINTER_OK;
}

static int32_t add(const void *image, CUcontext context, const char *name, Kernel *_Atomic *bucket,
                   Kernel **out) {
  CUmodule module;
  int32_t status = load(image, context, &module);
  if (status != SINTER_OK)
    return status;
  CUfunction handle;
  TRY(cuModuleGetFunction(&handle, module, name));
  int own_bytes = 0;
  TRY(cuFuncGetAttribute(&own_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, handle));
  Kernel *k = malloc(sizeof *k);
  if (!k)
    return refuse(SINTER_OUT_OF_MEMORY, "not enough memory for a kernel");
  k->image = image;
  k->context = context;
  k->name = name;
  k->handle = handle;
  atomic_init(&k->shared_bytes, SHARED_BYTES_WITHOUT_ASKING - own_bytes);
  k->next = atomic_load_explicit(bucket, memory_order_relaxed);
  atomic_store_explicit(bucket, k, memory_order_release);
  *out = k;
  return SINTER_OK;
}

static Kernel *look_up(Kernel *_Atomic *bucket, const void *image, CUcontext context,
                       const char *name) {
  Kernel *k = atomic_load_explicit(bucket, memory_order_acquire);
  while (k && (k->image != image || k->context != context || k->name != name))
    k = k->next;
  return k;
}

// Loading is no launch: a graph would not hold it, and the driver ends a capture for it.
static int32_t refuse_capture(CUstream stream) {
  int capturing = 0;
  if (cu.cuStreamIsCapturing(stream, &capturing) == 0 && capturing)
    return refuse(SINTER_DEVICE_ERROR, "it is not loaded on this device yet, and the stream is being captured: "
                                       "call the function once, or prepare it, before the capture");
  return SINTER_OK;
}

static int32_t find(const void *image, CUcontext context, CUstream stream, const char *name,
                    Kernel **out) {
  uint64_t h = ((uint64_t)(uintptr_t)image ^ (uint64_t)(uintptr_t)name << 1 ^
                (uint64_t)(uintptr_t)context << 2) *
               0x9e3779b97f4a7c15u;
  Kernel *_Atomic *bucket = &kernels[h >> 56];
  *out = look_up(bucket, image, context, name);
  if (*out)
    return SINTER_OK;
  int32_t status = refuse_capture(stream);
  if (status != SINTER_OK)
    return status;
  pthread_mutex_lock(&mutex);
  *out = look_up(bucket, image, context, name);
  if (!*out)
    status = add(image, context, name, bucket, out);
  pthread_mutex_unlock(&mutex);
  return status;
}

// The largest of what several threads ask for stays allowed.
static int32_t allow_shared(Kernel *kernel, int64_t bytes) {
  int32_t status = SINTER_OK;
  pthread_mutex_lock(&mutex);
  if (bytes > atomic_load(&kernel->shared_bytes)) {
    CUresult result = cu.cuFuncSetAttribute(
        kernel->handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
    char what[64];
    snprintf(what, sizeof what, "asking for %lld bytes of shared memory", (long long)bytes);
    status = check(result, what);
    if (status == SINTER_OK)
      atomic_store(&kernel->shared_bytes, bytes);
  }
  pthread_mutex_unlock(&mutex);
  return status;
}

// All blocks run at once; if they are too many, how many the device holds.
static int32_t launch_together(CUfunction handle, const int64_t grid[3], const int64_t block[3],
                               int64_t shared_bytes, CUstream stream, void **args) {
  CUresult result = cu.cuLaunchCooperativeKernel(
      handle, (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2], (unsigned)block[0],
      (unsigned)block[1], (unsigned)block[2], (unsigned)shared_bytes, stream, args);
  if (result != CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
    return check(result, "cuLaunchCooperativeKernel");
  int each = 0, multiprocessors = 0;
  CUdevice device;
  TRY(cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &each, handle, (int)(block[0] * block[1] * block[2]), (size_t)shared_bytes));
  TRY(cuCtxGetDevice(&device));
  TRY(cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
  return refuse(SINTER_UNSUPPORTED,
                "its %lld blocks wait for each other, and the device holds %d at once (%d on each of %d "
                "multiprocessors): compile for this device, with a schedule of fewer blocks",
                (long long)(grid[0] * grid[1] * grid[2]), each * multiprocessors, each, multiprocessors);
}

static int32_t launch_in(CUcontext context, const SinterCall *call, const void *image,
                         const char *name, const int64_t grid[3], const int64_t block[3],
                         int64_t shared_bytes, void **args, bool together) {
  CUstream stream = call ? call->stream : NULL;
  Kernel *kernel;
  int32_t status = find(image, context, stream, name, &kernel);
  if (status == SINTER_OK && shared_bytes > atomic_load(&kernel->shared_bytes))
    status = allow_shared(kernel, shared_bytes);
  if (status != SINTER_OK || (call && call->prepare))
    return status;
  if (together)
    return launch_together(kernel->handle, grid, block, shared_bytes, stream, args);
  TRY(cuLaunchKernel(kernel->handle, (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2],
                     (unsigned)block[0], (unsigned)block[1], (unsigned)block[2],
                     (unsigned)shared_bytes, stream, args, NULL));
  return SINTER_OK;
}

static int32_t launch(const SinterCall *call, const void *image, const char *name,
                      const int64_t grid[3], const int64_t block[3], int64_t shared_bytes,
                      void **args, bool together) {
  // Limits of every architecture that the driver knows (CUDA programming guide,
  // "Compute capabilities"); what a kernel allows is less, and the driver's to say.
  static const int64_t grid_limit[3] = {INT_MAX, 65535, 65535};
  static const int64_t block_limit[3] = {1024, 1024, 64};
  for (int d = 0; d < 3; d++) {
    if (grid[d] > grid_limit[d])
      return refuse(SINTER_UNSUPPORTED, "%lld blocks in dimension %d, at most %lld",
                    (long long)grid[d], d, (long long)grid_limit[d]);
    if (block[d] < 1 || block[d] > block_limit[d])
      return refuse(SINTER_UNSUPPORTED, "%lld threads in dimension %d, at most %lld",
                    (long long)block[d], d, (long long)block_limit[d]);
  }
  if (shared_bytes < 0 || shared_bytes > INT_MAX)
    return refuse(SINTER_UNSUPPORTED, "%lld bytes of shared memory", (long long)shared_bytes);
  CUcontext context, before;
  int32_t status = enter(call ? call->device_id : 0, &context, &before);
  if (status == SINTER_OK) {
    status = launch_in(context, call, image, name, grid, block, shared_bytes, args, together);
    leave(context, before);
  }
  return status;
}

static void launch_now(const void *image, int64_t image_bytes, const char *kernel, int64_t grid_x,
                       int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y,
                       int64_t block_z, int64_t shared_bytes, void **args, bool together) {
  const int64_t grid[3] = {grid_x, grid_y, grid_z};
  const int64_t block[3] = {block_x, block_y, block_z};
  if (sinter_rt_status() != SINTER_OK || grid_x <= 0 || grid_y <= 0 || grid_z <= 0)
    return;
  int32_t status =
      launch(sinter_rt_current(), image, kernel, grid, block, shared_bytes, args, together);
  if (status == SINTER_NO_DEVICE)
    sinter_rt_error(status, "%s", sinter_cuda_error());
  else if (status == SINTER_OUT_OF_MEMORY)
    sinter_rt_error(status,
                    "kernel %s: %s (%lld bytes of code, %lld blocks of %lld threads with %lld bytes of shared memory)",
                    kernel, sinter_cuda_error(), (long long)image_bytes, (long long)(grid_x * grid_y * grid_z),
                    (long long)(block_x * block_y * block_z), (long long)shared_bytes);
  else if (status != SINTER_OK)
    sinter_rt_error(status, "kernel %s: %s", kernel, sinter_cuda_error());
}

void sinter_rt_launch(const void *image, int64_t image_bytes, const char *kernel, int64_t grid_x,
                      int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y,
                      int64_t block_z, int64_t shared_bytes, void **args) {
  launch_now(image, image_bytes, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z,
             shared_bytes, args, false);
}

void sinter_rt_launch_together(const void *image, int64_t image_bytes, const char *kernel, int64_t grid_x,
                               int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y,
                               int64_t block_z, int64_t shared_bytes, void **args) {
  launch_now(image, image_bytes, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z,
             shared_bytes, args, true);
}

static int32_t encode(void *map, int64_t tf32, void *memory, int64_t rank, const int64_t *numbers) {
  enum { UINT8 = 0, UINT16 = 1, UINT32 = 2, TFLOAT32 = 11, MOST = 5, SWIZZLE_128B = 3, PROMOTE_128B = 2 };
  uint64_t sizes[MOST], strides[MOST];
  uint32_t box[MOST], steps[MOST];
  int64_t bytes = numbers[1];
  int32_t status = driver();
  if (status != SINTER_OK)
    return status;
  if (!encode_tensor_map)
    return refuse(SINTER_UNSUPPORTED, "the CUDA driver has no cuTensorMapEncodeTiled; it is too old");
  for (int64_t d = 0; d < rank; d++) {
    sizes[d] = (uint64_t)numbers[3 * d];
    strides[d] = (uint64_t)numbers[3 * d + 1];
    box[d] = (uint32_t)numbers[3 * d + 2];
    steps[d] = 1;
    if (!sizes[d])
      return SINTER_OK; // the kernel has nothing to copy
  }
  int type = tf32 ? TFLOAT32 : bytes == 1 ? UINT8 : bytes == 2 ? UINT16 : UINT32;
  return check(encode_tensor_map(map, type, (uint32_t)rank, memory, sizes, strides + 1, box, steps, 0, SWIZZLE_128B,
                                 PROMOTE_128B, 0),
               "cuTensorMapEncodeTiled");
}

void sinter_rt_tensor_map(void *map, int64_t tf32, void *memory, int64_t rank, const int64_t *numbers) {
  const SinterCall *call = sinter_rt_current();
  memset(map, 0, 128);
  if (sinter_rt_status() != SINTER_OK || (call && call->prepare))
    return;
  int32_t status = encode(map, tf32, memory, rank, numbers);
  if (status == SINTER_NO_DEVICE)
    sinter_rt_error(status, "%s", sinter_cuda_error());
  else if (status != SINTER_OK)
    sinter_rt_error(status, "a tensor of %lld dimensions that a kernel copies by tiles: %s", (long long)rank,
                    sinter_cuda_error());
}

static CUdeviceptr address(const void *memory) { return (CUdeviceptr)(uintptr_t)memory; }

void sinter_rt_copy(void *to, const void *from, int64_t bytes) {
  const SinterCall *call = sinter_rt_current();
  CUcontext context, before;
  if (sinter_rt_status() != SINTER_OK || bytes <= 0 || (call && call->prepare))
    return;
  int32_t status = enter(call ? call->device_id : 0, &context, &before);
  if (status == SINTER_OK) {
    status = check(cu.cuMemcpyDtoDAsync_v2(address(to), address(from), (size_t)bytes,
                                           call ? call->stream : NULL),
                   "cuMemcpyDtoDAsync");
    leave(context, before);
  }
  if (status == SINTER_NO_DEVICE)
    sinter_rt_error(status, "%s", sinter_cuda_error());
  else if (status != SINTER_OK)
    sinter_rt_error(status, "a copy of %lld bytes: %s", (long long)bytes, sinter_cuda_error());
}

// By memsets, whose value is the command's own: nothing of the host's is read later, and a graph keeps the number.
static int32_t put(void *to, uint64_t bits, int64_t bytes, CUstream stream) {
  if (bytes == 1)
    TRY(cuMemsetD8Async(address(to), (unsigned char)bits, 1, stream));
  if (bytes == 2)
    TRY(cuMemsetD16Async(address(to), (unsigned short)bits, 1, stream));
  for (int64_t at = 0; bytes >= 4 && at < bytes; at += 4)
    TRY(cuMemsetD32Async(address((char *)to + at), (unsigned)(bits >> 8 * at), 1, stream));
  return SINTER_OK;
}

void sinter_rt_put(void *to, int64_t bits, int64_t bytes) {
  const SinterCall *call = sinter_rt_current();
  CUcontext context, before;
  if (sinter_rt_status() != SINTER_OK || (call && call->prepare))
    return;
  int32_t status = enter(call ? call->device_id : 0, &context, &before);
  if (status == SINTER_OK) {
    status = put(to, (uint64_t)bits, bytes, call ? call->stream : NULL);
    leave(context, before);
  }
  if (status != SINTER_OK)
    sinter_rt_error(status, "a number of %lld bytes for a kernel: %s", (long long)bytes, sinter_cuda_error());
}

// Constants in memory of the device, by where they are in the host's and by context. Found without a lock, copied under
// the mutex, kept until sinter_rt_close.
typedef struct Constant {
  const void *host;
  CUcontext context;
  CUdeviceptr device;
  struct Constant *next;
} Constant;
static Constant *_Atomic constants[BUCKETS];

static Constant *look_up_constant(Constant *_Atomic *bucket, const void *host, CUcontext context) {
  Constant *c = atomic_load_explicit(bucket, memory_order_acquire);
  while (c && (c->host != host || c->context != context))
    c = c->next;
  return c;
}

static int32_t copy_constant(Constant *_Atomic *bucket, const void *host, CUcontext context, int64_t bytes,
                             Constant **out) {
  Constant *c = malloc(sizeof *c);
  if (!c)
    return refuse(SINTER_OUT_OF_MEMORY, "not enough memory for what is kept of a constant");
  int32_t status = check(cu.cuMemAlloc_v2(&c->device, (size_t)bytes), "cuMemAlloc");
  if (status == SINTER_OK) {
    status = check(cu.cuMemcpyHtoD_v2(c->device, host, (size_t)bytes), "cuMemcpyHtoD");
    if (status != SINTER_OK)
      cu.cuMemFree_v2(c->device);
  }
  if (status != SINTER_OK) {
    free(c);
    return status;
  }
  c->host = host;
  c->context = context;
  c->next = atomic_load_explicit(bucket, memory_order_relaxed);
  atomic_store_explicit(bucket, c, memory_order_release);
  *out = c;
  return SINTER_OK;
}

static int32_t find_constant(const void *host, CUcontext context, CUstream stream, int64_t bytes, Constant **out) {
  uint64_t h = ((uint64_t)(uintptr_t)host ^ (uint64_t)(uintptr_t)context << 2) * 0x9e3779b97f4a7c15u;
  Constant *_Atomic *bucket = &constants[h >> 56];
  if ((*out = look_up_constant(bucket, host, context)))
    return SINTER_OK;
  int32_t status = refuse_capture(stream);
  if (status != SINTER_OK)
    return status;
  pthread_mutex_lock(&mutex);
  if (!(*out = look_up_constant(bucket, host, context)))
    status = copy_constant(bucket, host, context, bytes, out);
  pthread_mutex_unlock(&mutex);
  return status;
}

void sinter_rt_device_constant(const void *host, int64_t bytes, const void **to) {
  const SinterCall *call = sinter_rt_current();
  CUcontext context, before;
  Constant *c = NULL;
  *to = NULL;
  if (sinter_rt_status() != SINTER_OK || bytes <= 0)
    return;
  int32_t status = enter(call ? call->device_id : 0, &context, &before);
  if (status == SINTER_OK) {
    status = find_constant(host, context, call ? call->stream : NULL, bytes, &c);
    leave(context, before);
  }
  if (status == SINTER_NO_DEVICE)
    sinter_rt_error(status, "%s", sinter_cuda_error());
  else if (status != SINTER_OK)
    sinter_rt_error(status, "a constant of %lld bytes: %s", (long long)bytes, sinter_cuda_error());
  if (c)
    *to = (const void *)(uintptr_t)c->device;
}

// Status words, one for each context, in memory of the host that kernels write: reading it waits for
// nothing. A word is 0, or 1 more than where the message of the assert that failed first begins in the
// library's messages. Added under the mutex, never removed.
typedef struct StatusWord {
  CUcontext context;
  volatile int32_t *host;
  CUdeviceptr device;
  struct StatusWord *next;
} StatusWord;
static StatusWord *_Atomic status_words;
static const char *_Atomic status_messages; // a library has one text

static StatusWord *look_up_status(CUcontext context) {
  StatusWord *w = atomic_load_explicit(&status_words, memory_order_acquire);
  while (w && w->context != context)
    w = w->next;
  return w;
}

static int32_t make_status(CUcontext context, StatusWord **out) {
  enum { PORTABLE = 1, MAPPED = 2, BYTES = 64 };
  void *memory = NULL;
  StatusWord *w = malloc(sizeof *w);
  if (!w)
    return refuse(SINTER_OUT_OF_MEMORY, "not enough memory for a status word");
  int32_t status = check(cu.cuMemHostAlloc(&memory, BYTES, PORTABLE | MAPPED), "cuMemHostAlloc");
  if (status == SINTER_OK)
    status = check(cu.cuMemHostGetDevicePointer_v2(&w->device, memory, 0), "cuMemHostGetDevicePointer");
  if (status != SINTER_OK) {
    free(w);
    return status;
  }
  memset(memory, 0, BYTES);
  w->context = context;
  w->host = memory;
  w->next = atomic_load_explicit(&status_words, memory_order_relaxed);
  atomic_store_explicit(&status_words, w, memory_order_release);
  *out = w;
  return SINTER_OK;
}

static int32_t find_status(CUcontext context, CUstream stream, StatusWord **out) {
  if ((*out = look_up_status(context)))
    return SINTER_OK;
  int32_t status = refuse_capture(stream);
  if (status != SINTER_OK)
    return status;
  pthread_mutex_lock(&mutex);
  if (!(*out = look_up_status(context)))
    status = make_status(context, out);
  pthread_mutex_unlock(&mutex);
  return status;
}

void sinter_rt_status_word(const char *messages, void **word) {
  const SinterCall *call = sinter_rt_current();
  CUcontext context, before;
  StatusWord *w = NULL;
  *word = NULL;
  if (sinter_rt_status() != SINTER_OK)
    return;
  atomic_store_explicit(&status_messages, messages, memory_order_relaxed);
  int32_t status = enter(call ? call->device_id : 0, &context, &before);
  if (status == SINTER_OK) {
    status = find_status(context, call ? call->stream : NULL, &w);
    leave(context, before);
  }
  if (status != SINTER_OK)
    sinter_rt_error(status, "%s", sinter_cuda_error());
  else
    *word = (void *)(uintptr_t)w->device;
}

int32_t sinter_rt_device_status(const char **message) {
  const char *messages = atomic_load_explicit(&status_messages, memory_order_relaxed);
  StatusWord *w = atomic_load_explicit(&status_words, memory_order_acquire);
  *message = "";
  for (; w && messages; w = w->next) {
    int32_t number = *w->host;
    if (!number)
      continue;
    *w->host = 0;
    *message = messages + number - 1;
    return SINTER_ASSERT_FAILED;
  }
  return SINTER_OK;
}

// ---- what host code does with memory of the device, element by element and buffer by buffer

static void fail_call(int32_t status, const char *format, int64_t bytes) {
  char what[64];
  snprintf(what, sizeof what, format, (long long)bytes);
  if (status == SINTER_NO_DEVICE)
    sinter_rt_error(status, "%s", sinter_cuda_error());
  else
    sinter_rt_error(status, "%s: %s", what, sinter_cuda_error());
}

static int32_t read_element(CUcontext context, CUstream stream, void *to, const void *from, int64_t bytes) {
  int capturing = 0;
  if (cu.cuStreamIsCapturing(stream, &capturing) == 0 && capturing)
    return refuse(SINTER_DEVICE_ERROR, "the program reads it to know what to do next, so a graph cannot hold the call");
  TRY(cuMemcpyDtoHAsync_v2(to, address(from), (size_t)bytes, stream));
  TRY(cuStreamSynchronize(stream));
  StatusWord *w = look_up_status(context);
  int32_t number = w ? *w->host : 0;
  if (!number)
    return SINTER_OK;
  *w->host = 0;
  return refuse(SINTER_ASSERT_FAILED, "%s", atomic_load_explicit(&status_messages, memory_order_relaxed) + number - 1);
}

void sinter_rt_read(void *to, const void *from, int64_t bytes) {
  const SinterCall *call = sinter_rt_current();
  CUcontext context, before;
  if (sinter_rt_status() != SINTER_OK || (call && call->prepare))
    sinter_rt_end_code();
  int32_t status = enter(call ? call->device_id : 0, &context, &before);
  if (status == SINTER_OK) {
    status = read_element(context, call ? call->stream : NULL, to, from, bytes);
    leave(context, before);
  }
  if (status == SINTER_OK)
    return;
  if (status == SINTER_ASSERT_FAILED)
    sinter_rt_fail(sinter_cuda_error());
  else
    fail_call(status, "an element of %lld bytes", bytes);
  sinter_rt_end_code();
}

typedef struct SinterDeviceBlock {
  CUdeviceptr memory;
  struct SinterDeviceBlock *next;
} SinterDeviceBlock;

static void free_block(const SinterCall *call, SinterDeviceBlock *block) {
  CUcontext context, before;
  if (enter(call->device_id, &context, &before) == SINTER_OK) {
    cu.cuMemFreeAsync(block->memory, call->stream);
    leave(context, before);
  }
  free(block);
}

static void release_all(SinterCall *call) {
  for (SinterDeviceBlock *block; (block = call->device_memory);) {
    call->device_memory = block->next;
    free_block(call, block);
  }
}

static int32_t allocate_block(SinterCall *call, int64_t bytes, void **to) {
  SinterDeviceBlock *block = malloc(sizeof *block);
  CUcontext context, before;
  if (!block)
    return refuse(SINTER_OUT_OF_MEMORY, "not enough memory for what is kept of a buffer");
  int32_t status = enter(call->device_id, &context, &before);
  if (status == SINTER_OK) {
    status = check(cu.cuMemAllocAsync(&block->memory, (size_t)bytes, call->stream), "cuMemAllocAsync");
    leave(context, before);
  }
  if (status != SINTER_OK) {
    free(block);
    return status;
  }
  block->next = call->device_memory;
  call->device_memory = block;
  call->release_device = release_all;
  *to = (void *)(uintptr_t)block->memory;
  return SINTER_OK;
}

void sinter_rt_device_allocate(int64_t bytes, void **to) {
  SinterCall *call = sinter_rt_current();
  *to = NULL;
  if (!call || sinter_rt_status() != SINTER_OK)
    sinter_rt_end_code();
  if (call->prepare || bytes <= 0)
    return;
  int32_t status = allocate_block(call, bytes, to);
  if (status == SINTER_OK)
    return;
  fail_call(status, "a buffer of %lld bytes", bytes);
  sinter_rt_end_code();
}

void sinter_rt_device_release(void *memory) {
  SinterCall *call = sinter_rt_current();
  SinterDeviceBlock **at = call ? &call->device_memory : NULL;
  while (at && *at && (*at)->memory != address(memory))
    at = &(*at)->next;
  SinterDeviceBlock *block = at ? *at : NULL;
  if (!block)
    return;
  *at = block->next;
  free_block(call, block);
}

// In the context of each: the caller's own may be gone, and what was in it with that.
static void close_modules(void) {
  for (Module *m; (m = modules); free(m)) {
    modules = m->next;
    if (cu.cuCtxSetCurrent(m->context) == 0 && cu.cuCtxSynchronize() == 0)
      cu.cuModuleUnload(m->handle);
  }
  for (int i = 0; i < BUCKETS; i++)
    for (Kernel *k = kernels[i], *next; k; k = next) {
      next = k->next;
      free(k);
    }
}

static void close_constants(void) {
  for (int i = 0; i < BUCKETS; i++)
    for (Constant *c = atomic_exchange(&constants[i], NULL), *next; c; c = next) {
      next = c->next;
      if (cu.cuCtxSetCurrent(c->context) == 0)
        cu.cuMemFree_v2(c->device);
      free(c);
    }
}

static void close_status(void) {
  for (StatusWord *w = status_words, *next; w; w = next) {
    next = w->next;
    if (cu.cuCtxSetCurrent(w->context) == 0)
      cu.cuMemFreeHost((void *)w->host);
    free(w);
  }
}

void sinter_rt_close(void) {
  if (!cu.cuInit || missing[0]) // nobody asked for a device
    return;
  CUcontext before = NULL;
  cu.cuCtxGetCurrent(&before);
  bool ours = false; // the thread stays in a context that goes
  close_modules();
  close_constants();
  close_status();
  for (int32_t device = 0; device < DEVICES; device++) {
    ours |= before && before == primary[device];
    if (primary[device])
      cu.cuDevicePrimaryCtxRelease_v2(device);
  }
  cu.cuCtxSetCurrent(ours ? NULL : before);
}

int32_t sinter_cuda_open(int32_t device) {
  CUcontext context, before;
  return enter(device, &context, &before);
}

int32_t sinter_cuda_describe(SinterCudaDevice *out) {
  CUdevice device;
  size_t bytes = 0;
  TRY(cuCtxGetDevice(&device));
  TRY(cuDeviceGetName(out->name, sizeof out->name, device));
  TRY(cuDriverGetVersion(&out->driver));
  TRY(cuDeviceGetAttribute(&out->major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  TRY(cuDeviceGetAttribute(&out->minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  TRY(cuDeviceTotalMem_v2(&bytes, device));
  out->memory_bytes = (int64_t)bytes;
  return SINTER_OK;
}

int32_t sinter_cuda_allocate(void **memory, int64_t bytes) {
  CUdeviceptr at = 0;
  *memory = NULL;
  if (bytes > 0) {
    CUresult result = cu.cuMemAlloc_v2(&at, (size_t)bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
      return refuse(SINTER_OUT_OF_MEMORY, "not enough memory on the device for %lld bytes",
                    (long long)bytes);
    int32_t status = check(result, "cuMemAlloc");
    if (status != SINTER_OK)
      return status;
  }
  *memory = (void *)(uintptr_t)at;
  return SINTER_OK;
}

int32_t sinter_cuda_free(void *memory) {
  if (memory)
    TRY(cuMemFree_v2(address(memory)));
  return SINTER_OK;
}

int32_t sinter_cuda_to_device(void *to, const void *from, int64_t bytes) {
  if (bytes > 0)
    TRY(cuMemcpyHtoD_v2(address(to), from, (size_t)bytes));
  return SINTER_OK;
}

int32_t sinter_cuda_from_device(void *to, const void *from, int64_t bytes) {
  if (bytes > 0)
    TRY(cuMemcpyDtoH_v2(to, address(from), (size_t)bytes));
  return SINTER_OK;
}

int32_t sinter_cuda_copy(void *to, const void *from, int64_t bytes, void *stream) {
  if (bytes > 0)
    TRY(cuMemcpyDtoDAsync_v2(address(to), address(from), (size_t)bytes, stream));
  return SINTER_OK;
}

int32_t sinter_cuda_set(void *memory, uint8_t byte, int64_t bytes, void *stream) {
  if (bytes > 0)
    TRY(cuMemsetD8Async(address(memory), byte, (size_t)bytes, stream));
  return SINTER_OK;
}

int32_t sinter_cuda_stream_create(void **stream) {
  *stream = NULL;
  // Not CU_STREAM_NON_BLOCKING: what the copies of this file started on the
  // default stream comes first.
  TRY(cuStreamCreate(stream, 0));
  return SINTER_OK;
}

int32_t sinter_cuda_stream_destroy(void *stream) {
  if (stream)
    TRY(cuStreamDestroy_v2(stream));
  return SINTER_OK;
}

int32_t sinter_cuda_stream_wait(void *stream) {
  TRY(cuStreamSynchronize(stream));
  return SINTER_OK;
}

int32_t sinter_cuda_event_create(void **event) {
  *event = NULL;
  TRY(cuEventCreate(event, 0));
  return SINTER_OK;
}

int32_t sinter_cuda_event_destroy(void *event) {
  if (event)
    TRY(cuEventDestroy_v2(event));
  return SINTER_OK;
}

int32_t sinter_cuda_event_record(void *event, void *stream) {
  TRY(cuEventRecord(event, stream));
  return SINTER_OK;
}

int32_t sinter_cuda_event_seconds(double *seconds, void *from, void *to) {
  float milliseconds = 0;
  TRY(cuEventElapsedTime(&milliseconds, from, to));
  *seconds = milliseconds / 1e3;
  return SINTER_OK;
}
