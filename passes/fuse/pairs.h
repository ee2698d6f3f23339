// pairs.h: private to fuse/pairs.c and fuse/neighbours.c. The forms of a block, and who reads what beside whom.

#ifndef SINTER_PASSES_FUSE_PAIRS_H
#define SINTER_PASSES_FUSE_PAIRS_H

#include "passes/fuse/fuse.h"

struct SnPair;

typedef struct {
  MlirOperation op;
  SnGrowth size;
  SN_VEC(double) bytes;    // of each input
  size_t indices, outputs; // its operands behind those
  size_t kept;             // results that somebody reads
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

// What one form of two would be.
typedef struct {
  double saved; // bytes, as sn_saved of a merge that is known to be legal
  size_t same;  // inputs of the later form that the earlier one makes, or reads
  size_t sole;  // results of the earlier form that the later one alone reads
} SnShared;
typedef struct {
  SnFuseForm *form;
  bool behind; // it stands behind the form that was asked
  SnShared shared;
  const void *last; // the value that was counted last
} SnNeighbour;
typedef SN_VEC(SnNeighbour) SnNeighbourVec;
// Forms that make what this one reads, read what it makes, or read what it reads.
void sn_neighbours(const SnFuseForms *f, SnFuseForm *form, SnNeighbourVec *to);
// The same of two, a standing before b.
SnShared sn_shared_by(const SnFuseForm *a, const SnFuseForm *b, SnTable *scratch);
// One kernel of the two would have no more operands than fusion makes. Also a refusal, of b.
bool sn_operands_fit(const SnFuseForm *a, const SnFuseForm *b, const SnShared *shared);
// Somebody else than b reads it too.
bool sn_is_kept(MlirValue v, MlirOperation b);

// Merges two, which are gone then: answers the form that they are now, NULL if nothing is left. `waiting` is what has
// to move behind it. *less: it does not read all that the two did.
SnFuseForm *sn_fuse_two(SnFuseForms *f, SnMerge *m, const SnOpVec *waiting, bool *less);

#endif
