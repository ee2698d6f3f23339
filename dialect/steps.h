// steps.h: a sinter.steps read into plain C. What its body becomes is lowering/rows/rowsteps.h.

#ifndef SINTER_DIALECT_STEPS_H
#define SINTER_DIALECT_STEPS_H

#include "capi/form.h"

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

#ifdef __cplusplus
}
#endif
#endif
