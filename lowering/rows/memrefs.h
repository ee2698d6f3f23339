// memrefs.h: memory at any address, as a memref.

#ifndef SINTER_LOWERING_MEMREFS_H
#define SINTER_LOWERING_MEMREFS_H

#include "capi/sn.h"

// A contiguous memref at this address (an !llvm.ptr), as upstream's conversion to LLVM's dialect has one; its sizes
// that are `?` in order.
MlirValue sn_memref_at(SnBuilder *b, MlirValue pointer, MlirType type, const MlirValue *sizes);
// The same where an index has so many bits, and all sizes are known.
MlirValue sn_narrow_memref_at(SnBuilder *b, MlirValue pointer, MlirType type, unsigned bits);
// The address that a memref was made of, by one of these; null: it is none of them.
MlirValue sn_memref_address(MlirValue memref);

#endif
