// chain.c: row programs over products, on a CPU.
//
//   #sinter.brgemm<kernel = "libxsmm", m = 32, n = 64, k = 256, tasks = 64, lanes = 16, unroll = 4>
//
//   task t: for its blocks of m rows (all of one batch index; several row dimensions that B does not use count as
//   one), or of `columns` columns of such a block where there are few:
//     for each segment:
//       for n0 by n, or by `sums`:
//         c[m][n] = A . B              for each product of the segment: contract.c
//         for each row of the block: the row program over these columns of c
//
// Where the row program reduces or picks, c holds whole rows and it runs after all
// of them. Blocks are dealt to tasks in order: results do not depend on threads.
//
// A form of one group of columns is one segment, and most are. One that multiplies its rows again has a segment for
// each of its pieces (passes/split): what crosses from one to the next is a memref that has the block's rows alone
// (chain_windows.c). A segment without products reads its rows from memory. Rows that are nothing but summed up and
// multiplied again need not be whole ones (chain_stream.c).
//
// new schedule key: of a CPU's products: where it is read.

#include "lowering/cpu/chain.h"
#include "dialect/schedules.h"
#include "lowering/facts/packed_weights.h"
#include "lowering/rows/index.h"
#include <math.h>

#define SLOTS 64 // numbers that the runtime deals to tasks
#define APART 16 // elements between rows of sums that are as long as some lines of a cache that share a place

// ---- one block ----------------------------------------------------------------------------------

void sn_cpu_segment_row(Contract *c, const Segment *s, SnCpuRow *row, MlirValue r, MlirValue offset) {
  SnBuilder *b = &c->t.b;
  int64_t batch_dims = c->f.num_rows - c->together;
  memcpy(row->program->dims, c->dims, (size_t)batch_dims * sizeof *c->dims);
  sn_form_point(b, &c->f, batch_dims, c->together, plus(b, c->i0, r), row->program->dims + batch_dims);
  for (size_t p = 0; p < c->f.products.size; ++p)
    sn_row_set_scratch(row->program, (intptr_t)p, s->products[p].c, sn_cpu_sums_row(c, &s->products[p], r), offset);
}

// The row program over each row of the block; of the columns from `offset` on that c holds.
static void emit_rows(Contract *c, const Segment *s, SnCpuRow *row, MlirValue offset, MlirValue *scalars, intptr_t n) {
  SnBuilder *b = &c->t.b;
  SnLoop r = sn_for_values(b, sn_index(b, 0), c->mm, sn_index(b, 1), sn_values(n, scalars));
  sn_cpu_segment_row(c, s, row, r.index, offset);
  sn_cpu_row(b, row, r.carried);
  sn_next_values(b, &r, sn_values(n, r.carried));
  for (intptr_t i = 0; i < n; ++i)
    scalars[i] = sn_result(r.op, i);
}

// Columns whose sums are kept while k goes on.
static int64_t sums_of(const Contract *c, const Segment *s) { return c->sums > s->n ? c->sums : s->n; }

// Columns `from` .. `to` of the block's rows.
static void emit_segment(Contract *c, Segment *s, MlirValue from, MlirValue to, MlirValue *scalars) {
  SnBuilder *b = &c->t.b;
  SnRowProgram program = sn_row_program(&s->f, sn_values(0, NULL));
  SnCpuRow row = sn_cpu_scheduled_loops(&s->f, &program);
  sn_cpu_body_targets(&s->f, &c->t, &s->partials, &row);
  c->f = s->f;
  size_t made = 0;
  for (size_t p = 0; p < s->f.products.size; ++p)
    if (s->products[p].streamed)
      ++made;
    else if (!s->products[p].lda && !c->shares_rows)
      sn_cpu_pack_a(c, &s->products[p]);
    else if (s->products[p].lda == SN_BY_TABLES)
      sn_cpu_window_rows(c, &s->products[p]);
  if (s->f.products.size > made) {
    int64_t sums = sums_of(c, s);
    MlirValue width = sn_index(b, sums);
    SnLoop n0 = sn_for(b, from, to, width);
    MlirValue nn = sn_cpu_smaller(b, width, sums, n0.index, to);
    for (size_t p = 0; p < s->f.products.size; ++p)
      if (!s->products[p].streamed)
        sn_cpu_product(c, &s->products[p], n0.index, nn, s->whole_rows ? n0.index : sn_index(b, 0));
    if (!s->whole_rows) {
      row.from = n0.index;
      row.count = nn;
      emit_rows(c, s, &row, n0.index, NULL, 0);
    }
    sn_next(b, &n0);
  }
  if (s->whole_rows)
    emit_rows(c, s, &row, (MlirValue){0}, scalars, s->accumulators);
  sn_vec_free(&row.targets);
  sn_row_program_free(&program);
}

