// rowjoint.h: two reductions of a row program, the second of which depends on the first, that one loop can make.

#ifndef SINTER_LOWERING_ROWJOINT_H
#define SINTER_LOWERING_ROWJOINT_H

#include "lowering/rows/rowprogram.h"

#define SN_ROW_JOINTS 4

typedef struct {
  MlirOperation first, second; // a maximum, and the sum of exponentials under it; or a sum, and one of squares
  MlirValue from;              // of squares: what the elements are taken from, which depends on the sum; else null
} SnRowJoint;

typedef struct {
  size_t n;
  SnRowJoint pairs[SN_ROW_JOINTS];
} SnRowJoints;

// Adds each maximum with a sum of exponentials under it, of one type of 32 bits or more.
void sn_row_find_exponentials(SnRowJoints *j, const SnRowProgram *p);
// Adds each sum with a sum of squares of what its elements differ from a number that depends on it.
void sn_row_find_squares(SnRowJoints *j, const SnRowProgram *p);

// The pair that has this reduction first, or second; NULL if none has.
const SnRowJoint *sn_row_joint_of_first(const SnRowJoints *j, MlirOperation reduce);
const SnRowJoint *sn_row_joint_of_second(const SnRowJoints *j, MlirOperation reduce);
static inline bool sn_row_joint_is_squares(const SnRowJoint *j) { return j && !sn_none(j->from); }
// How many values of each lane a phase combines for this reduction: none of a second one, two for exponentials, three
// for squares (with the number of elements), else one.
size_t sn_row_joint_values(const SnRowJoints *j, MlirOperation reduce);

#endif
