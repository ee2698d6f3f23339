// gpu.h: what the files of the GPU lowering share.
//
// A rowwise kernel becomes a gpu.func (rowwise.c, phases.c, vectors.c, accumulate.c) whose threads reduce
// over a block (block.c), a cluster (cluster.c) and the grid (grid.c), and a
// host function that launches it (lower_gpu.c).

#ifndef SINTER_LOWERING_GPU_GPU_H
#define SINTER_LOWERING_GPU_GPU_H

#include "lowering/facts/gpu_forms.h"
#include "lowering/host/host.h"
#include "lowering/rows/rowprogram.h"

// Values that a block reduces at once: a reduction is one, or a maximum with its sum and count (online.h, squares.c).
enum { SN_GPU_MAX_VALUES = 3 * SN_MAX_REDUCTIONS };

// What a kernel's threads have; made once at the head of a gpu.func.
typedef struct {
  MlirOperation func;
  MlirBlock entry;
  int64_t threads, warps, blocks, cluster, team;
  const MlirValue *operands; // the form's, as memrefs of the device
  const MlirValue *addresses; // theirs: i64, if SnGpuBody asks for them
  size_t num_operands;
  MlirValue scratch, tag, status; // memref<?xi8>, i64, and the address of the status word as i64; null: none
  MlirValue scratch_address;      // i64
  MlirValue thread, block;  // index
  MlirValue group,
      rank; // index: which cluster of the grid, which block of the cluster; the block and null without clusters
  MlirValue member;         // index: which thread of the team
  MlirValue first;          // i1: thread 0 of the block
  MlirValue first_of_group; // i1: thread 0 of those that share a row
  bool tile;
  bool grid;                // a group is no hardware cluster
  bool first_of_warp_known;
  MlirValue lane, warp, first_of_warp;
  MlirOperation entered; // with clusters: what all blocks have done before any goes on
  MlirValue turn, half;  // i32: 0 and 1 by turns, row by row, and every two rows
  bool waited;           // for them to have begun
  bool one_row;          // there is no other turn
  bool one_warp;         // only the first warp of a block is here
} SnGpuKernel;

// Shared memory that is aligned to this has its size from the launch (sinter-gpu-target); a kernel has one of it at
// most.
#define SN_GPU_LAUNCH_SHARED 128
MlirValue sn_gpu_launch_shared(SnGpuKernel *k, int64_t bytes);
// The address of shared memory, as PTX has it: 32 bits.
MlirValue sn_gpu_shared_address(SnBuilder *b, MlirValue memref);
// Warps of a block, beside those of its threads, that fetch and exchange (grid_rows.c).
#define SN_GPU_GRID_WARPS 2
// Memory of one block, of a memref's shape.
MlirValue sn_gpu_shared(SnGpuKernel *k, intptr_t rank, const int64_t *shape, MlirType element);

// One value that every thread has a part of.
typedef struct {
  MlirType type;
  const SnCombiner *combiner; // or, if NULL:
  SnRowProgram *program;
  MlirOperation reduce;       // a row_reduce with a combiner region
  size_t about; // 1 + which sum: a sum of squares about its mean; the next is the number of its elements; 0: nothing of
                // the kind
  size_t under; // 1 + which of the values that meet with it: a sum of exponentials under that maximum; 0: nothing of
                // the kind
} SnGpuReduction;

MlirValue sn_gpu_combine(SnBuilder *b, const SnGpuReduction *r, MlirValue acc, MlirValue x);
MlirValue sn_gpu_identity(SnBuilder *b, const SnGpuReduction *r);

// block.c

// Replaces n values of each thread by their combination over the block, which every
// thread then has. `barrier`: the block may still be reading what an
// earlier pass through the same code left in shared memory.
void sn_gpu_reduce_block(SnBuilder *b, SnGpuKernel *k, size_t n, const SnGpuReduction *reductions, MlirValue *values,
                         bool barrier);
