// gpu_image_maps.c: windows that the copy engine fetches; see gpu_tensor_maps.h.
//
//   product (r, s, c) (%w[o, r, s, c], %x[n, y * 2 + r - 1, x * 2 + s - 1, c] else 0.0)
//   ->   windows of x and y: step 2, from -1 on; of a line r and s are how far behind each of its points
//
// Limits are those of a map and of an instruction. (CUDA driver API, "cuTensorMapEncodeIm2col"; PTX ISA, "im2col
// mode".)
//
// test: test/lowering/gpu/product_images.mlir, test/gpu/emulate_warpgroups.test

#include "lowering/facts/gpu_tensor_maps.h"
#include "lowering/facts/gpu_windows.h"
#include "lowering/rows/rowmemory.h"

enum { MOST_STEP = 8, LEAST_RANK = 3 };

// By how many dimensions an image has: how far behind a point a tap may be, and how far corners beside the image.
static const int64_t farthest[] = {[1] = 65535, [2] = 255, [3] = 31}, corners[] = {[1] = 32767, [2] = 127, [3] = 15};

typedef struct {
  const SnForm *f;
  const SnAccess *a;
  const SnGpuDims *outer;
  SnGroup sum;
  int64_t inner;     // dimension of the channels
  size_t num_points; // of the outer dimensions, from the slowest on: those that have been found
} Image;

static bool is_summed(const Image *g, int64_t d) { return d >= g->sum.first && d < g->sum.first + g->sum.num_dims; }

static bool is_outer(const Image *g, int64_t d) {
  bool is = false;
  for (size_t i = 0; i < g->outer->n; ++i)
    is |= g->outer->dims[i] == d;
  return is;
}

// The only outer dimension of these factors, or -1; false: there are two, or it is not the next one.
static bool take_point(Image *g, const int64_t *factors, int64_t *point) {
  *point = -1;
  for (size_t d = 0; d < g->f->dims.size; ++d) {
    if (!factors[d] || !is_outer(g, (int64_t)d))
      continue;
    if (*point >= 0 || g->outer->dims[g->num_points] != (int64_t)d)
      return false;
    *point = (int64_t)d;
    ++g->num_points;
  }
  return true;
}

// An image of each outer point, or one for all.
static bool is_number_of_image(Image *g, intptr_t i) {
  int64_t factors[SN_MAX_DIMS], first = sn_gpu_subscript(g->f, g->a, i, factors), point;
  for (int64_t d = g->sum.first; d < g->sum.first + g->sum.num_dims; ++d)
    if (factors[d])
      return false;
  return take_point(g, factors, &point) && (point < 0 || (factors[point] == 1 && !first));
}

static bool is_window(Image *g, intptr_t i, int64_t images, SnGpuMapWindow *to) {
  int64_t factors[SN_MAX_DIMS], first = sn_gpu_subscript(g->f, g->a, i, factors), point, behind = 0,
          size = sn_dim(sn_type_of(g->a->value), i);
  if (size == SN_DYNAMIC || factors[g->inner] || !take_point(g, factors, &point))
    return false;
  for (int64_t d = 0; d < (int64_t)g->f->dims.size; ++d) {
    if (!factors[d] || d == point)
      continue;
    int64_t taps = g->f->dims.data[d].size;
    if (!is_summed(g, d) || factors[d] < 0 || taps < 1)
      return false;
    behind += factors[d] * (taps - 1);
  }
  int64_t points = point < 0 ? 1 : g->f->dims.data[point].size;
  *to = (SnGpuMapWindow){.step = point < 0 ? 1 : factors[point], .lower = first};
  to->upper = first + to->step * (points - 1) - (size - 1);
  return points > 0 && to->step >= 1 && to->step <= MOST_STEP && behind <= farthest[images] &&
         to->lower >= -corners[images] && to->lower <= corners[images] && to->upper >= -corners[images] &&
         to->upper <= corners[images];
}

