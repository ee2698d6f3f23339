// cpu_products.c: a contract on a CPU.
//
//   #sinter.brgemm<kernel = "libxsmm", m = 32, n = 64, k = 256, tasks = 64, lanes = 16, unroll = 4>
//
// cpu_kernels.c says which kernel. A task makes blocks of m rows; within one, products of m x k by k x n are summed in
// a scratch block, over which the row program runs while it is in cache. Packing a panel of weights is paid for by m
// rows. Where there are fewer blocks than threads could share, their columns are tasks of their own.
//
// new schedule key: of a CPU's products: when it is said.

#include "dialect/row_groups.h"
#include "dialect/row_ops.h"
#include "lowering/facts/cpu_forms.h"
#include "lowering/facts/product_sides.h"
#include "passes/schedule/cpu_products.h"
#include <stdio.h>
#include <string.h>

#define COLUMNS 64 // of a block
#define ENOUGH_TASKS 16
#define FEWEST_TASKS 4 // that a block of 128 rows or fewer may make: half as many rows pack all weights twice as often
#define FEW_TASKS 8          // that are better than blocks of half as many rows, or than packing rows again
#define LEAST_WORK (1 << 19) // multiplications of a task that is made of a part of a block: some microseconds
#define TINY_WORK (1 << 17)  // of any task: what it takes to wake a thread
#define MOST_TASKS 64
#define COMPUTED_ROWS 32     // columns for each operation of a side whose rows every task of a block computes again
#define PACKED 4             // operations that it takes to pack them, which could else be read where they lie
#define FAR_ROWS 2048        // bytes from row to row from which on many rows share few places of a cache
#define KEPT_ROWS (1 << 20) // bytes of a block's rows that stay in the second cache while columns go by
#define HELD_ROWS (1 << 19) // bytes of a block's rows of a that are copied to be read once
#define HELD_FEWEST 32      // but so many rows at least
#define FAR_WIDE 8192       // bytes of a row that begins in another page than its neighbours
#define FAR_SUMMED 128        // of k, for several panels of n columns together
#define SUMMED_PARTS 128      // of k, where a panel has several parts
#define KEPT_SUMS 512        // columns whose sums stay in the second cache, 4 bytes each, with as many rows
#define FIRST_CACHE (16 << 10) // bytes of a panel that stays there beside what streams by
#define SECOND_CACHE (4 << 20) // bytes of a block's rows of a that may be packed
#define COPIED_COLUMNS 128 // of a task that copies its rows, which takes as long as to multiply 22 of them
#define LINE_COLUMNS 320   // of whole lines: a line that a block cuts is copied in two parts, each of some vectors
#define SHORT_SUM 16       // of k: sums are written about as often as they are added to,
#define SHORT_SUMS (24 << 10) // so that a block has this many bytes of them, which stay in the first cache
#define SHARED_BLOCKS 3    // that use weights which are copied once for all: with two the copy goes through caches
#define SHARED_WEIGHTS (1 << 20) // bytes of such a copy, which stays in the second cache
#define SHARED_WORK (1 << 15)    // elements that are not copied again: some microseconds
#define TILES_ROWS 128    // of tiles where weights are shared: at most,
#define TILES_FEWEST 32   // and at least, two tiles
#define TILES_COLUMNS 256 // whose sums stay in the first cache with as many rows
#define TILES_LONG 256    // bytes of k from which on they need not
#define TILES_LINE 1024   // bytes of k at once: sums are stored once
#define STRIP_TILES 32    // rows whose scores, made by tiles, stay in the first cache; two tiles
#define STRIP_MASKED 64   // rows of a strip that ends where a mask does
#define STREAM_ROWS 256   // of a block that packs weights once for all its strips
#define ASKING_ROWS 128   // of a block that asks for weights ahead: each four tiles for 8 rows of them, or fewer
#define READ_COLUMNS 2048 // of weights [k, j] at once, whose sums stay in the first cache
#define READ_ROWS 8       // and of k, as many streams of whole pages
#define READ_NARROW_ROWS 16
#define READ_MOST_ROWS 64 // in a page each
#define READ_TIME 4 // multiplications of a byte of weights that take as long as to read it from the second cache
#define PACKED_LINE 1024 // of k in weights that are packed before, for as few rows
#define PACKED_AHEAD 64  // rows of k of them, a quarter of a panel's line
#define READ_NEAR (2 << 20) // bytes of them that a second cache holds
#define READ_PART 2048      // bytes of a row of k: of less at once more weights than that come slower
#define READ_LINE 4096 // of k in weights [j, k], for up to 4 rows
#define READ_SHORT_LINE 1024

