// meet.h: values that threads have, combined: over a warp, a block, a cluster of blocks, the grid.
//
// decides: how values of threads, blocks and the grid become one.

#ifndef SINTER_LOWERING_GPU_MEET_H
#define SINTER_LOWERING_GPU_MEET_H

#include "lowering/gpu/shell/shell.h"
#include "lowering/rows/rowparts.h"

// Values that a block reduces at once: a reduction is one, or a maximum with its sum and count (online.h, squares.c).
enum { SN_GPU_MAX_VALUES = 3 * SN_MAX_REDUCTIONS };

// block.c

// Replaces n values of each thread by their combination over the block, which every
// thread then has. `barrier`: the block may still be reading what an
// earlier pass through the same code left in shared memory.
void sn_gpu_reduce_block(SnBuilder *b, SnGpuKernel *k, size_t n, const SnReduction *reductions, MlirValue *values,
                         bool barrier);
// A value combined over groups of `lanes` neighbours in a warp.
MlirValue sn_gpu_butterfly(SnBuilder *b, const SnReduction *r, MlirValue x, int64_t lanes);
// A value of each lane of a team, combined over the teams of so many neighbours that a warp has.
MlirValue sn_gpu_butterfly_of_teams(SnBuilder *b, const SnReduction *r, MlirValue x, int64_t team);
// i1, the same in all lanes of the warp: some say so.
MlirValue sn_gpu_any_lane(SnBuilder *b, MlirValue x);
// n values of each thread. `last`: all that share the row have met then.
void sn_gpu_butterflies(SnBuilder *b, size_t n, const SnReduction *reductions, MlirValue *values, int64_t lanes,
                        bool last);
// How sums of exponentials and squares are moved (online.c, squares.c).
extern const SnReductionMoves sn_gpu_moves;
// The value's bits as an i32 or i64, which is what travels, and back.
MlirValue sn_gpu_bits(SnBuilder *b, MlirValue x);
MlirValue sn_gpu_from_bits(SnBuilder *b, MlirValue bits, MlirType type);

// cluster.c

// All blocks of the cluster have come here, and see what the others stored before. Once blocks have begun
// (sn_gpu_await_cluster).
void sn_gpu_sync_cluster(SnBuilder *b);
// i64: 8 bytes of another block's shared memory, by their address in the own (i32) and its rank (i32).
MlirValue sn_gpu_load_of_block(SnBuilder *b, MlirValue address, MlirValue rank);

// As sn_gpu_reduce_block over those that share a row: the team, the block, or the cluster, which only is in a loop
// over tiles where the tile was given to sn_gpu_begin_turns.
// `barrier`, of a cluster: there is no other exchange in a tile.
void sn_gpu_reduce_group(SnBuilder *b, SnGpuKernel *k, size_t n, const SnReduction *reductions, MlirValue *values,
                         bool barrier);
void sn_gpu_begin_turns(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile);

// grid.c

// What is reduced over all rows: values, and rows of `length` columns. Only the combiner and the type of the latter
// count.
typedef struct {
  size_t scalars, columns;
  const SnReduction *of_scalars, *of_columns;
  int64_t length, width; // width: columns that a thread reads at once
  bool of_groups; // no scalar is a sum of what single threads or blocks had: the blocks of a cluster have the same
                  // values
  MlirValue found[2]; // in the counters of all and of the block's bunch, by sn_gpu_ask_early; null: it was not called
} SnGpuAccumulators;

// Bytes of scratch memory, 0 if the grid is one block and there are no columns.
int64_t sn_gpu_grid_scratch(const SnGpuKernel *k, const SnGpuAccumulators *a);
// memref<groups x length>: row k->group is what this group of threads, the block or its cluster, adds its rows to.
MlirValue sn_gpu_grid_columns(SnBuilder *b, SnGpuKernel *k, const SnGpuAccumulators *a, size_t column);
// Where the kernel begins, and is a launch by itself: asks for the counters at which blocks will meet, and waits for
// nothing.
void sn_gpu_ask_early(SnBuilder *b, SnGpuKernel *k, SnGpuAccumulators *a);
// Opens a branch that one block of the whole grid takes, with the values of each block (which all of its threads have)
// combined over the grid, and the rows of all groups combined in row 0 of sn_gpu_grid_columns.
SnIf sn_gpu_reduce_grid(SnBuilder *b, SnGpuKernel *k, const SnGpuAccumulators *a, MlirValue *values);
// Then it is but the first warp of that block that takes the branch.
bool sn_gpu_one_warp_is_left(const SnGpuKernel *k, const SnGpuAccumulators *a);

#endif
