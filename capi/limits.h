// limits.h: how large one kernel form may be, in one place.
//
// The verifier refuses what is larger (rule F21), so passes and lowerings size arrays by these numbers and check
// nothing. Raising leaves as linalg what would not fit, and fusion stops merging long before: a kernel that grew
// further would be slower to compile and no faster to run. A program may have as many forms as it likes.
//
// test: test/limits

#ifndef SINTER_CAPI_LIMITS_H
#define SINTER_CAPI_LIMITS_H

#include <stdint.h>

// ---- what the verifier accepts ----------------------------------------------------

enum {
  // Dimensions of a form, dimensions of an operand, index tensors of one access. A set of dimensions is one word of
  // 64 bits, and NumPy's arrays have 64 at most.
  SN_MAX_DIMS = 64,
  // Inputs with sides of products, index tensors and destinations.
  SN_MAX_OPERANDS = 1024,
  // Values that one form combines over its rows, and its sinter.row_reduces: one loop carries a value of each, in
  // registers as long as there are some. A gradient has one for each input that is the same in all rows or columns.
  SN_MAX_ACCUMULATORS = 256,
  SN_MAX_REDUCTIONS = 256,
  // Dimensions, numbers and operations of one subscript, written out: `e + e floordiv 3` nested 20 deep shares what
  // it repeats in memory, and has a million.
  SN_MAX_SUBSCRIPT_PARTS = 1024,
  // Lanes of a vector and vectors of one step: rows of the table of schedules (dialect/schedules.c).
  SN_MAX_LANES = 64,
  SN_MAX_UNROLL = 8,
  // Operands and results of one operation of arith or math.
  SN_MAX_ELEMENTWISE = 8,
};

// Rows or columns of one task: rows of the table of schedules, too. A schedule asks for no more, however large a form
// is.
#define SN_MAX_OF_TASK ((int64_t)1 << 40)

// ---- where fusion stops -------------------------------------------------------------

enum {
  // A task's or a thread's accumulators are in registers; with more they are spilled in the innermost loop.
  SN_FUSED_ACCUMULATORS = 16,
  SN_FUSED_REDUCTIONS = 32,
  // Each product is packed and multiplied by code of its own, and has dimensions of its own.
  SN_FUSED_PRODUCTS = 16,
  SN_FUSED_DIMS = 24,
  // A kernel on a GPU gets 4 KB of arguments: for each operand an address, and the sizes that are not known.
  SN_FUSED_OPERANDS = 64,
  // Of its regions. It computes far longer than it reads and writes by then, and compilers take more than linear time.
  SN_FUSED_OPERATIONS = 512,
};

#endif
