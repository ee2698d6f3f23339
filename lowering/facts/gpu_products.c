// gpu_products.c: a #sinter.mma, decoded, and which dimensions of a form are rows and columns of its tiles.
//
//   (h, i) by (j) product (k) (%q[h, i, k], %w[h floordiv 4, k, j])   ->   batch h, rows i, columns j
//
// new schedule key: of a GPU's products: where it is read.
//
// test: test/passes/schedule/gpu_tiles.mlir, test/lowering/gpu/products.mlir

#include "lowering/facts/gpu_products.h"
#include "dialect/dialect.h"
#include "dialect/schedules.h"
#include "lowering/facts/gpu_slots.h"
#include "lowering/facts/gpu_streams.h"
#include "lowering/facts/gpu_windows.h"
#include "lowering/facts/product_sides.h"
#include "lowering/rows/rowmemory.h"

// Rows are pieces of what a tile's columns are: those of the form, behind a number of the piece that is one of its
// rows' dimensions (passes/split/reduced.c).
static bool are_pieces(const SnForm *f) {
  int64_t length = sn_row_length(f), end = f->num_rows + f->num_cols;
  SnGpuPoints points = sn_gpu_points(f);
  const SnGpuDims *columns = &points.columns;
  bool are = (length == SN_GPU_PIECE || length == SN_GPU_WIDE_PIECE) && (int64_t)columns->n > f->num_cols;
  for (int64_t d = f->num_rows; d < end && are; ++d)
    are = columns->dims[(int64_t)columns->n - end + d] == d;
  return are;
}

const char *sn_gpu_not_products(const SnForm *f) {
  if (!f->contract)
    return "it has no products";
  SnGpuStream stream;
  if (!sn_is_plain(f) && sn_gpu_not_streamed(f, &stream))
    return "it has several groups of columns, or a side that is computed";
  if (sn_joins_rows(f))
    return "it reduces over rows";
  if (sn_cpu_by_columns(f))
    return NULL;
  return are_pieces(f) ? NULL : "its rows are needed whole, or it gives a number for a row";
}

int64_t sn_gpu_tile_columns(const SnForm *f) { return sn_cpu_by_columns(f) ? 0 : sn_row_length(f); }

static bool uses_columns(const SnForm *f, size_t side) {
  bool uses = false;
  for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
    uses |= sn_side_uses(f, side, d);
  return uses;
}

SnGpuProduct sn_gpu_product(const SnForm *f, size_t p, const char *kernel) {
  bool turned = uses_columns(f, 2 * p) && !uses_columns(f, 2 * p + 1);
  SnGpuProduct to = {
      .a = 2 * p + turned, .b = 2 * p + !turned, .summed = sn_side_summed(f, 2 * p), .type = f->products.data[p].type};
  to.line = sn_micro_kernel(kernel, sn_side_element(f, to.a), sn_side_element(f, to.b), to.type);
  return to;
}

SnGpuPoints sn_gpu_points(const SnForm *f) {
  SnGpuPoints to = {0};
  for (int64_t d = 0; d < f->num_rows + f->num_cols; ++d) {
    bool a = false, b = false;
    for (size_t p = 0; p < f->products.size; ++p) {
      SnGpuProduct product = sn_gpu_product(f, p, "fma");
      a |= sn_side_uses(f, product.a, d);
      b |= sn_side_uses(f, product.b, d);
    }
    SnGpuDims *of = a && b ? &to.batch : a ? &to.rows : b || d >= f->num_rows ? &to.columns : &to.rows;
    of->dims[of->n++] = d;
  }
  return to;
}

int64_t sn_gpu_dims_size(const SnForm *f, const SnGpuDims *dims) {
  int64_t all = 1;
  for (size_t i = 0; i < dims->n; ++i) {
    int64_t size = f->dims.data[dims->dims[i]].size;
    all = all == SN_DYNAMIC || size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(all, size);
  }
  return all;
}

static int64_t element_bits(const SnGpuProduct *p) { return (int64_t)sn_bits(sn_micro_packed(p->line->a, p->type)); }

int64_t sn_gpu_line_words(const SnGpuProduct *p, int64_t k) {
  return k * element_bits(p) / 32 + (element_bits(p) == 64    ? SN_GPU_PADDED_DOUBLES
                                     : p->line->a == SN_PARTS ? SN_GPU_PADDED_WORDS
                                                              : SN_GPU_PADDED);
}

