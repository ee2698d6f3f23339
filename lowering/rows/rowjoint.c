// rowjoint.c: reductions of two phases of a row program that one loop can make, though the second depends on the first.
//
//   %m = sinter.row_reduce maximumf %x                 %s = sinter.row_reduce add %x                   phase 0
//   %e = math.exp (arith.subf %x, %m)                  %m = f(%s)
//   %t = sinter.row_reduce add %e                      %d = arith.subf %x, %m
//   %u = sinter.row_reduce add (%e * %y)               %v = sinter.row_reduce add (%d * %d)            phase 1
//
// What is known of the second for one value of the first gives it for another: a sum of exponentials under m is one
// under m' times exp(m - m'), if %y is known without m; squares are moved to another mean. A lowering may so keep a
// running maximum, or mean, and read the row once. How it does is its own.

#include "dialect/under_maximum.h"
#include "lowering/rows/rowjoint.h"

#define MOST_PAIRS 4

static void add(SnRowJoints *j, size_t phase, MlirOperation first, MlirOperation second, MlirValue from) {
  j->pairs[j->n++] = (SnRowJoint){.phase = phase, .first = first, .second = second, .from = from};
}

// The reduction's row has elements of its type, of 32 bits or more: what accumulates wider keeps its own phase.
static bool accumulates_as_is(MlirOperation reduce) {
  MlirType t = sn_type_of(sn_result(reduce, 0));
  return mlirTypeEqual(t, sn_element(sn_type_of(sn_operand(reduce, 0)))) && sn_is_float(t) && sn_bits(t) >= 32;
}

// ---- a maximum, and exponentials under it -------------------------------------------

static bool is_exp_under(MlirValue v, MlirOperation maximum) {
  MlirOperation of = sn_exp_under_maximum(v);
  return !sn_null(of) && mlirOperationEqual(of, maximum);
}

static bool sums_exponentials(MlirOperation sum, MlirOperation maximum) {
  return sn_is_reduce(sum, "add") && accumulates_as_is(sum) && is_exp_under(sn_operand(sum, 0), maximum);
}

// The same, or each of them times what is known in phase `at`.
static bool sums_scaled(const SnRowProgram *p, MlirOperation sum, MlirOperation maximum, int at) {
  MlirOperation mul = sn_def(sn_operand(sum, 0), "arith.mulf");
  if (sn_null(mul) || !sn_is_reduce(sum, "add") || !accumulates_as_is(sum))
    return sums_exponentials(sum, maximum);
  for (int k = 0; k < 2; ++k)
    if (is_exp_under(sn_operand(mul, k), maximum) && sn_row_level(p, sn_operand(mul, 1 - k)) <= at)
      return true;
  return false;
}

static bool keeps_else(const SnRowProgram *p, MlirOperation maximum, size_t at) {
  return p->kept.size > 1 ||
         (p->kept.size && (p->kept.data[0].first != (int)at + 1 || !is_exp_under(p->kept.data[0].value, maximum)));
}

// The maximum of phase `at` under which all that the next one does is such sums.
static MlirOperation maximum_of_next(const SnRowProgram *p, size_t at) {
  const SnPhase *first = &p->phases.data[at], *second = &p->phases.data[at + 1];
  for (size_t i = 0; i < first->reduces.size; ++i) {
    MlirOperation maximum = first->reduces.data[i];
    bool all = sn_is_reduce(maximum, "maximumf") && accumulates_as_is(maximum) && !keeps_else(p, maximum, at);
    for (size_t k = 0; k < second->reduces.size; ++k)
      all = all && sums_scaled(p, second->reduces.data[k], maximum, (int)at);
    if (all)
      return maximum;
  }
  return (MlirOperation){0};
}

