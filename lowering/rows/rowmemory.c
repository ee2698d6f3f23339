// rowmemory.c: subscripts, loads and stores of a row program's accesses.
//
//   %x[i, 7 - j] at lanes j .. j + 3   ->   4 loads and a vector.from_elements
//   %x[i, j]                           ->   vector.load
//   %x[i, j * 2 - 1] else 0.0          ->   loads of places inside, then selects
//   %x[j, i, k], columns (j, k)        ->   2 vector.maskedload: rowseam.c
//   %x[%t[i], j]                       ->   load of t[i], cf.assert that it is inside, vector.load

#include "lowering/rows/rowmemory.h"
#include <assert.h>

// ---- index arithmetic ------------------------------------------------------------

// a mod m for m > 0, also of a negative a.
static MlirValue modulo(SnBuilder *b, MlirValue a, MlirValue m) {
  MlirValue r = sn(b, "arith.remsi", a, m);
  MlirValue negative = sn(b, "arith.cmpi", r, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 2)));
  return sn(b, "arith.select", negative, sn(b, "arith.addi", r, m), r);
}
static MlirValue floor_div(SnBuilder *b, MlirValue a, MlirValue m) {
  return sn(b, "arith.divsi", sn(b, "arith.subi", a, modulo(b, a, m)), m);
}

MlirValue sn_affine(SnBuilder *b, MlirAffineExpr e, const MlirValue *dims) {
  if (mlirAffineExprIsADim(e))
    return dims[mlirAffineDimExprGetPosition(e)];
  if (mlirAffineExprIsAConstant(e))
    return sn_index(b, mlirAffineConstantExprGetValue(e));
  assert(mlirAffineExprIsABinary(e) && "indirect accesses are refused before");
  MlirValue l = sn_affine(b, mlirAffineBinaryOpExprGetLHS(e), dims);
  MlirValue r = sn_affine(b, mlirAffineBinaryOpExprGetRHS(e), dims);
  if (mlirAffineExprIsAAdd(e))
    return sn(b, "arith.addi", l, r);
  if (mlirAffineExprIsAMul(e))
    return sn(b, "arith.muli", l, r);
  if (mlirAffineExprIsAMod(e))
    return modulo(b, l, r);
  if (mlirAffineExprIsAFloorDiv(e))
    return floor_div(b, l, r);
  MlirValue zero = sn_index(b, 0);
  return sn(b, "arith.subi", zero, floor_div(b, sn(b, "arith.subi", zero, l), r));
}

static bool add_factors(MlirAffineExpr e, int64_t scale, int64_t *factors) {
  if (mlirAffineExprIsADim(e)) {
    factors[mlirAffineDimExprGetPosition(e)] += scale;
    return true;
  }
  if (mlirAffineExprIsAConstant(e))
    return true;
  if (!mlirAffineExprIsABinary(e))
    return false;
  MlirAffineExpr l = mlirAffineBinaryOpExprGetLHS(e), r = mlirAffineBinaryOpExprGetRHS(e);
  if (mlirAffineExprIsAAdd(e))
    return add_factors(l, scale, factors) && add_factors(r, scale, factors);
  return mlirAffineExprIsAMul(e) && mlirAffineExprIsAConstant(r) &&
         add_factors(l, sn_times(scale, mlirAffineConstantExprGetValue(r)), factors);
}

bool sn_affine_factors(MlirAffineExpr e, int64_t *factors) { return add_factors(e, 1, factors); }

bool sn_linear_factors(MlirAffineMap map, MlirType memref, int64_t *factors) {
  memset(factors, 0, (size_t)mlirAffineMapGetNumDims(map) * sizeof *factors);
  int64_t stride = 1;
  for (intptr_t i = sn_rank(memref); i-- > 0;) {
    if (stride == SN_DYNAMIC ? !mlirAffineExprIsAConstant(mlirAffineMapGetResult(map, i))
                             : !add_factors(mlirAffineMapGetResult(map, i), stride, factors))
      return false;
    stride = stride == SN_DYNAMIC || sn_dim(memref, i) == SN_DYNAMIC ? SN_DYNAMIC : sn_times(stride, sn_dim(memref, i));
  }
  return true;
}

