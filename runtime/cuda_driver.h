// cuda_driver.h: the CUDA driver's functions, errors and contexts; for cuda.c and cuda_memory.c.
//
// The declarations below are those of the CUDA driver API (cuda.h of the CUDA
// toolkit), written here so that building needs no toolkit. Names with _v2 are
// the ones that cuda.h maps the plain names to.

#ifndef SINTER_RUNTIME_CUDA_DRIVER_H
#define SINTER_RUNTIME_CUDA_DRIVER_H

#include "abi.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef void *CUcontext, *CUmodule, *CUfunction, *CUstream, *CUevent, *CUmemoryPool;

typedef struct CUmemPoolProps {
  int allocation, handles;
  struct {
    int type, id;
  } location;
  void *security;
  size_t most;
  unsigned short usage;
  unsigned char reserved[54];
} CUmemPoolProps;

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
  CU_MEM_ALLOCATION_TYPE_PINNED = 1,
  CU_MEM_LOCATION_TYPE_DEVICE = 1,
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
};

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
  F(cuModuleGetGlobal_v2, (CUdeviceptr *, size_t *, CUmodule, const char *))                                           \
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
  F(cuMemAllocFromPoolAsync, (CUdeviceptr *, size_t, CUmemoryPool, CUstream))                                          \
  F(cuMemFreeAsync, (CUdeviceptr, CUstream))                                                                           \
  F(cuMemPoolCreate, (CUmemoryPool *, const CUmemPoolProps *))                                                         \
  F(cuMemPoolDestroy, (CUmemoryPool))                                                                                  \
  F(cuMemPoolSetAttribute, (CUmemoryPool, int, void *))                                                                \
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
                                    const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                                    int swizzle, int promotion, int fill);
extern EncodeTensorMap sinter_cu_encode_tensor_map; // NULL: the driver has none
typedef CUresult (*EncodeImageMap)(void *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
                                   const uint64_t *strides, const int *lower, const int *upper, uint32_t channels,
                                   uint32_t points, const uint32_t *steps, int interleave, int swizzle, int promotion,
                                   int fill);
extern EncodeImageMap sinter_cu_encode_image_map;

#define MEMBER(name, arguments) CUresult(*name) arguments;
extern struct SinterCu {
  DRIVER_FUNCTIONS(MEMBER)
} sinter_cu;
#undef MEMBER

extern pthread_mutex_t sinter_cuda_mutex; // of contexts, modules, kernels, constants, status words

// Opens the driver, once. SINTER_NO_DEVICE, with the reason in sinter_cuda_error, if there is none.
int32_t sinter_cuda_driver(void);
// Somebody asked for a device, and there is a driver.
bool sinter_cuda_is_open(void);
// The status, with a reason for sinter_cuda_error.
int32_t sinter_cuda_refuse(int32_t status, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The status of an answer of the driver; what was tried is in words, or a call
// whose arguments are left out.
int32_t sinter_cuda_check(CUresult result, const char *what);
// The context that kernels of a device run in: the current one if it is that
// device's (an embedder may have made its own), else the primary one, which is
// then current. `before`: what was current on this thread, for sinter_cuda_leave.
int32_t sinter_cuda_enter(int32_t device, CUcontext *context, CUcontext *before);
// A thread without a context keeps the primary one: it costs nothing, and saves the next switch.
void sinter_cuda_leave(CUcontext context, CUcontext before);
// Loading is no launch: a graph would not hold it, and the driver ends a capture for it.
int32_t sinter_cuda_refuse_capture(CUstream stream);
// Gives primary contexts back, with everything in them. Whether `current` is one of them.
bool sinter_cuda_release_contexts(CUcontext current);
// cuda_memory.c: frees what it keeps, in the context of each.
void sinter_cuda_close_memory(void);

// Runs the calls in order until one fails.
#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    int32_t try_status = sinter_cuda_check(sinter_cu.call, #call);                                                     \
    if (try_status != SINTER_OK)                                                                                       \
      return try_status;                                                                                               \
  } while (0)

static inline CUdeviceptr sinter_cuda_address(const void *memory) { return (CUdeviceptr)(uintptr_t)memory; }

#pragma GCC visibility pop
#endif