void sn_cpu_block_rows(Contract *c, const SnForm *f, MlirValue block) {
  SnBuilder *b = &c->t.b;
  MlirValue m = sn_index(b, c->m);
  c->row_block = block;
  c->i0 = sn(b, "arith.muli", sn(b, "arith.remui", block, c->row_blocks), m);
  c->mm = sn_cpu_smaller(b, m, c->m, c->i0, c->rows);
  c->batch = sn(b, "arith.divui", block, c->row_blocks);
  sn_form_point(b, f, 0, f->num_rows - c->together, c->batch, c->dims);
}

static void emit_block(Chain *chain, const SnForm *f, MlirValue block, MlirValue *scalars) {
  Contract *c = &chain->c;
  SnBuilder *b = &c->t.b;
  MlirValue from = sn_index(b, 0), to = {0};
  if (c->columns) {
    MlirValue columns = sn_index(b, c->columns);
    from = sn(b, "arith.muli", sn(b, "arith.remui", block, c->pieces), columns);
    to = sn_cpu_end(b, from, columns, sn_form_columns(b, f));
    block = sn(b, "arith.divui", block, c->pieces);
  }
  sn_cpu_block_rows(c, f, block);
  if (chain->windows.all.size)
    sn_cpu_windows_at_block(&chain->windows, f, &c->t, plus(b, sn_size_mul(b, c->batch, c->rows), c->i0),
                            sn_cpu_scratch_row(c, c->m, sn_index(b, 0)));
  for (size_t i = 0; i < chain->segments.size; ++i) {
    Segment *s = &chain->segments.data[i];
    sn_cpu_windows_set(&chain->windows, &s->f);
    if (!i && chain->stream)
      sn_cpu_stream(chain, scalars);
    else
      emit_segment(c, s, from, c->columns ? to : sn_form_columns(b, &s->f), scalars);
    scalars += s->accumulators;
  }
}

// ---- the kernel ----------------------------------------------------------------------------------

// 1 where a row leaves something, else 0: a sum over rows, or a result one of whose columns is there. A row whose first
// group of columns is empty may still have a result of another.
static MlirValue leaves_something(SnBuilder *b, const SnForm *f) {
  MlirValue one = sn_index(b, 1), most = sn_index(b, f->accumulators.size != 0);
  for (size_t k = 0; k < f->outputs.size; ++k) {
    MlirValue columns = one;
    for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
      if (sn_map_uses(f->outputs.data[k].map, d))
        columns = sn_size_mul(b, columns, sn_form_size(b, f, d));
    most = sn_size_max(b, most, columns);
  }
  int64_t known;
  return sn_known(most, &known) ? sn_index(b, known > 0) : sn(b, "arith.minsi", most, one);
}

void sn_cpu_count_blocks(Contract *c, SnBuilder *b, const SnForm *f) {
  int64_t batch_dims = f->num_rows - c->together;
  MlirValue one = sn_index(b, 1);
  c->rows = sn_form_sizes(b, f, batch_dims, c->together);
  MlirValue row_blocks = sn_size_ceil(b, c->rows, sn_index(b, c->m));
  c->blocks = sn_size_mul(b, sn_form_sizes(b, f, 0, batch_dims), row_blocks);
  c->blocks = sn_size_mul(b, c->blocks, leaves_something(b, f));
  c->all_row_blocks = c->blocks;
  c->row_blocks = sn_size_max(b, row_blocks, one); // where there is none nothing runs; nothing is divided by it
  if (c->columns) {
    c->pieces = sn_size_max(b, sn_size_ceil(b, sn_form_columns(b, f), sn_index(b, c->columns)), one);
    c->blocks = sn_size_mul(b, c->blocks, c->pieces);
  }
  c->share = sn_size_max(b, sn_size_ceil(b, c->blocks, sn_index(b, sn_schedule_number(f->schedule, "tasks"))), one);
  c->tasks = sn_size_ceil(b, c->blocks, c->share);
}

