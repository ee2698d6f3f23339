// asked.c: what blocks ask the second cache for while they wait for a phase.
//
//   at the end of phase p:  cp.async.bulk.prefetch.L2, a share of each block, of what phases p + 1, ... read
//
// Operands that no form writes, in the order in which phases need them, but for those that threads hold over the wait;
// so many bytes at most are asked for and not yet read. Who asks is none of those that count or look at the counter.
//
// test: test/lowering/gpu/sequence.mlir

#include "lowering/gpu/sequence/sequence_gpu.h"

enum { ASKED_BYTES = 16384 }; // at once

static int64_t bytes_of(MlirValue v) {
  MlirType t = sn_type_of(v);
  return mlirShapedTypeHasStaticShape(t) ? sn_gpu_sequence_bytes(t) : 0;
}

// In the order in which phases need them, as far ahead of the phase at work as the plan allows.
void sn_gpu_plan_asked(SnGpuSequence *q) {
  SN_VEC(SnGpuAsked) needed = {0};
  SN_VEC(bool) had = {0};
  for (size_t i = 0; i < q->operands.size; ++i)
    sn_push(&had, q->written.data[i]);
  for (size_t m = 0; m < q->members.size; ++m)
    for (size_t k = 0; k < q->members.data[m].operands.size; ++k) {
      size_t i = q->members.data[m].operands.data[k];
      if (i == (size_t)SN_GPU_BY_TURNS || sn_gpu_made_by_turns(q, sn_operand(q->members.data[m].op, (intptr_t)k)))
        continue; // another one in each turn
      if (q->members.data[m].holds)
        had.data[i] = true;
      if (!had.data[i] && bytes_of(q->operands.data[i]) >= ASKED_BYTES)
        sn_push(&needed, (SnGpuAsked){q->s.phase.data[m], i, 0, bytes_of(q->operands.data[i])});
      had.data[i] = true;
    }
  for (int64_t phase = 1; phase < sn_sequence_phases(&q->s); ++phase) {
    int64_t waiting = 0; // asked for, and not read yet
    for (size_t i = 0; i < needed.size; ++i)
      waiting += needed.data[i].phase >= phase ? needed.data[i].from : 0;
    for (size_t i = 0; i < needed.size; ++i) {
      SnGpuAsked *n = &needed.data[i];
      int64_t room = (q->plan.ahead - waiting) / ASKED_BYTES * ASKED_BYTES, left = n->bytes - n->from,
              take = left < room ? left : room;
      if (n->phase < phase || take <= 0)
        continue;
      sn_push(&q->ahead, (SnGpuAsked){phase, n->operand, n->from, take});
      n->from += take;
      waiting += take;
    }
  }
  sn_vec_free(&needed);
  sn_vec_free(&had);
}

// A block's share: every so many pieces, one thread asks.
void sn_gpu_ask(SnBuilder *b, const SnGpuKernel *k, const SnGpuAsked *a) {
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64), i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue base = sn(b, "arith.addi", k->addresses[a->operand], sn_int(b, i64, a->from)),
            size = sn_index(b, ASKED_BYTES), end = sn_index(b, a->bytes / 16 * 16);
  SnLoop at = sn_for(b, sn(b, "arith.muli", k->block, size), end, sn(b, "arith.muli", k->grid, size));
  MlirValue left = sn(b, "arith.minui", sn(b, "arith.subi", end, at.index), size),
            of[] = {sn(b, "arith.addi", base, sn(b, "arith.index_cast", at.index, i64)),
                    sn(b, "arith.index_cast", left, i32)};
  sn_gpu_ptx(b, "cp.async.bulk.prefetch.L2.global [$0], $1;", "l,r", sn_values(2, of), (MlirType){0});
  sn_next(b, &at);
}
