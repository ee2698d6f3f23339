// rows.c: one row of a row program as loops over its columns.
//
//   for j in 0 .. N' by unroll * lanes:  unroll vectors, each with its own accumulators
//   for j in N' .. N'' by lanes:         one vector
//   accumulators combined by halves to a scalar
//   for j in N'' .. N:                   scalars
//
// once for each phase. The rest is one more vector that ends at N - 1: lanes that were seen before count as identities.
// Scalars are left where a row is shorter than a vector, or a known N has one element more. The order in which elements
// meet comes from the schedule and the length alone.
//
// Two vectors of a half type are loaded or stored as one: lowering/rows/rowpairs.c. Whether columns are taken by parity
// there depends on the program alone, not on where memory is, as sums do.
//
// Lanes along rows (rowlanes.c): every step is one column, and nothing is combined across lanes.

#include "lowering/cpu/lower_cpu.h"
#include <assert.h>

MlirValue sn_cpu_lanes_from(SnBuilder *b, MlirValue seen, int64_t width) {
  MlirAttribute lanes[SN_MAX_LANES];
  MlirType i1 = mlirIntegerTypeGet(b->ctx, 1), t = sn_vector(sn_index_type(b->ctx), width);
  int64_t known;
  if (!sn_known(seen, &known))
    return sn(b, "arith.cmpi", sn(b, "vector.step", t), sn(b, "vector.broadcast", seen, t),
              sn_attr("predicate", sn_i64(b->ctx, 9))); // uge
  for (int64_t l = 0; l < width; ++l)
    lanes[l] = mlirBoolAttrGet(b->ctx, l >= known);
  return known ? sn(b, "arith.constant", sn_attr("value", mlirDenseElementsAttrGet(sn_vector(i1, width), width, lanes)))
               : (MlirValue){0};
}

MlirValue sn_cpu_unseen(SnBuilder *b, MlirValue x, MlirValue identity, MlirValue mask) {
  return sn_none(mask) ? x : sn(b, "arith.select", mask, x, identity);
}

static const MlirValue all_lanes = {0};

static void combine_row(SnBuilder *b, const SnTarget *t, SnFragment *c, MlirValue x, MlirValue mask) {
  MlirType type = sn_type_of(x);
  MlirValue at[] = {t->first, c->column};
  if (!sn_none(mask))
    x = sn_cpu_unseen(b, x, sn_splat(b, type, sn_combiner_identity(t->combiner, sn_element(type))), mask);
  MlirValue old = sn_scratch_load(b, t->buffer, sn_values(2, at), type, sn_no_attr());
  sn_scratch_store(b, sn_combine(b, t->combiner, old, x), t->buffer, sn_values(2, at), sn_no_attr());
}

// Multiplying by a subnormal number takes some processors many times as long as by others.
static MlirValue flushed(SnBuilder *b, MlirValue x) {
  MlirType t = sn_type_of(x), i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirType ints = mlirTypeIsAVector(t) ? sn_vector(i32, (int64_t)mlirShapedTypeGetDimSize(t, 0)) : i32;
  MlirValue exponent = sn(b, "arith.andi", sn(b, "arith.bitcast", x, ints),
                          sn_splat(b, ints, mlirIntegerAttrGet(i32, 0x7f800000)));
  MlirValue none = sn(b, "arith.cmpi", exponent, sn_zero(b, ints), sn_attr("predicate", sn_i64(b->ctx, 0))); // eq
  return sn(b, "arith.select", none, sn_zero(b, t), x);
}

static void store_row(SnBuilder *b, const SnTarget *t, SnFragment *c, MlirValue x) {
  MlirValue at[] = {t->first, sn(b, "arith.subi", c->column, t->offset)};
  if (sn_fills_bytes(sn_element(sn_type_of(x)))) // others are kept as integers
    x = sn_row_convert(b, x, sn_element(sn_type_of(t->buffer)));
  if (t->flushes)
    x = flushed(b, x);
  sn_scratch_store(b, x, t->buffer, sn_values(2, at), sn_no_attr());
}

