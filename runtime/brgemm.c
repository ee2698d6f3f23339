// brgemm.c: the f32 micro-kernel, from libxsmm where it has one.
//
// libxsmm is column-major: our row-major C = A . B is its C^T = B^T . A^T, so
// its A is our B and its m is our n. Only its generator is used. Its own table of kernels has
// thread-local memory, which cannot be refused, and keeps code after the library is unloaded.

#include "call.h"
#include "helgrind.h"
#include "runtime.h"
#include "thread.h"

#include <errno.h>
#include <libxsmm_cpuid.h>
#include <libxsmm_generator.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct Shape {
  int64_t m, n, k, lda, ldb, ldc, accumulate;
} Shape;

typedef void (*Code)(const float *a, const float *b, float *c);

typedef struct Kernel {
  Shape shape;
  Code run; // NULL: libxsmm has none, or the system lets nobody make code
  size_t bytes;
  struct Kernel *next;
} Kernel;

// Found without a lock, added under the mutex, freed when the library is unloaded.
enum { BUCKETS = 4096 };
static Kernel *_Atomic kernels[BUCKETS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void plain(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k,
                  int64_t lda, int64_t ldb, int64_t ldc, bool accumulate) {
  for (int64_t i = 0; i < m; i++) {
    float *row = c + i * ldc;
    if (!accumulate)
      memset(row, 0, (size_t)n * sizeof *row);
    for (int64_t l = 0; l < k; l++) {
      float x = a[i * lda + l];
      const float *y = b + l * ldb;
      for (int64_t j = 0; j < n; j++)
        row[j] += x * y[j];
    }
  }
}

static bool fits(int64_t x) { return x <= INT_MAX; }

// libxsmm's words for the product; NULL if it has none.
static const libxsmm_gemm_descriptor *describe(const Shape *s, libxsmm_descriptor_blob *blob) {
  // The distance of rows does not matter where there is one row.
  int64_t lda = s->m == 1 ? s->k : s->lda;
  int64_t ldb = s->k == 1 ? s->n : s->ldb;
  int64_t ldc = s->m == 1 ? s->n : s->ldc;
  if (lda < s->k || ldb < s->n || ldc < s->n || !fits(s->m) || !fits(s->n) || !fits(s->k) ||
      !fits(lda) || !fits(ldb) || !fits(ldc))
    return NULL;
  return libxsmm_gemm_descriptor_dinit(
      blob, LIBXSMM_GEMM_PRECISION_F32, (libxsmm_blasint)s->n, (libxsmm_blasint)s->m,
      (libxsmm_blasint)s->k, (libxsmm_blasint)ldb, (libxsmm_blasint)lda, (libxsmm_blasint)ldc, 1,
      s->accumulate ? 1 : 0, LIBXSMM_GEMM_FLAG_NONE, LIBXSMM_GEMM_PREFETCH_NONE);
}

// Fills in a kernel's code; false if there is no memory for it.
static bool generate(Kernel *kernel) {
  libxsmm_descriptor_blob blob;
  const libxsmm_gemm_descriptor *description = describe(&kernel->shape, &blob);
  if (!description)
    return true;
  // More than any kernel has. What it does not write is not backed by memory.
  size_t room = 1 << 17, page = (size_t)sysconf(_SC_PAGESIZE);
  char *code = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED)
    return false;
  libxsmm_generated_code made = {.generated_code = code,
                                 .buffer_size = (unsigned)room,
                                 .code_type = 2,
                                 .arch = (unsigned)libxsmm_cpuid()};
  libxsmm_generator_gemm_kernel(&made, description);
  size_t used = ((size_t)made.code_size + page - 1) / page * page;
  bool ok = made.last_error == 0 && used > 0;
  used = ok ? used : 0;
  munmap(code + used, room - used);
  if (!ok)
    return true;
  if (mprotect(code, used, PROT_READ | PROT_EXEC) != 0) {
    bool full = errno == ENOMEM; // else the system forbids it
    munmap(code, used);
    return !full;
  }
  VALGRIND_HG_DISABLE_CHECKING(code, used);
  memcpy(&kernel->run, &code, sizeof code);
  kernel->bytes = used;
  return true;
}

static bool same(const Shape *x, const Shape *y) {
  return ((x->m ^ y->m) | (x->n ^ y->n) | (x->k ^ y->k) | (x->lda ^ y->lda) | (x->ldb ^ y->ldb) |
          (x->ldc ^ y->ldc) | (x->accumulate ^ y->accumulate)) == 0;
}

static Kernel *look_up(Kernel *_Atomic *bucket, const Shape *shape) {
  Kernel *k = atomic_load_explicit(bucket, memory_order_acquire);
  while (k && !same(&k->shape, shape))
    k = k->next;
  return k;
}

// A small kernel runs for as long as some ten multiplications: none of these waits for another.
static Kernel *_Atomic *bucket_of(const Shape *s) {
  uint64_t h = ((uint64_t)s->m * 0x9e3779b97f4a7c15u) ^ ((uint64_t)s->n * 0xc2b2ae3d27d4eb4fu) ^
               ((uint64_t)s->k * 0x165667b19e3779f9u) ^ ((uint64_t)s->lda * 0xff51afd7ed558ccdu) ^
               ((uint64_t)s->ldb * 0xc4ceb9fe1a85ec53u) ^ ((uint64_t)s->ldc * 0x94d049bb133111ebu) ^
               (s->accumulate ? 0xbf58476d1ce4e5b9u : 0);
  return &kernels[h >> 52];
}

// NULL if there is no memory.
static Kernel *add(Kernel *_Atomic *bucket, const Shape *shape) {
  Kernel *k = calloc(1, sizeof *k);
  if (!k)
    return NULL;
  k->shape = *shape;
  if (!generate(k)) {
    free(k);
    return NULL;
  }
  k->next = atomic_load_explicit(bucket, memory_order_relaxed);
  atomic_store_explicit(bucket, k, memory_order_release);
  return k;
}

static Kernel *find(const Shape *shape) {
  Kernel *_Atomic *bucket = bucket_of(shape);
  Kernel *k = look_up(bucket, shape);
  if (k)
    return k;
  pthread_mutex_lock(&mutex);
  k = look_up(bucket, shape);
  if (!k)
    k = add(bucket, shape);
  pthread_mutex_unlock(&mutex);
  return k;
}

// Priority 101: after the pool's threads have ended.
__attribute__((destructor(101))) static void unload(void) {
  if (sinter_rt_busy())
    return;
  for (int i = 0; i < BUCKETS; i++)
    for (Kernel *k = atomic_exchange(&kernels[i], NULL), *next; k; k = next) {
      next = k->next;
      if (k->bytes)
        munmap((void *)(uintptr_t)k->run, k->bytes);
      free(k);
    }
}

// UBSan looks for a type in front of what is called; generated code has none.
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
void sinter_rt_brgemm_f32(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k,
                          int64_t lda, int64_t ldb, int64_t ldc, int64_t accumulate) {
  if (m <= 0 || n <= 0)
    return;
  const Shape shape = {m, n, k, lda, ldb, ldc, accumulate != 0};
  const Kernel *kernel = k > 0 ? find(&shape) : NULL;
  if (k > 0 && !kernel)
    sinter_rt_error(SINTER_OUT_OF_MEMORY, "not enough memory for the code of a product");
  else if (kernel && kernel->run)
    kernel->run(b, a, c);
  else
    plain(a, b, c, m, n, k, lda, ldb, ldc, accumulate != 0);
}
