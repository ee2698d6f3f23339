// cpu_products.h: what schedules of a CPU's products ask of a form and of a line of the table of micro-kernels.

#ifndef SINTER_PASSES_SCHEDULE_CPU_PRODUCTS_H
#define SINTER_PASSES_SCHEDULE_CPU_PRODUCTS_H

#include "capi/form.h"
#include "passes/schedule/schedule.h"
#include "target/microkernels.h"

#define SN_CPU_FAR_WEIGHTS (4 << 20) // bytes of weights whose pages a core does not know all at once

// What a form multiplies for one row (a plain one by its first product), the most that it sums up to one element, and
// its longest row; SN_DYNAMIC where that is not known.
typedef struct {
  int64_t all, summed, widest;
} SnCpuWork;
SnCpuWork sn_cpu_work(const SnForm *form);
// The product of n dimensions from `first` on; SN_DYNAMIC if one is.
int64_t sn_cpu_sizes(const SnForm *form, int64_t first, int64_t n);
static inline int64_t sn_cpu_most(int64_t x, int64_t y) {
  return x == SN_DYNAMIC || y == SN_DYNAMIC ? SN_DYNAMIC : x > y ? x : y;
}

// A side's numbers are narrower than its sums; than what the kernel multiplies.
bool sn_cpu_narrow_sides(const SnForm *form);
bool sn_cpu_widens_sides(const SnForm *form, const SnMicroKernel *line);
// The length of runs of an image under windows that rows are read by where they lie; 0: they are not.
int64_t sn_cpu_run_of_windows(const SnForm *form, const SnMicroKernel *line);
// It reads weights, or rows and weights, where they lie, and that pays.
bool sn_cpu_line_reads_weights(const SnForm *form, const SnMicroKernel *line);
bool sn_cpu_line_reads_both(const SnForm *form, const SnMicroKernel *line);
// Few rows use what is packed.
bool sn_cpu_few_take_packed(const SnForm *form, const SnMicroKernel *line);
// Sides may be split into the parts that the line multiplies, and that pays.
bool sn_cpu_takes_parts(const SnForm *form, const SnMicroKernel *line, const SnScheduleOptions *options);
// The name of the line for the form.
const char *sn_cpu_best_kernel(const SnForm *form, const SnScheduleOptions *options);

#endif
