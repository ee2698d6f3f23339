// gpu_sequence.c: how a sinter.sequence runs on a GPU: its schedule, decoded, and which forms can be in one.
//
// test: test/lowering/gpu/sequence.mlir

#include "lowering/facts/gpu_sequence.h"
#include "dialect/dialect.h"
#include "dialect/schedules.h"

enum { BARRIERS = 15 }; // of a block, beside that of all its threads

MlirLogicalResult sn_gpu_plan_sequence(const SnSequence *s, SnGpuSequencePlan *plan) {
  const char *mnemonic = s->schedule.ptr ? sn_schedule_mnemonic(s->schedule) : NULL;
  if (!mnemonic || strcmp(mnemonic, "gpu_sequence"))
    return sn_error(s->op, "has no #sinter.gpu_sequence schedule: run sinter-schedule{target=gpu} before "
                           "sinter-lower-gpu");
  *plan = (SnGpuSequencePlan){.threads = sn_schedule_number(s->schedule, "threads"),
                              .blocks = sn_schedule_number(s->schedule, "blocks"),
                              .occupancy = sn_schedule_number(s->schedule, "occupancy"),
                              .ahead = sn_schedule_number(s->schedule, "ahead"),
                              .words = sn_schedule_number(s->schedule, "words"),
                              .clocks = sn_schedule_number(s->schedule, "clocks")};
  return SN_OK;
}

const char *sn_gpu_not_in_sequence(const SnGpuLaunch *l, size_t maps, bool mbarriers) {
  return l->teams == SN_GPU_CLUSTER && l->cluster > 1 ? "its blocks are clusters"
         : l->teams == SN_GPU_GROUP                   ? "its blocks wait for each other"
         : l->more_threads || maps                    ? "its warps have roles"
         : mbarriers                                  ? "it makes barriers in shared memory for copies"
                                                      : NULL;
}

int64_t sn_gpu_beside(const SnGpuSequencePlan *plan, const SnGpuLaunch *l) {
  int64_t beside = plan->threads / l->threads, most = sn_pieces(l->blocks, plan->blocks),
          held = l->occupancy / plan->occupancy; // shared memory is enough for them
  if (plan->words && held > 1) // which words take some of
    --held;
  if (l->threads > 32 && beside > BARRIERS)
    beside = BARRIERS;
  beside = beside > held ? held : beside;
  return beside > most ? most : beside < 1 ? 1 : beside;
}

int64_t sn_gpu_sequence_bytes(MlirType t) {
  int64_t bytes = mlirTypeIsAIndex(sn_element(t)) ? 8 : (sn_bits(sn_element(t)) + 7) / 8;
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    bytes = sn_times(bytes, sn_dim(t, i));
  return bytes;
}
