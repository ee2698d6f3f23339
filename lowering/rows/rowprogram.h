// rowprogram.h: a row program written out, value by value; shared by the CPU
// and GPU lowerings.
//
// A lowering owns the loops: who runs which row, which lanes hold which
// columns, how partial reductions meet. Here is what it puts inside of them:
//
//   SnRowProgram p = sn_row_program(&form, sn_values(0, NULL));
//   p.dims[d] = ...;                              // each row dimension's index
//   sn_row_walk(b, &p, p.phases.size, &walk):     // once a row: each phase's scalars, then walk.columns, which writes
//     column loop at j:
//       SnFragment c = sn_fragment(j, lanes);         // a new one in each loop body
//       acc = sn_row_combine(b, &p, r, acc, sn_row_reduced(b, &p, &c, r));  // r of phase.reduces
//       sn_row_store(b, &p, &c, sn_row_element(b, &p, &c, v), &output);     // v of phase.yields
//       sn_fragment_free(&c);
//     sn_row_know(&p, result of r, acc);          // known from the next phase on
//
// A row value is recomputed from memory wherever it is asked for, once in each
// loop body. Elements of a reduction stay in the order that the lowering fixes.
//
// decides: how a row program becomes loops: its phases, what one loop joins, what is kept, each element.

#ifndef SINTER_LOWERING_ROWPROGRAM_H
#define SINTER_LOWERING_ROWPROGRAM_H

#include "lowering/rows/fragment.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- the program -------------------------------------------------------------

// Where the elements of a block argument are.
typedef struct {
  MlirValue memref;
  SnAccess access;   // of a form's operand; its `value` is the memref too
  bool scratch;      // instead: memref[first, column - offset], or memref[column - offset] if `first` is null
  MlirValue first, offset; // offset may be null: 0
  MlirValue period;        // or null. Of rank 1: memref[column mod period], and what is behind begins again
} SnRowSource;

typedef struct {
  SnOpVec reduces;        // row_reduces over rows that are known in this phase
  SN_VEC(intptr_t) yields; // operands of the terminator that are rows and known from this phase on
} SnPhase;

// A row that phase `first` stores for later ones: memref[column]. Unless `factors` is null it is in vectors of `per`
// elements, one behind the other, times factors[sn_row_kept_factor]: a row's last vector, which begins at no multiple
// of `per`, is the next one.
typedef struct {
  MlirValue value, memref;
  int first;
  MlirValue factors;
  int64_t per;
} SnKept;

typedef struct SnRowProgram {
  const SnForm *form;
  MlirBlock block;             // the form's body, or its finish
  SN_VEC(SnRowSource) sources; // one for each argument of the block
  SN_VEC(SnPhase) phases;      // at least one
  SnFragment row;              // what is one for each row: scalars of the region. Of more than 1 row, set by the
                               // lowering: lanes are rows then, also those of columns
  MlirValue dims[SN_MAX_DIMS]; // set by the lowering: index of each row dimension, of lane 0
  int64_t aligned;             // set by the lowering: bytes that every operand begins at a multiple of; 0: not known
  int64_t multiple;            // set by the lowering: of what an operand's last size `?` is a multiple; 0: of nothing
  bool selects;                // set by the lowering: what may be outside is loaded from a place inside, then selected;
                               // there are no masked loads
  bool steps_together;         // set by the lowering: lanes that lie a few elements apart are loaded with all between
                               // them, by a mask (sn_row_step)
  // Set by the lowering, where columns come line by line: so many of the last column dimensions are one, 0: none; of
  // the one at work, the index of each other column dimension and the number of its first column.
  int64_t line;
  MlirValue outer[SN_MAX_DIMS], line_begin;
  bool streaming;              // set by the lowering: stores of whole vectors go past the caches where sn_row_streams
  // Set by the lowering, where threads share a row's elements: the element of sinter.pick `op` at the column, an index,
  // or what it gives elsewhere. Null: a fragment at that column has it.
  MlirValue (*pick)(SnBuilder *b, struct SnRowProgram *p, MlirOperation op, MlirValue column, void *user);
  void *pick_user;
  // Set by the lowering: comparisons that are known to give `truth` at all columns of the loops that are emitted next.
  struct {
    MlirOperation op; // null: none
    bool truth;
  } known[2];
  SN_VEC(SnKept) kept;         // by sn_row_keep; none: each phase recomputes what it needs
  int phase;                   // the one that is being emitted
  SnTable levels;              // of each of `values`
  SN_VEC(MlirValue) values;
} SnRowProgram;

