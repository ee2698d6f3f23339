// rowplace.c: rows that begin anywhere, by aligned vectors.
//
//   x : 3 rows of 7, by vectors of 4     [ 0 . . . | . . . 1 | . . . . | . . 2 . | . . . . | . ]
//   row 1 is in the vectors at 4, 8, 12: of the first it has lane 3, of the last none but 0 and 1
//
// A vector that the row has only a part of is loaded whole, as its neighbours' elements are there too; behind the last
// row there is nothing, and a vector that ends there is loaded element by element. It is stored element by element. An
// operand that has one row for all is not aligned to the others, and is loaded element by element. Of one that has the
// same element for many columns, as the weights of a group's channels, a vector has two at most: its first lane's, and
// from the next one's first column on its last lane's.
//
// test: test/lowering/gpu/peel.mlir

#include "lowering/rows/rowmemory.h"
#include <assert.h>

#define LEAST_ALIKE 16 // columns: a vector of 16 bytes has no more lanes

// The same place of all elements in order, however dimensions are split: (i, j, k) of x[i, 4 j + k] where k is 4.
static bool is_in_order(const SnForm *f, const SnAccess *a) {
  MlirType t = sn_type_of(a->value);
  int64_t factors[SN_MAX_DIMS], place = 1, all = 1;
  if (!mlirShapedTypeHasStaticShape(t) || !sn_linear_factors(a->map, t, factors))
    return false;
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    all = sn_times(all, sn_dim(t, i));
  for (int64_t i = f->num_rows + f->num_cols; i-- > 0;) {
    int64_t size = f->dims.data[i].size;
    if (size == SN_DYNAMIC || (size != 1 && factors[i] != place))
      return false;
    place = sn_times(place, size);
  }
  return place == all; // so that it begins with the first
}

bool sn_row_is_whole(const SnForm *f, const SnAccess *a) {
  int64_t n = f->num_rows + f->num_cols;
  bool plain = !a->through.ptr && !a->fill.ptr && !sn_is_table(a) && sn_fills_bytes(sn_element(sn_type_of(a->value))),
       is = plain && mlirAffineMapGetNumResults(a->map) == n;
  if (plain && is_in_order(f, a))
    return true;
  for (int64_t i = 0; is && i < n; ++i)
    is = sn_map_dim(a->map, i) == i && sn_dim(sn_type_of(a->value), i) == f->dims.data[i].size;
  return is;
}

// One element for each column, in order.
static bool is_one_row(const SnForm *f, const SnAccess *a) {
  bool is = mlirAffineMapGetNumResults(a->map) == f->num_cols && !a->through.ptr && !a->fill.ptr && !sn_is_table(a);
  for (int64_t i = 0; is && i < f->num_cols; ++i)
    is = sn_map_dim(a->map, i) == f->num_rows + i &&
         sn_dim(sn_type_of(a->value), i) == f->dims.data[f->num_rows + i].size;
  return is;
}

// Columns that follow each other and have the same element; 1: these are not many enough for a vector of any width to
// have two of them at most.
static int64_t alike(const SnForm *f, const SnAccess *a) {
  MlirType t = sn_type_of(a->value);
  int64_t factors[SN_MAX_DIMS], n = 1;
  if (a->through.ptr || a->fill.ptr || sn_is_table(a) || !sn_fills_bytes(sn_element(t)) ||
      !mlirShapedTypeHasStaticShape(t) || !sn_linear_factors(a->map, t, factors))
    return 1;
  for (int64_t d = f->num_rows + f->num_cols; d-- > f->num_rows && !factors[d];)
    n = sn_times(n, f->dims.data[d].size);
  return n < LEAST_ALIKE ? 1 : n;
}

bool sn_row_is_placed(const SnForm *f) {
  if (!f->num_cols || sn_row_length(f) == SN_DYNAMIC || sn_row_length(f) >= (int64_t)1 << 30)
    return false;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_uses_cols(f, f->inputs.data[k].map) && !sn_row_is_whole(f, &f->inputs.data[k]) &&
        !is_one_row(f, &f->inputs.data[k]) && alike(f, &f->inputs.data[k]) == 1)
      return false;
  for (size_t k = 0; k < f->indices.size; ++k)
    if (sn_uses_cols(f, f->indices.data[k].map))
      return false;
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (sn_uses_cols(f, f->outputs.data[k].map) && (sn_is_reduced(f, k) || !sn_row_is_whole(f, &f->outputs.data[k])))
      return false;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_row_op_reads_elsewhere(op) && sn_is_row(sn_result(op, 0)))
      return false;
  return true;
}

