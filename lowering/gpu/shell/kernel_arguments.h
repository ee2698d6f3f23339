// kernel_arguments.h: what the host passes to a kernel; for gpu_kernel.c and launch.c.

#ifndef SINTER_LOWERING_GPU_KERNEL_ARGUMENTS_H
#define SINTER_LOWERING_GPU_KERNEL_ARGUMENTS_H

#include "lowering/gpu/shell/shell.h"

typedef enum {
  SN_GPU_OPERAND,         // an operand of the op: a bare pointer
  SN_GPU_NUMBER,          // one that is a number of the host's: by value
  SN_GPU_SIZE,            // of one, that is `?`
  SN_GPU_ADDRESS,         // the operand's address as a number
  SN_GPU_SCRATCH,         // a piece of the caller's workspace
  SN_GPU_SCRATCH_ADDRESS, // its address as a number
  SN_GPU_TAG,             // of the launch
  SN_GPU_STATUS,          // the address of the status word
  SN_GPU_TENSOR_MAP,      // how copies see an operand: 128 bytes, by value
} SnGpuArgumentKind;

typedef struct {
  SnGpuArgumentKind kind;
  intptr_t operand, dim;
  const SnGpuTensorMap *map;
} SnGpuArgument;
typedef SN_VEC(SnGpuArgument) SnGpuArguments;

// Of the kernel that an op on memrefs becomes, in order. Free with sn_vec_free.
SnGpuArguments sn_gpu_arguments(MlirOperation op, const SnGpuBody *body);

// The kernel's operands, as the host has them.
intptr_t sn_gpu_num_operands(MlirOperation op, const SnGpuBody *body);
MlirType sn_gpu_operand_type(MlirOperation op, const SnGpuBody *body, intptr_t operand);

// On the device: an argument's type and attributes, and where the first one of a kind is; -1: there is none.
MlirType sn_gpu_argument_type(MlirOperation op, const SnGpuBody *body, const SnGpuArgument *a);
MlirAttribute sn_gpu_argument_attributes(MlirContext ctx, const SnGpuBody *body, const SnGpuArgument *a);
intptr_t sn_gpu_find_argument(const SnGpuArguments *list, SnGpuArgumentKind kind);
// Whether a bare pointer says all of a memref. With a size of 0 a stride counts as unknown, as with `?`.
bool sn_gpu_is_bare(MlirType memref);

// ---- numbers.c

// Whether a kernel function's argument is a number that all of its callers have.
bool sn_gpu_is_number(MlirValue operand);

// On the host, in front of the op in its kernel function: the place (a pointer) that holds the argument.
MlirValue sn_gpu_pass(SnBuilder *b, const SnGpuHost *host, MlirOperation op, const SnGpuBody *body,
                      const SnGpuArgument *a);
MlirValue sn_gpu_on_stack(SnBuilder *b, MlirType type, int64_t count);

#endif
