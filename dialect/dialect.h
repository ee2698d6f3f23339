// dialect.h: what the generated dialect and the C behind it say to each other.
//
// Included by the shim (C++), by the verifiers, and by whoever creates Sinter's
// attributes. Nothing here decides anything about IR.
//
// decides: what the words mean: operations and their rules, losses, the keys of schedules.

#ifndef SINTER_DIALECT_DIALECT_H
#define SINTER_DIALECT_DIALECT_H

#include "mlir-c/IR.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Sinter, sinter);

// The dialects that programs are read in: ours, and torch-mlir's tm_tensor if nobody else has it.
void sn_register_dialects(MlirDialectRegistry registry);

// Checks the dictionary of a schedule attribute of this mnemonic. Returns false
// and writes one sentence into `why` when a key or value is wrong.
bool sn_schedule_check(const char *mnemonic, MlirAttribute params, char *why, size_t size);

// A schedule attribute: `#sinter.MNEMONIC<key = value, ...>`. The mnemonic is one of
// dialect/schedules.c. Null, after a diagnostic, when the dictionary does not pass.
MlirAttribute sn_schedule_attr(MlirLocation loc, const char *mnemonic, MlirAttribute params);
// Its dictionary and mnemonic; null and NULL for any other attribute.
MlirAttribute sn_schedule_params(MlirAttribute schedule);
const char *sn_schedule_mnemonic(MlirAttribute schedule);

// Whether the attributes of a form agree so far that sn_form_read and the printer can go
// by them; if not, writes one sentence into `why` (which may be NULL, with size 0).
bool sn_form_is_readable(MlirOperation op, char *why, size_t size);

#ifdef __cplusplus
}
#endif
#endif
