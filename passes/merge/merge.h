// merge.h: one kernel made of two: is it legal, and how. Whether it is worth it is passes/fuse's.
//
// decides: whether two forms may be one, and how that one reads.

#ifndef SINTER_PASSES_MERGE_H
#define SINTER_PASSES_MERGE_H

#include "passes/edit/edit.h"
#include "passes/merge/reasons.h"

// What a merge of a (earlier) and b (later) would be. Dimensions of each form become
// expressions over the merged form's: rows, columns, then those of a product.
typedef struct {
  SnForm a, b;
  SnForm merged;           // dims, num_rows, num_cols, contract and products are set
  MlirAffineExpr *a_dims;  // one for each dimension of a
  MlirAffineExpr *b_dims;
  bool *keep;              // outputs of a that others than b read; none if duplicated
  bool into_finish;        // b runs in a's finish
  bool duplicate;          // a stays for its other readers
  size_t served;           // of a duplicated a: the input of b that is computed, with all that read the same place
  // b reads what a makes outside of a size `?`, with which nothing is compared: a makes the zero that b reads there of
  // zeros, of this sign of each input, 1 or -1 (0: of none); null if bounds are compared.
  int8_t *zeros;
  const SnAccess *guard;   // b reads what a makes with these bounds: a's value only counts inside; null if nowhere else
  bool a_columns, b_columns; // of a total: whether it sums over the merged columns, or has none of them
} SnMerge;

// ---- merge/match.c ---------------------------------------------------------------

// Tells whether the two forms can be one, and fills `m` (free it in either case).
bool sn_can_merge(MlirOperation a, MlirOperation b, SnMerge *m);
// The same where a is computed again inside b in place of b's input `input`, and keeps its own results.
bool sn_can_serve(MlirOperation a, MlirOperation b, size_t input, SnMerge *m);
void sn_merge_free(SnMerge *m);
// Whether an elementwise form, a total, or a product with an elementwise row program may have these dimensions as
// columns, of its rows and columns: a result uses all or none of them, and so do the sides of a product.
bool sn_can_resplit(const SnForm *f, const bool *is_column);
// The form with these dimensions as columns, in this order, and the others as rows. The old op is erased.
MlirOperation sn_resplit(MlirOperation op, const bool *is_column);
// Does it: the merged op stands where b stood; both are erased (a not if duplicated).
MlirOperation sn_merge(SnMerge *m);

// ---- merge/merge.c ---------------------------------------------------------------

// The operations that `v` needs beside values of the map, users behind what they use.
void sn_needed_ops(MlirValue v, const SnMap *known, SnOpVec *ops);
// What `v`, of the body of `from`, is in a body of `to`: dimension d of `from` is dims[d] there, and its arguments are
// in the map, or values that are made of them. It needs no other columns of a row than its own.
MlirValue sn_move_value(SnBuilder *b, const SnForm *from, MlirValue v, const MlirAffineExpr *dims, const SnForm *to,
                        SnMap *map);
// Whether subscripts over the dimensions of `f` are inside of a value of type t; null where they always are. Where its
// size is `?` they are (sn_inside_of_unknown).
MlirValue sn_emit_inside(SnBuilder *b, const SnForm *f, MlirAffineMap map, MlirType t);

// ---- merge/outside.c -----------------------------------------------------------

// Whether `v`, of the body of `f`, is `fill` (0) by itself where these subscripts are not inside of type t: all that it
// is made of is read with them, and 0 there.
bool sn_is_fill_outside(const SnForm *f, MlirValue v, MlirAttribute fill, MlirAffineMap bounds, MlirType t);
// Whether the result is `fill`, a zero, where the inputs that it is made of are zeros, all of which have the result's
// sizes. Adds the sign that each has to have to `zeros`; false where it has the other one there.
bool sn_makes_zero_outside(const SnForm *f, size_t result, MlirAttribute fill, int8_t *zeros);

// ---- merge/bounds.c ----------------------------------------------------------------

// Finds m->guard: what b reads of a with bounds. False, and says why, where a cannot be made with them.
bool sn_find_guard(SnMerge *m);

// ---- merge/into_sides.c ------------------------------------------------------------

// What makes input `input` of f, as the program of the side that reads it.
typedef struct {
  SnForm f, p;           // p makes the input: its result `result`; what it gathers are inputs of p behind all others
  SnValueVec values;     // of p's body, that its inputs are
  size_t input, side, result;
  MlirAffineExpr *dims; // of p, over those of f; a symbol of the input's map where it goes through an index tensor
  const SnAccess *read; // the input
  SnOpVec ops;          // of p's body, that make the result
  bool *reads;          // which of p's inputs they read
} SnIntoSide;
// Tells whether it can be that, and fills `m` (free it in either case).
bool sn_can_move_into_side(MlirOperation op, size_t input, SnIntoSide *m);
// The form that takes op's place; op is gone, and what makes the input may be without a reader.
MlirOperation sn_move_into_side(SnIntoSide *m);
void sn_into_side_free(SnIntoSide *m);