int64_t sn_gpu_turned_words(const SnGpuProduct *p, int64_t extent) {
  return extent * element_bits(p) / 32 + (p->line->a == SN_TF32 ? SN_GPU_PADDED_WORDS : SN_GPU_PADDED);
}

static int64_t larger(int64_t x, int64_t y) { return x > y ? x : y; }

int64_t sn_gpu_side_bytes(const SnGpuProduct *p, int64_t extent, int64_t k) {
  int64_t slots = 2;
  if (p->line->sums == SN_SUMS_IN_THREADS)
    return slots * k * (extent + SN_GPU_PADDED) * sn_scratch_bytes(p->type);
  return slots * 4 * larger(extent * sn_gpu_line_words(p, k), k * sn_gpu_turned_words(p, extent));
}

bool sn_gpu_same_rows(const SnForm *f, size_t product) {
  size_t one = sn_gpu_product(f, 0, "fma").a, two = sn_gpu_product(f, product, "fma").a;
  const SnAccess *a = &f->inputs.data[sn_side(f, one).first], *b = &f->inputs.data[sn_side(f, two).first];
  SnGroup sum = sn_side_summed(f, one), own = sn_side_summed(f, two);
  int64_t x[SN_MAX_DIMS], y[SN_MAX_DIMS], at_x, at_y;
  MlirType t = sn_type_of(a->value);
  bool same = sn_same(a->value, b->value) && !sn_side(f, one).program.ptr && !sn_side(f, two).program.ptr &&
              !a->fill.ptr && !b->fill.ptr && !a->through.ptr && !b->through.ptr && sum.num_dims == own.num_dims &&
              sn_linear_factors(a->map, t, x) && sn_linear_factors(b->map, t, y) &&
              sn_linear_offset(a->map, t, &at_x) && sn_linear_offset(b->map, t, &at_y) && at_x == at_y;
  for (int64_t d = 0; d < f->num_rows + f->num_cols && same; ++d)
    same = x[d] == y[d] || f->dims.data[d].size == 1;
  for (int64_t d = 0; d < sum.num_dims && same; ++d)
    same = x[sum.first + d] == y[own.first + d] && f->dims.data[sum.first + d].size == f->dims.data[own.first + d].size;
  return same;
}

bool sn_gpu_sums_together(const SnForm *f, const char *kernel, int64_t m, int64_t n, int64_t threads) {
  enum { MOST_SUMS = 64 }; // of a thread
  return f->products.size == 2 && !strcmp(kernel, "fma") && 2 * m * n / threads <= MOST_SUMS &&
         mlirTypeEqual(f->products.data[0].type, f->products.data[1].type) && sn_gpu_same_rows(f, 1);
}

int64_t sn_gpu_tile_bytes(const SnForm *f, const char *kernel, int64_t m, int64_t n, int64_t k, int64_t threads) {
  int64_t sides = 0, sums = 0;
  bool together = sn_gpu_sums_together(f, kernel, m, n, threads);
  for (size_t i = 0; i < f->products.size; ++i) {
    SnGpuProduct p = sn_gpu_product(f, i, kernel);
    int64_t of_sides = sn_gpu_side_bytes(&p, m, k) + sn_gpu_side_bytes(&p, n, k) * (together ? 2 : 1);
    sides = of_sides > sides ? of_sides : sides;
    sums += m * n * sn_scratch_bytes(p.type);
  }
  return sides + sums;
}

int64_t sn_gpu_stage_bytes(int64_t m, int64_t n) { return (m + n) * SN_GPU_SWIZZLED_BYTES; }

int64_t sn_gpu_staged_bytes(const SnForm *f, int64_t m, int64_t n, int64_t stages, int64_t threads) {
  return stages * sn_gpu_stage_bytes(m, n) + (int64_t)f->products.size * threads / 32 * 16 * SN_GPU_STORED_LINE * 4 +
         16 * stages;
}

bool sn_gpu_by_warpgroups(const char *kernel) { return !strncmp(kernel, "wgmma", 5); }

bool sn_gpu_has_kernel(const SnForm *f, const char *kernel) {
  bool has = true;
  for (size_t i = 0; i < f->products.size; ++i)
    has &= sn_gpu_product(f, i, kernel).line != NULL;
  return has;
}

// ---- how a side lies ------------------------------------------------------------------------------

// Neighbours of the last of these dimensions lie together.
bool sn_gpu_is_along(const SnForm *f, const SnAccess *a, const SnGpuDims *dims) {
  for (size_t i = dims->n; i-- > 0;)
    if (f->dims.data[dims->dims[i]].size != 1)
      return !a->through.ptr && sn_unit_stride(a->map, dims->dims[i]);
  return false;
}

