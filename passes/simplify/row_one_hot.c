// row_one_hot.c: a total over a one-hot tensor walks along the classes.
//
//   (i = 3, c = 19) by (p = 7)  reduce(add)             (i = 3, p = 7) by (c = 19)  reduce(add)
//     select(index c == label[i, p], f, 0)      ->        select(index c == label[i, p], f, 0)
//
// Classes in dimension 1: the exporter sums over all dimensions at once, and whoever raised the sum
// took the last one for columns. A total may walk its dimensions in any order; along the
// classes, the sum over a one-hot row is one element, and the count is one over labels.
//
// runs in: simplify, fuse    test: test/passes/simplify/row_one_hot.mlir

#include "passes/merge/merge.h"
#include "passes/simplify/simplify.h"

static MlirValue under_casts(MlirValue v) {
  for (;;) {
    MlirOperation cast = sn_def(v, "arith.index_cast");
    MlirValue under = sn_null(cast) ? sn_broadcast_of(v) : sn_operand(cast, 0);
    if (sn_none(under))
      return v;
    v = under;
  }
}

static intptr_t dim_of(const SnForm *f, MlirOperation index) {
  for (size_t d = 0; d < f->dims.size; ++d)
    if (mlirStringRefEqual(f->dims.data[d].name, mlirStringAttrGetValue(sn_get_attr(index, "dim"))))
      return (intptr_t)d;
  return -1;
}

// The value is an input of the form that does not change along dimension d.
static bool is_label(const SnForm *f, MlirValue v, intptr_t d) {
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (sn_same(v, sn_input_argument(f, k)))
      return !sn_map_uses(f->inputs.data[k].map, d) && !f->inputs.data[k].through.ptr;
  return false;
}

// The row dimension that some comparison of the body is one-hot along; -1 if none, or if one is along a column.
static intptr_t hot_row(const SnForm *f) {
  intptr_t found = -1;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    if (!sn_is(op, "arith.cmpi") || sn_int_attr(op, "predicate", -1) != 0 /* eq */)
      continue;
    for (int side = 0; side < 2; ++side) {
      MlirOperation index = sn_def(under_casts(sn_operand(op, side)), "sinter.index");
      intptr_t d = sn_null(index) ? -1 : dim_of(f, index);
      if (d < 0 || !is_label(f, under_casts(sn_operand(op, !side)), d))
        continue;
      if (sn_is_col_dim(f, d))
        return -1;
      found = d;
    }
  }
  return found;
}

bool sn_walk_along_classes(MlirOperation op) {
  SnForm f = sn_form_read(op);
  // A total needs rows: with none left nothing would be reduced over them.
  intptr_t d = sn_is_total(&f) && f.dims.size > 1 ? hot_row(&f) : -1;
  bool *columns = sn_alloc(f.dims.size + 1);
  if (d >= 0) {
    columns[d] = true;
    sn_resplit(op, columns);
  }
  free(columns);
  sn_form_free(&f);
  return d >= 0;
}