static int64_t at_most(int64_t block, int64_t size) {
  return size != SN_DYNAMIC && size < block ? (size > 0 ? size : 1) : block;
}

static int64_t at_least_one(int64_t x) { return x > 1 ? x : 1; }

static int64_t up_to_multiple(int64_t x, int64_t unit) { return sn_pieces(x, unit) * unit; }

// The least multiple that every product's line takes.
static int64_t unit_of(const SnForm *f, const char *kernel, int64_t (*unit)(const SnMicroKernel *)) {
  int64_t all = 1;
  SnMultiplied m;
  for (size_t p = 0; sn_multiplied(f, p, &m); ++p)
    all = sn_cpu_most(all, unit(sn_micro_kernel(kernel, m.a, m.b, m.sum))); // powers of two
  return all;
}

// The size of equal parts, as many as blocks of it would be: what is packed holds few zeros.
static int64_t in_equal_parts(int64_t size, int64_t block, int64_t unit) {
  return size > block ? up_to_multiple(sn_pieces(size, sn_pieces(size, block)), unit) : block;
}

typedef struct {
  const char *kernel;
  const SnMicroKernel *line; // of the first product
  int64_t side_bytes;        // of an element of its packed b
  int64_t row_bytes;         // and of its packed a
  int64_t weight_bytes;      // and of b where it lies
  int64_t rows, batch;       // SN_DYNAMIC where not known
  SnCpuWork work;
  int64_t m, n, k, stream, strip, sums;
  bool reads;      // weights where they lie
  bool reads_rows; // and rows, of which there are many for few columns
  bool in_place;   // where they lie
  bool far_rows;   // are copied, since they are too far apart
  int64_t run;     // of rows that are read by tables; 0: they are not
  bool packed;     // weights, before the program runs
  bool by_columns; // parts of a row are tasks of their own, or could be
  bool shares;     // weights are copied once for all blocks
  bool packs_rows; // each of them copies its rows of a
  int64_t computes_rows; // or computes them: so many operations for an element
} Plan;

// Operations on rows in the programs of sides that the columns do not use, of the longest, and to pack them.
static int64_t computes_rows(const SnForm *f) {
  static const int64_t of_cost[] = {
      [SN_COST_NONE] = 0, [SN_COST_SIMPLE] = 1, [SN_COST_DIVISION] = 4, [SN_COST_FUNCTION] = 10};
  int64_t all = 0;
  for (size_t s = 0; s < f->sides.size && s < 2 * f->products.size; ++s) {
    bool columns = !f->sides.data[s].program.ptr;
    for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
      columns |= sn_side_uses(f, s, d);
    int64_t n = 0;
    for (MlirOperation op = columns ? (MlirOperation){0} : mlirBlockGetFirstOperation(f->sides.data[s].program);
         !sn_null(op); op = mlirOperationGetNextInBlock(op))
      n += sn_num_results(op) && sn_is_row(sn_result(op, 0)) ? of_cost[sn_row_op_cost(op)] : 0;
    all = sn_cpu_most(all, columns ? 0 : n + PACKED);
  }
  return all;
}