// A product that is added to a sum is rounded with it, in a loop or where that is written out (passes/math/sums.c).
static MlirValue going_on(SnBuilder *b, MlirValue sum) {
  MlirOperation add = sn_def(sum, "arith.addf");
  if (!sn_null(add))
    sn_set_attr(add, "fastmath", sn_parse_attr(b->ctx, "#arith.fastmath<contract>"));
  return sum;
}

// One step at a column: accumulators of the phase and what it stores. Lanes that the mask leaves out were combined
// before.
static void step_of(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, SnFragment c, MlirValue mask, MlirValue *acc) {
  SnRowProgram *p = r->program;
  int64_t width = sn_fragment_lanes(&c);
  c.keeps = true;
  c.from = r->known_from;
  c.to = r->known_to;
  for (size_t i = 0; i < phase->reduces.size; ++i) {
    MlirOperation reduce = phase->reduces.data[i];
    MlirValue x = sn_row_reduced(b, p, &c, reduce);
    if (!sn_none(mask))
      x = sn_cpu_unseen(b, x, sn_row_identity(b, p, reduce, width), mask);
    acc[i] = going_on(b, sn_row_combine(b, p, reduce, acc[i], x));
  }
  for (size_t i = 0; i < phase->yields.size; ++i) {
    const SnTarget *t = &r->targets.data[phase->yields.data[i]];
    MlirValue x = sn_row_element(b, p, &c, sn_row_yield(p, phase->yields.data[i]));
    if (sn_none(t->access.value) && !t->combiner)
      store_row(b, t, &c, x);
    else if (sn_none(t->access.value))
      combine_row(b, t, &c, x, mask);
    else
      sn_row_store(b, p, &c, x, &t->access);
  }
  sn_fragment_free(&c);
}

static void step(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, MlirValue j, int64_t width, MlirValue mask,
                 MlirValue *acc) {
  SnFragment c = r->program->row.rows > 1 ? sn_fragment_of_rows(j, width) : sn_fragment(j, width);
  step_of(b, r, phase, c, mask, acc);
}

// Two vectors of a half type are a line of memory at most: they are loaded or stored as one.
static bool by_parity(const SnCpuRow *r, const SnPhase *phase, int64_t width) {
  bool is = sn_row_in_any_order(r->program, phase);
  for (size_t i = 0; i < phase->yields.size && is; ++i) {
    const SnAccess *a = &r->targets.data[phase->yields.data[i]].access;
    is = !sn_none(a->value) && sn_row_stores_pair(r->program, a, width);
  }
  return is;
}

static bool by_pairs(const SnCpuRow *r, const SnPhase *phase, int64_t width) {
  return r->halves_together && width > 1 && width <= 16 && r->program->row.rows == 1 &&
         (sn_row_stores_halves(r->program, phase) || by_parity(r, phase, width));
}

void sn_cpu_vectors(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, MlirValue j, int64_t width, int64_t count,
                    MlirValue *acc) {
  intptr_t n = (intptr_t)phase->reduces.size;
  int64_t stride = r->program->row.rows > 1 ? 1 : width;
  if (width > 1 && r->program->row.rows == 1)
    sn_cpu_prefetch(b, r, phase, j, width, count);
  bool pairs = count % 2 == 0 && by_pairs(r, phase, width);
  SnRowPair pair = {.by_parity = pairs && by_parity(r, phase, width)};
  for (int64_t v = 0; v < count; ++v) {
    MlirValue at = v ? sn(b, "arith.addi", j, sn_index(b, v * stride)) : j;
    if (!pairs) {
      step(b, r, phase, at, width, all_lanes, acc + v * n);
      continue;
    }
    if (v % 2 == 0)
      pair = (SnRowPair){.column = at, .by_parity = pair.by_parity};
    step_of(b, r, phase, sn_row_half(b, &pair, v % 2, width), all_lanes, acc + v * n);
    if (v % 2)
      sn_row_pair_free(&pair);
  }
}

