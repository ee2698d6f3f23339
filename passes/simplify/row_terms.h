// row_terms.h: a value of a row program as a sum of products, so that equal ones are seen and what cancels is gone.

#ifndef SINTER_PASSES_SIMPLIFY_ROW_TERMS_H
#define SINTER_PASSES_SIMPLIFY_ROW_TERMS_H

#include "capi/form.h"

enum { SN_TERM_ROWS = 4, SN_TERM_SCALARS = 8, SN_MOST_TERMS = 12 };

// A product of rows, in a fixed order.
typedef struct {
  size_t n;
  MlirValue v[SN_TERM_ROWS];
} SnRowFactors;

// A scalar to some power: a value, or the sum over the row of a product of rows.
typedef struct {
  MlirValue value; // null: the sum
  SnRowFactors rows;
  int power; // not 0
} SnScalarFactor;

typedef struct {
  double number;
  SnRowFactors rows;
  size_t n;
  SnScalarFactor scalars[SN_TERM_SCALARS];
} SnTerm;

typedef struct {
  bool known; // not more than there is room for
  size_t n;   // 0: it is zero
  SnTerm terms[SN_MOST_TERMS];
} SnTerms;

// Of a row or a scalar of a body. Rounding to a narrower type is none of it, unless `rounded` says that it is nothing.
SnTerms sn_terms(MlirValue v, bool rounded);
// The same, where numbers of each row that other forms have made of rows of f are what these are (terms_across.c).
SnTerms sn_terms_across(const SnForm *f, MlirValue v);
// Adds one more term: equal ones become one, and what cancels none.
void sn_add_term(SnTerms *to, const SnTerm *term);
bool sn_same_rows(const SnRowFactors *a, const SnRowFactors *b);
bool sn_same_scalar(const SnScalarFactor *a, const SnScalarFactor *b); // but for their powers
// The product of both; false where it has too many factors.
bool sn_term_times(const SnTerm *a, const SnTerm *b, SnTerm *to);
// One over the term, which has no rows.
SnTerm sn_term_inverse(const SnTerm *a);

#endif
