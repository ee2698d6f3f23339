// shared_sides.c: a result that products read is stored once, and lies as what it is made of.
//
//   rowwise (h = 8, e) by (j) ins(%k[j, h floordiv 4, e]) outs(%y[h, e, j])    contract ... (%y[h, e, j])
// ->
//   rowwise (h = 2, j) by (e) ins(%k[j, h, e])            outs(%y[j, h, e])    contract ... (%y[j, h floordiv 4, e])
//
// Keys that heads share are repeated behind their rotation, and torch-mlir transposes them before it scales them.
// Stored so, each would be written for all heads, across memory, and the two sides that gradients make of them would
// not be one slot.
//
//
//   contract (b, h, j) by (i) by (e) outs(%d[b, h, e, j])    rowwise ... (%d[b, h, e, j])
// ->
//   contract (b, h, j) by (i) by (e) outs(%d[b, h, j, e])    rowwise ... (%d[b, h, j, e])
//
// And what other kernels of rows read of a product lies as it is made, a row's columns side by side.
//
// runs in: sinter-behind-products    test: test/passes/arrange/shared_sides.mlir

#include "dialect/row_ops.h"
#include "passes/arrange/arrange.h"
#include "passes/merge/merge.h"

static MlirAffineMap map_of(MlirOpOperand use) {
  MlirAttribute maps = sn_get_attr(mlirOpOperandGetOwner(use), "maps");
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, (intptr_t)mlirOpOperandGetOperandNumber(use)));
}

// Forms read it by maps of their dimensions; forms of this kind alone, if it is not null. Where an element's place is
// read or computed, the order of subscripts is that of who computes it.
static bool all_readers_are(MlirOperation op, intptr_t result, const char *kind) {
  bool all = true;
  for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(op, result)); !mlirOpOperandIsNull(use) && all;
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    all = sn_is_form(reader) && (!kind || sn_is(reader, kind)) && !mlirAffineMapGetNumSymbols(map_of(use));
  }
  return all;
}

static void set_map(MlirOpOperand use, MlirAffineMap map) {
  MlirOperation reader = mlirOpOperandGetOwner(use);
  sn_set_element(reader, "maps", sn_num_operands(reader), (intptr_t)mlirOpOperandGetOperandNumber(use),
                 mlirAffineMapAttrGet(map));
}

static MlirAffineMap map_like(MlirAffineMap map, intptr_t n, MlirAffineExpr *exprs) {
  return mlirAffineMapGet(mlirAffineMapGetContext(map), mlirAffineMapGetNumDims(map), mlirAffineMapGetNumSymbols(map),
                          n, exprs);
}

// The form `to`, which stores that result elsewhere, in the place of `from`.
static MlirOperation stored_anew(SnBuilder *b, const SnForm *from, SnForm *to, intptr_t result) {
  SnAccess *out = &to->outputs.data[result];
  out->value = sn_empty_at(b, to, out->map, sn_element(sn_type_of(out->value)));
  MlirOperation made = sn_with_other_sides(b, from, to); // and another destination
  mlirOperationDestroy(from->op);
  return made;
}

// ---- once -------------------------------------------------------------------------------------

// So many neighbours along the dimension are the same, as all that the expression says of it is their quotient; 0: it
// says more. `n`: the size, where it says nothing.
static int64_t alike_in(MlirAffineExpr e, intptr_t d, int64_t n) {
  if (!mlirAffineExprIsFunctionOfDim(e, d))
    return n;
  if (!mlirAffineExprIsAFloorDiv(e))
    return 0;
  MlirAffineExpr of = mlirAffineBinaryOpExprGetLHS(e), by = mlirAffineBinaryOpExprGetRHS(e);
  bool fits = mlirAffineExprIsADim(of) && mlirAffineExprIsAConstant(by);
  return fits ? mlirAffineConstantExprGetValue(by) : 0;
}

