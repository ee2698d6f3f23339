// peel.c: rows whose length is no multiple of a vector.
//
//   start = row * N, from = start rounded down to a vector      (lowering/rows/rowplace.c)
//   thread: from + W * thread, from + W * (thread + T), ...     of the first some lanes are in front of the row,
//                                                               of the last behind it
//
// Only vectors that may be the first or the last of a row are masked, lane by lane. One behind the last is
// read from the last one's place.
//
// test: test/lowering/gpu/peel.mlir

#include "lowering/gpu/rows/gpu_rows.h"
#include "lowering/rows/rowmemory.h"

MlirValue sn_gpu_peeled_lanes(SnBuilder *b, const SnGpuRowKernel *g, MlirValue j) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), i32s = sn_vector(i32, g->mine.width);
  MlirValue lanes =
      sn(b, "arith.index_cast", sn(b, "vector.step", sn_vector(sn_index_type(b->ctx), g->mine.width)), i32s);
  lanes = sn(b, "arith.addi", sn_lanes_broadcast(b, sn(b, "arith.index_cast", j, i32), g->mine.width), lanes);
  return sn_row_below(b, lanes, sn_lanes_broadcast(b, sn_int(b, i32, sn_row_length(g->form)), g->mine.width));
}

MlirValue sn_gpu_peeled_readable(SnBuilder *b, const SnGpuRowKernel *g, MlirValue place) {
  MlirValue all =
      sn(b, "arith.muli", sn_form_sizes(b, g->form, 0, g->form->num_rows), sn_index(b, sn_row_length(g->form)));
  return sn_row_below(b, sn(b, "arith.addi", place, sn_index(b, g->mine.width - 1)), all);
}

void sn_gpu_begin_peeled(SnBuilder *b, SnGpuRowKernel *g, MlirValue row, SnFragment *at, MlirValue *inside) {
  int64_t n = sn_row_length(g->form), rows = sn_num_rows(g->form), step = sn_layout_period(&g->mine.layout);
  MlirValue width = sn_index(b, g->mine.width), start = sn(b, "arith.muli", row, sn_index(b, n)),
            end = sn(b, "arith.addi", start, sn_index(b, n - 1));
  MlirValue from = sn(b, "arith.subi", start, sn(b, "arith.remui", start, width)),
            last = sn(b, "arith.subi", end, sn(b, "arith.remui", end, width));
  MlirValue mine = sn(b, "arith.addi", from, sn(b, "arith.muli", g->k->member, width));
  for (size_t u = 0; u < g->mine.resident; ++u) {
    MlirValue place = u ? sn(b, "arith.addi", mine, sn_index(b, (int64_t)u * step)) : mine;
    MlirValue j = sn(b, "arith.subi", place, start);
    bool behind = ((int64_t)u + 1) * step > n;
    at[u] = sn_fragment(j, g->mine.width);
    at[u].place = behind ? sn(b, "arith.minui", place, last) : place;
    inside[u] = (MlirValue){0};
    if (u && !behind)
      continue;
    inside[u] = at[u].in = sn_gpu_peeled_lanes(b, g, j);
    at[u].whole = sn_row_below(b, j, sn_index(b, n - g->mine.width + 1));
    if (behind && (rows == SN_DYNAMIC || rows % g->mine.width * (n % g->mine.width) % g->mine.width)) {
      at[u].readable = sn_gpu_peeled_readable(b, g, at[u].place);
    }
  }
}