// A value combined over groups of `lanes` neighbours in a warp.
MlirValue sn_gpu_butterfly(SnBuilder *b, const SnGpuReduction *r, MlirValue x, int64_t lanes);
// n values of each thread. `last`: all that share the row have met then.
void sn_gpu_butterflies(SnBuilder *b, size_t n, const SnGpuReduction *reductions, MlirValue *values, int64_t lanes,
                        bool last);
// Value i of part p is parts[p * n + i].
void sn_gpu_combine_parts(SnBuilder *b, size_t n, const SnGpuReduction *reductions, size_t count,
                          const MlirValue *parts, MlirValue *values, bool last);
// The value's bits as an i32 or i64, which is what travels, and back.
MlirValue sn_gpu_bits(SnBuilder *b, MlirValue x);
MlirValue sn_gpu_from_bits(SnBuilder *b, MlirValue bits, MlirType type);
// Sets k->lane, k->warp and k->first_of_warp.
void sn_gpu_know_lanes(SnGpuKernel *k);

// cluster.c

// Numbers the kernel's clusters and blocks. Not before sn_gpu_await_cluster have all blocks of a cluster begun.
void sn_gpu_enter_cluster(SnBuilder *b, SnGpuKernel *k);
void sn_gpu_await_cluster(SnBuilder *b, SnGpuKernel *k);
// As sn_gpu_reduce_block over those that share a row: the team, the block, or the cluster, which only is in a loop
// over rows where the row was given to sn_gpu_begin_row.
// `barrier`, of a cluster: there is no other exchange in a row.
void sn_gpu_reduce_group(SnBuilder *b, SnGpuKernel *k, size_t n, const SnGpuReduction *reductions, MlirValue *values,
                         bool barrier);
void sn_gpu_begin_row(SnBuilder *b, SnGpuKernel *k, MlirValue row);

// Inline PTX with side effects; `result` may be null.
MlirOperation sn_gpu_ptx(SnBuilder *b, const char *text, const char *constraints, SnValues operands, MlirType result);

// mbarrier.c

// n mbarriers on which so many arrive: memref<n x i64>; a fence of them, and a barrier of the block, have to follow.
MlirValue sn_gpu_mbarriers(SnBuilder *b, SnGpuKernel *k, int64_t n, int64_t arrivals);
// The address of one of them, i an i32.
MlirValue sn_gpu_mbarrier(SnBuilder *b, MlirValue mbarriers, MlirValue i);
void sn_gpu_arrive(SnBuilder *b, MlirValue mbarrier);
void sn_gpu_arrive_expecting(SnBuilder *b, MlirValue mbarrier, MlirValue bytes);
// Until the phase of this parity is over.
void sn_gpu_await(SnBuilder *b, MlirValue mbarrier, MlirValue parity);
// From memory (i64) to shared memory (i32): multiples of 16 bytes, counted on the mbarrier.
void sn_gpu_bulk_copy(SnBuilder *b, MlirValue to, MlirValue from, MlirValue bytes, MlirValue mbarrier);
void sn_gpu_warp_sync(SnBuilder *b);

// grid.c

// What is reduced over all rows: values, and rows of `length` columns. Only the combiner and the type of the latter
// count.
typedef struct {
  size_t scalars, columns;
  const SnGpuReduction *of_scalars, *of_columns;
  int64_t length, width; // width: columns that a thread reads at once
  bool of_groups; // no scalar is a sum of what single threads or blocks had: the blocks of a cluster have the same
                  // values
} SnGpuAccumulators;

