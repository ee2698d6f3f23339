// object_constants.h: the bytes of a lowered module's large constants.

#ifndef SINTER_LOWERING_OBJECT_CONSTANTS_H
#define SINTER_LOWERING_OBJECT_CONSTANTS_H

#include "mlir-c/IR.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bytes of all, with what is between them; 0 where there are none.
int64_t sn_constants_bytes(MlirOperation module);
// Their fingerprint (runtime/fingerprint.h), and that of a file that holds them.
uint64_t sn_constants_fingerprint(MlirOperation module);
void sn_constants_copy(MlirOperation module, char *to);

// The section of an object that they are to be, which holds one word until then. Linkers put sections of this name
// behind all others: code reaches no further than 2^31 bytes.
#define SN_CONSTANTS_SECTION ".lrodata.sinter"
// Writes an object, with so many bytes of constants, if any, in that section. False if it has none, or there is not
// enough memory; an error of the file is in the file.
bool sn_object_write(FILE *to, const char *object, size_t size, const char *constants, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
