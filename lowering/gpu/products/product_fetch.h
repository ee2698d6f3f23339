// product_fetch.h: a side of a product on its way from memory to a block's shared memory.

#ifndef SINTER_LOWERING_GPU_PRODUCT_FETCH_H
#define SINTER_LOWERING_GPU_PRODUCT_FETCH_H

#include "lowering/gpu/products/products_gpu.h"

typedef struct {
  SnGpuProducts *g;
  const SnAccess *access;
  MlirType type;          // that its elements become
  const SnGpuDims *outer; // rows or columns of the tile
  SnGpuDims summed;
  MlirValue first, size; // index: of the outer points, the tile's first, and how many there are
  MlirValue sum;         // index: how many are summed
  int64_t extent, k;     // of what a block has of it: m or n, and summed elements
  bool along_sum;        // neighbouring threads, and a vector's lanes, are neighbours of the sum
  int64_t lanes, count;  // of a vector; vectors of a thread
  bool may_fill;         // copies may read an access with a fill value: they put zeros beside the tensor's end
  int64_t masks;         // words that say which of the thread's elements are in the side; 0: nothing else is fetched
} SnGpuSide;

// Of product p, for the tile that g is at.
SnGpuSide sn_gpu_side(SnBuilder *b, SnGpuProducts *g, const SnGpuProduct *p, bool is_a, MlirType type);
// The thread's vectors of the k summed elements from `first` on: to[count + masks], for sn_gpu_put_side alone, which
// puts zeros beside the ends.
void sn_gpu_fetch_side(SnBuilder *b, const SnGpuSide *s, MlirValue first, MlirValue *to);
// Into shared memory of rank 2, from `line` on: a line for each of the sum, or for each row or column of the tile.
void sn_gpu_put_side(SnBuilder *b, const SnGpuSide *s, MlirValue memory, bool lines_of_sum, MlirValue line,
                     const MlirValue *from);
// The side's program at all of the tile's elements, zeros beside the ends. All of a thread's loads come first. `size`:
// so many of the tile's rows or columns there are at most.
void sn_gpu_compute_side(SnBuilder *b, const SnGpuSide *s, SnSide side, int64_t size, MlirValue memory,
                         bool lines_of_sum, MlirValue line);
// The copies of both go behind the threads' backs, where memory's elements and neighbours are as they lie in these
// lines. `to`: from `line` on. They are there for a thread that waited for its own.
bool sn_gpu_side_copies(const SnGpuSide *s, bool lines_of_sum);
void sn_gpu_copy_side(SnBuilder *b, const SnGpuSide *s, MlirValue first, MlirValue to, bool lines_of_sum,
                      MlirValue line);
// Bytes in shared memory as memref<lines x elements>.
MlirValue sn_gpu_side_view(SnBuilder *b, MlirValue bytes, int64_t lines, int64_t elements, MlirType element);
MlirValue sn_gpu_zero(SnBuilder *b, MlirType t);

#endif
