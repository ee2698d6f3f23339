// gpu.h: what the files of the GPU lowering share.
//
// A rowwise kernel becomes a gpu.func (rowwise.c, accumulate.c) whose threads reduce
// over a block (block.c), a cluster (cluster.c) and the grid (grid.c), and a
// host function that launches it (lower_gpu.c).

#ifndef SINTER_LOWERING_GPU_GPU_H
#define SINTER_LOWERING_GPU_GPU_H

#include "lowering/host.h"
#include "lowering/rowprogram.h"

// A #sinter.gpu_rows, read.
typedef struct {
  int64_t threads;   // of a block: a power of two, 32 to 1024
  int64_t team;      // threads that share a row: 1 to 32, or all of a block
  int64_t blocks;    // at most; fixed, so that results are
  int64_t occupancy; // blocks on one multiprocessor
  int64_t vector;    // columns that a thread reads at once
  int64_t unroll;    // vectors that a thread reads before it uses the first
  bool registers;    // rows stay there between phases
  bool ahead;        // and the next one is on its way into shared memory meanwhile
  int64_t cluster;   // blocks that share a row, then
  bool flat;         // all elements are one row, of the whole grid
  bool tile;         // a block has 32 rows, each warp some columns of them: a row's team is 32 threads apart
} SnGpuRows;

// What a kernel's threads have; made once at the head of a gpu.func.
typedef struct {
  MlirOperation func;
  MlirBlock entry;
  int64_t threads, warps, blocks, cluster, team;
  const MlirValue *operands; // the form's, as memrefs of the device
  size_t num_operands;
  MlirValue scratch, tag, status; // memref<?xi8>, i64, and the address of the status word as i64; null: none
  MlirValue thread, block;  // index
  MlirValue group, rank;    // index: which cluster of the grid, which block of the cluster; the block and null without clusters
  MlirValue member;         // index: which thread of the team
  MlirValue first;          // i1: thread 0 of the block
  MlirValue first_of_group; // i1: thread 0 of those that share a row
  bool tile;
  bool first_of_warp_known;
  MlirValue lane, warp, first_of_warp;
  MlirOperation entered; // with clusters: what all blocks have done before any goes on
  MlirValue turn;        // i32: 0 and 1 by turns, row by row
  bool one_row;          // there is no other turn
} SnGpuKernel;

// Shared memory that is aligned to this has its size from the launch (sinter-gpu-target); a kernel has one of it at most.
#define SN_GPU_LAUNCH_SHARED 128
MlirValue sn_gpu_launch_shared(SnGpuKernel *k, int64_t bytes);
// The address of shared memory, as PTX has it: 32 bits.
MlirValue sn_gpu_shared_address(SnBuilder *b, MlirValue memref);
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
// As sn_gpu_reduce_block over those that share a row: the team, the block, or the cluster, which only is in a loop
// over rows where the row was given to sn_gpu_begin_row.
void sn_gpu_reduce_group(SnBuilder *b, SnGpuKernel *k, size_t n, const SnGpuReduction *reductions, MlirValue *values, bool barrier);
void sn_gpu_begin_row(SnBuilder *b, SnGpuKernel *k, MlirValue row);

// Inline PTX with side effects; `result` may be null.
MlirOperation sn_gpu_ptx(SnBuilder *b, const char *text, const char *constraints, SnValues operands, MlirType result);

// grid.c

// What is reduced over all rows: values, and rows of `length` columns. Only the combiner and the type of the latter count.
typedef struct {
  size_t scalars, columns;
  const SnGpuReduction *of_scalars, *of_columns;
  int64_t length, width; // width: columns that a thread reads at once
  bool of_groups;        // no scalar is a sum of what single threads or blocks had: the blocks of a cluster have the same values
} SnGpuAccumulators;

