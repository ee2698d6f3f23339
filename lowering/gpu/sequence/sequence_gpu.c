// sequence_gpu.c: a sinter.sequence becomes one kernel.
//
//   for each form, in order:
//     a block of the launch takes several of the form's, side by side: as many as it has threads for
//     for (block = mine; block < the form's blocks; block += those at once)
//       what the form's own kernel would do
//     where the next form is of a later phase:
//       count this block; ask the second cache for a share of what comes next; wait until all are counted
//
// A form is written by what writes its kernel: it is told another number of its block and of its threads, and has
// barriers, shared memory and a piece of the workspace of its own. Shared memory is that of one form after the other.
// All blocks run at once (a cooperative launch), or nobody could wait.
//
// The counter is one for the whole launch and only grows: phase p begins when it is blocks * p. The last block that
// counts itself at the end leaves 0. A loop of the sequence is a loop of the kernel, and each turn of a phase is one
// more that is counted.
//
// Forms whose blocks are clusters, whose warps have roles or which make barriers in shared memory are none of a
// sequence's: what they are made of is there once for a launch.
//
// test: test/lowering/gpu/sequence.mlir, test/gpu/sequences.test

#include "lowering/gpu/sequence/sequence_gpu.h"
#include "lowering/gpu/lower_gpu.h"
#include "lowering/gpu/meet/words.h"

enum {
  COUNTER_BYTES = 128, // of the workspace, in front of those of forms
  SCRATCH_ALIGNED = 128,
};

size_t sn_gpu_sequence_operand(SnGpuSequence *q, MlirValue v) {
  for (size_t i = 0; i < q->operands.size; ++i)
    if (sn_same(q->operands.data[i], v))
      return i;
  sn_push(&q->operands, v);
  sn_push(&q->written, false);
  return q->operands.size - 1;
}

bool sn_gpu_made_by_turns(const SnGpuSequence *q, MlirValue v) {
  for (size_t i = 0; i < q->s.loops.size; ++i) {
    SnTurns t = {.loop = &q->s.loops.data[i]};
    if (sn_turns_make(&t, v))
      return true;
  }
  return false;
}

static size_t operand_under(SnGpuSequence *q, MlirValue v) {
  while (sn_gpu_made_by_turns(q, v) && !mlirValueIsABlockArgument(v))
    v = sn_operand(sn_definer(v), 0);
  return sn_gpu_made_by_turns(q, v) ? (size_t)SN_GPU_BY_TURNS : sn_gpu_sequence_operand(q, v);
}

static MlirLogicalResult gather(MlirOperation op, const SnGpuBody *body, void *user) {
  SnGpuSequence *q = user;
  const SnGpuLaunch *l = body->launch;
  const char *not = sn_gpu_not_in_sequence(l, body->num_maps, body->mbarriers);
  if (not)
    return sn_error(op, "stands in a sequence, and %s", not);
  if (l->threads > q->plan.threads)
    return sn_error(op, "has blocks of %lld threads, in a sequence of blocks of %lld", (long long)l->threads,
                    (long long)q->plan.threads);
  SnGpuSequencePlan plan = q->plan;
  bool repeated = sn_sequence_is_repeated(&q->s, q->members.size);
  if (repeated) // as if it were alone
    plan.blocks = 1;
  if (repeated && body->hold)
    return sn_error(op, "holds what it reads, and is computed by each block");
  SnGpuMember m = {.op = op,
              .launch = *l,
              .beside = sn_gpu_beside(&plan, l),
              .repeated = repeated,
              .holds = body->hold != NULL,
              .scratch = (q->scratch + SCRATCH_ALIGNED - 1) / SCRATCH_ALIGNED * SCRATCH_ALIGNED};
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    sn_push(&m.operands, operand_under(q, sn_operand(op, k)));
  if (body->hold && l->blocks > q->plan.blocks * m.beside)
    return sn_error(op, "holds what it reads over turns in %lld blocks, in a sequence that runs %lld of them at once",
                    (long long)l->blocks, (long long)(q->plan.blocks * m.beside));
  int64_t needed = sn_pieces(l->blocks, m.beside);
  if (body->hold && sn_is(mlirOperationGetParentOperation(op), "scf.for") && needed > q->least)
    q->least = needed; // what it holds is that of its only block
  q->scratch = m.scratch + body->scratch;
  q->asserts |= body->asserts;
  sn_push(&q->members, m);
  return SN_OK;
}

