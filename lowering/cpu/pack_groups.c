// pack_groups.c: the packed form of kernels that sum groups of neighbouring elements of k in one lane.
//
//   b_pack[s / 2][j][s % 2] = B[k0 + s, n0 + j]                     groups of 2; zeros behind the last row and column
//   b_pack[j / 16][s / 2][j % 16][s % 2]                            for tiles: each is one piece of memory
//
// Where neighbours of k are neighbours in memory (weights [j, k]) a group is a word of 32 bits, and words are
// transposed in registers. Otherwise the rows of a group are copied to rows of scratch memory, which stays in the
// first cache, and interleaved from there:
//
//   rows[0][j] = B[k0 + 2 g, n0 + j]      rows[1][j] = B[k0 + 2 g + 1, n0 + j]
//   b_pack[g][j ..] = rows[0][j], rows[1][j], rows[0][j + 1], rows[1][j + 1], ...

#include "lowering/cpu/pack.h"
#include "lowering/rows/index.h"

static void store(SnPackBlock *k, MlirValue x, MlirValue group, MlirValue column) {
  SnBuilder *b = &k->c->t.b;
  const SnMicroKernel *line = k->p->line;
  if (line->sums == SN_SUMS_IN_TILES) {
    MlirValue tile = sn(b, "arith.divui", column, sn_index(b, line->n));
    group = plus(b, times(b, tile, sn_cpu_b_groups(k->c, k->p)), group);
    column = sn_index(b, 0);
  }
  sn_op(b, "vector.store", x, k->pack, sn_pack_row(k, group), times(b, column, line->group));
}

// x[0], y[0], x[1], y[1], ...
static MlirValue interleave(SnBuilder *b, MlirValue x, MlirValue y) {
  MlirType t = sn_type_of(x);
  return sn(b, "vector.interleave", x, y, sn_vector(sn_element(t), 2 * sn_dim(t, 0)));
}

static MlirType words(SnBuilder *b, MlirType vector, unsigned bits) {
  return sn_vector(mlirIntegerTypeGet(b->ctx, bits), sn_dim(vector, 0) * sn_bits(sn_element(vector)) / bits);
}

// The rows of one group, a vector of each.
static MlirValue join(SnBuilder *b, MlirValue *rows, int64_t group) {
  MlirType t = sn_type_of(rows[0]);
  if (group == 2)
    return interleave(b, rows[0], rows[1]);
  MlirValue low = interleave(b, rows[0], rows[1]), high = interleave(b, rows[2], rows[3]);
  MlirType pairs = words(b, sn_type_of(low), 2 * sn_bits(sn_element(t)));
  MlirValue all = interleave(b, sn(b, "vector.bitcast", low, pairs), sn(b, "vector.bitcast", high, pairs));
  return sn(b, "vector.bitcast", all, sn_vector(sn_element(t), 4 * sn_dim(t, 0)));
}

// Whole groups and columns of rows that lie as they are wanted: interleaved as they are read.
static void direct(SnPackBlock *k, MlirValue groups, MlirValue columns) {
  SnBuilder *b = &k->c->t.b;
  int64_t n = k->p->line->group;
  SnLoop g = sn_for(b, sn_index(b, 0), groups, sn_index(b, 1));
  SnLoop j = sn_for(b, sn_index(b, 0), columns, sn_index(b, k->lanes));
  MlirValue v[4], row = times(b, g.index, n);
  for (int64_t r = 0; r < n; ++r)
    v[r] = sn_pack_load_row(k, plus(b, row, sn_index(b, r)), j.index, k->lanes);
  store(k, join(b, v, n), g.index, j.index);
  sn_next(b, &j);
  sn_next(b, &g);
}

