// rowkeep.c: values of a row that are worth keeping from one phase to the next.
//
//   phase 1:  sum of exp(x - m)        computes exp, and stores it
//   phase 2:  exp(x - m) / s           loads it
//
// An exponential costs ten times a load from a cache that the row fits in.

#include "dialect/row_ops.h"
#include "lowering/rows/rowprogram.h"

// Which phases compute each row, as bits. A row's own are known when all that use it are: from the last value on.
typedef struct {
  SnTable number; // of each of the program's values
  uint64_t *bits;
  size_t words; // for each value
} Needs;

static uint64_t *needs_of(const Needs *n, MlirValue v) {
  uintptr_t number;
  return sn_is_row(v) && sn_table_get(&n->number, v.ptr, &number) ? n->bits + number * n->words : NULL;
}

static void need(const Needs *n, MlirValue v, size_t phase) {
  uint64_t *bits = needs_of(n, v);
  if (bits)
    bits[phase / 64] |= UINT64_C(1) << (phase % 64);
}

static bool is_worth_keeping(MlirValue v) {
  return sn_row_op_cost(sn_definer(v)) >= SN_COST_FUNCTION && sn_fills_bytes(sn_element(sn_type_of(v)));
}

// What phases need of the value, its operands need of theirs: of what is kept that is the first one alone, as the
// others load it.
static void pass_on(SnRowProgram *p, const Needs *n, MlirValue v, uint64_t *bits) {
  size_t first = p->phases.size, times = 0;
  for (size_t at = p->phases.size; at-- > 0;)
    if (bits[at / 64] >> (at % 64) & 1) {
      first = at;
      ++times;
    }
  if (times > 1 && is_worth_keeping(v)) {
    sn_push(&p->kept, (SnKept){.value = v, .first = (int)first});
    memset(bits, 0, n->words * sizeof *bits);
    need(n, v, first);
  }
  MlirOperation op = sn_definer(v);
  for (intptr_t k = 0; times && k < sn_num_operands(op); ++k) {
    uint64_t *of = needs_of(n, sn_operand(op, k));
    for (size_t w = 0; of && w < n->words; ++w)
      of[w] |= bits[w];
  }
}

void sn_row_keep(SnRowProgram *p) {
  if (p->phases.size < 2)
    return;
  Needs n = {.words = (p->phases.size + 63) / 64};
  n.bits = sn_alloc((p->values.size + 1) * n.words * sizeof *n.bits);
  for (size_t i = 0; i < p->values.size; ++i)
    sn_table_put(&n.number, p->values.data[i].ptr, i);
  for (size_t at = 0; at < p->phases.size; ++at) {
    const SnPhase *phase = &p->phases.data[at];
    for (size_t i = 0; i < phase->reduces.size; ++i)
      need(&n, sn_operand(phase->reduces.data[i], 0), at);
    for (size_t i = 0; i < phase->yields.size; ++i)
      need(&n, sn_row_yield(p, phase->yields.data[i]), at);
  }
  for (size_t i = p->values.size; i-- > 0;)
    if (sn_is_row(p->values.data[i]))
      pass_on(p, &n, p->values.data[i], n.bits + i * n.words);
  free(n.bits);
  sn_table_free(&n.number);
}