// Every `lanes` elements from a multiple of them on, along these dimensions, are an aligned vector of memory: they are
// its last dimension, whatever the others are. All of a vector is where there is a fill value, or none.
bool sn_gpu_are_vectors(const SnForm *f, const SnAccess *a, const SnGpuDims *dims, int64_t lanes) {
  int64_t d = dims->n ? dims->dims[dims->n - 1] : -1;
  MlirType t = sn_type_of(a->value);
  intptr_t last = sn_rank(t) - 1;
  if (d < 0 || last < 0 || a->through.ptr || !sn_fills_bytes(sn_element(t)))
    return false;
  MlirAffineExpr at = mlirAffineMapGetResult(a->map, last);
  for (intptr_t i = 0; i < last; ++i)
    if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(a->map, i), d))
      return false;
  if (a->fill.ptr && f->dims.data[d].size > sn_dim(t, last))
    return false;
  return mlirAffineExprIsADim(at) && mlirAffineDimExprGetPosition(at) == d && sn_dim(t, last) != SN_DYNAMIC &&
         sn_dim(t, last) % lanes == 0 && f->dims.data[d].size % lanes == 0;
}

// ---- the schedule ----------------------------------------------------------------------------

void sn_gpu_num_patches(const SnForm *f, const SnGpuPoints *points, int64_t n, int64_t *across, int64_t *down,
                        int64_t *others) {
  const SnGpuDims *columns = &points->columns;
  *down = *others = 1;
  *across = sn_pieces(f->dims.data[columns->dims[columns->n - 1]].size, points->patch);
  if (columns->n > 1)
    *down = sn_pieces(f->dims.data[columns->dims[columns->n - 2]].size, n / points->patch);
  for (size_t i = 0; i + 2 < columns->n; ++i)
    *others = sn_times(*others, f->dims.data[columns->dims[i]].size);
}

int64_t sn_gpu_num_tiles(const SnForm *f, const SnGpuPoints *points, int64_t m, int64_t n) {
  int64_t batch = sn_gpu_dims_size(f, &points->batch), rows = sn_gpu_dims_size(f, &points->rows),
          columns = sn_gpu_dims_size(f, &points->columns);
  if (batch == SN_DYNAMIC || rows == SN_DYNAMIC || columns == SN_DYNAMIC)
    return SN_DYNAMIC;
  if (points->patch) {
    int64_t across, down, others;
    sn_gpu_num_patches(f, points, n, &across, &down, &others);
    return sn_times(sn_times(batch, sn_pieces(rows, m)), sn_times(sn_times(across, down), others));
  }
  return sn_times(batch, sn_times(sn_pieces(rows, m), sn_pieces(columns, n)));
}

int64_t sn_gpu_pieces(const SnForm *f, size_t product, int64_t k, int64_t split) {
  SnGroup summed = sn_side_summed(f, 2 * product);
  int64_t all = 1;
  for (int64_t d = summed.first; d < summed.first + summed.num_dims; ++d)
    all = all == SN_DYNAMIC || f->dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(all, f->dims.data[d].size);
  return all == SN_DYNAMIC ? SN_DYNAMIC : sn_pieces(sn_pieces(all, k), split);
}

bool sn_gpu_sums_are_short(const SnForm *f) {
  enum { SHORT = 32, LARGE = 2000000, LANES = 4 };
  SnGpuPoints points = sn_gpu_points(f);
  int64_t outputs = sn_gpu_num_tiles(f, &points, 1, 1), length = sn_row_length(f);
  bool are = sn_gpu_has_kernel(f, "mma.sync") && outputs != SN_DYNAMIC && length != SN_DYNAMIC && f->num_cols &&
             !sn_gpu_tile_columns(f) && !(outputs >= LARGE && length % LANES == 0);
  for (size_t p = 0; p < f->products.size && are; ++p) {
    int64_t sum = sn_gpu_pieces(f, p, 1, 1);
    are = sum != SN_DYNAMIC && sum <= SHORT && sn_bits(sn_side_element(f, 2 * p)) == 16 &&
          sn_bits(sn_side_element(f, 2 * p + 1)) == 16;
  }
  return are;
}

