// legal.c: what is there is legal, or the op that is not is an error.
//
//   %1 = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x7xf32>) ...   ->   error: 'sinter.rowwise' op (F4)
//   ...
//
// Verifying whole programs behind each of seventy passes is a third of what compiling takes. The tools and the C API
// verify where this pass stands in a road's list, and at its end; --verify-each, and a debug build, behind each pass.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/program/legal.test

#include "capi/pass.h"

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  (void)run;
  return mlirOperationVerify(root) ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

const SnPass sn_pass_verify = {
    .argument = "sinter-verify",
    .summary = "says which op is not legal; changes nothing",
    .run = run,
};