// The map with 0 for what is the same in each column of a row: subscripts through indices that use no columns.
static MlirAffineMap over_columns(const SnForm *f, const SnAccess *a) {
  MlirAffineExpr results[SN_MAX_DIMS + 1];
  MlirContext ctx = mlirAffineMapGetContext(a->map);
  intptr_t n = mlirAffineMapGetNumResults(a->map);
  for (intptr_t i = 0; i < n; ++i) {
    MlirAffineExpr e = results[i] = mlirAffineMapGetResult(a->map, i);
    if (a->through.ptr && mlirAffineExprIsASymbol(e) &&
        !sn_uses_cols(f,
                      f->indices.data[mlirDenseI64ArrayGetElement(a->through, mlirAffineSymbolExprGetPosition(e))].map))
      results[i] = mlirAffineConstantExprGet(ctx, 0);
  }
  return mlirAffineMapGet(ctx, mlirAffineMapGetNumDims(a->map), mlirAffineMapGetNumSymbols(a->map), n, results);
}

bool sn_unit_stride(MlirAffineMap map, intptr_t d) {
  int64_t factors[SN_MAX_DIMS] = {0};
  intptr_t last = mlirAffineMapGetNumResults(map) - 1;
  for (intptr_t i = 0; i < last; ++i)
    if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, i), d))
      return false;
  return last >= 0 && add_factors(mlirAffineMapGetResult(map, last), 1, factors) && factors[d] == 1;
}

// The last subscripts are the columns, all of them and in order, and those behind the first one span their dimensions.
static bool ends_in_columns(const SnForm *f, MlirAffineMap map, MlirType t) {
  intptr_t first = mlirAffineMapGetNumResults(map) - f->num_cols;
  if (f->num_cols == 1)
    return sn_unit_stride(map, f->num_rows);
  for (int64_t k = 0; first >= 0 && k < f->num_cols; ++k) {
    int64_t d = f->num_rows + k;
    if (sn_map_dim(map, first + k) != d || (k && sn_dim(t, first + k) != f->dims.data[d].size))
      return false;
    for (intptr_t i = 0; i < first; ++i)
      if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, i), d))
        return false;
  }
  return first >= 0 && f->num_cols;
}

// Consecutive columns are consecutive elements, those of a vector of this width that begins at a multiple of it at
// least.
static bool is_consecutive(const SnForm *f, const SnAccess *a, int64_t width) {
  int64_t factors[SN_MAX_DIMS], expected = 1;
  MlirAffineMap map = a->through.ptr ? over_columns(f, a) : a->map;
  if (a->fill.ptr || !sn_fills_bytes(sn_element(sn_type_of(a->value))))
    return false; // a vector of i1 is packed, a memref of i1 is not
  if (sn_row_length(f) == SN_DYNAMIC || !mlirShapedTypeHasStaticShape(sn_type_of(a->value)))
    return ends_in_columns(f, map, sn_type_of(a->value));
  if (!sn_linear_factors(map, sn_type_of(a->value), factors))
    return false;
  for (int64_t d = f->num_rows + f->num_cols; d-- > f->num_rows;) {
    if (f->dims.data[d].size != 1 && factors[d] != expected)
      return expected > 1 && expected % width == 0; // vectors begin at multiples of their width
    expected = sn_times(expected, f->dims.data[d].size);
  }
  return true;
}

// How many neighbouring columns of a vector of this width have the same element, all of them and the next ones one
// piece of memory: two, of numbers of four bits in a byte; all, of a scale for each group. 1, where that is not so.
static int64_t repeats(const SnForm *f, const SnAccess *a, int64_t width) {
  int64_t factors[SN_MAX_DIMS], each = 1, expected = 1, d = f->num_rows + f->num_cols - 1;
  if (a->fill.ptr || a->through.ptr || !sn_fills_bytes(sn_element(sn_type_of(a->value))) ||
      sn_row_length(f) == SN_DYNAMIC || !mlirShapedTypeHasStaticShape(sn_type_of(a->value)) ||
      !sn_linear_factors(a->map, sn_type_of(a->value), factors))
    return 1;
  for (; d >= f->num_rows && !factors[d]; --d)
    each = sn_times(each, f->dims.data[d].size);
  if (each > 1 && each % width == 0)
    return width; // the row has whole vectors, which begin at multiples of their width
  if (each < 2 || d < f->num_rows || width % each)
    return 1;
  for (; d >= f->num_rows; --d) {
    if (f->dims.data[d].size != 1 && factors[d] != expected)
      return expected % (width / each) ? 1 : each; // as in is_consecutive
    expected = sn_times(expected, f->dims.data[d].size);
  }
  return each;
}

