// gpu_sequences.c: the blocks that forms of a sequence share.
//
//   #sinter.gpu_sequence<threads = 512, blocks = 132, occupancy = 1, ahead = 4194304>
//   #sinter.gpu_sequence<threads = 512, blocks = 132, occupancy = 1, ahead = 0, once = 1>
//
// Blocks are as large as the largest of a form, one for each multiprocessor. A form with smaller blocks has several of
// them side by side. The second cache is asked for little before a phase begins, and for nothing where the launch
// streams more through it than it holds: what is read once then leaves it first.
//
// An H200: 20 steps of an LSTM 118 us by a block of 512 threads on each multiprocessor, 184 by two, for their forms
// spill with 64 registers; eight products of a row 16.6 and 18.5, for fewer blocks have to be counted. Four layers of
// Llama-3.2-1B's shape, once: 208 us with nothing asked for, 212 with 4 MiB, 226 with 16; 12 of GPT-2's 339 and 357
// with 4; eight products of a row, whose weights the cache holds, 15.3 and 15.0.
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

// Of reshapes in the sequence, what they are of is.
static bool is_made_in(const SnSequence *s, MlirValue v) {
  MlirOperation made = sn_definer(v);
  while (!sn_null(made) && mlirOperationEqual(mlirOperationGetParentOperation(made), s->op) && !sn_is_form(made) &&
         sn_num_operands(made))
    made = sn_definer(sn_operand(made, 0));
  return !sn_null(made) && mlirOperationEqual(mlirOperationGetParentOperation(made), s->op);
}

// What forms read once is more than the second cache holds, which then may keep what they leave each other.
static bool streams(const SnSequence *s, int64_t cache) {
  int64_t bytes = 0;
  for (size_t i = 0; i < s->forms.size; ++i)
    for (intptr_t k = 0; k < sn_num_operands(s->forms.data[i]); ++k) {
      MlirValue v = sn_operand(s->forms.data[i], k);
      MlirType t = sn_type_of(v);
      if (mlirTypeIsAShaped(t) && mlirShapedTypeHasStaticShape(t) && sn_gpu_is_read_once(s, v) &&
          !is_made_in(s, v))
        bytes += sn_gpu_sequence_bytes(t);
    }
  return bytes > cache;
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
  bool words = hands_words(&s), once = streams(&s, chip->l2_bytes);
  sn_sequence_free(&s);
  return sn_schedule_attr(
      loc, "gpu_sequence",
      sn_parse_attr(mlirLocationGetContext(loc), "{threads = %lld, blocks = %lld, occupancy = 1, ahead = %lld%s%s%s}",
                    (long long)threads, (long long)chip->multiprocessors,
                    (long long)(chip->number < BULK_PREFETCH || once ? 0 : AHEAD), once ? ", once = 1" : "",
                    words ? ", words = 1" : "",
                    options->clocks ? ", clocks = 1" : ""));
}
