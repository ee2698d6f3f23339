// rowjoint.h: reductions of two phases of a row program that one loop can make, though the second depends on the first.

#ifndef SINTER_LOWERING_ROWJOINT_H
#define SINTER_LOWERING_ROWJOINT_H

#include "lowering/rows/rowprogram.h"

typedef struct {
  size_t phase;                // of the first
  MlirOperation first, second; // a maximum, and the sum of exponentials under it; or a sum, and one of squares
  MlirValue from;              // of squares: what the elements are taken from, which depends on the sum; else null
} SnRowJoint;

typedef struct {
  size_t n;
  SnRowJoint pairs[SN_MAX_REDUCTIONS];
} SnRowJoints;

// ---- finding them -----------------------------------------------------------------
//
// Each adds what it finds. Reductions have the type of their rows, of 32 bits or more.

// Each phase that is nothing but sums of exponentials under one maximum of the phase before, or of such exponentials
// times what is known without it. Nothing is kept for later phases but those exponentials.
void sn_row_join_phases(SnRowJoints *j, const SnRowProgram *p);
// A sum of exponentials for each of the first four maxima; what else their phases do stays there.
void sn_row_join_exponentials(SnRowJoints *j, const SnRowProgram *p);
// A sum of squares of what the elements of a sum differ from a number that depends on it; four pairs with those above.
void sn_row_join_squares(SnRowJoints *j, const SnRowProgram *p);

// ---- reading ----------------------------------------------------------------------

// A pair that has this reduction first, or second; NULL if none has.
const SnRowJoint *sn_row_joint_of_first(const SnRowJoints *j, MlirOperation reduce);
const SnRowJoint *sn_row_joint_of_second(const SnRowJoints *j, MlirOperation reduce);
static inline bool sn_row_joint_is_squares(const SnRowJoint *j) { return j && !sn_none(j->from); }
// A pair whose first reduction is of this phase; NULL if there is none.
const SnRowJoint *sn_row_joint_in(const SnRowJoints *j, size_t phase);
// How many values of each lane a phase combines for this reduction: none of a second one, two for exponentials, three
// for squares (with the number of elements), else one.
size_t sn_row_joint_values(const SnRowJoints *j, MlirOperation reduce);

#endif
