// pack_parts.c: elements as sums of bf16, for tiles that multiply these.
//
//   x = 1.0009765625 (f16)     ->   h[0] = 0.99609375, h[1] = 0.0048828125
//   a_pack[i / 16][k / 32][part][i % 16][k % 32]          b_pack[j / 16][k / 32][part][k / 2 % 16][j % 16][k % 2]
//
// A part is the largest bf16 that is nearer to zero than what is left, and the last one is what is left then. So all
// have the sign of x, and none is zero unless x is: an infinity times a part is an infinity, and of zero a NaN, as it
// would be of x. An infinity is a large number and an infinity; a NaN has one in its last part. Of f16 this is exact,
// and of f32 above 2^-110.
//
// A block is copied to scratch memory in f32 first, as any other is: a tile of rows, or a panel of columns.
//
// test: test/lowering/cpu/parts.mlir, test/run/kernels_parts.test

#include "lowering/cpu/pack.h"
#include "lowering/rows/index.h"

enum { MOST = 3, OEQ = 1 };

static MlirValue bits(SnBuilder *b, MlirType vector, int64_t value) {
  return sn(b, "vector.broadcast", sn_int(b, sn_element(vector), value), vector);
}

// The parts of a vector of f32, each in the upper halves of words.
static void split(SnBuilder *b, MlirValue x, int parts, MlirValue *to) {
  MlirType floats = sn_type_of(x), words = sn_vector(mlirIntegerTypeGet(b->ctx, 32), sn_dim(floats, 0));
  MlirValue upper = bits(b, words, -65536), one = bits(b, words, 1);
  for (int p = 0; p < parts; ++p) {
    MlirValue word = sn(b, "arith.bitcast", x, words);
    if (p + 1 == parts) {
      to[p] = sn(b, "arith.andi", word, upper);
      return;
    }
    MlirValue zero = sn(b, "arith.cmpf", x, sn_zero(b, floats), sn_attr("predicate", sn_i64(b->ctx, OEQ)));
    MlirValue below = sn(b, "arith.andi", sn(b, "arith.subi", word, one), upper);
    to[p] = sn(b, "arith.select", zero, bits(b, words, 0), below);
    x = sn(b, "arith.subf", x, sn(b, "arith.bitcast", to[p], floats));
  }
}

static MlirValue load(SnBuilder *b, MlirValue memory, MlirValue row, MlirValue column, int64_t n) {
  return sn(b, "vector.load", memory, row, column, sn_vector(mlirF32TypeGet(b->ctx), n));
}

static void store(SnPackBlock *k, MlirValue x, MlirValue row, MlirValue column) {
  sn_op(&k->c->t.b, "vector.store", x, k->pack, row, column);
}

void sn_pack_parts_of_rows(SnPackBlock *k, MlirValue columns) {
  SnBuilder *b = &k->c->t.b;
  const SnMicroKernel *line = k->p->line;
  MlirType i16 = mlirIntegerTypeGet(b->ctx, 16), bf16 = mlirBF16TypeGet(b->ctx);
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1), tile = sn_index(b, line->m);
  SnLoop i = sn_for(b, zero, k->c->mm, tile);
  {
    SnPackBlock whole = *k;
    whole.pack = k->p->a_whole;
    whole.whole0 = times(b, k->c->shares_rows ? k->c->t.index : k->c->slot, line->m);
    whole.row0 = plus(b, k->row0, i.index);
    MlirValue rows = sn_cpu_smaller(b, tile, line->m, i.index, k->c->mm);
    sn_pack_block(&whole, rows, columns);
    sn_pack_zeros(&whole, zero, rows, columns, sn_index(b, line->k));
    k->columns = whole.columns;
    MlirValue to = sn_pack_row(k, i.index);
    SnLoop r = sn_for(b, zero, tile, one);
    for (int64_t at = 0; at < line->k; at += line->n) {
      MlirValue parts[MOST], column = sn_index(b, at);
      split(b, load(b, whole.pack, plus(b, whole.whole0, r.index), column, line->n), line->parts, parts);
      for (int p = 0; p < line->parts; ++p) {
        MlirValue half = sn(b, "arith.trunci", sn(b, "arith.shrui", parts[p], bits(b, sn_type_of(parts[p]), 16)),
                            sn_vector(i16, line->n));
        MlirValue row = plus(b, plus(b, to, r.index), sn_index(b, p * line->m));
        store(k, sn(b, "arith.bitcast", half, sn_vector(bf16, line->n)), row, column);
      }
    }
    sn_next(b, &r);
  }
  sn_next(b, &i);
}

void sn_pack_parts_of_columns(SnPackBlock *k, MlirValue rows, MlirValue columns) {
  SnBuilder *b = &k->c->t.b;
  const SnMicroKernel *line = k->p->line;
  int64_t pairs = line->k / line->group; // rows of b_pack of a tile
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1), end = sn_cpu_whole(b, columns, line->n),
            steps = sn_size_ceil(b, rows, sn_index(b, line->k));
  SnPackBlock whole = *k;
  whole.pack = k->p->b_whole;
  whole.whole0 = sn_cpu_scratch_row(k->c, sn_cpu_b_whole_rows(k->c, k->p), zero);
  sn_pack_block(&whole, rows, columns);
  sn_pack_zeros(&whole, zero, rows, columns, end);
  sn_pack_zeros(&whole, rows, times(b, steps, line->k), zero, end);
  k->columns = whole.columns;
  SnLoop j = sn_for(b, zero, end, sn_index(b, line->n));
  MlirValue tile = times(b, sn(b, "arith.divui", j.index, sn_index(b, line->n)), sn_cpu_b_groups(k->c, k->p));
  SnLoop s = sn_for(b, zero, steps, one);
  MlirValue step = plus(b, tile, times(b, s.index, pairs * line->parts)), from = times(b, s.index, line->k);
  SnLoop g = sn_for(b, zero, sn_index(b, pairs), one);
  {
    MlirValue parts[2][MOST], row = plus(b, plus(b, whole.whole0, from), times(b, g.index, 2));
    for (int r = 0; r < 2; ++r)
      split(b, load(b, whole.pack, plus(b, row, sn_index(b, r)), j.index, line->n), line->parts, parts[r]);
    for (int p = 0; p < line->parts; ++p) {
      MlirType words = sn_type_of(parts[0][p]);
      MlirValue pair = sn(b, "arith.ori", sn(b, "arith.shrui", parts[0][p], bits(b, words, 16)), parts[1][p]);
      MlirValue to = plus(b, plus(b, step, g.index), sn_index(b, p * pairs));
      store(k, sn(b, "vector.bitcast", pair, sn_vector(mlirBF16TypeGet(b->ctx), 2 * line->n)), sn_pack_row(k, to),
            zero);
    }
  }
  sn_next(b, &g);
  sn_next(b, &s);
  sn_next(b, &j);
}
