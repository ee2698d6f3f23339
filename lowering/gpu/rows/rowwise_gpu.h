// rowwise_gpu.h: rowwise forms on a GPU; for lower_gpu.c.
//
// decides: how a scheduled rowwise form is written for a GPU, family by family.

#ifndef SINTER_LOWERING_GPU_ROWWISE_H
#define SINTER_LOWERING_GPU_ROWWISE_H

#include "lowering/gpu/shell/shell.h"

// A rowwise form on memrefs in its kernel function: `take` is given what writes the kernel.
MlirLogicalResult sn_gpu_lower_rows(MlirOperation form, SnGpuTakeBody take, void *taker);

#endif
