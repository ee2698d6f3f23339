// verify_sides.c: groups of columns, matrices, and the programs of sides.
//
//   sinter.contract (i = 4) by (j = 8) by (e = 2)
//       product (k = 16) (side(%x[i, k] : T, %s[i] : T) {...}, %w[j, k] : T) : f32
//       matrix (j) to (e) (%v[j, e] : T)
//
// test: test/dialect/invalid_groups.mlir, @f22.. @m1.. @s1.. @s2..

#include "dialect/row_groups.h"
#include "dialect/row_ops.h"
#include "dialect/verify.h"

static MlirLogicalResult check_matrix(const SnForm *f, size_t m) {
  SnMatrix matrix = f->matrices.data[m];
  if (matrix.from == matrix.to) // M1
    return sn_error(f->op, "matrix %zu goes from group %lld of columns to the same; give another group", m,
                    (long long)matrix.from);
  size_t side = 2 * f->products.size + m;
  for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d) {
    int64_t g = sn_group_of_dim(f, d);
    if (g != matrix.from && g != matrix.to && sn_side_uses(f, side, d)) // F22
      return sn_error(f->op, "%s uses columns of group %lld, and goes from group %lld to %lld",
                      sn_show_operand(f, sn_side(f, side).first).text, (long long)g, (long long)matrix.from,
                      (long long)matrix.to);
  }
  return SN_OK;
}

// The sides of a product give one row, so they use one group together.
static MlirLogicalResult check_product(const SnForm *f, size_t p) {
  int64_t known = SN_NO_GROUP;
  for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d) {
    int64_t g = sn_group_of_dim(f, d);
    if (!sn_side_uses(f, 2 * p, d) && !sn_side_uses(f, 2 * p + 1, d))
      continue;
    if (known >= 0 && g != known) // F22
      return sn_error(f->op, "the sides of product %zu use columns of more than 1 group; its row is of one", p);
    known = g;
  }
  return SN_OK;
}

static MlirLogicalResult check_program(const SnForm *f, size_t s) {
  SnSide side = sn_side(f, s);
  SnShown who = sn_show_operand(f, side.first);
  int64_t dims[SN_MAX_DIMS];
  SnForm alone = sn_side_form(f, s, dims);
  MlirLogicalResult result = SN_OK;
  MlirBlock block = side.program;
  MlirOperation yield = mlirBlockGetTerminator(block);
  intptr_t n = mlirBlockGetNumArguments(block);
  if (mlirBlockGetNextInRegion(block).ptr || !sn_is(yield, "sinter.yield")) // S2
    result = sn_error(f->op, "the program of %s is not one block that ends in sinter.yield", who.text);
  else if (n != (intptr_t)side.count) // S1
    result = sn_error(f->op, "the program of %s has %td arguments, and %zu are given to it", who.text, n, side.count);
  for (size_t k = 0; k < side.count && !sn_failed(result); ++k) {
    if (sn_is_table(&alone.inputs.data[k])) { // S1
      result = sn_error(f->op, "%s is a table, and a side's program reads no tables",
                        sn_show_operand(f, side.first + k).text);
      break;
    }
    MlirType wanted = sn_access_type(&alone, &alone.inputs.data[k]),
             is = sn_type_of(mlirBlockGetArgument(block, (intptr_t)k));
    if (!mlirTypeEqual(wanted, is)) // S1
      result = sn_error(f->op, "argument %zu of the program of %s has type %s, and %s is given to it", k, who.text,
                        sn_show_type(is).text, sn_show_type(wanted).text);
  }
  MlirType row = sn_row_type(&alone, mlirIndexTypeGet(mlirOperationGetContext(f->op)));
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !sn_failed(result) && !mlirOperationEqual(op, yield); op = mlirOperationGetNextInBlock(op)) {
    const SnRowOp *line = sn_row_op_of(op);
    bool by_column = line && line->gives != SN_GIVES_NOTHING && (!line->position || line->names_dim) &&
                     !sn_row_op_has(op, SN_READS_ALL);
    if (!by_column) // S2
      result = sn_error(op, "stands in the program of a side, which takes each element from its own column only");
    for (intptr_t k = 0; k < sn_num_results(op) && !sn_failed(result); ++k) {
      MlirType t = sn_type_of(sn_result(op, k));
      if (!sn_is_scalar_type(t) && !(sn_is_row_type(t) && sn_dim(t, 0) == sn_dim(row, 0))) // F18
        result = sn_error(op, "gives %s; values of this program are scalars, or rows as long as %s",
                          sn_show_type(t).text, sn_show_type(row).text);
    }
  }
  if (!sn_failed(result)) {
    MlirValue v = sn_num_operands(yield) == 1 ? sn_operand(yield, 0) : (MlirValue){0};
    if (sn_none(v) || !sn_is_row_type(sn_type_of(v)) || sn_dim(sn_type_of(v), 0) != sn_dim(row, 0)) // S2
      result = sn_error(f->op, "the program of %s yields %td values%s%s; one row as long as %s is needed", who.text,
                        sn_num_operands(yield), sn_none(v) ? "" : " of type ",
                        sn_none(v) ? "" : sn_show_type(sn_type_of(v)).text, sn_show_type(row).text);
  }
  sn_form_free(&alone);
  return result;
}

