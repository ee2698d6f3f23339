// size_terms.h: sizes of a program as sums of products of sizes that it is given.

#ifndef SINTER_PASSES_SIZE_TERMS_H
#define SINTER_PASSES_SIZE_TERMS_H

#include "capi/pass.h"

// A number that nothing is known of: the size of a tensor in a dimension, or (dim is SN_SIZE_VALUE) an index value. Or
// (SN_SIZE_PART) what is left of a sum of sizes that is divided, where it is no multiple: sizes[part] / by, rounded
// down. Or the less of two sizes, sizes[part] and sizes[other], of which nobody knows which that is, and which have no
// term in common; the more of two is their sum without it.
enum { SN_SIZE_VALUE = -1, SN_SIZE_PART = -2, SN_SIZE_LESS = -3 };
typedef struct {
  MlirValue value;
  intptr_t dim;
  size_t part, other;
  int64_t by;
  uintptr_t next; // 1 + the one before with this value, or that is computed, too; 0 if there is none
  uintptr_t is;   // 1 + where in sizes what it is equal to is, which stands for it; 0: it stands for itself
} SnSizeAtom;

enum { SN_SIZE_ATOMS = 4, SN_SIZE_TERMS = 6 };
// factor * atoms[0] * ... ; atoms are in the order in which they were met.
typedef struct {
  int64_t factor;
  int n;
  int atoms[SN_SIZE_ATOMS];
} SnSizeTerm;
// The sum of the terms, none with the factor 0. Terms are in one order, so equal sums are equal in memory.
typedef struct {
  bool known; // else nothing was made of it: more terms or atoms than there is room for
  int n;
  SnSizeTerm terms[SN_SIZE_TERMS];
} SnSize;

typedef struct {
  SN_VEC(SnSizeAtom) atoms;
  SN_VEC(SnSize) sizes;
  SnTable atoms_of; // values -> 1 + the last of their atoms
  SnTable values;   // index values that were read -> 1 + where in sizes
  uintptr_t made;   // 1 + the last atom that is a part, or the less of two; 0 if there is none
  SN_VEC(SnSize) not_negative; // somebody says so
  bool forgets;     // operations change between questions: nothing is kept
} SnSizeReader;

// An index or integer value, and the size of a tensor or memref in a dimension.
SnSize sn_size_of_value(SnSizeReader *r, MlirValue v);
SnSize sn_size_of_dim(SnSizeReader *r, MlirValue tensor, intptr_t i);
// The size as an index value; its atoms are known where the builder stands.
MlirValue sn_size_emit(const SnSizeReader *r, SnBuilder *b, const SnSize *s);
void sn_size_reader_free(SnSizeReader *r);

SnSize sn_size_number(int64_t n);
SnSize sn_size_of_atom(uintptr_t k);                               // 1 + its number
SnSize sn_size_part(SnSizeReader *r, const SnSize *x, int64_t by); // x / by, rounded down, of 0 <= x
int64_t sn_size_common_factor(const SnSize *x, int64_t with);      // what all factors, and `with`, are multiples of
SnSize sn_size_sum(const SnSize *x, int64_t factor, const SnSize *y); // x + factor * y
SnSize sn_size_product(const SnSize *x, const SnSize *y);
// x / y where y is one term that divides each of x; not known otherwise. No term of y is 0, as no size that is divided
// by is.
SnSize sn_size_quotient(const SnSize *x, const SnSize *y);
bool sn_size_equal(const SnSize *x, const SnSize *y); // false where one is not known
bool sn_size_is_number(const SnSize *x, int64_t *n);
// Made of sizes of tensors, parts of them and numbers alone: arithmetic on them does not wrap around, as that on any
// other value may.
bool sn_size_of_tensors(const SnSizeReader *r, const SnSize *x);
// What an arith.cmpi gives whatever sizes tensors have: 1 or 0; -1 if it may be so or so.
enum { SN_EQUAL, SN_UNEQUAL, SN_LESS, SN_LESS_OR_EQUAL, SN_GREATER, SN_GREATER_OR_EQUAL };
int sn_size_decided(SnSizeReader *r, MlirOperation compare);

// ---- edit/size_facts.c -----------------------------------------------------------------

bool sn_size_at_least(const SnSizeReader *r, const SnSize *x, int64_t least); // for all sizes that tensors may have
// Somebody says that x and y are one, or that x is a multiple of a number: in whatever is read from now on, an atom of
// them is what it is by that. False if that says of no atom what it is, or it was known before.
bool sn_size_assume_equal(SnSizeReader *r, const SnSize *x, const SnSize *y);
bool sn_size_assume_multiple(SnSizeReader *r, const SnSize *x, int64_t of);
// Whether each tensor that x is made of is an argument of the block, and x of nothing else.
bool sn_size_of_arguments(const SnSizeReader *r, const SnSize *x, MlirBlock block);

#endif
