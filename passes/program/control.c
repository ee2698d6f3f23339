// control.c: control flow as scf, whatever it was written in.
//
//   affine.for %i = 0 to 3 iter_args(%t = %x)            ->   scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x)
//   affine.if, affine.parallel                           ->   scf.if, scf.parallel
//   affine.store %v, %m[%i + 1]                          ->   memref.store %v, %m[%j]
//   scf.index_switch %i -> tensor<4xf32>                 ->   scf.if %i == 1 { ... } else { scf.if ... }
//   tensor.bitcast %x : tensor<4xf32> to tensor<4xi32>   ->   arith.bitcast
//
// Tensors that loops carry become memory where upstream knows how: in scf. Branches (cf) are lifted in front of this.
// Two results of a switch that are one tensor would be one memory to it: what is written to one, the other had, too.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/program/control.mlir, test/run/control_memory.test

#include "capi/pass.h"
#include "capi/shim.h"

static bool is_affine_control(MlirOperation op) {
  return sn_is(op, "affine.for") || sn_is(op, "affine.if") || sn_is(op, "affine.parallel");
}

static bool has_signless_elements(MlirValue v) {
  MlirType t = sn_element(sn_type_of(v));
  return !mlirTypeIsAInteger(t) || mlirIntegerTypeIsSignless(t);
}

// Tensors, which become memory, or floats, which may be differentiated.
static bool has_values(MlirOperation op) {
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    if (mlirTypeIsARankedTensor(sn_type_of(sn_result(op, k))) || sn_is_float(sn_type_of(sn_result(op, k))))
      return true;
  return false;
}

typedef struct {
  SnOpVec bitcasts, switches;
  bool affine;
} Found;

static MlirWalkResult look(MlirOperation op, void *user) {
  Found *found = user;
  found->affine |= is_affine_control(op);
  if (sn_is(op, "tensor.bitcast") && has_signless_elements(sn_operand(op, 0)) &&
      has_signless_elements(sn_result(op, 0)))
    sn_push(&found->bitcasts, op);
  if (sn_is(op, "scf.index_switch") && has_values(op))
    sn_push(&found->switches, op);
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

static MlirRegion region_of(MlirOperation op, intptr_t k) {
  MlirRegion region = mlirRegionCreate();
  mlirRegionTakeBody(region, mlirOperationGetRegion(op, k));
  return region;
}

// The first region of a switch is for what no case is.
static void as_ifs(MlirOperation op) {
  SnBuilder b = sn_before(op);
  MlirAttribute cases = sn_get_attr(op, "cases");
  intptr_t n = mlirDenseArrayGetNumElements(cases), results = sn_num_results(op);
  SN_VEC(MlirType) types = {0};
  SnValueVec values = {0};
  for (intptr_t k = 0; k < results; ++k)
    sn_push(&types, sn_type_of(sn_result(op, k)));
  MlirOperation outermost = {NULL};
  for (intptr_t k = 0; k < n || !k; ++k) {
    MlirOperation made;
    MlirRegion otherwise = mlirRegionCreate();
    if (n) {
      MlirValue is = sn(&b, "arith.cmpi", sn_operand(op, 0), sn_index(&b, mlirDenseI64ArrayGetElement(cases, k)),
                        sn_attr("predicate", sn_i64(b.ctx, 0)));
      if (k + 1 < n)
        mlirRegionAppendOwnedBlock(otherwise, mlirBlockCreate(0, NULL, NULL));
      else
        mlirRegionTakeBody(otherwise, mlirOperationGetRegion(op, 0));
      made = sn_op(&b, "scf.if", is, sn_types(results, types.data), region_of(op, k + 1), otherwise);
    } else {
      mlirRegionDestroy(otherwise);
      made = sn_op(&b, "scf.execute_region", sn_types(results, types.data), region_of(op, 0));
    }
    if (!k) {
      outermost = made;
    } else {
      values.size = 0;
      for (intptr_t r = 0; r < results; ++r)
        sn_push(&values, sn_result(made, r));
      sn_op(&b, "scf.yield", sn_values(results, values.data), sn_types(0, NULL));
    }
    if (k + 1 < n)
      b = sn_at_end(mlirRegionGetFirstBlock(mlirOperationGetRegion(made, 1)), b.loc);
  }
  for (intptr_t k = 0; k < results; ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(op, k), sn_result(outermost, k));
  mlirOperationDestroy(op);
  sn_vec_free(&types);
  sn_vec_free(&values);
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  Found found = {0};
  mlirOperationWalk(root, look, &found, MlirWalkPreOrder);
  for (size_t k = 0; k < found.bitcasts.size; ++k)
    as_arith(found.bitcasts.data[k]);
  for (size_t k = 0; k < found.switches.size; ++k)
    as_ifs(found.switches.data[k]);
  sn_vec_free(&found.bitcasts);
  sn_vec_free(&found.switches);
  return found.affine && !sn_shim_lower_affine_control(root) ? SN_FAIL : SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
MlirDialectHandle mlirGetDialectHandle__vector__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__,  mlirGetDialectHandle__memref__,
                                                      mlirGetDialectHandle__scf__,    mlirGetDialectHandle__tensor__,
                                                      mlirGetDialectHandle__vector__, NULL};

const SnPass sn_pass_control = {
    .argument = "sinter-control",
    .summary = "affine's loops and branches as scf's, switches as branches, tensor.bitcast as arith's",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
