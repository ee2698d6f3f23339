// turned_weights.c: weights of few columns that lie in rows are turned, so that sums run along both sides.
//
//   contract (h = 4, i = 136) by (j = 5) product (k = 1344) (%x[h, i, k], %w[h, k, j])
// ->
//   %t = rowwise of %w[h, k, j], written as [h, j, k]
//   contract (h, i) by (j) product (k) (%x[h, i, k], %t[h, j, k])
//
// Columns are the lanes of other kernels' vectors: of five columns eleven lanes of 16 are empty, and pairs of bf16 have
// to be made of two rows. Kernels whose vectors run along k read both sides where they lie. To turn the weights takes
// about as long as to multiply some rows by them, so there have to be more.
//
// runs in: sinter-cpu    test: test/passes/schedule/turned_weights.mlir, test/run/turned_weights.test

#include "dialect/sequence.h"
#include "lowering/facts/packed_weights.h"
#include "lowering/rows/rowmemory.h"
#include "passes/edit/edit.h"
#include "passes/schedule/cpu_products.h"

enum {
  MOST_COLUMNS = 8,
  LEAST_ROWS = 16, // that read the same weights
  LEAST_SUM = 64,  // elements: two vectors of pairs, which are added up lane by lane
};

typedef struct {
  SnForm f;
  size_t weights; // side
  intptr_t rank;  // of the turned weights, and the form's dimension that each of their subscripts is
  intptr_t order[SN_MAX_DIMS];
} Plan;

static int64_t points(const SnForm *f, int64_t first, int64_t end) {
  int64_t all = 1;
  for (int64_t d = first; d < end; ++d)
    all = all == SN_DYNAMIC || f->dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(all, f->dims.data[d].size);
  return all;
}

static bool is_plain(const SnAccess *a) {
  MlirType t = sn_type_of(a->value);
  return !a->fill.ptr && !a->through.ptr && !sn_is_table(a) && mlirShapedTypeHasStaticShape(t) &&
         sn_fills_bytes(sn_element(t));
}

// Rows that read the same weights.
static int64_t rows_of(const SnForm *f, const SnAccess *weights) {
  int64_t all = 1;
  for (int64_t d = 0; d < f->num_rows && all != SN_DYNAMIC; ++d)
    if (!sn_map_uses(weights->map, d))
      all = f->dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(all, f->dims.data[d].size);
  return all;
}

// Columns are neighbours in memory, and the other side's neighbours are summed.
static bool lies_in_rows(const SnForm *f, const SnAccess *weights, const SnAccess *rows) {
  int64_t last = (int64_t)f->dims.size - 1, n = mlirAffineMapGetNumResults(weights->map),
          column = sn_map_dim(weights->map, n - 1);
  return column >= f->num_rows && column < f->num_rows + f->num_cols && sn_unit_stride(rows->map, last);
}

static bool plan(Plan *p, const SnAhead *options) {
  const SnForm *f = &p->f;
  int64_t columns = f->num_rows + f->num_cols, all = points(f, 0, (int64_t)f->dims.size),
          sum = points(f, columns, (int64_t)f->dims.size);
  if (f->products.size != 1 || f->sides.size || !sn_is_plain(f) || f->schedule.ptr || !sn_num_results(f->op) ||
      sn_in_sequence(f->op) || all == SN_DYNAMIC || all < options->least_work || sum < LEAST_SUM ||
      sn_row_length(f) < 2 || sn_row_length(f) > MOST_COLUMNS)
    return false;
  p->weights = sn_uses_cols(f, f->inputs.data[0].map) ? 0 : 1;
  const SnAccess *weights = &f->inputs.data[p->weights], *rows = &f->inputs.data[1 - p->weights];
  // Weights that may be packed before the program runs are read as they are then.
  if (sn_uses_cols(f, rows->map) || sn_cpu_weights_key(weights->value) || !is_plain(weights) ||
      !lies_in_rows(f, weights, rows) || rows_of(f, weights) < LEAST_ROWS)
    return false;
  intptr_t n = 0;
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) // rows of both, columns, what is summed
    if (sn_map_uses(weights->map, d))
      p->order[p->rank++] = d;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(weights->map); ++i)
    n += sn_map_dim(weights->map, i) >= 0;
  return n == p->rank; // each is a subscript by itself, and others are numbers
}

