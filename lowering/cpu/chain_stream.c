// chain_stream.c: rows that are made and multiplied again a block of columns at a time.
//
//   #sinter.brgemm<stream = 256, m = 128, n = 64, ...>        %e = exp(%x - max %x), %s = sum %e, %u = %e . V
//
//   for n0 by 256:
//     for each strip of rows (strip = 32):
//       c[32][256] = A . B
//       for each row:       x = the row program over c
//       for 16 rows each:   m' = max(m, x);  s = s * exp(m - m')
//       for each row:       u = u * exp(m - m')          where a row of the strip grew
//       for each row:       e = exp(x - m') -> p[32][256];  s = s + e
//       u[32][..] += p . V[n0 .. n0 + 256][..]
//                              from the first key that a mask leaves to the last one, in whole blocks; of a mask of a
//                              finite number once more, all of them, where some m' is not far above it
//   for each row: what is known at its end; then the next segment's row program over u
//
// That this is the same is asked by sn_cpu_streams. Where a row is nothing but -inf, the program says NaN: exponentials
// are taken under the least finite number, and the sums become NaN at the end. A NaN in a row makes its maximum one.
// Rows without a maximum (those of gradients, whose maxima are known) are 0 where nothing is left.

#include "lowering/cpu/chain.h"
#include "lowering/rows/index.h"
#include "passes/edit/edit.h"
#include <assert.h>

typedef struct {
  Chain *chain;
  Segment *s; // the first
  SnRowProgram program;
  SnCpuRow row;
  MlirOperation maximum; // that exponentials are under; null: there are none
  MlirValue begin;       // the first column of the block's rows that anything is asked of
} Stream;

// Of each row of a strip, behind the states: the maximum that exponentials are taken under, of this block's columns
// first; what sums so far are multiplied by.
enum { MOST, FACTOR, NUM_OF_STRIP };
enum { OEQ = 1, ULE = 12, UNE = 13 };      // of arith.cmpf
enum { EQ = 0, NE = 1, SLT = 2, SGE = 5 }; // of arith.cmpi

// ---- factors -----------------------------------------------------------------------------

// One more input of the kernel's form: the power of two above the number of columns.
static void add_power(SnKernel *k) {
  SnForm *f = &k->form, to = *f;
  SnBuilder *b = &k->b, before = sn_before(f->op);
  MlirContext ctx = b->ctx;
  MlirType f32 = mlirF32TypeGet(ctx), i32 = mlirIntegerTypeGet(ctx, 32);
  MlirValue one = sn_index(b, 1), memory = sn_cpu_scratch(k, f32, 1, &one);
  MlirValue columns = sn(b, "arith.index_cast", sn_form_columns(b, f), mlirIntegerTypeGet(ctx, 64));
  MlirValue bits = sn(b, "arith.bitcast", sn(b, "arith.uitofp", columns, f32), i32);
  bits = sn(b, "arith.addi", sn(b, "arith.andi", bits, sn_int(b, i32, 0x7f800000)), sn_int(b, i32, 0x00800000));
  sn_op(b, "memref.store", sn(b, "arith.bitcast", bits, f32), memory, sn_index(b, 0));
  MlirAffineExpr first = mlirAffineConstantExprGet(ctx, 0);
  to.inputs.data = NULL;
  to.inputs.size = to.inputs.capacity = 0;
  for (size_t i = 0; i < f->inputs.size; ++i)
    sn_push(&to.inputs, f->inputs.data[i]);
  sn_push(&to.inputs,
          ((SnAccess){.value = memory, .map = mlirAffineMapGet(ctx, (intptr_t)f->dims.size, 0, 1, &first)}));
  MlirOperation made = sn_with_other_sides(&before, f, &to);
  sn_vec_free(&to.inputs);
  mlirOperationDestroy(f->op);
  sn_form_free(f);
  *f = sn_form_read(made);
  k->b = sn_before(made);
}

void sn_cpu_stream_factors(SnKernel *k) {
  SnForm *f = &k->form;
  int64_t power = sn_stream_power(f);
  bool asks = !power && sn_stream_scales(f);
  if (asks)
    add_power(k);
  (void)sn_stream_factors(f, power, asks ? sn_input_argument(f, f->inputs.size - 1) : (MlirValue){0});
}

