// gpu_sequence.c: how a sinter.sequence runs on a GPU: its schedule, decoded, and which forms can be in one.
//
// test: test/lowering/gpu/sequence.mlir

#include "lowering/facts/gpu_sequence.h"
#include "capi/form.h"
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
                              .once = sn_schedule_number(s->schedule, "once"),
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

// As many points as elements, all of which have subscripts of their own where they are used.
static bool reads_each_once(const SnForm *f, const SnAccess *a) {
  int64_t points = 1;
  bool each = !f->contract && !a->fill.ptr && !a->through.ptr && !sn_is_table(a);
  for (size_t d = 0; d < f->dims.size && each; ++d) {
    each = f->dims.data[d].size != SN_DYNAMIC && sn_access_uses(f, a, (int64_t)d);
    points = sn_times(points, f->dims.data[d].size);
  }
  MlirType t = sn_type_of(a->value);
  int64_t elements = 1;
  for (intptr_t d = 0; d < sn_rank(t) && each; ++d)
    elements = sn_times(elements, sn_dim(t, d));
  return each && points == elements;
}

bool sn_gpu_is_read_once(const SnSequence *s, MlirValue v) {
  size_t reads = 0;
  bool once = true;
  for (size_t i = 0; i < s->forms.size && once; ++i) {
    if (!sn_is_form(s->forms.data[i]))
      continue;
    SnForm f = sn_form_read(s->forms.data[i]);
    for (size_t k = 0; k < f.inputs.size; ++k)
      if (sn_same(f.inputs.data[k].value, v)) {
        ++reads;
        once &= reads_each_once(&f, &f.inputs.data[k]) && !sn_sequence_loop(s, i);
      }
    sn_form_free(&f);
  }
  return once && reads == 1;
}

int64_t sn_gpu_sequence_bytes(MlirType t) {
  int64_t bytes = mlirTypeIsAIndex(sn_element(t)) ? 8 : (sn_bits(sn_element(t)) + 7) / 8;
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    bytes = sn_times(bytes, sn_dim(t, i));
  return bytes;
}