// Steps of `count` vectors from lo to hi; acc[v * reduces + i] is accumulator i of vector v.
static MlirOperation loop_values(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, MlirValue lo, MlirValue hi,
                                 int64_t width, int64_t count, MlirValue *acc) {
  intptr_t all = (intptr_t)phase->reduces.size * count;
  int64_t stride = r->program->row.rows > 1 ? 1 : width;
  SnLoop j = sn_for_values(b, lo, hi, sn_index(b, stride * count), sn_values(all, acc));
  MlirValue next[SN_MAX_REDUCTIONS];
  memcpy(next, j.carried, (size_t)all * sizeof *next);
  sn_cpu_vectors(b, r, phase, j.index, width, count, next);
  sn_next_values(b, &j, sn_values(all, next));
  for (intptr_t i = 0; i < all; ++i)
    acc[i] = sn_result(j.op, i);
  return j.op;
}

// Columns one by one, fewer than a vector of them: vectors of LLVM's own would never run, but their constants would
// take registers from those that do.
static void few(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, MlirValue lo, MlirValue hi, MlirValue *acc) {
  MlirOperation loop = loop_values(b, r, phase, lo, hi, 1, 1, acc);
  sn_set_attr(loop, "llvm.loop_annotation",
              sn_parse_attr(b->ctx, "#llvm.loop_annotation<vectorize = <disable = true>, unroll = <disable = true>>"));
}

// Left out where it is known that there are none. Of a number of turns that is not known LLVM would write out eight,
// and a loop for the rest of them: a row has several such loops, and more of its time goes into their ends than is
// saved.
static void loop(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, MlirValue lo, MlirValue hi, int64_t width,
                 int64_t count, MlirValue *acc) {
  int64_t from, to;
  bool known = sn_known(lo, &from) && sn_known(hi, &to);
  if (known && from >= to)
    return;
  MlirOperation loop = loop_values(b, r, phase, lo, hi, width, count, acc);
  if (!known && width > 1 && r->program->row.rows == 1)
    sn_set_attr(loop, "llvm.loop_annotation",
                sn_parse_attr(b->ctx, "#llvm.loop_annotation<unroll = <disable = true>>"));
}

// Vectors of a row from `begin` to `end`, part by part where it is known what each part reads.
static void vectors_of(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, MlirValue begin, MlirValue wide, MlirValue end,
                       int64_t unroll, MlirValue *acc) {
  int64_t from, to;
  SnColumnCuts cuts = {0};
  if (!sn_known(begin, &from) || !sn_known(end, &to) || !sn_row_cuts(r->program, r->lanes, &cuts)) {
    loop(b, r, phase, begin, wide, r->lanes, unroll, acc);
    if (unroll > 1)
      loop(b, r, phase, wide, end, r->lanes, 1, acc);
    sn_vec_free(&cuts);
    return;
  }
  sn_push(&cuts, to);
  for (size_t i = 0; i < cuts.size; ++i) {
    int64_t next = cuts.data[i], whole = from + (next - from) / (unroll * r->lanes) * (unroll * r->lanes);
    r->known_from = from;
    r->known_to = next;
    loop(b, r, phase, sn_index(b, from), sn_index(b, whole), r->lanes, unroll, acc);
    if (unroll > 1)
      loop(b, r, phase, sn_index(b, whole), sn_index(b, next), r->lanes, 1, acc);
    from = next;
  }
  r->known_from = r->known_to = 0;
  sn_vec_free(&cuts);
}

// Where the units of the row or the piece end.
static MlirValue end_of(SnBuilder *b, const SnCpuRow *r, MlirValue length, int64_t unit) {
  MlirValue n = sn_size_whole(b, length, unit);
  return sn_none(r->from) ? n : sn(b, "arith.addi", r->from, n);
}

