// rowwise.c: the device code of a rowwise kernel.
//
//   row = block; row < rows; row += blocks                    a block works on one row
//     scalars of the row
//     for each phase of the row program:
//       j = vector * thread; j < N; j += vector * threads     consecutive threads, consecutive columns
//         partial = partial . element(j);  output[row, j] = element(j)
//       row_reduce = partials combined over the block
//     accumulator = accumulator . value of the row            accumulate.c
//   accumulators combined over the block and the grid; finish; reduced outputs
//
// Who shares a row is the schedule's: a team of 1 to 32 threads of a block (short rows; one thread where neighbours in
// memory are neighbours in the last row dimension, and for a form without columns), a block, or a
// cluster of blocks. A row_reduce that does nothing but feed an accumulator of its kind is not combined row by
// row: each thread goes on with its own part. A maximum and the sum of exponentials
// under it take one phase instead of two (online.c). Rows that several phases read
// come from memory again, from L2 if they are short (residency "reread"), or stay in registers
// with all that was computed of them: then the column loop is unrolled, and each thread has the same
// few vectors in all phases (residency "registers").

#include "lowering/gpu/rows.h"
#include "lowering/rowmemory.h"
#include <assert.h>
#include <math.h>

// ---- what this lowering can do ------------------------------------------------

bool sn_gpu_lanes_are_rows(const SnForm *f) { return f->num_cols == 0; }

int64_t sn_gpu_rowwise_team(const SnForm *f, const SnGpuRows *s) { return sn_gpu_lanes_are_rows(f) ? 1 : s->team; }

size_t sn_gpu_resident(const SnForm *f, const SnGpuRows *s) {
  int64_t at_once = s->vector * sn_gpu_rowwise_team(f, s) * s->cluster, n = sn_row_length(f);
  if (sn_gpu_peels(f, s))
    n += s->vector - 1; // what stands in front of a row in its first vector
  return (s->registers || s->shared) && !sn_gpu_lanes_are_rows(f) && n != SN_DYNAMIC ? (size_t)((n + at_once - 1) / at_once) : 0;
}

// Elements of a table that turns out empty are outside, but there is none to read instead.
static MlirLogicalResult check_tables(const SnForm *f, const SnAccess *a, const char *what, size_t k) {
  MlirType t = sn_type_of(a->value);
  for (intptr_t i = 0; a->through.ptr && !a->fill.ptr && i < mlirAffineMapGetNumResults(a->map); ++i)
    if (mlirAffineExprIsASymbol(mlirAffineMapGetResult(a->map, i)) && sn_dim(t, i) < 1)
      return sn_error(f->op, "%s %zu is read through an index tensor in dimension %lld, whose size a GPU kernel has to know: make it static, 1 or more",
                      what, k, (long long)i);
  return SN_OK;
}

