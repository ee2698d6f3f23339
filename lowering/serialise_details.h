// serialise_details.h: a library's SinterLibraryDetails, for serialise.c.

#ifndef SINTER_LOWERING_SERIALISE_DETAILS_H
#define SINTER_LOWERING_SERIALISE_DETAILS_H

#include "capi/sn.h"
#include "llvm-c/Types.h"

// The constant, in the module to which the entries (llvm.func with sinter.function) were translated. `constants` is the
// pointer to large ones, or NULL.
LLVMValueRef sn_serialise_details(LLVMModuleRef llvm, const SnOpVec *entries, LLVMValueRef constants);

#endif
