// rowgather.c: elements of a table at subscripts that the row program computes.
//
//   gather %e[%t, %j], j the columns   ->   vector.load %e[t, j], selected if t is inside
//   gather %e[%t, %j - 128]            ->   vector.maskedload %e[t, j - 128], of the lanes that are inside
//   gather %e[%t, %i], lanes rows i    ->   vector.load %e[t, i], selected if t, one for all of them, is inside
//   gather %e[%r], r a row             ->   vector.gather %e[r], masked; on a GPU, which has none, a lane at a time
//   one column, or scalars alone       ->   memref.load of a place inside, then a select
//
// Whatever the subscripts are, nothing outside of the table is read.

#include "dialect/row_ops.h"
#include "lowering/rows/rowmemory.h"
#include <assert.h>

// The last subscripts are the columns, in order and all of them, and the others scalars: a row lies in one piece.
static bool in_one_piece(const SnForm *f, MlirOperation op, MlirType table) {
  intptr_t rank = sn_rank(table), first = rank - f->num_cols;
  if (first < 0 || !f->num_cols)
    return false;
  for (intptr_t k = 0; k < rank; ++k) {
    MlirValue v = sn_operand(op, k + 1);
    MlirOperation index = sn_def(v, "sinter.index");
    if (k < first ? sn_is_row(v) : sn_null(index) || !sn_is_row(v))
      return false;
    intptr_t d = f->num_rows + k - first;
    if (k >= first &&
        (sn_row_named_dim(f, index) != d || sn_dim(table, k) == SN_DYNAMIC || sn_dim(table, k) != f->dims.data[d].size))
      return false;
  }
  for (intptr_t k = 0; k < first; ++k)
    if (sn_dim(table, k) < 1)
      return false; // no row to load in its place, or none perhaps
  return true;
}

static MlirValue load_row(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op, MlirValue memref,
                          MlirValue otherwise) {
  MlirType t = sn_type_of(memref);
  MlirValue inside = sn_int(b, mlirIntegerTypeGet(b->ctx, 1), 1), zero = sn_index(b, 0), dims[SN_MAX_DIMS],
            at[SN_MAX_DIMS + 1], offset = zero;
  intptr_t first = sn_rank(t) - p->form->num_cols;
  for (intptr_t k = 0; k < first; ++k) {
    MlirValue v = sn_row_as_index(b, sn_row_scalar(p, sn_operand(op, k + 1)));
    MlirValue in = sn_row_below(b, v, sn_dim_of(b, memref, k));
    inside = sn(b, "arith.andi", inside, in);
    at[k] = sn(b, "arith.select", in, v, zero);
  }
  sn_row_dims(b, p, c, 0, dims);
  memcpy(at + first, dims + p->form->num_rows, (size_t)p->form->num_cols * sizeof *dims);
  MlirValue whole = sn_row_flat(b, memref, at, &offset);
  MlirValue x = sn(b, "vector.load", whole, offset, sn_fragment_type(c, sn_element(t)));
  return sn(b, "arith.select", inside, x, otherwise);
}

// How far the last subscript is from the columns, where it is so far in all of them and the others are scalars: what a
// piece of a concatenation asks of a table.
static bool is_shifted(const SnForm *f, MlirOperation op, MlirType table, int64_t *shift) {
  intptr_t rank = sn_rank(table);
  if (f->num_cols != 1 || !rank)
    return false;
  for (intptr_t k = 1; k < rank; ++k)
    if (sn_is_row(sn_operand(op, k)))
      return false;
  MlirOperation add = sn_def(sn_operand(op, rank), "arith.addi");
  for (int k = 0; k < 2 && !sn_null(add); ++k) {
    MlirOperation index = sn_def(sn_operand(add, k), "sinter.index");
    MlirValue by = sn_broadcast_of(sn_operand(add, 1 - k));
    MlirAttribute number = sn_none(by) ? mlirAttributeGetNull() : sn_constant_of(by);
    if (sn_null(index) || !sn_is_row(sn_operand(add, k)) || sn_row_named_dim(f, index) != f->num_rows || !number.ptr)
      continue;
    *shift = mlirIntegerAttrGetValueInt(number);
    return *shift > -SN_NARROW_MOST && *shift < SN_NARROW_MOST;
  }
  return false;
}

