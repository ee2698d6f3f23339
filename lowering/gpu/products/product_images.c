// product_images.c: windows of an image, which the copy engine brings into a slot.
//
//   x[n, y * 2 + r - 1, x * 2 + s - 1, c .. c + 64] of points (n, y, x) from a tile's first one on
//   ->   at (c, x * 2 - 1, y * 2 - 1, n), (s, r) behind it
//
// Behind the end of the sum the channel is one that the image does not have, so that all of the line is zero.
//
// test: test/lowering/gpu/product_images.mlir, test/gpu/emulate_warpgroups.test

#include "lowering/facts/gpu_windows.h"
#include "lowering/gpu/products/product_slots.h"
#include "lowering/gpu/products/wgmma.h"

static MlirType i32_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 32); }
static MlirValue i32_of(SnBuilder *b, int64_t v) { return sn_int(b, i32_type(b), v); }
static MlirValue as_i32(SnBuilder *b, MlirValue index) { return sn(b, "arith.index_cast", index, i32_type(b)); }

// A number of the last of n dimensions of these sizes, taken apart: to[n]. Behind the end the first is too large.
static void take_apart(SnBuilder *b, MlirValue linear, const int64_t *sizes, size_t n, MlirValue *to) {
  for (size_t i = n; i-- > 0;) {
    to[i] = i ? sn(b, "arith.remui", linear, i32_of(b, sizes[i])) : linear;
    linear = i ? sn(b, "arith.divui", linear, i32_of(b, sizes[i])) : linear;
  }
}

void sn_gpu_copy_image(SnBuilder *b, const SnGpuProducts *g, const SnGpuImageSide *image, MlirValue map, MlirValue to,
                       MlirValue outer, MlirValue sum, MlirValue full, MlirValue blocks) {
  const SnForm *f = g->form;
  const SnGpuDims *points = image->outer;
  SnGroup summed = image->summed;
  int64_t sizes[SN_MAX_DIMS], all = 1, channel = summed.num_dims - 1;
  MlirValue taps[SN_MAX_DIMS], dims[SN_MAX_DIMS], at[SN_GPU_MAP_DIMS], behind[SN_GPU_MAP_WINDOWS],
      zero = i32_of(b, 0);
  for (int64_t i = 0; i < summed.num_dims; ++i)
    all *= sizes[i] = f->dims.data[summed.first + i].size;
  MlirValue there = sn_gpu_inside(b, sum, sn_index(b, all), g->plan->k * g->plan->split);
  take_apart(b, as_i32(b, sum), sizes, (size_t)summed.num_dims, taps);
  at[0] = sn(b, "arith.select", there, taps[channel], i32_of(b, sizes[channel]));
  for (size_t d = 0; d < f->dims.size; ++d)
    dims[d] = sn_none(g->dims[d]) ? zero : as_i32(b, g->dims[d]);
  for (size_t i = 0; i < points->n; ++i)
    sizes[i] = f->dims.data[points->dims[i]].size;
  MlirValue point[SN_MAX_DIMS];
  take_apart(b, as_i32(b, outer), sizes, points->n, point);
  for (size_t i = 0; i < points->n; ++i)
    dims[points->dims[i]] = point[i];
  for (int i = 1; i < image->side->map.rank; ++i) {
    int64_t factors[SN_MAX_DIMS], first = sn_gpu_subscript(f, image->access, image->side->map.dims[i].first, factors);
    MlirValue place = i32_of(b, first), tap = zero;
    for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
      bool is_tap = d >= summed.first && d < summed.first + summed.num_dims;
      if (!factors[d])
        continue;
      MlirValue *sums = is_tap ? &tap : &place, x = is_tap ? taps[d - summed.first] : dims[d];
      *sums = sn(b, "arith.addi", *sums, sn(b, "arith.muli", x, i32_of(b, factors[d])));
    }
    at[i] = place;
    if (i <= image->side->map.num_windows)
      behind[i - 1] = sn(b, "arith.trunci", sn(b, "arith.select", there, tap, zero), mlirIntegerTypeGet(b->ctx, 16));
  }
  sn_wgmma_copy_at(b, image->side, map, at, behind, to, full, blocks);
}
