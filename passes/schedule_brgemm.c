// schedule_brgemm.c: a contract on a CPU.
//
//   #sinter.brgemm<m = 32, n = 64, k = 256, tasks = 64, lanes = 16, unroll = 4>
//
// A task makes blocks of m rows; within one, products of m x k by k x n are
// summed in a scratch block, over which the row program runs while it is in cache.

#include "passes/schedule.h"

static int64_t at_most(int64_t block, int64_t size) {
  return size != SN_DYNAMIC && size < block ? (size > 0 ? size : 1) : block;
}

MlirAttribute sn_schedule_brgemm(const SnForm *f, const SnScheduleOptions *options) {
  int64_t rows = f->num_rows ? f->dims.data[f->num_rows - 1].size : 1, sum = 1;
  int64_t d = f->num_rows + f->num_cols;
  for (int64_t k = 0; k < f->products.data[0].num_dims; ++k)
    sum = sum == SN_DYNAMIC || f->dims.data[d + k].size == SN_DYNAMIC ? SN_DYNAMIC : sum * f->dims.data[d + k].size;
  // Packing a panel of weights is paid for by m rows; small problems still have two blocks for two threads.
  int64_t m = rows == SN_DYNAMIC || rows >= 512 ? 128 : rows >= 64 || rows <= 16 ? 32 : 16;
  int64_t lanes = sn_schedule_lanes(f, options->vector_bits);
  MlirLocation loc = mlirOperationGetLocation(f->op);
  return sn_schedule_attr(loc, "brgemm",
                          sn_parse_attr(mlirLocationGetContext(loc), "{m = %lld, n = %lld, k = %lld, tasks = 64, lanes = %lld, unroll = %lld}",
                                        (long long)at_most(m, rows), (long long)at_most(64, sn_row_length(f)),
                                        (long long)at_most(256, sum), (long long)lanes, (long long)sn_schedule_unroll(f, lanes)));
}