// What cannot be lowered yet, by name, at the op that needs it: constants that are not splats.
// And sizes `?`, where a target cannot.
MlirLogicalResult sn_row_program_check(const SnForm *form);
// Why no target has a kernel of a form that is legal; null: all have.
const char *sn_row_program_refusal(const SnForm *form);
MlirLogicalResult sn_row_program_check_sizes(const SnForm *form);

// The body over the form's memrefs, or over `operands` in their place (inputs, index tensors, outputs in order;
// none: the form's own). Products have no source until sn_row_set_scratch. Free it.
SnRowProgram sn_row_program(const SnForm *form, SnValues operands);
// The finish. Scalar accumulators are set by sn_row_know(&p, argument, value), rows by
// sn_row_set_scratch; uniform inputs are loaded by sn_row_scalars.
SnRowProgram sn_finish_program(const SnForm *form, SnValues operands);
// Without a finish the accumulators are the results: gives the form one that says so.
void sn_row_default_finish(SnForm *form, MlirLocation loc);
void sn_row_program_free(SnRowProgram *p);

// Argument `k` of the block is a row in scratch memory: memref[first, column - offset]
// of rank 2, memref[column - offset] of rank 1 where `first` is null. `offset` may be null.
void sn_row_set_scratch(SnRowProgram *p, intptr_t argument, MlirValue memref, MlirValue first, MlirValue offset);

// In rowscratch.c. An element of the type has all bits of its bytes, so that a vector of it is as wide as that many
// elements of a memref.
bool sn_fills_bytes(MlirType element);
// What an element is kept as in scratch memory: itself, or an integer that fills its bytes.
MlirType sn_scratch_type(MlirType element);
int64_t sn_scratch_bytes(MlirType element);
// A scalar or a vector, to this element type of the same kind.
MlirValue sn_row_convert(SnBuilder *b, MlirValue x, MlirType to);
// An element or a vector, `t`, of scratch memory whose element is sn_scratch_type's. `more`: an attribute of the load
// or store, or null.
MlirValue sn_scratch_load(SnBuilder *b, MlirValue memref, SnValues at, MlirType t, SnAttr more);
void sn_scratch_store(SnBuilder *b, MlirValue x, MlirValue memref, SnValues at, SnAttr more);

// The phase from which on a value of the region is known.
int sn_row_level(const SnRowProgram *p, MlirValue v);
// The label, a number of the row, that this comparison finds among the columns; null if it is nothing of the kind.
MlirValue sn_row_label(const SnRowProgram *p, MlirOperation op);
// Operand k of the block's terminator.
MlirValue sn_row_yield(const SnRowProgram *p, intptr_t k);
// In rowkeep.c. Which values of rows later phases had better load than compute again; their memrefs are for the
// lowering to set.
void sn_row_keep(SnRowProgram *p);
// Which factor a vector of columns has, or a single column of a row that has no vector.
MlirValue sn_row_kept_factor(SnBuilder *b, const SnKept *kept, const SnFragment *c);
// In rowjoint.c. Says of every exponential of a row under its own maximum that its argument is not positive
// (`sinter.not_positive`, which sinter-math reads).
void sn_row_mark_exponentials(const SnRowProgram *p);
// In rowguard.c. The scalar condition, known in this phase, without which none of its reductions matters and nothing is
// stored; null: none.
MlirValue sn_row_guard(const SnRowProgram *p, int phase);
// Some value reads elements at columns that differ from the one asked for (a pick): scratch rows have to be whole.
bool sn_row_needs_whole_row(const SnRowProgram *p);

