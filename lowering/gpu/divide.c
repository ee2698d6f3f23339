// divide.c: divisions of f32 in a kernel.
//
//   arith.divf %x, %y : vector<4xf32>   ->   4 x llvm.nvvm.div.full
//
// div.full.f32 errs by at most 2 ulp, over all of f32 (PTX ISA, "div"), in five instructions; div.rn.f32 is
// correctly rounded in ten and a call. By a constant LLVM multiplies where that is exact, so those stay.
//
// test: test/lowering/gpu/divide.mlir

#include "lowering/gpu/gpu.h"
#include "lowering/rowmemory.h"

static MlirValue full(SnBuilder *b, MlirValue x, MlirValue y) {
  return sn(b, "llvm.call_intrinsic", x, y, sn_type_of(x), sn_attr("intrin", sn_string(b->ctx, "llvm.nvvm.div.full")),
            sn_attr("op_bundle_sizes", mlirDenseI32ArrayGet(b->ctx, 0, NULL)), sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){2, 0})));
}

void sn_gpu_divide(MlirOperation func) {
  SnOpVec found = sn_collect(func, "arith.divf");
  for (size_t i = 0; i < found.size; ++i) {
    MlirOperation op = found.data[i];
    SnBuilder b = sn_before(op);
    MlirValue x = sn_operand(op, 0), y = sn_operand(op, 1), lanes[64], quotient;
    MlirType t = sn_type_of(x);
    if (!mlirTypeIsAF32(sn_element(t)) || sn_constant_of(y).ptr)
      continue;
    int64_t width = mlirTypeIsAVector(t) ? sn_dim(t, 0) : 1;
    for (int64_t l = 0; mlirTypeIsAVector(t) && l < width; ++l)
      lanes[l] = full(&b, sn_lane(&b, x, l), sn_lane(&b, y, l));
    quotient = mlirTypeIsAVector(t) ? sn(&b, "vector.from_elements", sn_values(width, lanes), t) : full(&b, x, y);
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), quotient);
    mlirOperationDestroy(op);
  }
  sn_vec_free(&found);
}