static MlirValue with_room(SnBuilder *b, MlirValue columns, int64_t more) {
  int64_t known;
  return sn_known(columns, &known) ? sn_index(b, known + more) : plus(b, columns, sn_index(b, more));
}

MlirValue sn_cpu_task_memory(Contract *c, MlirType type, int64_t rows, MlirValue columns) {
  SnBuilder *b = &c->kernel->b;
  MlirValue sizes[] = {sn_size_mul(b, c->tasks, sn_index(b, rows)), columns};
  return sn_cpu_scratch(c->kernel, type, 2, sizes);
}

// What is left out is so under references of rows, which are not asked here: all is made.
static bool is_under_rows(const SnForm *f, const SnCpuEnd *end) {
  return end->above && end->under &&
         !sn_map_uses(f->inputs.data[end->under - 1].map, (intptr_t)sn_group(f, 0).first);
}

// References above which all that is left out has exponentials of 0.
static void find_references(const SnForm *f, Chain *chain) {
  const SnCpuEnd *ends[] = {chain->ends_early ? &chain->end : NULL, chain->begins_late ? &chain->begin : NULL};
  for (int i = 0; i < 2; ++i) {
    if (!ends[i] || !ends[i]->above)
      continue;
    chain->above = chain->above ? fmax(chain->above, ends[i]->above) : ends[i]->above;
    if (ends[i]->under)
      chain->under = f->inputs.data[ends[i]->under - 1];
  }
}

// The form's segments; a plain form is one.
static bool read_segments(Chain *chain) {
  SnKernel *k = chain->c.kernel;
  if (sn_has_one_group(&k->form)) {
    sn_push(&chain->segments, ((Segment){.form = sn_form_read(k->form.op)}));
    return true;
  }
  SnCrossing crossing = {.place = sn_cpu_window_place, .user = &chain->windows};
  if (chain->stream && !sn_cpu_streams(&k->form)) {
    sn_error(k->form.op, "stream = %lld, but a row of the first group of columns is needed whole: leave stream out",
             (long long)chain->stream);
    return false;
  }
  const SnForm *f = &k->form;
  chain->ends_early = chain->stream && sn_cpu_left_out(f, SN_CPU_FROM, &chain->end);
  chain->begins_late = chain->stream && sn_cpu_left_out(f, SN_CPU_BELOW, &chain->begin);
  if (chain->ends_early && chain->begins_late && chain->end.under && chain->begin.under &&
      chain->end.under != chain->begin.under) // references of two kinds
    chain->begins_late = false;
  chain->ends_early &= !is_under_rows(f, &chain->end);
  chain->begins_late &= !is_under_rows(f, &chain->begin);
  find_references(f, chain);
  if (chain->stream)
    sn_cpu_stream_factors(k);
  bool ok = sn_split_pieces(k->form.op, &crossing);
  for (size_t i = 0; i < crossing.pieces.size; ++i) {
    MlirOperation piece = crossing.pieces.data[i];
    sn_erase_dead(mlirRegionGetFirstBlock(mlirOperationGetRegion(piece, 0)));
    sn_push(&chain->segments, ((Segment){.form = sn_form_read(piece)}));
  }
  sn_vec_free(&crossing.pieces);
  chain->ends = crossing.ends;
  return ok;
}

// Side A is a row that another segment makes a block of columns at a time.
static bool is_streamed(const Chain *chain, const SnForm *f, size_t product) {
  SnSide a = sn_side(f, 2 * product);
  SnWindow *w = chain->stream ? sn_cpu_window_of(&chain->windows, f->inputs.data[a.first].value) : NULL;
  return w && w->streamed;
}

// A kernel writes whole vectors, zeros times a row behind the last column. Where sums grow from block to block of the
// stream, these have no columns of the next block: an infinity would make them NaN.
static int64_t columns_that_grow(const Chain *chain, const SnForm *f, size_t product, int64_t n) {
  Product q;
  (void)sn_cpu_read_product(f, product, chain->c.together, sn_schedule_word(f->schedule, "kernel"), &q);
  int64_t unit = sn_micro_column_unit(q.line, q.type), length = sn_row_length(f);
  return length > 0 && length <= n ? n : sn_pieces(n, unit) * unit;
}

