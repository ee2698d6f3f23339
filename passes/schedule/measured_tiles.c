// measured_tiles.c: tiles of f32 by ordinary arithmetic. The one that costs least is taken: rounds of blocks over the
// multiprocessors, by the rate that was measured of each tile, and the time until parts of sums have met.
//
// test: test/passes/schedule/gpu_tiles.mlir

#include "dialect/sequence.h"
#include "passes/schedule/gpu_tiles.h"

// How much of a multiprocessor's multiplications a tile gets where it has one block, and where it has more; and of a
// product whose sides both lie along the sum: as measured (bench/results/gpu_products_f32.md).
typedef struct {
  SnGpuTile tile;
  double one, more, more_along;
} MeasuredTile;

static const MeasuredTile f32_tiles[] = {
    {{"fma", 128, 128, 8, 256, 2}, 0.70, 0.78, 0.78}, {{"fma", 128, 128, 16, 128, 2}, 0.55, 0.80, 0.73},
    {{"fma", 128, 64, 8, 128, 3}, 0.55, 0.64, 0.64},  {{"fma", 64, 128, 16, 128, 3}, 0.61, 0.67, 0.67},
    {{"fma", 64, 64, 16, 256, 4}, 0.35, 0.46, 0.46},  {{"fma", 64, 64, 8, 128, 4}, 0.45, 0.52, 0.52},
    {{"fma", 64, 32, 16, 128, 4}, 0.38, 0.42, 0.42},  {{"fma", 32, 64, 16, 128, 4}, 0.40, 0.45, 0.45},
    {{"fma", 32, 128, 16, 64, 4}, 0.20, 0.63, 0.45},  {{"fma", 128, 32, 8, 128, 3}, 0.40, 0.55, 0.50},
};

// Two products of the same rows, whose sums a thread has both: what is multiplied by each element of shared memory is
// that of a tile of twice as many columns.
static const MeasuredTile f32_pairs[] = {
    {{"fma", 128, 64, 8, 256, 2}, 0.70, 0.78, 0.78}, {{"fma", 64, 64, 16, 128, 3}, 0.61, 0.67, 0.67},
    {{"fma", 64, 32, 16, 128, 4}, 0.45, 0.52, 0.52}, {{"fma", 32, 32, 16, 128, 4}, 0.38, 0.42, 0.42},
};
enum {
  MULTIPLICATIONS_OF_A_CYCLE = 128, // of f32, in a multiprocessor
  STORED_OF_A_CYCLE = 3,           // elements of a tile, at its end
  MANY_MULTIPLICATIONS = 16 << 20, // below, launches and latencies say how long it takes
  MANY_IN_SEQUENCE = 64 << 20,     // where no launch is
  FEW_OUTER = 16,                  // rows or columns, which have tiles as flat
};

// A side with a fill value that is read by vectors along the sum.
static bool along_vectors(const SnForm *f, size_t side) {
  SnGroup g = sn_side_summed(f, side);
  SnGpuDims sum = {0};
  for (int64_t d = g.first; d < g.first + g.num_dims; ++d)
    sum.dims[sum.n++] = d;
  return sn_gpu_are_vectors(f, &f->inputs.data[sn_side(f, side).first], &sum, 4);
}

// Sides of f32, that are read by vectors, of many rows and columns.
static bool is_measured(const SnForm *f, const SnGpuPoints *points) {
  int64_t rows = sn_gpu_dims_size(f, &points->rows), columns = sn_gpu_dims_size(f, &points->columns),
          batch = sn_gpu_dims_size(f, &points->batch), all = 0, few = sn_in_sequence(f->op) ? 64 : FEW_OUTER;
  bool plain = rows != SN_DYNAMIC && columns != SN_DYNAMIC && batch != SN_DYNAMIC && rows > few && columns > few;
  for (size_t p = 0; p < f->products.size; ++p) {
    int64_t sum = sn_gpu_pieces(f, p, 1, 1);
    plain &= sum != SN_DYNAMIC && mlirTypeIsAF32(f->products.data[p].type);
    all += plain ? sn_times(sn_times(sn_times(rows, columns), batch), sum) : 0;
    for (size_t side = 2 * p; side < 2 * p + 2; ++side) {
      const SnAccess *a = &f->inputs.data[sn_side(f, side).first];
      plain &= (!a->fill.ptr || along_vectors(f, side)) && !a->through.ptr && mlirTypeIsAF32(sn_side_element(f, side));
    }
  }
  return plain && all >= (sn_in_sequence(f->op) ? MANY_IN_SEQUENCE : MANY_MULTIPLICATIONS);
}