// ---- memory ----------------------------------------------------------------------------------

static size_t num_states(const SnRowProgram *p) {
  return p->phases.data[0].reduces.size + (p->phases.size > 1 ? p->phases.data[1].reduces.size : 0);
}

static MlirOperation state_of(const SnRowProgram *p, size_t i) {
  size_t first = p->phases.data[0].reduces.size;
  return i < first ? p->phases.data[0].reduces.data[i] : p->phases.data[1].reduces.data[i - first];
}

void sn_cpu_stream_begin(Chain *chain) {
  Contract *c = &chain->c;
  Segment *s = &chain->segments.data[0];
  SnRowProgram p = sn_row_program(&s->form, sn_values(0, NULL));
  for (size_t i = 0; i < num_states(&p); ++i)
    sn_push(&s->state, sn_cpu_scratch(c->kernel, sn_type_of(sn_result(state_of(&p, i), 0)), 1, &chain->windows.slots));
  sn_row_program_free(&p);
  MlirOperation maximum = sn_stream_maximum(s->form.body);
  for (int i = 0; i < NUM_OF_STRIP && !sn_null(maximum); ++i)
    sn_push(&s->state, sn_cpu_scratch(c->kernel, sn_type_of(sn_result(maximum, 0)), 1, &chain->windows.slots));
  for (size_t k = 1; k < chain->segments.size; ++k)
    for (size_t q = 0; q < chain->segments.data[k].form.products.size; ++q) {
      Segment *to = &chain->segments.data[k];
      Product *product = &to->products[q];
      if (!product->streamed)
        continue;
      SnWindow *w =
          sn_cpu_window_of(&chain->windows, to->form.inputs.data[sn_side(&to->form, product->a_side).first].value);
      int64_t unit = sn_micro_k_unit(product->line), width = sn_pieces(chain->stream, unit) * unit;
      if (sn_none(w->memory))
        w->memory = sn_cpu_task_memory(c, product->a_type, c->strip, sn_index(&c->kernel->b, width));
      assert(mlirTypeEqual(sn_element(sn_type_of(w->memory)), product->a_type) && "sn_cpu_streams asks for one type");
      product->a_pack = w->memory;
    }
}

void sn_cpu_stream_in_task(Chain *chain) {
  Segment *s = &chain->segments.data[0];
  for (size_t i = 0; i < s->state.size; ++i)
    s->state.data[i] = sn_lookup(&chain->c.t.map, s->state.data[i]);
}

// Of `width` rows.
static MlirValue load_states(SnBuilder *b, const Stream *t, size_t i, MlirValue row, int64_t width) {
  MlirType type = sn_type_of(sn_result(i < num_states(&t->program) ? state_of(&t->program, i) : t->maximum, 0));
  return sn_scratch_load(b, t->s->state.data[i], sn_values(1, &row), width > 1 ? sn_vector(type, width) : type,
                         sn_no_attr());
}

static MlirValue load_state(SnBuilder *b, const Stream *t, size_t i, MlirValue row) {
  return load_states(b, t, i, row, 1);
}

static void store_state(SnBuilder *b, const Stream *t, size_t i, MlirValue row, MlirValue x) {
  sn_scratch_store(b, x, t->s->state.data[i], sn_values(1, &row), sn_no_attr());
}

static void begin_states(SnBuilder *b, Stream *t) {
  Contract *c = &t->chain->c;
  SnLoop r = sn_for(b, sn_index(b, 0), c->mm, sn_index(b, 1));
  MlirValue row = sn_cpu_scratch_row(c, c->m, r.index);
  for (size_t i = 0; i < num_states(&t->program); ++i)
    store_state(b, t, i, row, sn_row_identity(b, &t->program, state_of(&t->program, i), 1));
  sn_next(b, &r);
}

// ---- products that take the rows -----------------------------------------------------------------

