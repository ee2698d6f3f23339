// microkernels_vectors.c: products whose sums stay in vector registers while k goes on.
//
//   for j0 by 4 vectors, for i0 by 6 rows:
//     s[6][4] = c or 0
//     for l: s[i][j] += broadcast(a[i0 + i][l]) * b[l][j0 + 16 j ..]       24 sums, 4 vectors of b, one of a
//     c = s
//   what is left of the rows and columns: the same with fewer of each
//
// A line has m rows of n columns of sums. Where there are fewer columns the rows are more, so that as many sums are
// on their way. A count that is known at run time only is split into powers of two; columns behind the
// last whole vector are read and written by a mask where the block has no room for them.

#include "lowering/cpu/microkernels.h"
#include <assert.h>

#define MOST_SUMS 32
#define MOST_ROWS 14 // more rows of a are more streams than a core's prefetcher follows

typedef struct Tile Tile;
struct Tile {
  const SnMicroBlock *block;
  int64_t lanes, sums;
  MlirType vector;
  // of this tile
  MlirValue column;
  int64_t vectors;
  MlirValue mask; // of its vector; null: whole
};

static MlirValue plus(SnBuilder *b, MlirValue x, MlirValue y) { return sn(b, "arith.addi", x, y); }

static MlirValue at(SnBuilder *b, const SnPanel *p, MlirValue row, MlirValue column) {
  return plus(b, plus(b, p->offset, sn(b, "arith.muli", row, p->distance)), column);
}

// ---- pieces of a count ----------------------------------------------------------------------

// Emits `piece` for each `most` of the n, then for what is left. Counts that are not known are left over as powers of
// two.
typedef void (*Piece)(SnBuilder *b, Tile *t, MlirValue from, int64_t count);
static void in_pieces(SnBuilder *b, Tile *t, MlirValue n, int64_t most, Piece piece) {
  int64_t known, power = 1;
  bool fixed = sn_known(n, &known);
  MlirValue whole = sn_size_whole(b, n, most);
  if (!fixed || known >= most) {
    SnLoop i = sn_for(b, sn_index(b, 0), whole, sn_index(b, most));
    piece(b, t, i.index, most);
    sn_next(b, &i);
  }
  if (fixed && known % most)
    piece(b, t, whole, known % most);
  if (fixed)
    return;
  MlirValue rest = sn(b, "arith.subi", n, whole);
  while (2 * power < most)
    power *= 2;
  for (; power && most > 1; power /= 2) {
    MlirValue left = sn(b, "arith.remui", rest, sn_index(b, 2 * power));
    SnIf some = sn_if(b, sn(b, "arith.cmpi", left, sn_index(b, power), sn_attr("predicate", sn_i64(b->ctx, 9)))); // uge
    piece(b, t, plus(b, whole, sn(b, "arith.subi", rest, left)), power);
    sn_end_if(b, &some);
  }
}

// ---- one tile ------------------------------------------------------------------------------------

static MlirValue load(SnBuilder *b, const Tile *t, const SnPanel *p, MlirValue offset) {
  if (!sn_none(t->mask))
    return sn(b, "vector.maskedload", p->memory, offset, t->mask, sn_zero(b, t->vector), t->vector);
  return sn_scratch_load(b, p->memory, sn_values(1, &offset), t->vector, sn_no_attr());
}

static void store(SnBuilder *b, const Tile *t, const SnPanel *p, MlirValue offset, MlirValue x) {
  if (!sn_none(t->mask))
    sn_op(b, "vector.maskedstore", p->memory, offset, t->mask, x);
  else
    sn_scratch_store(b, x, p->memory, sn_values(1, &offset), sn_no_attr());
}

static MlirValue vector_column(SnBuilder *b, const Tile *t, int64_t v) {
  return plus(b, t->column, sn_index(b, v * t->lanes));
}

// An element of a on all lanes.
static MlirValue broadcast(SnBuilder *b, const Tile *t, MlirValue row, MlirValue l) {
  const SnPanel *a = &t->block->a;
  MlirValue offset = at(b, a, row, l);
  MlirValue x = sn_scratch_load(b, a->memory, sn_values(1, &offset), t->block->sum, sn_no_attr());
  return t->lanes > 1 ? sn(b, "vector.broadcast", x, t->vector) : x;
}

static MlirValue step(SnBuilder *b, const Tile *t, MlirValue x, MlirValue y, MlirValue sum) {
  if (t->block->line->written == SN_WRITTEN_AS_FMA)
    return sn(b, "math.fma", x, y, sum);
  bool is_float = sn_is_float(t->block->sum);
  return sn(b, is_float ? "arith.addf" : "arith.addi", sum, sn(b, is_float ? "arith.mulf" : "arith.muli", x, y));
}

