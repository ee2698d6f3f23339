// row_order.c: rows follow each other as what they store does in memory.
//
//   rowwise (n, h, w, c) by (u, v) ins(%x[n, c, h * 2 + u, w * 2 + v]) outs(%y[n, c, h, w])
// ->
//   rowwise (n, c, h, w) by (u, v), the same
//
// Neighbours in the last row dimension are those of a GPU's threads: families that have rows as lanes (windows, tiles)
// ask that they are neighbours in memory.
//
//   rowwise (c, r, s) by (n, y, x) ins(%x[n, y + r, x + s, c], %g[n, y, x, c]) outs(%w[c, r, s])
// ->
//   rowwise (r, s, c) by (n, y, x), the same
//
// On a CPU, where rows are long, what they read says which of them are neighbours: a result is stored once.
//
//   rowwise (i, e) by (j) ins(%x[i, j, e]) outs(%y[i, j, e])    ->    rowwise (i, j) by (e), the same
//
// Columns of elements that have nothing to do with each other are what lies side by side, in all that is as large.
//
// test: test/passes/arrange/row_order.mlir

#include "dialect/sequence.h"
#include "passes/arrange/arrange.h"
#include "passes/edit/edit.h"
#include "passes/merge/merge.h"

enum {
  LONG_ROW = 64,        // columns: a result is stored once for so many
  LEAST_NEIGHBOURS = 8, // lanes
};

// The row dimensions in the order of the first result's subscripts; false if it does not have all of them, or they are
// in this order.
static bool order_of(const SnForm *f, intptr_t *order) {
  bool changed = false;
  intptr_t n = 0;
  const SnAccess *a = &f->outputs.data[0];
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i) {
    intptr_t d = sn_map_dim(a->map, i);
    if (d < 0 || d >= (intptr_t)f->num_rows)
      continue;
    changed |= d != n;
    order[n++] = d;
  }
  return changed && n == (intptr_t)f->num_rows;
}

// The row dimension that is the last subscript of all inputs that use a column; -1: there is none.
static intptr_t read_last(const SnForm *f) {
  intptr_t found = -1;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    const SnAccess *a = &f->inputs.data[k];
    intptr_t rank = mlirAffineMapGetNumResults(a->map), last = rank ? sn_map_dim(a->map, rank - 1) : -1;
    if (!sn_uses_cols(f, a->map))
      continue;
    if (last < 0 || last >= f->num_rows || sn_is_table(a) || (found != -1 && found != last))
      return -1;
    found = last;
  }
  return found;
}

// The order with that dimension behind all others, if rows are long and there are enough of its neighbours; whether the
// rows are in another one.
static bool order_as_read(const SnForm *f, intptr_t *order) {
  int64_t length = sn_row_length(f);
  intptr_t last = read_last(f), n = 0;
  if (last < 0 || (length != SN_DYNAMIC && length < LONG_ROW) ||
      (f->dims.data[last].size != SN_DYNAMIC && f->dims.data[last].size < LEAST_NEIGHBOURS))
    return false;
  for (intptr_t d = 0; d < (intptr_t)f->num_rows; ++d)
    if (d != last)
      order[n++] = d;
  order[n] = last;
  return true;
}

static bool is_in_order(const SnForm *f, const intptr_t *order) {
  bool is = true;
  for (intptr_t d = 0; d < (intptr_t)f->num_rows; ++d)
    is &= order[d] == d;
  return is;
}

static bool may_be_ordered(const SnForm *f) {
  return sn_num_results(f->op) && !sn_in_sequence(f->op) && sn_is_plain(f) && !f->contract && !f->schedule.ptr &&
         !f->accumulators.size && !f->finish.ptr && f->outputs.size;
}

static MlirOperation with_order(MlirOperation op, const intptr_t *order) {
  SnForm f = sn_form_read(op);
  SnBuilder b = sn_before(op);
  SnForm to = sn_form_read(op);
  MlirAffineExpr dims[SN_MAX_DIMS];
  intptr_t n = (intptr_t)f.dims.size;
  for (intptr_t d = 0; d < n; ++d)
    dims[d] = mlirAffineDimExprGet(b.ctx, d);
  for (intptr_t d = 0; d < (intptr_t)f.num_rows; ++d) {
    to.dims.data[d] = f.dims.data[order[d]];
    dims[order[d]] = mlirAffineDimExprGet(b.ctx, d);
  }
  for (size_t k = 0; k < to.inputs.size; ++k)
    to.inputs.data[k].map = sn_map_replace(to.inputs.data[k].map, n, dims);
  for (size_t k = 0; k < to.indices.size; ++k)
    to.indices.data[k].map = sn_map_replace(to.indices.data[k].map, n, dims);
  for (size_t k = 0; k < to.outputs.size; ++k)
    to.outputs.data[k].map = sn_map_replace(to.outputs.data[k].map, n, dims);
  MlirOperation made = sn_form_create(&b, &to, false);
  SnBuilder in = sn_at_end(to.body, b.loc);
  SnMap map = {0};
  SnValueVec values = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(f.body); ++k)
    sn_map(&map, mlirBlockGetArgument(f.body, k), mlirBlockGetArgument(to.body, k));
  sn_copy_ops(&in, f.body, &map);
  MlirOperation end = mlirBlockGetTerminator(f.body);
  for (intptr_t k = 0; k < sn_num_operands(end); ++k)
    sn_push(&values, sn_lookup(&map, sn_operand(end, k)));
  sn_op(&in, "sinter.yield", sn_values((intptr_t)values.size, values.data), sn_types(0, NULL));
  sn_replace_results(op, made);
  mlirOperationDestroy(op);
  sn_vec_free(&values);
  sn_map_free(&map);
  sn_form_free(&to);
  sn_form_free(&f);
  return made;
}

MlirOperation sn_order_rows(MlirOperation op) {
  SnForm f = sn_form_read(op);
  intptr_t order[SN_MAX_DIMS];
  bool other = may_be_ordered(&f) && order_of(&f, order);
  sn_form_free(&f);
  return other ? with_order(op, order) : op;
}

MlirOperation sn_order_rows_as_read(MlirOperation op) {
  SnForm f = sn_form_read(op);
  intptr_t order[SN_MAX_DIMS];
  bool may = may_be_ordered(&f), read = may && order_as_read(&f, order), other = read && !is_in_order(&f, order);
  sn_form_free(&f);
  return read ? (other ? with_order(op, order) : op) : sn_order_rows(op);
}

// The row dimension that is the last subscript of all results and of all inputs that use a column; -1: there is none.
static intptr_t side_by_side(const SnForm *f) {
  intptr_t found = -1;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
    intptr_t rank = mlirAffineMapGetNumResults(a->map), last = rank ? sn_map_dim(a->map, rank - 1) : -1;
    if (k < f->inputs.size && !sn_uses_cols(f, a->map))
      continue;
    if (last < 0 || last >= f->num_rows || (found >= 0 && last != found))
      return -1;
    found = last;
  }
  return found;
}

MlirOperation sn_order_columns(MlirOperation op) {
  SnForm f = sn_form_read(op);
  bool is_column[SN_MAX_DIMS] = {false};
  intptr_t column =
      sn_num_results(op) && !sn_in_sequence(op) && !f.schedule.ptr && f.num_cols && sn_is_elementwise_form(&f)
          ? side_by_side(&f)
          : -1;
  if (column >= 0) {
    is_column[column] = true;
    if (sn_can_resplit(&f, is_column))
      op = sn_resplit(op, is_column);
  }
  sn_form_free(&f);
  return op;
}
