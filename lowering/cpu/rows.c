// rows.c: one row of a row program as loops over its columns.
//
//   for j in 0 .. N' by unroll * lanes:  unroll vectors, each with its own accumulators
//   for j in N' .. N'' by lanes:         one vector
//   accumulators combined by halves to a scalar
//   for j in N'' .. N:                   scalars
//
// once for each phase. The order in which elements meet comes from the schedule
// and the length alone.

#include "lowering/cpu/cpu.h"
#include <assert.h>

static void combine_row(SnBuilder *b, const SnTarget *t, SnColumn *c, MlirValue x) {
  MlirType type = sn_type_of(x);
  MlirValue at[] = {t->first, c->index};
  MlirValue old = sn(b, c->width > 1 ? "vector.load" : "memref.load", t->buffer, sn_values(2, at), type);
  sn_op(b, c->width > 1 ? "vector.store" : "memref.store", sn_combine(b, t->combiner, old, x), t->buffer, sn_values(2, at));
}

// One step at column j: accumulators of the phase and what it stores.
static void step(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, MlirValue j, int64_t width, MlirValue *acc) {
  SnRowProgram *p = r->program;
  SnColumn c = sn_column(j, width);
  for (size_t i = 0; i < phase->reduces.size; ++i) {
    MlirOperation reduce = phase->reduces.data[i];
    acc[i] = sn_row_combine(b, p, reduce, acc[i], sn_row_reduced(b, p, &c, reduce));
  }
  for (size_t i = 0; i < phase->yields.size; ++i) {
    const SnTarget *t = &r->targets.data[phase->yields.data[i]];
    MlirValue x = sn_row_element(b, p, &c, sn_row_yield(p, phase->yields.data[i]));
    if (sn_none(t->access.value))
      combine_row(b, t, &c, x);
    else
      sn_row_store(b, p, &c, x, &t->access);
  }
  sn_column_free(&c);
}

// Steps of `count` vectors from lo to hi; acc[v * reduces + i] is accumulator i of vector v.
static void loop_values(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, MlirValue lo, MlirValue hi, int64_t width, int64_t count, MlirValue *acc) {
  intptr_t n = (intptr_t)phase->reduces.size, all = n * count;
  SnLoop j = sn_for_values(b, lo, hi, sn_index(b, width * count), sn_values(all, acc));
  MlirValue next[16];
  memcpy(next, j.carried, sizeof next);
  for (int64_t v = 0; v < count; ++v) {
    MlirValue at = v ? sn(b, "arith.addi", j.index, sn_index(b, v * width)) : j.index;
    step(b, r, phase, at, width, next + v * n);
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
    sn_row_scalars(b, p, (int)i);
    if (phase->reduces.size || phase->yields.size)
      sn_none(r->from) ? columns(b, r, phase) : some_columns(b, r, phase);
  }
  for (size_t k = 0; k < r->targets.size; ++k) {
    const SnTarget *t = &r->targets.data[k];
    MlirValue v = sn_row_yield(p, (intptr_t)k);
    if (sn_is_row(v))
      continue;
    if (!sn_none(t->access.value)) {
      sn_row_store(b, p, NULL, sn_row_scalar(p, v), &t->access);
    } else {
      *scalars = sn_combine(b, t->combiner, *scalars, sn_row_scalar(p, v));
      ++scalars;
    }
  }
}
