// count.c: how often a compiler's own code asks anything of IR or of its tables.
//
// Linked into test-counting-opt, a sinter-opt: the linker takes each function of counted.txt by its name's
// __wrap_, which counts and jumps to it. The counts are printed when the process ends; builds for users have none.
//
// test: test/limits/growth.test

#include <stdint.h>
#include <stdio.h>

#define COUNTED(name)                                                                                                  \
  uint64_t count_##name;                                                                                               \
  __asm__(".text\n.globl __wrap_" #name "\n.type __wrap_" #name ", @function\n__wrap_" #name ":\n"                     \
          "  incq count_" #name "(%rip)\n  jmp __real_" #name "@PLT\n.size __wrap_" #name ", .-__wrap_" #name "\n");
#include "counted.inc"
#undef COUNTED

__attribute__((destructor)) static void report(void) {
#define COUNTED(name) fprintf(stderr, "%llu %s\n", (unsigned long long)count_##name, #name);
#include "counted.inc"
}
