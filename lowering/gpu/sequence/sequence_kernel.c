// sequence_kernel.c: a sequence's kernel: its phases, and its loops.
//
//   form of phase 0
//   count this block; wait until blocks * 1 are counted
//   form of phase 1
//   for each turn:  where it is not the first, count and wait as for a phase; the turn's forms
//   ...
//   the last block that counts itself sets the counter to 0
//
// test: test/lowering/gpu/sequence.mlir, test/gpu/sequences.test

#include "lowering/gpu/lower_gpu.h"
#include "lowering/gpu/meet/words.h"
#include "lowering/gpu/sequence/sequence_gpu.h"
#include "lowering/rows/rowprogram.h"

// Phases that begin without a barrier of all blocks: turns of loops in front of this one, and what follows on forms
// that each block computes.
static int64_t without_barrier(const SnGpuSequence *q, int64_t phase) {
  int64_t n = sn_sequence_repeated_before(&q->s, phase);
  for (size_t i = 0; i < q->s.loops.size; ++i) {
    const SnSequenceLoop *loop = &q->s.loops.data[i];
    if (q->words.data[i].size && phase > sn_loop_first_phase(&q->s, loop))
      n += loop->turns - 1;
  }
  return n;
}

// The kernel, while its forms are written.
typedef struct {
  SnGpuSequence *q;
  SnGpuKernel *k;
  MlirValue zero;  // memref<1xi32> of shared memory, which holds it
  bool met;        // a form since all threads of the block met has shared memory, or barriers of its own
} Emitting;

// The second warp's first thread, if there is one.
static void ask_ahead(SnBuilder *b, const Emitting *e, int64_t phase) {
  const SnGpuSequence *q = e->q;
  bool any = false;
  for (size_t i = 0; i < q->ahead.size; ++i)
    any |= q->ahead.data[i].phase == phase;
  if (!any)
    return;
  MlirValue asks = sn_index(b, e->k->threads > 32 ? 32 : 0);
  SnIf one = sn_if(b, sn(b, "arith.cmpi", e->k->thread, asks, sn_attr("predicate", sn_i64(b->ctx, 0)))); // eq
  for (size_t i = 0; i < q->ahead.size; ++i)
    if (q->ahead.data[i].phase == phase)
      sn_gpu_ask(b, e->k, &q->ahead.data[i]);
  sn_end_if(b, &one);
}

enum { HELD_WORDS = 64 }; // of 128 registers of a thread

static int64_t words_of(const SnValueVec *held) {
  int64_t bits = 0;
  for (size_t i = 0; i < held->size; ++i) {
    MlirType t = sn_type_of(held->data[i]);
    bits += sn_bits(sn_element(t)) * (mlirTypeIsAVector(t) ? sn_dim(t, 0) : 1);
  }
  return bits / 32;
}

static void hold(SnBuilder *b, const Emitting *e, size_t m) {
  SnGpuWriting w = {e->q, &e->q->members.data[m], b, e->k, e->zero, NULL, {0}, false};
  sn_gpu_lower_form(w.member->op, sn_gpu_hold_operands, &w);
}

// While blocks wait for the phase that form m begins, what its forms hold is on its way to registers, of the first of
// them as much as there is room for. Where each block computes them, those of the next phase do so, too.
static void hold_over_wait(SnBuilder *b, const Emitting *e, size_t m) {
  const SnSequence *s = &e->q->s;
  int64_t phase = s->phase.data[m], words = 0;
  for (; m < e->q->members.size && s->phase.data[m] <= phase && words < HELD_WORDS; ++m) {
    if (sn_sequence_loop(s, m))
      continue;
    if (e->q->members.data[m].repeated) {
      phase = s->phase.data[m] + 1;
      continue;
    }
    hold(b, e, m);
    words += words_of(&e->q->members.data[m].held);
  }
}

// i64: what the counter is when all blocks have been counted so often (i64).
static MlirValue of_all_blocks(SnBuilder *b, const SnGpuKernel *k, MlirValue times) {
  return sn(b, "arith.muli", times, sn(b, "arith.index_cast", k->grid, mlirIntegerTypeGet(b->ctx, 64)));
}

