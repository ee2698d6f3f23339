// gpu_facts.h: what a rowwise form is like; for schedule/gpu_families.c.

#ifndef SINTER_PASSES_SCHEDULE_GPU_FACTS_H
#define SINTER_PASSES_SCHEDULE_GPU_FACTS_H

#include "lowering/facts/gpu_forms.h"
#include "target/chips.h"

typedef struct {
  const SnForm *form;
  const SnGpuChip *gpu;
  int64_t rows, length;   // SN_DYNAMIC where they are
  int64_t least;          // rows that there are, for all that is known, where their number is `?`
  int64_t lanes;          // of a vector of 16 bytes
  int64_t vector;         // the same where every row begins and ends with one; else less
  int64_t multiple;       // of what sizes `?` are multiples; 0: not known
  int64_t row_bytes;      // of a row of all inputs that are read anew for each row
  int64_t column_bytes;   // of sums of columns: one of the widest element
  size_t columns;         // accumulators that keep columns
  int64_t live;           // registers that an element takes from phase to phase
  bool remake;            // of what was read alone, because that is less than what is computed of it
  int64_t halves;         // or as many halves of what was read, all of which has 16 bits; 0: it does not
  int64_t packed; // or as many halves, of rows that stay as they are in memory (rows/packed.c); 0: they do not
  bool again, sums;       // an output waits for a reduction; something is reduced over rows
} SnGpuRowFacts;

SnGpuRowFacts sn_schedule_gpu_facts(const SnForm *form, const SnGpuChip *gpu);

#endif
