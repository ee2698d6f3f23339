// tensor_aliases.h: which tensors of a function may lie in one buffer, before there are buffers.

#ifndef SINTER_LOWERING_HOST_TENSOR_ALIASES_H
#define SINTER_LOWERING_HOST_TENSOR_ALIASES_H

#include "capi/pass.h"

typedef struct {
  size_t parent; // another of the same class, or itself
  int64_t uses;  // of a class's representative: operands that are one of the class
} SnAliasPlace;
typedef struct {
  SnTable places; // of a tensor, its place in `all`
  SN_VEC(SnAliasPlace) all;
  SnTable strided; // tensors whose buffers may be parts of others, with strides
  bool unknown;    // some operation hands tensors on in a way that is not known here
} SnAliases;

// What bufferization may put into one buffer, at most: every tensor that an operation makes of another by writing it,
// or hands on to a branch or a loop, is in the class of that one. In time that grows with the function.
SnAliases sn_aliases(MlirOperation func);
void sn_aliases_free(SnAliases *a);

// A number that tensors of one class share; 0 of what is no tensor of the function's.
size_t sn_alias_class(SnAliases *a, MlirValue v);
int64_t sn_alias_uses(SnAliases *a, MlirValue v); // of its class
bool sn_is_strided(const SnAliases *a, MlirValue v);
// `v`, which was made since, stands for `old`.
void sn_alias_stands_for(SnAliases *a, MlirValue v, MlirValue old);

#endif
