// simplify.h: the algebra on row programs, for passes that run it between their own steps.
//
// decides: what a row program may be written as instead, for no more work.

#ifndef SINTER_PASSES_SIMPLIFY_H
#define SINTER_PASSES_SIMPLIFY_H

#include "capi/form.h"
#include "capi/pass.h"

// To a fixed point, on every form under `root`. Fusion runs it between its steps.
MlirLogicalResult sn_simplify(MlirOperation root);

// ---- in files of this folder ----------------------------------------------------

// A total over a one-hot tensor gets the classes as its columns (row_one_hot.c); tells whether it changed.
bool sn_walk_along_classes(MlirOperation op);
// Factors of a product's side that are the same along its sum go to the body (side_factors.c); tells whether there were
// any: the op is another one then.
bool sn_factors_leave_sides(MlirOperation op);
// A product with a side of one element for each row goes (one_hot_sides.c); tells whether there was one: the op is
// another one then.
bool sn_one_hot_sides(MlirOperation op);
// A value of the form's body is 0 but where the positions in two dimensions are equal: nothing is left of a product
// with it.
bool sn_is_diagonal(const SnForm *f, MlirValue v);
// Quotients and remainders that are none go from subscripts (subscripts.c); tells whether there were any.
bool sn_simplify_subscripts(MlirOperation op);
// A gather by subscripts that dimensions alone say becomes an access (placed_gathers.c); tells whether there was one:
// the op is another one then.
bool sn_place_gathers(MlirOperation op);
// Dimensions of size 1 go (unit_dims.c); tells whether there were any.
bool sn_drop_unit_dims(MlirOperation op);
// What is reduced over rows that are one is that row: another form then stands in its place, and op is gone.
bool sn_drop_sums_of_one(MlirOperation op);
// Products of small integers in 64 bits become ones in 32 (narrow_products.c); tells whether there were any.
bool sn_narrow_products(MlirOperation op);
// A product that another one of the form is, or that nobody reads, goes (equal_products.c); tells whether there was
// one: the op is another one then.
bool sn_drop_equal_products(MlirOperation op);
// The same of a matrix or a group of columns that nobody reads.
bool sn_drop_unread_parts(MlirOperation op);
// Of a form of several products: each result, where each is made of another one of them, by a form of its own; false:
// it is no such form.
bool sn_part_results(MlirOperation op);

#endif