static int64_t blocks_of(const SnForm *f, const SnGpuProductPlan *p, int64_t most) {
  int64_t tiles = sn_times(sn_gpu_num_tiles(f, &p->points, p->m * p->cluster, p->n), p->cluster);
  if (tiles == SN_DYNAMIC)
    return most;
  tiles = sn_times(tiles, p->split);
  return tiles < 1 ? 1 : tiles < most ? tiles : most;
}

static bool is_streamed(const char *kernel) { return !strcmp(kernel, "mma.stream"); }
static bool is_window(const char *kernel) { return !strcmp(kernel, "fma.window"); }

// Blocks that share a sum count themselves at the tile, and each of them has a part.
static MlirLogicalResult check_split(const SnForm *f, const SnGpuProductPlan *p) {
  if (p->split == 1)
    return SN_OK;
  if (p->tickets || sn_gpu_num_tiles(f, &p->points, p->m, p->n) == SN_DYNAMIC)
    return sn_error(f->op, "has a schedule with split = %lld, where %s", (long long)p->split,
                    p->tickets ? "tiles are dealt by ticket" : "the number of tiles is not known");
  SnGpuWindow w = {.taps = 1}; // of which k are points of the loop alone
  if (is_window(p->kernel) && sn_gpu_not_window(f, p->n / 32 * sn_gpu_window_filters(p->m), &w))
    w.taps = 1;
  for (size_t i = 0; i < f->products.size; ++i) {
    int64_t all = sn_gpu_pieces(f, i, p->k * w.taps, 1), each = sn_gpu_pieces(f, i, p->k * w.taps, p->split);
    if (all == SN_DYNAMIC || each * (p->split - 1) >= all)
      return sn_error(f->op, "has a schedule with split = %lld, and product %zu does not have a part for each",
                      (long long)p->split, i);
  }
  return SN_OK;
}

int64_t sn_gpu_warpgroup_rows(const SnGpuProductPlan *p) {
  return p->by_turns ? p->m : p->m / (p->launch.threads / SN_GPU_WARPGROUP);
}

const char *sn_gpu_not_paired(const SnForm *f, const SnGpuPoints *points, const char *kernel, int64_t m, int64_t n) {
  if (!points->columns.n || n % SN_GPU_COPY_LINES)
    return "columns of a tile are not copied 64 at a time";
  for (size_t i = 0; i < f->products.size; ++i)
    for (int is_a = 0; is_a < 2; ++is_a) {
      SnGpuSlot slot;
      SnGpuProduct p = sn_gpu_product(f, i, kernel);
      if (!sn_gpu_slot(f, points, &p, is_a, is_a ? m : n, &slot, NULL) || slot.fetch != SN_GPU_BY_COPIES)
        return "threads fetch a side";
    }
  return NULL;
}

// Blocks of a cluster have as many tiles, of the same columns.
static MlirLogicalResult check_cluster(const SnForm *f, const SnGpuProductPlan *p) {
  const char *why = p->cluster == 1  ? NULL
                    : p->cluster > 2 ? "two blocks share columns at most"
                    : p->split > 1   ? "blocks share sums"
                    : p->group % 2   ? "an odd number of tiles lies below each other"
                    : p->launch.blocks % 2
                        ? "the number of blocks is odd"
                        : sn_gpu_not_paired(f, &p->points, p->kernel, p->m, p->n);
  return why ? sn_error(f->op, "has a schedule with cluster = %lld, and %s", (long long)p->cluster, why) : SN_OK;
}

static MlirLogicalResult plan_warpgroups(const SnForm *f, SnGpuProductPlan *p) {
  p->launch.more_threads = sn_gpu_fetchers(f, &p->points, p->m, p->n);
  int64_t groups = p->launch.threads / SN_GPU_WARPGROUP;
  if (p->launch.threads % SN_GPU_WARPGROUP || p->m % (SN_GPU_WARPGROUP_ROWS * (p->by_turns ? 1 : groups)) ||
      p->n % SN_GPU_STORED_COLUMNS || p->n > 256 || (p->by_turns && groups != 2))
    return sn_error(f->op, "has a schedule with m = %lld, n = %lld, which threads = %lld cannot share by wgmma",
                    (long long)p->m, (long long)p->n, (long long)p->launch.threads);
  if (p->tickets)
    return sn_error(f->op, "has a schedule with deal = \"ticket\", which warps with several roles do not draw");
  for (size_t i = 0; i < f->products.size; ++i) {
    const char *why = NULL;
    SnGpuSlot slot;
    SnGpuProduct product = sn_gpu_product(f, i, p->kernel);
    if (p->k != sn_gpu_map_sum(&product))
      return sn_error(f->op, "has a schedule with k = %lld, and a line of wgmma's sides has %lld elements",
                      (long long)p->k, (long long)sn_gpu_map_sum(&product));
    if (!sn_gpu_slot(f, &p->points, &product, true, p->m, &slot, &why) ||
        !sn_gpu_slot(f, &p->points, &product, false, p->n, &slot, &why))
      return sn_error(f->op, "has a schedule with kernel = \"%s\", and its slots cannot have a side: %s", p->kernel,
                      why);
  }
  p->sums = sn_layout_of_sums(SN_SUMS_IN_PAIRS_OF_LANES, SN_GPU_WARPGROUP_ROWS, p->n, 1);
  return check_cluster(f, p);
}

