// differentiate.h: private to passes/differentiate. Reverse mode over row programs.
//
// decides: what gradients are, at corners too.

#ifndef SINTER_PASSES_DIFFERENTIATE_H
#define SINTER_PASSES_DIFFERENTIATE_H

#include "passes/edit/edit.h"

// What exporters spell out gets PyTorch's gradients at corners, in every linalg.generic under `root` (corners.c).
void sn_corners(MlirOperation root);

// The gradient with respect to a tensor: `value`, or one for each element where that is null.
typedef struct {
  bool given;
  MlirValue value;
} SnGradient;

// ---- differentiate/gradient_results.c ------------------------------------------------------

// What the public function is differentiated by, and where.
typedef struct {
  const char *wrt;
  int64_t result;
  bool upstream;
} SnGradientOptions;
// It returns those gradients behind its results: a sinter.differentiate stands in front of its return.
MlirLogicalResult sn_add_gradients(MlirOperation root, const SnGradientOptions *o);

// ---- differentiate/rules.c ---------------------------------------------------------------

// The reverse of a row program's blocks, while it is written behind a copy of them.
typedef struct {
  SnBuilder *b;
  const SnForm *form; // that the copy stands in
  SnMap copies;       // a value of the blocks -> its copy
  SnValueVec active;  // values that depend on what is differentiated by
  SnTable is_active;  // those
  SnMap adjoints; // a value of the blocks -> the gradient with respect to it: a row, or a scalar that stands for one
} SnReverse;

// f32 for the half types: what adjoints are computed in.
MlirType sn_wide_type(MlirType t);
// A scalar or row of floats, extended or truncated to an element type.
MlirValue sn_to_float(SnBuilder *b, MlirValue v, MlirType element);
bool sn_is_active(const SnReverse *r, MlirValue v);
void sn_activate(SnReverse *r, MlirValue v); // it is from now on
// Whether an operation's result depends on what it reads so that a gradient may tell.
bool sn_passes_on(MlirOperation op);
// Finds what of the block depends on what is active already.
void sn_find_active(SnReverse *r, MlirBlock block);
// Copies the block's operations, but for asserts, and maps their results.
void sn_copy_forward(SnReverse *r, MlirBlock block);
// The gradient with respect to v is `g` more; nothing where v is not active.
void sn_add_adjoint(SnReverse *r, MlirValue v, MlirValue g);
MlirValue sn_adjoint_of(const SnReverse *r, MlirValue v); // null if there is none
// From the last operation to the first, each adds to the adjoints of its operands. False after an error.
bool sn_reverse_block(SnReverse *r, MlirBlock block);
void sn_reverse_free(SnReverse *r);

// ---- differentiate/reached.c ---------------------------------------------------------------

// Which inputs of a sinter.rowwise get a gradient of those results that have one (null: of all).
void sn_find_reached(MlirOperation form, const SnGradient *upstream, bool *reached);

// ---- differentiate/accesses.c --------------------------------------------------------------

// How a gradient goes back to where an input was read.
typedef struct {
  bool exact;        // it is written where it belongs; else in a tensor of its own, and taken back from there
  bool scattered;    // one by one, where the input was read (differentiate/scattered.c)
  bool sum;          // the input is the same for all rows: summed over them
  MlirAffineMap map; // where it is written, over the form's dimensions
} SnRoute;

// Finds the way back for input k; false after an error at the form.
bool sn_find_route(const SnForm *f, size_t k, SnRoute *to);
// The destination for the gradient of element type `element`, and what comes after: what the form `made` there
// becomes the gradient.
MlirValue sn_route_destination(SnBuilder *b, const SnForm *f, size_t k, const SnRoute *to, MlirType element);
MlirValue sn_route_finish(SnBuilder *b, const SnForm *f, size_t k, const SnRoute *to, MlirValue made, MlirType element);

// A destination of this type; sizes `?` are those of `like`.
MlirValue sn_empty_like(SnBuilder *b, MlirType t, MlirValue like);
// An elementwise form over `like`'s dimensions: the sum of the values (one or two), each read by its map (null: as
// it stands) or 0 outside if `bounded`, as a tensor of `like`'s sizes. Without values: the number.
MlirValue sn_elementwise_form(SnBuilder *b, MlirType element, MlirValue like, intptr_t n, const MlirValue *values,
                              const MlirAffineMap *maps, bool bounded, double number);

// ---- differentiate/scattered.c -------------------------------------------------------------

// Whether what was written as input k was read can be added up where it was read, and that sum.
bool sn_can_scatter(const SnForm *f, size_t k);
// Sizes `?` of its dimensions are those of `sizes`, which is there already.
MlirValue sn_scatter_gradient(SnBuilder *b, const SnForm *f, const SnForm *sizes, size_t k, MlirAffineMap written,
                              MlirValue made, MlirType element);

// ---- differentiate/gathered.c --------------------------------------------------------------

// Those of the body whose table is active. Free with sn_vec_free.
SnOpVec sn_active_gathers(const SnForm *f, const bool *active);
size_t sn_gathered_input(const SnForm *f, MlirOperation gather);
// What the reverse writes for one of them: the gradient of what it gives, then its computed subscripts.
void sn_gathered_destinations(SnBuilder *b, const SnForm *f, MlirOperation gather, SnForm *to);
void sn_gathered_yields(SnReverse *r, const SnForm *f, MlirOperation gather, SnValueVec *yields);
// The table's gradient from those, results `*output` and following of `made`.
MlirValue sn_gathered_gradient(SnBuilder *b, const SnForm *f, MlirOperation gather, MlirOperation made, size_t *output,
                               MlirType element);

