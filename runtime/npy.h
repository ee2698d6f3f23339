// npy.h: arrays in NumPy's .npy files, for the tools.
//
// Format: numpy.lib.format, versions 1.0 to 3.0. Types: float16, float32,
// float64, bfloat16, int8, int16, int32, int64, uint8, uint16, bool.

#ifndef SINTER_RUNTIME_NPY_H
#define SINTER_RUNTIME_NPY_H

#include "abi.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SINTER_MAX_RANK = 64 }; // NumPy 2's own, and that of a form (capi/limits.h)

// Row-major. bool has the code SINTER_DL_BOOL here. data is from
// sinter_array_allocate, aligned to SINTER_WORKSPACE_ALIGNMENT, and never NULL.
typedef struct SinterArray {
  DLDataType dtype;
  int32_t ndim;
  int64_t shape[SINTER_MAX_RANK];
  void *data;
  int64_t bytes;
} SinterArray;

// Why something failed, in one line without the word error.
typedef struct SinterMessage {
  char text[1024];
} SinterMessage;

// Sets data and bytes of an array with a type and a shape. False, with a
// message, if the sizes pass 2^63 bytes or there is not enough memory.
bool sinter_array_allocate(SinterArray *array, SinterMessage *message);
void sinter_array_free(SinterArray *array);

// Reads a file. False with a message that starts with path; the array is then
// empty, else the caller frees it.
bool sinter_npy_read(const char *path, SinterArray *array, SinterMessage *message);

// As sinter_npy_read, and then has the type wanted: bfloat16 also from uint16
// and float8 from uint8, which hold their bits, and both from float32, rounded to nearest even. Other
// types must agree. what is the reader's name for it ("input 0 of main").
bool sinter_npy_read_as(const char *path, DLDataType wanted, const char *what, SinterArray *array,
                        SinterMessage *message);

// As sinter_npy_read, but the elements are pages of the file itself, not copied and not to be written to;
// sinter_npy_unmap gives them back. data is NULL where there are no elements, and aligned as in the file. Elements of
// bool may be any byte.
bool sinter_npy_map(const char *path, SinterArray *array, SinterMessage *message);
void sinter_npy_unmap(const void *data, size_t bytes);

// Writes version 1.0; bfloat16 as uint16, float8 as uint8. False with a message that starts with
// path, also if the disk is full: what was there before still is.
bool sinter_npy_write(const char *path, const SinterArray *array, SinterMessage *message);

#ifdef __cplusplus
}
#endif

#endif
