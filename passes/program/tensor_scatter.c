// tensor_scatter.c: tensor.scatter as tm_tensor's word for it.
//
//   tensor.scatter %u into %x[%t] scatter_dims([1]) unique    ->    tm_tensor.scatter {dimension_map = [1]}
//                                                                     ins(%u, %t) outs(%x) { yield %p }
//
// Dimensions in front of an update's own become one, and an update gets a dimension of 1 for each that the index says.
//
// runs in: sinter-prepare    test: test/passes/program/tensor_scatter.mlir, test/run/every_op.test

#include "passes/edit/rewrite.h"
#include "passes/program/tensor_steps.h"

static int64_t times(int64_t x, int64_t y) { return x == SN_DYNAMIC || y == SN_DYNAMIC ? SN_DYNAMIC : sn_times(x, y); }

// The first `batch` dimensions as one.
static MlirValue flat(SnBuilder *b, MlirValue v, intptr_t batch) {
  MlirType t = sn_type_of(v);
  intptr_t rank = sn_rank(t), n = rank - batch + 1;
  int64_t shape[SN_MAX_DIMS] = {1};
  MlirAttribute groups[SN_MAX_DIMS];
  if (batch == 1)
    return v;
  for (intptr_t d = 0; d < rank; ++d)
    if (d < batch)
      shape[0] = times(shape[0], sn_dim(t, d));
    else
      shape[1 + d - batch] = sn_dim(t, d);
  MlirType made = sn_tensor(sn_element(t), n, shape);
  if (!batch) {
    for (intptr_t d = 0; d < rank; ++d)
      groups[d] = sn_members(b->ctx, d ? d + 1 : 0, d + 2);
    return sn_unfold(b, v, made, mlirArrayAttrGet(b->ctx, rank, groups), v, 1);
  }
  for (intptr_t d = 0; d < n; ++d)
    groups[d] = sn_members(b->ctx, d ? d + batch - 1 : 0, d + batch);
  return sn(b, "tensor.collapse_shape", v, made, sn_attr("reassociation", mlirArrayAttrGet(b->ctx, n, groups)));
}

static bool is_said(MlirAttribute dims, intptr_t d) {
  for (intptr_t k = 0; k < mlirDenseArrayGetNumElements(dims); ++k)
    if (mlirDenseI64ArrayGetElement(dims, k) == d)
      return true;
  return false;
}

// Updates without the dimensions that the index says get them, of size 1.
static MlirValue with_ones(SnBuilder *b, MlirValue u, MlirAttribute dims, intptr_t rank) {
  MlirType t = sn_type_of(u);
  if (sn_rank(t) == 1 + rank)
    return u;
  int64_t shape[SN_MAX_DIMS] = {sn_dim(t, 0)};
  MlirValue sizes[SN_MAX_DIMS];
  MlirAttribute groups[SN_MAX_DIMS];
  intptr_t n = 0, from = 0, begin = 0;
  for (intptr_t d = 0; d <= rank; ++d) {
    bool one = d && is_said(dims, d - 1);
    shape[d] = one ? 1 : sn_dim(t, from);
    if (shape[d] == SN_DYNAMIC)
      sizes[n++] = sn(b, "tensor.dim", u, sn_index(b, from), sn_index_type(b->ctx));
    if (one)
      continue;
    if (d) {
      groups[from - 1] = sn_members(b->ctx, begin, d);
      begin = d;
    }
    ++from;
  }
  groups[from - 1] = sn_members(b->ctx, begin, rank + 1);
  return sn(b, "tensor.expand_shape", u, sn_values(n, sizes), sn_tensor(sn_element(t), rank + 1, shape),
            sn_attr("reassociation", mlirArrayAttrGet(b->ctx, from, groups)),
            sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, rank + 1, shape)));
}

bool sn_tensor_scatter(SnBuilder *b, MlirRewriterBase base, MlirOperation op) {
  MlirValue x = sn_operand(op, 1), t = sn_operand(op, 2);
  MlirType to = sn_type_of(x), element = sn_element(to);
  MlirAttribute dims = sn_get_attr(op, "scatter_dims");
  intptr_t batch = sn_rank(sn_type_of(t)) - 1;
  if (sn_rank(to) + 1 > SN_MAX_DIMS || sn_rank(sn_type_of(sn_operand(op, 0))) > SN_MAX_DIMS - 1 ||
      batch > SN_MAX_DIMS - 2)
    return sn_no(op, "more than %d dimensions", SN_MAX_DIMS - 1);
  MlirValue u = with_ones(b, flat(b, sn_operand(op, 0), batch), dims, sn_rank(to));
  t = flat(b, t, batch);
  MlirBlock block = mlirBlockCreate(2, (MlirType[]){element, element}, (MlirLocation[]){b->loc, b->loc});
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  SnBuilder in = sn_at_end(block, b->loc);
  sn_op(&in, "tm_tensor.yield", mlirBlockGetArgument(block, 0), sn_types(0, NULL));
  MlirValue made = sn(b, "tm_tensor.scatter", u, t, x, to, region, sn_attr("dimension_map", dims),
                      sn_attr("unique_indices", mlirBoolAttrGet(b->ctx, 1)),
                      sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){2, 1})));
  mlirRewriterBaseReplaceOpWithValues(base, op, 1, &made);
  return true;
}