bool sn_gpu_is_small(const SnForm *f, const SnGpuPoints *points) {
  int64_t rows = sn_gpu_dims_size(f, &points->rows), columns = sn_gpu_dims_size(f, &points->columns),
          batch = sn_gpu_dims_size(f, &points->batch), all = 0;
  bool plain = rows > FEW_OUTER && columns > FEW_OUTER && batch != SN_DYNAMIC && !sn_in_sequence(f->op);
  for (size_t p = 0; p < f->products.size && plain; ++p) {
    int64_t sum = sn_gpu_pieces(f, p, 1, 1);
    plain &= sum != SN_DYNAMIC && mlirTypeIsAF32(f->products.data[p].type);
    all += plain ? sn_times(sn_times(sn_times(rows, columns), batch), sum) : 0;
    for (size_t side = 2 * p; side < 2 * p + 2; ++side)
      plain &= !f->inputs.data[sn_side(f, side).first].fill.ptr;
  }
  return plain && all < MANY_MULTIPLICATIONS;
}

// Neighbours in the side of all products that the tile has more of, in both of a square one's, are neighbours of the
// sum: it is their last subscript. (An H200, 149 x 10,034 of 7480 by [k, i] and [j, k]: 32 x 128 does 0.43 of a
// multiprocessor's multiplications, as where both sides are so; 64 x 128 takes 0.88 of its time.)
static bool is_along_sums(const SnForm *f, const SnGpuTile *t) {
  bool all = true;
  for (size_t p = 0; p < f->products.size; ++p) {
    SnGpuProduct product = sn_gpu_product(f, p, "fma");
    for (int is_b = 0; is_b < 2; ++is_b) {
      size_t side = is_b ? product.b : product.a;
      SnGroup summed = sn_side_summed(f, side);
      MlirAffineMap map = f->inputs.data[sn_side(f, side).first].map;
      MlirAffineExpr last = mlirAffineMapGetResult(map, mlirAffineMapGetNumResults(map) - 1);
      if (is_b ? t->n >= t->m : t->m >= t->n)
        all &= mlirAffineExprIsADim(last) && mlirAffineDimExprGetPosition(last) == summed.first + summed.num_dims - 1;
    }
  }
  return all;
}

int64_t sn_gpu_loaded_at_once(const SnForm *f, const SnGpuPoints *points) {
  int64_t lanes = 4;
  for (size_t p = 0; p < f->products.size; ++p) {
    SnGpuProduct product = sn_gpu_product(f, p, "fma");
    for (int is_a = 0; is_a < 2; ++is_a) {
      const SnAccess *a = &f->inputs.data[sn_side(f, is_a ? product.a : product.b).first];
      SnGpuDims sum = {0};
      for (int64_t d = product.summed.first; d < product.summed.first + product.summed.num_dims; ++d)
        sum.dims[sum.n++] = d;
      const SnGpuDims *outer = is_a ? &points->rows : &points->columns;
      while (lanes > 1 && !sn_gpu_are_vectors(f, a, sn_gpu_is_along(f, a, &sum) ? &sum : outer, lanes))
        lanes /= 2;
    }
  }
  return lanes;
}

