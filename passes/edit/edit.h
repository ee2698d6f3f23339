// edit.h: what simplify and fuse share in taking forms apart and making new ones.
//
// decides: how a form is taken apart and made anew, and how rules are applied.

#ifndef SINTER_PASSES_EDIT_EDIT_H
#define SINTER_PASSES_EDIT_EDIT_H

#include "capi/pass.h"

// All operations of `from` but its terminator, copied behind `to`; values through `map`.
void sn_copy_ops(SnBuilder *to, MlirBlock from, SnMap *map);
// The terminator, too.
void sn_copy_block(SnBuilder *to, MlirBlock from, SnMap *map);
// The value of an expression over the form's dimensions, in its body. There is one of sums, of products by numbers, and
// of quotients and remainders of what is not negative.
bool sn_has_affine_value(const SnForm *f, MlirAffineExpr e);
MlirValue sn_affine_value(SnBuilder *b, const SnForm *f, MlirAffineExpr e);
// The size of dimension d at run time, in front of the form.
MlirValue sn_size_value(SnBuilder *b, const SnForm *f, intptr_t d);
// An empty tensor over the form's dimensions that are the results of the map, in front of the form.
MlirValue sn_empty_at(SnBuilder *b, const SnForm *f, MlirAffineMap map, MlirType element);
// An operand gives the size of each dimension `?` (F7).
bool sn_sizes_known(const SnForm *f);
// The form `to`, which differs from the form `from` in its sides and in inputs behind all others, with the body and the
// finish of `from`. Its results take the place of those of `from`, whose op is for the caller to erase.
MlirOperation sn_with_other_sides(SnBuilder *b, const SnForm *from, SnForm *to);
// Element k of n of an array attribute that may be missing (an operand's map), replaced.
void sn_set_element(MlirOperation op, const char *name, intptr_t n, intptr_t k, MlirAttribute to);
// An input of `from` with index tensors of its own, which are added to those of `to`.
SnAccess sn_with_own_indices(const SnForm *from, SnAccess a, SnForm *to);
// One value for equal pure operations of a block without regions. A row that rows of two groups would be equal to is
// loose, so it may be read in both (dialect/row_groups.h).
bool sn_cse_block(MlirBlock block);

// An operation of the body speaks of a dimension, or of a position in it.
bool sn_names_dims(MlirBlock body);
// A cf.assert stands in the body or the finish: the form has an effect.
bool sn_form_asserts(const SnForm *f);
// An element may end the call: an assertion, or an integer division by what is not known, stands in the body or finish.
// Such a form is not run for elements that it has not.
bool sn_form_may_fail(const SnForm *f);

// Two accesses read the same elements of the same value.
bool sn_same_access(const SnForm *fa, const SnAccess *a, const SnForm *fb, const SnAccess *b);

// Which outputs of a tensor form to keep, and whether to drop the columns.
typedef struct {
  const bool *keep_output;
  bool drop_columns;
} SnPrune;
// A new form without those outputs, and without the accumulators, inputs, index tensors and
// finish that nothing needs any more; results are replaced and the old op is erased.
// Returns the new op, or the old one where nothing changes; null where nothing is left.
MlirOperation sn_prune(MlirOperation op, SnPrune what);
// The same, keeping outputs whose results have uses; drops columns that no value uses.
MlirOperation sn_tidy(MlirOperation op);

// edit/copy_form.c: the form over d0, d1, ... of these sizes, the last of them its columns, that writes the elements of
// `in`, an access of those dimensions, to a new tensor of them in the order of `written`, a permutation.
MlirValue sn_copy_form(SnBuilder *b, SnAccess in, intptr_t rank, const int64_t *shape, MlirAffineMap written);
// The same, widened to floats of this type.
MlirValue sn_copy_form_as(SnBuilder *b, SnAccess in, intptr_t rank, const int64_t *shape, MlirAffineMap written,
                          MlirType element);
// [a, p, q] to [a, q, p] by such a form; the elements of a tensor of known sizes, and the tensor in another shape.
MlirValue sn_turned(SnBuilder *b, MlirValue v, MlirType element);
int64_t sn_num_elements(MlirType t);
MlirValue sn_with_shape(SnBuilder *b, MlirValue v, intptr_t rank, const int64_t *shape);

// edit/widened.c: f32, if the body reads input k, of a half type, for that alone; else its own type. And the body where
// such an input is of f32: what is wide already is not widened.
MlirType sn_widened_input(const SnForm *f, size_t k);
void sn_leave_out_extensions(MlirBlock block);

// edit/by_elements.c: each element of what the body gives is a function of one element of what it is given.
bool sn_goes_by_elements(const SnForm *f);
// The same of rows of one element, which reductions of it in its own type are, too.
bool sn_goes_by_one_element(const SnForm *f);
// The body at one column, into the empty body of `to`, whose last inputs are those of f: all of it is scalars. `sums`:
// what each product is there; null if there is none.
void sn_copy_body_by_elements(SnBuilder *b, const SnForm *f, const SnForm *to, const MlirValue *sums);

// edit/take_apart.c: the first subscript d1 * n + d2 of the access becomes both, of its value seen so; its place,
// -1 if there is none. And what a form stored in such a value, as it was: of type `to`.
intptr_t sn_take_apart(SnBuilder *b, const SnForm *f, SnAccess *a);
MlirValue sn_put_together(SnBuilder *b, MlirValue v, MlirType to, intptr_t at);
bool sn_take_all_apart(SnBuilder *b, const SnForm *f, SnAccess *a); // all of the access; false: there is none
// All such subscripts of a function's arguments, in forms without schedules.
void sn_take_arguments_apart(MlirOperation func);

// edit/in_front.c: it is there from the block's beginning, but for constants and for destinations of known sizes or of
// sizes of arguments, which may be made earlier.
bool sn_is_there(MlirValue v, MlirBlock block);
// What b needs of those stands in front of a then, which was in front of b. `places`: of the block's operations, larger
// ones stand behind.
void sn_move_needed(SnTable *places, MlirOperation a, MlirOperation b);

#endif
