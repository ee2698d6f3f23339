// lower_gpu.h: what kernels are written by beside rows/; for lower_gpu.c.
//
// decides: which kernels a GPU module has, and how they become cubins.

#ifndef SINTER_LOWERING_GPU_LOWER_H
#define SINTER_LOWERING_GPU_LOWER_H

#include "lowering/gpu/shell/shell.h"

// Any form on memrefs, or a sinter.steps: `take` is given what writes its kernel, which lives as long as it runs.
MlirLogicalResult sn_gpu_lower_form(MlirOperation form, SnGpuTakeBody take, void *taker);
// steps_gpu.c: the same of a sinter.steps.
MlirLogicalResult sn_gpu_lower_steps(MlirOperation steps, SnGpuTakeBody take, void *taker);
// sequence/sequence_gpu.c: a sinter.sequence on memrefs.
MlirLogicalResult sn_gpu_lower_sequence(MlirOperation sequence, SnGpuTakeBody take, void *taker);

// narrow.c: a gpu.module of written kernels: an index has 32 bits where that is enough for all of them.
void sn_gpu_narrow(MlirOperation module);
#define SN_GPU_LAYOUT "dlti.dl_spec" // which says so, until the conversions are done

#endif
