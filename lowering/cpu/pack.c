// pack.c: blocks of a product's sides, copied to how the micro-kernels want them.
//
//   a_pack[r][s] = A[i0 + r, s]        b_pack[s][j] = B[k0 + s, n0 + j]
//
// A row of the block is copied in runs along its last dimension (pack_runs.c), by vectors of the kernel's lanes.
//
// A side that lies the other way round in memory (weights [j, k]) is transposed in registers, lanes x lanes at once:
// read and written by whole vectors. Short lines of an image that a convolution shifts are one run (pack_images.c).
// Vectors of a side that has a program are computed, not loaded (pack_programs.c): along the rows of the packed form,
// or transposed where more of what it reads lies so. With a number for each group of weights, or two weights of 4 bits
// in a byte, vectors run inside of a group, and what lies in one byte is interleaved.

#include "lowering/cpu/contract.h"
#include "lowering/cpu/pack.h"
#include "lowering/rows/index.h"
#include "lowering/rows/rowmemory.h"

#define LIBRARY_BITS 256 // of a vector that copies rows for a library's kernel: a processor may have no longer ones
#define ROWS_TOGETHER 32 // of weights of which all panels are packed before the next ones

static MlirValue at_most(SnBuilder *b, MlirValue x, MlirValue high) { return sn(b, "arith.minsi", x, high); }

MlirValue sn_cpu_scratch_row(Contract *c, int64_t rows, MlirValue r) {
  SnBuilder *b = &c->t.b;
  return plus(b, sn(b, "arith.muli", c->slot, sn_index(b, rows)), r);
}

MlirValue sn_cpu_block_row(Contract *c, MlirValue r) {
  return sn_cpu_scratch_row(c, c->m, sn_none(c->r0) ? r : plus(&c->t.b, c->r0, r));
}

MlirValue sn_cpu_sums_row(Contract *c, const Product *p, MlirValue r) {
  return p->rows < c->m ? sn_cpu_scratch_row(c, p->rows, r) : sn_cpu_block_row(c, r);
}

void sn_cpu_point(Contract *c, const Product *p, MlirValue i, MlirValue j, MlirValue s, MlirValue *dims) {
  SnBuilder *b = &c->t.b;
  memcpy(dims, c->dims, sizeof c->dims);
  if (!sn_none(i))
    sn_form_point(b, &c->f, c->f.num_rows - c->together, c->together, i, dims + c->f.num_rows - c->together);
  if (!sn_none(j))
    sn_form_point(b, &c->f, c->f.num_rows, c->f.num_cols, j, dims + c->f.num_rows);
  sn_form_point(b, &c->f, p->first_dim, p->num_dims, s, dims + p->first_dim);
}

MlirValue sn_cpu_whole(SnBuilder *b, MlirValue x, int64_t unit) {
  MlirValue u = sn_index(b, unit);
  return unit == 1 ? x : sn_size_mul(b, sn_size_ceil(b, x, u), u);
}

static bool in_panels(const Product *p) { return !p->streamed && p->sum != SN_DYNAMIC; }

int64_t sn_cpu_a_panels(const Contract *c, const Product *p) {
  return in_panels(p) && p->sum > c->k ? sn_pieces(p->sum, c->k) : 1;
}

int64_t sn_cpu_a_tiles(const Contract *c, const Product *p) {
  return in_panels(p) && p->line->sums == SN_SUMS_IN_TILES
             ? sn_pieces(p->sum < c->k ? p->sum : c->k, sn_micro_k_unit(p->line)) * sn_micro_parts(p->line)
             : 0;
}

int64_t sn_cpu_a_rows(const Contract *c, const Product *p) {
  int64_t tiles = sn_cpu_a_tiles(c, p);
  return sn_cpu_a_panels(c, p) * (p->streamed ? c->strip : c->m) * (tiles ? tiles : 1);
}

MlirValue sn_cpu_a_scratch_row(Contract *c, const Product *p, MlirValue r) {
  SnBuilder *b = &c->t.b;
  int64_t rows = sn_cpu_a_rows(c, p);
  return c->shares_rows ? plus(b, sn(b, "arith.muli", c->row_block, sn_index(b, rows)), r)
                        : sn_cpu_scratch_row(c, rows, r);
}

