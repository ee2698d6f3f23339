// pack.c: blocks of a product's sides, copied to how the micro-kernels want them.
//
//   a_pack[r][s] = A[i0 + r, s]        b_pack[s][j] = B[k0 + s, n0 + j]
//
// A side that lies the other way round in memory (weights [j, k]) is transposed
// in registers, lanes x lanes at once: read and written by whole vectors. All
// else goes element by element, converted to the product's type.

#include "lowering/cpu/contract.h"
#include "lowering/rowmemory.h"

static MlirValue plus(SnBuilder *b, MlirValue x, MlirValue y) { return sn(b, "arith.addi", x, y); }

MlirValue sn_cpu_scratch_row(Contract *c, int64_t rows, MlirValue r) {
  SnBuilder *b = &c->t.b;
  return plus(b, sn(b, "arith.muli", c->t.index, sn_index(b, rows)), r);
}

void sn_cpu_point(Contract *c, const Product *p, MlirValue i, MlirValue j, MlirValue s, MlirValue *dims) {
  SnBuilder *b = &c->t.b;
  memcpy(dims, c->dims, sizeof c->dims);
  if (c->f.num_rows && !sn_none(i))
    dims[c->f.num_rows - 1] = i;
  if (!sn_none(j))
    sn_form_point(b, &c->f, c->f.num_rows, c->f.num_cols, j, dims + c->f.num_rows);
  sn_form_point(b, &c->f, p->first_dim, p->num_dims, s, dims + p->first_dim);
}

// ---- one element ---------------------------------------------------------------

static MlirValue convert(SnBuilder *b, MlirValue x, MlirType to) {
  MlirType from = sn_type_of(x);
  if (mlirTypeEqual(from, to))
    return x;
  bool wider = sn_bits(from) < sn_bits(to);
  return sn(b, sn_is_float(to) ? (wider ? "arith.extf" : "arith.truncf") : wider ? "arith.extsi" : "arith.trunci", x, to);
}

// A side as an array [rows][columns] of its packed form: A is [i][s], B is [s][j].
typedef struct {
  Contract *c;
  Product *p;
  bool is_a;
  MlirValue row0, column0;        // of the block in the side
  MlirValue pack;
  int64_t pack_rows;              // of the pack, for each task
} Block;

static void point(Block *k, MlirValue row, MlirValue column, MlirValue *dims) {
  SnBuilder *b = &k->c->t.b;
  MlirValue r = plus(b, k->row0, row), q = plus(b, k->column0, column), none = {0};
  if (k->is_a)
    sn_cpu_point(k->c, k->p, r, none, q, dims);
  else
    sn_cpu_point(k->c, k->p, none, q, r, dims);
}

static void copy_element(Block *k, MlirValue row, MlirValue column) {
  SnBuilder *b = &k->c->t.b;
  MlirValue dims[32];
  point(k, row, column, dims);
  MlirValue x = convert(b, sn_row_load(b, &k->c->f, k->is_a ? k->p->a : k->p->b, dims), k->p->type);
  sn_op(b, "memref.store", x, k->pack, sn_cpu_scratch_row(k->c, k->pack_rows, row), column);
}

static void copy_elements(Block *k, MlirValue rows_from, MlirValue rows_to, MlirValue columns_from, MlirValue columns_to) {
  SnBuilder *b = &k->c->t.b;
  MlirValue one = sn_index(b, 1);
  SnLoop r = sn_for(b, rows_from, rows_to, one);
  SnLoop q = sn_for(b, columns_from, columns_to, one);
  copy_element(k, r.index, q.index);
  sn_next(b, &q);
  sn_next(b, &r);
}

// ---- transposed in registers ---------------------------------------------------------

static bool is_next_to_itself(MlirAffineMap map, MlirType t, int64_t d) {
  int64_t factors[32];
  return sn_linear_factors(map, t, factors) ? factors[d] == 1 : sn_unit_stride(map, d);
}

// Consecutive rows of the packed form are consecutive elements in memory.
static bool lies_transposed(const Block *k) {
  const SnForm *f = &k->c->f;
  const SnAccess *side = k->is_a ? k->p->a : k->p->b;
  MlirType t = sn_type_of(side->value);
  if (side->fill.ptr || side->through.ptr || !mlirTypeEqual(sn_element(t), k->p->type) || k->c->lanes < 2)
    return false;
  if (k->is_a) // rows of one block share their batch index
    return f->num_rows && is_next_to_itself(side->map, t, f->num_rows - 1);
  return k->p->num_dims == 1 && is_next_to_itself(side->map, t, k->p->first_dim);
}

