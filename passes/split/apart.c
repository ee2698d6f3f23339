// apart.c: a form whose rows are needed whole stores its products first.
//
//   contract (i) by (j) product (k) (x, w)            %p = contract (i) by (j) product (k) (x, w) { %acc }
//     { %s = row_reduce add (exp %acc) ... }     ->   rowwise (i) by (j) (%p[i, j]) { %s = row_reduce add (exp %p) ...
//     }
//
// runs in: split    test: test/passes/split/gpu.mlir

#include "passes/split/pieces.h"

// The products alone, over all rows and columns, in the order of the form.
static SnForm products_of(const SnForm *f) {
  SnForm to = {.contract = true, .num_rows = f->num_rows, .num_cols = f->num_cols};
  for (size_t d = 0; d < f->dims.size; ++d)
    sn_push(&to.dims, f->dims.data[d]);
  for (size_t p = 0; p < f->products.size; ++p)
    sn_push(&to.products, f->products.data[p]);
  for (size_t k = 0; k < sn_first_input(f); ++k)
    sn_push(&to.inputs, f->inputs.data[k]);
  for (size_t k = 0; k < f->indices.size; ++k)
    sn_push(&to.indices, f->indices.data[k]);
  return to;
}

static MlirAffineMap without_sums(const SnForm *f, MlirAffineMap map) {
  MlirAffineExpr same[SN_MAX_DIMS];
  MlirContext ctx = mlirAffineMapGetContext(map);
  intptr_t n = (intptr_t)(f->num_rows + f->num_cols);
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d)
    same[d] = d < n ? mlirAffineDimExprGet(ctx, d) : mlirAffineConstantExprGet(ctx, 0);
  return sn_map_replace(map, n, same);
}

// The form over its products, which are inputs in front of all others: its body's arguments are the same.
static SnForm form_over(const SnForm *f, const SnForm *products) {
  SnForm to = {.num_rows = f->num_rows, .num_cols = f->num_cols};
  for (int64_t d = 0; d < f->num_rows + f->num_cols; ++d)
    sn_push(&to.dims, f->dims.data[d]);
  for (size_t p = 0; p < f->products.size; ++p) {
    SnAccess a = products->outputs.data[p];
    a.value = sn_result(products->op, (intptr_t)p);
    sn_push(&to.inputs, a);
  }
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    sn_push(&to.inputs, f->inputs.data[k]);
  for (size_t k = 0; k < f->indices.size; ++k)
    sn_push(&to.indices, f->indices.data[k]);
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&to.outputs, f->outputs.data[k]);
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    sn_push(&to.accumulators, f->accumulators.data[k]);
    to.accumulators.data[k].map = without_sums(f, f->accumulators.data[k].map);
  }
  for (size_t k = 0; k < to.inputs.size + to.indices.size + to.outputs.size; ++k) {
    SnAccess *a = (SnAccess *)sn_form_access(&to, k);
    a->map = without_sums(f, a->map);
  }
  return to;
}

static void copy_block(MlirBlock from, MlirBlock into, MlirLocation loc) {
  SnBuilder in = sn_at_end(into, loc);
  SnMap map = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(from); ++k)
    sn_map(&map, mlirBlockGetArgument(from, k), mlirBlockGetArgument(into, k));
  sn_copy_ops(&in, from, &map);
  sn_clone(&in, mlirBlockGetTerminator(from), &map);
  sn_map_free(&map);
}

void sn_store_products(MlirOperation contract) {
  SnCut s = {.f = sn_form_read(contract), .b = sn_before(contract)};
  SnForm *f = &s.f, products = products_of(f);
  int64_t dims[SN_MAX_DIMS];
  intptr_t n = sn_rows_and_columns(f, 0, dims);
  for (size_t p = 0; p < f->products.size; ++p) {
    SnAccess place = sn_piece_place(&s, f->products.data[p].type, dims, n, false);
    sn_push(&products.outputs, place);
  }
  sn_form_create(&s.b, &products, false);
  SnBuilder in = sn_at_end(products.body, s.b.loc);
  SnValueVec yields = {0};
  for (size_t p = 0; p < f->products.size; ++p)
    sn_push(&yields, sn_product_argument(&products, p));
  sn_op(&in, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  SnForm to = form_over(f, &products);
  MlirOperation made = sn_form_create(&s.b, &to, f->finish.ptr);
  copy_block(f->body, to.body, s.b.loc);
  if (f->finish.ptr)
    copy_block(f->finish, to.finish, s.b.loc);
  for (intptr_t r = 0; r < sn_num_results(contract); ++r)
    mlirValueReplaceAllUsesOfWith(sn_result(contract, r), sn_result(made, r));
  sn_vec_free(&yields);
  sn_form_free(&products);
  sn_form_free(&to);
  sn_form_free(f);
  mlirOperationDestroy(contract);
}
