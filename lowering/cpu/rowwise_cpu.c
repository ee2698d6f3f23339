// rowwise_cpu.c: a row program over memory, on a CPU.
//
//   #sinter.rows<chunk = 16, lanes = 16, unroll = 4>
//
//   task t:
//     for r in t * chunk .. min((t + 1) * chunk, rows):
//       the row's indices, the row program, its stores and accumulators
//
// Few long rows are shared in pieces of `columns`: rowpieces.c.
//
// new schedule key: of a CPU's rows: where it is read.

#include "dialect/schedules.h"
#include "lowering/cpu/lower_cpu.h"
#include "lowering/rows/rowmemory.h"

typedef struct {
  MlirValue rows, chunk, tasks;
} Shares;

// As many rows as have `elements`, of a length that is known now.
static MlirValue rows_of_elements(SnBuilder *b, const SnForm *f, MlirValue chunk) {
  int64_t known, elements = sn_schedule_number(f->schedule, "elements");
  MlirValue length = sn_form_columns(b, f);
  if (!elements || sn_known(length, &known))
    return chunk;
  return sn_size_max(b, chunk, sn_size_ceil(b, sn_index(b, elements), sn_size_max(b, length, sn_index(b, 1))));
}

MlirValue sn_cpu_share(SnBuilder *b, const SnForm *f, MlirValue units, MlirValue *of_task) {
  int64_t known;
  if (!sn_known(units, &known))
    *of_task = sn_size_max(b, *of_task, sn_size_ceil(b, units, sn_index(b, sn_schedule_number(f->schedule, "tasks"))));
  return sn_size_ceil(b, units, *of_task);
}

static Shares share_rows(SnBuilder *b, const SnForm *f) {
  Shares s = {sn_form_sizes(b, f, 0, f->num_rows), sn_index(b, sn_schedule_number(f->schedule, "chunk"))};
  s.chunk = rows_of_elements(b, f, s.chunk);
  s.tasks = sn_cpu_share(b, f, s.rows, &s.chunk);
  return s;
}

typedef struct {
  MlirValue lo, hi;
} Rows;

static void emit_rows(SnBuilder *b, SnCpuRow *row, const void *user, intptr_t n, MlirValue *scalars) {
  SnRowProgram *p = row->program;
  const Rows *rows = user;
  MlirValue one = sn_index(b, 1), next[SN_MAX_DIMS], lo = rows->lo;
  sn_row_begin(p);
  if (sn_schedule_number(p->form->schedule, "abreast") > 1)
    lo = sn_cpu_rows_abreast(b, row, lo, rows->hi, n, scalars);
  SnLoop r = sn_for_values(b, lo, rows->hi, one, sn_values(n, scalars));
  {
    sn_form_point(b, p->form, 0, p->form->num_rows, r.index, p->dims);
    if (p->form->num_rows && sn_schedule_word_is(p->form->schedule, "next", "early")) {
      sn_form_point(b, p->form, 0, p->form->num_rows, sn(b, "arith.addi", r.index, one), next);
      row->next = next;
    }
    sn_cpu_row(b, row, r.carried);
    row->next = NULL;
  }
  sn_next_values(b, &r, sn_values(n, r.carried));
  for (intptr_t i = 0; i < n; ++i)
    scalars[i] = sn_result(r.op, i);
}

// Stores past the caches save the reads of what is overwritten, but they have to be aligned: the caller's memory is
// looked at, and there is a second loop with ordinary stores. The runtime has a fence after each task.
void sn_cpu_streaming(SnBuilder *b, SnCpuRow *row, SnCpuEmit emit, const void *user, intptr_t n, MlirValue *scalars) {
  const SnForm *f = row->program->form;
  MlirValue bits = {0}, cached[SN_MAX_ACCUMULATORS];
  for (size_t k = 0; k < f->outputs.size && sn_schedule_word_is(f->schedule, "stores", "streaming"); ++k)
    if (sn_row_streams(f, &f->outputs.data[k], row->lanes)) {
      MlirValue at = sn(b, "memref.extract_aligned_pointer_as_index", f->outputs.data[k].value);
      bits = sn_none(bits) ? at : sn(b, "arith.ori", bits, at);
    }
  if (sn_none(bits)) {
    emit(b, row, user, n, scalars);
    return;
  }
  MlirType types[SN_MAX_ACCUMULATORS];
  for (intptr_t i = 0; i < n; ++i) {
    types[i] = sn_type_of(scalars[i]);
    cached[i] = scalars[i];
  }
  MlirValue low = sn(b, "arith.andi", bits, sn_index(b, 63));
  SnIf aligned = sn_if_types(b, sn(b, "arith.cmpi", low, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 0))),
                             (SnTypes){n, types});
  row->program->streaming = true;
  emit(b, row, user, n, scalars);
  sn_else_values(b, &aligned, sn_values(n, scalars));
  row->program->streaming = false;
  emit(b, row, user, n, cached);
  sn_end_if_values(b, &aligned, sn_values(n, cached));
  for (intptr_t i = 0; i < n; ++i)
    scalars[i] = sn_result(aligned.op, i);
}

