// gpu_taps.c: see gpu_taps.h.
//
// Both ways are as fast as memory: an H200 reads windows of half types for few filters at 1.9 to 5.4 TB/s, each element
// once for each tap, and multiplies an image by all taps at 2 to 3.2 TB/s, what it writes included (8 filters 7 x 7 of
// 384 channels: 0.141 and 0.033 ms; 16 filters 3 x 3 of 436 0.123 and 0.041; 6 filters 5 x 5 of 20 0.077 and 0.089).
//
// test: test/passes/arrange/tap_products.mlir

#include "lowering/facts/gpu_taps.h"
#include "lowering/facts/product_sides.h"
#include "lowering/rows/rowmemory.h"

enum {
  MOST_FILTERS = 32,         // more are a tile of a product of windows
  LEAST_TAPS = 3,
  LAUNCH_BYTES = 12 << 20,   // that memory moves while more kernels begin and end
  MOST_SUMS = 1 << 30,       // bytes that pixels, taps and filters take
};
static const double GAIN = 1.6, // that is worth it: of bytes
    OF_ONE_FILTER = 2;          // times that: windows are rows then, which are read at 5 TB/s (passes/split/few.c)

static bool is_static(const SnForm *f) {
  bool known = true;
  for (size_t d = 0; d < f->dims.size; ++d)
    known &= f->dims.data[d].size > 0; // SN_DYNAMIC is negative
  for (size_t k = 0; k < 2; ++k)
    known &= mlirShapedTypeHasStaticShape(sn_type_of(f->inputs.data[k].value)) && !f->inputs.data[k].through.ptr;
  return known;
}

static bool is_summed(SnGroup sum, int64_t d) { return d >= sum.first && d < sum.first + sum.num_dims; }

// Subscripts are dimensions, each by itself and all of it, or there is one element.
static bool is_plain(const SnForm *f, const SnAccess *a) {
  bool plain = !a->fill.ptr, used[SN_MAX_DIMS] = {false};
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map) && plain; ++i) {
    intptr_t d = sn_map_dim(a->map, i);
    int64_t size = sn_dim(sn_type_of(a->value), i);
    plain = d < 0 ? size == 1 && mlirAffineExprIsAConstant(mlirAffineMapGetResult(a->map, i))
                  : !used[d] && f->dims.data[d].size == size;
    if (plain && d >= 0)
      used[d] = true;
  }
  return plain;
}

static intptr_t uses_of(const SnAccess *a, int64_t d) {
  intptr_t n = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i)
    n += mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(a->map, i), (intptr_t)d);
  return n;
}

// Which subscripts are channels; whether others are windows.
static bool find_channels(const SnForm *f, SnGroup sum, const SnAccess *x, SnGpuTaps *to) {
  bool windows = false;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(x->map); ++i) {
    intptr_t d = sn_map_dim(x->map, i);
    to->channel[i] = d >= 0 && is_summed(sum, d) && uses_of(x, d) == 1 ? d : -1;
    if (to->channel[i] >= 0)
      to->is_channel[d] = true;
    MlirAffineExpr e = mlirAffineMapGetResult(x->map, i);
    for (int64_t s = sum.first; s < sum.first + sum.num_dims && to->channel[i] < 0; ++s)
      windows |= f->dims.data[s].size > 1 && mlirAffineExprIsFunctionOfDim(e, (intptr_t)s);
  }
  return windows;
}

static bool is_zero(MlirAttribute fill) {
  return !fill.ptr || (mlirAttributeIsAFloat(fill) && mlirFloatAttrGetValueDouble(fill) == 0);
}

// Bytes that windows are, and that the image and its products by all taps are.
static bool is_less(const SnForm *f, SnGroup sum, const SnGpuTaps *to) {
  const SnAccess *x = &f->inputs.data[to->image], *w = &f->inputs.data[to->weights];
  int64_t points = 1, filters = 1, taps = 1, channels = 1, pixels = 1,
          bytes = (int64_t)sn_bits(sn_element(sn_type_of(x->value))) / 8;
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
    int64_t *of = to->is_channel[d] ? &channels : is_summed(sum, d) ? &taps : uses_of(w, d) ? &filters : &points;
    *of = sn_times(*of, f->dims.data[d].size);
  }
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(x->map); ++i)
    pixels = to->channel[i] < 0 ? sn_times(pixels, sn_dim(sn_type_of(x->value), i)) : pixels;
  int64_t sums = sn_times(sn_times(pixels, 4), sn_times(taps, filters)),
          windows = sn_times(sn_times(points, taps), sn_times(channels, bytes)),
          image = sn_times(pixels, sn_times(channels, bytes));
  double all = GAIN * ((double)image + 2 * (double)sums) + LAUNCH_BYTES;
  return filters <= MOST_FILTERS && taps >= LEAST_TAPS && sums <= MOST_SUMS &&
         (double)windows >= (filters > 1 ? all : OF_ONE_FILTER * all);
}

const char *sn_gpu_not_taps(const SnForm *f, SnGpuTaps *to) {
  if (!f->contract || f->products.size != 1 || !sn_is_plain(f) || sn_joins_rows(f) ||
      !sn_cpu_by_columns(f) || !is_static(f))
    return "it is no product alone, of known sizes, whose rows go by elements";
  SnGroup sum = sn_side_summed(f, 0);
  if (!sn_gpu_has_kernel(f, "wgmma") || sn_bits(sn_side_element(f, 0)) != 16 || sn_bits(sn_side_element(f, 1)) != 16)
    return "its sides are no half types";
  for (size_t image = 0; image < 2; ++image) {
    *to = (SnGpuTaps){.image = image, .weights = 1 - image};
    const SnAccess *x = &f->inputs.data[image], *w = &f->inputs.data[1 - image];
    bool apart = true;
    for (int64_t d = 0; d < f->num_rows + f->num_cols; ++d)
      apart &= (uses_of(x, d) > 0) != (uses_of(w, d) > 0);
    if (is_plain(f, w) && is_zero(x->fill) && apart && find_channels(f, sum, x, to))
      return is_less(f, sum, to) ? NULL : "windows are less than an image and what it is times all taps";
  }
  return "neither side is an image, and the other one filters";
}
