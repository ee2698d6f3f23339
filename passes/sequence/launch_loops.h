// launch_loops.h: which operations may share a launch, and loops of the host that may be loops of a launch.

#ifndef SINTER_PASSES_SEQUENCE_LAUNCH_LOOPS_H
#define SINTER_PASSES_SEQUENCE_LAUNCH_LOOPS_H

#include "dialect/sequence.h"

// All that the operation has and gives is tensors of known sizes, one or more of them given.
bool sn_is_static(MlirOperation op);
// A form or a sinter.steps on those.
bool sn_is_joinable_form(MlirOperation op);

// Makes of a loop what a sequence can hold, where its turns are that: constants are made in front of it, and what it
// puts into a slice of what it carries is stored there by the form that makes it. The program means the same.
void sn_loop_prepare(MlirOperation loop);
// A loop may be one of a sequence, if each of its forms may, and it begins no more kernels. Else why not is said when
// asked.
bool sn_loop_is_joinable(MlirOperation op, int64_t most, bool (*form)(MlirOperation op, const void *user),
                         const void *user);
// How many kernels it begins.
size_t sn_loop_kernels(MlirOperation loop);

#endif
