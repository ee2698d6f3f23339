// thin_products.c: a product of which nothing is used twice is no product.
//
//   contract (i = 110) by (j = 207) product (k = 1) (%x[i, k], %w[j, k]) ins(%b[j]) { %acc + %b }
// ->
//   rowwise (i = 110) by (j = 207) ins(%x[i, 0], %w[j, 0], %b[j]) { %x * %w + %b }
//
//   contract (i = 110) by (j = 1) product (k = 207) (%x[i, k], %w[j, k])
// ->
//   rowwise (i = 110, j = 1) by (k = 207) { row_reduce add (%x * %w) }
//
// Blocks, copies and a micro-kernel are in the way. A sum of half types stays a product where both sides are one line
// of memory: an instruction multiplies its pairs. Of several lines (an image under a window) it is rows, too: a product
// copies them first, element by element. So does one by weights that are to be packed: a product reads them as they are
// then.
//
// runs in: sinter-cpu    test: test/passes/arrange/thin_products.mlir, test/run/thin_products.mlir

#include "dialect/sequence.h"
#include "lowering/facts/packed_weights.h"
#include "lowering/facts/product_sides.h"
#include "lowering/rows/rowprogram.h"
#include "passes/arrange/arrange.h"
#include "passes/merge/merge.h"
#include "passes/split/pieces.h"

enum { LEAST_SUM = 16 }; // a vector

static bool fits(const SnForm *f) {
  bool may = f->products.size && sn_is_plain(f) && !f->schedule.ptr && sn_num_results(f->op) && !sn_in_sequence(f->op);
  for (size_t k = 0; k < f->inputs.size && may; ++k)
    may = !sn_is_table(&f->inputs.data[k]) && !sn_cpu_weights_asked_for(f->inputs.data[k].value);
  return may;
}

// ---- sums of one element -------------------------------------------------------------------------------------------

static bool is_outer(const SnForm *f) {
  intptr_t points = (intptr_t)(f->num_rows + f->num_cols);
  bool may = f->num_cols;
  for (intptr_t d = points; d < (intptr_t)f->dims.size && may; ++d)
    may = f->dims.data[d].size == 1;
  return may;
}

static void copy_body(SnBuilder *b, const SnForm *f, const SnForm *to) {
  SnMap map = {0};
  for (size_t p = 0; p < f->products.size; ++p) {
    MlirType type = f->products.data[p].type;
    MlirValue both[] = {sn_side_row(b, f, to, 2 * p, type), sn_side_row(b, f, to, 2 * p + 1, type)};
    MlirValue v = sn_row_op(b, sn_is_float(type) ? "arith.mulf" : "arith.muli", (MlirType){0}, 2, both);
    sn_map(&map, sn_product_argument(f, p), sn_as_row(b, v, sn_row_type(to, type)));
  }
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    sn_map(&map, sn_input_argument(f, k), sn_input_argument(to, k));
  sn_copy_block(b, f->body, &map);
  sn_map_free(&map);
}

static void copy_finish(SnBuilder *b, const SnForm *f, const SnForm *to) {
  SnMap map = {0};
  intptr_t n = mlirBlockGetNumArguments(f->finish), more = mlirBlockGetNumArguments(to->finish) - n;
  intptr_t sums = (intptr_t)f->accumulators.size;
  for (intptr_t k = 0; k < n; ++k) // sides without dimensions are inputs now, too
    sn_map(&map, mlirBlockGetArgument(f->finish, k), mlirBlockGetArgument(to->finish, k < sums ? k : k + more));
  sn_copy_block(b, f->finish, &map);
  sn_map_free(&map);
}

static SnAccess moved(const SnForm *f, SnAccess a) {
  MlirContext ctx = mlirOperationGetContext(f->op);
  MlirAffineExpr dims[SN_MAX_DIMS];
  intptr_t points = (intptr_t)(f->num_rows + f->num_cols);
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d)
    dims[d] = d < points ? mlirAffineDimExprGet(ctx, d) : mlirAffineConstantExprGet(ctx, 0);
  a.map = sn_map_replace(a.map, points, dims);
  return a;
}

