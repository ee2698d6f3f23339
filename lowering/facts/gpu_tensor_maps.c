// gpu_tensor_maps.c: see gpu_tensor_maps.h.
//
// test: test/passes/schedule/gpu_tiles.mlir, test/lowering/gpu/product_warpgroups.mlir

#include "lowering/facts/gpu_tensor_maps.h"

typedef enum { BY_SUM, BY_OUTER, BY_BATCH, BY_OTHER } By;

static intptr_t place_in(const SnGpuDims *dims, int64_t d) {
  for (size_t i = 0; i < dims->n; ++i)
    if (dims->dims[i] == d)
      return (intptr_t)i;
  return -1;
}

bool sn_gpu_is_flat(const SnForm *f, MlirAffineExpr e, const SnGpuDims *dims) {
  MlirContext ctx = mlirAffineExprGetContext(e);
  MlirAffineExpr all = mlirAffineConstantExprGet(ctx, 0);
  for (size_t i = 0; i < dims->n; ++i) {
    int64_t size = f->dims.data[dims->dims[i]].size;
    if (size == SN_DYNAMIC)
      return false;
    all = mlirAffineAddExprGet(mlirAffineMulExprGet(all, mlirAffineConstantExprGet(ctx, size)),
                               mlirAffineDimExprGet(ctx, (intptr_t)dims->dims[i]));
  }
  return dims->n > 1 && mlirAffineExprEqual(e, all);
}

// What a subscript of the access is; of the sum or of rows or columns, which one in their order.
static By subscript_of(const SnForm *f, MlirAffineExpr e, const SnGpuDims *sum, const SnGpuDims *outer,
                       const SnGpuDims *batch, intptr_t *place) {
  if (mlirAffineExprIsADim(e)) {
    int64_t d = mlirAffineDimExprGetPosition(e);
    if ((*place = place_in(sum, d)) >= 0)
      return BY_SUM;
    if ((*place = place_in(outer, d)) >= 0)
      return BY_OUTER;
  }
  if (sn_gpu_is_flat(f, e, outer))
    return BY_OUTER;
  for (size_t d = 0; d < f->dims.size; ++d)
    if (mlirAffineExprIsFunctionOfDim(e, (intptr_t)d) && place_in(batch, (int64_t)d) < 0)
      return BY_OTHER;
  return BY_BATCH;
}

int64_t sn_gpu_map_sum(const SnGpuProduct *p) {
  return SN_GPU_SWIZZLED_BYTES * 8 / (int64_t)sn_bits(sn_micro_packed(p->line->a, p->type));
}

// The dimensions of the memref from `last` down that are all of these, as one; 0: they are not. One alone may be
// longer.
static int64_t together(const SnForm *f, const SnAccess *a, const SnGpuDims *dims, intptr_t last, bool whole) {
  MlirType t = sn_type_of(a->value);
  int64_t n = (int64_t)dims->n;
  if (sn_gpu_is_flat(f, mlirAffineMapGetResult(a->map, last), dims))
    return 1;
  for (int64_t i = 0; i < n; ++i) {
    int64_t d = dims->dims[n - 1 - i], at = last - i;
    MlirAffineExpr e = at < 0 ? (MlirAffineExpr){0} : mlirAffineMapGetResult(a->map, at);
    if (at < 0 || !mlirAffineExprIsADim(e) || mlirAffineDimExprGetPosition(e) != d)
      return 0;
    bool slowest = i == n - 1 && !whole, longer = n == 1 && sn_dim(t, at) > f->dims.data[d].size;
    if (!slowest && (sn_dim(t, at) == SN_DYNAMIC || (sn_dim(t, at) != f->dims.data[d].size && !longer)))
      return 0;
  }
  return n;
}

bool sn_gpu_copies_fill(const SnForm *f, const SnAccess *a, const SnGpuDims *outer) {
  double fill;
  bool flat = false;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i)
    flat |= sn_gpu_is_flat(f, mlirAffineMapGetResult(a->map, i), outer);
  return !a->fill.ptr || (flat && sn_attr_number(a->fill, &fill) && fill == 0);
}