static MlirValue load_shifted(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op, MlirValue memref,
                              int64_t shift, MlirValue otherwise) {
  MlirType t = sn_type_of(memref);
  MlirValue inside = {0}, zero = sn_index(b, 0), dims[SN_MAX_DIMS], at[SN_MAX_DIMS + 1], offset;
  intptr_t last = sn_rank(t) - 1;
  int64_t width = sn_fragment_lanes(c), n = sn_dim(t, last), columns = sn_row_length(p->form);
  for (intptr_t k = 0; k < last; ++k) {
    MlirValue v = sn_row_as_index(b, sn_row_scalar(p, sn_operand(op, k + 1)));
    MlirValue in = sn_row_below(b, v, sn_dim_of(b, memref, k));
    inside = sn_none(inside) ? in : sn(b, "arith.andi", inside, in);
    at[k] = sn(b, "arith.select", in, v, zero);
  }
  sn_row_dims(b, p, c, 0, dims);
  at[last] = sn(b, "arith.addi", dims[p->form->num_rows], sn_index(b, shift));
  bool narrow = n != SN_DYNAMIC && columns != SN_DYNAMIC && n < SN_NARROW_MOST && columns < SN_NARROW_MOST / 2 &&
                shift > -SN_NARROW_MOST / 2 && shift < SN_NARROW_MOST / 2;
  MlirValue mask = sn_row_lanes_inside(b, at[last], sn_dim_of(b, memref, last), width, narrow, inside);
  MlirValue whole = sn_row_flat(b, memref, at, &offset);
  return sn(b, "vector.maskedload", whole, offset, mask, otherwise, sn_fragment_type(c, sn_element(t)));
}

// Lanes at subscripts of their own. Lanes that are masked touch no memory.
static MlirValue load_lanes(SnBuilder *b, SnFragment *c, MlirValue memref, const MlirValue *at, MlirValue otherwise) {
  MlirType t = sn_type_of(memref);
  MlirValue place = {0}, inside = {0}, zeros[SN_MAX_DIMS + 1], unused;
  for (intptr_t k = 0; k < sn_rank(t); ++k) {
    MlirValue n = sn_fragment_spread(b, c, sn_dim_of(b, memref, k)), in = sn_row_below(b, at[k], n);
    zeros[k] = sn_index(b, 0);
    inside = k ? sn(b, "arith.andi", inside, in) : in;
    place = k ? sn(b, "arith.addi", sn(b, "arith.muli", place, n), at[k]) : at[k];
  }
  MlirValue whole = sn_row_flat(b, memref, zeros, &unused);
  return sn(b, "vector.gather", whole, zeros[0], place, inside, otherwise, sn_fragment_type(c, sn_element(t)));
}

#define MOST_VALUES 64 // that a subscript is computed of

// v is the same for neighbours in row dimension d, as far as so many values say.
static bool same_along(const SnForm *f, MlirValue v, intptr_t d, int *values) {
  MlirOperation op = sn_definer(v);
  if (++*values > MOST_VALUES)
    return false;
  if (sn_null(op)) {
    const SnAccess *a = &f->inputs.data[mlirBlockArgumentGetArgNumber(v)];
    return !a->through.ptr && !sn_is_table(a) && !sn_map_uses(a->map, d);
  }
  if (!sn_row_op_of(op) || sn_row_op_reads_elsewhere(op) || (sn_row_op_takes_dim(op) && sn_row_named_dim(f, op) == d))
    return false;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    if (!same_along(f, sn_operand(op, k), d, values))
      return false;
  return true;
}

