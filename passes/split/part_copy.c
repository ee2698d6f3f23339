// part_copy.c: a value of a form's body, made again for a part of a dimension.
//
// runs in: split    test: test/passes/split/again.mlir, test/passes/split/reduced.mlir

#include "lowering/rows/rowmemory.h"
#include "passes/split/pieces.h"

static MlirValue copy_of(SnBuilder *b, SnPartCopy *c, MlirOperation op) {
  const SnRowOp *line = sn_row_op_of(op);
  MlirValue operands[SN_MAX_ELEMENTWISE];
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    operands[k] = sn_copy_in_part(b, c, sn_operand(op, k));
  b->loc = mlirOperationGetLocation(op);
  if (line->id == SN_OP_constant)
    return sn_constant(b, sn_constant_of(sn_result(op, 0)));
  if (line->id == SN_OP_index) {
    intptr_t d = sn_row_named_dim(c->f, op);
    return d == c->dim ? c->position(b, c) : sn_position(b, c->to, d);
  }
  if (line->cost == SN_COST_NONE && line->first == SN_READS_COLUMN) // a broadcast, or a detach
    return operands[0];
  return sn_elementwise(b, op, sn_num_operands(op), operands);
}

MlirValue sn_copy_in_part(SnBuilder *b, SnPartCopy *c, MlirValue v) {
  MlirValue made = sn_mapped(&c->made, v);
  if (sn_none(made)) {
    made = copy_of(b, c, sn_definer(v));
    sn_map(&c->made, v, made);
  }
  return made;
}
