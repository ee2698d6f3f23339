// cuda.c: modules and launches on the CUDA driver, and what tools ask of a device.
//
// test: test/runtime/cuda.c

#include "cuda.h"
#include "call.h"
#include "cuda_driver.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a kernel may use without asking (CUDA programming guide, "Shared memory"), its own variables and what the
// launch gives together.
enum { SHARED_BYTES_WITHOUT_ASKING = 48 * 1024 };

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
  _Atomic int64_t shared_bytes;   // allowed so far
  _Atomic int64_t filling_blocks; // sinter_rt_launch_filling's; 0: not asked yet
  struct Kernel *next;
} Kernel;

// How many blocks fill a device: at most and at least, and of a multiprocessor at most.
typedef struct {
  int64_t most, least, each;
} Filling;

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
    return sinter_cuda_refuse(SINTER_OUT_OF_MEMORY, "not enough memory for a module");
  char log[1024] = "";
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  CUresult result = sinter_cu.cuModuleLoadDataEx(handle, image, 2, options, values);
  int32_t status = sinter_cuda_check(result, "loading its module");
  if (status != SINTER_OK) {
    free(m);
    char reason[512];
    snprintf(reason, sizeof reason, "%s", sinter_cuda_error());
    for (char *end; (end = strchr(log, '\n'));) // one line
      *end = ' ';
    return log[0] ? sinter_cuda_refuse(status, "%s: %s", reason, log) : status;
  }
  *m = (Module){image, context, *handle, modules};
  modules = m;
  return SINTER_OK;
}

static int32_t add(const void *image, CUcontext context, const char *name, Kernel *_Atomic *bucket, Kernel **out) {
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
    return sinter_cuda_refuse(SINTER_OUT_OF_MEMORY, "not enough memory for a kernel");
  k->image = image;
  k->context = context;
  k->name = name;
  k->handle = handle;
  atomic_init(&k->shared_bytes, SHARED_BYTES_WITHOUT_ASKING - own_bytes);
  atomic_init(&k->filling_blocks, 0);
  k->next = atomic_load_explicit(bucket, memory_order_relaxed);
  atomic_store_explicit(bucket, k, memory_order_release);
  *out = k;
  return SINTER_OK;
}

static Kernel *look_up(Kernel *_Atomic *bucket, const void *image, CUcontext context, const char *name) {
  Kernel *k = atomic_load_explicit(bucket, memory_order_acquire);
  while (k && (k->image != image || k->context != context || k->name != name))
    k = k->next;
  return k;
}

static int32_t find(const void *image, CUcontext context, CUstream stream, const char *name, Kernel **out) {
  uint64_t h = ((uint64_t)(uintptr_t)image ^ (uint64_t)(uintptr_t)name << 1 ^ (uint64_t)(uintptr_t)context << 2) *
               0x9e3779b97f4a7c15u;
  Kernel *_Atomic *bucket = &kernels[h >> 56];
  *out = look_up(bucket, image, context, name);
  if (*out)
    return SINTER_OK;
  int32_t status = sinter_cuda_refuse_capture(stream);
  if (status != SINTER_OK)
    return status;
  pthread_mutex_lock(&sinter_cuda_mutex);
  *out = look_up(bucket, image, context, name);
  if (!*out)
    status = add(image, context, name, bucket, out);
  pthread_mutex_unlock(&sinter_cuda_mutex);
  return status;
}