bool sn_row_in_lines(const SnForm *f, const SnAccess *a, int64_t line) {
  SnForm lines = *f;
  lines.num_rows = f->num_rows + f->num_cols - line;
  lines.num_cols = line;
  return sn_row_in_one_piece(&lines, a);
}

bool sn_row_is_repeated(const SnForm *f, const SnAccess *a) {
  MlirType t = sn_type_of(a->value);
  intptr_t n = mlirAffineMapGetNumResults(a->map);
  int64_t first = f->num_rows + f->num_cols - n;
  bool is =
      n > 0 && n < f->num_cols && !a->through.ptr && !a->fill.ptr && !sn_is_table(a) && sn_fills_bytes(sn_element(t));
  for (intptr_t i = 0; i < n && is; ++i)
    is = sn_map_dim(a->map, i) == first + i && sn_dim(t, i) == f->dims.data[first + i].size;
  return is;
}

// ---- memory -------------------------------------------------------------------------

MlirType sn_lanes_of(MlirType element, int64_t width) { return width > 1 ? sn_vector(element, width) : element; }

MlirValue sn_lanes_broadcast(SnBuilder *b, MlirValue v, int64_t width) {
  return width > 1 && !mlirTypeIsAVector(sn_type_of(v)) ? sn(b, "vector.broadcast", v, sn_vector(sn_type_of(v), width))
                                                        : v;
}

static MlirValue at_lane(SnBuilder *b, SnFragment *c, int64_t lane) {
  return lane ? sn(b, "arith.addi", c->column, sn_index(b, lane)) : c->column;
}

// All dimensions of the form, columns at this lane.
void sn_row_dims(SnBuilder *b, SnRowProgram *p, SnFragment *c, int64_t lane, MlirValue *dims) {
  const SnForm *f = p->form;
  memcpy(dims, p->dims, (size_t)f->num_rows * sizeof *dims);
  if (!c->columns || !f->num_cols)
    return;
  if (!lane && !sn_none(c->dims[0])) {
    memcpy(dims + f->num_rows, c->dims, (size_t)f->num_cols * sizeof *dims);
    return;
  }
  sn_form_point(b, f, f->num_rows, f->num_cols, at_lane(b, c, lane), dims + f->num_rows);
  if (!lane)
    memcpy(c->dims, dims + f->num_rows, (size_t)f->num_cols * sizeof *dims);
}

typedef struct {
  MlirValue v[SN_MAX_DIMS + 1];
  intptr_t n;
} Subscripts;

MlirValue sn_row_below(SnBuilder *b, MlirValue i, MlirValue n) {
  return sn(b, "arith.cmpi", i, n, sn_attr("predicate", sn_i64(b->ctx, 6))); // ult: a negative one is beyond every size
}

MlirValue sn_row_as_index(SnBuilder *b, MlirValue t) {
  MlirType type = sn_type_of(t), index = sn_index_type(b->ctx);
  if (mlirTypeIsAIndex(sn_element(type)))
    return t;
  MlirType to = mlirTypeIsAVector(type) ? sn_vector(index, sn_dim(type, 0)) : index;
  return sn(b, sn_bits(sn_element(type)) == 1 ? "arith.index_castui" : "arith.index_cast", t, to);
}

