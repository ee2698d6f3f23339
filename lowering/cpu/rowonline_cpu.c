// rowonline_cpu.c: a maximum and sums of exponentials under it, in one loop.
//
//   #sinter.rows<maximum = "online", lanes = 16, unroll = 8>
//
//   m = the type's least finite number, s = 0
//   for j by 8 vectors:
//     x = 8 vectors
//     if any x > m:              seldom, once the row has begun
//       n = max(x)
//       s = s * exp(m - n), m = n
//     s = s + exp(x - m)
//   if s is NaN, or m was never exceeded: the two loops after each other
//   if s is infinite, and of exponentials times other numbers: the same
//
// The row is read once, and the test costs one comparison for each vector. An
// infinity or a NaN in the row makes every sum NaN here; what the program says
// about them, and about rows of nothing but -inf, is left to the loops that it is written as. So is a sum that may have
// been too large only while the maximum was a lower one.
//
// With residency = "buffer" the exponentials are kept under the maximum of their
// time, and that maximum for each vector; once the last one is known it becomes a factor, exp(m - last).

#include "dialect/under_maximum.h"
#include "lowering/cpu/lower_cpu.h"
#include <assert.h>

// ---- the loop -----------------------------------------------------------------------------------

// Carried values: the maximum, then for each vector of a step its sums and the other reductions of the first phase.
typedef struct {
  SnCpuRow *row;
  MlirOperation maximum;
  int phase; // of the maximum
  SnOpVec sums, others;
} Online;

static intptr_t per_vector(const Online *o) { return (intptr_t)(o->sums.size + o->others.size); }
static MlirOperation reduce_at(const Online *o, intptr_t i) {
  return (size_t)i < o->sums.size ? o->sums.data[i] : o->others.data[(size_t)i - o->sums.size];
}

// x > y as processors have it: one instruction, and y where either is a NaN.
static MlirValue greater(SnBuilder *b, MlirValue x, MlirValue y) {
  MlirValue more = sn(b, "arith.cmpf", x, y, sn_attr("predicate", sn_i64(b->ctx, 2))); // ogt
  return sn(b, "arith.select", more, x, y);
}

static MlirValue any(SnBuilder *b, MlirValue mask) {
  return mlirTypeIsAVector(sn_type_of(mask)) ? sn(b, "vector.reduction", mask, mlirIntegerTypeGet(b->ctx, 1),
                                                  sn_attr("kind", sn_parse_attr(b->ctx, "#vector.kind<or>")))
                                             : mask;
}

static MlirValue lane_zero(SnBuilder *b, MlirValue v) {
  int64_t lane = 0;
  return mlirTypeIsAVector(sn_type_of(v))
             ? sn(b, "vector.extract", v, sn_attr("static_position", mlirDenseI64ArrayGet(b->ctx, 1, &lane)))
             : v;
}

static MlirValue lanes_of(SnBuilder *b, MlirValue scalar, int64_t width) {
  return width > 1 ? sn(b, "vector.broadcast", scalar, sn_vector(sn_type_of(scalar), width)) : scalar;
}

// A larger maximum, where this step has one: sums are scaled to it.
static void raise_maximum(SnBuilder *b, Online *o, MlirValue largest, int64_t width, int64_t count, MlirValue *state) {
  SnRowProgram *p = o->row->program;
  intptr_t sums = (intptr_t)o->sums.size, n = 0;
  MlirValue old[SN_CARRIED], next[SN_CARRIED];
  MlirType types[SN_CARRIED];
  old[n++] = state[0];
  for (int64_t v = 0; v < count; ++v)
    for (intptr_t i = 0; i < sums; ++i)
      old[n++] = state[1 + v * per_vector(o) + i];
  for (intptr_t i = 0; i < n; ++i)
    types[i] = sn_type_of(old[i]);
  MlirValue exceeded = any(b, sn(b, "arith.cmpf", largest, state[0], sn_attr("predicate", sn_i64(b->ctx, 2))));
  SnIf branch = sn_if_types(b, exceeded, (SnTypes){n, types});
  next[0] = width > 1 ? lanes_of(b, sn_row_horizontal(b, p, o->maximum, largest), width) : largest;
  MlirValue scale = sn(b, "math.exp", sn(b, "arith.subf", old[0], next[0]));
  for (intptr_t i = 1; i < n; ++i)
    next[i] = sn(b, "arith.mulf", old[i], scale);
  sn_else_values(b, &branch, sn_values(n, next));
  sn_end_if_values(b, &branch, sn_values(n, old));
  n = 0;
  state[0] = sn_result(branch.op, n++);
  for (int64_t v = 0; v < count; ++v)
    for (intptr_t i = 0; i < sums; ++i)
      state[1 + v * per_vector(o) + i] = sn_result(branch.op, n++);
}

