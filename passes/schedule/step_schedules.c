// step_schedules.c: how a sinter.steps runs.
//
//   cpu   #sinter.rows<chunk = 1, tasks = 256>           a task has as many rows as make no more than 256 tasks
//   gpu   #sinter.gpu_rows<threads = 256, blocks = 264>  a block has a row at a time
//
// A row is long work, so one is a task of its own; the lanes of its steps depend on what is in memory.
//
// runs in: schedule    test: test/passes/schedule/schedule.mlir

#include "dialect/steps.h"
#include "passes/schedule/schedule.h"
#include "target/chips.h"

#define MOST_TASKS 256
#define THREADS 256
#define BLOCKS_AT_ONCE 2 // on each multiprocessor

MlirAttribute sn_schedule_steps(MlirOperation op, const SnScheduleOptions *options) {
  SnSteps s = sn_steps_read(op);
  MlirLocation loc = mlirOperationGetLocation(op);
  MlirContext ctx = mlirLocationGetContext(loc);
  int64_t rows = sn_dim(sn_type_of(sn_operand(op, 0)), s.rows);
  if (!strcmp(options->target, "gpu")) {
    int64_t most = BLOCKS_AT_ONCE * sn_gpu_chip(options->chip)->multiprocessors;
    return sn_schedule_attr(loc, "gpu_rows",
                            sn_parse_attr(ctx, "{threads = %d, blocks = %lld, occupancy = 1}", THREADS,
                                          (long long)(rows == SN_DYNAMIC || rows > most ? most
                                                      : rows < 1                        ? 1
                                                                                        : rows)));
  }
  int64_t chunk = rows == SN_DYNAMIC || rows <= MOST_TASKS ? 1 : (rows + MOST_TASKS - 1) / MOST_TASKS;
  return sn_schedule_attr(loc, "rows", sn_parse_attr(ctx, "{chunk = %lld, tasks = %d}", (long long)chunk, MOST_TASKS));
}
