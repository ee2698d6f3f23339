// gpu_streams.h: weights that few rows are multiplied by, as they lie in memory.
//
//   product (k = 32, l = 64, m = 2) (%x[i, k * 128 + l * 2 + m], side(%w[j, k * 64 + l] : i8, %s[j, k] : f32) { ... })
//   ->   16 bytes of %w are 32 summed elements, each byte two of them; a number of %s is for whole pieces of these
//
// Copies bring 16 bytes at a time into slots of shared memory; what a lane takes of a slot becomes fragments of
// mma.sync in its registers, by the side's program. So memory is read in the type that it has. No IR is made here.
//
//   product (k = 5477) (%x[i, k], %w[j, k])
//   ->   lines begin anywhere: copies bring the 16 bytes around what is asked for, lanes shift it into place
//
// Few columns by many rows are the same turned: then weights are side a, and rows of tiles.

#ifndef SINTER_LOWERING_FACTS_GPU_STREAMS_H
#define SINTER_LOWERING_FACTS_GPU_STREAMS_H

#include "lowering/facts/gpu_products.h"

enum {
  SN_GPU_STREAM_BYTES = 16,   // of a line of weights, that a lane has at once
  SN_GPU_STREAM_LANES = 4,    // that share a line
  SN_GPU_STREAM_COLUMNS = 16, // of a warp, whose weights are rows of an instruction
  SN_GPU_STREAM_ROWS = 8,     // that are its columns
  SN_GPU_STREAM_FEW_ROWS = 64,
  SN_GPU_STREAM_MOST = 4,     // inputs of a side's program, at most
  SN_GPU_STREAM_PRODUCTS = 2, // of the same rows, at most (a gate)
  // Rows of half types by weights of half types, at most: of more wgmma is faster. Weights that it would have element
  // by element are written first for it: they are streamed for all few rows. (An H200, bf16, over writing: 40 x 4096
  // of 1001 0.70, 33 x 12,000 of 301 0.82, 50 x 1500 of 999 0.86, 48 x 2000 of 3001 0.89, 64 x 6000 of 777 0.96, 64 x
  // 1000 of 777 1.01; in pieces of 8 bytes 50 x 7203 of 380 1.48; written by who makes them 7328 x 56 of 573 1.16.)
  SN_GPU_STREAM_PLAIN = 32,
};

typedef struct {
  size_t rows, weights; // sides
  size_t input;         // of the form: what comes in pieces of 16 bytes
  int64_t repeat;       // neighbours of the sum that one of its elements is read for
  int64_t lanes;        // summed elements of such a piece
  int64_t sum;          // summed elements in all
  bool turned;          // weights are rows of tiles, what they are multiplied by is few columns
  bool odd;             // lines, of weights or of rows, begin at any element
} SnGpuStream;

// NULL: the form's weights can be streamed, `to` is how those of product 0 are; else why not. Others have the same
// rows, and lines that are as long. How those of `product` are.
const char *sn_gpu_not_streamed(const SnForm *form, SnGpuStream *to);
const char *sn_gpu_stream_of(const SnForm *form, size_t product, SnGpuStream *to);
// They are, are of a half type, and so much of the work that they had better be.
bool sn_gpu_stream_is_wanted(const SnForm *form, SnGpuStream *to);
// They are, and its rows are so few that reading weights is most of the work.
bool sn_gpu_streams_few(const SnForm *form);
// Pieces of a line in a slot that a lane has: its summed elements are SN_GPU_STREAM_LANES times as many pieces.
int64_t sn_gpu_stream_turns(const SnGpuStream *stream, int64_t k);
// Groups of warps that share what a slot of so many columns sums: more warps than have columns of their own.
int64_t sn_gpu_stream_groups(int64_t n, int64_t threads);
// Bytes of a line of a slot, of the rows, so long that lanes meet in no bank, or of weights; and of the slot of a
// product's side a or b, of weights that has so many lines for each product.
int64_t sn_gpu_stream_line(const SnGpuStream *stream, bool of_rows, int64_t k);
int64_t sn_gpu_stream_side_bytes(const SnForm *form, bool is_a, int64_t extent, int64_t k);

#endif
