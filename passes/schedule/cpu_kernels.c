// cpu_kernels.c: which line of the table of micro-kernels multiplies a contract on a CPU.
//
//   #sinter.brgemm<kernel = "libxsmm", ...>
//
// It is the first that the processor and all products of the form can have, and that pays: lines that read weights, or
// rows too, where they lie are asked first where few use what would be packed.
//
// runs in: sinter-cpu    test: test/passes/schedule/kernels.mlir, test/passes/schedule/few_columns.mlir

#include "lowering/facts/cpu_forms.h"
#include "lowering/facts/product_sides.h"
#include "passes/schedule/cpu_products.h"
#include "target/microkernels.h"

#define TILES_WORK (1 << 15) // of a product that is worth tiles
#define FEW_ROWS 16       // for which a copy of the weights is not worth while: f32, both ways to multiply it are level
#define FEW_NARROW_ROWS 8 // where pairs or fours of narrower numbers are multiplied at once
#define FEW_ROWS_OF_TILES 4
#define TURNED_ROWS 32 // of which tiles read weights [j, k] where they lie: two tiles of rows,
#define TURNED_FAR_ROWS 64 // and where weights are far, which come no faster to be copied: those are read twice
#define LEAST_OF_PARTS 64  // rows, columns and summed elements of a product whose sides are split
#define LEAST_OF_THREE 256 // rows where each number is three: multiplied for fewer, f32 takes as long
#define FEW_COLUMNS 8     // for which rows are not copied either
#define LONG_SUM 64       // of as few columns of which rows are copied
#define LEAST_RUN 4        // elements of k that are neighbours, to be read by tables,
#define MOST_RUN 65536     // which one block of k holds whole (dialect/schedules.c)
#define WINDOW_COLUMNS 128 // that rows are multiplied by without being copied: for more the copy is soon paid for
#define WIDE_BITS 512      // of vectors, four of which are 64 columns that use each element of a row
#define LANES_SUMMED 5     // steps that it takes to add up the lanes of a vector
#define FEW_PACKED_ROWS 32

int64_t sn_cpu_sizes(const SnForm *f, int64_t first, int64_t n) {
  int64_t all = 1;
  for (int64_t d = first; d < first + n; ++d)
    all = all == SN_DYNAMIC || f->dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(all, f->dims.data[d].size);
  return all;
}

SnCpuWork sn_cpu_work(const SnForm *f) {
  SnCpuWork w = {0, 0, 0};
  SnMultiplied m;
  for (size_t g = 0; g < sn_num_groups(f); ++g)
    w.widest = sn_cpu_most(w.widest, sn_group_length(f, g));
  for (size_t i = 0; sn_multiplied(f, i, &m) && (i == 0 || !sn_has_one_group(f)); ++i) {
    int64_t sum = sn_cpu_sizes(f, m.summed.first, m.summed.num_dims);
    w.summed = sn_cpu_most(w.summed, sum);
    w.all = w.all == SN_DYNAMIC || w.summed == SN_DYNAMIC || w.widest == SN_DYNAMIC
                ? SN_DYNAMIC
                : w.all + sn_times(sum, sn_group_length(f, m.group));
  }
  return w;
}

bool sn_schedule_kernel_runs(const SnForm *f, const char *kernel, const char *features) {
  SnMultiplied m;
  for (size_t p = 0; sn_multiplied(f, p, &m); ++p) {
    const SnMicroKernel *line = sn_micro_kernel(kernel, m.a, m.b, m.sum);
    if (!line || line->target != SN_TARGET_CPU || !sn_micro_kernel_runs(line, features))
      return false;
  }
  return true;
}

// Nobody gets less than f32 unasked.
static bool is_asked(const SnForm *f, const char *kernel, const SnScheduleOptions *options) {
  SnMultiplied m;
  for (size_t p = 0; !options->f32_parts && sn_multiplied(f, p, &m); ++p) {
    const SnMicroKernel *line = sn_micro_kernel(kernel, m.a, m.b, m.sum);
    if (line && line->parts && line->a == SN_F32)
      return false;
  }
  return true;
}

static bool pays(const SnForm *f, const char *kernel, const char *features) {
  SnMultiplied m;
  for (size_t p = 0; sn_multiplied(f, p, &m); ++p) {
    const SnMicroKernel *line = sn_micro_kernel(kernel, m.a, m.b, m.sum);
    if (line && !sn_micro_kernel_pays(line, features))
      return false;
  }
  return sn_schedule_kernel_runs(f, kernel, features);
}

