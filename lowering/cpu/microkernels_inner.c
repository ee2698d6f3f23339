// microkernels_inner.c: products of few rows by weights [j, k], whose vectors run along k.
//
//   for j0 by 4 columns, for i0 by 4 rows:
//     s[4][4] = 0
//     for l by a line of memory: s[i][j] += a[i0 + i][l ..] * b[j0 + j][l ..]      b is widened if it is narrower
//     for what is left of k: the same by a mask
//     c[i][j ..] (+)= the lanes of s[i][j], summed: lanes of 4 columns at once
//
// Each weight is read once from where it lies. Four streams of them are as many as reach the bandwidth of memory;
// hardware stops its prefetching where a page ends, so each stream asks for what is 16 lines ahead, and where its row
// ends for the beginning of its next one. Sums that follow one another wait four cycles each: one row's have a chain
// for each vector of a line.
//
// test: test/lowering/cpu/few_rows.mlir, test/run/kernels.test

#include "lowering/cpu/micro_block.h"
#include "lowering/rows/index.h"
#include <assert.h>

#define LINE 64         // bytes of memory
#define AHEAD 16        // lines
#define MOST_SUMS 16    // of a tile: rows, columns, and chains of each
#define FEWEST_LANES 8  // of a load
#define ENOUGH_CHAINS 8 // of all sums
#define FEW_COLUMNS 16  // for each count of which there is a function of its own

typedef struct {
  SnKernel *kernel;
  const SnMicroBlock *block;
  MlirType narrow, wide; // a vector of b as it lies in memory, and as it is multiplied
  MlirType of_a, element_a;
  MlirType sum;                       // a vector of the accumulator's
  int64_t width, parts;               // elements of a vector, vectors of a line
  MlirValue row, column;              // of a tile
  int64_t rows, columns, chains;
  MlirValue begins[MOST_SUMS]; // where each row of a does
  bool many_rows; // by few columns: rows of a are what is read once
} Tile;

static MlirValue at(SnBuilder *b, const SnPanel *p, MlirValue row, int64_t more, MlirValue column) {
  MlirValue r = plus(b, row, sn_index(b, more));
  return plus(b, plus(b, p->offset, sn(b, "arith.muli", r, p->distance)), column);
}

static MlirValue behind(SnBuilder *b, MlirValue from, MlirValue x) { return sn_none(from) ? x : plus(b, from, x); }

// The mask may be of fewer lanes, which are the first ones: a short load is in one line of memory more often.
static MlirValue load(SnBuilder *b, const SnPanel *p, MlirType type, MlirValue offset, MlirValue mask) {
  if (sn_none(mask))
    return sn(b, "vector.load", p->memory, offset, type);
  MlirType first = sn_vector(sn_element(type), sn_dim(sn_type_of(mask), 0));
  MlirValue x = sn(b, "vector.maskedload", p->memory, offset, mask, sn_zero(b, first), first);
  return mlirTypeEqual(first, type) ? x
                                    : sn(b, "vector.insert_strided_slice", x, sn_zero(b, type), type,
                                         sn_attr("offsets", sn_parse_attr(b->ctx, "[0]")),
                                         sn_attr("strides", sn_parse_attr(b->ctx, "[1]")));
}

static MlirValue add(SnBuilder *b, MlirValue x, MlirValue y) {
  return sn(b, sn_is_float(sn_element(sn_type_of(x))) ? "arith.addf" : "arith.addi", x, y);
}

static MlirValue at_row(SnBuilder *b, const Tile *t, int64_t i, MlirValue column) {
  return t->block->run ? plus(b, t->begins[i], column) : at(b, &t->block->a, t->row, i, column);
}

