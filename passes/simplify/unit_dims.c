// unit_dims.c: a dimension of size 1 is none.
//
//   sinter.contract (b = 1, i = 7) by (j = 5) product (k = 6) (%x[b, i, k], %w[b, k, j]) outs(%e[b, i, j])
// ->
//   sinter.contract (i = 7) by (j = 5) product (k = 6) (%x[0, i, k], %w[0, k, j]) outs(%e[0, i, j])
//
// Upstream folds unit dimensions of generic ops alone: a product over one batch, or a
// convolution of one image, keeps its own, and its dimensions would not match those of what reads it.
//
// Rows of one element, of which nothing is asked but that element, are numbers (a list of subscripts as a scatter wants
// it, images of one channel):
//
//   sinter.rowwise (i = 7) by (l = 1) ins(%x[i, l]) outs(%e[i, l])
//     ->  sinter.rowwise (i = 7) by () ins(%x[i, 0]) outs(%e[i, 0])
//
// What such a row is reduced to is the element, too: the sum of an image of one pixel, in the gradient of a bias.
//
// runs in: simplify, fuse    test: test/passes/simplify/unit_dims.mlir

#include "dialect/row_ops.h"
#include "passes/edit/edit.h"
#include "passes/simplify/simplify.h"

#include <string.h>

static bool names(MlirBlock block, MlirStringRef dim) {
  for (MlirOperation op = block.ptr ? mlirBlockGetFirstOperation(block) : (MlirOperation){0}; !sn_null(op);
       op = mlirOperationGetNextInBlock(op))
    if (sn_row_op_names(op, dim))
      return true;
  return false;
}

static bool is_indexed(const SnForm *f, size_t d) {
  bool found = names(f->body, f->dims.data[d].name);
  for (size_t s = 0; s < f->sides.size; ++s)
    found |= names(f->sides.data[s].program, f->dims.data[d].name);
  return found;
}

// Whether an operand would have no column left: a row in the body would be one element.
static bool is_last_column(const SnForm *f, MlirAffineMap map, size_t column, const bool *drop) {
  if (!sn_map_uses(map, (intptr_t)column))
    return false;
  for (size_t d = 0; d < f->dims.size; ++d)
    if (d != column && sn_is_col_dim(f, (intptr_t)d) && !drop[d] && sn_map_uses(map, (intptr_t)d))
      return false;
  return true;
}
static bool makes_scalar(const SnForm *f, size_t column, const bool *drop) {
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (is_last_column(f, f->inputs.data[k].map, column, drop))
      return true;
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (is_last_column(f, f->outputs.data[k].map, column, drop))
      return true;
  return false;
}

// Nothing is accumulated, or over a row dimension that stays.
static bool accumulates_on(const SnForm *f) {
  bool stays = !f->accumulators.size;
  for (int64_t d = 0; d < f->num_rows; ++d)
    stays |= f->dims.data[d].size != 1;
  return stays;
}

// Which dimensions go. Rows and columns alone; a row program keeps a row, and any form a column that it has: what is a
// row in the body stays one. So do the columns that something is accumulated by.
static bool unit_dims(const SnForm *f, bool *drop) {
  int64_t rows = f->num_rows, cols = f->num_cols;
  bool any = false;
  memset(drop, 0, f->dims.size);
  for (size_t d = 0; d < (size_t)(f->num_rows + (f->accumulators.size ? 0 : f->num_cols)); ++d) {
    int64_t *left = sn_is_row_dim(f, (intptr_t)d) ? &rows : &cols, least = left == &rows && f->contract ? 0 : 1;
    drop[d] =
        f->dims.data[d].size == 1 && *left > least && !is_indexed(f, d) && (left == &rows || !makes_scalar(f, d, drop));
    *left -= drop[d];
    any |= drop[d];
  }
  return any;
}

static bool is_row_of_one(const SnForm *f) {
  bool is = !f->contract && sn_is_plain(f) && f->num_rows && f->num_cols && !f->accumulators.size && !f->finish.ptr &&
            !f->schedule.ptr && sn_num_results(f->op) && sn_goes_by_one_element(f);
  for (size_t d = (size_t)f->num_rows; d < f->dims.size && is; ++d)
    is = f->dims.data[d].size == 1 && !is_indexed(f, d);
  for (size_t k = 0; k < f->inputs.size && is; ++k)
    is = !sn_is_table(&f->inputs.data[k]);
  return is;
}

