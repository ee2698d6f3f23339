// cpu_ends.c: from which column on a row is -inf, or below which one, by a comparison of positions.
//
//   %m = arith.cmpi sgt, (sinter.index j), broadcast (sinter.index i)
//   %x = arith.select %m, -inf, %s                                          ->    from column i + 1 on
//
//   %m = arith.cmpi slt, (sinter.index j), broadcast %n                     ->    from column %n on
//
//   arith.andi %m, (arith.cmpi sge, (sinter.index j), 100)                  ->    from the greater of i + 1 and 100 on
//   arith.andi %m, (arith.cmpi sge, (sinter.index i), 100)                  ->    the same, of rows from 100 on
//
//   arith.select %m, (arith.addf %s, -3.4e38), %s                           ->    of such a number (sn_cpu_swallows)
//
// What is -inf under a maximum has an exponential of 0: where nothing else is asked of a row, blocks of its columns
// that are such alone need not be made (a causal mask's upper half). Rows of gradients have exponentials under a number
// that is known, and are 0 there, too. Of a finite number, -1e9, that is so where the maximum is above it by 104 or
// more: who leaves blocks out looks at the maxima of what was made, and makes them where one is not
// (docs/attention.md).
//
// test: test/lowering/cpu/stream.mlir, test/run/chains_masked.mlir

#include "dialect/row_ops.h"
#include "lowering/facts/cpu_forms.h"
#include "lowering/rows/rowmemory.h"
#include <float.h>
#include <math.h>

// column * (position in the row) + row * (position in row dimension `dim`) + more + times * (the number of an input,
// which is `given` less 1).
typedef struct {
  int64_t column, row, dim, more, given, times;
} Linear;

enum { LEAST_BITS = 32, MOST = 1 << 30 }; // numbers that no sum of a few wraps around

static bool is_position(const SnForm *f, MlirOperation index, Linear *l) {
  intptr_t d = sn_row_named_dim(f, index);
  SnGroup first = sn_group(f, 0);
  *l = d < f->num_rows ? (Linear){.row = 1, .dim = d} : (Linear){.column = 1, .dim = -1};
  return d < f->num_rows || (first.num_dims == 1 && d == first.first);
}

static bool is_number(MlirValue v, Linear *l) {
  double number;
  *l = (Linear){.dim = -1};
  if (!sn_attr_number(sn_constant_of(v), &number) || fabs(number) > MOST)
    return false;
  l->more = (int64_t)number;
  return true;
}

// A number of each row that an input gives, as it is: what is added to it may leave its type.
static bool is_given(const SnForm *f, MlirValue v, Linear *l) {
  MlirType t = sn_type_of(v);
  if (!sn_is_int(t) || sn_bits(t) < LEAST_BITS || sn_bits(t) > 64)
    return false;
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (sn_same(v, sn_input_argument(f, k)) && !f->inputs.data[k].through.ptr && !f->inputs.data[k].fill.ptr) {
      *l = (Linear){.dim = -1, .given = (int64_t)k + 1, .times = 1};
      return true;
    }
  return false;
}

// Positions and a few numbers added to them are themselves in this type.
static bool is_wide(const SnForm *f, MlirType t) {
  bool wide = mlirTypeIsAIndex(t) || (sn_is_int(t) && sn_bits(t) >= LEAST_BITS);
  for (size_t d = 0; d < f->dims.size && wide && !mlirTypeIsAIndex(t) && sn_bits(t) < 64; ++d)
    wide = f->dims.data[d].size != SN_DYNAMIC && f->dims.data[d].size < MOST;
  return wide;
}

static bool linear(const SnForm *f, MlirValue v, Linear *l);

