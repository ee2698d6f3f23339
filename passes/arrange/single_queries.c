// single_queries.c: one query of each head, by keys, a softmax, by values, are products that may be one kernel.
//
//   rowwise (i = 32, k = 16384) by (l = 64) { row_reduce add (%q[i, l] * %k[i floordiv 4, k, l]) }     scores
//   rowwise (i = 32) by (k = 16384)         { softmax }
//   contract (i = 8, g = 4) by (e = 64)     product (k = 16384) (%w[i * 4 + g, k], %v[i, k, e])        values
// ->
//   contract (i = 8, g = 4) by (k = 16384)  product (l = 64) (%q[i * 4 + g, l], %k[i, k, l])
//   rowwise (i = 8, g = 4) by (k = 16384)   { softmax }
//   contract (i = 8, g = 4) by (e = 64)     product (k = 16384) (%w[i, g, k], %v[i, k, e])
//
// Where a batch has one head of keys, the softmax and the values are one form already: it is taken apart before.
//
// A product of one row is raised as rows that are reduced, and exporters count heads otherwise around each: all have
// the values' rows here, and what is between them is stored as these count it. The next sinter-fuse makes one form of
// the three, whose keys blocks of a GPU share; heads that share keys are rows of one tile (head_groups.c).
//
// Keys and values are half types that copies fetch, and many.
//
// Where kernels share a launch (`launches = one`) it runs in front of fusion, and makes products of the values alone,
// whose weights come of exponentials: scores are products already, and all is one form, whose columns sinter-split then
// gives parts (passes/split/column_parts.c).
//
// decides: which single queries are products.
//
// runs in: sinter-gpu    test: test/passes/arrange/single_queries.mlir, test/gpu/sdpa_one_query.test

#include "capi/form.h"
#include "capi/pass.h"
#include "dialect/row_ops.h"
#include "dialect/sequence.h"
#include "lowering/rows/rowprogram.h"
#include "passes/arrange/arrange.h"
#include "passes/edit/edit.h"
#include "passes/split/split.h"
#include "target/chips.h"

enum {
  MOST_ELEMENTS = 256,  // of a head
  COPIED = 16,          // bytes that lines of copies are multiples of
  MANY_BYTES = 1 << 20, // of keys, from which on one kernel is faster than three
  SOME_BYTES = 1 << 16, // of values, from which on two phases are faster than three
};

// The rows that all three have: sizes, without those of 1.
typedef struct {
  int64_t sizes[SN_MAX_DIMS];
  intptr_t n;
} Rows;

// ---- the three forms -----------------------------------------------------------------------------

static bool gives_one(const SnForm *f) {
  bool one = !f->schedule.ptr && !f->accumulators.size && !f->indices.size && f->outputs.size == 1 &&
             sn_num_results(f->op) == 1 && !sn_in_sequence(f->op);
  for (size_t d = 0; d < f->dims.size && one; ++d)
    one = f->dims.data[d].size != SN_DYNAMIC && f->dims.data[d].size > 0;
  return one;
}

static bool plain(const SnForm *f) { return sn_is_plain(f) && f->num_cols == 1 && gives_one(f); }

// Lines that copies fetch: half types, whose elements along `d` lie together.
static bool is_copied(const SnForm *f, const SnAccess *a, int64_t d, int64_t least) {
  MlirType t = sn_type_of(a->value);
  intptr_t last = sn_rank(t) - 1;
  int64_t bytes = 2;
  for (size_t e = 0; e < f->dims.size; ++e)
    bytes = sn_access_uses(f, a, (int64_t)e) ? sn_times(bytes, f->dims.data[e].size) : bytes;
  return sn_is_float(sn_element(t)) && sn_bits(sn_element(t)) == 16 && last >= 0 && sn_map_dim(a->map, last) == d &&
         f->dims.data[d].size <= MOST_ELEMENTS && sn_dim(t, last) != SN_DYNAMIC && sn_dim(t, last) * 2 % COPIED == 0 &&
         !a->fill.ptr && !a->through.ptr && bytes >= least;
}

// Heads: both sides have rows of their own.
static bool is_batched(const SnForm *f, const SnAccess *a, const SnAccess *b, int64_t rows) {
  bool batched = false;
  for (int64_t d = 0; d < rows; ++d)
    batched |= f->dims.data[d].size != 1 && sn_access_uses(f, a, d) && sn_access_uses(f, b, d);
  return batched;
}

