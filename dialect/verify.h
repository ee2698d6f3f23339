// verify.h: private to dialect/verify_*.c. The checks of a form by topic, and
// how types and operands are called in messages.

#ifndef SINTER_DIALECT_VERIFY_H
#define SINTER_DIALECT_VERIFY_H

#include "capi/form.h"
#include "dialect/dialect.h"

typedef struct {
  char text[192];
} SnShown;
// For one message: sn_error(op, "... %s", sn_show_type(t).text).
SnShown sn_show_type(MlirType t);
// What operand `k` is to the reader: "input 1", "side 0 of product 2", "index tensor 0", "destination 1".
SnShown sn_show_operand(const SnForm *f, size_t k);

bool sn_is_scalar_type(MlirType t); // float, signless integer or index
// A one-dimensional tensor of scalars, of any length.
bool sn_is_row_type(MlirType t);

// Each reports the first rule that is broken, and returns failure.
MlirLogicalResult sn_verify_limits(const SnForm *f);   // verify_limits.c: F21
MlirLogicalResult sn_verify_accesses(const SnForm *f); // verify_access.c: F3-F7
MlirLogicalResult sn_verify_sides(const SnForm *f);    // verify_sides.c: F22, M1, S1, S2
MlirLogicalResult sn_verify_groups(const SnForm *f);   // verify_sides.c: F22, of a body that fits otherwise
MlirLogicalResult sn_verify_body(const SnForm *f);     // verify_regions.c: F11, F12, F15, F18
MlirLogicalResult sn_verify_finish(const SnForm *f);   // verify_regions.c: F13, F15, F18

// verify_decided.c: U4. An assert of a definition's body that attributes decide, and that fails for this use. `number`
// gives the number that is known for an argument of the body, or with dim >= 0 for that size of it; null where none is.
typedef MlirAttribute (*SnKnownNumber)(const void *user, intptr_t argument, intptr_t dim);
// Whether these numbers decide a scalar of the body.
bool sn_is_decided_by(MlirBlock body, MlirValue v, SnKnownNumber number, const void *user);
MlirLogicalResult sn_use_check_asserts(MlirOperation use, MlirBlock body, SnKnownNumber number, const void *user);

#endif
