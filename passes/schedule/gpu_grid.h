// gpu_grid.h: rows that many blocks share; for schedule/gpu_families.c.

#ifndef SINTER_PASSES_SCHEDULE_GPU_GRID_H
#define SINTER_PASSES_SCHEDULE_GPU_GRID_H

#include "lowering/facts/gpu_forms.h"
#include "target/chips.h"

typedef struct {
  const SnForm *form;
  const SnGpuChip *gpu;
  int64_t rows, length;  // SN_DYNAMIC where they are
  int64_t lanes, vector; // of 16 bytes; the same where every row begins with one
  int64_t row_bytes;     // of a row of all inputs
  int64_t kept;          // elements that a thread of 96 registers keeps
  bool again;            // an output waits for a reduction
} SnGpuGridFacts;

typedef struct {
  int64_t group, blocks, vector, slots, unroll; // slots: 0 without `ahead`
  bool registers;
  bool less_again; // rows that are read again, many at a time, are there sooner
} SnGpuGridRows;

bool sn_schedule_gpu_grid(const SnGpuGridFacts *a, SnGpuGridRows *s);
MlirAttribute sn_schedule_gpu_grid_attr(MlirLocation loc, const SnGpuGridRows *s, bool remake);

#endif
