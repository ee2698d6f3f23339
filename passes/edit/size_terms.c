// size_terms.c: sizes of a program as sums of products of sizes that it is given.
//
//   %n = tensor.dim %x, %c0
//   %m = affine.apply (s0 * 10)[%n]              10 * n
//   %b = arith.divsi %m, %c10                    n
//   tensor.dim (collapse_shape %y [[0, 1]]), 0   y0 * y1
//   %w = arith.floordivsi (%n - 4), %c4          n / 4 - 1, where n / 4 rounded down is a number by itself
//   %l = arith.minsi %n, %m                      the less of n and m, a number by itself, too
//   %u = arith.maxsi (%n - 1), %c0               n - min(n, 1): what both have, or lack, stands outside of it
//
// An exporter computes a size anew wherever it needs one; as sums of products, those that are one are seen to be. Sizes
// count elements of memory, so a product of some of them is taken not to wrap around.
//
// runs in: prepare, fuse    test: test/passes/program/known_sizes.mlir

#include "passes/edit/size_terms.h"
#include "capi/size_parts.h"

// ---- sums of products ----------------------------------------------------------------

static const SnSize unknown = {0};

SnSize sn_size_number(int64_t n) {
  SnSize s = {.known = true, .n = n != 0};
  s.terms[0].factor = n;
  return s;
}

// Which of two products comes first: by the number of atoms, then by the atoms. 0 if they have the same atoms.
static int order(const SnSizeTerm *a, const SnSizeTerm *b) {
  if (a->n != b->n)
    return a->n < b->n ? -1 : 1;
  for (int k = 0; k < a->n; ++k)
    if (a->atoms[k] != b->atoms[k])
      return a->atoms[k] < b->atoms[k] ? -1 : 1;
  return 0;
}

static bool add_term(SnSize *s, SnSizeTerm t) {
  int at = 0;
  while (at < s->n && order(&s->terms[at], &t) < 0)
    ++at;
  bool there = at < s->n && !order(&s->terms[at], &t);
  if (there && __builtin_add_overflow(s->terms[at].factor, t.factor, &t.factor))
    return false;
  if (!there && s->n == SN_SIZE_TERMS)
    return false;
  int tail = s->n - at - there;
  memmove(&s->terms[at + (t.factor != 0)], &s->terms[at + there], (size_t)tail * sizeof t);
  s->n = at + tail + (t.factor != 0);
  if (t.factor)
    s->terms[at] = t;
  return true;
}

SnSize sn_size_sum(const SnSize *x, int64_t factor, const SnSize *y) {
  SnSize s = *x;
  if (!x->known || !y->known)
    return unknown;
  for (int k = 0; k < y->n; ++k) {
    SnSizeTerm t = y->terms[k];
    if (__builtin_mul_overflow(t.factor, factor, &t.factor) || !add_term(&s, t))
      return unknown;
  }
  return s;
}

static bool times(const SnSizeTerm *a, const SnSizeTerm *b, SnSizeTerm *t) {
  *t = (SnSizeTerm){0};
  if (a->n + b->n > SN_SIZE_ATOMS || __builtin_mul_overflow(a->factor, b->factor, &t->factor))
    return false;
  for (int i = 0, j = 0; i + j < a->n + b->n;)
    t->atoms[t->n++] = j == b->n || (i < a->n && a->atoms[i] <= b->atoms[j]) ? a->atoms[i++] : b->atoms[j++];
  return true;
}

SnSize sn_size_product(const SnSize *x, const SnSize *y) {
  SnSize s = {.known = x->known && y->known};
  for (int i = 0; i < x->n && s.known; ++i)
    for (int j = 0; j < y->n && s.known; ++j) {
      SnSizeTerm t;
      s.known = times(&x->terms[i], &y->terms[j], &t) && add_term(&s, t);
    }
  return s.known ? s : unknown;
}

static bool divide(const SnSizeTerm *a, const SnSizeTerm *b, SnSizeTerm *t) {
  *t = (SnSizeTerm){.factor = a->factor / b->factor};
  int j = 0;
  for (int i = 0; i < a->n; ++i) {
    if (j < b->n && a->atoms[i] == b->atoms[j])
      ++j;
    else
      t->atoms[t->n++] = a->atoms[i];
  }
  return j == b->n && a->factor % b->factor == 0;
}

