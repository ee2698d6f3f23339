// rowsteps.h: what the lowerings of sinter.steps share.
//
// A lowering decides who runs a row and its lanes: it copies the body for a row,
// on memory of its own choice, and turns each scf.parallel of the copy into loops.

#ifndef SINTER_LOWERING_ROWSTEPS_H
#define SINTER_LOWERING_ROWSTEPS_H

#include "dialect/steps.h"
#include "lowering/rows/rowprogram.h"

#ifdef __cplusplus
extern "C" {
#endif

// Size `i` of one of the memref.allocas, where the form's operands are `operands`: an index, a constant where that is
// known.
MlirValue sn_steps_scratch_size(SnBuilder *b, const SnSteps *s, const MlirValue *operands, MlirOperation alloca,
                                intptr_t i);

// Copies the body for one row, on these operands and this scratch memory. Gives what it yields, and the steps of the
// copy.
void sn_steps_copy(SnBuilder *b, const SnSteps *s, MlirValue row, const MlirValue *operands, const MlirValue *scratch,
                   MlirValue *yields, SnOpVec *steps);
// Stores what `finish` makes of the sums, or the sums.
void sn_steps_finish(SnBuilder *b, const SnSteps *s, MlirValue rows, const MlirValue *operands, const MlirValue *sums);

// The step as one loop in front of it that has the lanes `from`, `from + by`, ... and begins with `init`: gives what is
// combined. The step is empty then, and is to be replaced by sn_step_become.
void sn_step_loop(SnBuilder *b, const SnLanes *s, MlirValue from, MlirValue by, const MlirValue *init,
                  MlirValue *combined);
void sn_step_become(const SnLanes *s, const MlirValue *results);

#ifdef __cplusplus
}
#endif
#endif
