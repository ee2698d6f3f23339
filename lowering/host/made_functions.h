// made_functions.h: functions that passes make of operations, one for all that do the same.

#ifndef SINTER_LOWERING_HOST_MADE_FUNCTIONS_H
#define SINTER_LOWERING_HOST_MADE_FUNCTIONS_H

#include "capi/pass.h"

typedef struct {
  MlirOperation function;
  uintptr_t next; // one more than the place of the one before with the same hash, or 0
} SnMadeFunction;
typedef struct {
  MlirSymbolTable symbols; // of the module
  SN_VEC(SnMadeFunction) all;
  SnTable by_hash; // the latest one's place, plus 1
} SnMadeFunctions;

SnMadeFunctions sn_made_begin(MlirOperation module);
void sn_made_end(SnMadeFunctions *m);

// A name that no symbol of the module has: that of the host's function, `_`, the suffix and a number, which is counted
// up from *n.
void sn_made_name(const SnMadeFunctions *m, MlirOperation host, const char *suffix, int *n, char *name, size_t size);

// Takes a func.func of the module, without a name of its own yet: gives an older one that does the same, and destroys
// this one; or gives it back under that name.
MlirOperation sn_made_add(SnMadeFunctions *m, MlirOperation func, const char *name);

#endif
