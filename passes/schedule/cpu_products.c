// cpu_products.c: a contract on a CPU.
//
//   #sinter.brgemm<kernel = "libxsmm", m = 32, n = 64, k = 256, tasks = 64, lanes = 16, unroll = 4>
//
// The kernel is the first line of the table of micro-kernels that the processor and all products of the form can have.
// A task makes blocks of m rows; within one, products of m x k by k x n are
// summed in a scratch block, over which the row program runs while it is in cache. Where there are fewer blocks than
// threads could share, their columns are tasks of their own.

#include "dialect/row_groups.h"
#include "lowering/cpu/contract.h"
#include "lowering/facts/cpu_forms.h"
#include "passes/schedule/schedule.h"
#include "target/microkernels.h"
#include <stdio.h>

#define ENOUGH_TASKS 16
#define LEAST_WORK (1 << 19) // multiplications of a task that is made of a part of a block: some microseconds
#define TINY_WORK (1 << 17)  // of any task: what it takes to wake a thread
#define MOST_TASKS 64

static int64_t at_most(int64_t block, int64_t size) {
  return size != SN_DYNAMIC && size < block ? (size > 0 ? size : 1) : block;
}

static int64_t at_least_one(int64_t x) { return x > 1 ? x : 1; }

// The product of these dimensions; SN_DYNAMIC if one is.
static int64_t sizes(const SnForm *f, int64_t first, int64_t n) {
  int64_t all = 1;
  for (int64_t d = first; d < first + n; ++d)
    all = all == SN_DYNAMIC || f->dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(all, f->dims.data[d].size);
  return all;
}

// What a form multiplies for one row (a plain one by its first product), the most that it sums up to one element, and
// its longest row; SN_DYNAMIC where that is not known.
typedef struct {
  int64_t all, summed, widest;
} Work;

static int64_t most(int64_t x, int64_t y) { return x == SN_DYNAMIC || y == SN_DYNAMIC ? SN_DYNAMIC : x > y ? x : y; }

static Work work_of(const SnForm *f) {
  Work w = {0, 0, 0};
  SnMultiplied m;
  for (size_t g = 0; g < sn_num_groups(f); ++g)
    w.widest = most(w.widest, sn_group_length(f, g));
  for (size_t i = 0; sn_multiplied(f, i, &m) && (i == 0 || !sn_has_one_group(f)); ++i) {
    int64_t sum = sizes(f, m.summed.first, m.summed.num_dims);
    w.summed = most(w.summed, sum);
    w.all = w.all == SN_DYNAMIC || w.summed == SN_DYNAMIC || w.widest == SN_DYNAMIC
                ? SN_DYNAMIC
                : w.all + sn_times(sum, sn_group_length(f, m.group));
  }
  return w;
}

// Packing a panel of weights is paid for by m rows: as many as 128 where there are enough blocks, of equal size. Small
// problems still have two blocks for two threads.
static int64_t rows_of_block(int64_t rows, int64_t batch) {
  if (rows == SN_DYNAMIC || rows >= 512)
    return 128;
  if (batch != SN_DYNAMIC && rows > 0 && sn_times(batch, sn_pieces(rows, 128)) >= ENOUGH_TASKS)
    return sn_pieces(rows, sn_pieces(rows, 128));
  return at_most(rows >= 64 || rows <= 16 ? 32 : 16, rows);
}

static int64_t columns_of_task(const SnForm *f, int64_t blocks, int64_t m, int64_t n, int64_t sum) {
  int64_t length = sn_row_length(f);
  if (blocks < 1 || blocks >= ENOUGH_TASKS || length == SN_DYNAMIC || sum == SN_DYNAMIC || f->accumulators.size ||
      !sn_cpu_by_columns(f))
    return 0;
  int64_t least = sn_pieces(LEAST_WORK, sn_times(m, sum > 0 ? sum : 1));
  int64_t columns = sn_pieces(length, sn_pieces(ENOUGH_TASKS, blocks));
  columns = sn_pieces(columns > least ? columns : least, n) * n;
  columns = columns > SN_MAX_OF_TASK ? SN_MAX_OF_TASK / n * n : columns;
  return columns < length ? columns : 0;
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

static bool pays(const SnForm *f, const char *kernel, const char *features) {
  SnMultiplied m;
  for (size_t p = 0; sn_multiplied(f, p, &m); ++p) {
    const SnMicroKernel *line = sn_micro_kernel(kernel, m.a, m.b, m.sum);
    if (line && !sn_micro_kernel_pays(line, features))
      return false;
  }
  return sn_schedule_kernel_runs(f, kernel, features);
}

static const char *best_kernel(const SnForm *f, const char *features) {
  const SnMicroKernel *line = sn_micro_kernels;
  while (!pays(f, line->name, features)) // "any128" does, everywhere and for every type
    ++line;
  return line->name;
}

static int64_t up_to_multiple(int64_t x, int64_t unit) { return sn_pieces(x, unit) * unit; }

// The least multiple that every product's line takes.
static int64_t unit_of(const SnForm *f, const char *kernel, int64_t (*unit)(const SnMicroKernel *)) {
  int64_t all = 1;
  SnMultiplied m;
  for (size_t p = 0; sn_multiplied(f, p, &m); ++p)
    all = most(all, unit(sn_micro_kernel(kernel, m.a, m.b, m.sum))); // powers of two
  return all;
}

MlirAttribute sn_schedule_brgemm(const SnForm *f, const SnScheduleOptions *options) {
  const char *kernel = best_kernel(f, options->features);
  int64_t together = sn_cpu_rows_together(f, kernel), batch_dims = f->num_rows - together;
  int64_t rows = sizes(f, batch_dims, together), batch = sizes(f, 0, batch_dims);
  Work work = work_of(f);
  int64_t m = rows_of_block(rows, batch), n = at_most(64, work.widest),
          lanes = sn_schedule_lanes(f, options->vector_bits, work.widest);
  m = up_to_multiple(sn_has_one_group(f) ? m : sn_cpu_rows_of_chain(f, m), unit_of(f, kernel, sn_micro_row_unit));
  int64_t k = up_to_multiple(at_most(256, work.summed), unit_of(f, kernel, sn_micro_k_unit));
  int64_t blocks = rows == SN_DYNAMIC || batch == SN_DYNAMIC ? SN_DYNAMIC : sn_times(batch, sn_pieces(rows, m));
  int64_t columns = columns_of_task(f, blocks, m, n, work.summed), tasks = MOST_TASKS;
  if (blocks >= 0 && work.all != SN_DYNAMIC &&
      (double)blocks * (double)m * (double)work.all < (double)MOST_TASKS * TINY_WORK)
    tasks = at_least_one(sn_times(sn_times(blocks, m), work.all) / TINY_WORK);
  char share[40] = "";
  if (columns)
    snprintf(share, sizeof share, "columns = %lld, ", (long long)columns);
  MlirLocation loc = mlirOperationGetLocation(f->op);
  return sn_schedule_attr(loc, "brgemm",
                          sn_parse_attr(mlirLocationGetContext(loc),
                                        "{kernel = \"%s\", %sm = %lld, n = %lld, k = %lld, tasks = %lld, lanes = %lld, "
                                        "unroll = %lld}",
                                        kernel, share, (long long)m, (long long)n, (long long)k,
                                        (long long)tasks, (long long)lanes, (long long)sn_schedule_unroll(f, lanes)));
}
