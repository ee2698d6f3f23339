// corners.h: private to corners.c, dead_rows.c and corner_reader.c. Reading what an exporter spelled with several
// linalg.generic.

#ifndef SINTER_PASSES_CORNERS_H
#define SINTER_PASSES_CORNERS_H

#include "capi/pass.h"

// ---- differentiate/corner_reader.c ----------------------------------------------------------------------

// A value inside of an elementwise linalg.generic, or a tensor that no such op made.
typedef struct {
  MlirOperation generic; // null of a tensor
  MlirValue v;
} SnSpelled;

// The linalg.generic that makes v, if it has one result and no reductions; else null.
MlirOperation sn_spelled_by(MlirValue v);
MlirBlock sn_spelled_body(MlirOperation generic);
// What the generic yields.
SnSpelled sn_spelled_result(MlirOperation generic);
// Operand k of the operation that computes s, followed through operands that are read where the result is written.
SnSpelled sn_spelled_operand(SnSpelled s, intptr_t k);
// The operation that computes s, if it is so named; else null.
MlirOperation sn_spelled_op(SnSpelled s, const char *name);
bool sn_spelled_number(SnSpelled s, double *number);
bool sn_spelled_is(SnSpelled s, double number);
bool sn_spelled_same(SnSpelled a, SnSpelled b);
// The body is these operations in this order (NULL-terminated), and the yield of the last.
bool sn_body_is(MlirOperation generic, const char *const *names);
// The tensor that a body's argument is read from, where the result is written; null for anything else.
MlirValue sn_read_in_place(MlirOperation generic, MlirValue in_body);

// arith.cmpf's numbers.
typedef enum {
  SN_OGT = 2,
  SN_OGE = 3,
  SN_OLT = 4,
  SN_OLE = 5,
  SN_OEQ = 1,
  SN_UNO = 14,
  SN_UGT = 9,
  SN_UGE = 10,
  SN_ULT = 11,
  SN_ULE = 12,
  SN_UNE = 13
} SnCompare;

// A generic that is one comparison and the choice of what is compared.
typedef struct {
  MlirOperation generic, compare, select;
  int predicate;
  SnSpelled a, b; // what is compared; `first`: a is chosen where it holds
  bool first;
} SnChoice;
bool sn_read_choice(MlirOperation generic, SnChoice *c);

// From a reader to what it reads: operand `operand` of `reader` is made by the next reader.
typedef struct {
  MlirOperation reader;
  intptr_t operand;
} SnStepTo;
enum { SN_MOST_STEPS = 8 };
typedef struct {
  SnStepTo steps[SN_MOST_STEPS];
  int n;
} SnSpelledPath;

// The generic at the path's end, for its root alone: what others read too is copied.
MlirOperation sn_own(const SnSpelledPath *path);

// ---- differentiate/dead_rows.c ----------------------------------------------------------------------

// root chooses 0 where a softmax's row is nothing but -inf: the softmax has no gradient there.
bool sn_dead_rows(MlirOperation root);

#endif
