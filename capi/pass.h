// pass.h: what a file with a pass includes: forms, descriptors of passes, and the functions of a module.
//
// A new pass is one file with one `const SnPass`, one line in pipelines/table.c, and one test of the file's name.

#ifndef SINTER_CAPI_PASS_H
#define SINTER_CAPI_PASS_H

#include "capi/form.h"
#include "capi/shim.h"

// ---- capi/module_functions.c --------------------------------------------------------------

// The block of a function, null for a declaration.
MlirBlock sn_function_body(MlirOperation func);
bool sn_is_public(MlirOperation func);
// Calls `f` on each function of a module that has a body, or on `op` itself where it is a function, until one fails.
MlirLogicalResult sn_each_function(MlirOperation op, MlirLogicalResult (*f)(MlirOperation func, void *user),
                                   void *user);
// Calls each for every op of that name in a module, or for every public function that has a
// body, until one fails.
typedef MlirLogicalResult (*SnEach)(MlirOperation module, MlirOperation op);
MlirLogicalResult sn_each(MlirOperation module, const char *name, SnEach each);
MlirLogicalResult sn_each_public(MlirOperation module, SnEach each);

#endif
