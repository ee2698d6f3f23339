// row_terms.c: a value of a row program as a sum of products.
//
//   %s = row_reduce add %e     (%d * (1 / %s) - (sum (%d * %e) / %s) / %s) * %e
//     ->  1 s^-1 [d e]  +  -1 s^-2 (sum [d e]) [e],   whose sum over the row is 0
//
// What is no sum, product, quotient or sum over a row stands for itself.
//
// test: test/passes/simplify/zero_sums.mlir, test/passes/fuse/dots.mlir

#include "passes/simplify/row_terms.h"
#include <assert.h>
#include <math.h>

// Of operations that one expression is followed through.
enum { DEEP = 24 };

bool sn_same_rows(const SnRowFactors *a, const SnRowFactors *b) {
  bool same = a->n == b->n;
  for (size_t i = 0; i < a->n && same; ++i)
    same = sn_same(a->v[i], b->v[i]);
  return same;
}

bool sn_same_scalar(const SnScalarFactor *a, const SnScalarFactor *b) {
  if (sn_none(a->value) || sn_none(b->value))
    return sn_none(a->value) && sn_none(b->value) && sn_same_rows(&a->rows, &b->rows);
  return sn_same(a->value, b->value);
}

// In the order of addresses, which is one and the same for equal values.
static bool add_row(SnRowFactors *to, MlirValue v) {
  if (to->n == SN_TERM_ROWS)
    return false;
  size_t at = to->n++;
  for (; at > 0 && (uintptr_t)to->v[at - 1].ptr > (uintptr_t)v.ptr; --at)
    to->v[at] = to->v[at - 1];
  to->v[at] = v;
  return true;
}

static bool add_scalar(SnTerm *to, const SnScalarFactor *s) {
  for (size_t i = 0; i < to->n; ++i)
    if (sn_same_scalar(&to->scalars[i], s)) {
      to->scalars[i].power += s->power;
      if (!to->scalars[i].power)
        to->scalars[i] = to->scalars[--to->n];
      return true;
    }
  if (to->n == SN_TERM_SCALARS)
    return false;
  to->scalars[to->n++] = *s;
  return true;
}

bool sn_term_times(const SnTerm *a, const SnTerm *b, SnTerm *to) {
  bool fits = true;
  SnTerm t = *a;
  t.number *= b->number;
  for (size_t i = 0; i < b->rows.n && fits; ++i)
    fits = add_row(&t.rows, b->rows.v[i]);
  for (size_t i = 0; i < b->n && fits; ++i)
    fits = add_scalar(&t, &b->scalars[i]);
  *to = t;
  return fits;
}

SnTerm sn_term_inverse(const SnTerm *a) {
  assert(!a->rows.n && "a row is divided by, element by element");
  SnTerm t = *a;
  t.number = 1 / t.number;
  for (size_t i = 0; i < t.n; ++i)
    t.scalars[i].power = -t.scalars[i].power;
  return t;
}

static bool alike(const SnTerm *a, const SnTerm *b) {
  bool same = a->n == b->n && sn_same_rows(&a->rows, &b->rows);
  for (size_t i = 0; i < a->n && same; ++i) {
    bool found = false;
    for (size_t k = 0; k < b->n && !found; ++k)
      found = sn_same_scalar(&a->scalars[i], &b->scalars[k]) && a->scalars[i].power == b->scalars[k].power;
    same = found;
  }
  return same;
}

// Numbers of constants were rounded: what is left of them may be a little.
void sn_add_term(SnTerms *to, const SnTerm *t) {
  static const double rounding = 1e-12;
  if (t->number == 0)
    return;
  for (size_t i = 0; i < to->n; ++i)
    if (alike(&to->terms[i], t)) {
      double sum = to->terms[i].number + t->number;
      to->terms[i].number = sum;
      if (fabs(sum) <= rounding * fabs(t->number))
        to->terms[i] = to->terms[--to->n];
      return;
    }
  to->known &= to->n < SN_MOST_TERMS;
  if (to->known)
    to->terms[to->n++] = *t;
}

static SnTerms itself(MlirValue v) {
  SnTerms t = {.known = true, .n = 1};
  t.terms[0].number = 1;
  if (sn_is_row(v))
    t.terms[0].rows = (SnRowFactors){1, {v}};
  else
    t.terms[0].scalars[t.terms[0].n++] = (SnScalarFactor){.value = v, .power = 1};
  return t;
}

