// ahead.c: the next row comes while this one is at work.
//
//   fetch(first row)
//   for each row of the block or cluster:
//     wait; vectors of the row = shared memory              each thread reads what it fetched itself: no barrier
//     fetch(next row)                                       cp.async, into the same places
//     the row's phases
//
// A multiprocessor whose registers hold one row or two has nothing under way while their reductions meet;
// this way memory is busy all the time. What a thread's vectors are is the same in every row, or shifted by less than
// one vector (peel.c).
//
// test: test/lowering/gpu/ahead.mlir

#include "lowering/gpu/rows/gpu_rows.h"
#include "lowering/rows/rowmemory.h"

static MlirValue own_slot(SnBuilder *b, const SnGpuRowKernel *g, size_t u) {
  return sn_gpu_own_slot(b, g, sn_int(b, mlirIntegerTypeGet(b->ctx, 32), (int64_t)u));
}

// What there is of a vector that begins in a tensor and ends behind it: a copy of all its bytes would read them.
static void copy_elements(SnBuilder *b, SnGpuRowKernel *g, size_t i, MlirValue own, MlirValue memref,
                          MlirValue offset) {
  MlirValue all = sn_form_sizes(b, g->form, 0, g->form->num_rows + g->form->num_cols);
  MlirType element = sn_element(sn_type_of(memref));
  int64_t known, shape = sn_known(all, &known) ? known : SN_DYNAMIC;
  MlirValue flat = sn_gpu_view(b, memref, sn_memref(element, 1, &shape), &all);
  for (int64_t l = 0; l < g->mine.width; ++l) {
    MlirValue at = sn(b, "arith.addi", offset, sn_index(b, l));
    SnIf there = sn_if(b, sn_row_below(b, at, all));
    sn_op(b, "memref.store", sn(b, "memref.load", flat, at, element), g->slots.memory[i], own, sn_index(b, l));
    sn_end_if(b, &there);
  }
}

static void copy(SnBuilder *b, SnGpuRowKernel *g, size_t i, MlirValue own, SnFragment *at) {
  const SnAccess *a = &g->form->inputs.data[g->plan->fetch.inputs[i]];
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), i64 = mlirIntegerTypeGet(b->ctx, 64), index = sn_index_type(b->ctx);
  int64_t size = sn_bits(sn_element(sn_type_of(a->value))) / 8, bytes = g->mine.width * size;
  MlirValue whole = a->value, offset = sn_none(at->place) ? sn_row_offset(b, &g->program, at, a, &whole) : at->place;
  MlirValue from = sn(b, "arith.addi", sn(b, "memref.extract_aligned_pointer_as_index", a->value, index),
                      sn(b, "arith.muli", offset, sn_index(b, size)));
  MlirValue to = sn(b, "arith.muli", sn(b, "arith.index_cast", own, i32), sn_int(b, i32, bytes));
  SnIf readable;
  bool part = !sn_none(at->readable);
  if (part)
    readable = sn_if(b, at->readable);
  sn_gpu_copy_async(b, sn(b, "arith.addi", sn_gpu_shared_address(b, g->slots.memory[i]), to),
                    sn(b, "arith.index_cast", from, i64), bytes, (MlirValue){0});
  if (part) {
    sn_else(b, &readable);
    copy_elements(b, g, i, own, a->value, offset);
    sn_end_if(b, &readable);
  }
}

void sn_gpu_fetch(SnBuilder *b, SnGpuRowKernel *g, MlirValue row) {
  SnFragment at[SN_GPU_MOST_RESIDENT];
  MlirValue inside[SN_GPU_MOST_RESIDENT], dims[SN_MAX_DIMS];
  SnIf there = sn_if(b, sn_row_below(b, row, g->num_rows));
  memcpy(dims, g->program.dims, sizeof dims);
  sn_form_point(b, g->form, 0, g->form->num_rows, row, g->program.dims);
  sn_gpu_begin_resident(b, g, row, at, inside);
  for (size_t i = 0; i < g->plan->fetch.n; ++i)
    for (size_t u = 0; u < g->mine.resident; ++u)
      copy(b, g, i, own_slot(b, g, u), &at[u]);
  memcpy(g->program.dims, dims, sizeof dims);
  sn_end_if(b, &there);
}

void sn_gpu_fetched(SnBuilder *b, SnGpuRowKernel *g) {
  sn_gpu_await_copies(b, 0);
  for (size_t i = 0; i < g->plan->fetch.n; ++i)
    for (size_t u = 0; u < g->mine.resident; ++u)
      sn_gpu_take_input(b, g, i, own_slot(b, g, u), &g->resident[u]);
}
