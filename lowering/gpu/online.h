// online.h: a maximum and the sum of exponentials under it, in one phase.

#ifndef SINTER_LOWERING_GPU_ONLINE_H
#define SINTER_LOWERING_GPU_ONLINE_H

#include "lowering/gpu/gpu.h"

#define SN_GPU_ONLINE 4

typedef struct {
  size_t n;
  struct {
    MlirOperation max, sum, exp;
    MlirValue m, s; // of this thread, for the row at hand
  } pairs[SN_GPU_ONLINE];
} SnGpuOnline;

// The pairs of a row program.
// Says of each exponential whose argument is not positive that it is (`sinter.not_positive`, which math.c reads): an
// element under the maximum of its row, and the same less the logarithm of the sum of those exponentials.
void sn_gpu_mark_exponentials(const SnRowProgram *p);
void sn_gpu_online_find(SnGpuOnline *o, const SnRowProgram *p);
// The sum that goes with this maximum, and the maximum of this sum; null if not online.
MlirOperation sn_gpu_online_sum(const SnGpuOnline *o, MlirOperation max);
MlirOperation sn_gpu_online_max(const SnGpuOnline *o, MlirOperation sum);
// `count` more vectors: m is one value of the thread, s has its lanes.
void sn_gpu_online_step(SnBuilder *b, SnRowProgram *p, MlirOperation max, size_t count, const MlirValue *x, MlirValue *m, MlirValue *s);
// Keeps what a thread has, to be finished when the maximum of the row is known: then s is
// relative to that, and sums of threads add up.
void sn_gpu_online_keep(SnGpuOnline *o, MlirOperation max, MlirValue m, MlirValue s);
MlirValue sn_gpu_online_finish(SnBuilder *b, const SnGpuOnline *o, MlirOperation max, MlirValue row_max);

#endif
