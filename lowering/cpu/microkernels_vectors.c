// microkernels_vectors.c: products whose sums stay in vector registers while k goes on.
//
//   for j0 by 4 vectors, for i0 by 6 rows:
//     s[6][4] = c or 0
//     for l: s[i][j] += broadcast(a[i0 + i][l]) * b[l][j0 + 16 j ..]       24 sums, 4 vectors of b, one of a
//     c = s
//   what is left of the rows and columns: the same with fewer of each
//
// A line has m rows of n columns of sums. A block whose sizes are known gets tiles of just these sizes, in place: fewer
// columns have more rows, so that as many sums are on their way. Any other block calls the module's function for the
// line and type. There columns behind the last whole tile are one tile of 3, 2 or 1 vectors, and rows go by powers of
// two. Columns behind the last whole vector are read and written by a mask where the block has no room for them.
//
// Where a's rows are runs that begin where tables say, the loop over k stands in one over runs.

#include "lowering/cpu/micro_block.h"
#include "lowering/rows/index.h"
#include <assert.h>

#define LINE 64 // bytes of memory
#define MOST_SUMS 32
#define MOST_ROWS 14     // of a tile: more rows of a are more streams than a core's prefetcher follows
#define MOST_WINDOWS 12  // of a tile whose rows begin where a table says: registers hold each row's address
#define MOST_LEFT_ROWS 8 // of the tiles that any count of columns may leave: a power of two

typedef struct Tile Tile;
struct Tile {
  SnKernel *kernel;
  const SnMicroBlock *block;
  int64_t lanes, most, sums; // of a vector; vectors of a row and of all rows of a tile
  MlirType vector;
  // of this tile
  MlirValue column;
  int64_t vectors;
  MlirValue mask; // of its vector; null: whole
};

static MlirValue at(SnBuilder *b, const SnPanel *p, MlirValue row, MlirValue column) {
  return plus(b, plus(b, p->offset, sn(b, "arith.muli", row, p->distance)), column);
}

// ---- pieces of a count ----------------------------------------------------------------------

// Emits `piece` for each `most` of the n, then for what is left: as one piece where that is known, else by powers of
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

static MlirValue load(SnBuilder *b, const Tile *t, const SnPanel *p, MlirType type, MlirValue offset) {
  if (!sn_none(t->mask))
    return sn(b, "vector.maskedload", p->memory, offset, t->mask, sn_zero(b, type), type);
  return sn_scratch_load(b, p->memory, sn_values(1, &offset), type, sn_no_attr());
}

// Of b, widened where it lies in memory and is narrower.
static MlirValue load_weights(SnBuilder *b, const Tile *t, MlirType type, MlirValue offset) {
  MlirType there = sn_element(sn_type_of(t->block->b.memory)), wanted = sn_element(type);
  if (mlirTypeEqual(there, wanted))
    return load(b, t, &t->block->b, type, offset);
  MlirType narrow = mlirTypeIsAVector(type) ? sn_vector(there, sn_dim(type, 0)) : there;
  return sn_row_convert(b, load(b, t, &t->block->b, narrow, offset), wanted);
}

