// reach.c: which values depend on what the gradients of a function are by, before anything is made of it.
//
//   %d = sinter.differentiate %l wrt(%x)         %x, and floats that are computed from it, through loops and branches
//
// Forwards, over all of the function's host code, until nothing more is reached: what one turn of a loop reaches may
// reach more in the next. What a form's body has is its own.
//
// runs in: differentiate    test: test/passes/differentiate/host_numbers.mlir

#include "passes/differentiate/reach.h"
#include "passes/differentiate/graph.h"

static void reach(SnReach *r, MlirValue v) {
  MlirType t = sn_element(sn_type_of(v));
  bool flows = sn_is_float(t) || (mlirTypeIsAInteger(t) && mlirIntegerTypeGetWidth(t) == 1);
  if (!flows || sn_table_has(&r->values, v.ptr))
    return;
  sn_table_put(&r->values, v.ptr, 1);
  r->changed = true;
}

bool sn_is_reached(const SnReach *r, MlirValue v) { return sn_table_has(&r->values, v.ptr); }

static void follow(SnReach *r, MlirValue from, MlirValue to) {
  if (sn_is_reached(r, from))
    reach(r, to);
}

// What goes into a loop or branch, and out of it.
static void follow_control(SnReach *r, MlirOperation op) {
  MlirBlock first = sn_control_block(op, 0), second = {0};
  MlirOperation end = mlirBlockGetTerminator(first), other = {0};
  if (!sn_is(op, "scf.for")) {
    second = sn_control_block(op, 1);
    other = mlirBlockGetTerminator(second);
  }
  for (intptr_t k = 0; k < sn_num_results(op); ++k) {
    MlirValue y = sn_result(op, k);
    if (sn_is(op, "scf.for")) {
      follow(r, sn_operand(op, 3 + k), y);
      follow(r, sn_operand(end, k), y);
      follow(r, y, mlirBlockGetArgument(first, 1 + k));
    } else if (sn_is(op, "scf.if")) {
      follow(r, sn_operand(end, k), y);
      follow(r, sn_operand(other, k), y);
    } else {
      follow(r, sn_operand(end, 1 + k), y);
      follow(r, y, mlirBlockGetArgument(second, k));
    }
  }
  for (intptr_t k = 0; sn_is(op, "scf.while") && k < sn_num_operands(op); ++k) {
    follow(r, sn_operand(op, k), mlirBlockGetArgument(first, k));
    follow(r, sn_operand(other, k), mlirBlockGetArgument(first, k));
  }
}

static MlirWalkResult look(MlirOperation op, void *user) {
  SnReach *r = user;
  bool closed, any = false;
  intptr_t n = sn_graph_reads(op, &closed);
  for (intptr_t k = 0; k < n; ++k)
    any |= sn_is_reached(r, sn_operand(op, k));
  if (sn_is_control(op)) {
    follow_control(r, op);
    return MlirWalkResultAdvance;
  }
  // What an op of another kind reads in its regions reaches all that it gives.
  for (MlirOperation around = op; any && !sn_null(around) && !sn_is_control(around) && !sn_is(around, "func.func");
       around = mlirOperationGetParentOperation(around)) {
    for (intptr_t k = 0; k < sn_num_results(around); ++k)
      reach(r, sn_result(around, k));
    MlirBlock body = sn_is(around, "scf.forall") ? sn_control_block(around, 0) : (MlirBlock){0};
    for (intptr_t k = 0; !mlirBlockIsNull(body) && k < mlirBlockGetNumArguments(body); ++k)
      reach(r, mlirBlockGetArgument(body, k));
  }
  return closed ? MlirWalkResultSkip : MlirWalkResultAdvance;
}

SnReach sn_reach_of(MlirOperation func) {
  SnReach r = {0};
  SnOpVec all = sn_collect(func, "sinter.differentiate");
  for (size_t k = 0; k < all.size; ++k) {
    MlirAttribute segments = sn_get_attr(all.data[k], "operandSegmentSizes");
    intptr_t first = 1 + mlirDenseI32ArrayGetElement(segments, 1);
    for (intptr_t i = first; i < sn_num_operands(all.data[k]); ++i)
      reach(&r, sn_operand(all.data[k], i));
  }
  sn_vec_free(&all);
  for (r.changed = true; r.changed;) {
    r.changed = false;
    mlirOperationWalk(func, look, &r, MlirWalkPreOrder);
  }
  return r;
}

static bool is_memory(MlirValue v) { return mlirTypeIsAMemRef(sn_type_of(v)); }

typedef struct {
  SnReach reach;
  bool written;
} Writes;

static MlirWalkResult look_for_writes(MlirOperation op, void *user) {
  Writes *w = user;
  bool memory = false, reached = false, closed;
  intptr_t n = sn_graph_reads(op, &closed);
  for (intptr_t k = 0; k < n; ++k) {
    memory |= is_memory(sn_operand(op, k));
    reached |= sn_is_reached(&w->reach, sn_operand(op, k));
  }
  w->written |= memory && reached;
  return closed ? MlirWalkResultSkip : MlirWalkResultAdvance;
}

bool sn_reads_reached_memory(MlirOperation op) {
  bool memory = false;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    memory |= is_memory(sn_operand(op, k));
  if (!memory)
    return false;
  MlirOperation func = op;
  while (!sn_is(func, "func.func"))
    func = mlirOperationGetParentOperation(func);
  Writes w = {.reach = sn_reach_of(func)};
  mlirOperationWalk(func, look_for_writes, &w, MlirWalkPreOrder);
  sn_table_free(&w.reach.values);
  return w.written;
}
