// serialise_code.c: modules of LLVM's to one object, side by side.
//
// Each module is optimised and becomes machine code on one thread, in a context of its own, so that threads share
// nothing; then their objects are merged. Which modules there are does not depend on the threads, so neither does what
// comes out.
//
// test: test/tools/parts.test

#include "lowering/serialise_code.h"
#include "capi/shim.h"
#include "capi/sn.h"
#include "lowering/object_merge.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/Core.h"
#include "llvm-c/Error.h"
#include "llvm-c/Target.h"
#include "llvm-c/Transforms/PassBuilder.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

// Without a handler LLVM prints what its code generator refuses, and ends the process.
static void report_diagnostic(LLVMDiagnosticInfoRef diagnostic, void *user) {
  if (LLVMGetDiagInfoSeverity(diagnostic) != LLVMDSError)
    return;
  char *text = LLVMGetDiagInfoDescription(diagnostic);
  sn_code_fail(user, "LLVM", text);
  LLVMDisposeMessage(text);
}

void sn_code_begin(SnCode *code) {
  *code = (SnCode){.ctx = LLVMContextCreate()};
  LLVMContextSetDiagnosticHandler(code->ctx, report_diagnostic, code);
}

void sn_code_end(SnCode *code) {
  if (code->machine)
    LLVMDisposeTargetMachine(code->machine);
  if (code->llvm)
    LLVMDisposeModule(code->llvm);
  if (code->object)
    LLVMDisposeMemoryBuffer(code->object);
  LLVMContextDispose(code->ctx);
  free(code->error);
}

// Once: code may be there twice.
void sn_code_fail(SnCode *code, const char *what, const char *why) {
  if (code->error)
    return;
  size_t size = strlen(what) + strlen(why) + 3;
  code->error = sn_alloc(size);
  snprintf(code->error, size, "%s: %s", what, why);
}

// ---- the target --------------------------------------------------------------------

static bool is_x86(const char *triple) {
  return !strncmp(triple, "x86_64", 6) || !strncmp(triple, "i686", 4);
}

// "+avx512f,..." of this machine, or of the processor that was named. Debian's CPU
// models prefer 256 bits where 512 are there: the schedules count on 512.
static char *features_for(const char *cpu, const char *triple) {
  char *host = cpu ? NULL : LLVMGetHostCPUFeatures();
  const char *wide = is_x86(triple) ? "-prefer-256-bit" : "";
  size_t size = (host ? strlen(host) : 0) + strlen(wide) + 2;
  char *features = sn_alloc(size);
  snprintf(features, size, "%s%s%s", host ? host : "", host && *host && *wide ? "," : "", wide);
  LLVMDisposeMessage(host);
  return features;
}

bool sn_code_target(SnCode *code, const char *named) {
  if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter() || LLVMInitializeNativeAsmParser()) {
    sn_code_fail(code, "LLVM has no code generator", "for this machine");
    return false;
  }
  char *triple = LLVMGetDefaultTargetTriple(), *why = NULL;
  LLVMTargetRef target;
  if (LLVMGetTargetFromTriple(triple, &target, &why)) {
    sn_code_fail(code, triple, why);
    LLVMDisposeMessage(why);
  } else {
    char *host = LLVMGetHostCPUName(), *features = features_for(named, triple);
    const char *cpu = named ? named : host;
    LLVMCodeGenOptLevel level = code->plain ? LLVMCodeGenLevelNone : LLVMCodeGenLevelAggressive;
    code->machine =
        LLVMCreateTargetMachine(target, triple, cpu, features, level, LLVMRelocPIC, LLVMCodeModelDefault);
    if (!code->machine)
      sn_code_fail(code, "LLVM cannot generate code for the processor", cpu);
    LLVMDisposeMessage(host);
    free(features);
  }
  if (code->machine) {
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(code->machine);
    LLVMSetModuleDataLayout(code->llvm, layout);
    LLVMSetTarget(code->llvm, triple);
    LLVMDisposeTargetData(layout);
  }
  LLVMDisposeMessage(triple);
  return code->machine != NULL;
}

// ---- a module ----------------------------------------------------------------------