static MlirLogicalResult check_columns(const SnForm *f, const SnGpuRows *s, size_t columns, size_t scalars) {
  int64_t n = sn_row_length(f), bytes = 0;
  size_t resident = sn_gpu_resident(f, s), carried = scalars + columns * resident;
  if (n == SN_DYNAMIC)
    return sn_error(f->op, "keeps columns of rows whose length is `?` over all rows: a GPU kernel needs scratch memory of a known size; make it static");
  if (s->team < s->threads && !resident)
    return sn_error(f->op, "team = %lld of %lld threads keeps sums of columns in registers only: schedule with residency = \"registers\", or without team",
                    (long long)s->team, (long long)s->threads);
  if (carried > SN_CARRIED)
    return sn_error(f->op, "carries %zu vectors of sums from row to row; a GPU kernel at most %d: more threads or residency = \"reread\" are needed", carried, SN_CARRIED);
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map) && bytes < (int64_t)sn_bits(f->accumulators.data[k].type) / 8)
      bytes = sn_bits(f->accumulators.data[k].type) / 8;
  if (s->team < s->threads && s->threads / s->team * n * bytes > 40 << 10)
    return sn_error(f->op, "%lld teams of a block with %lld columns each are more than its shared memory: larger teams are needed",
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
  size_t reduces = 0, columns = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    reduces += sn_is(op, "sinter.row_reduce");
  if (reduces > MAX_REDUCES)
    return sn_error(f->op, "has %zu row_reduces; a GPU kernel has at most %d", reduces, MAX_REDUCES);
  if (f->accumulators.size > MAX_ACCUMULATORS)
    return sn_error(f->op, "has %zu accumulators; a GPU kernel keeps at most %d", f->accumulators.size, MAX_ACCUMULATORS);
  int64_t n = sn_row_length(f);
  if (s->flat) {
    const char *why = sn_gpu_not_flat(f);
    return why ? sn_error(f->op, "is not flat: %s", why) : SN_OK;
  }
  if (!sn_gpu_lanes_are_rows(f) && !sn_gpu_peels(f, s) && (n == SN_DYNAMIC ? s->vector > 1 : n % s->vector))
    return n == SN_DYNAMIC ? sn_error(f->op, "rows of unknown length are no multiple of the schedule's vector = %lld", (long long)s->vector)
                           : sn_error(f->op, "rows of %lld columns are no multiple of the schedule's vector = %lld", (long long)n, (long long)s->vector);
  if ((s->grid && sn_failed(sn_gpu_grid_rows_check(f, s))) || (s->shared && sn_failed(sn_gpu_shared_check(f, s))))
    return SN_FAIL;
  if (s->cluster > 1 && (sn_gpu_lanes_are_rows(f) || s->team < s->threads))
    return sn_error(f->op, "cluster = %lld needs columns and no team: only then do blocks share a row", (long long)s->cluster);
  if ((s->registers || s->shared) && n == SN_DYNAMIC)
    return sn_error(f->op, "a row of unknown length has no registers: schedule with residency = \"reread\"");
  if (sn_gpu_resident(f, s) > MAX_RESIDENT)
    return sn_error(f->op, "rows of %lld columns are %zu vectors for each thread: registers hold %d; more threads or a larger cluster are needed",
                    (long long)n, sn_gpu_resident(f, s), MAX_RESIDENT);
  for (size_t k = 0; k < f->accumulators.size; ++k)
    columns += sn_uses_cols(f, f->accumulators.data[k].map);
  if (s->tile && (columns || sn_gpu_lanes_are_rows(f)))
    return sn_error(f->op, "shape = \"tile\" needs columns, and no sums of columns over all rows");
  return columns ? check_columns(f, s, columns, f->accumulators.size - columns) : SN_OK;
}

int64_t sn_gpu_rowwise_blocks(const SnForm *f, const SnGpuRows *s) {
  int64_t rows = sn_num_rows(f), most = s->blocks / s->cluster, at_once = s->threads / sn_gpu_rowwise_team(f, s);
  if (s->flat) { // vectors of a block
    int64_t length = sn_row_length(f);
    rows = rows == SN_DYNAMIC || length == SN_DYNAMIC ? SN_DYNAMIC : rows * length;
    at_once = s->threads * s->vector;
  }
  int64_t wanted = rows == SN_DYNAMIC ? most : (rows + at_once - 1) / at_once;
  wanted = wanted < most ? wanted : most;
  return (wanted > 1 ? wanted : 1) * s->cluster;
}

// ---- one kernel --------------------------------------------------------------------

MlirValue sn_gpu_select(SnBuilder *b, MlirValue condition, MlirValue x, MlirValue otherwise) {
  return sn_none(condition) ? x : sn(b, "arith.select", condition, x, otherwise);
}

static SnGpuReduction reduction_of(SnRowProgram *p, MlirOperation reduce) {
  MlirAttribute kind = sn_get_attr(reduce, "kind");
  return (SnGpuReduction){.type = sn_type_of(sn_result(reduce, 0)),
                          .combiner = kind.ptr ? sn_combiner(mlirStringAttrGetValue(kind)) : NULL,
                          .program = p,
                          .reduce = reduce};
}

// The scalar accumulator that this row_reduce feeds and nothing else reads, or -1.
static intptr_t feeds_only(const SnGpuRowKernel *g, MlirOperation reduce) {
  for (size_t a = 0; !g->finishing && a < g->all.scalars; ++a)
    if (!sn_null(g->own_part[a]) && mlirOperationEqual(g->own_part[a], reduce))
      return (intptr_t)a;
  return -1;
}