// For the tile's columns of a row that is read later: its lines, into the second cache.
static void ask_ahead(SnBuilder *b, const Tile *t, MlirValue row) {
  const SnPanel *p = &t->block->b;
  int64_t line = 8 * LINE / sn_bits(sn_element(sn_type_of(p->memory)));
  MlirValue later = plus(b, row, sn_index(b, t->block->ahead));
  for (int64_t j = 0; j < t->vectors * t->lanes; j += line)
    sn_cpu_micro_prefetch(b, p->memory, at(b, p, later, plus(b, t->column, sn_index(b, j))), 2);
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

// What one register holds of a side: elements on lanes, or groups of them.
static MlirType lanes_of_side(const Tile *t, MlirType element) {
  int64_t n = t->lanes * t->block->line->group;
  return n > 1 ? sn_vector(element, n) : element;
}

// The first elements of a group, of which a run has no more; zeros behind them.
static MlirValue part_of_group(SnBuilder *b, const Tile *t, MlirValue offset, int64_t count, MlirType word) {
  const SnPanel *a = &t->block->a;
  MlirType element = sn_element(sn_type_of(a->memory)), bits = mlirIntegerTypeGet(b->ctx, sn_bits(element));
  MlirValue all = {0};
  for (int64_t i = 0; i < count; ++i) {
    MlirValue x = sn(b, "memref.load", a->memory, plus(b, offset, sn_index(b, i)), element);
    x = sn(b, "arith.extui", sn_is_float(element) ? sn(b, "arith.bitcast", x, bits) : x, word);
    if (i)
      x = sn(b, "arith.shli", x, sn_int(b, word, i * sn_bits(element)));
    all = i ? sn(b, "arith.ori", all, x) : x;
  }
  return all;
}

// An element of a, or a group, on all lanes. A run has `count` of the group's.
static MlirValue broadcast(SnBuilder *b, const Tile *t, MlirValue begin, MlirValue l, int64_t count) {
  const SnPanel *a = &t->block->a;
  int64_t group = t->block->line->group;
  MlirType element = sn_micro_packed(t->block->line->a, t->block->sum);
  MlirValue offset = plus(b, begin, sn(b, "arith.muli", l, sn_index(b, group)));
  if (group > 1) {
    MlirType word = mlirIntegerTypeGet(b->ctx, (unsigned)group * sn_bits(element));
    MlirValue x = {0};
    if (count < group) {
      x = part_of_group(b, t, offset, count, word);
    } else {
      x = sn(b, "vector.load", a->memory, offset, sn_vector(element, group));
      x = sn(b, "vector.extract", sn(b, "vector.bitcast", x, sn_vector(word, 1)),
             sn_attr("static_position", mlirDenseI64ArrayGet(b->ctx, 1, (int64_t[]){0})));
    }
    return sn(b, "vector.bitcast", sn(b, "vector.broadcast", x, sn_vector(word, t->lanes)), lanes_of_side(t, element));
  }
  MlirValue x = sn_scratch_load(b, a->memory, sn_values(1, &offset), element, sn_no_attr());
  return t->lanes > 1 ? sn(b, "vector.broadcast", x, t->vector) : x;
}

static MlirValue dot(SnKernel *k, SnBuilder *b, const SnMicroKernel *line, SnValues operands, MlirType sum) {
  return sn_result(sn_cpu_intrinsic(k, b, line->instruction, operands, sn_types(1, &sum)), 0);
}

MlirValue sn_cpu_micro_step(SnKernel *k, SnBuilder *b, const SnMicroKernel *line, MlirValue x, MlirValue y,
                            MlirValue sum) {
  MlirType t = sn_type_of(sum);
  bool is_float = sn_is_float(sn_element(t));
  const char *add = is_float ? "arith.addf" : "arith.addi";
  if (line->written == SN_WRITTEN_AS_FMA)
    return sn(b, "math.fma", x, y, sum);
  if (line->written == SN_WRITTEN_AS_DOT || line->written == SN_WRITTEN_AS_DOT_UNSIGNED)
    return dot(k, b, line, sn_values(3, (MlirValue[]){sum, x, y}), t);
  MlirValue product = line->written == SN_WRITTEN_AS_DOT_ADD ? dot(k, b, line, sn_values(2, (MlirValue[]){x, y}), t)
                                                             : sn(b, is_float ? "arith.mulf" : "arith.muli", x, y);
  return sn(b, add, sum, product);
}

static MlirValue step(SnBuilder *b, const Tile *t, MlirValue x, MlirValue y, MlirValue sum) {
  return sn_cpu_micro_step(t->kernel, b, t->block->line, x, y, sum);
}

// Bytes of a as numbers without a sign, 128 more.
static MlirValue without_sign(SnBuilder *b, MlirValue x) {
  MlirType t = sn_type_of(x);
  return sn(b, "arith.xori", x, sn_splat(b, t, mlirIntegerAttrGet(sn_element(t), -128)));
}

// What grows while k goes on: of each row its vectors, then what is taken off each vector.
typedef struct {
  MlirValue all[MOST_SUMS];
  int64_t rows, n; // n: with what is taken off
  MlirValue begins[MOST_ROWS];
} Sums;

static SnLoop begin(SnBuilder *b, MlirValue to, Sums *s) {
  SnLoop l = sn_for_values(b, sn_index(b, 0), to, sn_index(b, 1), sn_values(s->n, s->all));
  memcpy(s->all, l.carried, (size_t)s->n * sizeof *s->all);
  return l;
}

static void end(SnBuilder *b, SnLoop *l, Sums *s) {
  sn_next_values(b, l, sn_values(s->n, s->all));
  for (int64_t i = 0; i < s->n; ++i)
    s->all[i] = sn_result(l->op, i);
}

// One group of k: `count` elements at group l of rows that begin at s->begins, and b's group.
static void add_group(SnBuilder *b, const Tile *t, Sums *s, const MlirValue *begins, MlirValue l, MlirValue group,
                      int64_t count) {
  const SnMicroBlock *block = t->block;
  MlirValue y[MOST_SUMS], width = sn_index(b, block->line->group);
  bool is_unsigned = block->line->written == SN_WRITTEN_AS_DOT_UNSIGNED;
  MlirType of_b = lanes_of_side(t, sn_micro_packed(block->line->b, block->sum));
  if (block->ahead)
    ask_ahead(b, t, group);
  for (int64_t v = 0; v < t->vectors; ++v)
    y[v] = load_weights(b, t, of_b, at(b, &block->b, group, sn(b, "arith.muli", vector_column(b, t, v), width)));
  for (int64_t i = 0; i < s->rows; ++i) {
    MlirValue x = broadcast(b, t, begins[i], l, count);
    x = is_unsigned ? without_sign(b, x) : x;
    for (int64_t v = 0; v < t->vectors; ++v)
      s->all[i * t->vectors + v] = step(b, t, x, y[v], s->all[i * t->vectors + v]);
  }
  for (int64_t i = s->rows * t->vectors; i < s->n; ++i)
    s->all[i] = step(b, t, without_sign(b, sn_zero(b, of_b)), y[i - s->rows * t->vectors], s->all[i]);
}

// Run after run; what is behind its last whole group is one by itself.
static void add_runs(SnBuilder *b, const Tile *t, Sums *s) {
  const SnMicroBlock *block = t->block;
  int64_t group = block->line->group, whole = block->run / group, rest = block->run % group;
  MlirValue begins[MOST_ROWS], groups = sn_index(b, whole + (rest > 0));
  SnLoop u = begin(b, sn(b, "arith.divui", block->k, sn_index(b, block->run)), s);
  MlirValue first = sn(b, "arith.muli", u.index, groups), shift = sn_cpu_micro_run(b, block, u.index);
  for (int64_t i = 0; i < s->rows; ++i)
    begins[i] = plus(b, s->begins[i], shift);
  SnLoop l = begin(b, sn_index(b, whole), s);
  add_group(b, t, s, begins, l.index, plus(b, first, l.index), group);
  end(b, &l, s);
  if (rest)
    add_group(b, t, s, begins, sn_index(b, whole), plus(b, first, sn_index(b, whole)), rest);
  end(b, &u, s);
}

static void emit_tile(SnBuilder *b, Tile *t, MlirValue row, int64_t rows) {
  const SnMicroBlock *block = t->block;
  bool is_unsigned = block->line->written == SN_WRITTEN_AS_DOT_UNSIGNED;
  Sums s = {.rows = rows};
  MlirType types[MOST_SUMS];
  int64_t n = rows * t->vectors, taken_off = is_unsigned ? t->vectors : 0; // 128 times sums of columns of b
  s.n = n + taken_off;
  assert(s.n <= MOST_SUMS && rows <= MOST_ROWS);
  for (int64_t i = 0; i < n; ++i)
    types[i] = t->vector;
  SnIf again = sn_if_types(b, block->again, sn_types(n, types));
  for (int64_t i = 0; i < n; ++i)
    s.all[i] = load(b, t, &block->c, t->vector,
                    at(b, &block->c, plus(b, row, sn_index(b, i / t->vectors)), vector_column(b, t, i % t->vectors)));
  sn_else_values(b, &again, sn_values(n, s.all));
  for (int64_t i = 0; i < n; ++i)
    s.all[i] = sn_zero(b, t->vector);
  sn_end_if_values(b, &again, sn_values(n, s.all));
  for (int64_t i = 0; i < n; ++i)
    s.all[i] = sn_result(again.op, i);
  for (int64_t v = n; v < s.n; ++v)
    s.all[v] = sn_zero(b, t->vector);
  for (int64_t i = 0; i < rows; ++i)
    s.begins[i] = sn_cpu_micro_row(b, block, plus(b, row, sn_index(b, i)));

  if (block->run) {
    add_runs(b, t, &s);
  } else {
    int64_t group = block->line->group;
    SnLoop l = begin(b, sn_size_ceil(b, block->k, sn_index(b, group)), &s);
    add_group(b, t, &s, s.begins, l.index, l.index, group);
    end(b, &l, &s);
  }
  for (int64_t i = 0; i < n; ++i) {
    MlirValue sum = taken_off ? sn(b, "arith.subi", s.all[i], s.all[n + i % t->vectors]) : s.all[i];
    store(b, t, &block->c,
          at(b, &block->c, plus(b, row, sn_index(b, i / t->vectors)), vector_column(b, t, i % t->vectors)), sum);
  }
}

// ---- a block -----------------------------------------------------------------------------------------

static void rows_of_tiles(SnBuilder *b, Tile *t, MlirValue column, int64_t vectors, int64_t most) {
  int64_t rows = t->sums / vectors;
  t->column = column;
  t->vectors = vectors;
  in_pieces(b, t, t->block->m, rows < most ? rows : most, emit_tile);
}

static void columns_of_tiles(SnBuilder *b, Tile *t, MlirValue column, int64_t vectors) {
  rows_of_tiles(b, t, column, vectors, t->block->run ? MOST_WINDOWS : MOST_ROWS);
}

MlirValue sn_cpu_micro_mask(SnBuilder *b, int64_t lanes, MlirValue count) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), t = sn_vector(i32, lanes);
  MlirValue lane = sn(b, "arith.index_cast", sn(b, "vector.step", sn_vector(sn_index_type(b->ctx), lanes)), t);
  MlirValue end = sn(b, "vector.broadcast", sn(b, "arith.index_cast", count, i32), t);
  return sn(b, "arith.cmpi", lane, end, sn_attr("predicate", sn_i64(b->ctx, 2))); // slt
}

