// raise.h: a linalg op on its way to being a kernel form.
//
// For passes/raise, whose rules sinter-guard asks too. A rule looks at an SnRaise, refuses or lays out the
// form's dimensions, names the values of the op's body that it wants, creates
// the form, and asks for those values inside it.
//
// decides: which operations of linalg become kernel forms.

#ifndef SINTER_PASSES_RAISE_H
#define SINTER_PASSES_RAISE_H

#include "capi/pass.h"

// linalg as kernel forms, in every function under `root`. What is differentiated is raised first.
MlirLogicalResult sn_raise(MlirOperation root);

// Where a value that the op's body reads comes from.
typedef struct {
  MlirValue inside;       // an argument of the body, or a value defined around the op
  MlirAttribute constant; // it is this scalar; null: it is the form's input
  size_t input;
} SnSource;

// What an operand is behind views, over the op's loops.
typedef struct {
  MlirAttribute constant; // every element is this scalar; null: `value[map]`
  MlirValue value;        // a tensor, or a scalar that is not constant
  MlirAffineMap map;
  bool unwritten;     // a tensor.empty: nothing has been stored there
  MlirAttribute fill; // read where a subscript is out of range; null if none is
} SnView;

typedef struct {
  MlirOperation op;
  MlirContext ctx;
  MlirBlock body;
  MlirOperation yield;
  intptr_t num_loops, num_inputs, num_outputs;
  int64_t sizes[SN_MAX_DIMS];  // SN_DYNAMIC where `?`
  bool parallel[SN_MAX_DIMS];  // the loop is a dimension of the results that are read
  intptr_t order[SN_MAX_DIMS]; // parallel loops in the order of the first result that is read
  intptr_t num_parallel;
  intptr_t used[SN_MAX_ACCUMULATORS]; // results that somebody reads
  intptr_t num_used;
  intptr_t place[SN_MAX_DIMS]; // which dimension of the form each loop became
  SnForm form;
  SnOpVec needed; // ops of the body that the form repeats, in order
  SN_VEC(SnSource) sources;
  SN_VEC(size_t) tables; // the input that each tensor.extract of `needed` reads from
  bool parts;            // results say all sizes: a part of a size `?` is read where it lies
  bool picks;            // the form has a column for picks: loop `num_loops`, which the op has not
  SnMap values;          // from the op's body to the form's
} SnRaise;

// ---- raise.c ------------------------------------------------------------------

// Reads a structured linalg op on tensors. Refuses what no rule can take.
bool sn_raise_open(SnRaise *r, MlirOperation op);
void sn_raise_close(SnRaise *r);
MlirAffineMap sn_raise_map(const SnRaise *r, intptr_t operand);
static inline MlirValue sn_raise_init(const SnRaise *r, intptr_t output) {
  return sn_operand(r->op, r->num_inputs + output);
}
static inline MlirValue sn_raise_out_argument(const SnRaise *r, intptr_t output) {
  return mlirBlockGetArgument(r->body, r->num_inputs + output);
}
// Lays out the form's dimensions: these loops are rows, columns, and a product's own.
void sn_raise_layout(SnRaise *r, intptr_t rows, const intptr_t *row, intptr_t cols, const intptr_t *col, intptr_t own,
                     const intptr_t *inner);
// Adds the destination of result `output`.
// A tensor.empty of the size of another tensor.
MlirValue sn_raise_empty(SnBuilder *b, MlirValue like);
void sn_raise_destination(SnRaise *r, SnBuilder *b, intptr_t output);
// Every dynamic size of the form can be read from an operand (rule F7).
bool sn_raise_sized(const SnRaise *r);
// Puts the form in the op's place.
void sn_raise_replace(SnRaise *r);

// ---- raise/bodies.c ---------------------------------------------------------------