// The largest of what several threads ask for stays allowed.
static int32_t allow_shared(Kernel *kernel, int64_t bytes) {
  int32_t status = SINTER_OK;
  pthread_mutex_lock(&sinter_cuda_mutex);
  if (bytes > atomic_load(&kernel->shared_bytes)) {
    CUresult result =
        sinter_cu.cuFuncSetAttribute(kernel->handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
    char what[64];
    snprintf(what, sizeof what, "asking for %lld bytes of shared memory", (long long)bytes);
    status = sinter_cuda_check(result, what);
    if (status == SINTER_OK)
      atomic_store(&kernel->shared_bytes, bytes);
  }
  pthread_mutex_unlock(&sinter_cuda_mutex);
  return status;
}

// Blocks that a multiprocessor holds of the kernel, and multiprocessors.
static int32_t room_for(CUfunction handle, int64_t threads, int64_t shared_bytes, int *each, int *multiprocessors) {
  CUdevice device;
  TRY(cuOccupancyMaxActiveBlocksPerMultiprocessor(each, handle, (int)threads, (size_t)shared_bytes));
  TRY(cuCtxGetDevice(&device));
  TRY(cuDeviceGetAttribute(multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
  return SINTER_OK;
}

// All blocks run at once; if they are too many, how many the device holds.
static int32_t launch_together(CUfunction handle, const int64_t grid[3], const int64_t block[3], int64_t shared_bytes,
                               CUstream stream, void **args) {
  CUresult result = sinter_cu.cuLaunchCooperativeKernel(handle, (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2],
                                                        (unsigned)block[0], (unsigned)block[1], (unsigned)block[2],
                                                        (unsigned)shared_bytes, stream, args);
  if (result != CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
    return sinter_cuda_check(result, "cuLaunchCooperativeKernel");
  int each = 0, multiprocessors = 0;
  int32_t status = room_for(handle, block[0] * block[1] * block[2], shared_bytes, &each, &multiprocessors);
  if (status != SINTER_OK)
    return status;
  return sinter_cuda_refuse(SINTER_UNSUPPORTED,
                            "its %lld blocks wait for each other, and the device holds %d at once (%d on each of %d "
                            "multiprocessors): compile for this device, with a schedule of fewer blocks",
                            (long long)(grid[0] * grid[1] * grid[2]), each * multiprocessors, each, multiprocessors);
}

// As many blocks as run at once, of those that fill a device as `filling` says.
static int32_t fill(Kernel *kernel, const Filling *filling, int64_t threads, int64_t shared_bytes, int64_t *blocks) {
  *blocks = atomic_load_explicit(&kernel->filling_blocks, memory_order_relaxed);
  if (!*blocks) {
    int each = 0, multiprocessors = 0;
    int32_t status = room_for(kernel->handle, threads, shared_bytes, &each, &multiprocessors);
    if (status != SINTER_OK)
      return status;
    int64_t room = (int64_t)multiprocessors * (each < filling->each ? each : filling->each);
    *blocks = room < filling->most ? room : filling->most;
    if (*blocks < filling->least)
      return sinter_cuda_refuse(SINTER_UNSUPPORTED,
                                "it needs %lld blocks at once, and the device holds %lld (%d on each of %d "
                                "multiprocessors): compile for this device, with a schedule of fewer blocks",
                                (long long)filling->least, (long long)room, each, multiprocessors);
    atomic_store_explicit(&kernel->filling_blocks, *blocks, memory_order_relaxed);
  }
  return SINTER_OK;
}

static int32_t launch_in(CUcontext context, const SinterCall *call, const void *image, const char *name,
                         const int64_t grid[3], const int64_t block[3], int64_t shared_bytes, void **args,
                         bool together, const Filling *filling) {
  CUstream stream = call ? call->stream : NULL;
  Kernel *kernel;
  int32_t status = find(image, context, stream, name, &kernel);
  if (status == SINTER_OK && shared_bytes > atomic_load(&kernel->shared_bytes))
    status = allow_shared(kernel, shared_bytes);
  int64_t filled[3] = {1, 1, 1};
  if (status == SINTER_OK && filling) {
    status = fill(kernel, filling, block[0], shared_bytes, filled);
    grid = filled;
  }
  if (status != SINTER_OK || (call && call->prepare))
    return status;
  if (together)
    return launch_together(kernel->handle, grid, block, shared_bytes, stream, args);
  TRY(cuLaunchKernel(kernel->handle, (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2], (unsigned)block[0],
                     (unsigned)block[1], (unsigned)block[2], (unsigned)shared_bytes, stream, args, NULL));
  return SINTER_OK;
}

static int32_t launch(const SinterCall *call, const void *image, const char *name, const int64_t grid[3],
                      const int64_t block[3], int64_t shared_bytes, void **args, bool together,
                      const Filling *filling) {
  // Limits of every architecture that the driver knows (CUDA programming guide,
  // "Compute capabilities"); what a kernel allows is less, and the driver's to say.
  static const int64_t grid_limit[3] = {INT_MAX, 65535, 65535};
  static const int64_t block_limit[3] = {1024, 1024, 64};
  for (int d = 0; d < 3; d++) {
    if (grid[d] > grid_limit[d])
      return sinter_cuda_refuse(SINTER_UNSUPPORTED, "%lld blocks in dimension %d, at most %lld", (long long)grid[d], d,
                                (long long)grid_limit[d]);
    if (block[d] < 1 || block[d] > block_limit[d])
      return sinter_cuda_refuse(SINTER_UNSUPPORTED, "%lld threads in dimension %d, at most %lld", (long long)block[d],
                                d, (long long)block_limit[d]);
  }
  if (shared_bytes < 0 || shared_bytes > INT_MAX)
    return sinter_cuda_refuse(SINTER_UNSUPPORTED, "%lld bytes of shared memory", (long long)shared_bytes);
  CUcontext context, before;
  int32_t status = sinter_cuda_enter(call ? call->device_id : 0, &context, &before);
  if (status == SINTER_OK) {
    status = launch_in(context, call, image, name, grid, block, shared_bytes, args, together, filling);
    sinter_cuda_leave(context, before);
  }
  return status;
}

static void launch_now(const void *image, int64_t image_bytes, const char *kernel, int64_t grid_x, int64_t grid_y,
                       int64_t grid_z, int64_t block_x, int64_t block_y, int64_t block_z, int64_t shared_bytes,
                       void **args, bool together, const Filling *filling) {
  const int64_t grid[3] = {grid_x, grid_y, grid_z};
  const int64_t block[3] = {block_x, block_y, block_z};
  if (sinter_rt_status() != SINTER_OK || grid_x <= 0 || grid_y <= 0 || grid_z <= 0)
    return;
  int32_t status = launch(sinter_rt_current(), image, kernel, grid, block, shared_bytes, args, together,
                          filling);
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

void sinter_rt_launch(const void *image, int64_t image_bytes, const char *kernel, int64_t grid_x, int64_t grid_y,
                      int64_t grid_z, int64_t block_x, int64_t block_y, int64_t block_z, int64_t shared_bytes,
                      void **args) {
  launch_now(image, image_bytes, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, args, false,
             NULL);
}

void sinter_rt_launch_together(const void *image, int64_t image_bytes, const char *kernel, int64_t grid_x,
                               int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y, int64_t block_z,
                               int64_t shared_bytes, void **args) {
  launch_now(image, image_bytes, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, args, true,
             NULL);
}

void sinter_rt_launch_filling(const void *image, int64_t image_bytes, const char *kernel, int64_t most, int64_t least,
                              int64_t each, int64_t threads, int64_t shared_bytes, void **args) {
  const Filling filling = {most, least, each};
  launch_now(image, image_bytes, kernel, most, 1, 1, threads, 1, 1, shared_bytes, args, true, &filling);
}

static int32_t read_clocks(CUcontext context, const SinterKernelClocks *c, int64_t *to) {
  size_t bytes = (size_t)c->blocks * (size_t)c->num_phases * 2 * sizeof *to;
  int32_t status = sinter_cuda_refuse(SINTER_BAD_ARGUMENT, "%s was not launched on this device yet", c->kernel);
  pthread_mutex_lock(&sinter_cuda_mutex);
  for (Module *m = modules; m; m = m->next) {
    CUdeviceptr memory = 0;
    size_t size = 0;
    if (m->context != context || sinter_cu.cuModuleGetGlobal_v2(&memory, &size, m->handle, c->symbol) || size != bytes)
      continue;
    status = sinter_cuda_check(sinter_cu.cuMemcpyDtoH_v2(to, memory, bytes), "reading when phases began");
    break;
  }
  pthread_mutex_unlock(&sinter_cuda_mutex);
  return status;
}

int32_t sinter_rt_clocks(const SinterKernelClocks *c, int64_t *to) {
  CUcontext context = NULL;
  int32_t status = sinter_cuda_driver();
  if (status == SINTER_OK)
    status = sinter_cuda_check(sinter_cu.cuCtxGetCurrent(&context), "cuCtxGetCurrent");
  return status == SINTER_OK ? read_clocks(context, c, to) : status;
}

static int32_t encode(void *map, int64_t tf32, void *memory, int64_t rank, const int64_t *numbers, bool is_image) {
  enum { UINT8 = 0, UINT16 = 1, UINT32 = 2, TFLOAT32 = 11, MOST = 5, SWIZZLE_128B = 3, PROMOTE_128B = 2 };
  uint64_t sizes[MOST], strides[MOST];
  uint32_t box[MOST], steps[MOST];
  int lower[MOST] = {0}, upper[MOST] = {0};
  int64_t bytes = numbers[1];
  int32_t status = sinter_cuda_driver();
  if (status != SINTER_OK)
    return status;
  const char *name = is_image ? "cuTensorMapEncodeIm2col" : "cuTensorMapEncodeTiled";
  if (is_image ? !sinter_cu_encode_image_map : !sinter_cu_encode_tensor_map)
    return sinter_cuda_refuse(SINTER_UNSUPPORTED, "the CUDA driver has no %s; it is too old", name);
  for (int64_t d = 0; d < rank; d++) {
    sizes[d] = (uint64_t)numbers[3 * d];
    strides[d] = (uint64_t)numbers[3 * d + 1];
    box[d] = (uint32_t)numbers[3 * d + 2];
    steps[d] = 1;
    if (!sizes[d])
      return SINTER_OK; // the kernel has nothing to copy
  }
  int type = tf32 ? TFLOAT32 : bytes == 1 ? UINT8 : bytes == 2 ? UINT16 : UINT32;
  if (!is_image)
    return sinter_cuda_check(sinter_cu_encode_tensor_map(map, type, (uint32_t)rank, memory, sizes, strides + 1, box,
                                                         steps, 0, SWIZZLE_128B, PROMOTE_128B, 0),
                             name);
  for (int64_t d = 1; d < rank - 1; d++) {
    const int64_t *window = numbers + 3 * (rank + d - 1);
    steps[d] = (uint32_t)window[0];
    lower[d - 1] = (int)window[1];
    upper[d - 1] = (int)window[2];
  }
  return sinter_cuda_check(sinter_cu_encode_image_map(map, type, (uint32_t)rank, memory, sizes, strides + 1, lower,
                                                      upper, box[0], box[1], steps, 0, SWIZZLE_128B, PROMOTE_128B, 0),
                           name);
}

static void make_map(void *map, int64_t tf32, void *memory, int64_t rank, const int64_t *numbers, bool is_image) {
  const SinterCall *call = sinter_rt_current();
  memset(map, 0, 128);
  if (sinter_rt_status() != SINTER_OK || (call && call->prepare))
    return;
  int32_t status = encode(map, tf32, memory, rank, numbers, is_image);
  if (status == SINTER_NO_DEVICE)
    sinter_rt_error(status, "%s", sinter_cuda_error());
  else if (status != SINTER_OK)
    sinter_rt_error(status, "a tensor of %lld dimensions that a kernel copies by tiles: %s", (long long)rank,
                    sinter_cuda_error());
}

void sinter_rt_tensor_map(void *map, int64_t tf32, void *memory, int64_t rank, const int64_t *numbers) {
  make_map(map, tf32, memory, rank, numbers, false);
}

void sinter_rt_image_map(void *map, int64_t tf32, void *memory, int64_t rank, const int64_t *numbers) {
  make_map(map, tf32, memory, rank, numbers, true);
}

// In the context of each: the caller's own may be gone, and what was in it with that.
static void close_modules(void) {
  for (Module *m; (m = modules); free(m)) {
    modules = m->next;
    if (sinter_cu.cuCtxSetCurrent(m->context) == 0 && sinter_cu.cuCtxSynchronize() == 0)
      sinter_cu.cuModuleUnload(m->handle);
  }
  for (int i = 0; i < BUCKETS; i++)
    for (Kernel *k = kernels[i], *next; k; k = next) {
      next = k->next;
      free(k);
    }
}

void sinter_rt_close(void) {
  if (!sinter_cuda_is_open()) // nobody asked for a device
    return;
  CUcontext before = NULL;
  sinter_cu.cuCtxGetCurrent(&before);
  close_modules();
  sinter_cuda_close_memory();
  bool ours = sinter_cuda_release_contexts(before); // the thread stays in a context that goes
  sinter_cu.cuCtxSetCurrent(ours ? NULL : before);
}

int32_t sinter_cuda_open(int32_t device) {
  CUcontext context, before;
  return sinter_cuda_enter(device, &context, &before);
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
    CUresult result = sinter_cu.cuMemAlloc_v2(&at, (size_t)bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
      return sinter_cuda_refuse(SINTER_OUT_OF_MEMORY, "not enough memory on the device for %lld bytes",
                                (long long)bytes);
    int32_t status = sinter_cuda_check(result, "cuMemAlloc");
    if (status != SINTER_OK)
      return status;
  }
  *memory = (void *)(uintptr_t)at;
  return SINTER_OK;
}

int32_t sinter_cuda_free(void *memory) {
  if (memory)
    TRY(cuMemFree_v2(sinter_cuda_address(memory)));
  return SINTER_OK;
}

int32_t sinter_cuda_to_device(void *to, const void *from, int64_t bytes) {
  if (bytes > 0)
    TRY(cuMemcpyHtoD_v2(sinter_cuda_address(to), from, (size_t)bytes));
  return SINTER_OK;
}

int32_t sinter_cuda_from_device(void *to, const void *from, int64_t bytes) {
  if (bytes > 0)
    TRY(cuMemcpyDtoH_v2(to, sinter_cuda_address(from), (size_t)bytes));
  return SINTER_OK;
}

int32_t sinter_cuda_copy(void *to, const void *from, int64_t bytes, void *stream) {
  if (bytes > 0)
    TRY(cuMemcpyDtoDAsync_v2(sinter_cuda_address(to), sinter_cuda_address(from), (size_t)bytes, stream));
  return SINTER_OK;
}

int32_t sinter_cuda_set(void *memory, uint8_t byte, int64_t bytes, void *stream) {
  if (bytes > 0)
    TRY(cuMemsetD8Async(sinter_cuda_address(memory), byte, (size_t)bytes, stream));
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
