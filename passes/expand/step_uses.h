// step_uses.h: uses of definitions in steps, and their gradients.

#ifndef SINTER_PASSES_EXPAND_STEPS_H
#define SINTER_PASSES_EXPAND_STEPS_H

#include "capi/pass.h"
#include "dialect/use_steps.h"

// For sinter-expand. Whether the use means a definition in steps, and that use as a sinter.steps.
bool sn_is_steps_use(MlirOperation use);
MlirLogicalResult sn_expand_steps(MlirOperation use);

// For sinter-differentiate. Whether a sinter.steps has a gradient with respect to this operand.
bool sn_steps_has_gradient(MlirOperation steps, intptr_t operand);
// A new one of `steps` at a place behind it or in front of it, with two results: the gradient with respect to that
// operand, and what `steps` gives. `upstream` is the gradient of what is differentiated with respect to the result of
// `steps`, of its shape; null: ones.
MlirOperation sn_steps_gradient(SnBuilder at, MlirOperation steps, MlirValue upstream);

#endif
