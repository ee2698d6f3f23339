// one_hot_sides.c: a product with a row that has one element is that element's product.
//
//   product (k) (side(%d[k]) {select (k == i), %d, 0}, %w[k, j])    ->    %d[i] * %w[i, j]
//
// A diagonal matrix is exported so, as a mask times a vector, and what it is multiplied by is scaled. Nothing is
// summed, so rounding is the same; where others of %w are infinite or NaN the sum would be NaN, and the element is what
// it is.
//
// runs in: simplify, fuse    test: test/passes/simplify/one_hot_sides.mlir

#include "dialect/row_ops.h"
#include "passes/edit/edit.h"
#include "passes/merge/merge.h"
#include "passes/simplify/simplify.h"

typedef struct {
  SnForm *f;
  size_t side;    // that has one element
  int64_t summed; // the product's only dimension
  int64_t place;  // the dimension that says where it is
  MlirValue x;    // of the side's program: the element
} OneHot;

// ---- is it one ------------------------------------------------------------------------------------

enum { LEAST_BITS = 32, MOST = 1 << 30 }; // positions are themselves in such a type

// The dimension whose position v is; -1 if it is none.
static int64_t position_of(const SnForm *f, MlirValue v) {
  MlirValue scalar = sn_broadcast_of(v);
  MlirOperation op = sn_definer(sn_none(scalar) ? v : scalar);
  if (sn_is(op, "arith.index_cast") && sn_bits(sn_element(sn_type_of(sn_result(op, 0)))) >= LEAST_BITS)
    return position_of(f, sn_operand(op, 0));
  for (int64_t d = 0; !sn_null(op) && d < (int64_t)f->dims.size; ++d)
    if (sn_row_op_of(op) && sn_row_op_of(op)->names_dim && sn_row_op_names(op, f->dims.data[d].name))
      return d;
  return -1;
}

// The value is 0 but where two positions are equal: of which dimensions; false if it is none such.
static bool is_diagonal(const SnForm *f, MlirValue v, int64_t *a, int64_t *b) {
  MlirOperation select = sn_def(v, "arith.select");
  MlirOperation compare = sn_null(select) ? select : sn_def(sn_operand(select, 0), "arith.cmpi");
  if (sn_null(compare) || sn_int_attr(compare, "predicate", -1) != 0 /* eq */ ||
      !sn_is_constant(sn_operand(select, 2), 0))
    return false;
  *a = position_of(f, sn_operand(compare, 0));
  *b = position_of(f, sn_operand(compare, 1));
  return *a >= 0 && *b >= 0 && *a != *b;
}

bool sn_is_diagonal(const SnForm *f, MlirValue v) {
  int64_t a, b;
  return is_diagonal(f, v, &a, &b);
}

static bool is_inside(const SnForm *f, int64_t place, int64_t summed) {
  int64_t n = f->dims.data[place].size, all = f->dims.data[summed].size;
  return n != SN_DYNAMIC && all != SN_DYNAMIC && n <= all && all <= MOST;
}

static bool is_one_hot(SnForm *f, size_t side, OneHot *h) {
  *h = (OneHot){.f = f, .side = side, .summed = sn_first_own(f, side / 2)};
  MlirBlock program = f->sides.data[side].program;
  int64_t a, b;
  if (!program.ptr || f->products.data[side / 2].num_dims != 1)
    return false;
  MlirValue v = sn_operand(mlirBlockGetTerminator(program), 0);
  if (!is_diagonal(f, v, &a, &b) || (a != h->summed && b != h->summed))
    return false;
  h->place = a == h->summed ? b : a;
  h->x = sn_operand(sn_definer(v), 1);
  return is_inside(f, h->place, h->summed);
}

// ---- the form without the product -------------------------------------------------------------------

static SnAccess moved(const SnForm *to, SnAccess a, const MlirAffineExpr *dims) {
  a.map = sn_map_replace(a.map, (intptr_t)to->dims.size, dims);
  return a;
}

// Everything but the product; its sides' inputs stand behind all others, from firsts[0] and firsts[1] on.
static SnForm without_product(const OneHot *h, const MlirAffineExpr *dims, size_t *firsts) {
  const SnForm *f = h->f;
  size_t p = h->side / 2, from = sn_side(f, 2 * p).first, to_input = from + sn_side(f, 2 * p).count;
  to_input += sn_side(f, 2 * p + 1).count;
  SnForm to = {.contract = f->products.size > 1, .num_rows = f->num_rows, .num_cols = f->num_cols};
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d)
    if (d != h->summed)
      sn_push(&to.dims, f->dims.data[d]);
  for (size_t q = 0; q < f->products.size; ++q)
    if (q != p)
      sn_push(&to.products, f->products.data[q]);
  for (size_t s = 0; s < f->sides.size; ++s)
    if (s / 2 != p) {
      SnSide side = f->sides.data[s];
      side.first -= side.first >= to_input ? to_input - from : 0;
      sn_push(&to.sides, side);
    }
  for (size_t k = 0; k < f->indices.size; ++k)
    sn_push(&to.indices, moved(&to, f->indices.data[k], dims));
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (k < from || k >= to_input)
      sn_push(&to.inputs, moved(&to, f->inputs.data[k], dims));
  for (int i = 0; i < 2; ++i) {
    firsts[i] = to.inputs.size;
    SnSide side = sn_side(f, 2 * p + (size_t)i);
    for (size_t k = side.first; k < side.first + side.count; ++k)
      sn_push(&to.inputs, moved(&to, f->inputs.data[k], dims));
  }
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&to.outputs, moved(&to, f->outputs.data[k], dims));
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    SnAccumulator a = f->accumulators.data[k];
    a.map = sn_map_replace(a.map, (intptr_t)to.dims.size, dims);
    sn_push(&to.accumulators, a);
  }
  return to;
}

