// cpu_row_lanes.h: which way a CPU's vectors lie in a rowwise form, and what of that cpu_rows.c reads.

#ifndef SINTER_PASSES_CPU_ROW_LANES_H
#define SINTER_PASSES_CPU_ROW_LANES_H

#include "passes/schedule/schedule.h"

#define SIMPLE 6       // less than its loads

// Lanes of a vector of rows, or 0 where columns are better.
int64_t sn_cpu_row_lanes(const SnForm *f, const SnScheduleOptions *options);
// Lanes of a vector of columns: fewer where only those lie together, as of images of 14 by 14 in the middle of a
// tensor.
int64_t sn_cpu_column_lanes(const SnForm *f, int64_t vector_bits);
// The line dimensions that a row's columns are walked by, the last ones; 0: they are counted through. How many columns
// such a line has.
int64_t sn_cpu_lines(const SnForm *f, const SnScheduleOptions *options);
int64_t sn_cpu_line_length(const SnForm *f, int64_t line);
// The columns of a window that are written out though they are more than 16; 0: they are not. Of a longer window of a
// known size the last dimensions, with up to so many columns. Neighbours of a window that share what they read, which
// stand one behind the other; 1: none.
int64_t sn_cpu_long_window(const SnForm *f);
int64_t sn_cpu_window_line(const SnForm *f);
int64_t sn_cpu_window_places(const SnForm *f);
// Elementwise work of one column; negative if lanes cannot be rows.
double sn_cpu_row_work(const SnForm *f);
// Loads or stores of one step of so many lanes along dimension d. In a window that is written out it is known of almost
// all steps that they are inside. `stepping`: the processor loads lanes that lie a few elements apart with all between.
double sn_cpu_row_accesses(const SnForm *f, intptr_t d, int64_t lanes, bool written_out, bool stepping);
// Neighbours in dimension d are neighbours in memory: 1; the same element: 0; else -1.
int sn_cpu_together(const SnAccess *a, intptr_t d);
// Elements along dimension d lie a few apart: masks load all of them. Whether the processor has such masks.
bool sn_cpu_steps(const SnForm *f, const SnAccess *a, intptr_t d, int64_t lanes);
bool sn_cpu_loads_steps(const SnScheduleOptions *options);

#endif
