// pack_runs.c: a row of a packed block, in runs along its last dimension.
//
//   B[(l, m, n), (h, w)] = x[l, h + m - 1, w + n - 1] else 0     for each l, m, n; for each h in the block:
//                                                                  fill w < 1 - n; copy; fill w > W - n
//
// Subscripts are computed once a run, whole vectors are loaded and converted, and where a bound cuts a run its ends are
// filled: nothing is compared element by element. What is read through an index tensor goes element by element. Of
// short pieces, as the taps of a dilated window of 3 channels, several are copied at once.
//
//   A[(y, x), (s = 5, c = 3)] = x[y, x + 2 s, c]    ->    two vectors of 27 elements, 15 of their lanes
//
// test: test/lowering/cpu/pack_pieces.mlir, test/run/pixels.test, test/run/windows_strided.mlir,
// test/run/pack_pieces.test

#include "lowering/cpu/contract.h"
#include "lowering/cpu/pack.h"
#include "lowering/rows/index.h"
#include "lowering/rows/rowmemory.h"

#define MOST_STEP 4    // of elements that neighbours of a run are apart, to load all between them, too
#define SHORT_PIECE 16 // elements: a vector, to copy which takes as long as a piece of it

typedef SnPackBlock Block;

static void copy_element(Block *k, MlirValue row, MlirValue column) {
  SnBuilder *b = &k->c->t.b;
  MlirValue dims[SN_MAX_DIMS];
  sn_pack_point(k, row, column, dims);
  MlirValue x = sn_row_convert(b, sn_row_load(b, &k->c->f, sn_pack_side(k), dims), sn_pack_type(k));
  MlirValue at[] = {sn_pack_row(k, row), column};
  sn_scratch_store(b, x, k->pack, sn_values(2, at), sn_no_attr());
}

// ---- runs ------------------------------------------------------------------------

void sn_cpu_advance(SnBuilder *b, const SnForm *f, int64_t first, int64_t n, MlirValue *dims) {
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1), carry = one;
  for (int64_t d = n; d-- > 0;) {
    MlirValue next = plus(b, dims[d], carry);
    dims[d] = next;
    if (d) {
      MlirValue ends =
          sn(b, "arith.cmpi", next, sn_form_size(b, f, first + d), sn_attr("predicate", sn_i64(b->ctx, 0)));
      dims[d] = sn(b, "arith.select", ends, zero, next);
      carry = sn(b, "arith.select", ends, one, zero);
    }
  }
}

// A block's columns: dimensions first .. first + n, of which the last ones are a run along dimension `along`, whose
// elements are evenly spaced.
typedef struct {
  int64_t first, n, outer; // outer: how many come before those of the run
  int64_t along;
  int64_t bounded, inner; // the dimension that bounds cut a run along, and elements of each of its steps
  MlirValue length;       // of a run
  // Of short pieces that are as far apart as one another, several are copied at once, as one run: of dimension
  // `pieces`, each of `piece` elements, `apart` from the next one. piece = 0: there are none.
  int64_t pieces, piece, apart;
} Runs;

// Of an image whose channels are last, %x[n, y + r - 1, x + s - 1, c] else 0: pixels beside each other are one run,
// which whole ones are cut from. Dimension s then, if the columns end in s and c.
static int64_t of_pixels(const SnForm *f, const SnAccess *side, const int64_t *factors, SnGroup columns, int64_t c) {
  MlirType t = sn_type_of(side->value);
  int64_t s = c - 1;
  while (s >= columns.first && f->dims.data[s].size == 1)
    --s;
  intptr_t last = sn_rank(t) - 1;
  bool whole = s >= columns.first && f->dims.data[c].size != SN_DYNAMIC && factors[c] == 1 &&
               factors[s] == f->dims.data[c].size && sn_map_dim(side->map, last) == c &&
               sn_dim(t, last) == f->dims.data[c].size;
  for (intptr_t i = 0; i < last && whole; ++i)
    whole = !mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(side->map, i), c);
  return whole ? s : -1;
}