// x + y, or x - y.
static bool combined(const SnForm *f, MlirOperation op, int64_t sign, Linear *l) {
  Linear x, y;
  if (!linear(f, sn_operand(op, 0), &x) || !linear(f, sn_operand(op, 1), &y) ||
      (x.dim >= 0 && y.dim >= 0 && x.dim != y.dim) || x.given || y.given)
    return false;
  *l = (Linear){.column = x.column + sign * y.column,
                .row = x.row + sign * y.row,
                .dim = x.dim >= 0 ? x.dim : y.dim,
                .more = x.more + sign * y.more};
  return llabs(l->more) <= MOST && llabs(l->row) <= 1 && llabs(l->column) <= 1;
}

static bool linear(const SnForm *f, MlirValue v, Linear *l) {
  MlirOperation op = sn_definer(v);
  if (sn_null(op))
    return is_given(f, v, l);
  if (!is_wide(f, sn_element(sn_type_of(v))))
    return false;
  if (is_number(v, l))
    return true;
  if (sn_row_op_of(op) && sn_row_op_of(op)->names_dim)
    return is_position(f, op, l);
  if (!sn_none(sn_broadcast_of(v)))
    return linear(f, sn_broadcast_of(v), l);
  if (sn_is(op, "arith.index_cast") || sn_is(op, "arith.extsi"))
    return linear(f, sn_operand(op, 0), l);
  bool difference = sn_is(op, "arith.subi");
  return (difference || sn_is(op, "arith.addi")) && combined(f, op, difference ? -1 : 1, l);
}

// ---- comparisons --------------------------------------------------------------------------------

enum { SLT = 2, SLE = 3, SGT = 4, SGE = 5 }; // of arith.cmpi

bool sn_cpu_same_end(const SnCpuEnd *a, const SnCpuEnd *b) {
  return a->dim == b->dim && a->factor == b->factor && a->more == b->more && a->least == b->least &&
         a->given == b->given && a->rows == b->rows && a->since == b->since && a->until == b->until;
}

// x compared with y is as a difference compared with 0, whose column, or else row, grows.
static bool difference(const SnForm *f, MlirOperation compare, bool truth, Linear *d, int64_t *predicate) {
  Linear x, y;
  int64_t p = sn_int_attr(compare, "predicate", -1);
  if (p < SLT || p > SGE || !linear(f, sn_operand(compare, 0), &x) || !linear(f, sn_operand(compare, 1), &y) ||
      (x.dim >= 0 && y.dim >= 0 && x.dim != y.dim) || (x.given && y.given))
    return false;
  *d = (Linear){.column = x.column - y.column,
                .row = x.row - y.row,
                .dim = x.dim >= 0 ? x.dim : y.dim,
                .more = x.more - y.more,
                .given = x.given + y.given,
                .times = x.times - y.times};
  if (!truth)
    p = p == SLT ? SGE : p == SGE ? SLT : p == SLE ? SGT : SLE;
  if (d->column < 0 || (!d->column && d->row < 0)) {
    *d = (Linear){-d->column, -d->row, d->dim, -d->more, d->given, -d->times};
    p = p == SLT ? SGT : p == SGT ? SLT : p == SLE ? SGE : SLE;
  }
  *predicate = p;
  return true;
}

// The comparison is true from a column on, or below it.
static bool compares(const SnForm *f, MlirOperation compare, bool truth, SnCpuWhere where, SnCpuEnd *end) {
  Linear d;
  int64_t p;
  if (!difference(f, compare, truth, &d, &p))
    return false;
  *end = (SnCpuEnd){.dim = d.row ? d.dim : -1, .factor = -d.row, .more = -d.more + (p == SGT || p == SLE)};
  bool from = p == SGT || p == SGE;
  if (where != SN_CPU_FROM_GIVEN)
    return !d.given && d.column == 1 && (where == SN_CPU_FROM) == from;
  end->given = d.given;
  end->rows = !d.column;
  return d.given && d.times == -1 && from && d.column + d.row == 1 && d.column * d.row == 0;
}

