// references.c: what LLVM's optimiser sees behind each function, counted.
//
// Its graph of calls follows a function's constants, and what globals begin with, to the functions that are named
// there; each pass on a function does that again. A table of all functions that every function names would make it
// quadratic. Linked into test-counting-cc, where the linker takes LLVMRunPasses by its name's __wrap_.
//
// test: test/limits/growth.test

#include "capi/sn.h"
#include "llvm-c/Core.h"
#include "llvm-c/Transforms/PassBuilder.h"
#include <stdio.h>

typedef SN_VEC(LLVMValueRef) Values;

// Each constant once; functions are not entered.
static void see(Values *seen, SnTable *known, LLVMValueRef user) {
  for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(user); ++k) {
    LLVMValueRef v = LLVMGetOperand(user, k);
    if (!v || !LLVMIsAConstant(v) || sn_table_has(known, v))
      continue;
    sn_table_put(known, v, 1);
    sn_push(seen, v);
  }
}

static size_t references(LLVMValueRef function) {
  Values seen = {0};
  SnTable known = {0};
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
      see(&seen, &known, i);
  for (size_t k = 0; k < seen.size; ++k) // grows while it is read
    if (!LLVMIsAFunction(seen.data[k]))
      see(&seen, &known, seen.data[k]);
  size_t n = seen.size;
  sn_vec_free(&seen);
  sn_table_free(&known);
  return n;
}

LLVMErrorRef __real_LLVMRunPasses(LLVMModuleRef, const char *, LLVMTargetMachineRef, LLVMPassBuilderOptionsRef);
LLVMErrorRef __wrap_LLVMRunPasses(LLVMModuleRef, const char *, LLVMTargetMachineRef, LLVMPassBuilderOptionsRef);

LLVMErrorRef __wrap_LLVMRunPasses(LLVMModuleRef module, const char *passes, LLVMTargetMachineRef machine,
                                  LLVMPassBuilderOptionsRef options) {
  size_t all = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    all += references(f);
  fprintf(stderr, "%zu references\n", all);
  return __real_LLVMRunPasses(module, passes, machine, options);
}