typedef void (*Emit)(SnBuilder *b, Stream *t, Segment *to, Product *p, void *user);
static void each_product(SnBuilder *b, Stream *t, Emit emit, void *user) {
  Contract *c = &t->chain->c;
  SnForm f = c->f;
  for (size_t k = 1; k < t->chain->segments.size; ++k) {
    Segment *to = &t->chain->segments.data[k];
    c->f = to->f;
    for (size_t q = 0; q < to->f.products.size; ++q)
      if (to->products[q].streamed)
        emit(b, t, to, &to->products[q], user);
  }
  c->f = f;
}

static void multiply(SnBuilder *b, Stream *t, Segment *to, Product *p, void *user) {
  Contract *c = &t->chain->c;
  const SnColumns *columns = user;
  MlirValue n = sn_index(b, to->n), end = sn_form_columns(b, &to->f);
  p->a_from = columns->from;
  p->first = t->begin;
  SnLoop n1 = sn_for(b, sn_index(b, 0), end, n);
  MlirValue nn = sn_cpu_smaller(b, n, to->n, n1.index, end);
  sn_cpu_product_part(c, p, columns->from, columns->to, n1.index, nn, n1.index);
  sn_next(b, &n1);
}

static void keep(SnBuilder *b, Stream *t, Segment *to, Product *p, void *user) {
  const SnColumns *columns = user;
  MlirValue n = sn_index(b, to->n), end = sn_form_columns(b, &to->f);
  SnLoop n1 = sn_for(b, sn_index(b, 0), end, n);
  sn_cpu_keep_panels(&t->chain->c, p, columns->from, columns->to, n1.index, sn_cpu_smaller(b, n, to->n, n1.index, end));
  sn_next(b, &n1);
}

static void keep_weights(Contract *c, Product *p, MlirValue n0, MlirValue nn, MlirValue column) {
  (void)column;
  sn_cpu_keep_panels(c, p, sn_index(&c->t.b, 0), sn_cpu_sum_of(&c->t.b, &c->f, p), n0, nn);
}

// Each product that gives columns of the rows, a panel of them at a time.
static void each_panel(SnBuilder *b, Stream *t, SnColumns columns,
                       void (*emit)(Contract *c, Product *p, MlirValue n0, MlirValue nn, MlirValue column)) {
  Contract *c = &t->chain->c;
  Segment *s = t->s;
  if (!s->f.products.size)
    return;
  c->f = s->f;
  MlirValue n = sn_index(b, s->n);
  SnLoop n0 = sn_for(b, columns.from, columns.to, n);
  MlirValue nn = sn_cpu_smaller(b, n, s->n, n0.index, columns.to), at = sn(b, "arith.subi", n0.index, columns.from);
  for (size_t p = 0; p < s->f.products.size; ++p)
    emit(c, &s->products[p], n0.index, nn, at);
  sn_next(b, &n0);
}

// Nothing is multiplied where there are no columns.
static void zero(SnBuilder *b, Stream *t, Segment *to, Product *p, void *user) {
  sn_cpu_product_zero(&t->chain->c, p, sn_form_columns(b, &to->f), sn_index(b, 0));
}

// Row `row` of c times a number, or (`set`) the number.
typedef struct {
  MlirValue row, number;
  bool set;
} Scale;

static void scale_part(SnBuilder *b, Product *p, const Scale *by, MlirValue from, MlirValue to, int64_t width) {
  SnLoop j = sn_for(b, from, to, sn_index(b, width));
  MlirType type = width > 1 ? sn_vector(p->type, width) : p->type;
  MlirValue at[] = {by->row, j.index}, x = sn_row_convert(b, by->number, p->type);
  if (width > 1)
    x = sn(b, "vector.broadcast", x, type);
  if (!by->set)
    x = sn(b, "arith.mulf", sn_scratch_load(b, p->c, sn_values(2, at), type, sn_no_attr()), x);
  sn_scratch_store(b, x, p->c, sn_values(2, at), sn_no_attr());
  sn_next(b, &j);
}

static void scale(SnBuilder *b, Stream *t, Segment *to, Product *p, void *user) {
  int64_t lanes = t->chain->c.lanes;
  MlirValue end = sn_form_columns(b, &to->f), vectors = lanes > 1 ? sn_size_whole(b, end, lanes) : sn_index(b, 0);
  if (lanes > 1)
    scale_part(b, p, user, sn_index(b, 0), vectors, lanes);
  scale_part(b, p, user, vectors, end, 1);
}

