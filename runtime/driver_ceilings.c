// driver_ceilings.c: what a CPU's memory and arithmetic do at best, measured in moments.
//
// Each thread reads, or copies, its own share of the memory again and again, and multiplies and adds in registers; the
// best of a few rounds counts. Memory is as large as the data of the program that it is compared with, so that what
// lies in caches is compared with caches.

#include "driver_parts.h"
#include "runtime.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 4 };
#define ROUND_SECONDS 0.01
#define LEAST_BYTES (64 << 10)
#define MOST_BYTES ((int64_t)1 << 30)

typedef struct Share {
  char *memory;
  int64_t bytes, times;
  _Atomic int64_t kept; // what was computed: nothing is left out
} Share;

// Eight sums, so that none waits for another.
#define READ(name, width, ...)                                                                     \
  __VA_ARGS__ static void name(void *context, int64_t index) {                                     \
    typedef uint64_t V __attribute__((vector_size(width)));                                        \
    Share *s = context;                                                                            \
    const V *x = (const V *)(s->memory + index * s->bytes);                                        \
    V sum[8] = {0};                                                                                \
    for (int64_t n = 0; n < s->times; n++) {                                                       \
      for (int64_t i = 0; i < s->bytes / width; i += 8)                                            \
        for (int k = 0; k < 8; k++)                                                                \
          sum[k] += x[i + k];                                                                      \
      __asm__ volatile("" ::: "memory"); /* again, not the same sum */                             \
    }                                                                                              \
    for (int k = 1; k < 8; k++)                                                                    \
      sum[0] += sum[k];                                                                            \
    atomic_fetch_add(&s->kept, (int64_t)sum[0][0]);                                                \
  }
static void copy_share(void *context, int64_t index) {
  Share *s = context;
  char *from = s->memory + index * s->bytes;
  for (int64_t n = 0; n < s->times; n++) {
    memcpy(from + s->bytes / 2, from, (size_t)s->bytes / 2);
    __asm__ volatile("" ::: "memory");
  }
}

// Chains of x * a + b, as many as hide how long one takes.
#define CHAINS 12
#define MULTIPLY(name, width, ...)                                                                 \
  __VA_ARGS__ static void name(void *context, int64_t index) {                                     \
    typedef float V __attribute__((vector_size(width)));                                           \
    Share *s = context;                                                                            \
    V x[CHAINS], a = (V){0} + 0.5f, b = (V){0} + (float)(index + 1);                               \
    for (int k = 0; k < CHAINS; k++)                                                               \
      x[k] = b;                                                                                    \
    for (int64_t n = 0; n < s->times; n++)                                                         \
      for (int k = 0; k < CHAINS; k++)                                                             \
        x[k] = x[k] * a + b;                                                                       \
    for (int k = 1; k < CHAINS; k++)                                                               \
      x[0] += x[k];                                                                                \
    atomic_fetch_add(&s->kept, (int64_t)x[0][0]);                                                  \
  }
#ifdef __x86_64__
READ(read_64, 64, __attribute__((target("avx512f"))))
READ(read_32, 32, __attribute__((target("avx2,fma"))))
MULTIPLY(multiply_64, 64, __attribute__((target("avx512f"))))
MULTIPLY(multiply_32, 32, __attribute__((target("avx2,fma"))))
#endif
READ(read_16, 16)
MULTIPLY(multiply_16, 16)

// The widest vectors of this processor.
static const struct Width {
  int bytes;
  SinterTask read, multiply;
} widths[] = {
#ifdef __x86_64__
    {64, read_64, multiply_64},
    {32, read_32, multiply_32},
#endif
    {16, read_16, multiply_16},
};

static const struct Width *widest(void) {
  const struct Width *w = widths;
#ifdef __x86_64__
  w += !__builtin_cpu_supports("avx512f");
  w += w->bytes == 32 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#endif
  return w;
}

typedef struct Kind {
  SinterTask task;
  double amount; // of work in one time on one thread
} Kind;

// Work a second on all threads, each of which has enough of it that starting them is nothing beside.
static double best(Kind kind, Share *s, int64_t threads) {
  double rate = 0, took = 0;
  s->times = 1;
  for (; took < ROUND_SECONDS && s->times < INT64_MAX / 4; s->times *= 2) {
    double start = sinter_driver_now();
    kind.task(s, 0);
    took = sinter_driver_now() - start;
  }
  for (int round = 0; round < ROUNDS; round++) {
    double start = sinter_driver_now();
    sinter_rt_parallel(kind.task, s, threads);
    took = sinter_driver_now() - start;
    double now = took > 0 ? kind.amount * (double)s->times * (double)threads / took : 0;
    rate = now > rate ? now : rate;
  }
  return rate;
}

SinterCeilings sinter_driver_ceilings(int32_t threads, int64_t bytes) {
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  int64_t n = threads > 0 ? threads : online > 0 ? online : 1;
  int64_t all = bytes < LEAST_BYTES * n ? LEAST_BYTES * n : bytes > MOST_BYTES ? MOST_BYTES : bytes;
  Share s = {.bytes = all / n / 512 * 512};
  SinterCeilings c = {.bytes = s.bytes * n};
  const struct Width *w = widest();
  sinter_rt_set_threads(threads);
  s.memory = aligned_alloc(64, (size_t)c.bytes);
  if (s.memory) {
    memset(s.memory, 1, (size_t)c.bytes);
    c.read = best((Kind){w->read, (double)s.bytes}, &s, n);
    c.copy = best((Kind){copy_share, (double)s.bytes}, &s, n);
  }
  free(s.memory);
  c.flops = best((Kind){w->multiply, 2.0 * CHAINS * w->bytes / sizeof(float)}, &s, n);
  return c;
}