// Lanes share the columns of a patch, warps the rows, and what is left of them what is summed.
static MlirLogicalResult plan_windows(const SnForm *f, SnGpuProductPlan *p) {
  int64_t warps = p->launch.threads / 32, of_warp = sn_gpu_window_filters(p->m), each = p->n / 32,
          patch = p->points.patch;
  SnGpuWindow w;
  const char *why = sn_gpu_not_window(f, each * of_warp, &w);
  if (why)
    return sn_error(f->op, "has a schedule with kernel = \"%s\", which cannot have it: %s", p->kernel, why);
  int64_t lanes = sn_gpu_window_lanes(&w, p->n, patch);
  if (p->n % 32 || each < 1 || each > SN_GPU_WINDOW_POINTS || p->m > SN_GPU_WINDOW_MOST_FILTERS ||
      warps % (p->m / of_warp) || lanes < 1 || 32 % lanes || (w.y < 0 && p->n != patch))
    return sn_error(f->op,
                    "has a schedule with m = %lld, n = %lld, patch = %lld, which threads = %lld cannot share by %s",
                    (long long)p->m, (long long)p->n, (long long)sn_schedule_number(f->schedule, "patch"),
                    (long long)p->launch.threads, p->kernel);
  return SN_OK;
}

// Warps share the columns, and lanes the units of copies.
static MlirLogicalResult plan_streams(const SnForm *f, SnGpuProductPlan *p) {
  SnGpuStream s;
  const char *why = sn_gpu_not_streamed(f, &s);
  int64_t few = s.turned ? p->n : p->m, many = s.turned ? p->m : p->n, threads = p->launch.threads,
          groups = sn_gpu_stream_groups(many, threads), of_warps = threads / 32 * SN_GPU_STREAM_COLUMNS;
  if (why)
    return sn_error(f->op, "has a schedule with kernel = \"%s\", which cannot have it: %s", p->kernel, why);
  int64_t turns = sn_gpu_stream_turns(&s, p->k), units = p->k / 8; // of 16 bytes, of a line of the rows
  if ((turns != groups && turns != 2 * groups) || p->k != turns * SN_GPU_STREAM_LANES * s.lanes)
    return sn_error(f->op, "has a schedule with k = %lld, and four lanes have %lld or %lld summed elements at a time",
                    (long long)p->k, (long long)(4 * groups * s.lanes), (long long)(8 * groups * s.lanes));
  bool shared = groups == 1 ? many % of_warps == 0 : of_warps % many == 0 && many % SN_GPU_STREAM_COLUMNS == 0;
  if (few % SN_GPU_STREAM_ROWS || !shared || threads % units || p->stages < 2)
    return sn_error(f->op,
                    "has a schedule with m = %lld, n = %lld, stages = %lld, which threads = %lld cannot share by %s",
                    (long long)p->m, (long long)p->n, (long long)p->stages, (long long)threads, p->kernel);
  return SN_OK;
}

int64_t sn_gpu_program_weight(const SnForm *f) {
  static const int64_t weights[] = {[SN_COST_NONE] = 0,
                                    [SN_COST_SIMPLE] = 1,
                                    [SN_COST_DIVISION] = 4,
                                    [SN_COST_FUNCTION] = SN_GPU_FUNCTION_WEIGHT};
  int64_t all = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    all += sn_row_op_of(op) ? weights[sn_row_op_cost(op)] : 0;
  return all;
}

