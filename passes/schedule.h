// schedule.h: one function for each form and target that says how a kernel runs.

#ifndef SINTER_PASSES_SCHEDULE_H
#define SINTER_PASSES_SCHEDULE_H

#include "passes/passes.h"

typedef struct {
  const char *target;   // "cpu" or "gpu"
  int64_t vector_bits;  // of the CPU's registers
} SnScheduleOptions;

// The schedule of a form, or null after a remark if the target has none for it.
MlirAttribute sn_schedule_cpu_rows(const SnForm *form, const SnScheduleOptions *options);
MlirAttribute sn_schedule_gpu_rows(const SnForm *form, const SnScheduleOptions *options);
MlirAttribute sn_schedule_brgemm(const SnForm *form, const SnScheduleOptions *options);
MlirAttribute sn_schedule_steps(MlirOperation steps, const SnScheduleOptions *options);

// Columns of one vector: as many of the widest elements that the body computes as fill a register, no
// more than the row has, a power of two.
int64_t sn_schedule_lanes(const SnForm *form, int64_t vector_bits);
// Vectors of one step of a column loop that reduces.
int64_t sn_schedule_unroll(const SnForm *form, int64_t lanes);

#endif
