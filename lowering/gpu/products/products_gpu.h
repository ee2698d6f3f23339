// products_gpu.h: forms with products as kernels of a GPU; for lower_gpu.c, and what the files here have of each other.

#ifndef SINTER_LOWERING_GPU_PRODUCTS_H
#define SINTER_LOWERING_GPU_PRODUCTS_H

#include "lowering/facts/gpu_slots.h"
#include "lowering/gpu/shell/shell.h"
#include "lowering/rows/rowprogram.h"

// A sinter.contract on memrefs in its kernel function: `take` is given what writes the kernel.
MlirLogicalResult sn_gpu_lower_products(MlirOperation contract, SnGpuTakeBody take, void *taker);

// A kernel that is being written.
typedef struct {
  SnGpuKernel *k;
  SnForm *form; // over the kernel's operands
  const SnGpuProductPlan *plan;
  SnRowProgram program;
  const MlirValue *addresses;                 // of the form's inputs: i64, or null
  MlirValue num_batch, num_rows, num_columns; // index: points of each
  MlirValue first_row, first_column;          // index: of the tile; of patches: the first's dimensions are in `dims`
  MlirValue tile, part;                       // index: which tile of all, which part of its sum
  MlirValue dims[SN_MAX_DIMS];                // of the form: those of the batch are set for a tile
  MlirValue *sums;                            // of each product: memref<m x n>, in shared memory
  MlirValue a, b;                             // bytes in shared memory: of sides that are multiplied
  MlirValue *numbers; // of each argument of the row program: what it is for all of the tile, or null; null: no list
} SnGpuProducts;

// `linear`, an index, split over these dimensions: sets their places in `to`.
void sn_gpu_point(SnBuilder *b, const SnForm *form, const SnGpuDims *dims, MlirValue linear, MlirValue *to);

// The first row and column of a tile that a thread has a sum of; and all of the thread's sums to memref<m x n>.
void sn_gpu_sums_place(SnBuilder *b, const SnLayout *sums, MlirValue thread, MlirValue *row, MlirValue *column);
void sn_gpu_store_sums(SnBuilder *b, const SnLayout *layout, MlirValue thread, const MlirValue *sums, MlirValue memory);

// Where blocks share sums (product_parts.c). Bytes of the workspace: counters, one for each of `units` (the tiles, or
// warpgroups' parts of them), and the partial sums of all.
int64_t sn_gpu_parts_scratch(const SnForm *form, const SnGpuProductPlan *plan);
int64_t sn_gpu_parts_units(const SnGpuProductPlan *plan); // of a tile
// The k elements of the block's part: from `first` on, below `end`.
void sn_gpu_part_of_sum(SnBuilder *b, const SnGpuProducts *g, MlirValue sum, MlirValue *first, MlirValue *end);
// Tile's sums in shared memory, known to all threads -> the same of all parts, in the block that came last. The row
// program is written in the branch; close it with sn_end_if.
SnIf sn_gpu_meet_in_tile(SnBuilder *b, SnGpuProducts *g);
// The same of sums in a warpgroup's registers, n for each product and 64 rows, in `lists` lists of them. `sync` writes
// a barrier of the warpgroup; `flag`: memref<i32> in shared memory; unit: which of the tile's.
SnIf sn_gpu_meet_in_registers(SnBuilder *b, SnGpuProducts *g, MlirValue unit, int64_t lists, int64_t n, MlirType *types,
                              MlirValue *values, MlirValue flag, MlirValue flag_at,
                              void (*sync)(SnBuilder *b, void *user), void *user);

