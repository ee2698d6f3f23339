// summed_rows.c: a vector times a matrix that both run along what is summed is a sum over rows.
//
//   contract () by (k = 16) product (i = ?) (%g[i], %h[i, k])
//     ->  rowwise (i = ?) by (k = 16) ins(%g[i], %h[i, k]) reduce(add [k] : f32) { %g * %h }
//
// The gradient of the weights of a layer with one column. Nothing of the matrix is read twice, so no block of it is
// worth keeping; and its rows are those of what makes them, where a product's sum would be columns of one row. So it is
// one kernel with that: how many rows there are is not asked.
//
// A GPU has kernels of its own for a row that is multiplied (passes/arrange).
//
// runs in: fuse    test: test/passes/fuse/summed_rows.mlir, test/run/dynamic_vector.mlir

#include "passes/edit/edit.h"
#include "passes/fuse/fuse.h"

// Each task has a sum of all columns, which are added up behind it.
enum { MOST_COLUMNS = 1024, LEAST_SUMMED = 2 };

static bool is_simple(const SnAccess *a) { return !a->fill.ptr && !a->through.ptr && !sn_is_table(a); }

// One product of floats, which is the result as it is.
static bool is_bare(const SnForm *f) {
  bool bare = f->contract && sn_is_plain(f) && !f->schedule.ptr && f->products.size == 1 && f->inputs.size == 2 &&
              f->outputs.size == 1 && !f->indices.size && !f->accumulators.size && !f->finish.ptr;
  if (!bare || !sn_is_float(f->products.data[0].type) || sn_bits(f->products.data[0].type) < 32)
    return false;
  MlirOperation end = mlirBlockGetTerminator(f->body);
  for (size_t s = 0; s < 2; ++s)
    bare &= is_simple(&f->inputs.data[s]) && sn_is_float(sn_side_element(f, s));
  return bare && is_simple(&f->outputs.data[0]) && sn_same(sn_operand(end, 0), sn_product_argument(f, 0));
}

static int64_t size_of(const SnForm *f, int64_t first, int64_t n) {
  int64_t all = 1;
  for (int64_t d = first; d < first + n; ++d)
    all = all == SN_DYNAMIC || f->dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(all, f->dims.data[d].size);
  return all;
}

// What it sums are the rows, of one number and of a row each.
static bool sums_rows(const SnForm *f) {
  int64_t columns = size_of(f, 0, f->num_cols), summed = size_of(f, f->num_cols, f->products.data[0].num_dims);
  bool a = sn_uses_cols(f, f->inputs.data[0].map), b = sn_uses_cols(f, f->inputs.data[1].map);
  for (int64_t d = 0; d < f->num_cols && a != b; ++d)
    if (!sn_map_uses(f->inputs.data[a ? 0 : 1].map, d))
      return false;
  return !f->num_rows && a != b && columns != SN_DYNAMIC && columns <= MOST_COLUMNS &&
         (summed == SN_DYNAMIC || summed >= LEAST_SUMMED);
}

// What a form makes of the sum is a product's in the same kernel; behind a sum over rows it is one more.
static bool is_read_on(MlirOperation op) {
  for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(op, 0)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (sn_is_form(mlirOpOperandGetOwner(use)))
      return true;
  return false;
}

static MlirValue widened(SnBuilder *b, MlirValue x, MlirType t) {
  return mlirTypeEqual(sn_element(sn_type_of(x)), t) ? x : sn_row_op(b, "arith.extf", t, 1, &x);
}

// `dims`: f's over those of `to`, which has its rows and columns.
static void replace(const SnForm *f, SnForm *to, const MlirAffineExpr *dims) {
  SnBuilder b = sn_before(f->op);
  MlirType t = f->products.data[0].type;
  for (size_t k = 0; k < 2; ++k) {
    SnAccess a = f->inputs.data[k];
    a.map = sn_map_replace(a.map, (intptr_t)to->dims.size, dims);
    sn_push(&to->inputs, a);
  }
  SnAccess out = f->outputs.data[0];
  out.map = sn_map_replace(out.map, (intptr_t)to->dims.size, dims);
  sn_push(&to->outputs, out);
  MlirAffineExpr columns[SN_MAX_DIMS];
  for (int64_t c = 0; c < to->num_cols; ++c)
    columns[c] = mlirAffineDimExprGet(b.ctx, to->num_rows + c);
  MlirAffineMap all = mlirAffineMapGet(b.ctx, (intptr_t)to->dims.size, 0, to->num_cols, columns);
  sn_push(&to->accumulators, ((SnAccumulator){.kind = SN_STR("add"), .type = t, .map = all}));
  MlirOperation made = sn_form_create(&b, to, false);
  SnBuilder in = sn_at_end(to->body, b.loc);
  MlirValue both[2];
  for (size_t k = 0; k < 2; ++k)
    both[k] = widened(&in, sn_input_argument(to, k), t);
  MlirValue x = sn_row_op(&in, "arith.mulf", (MlirType){0}, 2, both);
  x = sn_as_row(&in, x, sn_row_type(to, t));
  sn_op(&in, "sinter.yield", sn_values(1, &x), sn_types(0, NULL));
  mlirValueReplaceAllUsesOfWith(sn_result(f->op, 0), sn_result(made, 0));
  mlirOperationDestroy(f->op);
}

static bool is_vector(MlirOperation op) {
  SnForm f = sn_form_read(op), to = {0};
  MlirAffineExpr dims[SN_MAX_DIMS];
  bool is = is_bare(&f) && sums_rows(&f) && !is_read_on(op);
  if (is) {
    int64_t own = f.products.data[0].num_dims;
    to.num_rows = own;
    to.num_cols = f.num_cols;
    for (int64_t d = 0; d < own + f.num_cols; ++d) {
      int64_t from = d < own ? f.num_cols + d : d - own;
      dims[from] = mlirAffineDimExprGet(mlirOperationGetContext(op), d);
      sn_push(&to.dims, f.dims.data[from]);
    }
    replace(&f, &to, dims);
  }
  sn_form_free(&f);
  sn_form_free(&to);
  return is;
}

bool sn_fuse_vectors(MlirBlock block, const SnPolicy *policy) {
  bool changed = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !sn_null(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    changed |= !policy->tensor_cores && sn_is(op, "sinter.contract") && sn_num_results(op) && is_vector(op);
  }
  return changed;
}
