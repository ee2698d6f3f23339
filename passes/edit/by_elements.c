// by_elements.c: a body that goes element by element, at one column.
//
//   ^row(%x: tensor<8xf32>, %s: f32):                       ^row(%x: f32, %s: f32):
//   %b = sinter.broadcast %s : f32 -> tensor<8xf32>   ->
//   %y = arith.mulf %x, %b : tensor<8xf32>                  %y = arith.mulf %x, %s : f32
//
// test: test/passes/split/few.mlir, test/passes/simplify/unit_dims.mlir

#include "dialect/row_ops.h"
#include "passes/edit/edit.h"

// A reduction by a combiner with a name, to the type that the row has.
static bool is_plain_reduce(MlirOperation op) {
  return sn_is_reduce(op, NULL) && sn_get_attr(op, "kind").ptr &&
         mlirTypeEqual(sn_element(sn_type_of(sn_operand(op, 0))), sn_type_of(sn_result(op, 0)));
}

static bool goes_by_elements(const SnForm *f, bool of_one) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !mlirOperationEqual(op, mlirBlockGetTerminator(f->body));
       op = mlirOperationGetNextInBlock(op)) {
    const SnRowOp *line = sn_row_op_of(op);
    bool reduces = of_one && is_plain_reduce(op);
    if (!line || (!reduces && (sn_num_results(op) != 1 || mlirOperationGetNumRegions(op) ||
                               (line->position && !line->names_dim) ||
                               (line->first != SN_READS_COLUMN && line->first != SN_READS_NOTHING))))
      return false;
  }
  return true;
}

bool sn_goes_by_elements(const SnForm *f) { return goes_by_elements(f, false); }
bool sn_goes_by_one_element(const SnForm *f) { return goes_by_elements(f, true); }

void sn_copy_body_by_elements(SnBuilder *b, const SnForm *f, const SnForm *to, const MlirValue *sums) {
  SnMap map = {0};
  SnValueVec yields = {0};
  for (size_t p = 0; p < f->products.size && sums; ++p)
    sn_map(&map, sn_product_argument(f, p), sums[p]);
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    sn_map(&map, sn_input_argument(f, k), sn_input_argument(to, to->inputs.size - f->inputs.size + k));
  MlirOperation end = mlirBlockGetTerminator(f->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    const SnRowOp *line = sn_row_op_of(op);
    MlirValue was = sn_result(op, 0), is, operands[SN_MAX_ELEMENTWISE];
    intptr_t n = sn_num_operands(op);
    for (intptr_t i = 0; i < n; ++i)
      operands[i] = sn_lookup(&map, sn_operand(op, i));
    MlirType element = sn_element(sn_type_of(was));
    b->loc = mlirOperationGetLocation(op);
    if (line->id == SN_OP_constant)
      is = sn_constant(b, sn_constant_of(was));
    else if ((line->cost == SN_COST_NONE && line->first == SN_READS_COLUMN) || is_plain_reduce(op))
      is = operands[0]; // a broadcast, a detach, what one element is reduced to
    else
      is = sn_result(sn_clone_as(b, op, sn_values(n, operands), sn_types(1, &element)), 0);
    sn_map(&map, was, is);
  }
  for (intptr_t k = 0; k < sn_num_operands(end); ++k)
    sn_push(&yields, sn_lookup(&map, sn_operand(end, k)));
  sn_op(b, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  sn_vec_free(&yields);
  sn_map_free(&map);
}