// ---- a row's columns -----------------------------------------------------------------------------

static MlirValue compare(SnBuilder *b, const char *op, int predicate, MlirValue x, MlirValue y) {
  return sn(b, op, x, y, sn_attr("predicate", sn_i64(b->ctx, predicate)));
}
// No exponential is taken under -inf.
static MlirValue under(SnBuilder *b, MlirValue maximum) {
  MlirType t = sn_type_of(maximum);
  double least = mlirTypeIsAF32(sn_element(t)) ? -3.4028234663852886e38 : -1.7976931348623157e308;
  return sn(b, "arith.maximumf", maximum, sn_splat(b, t, mlirFloatAttrDoubleGet(b->ctx, sn_element(t), least)));
}

// Of the row whose columns are made, or which ends.
typedef struct {
  Stream *t;
  MlirValue row;  // in scratch
  bool of_maxima; // only the first phase is made: `MOST` is this block's columns' maximum; else it is known
  MlirValue odd;  // i1 behind the first phase of its end: all are -inf, and not for want of elements
} StreamedRow;

static size_t of_strip(const Stream *t, int which) { return num_states(&t->program) + (size_t)which; }

static size_t state_of_maximum(const Stream *t) {
  size_t i = 0;
  while (!mlirOperationEqual(state_of(&t->program, i), t->maximum))
    ++i;
  return i;
}

static void state_of_phase(SnRowProgram *p, size_t phase, size_t *from, size_t *to) {
  size_t n = p->phases.data[0].reduces.size;
  *from = phase ? n : 0;
  *to = phase == 0 ? n : phase == 1 ? num_states(p) : n;
}

static void stream_phase(SnBuilder *b, size_t phase, void *user) {
  StreamedRow *s = user;
  Stream *t = s->t;
  SnRowProgram *p = &t->program;
  const SnPhase *now = &p->phases.data[phase];
  if (!phase && !sn_null(t->maximum) && !s->of_maxima) {
    sn_row_know(p, sn_result(t->maximum, 0), load_state(b, t, of_strip(t, MOST), s->row));
    return;
  }
  if (now->reduces.size || now->yields.size)
    sn_cpu_columns(b, &t->row, now);
  size_t i, to;
  for (state_of_phase(p, phase, &i, &to); i < to; ++i) {
    MlirOperation reduce = state_of(p, i);
    MlirValue x = sn_row_scalar(p, sn_result(reduce, 0));
    if (mlirOperationEqual(reduce, t->maximum))
      store_state(b, t, of_strip(t, MOST), s->row, x);
    else
      store_state(b, t, i, s->row, sn_row_combine(b, p, reduce, load_state(b, t, i, s->row), x));
  }
}

// Phases of each row of the strip. Of what is known behind its first phase exponentials take the maximum alone.
static void stream_rows(SnBuilder *b, Stream *t, MlirValue first, bool of_maxima) {
  Contract *c = &t->chain->c;
  SnRowProgram *p = &t->program;
  size_t phases = p->phases.size < 2 || of_maxima ? 1 : 2;
  SnLoop r = sn_for(b, sn_index(b, 0), c->mm, sn_index(b, 1));
  StreamedRow s = {.t = t, .row = sn_cpu_block_row(c, r.index), .of_maxima = of_maxima};
  sn_row_begin(p);
  sn_cpu_segment_row(c, t->s, &t->row, r.index, first);
  for (size_t i = 0; i < t->row.targets.size; ++i)
    if (!sn_none(t->row.targets.data[i].offset))
      t->row.targets.data[i].first = sn_cpu_scratch_row(c, c->strip, r.index);
  SnRowWalk walk = {.columns = stream_phase, .user = &s, .part = true};
  sn_row_walk(b, p, phases, &walk);
  sn_next(b, &r);
}