// The weights' access, `value` in the new order.
static SnAccess turned(const Plan *p, MlirValue value) {
  SnAccess a = p->f.inputs.data[p->weights];
  MlirContext ctx = mlirAffineMapGetContext(a.map);
  MlirAffineExpr e[SN_MAX_DIMS];
  for (intptr_t i = 0; i < p->rank; ++i)
    e[i] = mlirAffineDimExprGet(ctx, p->order[i]);
  a.value = value;
  a.map = mlirAffineMapGet(ctx, (intptr_t)p->f.dims.size, 0, p->rank, e);
  return a;
}

static void shape_of(const Plan *p, int64_t *shape) {
  for (intptr_t i = 0; i < p->rank; ++i)
    shape[i] = p->f.dims.data[p->order[i]].size;
}

static MlirValue write(SnBuilder *b, const Plan *p) {
  const SnAccess *a = &p->f.inputs.data[p->weights];
  intptr_t n = mlirAffineMapGetNumResults(a->map);
  int64_t shape[SN_MAX_DIMS];
  MlirAffineExpr e[SN_MAX_DIMS];
  shape_of(p, shape);
  for (intptr_t i = 0; i < n; ++i) {
    e[i] = mlirAffineMapGetResult(a->map, i); // a number
    for (intptr_t k = 0; k < p->rank; ++k)
      if (p->order[k] == sn_map_dim(a->map, i))
        e[i] = mlirAffineDimExprGet(b->ctx, k);
  }
  SnAccess in = {.value = a->value, .map = mlirAffineMapGet(b->ctx, p->rank, 0, n, e)};
  return sn_copy_form(b, in, p->rank, shape, mlirAffineMapMultiDimIdentityGet(b->ctx, p->rank));
}

// The kernel of such a product has vectors along its sums. It is made of a tensor that nobody wrote, to ask.
static bool would_read(const Plan *p, const SnScheduleOptions *options) {
  SnBuilder b = sn_before(p->f.op);
  SnForm to = sn_form_read(p->f.op);
  SnAccess *a = &to.inputs.data[p->weights];
  int64_t shape[SN_MAX_DIMS];
  shape_of(p, shape);
  MlirType t = sn_tensor(sn_element(sn_type_of(a->value)), p->rank, shape);
  *a = turned(p, sn(&b, "tensor.empty", sn_values(0, NULL), t));
  SnMultiplied m;
  const char *kernel = sn_cpu_best_kernel(&to, options);
  const SnMicroKernel *line = sn_multiplied(&to, 0, &m) ? sn_micro_kernel(kernel, m.a, m.b, m.sum) : NULL;
  bool reads = line && line->sums == SN_SUMS_ALONG_K;
  mlirOperationDestroy(sn_definer(a->value));
  sn_form_free(&to);
  return reads;
}

static void rewrite(const Plan *p) {
  SnBuilder b = sn_before(p->f.op);
  SnForm to = sn_form_read(p->f.op);
  to.inputs.data[p->weights] = turned(p, write(&b, p));
  sn_with_other_sides(&b, &p->f, &to);
  mlirOperationDestroy(p->f.op);
  sn_form_free(&to);
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  const SnAhead *options = user;
  SnOpVec forms = sn_collect(func, "sinter.contract");
  for (size_t k = 0; k < forms.size; ++k) {
    Plan p = {.f = sn_form_read(forms.data[k])};
    if (plan(&p, options) && would_read(&p, &options->schedule))
      rewrite(&p);
    sn_form_free(&p.f);
  }
  sn_vec_free(&forms);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) { return sn_run_ahead(run, root, function); }

MlirDialectHandle mlirGetDialectHandle__sinter__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__sinter__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_turned_weights = {
    .argument = "sinter-turned-weights",
    .summary = "few columns of weights that lie in rows -> weights whose rows are what is summed",
    .options = sn_ahead_options,
    .options_size = sizeof(SnAhead),
    .dialects = dialects,
    .run = run,
};