// Pieces that two vectors have at once, the second of which ends with the last one.
static int64_t pieces_at_once(const Block *k, const Runs *r, int64_t left) {
  int64_t n = 1;
  while (n < left && n * r->apart + r->piece <= 2 * k->lanes && (n + 1) * r->piece <= SN_MAX_LANES)
    ++n;
  return n;
}

// Taps of a dilated window, or of a group of few channels: %x[n, y, x + 2 s, c] in (s = 5, c = 3).
static void find_pieces(const Block *k, const int64_t *factors, Runs *r) {
  const SnForm *f = &k->c->f;
  int64_t d = r->first + r->outer - 1, size = 1;
  for (int64_t i = d + 1; i < r->first + r->n; ++i)
    size = sn_times(size, f->dims.data[i].size);
  bool may = r->outer > 0 && k->lanes > 1 && size > 0 && size < SHORT_PIECE && factors[r->along] == 1 &&
             f->dims.data[d].size > 1 && factors[d] > size &&
             sn_fills_bytes(sn_element(sn_type_of(sn_pack_side(k)->value)));
  if (!may)
    return;
  r->pieces = d;
  r->piece = size;
  r->apart = factors[d];
  if (pieces_at_once(k, r, f->dims.data[d].size) < 2) {
    r->piece = 0;
    return;
  }
  --r->outer;
  r->length = sn_form_sizes(&k->c->t.b, f, r->first + r->outer, r->n - r->outer);
}

static Runs runs_of(const Block *k) {
  const SnForm *f = &k->c->f;
  const SnAccess *side = sn_pack_side(k);
  SnGroup columns = sn_pack_column_group(k);
  Runs r = {.first = columns.first, .n = columns.num_dims};
  if (!side) {
    r.outer = sn_cpu_side_outer(f, sn_pack_side_number(k), r.first, r.n);
    r.along = r.first + r.n - 1;
    r.length = sn_form_sizes(&k->c->t.b, f, r.first + r.outer, r.n - r.outer);
    return r;
  }
  int64_t factors[SN_MAX_DIMS], d = r.first + r.n - 1, expected = 0;
  bool known = sn_linear_factors(side->map, sn_type_of(side->value), factors), linear = !side->fill.ptr && known;
  while (linear && d > r.first && f->dims.data[d].size == 1)
    --d;
  r.along = r.bounded = d;
  r.inner = 1;
  int64_t last = r.first + r.n - 1,
          pixels = side->fill.ptr && known && r.n ? of_pixels(f, side, factors, columns, last) : -1;
  if (pixels >= 0) {
    r.along = last;
    r.bounded = pixels;
    r.inner = f->dims.data[last].size;
    r.outer = pixels - r.first;
    r.length = sn_form_sizes(&k->c->t.b, f, r.first + r.outer, r.n - r.outer);
    return r;
  }
  if (linear && d >= r.first)
    expected = f->dims.data[d].size == SN_DYNAMIC ? 0 : factors[d] * f->dims.data[d].size;
  for (--d; linear && expected && d >= r.first && (f->dims.data[d].size == 1 || factors[d] == expected); --d)
    expected = f->dims.data[d].size == SN_DYNAMIC ? 0 : expected * f->dims.data[d].size;
  r.outer = r.n ? d + 1 - r.first : 0;
  r.length = sn_form_sizes(&k->c->t.b, f, r.first + r.outer, r.n - r.outer);
  if (linear)
    find_pieces(k, factors, &r);
  return r;
}

