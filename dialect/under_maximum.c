// under_maximum.c: exponentials of a row under its own maximum, recognised.
//
//   %m = sinter.row_reduce maximumf %x
//   %d = arith.subf %x, (sinter.broadcast %m)
//   %e = math.exp %d                                             sn_exp_under_maximum
//   %s = sinter.row_reduce add %e                                sn_sum_under_maximum
//   %p = math.exp (%d - sinter.broadcast (math.log %s))          sn_exp_under_sum

#include "dialect/under_maximum.h"

// The difference that is the exponent of `v`.
static MlirOperation exponent_of(MlirValue v) {
  MlirOperation exp = sn_def(v, "math.exp");
  return sn_null(exp) ? exp : sn_def(sn_operand(exp, 0), "arith.subf");
}

// What every element is taken from, by this subtraction; null where they differ.
static MlirValue subtrahend(MlirOperation sub) {
  return sn_null(sub) ? (MlirValue){0} : sn_broadcast_of(sn_operand(sub, 1));
}

MlirOperation sn_exp_under_maximum(MlirValue v) {
  MlirOperation sub = exponent_of(v), none = {0};
  MlirValue m = subtrahend(sub);
  MlirOperation maximum = sn_none(m) ? none : sn_reduce_of(m, NULL);
  if (sn_null(maximum) || !(sn_is_reduce(maximum, "maximumf") || sn_is_reduce(maximum, "maxnumf")))
    return none;
  return sn_same(sn_operand(maximum, 0), sn_operand(sub, 0)) ? maximum : none;
}

MlirOperation sn_sum_under_maximum(MlirValue v) {
  MlirOperation sum = sn_reduce_of(v, "add");
  bool same = !sn_null(sum) && mlirTypeEqual(sn_element(sn_type_of(sn_operand(sum, 0))), sn_type_of(v));
  return same ? sn_exp_under_maximum(sn_operand(sum, 0)) : (MlirOperation){0};
}

MlirOperation sn_exp_under_sum(MlirValue v) {
  MlirOperation sub = exponent_of(v), none = {0};
  MlirValue scalar = subtrahend(sub);
  MlirOperation log = sn_none(scalar) ? none : sn_def(scalar, "math.log"),
                sum = sn_null(log) ? none : sn_reduce_of(sn_operand(log, 0), "add");
  MlirOperation exp = sn_null(sum) ? none : sn_def(sn_operand(sum, 0), "math.exp");
  bool same = !sn_null(exp) && sn_same(sn_operand(exp, 0), sn_operand(sub, 0));
  return same && !sn_null(sn_exp_under_maximum(sn_result(exp, 0))) ? exp : none;
}
