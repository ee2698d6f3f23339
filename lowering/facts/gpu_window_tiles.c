// gpu_window_tiles.c: see gpu_window_tiles.h.
//
// A warp multiplies its filters by the points of a patch, a tap at a time. What it issues for that, and what its loads
// take of the first cache, say how long a multiprocessor takes where it has warps enough; where not, one warp's own
// time does. Patches as wide as the image leave no lane without a point. Filters, points, warps and parts of the sum
// that cost least are taken.
//
// test: test/passes/schedule/gpu_window_tiles.mlir

#include "lowering/facts/gpu_window_tiles.h"
#include "lowering/rows/rowmemory.h"

enum {
  MOST_PARTS = 32,
  PARTS_BYTES = 64 << 20,  // of the workspace
  FILTER_BYTES = 24 << 10, // of shared memory, that a block has weights in
  OTHER_SHARED = 1024 + 64,
  THREADS = 512,           // on a multiprocessor, with 128 registers each
  FEW_FILTERS = 16,        // of which a tile of a product has more
  FEW_OUTPUTS = 512,
  MANY_MULTIPLICATIONS = 16 << 20, // of more filters
  MULTIPLICATIONS_OF_A_CYCLE = 128,
  LINE_BYTES = 128,        // of the first cache, in a cycle
  BEGIN_CYCLES = 3000,
  MEET_CYCLES = 2500,
  WRITE_CYCLES = 14000,    // of two launches that write sides
  COPY_BYTES = 900,        // that all multiprocessors read or write in a cycle
};
#define ISSUED 0.72       // of the cycles in which a multiprocessor could (an H200, 64 filters of 3 x 3)
#define WEIGHT_ISSUES 8.0 // instructions for one weight on its way to shared memory
#define WRITTEN_RATE 0.5   // of all multiplications that there could be, by products of written sides

static int64_t smaller(int64_t x, int64_t y) { return x < y ? x : y; }

static double cost_of(const SnForm *f, const SnGpuPoints *points, const SnGpuWindow *w, const SnGpuWindowTile *t,
                      const SnGpuChip *chip) {
  int64_t filters = sn_gpu_window_filters(t->m), each = t->n / 32, warps = t->threads / 32, across = t->m / filters,
          shares = warps / across, lanes = sn_gpu_window_lanes(w, t->n, t->patch), factors[SN_MAX_DIMS],
          blocks = sn_times(sn_gpu_num_tiles(f, points, t->m, t->n), t->split),
          of_one = sn_pieces(blocks, chip->multiprocessors), beside = smaller(of_one, t->occupancy),
          rounds = sn_pieces(of_one, beside), turns = sn_pieces(sn_pieces(w->loop, t->split), shares),
          loads = sn_gpu_window_loads(f, w, each), fma = w->taps * each * filters,
          weights = w->taps * sn_pieces(filters, 4);
  const SnAccess *x = &f->inputs.data[w->input];
  sn_linear_factors(x->map, sn_type_of(x->value), factors);
  int64_t lines = sn_pieces(lanes * factors[w->x] * 4, LINE_BYTES) * (32 / lanes);
  double issue = (double)(fma + 3 * loads + weights + 40), cache = (double)(loads * lines + weights),
         together = issue / 4 / ISSUED > cache ? issue / 4 / ISSUED : cache, alone = 1.3 * issue + 400,
         turn = (double)(beside * warps) * together;
  turn = turn > alone ? turn : alone;
  double fetch = (double)(beside * t->m * w->taps * turns * shares) / 32 * WEIGHT_ISSUES / 4,
         meet = t->split > 1 ? MEET_CYCLES + (double)(beside * t->m * t->n * 4 * (t->split + 1)) / 40 : 0,
         store = (double)(beside * t->m * t->n) / 32 * (double)(10 + 6 * (shares - 1)) / 4;
  return (double)rounds * ((double)turns * turn + fetch + meet + store + BEGIN_CYCLES);
}

// As many windows of weights as shared memory has, and no more than a part has.
static bool choose_k(const SnGpuWindow *w, SnGpuWindowTile *t) {
  int64_t part = sn_pieces(w->loop, t->split);
  for (t->k = 1; t->k < part && t->k < 1024 && sn_gpu_window_bytes(w, t->m, 2 * t->k) <= FILTER_BYTES; t->k *= 2)
    ;
  int64_t all = sn_pieces(w->loop, t->k), each = sn_pieces(all, t->split);
  return sn_gpu_window_bytes(w, t->m, t->k) <= 2 * FILTER_BYTES && (t->split == 1 || each * (t->split - 1) < all);
}

