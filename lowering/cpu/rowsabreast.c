// rowsabreast.c: neighbouring rows whose first reductions are made side by side.
//
//   #sinter.rows<abreast = 4>
//     for r in lo .. hi' by 4:
//       for j in 0 .. N by unroll * lanes:  vectors of rows r .. r + 3, each row with its own accumulators
//       of each row all that comes behind its reductions
//     for r in hi' .. hi:                   rows by themselves
//
// A core's prefetcher follows each page that is read by itself: where rows come from memory, four at once come faster
// than one. Elements of a row meet in the order in which they do where it is by itself, so bits are the same.
//
// test: test/lowering/cpu/rowsabreast.mlir, test/run/rows_abreast.test

#include "dialect/schedules.h"
#include "lowering/cpu/lower_cpu.h"
#include <string.h>

enum { MOST = 8 };

static const char *misfit(const SnForm *f, const SnRowProgram *p, const SnCpuRow *r, int64_t abreast) {
  const SnPhase *first = &p->phases.data[0];
  int64_t length = sn_row_length(f), n = (int64_t)first->reduces.size;
  if (!f->num_rows || r->lanes < 2 || r->line)
    return "vectors are not along the columns of several rows";
  if (!n || first->yields.size || !sn_none(sn_row_guard(p, 0)) || r->online)
    return "the first loop over a row does not only reduce it";
  if (length == SN_DYNAMIC || length % (r->lanes * sn_cpu_vectors_at_once(r, first, length)) || length < r->lanes)
    return "a row is not known to be whole steps of unroll times lanes columns";
  if (abreast * n * r->unroll > SN_MAX_REDUCTIONS)
    return "that many rows have too many accumulators";
  return sn_schedule_word_is(f->schedule, "next", "early") ? "next = \"early\" asks for one row" : NULL;
}

bool sn_cpu_abreast_fits(const SnForm *f) {
  int64_t abreast = sn_schedule_number(f->schedule, "abreast");
  if (abreast < 2)
    return true;
  SnRowProgram p = sn_row_program(f, sn_values(0, NULL));
  SnCpuRow r = sn_cpu_scheduled(f, &p);
  const char *why = misfit(f, &p, &r, abreast);
  if (why)
    sn_error(f->op, "abreast = %lld, but %s: leave abreast out", (long long)abreast, why);
  sn_row_program_free(&p);
  return !why;
}

// The program is at work on this row from here on, with what its first loop needs.
static void turn_to(SnBuilder *b, SnRowProgram *p, const MlirValue *dims) {
  memcpy(p->dims, dims, (size_t)p->form->num_rows * sizeof *dims);
  p->phase = 0;
  sn_row_begin(p);
  sn_row_scalars(b, p, 0);
}

// reduced[q * reduces + i] is reduction i of row q.
static void reduce(SnBuilder *b, SnCpuRow *r, int64_t rows, MlirValue dims[][SN_MAX_DIMS], MlirValue *reduced) {
  SnRowProgram *p = r->program;
  const SnPhase *phase = &p->phases.data[0];
  MlirValue acc[SN_MAX_REDUCTIONS];
  int64_t n = (int64_t)phase->reduces.size, unroll = sn_cpu_vectors_at_once(r, phase, sn_row_length(p->form)),
          each = n * unroll;
  turn_to(b, p, dims[0]);
  for (int64_t i = 0; i < rows * each; ++i)
    acc[i] = sn_row_identity(b, p, phase->reduces.data[i % n], r->lanes);
  SnLoop j = sn_for_values(b, sn_index(b, 0), sn_form_columns(b, p->form), sn_index(b, unroll * r->lanes),
                           sn_values(rows * each, acc));
  memcpy(acc, j.carried, (size_t)(rows * each) * sizeof *acc);
  for (int64_t q = 0; q < rows; ++q) {
    turn_to(b, p, dims[q]);
    sn_cpu_vectors(b, r, phase, j.index, r->lanes, unroll, acc + q * each);
  }
  sn_next_values(b, &j, sn_values(rows * each, acc));
  for (int64_t q = 0; q < rows; ++q) {
    for (int64_t i = 0; i < each; ++i)
      acc[i] = sn_result(j.op, q * each + i);
    turn_to(b, p, dims[q]);
    sn_cpu_across(b, p, phase, unroll, acc);
    memcpy(reduced + q * n, acc, (size_t)n * sizeof *acc);
  }
}

MlirValue sn_cpu_rows_abreast(SnBuilder *b, SnCpuRow *r, MlirValue from, MlirValue to, intptr_t n, MlirValue *scalars) {
  SnRowProgram *p = r->program;
  int64_t rows = sn_schedule_number(p->form->schedule, "abreast");
  size_t each = p->phases.data[0].reduces.size;
  MlirValue dims[MOST][SN_MAX_DIMS], reduced[SN_MAX_REDUCTIONS];
  MlirValue count = sn(b, "arith.subi", to, from), rest = sn(b, "arith.remui", count, sn_index(b, rows)),
            whole = sn(b, "arith.subi", to, rest);
  SnLoop l = sn_for_values(b, from, whole, sn_index(b, rows), sn_values(n, scalars));
  for (int64_t q = 0; q < rows; ++q)
    sn_form_point(b, p->form, 0, p->form->num_rows, q ? sn(b, "arith.addi", l.index, sn_index(b, q)) : l.index,
                  dims[q]);
  reduce(b, r, rows, dims, reduced);
  for (int64_t q = 0; q < rows; ++q) {
    memcpy(p->dims, dims[q], (size_t)p->form->num_rows * sizeof *p->dims);
    sn_row_begin(p);
    r->reduced = reduced + (size_t)q * each;
    sn_cpu_row(b, r, l.carried);
  }
  r->reduced = NULL;
  sn_row_begin(p);
  sn_next_values(b, &l, sn_values(n, l.carried));
  for (intptr_t i = 0; i < n; ++i)
    scalars[i] = sn_result(l.op, i);
  return whole;
}
