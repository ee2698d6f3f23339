// rowpieces.c: few long rows, shared by threads.
//
//   #sinter.rows<columns = 131072, lanes = 16, unroll = 4>
//
//   for each phase of the row program that has a loop:
//     task t:  row t / pieces, columns (t % pieces) * 131072 and on
//              its stores; p[t] = its reductions over these columns
//     s[row] = p[row * pieces] + p[row * pieces + 1] + ...        in order
//   for each row: what is one for each row, stored or accumulated
//   finish
//
// The count of tasks depends on shapes and schedule alone, so any number of
// threads gives equal bits.

#include "dialect/schedules.h"
#include "lowering/cpu/lower_cpu.h"
#include "lowering/rows/rowparts.h"

// One reduction: a partial result for each task, and the result for each row.
typedef struct {
  MlirOperation reduce;
  MlirValue parts, whole;
} Reduced;

typedef struct {
  SnKernel *kernel;
  MlirValue rows, pieces, tasks;
  SN_VEC(Reduced) reduced; // of the phases so far
  SnCpuRepeats repeats;
} Pieces;

static MlirValue columns_of_piece(SnBuilder *b, const SnForm *f) {
  return sn_index(b, sn_schedule_number(f->schedule, "columns"));
}

static MlirLogicalResult check(const SnForm *f) {
  const char *why = NULL;
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map))
      why = "an accumulator keeps columns";
  SnRowProgram p = sn_row_program(f, sn_values(0, NULL));
  for (size_t i = 0; i < p.phases.size; ++i)
    for (size_t k = 0; k < p.phases.data[i].reduces.size; ++k)
      if (!sn_get_attr(p.phases.data[i].reduces.data[k], "kind").ptr)
        why = "a reduction has a combiner of its own";
  sn_row_program_free(&p);
  if (sn_schedule_word_is(f->schedule, "residency", "buffer"))
    why = "residency = \"buffer\" keeps whole rows";
  if (sn_schedule_word_is(f->schedule, "maximum", "online"))
    why = "maximum = \"online\" is for whole rows";
  if (sn_schedule_number(f->schedule, "columns") % sn_schedule_number(f->schedule, "lanes"))
    why = "vectors begin at multiples of their lanes";
  if (sn_schedule_number(f->schedule, "line"))
    why = "line is for whole rows";
  if (why)
    return sn_error(f->op, "columns = %lld, but %s: leave columns out",
                    (long long)sn_schedule_number(f->schedule, "columns"), why);
  return SN_OK;
}

// The results of earlier phases for a row.
static void begin_row(SnBuilder *b, const Pieces *s, const SnTask *t, SnRowProgram *p, size_t phase, MlirValue row) {
  sn_row_begin(p);
  if (p->form->num_rows)
    sn_form_point(b, p->form, 0, p->form->num_rows, row, p->dims);
  for (size_t i = 0; i < s->reduced.size; ++i) {
    MlirValue whole = t ? sn_lookup(&t->map, s->reduced.data[i].whole) : s->reduced.data[i].whole,
              result = sn_result(s->reduced.data[i].reduce, 0);
    if (sn_row_level(p, result) <= (int)phase)
      sn_row_know(p, result, sn_scratch_load(b, whole, sn_values(1, &row), sn_type_of(result), sn_no_attr()));
  }
}

// The parts of each row of the reductions from `first` on.
static void combine_parts(SnBuilder *b, const Pieces *s, size_t first) {
  if (first == s->reduced.size)
    return;
  SnLoop r = sn_for(b, sn_index(b, 0), s->rows, sn_index(b, 1));
  MlirValue lo = sn(b, "arith.muli", r.index, s->pieces), hi = sn(b, "arith.addi", lo, s->pieces);
  for (size_t i = first; i < s->reduced.size; ++i) {
    const Reduced *d = &s->reduced.data[i];
    SnReduction reduction = sn_reduction_of(NULL, d->reduce); // by a combiner that has a name
    sn_scratch_store(b, sn_reduction_in_memory(b, &reduction, d->parts, lo, hi, NULL), d->whole,
                     sn_values(1, &r.index), sn_no_attr());
  }
  sn_next(b, &r);
}

static void store_parts(SnBuilder *b, const Pieces *s, const SnTask *t, const SnRowProgram *p, size_t first) {
  for (size_t i = first; i < s->reduced.size; ++i)
    sn_scratch_store(b, sn_row_scalar(p, sn_result(s->reduced.data[i].reduce, 0)),
                     sn_lookup(&t->map, s->reduced.data[i].parts), sn_values(1, &t->index), sn_no_attr());
}

// What the body yields: rows are stored in tasks, scalars by the loop over rows at the end.
static void targets(const SnForm *f, SnCpuRow *row) {
  for (size_t k = 0; k < f->accumulators.size; ++k)
    sn_push(&row->targets, (SnTarget){.combiner = sn_combiner(f->accumulators.data[k].kind)});
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (!sn_is_reduced(f, k))
      sn_push(&row->targets, (SnTarget){.access = f->outputs.data[k]});
}

static void emit_phase(SnBuilder *b, SnCpuRow *row, const void *user, intptr_t n, MlirValue *results) {
  SnRowProgram *p = row->program;
  const SnPhase *phase = &p->phases.data[p->phase];
  sn_cpu_columns(b, row, phase);
  for (intptr_t i = 0; i < n; ++i)
    results[i] = sn_row_scalar(p, sn_result(phase->reduces.data[i], 0));
}