SnSize sn_size_quotient(const SnSize *x, const SnSize *y) {
  SnSize s = {.known = x->known && y->known && y->n == 1 && y->terms[0].factor > 0};
  for (int k = 0; k < x->n && s.known; ++k) {
    SnSizeTerm t;
    s.known = divide(&x->terms[k], &y->terms[0], &t) && add_term(&s, t);
  }
  return s.known ? s : unknown;
}

bool sn_size_equal(const SnSize *x, const SnSize *y) {
  bool equal = x->known && y->known && x->n == y->n;
  for (int k = 0; k < x->n && equal; ++k)
    equal = x->terms[k].factor == y->terms[k].factor && !order(&x->terms[k], &y->terms[k]);
  return equal;
}

bool sn_size_is_number(const SnSize *x, int64_t *n) {
  *n = x->n ? x->terms[0].factor : 0;
  return x->known && (!x->n || (x->n == 1 && !x->terms[0].n));
}

bool sn_size_of_tensors(const SnSizeReader *r, const SnSize *x) {
  bool all = x->known;
  for (int k = 0; k < x->n && all; ++k)
    for (int a = 0; a < x->terms[k].n; ++a)
      all &= r->atoms.data[x->terms[k].atoms[a]].dim != SN_SIZE_VALUE;
  return all;
}

// ---- reading ------------------------------------------------------------------------------

// 1 + the atom that is the size of v in a dimension.
static uintptr_t atom_of(SnSizeReader *r, MlirValue v, intptr_t dim) {
  uintptr_t last = 0, k;
  sn_table_get(&r->atoms_of, v.ptr, &last);
  for (k = last; k && r->atoms.data[k - 1].dim != dim; k = r->atoms.data[k - 1].next)
    ;
  if (!k) {
    sn_push(&r->atoms, ((SnSizeAtom){.value = v, .dim = dim, .next = last}));
    k = r->atoms.size;
    sn_table_put(&r->atoms_of, v.ptr, k);
  }
  return k;
}

SnSize sn_size_of_atom(uintptr_t k) {
  SnSize s = sn_size_number(1);
  s.terms[0].n = 1;
  s.terms[0].atoms[0] = (int)k - 1;
  return s;
}

// What stands for an atom, 1 + its number. What that is made of may have been found to be something else since.
static SnSize standing_for(const SnSizeReader *r, uintptr_t k) {
  if (!r->atoms.data[k - 1].is)
    return sn_size_of_atom(k);
  const SnSize *is = &r->sizes.data[r->atoms.data[k - 1].is - 1];
  SnSize sum = sn_size_number(0);
  for (int i = 0; i < is->n; ++i) {
    SnSize product = sn_size_number(is->terms[i].factor);
    for (int a = 0; a < is->terms[i].n; ++a) {
      SnSize factor = standing_for(r, (uintptr_t)is->terms[i].atoms[a] + 1);
      product = sn_size_product(&product, &factor);
    }
    sum = sn_size_sum(&sum, 1, &product);
  }
  return sum.known ? sum : sn_size_of_atom(k);
}

static SnSize atom(SnSizeReader *r, MlirValue v, intptr_t dim) { return standing_for(r, atom_of(r, v, dim)); }

// 1 + the atom that is computed of x, and of y where it is not null.
static uintptr_t made_of(SnSizeReader *r, intptr_t kind, const SnSize *x, const SnSize *y, int64_t by) {
  uintptr_t k = r->made;
  for (; k; k = r->atoms.data[k - 1].next) {
    const SnSizeAtom *a = &r->atoms.data[k - 1];
    if (a->dim == kind && a->by == by && sn_size_equal(&r->sizes.data[a->part], x) &&
        (!y || sn_size_equal(&r->sizes.data[a->other], y)))
      return k;
  }
  SnSizeAtom made = {.dim = kind, .part = r->sizes.size, .by = by, .next = r->made};
  sn_push(&r->sizes, *x);
  if (y) {
    made.other = r->sizes.size;
    sn_push(&r->sizes, *y);
  }
  sn_push(&r->atoms, made);
  return r->made = r->atoms.size;
}

