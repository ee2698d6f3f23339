// gpu_short_rows.c: how many threads have a short row on a GPU.
//
//   21 vectors by 32 threads: 1 each, 11 threads none      by 8: 3 each, 3 shares of 24 left
//    8 vectors by  8 threads: 16 bytes of each under way   by 4: 32 bytes
//
// Fewer threads than have a vector each are better where more of them have something of the row, or where each has too
// little under way to hide what memory takes. An H200: f16 76950x168, elementwise, by 8 threads 0.0361 ms, by 32
// 0.0458; means of f16 367552x64 by 4 0.0113, by 8 0.0159; minima of f16 416880x60 by 4 0.0210, by 8 0.0256. Not where
// neighbours would be at other sectors of memory (bf16 1800900x13: by 1 0.174, by 2 0.080), nor where rows begin
// anywhere (bf16 1655970x96 of 98, elementwise: by 4 0.311, by 16 0.296).
//
// And how many elements a thread has, where there are few and none has to do with another: as few as leave none of a
// multiprocessor's four schedulers without a warp. (16 bytes of f16 by a thread were 500 instructions in a row, in
// three blocks: 4x3x11x2x8 of six functions took 0.0022 ms, and 0.0020 by an element each.)
//
// test: test/passes/schedule/gpu_families.mlir

#include "dialect/row_ops.h"
#include "lowering/rows/rowmemory.h"
#include "passes/schedule/gpu_families.h"

enum {
  LEAST_UNDER_WAY = 32, // bytes of a thread
  MOST_OF_THREAD = 4,   // vectors of 16 bytes of a row
  SCHEDULERS = 4,       // of a multiprocessor
  FEW_ELEMENTS = 1 << 16,
};

// Bytes that a thread has under way of so many vectors of a row; of what is stored as well, none count: reads alone are
// faster with many.
static int64_t bytes_under_way(const SnGpuRowFacts *a, int64_t vectors) {
  const SnForm *f = a->form;
  int64_t bits = 0;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_uses_cols(f, f->inputs.data[k].map) && sn_uses_rows(f, f->inputs.data[k].map))
      bits += sn_bits(sn_element(sn_type_of(f->inputs.data[k].value)));
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (sn_uses_cols(f, f->outputs.data[k].map) && !sn_is_reduced(f, k))
      return INT64_MAX;
  return bits * vectors * a->vector / 8;
}

// Each row that is read begins at a multiple of a vector.
static bool begins_at_vectors(const SnGpuRowFacts *a) {
  const SnForm *f = a->form;
  int64_t factors[SN_MAX_DIMS];
  for (size_t k = 0; k < f->inputs.size; ++k) {
    const SnAccess *x = &f->inputs.data[k];
    if (!sn_uses_cols(f, x->map) || !sn_uses_rows(f, x->map))
      continue;
    if (sn_is_table(x) || !sn_linear_factors(x->map, sn_type_of(x->value), factors))
      return false;
    for (int64_t d = 0; d < f->num_rows; ++d)
      if (factors[d] % a->vector)
        return false;
  }
  return true;
}

int64_t sn_gpu_row_fewer(const SnGpuRowFacts *a, int64_t team, int64_t vectors, int64_t kept) {
  int64_t best = team, sector = a->columns ? 1 : 2 * a->lanes;
  for (int64_t t = team / 2; t >= 1; t /= 2) {
    int64_t each = sn_pieces(vectors, t), now = sn_pieces(vectors, best);
    bool fills =
        a->columns || a->rows == SN_DYNAMIC || sn_times(a->rows, t) >= 2 * a->gpu->multiprocessors * SN_GPU_ROW_THREADS;
    if (!fills || each > kept || each * a->vector > MOST_OF_THREAD * a->lanes || t * a->vector < sector ||
        !begins_at_vectors(a))
      break;
    bool busier = each * t * 8 <= now * best * 7, waits = bytes_under_way(a, now) < LEAST_UNDER_WAY;
    if (busier || (waits && each * t <= now * best))
      best = t;
  }
  return best;
}

// Elements that have no vectors, and nothing to do with each other: threads of a row load 16 bytes of it together,
// where at most a quarter of what they have is behind its end. (By fewer, each load of a warp is of so many more rows,
// and L1 takes a turn for each 128 bytes. An H200, a difference in both directions of bf16 57x29x29x26: by 4 threads
// for a row 0.0051 ms, by 8 0.0040, by 16 0.0050, by 32 0.0085.)
int64_t sn_gpu_row_wider(const SnGpuRowFacts *a, int64_t team, int64_t vectors) {
  int64_t wide = team;
  if (a->vector > 1 || team == 1 || a->again || a->columns || sn_gpu_row_meets(a))
    return team;
  while (wide < a->lanes)
    wide *= 2;
  return sn_pieces(vectors, wide) * wide * 3 <= vectors * 4 ? wide : team;
}

void sn_gpu_row_spread(SnGpuRowFacts *a) {
  int64_t least = a->gpu->multiprocessors * SCHEDULERS * 32, n = sn_times(a->rows, a->length);
  if (a->rows == SN_DYNAMIC || a->length == SN_DYNAMIC || n >= FEW_ELEMENTS || !a->form->num_cols || a->again ||
      sn_gpu_row_meets(a))
    return;
  while (a->vector > 1 && n / a->vector < least)
    a->vector /= 2;
  a->lanes = n / a->lanes < least ? a->vector : a->lanes;
}
