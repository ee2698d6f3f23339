// brgemm.c: the f32 micro-kernel, from libxsmm where it has one.
//
// libxsmm is column-major: our row-major C = A . B is its C^T = B^T . A^T, so
// its A is our B and its m is our n.

#include "runtime.h"

#include <libxsmm.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

typedef struct Kernel {
  int64_t m, n, k, lda, ldb, ldc;
  bool accumulate;
  libxsmm_smmfunction run; // NULL: libxsmm has none
  bool known;
} Kernel;

// A dispatch through libxsmm's own table costs as much as a small kernel.
// One table a thread: no locks; a full slot is taken over.
enum { KERNELS = 64 };
static _Thread_local Kernel kernels[KERNELS];

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

static libxsmm_smmfunction dispatch(int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                                    int64_t ldc, bool accumulate) {
  // The distance of rows does not matter where there is one row.
  lda = m == 1 ? k : lda;
  ldb = k == 1 ? n : ldb;
  ldc = m == 1 ? n : ldc;
  if (lda < k || ldb < n || ldc < n || !fits(m) || !fits(n) || !fits(k) || !fits(lda) ||
      !fits(ldb) || !fits(ldc))
    return NULL;
  libxsmm_blasint xlda = (libxsmm_blasint)ldb;
  libxsmm_blasint xldb = (libxsmm_blasint)lda;
  libxsmm_blasint xldc = (libxsmm_blasint)ldc;
  float alpha = 1, beta = accumulate ? 1 : 0;
  return libxsmm_smmdispatch((libxsmm_blasint)n, (libxsmm_blasint)m, (libxsmm_blasint)k, &xlda,
                             &xldb, &xldc, &alpha, &beta, NULL, NULL);
}

static const Kernel *find(int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                          bool accumulate) {
  uint64_t h = (uint64_t)accumulate;
  const int64_t key[] = {m, n, k, lda, ldb, ldc};
  for (int i = 0; i < 6; i++)
    h = (h ^ (uint64_t)key[i]) * 0x9e3779b97f4a7c15u;
  Kernel *e = &kernels[h >> 58];
  if (!e->known || e->m != m || e->n != n || e->k != k || e->lda != lda || e->ldb != ldb ||
      e->ldc != ldc || e->accumulate != accumulate)
    *e = (Kernel){
        m, n, k, lda, ldb, ldc, accumulate, dispatch(m, n, k, lda, ldb, ldc, accumulate), true};
  return e;
}

void sinter_rt_brgemm_f32(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k,
                          int64_t lda, int64_t ldb, int64_t ldc, int64_t accumulate) {
  if (m <= 0 || n <= 0)
    return;
  const Kernel *kernel = k > 0 ? find(m, n, k, lda, ldb, ldc, accumulate != 0) : NULL;
  if (kernel && kernel->run)
    kernel->run(b, a, c);
  else
    plain(a, b, c, m, n, k, lda, ldb, ldc, accumulate != 0);
}
