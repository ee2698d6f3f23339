// gpu_rows.h: a rowwise kernel that is being written; for the files of this folder.

#ifndef SINTER_LOWERING_GPU_ROWS_H
#define SINTER_LOWERING_GPU_ROWS_H

#include "lowering/facts/gpu_forms.h"
#include "lowering/gpu/meet/online.h"

// Pieces of rows that come into shared memory by themselves.
typedef struct {
  MlirValue memory[SN_GPU_MOST_FETCHED]; // of each input: memref<slots * threads x width>; null: nothing is fetched
  SnGpuRing ring;                        // of bulk copies
} SnGpuSlots;

typedef struct {
  SnGpuKernel *k;
  SnForm *form;
  const SnGpuRowPlan *plan;
  SnGpuColumns mine; // the plan's; of the finish, or of a row that is not here yet, less
  SnRowProgram program;
  bool finishing; // the program is the form's finish
  // What is reduced over rows: accumulator numbers[i] is scalar i, then those with columns
  SnGpuAccumulators all;
  SnReduction scalars[SN_MAX_ACCUMULATORS], columns[SN_MAX_ACCUMULATORS];
  size_t of_scalar[SN_MAX_ACCUMULATORS], of_column[SN_MAX_ACCUMULATORS];
  MlirOperation own_part[SN_MAX_ACCUMULATORS]; // of a scalar: the row_reduce whose parts threads keep; null if the
                                               // row's value is used
  MlirValue rows[SN_MAX_ACCUMULATORS];         // of one with columns: sn_gpu_grid_columns
  MlirValue carried[SN_CARRIED];               // so far: scalars, then of each with columns the resident vectors
  size_t num_carried;
  size_t row_barriers; // block reductions that every row goes through
  SnRowJoints joints; // reductions that a phase makes with those of the phase before
  MlirValue length, num_rows; // of a row, and of all: index
  MlirValue valid;            // i1: this team has a row; null: every team has
  SnFragment resident[SN_GPU_MOST_RESIDENT];
  MlirValue inside[SN_GPU_MOST_RESIDENT]; // i1, or one for each lane: this vector is in the row; null if it is for
                                          // every thread
  SnGpuSlots slots;                       // of shared memory; empty: nothing is fetched
  MlirValue next;                         // the row to fetch, if there is one of that number; null: fetched already
  // shared.c: the row at work
  MlirValue parity; // its pieces are waited for with
  bool arrived;     // they have been waited for
} SnGpuRowKernel;

// phases.c

// What a phase computes of each column: a row_reduce, and with it the sum that depends on it, if that is online.
typedef struct {
  MlirOperation reduce, sum;
  bool squares;           // the sum is of squares (meet/squares.c), else of exponentials
  MlirValue value;        // so far: one for each lane; one for all of them under which exponentials are
  MlirValue exponentials; // the sum so far, one for each lane
  MlirValue count;        // of squares: elements of each lane
} SnGpuPart;

// A phase's parts, and their values: none so far; of resident vectors, or of all columns, what they yield stored; one
// for all lanes.
size_t sn_gpu_parts(const SnGpuRowKernel *g, size_t phase, SnGpuPart *parts);
void sn_gpu_begin_phase(SnBuilder *b, SnGpuRowKernel *g, SnGpuPart *parts, size_t n);
void sn_gpu_run_columns(SnBuilder *b, SnGpuRowKernel *g, size_t phase, SnGpuPart *parts, size_t n, size_t first,
                        size_t count);