// Blocks that need whole rows: 128 where there are enough of them, of equal size. Small problems still have two
// for two threads.
static int64_t rows_of_whole_blocks(const Plan *p) {
  if (p->rows == SN_DYNAMIC || p->rows >= 512)
    return 128;
  if (p->batch != SN_DYNAMIC && p->rows > 0 && sn_times(p->batch, sn_pieces(p->rows, 128)) >= ENOUGH_TASKS)
    return sn_pieces(p->rows, sn_pieces(p->rows, 128));
  return at_most(p->rows >= 64 || p->rows <= 16 ? 32 : 16, p->rows);
}

// Blocks that go through several products: each of them packs all matrices, so there are two of them at least, but no
// more for the sake of threads.
static int64_t rows_of_chain(const Plan *p, bool streams) {
  bool tiles = p->line->sums == SN_SUMS_IN_TILES; // so fast that packing takes as long
  bool many = p->rows >= 1024 && p->batch != SN_DYNAMIC &&
              sn_times(p->batch, sn_pieces(p->rows, STREAM_ROWS)) >= ENOUGH_TASKS;
  if (p->rows == SN_DYNAMIC || p->rows >= 512)
    return p->rows >= 4096 && tiles ? 512 : p->rows >= 2048 || (streams && many) ? 256 : 128;
  bool enough = p->batch != SN_DYNAMIC && sn_times(p->batch, sn_pieces(p->rows, 128)) >= ENOUGH_TASKS;
  int64_t blocks = at_least_one(sn_pieces(p->rows, 128));
  return at_least_one(sn_pieces(p->rows, enough || p->rows < 64 || blocks > 1 ? blocks : 2));
}

// Rows that use a panel up: tiles of AMX are so fast that they wait for a block's rows which have left the second
// cache.
static int64_t most_rows(const Plan *p) {
  int64_t row = p->work.summed == SN_DYNAMIC ? 0 : sn_times(p->work.summed, p->side_bytes);
  bool tiles = p->line->sums == SN_SUMS_IN_TILES;
  int64_t most = p->line->parts ? 4 * SECOND_CACHE : SECOND_CACHE; // to split a panel takes longer than to read rows
  return tiles && sn_times(row, 512) <= most ? 512 : sn_times(row, 256) <= 4 * SECOND_CACHE ? 256 : 128;
}

// Rows that are copied for few columns, whose weights are read where they lie, are still in the second cache when they
// are read. (f16 with a gain, 2723 rows of 2280: blocks of 248 take 2.2 times as long as of 62.)
static int64_t held_rows(const Plan *p, int64_t most) {
  int64_t row = p->work.summed == SN_DYNAMIC ? 0 : sn_times(p->work.summed, p->row_bytes);
  if (!p->reads_rows || p->in_place || p->run || !row)
    return most;
  int64_t held = sn_cpu_most(HELD_FEWEST, HELD_ROWS / row);
  return held < most ? held : most;
}

// Blocks whose columns may be shared have fewer rows only where that makes tasks of enough work for a few threads.
static int64_t rows_of_parts(const Plan *p) {
  int64_t all = held_rows(p, most_rows(p)), sum = p->work.summed;
  if (sum != SN_DYNAMIC && sum <= SHORT_SUM && all > SHORT_SUMS / 4 / p->n)
    all = at_least_one(SHORT_SUMS / 4 / p->n);
  int64_t m = sn_pieces(p->rows, sn_pieces(p->rows, all));
  if (p->batch == SN_DYNAMIC || p->work.widest == SN_DYNAMIC || sum == SN_DYNAMIC)
    return m;
  for (; m > (p->line->parts ? 128 : 32); m = sn_pieces(m, 2)) {
    int64_t tasks = sn_times(sn_times(p->batch, sn_pieces(p->rows, m)), sn_pieces(p->work.widest, p->n));
    if (tasks >= (m <= 128 ? FEWEST_TASKS : FEW_TASKS) || sn_times(sn_times(m, p->n), sum) < 2 * LEAST_WORK)
      break;
  }
  return m;
}

