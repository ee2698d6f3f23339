// head_groups.c: heads that share keys are rows of one tile, and what has them as one dimension is seen as two.
//
//   (b, h = 64) by (j) by (e)  %q[b, h, k], %k[b, h floordiv 8, j, k]
//     ->  (b, h = 8, g = 8)    %q'[b, h, g, k], %k[b, h, j, k]        %q' = expand_shape %q [8, 8]
//   %q[b, h * 8 + g, i, k]     ->  %q'[b, h, g, i, k]                as often as it is
//
// The first where rows are few beside: a tile of one query would be one row, and keys would be read for each head. The
// second everywhere: copies fetch what each subscript is a dimension of.
//
// decides: how rows of chains lie in a GPU's tiles.
//
// runs in: sinter-gpu    test: test/passes/arrange/head_groups.mlir, test/gpu/chains.test

#include "capi/form.h"
#include "capi/pass.h"
#include "dialect/row_ops.h"
#include "lowering/facts/gpu_chains.h"
#include "passes/arrange/arrange.h"
#include "passes/edit/edit.h"
#include "target/chips.h"

enum { FEW_ROWS = 64 }; // of a tile

// ---- a dimension that is two -------------------------------------------------------------------------

static bool names(MlirBlock block, MlirStringRef name) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_row_op_of(op) && sn_row_op_of(op)->names_dim &&
        mlirStringRefEqual(mlirStringAttrGetValue(sn_get_attr(op, "dim")), name))
      return true;
  return false;
}

// A row dimension of which some input has d floordiv n, and all that a tile has of the others is a few rows; n, or 0.
static int64_t shared_by(const SnForm *f, int64_t *d) {
  int64_t rows = 1, n = 0;
  for (size_t k = 0; k < f->inputs.size && !n; ++k)
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(f->inputs.data[k].map) && !n; ++i) {
      MlirAffineExpr e = mlirAffineMapGetResult(f->inputs.data[k].map, i);
      if (!mlirAffineExprIsAFloorDiv(e) || !mlirAffineExprIsADim(mlirAffineBinaryOpExprGetLHS(e)) ||
          !mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(e)))
        continue;
      *d = mlirAffineDimExprGetPosition(mlirAffineBinaryOpExprGetLHS(e));
      n = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e));
    }
  if (n < 2 || *d >= f->num_rows || f->dims.data[*d].size == SN_DYNAMIC || f->dims.data[*d].size % n ||
      names(f->body, f->dims.data[*d].name) || f->dims.size + 1 > SN_MAX_DIMS)
    return 0;
  SnGpuPoints points = sn_gpu_chain_points(f);
  for (size_t i = 0; i < points.rows.n; ++i) {
    int64_t size = f->dims.data[points.rows.dims[i]].size;
    rows = rows == SN_DYNAMIC || size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(rows, size);
  }
  return rows != SN_DYNAMIC && sn_times(rows, n) <= FEW_ROWS ? n : 0;
}

// `to`, with d as d * n + the one behind it.
static void divide(SnForm *to, int64_t d, int64_t n, MlirContext ctx) {
  MlirAffineExpr e[SN_MAX_DIMS];
  int64_t sizes[SN_MAX_DIMS];
  SnDim second = {sn_fresh_name(ctx, to, "g"), n};
  size_t count = to->dims.size;
  sn_push(&to->dims, second);
  for (size_t i = count; (int64_t)i > d + 1; --i)
    to->dims.data[i] = to->dims.data[i - 1];
  to->dims.data[d + 1] = second;
  to->dims.data[d].size /= n;
  for (size_t i = 0; i < to->dims.size; ++i)
    sizes[i] = to->dims.data[i].size;
  for (int64_t i = 0; i < (int64_t)count; ++i)
    e[i] = mlirAffineDimExprGet(ctx, i + (i > d));
  e[d] = mlirAffineAddExprGet(mlirAffineMulExprGet(e[d], mlirAffineConstantExprGet(ctx, n)),
                              mlirAffineDimExprGet(ctx, d + 1));
  ++to->num_rows;
  for (size_t g = 0; g < to->groups.size; ++g)
    ++to->groups.data[g].first;
  for (size_t k = 0; k < to->inputs.size + to->indices.size + to->outputs.size; ++k) {
    SnAccess *a = (SnAccess *)sn_form_access(to, k);
    a->map = sn_map_simplify(sn_map_replace(a->map, (intptr_t)to->dims.size, e), sizes);
  }
}

// ---- the pass ------------------------------------------------------------------------------------------

static void regroup(MlirOperation op, int64_t parts_from) {
  SnForm f = sn_form_read(op), to = sn_form_read(op);
  SnBuilder b = sn_before(op);
  int64_t d, n;
  bool fits = !sn_gpu_not_chain_in(&f, parts_from) && !f.schedule.ptr && !f.indices.size && sn_num_results(op);
  bool changed = false;
  if (fits && (n = shared_by(&f, &d))) {
    divide(&to, d, n, b.ctx);
    changed = true;
  }
  intptr_t at[SN_MAX_DIMS];
  for (size_t k = 0; fits && k < to.inputs.size; ++k)
    changed |= sn_take_all_apart(&b, &to, &to.inputs.data[k]);
  for (size_t o = 0; changed && o < to.outputs.size; ++o)
    at[o] = sn_take_apart(&b, &to, &to.outputs.data[o]);
  if (changed) {
    MlirOperation made = sn_form_create(&b, &to, false);
    SnMap map = {0};
    for (intptr_t k = 0; k < mlirBlockGetNumArguments(f.body); ++k)
      sn_map(&map, mlirBlockGetArgument(f.body, k), mlirBlockGetArgument(to.body, k));
    SnBuilder in = sn_at_end(to.body, b.loc);
    sn_copy_block(&in, f.body, &map);
    sn_map_free(&map);
    for (intptr_t r = 0; r < sn_num_results(made); ++r) {
      MlirValue was = sn_result(op, r), is = sn_result(made, r);
      mlirValueReplaceAllUsesOfWith(was, at[r] < 0 ? is : sn_put_together(&b, is, sn_type_of(was), at[r]));
    }
    mlirOperationDestroy(op);
  }
  sn_form_free(&f);
  sn_form_free(&to);
}

typedef struct {
  bool f32_parts;
  int64_t parts_from;
} Options;
static const SnOption options[] = {
    {SN_OPTION_BOOL, "f32-parts", "a GPU multiplies f32 as sums of three bf16, too", "false", NULL,
     offsetof(Options, f32_parts)},
    {SN_OPTION_INT, "parts-from",
     "bytes of products in f32 from which on rows that are multiplied again are multiplied so, and never stored",
     SN_GPU_PARTS_FROM_DEFAULT, NULL, offsetof(Options, parts_from)},
    {0},
};

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  const Options *o = run->options;
  SnOpVec forms = sn_collect(op, "sinter.contract");
  for (size_t k = 0; k < forms.size; ++k)
    regroup(forms.data[k], o->f32_parts ? 0 : o->parts_from);
  sn_vec_free(&forms);
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_head_groups = {
    .argument = "sinter-head-groups",
    .summary = "heads that share keys -> rows of one tile; one dimension that is two -> both",
    .dialects = dialects,
    .options = options,
    .options_size = sizeof(Options),
    .run = run,
};