// How much of its rate a tile keeps: beside the sums of large ones threads have no registers for many loads. (An H200,
// 15,216 x 109 of 358 by elements, over a tile of 128 by 128: with 128 threads 1.56, in two parts 1.00, 64 by 128 0.86,
// 128 by 64 0.93, 64 by 64 1.01. 335 x 2944 of 1542 by pairs, over 64 by 128 in three parts: 128 by 128 in three 0.93,
// with 128 threads 0.97, 128 by 64 1.10.)
static double rate_kept(const SnForm *f, const SnGpuPoints *points, const SnGpuTile *t) {
  enum { LARGE = 128 * 128, MANY_THREADS = 256 };
  int64_t lanes = t->m * t->n >= LARGE ? sn_gpu_loaded_at_once(f, points) : 4;
  return lanes == 4 ? 1 : lanes == 2 ? 0.9 : t->threads < MANY_THREADS ? 0.5 : 0.8;
}

// Less than 0: some block would have no part, or all parts no room in the workspace.
static double measured_cost(const SnForm *f, const SnGpuPoints *points, const MeasuredTile *t, int64_t split,
                            const SnGpuChip *chip) {
  const SnGpuTile *tile = &t->tile;
  int64_t tiles = sn_gpu_num_tiles(f, points, tile->m, tile->n), blocks = sn_times(tiles, split),
          each = sn_pieces(blocks, chip->multiprocessors);
  double cycles = 0;
  if (split > 1 && sn_times(sn_times(blocks, tile->m * tile->n * 4), (int64_t)f->products.size) > SN_GPU_PARTS_BYTES)
    return -1;
  for (size_t p = 0; p < f->products.size; ++p) {
    int64_t pieces = sn_gpu_pieces(f, p, tile->k, split), all = sn_gpu_pieces(f, p, tile->k, 1);
    if (split > 1 && (pieces < SN_GPU_PIECES_OF_A_PART || pieces * (split - 1) >= all))
      return -1;
    cycles += (double)(each * tile->m * tile->n * tile->k * pieces) / MULTIPLICATIONS_OF_A_CYCLE;
  }
  double kept = rate_kept(f, points, tile), one = t->one * kept,
         more = (is_along_sums(f, tile) ? t->more_along : t->more) * kept,
         meet = sn_gpu_meet_cycles(f, tile->m, tile->n, split) * (double)sn_pieces(tiles, chip->multiprocessors),
         parts = split > 1 ? (double)sn_times(blocks, tile->m * tile->n * 4) * (double)f->products.size : 0;
  meet += sn_gpu_much_met_cycles(parts, chip);
  // What is left behind the last whole round may be too few blocks to keep a multiprocessor busy.
  double left = (double)(each % tile->occupancy), rate = left * one < more ? left * one : more,
         store = each > 1 && split == 1 ? (double)(each * tile->m * tile->n) / STORED_OF_A_CYCLE : 0;
  return cycles / (double)each * (((double)each - left) / more + (left > 0 ? left / rate : 0)) + meet + store;
}

const SnGpuTile *sn_gpu_measured_tile(const SnForm *f, const SnGpuPoints *points, const SnGpuChip *chip,
                                      int64_t *parts) {
  bool pair = f->products.size == 2 && sn_gpu_same_rows(f, 1);
  const MeasuredTile *list = pair ? f32_pairs : f32_tiles;
  size_t n = pair ? sizeof f32_pairs / sizeof *f32_pairs : sizeof f32_tiles / sizeof *f32_tiles;
  const SnGpuTile *best = NULL;
  double least = 0;
  for (size_t i = 0; i < n && is_measured(f, points); ++i)
    for (int64_t split = 1; split <= SN_GPU_MOST_PARTS; ++split) {
      const SnGpuTile *t = &list[i].tile;
      double cost = measured_cost(f, points, &list[i], split, chip);
      if (cost < 0 || (best && cost >= least) || !sn_gpu_tile_has_columns(f, t->n) ||
          sn_gpu_tile_bytes(f, t->kernel, t->m, t->n, t->k, t->threads) * t->occupancy > chip->shared_bytes)
        continue;
      best = t;
      least = cost;
      *parts = split;
    }
  return best;
}
