// control.c: control flow as scf, whatever it was written in.
//
//   affine.for %i = 0 to 3 iter_args(%t = %x)            ->   scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x)
//   affine.if, affine.parallel                           ->   scf.if, scf.parallel
//   tensor.bitcast %x : tensor<4xf32> to tensor<4xi32>   ->   arith.bitcast
//
// Tensors that loops carry become memory where upstream knows how: in scf. Branches (cf) are lifted in front of this.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/program/control.mlir, test/run/every_op.test

#include "capi/pass.h"
#include "capi/shim.h"

static bool is_affine_control(MlirOperation op) {
  return sn_is(op, "affine.for") || sn_is(op, "affine.if") || sn_is(op, "affine.parallel");
}

static bool has_signless_elements(MlirValue v) {
  MlirType t = sn_element(sn_type_of(v));
  return !mlirTypeIsAInteger(t) || mlirIntegerTypeIsSignless(t);
}

typedef struct {
  SnOpVec bitcasts;
  bool affine;
} Found;

static MlirWalkResult look(MlirOperation op, void *user) {
  Found *found = user;
  found->affine |= is_affine_control(op);
  if (sn_is(op, "tensor.bitcast") && has_signless_elements(sn_operand(op, 0)) &&
      has_signless_elements(sn_result(op, 0)))
    sn_push(&found->bitcasts, op);
  return MlirWalkResultAdvance;
}

static void as_arith(MlirOperation op) {
  SnBuilder b = sn_before(op);
  MlirValue x = sn_operand(op, 0);
  MlirType from = sn_type_of(x), to = sn_type_of(sn_result(op, 0));
  // Sizes may be known on one side only.
  MlirType cast = sn_tensor_like(from, sn_element(to));
  MlirValue y = sn(&b, "arith.bitcast", x, cast);
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), mlirTypeEqual(cast, to) ? y : sn(&b, "tensor.cast", y, to));
  mlirOperationDestroy(op);
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  Found found = {0};
  mlirOperationWalk(root, look, &found, MlirWalkPreOrder);
  for (size_t k = 0; k < found.bitcasts.size; ++k)
    as_arith(found.bitcasts.data[k]);
  sn_vec_free(&found.bitcasts);
  return found.affine && !sn_shim_lower_affine_control(root) ? SN_FAIL : SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__scf__,
                                                      mlirGetDialectHandle__tensor__, NULL};

const SnPass sn_pass_control = {
    .argument = "sinter-control",
    .summary = "affine's loops and branches as scf's, tensor.bitcast as arith's",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
