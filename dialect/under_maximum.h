// under_maximum.h: exponentials of a row under its own maximum, recognised. One place for passes and lowerings.

#ifndef SINTER_DIALECT_UNDER_MAXIMUM_H
#define SINTER_DIALECT_UNDER_MAXIMUM_H

#include "capi/form.h"

// The sinter.row_reduce maximumf or maxnumf %m of a row %x, where `v` is exp(%x - broadcast %m); else null.
MlirOperation sn_exp_under_maximum(MlirValue v);
// The same where `v` is the sum of such exponentials: a sinter.row_reduce add in the type of its row.
MlirOperation sn_sum_under_maximum(MlirValue v);
// Where `v` is exp(%x - broadcast %m - broadcast (log %s)), and %s the sum of exp(%x - broadcast %m): that exponential.
// Else null.
MlirOperation sn_exp_under_sum(MlirValue v);

#endif