// The one subscript that changes along the run, and by how much; false where bounds or distances cannot be told from
// it.
static bool changes(const Block *k, int64_t along, intptr_t *at, int64_t *step) {
  const SnAccess *side = sn_pack_side(k);
  intptr_t n = mlirAffineMapGetNumResults(side->map);
  *at = -1;
  for (intptr_t i = 0; i < n; ++i) {
    MlirAffineExpr e = mlirAffineMapGetResult(side->map, i);
    if (!mlirAffineExprIsFunctionOfDim(e, along))
      continue;
    int64_t factors[SN_MAX_DIMS] = {0};
    if (*at >= 0 || !sn_affine_factors(e, factors) || factors[along] < 1)
      return false;
    *at = i;
    *step = factors[along];
  }
  return true;
}

// How far apart a run's elements lie, if they are loaded with all between them; else 0.
static int64_t step_of(const Block *k, const Runs *runs) {
  const SnAccess *side = sn_pack_side(k);
  int64_t factors[SN_MAX_DIMS];
  MlirType t = sn_type_of(side->value);
  bool known = runs->n && runs->inner == 1 && k->lanes > 1 && sn_fills_bytes(sn_element(t)) &&
               !mlirTypeIsAIndex(sn_element(t)) && sn_linear_factors(side->map, t, factors);
  return known && factors[runs->along] > 1 && factors[runs->along] <= MOST_STEP ? factors[runs->along] : 0;
}

static MlirValue at_least(SnBuilder *b, MlirValue x, MlirValue low) { return sn(b, "arith.maxsi", x, low); }
static MlirValue at_most(SnBuilder *b, MlirValue x, MlirValue high) { return sn(b, "arith.minsi", x, high); }

typedef struct {
  Block *k;
  const Runs *runs;
  MlirValue dims[SN_MAX_DIMS]; // of the run: 0 along it
  MlirValue row, shift;        // where it goes: pack[row][c + shift]
  bool unit;                   // its elements are neighbours
  int64_t step;                // or so many elements apart, a few
} Run;

static void subscripts(Run *r, MlirValue c, MlirValue *at) {
  SnBuilder *b = &r->k->c->t.b;
  MlirValue dims[SN_MAX_DIMS];
  const SnAccess *side = sn_pack_side(r->k);
  memcpy(dims, r->dims, sizeof dims);
  if (r->runs->n)
    dims[r->runs->along] = c;
  for (intptr_t s = 0; s < mlirAffineMapGetNumResults(side->map); ++s)
    at[s] = sn_affine(b, mlirAffineMapGetResult(side->map, s), dims);
}

static void store(Run *r, MlirValue x, MlirValue c) {
  SnBuilder *b = &r->k->c->t.b;
  MlirValue at[] = {r->row, plus(b, c, r->shift)};
  sn_scratch_store(b, x, r->k->pack, sn_values(2, at), sn_no_attr());
}

static void fill_run(Run *r, MlirValue from, MlirValue to) {
  SnBuilder *b = &r->k->c->t.b;
  MlirValue fill = sn_row_convert(b, sn_constant(b, sn_pack_side(r->k)->fill), sn_pack_type(r->k));
  SnLoop c = sn_for(b, from, to, sn_index(b, 1));
  store(r, fill, c.index);
  sn_next(b, &c);
}

