// rowwise.c: the device code of a rowwise kernel.
//
//   row = block; row < rows; row += blocks                    a block works on one row
//     scalars of the row
//     for each phase of the row program:
//       j = vector * thread; j < N; j += vector * threads     consecutive threads, consecutive columns
//         partial = partial . element(j);  output[row, j] = element(j)
//       row_reduce = partials combined over the block
//     accumulator = accumulator . value of the row
//   accumulators combined over the block and the grid; finish; reduced outputs
//
// A form without columns gives each thread a row of its own instead. A row_reduce
// that does nothing but feed an accumulator of its kind is not combined row
// by row: each thread goes on with its own part. Rows that several phases read come from
// memory again (L2, if they are short), or with residency = "shared" from
// shared memory, where each thread finds what it left there itself.

#include "lowering/gpu/gpu.h"
#include <assert.h>

#define MAX_ACCUMULATORS 8
#define MAX_REDUCES 16

// ---- what this lowering can do ------------------------------------------------

static bool lanes_are_rows(const SnForm *f) { return f->num_cols == 0; }

MlirLogicalResult sn_gpu_rowwise_check(const SnForm *f, const SnGpuRows *s) {
  if (f->contract)
    return sn_error(f->op, "cannot become a GPU kernel yet: only sinter.rowwise can; compile it with --target=cpu");
  if (sn_failed(sn_row_program_check(f)))
    return SN_FAIL;
  if (f->accumulators.size > MAX_ACCUMULATORS)
    return sn_error(f->op, "has %zu accumulators; a GPU kernel keeps at most %d", f->accumulators.size, MAX_ACCUMULATORS);
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map))
      return sn_error(f->op, "accumulator %zu keeps columns: a GPU kernel cannot reduce over rows only yet; compile it with --target=cpu", k);
  int64_t n = sn_row_length(f);
  if (!lanes_are_rows(f) && n % s->vector)
    return sn_error(f->op, "rows of %lld columns are no multiple of the schedule's vector = %lld", (long long)n, (long long)s->vector);
  return SN_OK;
}

int64_t sn_gpu_rowwise_blocks(const SnForm *f, const SnGpuRows *s) {
  int64_t rows = sn_num_rows(f);
  int64_t wanted = lanes_are_rows(f) ? (rows + s->threads - 1) / s->threads : rows;
  wanted = wanted < s->blocks ? wanted : s->blocks;
  return wanted > 1 ? wanted : 1;
}

static void accumulator_reductions(const SnForm *f, SnGpuReduction *out) {
  for (size_t k = 0; k < f->accumulators.size; ++k)
    out[k] = (SnGpuReduction){.type = f->accumulators.data[k].type, .combiner = sn_combiner(f->accumulators.data[k].kind)};
}

int64_t sn_gpu_rowwise_scratch(const SnForm *f, const SnGpuRows *s) {
  SnGpuReduction reductions[MAX_ACCUMULATORS];
  accumulator_reductions(f, reductions);
  SnGpuKernel k = {.blocks = sn_gpu_rowwise_blocks(f, s)};
  return sn_gpu_grid_scratch(&k, f->accumulators.size, reductions);
}

// ---- one kernel --------------------------------------------------------------------

typedef struct {
  SnGpuKernel *k;
  const SnForm *form;
  const SnGpuRows *schedule;
  SnRowProgram program;
  size_t num_accumulators;
  SnGpuReduction accumulators[MAX_ACCUMULATORS];
  MlirOperation own_part[MAX_ACCUMULATORS]; // the row_reduce whose parts threads keep; null if the row's value is used
  MlirValue carried[MAX_ACCUMULATORS];      // so far
  size_t row_barriers;                      // block reductions that a row goes through
} Kernel;

static SnGpuReduction reduction_of(SnRowProgram *p, MlirOperation reduce) {
  MlirAttribute kind = sn_get_attr(reduce, "kind");
  return (SnGpuReduction){.type = sn_type_of(sn_result(reduce, 0)),
                          .combiner = kind.ptr ? sn_combiner(mlirStringAttrGetValue(kind)) : NULL,
                          .program = p,
                          .reduce = reduce};
}

// The accumulator that this row_reduce feeds and nothing else reads, or -1.
static intptr_t feeds_only(const Kernel *g, MlirOperation reduce) {
  for (size_t a = 0; a < g->num_accumulators; ++a)
    if (!sn_null(g->own_part[a]) && mlirOperationEqual(g->own_part[a], reduce))
      return (intptr_t)a;
  return -1;
}

