// rowparts.h: parts of a value that several had, made one: lanes, vectors, tasks, threads, blocks.
//
// Who the parts are of, and how they get to each other, is the target's. What becomes of them is here.

#ifndef SINTER_LOWERING_ROWPARTS_H
#define SINTER_LOWERING_ROWPARTS_H

#include "lowering/rows/rowprogram.h"

// One value that each of several has a part of.
typedef struct {
  MlirType type;
  const SnCombiner *combiner; // or, if NULL:
  SnRowProgram *program;
  MlirOperation reduce; // a row_reduce with a combiner region
  size_t about; // 1 + which sum: a sum of squares about its mean; the next is the number of its elements; 0: nothing of
                // the kind
  size_t under; // 1 + which of the values that meet with it: a sum of exponentials under that maximum; 0: nothing of
                // the kind
} SnReduction;

// Of a row_reduce; of an accumulator of a form.
SnReduction sn_reduction_of(SnRowProgram *p, MlirOperation reduce);
SnReduction sn_reduction_of_accumulator(const SnForm *f, size_t k);

// The identity on so many lanes; two parts, or vectors of them, as one.
MlirValue sn_reduction_identity(SnBuilder *b, const SnReduction *r, int64_t width);
MlirValue sn_reduction_combine(SnBuilder *b, const SnReduction *r, MlirValue acc, MlirValue x);
// The lanes of a vector, by halves: a fixed order for every combiner.
MlirValue sn_reduction_lanes(SnBuilder *b, const SnReduction *r, MlirValue vector);
// memref[from] . memref[from + 1] . ... up to `to`, or memref[i, column]; the identity where there are none. Elements
// are of scratch memory.
MlirValue sn_reduction_in_memory(SnBuilder *b, const SnReduction *r, MlirValue memref, MlirValue from, MlirValue to,
                                 const MlirValue *column);

// How a target moves a part of a value that depends on another to the value that all have: a sum of exponentials under
// `own` to `common`, the greater; squares about the mean of `own` to that of `common`, a sum and a number each. `last`:
// all that share the row have met then.
typedef struct {
  MlirValue (*under)(SnBuilder *b, MlirValue x, MlirValue own, MlirValue common, bool last);
  MlirValue (*about)(SnBuilder *b, MlirValue x, const MlirValue *own, const MlirValue *common);
} SnReductionMoves;
// Part x of value i, where `own` are the parts of its own place and `common` what all places have of the values that
// it depends on. As it is where it depends on none.
MlirValue sn_reduction_moved(SnBuilder *b, const SnReductionMoves *moves, const SnReduction *r, MlirValue x,
                             const MlirValue *own, const MlirValue *common, bool last);
// `count` parts of n values, in order: value i of part p is parts[p * n + i].
void sn_reduction_parts(SnBuilder *b, const SnReductionMoves *moves, size_t n, const SnReduction *reductions,
                        size_t count, const MlirValue *parts, MlirValue *values, bool last);

#endif