// A panel's rows of 64 columns, or of two tiles where vectors are narrower: with more, each tile would read a part of
// every row, and parts of many rows share few places of the first cache.
static int64_t columns_of_block(const SnMicroKernel *line, MlirType sum, bool reads) {
  if (reads && line->sums == SN_SUMS_IN_VECTORS)
    return READ_COLUMNS;
  int64_t tile = sn_micro_vectors(line) * sn_micro_lanes(line, sum), n = line->bits < 512 ? 2 * tile : tile;
  return line->sums != SN_SUMS_IN_VECTORS || n > COLUMNS ? COLUMNS : n < 16 ? 16 : n;
}

// Rows of weights [k, j] in pages of their own, which other kernels than tiles pack panel by panel: 64 columns of each
// are less than it takes to find the page. So several panels are packed together, of fewer rows.
static bool far_weights(const SnForm *f, const Plan *p) {
  int64_t widest = p->work.widest, sum = p->work.summed;
  return !p->reads && !p->packed && p->by_columns && sn_has_one_group(f) && widest != SN_DYNAMIC &&
         sum != SN_DYNAMIC && sn_times(widest, p->side_bytes) >= FAR_WIDE && sum > FAR_SUMMED &&
         sn_times(sn_times(widest, sum), p->side_bytes) > SN_CPU_FAR_WEIGHTS && sn_cpu_weights_in_rows(f, p->kernel);
}

// Rows by which weights would be multiplied in the time that a block takes: where it reads them itself, few rows wait.
static int64_t rows_of_time(const Plan *p) {
  return p->reads ? sn_cpu_most(p->m, READ_TIME * p->weight_bytes) : p->m;
}

// Of a task that is part of a block.
static int64_t least_columns(const Plan *p) {
  return sn_pieces(LEAST_WORK, sn_times(rows_of_time(p), p->work.summed > 0 ? p->work.summed : 1));
}

// Of weights [k, j] that few rows read where they lie. More at once come faster from memory, but where there would be
// one task of them they are a few.
static int64_t columns_at_once(const Plan *p) {
  bool known = p->rows != SN_DYNAMIC && p->batch != SN_DYNAMIC && p->work.widest != SN_DYNAMIC &&
               p->work.summed != SN_DYNAMIC;
  int64_t blocks = known ? at_least_one(sn_times(p->batch, sn_pieces(p->rows, p->m))) : FEWEST_TASKS;
  if (!p->reads || p->line->sums != SN_SUMS_IN_VECTORS || !p->by_columns || blocks >= FEWEST_TASKS ||
      p->work.widest >= 2 * READ_COLUMNS)
    return p->n;
  bool near = sn_times(sn_times(p->work.widest, p->work.summed), p->weight_bytes) <= READ_NEAR;
  int64_t part = sn_cpu_most(sn_pieces(p->work.widest, sn_pieces(FEWEST_TASKS, blocks)), least_columns(p));
  part = near ? part : sn_cpu_most(part, READ_PART / p->weight_bytes);
  return at_most(p->n, up_to_multiple(part, COLUMNS));
}

// Tiles are so fast that they wait for rows of a which have left the second cache: sums are kept for many columns while
// m x k of them stay there.
static void keep_sums(const SnForm *f, Plan *p) {
  bool tiles = p->line->sums == SN_SUMS_IN_TILES, far_rows = far_weights(f, p);
  if (far_rows && !tiles && p->line->group == 1 && p->m >= 64) {
    p->k = FAR_SUMMED;
    p->sums = up_to_multiple(at_most(KEPT_SUMS, p->work.widest), p->n);
    return;
  }
  bool long_sums = p->work.summed == SN_DYNAMIC || p->work.summed > p->k;
  bool far = p->work.summed != SN_DYNAMIC && sn_times(p->work.summed, p->side_bytes) >= FAR_ROWS;
  if (!tiles || !p->by_columns || !sn_has_one_group(f))
    return;
  bool leave = p->work.summed == SN_DYNAMIC || sn_times(sn_times(p->work.summed, p->side_bytes), p->m) > KEPT_ROWS;
  p->far_rows = far && leave;
  bool in_rows = !p->packed && sn_cpu_weights_in_rows(f, p->kernel);
  bool wide = p->work.widest != SN_DYNAMIC && p->work.widest > p->n;
  if (long_sums && wide && !p->shares && (p->m >= 64 ? leave || in_rows : far_rows))
    p->sums = up_to_multiple(at_most(KEPT_SUMS, p->work.widest), p->n);
}

