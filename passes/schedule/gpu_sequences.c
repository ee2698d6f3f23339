// gpu_sequences.c: the blocks that forms of a sequence share.
//
//   #sinter.gpu_sequence<threads = 512, blocks = 132, occupancy = 1, ahead = 4194304>
//
// Blocks are as large as the largest of a form, one for each multiprocessor. A form with smaller blocks has several of
// them side by side. Before its phase begins little is asked for: one thread of each block asks, and all others wait
// for it at the phase's end.
//
// An H200: 20 steps of an LSTM 118 us by a block of 512 threads on each multiprocessor, 184 by two, for their forms
// spill with 64 registers; eight products of a row 16.6 and 18.5, for fewer blocks have to be counted. Four layers of
// Llama-3.2-1B's shape 248 us with nothing asked for, 243 with 4 MiB, 256 with 25; 12 of GPT-2's 395, 382 and 397.
//
// test: test/passes/schedule/gpu_sequences.mlir

#include "dialect/schedules.h"
#include "dialect/sequence.h"
#include "lowering/facts/gpu_sequence.h"
#include "passes/schedule/schedule.h"
#include "target/chips.h"

enum {
  THREADS = 512,      // of a block, one on a multiprocessor: 128 registers each
  BULK_PREFETCH = 90, // the chip that has it
  AHEAD = 4 << 20,    // bytes
};

// Turns of some loop can hand each other words, for which every form leaves shared memory.
static bool hands_words(const SnSequence *s) {
  bool any = false;
  for (size_t i = 0; i < s->loops.size && !any; ++i) {
    SnGpuWords of = {0};
    any = sn_gpu_plan_words(s, &s->loops.data[i], &of);
    sn_vec_free(&of);
  }
  for (size_t i = 0; i < s->forms.size && any; ++i) {
    MlirAttribute schedule = sn_get_attr(s->forms.data[i], "schedule");
    any = !schedule.ptr || sn_schedule_number(schedule, "occupancy") > 1;
  }
  return any;
}

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
  bool words = hands_words(&s);
  sn_sequence_free(&s);
  return sn_schedule_attr(
      loc, "gpu_sequence",
      sn_parse_attr(mlirLocationGetContext(loc), "{threads = %lld, blocks = %lld, occupancy = 1, ahead = %lld%s%s}",
                    (long long)threads, (long long)chip->multiprocessors,
                    (long long)(chip->number < BULK_PREFETCH ? 0 : AHEAD), words ? ", words = 1" : "",
                    options->clocks ? ", clocks = 1" : ""));
}
