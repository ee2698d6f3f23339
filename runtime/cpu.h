// cpu.h: what this CPU can.

#ifndef SINTER_RUNTIME_CPU_H
#define SINTER_RUNTIME_CPU_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// The features of cpu_features.h that this CPU has, and that the system lets programs use.
uint64_t sinter_cpu_features(void);

// Those of `features` that a program may not use here. Linux gives the state of AMX's tiles to processes that ask for
// it, and it makes the frames of signals larger: it is asked for where the features have AMX, once.
uint64_t sinter_cpu_missing(uint64_t features);

// The names of features, "avx512f avx512bw"; of so many that they do not fit, the first and how many more.
void sinter_cpu_names(uint64_t features, char *text, size_t size);

#pragma GCC visibility pop

#endif