// Of k.
static int64_t summed_of_block(const SnForm *f, const Plan *p) {
  if (p->reads && p->line->sums == SN_SUMS_IN_VECTORS)
    return at_most((sn_cpu_narrow_sides(f) ? READ_NARROW_ROWS : READ_ROWS) * (READ_COLUMNS / p->n), READ_MOST_ROWS);
  if (p->reads)
    return p->m <= p->line->m ? READ_LINE : READ_SHORT_LINE;
  if (p->line->sums == SN_SUMS_IN_TILES && p->line->pack_b == SN_PACK_COLUMNS)
    return READ_LINE;
  if (p->packed && sn_cpu_few_take_packed(f, p->line))
    return PACKED_LINE;
  if (p->line->parts)
    return SUMMED_PARTS;
  bool tiles = p->line->sums == SN_SUMS_IN_TILES;
  if (tiles && p->shares && sn_times(p->work.summed, p->side_bytes) <= TILES_LINE)
    return p->work.summed;
  return p->m >= 32 || p->packed ? (p->side_bytes == 1 ? 512 : 256)
                                 : FIRST_CACHE / (p->n < 64 ? 64 : p->n) / p->side_bytes;
}

// Strips keep what all their rows are multiplied by.
static bool keeps_weights(const SnForm *f) {
  SnMultiplied m;
  bool known = true;
  for (size_t i = 0; known && sn_multiplied(f, i, &m); ++i)
    known = i < f->products.size ? sn_cpu_sizes(f, m.summed.first, m.summed.num_dims) != SN_DYNAMIC
                                 : sn_group_length(f, m.group) != SN_DYNAMIC;
  return known;
}

// A block's rows that are streamed: how many at a time, and how many of their columns. Where a mask leaves columns out,
// strips leave them out; without strips, and where they may count after all, blocks of fewer columns do.
static void plan_stream(const SnForm *f, Plan *p) {
  SnCpuEnd at;
  bool ends = sn_cpu_left_out(f, SN_CPU_FROM, &at), finite = ends && at.above != 0;
  bool begins = sn_cpu_left_out(f, SN_CPU_BELOW, &at);
  finite |= begins && at.above != 0;
  bool tiles = p->line->sums == SN_SUMS_IN_TILES;
  int64_t rows = tiles ? STRIP_TILES : ends || begins ? STRIP_MASKED : 0;
  if (rows && p->m > rows && keeps_weights(f))
    p->strip = rows;
  bool narrow = (ends || begins) && (!p->strip || finite);
  p->stream = up_to_multiple(at_most(narrow ? SN_CPU_MASKED : SN_CPU_STREAMED, sn_row_length(f)), p->n);
  if (tiles)
    p->n = p->stream;
}

// Lines of an image that are copied one by one, as under a window with strides: a block has whole ones, and each has a
// start and an end that take as long as some vectors. Sums that are not of pairs copy no faster by it (measured with 2
// to 128 results of 38x38). There are blocks for a few tasks.
static int64_t columns_of_lines(const SnForm *f, const Plan *p) {
  bool pairs = p->line->group > 1 && p->line->sums == SN_SUMS_IN_VECTORS && sn_has_one_group(f) && p->by_columns;
  int64_t line = pairs && !p->packed && !p->reads ? sn_cpu_line_of_columns(f, p->kernel) : 0;
  if (!line || p->rows == SN_DYNAMIC || p->batch == SN_DYNAMIC || p->work.widest == SN_DYNAMIC)
    return p->n;
  int64_t blocks = at_least_one(sn_times(p->batch, sn_pieces(p->rows, p->m)));
  int64_t most = p->work.widest / sn_pieces(FEWEST_TASKS, blocks);
  int64_t n = (most < LINE_COLUMNS ? most : LINE_COLUMNS) / line * line;
  return n > p->n ? n : p->n;
}