static int64_t alike(const SnForm *f, intptr_t d) {
  int64_t size = f->dims.data[d].size, n = size == SN_DYNAMIC || f->indices.size ? 0 : size;
  for (size_t k = 0; k < f->inputs.size && n; ++k)
    for (intptr_t p = 0; p < mlirAffineMapGetNumResults(f->inputs.data[k].map) && n; ++p) {
      int64_t here = alike_in(mlirAffineMapGetResult(f->inputs.data[k].map, p), d, size);
      n = here == size || n == size || here == n ? (here < n ? here : n) : 0;
    }
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op) && n; op = mlirOperationGetNextInBlock(op))
    n = sn_row_op_names(op, f->dims.data[d].name) ? 0 : n;
  return n && size % n == 0 ? n : 0;
}

// A row dimension of an elementwise form of one result along which neighbours are the same, in how many; 1: none.
static int64_t repeated(const SnForm *f, intptr_t *d) {
  int64_t n = 1;
  bool fits = sn_is_elementwise_form(f) && !f->contract && f->outputs.size == 1 && !f->schedule.ptr && !f->finish.ptr;
  for (*d = 0; fits && *d < f->num_rows; ++*d)
    if ((n = alike(f, *d)) > 1)
      return n;
  return 1;
}

static MlirOperation store_once(MlirOperation op) {
  SnForm f = sn_form_read(op), to = sn_form_read(op);
  intptr_t d;
  int64_t n = repeated(&f, &d);
  intptr_t at = -1, rank = mlirAffineMapGetNumResults(f.outputs.data[0].map);
  for (intptr_t p = 0; p < rank; ++p)
    at = sn_map_dim(f.outputs.data[0].map, p) == d ? p : at;
  if (n > 1 && at >= 0) {
    SnBuilder b = sn_before(op);
    for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(op, 0)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
      MlirAffineMap map = map_of(use);
      MlirAffineExpr exprs[SN_MAX_DIMS];
      for (intptr_t p = 0; p < rank; ++p)
        exprs[p] = mlirAffineMapGetResult(map, p);
      exprs[at] = n == f.dims.data[d].size ? mlirAffineConstantExprGet(b.ctx, 0)
                                           : mlirAffineFloorDivExprGet(exprs[at], mlirAffineConstantExprGet(b.ctx, n));
      set_map(use, map_like(map, rank, exprs));
    }
    MlirAffineExpr dims[SN_MAX_DIMS];
    for (intptr_t i = 0; i < (intptr_t)f.dims.size; ++i)
      dims[i] = mlirAffineDimExprGet(b.ctx, i);
    dims[d] = mlirAffineMulExprGet(dims[d], mlirAffineConstantExprGet(b.ctx, n));
    to.dims.data[d].size /= n;
    for (size_t k = 0; k < f.inputs.size; ++k)
      to.inputs.data[k].map = sn_map_replace(f.inputs.data[k].map, (intptr_t)f.dims.size, dims);
    op = stored_anew(&b, &f, &to, 0);
  }
  sn_form_free(&f);
  sn_form_free(&to);
  return op;
}

// ---- where it lies ------------------------------------------------------------------------------

// The dimension that is subscript p; -1: it is one element, or an expression.
static intptr_t walks(const SnForm *f, MlirAffineMap map, intptr_t p) {
  intptr_t d = sn_map_dim(map, p);
  return d >= 0 && f->dims.data[d].size == 1 ? -1 : d;
}

static bool is_one(const SnForm *f, MlirAffineMap map, intptr_t p) {
  return mlirAffineExprIsAConstant(mlirAffineMapGetResult(map, p)) || (sn_map_dim(map, p) >= 0 && walks(f, map, p) < 0);
}

// Where each subscript of the result goes, that its dimensions stand as those of the input do, behind what is one
// element: false if they are not the same, or in the same order.
static bool order_of(const SnForm *f, const SnAccess *input, const SnAccess *result, intptr_t *place) {
  intptr_t rank = mlirAffineMapGetNumResults(result->map), n = 0, ones = 0, seen[SN_MAX_DIMS];
  bool differs = false, fits = !input->through.ptr && !input->fill.ptr;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(input->map) && fits; ++i) {
    seen[n] = walks(f, input->map, i);
    fits = seen[n] >= 0 || is_one(f, input->map, i);
    n += seen[n] >= 0;
  }
  for (intptr_t p = 0; p < rank; ++p)
    place[p] = is_one(f, result->map, p) ? ones++ : -1;
  for (intptr_t p = 0; p < rank && fits; ++p) {
    for (intptr_t i = 0; i < n && place[p] < 0; ++i)
      if (seen[i] == walks(f, result->map, p))
        place[p] = ones + i;
    for (intptr_t before = 0; before < p; ++before)
      fits &= place[before] != place[p];
    fits &= place[p] >= 0;
    differs |= place[p] != p;
  }
  return fits && differs && n + ones == rank;
}