// Whole vectors, then one with a mask.
static void copy_vectors(Run *r, MlirValue from, MlirValue to) {
  SnBuilder *b = &r->k->c->t.b;
  const SnAccess *side = sn_pack_side(r->k);
  int64_t lanes = r->k->lanes;
  MlirType element = sn_element(sn_type_of(side->value)), t = sn_vector(element, lanes),
           i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue at[SN_MAX_DIMS + 1], offset, count = sn(b, "arith.subi", to, from), wide = sn_index(b, lanes);
  subscripts(r, from, at);
  MlirValue flat = sn_row_flat(b, side->value, at, &offset), shift = plus(b, from, r->shift);
  MlirValue whole = sn(b, "arith.subi", count, sn(b, "arith.remui", count, wide));
  SnLoop c = sn_for(b, sn_index(b, 0), whole, wide);
  MlirValue x = sn(b, "vector.load", flat, plus(b, offset, c.index), t);
  sn_op(b, "vector.store", sn_row_convert(b, x, sn_pack_type(r->k)), r->k->pack, r->row, plus(b, shift, c.index));
  sn_next(b, &c);
  MlirValue rest = sn(b, "arith.subi", count, whole);
  SnIf some = sn_if(b, sn(b, "arith.cmpi", rest, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 4)))); // sgt
  {
    MlirValue step =
        sn(b, "arith.index_cast", sn(b, "vector.step", sn_vector(sn_index_type(b->ctx), lanes)), sn_vector(i32, lanes));
    MlirValue end = sn(b, "vector.broadcast", sn(b, "arith.index_cast", rest, i32), sn_vector(i32, lanes));
    MlirValue mask = sn(b, "arith.cmpi", step, end, sn_attr("predicate", sn_i64(b->ctx, 2)));
    MlirValue y = sn(b, "vector.maskedload", flat, plus(b, offset, whole), mask, sn_zero(b, t), t);
    sn_op(b, "vector.maskedstore", r->k->pack, r->row, plus(b, shift, whole), mask,
          sn_row_convert(b, y, sn_pack_type(r->k)));
  }
  sn_end_if(b, &some);
}

// A vector of every step-th element, out of as many vectors that cover them; the last one ends with the last element.
static MlirValue load_stepping(Run *r, MlirValue c) {
  SnBuilder *b = &r->k->c->t.b;
  const SnAccess *side = sn_pack_side(r->k);
  int64_t lanes = r->k->lanes, step = r->step;
  MlirType element = sn_element(sn_type_of(side->value)), t = sn_vector(element, lanes),
           bits = sn_vector(mlirIntegerTypeGet(b->ctx, sn_bits(element)), lanes);
  MlirValue at[SN_MAX_DIMS + 1], offset, all = {0};
  subscripts(r, c, at);
  MlirValue flat = sn_row_flat(b, side->value, at, &offset);
  for (int64_t p = 0; p < step; ++p) {
    int64_t begin = p + 1 < step ? p * lanes : (lanes - 1) * step + 1 - lanes, from[SN_MAX_LANES];
    // LLVM takes vectors of half types apart to shuffle them, and those of integers not.
    MlirValue x = sn(b, "vector.bitcast", sn(b, "vector.load", flat, plus(b, offset, sn_index(b, begin)), t), bits);
    for (int64_t l = 0; l < lanes; ++l)
      from[l] = l * step >= p * lanes && p ? lanes + l * step - begin : p > 1 ? l : l * step;
    if (p)
      for (int64_t l = 0; l < lanes; ++l)
        from[l] = from[l] >= 2 * lanes ? l : from[l]; // of a vector to come
    all = p ? sn(b, "vector.shuffle", all, x, sn_attr("mask", mlirDenseI64ArrayGet(b->ctx, lanes, from))) : x;
  }
  return sn(b, "vector.bitcast", all, t);
}

// Elements one by one; the loop.
static MlirOperation copy_elements(Run *r, MlirValue from, MlirValue to) {
  SnBuilder *b = &r->k->c->t.b;
  const SnAccess *side = sn_pack_side(r->k);
  SnLoop c = sn_for(b, from, to, sn_index(b, 1));
  MlirValue at[SN_MAX_DIMS + 1];
  subscripts(r, c.index, at);
  MlirValue x = sn(b, "memref.load", side->value, sn_values(mlirAffineMapGetNumResults(side->map), at),
                   sn_element(sn_type_of(side->value)));
  store(r, sn_row_convert(b, x, sn_pack_type(r->k)), c.index);
  sn_next(b, &c);
  return c.op;
}

// The same, too few for LLVM to make vectors of.
static void copy_few(Run *r, MlirValue from, MlirValue to) {
  MlirContext ctx = r->k->c->t.b.ctx;
  sn_set_attr(copy_elements(r, from, to), "llvm.loop_annotation",
              sn_parse_attr(ctx, "#llvm.loop_annotation<vectorize = <disable = true>, unroll = <disable = true>>"));
}