// n vectors of n lanes: element [i][j] to [j][i], in log n steps of exchanged blocks.
static void transpose(SnBuilder *b, int64_t n, MlirValue *v) {
  for (int64_t d = n / 2; d; d /= 2) {
    int64_t low[64], high[64];
    for (int64_t l = 0; l < n; ++l) {
      low[l] = l & d ? n + l - d : l;
      high[l] = l & d ? n + l : l + d;
    }
    for (int64_t i = 0; i < n; ++i) {
      if (i & d)
        continue;
      MlirValue x = v[i], y = v[i + d];
      v[i] = sn(b, "vector.shuffle", x, y, sn_attr("mask", mlirDenseI64ArrayGet(b->ctx, n, low)));
      v[i + d] = sn(b, "vector.shuffle", x, y, sn_attr("mask", mlirDenseI64ArrayGet(b->ctx, n, high)));
    }
  }
}

static void transpose_tile(Block *k, MlirValue row, MlirValue column) {
  SnBuilder *b = &k->c->t.b;
  const SnAccess *side = k->is_a ? k->p->a : k->p->b;
  int64_t n = k->c->lanes;
  MlirType t = sn_vector(k->p->type, n);
  MlirValue v[64];
  for (int64_t i = 0; i < n; ++i) {
    MlirValue dims[32], at[16];
    intptr_t rank = mlirAffineMapGetNumResults(side->map);
    point(k, row, plus(b, column, sn_index(b, i)), dims);
    for (intptr_t s = 0; s < rank; ++s)
      at[s] = sn_affine(b, mlirAffineMapGetResult(side->map, s), dims);
    v[i] = sn(b, "vector.load", side->value, sn_values(rank, at), t);
  }
  transpose(b, n, v);
  for (int64_t i = 0; i < n; ++i)
    sn_op(b, "vector.store", v[i], k->pack, sn_cpu_scratch_row(k->c, k->pack_rows, plus(b, row, sn_index(b, i))), column);
}

// ---- a block ----------------------------------------------------------------------------

static void pack(Block *k, MlirValue rows, MlirValue columns) {
  SnBuilder *b = &k->c->t.b;
  MlirValue zero = sn_index(b, 0), lanes = sn_index(b, k->c->lanes);
  if (!lies_transposed(k)) {
    copy_elements(k, zero, rows, zero, columns);
    return;
  }
  MlirValue whole_rows = sn(b, "arith.subi", rows, sn(b, "arith.remui", rows, lanes));
  MlirValue whole_columns = sn(b, "arith.subi", columns, sn(b, "arith.remui", columns, lanes));
  SnLoop q = sn_for(b, zero, whole_columns, lanes);
  SnLoop r = sn_for(b, zero, whole_rows, lanes);
  transpose_tile(k, r.index, q.index);
  sn_next(b, &r);
  sn_next(b, &q);
  copy_elements(k, zero, whole_rows, whole_columns, columns);
  copy_elements(k, whole_rows, rows, zero, columns);
}

void sn_cpu_pack_a(Contract *c, Product *p) {
  Block k = {c, p, .is_a = true, .row0 = c->i0, .column0 = sn_index(&c->t.b, 0), .pack = p->a_pack, .pack_rows = c->m};
  pack(&k, c->mm, sn_form_sizes(&c->t.b, &c->f, p->first_dim, p->num_dims));
}

void sn_cpu_pack_b(Contract *c, Product *p, MlirValue k0, MlirValue kk, MlirValue n0, MlirValue nn) {
  SnBuilder *b = &c->t.b;
  Block k = {c, p, .row0 = k0, .column0 = n0, .pack = p->b_pack, .pack_rows = c->k};
  pack(&k, kk, nn);
  if (p->library)
    return;
  SnLoop s = sn_for(b, sn_index(b, 0), kk, sn_index(b, 1));
  SnLoop j = sn_for(b, nn, sn_index(b, c->n), sn_index(b, 1));
  sn_op(b, "memref.store", sn_zero(b, p->type), p->b_pack, sn_cpu_scratch_row(c, c->k, s.index), j.index);
  sn_next(b, &j);
  sn_next(b, &s);
}
