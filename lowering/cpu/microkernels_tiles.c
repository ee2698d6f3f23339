// microkernels_tiles.c: products in AMX's tile registers.
//
//   for j0 by 2 tiles, for i0 by 2 tiles:
//     s[2][2] = c or 0                                              16 x 16 sums each
//     for l by 64 bytes of k:
//       s[i][j] += a[i0 + i][l ..] . b[l ..][j0 + j]                4 products of 2 + 2 loads
//     c = s
//   what is left: one tile of rows, or of columns
//
// Where an element is a sum of parts (kernel = "amx.f16"), so is a tile: parts p of a and q of b are multiplied where p
// + q <= 2. Those of the same place along k are neighbours in memory.
//
// Few rows by weights [n][k] (kernel = "inner.amx"): s[j][i] += b[j0 + j][l ..] . a[l ..][i0 + i]. Tiles of weights are
// left sides, which lie in memory so, and tiles of rows are packed as right ones. Each weight is read once, and asked
// for some steps before; the sums are turned at the end.
//
// Two by two tiles are as fast as any (other shapes load more for each product). The configuration of tiles is 50 ns
// at a function's entry, so the function holds all loops of a block and is not inlined: a call in its caller would
// save every tile register. Whole tiles only: panels have room for them.

#include "lowering/cpu/micro_block.h"
#include "lowering/cpu/pack.h"
#include "lowering/rows/index.h"
#include <stdio.h>

#define ROW_BYTES 64 // of a tile
#define TILE 16      // rows of a tile, and its columns of 4 bytes
#define AHEAD 4      // steps along k
#define SMALLEST 2   // p + q of parts whose product counts: it is 2^-16 of the first ones'

typedef struct {
  SnKernel *kernel;
  const SnMicroBlock *block;
  MlirValue rows, bytes; // of a tile, as i16
  MlirType tile;
  MlirValue turned; // memory of few rows' sums, which are turned there
} Tiles;

static MlirValue stride(SnBuilder *b, const SnPanel *p) {
  int64_t bytes = sn_bits(sn_element(sn_type_of(p->memory))) / 8;
  return sn(b, "arith.index_cast", times(b, p->distance, bytes), mlirIntegerTypeGet(b->ctx, 64));
}

static MlirValue address(SnBuilder *b, const SnPanel *p, MlirValue row, MlirValue column) {
  MlirValue offset = plus(b, plus(b, p->offset, sn(b, "arith.muli", row, p->distance)), column);
  return sn_cpu_address(b, p->memory, offset);
}

static MlirValue zero(SnBuilder *b, const Tiles *t) {
  MlirValue operands[] = {t->rows, t->bytes};
  return sn_result(
      sn_cpu_intrinsic(t->kernel, b, "llvm.x86.tilezero.internal", sn_values(2, operands), sn_types(1, &t->tile)), 0);
}

// A part of one of a's rows or b's columns, `at` along k.
static MlirValue tile_at(SnBuilder *b, const SnMicroKernel *line, const SnPanel *p, int part, MlirValue across,
                         MlirValue at) {
  MlirValue tile = sn(b, "arith.divui", across, sn_index(b, TILE));
  MlirValue offset =
      plus(b, plus(b, p->offset, sn(b, "arith.muli", tile, p->across)), sn(b, "arith.muli", at, p->along));
  if (part)
    offset = plus(b, offset, sn_index(b, part * line->k * TILE));
  return sn_cpu_address(b, p->memory, offset);
}

static MlirValue load(SnBuilder *b, const Tiles *t, const SnPanel *p, MlirValue from) {
  MlirValue operands[] = {t->rows, t->bytes, from, stride(b, p)};
  return sn_result(
      sn_cpu_intrinsic(t->kernel, b, "llvm.x86.tileloadd64.internal", sn_values(4, operands), sn_types(1, &t->tile)),
      0);
}

static void store(SnBuilder *b, const Tiles *t, MlirValue x, MlirValue row, MlirValue column) {
  const SnPanel *c = &t->block->c;
  MlirValue operands[] = {t->rows, t->bytes, address(b, c, row, column), stride(b, c), x};
  sn_cpu_intrinsic(t->kernel, b, "llvm.x86.tilestored64.internal", sn_values(5, operands), sn_types(0, NULL));
}