// In rowranges.c. Multiples of `lanes` in a row of a known length where operands with a fill value begin or end:
// between two of them it is known what a vector reads (SnFragment.from, to). How many; 0 also where that would be too
// much code. Free them with sn_vec_free.
typedef SN_VEC(int64_t) SnColumnCuts;
size_t sn_row_cuts(const SnRowProgram *p, int64_t lanes, SnColumnCuts *cuts);

// Forgets what was emitted for a row: call it where another row begins.
void sn_row_begin(SnRowProgram *p);

// ---- phases ------------------------------------------------------------------

// What a target does of a phase. `before` stands in front of its scalars. `columns` runs its loops over the row's
// columns: it stores what the phase yields, and makes the results of its reductions known. Null: nothing.
typedef struct {
  void (*before)(SnBuilder *b, size_t phase, void *user);
  void (*columns)(SnBuilder *b, size_t phase, void *user);
  void *user;
  bool part; // of a row: scalars that are known behind the first phase are not
  bool asserts_behind; // a phase's columns, which do not wait for what is asked: where neither an assert nor what it
                       // forbids stops the program
} SnRowWalk;
// The first `count` phases of a row, in order.
void sn_row_walk(SnBuilder *b, SnRowProgram *p, size_t count, const SnRowWalk *walk);

// Emits every scalar of this phase: loads of arguments, elementwise scalars, picks, asserts. The
// results of reductions of earlier phases have to be known.
void sn_row_scalars(SnBuilder *b, SnRowProgram *p, int phase);
// A scalar of the region is this, from here on: a result of a reduction, an argument.
void sn_row_know(SnRowProgram *p, MlirValue v, MlirValue made);
// A scalar that was emitted before.
MlirValue sn_row_scalar(const SnRowProgram *p, MlirValue v);

// ---- elements ----------------------------------------------------------------

// A row of the region at the column, or a scalar of the region on every lane.
MlirValue sn_row_element(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirValue v);
// Stores an element to memory by an output's access: at the column where its map uses columns.
// `access->value` is the memref.
void sn_row_store(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirValue element, const SnAccess *access);

// In rowpairs.c. Column `part` of the pair, of so many lanes. The first is stored with the second. Free the pair after
// both.
SnFragment sn_row_half(SnBuilder *b, SnRowPair *pair, int part, int64_t width);
void sn_row_pair_free(SnRowPair *pair);
// The phase stores rows of a half type. It may take its columns in any order, as they are bf16 in one piece, and gains
// by it: pairs by parity.
// How far neighbours in dimension d are apart in the last subscript, which it is in alone; 0 where they are not
// elements of one line, or so far apart that a vector would hold few of them.
int64_t sn_row_step(const SnForm *f, const SnAccess *a, int64_t d, int64_t lanes);
bool sn_row_stores_halves(const SnRowProgram *p, const SnPhase *phase);
bool sn_row_in_any_order(const SnRowProgram *p, const SnPhase *phase);
// Both columns of a pair are stored at once. (Halves of a line go past the caches where whole ones are not aligned.)
bool sn_row_stores_pair(const SnRowProgram *p, const SnAccess *access, int64_t width);

// In rowplace.c. All of a row's elements lie together in operands that hold nothing but such rows; others with columns
// are one row for all.
bool sn_row_is_placed(const SnForm *form);
// The access is of such a row.
bool sn_row_is_whole(const SnForm *form, const SnAccess *access);

