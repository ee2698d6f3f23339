// empty.c: what is known to be empty is not copied.
//
//   tensor.concat dim(1) %x, %y : (tensor<4x3xf32>, tensor<4x0xf32>) -> tensor<4x3xf32>   ->   %x
//   tensor.pad %y low[0, 2] { region } : tensor<4x0xf32> to tensor<4x2xf32>                ->   tensor.generate {
//   region } what has no element at all                                                             ->   tensor.empty
//
// Upstream copies each part to a slice of the result, and its verifier refuses a slice that starts at the end, though
// nothing is in it.
//
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_empty.mlir

#include "lowering/host/host.h"

static bool is_empty(MlirType t) {
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    if (sn_dim(t, d) == 0)
      return true;
  return false;
}

static MlirValue size(SnBuilder *b, MlirValue x, intptr_t d) {
  return sn(b, "tensor.dim", x, sn_index(b, d), sn_index_type(b->ctx));
}

static void replace(MlirOperation op, MlirValue by) {
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), by);
  mlirOperationDestroy(op);
}

// ---- tensor.concat -----------------------------------------------------------------

// The sizes `?` of the result.
static void concat_sizes(SnBuilder *b, MlirOperation op, intptr_t along, SnValueVec *sizes) {
  MlirType t = sn_type_of(sn_result(op, 0));
  for (intptr_t d = 0; d < sn_rank(t); ++d) {
    if (sn_dim(t, d) != SN_DYNAMIC)
      continue;
    MlirValue n = size(b, sn_operand(op, 0), d);
    for (intptr_t k = 1; d == along && k < sn_num_operands(op); ++k)
      n = sn(b, "arith.addi", n, size(b, sn_operand(op, k), d));
    sn_push(sizes, n);
  }
}

static MlirLogicalResult concat(MlirOperation module, MlirOperation op) {
  MlirType t = sn_type_of(sn_result(op, 0));
  intptr_t n = sn_num_operands(op), along = sn_int_attr(op, "dim", 0);
  SnValueVec parts = {0}, sizes = {0};
  for (intptr_t k = 0; k < n && !is_empty(t); ++k)
    if (!is_empty(sn_type_of(sn_operand(op, k))))
      sn_push(&parts, sn_operand(op, k));
  SnBuilder b = sn_before(op);
  if (!parts.size) {
    concat_sizes(&b, op, along, &sizes);
    replace(op, sn(&b, "tensor.empty", sn_values((intptr_t)sizes.size, sizes.data), t));
  } else if (parts.size == 1) {
    MlirValue x = parts.data[0];
    replace(op, mlirTypeEqual(sn_type_of(x), t) ? x : sn(&b, "tensor.cast", x, t));
  } else if ((intptr_t)parts.size < n) {
    replace(op, sn(&b, "tensor.concat", sn_values((intptr_t)parts.size, parts.data), t,
                   sn_attr("dim", sn_i64(b.ctx, along))));
  }
  sn_vec_free(&parts);
  sn_vec_free(&sizes);
  return SN_OK;
}

// ---- tensor.pad -------------------------------------------------------------------------

// Size of the result in dimension d: what is before, the source's, what is behind.
static MlirValue padded_size(SnBuilder *b, MlirOperation op, intptr_t d) {
  static const char *const ends[] = {"static_low", "static_high"};
  MlirValue n = size(b, sn_operand(op, 0), d);
  intptr_t next = 1; // operands: the source, low's `?`, high's
  for (int end = 0; end < 2; ++end) {
    MlirAttribute all = sn_get_attr(op, ends[end]);
    for (intptr_t k = 0; k < mlirDenseArrayGetNumElements(all); ++k) {
      int64_t by = mlirDenseI64ArrayGetElement(all, k);
      MlirValue given = by == SN_DYNAMIC ? sn_operand(op, next++) : (MlirValue){0};
      if (k == d)
        n = sn(b, "arith.addi", n, sn_none(given) ? sn_index(b, by) : given);
    }
  }
  return n;
}

static MlirLogicalResult pad(MlirOperation module, MlirOperation op) {
  MlirType t = sn_type_of(sn_result(op, 0));
  if (!is_empty(sn_type_of(sn_operand(op, 0))))
    return SN_OK;
  SnBuilder b = sn_before(op);
  SnValueVec sizes = {0};
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    if (sn_dim(t, d) == SN_DYNAMIC)
      sn_push(&sizes, padded_size(&b, op, d));
  MlirRegion body = mlirRegionCreate();
  mlirRegionTakeBody(body, mlirOperationGetRegion(op, 0));
  MlirOperation made = sn_op(&b, "tensor.generate", sn_values((intptr_t)sizes.size, sizes.data), sn_types(1, &t), body);
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn_result(made, 0));
  mlirOperationDestroy(op);
  sn_vec_free(&sizes);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  return sn_failed(sn_each(module, "tensor.concat", concat)) ? SN_FAIL : sn_each(module, "tensor.pad", pad);
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__,
                                                      mlirGetDialectHandle__tensor__, NULL};

const SnPass sn_pass_host_empty = {
    .argument = "sinter-empty",
    .summary = "what is known to be empty is not copied",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
