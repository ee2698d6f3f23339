// aligned.c: vector accesses to memory that is known to be aligned say so.
//
//   vector.load %x[%i, %j] : memref<4x8xf32>, vector<4xf32>   ->   {alignment = 16 : i64}
//
// Without this an access is split into elements: memory of f32 is only known to be aligned to 4 bytes. Tensors and
// workspace are aligned to 16 by the ABI.
//
// test: test/lowering/gpu/lower_gpu.mlir

#include "lowering/gpu/rows/gpu_rows.h"

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
static bool is_aligned(const SnForm *f, const SnAccess *a, int64_t lanes) {
  int64_t factors[SN_MAX_DIMS], offset;
  MlirType t = sn_type_of(a->value);
  if (!sn_linear_factors(a->map, t, factors) || !constant_offset(a->map, t, &offset) || offset % lanes)
    return false;
  for (int64_t d = 0; d < f->num_rows; ++d)
    if (f->dims.data[d].size > 1 && factors[d] % lanes)
      return false;
  bool together = true; // with the inner ones
  int64_t inner = 1;
  for (int64_t d = f->num_rows + f->num_cols; d-- > f->num_rows;) {
    together &= f->dims.data[d].size == 1 || factors[d] == inner;
    if (!together && f->dims.data[d].size > 1 && factors[d] % lanes)
      return false;
    inner = sn_times(inner, f->dims.data[d].size);
  }
  return true;
}

static void align(const SnGpuKernel *k, SnForm *f, const char *name, intptr_t memref) {
  SnOpVec found = sn_collect(k->func, name);
  for (size_t i = 0; i < found.size; ++i) {
    MlirValue m = sn_operand(found.data[i], memref);
    size_t o = 0;
    while (o < k->num_operands && !sn_same(k->operands[o], m))
      ++o;
    MlirOperation cast = sn_def(m, "memref.reinterpret_cast");
    if (o == k->num_operands && !sn_null(cast)) // of several columns as one
      for (o = 0, m = sn_operand(cast, 0); o < k->num_operands && !sn_same(k->operands[o], m);)
        ++o;
    if (o == k->num_operands)
      continue;
    MlirType vector = sn_type_of(memref ? sn_operand(found.data[i], 0) : sn_result(found.data[i], 0));
    int64_t lanes = sn_dim(vector, 0), bytes = lanes * sn_bits(sn_element(vector)) / 8;
    if (is_aligned(f, sn_gpu_access(f, o), lanes))
      sn_set_attr(found.data[i], "alignment", sn_i64(mlirOperationGetContext(k->func), bytes < 16 ? bytes : 16));
  }
  sn_vec_free(&found);
}

void sn_gpu_align_vectors(const SnGpuKernel *k, SnForm *f) {
  align(k, f, "vector.load", 0);
  align(k, f, "vector.store", 1);
}