static bool find_product(const SnForm *f, SnRowProduct *p, bool of_values, int64_t least) {
  if (!plain(f) || !sn_find_row_product(f, p, true))
    return false;
  p->n = 1; // no head is taken apart here
  const SnAccess *a = &f->inputs.data[p->inputs[0]], *b = &f->inputs.data[p->inputs[1]];
  return is_batched(f, a, b, p->columns) && is_copied(f, b, of_values ? p->columns : f->num_rows, least) &&
         (!of_values || p->factor == 1);
}

static bool is_softmax(const SnForm *f) {
  int64_t maxima = 0, others = 0;
  for (MlirOperation o = mlirBlockGetFirstOperation(f->body); !sn_null(o); o = mlirOperationGetNextInBlock(o)) {
    bool reads = sn_row_op_has(o, SN_READS_ALL) && !sn_row_op_has(o, SN_READS_MATRIX);
    maxima += reads && sn_is_reduce(o, "maximumf");
    others += reads && !sn_is_reduce(o, "maximumf") && !sn_is_reduce(o, "add");
  }
  return !f->contract && maxima == 1 && !others;
}

static bool is_reshape(MlirOperation op) {
  return !sn_null(op) && (sn_is(op, "tensor.expand_shape") || sn_is(op, "tensor.collapse_shape"));
}

// Who reads it as it is, or in another shape; null if several do.
static MlirOperation only_reader(MlirValue v, MlirValue *read) {
  MlirOpOperand use = mlirValueGetFirstUse(v);
  if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return (MlirOperation){0};
  MlirOperation reader = mlirOpOperandGetOwner(use);
  *read = v;
  return is_reshape(reader) ? only_reader(sn_result(reader, 0), read) : reader;
}

static const SnAccess *access_of(const SnForm *f, MlirValue v) {
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_same(f->inputs.data[k].value, v))
      return &f->inputs.data[k];
  return NULL;
}

// The access goes through all of its tensor, one element after the other: rows of the form but one (-1: all), then
// dimension `last`.
static bool is_in_order(const SnForm *f, const SnAccess *a, int64_t but, int64_t last) {
  int64_t factors[SN_MAX_DIMS], offset, next = f->dims.data[last].size, all = 1;
  MlirType t = sn_type_of(a->value);
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    all = sn_times(all, sn_dim(t, i) == SN_DYNAMIC ? 0 : sn_dim(t, i));
  if (a->fill.ptr || a->through.ptr || sn_is_table(a) || !sn_linear_factors(a->map, t, factors) ||
      !sn_linear_offset(a->map, t, &offset) || offset || factors[last] != 1)
    return false;
  for (int64_t d = f->num_rows; d-- > 0;) {
    if (f->dims.data[d].size == 1 || d == but)
      continue;
    if (d != last && factors[d] != next)
      return false;
    next = d == last ? next : sn_times(next, f->dims.data[d].size);
  }
  return next == all;
}

static Rows rows_of(const SnForm *f, int64_t but) {
  Rows r = {.n = 0};
  for (int64_t d = 0; d < f->num_rows; ++d)
    if (d != but && f->dims.data[d].size != 1)
      r.sizes[r.n++] = f->dims.data[d].size;
  return r;
}

// Each row dimension of the form is some that lie behind one another of `rows`: as numbers of those. False if not.
static bool in_rows(const SnForm *f, int64_t but, const Rows *rows, MlirAffineExpr *e) {
  MlirContext ctx = mlirOperationGetContext(f->op);
  intptr_t at = 0;
  for (int64_t d = 0; d < f->num_rows; ++d) {
    if (d == but)
      continue;
    int64_t size = 1;
    e[d] = mlirAffineConstantExprGet(ctx, 0);
    for (; size < f->dims.data[d].size && at < rows->n; ++at) {
      size = sn_times(size, rows->sizes[at]);
      e[d] = mlirAffineAddExprGet(mlirAffineMulExprGet(e[d], mlirAffineConstantExprGet(ctx, rows->sizes[at])),
                                  mlirAffineDimExprGet(ctx, at));
    }
    if (size != f->dims.data[d].size)
      return false;
  }
  return at == rows->n;
}

static bool names_rows(const SnForm *f, int64_t but) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    for (int64_t d = 0; d < f->num_rows && sn_row_op_of(op) && sn_row_op_of(op)->names_dim; ++d)
      if (d != but && mlirStringRefEqual(mlirStringAttrGetValue(sn_get_attr(op, "dim")), f->dims.data[d].name))
        return true;
  return false;
}