// Lanes are rows: lines of the last column dimensions, each written out, with accumulators of columns in turn. What is
// of the other column dimensions alone is computed once for a line.
static void lines_of_rows(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, int64_t unroll, MlirValue *acc) {
  const SnForm *f = r->program->form;
  int64_t outer = f->num_cols - r->line, size = 1, n = (int64_t)phase->reduces.size;
  for (int64_t d = f->num_rows + outer; d < (int64_t)f->dims.size; ++d)
    size = sn_times(size, f->dims.data[d].size);
  SnLoop o = sn_for_values(b, sn_index(b, 0), sn_form_sizes(b, f, f->num_rows, outer), sn_index(b, 1),
                           sn_values(n * unroll, acc));
  MlirValue begin = sn(b, "arith.muli", o.index, sn_index(b, size)), dims[SN_MAX_DIMS];
  sn_form_point(b, f, f->num_rows, outer, o.index, dims);
  for (int64_t j = 0; j < size; ++j) {
    SnFragment c = sn_fragment_of_rows(sn(b, "arith.addi", begin, sn_index(b, j)), r->program->row.rows);
    memcpy(c.dims, dims, (size_t)outer * sizeof *dims);
    for (int64_t d = f->num_cols - 1, left = j; d >= outer; left /= f->dims.data[f->num_rows + d--].size)
      c.dims[d] = sn_index(b, left % f->dims.data[f->num_rows + d].size);
    step_of(b, r, phase, c, all_lanes, o.carried + j % unroll * n);
  }
  sn_next_values(b, &o, sn_values(n * unroll, o.carried));
  for (int64_t i = 0; i < n * unroll; ++i)
    acc[i] = sn_result(o.op, i);
}

// Lanes are rows: columns one by one, `unroll` of them in a step with accumulators of their own.
static void columns_of_rows(SnBuilder *b, SnCpuRow *r, const SnPhase *phase) {
  SnRowProgram *p = r->program;
  int64_t n = (int64_t)phase->reduces.size, known = INT64_MAX, unroll = n ? r->unroll : 1, lanes = p->row.rows;
  MlirValue length = sn_form_columns(b, p->form), zero = sn_index(b, 0), acc[SN_MAX_REDUCTIONS];
  sn_known(length, &known);
  while (unroll > 1 && (n * unroll > r->carried || known < unroll))
    --unroll;
  for (int64_t i = 0; i < n * unroll; ++i)
    acc[i] = sn_row_identity(b, p, phase->reduces.data[i % n], lanes);
  if (known <= r->written_out) {
    for (int64_t j = 0; j < known; ++j)
      step(b, r, phase, sn_index(b, j), lanes, all_lanes, acc + j % unroll * n);
  } else if (r->line) {
    lines_of_rows(b, r, phase, unroll, acc);
  } else {
    MlirValue wide = unroll > 1 ? sn_size_whole(b, length, unroll) : length;
    loop(b, r, phase, zero, wide, lanes, unroll, acc);
    loop(b, r, phase, wide, length, lanes, 1, acc);
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t v = 1; v < unroll; ++v)
      acc[i] = sn_row_combine(b, p, phase->reduces.data[i], acc[i], acc[v * n + i]);
    sn_row_know(p, sn_result(phase->reduces.data[i], 0), acc[i]);
  }
}

SnCpuLast sn_cpu_last_vector(SnBuilder *b, MlirValue length, MlirValue vectors, MlirValue end, int64_t lanes,
                             SnValues carried) {
  MlirType types[2 * SN_MAX_REDUCTIONS];
  MlirValue wide = sn_index(b, lanes), rest = sn(b, "arith.subi", end, vectors),
            fits = sn(b, "arith.cmpi", length, wide, sn_attr("predicate", sn_i64(b->ctx, 9))); // uge
  SnCpuLast last = {.seen_to = sn(b, "arith.select", fits, end, vectors)};
  for (intptr_t i = 0; i < carried.n; ++i)
    types[i] = sn_type_of(carried.data[i]);
  MlirValue some = sn(b, "arith.cmpi", vectors, last.seen_to, sn_attr("predicate", sn_i64(b->ctx, 6))); // ult
  last.some = sn_if_types(b, some, (SnTypes){carried.n, types});
  last.column = sn(b, "arith.subi", end, wide);
  last.mask = sn_cpu_lanes_from(b, sn(b, "arith.subi", wide, rest), lanes);
  return last;
}

void sn_cpu_last_vector_end(SnBuilder *b, SnCpuLast *last, intptr_t n, const MlirValue *next, MlirValue *carried) {
  if (n) {
    sn_else_values(b, &last->some, sn_values(n, next));
    sn_end_if_values(b, &last->some, sn_values(n, carried));
  } else {
    sn_end_if(b, &last->some);
  }
  for (intptr_t i = 0; i < n; ++i)
    carried[i] = sn_result(last->some.op, i);
}

