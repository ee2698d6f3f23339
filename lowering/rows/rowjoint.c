// rowjoint.c: two reductions of a row program, the second of which depends on the first, that one loop can make.
//
//   %m = sinter.row_reduce maximumf %x                 %s = sinter.row_reduce add %x
//   %e = math.exp (arith.subf %x, %m)                  %m = f(%s)
//   %t = sinter.row_reduce add %e                      %d = arith.subf %x, %m
//                                                      %v = sinter.row_reduce add (%d * %d)
//
// What is known of the second for one value of the first gives it for another: exponentials are scaled, squares are
// moved to another mean. How a lowering does so is its own.

#include "dialect/under_maximum.h"
#include "lowering/rows/rowjoint.h"

// ---- a maximum, and exponentials under it -------------------------------------------

// The sum is of exponentials under the maximum. Of one type: what accumulates wider stays with two phases.
static bool is_online(MlirOperation max, MlirOperation sum) {
  MlirType t = sn_type_of(sn_result(max, 0));
  MlirOperation under = sn_is_reduce(sum, "add") ? sn_exp_under_maximum(sn_operand(sum, 0)) : (MlirOperation){0};
  return !sn_null(under) && mlirOperationEqual(under, max) && mlirTypeEqual(t, sn_type_of(sn_result(sum, 0))) &&
         mlirTypeEqual(t, sn_element(sn_type_of(sn_operand(max, 0)))) && sn_bits(t) >= 32;
}

static void add(SnRowJoints *j, MlirOperation first, MlirOperation second, MlirValue from) {
  j->pairs[j->n++] = (SnRowJoint){.first = first, .second = second, .from = from};
}

void sn_row_find_exponentials(SnRowJoints *j, const SnRowProgram *p) {
  if (!sn_row_length(p->form)) // the sum of no exponentials is 0
    return;
  for (size_t i = 0; i + 1 < p->phases.size; ++i)
    for (size_t r = 0; r < p->phases.data[i].reduces.size; ++r)
      for (size_t k = 0; k < p->phases.data[i + 1].reduces.size && j->n < SN_ROW_JOINTS; ++k) {
        MlirOperation max = p->phases.data[i].reduces.data[r], sum = p->phases.data[i + 1].reduces.data[k];
        if (!sn_row_joint_of_first(j, max) && is_online(max, sum))
          add(j, max, sum, (MlirValue){0});
      }
}

// ---- a sum, and squares about a number that depends on it -----------------------------

// What elements of the sum's row are taken from, if the other is a sum of squares of such differences; else null.
static MlirValue taken_from(MlirOperation sum, MlirOperation squares) {
  MlirValue none = {0};
  MlirType t = sn_type_of(sn_result(sum, 0));
  MlirOperation square = sn_def(sn_operand(squares, 0), "arith.mulf");
  if (!sn_is_reduce(sum, "add") || !sn_is_reduce(squares, "add") || sn_null(square) ||
      !sn_same(sn_operand(square, 0), sn_operand(square, 1)))
    return none;
  MlirOperation sub = sn_def(sn_operand(square, 0), "arith.subf");
  MlirValue from = sn_null(sub) ? none : sn_broadcast_of(sn_operand(sub, 1));
  if (sn_none(from) || !sn_same(sn_operand(sub, 0), sn_operand(sum, 0)))
    return none;
  bool same = mlirTypeEqual(t, sn_type_of(sn_result(squares, 0))) &&
              mlirTypeEqual(t, sn_element(sn_type_of(sn_operand(sum, 0)))) &&
              mlirTypeEqual(t, sn_element(sn_type_of(sn_operand(squares, 0))));
  return same && sn_is_float(t) && sn_bits(t) >= 32 ? from : none;
}

void sn_row_find_squares(SnRowJoints *j, const SnRowProgram *p) {
  for (size_t i = 0; i + 1 < p->phases.size; ++i)
    for (size_t r = 0; r < p->phases.data[i].reduces.size; ++r)
      for (size_t k = 0; k < p->phases.data[i + 1].reduces.size && j->n < SN_ROW_JOINTS; ++k) {
        MlirOperation sum = p->phases.data[i].reduces.data[r], squares = p->phases.data[i + 1].reduces.data[k];
        MlirValue from = taken_from(sum, squares);
        if (!sn_none(from) && !sn_row_joint_of_first(j, sum) && !sn_row_joint_of_second(j, squares))
          add(j, sum, squares, from);
      }
}

// ---- reading ----------------------------------------------------------------------------

const SnRowJoint *sn_row_joint_of_first(const SnRowJoints *j, MlirOperation reduce) {
  for (size_t i = 0; i < j->n; ++i)
    if (mlirOperationEqual(j->pairs[i].first, reduce))
      return &j->pairs[i];
  return NULL;
}

const SnRowJoint *sn_row_joint_of_second(const SnRowJoints *j, MlirOperation reduce) {
  for (size_t i = 0; i < j->n; ++i)
    if (mlirOperationEqual(j->pairs[i].second, reduce))
      return &j->pairs[i];
  return NULL;
}

size_t sn_row_joint_values(const SnRowJoints *j, MlirOperation reduce) {
  if (sn_row_joint_of_second(j, reduce))
    return 0;
  const SnRowJoint *own = sn_row_joint_of_first(j, reduce);
  return !own ? 1 : sn_row_joint_is_squares(own) ? 3 : 2;
}
