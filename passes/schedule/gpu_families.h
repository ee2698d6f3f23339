// gpu_families.h: how a rowwise form runs on a GPU, while it is decided: for gpu_families.c and gpu_neighbours.c, which
// choose, and gpu_lengths.c, which writes it down.

#ifndef SINTER_PASSES_SCHEDULE_GPU_FAMILIES_H
#define SINTER_PASSES_SCHEDULE_GPU_FAMILIES_H

#include "passes/schedule/gpu_facts.h"
#include "passes/schedule/gpu_grid.h"

enum {
  SN_GPU_ROW_THREADS = 1024,         // on a multiprocessor
  SN_GPU_ROW_HELD = 32,              // registers of a thread that hold a row, of 64
  SN_GPU_ROW_HELD_BY_HALF = 96,      // and of 128, where a multiprocessor has half the threads
  SN_GPU_ROW_FEW_EACH = 4,           // rows of a thread, the same of rows without columns
  SN_GPU_ROW_LONG_ROW = 32,          // turns of all of a block's threads
  SN_GPU_ONE_BLOCK = 2048,           // vectors of all elements, whose sum is no more work than meeting other blocks
  SN_GPU_ROW_OTHER_SHARED = 3072,    // bytes of shared memory of each block, beside rows
  SN_GPU_ROW_TEAM_SHARED = 40 << 10, // bytes of shared memory of a block, of what its teams or warps leave
  SN_GPU_ROW_MOST_BLOCKS = 1 << 20,  // of the grid
};

typedef struct {
  int64_t threads, blocks, vector, unroll, cluster, team;
  int64_t rows;                    // of a thread; 0: one
  int64_t least;                   // rows there are, where their number is `?`
  int64_t most;                    // columns of a row whose length is `?`; 0: any number
  int64_t at_once;                 // threads on a multiprocessor; 0: SN_GPU_ROW_THREADS
  int64_t tile_rows, tile_columns; // of turned
  bool registers, shared, flat, tile, turned, held;
  SnGpuGridRows grid; // group: 0 for other families
} SnGpuRowSchedule;

// Blocks that share a multiprocessor.
int64_t sn_gpu_row_occupancy(const SnGpuRowSchedule *schedule);
// Blocks of the grid, each of which has so many rows at once.
int64_t sn_gpu_row_blocks(const SnGpuRowFacts *facts, const SnGpuRowSchedule *schedule, int64_t rows_at_once);
// Neighbouring rows of a block, whose columns its warps share, up to so many threads; false where there are none.
bool sn_gpu_row_warps(const SnGpuRowFacts *facts, SnGpuRowSchedule *schedule, int64_t most_threads);
// Bytes of rows at work that stay in L2, beside what is written.
int64_t sn_gpu_row_l2(const SnGpuRowFacts *facts);
// The families whose lanes are rows (gpu_neighbours.c): whether the form fits, and its schedule.
bool sn_gpu_row_turned(const SnGpuRowFacts *facts, SnGpuRowSchedule *schedule);
bool sn_gpu_row_tile(const SnGpuRowFacts *facts, SnGpuRowSchedule *schedule);
bool sn_gpu_row_by_warps(const SnGpuRowFacts *facts, SnGpuRowSchedule *schedule);
bool sn_gpu_row_thread(const SnGpuRowFacts *facts, SnGpuRowSchedule *schedule);
// Something of a row is of more than one element.
bool sn_gpu_row_meets(const SnGpuRowFacts *facts);
// So many exponentials, logarithms, divisions are made of each element.
int64_t sn_gpu_row_expensive(const SnForm *form);
// Some row has elements of 64 bits, which take two registers each.
bool sn_gpu_row_is_wide(const SnForm *form);
// Threads of a row that has so many vectors, of which a thread keeps so many at most: these, or fewer
// (gpu_short_rows.c).
int64_t sn_gpu_row_fewer(const SnGpuRowFacts *facts, int64_t team, int64_t vectors, int64_t kept);
// The same where rows have no vectors: as many as load 16 bytes at once.
int64_t sn_gpu_row_wider(const SnGpuRowFacts *facts, int64_t team, int64_t vectors);
// Vectors of a row, whose first may begin before it.
int64_t sn_gpu_row_vectors(const SnGpuRowFacts *facts);
// A part of a warp has a row: of rows that are read once, with no thread too many; in registers (the family warp).
bool sn_gpu_row_by_parts(const SnGpuRowFacts *facts, SnGpuRowSchedule *schedule, int64_t vectors);
bool sn_gpu_row_warp(const SnGpuRowFacts *facts, SnGpuRowSchedule *schedule);
// Vectors are shorter where there are few elements, and none has to do with another.
void sn_gpu_row_spread(SnGpuRowFacts *facts);
// Rows that are read once, or again; and whether neighbours in the last row dimensions are neighbours in memory, and
// columns are not.
bool sn_gpu_row_read(const SnGpuRowFacts *facts, SnGpuRowSchedule *schedule);
bool sn_gpu_rows_together(const SnForm *form);
// Vectors of a row that a thread may keep in so many registers.
int64_t sn_gpu_row_kept(const SnGpuRowFacts *facts, int64_t registers);
// Rows are as many as so many threads of each fill the device with.
int64_t sn_gpu_row_fill(const SnGpuRowFacts *facts, int64_t threads);
// The schedule with another one beside it, which the call takes if it fits.
MlirAttribute sn_gpu_row_beside(MlirLocation loc, MlirAttribute schedule, const char *key, MlirAttribute other);
// The schedule with another one for even sizes; gpu_even.c finds it, if the form has some.
MlirAttribute sn_gpu_row_with_even(const SnGpuRowFacts *facts, const SnGpuRowSchedule *schedule,
                                   MlirAttribute attribute);
// The schedule as an attribute; and of rows whose length is `?` with those of shorter rows, which are kernels of their
// own.
MlirAttribute sn_gpu_row_attribute_alone(const SnGpuRowFacts *facts, const SnGpuRowSchedule *schedule);
MlirAttribute sn_gpu_row_attribute(const SnGpuRowFacts *facts, const SnGpuRowSchedule *schedule);

#endif
