// flat.c: a form whose elements are all alike, as one row.
//
//   (i = 37) by (j = 131) ins(%x[i, j], %w[])   ->   (one = 1) by (all = 4847) ins(%x[one, all], %w[])
//
// An elementwise loss knows no rows: then its vectors need not end where a row
// does, every length has aligned loads, and the grid shares the elements evenly.
//
// test: test/lowering/gpu/flat.mlir

#include "dialect/row_ops.h"
#include "lowering/gpu/gpu.h"

// All dimensions in their order, or none.
static bool is_whole(const SnForm *f, const SnAccess *a) {
  int64_t n = f->num_rows + f->num_cols;
  intptr_t rank = mlirAffineMapGetNumResults(a->map);
  if (a->through.ptr || a->fill.ptr || sn_is_table(a))
    return false;
  if (!rank)
    return true;
  for (intptr_t i = 0; rank == n && i < rank; ++i)
    if (sn_map_dim(a->map, i) != i || sn_dim(sn_type_of(a->value), i) != f->dims.data[i].size)
      return false;
  return rank == n;
}

// It feeds an accumulator of its kind, and nothing else: the order of rows in it says nothing.
static bool feeds_accumulator(const SnForm *f, MlirOperation reduce) {
  MlirOperation end = mlirBlockGetTerminator(f->body);
  MlirValue v = sn_result(reduce, 0);
  MlirAttribute kind = sn_get_attr(reduce, "kind");
  if (!kind.ptr || !sn_one_use(v))
    return false;
  for (size_t a = 0; a < f->accumulators.size; ++a)
    if (sn_same(sn_operand(end, (intptr_t)a), v))
      return mlirStringRefEqual(mlirStringAttrGetValue(kind), f->accumulators.data[a].kind) &&
             mlirTypeEqual(sn_type_of(v), f->accumulators.data[a].type);
  return false;
}

const char *sn_gpu_not_flat(const SnForm *f) {
  if (!f->num_cols || f->indices.size)
    return "it has no columns, or index tensors";
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k)
    if (!is_whole(f, k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size]))
      return "an operand is not one element for each of all, or one for all, in order";
  for (size_t a = 0; a < f->accumulators.size; ++a)
    if (sn_uses_cols(f, f->accumulators.data[a].map) ||
        sn_null(sn_reduce_of(sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)a), NULL)))
      return "an accumulator is not of all elements alike";
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (!sn_is_reduced(f, k) && !sn_uses_cols(f, f->outputs.data[k].map))
      return "a result is one for each row";
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    if (sn_row_op_has(op, SN_READS_ALL) && !feeds_accumulator(f, op) && !sn_gpu_is_only_asserted(op))
      return "something is reduced over a row";
    const SnRowOp *line = sn_row_op_of(op);
    if (line && line->position)
      return "it knows where in a row it is";
  }
  return NULL;
}

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