MlirLogicalResult sn_gpu_check_mma(const SnForm *f, const char *why) {
  const char *mnemonic = sn_schedule_mnemonic(f->schedule);
  if (why)
    return sn_error(f->op, "cannot become a GPU kernel: %s; run sinter-split{target=gpu} first", why);
  if (!mnemonic || strcmp(mnemonic, "mma"))
    return sn_error(f->op, "has no #sinter.mma schedule: run sinter-schedule{target=gpu} before sinter-lower-gpu");
  int64_t m = sn_schedule_number(f->schedule, "m"), threads = sn_schedule_number(f->schedule, "threads");
  bool warpgroups = sn_gpu_by_warpgroups(sn_schedule_word(f->schedule, "kernel"));
  if ((m & (m - 1)) && !warpgroups)
    return sn_error(f->op, "has a schedule with m = %lld, but a power of two", (long long)m);
  if ((threads & (threads - 1)) && !(warpgroups && f->matrices.size))
    return sn_error(f->op, "has a schedule with threads = %lld, but a power of two", (long long)threads);
  return SN_OK;
}

MlirLogicalResult sn_gpu_plan_products(const SnForm *f, SnGpuProductPlan *p) {
  MlirAttribute a = f->schedule;
  if (sn_failed(sn_gpu_check_mma(f, sn_gpu_not_products(f))))
    return SN_FAIL;
  int64_t threads = sn_schedule_number(a, "threads"), patch = sn_schedule_number(a, "patch");
  bool wgmma = sn_gpu_by_warpgroups(sn_schedule_word(a, "kernel"));
  *p = (SnGpuProductPlan){.points = sn_gpu_points(f),
                          .tickets = sn_schedule_word_is(a, "deal", "ticket"),
                          .whole_rows = sn_gpu_tile_columns(f) > 0,
                          .by_turns = wgmma && sn_schedule_word_is(a, "share", "turns"),
                          .stages = sn_schedule_number(a, "stages"),
                          .split = sn_schedule_number(a, "split"),
                          .cluster = wgmma ? sn_schedule_number(a, "cluster") : 1,
                          .group = sn_schedule_number(a, "group"),
                          .kernel = sn_schedule_word(a, "kernel"),
                          .m = sn_schedule_number(a, "m"),
                          .n = sn_schedule_number(a, "n"),
                          .k = sn_schedule_number(a, "k")};
  if (is_window(p->kernel))
    p->points.patch = patch > 0 && p->n % patch == 0 ? patch : 0;
  p->launch = (SnGpuLaunch){.blocks = blocks_of(f, p, sn_schedule_number(a, "blocks")),
                            .cluster = p->cluster,
                            .threads = threads,
                            .occupancy = sn_schedule_number(a, "occupancy"),
                            .teams = p->cluster > 1 ? SN_GPU_CLUSTER : SN_GPU_NEIGHBOURS,
                            .team = threads};
  p->together = sn_gpu_sums_together(f, p->kernel, p->m, p->n, threads);
  if (sn_failed(check_split(f, p)))
    return SN_FAIL;
  if (p->whole_rows && p->n != sn_gpu_tile_columns(f))
    return sn_error(f->op, "has a schedule with n = %lld, and its rows, which a tile has whole, have %lld columns",
                    (long long)p->n, (long long)sn_gpu_tile_columns(f));
  if (is_streamed(p->kernel))
    return plan_streams(f, p);
  if (is_window(p->kernel))
    return plan_windows(f, p);
  if (f->sides.size)
    return sn_error(f->op, "has a schedule with kernel = \"%s\", and a side that is computed, which \"mma.stream\" has",
                    p->kernel);
  if (wgmma)
    return plan_warpgroups(f, p);
  bool fits = true, warps = strcmp(p->kernel, "fma");
  int64_t k = 1;
  for (size_t i = 0; i < f->products.size && warps; ++i) {
    k = sn_gpu_product(f, i, p->kernel).line->k;
    fits &= p->k % k == 0;
  }
  if (!fits)
    return sn_error(f->op, "has a schedule with k = %lld, which is no multiple of %lld, as kernel = \"%s\" sums them",
                    (long long)p->k, (long long)k, p->kernel);
  fits = warps ? sn_layout_of_warps(p->m, p->n, threads / 32, &p->warps_down, &p->sums)
               : sn_layout_of_threads(p->m, p->n, threads, &p->sums);
  if (!fits)
    return sn_error(f->op, "has a schedule with m = %lld, n = %lld, which threads = %lld cannot share", (long long)p->m,
                    (long long)p->n, (long long)threads);
  if (p->m * p->k % threads || p->n * p->k % threads)
    return sn_error(f->op, "has a schedule with k = %lld, of which threads = %lld cannot fetch equal parts",
                    (long long)p->k, (long long)threads);
  return SN_OK;
}
