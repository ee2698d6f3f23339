// sorted.h: what sort.c and first_sorted.c share: places of a row's memory, and what is sorted.

#ifndef SINTER_PASSES_SORTED_H
#define SINTER_PASSES_SORTED_H

#include "passes/program/tensor_steps.h"

#define SN_MOST_FIRST 64 // of a list that elements are let into: a longer one takes as long as to sort all

// The element (row, t, lane) of memory, and where it goes.
typedef struct {
  MlirOperation op;
  MlirValue row, lane;
  intptr_t lanes; // 1 if memory has a dimension of them
} SnPlace;
MlirValue sn_place_load(SnBuilder *b, const SnPlace *p, MlirValue from, MlirValue t);
void sn_place_store(SnBuilder *b, const SnPlace *p, MlirValue v, MlirValue to, MlirValue t);

typedef struct {
  SnPlace at;
  intptr_t n;              // tensors that are sorted
  MlirValue *data, *spare; // of each: where it is, and scratch memory of a row
  MlirValue size;
} SnSort;
// A region of a loop that carries an index, and a builder in it.
MlirRegion sn_on_index(SnBuilder *b, SnBuilder *in, MlirValue *argument);

// ---- counted_sort.c -------------------------------------------------------------------------

// Scratch memory of a run: its elements, and the place of each in it.
typedef struct {
  int64_t length; // of a run at most
  MlirValue *copy, place;
} SnCounted;
SnCounted sn_counted_begin(SnBuilder *row, const SnSort *s, int64_t most);
void sn_counted_end(SnCounted *c);
// Writes runs of `from` to s->data, in order; how long sorted runs are from there on: c->length, or 1 where some
// elements went round in a circle. Memory has no lanes.
MlirValue sn_sort_counted(SnBuilder *b, const SnSort *s, const SnCounted *c, const MlirValue *from);

// ---- first_sorted.c --------------------------------------------------------------------------

// Of a tm_tensor.sort: one more than the last place along its dimension that is read; SN_DYNAMIC if that is not known.
int64_t sn_first_read(MlirOperation op);
// Its SN_PLACES; SN_DYNAMIC without.
int64_t sn_sort_places(MlirOperation op);
// Few are read: `kept`. It brings elements back by their places, nothing else.
bool sn_sorts_first(MlirOperation op, int64_t *kept);
bool sn_sorts_places(MlirOperation op);
// The first `kept` of `from`, in order, to s->data; elements of `from` but its first, the places, to where they go.
void sn_sort_first(SnBuilder *b, const SnSort *s, MlirValue *from, int64_t kept);
void sn_sort_back(SnBuilder *b, const SnSort *s, MlirValue *from, int64_t kept);

#endif
