// schedule_gpu_rows.c: a rowwise form on a GPU.
//
//   #sinter.gpu_rows<threads = 256, vector = 4, residency = "reread">
//
// A block of threads runs a row; a thread loads `vector` consecutive columns at
// once, 16 bytes of the narrowest row that it reads.

#include "passes/schedule.h"

MlirAttribute sn_schedule_gpu_rows(const SnForm *f, const SnScheduleOptions *options) {
  int64_t length = sn_row_length(f), vector = sn_schedule_lanes(f, 128), threads = 256;
  // Every row begins at a whole vector.
  while (vector > 1 && (length == SN_DYNAMIC || length % vector))
    vector /= 2;
  while (threads > 32 && length != SN_DYNAMIC && threads * vector / 2 >= length)
    threads /= 2;
  MlirLocation loc = mlirOperationGetLocation(f->op);
  return sn_schedule_attr(loc, "gpu_rows",
                          sn_parse_attr(mlirLocationGetContext(loc), "{threads = %lld, vector = %lld, residency = \"reread\"}",
                                        (long long)threads, (long long)vector));
}
