// gpu_even.c: sizes `?` that turn out to be multiples of a vector.
//
//   #sinter.gpu_rows<..., vector = 1, even = #sinter.gpu_rows<..., vector = 8, multiple = 8>>
//
// The host asks (lowering/gpu/rows/rowwise_gpu.c): a kernel by vectors stands beside the one by elements. Of rows that
// lie together, whose number is `?`, vectors are rows of a thread, where there are enough of them (`least`).
//
// test: test/passes/schedule/gpu_families.mlir, test/lowering/gpu/even_length.mlir

#include "dialect/sequence.h"
#include "lowering/rows/rowmemory.h"
#include "passes/schedule/gpu_families.h"
#include "passes/schedule/schedule.h"

// Vectors of all operands that have neighbours in the last dimension of columns, or of rows, are aligned where sizes
// are multiples of so many lanes.
static bool are_even(const SnForm *f, int64_t lanes, bool of_rows) {
  int64_t lane = of_rows ? f->num_rows - 1 : f->num_rows + f->num_cols - 1;
  bool any = false;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
    bool uses = of_rows ? sn_map_uses(a->map, lane) : sn_uses_cols(f, a->map);
    if (!uses || sn_is_table(a))
      continue;
    if (!sn_row_is_even(f, a, lanes, of_rows) || (of_rows ? a->through.ptr != NULL : !sn_row_has_vectors(f, a, lanes)))
      return false;
    any |= sn_dim(sn_type_of(a->value), mlirAffineMapGetNumResults(a->map) - 1) == SN_DYNAMIC;
  }
  return any && (f->dims.data[lane].size == SN_DYNAMIC || f->dims.data[lane].size % lanes == 0);
}

// Rows whose length is `?` and a multiple of a vector are read by such vectors.
static MlirAttribute with_even_columns(const SnGpuRowFacts *a, MlirAttribute schedule) {
  SnGpuRowFacts even = *a;
  SnGpuRowSchedule s = {0};
  for (even.vector = a->lanes; even.vector > 1 && !are_even(a->form, even.vector, false);)
    even.vector /= 2;
  if (even.vector == 1)
    return schedule;
  even.multiple = even.vector;
  even.remake = a->remake && !a->packed;
  sn_gpu_row_read(&even, &s);
  return sn_gpu_row_beside(mlirOperationGetLocation(a->form->op), schedule, "even", sn_gpu_row_attribute(&even, &s));
}

// Many rows that lie together, whose number is `?` and a multiple of a vector: a thread has one of them.
static MlirAttribute with_even_rows(const SnGpuRowFacts *a, MlirAttribute schedule) {
  SnGpuRowFacts even = *a;
  SnGpuRowSchedule s = {.threads = 256,
                        .vector = 1,
                        .unroll = 4,
                        .cluster = 1,
                        .team = 1,
                        .rows = sn_gpu_row_is_wide(a->form) ? 2 : a->lanes};
  if (a->sums || a->again || a->rows != SN_DYNAMIC || sn_gpu_asserts(a->form) || !sn_gpu_rows_together(a->form) ||
      (sn_gpu_row_is_wide(a->form) && a->lanes < 8) || !are_even(a->form, s.rows, true))
    return schedule;
  even.multiple = s.rows;
  s.least = a->gpu->multiprocessors * SN_GPU_ROW_THREADS / 2 * s.rows;
  s.blocks = sn_gpu_row_blocks(a, &s, s.threads * s.rows);
  return sn_gpu_row_beside(mlirOperationGetLocation(a->form->op), schedule, "even",
                           sn_gpu_row_attribute_alone(&even, &s));
}

MlirAttribute sn_gpu_row_with_even(const SnGpuRowFacts *a, const SnGpuRowSchedule *s, MlirAttribute schedule) {
  if (!a->form->num_cols || a->columns || s->flat || s->turned || sn_in_sequence(a->form->op))
    return schedule;
  if (s->tile || s->team == 1)
    return with_even_rows(a, schedule);
  return a->length == SN_DYNAMIC ? with_even_columns(a, schedule) : schedule;
}
