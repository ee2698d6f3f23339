// math.c: exp, log, tanh, erf and their kin as polynomials on vectors.
//
//   %e = math.exp %x : vector<16xf32>  ->  a dozen fused multiply-adds
//
// LLVM calls libm once for each lane of a vector otherwise, thirty times slower.
// exp, log and log1p are math/f32.c's, erfc is upstream's, the others math/functions.c's; what has no polynomial,
// and f64, stays a call of libm.
//
// runs in: sinter-cpu    test: test/passes/math

#include "capi/pass.h"
#include "passes/edit/rewrite.h"
#include "passes/math/math.h"

typedef struct {
  const char *bf16, *exp;
} Options;

static const char *const roundings[] = {"integers", "native", NULL};
static const char *const exponentials[] = {"polynomial", "avx512", NULL};
static const SnOption options[] = {
    {SN_OPTION_STRING, "exp",
     "how exp of 16 lanes is computed: by a polynomial; or by a shorter one and a permutation of AVX-512", "polynomial",
     exponentials, offsetof(Options, exp)},
    {SN_OPTION_STRING, "bf16",
     "how f32 is rounded to bf16: by integers, later; or as LLVM does where the processor can", "integers", roundings,
     offsetof(Options, bf16)},
    {0},
};

// Whether any of the steps below has something to do: twenty walks over host code, which has no floats, are one.
static MlirWalkResult find_floats(MlirOperation op, void *user) {
  static const char *const others[] = {"arith.addf",   "arith.maximumf", "arith.minimumf",    "arith.truncf",
                                       "arith.select", "vector.shuffle", "vector.interleave", NULL};
  bool found = sn_in_dialect(op, "math");
  for (const char *const *name = others; *name && !found; ++name)
    found = sn_is(op, *name);
  *(bool *)user |= found;
  return found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static MlirLogicalResult expand(const SnRun *run, MlirOperation op) {
  const Options *o = run->options;
  bool avx512 = !strcmp(o->exp, "avx512"), any = false;
  sn_math_random(op, false);
  mlirOperationWalk(op, find_floats, &any, MlirWalkPreOrder);
  if (!any)
    return SN_OK;
  sn_math_unrounded(op);
  sn_math_integers(op);
  sn_math_by_comparisons(op);
  sn_math_maxima(op);
  if (avx512)
    sn_math_greater(op);
  sn_math_logarithms(op);
  sn_math_f32(op, avx512);
  sn_math_functions(op, avx512);
  sn_math_products(op);
  if (!strcmp(o->bf16, "native"))
    sn_math_native_bf16(op);
  MlirRewritePatternSet set = mlirRewritePatternSetCreate(run->ctx);
  sn_shim_add_erf(set);
  MlirLogicalResult result = sn_apply_patterns(op, set);
  sn_math_f32(op, avx512); // of erfc
  return result;
}

// A function at a time: what the steps walk over stays in the caches.
static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  if (!sn_is(op, "builtin.module"))
    return expand(run, op);
  MlirLogicalResult result = SN_OK;
  MlirBlock body = mlirModuleGetBody(mlirModuleFromOperation(op));
  for (MlirOperation f = mlirBlockGetFirstOperation(body); !sn_null(f) && mlirLogicalResultIsSuccess(result);
       f = mlirOperationGetNextInBlock(f))
    if (mlirOperationGetNumRegions(f))
      result = expand(run, f);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__llvm__(void);
MlirDialectHandle mlirGetDialectHandle__math__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__vector__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__,  mlirGetDialectHandle__llvm__,
                                                      mlirGetDialectHandle__math__,   mlirGetDialectHandle__scf__,
                                                      mlirGetDialectHandle__vector__, NULL};

const SnPass sn_pass_math = {
    .argument = "sinter-math",
    .summary = "math functions as polynomials that stay on vectors",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};