// ---- differentiate/own_rows.c, differentiate/adjoint.c -------------------------------------------------------------

// The argument of finish that input k is, which is uniform.
MlirValue sn_finish_argument(const SnForm *f, size_t input);

typedef void (*SnGive)(void *user, size_t input, MlirValue gradient);
// Emits the forms that compute the gradients with respect to the active inputs of `form`, given those with respect
// to its results, and hands them to `give` (perhaps several for one input). `elements` are their
// element types. False after an error.
bool sn_differentiate_form(SnBuilder *b, MlirOperation form, const SnGradient *upstream, const bool *active,
                           const MlirType *elements, SnGive give, void *user);
// The same of the active inputs for which the form had better have other rows, which are not active any more then.
bool sn_differentiate_split(SnBuilder *b, MlirOperation form, const SnGradient *upstream, bool *active,
                            const MlirType *elements, SnGive give, void *user);

// ---- differentiate/concatenated.c ---------------------------------------------------------

// The same of all active inputs of a form that is a concatenation of them; nothing for any other.
bool sn_differentiate_pieces(SnBuilder *b, MlirOperation form, const SnGradient *upstream, bool *active,
                             const MlirType *elements, SnGive give, void *user);

// ---- differentiate/turned.c ----------------------------------------------------------------

// Maxima, minima and products over rows, in forms with nothing else, become those of columns.
void sn_turn_maxima(MlirOperation func);

// ---- differentiate/detach.c --------------------------------------------------------------

// Every sinter.detach gives way to its operand, and what is 0 but for its gradient goes.
void sn_drop_detach(MlirOperation root);

// ---- differentiate/adjoint_products.c -------------------------------------------------------------

// The same of a sinter.contract.
bool sn_differentiate_product(SnBuilder *b, MlirOperation form, const SnGradient *upstream, const bool *active,
                              const MlirType *elements, SnGive give, void *user);

// ---- differentiate/side_views.c --------------------------------------------------------------------

// The gradient with respect to a side (input `side`) of a contract's product, given that with respect to the product,
// over rows and columns.
bool sn_side_gradient(SnBuilder *b, const SnForm *f, size_t side, MlirValue gradient, MlirType element,
                      MlirValue *made);

// ---- differentiate/side_digits.c -------------------------------------------------------------------

enum { SN_SIDE_DIMS = 64 }; // of a contract, or of one side's gradient, at most

// Splits one dimension of which the side reads a digit, in all accesses of `f` and in `points`; false where there is
// none, or its size is not known. *past: what the digits count up to may be more than there is.
bool sn_split_digit(SnForm *f, size_t side, MlirContext ctx, MlirAffineMap *points, bool *past);

// ---- differentiate/side_gradients.c ----------------------------------------------------------------

// The same where the gradient is a product itself: the gradient is read by the map `points`, the other side as it
// stands. False, without an error, where it is not; dimensions of `f` may be split.
bool sn_plain_side_gradient(SnBuilder *b, SnForm *f, size_t side, MlirValue gradient, MlirAffineMap points,
                            MlirType element, MlirValue *made);

// ---- differentiate/step_gradients.c ---------------------------------------------------------------

// The same for a sinter.steps, whose definition says its gradient. The value may come from what is made from then on.
bool sn_differentiate_steps(SnBuilder *b, MlirOperation steps, const SnGradient *upstream, const bool *active,
                            const MlirType *elements, SnGive give, void *user);
// The gradient of sums of ranges (program/bags.c) with respect to what is added, of this element type; `upstream` has
// the shape of the result. In range_gradients.c.
MlirValue sn_sums_gradient(SnBuilder *b, MlirOperation steps, MlirValue upstream, MlirType element);
// That of such a gradient with respect to its own upstream.
MlirValue sn_spread_gradient(SnBuilder *b, MlirOperation steps, MlirValue upstream);
// Erases those that nobody reads any more, and definitions in steps.
void sn_drop_unused_steps(MlirOperation root);

// ---- differentiate/slices.c ----------------------------------------------------------------

// How many operands, the first ones, are tensors that parts are taken of or put together; 0: it is no such operation.
intptr_t sn_slice_tensors(MlirOperation op);
bool sn_differentiate_slice(SnBuilder *b, MlirOperation op, const SnGradient *upstream, const bool *active,
                            const MlirType *elements, SnGive give, void *user);
// `sum` with what a tensor.insert_slice has put into zeros added to it, there alone.
MlirValue sn_add_to_slice(SnBuilder *b, MlirOperation insert, MlirValue sum);

// ---- differentiate/tm_gradients.c ----------------------------------------------------------

// One of tm_tensor's that has a gradient, and the gradients with respect to its operands.
bool sn_is_tm_tensor(MlirOperation op);
bool sn_differentiate_tm_tensor(SnBuilder *b, MlirOperation op, const SnGradient *upstream, const bool *active,
                                const MlirType *elements, SnGive give, void *user);

#endif
