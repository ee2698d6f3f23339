// pieces.h: private to passes/split. A form that is cut, and the pieces that it becomes.

#ifndef SINTER_PASSES_SPLIT_PIECES_H
#define SINTER_PASSES_SPLIT_PIECES_H

#include "dialect/row_groups.h"
#include "dialect/row_ops.h"
#include "passes/edit/edit.h"
#include "passes/split/split.h"

// ---- split/place.c: when each value is computed -------------------------------------

enum { SN_FREE = -1 }; // made of inputs alone: any piece makes it

typedef struct {
  MlirValue value;
  int64_t stage; // SN_FREE, or which of the pieces of its group
  int64_t group; // that it is computed beside
  bool movable;  // an elementwise function of products and inputs: it may be computed later
  SnAccess stored; // where it is for later pieces; value null while it is nowhere
} SnKnown;

// What one piece is for: accumulators and results of the form, values of `known`, asserts of the body.
typedef struct {
  SN_VEC(size_t) accumulators, results, known;
  SN_VEC(MlirOperation) asserts;
} SnPart;

typedef struct {
  SnForm f;
  SnSplit how;
  SnCrossing *crossing; // null: the form is on tensors
  MlirAttribute cut; // what each piece keeps, or null
  SnBuilder b; // in front of the form
  SnRowGroups groups;
  SN_VEC(SnKnown) known;
  SnTable place_of;      // of each known value, in `known`
  int64_t stages;
  SN_VEC(SnPart) parts;  // one for each piece: those of a stage, a group each, behind each other
  SN_VEC(int64_t) first; // of each group, then of all: the number of the first piece that there is anyway; -1: none
  bool *done; // of each reduced result: a piece has finished it
  int64_t finish_group; // of the finish's rows; SN_NO_GROUP if it has none, or SN_SEVERAL_GROUPS
  bool ending;          // the form finishes what several pieces reduce
} SnCut;

SnKnown *sn_placed(SnCut *s, MlirValue v); // NULL of what is no value of the body
// Of each value of the body, which piece it stands in.
void sn_place_values(SnCut *s);

// ---- split/store.c: memory for values, and for sides --------------------------------

// A destination over these dimensions of the form, an empty tensor or a memref, and the map of its elements. `total`:
// of what an accumulator is in the end.
SnAccess sn_piece_place(SnCut *s, MlirType element, const int64_t *dims, intptr_t n, bool total);
// The columns of a group, if there is one, or rows and them.
intptr_t sn_columns_of_group(const SnForm *f, int64_t group, int64_t *dims);
intptr_t sn_rows_and_columns(const SnForm *f, int64_t group, int64_t *dims);
// A side becomes one access, of what a form of its own stores.
void sn_store_side(SnCut *s, size_t side);
// A product uses in each side all that it sums (P2).
bool sn_side_uses_all(const SnForm *f, size_t side, SnGroup summed);
// A size `?` that no operand of the new form says (F7) comes in by an input without elements of its own. `from`: which
// dimension of the form each of its dimensions is.
void sn_add_sizes(SnCut *s, SnForm *to, const int64_t *from);
bool sn_any_program(const SnForm *f); // in a side

// ---- split/by_size.c: `?` columns ------------------------------------------------------

// Up to which sizes `?`, none of them of rows, a CPU had better run the form as one kernel; 0: never.
int64_t sn_few_as_one(MlirOperation form);
// An scf.if takes the form's place: up to so many of each it stays, and the form of the other branch is given back.
MlirOperation sn_branch_by_size(MlirOperation form, int64_t few);

// ---- split/plan.c: what each piece computes -----------------------------------------

typedef struct {
  SnCut *s;
  int64_t stage, group;
  SnForm to;
  MlirAffineExpr dims[SN_MAX_DIMS]; // of the form, in the piece: 0 where it has none
  int64_t from[SN_MAX_DIMS];        // of the piece, in the form
  SnValueVec products;              // of the body, that the piece's products give
  SnValueVec reads;                 // of the body, that come in as inputs behind the sides
  SN_VEC(SnAccess) read_from;
  SN_VEC(MlirOperation) ops;        // of the body, that are computed here
  SnTable seen;                     // of those, and of products and reads: each once
  SnValueVec gives;                 // of the body, one for each destination that is not reduced
  SN_VEC(size_t) results;           // which result of the form that is; SN_NO_RESULT: a value for later pieces
  SN_VEC(size_t) accumulators;      // of the form
} SnPiece;
#define SN_NO_RESULT ((size_t)-1)

// Finds what each piece is for, of what is known of all values.
void sn_plan_pieces(SnCut *s);
void sn_free_plan(SnCut *s);
// Makes `v` known in the piece, with all that it needs.
void sn_need(SnPiece *p, MlirValue v);
// The piece as that says, with what later pieces read. False if it is for nothing.
bool sn_plan_piece(SnPiece *p);
void sn_free_piece(SnPiece *p);

// ---- split/piece.c: a piece as a form ------------------------------------------------

// The accumulators' values over the whole grid where a later form finishes them: from this piece, at the same number.
typedef SnValueVec SnTotals;