// What index tensors hold is not trusted: without a fill value, the call fails where it is outside. A GPU's kernel goes
// on behind a failing assert, and reads the first place instead; where host code ends there, the select is folded.
static Subscripts subscripts(SnBuilder *b, const SnForm *f, const SnAccess *a, const MlirValue *dims) {
  Subscripts s = {.n = mlirAffineMapGetNumResults(a->map)};
  for (intptr_t i = 0; i < s.n; ++i) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, i);
    if (!mlirAffineExprIsASymbol(e)) {
      s.v[i] = sn_affine(b, e, dims);
      continue;
    }
    const SnAccess *index =
        &f->indices.data[mlirDenseI64ArrayGetElement(a->through, mlirAffineSymbolExprGetPosition(e))];
    s.v[i] = sn_row_as_index(b, sn_row_load(b, f, index, dims));
    if (a->fill.ptr)
      continue;
    MlirValue in = sn_row_below(b, s.v[i], sn_dim_of(b, a->value, i));
    sn_op(b, "cf.assert", in, sn_types(0, NULL),
          sn_attr("msg", sn_string(b->ctx, "an index is outside of the table that it reads from")));
    s.v[i] = sn(b, "arith.select", in, s.v[i], sn_index(b, 0));
  }
  return s;
}

// One element; `otherwise` outside of the memref: the load is of a place inside then. Where the memref may turn out to
// be empty there is none, and nothing is loaded.
MlirValue sn_row_load_guarded(SnBuilder *b, MlirValue memref, intptr_t n, MlirValue *at, MlirValue otherwise) {
  MlirType t = sn_type_of(memref);
  MlirValue inside = sn_int(b, mlirIntegerTypeGet(b->ctx, 1), 1), zero = sn_index(b, 0);
  bool fixed = mlirShapedTypeHasStaticShape(t);
  for (intptr_t i = 0; i < n; ++i) {
    if (!sn_dim(t, i)) // nothing to load
      return otherwise;
    MlirValue in = sn_row_below(b, at[i], sn_dim_of(b, memref, i));
    inside = sn(b, "arith.andi", inside, in);
    if (fixed)
      at[i] = sn(b, "arith.select", in, at[i], zero);
  }
  if (!fixed) {
    SnIf there = sn_if(b, inside, sn_element(t));
    sn_else(b, &there, sn(b, "memref.load", memref, sn_values(n, at), sn_element(t)));
    sn_end_if(b, &there, otherwise);
    return sn_result(there.op, 0);
  }
  MlirValue x = sn(b, "memref.load", memref, sn_values(n, at), sn_element(t));
  return sn(b, "arith.select", inside, x, otherwise);
}

intptr_t sn_row_subscripts(SnBuilder *b, const SnForm *f, const SnAccess *a, const MlirValue *dims, MlirValue *at,
                           MlirValue *inside) {
  Subscripts s = subscripts(b, f, a, dims);
  *inside = (MlirValue){0};
  for (intptr_t i = 0; i < s.n; ++i) {
    at[i] = s.v[i];
    if (!a->fill.ptr)
      continue;
    MlirValue in = sn_row_below(b, at[i], sn_dim_of(b, a->value, i));
    *inside = sn_none(*inside) ? in : sn(b, "arith.andi", *inside, in);
  }
  return s.n;
}

MlirValue sn_row_load(SnBuilder *b, const SnForm *f, const SnAccess *a, const MlirValue *dims) {
  Subscripts s = subscripts(b, f, a, dims);
  if (a->fill.ptr)
    return sn_row_load_guarded(b, a->value, s.n, s.v, sn_constant(b, a->fill));
  return sn(b, "memref.load", a->value, sn_values(s.n, s.v), sn_element(sn_type_of(a->value)));
}

MlirValue sn_row_flat(SnBuilder *b, MlirValue memref, const MlirValue *at, MlirValue *offset) {
  MlirType t = sn_type_of(memref);
  int64_t size = SN_DYNAMIC, zero = 0, one = 1;
  MlirValue all = sn_index(b, 1);
  *offset = sn_index(b, 0);
  for (intptr_t i = 0; i < sn_rank(t); ++i) {
    MlirValue n = sn_dim_of(b, memref, i);
    *offset = i ? sn(b, "arith.addi", sn(b, "arith.muli", *offset, n), at[i]) : at[0];
    all = sn_size_mul(b, all, n);
  }
  bool fixed = sn_known(all, &size);
  int32_t segments[] = {1, 0, !fixed, 0};
  MlirType flat = mlirMemRefTypeContiguousGet(sn_element(t), 1, &size, mlirMemRefTypeGetMemorySpace(t));
  return sn(b, "memref.reinterpret_cast", memref, sn_values(!fixed, &all), flat,
            sn_attr("static_offsets", mlirDenseI64ArrayGet(b->ctx, 1, &zero)),
            sn_attr("static_sizes", mlirDenseI64ArrayGet(b->ctx, 1, &size)),
            sn_attr("static_strides", mlirDenseI64ArrayGet(b->ctx, 1, &one)),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 4, segments)));
}

