// cuda_memory.c: memory of a device for code that runs: copies, numbers, constants, status words, buffers.
//
// test: test/runtime/cuda.c

#include "call.h"
#include "cuda.h"
#include "cuda_driver.h"
#include "thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 256 };

void sinter_rt_copy(void *to, const void *from, int64_t bytes) {
  const SinterCall *call = sinter_rt_current();
  CUcontext context, before;
  if (sinter_rt_status() != SINTER_OK || bytes <= 0 || (call && call->prepare))
    return;
  int32_t status = sinter_cuda_enter(call ? call->device_id : 0, &context, &before);
  if (status == SINTER_OK) {
    status = sinter_cuda_check(sinter_cu.cuMemcpyDtoDAsync_v2(sinter_cuda_address(to), sinter_cuda_address(from),
                                                              (size_t)bytes, call ? call->stream : NULL),
                               "cuMemcpyDtoDAsync");
    sinter_cuda_leave(context, before);
  }
  if (status == SINTER_NO_DEVICE)
    sinter_rt_error(status, "%s", sinter_cuda_error());
  else if (status != SINTER_OK)
    sinter_rt_error(status, "a copy of %lld bytes: %s", (long long)bytes, sinter_cuda_error());
}

// By memsets, whose value is the command's own: nothing of the host's is read later, and a graph keeps the number.
static int32_t put(void *to, uint64_t bits, int64_t bytes, CUstream stream) {
  if (bytes == 1)
    TRY(cuMemsetD8Async(sinter_cuda_address(to), (unsigned char)bits, 1, stream));
  if (bytes == 2)
    TRY(cuMemsetD16Async(sinter_cuda_address(to), (unsigned short)bits, 1, stream));
  for (int64_t at = 0; bytes >= 4 && at < bytes; at += 4)
    TRY(cuMemsetD32Async(sinter_cuda_address((char *)to + at), (unsigned)(bits >> 8 * at), 1, stream));
  return SINTER_OK;
}

