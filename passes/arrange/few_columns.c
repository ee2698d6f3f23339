// few_columns.c: a product of few columns has those of other images, too.
//
//   contract (i = 16, j = 512) by (y = 2, x = 2) product (c, r, s) (%w[j, c, r, s], %x[i, c, y + r - 1, x + s - 1])
// ->
//   contract (j = 512) by (i = 16, y = 2, x = 2), the same
//
// Columns are the lanes of a CPU's vectors: of an image of four places they are a quarter of one, and all weights are
// read for each image. A row dimension that the other side has nothing of is as good a column. (The last layers of a
// ResNet: 16 images of one place by 512 filters 3x3 of 512 channels took 29.6 ms, and take 0.8.) Where nobody knows how
// many images there are, one is as long a row as before.
//
// Where the row program sums up its rows (the gradient of a bias, a mean), they stay rows, and the sums of the product
// are columns of a form of their own:
//
//   contract (i, j = 64) by (y = 3, x = 3) product (c, r, s) (..) { f(%p), row_reduce add f(%p) }
// ->
//   %z = contract (j = 64) by (i, y = 3, x = 3) product (c, r, s) (..)
//   rowwise (i, j = 64) by (y = 3, x = 3) ins(%z[i, j, y, x]) { f(%z), row_reduce add f(%z) }
//
// runs in: sinter-thin-products    test: test/passes/arrange/few_columns.mlir, test/run/few_columns.test

#include "dialect/row_ops.h"
#include "passes/arrange/arrange.h"
#include "passes/merge/merge.h"

enum {
  LANES = 16,     // of a vector of f32
  LEAST_SUM = 64, // elements: less is no work beside columns that are stored apart
  LEAST_WORK = 1 << 19, // multiplications that are worth one more kernel
  ANY = 16,             // images, where nobody knows how many
};

static bool sums_much(const SnForm *f) {
  int64_t sum = 1;
  for (intptr_t d = (intptr_t)(f->num_rows + f->num_cols); d < (intptr_t)f->dims.size; ++d)
    sum = f->dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(sum, f->dims.data[d].size);
  return sum >= LEAST_SUM;
}

static bool has_columns(const SnForm *f, size_t side) {
  for (intptr_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
    if (sn_side_uses(f, side, d))
      return true;
  return false;
}

// The sides with columns have the dimension, and no others.
static bool is_of_columns(const SnForm *f, intptr_t row) {
  for (size_t s = 0; s < 2 * f->products.size; ++s)
    if (sn_side_uses(f, s, row) != has_columns(f, s))
      return false;
  return true;
}

// ---- sums apart from their row program ---------------------------------------------------------------------------

static int64_t work(const SnForm *f) {
  int64_t all = 1;
  for (size_t d = 0; d < f->dims.size; ++d)
    all = sn_times(all, f->dims.data[d].size == SN_DYNAMIC ? ANY : f->dims.data[d].size);
  return all;
}

// The size of dimension d, where a result has it as a subscript; null: none has.
static MlirValue size_of(SnBuilder *b, const SnForm *f, intptr_t d) {
  for (size_t k = 0; k < f->outputs.size; ++k)
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(f->outputs.data[k].map); ++i)
      if (sn_map_dim(f->outputs.data[k].map, i) == d)
        return sn(b, "tensor.dim", f->outputs.data[k].value, sn_index(b, i));
  return (MlirValue){0};
}

static bool can_be_apart(const SnForm *f) {
  bool can = f->products.size == 1 && !f->indices.size && !f->accumulators.size && !f->finish.ptr &&
             sn_row_op_count(f->body, SN_READS_ALL) && work(f) >= LEAST_WORK;
  for (size_t s = 0; s < 2 && can; ++s)
    can = !sn_side(f, s).program.ptr;
  return can;
}

// A tensor of all rows and columns; null: nobody knows how large.
static MlirValue room(SnBuilder *b, const SnForm *f) {
  int64_t rank = f->num_rows + f->num_cols, shape[SN_MAX_DIMS];
  MlirValue sizes[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t d = 0; d < rank; ++d) {
    shape[d] = f->dims.data[d].size;
    if (shape[d] != SN_DYNAMIC)
      continue;
    sizes[n] = size_of(b, f, d);
    if (sn_none(sizes[n++]))
      return (MlirValue){0};
  }
  return sn(b, "tensor.empty", sn_tensor(f->products.data[0].type, rank, shape), sn_values(n, sizes));
}

