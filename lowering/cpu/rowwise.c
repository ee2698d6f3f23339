// rowwise.c: a row program over memory, on a CPU.
//
//   #sinter.rows<chunk = 16, lanes = 16, unroll = 4>
//
//   task t:
//     for r in t * chunk .. min((t + 1) * chunk, rows):
//       the row's indices, the row program, its stores and accumulators

#include "dialect/schedules.h"
#include "lowering/cpu/cpu.h"

typedef struct {
  MlirValue rows, chunk, tasks;
} Shares;

// Rows of a task: as scheduled, but more where their count is known at run time and would make too many tasks.
static Shares share_rows(SnBuilder *b, const SnForm *f) {
  Shares s = {sn_form_sizes(b, f, 0, f->num_rows), sn_index(b, sn_schedule_number(f->schedule, "chunk"))};
  int64_t known;
  if (!sn_known(s.rows, &known))
    s.chunk = sn_size_max(b, s.chunk, sn_size_ceil(b, s.rows, sn_index(b, sn_schedule_number(f->schedule, "tasks"))));
  s.tasks = sn_size_ceil(b, s.rows, s.chunk);
  return s;
}

MlirLogicalResult sn_cpu_lower_rowwise(SnKernel *k) {
  if (sn_schedule_word_is(k->form.schedule, "along", "rows"))
    return sn_cpu_lower_rowlanes(k);
  int64_t lanes = sn_schedule_number(k->form.schedule, "lanes");
  MlirValue tasks = share_rows(&k->b, &k->form).tasks;
  SnPartials partials = sn_cpu_partials(k, tasks, lanes);
  SnTask t = sn_cpu_task_begin(k);
  SnBuilder *b = &t.b;
  SnForm f = sn_cpu_form_in_task(&k->form, &t);
  SnRowProgram program = sn_row_program(&f, sn_values(0, NULL));
  SnCpuRow row = {.program = &program, .lanes = lanes, .unroll = sn_schedule_number(k->form.schedule, "unroll")};

  MlirValue scalars[16];
  intptr_t n = sn_cpu_partials_begin(&f, &t, &partials, scalars);
  sn_cpu_body_targets(&f, &t, &partials, &row);
  Shares shares = share_rows(b, &f);
  MlirValue lo = sn(b, "arith.muli", t.index, shares.chunk);
  MlirValue hi = sn_cpu_end(b, lo, shares.chunk, shares.rows);
  SnLoop r = sn_for_values(b, lo, hi, sn_index(b, 1), sn_values(n, scalars));
  {
    sn_form_point(b, &f, 0, f.num_rows, r.index, program.dims);
    sn_cpu_row(b, &row, r.carried);
  }
  sn_next_values(b, &r, sn_values(n, r.carried));
  for (intptr_t i = 0; i < n; ++i)
    scalars[i] = sn_result(r.op, i);
  sn_cpu_partials_end(&f, &t, &partials, scalars);
  sn_cpu_task_end(k, &t, tasks);
  sn_cpu_finish(k, &partials);

  sn_vec_free(&row.targets);
  sn_vec_free(&partials.buffers);
  sn_vec_free(&partials.inside);
  sn_row_program_free(&program);
  sn_form_free(&f);
  return SN_OK;
}