static void multiply(const SnForm *f) {
  SnBuilder b = sn_before(f->op);
  SnForm to = {.num_rows = f->num_rows, .num_cols = f->num_cols};
  for (int64_t d = 0; d < f->num_rows + f->num_cols; ++d)
    sn_push(&to.dims, f->dims.data[d]);
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_push(&to.inputs, moved(f, f->inputs.data[k]));
  for (size_t k = 0; k < f->indices.size; ++k)
    sn_push(&to.indices, moved(f, f->indices.data[k]));
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&to.outputs, moved(f, f->outputs.data[k]));
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    SnAccumulator a = f->accumulators.data[k];
    a.map = moved(f, (SnAccess){.map = a.map}).map;
    sn_push(&to.accumulators, a);
  }
  MlirOperation made = sn_form_create(&b, &to, f->finish.ptr != NULL);
  SnBuilder in = sn_at_end(to.body, b.loc);
  copy_body(&in, f, &to);
  if (f->finish.ptr) {
    in = sn_at_end(to.finish, b.loc);
    copy_finish(&in, f, &to);
  }
  sn_replace_results(f->op, made);
  mlirOperationDestroy(f->op);
  sn_form_free(&to);
}

// ---- one column ------------------------------------------------------------------------------------------------

// Neighbours of the sum lie together, and all of it is inside. `lines`: it is several lines of half types.
static bool lies_along(const SnForm *f, const SnAccess *a, int64_t first, int64_t n, bool *lines) {
  int64_t factors[SN_MAX_DIMS];
  MlirType t = sn_type_of(a->value), e = sn_element(t);
  if (a->fill.ptr || a->through.ptr || !(mlirTypeIsAF32(e) || mlirTypeIsABF16(e) || mlirTypeIsAF16(e)) ||
      !sn_linear_factors(a->map, t, factors) || factors[first + n - 1] != 1)
    return false;
  *lines |= !mlirTypeIsAF32(e) && sn_cpu_stride(f, factors, first, n) != 1;
  return true;
}

// Both sides of the product do; nothing multiplies them where they lie, as pairs.
static bool sums_along(const SnForm *f, size_t p) {
  int64_t n = f->products.data[p].num_dims, first = sn_first_own(f, p);
  const SnAccess *x = &f->inputs.data[2 * p], *y = x + 1;
  bool lines = false, along = lies_along(f, x, first, n, &lines) && lies_along(f, y, first, n, &lines);
  MlirType of_x = sn_element(sn_type_of(x->value)), of_y = sn_element(sn_type_of(y->value));
  return along && (lines || (mlirTypeIsAF32(of_x) && mlirTypeIsAF32(of_y)));
}

// Sums in f32 of one length.
static bool is_column(const SnForm *f) {
  bool may = !f->accumulators.size && !f->finish.ptr && sn_row_length(f) == 1 && f->num_rows && sn_goes_by_elements(f);
  for (size_t p = 0; p < f->products.size && may; ++p) {
    int64_t n = f->products.data[p].num_dims, first = sn_first_own(f, p), sum = 1;
    may = n == f->products.data[0].num_dims && mlirTypeIsAF32(f->products.data[p].type);
    for (int64_t i = 0; i < n && may; ++i) {
      int64_t size = f->dims.data[first + i].size;
      may = size != SN_DYNAMIC && size == f->dims.data[sn_first_own(f, 0) + i].size;
      sum = sn_times(sum, size);
    }
    may = may && sum >= LEAST_SUM && sums_along(f, p);
  }
  return may;
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  (void)user;
  SnOpVec forms = sn_collect(func, "sinter.contract");
  for (size_t k = 0; k < forms.size; ++k) {
    SnForm f = sn_form_read(forms.data[k]);
    if (!fits(&f))
      ;
    else if (is_outer(&f))
      multiply(&f);
    else if (is_column(&f))
      sn_sum_by_rows(forms.data[k], mlirAttributeGetNull());
    else
      sn_more_columns(forms.data[k]);
    sn_form_free(&f);
  }
  sn_vec_free(&forms);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  (void)run;
  return sn_each_function(op, function, NULL);
}

MlirDialectHandle mlirGetDialectHandle__sinter__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__sinter__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_thin_products = {
    .argument = "sinter-thin-products",
    .summary = "products of which nothing is used twice -> multiplications, sums of rows",
    .dialects = dialects,
    .run = run,
};
