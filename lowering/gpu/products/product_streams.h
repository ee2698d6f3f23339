// product_streams.h: a tile whose weights are streamed: who has what of a slot, and how lines come into it.

#ifndef SINTER_LOWERING_GPU_PRODUCT_STREAMS_H
#define SINTER_LOWERING_GPU_PRODUCT_STREAMS_H

#include "lowering/facts/gpu_streams.h"
#include "lowering/gpu/products/products_gpu.h"
#include "lowering/rows/rowmemory.h"

enum { SN_GPU_STREAM_HALF = 2 }; // bytes of what is multiplied

// Copies of a side: unit i of the thread is `unit` of line `line` + i * `lines`.
typedef struct {
  const SnAccess *access;
  MlirValue memory;                 // bytes: of all slots, a slot's begin
  int64_t stride, slot_bytes, first; // of a line; of a slot, and where in it these lines begin
  int64_t line_units, all;          // units of a line, of all lines
  int64_t elements, bytes, repeat;  // rows or columns; bytes of an element; neighbours of the sum that read it
  MlirValue address, line, unit;
  bool exchanged, of_rows;
} SnGpuCopied;

typedef struct {
  SnGpuProducts *g;
  const SnGpuProduct *product;
  SnGpuStream stream;
  SnSide weights;
  SnForm side; // the weights' side by itself, and where its dimensions are
  SnRowProgram program;
  int64_t at[SN_MAX_DIMS];
  int64_t turns, blocks, rows; // pieces of a lane in a slot; 16 columns of a warp, 8 rows of the tile: so many
  int64_t groups;              // of warps that share a slot's sum: each has so many pieces of a line
  MlirValue group, warp;       // index: which of them, and which warp of it
  SnGpuCopied a, b;
  MlirValue quad, of_quad; // which four lanes, which of them
  MlirValue sum;           // index: all that is summed
  MlirValue *shifts, *row_shifts; // of lines that begin anywhere: elements behind a unit, of those of each half of a
                                  // block, and of each 8 rows; or null
} SnGpuStreams;

// Of the form.
const SnAccess *sn_gpu_stream_input(const SnGpuStreams *s, size_t i);
// Lines of a slot: of rows, or of weights.
int64_t sn_gpu_stream_extent(const SnGpuStreams *s, bool of_rows);
// How the block's threads copy input `number` into the slots in `memory`.
SnGpuCopied sn_gpu_stream_copied(SnBuilder *b, const SnGpuStreams *s, size_t number, MlirValue memory, bool of_rows);
// Where a line of a slot begins, in bytes.
MlirValue sn_gpu_stream_line_at(SnBuilder *b, const SnGpuCopied *c, MlirValue line);
// Where unit u of a line is, in units. Of rows of which a lane has 64 bytes: lanes 2 and 3 have the other banks.
MlirValue sn_gpu_stream_place(SnBuilder *b, const SnGpuStreams *s, const SnGpuCopied *c, MlirValue line, MlirValue u);
// The access's first summed element at a row or column, in elements of its memory; all others at the tile's batch.
MlirValue sn_gpu_stream_offset(SnBuilder *b, const SnGpuStreams *s, const SnGpuCopied *c, MlirValue outer);
// The row or column, or the first one where it is beside the end: null, or whether it is there.
MlirValue sn_gpu_stream_outer(SnBuilder *b, const SnGpuStreams *s, bool of_rows, MlirValue in_tile, MlirValue *outer);
// Null: all pieces of the sum are whole.
MlirValue sn_gpu_stream_below_end(SnBuilder *b, const SnGpuStreams *s, MlirValue summed);
// Of lines that begin anywhere: by how many elements a line's are behind the units around them.
MlirValue sn_gpu_stream_shift(SnBuilder *b, const SnGpuCopied *c, MlirValue offset);
// The piece of the sum from `first` on into its slot, if there is one; a group of copies either way.
void sn_gpu_stream_copy(SnBuilder *b, const SnGpuStreams *s, MlirValue first, MlirValue end, MlirValue slot);

#endif
