// flat.c: a form whose elements are all alike, as one row.
//
//   (i = 37) by (j = 131) ins(%x[i, j], %w[])   ->   (one = 1) by (all = 4847) ins(%x[one, all], %w[])
//
// An elementwise loss knows no rows: then its vectors need not end where a row
// does, every length has aligned loads, and the grid shares the elements evenly.
//
// test: test/lowering/gpu/flat.mlir

#include "dialect/row_ops.h"
#include "lowering/gpu/rows/gpu_rows.h"

// The memref as one row: memref<1 x length>.
static MlirValue one_row(SnBuilder *b, MlirValue memref, int64_t length) {
  MlirType t = sn_type_of(memref);
  int64_t shape[] = {1, length};
  MlirValue all = sn_index(b, 1);
  if (!sn_rank(t))
    return memref;
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    all = sn_size_mul(b, all, sn_dim_of(b, memref, i));
  return sn_gpu_view(b, memref, sn_memref(sn_element(t), 2, shape), &all);
}

void sn_gpu_flatten(SnBuilder *b, SnForm *f, MlirValue *operands) {
  MlirContext ctx = b->ctx;
  MlirAffineMap all = mlirAffineMapMultiDimIdentityGet(ctx, 2), none = mlirAffineMapGet(ctx, 2, 0, 0, NULL);
  int64_t length = sn_num_rows(f), columns = sn_row_length(f);
  length = length == SN_DYNAMIC || columns == SN_DYNAMIC ? SN_DYNAMIC : sn_times(length, columns);
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
    a->value = operands[k] = one_row(b, operands[k], length);
    a->map = mlirAffineMapGetNumResults(a->map) ? all : none;
  }
  for (size_t a = 0; a < f->accumulators.size; ++a)
    f->accumulators.data[a].map = none;
  f->dims.size = 0;
  f->num_rows = f->num_cols = 1;
  sn_push(&f->dims, ((SnDim){SN_STR("one"), 1}));
  sn_push(&f->dims, ((SnDim){SN_STR("all"), length}));
}
