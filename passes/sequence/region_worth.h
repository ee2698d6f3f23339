// region_worth.h: whether kernels of a CPU had better share a parallel region, and those of a GPU a launch.

#ifndef SINTER_PASSES_SEQUENCE_REGION_WORTH_H
#define SINTER_PASSES_SEQUENCE_REGION_WORTH_H

#include "capi/sn.h"

// What forms of static sizes are thought to take as kernels by themselves, and what a shared region saves, in ns.
typedef struct {
  int64_t forms, takes, saves;
} SnSequenceWorth;
SnSequenceWorth sn_sequence_worth(const SnOpVec *ops);
// Two hundredths are saved, or more. Says so in a remark at the first of them, either way.
bool sn_sequence_is_worth(const SnOpVec *ops);

// On a GPU of so many multiprocessors: more is saved than lost; a remark, too. launch_worth.c.
bool sn_launch_is_worth(const SnOpVec *ops, int64_t processors);
// It loses more by sharing a launch than two launches cost.
bool sn_launch_alone(MlirOperation op, int64_t processors);

#endif
