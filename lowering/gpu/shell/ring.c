// ring.c: slots of shared memory that pieces go through.
//
//   piece i is in slot i mod slots, for the (i / slots)-th time
//
//   who fills                                          who empties
//     wait: the (i / slots)-th phase of empty, less 1      wait: the (i / slots)-th phase of full
//     fill; arrive at full                                 take; arrive at empty
//
// A wait is for a parity, so nobody may be two turns of a slot ahead of it. Who fills waits for `empty` of the turn
// before; who empties does so in the pieces' order, and arrives at `empty` once for each.

#include "lowering/gpu/shell/shell.h"

static MlirType i32_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 32); }
static MlirValue i32_of(SnBuilder *b, int64_t v) { return sn_int(b, i32_type(b), v); }

SnGpuRing sn_gpu_ring(SnBuilder *b, SnGpuKernel *k, const char *name, int64_t slots, int64_t fillers,
                      int64_t emptiers) {
  SnGpuRing ring = {.slots = slots};
  ring.full = sn_gpu_mbarriers(b, k, name, slots, fillers);
  if (emptiers)
    ring.empty = sn_gpu_mbarriers(b, k, name, slots, emptiers);
  return ring;
}

SnGpuTurn sn_gpu_ring_turn(SnBuilder *b, const SnGpuRing *ring, MlirValue number) {
  MlirValue slots = i32_of(b, ring->slots);
  return (SnGpuTurn){sn(b, "arith.remui", number, slots),
                     sn(b, "arith.andi", sn(b, "arith.divui", number, slots), i32_of(b, 1))};
}

SnGpuTurn sn_gpu_ring_behind(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn first, int64_t n) {
  if (!n)
    return first;
  MlirValue slot = sn(b, "arith.addi", first.slot, i32_of(b, n)), slots = i32_of(b, ring->slots);
  MlirValue again = sn(b, "arith.cmpi", slot, slots, sn_attr("predicate", sn_i64(b->ctx, 9))); // uge
  return (SnGpuTurn){sn(b, "arith.select", again, sn(b, "arith.subi", slot, slots), slot),
                     sn(b, "arith.xori", first.parity, sn(b, "arith.extui", again, i32_type(b)))};
}

static MlirValue empty(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn turn) {
  return sn_gpu_mbarrier(b, ring->empty, turn.slot);
}

MlirValue sn_gpu_ring_full(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn turn) {
  return sn_gpu_mbarrier(b, ring->full, turn.slot);
}

void sn_gpu_ring_await_full(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn turn) {
  sn_gpu_await(b, sn_gpu_ring_full(b, ring, turn), turn.parity);
}

void sn_gpu_ring_await_empty(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn turn) {
  MlirValue mbarrier = empty(b, ring, turn), before = sn(b, "arith.xori", turn.parity, i32_of(b, 1));
  sn_gpu_await(b, mbarrier, before); // the first turn of all waits for nobody
}

void sn_gpu_ring_emptied_of(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn turn, MlirValue rank) {
  sn_gpu_arrive_at(b, empty(b, ring, turn), rank);
}

void sn_gpu_ring_await_emptied(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn turn) {
  sn_gpu_await(b, empty(b, ring, turn), turn.parity);
}

void sn_gpu_ring_filled(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn turn) {
  sn_gpu_arrive(b, sn_gpu_ring_full(b, ring, turn));
}

void sn_gpu_ring_emptied(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn turn) {
  sn_gpu_arrive(b, empty(b, ring, turn));
}