static void find_own_parts(Kernel *g) {
  for (size_t a = 0; a < g->num_accumulators; ++a) {
    MlirValue v = sn_row_yield(&g->program, (intptr_t)a);
    MlirOperation reduce = sn_def(v, "sinter.row_reduce");
    bool same = !sn_null(reduce) && sn_one_use(v) && mlirTypeEqual(sn_type_of(v), g->accumulators[a].type) &&
                reduction_of(&g->program, reduce).combiner == g->accumulators[a].combiner;
    g->own_part[a] = same ? reduce : (MlirOperation){0};
  }
}

// Runs one phase over `count` vectors at j, j + step, ...: reductions go on from `acc`.
static void columns(SnBuilder *b, Kernel *g, const SnPhase *phase, MlirValue j, int64_t count, int64_t step, MlirValue *acc) {
  SnRowProgram *p = &g->program;
  size_t n = phase->reduces.size, yields = phase->yields.size;
  SnColumn *at = sn_alloc((size_t)count * sizeof *at);
  MlirValue *elements = sn_alloc(((size_t)count * (n + yields) + 1) * sizeof *elements);
  for (int64_t u = 0; u < count; ++u) {
    at[u] = sn_column(u ? sn(b, "arith.addi", j, sn_index(b, u * step)) : j, g->schedule->vector);
    for (size_t r = 0; r < n; ++r)
      elements[(size_t)u * (n + yields) + r] = sn_row_reduced(b, p, &at[u], phase->reduces.data[r]);
    for (size_t y = 0; y < yields; ++y)
      elements[(size_t)u * (n + yields) + n + y] = sn_row_element(b, p, &at[u], sn_row_yield(p, phase->yields.data[y]));
  }
  for (int64_t u = 0; u < count; ++u) {
    for (size_t r = 0; r < n; ++r)
      acc[r] = sn_row_combine(b, p, phase->reduces.data[r], acc[r], elements[(size_t)u * (n + yields) + r]);
    for (size_t y = 0; y < yields; ++y) {
      size_t wanted = (size_t)phase->yields.data[y];
      for (size_t o = 0; o < g->form->outputs.size; ++o)
        if (!sn_is_reduced(g->form, o) && sn_output_position(g->form, o) == wanted) {
          SnAccess access = g->form->outputs.data[o];
          access.value = mlirBlockGetArgument(g->k->entry, (intptr_t)(g->form->inputs.size + g->form->indices.size + o));
          sn_row_store(b, p, &at[u], elements[(size_t)u * (n + yields) + n + y], &access);
        }
    }
  }
  for (int64_t u = 0; u < count; ++u)
    sn_column_free(&at[u]);
  free(elements);
  free(at);
}

// Column loop from `from` to `to` by `count` vectors of each thread.
static void column_loop(SnBuilder *b, Kernel *g, const SnPhase *phase, int64_t from, int64_t to, int64_t count, MlirValue *acc) {
  int64_t step = g->schedule->vector * g->k->threads, n = (int64_t)phase->reduces.size;
  if (from >= to)
    return;
  MlirValue mine = sn(b, "arith.muli", g->k->thread, sn_index(b, g->schedule->vector));
  if (from)
    mine = sn(b, "arith.addi", mine, sn_index(b, from));
  SnLoop j = sn_for_values(b, mine, sn_index(b, to), sn_index(b, step * count), sn_values(n, acc));
  MlirValue next[MAX_REDUCES];
  memcpy(next, j.carried, (size_t)n * sizeof *next);
  columns(b, g, phase, j.index, count, step, next);
  sn_next_values(b, &j, sn_values(n, next));
  for (int64_t r = 0; r < n; ++r)
    acc[r] = sn_result(j.op, r);
}

static void phase_of_columns(SnBuilder *b, Kernel *g, const SnPhase *phase, MlirValue *acc) {
  if (lanes_are_rows(g->form)) { // a row of one column
    columns(b, g, phase, sn_index(b, 0), 1, 1, acc);
    return;
  }
  int64_t n = sn_row_length(g->form), step = g->schedule->unroll > 1 ? g->schedule->vector * g->k->threads * g->schedule->unroll : 1;
  column_loop(b, g, phase, 0, n / step * step, g->schedule->unroll, acc);
  column_loop(b, g, phase, n / step * step, n, 1, acc);
}