static SnTerms number(double x) {
  SnTerms t = {.known = true, .n = x != 0};
  t.terms[0].number = x;
  return t;
}

static SnTerms terms_of(MlirValue v, bool rounded, int deep);

static SnTerms sum(MlirOperation op, double sign, bool rounded, int deep) {
  SnTerms a = terms_of(sn_operand(op, 0), rounded, deep), b = terms_of(sn_operand(op, 1), rounded, deep);
  a.known &= b.known;
  for (size_t i = 0; i < b.n && a.known; ++i) {
    b.terms[i].number *= sign;
    sn_add_term(&a, &b.terms[i]);
  }
  return a;
}

static SnTerms product(const SnTerms *a, const SnTerms *b) {
  SnTerms to = {.known = a->known && b->known};
  for (size_t i = 0; i < a->n && to.known; ++i)
    for (size_t k = 0; k < b->n && to.known; ++k) {
      SnTerm t;
      to.known = sn_term_times(&a->terms[i], &b->terms[k], &t);
      if (to.known)
        sn_add_term(&to, &t);
    }
  return to;
}

static SnTerms quotient(MlirOperation op, bool rounded, int deep) {
  SnTerms a = terms_of(sn_operand(op, 0), rounded, deep), b = terms_of(sn_operand(op, 1), rounded, deep);
  if (!b.known || b.n != 1 || b.terms[0].rows.n)
    return (SnTerms){0};
  b.terms[0] = sn_term_inverse(&b.terms[0]);
  return product(&a, &b);
}

// Of a sum over the row: what each term has of scalars stands in front of its own sum, which is the number of columns
// where the term has no row.
static SnTerms over_row(MlirOperation op, bool rounded, int deep) {
  SnTerms row = terms_of(sn_operand(op, 0), rounded, deep), to = {.known = row.known};
  int64_t columns = sn_dim(sn_type_of(sn_operand(op, 0)), 0);
  for (size_t i = 0; i < row.n && to.known; ++i) {
    SnTerm t = row.terms[i];
    SnScalarFactor s = {.rows = t.rows, .power = 1};
    t.rows.n = 0;
    if (!s.rows.n && columns != SN_DYNAMIC)
      t.number *= (double)columns;
    else
      to.known = add_scalar(&t, &s);
    if (to.known)
      sn_add_term(&to, &t);
  }
  return to;
}

static SnTerms of_operation(MlirOperation op, bool rounded, int deep) {
  if (sn_is(op, "arith.addf") || sn_is(op, "arith.subf"))
    return sum(op, sn_is(op, "arith.addf") ? 1 : -1, rounded, deep);
  if (sn_is(op, "arith.negf")) {
    SnTerms minus = number(-1), x = terms_of(sn_operand(op, 0), rounded, deep);
    return product(&minus, &x);
  }
  if (sn_is(op, "arith.mulf")) {
    SnTerms a = terms_of(sn_operand(op, 0), rounded, deep), b = terms_of(sn_operand(op, 1), rounded, deep);
    return product(&a, &b);
  }
  if (sn_is(op, "arith.divf"))
    return quotient(op, rounded, deep);
  if (sn_is(op, "arith.extf") || (rounded && sn_is(op, "arith.truncf")))
    return terms_of(sn_operand(op, 0), rounded, deep);
  if (sn_is_reduce(op, "add") && sn_is_float(sn_type_of(sn_result(op, 0))))
    return over_row(op, rounded, deep);
  return (SnTerms){0};
}

static SnTerms terms_of(MlirValue v, bool rounded, int deep) {
  double constant;
  if (sn_is_float(sn_element(sn_type_of(v))) && sn_attr_number(sn_constant_of(v), &constant))
    return number(constant);
  MlirValue scalar = sn_is_row(v) ? sn_broadcast_of(v) : (MlirValue){0};
  if (!sn_none(scalar))
    return terms_of(scalar, rounded, deep);
  SnTerms t = {0};
  if (deep && !sn_null(sn_definer(v)))
    t = of_operation(sn_definer(v), rounded, deep - 1);
  return t.known ? t : itself(v);
}

SnTerms sn_terms(MlirValue v, bool rounded) { return terms_of(v, rounded, DEEP); }
