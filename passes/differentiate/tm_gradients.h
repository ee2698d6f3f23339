// tm_gradients.h: what the gradients of torch-mlir's operations share.

#ifndef SINTER_PASSES_TM_GRADIENTS_H
#define SINTER_PASSES_TM_GRADIENTS_H

#include "passes/differentiate/differentiate.h"

typedef struct {
  SnBuilder *b;
  MlirOperation op;
  const SnGradient *upstream;
  const bool *active;
  const MlirType *elements;
  SnGive give;
  void *user;
} SnTmRule;

// The gradient with respect to result k, in the wide type.
MlirValue sn_tm_upstream(const SnTmRule *r, intptr_t k);
// The gradient with respect to operand k.
void sn_tm_give(const SnTmRule *r, size_t k, MlirValue g);
bool sn_tm_refused(const SnTmRule *r, const char *why);
// A block on these, and a builder in it.
MlirRegion sn_tm_region(SnBuilder *b, intptr_t n, const MlirType *types, SnBuilder *in);
// A tm_tensor.scatter; `by` combines an update and what is there, null: the update alone.
MlirValue sn_tm_scatter(SnBuilder *b, MlirValue updates, MlirValue indices, MlirValue into, const char *by,
                        MlirAttribute dimension_map, MlirAttribute unique);

// What the region yields: argument 0, or this of both; SN_TM_COUNT: argument 1 and a number, whatever argument 0 is.
typedef enum {
  SN_TM_FIRST,
  SN_TM_SUM,
  SN_TM_PRODUCT,
  SN_TM_MAXIMUM,
  SN_TM_MINIMUM,
  SN_TM_COUNT,
  SN_TM_OTHER
} SnTmCombiner;
SnTmCombiner sn_tm_combiner(MlirOperation op);

// An elementwise form over the dimensions of `like`, whose body is written by `emit` from the values, each read by its
// map (null: as it stands); what that gives becomes the element type, a number or a row.
typedef MlirValue (*SnPointwise)(SnBuilder *b, const SnForm *f, const MlirValue *values);
MlirValue sn_pointwise(SnBuilder *b, MlirType element, MlirValue like, intptr_t n, const MlirValue *values,
                       const MlirAffineMap *maps, SnPointwise emit);
// 1 where they are equal, else 0.
MlirValue sn_are_equal(SnBuilder *b, MlirValue x, MlirValue y);

// ---- differentiate/recurrence.c ------------------------------------------------------------

// On a sinter.steps of (g, a) to r, "backward": r[t] = g[t] + a[t] * r[t + 1] in dimension 1, from the end; "forward":
// of r[t - 1].
#define SN_RECURRENCE "sinter.recurrence"
MlirValue sn_recurrence(SnBuilder *b, MlirValue g, MlirValue a, bool forward);
void sn_recurrence_gradient(SnBuilder *b, MlirOperation steps, MlirValue upstream, const bool *active, SnGive give,
                            void *user);

bool sn_scan_gradient(const SnTmRule *r);     // scan_gradients.c
bool sn_scatter_gradients(const SnTmRule *r); // scatter_gradients.c

#endif
