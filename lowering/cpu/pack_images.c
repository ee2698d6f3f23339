// pack_images.c: rows of an image that a convolution shifts, packed as one run of all its columns.
//
//   B[(c, m, n), (h, w)] = x[b, c, h + m - 1, w + n - 1] else 0        h by w are x's own sizes
//
//   q = h * 13 + w, so that x's element is q + 13 (m - 1) + (n - 1) behind x[b, c, 0, 0]
//   for q by 16:
//     mask = q / 13 + (m - 1) < 13 and q mod 13 + (n - 1) < 13         unsigned, of 16 bits
//     b_pack[..][q ..] = x[q + .. | mask] else 0
//
// Where columns are places of several images, (i, h, w), each image is such a run.
//
// Where a convolution's results lie as its image does (stride 1, as many columns as the image), neighbours stay
// neighbours over the ends of lines, and what a shift takes from the next line is outside anyway. Lines of an image are
// short, and to cut a run at each of them takes longer than to copy it. What is masked is not read.
//
// test: test/lowering/cpu/pack_images.mlir, test/run/pack_images.test

#include "lowering/cpu/pack.h"
#include "lowering/rows/index.h"
#include "lowering/rows/rowmemory.h"

enum {
  SHORT_LINES = 8,      // vectors: copying longer lines takes longer than what is computed for each
  MOST_PLACES = 1 << 14, // of a subscript, on either side: sums stay within 16 bits
  LEAST_RUN = 4          // places of one of several images: fewer are as fast one by one
};

// The subscript that column dimension d is in, alone and as it is; -1: there is none such, or several.
static intptr_t subscript_of(const SnForm *f, MlirAffineMap map, SnGroup columns, int64_t d) {
  intptr_t found = -1;
  for (intptr_t s = 0; s < mlirAffineMapGetNumResults(map); ++s) {
    MlirAffineExpr e = mlirAffineMapGetResult(map, s);
    if (!mlirAffineExprIsFunctionOfDim(e, d))
      continue;
    int64_t factors[SN_MAX_DIMS] = {0};
    if (found >= 0 || !sn_affine_factors(e, factors) || factors[d] != 1)
      return -1;
    for (int64_t other = columns.first; other < columns.first + columns.num_dims; ++other)
      if (other != d && factors[other])
        return -1;
    found = s;
  }
  return found;
}

static void sizes_of(const SnForm *f, int64_t *sizes) {
  for (size_t d = 0; d < f->dims.size; ++d)
    sizes[d] = f->dims.data[d].size;
}

static bool fits_places(const SnForm *f, const SnAccess *side, intptr_t s) {
  int64_t sizes[SN_MAX_DIMS], low, high;
  sizes_of(f, sizes);
  return sn_affine_range(mlirAffineMapGetResult(side->map, s), sizes, &low, &high) && low >= -MOST_PLACES &&
         high <= MOST_PLACES && sn_dim(sn_type_of(side->value), s) <= MOST_PLACES;
}

// The first of the column dimensions that are an image's places, and how many places those are; 0: there are none.
static int64_t places_of(const SnPackBlock *k, int64_t *length) {
  const SnForm *f = &k->c->f;
  const SnAccess *side = k->p->b;
  SnGroup columns = k->p->columns;
  MlirType t = sn_type_of(side->value);
  int64_t factors[SN_MAX_DIMS], d = columns.first + columns.num_dims;
  *length = 1;
  if (!sn_linear_factors(side->map, t, factors))
    *length = 0;
  for (; *length && d > columns.first; --d) {
    int64_t size = f->dims.data[d - 1].size;
    intptr_t s = subscript_of(f, side->map, columns, d - 1);
    if (size == SN_DYNAMIC || s < 0 || sn_dim(t, s) == SN_DYNAMIC || factors[d - 1] != *length ||
        !fits_places(f, side, s))
      break;
    *length = sn_times(*length, size);
  }
  return d;
}

