// count.c: how often a compiler's own code asks anything of IR or of its tables.
//
// Linked into test-counting-opt, a sinter-opt: the linker takes each function of counted.txt by its name's
// __wrap_, which counts and jumps to it. The counts are printed when the process ends; builds for users have none.
//
// What upstream's bufferization asks is counted, too (upstream.inc): its library calls these functions by name, and
// finds the ones of this program before its own.
//
// test: test/limits/growth.test

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNTED(name)                                                                                                  \
  uint64_t count_##name;                                                                                               \
  __asm__(".text\n.globl __wrap_" #name "\n.type __wrap_" #name ", @function\n__wrap_" #name ":\n"                     \
          "  incq count_" #name "(%rip)\n  jmp __real_" #name "@PLT\n.size __wrap_" #name ", .-__wrap_" #name "\n");
#include "counted.inc"
#undef COUNTED

#define UPSTREAM(name, symbol)                                                                                         \
  uint64_t count_##name;                                                                                               \
  void *real_##name;                                                                                                   \
  __asm__(".text\n.globl " symbol "\n.type " symbol ", @function\n" symbol ":\n"                                       \
          "  incq count_" #name "(%rip)\n  jmp *real_" #name "(%rip)\n.size " symbol ", .-" symbol "\n");
#include "upstream.inc"
#undef UPSTREAM

__attribute__((constructor)) static void find(void) {
#define UPSTREAM(name, symbol)                                                                                         \
  if (!(real_##name = dlsym(RTLD_NEXT, symbol))) {                                                                     \
    fprintf(stderr, "no %s in a library\n", symbol);                                                                   \
    exit(1);                                                                                                           \
  }
#include "upstream.inc"
#undef UPSTREAM
}

__attribute__((destructor)) static void report(void) {
#define COUNTED(name) fprintf(stderr, "%llu %s\n", (unsigned long long)count_##name, #name);
#include "counted.inc"
#undef COUNTED
#define UPSTREAM(name, symbol) fprintf(stderr, "%llu %s\n", (unsigned long long)count_##name, #name);
#include "upstream.inc"
}
