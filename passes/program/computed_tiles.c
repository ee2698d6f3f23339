// computed_tiles.c: linalg.pack into tiles whose sizes are computed.
//
//   linalg.pack %x inner_dims_pos = [0] inner_tiles = [%n] into %e  ->  tensor.generate { %x[o * %n + t], or the
//   padding }
//
// Upstream makes a tensor.pad and reshapes of a pack, which need tiles of known sizes; of an unpack it takes any.
//
// runs in: sinter-prepare    test: test/passes/program/computed_tiles.mlir, test/run/every_op.test

#include "capi/shim.h"
#include "passes/program/tensor_steps.h"

typedef struct {
  MlirValue source, padding; // null: tiles are whole
  intptr_t rank, tiled;      // dimensions of the source, and those of them that have tiles
  MlirAttribute order, places;
  MlirValue tile[SN_MAX_DIMS], size[SN_MAX_DIMS]; // of each tile, in the order of `places`; of the source
} Pack;

// Which tile a dimension of the source has; -1: none.
static intptr_t tile_of(const Pack *p, intptr_t d) {
  for (intptr_t k = 0; k < p->tiled; ++k)
    if (mlirDenseI64ArrayGetElement(p->places, k) == d)
      return k;
  return -1;
}

// What stands at a place of the packed tensor.
static MlirValue element_at(SnBuilder *in, const Pack *p, const MlirValue *at) {
  bool turned = p->order.ptr && mlirDenseArrayGetNumElements(p->order);
  MlirValue from[SN_MAX_DIMS], inside = {0};
  for (intptr_t d = 0; d < p->rank; ++d) {
    intptr_t to = turned ? mlirDenseI64ArrayGetElement(p->order, d) : d, k = tile_of(p, to);
    from[to] = at[d];
    if (k < 0)
      continue;
    from[to] = sn(in, "arith.addi", sn(in, "arith.muli", at[d], p->tile[k]), at[p->rank + k]);
    MlirValue fits = sn(in, "arith.cmpi", from[to], p->size[to], sn_attr("predicate", sn_i64(in->ctx, 6 /* ult */)));
    inside = sn_none(inside) ? fits : sn(in, "arith.andi", inside, fits);
  }
  bool padded = !sn_none(p->padding) && !sn_none(inside);
  for (intptr_t d = 0; d < p->rank && padded; ++d) // what is outside is not read
    if (tile_of(p, d) >= 0)
      from[d] = sn(in, "arith.select", inside, from[d], sn_index(in, 0));
  MlirValue x = sn(in, "tensor.extract", p->source, sn_values(p->rank, from), sn_element(sn_type_of(p->source)));
  return padded ? sn(in, "arith.select", inside, x, p->padding) : x;
}

bool sn_computed_tiles(SnBuilder *b, MlirRewriterBase base, MlirOperation op) {
  MlirAttribute tiles = sn_get_attr(op, "static_inner_tiles");
  Pack p = {.source = sn_operand(op, 0),
            .rank = sn_rank(sn_type_of(sn_operand(op, 0))),
            .order = sn_get_attr(op, "outer_dims_perm"),
            .places = sn_get_attr(op, "inner_dims_pos"),
            .tiled = mlirDenseArrayGetNumElements(tiles)};
  MlirValue packed = sn_operand(op, 1);
  MlirType t = sn_type_of(packed), index = sn_index_type(b->ctx), types[SN_MAX_DIMS];
  intptr_t next = 2;
  if (sn_rank(t) > SN_MAX_DIMS)
    return sn_no(op, "more than %d dimensions", SN_MAX_DIMS);
  if (mlirDenseI32ArrayGetElement(sn_get_attr(op, "operandSegmentSizes"), 2))
    p.padding = sn_operand(op, next++);
  for (intptr_t k = 0; k < p.tiled; ++k) {
    int64_t known = mlirDenseI64ArrayGetElement(tiles, k);
    p.tile[k] = known == SN_DYNAMIC ? sn_operand(op, next++) : sn_index(b, known);
  }
  for (intptr_t d = 0; d < p.rank; ++d)
    p.size[d] = sn(b, "tensor.dim", p.source, sn_index(b, d), index);
  SnValueVec sizes = {0};
  MlirLocation locs[SN_MAX_DIMS];
  MlirValue at[SN_MAX_DIMS];
  for (intptr_t d = 0; d < sn_rank(t); ++d) {
    types[d] = index;
    locs[d] = b->loc;
    if (sn_dim(t, d) == SN_DYNAMIC)
      sn_push(&sizes, sn(b, "tensor.dim", packed, sn_index(b, d), index));
  }
  MlirBlock block = mlirBlockCreate(sn_rank(t), types, locs);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    at[d] = mlirBlockGetArgument(block, d);
  SnBuilder in = sn_at_end(block, b->loc);
  sn_op(&in, "tensor.yield", element_at(&in, &p, at), sn_types(0, NULL));
  MlirValue made = sn(b, "tensor.generate", sn_values((intptr_t)sizes.size, sizes.data), t, region);
  sn_vec_free(&sizes);
  mlirRewriterBaseReplaceOpWithValues(base, op, 1, &made);
  return true;
}
