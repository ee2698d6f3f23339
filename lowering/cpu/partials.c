// partials.c: results that are reduced over rows, and the finish.
//
//   task t:    p[t] = sum of its rows          in order
//   after:     s = p[0] + p[1] + ... + p[n-1]  in order
//              finish(s), stored
//
// The tasks depend on shapes and schedule alone, so any number of threads gives
// equal bits. A task may have 100,000 rows: what they add to one number is kept in f64, as f32
// loses up to half a unit of the sum for each (1e-4 of it for equal rows).

#include "lowering/cpu/lower_cpu.h"
#include "lowering/rows/rowparts.h"

static bool keeps_columns(const SnForm *f, size_t k) { return sn_uses_cols(f, f->accumulators.data[k].map); }

static MlirType kept_type(const SnForm *f, size_t k) {
  const SnAccumulator *a = &f->accumulators.data[k];
  bool sum = !keeps_columns(f, k) && sn_is_float(a->type) && sn_bits(a->type) == 32 &&
             mlirStringRefEqual(a->kind, SN_STR("add"));
  return sum ? mlirF64TypeGet(mlirTypeGetContext(a->type)) : a->type;
}

SnPartials sn_cpu_partials(SnKernel *k, const SnForm *f, MlirValue tasks, int64_t lanes) {
  SnPartials p = {.tasks = tasks, .lanes = lanes};
  for (size_t i = 0; i < f->accumulators.size; ++i) {
    MlirValue sizes[] = {sn_size_max(&k->b, tasks, sn_index(&k->b, 1)), sn_form_columns(&k->b, f)};
    sn_push(&p.buffers, sn_cpu_scratch(k, kept_type(f, i), keeps_columns(f, i) ? 2 : 1, sizes));
  }
  return p;
}

// As tasks keep it.
static SnReduction kept(const SnForm *f, size_t k) {
  SnReduction r = sn_reduction_of_accumulator(f, k);
  r.type = kept_type(f, k);
  return r;
}

MlirValue sn_cpu_identity(SnBuilder *b, const SnForm *f, size_t k, int64_t width) {
  SnReduction r = kept(f, k);
  return sn_reduction_identity(b, &r, width);
}

// For every column of buffer[to]: the identity, or itself combined with buffer[from].
static void each_column(SnBuilder *b, const SnForm *f, size_t k, MlirValue buffer, MlirValue to, const MlirValue *from,
                        int64_t lanes) {
  MlirValue n = sn_form_columns(b, f), zero = sn_index(b, 0),
            ends[] = {zero, lanes > 1 ? sn_size_whole(b, n, lanes) : zero, n};
  for (int part = 0; part < 2; ++part) {
    int64_t width = part ? 1 : lanes, from_known, to_known;
    if (part < (lanes == 1) ||
        (sn_known(ends[part], &from_known) && sn_known(ends[part + 1], &to_known) && from_known >= to_known))
      continue;
    MlirType t = width > 1 ? sn_vector(f->accumulators.data[k].type, width) : f->accumulators.data[k].type;
    SnLoop j = sn_for(b, ends[part], ends[part + 1], sn_index(b, width));
    MlirValue at[] = {to, j.index}, x = sn_cpu_identity(b, f, k, width);
    if (from) {
      MlirValue other[] = {*from, j.index}, y = sn_scratch_load(b, buffer, sn_values(2, at), t, sn_no_attr());
      SnReduction r = kept(f, k);
      x = sn_reduction_combine(b, &r, y, sn_scratch_load(b, buffer, sn_values(2, other), t, sn_no_attr()));
    }
    sn_scratch_store(b, x, buffer, sn_values(2, at), sn_no_attr());
    sn_next(b, &j);
  }
}

intptr_t sn_cpu_partials_begin(const SnForm *f, SnTask *t, SnPartials *p, MlirValue *scalars) {
  intptr_t n = 0;
  for (size_t k = 0; k < p->buffers.size; ++k) {
    sn_push(&p->inside, sn_lookup(&t->map, p->buffers.data[k]));
    if (keeps_columns(f, k))
      each_column(&t->b, f, k, p->inside.data[k], t->index, NULL, p->lanes);
    else
      scalars[n++] = sn_cpu_identity(&t->b, f, k, 1);
  }
  return n;
}

void sn_cpu_partials_end(const SnForm *f, SnTask *t, SnPartials *p, const MlirValue *scalars) {
  for (size_t k = 0; k < p->buffers.size; ++k)
    if (!keeps_columns(f, k))
      sn_scratch_store(&t->b, *scalars++, p->inside.data[k], sn_values(1, &t->index), sn_no_attr());
}

void sn_cpu_body_targets(const SnForm *f, SnTask *t, const SnPartials *p, SnCpuRow *row) {
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    SnTarget target = {.combiner = sn_combiner(f->accumulators.data[k].kind)};
    if (keeps_columns(f, k)) {
      target.buffer = p->inside.data[k];
      target.first = t->index;
    }
    sn_push(&row->targets, target);
  }
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (!sn_is_reduced(f, k))
      sn_push(&row->targets, (SnTarget){.access = f->outputs.data[k]});
}

// Where no task ran, nothing was set to the identity.
static void no_tasks(SnBuilder *b, const SnForm *f, const SnPartials *p, size_t k) {
  int64_t tasks;
  MlirValue zero = sn_index(b, 0);
  if (!sn_known(p->tasks, &tasks)) {
    SnIf none = sn_if(b, sn(b, "arith.cmpi", p->tasks, zero, sn_attr("predicate", sn_i64(b->ctx, 0))));
    each_column(b, f, k, p->buffers.data[k], zero, NULL, p->lanes);
    sn_end_if(b, &none);
  } else if (!tasks) {
    each_column(b, f, k, p->buffers.data[k], zero, NULL, p->lanes);
  }
}

void sn_cpu_finish(SnKernel *kernel, SnForm *f, SnPartials *p) {
  SnBuilder *b = &kernel->b;
  if (!sn_num_reduced(f))
    return;
  sn_row_default_finish(f, b->loc);
  SnRowProgram program = sn_finish_program(f, sn_values(0, NULL));
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1), tasks = p->tasks;
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    MlirValue buffer = p->buffers.data[k];
    if (keeps_columns(f, k)) {
      no_tasks(b, f, p, k);
      SnLoop c = sn_for(b, one, tasks, one);
      each_column(b, f, k, buffer, zero, &c.index, p->lanes);
      sn_next(b, &c);
      sn_row_set_scratch(&program, (intptr_t)k, buffer, zero, (MlirValue){0});
    } else {
      SnReduction r = kept(f, k);
      MlirType type = f->accumulators.data[k].type;
      MlirValue all = sn_reduction_in_memory(b, &r, buffer, zero, tasks, NULL);
      if (!mlirTypeEqual(r.type, type))
        all = sn(b, "arith.truncf", all, type);
      sn_row_know(&program, mlirBlockGetArgument(f->finish, (intptr_t)k), all);
    }
  }
  SnCpuRow row = sn_cpu_scheduled_loops(f, &program);
  row.lanes = p->lanes;
  row.unroll = 1;
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (sn_is_reduced(f, k))
      sn_push(&row.targets, (SnTarget){.access = f->outputs.data[k]});
  sn_cpu_row(b, &row, NULL);
  sn_vec_free(&row.targets);
  sn_row_program_free(&program);
}