static void find_own_parts(SnGpuRowKernel *g) {
  const SnGpuRows *s = g->schedule;
  bool alone = !s->flat && s->team >= s->threads && sn_gpu_rowwise_blocks(g->form, s) == sn_num_rows(g->form) * s->cluster; // with one row
  g->all.of_groups = true;
  for (size_t a = 0; a < g->all.scalars; ++a) {
    MlirValue v = sn_row_yield(&g->program, (intptr_t)g->of_scalar[a]);
    MlirOperation reduce = sn_def(v, "sinter.row_reduce");
    bool online = !sn_null(reduce) && (!sn_null(sn_gpu_online_max(&g->online, reduce)) || !sn_null(sn_gpu_online_sum(&g->online, reduce)));
    bool same = !alone && !sn_null(reduce) && !online && sn_one_use(v) && mlirTypeEqual(sn_type_of(v), g->scalars[a].type) &&
                reduction_of(&g->program, reduce).combiner == g->scalars[a].combiner;
    g->own_part[a] = same ? reduce : (MlirOperation){0};
    g->all.of_groups &= !same;
  }
}

typedef SnGpuPart Part;

static size_t parts_of(const SnGpuRowKernel *g, const SnPhase *phase, Part *parts) {
  size_t n = 0;
  for (size_t r = 0; r < phase->reduces.size; ++r) {
    MlirOperation reduce = phase->reduces.data[r];
    if (!sn_null(sn_gpu_online_max(&g->online, reduce)))
      continue; // done with its maximum
    assert(n < MAX_REDUCES && "checked before");
    parts[n++] = (Part){.reduce = reduce, .sum = sn_gpu_online_sum(&g->online, reduce), .squares = sn_gpu_is_squares(&g->online, reduce)};
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
    if (parts[p].squares)
      list[size++] = parts[p].count;
  }
  return size;
}
static void unpack(Part *parts, size_t n, const MlirValue *list) {
  for (size_t p = 0; p < n; ++p) {
    parts[p].value = *list++;
    if (!sn_null(parts[p].sum))
      parts[p].exponentials = *list++;
    if (parts[p].squares)
      parts[p].count = *list++;
  }
}

static SnAccess output(const SnGpuRowKernel *g, size_t o) {
  SnAccess access = g->form->outputs.data[o];
  access.value = g->k->operands[g->form->inputs.size + g->form->indices.size + o];
  return access;
}

static void store_row(SnBuilder *b, SnGpuRowKernel *g, SnColumn *at, intptr_t yield, MlirValue element) {
  for (size_t o = 0; o < g->form->outputs.size; ++o)
    if (sn_is_reduced(g->form, o) == g->finishing && sn_output_position(g->form, o) == (size_t)yield) {
      SnAccess access = output(g, o);
      sn_row_store(b, &g->program, at, element, &access);
    }
}

// The row that an online maximum is of, less a factor 2^n: exponents and the maximum are multiplied by it instead of each element.
static MlirValue unscaled(const Part *part, double *scale) {
  MlirValue of = sn_operand(part->reduce, 0);
  MlirOperation mul = sn_null(part->sum) || part->squares || !mlirTypeIsAF32(sn_element(sn_type_of(of))) ? (MlirOperation){0} : sn_def(of, "arith.mulf");
  *scale = 1;
  for (int k = 0; k < 2 && !sn_null(mul); ++k) {
    MlirOperation broadcast = sn_def(sn_operand(mul, k), "sinter.broadcast");
    MlirAttribute a = sn_null(broadcast) ? (MlirAttribute){0} : sn_constant_of(sn_operand(broadcast, 0));
    int exponent;
    if (!a.ptr || !mlirAttributeIsAFloat(a) || frexp(mlirFloatAttrGetValueDouble(a), &exponent) != 0.5 || abs(exponent) > 20)
      continue;
    *scale = mlirFloatAttrGetValueDouble(a);
    return sn_operand(mul, 1 - k);
  }
  return of;
}

// What a reduction takes of a vector: its identity where the row has no element.
static MlirValue reduced(SnBuilder *b, SnGpuRowKernel *g, const Part *part, SnColumn *at, const MlirValue *inside) {
  SnRowProgram *p = &g->program;
  double scale;
  MlirValue of = unscaled(part, &scale), x = scale != 1 ? sn_row_element(b, p, at, of) : sn_row_reduced(b, p, at, part->reduce);
  if (!inside || sn_none(*inside) || sn_gpu_is_packed_maximum(g, part->reduce)) // the last is masked already
    return x;
  MlirValue none = sn_row_identity(b, p, part->reduce, g->width);
  if (mlirTypeIsAVector(sn_type_of(*inside)) && !mlirTypeIsAVector(sn_type_of(none)))
    none = sn(b, "vector.broadcast", none, sn_type_of(x));
  MlirValue masked = sn(b, "arith.select", *inside, x, none);
  if (mlirValueIsABlockArgument(of) && mlirTypeEqual(sn_type_of(masked), sn_type_of(x)))
    sn_map(&at->made, of, masked); // one copy; what is outside is nobody's
  return masked;
}

