// size_facts.c: what is known of sizes beside how they were made: how little they may be, and what a program says.
//
//   n - (n + 2) / 3                  0 at least: 3 n - (n + 2) is -2 at least, and no third of that is a whole number
//   n - min(n, m)                    0 at least
//   assert n % 3 == 0                n is 3 * (n / 3)
//   assert min(2 n, m) - n == n      min(2 n, m) is 2 n, and m - 2 n is 0 at least
//
// An exporter takes the places of a slice for less than 0 or outside, unless it is known that they are not.
//
// runs in: prepare, fuse    test: test/passes/program/asserted_sizes.mlir, test/passes/program/known_sizes.mlir

#include "passes/edit/size_terms.h"

static const SnSize nothing = {0};

// ---- at least --------------------------------------------------------------------------------

// Without term k, and with `factor` * y in place of it.
static SnSize with(const SnSize *x, int k, int64_t factor, const SnSize *y) {
  SnSize term = {.known = true, .n = 1}, rest;
  term.terms[0] = x->terms[k];
  rest = sn_size_sum(x, -1, &term);
  return sn_size_sum(&rest, factor, y);
}

enum { DEEPEST = 4 };
static bool at_least(const SnSizeReader *r, const SnSize *x, int64_t least, int depth);

// Whether x is, by what the single atom of term k is made of.
static bool by_atom(const SnSizeReader *r, const SnSize *x, int k, int64_t least, int depth) {
  const SnSizeAtom *a = &r->atoms.data[x->terms[k].atoms[0]];
  int64_t factor = x->terms[k].factor, wide;
  if (a->dim == SN_SIZE_PART && factor < 0 && !__builtin_mul_overflow(least, a->by, &wide)) {
    // by * x >= by * (the others) + factor * sizes[part], and x is a whole number
    const SnSize by = sn_size_number(a->by);
    SnSize zero = sn_size_number(0), others = with(x, k, 0, &zero);
    others = sn_size_product(&others, &by);
    others = sn_size_sum(&others, factor, &r->sizes.data[a->part]);
    return at_least(r, &others, wide - (a->by - 1), depth);
  }
  if (a->dim != SN_SIZE_LESS)
    return false;
  // Taken away, either of the two leaves no more than the less of them; added, both have to be enough.
  SnSize first = with(x, k, factor, &r->sizes.data[a->part]), second = with(x, k, factor, &r->sizes.data[a->other]);
  bool is = at_least(r, &first, least, depth), either = factor < 0;
  return is == either ? is : at_least(r, &second, least, depth);
}

static bool at_least(const SnSizeReader *r, const SnSize *x, int64_t least, int depth) {
  int64_t number = x->n && !x->terms[0].n ? x->terms[0].factor : 0;
  bool sizes = sn_size_of_tensors(r, x), enough = sizes && number >= least;
  for (int k = 0; k < x->n && enough; ++k)
    enough = !x->terms[k].n || x->terms[k].factor > 0;
  for (int k = 0; k < x->n && sizes && depth && !enough; ++k)
    enough = x->terms[k].n == 1 && by_atom(r, x, k, least, depth - 1);
  for (size_t f = 0; f < r->not_negative.size && sizes && depth && !enough; ++f) {
    SnSize rest = sn_size_sum(x, -1, &r->not_negative.data[f]);
    enough = rest.known && rest.n < x->n && at_least(r, &rest, least, 0);
  }
  return enough;
}

bool sn_size_at_least(const SnSizeReader *r, const SnSize *x, int64_t least) {
  return at_least(r, x, least, DEEPEST);
}

// ---- what somebody says ------------------------------------------------------------------------

// In which order atoms are taken to be what others are: the less of two first, then sizes of later arguments.
static bool goes_before(const SnSizeReader *r, int a, int b) {
  const SnSizeAtom *x = &r->atoms.data[a], *y = &r->atoms.data[b];
  bool chosen = x->dim == SN_SIZE_LESS, other = y->dim == SN_SIZE_LESS;
  if (chosen != other || x->dim < 0 || y->dim < 0)
    return chosen > other || (chosen == other && y->dim >= 0);
  bool arguments = mlirValueIsABlockArgument(x->value) && mlirValueIsABlockArgument(y->value);
  intptr_t p = arguments ? mlirBlockArgumentGetArgNumber(x->value) : a,
           q = arguments ? mlirBlockArgumentGetArgNumber(y->value) : b;
  return p != q ? p > q : x->dim > y->dim;
}