static Tile tile_of(SnKernel *k, const SnMicroBlock *block) {
  int64_t lanes = sn_micro_lanes(block->line, block->sum), vectors = sn_micro_vectors(block->line);
  return (Tile){.kernel = k,
                .block = block,
                .lanes = lanes,
                .most = vectors,
                .sums = vectors * block->line->m,
                .vector = lanes > 1 ? sn_vector(block->sum, lanes) : block->sum};
}

static bool has_room(const SnMicroBlock *block) { return block->b_has_room && block->c_has_room; }

// Tiles of columns: as many whole vectors as there are or, where there is room, as they begin.
static void emit_known(SnBuilder *b, Tile *t, int64_t n) {
  int64_t vectors = has_room(t->block) ? sn_pieces(n, t->lanes) : n / t->lanes, from = 0;
  MlirValue tile = sn_index(b, t->most * t->lanes);
  if (vectors >= t->most) {
    from = vectors / t->most * t->most * t->lanes;
    SnLoop j = sn_for(b, sn_index(b, 0), sn_index(b, from), tile);
    columns_of_tiles(b, t, j.index, t->most);
    sn_next(b, &j);
  }
  if (vectors % t->most)
    columns_of_tiles(b, t, sn_index(b, from), vectors % t->most);
  if (vectors * t->lanes >= n)
    return;
  t->mask = sn_cpu_micro_mask(b, t->lanes, sn_index(b, n - vectors * t->lanes));
  columns_of_tiles(b, t, sn_index(b, vectors * t->lanes), 1);
}