// Of a_pack: what is summed, a panel of it, or a tile.
static MlirValue columns_of_rows(const Contract *c, SnBuilder *b, const SnForm *f, const Product *p, int64_t unit) {
  if (sn_cpu_a_tiles(c, p))
    return sn_index(b, unit);
  return sn_cpu_a_panels(c, p) > 1 ? sn_index(b, c->k) : sn_cpu_whole(b, sn_cpu_sum_of(b, f, p), unit);
}

static MlirValue memory_of_rows(Contract *c, const Product *p, MlirValue columns) {
  SnBuilder *b = &c->kernel->b;
  if (!c->shares_rows)
    return sn_cpu_task_memory(c, sn_micro_memory(p->line, p->line->a, p->type), sn_cpu_a_rows(c, p), columns);
  MlirValue sizes[] = {sn_size_mul(b, c->all_row_blocks, sn_index(b, sn_cpu_a_rows(c, p))), columns};
  return sn_cpu_scratch(c->kernel, sn_micro_memory(p->line, p->line->a, p->type), 2, sizes);
}

int64_t sn_cpu_most_panels(const Contract *c, const Segment *s) {
  int64_t panels = 1;
  for (size_t p = 0; p < s->form.products.size; ++p)
    panels = sn_cpu_a_panels(c, &s->products[p]) > panels ? sn_cpu_a_panels(c, &s->products[p]) : panels;
  return panels;
}

// Before they are split: a tile of rows for each task, or for each that copies rows for all, and a panel of columns.
static void memory_of_whole(Contract *c, const Segment *s, Product *q) {
  SnBuilder *b = &c->kernel->b;
  MlirValue k = sn_index(b, q->line->k);
  MlirValue tasks = sn_size_mul(b, c->all_row_blocks, sn_index(b, sn_cpu_most_panels(c, s))),
            sizes[] = {sn_size_mul(b, tasks, sn_index(b, q->line->m)), k};
  q->a_whole =
      c->shares_rows ? sn_cpu_scratch(c->kernel, q->a_type, 2, sizes) : sn_cpu_task_memory(c, q->a_type, q->line->m, k);
  q->b_whole = sn_cpu_task_memory(c, q->b_type, sn_cpu_b_whole_rows(c, q), sn_index(b, q->room));
}

// Of b_pack: groups of all columns, or of a tile's.
static int64_t columns_of_panel(const Product *p) {
  return (p->line->sums == SN_SUMS_IN_TILES ? p->line->n : p->room) * p->line->group;
}

static MlirValue memory_of_weights(Contract *c, const SnForm *f, const Product *p) {
  SnBuilder *b = &c->kernel->b;
  MlirType t = sn_micro_memory(p->line, p->line->b, p->type);
  MlirValue columns = sn_index(b, columns_of_panel(p));
  if (!c->shares_weights)
    return sn_cpu_task_memory(c, t, sn_cpu_b_kept_rows(c, p), columns);
  MlirValue sizes[] = {sn_cpu_shared_rows(c, b, f, p), columns};
  return sn_cpu_scratch(c->kernel, t, 2, sizes);
}

static bool packs_weights(const Contract *c, const Product *p) {
  return p->widens && !c->widens && p->line->pack_b != SN_PACK_COLUMNS;
}

// Where each row of a task's block begins, and each run of what is summed.
static void memory_of_tables(Contract *c, const SnForm *f, Product *p) {
  SnBuilder *b = &c->kernel->b;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  MlirValue rows = sn_size_mul(b, c->tasks, sn_index(b, c->m)), runs = sn_index(b, p->sum / p->run);
  p->a_rows = sn_cpu_scratch(c->kernel, i64, 1, &rows);
  p->a_runs = sn_cpu_scratch(c->kernel, i64, 1, &runs);
  sn_cpu_window_runs(b, f, p);
}

// Of a block of columns, for all strips of its rows.
static void keep_panels(const Chain *chain, const Segment *s, Product *q) {
  int64_t k = chain->c.k, length = q->streamed ? sn_row_length(&s->form) : chain->stream;
  q->wide = s->n;
  q->across = sn_pieces(length, s->n);
  q->kept = q->across * sn_pieces(q->streamed ? chain->stream : q->sum, k);
}

