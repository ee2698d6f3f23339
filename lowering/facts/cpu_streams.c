// cpu_streams.c: whether rows that are multiplied again have to be whole before they are.
//
//   %m = sinter.row_reduce maximumf %x              a maximum so far
//   %e = math.exp (%x - broadcast %m)               under it
//   %s = sinter.row_reduce add %e                   a sum so far: times exp(m - m') where the maximum grows to m'
//   %u = sinter.row_product (%e * broadcast (1 / %s)), %v      the same, and times 1 / s at the row's end
//
// A row of the first group may be made a block of columns at a time where each of its values is needed but for these:
// reductions of what is known of a column by itself, sums of exponentials under one maximum, and products of either
// with a matrix. Rounding to a half type may stand in front of the product: what is rounded is then the exponential,
// which is as exact as the quotient.
//
// No finite result becomes an infinity by it. The factor is 1 / %s, from 1 / columns to 1: any other might be so small
// that the program's numbers are finite only with it. And what is added up while the row grows is larger than what it
// stands for, under a lower maximum and without the factor: sums that this may take out of range are of exponentials
// times a power of two that is 1 / columns at most (sn_cpu_weights_scaled).
//
// test: test/lowering/cpu/stream.mlir

#include "dialect/row_groups.h"
#include "dialect/row_ops.h"
#include "dialect/under_maximum.h"
#include "lowering/facts/cpu_forms.h"

typedef enum {
  KNOWN,       // of a column by itself, or without any
  EXPONENTIAL, // a row of the group: exponentials under the maximum, times what is known
  ROUNDED,     // the same in a half type
  SCALED,      // either, times a number that is known at the row's end
  LATE,        // known at the row's end: all else
} When;

typedef struct {
  const SnForm *f;
  SnRowGroups groups;
  MlirOperation maximum;   // that exponentials are under; null: none yet
  SnMultiplied multiplied; // the first product that takes a row of the group
  int64_t products;
  int64_t others;  // that take a row of the group which is no exponential: reductions, products, results
  const char *why; // it cannot be; NULL: it can so far
  SN_VEC(MlirValue) values;
  SN_VEC(When) when;
} Stream;

static When when(const Stream *s, MlirValue v) {
  for (size_t i = s->values.size; i-- > 0;)
    if (sn_same(s->values.data[i], v))
      return s->when.data[i];
  return LATE;
}

static bool is_streamed_row(const Stream *s, MlirValue v) { return sn_is_row(v) && sn_row_group(&s->groups, v) == 0; }

static bool refused(Stream *s, const char *why) {
  s->why = why;
  return false;
}

static void is(Stream *s, MlirOperation op, When w) {
  for (intptr_t r = 0; r < sn_num_results(op); ++r) {
    sn_push(&s->values, sn_result(op, r));
    sn_push(&s->when, w);
  }
}

static When latest(const Stream *s, MlirOperation op) {
  When w = KNOWN;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    w = when(s, sn_operand(op, k)) > w ? when(s, sn_operand(op, k)) : w;
  return w;
}

// ---- factors ------------------------------------------------------------------------------

static bool is_half(MlirType t) { return sn_is_float(t) && sn_bits(t) < 32; }

// %e * broadcast %s, whichever comes first.
static MlirValue scaled(MlirValue row, MlirValue *s) {
  MlirOperation mul = sn_def(row, "arith.mulf");
  for (int k = 0; k < 2 && !sn_null(mul); ++k) {
    *s = sn_broadcast_of(sn_operand(mul, k));
    if (!sn_none(*s))
      return sn_operand(mul, 1 - k);
  }
  return (MlirValue){0};
}

// The sum that 1 / sum is of; null if the value is nothing like it.
static MlirValue divisor_of_one(MlirValue v) {
  MlirOperation div = sn_def(v, "arith.divf");
  return !sn_null(div) && sn_is_constant(sn_operand(div, 0), 1) ? sn_operand(div, 1) : (MlirValue){0};
}

MlirValue sn_cpu_without_factor(MlirValue row, MlirValue *s) {
  MlirOperation trunc = sn_def(row, "arith.truncf");
  MlirValue e = scaled(sn_null(trunc) ? row : sn_operand(trunc, 0), s), sum = sn_none(e) ? e : divisor_of_one(*s);
  return !sn_none(sum) && !sn_null(sn_sum_under_maximum(sum)) ? e : (MlirValue){0};
}

// ---- what may leave its type's range ---------------------------------------------------------

