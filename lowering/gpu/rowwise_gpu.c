// rowwise_gpu.c: the device code of a rowwise kernel.
//
//   row = block; row < rows; row += blocks                    a block works on one row
//     scalars of the row
//     for each phase of the row program:
//       partials of all columns, combined over the block      phases.c, vectors.c
//     accumulator = accumulator . value of the row            accumulate.c
//   accumulators combined over the block and the grid; finish; reduced outputs
//
// Who shares a row is the schedule's: a team of 1 to 32 threads of a block (short rows; one thread where neighbours in
// memory are neighbours in the last row dimension, and for a form without columns), a block, or a
// cluster of blocks. Rows that several phases read come from memory again, from L2 if they are short
// (residency "reread"), or stay in registers with all that was computed of them: then the column loop is
// unrolled, and each thread has the same few vectors in all phases (residency "registers").
//
// test: test/lowering/gpu/lower_gpu.mlir, registers.mlir, teams.mlir, refused.mlir

#include "lowering/gpu/rows.h"

// ---- what this lowering can do ------------------------------------------------

// Elements of a table that turns out empty are outside, but there is none to read instead.
static MlirLogicalResult check_tables(const SnForm *f, const SnAccess *a, const char *what, size_t k) {
  MlirType t = sn_type_of(a->value);
  for (intptr_t i = 0; a->through.ptr && !a->fill.ptr && i < mlirAffineMapGetNumResults(a->map); ++i)
    if (mlirAffineExprIsASymbol(mlirAffineMapGetResult(a->map, i)) && sn_dim(t, i) < 1)
      return sn_error(f->op,
                      "%s %zu is read through an index tensor in dimension %lld, whose size a GPU kernel has to know: "
                      "make it static, 1 or more",
                      what, k, (long long)i);
  return SN_OK;
}

static MlirLogicalResult check_columns(const SnForm *f, const SnGpuRows *s, size_t columns) {
  int64_t n = sn_row_length(f), bytes = 0;
  size_t resident = sn_gpu_resident(f, s), carried = columns * resident;
  if (n == SN_DYNAMIC)
    return sn_error(f->op, "keeps columns of rows whose length is `?` over all rows: a GPU kernel needs scratch memory "
                           "of a known size; make it static");
  if (s->team < s->threads && !resident)
    return sn_error(f->op,
                    "team = %lld of %lld threads keeps sums of columns in registers only: schedule with residency = "
                    "\"registers\", or without team",
                    (long long)s->team, (long long)s->threads);
  if (carried > MAX_SUMS)
    return sn_error(f->op,
                    "carries %zu vectors of sums from row to row; a GPU kernel at most %d: more threads or residency = "
                    "\"reread\" are needed",
                    carried, MAX_SUMS);
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map) && bytes < sn_scratch_bytes(f->accumulators.data[k].type))
      bytes = sn_scratch_bytes(f->accumulators.data[k].type);
  if (s->team < s->threads && s->threads / s->team * n * bytes > 40 << 10)
    return sn_error(
        f->op, "%lld teams of a block with %lld columns each are more than its shared memory: larger teams are needed",
        (long long)(s->threads / s->team), (long long)n);
  return SN_OK;
}

