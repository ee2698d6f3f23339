// gpu.h: what the files of the GPU lowering share.
//
// A rowwise kernel becomes a gpu.func (rowwise.c) whose blocks reduce over their
// threads (block.c) and over the grid (grid.c), and a host function that
// launches it (lower_gpu.c).

#ifndef SINTER_LOWERING_GPU_GPU_H
#define SINTER_LOWERING_GPU_GPU_H

#include "lowering/host.h"
#include "lowering/rowprogram.h"

// A #sinter.gpu_rows, read.
typedef struct {
  int64_t threads;   // of a block: a power of two, 32 to 1024
  int64_t blocks;    // at most; fixed, so that results are
  int64_t occupancy; // blocks on one multiprocessor
  int64_t vector;    // columns that a thread reads at once
  int64_t unroll;    // vectors that a thread reads before it uses the first
  bool registers;    // rows stay there between phases
  int64_t cluster;   // blocks that share a row, then
} SnGpuRows;

// What a kernel's threads have; made once at the head of a gpu.func.
typedef struct {
  MlirOperation func;
  MlirBlock entry;
  int64_t threads, warps, blocks, cluster;
  MlirValue thread, block;  // index
  MlirValue group, rank;    // index: which cluster of the grid, which block of the cluster; the block and null without clusters
  MlirValue first;          // i1: thread 0 of the block
  MlirValue first_of_group; // i1: thread 0 of the cluster
  bool first_of_warp_known;
  MlirValue lane, warp, first_of_warp;
  MlirOperation entered; // with clusters: what all blocks have done before any goes on
  MlirValue turn;        // i32: 0 and 1 by turns, row by row
} SnGpuKernel;

// Memory of one block, of a memref's shape.
MlirValue sn_gpu_shared(SnGpuKernel *k, intptr_t rank, const int64_t *shape, MlirType element);

// One value that every thread has a part of.
typedef struct {
  MlirType type;
  const SnCombiner *combiner; // or, if NULL:
  SnRowProgram *program;
  MlirOperation reduce;       // a row_reduce with a combiner region
} SnGpuReduction;

MlirValue sn_gpu_combine(SnBuilder *b, const SnGpuReduction *r, MlirValue acc, MlirValue x);
MlirValue sn_gpu_identity(SnBuilder *b, const SnGpuReduction *r);

// block.c

// Replaces n values of each thread by their combination over the block, which every
// thread then has. `barrier`: the block may still be reading what an
// earlier pass through the same code left in shared memory.
void sn_gpu_reduce_block(SnBuilder *b, SnGpuKernel *k, size_t n, const SnGpuReduction *reductions, MlirValue *values, bool barrier);
// A value combined over groups of `lanes` neighbours in a warp.
MlirValue sn_gpu_butterfly(SnBuilder *b, const SnGpuReduction *r, MlirValue x, int64_t lanes);
// The value's bits as an i32 or i64, which is what travels, and back.
MlirValue sn_gpu_bits(SnBuilder *b, MlirValue x);
MlirValue sn_gpu_from_bits(SnBuilder *b, MlirValue bits, MlirType type);
// Sets k->lane, k->warp and k->first_of_warp.
void sn_gpu_know_lanes(SnGpuKernel *k);

// cluster.c

// Numbers the kernel's clusters and blocks, and waits until all blocks of a cluster have begun.
void sn_gpu_enter_cluster(SnBuilder *b, SnGpuKernel *k);
// As sn_gpu_reduce_block, and then over the cluster, where there are clusters. In a loop over rows only: the row
// was given to sn_gpu_begin_row.
void sn_gpu_reduce_group(SnBuilder *b, SnGpuKernel *k, size_t n, const SnGpuReduction *reductions, MlirValue *values, bool barrier);
void sn_gpu_begin_row(SnBuilder *b, SnGpuKernel *k, MlirValue row);

// Inline PTX with side effects; `result` may be null.
MlirOperation sn_gpu_ptx(SnBuilder *b, const char *text, const char *constraints, SnValues operands, MlirType result);

// grid.c

// Bytes of scratch memory that sn_gpu_reduce_grid needs, 0 if the grid is one block.
int64_t sn_gpu_grid_scratch(const SnGpuKernel *k, size_t n, const SnGpuReduction *reductions);
// Opens a branch that one thread of the whole grid takes, with n values of
// each block (which all of its threads have) combined over the grid. scratch is memref<?xi8>
// of those bytes, tag the launch's (sn_gpu_launch_tag); both are null where one block is the grid.
SnIf sn_gpu_reduce_grid(SnBuilder *b, SnGpuKernel *k, size_t n, const SnGpuReduction *reductions, MlirValue *values, MlirValue scratch, MlirValue tag);
// In host code: a number that no other launch of this process has, for sn_gpu_reduce_grid.
MlirValue sn_gpu_launch_tag(SnBuilder *b, MlirOperation module);

// rowwise.c

// What cannot become a kernel, by name, at the op; else SN_OK.
MlirLogicalResult sn_gpu_rowwise_check(const SnForm *form, const SnGpuRows *schedule);
int64_t sn_gpu_rowwise_blocks(const SnForm *form, const SnGpuRows *schedule);
int64_t sn_gpu_rowwise_scratch(const SnForm *form, const SnGpuRows *schedule);
// The body, from the head of a gpu.func whose arguments are the form's operands, then scratch and tag if
// there is scratch.
void sn_gpu_rowwise(SnBuilder *b, SnGpuKernel *k, const SnForm *form, const SnGpuRows *schedule);

#endif
