// rowlanes.c: a row program whose lanes are rows, not columns.
//
//   %x[i, k, j], rows (i, j) by (k)   ->   vector.load %x[i, k, j .. j + 7]       8 rows at column k
//   %w[k]                             ->   memref.load, on every lane
//   %x[i, j + k - 1] else 0.0         ->   vector.maskedload of the lanes inside
//   %x[i, j * 2 + k]                  ->   a vector.maskedload of 15 neighbours, every second of them
//   %x[i, j * 2, k]                   ->   8 loads and a vector.from_elements
//
// Where neighbours in memory are neighbours in the last row dimension (a sum over
// the first or a middle dimension, classes in dimension 1, a convolution's
// window), columns would be loaded one by one. Here they are a scalar loop, and
// no reduction crosses lanes.

#include "lowering/rows/rowmemory.h"
#include <assert.h>

#define MOST_STEP 4 // of elements that neighbours are apart, to load all between them, too

// Some subscript, also one that comes through an index tensor, changes with dimension d.
static bool uses(const SnForm *f, const SnAccess *a, intptr_t d) {
  if (sn_map_uses(a->map, d))
    return true;
  for (intptr_t i = 0; a->through.ptr && i < mlirDenseArrayGetNumElements(a->through); ++i)
    if (sn_map_uses(f->indices.data[mlirDenseI64ArrayGetElement(a->through, i)].map, d))
      return true;
  return false;
}

// Each lane has a column of its own.
static bool is_apart(const SnFragment *c) { return c->columns && mlirTypeIsAVector(sn_type_of(c->column)); }

// Dimensions of lane l.
static void dims_at(SnBuilder *b, SnRowProgram *p, SnFragment *c, int64_t l, MlirValue *dims) {
  const SnForm *f = p->form;
  bool apart = is_apart(c);
  if (!apart) {
    sn_row_dims(b, p, c, 0, dims);
  } else {
    memcpy(dims, p->dims, (size_t)f->num_rows * sizeof *dims);
    sn_form_point(b, f, f->num_rows, f->num_cols, sn_lane(b, c->column, l), dims + f->num_rows);
  }
  if (l > 0)
    dims[f->num_rows - 1] = sn(b, "arith.addi", dims[f->num_rows - 1], sn_index(b, l));
}

static bool in_one_piece(const SnForm *f, const SnAccess *a) {
  return !a->through.ptr && sn_fills_bytes(sn_element(sn_type_of(a->value))) && sn_unit_stride(a->map, f->num_rows - 1);
}

static intptr_t subscripts(SnBuilder *b, const SnAccess *a, const MlirValue *dims, MlirValue *at) {
  intptr_t n = mlirAffineMapGetNumResults(a->map);
  for (intptr_t i = 0; i < n; ++i)
    at[i] = sn_affine(b, mlirAffineMapGetResult(a->map, i), dims);
  return n;
}

MlirValue sn_row_lanes_below(SnBuilder *b, MlirValue first, MlirValue end, int64_t width, bool narrow) {
  MlirType index = sn_index_type(b->ctx), i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue step = sn(b, "vector.step", sn_vector(index, width));
  if (narrow) {
    first = sn(b, "arith.index_cast", first, i32);
    end = sn(b, "arith.index_cast", end, i32);
    step = sn(b, "arith.index_cast", step, sn_vector(i32, width));
  }
  MlirValue lanes = sn(b, "arith.addi", sn_lanes_broadcast(b, first, width), step);
  return sn_row_below(b, lanes, sn_lanes_broadcast(b, end, width));
}

MlirValue sn_row_lanes_inside(SnBuilder *b, MlirValue first, MlirValue end, int64_t width, bool narrow,
                              MlirValue inside) {
  if (!sn_none(inside))
    first = sn(b, "arith.select", inside, first, sn_index(b, -SN_NARROW_MOST));
  return sn_row_lanes_below(b, first, end, width, narrow);
}

MlirValue sn_row_load_masked(SnBuilder *b, const SnForm *f, const SnAccess *a, const MlirValue *dims, int64_t width) {
  MlirValue at[SN_MAX_DIMS + 1], inside = {0};
  MlirType element = sn_element(sn_type_of(a->value));
  intptr_t n = subscripts(b, a, dims, at);
  int64_t low, high, size = sn_dim(sn_type_of(a->value), n - 1), sizes[SN_MAX_DIMS];
  for (size_t d = 0; d < f->dims.size; ++d)
    sizes[d] = f->dims.data[d].size;
  for (intptr_t i = 0; i + 1 < n; ++i) {
    if (sn_affine_range(mlirAffineMapGetResult(a->map, i), sizes, &low, &high) && low >= 0 &&
        sn_dim(sn_type_of(a->value), i) != SN_DYNAMIC && high < sn_dim(sn_type_of(a->value), i))
      continue;
    MlirValue in = sn_row_below(b, at[i], sn_dim_of(b, a->value, i));
    inside = sn_none(inside) ? in : sn(b, "arith.andi", inside, in);
  }
  bool narrow = size != SN_DYNAMIC && size < SN_NARROW_MOST &&
                sn_affine_range(mlirAffineMapGetResult(a->map, n - 1), sizes, &low, &high) && low > -SN_NARROW_MOST &&
                high < SN_NARROW_MOST;
  MlirValue mask = sn_row_lanes_inside(b, at[n - 1], sn_dim_of(b, a->value, n - 1), width, narrow, inside);
  MlirValue fill = sn_splat(b, sn_vector(element, width), a->fill);
  return sn(b, "vector.maskedload", a->value, sn_values(n, at), mask, fill, sn_vector(element, width));
}

