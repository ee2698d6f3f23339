// chain_windows.c: values that cross from a segment of a chain to the next, where a task has but a block of their rows.
//
//   %p[i, j] of memref<8192x512xf32>, rows i0 .. i0 + 31 of which are here:
//
//     memory    [tasks * 32][512]                row task * 32 + r is the block's row r
//     window    memref<8192x512xf32>             begins i0 rows in front of it: %p[i0 + r, j] is there
//
// So a segment is a form on memrefs like any other, and who emits it does not know that rows outside of the block
// have no memory. Nobody reads or writes those: a segment's block is its consumer's block.

#include "lowering/cpu/chain.h"
#include "mlir-c/Dialect/LLVM.h"

static void sizes_of(SnBuilder *b, const SnForm *f, const int64_t *dims, intptr_t n, MlirValue *sizes) {
  for (intptr_t i = 0; i < n; ++i)
    sizes[i] = sn_form_size(b, f, dims[i]);
}

static MlirValue without_memory(SnBuilder *b, const SnForm *f, const SnWindow *w) {
  MlirValue sizes[SN_MAX_DIMS];
  sizes_of(b, f, w->dims, w->n, sizes);
  return sn_cpu_memref_at(b, w->type, sizes, sn(b, "llvm.mlir.zero", mlirLLVMPointerTypeGet(b->ctx, 0)));
}

static MlirValue columns_of(SnBuilder *b, const SnForm *f, const int64_t *dims, intptr_t n) {
  MlirValue columns = sn_index(b, 1);
  for (intptr_t i = 0; i < n; ++i)
    if (dims[i] >= f->num_rows)
      columns = sn_size_mul(b, columns, sn_form_size(b, f, dims[i]));
  return columns;
}

// ---- windows -------------------------------------------------------------------------------------

MlirValue sn_cpu_window_place(SnBuilder *b, const SnForm *f, MlirType element, const int64_t *dims, intptr_t n,
                              bool total, void *user) {
  SnWindows *windows = user;
  SnWindow w = {.n = n};
  int64_t shape[SN_MAX_DIMS];
  memcpy(w.dims, dims, (size_t)n * sizeof *dims);
  for (intptr_t i = 0; i < n; ++i)
    shape[i] = f->dims.data[dims[i]].size;
  w.type = sn_memref(element, n, shape);
  SnGroup first = sn_group(f, 0);
  for (intptr_t i = 0; i < n && windows->stream && !total; ++i)
    w.streamed |= dims[i] >= first.first && dims[i] < first.first + first.num_dims;
  MlirValue columns = columns_of(b, f, dims, n), sizes[] = {total ? sn_index(b, 1) : windows->slots, columns};
  if (!w.streamed) // chain_stream.c has memory for it
    w.memory = sn_cpu_scratch(windows->of, element, 2, sizes);
  if (total) { // all of it is there
    MlirValue all[SN_MAX_DIMS];
    sizes_of(b, f, dims, n, all);
    return sn_cpu_memref_at(b, w.type, all, sn_cpu_address(b, w.memory, sn_index(b, 0)));
  }
  w.kernel = without_memory(b, f, &w);
  sn_push(&windows->all, w);
  return w.kernel;
}

void sn_cpu_windows_in_task(SnWindows *windows, const SnForm *f, SnTask *t) {
  for (size_t i = 0; i < windows->all.size; ++i) {
    SnWindow *w = &windows->all.data[i];
    w->task = without_memory(&t->b, f, w);
    sn_map(&t->map, w->kernel, w->task);
  }
}

void sn_cpu_windows_at_block(SnWindows *windows, const SnForm *f, SnTask *t, MlirValue row, MlirValue slot) {
  SnBuilder *b = &t->b;
  for (size_t i = 0; i < windows->all.size; ++i) {
    SnWindow *w = &windows->all.data[i];
    if (w->streamed)
      continue;
    MlirValue sizes[SN_MAX_DIMS], rows = sn(b, "arith.subi", slot, row);
    sizes_of(b, f, w->dims, w->n, sizes);
    MlirValue first = sn_size_mul(b, rows, columns_of(b, f, w->dims, w->n));
    w->block = sn_cpu_memref_at(b, w->type, sizes, sn_cpu_address(b, sn_lookup(&t->map, w->memory), first));
  }
}

SnWindow *sn_cpu_window_of(const SnWindows *windows, MlirValue operand) {
  for (size_t i = 0; i < windows->all.size; ++i) {
    SnWindow *w = &windows->all.data[i];
    if (sn_same(operand, w->kernel) || (!sn_none(w->task) && sn_same(operand, w->task)))
      return w;
  }
  return NULL;
}

static void set(const SnWindows *windows, SnAccess *a) {
  for (size_t i = 0; i < windows->all.size; ++i)
    if (sn_same(a->value, windows->all.data[i].task) && !windows->all.data[i].streamed)
      a->value = windows->all.data[i].block;
}

void sn_cpu_windows_set(const SnWindows *windows, SnForm *f) {
  for (size_t k = 0; k < f->inputs.size; ++k)
    set(windows, &f->inputs.data[k]);
  for (size_t k = 0; k < f->outputs.size; ++k)
    set(windows, &f->outputs.data[k]);
}