MlirLogicalResult sn_gpu_rowwise_check(const SnForm *f, const SnGpuRows *s) {
  if (f->contract)
    return sn_error(f->op, "cannot become a GPU kernel yet: only sinter.rowwise can; compile it with --target=cpu");
  if (sn_failed(sn_row_program_check(f)))
    return SN_FAIL;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_failed(check_tables(f, &f->inputs.data[k], "input", k)))
      return SN_FAIL;
  size_t columns = 0;
  int64_t n = sn_row_length(f);
  if (s->flat) {
    const char *why = sn_gpu_not_flat(f);
    return why ? sn_error(f->op, "is not flat: %s", why) : SN_OK;
  }
  if (!sn_gpu_lanes_are_rows(f) && !sn_gpu_peels(f, s) && (n == SN_DYNAMIC ? s->vector > 1 : n % s->vector))
    return n == SN_DYNAMIC ? sn_error(f->op, "rows of unknown length are no multiple of the schedule's vector = %lld",
                                      (long long)s->vector)
                           : sn_error(f->op, "rows of %lld columns are no multiple of the schedule's vector = %lld",
                                      (long long)n, (long long)s->vector);
  if ((s->grid && sn_failed(sn_gpu_grid_rows_check(f, s))) || (s->shared && sn_failed(sn_gpu_shared_check(f, s))))
    return SN_FAIL;
  if (s->cluster > 1 && (sn_gpu_lanes_are_rows(f) || s->team < s->threads))
    return sn_error(f->op, "cluster = %lld needs columns and no team: only then do blocks share a row",
                    (long long)s->cluster);
  if ((s->registers || s->shared) && n == SN_DYNAMIC)
    return sn_error(f->op, "a row of unknown length has no registers: schedule with residency = \"reread\"");
  if (sn_gpu_resident(f, s) > MAX_RESIDENT)
    return sn_error(f->op,
                    "rows of %lld columns are %zu vectors for each thread: registers hold %d; more threads or a larger "
                    "cluster are needed",
                    (long long)n, sn_gpu_resident(f, s), MAX_RESIDENT);
  for (size_t k = 0; k < f->accumulators.size; ++k)
    columns += sn_uses_cols(f, f->accumulators.data[k].map);
  if (s->tile && (columns || sn_gpu_lanes_are_rows(f)))
    return sn_error(f->op, "shape = \"tile\" needs columns, and no sums of columns over all rows");
  return columns ? check_columns(f, s, columns) : SN_OK;
}

// ---- one kernel --------------------------------------------------------------------

static void run_row(SnBuilder *b, SnGpuRowKernel *g, MlirValue row, MlirValue next, MlirValue rows) {
  sn_row_begin(&g->program);
  sn_form_point(b, g->form, 0, g->form->num_rows, row, g->program.dims);
  sn_gpu_begin_row(b, g->k, row);
  if (g->num_resident)
    sn_gpu_begin_resident(b, g, row, g->resident, g->inside);
  if (g->schedule->shared) {
    sn_gpu_begin_shared_row(b, g, row);
  } else if (g->num_fetched) {
    sn_gpu_fetched(b, g);
    g->next = next;
    g->num_rows = rows;
  }
  sn_gpu_run_program(b, g);
  if (g->schedule->shared)
    sn_gpu_end_shared_row(b, g);
  for (size_t u = 0; u < g->num_resident; ++u)
    sn_column_free(&g->resident[u]);
}

static size_t count_row_barriers(const SnGpuRowKernel *g) {
  size_t count = 0;
  for (size_t i = 0; i < g->program.phases.size; ++i) {
    size_t shared = 0;
    for (size_t r = 0; r < g->program.phases.data[i].reduces.size; ++r) {
      MlirOperation reduce = g->program.phases.data[i].reduces.data[r];
      shared += !sn_gpu_feeds_accumulator(g, reduce) && !sn_gpu_is_only_asserted(reduce) &&
                sn_null(sn_gpu_online_max(&g->online, reduce));
    }
    count += shared > 0;
  }
  return count;
}

// The teams of a block go from rows to rows together, so that all of a warp meet in a shuffle: a team without a row has
// the last one again, and neither stores nor adds it.
static MlirValue row_of_team(SnBuilder *b, SnGpuRowKernel *g, MlirValue first_row, MlirValue rows) {
  SnGpuKernel *k = g->k;
  int64_t at_once = k->threads / k->team, known;
  MlirValue row = sn(b, "arith.addi", first_row,
                     sn(b, k->tile ? "arith.remui" : "arith.divui", k->thread, sn_index(b, k->tile ? 32 : k->team)));
  if (sn_known(rows, &known) && known % at_once == 0)
    return row;
  g->valid = sn(b, "arith.cmpi", row, rows, sn_attr("predicate", sn_i64(b->ctx, 6))); // ult
  return sn(b, "arith.minui", row, sn(b, "arith.subi", rows, sn_index(b, 1)));
}

