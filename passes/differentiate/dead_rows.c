// dead_rows.c: what a softmax's row gets that a mask leaves nothing of.
//
//   %dead = linalg.generic ins(%x) { and of %x == -inf }          for each row
//   %p = the softmax of %x                                        NaN where all is -inf
//   %w = linalg.generic ins(%dead, 0, %p) { select }
//     ->  %y = linalg.generic ins(%dead, %x) { select %dead, (sinter.detach %x), %x },    %p = the softmax of %y
//
// PyTorch's scaled_dot_product_attention is 0 there, and so is its gradient. The choice gives the softmax a gradient of
// 0, which the softmax makes 0 times NaN of. What it is read from is then %x, whatever is chosen, and has a gradient
// where a row lives. Behind sinter-differentiate %y is %x, so values are made in the same words as before.
//
// runs in: corners    test: test/passes/differentiate/dead_rows.mlir, test/run/dead_rows.test

#include "mlir-c/Dialect/Linalg.h"
#include "passes/differentiate/corners.h"
#include <math.h>

static MlirAttribute map_of(MlirOperation generic, intptr_t operand) {
  return mlirArrayAttrGetElement(mlirLinalgGetIndexingMapsAttribute(generic), operand);
}

static MlirValue without_reshapes(MlirValue v) {
  for (MlirOperation op = sn_definer(v);
       !sn_null(op) &&
       (sn_is(op, "tensor.expand_shape") || sn_is(op, "tensor.collapse_shape") || sn_is(op, "tensor.cast"));
       op = sn_definer(v))
    v = sn_operand(op, 0);
  return v;
}

static bool is_true(SnSpelled v) { return sn_spelled_is(v, 1) || sn_spelled_is(v, -1); } // however i1 is read

// The tensor whose numbers are compared with -inf, where `generic` has, for each row of them, whether all are.
static MlirValue all_least(MlirOperation generic) {
  static const char *const both[] = {"arith.andi", NULL}, *const wide[] = {"arith.extf", "arith.cmpf", NULL},
                           *const plain[] = {"arith.cmpf", NULL};
  MlirValue none = {0};
  if (sn_null(generic) || !sn_is(generic, "linalg.generic") || sn_num_results(generic) != 1 ||
      !sn_body_is(generic, both))
    return none;
  intptr_t n = sn_num_operands(generic);
  if (n != 2 && (n != 3 || !is_true(sn_spelled_operand(sn_spelled_result(generic), 1)))) // of one number: no reduction
    return none;
  MlirOperation compare = sn_spelled_by(sn_operand(generic, 0));
  if (sn_null(compare) || (!sn_body_is(compare, wide) && !sn_body_is(compare, plain)))
    return none;
  SnSpelled truth = sn_spelled_result(compare);
  MlirOperation by = sn_definer(truth.v), extension = sn_def(sn_operand(by, 0), "arith.extf");
  MlirValue x = sn_null(extension) ? sn_operand(by, 0) : sn_operand(extension, 0);
  if (sn_int_attr(by, "predicate", -1) != SN_OEQ || !sn_spelled_is(sn_spelled_operand(truth, 1), -INFINITY))
    return none;
  return sn_read_in_place(compare, x);
}

// The one operand of a generic of one such operation that stands in its result's place.
static MlirValue element_of(MlirOperation generic, const char *name) {
  const char *const body[] = {name, NULL};
  return sn_null(generic) || !sn_body_is(generic, body)
             ? (MlirValue){0}
             : sn_read_in_place(generic, sn_operand(mlirBlockGetFirstOperation(sn_spelled_body(generic)), 0));
}

static MlirOperation through(MlirValue v) { return sn_none(v) ? (MlirOperation){0} : sn_spelled_by(v); }

// The subtraction of the maximum, where v is a softmax.
static MlirOperation difference_of(MlirValue v) {
  for (MlirValue to = v; !sn_none(to) && !sn_null(sn_definer(to));) {
    v = to;
    to = element_of(through(v), "arith.truncf");
    to = sn_none(to) ? element_of(through(v), "arith.extf") : to;
  }
  static const char *const minus[] = {"arith.subf", NULL};
  MlirOperation sub = through(element_of(through(element_of(through(v), "arith.divf")), "math.exp"));
  return !sn_null(sub) && sn_body_is(sub, minus) && sn_num_operands(sub) == 3 ? sub : (MlirOperation){0};
}