// A maximum, and the sum of exponentials under it, of `count` vectors, which are null as long as they wait in halves.
static void online(SnBuilder *b, SnGpuRowKernel *g, Part *part, size_t count, SnColumn *at, const MlirValue *inside, const MlirValue *x) {
  bool packed = sn_gpu_is_packed_maximum(g, part->reduce);
  MlirValue top = packed ? sn_gpu_packed_maximum(b, g, part->reduce, count, at) : x[0];
  for (size_t u = 1; u < count && !packed; ++u)
    top = sn_row_combine(b, &g->program, part->reduce, top, x[u]);
  if (mlirTypeIsAVector(sn_type_of(top)))
    top = sn_row_horizontal(b, &g->program, part->reduce, top);
  if (sn_null(part->sum)) {
    part->value = top;
    return;
  }
  if (count == g->num_resident) // there was nothing before
    part->value = part->exponentials = (MlirValue){0};
  double scale;
  unscaled(part, &scale);
  MlirValue times = scale != 1 ? sn_float(b, sn_type_of(top), scale) : top;
  if (scale != 1)
    top = sn(b, "arith.mulf", top, times);
  SnGpuOnlineStep step = sn_gpu_online_begin(b, &g->program, part->reduce, top, &part->value, &part->exponentials);
  if (scale != 1)
    step.power.factor = sn(b, "arith.mulf", step.power.factor, times);
  for (size_t u = 0; u < count; ++u) {
    MlirValue element = packed ? (MlirValue){0} : x[u];
    if (packed && g->num_resident) {
      sn_gpu_widen(b, g, u);
      element = reduced(b, g, part, &at[u], inside ? &inside[u] : NULL);
    } else if (packed) {
      element = sn_gpu_widened(b, g, part->reduce, &at[u]);
    }
    sn_gpu_online_add(b, &step, element, &part->exponentials);
  }
}

static void store_vector(SnBuilder *b, SnGpuRowKernel *g, const SnPhase *phase, SnColumn *at, MlirValue there, size_t count, const MlirValue *elements) {
  if (!sn_none(g->valid))
    there = sn_none(there) ? g->valid : sn(b, "arith.andi", there, g->valid);
  SnColumn before = *at; // what is made under the branch is not known behind it
  SnIf in_row;
  if (!sn_none(there))
    in_row = sn_if(b, there);
  for (size_t y = 0; y < phase->yields.size; ++y)
    if (sn_gpu_column_accumulator(g, phase->yields.data[y]) < 0)
      store_row(b, g, at, phase->yields.data[y], elements[y * count]);
  if (!sn_none(there)) {
    sn_end_if(b, &in_row);
    memcpy(at->dims, before.dims, sizeof before.dims);
  }
}

// Where columns are compared with a label, only the label's column is equal: vectors are stored without a comparison, and that element
// again, by the same thread.
static void find_labels(const SnGpuRowKernel *g, SnValueVec *labels) {
  int64_t n = sn_row_length(g->form);
  if (g->width == 1 || n == SN_DYNAMIC || n >= (int64_t)1 << 29)
    return;
  for (MlirOperation op = mlirBlockGetFirstOperation(g->program.block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    MlirValue label = sn_row_label(&g->program, op);
    bool known = sn_none(label) || sn_unused(op);
    for (size_t i = 0; i < labels->size && !known; ++i)
      known = sn_same(labels->data[i], label);
    if (!known)
      sn_push(labels, label);
  }
}

static void store_label(SnBuilder *b, SnGpuRowKernel *g, const SnPhase *phase, MlirValue label) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue at = sn_row_as_index(b, sn_row_scalar(&g->program, label)), mine = g->resident[0].index;
  if (!g->peeled)
    mine = sn(b, "arith.muli", g->k->member, sn_index(b, g->width));
  MlirValue far = sn(b, "arith.subi", sn(b, "arith.index_cast", at, i32), sn(b, "arith.index_cast", mine, i32));
  MlirValue lane = sn(b, "arith.andi", far, sn_int(b, i32, g->width * g->k->team - 1));
  MlirValue own = sn(b, "arith.andi", sn_row_below(b, lane, sn_int(b, i32, g->width)), sn_row_below(b, at, g->length));
  SnIf owner = sn_if(b, sn_none(g->valid) ? own : sn(b, "arith.andi", own, g->valid));
  SnColumn c = sn_column(at, 1);
  for (size_t y = 0; y < phase->yields.size; ++y)
    store_row(b, g, &c, phase->yields.data[y], sn_row_element(b, &g->program, &c, sn_row_yield(&g->program, phase->yields.data[y])));
  sn_column_free(&c);
  sn_end_if(b, &owner);
}