// ---- merge/match.c ---------------------------------------------------------------

// A form without reductions, picks, products and accumulators: any of its dimensions may be a row's or a column's.
bool sn_is_elementwise_form(const SnForm *f);
bool sn_is_elementwise_body(MlirBlock body); // what is yielded at a column needs of its rows that column alone
// A form that only combines one value over all of its dimensions: sum_{i,j} f(i, j). Any dimension may be a
// row's or a column's here too.
bool sn_is_total(const SnForm *f);
// Input `input` of b is a value that a makes inside the merged form; which result of a it is.
bool sn_flows(const SnMerge *m, size_t input, size_t *result);
// Input k of f is result *result of another form: returns that form, else null.
MlirOperation sn_producer(const SnForm *f, size_t input, size_t *result);

// ---- merge/chain_match.c, merge/chained.c ---------------------------------------------

// What a chain of a (earlier) and b (later) would be: products of b multiply rows that a makes. Where a's row is a side
// of a product, the merged form multiplies it by a matrix, which is the product's other side.
typedef struct {
  SnForm a, b;
  SnForm merged;                   // everything but its blocks
  MlirAffineExpr *a_dims, *b_dims; // dimensions of each over the merged form's
  bool *keep;                      // outputs of a that others than b read
  intptr_t *side;                  // of each product of b: which of its sides a makes, 0 or 1; -1: neither
  intptr_t *a_place, *b_place;     // where each input went; -1: a makes it
} SnChain;

// Some product of b has a side that a makes: whether the two are one kernel is sn_can_chain's question.
bool sn_is_multiplied(MlirOperation a, MlirOperation b);
// Tells whether the two forms can be one, and fills `c` (free it in either case).
bool sn_can_chain(MlirOperation a, MlirOperation b, SnChain *c);
void sn_chain_free(SnChain *c);
// Does it: the merged op stands where b stood, both are erased.
MlirOperation sn_chain(SnChain *c);

// ---- merge/turn.c ----------------------------------------------------------------------

// Some results of f, computed again by a form whose columns are one row dimension of f, and its rows f's columns.
typedef struct {
  SnForm f;
  intptr_t row;   // the dimension of f that becomes the columns
  bool *results;  // which
  bool *products; // that they need, and inputs behind the sides
  bool *inputs;
  SnOpVec ops;          // of the body, that they need
  SnValueVec stored;    // scalars of the body that follow from a whole row: f gets a result for each
  SnForm turned;        // everything but its block, and the values of what is stored
  MlirAffineExpr *dims; // of f, over those of the turned form
} SnTurn;
// Tells whether it can be that, and fills `t` (free it in either case).
bool sn_can_turn(MlirOperation op, intptr_t row, const bool *results, SnTurn *t);
// The new form, which has these results in order, behind *kept: the old one, or the one that has taken its place.
MlirOperation sn_turn(SnTurn *t, MlirOperation *kept);
void sn_turn_free(SnTurn *t);
// The form with a result more for each of these scalars of its body, in front of it; its results are the new one's.
MlirOperation sn_with_stored(const SnForm *f, const SnValueVec *stored, SnBuilder *b);

// ---- merge/equal_sizes.c ---------------------------------------------------------------

// Dimension d of f and dimension e of g have one size, whatever the arguments are.
bool sn_same_size(const SnForm *f, intptr_t d, const SnForm *g, intptr_t e);
// Where the size of what f reads is `?`, the subscript is a dimension of f of that size: it is never outside.
bool sn_inside_of_unknown(const SnForm *f, const SnAccess *read);
// And every other subscript is in range, too: bounds of the access say nothing.
bool sn_always_inside(const SnForm *f, const SnAccess *read);

// ---- merge/growth.c --------------------------------------------------------------

// The merged form is no larger than fusion makes them.
bool sn_fits(const SnMerge *m);
bool sn_chain_fits(const SnChain *c);
// What a form has that no merge makes fewer of.
typedef struct {
  size_t accumulators, products, reductions, operations;
} SnGrowth;
SnGrowth sn_growth(MlirOperation form);
// False where the forms are too large for that, whatever they read: before anything else is looked at. Also a refusal,
// of b.
bool sn_may_fit(MlirOperation a, MlirOperation b);
bool sn_growths_fit(MlirOperation b, const SnGrowth *x, const SnGrowth *y);

#endif
