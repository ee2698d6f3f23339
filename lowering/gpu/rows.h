// rows.h: a rowwise kernel that is being written; for rowwise.c and the files that it is made of.

#ifndef SINTER_LOWERING_GPU_ROWS_H
#define SINTER_LOWERING_GPU_ROWS_H

#include "lowering/gpu/online.h"

#define MAX_RESIDENT 32     // vectors
#define MAX_SUMS 64         // vectors of sums of columns that a thread carries from row to row

typedef struct {
  SnGpuKernel *k;
  SnForm *form;
  const SnGpuRows *schedule;
  SnRowProgram program;
  bool finishing;                           // the program is the form's finish
  // What is reduced over rows: accumulator numbers[i] is scalar i, then those with columns
  SnGpuAccumulators all;
  SnGpuReduction scalars[SN_MAX_ACCUMULATORS], columns[SN_MAX_ACCUMULATORS];
  size_t of_scalar[SN_MAX_ACCUMULATORS], of_column[SN_MAX_ACCUMULATORS];
  MlirOperation own_part[SN_MAX_ACCUMULATORS]; // of a scalar: the row_reduce whose parts threads keep; null if the
                                               // row's value is used
  MlirValue rows[SN_MAX_ACCUMULATORS];         // of one with columns: sn_gpu_grid_columns
  MlirValue carried[SN_CARRIED];            // so far: scalars, then of each with columns the resident vectors
  size_t num_carried;
  size_t row_barriers;                      // block reductions that a row goes through
  int64_t width;                            // columns of a vector
  SnGpuOnline online;
  MlirValue length;                         // of a row: index
  MlirValue valid;                          // i1: this team has a row; null: every team has
  size_t num_resident;                      // vectors that a thread keeps, 0: rows are read again
  SnColumn resident[MAX_RESIDENT];
  MlirValue inside[MAX_RESIDENT]; // i1, or one for each lane: this vector is in the row; null if it is for every thread
  bool peeled;                              // vectors begin where memory is aligned, not where a row does
  bool remade;                              // from phase to phase only what was read stays (packed.c)
  size_t phase;                             // that is being written
  bool packed;                              // from phase to phase vectors of bf16 stay as they are in memory (packed.c)
  // ahead.c: the next row, on its way into shared memory
  size_t num_fetched, fetched[SN_GPU_MAX_FETCHED]; // inputs
  MlirValue slots[SN_GPU_MAX_FETCHED];             // of each: memref<vectors of all threads x width>
  // shared.c: the row at work
  MlirValue full, parity;                   // mbarriers of its pieces, and what they are waited for with
  bool arrived;                             // they have been waited for
  MlirValue next, num_rows;                 // the row to fetch, if it is one of so many; null: fetched already
} SnGpuRowKernel;

// phases.c

