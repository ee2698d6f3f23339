// gpu_sequences.c: the blocks that forms of a sequence share.
//
//   #sinter.gpu_sequence<threads = 512, blocks = 132, occupancy = 1, ahead = 26214400>
//
// Blocks are as large as the largest of a form, one for each multiprocessor. A form with smaller blocks has several of
// them side by side. What is asked for ahead of its phase is half of the second cache at most, so that it is still
// there when its phase begins.
//
// An H200: 20 steps of an LSTM 118 us by a block of 512 threads on each multiprocessor, 184 by two, for their forms
// spill with 64 registers; eight products of a row 16.6 and 18.5, for fewer blocks have to be counted.
//
// test: test/passes/schedule/gpu_sequences.mlir

#include "dialect/schedules.h"
#include "dialect/sequence.h"
#include "passes/schedule/schedule.h"
#include "target/chips.h"

enum {
  THREADS = 512,      // of a block, one on a multiprocessor: 128 registers each
  BULK_PREFETCH = 90, // the chip that has it
};

MlirAttribute sn_schedule_gpu_sequence(MlirOperation op, const SnScheduleOptions *options) {
  const SnGpuChip *chip = sn_gpu_chip(options->chip);
  SnSequence s = sn_sequence_read(op);
  int64_t threads = THREADS;
  for (size_t i = 0; i < s.forms.size; ++i) {
    MlirAttribute schedule = sn_get_attr(s.forms.data[i], "schedule");
    if (!schedule.ptr)
      continue;
    int64_t of = sn_schedule_number(schedule, "threads");
    threads = of > threads ? of : threads;
  }
  MlirLocation loc = mlirOperationGetLocation(op);
  sn_sequence_free(&s);
  return sn_schedule_attr(loc, "gpu_sequence",
                          sn_parse_attr(mlirLocationGetContext(loc),
                                        "{threads = %lld, blocks = %lld, occupancy = 1, ahead = %lld%s}",
                                        (long long)threads, (long long)chip->multiprocessors,
                                        (long long)(chip->number < BULK_PREFETCH ? 0 : chip->l2_bytes / 2),
                                        options->clocks ? ", clocks = 1" : ""));
}
