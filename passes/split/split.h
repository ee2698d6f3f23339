// split.h: a form of several products as plain forms.

#ifndef SINTER_PASSES_SPLIT_H
#define SINTER_PASSES_SPLIT_H

#include "capi/pass.h"

typedef struct {
  bool keep_sides; // programs of sides stay where they are
} SnSplit;

// Makes plain forms of the form, in front of it, whose results take the place of its own; the form is erased. A plain
// form stays. False after an error.
bool sn_split_form(MlirOperation form, SnSplit how);
// The same for all forms on tensors in the function.
MlirLogicalResult sn_split_forms(MlirOperation func, SnSplit how);

#endif
