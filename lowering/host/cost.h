// cost.h: what one run of a kernel moves and computes, for those who time it.
//
// Bytes: each access of a form moves the elements that its subscripts name, once, and of one operand no more
// than it has; any other operation moves each of its operands whole, once. Floating-point operations: a product is two
// for each of its multiplications; the program of a side runs once for each of the side's elements; an operation of
// `arith` or `math` on floats, and the step of a reduction, is one for each element; comparisons, selects, conversions
// and integers are none. What tasks read twice, and what caches save, is not in it.

#ifndef SINTER_LOWERING_HOST_COST_H
#define SINTER_LOWERING_HOST_COST_H

#include "lowering/rows/rowprogram.h"

#ifdef __cplusplus
extern "C" {
#endif

// A number of i64: one that is known, which no operation is made for, or a value.
typedef struct {
  MlirValue value; // null: `known` is the number
  int64_t known;
} SnNumber;
MlirValue sn_number_value(SnBuilder *b, SnNumber n);

typedef struct {
  SnNumber read, written, flops; // flops is -1 where they are not known
} SnKernelCost;
// Of one run: of a call of a kernel function, or of any operation on memrefs. Sizes are read from its operands in front
// of it.
SnKernelCost sn_cost_of_call(SnBuilder *b, MlirOperation call, MlirOperation kernel);
SnKernelCost sn_cost_of_op(SnBuilder *b, MlirOperation op);

#ifdef __cplusplus
}
#endif
#endif
