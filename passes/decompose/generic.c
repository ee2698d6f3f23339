// generic.c: linalg.generic over a form's dimensions, and accesses as tensors.
//
//   %x[i, j * 2 - 1] else 0.0   ->   linalg.generic: index arithmetic, scf.if inside, tensor.extract
//
// An access whose subscripts are whole dimensions is the operand itself under its map.
//
// runs in: decompose    test: test/passes/decompose/decompose.mlir

#include "mlir-c/Dialect/Linalg.h"
#include "lowering/rows/rowprogram.h"
#include "passes/decompose/decompose.h"
#include "passes/edit/edit.h"

// ---- dimensions ---------------------------------------------------------------------

SnDimSet sn_dims_between(int64_t first, int64_t end) {
  SnDimSet set = 0;
  for (int64_t k = first; k < end; ++k)
    set |= (SnDimSet)1 << k;
  return set;
}

static bool has(SnDimSet set, intptr_t dim) { return set >> dim & 1; }

static SnDimSet used(MlirAffineMap map) {
  SnDimSet set = 0;
  for (intptr_t k = 0; k < mlirAffineMapGetNumDims(map); ++k)
    if (sn_map_uses(map, k))
      set |= (SnDimSet)1 << k;
  return set;
}

SnDimSet sn_grid_dims(const SnGrid *g) { return g->map.ptr ? used(g->map) : 0; }

// Dimension k of the form as the loop that it is among `dims`.
static intptr_t loop_of(SnDimSet dims, intptr_t k) { return __builtin_popcountll(dims & (((SnDimSet)1 << k) - 1)); }

MlirValue sn_grid_size(SnDecompose *d, intptr_t dim) {
  if (sn_none(d->sizes[dim]))
    d->sizes[dim] = sn_size_value(&d->b, &d->form, dim);
  return d->sizes[dim];
}

static MlirAffineMap identity(SnDecompose *d, SnDimSet dims) {
  MlirAffineExpr exprs[SN_MAX_DIMS];
  intptr_t n = 0, all = (intptr_t)d->form.dims.size;
  for (intptr_t k = 0; k < all; ++k)
    if (has(dims, k))
      exprs[n++] = mlirAffineDimExprGet(d->ctx, k);
  return mlirAffineMapGet(d->ctx, all, 0, n, exprs);
}

SnGrid sn_grid_empty(SnDecompose *d, SnDimSet dims, MlirType element) {
  int64_t shape[SN_MAX_DIMS];
  MlirValue sizes[SN_MAX_DIMS];
  intptr_t rank = 0, dynamic = 0;
  for (intptr_t k = 0; k < (intptr_t)d->form.dims.size; ++k)
    if (has(dims, k)) {
      shape[rank++] = d->form.dims.data[k].size;
      if (d->form.dims.data[k].size == SN_DYNAMIC)
        sizes[dynamic++] = sn_grid_size(d, k);
    }
  return (SnGrid){sn(&d->b, "tensor.empty", sn_values(dynamic, sizes), sn_tensor(element, rank, shape)),
                  identity(d, dims), true};
}

// ---- one linalg.generic --------------------------------------------------------------

SnGeneric sn_generic(SnDecompose *d, SnDimSet dims, SnDimSet reduced, intptr_t n, const SnGrid *in, SnGrid out) {
  SnGeneric g = {.d = d, .dims = dims | sn_grid_dims(&out), .reduced = reduced, .out = out};
  MlirType *types = sn_alloc((size_t)(n + 1) * sizeof *types);
  MlirLocation *locs = sn_alloc((size_t)(n + 1) * sizeof *locs);
  g.in = sn_alloc((size_t)(n + 1) * sizeof *g.in);
  g.args = sn_alloc((size_t)(n + 1) * sizeof *g.args);
  for (intptr_t k = 0; k < n; ++k)
    if (in[k].map.ptr) {
      g.dims |= sn_grid_dims(&in[k]);
      types[g.n] = sn_element(sn_type_of(in[k].value));
      g.in[g.n++] = in[k];
    }
  types[g.n] = sn_element(sn_type_of(out.value));
  for (intptr_t k = 0; k <= g.n; ++k)
    locs[k] = d->b.loc;
  g.b = sn_at_end(mlirBlockCreate(g.n + 1, types, locs), d->b.loc);
  for (intptr_t k = 0, at = 0; k <= n; ++k)
    g.args[k] = k < n && !in[k].map.ptr ? in[k].value : mlirBlockGetArgument(g.b.block, at++);
  free(types);
  free(locs);
  return g;
}

