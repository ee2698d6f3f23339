// passes.h: every pass and pipeline of Sinter, and what passes share.
//
// A new pass is one file with one `const SnPass`, one line in passes/table.c, and
// one test of the file's name.

#ifndef SINTER_PASSES_PASSES_H
#define SINTER_PASSES_PASSES_H

#include "capi/form.h"
#include "capi/shim.h"
#include "dialect/dialect.h"

extern const SnPass *const sn_passes[];       // all, ends with NULL
extern const SnPipeline *const sn_pipelines[]; // all, ends with NULL

// Registers them with MLIR; call once.
void sn_register_all(void);

// The pipeline so named, or NULL.
const SnPipeline *sn_pipeline(const char *argument);

// Calls `f` on each function of a module, or on `op` itself where it is a function.
MlirLogicalResult sn_each_function(MlirOperation op, MlirLogicalResult (*f)(MlirOperation func, void *user),
                                   void *user);
// The block of a function, null for a declaration.
MlirBlock sn_function_body(MlirOperation func);

// linalg as kernel forms, in every function under `root` (passes/raise/raise.c). What is differentiated is raised
// first.
MlirLogicalResult sn_raise(MlirOperation root);
// What exporters spell out gets PyTorch's gradients at corners, in every linalg.generic under `root`
// (passes/differentiate/corners.c).
void sn_corners(MlirOperation root);
// The algebra on row programs, to a fixed point, on every form under `root`
// (passes/simplify/simplify.c). Fusion runs it between its steps.
MlirLogicalResult sn_simplify(MlirOperation root);

#endif
