// rowsteps.c: the body of a sinter.steps, copied for one row. See rowsteps.h.
//
//   scf.parallel (%j) = (%a) to (%b) step (%c) init (%z) -> f32 {     scf.for %j = %a to %b step %c iter_args(%s = %z)
//   {
//     ...                                                         ->    ...
//     scf.reduce(%v : f32) { addf }                                     scf.yield (addf %s, %v)

#include "lowering/rows/rowsteps.h"
#include <assert.h>

// ---- scratch memory --------------------------------------------------------------

// The operand that an argument of the body stands for; it begins with the row.
static MlirValue operand_of(MlirValue argument, const MlirValue *operands) {
  return operands[mlirBlockArgumentGetArgNumber(argument) - 1];
}

static bool fold(MlirOperation op, int64_t x, int64_t y, int64_t *n) {
  if (sn_is(op, "arith.addi"))
    *n = x + y;
  else if (sn_is(op, "arith.subi"))
    *n = x - y;
  else if (sn_is(op, "arith.muli"))
    *n = x * y;
  else if (sn_is(op, "arith.minsi"))
    *n = x < y ? x : y;
  else if (sn_is(op, "arith.maxsi"))
    *n = x > y ? x : y;
  else
    return false;
  return true;
}

// An index of the body that only sizes and constants make.
static MlirValue size(SnBuilder *b, MlirValue v, const MlirValue *operands) {
  MlirOperation op = sn_definer(v);
  int64_t n, known[2];
  double number;
  if (sn_is(op, "memref.dim")) {
    MlirAttribute at = sn_constant_of(sn_operand(op, 1));
    return sn_dim_of(b, operand_of(sn_operand(op, 0), operands), (intptr_t)mlirIntegerAttrGetValueInt(at));
  }
  MlirAttribute constant = sn_constant_of(v);
  if (constant.ptr)
    return sn_index(b, mlirIntegerAttrGetValueInt(constant));
  if (sn_is(op, "arith.select") && sn_attr_number(sn_constant_of(sn_operand(op, 0)), &number))
    return size(b, sn_operand(op, number != 0 ? 1 : 2), operands);
  assert(sn_num_operands(op) == 2 && "the verifier checks what sizes are made of");
  MlirValue x = size(b, sn_operand(op, 0), operands), y = size(b, sn_operand(op, 1), operands);
  if (sn_known(x, &known[0]) && sn_known(y, &known[1]) && fold(op, known[0], known[1], &n))
    return sn_index(b, n);
  return sn(b, sn_name(op), x, y);
}

MlirValue sn_steps_scratch_size(SnBuilder *b, const SnSteps *s, const MlirValue *operands, MlirOperation alloca,
                                intptr_t i) {
  MlirType t = sn_type_of(sn_result(alloca, 0));
  intptr_t k = 0;
  if (sn_dim(t, i) != SN_DYNAMIC)
    return sn_index(b, sn_dim(t, i));
  for (intptr_t j = 0; j < i; ++j)
    k += sn_dim(t, j) == SN_DYNAMIC;
  return size(b, sn_operand(alloca, k), operands);
}

// ---- one row -----------------------------------------------------------------------

static MlirWalkResult find_steps(MlirOperation op, void *found) {
  if (sn_is(op, "scf.parallel"))
    sn_push((SnOpVec *)found, op);
  return MlirWalkResultAdvance;
}

void sn_steps_copy(SnBuilder *b, const SnSteps *s, MlirValue row, const MlirValue *operands, const MlirValue *scratch,
                   MlirValue *yields, SnOpVec *steps) {
  SnMap map = {0};
  size_t next = 0;
  MlirOperation end = mlirBlockGetTerminator(s->body);
  sn_map(&map, mlirBlockGetArgument(s->body, 0), row);
  for (intptr_t k = 0; k < s->inputs + s->outputs; ++k)
    sn_map(&map, mlirBlockGetArgument(s->body, k + 1), operands[k]);
  for (MlirOperation op = mlirBlockGetFirstOperation(s->body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    if (sn_is(op, "memref.alloca"))
      sn_map(&map, sn_result(op, 0), scratch[next++]);
    else if (sn_is(op, "memref.cast")) // of scratch memory of known size
      sn_map(&map, sn_result(op, 0), sn_lookup(&map, sn_operand(op, 0)));
    else
      mlirOperationWalk(sn_clone(b, op, &map), find_steps, steps, MlirWalkPreOrder);
  }
  for (intptr_t k = 0; k < s->values; ++k)
    yields[k] = sn_lookup(&map, sn_operand(end, k));
  sn_map_free(&map);
}

void sn_steps_finish(SnBuilder *b, const SnSteps *s, MlirValue rows, const MlirValue *operands, const MlirValue *sums) {
  SnMap map = {0};
  intptr_t n = 0;
  if (s->finish.ptr) {
    MlirOperation end = mlirBlockGetTerminator(s->finish);
    sn_map(&map, mlirBlockGetArgument(s->finish, 0), rows);
    for (intptr_t k = 1; k < mlirBlockGetNumArguments(s->finish); ++k)
      sn_map(&map, mlirBlockGetArgument(s->finish, k), sums[k - 1]);
    for (MlirOperation op = mlirBlockGetFirstOperation(s->finish); !mlirOperationEqual(op, end);
         op = mlirOperationGetNextInBlock(op))
      sn_clone(b, op, &map);
  }
  for (intptr_t k = 0; k < s->values; ++k) {
    if (!sn_steps_is_sum(s, k))
      continue;
    MlirValue v = s->finish.ptr ? sn_lookup(&map, sn_operand(mlirBlockGetTerminator(s->finish), n)) : sums[n];
    sn_op(b, "memref.store", v, operands[s->inputs + s->outputs + k]);
    ++n;
  }
  sn_map_free(&map);
}

// ---- one step ------------------------------------------------------------------------

void sn_step_loop(SnBuilder *b, const SnLanes *s, MlirValue from, MlirValue by, const MlirValue *init,
                  MlirValue *combined) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(s->op, 0));
  SnLoop lane = sn_for_values(b, from, s->to, by, sn_values(s->n, init));
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, 0), lane.index);
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !mlirOperationEqual(op, s->reduce); op = next) {
    next = mlirOperationGetNextInBlock(op);
    mlirOperationRemoveFromParent(op);
    sn_insert(b, op);
  }
  for (intptr_t k = 0; k < s->n; ++k)
    combined[k] = sn_combine(b, sn_step_combiner(s, k), lane.carried[k], sn_operand(s->reduce, k));
  sn_next_values(b, &lane, sn_values(s->n, combined));
  for (intptr_t k = 0; k < s->n; ++k)
    combined[k] = sn_result(lane.op, k);
}

void sn_step_become(const SnLanes *s, const MlirValue *results) {
  for (intptr_t k = 0; k < s->n; ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(s->op, k), results[k]);
  mlirOperationDestroy(s->op);
}
