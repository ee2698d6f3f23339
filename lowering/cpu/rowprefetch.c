// rowprefetch.c: what a loop over columns asks memory for before it loads it.
//
//   #sinter.rows<prefetch = 8192>      in the phase that reads an input first:
//     memref.prefetch %x[i, j + 2048]                the same row, 8192 bytes ahead; beyond its end the next one
//   #sinter.rows<next = "early">       in the last loop of a row:
//     memref.prefetch %x[i + 1, j]                   the next row while this one's results are stored
//
// Hardware prefetching stops where a page ends. An address beyond the operand
// is harmless: nothing is loaded from it.

#include "lowering/cpu/cpu.h"
#include "lowering/rowmemory.h"

#define LINE 64 // bytes

static bool reads(MlirValue v, MlirValue argument) {
  MlirOperation op = sn_definer(v);
  if (sn_same(v, argument))
    return true;
  if (sn_null(op) || !sn_is_row(v))
    return false;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    if (reads(sn_operand(op, k), argument))
      return true;
  return false;
}

static bool phase_reads(const SnRowProgram *p, const SnPhase *phase, MlirValue argument) {
  for (size_t i = 0; i < phase->reduces.size; ++i)
    if (reads(sn_operand(phase->reduces.data[i], 0), argument))
      return true;
  for (size_t i = 0; i < phase->yields.size; ++i)
    if (reads(sn_row_yield(p, phase->yields.data[i]), argument))
      return true;
  return false;
}

static bool has_loop(const SnPhase *phase) { return phase->reduces.size || phase->yields.size; }

static bool last_loop(const SnRowProgram *p, const SnPhase *phase) {
  const SnPhase *last = phase;
  for (size_t i = 0; i < p->phases.size; ++i)
    last = has_loop(&p->phases.data[i]) ? &p->phases.data[i] : last;
  return last == phase;
}

static bool read_before(const SnRowProgram *p, const SnPhase *phase, MlirValue argument) {
  for (size_t i = 0; i < p->phases.size && &p->phases.data[i] < phase; ++i)
    if (phase_reads(p, &p->phases.data[i], argument))
      return true;
  return false;
}

void sn_cpu_prefetch(SnBuilder *b, SnCpuRow *r, const SnPhase *phase, MlirValue j, int64_t width, int64_t count) {
  SnRowProgram *p = r->program;
  const SnForm *f = p->form;
  MlirValue here[16];
  if (!r->prefetch && !r->next)
    return;
  for (size_t k = 0; k < p->sources.size; ++k) {
    MlirValue argument = mlirBlockGetArgument(p->block, (intptr_t)k);
    const SnRowSource *s = &p->sources.data[k];
    if (s->scratch || !sn_is_row(argument) || !sn_uses_rows(f, s->access.map) == !!f->num_rows || !sn_row_in_one_piece(f, &s->access))
      continue;
    bool ahead = r->prefetch && !read_before(p, phase, argument) && phase_reads(p, phase, argument);
    bool next = r->next && last_loop(p, phase) && read_before(p, phase, argument);
    if (!ahead && !next)
      continue;
    int64_t bytes = sn_bits(sn_element(sn_type_of(s->memref))) / 8;
    memcpy(here, p->dims, sizeof here);
    if (next)
      memcpy(p->dims, r->next, (size_t)f->num_rows * sizeof *r->next);
    for (int64_t at = 0; at < width * count * bytes; at += LINE) {
      SnColumn c = sn_column(sn(b, "arith.addi", j, sn_index(b, ((next ? 0 : r->prefetch) + at) / bytes)), 1);
      sn_row_prefetch(b, p, &c, &s->access);
      sn_column_free(&c);
    }
    memcpy(p->dims, here, sizeof here);
  }
}
