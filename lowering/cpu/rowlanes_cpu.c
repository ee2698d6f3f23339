// rowlanes_cpu.c: a row program over memory on a CPU, lanes along rows.
//
//   #sinter.rows<along = "rows", chunk = 4096, lanes = 16>
//
//   task t:                                    rows (i, j), j the last row dimension, of size L
//     for u in its units:                      a unit: one i and a piece of j
//       for j in the piece by 16:              the last vector ends where the piece ends, and overlaps the one before
//         each column in turn: 16 rows at once
//
// `places = 4`: i is four neighbours of the row dimension in front of j, for each vector one behind the other. What
// they read together, a window's weights and most of its elements, is loaded once. The last four overlap those in front
// of them where they do not divide it.
//
// Accumulators of results that are reduced over rows are vectors, combined by
// halves when the task ends; rows that a vector sees again count as identities.

#include "dialect/schedules.h"
#include "dialect/row_ops.h"
#include "lowering/cpu/lower_cpu.h"
#include "lowering/rows/index.h"
#include "lowering/rows/rowmemory.h"
#include "lowering/rows/rowparts.h"

#define WRITTEN_OUT 128 // columns of all vectors of a row together
#define FEW_VECTORS 2   // that read what is the same for all rows once, where it is
#define KEPT 16         // columns or more: fewer stay in registers from vector to vector

// How the rows are dealt: every outer row is cut into `pieces` of `piece` rows or more, `units` pieces are a task.
typedef struct {
  int64_t length, piece, pieces, places, groups; // groups of places in a line of them
  MlirValue units, of_task, tasks;
} Deal;

static int64_t outer_dims(const SnForm *f, const Deal *d) { return f->num_rows - (d->places > 1 ? 2 : 1); }

static Deal deal(SnBuilder *b, const SnForm *f) {
  int64_t chunk = sn_schedule_number(f->schedule, "chunk"), lanes = sn_schedule_number(f->schedule, "lanes");
  int64_t places = sn_schedule_number(f->schedule, "places");
  Deal d = {.length = f->dims.data[f->num_rows - 1].size, .pieces = 1, .places = places > 1 ? places : 1, .groups = 1};
  d.piece = sn_pieces(chunk, lanes) * lanes;
  if (d.piece < d.length)
    d.pieces = d.length / d.piece; // the last piece takes what is left
  int64_t together = d.pieces > 1 ? 1 : chunk / d.length / d.places;
  d.of_task = sn_index(b, together < 1 ? 1 : together);
  if (d.places > 1)
    d.groups = sn_pieces(f->dims.data[f->num_rows - 2].size, d.places);
  MlirValue outer = sn_form_sizes(b, f, 0, outer_dims(f, &d));
  d.units = sn_size_mul(b, outer, sn_index(b, sn_times(d.groups, d.pieces)));
  d.tasks = sn_cpu_share(b, f, d.units, &d.of_task);
  return d;
}

static MlirLogicalResult check(const SnForm *f) {
  int64_t lanes = sn_schedule_number(f->schedule, "lanes");
  if (!f->num_rows || f->dims.data[f->num_rows - 1].size == SN_DYNAMIC)
    return sn_error(f->op,
                    "lanes along rows need a last row dimension of known size: schedule with along = \"columns\"");
  const SnDim *last = &f->dims.data[f->num_rows - 1];
  if (lanes < 2 || last->size < lanes)
    return sn_error(f->op, "%lld lanes along row dimension '%.*s' of size %lld: from 2 lanes to its size",
                    (long long)lanes, (int)last->name.length, last->name.data, (long long)last->size);
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map))
      return sn_error(
          f->op, "accumulator %zu keeps columns, which lanes along rows do not: schedule with along = \"columns\"", k);
  int64_t strip = sn_schedule_number(f->schedule, "strip");
  SnRowProgram p = sn_row_program(f, sn_values(0, NULL));
  bool fits = !strip || sn_cpu_has_strips(&p);
  sn_row_program_free(&p);
  if (!fits || strip % lanes)
    return sn_error(
        f->op, "strip = %lld: a multiple of lanes = %lld, of rows that are reduced by named combiners before all else",
        (long long)strip, (long long)lanes);
  int64_t places = sn_schedule_number(f->schedule, "places"),
          line = f->num_rows > 1 ? f->dims.data[f->num_rows - 2].size : 0;
  if (places > 1 && (line == SN_DYNAMIC || line < places || strip || (f->accumulators.size && line % places)))
    return sn_error(f->op,
                    "places = %lld: the row dimension in front of the last has as many, of a known size, there is no "
                    "strip, and where rows are reduced they divide it",
                    (long long)places);
  if (f->indices.size)
    return sn_error(f->op, "has %zu index tensors, but lanes along rows take none: schedule with along = \"columns\"",
                    f->indices.size);
  int64_t of = sn_schedule_number(f->schedule, "line"), size = 1;
  for (int64_t d = f->num_rows + f->num_cols - of; of < f->num_cols && d < (int64_t)f->dims.size; ++d)
    size = f->dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(size, f->dims.data[d].size);
  if (of && (of >= f->num_cols || size < 1 || size > SN_MAX_LANES))
    return sn_error(f->op,
                    "line = %lld along rows: some of a row's column dimensions, not all, with 1 to %d columns together",
                    (long long)of, SN_MAX_LANES);
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    const SnRowOp *line = sn_row_op_of(op);
    if (line && line->lanes_are_columns && !sn_row_gathers_rows(f, op))
      return sn_error(op, "is not for lanes along rows: schedule with along = \"columns\"");
  }
  return SN_OK;
}

