// peaks.c: how fast one thread multiplies and reads, for bench/attention --target=cpu.

#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); // which others that use the processor do not stretch
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum { TURNS = 2000000, SUMS = 12 };

// GFLOP/s of fused multiply-adds in f32; 0: no such instruction is known here.
double peak_f32(void) {
#if defined __AVX512F__
  __m512 sums[SUMS], x = _mm512_set1_ps(0.5F);
  double start = now();
  for (int i = 0; i < SUMS; ++i)
    sums[i] = x;
  for (long n = 0; n < TURNS; ++n)
    for (int i = 0; i < SUMS; ++i) {
      sums[i] = _mm512_fmadd_ps(sums[i], x, x);
      __asm__ volatile("" : "+v"(sums[i]));
    }
  return TURNS * SUMS * 32.0 / (now() - start) / 1e9;
#elif defined __AVX2__
  __m256 sums[SUMS], x = _mm256_set1_ps(0.5F);
  double start = now();
  for (int i = 0; i < SUMS; ++i)
    sums[i] = x;
  for (long n = 0; n < TURNS; ++n)
    for (int i = 0; i < SUMS; ++i) {
      sums[i] = _mm256_fmadd_ps(sums[i], x, x);
      __asm__ volatile("" : "+x"(sums[i]));
    }
  return TURNS * SUMS * 16.0 / (now() - start) / 1e9;
#else
  return 0;
#endif
}

// Of the dot product of pairs of bf16.
double peak_bf16(void) {
#ifdef __AVX512BF16__
  __m512 sums[SUMS];
  __m512bh x = (__m512bh)_mm512_set1_epi16(0x3f00);
  double start = now();
  for (int i = 0; i < SUMS; ++i)
    sums[i] = _mm512_setzero_ps();
  for (long n = 0; n < TURNS; ++n)
    for (int i = 0; i < SUMS; ++i) {
      sums[i] = _mm512_dpbf16_ps(sums[i], x, x);
      __asm__ volatile("" : "+v"(sums[i]));
    }
  return TURNS * SUMS * 64.0 / (now() - start) / 1e9;
#else
  return 0;
#endif
}

typedef long Line __attribute__((vector_size(64)));

// Lines of so many pieces of memory, one of each in turn: a processor asks memory for what comes next in each of them.
static Line read_pieces(const Line *all, size_t lines, size_t pieces) {
  Line sums[8] = {0};
  size_t each = lines / pieces;
  for (size_t i = 0; i < each; i += 8 / pieces)
    for (size_t k = 0; k < 8; ++k)
      sums[k] += all[k % pieces * each + i + k / pieces];
  return sums[0] + sums[1] + (sums[2] + sums[3]) + (sums[4] + sums[5] + (sums[6] + sums[7]));
}

// GB/s of reading 256 MB, which no cache holds, as one piece, two, four or eight: the best of a few times.
double read_speed(void) {
  enum { TIMES = 5, BYTES = 256 << 20, ALIGNED = 2 << 20 }; // whole large pages, where there are any
  Line *all = aligned_alloc(ALIGNED, BYTES);
  double best = 0;
  if (!all)
    return 0;
  memset(all, 1, BYTES);
  for (int n = 0; n < TIMES; ++n)
    for (size_t pieces = 1; pieces <= 8; pieces *= 2) {
      double start = now();
      Line sum = read_pieces(all, BYTES / sizeof *all, pieces);
      __asm__ volatile("" ::"r"(sum[0] + sum[7]));
      double speed = BYTES / (now() - start) / 1e9;
      best = speed > best ? speed : best;
    }
  free(all);
  return best;
}