SnSize sn_size_of_dim(SnSizeReader *r, MlirValue v, intptr_t i) {
  MlirType t = sn_type_of(v);
  if (!mlirTypeIsAShaped(t) || !mlirShapedTypeHasRank(t))
    return atom(r, v, i);
  if (sn_dim(t, i) != SN_DYNAMIC)
    return sn_size_number(sn_dim(t, i));
  SnSizeParts all = sn_size_parts(v, i);
  SnSize s = all.parts.size ? sn_size_number(all.product) : unknown;
  for (size_t k = 0; k < all.parts.size && s.known; ++k) {
    const SnSizePart *p = &all.parts.data[k];
    SnSize part = sn_none(p->value) ? sn_size_number(p->number)
                  : p->dim < 0      ? sn_size_of_value(r, p->value)
                                    : sn_size_of_dim(r, p->value, p->dim);
    s = all.product ? sn_size_product(&s, &part) : sn_size_sum(&s, 1, &part);
  }
  sn_vec_free(&all.parts);
  return s.known ? s : atom(r, v, i);
}

static int64_t common(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

int64_t sn_size_common_factor(const SnSize *x, int64_t with) {
  for (int k = 0; k < x->n; ++k)
    with = common(with, x->terms[k].factor);
  return with;
}

SnSize sn_size_part(SnSizeReader *r, const SnSize *x, int64_t by) {
  SnSize all = sn_size_number(sn_size_common_factor(x, by)), less = sn_size_quotient(x, &all);
  return standing_for(r, made_of(r, SN_SIZE_PART, &less, NULL, by / all.terms[0].factor));
}

// x / y, rounded down. What is a multiple of a number y leaves the quotient: (n * 5 - 4) / 4 is n + n / 4 - 1.
static SnSize quotient(SnSizeReader *r, const SnSize *x, const SnSize *y) {
  int64_t by;
  if (!sn_size_of_tensors(r, x) || !sn_size_of_tensors(r, y))
    return unknown;
  SnSize exact = sn_size_quotient(x, y), whole = sn_size_number(0), rest = whole;
  if (exact.known || !sn_size_is_number(y, &by) || by <= 0)
    return exact;
  for (int k = 0; k < x->n; ++k) {
    SnSizeTerm more = x->terms[k], less = more;
    less.factor = (more.factor % by + by) % by;
    more.factor = (more.factor - less.factor) / by;
    if ((more.factor && !add_term(&whole, more)) || (less.factor && !add_term(&rest, less)))
      return unknown;
  }
  int64_t number;
  SnSize left = sn_size_is_number(&rest, &number) ? sn_size_number(0) : sn_size_part(r, &rest, by);
  return sn_size_sum(&whole, 1, &left);
}

// The same, rounded up, or towards 0.
static SnSize quotient_up(SnSizeReader *r, const SnSize *x, const SnSize *y) {
  const SnSize one = sn_size_number(1);
  SnSize more = sn_size_sum(x, 1, y);
  more = sn_size_sum(&more, -1, &one);
  return quotient(r, &more, y);
}
static SnSize quotient_to_zero(SnSizeReader *r, const SnSize *x, const SnSize *y) {
  bool exact = sn_size_of_tensors(r, x) && sn_size_of_tensors(r, y) && sn_size_quotient(x, y).known;
  return exact || sn_size_at_least(r, x, 0) ? quotient(r, x, y) : unknown;
}

// x % y, of sizes that leave something: 0 <= x.
static SnSize rest_of(SnSizeReader *r, const SnSize *x, const SnSize *y) {
  SnSize whole = sn_size_at_least(r, x, 0) ? quotient(r, x, y) : unknown;
  whole = sn_size_product(&whole, y);
  return sn_size_sum(x, -1, &whole);
}

static SnSize of_affine(SnSizeReader *r, MlirOperation apply, MlirAffineExpr e, intptr_t dims) {
  if (mlirAffineExprIsAConstant(e))
    return sn_size_number(mlirAffineConstantExprGetValue(e));
  if (mlirAffineExprIsADim(e))
    return sn_size_of_value(r, sn_operand(apply, mlirAffineDimExprGetPosition(e)));
  if (mlirAffineExprIsASymbol(e))
    return sn_size_of_value(r, sn_operand(apply, dims + mlirAffineSymbolExprGetPosition(e)));
  SnSize x = of_affine(r, apply, mlirAffineBinaryOpExprGetLHS(e), dims),
         y = of_affine(r, apply, mlirAffineBinaryOpExprGetRHS(e), dims);
  if (mlirAffineExprIsAAdd(e))
    return sn_size_sum(&x, 1, &y);
  if (mlirAffineExprIsAMul(e))
    return sn_size_product(&x, &y);
  if (mlirAffineExprIsAMod(e))
    return rest_of(r, &x, &y);
  return mlirAffineExprIsACeilDiv(e) ? quotient_up(r, &x, &y) : quotient(r, &x, &y);
}

// Any order of sums, so that two of them are in one.
static int order_of(const SnSize *x, const SnSize *y) {
  int first = x->n - y->n;
  for (int k = 0; k < x->n && !first; ++k) {
    first = order(&x->terms[k], &y->terms[k]);
    if (!first && x->terms[k].factor != y->terms[k].factor)
      first = x->terms[k].factor < y->terms[k].factor ? -1 : 1;
  }
  return first;
}

static SnSize less_of(SnSizeReader *r, const SnSize *x, const SnSize *y);

// What both have of each term, and what one has less than nothing of: without it, neither is less than 0.
static SnSize shared(const SnSize *x, const SnSize *y) {
  SnSize both = sn_size_number(0);
  for (int side = 0; side < 2; ++side) {
    const SnSize *own = side ? y : x, *other = side ? x : y;
    for (int k = 0; k < own->n && both.known; ++k) {
      SnSizeTerm t = own->terms[k];
      int at = 0;
      while (at < other->n && order(&other->terms[at], &t))
        ++at;
      int64_t factor = at < other->n ? other->terms[at].factor : 0;
      t.factor = factor < t.factor ? factor : t.factor;
      if (t.factor && !(side && at < other->n) && !add_term(&both, t)) // once, of a term that is in both
        both = unknown;
    }
  }
  return both;
}

// The less of x and min(p, q) + k, where x is no more than one of those two: it has no part in it.
static SnSize less_of_less(SnSizeReader *r, const SnSize *x, const SnSize *y) {
  for (int k = 0; k < y->n; ++k) {
    if (y->terms[k].n != 1 || y->terms[k].factor != 1 || r->atoms.data[y->terms[k].atoms[0]].dim != SN_SIZE_LESS)
      continue;
    const SnSizeAtom less = r->atoms.data[y->terms[k].atoms[0]];
    SnSize atom = sn_size_of_atom((uintptr_t)y->terms[k].atoms[0] + 1), rest = sn_size_sum(y, -1, &atom);
    for (int side = 0; side < 2; ++side) {
      SnSize part = sn_size_sum(&rest, 1, &r->sizes.data[side ? less.other : less.part]);
      SnSize other = sn_size_sum(&rest, 1, &r->sizes.data[side ? less.part : less.other]);
      SnSize more = sn_size_sum(&part, -1, x);
      if (more.known && other.known && sn_size_at_least(r, &more, 0))
        return less_of(r, x, &other);
    }
  }
  return unknown;
}

static SnSize less_of(SnSizeReader *r, const SnSize *x, const SnSize *y) {
  SnSize more = sn_size_sum(x, -1, y), less = sn_size_sum(y, -1, x);
  if (sn_size_at_least(r, &more, 0))
    return *y;
  if (sn_size_at_least(r, &less, 0))
    return *x;
  SnSize outside = shared(x, y), p = sn_size_sum(x, -1, &outside), q = sn_size_sum(y, -1, &outside);
  if (!p.known || !q.known)
    return unknown;
  SnSize inner = less_of_less(r, &p, &q);
  inner = inner.known ? inner : less_of_less(r, &q, &p);
  if (!inner.known) {
    bool turned = order_of(&p, &q) > 0; // the other way around, it is the same
    inner = standing_for(r, made_of(r, SN_SIZE_LESS, turned ? &q : &p, turned ? &p : &q, 0));
  }
  return sn_size_sum(&outside, 1, &inner);
}

static SnSize more_of(SnSizeReader *r, const SnSize *x, const SnSize *y) {
  SnSize less = less_of(r, x, y), both = sn_size_sum(x, 1, y);
  return sn_size_sum(&both, -1, &less);
}

// v, or any number below 0 where v is below 0: an exporter takes -1 for the end of a slice that is in front of all.
static SnSize but_below_zero(SnSizeReader *r, MlirValue v) {
  MlirOperation op = sn_definer(v), compare = {0};
  if (sn_is(op, "arith.index_cast"))
    return but_below_zero(r, sn_operand(op, 0));
  if (sn_is(op, "arith.select"))
    compare = sn_def(sn_operand(op, 0), "arith.cmpi");
  if (!sn_null(compare) && sn_int_attr(compare, "predicate", -1) == SN_LESS &&
      sn_is_constant(sn_operand(compare, 1), 0) && sn_is_constant(sn_operand(op, 1), -1) &&
      sn_same(sn_operand(compare, 0), sn_operand(op, 2)))
    return but_below_zero(r, sn_operand(op, 2));
  bool less = sn_is(op, "arith.minsi"), takes = sn_is(op, "arith.subi");
  SnSize y = less || takes ? sn_size_of_value(r, sn_operand(op, 1)) : unknown;
  if (!y.known || !sn_size_of_tensors(r, &y) || !sn_size_at_least(r, &y, 0))
    return sn_size_of_value(r, v);
  SnSize x = but_below_zero(r, sn_operand(op, 0));
  if (takes)
    return sn_size_sum(&x, -1, &y);
  return sn_size_of_tensors(r, &x) ? less_of(r, &x, &y) : unknown;
}

static SnSize binary(SnSizeReader *r, MlirOperation op) {
  SnSize x = sn_size_of_value(r, sn_operand(op, 0)), y = sn_size_of_value(r, sn_operand(op, 1));
  if (sn_is(op, "arith.addi"))
    return sn_size_sum(&x, 1, &y);
  if (sn_is(op, "arith.subi"))
    return sn_size_sum(&x, -1, &y);
  if (sn_is(op, "arith.muli"))
    return sn_size_product(&x, &y);
  if (sn_is(op, "arith.divsi") || sn_is(op, "arith.divui"))
    return quotient_to_zero(r, &x, &y);
  if (sn_is(op, "arith.remsi"))
    return rest_of(r, &x, &y);
  if (sn_is(op, "arith.floordivsi") || sn_is(op, "arith.ceildivsi"))
    return sn_is(op, "arith.floordivsi") ? quotient(r, &x, &y) : quotient_up(r, &x, &y);
  bool most = sn_is(op, "arith.maxsi");
  if (most && sn_is_constant(sn_operand(op, 1), 0))
    x = but_below_zero(r, sn_operand(op, 0));
  if ((!most && !sn_is(op, "arith.minsi")) || !sn_size_of_tensors(r, &x) || !sn_size_of_tensors(r, &y))
    return unknown;
  return most ? more_of(r, &x, &y) : less_of(r, &x, &y);
}

static bool is_bit(MlirValue v) { return mlirTypeIsAInteger(sn_type_of(v)) && sn_bits(sn_type_of(v)) == 1; }

int sn_size_decided(SnSizeReader *r, MlirOperation compare) {
  int64_t predicate = sn_int_attr(compare, "predicate", -1);
  SnSize x = sn_size_of_value(r, sn_operand(compare, 0)), y = sn_size_of_value(r, sn_operand(compare, 1));
  if (!sn_size_of_tensors(r, &x) || !sn_size_of_tensors(r, &y))
    return -1;
  SnSize up = sn_size_sum(&x, -1, &y), down = sn_size_sum(&y, -1, &x);
  bool above = sn_size_at_least(r, &up, 1), below = sn_size_at_least(r, &down, 1);
  if (predicate == SN_EQUAL || predicate == SN_UNEQUAL)
    return sn_size_equal(&x, &y) ? predicate == SN_EQUAL : above || below ? predicate == SN_UNEQUAL : -1;
  if (predicate == SN_LESS || predicate == SN_GREATER_OR_EQUAL)
    return below ? predicate == SN_LESS : sn_size_at_least(r, &up, 0) ? predicate == SN_GREATER_OR_EQUAL : -1;
  if (predicate == SN_GREATER || predicate == SN_LESS_OR_EQUAL)
    return above ? predicate == SN_GREATER : sn_size_at_least(r, &down, 0) ? predicate == SN_LESS_OR_EQUAL : -1;
  return -1;
}

// A condition that is known, or that sizes decide.
static int condition_of(SnSizeReader *r, MlirValue v) {
  MlirAttribute constant = is_bit(v) ? sn_constant_of(v) : mlirAttributeGetNull();
  if (constant.ptr)
    return mlirIntegerAttrGetValueInt(constant) != 0;
  MlirOperation compare = sn_def(v, "arith.cmpi");
  return sn_null(compare) ? -1 : sn_size_decided(r, compare);
}

static SnSize of_op(SnSizeReader *r, MlirOperation op) {
  intptr_t i;
  if (sn_is(op, "arith.constant")) {
    MlirAttribute value = sn_get_attr(op, "value");
    return mlirAttributeIsAInteger(value) ? sn_size_number(mlirIntegerAttrGetValueInt(value)) : unknown;
  }
  if (sn_is(op, "tensor.dim") || sn_is(op, "memref.dim"))
    return sn_known_dim(op, &i) ? sn_size_of_dim(r, sn_operand(op, 0), i) : unknown;
  if (sn_is(op, "arith.index_cast"))
    return sn_size_of_value(r, sn_operand(op, 0));
  if (sn_is(op, "arith.extui") || sn_is(op, "arith.select")) { // of what was decided
    int yes = condition_of(r, sn_operand(op, 0));
    if (yes < 0)
      return unknown;
    return sn_is(op, "arith.extui") ? sn_size_number(yes) : sn_size_of_value(r, sn_operand(op, yes ? 1 : 2));
  }
  if (sn_is(op, "affine.apply")) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(sn_get_attr(op, "map"));
    return of_affine(r, op, mlirAffineMapGetResult(map, 0), mlirAffineMapGetNumDims(map));
  }
  return sn_in_dialect(op, "arith") && sn_num_operands(op) == 2 ? binary(r, op) : unknown;
}

