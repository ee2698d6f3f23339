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

#define MOST_OF_PART 3     // vectors of a thread of a part of a warp, of a row that is read once
#define PARTS_OF_BLOCK 128 // threads, of those parts
#define FEW_OF_PART 4      // vectors of a thread of a part, where rows are few
#define LEAST_PARTS 4      // of those rows, of a multiprocessor
#define LOOKED_UP 4        // vectors of a thread, of elements that are looked up
#define MOST_SUMMED 8      // registers of a thread for elements of a row, of those that are added up alone

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

// (A row of vectors that is no more than a sector is a thread's: an H200, sums of squares of bf16 482,112x14 0.0065 ms
// by two threads of each row, 0.0038 by one.)
int64_t sn_gpu_row_fewer(const SnGpuRowFacts *a, int64_t team, int64_t vectors, int64_t kept) {
  int64_t best = team, sector = a->columns ? 1 : 2 * a->lanes;
  for (int64_t t = team / 2; t >= 1; t /= 2) {
    int64_t each = sn_pieces(vectors, t), now = sn_pieces(vectors, best);
    bool fills =
        a->columns || a->rows == SN_DYNAMIC || sn_times(a->rows, t) >= 2 * a->gpu->multiprocessors * SN_GPU_ROW_THREADS;
    bool waits = bytes_under_way(a, now) < LEAST_UNDER_WAY,
         within = waits && a->vector > 1 && vectors * a->vector <= sector;
    if (!fills || each > kept || each * a->vector > MOST_OF_THREAD * a->lanes ||
        (t * a->vector < sector && !within) || !begins_at_vectors(a))
      break;
    bool busier = each * t * 8 <= now * best * 7;
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

// ---- parts of a warp ---------------------------------------------------------------------------

int64_t sn_gpu_row_vectors(const SnGpuRowFacts *a) {
  return sn_pieces(a->length + (a->length % a->vector ? a->vector - 1 : 0), a->vector);
}

// Rows of a few vectors for each thread of a part of a warp, which are too few to fill the device and too many for a
// block each: to begin a block takes about 100 cycles, one after the other. (An H200, us by blocks of 64 threads for
// each row and by 16 threads of a block of 128: sums of squares of bf16 2112x295 2.8 and 1.9, sums of bf16 3000x301 3.2
// and 1.9, of f32 2000x150 2.7 and 1.8, softmax of bf16 2500x299 3.7 and 2.9; by 32 threads of 128 2.1, 2.1, 1.9 and
// 3.1.)
static bool few_parts(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  SnGpuRowFacts wide = *a;
  bool peels = a->vector < a->lanes && a->length >= 32 * a->lanes && sn_row_is_placed(a->form);
  if (peels)
    wide.vector = a->lanes;
  int64_t vectors = sn_gpu_row_vectors(&wide), kept = sn_gpu_row_kept(&wide, SN_GPU_ROW_HELD),
          team = vectors > 16 * FEW_OF_PART ? 32 : 16, each = sn_pieces(vectors, team);
  if (a->columns || a->sums || !sn_gpu_row_meets(a) || wide.vector < a->lanes || vectors <= 32 || each > FEW_OF_PART ||
      each > kept || a->rows == SN_DYNAMIC || a->rows < LEAST_PARTS * a->gpu->multiprocessors ||
      a->rows >= a->gpu->multiprocessors * SN_GPU_ROW_THREADS / 32)
    return false;
  *s = (SnGpuRowSchedule){.threads = PARTS_OF_BLOCK,
                          .vector = wide.vector,
                          .unroll = 1,
                          .cluster = 1,
                          .team = team,
                          .registers = true};
  s->blocks = sn_gpu_row_blocks(&wide, s, s->threads / s->team);
  return true;
}

// Rows of few vectors, of which nothing meets: parts of warps that have no thread too many, as far as a power of two
// can be, with up to three vectors each. A block of a warp for each would have few of them under way (an H200, 3006
// rows of 48 vectors of f32: a block each, in two turns of which the second is half empty, took 1.5 times as long as
// PyTorch). Of one vector or two most threads of the smallest part would have nothing to do (an H200, bf16
// 40x63x115x115 rows of eight, read from eight planes: by 4 threads 1.92 ms, by 1 0.94).
bool sn_gpu_row_by_parts(const SnGpuRowFacts *a, SnGpuRowSchedule *s, int64_t vectors) {
  enum { SMALLEST = 4 };
  int64_t least = INT64_MAX;
  if (sn_gpu_row_meets(a) || a->columns || a->rows == SN_DYNAMIC || a->vector == 1 || vectors > 32 * MOST_OF_PART ||
      2 * vectors <= SMALLEST ||
      sn_times(a->rows, vectors) < a->gpu->multiprocessors * PARTS_OF_BLOCK)
    return false;
  for (int64_t team = 32; team >= SMALLEST; team /= 2) {
    int64_t each = sn_pieces(vectors, team), idle = each * team - vectors;
    if (each > MOST_OF_PART || idle >= least)
      continue;
    least = idle;
    s->team = team;
    s->unroll = each;
  }
  s->threads = PARTS_OF_BLOCK;
  s->blocks = sn_gpu_row_blocks(a, s, s->threads / s->team);
  return true;
}

// Nothing of a row is read but what the program looks up: what it computes of the row for that is worth more elements
// of each thread. (An H200, f16 544x10x62x62 doubled, rows of 124: by 32 threads 0.142 ms, by 8 0.115.)
static bool looks_up_alone(const SnForm *f) {
  bool looks = false;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    looks |= sn_is_table(&f->inputs.data[k]);
    if (!sn_is_table(&f->inputs.data[k]) && sn_uses_cols(f, f->inputs.data[k].map))
      return false;
  }
  return looks;
}

// A part of a warp has a row, in registers.
bool sn_gpu_row_warp(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  if (a->length == SN_DYNAMIC || a->length < 1)
    return false;
  if (few_parts(a, s))
    return true;
  int64_t vectors = a->length / a->vector, rows = a->rows == SN_DYNAMIC ? a->least : a->rows,
          kept = sn_gpu_row_kept(a, SN_GPU_ROW_HELD);
  *s = (SnGpuRowSchedule){.threads = 128, .vector = a->vector, .unroll = 1, .cluster = 1, .team = 1, .registers = true};
  bool looks = !sn_gpu_row_meets(a) && looks_up_alone(a->form);
  int64_t each = looks ? LOOKED_UP : a->lanes / a->vector; // 16 bytes a thread
  each = each < kept ? each : kept;
  while (s->team < 32 && s->team * each < vectors)
    s->team *= 2;
  s->team = sn_gpu_row_fewer(a, s->team, vectors, kept);
  s->team = sn_gpu_row_wider(a, s->team, vectors);
  SnGpuRowSchedule parts = *s;
  if (!looks && vectors <= 32 && sn_gpu_row_by_parts(a, &parts, vectors) &&
      parts.blocks >= 2 * a->gpu->multiprocessors) {
    *s = parts;
    s->unroll = 1;
    return true;
  }
  bool few = s->team == 32 && sn_times(rows, s->team) < a->gpu->multiprocessors * SN_GPU_ROW_THREADS;
  if (s->team * kept < vectors || (few && vectors > 32))
    return false; // a block has more threads for it
  // The fewer blocks, the fewer sums of columns meet in memory: no more than multiprocessors.
  while (a->columns && s->threads < SN_GPU_ROW_THREADS &&
         sn_pieces(rows, s->threads / s->team) > a->gpu->multiprocessors)
    s->threads *= 2;
  while (a->columns && s->threads > 32 &&
         sn_times(s->threads / s->team * a->column_bytes, a->length) > SN_GPU_ROW_TEAM_SHARED)
    s->threads /= 2;
  // Nothing but sums comes of a few elements of each thread: there are more threads.
  if (a->sums && !a->columns && a->form->outputs.size == sn_num_reduced(a->form) &&
      sn_pieces(vectors, s->team) * a->vector * a->live <= MOST_SUMMED)
    s->at_once = SN_GPU_ROW_THREADS * 3 / 2;
  s->blocks = sn_gpu_row_blocks(a, s, s->threads / s->team);
  return true;
}
