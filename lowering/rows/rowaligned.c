// rowaligned.c: which vectors of an operand are aligned in memory.
//
//   vector.load %x[%i, %j] : memref<4x8xf32>, vector<4xf32>   ->   {alignment = 16 : i64}
//
// Without this a GPU's access is split into elements: memory of f32 is only known to be aligned to 4 bytes.
//
// test: test/lowering/gpu/lower_gpu.mlir

#include "lowering/rows/rowmemory.h"

bool sn_linear_offset(MlirAffineMap map, MlirType memref, int64_t *offset) {
  MlirContext ctx = mlirAffineMapGetContext(map);
  MlirAffineExpr zeros[SN_MAX_DIMS];
  for (intptr_t d = 0; d < mlirAffineMapGetNumDims(map); ++d)
    zeros[d] = mlirAffineConstantExprGet(ctx, 0);
  MlirAffineMap at_zero = sn_map_replace(map, 0, zeros);
  int64_t stride = 1;
  *offset = 0;
  for (intptr_t i = sn_rank(memref); i-- > 0; stride = sn_times(stride, sn_dim(memref, i))) {
    MlirAffineExpr e = mlirAffineMapGetResult(at_zero, i);
    if (!mlirAffineExprIsAConstant(e))
      return false;
    *offset += stride * mlirAffineConstantExprGetValue(e);
  }
  return true;
}

// Every vector of this operand begins at a multiple of its size from the operand's begin.
bool sn_row_is_aligned(const SnForm *f, const SnAccess *a, int64_t lanes, bool of_rows) {
  int64_t factors[SN_MAX_DIMS], offset;
  MlirType t = sn_type_of(a->value);
  if (!sn_linear_factors(a->map, t, factors) || !sn_linear_offset(a->map, t, &offset) || offset % lanes)
    return false;
  int64_t rows = f->num_rows - (of_rows ? 1 : 0);
  for (int64_t d = 0; d < rows; ++d)
    if (f->dims.data[d].size > 1 && factors[d] % lanes)
      return false;
  if (of_rows) { // the last row dimension is the lanes', and begins at multiples of them, if it is one
    if (f->dims.data[rows].size % lanes)
      return false;
    for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
      if (f->dims.data[d].size > 1 && factors[d] % lanes)
        return false;
    return factors[rows] == 1;
  }
  bool together = true; // with the inner ones, but for those that have one element together
  int64_t inner = 1;
  for (int64_t d = f->num_rows + f->num_cols; d-- > f->num_rows;) {
    if (inner == 1 && !factors[d])
      continue;
    together &= f->dims.data[d].size == 1 || factors[d] == inner;
    if (!together && f->dims.data[d].size > 1 && factors[d] % lanes)
      return false;
    inner = sn_times(inner, f->dims.data[d].size);
  }
  return true;
}

// All rows are one, and its columns are the operand's: of a length `?` too it begins where the operand does.
static bool is_one_line(const SnForm *f, const SnAccess *a) {
  intptr_t last = mlirAffineMapGetNumResults(a->map) - 1;
  bool is = f->num_cols == 1 && last >= 0 && sn_map_dim(a->map, last) == f->num_rows && !a->fill.ptr && !a->through.ptr;
  for (int64_t d = 0; d < f->num_rows; ++d)
    is &= f->dims.data[d].size == 1;
  for (intptr_t i = 0; i < last && is; ++i)
    is = sn_map_dim(a->map, i) >= 0 && sn_map_dim(a->map, i) < f->num_rows;
  return is;
}

// Aligned, where sizes are `?` and the last one is a multiple of the lanes: so is the distance of what is one behind
// the other in any other dimension.
bool sn_row_is_even(const SnForm *f, const SnAccess *a, int64_t lanes, bool of_rows) {
  int64_t factors[SN_MAX_DIMS] = {0}, lane = of_rows ? f->num_rows - 1 : f->num_rows + f->num_cols - 1;
  intptr_t last = mlirAffineMapGetNumResults(a->map) - 1;
  MlirType t = sn_type_of(a->value);
  if (last < 0 || lane < 0 || a->fill.ptr || !sn_fills_bytes(sn_element(t)) ||
      (sn_dim(t, last) != SN_DYNAMIC && sn_dim(t, last) % lanes))
    return false;
  MlirAffineExpr e = mlirAffineMapGetResult(a->map, last), zeros[SN_MAX_DIMS];
  if (!sn_affine_factors(e, factors) || factors[lane] != 1)
    return false;
  for (size_t d = 0; d < f->dims.size; ++d) {
    if ((int64_t)d != lane && f->dims.data[d].size != 1 && factors[d] % lanes)
      return false;
    zeros[d] = mlirAffineConstantExprGet(mlirAffineMapGetContext(a->map), 0);
  }
  for (intptr_t i = 0; i < last; ++i)
    if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(a->map, i), lane))
      return false;
  MlirAffineExpr begin = mlirAffineMapGetResult(sn_map_replace(a->map, 0, zeros), last);
  return mlirAffineExprIsAConstant(begin) && mlirAffineConstantExprGetValue(begin) % lanes == 0;
}

SnAttr sn_row_alignment(SnBuilder *b, const SnRowProgram *p, const SnAccess *a, int64_t lanes) {
  int64_t bytes = lanes * sn_bits(sn_element(sn_type_of(a->value))) / 8;
  bool of_rows = p->row.rows > 1,
       even = p->multiple && p->multiple % lanes == 0 && sn_row_is_even(p->form, a, lanes, of_rows);
  bool line = !of_rows && is_one_line(p->form, a);
  if (!p->aligned || !(even || line || sn_row_is_aligned(p->form, a, lanes, of_rows)))
    return sn_no_attr();
  return sn_attr("alignment", sn_i64(b->ctx, bytes < p->aligned ? bytes : p->aligned));
}

bool sn_row_is_whole_or_none(const SnForm *f, const SnAccess *a, int64_t lanes) {
  int64_t length = f->num_cols ? f->dims.data[f->num_rows + f->num_cols - 1].size : SN_DYNAMIC;
  SnAccess inside = *a;
  inside.fill = (MlirAttribute){0};
  return a->fill.ptr && !a->through.ptr && !sn_is_table(a) && length != SN_DYNAMIC && length % lanes == 0 &&
         mlirShapedTypeHasStaticShape(sn_type_of(a->value)) && sn_row_is_even(f, &inside, lanes, false);
}

MlirValue sn_row_load_whole_or_none(SnBuilder *b, const SnForm *f, const SnAccess *a, const MlirValue *dims,
                                    int64_t lanes) {
  MlirType element = sn_element(sn_type_of(a->value)), t = sn_vector(element, lanes);
  MlirValue at[SN_MAX_DIMS], inside, offset;
  intptr_t n = sn_row_subscripts(b, f, a, dims, at, &inside);
  for (intptr_t i = 0; i < n; ++i)
    at[i] = sn(b, "arith.select", inside, at[i], sn_index(b, 0));
  int64_t bytes = lanes * sn_bits(element) / 8;
  MlirValue all = sn_row_flat(b, a->value, at, &offset),
            x = sn(b, "vector.load", all, offset, t, sn_attr("alignment", sn_i64(b->ctx, bytes < 16 ? bytes : 16)));
  return sn(b, "arith.select", inside, x, sn_splat(b, t, a->fill));
}
