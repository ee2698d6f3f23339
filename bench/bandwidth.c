// bandwidth.c: what memory allows, for bench/losses: arrays read once, others written once past the caches.
//
//   cc -O3 -march=native -shared -fPIC -pthread bandwidth.c
//
// Threads take shares of all arrays until none is left, and read them in blocks by turns: of a
// few lines, as one loop over several operands does, or of many pages. What is
// written is what was read. Which way is the fastest is for the caller to try.

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#define AHEAD 8192
#define SHARES 128
#define MODES 6 // block sizes, with and without prefetching

static const size_t block_bytes[] = {256, 16384, 1 << 18}; // of the largest array

typedef float Line __attribute__((vector_size(64), aligned(64)));

typedef struct {
  int reads, writes, prefetch;
  atomic_size_t *next; // share
  char *const *from, *const *to;
  const size_t *from_bytes, *to_bytes;
  size_t blocks;
  float sum;
} Part;

static void put(Line *to, Line x) {
#if defined(__AVX512F__)
  _mm512_stream_ps((float *)to, (__m512)x);
#elif defined(__AVX__)
  _mm256_stream_ps((float *)to, ((__m256 *)&x)[0]);
  _mm256_stream_ps((float *)to + 8, ((__m256 *)&x)[1]);
#else
  *to = x;
#endif
}

static Line read_block(const Line *x, size_t lines, int prefetch) {
  Line s[8] = {0};
  size_t i = 0;
  if (lines == 4) {
    if (prefetch)
      for (int k = 0; k < 4; ++k)
        __builtin_prefetch((const char *)(x + k) + AHEAD);
    return x[0] + x[1] + (x[2] + x[3]);
  }
  for (; i + 8 <= lines; i += 8)
    for (int k = 0; k < 8; ++k) {
      if (prefetch)
        __builtin_prefetch((const char *)(x + i + k) + AHEAD);
      s[k] += x[i + k];
    }
  for (; i < lines; ++i)
    s[0] += x[i];
  return s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}

static void copy_block(Line *y, const Line *x, size_t lines, int prefetch) {
  for (size_t i = 0; i < lines; ++i) {
    if (prefetch)
      __builtin_prefetch((const char *)(x + i) + AHEAD);
    put(y + i, x[i]);
  }
}

static size_t line_at(size_t bytes, size_t block, size_t blocks) { return bytes / 64 * block / blocks; }

static Line run_share(const Part *p, size_t share) {
  Line s = {0};
  for (size_t b = p->blocks * share / SHARES; b < p->blocks * (share + 1) / SHARES; ++b) {
    for (int k = 0; k < p->reads; ++k) {
      size_t lo = line_at(p->from_bytes[k], b, p->blocks), hi = line_at(p->from_bytes[k], b + 1, p->blocks);
      const Line *x = (const Line *)p->from[k];
      if (k < p->writes && p->to_bytes[k] == p->from_bytes[k])
        copy_block((Line *)p->to[k] + lo, x + lo, hi - lo, p->prefetch);
      else
        s += read_block(x + lo, hi - lo, p->prefetch);
    }
    for (int k = 0; k < p->writes; ++k) {
      size_t lo = line_at(p->to_bytes[k], b, p->blocks), hi = line_at(p->to_bytes[k], b + 1, p->blocks);
      if (k >= p->reads || p->to_bytes[k] != p->from_bytes[k])
        for (size_t i = lo; i < hi; ++i)
          put((Line *)p->to[k] + i, s);
    }
  }
  return s;
}

static void *run_part(void *user) {
  Part *p = user;
  for (size_t share; (share = atomic_fetch_add(p->next, 1)) < SHARES;) {
    Line s = run_share(p, share);
    for (int k = 0; k < 16; ++k)
      p->sum += s[k];
  }
#ifdef __x86_64__
  _mm_sfence();
#endif
  return NULL;
}

int modes(void) { return MODES; }

// Reads `reads` arrays and writes `writes` others, each aligned to 64 bytes, on so many threads. Returns a sum, so that
// nothing is left out.
float stream(int reads, char *const *from, const size_t *from_bytes, int writes, char *const *to,
             const size_t *to_bytes, int threads, int mode) {
  Part parts[64];
  pthread_t thread[64];
  size_t largest = 1;
  atomic_size_t next = 0;
  for (int k = 0; k < reads; ++k)
    largest = from_bytes[k] > largest ? from_bytes[k] : largest;
  for (int k = 0; k < writes; ++k)
    largest = to_bytes[k] > largest ? to_bytes[k] : largest;
  threads = threads > 64 ? 64 : threads;
  size_t block = block_bytes[mode / 2 % 3];
  for (int t = 0; t < threads; ++t)
    parts[t] = (Part){.reads = reads, .writes = writes, .next = &next, .prefetch = mode % 2, .from = from, .to = to,
                      .from_bytes = from_bytes, .to_bytes = to_bytes, .blocks = (largest + block - 1) / block};
  for (int t = 1; t < threads; ++t)
    pthread_create(&thread[t], NULL, run_part, &parts[t]);
  run_part(&parts[0]);
  float sum = parts[0].sum;
  for (int t = 1; t < threads; ++t) {
    pthread_join(thread[t], NULL);
    sum += parts[t].sum;
  }
  return sum;
}
