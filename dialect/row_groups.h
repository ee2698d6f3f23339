// row_groups.h: which group of columns each row of a body belongs to, what a form multiplies, and which dimensions a
// side uses.

#ifndef SINTER_DIALECT_ROW_GROUPS_H
#define SINTER_DIALECT_ROW_GROUPS_H

#include "capi/form.h"

typedef struct {
  size_t n;
  MlirValue *rows; // of the body, sorted by address
  int64_t *group;
  bool *loose;
} SnRowGroups;

// Reads the body of a form whose arguments fit, or its finish. Returns the operation whose operands and results are
// rows of different groups (F22), and in *one and *other the two groups; null if there is none. Free `to` with
// sn_row_groups_free.
MlirOperation sn_row_groups(const SnForm *f, bool finish, SnRowGroups *to, int64_t *one, int64_t *other);
// The group of a row of the body. One that nothing ties to a group (a broadcast that is reduced) is of the first with
// its length.
int64_t sn_row_group(const SnRowGroups *groups, MlirValue row);
// Made of scalars alone: a row of each group that is as long, so that operations of several may read it. Its group is
// that of the first of them.
bool sn_row_is_loose(const SnRowGroups *groups, MlirValue row);
// The first operation that asks for all elements of a loose row whose length `?` its type does not say, or null. Where
// several groups are `?` long, nobody could tell which length that is.
MlirOperation sn_loose_and_counted(const SnForm *f, bool finish, const SnRowGroups *groups);
// Copies loose rows until each is read in one group: for who needs to know where a row is computed.
void sn_separate_loose(const SnForm *f, bool finish);
void sn_row_groups_free(SnRowGroups *groups);

// The elements that are multiplied and the type of their sums, of product i; behind those, of the body's
// sinter.row_products in order. False behind the last.
typedef struct {
  MlirType a, b, sum;
  SnGroup summed; // dimensions
  size_t group;   // of the row that it gives
} SnMultiplied;
bool sn_multiplied(const SnForm *f, size_t i, SnMultiplied *to);
// How many numbers of its matrix's type (b) a tensor core multiplies for an element of a row that is multiplied again
// (a): two halves that add up to f32, else itself.
int64_t sn_parts_of(MlirType a, MlirType b);

#endif
