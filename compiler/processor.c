// processor.c: what a CPU's road is told of the processor.

#include "compiler/processor.h"
#include "capi/shim.h"
#include "target/microkernels.h"
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"
#include "llvm-c/TargetMachine.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// "+name" is one of the words of "+avx2,-xop,...".
static bool has_word(const char *features, const char *word) {
  size_t n = strlen(word);
  for (const char *at = features; (at = strstr(at, word)); at += n)
    if (at[n] == 0 || at[n] == ',')
      return true;
  return false;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *host; // features of this machine: CPUID takes microseconds on a virtual machine

static void look(void) {
  host = LLVMGetHostCPUFeatures();
  LLVMInitializeNativeTarget();
}

// What has_feature asks: a list of features, or a machine of LLVM's.
typedef struct {
  const char *features;
  LLVMTargetMachineRef machine;
} Features;

static bool has_feature(const Features *f, const char *feature) {
  return f->features ? has_word(f->features, feature) : f->machine && sn_shim_machine_has(f->machine, feature);
}

static LLVMTargetMachineRef make_machine(const char *cpu) {
  char *triple = LLVMGetDefaultTargetTriple(), *why = NULL;
  LLVMTargetRef target;
  LLVMTargetMachineRef machine = NULL;
  if (!LLVMGetTargetFromTriple(triple, &target, &why))
    machine =
        LLVMCreateTargetMachine(target, triple, cpu, "", LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
  LLVMDisposeMessage(why);
  LLVMDisposeMessage(triple);
  return machine;
}

static void list_features(const Features *f, char *all, size_t size) {
  char word[32];
  all[0] = 0;
  for (const SnMicroKernel *line = sn_micro_kernels; line->name; ++line) {
    const char *at = line->target == SN_TARGET_CPU ? line->needs : "";
    for (; *at; at += strcspn(at, " "), at += *at == ' ') {
      snprintf(word, sizeof word, "+%.*s", (int)strcspn(at, " "), at);
      if (!has_word(all, word + 1) && has_feature(f, word))
        snprintf(all + strlen(all), size - strlen(all), "%s%s", *all ? "," : "", word + 1);
    }
  }
}

SnProcessor sn_processor(const char *cpu) {
  pthread_once(&once, look);
  Features f = {cpu ? NULL : host ? host : "", cpu ? make_machine(cpu) : NULL};
  SnProcessor p;
  p.bf16 = has_feature(&f, "+avx512bf16") ? "native" : "integers";
  p.exp = has_feature(&f, "+avx512f") ? "avx512" : "polynomial";
  p.registers = has_feature(&f, "+avx512f") ? "32" : "16";
  // Intel's processors since Broadwell: AMD's have SSE4a. On a Xeon with AMX a loop over two bf16 operands takes 4.1
  // to 4.9 ms in place of 5.5 to 6.5 where it asks ahead; on a Zen 4 it takes 4.1 in place of 3.1.
  p.prefetch = has_feature(&f, "+adx") && !has_feature(&f, "+sse4a") ? "8192" : "0";
  list_features(&f, p.features, sizeof p.features);
  LLVMDisposeTargetMachine(f.machine);
  return p;
}

bool sn_knows_cpu(const char *cpu) {
  pthread_once(&once, look);
  return sn_shim_knows_cpu(cpu);
}