// Whole vectors; the last one ends where the run does, and stores some elements again.
static void copy_stepping(Run *r, MlirValue from, MlirValue to) {
  SnBuilder *b = &r->k->c->t.b;
  MlirValue wide = sn_index(b, r->k->lanes), last = sn(b, "arith.subi", to, wide);
  SnIf fits = sn_if(b, sn(b, "arith.cmpi", last, from, sn_attr("predicate", sn_i64(b->ctx, 5)))); // sge
  SnLoop c = sn_for(b, from, to, wide);
  MlirValue at = at_most(b, c.index, last);
  sn_op(b, "vector.store", sn_row_convert(b, load_stepping(r, at), sn_pack_type(r->k)), r->k->pack, r->row,
        plus(b, at, r->shift));
  sn_next(b, &c);
  sn_else(b, &fits);
  copy_few(r, from, to);
  sn_end_if(b, &fits);
}

static void copy_pieces(Run *r, MlirValue from, MlirValue to);

static void copy_run(Run *r, MlirValue from, MlirValue to) {
  if (r->runs->piece)
    copy_pieces(r, from, to);
  else if (r->unit)
    copy_vectors(r, from, to);
  else if (r->step)
    copy_stepping(r, from, to);
  else
    (void)copy_elements(r, from, to);
}

// Pieces first .. first + n of one run: two vectors, or one, and what of their lanes is wanted.
static void copy_at_once(Run *r, int64_t first, int64_t n) {
  SnBuilder *b = &r->k->c->t.b;
  const SnAccess *side = sn_pack_side(r->k);
  int64_t piece = r->runs->piece, apart = r->runs->apart, span = (n - 1) * apart + piece, lanes = r->k->lanes,
          from[SN_MAX_LANES];
  while (lanes > span)
    lanes /= 2;
  MlirType element = sn_element(sn_type_of(side->value)), t = sn_vector(element, lanes),
           bits = mlirIntegerTypeGet(b->ctx, sn_bits(element));
  MlirValue at[SN_MAX_DIMS + 1], offset, x[2], dims[SN_MAX_DIMS];
  memcpy(dims, r->dims, sizeof dims);
  r->dims[r->runs->pieces] = sn_index(b, first);
  subscripts(r, sn_index(b, 0), at);
  memcpy(r->dims, dims, sizeof dims);
  MlirValue flat = sn_row_flat(b, side->value, at, &offset);
  // LLVM takes vectors of half types apart to shuffle them, and those of integers not.
  for (int i = 0; i < 2; ++i)
    x[i] = sn(b, "vector.bitcast", sn(b, "vector.load", flat, plus(b, offset, sn_index(b, i ? span - lanes : 0)), t),
              sn_vector(bits, lanes));
  for (int64_t l = 0; l < n * piece; ++l) {
    int64_t place = l / piece * apart + l % piece;
    from[l] = place < lanes ? place : lanes + place - (span - lanes);
  }
  MlirValue y = sn(b, "vector.shuffle", x[0], x[1], sn_attr("mask", mlirDenseI64ArrayGet(b->ctx, n * piece, from)));
  y = sn_row_convert(b, sn(b, "vector.bitcast", y, sn_vector(element, n * piece)), sn_pack_type(r->k));
  sn_op(b, "vector.store", y, r->k->pack, r->row, plus(b, sn_index(b, first * piece), r->shift));
}