// One phase on `count` vectors. All are read before the first is used or stored, but those that wait in registers: each is done with
// before the next begins.
static void columns(SnBuilder *b, SnGpuRowKernel *g, const SnPhase *phase, Part *parts, size_t n, size_t count, SnColumn *at, const MlirValue *inside) {
  SnRowProgram *p = &g->program;
  size_t yields = phase->yields.size, stored = 0;
  bool resident = at == g->resident && count == g->num_resident;
  MlirValue *elements = sn_alloc(((n + yields) * count + 1) * sizeof *elements);
#define ELEMENTS(i) (elements + (i) * count)
  for (size_t y = 0; y < yields; ++y)
    stored += sn_gpu_column_accumulator(g, phase->yields.data[y]) < 0;
  for (size_t u = 0; u < count; ++u)
    for (size_t r = 0; r < n; ++r)
      if (!resident && sn_gpu_is_packed_maximum(g, parts[r].reduce)) {
        sn_gpu_read_packed(b, g, parts[r].reduce, &at[u]);
      } else if (!sn_gpu_is_packed_maximum(g, parts[r].reduce)) {
        if (resident && g->packed)
          sn_gpu_widen(b, g, u);
        ELEMENTS(r)[u] = reduced(b, g, &parts[r], &at[u], inside ? &inside[u] : NULL);
      }
  for (size_t u = 0; u < count && !resident; ++u)
    for (size_t y = 0; y < yields; ++y)
      ELEMENTS(n + y)[u] = sn_row_element(b, p, &at[u], sn_row_yield(p, phase->yields.data[y]));
  for (size_t r = 0; r < n; ++r) {
    if (parts[r].squares)
      sn_gpu_squares_step(b, count, ELEMENTS(r), inside, &parts[r].value, &parts[r].exponentials, &parts[r].count);
    else if (!sn_null(parts[r].sum) || sn_gpu_is_packed_maximum(g, parts[r].reduce))
      online(b, g, &parts[r], count, at, inside, ELEMENTS(r));
    else
      for (size_t u = 0; u < count; ++u)
        parts[r].value = sn_row_combine(b, p, parts[r].reduce, parts[r].value, ELEMENTS(r)[u]);
  }
  SnValueVec labels = {0};
  if (resident && !n && yields == stored && p->phases.size == g->phase + 1)
    find_labels(g, &labels);
  p->no_hot_one = labels.size > 0;
  for (size_t u = 0; u < count && yields; ++u) {
    if (resident && g->packed)
      sn_gpu_widen(b, g, u);
    for (size_t y = 0; y < yields && resident; ++y)
      ELEMENTS(n + y)[u] = sn_row_element(b, p, &at[u], sn_row_yield(p, phase->yields.data[y]));
    for (size_t y = 0; y < yields; ++y) {
      intptr_t c = sn_gpu_column_accumulator(g, phase->yields.data[y]);
      if (c >= 0)
        sn_gpu_accumulate_columns(b, g, (size_t)c, u, &at[u], ELEMENTS(n + y)[u]);
    }
    if (stored)
      store_vector(b, g, phase, &at[u], inside && !g->peeled ? inside[u] : (MlirValue){0}, count, ELEMENTS(n) + u);
  }
  p->no_hot_one = false;
  for (size_t l = 0; l < labels.size; ++l)
    store_label(b, g, phase, labels.data[l]);
  sn_vec_free(&labels);
#undef ELEMENTS
  free(elements);
}