static MlirOperation sums(SnBuilder *b, const SnForm *f, MlirValue to) {
  SnForm made = {.contract = true, .num_rows = f->num_rows, .num_cols = f->num_cols};
  intptr_t rank = (intptr_t)(f->num_rows + f->num_cols), all = (intptr_t)f->dims.size;
  MlirAffineExpr e[SN_MAX_DIMS];
  for (intptr_t d = 0; d < all; ++d) {
    sn_push(&made.dims, f->dims.data[d]);
    e[d] = mlirAffineDimExprGet(b->ctx, d);
  }
  sn_push(&made.products, f->products.data[0]);
  for (size_t k = 0; k < 2; ++k)
    sn_push(&made.inputs, f->inputs.data[k]);
  sn_push(&made.outputs, ((SnAccess){.value = to, .map = mlirAffineMapGet(b->ctx, all, 0, rank, e)}));
  MlirOperation op = sn_form_create(b, &made, false);
  SnBuilder in = sn_at_end(made.body, b->loc);
  sn_op(&in, "sinter.yield", sn_product_argument(&made, 0), sn_types(0, NULL));
  sn_form_free(&made);
  return op;
}

// The row program on sums that are stored, in the form's place.
static void run_on(SnBuilder *b, const SnForm *f, MlirValue stored) {
  SnForm to = {.num_rows = f->num_rows, .num_cols = f->num_cols};
  intptr_t rank = (intptr_t)(f->num_rows + f->num_cols);
  MlirAffineExpr own[SN_MAX_DIMS];
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d)
    own[d] = d < rank ? mlirAffineDimExprGet(b->ctx, d) : mlirAffineConstantExprGet(b->ctx, 0);
  for (intptr_t d = 0; d < rank; ++d)
    sn_push(&to.dims, f->dims.data[d]);
  sn_push(&to.inputs, ((SnAccess){.value = stored, .map = mlirAffineMapMultiDimIdentityGet(b->ctx, rank)}));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k) {
    SnAccess a = f->inputs.data[k];
    a.map = sn_map_replace(a.map, rank, own);
    sn_push(&to.inputs, a);
  }
  for (size_t k = 0; k < f->outputs.size; ++k) {
    SnAccess a = f->outputs.data[k];
    a.map = sn_map_replace(a.map, rank, own);
    sn_push(&to.outputs, a);
  }
  MlirOperation made = sn_form_create(b, &to, false);
  SnMap map = {0};
  sn_map(&map, sn_product_argument(f, 0), sn_input_argument(&to, 0));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    sn_map(&map, sn_input_argument(f, k), sn_input_argument(&to, k - sn_first_input(f) + 1));
  SnBuilder in = sn_at_end(to.body, b->loc);
  sn_copy_block(&in, f->body, &map);
  sn_map_free(&map);
  sn_replace_results(f->op, made);
  mlirOperationDestroy(f->op);
  sn_form_free(&to);
}

// The product, with more columns; itself, if that cannot be.
static MlirOperation sums_apart(const SnForm *f, const bool *is_column) {
  SnBuilder b = sn_before(f->op);
  MlirValue to = can_be_apart(f) ? room(&b, f) : (MlirValue){0};
  if (sn_none(to))
    return f->op;
  MlirOperation op = sums(&b, f, to);
  SnForm product = sn_form_read(op);
  bool can = sn_can_resplit(&product, is_column);
  sn_form_free(&product);
  if (!can) {
    mlirOperationDestroy(op);
    mlirOperationDestroy(sn_definer(to));
    return f->op;
  }
  run_on(&b, f, sn_result(op, 0));
  return sn_resplit(op, is_column);
}

MlirOperation sn_more_columns(MlirOperation op) {
  SnForm f = sn_form_read(op);
  bool is_column[SN_MAX_DIMS] = {false};
  int64_t columns = sn_row_length(&f), rows = f.num_rows, before = columns;
  bool few = columns > 0 && columns < LANES && f.products.size && sums_much(&f);
  for (intptr_t d = 0; d < f.num_rows + f.num_cols; ++d)
    is_column[d] = d >= f.num_rows;
  for (intptr_t d = f.num_rows; few && d-- > 0 && columns != SN_DYNAMIC && columns < LANES;) {
    int64_t size = f.dims.data[d].size;
    if (rows > 1 && (size == SN_DYNAMIC || size > 1) && is_of_columns(&f, d)) {
      is_column[d] = true;
      columns = size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(columns, size);
      --rows;
    }
  }
  if (columns != before)
    op = sn_can_resplit(&f, is_column) ? sn_resplit(op, is_column) : sums_apart(&f, is_column);
  sn_form_free(&f);
  return op;
}
