// fuse.h: private to fuse*.c. One kernel made of two: is it legal, and how.

#ifndef SINTER_PASSES_FUSE_H
#define SINTER_PASSES_FUSE_H

#include "passes/edit.h"

// What a merge of a (earlier) and b (later) would be. Dimensions of each form become
// expressions over the merged form's: rows, columns, then those of a product.
typedef struct {
  SnForm a, b;
  SnForm merged;           // dims, num_rows, num_cols, contract and products are set
  MlirAffineExpr *a_dims;  // one for each dimension of a
  MlirAffineExpr *b_dims;
  bool *keep;              // outputs of a that others than b read; none if duplicated
  bool into_finish;        // b runs in a's finish
  bool duplicate;          // a stays for its other readers
} SnMerge;

// Tells whether the two forms can be one, and fills `m` (free it in either case). With
// `duplicate`, a is computed again inside b and keeps its own results.
bool sn_can_merge(MlirOperation a, MlirOperation b, bool duplicate, SnMerge *m);
void sn_merge_free(SnMerge *m);
// Does it: the merged op stands where b stood; both are erased (a not if duplicated).
MlirOperation sn_merge(SnMerge *m);

// A form without reductions, picks, products and accumulators: any of its dimensions may be a row's or a column's.
bool sn_is_elementwise_form(const SnForm *f);
// Input k of f is result *result of another form: returns that form, else null.
MlirOperation sn_producer(const SnForm *f, size_t input, size_t *result);

#endif
