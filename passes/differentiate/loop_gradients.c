// loop_gradients.c: a scf.for backwards.
//
//   %y = scf.for %i = 0 to %n iter_args(%a = %x) {        %dx, %dw = scf.for %t = 0 to %n iter_args(%g = %dy, %s = 0) {
//     %b = f(%a, %w)                                 ->     %a = the tape of %a[%n - 1 - %t]
//     scf.yield %b                                          %b = f(%a, %w), and its gradients by %a and %w, of %g
//   }                                                       scf.yield %da, %s + %dw
//
// A turn is computed once more from what it began with, which the loop keeps where the reverse reads it
// (differentiate/tapes.c). Sizes of what is carried are those that the loop began with.
//
// runs in: differentiate    test: test/passes/differentiate/loop_gradients.mlir, test/run/loop_gradients.test

#include "capi/size_parts.h"
#include "passes/differentiate/graph.h"
#include "passes/edit/edit.h"

typedef struct {
  SnGraph *g;
  MlirOperation loop, reverse; // the loop, and the one that goes back
  SnTurns turns;
  SnValueVec captured, stand; // what is read from outside; in the reverse, what stands for what is carried
  SnValueVec begin;           // what the reverse begins with: gradients of results, then by what is captured
} Loop;

static bool is_active(const Loop *l, intptr_t k) { return sn_graph_depends(l->g, sn_result(l->loop, k)); }

// A gradient of a result, whose sizes are those that the loop begins with.
static MlirValue with_sizes(SnBuilder *b, MlirValue v, MlirValue init) {
  MlirType t = sn_type_of(v);
  int64_t none[SN_MAX_DIMS], sizes[SN_MAX_DIMS], ones[SN_MAX_DIMS];
  SnValueVec open = {0};
  for (intptr_t p = 0; p < sn_rank(t); ++p) {
    none[p] = 0;
    ones[p] = 1;
    sizes[p] = sn_dim(t, p);
    if (sizes[p] == SN_DYNAMIC)
      sn_push(&open, sn_emit_size(b, init, p));
  }
  if (open.size)
    v = sn(b, "tensor.extract_slice", v, sn_values((intptr_t)open.size, open.data), t,
           sn_attr("static_offsets", mlirDenseI64ArrayGet(b->ctx, sn_rank(t), none)),
           sn_attr("static_sizes", mlirDenseI64ArrayGet(b->ctx, sn_rank(t), sizes)),
           sn_attr("static_strides", mlirDenseI64ArrayGet(b->ctx, sn_rank(t), ones)),
           sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 4, (int32_t[]){1, 0, (int32_t)open.size, 0})));
  sn_vec_free(&open);
  return v;
}

static void find_begin(Loop *l) {
  SnGraph *g = l->g;
  for (intptr_t k = 0; k < sn_num_results(l->loop); ++k) {
    MlirValue y = sn_result(l->loop, k);
    if (!is_active(l, k))
      continue;
    MlirValue dy = sn_graph_value(g, y, sn_wide_type(sn_element(sn_type_of(y))), sn_graph_sum(g, y));
    sn_push(&l->begin, with_sizes(&g->b, dy, sn_operand(l->loop, 3 + k)));
  }
  for (size_t k = 0; k < l->captured.size; ++k) {
    MlirValue w = l->captured.data[k];
    sn_push(&l->begin, sn_graph_value(g, w, sn_wide_type(sn_element(sn_type_of(w))), sn_graph_sum(g, w)));
  }
}

// A loop over index values that carries any number of values; its block has no terminator.
MlirOperation sn_carrying_loop(SnBuilder *b, MlirValue low, MlirValue high, MlirValue step, const SnValueVec *begin) {
  MlirType *types = sn_alloc((begin->size + 1) * sizeof *types);
  MlirLocation *locs = sn_alloc((begin->size + 1) * sizeof *locs);
  for (size_t k = 0; k <= begin->size; ++k) {
    types[k] = k ? sn_type_of(begin->data[k - 1]) : sn_index_type(b->ctx);
    locs[k] = b->loc;
  }
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, mlirBlockCreate((intptr_t)begin->size + 1, types, locs));
  MlirOperation loop = sn_op(b, "scf.for", low, high, step, sn_values((intptr_t)begin->size, begin->data),
                             sn_types((intptr_t)begin->size, types + 1), region);
  free(types);
  free(locs);
  return loop;
}

MlirOperation sn_counted_loop(SnBuilder *b, MlirValue turns, const SnValueVec *begin) {
  return sn_carrying_loop(b, sn_index(b, 0), turns, sn_index(b, 1), begin);
}

static MlirValue stand_for(SnBuilder *b, MlirType t) {
  return sn(b, "builtin.unrealized_conversion_cast", sn_values(0, NULL), sn_types(1, &t));
}

// The turn of the forward loop that the reverse is in, and the copy of its body.
static MlirValue copy_turn(Loop *l, SnBuilder *b, SnMap *map) {
  MlirBlock body = sn_control_block(l->loop, 0), back = sn_control_block(l->reverse, 0);
  MlirValue last = sn(b, "arith.subi", l->turns.turns, sn_index(b, 1));
  MlirValue turn = sn(b, "arith.subi", last, mlirBlockGetArgument(back, 0)), i = turn;
  if (!sn_is_constant(l->turns.step, 1))
    i = sn(b, "arith.muli", i, l->turns.step);
  if (!sn_is_constant(l->turns.low, 0))
    i = sn(b, "arith.addi", i, l->turns.low);
  if (!mlirTypeIsAIndex(l->turns.type))
    i = sn(b, "arith.index_cast", i, l->turns.type);
  sn_map(map, mlirBlockGetArgument(body, 0), i);
  for (intptr_t k = 0; k < sn_num_results(l->loop); ++k) {
    sn_push(&l->stand, stand_for(b, sn_type_of(sn_result(l->loop, k))));
    sn_map(map, mlirBlockGetArgument(body, k + 1), l->stand.data[k]);
  }
  sn_copy_ops(b, body, map);
  return turn;
}

