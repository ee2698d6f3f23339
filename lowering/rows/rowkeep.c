// rowkeep.c: values of a row that are worth keeping from one phase to the next.
//
//   phase 1:  sum of exp(x - m)        computes exp, and stores it
//   phase 2:  exp(x - m) / s           loads it
//
// An exponential costs ten times a load from a cache that the row fits in.

#include "dialect/row_ops.h"
#include "lowering/rows/rowprogram.h"

static const SnKept *kept(const SnRowProgram *p, MlirValue v) {
  for (size_t i = 0; i < p->kept.size; ++i)
    if (sn_same(p->kept.data[i].value, v))
      return &p->kept.data[i];
  return NULL;
}

// What phase `at` computes for `v`, added to `made`: what was kept earlier is loaded.
static void compute(const SnRowProgram *p, MlirValue v, int at, SnValueVec *made) {
  MlirOperation op = sn_definer(v);
  const SnKept *k = kept(p, v);
  if (sn_null(op) || !sn_is_row(v) || (k && k->first < at))
    return;
  for (size_t i = 0; i < made->size; ++i)
    if (sn_same(made->data[i], v))
      return;
  sn_push(made, v);
  for (intptr_t i = 0; i < sn_num_operands(op); ++i)
    compute(p, sn_operand(op, i), at, made);
}

static bool phase_computes(const SnRowProgram *p, MlirValue v, int at) {
  const SnPhase *phase = &p->phases.data[at];
  SnValueVec made = {0};
  bool found = false;
  for (size_t i = 0; i < phase->reduces.size; ++i)
    compute(p, sn_operand(phase->reduces.data[i], 0), at, &made);
  for (size_t i = 0; i < phase->yields.size; ++i)
    compute(p, sn_row_yield(p, phase->yields.data[i]), at, &made);
  for (size_t i = 0; i < made.size && !found; ++i)
    found = sn_same(made.data[i], v);
  sn_vec_free(&made);
  return found;
}

void sn_row_keep(SnRowProgram *p) {
  for (size_t i = p->values.size; i-- > 0;) {
    MlirValue v = p->values.data[i];
    if (!sn_is_row(v) || sn_row_op_cost(sn_definer(v)) < SN_COST_FUNCTION || !sn_fills_bytes(sn_element(sn_type_of(v))))
      continue;
    int first = -1, times = 0;
    for (size_t at = 0; at < p->phases.size; ++at)
      if (phase_computes(p, v, (int)at)) {
        first = first < 0 ? (int)at : first;
        ++times;
      }
    if (times > 1)
      sn_push(&p->kept, (SnKept){.value = v, .first = first});
  }
}