// An element's place is the beginning of its row, or line, and as many more as its column is behind that.
static bool is_counted(const SnRowProgram *p, const SnAccess *a) {
  const SnForm *f = p->form;
  return p->line ? sn_uses_cols(f, a->map) && sn_row_in_lines(f, a, p->line)
                 : f->num_cols > 1 && sn_row_length(f) == SN_DYNAMIC && sn_row_in_one_piece(f, a);
}

// `each` neighbouring columns have one element.
static MlirValue load_repeated(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a, int64_t each) {
  MlirValue dims[SN_MAX_DIMS], offset;
  int64_t n = c->columns / each, lanes[SN_MAX_LANES];
  MlirType element = sn_element(sn_type_of(a->value));
  sn_row_dims(b, p, c, 0, dims);
  if (n == 1)
    return sn_lanes_broadcast(b, sn_row_load(b, p->form, a, dims), c->columns);
  Subscripts s = subscripts(b, p->form, a, dims);
  MlirValue whole = sn_row_flat(b, a->value, s.v, &offset),
            x = sn(b, "vector.load", whole, offset, sn_vector(element, n), sn_row_alignment(b, p, a, n));
  for (int64_t l = 0; l < c->columns; ++l)
    lanes[l] = l / each;
  return sn(b, "vector.shuffle", x, x, sn_attr("mask", mlirDenseI64ArrayGet(b->ctx, c->columns, lanes)));
}

// The operand as one dimension, and where in it the first column of the fragment is. A line, or a row of several
// dimensions `?` in one piece, is counted from its beginning: its columns' own subscripts would be divisions.
static MlirValue in_whole(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a, MlirValue *offset) {
  const SnForm *f = p->form;
  MlirValue dims[SN_MAX_DIMS];
  bool counted = is_counted(p, a);
  if (counted) {
    memcpy(dims, p->dims, (size_t)f->num_rows * sizeof *dims);
    for (int64_t d = 0; d < f->num_cols; ++d)
      dims[f->num_rows + d] = p->line && d < f->num_cols - p->line ? p->outer[d] : sn_index(b, 0);
  } else {
    sn_row_dims(b, p, c, 0, dims);
  }
  Subscripts s = subscripts(b, f, a, dims);
  MlirValue whole = sn_row_flat(b, a->value, s.v, offset);
  if (counted)
    *offset = sn(b, "arith.addi", *offset, p->line ? sn(b, "arith.subi", c->column, p->line_begin) : c->column);
  return whole;
}

