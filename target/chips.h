// chips.h: what NVIDIA's architectures have, as far as schedules and targets depend on it.
//
// decides: what processors have: chips, and the instructions that multiply, with how they want operands packed.

#ifndef SINTER_TARGET_CHIPS_H
#define SINTER_TARGET_CHIPS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  int number;           // compute capability: 90 for sm_90 and sm_90a
  const char *product;  // whose figures these are
  const char *features; // of LLVM's target; empty: the oldest PTX version that has the chip
  int64_t multiprocessors;
  int64_t shared_bytes; // of a multiprocessor, for its blocks
  int64_t l2_bytes;
  int64_t largest_cluster; // of blocks; 1: it has no clusters
} SnGpuChip;

// The chip that ptxas calls `name` (sm_80, sm_90a, sm_120f). Of one that is newer than the table, or between two of
// its lines, the line before it. Null for what is no such name, and for those before sm_80: kernels copy into shared
// memory behind a thread's back, and round pairs of bf16.
const SnGpuChip *sn_gpu_chip(const char *name);

// The chip of this name has what is `needs`: a name, of which newer chips have all, or one with a letter, which is its
// own; "": nothing.
bool sn_gpu_chip_has(const char *name, const char *needs);

#define SN_GPU_FIRST_CHIP 80 // the compute capability that all have
#define SN_GPU_CHIP_DEFAULT "sm_90a"
// Bytes of a product below which the second cache has it (an H200's has 50 MB), and its tiles are few.
#define SN_GPU_STORED_DEFAULT "4194304"
#define SN_GPU_AGAIN_DEFAULT "2147483648"
// Bytes of products in f32 from which on rows that are multiplied again are multiplied in parts, and never stored.
#define SN_GPU_PARTS_FROM_DEFAULT "8388608"
// What gpu-module-to-binary makes of kernels, in its own words; offloading is LLVM's bitcode.
#define SN_GPU_FORMATS {"bin", "fatbin", "isa", "offloading", NULL}
#define SN_GPU_CHIP_ERROR "chip=%s: expected an architecture of NVIDIA's, sm_80 or newer, like " SN_GPU_CHIP_DEFAULT

#endif