// `count` vectors from column j on. Of a single one, lanes that the mask leaves out were combined before.
static void step(SnBuilder *b, Online *o, MlirValue j, int64_t width, int64_t count, MlirValue mask, MlirValue *state) {
  SnRowProgram *p = o->row->program;
  SnFragment c[SN_MAX_UNROLL];
  SnRowPair pairs[4] = {0};
  MlirValue largest = {0};
  bool by_parity = o->row->halves_together && width > 1 && width <= 16 && count % 2 == 0 &&
                   sn_row_in_any_order(p, &p->phases.data[o->phase]) &&
                   sn_row_in_any_order(p, &p->phases.data[o->phase + 1]);
  for (int64_t v = 0; v < count; ++v) {
    MlirValue at = v ? sn(b, "arith.addi", j, sn_index(b, v * width)) : j;
    if (by_parity && v % 2 == 0)
      pairs[v / 2] = (SnRowPair){.column = at, .by_parity = true};
    c[v] = by_parity ? sn_row_half(b, &pairs[v / 2], v % 2, width) : sn_fragment(at, width);
    c[v].keeps = true;
    MlirValue x = sn_row_reduced(b, p, &c[v], o->maximum);
    if (!sn_none(mask))
      x = sn_cpu_unseen(b, x, sn_row_identity(b, p, o->maximum, width), mask);
    largest = v ? greater(b, x, largest) : x;
  }
  raise_maximum(b, o, largest, width, count, state);
  sn_row_know(p, sn_result(o->maximum, 0), state[0]);
  p->phase = o->phase + 1; // that of the sums, which keeps what it computes
  for (int64_t v = 0; v < count; ++v) {
    for (intptr_t i = 0; i < per_vector(o); ++i) {
      MlirValue *acc = &state[1 + v * per_vector(o) + i], x = sn_row_reduced(b, p, &c[v], reduce_at(o, i));
      if (!sn_none(mask))
        x = sn_cpu_unseen(b, x, sn_row_identity(b, p, reduce_at(o, i), width), mask);
      *acc = sn_row_combine(b, p, reduce_at(o, i), *acc, x);
    }
    if (p->kept.size)
      sn_op(b, "memref.store", lane_zero(b, state[0]), p->kept.data[0].factors,
            sn_row_kept_factor(b, &p->kept.data[0], &c[v]));
    sn_fragment_free(&c[v]);
    if (by_parity && v % 2)
      sn_row_pair_free(&pairs[v / 2]);
  }
  p->phase = o->phase;
}

static void loop(SnBuilder *b, Online *o, const SnPhase *phase, MlirValue lo, MlirValue hi, int64_t width,
                 int64_t count, MlirValue *state) {
  int64_t from, to;
  intptr_t n = 1 + per_vector(o) * count;
  if (sn_known(lo, &from) && sn_known(hi, &to) && from >= to)
    return;
  SnLoop j = sn_for_values(b, lo, hi, sn_index(b, width * count), sn_values(n, state));
  if (width > 1)
    sn_cpu_prefetch(b, o->row, phase, j.index, width, count);
  step(b, o, j.index, width, count, (MlirValue){0}, j.carried);
  sn_next_values(b, &j, sn_values(n, j.carried));
  for (intptr_t i = 0; i < n; ++i)
    state[i] = sn_result(j.op, i);
}

