// counts.c: operands that only count, counted where a body looks something up by them.
//
//   %n = linalg.generic outs(%e) { linalg.index 0 }
//   linalg.generic {map (i, j) -> (j)} ins(%n) {        ->   linalg.generic ins(%n) {
//   ^bb0(%k: i64, ...): tensor.extract %x[..., %k]             tensor.extract %x[..., linalg.index 1]
//
// Exporters spell x[arange(n)[:, None], arange(m)] so, in masks of attention: read from memory a subscript may be
// anything, and the table is whole in every kernel that reads it. Counted, it is an access (lookups.c).
//
// runs in: raise    test: test/passes/raise/lookups.mlir

#include "passes/raise/raise.h"

static MlirAffineMap map_of(MlirOperation op, intptr_t k) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(sn_get_attr(op, "indexing_maps"), k));
}

static MlirBlock body_of(MlirOperation op) { return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)); }

static bool looks_up(MlirOperation op) {
  for (MlirOperation in = mlirBlockGetFirstOperation(body_of(op)); !sn_null(in); in = mlirOperationGetNextInBlock(in))
    if (sn_is(in, "tensor.extract"))
      return true;
  return false;
}

// A linalg.generic without inputs that makes integers of its loops and constants alone.
static bool is_count(MlirOperation op) {
  if (sn_null(op) || !sn_is(op, "linalg.generic") || sn_num_operands(op) != 1 || sn_num_results(op) != 1)
    return false;
  MlirBlock body = body_of(op);
  if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(body, 0))))
    return false;
  for (MlirOperation in = mlirBlockGetFirstOperation(body); !sn_null(in); in = mlirOperationGetNextInBlock(in)) {
    bool integer =
        sn_is(in, "arith.addi") || sn_is(in, "arith.subi") || sn_is(in, "arith.muli") || sn_is(in, "arith.index_cast");
    if (!integer && !sn_is(in, "linalg.index") && !sn_is(in, "linalg.yield"))
      return false;
    for (intptr_t k = 0; k < sn_num_operands(in); ++k) {
      MlirValue v = sn_operand(in, k);
      bool inside = !mlirValueIsABlockArgument(v) && mlirBlockEqual(mlirOperationGetBlock(sn_definer(v)), body);
      if (!inside && !sn_constant_of(v).ptr)
        return false;
    }
  }
  return true;
}

// The loop of op that counts what loop d of `count` does, which makes its operand k; -1: none alone.
static intptr_t loop_for(MlirOperation op, intptr_t k, MlirOperation count, intptr_t d) {
  MlirAffineMap made = map_of(count, 0), read = map_of(op, k);
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(made); ++p)
    if (sn_map_dim(made, p) == d)
      return sn_map_dim(read, p);
  return -1;
}

static bool has_loops(MlirOperation op, intptr_t k, MlirOperation count) {
  for (intptr_t d = 0; d < mlirAffineMapGetNumDims(map_of(count, 0)); ++d)
    if (loop_for(op, k, count, d) < 0)
      return false;
  return true;
}

void sn_raise_take_counts(MlirOperation op) {
  if (!sn_is(op, "linalg.generic") || !looks_up(op))
    return;
  for (intptr_t k = 0; k < sn_num_operands(op) - sn_num_results(op); ++k) {
    MlirOperation count = sn_definer(sn_operand(op, k));
    if (!is_count(count) || !has_loops(op, k, count))
      continue;
    MlirValue argument = mlirBlockGetArgument(body_of(op), k);
    SnBuilder b = sn_at_start(body_of(op), mlirOperationGetLocation(op));
    SnMap map = {0};
    MlirOperation end = mlirBlockGetTerminator(body_of(count));
    for (MlirOperation in = mlirBlockGetFirstOperation(body_of(count)); !mlirOperationEqual(in, end);
         in = mlirOperationGetNextInBlock(in)) {
      if (sn_is(in, "linalg.index"))
        sn_map(&map, sn_result(in, 0),
               sn(&b, "linalg.index", sn_index_type(b.ctx),
                  sn_attr("dim", sn_i64(b.ctx, loop_for(op, k, count, sn_int_attr(in, "dim", 0))))));
      else
        sn_clone(&b, in, &map);
    }
    MlirValue v = sn_mapped(&map, sn_operand(end, 0));
    mlirValueReplaceAllUsesOfWith(argument, sn_none(v) ? sn_operand(end, 0) : v);
    sn_map_free(&map);
  }
}