// A row of exponentials that is multiplied or added up, without what stands behind them.
static MlirValue exponentials_of(MlirOperation op) {
  MlirValue row = sn_operand(op, 0), factor, e = sn_cpu_without_factor(row, &factor);
  MlirOperation trunc = sn_def(row, "arith.truncf");
  return !sn_none(e) ? e : sn_null(trunc) ? row : sn_operand(trunc, 0);
}

// Exponentials, times what is known.
static bool has_exponentials(MlirValue e) {
  MlirOperation mul = sn_def(e, "arith.mulf");
  return !sn_null(sn_exp_under_maximum(e)) ||
         (!sn_null(mul) && (has_exponentials(sn_operand(mul, 0)) || has_exponentials(sn_operand(mul, 1))));
}

static MlirType element_of(MlirValue v) { return sn_element(sn_type_of(v)); }

bool sn_cpu_weights_scaled(MlirOperation op) {
  enum { MOST_COLUMNS = 63 }; // two to this
  MlirValue e = exponentials_of(op);
  bool alone = !sn_null(sn_exp_under_maximum(e)); // 1 at most, each
  if (!alone || !sn_row_op_has(op, SN_READS_MATRIX))
    return !alone && has_exponentials(e);
  return sn_range(element_of(sn_operand(op, 1))) + MOST_COLUMNS > sn_range(element_of(sn_result(op, 0)));
}

// ---- one operation ----------------------------------------------------------------------------

static bool accumulates_as_is(MlirOperation reduce) {
  MlirType t = sn_type_of(sn_result(reduce, 0));
  return mlirTypeEqual(t, sn_element(sn_type_of(sn_operand(reduce, 0)))) && sn_is_float(t) && sn_bits(t) >= 32;
}

static bool reduce(Stream *s, MlirOperation op) {
  MlirValue x = sn_operand(op, 0);
  is(s, op, LATE);
  if (!is_streamed_row(s, x))
    return true;
  if (!sn_get_attr(op, "kind").ptr)
    return refused(s, "a reduction has a combiner of its own");
  s->others += when(s, x) == KNOWN;
  bool fits = when(s, x) == KNOWN || (when(s, x) == EXPONENTIAL && sn_is_reduce(op, "add") && accumulates_as_is(op));
  return fits || refused(s, "a reduction waits for another, and is no sum under its maximum");
}

// The products that take one row take it in one type.
static bool multiply(Stream *s, MlirOperation op) {
  MlirValue x = sn_operand(op, 0), factor;
  is(s, op, LATE);
  if (!is_streamed_row(s, x))
    return true;
  bool same_type =
      when(s, x) != SCALED || (!sn_none(sn_cpu_without_factor(x, &factor)) &&
                               mlirTypeEqual(sn_type_of(factor), sn_element(sn_type_of(sn_result(op, 0)))));
  SnMultiplied m = {sn_element(sn_type_of(x)),
                    sn_element(sn_type_of(sn_operand(op, 1))),
                    sn_element(sn_type_of(sn_result(op, 0))),
                    {0, 0},
                    0};
  if (s->products++ && !(mlirTypeEqual(m.b, s->multiplied.b) && mlirTypeEqual(m.sum, s->multiplied.sum)))
    return refused(s, "rows are multiplied again by matrices of several types");
  // Half types of a small range: they would vanish.
  if (sn_cpu_weights_scaled(op) && sn_range(m.a) < sn_range(mlirF32TypeGet(mlirOperationGetContext(op))))
    return refused(s, "weights in a type of small range may be more than 1 while a row grows");
  s->multiplied = m;
  s->others += when(s, x) == KNOWN;
  return (when(s, x) <= SCALED && same_type) ||
         refused(s, "what is multiplied again is known at the row's end, and no softmax");
}

static bool exponential(Stream *s, MlirOperation op) {
  MlirOperation m = sn_exp_under_maximum(sn_result(op, 0));
  bool fits = !sn_null(m) && sn_is_reduce(m, "maximumf") && accumulates_as_is(m) &&
              is_streamed_row(s, sn_operand(m, 0)) && when(s, sn_operand(m, 0)) == KNOWN &&
              (sn_null(s->maximum) || mlirOperationEqual(m, s->maximum));
  if (fits)
    s->maximum = m;
  return fits;
}

