// emulate.h: the kernels of a program, in a table that test/gpu/emulate writes for emulate.c.

#ifndef SINTER_TEST_GPU_EMULATE_H
#define SINTER_TEST_GPU_EMULATE_H

#include <stdint.h>

typedef struct {
  const char *name;
  void (*run)(void **arguments, char *shared);
  int64_t shared_bytes, cluster;
} Kernel;
extern const Kernel kernels[]; // the last one has no name

#endif