// Bytes of scratch memory, 0 if the grid is one block and there are no columns.
int64_t sn_gpu_grid_scratch(const SnGpuKernel *k, const SnGpuAccumulators *a);
// memref<groups x length>: row k->group is what this group of threads, the block or its cluster, adds its rows to.
MlirValue sn_gpu_grid_columns(SnBuilder *b, SnGpuKernel *k, const SnGpuAccumulators *a, size_t column);
// Opens a branch that one block of the whole grid takes, with the values of each block (which all of its threads have)
// combined over the grid, and the rows of all groups combined in row 0 of sn_gpu_grid_columns.
SnIf sn_gpu_reduce_grid(SnBuilder *b, SnGpuKernel *k, const SnGpuAccumulators *a, MlirValue *values);
// In host code: a number that no other launch of this process has, for sn_gpu_reduce_grid.
MlirValue sn_gpu_launch_tag(SnBuilder *b, MlirOperation module);

// flat.c

// Why a form's elements cannot be one row; NULL if they can: all are alike, and what is reduced is reduced over all.
const char *sn_gpu_not_flat(const SnForm *form);
// The form over one row, whose values and `operands` are memrefs of one row.
void sn_gpu_flatten(SnBuilder *b, SnForm *form, MlirValue *operands);

// divide.c

// Divisions of f32 of the kernel by what is no constant.
void sn_gpu_divide(MlirOperation func);

// math.c

// Divisions, exponentials of what is not positive, and products that are added.
void sn_gpu_math(MlirOperation func);
bool sn_gpu_not_negative(MlirValue v); // or NaN
bool sn_gpu_at_least_one(MlirValue v);
// An intrinsic of one f32, of each lane.
MlirValue sn_gpu_each_lane(SnBuilder *b, const char *intrinsic, MlirValue x);

// status.c

// Each cf.assert of the kernel -> a number in the status word where it fails; what follows runs on. Whether there are any.
bool sn_gpu_has_asserts(const SnForm *form);
void sn_gpu_lower_asserts(SnGpuKernel *k, MlirOperation module);
// In host code: the place (a pointer) that holds the address of the status word.
MlirValue sn_gpu_status_word(SnBuilder *b, MlirOperation module);

// lower_gpu.c

// What a kernel is, beside its operands.
typedef struct {
  const SnGpuRows *schedule;
  int64_t blocks, team, scratch; // of scratch: bytes, 0 for none
  int64_t shared;                // bytes of shared memory beside what the kernel has by itself
  bool asserts;
  void (*emit)(SnBuilder *b, SnGpuKernel *k, const void *user); // writes it, at the head of its gpu.func
  const void *user;
} SnGpuBody;
// The gpu.func of an op on memrefs in its kernel function, and the launch in front of the op.
void sn_gpu_make_kernel(MlirOperation module, MlirOperation func, MlirOperation op, const SnGpuBody *body);
// Contiguous memory as a memref of type `t`, with the sizes that are `?` in it.
MlirValue sn_gpu_view(SnBuilder *b, MlirValue memref, MlirType t, const MlirValue *dynamic_sizes);

// steps.c

// A sinter.steps in its kernel function; it is erased.
MlirLogicalResult sn_gpu_lower_steps(MlirOperation module, MlirOperation func, MlirOperation steps);

// packed.c

// Rows of bf16 that are kept from phase to phase as they are in memory, two elements in a register.
bool sn_gpu_is_packed(const SnForm *form);

// rowwise.c

// What cannot become a kernel, by name, at the op; else SN_OK.
MlirLogicalResult sn_gpu_rowwise_check(const SnForm *form, const SnGpuRows *schedule);
// Threads of a block that share a row.
int64_t sn_gpu_rowwise_team(const SnForm *form, const SnGpuRows *schedule);
int64_t sn_gpu_rowwise_blocks(const SnForm *form, const SnGpuRows *schedule);
int64_t sn_gpu_ahead_bytes(const SnForm *form, const SnGpuRows *schedule); // ahead.c: of shared memory, which the launch gives
int64_t sn_gpu_rowwise_scratch(SnForm *form, const SnGpuRows *schedule);
// The body, at the head of a gpu.func. The form's values are those of the kernel.
void sn_gpu_rowwise(SnBuilder *b, SnGpuKernel *k, SnForm *form, const SnGpuRows *schedule);

#endif
