// definition.h: a loss or a row function as data, and a use of it bound to operands.
//
// sinter.define, sinter.loss and the library's files all read as one struct; the
// verifier and sinter-expand bind a use in the same way, so what verifies expands.

#ifndef SINTER_DIALECT_DEFINITION_H
#define SINTER_DIALECT_DEFINITION_H

#include "capi/form.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- the library ---------------------------------------------------------------

typedef struct {
  const char *name; // of the op, without `sinter.`
  const char *text; // of its file: `sinter.define @NAME`, then overloads `@NAME.*`
} SnLibraryFile;
extern const SnLibraryFile sn_library[]; // ends with a NULL name

// ---- definitions ------------------------------------------------------------------

typedef struct {
  MlirStringRef name;
  MlirType type;          // of an element, as the body has it
  bool row;               // a row; else one number for each row
  bool column, leading;   // the words of that name
  bool attribute;         // no operand but an attribute of the use
  MlirAttribute otherwise; // `default` or `optional`; null where it has to be given
  MlirAttribute words;    // `values`; null if none
  MlirAttribute limits[3]; // one for each of sn_limits; null if none
  MlirAttribute like;      // the operand whose shape it has; null if none
} SnParameter;

// What an attribute has to be: the word, how a message says it.
typedef struct {
  const char *word, *text;
} SnLimit;
extern const SnLimit sn_limits[3]; // above, at_least, at_most
// The first limit that does not hold for a value, -1 if none; `limit` becomes its number.
int sn_limit_broken(const SnParameter *p, double value, double *limit);

typedef struct {
  MlirOperation op; // sinter.define or sinter.loss
  MlirBlock body;
  SN_VEC(SnParameter) parameters;
  MlirAttribute reductions; // null: not a loss
  MlirAttribute functions;  // null if none
  int64_t columns;          // the first, as written: -1 is the last dimension
  intptr_t num_columns;     // 1, or more where the row is a matrix: dimensions that follow each other; 0 of numbers
  bool broadcast, same_rank;
  bool numbers; // no operand is a row: it works number by number, and all dimensions count rows
} SnDefinition;

// Whether it can be read at all: one block that ends in sinter.yield, a name and words for each argument.
bool sn_definition_is_whole(MlirOperation op);
// `columns` is a dimension, or a list of some that follow each other, or nothing.
bool sn_definition_has_columns(MlirOperation op);
intptr_t sn_definition_columns(MlirOperation op); // how many; 1 where that is not so
// Whether a use can be held against it: its own verifier says what is wrong, but may come later.
bool sn_definition_is_usable(MlirOperation op);
// Reads a verified sinter.define or sinter.loss. Free with sn_definition_free.
SnDefinition sn_definition_read(MlirOperation op);
void sn_definition_free(SnDefinition *d);
size_t sn_num_operand_parameters(const SnDefinition *d); // the first ones
// A word for a dimension in a definition, as a number among columns or among rows: `column`, the only one, or
// `column0`, `column1` of several; `row` or `row0`, .. likewise of a form that has so many. -1 if it is no such word.
intptr_t sn_dim_word(MlirStringRef word, const char *kind, intptr_t many);
// The types that the body yields; NULL while it does not end in a yield.
MlirOperation sn_definition_yield(const SnDefinition *d);
// What the op stands in, loops of a definition aside.
MlirOperation sn_program_around(MlirOperation op);
// Whether that is a row program: a form, a definition or a loss in place.
bool sn_in_row_program(MlirOperation op);
// A combiner's words for a mean and its kin.
extern const char *const sn_reductions[]; // "none", "sum", "mean", "batchmean", NULL
typedef enum { SN_REDUCE_NONE, SN_REDUCE_SUM, SN_REDUCE_MEAN, SN_REDUCE_BATCHMEAN, SN_NO_REDUCTION } SnReduction;
SnReduction sn_reduction(MlirAttribute word); // SN_NO_REDUCTION if it is none of them

// Whether an integer of a body is one that constants decide; and which.
bool sn_is_decided(MlirValue v, int64_t *value);

// ---- uses ------------------------------------------------------------------------------

// sinter.apply, or a named op of the library.
bool sn_is_use(MlirOperation op);

// The definitions that a use may mean: those of its name, in order. Keep it until they are not read any more.
typedef struct {
  MlirModule library; // null where they are the user's
  SnOpVec candidates;
} SnFound;
SnFound sn_definition_find(MlirOperation use);
SnFound sn_definition_find_named(MlirOperation scope, MlirStringRef name); // as seen from an op
MlirStringRef sn_use_name(MlirOperation use); // the symbol of an apply, else the op's own name
void sn_found_free(SnFound *found);

typedef struct {
  MlirOperation op;
  SnDefinition definition;
  SN_VEC(MlirValue) operands; // one for each parameter; null where not given. Of an attribute: in a row program only
  SN_VEC(MlirAttribute)
  numbers; // one for each attribute parameter: what is written or the default; a word as its number
  SnReduction reduction;          // SN_NO_REDUCTION for a function
  MlirType real;                  // what floats of the body become: f32 or f64
  // On tensors, all dimensions: rank >= 1, a tensor of rank 0 counts as one element. In a row program rank is 0.
  intptr_t rank, column, num_columns; // columns are dimensions column .. column + num_columns
  int64_t shape[SN_MAX_DIMS];
  bool scalar; // all row operands have rank 0
} SnUse;

// Binds operands and attributes; reports the first rule (U2-U5) that is broken. Free with sn_use_free.
// `op` is a use of this definition, or the sinter.loss that it was read from.
MlirLogicalResult sn_use_bind(MlirOperation op, MlirOperation definition, SnUse *use);
// The same with the first candidate that the operands fit.
MlirLogicalResult sn_use_bind_found(MlirOperation op, const SnFound *found, SnUse *use);
void sn_use_free(SnUse *use);
static inline bool sn_use_is_column(const SnUse *u, intptr_t d) {
  return d >= u->column && d < u->column + u->num_columns;
}
// How operand k lies in the dimensions of the use: one number for each of its own, -1 where it is broadcast.
// Returns false, and which of its dimensions does not fit, where it has another shape.
bool sn_use_dims(const SnUse *use, size_t k, intptr_t *dims, intptr_t *wrong);

#ifdef __cplusplus
}
#endif
#endif