// The same at j, j + step, ..., where nothing is known from before.
static void columns_at(SnBuilder *b, SnGpuRowKernel *g, const SnPhase *phase, Part *parts, size_t n, MlirValue j, int64_t count, int64_t step) {
  SnColumn *at = sn_alloc((size_t)count * sizeof *at);
  for (int64_t u = 0; u < count; ++u)
    at[u] = sn_column(u ? sn(b, "arith.addi", j, sn_index(b, u * step)) : j, g->width);
  columns(b, g, phase, parts, n, (size_t)count, at, NULL);
  for (int64_t u = 0; u < count; ++u)
    sn_column_free(&at[u]);
  free(at);
}

// Column loop from `from` to `to` by `count` vectors of each thread. What is added to accumulators in registers does not get here.
static void column_loop(SnBuilder *b, SnGpuRowKernel *g, const SnPhase *phase, Part *parts, size_t n, MlirValue from, MlirValue to, int64_t count) {
  int64_t step = g->width * g->k->team, low, high;
  MlirValue list[3 * MAX_REDUCES];
  bool known = sn_known(from, &low);
  if (known && sn_known(to, &high) && low >= high)
    return;
  MlirValue mine = sn(b, "arith.muli", g->k->member, sn_index(b, g->width));
  if (!known || low)
    mine = sn(b, "arith.addi", mine, from);
  SnLoop j = sn_for_values(b, mine, to, sn_index(b, step * count), sn_values(pack(parts, n, list), list));
  unpack(parts, n, j.carried);
  columns_at(b, g, phase, parts, n, j.index, count, step);
  intptr_t carried = pack(parts, n, list);
  sn_next_values(b, &j, sn_values(carried, list));
  for (intptr_t i = 0; i < carried; ++i)
    list[i] = sn_result(j.op, i);
  unpack(parts, n, list);
}

// What each lane of a part has, in one value.
static void to_scalars(SnBuilder *b, SnGpuRowKernel *g, Part *parts, size_t n) {
  for (size_t r = 0; r < n; ++r) {
    if (parts[r].squares) {
      sn_gpu_squares_lanes(b, &parts[r].value, &parts[r].exponentials, &parts[r].count);
      continue;
    }
    MlirValue *lanes = sn_null(parts[r].sum) ? &parts[r].value : &parts[r].exponentials;
    if (mlirTypeIsAVector(sn_type_of(*lanes)))
      *lanes = sn_row_horizontal(b, &g->program, sn_null(parts[r].sum) ? parts[r].reduce : parts[r].sum, *lanes);
  }
}

static void end_parts(SnBuilder *b, SnGpuRowKernel *g, Part *parts, size_t n) {
  to_scalars(b, g, parts, n);
  for (size_t r = 0; r < n; ++r)
    if (!sn_null(parts[r].sum) && !parts[r].squares)
      parts[r].exponentials = sn_gpu_online_end(b, parts[r].value, parts[r].exponentials);
}

static void all_columns(SnBuilder *b, SnGpuRowKernel *g, const SnPhase *phase, Part *parts, size_t n) {
  if (sn_gpu_lanes_are_rows(g->form)) { // a row of one column
    columns_at(b, g, phase, parts, n, sn_index(b, 0), 1, 1);
    return;
  }
  if (g->num_resident && g->schedule->shared) {
    sn_gpu_shared_columns(b, g, (size_t)(phase - g->program.phases.data), parts, n);
    return;
  }
  if (g->num_resident) {
    columns(b, g, phase, parts, n, g->num_resident, g->resident, g->inside);
    return;
  }
  int64_t unroll = g->finishing ? 1 : g->schedule->unroll, lanes = g->width, known;
  MlirValue whole = sn_index(b, 0), vectors = sn_size_whole(b, g->length, lanes);
  if (unroll > 1) {
    whole = sn_size_whole(b, g->length, lanes * g->k->team * unroll);
    column_loop(b, g, phase, parts, n, sn_index(b, 0), whole, unroll);
  }
  column_loop(b, g, phase, parts, n, whole, vectors, 1);
  if (lanes == 1 || (sn_known(g->length, &known) && known % lanes == 0))
    return;
  // What is less than a vector, an element each.
  to_scalars(b, g, parts, n);
  g->width = 1;
  column_loop(b, g, phase, parts, n, vectors, g->length, 1);
  g->width = lanes;
}

