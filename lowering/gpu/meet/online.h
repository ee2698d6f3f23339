// online.h: a maximum and the sum of exponentials under it, in one phase.

#ifndef SINTER_LOWERING_GPU_ONLINE_H
#define SINTER_LOWERING_GPU_ONLINE_H

#include "lowering/gpu/math/gpu_math.h"
#include "lowering/gpu/meet/meet.h"
#include "lowering/rows/rowjoint.h"

// Says of each exponential whose argument is not positive that it is (`sinter.not_positive`, which math.c reads): an
// element under the maximum of its row, and the same less the logarithm of the sum of those exponentials.
void sn_gpu_mark_exponentials(const SnRowProgram *p);

// More elements, `top` the greatest of them: m is one value of the thread, s has its lanes; null: there were none
// before. Then a vector of them; and at the end s, one number, as a sum of exponentials under m. Until then it may be
// one under what m is rounded to.
typedef struct {
  MlirValue from; // what exponentials are taken from
  SnGpuPower power;
} SnGpuOnlineStep;
SnGpuOnlineStep sn_gpu_online_begin(SnBuilder *b, SnRowProgram *p, MlirOperation max, MlirValue top, MlirValue *m,
                                    MlirValue *s);
void sn_gpu_online_add(SnBuilder *b, const SnGpuOnlineStep *step, MlirValue x, MlirValue *s);
MlirValue sn_gpu_online_end(SnBuilder *b, MlirValue m, MlirValue s);

// squares.c: the same for a sum, and the sum of squares of what its elements differ from a number that depends on it.

// `count` more vectors, of lanes that are `inside` (null: all): each lane's sum, the sum of squares about the mean, and
// the number of its elements.
void sn_gpu_squares_step(SnBuilder *b, size_t count, const MlirValue *x, const MlirValue *inside, MlirValue *sum,
                         MlirValue *squares, MlirValue *number);
// What lanes have, in one value.
void sn_gpu_squares_lanes(SnBuilder *b, MlirValue *sum, MlirValue *squares, MlirValue *number);
// What squares about the mean of a set are about the mean of a larger one that it is part of. Of a sum and a number
// each.
MlirValue sn_gpu_squares_about(SnBuilder *b, MlirValue squares, const MlirValue *own, const MlirValue *all);
// The row's sum of squares about what the program takes them from, where it is known, from those about the mean.
MlirValue sn_gpu_squares_finish(SnBuilder *b, const SnRowJoints *o, MlirOperation sum, SnRowProgram *p,
                                MlirValue squares, const MlirValue *all);

#endif
