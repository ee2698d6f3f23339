// weight_packers.c: functions that pack weights which a host keeps.
//
//   func.func @main(%w: tensor<300x512xf32> {sinter.pack, sinter.name = "w"})
// ->
//   func.func @main(%w: tensor<8x2x150x64xf32> {sinter.name = "w"})
//   func.func @main_pack_w(%w: tensor<300x512xf32>) -> tensor<8x2x150x64xf32> {
//     sinter.rowwise (panel, step, row) by (column) ins(%w[step * 150 + row, panel * 64 + column] else 0.0) ...
//
// test: test/passes/schedule/packed_weights_tiles.mlir, test/passes/schedule/packed_weights_refused.mlir

#include "dialect/attributes.h"
#include "dialect/schedules.h"
#include "passes/schedule/pack_weights.h"
#include <stdio.h>

static MlirAffineExpr by(MlirAffineExpr (*make)(MlirAffineExpr, MlirAffineExpr), MlirAffineExpr e, int64_t number) {
  return make(e, mlirAffineConstantExprGet(mlirAffineExprGetContext(e), number));
}

// The subscripts of the weights as they were given, at place `flat` of one side. Behind the last place the first
// subscript is outside.
static void subscripts(const SnWeightLayout *l, int which, MlirAffineExpr flat, MlirAffineExpr *dims) {
  for (int64_t d = l->side[which].n; d-- > 0; flat = by(mlirAffineFloorDivExprGet, flat, l->side[which].sizes[d]))
    dims[d] = d ? by(mlirAffineModExprGet, flat, l->side[which].sizes[d]) : flat;
}

// Of a form (p, q, r) by (c) that writes the packed weights: where it reads those that are given.
static MlirAffineMap given_map(const SnWeightUse *use, const SnForm *f, const SnAccess *weights,
                               const SnCpuProduct *p) {
  const SnWeightLayout *l = &use->layout;
  const SnPackedWeights *w = &l->packed;
  MlirContext ctx = mlirOperationGetContext(use->form);
  MlirAffineExpr panel = mlirAffineDimExprGet(ctx, 0), step = mlirAffineDimExprGet(ctx, 1),
                 row = mlirAffineDimExprGet(ctx, 2), column = mlirAffineDimExprGet(ctx, 3);
  MlirAffineExpr j = by(mlirAffineFloorDivExprGet, column, w->group);
  if (w->tile) {
    j = mlirAffineAddExprGet(by(mlirAffineMulExprGet, by(mlirAffineFloorDivExprGet, row, w->groups), w->tile), j);
    row = by(mlirAffineModExprGet, row, w->groups);
  }
  MlirAffineExpr s =
      mlirAffineAddExprGet(by(mlirAffineMulExprGet, row, w->group), by(mlirAffineModExprGet, column, w->group));
  j = mlirAffineAddExprGet(by(mlirAffineMulExprGet, panel, w->n), j);
  s = mlirAffineAddExprGet(by(mlirAffineMulExprGet, step, w->k), s);
  MlirAffineExpr dims[SN_MAX_DIMS];
  for (size_t d = 0; d < f->dims.size; ++d)
    dims[d] = mlirAffineConstantExprGet(ctx, 0);
  subscripts(l, 0, j, dims + p->columns.first);
  subscripts(l, 1, s, dims + p->first_dim);
  MlirAffineExpr at[SN_MAX_DIMS];
  intptr_t rank = mlirAffineMapGetNumResults(weights->map);
  for (intptr_t i = 0; i < rank; ++i) {
    intptr_t d = sn_map_dim(weights->map, i);
    at[i] = d < 0 ? mlirAffineConstantExprGet(ctx, 0) : dims[d];
  }
  return mlirAffineMapGet(ctx, 4, 0, rank, at);
}

// Each subscript of the weights is a dimension of its size, or 0 of 1: what is behind them is outside of the tensor.
static bool is_whole(const SnForm *f, const SnAccess *weights) {
  MlirType t = sn_type_of(weights->value);
  bool whole = true;
  for (intptr_t i = 0; i < sn_rank(t) && whole; ++i) {
    intptr_t d = sn_map_dim(weights->map, i);
    whole = d < 0 ? sn_dim(t, i) == 1 : f->dims.data[d].size == sn_dim(t, i);
  }
  return whole;
}

// The body of a function that packs.
static void write_packer(SnBuilder *b, const SnWeightUse *use, MlirValue given, MlirAffineMap map) {
  MlirType t = sn_weights_packed_type(use), element = sn_element(t);
  static const char *const names[] = {"panel", "step", "row", "column"};
  SnForm f = {.num_rows = 3, .num_cols = 1};
  for (intptr_t d = 0; d < 4; ++d)
    sn_push(&f.dims, ((SnDim){SN_STR(names[d]), sn_dim(t, d)}));
  MlirAttribute zero =
      sn_is_float(element) ? mlirFloatAttrDoubleGet(b->ctx, element, 0) : mlirIntegerAttrGet(element, 0);
  sn_push(&f.inputs, ((SnAccess){.value = given, .map = map, .fill = zero}));
  sn_push(&f.outputs,
          ((SnAccess){.value = sn(b, "tensor.empty", t), .map = mlirAffineMapMultiDimIdentityGet(b->ctx, 4)}));
  MlirOperation made = sn_form_create(b, &f, false);
  SnBuilder in = sn_at_end(f.body, b->loc);
  sn_op(&in, "sinter.yield", sn_input_argument(&f, 0), sn_types(0, NULL));
  sn_op(b, "func.return", sn_result(made, 0), sn_types(0, NULL));
  sn_form_free(&f);
}