static MlirValue multiply(SnBuilder *b, const Tiles *t, MlirValue x, MlirValue y, MlirValue sum) {
  MlirValue operands[] = {t->rows, t->bytes, t->bytes, sum, x, y};
  return sn_result(
      sn_cpu_intrinsic(t->kernel, b, t->block->line->instruction, sn_values(6, operands), sn_types(1, &t->tile)), 0);
}

// A line of each of some rows that are multiplied later.
static void ask_for_next(SnBuilder *b, const SnMicroBlock *block, MlirValue row, MlirValue column, MlirValue step) {
  MlirValue two = sn_index(b, 2 * TILE), rows = sn_size_ceil(b, block->m, two);
  MlirValue before = sn(b, "arith.muli", sn(b, "arith.divui", column, two), rows),
            number = plus(b, before, sn(b, "arith.divui", row, two));
  int64_t line = ROW_BYTES * 8 / sn_bits(sn_element(sn_type_of(block->next.memory)));
  for (int64_t r = 0; r < block->asked; ++r) {
    MlirValue at = plus(b, times(b, number, block->asked), sn_index(b, r));
    at = plus(b, plus(b, block->next.offset, sn(b, "arith.muli", at, block->next.distance)), times(b, step, line));
    sn_cpu_micro_prefetch(b, block->next.memory, at, 2);
  }
}

// m x n tiles of sums.
static void emit_tiles(SnBuilder *b, const Tiles *t, MlirValue row, MlirValue column, int m, int n) {
  const SnMicroBlock *block = t->block;
  int64_t k = block->line->k;
  MlirValue sums[4], y[2], rows[2], columns[2];
  MlirType types[] = {t->tile, t->tile, t->tile, t->tile};
  for (int i = 0; i < 2; ++i) {
    rows[i] = plus(b, row, sn_index(b, i * TILE));
    columns[i] = plus(b, column, sn_index(b, i * TILE));
  }
  SnIf again = sn_if_types(b, block->again, sn_types(m * n, types));
  for (int i = 0; i < m * n; ++i)
    sums[i] = load(b, t, &block->c, address(b, &block->c, rows[i / n], columns[i % n]));
  sn_else_values(b, &again, sn_values(m * n, sums));
  for (int i = 0; i < m * n; ++i)
    sums[i] = zero(b, t);
  sn_end_if_values(b, &again, sn_values(m * n, sums));
  for (int i = 0; i < m * n; ++i)
    sums[i] = sn_result(again.op, i);

  MlirValue steps = sn_size_ceil(b, block->k, sn_index(b, k));
  SnLoop l = sn_for_values(b, sn_index(b, 0), steps, sn_index(b, 1), sn_values(m * n, sums));
  memcpy(sums, l.carried, (size_t)(m * n) * sizeof *sums);
  if (block->asked && m * n == 4)
    ask_for_next(b, block, row, column, l.index);
  for (int q = 0; q < sn_micro_parts(block->line); ++q) {
    for (int j = 0; j < n; ++j)
      y[j] = load(b, t, &block->b, tile_at(b, block->line, &block->b, q, columns[j], l.index));
    for (int i = 0; i < m; ++i)
      for (int p = 0; p < sn_micro_parts(block->line) && p + q <= SMALLEST; ++p) {
        MlirValue x = load(b, t, &block->a, tile_at(b, block->line, &block->a, p, rows[i], l.index));
        for (int j = 0; j < n; ++j)
          sums[i * n + j] = multiply(b, t, x, y[j], sums[i * n + j]);
      }
  }
  sn_next_values(b, &l, sn_values(m * n, sums));
  for (int i = 0; i < m * n; ++i)
    store(b, t, sn_result(l.op, i), rows[i / n], columns[i % n]);
}

static void emit_rows(SnBuilder *b, const Tiles *t, MlirValue column, int n) {
  MlirValue m = t->block->m, tile = sn_index(b, TILE), two = sn_index(b, 2 * TILE);
  MlirValue tiles = sn_size_mul(b, sn_size_ceil(b, m, tile), tile), whole = sn_size_whole(b, tiles, 2 * TILE);
  SnLoop i = sn_for(b, sn_index(b, 0), whole, two);
  emit_tiles(b, t, i.index, column, 2, n);
  sn_next(b, &i);
  SnIf left = sn_if(b, sn(b, "arith.cmpi", whole, tiles, sn_attr("predicate", sn_i64(b->ctx, 6)))); // ult
  emit_tiles(b, t, whole, column, 1, n);
  sn_end_if(b, &left);
}

