// cpu_sequences.c: what forms of a sequence wait for on a CPU, and how they run.
//
//   sinter.sequence phases [0, 1, 1] waits [0, 1, 1] -> ...
//   sinter.sequence phases [0, 0] waits [0, 0] schedule(#sinter.cpu_sequence<forms = "turns">) -> ...
//
// Stages of a parallel region are noted in memory, and its threads are told. Of a few short rows that takes longer than
// all the work: three tables of 16, 48 and 96 numbers are made in 0.13 us by kernels of their own, in 0.22 as stages on
// one thread and in 0.46 on two. So what one task would do in all is done by turns, by the thread that calls.
//
// test: test/passes/schedule/cpu_sequences.mlir

#include "dialect/schedules.h"
#include "dialect/sequence.h"
#include "passes/schedule/schedule.h"

enum { TASK = 1 << 14 }; // elements that pay for handing them to a thread (cpu_rows.c)

// How many elements a form has that one task makes; more than a task has, where it is no such form.
static int64_t elements_of(MlirOperation op) {
  if (!sn_is(op, "sinter.rowwise"))
    return TASK + 1;
  SnForm f = sn_form_read(op);
  int64_t rows = sn_num_rows(&f), columns = sn_row_length(&f), n = TASK + 1;
  bool known = rows != SN_DYNAMIC && columns != SN_DYNAMIC;
  bool whole = known && f.schedule.ptr && !sn_multiplies(&f) && !sn_schedule_number(f.schedule, "columns") &&
               rows <= sn_schedule_number(f.schedule, "chunk");
  n = whole ? sn_times(rows, columns) : n;
  sn_form_free(&f);
  return n;
}

void sn_schedule_cpu_sequence(MlirOperation op) {
  MlirContext ctx = mlirOperationGetContext(op);
  SnSequence s = sn_sequence_read(op);
  if (!s.waits.size) {
    int64_t *waits = sn_alloc((s.forms.size + 1) * sizeof *waits);
    sn_sequence_least_waits(&s, waits);
    sn_set_attr(op, "waits", mlirDenseI64ArrayGet(ctx, (intptr_t)s.forms.size, waits));
    free(waits);
  }
  int64_t elements = 0;
  MlirOperation end = mlirBlockGetTerminator(s.body);
  for (MlirOperation o = mlirBlockGetFirstOperation(s.body); !mlirOperationEqual(o, end) && elements <= TASK;
       o = mlirOperationGetNextInBlock(o))
    elements += elements_of(o);
  if (!s.schedule.ptr && elements <= TASK)
    sn_set_attr(op, "schedule",
                sn_schedule_attr(mlirOperationGetLocation(op), "cpu_sequence",
                                 sn_parse_attr(ctx, "{forms = \"turns\"}")));
  sn_sequence_free(&s);
}