// ---- the products ----------------------------------------------------------------------------------

// The form with these rows, in op's place; its result has them and the columns. Where it reads `was`, it reads `is`,
// which has the same. Readers of its result are told by who calls.
static MlirOperation with_rows(MlirOperation op, const Rows *rows, MlirValue was, MlirValue is) {
  SnForm f = sn_form_read(op), to = sn_form_read(op);
  SnBuilder b = sn_before(op);
  MlirAffineExpr e[SN_MAX_DIMS], all[SN_MAX_DIMS];
  int64_t sizes[SN_MAX_DIMS], shift = rows->n - f.num_rows;
  (void)in_rows(&f, -1, rows, e);
  to.dims.size = 0;
  for (intptr_t r = 0; r < rows->n; ++r)
    sn_push(&to.dims, ((SnDim){sn_fresh_name(b.ctx, &f, "h"), rows->sizes[r]}));
  for (size_t d = (size_t)f.num_rows; d < f.dims.size; ++d) {
    e[d] = mlirAffineDimExprGet(b.ctx, (intptr_t)((int64_t)d + shift));
    sn_push(&to.dims, f.dims.data[d]);
  }
  for (intptr_t r = 0; r < rows->n; ++r) // names that differ
    for (intptr_t q = 0; q < r; ++q)
      if (mlirStringRefEqual(to.dims.data[q].name, to.dims.data[r].name))
        to.dims.data[r].name = sn_fresh_name(b.ctx, &to, "h");
  to.num_rows += shift;
  for (size_t g = 0; g < to.groups.size; ++g)
    to.groups.data[g].first += shift;
  for (size_t d = 0; d < to.dims.size; ++d)
    sizes[d] = to.dims.data[d].size;
  for (intptr_t d = 0; d <= rows->n; ++d)
    all[d] = mlirAffineDimExprGet(b.ctx, d);
  MlirAffineMap whole = mlirAffineMapGet(b.ctx, (intptr_t)to.dims.size, 0, rows->n + 1, all);
  for (size_t k = 0; k < to.inputs.size; ++k) {
    SnAccess *a = &to.inputs.data[k];
    bool other = !sn_none(was) && sn_same(a->value, was);
    a->map = other ? whole : sn_map_simplify(sn_map_replace(a->map, (intptr_t)to.dims.size, e), sizes);
    a->value = other ? is : a->value;
  }
  MlirType t = sn_tensor(sn_element(sn_type_of(sn_result(op, 0))), rows->n + 1, sizes);
  to.outputs.data[0].value = sn(&b, "tensor.empty", t);
  to.outputs.data[0].map = whole;
  MlirOperation made = sn_form_create(&b, &to, false);
  SnMap map = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(f.body); ++k)
    sn_map(&map, mlirBlockGetArgument(f.body, k), mlirBlockGetArgument(to.body, k));
  SnBuilder in = sn_at_end(to.body, b.loc);
  sn_copy_block(&in, f.body, &map);
  sn_map_free(&map);
  sn_form_free(&f);
  sn_form_free(&to);
  return made;
}

// The values' product reads `is`, which has its rows in their order, and what is summed.
static void read_rows(MlirOperation op, MlirValue was, MlirValue is) {
  SnForm from = sn_form_read(op), to = sn_form_read(op);
  SnBuilder b = sn_before(op);
  for (size_t k = 0; k < to.inputs.size; ++k) {
    SnAccess *a = &to.inputs.data[k];
    if (!sn_same(a->value, was))
      continue;
    MlirAffineExpr all[SN_MAX_DIMS];
    intptr_t n = 0;
    for (int64_t d = 0; d < to.num_rows; ++d)
      if (to.dims.data[d].size != 1)
        all[n++] = mlirAffineDimExprGet(b.ctx, (intptr_t)d);
    all[n++] = mlirAffineDimExprGet(b.ctx, (intptr_t)sn_side_summed(&to, 0).first);
    a->value = is;
    a->map = mlirAffineMapGet(b.ctx, (intptr_t)to.dims.size, 0, n, all);
  }
  sn_with_other_sides(&b, &from, &to);
  mlirOperationDestroy(op);
  sn_form_free(&from);
  sn_form_free(&to);
}