// What a phase computes of each column: a row_reduce, and with it the sum that depends on it, if that is online.
typedef struct {
  MlirOperation reduce, sum;
  bool squares;           // the sum is of squares (squares.c), else of exponentials
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
size_t sn_gpu_meet(SnGpuRowKernel *g, const SnGpuPart *part, size_t n, SnGpuReduction *reductions, MlirValue *values,
                   MlirOperation *shared);
void sn_gpu_store_scalars(SnBuilder *b, SnGpuRowKernel *g);
// All phases of the program, then its scalars stored.
void sn_gpu_run_program(SnBuilder *b, SnGpuRowKernel *g);

// vectors.c

// The columns of each resident vector of a row; `at` and `inside` have g->num_resident places.
void sn_gpu_begin_resident(SnBuilder *b, SnGpuRowKernel *g, MlirValue row, SnColumn *at, MlirValue *inside);
// One phase on `count` vectors at the columns `at`; `inside` as g->inside, or null.
void sn_gpu_run_vectors(SnBuilder *b, SnGpuRowKernel *g, const SnPhase *phase, SnGpuPart *parts, size_t n, size_t count,
                        SnColumn *at, const MlirValue *inside);
// The form's output o, in the kernel's memory.
SnAccess sn_gpu_output(const SnGpuRowKernel *g, size_t o);
// x where there is no condition.
MlirValue sn_gpu_select(SnBuilder *b, MlirValue condition, MlirValue x, MlirValue otherwise);

// peel.c

// Which lanes of a vector that begins at column j (below 0 in front of the row) are in the row; whether a vector at
// this place in memory ends in the tensor.
MlirValue sn_gpu_peeled_lanes(SnBuilder *b, const SnGpuRowKernel *g, MlirValue j);
MlirValue sn_gpu_peeled_readable(SnBuilder *b, const SnGpuRowKernel *g, MlirValue place);
void sn_gpu_begin_peeled(SnBuilder *b, SnGpuRowKernel *g, MlirValue row, SnColumn *at, MlirValue *inside);

// packed.c

// At the begin of phase i: of the resident vectors nothing is known but what was loaded. In phase 0 they are, and -inf
// behind a row's end.
void sn_gpu_unpack(SnBuilder *b, SnGpuRowKernel *g, size_t i);
// Vector u's elements as f32, in this phase.
void sn_gpu_widen(SnBuilder *b, SnGpuRowKernel *g, size_t u);
// The maximum of a row of those, and that of a thread.
bool sn_gpu_is_packed_maximum(const SnGpuRowKernel *g, MlirOperation reduce);
MlirValue sn_gpu_packed_maximum(SnBuilder *b, SnGpuRowKernel *g, MlirOperation reduce, size_t count, SnColumn *at);
// Of a row that is read again in each phase: reads the vector that it is of, which is widened later.
void sn_gpu_read_packed(SnBuilder *b, SnGpuRowKernel *g, MlirOperation reduce, SnColumn *at);
MlirValue sn_gpu_widened(SnBuilder *b, SnGpuRowKernel *g, MlirOperation reduce, SnColumn *at);
void sn_gpu_forget(SnBuilder *b, SnGpuRowKernel *g, size_t i);

// ahead.c

// Finds what is fetched, by the schedule, and makes room for it. Behind sn_gpu_begin_accumulators.
void sn_gpu_begin_ahead(SnBuilder *b, SnGpuRowKernel *g);
// Begins to fetch a row, if it is one.
void sn_gpu_fetch(SnBuilder *b, SnGpuRowKernel *g, MlirValue row, MlirValue rows);
// Waits for the row that was fetched, of which this is given to g->resident.
void sn_gpu_fetched(SnBuilder *b, SnGpuRowKernel *g);

// grid_rows.c

MlirLogicalResult sn_gpu_grid_rows_check(const SnForm *f, const SnGpuRows *s);
// All rows, and what is reduced over them.
void sn_gpu_grid_rows(SnBuilder *b, SnGpuRowKernel *g, MlirValue rows);
// As sn_gpu_begin_resident, of this block's slice of a row.
void sn_gpu_begin_slice(SnBuilder *b, SnGpuRowKernel *g, MlirValue row, SnColumn *at, MlirValue *inside);

// Places in shared memory for so many pieces of each input that is copied in bulk: g->slots. What of a piece was
// fetched to a slot (i32) is known from here on.
void sn_gpu_begin_slots(SnBuilder *b, SnGpuRowKernel *g, int64_t slots);
void sn_gpu_take(SnBuilder *b, SnGpuRowKernel *g, MlirValue slot, SnColumn *at);

// shared.c

MlirLogicalResult sn_gpu_shared_check(const SnForm *f, const SnGpuRows *s);
void sn_gpu_begin_shared(SnBuilder *b, SnGpuRowKernel *g);
void sn_gpu_begin_shared_row(SnBuilder *b, SnGpuRowKernel *g, MlirValue row);
void sn_gpu_end_shared_row(SnBuilder *b, SnGpuRowKernel *g);
// A phase on all that a thread has of a row.
void sn_gpu_shared_columns(SnBuilder *b, SnGpuRowKernel *g, size_t phase, SnGpuPart *parts, size_t n);

// exchange.c

// Bytes behind those of sn_gpu_grid_scratch.
int64_t sn_gpu_exchange_scratch(SnGpuRowKernel *g, const SnGpuKernel *k);

// accumulate.c

void sn_gpu_split_accumulators(const SnForm *f, const SnGpuRows *s, SnGpuRowKernel *g);
// Sets what is carried to identities, and the rows of scratch memory that are added to.
void sn_gpu_begin_accumulators(SnBuilder *b, SnGpuRowKernel *g);
// The column accumulator that operand `yield` of the body's terminator feeds, or -1.
intptr_t sn_gpu_column_accumulator(const SnGpuRowKernel *g, intptr_t yield);
// Adds element x at a resident vector u, or at columns `at` of the row in memory.
void sn_gpu_accumulate_columns(SnBuilder *b, SnGpuRowKernel *g, size_t c, size_t u, SnColumn *at, MlirValue x);
// Adds a row's scalars that no thread added parts of.
void sn_gpu_accumulate_scalars(SnBuilder *b, SnGpuRowKernel *g);
// After all rows: over the block and the grid, and the finish.
void sn_gpu_finish(SnBuilder *b, SnGpuRowKernel *g);

#endif