// How much is summed is known, and a number of 32 bits.
static bool sums_are_known(const Image *g) {
  int64_t all = 1;
  for (int64_t d = g->sum.first; d < g->sum.first + g->sum.num_dims; ++d) {
    if (g->f->dims.data[d].size < 1)
      return false;
    all = sn_times(all, g->f->dims.data[d].size);
  }
  return all < INT32_MAX;
}

// All subscripts but the channels', number `channel`: which image it is, then its windows, the fastest first in `to`.
static bool is_image(Image *g, intptr_t channel, SnGpuMapWindow *to) {
  MlirType t = sn_type_of(g->a->value);
  int64_t images = sn_rank(t) - 2, factors[SN_MAX_DIMS], found = 0;
  double fill = 0;
  if (images < 1 || images > SN_GPU_MAP_WINDOWS || g->a->through.ptr || !g->sum.num_dims ||
      (g->a->fill.ptr && (!sn_attr_number(g->a->fill, &fill) || fill != 0)) || !mlirShapedTypeHasStaticShape(t) ||
      !sn_linear_factors(g->a->map, t, factors) || !sums_are_known(g))
    return false;
  for (intptr_t i = 0; i < sn_rank(t); ++i) {
    if (i == channel)
      continue;
    if (found ? !is_window(g, i, images, &to[images - found]) : !is_number_of_image(g, i))
      return false;
    ++found;
  }
  return g->num_points == g->outer->n;
}

static Image image_of(const SnForm *f, const SnGpuPoints *points, const SnGpuProduct *p, bool is_a, int64_t inner) {
  return (Image){.f = f,
                 .a = &f->inputs.data[sn_side(f, is_a ? p->a : p->b).first],
                 .outer = is_a ? &points->rows : &points->columns,
                 .sum = p->summed,
                 .inner = inner};
}

bool sn_gpu_may_be_image(const SnForm *f, const SnGpuPoints *points, const SnGpuProduct *p, bool is_a, int64_t inner) {
  Image g = image_of(f, points, p, is_a, inner);
  SnGpuMapWindow windows[SN_GPU_MAP_WINDOWS];
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(g.a->map); ++i) {
    MlirAffineExpr e = mlirAffineMapGetResult(g.a->map, i);
    if (mlirAffineExprIsADim(e) && mlirAffineDimExprGetPosition(e) == inner)
      return is_image(&g, i, windows);
  }
  return false;
}

bool sn_gpu_image_map(const SnForm *f, const SnGpuPoints *points, const SnGpuProduct *p, bool is_a, int64_t extent,
                      SnGpuSideMap *to) {
  int64_t inner = p->summed.first + p->summed.num_dims - 1;
  Image g = image_of(f, points, p, is_a, inner);
  MlirType t = sn_type_of(g.a->value), packed = sn_micro_packed(is_a ? p->line->a : p->line->b, p->type);
  int64_t line = SN_GPU_SWIZZLED_BYTES * 8 / (int64_t)sn_bits(packed);
  intptr_t last = sn_rank(t) - 1;
  SnGpuTensorMap map = {.operand = (intptr_t)sn_side(f, is_a ? p->a : p->b).first, .rank = (int)last + 1};
  if (p->line->a == SN_TF32 || !mlirTypeEqual(sn_element(t), packed) || extent > SN_GPU_BOX_MOST ||
      !is_image(&g, last, map.windows))
    return false;
  MlirAffineExpr e = mlirAffineMapGetResult(g.a->map, last);
  int64_t size = f->dims.data[inner].size;
  if (!mlirAffineExprIsADim(e) || mlirAffineDimExprGetPosition(e) != inner || size % line || sn_dim(t, last) != size)
    return false; // a line of the slot would have channels of two taps
  map.num_windows = map.rank - 2;
  for (int i = 0; i < map.rank; ++i)
    map.dims[i] = (SnGpuMapDim){.first = last - i, .count = 1, .box = i > 1 ? 1 : i ? extent : line};
  *to = (SnGpuSideMap){
      .map = map, .sum = 0, .outer = 1, .along_sum = true, .copies = 1, .bytes = extent * SN_GPU_SWIZZLED_BYTES};
  return true;
}
