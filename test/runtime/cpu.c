// What the runtime says of this CPU is what Linux says of it, and what is missing is named.

#include "check.h"
#include "runtime/cpu.h"
#include "runtime/cpu_features.h"
#include "runtime/runtime.h"

#include <stdlib.h>

static int calls;
static void packed(void **d) {
  (void)d;
  calls++;
}

#define NAME(name, ...) name,
static const char *const names[] = {SINTER_CPU_FEATURES(NAME)};
enum { COUNT = sizeof names / sizeof *names };

// Linux's word for a feature of LLVM's; NULL: it has none, or says more than the CPU does.
static const char *linux_word(const char *name) {
  static const char *const others[][2] = {{"sse3", "pni"},
                                          {"sse4.1", "sse4_1"},
                                          {"sse4.2", "sse4_2"},
                                          {"pclmul", "pclmulqdq"},
                                          {"lzcnt", "abm"},
                                          {"bmi", "bmi1"},
                                          {"avxvnni", "avx_vnni"},
                                          {"avx512vbmi2", "avx512_vbmi2"},
                                          {"avx512vnni", "avx512_vnni"},
                                          {"avx512bitalg", "avx512_bitalg"},
                                          {"avx512vpopcntdq", "avx512_vpopcntdq"},
                                          {"avx512vp2intersect", "avx512_vp2intersect"},
                                          {"avx512fp16", "avx512_fp16"},
                                          {"avx512bf16", "avx512_bf16"},
                                          {"amx-tile", "amx_tile"},
                                          {"amx-int8", "amx_int8"},
                                          {"amx-bf16", "amx_bf16"}};
  static const char *const none[] = {"avxifma", "avxvnniint8", "avxneconvert", "avxvnniint16", "avx10.1",
                                     "avx10.2", "egpr",        "ndd",          "nf",           "ccmp",
                                     "cf",      "zu",          "ppx",          "push2pop2"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    if (strcmp(name, none[i]) == 0)
      return NULL;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(name, others[i][0]) == 0)
      return others[i][1];
  return name;
}

static void as_linux_says(void) {
  FILE *file = fopen("/proc/cpuinfo", "r");
  static char line[1 << 16];
  while (file && fgets(line, sizeof line, file) && strncmp(line, "flags", 5) != 0)
    ;
  if (file)
    fclose(file);
  line[strcspn(line, "\n")] = ' ';
  for (int i = 0; i < COUNT && strncmp(line, "flags", 5) == 0; i++) {
    char word[64];
    if (!linux_word(names[i]))
      continue;
    snprintf(word, sizeof word, " %s ", linux_word(names[i]));
    int has = sinter_cpu_features() >> i & 1;
    if (has != (strstr(line, word) != NULL))
      fprintf(stderr, "%s: %d\n", names[i], has), failures++;
  }
}

int main(void) {
#ifdef __x86_64__
  as_linux_says();
  char text[40];
  sinter_cpu_names(0x5, text, sizeof text);
  CHECK_TEXT(text, "sse3 sse4.1");
  sinter_cpu_names(~(uint64_t)0, text, sizeof text);
  CHECK_TEXT(text, "sse3 ssse3 sse4.1 sse4.2 and 60 more");
#endif
  const SinterFunction f = {"f", kDLCPU, 0, 0, 0, NULL, NULL, 0, packed, NULL, NULL};
  uint64_t there = sinter_cpu_features();
  CHECK(sinter_rt_call_on(&f, NULL, NULL, NULL, NULL, there) == SINTER_OK);
  CHECK(sinter_rt_call_on(&f, NULL, NULL, NULL, NULL, 0) == SINTER_OK);
  CHECK(calls == 2);
  // The last bit is of no row: of a library that is newer than its runtime.
  CHECK(sinter_rt_call_on(&f, NULL, NULL, NULL, NULL, (uint64_t)1 << 63) == SINTER_UNSUPPORTED);
  CHECK(calls == 2);
  CHECK(strncmp(sinter_rt_last_error(), "f: this CPU has no an", 21) == 0);
  return failures != 0;
}