static void emit(SnKernel *k, SnBuilder *b, const SnMicroBlock *block) {
  MlirType i16 = mlirIntegerTypeGet(b->ctx, 16);
  Tiles t = {k, block, sn_int(b, i16, TILE), sn_int(b, i16, ROW_BYTES), sn_type(b->ctx, "!llvm.x86_amx")};
  MlirValue tile = sn_index(b, TILE), columns = sn_size_mul(b, sn_size_ceil(b, block->n, tile), tile),
            whole = sn_size_whole(b, columns, 2 * TILE);
  SnLoop j = sn_for(b, sn_index(b, 0), whole, sn_index(b, 2 * TILE));
  emit_rows(b, &t, j.index, 2);
  sn_next(b, &j);
  SnIf left = sn_if(b, sn(b, "arith.cmpi", whole, columns, sn_attr("predicate", sn_i64(b->ctx, 6)))); // ult
  emit_rows(b, &t, whole, 1);
  sn_end_if(b, &left);
}

// ---- few rows, by weights [n][k] where they lie -------------------------------------------------

// The lines of a tile of columns that come later, and where its rows end those of the next columns, `further` on.
static void ask_ahead(SnBuilder *b, const Tiles *t, MlirValue column, MlirValue at, MlirValue further) {
  const SnPanel *p = &t->block->b;
  int64_t ahead = AHEAD * t->block->line->k;
  MlirValue then = plus(b, at, sn_index(b, ahead)), k = t->block->k;
  MlirValue next = plus(b, sn(b, "arith.subi", then, k), sn(b, "arith.muli", further, p->distance));
  MlirValue ends = sn(b, "arith.cmpi", then, k, sn_attr("predicate", sn_i64(b->ctx, 9))); // uge
  then = sn(b, "arith.select", ends, next, then);
  MlirValue first = plus(b, plus(b, p->offset, sn(b, "arith.muli", column, p->distance)), then);
  for (int64_t r = 0; r < TILE; ++r)
    sn_cpu_micro_prefetch(b, p->memory, plus(b, first, sn(b, "arith.muli", sn_index(b, r), p->distance)), 3);
}

// Sums of 16 columns by 16 rows, turned, to rows of c. The first `shift` columns are others'.
static void turn(SnBuilder *b, const Tiles *t, MlirValue sums, int64_t first, MlirValue shift, MlirValue row,
                 MlirValue column) {
  const SnPanel *c = &t->block->c;
  MlirType type = sn_vector(t->block->sum, TILE), types[TILE];
  MlirValue v[TILE], offset[TILE];
  for (int64_t i = 0; i < TILE; ++i) {
    types[i] = type;
    v[i] = sn(b, "vector.load", sums, times(b, plus(b, shift, sn_index(b, first + i)), TILE), type);
    offset[i] = plus(b, plus(b, c->offset, sn(b, "arith.muli", plus(b, row, sn_index(b, i)), c->distance)), column);
  }
  sn_pack_transpose(b, TILE, v);
  SnIf again = sn_if_types(b, t->block->again, sn_types(TILE, types));
  MlirValue more[TILE];
  for (int64_t i = 0; i < TILE; ++i)
    more[i] = sn(b, sn_is_float(t->block->sum) ? "arith.addf" : "arith.addi",
                 sn(b, "vector.load", c->memory, offset[i], type), v[i]);
  sn_else_values(b, &again, sn_values(TILE, more));
  sn_end_if_values(b, &again, sn_values(TILE, v));
  for (int64_t i = 0; i < TILE; ++i)
    sn_op(b, "vector.store", sn_result(again.op, i), c->memory, offset[i]);
}

