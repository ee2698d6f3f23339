// split_views.c: a buffer whose dimension is split in several sizes `?` is the same memory under other sizes.
//
//   %y = memref.expand_shape %x [[0, 1], [2]] output_shape [%a, %b, %c] : memref<?x?xf32> into memref<?x?x?xf32>
//   ->
//   %b, %o, %n:2, %s:2 = memref.extract_strided_metadata %x
//   %y = memref.reinterpret_cast %b to offset: [0], sizes: [%a, %b, %c], strides: [%s#0 * %b, %s#0, 1]
//
// Upstream's expand-strided-metadata takes all sizes of a split but one to be known, and crashes where they are not.
//
// relies on: tensors are buffers
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_split_views.mlir

#include "lowering/host/host.h"

static bool splits_unknown(MlirOperation op) {
  MlirType t = sn_type_of(sn_result(op, 0));
  MlirAttribute groups = sn_get_attr(op, "reassociation");
  for (intptr_t g = 0; g < mlirArrayAttrGetNumElements(groups); ++g) {
    MlirAttribute group = mlirArrayAttrGetElement(groups, g);
    int unknown = 0;
    for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(group); ++k)
      unknown += sn_dim(t, mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(group, k))) == SN_DYNAMIC;
    if (unknown > 1)
      return true;
  }
  return false;
}

// Numbers that are known where the type says them, and values of the others.
typedef struct {
  int64_t known[SN_MAX_DIMS];
  SnValueVec values;
} Numbers;

static void split(MlirOperation op) {
  SnBuilder b = sn_before(op);
  MlirValue x = sn_operand(op, 0);
  MlirType from = sn_type_of(x), t = sn_type_of(sn_result(op, 0)), index = sn_index_type(b.ctx);
  MlirAttribute groups = sn_get_attr(op, "reassociation");
  intptr_t rank = sn_rank(t), n = sn_rank(from);
  SN_VEC(MlirType) types = {0};
  sn_push(&types,
          mlirMemRefTypeContiguousGetChecked(b.loc, sn_element(t), 0, NULL, mlirMemRefTypeGetMemorySpace(from)));
  for (intptr_t k = 0; k < 1 + 2 * n; ++k)
    sn_push(&types, index);
  MlirOperation parts = sn_op(&b, "memref.extract_strided_metadata", x, sn_types((intptr_t)types.size, types.data));
  Numbers sizes = {0}, strides = {0}, offset = {0};
  mlirMemRefTypeGetStridesAndOffset(t, strides.known, offset.known);
  if (offset.known[0] == SN_DYNAMIC)
    sn_push(&offset.values, sn_result(parts, 1));
  MlirValue size[SN_MAX_DIMS], stride[SN_MAX_DIMS];
  for (intptr_t d = 0, next = 1; d < rank; ++d) {
    sizes.known[d] = sn_dim(t, d);
    size[d] = sizes.known[d] == SN_DYNAMIC ? sn_operand(op, next++) : sn_index(&b, sizes.known[d]);
    if (sizes.known[d] == SN_DYNAMIC)
      sn_push(&sizes.values, size[d]);
  }
  for (intptr_t g = 0; g < n; ++g) {
    MlirAttribute group = mlirArrayAttrGetElement(groups, g);
    MlirValue step = sn_result(parts, 2 + n + g);
    for (intptr_t k = mlirArrayAttrGetNumElements(group); k-- > 0;) {
      intptr_t d = mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(group, k));
      stride[d] = step;
      step = sn(&b, "arith.muli", step, size[d]);
    }
  }
  for (intptr_t d = 0; d < rank; ++d)
    if (strides.known[d] == SN_DYNAMIC)
      sn_push(&strides.values, stride[d]);
  int32_t segments[] = {1, (int32_t)offset.values.size, (int32_t)sizes.values.size, (int32_t)strides.values.size};
  MlirValue y = sn(&b, "memref.reinterpret_cast", sn_result(parts, 0),
                   sn_values((intptr_t)offset.values.size, offset.values.data),
                   sn_values((intptr_t)sizes.values.size, sizes.values.data),
                   sn_values((intptr_t)strides.values.size, strides.values.data), t,
                   sn_attr("static_offsets", mlirDenseI64ArrayGet(b.ctx, 1, offset.known)),
                   sn_attr("static_sizes", mlirDenseI64ArrayGet(b.ctx, rank, sizes.known)),
                   sn_attr("static_strides", mlirDenseI64ArrayGet(b.ctx, rank, strides.known)),
                   sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 4, segments)));
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), y);
  mlirOperationDestroy(op);
  sn_vec_free(&types);
  sn_vec_free(&offset.values);
  sn_vec_free(&sizes.values);
  sn_vec_free(&strides.values);
}

static MlirLogicalResult each(MlirOperation module, MlirOperation op) {
  if (splits_unknown(op))
    split(op);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  return sn_each(module, "memref.expand_shape", each);
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__memref__,
                                                      NULL};

const SnPass sn_pass_host_split_views = {
    .argument = "sinter-split-views",
    .summary = "buffers split in several sizes `?` are reinterpreted, which upstream cannot do",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
