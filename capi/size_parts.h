// size_parts.h: where the size of a tensor comes from, one step up.

#ifndef SINTER_CAPI_SIZE_PARTS_H
#define SINTER_CAPI_SIZE_PARTS_H

#include "capi/sn.h"

// One of: a number (value is null), an index value (dim is negative), the size of a tensor or memref in a dimension.
typedef struct {
  MlirValue value;
  intptr_t dim;
  int64_t number;
} SnSizePart;

// Their sum, or their product.
typedef struct {
  SN_VEC(SnSizePart) parts;
  bool product;
} SnSizeParts;

// What the size of a result of an op in dimension i is made of; no part if it does not follow from sizes of operands
// (it depends on data, or the op is not known). Free with sn_vec_free(&parts.parts).
SnSizeParts sn_size_parts(MlirValue result, intptr_t i);

// The size as an index value where the builder stands. It is asked of what the size comes from, not of what it goes
// through: forms of which only the size is read would be computed for it.
MlirValue sn_emit_size(SnBuilder *b, MlirValue tensor, intptr_t i);

#endif