// One after the other, as the program has them.
static void separate(SnBuilder *b, Online *o, SnValues results, MlirValue *out) {
  SnRowProgram *p = o->row->program;
  SnPhase maximum = {0}, sums = {0};
  sn_push(&maximum.reduces, o->maximum);
  for (size_t i = 0; i < o->sums.size; ++i)
    sn_push(&sums.reduces, o->sums.data[i]);
  SnCpuRow row = sn_cpu_scheduled_loops(p->form, p);
  row.unroll = o->row->online_from && row.unroll > 1 ? 2 : 1; // short rows are no exception
  sn_cpu_columns(b, &row, &maximum);
  p->phase = o->phase + 1;
  sn_cpu_columns(b, &row, &sums);
  p->phase = o->phase;
  for (intptr_t i = 0; i < results.n; ++i)
    out[i] = sn_row_scalar(p, results.data[i]);
  sn_vec_free(&maximum.reduces);
  sn_vec_free(&sums.reduces);
}

// What kept exponentials are multiplied with: exp(m - last) of the maximum m that each vector was computed under, or 1
// if that was `last`. Memory has whole vectors of them.
static void set_factors(SnBuilder *b, const Online *o, MlirValue last) {
  SnRowProgram *p = o->row->program;
  if (!p->kept.size)
    return;
  MlirValue factors = p->kept.data[0].factors;
  MlirType t = sn_element(sn_type_of(factors));
  int64_t width = o->row->lanes;
  MlirType type = width > 1 ? sn_vector(t, width) : t;
  MlirValue n = sn_size_ceil(b, sn_form_columns(b, p->form), sn_index(b, width));
  SnLoop j = sn_for(b, sn_index(b, 0), n, sn_index(b, width));
  MlirValue f = sn_none(last)
                    ? sn_splat(b, type, mlirFloatAttrDoubleGet(b->ctx, t, 1.0))
                    : sn(b, "math.exp",
                         sn(b, "arith.subf", sn(b, width > 1 ? "vector.load" : "memref.load", factors, j.index, type),
                            lanes_of(b, last, width)));
  sn_op(b, width > 1 ? "vector.store" : "memref.store", f, factors, j.index);
  sn_next(b, &j);
}

static MlirValue least_finite(SnBuilder *b, MlirType t, int64_t width) {
  double least = mlirTypeIsAF32(t) ? -3.4028234663852886e38 : -1.7976931348623157e308;
  return sn_splat(b, width > 1 ? sn_vector(t, width) : t, mlirFloatAttrDoubleGet(b->ctx, t, least));
}

// The maximum and the sums are known. Where they are not those of finite numbers, or the maximum was never raised, two
// loops have them: `state` is of one, the maximum and then the sums.
static void know_results(SnBuilder *b, Online *o, bool fixed, const MlirValue *state) {
  SnRowProgram *p = o->row->program;
  MlirType t = sn_type_of(sn_result(o->maximum, 0));
  MlirValue results[SN_CARRIED], again[SN_CARRIED];
  MlirType types[SN_CARRIED];
  intptr_t m = 1 + (intptr_t)o->sums.size;
  for (intptr_t i = 0; i < m; ++i) {
    results[i] = sn_result(i ? o->sums.data[i - 1] : o->maximum, 0);
    types[i] = sn_type_of(results[i]);
  }
  MlirValue not_known = {0};
  for (size_t i = 0; i < o->sums.size; ++i) {
    bool alone = !sn_null(sn_exp_under_maximum(sn_operand(o->sums.data[i], 0)));
    MlirValue s = state[1 + i], zero = alone ? s : sn(b, "arith.subf", s, s);
    if (alone && i) // NaN where the first is
      continue;
    MlirValue is = sn(b, "arith.cmpf", zero, zero, sn_attr("predicate", sn_i64(b->ctx, 14))); // uno
    not_known = sn_none(not_known) ? is : sn(b, "arith.ori", not_known, is);
  }
  MlirValue least =
      sn(b, "arith.cmpf", state[0], least_finite(b, t, 1), sn_attr("predicate", sn_i64(b->ctx, 1))); // oeq
  MlirValue otherwise = sn(b, "arith.ori", not_known, least);
  if (!fixed && p->kept.size) // single columns share a factor
    otherwise = sn(b, "arith.ori", otherwise,
                   sn(b, "arith.cmpi", sn_form_columns(b, p->form), sn_index(b, o->row->lanes),
                      sn_attr("predicate", sn_i64(b->ctx, 6)))); // ult
  SnIf odd = sn_if_types(b, otherwise, (SnTypes){m, types});
  separate(b, o, sn_values(m, results), again);
  set_factors(b, o, (MlirValue){0});
  sn_else_values(b, &odd, sn_values(m, again));
  set_factors(b, o, state[0]);
  sn_end_if_values(b, &odd, sn_values(m, state));
  for (intptr_t i = 0; i < m; ++i)
    sn_row_know(p, results[i], sn_result(odd.op, i));
}