MlirValue sn_generic_index(SnGeneric *g, intptr_t dim) {
  return sn(&g->b, "linalg.index", sn_attr("dim", sn_i64(g->b.ctx, loop_of(g->dims, dim))), sn_index_type(g->b.ctx));
}

// A map over the form's dimensions as one over the loops.
static MlirAttribute over_loops(SnGeneric *g, MlirAffineMap map) {
  MlirAffineExpr exprs[SN_MAX_DIMS];
  for (intptr_t k = 0; k < mlirAffineMapGetNumDims(map); ++k)
    exprs[k] =
        has(g->dims, k) ? mlirAffineDimExprGet(g->b.ctx, loop_of(g->dims, k)) : mlirAffineConstantExprGet(g->b.ctx, 0);
  return mlirAffineMapAttrGet(sn_map_replace(map, __builtin_popcountll(g->dims), exprs));
}

SnGrid sn_generic_end(SnGeneric *g, MlirValue yielded) {
  sn_op(&g->b, "linalg.yield", yielded, sn_types(0, NULL));
  MlirAttribute *maps = sn_alloc((size_t)(g->n + 1) * sizeof *maps), iterators[SN_MAX_DIMS];
  MlirValue *operands = sn_alloc((size_t)(g->n + 1) * sizeof *operands);
  for (intptr_t k = 0; k <= g->n; ++k) {
    operands[k] = k < g->n ? g->in[k].value : g->out.value;
    maps[k] = over_loops(g, k < g->n ? g->in[k].map : g->out.map);
  }
  MlirContext ctx = g->b.ctx;
  for (intptr_t k = 0; k < SN_MAX_DIMS; ++k)
    if (has(g->dims, k))
      iterators[loop_of(g->dims, k)] = sn_parse_attr(ctx, has(g->reduced, k) ? "#linalg.iterator_type<reduction>"
                                                                             : "#linalg.iterator_type<parallel>");
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, g->b.block);
  int32_t segments[] = {(int32_t)g->n, 1};
  MlirValue made = sn(&g->d->b, "linalg.generic", sn_values(g->n + 1, operands), sn_type_of(g->out.value),
                      sn_attr("indexing_maps", mlirArrayAttrGet(ctx, g->n + 1, maps)),
                      sn_attr("iterator_types", mlirArrayAttrGet(ctx, __builtin_popcountll(g->dims), iterators)),
                      sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(ctx, 2, segments)), region);
  free(maps);
  free(operands);
  free(g->in);
  free(g->args);
  return (SnGrid){made, g->out.map, true};
}

// ---- grids -------------------------------------------------------------------------------

static SnGrid fill(SnDecompose *d, MlirValue scalar, SnGrid out) {
  int32_t segments[] = {1, 1};
  MlirOperation op = sn_op(&d->b, "linalg.fill", scalar, out.value, sn_type_of(out.value), mlirRegionCreate(),
                           sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(d->ctx, 2, segments)));
  mlirLinalgFillBuiltinNamedOpRegion(op);
  return (SnGrid){sn_result(op, 0), out.map, true};
}

SnGrid sn_grid_cover(SnDecompose *d, SnGrid g, SnDimSet dims) {
  SnDimSet here = sn_grid_dims(&g);
  if (g.map.ptr && !(dims & ~here))
    return g;
  SnGrid out = sn_grid_empty(d, here | dims, sn_element(sn_type_of(g.value)));
  if (!g.map.ptr)
    return fill(d, g.value, out);
  SnGeneric copy = sn_generic(d, 0, 0, 1, &g, out);
  return sn_generic_end(&copy, copy.args[0]);
}

