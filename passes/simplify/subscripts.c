// subscripts.c: a subscript is as short as the sizes of its dimensions allow.
//
//   sinter.rowwise (g = 4, h = 2) by (j = 8) ins(%x[g + h floordiv 2, h mod 2, j])
// ->
//   sinter.rowwise (g = 4, h = 2) by (j = 8) ins(%x[g, h, j])
//
// Subscripts through reshapes compose to quotients and remainders, and which of them are none shows only when a
// dimension's size is known beside them. One that is left hides that two forms read the same element, and is thought
// to be read element by element. What an access uses stays what it uses: that says whether it gives a row or a scalar,
// and a product's side uses all that is summed.
//
// runs in: simplify, fuse    test: test/passes/simplify/subscripts.mlir

#include "passes/simplify/simplify.h"

static MlirAffineMap simplified(MlirAffineMap map, const SnForm *f, const int64_t *sizes) {
  if (sn_map_is_linear(map))
    return map;
  MlirAffineMap simple = sn_map_simplify(map, sizes);
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    bool used = false, still = false;
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i) {
      used |= mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, i), d);
      still |= mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(simple, i), d);
    }
    if (used != still)
      return map;
  }
  return simple;
}

bool sn_simplify_subscripts(MlirOperation op) {
  MlirAttribute old = sn_get_attr(op, "maps");
  intptr_t n = old.ptr ? mlirArrayAttrGetNumElements(old) : 0;
  bool any = false;
  for (intptr_t k = 0; k < n && !any; ++k)
    any = !sn_map_is_linear(mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(old, k)));
  if (!any || sn_get_attr(op, "schedule").ptr)
    return false;
  SnForm f = sn_form_read(op);
  int64_t sizes[SN_MAX_DIMS];
  for (size_t d = 0; d < f.dims.size; ++d)
    sizes[d] = f.dims.data[d].size;
  MlirAttribute *maps = sn_alloc((size_t)n * sizeof *maps);
  for (intptr_t k = 0; k < n; ++k) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(old, k));
    maps[k] = mlirAffineMapAttrGet(simplified(map, &f, sizes));
  }
  MlirAttribute simple = mlirArrayAttrGet(mlirOperationGetContext(op), n, maps);
  bool changed = !mlirAttributeEqual(simple, old);
  if (changed)
    sn_set_attr(op, "maps", simple);
  free(maps);
  sn_form_free(&f);
  return changed;
}
