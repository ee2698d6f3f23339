// exchange.h: blocks that share a row meet by way of memory; for grid_rows.c.

#ifndef SINTER_LOWERING_GPU_EXCHANGE_H
#define SINTER_LOWERING_GPU_EXCHANGE_H

#include "lowering/gpu/rows/gpu_rows.h"

// What a phase reduces: values (where more than SN_GPU_EXCHANGED, some are missing), whose row_reduces are `of` (null:
// a number of elements, squares.c).
typedef struct {
  size_t phase, n;
  SnReduction reductions[SN_GPU_EXCHANGED + 3];
  MlirOperation of[SN_GPU_EXCHANGED + 3];
  MlirValue hands[SN_GPU_EXCHANGED + 3];   // memref<2 turns of one for each warp>
  MlirValue results[SN_GPU_EXCHANGED + 3]; // memref<2>
  SnGpuRing ring;                          // of two: full when values are handed, empty when results are there
} SnGpuExchange;

// The exchanges of a row, in order; without IR.
size_t sn_gpu_plan_exchanges(SnGpuRowKernel *g, SnGpuExchange *list);
// Their shared memory; a barrier of the block has to follow.
void sn_gpu_begin_exchanges(SnBuilder *b, SnGpuRowKernel *g, SnGpuExchange *list, size_t count);
// Bytes of scratch memory behind those of sn_gpu_grid_scratch.
int64_t sn_gpu_exchange_scratch(SnGpuRowKernel *g, const SnGpuKernel *k);
// The turn of all exchanges of the row that its group counts as q: an index.
SnGpuTurn sn_gpu_exchange_turn(SnBuilder *b, MlirValue q);
// By all warps that have a part of the row, in the order of rows; `values` of each thread are changed.
void sn_gpu_hand(SnBuilder *b, SnGpuRowKernel *g, SnGpuExchange *x, SnGpuTurn turn, MlirValue *values);
void sn_gpu_receive(SnBuilder *b, SnGpuExchange *x, SnGpuTurn turn, MlirValue *values);
// What a warp of its own does, for all rows.
void sn_gpu_run_exchanges(SnBuilder *b, SnGpuRowKernel *g, SnGpuExchange *list, size_t count, const SnGpuTiles *rows);

#endif