// Elements `from` .. `to` of a run of pieces: all of it by vectors, a part of it piece by piece.
static void copy_pieces(Run *r, MlirValue from, MlirValue to) {
  SnBuilder *b = &r->k->c->t.b;
  int64_t all = r->k->c->f.dims.data[r->runs->pieces].size, piece = r->runs->piece, n;
  MlirValue eq0 = sn(b, "arith.cmpi", from, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 0))),
            eq1 = sn(b, "arith.cmpi", to, sn_index(b, all * piece), sn_attr("predicate", sn_i64(b->ctx, 0)));
  SnIf whole = sn_if(b, sn(b, "arith.andi", eq0, eq1));
  for (int64_t p = 0; p < all; p += n) {
    n = pieces_at_once(r->k, r->runs, all - p);
    copy_at_once(r, p, n);
  }
  sn_else(b, &whole);
  MlirValue size = sn_index(b, piece);
  SnLoop p = sn_for(b, sn(b, "arith.divui", from, size), sn(b, "arith.ceildivui", to, size), sn_index(b, 1));
  {
    Run one = *r;
    MlirValue begin = sn(b, "arith.muli", p.index, size);
    one.dims[r->runs->pieces] = p.index;
    one.shift = plus(b, r->shift, begin);
    copy_vectors(&one, at_least(b, sn(b, "arith.subi", from, begin), sn_index(b, 0)),
                 at_most(b, sn(b, "arith.subi", to, begin), size));
  }
  sn_next(b, &p);
  sn_end_if(b, &whole);
}

// Elements `from` .. `to` of a run with bounds: those inside are neighbours of one another.
static void copy_bounded_run(Run *r, intptr_t at, int64_t step, MlirValue from, MlirValue to) {
  SnBuilder *b = &r->k->c->t.b;
  const SnAccess *side = sn_pack_side(r->k);
  MlirValue first[SN_MAX_DIMS + 1], inside = sn_int(b, mlirIntegerTypeGet(b->ctx, 1), 1), zero = sn_index(b, 0),
                                    by = sn_index(b, step);
  subscripts(r, zero, first);
  for (intptr_t s = 0; s < mlirAffineMapGetNumResults(side->map); ++s)
    if (s != at)
      inside = sn(b, "arith.andi", inside, sn_row_below(b, first[s], sn_dim_of(b, side->value, s)));
  MlirValue low = from, high = to;
  if (at >= 0) {
    MlirValue size = sn_dim_of(b, side->value, at);
    low = sn(b, "arith.subi", zero, first[at]);
    high = sn(b, "arith.subi", size, first[at]);
    if (step > 1) {
      low = sn(b, "arith.ceildivsi", low, by);
      high = sn(b, "arith.ceildivsi", high, by);
    }
    low = sn_size_mul(b, low, sn_index(b, r->runs->inner));
    high = sn_size_mul(b, high, sn_index(b, r->runs->inner));
    low = at_most(b, at_least(b, low, from), to);
    high = at_most(b, at_least(b, high, low), to);
  }
  high = sn(b, "arith.select", inside, high, low);
  fill_run(r, from, low);
  copy_run(r, low, high);
  fill_run(r, high, to);
}

// The same of a side with a program: whole vectors, then narrow ones, then single elements.
static void compute_run(Run *r, SnSideProgram *program, MlirValue from, MlirValue to) {
  SnBuilder *b = &r->k->c->t.b;
  int64_t lanes = r->k->lanes, widths[] = {lanes, lanes > 4 ? 4 : 1, 1};
  sn_cpu_side_row(b, program, r->dims);
  for (int i = 0; i < 3; ++i) {
    if (i && widths[i] == widths[i - 1])
      continue;
    MlirValue end = plus(b, from, sn_size_whole(b, sn(b, "arith.subi", to, from), widths[i]));
    SnLoop c = sn_for(b, from, end, sn_index(b, widths[i]));
    store(r, sn_row_convert(b, sn_cpu_side_element(b, program, c.index, widths[i]), sn_pack_type(r->k)), c.index);
    sn_next(b, &c);
    from = end;
  }
}

bool sn_cpu_next_to_itself(MlirAffineMap map, MlirType t, int64_t d) {
  int64_t factors[SN_MAX_DIMS];
  return sn_linear_factors(map, t, factors) ? factors[d] == 1 : sn_unit_stride(map, d);
}

