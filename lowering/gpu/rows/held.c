// held.c: what no turn of a loop makes stays in registers over its turns.
//
//   %w0, %w1, ... = vectors of w[k, i] that are this thread's              in front of the loop
//   for %t:
//     %x = vectors of x[k];  sum of %x * %w
//
// Each row has threads of its own, all at work at once, and a thread has the same vectors in each turn.
//
// And where turns hand each other words, numbers of the row are read before the words come.
//
// test: test/lowering/gpu/sequence_held.mlir, test/gpu/sequence_loops.test

#include "lowering/gpu/rows/gpu_rows.h"
#include "lowering/rows/rowmemory.h"

static bool is_held(const SnGpuRowKernel *g, const bool *may, size_t k) {
  return may[k] && sn_is_row(mlirBlockGetArgument(g->form->body, (intptr_t)k));
}

static bool is_early(const SnGpuRowKernel *g, const bool *may, size_t k) {
  const SnAccess *a = &g->form->inputs.data[k];
  return may[k] && !sn_uses_cols(g->form, a->map) && !sn_is_table(a) && !a->through.ptr && !a->fill.ptr;
}

void sn_gpu_read_early(SnBuilder *b, SnGpuRowKernel *g, const bool *may, SnValueVec *early) {
  sn_row_begin(&g->program);
  sn_form_point(b, g->form, 0, g->form->num_rows, g->k->group, g->program.dims);
  for (size_t k = 0; k < g->form->inputs.size; ++k)
    if (is_early(g, may, k))
      sn_push(early, sn_row_load_lanes(b, &g->program, &g->program.row, &g->program.sources.data[k].access));
}

void sn_gpu_give_early(SnGpuRowKernel *g) {
  size_t n = 0;
  for (size_t k = 0; k < g->form->inputs.size; ++k)
    if (is_early(g, g->k->may_early, k))
      sn_row_know(&g->program, mlirBlockGetArgument(g->form->body, (intptr_t)k), g->k->early->data[n++]);
}

void sn_gpu_hold(SnBuilder *b, SnGpuRowKernel *g, const bool *may, SnValueVec *held) {
  MlirValue row = g->k->group;
  sn_row_begin(&g->program);
  sn_form_point(b, g->form, 0, g->form->num_rows, row, g->program.dims);
  sn_gpu_begin_resident(b, g, row, g->resident, g->inside);
  for (size_t u = 0; u < g->mine.resident; ++u) {
    for (size_t k = 0; k < g->form->inputs.size; ++k) {
      MlirValue x = mlirBlockGetArgument(g->form->body, (intptr_t)k);
      if (is_held(g, may, k))
        sn_push(held, sn_row_element(b, &g->program, &g->resident[u], x));
    }
    sn_fragment_free(&g->resident[u]);
  }
}

void sn_gpu_give_held(SnGpuRowKernel *g) {
  size_t n = 0;
  for (size_t u = 0; u < g->mine.resident; ++u)
    for (size_t k = 0; k < g->form->inputs.size; ++k)
      if (is_held(g, g->k->may_hold, k))
        sn_fragment_give(&g->resident[u], mlirBlockGetArgument(g->form->body, (intptr_t)k), g->k->held->data[n++]);
}