// m tiles of rows by n of columns: weights are the left sides, and rows, which are packed as columns, the right ones.
// Tiles of columns begin `shift` in front of `column`.
static void emit_few(SnBuilder *b, const Tiles *t, MlirValue row, MlirValue column, MlirValue shift, int m, int n) {
  const SnMicroBlock *block = t->block;
  MlirValue sums[4], y[2], rows[2], columns[4];
  for (int i = 0; i < m; ++i)
    rows[i] = plus(b, row, sn_index(b, i * TILE));
  for (int j = 0; j < n; ++j)
    columns[j] = sn(b, "arith.subi", plus(b, column, sn_index(b, j * TILE)), shift);
  for (int i = 0; i < m * n; ++i)
    sums[i] = zero(b, t);
  MlirValue steps = sn_size_ceil(b, block->k, sn_index(b, block->line->k));
  SnLoop l = sn_for_values(b, sn_index(b, 0), steps, sn_index(b, 1), sn_values(m * n, sums));
  memcpy(sums, l.carried, (size_t)(m * n) * sizeof *sums);
  MlirValue at = times(b, l.index, block->line->k);
  for (int i = 0; i < m; ++i)
    y[i] = load(b, t, &block->a, tile_at(b, block->line, &block->a, 0, rows[i], l.index));
  for (int j = 0; j < n; ++j) {
    ask_ahead(b, t, columns[j], at, sn_index(b, n * TILE));
    MlirValue x = load(b, t, &block->b, address(b, &block->b, columns[j], at));
    for (int i = 0; i < m; ++i)
      sums[j * m + i] = multiply(b, t, x, y[i], sums[j * m + i]);
  }
  sn_next_values(b, &l, sn_values(m * n, sums));
  MlirValue none = sn_index(b, 0);
  for (int i = 0; i < m * n; ++i) {
    SnPanel to = {.memory = t->turned, .offset = none, .distance = sn_index(b, TILE)};
    MlirValue operands[] = {t->rows, t->bytes, address(b, &to, sn_index(b, 2 * i * TILE), none), stride(b, &to),
                            sn_result(l.op, i)};
    sn_cpu_intrinsic(t->kernel, b, "llvm.x86.tilestored64.internal", sn_values(5, operands), sn_types(0, NULL));
  }
  for (int i = 0; i < m * n; ++i)
    turn(b, t, t->turned, 2 * i * TILE, shift, rows[i % m], plus(b, column, sn_index(b, i / m * TILE)));
}

// m tiles of rows; the last tile of columns begins inside of the one in front of it.
static void few_rows(SnBuilder *b, const Tiles *t, MlirValue row, int m) {
  MlirValue n = t->block->n, none = sn_index(b, 0), tile = sn_index(b, TILE);
  int together = 4 / m;
  MlirValue whole = sn_size_whole(b, n, together * TILE);
  SnLoop j = sn_for(b, none, whole, sn_index(b, together * TILE));
  emit_few(b, t, row, j.index, none, m, together);
  sn_next(b, &j);
  j = sn_for(b, whole, n, tile);
  MlirValue left = sn(b, "arith.minsi", tile, sn(b, "arith.subi", n, j.index));
  emit_few(b, t, row, j.index, sn(b, "arith.subi", tile, left), m, 1);
  sn_next(b, &j);
}

static void emit_turned(SnKernel *k, SnBuilder *b, const SnMicroBlock *like) {
  SnMicroBlock block = *like;
  MlirType i16 = mlirIntegerTypeGet(b->ctx, 16);
  int64_t size = 8 * TILE * TILE; // of up to four tiles, with room behind each for what `shift` leaves out
  Tiles t = {k, &block, sn_int(b, i16, TILE), sn_int(b, i16, ROW_BYTES), sn_type(b->ctx, "!llvm.x86_amx"),
             sn(b, "memref.alloca", sn_memref(block.sum, 1, &size), sn_attr("alignment", sn_i64(b->ctx, ROW_BYTES)))};
  if (block.apart)
    block.b.distance = sn_index(b, block.apart);
  MlirValue tile = sn_index(b, TILE), tiles = sn_size_mul(b, sn_size_ceil(b, block.m, tile), tile),
            whole = sn_size_whole(b, tiles, 2 * TILE);
  SnLoop i = sn_for(b, sn_index(b, 0), whole, sn_index(b, 2 * TILE));
  few_rows(b, &t, i.index, 2);
  sn_next(b, &i);
  SnIf left = sn_if(b, sn(b, "arith.cmpi", whole, tiles, sn_attr("predicate", sn_i64(b->ctx, 6)))); // ult
  few_rows(b, &t, whole, 1);
  sn_end_if(b, &left);
}

void sn_cpu_micro_tiles(SnKernel *k, SnBuilder *b, const SnMicroBlock *block) {
  char kind[40] = "";
  bool turned = block->line->pack_b == SN_PACK_COLUMNS;
  if (turned && block->apart)
    snprintf(kind, sizeof kind, "_apart%lld", (long long)block->apart);
  if (block->asked)
    snprintf(kind, sizeof kind, "_asks%lld", (long long)block->asked);
  sn_cpu_micro_shared(k, b, block, kind, 0, turned ? emit_turned : emit);
}
