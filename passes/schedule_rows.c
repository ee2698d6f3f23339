// schedule_rows.c: a rowwise form on a CPU.
//
//   #sinter.rows<chunk = 16, lanes = 16, unroll = 4, residency = "reread">
//
// A task is `chunk` rows, about as many elements as pay for handing it to a
// thread. Where the count of rows is known at run time, a task has more of them so
// that there are `tasks` at most. The count of tasks depends on sizes alone, so that results reduced
// over rows have equal bits for any number of threads.

#include "passes/schedule.h"
#include <stdio.h>

#define TASK_ELEMENTS 16384 // a few microseconds; measure before relying on it
#define SOME_ROWS 8 // where their length is known at run time
#define MOST_TASKS 256
#define MOST_TASKS_WITH_ROWS 32 // each task keeps a row of partial sums for each accumulator with columns

int64_t sn_schedule_lanes(const SnForm *f, int64_t vector_bits) {
  unsigned floats = 0, ints = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
      MlirType t = sn_type_of(sn_operand(op, k)), e = sn_element(t);
      unsigned *widest = sn_is_float(e) ? &floats : &ints;
      if (sn_is_row(sn_operand(op, k)) && sn_bits(e) > *widest)
        *widest = sn_bits(e);
    }
  unsigned bits = floats ? floats : ints;
  if (bits < 8)
    bits = 32;
  int64_t length = sn_row_length(f), lanes = 1;
  while (lanes < 64 && lanes * 2 * bits <= vector_bits && (length == SN_DYNAMIC || lanes * 2 <= length))
    lanes *= 2;
  return lanes;
}

int64_t sn_schedule_unroll(const SnForm *f, int64_t lanes) {
  int64_t length = sn_row_length(f), reduces = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    reduces += sn_is(op, "sinter.row_reduce");
  // One accumulator would wait for itself; 4 hide the latency of an add.
  return lanes > 1 && reduces && (length == SN_DYNAMIC || length >= 4 * lanes) ? 4 : 1;
}

static bool keeps_columns(const SnForm *f) {
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map))
      return true;
  return false;
}

MlirAttribute sn_schedule_cpu_rows(const SnForm *f, const SnScheduleOptions *options) {
  int64_t rows = sn_num_rows(f), length = sn_row_length(f), most = keeps_columns(f) ? MOST_TASKS_WITH_ROWS : MOST_TASKS;
  int64_t chunk = length == SN_DYNAMIC ? SOME_ROWS : length < 1 ? 1 : (TASK_ELEMENTS + length - 1) / length;
  if (rows != SN_DYNAMIC) {
    int64_t least = (rows + most - 1) / most;
    chunk = chunk < least ? least : chunk;
    chunk = chunk > rows ? rows : chunk;
  }
  chunk = chunk < 1 ? 1 : chunk;
  int64_t lanes = sn_schedule_lanes(f, options->vector_bits);
  MlirLocation loc = mlirOperationGetLocation(f->op);
  char tasks[40] = "";
  if (rows == SN_DYNAMIC)
    snprintf(tasks, sizeof tasks, "tasks = %lld, ", (long long)most);
  return sn_schedule_attr(loc, "rows",
                          sn_parse_attr(mlirLocationGetContext(loc), "{chunk = %lld, %slanes = %lld, unroll = %lld, residency = \"reread\"}",
                                        (long long)chunk, tasks, (long long)lanes, (long long)sn_schedule_unroll(f, lanes)));
}