// Sizes of what stands for a carried value are those of what the loop begins with. Whether any was asked for.
static bool replace_sizes(Loop *l, MlirValue stand, MlirValue init) {
  SnBuilder b = sn_before(l->reverse);
  SnOpVec dims = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(stand); use.ptr; use = mlirOpOperandGetNextUse(use)) {
    intptr_t d;
    if (sn_is(mlirOpOperandGetOwner(use), "tensor.dim") && sn_known_dim(mlirOpOperandGetOwner(use), &d))
      sn_push(&dims, mlirOpOperandGetOwner(use));
  }
  for (size_t k = 0; k < dims.size; ++k) {
    intptr_t d = 0;
    sn_known_dim(dims.data[k], &d);
    mlirValueReplaceAllUsesOfWith(sn_result(dims.data[k], 0), sn_emit_size(&b, init, d));
    mlirOperationDestroy(dims.data[k]);
  }
  bool any = dims.size;
  sn_vec_free(&dims);
  return any;
}

// What stands for carried values gives way to slices of tapes, and the block ends with gradients alone.
static void read_tapes(Loop *l, MlirOperation end, MlirValue turn) {
  SnBuilder outside = sn_before(l->reverse);
  for (size_t k = 0; k < l->stand.size; ++k) {
    MlirValue stand = l->stand.data[k], init = sn_operand(l->loop, 3 + (intptr_t)k);
    MlirType one = sn_type_of(stand);
    SnTape tape = {l->loop, (intptr_t)k, {0}};
    bool sizes = replace_sizes(l, stand, init);
    if (!sn_one_use(stand)) { // more than the end
      SnBuilder b = sn_after(sn_definer(turn));
      tape.stands = stand_for(&outside, sn_tape_type(one, l->turns.known));
      mlirValueReplaceAllUsesOfWith(stand, sn_tape_read(&b, tape.stands, turn, one, init));
    }
    if (sizes || !sn_none(tape.stands))
      sn_push(&l->g->tapes, tape);
  }
  SnValueVec gradients = {0};
  for (size_t k = 0; k < l->begin.size; ++k)
    sn_push(&gradients, sn_operand(end, (intptr_t)k));
  mlirOperationSetOperands(end, (intptr_t)gradients.size, gradients.data);
  sn_vec_free(&gradients);
  for (size_t k = 0; k < l->stand.size; ++k)
    mlirOperationDestroy(sn_definer(l->stand.data[k]));
}

static bool reverse_turn(Loop *l) {
  SnGraph *g = l->g;
  MlirBlock back = sn_control_block(l->reverse, 0);
  MlirOperation yield = mlirBlockGetTerminator(sn_control_block(l->loop, 0));
  SnBuilder b = sn_at_end(back, g->b.loc);
  SnMap map = {0};
  SnBlockGradient s;
  SnValueVec losses = {0}, keep = {0};
  SN_VEC(SnGradient) upstream = {0};
  MlirValue turn = copy_turn(l, &b, &map);
  sn_push(&keep, turn);
  for (size_t k = 0; k < l->stand.size; ++k)
    sn_push(&keep, l->stand.data[k]);
  intptr_t argument = 1;
  sn_block_begin(&s, back, g->b.loc);
  for (intptr_t k = 0; k < sn_num_results(l->loop); ++k) {
    if (!is_active(l, k))
      continue;
    sn_push(&losses, sn_lookup(&map, sn_operand(yield, k)));
    sn_push(&upstream, ((SnGradient){true, mlirBlockGetArgument(back, argument++)}));
    sn_block_by(&s, l->stand.data[k], (SnGradient){0});
  }
  for (size_t k = 0; k < l->captured.size; ++k)
    sn_block_by(&s, l->captured.data[k], (SnGradient){true, mlirBlockGetArgument(back, argument++)});
  MlirOperation end = sn_block_end(&s, (intptr_t)losses.size, losses.data, upstream.data, &keep);
  if (!sn_null(end))
    read_tapes(l, end, turn);
  sn_map_free(&map);
  sn_vec_free(&losses);
  sn_vec_free(&keep);
  sn_vec_free(&upstream);
  return !sn_null(end);
}

bool sn_loop_gradient(SnGraph *g, MlirOperation loop) {
  Loop l = {.g = g, .loop = loop, .turns = sn_turns_of(loop), .captured = sn_control_captured(g, loop)};
  find_begin(&l);
  l.reverse = sn_counted_loop(&g->b, l.turns.turns, &l.begin);
  bool ok = reverse_turn(&l);
  intptr_t active = 0;
  for (intptr_t k = 0; k < sn_num_results(loop); ++k)
    active += is_active(&l, k);
  for (size_t k = 0; k < l.captured.size && ok; ++k)
    sn_graph_set(g, l.captured.data[k], sn_result(l.reverse, active + (intptr_t)k));
  for (intptr_t k = 0, r = 0; k < sn_num_results(loop) && ok; ++k) {
    MlirValue init = sn_operand(loop, 3 + k);
    if (!is_active(&l, k))
      continue;
    if (sn_graph_depends(g, init))
      sn_graph_add(g, init, (SnGradient){true, sn_result(l.reverse, r)});
    ++r;
  }
  sn_vec_free(&l.captured);
  sn_vec_free(&l.stand);
  sn_vec_free(&l.begin);
  return ok;
}
