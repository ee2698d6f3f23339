// rows.c: one row of a row program as loops over its columns.
//
//   for j in 0 .. N' by unroll * lanes:  unroll vectors, each with its own accumulators
//   for j in N' .. N'' by lanes:         one vector
//   accumulators combined by halves to a scalar
//   for j in N'' .. N:                   scalars
//
// once for each phase. Where N is known, the rest is one more vector that ends at N - 1: lanes that were seen before
// count as identities. The order in which elements meet comes from the schedule and the length alone.
//
// Lanes along rows (rowlanes.c): every step is one column, and nothing is combined across lanes.

#include "lowering/cpu/cpu.h"
#include <assert.h>

#define FEW_COLUMNS 16 // written out one by one: a convolution's window

// Lanes from `seen` on; the identity in those before.
static MlirValue unseen(SnBuilder *b, MlirValue x, MlirValue identity, int64_t seen) {
  if (!seen)
    return x;
  MlirAttribute lanes[64];
  MlirType i1 = mlirIntegerTypeGet(b->ctx, 1);
  int64_t width = sn_dim(sn_type_of(x), 0);
  for (int64_t l = 0; l < width; ++l)
    lanes[l] = mlirBoolAttrGet(b->ctx, l >= seen);
  MlirValue mask = sn(b, "arith.constant", sn_attr("value", mlirDenseElementsAttrGet(sn_vector(i1, width), width, lanes)));
  return sn(b, "arith.select", mask, x, identity);
}

static void combine_row(SnBuilder *b, const SnTarget *t, SnColumn *c, MlirValue x, int64_t seen) {
  MlirType type = sn_type_of(x);
  MlirValue at[] = {t->first, c->index};
  if (seen)
    x = unseen(b, x, sn_splat(b, type, sn_combiner_identity(t->combiner, sn_element(type))), seen);
  MlirValue old = sn(b, c->width > 1 ? "vector.load" : "memref.load", t->buffer, sn_values(2, at), type);
  sn_op(b, c->width > 1 ? "vector.store" : "memref.store", sn_combine(b, t->combiner, old, x), t->buffer, sn_values(2, at));
}

// One step at column j: accumulators of the phase and what it stores. The first `seen` lanes were combined before.
static void step(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, MlirValue j, int64_t width, int64_t seen, MlirValue *acc) {
  SnRowProgram *p = r->program;
  SnColumn c = sn_column(j, width);
  c.store = true;
  for (size_t i = 0; i < phase->reduces.size; ++i) {
    MlirOperation reduce = phase->reduces.data[i];
    MlirValue x = sn_row_reduced(b, p, &c, reduce);
    if (seen)
      x = unseen(b, x, sn_row_identity(b, p, reduce, width), seen);
    acc[i] = sn_row_combine(b, p, reduce, acc[i], x);
  }
  for (size_t i = 0; i < phase->yields.size; ++i) {
    const SnTarget *t = &r->targets.data[phase->yields.data[i]];
    MlirValue x = sn_row_element(b, p, &c, sn_row_yield(p, phase->yields.data[i]));
    if (sn_none(t->access.value))
      combine_row(b, t, &c, x, seen);
    else
      sn_row_store(b, p, &c, x, &t->access);
  }
  sn_column_free(&c);
}

// Steps of `count` vectors from lo to hi; acc[v * reduces + i] is accumulator i of vector v.
static void loop_values(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, MlirValue lo, MlirValue hi, int64_t width, int64_t count, MlirValue *acc) {
  intptr_t n = (intptr_t)phase->reduces.size, all = n * count;
  int64_t stride = r->program->row_lanes > 1 ? 1 : width;
  SnLoop j = sn_for_values(b, lo, hi, sn_index(b, stride * count), sn_values(all, acc));
  MlirValue next[16];
  memcpy(next, j.carried, sizeof next);
  for (int64_t v = 0; v < count; ++v) {
    MlirValue at = v ? sn(b, "arith.addi", j.index, sn_index(b, v * stride)) : j.index;
    step(b, r, phase, at, width, 0, next + v * n);
  }
  sn_next_values(b, &j, sn_values(all, next));
  for (intptr_t i = 0; i < all; ++i)
    acc[i] = sn_result(j.op, i);
}

// The same, left out where it is known that there are none.
static void loop(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, MlirValue lo, MlirValue hi, int64_t width, int64_t count, MlirValue *acc) {
  int64_t from, to;
  if (!sn_known(lo, &from) || !sn_known(hi, &to) || from < to)
    loop_values(b, r, phase, lo, hi, width, count, acc);
}

// Columns from .. from + count, known at run time; nothing is reduced over them.
static void some_columns(SnBuilder *b, SnCpuRow *r, const SnPhase *phase) {
  MlirValue end = sn(b, "arith.addi", r->from, r->count), lanes = sn_index(b, r->lanes);
  MlirValue middle = sn(b, "arith.subi", end, sn(b, "arith.remui", r->count, lanes));
  assert(!phase->reduces.size && "whole rows are there for reductions");
  if (r->lanes > 1)
    loop_values(b, r, phase, r->from, middle, r->lanes, 1, NULL);
  loop_values(b, r, phase, r->lanes > 1 ? middle : r->from, end, 1, 1, NULL);
}