// The last phase that is walked over; those before have their results from other tasks.
typedef struct {
  SnCpuRow *row;
  size_t phase;
} Last;

static void run_last(SnBuilder *b, size_t i, void *user) {
  const Last *last = user;
  SnRowProgram *p = last->row->program;
  const SnPhase *now = &p->phases.data[i];
  MlirValue results[SN_MAX_REDUCTIONS];
  if (i != last->phase)
    return;
  for (size_t k = 0; k < now->reduces.size; ++k)
    results[k] = sn_row_identity(b, p, now->reduces.data[k], 1);
  sn_cpu_streaming(b, last->row, emit_phase, NULL, (intptr_t)now->reduces.size, results);
  for (size_t k = 0; k < now->reduces.size; ++k)
    sn_row_know(p, sn_result(now->reduces.data[k], 0), results[k]);
}

// One phase over all pieces of all rows.
static void parallel_phase(Pieces *s, size_t phase) {
  SnKernel *k = s->kernel;
  SnRowProgram host = sn_row_program(&k->form, sn_values(0, NULL));
  size_t first = s->reduced.size;
  for (size_t i = 0; i < host.phases.data[phase].reduces.size; ++i) {
    MlirOperation reduce = host.phases.data[phase].reduces.data[i];
    MlirType type = sn_type_of(sn_result(reduce, 0));
    MlirValue one = sn_index(&k->b, 1), parts = sn_size_max(&k->b, s->tasks, one),
              rows = sn_size_max(&k->b, s->rows, one);
    Reduced d = {
        .reduce = reduce, .parts = sn_cpu_scratch(k, type, 1, &parts), .whole = sn_cpu_scratch(k, type, 1, &rows)};
    sn_push(&s->reduced, d);
  }
  sn_row_program_free(&host);

  SnTask t = sn_cpu_task_begin(k);
  SnBuilder *b = &t.b;
  SnForm f = sn_cpu_form_in_task(&k->form, &t);
  SnRowProgram p = sn_row_program(&f, sn_values(0, NULL));
  sn_cpu_repeats_in_task(&t, &p, &s->repeats);
  SnCpuRow row = sn_cpu_scheduled(&f, &p);
  targets(&f, &row);
  MlirValue length = columns_of_piece(b, &f), all = sn_form_columns(b, &f), pieces = sn_size_ceil(b, all, length);
  row.from = sn(b, "arith.muli", sn(b, "arith.remui", t.index, pieces), length);
  row.count = sn(b, "arith.subi", sn_cpu_end(b, row.from, length, all), row.from);
  begin_row(b, s, &t, &p, phase, sn(b, "arith.divui", t.index, pieces));
  Last last = {&row, phase};
  sn_row_walk(b, &p, phase + 1, &(SnRowWalk){.columns = run_last, .user = &last});
  store_parts(b, s, &t, &p, first);
  sn_cpu_task_end(k, &t, s->tasks);
  sn_vec_free(&row.targets);
  sn_row_program_free(&p);
  sn_form_free(&f);
  combine_parts(&k->b, s, first);
}

MlirLogicalResult sn_cpu_lower_pieces(SnKernel *k) {
  if (sn_failed(check(&k->form)))
    return SN_FAIL;
  SnBuilder *b = &k->b;
  const SnForm *f = &k->form;
  Pieces s = {.kernel = k, .rows = sn_form_sizes(b, f, 0, f->num_rows), .repeats = sn_cpu_repeats(k)};
  s.pieces = sn_size_ceil(b, sn_form_columns(b, f), columns_of_piece(b, f));
  s.tasks = sn_size_mul(b, s.rows, s.pieces);
  SnRowProgram p = sn_row_program(f, sn_values(0, NULL));
  for (size_t i = 0; i < p.phases.size; ++i)
    if (p.phases.data[i].reduces.size || p.phases.data[i].yields.size)
      parallel_phase(&s, i);

  SnPartials partials = sn_cpu_partials(k, &k->form, s.rows, 1);
  SnCpuRow row = sn_cpu_scheduled(f, &p);
  targets(f, &row);
  MlirValue scalars[SN_MAX_ACCUMULATORS];
  SnLoop r = sn_for(b, sn_index(b, 0), s.rows, sn_index(b, 1));
  begin_row(b, &s, NULL, &p, p.phases.size - 1, r.index);
  sn_row_walk(b, &p, p.phases.size, &(SnRowWalk){0});
  for (size_t i = 0; i < f->accumulators.size; ++i)
    scalars[i] = sn_cpu_identity(b, f, i, 1);
  sn_cpu_row_ends(b, &row, scalars);
  for (size_t i = 0; i < f->accumulators.size; ++i)
    sn_scratch_store(b, scalars[i], partials.buffers.data[i], sn_values(1, &r.index), sn_no_attr());
  sn_next(b, &r);
  sn_cpu_finish(k, &k->form, &partials);
  sn_vec_free(&row.targets);
  sn_vec_free(&partials.buffers);
  sn_vec_free(&s.reduced);
  sn_vec_free(&s.repeats);
  sn_row_program_free(&p);
  return SN_OK;
}
