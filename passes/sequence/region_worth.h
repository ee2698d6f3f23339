// region_worth.h: whether kernels of a CPU had better share a parallel region.

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

#endif
