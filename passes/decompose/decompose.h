// decompose.h: kernel forms taken apart into linalg.generic.
//
// decides: what each form means in linalg, which --verify compares with.

#ifndef SINTER_PASSES_DECOMPOSE_H
#define SINTER_PASSES_DECOMPOSE_H

#include "capi/pass.h"
#include "dialect/row_groups.h"

typedef uint64_t SnDimSet; // bit d is dimension d of the form

// A value of a row program at every point: a tensor that is read by a map over
// the form's dimensions, each subscript one dimension or 0. A scalar that is the
// same everywhere is itself, with no map.
typedef struct {
  MlirValue value;
  MlirAffineMap map;
  bool fresh; // a tensor that was made here and is no result yet
} SnGrid;

typedef struct {
  SnForm form;
  MlirContext ctx;
  SnBuilder b; // in front of the form
  MlirValue sizes[SN_MAX_DIMS]; // what sn_grid_size has made
  SN_VEC(MlirValue) from;       // values of the regions
  SN_VEC(SnGrid) to;            // what they became
  const SnRowGroups *now;       // of the region that is taken apart; null in the program of a side
  SnGroup summed;               // what the rows of that are over
} SnDecompose;

// ---- decompose/generic.c ------------------------------------------------------

SnDimSet sn_grid_dims(const SnGrid *g);
SnDimSet sn_dims_between(int64_t first, int64_t end);
// The size of a dimension, an index in front of the form.
MlirValue sn_grid_size(SnDecompose *d, intptr_t dim);
// A tensor over these dimensions, not written.
SnGrid sn_grid_empty(SnDecompose *d, SnDimSet dims, MlirType element);
// The same elements in a tensor that has all of these dimensions.
SnGrid sn_grid_cover(SnDecompose *d, SnGrid g, SnDimSet dims);
// What an access reads, with its fill values and its indirect subscripts.
SnGrid sn_grid_access(SnDecompose *d, const SnAccess *a);
// `g` as the contents of a destination.
MlirValue sn_grid_store(SnDecompose *d, SnGrid *g, const SnAccess *to);

// One linalg.generic: opened, its body written at `b`, closed with what it yields.
typedef struct {
  SnDecompose *d;
  SnBuilder b;
  SnDimSet dims, reduced;
  SnGrid *in, out; // `in` and `args` are freed where it is closed
  intptr_t n;
  MlirValue *args; // of each grid an element; then the destination's
} SnGeneric;

// Loops over `dims`, and those of the operands and of `out`; `reduced` are not in `out`.
SnGeneric sn_generic(SnDecompose *d, SnDimSet dims, SnDimSet reduced, intptr_t n, const SnGrid *in, SnGrid out);
MlirValue sn_generic_index(SnGeneric *g, intptr_t dim);
SnGrid sn_generic_end(SnGeneric *g, MlirValue yielded);

// ---- decompose/decompose.c ------------------------------------------------------

// A form on tensors -> linalg that means the same. False, after an error, where it holds an operation that nobody
// knows.
bool sn_decompose_form(MlirOperation form);

// ---- decompose/step_loops.c --------------------------------------------------------

// A sinter.steps on tensors -> loops on memory.
void sn_decompose_steps(MlirOperation op);

#endif
