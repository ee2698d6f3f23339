// serialise.h: LLVM's dialect to an object file, with the table of functions.
//
// decides: what is outlined as a kernel, and what a compiled library holds.

#ifndef SINTER_LOWERING_SERIALISE_H
#define SINTER_LOWERING_SERIALISE_H

#include "mlir-c/IR.h"
#include "llvm-c/Types.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnSerialise {
  const char *name; // the program's in C (names.h); NULL: nothing is called by name but sinter_library
  const char *cpu;  // LLVM's name of the processor; NULL: this machine's, with its features
  bool gpu;         // functions take tensors in the memory of a GPU
  bool parallel;    // the host may set threads: the library runs on the CPU
  // A file that is mapped for the large constants, by its path, from the library's folder where it is relative. NULL:
  // they are to come into the object (object_constants.h), or whoever loads it says where they are.
  const char *constants;
} SnSerialise;

// Makes an object of a module that holds LLVM's dialect only, as the roads end
// with. It defines the table of functions, and for each public function its exports in C
// (sn_check_c_names has been asked before); everything else in it is internal, and what it refers to
// is in runtime/runtime.h or in libm. Sets *object, which the caller disposes of with
// LLVMDisposeMemoryBuffer. On failure *object is NULL and the reason has been reported at the
// module.
MlirLogicalResult sn_serialise(MlirOperation module, const SnSerialise *options,
                               LLVMMemoryBufferRef *object);

#ifdef __cplusplus
}
#endif

#endif