void sinter_rt_put(void *to, int64_t bits, int64_t bytes) {
  const SinterCall *call = sinter_rt_current();
  CUcontext context, before;
  if (sinter_rt_status() != SINTER_OK || (call && call->prepare))
    return;
  int32_t status = sinter_cuda_enter(call ? call->device_id : 0, &context, &before);
  if (status == SINTER_OK) {
    status = put(to, (uint64_t)bits, bytes, call ? call->stream : NULL);
    sinter_cuda_leave(context, before);
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
    return sinter_cuda_refuse(SINTER_OUT_OF_MEMORY, "not enough memory for what is kept of a constant");
  int32_t status = sinter_cuda_check(sinter_cu.cuMemAlloc_v2(&c->device, (size_t)bytes), "cuMemAlloc");
  if (status == SINTER_OK) {
    status = sinter_cuda_check(sinter_cu.cuMemcpyHtoD_v2(c->device, host, (size_t)bytes), "cuMemcpyHtoD");
    if (status != SINTER_OK)
      sinter_cu.cuMemFree_v2(c->device);
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
  int32_t status = sinter_cuda_refuse_capture(stream);
  if (status != SINTER_OK)
    return status;
  pthread_mutex_lock(&sinter_cuda_mutex);
  if (!(*out = look_up_constant(bucket, host, context)))
    status = copy_constant(bucket, host, context, bytes, out);
  pthread_mutex_unlock(&sinter_cuda_mutex);
  return status;
}

void sinter_rt_device_constant(const void *host, int64_t bytes, const void **to) {
  const SinterCall *call = sinter_rt_current();
  CUcontext context, before;
  Constant *c = NULL;
  *to = NULL;
  if (sinter_rt_status() != SINTER_OK || bytes <= 0)
    return;
  int32_t status = sinter_cuda_enter(call ? call->device_id : 0, &context, &before);
  if (status == SINTER_OK) {
    status = find_constant(host, context, call ? call->stream : NULL, bytes, &c);
    sinter_cuda_leave(context, before);
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
    return sinter_cuda_refuse(SINTER_OUT_OF_MEMORY, "not enough memory for a status word");
  int32_t status = sinter_cuda_check(sinter_cu.cuMemHostAlloc(&memory, BYTES, PORTABLE | MAPPED), "cuMemHostAlloc");
  if (status == SINTER_OK)
    status =
        sinter_cuda_check(sinter_cu.cuMemHostGetDevicePointer_v2(&w->device, memory, 0), "cuMemHostGetDevicePointer");
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
  int32_t status = sinter_cuda_refuse_capture(stream);
  if (status != SINTER_OK)
    return status;
  pthread_mutex_lock(&sinter_cuda_mutex);
  if (!(*out = look_up_status(context)))
    status = make_status(context, out);
  pthread_mutex_unlock(&sinter_cuda_mutex);
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
  int32_t status = sinter_cuda_enter(call ? call->device_id : 0, &context, &before);
  if (status == SINTER_OK) {
    status = find_status(context, call ? call->stream : NULL, &w);
    sinter_cuda_leave(context, before);
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
  if (sinter_cu.cuStreamIsCapturing(stream, &capturing) == 0 && capturing)
    return sinter_cuda_refuse(SINTER_DEVICE_ERROR,
                              "the program reads it to know what to do next, so a graph cannot hold the call");
  TRY(cuMemcpyDtoHAsync_v2(to, sinter_cuda_address(from), (size_t)bytes, stream));
  TRY(cuStreamSynchronize(stream));
  StatusWord *w = look_up_status(context);
  int32_t number = w ? *w->host : 0;
  if (!number)
    return SINTER_OK;
  *w->host = 0;
  return sinter_cuda_refuse(SINTER_ASSERT_FAILED, "%s",
                            atomic_load_explicit(&status_messages, memory_order_relaxed) + number - 1);
}

void sinter_rt_read(void *to, const void *from, int64_t bytes) {
  const SinterCall *call = sinter_rt_current();
  CUcontext context, before;
  if (sinter_rt_status() != SINTER_OK || (call && call->prepare))
    sinter_rt_end_code();
  int32_t status = sinter_cuda_enter(call ? call->device_id : 0, &context, &before);
  if (status == SINTER_OK) {
    status = read_element(context, call ? call->stream : NULL, to, from, bytes);
    sinter_cuda_leave(context, before);
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
  if (sinter_cuda_enter(call->device_id, &context, &before) == SINTER_OK) {
    sinter_cu.cuMemFreeAsync(block->memory, call->stream);
    sinter_cuda_leave(context, before);
  }
  free(block);
}

static void release_all(SinterCall *call) {
  for (SinterDeviceBlock *block; (block = call->device_memory);) {
    call->device_memory = block->next;
    free_block(call, block);
  }
}

// Buffers come from a pool of our own on each device, which keeps so many bytes that nobody has. The driver's gives
// them back whenever somebody waits for a stream, and takes 0.1 ms to have them again (an H200).
enum { KEPT_BYTES = 256 << 20 };

typedef struct Pool {
  CUdevice device;
  CUmemoryPool handle;
  struct Pool *next;
} Pool;
static Pool *pools; // sinter_cuda_mutex

static int32_t make_pool(CUdevice device, CUmemoryPool *to) {
  const CUmemPoolProps props = {.allocation = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, device}};
  uint64_t kept = KEPT_BYTES;
  Pool *pool = malloc(sizeof *pool);
  if (!pool)
    return sinter_cuda_refuse(SINTER_OUT_OF_MEMORY, "not enough memory for what is kept of a device's buffers");
  int32_t status = sinter_cuda_check(sinter_cu.cuMemPoolCreate(to, &props), "cuMemPoolCreate");
  if (status == SINTER_OK) {
    status = sinter_cuda_check(sinter_cu.cuMemPoolSetAttribute(*to, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept),
                               "cuMemPoolSetAttribute");
    if (status != SINTER_OK)
      sinter_cu.cuMemPoolDestroy(*to);
  }
  if (status != SINTER_OK) {
    free(pool);
    return status;
  }
  *pool = (Pool){device, *to, pools};
  pools = pool;
  return SINTER_OK;
}

static int32_t find_pool(CUmemoryPool *to) {
  CUdevice device;
  TRY(cuCtxGetDevice(&device));
  pthread_mutex_lock(&sinter_cuda_mutex);
  const Pool *pool = pools;
  while (pool && pool->device != device)
    pool = pool->next;
  int32_t status = SINTER_OK;
  if (pool)
    *to = pool->handle;
  else
    status = make_pool(device, to);
  pthread_mutex_unlock(&sinter_cuda_mutex);
  return status;
}

// A graph has memory of its own.
static int32_t allocate(CUdeviceptr *to, int64_t bytes, CUstream stream) {
  int capturing = 0;
  CUmemoryPool pool;
  TRY(cuStreamIsCapturing(stream, &capturing));
  if (capturing)
    return sinter_cuda_check(sinter_cu.cuMemAllocAsync(to, (size_t)bytes, stream), "cuMemAllocAsync");
  int32_t status = find_pool(&pool);
  return status == SINTER_OK ? sinter_cuda_check(sinter_cu.cuMemAllocFromPoolAsync(to, (size_t)bytes, pool, stream),
                                                 "cuMemAllocFromPoolAsync")
                             : status;
}

static int32_t allocate_block(SinterCall *call, int64_t bytes, void **to) {
  SinterDeviceBlock *block = malloc(sizeof *block);
  CUcontext context, before;
  if (!block)
    return sinter_cuda_refuse(SINTER_OUT_OF_MEMORY, "not enough memory for what is kept of a buffer");
  int32_t status = sinter_cuda_enter(call->device_id, &context, &before);
  if (status == SINTER_OK) {
    status = allocate(&block->memory, bytes, call->stream);
    sinter_cuda_leave(context, before);
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
  while (at && *at && (*at)->memory != sinter_cuda_address(memory))
    at = &(*at)->next;
  SinterDeviceBlock *block = at ? *at : NULL;
  if (!block)
    return;
  *at = block->next;
  free_block(call, block);
}

// ---- the end

static void close_constants(void) {
  for (int i = 0; i < BUCKETS; i++)
    for (Constant *c = atomic_exchange(&constants[i], NULL), *next; c; c = next) {
      next = c->next;
      if (sinter_cu.cuCtxSetCurrent(c->context) == 0)
        sinter_cu.cuMemFree_v2(c->device);
      free(c);
    }
}

static void close_status(void) {
  for (StatusWord *w = status_words, *next; w; w = next) {
    next = w->next;
    if (sinter_cu.cuCtxSetCurrent(w->context) == 0)
      sinter_cu.cuMemFreeHost((void *)w->host);
    free(w);
  }
}

static void close_pools(void) {
  for (Pool *p = pools, *next; p; p = next) {
    next = p->next;
    sinter_cu.cuMemPoolDestroy(p->handle);
    free(p);
  }
  pools = NULL;
}

// In the context of each: the caller's own may be gone, and what was in it with that.
void sinter_cuda_close_memory(void) {
  close_constants();
  close_status();
  close_pools();
}
