// padding.c: a tensor with what is read beyond its edges.
//
//   %x[n, y + r - 2, x + s - 2, c] else 0.0
// ->
//   %p = rowwise (n, y = 22) by (l = 22 * 21) ins(%x[n, y - 2, l - 2 * 21] else 0.0)      x and c as one
//   %p[n, y + r, x + s, c]
//
// test: test/passes/schedule/padded_windows.mlir, test/passes/arrange/channel_lanes.mlir

#include "passes/arrange/padding.h"
#include "lowering/rows/rowmemory.h"
#include "passes/edit/edit.h"

static MlirAffineExpr constant(MlirContext ctx, int64_t n) { return mlirAffineConstantExprGet(ctx, n); }

int64_t sn_read_padding(const SnForm *f, const SnAccess *a, SnPadding *p) {
  MlirType t = sn_type_of(a->value);
  int64_t sizes[SN_MAX_DIMS], factors[SN_MAX_DIMS], written = 1;
  if (!a->fill.ptr || a->through.ptr || sn_is_table(a) || !mlirShapedTypeHasStaticShape(t) ||
      !sn_linear_factors(a->map, t, factors))
    return 0;
  for (size_t d = 0; d < f->dims.size; ++d)
    sizes[d] = f->dims.data[d].size;
  p->last = -1;
  for (intptr_t i = 0; i < sn_rank(t); ++i) {
    int64_t high;
    if (!sn_affine_range(mlirAffineMapGetResult(a->map, i), sizes, &p->low[i], &high))
      return 0;
    bool grows = p->low[i] < 0 || high >= sn_dim(t, i);
    p->low[i] = grows ? p->low[i] : 0;
    p->size[i] = grows ? high - p->low[i] + 1 : sn_dim(t, i);
    p->last = grows ? i : p->last;
    written = sn_times(written, p->size[i]);
  }
  return p->last > 0 ? written : 0;
}

// Dimensions `first` on as one.
static MlirAttribute groups_of(MlirContext ctx, intptr_t first, intptr_t rank) {
  MlirAttribute groups[SN_MAX_DIMS], members[SN_MAX_DIMS];
  for (intptr_t i = 0; i < rank; ++i)
    members[i] = sn_i64(ctx, i);
  for (intptr_t i = 0; i <= first; ++i)
    groups[i] = mlirArrayAttrGet(ctx, i < first ? 1 : rank - first, members + i);
  return mlirArrayAttrGet(ctx, first + 1, groups);
}

MlirValue sn_write_padded(SnBuilder *b, const SnAccess *a, const SnPadding *p) {
  MlirType t = sn_type_of(a->value), element = sn_element(t);
  intptr_t rank = sn_rank(t), n = p->last + 1;
  int64_t from[SN_MAX_DIMS], to[SN_MAX_DIMS], inner = 1;
  for (intptr_t i = n; i < rank; ++i)
    inner = sn_times(inner, sn_dim(t, i));
  MlirAffineExpr e[SN_MAX_DIMS];
  for (intptr_t i = 0; i < n; ++i) {
    int64_t each = i < p->last ? 1 : inner;
    from[i] = sn_dim(t, i) * each;
    to[i] = p->size[i] * each;
    e[i] = mlirAffineAddExprGet(mlirAffineDimExprGet(b->ctx, i), constant(b->ctx, p->low[i] * each));
  }
  MlirAttribute groups = groups_of(b->ctx, p->last, rank);
  SnAccess in = {.value = a->value, .map = mlirAffineMapGet(b->ctx, n, 0, n, e), .fill = a->fill};
  if (n < rank)
    in.value = sn(b, "tensor.collapse_shape", in.value, sn_tensor(element, n, from), sn_attr("reassociation", groups));
  MlirValue whole = sn_copy_form(b, in, n, to, mlirAffineMapMultiDimIdentityGet(b->ctx, n));
  return n == rank ? whole
                   : sn(b, "tensor.expand_shape", whole, sn_values(0, NULL), sn_tensor(element, rank, p->size),
                        sn_attr("reassociation", groups),
                        sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, rank, p->size)));
}

MlirAffineMap sn_behind_padding(MlirAffineMap map, const SnPadding *p) {
  MlirContext ctx = mlirAffineMapGetContext(map);
  MlirAffineExpr e[SN_MAX_DIMS];
  intptr_t n = mlirAffineMapGetNumResults(map);
  for (intptr_t i = 0; i < n; ++i)
    e[i] = mlirAffineAddExprGet(mlirAffineMapGetResult(map, i), constant(ctx, -p->low[i]));
  return mlirAffineMapGet(ctx, mlirAffineMapGetNumDims(map), mlirAffineMapGetNumSymbols(map), n, e);
}
