// rowphases.c: how a row program is cut into phases, and the one walk over them.
//
//   phase 0:  scalars known without a reduction;  loop over columns: what is reduced, and stored, of what is known then
//   phase 1:  scalars known from these results;   loop: what is reduced, and stored, of that
//   ...
//
// A reduction belongs to the first phase in which its row is known. What runs the loops, and with which lanes, is the
// target's: a function that the walk calls.

#include "lowering/rows/rowmemory.h"

// ---- the cut ---------------------------------------------------------------------------------

int sn_row_level(const SnRowProgram *p, MlirValue v) {
  uintptr_t level = 0;
  sn_table_get(&p->levels, v.ptr, &level);
  return (int)level;
}

// Values that a combiner region takes from outside of it count as operands.
typedef struct {
  const SnRowProgram *p;
  int level;
} Level;
static MlirWalkResult raise_level(MlirOperation op, void *user) {
  Level *l = user;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    int level = sn_row_level(l->p, sn_operand(op, k));
    l->level = level > l->level ? level : l->level;
  }
  return MlirWalkResultAdvance;
}
static int level_of(const SnRowProgram *p, MlirOperation op) {
  Level l = {p, 0};
  mlirOperationWalk(op, raise_level, &l, MlirWalkPreOrder);
  return l.level;
}

static SnPhase *phase(SnRowProgram *p, int level) {
  while (p->phases.size <= (size_t)level)
    sn_push(&p->phases, (SnPhase){0});
  return &p->phases.data[level];
}

void sn_row_cut(SnRowProgram *p) {
  phase(p, 0);
  MlirOperation end = mlirBlockGetTerminator(p->block);
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block); !sn_null(op) && !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    int level = level_of(p, op);
    bool reduce = sn_row_op_has(op, SN_READS_ALL);
    if (reduce && !sn_unused(op))
      sn_push(&phase(p, level)->reduces, op);
    else
      phase(p, level);
    for (intptr_t k = 0; k < sn_num_results(op); ++k) {
      sn_push(&p->values, sn_result(op, k));
      sn_table_put(&p->levels, sn_result(op, k).ptr, (uintptr_t)(level + reduce));
    }
    phase(p, level + (reduce && !sn_unused(op)));
  }
  for (intptr_t k = 0; k < sn_num_operands(end); ++k)
    if (sn_is_row(sn_operand(end, k)))
      sn_push(&phase(p, sn_row_level(p, sn_operand(end, k)))->yields, k);
}

// ---- the walk --------------------------------------------------------------------------------

static bool is_scalar_op(MlirOperation op) {
  if (sn_row_op_has(op, SN_READS_ALL)) // known behind the phase's loop
    return false;
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    if (sn_is_row(sn_result(op, k)))
      return false;
  return true;
}

// Scalars of this phase, in the program's order: an assert stands in front of what must not be done without it.
static void scalars_of(SnBuilder *b, SnRowProgram *p, int at, bool values, bool asserts) {
  MlirOperation end = mlirBlockGetTerminator(p->block);
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    if (is_scalar_op(op) && level_of(p, op) == at && (sn_is(op, "cf.assert") ? asserts : values))
      sn_row_emit(b, p, &p->row, op);
}

static void arguments_of(SnBuilder *b, SnRowProgram *p, int at) {
  for (intptr_t k = 0; at == 0 && k < mlirBlockGetNumArguments(p->block); ++k) {
    MlirValue argument = mlirBlockGetArgument(p->block, k);
    const SnRowSource *s = &p->sources.data[k];
    if (s->scratch || sn_is_row(argument) || !sn_none(sn_mapped(&p->row.made, argument)))
      continue;
    if (mlirTypeIsAMemRef(sn_type_of(argument))) { // a table
      sn_row_know(p, argument, s->memref);
      continue;
    }
    sn_row_know(p, argument, sn_row_load_lanes(b, p, &p->row, &s->access));
  }
}

void sn_row_scalars(SnBuilder *b, SnRowProgram *p, int at) {
  arguments_of(b, p, at);
  scalars_of(b, p, at, true, true);
}

void sn_row_walk(SnBuilder *b, SnRowProgram *p, size_t count, const SnRowWalk *w) {
  for (size_t i = 0; i < count; ++i) {
    p->phase = (int)i;
    if (w->before)
      w->before(b, i, w->user);
    bool has_scalars = !i || !w->part;
    if (has_scalars) {
      arguments_of(b, p, (int)i);
      scalars_of(b, p, (int)i, true, !w->asserts_behind);
    }
    if (w->columns)
      w->columns(b, i, w->user);
    if (has_scalars && w->asserts_behind)
      scalars_of(b, p, (int)i, false, true);
  }
}