// Comparisons with positions are asked where a mask cuts the columns alone.
static void stream_rows_under_masks(SnBuilder *b, Stream *t, SnColumns columns, bool of_maxima) {
  Chain *chain = t->chain;
  SnRowProgram *p = &t->program;
  SnCpuCompare end, begin;
  bool ends = chain->ends_early && sn_cpu_compares_from(&t->s->f, &chain->end, &end),
       begins = chain->begins_late && sn_cpu_compares_below(&t->s->f, &chain->begin, &begin);
  MlirValue whole = ends || begins ? sn_cpu_no_mask_cuts(chain, columns) : (MlirValue){0};
  if (sn_none(whole)) {
    stream_rows(b, t, columns.from, of_maxima);
    return;
  }
  SnIf is_whole = sn_if(b, whole);
  if (ends)
    p->known[0].op = end.op, p->known[0].truth = !end.truth;
  if (begins)
    p->known[1].op = begin.op, p->known[1].truth = !begin.truth;
  stream_rows(b, t, columns.from, of_maxima);
  p->known[0].op = p->known[1].op = (MlirOperation){0};
  sn_else(b, &is_whole);
  stream_rows(b, t, columns.from, of_maxima);
  sn_end_if(b, &is_whole);
}

// The maxima of `width` rows and of these columns; sums so far come under them. i1: some are others than before.
static MlirValue raise_some(SnBuilder *b, Stream *t, MlirValue row, int64_t width) {
  size_t maximum = state_of_maximum(t), n = t->program.phases.data[0].reduces.size;
  MlirValue old = load_states(b, t, maximum, row, width), x = load_states(b, t, of_strip(t, MOST), row, width);
  MlirValue most = sn(b, "arith.maximumf", old, x), m = under(b, most);
  store_state(b, t, maximum, row, most);
  store_state(b, t, of_strip(t, MOST), row, m);
  MlirValue factor = sn(b, "math.exp", sn(b, "arith.subf", under(b, old), m));
  store_state(b, t, of_strip(t, FACTOR), row, factor);
  for (size_t i = n; i < num_states(&t->program); ++i)
    store_state(b, t, i, row, sn(b, "arith.mulf", load_states(b, t, i, row, width), factor));
  MlirValue grows = compare(b, "arith.cmpf", UNE, most, old);
  return width > 1 ? sn(b, "vector.reduction", grows, mlirIntegerTypeGet(b->ctx, 1),
                        sn_attr("kind", sn_parse_attr(b->ctx, "#vector.kind<or>")))
                   : grows;
}

// The maxima of the strip's rows grow by those of the columns from `first` on. Products so far come under them.
static void raise_maxima(SnBuilder *b, Stream *t, MlirValue first) {
  Contract *c = &t->chain->c;
  // A vector of rows may have some that are none, but not those of another strip or task.
  int64_t width = c->lanes > 1 && c->m % c->lanes == 0 && c->strip % c->lanes == 0 ? c->lanes : 1;
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1), none = sn_int(b, mlirIntegerTypeGet(b->ctx, 1), 0);
  SnLoop r = sn_for_values(b, zero, c->mm, sn_index(b, width), sn_values(1, &none));
  MlirValue grows = raise_some(b, t, sn_cpu_block_row(c, r.index), width);
  grows = sn(b, "arith.ori", r.carried[0], grows);
  sn_next_values(b, &r, sn_values(1, &grows));
  MlirValue later = compare(b, "arith.cmpi", NE, first, t->begin); // there is something in c
  SnIf some = sn_if(b, sn(b, "arith.andi", later, sn_result(r.op, 0)));
  SnLoop i = sn_for(b, zero, c->mm, one);
  Scale by = {.row = sn_cpu_block_row(c, i.index)};
  by.number = load_state(b, t, of_strip(t, FACTOR), by.row);
  each_product(b, t, scale, &by);
  sn_next(b, &i);
  sn_end_if(b, &some);
}