// The lines of `n` rows of a panel that come later; behind their end those of the next n rows begin.
static void ask_ahead(SnBuilder *b, const SnPanel *p, MlirValue first, int64_t n, MlirValue l, MlirValue k) {
  int64_t elements = LINE * AHEAD * 8 / sn_bits(sn_element(sn_type_of(p->memory)));
  MlirValue then = plus(b, l, sn_index(b, elements));
  MlirValue next = sn(b, "arith.subi", plus(b, then, sn(b, "arith.muli", p->distance, sn_index(b, n))), k);
  MlirValue ends = sn(b, "arith.cmpi", then, k, sn_attr("predicate", sn_i64(b->ctx, 9))); // uge
  then = sn(b, "arith.select", ends, next, then);
  for (int64_t i = 0; i < n; ++i)
    sn_cpu_micro_prefetch(b, p->memory, at(b, p, first, i, then), 3);
}

// One vector of each row, at x0, and of each column, at l; the sums are those of `chain`.
static void step(SnBuilder *b, const Tile *t, MlirValue x0, MlirValue l, MlirValue mask, int64_t chain,
                 MlirValue *sums) {
  const SnMicroBlock *block = t->block;
  MlirValue x[MOST_SUMS];
  for (int64_t i = 0; i < t->rows; ++i)
    x[i] = sn_row_convert(b, load(b, &block->a, t->of_a, at_row(b, t, i, x0), mask), t->element_a);
  for (int64_t j = 0; j < t->columns; ++j) {
    MlirValue y =
        sn_row_convert(b, load(b, &block->b, t->narrow, at(b, &block->b, t->column, j, l), mask), sn_element(t->wide));
    for (int64_t i = 0; i < t->rows; ++i) {
      MlirValue *sum = &sums[(i * t->columns + j) * t->chains + chain];
      *sum = sn_cpu_micro_step(t->kernel, b, block->line, x[i], y, *sum);
    }
  }
}

// Columns beside each other, whose lanes are `per` each: half as many lanes, of two vectors or within one.
static MlirValue halves(SnBuilder *b, MlirValue x, MlirValue y, int64_t lanes, int64_t per) {
  int64_t low[2 * SN_MAX_LANES], high[2 * SN_MAX_LANES], n = 0;
  for (int64_t l = 0; l < lanes; ++l)
    if (l % per < per / 2) {
      low[n] = l;
      high[n++] = l + per / 2;
    }
  return add(b, sn(b, "vector.shuffle", x, y, sn_attr("mask", mlirDenseI64ArrayGet(b->ctx, n, low))),
             sn(b, "vector.shuffle", x, y, sn_attr("mask", mlirDenseI64ArrayGet(b->ctx, n, high))));
}

// A vector of n sums, each of all lanes of its own. n and lanes are powers of two.
static MlirValue sums_of_lanes(SnBuilder *b, int64_t n, MlirValue *v) {
  int64_t lanes = sn_dim(sn_type_of(v[0]), 0), per = lanes;
  for (; n > 1; n /= 2, per /= 2)
    for (int64_t i = 0; i < n / 2; ++i)
      v[i] = halves(b, v[2 * i], v[2 * i + 1], 2 * lanes, per);
  for (; per > 1; per /= 2, lanes /= 2)
    v[0] = halves(b, v[0], v[0], lanes, per);
  return v[0];
}

// Sums of one row, to c or added to what is there.
static void store(SnBuilder *b, const Tile *t, int64_t i, MlirValue *sums) {
  const SnMicroBlock *block = t->block;
  MlirValue all = sums_of_lanes(b, t->columns, sums), offset = at(b, &block->c, t->row, i, t->column);
  MlirType type = sn_type_of(all);
  SnIf again = sn_if_types(b, block->again, sn_types(1, &type));
  MlirValue more = add(b, sn(b, "vector.load", block->c.memory, offset, type), all);
  sn_else_values(b, &again, sn_values(1, &more));
  sn_end_if_values(b, &again, sn_values(1, &all));
  sn_op(b, "vector.store", sn_result(again.op, 0), block->c.memory, offset);
}