// Rows that live between phases, in memory of the task. What is freed, and where, upstream's deallocation says.
static MlirValue memory_of_task(SnBuilder *b, const SnForm *f, MlirType element, int64_t length) {
  int32_t segments[] = {0, 0};
  bool small = length * sn_bits(element) <= sn_schedule_number(f->schedule, "stack") * 8;
  return sn(b, small ? "memref.alloca" : "memref.alloc", sn_memref(element, 1, &length),
            sn_attr("alignment", sn_i64(b->ctx, 64)),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, segments)));
}

// Of rows of unknown length there is room for the longest that is kept.
static void keep_rows(SnBuilder *b, const SnCpuRow *row) {
  SnRowProgram *p = row->program;
  int64_t length = sn_row_length(p->form), lanes = row->lanes;
  length = length == SN_DYNAMIC ? sn_schedule_number(p->form->schedule, "buffer_to") : length;
  sn_row_keep(p);
  SnRowJoints joints = {0};
  if (row->online && p->kept.size)
    sn_row_join_phases(&joints, p);
  length = joints.n ? sn_pieces(length, lanes) * lanes : length; // whole vectors, each under its own maximum
  for (size_t i = 0; i < p->kept.size; ++i)
    p->kept.data[i].memref = memory_of_task(b, p->form, sn_element(sn_type_of(p->kept.data[i].value)), length);
  if (joints.n) {
    p->kept.data[0].per = lanes;
    p->kept.data[0].factors = memory_of_task(b, p->form, sn_element(sn_type_of(p->kept.data[0].value)),
                                             sn_pieces(length / lanes, lanes) * lanes);
  }
}

// Rows of unknown length that are short are kept, others are computed again.
static void emit_either(SnBuilder *b, SnCpuRow *row, const void *rows, intptr_t n, MlirValue *scalars) {
  SnRowProgram *p = row->program;
  int64_t to = sn_schedule_number(p->form->schedule, "buffer_to");
  if (!p->kept.size || sn_row_length(p->form) != SN_DYNAMIC) {
    sn_cpu_streaming(b, row, emit_rows, rows, n, scalars);
    return;
  }
  MlirType types[SN_MAX_ACCUMULATORS];
  MlirValue longer[SN_MAX_ACCUMULATORS];
  for (intptr_t i = 0; i < n; ++i) {
    types[i] = sn_type_of(scalars[i]);
    longer[i] = scalars[i];
  }
  MlirValue fits =
      sn(b, "arith.cmpi", sn_form_columns(b, p->form), sn_index(b, to), sn_attr("predicate", sn_i64(b->ctx, 7))); // ule
  SnIf branch = sn_if_types(b, fits, (SnTypes){n, types});
  sn_cpu_streaming(b, row, emit_rows, rows, n, scalars);
  sn_else_values(b, &branch, sn_values(n, scalars));
  size_t kept = p->kept.size;
  p->kept.size = 0;
  sn_cpu_streaming(b, row, emit_rows, rows, n, longer);
  p->kept.size = kept;
  sn_end_if_values(b, &branch, sn_values(n, longer));
  for (intptr_t i = 0; i < n; ++i)
    scalars[i] = sn_result(branch.op, i);
}

SnCpuRow sn_cpu_scheduled(const SnForm *f, SnRowProgram *p) {
  MlirAttribute s = f->schedule;
  sn_row_mark_exponentials(p);
  p->steps_together = sn_schedule_word_is(s, "steps", "together");
  SnCpuRow row = sn_cpu_scheduled_loops(f, p);
  row.carried_online = sn_schedule_number(s, "carried_online");
  row.online_from = sn_schedule_number(s, "online_from");
  row.plain = sn_schedule_number(s, "plain");
  row.written_out = sn_schedule_number(s, "written_out");
  row.runs_guarded = sn_schedule_word_is(s, "guards", "run");
  row.prefetch = sn_schedule_number(s, "prefetch");
  row.line = sn_schedule_number(s, "line");
  row.near = sn_schedule_number(s, "near");
  row.online = sn_schedule_word_is(s, "maximum", "online");
  return row;
}

