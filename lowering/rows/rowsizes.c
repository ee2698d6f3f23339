// rowsizes.c: sizes that are known when the program runs.
//
//   (i = ?) of %x[i, j] : memref<?x9xf32>   ->   %n = memref.dim %x, %c0
//   (i = 37)                                ->   %n = arith.constant 37
//
// Arithmetic on sizes is folded at once, so that a lowering is written one time
// for both and can ask what is known. That operands agree on a size was
// checked by the host (sinter-sizes).

#include "dialect/row_ops.h"
#include "lowering/rows/rowprogram.h"
#include <assert.h>

bool sn_known(MlirValue index, int64_t *n) {
  MlirOperation op = sn_def(index, "arith.constant");
  if (sn_null(op))
    return false;
  *n = mlirIntegerAttrGetValueInt(sn_get_attr(op, "value"));
  return true;
}

MlirValue sn_dim_of(SnBuilder *b, MlirValue memref, intptr_t i) {
  int64_t n = sn_dim(sn_type_of(memref), i);
  return n == SN_DYNAMIC ? sn(b, "memref.dim", memref, sn_index(b, i), sn_index_type(b->ctx)) : sn_index(b, n);
}

static bool find_size(SnBuilder *b, const SnAccess *a, int64_t d, MlirValue *size) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map) && !a->fill.ptr; ++i)
    if (sn_map_dim(a->map, i) == d) {
      *size = sn_dim_of(b, a->value, i);
      return true;
    }
  return false;
}

MlirValue sn_form_size(SnBuilder *b, const SnForm *f, int64_t d) {
  MlirValue size = {0};
  if (f->dims.data[d].size != SN_DYNAMIC)
    return sn_index(b, f->dims.data[d].size);
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (find_size(b, &f->inputs.data[k], d, &size))
      return size;
  for (size_t k = 0; k < f->indices.size; ++k)
    if (find_size(b, &f->indices.data[k], d, &size))
      return size;
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (find_size(b, &f->outputs.data[k], d, &size))
      return size;
  assert(!"rule F7: an operand has the size");
  return size;
}

MlirValue sn_form_sizes(SnBuilder *b, const SnForm *f, int64_t first, int64_t n) {
  MlirValue all = sn_index(b, 1);
  for (int64_t d = first; d < first + n; ++d)
    all = sn_size_mul(b, all, sn_form_size(b, f, d));
  return all;
}

MlirValue sn_form_columns(SnBuilder *b, const SnForm *f) { return sn_form_sizes(b, f, f->num_rows, f->num_cols); }

void sn_form_point(SnBuilder *b, const SnForm *f, int64_t first, int64_t n, MlirValue linear, MlirValue *out) {
  MlirType t = sn_type_of(linear);
  for (int64_t d = n; d-- > 0;) {
    if (d == 0) {
      out[0] = linear;
      return;
    }
    // A size of 0 divides nothing: no row is run.
    int64_t known;
    MlirValue size = sn_form_size(b, f, first + d);
    if (sn_known(size, &known))
      size = sn_splat(b, t, mlirIntegerAttrGet(sn_index_type(b->ctx), known ? known : 1));
    else if (mlirTypeIsAVector(t))
      size = sn(b, "vector.broadcast", size, t);
    out[d] = sn(b, "arith.remui", linear, size);
    linear = sn(b, "arith.divui", linear, size);
  }
}

// All row dimensions are subscripts of the access, one behind the other, of sizes that are the form's; or none is.
static bool rows_follow(const SnForm *f, const SnAccess *a) {
  intptr_t first = -1, n = mlirAffineMapGetNumResults(a->map);
  bool uses = false;
  for (int64_t d = 0; d < f->num_rows; ++d)
    uses |= sn_map_uses(a->map, d);
  if (!uses)
    return true;
  for (intptr_t i = 0; i < n && first < 0; ++i)
    if (sn_map_dim(a->map, i) == 0)
      first = i;
  if (first < 0 || first + f->num_rows > n || a->fill.ptr || a->through.ptr)
    return false;
  for (intptr_t i = 0; i < n; ++i) {
    int64_t d = i - first;
    if (d >= 0 && d < f->num_rows) {
      if (sn_map_dim(a->map, i) != d || (d && sn_dim(sn_type_of(a->value), i) != f->dims.data[d].size))
        return false;
      continue;
    }
    for (int64_t row = 0; row < f->num_rows; ++row)
      if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(a->map, i), row))
        return false;
  }
  return true;
}

bool sn_row_rows_follow(const SnForm *f) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    const SnRowOp *line = sn_row_op_of(op);
    if (line && line->names_dim)
      return false;
  }
  for (size_t k = 0; k < f->inputs.size + f->indices.size + f->outputs.size; ++k)
    if (!rows_follow(f, sn_form_access(f, k)))
      return false;
  return f->num_rows > 1;
}

// ---- arithmetic ------------------------------------------------------------------

MlirValue sn_size_mul(SnBuilder *b, MlirValue x, MlirValue y) {
  int64_t m = 0, n = 0;
  bool x_known = sn_known(x, &m), y_known = sn_known(y, &n);
  if (x_known && y_known)
    return sn_index(b, sn_times(m, n));
  if (x_known && m == 1)
    return y;
  return y_known && n == 1 ? x : sn(b, "arith.muli", x, y);
}

MlirValue sn_size_ceil(SnBuilder *b, MlirValue x, MlirValue y) {
  int64_t m, n;
  if (sn_known(x, &m) && sn_known(y, &n))
    return sn_index(b, sn_pieces(m, n));
  return sn(b, "arith.ceildivui", x, y);
}

MlirValue sn_size_max(SnBuilder *b, MlirValue x, MlirValue y) {
  int64_t m, n;
  if (sn_known(x, &m) && sn_known(y, &n))
    return m > n ? x : y;
  if (sn_known(x, &m) && !m)
    return y;
  return sn(b, "arith.maxsi", x, y);
}

MlirValue sn_size_whole(SnBuilder *b, MlirValue x, int64_t unit) {
  int64_t m;
  if (sn_known(x, &m))
    return sn_index(b, m - m % unit);
  return unit == 1 ? x : sn(b, "arith.subi", x, sn(b, "arith.remui", x, sn_index(b, unit)));
}
