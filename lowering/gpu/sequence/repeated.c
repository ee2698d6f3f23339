// repeated.c: what each block of the launch computes stays in its shared memory.
//
//   %n = rowwise () by (i = 2048) ... repeated = 1      phase 1: each block, to memref<2048xbf16, workgroup>
//   the block's threads meet; the first block stores it to %n, for who reads it in a later phase
//   %y = rowwise (j = 8192) by (k = 2048) ins(%n[k])    phase 2: reads the block's own
//
// Otherwise what a block's threads give each other would cross the chip twice. It is so where all that read it in the
// next phase are rows that threads read as they need them, as it was made.
//
// test: test/lowering/gpu/sequence.mlir, test/gpu/sequence_repeated.test

#include "dialect/schedules.h"
#include "lowering/gpu/sequence/sequence_gpu.h"

enum { MOST_BYTES = 16 << 10 };

static MlirValue output_of(const SnGpuMember *m) { return sn_operand(m->op, sn_num_operands(m->op) - 1); }

// Its threads read operands by loads, whatever memory they are in.
static bool reads_by_loads(const SnGpuMember *m) {
  MlirAttribute schedule = sn_get_attr(m->op, "schedule");
  return sn_is(m->op, "sinter.rowwise") && !sn_schedule_number(schedule, "ahead") &&
         sn_schedule_word_is(schedule, "shape", "rows") && !sn_schedule_word_is(schedule, "residency", "shared");
}

static bool stays(const SnGpuSequence *q, size_t k) {
  const SnGpuMember *m = &q->members.data[k];
  const SnSequence *s = &q->s;
  if (!m->repeated) // a copy of a buffer, too
    return false;
  MlirValue made = output_of(m), whole = sn_viewed(made);
  int64_t phase = s->phase.data[k];
  SnForm f = sn_form_read(m->op);
  bool may = f.outputs.size == 1 && sn_gpu_sequence_bytes(sn_type_of(made)) <= MOST_BYTES && reads_by_loads(m) &&
             (!phase || sn_sequence_meets(s, phase));
  sn_form_free(&f);
  for (size_t i = k + 1; i < q->members.size && s->phase.data[i] <= phase + 1 && may; ++i)
    for (intptr_t o = 0; o < sn_num_operands(q->members.data[i].op) && may; ++o) {
      MlirValue v = sn_operand(q->members.data[i].op, o);
      if (sn_same(v, made) || sn_same(sn_viewed(v), whole))
        may = sn_same(v, made) && reads_by_loads(&q->members.data[i]) && !q->members.data[i].repeated;
    }
  return may;
}

void sn_gpu_plan_repeated(SnGpuSequence *q) {
  for (size_t k = 0; k < q->members.size; ++k)
    q->members.data[k].stays = stays(q, k);
}

// One piece of memory for all of one type: between two phases that use it all blocks have met.
void sn_gpu_make_repeated(SnBuilder *b, SnGpuKernel *k, SnGpuSequence *q) {
  for (size_t m = 0; m < q->members.size; ++m) {
    SnGpuMember *of = &q->members.data[m];
    if (!of->stays)
      continue;
    MlirType t = sn_type_of(output_of(of));
    for (size_t i = 0; i < m && sn_none(of->own); ++i)
      if (q->members.data[i].stays && q->s.phase.data[i] != q->s.phase.data[m] &&
          mlirTypeEqual(sn_type_of(output_of(&q->members.data[i])), t))
        of->own = q->members.data[i].own;
    int64_t shape[SN_MAX_DIMS];
    for (intptr_t d = 0; d < sn_rank(t); ++d)
      shape[d] = sn_dim(t, d);
    if (sn_none(of->own))
      of->own = sn_gpu_launched_shared(b, k, "what each block computes", sn_rank(t), shape, sn_element(t), 128);
  }
}

MlirValue sn_gpu_repeated_operand(const SnGpuSequence *q, const SnGpuMember *m, size_t operand) {
  MlirValue v = sn_operand(m->op, (intptr_t)operand);
  int64_t phase = q->s.phase.data[m - q->members.data];
  for (size_t k = (size_t)(m - q->members.data) + 1; k-- > 0 && q->s.phase.data[k] >= phase - 1;) {
    const SnGpuMember *of = &q->members.data[k];
    if (of->stays && (of == m || q->s.phase.data[k] == phase - 1) && sn_same(output_of(of), v))
      return of->own;
  }
  return (MlirValue){0};
}

void sn_gpu_store_repeated(SnBuilder *b, const SnGpuKernel *k, const SnGpuSequence *q, int64_t phase) {
  for (size_t m = 0; m < q->members.size; ++m) {
    const SnGpuMember *of = &q->members.data[m];
    if (q->s.phase.data[m] != phase || !of->stays)
      continue;
    MlirType t = sn_type_of(of->own);
    MlirValue memory = k->operands[of->operands.data[of->operands.size - 1]], at[SN_MAX_DIMS];
    int64_t elements = 1;
    for (intptr_t d = 0; d < sn_rank(t); ++d)
      elements *= sn_dim(t, d);
    SnIf first = sn_if(b, sn(b, "arith.cmpi", k->block, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 0))));
    SnLoop i = sn_for(b, k->thread, sn_index(b, elements), sn_index(b, k->threads));
    MlirValue linear = i.index;
    for (intptr_t d = sn_rank(t); d-- > 0;) {
      MlirValue size = sn_index(b, sn_dim(t, d));
      at[d] = d ? sn(b, "arith.remui", linear, size) : linear;
      linear = d ? sn(b, "arith.divui", linear, size) : linear;
    }
    SnValues subscripts = sn_values(sn_rank(t), at);
    MlirValue x = sn(b, "memref.load", of->own, subscripts, sn_element(t));
    sn_op(b, "memref.store", x, memory, subscripts, sn_types(0, NULL));
    sn_next(b, &i);
    sn_end_if(b, &first);
  }
}