// Zeros behind the last column that is multiplied, up to what the kernel takes.
static void pad(SnBuilder *b, Stream *t, Segment *to, Product *p, void *user) {
  const SnColumns *columns = user;
  int64_t unit = sn_micro_k_unit(p->line), known;
  MlirValue count = sn(b, "arith.subi", columns->to, columns->from), whole = sn_cpu_whole(b, count, unit);
  if (unit == 1 || (sn_known(sn_form_sizes(b, &to->f, p->first_dim, p->num_dims), &known) && known % unit == 0 &&
                    t->chain->stream % unit == 0))
    return;
  Contract *c = &t->chain->c;
  SnLoop r = sn_for(b, sn_index(b, 0), c->mm, sn_index(b, 1));
  SnLoop j = sn_for(b, count, whole, sn_index(b, 1));
  MlirValue at[] = {sn_cpu_scratch_row(c, c->strip, r.index), j.index};
  sn_scratch_store(b, sn_zero(b, p->a_type), p->a_pack, sn_values(2, at), sn_no_attr());
  sn_next(b, &j);
  sn_next(b, &r);
}

// Columns `from` .. `to` of a strip's rows, of the block that begins at `first`, and what is multiplied by them.
static void stream_strip(SnBuilder *b, Stream *t, MlirValue first, SnColumns columns) {
  Contract *c = &t->chain->c;
  Segment *s = t->s;
  each_panel(b, t, columns, sn_cpu_product);
  t->row.from = columns.from;
  int64_t known, width = t->chain->stream;
  t->row.count = sn_known(sn_form_columns(b, &s->f), &known) && known % width == 0 && sn_none(c->r0)
                     ? sn_index(b, width)
                     : sn(b, "arith.subi", columns.to, columns.from);
  for (size_t i = 0; i < t->row.targets.size; ++i)
    if (!sn_none(t->row.targets.data[i].offset))
      t->row.targets.data[i].offset = columns.from;
  if (!sn_null(t->maximum)) {
    stream_rows_under_masks(b, t, columns, true);
    raise_maxima(b, t, first);
  }
  stream_rows_under_masks(b, t, columns, false);
  each_product(b, t, pad, &columns);
  MlirValue begins = compare(b, "arith.cmpi", EQ, first, t->begin), begin = t->begin;
  t->begin = sn_same(first, columns.from) ? begin : sn(b, "arith.select", begins, columns.from, begin);
  each_product(b, t, multiply, &columns);
  t->begin = begin;
}

// Columns `from` .. `to` of all rows, whose weights are copied once.
static void stream_columns(SnBuilder *b, Stream *t, SnColumns columns) {
  Contract *c = &t->chain->c, block = *c;
  if (c->strip == c->m) {
    stream_strip(b, t, columns.from, columns);
    return;
  }
  c->kept_from = columns.from;
  each_panel(b, t, columns, keep_weights);
  each_product(b, t, keep, &columns);
  SnLoop r0 = sn_for(b, sn_index(b, 0), c->mm, sn_index(b, c->strip));
  c->r0 = r0.index;
  c->i0 = plus(b, block.i0, r0.index);
  c->mm = sn_cpu_smaller(b, sn_index(b, c->strip), c->strip, r0.index, block.mm);
  stream_strip(b, t, columns.from, sn_cpu_columns_of_strip(t->chain, columns));
  c->r0 = block.r0;
  c->i0 = block.i0;
  c->mm = block.mm;
  sn_next(b, &r0);
}

// ---- the row's end -----------------------------------------------------------------------------------

static void end_phase(SnBuilder *b, size_t phase, void *user) {
  StreamedRow *s = user;
  Stream *t = s->t;
  SnRowProgram *p = &t->program;
  size_t i, to;
  for (state_of_phase(p, phase, &i, &to); phase < 2 && i < to; ++i) {
    MlirOperation reduce = state_of(p, i);
    MlirValue x = load_state(b, t, i, s->row);
    MlirType type = sn_type_of(x);
    if (mlirOperationEqual(reduce, t->maximum)) {
      MlirValue least = sn_row_identity(b, p, reduce, 1);
      MlirValue some = compare(b, "arith.cmpi", 1, sn_form_columns(b, &t->s->f), sn_index(b, 0));
      s->odd = sn(b, "arith.andi", some, compare(b, "arith.cmpf", OEQ, x, least));
    } else if (phase == 1) {
      x = sn(b, "arith.select", s->odd, sn_float(b, type, __builtin_nan("")), x);
    }
    sn_row_know(p, sn_result(reduce, 0), x);
  }
}

