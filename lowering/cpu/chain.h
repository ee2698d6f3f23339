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
  MlirValue memory;             // [tasks * m][columns]
  MlirValue kernel, task;       // memrefs of that type without memory: their sizes are asked for
  MlirValue block;              // where row r of the form is row r - i0 of the task's memory; null outside of a block
} SnWindow;

typedef struct {
  SnKernel *of;
  MlirValue slots; // rows that all tasks have memory for
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

#endif