// What the product has of a side, in its own type.
static MlirValue element(SnBuilder *b, const OneHot *h, size_t side, const SnForm *to, size_t first,
                         const MlirAffineExpr *dims) {
  int64_t at[SN_MAX_DIMS];
  MlirAffineExpr back[SN_MAX_DIMS];
  SnForm alone = sn_side_form(h->f, side, at);
  SnSide s = sn_side(h->f, side);
  for (size_t d = 0; d < h->f->dims.size; ++d)
    back[at[d]] = dims[d];
  SnMap map = {0};
  for (size_t k = 0; k < s.count && s.program.ptr; ++k)
    sn_map(&map, mlirBlockGetArgument(s.program, (intptr_t)k), sn_input_argument(to, first + k));
  MlirValue x = side == h->side || !s.program.ptr ? h->x : sn_operand(mlirBlockGetTerminator(s.program), 0);
  x = s.program.ptr ? sn_move_value(b, &alone, x, back, to, &map) : sn_input_argument(to, first);
  sn_map_free(&map);
  sn_form_free(&alone);
  MlirType t = h->f->products.data[side / 2].type;
  if (mlirTypeEqual(sn_element(sn_type_of(x)), t))
    return x;
  return sn_row_op(b, sn_is_float(t) ? "arith.extf" : "arith.extsi", t, 1, &x);
}

static void copy_body(const OneHot *h, SnForm *to, MlirValue product) {
  const SnForm *f = h->f;
  SnMap map = {0};
  size_t p = h->side / 2, place = 0;
  for (size_t q = 0; q < f->products.size; ++q)
    sn_map(&map, sn_product_argument(f, q), q == p ? product : sn_product_argument(to, place++));
  for (size_t k = sn_first_input(f), next = sn_first_input(to); k < f->inputs.size; ++k)
    sn_map(&map, sn_input_argument(f, k), sn_input_argument(to, next++));
  SnBuilder in = sn_at_end(to->body, mlirOperationGetLocation(f->op));
  sn_copy_block(&in, f->body, &map);
  sn_map_free(&map);
}

static void copy_finish(const SnForm *f, SnForm *to) {
  SnMap map = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(f->finish); ++k)
    sn_map(&map, mlirBlockGetArgument(f->finish, k), mlirBlockGetArgument(to->finish, k));
  SnBuilder in = sn_at_end(to->finish, mlirOperationGetLocation(f->op));
  sn_copy_block(&in, f->finish, &map);
  sn_map_free(&map);
}

static void replace(const OneHot *h) {
  SnForm *f = h->f;
  MlirAffineExpr dims[SN_MAX_DIMS];
  SnBuilder b = sn_before(f->op);
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
    int64_t from = d == h->summed ? h->place : d;
    dims[d] = mlirAffineDimExprGet(b.ctx, from - (from > h->summed));
  }
  size_t firsts[2], p = h->side / 2;
  SnForm to = without_product(h, dims, firsts);
  MlirOperation made = sn_form_create(&b, &to, f->finish.ptr != NULL);
  SnBuilder in = sn_at_end(to.body, b.loc);
  MlirValue both[2];
  for (size_t i = 0; i < 2; ++i)
    both[i] = element(&in, h, 2 * p + i, &to, firsts[i], dims);
  MlirType t = f->products.data[p].type;
  MlirValue x = sn_row_op(&in, sn_is_float(t) ? "arith.mulf" : "arith.muli", (MlirType){0}, 2, both);
  copy_body(h, &to, sn_as_row(&in, x, sn_row_type(&to, t)));
  if (f->finish.ptr)
    copy_finish(f, &to);
  sn_replace_results(f->op, made);
  mlirOperationDestroy(f->op);
  sn_form_free(&to);
  sn_tidy(made);
}

bool sn_one_hot_sides(MlirOperation op) {
  SnForm f = sn_form_read(op);
  OneHot h;
  bool found = false, may = sn_has_one_group(&f) && f.num_cols && !f.schedule.ptr;
  for (size_t s = 0; s < 2 * f.products.size && f.sides.size && may && !found; ++s)
    found = is_one_hot(&f, s, &h);
  if (found)
    replace(&h);
  sn_form_free(&f);
  return found;
}
