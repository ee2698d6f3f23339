// math.c: exp, log, tanh, erf and their kin as polynomials on vectors.
//
//   %e = math.exp %x : vector<16xf32>  ->  a dozen fused multiply-adds
//
// LLVM calls libm once for each lane of a vector otherwise, thirty times slower.
// exp, log and log1p are math_f32.c's, the others upstream's, all within 2 ulp in f32; f64 stays a call.
//
// runs in: sinter-cpu    test: test/passes/math.mlir

#include "passes/math.h"
#include "passes/passes.h"

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  sn_math_f32(op);
  MlirRewritePatternSet set = mlirRewritePatternSetCreate(run->ctx);
  sn_shim_add_math_approximations(set);
  MlirGreedyRewriteDriverConfig config = mlirGreedyRewriteDriverConfigCreate();
  MlirFrozenRewritePatternSet frozen = mlirFreezeRewritePattern(set);
  MlirLogicalResult result = mlirApplyPatternsAndFoldGreedilyWithOp(op, frozen, config);
  mlirFrozenRewritePatternSetDestroy(frozen);
  mlirGreedyRewriteDriverConfigDestroy(config);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__math__(void);
MlirDialectHandle mlirGetDialectHandle__vector__(void);
static MlirDialectHandle (*const dialects[])(void) = {
    mlirGetDialectHandle__arith__, mlirGetDialectHandle__math__, mlirGetDialectHandle__vector__, NULL};

const SnPass sn_pass_math = {
    .argument = "sinter-math",
    .summary = "math functions as polynomials that stay on vectors",
    .dialects = dialects,
    .run = run,
};