// One phase of one row: what it reduces is known to the whole block behind it.
static void run_phase(SnBuilder *b, Kernel *g, int i) {
  SnRowProgram *p = &g->program;
  const SnPhase *phase = &p->phases.data[i];
  size_t n = phase->reduces.size, shared = 0;
  bool rows = lanes_are_rows(g->form);
  int64_t width = rows ? 1 : g->schedule->vector;
  MlirValue acc[MAX_REDUCES];
  SnGpuReduction reductions[MAX_REDUCES];
  MlirValue values[MAX_REDUCES];
  assert(n <= MAX_REDUCES && "checked before");
  sn_row_scalars(b, p, i);
  if (!n && !phase->yields.size)
    return;
  for (size_t r = 0; r < n; ++r)
    acc[r] = sn_row_identity(b, p, phase->reduces.data[r], width);
  phase_of_columns(b, g, phase, acc);
  for (size_t r = 0; r < n; ++r) {
    MlirOperation reduce = phase->reduces.data[r];
    if (width > 1)
      acc[r] = sn_row_horizontal(b, p, reduce, acc[r]);
    intptr_t a = feeds_only(g, reduce);
    if (a >= 0) {
      g->carried[a] = sn_gpu_combine(b, &g->accumulators[a], g->carried[a], acc[r]);
    } else {
      reductions[shared] = reduction_of(p, reduce);
      values[shared++] = acc[r];
    }
  }
  if (!rows && shared) {
    sn_gpu_reduce_block(b, g->k, shared, reductions, values, g->row_barriers == 1);
  }
  for (size_t r = 0, k = 0; r < n; ++r)
    if (feeds_only(g, phase->reduces.data[r]) < 0)
      sn_map(&p->scalars, sn_result(phase->reduces.data[r], 0), values[k++]);
}

static void store_scalars(SnBuilder *b, Kernel *g) {
  const SnForm *f = g->form;
  bool rows = lanes_are_rows(f), any = false;
  SnIf leader;
  for (size_t o = 0; o < f->outputs.size; ++o) {
    if (sn_is_reduced(f, o) || sn_uses_cols(f, f->outputs.data[o].map))
      continue;
    MlirValue v = sn_row_yield(&g->program, (intptr_t)sn_output_position(f, o));
    if (!any && !rows)
      leader = sn_if(b, g->k->first);
    any = true;
    SnAccess access = f->outputs.data[o];
    access.value = mlirBlockGetArgument(g->k->entry, (intptr_t)(f->inputs.size + f->indices.size + o));
    SnColumn at = sn_column(sn_index(b, 0), 1);
    sn_row_store(b, &g->program, &at, sn_row_scalar(&g->program, v), &access);
    sn_column_free(&at);
  }
  if (any && !rows)
    sn_end_if(b, &leader);
}

// What finish gives of the accumulators, stored. For one thread of the grid.
static void finish(SnBuilder *b, Kernel *g, const MlirValue *accumulators, SnValues operands) {
  const SnForm *f = g->form;
  SnRowProgram last = {0};
  if (f->finish.ptr) {
    last = sn_finish_program(f, operands);
    for (size_t a = 0; a < g->num_accumulators; ++a)
      sn_map(&last.scalars, mlirBlockGetArgument(f->finish, (intptr_t)a), accumulators[a]);
    sn_row_scalars(b, &last, 0);
  }
  for (size_t o = 0; o < f->outputs.size; ++o) {
    if (!sn_is_reduced(f, o))
      continue;
    intptr_t k = (intptr_t)sn_output_position(f, o);
    MlirValue v = f->finish.ptr ? sn_row_scalar(&last, sn_row_yield(&last, k)) : accumulators[k];
    SnAccess access = f->outputs.data[o];
    access.value = operands.data[f->inputs.size + f->indices.size + o];
    SnColumn at = sn_column(sn_index(b, 0), 1);
    sn_row_store(b, f->finish.ptr ? &last : &g->program, &at, v, &access);
    sn_column_free(&at);
  }
  if (f->finish.ptr)
    sn_row_program_free(&last);
}

