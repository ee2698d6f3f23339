// cuda.h: the CUDA driver, found when it is needed; for the tools.
//
// Nothing here needs CUDA to build: libcuda.so.1 comes with the GPU's driver
// and is opened at run time. Functions answer a SinterStatus; after one other
// than SINTER_OK the reason is in sinter_cuda_error. Device memory, streams and
// events are of the device that sinter_cuda_open chose, on the thread that did.

#ifndef SINTER_RUNTIME_CUDA_H
#define SINTER_RUNTIME_CUDA_H

#include "abi.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

// Makes a device's primary context this thread's. SINTER_NO_DEVICE without a
// driver or without that device.
int32_t sinter_cuda_open(int32_t device);

// Of the last function that failed on this thread.
const char *sinter_cuda_error(void);

typedef struct SinterCudaDevice {
  char name[128];
  int32_t driver;       // 12080: CUDA 12.8
  int32_t major, minor; // compute capability
  int64_t memory_bytes;
} SinterCudaDevice;

int32_t sinter_cuda_describe(SinterCudaDevice *out);

// Aligned to 256 bytes; NULL for 0 bytes.
int32_t sinter_cuda_allocate(void **memory, int64_t bytes);
int32_t sinter_cuda_free(void *memory);

// Complete on return.
int32_t sinter_cuda_to_device(void *to, const void *from, int64_t bytes);
int32_t sinter_cuda_from_device(void *to, const void *from, int64_t bytes);

// Queued on stream.
int32_t sinter_cuda_copy(void *to, const void *from, int64_t bytes, void *stream);
int32_t sinter_cuda_set(void *memory, uint8_t byte, int64_t bytes, void *stream);

int32_t sinter_cuda_stream_create(void **stream);
int32_t sinter_cuda_stream_destroy(void *stream);
// Waits; answers errors of the kernels that ran.
int32_t sinter_cuda_stream_wait(void *stream);

int32_t sinter_cuda_event_create(void **event);
int32_t sinter_cuda_event_destroy(void *event);
int32_t sinter_cuda_event_record(void *event, void *stream);
// Between two events that have happened.
int32_t sinter_cuda_event_seconds(double *seconds, void *from, void *to);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
