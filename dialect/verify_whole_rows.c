// verify_whole_rows.c: the rules of sinter.row_sort, sinter.row_scan and sinter.row_fold.
//
// test: test/dialect/invalid_whole_rows.mlir, @w1.. to @w4..

#include "dialect/definition.h"
#include "dialect/row_ops.h"
#include "dialect/verify.h"

MlirLogicalResult sinter_row_sort_verify(MlirOperation op);
MlirLogicalResult sinter_row_scan_verify(MlirOperation op);
MlirLogicalResult sinter_row_fold_verify(MlirOperation op);

#define TEXT(s) (int)(s).length, (s).data

static MlirLogicalResult check_dim_of_form(MlirOperation op, MlirOperation parent) {
  MlirAttribute dim = sn_get_attr(op, "dim");
  SnForm f = sn_form_read(parent);
  bool plain = !f.contract && sn_has_one_group(&f), there = false;
  bool in_body = mlirBlockEqual(mlirOperationGetBlock(op), f.body), named = dim.ptr || f.num_cols == 1;
  for (int64_t d = f.num_rows; d < f.num_rows + f.num_cols; ++d)
    there |= !dim.ptr || sn_row_op_names(op, f.dims.data[d].name);
  intptr_t columns = (intptr_t)f.num_cols;
  bool tensors = f.outputs.size && mlirTypeIsARankedTensor(sn_type_of(f.outputs.data[0].value));
  sn_form_free(&f);
  if (!plain || !in_body || !tensors) // W1
    return sn_error(op, "stands in %s; rows are sorted and scanned in the body of a sinter.rowwise on tensors",
                    !plain     ? "a form with products or several groups of columns"
                    : !in_body ? "a finish"
                               : "a form on memrefs");
  if (!named) // W1
    return sn_error(op, "goes along a column of a form that has %td; say which: `along NAME`", columns);
  if (!there) { // W1
    MlirStringRef name = mlirStringAttrGetValue(dim);
    return sn_error(op, "goes along '%.*s', which is no column dimension of the form around it", TEXT(name));
  }
  return SN_OK;
}

static MlirLogicalResult check_place(MlirOperation op) {
  MlirOperation parent = sn_program_around(op);
  if (!sn_null(parent) && sn_is_form(parent))
    return sn_form_is_readable(parent, NULL, 0) ? check_dim_of_form(op, parent) : SN_FAIL; // reported at the form
  if (sn_null(parent) || !sn_in_row_program(op))                                           // W1
    return sn_error(op, "stands in '%s'; it is about the rows of a definition or of a sinter.rowwise",
                    sn_null(parent) ? "nothing" : sn_name(parent));
  MlirAttribute dim = sn_get_attr(op, "dim");
  intptr_t columns = sn_definition_columns(parent);
  if (!dim.ptr && columns > 1) // W1
    return sn_error(op, "goes along a column of a definition that has %td; say which: `along column0`", columns);
  if (dim.ptr && sn_dim_word(mlirStringAttrGetValue(dim), "column", columns) < 0) // W1
    return sn_error(op, "goes along '%.*s'; in a definition there is `column`, or of several `column0` and so on",
                    TEXT(mlirStringAttrGetValue(dim)));
  return SN_OK;
}

static MlirLogicalResult check_rows(MlirOperation op) {
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    MlirType x = sn_type_of(sn_operand(op, k));
    bool same = k < sn_num_results(op) && mlirTypeEqual(sn_type_of(sn_result(op, k)), x);
    if (!sn_is_row_type(x) || !same) // W2
      return sn_error(op, "has operand %td of type %s%s", k, sn_show_type(x).text,
                      same ? "; give rows, one-dimensional tensors" : ", and another result");
  }
  if (!sn_num_operands(op) || sn_num_operands(op) != sn_num_results(op)) // W2
    return sn_error(op, "has %td operands and %td results; give as many, and at least 1", sn_num_operands(op),
                    sn_num_results(op));
  return check_place(op);
}

MlirLogicalResult sinter_row_sort_verify(MlirOperation op) {
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    MlirType e = sn_element(sn_type_of(sn_operand(op, k)));
    if (!sn_is_float(e) && !mlirTypeIsAInteger(e)) // W3
      return sn_error(op, "sorts elements of type %s; give floats or integers", sn_show_type(e).text);
  }
  return check_rows(op);
}

static MlirLogicalResult check_combined(MlirOperation op) {
  MlirStringRef kind = mlirStringAttrGetValue(sn_get_attr(op, "kind"));
  MlirType e = sn_element(sn_type_of(sn_operand(op, 0)));
  const SnCombiner *c = sn_combiner(kind);
  if (!c || !sn_combiner_fits(c, e)) // W4
    return sn_error(op, "combines %s by '%.*s', which %s", sn_show_type(e).text, TEXT(kind),
                    c ? "does not fit them" : "is no combiner; sinter.row_reduce lists them");
  return check_rows(op);
}

MlirLogicalResult sinter_row_scan_verify(MlirOperation op) {
  bool log = mlirStringRefEqual(mlirStringAttrGetValue(sn_get_attr(op, "kind")), SN_STR(SN_LOG_SUM_EXP));
  return log && sn_is_float(sn_element(sn_type_of(sn_operand(op, 0)))) ? check_rows(op) : check_combined(op); // W4
}
MlirLogicalResult sinter_row_fold_verify(MlirOperation op) { return check_combined(op); }