static MlirValue as_one(SnBuilder *b, MlirValue memref) {
  MlirValue zeros[SN_MAX_DIMS + 1], unused;
  for (intptr_t i = 0; i < sn_rank(sn_type_of(memref)); ++i)
    zeros[i] = sn_index(b, 0);
  return sn_row_flat(b, memref, zeros, &unused);
}

static SnAttr aligned(SnBuilder *b, MlirType vector) {
  int64_t bytes = sn_dim(vector, 0) * sn_bits(sn_element(vector)) / 8;
  return sn_attr("alignment", sn_i64(b->ctx, bytes < 16 ? bytes : 16));
}

static MlirValue up_to(SnBuilder *b, MlirValue i, int64_t lane, MlirValue last) {
  return sn(b, "arith.minsi", sn(b, "arith.maxsi", sn(b, "arith.addi", i, sn_index(b, lane)), sn_index(b, 0)), last);
}

// Lanes at first, first + 1, ..., or at the nearest place that there is.
static MlirValue by_elements(SnBuilder *b, MlirValue memref, MlirValue first, int64_t width) {
  MlirValue lanes[SN_MAX_LANES], last = sn(b, "arith.subi", sn_dim_of(b, memref, 0), sn_index(b, 1));
  MlirType element = sn_element(sn_type_of(memref));
  assert(width <= 64);
  for (int64_t l = 0; l < width; ++l)
    lanes[l] = sn(b, "memref.load", memref, up_to(b, first, l, last), element);
  return sn(b, "vector.from_elements", sn_values(width, lanes), sn_vector(element, width));
}

// The element of the column `lane` behind the fragment's, or of the nearest column that the row has.
static MlirValue one_of_many(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a, int64_t lane,
                             MlirValue *column) {
  MlirValue dims[SN_MAX_DIMS];
  *column = up_to(b, c->column, lane, sn_index(b, sn_row_length(p->form) - 1));
  SnFragment at = sn_fragment(*column, 1);
  sn_row_dims(b, p, &at, 0, dims);
  MlirValue x = sn_row_load(b, p->form, a, dims);
  sn_fragment_free(&at);
  return x;
}

// Lanes of an operand of which so many columns have one element.
static MlirValue by_two(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a, int64_t each) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), i32s = sn_vector(i32, c->columns);
  MlirValue column, first = one_of_many(b, p, c, a, 0, &column),
                    last = one_of_many(b, p, c, a, c->columns - 1, &column);
  // From this lane on: where the last lane's columns begin.
  MlirValue from = sn(b, "arith.subi", sn(b, "arith.subi", column, sn(b, "arith.remui", column, sn_index(b, each))),
                      c->column);
  MlirValue lanes =
      sn(b, "arith.index_cast", sn(b, "vector.step", sn_vector(sn_index_type(b->ctx), c->columns)), i32s);
  MlirValue behind = sn(b, "arith.cmpi", lanes,
                        sn_lanes_broadcast(b, sn(b, "arith.index_cast", from, i32), c->columns),
                        sn_attr("predicate", sn_i64(b->ctx, 5))); // sge
  return sn(b, "arith.select", behind, sn_lanes_broadcast(b, last, c->columns),
            sn_lanes_broadcast(b, first, c->columns));
}

MlirValue sn_row_load_place(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a) {
  MlirType t = sn_vector(sn_element(sn_type_of(a->value)), c->columns);
  if (!sn_row_is_whole(p->form, a) && !is_one_row(p->form, a))
    return by_two(b, p, c, a, alike(p->form, a));
  MlirValue memref = as_one(b, a->value);
  if (!sn_row_is_whole(p->form, a))
    return by_elements(b, memref, c->column, c->columns);
  if (sn_none(c->readable))
    return sn(b, "vector.load", memref, c->place, t, aligned(b, t));
  SnIf there = sn_if(b, c->readable, t);
  sn_else(b, &there, sn(b, "vector.load", memref, c->place, t, aligned(b, t)));
  sn_end_if(b, &there, by_elements(b, memref, c->place, c->columns));
  return sn_result(there.op, 0);
}

void sn_row_store_place(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirValue element, const SnAccess *a) {
  MlirValue memref = as_one(b, a->value);
  MlirType t = sn_type_of(element);
  SnIf whole, lane;
  if (!sn_none(c->whole))
    whole = sn_if(b, c->whole);
  sn_op(b, "vector.store", element, memref, c->place, aligned(b, t));
  if (sn_none(c->whole))
    return;
  sn_else(b, &whole);
  for (int64_t l = 0; l < c->columns; ++l) {
    lane = sn_if(b, sn_lane(b, c->in, l));
    sn_op(b, "memref.store", sn_lane(b, element, l), memref, sn(b, "arith.addi", c->place, sn_index(b, l)));
    sn_end_if(b, &lane);
  }
  sn_end_if(b, &whole);
}