// Memory of the segment's tasks.
static void begin_segment(Chain *chain, Segment *s) {
  Contract *c = &chain->c;
  SnBuilder *b = &c->kernel->b;
  const SnForm *f = &s->form;
  bool streams = chain->stream && s == chain->segments.data;
  int64_t length = sn_row_length(f);
  s->n = chain->segments.size > 1 && length > 0 && length < c->n ? length : c->n;
  s->whole_rows = !streams && (!f->products.size || !sn_cpu_by_columns(f));
  for (size_t p = 0; p < f->products.size; ++p) // c holds what goes on while other rows are made
    if (is_streamed(chain, f, p)) {
      s->whole_rows = true;
      s->n = columns_that_grow(chain, f, p, s->n);
    }
  MlirValue unit = sn_index(b, sums_of(c, s)), width = streams         ? sn_index(b, chain->stream)
                                                       : s->whole_rows ? sn_cpu_whole(b, sn_form_columns(b, f), s->n)
                                                                       : unit;
  MlirValue none = {0};
  s->partials = sn_cpu_partials(c->kernel, f, c->tasks, c->lanes);
  s->products = sn_alloc((f->products.size + 1) * sizeof *s->products);
  for (size_t p = 0; p < f->products.size; ++p) {
    Product *q = &s->products[p];
    (void)sn_cpu_read_product(f, p, c->together, sn_schedule_word(f->schedule, "kernel"), q);
    int64_t columns = sn_micro_column_unit(q->line, q->type), room = sn_pieces(s->n, columns) * columns;
    int64_t group = q->line->group, unit_k = sn_micro_k_unit(q->line);
    q->streamed = is_streamed(chain, f, p);
    q->rows = streams ? c->strip : c->m;
    q->room = room;
    if (c->strip < c->m && (streams || q->streamed))
      keep_panels(chain, s, q);
    q->panel = sums_of(c, s) > s->n ? s->n : 0;
    q->lda = q->streamed || c->packs_rows || (q->widens_a && !c->widens) ? 0 : q->lda;
    if (c->reads_windows)
      q->lda = SN_BY_TABLES;
    q->packed = sn_cpu_is_packed(f, q, c->kernel->form.schedule);
    q->ldb = packs_weights(c, q) || q->packed ? 0 : q->ldb;
    q->c = sn_cpu_task_memory(c, q->type, q->rows, with_room(b, width, room - s->n + (q->panel ? APART : 0)));
    q->a_pack = q->lda || q->streamed ? none : memory_of_rows(c, q, columns_of_rows(c, b, f, q, unit_k));
    if (c->reads_windows)
      memory_of_tables(c, f, q);
    q->b_pack = q->ldb || q->packed ? none : memory_of_weights(c, f, q);
    q->b_rows =
        group == 1 || q->packed || q->line->parts ? none : sn_cpu_task_memory(c, q->b_type, group, sn_index(b, room));
  }
  for (size_t p = 0; p < f->products.size; ++p)
    if (s->products[p].line->parts)
      memory_of_whole(c, s, &s->products[p]);
}

void sn_cpu_segment_in_task(Chain *chain, Segment *s) {
  Contract *c = &chain->c;
  s->f = sn_cpu_form_in_task(&s->form, &c->t);
  for (size_t p = 0; p < s->f.products.size; ++p) {
    Product old = s->products[p], *q = &s->products[p];
    (void)sn_cpu_read_product(&s->f, p, c->together, sn_schedule_word(s->f.schedule, "kernel"), q);
    q->streamed = old.streamed;
    q->rows = old.rows;
    q->across = old.across;
    q->wide = old.wide;
    q->kept = old.kept;
    q->packed = old.packed;
    q->panel = old.panel;
    q->room = old.room;
    q->lda = old.lda;
    q->ldb = old.ldb;
    q->c = sn_lookup(&c->t.map, old.c);
    q->a_pack = q->lda ? old.a_pack : sn_lookup(&c->t.map, old.a_pack);
    q->b_pack = sn_none(old.b_pack) ? old.b_pack : sn_lookup(&c->t.map, old.b_pack);
    q->b_rows = sn_none(old.b_rows) ? old.b_rows : sn_lookup(&c->t.map, old.b_rows);
    q->a_whole = sn_none(old.a_whole) ? old.a_whole : sn_lookup(&c->t.map, old.a_whole);
    q->a_rows = sn_none(old.a_rows) ? old.a_rows : sn_lookup(&c->t.map, old.a_rows);
    q->a_runs = sn_none(old.a_runs) ? old.a_runs : sn_lookup(&c->t.map, old.a_runs);
    q->b_whole = sn_none(old.b_whole) ? old.b_whole : sn_lookup(&c->t.map, old.b_whole);
  }
}