bool sn_row_gathers_rows(const SnForm *f, MlirOperation op) {
  MlirType table = sn_type_of(sn_operand(op, 0));
  intptr_t rank = sn_rank(table), d = (intptr_t)f->num_rows - 1;
  MlirOperation index = rank > 0 ? sn_def(sn_operand(op, rank), "sinter.index") : (MlirOperation){0};
  int values = 0;
  if (d < 0 || sn_null(index) || sn_row_named_dim(f, index) != d || f->dims.data[d].size == SN_DYNAMIC ||
      sn_dim(table, rank - 1) == SN_DYNAMIC || sn_dim(table, rank - 1) < f->dims.data[d].size ||
      !sn_fills_bytes(sn_element(table)))
    return false;
  for (intptr_t k = 0; k + 1 < rank; ++k)
    if (sn_dim(table, k) == 0 || sn_dim(table, k) == SN_DYNAMIC ||
        !same_along(f, sn_operand(op, k + 1), d, &values))
      return false;
  return true;
}

// Lanes that are rows, of which one line of the table has one behind the other.
static MlirValue load_neighbours(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op, MlirValue memref,
                                 MlirValue otherwise) {
  MlirType t = sn_type_of(memref);
  MlirValue inside = sn_int(b, mlirIntegerTypeGet(b->ctx, 1), 1), at[SN_MAX_DIMS + 1], offset;
  intptr_t last = sn_rank(t) - 1;
  for (intptr_t k = 0; k < last; ++k) {
    MlirValue v = sn_operand(op, k + 1);
    v = c->columns && sn_is_row(v) ? sn_row_element(b, p, c, v) : sn_row_scalar(p, v);
    MlirValue one = sn_lane(b, sn_row_as_index(b, v), 0), in = sn_row_below(b, one, sn_dim_of(b, memref, k));
    inside = sn(b, "arith.andi", inside, in);
    at[k] = sn(b, "arith.select", in, one, sn_index(b, 0));
  }
  at[last] = p->dims[p->form->num_rows - 1];
  MlirValue whole = sn_row_flat(b, memref, at, &offset);
  MlirValue x = sn(b, "vector.load", whole, offset, sn_fragment_type(c, sn_element(t)));
  return sn(b, "arith.select", inside, x, sn_fragment_spread(b, c, otherwise));
}

MlirValue sn_row_gather(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op) {
  const SnRowSource *source = &p->sources.data[mlirBlockArgumentGetArgNumber(sn_operand(op, 0))];
  MlirValue memref = source->memref, otherwise = sn_row_scalar(p, sn_operand(op, sn_num_operands(op) - 1)),
            at[SN_MAX_DIMS + 1], lanes[SN_MAX_LANES];
  MlirType t = sn_type_of(memref);
  int64_t width = c->columns ? sn_fragment_lanes(c) : 1;
  intptr_t rank = sn_rank(t);
  assert(rank <= SN_MAX_DIMS + 1 && width <= SN_MAX_LANES);
  if (c->rows > 1) // the schedule's check says that it is such a gather
    return load_neighbours(b, p, c, op, memref, otherwise);
  if (width > 1 && sn_fills_bytes(sn_element(t)) && in_one_piece(p->form, op, t))
    return load_row(b, p, c, op, memref, sn_lanes_broadcast(b, otherwise, width));
  int64_t shift;
  if (c->columns > 1 && sn_fills_bytes(sn_element(t)) && is_shifted(p->form, op, t, &shift))
    return load_shifted(b, p, c, op, memref, shift, sn_lanes_broadcast(b, otherwise, width));
  for (intptr_t k = 0; k < rank; ++k) {
    MlirValue v = sn_operand(op, k + 1);
    at[k] = sn_row_as_index(b, c->columns ? sn_row_element(b, p, c, v) : sn_row_scalar(p, v));
  }
  if (width == 1)
    return sn_row_load_guarded(b, memref, rank, at, otherwise);
  if (sn_fills_bytes(sn_element(t)) && !p->selects)
    return load_lanes(b, c, memref, at, sn_lanes_broadcast(b, otherwise, width));
  for (int64_t l = 0; l < width; ++l) {
    MlirValue one[SN_MAX_DIMS + 1];
    for (intptr_t k = 0; k < rank; ++k)
      one[k] = sn_lane(b, at[k], l);
    lanes[l] = sn_row_load_guarded(b, memref, rank, one, otherwise);
  }
  return sn(b, "vector.from_elements", sn_values(width, lanes), sn_vector(sn_element(t), width));
}