// What is left behind the vectors of a length `?`; where that ends.
static MlirValue last_vector(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, MlirValue length, MlirValue vectors,
                             MlirValue end, MlirValue *acc) {
  intptr_t n = (intptr_t)phase->reduces.size;
  SnCpuLast last = sn_cpu_last_vector(b, length, vectors, end, r->lanes, sn_values(n, acc));
  MlirValue next[SN_MAX_REDUCTIONS];
  memcpy(next, acc, (size_t)n * sizeof *next);
  step(b, r, phase, last.column, r->lanes, last.mask, next);
  sn_cpu_last_vector_end(b, &last, n, next, acc);
  return last.seen_to;
}

// ---- line by line ----------------------------------------------------------------------------

// What a phase carries from line to line: vectors, of `unroll` of them in a step, and what is left of a line.
typedef struct {
  int64_t n, unroll;
  MlirValue vectors[SN_MAX_REDUCTIONS], rest[SN_MAX_REDUCTIONS];
} Sums;

// Columns of one line, `length` of them from `begin` on.
static void columns_of_line(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, MlirValue begin, MlirValue length,
                            Sums *s) {
  int64_t known, lanes = r->lanes;
  bool fixed = sn_known(length, &known);
  MlirValue end = sn(b, "arith.addi", begin, length), vectors = begin;
  if (lanes > 1 && (!fixed || known >= lanes)) {
    MlirValue wide = sn(b, "arith.addi", begin, sn_size_whole(b, length, s->unroll * lanes));
    vectors = sn(b, "arith.addi", begin, sn_size_whole(b, length, lanes));
    if (!fixed || known >= s->unroll * lanes)
      loop_values(b, r, phase, begin, wide, lanes, s->unroll, s->vectors);
    else
      wide = begin;
    if (s->unroll > 1 && (!fixed || known % (s->unroll * lanes) >= lanes))
      loop_values(b, r, phase, wide, vectors, lanes, 1, s->vectors);
    if (fixed && known % lanes) {
      step(b, r, phase, sn(b, "arith.addi", begin, sn_index(b, known - lanes)), lanes,
           sn_cpu_lanes_from(b, sn_index(b, lanes - known % lanes), lanes), s->vectors);
    } else if (!fixed) {
      vectors = last_vector(b, r, phase, length, vectors, end, s->vectors);
    }
  }
  if (!fixed || known < lanes || lanes == 1)
    few(b, r, phase, vectors, end, s->rest);
}

static void columns_by_lines(SnBuilder *b, SnCpuRow *r, const SnPhase *phase) {
  SnRowProgram *p = r->program;
  const SnForm *f = p->form;
  int64_t outer = f->num_cols - r->line, known = INT64_MAX, all;
  Sums s = {.n = (int64_t)phase->reduces.size, .unroll = phase->reduces.size ? r->unroll : r->plain};
  MlirValue length = sn_form_sizes(b, f, f->num_rows + outer, r->line), lines = sn_form_sizes(b, f, f->num_rows, outer),
            carried[2 * SN_MAX_REDUCTIONS];
  sn_known(length, &known);
  while (s.unroll > 1 && (s.n * s.unroll > r->carried || known < s.unroll * r->lanes))
    --s.unroll;
  all = s.n * s.unroll;
  for (int64_t i = 0; i < all; ++i)
    carried[i] = sn_row_identity(b, p, phase->reduces.data[i % s.n], r->lanes);
  for (int64_t i = 0; i < s.n; ++i)
    carried[all + i] = sn_row_identity(b, p, phase->reduces.data[i], 1);
  SnLoop o = sn_for_values(b, sn_index(b, 0), lines, sn_index(b, 1), sn_values(all + s.n, carried));
  memcpy(s.vectors, o.carried, (size_t)all * sizeof *carried);
  memcpy(s.rest, o.carried + all, (size_t)s.n * sizeof *carried);
  p->line = r->line;
  sn_form_point(b, f, f->num_rows, outer, o.index, p->outer);
  p->line_begin = sn(b, "arith.muli", o.index, length);
  columns_of_line(b, r, phase, p->line_begin, length, &s);
  p->line = 0;
  memcpy(carried, s.vectors, (size_t)all * sizeof *carried);
  memcpy(carried + all, s.rest, (size_t)s.n * sizeof *carried);
  sn_next_values(b, &o, sn_values(all + s.n, carried));
  for (int64_t i = 0; i < s.n; ++i) {
    MlirOperation reduce = phase->reduces.data[i];
    MlirValue acc = sn_result(o.op, i);
    for (int64_t v = 1; v < s.unroll; ++v)
      acc = sn_row_combine(b, p, reduce, acc, sn_result(o.op, v * s.n + i));
    acc = r->lanes > 1 ? sn_row_horizontal(b, p, reduce, acc) : acc;
    sn_row_know(p, sn_result(reduce, 0), sn_row_combine(b, p, reduce, acc, sn_result(o.op, all + i)));
  }
}