static MlirValue equals(SnBuilder *b, MlirValue x, int64_t n) {
  return sn(b, "arith.cmpi", x, sn_index(b, n), sn_attr("predicate", sn_i64(b->ctx, 0)));
}

static void emit_any(SnKernel *k, SnBuilder *b, const SnMicroBlock *block) {
  Tile t = tile_of(k, block);
  bool room = has_room(block) || t.lanes == 1;
  MlirValue wide = sn_index(b, t.lanes), n = block->n;
  n = room ? sn(b, "arith.muli", sn_size_ceil(b, n, wide), wide) : n; // whole vectors: 63 columns are a whole tile
  MlirValue whole = sn_size_whole(b, n, t.most * t.lanes);
  SnLoop j = sn_for(b, sn_index(b, 0), whole, sn_index(b, t.most * t.lanes));
  columns_of_tiles(b, &t, j.index, t.most);
  sn_next(b, &j);
  MlirValue left = sn(b, "arith.subi", n, whole), rest = sn(b, "arith.remui", left, wide);
  MlirValue vectors = sn(b, "arith.divui", left, wide);
  for (int64_t v = t.most - 1; v > 0; --v) {
    SnIf some = sn_if(b, equals(b, vectors, v));
    rows_of_tiles(b, &t, whole, v, MOST_LEFT_ROWS);
    sn_end_if(b, &some);
  }
  if (room)
    return;
  SnIf part = sn_if(b, sn(b, "arith.cmpi", rest, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 1)))); // ne
  t.mask = sn_cpu_micro_mask(b, t.lanes, rest);
  rows_of_tiles(b, &t, sn(b, "arith.subi", n, rest), 1, MOST_LEFT_ROWS);
  sn_end_if(b, &part);
}

void sn_cpu_micro_vectors(SnKernel *k, SnBuilder *b, const SnMicroBlock *block) {
  int64_t m, n;
  if (!sn_known(block->m, &m) || !sn_known(block->n, &n)) {
    sn_cpu_micro_shared(k, b, block, has_room(block) ? "" : "_masked", 0, emit_any);
    return;
  }
  Tile t = tile_of(k, block);
  emit_known(b, &t, n);
}
