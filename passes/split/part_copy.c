// part_copy.c: a value of a form's body, made again for a part of a dimension.
//
// runs in: split    test: test/passes/split/again.mlir, test/passes/split/reduced.mlir

#include "lowering/rows/rowmemory.h"
#include "passes/split/pieces.h"

enum { NE = 1 }; // of arith.cmpi; eq is 0

// A position in a part, x + first, is the number t where x is t - first: who emits a row knows what is compared so.
static MlirValue compared_from_first(SnBuilder *b, MlirValue compared) {
  MlirOperation compare = sn_def(compared, "arith.cmpi");
  if (sn_null(compare) || sn_int_attr(compare, "predicate", NE + 1) > NE)
    return compared;
  for (int k = 0; k < 2; ++k) {
    MlirValue at = sn_operand(compare, k), t = sn_broadcast_of(sn_operand(compare, 1 - k));
    MlirOperation cast = sn_def(at, "arith.index_cast"),
                  sum = sn_def(sn_null(cast) ? at : sn_operand(cast, 0), "arith.addi");
    for (int i = 0; i < 2 && !sn_none(t) && !sn_null(sum) && sn_bits(sn_element(sn_type_of(at))) >= 64; ++i) {
      MlirValue first = sn_broadcast_of(sn_operand(sum, i)), x = sn_operand(sum, 1 - i);
      if (sn_none(first) || sn_null(sn_def(x, "sinter.index")))
        continue;
      t = mlirTypeIsAIndex(sn_type_of(t)) ? t : sn(b, "arith.index_cast", t, sn_index_type(b->ctx));
      MlirValue both[] = {x, sn(b, "arith.subi", t, first)};
      return sn_elementwise(b, compare, 2, both);
    }
  }
  return compared;
}

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
  return compared_from_first(b, sn_elementwise(b, op, sn_num_operands(op), operands));
}

MlirValue sn_copy_in_part(SnBuilder *b, SnPartCopy *c, MlirValue v) {
  MlirValue made = sn_mapped(&c->made, v);
  if (sn_none(made)) {
    made = copy_of(b, c, sn_definer(v));
    sn_map(&c->made, v, made);
  }
  return made;
}
