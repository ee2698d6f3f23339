// narrow.c: subscripts of 32 bits where no tensor needs more.
//
//   gpu.module @kernels {...}  ->  gpu.module @kernels attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>}
//   {...} arith.index_cast %label : i64 to index   ->   of max(min(%label, 2^31 - 1), -2^31) vector.step :
//   vector<4xindex>            ->   arith.index_cast dense<[0, 1, 2, 3]> : vector<4xi32>
//
// `index` is a type of 64 bits for a GPU too, whose registers have 32: an addition is two instructions, a comparison or
// a product more. The kernels of a program are converted to LLVM's dialect together, so one memref of 2^31 elements or
// of an unknown size among them, and all have 64. What a loop adds to its counter has to fit beside the largest memref.
// An address of memory as an index needs 64 bits as well; of shared memory, 32 do. A number that 32 bits do not hold is
// no element's; the nearest that they hold, which is none either, stands for it, so that comparing it with any size
// says what comparing the number says. What a program computes of such numbers before it compares them, sums with small
// constants apart, would overflow: then all have 64 bits.
//
// test: test/lowering/gpu/narrow.mlir

#include "lowering/gpu/lower_gpu.h"
#include "lowering/gpu/math/gpu_math.h"
#include "lowering/rows/memrefs.h"
#include "lowering/rows/rowprogram.h"

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
  bool is_nobodys = sn_is(op, "memref.alloca") && sn_unused(op); // what crosses a chain's pieces (chains_gpu.c)
  for (intptr_t k = 0; k < sn_num_results(op) && !is_nobodys; ++k)
    look_at_type(s, sn_type_of(sn_result(op, k)));
  int64_t value;
  if (sn_is(op, "memref.extract_aligned_pointer_as_index") && !is_shared(sn_type_of(sn_operand(op, 0))))
    s->wide = true;
  if (sn_is(op, "arith.constant") && mlirTypeIsAIndex(sn_type_of(sn_result(op, 0))) &&
      sn_known(sn_result(op, 0), &value) && (value >= LIMIT || value < -LIMIT))
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

// ---- numbers that come from data -------------------------------------------------------

// An index of an integer with more than 32 bits.
static bool is_data(MlirOperation cast) {
  MlirType from = sn_element(sn_type_of(sn_operand(cast, 0)));
  return mlirTypeIsAIndex(sn_element(sn_type_of(sn_result(cast, 0)))) && sn_bits(from) > 32;
}

// The condition says of v, among other things, that it is inside of something.
static bool says_inside(MlirValue condition, MlirValue v) {
  MlirOperation both = sn_def(condition, "arith.andi"), compare = sn_def(condition, "arith.cmpi");
  if (!sn_null(both))
    return says_inside(sn_operand(both, 0), v) || says_inside(sn_operand(both, 1), v);
  return !sn_null(compare) && sn_same(sn_operand(compare, 0), v) &&
         mlirIntegerAttrGetValueInt(sn_get_attr(compare, "predicate")) == 6; // ult
}

typedef struct {
  int64_t room; // what may be added to a number that stands for one beyond 32 bits
  bool lost;    // more was, so that no comparison may see it
  int depth;
} Number;

// Whatever v was before it had 32 bits, all that is decided by it is decided alike.
static bool survives(MlirValue v, Number n) {
  if (n.depth++ > 24)
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    unsigned k = mlirOpOperandGetOperandNumber(use);
    Number of = n;
    int64_t constant;
    if (sn_is(op, "arith.cmpi") || sn_is(op, "arith.index_cast") || sn_is(op, "arith.index_castui")) {
      if (n.lost)
        return false;
      continue;
    }
    if (sn_is(op, "arith.select") && says_inside(sn_operand(op, 0), v))
      continue;
    if (sn_is(op, "scf.yield")) {
      MlirOperation branch = mlirOperationGetParentOperation(op);
      if (!sn_is(branch, "scf.if") || !survives(sn_result(branch, k), of))
        return false;
      continue;
    }
    if (!sn_num_results(op) || !mlirTypeIsAIndex(sn_element(sn_type_of(sn_result(op, 0)))))
      continue; // a subscript, which comparisons of the number itself guard
    if ((sn_is(op, "arith.addi") || sn_is(op, "arith.subi")) && sn_known(sn_operand(op, 1 - k), &constant) &&
        (sn_is(op, "arith.addi") || !k))
      of.lost |= (of.room -= constant < 0 ? -constant : constant) < 0;
    else
      of.lost |= !sn_is(op, "arith.select") && !sn_in_dialect(op, "vector");
    if (!survives(sn_result(op, 0), of))
      return false;
  }
  return true;
}

static bool is_wide(MlirOperation module, const char *cast, int64_t room) {
  SnOpVec casts = sn_collect(module, cast);
  bool wide = false;
  for (size_t i = 0; i < casts.size && !wide; ++i)
    wide = is_data(casts.data[i]) && !survives(sn_result(casts.data[i], 0), (Number){.room = room});
  sn_vec_free(&casts);
  return wide;
}

static MlirValue limited(SnBuilder *b, const char *op, MlirValue t, int64_t limit) {
  MlirType type = sn_type_of(t);
  return sn(b, op, t, sn_splat(b, type, mlirIntegerAttrGet(sn_element(type), limit)));
}

static void clamp(MlirOperation cast) {
  SnBuilder b = sn_before(cast);
  MlirValue t = sn_operand(cast, 0);
  if (is_data(cast))
    mlirOperationSetOperand(cast, 0, limited(&b, "arith.maxsi", limited(&b, "arith.minsi", t, LIMIT - 1), -LIMIT));
}

static void clamp_unsigned(MlirOperation cast) {
  SnBuilder b = sn_before(cast);
  if (is_data(cast))
    mlirOperationSetOperand(cast, 0, limited(&b, "arith.minui", sn_operand(cast, 0), LIMIT - 1));
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

// Memory at an address has sizes as wide as an index.
static void narrow_memref(MlirOperation cast) {
  MlirValue memref = sn_result(cast, 0), pointer = sn_memref_address(memref);
  if (sn_none(pointer) || !mlirTypeIsAMemRef(sn_type_of(memref)))
    return;
  SnBuilder b = sn_before(cast);
  mlirValueReplaceAllUsesOfWith(memref, sn_narrow_memref_at(&b, pointer, sn_type_of(memref), 32));
  mlirOperationDestroy(cast);
}

void sn_gpu_narrow(MlirOperation module) {
  Sizes s = {0};
  mlirOperationWalk(module, look_at, &s, MlirWalkPreOrder);
  if (s.wide || s.most >= LIMIT || s.step >= LIMIT - s.most)
    return;
  int64_t room = LIMIT - 1 - s.most;
  if (is_wide(module, "arith.index_cast", room) || is_wide(module, "arith.index_castui", room))
    return;
  sn_set_attr(module, SN_GPU_LAYOUT, sn_parse_attr(mlirOperationGetContext(module), "#dlti.dl_spec<index = 32 : i32>"));
  sn_gpu_each(module, "arith.index_cast", clamp);
  sn_gpu_each(module, "arith.index_castui", clamp_unsigned);
  sn_gpu_each(module, "vector.step", step_by_constant);
  sn_gpu_each(module, "builtin.unrealized_conversion_cast", narrow_memref);
}