MlirValue sn_grid_store(SnDecompose *d, SnGrid *g, const SnAccess *to) {
  if (g->fresh && mlirAffineMapEqual(g->map, to->map) && mlirTypeEqual(sn_type_of(g->value), sn_type_of(to->value))) {
    g->fresh = false; // a second result is a copy
    return g->value;
  }
  SnGrid out = {to->value, to->map, false};
  SnGeneric copy = sn_generic(d, 0, 0, 1, g, out);
  return sn_generic_end(&copy, copy.args[0]).value;
}

// ---- accesses --------------------------------------------------------------------------------

// Each subscript is a dimension that has the operand's size, or the 0 of a unit dimension.
static bool is_plain(SnDecompose *d, const SnAccess *a) {
  MlirType t = sn_type_of(a->value);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, i);
    intptr_t k = sn_map_dim(a->map, i);
    int64_t size = k < 0 ? 0 : d->form.dims.data[k].size;
    if (k < 0 ? !mlirAffineExprIsAConstant(e) || mlirAffineConstantExprGetValue(e)
              : size != SN_DYNAMIC && size != sn_dim(t, i))
      return false;
  }
  return !a->fill.ptr && !a->through.ptr;
}

static MlirValue as_index(SnBuilder *b, MlirValue v) {
  return mlirTypeIsAIndex(sn_type_of(v)) ? v : sn(b, "arith.index_cast", v, sn_index_type(b->ctx));
}

SnGrid sn_grid_access(SnDecompose *d, const SnAccess *a) {
  if (is_plain(d, a))
    return (SnGrid){a->value, a->map, false};
  MlirType t = sn_type_of(a->value);
  intptr_t rank = sn_rank(t);
  SnGrid through[SN_MAX_DIMS];
  MlirValue sizes[SN_MAX_DIMS], at[SN_MAX_DIMS], dims[SN_MAX_DIMS] = {0};
  intptr_t n = a->through.ptr ? mlirDenseArrayGetNumElements(a->through) : 0;
  SnDimSet over = used(a->map);
  for (intptr_t k = 0; k < n; ++k) {
    through[k] = sn_grid_access(d, &d->form.indices.data[mlirDenseI64ArrayGetElement(a->through, k)]);
    over |= sn_grid_dims(&through[k]);
  }
  for (intptr_t i = 0; i < rank && a->fill.ptr; ++i)
    sizes[i] = sn_dim(t, i) == SN_DYNAMIC ? sn(&d->b, "tensor.dim", a->value, sn_index(&d->b, i))
                                          : sn_index(&d->b, sn_dim(t, i));

  SnGeneric g = sn_generic(d, over, 0, n, through, sn_grid_empty(d, over, sn_element(t)));
  SnBuilder *b = &g.b;
  for (intptr_t k = 0; k < (intptr_t)d->form.dims.size; ++k)
    if (has(used(a->map), k))
      dims[k] = sn_generic_index(&g, k);
  for (intptr_t i = 0; i < rank; ++i) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, i);
    at[i] =
        mlirAffineExprIsASymbol(e) ? as_index(b, g.args[mlirAffineSymbolExprGetPosition(e)]) : sn_affine(b, e, dims);
  }
  if (!a->fill.ptr)
    return sn_generic_end(&g, sn(b, "tensor.extract", a->value, sn_values(rank, at), sn_element(t)));
  MlirValue inside = sn_int(b, mlirIntegerTypeGet(b->ctx, 1), 1);
  for (intptr_t i = 0; i < rank; ++i) // unsigned: a negative subscript is beyond every size
    inside = sn(b, "arith.andi", inside, sn(b, "arith.cmpi", at[i], sizes[i], sn_attr("predicate", sn_i64(b->ctx, 6))));
  SnIf branch = sn_if(b, inside, sn_element(t));
  sn_else(b, &branch, sn(b, "tensor.extract", a->value, sn_values(rank, at), sn_element(t)));
  sn_end_if(b, &branch, sn_constant(b, a->fill));
  return sn_generic_end(&g, sn_result(branch.op, 0));
}
