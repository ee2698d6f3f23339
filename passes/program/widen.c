// widen.c: sums in float64, for a reference that can be trusted.
//
//   %s = linalg.generic {... "reduction"} ins(%x : tensor<37x8xf32>) outs(%z : tensor<f32>) {
//   ^bb0(%a: f32, %acc: f32):
//     %n = arith.addf %a, %acc : f32
//     linalg.yield %n : f32
//   }
//   ->
//   %w = arith.extf %z : tensor<f32> to tensor<f64>
//   %t = linalg.generic {... "reduction"} ins(%x : tensor<37x8xf32>) outs(%w : tensor<f64>) {
//   ^bb0(%a: f32, %acc: f64):
//     %b = arith.extf %a : f32 to f64
//     %n = arith.addf %b, %acc : f64
//     linalg.yield %n : f64
//   }
//   %s = arith.truncf %t : tensor<f64> to tensor<f32>
//
// The decomposed program adds one element after the other. In f32 the sum of
// 268 million squares stops at half of what it should be, and --verify would find the
// fault in the kernel, which adds row by row.
//
// runs in: sinter-cpu{sums=wide}    test: test/passes/program/widen.mlir

#include "capi/pass.h"

// A linalg.reduce does, too.
static bool reduces(MlirOperation generic) {
  if (sn_is(generic, "linalg.reduce"))
    return true;
  MlirAttribute iterators = sn_get_attr(generic, "iterator_types");
  MlirAttribute parallel =
      sn_parse_attr(mlirOperationGetContext(generic), "#linalg.iterator_type<parallel>");
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(iterators); ++i)
    if (!mlirAttributeEqual(mlirArrayAttrGetElement(iterators, i), parallel))
      return true;
  return false;
}


// Result k, if it is a sum of a narrow type.
static void widen(MlirOperation generic, intptr_t k) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(generic, 0));
  MlirOperation yield = mlirBlockGetTerminator(body);
  MlirValue result = sn_result(generic, k);
  intptr_t inputs = sn_num_operands(generic) - sn_num_results(generic);
  MlirValue acc = mlirBlockGetArgument(body, inputs + k);
  MlirOperation add = sn_def(sn_operand(yield, k), "arith.addf");
  if (sn_null(add) || sn_bits(sn_type_of(acc)) >= 64 || !sn_one_use(acc) ||
      !sn_one_use(sn_result(add, 0)))
    return;
  intptr_t at = sn_same(sn_operand(add, 0), acc) ? 0 : 1;
  if (!sn_same(sn_operand(add, at), acc))
    return;

  MlirType narrow = sn_type_of(result), f64 = mlirF64TypeGet(mlirOperationGetContext(generic));
  SnBuilder b = sn_before(generic);
  MlirValue init = sn_operand(generic, inputs + k);
  MlirType wide = sn_tensor_like(narrow, f64);
  mlirOperationSetOperand(generic, inputs + k, sn(&b, "arith.extf", wide, init));
  mlirValueSetType(result, wide);
  mlirBlockArgumentSetType(acc, f64);
  b = sn_before(add);
  MlirValue x = sn(&b, "arith.extf", f64, sn_operand(add, 1 - at));
  mlirOperationSetOperand(yield, k, sn(&b, "arith.addf", x, acc));
  mlirOperationDestroy(add);
  b = sn_after(generic);
  // By way of f32: hardware has no step from f64 to a half type.
  MlirOperation single =
      sn_op(&b, "arith.truncf", sn_tensor_like(narrow, sn_type(b.ctx, "f32")), result);
  MlirValue sum = sn_result(single, 0);
  if (sn_bits(sn_element(narrow)) < 32)
    sum = sn(&b, "arith.truncf", narrow, sum);
  mlirValueReplaceAllUsesExcept(result, sum, 1, &single);
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  static const char *const names[] = {"linalg.generic", "linalg.reduce"};
  for (int n = 0; n < 2; ++n) {
    SnOpVec ops = sn_collect(root, names[n]);
    for (size_t i = 0; i < ops.size; ++i)
      for (intptr_t k = 0; k < sn_num_results(ops.data[i]) && reduces(ops.data[i]); ++k)
        widen(ops.data[i], k);
    sn_vec_free(&ops);
  }
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, NULL};

const SnPass sn_pass_widen = {
    .argument = "sinter-widen",
    .summary = "sums of narrower floats in float64, for a reference",
    .dialects = dialects,
    .run = run,
};
