// split.h: a form of several products as plain forms.
//
// decides: where a form of several products is cut into plain ones.

#ifndef SINTER_PASSES_SPLIT_H
#define SINTER_PASSES_SPLIT_H

#include "capi/pass.h"

// Where values that cross from a piece to another are kept, of a form on memrefs.
typedef struct {
  // A memref over these dimensions of the form: of a number or a row for each row, or (`total`) of what an accumulator
  // is in the end.
  MlirValue (*place)(SnBuilder *b, const SnForm *f, MlirType element, const int64_t *dims, intptr_t n, bool total,
                     void *user);
  void *user;
  SnOpVec pieces; // in their order
  SnOpVec ends;   // forms without rows, which finish what several pieces reduce
} SnCrossing;

typedef struct {
  bool keep_sides;    // programs of sides stay where they are
  const char *target; // "cpu" or "gpu": what that runs as one kernel stays; NULL: nothing does
  bool one_launch;    // of a GPU: kernels will share launches (sinter-sequence)
  int64_t parts_from; // of a GPU: bytes of products in f32 whose rows, multiplied again, are sums of three bf16
  int64_t stored;     // bytes of a product from which on a GPU reduces its rows in its tiles
  int64_t again;      // bytes of a product, and of what is made of its rows, from which on a GPU multiplies it again
  bool reasons;       // each piece keeps why it was cut, as the attribute `sinter.cut`: `number`, a text
  int64_t number;     // of the form
} SnSplit;

// Makes plain forms of the form, in front of it, whose results take the place of its own; the form is erased. A plain
// form stays, and one that the target runs. False after an error.
bool sn_split_form(MlirOperation form, SnSplit how);
// The pieces of a form on memrefs, in front of it; it stays. Programs of sides stay where they are. Free its
// lists.
bool sn_split_pieces(MlirOperation form, SnCrossing *crossing);
// Of a form whose rows are made a block of columns at a time (sn_cpu_streams): factors that are known at a row's end
// leave its products, and sums that might leave their type's range are of rows times one by a power of two above the
// number of columns: the row of that one; null: there is none. `power`: that number; or 0, and `f32`, an argument of
// the body, is it.
MlirValue sn_stream_factors(SnForm *form, int64_t power, MlirValue f32);
bool sn_stream_scales(const SnForm *form);   // some are
int64_t sn_stream_power(const SnForm *form); // 0: it is known at run time only
// The maximum that exponentials of the body are under; null: there is none.
MlirOperation sn_stream_maximum(MlirBlock body);
// sn_split_form of all forms on tensors in the function, but for those that have a schedule.
MlirLogicalResult sn_split_forms(MlirOperation func, SnSplit how);

#endif
