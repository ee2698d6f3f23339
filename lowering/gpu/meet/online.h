// online.h: a maximum and the sum of exponentials under it, in one phase.

#ifndef SINTER_LOWERING_GPU_ONLINE_H
#define SINTER_LOWERING_GPU_ONLINE_H

#include "lowering/gpu/math/gpu_math.h"
#include "lowering/gpu/meet/meet.h"
#include "lowering/rows/rowjoint.h"

// The pairs of a row program (lowering/rows/rowjoint.h).
typedef SnRowJoints SnGpuOnline;

// Says of each exponential whose argument is not positive that it is (`sinter.not_positive`, which math.c reads): an
// element under the maximum of its row, and the same less the logarithm of the sum of those exponentials.
void sn_gpu_mark_exponentials(const SnRowProgram *p);
static inline void sn_gpu_online_find(SnGpuOnline *o, const SnRowProgram *p) { sn_row_join_exponentials(o, p); }
// The sum that goes with this maximum, and the maximum of this sum; null if not online.
static inline MlirOperation sn_gpu_online_sum(const SnGpuOnline *o, MlirOperation max) {
  const SnRowJoint *j = sn_row_joint_of_first(o, max);
  return j ? j->second : (MlirOperation){0};
}
static inline MlirOperation sn_gpu_online_max(const SnGpuOnline *o, MlirOperation sum) {
  const SnRowJoint *j = sn_row_joint_of_second(o, sum);
  return j ? j->first : (MlirOperation){0};
}
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
// What a sum of exponentials under `own` is multiplied by to be one under `common`, the greater. `last`: that is the
// row's maximum.
MlirValue sn_gpu_online_scale(SnBuilder *b, MlirValue own, MlirValue common, bool last);

// squares.c: the same for a sum, and the sum of squares of what its elements differ from a number that depends on it.

static inline void sn_gpu_squares_find(SnGpuOnline *o, const SnRowProgram *p) { sn_row_join_squares(o, p); }
static inline bool sn_gpu_is_squares(const SnGpuOnline *o, MlirOperation sum) {
  return sn_row_joint_is_squares(sn_row_joint_of_first(o, sum));
}
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
MlirValue sn_gpu_squares_finish(SnBuilder *b, const SnGpuOnline *o, MlirOperation sum, SnRowProgram *p,
                                MlirValue squares, const MlirValue *all);

#endif
