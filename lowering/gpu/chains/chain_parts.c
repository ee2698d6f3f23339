// chain_parts.c: rows whose columns several blocks of threads share, each of them a part.
//
//   scratch[tile][part] = what the part's rows have: maxima, references, sums, what grew
//   if the tile's counter says that all other parts are there:
//     what part 0 has; then of each further one, in order: both under the higher reference, added up
//     the rows' ends
//
// The order is that of the columns whichever block is last: equal inputs give equal bits. Nobody waits. (Counters:
// shell/tag_counters.c.) A part without columns has one block beside the row's end, which is no column's. Threads
// without a row store nothing.
//
// test: test/lowering/gpu/chain_warpgroups.mlir, test/gpu/chains.test

#include "lowering/gpu/chains/chain_rows.h"
#include "lowering/rows/rowmemory.h"

// f32[tiles * split * units][values of a thread][threads of a warpgroup]
static MlirValue memory_of(SnBuilder *b, const SnGpuChain *c, int64_t n) {
  int64_t shape[] = {c->plan->tiles * c->plan->split * c->plan->units, n, SN_GPU_WARPGROUP};
  return sn(b, "memref.view", c->k->scratch, sn_index(b, sn_gpu_chain_counters(c->plan)),
            sn_memref(mlirF32TypeGet(b->ctx), 3, shape));
}

static MlirValue place_of(SnBuilder *b, const SnGpuChain *c, MlirValue part, MlirValue unit) {
  MlirValue number = sn(b, "arith.addi", sn(b, "arith.muli", c->tile, sn_index(b, c->plan->split)), part);
  return sn(b, "arith.addi", sn(b, "arith.muli", number, sn_index(b, c->plan->units)), unit);
}

static void move(SnBuilder *b, const SnGpuChain *c, MlirValue place, size_t n, MlirValue *values, bool load) {
  MlirValue memory = memory_of(b, c, (int64_t)n),
            thread = sn(b, "arith.remui", c->k->thread, sn_index(b, SN_GPU_WARPGROUP));
  for (size_t v = 0; v < n; ++v) { // neighbouring threads, neighbouring words
    MlirValue at[] = {place, sn_index(b, (int64_t)v), thread};
    if (load)
      values[v] = sn_scratch_load(b, memory, sn_values(3, at), mlirF32TypeGet(b->ctx), sn_no_attr());
    else
      sn_scratch_store(b, values[v], memory, sn_values(3, at), sn_no_attr());
  }
}

// x * by + y * of_y
static MlirValue under(SnBuilder *b, MlirValue x, MlirValue by, MlirValue y, MlirValue of_y) {
  return sn(b, "arith.addf", sn(b, "arith.mulf", x, by), sn(b, "arith.mulf", y, of_y));
}

// Of the thread's row h: what two parts have becomes one's. Values: states of both rows, then what grew.
static void merge_row(SnBuilder *b, SnGpuChain *c, int h, size_t num_grown, MlirValue *x, const MlirValue *y) {
  SnRowProgram *p = &c->rows[h];
  size_t states = sn_gpu_chain_states(c), first = (size_t)h * states, whole = sn_chain_num_reduces(p, 0),
         sums = whole + sn_chain_num_reduces(p, 1);
  MlirValue by = sn_chain_number(b, 1), of_y = by;
  for (size_t i = 0; i < whole; ++i)
    x[first + i] = sn_row_combine(b, p, sn_chain_state_of(p, i), x[first + i], y[first + i]);
  if (!sn_null(c->maximum)) {
    MlirValue r = x[first + sums], s = y[first + sums], next = sn(b, "arith.maximumf", r, s);
    by = sn_chain_exponential(b, sn(b, "arith.subf", r, next));
    of_y = sn_chain_exponential(b, sn(b, "arith.subf", s, next));
    x[first + sums] = next;
  }
  for (size_t i = whole; i < sums; ++i)
    x[first + i] = under(b, x[first + i], by, y[first + i], of_y);
  for (size_t i = 2 * states; i < 2 * states + num_grown; ++i)
    if ((i - 2 * states) % SN_GPU_MMA_SUMS / 2 == (size_t)h)
      x[i] = under(b, x[i], by, y[i], of_y);
}

// What all parts have, in order.
static void add_parts(SnBuilder *b, SnGpuChain *c, MlirValue unit, size_t n, size_t num_grown, MlirValue *values) {
  MlirValue *others = sn_alloc(n * sizeof *others);
  move(b, c, place_of(b, c, sn_index(b, 0), unit), n, values, true);
  SnLoop l =
      sn_for_values(b, sn_index(b, 1), sn_index(b, c->plan->split), sn_index(b, 1), sn_values((intptr_t)n, values));
  memcpy(values, l.carried, n * sizeof *values);
  move(b, c, place_of(b, c, l.index, unit), n, others, true);
  for (int h = 0; h < 2; ++h)
    merge_row(b, c, h, num_grown, values, others);
  sn_next_values(b, &l, sn_values((intptr_t)n, values));
  for (size_t i = 0; i < n; ++i)
    values[i] = sn_result(l.op, (intptr_t)i);
  free(others);
}

SnIf sn_gpu_chain_meet(SnBuilder *b, SnGpuChain *c, MlirValue unit, MlirValue flags, SnChainSync sync, void *user,
                       size_t num_grown, MlirValue *values) {
  size_t n = 2 * sn_gpu_chain_states(c) + num_grown;
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), i64 = mlirIntegerTypeGet(b->ctx, 64),
           *types = sn_alloc(n * sizeof *types);
  MlirValue *was = sn_alloc(n * sizeof *was), zero = sn_index(b, 0),
            thread = sn(b, "arith.remui", c->k->thread, sn_index(b, SN_GPU_WARPGROUP)),
            has_row = sn(b, "arith.ori", c->row_is[0], c->row_is[1]);
  for (size_t i = 0; i < n; ++i)
    types[i] = mlirF32TypeGet(b->ctx);
  SnIf stores = sn_if(b, has_row);
  move(b, c, place_of(b, c, c->part, unit), n, values, false);
  sn_end_if(b, &stores);
  sync(b, user);
  SnIf first = sn_if(b, sn(b, "arith.cmpi", thread, zero, sn_attr("predicate", sn_i64(b->ctx, 0))));
  MlirValue counter = sn(b, "arith.addi", sn(b, "arith.muli", c->tile, sn_index(b, c->plan->units)), unit),
            is_last = sn_gpu_is_last(b, c->k, counter, sn_int(b, i64, c->plan->split));
  sn_op(b, "memref.store", sn(b, "arith.extui", is_last, i32), flags, unit, sn_types(0, NULL));
  sn_end_if(b, &first);
  sync(b, user);
  SnIf last = sn_if(b, sn(b, "arith.cmpi", sn(b, "memref.load", flags, unit, i32), sn_int(b, i32, 1),
                          sn_attr("predicate", sn_i64(b->ctx, 0))));
  memcpy(was, values, n * sizeof *was);
  SnIf loads = sn_if_types(b, has_row, sn_types((intptr_t)n, types));
  add_parts(b, c, unit, n, num_grown, values);
  sn_else_values(b, &loads, sn_values((intptr_t)n, values));
  sn_end_if_values(b, &loads, sn_values((intptr_t)n, was));
  for (size_t i = 0; i < n; ++i)
    values[i] = sn_result(loads.op, (intptr_t)i);
  free(types);
  free(was);
  return last;
}
