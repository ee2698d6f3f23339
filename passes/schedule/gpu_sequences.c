// gpu_sequences.c: the blocks that forms of a sequence share.
//
//   #sinter.gpu_sequence<threads = 512, blocks = 264, occupancy = 2, ahead = 25165824>
//
// Blocks are as large as the largest of a form, and there are as many as run at once with the registers that the most
// demanding form asks for. A form with smaller blocks has several of them side by side. What is asked for ahead of its
// phase is half of the second cache at most, so that it is still there when its phase begins.
//
// test: test/passes/schedule/gpu_sequences.mlir

#include "capi/form.h"
#include "dialect/schedules.h"
#include "dialect/sequence.h"
#include "passes/schedule/schedule.h"
#include "target/chips.h"

enum {
  THREADS = 512,      // of a block
  AT_ONCE = 1024,     // on a multiprocessor: 64 registers each
  FEW_SUMS = 32,      // of a thread, that leave it as many for all else
  BULK_PREFETCH = 90, // the chip that has it
};

// Its threads have more sums of products than 64 registers hold beside all else.
static bool many_sums(MlirOperation form, MlirAttribute schedule) {
  if (strcmp(sn_schedule_mnemonic(schedule), "mma"))
    return false;
  SnForm f = sn_form_read(form);
  int64_t sums = (int64_t)f.products.size * sn_schedule_number(schedule, "m") * sn_schedule_number(schedule, "n") /
                 sn_schedule_number(schedule, "threads");
  bool many = sums > FEW_SUMS || f.matrices.size;
  sn_form_free(&f);
  return many;
}

MlirAttribute sn_schedule_gpu_sequence(MlirOperation op, const SnScheduleOptions *options) {
  const SnGpuChip *chip = sn_gpu_chip(options->chip);
  SnSequence s = sn_sequence_read(op);
  int64_t threads = THREADS, at_once = AT_ONCE;
  for (size_t i = 0; i < s.forms.size; ++i) {
    MlirAttribute schedule = sn_get_attr(s.forms.data[i], "schedule");
    if (!schedule.ptr)
      continue;
    int64_t of = sn_schedule_number(schedule, "threads");
    threads = of > threads ? of : threads;
    at_once = many_sums(s.forms.data[i], schedule) ? THREADS : at_once;
  }
  int64_t occupancy = at_once / threads < 1 ? 1 : at_once / threads;
  MlirLocation loc = mlirOperationGetLocation(op);
  sn_sequence_free(&s);
  return sn_schedule_attr(
      loc, "gpu_sequence",
      sn_parse_attr(mlirLocationGetContext(loc), "{threads = %lld, blocks = %lld, occupancy = %lld, ahead = %lld}",
                    (long long)threads, (long long)(occupancy * chip->multiprocessors), (long long)occupancy,
                    (long long)(chip->number < BULK_PREFETCH ? 0 : chip->l2_bytes / 2)));
}