// It is true of all columns of rows from a number on, or below one.
static bool compares_rows(const SnForm *f, MlirValue condition, bool truth, SnCpuEnd *of) {
  MlirValue scalar = sn_broadcast_of(condition);
  MlirOperation op = sn_definer(sn_none(scalar) ? condition : scalar);
  Linear d;
  int64_t p;
  if (sn_null(op) || !sn_is(op, "arith.cmpi") || !difference(f, op, truth, &d, &p) || d.given || d.column || d.row != 1)
    return false;
  int64_t at = -d.more + (p == SGT || p == SLE);
  *of = (SnCpuEnd){.dim = d.dim};
  if (p == SGT || p == SGE)
    of->since = at;
  else
    of->until = at;
  return of->since > 0 || of->until > 0;
}

static bool holds(const SnForm *f, MlirValue condition, bool truth, SnCpuWhere where, SnCpuEnd *end);

// A condition of columns, which is asked for, and one of rows: it is said of those rows.
static bool hold_in_rows(const SnForm *f, MlirOperation op, bool truth, SnCpuWhere where, SnCpuEnd *end) {
  SnCpuEnd of;
  int rows = compares_rows(f, sn_operand(op, 1), truth, &of);
  if (!rows && !compares_rows(f, sn_operand(op, 0), truth, &of))
    return false;
  if (!holds(f, sn_operand(op, rows ? 0 : 1), truth, where, end) || (end->dim >= 0 && end->dim != of.dim))
    return false;
  end->dim = of.dim;
  end->since = of.since > end->since ? of.since : end->since;
  end->until = of.until && (!end->until || of.until < end->until) ? of.until : end->until;
  return true;
}

// Both conditions are: from the greater of their columns on, where one of them is a number.
static bool hold_both(const SnForm *f, MlirOperation op, bool truth, SnCpuWhere where, SnCpuEnd *end) {
  SnCpuEnd x, y;
  if (where != SN_CPU_FROM_GIVEN && hold_in_rows(f, op, truth, where, end))
    return true;
  if (where != SN_CPU_FROM || !holds(f, sn_operand(op, 0), truth, where, &x) ||
      !holds(f, sn_operand(op, 1), truth, where, &y))
    return false;
  const SnCpuEnd *number = x.dim < 0 ? &x : &y;
  *end = x.dim < 0 ? y : x;
  int64_t least = number->more > number->least ? number->more : number->least;
  end->least = least > end->least ? least : end->least;
  return number->dim < 0 || sn_cpu_same_end(&x, &y);
}

// The condition is `truth` from a column on, or below it.
static bool holds(const SnForm *f, MlirValue condition, bool truth, SnCpuWhere where, SnCpuEnd *end) {
  MlirOperation op = sn_definer(condition);
  if (sn_null(op))
    return false;
  if (sn_is(op, "arith.cmpi"))
    return compares(f, op, truth, where, end);
  if (sn_is(op, truth ? "arith.andi" : "arith.ori"))
    return hold_both(f, op, truth, where, end);
  bool either = sn_is(op, truth ? "arith.ori" : "arith.andi");
  return either && (holds(f, sn_operand(op, 0), truth, where, end) || holds(f, sn_operand(op, 1), truth, where, end));
}

bool sn_cpu_swallows(MlirType element, double number) {
  return (mlirTypeIsAF32(element) || mlirTypeIsABF16(element)) && number <= -0x1p126;
}

// -inf; or, where `number` is asked for, what stands in its place: it has no score's size. A score that is added to a
// number which swallows it makes that no greater.
static bool is_least(MlirValue v, double *number) {
  double n;
  MlirOperation add = number ? sn_def(v, "arith.addf") : (MlirOperation){0};
  for (int k = 0; k < 2 && !sn_null(add); ++k)
    if (is_least(sn_operand(add, k), number) && sn_cpu_swallows(sn_element(sn_type_of(v)), *number))
      return true;
  if (!sn_attr_number(sn_constant_of(v), &n) || !(number ? n <= SN_CPU_LOW : n == -INFINITY))
    return false;
  if (number)
    *number = n;
  return true;
}

