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
// that does nothing but feed an accumulator of its kind is not combined row by
// row: each thread goes on with its own part. A maximum and the sum of exponentials
// under it take one phase instead of two (online.c). Rows that several phases read
// come from memory again, from L2 if they are short (residency "reread"), or stay in registers
// with all that was computed of them: then the column loop is unrolled, each thread has the same
// few vectors in all phases, and a cluster of blocks may share one row (residency "registers").

#include "lowering/gpu/online.h"
#include <assert.h>

#define MAX_ACCUMULATORS 8
#define MAX_REDUCES 8 // a loop carries 16 values, two for a maximum with its sum

#define MAX_RESIDENT 16

// ---- what this lowering can do ------------------------------------------------

static bool lanes_are_rows(const SnForm *f) { return f->num_cols == 0; }

// Vectors of a row that a thread keeps; 0 if none are kept.
static size_t resident_vectors(const SnForm *f, const SnGpuRows *s) {
  int64_t at_once = s->vector * s->threads * s->cluster;
  return s->registers && !lanes_are_rows(f) ? (size_t)((sn_row_length(f) + at_once - 1) / at_once) : 0;
}

MlirLogicalResult sn_gpu_rowwise_check(const SnForm *f, const SnGpuRows *s) {
  if (f->contract)
    return sn_error(f->op, "cannot become a GPU kernel yet: only sinter.rowwise can; compile it with --target=cpu");
  if (sn_failed(sn_row_program_check_sizes(f)) || sn_failed(sn_row_program_check(f)))
    return SN_FAIL;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (f->inputs.data[k].through.ptr)
      return sn_error(f->op, "input %zu is read through an index tensor, which a GPU kernel cannot yet; compile it with --target=cpu", k);
  size_t reduces = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    if (sn_is(op, "cf.assert"))
      return sn_error(op, "cannot be checked on a GPU yet; compile it with --target=cpu");
    if (sn_is(op, "sinter.gather"))
      return sn_error(op, "cannot read a table on a GPU yet; compile it with --target=cpu");
    reduces += sn_is(op, "sinter.row_reduce");
  }
  if (reduces > MAX_REDUCES)
    return sn_error(f->op, "has %zu row_reduces; a GPU kernel has at most %d", reduces, MAX_REDUCES);
  if (f->accumulators.size > MAX_ACCUMULATORS)
    return sn_error(f->op, "has %zu accumulators; a GPU kernel keeps at most %d", f->accumulators.size, MAX_ACCUMULATORS);
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map))
      return sn_error(f->op, "accumulator %zu keeps columns: a GPU kernel cannot reduce over rows only yet; compile it with --target=cpu", k);
  int64_t n = sn_row_length(f);
  if (!lanes_are_rows(f) && n % s->vector)
    return sn_error(f->op, "rows of %lld columns are no multiple of the schedule's vector = %lld", (long long)n, (long long)s->vector);
  if (s->cluster > 1 && (!s->registers || lanes_are_rows(f)))
    return sn_error(f->op, "cluster = %lld needs residency = \"registers\" and columns: only then do blocks share a row", (long long)s->cluster);
  if (resident_vectors(f, s) > MAX_RESIDENT)
    return sn_error(f->op, "rows of %lld columns are %zu vectors for each thread: registers hold %d; more threads or a larger cluster are needed",
                    (long long)n, resident_vectors(f, s), MAX_RESIDENT);
  return SN_OK;
}

int64_t sn_gpu_rowwise_blocks(const SnForm *f, const SnGpuRows *s) {
  int64_t rows = sn_num_rows(f), most = s->blocks / s->cluster;
  int64_t wanted = lanes_are_rows(f) ? (rows + s->threads - 1) / s->threads : rows;
  wanted = wanted < most ? wanted : most;
  return (wanted > 1 ? wanted : 1) * s->cluster;
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
  int64_t width;                            // columns of a vector
  SnGpuOnline online;
  size_t num_resident;                      // vectors that a thread keeps, 0: rows are read again
  SnColumn *resident;
  MlirValue *inside;                        // i1: this vector is in the row; null if it is for every thread
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
    bool online = !sn_null(reduce) && (!sn_null(sn_gpu_online_max(&g->online, reduce)) || !sn_null(sn_gpu_online_sum(&g->online, reduce)));
    bool same = !sn_null(reduce) && !online && sn_one_use(v) && mlirTypeEqual(sn_type_of(v), g->accumulators[a].type) &&
                reduction_of(&g->program, reduce).combiner == g->accumulators[a].combiner;
    g->own_part[a] = same ? reduce : (MlirOperation){0};
  }
}

