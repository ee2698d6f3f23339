// steps.h: what the lowerings of sinter.steps share.
//
// A lowering decides who runs a row and its lanes: it copies the body for a row,
// on memory of its own choice, and turns each scf.parallel of the copy into loops.

#ifndef SINTER_LOWERING_STEPS_H
#define SINTER_LOWERING_STEPS_H

#include "lowering/rows/rowprogram.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  MlirOperation op;
  intptr_t rows;                    // the dimension of input 0 that they are
  intptr_t inputs, outputs, values; // operands, in this order
  MlirBlock body, finish;           // finish is null where there is none
  MlirAttribute schedule;
} SnSteps;

bool sn_is_steps(MlirOperation op);
SnSteps sn_steps_read(MlirOperation op);
static inline MlirValue sn_steps_value(const SnSteps *s, intptr_t k) {
  return sn_operand(s->op, s->inputs + s->outputs + k);
}
// What the body yields for it is summed over rows; else it has an element for each row.
bool sn_steps_is_sum(const SnSteps *s, intptr_t k);
intptr_t sn_steps_sums(const SnSteps *s);
// The memref.allocas of the body, in order. Free with sn_vec_free.
SnOpVec sn_steps_scratch(const SnSteps *s);
// Size `i` of one of them, where the form's operands are `operands`: an index, a constant where that is known.
MlirValue sn_steps_scratch_size(SnBuilder *b, const SnSteps *s, const MlirValue *operands, MlirOperation alloca,
                                intptr_t i);

// Copies the body for one row, on these operands and this scratch memory. Gives what it yields, and the steps of the
// copy.
void sn_steps_copy(SnBuilder *b, const SnSteps *s, MlirValue row, const MlirValue *operands, const MlirValue *scratch,
                   MlirValue *yields, SnOpVec *steps);
// Stores what `finish` makes of the sums, or the sums.
void sn_steps_finish(SnBuilder *b, const SnSteps *s, MlirValue rows, const MlirValue *operands, const MlirValue *sums);

// A step's operands: lanes from .. to by `by`, and what its combinations begin with.
typedef struct {
  MlirOperation op, reduce; // scf.parallel, and the scf.reduce that ends it
  MlirValue from, to, by;
  intptr_t n;
} SnLanes;
SnLanes sn_step_read(MlirOperation parallel);
static inline MlirValue sn_step_init(const SnLanes *s, intptr_t k) { return sn_operand(s->op, 3 + k); }
// The combiner of combination k, NULL if it is none that has a name.
const SnCombiner *sn_step_combiner(const SnLanes *s, intptr_t k);
// The step as one loop in front of it that has the lanes `from`, `from + by`, ... and begins with `init`: gives what is
// combined. The step is empty then, and is to be replaced by sn_step_become.
void sn_step_loop(SnBuilder *b, const SnLanes *s, MlirValue from, MlirValue by, const MlirValue *init,
                  MlirValue *combined);
void sn_step_become(const SnLanes *s, const MlirValue *results);

#ifdef __cplusplus
}
#endif
#endif