// A product of the values: weights that are its first side, or its second, and values that copies fetch.
static bool is_values_product(const SnForm *f, MlirValue weights) {
  if (!f->contract || !plain(f) || f->products.size != 1 || f->matrices.size || f->sides.size ||
      sn_side_summed(f, 0).num_dims != 1)
    return false;
  size_t of = sn_same(f->inputs.data[0].value, weights) ? 0 : 1;
  const SnAccess *a = &f->inputs.data[of], *b = &f->inputs.data[1 - of];
  return sn_same(a->value, weights) && !sn_access_uses(f, a, f->num_rows) && is_batched(f, a, b, f->num_rows) &&
         is_copied(f, b, f->num_rows, MANY_BYTES) && is_in_order(f, a, -1, sn_side_summed(f, 0).first);
}

typedef struct {
  MlirOperation scores, softmax, values; // values: null where the softmax's form makes them, too
  SnRowProduct of_scores, of_values;     // of_values where these are rows
  MlirValue read_by_softmax, read_by_values;
  Rows rows;
} Query;

static bool find_values(Query *q) {
  SnForm f = sn_form_read(q->values);
  bool rows = !f.contract && find_product(&f, &q->of_values, true, MANY_BYTES);
  bool fits = rows ? sn_same(f.inputs.data[q->of_values.inputs[0]].value, q->read_by_values) &&
                         is_in_order(&f, &f.inputs.data[q->of_values.inputs[0]], q->of_values.columns, f.num_rows)
                   : is_values_product(&f, q->read_by_values);
  // Where rows have the columns for their last dimension, the weights' tensor has none of it.
  q->rows = rows_of(&f, rows ? q->of_values.columns : -1);
  sn_form_free(&f);
  return fits;
}

static bool find_softmax(Query *q) {
  SnForm f = sn_form_read(q->softmax);
  MlirAffineExpr e[SN_MAX_DIMS];
  const SnAccess *scores = access_of(&f, q->read_by_softmax);
  bool fits = is_softmax(&f) && plain(&f) && scores && is_in_order(&f, scores, -1, f.num_rows) &&
              is_in_order(&f, &f.outputs.data[0], -1, f.num_rows) && in_rows(&f, -1, &q->rows, e) &&
              !names_rows(&f, -1);
  sn_form_free(&f);
  return fits;
}

// A softmax whose rows are multiplied by the values in one form.
static bool find_joined(Query *q) {
  SnForm f = sn_form_read(q->softmax);
  MlirAffineExpr e[SN_MAX_DIMS];
  const SnAccess *scores = access_of(&f, q->read_by_softmax);
  bool fits = is_softmax(&f) && gives_one(&f) && scores && !f.products.size && f.matrices.size == 1 &&
              sn_num_groups(&f) == 2 && sn_group(&f, 0).num_dims == 1 && sn_group(&f, 1).num_dims == 1;
  if (fits) {
    const SnAccess *values = &f.inputs.data[sn_side(&f, 0).first];
    q->rows = rows_of(&f, -1);
    fits = is_in_order(&f, scores, -1, sn_group(&f, 0).first) && is_batched(&f, scores, values, f.num_rows) &&
           is_copied(&f, values, sn_group(&f, 1).first, MANY_BYTES) && in_rows(&f, -1, &q->rows, e);
  }
  sn_form_free(&f);
  return fits;
}

static bool find_scores(Query *q) {
  SnForm f = sn_form_read(q->scores);
  MlirAffineExpr e[SN_MAX_DIMS];
  bool fits = find_product(&f, &q->of_scores, false, MANY_BYTES) &&
              is_in_order(&f, &f.outputs.data[0], -1, q->of_scores.columns) && !names_rows(&f, q->of_scores.columns);
  q->softmax = fits ? only_reader(sn_result(q->scores, 0), &q->read_by_softmax) : (MlirOperation){0};
  bool next = !sn_null(q->softmax) && sn_is(q->softmax, "sinter.rowwise") && sn_num_results(q->softmax) == 1;
  bool joined = next && find_joined(q);
  q->values = next && !joined ? only_reader(sn_result(q->softmax, 0), &q->read_by_values) : (MlirOperation){0};
  fits =
      joined || (!sn_null(q->values) && (sn_is(q->values, "sinter.rowwise") || sn_is(q->values, "sinter.contract")) &&
                 find_values(q) && find_softmax(q));
  fits = fits && in_rows(&f, q->of_scores.columns, &q->rows, e);
  sn_form_free(&f);
  return fits;
}