// The number of parts that costs least; 0: the tile does not fit.
static void choose_parts(const SnForm *f, SnGpuPoints *points, const SnGpuWindow *w, SnGpuWindowTile t,
                         const SnGpuChip *chip, SnGpuWindowTile *best) {
  points->patch = t.patch;
  for (t.split = 1; t.split <= MOST_PARTS; ++t.split) {
    int64_t tiles = sn_times(sn_gpu_num_tiles(f, points, t.m, t.n), t.split);
    if (!choose_k(w, &t) || (t.split > 1 && sn_times(tiles, t.m * t.n * 4) > PARTS_BYTES))
      continue;
    int64_t bytes = sn_gpu_window_bytes(w, t.m, t.k) + t.m * t.n * 4 + OTHER_SHARED;
    t.occupancy = smaller(THREADS / t.threads, chip->shared_bytes / bytes);
    if (t.occupancy < 1)
      continue;
    t.cycles = cost_of(f, points, w, &t, chip);
    if (!best->m || t.cycles < best->cycles)
      *best = t;
  }
}

static int64_t multiplications(const SnForm *f, const SnGpuPoints *points) {
  int64_t all = sn_gpu_num_tiles(f, points, 1, 1);
  SnGroup sum = sn_side_summed(f, 0);
  for (int64_t d = sum.first; d < sum.first + sum.num_dims; ++d)
    all = sn_times(all, f->dims.data[d].size);
  return all;
}

// As a product whose sides are written in other orders first.
static double cost_written(const SnForm *f, const SnGpuPoints *points, const SnGpuChip *chip) {
  MlirType x = sn_type_of(f->inputs.data[sn_side(f, sn_gpu_product(f, 0, "fma.window").b).first].value);
  double bytes = 8;
  for (intptr_t i = 0; i < sn_rank(x); ++i)
    bytes *= (double)sn_dim(x, i);
  return (double)multiplications(f, points) /
             ((double)(MULTIPLICATIONS_OF_A_CYCLE * chip->multiprocessors) * WRITTEN_RATE) +
         WRITE_CYCLES + bytes / COPY_BYTES;
}

bool sn_gpu_window_tile(const SnForm *f, const SnGpuChip *chip, bool exact, SnGpuWindowTile *to) {
  static const int64_t threads[] = {128, 256, 64}, lanes[] = {32, 16, 8};
  SnGpuWindow w;
  *to = (SnGpuWindowTile){0};
  if (sn_gpu_not_window(f, 1, &w))
    return false;
  SnGpuPoints points = sn_gpu_points(f);
  int64_t filters = sn_gpu_dims_size(f, &points.rows), all = multiplications(f, &points);
  bool few = filters <= FEW_FILTERS;
  if (few ? sn_gpu_num_tiles(f, &points, 1, 1) <= FEW_OUTPUTS : !exact || all < MANY_MULTIPLICATIONS)
    return false;
  for (int64_t m = 1; m <= SN_GPU_WINDOW_MOST_FILTERS && (m == 1 || m / 2 < filters); m *= 2)
    for (int64_t each = SN_GPU_WINDOW_POINTS; each >= 1; each /= 2)
      for (size_t i = 0; i < sizeof threads / sizeof *threads; ++i)
        for (size_t l = 0; l < sizeof lanes / sizeof *lanes; ++l) {
          SnGpuWindowTile t = {.m = m, .n = 32 * each, .threads = threads[i]};
          int64_t of_warp = sn_gpu_window_filters(m);
          if (threads[i] / 32 % (m / of_warp) || sn_gpu_not_window(f, each * of_warp, &w) ||
              w.taps * each * of_warp > 2 * SN_GPU_WINDOW_WRITTEN_OUT)
            continue;
          t.patch = w.down ? lanes[l] : lanes[l] * each;
          if (w.y >= 0 || t.patch == t.n)
            choose_parts(f, &points, &w, t, chip, to);
        }
  points.patch = 0;
  return to->m && (few || to->cycles < cost_written(f, &points, chip));
}
