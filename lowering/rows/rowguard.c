// rowguard.c: phases that matter only where a condition holds.
//
//   %m = sinter.row_reduce maximumf %x
//   %nan = arith.cmpf uno, %m, %m
//   %p = sinter.row_reduce minsi ...        its only way out is
//   %r = arith.select %nan, %p, %q          so its loop runs where %nan holds: almost never
//
// Scalars cost nothing beside a pass over the row; what a select takes from its first side need not be computed where
// the condition is false.
//
// test: test/lowering/cpu/guards.mlir

#include "lowering/rows/rowprogram.h"

// The condition under which a value matters, if there is one that is known in this phase; everything that uses it
// has to lead there. `found` is null before the first.
static bool guarded(const SnRowProgram *p, MlirValue v, int phase, int depth, MlirValue *found) {
  if (depth > 32)
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!mlirBlockEqual(mlirOperationGetBlock(user), p->block) ||
        !sn_num_results(user)) // a combiner's region, an assert, the yield
      return false;
    if (sn_is(user, "arith.select") && !sn_is_row(sn_operand(user, 0)) && mlirOpOperandGetOperandNumber(use) == 1 &&
        !sn_same(sn_operand(user, 2), v) && !sn_same(sn_operand(user, 0), v) &&
        sn_row_level(p, sn_operand(user, 0)) <= phase) {
      if (!sn_none(*found) && !sn_same(*found, sn_operand(user, 0)))
        return false;
      *found = sn_operand(user, 0);
      continue;
    }
    for (intptr_t k = 0; k < sn_num_results(user); ++k)
      if (!guarded(p, sn_result(user, k), phase, depth + 1, found))
        return false;
  }
  return true;
}

MlirValue sn_row_guard(const SnRowProgram *p, int phase) {
  const SnPhase *at = &p->phases.data[phase];
  MlirValue found = {0}, none = {0};
  if (at->yields.size || !at->reduces.size)
    return none;
  for (size_t i = 0; i < p->kept.size; ++i)
    if (p->kept.data[i].first == phase)
      return none; // later phases read what this one stores
  for (size_t i = 0; i < at->reduces.size; ++i)
    if (!guarded(p, sn_result(at->reduces.data[i], 0), phase, 0, &found))
      return none;
  return found;
}