// What loops begin with.
static void gather_loops(SnGpuSequence *q) {
  for (size_t i = 0; i < q->s.loops.size; ++i)
    for (intptr_t k = 3; k < sn_num_operands(q->s.loops.data[i].op); ++k)
      sn_gpu_sequence_operand(q, sn_operand(q->s.loops.data[i].op, k));
}

// A value is written, or shares its elements with one that is.
static void find_written(SnGpuSequence *q) {
  for (size_t i = 0; i < q->operands.size; ++i)
    for (size_t k = 0; k < q->s.forms.size && !q->written.data[i]; ++k)
      q->written.data[i] = sn_sequence_writes(&q->s, k, q->operands.data[i]);
}

// ---- what turns hand each other --------------------------------------------------------------

static MlirLogicalResult plan_words(SnGpuSequence *q) {
  bool any = false;
  for (size_t i = 0; i < q->s.loops.size; ++i) {
    SnGpuWords words = {0};
    if (q->plan.words)
      any |= sn_gpu_plan_words(&q->s, &q->s.loops.data[i], &words);
    for (size_t w = 0; w < words.size; ++w) {
      words.data[w].scratch = (q->scratch + SCRATCH_ALIGNED - 1) / SCRATCH_ALIGNED * SCRATCH_ALIGNED;
      q->scratch = words.data[w].scratch + sn_gpu_words_bytes(&words.data[w]);
    }
    sn_push(&q->words, words);
  }
  return any == q->plan.words ? SN_OK : sn_error(q->s.op, "has a schedule with words = 1, and no loop whose turns can "
                                                          "hand each other words");
}

const SnGpuWords *sn_gpu_words_of_loop(const SnGpuSequence *q, const SnSequenceLoop *loop) {
  return &q->words.data[loop - q->s.loops.data];
}

MlirLogicalResult sn_gpu_lower_sequence(MlirOperation op, SnGpuTakeBody take, void *taker) {
  SnGpuSequence q = {.s = sn_sequence_read(op), .scratch = COUNTER_BYTES, .least = 1};
  MlirLogicalResult result = sn_gpu_plan_sequence(&q.s, &q.plan);
  if (!sn_failed(result))
    sn_sequence_move_views(&q.s);
  for (size_t i = 0; i < q.s.forms.size && !sn_failed(result); ++i)
    result = sn_gpu_lower_form(q.s.forms.data[i], gather, &q);
  if (!sn_failed(result))
    result = plan_words(&q);
  if (!sn_failed(result)) {
    gather_loops(&q);
    find_written(&q);
    sn_gpu_plan_asked(&q);
    sn_gpu_plan_repeated(&q);
    SnGpuLaunch launch = {.blocks = q.plan.blocks,
                          .filling = true,
                          .least = q.least,
                          .cluster = 1,
                          .threads = q.plan.threads,
                          .occupancy = q.plan.occupancy,
                          .teams = SN_GPU_GROUP,
                          .team = q.plan.threads};
    SnGpuBody body = {.launch = &launch,
                      .scratch = q.scratch,
                      .asserts = q.asserts,
                      .addresses = true,
                      .operands = sn_values((intptr_t)q.operands.size, q.operands.data),
                      .written = q.written.data,
                      .emit = sn_gpu_emit_sequence,
                      .user = &q};
    result = take(op, &body, taker);
    if (q.plan.clocks && !sn_failed(result))
      sn_gpu_note_clocks(op, &q);
  }
  for (size_t i = 0; i < q.members.size; ++i) {
    sn_vec_free(&q.members.data[i].operands);
    sn_vec_free(&q.members.data[i].may_hold);
    sn_vec_free(&q.members.data[i].held);
    sn_vec_free(&q.members.data[i].may_early);
    sn_vec_free(&q.members.data[i].early);
  }
  for (size_t i = 0; i < q.words.size; ++i)
    sn_vec_free(&q.words.data[i]);
  sn_vec_free(&q.words);
  sn_vec_free(&q.members);
  sn_vec_free(&q.operands);
  sn_vec_free(&q.written);
  sn_vec_free(&q.ahead);
  sn_sequence_free(&q.s);
  return result;
}