// A vector of so many lanes of the operand, whose lanes are columns or rows, is aligned where its last size, if that is
// `?`, is a multiple of them.
bool sn_row_is_aligned(const SnForm *form, const SnAccess *access, int64_t lanes, bool of_rows); // of sizes known
bool sn_row_is_even(const SnForm *form, const SnAccess *access, int64_t lanes, bool of_rows);
// Every store of so many lanes by this access is aligned to the vector's size where its memref is.
bool sn_row_streams(const SnForm *form, const SnAccess *access, int64_t lanes);

// One element of an access at these dimensions of the form (its value is the memref), with its fill value where it is
// outside. Index tensors are those of the form; where an index is outside and there is no fill value, a cf.assert
// fails.
MlirValue sn_row_load(SnBuilder *b, const SnForm *form, const SnAccess *access, const MlirValue *dims);

// ---- reductions ----------------------------------------------------------------

// Of a row_reduce: the identity of its combiner; the element of its row in the accumulator's
// type; two accumulators combined. Vectors where width > 1.
MlirValue sn_row_identity(SnBuilder *b, SnRowProgram *p, MlirOperation reduce, int64_t width);
MlirValue sn_row_reduced(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation reduce);
MlirValue sn_row_combine(SnBuilder *b, SnRowProgram *p, MlirOperation reduce, MlirValue acc, MlirValue x);
// The lanes of a vector combined by halves: a fixed order for every combiner.
MlirValue sn_row_horizontal(SnBuilder *b, SnRowProgram *p, MlirOperation reduce, MlirValue vector);

// ---- index arithmetic --------------------------------------------------------------

// In rowsizes.c. The number that an index is known to be.
bool sn_known(MlirValue index, int64_t *n);
// Size i of a memref.
MlirValue sn_dim_of(SnBuilder *b, MlirValue memref, intptr_t i);
// The size of a form's dimension, where it is `?` from the operand that rule F7 names: a memref that can be seen
// from where the builder stands. The product of those of n dimensions, and of all columns.
MlirValue sn_form_size(SnBuilder *b, const SnForm *form, int64_t d);
MlirValue sn_form_sizes(SnBuilder *b, const SnForm *form, int64_t first, int64_t n);
MlirValue sn_form_columns(SnBuilder *b, const SnForm *form);
// `linear`, an index or a vector of them, split over n dimensions of the form from `first` on, the last fastest.
void sn_form_point(SnBuilder *b, const SnForm *form, int64_t first, int64_t n, MlirValue linear, MlirValue *out);
// Rows follow each other in memory in all operands that have any, whatever their dimensions, which nothing asks for:
// the last dimension may count them all, the others being 0, and nothing is divided.
bool sn_row_rows_follow(const SnForm *form);
// x * y, ceil(x / y), the greater one, x - x mod unit: of sizes, folded where they are known.
MlirValue sn_size_mul(SnBuilder *b, MlirValue x, MlirValue y);
MlirValue sn_size_ceil(SnBuilder *b, MlirValue x, MlirValue y);
MlirValue sn_size_max(SnBuilder *b, MlirValue x, MlirValue y);
MlirValue sn_size_whole(SnBuilder *b, MlirValue x, int64_t unit);

// A memref as one dimension, so that lanes may run over the ends of inner ones; `offset` is where [at...] is in it.
MlirValue sn_row_flat(SnBuilder *b, MlirValue memref, const MlirValue *at, MlirValue *offset);
// The value of an affine expression at these dimensions.
MlirValue sn_affine(SnBuilder *b, MlirAffineExpr e, const MlirValue *dims);
// Every dimension's factor in the element offset of a row-major memref that is read by this map; false if
// the map is not linear, or a factor is known at run time only. factors has one place for each dimension of the map.
bool sn_linear_factors(MlirAffineMap map, MlirType memref, int64_t *factors);
// The element offset where all dimensions are 0; false if it is not a constant.
bool sn_linear_offset(MlirAffineMap map, MlirType memref, int64_t *offset);

#ifdef __cplusplus
}
#endif
#endif