// After all rows: each thread has a part where threads keep their own, else the value of its block.
static void reduce_rows(SnBuilder *b, Kernel *g, SnValues operands) {
  SnGpuReduction parts[MAX_ACCUMULATORS];
  MlirValue values[MAX_ACCUMULATORS];
  size_t n = 0;
  bool rows = lanes_are_rows(g->form);
  for (size_t a = 0; a < g->num_accumulators; ++a)
    if (rows || !sn_null(g->own_part[a])) {
      parts[n] = g->accumulators[a];
      values[n++] = g->carried[a];
    }
  sn_gpu_reduce_block(b, g->k, n, parts, values, false);
  for (size_t a = 0, k = 0; a < g->num_accumulators; ++a)
    if (rows || !sn_null(g->own_part[a]))
      g->carried[a] = values[k++];
  size_t given = g->form->inputs.size + g->form->indices.size + g->form->outputs.size;
  bool grid = g->k->blocks > 1;
  MlirValue scratch = grid ? mlirBlockGetArgument(g->k->entry, (intptr_t)given) : (MlirValue){0};
  MlirValue tag = grid ? mlirBlockGetArgument(g->k->entry, (intptr_t)given + 1) : (MlirValue){0};
  SnIf once = sn_gpu_reduce_grid(b, g->k, g->num_accumulators, g->accumulators, g->carried, scratch, tag);
  finish(b, g, g->carried, operands);
  sn_end_if(b, &once);
}

static void run_row(SnBuilder *b, Kernel *g, MlirValue row) {
  int64_t sizes[16];
  for (int64_t d = 0; d < g->form->num_rows; ++d)
    sizes[d] = g->form->dims.data[d].size;
  sn_row_begin(&g->program);
  sn_delinearize(b, row, (intptr_t)g->form->num_rows, sizes, g->program.dims);
  for (size_t i = 0; i < g->program.phases.size; ++i)
    run_phase(b, g, (int)i);
  for (size_t a = 0; a < g->num_accumulators; ++a)
    if (sn_null(g->own_part[a]))
      g->carried[a] = sn_gpu_combine(b, &g->accumulators[a], g->carried[a], sn_row_scalar(&g->program, sn_row_yield(&g->program, (intptr_t)a)));
  store_scalars(b, g);
}

static size_t count_row_barriers(const Kernel *g) {
  size_t count = 0;
  for (size_t i = 0; i < g->program.phases.size; ++i) {
    size_t shared = 0;
    for (size_t r = 0; r < g->program.phases.data[i].reduces.size; ++r)
      shared += feeds_only(g, g->program.phases.data[i].reduces.data[r]) < 0;
    count += shared > 0;
  }
  return count;
}

void sn_gpu_rowwise(SnBuilder *b, SnGpuKernel *k, const SnForm *f, const SnGpuRows *s) {
  size_t given = f->inputs.size + f->indices.size + f->outputs.size;
  MlirValue *arguments = sn_alloc((given + 1) * sizeof *arguments);
  for (size_t i = 0; i < given; ++i)
    arguments[i] = mlirBlockGetArgument(k->entry, (intptr_t)i);
  SnValues operands = sn_values((intptr_t)given, arguments);
  Kernel g = {.k = k, .form = f, .schedule = s, .program = sn_row_program(f, operands), .num_accumulators = f->accumulators.size};
  accumulator_reductions(f, g.accumulators);
  find_own_parts(&g);
  g.row_barriers = count_row_barriers(&g);
  for (size_t a = 0; a < g.num_accumulators; ++a)
    g.carried[a] = sn_gpu_identity(b, &g.accumulators[a]);

  bool rows = lanes_are_rows(f);
  MlirValue start = k->block;
  if (rows)
    start = sn(b, "arith.addi", sn(b, "arith.muli", k->block, sn_index(b, k->threads)), k->thread);
  int64_t step = rows ? k->blocks * k->threads : k->blocks;
  SnLoop row = sn_for_values(b, start, sn_index(b, sn_num_rows(f)), sn_index(b, step), sn_values((intptr_t)g.num_accumulators, g.carried));
  memcpy(g.carried, row.carried, g.num_accumulators * sizeof *g.carried);
  run_row(b, &g, row.index);
  sn_next_values(b, &row, sn_values((intptr_t)g.num_accumulators, g.carried));
  for (size_t a = 0; a < g.num_accumulators; ++a)
    g.carried[a] = sn_result(row.op, (intptr_t)a);
  if (sn_num_reduced(f))
    reduce_rows(b, &g, operands);
  sn_row_program_free(&g.program);
  free(arguments);
}