// Groups `from` .. `to`, columns `column` .. `end` of which `columns` are there.
static void by_rows(SnPackBlock *k, MlirValue from, MlirValue to, MlirValue rows, MlirValue column, MlirValue columns,
                    MlirValue end) {
  SnBuilder *b = &k->c->t.b;
  int64_t n = k->p->line->group;
  MlirValue zero = sn_index(b, 0), group = sn_index(b, n);
  SnPackBlock copy = *k;
  copy.pack = k->p->b_rows;
  copy.pack_rows = n;
  copy.pack_row0 = copy.first = (MlirValue){0};
  sn_pack_zeros(&copy, zero, group, columns, end);
  SnLoop g = sn_for(b, from, to, sn_index(b, 1));
  {
    MlirValue first = times(b, g.index, n), left = sn(b, "arith.subi", rows, first);
    MlirValue there = sn(b, "arith.maxsi", zero, sn(b, "arith.minsi", group, left));
    copy.row0 = plus(b, k->row0, first);
    sn_pack_elements(&copy, zero, there, column, columns);
    sn_pack_zeros(&copy, there, group, column, columns);
    SnLoop j = sn_for(b, column, end, sn_index(b, k->lanes));
    MlirValue v[4];
    for (int64_t r = 0; r < n; ++r)
      v[r] = sn(b, "vector.load", copy.pack, sn_cpu_scratch_row(k->c, n, sn_index(b, r)), j.index,
                sn_vector(k->p->b_type, k->lanes));
    store(k, join(b, v, n), g.index, j.index);
    sn_next(b, &j);
  }
  sn_next(b, &g);
}

// As many columns as words in a vector, of as many groups.
static void transpose_tile(SnPackBlock *k, MlirValue group, MlirValue column) {
  SnBuilder *b = &k->c->t.b;
  int64_t n = k->lanes;
  MlirType whole = sn_vector(k->p->b_type, n * k->p->line->group), word = words(b, whole, 32);
  MlirValue v[SN_MAX_LANES], row = times(b, group, k->p->line->group);
  for (int64_t i = 0; i < n; ++i)
    v[i] = sn(b, "vector.bitcast", sn_pack_load_column(k, row, plus(b, column, sn_index(b, i)), n * k->p->line->group),
              word);
  sn_pack_transpose(b, n, v);
  for (int64_t i = 0; i < n; ++i)
    store(k, sn(b, "vector.bitcast", v[i], whole), plus(b, group, sn_index(b, i)), column);
}

void sn_pack_groups(SnPackBlock *k, MlirValue rows, MlirValue columns) {
  SnBuilder *b = &k->c->t.b;
  k->lanes = sn_micro_column_unit(k->p->line, k->p->type);
  MlirValue zero = sn_index(b, 0), lanes = sn_index(b, k->lanes),
            groups = sn(b, "arith.divui", sn_cpu_whole(b, rows, sn_micro_k_unit(k->p->line)),
                        sn_index(b, k->p->line->group)),
            end = sn_cpu_whole(b, columns, k->lanes);
  if (!sn_pack_lies_transposed(k, k->lanes * k->p->line->group)) {
    MlirValue whole = zero, whole_columns = zero;
    if (sn_pack_lies_in_rows(k)) {
      whole = sn(b, "arith.divui", rows, sn_index(b, k->p->line->group));
      whole_columns = sn_size_whole(b, columns, k->lanes);
      direct(k, whole, whole_columns);
      by_rows(k, zero, whole, rows, whole_columns, columns, end);
    }
    by_rows(k, whole, groups, rows, zero, columns, end);
    return;
  }
  MlirValue whole_columns = sn_size_whole(b, columns, k->lanes),
            whole_groups = sn(b, "arith.divui", rows, sn_index(b, k->p->line->group));
  whole_groups = sn(b, "arith.subi", whole_groups, sn(b, "arith.remui", whole_groups, lanes));
  SnLoop q = sn_for(b, zero, whole_columns, lanes);
  SnLoop g = sn_for(b, zero, whole_groups, lanes);
  transpose_tile(k, g.index, q.index);
  sn_next(b, &g);
  sn_next(b, &q);
  by_rows(k, zero, whole_groups, rows, whole_columns, columns, end);
  by_rows(k, whole_groups, groups, rows, zero, columns, end);
}