// ---- a row ----------------------------------------------------------------------------------

int64_t sn_cpu_vectors_at_once(const SnCpuRow *r, const SnPhase *phase, int64_t known) {
  int64_t n = (int64_t)phase->reduces.size, unroll = n ? r->unroll : r->plain;
  if (unroll < 2 && by_pairs(r, phase, r->lanes))
    unroll = 2;
  while (unroll > 1 && (n * unroll > r->carried || known < unroll * r->lanes))
    --unroll;
  return unroll;
}

void sn_cpu_across(SnBuilder *b, SnRowProgram *p, const SnPhase *phase, int64_t unroll, MlirValue *acc) {
  int64_t n = (int64_t)phase->reduces.size;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t v = 1; v < unroll; ++v)
      acc[i] = sn_row_combine(b, p, phase->reduces.data[i], acc[i], acc[v * n + i]);
    acc[i] = sn_row_horizontal(b, p, phase->reduces.data[i], acc[i]);
  }
}

void sn_cpu_columns(SnBuilder *b, SnCpuRow *r, const SnPhase *phase) {
  if (r->line) {
    columns_by_lines(b, r, phase);
    return;
  }
  SnRowProgram *p = r->program;
  bool piece = !sn_none(r->from);
  int64_t n = (int64_t)phase->reduces.size, known = INT64_MAX, lanes = r->lanes;
  MlirValue length = piece ? r->count : sn_form_columns(b, p->form), begin = piece ? r->from : sn_index(b, 0);
  bool fixed = sn_known(length, &known);
  int64_t unroll = sn_cpu_vectors_at_once(r, phase, known);
  MlirValue vectors = lanes > 1 ? end_of(b, r, length, lanes) : begin, end = end_of(b, r, length, 1),
            acc[SN_MAX_REDUCTIONS];
  if (lanes > 1 && (!fixed || known >= lanes)) {
    MlirValue wide = unroll > 1 ? end_of(b, r, length, unroll * lanes) : vectors;
    for (int64_t i = 0; i < n * unroll; ++i)
      acc[i] = sn_row_identity(b, p, phase->reduces.data[i % n], lanes);
    vectors_of(b, r, phase, begin, wide, vectors, unroll, acc);
    if (fixed && known % lanes > 1) {
      MlirValue last = sn_index(b, known - lanes);
      step(b, r, phase, piece ? sn(b, "arith.addi", begin, last) : last, lanes,
           sn_cpu_lanes_from(b, sn_index(b, lanes - known % lanes), lanes), acc);
      vectors = end;
    } else if (!fixed) {
      vectors = last_vector(b, r, phase, length, vectors, end, acc);
    }
    sn_cpu_across(b, p, phase, unroll, acc);
  } else {
    for (int64_t i = 0; i < n; ++i)
      acc[i] = sn_row_identity(b, p, phase->reduces.data[i], 1);
  }
  if (lanes > 1 && !fixed)
    few(b, r, phase, vectors, end, acc);
  else
    loop(b, r, phase, vectors, end, 1, 1, acc);
  for (int64_t i = 0; i < n; ++i)
    sn_row_know(p, sn_result(phase->reduces.data[i], 0), acc[i]);
}

void sn_cpu_row_phase(SnBuilder *b, SnCpuRow *r, size_t i) {
  SnRowProgram *p = r->program;
  const SnPhase *phase = &p->phases.data[i];
  if (!phase->reduces.size && !phase->yields.size)
    return;
  if (p->row.rows > 1)
    columns_of_rows(b, r, phase);
  else
    sn_cpu_columns(b, r, phase);
}

