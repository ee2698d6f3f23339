// gather.c: tensor.gather as a linalg.generic that extracts.
//
//   tensor.gather %x[%t] gather_dims([0])    ->    linalg.generic (i, k, j) ins(%t[i, 0]) {
//                                                    tensor.extract %x[t, j] }
//
// runs in: sinter-prepare    test: test/passes/program/ordinary.mlir

#include "passes/edit/rewrite.h"
#include "passes/program/tensor_steps.h"

// The column of the indices that says dimension d of the source, -1 if none does.
static intptr_t column_of(MlirAttribute dims, intptr_t d) {
  for (intptr_t k = 0; k < mlirDenseArrayGetNumElements(dims); ++k)
    if (mlirDenseI64ArrayGetElement(dims, k) == d)
      return k;
  return -1;
}

bool sn_gather_linalg(SnBuilder *b, MlirRewriterBase base, MlirOperation op) {
  MlirValue x = sn_operand(op, 0), indices = sn_operand(op, 1);
  MlirType t = sn_type_of(sn_result(op, 0)), index = sn_index_type(b->ctx);
  MlirAttribute dims = sn_get_attr(op, "gather_dims");
  intptr_t rank = sn_rank(t), of = sn_rank(sn_type_of(x)), batch = sn_rank(sn_type_of(indices)) - 1,
           n = mlirDenseArrayGetNumElements(dims);
  bool keeps = rank == batch + of; // dimensions of size 1 for those that are gathered
  if (rank > SN_MAX_DIMS)
    return sn_no(op, "more than %d dimensions", SN_MAX_DIMS);
  SnValueVec operands = {0}, sizes = {0};
  MlirAttribute maps[SN_MAX_DIMS + 1], kinds[SN_MAX_DIMS];
  MlirType types[SN_MAX_DIMS + 1];
  MlirLocation locs[SN_MAX_DIMS + 1];
  for (intptr_t k = 0; k < n; ++k) {
    MlirAffineExpr place[SN_MAX_DIMS];
    for (intptr_t d = 0; d < batch; ++d)
      place[d] = mlirAffineDimExprGet(b->ctx, d);
    place[batch] = mlirAffineConstantExprGet(b->ctx, k);
    maps[k] = mlirAffineMapAttrGet(mlirAffineMapGet(b->ctx, rank, 0, batch + 1, place));
    types[k] = sn_element(sn_type_of(indices));
    locs[k] = b->loc;
    sn_push(&operands, indices);
  }
  for (intptr_t d = 0, from = 0; d < rank; ++d) {
    kinds[d] = sn_parse_attr(b->ctx, "#linalg.iterator_type<parallel>");
    for (; !keeps && d >= batch && column_of(dims, from) >= 0; ++from) {
    }
    if (sn_dim(t, d) == SN_DYNAMIC)
      sn_push(&sizes, sn(b, "tensor.dim", d < batch ? indices : x, sn_index(b, d < batch ? d : from), index));
    from += d >= batch;
  }
  sn_push(&operands, sn(b, "tensor.empty", sn_values((intptr_t)sizes.size, sizes.data), t));
  maps[n] = mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(b->ctx, rank));
  types[n] = sn_element(t);
  locs[n] = b->loc;
  MlirBlock block = mlirBlockCreate(n + 1, types, locs);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  SnBuilder in = sn_at_end(block, b->loc);
  MlirValue at[SN_MAX_DIMS];
  for (intptr_t d = 0, to = batch; d < of; ++d) {
    intptr_t k = column_of(dims, d);
    if (k >= 0) {
      MlirValue v = mlirBlockGetArgument(block, k);
      at[d] = mlirTypeIsAIndex(types[k]) ? v : sn(&in, "arith.index_cast", v, index);
      to += keeps;
    } else {
      at[d] = sn(&in, "linalg.index", index, sn_attr("dim", sn_i64(b->ctx, to++)));
    }
  }
  MlirValue v = sn(&in, "tensor.extract", x, sn_values(of, at), sn_element(t));
  sn_op(&in, "linalg.yield", v, sn_types(0, NULL));
  MlirValue made = sn(b, "linalg.generic", sn_values(n + 1, operands.data), t, region,
                      sn_attr("indexing_maps", mlirArrayAttrGet(b->ctx, n + 1, maps)),
                      sn_attr("iterator_types", mlirArrayAttrGet(b->ctx, rank, kinds)),
                      sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){(int32_t)n, 1})));
  mlirRewriterBaseReplaceOpWithValues(base, op, 1, &made);
  sn_vec_free(&operands);
  sn_vec_free(&sizes);
  return true;
}
