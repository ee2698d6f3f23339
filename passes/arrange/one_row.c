// one_row.c: what is reduced over rows of one element is reduced over their neighbours.
//
//   rowwise (i = 4096) by () ins(%x[i]) reduce(add [])
// ->
//   %y = tensor.expand_shape %x : tensor<4096xf32> into tensor<1x4096xf32>
//   rowwise (one = 1) by (i = 4096) ins(%y[one, i]) reduce(add []), whose body has a row_reduce
//
//   rowwise (i = 64, j = 4096) by ()    ->    rowwise (i = 64) by (j = 4096), the same
//
// Rows of one element are a thread's, one by one; as columns the flat family has them in vectors, many at a time.
//
// test: test/passes/arrange/one_row.mlir

#include "dialect/row_ops.h"
#include "dialect/sequence.h"
#include "passes/arrange/arrange.h"
#include "passes/edit/edit.h"
#include "passes/merge/merge.h"
#include <stdio.h>

// All row dimensions in their order, or none.
static bool is_element(const SnForm *f, const SnAccess *a) {
  intptr_t n = mlirAffineMapGetNumResults(a->map);
  if (sn_is_table(a) || a->through.ptr || a->fill.ptr || (n && n != (intptr_t)f->num_rows))
    return false;
  for (intptr_t i = 0; i < n; ++i)
    if (sn_map_dim(a->map, i) != i || sn_dim(sn_type_of(a->value), i) != f->dims.data[i].size)
      return false;
  return true;
}

static bool fits(const SnForm *f) {
  bool any = false;
  if (!sn_is_plain(f) || f->contract || f->schedule.ptr || f->num_cols || !f->num_rows || !f->accumulators.size ||
      f->indices.size || f->dims.size + 1 > SN_MAX_DIMS)
    return false;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    if (!is_element(f, &f->inputs.data[k]))
      return false;
    any |= sn_uses_rows(f, f->inputs.data[k].map);
  }
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (!sn_is_reduced(f, k))
      return false;
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (!sn_combiner(f->accumulators.data[k].kind))
      return false;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    const SnRowOp *line = sn_row_op_of(op);
    if (sn_is(op, "cf.assert") || (line && line->position) || sn_row_op_has(op, SN_READS_TABLE))
      return false;
  }
  return any;
}

// A tensor of n elements as one row of them.
static MlirValue as_row(SnBuilder *b, MlirValue x) {
  MlirType t = sn_type_of(x);
  int64_t n = sn_dim(t, 0), shape[] = {1, n};
  MlirValue size = n == SN_DYNAMIC ? sn(b, "tensor.dim", x, sn_index(b, 0), sn_index_type(b->ctx)) : (MlirValue){0};
  return sn(b, "tensor.expand_shape", x, sn_values(n == SN_DYNAMIC, &size), sn_tensor(sn_element(t), 2, shape),
            sn_attr("reassociation", sn_parse_attr(b->ctx, "[[0, 1]]")),
            sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, 2, shape)));
}

static void copy_finish(const SnForm *f, SnForm *to, MlirLocation loc) {
  SnMap map = {0};
  SnValueVec values = {0};
  SnBuilder in = sn_at_end(to->finish, loc);
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(f->finish); ++k)
    sn_map(&map, mlirBlockGetArgument(f->finish, k), mlirBlockGetArgument(to->finish, k));
  sn_copy_ops(&in, f->finish, &map);
  MlirOperation end = mlirBlockGetTerminator(f->finish);
  for (intptr_t k = 0; k < sn_num_operands(end); ++k)
    sn_push(&values, sn_lookup(&map, sn_operand(end, k)));
  sn_op(&in, "sinter.yield", sn_values((intptr_t)values.size, values.data), sn_types(0, NULL));
  sn_vec_free(&values);
  sn_map_free(&map);
}

MlirOperation sn_one_row(MlirOperation op) {
  SnForm f = sn_form_read(op);
  if (!sn_num_results(op) || sn_in_sequence(op) || !fits(&f)) {
    sn_form_free(&f);
    return op;
  }
  SnBuilder b = sn_before(op);
  bool alone = f.num_rows == 1;
  intptr_t n = (intptr_t)f.dims.size + alone;
  SnForm to = {.num_rows = alone ? 1 : f.num_rows - 1, .num_cols = 1};
  MlirAffineExpr dims[SN_MAX_DIMS], all[SN_MAX_DIMS + 1];
  if (alone)
    sn_push(&to.dims, ((SnDim){.name = sn_fresh_name(b.ctx, &f, "one"), .size = 1}));
  for (intptr_t d = 0; d < n; ++d)
    all[d] = mlirAffineDimExprGet(b.ctx, d);
  for (intptr_t d = 0; d < (intptr_t)f.dims.size; ++d) {
    dims[d] = all[d + alone];
    sn_push(&to.dims, f.dims.data[d]);
  }
  for (size_t k = 0; k < f.inputs.size; ++k) {
    SnAccess a = f.inputs.data[k];
    bool element = sn_uses_rows(&f, a.map);
    a.value = element && alone ? as_row(&b, a.value) : a.value;
    a.map = mlirAffineMapGet(b.ctx, n, 0, element ? n : 0, all);
    sn_push(&to.inputs, a);
  }
  for (size_t k = 0; k < f.accumulators.size; ++k) {
    SnAccumulator a = f.accumulators.data[k];
    a.map = mlirAffineMapGet(b.ctx, n, 0, 0, NULL);
    sn_push(&to.accumulators, a);
  }
  for (size_t k = 0; k < f.outputs.size; ++k) {
    SnAccess a = f.outputs.data[k];
    a.map = sn_map_replace(a.map, n, dims);
    sn_push(&to.outputs, a);
  }
  MlirOperation made = sn_form_create(&b, &to, f.finish.ptr);
  SnBuilder in = sn_at_end(to.body, b.loc);
  SnMap map = {0};
  SnValueVec results = {0};
  for (size_t k = 0; k < f.inputs.size; ++k)
    sn_map(&map, sn_input_argument(&f, k), sn_input_argument(&to, k));
  for (size_t k = 0; k < f.accumulators.size; ++k) {
    char kind[32];
    SnAccumulator a = f.accumulators.data[k];
    MlirValue v = sn_move_value(&in, &f, sn_operand(mlirBlockGetTerminator(f.body), (intptr_t)k), dims, &to, &map);
    snprintf(kind, sizeof kind, "%.*s", (int)a.kind.length, a.kind.data);
    sn_push(&results, sn_row_reduce(&in, kind, sn_as_row(&in, v, sn_row_type(&to, sn_element(sn_type_of(v)))), a.type));
  }
  sn_op(&in, "sinter.yield", sn_values((intptr_t)results.size, results.data), sn_types(0, NULL));
  if (f.finish.ptr)
    copy_finish(&f, &to, b.loc);
  sn_replace_results(op, made);
  mlirOperationDestroy(op);
  sn_map_free(&map);
  sn_vec_free(&results);
  sn_form_free(&to);
  sn_form_free(&f);
  return made;
}