// Whole numbers as wide as sizes are: of a narrower one, nobody knows where it wraps around.
static bool is_wide(MlirType t) {
  return mlirTypeIsAIndex(t) || (mlirTypeIsAInteger(t) && mlirIntegerTypeGetWidth(t) == 64);
}

SnSize sn_size_of_value(SnSizeReader *r, MlirValue v) {
  uintptr_t at;
  if (!is_wide(sn_type_of(v)))
    return unknown;
  if (sn_table_get(&r->values, v.ptr, &at))
    return r->sizes.data[at - 1];
  MlirOperation op = sn_definer(v);
  SnSize s = sn_null(op) ? unknown : of_op(r, op);
  if (!s.known)
    s = atom(r, v, SN_SIZE_VALUE);
  if (r->forgets)
    return s;
  sn_push(&r->sizes, s);
  sn_table_put(&r->values, v.ptr, r->sizes.size);
  return s;
}

// ---- emitting ---------------------------------------------------------------------------------

static MlirValue emit_atom(const SnSizeReader *r, SnBuilder *b, const SnSizeAtom *a) {
  MlirType index = sn_index_type(b->ctx);
  if (a->dim == SN_SIZE_PART)
    return sn(b, "arith.divui", sn_size_emit(r, b, &r->sizes.data[a->part]), sn_index(b, a->by));
  if (a->dim == SN_SIZE_LESS) {
    MlirValue x = sn_size_emit(r, b, &r->sizes.data[a->part]);
    return sn(b, "arith.minsi", x, sn_size_emit(r, b, &r->sizes.data[a->other]));
  }
  if (a->dim >= 0)
    return sn(b, "tensor.dim", a->value, sn_index(b, a->dim), index);
  return mlirTypeIsAIndex(sn_type_of(a->value)) ? a->value : sn(b, "arith.index_cast", a->value, index);
}

MlirValue sn_size_emit(const SnSizeReader *r, SnBuilder *b, const SnSize *s) {
  MlirValue sum = {0};
  for (int k = 0; k < s->n; ++k) {
    const SnSizeTerm *t = &s->terms[k];
    MlirValue product = {0};
    for (int a = 0; a < t->n; ++a) {
      MlirValue v = emit_atom(r, b, &r->atoms.data[t->atoms[a]]);
      product = a ? sn(b, "arith.muli", product, v) : v;
    }
    if (sn_none(product) || t->factor != 1) {
      MlirValue factor = sn_index(b, t->factor);
      product = sn_none(product) ? factor : sn(b, "arith.muli", product, factor);
    }
    sum = k ? sn(b, "arith.addi", sum, product) : product;
  }
  return sn_none(sum) ? sn_index(b, 0) : sum;
}

void sn_size_reader_free(SnSizeReader *r) {
  sn_vec_free(&r->atoms);
  sn_vec_free(&r->sizes);
  sn_vec_free(&r->not_negative);
  sn_table_free(&r->atoms_of);
  sn_table_free(&r->values);
}