static SnLoop begin(SnBuilder *b, const Tile *t, MlirValue from, MlirValue to, int64_t by, MlirValue *sums) {
  intptr_t n = t->rows * t->columns * t->chains;
  SnLoop l = sn_for_values(b, from, to, sn_index(b, by), sn_values(n, sums));
  memcpy(sums, l.carried, (size_t)n * sizeof *sums);
  return l;
}

static void end(SnBuilder *b, const Tile *t, SnLoop *l, MlirValue *sums) {
  intptr_t n = t->rows * t->columns * t->chains;
  sn_next_values(b, l, sn_values(n, sums));
  for (intptr_t i = 0; i < n; ++i)
    sums[i] = sn_result(l->op, i);
}

// Elements l .. l + count of a's and b's lines: whole lines of memory, then by a mask.
static void emit_run(SnBuilder *b, const Tile *t, MlirValue a0, MlirValue b0, MlirValue count, MlirValue *sums) {
  const SnMicroBlock *block = t->block;
  MlirValue none = {0}, zero = sn_index(b, 0);
  int64_t line = t->width * t->parts, known;
  MlirValue whole = sn_size_whole(b, count, line);
  SnLoop l = begin(b, t, zero, whole, line, sums);
  if (t->many_rows && !block->a_is_near)
    ask_ahead(b, &block->a, t->row, t->rows, l.index, block->k);
  else if (!t->many_rows && !block->run)
    ask_ahead(b, &block->b, t->column, t->columns, l.index, block->k);
  for (int64_t part = 0; part < t->parts; ++part) {
    MlirValue at = plus(b, l.index, sn_index(b, part * t->width));
    step(b, t, behind(b, a0, at), behind(b, b0, at), none, part % t->chains, sums);
  }
  end(b, t, &l, sums);
  if (sn_known(count, &known) && known % line == 0)
    return;
  MlirValue width = sn_index(b, t->width);
  if (sn_known(count, &known) && known % line <= t->width) {
    int64_t lanes = t->width;
    while (lanes > FEWEST_LANES && lanes / 2 >= known % line)
      lanes /= 2;
    MlirValue mask = sn_cpu_micro_mask(b, lanes, sn_index(b, known % line));
    step(b, t, behind(b, a0, whole), behind(b, b0, whole), mask, 0, sums);
    return;
  }
  l = begin(b, t, whole, count, t->width, sums);
  MlirValue left = sn(b, "arith.minsi", width, sn(b, "arith.subi", count, l.index));
  step(b, t, behind(b, a0, l.index), behind(b, b0, l.index), sn_cpu_micro_mask(b, t->width, left), 0, sums);
  end(b, t, &l, sums);
}

static void emit_tile(SnBuilder *b, Tile *t) {
  const SnMicroBlock *block = t->block;
  MlirValue sums[MOST_SUMS], none = {0}, zero = sn_index(b, 0);
  int64_t n = t->rows * t->columns;
  t->chains = n * t->parts <= ENOUGH_CHAINS ? t->parts : 1;
  assert(n * t->chains <= MOST_SUMS);
  for (int64_t i = 0; i < n * t->chains; ++i)
    sums[i] = sn_zero(b, t->sum);
  for (int64_t i = 0; i < t->rows && block->run; ++i)
    t->begins[i] = sn_cpu_micro_row(b, block, plus(b, t->row, sn_index(b, i)));
  if (block->run) {
    MlirValue run = sn_index(b, block->run);
    SnLoop u = begin(b, t, zero, sn(b, "arith.divui", block->k, run), 1, sums);
    emit_run(b, t, sn_cpu_micro_run(b, block, u.index), sn(b, "arith.muli", u.index, run), run, sums);
    end(b, t, &u, sums);
  } else {
    emit_run(b, t, none, none, block->k, sums);
  }
  for (int64_t i = 0; i < n; ++i) {
    MlirValue *chain = &sums[i * t->chains];
    for (int64_t part = 1; part < t->chains; ++part)
      chain[0] = add(b, chain[0], chain[part]);
    sums[i] = chain[0];
  }
  for (int64_t i = 0; i < t->rows; ++i)
    store(b, t, i, &sums[i * t->columns]);
}