void sn_cpu_online_columns(SnBuilder *b, SnCpuRow *r, size_t at) {
  SnRowProgram *p = r->program;
  const SnPhase *first = &p->phases.data[at];
  Online o = {.row = r, .maximum = sn_row_joint_in(&r->joints, at)->first, .phase = (int)at};
  for (size_t i = 0; i < p->phases.data[at + 1].reduces.size; ++i)
    sn_push(&o.sums, p->phases.data[at + 1].reduces.data[i]);
  for (size_t i = 0; i < first->reduces.size; ++i)
    if (!mlirOperationEqual(first->reduces.data[i], o.maximum))
      sn_push(&o.others, first->reduces.data[i]);
  int64_t n = per_vector(&o), known = INT64_MAX, lanes = r->lanes, count = r->unroll;
  MlirValue length = sn_form_columns(b, p->form), zero = sn_index(b, 0), state[SN_CARRIED];
  MlirType t = sn_type_of(sn_result(o.maximum, 0));
  bool fixed = sn_known(length, &known);
  // None of a short row: it is taken for one that has no maximum yet. What else the loop reduces needs it, though.
  if (!fixed && r->online_from && !o.others.size)
    length = sn(b, "arith.select",
                sn(b, "arith.cmpi", length, sn_index(b, r->online_from), sn_attr("predicate", sn_i64(b->ctx, 6))), zero,
                length); // ult
  while (count > 1 && (1 + n * count > r->carried_online || known < count * lanes))
    --count;
  int64_t width = lanes > 1 && (!fixed || known >= lanes) ? lanes : 1;
  MlirValue wide = width > 1 ? sn_size_whole(b, length, count * width) : zero,
            vectors = width > 1 ? sn_size_whole(b, length, width) : zero;
  state[0] = least_finite(b, t, width);
  for (int64_t i = 0; i < n * (width > 1 ? count : 1); ++i)
    state[1 + i] = sn_row_identity(b, p, reduce_at(&o, i % n), width);
  if (width > 1) {
    loop(b, &o, first, zero, wide, width, count, state);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t v = 1; v < count; ++v)
        state[1 + i] = sn_row_combine(b, p, reduce_at(&o, i), state[1 + i], state[1 + v * n + i]);
    loop(b, &o, first, wide, vectors, width, 1, state);
    if (fixed && known % width > 1) {
      step(b, &o, sn_index(b, known - width), width, 1,
           sn_cpu_lanes_from(b, sn_index(b, width - known % width), width), state);
      vectors = length;
    } else if (!fixed) {
      SnCpuLast last = sn_cpu_last_vector(b, length, vectors, length, width, sn_values(1 + n, state));
      MlirValue next[SN_CARRIED];
      memcpy(next, state, (size_t)(1 + n) * sizeof *next);
      step(b, &o, last.column, width, 1, last.mask, next);
      sn_cpu_last_vector_end(b, &last, 1 + n, next, state);
      vectors = last.seen_to;
    }
    state[0] = lane_zero(b, state[0]);
    for (int64_t i = 0; i < n; ++i)
      state[1 + i] = sn_row_horizontal(b, p, reduce_at(&o, i), state[1 + i]);
  }
  loop(b, &o, first, vectors, length, 1, 1, state);

  for (size_t i = 0; i < o.others.size; ++i)
    sn_row_know(p, sn_result(o.others.data[i], 0), state[1 + o.sums.size + i]);
  know_results(b, &o, fixed, state);
  sn_vec_free(&o.sums);
  sn_vec_free(&o.others);
}
