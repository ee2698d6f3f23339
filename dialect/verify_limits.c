// verify_limits.c: rule F21, how large a form may be. The numbers and their reasons are in capi/limits.h.
//
// Every other check, pass and lowering sizes arrays by these numbers, so this one comes first.
//
// test: test/dialect/invalid.mlir, @f21_*; test/limits/forms.test

#include "dialect/row_ops.h"
#include "dialect/verify.h"

static bool is_most(const SnForm *f, size_t n, int most, const char *what) {
  if (n <= (size_t)most)
    return true;
  sn_error(f->op, "has %zu %s, and a form has at most %d: write two forms", n, what, most); // F21
  return false;
}

static MlirLogicalResult check_operand(const SnForm *f, size_t k) {
  MlirType t = sn_type_of(sn_operand(f->op, (intptr_t)k));
  SnShown who = sn_show_operand(f, k);
  if (mlirTypeIsAShaped(t) && mlirShapedTypeHasRank(t) && sn_rank(t) > SN_MAX_DIMS) // F21
    return sn_error(f->op, "%s has rank %lld, and an operand has at most %d: merge dimensions", who.text,
                    (long long)sn_rank(t), SN_MAX_DIMS);
  MlirAffineMap map = sn_form_access(f, k)->map;
  if (mlirAffineMapGetNumSymbols(map) > SN_MAX_DIMS) // F21
    return sn_error(f->op, "%s has %td indirect subscripts, and an operand has at most %d", who.text,
                    mlirAffineMapGetNumSymbols(map), SN_MAX_DIMS);
  if (!sn_map_fits(map)) // F21
    return sn_error(
        f->op, "a subscript of %s has more than %d dimensions, numbers and operations: compute it in an index tensor",
        who.text, SN_MAX_SUBSCRIPT_PARTS);
  return SN_OK;
}

// Dimensions of the rows of a group, and of all that is multiplied to give one: together they are those of a plain
// form, which sinter-split makes of them.
static size_t dims_of_rows(const SnForm *f, size_t group) {
  size_t n = f->dims.size - (size_t)f->num_cols + (size_t)sn_group(f, group).num_dims;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    if (!sn_row_op_has(op, SN_READS_MATRIX) || !mlirValueIsABlockArgument(sn_operand(op, 1)))
      continue;
    size_t matrix = (size_t)mlirBlockArgumentGetArgNumber(sn_operand(op, 1)) - f->products.size;
    if (matrix < f->matrices.size && f->matrices.data[matrix].to == (int64_t)group)
      n += (size_t)sn_group(f, (size_t)f->matrices.data[matrix].from).num_dims;
  }
  return n;
}

MlirLogicalResult sn_verify_limits(const SnForm *f) {
  if (!is_most(f, f->dims.size, SN_MAX_DIMS, "dimensions") ||
      !is_most(f, (size_t)sn_num_operands(f->op), SN_MAX_OPERANDS, "operands") ||
      !is_most(f, f->accumulators.size, SN_MAX_ACCUMULATORS, "accumulators") ||
      !is_most(f, (size_t)sn_row_op_count(f->body, SN_READS_ALL), SN_MAX_REDUCTIONS, "row_reduces in its body") ||
      !is_most(f, (size_t)sn_row_op_count(f->finish, SN_READS_ALL), SN_MAX_REDUCTIONS, "row_reduces in its finish"))
    return SN_FAIL;
  for (size_t g = 0; g < sn_num_groups(f) && f->matrices.size && f->body.ptr; ++g)
    if (!is_most(f, dims_of_rows(f, g), SN_MAX_DIMS, "dimensions that one group's rows are of and are summed over"))
      return SN_FAIL;
  MlirLogicalResult result = SN_OK;
  for (size_t k = 0; k < (size_t)sn_num_operands(f->op) && !sn_failed(result); ++k)
    result = check_operand(f, k);
  return result;
}