static MlirAffineMap moved(MlirAffineMap map, const intptr_t *place) {
  MlirAffineExpr exprs[SN_MAX_DIMS];
  intptr_t rank = mlirAffineMapGetNumResults(map);
  for (intptr_t p = 0; p < rank; ++p)
    exprs[place[p]] = mlirAffineMapGetResult(map, p);
  return map_like(map, rank, exprs);
}

// The form with columns that lie side by side in the result, if any dimension may be one.
static MlirOperation by_last(MlirOperation op, intptr_t result) {
  SnForm f = sn_form_read(op);
  MlirAffineMap map = f.outputs.data[result].map;
  intptr_t last = sn_map_dim(map, mlirAffineMapGetNumResults(map) - 1); // constants stand in front
  bool wanted[SN_MAX_DIMS] = {false};
  wanted[last] = true;
  if (sn_is_elementwise_form(&f) && !sn_is_col_dim(&f, last) && sn_can_resplit(&f, wanted))
    op = sn_resplit(op, wanted);
  sn_form_free(&f);
  return op;
}

static MlirOperation move(MlirOperation op, intptr_t result, const intptr_t *place) {
  SnForm f = sn_form_read(op), to = sn_form_read(op);
  SnBuilder b = sn_before(op);
  for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(op, result)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    set_map(use, moved(map_of(use), place));
  to.outputs.data[result].map = moved(f.outputs.data[result].map, place);
  MlirOperation made = stored_anew(&b, &f, &to, result);
  sn_form_free(&f);
  sn_form_free(&to);
  return by_last(made, result);
}

static MlirOperation lie_as_read(MlirOperation op, intptr_t result) {
  SnForm f = sn_form_read(op);
  intptr_t place[SN_MAX_DIMS];
  bool found = false;
  for (size_t k = sn_first_input(&f); k < f.inputs.size && !f.schedule.ptr && !f.finish.ptr && !found; ++k)
    found = order_of(&f, &f.inputs.data[k], &f.outputs.data[result], place);
  sn_form_free(&f);
  return found ? move(op, result, place) : op;
}

// Where each subscript of a product's result goes, that its columns stand behind all others.
static bool columns_last(const SnForm *f, intptr_t result, intptr_t *place) {
  MlirAffineMap map = f->outputs.data[result].map;
  intptr_t rank = mlirAffineMapGetNumResults(map), columns = 0, rows = 0;
  bool fits = f->products.size && !f->schedule.ptr && !f->finish.ptr, differs = false;
  for (intptr_t p = 0; p < rank; ++p) {
    fits &= sn_map_dim(map, p) >= 0;
    columns += fits && sn_is_col_dim(f, sn_map_dim(map, p));
  }
  for (intptr_t p = 0, behind = rank - columns; p < rank && fits; ++p) {
    place[p] = sn_is_col_dim(f, sn_map_dim(map, p)) ? behind++ : rows++;
    differs |= place[p] != p;
  }
  return fits && differs && columns;
}

MlirOperation sn_lie_by_columns(MlirOperation op, intptr_t result) {
  SnForm f = sn_form_read(op);
  intptr_t place[SN_MAX_DIMS];
  bool found = all_readers_are(op, result, "sinter.rowwise") && columns_last(&f, result, place);
  sn_form_free(&f);
  return found ? move(op, result, place) : op;
}

MlirOperation sn_share_side(MlirOperation op, intptr_t result) {
  if (!all_readers_are(op, result, NULL))
    return op;
  return lie_as_read(store_once(op), result);
}