// What several segments reduce, finished together.
static void emit_end(Chain *chain, MlirOperation end) {
  SnKernel *k = chain->c.kernel;
  SnForm f = sn_form_read(end);
  SnRowProgram program = sn_row_program(&f, sn_values(0, NULL));
  SnCpuRow row = sn_cpu_scheduled_loops(&f, &program);
  for (size_t i = 0; i < f.outputs.size; ++i)
    sn_push(&row.targets, (SnTarget){.access = f.outputs.data[i]});
  sn_cpu_row(&k->b, &row, NULL);
  sn_vec_free(&row.targets);
  sn_row_program_free(&program);
  sn_form_free(&f);
}

// The word that says which slots are taken; null where each task has one of its own.
static MlirValue slots_of(Contract *c) {
  int64_t tasks;
  SnBuilder *b = &c->kernel->b;
  MlirValue none = {0}, one = sn_index(b, 1);
  if ((sn_known(c->tasks, &tasks) && tasks <= 1) || sn_schedule_number(c->kernel->form.schedule, "tasks") > SLOTS)
    return none;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  MlirValue taken = sn_cpu_scratch(c->kernel, i64, 1, &one);
  sn_op(b, "memref.store", sn_int(b, i64, 0), taken, sn_index(b, 0));
  return taken;
}

static void take_slot(Contract *c, MlirValue slots) {
  SnBuilder *b = &c->t.b;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  c->slot = c->t.index;
  if (sn_none(slots))
    return;
  MlirValue taken = sn_cpu_address(b, sn_lookup(&c->t.map, slots), sn_index(b, 0));
  MlirOperation call = sn_cpu_call(c->kernel, b, "sinter_rt_take_slot", sn_values(1, &taken), sn_types(1, &i64));
  c->slot = sn(b, "arith.index_cast", sn_result(call, 0), sn_index_type(b->ctx));
}

static void give_slot(Contract *c, MlirValue slots) {
  SnBuilder *b = &c->t.b;
  if (sn_none(slots))
    return;
  MlirValue operands[] = {sn_cpu_address(b, sn_lookup(&c->t.map, slots), sn_index(b, 0)),
                          sn(b, "arith.index_cast", c->slot, mlirIntegerTypeGet(b->ctx, 64))};
  sn_cpu_call(c->kernel, b, "sinter_rt_give_slot", sn_values(2, operands), sn_types(0, NULL));
}

static void emit_task(Chain *chain, const SnForm *form) {
  Contract *c = &chain->c;
  MlirValue slots = slots_of(c);
  c->t = sn_cpu_task_begin(c->kernel);
  SnBuilder *b = &c->t.b;
  take_slot(c, slots);
  SnForm f = sn_cpu_form_in_task(form, &c->t);
  sn_cpu_count_blocks(c, b, &f);
  sn_cpu_windows_in_task(&chain->windows, &f, &c->t);
  MlirValue scalars[SN_MAX_ACCUMULATORS];
  intptr_t n = 0;
  for (size_t i = 0; i < chain->segments.size; ++i)
    sn_cpu_segment_in_task(chain, &chain->segments.data[i]);
  if (chain->stream)
    sn_cpu_stream_in_task(chain);
  for (size_t i = 0; i < chain->segments.size; ++i) {
    Segment *s = &chain->segments.data[i];
    s->accumulators = sn_cpu_partials_begin(&s->f, &c->t, &s->partials, scalars + n);
    n += s->accumulators;
  }
  MlirValue lo = sn(b, "arith.muli", c->t.index, c->share), hi = sn_cpu_end(b, lo, c->share, c->blocks);
  SnLoop block = sn_for_values(b, lo, hi, sn_index(b, 1), sn_values(n, scalars));
  emit_block(chain, &f, block.index, block.carried);
  sn_next_values(b, &block, sn_values(n, block.carried));
  for (intptr_t i = 0; i < n; ++i)
    scalars[i] = sn_result(block.op, i);
  n = 0;
  for (size_t i = 0; i < chain->segments.size; ++i) {
    Segment *s = &chain->segments.data[i];
    sn_cpu_partials_end(&s->f, &c->t, &s->partials, scalars + n);
    n += s->accumulators;
  }
  give_slot(c, slots);
  sn_form_free(&f);
}