// Weights that each of several blocks would copy again. Not of parts: nobody timed them.
static bool shares_weights(const SnForm *f, const Plan *p) {
  int64_t each = p->work.widest == SN_DYNAMIC || p->work.summed == SN_DYNAMIC || p->batch == SN_DYNAMIC
                     ? SN_DYNAMIC
                     : sn_times(sn_times(p->work.widest, p->work.summed),
                                sn_times(p->batch, (int64_t)f->products.size));
  bool once = p->reads || p->packed || p->line->parts || !sn_has_one_group(f);
  if (once || each == SN_DYNAMIC || p->rows == SN_DYNAMIC || !sn_cpu_packs_weights(f, p->kernel))
    return false;
  int64_t blocks = sn_pieces(p->rows, p->m);
  return each > 0 && blocks >= SHARED_BLOCKS && sn_times(each, p->side_bytes) <= SHARED_WEIGHTS &&
         sn_times(each, blocks - 1) >= SHARED_WORK;
}

// Blocks of tiles, where weights are not copied again for each: rows of a that are read once, for many columns, and
// sums that stay in the first cache. A long line of k takes so much longer than its sums that they need not.
static void share_tiles(const SnForm *f, Plan *p) {
  Plan few = *p;
  if (p->line->sums != SN_SUMS_IN_TILES || !p->by_columns || p->rows == SN_DYNAMIC || p->work.summed == SN_DYNAMIC ||
      p->work.widest == SN_DYNAMIC)
    return;
  bool is_long = sn_times(p->work.summed, p->side_bytes) >= TILES_LONG;
  few.n = in_equal_parts(p->work.widest, at_most(is_long ? KEPT_SUMS : TILES_COLUMNS, p->work.widest), p->line->n);
  few.m = (SHORT_SUMS / 4 / few.n + TILES_FEWEST / 2) / TILES_FEWEST * TILES_FEWEST;
  few.m = few.m < TILES_FEWEST ? TILES_FEWEST : few.m > TILES_ROWS ? TILES_ROWS : few.m;
  if (shares_weights(f, &few))
    *p = few;
}

static Plan plan(const SnForm *f, const char *kernel, const SnScheduleOptions *options) {
  int64_t together = sn_cpu_rows_together(f, kernel), batch_dims = f->num_rows - together;
  SnMultiplied first;
  (void)sn_multiplied(f, 0, &first);
  const SnMicroKernel *line = sn_micro_kernel(kernel, first.a, first.b, first.sum);
  Plan p = {.kernel = kernel,
            .line = line,
            .side_bytes = (sn_bits(sn_micro_memory(line, line->b, first.sum)) + 7) / 8 * sn_micro_parts(line),
            .row_bytes = (sn_bits(sn_micro_packed(line->a, first.sum)) + 7) / 8 * sn_micro_parts(line),
            .weight_bytes = (sn_bits(first.b) + 7) / 8,
            .rows = sn_cpu_sizes(f, batch_dims, together),
            .batch = sn_cpu_sizes(f, 0, batch_dims),
            .work = sn_cpu_work(f),
            .packs_rows = sn_cpu_packs_rows(f, kernel),
            .packed = sn_schedule_packs(f, kernel, options),
            .reads = sn_cpu_line_reads_weights(f, line) || sn_cpu_line_reads_both(f, line),
            .reads_rows = !sn_cpu_line_reads_weights(f, line) && sn_cpu_line_reads_both(f, line),
            .in_place = sn_cpu_reads_both(f, kernel),
            .computes_rows = computes_rows(f),
            .run = sn_cpu_run_of_windows(f, line),
            .by_columns = !f->accumulators.size && sn_cpu_by_columns(f)};
  p.reads &= !p.packed;
  p.n = at_most(columns_of_block(line, first.sum, p.reads), p.work.widest);
  p.m = !sn_has_one_group(f)         ? sn_cpu_rows_of_chain(f, rows_of_chain(&p, sn_cpu_streams(f)))
        : p.rows > 0 && p.by_columns ? rows_of_parts(&p)
                                     : rows_of_whole_blocks(&p);
  share_tiles(f, &p);
  p.m = up_to_multiple(p.m, unit_of(f, kernel, sn_micro_row_unit));
  p.n = columns_at_once(&p);
  p.shares = shares_weights(f, &p);
  int64_t k = summed_of_block(f, &p);
  if (sn_cpu_streams(f))
    plan_stream(f, &p);
  p.k = up_to_multiple(at_most(k > 0 ? k : 1, p.work.summed), unit_of(f, kernel, sn_micro_k_unit));
  p.n = columns_of_lines(f, &p);
  if (p.packed) {
    p.n = in_equal_parts(p.work.widest, p.n, sn_micro_column_unit(line, first.sum));
    p.k = in_equal_parts(p.work.summed, p.k, unit_of(f, kernel, sn_micro_k_unit));
  }
  if (p.run % line->group && p.packed)
    p.run = 0;
  if (p.run && p.k < p.work.summed)
    p.k = at_least_one(p.k / p.run) * p.run;
  keep_sums(f, &p);
  return p;
}

