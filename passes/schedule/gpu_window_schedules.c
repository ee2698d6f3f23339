// gpu_window_schedules.c: a convolution on a GPU whose windows threads read where they lie.
//
//   #sinter.mma<kernel = "fma.window", m = 16, n = 128, k = 8, threads = 128, patch = 16, split = 2, occupancy = 4>
//
// Of f32, with neighbours of the image in the last dimension. Which tile costs least, and whether sides had better be
// written for a product, lowering/facts/gpu_window_tiles.c says: sinter-split and sinter-arrange ask it, too.
//
// test: test/passes/schedule/gpu_window_tiles.mlir

#include "dialect/sequence.h"
#include "lowering/facts/gpu_window_tiles.h"
#include "passes/schedule/schedule.h"

MlirAttribute sn_schedule_gpu_windows(const SnForm *f, const SnScheduleOptions *options) {
  SnGpuWindowTile t;
  bool exact = !options->allow_tf32 && !options->f32_parts;
  if (sn_in_sequence(f->op) || !sn_gpu_window_tile(f, sn_gpu_chip(options->chip), exact, &t))
    return mlirAttributeGetNull();
  MlirLocation loc = mlirOperationGetLocation(f->op);
  return sn_schedule_attr(
      loc, "mma",
      sn_parse_attr(mlirLocationGetContext(loc),
                    "{kernel = \"fma.window\", m = %lld, n = %lld, k = %lld, threads = %lld, patch = %lld, "
                    "split = %lld, occupancy = %lld}",
                    (long long)t.m, (long long)t.n, (long long)t.k, (long long)t.threads, (long long)t.patch,
                    (long long)t.split, (long long)t.occupancy));
}
