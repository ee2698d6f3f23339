// cpu_vanish.c: rows that are 0 where a mask makes what they are computed of -inf, or -1e9.
//
//   %x = arith.select %mask, -inf, %s
//   %p = math.exp (%x - %m)                        0, under any number, of -inf
//   %p = 1 / (1 + math.exp (arith.negf %x))        0, of sigmoid attention
//   %p = arith.maximumf %x, 0                      0, of relu attention;  and what is times such: gradients
//
// Numbers are followed through the body as if all of its rows were there. What is no number elsewhere is not seen.
//
// test: test/passes/explain/vanish.mlir, test/run/chains_masked.mlir

#include "dialect/row_ops.h"
#include "lowering/facts/cpu_forms.h"
#include <math.h>

typedef bool Masked(const SnForm *f, MlirValue row, SnCpuEnd *end, double *number);

// What a value is under the mask.
typedef struct {
  MlirValue v;
  double is;
} Known;
typedef SN_VEC(Known) Knowns;

enum { MOST_EXACT = 256 }; // whole numbers up to here are themselves in every type of floats

// So far from 0, in each type, that functions give what they give of infinity. Finite ones are not rounded here.
static bool is_far(double x) { return fabs(x) >= -SN_CPU_LOW; }

// The number that v is, or NaN.
static double number_of(const Knowns *all, MlirValue v) {
  double number;
  if (sn_attr_number(sn_constant_of(v), &number))
    return number;
  for (size_t i = all->size; i-- > 0;)
    if (sn_same(all->data[i].v, v))
      return all->data[i].is;
  return NAN;
}

// Only what no type rounds.
static double exact(double x) { return isinf(x) || (fabs(x) <= MOST_EXACT && x == floor(x)) ? x : NAN; }

static double sum_of(double x, double y) {
  return isinf(x) && isnan(y) ? x : isinf(y) && isnan(x) ? y : exact(exact(x) + exact(y));
}

static double product_of(double x, double y) {
  return (x == 0 && !isinf(y)) || (y == 0 && !isinf(x)) ? 0 : exact(exact(x) * exact(y));
}

static double quotient_of(double x, double y) {
  return (isinf(y) && !isinf(x)) || (x == 0 && y != 0) ? 0 : exact(exact(x) / exact(y));
}

// By a predicate of arith.cmpf, of numbers that are ordered: 1, 0, or NaN.
static double compared(int64_t predicate, double x, double y) {
  enum { EQUAL = 1, GREATER = 2, LESS = 4 };
  static const int holds[] = {0, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 0, 7}; // never, oeq, ogt, oge, olt, ...
  bool alike = is_far(x) && is_far(y) && (x < 0) == (y < 0) && !(isinf(x) && isinf(y));
  if (isnan(x) || isnan(y) || alike)
    return NAN;
  return holds[predicate] & (x == y ? EQUAL : x > y ? GREATER : LESS) ? 1 : 0;
}

static double selected(const Knowns *all, MlirOperation op) {
  double condition = number_of(all, sn_operand(op, 0)), x = number_of(all, sn_operand(op, 1)),
         y = number_of(all, sn_operand(op, 2));
  return condition == 1 ? x : condition == 0 || x == y ? y : NAN;
}

static double function_of(MlirOperation op, double x) {
  bool far = is_far(x);
  if (sn_is(op, "math.exp"))
    return far || x == 0 ? exp(x) : NAN;
  if (sn_is(op, "math.tanh"))
    return far || x == 0 ? tanh(x) : NAN;
  return sn_is(op, "arith.negf")                                      ? -x
         : sn_is(op, "arith.extf") || sn_is(op, "arith.truncf")       ? (far ? x : exact(x))
         : sn_is(op, "sinter.broadcast") || sn_is(op, "sinter.detach") ? x
                                                                       : NAN;
}

static double computed(const Knowns *all, MlirOperation op) {
  if (sn_is(op, "arith.select"))
    return selected(all, op);
  if (sn_num_operands(op) == 1)
    return function_of(op, number_of(all, sn_operand(op, 0)));
  if (sn_num_operands(op) != 2)
    return NAN;
  double x = number_of(all, sn_operand(op, 0)), y = number_of(all, sn_operand(op, 1));
  if (sn_is(op, "arith.cmpf"))
    return compared(sn_int_attr(op, "predicate", 0), x, y);
  if (sn_is(op, "arith.maximumf") || sn_is(op, "arith.maxnumf"))
    return isnan(x) || isnan(y) ? NAN : fmax(x, y);
  return sn_is(op, "arith.addf")   ? sum_of(x, y)
         : sn_is(op, "arith.subf") ? sum_of(x, -y)
         : sn_is(op, "arith.mulf") ? product_of(x, y)
         : sn_is(op, "arith.divf") ? quotient_of(x, y)
                                   : NAN;
}

// All that is multiplied again is 0 where the rows that `masked` says so of, up to that end, are -inf.
static bool vanish_at(const SnForm *f, Masked *masked, const SnCpuEnd *end) {
  Knowns all = {0};
  bool any = false, can = true;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op) && can;
       op = mlirOperationGetNextInBlock(op)) {
    SnCpuEnd own;
    if (sn_row_op_has(op, SN_READS_MATRIX)) {
      any = true;
      can = number_of(&all, sn_operand(op, 0)) == 0;
    } else if (sn_row_op_of(op) && sn_row_op_has(op, SN_READS_ALL)) {
      can = false;
    } else if (sn_num_results(op) == 1) {
      double is = 0;
      bool least = sn_is(op, "arith.select") && masked(f, sn_result(op, 0), &own, &is) && sn_cpu_same_end(&own, end);
      is = least ? is : computed(&all, op);
      if (!isnan(is))
        sn_push(&all, ((Known){sn_result(op, 0), is}));
    }
  }
  sn_vec_free(&all);
  return can && any;
}

static bool vanish(const SnForm *f, Masked *masked, SnCpuEnd *end) {
  SnCpuEnd last;
  double number;
  bool tried = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "arith.select") && masked(f, sn_result(op, 0), end, &number) &&
        !(tried && sn_cpu_same_end(end, &last))) {
      if (vanish_at(f, masked, end))
        return true;
      last = *end;
      tried = true;
    }
  return false;
}

bool sn_cpu_vanish_from(const SnForm *f, SnCpuEnd *end) { return vanish(f, sn_cpu_masked_from, end); }
bool sn_cpu_vanish_below(const SnForm *f, SnCpuEnd *end) { return vanish(f, sn_cpu_masked_below, end); }
bool sn_cpu_given_vanish(const SnForm *f, SnCpuEnd *end) { return vanish(f, sn_cpu_given_from, end); }
