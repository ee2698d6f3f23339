// step_gradients.c: the gradient of what is defined in steps.
//
//   %l = sinter.steps ins(%x, %t) values(%e)              %l, %dx = sinter.steps ins(%x, %t, %g) outs(%d) values(%e)
//   %dx = sinter.differentiate %l upstream(%g) wrt(%x)  ->
//
// The body says its own gradient (expand/step_uses.c): value and gradient are one kernel wherever what reads the
// value can wait for it. It is made again with its gradient, in front of the old one if the upstream gradient is known
// there; where the value is read before that is, there are two.
//
// test: test/passes/differentiate/step_gradients.mlir

#include "passes/differentiate/tm_gradients.h"
#include "passes/expand/step_uses.h"
#include "passes/program/tensor_steps.h"

static bool is_before(MlirOperation a, MlirOperation b) {
  for (MlirOperation op = a; !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (mlirOperationEqual(op, b))
      return !mlirOperationEqual(a, b);
  return false;
}

// Steps that no definition wrote.
static bool is_linear(MlirOperation steps) {
  return sn_get_attr(steps, SN_SUMS_OF_RANGES).ptr || sn_get_attr(steps, SN_SPREAD_OVER_RANGES).ptr ||
         sn_get_attr(steps, SN_RECURRENCE).ptr;
}

static void through_linear(SnBuilder *b, MlirOperation steps, MlirValue upstream, const bool *active,
                           const MlirType *elements, SnGive give, void *user) {
  MlirValue y = sn_result(steps, 0);
  if (sn_none(upstream))
    upstream = sn_elementwise_form(b, sn_wide_type(sn_element(sn_type_of(y))), y, 0, NULL, NULL, false, 1);
  if (sn_get_attr(steps, SN_SUMS_OF_RANGES).ptr)
    give(user, 2, sn_sums_gradient(b, steps, upstream, elements[2]));
  else if (sn_get_attr(steps, SN_SPREAD_OVER_RANGES).ptr)
    give(user, 0, sn_spread_gradient(b, steps, upstream));
  else
    sn_recurrence_gradient(b, steps, upstream, active, give, user);
}

bool sn_differentiate_steps(SnBuilder *b, MlirOperation steps, const SnGradient *upstreams, const bool *active,
                            const MlirType *elements, SnGive give, void *user) {
  MlirValue upstream = upstreams[0].value;
  if (is_linear(steps)) {
    through_linear(b, steps, upstream, active, elements, give, user);
    return true;
  }
  intptr_t by = -1, inputs = mlirDenseI32ArrayGetElement(sn_get_attr(steps, "operandSegmentSizes"), 0);
  for (intptr_t k = 0; k < inputs; ++k) {
    if (!active[k])
      continue;
    if (!sn_steps_has_gradient(steps, k)) {
      sn_error(steps,
               "stands between the loss and what the loss is differentiated by, and its steps say no gradient with "
               "respect to operand %td",
               k);
      return false;
    }
    by = k;
  }
  if (by < 0)
    return true;
  // Where %g is known, and then whether all that reads the value comes behind.
  MlirOperation def = sn_none(upstream) ? (MlirOperation){0} : sn_definer(upstream);
  bool early = sn_null(def) ||
               (mlirBlockEqual(mlirOperationGetBlock(def), mlirOperationGetBlock(steps)) && is_before(def, steps));
  MlirValue value = sn_result(steps, 0);
  MlirOperation made = sn_steps_gradient(early ? sn_before(steps) : *b, steps, upstream);
  bool all_behind = true;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    all_behind &= is_before(made, mlirOpOperandGetOwner(use));
  if (early || all_behind)
    mlirValueReplaceAllUsesOfWith(value, sn_result(made, 1));
  give(user, (size_t)by, sn_result(made, 0));
  return true;
}

// Those whose value is read no more, and the definitions, which gradients were made of.
void sn_drop_unused_steps(MlirOperation root) {
  SnOpVec definitions = sn_collect(root, "sinter.define_steps");
  for (size_t k = 0; k < definitions.size; ++k)
    mlirOperationDestroy(definitions.data[k]);
  sn_vec_free(&definitions);
  SnOpVec all = sn_collect(root, "sinter.steps");
  for (size_t k = 0; k < all.size; ++k)
    if (sn_num_results(all.data[k]) && sn_unused(all.data[k]))
      mlirOperationDestroy(all.data[k]);
  sn_vec_free(&all);
}
