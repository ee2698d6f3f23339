// pairs.h: private to fuse/pairs.c and fuse/neighbours.c. The forms of a block, and who reads what beside whom.

#ifndef SINTER_PASSES_FUSE_PAIRS_H
#define SINTER_PASSES_FUSE_PAIRS_H

#include "passes/fuse/fuse.h"

struct SnPair;

typedef struct {
  MlirOperation op;
  SnGrowth size;
  SN_VEC(double) bytes; // of each input
  SN_VEC(struct SnPair *) pairs;
  bool paired; // it has found its pairs
} SnFuseForm;

typedef struct SnReaders SnReaders; // of one value

typedef struct {
  MlirBlock block;
  SnOrder order;
  SnTable of_op;    // SnFuseForm * of an operation
  SnTable of_value; // SnReaders * of a value that many forms read
  SN_VEC(SnReaders *) lists;
} SnFuseForms;

SnFuseForms sn_fuse_forms(MlirBlock block);
void sn_fuse_forms_free(SnFuseForms *f);
// Null if it is no form of the block.
SnFuseForm *sn_fuse_form(const SnFuseForms *f, MlirOperation op);

typedef SN_VEC(SnFuseForm *) SnFuseFormVec;
// Forms that make what this one reads, read what it makes, or read what it reads.
void sn_neighbours(const SnFuseForms *f, SnFuseForm *form, SnFuseFormVec *to);

// Merges two, which are gone then: answers the form that they are now, NULL if nothing is left. `waiting` is what has
// to move behind it. *less: it does not read all that the two did.
SnFuseForm *sn_fuse_two(SnFuseForms *f, SnMerge *m, const SnOpVec *waiting, bool *less);

#endif
