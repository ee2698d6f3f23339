// sums_of_one.c: what is reduced over one row is that row.
//
//   rowwise (d = 1) by (i = 40, j = 16) ins(%g[d, i, j]) reduce(add [i, j] : f32) outs(%e[i, j])
//     ->  rowwise (i = 40) by (j = 16) ins(%g[0, i, j]) outs(%e[i, j])
//
// The gradient of what is read for each of a batch of one. As a sum it would be stored, and what reads it kept from
// what makes it.
//
// runs in: simplify, fuse    test: test/passes/simplify/sums_of_one.mlir

#include "passes/merge/merge.h"
#include "passes/simplify/simplify.h"

// Accumulators are the results, which have all columns.
static bool is_of_one(const SnForm *f) {
  bool is = !f->contract && sn_is_plain(f) && !f->schedule.ptr && !f->finish.ptr && f->accumulators.size &&
            f->outputs.size == f->accumulators.size && sn_num_reduced(f) == f->outputs.size && !f->indices.size &&
            sn_is_elementwise_body(f->body) && !sn_form_asserts(f) && f->num_cols;
  for (int64_t d = 0; d < f->num_rows; ++d)
    is &= f->dims.data[d].size == 1;
  for (size_t k = 0; k < f->outputs.size && is; ++k)
    is = mlirAffineMapGetNumResults(f->accumulators.data[k].map) == f->num_cols &&
         sn_combiner(f->accumulators.data[k].kind);
  for (size_t k = 0; k < f->inputs.size && is; ++k)
    is = !sn_is_table(&f->inputs.data[k]);
  return is;
}

bool sn_drop_sums_of_one(MlirOperation op) {
  SnForm f = sn_form_read(op), to = {0};
  bool is = sn_num_results(op) && is_of_one(&f);
  if (is) {
    SnBuilder b = sn_before(op);
    MlirAffineExpr dims[SN_MAX_DIMS];
    for (int64_t d = 0; d < (int64_t)f.dims.size; ++d) {
      dims[d] =
          d < f.num_rows ? mlirAffineConstantExprGet(b.ctx, 0) : mlirAffineDimExprGet(b.ctx, (intptr_t)to.dims.size);
      if (d >= f.num_rows)
        sn_push(&to.dims, f.dims.data[d]);
    }
    to.num_rows = f.num_cols - 1;
    to.num_cols = 1;
    for (size_t k = 0; k < f.inputs.size + f.outputs.size; ++k) {
      SnAccess a = k < f.inputs.size ? f.inputs.data[k] : f.outputs.data[k - f.inputs.size];
      a.map = sn_map_replace(a.map, (intptr_t)to.dims.size, dims);
      if (k < f.inputs.size)
        sn_push(&to.inputs, a);
      else
        sn_push(&to.outputs, a);
    }
    MlirOperation made = sn_form_create(&b, &to, false);
    SnBuilder in = sn_at_end(to.body, b.loc);
    SnMap map = {0};
    SnValueVec values = {0};
    for (size_t k = 0; k < f.inputs.size; ++k)
      sn_map(&map, sn_input_argument(&f, k), sn_input_argument(&to, k));
    for (size_t k = 0; k < f.outputs.size; ++k) {
      MlirValue v = sn_operand(mlirBlockGetTerminator(f.body), (intptr_t)sn_output_position(&f, k));
      v = sn_move_value(&in, &f, v, dims, &to, &map);
      sn_push(&values, sn_as_row(&in, v, sn_row_type(&to, sn_element(sn_type_of(v)))));
    }
    sn_op(&in, "sinter.yield", sn_values((intptr_t)values.size, values.data), sn_types(0, NULL));
    sn_replace_results(op, made);
    sn_vec_free(&values);
    sn_map_free(&map);
    mlirOperationDestroy(op);
  }
  sn_form_free(&f);
  sn_form_free(&to);
  return is;
}