static bool refuse(const char **why, const char *text) {
  if (why)
    *why = text;
  return false;
}

bool sn_gpu_side_map(const SnForm *f, const SnGpuPoints *points, const SnGpuProduct *p, bool is_a, int64_t extent,
                     SnGpuSideMap *to, const char **why) {
  SnSide side = sn_side(f, is_a ? p->a : p->b);
  const SnAccess *a = &f->inputs.data[side.first];
  const SnGpuDims *outer = is_a ? &points->rows : &points->columns;
  SnGpuDims sum = {0};
  MlirType t = sn_type_of(a->value), packed = sn_micro_packed(is_a ? p->line->a : p->line->b, p->type);
  int64_t bits = (int64_t)sn_bits(packed), line = SN_GPU_SWIZZLED_BYTES * 8 / bits,
          stride = 1; // in elements: a multiple of that, where sizes are `?`
  for (int64_t d = p->summed.first; d < p->summed.first + p->summed.num_dims; ++d)
    sum.dims[sum.n++] = d;
  *to = (SnGpuSideMap){.map.operand = (intptr_t)side.first, .map.tf32 = p->line->a == SN_TF32, .sum = -1, .outer = -1};
  if (!sn_gpu_copies_fill(f, a, outer) || a->through.ptr || !mlirTypeEqual(sn_element(t), packed))
    return refuse(why, "a side has a fill value, an index tensor or a type that is converted");
  if (!sum.n || extent > SN_GPU_BOX_MOST)
    return refuse(why, "nothing is summed");
  for (intptr_t i = sn_rank(t) - 1; i >= 0;) {
    intptr_t place;
    By by = subscript_of(f, mlirAffineMapGetResult(a->map, i), &sum, outer, &points->batch, &place);
    int64_t count = by == BY_SUM     ? together(f, a, &sum, i, !p->any_sum)
                    : by == BY_OUTER ? together(f, a, outer, i, false)
                                     : by == BY_BATCH;
    if (!count || to->map.rank == SN_GPU_MAP_DIMS)
      return refuse(why, "a side's subscripts are not each all of the sum, all rows or columns, or of the batch");
    if (to->map.rank && stride * bits % 128)
      return refuse(why, "lines of a side are no multiples of 16 bytes, or of unknown length");
    if (by == BY_SUM)
      to->sum = to->map.rank;
    if (by == BY_OUTER)
      to->outer = to->map.rank;
    to->map.dims[to->map.rank++] = (SnGpuMapDim){.first = i - count + 1, .count = count, .box = 1};
    for (int64_t n = 0; n < count; ++n, --i)
      stride = sn_dim(t, i) == SN_DYNAMIC ? stride : sn_times(stride, sn_dim(t, i));
  }
  if (to->sum < 0 || (to->outer < 0 && outer->n) || (to->sum && to->outer))
    return refuse(why, "neighbours of a side are of the batch");
  if (stride == 0)
    return refuse(why, "nothing is summed");
  to->along_sum = !to->sum;
  if (!to->along_sum && (bits != 16 || extent % line))
    return refuse(why, "a side that is not along the sum has no type of 16 bits, or the tile is not 64 wide");
  to->map.dims[to->sum].box = line;
  if (sum.n == 1 && sn_dim(t, to->map.dims[to->sum].first) != f->dims.data[sum.dims[0]].size)
    to->map.dims[to->sum].size = f->dims.data[sum.dims[0]].size;
  if (outer->n)
    to->map.dims[to->outer].box = to->along_sum ? extent : line;
  to->copies = to->along_sum ? 1 : extent / line;
  to->bytes = (outer->n ? extent : 1) * SN_GPU_SWIZZLED_BYTES;
  return true;
}

void sn_gpu_divide_copies(SnGpuSideMap *m) {
  if (!m->along_sum || m->outer < 0)
    return;
  m->copies = m->map.dims[m->outer].box / SN_GPU_COPY_LINES;
  m->map.dims[m->outer].box = SN_GPU_COPY_LINES;
}
