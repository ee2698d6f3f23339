// slots.c: pieces of rows in shared memory.
//
//   a piece: a vector of each thread      slot s of input i: memory[i][s * threads + thread] = vector<width x T>
//
// A slot is filled by bulk copies, which arrive at its mbarrier (shared.c, grid_rows.c), or by each thread for itself
// (ahead.c). A thread takes what it would have read from memory.
//
// test: test/lowering/gpu/shared.mlir, grid_rows.mlir, ahead.mlir

#include "lowering/gpu/rows/gpu_rows.h"
#include "lowering/rows/index.h"
#include "lowering/rows/rowmemory.h"

static const SnAccess *access_of(const SnGpuRowKernel *g, size_t i) {
  return &g->form->inputs.data[g->plan->fetch.inputs[i]];
}

static int64_t vector_bytes(const SnGpuRowKernel *g, size_t i) {
  return g->mine.width * sn_bits(sn_element(sn_type_of(access_of(g, i)->value))) / 8;
}

static MlirType i32_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 32); }
static MlirType i64_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 64); }

void sn_gpu_make_slots(SnBuilder *b, SnGpuRowKernel *g) {
  int64_t shape[] = {g->plan->fetch.slots * g->k->threads, g->mine.width};
  for (size_t i = 0; i < g->plan->fetch.n; ++i)
    g->slots.memory[i] = sn_gpu_launched_shared(b, g->k, "slots of rows", 2, shape,
                                                sn_element(sn_type_of(access_of(g, i)->value)), SN_GPU_FOR_COPIES);
}

bool sn_gpu_has_slots(const SnGpuRowKernel *g) { return !sn_none(g->slots.memory[0]); }

void sn_gpu_copy_piece(SnBuilder *b, SnGpuRowKernel *g, SnGpuTurn turn, MlirValue from, MlirValue before,
                       MlirValue vectors, bool some) {
  MlirValue all = sn_index(b, 0), bytes[SN_GPU_MOST_FETCHED], full = sn_gpu_ring_full(b, &g->slots.ring, turn);
  SnIf any;
  for (size_t i = 0; i < g->plan->fetch.n; ++i) {
    bytes[i] = times(b, vectors, vector_bytes(g, i));
    all = plus(b, all, bytes[i]);
  }
  sn_gpu_arrive_expecting(b, full, sn(b, "arith.index_cast", all, i32_type(b)));
  if (!some)
    any = sn_if(b, sn(b, "arith.cmpi", sn_index(b, 0), vectors, sn_attr("predicate", sn_i64(b->ctx, 6)))); // ult
  for (size_t i = 0; i < g->plan->fetch.n; ++i) {
    int64_t vector = vector_bytes(g, i), slot = g->k->threads * vector;
    MlirValue place = plus(b, from, times(b, before, g->mine.width));
    MlirValue offset = sn(b, "arith.muli", sn(b, "arith.index_cast", place, i64_type(b)),
                          sn_int(b, i64_type(b), vector / g->mine.width));
    MlirValue source = plus(b, g->k->addresses[g->plan->fetch.inputs[i]], offset);
    MlirValue to = plus(b, sn_gpu_shared_address(b, g->slots.memory[i]),
                        sn(b, "arith.muli", turn.slot, sn_int(b, i32_type(b), slot)));
    sn_gpu_bulk_copy(b, to, source, sn(b, "arith.index_cast", bytes[i], i32_type(b)), full);
  }
  if (!some)
    sn_end_if(b, &any);
}

MlirValue sn_gpu_own_slot(SnBuilder *b, const SnGpuRowKernel *g, MlirValue slot) {
  return plus(b, times(b, sn(b, "arith.index_cast", slot, sn_index_type(b->ctx)), g->k->threads), g->k->thread);
}

void sn_gpu_take_input(SnBuilder *b, SnGpuRowKernel *g, size_t i, MlirValue own, SnFragment *at) {
  const SnAccess *a = access_of(g, i);
  bool vector = g->mine.width > 1;
  MlirType t = sn_lanes_of(sn_element(sn_type_of(a->value)), g->mine.width);
  MlirValue places[] = {own, sn_index(b, 0)};
  MlirValue x = sn(b, vector ? "vector.load" : "memref.load", g->slots.memory[i], sn_values(2, places), t,
                   sn_attr("alignment", vector ? sn_i64(b->ctx, vector_bytes(g, i)) : mlirAttributeGetNull()));
  if (g->plan->fetch.in_bulk && !sn_none(at->readable)) { // the last vector of all is not whole: bulk copies leave it
    SnIf there = sn_if(b, at->readable, t);
    sn_else(b, &there, x);
    sn_end_if(b, &there, sn_row_load_place(b, &g->program, at, a));
    x = sn_result(there.op, 0);
  }
  sn_fragment_give(at, mlirBlockGetArgument(g->form->body, (intptr_t)g->plan->fetch.inputs[i]), x);
}

void sn_gpu_take(SnBuilder *b, SnGpuRowKernel *g, MlirValue slot, SnFragment *at) {
  MlirValue own = sn_gpu_own_slot(b, g, slot);
  for (size_t i = 0; i < g->plan->fetch.n; ++i)
    sn_gpu_take_input(b, g, i, own, at);
}