// Rows `at` .. `at` + lanes, of which those from `from` on are new.
static void rows_of_place(SnBuilder *b, SnCpuRow *row, const SnForm *f, MlirValue at, MlirValue from, bool overlaps,
                          MlirValue *scalars) {
  SnRowProgram *p = row->program;
  p->dims[f->num_rows - 1] = at;
  row->mask = (MlirValue){0};
  if (overlaps && f->accumulators.size) {
    MlirType t = sn_vector(sn_index_type(b->ctx), row->lanes);
    MlirValue seen = sn(b, "vector.broadcast", sn(b, "arith.subi", from, at), t);
    row->mask = sn(b, "arith.cmpi", sn(b, "vector.step", t), seen, sn_attr("predicate", sn_i64(b->ctx, 9))); // uge
  }
  sn_row_begin(p);
  sn_cpu_row(b, row, scalars);
}

// Rows of a piece, and what they carry from vector to vector.
typedef struct {
  SnBuilder *b;
  SnCpuRow *row;
  const SnForm *f;
  const Deal *d;
  SnStrips strips;
  intptr_t n;
  MlirValue *carried;
  MlirValue place; // the first of them
} Walk;

static bool stores(MlirOperation op) {
  return sn_is(op, "vector.store") || sn_is(op, "vector.maskedstore") || sn_is(op, "memref.store");
}

