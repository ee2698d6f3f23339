// gpu_tensor_maps.h: which tensors of a product the GPU's copy engine fetches as tiles (TMA), and how it sees them.
//
//   %q[b, t, h, k] of rows t, batch (b, h), sum k   ->   dimensions k, h, t, b of 64 by 1 by 128 by 1 elements
//
// A tensor map names the tensor's dimensions, the fastest first, with their sizes, the bytes from one to the next, and
// the box that one copy fetches. What a box has beyond the ends is zero. (CUDA driver API, "Tensor Map Object
// Management"; PTX ISA, "cp.async.bulk.tensor".)
//
//   %x[n, y * 2 + r - 1, x * 2 + s - 1, c] else 0.0 of columns (n, y, x)   ->   dimensions c, x, y, n
//
// Of windows the copy engine goes from point to point by itself (PTX ISA, "im2col mode"): a copy is so many neighbours
// of c for so many points from one on, all of them at the same tap, in the order of x, y and n. What is beside the
// image is zero. No IR is made here.

#ifndef SINTER_LOWERING_FACTS_GPU_TENSOR_MAPS_H
#define SINTER_LOWERING_FACTS_GPU_TENSOR_MAPS_H

#include "lowering/facts/gpu_products.h"

enum {
  SN_GPU_MAP_DIMS = 5,
  SN_GPU_SWIZZLED_BYTES = 128, // of a line in shared memory, whose units of 16 bytes are exchanged by its last bits
  SN_GPU_BOX_MOST = 256,       // elements of a box along one dimension
  SN_GPU_COPY_LINES = 64,      // rows or columns of a copy that two blocks have some of each
  SN_GPU_TILES_ALIGNED = 1024, // where slots of such lines begin in shared memory
  SN_GPU_MAP_WINDOWS = 3,      // dimensions of an image
};

typedef struct {
  int64_t first, count; // dimensions of the memref that are one of the map
  int64_t box;          // elements of a copy
  int64_t size;         // of the dimension, where fewer are summed than the memref has; 0: all
} SnGpuMapDim;

// Of an image, dimension i + 1 of the map: from one point to the next; where the first and the last one begin, beside
// the first and the last place there is.
typedef struct {
  int64_t step, lower, upper;
} SnGpuMapWindow;

// Of operand `operand` of the op on memrefs.
typedef struct {
  intptr_t operand;
  int rank;
  int num_windows;                   // 0: copies are boxes; else dims[1].box points
  SnGpuMapWindow windows[SN_GPU_MAP_WINDOWS];
  bool tf32;                         // f32 is rounded to the nearest of tf32 on its way
  SnGpuMapDim dims[SN_GPU_MAP_DIMS]; // the fastest first
} SnGpuTensorMap;

// Of a side of a product of which a block has `extent` rows or columns and a line's length of the sum at a time.
typedef struct {
  SnGpuTensorMap map;
  int sum, outer; // which of its dimensions, -1: there is one row or column; the others are of the batch
  bool along_sum; // neighbours in memory are neighbours of the sum: lines are; else lines are along rows or columns
  int64_t copies; // of a block's part, each SN_GPU_SWIZZLED_BYTES by `extent`, or by a line's length of the sum
  int64_t bytes;  // that they are; a single row or column leaves the lines of others as they were
} SnGpuSideMap;

// These dimensions, in their order, as one number: p * 192 + c of (p, c).
bool sn_gpu_is_flat(const SnForm *form, MlirAffineExpr subscript, const SnGpuDims *dims);
// What is beside the tensor is 0, as copies have it: rows or columns that are one number may go beyond its end.
bool sn_gpu_copies_fill(const SnForm *form, const SnAccess *access, const SnGpuDims *outer);
// Elements of the sum that a block has at a time: a line of those with the fewest bits.
int64_t sn_gpu_map_sum(const SnGpuProduct *product);
// False, where copies cannot fetch the side: `why` says so, if it is not NULL.
bool sn_gpu_side_map(const SnForm *form, const SnGpuPoints *points, const SnGpuProduct *product, bool is_a,
                     int64_t extent, SnGpuSideMap *to, const char **why);
// The same of windows (gpu_image_maps.c): their channels are last, and a line of the slot is of one tap.
bool sn_gpu_image_map(const SnForm *form, const SnGpuPoints *points, const SnGpuProduct *product, bool is_a,
                      int64_t extent, SnGpuSideMap *to);
// The side would be windows, or filters, if summed dimension `inner` were last and whole lines.
bool sn_gpu_may_be_image(const SnForm *form, const SnGpuPoints *points, const SnGpuProduct *product, bool is_a,
                         int64_t inner);
// Makes each copy one of 64 rows or columns, so that two blocks can have some of them each.
void sn_gpu_divide_copies(SnGpuSideMap *map);

#endif
