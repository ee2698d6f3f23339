// expand.h: private to passes/expand. A definition's body, copied into a row program.
//
// decides: what a named loss or row function is made of.

#ifndef SINTER_PASSES_EXPAND_H
#define SINTER_PASSES_EXPAND_H

#include "capi/pass.h"
#include "dialect/definition.h"

// Where a body is copied to.
typedef struct {
  SnBuilder b;        // at the end of the row program so far
  MlirType row;       // some row of it; null where there are no columns known
  const SnForm *form; // whose dimensions have names
} SnExpansion;

// A value in another element type: floats are widened or rounded, integers too, an integer becomes a float.
MlirValue sn_convert_element(SnBuilder *b, MlirValue v, MlirType element);

// Copies the body of use's definition with `arguments` for its parameters (null where not given) in the
// element types and shapes that they have, and stores what it yields, floats as `use->real`. Uses of other definitions
// inside are copied too. Reports what stands in the way, at `use`.
MlirLogicalResult sn_expand_body(SnExpansion *to, const SnUse *use, const MlirValue *arguments, SnValueVec *yielded);

// The use that stands in a row program gives way to the body that it means.
MlirLogicalResult sn_expand_in_place(MlirOperation use);

// A sinter.rowwise gives way to forms and tensors, where operations on whole rows stand in its body. In cut.c.
void sn_cut_whole_rows(MlirOperation form);

#endif