bool sn_pack_lies_as_image(const SnPackBlock *k) {
  const SnForm *f = &k->c->f;
  const SnAccess *side = k->is_a ? NULL : k->p->b;
  SnGroup columns = k->p->columns;
  if (!side || !side->fill.ptr || side->through.ptr || sn_is_table(side) || k->lanes < 2 || !columns.num_dims ||
      !sn_fills_bytes(sn_element(sn_type_of(side->value))))
    return false;
  int64_t length, first = places_of(k, &length), last = columns.first + columns.num_dims - 1;
  // Lines by themselves are runs of pack_runs.c.
  bool run = first == columns.first || (first < last && length >= LEAST_RUN);
  return run && length > 0 && length <= MOST_PLACES && f->dims.data[last].size < SHORT_LINES * k->lanes;
}

// ---- one row -------------------------------------------------------------------------------------

typedef struct {
  SnPackBlock *k;
  const SnAccess *side;
  int64_t first_place;          // the first column dimension that is one of places; others are several images
  MlirValue shift;              // place q of the image is column q + shift of the pack
  MlirValue flat, offset;       // of the first place's element, which may be outside
  MlirValue row;                // of the pack
  // Of each column dimension its subscript at its first place, on each lane. Where another subscript is outside, the
  // last one's is so far away that no lane is inside (sn_row_lanes_inside says why).
  MlirValue first[SN_MAX_DIMS];
  MlirType places;              // vector<16xi16>
} Image;

static MlirValue spread16(SnBuilder *b, const Image *m, MlirValue index) {
  MlirType i16 = sn_element(m->places);
  return sn(b, "vector.broadcast", sn(b, "arith.index_cast", index, i16), m->places);
}

static MlirValue number16(SnBuilder *b, const Image *m, int64_t n) {
  return sn_splat(b, m->places, mlirIntegerAttrGet(sn_element(m->places), n));
}

static MlirValue below(SnBuilder *b, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, sn_attr("predicate", sn_i64(b->ctx, 6))); // ult
}

// Which lanes of the places from q on are inside.
static MlirValue mask_at(SnBuilder *b, const Image *m, MlirValue q) {
  const SnForm *f = &m->k->c->f;
  SnGroup columns = m->k->p->columns;
  MlirValue step = sn(b, "arith.index_cast",
                      sn(b, "vector.step", sn_vector(sn_index_type(b->ctx), sn_dim(m->places, 0))), m->places);
  MlirValue place = plus(b, spread16(b, m, q), step), mask = {0};
  for (int64_t d = columns.first + columns.num_dims; d-- > m->first_place;) {
    MlirValue size = number16(b, m, f->dims.data[d].size), own = place;
    if (d > m->first_place) {
      MlirValue next = sn(b, "arith.divui", place, size);
      own = sn(b, "arith.subi", place, sn(b, "arith.muli", next, size));
      place = next;
    }
    intptr_t s = subscript_of(f, m->side->map, columns, d);
    MlirValue in = below(b, plus(b, own, m->first[d]), number16(b, m, sn_dim(sn_type_of(m->side->value), s)));
    mask = sn_none(mask) ? in : sn(b, "arith.andi", mask, in);
  }
  return mask;
}

static MlirValue load(SnBuilder *b, const Image *m, MlirValue q, MlirValue mask) {
  MlirType element = sn_element(sn_type_of(m->side->value)), t = sn_vector(element, m->k->lanes);
  MlirValue x = sn(b, "vector.maskedload", m->flat, plus(b, m->offset, q), mask, sn_splat(b, t, m->side->fill), t);
  return sn_row_convert(b, x, m->k->p->b_type);
}

// Places `from` .. `to` of a row: whole vectors, then one with a mask.
static void copy_row(SnBuilder *b, const Image *m, MlirValue from, MlirValue to) {
  SnPackBlock *k = m->k;
  MlirValue lanes = sn_index(b, k->lanes);
  MlirValue end = plus(b, from, sn_size_whole(b, sn(b, "arith.subi", to, from), k->lanes));
  SnLoop q = sn_for(b, from, end, lanes);
  sn_op(b, "vector.store", load(b, m, q.index, mask_at(b, m, q.index)), k->pack, m->row, plus(b, q.index, m->shift));
  sn_next(b, &q);
  MlirValue rest = sn(b, "arith.subi", to, end);
  SnIf some = sn_if(b, sn(b, "arith.cmpi", rest, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 4)))); // sgt
  {
    MlirValue there = sn_cpu_micro_mask(b, k->lanes, rest);
    MlirValue mask = sn(b, "arith.andi", mask_at(b, m, end), there);
    sn_op(b, "vector.maskedstore", k->pack, m->row, plus(b, end, m->shift), there, load(b, m, end, mask));
  }
  sn_end_if(b, &some);
}