// What gives v, and what is in front of it up to the next form: nobody reads it any more.
static void erase_unread(MlirValue v) {
  MlirOperation op = sn_definer(v), before = is_reshape(op) ? sn_definer(sn_operand(op, 0)) : (MlirOperation){0};
  MlirValue of = sn_null(before) ? (MlirValue){0} : sn_operand(op, 0);
  mlirOperationDestroy(op);
  if (!sn_none(of))
    erase_unread(of);
}

static void multiply(Query *q) {
  bool as_it_is = !is_reshape(sn_definer(q->read_by_softmax));
  SnForm f = sn_form_read(q->scores);
  MlirOperation scores = sn_multiply_rows(q->scores, &f, &q->of_scores);
  sn_form_free(&f);
  if (sn_is(q->values, "sinter.rowwise")) {
    f = sn_form_read(q->values);
    q->values = sn_multiply_rows(q->values, &f, &q->of_values);
    sn_form_free(&f);
  }
  MlirOperation made = with_rows(scores, &q->rows, (MlirValue){0}, (MlirValue){0});
  MlirValue was = as_it_is ? sn_result(scores, 0) : q->read_by_softmax;
  MlirOperation softmax = with_rows(q->softmax, &q->rows, was, sn_result(made, 0));
  read_rows(q->values, q->read_by_values, sn_result(softmax, 0));
  erase_unread(q->read_by_values);
  erase_unread(was);
}

// ---- values alone, in front of fusion -----------------------------------------------------------------

// A form makes it of exponentials of its rows, or of what such a form makes.
static bool is_of_exponentials(MlirValue v, int depth) {
  MlirOperation made = sn_definer(v);
  if (is_reshape(made))
    return is_of_exponentials(sn_operand(made, 0), depth);
  if (sn_null(made) || !depth || !sn_is(made, "sinter.rowwise") || sn_num_results(made) != 1)
    return false;
  SnForm f = sn_form_read(made);
  bool is = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(f.body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    is |= sn_is(op, "math.exp");
  for (size_t k = 0; k < f.inputs.size && !is; ++k)
    is = sn_uses_cols(&f, f.inputs.data[k].map) && is_of_exponentials(f.inputs.data[k].value, depth - 1);
  sn_form_free(&f);
  return is;
}

static void multiply_values(MlirOperation op) {
  enum { MAKERS = 4 }; // a softmax, its rounding, a reshape's copy
  SnRowProduct p;
  SnForm f = sn_form_read(op);
  if (find_product(&f, &p, true, SOME_BYTES) && is_of_exponentials(f.inputs.data[p.inputs[0]].value, MAKERS))
    sn_multiply_rows(op, &f, &p);
  sn_form_free(&f);
}

// ---- the pass ----------------------------------------------------------------------------------------

typedef struct {
  const char *chip, *launches;
} Options;
static const char *const launches[] = {"given", "separate", "one", "worth", NULL};
static const SnOption options[] = {
    {SN_OPTION_STRING, "launches",
     "of kernels, as of sinter-sequence: where they share one, values alone are multiplied", "given", launches,
     offsetof(Options, launches)},
    {SN_OPTION_STRING, "chip", "the architecture, as ptxas names it: copies for tensor cores are of sm_90a",
     SN_GPU_CHIP_DEFAULT, NULL, offsetof(Options, chip)},
    {0},
};

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  const Options *o = run->options;
  if (!sn_gpu_chip_has(o->chip, "sm_90a"))
    return SN_OK;
  SnOpVec forms = sn_collect(root, "sinter.rowwise");
  bool one = !strcmp(o->launches, "one");
  for (size_t k = 0; k < forms.size && one; ++k)
    multiply_values(forms.data[k]);
  for (size_t k = one ? 0 : forms.size; k-- > 0;) { // values that are rows stand behind their scores
    Query q = {.rows.n = 0};
    q.scores = forms.data[k];
    bool found = find_scores(&q);
    if (found && sn_null(q.values)) {
      if (!sn_split_form(q.softmax, (SnSplit){.target = NULL})) {
        sn_vec_free(&forms);
        return SN_FAIL;
      }
      found = find_scores(&q) && !sn_null(q.values);
    }
    if (found)
      multiply(&q);
  }
  sn_vec_free(&forms);
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_single_queries = {
    .argument = "sinter-single-queries",
    .summary = "one query by keys, a softmax, by values -> products that may be one kernel",
    .dialects = dialects,
    .options = options,
    .options_size = sizeof(Options),
    .run = run,
};
