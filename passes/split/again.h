// again.h: products whose rows are too large to be stored: what again.c plans, and again_parts.c makes.

#ifndef SINTER_PASSES_SPLIT_AGAIN_H
#define SINTER_PASSES_SPLIT_AGAIN_H

#include "passes/split/pieces.h"

// A contract that multiplies what the form gives.
typedef struct {
  MlirOperation op;
  int64_t dims[2]; // of it, that the form's rows and columns are
  bool sums;       // over what is cut
} SnAgainReader;

typedef struct {
  SnForm f;
  size_t output; // what is stored: the only one with rows
  int64_t dim;   // that is cut: 0 or 1
  int64_t size, part, parts;
  SnTable waits;      // values of the body that depend on more than one element of a row
  SnTable seen;       // and those that find_numbers has been at
  SnValueVec numbers; // of rows, that what is stored takes
  SN_VEC(SnAgainReader) readers;
  MlirOperation values; // numbers of rows, and all that is not stored
  MlirValue starts;     // memory: where each part begins
} SnAgain;

// What is stored, a part at a time, and its readers, in a loop of the host; the readers are gone then. s->values gives
// the numbers of rows, behind all others. `cut`: why, for --explain; or null.
void sn_make_again_parts(SnAgain *s, MlirAttribute cut);

#endif
