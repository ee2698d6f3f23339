// product_fragments.h: what a warp's lanes hold of both sides for one mma.sync, and the instruction.

#ifndef SINTER_LOWERING_GPU_PRODUCT_FRAGMENTS_H
#define SINTER_LOWERING_GPU_PRODUCT_FRAGMENTS_H

#include "lowering/gpu/products/products_gpu.h"

// Rows and columns of an instruction, a thread's sums of it, and values that it has of a and of b at most.
enum { SN_GPU_MMA_ROWS = 16, SN_GPU_MMA_COLUMNS = 8, SN_GPU_MMA_SUMS = 4, SN_GPU_MMA_A = 16, SN_GPU_MMA_B = 8 };

// A side in shared memory, as a warp reads it: memref<lines x words>, words of 32 bits, f32 or f64.
typedef struct {
  MlirValue memory;
  bool turned;          // lines are along rows or columns; else along the sum
  MlirValue line, word; // index: where this lane begins, of the warp's part of slot 0
} SnGpuWarpSide;

// Lines along rows or columns are kept as they are where fragments can be taken from them.
bool sn_gpu_may_turn(const SnMicroKernel *line, MlirType element);
// Words of its elements: those of `memory`.
MlirType sn_gpu_word_type(SnBuilder *b, const SnMicroKernel *line);
// Sets line and word. `outer`: index: the first row or column of the warp's part.
void sn_gpu_place_fragments(SnBuilder *b, const SnGpuKernel *k, const SnMicroKernel *line, bool is_a, MlirValue outer,
                            SnGpuWarpSide *side);
// Of step `step` of the instruction's k, 16 rows or columns from `outer` of the part on, `first` line of the slot. Of
// b: of two instructions, SN_GPU_MMA_B values each.
void sn_gpu_load_a(SnBuilder *b, const SnMicroKernel *line, const SnGpuWarpSide *side, MlirValue first, int64_t step,
                   int64_t outer, MlirValue *to);
void sn_gpu_load_b(SnBuilder *b, const SnMicroKernel *line, const SnGpuWarpSide *side, MlirValue first, int64_t step,
                   int64_t outer, MlirValue *to);
// By all lanes: to[4], words of four matrices of 8 lines by 4 words, each lane naming a line of one, an address of
// shared memory (i32). Turned: lines are columns.
void sn_gpu_load_matrices(SnBuilder *b, MlirValue address, bool turned, MlirValue *to);
// Two neighbours of the sum in f32, of a: the register of each of their parts, to[0], to[apart], to[2 apart].
void sn_gpu_split_pair(SnBuilder *b, MlirValue x, MlirValue y, int64_t apart, MlirValue *to);
// sums[4] += x . y
void sn_gpu_multiply_fragments(SnBuilder *b, const SnMicroKernel *line, const MlirValue *x, const MlirValue *y,
                               MlirValue *sums);

#endif