MlirValue sn_cpu_a_row(Contract *c, const Product *p, MlirValue k0) {
  SnBuilder *b = &c->t.b;
  int64_t tiles = sn_cpu_a_tiles(c, p), panel = c->m * (tiles ? tiles : 1);
  if (sn_cpu_a_panels(c, p) == 1)
    return sn_index(b, 0);
  return sn(b, "arith.muli", sn(b, "arith.divui", k0, sn_index(b, c->k)), sn_index(b, panel));
}

int64_t sn_cpu_b_groups(const Contract *c, const Product *p) {
  int64_t unit = sn_micro_k_unit(p->line);
  return p->lda == SN_BY_TABLES ? sn_cpu_groups_of(p, c->k)
                                : sn_pieces(c->k, unit) * unit / p->line->group * sn_micro_parts(p->line);
}

int64_t sn_cpu_b_rows(const Contract *c, const Product *p) {
  bool tiles = p->line->sums == SN_SUMS_IN_TILES;
  return sn_cpu_b_groups(c, p) * (tiles ? p->room / p->line->n : 1);
}

int64_t sn_cpu_b_kept_rows(const Contract *c, const Product *p) {
  return (p->across ? p->kept : c->panels) * sn_cpu_b_rows(c, p);
}

int64_t sn_cpu_b_whole_rows(const Contract *c, const Product *p) {
  return sn_pieces(c->k, sn_micro_k_unit(p->line)) * sn_micro_k_unit(p->line);
}

// ---- one element ---------------------------------------------------------------

typedef SnPackBlock Block;

void sn_pack_point(Block *k, MlirValue row, MlirValue column, MlirValue *dims) {
  SnBuilder *b = &k->c->t.b;
  MlirValue r = plus(b, k->row0, row), q = plus(b, k->column0, column), none = {0};
  if (k->is_a)
    sn_cpu_point(k->c, k->p, r, none, q, dims);
  else
    sn_cpu_point(k->c, k->p, none, q, r, dims);
}

const SnAccess *sn_pack_side(const Block *k) { return k->is_a ? k->p->a : k->p->b; }
size_t sn_pack_side_number(const Block *k) { return k->is_a ? k->p->a_side : k->p->b_side; }
SnGroup sn_pack_row_group(const Block *k) {
  return k->is_a ? (SnGroup){k->c->f.num_rows - k->c->together, k->c->together}
                 : (SnGroup){k->p->first_dim, k->p->num_dims};
}
SnGroup sn_pack_column_group(const Block *k) {
  return k->is_a ? (SnGroup){k->p->first_dim, k->p->num_dims} : (SnGroup){k->c->f.num_rows, k->c->f.num_cols};
}
MlirType sn_pack_type(const Block *k) { return k->is_a ? k->p->a_type : k->p->b_type; }

MlirValue sn_pack_row(const Block *k, MlirValue r) {
  SnBuilder *b = &k->c->t.b;
  int64_t tile = sn_micro_row_unit(k->p->line);
  if (!sn_none(k->whole0))
    return plus(b, k->whole0, r);
  if (k->k_tiles > 1)
    r = plus(b, r,
             sn(b, "arith.muli", sn(b, "arith.divui", r, sn_index(b, tile)), sn_index(b, tile * (k->k_tiles - 1))));
  r = sn_none(k->pack_row0) ? r : plus(b, k->pack_row0, r);
  if (!sn_none(k->first))
    return plus(b, k->first, r);
  return k->is_a ? sn_cpu_a_scratch_row(k->c, k->p, r) : sn_cpu_scratch_row(k->c, k->pack_rows, r);
}

void sn_pack_zeros(Block *k, MlirValue rows_from, MlirValue rows_to, MlirValue columns_from, MlirValue columns_to) {
  SnBuilder *b = &k->c->t.b;
  int64_t from, to;
  if (sn_same(columns_from, columns_to) || (sn_known(columns_from, &from) && sn_known(columns_to, &to) && from >= to))
    return;
  SnLoop r = sn_for(b, rows_from, rows_to, sn_index(b, 1));
  SnLoop q = sn_for(b, columns_from, columns_to, sn_index(b, 1));
  MlirValue at[] = {sn_pack_row(k, r.index), q.index};
  sn_scratch_store(b, sn_zero(b, sn_pack_type(k)), k->pack, sn_values(2, at), sn_no_attr());
  sn_next(b, &q);
  sn_next(b, &r);
}

