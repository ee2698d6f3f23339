// rowrepeats.c: what a row reads again and again from its beginning, as vectors.
//
//   #sinter.rows<lanes = 8, repeats = "stored">
//
//   %w[k] of rows (i) by (j = 100, k = 3)    ->    w0 w1 w2 w0 w1 w2 w0 w1 w2 w0 w1
//   columns 40 .. 47                               vector.load of the 8 elements from 40 mod 3 on
//
// A vector's columns begin anywhere in a period and may be several of them. The elements are stored once, in front of
// all tasks, and behind them as many more as a vector has lanes.
//
// test: test/lowering/cpu/rowrepeats.mlir, test/run/long_rows.test

#include "dialect/schedules.h"
#include "lowering/cpu/lower_cpu.h"
#include "lowering/rows/rowmemory.h"

static bool is_stored(const SnForm *f, size_t input) {
  const SnAccess *a = &f->inputs.data[input];
  return sn_schedule_word_is(f->schedule, "repeats", "stored") && sn_row_is_repeated(f, a) &&
         !sn_row_has_vectors(f, a, sn_schedule_number(f->schedule, "lanes"));
}

static void copy(SnBuilder *b, MlirValue from, MlirValue to, MlirValue lo, MlirValue hi, MlirValue back) {
  MlirType element = sn_element(sn_type_of(from));
  SnLoop m = sn_for(b, lo, hi, sn_index(b, 1));
  MlirValue at = sn_none(back) ? m.index : sn(b, "arith.subi", m.index, back);
  sn_op(b, "memref.store", sn(b, "memref.load", from, at, element), to, m.index);
  sn_next(b, &m);
}

SnCpuRepeats sn_cpu_repeats(SnKernel *k) {
  SnBuilder *b = &k->b;
  const SnForm *f = &k->form;
  SnCpuRepeats r = {0};
  for (size_t i = 0; i < f->inputs.size; ++i) {
    if (!is_stored(f, i))
      continue;
    const SnAccess *a = &f->inputs.data[i];
    intptr_t n = mlirAffineMapGetNumResults(a->map);
    int64_t lanes = sn_schedule_number(f->schedule, "lanes"), known;
    MlirValue zeros[SN_MAX_DIMS], unused,
        zero = sn_index(b, 0), none = {0}, period = sn_form_sizes(b, f, f->num_rows + f->num_cols - n, n),
        all = sn_known(period, &known) ? sn_index(b, known + lanes) : sn(b, "arith.addi", period, sn_index(b, lanes));
    for (intptr_t d = 0; d < n; ++d)
      zeros[d] = zero;
    MlirValue memory = sn_cpu_scratch(k, sn_element(sn_type_of(a->value)), 1, &all);
    copy(b, sn_row_flat(b, a->value, zeros, &unused), memory, zero, period, none);
    copy(b, memory, memory, period, all, period);
    sn_push(&r, ((SnCpuRepeat){.input = i, .memory = memory}));
  }
  return r;
}

void sn_cpu_repeats_in_task(const SnTask *t, SnRowProgram *p, const SnCpuRepeats *r) {
  SnBuilder b = t->b;
  const SnForm *f = p->form;
  for (size_t i = 0; i < r->size; ++i) {
    intptr_t n = mlirAffineMapGetNumResults(f->inputs.data[r->data[i].input].map);
    SnRowSource *s = &p->sources.data[r->data[i].input - sn_first_input(f) + f->products.size];
    *s = (SnRowSource){.memref = sn_lookup(&t->map, r->data[i].memory),
                       .scratch = true,
                       .period = sn_form_sizes(&b, f, f->num_rows + f->num_cols - n, n)};
  }
}
