// serialise_code.h: modules of LLVM's to one object, side by side.

#ifndef SINTER_LOWERING_SERIALISE_CODE_H
#define SINTER_LOWERING_SERIALISE_CODE_H

#include "llvm-c/TargetMachine.h"
#include "llvm-c/Types.h"
#include <stdbool.h>
#include <stddef.h>

// A module with all that LLVM needs to work on it, and nothing that another has.
typedef struct {
  LLVMContextRef ctx;
  LLVMModuleRef llvm; // NULL until it is translated
  LLVMTargetMachineRef machine;
  LLVMMemoryBufferRef object;
  bool plain;  // no function of it is optimised: nor is its machine code
  char *error; // the first that LLVM told; NULL: none
} SnCode;

// Where it is: LLVM keeps it.
void sn_code_begin(SnCode *code);
void sn_code_end(SnCode *code);
// The error is "what: why", unless there is one.
void sn_code_fail(SnCode *code, const char *what, const char *why);

// The processor to compile for by LLVM's name; NULL: this one, with its features. Reads code->plain. False: code->error
// says why.
bool sn_code_target(SnCode *code, const char *cpu);

// At most so many modules.
enum { SN_MOST_CODES = 16 };

// Optimises each module, calls `finish` for the first, and makes machine code of all: on a thread for each processor
// that this process may use, or fewer where the system has no more. Their object, which does not depend on that, or
// NULL: some code->error says why.
LLVMMemoryBufferRef sn_code_object(SnCode *codes, size_t n, void (*finish)(void *user), void *user);

#endif