void sn_emit_piece(SnPiece *p, SnTotals *totals);
// Where operands are memrefs, a piece has the form's schedule.
MlirOperation sn_create_piece(SnCut *s, SnForm *to, bool finish);
// What the form's destination `i` holds then: its result, or the memref that it is.
MlirValue sn_written(const SnForm *f, size_t i);
void sn_replace_result(SnCut *s, size_t result, MlirValue with);

// ---- split/finish.c: what runs once, behind all rows ----------------------------------

// The piece has all that the reduced result needs, and its rows are of the piece's group.
bool sn_finishes(const SnPiece *p, size_t output);
bool sn_has_finish(const SnPiece *p);
// A result that is finished elsewhere needs the accumulator.
bool sn_is_needed_elsewhere(const SnPiece *p, size_t accumulator);
// What the part of the finish that is here reads of the form's inputs becomes known in the piece.
void sn_need_uniform(SnPiece *p);
// The part of the finish that is about accumulators of the piece: those that are handed on, then the results.
void sn_copy_finish(SnPiece *p, const SnForm *f, const SnValueVec *handed_on);
// A form without rows for what no piece has all of: the finish is its body, and the totals of all pieces come in.
bool sn_finish_form(SnCut *s, const SnTotals *totals);
// Of the finish's rows; SN_NO_GROUP if it has none, or SN_SEVERAL_GROUPS.
int64_t sn_group_of_finish(const SnForm *f);

// ---- split/apart.c ----------------------------------------------------------------------

// A plain contract -> its products, stored, and a rowwise on them. `cut`: what each of them keeps, or null.
void sn_store_products(MlirOperation contract, MlirAttribute cut);
// What a product's elements are stored as: what all that reads them rounds them to, else the type of its sums.
MlirType sn_stored_type(const SnForm *f, size_t product);
// x, of a narrower float than `like`, as one of that.
MlirValue sn_unrounded(SnBuilder *b, MlirValue x, MlirType like);
// The map over the form's rows and columns alone.
MlirAffineMap sn_without_sums(const SnForm *f, MlirAffineMap map);
// The same, in the type of their sums; the contract that is left.
MlirOperation sn_store_sums(MlirOperation contract, MlirAttribute cut);
// The same as sn_store_products, each product by a form of its own: columns that one of its sides uses are rows there.
// Sides may have programs.
void sn_store_products_by_rows(MlirOperation contract, MlirAttribute cut);

// ---- split/column_parts.c ---------------------------------------------------------------

// A contract whose rows are a softmax of products, multiplied again, for a GPU: its columns in parts, so that there are
// tiles for all multiprocessors, and a rowwise that joins them. The contract is erased. False where it is none.
// A part has a multiple of SN_PART_COLUMNS: what a step of tensor cores takes.
enum { SN_PART_COLUMNS = 16 };
bool sn_part_columns(MlirOperation contract, SnSplit how, MlirAttribute cut);

// ---- split/reduced.c ----------------------------------------------------------------------

// Why the rows of a contract cannot be reduced a piece of their columns at a time; NULL: they can. `of_body`: what they
// are reduced by is why. Then: its pieces in tiles of a GPU, and a rowwise that joins them.
const char *sn_not_in_parts(const SnForm *f, bool *of_body);
void sn_reduce_in_parts(MlirOperation contract, MlirAttribute cut);

// The finish of the form, with equal arguments, into that of `to`.
void sn_copy_finish_whole(const SnForm *f, const SnForm *to, MlirLocation loc);

// ---- split/part_copy.c --------------------------------------------------------------------

// Where values of `f`'s body are made again, for a part of its dimension `dim`: in the body of `to`. `position`: where
// along that dimension each element is.
typedef struct SnPartCopy {
  const SnForm *f, *to;
  int64_t dim;
  MlirValue (*position)(SnBuilder *b, const struct SnPartCopy *c);
  SnMap made; // of values of f's body: arguments first
} SnPartCopy;

// The value in that body, with all that makes it, each thing once.
MlirValue sn_copy_in_part(SnBuilder *b, SnPartCopy *c, MlirValue v);

// ---- split/again.c ----------------------------------------------------------------------

// A contract whose product, and what is made of its rows for other products, would be stored, in so many bytes: it is
// multiplied again, a part at a time, in front of those. False where that cannot be, or is not worth it.
bool sn_make_again(MlirOperation contract, int64_t bytes, MlirAttribute cut);

// ---- split/few.c ------------------------------------------------------------------------

// A GPU has few elements of the contract's product, and each is a long sum.
bool sn_has_few_sums(const SnForm *f);
// A rowwise in the contract's place, of whose rows each element is a sum. All products sum as many elements.
void sn_sum_by_rows(MlirOperation contract, MlirAttribute cut);
// The elements of side `number` of f in the type of the sum, in the body of `to`, whose inputs are f's in their order.
MlirValue sn_side_row(SnBuilder *b, const SnForm *f, const SnForm *to, size_t number, MlirType type);

// ---- split/split.c ----------------------------------------------------------------------

// Cuts s->f, which has something to cut, and frees what s has.
bool sn_cut(SnCut *s);

#endif
