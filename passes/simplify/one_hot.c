// one_hot.c: a sum over a one-hot row is one element of the row.
//
//   %j = sinter.index j ; %h = arith.cmpi eq, %j, broadcast %t
//   %m = arith.andi %h, %rest
//   %z = arith.select %m, %x, 0            ->    %y = arith.select %rest, %x, 0
//   %s = sinter.row_reduce add %z                %s = sinter.pick %y[%t] else 0
//
// Exporters spell labels so; left alone, a row of comparisons is computed to
// keep one number, and counting labels costs a pass over the matrix.
//
// runs in: simplify, fuse    test: test/passes/simplify/one_hot.mlir

#include "passes/edit/rewrite.h"

// The position in the row, whatever integer type it was cast to.
static bool is_column_index(MlirValue v) {
  MlirOperation cast = sn_def(v, "arith.index_cast");
  MlirOperation index = sn_def(sn_null(cast) ? v : sn_operand(cast, 0), "sinter.index");
  if (sn_null(index) || !sn_is_row(sn_result(index, 0)))
    return false;
  // With several column dimensions the index of one is not the place in the row.
  return sn_int_attr(mlirOperationGetParentOperation(index), "num_cols", 0) == 1;
}

// The label t where `v` is `index == t` over the row, else none.
static MlirValue label_of(MlirValue v) {
  MlirOperation compare = sn_def(v, "arith.cmpi");
  if (sn_null(compare) || sn_int_attr(compare, "predicate", -1) != 0 /* eq */)
    return (MlirValue){0};
  for (int side = 0; side < 2; ++side) {
    MlirValue label = sn_broadcast_of(sn_operand(compare, !side));
    if (!sn_none(label) && is_column_index(sn_operand(compare, side)))
      return label;
  }
  return (MlirValue){0};
}

// Takes a tree of `and`s apart: finds the label, and what else must hold (none if nothing).
static MlirValue match_one_hot(SnBuilder *b, MlirValue condition, MlirValue *rest) {
  *rest = (MlirValue){0};
  MlirValue label = label_of(condition);
  if (!sn_none(label))
    return label;
  MlirOperation both = sn_def(condition, "arith.andi");
  for (int side = 0; side < 2 && !sn_null(both); ++side) {
    MlirValue others;
    label = match_one_hot(b, sn_operand(both, side), &others);
    if (sn_none(label))
      continue;
    MlirValue other = sn_operand(both, !side);
    *rest = sn_none(others) ? other : sn(b, "arith.andi", others, other);
    return label;
  }
  return (MlirValue){0};
}

static bool one_hot(SnRewriter *rw, MlirOperation reduce) {
  if (!sn_is_reduce(reduce, "add"))
    return sn_no(reduce, "not a sum");
  MlirOperation select = sn_def(sn_operand(reduce, 0), "arith.select");
  if (sn_null(select) || !sn_is_row(sn_operand(select, 0)))
    return sn_no(reduce, "not a sum of selected elements");
  // Any other value on the false side would be summed N - 1 times.
  if (!sn_is_constant(sn_operand(select, 2), 0))
    return sn_no(reduce, "what is not selected is not zero");
  MlirType type = sn_type_of(sn_result(reduce, 0)), element = sn_element(sn_type_of(sn_operand(select, 1)));
  if (!mlirTypeEqual(type, element))
    return sn_no(reduce, "the sum is wider than its elements");
  MlirValue rest, label = match_one_hot(rw->b, sn_operand(select, 0), &rest);
  if (sn_none(label))
    return sn_no(reduce, "selected by something other than the column index");

  MlirValue x = sn_operand(select, 1), zero = sn_zero(rw->b, type);
  if (!sn_none(rest))
    x = sn(rw->b, "arith.select", rest, x, sn_operand(select, 2));
  sn_replace(rw, reduce, sn(rw->b, "sinter.pick", x, label, zero));
  return true;
}

SnRules sn_simplify_one_hot = {{"sinter.row_reduce", one_hot}, {0}};