static const double ROUNDED = 0x1p-7; // of a number, at most, in a type of 8 bits or more

static bool masked(const SnForm *f, MlirValue x, SnCpuWhere where, SnCpuEnd *end, double *number) {
  MlirOperation op = sn_definer(x);
  if (sn_null(op))
    return false;
  if (sn_is(op, "arith.truncf") && masked(f, sn_operand(op, 0), where, end, number)) {
    if (number)
      *number *= 1 - ROUNDED;
    return true;
  }
  if (sn_is(op, "arith.extf"))
    return masked(f, sn_operand(op, 0), where, end, number);
  for (int side = 0; side < 2 && sn_is(op, "arith.select"); ++side) {
    if (!is_least(sn_operand(op, 1 + side), number))
      continue;
    double outer = number ? *number : 0;
    if (holds(f, sn_operand(op, 0), !side, where, end))
      return true;
    if (masked(f, sn_operand(op, 2 - side), where, end, number)) { // the one there, or the other
      if (number)
        *number = fmax(*number, outer);
      return true;
    }
  }
  return false;
}

bool sn_cpu_masked(const SnForm *f, MlirValue x, SnCpuWhere where, SnCpuEnd *end, double *number) {
  return masked(f, x, where, end, number);
}

bool sn_cpu_holds(const SnForm *f, MlirValue condition, bool truth, SnCpuWhere where, SnCpuEnd *end) {
  return holds(f, condition, truth, where, end);
}

// A number and a reference are rounded when one is taken from the other, and may be so before, times log2(e).
double sn_cpu_above(double low, bool wide) {
  const double least = wide ? 746 : 104; // e to the power of -least is 0, to the nearest
  low = fmax(low, wide ? -DBL_MAX : -FLT_MAX);
  return low + least + fabs(low) * (wide ? 0x1p-48 : 0x1p-20);
}

// The comparison that says so in the end, and what it says there: of a condition, of a masked row.
static bool find_compare(const SnForm *f, MlirValue condition, bool truth, SnCpuWhere where, SnCpuCompare *to) {
  MlirOperation op = sn_definer(condition);
  SnCpuEnd end;
  if (sn_null(op))
    return false;
  if (sn_is(op, "arith.cmpi")) {
    *to = (SnCpuCompare){op, truth};
    return compares(f, op, truth, where, &end);
  }
  if (sn_is(op, truth ? "arith.andi" : "arith.ori")) {
    *to = (SnCpuCompare){op, truth};
    return hold_both(f, op, truth, where, &end);
  }
  bool either = sn_is(op, truth ? "arith.ori" : "arith.andi");
  return either &&
         (find_compare(f, sn_operand(op, 0), truth, where, to) || find_compare(f, sn_operand(op, 1), truth, where, to));
}

static bool find_mask(const SnForm *f, SnCpuWhere where, const SnCpuEnd *end, SnCpuCompare *to) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    for (int side = 0; side < 2 && sn_is(op, "arith.select"); ++side) {
      SnCpuEnd own;
      double number;
      if (is_least(sn_operand(op, 1 + side), &number) && holds(f, sn_operand(op, 0), !side, where, &own) &&
          sn_cpu_same_end(&own, end) && find_compare(f, sn_operand(op, 0), !side, where, to))
        return true;
    }
  return false;
}

bool sn_cpu_compares_from(const SnForm *f, const SnCpuEnd *end, SnCpuCompare *to) {
  return find_mask(f, SN_CPU_FROM, end, to);
}
bool sn_cpu_compares_below(const SnForm *f, const SnCpuEnd *begin, SnCpuCompare *to) {
  return find_mask(f, SN_CPU_BELOW, begin, to);
}