static void end_row(SnBuilder *b, Stream *t, MlirValue r, MlirValue *scalars) {
  Contract *c = &t->chain->c;
  SnRowProgram *p = &t->program;
  StreamedRow s = {.t = t, .row = sn_cpu_scratch_row(c, c->m, r)};
  sn_row_begin(p);
  sn_cpu_segment_row(c, t->s, &t->row, r, (MlirValue){0});
  SnRowWalk walk = {.columns = end_phase, .user = &s};
  sn_row_walk(b, p, p->phases.size, &walk);
  if (!sn_none(s.odd)) {
    SnIf is_odd = sn_if(b, s.odd);
    Scale nan = {
        .row = s.row, .number = sn_float(b, sn_type_of(sn_result(t->maximum, 0)), __builtin_nan("")), .set = true};
    each_product(b, t, scale, &nan);
    sn_end_if(b, &is_odd);
  }
  sn_cpu_row_ends(b, &t->row, scalars);
}

static bool has_exponentials(const SnForm *f) {
  bool has = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    has |= sn_is(op, "math.exp");
  return has;
}

// Rows that are multiplied are stored where the product has its side. Exponentials that are less than the least normal
// number are 0, and so is what is made of them.
static void set_targets(Stream *t) {
  bool exponentials = has_exponentials(&t->s->f);
  for (size_t i = 0; i < t->row.targets.size; ++i) {
    SnTarget *target = &t->row.targets.data[i];
    SnWindow *w = sn_none(target->access.value) ? NULL : sn_cpu_window_of(&t->chain->windows, target->access.value);
    if (w && w->streamed)
      *target = (SnTarget){.buffer = sn_lookup(&t->chain->c.t.map, w->memory),
                           .offset = w->memory,
                           .flushes = exponentials && mlirTypeIsAF32(sn_element(sn_type_of(w->memory)))};
  }
}

// The rows from their beginning, over such columns.
static void stream_all(SnBuilder *b, Stream *t, SnColumns all) {
  Chain *chain = t->chain;
  MlirValue width = sn_index(b, chain->stream), columns = sn_form_columns(b, &t->s->f);
  t->begin = all.from;
  begin_states(b, t);
  // Rows of exponentials under a maximum that end before they begin are NaN, which needs no zeros.
  int64_t known;
  bool some = sn_known(columns, &known) && known;
  if (!some || (sn_null(t->maximum) && (chain->ends_early || chain->begins_late))) {
    SnIf nothing = sn_if(b, compare(b, "arith.cmpi", SGE, all.from, all.to));
    each_product(b, t, zero, NULL);
    sn_end_if(b, &nothing);
  }
  SnLoop n0 = sn_for(b, all.from, all.to, width);
  stream_columns(b, t, (SnColumns){n0.index, sn_cpu_end(b, n0.index, width, all.to)});
  sn_next(b, &n0);
}

// ---- masks of a finite number ---------------------------------------------------------------------------

static MlirValue no(SnBuilder *b) { return sn_int(b, mlirIntegerTypeGet(b->ctx, 1), 0); }

// i1: a reference is not above what makes exponentials 0 of all that is left out.
static MlirValue is_low(SnBuilder *b, const Chain *chain, MlirValue reference) {
  return compare(b, "arith.cmpf", ULE, reference, sn_float(b, sn_type_of(reference), chain->above));
}

static MlirValue any_low_row(SnBuilder *b, Stream *t) {
  size_t state = state_of_maximum(t);
  MlirValue none = no(b);
  SnLoop r = sn_for_values(b, sn_index(b, 0), t->chain->c.mm, sn_index(b, 1), sn_values(1, &none));
  MlirValue most = load_state(b, t, state, sn_cpu_scratch_row(&t->chain->c, t->chain->c.m, r.index)),
            low = sn(b, "arith.ori", r.carried[0], is_low(b, t->chain, most));
  sn_next_values(b, &r, sn_values(1, &low));
  return sn_result(r.op, 0);
}