// Bytes of scratch memory, 0 if the grid is one block and there are no columns.
int64_t sn_gpu_grid_scratch(const SnGpuKernel *k, const SnGpuAccumulators *a);
// memref<groups x length>: row k->group is what this group of threads, the block or its cluster, adds its rows to.
MlirValue sn_gpu_grid_columns(SnBuilder *b, SnGpuKernel *k, const SnGpuAccumulators *a, size_t column);
// Opens a branch that one block of the whole grid takes, with the values of each block (which all of its threads have)
// combined over the grid, and the rows of all groups combined in row 0 of sn_gpu_grid_columns.
SnIf sn_gpu_reduce_grid(SnBuilder *b, SnGpuKernel *k, const SnGpuAccumulators *a, MlirValue *values);
// Then it is but the first warp of that block that takes the branch.
bool sn_gpu_one_warp_is_left(const SnGpuKernel *k, const SnGpuAccumulators *a);
SnGpuKernel sn_gpu_first_warp(const SnGpuKernel *k);
// i1, for one thread of a block: this block is the last of `count` (i64) of its launch to come to a counter, an index
// of 8 bytes in scratch memory.
MlirValue sn_gpu_is_last(SnBuilder *b, SnGpuKernel *k, MlirValue which, MlirValue count);
// Makes the counter one of this launch, for one thread of each block that counts at it. Its address.
MlirValue sn_gpu_take_counter(SnBuilder *b, SnGpuKernel *k, MlirValue which);
// In host code: a number that no other launch of this process has, for sn_gpu_reduce_grid.
MlirValue sn_gpu_launch_tag(SnBuilder *b, MlirOperation module);

// flat.c

// The form over one row, whose values and `operands` are memrefs of one row.
void sn_gpu_flatten(SnBuilder *b, SnForm *form, MlirValue *operands);

// divide.c

// Divisions of f32 of the kernel by what is no constant.
void sn_gpu_divide(MlirOperation func);

// power.c

// An exponential of an element under its row's maximum (`sinter.under_maximum`), and under that and the logarithm of
// their sum (`sinter.under_sum`); a product of one with a number of the row.
void sn_gpu_power(MlirOperation exp);
// exp(x - m) of f32 by its parts: 2^(x factor + minus), and what all of them are multiplied by.
typedef struct {
  MlirValue big, factor, minus;
} SnGpuPower;
SnGpuPower sn_gpu_power_of(SnBuilder *b, MlirValue m);
MlirValue sn_gpu_power_at(SnBuilder *b, const SnGpuPower *p, MlirValue x);
MlirValue sn_gpu_power_rest(SnBuilder *b, const SnGpuPower *p, MlirValue m);
void sn_gpu_scale_power(MlirOperation product);

// math.c

// Divisions, exponentials of what is not positive, and products that are added.
void sn_gpu_math(MlirOperation func);
// f for each op of this name, of those that are there now.
void sn_gpu_each(MlirOperation in, const char *name, void (*f)(MlirOperation));
bool sn_gpu_not_negative(MlirValue v); // or NaN
bool sn_gpu_at_least_one(MlirValue v);
bool sn_gpu_is_unit(MlirValue v);     // from 0 to 1, or NaN
bool sn_gpu_is_moderate(MlirValue v); // from 1 to 2^65, or NaN
// An intrinsic of one f32, of each lane.
MlirValue sn_gpu_each_lane(SnBuilder *b, const char *intrinsic, MlirValue x);

// logarithm.c

// A math.log or math.log1p of f32, replaced.
void sn_gpu_logarithm(MlirOperation op);

// narrow.c

// A gpu.module of written kernels: an index has 32 bits where that is enough for all of them.
void sn_gpu_narrow(MlirOperation module);
#define SN_GPU_LAYOUT "dlti.dl_spec" // which says so, until the conversions are done

// status.c

// Each cf.assert of the kernel -> a number in the status word where it fails; what follows runs on. Whether there are
// any.
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
  bool asserts, addresses;
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

// rowwise.c

// What cannot become a kernel, by name, at the op; else SN_OK.
MlirLogicalResult sn_gpu_rowwise_check(const SnForm *form, const SnGpuRows *schedule);
int64_t sn_gpu_rowwise_scratch(SnForm *form, const SnGpuRows *schedule);
// The body, at the head of a gpu.func. The form's values are those of the kernel.
void sn_gpu_rowwise(SnBuilder *b, SnGpuKernel *k, SnForm *form, const SnGpuRows *schedule);

#endif