static bool in_front(MlirOperation op, MlirOperation at) {
  return sn_null(op) || !mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(at)) ||
         mlirOperationIsBeforeInBlock(op, at);
}
static bool may_move(MlirOperation op, MlirOperation at) {
  bool may = in_front(op, at) || !mlirOperationEqual(op, at);
  for (intptr_t k = 0; !in_front(op, at) && may && k < sn_num_operands(op); ++k)
    may = may_move(sn_definer(sn_operand(op, k)), at);
  return may;
}
static void move_in_front(MlirOperation op, MlirOperation at) {
  if (in_front(op, at))
    return;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    move_in_front(sn_definer(sn_operand(op, k)), at);
  mlirOperationMoveBefore(op, at);
}

static void read_instead(MlirOperation reader, MlirValue x, MlirValue y) {
  for (intptr_t k = 0; k < sn_num_operands(reader); ++k)
    if (sn_same(sn_operand(reader, k), x))
      mlirOperationSetOperand(reader, k, y);
}

bool sn_dead_rows(MlirOperation root) {
  static const char *const body[] = {"arith.select", NULL};
  if (!sn_body_is(root, body))
    return false;
  MlirOperation select = mlirBlockGetFirstOperation(sn_spelled_body(root));
  MlirValue dead = sn_operand(select, 0), weight = sn_operand(select, 2), p = sn_read_in_place(root, weight);
  if (!mlirValueIsABlockArgument(dead) || sn_none(p) ||
      !sn_spelled_is(sn_spelled_operand(sn_spelled_result(root), 1), 0))
    return false;
  intptr_t at = mlirBlockArgumentGetArgNumber(dead), last = sn_num_operands(root) - 1;
  MlirOperation rows = sn_definer(sn_operand(root, at));
  MlirValue x = all_least(rows);
  if (sn_none(x))
    return false;
  if (!mlirAttributeEqual(map_of(root, at), map_of(rows, sn_num_operands(rows) - 1)) ||
      !mlirAttributeEqual(map_of(root, last), map_of(rows, 0)))
    return sn_no(root, "a row of 0, but by a condition of other rows");
  MlirOperation sub = difference_of(p);
  if (sn_null(sub) || !sn_same(element_of(sub, "arith.subf"), x))
    return sn_no(root, "a row of 0 where all is -inf, but not of a softmax of that");
  MlirOperation difference = mlirBlockGetFirstOperation(sn_spelled_body(sub));
  MlirValue by = sn_operand(difference, 1);
  MlirOperation maximum = mlirValueIsABlockArgument(by)
                              ? sn_definer(without_reshapes(sn_operand(sub, mlirBlockArgumentGetArgNumber(by))))
                              : (MlirOperation){0};
  if (sn_null(maximum) || !mlirTypeEqual(sn_type_of(x), sn_type_of(p)) ||
      !mlirBlockEqual(mlirOperationGetBlock(maximum), mlirOperationGetBlock(root)) || !may_move(rows, maximum) ||
      !may_move(sn_definer(sn_operand(root, last)), maximum))
    return sn_no(root, "a softmax, but not as exporters write it");
  move_in_front(rows, maximum);
  move_in_front(sn_definer(sn_operand(root, last)), maximum);
  SnBuilder b = sn_before(maximum);
  SnMap none = {0};
  MlirOperation chosen = sn_clone(&b, root, &none);
  sn_map_free(&none);
  mlirOperationSetOperand(chosen, mlirBlockArgumentGetArgNumber(weight), x);
  select = mlirBlockGetFirstOperation(sn_spelled_body(chosen));
  b = sn_before(select);
  MlirValue lives = sn_operand(select, 2);
  mlirOperationSetOperand(select, 1, sn(&b, "sinter.detach", lives, sn_type_of(lives)));
  read_instead(maximum, x, sn_result(chosen, 0));
  read_instead(sub, x, sn_result(chosen, 0));
  return true;
}