// What all places load comes in front of what they store: nobody would know that it is the same else.
static void store_last(const SnBuilder *b, MlirOperation first) {
  SN_VEC(MlirOperation) found = {0};
  for (MlirOperation op = first; !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (stores(op))
      sn_push(&found, op);
  MlirOperation last = first;
  while (!sn_null(mlirOperationGetNextInBlock(last)))
    last = mlirOperationGetNextInBlock(last);
  for (size_t k = 0; k < found.size; ++k)
    if (!mlirOperationEqual(found.data[k], last)) {
      mlirOperationMoveAfter(found.data[k], last);
      last = found.data[k];
    }
  sn_vec_free(&found);
}

static void rows(const Walk *w, MlirValue at, MlirValue from, bool overlaps, MlirValue *scalars) {
  MlirValue mark = sn_index(w->b, 0);
  for (int64_t p = 0; p < w->d->places; ++p) {
    if (w->d->places > 1)
      w->row->program->dims[w->f->num_rows - 2] = plus_n(w->b, w->place, p);
    rows_of_place(w->b, w->row, w->f, at, from, overlaps, scalars);
  }
  if (w->d->places > 1)
    store_last(w->b, mlirOpResultGetOwner(mark));
}

// Vectors of a row that stand one behind the other, where columns do. If some are outside, bounds are numbers then,
// and masks constants. 0: there is a loop over them.
static int64_t vectors_written_out(const Walk *w) {
  int64_t length = sn_row_length(w->f), n = sn_pieces(w->d->length, w->row->lanes);
  bool bounded = false;
  for (size_t k = 0; k < w->f->inputs.size; ++k)
    bounded |= w->f->inputs.data[k].fill.ptr && sn_uses_cols(w->f, w->f->inputs.data[k].map);
  bool shares = n <= FEW_VECTORS && length > KEPT, whole = w->d->pieces == 1 && !w->strips.size;
  bool short_enough = length > 0 && length <= w->row->written_out && sn_times(n, length) <= WRITTEN_OUT;
  return (bounded || shares) && whole && short_enough ? n : 0;
}

static void write_out(const Walk *w, int64_t vectors) {
  int64_t lanes = w->row->lanes, last = w->d->length - lanes;
  for (int64_t new = 0; new < vectors * lanes; new += lanes)
    rows(w, sn_index(w->b, new < last ? new : last), sn_index(w->b, new), new > last, w->carried);
}

static void walk(const Walk *w, MlirValue from, MlirValue to) {
  SnBuilder *b = w->b;
  SnCpuRow *row = w->row;
  intptr_t n = w->n;
  MlirValue step = sn_index(b, row->lanes), last = sn(b, "arith.subi", to, step), lo = from, hi = to, reduced[4];
  bool overlaps = w->d->length % row->lanes != 0; // pieces are whole vectors, but for the last one
  SnStrips strips = w->strips;
  SnLoop s;
  if (strips.size) {
    MlirValue size = sn_index(b, strips.size);
    s = sn_for_values(b, from, to, size, sn_values(n, w->carried));
    lo = s.index;
    hi = sn(b, "arith.minsi", sn(b, "arith.addi", s.index, size), to);
    sn_cpu_strip_reduce(b, row, &strips, lo, hi, last);
  }
  SnLoop j = sn_for_values(b, lo, hi, step, sn_values(n, strips.size ? s.carried : w->carried));
  MlirValue at = overlaps ? sn(b, "arith.minsi", j.index, last) : j.index;
  if (strips.size) {
    sn_cpu_strip_load(b, row, &strips, sn(b, "arith.subi", j.index, lo), reduced);
    row->reduced = reduced;
  }
  rows(w, at, j.index, overlaps, j.carried);
  sn_next_values(b, &j, sn_values(n, j.carried));
  for (intptr_t i = 0; i < n; ++i)
    w->carried[i] = sn_result(j.op, i);
  if (!strips.size)
    return;
  sn_next_values(b, &s, sn_values(n, w->carried));
  for (intptr_t i = 0; i < n; ++i)
    w->carried[i] = sn_result(s.op, i);
}

MlirLogicalResult sn_cpu_lower_rowlanes(SnKernel *k) {
  if (sn_failed(check(&k->form)))
    return SN_FAIL;
  int64_t lanes = sn_schedule_number(k->form.schedule, "lanes");
  SnRowsTask t;
  sn_cpu_rows_begin(k, deal(&k->b, &k->form).tasks, &t);
  SnBuilder *b = &t.task.b;
  const SnForm *f = &t.form;
  t.program.row.rows = lanes;
  t.program.steps_together = sn_schedule_word_is(f->schedule, "steps", "together");
  t.row = sn_cpu_scheduled_loops(f, &t.program);
  t.row.written_out = sn_schedule_number(f->schedule, "written_out");
  t.row.line = sn_schedule_number(f->schedule, "line");
  t.row.runs_guarded = sn_schedule_word_is(f->schedule, "guards", "run");
  sn_cpu_body_targets(f, &t.task, &t.partials, &t.row);

  SnStrips strips = sn_cpu_strips(b, &t.row);
  MlirValue vectors[SN_MAX_ACCUMULATORS];
  intptr_t n = t.n;
  Deal d = deal(b, f);
  for (intptr_t i = 0; i < n; ++i)
    vectors[i] = sn(b, "vector.broadcast", t.scalars[i], sn_vector(sn_type_of(t.scalars[i]), lanes));
  MlirValue lo = sn(b, "arith.muli", t.task.index, d.of_task);
  SnLoop u = sn_for_values(b, lo, sn_cpu_end(b, lo, d.of_task, d.units), sn_index(b, 1), sn_values(n, vectors));
  {
    MlirValue pieces = sn_index(b, d.pieces), length = sn_index(b, d.length), from = sn_index(b, 0), to = length,
              outer = u.index;
    if (d.pieces > 1) {
      MlirValue piece = sn(b, "arith.remui", u.index, pieces);
      outer = sn(b, "arith.divui", u.index, pieces);
      from = sn(b, "arith.muli", piece, sn_index(b, d.piece));
      MlirValue last = sn(b, "arith.cmpi", piece, sn_index(b, d.pieces - 1), sn_attr("predicate", sn_i64(b->ctx, 0)));
      to = sn(b, "arith.select", last, length, sn(b, "arith.addi", from, sn_index(b, d.piece)));
    }
    Walk w = {b, &t.row, f, &d, strips, n, u.carried};
    if (d.places > 1) {
      MlirValue group = sn(b, "arith.remui", outer, sn_index(b, d.groups));
      int64_t line = f->dims.data[f->num_rows - 2].size;
      w.place = sn(b, "arith.muli", group, sn_index(b, d.places));
      if (line % d.places)
        w.place = sn(b, "arith.minsi", w.place, sn_index(b, line - d.places));
      outer = sn(b, "arith.divui", outer, sn_index(b, d.groups));
    }
    if (outer_dims(f, &d) > 0)
      sn_form_point(b, f, 0, outer_dims(f, &d), outer, t.program.dims);
    int64_t written_out = vectors_written_out(&w);
    if (written_out)
      write_out(&w, written_out);
    else
      walk(&w, from, to);
  }
  sn_next_values(b, &u, sn_values(n, u.carried));
  for (size_t i = 0; i < f->accumulators.size; ++i) {
    SnReduction r = sn_reduction_of_accumulator(f, i);
    t.scalars[i] = sn_reduction_lanes(b, &r, sn_result(u.op, (intptr_t)i));
  }
  sn_cpu_rows_end(k, &t);
  return SN_OK;
}