static bool optimise(SnCode *code) {
  char *why = NULL;
  bool broken = LLVMVerifyModule(code->llvm, LLVMReturnStatusAction, &why);
  if (broken)
    sn_code_fail(code, "LLVM's verifier", why);
  LLVMDisposeMessage(why);
  if (broken || code->plain)
    return !broken;
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMPassBuilderOptionsSetLoopVectorization(options, true);
  LLVMPassBuilderOptionsSetSLPVectorization(options, true);
  LLVMPassBuilderOptionsSetLoopInterleaving(options, true);
  LLVMPassBuilderOptionsSetLoopUnrolling(options, true);
  LLVMErrorRef error = LLVMRunPasses(code->llvm, "default<O3>", code->machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (error) {
    char *text = LLVMGetErrorMessage(error);
    sn_code_fail(code, "LLVM's optimiser", text);
    LLVMDisposeErrorMessage(text);
  }
  return !code->error;
}

// LLVM for x86 has no store past the caches for vectors of a half type, and stores them like others; of integers it
// has, as wide as a register. An empty piece of assembly hides the cast, which it would undo.
static void stream_as_integers(const SnCode *code, LLVMValueRef store, unsigned widest) {
  LLVMValueRef x = LLVMGetOperand(store, 0),
               streamed = LLVMGetMetadata(store, LLVMGetMDKindIDInContext(code->ctx, "nontemporal", 11)), lane[64];
  LLVMTypeRef t = LLVMTypeOf(x);
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t);
  if (LLVMGetTypeKind(t) != LLVMVectorTypeKind || (kind != LLVMBFloatTypeKind && kind != LLVMHalfTypeKind) || !streamed)
    return;
  LLVMTypeRef i16 = LLVMInt16TypeInContext(code->ctx), i32 = LLVMInt32TypeInContext(code->ctx),
              i64 = LLVMInt64TypeInContext(code->ctx);
  unsigned all = LLVMGetVectorSize(t), n = all < widest ? all : widest;
  LLVMTypeRef part = LLVMVectorType(i16, n), same = LLVMFunctionType(part, &part, 1, false);
  LLVMValueRef hide = LLVMGetInlineAsm(same, "", 0, "=v,0", 4, false, false, LLVMInlineAsmDialectATT, false);
  LLVMBuilderRef b = LLVMCreateBuilderInContext(code->ctx);
  LLVMPositionBuilderBefore(b, store);
  for (unsigned at = 0; at < all; at += n) {
    for (unsigned l = 0; l < n; ++l)
      lane[l] = LLVMConstInt(i32, at + l, false);
    LLVMValueRef y =
        LLVMBuildBitCast(b, LLVMBuildShuffleVector(b, x, LLVMGetPoison(t), LLVMConstVector(lane, n), ""), part, "");
    LLVMValueRef offset = LLVMConstInt(i64, at, false),
                 to = LLVMBuildGEP2(b, i16, LLVMGetOperand(store, 1), &offset, 1, "");
    LLVMValueRef piece = LLVMBuildStore(b, LLVMBuildCall2(b, same, hide, &y, 1, ""), to);
    LLVMSetAlignment(piece, LLVMGetAlignment(store) < 2 * n ? LLVMGetAlignment(store) : 2 * n);
    LLVMSetMetadata(piece, LLVMGetMDKindIDInContext(code->ctx, "nontemporal", 11), streamed);
  }
  LLVMInstructionEraseFromParent(store);
  LLVMDisposeBuilder(b);
}

static void stream_halves(const SnCode *code) {
  if (strncmp(LLVMGetTarget(code->llvm), "x86_64", 6))
    return;
  unsigned widest = sn_shim_machine_has(code->machine, "+avx512f") ? 32
                    : sn_shim_machine_has(code->machine, "+avx")   ? 16
                                                                   : 8;
  for (LLVMValueRef f = LLVMGetFirstFunction(code->llvm); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (LLVMGetInstructionOpcode(i) == LLVMStore)
          stream_as_integers(code, i, widest);
      }
}

static void emit(SnCode *code) {
  char *why = NULL;
  if (LLVMTargetMachineEmitToMemoryBuffer(code->machine, code->llvm, LLVMObjectFile, &why, &code->object)) {
    code->object = NULL;
    sn_code_fail(code, "LLVM's code generator", why);
  }
  LLVMDisposeMessage(why);
}

// ---- all of them -------------------------------------------------------------------

enum { STACK = 16 << 20 }; // LLVM recurses

typedef struct {
  SnCode *codes;
  size_t n;
  void (*finish)(void *user);
  void *user;
  atomic_size_t next;
} Work;

static void *work(void *arg) {
  Work *w = arg;
  for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->n;) {
    if (!optimise(&w->codes[i]))
      continue;
    if (!i)
      w->finish(w->user);
    stream_halves(&w->codes[i]);
    emit(&w->codes[i]);
  }
  return NULL;
}

// Processors that this process may use.
static size_t processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? 1 : (size_t)CPU_COUNT(&set);
}

LLVMMemoryBufferRef sn_code_object(SnCode *codes, size_t n, void (*finish)(void *user), void *user) {
  size_t threads = n > 1 ? processors() : 1;
  Work w = {.codes = codes, .n = n, .finish = finish, .user = user};
  pthread_t others[SN_MOST_CODES];
  size_t started = 0;
  pthread_attr_t how;
  pthread_attr_init(&how);
  pthread_attr_setstacksize(&how, STACK);
  while (started + 1 < n && started + 1 < threads && started < SN_MOST_CODES &&
         !pthread_create(&others[started], &how, work, &w))
    ++started;
  pthread_attr_destroy(&how);
  work(&w);
  for (size_t i = 0; i < started; ++i)
    pthread_join(others[i], NULL);
  for (size_t i = 0; i < n; ++i)
    if (codes[i].error)
      return NULL;
  LLVMMemoryBufferRef object = codes[0].object, objects[SN_MOST_CODES];
  if (n == 1) {
    codes[0].object = NULL;
    return object;
  }
  for (size_t i = 0; i < n; ++i)
    objects[i] = codes[i].object;
  object = sn_objects_merge(objects, n);
  if (!object)
    sn_code_fail(&codes[0], "LLVM's objects", "cannot be merged");
  return object;
}
