// The f32 micro-kernel against a loop in float64: odd shapes, strides wider
// than rows, sums of 0 products, and what lies between and behind the rows.

#include "check.h"
#include "runtime/runtime.h"

#include <math.h>
#include <stdlib.h>

static uint32_t state = 1;

static float next(void) {
  state = state * 1664525u + 1013904223u;
  return (float)(state >> 8) / 8388608.0f - 1;
}

static void one(int64_t m, int64_t n, int64_t k, int64_t pad, int64_t accumulate) {
  int64_t lda = k + pad, ldb = n + 2 * pad, ldc = n + 3 * pad;
  // Exactly as large as the operands: a read behind them is found by ASan.
  size_t a_size = m && k ? (size_t)((m - 1) * lda + k) : 0;
  size_t b_size = k && n ? (size_t)((k - 1) * ldb + n) : 0;
  size_t c_size = (size_t)(m * ldc) + 8;
  float *a = malloc(a_size * sizeof *a + 1), *b = malloc(b_size * sizeof *b + 1);
  float *c = malloc(c_size * sizeof *c), *before = malloc(c_size * sizeof *c);
  for (size_t i = 0; i < a_size; i++)
    a[i] = next();
  for (size_t i = 0; i < b_size; i++)
    b[i] = next();
  for (size_t i = 0; i < c_size; i++)
    before[i] = c[i] = accumulate ? next() : NAN;
  sinter_rt_brgemm_f32(a, b, c, m, n, k, lda, ldb, ldc, accumulate);
  int wrong = 0;
  for (int64_t i = 0; i < (int64_t)c_size; i++) {
    int64_t row = i / (ldc ? ldc : 1), column = ldc ? i % ldc : 0;
    if (row >= m || column >= n) {
      wrong += memcmp(&c[i], &before[i], sizeof *c) != 0;
      continue;
    }
    double sum = accumulate ? (double)before[i] : 0, size = fabs(sum);
    for (int64_t l = 0; l < k; l++) {
      sum += (double)a[row * lda + l] * b[l * ldb + column];
      size += fabs((double)a[row * lda + l] * b[l * ldb + column]);
    }
    wrong += !(fabs(c[i] - sum) <= 1e-6 * (size + 1e-30) * (1 + sqrt((double)k) / 8));
  }
  if (wrong) {
    fprintf(stderr, "%d elements are wrong: m %lld n %lld k %lld pad %lld accumulate %lld\n", wrong,
            (long long)m, (long long)n, (long long)k, (long long)pad, (long long)accumulate);
    failures++;
  }
  free(a), free(b), free(c), free(before);
}

int main(void) {
  static const int64_t sizes[] = {0, 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 33, 64, 65};
  static const int64_t depths[] = {0, 1, 2, 3, 7, 16, 33, 129};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++)
      for (size_t l = 0; l < sizeof depths / sizeof *depths; l++)
        for (int64_t mode = 0; mode < 4; mode++)
          one(sizes[i], sizes[j], depths[l], mode / 2 * 3, mode % 2);
  one(6, 64, 1000, 0, 0);
  one(37, 131, 257, 0, 1);
  one(300, 10, 40, 1, 0);

  // One row: its distance to the next means nothing. b of distance 0 is one
  // row k times, which no library has.
  float a[3] = {1, 2, 3}, b[3] = {1, 10, 100}, c[1] = {5};
  sinter_rt_brgemm_f32(a, b, c, 1, 1, 3, 0, 1, 0, 0);
  CHECK(c[0] == 321);
  sinter_rt_brgemm_f32(a, b, c, 1, 1, 3, 3, 0, 1, 1);
  CHECK(c[0] == 327);
  return failures != 0;
}