void sn_pack_elements(Block *k, MlirValue rows_from, MlirValue rows_to, MlirValue columns_from, MlirValue columns_to) {
  SnBuilder *b = &k->c->t.b;
  const SnForm *f = &k->c->f;
  const SnAccess *side = sn_pack_side(k);
  MlirValue one = sn_index(b, 1);
  intptr_t at = -1;
  int64_t step = 0;
  if (sn_pack_lies_as_image(k)) {
    sn_pack_image(k, rows_from, rows_to, columns_from, columns_to);
    return;
  }
  Runs runs = runs_of(k);
  bool by_runs = !side || (!side->through.ptr && !sn_is_table(side) &&
                           (!side->fill.ptr || (runs.n && changes(k, runs.bounded, &at, &step))));
  if (!by_runs) {
    SnLoop r = sn_for(b, rows_from, rows_to, one);
    SnLoop q = sn_for(b, columns_from, columns_to, one);
    copy_element(k, r.index, q.index);
    sn_next(b, &q);
    sn_next(b, &r);
    return;
  }
  SnSideProgram program;
  Run run = {.k = k, .runs = &runs};
  if (side)
    run.unit = runs.n && k->lanes > 1 && sn_fills_bytes(sn_element(sn_type_of(side->value))) &&
               sn_cpu_next_to_itself(side->map, sn_type_of(side->value), runs.along);
  else
    sn_cpu_side_program(k->c, sn_pack_side_number(k), runs.first + runs.outer, runs.n - runs.outer, &program);
  if (side && !run.unit)
    run.step = step_of(k, &runs);
  SnGroup rows = sn_pack_row_group(k);
  int64_t row_first = rows.first, row_dims = rows.num_dims;
  MlirValue q0 = plus(b, k->column0, columns_from), q1 = plus(b, k->column0, columns_to), point[SN_MAX_DIMS],
            dims[SN_MAX_DIMS];
  for (int d = 0; d < SN_MAX_DIMS; ++d)
    dims[d] = sn_index(b, 0);
  memcpy(dims, k->c->dims, (size_t)(f->num_rows - k->c->together) * sizeof *dims);
  MlirValue o0 = sn_index(b, 0), o1 = one;
  if (runs.outer) {
    o0 = sn(b, "arith.divui", q0, runs.length);
    o1 = sn(b, "arith.ceildivui", q1, runs.length);
  }
  sn_form_point(b, f, runs.first, runs.outer, o0, point);
  SnLoop o = sn_for_values(b, o0, o1, one, sn_values(runs.outer, point));
  {
    memcpy(dims + runs.first, o.carried, (size_t)runs.outer * sizeof *dims);
    MlirValue start = sn(b, "arith.muli", o.index, runs.length), from = q0, to = q1;
    if (runs.outer) {
      from = sn(b, "arith.subi", at_least(b, start, q0), start);
      to = sn(b, "arith.subi", at_most(b, plus(b, start, runs.length), q1), start);
    }
    run.shift = sn(b, "arith.subi", runs.outer ? start : sn_index(b, 0), k->column0);
    sn_form_point(b, f, row_first, row_dims, plus(b, k->row0, rows_from), point);
    SnLoop r = sn_for_values(b, rows_from, rows_to, one, sn_values(row_dims, point));
    {
      memcpy(run.dims, dims, sizeof dims);
      memcpy(run.dims + row_first, r.carried, (size_t)row_dims * sizeof *dims);
      run.row = sn_pack_row(k, r.index);
      if (!side)
        compute_run(&run, &program, from, to);
      else if (side->fill.ptr)
        copy_bounded_run(&run, at, step, from, to);
      else
        copy_run(&run, from, to);
      sn_cpu_advance(b, f, row_first, row_dims, r.carried);
    }
    sn_next_values(b, &r, sn_values(row_dims, r.carried));
    sn_cpu_advance(b, f, runs.first, runs.outer, o.carried);
  }
  sn_next_values(b, &o, sn_values(runs.outer, o.carried));
  if (!side)
    sn_cpu_side_program_free(&program);
}