void sn_row_join_phases(SnRowJoints *j, const SnRowProgram *p) {
  for (size_t i = 0; i + 1 < p->phases.size && p->row.rows == 1; ++i) {
    const SnPhase *next = &p->phases.data[i + 1];
    if (p->phases.data[i].yields.size || next->yields.size || !next->reduces.size)
      continue;
    MlirOperation maximum = maximum_of_next(p, i);
    for (size_t k = 0; k < next->reduces.size && !sn_null(maximum); ++k)
      add(j, i, maximum, next->reduces.data[k], (MlirValue){0});
    i += !sn_null(maximum); // the next phase has no loop to join
  }
}

void sn_row_join_exponentials(SnRowJoints *j, const SnRowProgram *p) {
  if (!sn_row_length(p->form)) // the sum of no exponentials is 0
    return;
  for (size_t i = 0; i + 1 < p->phases.size; ++i)
    for (size_t r = 0; r < p->phases.data[i].reduces.size; ++r)
      for (size_t k = 0; k < p->phases.data[i + 1].reduces.size && j->n < MOST_PAIRS; ++k) {
        MlirOperation max = p->phases.data[i].reduces.data[r], sum = p->phases.data[i + 1].reduces.data[k];
        if (!sn_row_joint_of_first(j, max) && accumulates_as_is(max) && sums_exponentials(sum, max))
          add(j, i, max, sum, (MlirValue){0});
      }
}

void sn_row_mark_exponentials(const SnRowProgram *p) {
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    MlirOperation maximum = sn_is(op, "math.exp") ? sn_exp_under_maximum(sn_result(op, 0)) : (MlirOperation){0};
    if (!sn_null(maximum) && sn_is_reduce(maximum, "maximumf") &&
        mlirTypeIsAF32(sn_element(sn_type_of(sn_result(op, 0)))))
      sn_set_attr(op, "sinter.not_positive", sn_unit(mlirOperationGetContext(op)));
  }
}

// ---- a sum, and squares about a number that depends on it -----------------------------

// What elements of the sum's row are taken from, if the other is a sum of squares of such differences; else null.
static MlirValue taken_from(MlirOperation sum, MlirOperation squares) {
  MlirValue none = {0};
  MlirOperation square = sn_def(sn_operand(squares, 0), "arith.mulf");
  if (!sn_is_reduce(sum, "add") || !sn_is_reduce(squares, "add") || sn_null(square) ||
      !sn_same(sn_operand(square, 0), sn_operand(square, 1)))
    return none;
  MlirOperation sub = sn_def(sn_operand(square, 0), "arith.subf");
  MlirValue from = sn_null(sub) ? none : sn_broadcast_of(sn_operand(sub, 1));
  if (sn_none(from) || !sn_same(sn_operand(sub, 0), sn_operand(sum, 0)))
    return none;
  return accumulates_as_is(sum) && accumulates_as_is(squares) ? from : none;
}

void sn_row_join_squares(SnRowJoints *j, const SnRowProgram *p) {
  for (size_t i = 0; i + 1 < p->phases.size; ++i)
    for (size_t r = 0; r < p->phases.data[i].reduces.size; ++r)
      for (size_t k = 0; k < p->phases.data[i + 1].reduces.size && j->n < MOST_PAIRS; ++k) {
        MlirOperation sum = p->phases.data[i].reduces.data[r], squares = p->phases.data[i + 1].reduces.data[k];
        MlirValue from = taken_from(sum, squares);
        if (!sn_none(from) && !sn_row_joint_of_first(j, sum) && !sn_row_joint_of_second(j, squares))
          add(j, i, sum, squares, from);
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

const SnRowJoint *sn_row_joint_in(const SnRowJoints *j, size_t phase) {
  for (size_t i = 0; i < j->n; ++i)
    if (j->pairs[i].phase == phase)
      return &j->pairs[i];
  return NULL;
}

size_t sn_row_joint_values(const SnRowJoints *j, MlirOperation reduce) {
  if (sn_row_joint_of_second(j, reduce))
    return 0;
  const SnRowJoint *own = sn_row_joint_of_first(j, reduce);
  return !own ? 1 : sn_row_joint_is_squares(own) ? 3 : 2;
}