MlirLogicalResult sn_verify_sides(const SnForm *f) {
  MlirLogicalResult result = SN_OK;
  for (size_t g = 0; g < sn_num_groups(f) && sn_num_groups(f) > 1; ++g)
    if (!sn_group(f, g).num_dims) // F22
      return sn_error(f->op, "group %zu of %zu has no columns; give each of several groups one or more", g,
                      sn_num_groups(f));
  for (size_t k = sn_first_input(f); k < f->inputs.size && !sn_failed(result); ++k)
    if (sn_group_of_access(f, &f->inputs.data[k]) == SN_SEVERAL_GROUPS) // F22
      result = sn_error(f->op, "%s uses columns of more than 1 group; what does is a matrix",
                        sn_show_operand(f, k).text);
  for (size_t p = 0; p < f->products.size && !sn_failed(result); ++p)
    result = check_product(f, p);
  for (size_t m = 0; m < f->matrices.size && !sn_failed(result); ++m)
    result = check_matrix(f, m);
  for (size_t s = 0; s < sn_num_sides(f) && !sn_failed(result); ++s)
    if (sn_side(f, s).program.ptr)
      result = check_program(f, s);
    else if (sn_is_table(&f->inputs.data[sn_side(f, s).first])) // F6
      result = sn_error(f->op, "%s is a table, of which the body gives the subscripts; write what it reads",
                        sn_show_operand(f, sn_side(f, s).first).text);
  return result;
}

static size_t num_unknown_groups(const SnForm *f) {
  size_t unknown = 0;
  for (size_t g = 0; g < sn_num_groups(f); ++g)
    unknown += sn_group_length(f, g) == SN_DYNAMIC;
  return unknown;
}

static MlirLogicalResult check_loose_rows(const SnForm *f, bool finish, const SnRowGroups *groups) {
  size_t unknown = num_unknown_groups(f);
  MlirOperation op = unknown > 1 ? sn_loose_and_counted(f, finish, groups) : (MlirOperation){0};
  if (sn_null(op)) // F22
    return SN_OK;
  return sn_error(op, "takes a row of constants and broadcasts alone, and %zu groups of columns are `?` long; use "
                      "one that an access or a position has a part in", unknown);
}

MlirLogicalResult sn_verify_groups(const SnForm *f) {
  if (sn_num_groups(f) < 2)
    return SN_OK;
  MlirLogicalResult result = SN_OK;
  for (int finish = 0; finish < (f->finish.ptr ? 2 : 1) && !sn_failed(result); ++finish) {
    SnRowGroups groups;
    int64_t one, other;
    MlirOperation wrong = sn_row_groups(f, finish, &groups, &one, &other);
    if (!sn_null(wrong)) // F22
      result = sn_error(wrong, "takes a row of group %lld of columns for one of group %lld", (long long)one,
                        (long long)other);
    else
      result = check_loose_rows(f, finish, &groups);
    sn_row_groups_free(&groups);
  }
  return result;
}
