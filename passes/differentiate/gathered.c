// gathered.c: the gradient of a table that a row program gathers from.
//
//   %y = sinter.gather %table[%s, %j] else 0     ->    yield the gradient of %y, and %s
//                                                      %dtable[%s, j] += that (scattered.c)
//
// The reverse yields, besides its gradients, that of each gathered element and the subscripts that were computed; a
// subscript that is the position in a dimension is not stored. What is outside of the table has no gradient.
//
// runs in: differentiate    test: test/passes/differentiate/scattered.mlir, test/run/gradients.test

#include "passes/differentiate/differentiate.h"

SnOpVec sn_active_gathers(const SnForm *f, const bool *active) {
  SnOpVec found = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    for (size_t k = 0; k < f->inputs.size && sn_is(op, "sinter.gather"); ++k)
      if (active[k] && sn_is_table(&f->inputs.data[k]) && sn_same(sn_operand(op, 0), sn_input_argument(f, k)))
        sn_push(&found, op);
  return found;
}

size_t sn_gathered_input(const SnForm *f, MlirOperation gather) {
  size_t k = 0;
  while (!sn_is_table(&f->inputs.data[k]) || !sn_same(sn_operand(gather, 0), sn_input_argument(f, k)))
    ++k;
  return k;
}

static intptr_t num_subscripts(MlirOperation gather) { return sn_num_operands(gather) - 2; }

// The dimension that the subscript is the position in, -1 if it is computed.
static intptr_t position_in(const SnForm *f, MlirValue subscript) {
  MlirOperation op = sn_def(subscript, "sinter.index");
  if (sn_null(op))
    return -1;
  MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(op, "dim"));
  for (size_t d = 0; d < f->dims.size; ++d)
    if (mlirStringRefEqual(f->dims.data[d].name, name))
      return (intptr_t)d;
  return -1;
}

// Rows, and columns where there is an element for each.
static MlirAffineMap map_of(MlirContext ctx, const SnForm *f, bool columns) {
  MlirAffineExpr dims[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t d = 0; d < f->num_rows + (columns ? f->num_cols : 0); ++d)
    dims[n++] = mlirAffineDimExprGet(ctx, d);
  return mlirAffineMapGet(ctx, (intptr_t)f->dims.size, 0, n, dims);
}

static void add_destination(SnBuilder *b, const SnForm *f, SnForm *to, MlirValue like, MlirType element) {
  SnAccess out = {.map = map_of(b->ctx, f, sn_is_row(like))};
  out.value = sn_empty_at(b, f, out.map, element);
  sn_push(&to->outputs, out);
}

void sn_gathered_destinations(SnBuilder *b, const SnForm *f, MlirOperation gather, SnForm *to) {
  MlirValue y = sn_result(gather, 0);
  add_destination(b, f, to, y, sn_wide_type(sn_element(sn_type_of(y))));
  for (intptr_t p = 0; p < num_subscripts(gather); ++p) {
    MlirValue s = sn_operand(gather, 1 + p);
    if (position_in(f, s) < 0)
      add_destination(b, f, to, s, sn_element(sn_type_of(s)));
  }
}

void sn_gathered_yields(SnReverse *r, const SnForm *f, MlirOperation gather, SnValueVec *yields) {
  MlirValue y = sn_result(gather, 0), g = sn_adjoint_of(r, y);
  MlirType wide = sn_wide_type(sn_element(sn_type_of(y)));
  g = sn_none(g) ? sn_float(r->b, wide, 0) : sn_to_float(r->b, g, wide);
  sn_push(yields, sn_is_row(y) ? sn_as_row(r->b, g, sn_row_type(f, wide)) : g);
  for (intptr_t p = 0; p < num_subscripts(gather); ++p)
    if (position_in(f, sn_operand(gather, 1 + p)) < 0)
      sn_push(yields, sn_lookup(&r->copies, sn_operand(gather, 1 + p)));
}

MlirValue sn_gathered_gradient(SnBuilder *b, const SnForm *f, MlirOperation gather, MlirOperation made, size_t *output,
                               MlirType element) {
  // The table as it would be read by an access, through what was stored.
  SnForm g = {.op = f->op, .num_rows = f->num_rows, .num_cols = f->num_cols};
  MlirValue table = f->inputs.data[sn_gathered_input(f, gather)].value, y = sn_result(gather, 0);
  MlirAffineExpr subscripts[SN_MAX_DIMS];
  int64_t through[SN_MAX_DIMS];
  intptr_t n = num_subscripts(gather), symbols = 0;
  for (size_t d = 0; d < f->dims.size; ++d)
    sn_push(&g.dims, f->dims.data[d]);
  MlirValue gradient = sn_result(made, (intptr_t)(*output)++);
  for (intptr_t p = 0; p < n; ++p) {
    MlirValue s = sn_operand(gather, 1 + p);
    intptr_t d = position_in(f, s);
    if (d < 0) {
      SnAccess index = {.value = sn_result(made, (intptr_t)(*output)++), .map = map_of(b->ctx, f, sn_is_row(s))};
      sn_push(&g.indices, index);
      through[symbols] = symbols;
    }
    subscripts[p] = d < 0 ? mlirAffineSymbolExprGet(b->ctx, symbols++) : mlirAffineDimExprGet(b->ctx, d);
  }
  SnAccess in = {.value = table,
                 .map = mlirAffineMapGet(b->ctx, (intptr_t)f->dims.size, symbols, n, subscripts),
                 .fill = mlirFloatAttrDoubleGet(b->ctx, sn_element(sn_type_of(table)), 0),
                 .through = mlirDenseI64ArrayGet(b->ctx, symbols, through)};
  sn_push(&g.inputs, in);
  // Sizes are asked of the form that was read.
  MlirValue sum = sn_scatter_gradient(b, &g, f, 0, map_of(b->ctx, f, sn_is_row(y)), gradient, element);
  sn_form_free(&g);
  return sum;
}
