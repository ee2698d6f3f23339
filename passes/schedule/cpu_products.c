// cpu_products.c: a contract on a CPU.
//
//   #sinter.brgemm<kernel = "libxsmm", m = 32, n = 64, k = 256, tasks = 64, lanes = 16, unroll = 4>
//
// The kernel is the first line of the table of micro-kernels that the processor and all products of the form can have.
// A task makes blocks of m rows; within one, products of m x k by k x n are
// summed in a scratch block, over which the row program runs while it is in cache. Where there are fewer blocks than
// threads could share, their columns are tasks of their own.

#include "lowering/cpu/contract.h"
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

static const SnMicroKernel *line_of(const SnForm *f, const char *kernel, size_t p) {
  return sn_micro_kernel(kernel, sn_side_element(f, 2 * p), sn_side_element(f, 2 * p + 1), f->products.data[p].type);
}

bool sn_schedule_kernel_runs(const SnForm *f, const char *kernel, const char *features) {
  for (size_t p = 0; p < f->products.size; ++p) {
    const SnMicroKernel *line = line_of(f, kernel, p);
    if (!line || line->target != SN_TARGET_CPU || !sn_micro_kernel_runs(line, features))
      return false;
  }
  return true;
}

static bool pays(const SnForm *f, const char *kernel, const char *features) {
  for (size_t p = 0; p < f->products.size; ++p) {
    const SnMicroKernel *line = line_of(f, kernel, p);
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
  int64_t most = 1;
  for (size_t p = 0; p < f->products.size; ++p) {
    int64_t u = unit(line_of(f, kernel, p)); // powers of two
    most = u > most ? u : most;
  }
  return most;
}

MlirAttribute sn_schedule_brgemm(const SnForm *f, const SnScheduleOptions *options) {
  const char *kernel = best_kernel(f, options->features);
  int64_t together = sn_cpu_rows_together(f, kernel), batch_dims = f->num_rows - together;
  int64_t rows = sizes(f, batch_dims, together), batch = sizes(f, 0, batch_dims);
  int64_t sum = sizes(f, f->num_rows + f->num_cols, f->products.data[0].num_dims);
  int64_t m = up_to_multiple(rows_of_block(rows, batch), unit_of(f, kernel, sn_micro_row_unit)),
          n = at_most(64, sn_row_length(f)), lanes = sn_schedule_lanes(f, options->vector_bits);
  int64_t k = up_to_multiple(at_most(256, sum), unit_of(f, kernel, sn_micro_k_unit));
  int64_t blocks = rows == SN_DYNAMIC || batch == SN_DYNAMIC ? SN_DYNAMIC : sn_times(batch, sn_pieces(rows, m));
  int64_t columns = columns_of_task(f, blocks, m, n, sum), length = sn_row_length(f), tasks = MOST_TASKS;
  if (blocks >= 0 && length != SN_DYNAMIC && sum != SN_DYNAMIC &&
      (double)blocks * (double)m * (double)length * (double)sum < (double)MOST_TASKS * TINY_WORK)
    tasks = at_least_one(sn_times(sn_times(sn_times(blocks, m), length), sum) / TINY_WORK);
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
