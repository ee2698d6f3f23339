// rowaligned.c: which vectors of an operand are aligned in memory.
//
//   vector.load %x[%i, %j] : memref<4x8xf32>, vector<4xf32>   ->   {alignment = 16 : i64}
//
// Without this a GPU's access is split into elements: memory of f32 is only known to be aligned to 4 bytes.
//
// test: test/lowering/gpu/lower_gpu.mlir

#include "lowering/rows/rowmemory.h"

// The element offset of an access where all dimensions are 0; false if it is not a constant.
static bool constant_offset(MlirAffineMap map, MlirType memref, int64_t *offset) {
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
static bool is_aligned(const SnForm *f, const SnAccess *a, int64_t lanes, bool of_rows) {
  int64_t factors[SN_MAX_DIMS], offset;
  MlirType t = sn_type_of(a->value);
  if (!sn_linear_factors(a->map, t, factors) || !constant_offset(a->map, t, &offset) || offset % lanes)
    return false;
  int64_t rows = f->num_rows - (of_rows ? 1 : 0);
  for (int64_t d = 0; d < rows; ++d)
    if (f->dims.data[d].size > 1 && factors[d] % lanes)
      return false;
  if (of_rows) { // the last row dimension is the lanes', and begins at multiples of them
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

SnAttr sn_row_alignment(SnBuilder *b, const SnRowProgram *p, const SnAccess *a, int64_t lanes) {
  int64_t bytes = lanes * sn_bits(sn_element(sn_type_of(a->value))) / 8;
  if (!p->aligned || !is_aligned(p->form, a, lanes, p->row.rows > 1))
    return sn_no_attr();
  return sn_attr("alignment", sn_i64(b->ctx, bytes < p->aligned ? bytes : p->aligned));
}
