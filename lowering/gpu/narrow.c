// narrow.c: subscripts of 32 bits where no tensor needs more.
//
//   gpu.module @kernels {...}  ->  gpu.module @kernels attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {...}
//   arith.index_cast %label : i64 to index   ->   of (%label <u 2^31 ? %label : -1)
//   vector.step : vector<4xindex>            ->   arith.index_cast dense<[0, 1, 2, 3]> : vector<4xi32>
//
// `index` is a type of 64 bits for a GPU too, whose registers have 32: an addition is two instructions, a comparison or a product more. The
// kernels of a program are converted to LLVM's dialect together, so one memref of 2^31 elements or of an unknown size among them, and all have 64.
// What a loop adds to its counter has to fit beside the largest memref. An address of memory as an index needs 64 bits as well; of shared memory, 32 do.
// A number that 32 bits do not hold is no element's, so -1, which is none either, stands for it.
//
// test: test/lowering/gpu/narrow.mlir

#include "lowering/gpu/gpu.h"

#define LIMIT ((int64_t)1 << 31)

typedef struct {
  int64_t most, step; // elements of a memref, and what a loop adds
  bool wide;
} Sizes;

static void look_at_type(Sizes *s, MlirType t) {
  if (!mlirTypeIsAMemRef(t))
    return;
  if (!mlirShapedTypeHasStaticShape(t)) {
    s->wide = true;
    return;
  }
  int64_t count = 1;
  for (int64_t i = 0; i < sn_rank(t); ++i)
    if (__builtin_mul_overflow(count, sn_dim(t, i), &count))
      count = INT64_MAX;
  s->most = count > s->most ? count : s->most;
}

static bool is_shared(MlirType t) {
  MlirAttribute space = mlirMemRefTypeGetMemorySpace(t);
  return space.ptr && mlirAttributeEqual(space, sn_parse_attr(mlirTypeGetContext(t), "#gpu.address_space<workgroup>"));
}

static MlirWalkResult look_at(MlirOperation op, void *data) {
  Sizes *s = data;
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    look_at_type(s, sn_type_of(sn_result(op, k)));
  int64_t value;
  if (sn_is(op, "memref.extract_aligned_pointer_as_index") && !is_shared(sn_type_of(sn_operand(op, 0))))
    s->wide = true;
  if (sn_is(op, "arith.constant") && mlirTypeIsAIndex(sn_type_of(sn_result(op, 0))) && sn_known(sn_result(op, 0), &value) && (value >= LIMIT || value < -LIMIT))
    s->wide = true;
  if (sn_is(op, "scf.for") && mlirTypeIsAIndex(sn_type_of(sn_operand(op, 0)))) {
    s->wide |= !sn_known(sn_operand(op, 2), &value);
    s->step = !s->wide && value > s->step ? value : s->step;
  }
  if (sn_is(op, "gpu.func")) {
    MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
    for (intptr_t k = 0; k < mlirBlockGetNumArguments(entry); ++k)
      look_at_type(s, sn_type_of(mlirBlockGetArgument(entry, k)));
  }
  return s->wide ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static void clamp(MlirOperation cast) {
  MlirValue t = sn_operand(cast, 0);
  MlirType type = sn_type_of(t);
  if (sn_bits(sn_element(type)) <= 32 || mlirTypeIsAIndex(sn_element(type)))
    return;
  SnBuilder b = sn_before(cast);
  MlirType element = sn_element(type);
  MlirValue limit = sn_splat(&b, type, mlirIntegerAttrGet(element, LIMIT)), none = sn_splat(&b, type, mlirIntegerAttrGet(element, -1));
  MlirValue fits = sn(&b, "arith.cmpi", t, limit, sn_attr("predicate", sn_i64(b.ctx, 6))); // ult
  mlirOperationSetOperand(cast, 0, sn(&b, "arith.select", fits, t, none));
}

// Upstream gives it numbers of 64 bits whatever an index has.
static void step_by_constant(MlirOperation step) {
  MlirType type = sn_type_of(sn_result(step, 0));
  int64_t width = sn_dim(type, 0);
  SnBuilder b = sn_before(step);
  MlirType i32 = mlirIntegerTypeGet(b.ctx, 32);
  int32_t lanes[SN_MAX_LANES];
  for (int64_t l = 0; l < width; ++l)
    lanes[l] = (int32_t)l;
  MlirValue numbers = sn_constant(&b, mlirDenseElementsAttrInt32Get(sn_vector(i32, width), (intptr_t)width, lanes));
  mlirValueReplaceAllUsesOfWith(sn_result(step, 0), sn(&b, "arith.index_cast", numbers, type));
  mlirOperationDestroy(step);
}

void sn_gpu_narrow(MlirOperation module) {
  Sizes s = {0};
  mlirOperationWalk(module, look_at, &s, MlirWalkPreOrder);
  if (s.wide || s.most >= LIMIT || s.step >= LIMIT - s.most)
    return;
  sn_set_attr(module, SN_GPU_LAYOUT, sn_parse_attr(mlirOperationGetContext(module), "#dlti.dl_spec<index = 32 : i32>"));
  sn_gpu_each(module, "arith.index_cast", clamp);
  sn_gpu_each(module, "vector.step", step_by_constant);
}
