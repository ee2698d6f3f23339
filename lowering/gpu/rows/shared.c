// shared.c: rows that wait in shared memory between phases.
//
//   for each row of the block or cluster:
//     one thread: for each piece: bulk copy                 a piece is a vector of each thread, and has an mbarrier
//     phase 0: for each piece: wait; x = shared memory; ...
//     phase 1, 2: for each piece: x = shared memory; ...    what was made of x is made again
//     barrier: nobody reads the row any more
//
// No register holds a part of the row from phase to phase, so that programs with many values for each element have room
// for several blocks on a multiprocessor. Other inputs are read again. A thread reads what it would have read from
// memory.
//
// test: test/lowering/gpu/shared.mlir

#include "lowering/gpu/rows/gpu_rows.h"
#include "lowering/rows/index.h"

static MlirValue less(SnBuilder *b, MlirValue x, MlirValue y) {
  return sn(b, "arith.subi", x, sn(b, "arith.minui", x, y));
}

// By one thread of the block.
static void fill(SnBuilder *b, SnGpuRowKernel *g, MlirValue row) {
  int64_t n = sn_row_length(g->form), threads = g->k->threads;
  MlirValue start = sn(b, "arith.muli", row, g->length), from = start, width = sn_index(b, g->mine.width),
            vectors = sn_index(b, (n + g->mine.width - 1) / g->mine.width);
  if (g->mine.peeled) { // vectors that are in memory as a whole
    from = sn(b, "arith.subi", start, sn(b, "arith.remui", start, width));
    MlirValue all = sn(b, "arith.muli", g->num_rows, g->length);
    MlirValue own =
        sn(b, "arith.divui", plus(b, sn(b, "arith.subi", start, from), sn_index(b, n + g->mine.width - 1)), width);
    vectors = sn(b, "arith.minui", own, sn(b, "arith.divui", sn(b, "arith.subi", all, from), width));
  }
  MlirValue before = sn_none(g->k->rank) ? sn_index(b, 0) : times(b, g->k->rank, threads);
  for (size_t u = 0; u < g->mine.resident; ++u) {
    MlirValue v = u ? plus(b, before, sn_index(b, (int64_t)u * g->k->team)) : before;
    bool whole = (int64_t)(u + 1) * g->k->team <= n / g->mine.width;
    MlirValue count = whole ? sn_index(b, threads) : sn(b, "arith.minui", less(b, vectors, v), sn_index(b, threads));
    SnGpuTurn turn = {.slot = sn_int(b, mlirIntegerTypeGet(b->ctx, 32), (int64_t)u), .parity = g->parity};
    sn_gpu_copy_piece(b, g, turn, from, v, count, whole);
  }
}

void sn_gpu_begin_shared_row(SnBuilder *b, SnGpuRowKernel *g, const SnGpuTile *tile) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  g->parity = g->k->single_tile ? sn_int(b, i32, 0)
                                : sn(b, "arith.andi", sn(b, "arith.index_cast", tile->count, i32), sn_int(b, i32, 1));
  g->arrived = false;
  SnIf one = sn_if(b, g->k->first);
  fill(b, g, tile->number);
  sn_end_if(b, &one);
}

void sn_gpu_shared_columns(SnBuilder *b, SnGpuRowKernel *g, size_t phase, SnGpuPart *parts, size_t n) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  for (size_t u = 0; u < g->mine.resident; ++u) {
    SnGpuTurn turn = {.slot = sn_int(b, i32, (int64_t)u), .parity = g->parity};
    if (!g->arrived)
      sn_gpu_ring_await_full(b, &g->slots.ring, turn);
    sn_gpu_take(b, g, turn.slot, &g->resident[u]);
    sn_gpu_run_columns(b, g, phase, parts, n, u, 1);
    sn_map_free(&g->resident[u].made);
  }
  g->arrived = true;
}

void sn_gpu_end_shared_row(SnBuilder *b, SnGpuRowKernel *g) {
  if (g->k->single_tile)
    return;
  sn_gpu_fence_copies(b); // loads are over when the next copy begins
  sn_gpu_sync(b, g->k);
}
