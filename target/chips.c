// chips.c: the table of architectures.
//
//   --chip=sm_80   ->   108 multiprocessors, 163 KiB of shared memory each, no clusters
//
// runs in: schedule, gpu_target    test: test/passes/schedule/gpu_chips.mlir

#include "target/chips.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Multiprocessors, shared memory (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; what
// a block can ask for, 1 KiB less than there is) and L2 (the products' data sheets).
static const SnGpuChip chips[] = {
    {80, "A100", "", 108, 163 << 10, 40 << 20, 1},
    {86, "A40", "", 84, 99 << 10, 6 << 20, 1},
    {87, "Orin", "", 16, 163 << 10, 4 << 20, 1},
    {89, "L40S", "+ptx81", 142, 99 << 10, 96 << 20, 1},
    {90, "H100, H200", "+ptx81", 132, 227 << 10, 50 << 20, 8},
    {100, "B200", "", 148, 227 << 10, 126 << 20, 8},
    {103, "B300", "", 148, 227 << 10, 126 << 20, 8},
    {120, "RTX PRO 6000", "", 188, 99 << 10, 128 << 20, 8},
    {121, "GB10", "", 48, 99 << 10, 24 << 20, 8},
};

const SnGpuChip *sn_gpu_chip(const char *name) {
  if (strncmp(name, "sm_", 3) || !isdigit((unsigned char)name[3]))
    return NULL;
  char *end;
  long number = strtol(name + 3, &end, 10);
  if (number > 999 || ((*end == 'a' || *end == 'f') ? end[1] : *end))
    return NULL;
  const SnGpuChip *found = NULL;
  for (size_t i = 0; i < sizeof chips / sizeof *chips && chips[i].number <= number; ++i)
    found = &chips[i];
  return found;
}

bool sn_gpu_chip_has(const char *name, const char *needs) {
  if (!*needs || !strcmp(name, needs))
    return true;
  char *end;
  long number = strtol(needs + 3, &end, 10);
  return !*end && strtol(name + 3, NULL, 10) >= number;
}
