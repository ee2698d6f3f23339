// row_ops.h: the operations of a row program, one line each.
//
// Who decides anything by which operation stands in a row program reads a fact of its line; nobody compares names.
// What has to be done for an operation has one function a layer, called after its line:
//
//   sinter_ID_verify      dialect/verify_row_ops.c         its rules (Sinter.td declares the operation)
//   decompose_ID          passes/decompose/decompose.c               what it means, in linalg
//   move_ID               passes/merge/merge.c              the same in the body of another form
//   differentiate_ID      passes/differentiate/rules.c     what its operands get of its gradient
//   emit_ID               lowering/rows/rowemit.c               a row's element at a column, or the row's scalar; on
//   CPU and GPU
//
// Each layer makes its array of functions from SN_ROW_OPS, so a line without one of them does not compile.
//
// new row operation: its line: what it reads, gives and costs.

#ifndef SINTER_DIALECT_ROW_OPS_H
#define SINTER_DIALECT_ROW_OPS_H

#include "capi/sn.h"

#ifdef __cplusplus
extern "C" {
#endif

// What is read of an operand to give one element, or one scalar.
typedef enum {
  SN_READS_NOTHING, // there is no such operand
  SN_READS_COLUMN,  // the element of the same column, as arith.addf does; a scalar is the same in each
  SN_READS_SCALAR,  // a scalar, which has to stay one
  SN_READS_ONE,     // one element of a row, at any column
  SN_READS_ALL,     // all elements of a row: the result is known behind a loop over them
  SN_READS_TABLE,   // any element of an operand of the form
  SN_READS_MATRIX,  // a matrix of the form: one row of it for each element of what is read as ALL
} SnReads;

typedef enum { SN_GIVES_NOTHING, SN_GIVES_SCALAR, SN_GIVES_ROW, SN_GIVES_EITHER } SnGives;

// What an element takes. Only the order and these four steps count; each target has its own numbers.
typedef enum {
  SN_COST_NONE,     // made again wherever it is asked for
  SN_COST_SIMPLE,   // an instruction, or a few
  SN_COST_DIVISION, // four times as long
  SN_COST_FUNCTION, // ten times as long: exp, log, a root
} SnCost;

// The lines: what an operation reads of its first operand, of those between and of its last, what it gives, what an
// element costs; then what is not so for most, as fields of SnRowOp. What stands between the first, read as ONE or
// TABLE, and the last is its subscripts. A name of "" stands for all of arith and math that has no line of its own.
#define SN_ROW_OPS(LINE)                                                                                               \
  /*   id           name                 first    between  last     gives    cost */                                   \
  LINE(elementwise, "", COLUMN, COLUMN, COLUMN, EITHER, SIMPLE)                                                        \
  LINE(constant, "arith.constant", NOTHING, NOTHING, NOTHING, EITHER, NONE)                                            \
  LINE(cf_assert, "cf.assert", COLUMN, NOTHING, NOTHING, NOTHING, SIMPLE)                                              \
  LINE(detach, "sinter.detach", COLUMN, NOTHING, NOTHING, EITHER, NONE)                                                \
  LINE(broadcast, "sinter.broadcast", COLUMN, NOTHING, NOTHING, ROW, NONE)                                             \
  LINE(index, "sinter.index", NOTHING, NOTHING, NOTHING, EITHER, NONE, .position = true, .names_dim = true)            \
  LINE(pick, "sinter.pick", ONE, SCALAR, SCALAR, SCALAR, SIMPLE, .position = true)                                     \
  LINE(gather, "sinter.gather", TABLE, COLUMN, SCALAR, EITHER, SIMPLE, .position = true, .lanes_are_columns = true)    \
  LINE(random, "sinter.random", COLUMN, COLUMN, COLUMN, EITHER, FUNCTION, .shared = 64)                                \
  LINE(row_reduce, "sinter.row_reduce", ALL, NOTHING, SCALAR, SCALAR, SIMPLE)                                          \
  LINE(row_product, "sinter.row_product", ALL, NOTHING, MATRIX, ROW, FUNCTION)

typedef enum {
#define SN_ROW_OP_ID(id, ...) SN_OP_##id,
  SN_ROW_OPS(SN_ROW_OP_ID)
#undef SN_ROW_OP_ID
      SN_NUM_ROW_OPS
} SnRowOpId;

typedef struct {
  SnRowOpId id;
  const char *name;
  SnReads first, between, last; // of operands
  SnGives gives;
  SnCost cost;
  bool position;          // its result depends on where a row's elements are, not on their values alone
  bool names_dim;         // it has the attribute `dim`, the name of a dimension of the form
  int64_t shared;         // so many columns, from a multiple of it on, share work where one step makes them
  bool lanes_are_columns; // no emitter for lanes that are rows (rowlanes.c), but where sn_row_gathers_rows says so
} SnRowOp;

extern const SnRowOp sn_row_ops[SN_NUM_ROW_OPS];

// The operation's line; NULL for sinter.yield, for uses of definitions, and for what has no place in a row program.
const SnRowOp *sn_row_op_of(MlirOperation op);
// What sinter.row_scan combines by beside combiners: log(exp(p) + exp(q)).
#define SN_LOG_SUM_EXP "logsumexp"

// sinter.row_sort, row_scan or row_fold: an operation on whole rows, each element of which depends on many. They have
// no line: sinter-expand takes the program apart at them, and no pass behind it meets one.
bool sn_is_whole_rows(MlirOperation op);
// Every operation of the block, up to its end, has one. False after an error: uses of definitions and
// operations on whole rows are for sinter-expand.
bool sn_row_ops_known(MlirBlock block);
// It reads some operand so; for SN_READS_SCALAR one that is no constant.
bool sn_row_op_has(MlirOperation op, SnReads reads);
// It reads elements that are not at its own column: one of a row, or of a table.
static inline bool sn_row_op_reads_elsewhere(MlirOperation op) {
  return sn_row_op_has(op, SN_READS_ONE) || sn_row_op_has(op, SN_READS_TABLE);
}
// How many operations of the block, which may be null, read some operand so.
int64_t sn_row_op_count(MlirBlock block, SnReads reads);
// What an element of its result costs; of arith and math by a list in row_ops.c.
SnCost sn_row_op_cost(MlirOperation op);
// Integers are divided, or the remainder is taken, with signs or without.
typedef enum { SN_DIVIDES_NOTHING, SN_DIVIDES_UNSIGNED, SN_DIVIDES_SIGNED } SnDivides;
SnDivides sn_divides_integers(MlirOperation op);
// ... by what may be 0, or by what may be -1 where there are signs: the least number has no quotient.
bool sn_may_trap(MlirOperation op);
// It goes element by element: it reads nothing but the elements of its own column, and depends on no dimension.
bool sn_row_op_is_elementwise(MlirOperation op);
// Columns of a row, from a multiple of so many on, that share work where one step makes them; 1: none do.
int64_t sn_row_op_shared_columns(MlirBlock block);
// It may have the attribute `dim`, the name of a dimension; and that is `name`.
bool sn_row_op_takes_dim(MlirOperation op);
bool sn_row_op_names(MlirOperation op, MlirStringRef name);

#ifdef __cplusplus
}
#endif
#endif
