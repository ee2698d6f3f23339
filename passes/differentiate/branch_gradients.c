// branch_gradients.c: a scf.if backwards.
//
//   %y = scf.if %c { f(%x) } else { g(%x) }    ->    %dx = scf.if %c { df(%x, %dy) } else { dg(%x, %dy) }
//
// Each branch is computed once more where its gradient is.
//
// runs in: differentiate    test: test/passes/differentiate/loop_gradients.mlir, test/run/loop_gradients.test

#include "passes/differentiate/graph.h"
#include "passes/edit/edit.h"

static bool reverse_branch(SnGraph *g, MlirOperation branch, intptr_t which, MlirBlock to, const SnValueVec *captured,
                           const SnGradient *upstream, const SnGradient *has) {
  MlirBlock from = sn_control_block(branch, which);
  MlirOperation yield = mlirBlockGetTerminator(from);
  SnBuilder b = sn_at_end(to, g->b.loc);
  SnMap map = {0};
  SnValueVec losses = {0}, none = {0};
  SnBlockGradient s;
  sn_copy_ops(&b, from, &map);
  for (intptr_t k = 0; k < sn_num_operands(yield); ++k) {
    bool active = sn_graph_depends(g, sn_result(branch, k));
    sn_push(&losses, active ? sn_lookup(&map, sn_operand(yield, k)) : (MlirValue){0});
  }
  sn_block_begin(&s, to, g->b.loc);
  for (size_t k = 0; k < captured->size; ++k)
    sn_block_by(&s, captured->data[k], has[k]);
  bool ok = !sn_null(sn_block_end(&s, (intptr_t)losses.size, losses.data, upstream, &none));
  sn_map_free(&map);
  sn_vec_free(&losses);
  return ok;
}

bool sn_branch_gradient(SnGraph *g, MlirOperation branch) {
  SnValueVec captured = sn_control_captured(g, branch);
  intptr_t n = sn_num_results(branch);
  SnGradient *upstream = sn_alloc(((size_t)n + 1) * sizeof *upstream);
  SnGradient *has = sn_alloc((captured.size + 1) * sizeof *has);
  MlirType *types = sn_alloc((captured.size + 1) * sizeof *types);
  for (intptr_t k = 0; k < n; ++k)
    upstream[k] = sn_graph_depends(g, sn_result(branch, k)) ? sn_graph_sum(g, sn_result(branch, k)) : (SnGradient){0};
  for (size_t k = 0; k < captured.size; ++k) {
    MlirType t = sn_type_of(captured.data[k]);
    has[k] = sn_graph_sum(g, captured.data[k]);
    types[k] = sn_tensor_like(t, sn_wide_type(sn_element(t)));
  }
  MlirRegion regions[2];
  MlirBlock blocks[2];
  for (int k = 0; k < 2; ++k) {
    regions[k] = mlirRegionCreate();
    blocks[k] = mlirBlockCreate(0, NULL, NULL);
    mlirRegionAppendOwnedBlock(regions[k], blocks[k]);
  }
  MlirOperation made = sn_op(&g->b, "scf.if", sn_operand(branch, 0), sn_types((intptr_t)captured.size, types),
                             regions[0], regions[1]);
  bool ok = true;
  for (intptr_t k = 0; k < 2 && ok; ++k)
    ok = reverse_branch(g, branch, k, blocks[k], &captured, upstream, has);
  for (size_t k = 0; k < captured.size && ok; ++k)
    sn_graph_set(g, captured.data[k], sn_result(made, (intptr_t)k));
  free(upstream);
  free(has);
  free(types);
  sn_vec_free(&captured);
  return ok;
}
