// back.h: private to passes/differentiate. Where an element of an input was read, and from there back.

#ifndef SINTER_PASSES_DIFFERENTIATE_BACK_H
#define SINTER_PASSES_DIFFERENTIATE_BACK_H

#include "passes/differentiate/differentiate.h"

// What a subscript of the input is: offset + sum of factor * dimension, or ((dimension + offset) floordiv by) mod
// modulus.
typedef struct {
  int64_t offset;
  int64_t factors[SN_MAX_DIMS]; // of each dimension
  bool digit;
  intptr_t dim;        // of a digit
  int64_t by, modulus; // modulus 0: none
} SnSubscript;

// Over the input's dimensions, then others that are summed over: which element of what was written belongs to one of
// the input's. Where `zero` is not 0 (or no multiple of `multiple`) none does.
typedef struct {
  MlirAffineExpr zero;
  int64_t multiple;
} SnBackCheck;
typedef struct {
  MlirContext ctx;
  const SnForm *f;
  intptr_t rank; // of the input
  SnSubscript *subscripts;
  MlirAffineExpr dims[SN_MAX_DIMS]; // of each dimension of the form; null while not known
  SN_VEC(int64_t) summed;           // sizes of what is summed over: dimensions of the form, or digits of one
  SN_VEC(SnBackCheck) checks;
} SnBack;

// Finds each dimension of the form that `written` uses, for an input of it. False, without an error, where a subscript
// is neither a sum of dimensions nor a digit of one, two use one dimension and are no diagonal, or one does not follow.
// Free with sn_back_free in any case.
bool sn_find_back(SnBack *back, const SnForm *f, size_t input, MlirAffineMap written);
void sn_back_free(SnBack *back);

#endif