void sn_gpu_run_all_columns(SnBuilder *b, SnGpuRowKernel *g, size_t phase, SnGpuPart *parts, size_t n);
void sn_gpu_end_phase(SnBuilder *b, SnGpuRowKernel *g, SnGpuPart *parts, size_t n);
// Finds the row_reduces whose parts threads add to scalar accumulators of their own: g->own_part.
void sn_gpu_find_own_parts(SnGpuRowKernel *g);
// This row_reduce feeds a scalar accumulator, and nothing else reads it.
bool sn_gpu_feeds_accumulator(const SnGpuRowKernel *g, MlirOperation reduce);
// Then the part is added to what this thread carries; else false.
bool sn_gpu_keep_own_part(SnBuilder *b, SnGpuRowKernel *g, const SnGpuPart *part);
// What those who share a row have to combine of a part: up to three values from `n` on, with the row_reduces that they
// are of (a number of elements: null). Returns n behind them.
size_t sn_gpu_meet(SnGpuRowKernel *g, const SnGpuPart *part, size_t n, SnReduction *reductions, MlirValue *values,
                   MlirOperation *shared);
void sn_gpu_store_scalars(SnBuilder *b, SnGpuRowKernel *g);
// Those who share a row do not meet in this phase where its condition does not hold.
bool sn_gpu_may_skip(const SnGpuRowKernel *g, size_t phase);
// All phases of the program, then its scalars stored.
void sn_gpu_run_program(SnBuilder *b, SnGpuRowKernel *g);

// vectors.c

// The columns of each resident vector of a row; `at` and `inside` have g->mine.resident places.
void sn_gpu_begin_resident(SnBuilder *b, SnGpuRowKernel *g, MlirValue row, SnFragment *at, MlirValue *inside);
// One phase on `count` vectors at the columns `at`; `inside` as g->inside, or null.
void sn_gpu_run_vectors(SnBuilder *b, SnGpuRowKernel *g, const SnPhase *phase, SnGpuPart *parts, size_t n, size_t count,
                        SnFragment *at, const MlirValue *inside);
// Its vectors, and their lanes, are added in their own type before their sum is: one value of a thread, or of each of
// its rows.
bool sn_gpu_adds_lanes_first(const SnGpuPart *part);
// The form's output o, in the kernel's memory.
SnAccess sn_gpu_output(const SnGpuRowKernel *g, size_t o);
// x where there is no condition.
MlirValue sn_gpu_select(SnBuilder *b, MlirValue condition, MlirValue x, MlirValue otherwise);

// held.c

// In front of a loop: reads what stays over turns. In a turn: the resident vectors have it.
void sn_gpu_hold(SnBuilder *b, SnGpuRowKernel *g, const bool *may, SnValueVec *held);
void sn_gpu_give_held(SnGpuRowKernel *g);
// The same of numbers of the row, in front of the turn's work.
void sn_gpu_read_early(SnBuilder *b, SnGpuRowKernel *g, const bool *may, SnValueVec *early);
void sn_gpu_give_early(SnGpuRowKernel *g);

// peel.c

// Which lanes of a vector that begins at column j (below 0 in front of the row) are in the row; whether a vector at
// this place in memory ends in the tensor.
MlirValue sn_gpu_peeled_lanes(SnBuilder *b, const SnGpuRowKernel *g, MlirValue j);
MlirValue sn_gpu_peeled_readable(SnBuilder *b, const SnGpuRowKernel *g, MlirValue place);
void sn_gpu_begin_peeled(SnBuilder *b, SnGpuRowKernel *g, MlirValue row, SnFragment *at, MlirValue *inside);

// packed.c

// At the begin of phase i: of the resident vectors nothing is known but what was loaded. In phase 0 they are, and -inf
// behind a row's end.
void sn_gpu_unpack(SnBuilder *b, SnGpuRowKernel *g, size_t i);
// Vector u's elements as f32, in this phase.
void sn_gpu_widen(SnBuilder *b, SnGpuRowKernel *g, size_t u);
// The maximum of a row of those, and that of a thread.
bool sn_gpu_is_packed_maximum(const SnGpuRowKernel *g, MlirOperation reduce);
MlirValue sn_gpu_packed_maximum(SnBuilder *b, SnGpuRowKernel *g, MlirOperation reduce, size_t count, SnFragment *at);
// Of a row that is read again in each phase: reads the vector that it is of, which is widened later.
void sn_gpu_read_packed(SnBuilder *b, SnGpuRowKernel *g, MlirOperation reduce, SnFragment *at);
MlirValue sn_gpu_widened(SnBuilder *b, SnGpuRowKernel *g, MlirOperation reduce, SnFragment *at);
void sn_gpu_forget(SnBuilder *b, SnGpuRowKernel *g, size_t i);

