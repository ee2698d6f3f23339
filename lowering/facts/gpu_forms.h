// gpu_forms.h: what a #sinter.gpu_rows makes of a form: who shares a row, and what of it waits where.
//
// The scheduler asks before it chooses, the lowering when it writes the kernel. No IR is made here.

#ifndef SINTER_LOWERING_FACTS_GPU_FORMS_H
#define SINTER_LOWERING_FACTS_GPU_FORMS_H

#include "lowering/rows/rowjoint.h"

#define SN_GPU_MAX_FETCHED 8 // inputs whose rows are fetched early
#define SN_GPU_EXCHANGES 16  // of a row, by blocks that meet by way of memory
#define SN_GPU_EXCHANGED 16  // values of one

// A #sinter.gpu_rows, read.
typedef struct {
  int64_t threads;   // of a block: a power of two, 32 to 1024
  int64_t team;      // threads that share a row: 1 to 32, or all of a block
  int64_t blocks;    // at most; fixed, so that results are
  int64_t occupancy; // blocks on one multiprocessor
  int64_t vector;    // columns that a thread reads at once
  int64_t unroll;    // vectors that a thread reads before it uses the first
  bool registers;    // rows stay there between phases
  bool shared;       // or in shared memory
  bool ahead;        // and the next one is on its way into shared memory meanwhile
  bool remake;       // of them only what was read
  int64_t cluster;   // blocks that share a row, then
  bool flat;         // all elements are one row, of the whole grid
  bool tile;         // a block has 32 rows, each warp some columns of them: a row's team is 32 threads apart
  bool grid;         // `cluster` blocks share a row by way of memory: any number of them, all at once
  int64_t depth, slots; // then: pieces of the next row that are under way at most, and that shared memory holds
} SnGpuRows;

// ---- who shares a row ---------------------------------------------------------------

bool sn_gpu_lanes_are_rows(const SnForm *f); // no columns: a thread runs a row
// Threads of a block that share a row.
int64_t sn_gpu_rowwise_team(const SnForm *f, const SnGpuRows *s);
int64_t sn_gpu_rowwise_blocks(const SnForm *f, const SnGpuRows *s);
// Why a form's elements cannot be one row; NULL if they can: all are alike, and what is reduced is reduced over all.
const char *sn_gpu_not_flat(const SnForm *f);
// A row_reduce and that asserts alone read: each thread may check its own elements.
bool sn_gpu_is_only_asserted(MlirOperation reduce);
// An accumulator keeps columns.
bool sn_gpu_sums_columns(const SnForm *f);

// ---- where it waits between phases ----------------------------------------------------

// Rows are no multiple of the schedule's vector, and can be read by such vectors all the same.
bool sn_gpu_peels(const SnForm *f, const SnGpuRows *s);
// Vectors of a row that a thread keeps; 0 if none are kept.
size_t sn_gpu_resident(const SnForm *f, const SnGpuRows *s);
// How many rows of bf16 are kept from phase to phase as they are in memory, two elements in a register; 0: they are
// not.
int64_t sn_gpu_packed_rows(const SnForm *f);

// ---- what is fetched into shared memory, which the launch gives ---------------------------

// Input k is a row of its own for each row, that threads fetch ahead in vectors of 4, 8 or 16 bytes.
bool sn_gpu_is_fetched(const SnForm *f, const SnGpuRows *s, size_t k);
// Input k is such a row, in pieces that bulk copies take: multiples of 16 bytes, from such places. Rows begin with one,
// or vectors are of 16 bytes wherever rows begin.
bool sn_gpu_is_copied(const SnForm *f, const SnGpuRows *s, size_t k);
// Of the next row, ahead of it; of a grid's slots; of a row that waits in shared memory.
int64_t sn_gpu_ahead_bytes(const SnForm *f, const SnGpuRows *s);
int64_t sn_gpu_slot_bytes(const SnForm *f, const SnGpuRows *s);
int64_t sn_gpu_shared_row_bytes(const SnForm *f, const SnGpuRows *s);
// What a block's threads have at once of rows that bulk copies bring (a grid's with ahead = 1, or shared); 0: no input
// is copied so.
int64_t sn_gpu_piece_bytes(const SnForm *f, const SnGpuRows *s);

// ---- blocks that share rows by way of memory ------------------------------------------------

// The exchanges of a row, and the values of the largest. More than SN_GPU_EXCHANGES: of too many phases.
size_t sn_gpu_exchanges(const SnForm *f, size_t *values);
// Blocks count up to 2^32 in a launch, and this does not go beyond it; of unknown rows there are no more than 2^38
// bytes hold.
bool sn_gpu_counts(const SnForm *f, int64_t group, size_t exchanges, int64_t *rows);
// Groups of so many blocks may share the form's rows.
bool sn_gpu_may_share_rows(const SnForm *f, int64_t group);

#endif