// What a phase computes of each column: a row_reduce, and with it the sum of exponentials that
// depends on it, if that is online.
typedef struct {
  MlirOperation reduce, sum;
  MlirValue value;          // so far: one for each lane; one for all if online
  MlirValue exponentials;   // the sum so far, one for each lane
} Part;

static size_t parts_of(const Kernel *g, const SnPhase *phase, Part *parts) {
  size_t n = 0;
  for (size_t r = 0; r < phase->reduces.size; ++r) {
    MlirOperation reduce = phase->reduces.data[r];
    if (!sn_null(sn_gpu_online_max(&g->online, reduce)))
      continue; // done with its maximum
    assert(n < MAX_REDUCES && "checked before");
    parts[n++] = (Part){.reduce = reduce, .sum = sn_gpu_online_sum(&g->online, reduce)};
  }
  return n;
}

// The carried values of parts, to and from a flat list.
static intptr_t pack(const Part *parts, size_t n, MlirValue *list) {
  intptr_t size = 0;
  for (size_t p = 0; p < n; ++p) {
    list[size++] = parts[p].value;
    if (!sn_null(parts[p].sum))
      list[size++] = parts[p].exponentials;
  }
  return size;
}
static void unpack(Part *parts, size_t n, const MlirValue *list) {
  for (size_t p = 0; p < n; ++p) {
    parts[p].value = *list++;
    if (!sn_null(parts[p].sum))
      parts[p].exponentials = *list++;
  }
}

static void store_row(SnBuilder *b, Kernel *g, SnColumn *at, intptr_t yield, MlirValue element) {
  for (size_t o = 0; o < g->form->outputs.size; ++o)
    if (!sn_is_reduced(g->form, o) && sn_output_position(g->form, o) == (size_t)yield) {
      SnAccess access = g->form->outputs.data[o];
      access.value = mlirBlockGetArgument(g->k->entry, (intptr_t)(g->form->inputs.size + g->form->indices.size + o));
      sn_row_store(b, &g->program, at, element, &access);
    }
}

// One phase on `count` vectors: all are read before the first is used or stored.
static void columns(SnBuilder *b, Kernel *g, const SnPhase *phase, Part *parts, size_t n, size_t count, SnColumn *at, const MlirValue *inside) {
  SnRowProgram *p = &g->program;
  size_t yields = phase->yields.size;
  MlirValue *elements = sn_alloc(((n + yields) * count + 1) * sizeof *elements);
#define ELEMENTS(i) (elements + (i) * count)
  for (size_t u = 0; u < count; ++u) {
    bool masked = inside && !sn_none(inside[u]);
    for (size_t r = 0; r < n; ++r) {
      MlirValue x = sn_row_reduced(b, p, &at[u], parts[r].reduce);
      ELEMENTS(r)[u] = masked ? sn(b, "arith.select", inside[u], x, sn_row_identity(b, p, parts[r].reduce, g->width)) : x;
    }
    for (size_t y = 0; y < yields; ++y)
      ELEMENTS(n + y)[u] = sn_row_element(b, p, &at[u], sn_row_yield(p, phase->yields.data[y]));
  }
  for (size_t r = 0; r < n; ++r) {
    if (!sn_null(parts[r].sum))
      sn_gpu_online_step(b, p, parts[r].reduce, count, ELEMENTS(r), &parts[r].value, &parts[r].exponentials);
    else
      for (size_t u = 0; u < count; ++u)
        parts[r].value = sn_row_combine(b, p, parts[r].reduce, parts[r].value, ELEMENTS(r)[u]);
  }
  for (size_t u = 0; yields && u < count; ++u) {
    bool masked = inside && !sn_none(inside[u]);
    SnColumn before = at[u]; // what is made under the branch is not known behind it
    SnIf in_row;
    if (masked)
      in_row = sn_if(b, inside[u]);
    for (size_t y = 0; y < yields; ++y)
      store_row(b, g, &at[u], phase->yields.data[y], ELEMENTS(n + y)[u]);
    if (masked) {
      sn_end_if(b, &in_row);
      memcpy(at[u].dims, before.dims, sizeof before.dims);
    }
  }
#undef ELEMENTS
  free(elements);
}

// The same at j, j + step, ..., where nothing is known from before.
static void columns_at(SnBuilder *b, Kernel *g, const SnPhase *phase, Part *parts, size_t n, MlirValue j, int64_t count, int64_t step) {
  SnColumn *at = sn_alloc((size_t)count * sizeof *at);
  for (int64_t u = 0; u < count; ++u)
    at[u] = sn_column(u ? sn(b, "arith.addi", j, sn_index(b, u * step)) : j, g->width);
  columns(b, g, phase, parts, n, (size_t)count, at, NULL);
  for (int64_t u = 0; u < count; ++u)
    sn_column_free(&at[u]);
  free(at);
}