// slots.c

// Makes room for what the plan fetches: g->slots.
void sn_gpu_make_slots(SnBuilder *b, SnGpuRowKernel *g);
bool sn_gpu_has_slots(const SnGpuRowKernel *g);
// By one thread: bulk copies of so many vectors into the slot of a turn, `before` vectors behind element `from` of each
// input (index). `some`: there is one at least.
void sn_gpu_copy_piece(SnBuilder *b, SnGpuRowKernel *g, SnGpuTurn turn, MlirValue from, MlirValue before,
                       MlirValue vectors, bool some);
// Which of a slot's vectors (slot: i32) is this thread's: an index into the slots' memory.
MlirValue sn_gpu_own_slot(SnBuilder *b, const SnGpuRowKernel *g, MlirValue slot);
// What this thread has there is known at `at` from here on: of fetched input i, and of all.
void sn_gpu_take_input(SnBuilder *b, SnGpuRowKernel *g, size_t i, MlirValue own, SnFragment *at);
void sn_gpu_take(SnBuilder *b, SnGpuRowKernel *g, MlirValue slot, SnFragment *at);

// ahead.c

// Begins to fetch a row, if it is one.
void sn_gpu_fetch(SnBuilder *b, SnGpuRowKernel *g, MlirValue row);
// Waits for the row that was fetched, of which this is given to g->resident.
void sn_gpu_fetched(SnBuilder *b, SnGpuRowKernel *g);

// grid_rows.c

// All rows, and what is reduced over them.
void sn_gpu_grid_rows(SnBuilder *b, SnGpuRowKernel *g);
// As sn_gpu_begin_resident, of this block's slice of a row.
void sn_gpu_begin_slice(SnBuilder *b, SnGpuRowKernel *g, MlirValue row, SnFragment *at, MlirValue *inside);

// turned_tiles.c

// All tiles, some operands of which go through shared memory.
void sn_gpu_turned_rows(SnBuilder *b, SnGpuRowKernel *g);

// shared.c

void sn_gpu_begin_shared_row(SnBuilder *b, SnGpuRowKernel *g, const SnGpuTile *tile);
void sn_gpu_end_shared_row(SnBuilder *b, SnGpuRowKernel *g);
// A phase on all that a thread has of a row.
void sn_gpu_shared_columns(SnBuilder *b, SnGpuRowKernel *g, size_t phase, SnGpuPart *parts, size_t n);

// accumulate.c

void sn_gpu_split_accumulators(SnGpuRowKernel *g);
// Sets what is carried to identities, and the rows of scratch memory that are added to.
void sn_gpu_begin_accumulators(SnBuilder *b, SnGpuRowKernel *g);
// The column accumulator that operand `yield` of the body's terminator feeds, or -1.
intptr_t sn_gpu_column_accumulator(const SnGpuRowKernel *g, intptr_t yield);
// Adds element x at a resident vector u, or at columns `at` of the row in memory.
void sn_gpu_accumulate_columns(SnBuilder *b, SnGpuRowKernel *g, size_t c, size_t u, SnFragment *at, MlirValue x);
// Adds a row's scalars that no thread added parts of.
void sn_gpu_accumulate_scalars(SnBuilder *b, SnGpuRowKernel *g);
// After all rows: over the block and the grid, and the finish.
void sn_gpu_finish(SnBuilder *b, SnGpuRowKernel *g);

// rowwise_gpu.c: the form's operand o: an input, an index tensor, or an output.
SnAccess *sn_gpu_access(SnForm *form, size_t o);

// flat.c

// The form over one row, whose values and `operands` are memrefs of one row.
void sn_gpu_flatten(SnBuilder *b, SnForm *form, MlirValue *operands);

#endif
