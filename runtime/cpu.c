// cpu.c: whether this CPU has the instructions that a library was compiled with.
//
// A library asks before it runs one of them: an instruction that is not there would end the process.

#include "cpu.h"
#include "cpu_features.h"
#include "call.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct {
  const char *name;
  unsigned leaf, subleaf;
  int reg; // of eax, ebx, ecx, edx
  unsigned mask, least;
  unsigned state;
} Feature;

enum { eax, ebx, ecx, edx };
#define ROW(name, leaf, subleaf, reg, mask, least, state) {name, leaf, subleaf, reg, mask, least, SINTER_STATE_##state},
static const Feature features[] = {SINTER_CPU_FEATURES(ROW)};
enum { FEATURES = sizeof features / sizeof *features };
_Static_assert(FEATURES <= 64, "a bit each");

// The registers that the system saves for a program: XCR0, or 0 where it has none.
static unsigned saved_state(void) {
  unsigned a, b, c, d, low, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 27)) // OSXSAVE
    return 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

static uint64_t ask(void) {
  uint64_t found = 0;
  unsigned state = saved_state();
  for (int i = 0; i < FEATURES; i++) {
    const Feature *f = &features[i];
    unsigned r[4] = {0}, highest = __get_cpuid_max(f->leaf & 0x80000000u, NULL);
    if (highest < f->leaf)
      continue;
    __cpuid_count(f->leaf, f->subleaf, r[eax], r[ebx], r[ecx], r[edx]);
    unsigned value = r[f->reg] & f->mask;
    value /= f->mask & -f->mask; // as a number
    if (value >= f->least && (state & f->state) == f->state)
      found |= (uint64_t)1 << i;
  }
  return found;
}

// The bits of features whose registers a process has to ask for.
static uint64_t asked_for(void) {
  uint64_t found = 0;
  for (int i = 0; i < FEATURES; i++)
    if (features[i].state == SINTER_STATE_AMX)
      found |= (uint64_t)1 << i;
  return found;
}

// ARCH_REQ_XCOMP_PERM of XFEATURE_XTILEDATA (Linux, Documentation/arch/x86/xstate.rst). Of threads that there are, too.
static bool given(void) { return syscall(SYS_arch_prctl, 0x1023, 18) == 0; }

static const char *name_of(int i) { return i < FEATURES ? features[i].name : "an instruction unknown to this runtime"; }

#else

static uint64_t ask(void) { return 0; }
static uint64_t asked_for(void) { return 0; }
static bool given(void) { return false; }
static const char *name_of(int i) { return "an instruction of x86"; }

#endif

static uint64_t there;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void ask_once(void) { there = ask(); }

uint64_t sinter_cpu_features(void) {
  pthread_once(&once, ask_once); // CPUID takes microseconds on a virtual machine
  return there;
}

static bool tiles;
static pthread_once_t tiles_once = PTHREAD_ONCE_INIT;
static void ask_for_tiles(void) { tiles = given(); }

uint64_t sinter_cpu_missing(uint64_t wanted) {
  uint64_t missing = wanted & ~sinter_cpu_features(), asked = wanted & asked_for();
  if (!asked || missing)
    return missing;
  pthread_once(&tiles_once, ask_for_tiles);
  return tiles ? 0 : asked;
}

void sinter_cpu_names(uint64_t which, char *text, size_t size) {
  enum { MORE = sizeof " and 64 more" };
  size_t length = 0;
  text[0] = 0;
  for (int i = 0; i < 64; i++) {
    if (!(which >> i & 1))
      continue;
    const char *name = name_of(i);
    if (length + 1 + strlen(name) + MORE > size) {
      snprintf(text + length, size - length, " and %d more", __builtin_popcountll(which >> i));
      return;
    }
    length += (size_t)snprintf(text + length, size - length, "%s%s", length ? " " : "", name);
  }
}
