// math_lanes.c: what vectors need an instruction for, and upstream's expansions several.
//
//   arith.maximumf %x, 2.0           ->   arith.select (arith.cmpf ogt 2.0, %x), 2.0, %x
//   arith.truncf %x : f32 to bf16    ->   llvm.fptrunc %x
//
// The constant is neither a NaN nor a zero, so a NaN in x is what is not greater, and no sign is in doubt. The
// conversion to bf16 is left to LLVM only where the processor has one: elsewhere it would call a function for each lane.

#include "passes/math.h"
#include <math.h>

static bool is_ordinary(MlirValue v) {
  double number;
  MlirAttribute constant = sn_constant_of(v);
  return constant.ptr && sn_attr_number(constant, &number) && !isnan(number) && number != 0;
}

static void one_comparison(MlirOperation op) {
  MlirValue a = sn_operand(op, 0), b = sn_operand(op, 1), c = is_ordinary(b) ? b : a, x = is_ordinary(b) ? a : b;
  if (!is_ordinary(c))
    return;
  SnBuilder builder = sn_before(op);
  int64_t predicate = sn_is(op, "arith.maximumf") ? 2 : 4; // ogt, olt
  MlirValue beyond = sn(&builder, "arith.cmpf", c, x, sn_attr("predicate", sn_i64(builder.ctx, predicate)));
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn(&builder, "arith.select", beyond, c, x));
  mlirOperationDestroy(op);
}

void sn_math_maxima(MlirOperation root) {
  static const char *const names[] = {"arith.maximumf", "arith.minimumf"};
  for (int i = 0; i < 2; ++i) {
    SnOpVec ops = sn_collect(root, names[i]);
    for (size_t k = 0; k < ops.size; ++k)
      one_comparison(ops.data[k]);
    sn_vec_free(&ops);
  }
}

void sn_math_native_bf16(MlirOperation root) {
  SnOpVec ops = sn_collect(root, "arith.truncf");
  for (size_t k = 0; k < ops.size; ++k) {
    MlirOperation op = ops.data[k];
    MlirValue x = sn_operand(op, 0);
    MlirType from = sn_type_of(x), to = sn_type_of(sn_result(op, 0));
    bool lanes = mlirTypeIsAVector(from) && sn_rank(from) == 1 && sn_dim(from, 0) >= 4;
    if (!mlirTypeIsAF32(sn_element(from)) || !mlirTypeIsABF16(sn_element(to)) || (mlirTypeIsAVector(from) && !lanes))
      continue;
    SnBuilder b = sn_before(op);
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn(&b, "llvm.fptrunc", x, to));
    mlirOperationDestroy(op);
  }
  sn_vec_free(&ops);
}
