// narrow_products.c: sums of products of small integers are sums in 32 bits.
//
//   product (k = 4096) (%x[i, k] : i8, %w[j, k] : i8) : i64        ^row(%p: tensor<Nxi64>):
// ->
//   product (k = 4096) (%x[i, k] : i8, %w[j, k] : i8) : i32        ^row(%p: tensor<Nxi32>):
//                                                                    %q = arith.extsi %p to tensor<Nxi64>
//
// Exporters sum integers in 64 bits, and no processor multiplies bytes into those: it is some fifty times as slow.
// The sum fits where 2^(bits of both sides - 2) times the count of summed elements is below 2^31. And where all that
// is read of it is its lower 32 bits, these are the sum of the lower 32 bits.
//
// runs in: simplify, fuse    test: test/passes/simplify/narrow_products.mlir

#include "passes/simplify/simplify.h"

static bool fits(const SnForm *f, size_t p, int64_t first) {
  unsigned bits = sn_bits(sn_side_element(f, 2 * p)) + sn_bits(sn_side_element(f, 2 * p + 1));
  int64_t count = 1;
  for (int64_t d = first; d < first + f->products.data[p].num_dims; ++d)
    count = f->dims.data[d].size == SN_DYNAMIC ? INT64_MAX : sn_times(count, f->dims.data[d].size);
  return bits <= 32 && count < INT64_C(1) << (33 - bits);
}

static bool is_cut(MlirOperation user) {
  return sn_is(user, "arith.trunci") && sn_bits(sn_element(sn_type_of(sn_result(user, 0)))) <= 32;
}

static bool is_only_cut(MlirValue v) {
  MlirOpOperand use = mlirValueGetFirstUse(v);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!is_cut(mlirOpOperandGetOwner(use)))
      return false;
  return true;
}

// Who cuts the extended row to 32 bits gets the row itself.
static void forget_cuts(MlirOperation extended, MlirValue row) {
  for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(extended, 0)); !mlirOpOperandIsNull(use);) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    use = mlirOpOperandGetNextUse(use);
    if (!is_cut(user) || !mlirTypeEqual(sn_type_of(sn_result(user, 0)), sn_type_of(row)))
      continue;
    mlirValueReplaceAllUsesOfWith(sn_result(user, 0), row);
    mlirOperationDestroy(user);
  }
  if (sn_unused(extended))
    mlirOperationDestroy(extended);
}

static void narrow_row(MlirOperation op, MlirBlock body, MlirValue row, MlirType element) {
  MlirType wide = sn_type_of(row);
  SnBuilder b = sn_at_start(body, mlirOperationGetLocation(op));
  mlirValueSetType(row, sn_tensor_like(wide, element));
  MlirOperation extended = sn_op(&b, "arith.extsi", row, wide);
  mlirValueReplaceAllUsesExcept(row, sn_result(extended, 0), 1, &extended);
  forget_cuts(extended, row);
}

bool sn_narrow_products(MlirOperation op) {
  SnForm f = sn_form_read(op);
  SN_VEC(MlirAttribute) types = {0};
  bool any = false;
  MlirType i32 = mlirIntegerTypeGet(mlirOperationGetContext(op), 32);
  for (size_t p = 0; p < f.products.size; ++p) {
    MlirType type = f.products.data[p].type;
    MlirValue row = mlirBlockGetArgument(f.body, (intptr_t)p);
    bool narrow = mlirTypeIsAInteger(type) && sn_bits(type) > 32 && sn_bits(sn_side_element(&f, 2 * p)) <= 32 &&
                  sn_bits(sn_side_element(&f, 2 * p + 1)) <= 32 &&
                  (fits(&f, p, sn_first_own(&f, p)) || is_only_cut(row));
    sn_push(&types, mlirTypeAttrGet(narrow ? i32 : type));
    if (narrow)
      narrow_row(op, f.body, row, i32);
    any |= narrow;
  }
  if (any)
    sn_set_attr(op, "product_types", mlirArrayAttrGet(mlirOperationGetContext(op), (intptr_t)types.size, types.data));
  sn_vec_free(&types);
  sn_form_free(&f);
  return any;
}