// Column loop from `from` to `to` by `count` vectors of each thread.
static void column_loop(SnBuilder *b, Kernel *g, const SnPhase *phase, Part *parts, size_t n, int64_t from, int64_t to, int64_t count) {
  int64_t step = g->width * g->k->threads;
  MlirValue list[2 * MAX_REDUCES];
  if (from >= to)
    return;
  MlirValue mine = sn(b, "arith.muli", g->k->thread, sn_index(b, g->width));
  if (from)
    mine = sn(b, "arith.addi", mine, sn_index(b, from));
  SnLoop j = sn_for_values(b, mine, sn_index(b, to), sn_index(b, step * count), sn_values(pack(parts, n, list), list));
  unpack(parts, n, j.carried);
  columns_at(b, g, phase, parts, n, j.index, count, step);
  intptr_t carried = pack(parts, n, list);
  sn_next_values(b, &j, sn_values(carried, list));
  for (intptr_t i = 0; i < carried; ++i)
    list[i] = sn_result(j.op, i);
  unpack(parts, n, list);
}

static void all_columns(SnBuilder *b, Kernel *g, const SnPhase *phase, Part *parts, size_t n) {
  if (lanes_are_rows(g->form)) { // a row of one column
    columns_at(b, g, phase, parts, n, sn_index(b, 0), 1, 1);
    return;
  }
  if (g->num_resident) {
    columns(b, g, phase, parts, n, g->num_resident, g->resident, g->inside);
    return;
  }
  int64_t length = sn_row_length(g->form), unroll = g->schedule->unroll;
  int64_t step = unroll > 1 ? g->width * g->k->threads * unroll : 1;
  column_loop(b, g, phase, parts, n, 0, length / step * step, unroll);
  column_loop(b, g, phase, parts, n, length / step * step, length, 1);
}

// The vectors of a row that a thread keeps. One behind the end of the row is read from the row's last
// place instead, so that no branch stands between the loads.
static void begin_resident(SnBuilder *b, Kernel *g) {
  SnGpuKernel *k = g->k;
  int64_t length = sn_row_length(g->form), lanes = g->width * k->threads, step = lanes * k->cluster;
  MlirValue first = sn(b, "arith.muli", k->thread, sn_index(b, g->width));
  if (k->cluster > 1)
    first = sn(b, "arith.addi", first, sn(b, "arith.muli", k->rank, sn_index(b, lanes)));
  for (size_t u = 0; u < g->num_resident; ++u) {
    MlirValue j = u ? sn(b, "arith.addi", first, sn_index(b, (int64_t)u * step)) : first;
    g->inside[u] = (MlirValue){0};
    if (((int64_t)u + 1) * step > length) {
      g->inside[u] = sn(b, "arith.cmpi", j, sn_index(b, length), sn_attr("predicate", sn_i64(b->ctx, 6))); // ult
      j = sn(b, "arith.minui", j, sn_index(b, length - g->width));
    }
    g->resident[u] = sn_column(j, g->width);
  }
}