// The vectors of a row that a thread keeps. One behind the end of the row is read from the row's last
// place instead, so that no branch stands between the loads.
void sn_gpu_begin_resident(SnBuilder *b, SnGpuRowKernel *g, MlirValue row, SnColumn *at, MlirValue *inside) {
  SnGpuKernel *k = g->k;
  if (g->schedule->grid) {
    sn_gpu_begin_slice(b, g, row, at, inside);
    return;
  }
  if (g->peeled) {
    sn_gpu_begin_peeled(b, g, row, at, inside);
    return;
  }
  // A warp of a tile has columns that follow each other, so that their places differ by constants that instructions hold.
  int64_t length = sn_row_length(g->form), each = k->tile ? (int64_t)g->num_resident : g->width, step = k->tile ? 1 : g->width * k->team;
  MlirValue first = sn(b, "arith.muli", k->member, sn_index(b, each));
  for (size_t u = 0; u < g->num_resident; ++u) {
    MlirValue j = u ? sn(b, "arith.addi", first, sn_index(b, (int64_t)u * step)) : first;
    inside[u] = (MlirValue){0};
    if ((int64_t)u * step + each * (k->team - 1) + g->width > length) {
      inside[u] = sn(b, "arith.cmpi", j, sn_index(b, length), sn_attr("predicate", sn_i64(b->ctx, 6))); // ult
      j = sn(b, "arith.minui", j, sn_index(b, length - g->width));
    }
    at[u] = sn_column(j, g->width);
  }
}

static void begin_parts(SnBuilder *b, SnGpuRowKernel *g, Part *parts, size_t n) {
  for (size_t r = 0; r < n; ++r) {
    bool online = !sn_null(parts[r].sum);
    parts[r].value = sn_row_identity(b, &g->program, parts[r].reduce, online && !parts[r].squares ? 1 : g->width);
    if (online)
      parts[r].exponentials = parts[r].count = sn_row_identity(b, &g->program, parts[r].sum, g->width);
  }
}

bool sn_gpu_keep_own_part(SnBuilder *b, SnGpuRowKernel *g, const SnGpuPart *part) {
  intptr_t a = feeds_only(g, part->reduce);
  if (a < 0)
    return false;
  const SnGpuReduction *all = &g->scalars[a];
  g->carried[a] = sn_gpu_combine(b, all, g->carried[a], sn_gpu_select(b, g->valid, part->value, sn_gpu_identity(b, all)));
  return true;
}

size_t sn_gpu_meet(SnGpuRowKernel *g, const SnGpuPart *part, size_t n, SnGpuReduction *reductions, MlirValue *values, MlirOperation *shared) {
  size_t first = n;
  shared[n] = part->reduce;
  values[n] = part->value;
  reductions[n++] = reduction_of(&g->program, part->reduce);
  if (sn_null(part->sum))
    return n;
  if (part->squares) {
    shared[n] = (MlirOperation){0};
    values[n] = part->count;
    reductions[n] = reductions[first];
    ++n;
  }
  shared[n] = part->sum;
  values[n] = part->exponentials;
  reductions[n] = reduction_of(&g->program, part->sum);
  *(part->squares ? &reductions[n].about : &reductions[n].under) = first + 1;
  return n + 1;
}

bool sn_gpu_feeds_accumulator(const SnGpuRowKernel *g, MlirOperation reduce) { return feeds_only(g, reduce) >= 0; }

size_t sn_gpu_parts(const SnGpuRowKernel *g, size_t i, SnGpuPart *parts) { return parts_of(g, &g->program.phases.data[i], parts); }

void sn_gpu_begin_phase(SnBuilder *b, SnGpuRowKernel *g, SnGpuPart *parts, size_t n) { begin_parts(b, g, parts, n); }

void sn_gpu_run_columns(SnBuilder *b, SnGpuRowKernel *g, size_t i, SnGpuPart *parts, size_t n, size_t first, size_t count) {
  columns(b, g, &g->program.phases.data[i], parts, n, count, g->resident + first, g->inside + first);
}

void sn_gpu_run_all_columns(SnBuilder *b, SnGpuRowKernel *g, size_t i, SnGpuPart *parts, size_t n) {
  const SnPhase *phase = &g->program.phases.data[i];
  if (n || phase->yields.size)
    all_columns(b, g, phase, parts, n);
}

void sn_gpu_end_phase(SnBuilder *b, SnGpuRowKernel *g, SnGpuPart *parts, size_t n) { end_parts(b, g, parts, n); }

