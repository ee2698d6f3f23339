// divisions.c: an integer divided by zero ends the call, not the process.
//
//   %q = arith.divsi %x, %y : i32   ->   %ok = arith.cmpi ne, %y, 0
//                                        cf.assert %ok, "model.mlir:7:10: integer division by zero"
//                                        %d = arith.select (%y == 0, or %x the least number and %y -1), 1, %y
//                                        %q = arith.divsi %x, %d
//
// A row of a form is asserted by a reduction over it; the side of a product has no place for one, so a side that
// divides becomes a form of its own first. The least number by -1 is itself, as in two's complement, with the remainder
// 0. A processor raises a signal of both, and a GPU gives anything. In a combiner, and in loops of sinter.steps, what
// is divided by zero is divided by 1. A divisor that is a number beside 0 and -1 is left alone.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/guard/divisions.mlir, test/run/guards.test

#include "passes/guard/guard.h"
#include "dialect/row_ops.h"
#include "passes/split/split.h"

static MlirValue number(SnBuilder *b, MlirType t, int64_t n) {
  return sn_splat(b, t, mlirIntegerAttrGet(sn_element(t), n));
}
static MlirValue equal(SnBuilder *b, int predicate, MlirValue x, int64_t n) {
  return sn(b, "arith.cmpi", x, number(b, sn_type_of(x), n), sn_attr("predicate", sn_i64(b->ctx, predicate)));
}
enum { EQ = 0, NE = 1 };

// In a combiner, or in the loops of sinter.steps, where nothing can be asserted.
static bool in_steps(MlirOperation op) {
  for (MlirOperation p = mlirOperationGetParentOperation(op); !sn_null(p); p = mlirOperationGetParentOperation(p))
    if (sn_in_dialect(p, "sinter"))
      return true;
  return false;
}

static void guard(MlirOperation op) {
  SnBuilder b = sn_before(op);
  MlirValue x = sn_operand(op, 0), y = sn_operand(op, 1);
  MlirType t = sn_type_of(y), element = sn_element(t);
  MlirOperation parent = mlirOperationGetParentOperation(op);
  MlirValue bad = equal(&b, EQ, y, 0);
  MlirAttribute message = sn_located_message(b.loc, "integer division by zero");
  if (sn_is_form(parent))
    sn_row_assert(&b, equal(&b, NE, y, 0), message);
  else if (!mlirTypeIsAShaped(t) && !in_steps(op))
    sn_op(&b, "cf.assert", equal(&b, NE, y, 0), sn_attr("msg", message), sn_types(0, NULL));
  if (sn_divides_integers(op) == SN_DIVIDES_SIGNED) {
    int64_t least = sn_bits(element) == 64 ? INT64_MIN : -((int64_t)1 << (sn_bits(element) - 1));
    bad = sn(&b, "arith.ori", bad, sn(&b, "arith.andi", equal(&b, EQ, x, least), equal(&b, EQ, y, -1)));
  }
  mlirOperationSetOperand(op, 1, sn(&b, "arith.select", bad, number(&b, t, 1), y));
}

static bool has_side_that_divides(MlirOperation form) {
  SnForm f = sn_form_read(form);
  bool found = false;
  for (size_t s = 0; s < f.sides.size; ++s)
    for (MlirOperation op = f.sides.data[s].program.ptr ? mlirBlockGetFirstOperation(f.sides.data[s].program)
                                                        : (MlirOperation){0};
         !sn_null(op); op = mlirOperationGetNextInBlock(op))
      found |= sn_may_trap(op);
  sn_form_free(&f);
  return found;
}

static MlirWalkResult collect(MlirOperation op, void *divisions) {
  if (sn_may_trap(op))
    sn_push((SnOpVec *)divisions, op);
  return MlirWalkResultAdvance;
}

MlirLogicalResult sn_guard_divisors(MlirOperation func) {
  SnOpVec forms = sn_collect(func, "sinter.contract");
  bool ok = true;
  for (size_t i = 0; i < forms.size && ok; ++i)
    if (sn_num_results(forms.data[i]) && has_side_that_divides(forms.data[i]))
      ok = sn_split_form(forms.data[i], (SnSplit){0});
  sn_vec_free(&forms);
  SnOpVec divisions = {0};
  if (ok)
    mlirOperationWalk(func, collect, &divisions, MlirWalkPreOrder);
  for (size_t i = 0; i < divisions.size; ++i)
    guard(divisions.data[i]);
  sn_vec_free(&divisions);
  return ok ? SN_OK : SN_FAIL;
}