SnCpuRow sn_cpu_scheduled_loops(const SnForm *f, SnRowProgram *p) {
  return (SnCpuRow){.program = p,
                    .lanes = sn_schedule_number(f->schedule, "lanes"),
                    .unroll = sn_schedule_number(f->schedule, "unroll"),
                    .carried = sn_schedule_number(f->schedule, "carried"),
                    .plain = 1,
                    .halves_together = sn_schedule_word_is(f->schedule, "halves", "together")};
}

static bool lines_fit(const SnForm *f) {
  int64_t line = sn_schedule_number(f->schedule, "line");
  const char *why = line && line >= f->num_cols ? "it is of some of a row's column dimensions, not of all" : NULL;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size && line && !why; ++k) {
    const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
    if (sn_uses_cols(f, a->map) && !sn_row_goes_by_lines(f, a, line))
      why = "an operand has its columns elsewhere";
  }
  if (line && sn_schedule_word_is(f->schedule, "maximum", "online"))
    why = "maximum = \"online\" counts columns through";
  if (why)
    sn_error(f->op, "line = %lld, but %s: leave line out", (long long)line, why);
  return !why;
}

MlirLogicalResult sn_cpu_lower_rowwise(SnKernel *k) {
  if (sn_schedule_word_is(k->form.schedule, "along", "rows"))
    return sn_cpu_lower_rowlanes(k);
  if (sn_schedule_number(k->form.schedule, "columns"))
    return sn_cpu_lower_pieces(k);
  bool buffer = sn_schedule_word_is(k->form.schedule, "residency", "buffer");
  if (buffer && sn_row_length(&k->form) == SN_DYNAMIC && !sn_schedule_number(k->form.schedule, "buffer_to"))
    return sn_error(k->form.op, "a row of unknown length has a buffer of a known size: schedule with buffer_to = 4096, "
                                "or residency = \"reread\"");
  if (buffer && sn_schedule_word_is(k->form.schedule, "maximum", "online") && sn_row_length(&k->form) != SN_DYNAMIC &&
      sn_row_length(&k->form) < sn_schedule_number(k->form.schedule, "lanes"))
    return sn_error(k->form.op,
                    "maximum = \"online\" keeps whole vectors of exponentials, but a row has %lld columns, fewer than "
                    "%lld lanes: schedule with residency = \"reread\"",
                    (long long)sn_row_length(&k->form), (long long)sn_schedule_number(k->form.schedule, "lanes"));
  if (!lines_fit(&k->form) || !sn_cpu_abreast_fits(&k->form))
    return SN_FAIL;
  SnRowsTask t;
  SnCpuRepeats repeats = sn_cpu_repeats(k);
  sn_cpu_rows_begin(k, share_rows(&k->b, &k->form).tasks, &t);
  SnBuilder *b = &t.task.b;
  sn_cpu_repeats_in_task(&t.task, &t.program, &repeats);
  sn_vec_free(&repeats);
  t.row = sn_cpu_scheduled(&t.form, &t.program);
  sn_cpu_body_targets(&t.form, &t.task, &t.partials, &t.row);
  if (buffer)
    keep_rows(b, &t.row);

  Shares shares = share_rows(b, &t.form);
  Rows rows = {.lo = sn(b, "arith.muli", t.task.index, shares.chunk)};
  rows.hi = sn_cpu_end(b, rows.lo, shares.chunk, shares.rows);
  emit_either(b, &t.row, &rows, t.n, t.scalars);
  sn_cpu_rows_end(k, &t);
  return SN_OK;
}

void sn_cpu_rows_begin(SnKernel *k, MlirValue tasks, SnRowsTask *t) {
  t->tasks = tasks;
  t->partials = sn_cpu_partials(k, &k->form, tasks, sn_schedule_number(k->form.schedule, "lanes"));
  t->task = sn_cpu_task_begin(k);
  t->form = sn_cpu_form_in_task(&k->form, &t->task);
  t->program = sn_row_program(&t->form, sn_values(0, NULL));
  t->n = sn_cpu_partials_begin(&t->form, &t->task, &t->partials, t->scalars);
}

void sn_cpu_rows_end(SnKernel *k, SnRowsTask *t) {
  sn_cpu_partials_end(&t->form, &t->task, &t->partials, t->scalars);
  sn_cpu_task_end(k, &t->task, t->tasks);
  sn_cpu_finish(k, &k->form, &t->partials);
  sn_vec_free(&t->row.targets);
  sn_vec_free(&t->partials.buffers);
  sn_vec_free(&t->partials.inside);
  sn_row_program_free(&t->program);
  sn_form_free(&t->form);
}
