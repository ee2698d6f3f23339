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

#include "lowering/gpu/rows.h"
#include "lowering/rows/rowmemory.h"

#define AT_ONCE 1 // pieces that are loaded before the first is used

static int64_t bytes_of(const SnAccess *a, int64_t width) {
  return width * sn_bits(sn_element(sn_type_of(a->value))) / 8;
}
static MlirValue plus(SnBuilder *b, MlirValue x, MlirValue y) { return sn(b, "arith.addi", x, y); }
static MlirValue times(SnBuilder *b, MlirValue x, int64_t y) { return sn(b, "arith.muli", x, sn_index(b, y)); }
static MlirValue less(SnBuilder *b, MlirValue x, MlirValue y) {
  return sn(b, "arith.subi", x, sn(b, "arith.minui", x, y));
}

MlirLogicalResult sn_gpu_shared_check(const SnForm *f, const SnGpuRows *s) {
  if (s->flat || s->tile || sn_gpu_lanes_are_rows(f) || s->team < s->threads)
    return sn_error(f->op, "residency = \"shared\" needs columns and no team: rows of a block or a cluster");
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map))
      return sn_error(
          f->op,
          "residency = \"shared\" keeps no sums of columns over all rows: schedule with residency = \"registers\"");
  if (s->ahead)
    return sn_error(f->op, "residency = \"shared\" has one row at a time: schedule without ahead");
  if (!sn_gpu_piece_bytes(f, s))
    return sn_error(
        f->op, "residency = \"shared\" needs an input with rows of a multiple of 16 bytes, or vectors of 16 bytes");
  return SN_OK;
}

void sn_gpu_begin_shared(SnBuilder *b, SnGpuRowKernel *g) {
  sn_gpu_begin_slots(b, g, (int64_t)g->num_resident);
  g->full = sn_gpu_mbarriers(b, g->k, (int64_t)g->num_resident, 1);
  sn_gpu_ptx(b, "fence.mbarrier_init.release.cluster;", "~{memory}", sn_values(0, NULL), (MlirType){0});
  sn_op(b, "gpu.barrier");
}

// By one thread of the block.
static void fill(SnBuilder *b, SnGpuRowKernel *g, MlirValue row) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), i64 = mlirIntegerTypeGet(b->ctx, 64);
  int64_t n = sn_row_length(g->form), threads = g->k->threads;
  MlirValue start = sn(b, "arith.muli", row, g->length), from = start, width = sn_index(b, g->width),
            vectors = sn_index(b, (n + g->width - 1) / g->width);
  if (g->peeled) { // vectors that are in memory as a whole
    from = sn(b, "arith.subi", start, sn(b, "arith.remui", start, width));
    MlirValue all = sn(b, "arith.muli", sn_form_sizes(b, g->form, 0, g->form->num_rows), g->length);
    MlirValue own =
        sn(b, "arith.divui", plus(b, sn(b, "arith.subi", start, from), sn_index(b, n + g->width - 1)), width);
    vectors = sn(b, "arith.minui", own, sn(b, "arith.divui", sn(b, "arith.subi", all, from), width));
  }
  MlirValue before = sn_none(g->k->rank) ? sn_index(b, 0) : times(b, g->k->rank, threads);
  for (size_t u = 0; u < g->num_resident; ++u) {
    MlirValue v = u ? plus(b, before, sn_index(b, (int64_t)u * g->k->team)) : before;
    bool whole = (int64_t)(u + 1) * g->k->team <= n / g->width;
    MlirValue count = whole ? sn_index(b, threads) : sn(b, "arith.minui", less(b, vectors, v), sn_index(b, threads)),
              all = sn_index(b, 0), bytes[SN_GPU_MAX_FETCHED];
    for (size_t i = 0; i < g->num_fetched; ++i) {
      bytes[i] = times(b, count, bytes_of(&g->form->inputs.data[g->fetched[i]], g->width));
      all = plus(b, all, bytes[i]);
    }
    MlirValue mbarrier = sn_gpu_mbarrier(b, g->full, sn_int(b, i32, (int64_t)u));
    sn_gpu_arrive_expecting(b, mbarrier, sn(b, "arith.index_cast", all, i32));
    SnIf some;
    if (!whole)
      some = sn_if(b, sn(b, "arith.cmpi", count, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 1)))); // ne
    for (size_t i = 0; i < g->num_fetched; ++i) {
      int64_t vector = bytes_of(&g->form->inputs.data[g->fetched[i]], g->width);
      MlirValue place = plus(b, from, times(b, v, g->width));
      MlirValue offset = sn(b, "arith.muli", sn(b, "arith.index_cast", place, i64), sn_int(b, i64, vector / g->width));
      MlirValue to = plus(b, sn_gpu_shared_address(b, g->slots[i]), sn_int(b, i32, (int64_t)u * threads * vector));
      sn_gpu_bulk_copy(b, to, plus(b, g->k->addresses[g->fetched[i]], offset), sn(b, "arith.index_cast", bytes[i], i32),
                       mbarrier);
    }
    if (!whole)
      sn_end_if(b, &some);
  }
}

void sn_gpu_begin_shared_row(SnBuilder *b, SnGpuRowKernel *g, MlirValue row) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue count = sn(b, "arith.divui", row, sn_index(b, g->k->blocks / g->k->cluster));
  g->parity =
      g->k->one_row ? sn_int(b, i32, 0) : sn(b, "arith.andi", sn(b, "arith.index_cast", count, i32), sn_int(b, i32, 1));
  g->arrived = false;
  SnIf one = sn_if(b, g->k->first);
  fill(b, g, row);
  sn_end_if(b, &one);
}

void sn_gpu_shared_columns(SnBuilder *b, SnGpuRowKernel *g, size_t phase, SnGpuPart *parts, size_t n) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  for (size_t u = 0; u < g->num_resident; u += AT_ONCE) {
    size_t count = u + AT_ONCE < g->num_resident ? AT_ONCE : g->num_resident - u;
    for (size_t i = u; i < u + count; ++i) {
      MlirValue number = sn_int(b, i32, (int64_t)i);
      if (!g->arrived)
        sn_gpu_await(b, sn_gpu_mbarrier(b, g->full, number), g->parity);
      sn_gpu_take(b, g, number, &g->resident[i]);
    }
    sn_gpu_run_columns(b, g, phase, parts, n, u, count);
    for (size_t i = u; i < u + count; ++i)
      sn_map_free(&g->resident[i].made);
  }
  g->arrived = true;
}

void sn_gpu_end_shared_row(SnBuilder *b, SnGpuRowKernel *g) {
  if (g->k->one_row)
    return;
  // Loads have to be over when the next copy begins, which is of another proxy.
  sn_gpu_ptx(b, "fence.proxy.async.shared::cta;", "~{memory}", sn_values(0, NULL), (MlirType){0});
  sn_op(b, "gpu.barrier");
}
