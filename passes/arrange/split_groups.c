// split_groups.c: channels that read a number of their group become groups of channels.
//
//   (i, j = 8, k) by (l)     %m[i, j floordiv 2], %x[i, j, k, l]           ->   %y[i, j, k, l]
// ->
//   (i, g = 4, c = 2, k) by (l)   %m[i, g], %x[i, g * 2 + c, k, l]         ->   %t[i, g, c, k, l], collapsed: %y
//
// So a norm's elements have the dimensions of what its statistics are made of, (i, g) by (c, k, l), and fuse with it.
// Only where a form in the same block makes the number of the group, and reads what the channels read.
//
// runs in: sinter-gpu    test: test/passes/arrange/split_groups.mlir

#include "passes/edit/edit.h"
#include "passes/merge/merge.h"

typedef struct {
  SnForm f;
  intptr_t d; // the dimension that is split
  int64_t n;  // elements of a group
} Split;

// The dimension and the divisor of a subscript that is `d floordiv n`.
static intptr_t quotient(MlirAffineExpr e, int64_t *n) {
  if (!mlirAffineExprIsAFloorDiv(e) || !mlirAffineExprIsADim(mlirAffineBinaryOpExprGetLHS(e)) ||
      !mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(e)))
    return -1;
  *n = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e));
  return mlirAffineDimExprGetPosition(mlirAffineBinaryOpExprGetLHS(e));
}

// Both read one value.
static bool share(const SnForm *a, const SnForm *b) {
  for (size_t i = 0; i < a->inputs.size; ++i)
    for (size_t k = 0; k < b->inputs.size; ++k)
      if (sn_same(a->inputs.data[i].value, b->inputs.data[k].value))
        return true;
  return false;
}

// Some input is a number of a group, of a form that reads what this one reads.
static bool find_groups(Split *s) {
  const SnForm *f = &s->f;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    size_t result;
    MlirOperation maker = sn_producer(f, k, &result);
    if (sn_null(maker) || f->inputs.data[k].through.ptr || f->inputs.data[k].fill.ptr)
      continue;
    SnForm a = sn_form_read(maker);
    bool reduces = !sn_is_elementwise_form(&a) && share(&a, f);
    sn_form_free(&a);
    MlirAffineMap map = f->inputs.data[k].map;
    for (intptr_t p = 0; reduces && p < mlirAffineMapGetNumResults(map); ++p) {
      s->d = quotient(mlirAffineMapGetResult(map, p), &s->n);
      if (s->d >= 0 && s->n > 1 && f->dims.data[s->d].size > s->n && f->dims.data[s->d].size % s->n == 0)
        return true;
    }
  }
  return false;
}

static bool fits(const SnForm *f) {
  if (!sn_is_elementwise_form(f) || f->schedule.ptr || f->indices.size || f->dims.size >= SN_MAX_DIMS)
    return false;
  for (size_t d = 0; d < f->dims.size; ++d)
    if (f->dims.data[d].size < 1)
      return false;
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (sn_null(sn_def(f->outputs.data[k].value, "tensor.empty")) ||
        sn_rank(sn_type_of(f->outputs.data[k].value)) >= SN_MAX_DIMS)
      return false;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_is_table(&f->inputs.data[k]))
      return false;
  return true;
}

// The form's dimensions, with a group and its channels in the place of the one that is split; `dims` are f's in it.
static SnForm laid_out(const Split *s, MlirAffineExpr *dims) {
  const SnForm *f = &s->f;
  MlirContext ctx = mlirOperationGetContext(f->op);
  SnForm to = {.num_rows = f->num_rows + (s->d < f->num_rows), .num_cols = f->num_cols + (s->d >= f->num_rows)};
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    MlirAffineExpr at = mlirAffineDimExprGet(ctx, (intptr_t)to.dims.size);
    SnDim own = f->dims.data[d];
    if (d == s->d) {
      sn_push(&to.dims, ((SnDim){.name = own.name, .size = own.size / s->n}));
      at = mlirAffineAddExprGet(mlirAffineMulExprGet(at, mlirAffineConstantExprGet(ctx, s->n)),
                                mlirAffineDimExprGet(ctx, (intptr_t)to.dims.size));
      own = (SnDim){.name = sn_fresh_name(ctx, f, "c"), .size = s->n};
    }
    dims[d] = at;
    sn_push(&to.dims, own);
  }
  return to;
}

