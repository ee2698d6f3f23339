// chain.h: what the files of chains share: rows that go through several products in one kernel.

#ifndef SINTER_LOWERING_CPU_CHAIN_H
#define SINTER_LOWERING_CPU_CHAIN_H

#include "lowering/cpu/contract.h"
#include "passes/split/split.h"

// ---- values that cross from segment to segment: chain_windows.c -----------------------

// A number or a row for each row of the form, of which memory holds the rows of a task's block.
typedef struct {
  MlirType type;                // a memref of all rows of the form
  int64_t dims[SN_MAX_DIMS], n; // of the form that it has: rows, then columns
  bool streamed;                // a row that is multiplied as it is made: memory is for a block of its columns
  MlirValue memory;             // [tasks * m][columns]
  MlirValue kernel, task;       // memrefs of that type without memory: their sizes are asked for
  MlirValue block;              // where row r of the form is row r - i0 of the task's memory; null outside of a block
} SnWindow;

typedef struct {
  SnKernel *of;
  MlirValue slots; // rows that all tasks have memory for
  bool stream;     // rows of the first group of columns are streamed
  SN_VEC(SnWindow) all;
} SnWindows;

// SnCrossing's `place`; `user` is the SnWindows.
MlirValue sn_cpu_window_place(SnBuilder *b, const SnForm *f, MlirType element, const int64_t *dims, intptr_t n,
                              bool total, void *user);
// In a task, `f` being the form there: what forms of the task take for windows.
void sn_cpu_windows_in_task(SnWindows *windows, const SnForm *f, SnTask *t);
// At a block whose first row is row `row` of the form and `slot` of all tasks' memory.
void sn_cpu_windows_at_block(SnWindows *windows, const SnForm *f, SnTask *t, MlirValue row, MlirValue slot);
// The operands of a form of the task that are windows, at the block.
void sn_cpu_windows_set(const SnWindows *windows, SnForm *f);
// The window that an operand is, outside of blocks; NULL if it is none.
SnWindow *sn_cpu_window_of(const SnWindows *windows, MlirValue operand);

// ---- segments --------------------------------------------------------------------------

// A plain form.
typedef struct {
  SnForm form, f; // on memrefs of the kernel, and of the task
  Product *products;
  int64_t n;
  bool whole_rows; // c holds rows in whole blocks of n, not only n columns of them
  SnPartials partials;
  intptr_t accumulators; // scalars that blocks hand on
  SnValueVec state;      // of a streamed one: [tasks * m], for each reduction of its first two phases, in the task
} Segment;

typedef struct {
  Contract c;
  int64_t stream;      // columns of a block of the first segment's rows; 0: they are whole
  bool ends_early;     // and nothing is asked of such a row beyond `end`
  bool begins_late;    // nor below `begin`
  SnCpuEnd end, begin;
  // What is left out counts after all in rows whose references are not above this; 0: it never does. Of columns that an
  // input has them of, where it has a value; else rows' own.
  double above;
  SnAccess under;
  SnWindows windows;
  SN_VEC(Segment) segments;
  SnOpVec ends; // forms that finish what several segments reduce
} Chain;

// Where row r of a block stands, for the row program: dimensions, and products in c from column `offset` on.
void sn_cpu_segment_row(Contract *c, const Segment *s, SnCpuRow *row, MlirValue r, MlirValue offset);
MlirValue sn_cpu_task_memory(Contract *c, MlirType type, int64_t rows, MlirValue columns);

// Blocks of rows, and their shares: of the kernel, and again inside of a task.
void sn_cpu_count_blocks(Contract *c, SnBuilder *b, const SnForm *f);
// The rows of block `block` of those of all batch indices, and its batch indices.
void sn_cpu_block_rows(Contract *c, const SnForm *f, MlirValue block);
// The segment's form and its memory, as the task has them.
void sn_cpu_segment_in_task(Chain *chain, Segment *s);
// Panels of a block's rows, of the product that has the most.
int64_t sn_cpu_most_panels(const Contract *c, const Segment *s);

// ---- what can be lowered: chain_checks.c ---------------------------------------------------

// An error at the form, where its schedule says what its products cannot be.
MlirLogicalResult sn_cpu_check_chain(const Chain *chain);

// ---- what is copied once for all tasks: chain_shared.c -----------------------------------

// Rows of all blocks, by tasks of their own: one for each panel of a block.
void sn_cpu_share_rows(Chain *chain, const SnForm *form);
// All weights that are not read where they lie.
void sn_cpu_share_weights(Chain *chain, const SnForm *form);

// ---- which columns rows ask for: chain_columns.c ------------------------------------------

typedef struct {
  MlirValue from, to;
} SnColumns;

// The columns that something is asked of in the block's rows, in whole blocks of columns.
SnColumns sn_cpu_columns_of_stream(Chain *chain, MlirValue columns);
// Of a block's columns those that a mask leaves for the strip's rows, some at least.
SnColumns sn_cpu_columns_of_strip(Chain *chain, SnColumns columns);
// i1: masks leave all of these columns for each row of the strip. Null: there are no masks, or nobody knows.
MlirValue sn_cpu_no_mask_cuts(Chain *chain, SnColumns columns);

// ---- rows a block of columns at a time: chain_stream.c ----------------------------------

// Takes factors that are known at a row's end from rows that are multiplied again to what they give, and keeps sums of
// exponentials in range. The kernel's form may be another then.
void sn_cpu_stream_factors(SnKernel *k);
// Memory of tasks, once that of the segments is there.
void sn_cpu_stream_begin(Chain *chain);
void sn_cpu_stream_in_task(Chain *chain);
// Its block, with the products that take its rows.
void sn_cpu_stream(Chain *chain, MlirValue *scalars);

#endif