MlirValue sn_row_load_lanes(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a) {
  MlirType element = sn_element(sn_type_of(a->value));
  MlirValue dims[SN_MAX_DIMS], lane[SN_MAX_LANES];
  int inside = sn_row_inside(p->form, c, a);
  SnAccess all = *a;
  all.fill = (MlirAttribute){0};
  if (inside < 0)
    return sn_splat(b, sn_fragment_type(c, element), a->fill);
  if (inside && !c->pair) // halves of a pair are known by their access
    a = &all;
  if (c->rows > 1)
    return sn_row_load_rows(b, p, c, a);
  if (!sn_none(c->place))
    return sn_row_load_place(b, p, c, a);
  if (c->pair && c->pair->by_parity)
    return sn_row_load_half(b, p, c, a);
  if (c->columns && is_counted(p, a)) {
    MlirValue offset, whole = in_whole(b, p, c, a, &offset);
    if (sn_fragment_lanes(c) == 1)
      return sn(b, "memref.load", whole, offset, element);
    return sn(b, "vector.load", whole, offset, sn_vector(element, c->columns), sn_row_alignment(b, p, a, c->columns));
  }
  MlirValue of_line;
  if (sn_row_load_of_line(b, p, c, a, &of_line))
    return of_line;
  sn_row_dims(b, p, c, 0, dims);
  if (sn_fragment_lanes(c) == 1)
    return sn_row_load(b, p->form, a, dims);
  if (a->fill.ptr && !p->selects && !a->through.ptr && p->form->num_cols == 1 && sn_fills_bytes(element) &&
      sn_unit_stride(a->map, p->form->num_rows))
    return sn_row_load_masked(b, p->form, a, dims, c->columns);
  if (p->selects && sn_row_is_whole_or_none(p->form, a, c->columns))
    return sn_row_load_whole_or_none(b, p->form, a, dims, c->columns);
  if (is_consecutive(p->form, a, c->columns)) {
    SnAttr aligned = sn_row_alignment(b, p, a, c->columns);
    if (p->form->num_cols == 1) {
      Subscripts s = subscripts(b, p->form, a, dims);
      return sn(b, "vector.load", a->value, sn_values(s.n, s.v), sn_vector(element, c->columns), aligned);
    }
    MlirValue offset, whole = in_whole(b, p, c, a, &offset);
    return sn(b, "vector.load", whole, offset, sn_vector(element, c->columns), aligned);
  }
  int64_t each = repeats(p->form, a, c->columns);
  if (each > 1)
    return load_repeated(b, p, c, a, each);
  if (!p->selects && sn_row_seam(p->form, a, c->columns))
    return sn_row_load_seam(b, p, c, a);
  assert(c->columns <= 64);
  for (int64_t l = 0; l < c->columns; ++l) {
    sn_row_dims(b, p, c, l, dims);
    lane[l] = sn_row_load(b, p->form, a, dims);
  }
  return sn(b, "vector.from_elements", sn_values(c->columns, lane), sn_vector(element, c->columns));
}

bool sn_row_has_vectors(const SnForm *f, const SnAccess *a, int64_t width) { return is_consecutive(f, a, width); }

bool sn_row_in_one_piece(const SnForm *f, const SnAccess *a) {
  return !a->through.ptr && !sn_is_table(a) && is_consecutive(f, a, INT64_MAX);
}

MlirValue sn_row_offset(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a, MlirValue *whole) {
  MlirValue dims[SN_MAX_DIMS], offset;
  sn_row_dims(b, p, c, 0, dims);
  Subscripts s = subscripts(b, p->form, a, dims);
  *whole = sn_row_flat(b, a->value, s.v, &offset);
  return offset;
}

void sn_row_prefetch(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a, int locality) {
  MlirValue dims[SN_MAX_DIMS], offset, whole = a->value;
  sn_row_dims(b, p, c, 0, dims);
  Subscripts s = subscripts(b, p->form, a, dims);
  if (p->form->num_cols > 1) {
    whole = sn_row_flat(b, a->value, s.v, &offset);
    s = (Subscripts){.v = {offset}, .n = 1};
  }
  sn_op(b, "memref.prefetch", whole, sn_values(s.n, s.v), sn_attr("isWrite", mlirBoolAttrGet(b->ctx, false)),
        sn_attr("localityHint", mlirIntegerAttrGet(mlirIntegerTypeGet(b->ctx, 32), locality)),
        sn_attr("isDataCache", mlirBoolAttrGet(b->ctx, true)));
}

MlirValue sn_row_load_scratch(SnBuilder *b, SnFragment *c, const SnRowSource *s, MlirType element) {
  MlirValue at[2], j = sn_none(s->offset) ? c->column : sn(b, "arith.subi", c->column, s->offset);
  if (!sn_none(s->period))
    j = sn(b, "arith.remui", j, s->period);
  intptr_t n = 0;
  if (!sn_none(s->first))
    at[n++] = s->first;
  at[n++] = j;
  return sn_scratch_load(b, s->memref, sn_values(n, at), sn_fragment_type(c, element), sn_no_attr());
}

MlirValue sn_lane(SnBuilder *b, MlirValue vector, int64_t l) {
  return sn(b, "vector.extract", vector, sn_attr("static_position", mlirDenseI64ArrayGet(b->ctx, 1, &l)));
}

