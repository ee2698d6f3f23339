// while_gradients.c: a scf.while backwards.
//
//   %y = scf.while (%a = %x) {           %y, %n = the same, with its turns counted
//     condition %c, f(%a)         ->     %s = scf.for %n times (%a = %x) { g(f(%a)) }
//   } do { yield g(%b) }                 %y' = f(%s), and from there back through that loop
//
// How often it turns is known only behind it, so it runs once more as a loop that can keep what it carries.
//
// runs in: differentiate    test: test/passes/differentiate/loop_gradients.mlir, test/run/loop_gradients.test

#include "capi/shim.h"
#include "passes/differentiate/graph.h"
#include "passes/edit/edit.h"

// A copy of block k of the loop where the builder stands, of these arguments; `next` is what it ends with.
static void copy_block(SnBuilder *b, MlirOperation loop, intptr_t k, const SnValueVec *arguments, SnValueVec *next) {
  MlirBlock block = sn_control_block(loop, k);
  MlirOperation end = mlirBlockGetTerminator(block);
  SnMap map = {0};
  for (size_t i = 0; i < arguments->size; ++i)
    sn_map(&map, mlirBlockGetArgument(block, (intptr_t)i), arguments->data[i]);
  sn_copy_ops(b, block, &map);
  next->size = 0;
  for (intptr_t i = k == 0; i < sn_num_operands(end); ++i) // the first of a scf.condition is the condition
    sn_push(next, sn_lookup(&map, sn_operand(end, i)));
  sn_map_free(&map);
}

// So many turns as a scf.for, then what the loop does before its condition: its results, in `to`.
static void run_again(SnBuilder *b, MlirOperation loop, MlirValue turns, SnValueVec *to) {
  SnValueVec begin = {0}, inside = {0}, middle = {0};
  for (intptr_t k = 0; k < sn_num_operands(loop); ++k)
    sn_push(&begin, sn_operand(loop, k));
  MlirOperation again = sn_counted_loop(b, turns, &begin);
  MlirBlock body = sn_control_block(again, 0);
  SnBuilder in = sn_at_end(body, b->loc);
  for (size_t k = 0; k < begin.size; ++k)
    sn_push(&inside, mlirBlockGetArgument(body, (intptr_t)k + 1));
  copy_block(&in, loop, 0, &inside, &middle);
  copy_block(&in, loop, 1, &middle, &inside);
  sn_op(&in, "scf.yield", sn_values((intptr_t)inside.size, inside.data), sn_types(0, NULL));
  for (size_t k = 0; k < begin.size; ++k)
    begin.data[k] = sn_result(again, (intptr_t)k);
  copy_block(b, loop, 0, &begin, to);
  sn_vec_free(&begin);
  sn_vec_free(&inside);
  sn_vec_free(&middle);
}

// What stands in the block moves in front of the op that it is in; its last op, with the gradients, stays.
static void move_out(MlirOperation around, MlirOperation end) {
  SnBuilder b = sn_before(around);
  SnMap none = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirOperationGetBlock(end)), next; !mlirOperationEqual(op, end);
       op = next) {
    next = mlirOperationGetNextInBlock(op);
    sn_move(&b, op, &none);
  }
  sn_map_free(&none);
}

bool sn_while_gradient(SnGraph *g, MlirOperation loop) {
  SnValueVec captured = sn_control_captured(g, loop), losses = {0}, none = {0}, by = {0};
  SN_VEC(SnGradient) upstream = {0};
  MlirType index = sn_index_type(g->b.ctx);
  MlirValue turns = sn(&g->b, "builtin.unrealized_conversion_cast", sn_values(0, NULL), sn_types(1, &index));
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, block);
  MlirOperation around = sn_op(&g->b, "scf.execute_region", region, sn_types(0, NULL));
  SnBuilder b = sn_at_end(block, g->b.loc);
  SnBlockGradient s;
  run_again(&b, loop, turns, &losses);
  sn_block_begin(&s, block, g->b.loc);
  for (intptr_t k = 0; k < sn_num_operands(loop); ++k)
    if (sn_graph_depends(g, sn_operand(loop, k)))
      sn_block_by(&s, sn_operand(loop, k), sn_graph_sum(g, sn_operand(loop, k)));
  for (size_t k = 0; k < captured.size; ++k)
    sn_block_by(&s, captured.data[k], sn_graph_sum(g, captured.data[k]));
  for (size_t k = 0; k < s.by.size; ++k)
    sn_push(&by, s.by.data[k]);
  for (intptr_t k = 0; k < sn_num_results(loop); ++k) {
    bool active = sn_graph_depends(g, sn_result(loop, k));
    sn_push(&upstream, active ? sn_graph_sum(g, sn_result(loop, k)) : (SnGradient){0});
  }
  MlirOperation end = sn_block_end(&s, (intptr_t)losses.size, losses.data, upstream.data, &none);
  bool ok = !sn_null(end);
  if (ok) {
    move_out(around, end);
    for (size_t k = 0; k < by.size; ++k)
      sn_graph_set(g, by.data[k], sn_operand(end, (intptr_t)k));
    mlirOperationDestroy(around);
    sn_push(&g->tapes, ((SnTape){loop, 0, turns}));
  }
  sn_vec_free(&captured);
  sn_vec_free(&losses);
  sn_vec_free(&by);
  sn_vec_free(&upstream);
  return ok;
}
