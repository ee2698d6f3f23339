// unit_slices.c: slices that leave out some of their sizes of 1, and keep others.
//
//   %y = tensor.extract_slice %x[%i, 9, 1] [1, 6, 1] [1, 1, 1] : tensor<3x17x9xf32> to tensor<1x6xf32>
//   -> %s = tensor.extract_slice ... to tensor<1x6x1xf32>
//      %y = tensor.collapse_shape %s [[0], [1, 2]]
//   %y = tensor.insert_slice %u into %x[%i, 9, 1] [1, 6, 1] [1, 1, 1]     -> the same of tensor.expand_shape %u
//
// Upstream's canonicalize, where it finds that %i is a constant, takes other dimensions to be left out than those that
// are: it reads [1, 1, 6] here. A slice without computed places is never looked at so, nor is one that keeps no 1.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/program/unit_slices.mlir, test/run/control_memory.test

#include "passes/program/tensor_steps.h"

typedef struct {
  MlirType whole;       // of the slice with all its dimensions
  MlirAttribute groups; // those of it that are one dimension of what is kept
} Kept;

static intptr_t source_of(MlirOperation op) { return sn_is(op, "tensor.extract_slice") ? 0 : 1; }

// Whether the slice, whose sizes are these, has one with fewer dimensions, of which several could be meant.
static bool find_kept(MlirOperation op, MlirType narrow, Kept *kept) {
  MlirAttribute sizes = sn_get_attr(op, "static_sizes");
  intptr_t rank = mlirDenseArrayGetNumElements(sizes), n = sn_rank(narrow);
  if (n == rank || rank > SN_MAX_DIMS || sn_num_operands(op) == source_of(op) + 1)
    return false;
  int64_t shape[SN_MAX_DIMS];
  MlirAttribute groups[SN_MAX_DIMS];
  bool unclear = false;
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = mlirDenseI64ArrayGetElement(sizes, d);
  // From the last on: what is not 1 is kept, and a 1 where one stands there. A group begins behind the one before.
  intptr_t at = n, end = rank;
  for (intptr_t d = rank; d-- > 0;) {
    if (shape[d] == 1 && (!at || sn_dim(narrow, at - 1) != 1))
      continue;
    if (!at)
      return false;
    unclear |= shape[d] == 1 || shape[d] == SN_DYNAMIC;
    --at;
    groups[at] = sn_members(mlirOperationGetContext(op), at ? d : 0, end);
    end = d;
  }
  if (at || !unclear)
    return false;
  kept->whole = sn_tensor(sn_element(narrow), rank, shape);
  kept->groups = mlirArrayAttrGet(mlirOperationGetContext(op), n, groups);
  return true;
}

static void extract_whole(MlirOperation op, const Kept *kept) {
  SnBuilder b = sn_before(op);
  SnValueVec operands = {0};
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    sn_push(&operands, sn_operand(op, k));
  MlirValue whole = sn(&b, "tensor.extract_slice", sn_values((intptr_t)operands.size, operands.data), kept->whole,
                       sn_attr("static_offsets", sn_get_attr(op, "static_offsets")),
                       sn_attr("static_sizes", sn_get_attr(op, "static_sizes")),
                       sn_attr("static_strides", sn_get_attr(op, "static_strides")),
                       sn_attr("operandSegmentSizes", sn_get_attr(op, "operandSegmentSizes")));
  MlirType narrow = sn_type_of(sn_result(op, 0));
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0),
                                sn(&b, "tensor.collapse_shape", whole, narrow, sn_attr("reassociation", kept->groups)));
  mlirOperationDestroy(op);
  sn_vec_free(&operands);
}

static void insert_whole(MlirOperation op, const Kept *kept) {
  // What inserts in parallel stands alone in its block.
  SnBuilder b = sn_before(sn_is(op, "tensor.insert_slice") ? op : mlirOperationGetParentOperation(op));
  MlirValue part = sn_operand(op, 0), sizes[SN_MAX_DIMS];
  int64_t shape[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t d = 0; d < sn_rank(sn_type_of(part)); ++d)
    if (sn_dim(sn_type_of(part), d) == SN_DYNAMIC)
      sizes[n++] = sn(&b, "tensor.dim", part, sn_index(&b, d), sn_index_type(b.ctx));
  for (intptr_t d = 0; d < sn_rank(kept->whole); ++d)
    shape[d] = sn_dim(kept->whole, d);
  mlirOperationSetOperand(op, 0,
                          sn(&b, "tensor.expand_shape", part, sn_values(n, sizes), kept->whole,
                             sn_attr("reassociation", kept->groups),
                             sn_attr("static_output_shape", mlirDenseI64ArrayGet(b.ctx, sn_rank(kept->whole), shape))));
}

static MlirWalkResult look(MlirOperation op, void *user) {
  if (sn_is(op, "tensor.extract_slice") || sn_is(op, "tensor.insert_slice") ||
      sn_is(op, "tensor.parallel_insert_slice"))
    sn_push((SnOpVec *)user, op);
  return MlirWalkResultAdvance;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  SnOpVec slices = {0};
  mlirOperationWalk(root, look, &slices, MlirWalkPreOrder);
  for (size_t k = 0; k < slices.size; ++k) {
    MlirOperation op = slices.data[k];
    Kept kept;
    bool extract = sn_is(op, "tensor.extract_slice");
    if (!find_kept(op, sn_type_of(extract ? sn_result(op, 0) : sn_operand(op, 0)), &kept))
      continue;
    if (extract)
      extract_whole(op, &kept);
    else
      insert_whole(op, &kept);
  }
  sn_vec_free(&slices);
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_unit_slices = {
    .argument = "sinter-unit-slices",
    .summary = "slices that leave out some of their sizes of 1 and keep others, as slices and reshapes",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
