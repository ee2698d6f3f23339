// steps.c: a sinter.steps read into plain C. See steps.h.

#include "dialect/steps.h"

bool sn_is_steps(MlirOperation op) { return sn_is(op, "sinter.steps"); }

SnSteps sn_steps_read(MlirOperation op) {
  MlirAttribute segments = sn_get_attr(op, "operandSegmentSizes");
  return (SnSteps){.op = op,
                   .rows = (intptr_t)sn_int_attr(op, "rows", 0),
                   .inputs = mlirDenseI32ArrayGetElement(segments, 0),
                   .outputs = mlirDenseI32ArrayGetElement(segments, 1),
                   .values = mlirDenseI32ArrayGetElement(segments, 2),
                   .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)),
                   .finish = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1)),
                   .schedule = sn_get_attr(op, "schedule")};
}

bool sn_steps_is_sum(const SnSteps *s, intptr_t k) { return sn_rank(sn_type_of(sn_steps_value(s, k))) == 0; }

intptr_t sn_steps_sums(const SnSteps *s) {
  intptr_t n = 0;
  for (intptr_t k = 0; k < s->values; ++k)
    n += sn_steps_is_sum(s, k);
  return n;
}

SnOpVec sn_steps_scratch(const SnSteps *s) {
  SnOpVec found = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(s->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "memref.alloca"))
      sn_push(&found, op);
  return found;
}

// ---- one step ------------------------------------------------------------------------

SnLanes sn_step_read(MlirOperation op) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  return (SnLanes){.op = op,
                   .reduce = mlirBlockGetTerminator(body),
                   .from = sn_operand(op, 0),
                   .to = sn_operand(op, 1),
                   .by = sn_operand(op, 2),
                   .n = sn_num_results(op)};
}

static MlirBlock combination(const SnLanes *s, intptr_t k) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(s->reduce, k));
}

const SnCombiner *sn_step_combiner(const SnLanes *s, intptr_t k) {
  MlirBlock block = combination(s, k);
  MlirOperation op = mlirBlockGetFirstOperation(block), end = mlirBlockGetTerminator(block);
  MlirValue a = mlirBlockGetArgument(block, 0), b = mlirBlockGetArgument(block, 1);
  if (sn_num_operands(op) != 2 || !mlirOperationEqual(mlirOperationGetNextInBlock(op), end) ||
      !sn_same(sn_operand(end, 0), sn_result(op, 0)))
    return NULL;
  bool both = (sn_same(sn_operand(op, 0), a) && sn_same(sn_operand(op, 1), b)) ||
              (sn_same(sn_operand(op, 0), b) && sn_same(sn_operand(op, 1), a));
  return both ? sn_combiner_of_op(op) : NULL;
}
