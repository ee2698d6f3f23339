// rowonline.c: which sums of exponentials need not wait for the row's maximum.
//
//   %m = sinter.row_reduce maximumf %x         phase 0
//   %e = math.exp (arith.subf %x, %m)
//   %s = sinter.row_reduce add %e              phase 1: s * exp(m - m') is the sum under another maximum m'
//   %t = sinter.row_reduce add (%e * %y)       the same, if y is known without m
//
// A lowering may so keep a running maximum, and read the row once.

#include "dialect/under_maximum.h"
#include "lowering/rows/rowprogram.h"

static bool is_exp_under(MlirValue v, MlirOperation maximum) {
  MlirOperation of = sn_exp_under_maximum(v);
  return !sn_null(of) && mlirOperationEqual(of, maximum);
}

// A sum that a smaller maximum scales: of such exponentials, or of them times what is known without it.
static bool is_scaled(const SnRowProgram *p, MlirOperation sum, MlirOperation maximum, int at) {
  MlirValue v = sn_operand(sum, 0);
  if (!sn_is_reduce(sum, "add") || !mlirTypeEqual(sn_element(sn_type_of(v)), sn_type_of(sn_result(sum, 0))))
    return false;
  if (is_exp_under(v, maximum))
    return true;
  MlirOperation mul = sn_def(v, "arith.mulf");
  for (int k = 0; k < 2 && !sn_null(mul); ++k)
    if (is_exp_under(sn_operand(mul, k), maximum) && sn_row_level(p, sn_operand(mul, 1 - k)) <= at)
      return true;
  return false;
}

static bool keeps_else(const SnRowProgram *p, MlirOperation maximum, size_t at) {
  return p->kept.size > 1 ||
         (p->kept.size && (p->kept.data[0].first != (int)at + 1 || !is_exp_under(p->kept.data[0].value, maximum)));
}

MlirOperation sn_row_online(const SnRowProgram *p, size_t at) {
  MlirOperation none = {0};
  if (at + 1 >= p->phases.size || p->row_lanes > 1 || p->phases.data[at].yields.size ||
      p->phases.data[at + 1].yields.size)
    return none;
  const SnPhase *first = &p->phases.data[at], *second = &p->phases.data[at + 1];
  for (size_t i = 0; i < first->reduces.size && second->reduces.size; ++i) {
    MlirOperation maximum = first->reduces.data[i];
    MlirType t = sn_type_of(sn_result(maximum, 0));
    bool all = sn_is_reduce(maximum, "maximumf") && mlirTypeEqual(sn_element(sn_type_of(sn_operand(maximum, 0))), t) &&
               (mlirTypeIsAF32(t) || mlirTypeIsAF64(t));
    for (size_t k = 0; k < second->reduces.size; ++k)
      all = all && is_scaled(p, second->reduces.data[k], maximum, (int)at);
    if (all && !keeps_else(p, maximum, at))
      return maximum;
  }
  return none;
}

void sn_row_mark_exponentials(const SnRowProgram *p) {
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    MlirOperation maximum = sn_is(op, "math.exp") ? sn_exp_under_maximum(sn_result(op, 0)) : (MlirOperation){0};
    if (!sn_null(maximum) && sn_is_reduce(maximum, "maximumf") &&
        mlirTypeIsAF32(sn_element(sn_type_of(sn_result(op, 0)))))
      sn_set_attr(op, "sinter.not_positive", sn_unit(mlirOperationGetContext(op)));
  }
}