// The maps and the body of a structured op; -1 inputs if it is none.
intptr_t sn_raise_inputs(MlirOperation op, MlirBlock *body);
// The form will repeat what `root` is computed by. Refuses what no row program can hold.
bool sn_raise_want(SnRaise *r, MlirValue root);
// The argument of a result's destination is among what the wanted values are computed by.
bool sn_raise_wants_output(const SnRaise *r, intptr_t output);
// `access` as an input of the form (an equal one is shared), or a scalar in a tensor of rank 0.
size_t sn_raise_input(SnRaise *r, SnBuilder *b, SnView view);
// Inputs and constants for everything that the wanted values read. Call after sn_raise_layout.
void sn_raise_sources(SnRaise *r, SnBuilder *b);
// Repeats the wanted ops at `b`, in the form's body.
void sn_raise_body(SnRaise *r, SnBuilder *b);
// What an affine.apply of one result computes, and which operand a dimension or symbol of that is.
static inline MlirAffineExpr sn_applied_expr(MlirOperation op) {
  return mlirAffineMapGetResult(mlirAffineMapAttrGetValue(sn_get_attr(op, "map")), 0);
}
static inline intptr_t sn_applied_operand(MlirOperation op, MlirAffineExpr e) {
  return mlirAffineExprIsADim(e) ? mlirAffineDimExprGetPosition(e)
                                 : mlirAffineSymbolExprGetPosition(e) +
                                       mlirAffineMapGetNumDims(mlirAffineMapAttrGetValue(sn_get_attr(op, "map")));
}
// A wanted value in the form's body.
MlirValue sn_raise_value(const SnRaise *r, MlirValue inside);

// ---- raise/selections.c ---------------------------------------------------------------

// An index (or another value) where something is greatest or least, or the first where a condition holds.
typedef struct {
  MlirValue condition;        // the first where it holds; null: where x is greatest or least
  MlirValue x, value;         // what is compared, and what is kept of the winner; in the op's body
  const SnCombiner *combiner; // finds the winner
  bool last, poisoned;        // the last of equal ones wins; none after a NaN does
  int64_t predicate;          // of arith.cmpf or cmpi: it wins over the start value
  SnView start;
} SnWinner;

// Result `output` is combined by a comparison and a select: the combiner that this is, and with what. NULL if not.
const SnCombiner *sn_raise_selected(SnRaise *r, intptr_t output, MlirValue *taken);
// Result `output` is kept of where another result's maximum is; its values are wanted.
bool sn_raise_match_winner(SnRaise *r, intptr_t output, SnWinner *a);
// Result `output` keeps the first value for which a condition holds: it begins with a constant that says "none yet".
bool sn_raise_match_first(SnRaise *r, intptr_t output, SnWinner *a);
// The same in the form's body. `start` and `otherwise`: initial values of the compared (null of a first one) and of the
// kept.
MlirValue sn_raise_winner(SnRaise *r, SnBuilder *b, const SnWinner *a, MlirValue start, MlirValue otherwise);

// ---- raise/lookups.c ---------------------------------------------------------------

// A tensor.extract that is an access of its tensor over the loops, and what it reads.
bool sn_raise_is_access(const SnRaise *r, MlirOperation op);
SnView sn_raise_extracted(const SnRaise *r, MlirOperation extract);
// counts.c: subscripts that another op only counts are counted in the body that looks up by them.
void sn_raise_take_counts(MlirOperation op);
// Results that are the elements of another tensor in order are that tensor, reshaped; whether there was one.
bool sn_raise_reshapes(const SnRaise *r);
// Any other one is picked or gathered: wants its subscripts; makes an input of each tensor; the element.
bool sn_raise_want_extract(SnRaise *r, MlirOperation extract);
void sn_raise_tables(SnRaise *r, SnBuilder *b);
MlirValue sn_raise_gather(SnRaise *r, SnBuilder *b, MlirOperation extract);
// Some element that is wanted is one of each row x[i, ...]: the form wants a column that is
// loop `num_loops`, of x's size, beside rows that are all the op's loops.
bool sn_raise_pick_column(SnRaise *r);
// Asserts in the body: wants them; some one depends on this loop; repeats one.
bool sn_raise_has_asserts(const SnRaise *r);
bool sn_raise_want_asserts(SnRaise *r);
bool sn_raise_asserts_over(const SnRaise *r, intptr_t loop);
void sn_raise_assert(SnRaise *r, SnBuilder *b, MlirOperation op);

// ---- raise/slice_views.c ---------------------------------------------------------------

// The view, or, if it is of a part whose sizes are `?`, a view of what that is a part of: with bounds where it says a
// size otherwise. For an op whose results say all sizes.
SnView sn_raise_part(const SnRaise *r, SnView v);

// ---- raise/views.c ----------------------------------------------------------------

// `v[map]` behind transposes, broadcasts, slices, reshapes, paddings, fills and constants.
SnView sn_raise_view(MlirValue v, MlirAffineMap map);
// A concatenation, insertion, slice or padding as a row program.
bool sn_raise_move(MlirOperation op);

// ---- the rules --------------------------------------------------------------------

bool sn_raise_elementwise(SnRaise *r);
bool sn_raise_reduce(SnRaise *r);
// The op is a sum of products with a dimension of its own on each side.
bool sn_raise_is_product(SnRaise *r);
bool sn_raise_contract(SnRaise *r);

#endif