static void free_chain(Chain *chain) {
  for (size_t i = 0; i < chain->segments.size; ++i) {
    Segment *s = &chain->segments.data[i];
    if (!mlirOperationEqual(s->form.op, chain->c.kernel->form.op))
      mlirOperationDestroy(s->form.op);
    free(s->products);
    sn_vec_free(&s->partials.buffers);
    sn_vec_free(&s->partials.inside);
    sn_vec_free(&s->state);
    sn_form_free(&s->f);
    sn_form_free(&s->form);
  }
  for (size_t i = 0; i < chain->ends.size; ++i)
    mlirOperationDestroy(chain->ends.data[i]);
  sn_vec_free(&chain->segments);
  sn_vec_free(&chain->ends);
  sn_vec_free(&chain->windows.all);
}

MlirLogicalResult sn_cpu_lower_contract(SnKernel *k) {
  const SnForm *form = &k->form;
  MlirAttribute s = form->schedule;
  Chain chain = {.c = {.kernel = k,
                       .m = sn_schedule_number(s, "m"),
                       .n = sn_schedule_number(s, "n"),
                       .k = sn_schedule_number(s, "k"),
                       .lanes = sn_schedule_number(s, "lanes"),
                       .columns = sn_schedule_number(s, "columns"),
                       .reads_windows = sn_schedule_word_is(s, "pack", "windows"),
                       .packs_rows = sn_schedule_word_is(s, "pack", "rows") || sn_schedule_word_is(s, "pack", "shared"),
                       .shares_rows = !strcmp(sn_schedule_word(s, "pack"), "shared"),
                       .shares_weights = sn_schedule_word_is(s, "weights", "shared"),
                       .ahead = sn_schedule_number(s, "ahead"),
                       .widens = sn_schedule_word_is(s, "widen", "reading"),
                       .panels = sn_schedule_number(s, "panels"),
                       .sums = sn_schedule_number(s, "sums")}};
  Contract *c = &chain.c;
  c->together = sn_cpu_rows_together(form, sn_schedule_word(s, "kernel"));
  sn_cpu_count_blocks(c, &k->b, form);
  chain.stream = sn_has_one_group(form) ? 0 : sn_schedule_number(s, "stream");
  int64_t strip = chain.stream ? sn_schedule_number(s, "strip") : 0;
  c->strip = strip && strip < c->m ? strip : c->m;
  chain.windows = (SnWindows){.of = k,
                              .slots = sn_size_mul(&k->b, c->tasks, sn_index(&k->b, c->m)),
                              .stream = chain.stream};
  bool ok = read_segments(&chain) && !sn_failed(sn_cpu_check_chain(&chain));
  if (ok) {
    MlirValue tasks = c->tasks;
    for (size_t i = 0; i < chain.segments.size; ++i)
      begin_segment(&chain, &chain.segments.data[i]);
    if (chain.stream)
      sn_cpu_stream_begin(&chain);
    if (c->shares_rows)
      sn_cpu_share_rows(&chain, form);
    if (c->shares_weights)
      sn_cpu_share_weights(&chain, form);
    emit_task(&chain, form);
    sn_cpu_task_end(k, &c->t, tasks);
    for (size_t i = 0; i < chain.segments.size; ++i)
      sn_cpu_finish(k, &chain.segments.data[i].form, &chain.segments.data[i].partials);
    for (size_t i = 0; i < chain.ends.size; ++i)
      emit_end(&chain, chain.ends.data[i]);
  }
  free_chain(&chain);
  return ok ? SN_OK : SN_FAIL;
}