// `start`: the column of the image's first place.
static Image image_at(SnPackBlock *k, MlirValue row, MlirValue start) {
  SnBuilder *b = &k->c->t.b;
  const SnForm *f = &k->c->f;
  Image m = {.k = k, .side = k->p->b, .row = sn_pack_row(k, row)};
  SnGroup columns = k->p->columns;
  int64_t last = columns.first + columns.num_dims - 1;
  MlirValue dims[SN_MAX_DIMS], at[SN_MAX_DIMS + 1], none = {0}, inside = none;
  MlirType t = sn_type_of(m.side->value);
  int64_t sizes[SN_MAX_DIMS], low, high, length;
  sizes_of(f, sizes);
  m.first_place = places_of(k, &length);
  m.shift = sn(b, "arith.subi", start, k->column0);
  m.places = sn_vector(mlirIntegerTypeGet(b->ctx, 16), k->lanes);
  sn_cpu_point(k->c, k->p, none, start, plus(b, k->row0, row), dims);
  for (intptr_t s = 0; s < sn_rank(t); ++s) {
    MlirAffineExpr e = mlirAffineMapGetResult(m.side->map, s);
    bool of_column = false;
    at[s] = sn_affine(b, e, dims);
    for (int64_t d = m.first_place; d < columns.first + columns.num_dims; ++d)
      if (mlirAffineExprIsFunctionOfDim(e, d)) {
        m.first[d] = spread16(b, &m, at[s]);
        of_column = true;
      }
    if (of_column || (sn_affine_range(e, sizes, &low, &high) && low >= 0 && high < sn_dim(t, s)))
      continue;
    MlirValue in = sn_row_below(b, at[s], sn_dim_of(b, m.side->value, s));
    inside = sn_none(inside) ? in : sn(b, "arith.andi", inside, in);
  }
  if (!sn_none(inside)) {
    MlirValue first = at[subscript_of(f, m.side->map, columns, last)], far = sn_index(b, -MOST_PLACES - 1);
    m.first[last] = spread16(b, &m, sn(b, "arith.select", inside, first, far));
  }
  m.flat = sn_row_flat(b, m.side->value, at, &m.offset);
  return m;
}

static void copy_image(SnPackBlock *k, MlirValue rows_from, MlirValue rows_to, MlirValue start, MlirValue from,
                       MlirValue to) {
  SnBuilder *b = &k->c->t.b;
  SnLoop r = sn_for(b, rows_from, rows_to, sn_index(b, 1));
  Image m = image_at(k, r.index, start);
  copy_row(b, &m, from, to);
  sn_next(b, &r);
}

void sn_pack_image(SnPackBlock *k, MlirValue rows_from, MlirValue rows_to, MlirValue columns_from,
                   MlirValue columns_to) {
  SnBuilder *b = &k->c->t.b;
  int64_t places;
  bool several = places_of(k, &places) > k->p->columns.first;
  MlirValue from = plus(b, k->column0, columns_from), to = plus(b, k->column0, columns_to);
  if (!several) {
    copy_image(k, rows_from, rows_to, sn_index(b, 0), from, to);
    return;
  }
  MlirValue length = sn_index(b, places);
  SnLoop i = sn_for(b, sn(b, "arith.divui", from, length), sn(b, "arith.ceildivui", to, length), sn_index(b, 1));
  MlirValue start = sn(b, "arith.muli", i.index, length), left = sn(b, "arith.subi", from, start),
            right = sn(b, "arith.subi", to, start);
  copy_image(k, rows_from, rows_to, start, sn(b, "arith.maxsi", left, sn_index(b, 0)),
             sn(b, "arith.minsi", right, length));
  sn_next(b, &i);
}