// Columns of weights [j, k] that are copied next are asked for while those in front of them are multiplied: enough
// tiles of rows ask for a few lines each, and the weights are not in the second cache.
static bool asks_ahead(const SnForm *f, const Plan *p) {
  int64_t widest = p->work.widest, sum = p->work.summed;
  return p->line->sums == SN_SUMS_IN_TILES && p->line->parts < 3 && !p->packed && !p->shares && p->by_columns &&
         p->m >= ASKING_ROWS && widest != SN_DYNAMIC && sum != SN_DYNAMIC &&
         sn_times(sn_times(widest, sum), p->side_bytes) > SN_CPU_FAR_WEIGHTS && sn_cpu_lines_apart(f, p->kernel);
}

static int64_t columns_of_task(const Plan *p, int64_t blocks) {
  int64_t length = p->work.widest, sum = p->work.summed;
  if (blocks < 1 || blocks >= ENOUGH_TASKS || length == SN_DYNAMIC || sum == SN_DYNAMIC || !p->by_columns)
    return 0;
  int64_t least = sn_cpu_most(least_columns(p), p->computes_rows * COMPUTED_ROWS);
  if (p->m < 64 && p->sums > p->n) // all panels that are packed together
    least = sn_cpu_most(least, p->sums);
  if (p->packs_rows && blocks >= FEWEST_TASKS)
    least = sn_cpu_most(least, COPIED_COLUMNS);
  int64_t tasks = p->packs_rows ? FEW_TASKS : ENOUGH_TASKS, columns = sn_pieces(length, sn_pieces(tasks, blocks));
  columns = sn_pieces(columns > least ? columns : least, p->n) * p->n;
  columns = columns > SN_MAX_OF_TASK ? SN_MAX_OF_TASK / p->n * p->n : columns;
  return columns < length ? columns : 0;
}