// ---- transposed in registers ---------------------------------------------------------

// Vectors of a side's program run along the rows: n neighbours of all their dimensions (lanes->dim < 0), or of one.
static bool computes_columns(const Block *k, int64_t n, SnSideLanes *lanes) {
  const SnForm *f = &k->c->f;
  size_t side = sn_pack_side_number(k);
  SnGroup r = sn_pack_row_group(k), c = sn_pack_column_group(k);
  int64_t scattered = sn_cpu_side_scattered(f, side, c.first, c.num_dims);
  *lanes = (SnSideLanes){.dim = -1, .inner = 1};
  if (k->lanes < 2 || !r.num_dims)
    return false;
  if (!sn_cpu_side_outer(f, side, r.first, r.num_dims))
    return sn_cpu_side_scattered(f, side, r.first, r.num_dims) < scattered;
  return scattered && !k->is_a && k->row_unit % n == 0 && sn_cpu_side_lanes(f, side, r.first, r.num_dims, n, lanes);
}

// Consecutive rows of the packed form are consecutive elements in memory.
bool sn_pack_lies_transposed(const Block *k, int64_t n) {
  const SnForm *f = &k->c->f;
  const SnAccess *side = sn_pack_side(k);
  SnSideLanes lanes;
  if (!side)
    return computes_columns(k, n, &lanes);
  MlirType t = sn_type_of(side->value);
  int64_t factors[SN_MAX_DIMS];
  if (side->fill.ptr || side->through.ptr || !sn_fills_bytes(sn_element(t)) || k->lanes < 2)
    return false;
  if (k->is_a) // rows of one block share their batch index
    return k->c->together == 1 && sn_cpu_next_to_itself(side->map, t, f->num_rows - 1);
  if (k->p->num_dims == 1)
    return sn_cpu_next_to_itself(side->map, t, k->p->first_dim);
  return mlirShapedTypeHasStaticShape(t) && sn_linear_factors(side->map, t, factors) && k->p->sum > 1 &&
         sn_cpu_stride(f, factors, k->p->first_dim, k->p->num_dims) == 1;
}

// n vectors of n lanes: element [i][j] to [j][i], in log n steps of exchanged blocks.
static void bitcast(SnBuilder *b, int64_t n, MlirValue *v, MlirType to) {
  for (int64_t i = 0; i < n; ++i)
    v[i] = sn(b, "vector.bitcast", v[i], to);
}

