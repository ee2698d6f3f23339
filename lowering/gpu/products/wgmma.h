// wgmma.h: what a warpgroup multiplies, in shared memory and registers, and the copies that bring it there.
//
// Lines are 128 bytes, swizzled. A side along its sum has one line for each row or column, 32 bytes further for the
// next step of the instruction; another one has pieces of 64 rows or columns, one line for each element of the sum.

#ifndef SINTER_LOWERING_GPU_WGMMA_H
#define SINTER_LOWERING_GPU_WGMMA_H

#include "lowering/facts/gpu_tensor_maps.h"
#include "lowering/gpu/shell/shell.h"

enum { SN_WGMMA_PIECE = 64 * 128 }; // bytes of 64 lines

// Of lines from this address (i32) on: whether they are along the sum says what is between them. i32, the low word: the
// high one is the same for all. And so many bytes further.
MlirValue sn_wgmma_descriptor(SnBuilder *b, MlirValue address, bool along_sum);
MlirValue sn_wgmma_further(SnBuilder *b, MlirValue descriptor, int64_t bytes);
// The sums of 64 rows by n columns that a thread has: a struct of n / 2.
MlirType sn_wgmma_sums(SnBuilder *b, MlirType sum, int64_t n);
// One instruction: sums + a . b, or, `fresh`, a . b.
MlirValue sn_wgmma(SnBuilder *b, const SnMicroKernel *line, int64_t n, MlirValue sums, MlirValue a, bool a_along_sum,
                   MlirValue y, bool b_along_sum, bool fresh);
// So many at once whose a is in registers: four words for each step, as sums of two columns by two rows are packed.
// values[n / 2] of f32: the sums before, NULL: none. The result is a struct.
MlirValue sn_wgmma_of_registers(SnBuilder *b, const SnMicroKernel *line, int64_t n, int64_t steps,
                                const MlirValue *words, const MlirValue *descriptors, bool b_along_sum,
                                const MlirValue *values);
void sn_wgmma_fence(SnBuilder *b);
void sn_wgmma_commit(SnBuilder *b);
// Until all but the last `left` committed groups are done.
void sn_wgmma_await(SnBuilder *b, int64_t left);
// Numbers of one type that wgmma is to read from registers are there: nothing that makes them may move below it. In
// front of the fence.
void sn_wgmma_pin_values(SnBuilder *b, int64_t n, MlirValue *values);
// to[n]: the registers of a struct of sums behind the wait: nothing that reads them may move above it.
void sn_wgmma_pin(SnBuilder *b, MlirValue sums, MlirType of_sum, int64_t n, MlirValue *to);
// Registers that a thread of the warpgroup has from here on; action: "increase" or "decrease".
void sn_wgmma_registers(SnBuilder *b, const char *action, int64_t count);
// An i32 that is the same in all lanes, known to be.
MlirValue sn_wgmma_same_in_warp(SnBuilder *b, MlirValue i32);
// By one thread: the box of the side from `outer` on, and from `sum` on of the sum, at `dims` of the form; map:
// !llvm.ptr; to: an address of shared memory; full: an mbarrier.
// `blocks`: of the cluster, a bit each (i16), that get it where it is in this one; none: this block.
void sn_wgmma_copy_box(SnBuilder *b, const SnGpuSideMap *side, MlirValue map, const SnAccess *access,
                       const MlirValue *dims, MlirValue to, MlirValue outer, MlirValue sum, MlirValue full,
                       MlirValue blocks);
// The same where these i32 say where the copy begins in each dimension of the map, the fastest first; behind[i]: of
// windows, how far dimension i + 1 is behind that for all points (i16).
void sn_wgmma_copy_at(SnBuilder *b, const SnGpuSideMap *side, MlirValue map, const MlirValue *at,
                      const MlirValue *behind, MlirValue to, MlirValue full, MlirValue blocks);

#endif