// ---- a block ---------------------------------------------------------------------------------

static void rows_of(SnBuilder *b, Tile *t, MlirValue row, int64_t rows) {
  t->row = row;
  t->rows = rows;
  emit_tile(b, t);
}

static void columns_of(SnBuilder *b, Tile *t, MlirValue column, int64_t columns) {
  MlirValue m = t->block->m;
  int64_t known, most = t->block->line->m;
  bool fixed = sn_known(m, &known);
  t->column = column;
  t->columns = columns;
  MlirValue whole = sn_size_whole(b, m, most);
  if (!fixed || known >= most) {
    SnLoop i = sn_for(b, sn_index(b, 0), whole, sn_index(b, most));
    rows_of(b, t, i.index, most);
    sn_next(b, &i);
  }
  if (fixed && known % most)
    rows_of(b, t, whole, known % most);
  if (fixed)
    return;
  // Fewer are left than a tile has: one of just so many rows reads each line of weights once. No loop turns twice.
  MlirValue left = sn(b, "arith.subi", m, whole);
  for (int64_t rows = most - 1; rows; --rows) {
    MlirValue are = sn(b, "arith.cmpi", left, sn_index(b, rows), sn_attr("predicate", sn_i64(b->ctx, 0)));
    SnLoop i = sn_for(b, sn(b, "arith.select", are, whole, m), m, sn_index(b, rows));
    rows_of(b, t, i.index, rows);
    sn_next(b, &i);
  }
}

static void emit(SnKernel *k, SnBuilder *b, const SnMicroBlock *block) {
  const SnMicroKernel *line = block->line;
  int64_t lanes = sn_micro_lanes(line, block->sum), width = lanes * line->group, known;
  MlirType there = sn_element(sn_type_of(block->b.memory));
  MlirType of_a = sn_element(sn_type_of(block->a.memory));
  int64_t parts = LINE * 8 / (width * sn_bits(there));
  Tile t = {.kernel = k,
            .block = block,
            .narrow = sn_vector(there, width),
            .wide = sn_vector(sn_micro_packed(line->b, block->sum), width),
            .of_a = sn_vector(of_a, width),
            .element_a = sn_micro_packed(line->a, block->sum),
            .sum = sn_vector(block->sum, lanes),
            .width = width,
            .parts = parts > 1 ? parts : 1};
  MlirValue n = block->n, whole = sn_size_whole(b, n, line->n);
  bool fixed = sn_known(n, &known);
  t.many_rows = fixed && known <= line->n;
  if (!fixed || known >= line->n) {
    SnLoop j = sn_for(b, sn_index(b, 0), whole, sn_index(b, line->n));
    columns_of(b, &t, j.index, line->n);
    sn_next(b, &j);
  }
  for (int64_t power = line->n / 2, from = known / line->n * line->n; fixed && power; power /= 2)
    if (known & power) {
      columns_of(b, &t, sn_index(b, from), power);
      from += power;
    }
  if (fixed)
    return;
  SnLoop j = sn_for(b, whole, n, sn_index(b, 1));
  columns_of(b, &t, j.index, 1);
  sn_next(b, &j);
}

void sn_cpu_micro_inner(SnKernel *k, SnBuilder *b, const SnMicroBlock *block) {
  int64_t m, n;
  if (sn_known(block->m, &m))
    emit(k, b, block);
  else // columns one by one would read rows again
    sn_cpu_micro_shared(k, b, block, block->a_is_near ? "_near" : "",
                        sn_known(block->n, &n) && n < FEW_COLUMNS ? n : 0, emit);
}