// All blocks are done with phases before this one, and see what they stored. So many phases there were (i64), each turn
// of a loop counted, `without` of them without a barrier; `phase` is its number in the schedule, by which blocks ask
// ahead; -1: nothing. Form m is the first of it.
static void begin_phase(SnBuilder *b, const Emitting *e, MlirValue before, int64_t without, int64_t phase,
                        size_t m) {
  const SnGpuSequence *q = e->q;
  SnGpuKernel *k = e->k;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  MlirValue began = before;
  sn_gpu_sync(b, k);
  sn_gpu_keep_time(b, k, q, before, true);
  if (!sn_sequence_meets(&q->s, q->s.phase.data[m]) && !(sn_sequence_loop(&q->s, m) && phase < 0)) {
    sn_gpu_store_repeated(b, k, q, q->s.phase.data[m] - 1);
    ask_ahead(b, e, phase);
    sn_gpu_keep_time(b, k, q, began, false);
    return;
  }
  SnIf first = sn_if(b, k->first);
  MlirValue counter = sn_gpu_counter(b, k, sn_index(b, 0));
  sn_gpu_count(b, counter);
  sn_end_if(b, &first);
  ask_ahead(b, e, phase);
  hold_over_wait(b, e, m);
  first = sn_if(b, k->first);
  counter = sn_gpu_counter(b, k, sn_index(b, 0));
  if (without)
    before = sn(b, "arith.subi", before, sn_int(b, i64, without));
  sn_gpu_await_count(b, k, counter, of_all_blocks(b, k, before));
  sn_end_if(b, &first);
  sn_gpu_sync(b, k);
  sn_gpu_keep_time(b, k, q, began, false);
}

// i64: phases before the one of form m, in this turn.
static MlirValue phases_before(SnBuilder *b, const Emitting *e, size_t m, const SnTurns *t) {
  const SnSequence *s = &e->q->s;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  MlirValue n = sn_int(b, i64, sn_sequence_phases_before(s, s->phase.data[m]));
  if (!t)
    return n;
  MlirValue turn = sn(b, "arith.index_cast", t->at.index, i64);
  return sn(b, "arith.addi", n, sn(b, "arith.muli", turn, sn_int(b, i64, sn_loop_phases(s, t->loop))));
}

// Behind a form of the same phase (`behind`) threads meet only where both have shared memory or barriers: who has no
// row of the one begins with the other.
static void emit_form(SnBuilder *b, Emitting *e, size_t m, const SnTurns *t, bool behind) {
  if (!t)
    hold(b, e, m);
  SnGpuWriting w = {e->q, &e->q->members.data[m], b, e->k, e->zero, t, {0}, false};
  sn_gpu_lower_form(e->q->members.data[m].op, sn_gpu_write_member, &w);
  if (behind && e->met && w.meets) {
    SnBuilder between = sn_before(w.begin);
    sn_gpu_sync(&between, e->k);
  }
  e->met = w.meets || (behind && e->met);
}

// The form behind another one, of the same turn if both are in a loop.
static void emit_behind(SnBuilder *b, Emitting *e, size_t m, const SnTurns *t) {
  int64_t phase = e->q->s.phase.data[m];
  bool begins = phase > e->q->s.phase.data[m - 1];
  if (begins)
    begin_phase(b, e, phases_before(b, e, m, t), without_barrier(e->q, phase), t ? -1 : phase, m);
  if (t || !sn_sequence_loop(&e->q->s, m))
    emit_form(b, e, m, t, !begins);
}

static MlirValue address_of(SnBuilder *b, MlirValue memory, void *user) {
  const Emitting *e = user;
  (void)b;
  return e->k->addresses[sn_gpu_sequence_operand(e->q, memory)];
}

// Who has rows takes the words of the turn, which all others who have some have made.
static void emit_turn_by_words(SnBuilder *b, Emitting *e, const SnSequenceLoop *loop, const SnTurns *t,
                               MlirValue later) {
  const SnGpuWords *words = sn_gpu_words_of_loop(e->q, loop);
  const SnGpuMember *m = &e->q->members.data[loop->first];
  MlirValue first = sn(b, "arith.muli", e->k->block, sn_index(b, m->beside)),
            has = sn(b, "arith.cmpi", first, sn_index(b, m->launch.blocks), sn_attr("predicate", sn_i64(b->ctx, 6))),
            before = phases_before(b, e, loop->first, t); // ult
  SnIf again = {0};
  if (e->q->plan.clocks) {
    again = sn_if(b, later);
    sn_gpu_sync(b, e->k);
    sn_gpu_keep_time(b, e->k, e->q, before, true);
    sn_end_if(b, &again);
  }
  SnIf works = sn_if(b, has);
  sn_gpu_sync(b, e->k);
  SnGpuWriting early = {e->q, m, b, e->k, e->zero, t, {0}, false};
  sn_gpu_lower_form(m->op, sn_gpu_read_before_words, &early);
  for (size_t w = 0; w < words->size; ++w)
    sn_gpu_take_words(b, e->k, &words->data[w], t, sn_operand(m->op, (intptr_t)words->data[w].input));
  sn_gpu_sync(b, e->k);
  if (e->q->plan.clocks) {
    again = sn_if(b, later);
    sn_gpu_keep_time(b, e->k, e->q, before, false);
    sn_end_if(b, &again);
  }
  emit_form(b, e, loop->first, t, false);
  sn_end_if(b, &works);
}

