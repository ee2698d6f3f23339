// launch.h: the host's part of a kernel; for gpu_kernel.c.

#ifndef SINTER_LOWERING_GPU_LAUNCH_H
#define SINTER_LOWERING_GPU_LAUNCH_H

#include "lowering/gpu/shell/kernel_arguments.h"

#define SN_GPU_MODULE "kernels" // of a program's kernels

// What the gpu.func is called.
const char *sn_gpu_kernel_name(MlirOperation func, const SnGpuBody *body);
// Of a block, those of all roles.
int64_t sn_gpu_block_threads(const SnGpuLaunch *launch);
// The call that launches the kernel, in front of the op.
void sn_gpu_launch(const SnGpuHost *host, MlirOperation op, const SnGpuBody *body,
                   const SnGpuArguments *arguments, int64_t shared_bytes);

#endif