// Or than what the kernel multiplies.
bool sn_cpu_widens_sides(const SnForm *f, const SnMicroKernel *line) {
  SnMultiplied m;
  bool narrow = false;
  for (size_t p = 0; sn_multiplied(f, p, &m); ++p)
    narrow |= !mlirTypeEqual(m.b, sn_micro_packed(line->b, m.sum));
  return narrow;
}

bool sn_cpu_narrow_sides(const SnForm *f) {
  SnMultiplied m;
  bool narrow = false;
  for (size_t p = 0; sn_multiplied(f, p, &m); ++p)
    narrow |= sn_bits(m.b) < sn_bits(m.sum);
  return narrow;
}

static int64_t rows_of(const SnForm *f, const char *kernel) {
  int64_t together = sn_cpu_rows_together(f, kernel);
  return sn_cpu_sizes(f, f->num_rows - together, together);
}

static bool is_few(int64_t n, int64_t most) { return n != SN_DYNAMIC && n <= most; }

// Rows are runs of an image under windows, each read from where it lies: to copy them is to write what is read several
// times, in pieces that are no whole vectors.
int64_t sn_cpu_run_of_windows(const SnForm *f, const SnMicroKernel *line) {
  if (!sn_has_one_group(f) || !is_few(sn_row_length(f), WINDOW_COLUMNS) || is_few(rows_of(f, line->name), FEW_ROWS))
    return 0;
  int64_t run = sn_cpu_reads_windows(f, line->name);
  return run >= LEAST_RUN && run <= MOST_RUN ? run : 0;
}

// Vectors along the runs: the steps of one row, and the sums over lanes of each column, are fewer than those of vectors
// along the columns, each of which broadcasts a group of the row. (Measured with 9 columns of 5 runs of 105.)
static bool reads_windows_along(const SnForm *f, const SnMicroKernel *line) {
  int64_t run = sn_cpu_run_of_windows(f, line), n = run ? sn_row_length(f) : 0, sum = sn_cpu_work(f).summed;
  SnMultiplied m;
  if (!run || !sn_multiplied(f, 0, &m) || !sn_cpu_reads_weights(f, line->name))
    return false;
  int64_t lanes = sn_micro_lanes(line, m.sum), width = lanes * line->group, vectors = sn_pieces(n, lanes);
  int64_t steps = vectors * (sum / line->group);
  steps = vectors > 1 ? steps : steps * 6 / 5; // as many loads, two of which are one step of each
  return n * (sum / run * sn_pieces(run, width) + LANES_SUMMED) <= steps;
}

// Few columns: each row is read once from where it lies.
static bool reads_in_place(const SnForm *f, const SnMicroKernel *line) {
  return line->sums == SN_SUMS_ALONG_K && sn_has_one_group(f) &&
         ((is_few(sn_row_length(f), FEW_COLUMNS) && sn_cpu_reads_both(f, line->name)) || reads_windows_along(f, line));
}

// Or is copied first, as those of an image under a window: columns of other kernels would be lanes, most of them empty.
bool sn_cpu_line_reads_both(const SnForm *f, const SnMicroKernel *line) {
  int64_t sum = sn_cpu_work(f).summed;
  return reads_in_place(f, line) ||
         (line->sums == SN_SUMS_ALONG_K && sn_has_one_group(f) && is_few(sn_row_length(f), FEW_COLUMNS) &&
          sum != SN_DYNAMIC && sum >= LONG_SUM && sn_cpu_reads_weights(f, line->name));
}

// Few rows use each weight: it is read once from where it lies.
bool sn_cpu_line_reads_weights(const SnForm *f, const SnMicroKernel *line) {
  bool vectors = line->sums == SN_SUMS_ALONG_K || (line->sums == SN_SUMS_IN_VECTORS && line->pack_b == SN_PACK_ROWS);
  return vectors && is_few(rows_of(f, line->name), FEW_ROWS) && sn_has_one_group(f) &&
         sn_cpu_reads_weights(f, line->name);
}

