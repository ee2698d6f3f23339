// gpu_windows.c: see gpu_windows.h.
//
// test: test/lowering/gpu/product_windows.mlir, test/passes/schedule/gpu_window_tiles.mlir

#include "lowering/facts/gpu_windows.h"
#include "dialect/row_ops.h"
#include "lowering/facts/product_sides.h"
#include "lowering/rows/rowmemory.h"

enum { MOST_TAPS = 128, MOST_STRIDE = 2 };

int64_t sn_gpu_subscript(const SnForm *f, const SnAccess *a, intptr_t i, int64_t *factors) {
  memset(factors, 0, SN_MAX_DIMS * sizeof *factors);
  MlirAffineExpr e = mlirAffineMapGetResult(a->map, i);
  int64_t zeros[SN_MAX_DIMS], low = 0, high = 0;
  for (size_t d = 0; d < f->dims.size; ++d)
    zeros[d] = 1; // all dimensions are 0
  sn_affine_factors(e, factors);
  sn_affine_range(e, zeros, &low, &high);
  return low;
}

static bool is_known(const SnForm *f, const SnAccess *a) {
  int64_t factors[SN_MAX_DIMS], offset;
  MlirType t = sn_type_of(a->value);
  return !a->through.ptr && mlirShapedTypeHasStaticShape(t) && sn_linear_factors(a->map, t, factors) &&
         sn_linear_offset(a->map, t, &offset);
}

static bool is_zero(MlirAttribute fill) {
  return !fill.ptr || (mlirAttributeIsAFloat(fill) && mlirFloatAttrGetValueDouble(fill) == 0);
}

static bool is_static(const SnForm *f) {
  bool known = true;
  for (size_t d = 0; d < f->dims.size; ++d)
    known &= f->dims.data[d].size > 0; // SN_DYNAMIC is negative
  return known;
}

// Some subscript moves with both.
static bool moves_with(const SnForm *f, const SnAccess *a, int64_t d, int64_t first, int64_t end) {
  bool moves = false;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i)
    for (int64_t s = first; s < end; ++s)
      moves |= f->dims.data[s].size != 1 && mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(a->map, i), d) &&
               mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(a->map, i), s);
  return moves;
}

const char *sn_gpu_not_window(const SnForm *f, int64_t sums, SnGpuWindow *to) {
  if (!f->contract || f->products.size != 1 || !sn_is_plain(f) || sn_joins_rows(f) || !sn_cpu_by_columns(f) ||
      !is_static(f))
    return "it is no product alone, of known sizes, whose rows go by elements";
  SnGpuProduct p = sn_gpu_product(f, 0, "fma.window");
  SnGpuPoints points = sn_gpu_points(f);
  if (!p.line || sn_bits(sn_side_element(f, p.b)) != 32)
    return "it is not of f32";
  size_t input = sn_side(f, p.b).first;
  const SnAccess *x = &f->inputs.data[input], *w = &f->inputs.data[sn_side(f, p.a).first];
  if (!is_known(f, x) || !is_known(f, w) || w->fill.ptr || !is_zero(x->fill))
    return "a side is read through indices, by quotients, or has a fill value that is not 0";
  if (!points.columns.n || !p.summed.num_dims)
    return "it has no columns, or sums nothing";
  int64_t end = p.summed.first + p.summed.num_dims, last = points.columns.dims[points.columns.n - 1],
          factors[SN_MAX_DIMS];
  *to = (SnGpuWindow){.input = input,
                      .taps = 1,
                      .loop = 1,
                      .first_tap = end,
                      .x = last,
                      .y = points.columns.n > 1 ? points.columns.dims[points.columns.n - 2] : -1};
  sn_linear_factors(x->map, sn_type_of(x->value), factors);
  if (factors[last] < 1 || factors[last] > MOST_STRIDE || !moves_with(f, x, last, p.summed.first, end))
    return "neighbouring columns are no windows that lie together";
  to->down = to->y >= 0 && moves_with(f, x, to->y, p.summed.first, end);
  // The innermost dimensions are taps as far as code is no longer than so.
  for (int64_t d = end; d-- > p.summed.first;) {
    int64_t size = f->dims.data[d].size;
    bool is_tap = d + 1 == to->first_tap && to->taps * size <= MOST_TAPS &&
                  (to->taps * size * sums <= SN_GPU_WINDOW_WRITTEN_OUT || to->taps == 1) &&
                  (size == 1 || moves_with(f, x, last, d, d + 1) || (to->down && moves_with(f, x, to->y, d, d + 1)));
    if (is_tap) {
      to->taps *= size;
      to->first_tap = d;
    } else {
      to->loop = sn_times(to->loop, size);
    }
  }
  return to->taps > 1 ? NULL : "what is summed innermost is no window";
}

int64_t sn_gpu_window_filters(int64_t m) { return m < SN_GPU_WINDOW_FILTERS ? m : SN_GPU_WINDOW_FILTERS; }

// Eight taps of four filters, which the lanes of a warp store at once, are in different banks.
int64_t sn_gpu_window_line(int64_t m) { return m < 8 ? m : m + 4; }

int64_t sn_gpu_window_lanes(const SnGpuWindow *w, int64_t n, int64_t patch) { return w->down ? patch : patch * 32 / n; }

int64_t sn_gpu_window_bytes(const SnGpuWindow *w, int64_t m, int64_t k) {
  return k * w->taps * sn_gpu_window_line(m) * 4;
}

int64_t sn_gpu_window_loads(const SnForm *f, const SnGpuWindow *w, int64_t points) {
  if (!w->down)
    return w->taps * points;
  const SnAccess *x = &f->inputs.data[w->input];
  SnGroup sum = sn_side_summed(f, 0);
  int64_t lines = points;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(x->map); ++i) {
    int64_t factors[SN_MAX_DIMS], span, own = 1;
    sn_gpu_subscript(f, x, i, factors);
    if (!factors[w->y])
      continue;
    span = (points - 1) * (factors[w->y] < 0 ? -factors[w->y] : factors[w->y]) + 1;
    for (int64_t d = w->first_tap; d < sum.first + sum.num_dims; ++d)
      if (factors[d]) {
        own *= f->dims.data[d].size;
        span += (f->dims.data[d].size - 1) * (factors[d] < 0 ? -factors[d] : factors[d]);
      }
    lines = span < points * own ? span : points * own;
    return lines * (w->taps / own);
  }
  return w->taps * points;
}
