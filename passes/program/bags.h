// bags.h: an embedding bag as torch-mlir writes it: what read_bag.c finds in a generic, and bags.c makes of it.

#ifndef SINTER_PASSES_BAGS_H
#define SINTER_PASSES_BAGS_H

#include "capi/sn.h"
#include "mlir-c/Dialect/Linalg.h"

enum { SN_BAG_LOOPS = 3 };

typedef struct {
  MlirOperation op;
  MlirBlock body;
  intptr_t inputs, bag, position, element; // its loops
  MlirValue low, high, next;               // the range, and what the accumulator becomes inside of it
  SnValueVec operands;                     // what the steps read: tensors, and numbers from outside
  MlirValue *memory;                       // of each operand
} SnBag;

static inline MlirBlock sn_bag_body(MlirOperation op) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}
static inline MlirAffineMap sn_bag_map(MlirOperation op, intptr_t k) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(mlirLinalgGetIndexingMapsAttribute(op), k));
}
static inline bool sn_bag_has(MlirBlock body, MlirValue v) {
  return mlirBlockEqual(body, mlirValueIsABlockArgument(v) ? mlirBlockArgumentGetOwner(v)
                                                           : mlirOperationGetBlock(sn_definer(v)));
}
static inline bool sn_bag_number(MlirValue v) { return !mlirTypeIsAShaped(sn_type_of(v)); }

// Whether the operation is a bag. What it fills, sn_vec_free(&g->operands) frees, in any case.
bool sn_read_bag(SnBag *g, MlirOperation op);
// A value that is computed element by element from numbers and positions: it is no kernel.
bool sn_bag_formula(MlirValue v);
// The operand that has a loop as its only subscript: it says how many turns that has.
MlirValue sn_bag_list(const SnBag *g, intptr_t loop);
bool sn_bag_depends(const SnBag *g, MlirValue v, intptr_t loop);
// The number of v among g->operands, where it comes to stand.
intptr_t sn_bag_operand(SnBag *g, MlirValue v);
// Whether v, of the body of a generic, can be computed again; what it reads is in g->operands then.
bool sn_bag_needs(SnBag *g, MlirBlock body, MlirOperation generic, MlirValue v);

#endif