// LLVM takes vectors of half types apart to shuffle them, and those of integers not.
void sn_pack_transpose(SnBuilder *b, int64_t n, MlirValue *v) {
  MlirType t = sn_type_of(v[0]), element = sn_element(t);
  bool half = sn_is_float(element) && sn_bits(element) < 32;
  if (half)
    bitcast(b, n, v, sn_vector(mlirIntegerTypeGet(b->ctx, sn_bits(element)), n));
  for (int64_t d = n / 2; d; d /= 2) {
    int64_t low[SN_MAX_LANES], high[SN_MAX_LANES];
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
  if (half)
    bitcast(b, n, v, t);
}

bool sn_pack_lies_in_rows(const Block *k) {
  const SnAccess *side = sn_pack_side(k);
  SnGroup c = sn_pack_column_group(k);
  int64_t factors[SN_MAX_DIMS];
  if (!side || side->fill.ptr || side->through.ptr || sn_is_table(side))
    return false;
  MlirType t = sn_type_of(side->value);
  return sn_fills_bytes(sn_element(t)) && mlirShapedTypeHasStaticShape(t) && sn_linear_factors(side->map, t, factors) &&
         sn_cpu_stride(&k->c->f, factors, c.first, c.num_dims) == 1;
}

MlirValue sn_pack_load_row(Block *k, MlirValue row, MlirValue column, int64_t n) {
  SnBuilder *b = &k->c->t.b;
  const SnAccess *side = sn_pack_side(k);
  MlirValue dims[SN_MAX_DIMS], at[SN_MAX_DIMS + 1], offset;
  sn_pack_point(k, row, column, dims);
  for (intptr_t s = 0; s < mlirAffineMapGetNumResults(side->map); ++s)
    at[s] = sn_affine(b, mlirAffineMapGetResult(side->map, s), dims);
  MlirValue flat = sn_row_flat(b, side->value, at, &offset);
  MlirValue x = sn(b, "vector.load", flat, offset, sn_vector(sn_element(sn_type_of(side->value)), n));
  return sn_row_convert(b, x, sn_pack_type(k));
}

// x[0][0], x[1][0], .., x[n - 1][0], x[0][1], ..: n is a power of two.
static MlirValue interleave(SnBuilder *b, const MlirValue *x, int64_t n, int64_t step) {
  if (n == 1)
    return x[0];
  MlirValue even = interleave(b, x, n / 2, 2 * step), odd = interleave(b, x + step, n / 2, 2 * step);
  MlirType t = sn_type_of(even), e = sn_element(t);
  int64_t lanes = sn_dim(t, 0);
  // LLVM takes vectors of half types apart to shuffle them, and those of integers not.
  MlirType bits = sn_vector(mlirIntegerTypeGet(b->ctx, sn_bits(e)), lanes),
           both = sn_vector(sn_element(bits), 2 * lanes);
  MlirValue words =
      sn(b, "vector.interleave", sn(b, "arith.bitcast", even, bits), sn(b, "arith.bitcast", odd, bits), both);
  return sn(b, "arith.bitcast", words, sn_vector(e, 2 * lanes));
}

// n elements of a side's program along the rows.
static MlirValue compute_column(Block *k, MlirValue row, MlirValue *dims, int64_t n) {
  SnBuilder *b = &k->c->t.b;
  SnGroup rows = sn_pack_row_group(k);
  SnSideLanes lanes;
  (void)computes_columns(k, n, &lanes);
  bool all = lanes.dim < 0;
  if (!k->columns) {
    k->columns = sn_alloc(sizeof *k->columns);
    sn_cpu_side_program(k->c, sn_pack_side_number(k), all ? rows.first : lanes.dim, all ? rows.num_dims : 1,
                        k->columns);
  }
  MlirValue x[SN_MAX_LANES];
  for (int64_t m = 0; m < lanes.inner; ++m) {
    int64_t left = m;
    for (int64_t d = rows.first + rows.num_dims; !all && --d > lanes.dim; left /= k->c->f.dims.data[d].size)
      dims[d] = sn_index(b, left % k->c->f.dims.data[d].size);
    sn_cpu_side_row(b, k->columns, dims);
    x[m] = sn_cpu_side_element(b, k->columns, all ? plus(b, k->row0, row) : dims[lanes.dim], n / lanes.inner);
  }
  return sn_row_convert(b, interleave(b, x, lanes.inner, 1), sn_pack_type(k));
}

MlirValue sn_pack_load_column(Block *k, MlirValue row, MlirValue column, int64_t n) {
  SnBuilder *b = &k->c->t.b;
  const SnAccess *side = sn_pack_side(k);
  MlirValue dims[SN_MAX_DIMS], at[SN_MAX_DIMS + 1], offset;
  sn_pack_point(k, row, column, dims);
  if (!side)
    return compute_column(k, row, dims, n);
  for (intptr_t s = 0; s < mlirAffineMapGetNumResults(side->map); ++s)
    at[s] = sn_affine(b, mlirAffineMapGetResult(side->map, s), dims);
  MlirValue flat = sn_row_flat(b, side->value, at, &offset); // several summed dimensions that lie like one
  MlirValue x = sn(b, "vector.load", flat, offset, sn_vector(sn_element(sn_type_of(side->value)), n));
  return sn_row_convert(b, x, sn_pack_type(k));
}

static void transpose_tile(Block *k, MlirValue row, MlirValue column) {
  SnBuilder *b = &k->c->t.b;
  int64_t n = k->lanes;
  MlirValue v[SN_MAX_LANES];
  for (int64_t i = 0; i < n; ++i)
    v[i] = sn_pack_load_column(k, row, plus(b, column, sn_index(b, i)), n);
  sn_pack_transpose(b, n, v);
  for (int64_t i = 0; i < n; ++i)
    sn_op(b, "vector.store", v[i], k->pack, sn_pack_row(k, plus(b, row, sn_index(b, i))), column);
}

// ---- a block ----------------------------------------------------------------------------

void sn_pack_block(Block *k, MlirValue rows, MlirValue columns) {
  SnBuilder *b = &k->c->t.b;
  MlirValue zero = sn_index(b, 0), lanes = sn_index(b, k->lanes);
  if (!sn_pack_lies_transposed(k, k->lanes)) {
    sn_pack_elements(k, zero, rows, zero, columns);
    return;
  }
  MlirValue whole_rows = sn(b, "arith.subi", rows, sn(b, "arith.remui", rows, lanes));
  MlirValue whole_columns = sn(b, "arith.subi", columns, sn(b, "arith.remui", columns, lanes));
  SnLoop q = sn_for(b, zero, whole_columns, lanes);
  SnLoop r = sn_for(b, zero, whole_rows, lanes);
  transpose_tile(k, r.index, q.index);
  sn_next(b, &r);
  sn_next(b, &q);
  sn_pack_elements(k, zero, whole_rows, whole_columns, columns);
  sn_pack_elements(k, whole_rows, rows, zero, columns);
}

static void free_block(Block *k) {
  if (k->columns)
    sn_cpu_side_program_free(k->columns);
  free(k->columns);
}

// Vectors that copy rows are as wide as the kernel's, though the columns that they are multiplied by may be fewer; no
// wider than there are rows and summed elements.
static int64_t lanes_of_rows(const Contract *c, const Product *p) {
  int64_t bits = (int64_t)sn_bits(p->a_type), lanes = (p->line->bits ? p->line->bits : LIBRARY_BITS) / 32;
  int64_t most = p->sum != SN_DYNAMIC && p->sum < c->m ? p->sum : c->m;
  lanes = bits > 32 ? lanes * 32 / bits : lanes;
  while (lanes > most)
    lanes /= 2;
  return lanes > c->lanes ? lanes : c->lanes;
}

// Tiles of rows as those of columns: words of neighbouring elements, [row][word] to [word][row].
static void turn_tiles(Block *k) {
  SnBuilder *b = &k->c->t.b;
  const SnMicroKernel *line = k->p->line;
  MlirType row = sn_vector(k->p->a_type, sn_micro_k_unit(line)),
           words = sn_vector(mlirIntegerTypeGet(b->ctx, 32), line->m);
  MlirValue v[SN_MAX_LANES], zero = sn_index(b, 0);
  SnLoop i = sn_for(b, zero, k->c->mm, sn_index(b, line->m));
  MlirValue first = sn_pack_row(k, i.index);
  for (int64_t r = 0; r < line->m; ++r)
    v[r] = sn(b, "vector.bitcast", sn(b, "vector.load", k->pack, plus(b, first, sn_index(b, r)), zero, row), words);
  sn_pack_transpose(b, line->m, v);
  for (int64_t r = 0; r < line->m; ++r)
    sn_op(b, "vector.store", sn(b, "vector.bitcast", v[r], row), k->pack, plus(b, first, sn_index(b, r)), zero);
  sn_next(b, &i);
}

// Columns k0 .. k0 + columns of the block's rows, of one panel or of one tile.
static void pack_rows(Contract *c, Product *p, MlirValue k0, MlirValue columns, MlirValue pack_row0) {
  SnBuilder *b = &c->t.b;
  int64_t tiles = sn_cpu_a_tiles(c, p), unit = sn_micro_k_unit(p->line);
  Block k = {c,
             p,
             true,
             .lanes = lanes_of_rows(c, p),
             .row0 = c->i0,
             .column0 = k0,
             .pack = p->a_pack,
             .pack_rows = sn_cpu_a_rows(c, p),
             .pack_row0 = pack_row0,
             .k_tiles = tiles};
  if (p->line->parts) {
    sn_pack_parts_of_rows(&k, columns);
  } else {
    sn_pack_block(&k, c->mm, columns);
    sn_pack_zeros(&k, sn_index(b, 0), c->mm, columns, tiles ? sn_index(b, unit) : sn_cpu_whole(b, columns, unit));
    if (tiles && p->line->pack_b == SN_PACK_COLUMNS)
      turn_tiles(&k);
  }
  free_block(&k);
}

// Tile by tile, of panels `from` .. `to`: the last of all may have fewer columns.
static void pack_tiles(Contract *c, Product *p, MlirValue from, MlirValue to) {
  SnBuilder *b = &c->t.b;
  int64_t unit = sn_micro_k_unit(p->line), whole = p->sum / unit * unit, known;
  int64_t tile = sn_micro_row_unit(p->line) * sn_micro_parts(p->line); // rows of all parts
  MlirValue rows = sn_index(b, tile), width = sn_index(b, unit), last = sn_index(b, whole);
  SnLoop k0 = sn_for(b, from, whole < p->sum ? at_most(b, to, last) : to, width);
  MlirValue in_panel = sn(b, "arith.divui", sn(b, "arith.remui", k0.index, sn_index(b, c->k)), width);
  pack_rows(c, p, k0.index, width, plus(b, sn_cpu_a_row(c, p, k0.index), sn(b, "arith.muli", in_panel, rows)));
  sn_next(b, &k0);
  if (whole == p->sum)
    return;
  bool all = sn_known(to, &known);
  SnIf ends = all ? (SnIf){0} : sn_if(b, sn(b, "arith.cmpi", to, last, sn_attr("predicate", sn_i64(b->ctx, 4)))); // sgt
  pack_rows(c, p, last, sn_index(b, p->sum - whole),
            plus(b, sn_cpu_a_row(c, p, last), sn_index(b, whole % c->k / unit * tile)));
  if (!all)
    sn_end_if(b, &ends);
}

// Panel by panel.
static void pack_panels(Contract *c, Product *p, MlirValue from, MlirValue to) {
  SnBuilder *b = &c->t.b;
  MlirValue width = sn_index(b, c->k), none = {0};
  if (sn_cpu_a_panels(c, p) == 1) {
    pack_rows(c, p, from, sn(b, "arith.subi", to, from), none);
    return;
  }
  SnLoop k0 = sn_for(b, from, to, width);
  pack_rows(c, p, k0.index, sn_cpu_smaller(b, width, c->k, k0.index, to), sn_cpu_a_row(c, p, k0.index));
  sn_next(b, &k0);
}

void sn_cpu_pack_a_panel(Contract *c, Product *p, MlirValue panel) {
  SnBuilder *b = &c->t.b;
  if (!p->sum)
    return;
  MlirValue sum = sn_form_sizes(b, &c->f, p->first_dim, p->num_dims),
            from = sn(b, "arith.muli", panel, sn_index(b, c->k));
  MlirValue to = sn_cpu_a_panels(c, p) > 1 ? at_most(b, plus(b, from, sn_index(b, c->k)), sum) : sum;
  SnIf some = sn_if(b, sn(b, "arith.cmpi", from, sum, sn_attr("predicate", sn_i64(b->ctx, 2)))); // slt
  if (sn_cpu_a_tiles(c, p))
    pack_tiles(c, p, from, to);
  else
    pack_panels(c, p, from, to);
  sn_end_if(b, &some);
}

void sn_cpu_pack_a(Contract *c, Product *p) {
  SnBuilder *b = &c->t.b;
  MlirValue zero = sn_index(b, 0), sum = sn_form_sizes(b, &c->f, p->first_dim, p->num_dims);
  int64_t known;
  bool counted = sn_known(sum, &known);
  if (counted && !known)
    return;
  // Where a position is divided by a size, that is not 0.
  SnIf some = counted ? (SnIf){0}
                      : sn_if(b, sn(b, "arith.cmpi", sum, zero, sn_attr("predicate", sn_i64(b->ctx, 1)))); // ne
  if (sn_cpu_a_tiles(c, p))
    pack_tiles(c, p, zero, sum);
  else
    pack_panels(c, p, zero, sum);
  if (!counted)
    sn_end_if(b, &some);
}

MlirValue sn_cpu_b_panel(Contract *c, const Product *p, MlirValue column) {
  SnBuilder *b = &c->t.b;
  return sn(b, "arith.muli", sn(b, "arith.divui", column, sn_index(b, p->panel)), sn_index(b, sn_cpu_b_rows(c, p)));
}

// Rows of weights of which all panels are packed together, or all of them.
static int64_t rows_together(const Contract *c, const Product *p) {
  int64_t unit = sn_micro_k_unit(p->line);
  return p->panel && c->panels > 1 ? sn_pieces(ROWS_TOGETHER, unit) * unit : 0;
}

// What a block's first row is a multiple of: it begins where k0 does, or some rows behind it.
static int64_t unit_of_rows(const Contract *c, const Product *p) {
  int64_t x = c->k_unit, y = p->lda == SN_BY_TABLES ? p->run : rows_together(c, p);
  while (y) {
    int64_t rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}

static void pack_panel(Contract *c, Product *p, MlirValue k0, MlirValue kk, MlirValue n0, MlirValue nn,
                       MlirValue first, MlirValue pack_row0) {
  SnBuilder *b = &c->t.b;
  Block k = {c,
             p,
             .lanes = c->lanes,
             .first = first,
             .row0 = k0,
             .row_unit = unit_of_rows(c, p),
             .column0 = n0,
             .pack = p->b_pack,
             .pack_rows = sn_cpu_b_kept_rows(c, p),
             .pack_row0 = pack_row0};
  if (p->line->parts) {
    sn_pack_parts_of_columns(&k, kk, nn);
  } else if (p->line->pack_b == SN_PACK_GROUPS) {
    sn_pack_groups(&k, kk, nn);
  } else {
    sn_pack_block(&k, kk, nn);
    sn_pack_zeros(&k, sn_index(b, 0), kk, nn, sn_cpu_whole(b, nn, sn_micro_column_unit(p->line, p->type)));
  }
  free_block(&k);
}

// Groups of each run by themselves.
static void pack_panel_of_runs(Contract *c, Product *p, MlirValue k0, MlirValue kk, MlirValue n0, MlirValue nn,
                               MlirValue first) {
  SnBuilder *b = &c->t.b;
  MlirValue run = sn_index(b, p->run);
  SnLoop u = sn_for(b, sn_index(b, 0), sn(b, "arith.divui", kk, run), sn_index(b, 1));
  pack_panel(c, p, plus(b, k0, sn(b, "arith.muli", u.index, run)), run, n0, nn, first,
             sn(b, "arith.muli", u.index, sn_index(b, sn_cpu_groups_of(p, p->run))));
  sn_next(b, &u);
}

// Some rows of all panels, then the next ones: as many as pages that a core knows where to find.
void sn_cpu_pack_b(Contract *c, Product *p, MlirValue k0, MlirValue kk, MlirValue n0, MlirValue nn, MlirValue first) {
  SnBuilder *b = &c->t.b;
  MlirValue zero = sn_index(b, 0), none = {0};
  if (p->lda == SN_BY_TABLES && p->run % p->line->group) {
    pack_panel_of_runs(c, p, k0, kk, n0, nn, first);
    return;
  }
  if (!p->panel || c->panels == 1) {
    pack_panel(c, p, k0, kk, n0, nn, first, none);
    return;
  }
  int64_t some = rows_together(c, p);
  MlirValue rows = sn_index(b, some), width = sn_index(b, p->panel);
  SnLoop s = sn_for(b, zero, kk, rows);
  SnLoop j = sn_for(b, zero, nn, width);
  MlirValue group = sn(b, "arith.divui", s.index, sn_index(b, p->line->group));
  if (p->line->parts)
    group = sn(b, "arith.muli", group, sn_index(b, p->line->parts));
  pack_panel(c, p, plus(b, k0, s.index), sn_cpu_smaller(b, rows, some, s.index, kk), plus(b, n0, j.index),
             sn_cpu_smaller(b, width, p->panel, j.index, nn), first, plus(b, sn_cpu_b_panel(c, p, j.index), group));
  sn_next(b, &j);
  sn_next(b, &s);
}