// The tile that g is at, by threads or by warps: its sums, then the row program. Slots are free, and sums are read
// until the next barrier.
void sn_gpu_emit_tile(SnBuilder *b, SnGpuProducts *g);
// The tile of this number: sets tile, part, first_row, first_column and dims of the batch.
void sn_gpu_place_tile(SnBuilder *b, SnGpuProducts *g, MlirValue number);
// Columns that the row program has at a time; at most SN_GPU_PRODUCT_LANES.
enum { SN_GPU_PRODUCT_LANES = 4 };
int64_t sn_gpu_product_lanes(const SnForm *form, const SnGpuProductPlan *plan);
// The row program on so many columns from this place of the tile on, where they are in the form: the sums are given, or
// lie in memory[product][line][element ...].
void sn_gpu_emit_elements(SnBuilder *b, SnGpuProducts *g, MlirValue row, MlirValue column, int64_t lanes,
                          const MlirValue *sums);
void sn_gpu_emit_stored(SnBuilder *b, SnGpuProducts *g, const MlirValue *memory, MlirValue line, MlirValue element,
                        MlirValue row, MlirValue column, int64_t lanes);
// The same of `count` of them in lines and rows `apart` from each other, from these on. Where all are there nothing
// branches between them, so that none waits for another's sums, operands and functions.
typedef struct {
  MlirValue line, element, row, column;
  int64_t lanes, count, apart;
} SnGpuBelow;
void sn_gpu_emit_below(SnBuilder *b, SnGpuProducts *g, const MlirValue *memory, const SnGpuBelow *below);
// How many, a divisor of `most`: all code of a row program is written as often, a long one less.
int64_t sn_gpu_rows_below(const SnForm *form, int64_t lanes, int64_t most);
// Loads what the row program reads one number of, whatever the row and the column: from here on emit_stored, _below and
// _elements have it.
void sn_gpu_know_numbers(SnBuilder *b, SnGpuProducts *g);

// product_rows.c: a row of the tile that `team` neighbours in a warp share, whole: pieces of `lanes` columns of each of
// them, from `first`, the thread's first column, plus offsets[i] on. sums[i]: of product i / n, piece i % n.
typedef struct {
  MlirValue row, first; // index, in the tile
  int64_t team, lanes;
  size_t n;
  const int64_t *offsets;
  const MlirValue *sums;
} SnGpuSharedRow;
// The row program on it. All lanes of the warp come here.
void sn_gpu_emit_shared_row(SnBuilder *b, SnGpuProducts *g, const SnGpuSharedRow *row);
// On all rows of 16 that a warp has in registers as pairs of wgmma's sums lie: `values` of each product, `stride` from
// one to the next; `row`: the first of the warp's. On all rows of the tile, whose sums are in shared memory.
void sn_gpu_emit_rows_of_pairs(SnBuilder *b, SnGpuProducts *g, MlirValue row, const MlirValue *values, int64_t stride);
void sn_gpu_emit_rows_of_tile(SnBuilder *b, SnGpuProducts *g);

// Where column `column` of the tile is: sets the dimensions of columns in `to`. i1: whether it is one of the form's.
MlirValue sn_gpu_column_point(SnBuilder *b, const SnGpuProducts *g, MlirValue column, MlirValue *to);
// i1: i < size, unless pieces of so many end with it.
MlirValue sn_gpu_inside(SnBuilder *b, MlirValue i, MlirValue size, int64_t piece);

// All tiles, by warps that fetch sides and warpgroups that multiply them.
void sn_gpu_emit_staged(SnBuilder *b, SnGpuProducts *g, MlirValue tiles); // product_warpgroups.c

// What writes the tile's sums of a product to its memref: all threads know them behind the next barrier.
void sn_gpu_sum_by_threads(SnBuilder *b, SnGpuProducts *g, const SnGpuProduct *p, MlirValue memory); // product_sums.c
void sn_gpu_sum_by_warps(SnBuilder *b, SnGpuProducts *g, const SnGpuProduct *p, MlirValue memory);   // product_warps.c
// product_windows.c
void sn_gpu_sum_by_windows(SnBuilder *b, SnGpuProducts *g, const SnGpuProduct *p, MlirValue memory);
// The same of all products at once (product_streams.c).
void sn_gpu_sum_by_streams(SnBuilder *b, SnGpuProducts *g);

#endif
