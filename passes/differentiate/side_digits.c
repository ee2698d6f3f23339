// side_digits.c: a dimension of which a side of a product reads a digit becomes two.
//
//   %k[h floordiv 4, j, d], h = 8            h is counted as g * 4 + h1, and %k[g, j, d]
//   %x[c mod 16], c = 64                     c is counted as c1 * 16 + k, and %x[k]
//
// test: test/passes/differentiate/adjoint_products.mlir

#include "passes/differentiate/differentiate.h"

// What a quotient or a remainder is taken of, and by what; false where the expression is neither, of a dimension alone.
static bool read_digit(MlirAffineExpr e, intptr_t *d, int64_t *by) {
  if (mlirAffineExprIsAMod(e) && mlirAffineExprIsAFloorDiv(mlirAffineBinaryOpExprGetLHS(e)))
    e = mlirAffineBinaryOpExprGetLHS(e);
  if (!mlirAffineExprIsAMod(e) && !mlirAffineExprIsAFloorDiv(e))
    return false;
  MlirAffineExpr of = mlirAffineBinaryOpExprGetLHS(e);
  *by = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e));
  *d = mlirAffineExprIsADim(of) ? mlirAffineDimExprGetPosition(of) : -1;
  return *d >= 0 && *by > 1;
}

// Dimension d of f becomes two, d * by + what stands behind it, in every access and in `points`.
static void split_dim(SnForm *f, MlirContext ctx, intptr_t d, int64_t size, int64_t by, MlirAffineMap *points) {
  SnDim low = {sn_fresh_name(ctx, f, "k"), by};
  intptr_t n = (intptr_t)f->dims.size + 1;
  MlirAffineExpr to[SN_SIDE_DIMS];
  int64_t sizes[SN_SIDE_DIMS];
  sn_push(&f->dims, low);
  memmove(&f->dims.data[d + 2], &f->dims.data[d + 1], (size_t)(n - d - 2) * sizeof low);
  f->dims.data[d].size = size;
  f->dims.data[d + 1] = low;
  for (intptr_t e = 0; e < n; ++e) {
    sizes[e] = f->dims.data[e].size;
    to[e > d ? e - 1 : e] = mlirAffineDimExprGet(ctx, e);
  }
  to[d] = mlirAffineAddExprGet(mlirAffineMulExprGet(mlirAffineDimExprGet(ctx, d), mlirAffineConstantExprGet(ctx, by)),
                               mlirAffineDimExprGet(ctx, d + 1));
  SN_VEC(MlirAffineMap *) maps = {0};
  sn_push(&maps, points);
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_push(&maps, &f->inputs.data[k].map);
  for (size_t k = 0; k < f->indices.size; ++k)
    sn_push(&maps, &f->indices.data[k].map);
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&maps, &f->outputs.data[k].map);
  for (size_t k = 0; k < maps.size; ++k)
    *maps.data[k] = sn_map_simplify(sn_map_replace(*maps.data[k], n, to), sizes);
  sn_vec_free(&maps);
  f->num_rows += d < f->num_rows;
  f->num_cols += d >= f->num_rows && d < f->num_rows + f->num_cols;
  for (size_t p = 0, end = (size_t)(f->num_rows + f->num_cols); p < f->products.size && d >= (intptr_t)end; ++p) {
    bool own = d < (intptr_t)end + f->products.data[p].num_dims;
    end += (size_t)f->products.data[p].num_dims;
    f->products.data[p].num_dims += own;
    if (own)
      break;
  }
}

bool sn_split_digit(SnForm *f, size_t side, MlirContext ctx, MlirAffineMap *points, bool *past) {
  const SnAccess *a = &f->inputs.data[side];
  for (intptr_t p = 0, d; p < mlirAffineMapGetNumResults(a->map) && f->dims.size + 1 < SN_SIDE_DIMS; ++p) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, p);
    int64_t by;
    if (!read_digit(e, &d, &by))
      continue;
    int64_t size = f->dims.data[d].size, all = sn_dim(sn_type_of(a->value), p),
            high = mlirAffineExprIsAFloorDiv(e) ? all
                   : size == SN_DYNAMIC         ? -1
                                                : (size + by - 1) / by;
    if (high == -1)
      return false;
    *past |= size == SN_DYNAMIC || high == SN_DYNAMIC || high * by != size;
    split_dim(f, ctx, d, high, by, points);
    return true;
  }
  return false;
}
