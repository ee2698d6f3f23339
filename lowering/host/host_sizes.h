// host_sizes.h: sizes of host code's tensors, from those of its arguments.

#ifndef SINTER_LOWERING_HOST_SIZES_H
#define SINTER_LOWERING_HOST_SIZES_H

#include "capi/pass.h"

typedef struct {
  intptr_t argument, dim; // of the function
  MlirValue value;
} SnArgumentSize;

typedef struct {
  MlirValue place; // what a loop hands from turn to turn: an argument of its block
  intptr_t dim;
  MlirValue size; // as long as it was in front of the loop; null: not always
} SnCarriedSize;

typedef struct SnSizes {
  SnBuilder b; // where the arithmetic goes: dominates all that asks
  // Emits the size of a dimension of an argument.
  MlirValue (*argument)(struct SnSizes *sizes, MlirValue argument, intptr_t dim);
  void *user;
  SN_VEC(SnArgumentSize) known;
  SnTable by_place, by_value; // which of known: by an argument's dimension, by the size
  SN_VEC(SnCarriedSize) carried;
  SnMap made; // index values of the function -> emitted
} SnSizes;

// The size of a tensor in a dimension as an index at sizes->b; null if it does not follow from the sizes of arguments
// (it depends on data, or an op is not known).
MlirValue sn_size_of(SnSizes *sizes, MlirValue tensor, intptr_t dim);
// Equal whatever the arguments are.
bool sn_size_same(MlirValue a, MlirValue b);
// Equal for sizes that are sn_size_same. `known` keeps those of what sizes are made of; they stay where they are.
uintptr_t sn_size_hash(SnTable *known, MlirValue size);
// Which argument's size that is; NULL: none that was asked for.
const SnArgumentSize *sn_size_argument(const SnSizes *sizes, MlirValue size);
void sn_sizes_free(SnSizes *sizes);

#endif