static void emit_tile(SnBuilder *b, Tile *t, MlirValue row, int64_t rows) {
  const SnMicroBlock *block = t->block;
  MlirValue sums[MOST_SUMS], y[MOST_SUMS], zero = sn_index(b, 0);
  MlirType types[MOST_SUMS];
  int64_t n = rows * t->vectors;
  assert(n <= MOST_SUMS);
  for (int64_t i = 0; i < n; ++i)
    types[i] = t->vector;
  SnIf again = sn_if_types(b, block->again, sn_types(n, types));
  for (int64_t i = 0; i < n; ++i)
    sums[i] = load(b, t, &block->c,
                   at(b, &block->c, plus(b, row, sn_index(b, i / t->vectors)), vector_column(b, t, i % t->vectors)));
  sn_else_values(b, &again, sn_values(n, sums));
  for (int64_t i = 0; i < n; ++i)
    sums[i] = sn_zero(b, t->vector);
  sn_end_if_values(b, &again, sn_values(n, sums));
  for (int64_t i = 0; i < n; ++i)
    sums[i] = sn_result(again.op, i);

  SnLoop l = sn_for_values(b, zero, block->k, sn_index(b, 1), sn_values(n, sums));
  for (int64_t v = 0; v < t->vectors; ++v)
    y[v] = load(b, t, &block->b, at(b, &block->b, l.index, vector_column(b, t, v)));
  for (int64_t i = 0; i < rows; ++i) {
    MlirValue x = broadcast(b, t, plus(b, row, sn_index(b, i)), l.index);
    for (int64_t v = 0; v < t->vectors; ++v)
      sums[i * t->vectors + v] = step(b, t, x, y[v], l.carried[i * t->vectors + v]);
  }
  sn_next_values(b, &l, sn_values(n, sums));

  for (int64_t i = 0; i < n; ++i)
    store(b, t, &block->c,
          at(b, &block->c, plus(b, row, sn_index(b, i / t->vectors)), vector_column(b, t, i % t->vectors)),
          sn_result(l.op, i));
}

// ---- a block -----------------------------------------------------------------------------------------

static void rows_of_tiles(SnBuilder *b, Tile *t, MlirValue column, int64_t vectors) {
  int64_t rows = t->sums / vectors;
  t->column = column;
  t->vectors = vectors;
  in_pieces(b, t, t->block->m, rows < MOST_ROWS ? rows : MOST_ROWS, emit_tile);
}

static void columns_of_vectors(SnBuilder *b, Tile *t, MlirValue vector, int64_t vectors) {
  rows_of_tiles(b, t, sn(b, "arith.muli", vector, sn_index(b, t->lanes)), vectors);
}

static MlirValue mask_of(SnBuilder *b, int64_t lanes, MlirValue count) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), t = sn_vector(i32, lanes);
  MlirValue lane = sn(b, "arith.index_cast", sn(b, "vector.step", sn_vector(sn_index_type(b->ctx), lanes)), t);
  MlirValue end = sn(b, "vector.broadcast", sn(b, "arith.index_cast", count, i32), t);
  return sn(b, "arith.cmpi", lane, end, sn_attr("predicate", sn_i64(b->ctx, 6))); // ult
}

void sn_cpu_micro_vectors(SnKernel *k, SnBuilder *b, const SnMicroBlock *block) {
  int64_t lanes = sn_micro_lanes(block->line, block->sum), vectors = sn_micro_vectors(block->line), known;
  Tile t = {.block = block,
            .lanes = lanes,
            .sums = vectors * block->line->m,
            .vector = lanes > 1 ? sn_vector(block->sum, lanes) : block->sum};
  bool room = block->b_has_room && block->c_has_room;
  MlirValue whole = sn_size_whole(b, block->n, lanes), wide = sn_index(b, lanes),
            count = sn_size_ceil(b, room ? block->n : whole, wide);
  in_pieces(b, &t, count, vectors, columns_of_vectors);
  if (room || lanes == 1 || (sn_known(block->n, &known) && known % lanes == 0))
    return;
  MlirValue rest = sn(b, "arith.subi", block->n, whole);
  SnIf some = sn_if(b, sn(b, "arith.cmpi", rest, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 1)))); // ne
  t.mask = mask_of(b, lanes, rest);
  rows_of_tiles(b, &t, whole, 1);
  sn_end_if(b, &some);
}
