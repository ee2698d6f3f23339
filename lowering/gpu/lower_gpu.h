// lower_gpu.h: what kernels are written by beside rows/; for lower_gpu.c.
//
// decides: which kernels a GPU module has, and how they become cubins.

#ifndef SINTER_LOWERING_GPU_LOWER_H
#define SINTER_LOWERING_GPU_LOWER_H

#include "capi/sn.h"

// steps_gpu.c: a sinter.steps in its kernel function -> a gpu.func and its launch; it is erased.
MlirLogicalResult sn_gpu_lower_steps(MlirOperation module, MlirOperation func, MlirOperation steps);

// narrow.c: a gpu.module of written kernels: an index has 32 bits where that is enough for all of them.
void sn_gpu_narrow(MlirOperation module);
#define SN_GPU_LAYOUT "dlti.dl_spec" // which says so, until the conversions are done

#endif
