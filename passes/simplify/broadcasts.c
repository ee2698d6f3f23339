// broadcasts.c: what is the same in every column is computed once.
//
//   arith.mulf (broadcast %a), (broadcast %b)   ->  broadcast (arith.mulf %a, %b)
//   row_reduce maximumf (broadcast %a)          ->  %a
//   row_reduce add (broadcast %a)               ->  N * %a
//   pick (broadcast %a)[%t] else %z             ->  0 <= %t < N ? %a : %z
//
// With the one-hot rule this turns a count over a one-hot matrix into a count
// over labels: no value uses a column any more, and the columns go.
//
// runs in: simplify, fuse    test: test/passes/simplify/broadcasts.mlir

#include "passes/edit/rewrite.h"

static bool lift_elementwise(SnRewriter *rw, MlirOperation op) {
  if (!sn_shim_is_elementwise(op) || sn_num_results(op) != 1 || !sn_is_row(sn_result(op, 0)) || !sn_num_operands(op))
    return false;
  if (!sn_is_form(mlirOperationGetParentOperation(op)))
    return false; // a tensor of the user's, not a row
  MlirValue scalars[SN_MAX_ELEMENTWISE];
  intptr_t n = sn_num_operands(op);
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue v = sn_operand(op, i);
    if (sn_is_row(v) && sn_none(sn_broadcast_of(v)) && !sn_constant_of(v).ptr)
      return false;
  }
  for (intptr_t i = 0; i < n; ++i)
    scalars[i] = sn_under_broadcast(rw->b, sn_operand(op, i));
  MlirValue row = sn_result(op, 0);
  sn_replace(rw, op, sn_as_row(rw->b, sn_elementwise(rw->b, op, n, scalars), sn_type_of(row)));
  return true;
}

// Row constants are written as broadcasts of scalars, so that rules see one spelling.
static bool lift_constant(SnRewriter *rw, MlirOperation op) {
  MlirValue row = sn_result(op, 0);
  MlirOperation parent = mlirOperationGetParentOperation(op);
  MlirAttribute scalar = sn_constant_of(row);
  if (!sn_is_row(row) || !scalar.ptr || !sn_is_form(parent))
    return false;
  sn_replace(rw, op, sn_as_row(rw->b, sn_constant(rw->b, scalar), sn_type_of(row)));
  return true;
}

static bool reduce_broadcast(SnRewriter *rw, MlirOperation reduce) {
  MlirValue x = sn_broadcast_of(sn_operand(reduce, 0));
  MlirAttribute kind = sn_get_attr(reduce, "kind");
  if (sn_none(x) || !kind.ptr)
    return false;
  MlirType type = sn_type_of(sn_result(reduce, 0));
  int64_t n = sn_dim(sn_type_of(sn_operand(reduce, 0)), 0);
  if (!mlirTypeEqual(type, sn_type_of(x)))
    return sn_no(reduce, "the reduction is wider than its elements");
  if (n == SN_DYNAMIC || n == 0)
    return sn_no(reduce, "the row may be empty");
  MlirStringRef name = mlirStringAttrGetValue(kind);
  if (mlirStringRefEqual(name, SN_STR("mul")) || mlirStringRefEqual(name, SN_STR("xor")))
    return sn_no(reduce, "a power, not a multiple");
  if (mlirStringRefEqual(name, SN_STR("add")))
    x = sn_is_float(type) ? sn(rw->b, "arith.mulf", x, sn_float(rw->b, type, (double)n))
                          : sn(rw->b, "arith.muli", x, sn_int(rw->b, type, n));
  sn_replace(rw, reduce, x);
  return true;
}

static bool pick_broadcast(SnRewriter *rw, MlirOperation pick) {
  MlirValue x = sn_broadcast_of(sn_operand(pick, 0));
  int64_t n = sn_dim(sn_type_of(sn_operand(pick, 0)), 0);
  if (sn_none(x))
    return false;
  if (n == SN_DYNAMIC)
    return sn_no(pick, "the row's length is not known");
  MlirValue t = sn_operand(pick, 1);
  MlirType type = sn_type_of(t);
  if (!mlirTypeIsAIndex(type) && sn_bits(type) < 64 && n >= (int64_t)1 << (sn_bits(type) - 1))
    return sn_no(pick, "the length does not fit the index's type");
  // As unsigned numbers, negative indices are out of range too.
  MlirValue inside =
      sn(rw->b, "arith.cmpi", t, sn_int(rw->b, type, n), sn_attr("predicate", sn_i64(rw->b->ctx, 6 /* ult */)));
  sn_replace(rw, pick, sn(rw->b, "arith.select", inside, x, sn_operand(pick, 2)));
  return true;
}

// Elementwise ops are many; the ones that exporters write are listed, the rest stay rows.
#define EACH(X)                                                                                    \
  X("arith.addf") X("arith.subf") X("arith.mulf") X("arith.divf") X("arith.negf")                  \
  X("arith.maximumf") X("arith.minimumf") X("arith.maxnumf") X("arith.minnumf")                    \
  X("arith.cmpf") X("arith.cmpi") X("arith.select") X("arith.andi") X("arith.ori")                 \
  X("arith.xori") X("arith.addi") X("arith.subi") X("arith.muli") X("arith.index_cast")            \
  X("arith.sitofp") X("arith.uitofp") X("arith.fptosi") X("arith.extf") X("arith.truncf")          \
  X("arith.extsi") X("arith.extui") X("arith.trunci") X("math.exp") X("math.log")                  \
  X("math.log1p") X("math.sqrt") X("math.rsqrt") X("math.tanh") X("math.erf") X("math.absf")       \
  X("math.fpowi") X("math.powf")
#define RULE(name) {name, lift_elementwise},
SnRules sn_simplify_broadcast = {EACH(RULE){"arith.constant", lift_constant},
                                 {"sinter.row_reduce", reduce_broadcast},
                                 {"sinter.pick", pick_broadcast},
                                 {0}};
