// cpu_forms.c: what a CPU's schedule makes of a form. See cpu_forms.h.
//
// test: test/passes/schedule/along.mlir

#include "dialect/row_ops.h"
#include "lowering/facts/cpu_forms.h"

bool sn_cpu_has_strips(const SnRowProgram *p) {
  const SnPhase *first = &p->phases.data[0];
  if (!first->reduces.size || first->yields.size || first->reduces.size > 4)
    return false;
  for (size_t i = 0; i < first->reduces.size; ++i)
    if (!sn_get_attr(first->reduces.data[i], "kind").ptr)
      return false;
  // What is known before the first phase is computed again for each of its columns.
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "cf.assert") || (sn_row_op_reads_elsewhere(op) && !sn_row_level(p, sn_result(op, 0))))
      return false;
  return true;
}
