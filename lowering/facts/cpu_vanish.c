// cpu_vanish.c: rows that are 0 where a mask makes what they are computed of -inf, or -1e9.
//
//   %x = arith.select %mask, -inf, %s
//   %p = math.exp (%x - %m)                        0, under any number, of -inf
//   %p = 1 / (1 + math.exp (arith.negf %x))        0, of sigmoid attention
//   %p = arith.maximumf %x, 0                      0, of relu attention;  and what is times such: gradients
//   %p = arith.select %mask, 0, %ds                0: a gradient of such a row
//   %p = math.exp (%x - %m)                        0 of -1e9, too, where %m, a number of each column, or of each row,
//                                                  is above -1e9
//
// Numbers are followed through the body as if all of its rows were there. What is no number elsewhere is not seen.
//
// test: test/passes/explain/vanish.mlir, test/run/chains_masked.mlir

#include "dialect/row_ops.h"
#include "lowering/facts/cpu_forms.h"
#include <math.h>

// What a value is under the mask.
typedef struct {
  MlirValue v;
  double is;
} Known;
typedef SN_VEC(Known) Knowns;

// An end, and what is known there.
typedef struct {
  const SnForm *f;
  SnCpuWhere where;
  SnCpuEnd *end;
  bool assumes; // references of exponentials are far above what their rows are
  Knowns all;
} Vanish;

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

// ---- references that are inputs -----------------------------------------------------------------

// 1 + the input that v is, a number of each row; 0: none.
static int64_t of_rows(const SnForm *f, MlirValue v) {
  MlirValue scalar = sn_broadcast_of(v);
  for (size_t k = sn_first_input(f); k < f->inputs.size && !sn_none(scalar); ++k) {
    const SnAccess *a = &f->inputs.data[k];
    if (sn_same(scalar, sn_input_argument(f, k)) && !a->through.ptr && !a->fill.ptr)
      return (int64_t)k + 1;
  }
  return 0;
}

// 1 + the input that v is, a number of each column that all rows have which the first product's columns have; 0: none.
static int64_t of_columns(const SnForm *f, MlirValue v) {
  SnGroup columns = sn_group(f, 0);
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k) {
    const SnAccess *a = &f->inputs.data[k];
    if (!sn_same(v, sn_input_argument(f, k)) || a->through.ptr || a->fill.ptr || columns.num_dims != 1 ||
        !sn_map_uses(a->map, columns.first) || !f->products.size)
      continue;
    bool shared = true;
    size_t side = sn_side_uses(f, 1, columns.first) ? 1 : 0; // of the first product, that with columns
    for (int64_t d = 0; d < f->num_rows; ++d)
      shared &= !sn_map_uses(a->map, (intptr_t)d) || sn_side_uses(f, side, d);
    return shared ? (int64_t)k + 1 : 0;
  }
  return 0;
}

// An exponential of a low number under such a reference: 0, where that is above what is noted.
static bool assumed(Vanish *v, MlirOperation op) {
  MlirOperation sub = sn_is(op, "math.exp") ? sn_def(sn_operand(op, 0), "arith.subf") : (MlirOperation){0};
  MlirType t = sn_element(sn_type_of(sn_result(op, 0)));
  if (!v->assumes || sn_null(sub) || !sn_is_float(t) || sn_bits(t) < 32)
    return false;
  double low = number_of(&v->all, sn_operand(sub, 0));
  int64_t column = of_columns(v->f, sn_operand(sub, 1)), under = column ? column : of_rows(v->f, sn_operand(sub, 1));
  if (!(low <= SN_CPU_LOW) || !under || (v->end->under && v->end->under != under))
    return false;
  double above = sn_cpu_above(low, sn_bits(t) > 32);
  v->end->above = v->end->under ? fmax(v->end->above, above) : above;
  v->end->under = under;
  return true;
}

// ---- the body ------------------------------------------------------------------------------------

// What the mask itself says of a result: a row that it makes low, a condition.
static double said(const Vanish *v, MlirOperation op) {
  MlirValue x = sn_result(op, 0);
  MlirType t = sn_element(sn_type_of(x));
  SnCpuEnd own;
  double is;
  if (sn_is(op, "arith.select") && sn_cpu_masked(v->f, x, v->where, &own, &is) && sn_cpu_same_end(&own, v->end))
    return is;
  for (int truth = 0; truth < 2 && sn_is_int(t) && sn_bits(t) == 1; ++truth)
    if (sn_cpu_holds(v->f, x, truth, v->where, &own) && sn_cpu_same_end(&own, v->end))
      return truth;
  return NAN;
}

static bool walk(Vanish *v) {
  bool any = false, can = true;
  for (MlirOperation op = mlirBlockGetFirstOperation(v->f->body); !sn_null(op) && can;
       op = mlirOperationGetNextInBlock(op)) {
    if (sn_row_op_has(op, SN_READS_MATRIX)) {
      any = true;
      can = number_of(&v->all, sn_operand(op, 0)) == 0;
    } else if (sn_row_op_of(op) && sn_row_op_has(op, SN_READS_ALL)) {
      can = false;
    } else if (sn_num_results(op) == 1) {
      double is = said(v, op);
      is = isnan(is) ? computed(&v->all, op) : is;
      is = isnan(is) && assumed(v, op) ? 0 : is;
      if (!isnan(is))
        sn_push(&v->all, ((Known){sn_result(op, 0), is}));
    }
  }
  return can && any;
}

// All that is multiplied again is 0 at that end.
static bool vanish_at(const SnForm *f, SnCpuWhere where, SnCpuEnd *end) {
  bool can = false;
  for (int assumes = 0; assumes < 2 && !can; ++assumes) {
    Vanish v = {.f = f, .where = where, .end = end, .assumes = assumes};
    can = walk(&v);
    sn_vec_free(&v.all);
  }
  return can;
}

bool sn_cpu_vanish(const SnForm *f, SnCpuWhere where, SnCpuEnd *end) {
  SnCpuEnd last;
  double number;
  bool tried = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "arith.select") && sn_cpu_masked(f, sn_result(op, 0), where, end, &number) &&
        !(tried && sn_cpu_same_end(end, &last))) {
      if (vanish_at(f, where, end))
        return true;
      last = *end;
      tried = true;
    }
  return false;
}
