// reached.c: the inputs of a row program that gradients come back to.
//
//   ^row(%x, %z):  %k = sinter.detach %x
//                  %y = arith.addf %z, %k                      z alone: nothing is asked of what made x, where a
//                  sinter.yield %y                             derivative may be infinite, and 0 * infinity no number
//
// From what is yielded, back through operations whose gradient is not zero everywhere.
//
// runs in: differentiate    test: test/passes/differentiate/detach.mlir, test/python/functions.test

#include "passes/differentiate/differentiate.h"

typedef struct {
  SnTable reached; // values
} Reach;

static void take(Reach *r, MlirValue v) { sn_table_put(&r->reached, v.ptr, 1); }
static bool has(const Reach *r, MlirValue v) { return sn_table_has(&r->reached, v.ptr); }

static MlirWalkResult take_operands(MlirOperation op, void *user) {
  for (intptr_t i = 0; i < sn_num_operands(op); ++i)
    take(user, sn_operand(op, i));
  return MlirWalkResultAdvance;
}

// Of a block whose yielded values are taken.
static void go_back(Reach *r, MlirBlock block) {
  SnOpVec ops = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    sn_push(&ops, op);
  for (size_t i = ops.size; i-- > 0;) {
    bool any = false;
    for (intptr_t k = 0; k < sn_num_results(ops.data[i]); ++k)
      any |= has(r, sn_result(ops.data[i], k));
    if (any && sn_passes_on(ops.data[i]))
      mlirOperationWalk(ops.data[i], take_operands, r, MlirWalkPreOrder); // a combiner reads from around it, too
  }
  sn_vec_free(&ops);
}

void sn_find_reached(MlirOperation form, const SnGradient *upstream, bool *reached) {
  SnForm f = sn_form_read(form);
  Reach r = {0};
  MlirOperation yield = mlirBlockGetTerminator(f.body);
  MlirOperation last = f.finish.ptr ? mlirBlockGetTerminator(f.finish) : yield;
  for (size_t k = 0; k < f.outputs.size; ++k)
    if (!upstream || upstream[k].given)
      take(&r, sn_operand(sn_is_reduced(&f, k) ? last : yield, (intptr_t)sn_output_position(&f, k)));
  if (f.finish.ptr)
    go_back(&r, f.finish);
  for (size_t k = 0; k < f.accumulators.size && f.finish.ptr; ++k)
    if (has(&r, mlirBlockGetArgument(f.finish, (intptr_t)k)))
      take(&r, sn_operand(yield, (intptr_t)k));
  go_back(&r, f.body);
  for (size_t k = 0; k < f.inputs.size; ++k)
    reached[k] = has(&r, sn_input_argument(&f, k)) ||
                 (f.finish.ptr && sn_is_uniform(&f, k) && has(&r, sn_finish_argument(&f, k)));
  sn_table_free(&r.reached);
  sn_form_free(&f);
}