// The loops of a phase; where it has a guard, only if that holds for some row.
static void guarded_phase(SnBuilder *b, SnCpuRow *r, size_t i) {
  SnRowProgram *p = r->program;
  const SnPhase *phase = &p->phases.data[i];
  MlirValue guard = r->runs_guarded ? (MlirValue){0} : sn_row_guard(p, (int)i), results[SN_MAX_REDUCTIONS];
  MlirType types[SN_MAX_REDUCTIONS];
  intptr_t n = (intptr_t)phase->reduces.size;
  if (sn_none(guard)) {
    sn_cpu_row_phase(b, r, i);
    return;
  }
  MlirValue holds = sn_row_scalar(p, guard);
  if (mlirTypeIsAVector(sn_type_of(holds)))
    holds = sn(b, "vector.reduction", holds, mlirIntegerTypeGet(b->ctx, 1),
               sn_attr("kind", sn_parse_attr(b->ctx, "#vector.kind<or>")));
  for (intptr_t k = 0; k < n; ++k) {
    MlirType t = sn_type_of(sn_result(phase->reduces.data[k], 0));
    types[k] = p->row.rows > 1 ? sn_vector(t, p->row.rows) : t;
  }
  SnIf run = sn_if_types(b, holds, (SnTypes){n, types});
  sn_cpu_row_phase(b, r, i);
  for (intptr_t k = 0; k < n; ++k)
    results[k] = sn_row_scalar(p, sn_result(phase->reduces.data[k], 0));
  sn_else_values(b, &run, sn_values(n, results));
  for (intptr_t k = 0; k < n; ++k)
    results[k] = sn_row_identity(b, p, phase->reduces.data[k], p->row.rows);
  sn_end_if_values(b, &run, sn_values(n, results));
  for (intptr_t k = 0; k < n; ++k)
    sn_row_know(p, sn_result(phase->reduces.data[k], 0), sn_result(run.op, k));
}

// The loops of a phase, unless something else has its results.
static void run_phase(SnBuilder *b, size_t i, void *user) {
  SnCpuRow *r = user;
  SnRowProgram *p = r->program;
  const SnPhase *phase = &p->phases.data[i];
  if (i && sn_row_joint_in(&r->joints, i - 1))
    return;
  if (!i && r->reduced)
    for (size_t k = 0; k < phase->reduces.size; ++k)
      sn_row_know(p, sn_result(phase->reduces.data[k], 0), r->reduced[k]);
  else if (sn_row_joint_in(&r->joints, i))
    sn_cpu_online_columns(b, r, i);
  else
    guarded_phase(b, r, i);
}

void sn_cpu_row(SnBuilder *b, SnCpuRow *r, MlirValue *scalars) {
  r->joints.n = 0;
  if (r->online)
    sn_row_join_phases(&r->joints, r->program);
  SnRowWalk walk = {.columns = run_phase, .user = r};
  sn_row_walk(b, r->program, r->program->phases.size, &walk);
  sn_cpu_row_ends(b, r, scalars);
}

void sn_cpu_row_ends(SnBuilder *b, SnCpuRow *r, MlirValue *scalars) {
  SnRowProgram *p = r->program;
  for (size_t k = 0; k < r->targets.size; ++k) {
    const SnTarget *t = &r->targets.data[k];
    MlirValue v = sn_row_yield(p, (intptr_t)k);
    if (sn_is_row(v))
      continue;
    if (!sn_none(t->access.value)) {
      sn_row_store(b, p, &p->row, sn_row_scalar(p, v), &t->access);
    } else {
      MlirValue x = sn_row_scalar(p, v);
      if (!sn_none(r->mask))
        x = sn(b, "arith.select", r->mask, x,
               sn_splat(b, sn_type_of(x), sn_combiner_identity(t->combiner, sn_element(sn_type_of(x)))));
      if (!mlirTypeEqual(sn_type_of(x), sn_type_of(*scalars)))
        x = sn(b, "arith.extf", x, sn_type_of(*scalars));
      *scalars = sn_combine(b, t->combiner, *scalars, x);
      ++scalars;
    }
  }
}