// Vectors along k are summed up for each element of the result, which takes as long as some of their steps; a copy of
// the weights is made once. Measured with 768 columns: both ways are level from so many elements of k for each row on.
static bool sum_is_long(const SnForm *f, const SnMicroKernel *line) {
  int64_t sum = sn_cpu_work(f).summed, rows = rows_of(f, line->name);
  SnMultiplied m;
  (void)sn_multiplied(f, 0, &m);
  int64_t vector = line->bits / sn_bits(sn_micro_packed(line->a, m.sum));
  return line->sums != SN_SUMS_ALONG_K || sum == SN_DYNAMIC || rows == SN_DYNAMIC ||
         2 * sum >= sn_times(rows, vector);
}

// Packed weights of which each row of memory is used by few rows, so that they come from memory as fast as it goes.
bool sn_cpu_few_take_packed(const SnForm *f, const SnMicroKernel *line) {
  return line->pack_b == SN_PACK_ROWS && is_few(rows_of(f, line->name), FEW_PACKED_ROWS);
}

// Tiles are whole ones, and to configure them takes as long as some thousand multiplications.
static bool is_small(const SnForm *f) {
  int64_t rows = sn_cpu_sizes(f, 0, f->num_rows), each = sn_cpu_work(f).all;
  return rows != SN_DYNAMIC && each != SN_DYNAMIC && sn_times(rows, each) < TILES_WORK;
}

// Vectors multiply as fast as a tile that is less than half full.
static bool is_short(const SnForm *f, const SnMicroKernel *line) {
  int64_t sum = sn_cpu_work(f).summed;
  return sum != SN_DYNAMIC && 2 * sum < line->k;
}

// The first one whose sums are in vectors, for weights that lie in rows: it asks memory for them ahead.
static const SnMicroKernel *of_packed(const SnForm *f, const SnMicroKernel *like, const char *features) {
  SnMultiplied m;
  (void)sn_multiplied(f, 0, &m);
  for (const SnMicroKernel *line = like; line->name && sn_cpu_few_take_packed(f, like); ++line)
    if (line->sums == SN_SUMS_IN_VECTORS && line->pack_b == like->pack_b && line->a == like->a &&
        sn_micro_kernel(line->name, m.a, m.b, m.sum) == line && pays(f, line->name, features))
      return line;
  return like;
}

// A library's kernel has rows copied that are runs of an image under windows: the first one with wide vectors of sums
// reads them where they lie. (With AVX2 rows are used by 16 columns at once, and the copy is faster.)
static const SnMicroKernel *of_windows(const SnForm *f, const SnMicroKernel *like, const char *features) {
  SnMultiplied m;
  (void)sn_multiplied(f, 0, &m);
  for (const SnMicroKernel *line = like; line->name && like->sums == SN_SUMS_IN_MEMORY; ++line)
    if (line->sums == SN_SUMS_IN_VECTORS && line->bits >= WIDE_BITS && line->a == like->a &&
        sn_micro_kernel(line->name, m.a, m.b, m.sum) == line && pays(f, line->name, features) &&
        sn_cpu_run_of_windows(f, line))
      return line;
  return like;
}

// To split a panel of weights takes as long as to multiply some rows, and a block of rows some columns.
bool sn_cpu_takes_parts(const SnForm *f, const SnMicroKernel *line, const SnScheduleOptions *options) {
  SnCpuWork w = sn_cpu_work(f);
  int64_t rows = rows_of(f, line->name);
  return is_asked(f, line->name, options) && sn_has_one_group(f) && w.summed != SN_DYNAMIC &&
         !is_few(rows, (line->parts > 2 ? LEAST_OF_THREE : LEAST_OF_PARTS) - 1) &&
         !is_few(w.widest, LEAST_OF_PARTS - 1) && !is_few(w.summed, LEAST_OF_PARTS - 1) && !sn_schedule_must_pack(f);
}

