// cuda_driver.c: the CUDA driver, opened at run time; its errors; contexts.
//
// test: test/runtime/cuda.c

#include "cuda_driver.h"
#include "cuda.h"
#include "thread.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

EncodeTensorMap sinter_cu_encode_tensor_map;
EncodeImageMap sinter_cu_encode_image_map;
struct SinterCu sinter_cu;

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
#define LOAD(name, arguments) sinter_cu.name = (CUresult(*) arguments)symbol(library, #name);
  DRIVER_FUNCTIONS(LOAD)
  if (missing[0])
    return;
  sinter_cu_encode_tensor_map = (EncodeTensorMap)dlsym(library, "cuTensorMapEncodeTiled");
  sinter_cu_encode_image_map = (EncodeImageMap)dlsym(library, "cuTensorMapEncodeIm2col");
  CUresult result = sinter_cu.cuInit(0);
  const char *name = NULL;
  if (result != 0 && (sinter_cu.cuGetErrorName(result, &name) != 0 || !name))
    name = "unknown error";
  if (result != 0)
    snprintf(missing, sizeof missing, "no device: cuInit answers %s", name);
}

const char *sinter_cuda_error(void) {
  const SinterThread *t = sinter_rt_known_thread();
  return t ? t->cuda_error : "not enough memory for what is kept of a thread";
}

int32_t sinter_cuda_refuse(int32_t status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  SinterThread *t = sinter_rt_thread();
  if (t)
    vsnprintf(t->cuda_error, sizeof t->cuda_error, format, arguments);
  va_end(arguments);
  return status;
}

int32_t sinter_cuda_check(CUresult result, const char *what) {
  if (result == 0)
    return SINTER_OK;
  const char *name = NULL, *text = NULL;
  sinter_cu.cuGetErrorName(result, &name);
  sinter_cu.cuGetErrorString(result, &text);
  int32_t status = result == CUDA_ERROR_OUT_OF_MEMORY                                      ? SINTER_OUT_OF_MEMORY
                   : result == CUDA_ERROR_NO_DEVICE || result == CUDA_ERROR_INVALID_DEVICE ? SINTER_NO_DEVICE
                                                                                           : SINTER_DEVICE_ERROR;
  return sinter_cuda_refuse(status, "%.*s: %s (%d): %s", (int)strcspn(what, "("), what, name ? name : "unknown error",
                            result, text ? text : "?");
}

int32_t sinter_cuda_driver(void) {
  pthread_once(&once, open_driver);
  return missing[0] ? sinter_cuda_refuse(SINTER_NO_DEVICE, "%s", missing) : SINTER_OK;
}

bool sinter_cuda_is_open(void) { return sinter_cu.cuInit && !missing[0]; }

// Retained once, for the life of the process.
enum { DEVICES = 64 };
static CUcontext primary[DEVICES];
pthread_mutex_t sinter_cuda_mutex = PTHREAD_MUTEX_INITIALIZER;

static int32_t retain(int32_t device, CUcontext *context) {
  int count = 0;
  CUdevice handle;
  TRY(cuDeviceGetCount(&count));
  if (device < 0 || device >= count || device >= DEVICES)
    return sinter_cuda_refuse(SINTER_NO_DEVICE, "no device %d: the CUDA driver has %d", device, count);
  TRY(cuDeviceGet(&handle, device));
  if (!primary[device])
    TRY(cuDevicePrimaryCtxRetain(&primary[device], handle));
  *context = primary[device];
  return SINTER_OK;
}

int32_t sinter_cuda_enter(int32_t device, CUcontext *context, CUcontext *before) {
  int32_t status = sinter_cuda_driver();
  if (status != SINTER_OK)
    return status;
  CUdevice current;
  *context = *before = NULL;
  if (sinter_cu.cuCtxGetCurrent(before) == 0 && *before && sinter_cu.cuCtxGetDevice(&current) == 0 &&
      current == device) {
    *context = *before;
    return SINTER_OK;
  }
  pthread_mutex_lock(&sinter_cuda_mutex);
  status = retain(device, context);
  pthread_mutex_unlock(&sinter_cuda_mutex);
  if (status != SINTER_OK)
    return status;
  TRY(cuCtxSetCurrent(*context));
  return SINTER_OK;
}

void sinter_cuda_leave(CUcontext context, CUcontext before) {
  if (before && before != context)
    sinter_cu.cuCtxSetCurrent(before);
}

int32_t sinter_cuda_refuse_capture(CUstream stream) {
  int capturing = 0;
  if (sinter_cu.cuStreamIsCapturing(stream, &capturing) == 0 && capturing)
    return sinter_cuda_refuse(SINTER_DEVICE_ERROR,
                              "it is not loaded on this device yet, and the stream is being captured: "
                              "call the function once, or prepare it, before the capture");
  return SINTER_OK;
}

bool sinter_cuda_release_contexts(CUcontext current) {
  bool ours = false;
  for (int32_t device = 0; device < DEVICES; device++) {
    ours |= current && current == primary[device];
    if (primary[device])
      sinter_cu.cuDevicePrimaryCtxRelease_v2(device);
  }
  return ours;
}