// One phase of one row: what it reduces is known to the whole block behind it.
static void run_phase(SnBuilder *b, SnGpuRowKernel *g, int i) {
  SnRowProgram *p = &g->program;
  const SnPhase *phase = &p->phases.data[i];
  Part parts[MAX_REDUCES];
  SnGpuReduction reductions[MAX_REDUCES];
  MlirValue values[MAX_REDUCES];
  MlirOperation shared[MAX_REDUCES];
  size_t num_shared = 0, n = parts_of(g, phase, parts);
  sn_row_scalars(b, p, i);
  begin_parts(b, g, parts, n);
  if (n || phase->yields.size)
    all_columns(b, g, phase, parts, n);
  end_parts(b, g, parts, n);
  for (size_t r = 0; r < n; ++r) {
    if (sn_gpu_is_only_asserted(parts[r].reduce)) { // each thread asserts what it has seen
      sn_map(&p->scalars, sn_result(parts[r].reduce, 0), parts[r].value);
      continue;
    }
    if (!sn_gpu_keep_own_part(b, g, &parts[r]))
      num_shared = sn_gpu_meet(g, &parts[r], num_shared, reductions, values, shared);
  }
  sn_gpu_reduce_group(b, g->k, num_shared, reductions, values, g->row_barriers == 1);
  for (size_t r = 0; r < num_shared; ++r)
    sn_map(&p->scalars, sn_result(shared[r], 0), values[r]);
}

// Those of a row that are one for the row: by all threads where each has a row, else by the first that share it.
void sn_gpu_store_scalars(SnBuilder *b, SnGpuRowKernel *g) {
  const SnForm *f = g->form;
  MlirValue who = g->k->team == 1 && !g->finishing ? (MlirValue){0} : g->k->first_of_group;
  if (!sn_none(g->valid))
    who = sn_none(who) ? g->valid : sn(b, "arith.andi", who, g->valid);
  bool any = false;
  SnIf leader;
  for (size_t o = 0; o < f->outputs.size; ++o) {
    if (sn_is_reduced(f, o) != g->finishing || sn_uses_cols(f, f->outputs.data[o].map))
      continue;
    MlirValue v = sn_row_yield(&g->program, (intptr_t)sn_output_position(f, o));
    if (!any && !sn_none(who))
      leader = sn_if(b, who);
    any = true;
    SnAccess access = output(g, o);
    SnColumn at = sn_column(sn_index(b, 0), 1);
    sn_row_store(b, &g->program, &at, sn_row_scalar(&g->program, v), &access);
    sn_column_free(&at);
  }
  if (any && !sn_none(who))
    sn_end_if(b, &leader);
}

void sn_gpu_run_program(SnBuilder *b, SnGpuRowKernel *g) {
  for (size_t i = 0; i < g->program.phases.size; ++i) {
    // What is on its way delays what blocks of a cluster post to each other: they ask behind the last of it.
    if (!sn_none(g->next) && (g->k->cluster == 1 || i + 1 == g->program.phases.size)) {
      sn_gpu_fetch(b, g, g->next, g->num_rows);
      g->next = (MlirValue){0};
    }
    g->phase = i;
    if (g->packed)
      sn_gpu_unpack(b, g, i);
    else if (i && g->remade)
      sn_gpu_forget(b, g, i);
    run_phase(b, g, (int)i);
  }
  if (!g->finishing)
    sn_gpu_accumulate_scalars(b, g);
  sn_gpu_store_scalars(b, g);
}

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
      shared += feeds_only(g, reduce) < 0 && !sn_gpu_is_only_asserted(reduce) && sn_null(sn_gpu_online_max(&g->online, reduce));
    }
    count += shared > 0;
  }
  return count;
}

// The teams of a block go from rows to rows together, so that all of a warp meet in a shuffle: a team without a row has the last one
// again, and neither stores nor adds it.
static MlirValue row_of_team(SnBuilder *b, SnGpuRowKernel *g, MlirValue first_row, MlirValue rows) {
  SnGpuKernel *k = g->k;
  int64_t at_once = k->threads / k->team, known;
  MlirValue row = sn(b, "arith.addi", first_row, sn(b, k->tile ? "arith.remui" : "arith.divui", k->thread, sn_index(b, k->tile ? 32 : k->team)));
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
  find_own_parts(g);
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
  SnGpuRowKernel g = {.k = k, .form = f, .schedule = s, .program = sn_row_program(f, sn_values((intptr_t)k->num_operands, k->operands))};
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
  int64_t at_once = k->team < k->threads ? k->threads / k->team : 1, step = s->flat ? 1 : k->blocks / k->cluster * at_once;
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
