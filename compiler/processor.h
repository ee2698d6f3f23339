// processor.h: what a CPU's road is told of the processor.

#ifndef SINTER_COMPILER_PROCESSOR_H
#define SINTER_COMPILER_PROCESSOR_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Options of the pipeline sinter-cpu.
typedef struct SnProcessor {
  const char *bf16, *exp; // how f32 is rounded to bf16, how exp is computed
  const char *registers;  // of vectors
  const char *prefetch;   // bytes
  char features[128];     // those that the table of micro-kernels asks for, with commas
} SnProcessor;

// Of the processor of this name, this machine's if it is NULL.
SnProcessor sn_processor(const char *cpu);

// Whether LLVM knows a processor for this machine's architecture by this name.
bool sn_knows_cpu(const char *cpu);

#ifdef __cplusplus
}
#endif

#endif