static MlirAttribute schedule_with(const SnForm *f, const char *kernel, const SnScheduleOptions *options) {
  Plan p = plan(f, kernel, options);
  bool counted = p.rows != SN_DYNAMIC && p.batch != SN_DYNAMIC;
  int64_t blocks = counted ? sn_times(p.batch, sn_pieces(p.rows, p.m)) : SN_DYNAMIC, all = p.work.all,
          columns = columns_of_task(&p, blocks), tasks = MOST_TASKS,
          lanes = sn_schedule_lanes(f, options->vector_bits, p.work.widest);
  int64_t rows = rows_of_time(&p);
  if (counted && all != SN_DYNAMIC && (double)blocks * (double)rows * (double)all < (double)MOST_TASKS * TINY_WORK)
    tasks = at_least_one(sn_times(sn_times(blocks, rows), all) / TINY_WORK);
  char share[60] = "";
  if (columns || p.stream)
    snprintf(share, sizeof share, "%s = %lld, ", columns ? "columns" : "stream",
             (long long)(columns ? columns : p.stream));
  if (p.strip)
    snprintf(share + strlen(share), sizeof share - strlen(share), "strip = %lld, ", (long long)p.strip);
  char more[160] = "";
  int64_t sums = columns && columns < p.sums ? columns : p.sums;
  if (sums > p.n && !p.packed && sn_cpu_weights_in_rows(f, kernel))
    snprintf(more, sizeof more, "panels = %lld, ", (long long)(sums / p.n));
  if (sums > p.n)
    snprintf(more + strlen(more), sizeof more - strlen(more), "sums = %lld, ", (long long)sums);
  if (p.far_rows || (p.line->parts && columns)) // to split rows takes as long as to multiply them by 200 columns
    snprintf(more + strlen(more), sizeof more - strlen(more), "pack = \"shared\", ");
  if (p.run)
    snprintf(more + strlen(more), sizeof more - strlen(more), "pack = \"windows\", ");
  bool vectors = p.reads && p.line->sums == SN_SUMS_IN_VECTORS;
  if (vectors && p.k < p.work.summed)
    snprintf(more + strlen(more), sizeof more - strlen(more), "ahead = %lld, ", (long long)p.k);
  if (p.packed && p.line->sums == SN_SUMS_IN_VECTORS && sn_cpu_few_take_packed(f, p.line))
    snprintf(more + strlen(more), sizeof more - strlen(more), "ahead = %d, ", PACKED_AHEAD);
  if ((vectors || p.reads_rows) && sn_cpu_narrow_sides(f) && sn_cpu_widens_sides(f, p.line))
    snprintf(more + strlen(more), sizeof more - strlen(more), "widen = \"reading\", ");
  if (asks_ahead(f, &p))
    snprintf(more + strlen(more), sizeof more - strlen(more), "ahead = %lld, ", (long long)p.n);
  if (p.packed || p.shares)
    snprintf(more + strlen(more), sizeof more - strlen(more), "weights = \"%s\", ", p.packed ? "packed" : "shared");
  MlirLocation loc = mlirOperationGetLocation(f->op);
  return sn_schedule_attr(
      loc, "brgemm",
      sn_parse_attr(mlirLocationGetContext(loc),
                    "{kernel = \"%s\", %s%sm = %lld, n = %lld, k = %lld, tasks = %lld, lanes = %lld, "
                    "unroll = %lld}",
                    kernel, share, more, (long long)p.m, (long long)p.n, (long long)p.k, (long long)tasks,
                    (long long)lanes, (long long)sn_schedule_unroll(f, lanes)));
}

MlirAttribute sn_schedule_brgemm(const SnForm *f, const SnScheduleOptions *options) {
  return schedule_with(f, sn_cpu_best_kernel(f, options), options);
}

static bool may_have_parts(const SnForm *f, const char *kernel, const SnScheduleOptions *options) {
  SnMultiplied m;
  const SnMicroKernel *line = sn_multiplied(f, 0, &m) ? sn_micro_kernel(kernel, m.a, m.b, m.sum) : NULL;
  return !line || !line->parts || sn_cpu_takes_parts(f, line, options);
}

bool sn_schedule_cpu_kernel(const SnForm *f, const SnScheduleOptions *options, size_t i, MlirAttribute *schedule) {
  const char *kernel = sn_micro_kernel_names[i];
  *schedule = (MlirAttribute){NULL};
  if (kernel && sn_schedule_kernel_runs(f, kernel, options->features) && may_have_parts(f, kernel, options))
    *schedule = schedule_with(f, kernel, options);
  return kernel != NULL;
}