bool sn_row_streams(const SnForm *f, const SnAccess *a, int64_t lanes) {
  int64_t factors[SN_MAX_DIMS], bits = sn_bits(sn_element(sn_type_of(a->value)));
  bool whole = lanes > 1 && sn_fills_bytes(sn_element(sn_type_of(a->value))) && lanes * bits <= 512 &&
               sn_row_length(f) != SN_DYNAMIC && sn_row_length(f) % lanes == 0;
  if (!whole || !mlirAffineMapIsProjectedPermutation(a->map) || !sn_uses_cols(f, a->map) ||
      !is_consecutive(f, a, lanes) || !sn_linear_factors(a->map, sn_type_of(a->value), factors))
    return false;
  for (int64_t d = 0; d < f->num_rows; ++d)
    whole &= factors[d] % lanes == 0;
  return whole;
}

static void store_vector(SnBuilder *b, SnRowProgram *p, MlirValue x, const SnAccess *a, MlirValue memref, SnValues at) {
  MlirType t = sn_type_of(x);
  int64_t lanes = sn_dim(t, 0);
  if (p->streaming && sn_row_streams(p->form, a, lanes))
    sn_op(b, "vector.store", x, memref, at, sn_attr("nontemporal", mlirBoolAttrGet(b->ctx, true)),
          sn_attr("alignment", sn_i64(b->ctx, lanes * sn_bits(sn_element(t)) / 8)));
  else
    sn_op(b, "vector.store", x, memref, at, sn_row_alignment(b, p, a, lanes));
}

bool sn_row_stores_pair(const SnRowProgram *p, const SnAccess *a, int64_t width) {
  return sn_bits(sn_element(sn_type_of(a->value))) == 16 && sn_uses_cols(p->form, a->map) &&
         is_consecutive(p->form, a, 2 * width) &&
         (sn_row_streams(p->form, a, 2 * width) || !sn_row_streams(p->form, a, width));
}

void sn_row_store(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirValue element, const SnAccess *a) {
  MlirValue dims[SN_MAX_DIMS];
  if (c->rows > 1) {
    sn_row_store_rows(b, p, c, element, a);
    return;
  }
  if (sn_uses_cols(p->form, a->map) && !sn_none(c->place)) {
    sn_row_store_place(b, p, c, element, a);
    return;
  }
  if (c->pair && mlirTypeIsAVector(sn_type_of(element)) && sn_row_stores_pair(p, a, c->columns)) {
    SnFragment whole = sn_fragment(c->pair->column, 2 * c->columns);
    MlirValue both = sn_row_whole_of_halves(b, c, element, a);
    if (!sn_none(both))
      sn_row_store(b, p, &whole, both, a);
    return;
  }
  bool vector = mlirTypeIsAVector(sn_type_of(element));
  bool counted = c->columns && is_counted(p, a);
  if (!vector && counted) {
    MlirValue offset, whole = in_whole(b, p, c, a, &offset);
    sn_op(b, "memref.store", element, whole, offset);
    return;
  }
  if (vector && (counted || (p->form->num_cols > 1 && is_consecutive(p->form, a, c->columns)))) {
    MlirValue offset, whole = in_whole(b, p, c, a, &offset);
    store_vector(b, p, element, a, whole, sn_values(1, &offset));
    return;
  }
  sn_row_dims(b, p, sn_uses_cols(p->form, a->map) ? c : &p->row, 0, dims);
  Subscripts s = subscripts(b, p->form, a, dims);
  if (!vector) {
    sn_op(b, "memref.store", element, a->value, sn_values(s.n, s.v));
  } else if (is_consecutive(p->form, a, c->columns)) {
    store_vector(b, p, element, a, a->value, sn_values(s.n, s.v));
  } else if (!p->selects && sn_row_seam(p->form, a, c->columns)) {
    sn_row_store_seam(b, p, c, element, a);
  } else {
    for (int64_t l = 0; l < c->columns; ++l) {
      sn_row_dims(b, p, c, l, dims);
      s = subscripts(b, p->form, a, dims);
      sn_op(b, "memref.store", sn_lane(b, element, l), a->value, sn_values(s.n, s.v));
    }
  }
}