static SnAccess moved(const SnForm *to, SnAccess a, const MlirAffineExpr *dims) {
  int64_t sizes[SN_MAX_DIMS];
  for (size_t d = 0; d < to->dims.size; ++d)
    sizes[d] = to->dims.data[d].size;
  a.map = sn_map_simplify(sn_map_replace(a.map, (intptr_t)to->dims.size, dims), sizes);
  return a;
}

// The destination with two dimensions for the one that is split; `groups` says which of its dimensions are which.
static SnAccess destination(SnBuilder *b, const Split *s, const SnForm *to, SnAccess a, MlirAttribute *groups) {
  int64_t shape[SN_MAX_DIMS];
  MlirAffineExpr at[SN_MAX_DIMS];
  MlirAttribute lists[SN_MAX_DIMS];
  intptr_t n = 0, rank = mlirAffineMapGetNumResults(a.map);
  for (intptr_t p = 0; p < rank; ++p) {
    intptr_t d = sn_map_dim(a.map, p), first = n;
    MlirAttribute places[2];
    if (d < 0) {
      at[n] = mlirAffineConstantExprGet(b->ctx, 0);
      shape[n++] = 1;
    }
    for (intptr_t part = 0; d >= 0 && part < 1 + (d == s->d); ++part) {
      intptr_t own = d + (d > s->d) + part;
      at[n] = mlirAffineDimExprGet(b->ctx, own);
      shape[n++] = to->dims.data[own].size;
    }
    for (intptr_t i = first; i < n; ++i)
      places[i - first] = sn_i64(b->ctx, i);
    lists[p] = mlirArrayAttrGet(b->ctx, n - first, places);
  }
  *groups = mlirArrayAttrGet(b->ctx, rank, lists);
  MlirType t = sn_tensor(sn_element(sn_type_of(a.value)), n, shape);
  return (SnAccess){.value = sn(b, "tensor.empty", sn_values(0, NULL), t),
                    .map = mlirAffineMapGet(b->ctx, (intptr_t)to->dims.size, 0, n, at)};
}

static void split(Split *s) {
  SnForm *f = &s->f;
  SnBuilder b = sn_before(f->op);
  MlirAffineExpr dims[SN_MAX_DIMS];
  MlirAttribute groups[SN_MAX_ACCUMULATORS];
  SnForm to = laid_out(s, dims);
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_push(&to.inputs, moved(&to, f->inputs.data[k], dims));
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&to.outputs, destination(&b, s, &to, f->outputs.data[k], &groups[k]));
  MlirOperation made = sn_form_create(&b, &to, false);
  SnBuilder in = sn_at_end(to.body, b.loc);
  SnMap map = {0};
  SnValueVec results = {0};
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_map(&map, sn_input_argument(f, k), sn_input_argument(&to, k));
  for (size_t k = 0; k < f->outputs.size; ++k) {
    MlirValue v = sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)k);
    MlirType element = sn_element(sn_type_of(v));
    v = sn_move_value(&in, f, v, dims, &to, &map);
    bool row = sn_uses_cols(&to, to.outputs.data[k].map);
    sn_push(&results, row ? sn_as_row(&in, v, sn_row_type(&to, element)) : v);
  }
  sn_op(&in, "sinter.yield", sn_values((intptr_t)results.size, results.data), sn_types(0, NULL));
  for (intptr_t k = 0; k < sn_num_results(f->op); ++k) {
    MlirType t = sn_type_of(sn_result(f->op, k));
    MlirValue whole = sn(&b, "tensor.collapse_shape", sn_result(made, k), t, sn_attr("reassociation", groups[k]));
    mlirValueReplaceAllUsesOfWith(sn_result(f->op, k), whole);
  }
  mlirOperationDestroy(f->op);
  sn_map_free(&map);
  sn_vec_free(&results);
  sn_form_free(&to);
}

// ---- the pass --------------------------------------------------------------------------------------------------

static MlirLogicalResult function(MlirOperation func, void *user) {
  SnOpVec forms = sn_collect(func, "sinter.rowwise");
  for (size_t k = 0; k < forms.size; ++k) {
    Split s = {.f = sn_form_read(forms.data[k])};
    if (sn_num_results(forms.data[k]) && s.f.outputs.size <= SN_MAX_ACCUMULATORS && fits(&s.f) && find_groups(&s))
      split(&s);
    sn_form_free(&s.f);
  }
  sn_vec_free(&forms);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) { return sn_each_function(op, function, NULL); }

MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tensor__, NULL};

const SnPass sn_pass_split_groups = {
    .argument = "sinter-split-groups",
    .summary = "channels that read a number of their group -> groups of channels, which fuse with what makes it",
    .dialects = dialects,
    .run = run,
};