// A turn begins as a phase does; the first one has begun.
static void emit_loop(SnBuilder *b, Emitting *e, const SnSequenceLoop *loop) {
  SnTurns t = {.loop = loop, .base = address_of, .user = e, .space = 1};
  for (size_t i = 0; i < loop->forms; ++i) {
    SnGpuWriting w = {e->q, &e->q->members.data[loop->first + i], b, e->k, e->zero, &t, {0}, false};
    sn_gpu_lower_form(w.member->op, sn_gpu_hold_operands, &w);
  }
  sn_turns_begin(b, &t);
  MlirValue later = sn(b, "arith.cmpi", t.at.index, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 1))); // ne
  if (sn_gpu_words_of_loop(e->q, loop)->size) {
    emit_turn_by_words(b, e, loop, &t, later);
    sn_turns_end(b, &t);
    return;
  }
  SnIf again = sn_if(b, later);
  begin_phase(b, e, phases_before(b, e, loop->first, &t),
              without_barrier(e->q, sn_loop_first_phase(&e->q->s, loop)), -1, loop->first);
  sn_end_if(b, &again);
  for (size_t i = 0; i < loop->forms; ++i) {
    if (i)
      emit_behind(b, e, loop->first + i, &t);
    else
      emit_form(b, e, loop->first, &t, false);
  }
  sn_turns_end(b, &t);
}

void sn_gpu_emit_sequence(SnBuilder *b, SnGpuKernel *k, const void *user) {
  SnGpuSequence *q = (SnGpuSequence *)user; // its clocks are the kernel's
  int64_t phases = sn_sequence_all_phases(&q->s), one = 1,
          barriers = phases - without_barrier(q, sn_sequence_phases(&q->s));
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), i64 = mlirIntegerTypeGet(b->ctx, 64);
  Emitting e = {q, k, sn_gpu_launched_shared(b, k, "a zero", 1, &one, i32, SN_GPU_FOR_VECTORS), false};
  SnIf begin = sn_if(b, k->first);
  sn_op(b, "memref.store", sn_int(b, i32, 0), e.zero, sn_index(b, 0));
  if (barriers > 1)
    sn_gpu_take_counter(b, k, sn_index(b, 0));
  sn_end_if(b, &begin);
  sn_gpu_sync(b, k);
  for (size_t i = 0; i < q->words.size; ++i)
    for (size_t w = 0; w < q->words.data[i].size; ++w) {
      SnGpuWord *word = &q->words.data[i].data[w];
      MlirOperation form = q->s.forms.data[q->s.loops.data[i].first];
      sn_gpu_clear_words(b, k, word);
      sn_gpu_make_word_memory(b, k, sn_type_of(sn_operand(form, (intptr_t)word->input)), word);
    }
  sn_gpu_make_repeated(b, k, q);
  if (q->plan.clocks)
    sn_gpu_make_clocks(b, k, q);
  sn_gpu_keep_time(b, k, q, sn_int(b, i64, 0), false);
  for (size_t m = 0; m < q->members.size; ++m) {
    const SnSequenceLoop *loop = sn_sequence_loop(&q->s, m);
    if (loop && m != loop->first)
      continue; // written with the loop
    if (m)
      emit_behind(b, &e, m, NULL);
    else if (!loop)
      emit_form(b, &e, m, NULL, false);
    if (loop)
      emit_loop(b, &e, loop);
  }
  if (q->plan.clocks) {
    sn_gpu_sync(b, k);
    sn_gpu_keep_time(b, k, q, sn_int(b, i64, phases), true);
  }
  if (barriers > 1) {
    SnIf first = sn_if(b, k->first);
    sn_gpu_is_last(b, k, sn_index(b, 0), of_all_blocks(b, k, sn_int(b, i64, barriers)));
    sn_end_if(b, &first);
  }
  SnBuilder head = sn_before(begin.op);
  sn_gpu_read_once(&head, k, q);
}
