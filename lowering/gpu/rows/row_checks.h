// row_checks.h: what cannot become a kernel; for rowwise_gpu.c.

#ifndef SINTER_LOWERING_GPU_ROW_CHECKS_H
#define SINTER_LOWERING_GPU_ROW_CHECKS_H

#include "lowering/facts/gpu_forms.h"

// An error, by name, at the op; else SN_OK.
MlirLogicalResult sn_gpu_check_rows(const SnForm *form, const SnGpuRows *schedule);

#endif
