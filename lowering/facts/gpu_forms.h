// gpu_forms.h: how a rowwise form runs on a GPU: its schedule, decoded for each part of the lowering.
//
// A #sinter.gpu_rows is read here and nowhere else. The scheduler asks what a schedule would take before it chooses
// one, the lowering what to write. No IR is made here.
//
// decides: what a schedule makes of a form, before any IR is made.

#ifndef SINTER_LOWERING_FACTS_GPU_FORMS_H
#define SINTER_LOWERING_FACTS_GPU_FORMS_H

#include "lowering/facts/gpu_launch.h"
#include "lowering/rows/rowjoint.h"
#include "target/layouts.h"

enum {
  SN_GPU_MOST_RESIDENT = 32, // vectors of a row that a thread keeps
  SN_GPU_MOST_OF_CLUSTER = 8, // blocks that meet as a hardware cluster
  SN_GPU_MOST_UNROLLED = 32, // vectors of a row's end, which are read at once
  SN_GPU_MOST_SUMS = 64,     // vectors of sums of columns that a thread carries from row to row
  SN_GPU_MOST_FETCHED = 8,   // inputs that come into shared memory by themselves
  SN_GPU_EXCHANGES = 16,     // of a row, by blocks that meet by way of memory
  SN_GPU_EXCHANGED = 16,     // values of one
  SN_GPU_MOST_TURNED = 8,    // operands that go through shared memory by rows and by columns
  SN_GPU_MOST_TILE = 64,     // vectors that a thread has of a tile whose operands are turned
};

// A #sinter.gpu_rows, as it is written.
typedef struct {
  int64_t threads, blocks, occupancy, vector, unroll, rows, team, cluster, group, depth, slots, tile_rows, tile_columns;
  enum { SN_GPU_SHAPE_ROWS, SN_GPU_SHAPE_FLAT, SN_GPU_SHAPE_TILE, SN_GPU_SHAPE_GRID, SN_GPU_SHAPE_TURNED } shape;
  enum { SN_GPU_REREAD, SN_GPU_REGISTERS, SN_GPU_SHARED } residency;
  bool ahead, remake;
  bool before;  // a maximum takes a phase of its own
  bool wide;    // bf16 waits in 32 bits
  bool held;    // in a loop of a launch: what it reads and no turn makes waits over turns
  int64_t most; // columns of rows whose length is `?`; 0: any number
  int64_t multiple; // of which sizes `?` are multiples
  bool each; // the call counts blocks
} SnGpuRows;

// Which columns a thread has, and how it reads them.
typedef struct {
  int64_t width;   // of a vector
  int64_t unroll;  // vectors that it reads before it uses the first, of rows that are read again
  size_t resident; // vectors of a row, the longest there is, that wait from phase to phase; 0: the row is read again
  SnLayout layout; // of these, over a team's threads; of a group's, its first digit over those of a block
  bool in_shared;  // they wait in shared memory, else in registers
  int64_t multiple; // of what a length `?`, and last sizes `?` of operands, are multiples
  bool peeled;     // vectors begin where memory is aligned, not where a row does
  bool packed;     // vectors of bf16 wait as they are in memory (packed.c)
  bool remade;     // of what waits only what was read stays
  bool online;     // a maximum and exponentials under it take one phase (meet/online.c)
  bool held;       // what no turn of a loop makes stays over turns (held.c)
  bool squares;    // so do a sum and the squares about its mean (meet/squares.c)
} SnGpuColumns;

// What comes into shared memory by itself, in pieces of a vector of each thread.
typedef struct {
  size_t n, inputs[SN_GPU_MOST_FETCHED];
  bool in_bulk;        // by bulk copies; else each thread copies its own vectors (cp.async)
  int64_t slots;       // pieces that shared memory holds
  int64_t depth;       // pieces that are under way at most
  int64_t piece_bytes; // of all inputs
} SnGpuFetch;

// A row's vectors, cut into slices of the blocks that share it by way of memory.
typedef struct {
  int64_t vectors; // of a row, at most
  int64_t slice;   // of a block; the last block may have less
  int64_t whole;   // that every block has, and all of whose elements are in the row
} SnGpuSlices;