// Lanes are rows: columns one by one, `unroll` of them in a step with accumulators of their own.
static void columns_of_rows(SnBuilder *b, SnCpuRow *r, const SnPhase *phase) {
  SnRowProgram *p = r->program;
  int64_t n = (int64_t)phase->reduces.size, known = INT64_MAX, unroll = n ? r->unroll : 1, lanes = p->row_lanes;
  MlirValue length = sn_form_columns(b, p->form), zero = sn_index(b, 0), acc[16];
  sn_known(length, &known);
  assert(n <= 16 && "checked before");
  while (unroll > 1 && (n * unroll > 16 || known < unroll))
    --unroll;
  for (int64_t i = 0; i < n * unroll; ++i)
    acc[i] = sn_row_identity(b, p, phase->reduces.data[i % n], lanes);
  if (known <= FEW_COLUMNS) {
    for (int64_t j = 0; j < known; ++j)
      step(b, r, phase, sn_index(b, j), lanes, 0, acc + j % unroll * n);
  } else {
    MlirValue wide = unroll > 1 ? sn_size_whole(b, length, unroll) : length;
    loop(b, r, phase, zero, wide, lanes, unroll, acc);
    loop(b, r, phase, wide, length, lanes, 1, acc);
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t v = 1; v < unroll; ++v)
      acc[i] = sn_row_combine(b, p, phase->reduces.data[i], acc[i], acc[v * n + i]);
    sn_map(&p->scalars, sn_result(phase->reduces.data[i], 0), acc[i]);
  }
}

static void columns(SnBuilder *b, SnCpuRow *r, const SnPhase *phase) {
  SnRowProgram *p = r->program;
  int64_t n = (int64_t)phase->reduces.size, known = INT64_MAX, unroll = n ? r->unroll : 1, lanes = r->lanes;
  MlirValue length = sn_form_columns(b, p->form), zero = sn_index(b, 0);
  bool fixed = sn_known(length, &known);
  assert(n <= 16 && "checked before");
  while (unroll > 1 && (n * unroll > 16 || known < unroll * lanes))
    --unroll;
  MlirValue vectors = lanes > 1 ? sn_size_whole(b, length, lanes) : zero, acc[16];
  if (lanes > 1 && (!fixed || known >= lanes)) {
    MlirValue wide = unroll > 1 ? sn_size_whole(b, length, unroll * lanes) : vectors;
    for (int64_t i = 0; i < n * unroll; ++i)
      acc[i] = sn_row_identity(b, p, phase->reduces.data[i % n], lanes);
    loop(b, r, phase, zero, wide, lanes, unroll, acc);
    if (unroll > 1)
      loop(b, r, phase, wide, vectors, lanes, 1, acc);
    if (fixed && known % lanes > 1) {
      step(b, r, phase, sn_index(b, known - lanes), lanes, lanes - known % lanes, acc);
      vectors = length;
    }
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t v = 1; v < unroll; ++v)
        acc[i] = sn_row_combine(b, p, phase->reduces.data[i], acc[i], acc[v * n + i]);
      acc[i] = sn_row_horizontal(b, p, phase->reduces.data[i], acc[i]);
    }
  } else {
    for (int64_t i = 0; i < n; ++i)
      acc[i] = sn_row_identity(b, p, phase->reduces.data[i], 1);
  }
  loop(b, r, phase, vectors, length, 1, 1, acc);
  for (int64_t i = 0; i < n; ++i)
    sn_map(&p->scalars, sn_result(phase->reduces.data[i], 0), acc[i]);
}

void sn_cpu_row(SnBuilder *b, SnCpuRow *r, MlirValue *scalars) {
  SnRowProgram *p = r->program;
  for (size_t i = 0; i < p->phases.size; ++i) {
    const SnPhase *phase = &p->phases.data[i];
    p->phase = (int)i;
    sn_row_scalars(b, p, (int)i);
    if (phase->reduces.size || phase->yields.size)
      p->row_lanes > 1 ? columns_of_rows(b, r, phase) : sn_none(r->from) ? columns(b, r, phase) : some_columns(b, r, phase);
  }
  for (size_t k = 0; k < r->targets.size; ++k) {
    const SnTarget *t = &r->targets.data[k];
    MlirValue v = sn_row_yield(p, (intptr_t)k);
    if (sn_is_row(v))
      continue;
    if (!sn_none(t->access.value)) {
      sn_row_store(b, p, NULL, sn_row_scalar(p, v), &t->access);
    } else {
      MlirValue x = sn_row_scalar(p, v);
      if (!sn_none(r->mask))
        x = sn(b, "arith.select", r->mask, x, sn_splat(b, sn_type_of(x), sn_combiner_identity(t->combiner, sn_element(sn_type_of(x)))));
      *scalars = sn_combine(b, t->combiner, *scalars, x);
      ++scalars;
    }
  }
}