static SnAccess at_dims(const SnForm *f, SnAccess a, MlirAffineExpr *dims) {
  a.map = sn_map_replace(a.map, f->num_rows, dims);
  return a;
}

// The row of one element is that element.
static void drop_columns(const SnForm *f) {
  SnBuilder b = sn_before(f->op);
  SnForm to = {.num_rows = f->num_rows};
  MlirAffineExpr *dims = sn_alloc((f->dims.size + 1) * sizeof *dims);
  for (size_t d = 0; d < f->dims.size; ++d) {
    bool row = sn_is_row_dim(f, (intptr_t)d);
    dims[d] = row ? mlirAffineDimExprGet(b.ctx, (intptr_t)d) : mlirAffineConstantExprGet(b.ctx, 0);
    if (row)
      sn_push(&to.dims, f->dims.data[d]);
  }
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_push(&to.inputs, at_dims(f, f->inputs.data[k], dims));
  for (size_t k = 0; k < f->indices.size; ++k)
    sn_push(&to.indices, at_dims(f, f->indices.data[k], dims));
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&to.outputs, at_dims(f, f->outputs.data[k], dims));
  MlirOperation made = sn_form_create(&b, &to, false);
  SnBuilder in = sn_at_end(to.body, b.loc);
  sn_copy_body_by_elements(&in, f, &to, NULL);
  sn_replace_results(f->op, made);
  mlirOperationDestroy(f->op);
  free(dims);
  sn_form_free(&to);
}

static void replace_maps(MlirOperation op, const char *name, intptr_t num_dims, MlirAffineExpr *exprs) {
  MlirAttribute old = sn_get_attr(op, name);
  SN_VEC(MlirAttribute) maps = {0};
  for (intptr_t k = 0; old.ptr && k < mlirArrayAttrGetNumElements(old); ++k)
    sn_push(&maps, mlirAffineMapAttrGet(
                       sn_map_replace(mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(old, k)), num_dims, exprs)));
  if (old.ptr)
    sn_set_attr(op, name, mlirArrayAttrGet(mlirOperationGetContext(op), (intptr_t)maps.size, maps.data));
  sn_vec_free(&maps);
}

bool sn_drop_unit_dims(MlirOperation op) {
  SnForm f = sn_form_read(op);
  if (is_row_of_one(&f)) {
    drop_columns(&f);
    sn_form_free(&f);
    return true;
  }
  MlirContext ctx = mlirOperationGetContext(op);
  bool *drop = sn_alloc(f.dims.size + 1);
  // What is accumulated over dimensions of size 1 alone would no longer be, and finish would see other arguments.
  bool any = accumulates_on(&f) && !f.finish.ptr && !f.schedule.ptr && sn_num_results(op) && sn_has_one_group(&f) &&
             unit_dims(&f, drop);
  if (any) {
    MlirAffineExpr *exprs = sn_alloc((f.dims.size + 1) * sizeof *exprs);
    SN_VEC(MlirAttribute) names = {0};
    SN_VEC(int64_t) sizes = {0};
    int64_t rows = 0, cols = 0;
    for (size_t d = 0; d < f.dims.size; ++d) {
      exprs[d] = drop[d] ? mlirAffineConstantExprGet(ctx, 0) : mlirAffineDimExprGet(ctx, (intptr_t)names.size);
      if (drop[d])
        continue;
      rows += sn_is_row_dim(&f, (intptr_t)d);
      cols += sn_is_col_dim(&f, (intptr_t)d);
      sn_push(&names, mlirStringAttrGet(ctx, f.dims.data[d].name));
      sn_push(&sizes, f.dims.data[d].size);
    }
    replace_maps(op, "maps", (intptr_t)names.size, exprs);
    replace_maps(op, "accumulator_maps", (intptr_t)names.size, exprs);
    sn_set_attr(op, "dims", mlirArrayAttrGet(ctx, (intptr_t)names.size, names.data));
    sn_set_attr(op, "sizes", mlirDenseI64ArrayGet(ctx, (intptr_t)sizes.size, sizes.data));
    sn_set_attr(op, "num_rows", sn_i64(ctx, rows));
    sn_set_attr(op, "num_cols", sn_i64(ctx, cols));
    sn_vec_free(&names);
    sn_vec_free(&sizes);
    free(exprs);
  }
  free(drop);
  sn_form_free(&f);
  return any;
}