// A block's tile, and which operands go through shared memory: they are read, or written, by rows.
typedef struct {
  intptr_t row;          // the row dimension whose neighbours are theirs
  int64_t rows, columns; // of a tile: neighbours in that dimension, and those in front of it where it ends
  int64_t together;      // of the tile's rows: as many follow each other in memory, then come columns; a divisor
  size_t n, operands[SN_GPU_MOST_TURNED];
  int64_t pitch[SN_GPU_MOST_TURNED]; // elements from column to column there
  int64_t bytes;                     // of shared memory
} SnGpuTurned;

typedef struct {
  SnGpuLaunch launch;
  SnGpuColumns columns;
  SnGpuFetch fetch;
  SnGpuSlices slices;  // of SN_GPU_GROUP alone
  SnGpuTurned turned;  // of shape "turned" alone
  bool rows_are_lanes; // the form has no columns: a thread runs a row
  int64_t rows;        // of a thread that has rows by itself: lanes
} SnGpuRowPlan;

// An error if there is none.
MlirLogicalResult sn_gpu_read_rows(const SnForm *form, SnGpuRows *schedule);
SnGpuRowPlan sn_gpu_plan_rows(const SnForm *form, const SnGpuRows *schedule);
// Bytes of what is fetched.
static inline int64_t sn_gpu_fetched_bytes(const SnGpuRowPlan *p) { return p->fetch.slots * p->fetch.piece_bytes; }

// ---- operands that are turned: gpu_turned.c --------------------------------------------------

// Why a form's tiles cannot go through shared memory; NULL if they can.
const char *sn_gpu_not_turned(const SnForm *form);
// The row dimension whose neighbours are neighbours in memory for some operand, where columns are not; -1: none.
intptr_t sn_gpu_turned_row(const SnForm *form);
// Rows that lie together by the first such operand; SN_DYNAMIC where that is not known.
int64_t sn_gpu_turned_extent(const SnForm *form);
SnGpuTurned sn_gpu_turned(const SnForm *form, int64_t rows, int64_t columns);

// ---- operands that stay over the turns of a loop: gpu_held.c ---------------------------------

typedef struct {
  int64_t team, vector, vectors; // threads of a row, which are a block; elements of a vector; vectors of a thread
} SnGpuHeld;

// The form, in a loop, reads a row of input k that no turn makes.
bool sn_gpu_may_hold(const SnForm *form, size_t k);
// The registers of all multiprocessors have room for all of those.
bool sn_gpu_has_room_to_hold(const SnForm *form, int64_t multiprocessors);
// How they are held by threads; false: they are not.
bool sn_gpu_plan_held(const SnForm *form, int64_t multiprocessors, SnGpuHeld *held);

// ---- what forms are like --------------------------------------------------------------------

// Why one row may not be of two threads, which write the same; NULL if it may.
const char *sn_gpu_not_overlapped(const SnForm *form);
// Why a form's elements cannot be one row; NULL if they can: all are alike, and what is reduced is reduced over all.
const char *sn_gpu_not_flat(const SnForm *form);
// A row_reduce `and` that asserts alone read: each thread may check its own elements.
bool sn_gpu_is_only_asserted(MlirOperation reduce);
// The body asserts something, or reads through index tensors that may be wrong.
bool sn_gpu_asserts(const SnForm *form);
// An error where a table that is read through an index tensor may turn out empty.
MlirLogicalResult sn_gpu_check_tables(const SnForm *form);
// An accumulator keeps columns.
bool sn_gpu_sums_columns(const SnForm *form);
// How many rows of bf16 may wait as they are in memory, two elements in a register; 0: none.
int64_t sn_gpu_packed_rows(const SnForm *form);

// The exchanges of a row, and the values of the largest; `before`: maxima have phases of their own. More than
// SN_GPU_EXCHANGES: of too many phases.
size_t sn_gpu_exchanges(const SnForm *form, bool before, size_t *values);
// Blocks count up to 2^32 in a launch, and this does not go beyond it; of unknown rows there are no more than 2^38
// bytes hold.
bool sn_gpu_counts(const SnForm *form, int64_t group, size_t exchanges, int64_t *rows);
// Something of a row, or of all rows, is of more than one element: blocks that share a row have to meet.
bool sn_gpu_row_threads_meet(const SnForm *form);
// Groups of so many blocks may share the form's rows by way of memory.
bool sn_gpu_may_share_rows(const SnForm *form, int64_t group);

#endif
