// rowstrips.c: reductions over columns that are far apart, of many neighbouring rows at once.
//
//   #sinter.rows<along = "rows", lanes = 16, strip = 512>
//
//   for each strip of 512 rows:
//     a[512] = 0                                     memory of the task
//     for k in the columns:                          memory is read in one stream
//       for j in the strip by 16:  a[j] = a[j] + x[k, j]
//     for j in the strip by 16:    what follows the first phase, with a[j]
//
// Lane by lane, a sum over a middle dimension reads a line of memory here and the next one a page
// further on. A strip reads two kilobytes in a piece, and the accumulators stay in the first cache.
//
// test: test/lowering/cpu/rowlanes.mlir, test/run/row_strips.mlir

#include "dialect/schedules.h"
#include "lowering/cpu/lower_cpu.h"

SnStrips sn_cpu_strips(SnBuilder *b, const SnCpuRow *row) {
  SnStrips s = {.size = sn_schedule_number(row->program->form->schedule, "strip")};
  const SnPhase *first = &row->program->phases.data[0];
  int32_t segments[] = {0, 0};
  for (size_t i = 0; i < first->reduces.size && s.size; ++i)
    s.memory[i] =
        sn(b, "memref.alloca", sn_memref(sn_scratch_type(sn_type_of(sn_result(first->reduces.data[i], 0))), 1, &s.size),
           sn_attr("alignment", sn_i64(b->ctx, 64)),
           sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, segments)));
  return s;
}

static MlirType vector_of(const SnCpuRow *row, size_t i) {
  return sn_vector(sn_type_of(sn_result(row->program->phases.data[0].reduces.data[i], 0)), row->lanes);
}

void sn_cpu_strip_load(SnBuilder *b, const SnCpuRow *row, const SnStrips *s, MlirValue slot, MlirValue *reduced) {
  for (size_t i = 0; i < row->program->phases.data[0].reduces.size; ++i)
    reduced[i] = sn_scratch_load(b, s->memory[i], sn_values(1, &slot), vector_of(row, i), sn_no_attr());
}

static void store(SnBuilder *b, const SnCpuRow *row, const SnStrips *s, MlirValue slot, const MlirValue *acc) {
  for (size_t i = 0; i < row->program->phases.data[0].reduces.size; ++i)
    sn_scratch_store(b, acc[i], s->memory[i], sn_values(1, &slot), sn_no_attr());
}

// Column k of all rows of the strip.
static void step(SnBuilder *b, const SnCpuRow *row, const SnStrips *s, MlirValue from, MlirValue to, MlirValue last,
                 MlirValue k) {
  SnRowProgram *p = row->program;
  const SnPhase *first = &p->phases.data[0];
  MlirValue acc[4], zero = sn_index(b, 0);
  SnLoop j = sn_for(b, zero, sn(b, "arith.subi", to, from), sn_index(b, row->lanes));
  {
    p->dims[p->form->num_rows - 1] = sn(b, "arith.minsi", sn(b, "arith.addi", from, j.index), last);
    p->phase = 0;
    sn_row_begin(p);
    sn_row_scalars(b, p, 0);
    sn_cpu_strip_load(b, row, s, j.index, acc);
    SnFragment c = sn_fragment_of_rows(k, row->lanes);
    for (size_t i = 0; i < first->reduces.size; ++i)
      acc[i] = sn_row_combine(b, p, first->reduces.data[i], acc[i], sn_row_reduced(b, p, &c, first->reduces.data[i]));
    sn_fragment_free(&c);
    store(b, row, s, j.index, acc);
  }
  sn_next(b, &j);
}

void sn_cpu_strip_reduce(SnBuilder *b, const SnCpuRow *row, const SnStrips *s, MlirValue from, MlirValue to,
                         MlirValue last) {
  SnRowProgram *p = row->program;
  const SnPhase *first = &p->phases.data[0];
  MlirValue identities[4], zero = sn_index(b, 0);
  for (size_t i = 0; i < first->reduces.size; ++i)
    identities[i] = sn_row_identity(b, p, first->reduces.data[i], row->lanes);
  SnLoop j = sn_for(b, zero, sn(b, "arith.subi", to, from), sn_index(b, row->lanes));
  store(b, row, s, j.index, identities);
  sn_next(b, &j);
  SnLoop k = sn_for(b, zero, sn_form_columns(b, p->form), sn_index(b, 1));
  step(b, row, s, from, to, last, k.index);
  sn_next(b, &k);
}
