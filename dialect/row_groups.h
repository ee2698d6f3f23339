// row_groups.h: which group of columns each row of a body belongs to, and which dimensions a side uses.

#ifndef SINTER_DIALECT_ROW_GROUPS_H
#define SINTER_DIALECT_ROW_GROUPS_H

#include "capi/form.h"

typedef struct {
  size_t n;
  MlirValue *rows; // of the body, sorted by address
  int64_t *group;
} SnRowGroups;

// Reads the body of a form whose arguments fit, or its finish. Returns the operation whose operands and results are
// rows of different groups (F22), and in *one and *other the two groups; null if there is none. Free `to` with
// sn_row_groups_free.
MlirOperation sn_row_groups(const SnForm *f, bool finish, SnRowGroups *to, int64_t *one, int64_t *other);
// The group of a row of the body. One that nothing ties to a group (a broadcast that is reduced) is of the first with
// its length.
int64_t sn_row_group(const SnRowGroups *groups, MlirValue row);
void sn_row_groups_free(SnRowGroups *groups);

// The side uses dimension d: an access of it does, or its program asks for the position in it.
bool sn_side_uses(const SnForm *f, size_t side, int64_t d);

#endif