// One phase of one row: what it reduces is known to the whole block behind it.
static void run_phase(SnBuilder *b, Kernel *g, int i) {
  SnRowProgram *p = &g->program;
  const SnPhase *phase = &p->phases.data[i];
  Part parts[MAX_REDUCES];
  SnGpuReduction reductions[MAX_REDUCES];
  MlirValue values[MAX_REDUCES];
  MlirOperation shared[MAX_REDUCES];
  size_t num_shared = 0, n = parts_of(g, phase, parts);
  sn_row_scalars(b, p, i);
  for (size_t r = 0; r < n; ++r) {
    bool online = !sn_null(parts[r].sum);
    parts[r].value = sn_row_identity(b, p, parts[r].reduce, online ? 1 : g->width);
    if (online)
      parts[r].exponentials = sn_row_identity(b, p, parts[r].sum, g->width);
  }
  if (n || phase->yields.size)
    all_columns(b, g, phase, parts, n);
  for (size_t r = 0; r < n; ++r) {
    if (!sn_null(parts[r].sum)) {
      if (g->width > 1)
        parts[r].exponentials = sn_row_horizontal(b, p, parts[r].sum, parts[r].exponentials);
      sn_gpu_online_keep(&g->online, parts[r].reduce, parts[r].value, parts[r].exponentials);
    } else if (g->width > 1) {
      parts[r].value = sn_row_horizontal(b, p, parts[r].reduce, parts[r].value);
    }
    intptr_t a = feeds_only(g, parts[r].reduce);
    if (a >= 0) {
      g->carried[a] = sn_gpu_combine(b, &g->accumulators[a], g->carried[a], parts[r].value);
      continue;
    }
    values[num_shared] = parts[r].value;
    shared[num_shared++] = parts[r].reduce;
  }
  for (size_t r = 0; r < phase->reduces.size; ++r) { // what the phase of their maximum summed
    MlirOperation sum = phase->reduces.data[r], max = sn_gpu_online_max(&g->online, sum);
    if (sn_null(max))
      continue;
    values[num_shared] = sn_gpu_online_finish(b, &g->online, max, sn_row_scalar(p, sn_result(max, 0)));
    shared[num_shared++] = sum;
  }
  for (size_t r = 0; r < num_shared; ++r)
    reductions[r] = reduction_of(p, shared[r]);
  if (!lanes_are_rows(g->form))
    sn_gpu_reduce_group(b, g->k, num_shared, reductions, values, g->row_barriers == 1);
  for (size_t r = 0; r < num_shared; ++r)
    sn_map(&p->scalars, sn_result(shared[r], 0), values[r]);
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
      leader = sn_if(b, g->k->first_of_group);
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

// After all rows: each thread has a part where threads keep their own, else the value of its block, or of
// its cluster, of which one block then stands for all.
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
  MlirValue first_block = {0};
  if (g->k->cluster > 1)
    first_block = sn(b, "arith.cmpi", g->k->rank, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 0)));
  for (size_t a = 0, k = 0; a < g->num_accumulators; ++a)
    if (rows || !sn_null(g->own_part[a]))
      g->carried[a] = values[k++];
    else if (g->k->cluster > 1)
      g->carried[a] = sn(b, "arith.select", first_block, g->carried[a], sn_gpu_identity(b, &g->accumulators[a]));
  size_t given = g->form->inputs.size + g->form->indices.size + g->form->outputs.size;
  bool grid = g->k->blocks > 1;
  MlirValue scratch = grid ? mlirBlockGetArgument(g->k->entry, (intptr_t)given) : (MlirValue){0};
  MlirValue tag = grid ? mlirBlockGetArgument(g->k->entry, (intptr_t)given + 1) : (MlirValue){0};
  SnIf once = sn_gpu_reduce_grid(b, g->k, g->num_accumulators, g->accumulators, g->carried, scratch, tag);
  finish(b, g, g->carried, operands);
  sn_end_if(b, &once);
}

static void run_row(SnBuilder *b, Kernel *g, MlirValue row) {
  sn_row_begin(&g->program);
  sn_form_point(b, g->form, 0, g->form->num_rows, row, g->program.dims);
  sn_gpu_begin_row(b, g->k, row);
  if (g->num_resident)
    begin_resident(b, g);
  for (size_t i = 0; i < g->program.phases.size; ++i)
    run_phase(b, g, (int)i);
  for (size_t u = 0; u < g->num_resident; ++u)
    sn_column_free(&g->resident[u]);
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
  g.width = lanes_are_rows(f) ? 1 : s->vector;
  g.num_resident = resident_vectors(f, s);
  g.resident = sn_alloc((g.num_resident + 1) * sizeof *g.resident);
  g.inside = sn_alloc((g.num_resident + 1) * sizeof *g.inside);
  if (!lanes_are_rows(f) && !g.num_resident) // what stays is not read again
    sn_gpu_online_find(&g.online, &g.program);
  find_own_parts(&g);
  g.row_barriers = count_row_barriers(&g);
  for (size_t a = 0; a < g.num_accumulators; ++a)
    g.carried[a] = sn_gpu_identity(b, &g.accumulators[a]);

  bool rows = lanes_are_rows(f);
  MlirValue start = k->group;
  if (rows)
    start = sn(b, "arith.addi", sn(b, "arith.muli", k->block, sn_index(b, k->threads)), k->thread);
  int64_t step = rows ? k->blocks * k->threads : k->blocks / k->cluster;
  SnLoop row = sn_for_values(b, start, sn_index(b, sn_num_rows(f)), sn_index(b, step), sn_values((intptr_t)g.num_accumulators, g.carried));
  memcpy(g.carried, row.carried, g.num_accumulators * sizeof *g.carried);
  run_row(b, &g, row.index);
  sn_next_values(b, &row, sn_values((intptr_t)g.num_accumulators, g.carried));
  for (size_t a = 0; a < g.num_accumulators; ++a)
    g.carried[a] = sn_result(row.op, (intptr_t)a);
  if (sn_num_reduced(f))
    reduce_rows(b, &g, operands);
  sn_row_program_free(&g.program);
  free(g.resident);
  free(g.inside);
  free(arguments);
}
