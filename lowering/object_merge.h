// object_merge.h: several objects as one.

#ifndef SINTER_LOWERING_OBJECT_MERGE_H
#define SINTER_LOWERING_OBJECT_MERGE_H

#include "llvm-c/Types.h"
#include <stddef.h>

// Whether objects of this machine can be merged.
#ifdef __ELF__
#define SN_OBJECTS_MERGE (sizeof(void *) == 8)
#else
#define SN_OBJECTS_MERGE 0
#endif

// One relocatable object of n, which LLVM made for the same target. What is hidden in one of them is seen by the
// others, and by nobody else. NULL if one has what is not known here; objects stay the caller's.
LLVMMemoryBufferRef sn_objects_merge(const LLVMMemoryBufferRef *objects, size_t n);

#endif