// The first line of the table that the form can have, of those that read weights where they lie or of the others.
static const SnMicroKernel *first_line(const SnForm *f, const SnScheduleOptions *options, bool reading) {
  const char *features = options->features;
  bool small = is_small(f);
  SnMultiplied m;
  (void)sn_multiplied(f, 0, &m);
  for (const SnMicroKernel *line = sn_micro_kernels; line->name; ++line) {
    if (sn_micro_kernel(line->name, m.a, m.b, m.sum) != line || !pays(f, line->name, features) ||
        (line->parts && !sn_cpu_takes_parts(f, line, options)))
      continue;
    bool along = reading && line->sums == SN_SUMS_ALONG_K;
    if (along && sn_cpu_run_of_windows(f, line) && !reads_in_place(f, line))
      return NULL; // nor is it worth more steps of wider numbers
    if (reading ? (sn_cpu_line_reads_weights(f, line) && sum_is_long(f, line)) || sn_cpu_line_reads_both(f, line)
                : line->pack_b != SN_PACK_COLUMNS && !(line->sums == SN_SUMS_IN_TILES && (small || is_short(f, line))))
      return line;
  }
  return NULL;
}

// So few rows that reading weights where they lie takes as long as reading packed ones.
static bool reads_as_fast(const SnForm *f, const SnMicroKernel *line, const SnMicroKernel *reading) {
  bool tiles = line->sums == SN_SUMS_IN_TILES, lines = reading && reading->sums == SN_SUMS_ALONG_K;
  int64_t few = tiles ? FEW_ROWS_OF_TILES : sn_cpu_narrow_sides(f) ? FEW_NARROW_ROWS : FEW_ROWS;
  return reading && (lines || !tiles) && is_few(rows_of(f, reading->name), few);
}

static int64_t rows_of_turned(const SnForm *f) {
  SnMultiplied m;
  (void)sn_multiplied(f, 0, &m);
  SnCpuWork w = sn_cpu_work(f);
  bool known = w.widest != SN_DYNAMIC && w.summed != SN_DYNAMIC;
  return known && sn_times(sn_times(w.widest, w.summed), sn_bits(m.b) / 8) > SN_CPU_FAR_WEIGHTS ? TURNED_FAR_ROWS
                                                                                                : TURNED_ROWS;
}

// More rows than vectors along k are fast for, by weights that tiles read where they lie: nothing is copied but rows.
static const SnMicroKernel *of_few_rows(const SnForm *f, const SnMicroKernel *reading, const char *features) {
  SnMultiplied m;
  (void)sn_multiplied(f, 0, &m);
  for (const SnMicroKernel *line = sn_micro_kernels; line->name && sn_has_one_group(f) && !is_small(f); ++line)
    if (line->sums == SN_SUMS_IN_TILES && line->pack_b == SN_PACK_COLUMNS &&
        sn_micro_kernel(line->name, m.a, m.b, m.sum) == line && pays(f, line->name, features) &&
        is_few(rows_of(f, line->name), rows_of_turned(f)) &&
        !(reading && is_few(rows_of(f, line->name), FEW_ROWS_OF_TILES)) && sn_cpu_reads_weights(f, line->name))
      return line;
  return NULL;
}

const char *sn_cpu_best_kernel(const SnForm *f, const SnScheduleOptions *options) {
  // "any128" is for all types.
  const char *features = options->features;
  const SnMicroKernel *line = of_windows(f, first_line(f, options, false), features);
  const SnMicroKernel *reading = first_line(f, options, true);
  if (sn_schedule_packs(f, line->name, options) && (sn_schedule_must_pack(f) || !reads_as_fast(f, line, reading)))
    return of_packed(f, line, features)->name;
  const SnMicroKernel *turned = of_few_rows(f, reading, features);
  if (turned)
    return turned->name;
  SnMultiplied m;
  bool floats = sn_multiplied(f, 0, &m) && sn_is_float(m.sum);
  bool tiles = line->sums == SN_SUMS_IN_TILES && !(reading && reading->sums == SN_SUMS_IN_VECTORS && floats);
  int64_t rows = rows_of(f, line->name), sum = sn_cpu_work(f).summed;
  bool far = rows == SN_DYNAMIC || sum == SN_DYNAMIC || sn_times(sn_times(rows, sum), 2) > SN_CPU_FAR_WEIGHTS;
  int64_t few = tiles ? FEW_ROWS_OF_TILES : sn_cpu_narrow_sides(f) ? FEW_NARROW_ROWS : FEW_ROWS;
  bool is_read = is_few(rows, few) || (reading && sn_cpu_line_reads_both(f, reading) &&
                                       (!tiles || (reads_in_place(f, reading) && (far || sn_row_length(f) <= few))));
  bool level = is_small(f) && sn_cpu_reads_weights(f, line->name); // in its cache
  return reading && is_read && !level ? reading->name : line->name;
}