// The atom of term k of s is in no other term.
static bool is_alone(const SnSize *s, int k) {
  bool alone = s->terms[k].n == 1;
  for (int i = 0; i < s->n && alone; ++i)
    for (int a = 0; a < s->terms[i].n && alone; ++a)
      alone = i == k || s->terms[i].atoms[a] != s->terms[k].atoms[0];
  return alone;
}

static bool uses(const SnSize *x, int atom) {
  bool uses = false;
  for (int k = 0; k < x->n; ++k)
    for (int a = 0; a < x->terms[k].n; ++a)
      uses |= x->terms[k].atoms[a] == atom;
  return uses;
}

static void stands_for(SnSizeReader *r, int atom, const SnSize *is) {
  sn_push(&r->sizes, *is);
  SnSizeAtom *a = &r->atoms.data[atom];
  a->is = r->sizes.size;
  if (a->dim != SN_SIZE_LESS)
    return;
  const size_t two[] = {a->part, a->other};
  for (int k = 0; k < 2; ++k) {
    const SnSize *x = &r->sizes.data[two[k]];
    SnSize more = sn_size_sum(x, -1, is);
    sn_push(&r->not_negative, more);
  }
}

bool sn_size_assume_equal(SnSizeReader *r, const SnSize *x, const SnSize *y) {
  SnSize zero = sn_size_sum(x, -1, y), is = nothing;
  if (!zero.known || !zero.n || !sn_size_of_tensors(r, &zero))
    return false;
  SnSize by = sn_size_number(sn_size_common_factor(&zero, 0));
  zero = sn_size_quotient(&zero, &by);
  int best = -1;
  for (int k = 0; k < zero.n; ++k) {
    int64_t factor = zero.terms[k].factor;
    if ((factor != 1 && factor != -1) || !is_alone(&zero, k))
      continue;
    SnSize term = {.known = true, .n = 1}, rest = sn_size_number(0);
    term.terms[0] = zero.terms[k];
    term = sn_size_sum(&zero, -1, &term);
    rest = sn_size_sum(&rest, -factor, &term);
    int a = zero.terms[k].atoms[0];
    // What is taken away from a size may leave less than nothing: no other question about it would be answered.
    if (sn_size_at_least(r, &rest, 0) && (best < 0 || goes_before(r, a, best))) {
      best = a;
      is = rest;
    }
  }
  if (best >= 0)
    stands_for(r, best, &is);
  return best >= 0;
}

bool sn_size_assume_multiple(SnSizeReader *r, const SnSize *x, int64_t of) {
  if (!sn_size_of_tensors(r, x) || x->n != 1 || x->terms[0].n != 1 || of < 2)
    return false;
  int atom = x->terms[0].atoms[0];
  SnSize single_atom = sn_size_of_atom((uintptr_t)atom + 1), by = sn_size_number(of / sn_size_common_factor(x, of));
  if (by.terms[0].factor == 1)
    return false;
  SnSize is = sn_size_part(r, &single_atom, by.terms[0].factor);
  is = sn_size_product(&is, &by);
  if (!is.known || uses(&is, atom)) // n / 3 was said to be n
    return false;
  stands_for(r, atom, &is);
  return true;
}

bool sn_size_of_arguments(const SnSizeReader *r, const SnSize *x, MlirBlock block) {
  bool all = x->known;
  for (int k = 0; k < x->n && all; ++k)
    for (int i = 0; i < x->terms[k].n && all; ++i) {
      const SnSizeAtom *a = &r->atoms.data[x->terms[k].atoms[i]];
      if (a->dim >= 0)
        all = mlirValueIsABlockArgument(a->value) && mlirBlockEqual(mlirBlockArgumentGetOwner(a->value), block);
      else
        all = a->dim != SN_SIZE_VALUE && sn_size_of_arguments(r, &r->sizes.data[a->part], block) &&
              (a->dim == SN_SIZE_PART || sn_size_of_arguments(r, &r->sizes.data[a->other], block));
    }
  return all;
}