// Of columns `from` .. `to`, whose references an input gives.
static MlirValue any_low_column(SnBuilder *b, Stream *t, MlirValue from, MlirValue to, MlirValue low) {
  const SnAccess *a = &t->chain->under;
  MlirValue dims[SN_MAX_DIMS], at[SN_MAX_DIMS], memory = sn_lookup(&t->chain->c.t.map, a->value);
  memcpy(dims, t->chain->c.dims, sizeof dims);
  SnLoop j = sn_for_values(b, from, to, sn_index(b, 1), sn_values(1, &low));
  dims[sn_group(&t->s->f, 0).first] = j.index;
  intptr_t rank = mlirAffineMapGetNumResults(a->map);
  for (intptr_t p = 0; p < rank; ++p)
    at[p] = sn_affine(b, mlirAffineMapGetResult(a->map, p), dims);
  MlirValue x = sn(b, "memref.load", memory, sn_values(rank, at), sn_element(sn_type_of(memory)));
  low = sn(b, "arith.ori", j.carried[0], is_low(b, t->chain, x));
  sn_next_values(b, &j, sn_values(1, &low));
  return sn_result(j.op, 0);
}

static SnColumns whole_if(SnBuilder *b, MlirValue condition, SnColumns left, MlirValue columns) {
  return (SnColumns){sn(b, "arith.select", condition, sn_index(b, 0), left.from),
                     sn(b, "arith.select", condition, columns, left.to)};
}

// The columns that a mask leaves, and where others count after all, all of them.
static void stream_left(SnBuilder *b, Stream *t, SnColumns left) {
  MlirValue columns = sn_form_columns(b, &t->s->f), zero = sn_index(b, 0);
  if (!sn_none(t->chain->under.value)) {
    MlirValue low = any_low_column(b, t, zero, left.from, no(b));
    low = any_low_column(b, t, sn(b, "arith.maxsi", left.to, zero), columns, low);
    stream_all(b, t, whole_if(b, low, left, columns));
    return;
  }
  MlirType i1 = mlirIntegerTypeGet(b->ctx, 1);
  MlirValue asked = sn_int(b, i1, 1), none = no(b);
  SnLoop turn = sn_for_values(b, zero, sn_index(b, 2), sn_index(b, 1), sn_values(1, &asked));
  SnIf is = sn_if_types(b, turn.carried[0], sn_types(1, &i1));
  stream_all(b, t, whole_if(b, compare(b, "arith.cmpi", EQ, turn.index, sn_index(b, 1)), left, columns));
  MlirValue made = sn(b, "arith.subi", left.to, left.from), some = compare(b, "arith.cmpi", NE, made, columns),
            again = sn(b, "arith.andi", some, any_low_row(b, t));
  sn_else_values(b, &is, sn_values(1, &again));
  sn_end_if_values(b, &is, sn_values(1, &none));
  again = sn_result(is.op, 0);
  sn_next_values(b, &turn, sn_values(1, &again));
}

void sn_cpu_stream(Chain *chain, MlirValue *scalars) {
  Contract *c = &chain->c;
  SnBuilder *b = &c->t.b;
  Segment *s = &chain->segments.data[0];
  Stream t = {.chain = chain, .s = s, .program = sn_row_program(&s->f, sn_values(0, NULL))};
  c->f = s->f;
  t.row = sn_cpu_scheduled_loops(&s->f, &t.program);
  sn_row_mark_exponentials(&t.program);
  t.maximum = sn_stream_maximum(s->f.body);
  sn_cpu_body_targets(&s->f, &c->t, &s->partials, &t.row);
  set_targets(&t);
  for (size_t p = 0; p < s->f.products.size; ++p)
    if (!s->products[p].lda)
      sn_cpu_pack_a(c, &s->products[p]);
  SnColumns left = sn_cpu_columns_of_stream(chain, sn_form_columns(b, &s->f));
  if (chain->above)
    stream_left(b, &t, left);
  else
    stream_all(b, &t, left);
  SnLoop r = sn_for_values(b, sn_index(b, 0), c->mm, sn_index(b, 1), sn_values(s->accumulators, scalars));
  end_row(b, &t, r.index, r.carried);
  sn_next_values(b, &r, sn_values(s->accumulators, r.carried));
  for (intptr_t i = 0; i < s->accumulators; ++i)
    scalars[i] = sn_result(r.op, i);
  sn_vec_free(&t.row.targets);
  sn_row_program_free(&t.program);
}