static void name_packer(MlirOperation func, intptr_t argument, char *name, size_t size) {
  MlirStringRef of = mlirStringAttrGetValue(sn_get_attr(func, "sym_name"));
  MlirAttribute said = sn_weights_said(func, argument, SN_NAME);
  MlirStringRef word = said.ptr && mlirAttributeIsAString(said) ? mlirStringAttrGetValue(said) : SN_STR("");
  if (word.length)
    snprintf(name, size, "%.*s_pack_%.*s", (int)of.length, of.data, (int)word.length, word.data);
  else
    snprintf(name, size, "%.*s_pack_%td", (int)of.length, of.data, argument);
}

MlirLogicalResult sn_weights_make_packer(MlirOperation module, MlirOperation func, const SnWeightUse *use) {
  SnForm f = sn_form_read(use->form);
  const SnAccess *weights = &f.inputs.data[use->operand];
  intptr_t argument = mlirBlockArgumentGetArgNumber(use->weights);
  char name[256];
  name_packer(func, argument, name, sizeof name);
  MlirLogicalResult result = SN_OK;
  if (!is_whole(&f, weights))
    result = sn_error(use->form, "takes a part of argument %td, which is to be packed whole", argument);
  else if (!sn_null(sn_symbol(module, name)))
    result = sn_error(func, "argument %td is packed by a function %s, and there is one of this name", argument, name);
  if (!sn_failed(result)) {
    MlirType from = sn_type_of(use->weights), to = sn_weights_packed_type(use);
    SnCpuProduct p;
    const char *kernel = sn_schedule_word(f.schedule, "kernel");
    size_t k = 0;
    while (sn_failed(sn_cpu_read_product(&f, k, sn_cpu_rows_together(&f, kernel), kernel, &p)) ||
           sn_side(&f, p.b_side).first != use->operand)
      ++k;
    SnBuilder b = sn_after(func);
    MlirBlock body = mlirBlockCreate(1, &from, &b.loc);
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, body);
    sn_op(&b, "func.func", sn_attr("sym_name", sn_string(b.ctx, name)),
          sn_attr("function_type", mlirTypeAttrGet(mlirFunctionTypeGet(b.ctx, 1, &from, 1, &to))), region);
    SnBuilder in = sn_at_end(body, b.loc);
    write_packer(&in, use, mlirBlockGetArgument(body, 0), given_map(use, &f, weights, &p));
  }
  sn_form_free(&f);
  return result;
}

void sn_weights_retype(MlirOperation func, MlirValue argument, MlirType to) {
  MlirContext ctx = mlirOperationGetContext(func);
  intptr_t at = mlirBlockArgumentGetArgNumber(argument);
  MlirType old = mlirTypeAttrGetValue(sn_get_attr(func, "function_type"));
  SN_VEC(MlirType) inputs = {0}, results = {0};
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(old); ++i)
    sn_push(&inputs, i == at ? to : mlirFunctionTypeGetInput(old, i));
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(old); ++i)
    sn_push(&results, mlirFunctionTypeGetResult(old, i));
  mlirBlockArgumentSetType(argument, to);
  sn_set_attr(func, "function_type",
              mlirTypeAttrGet(
                  mlirFunctionTypeGet(ctx, (intptr_t)inputs.size, inputs.data, (intptr_t)results.size, results.data)));
  sn_vec_free(&inputs);
  sn_vec_free(&results);
}

void sn_weights_forget(MlirOperation func) {
  MlirContext ctx = mlirOperationGetContext(func);
  MlirAttribute old = sn_get_attr(func, "arg_attrs");
  SN_VEC(MlirAttribute) all = {0};
  for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(old); ++k) {
    MlirAttribute one = mlirArrayAttrGetElement(old, k);
    SN_VEC(MlirNamedAttribute) kept = {0};
    for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(one); ++i) {
      MlirNamedAttribute said = mlirDictionaryAttrGetElement(one, i);
      if (!mlirStringRefEqual(mlirIdentifierStr(said.name), SN_STR(SN_PACK)))
        sn_push(&kept, said);
    }
    sn_push(&all, mlirDictionaryAttrGet(ctx, (intptr_t)kept.size, kept.data));
    sn_vec_free(&kept);
  }
  sn_set_attr(func, "arg_attrs", mlirArrayAttrGet(ctx, (intptr_t)all.size, all.data));
  sn_vec_free(&all);
}