// What is reduced over rows, and how.
static void plan(SnGpuRowKernel *g) {
  const SnForm *f = g->form;
  sn_gpu_split_accumulators(f, g->schedule, g);
  g->width = sn_gpu_lanes_are_rows(f) ? 1 : g->schedule->vector;
  g->all.width = g->width;
  g->num_resident = sn_gpu_resident(f, g->schedule);
  g->packed = g->num_resident && !g->schedule->shared && g->width % 2 == 0 && sn_gpu_packed_rows(f);
  g->remade = g->num_resident && !g->schedule->shared && g->schedule->remake && !g->packed;
  g->peeled = g->num_resident && sn_gpu_peels(f, g->schedule);
  bool shuffles = g->num_resident && g->schedule->team <= 32 && !g->schedule->tile; // they meet soon enough without
  if (!sn_gpu_lanes_are_rows(f) && !shuffles)
    sn_gpu_online_find(&g->online, &g->program);
  if (g->schedule->grid)
    sn_gpu_squares_find(&g->online, &g->program);
  sn_gpu_find_own_parts(g);
  g->row_barriers = count_row_barriers(g);
}

int64_t sn_gpu_rowwise_scratch(SnForm *f, const SnGpuRows *s) {
  SnGpuRowKernel g = {.form = f, .schedule = s, .program = sn_row_program(f, sn_values(0, NULL))};
  plan(&g);
  SnGpuKernel k = {.blocks = sn_gpu_rowwise_blocks(f, s), .cluster = s->cluster};
  int64_t bytes = sn_gpu_grid_scratch(&k, &g.all);
  if (s->grid)
    bytes += sn_gpu_exchange_scratch(&g, &k);
  sn_row_program_free(&g.program);
  return bytes;
}

void sn_gpu_rowwise(SnBuilder *b, SnGpuKernel *k, SnForm *f, const SnGpuRows *s) {
  SnGpuRowKernel g = {.k = k,
                      .form = f,
                      .schedule = s,
                      .program = sn_row_program(f, sn_values((intptr_t)k->num_operands, k->operands))};
  plan(&g);
  sn_gpu_mark_exponentials(&g.program);
  g.program.one_hot_by_lane = g.program.one_hot_in_i32 = true;
  g.length = sn_form_columns(b, f);
  MlirValue rows = sn_form_sizes(b, f, 0, f->num_rows), start = k->group;
  if (s->grid) {
    sn_gpu_grid_rows(b, &g, rows);
    sn_row_program_free(&g.program);
    return;
  }
  sn_gpu_begin_accumulators(b, &g);
  if (s->shared)
    sn_gpu_begin_shared(b, &g);
  int64_t at_once = k->team < k->threads ? k->threads / k->team : 1,
          step = s->flat ? 1 : k->blocks / k->cluster * at_once;
  if (s->flat)
    start = sn_index(b, 0); // the one row is everybody's
  if (at_once > 1)
    start = sn(b, "arith.muli", k->block, sn_index(b, at_once));
  if (k->team == 1)
    start = sn(b, "arith.addi", start, k->thread);
  int64_t known;
  if (k->team > 1 && sn_known(rows, &known) && known == step) { // each has one row
    k->one_row = true;
    run_row(b, &g, at_once > 1 ? row_of_team(b, &g, start, rows) : start, (MlirValue){0}, rows);
  } else {
    sn_gpu_await_cluster(b, k);
    sn_gpu_begin_ahead(b, &g);
    if (g.num_fetched && !s->shared)
      sn_gpu_fetch(b, &g, start, rows);
    SnLoop row = sn_for_values(b, start, rows, sn_index(b, step), sn_values((intptr_t)g.num_carried, g.carried));
    memcpy(g.carried, row.carried, g.num_carried * sizeof *g.carried);
    MlirValue next = g.num_fetched ? sn(b, "arith.addi", row.index, sn_index(b, step)) : row.index;
    run_row(b, &g, k->team > 1 && at_once > 1 ? row_of_team(b, &g, row.index, rows) : row.index, next, rows);
    g.valid = (MlirValue){0};
    sn_next_values(b, &row, sn_values((intptr_t)g.num_carried, g.carried));
    for (size_t a = 0; a < g.num_carried; ++a)
      g.carried[a] = sn_result(row.op, (intptr_t)a);
  }
  sn_gpu_await_cluster(b, k);
  sn_gpu_finish(b, &g);
  sn_row_program_free(&g.program);
}