int64_t sn_row_step(const SnForm *f, const SnAccess *a, int64_t d, int64_t lanes) {
  int64_t factors[SN_MAX_DIMS] = {0};
  intptr_t last = mlirAffineMapGetNumResults(a->map) - 1;
  MlirType element = sn_element(sn_type_of(a->value));
  bool alone = !a->through.ptr && last >= 0 && sn_fills_bytes(element) && !mlirTypeIsAIndex(element) &&
               sn_affine_factors(mlirAffineMapGetResult(a->map, last), factors);
  for (intptr_t i = 0; i < last && alone; ++i)
    alone = !mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(a->map, i), d);
  int64_t step = alone ? factors[d] : 0;
  return step > 1 && step <= MOST_STEP && step * lanes <= SN_MAX_LANES ? step : 0;
}

// The lanes from the first to the last of the elements that are wanted.
static MlirValue load_between(SnBuilder *b, const SnAccess *a, const MlirValue *dims, int64_t wanted, int64_t width) {
  MlirValue at[SN_MAX_DIMS + 1];
  MlirType t = sn_vector(sn_element(sn_type_of(a->value)), width);
  intptr_t n = subscripts(b, a, dims, at);
  MlirValue mask = sn(b, "vector.constant_mask", sn_vector(mlirIntegerTypeGet(b->ctx, 1), width),
                      sn_attr("mask_dim_sizes", mlirDenseI64ArrayGet(b->ctx, 1, &wanted)));
  return sn(b, "vector.maskedload", a->value, sn_values(n, at), mask, sn_zero(b, t), t);
}

// Every step-th element of a line.
MlirValue sn_row_load_stepping(SnBuilder *b, const SnForm *f, const SnAccess *a, const MlirValue *dims, int64_t rows,
                               int64_t step) {
  int64_t width = rows * step, lanes[SN_MAX_LANES];
  MlirType element = sn_element(sn_type_of(a->value)), bits = mlirIntegerTypeGet(b->ctx, sn_bits(element));
  MlirValue x =
      a->fill.ptr ? sn_row_load_masked(b, f, a, dims, width) : load_between(b, a, dims, (rows - 1) * step + 1, width);
  for (int64_t l = 0; l < rows; ++l)
    lanes[l] = l * step;
  // LLVM takes vectors of half types apart to shuffle them, and those of integers not.
  x = sn(b, "vector.bitcast", x, sn_vector(bits, width));
  x = sn(b, "vector.shuffle", x, x, sn_attr("mask", mlirDenseI64ArrayGet(b->ctx, rows, lanes)));
  return sn(b, "vector.bitcast", x, sn_vector(element, rows));
}

MlirValue sn_row_load_rows(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a) {
  int64_t rows = p->row.rows;
  const SnForm *f = p->form;
  MlirType element = sn_element(sn_type_of(a->value)), vector = sn_fragment_type(c, element);
  MlirValue dims[SN_MAX_DIMS], at[SN_MAX_DIMS + 1], lane[SN_MAX_LANES];
  if (!is_apart(c) || !sn_uses_cols(f, a->map)) {
    if (is_apart(c))
      c = &p->row;
    dims_at(b, p, c, 0, dims);
    if (!uses(f, a, f->num_rows - 1))
      return sn_lanes_broadcast(b, sn_row_load(b, f, a, dims), rows);
    if (in_one_piece(f, a) && a->fill.ptr && !p->selects)
      return sn_row_load_masked(b, f, a, dims, rows);
    if (in_one_piece(f, a) && !a->fill.ptr) {
      intptr_t n = subscripts(b, a, dims, at);
      return sn(b, "vector.load", a->value, sn_values(n, at), vector, sn_row_alignment(b, p, a, rows));
    }
    int64_t step = p->steps_together ? sn_row_step(f, a, f->num_rows - 1, rows) : 0;
    if (step)
      return sn_row_load_stepping(b, f, a, dims, rows, step);
  }
  assert(rows <= 64);
  for (int64_t l = 0; l < rows; ++l) {
    dims_at(b, p, c, l, dims);
    lane[l] = sn_row_load(b, f, a, dims);
  }
  return sn(b, "vector.from_elements", sn_values(rows, lane), vector);
}

void sn_row_store_rows(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirValue element, const SnAccess *a) {
  const SnForm *f = p->form;
  MlirValue dims[SN_MAX_DIMS], at[SN_MAX_DIMS + 1];
  if (!sn_uses_cols(f, a->map))
    c = &p->row;
  for (int64_t l = 0; l < p->row.rows; ++l) {
    dims_at(b, p, c, l, dims);
    intptr_t n = subscripts(b, a, dims, at);
    if (in_one_piece(f, a)) {
      sn_op(b, "vector.store", element, a->value, sn_values(n, at), sn_row_alignment(b, p, a, p->row.rows));
      return;
    }
    sn_op(b, "memref.store", sn_lane(b, element, l), a->value, sn_values(n, at));
  }
}