static When elementwise(Stream *s, MlirOperation op) {
  When w = latest(s, op);
  if (w == KNOWN)
    return KNOWN;
  MlirValue result = sn_result(op, 0), factor;
  if (sn_is(op, "math.exp") && is_streamed_row(s, result) && exponential(s, op))
    return EXPONENTIAL;
  if (sn_is(op, "arith.mulf") && w == EXPONENTIAL)
    return when(s, sn_operand(op, 0)) == KNOWN || when(s, sn_operand(op, 1)) == KNOWN ? EXPONENTIAL : LATE;
  if (sn_is(op, "arith.mulf") && is_streamed_row(s, result)) {
    MlirValue e = sn_cpu_without_factor(result, &factor);
    bool fits = !sn_none(e) && when(s, e) == EXPONENTIAL &&
                mlirOperationEqual(sn_sum_under_maximum(divisor_of_one(factor)), s->maximum);
    return fits ? SCALED : LATE;
  }
  MlirValue x = sn_operand(op, 0);
  if (sn_is(op, "arith.truncf") && is_half(sn_element(sn_type_of(result))))
    return when(s, x) == EXPONENTIAL                                   ? ROUNDED
           : when(s, x) == SCALED && !sn_null(sn_def(x, "arith.mulf")) ? SCALED
                                                                       : LATE;
  return LATE;
}

static bool place(Stream *s, MlirOperation op) {
  if (sn_row_op_has(op, SN_READS_MATRIX))
    return multiply(s, op);
  if (sn_row_op_has(op, SN_READS_ALL))
    return reduce(s, op);
  if (!sn_num_results(op)) { // an assert
    ++s->others;
    return latest(s, op) == KNOWN || refused(s, "a condition is known at the row's end");
  }
  if (sn_row_op_has(op, SN_READS_ONE) && is_streamed_row(s, sn_operand(op, 0)))
    return refused(s, "one of its elements is asked for");
  is(s, op, elementwise(s, op));
  return true;
}

static bool streams(const SnForm *f, Stream *of) {
  Stream s = {.f = f};
  int64_t one, other;
  bool can = sn_num_groups(f) > 1;
  sn_row_groups(f, false, &s.groups, &one, &other);
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(f->body); ++k) {
    MlirValue v = mlirBlockGetArgument(f->body, k);
    bool of_others = k < (intptr_t)f->products.size && sn_group_of_product(f, (size_t)k);
    sn_push(&s.values, v);
    sn_push(&s.when, of_others ? LATE : KNOWN);
  }
  MlirOperation end = mlirBlockGetTerminator(f->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !mlirOperationEqual(op, end) && can;
       op = mlirOperationGetNextInBlock(op))
    can = place(&s, op);
  for (intptr_t k = 0; k < sn_num_operands(end) && can; ++k) {
    bool result = is_streamed_row(&s, sn_operand(end, k));
    s.others += result;
    can = !result || when(&s, sn_operand(end, k)) == KNOWN || refused(&s, "it stores rows that are known at their end");
  }
  of->why = s.why         ? s.why
            : !s.products ? "its rows are not multiplied again"
            : can         ? NULL
                          : "its rows are needed whole";
  can &= s.products > 0;
  sn_row_groups_free(&s.groups);
  sn_vec_free(&s.values);
  sn_vec_free(&s.when);
  of->maximum = s.maximum;
  of->others = s.others;
  return can;
}

bool sn_cpu_streams(const SnForm *f) {
  Stream s;
  return streams(f, &s);
}

const char *sn_cpu_not_streamed(const SnForm *f) {
  Stream s;
  return streams(f, &s) ? NULL : s.why;
}

// What is asked of a row is exponentials under its maximum alone.
static bool is_softmax(const SnForm *f, Stream *s) {
  enum { THE_MAXIMUM = 1 };
  return streams(f, s) && !sn_null(s->maximum) && s->others == THE_MAXIMUM;
}

// Of a softmax: a mask's -inf is never asked for, another number not where something greater by far was kept.
static bool softmax_left_out(const SnForm *f, SnCpuWhere where, SnCpuEnd *end) {
  Stream s;
  double low;
  if (!is_softmax(f, &s))
    return false;
  MlirValue x = sn_operand(s.maximum, 0);
  if (sn_cpu_masked(f, x, where, end, NULL))
    return true;
  if (!sn_cpu_masked(f, x, where, end, &low))
    return false;
  end->above = sn_cpu_above(low, !mlirTypeIsAF32(element_of(x)));
  return true;
}

bool sn_cpu_left_out(const SnForm *f, SnCpuWhere where, SnCpuEnd *end) {
  return softmax_left_out(f, where, end) || sn_cpu_vanish(f, where, end);
}
