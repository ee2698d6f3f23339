// chain_fetch.c: one thread fetches what warpgroups multiply, tile by tile, by copies.
//
//   a[m][k] into its slot;  b 0;  b 1, matrix 0;  b 2, matrix 1;  ...  matrix of the last block
//   with `ahead = 0`:       b 0, matrix 0;  b 1, matrix 1;  ...
//   where matrices are sides b:  b 0;  b 1;  ...  and numbers of the columns behind them in the slot
//
// Each slot is filled when all warps have released what was in it (shell/rings).
//
// test: test/lowering/gpu/chain_warpgroups.mlir, test/gpu/chains.test

#include "lowering/gpu/chains/chain_staged.h"
#include "lowering/rows/index.h"

enum { LINE = SN_GPU_SWIZZLED_BYTES };

static MlirType i32_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 32); }
static MlirValue i32_of(SnBuilder *b, int64_t v) { return sn_int(b, i32_type(b), v); }
static MlirValue less(SnBuilder *b, MlirValue x, int64_t n) { return sn(b, "arith.subi", x, sn_index(b, n)); }
static size_t num_first(const SnGpuChain *c) { return c->first.products.size; }
static size_t num_all(const SnGpuChain *c) { return c->first.products.size + c->second.products.size; }

// All of a side: lines of the sum's pieces one behind the other. From `outer` of rows or columns on, `sum` of the sum.
static void copy_side(SnBuilder *b, SnChainStaged *s, size_t product, bool is_a, MlirValue to, MlirValue outer,
                      MlirValue sum, MlirValue full) {
  SnGpuChain *c = s->c;
  const SnGpuChained *p = &c->products[product];
  const SnGpuChainSide *side = is_a ? &p->staged_a : &p->staged_b;
  const SnForm *f = product < num_first(c) ? &c->first : &c->second;
  const SnAccess *access = &f->inputs.data[sn_side(f, is_a ? p->product.a : p->product.b).first];
  int64_t line = sn_gpu_map_sum(&p->product);
  for (int64_t i = 0; i < side->pieces; ++i)
    for (int64_t copy = 0; copy < side->map.copies; ++copy) {
      int64_t offset = i * side->lines * LINE + copy * SN_WGMMA_PIECE;
      sn_wgmma_copy_box(b, &side->map, c->k->maps[is_a ? p->map_a : p->map_b], access, c->dims,
                        offset ? plus(b, to, i32_of(b, offset)) : to,
                        copy ? plus(b, outer, sn_index(b, copy * SN_GPU_WARPGROUP_ROWS)) : outer,
                        i ? plus(b, sum, sn_index(b, i * line)) : sum, full, (MlirValue){0});
    }
}

// Of a slot: sides of products `from` to `to` of all; bytes more that are on their way: i32, or null.
static void copy_sides(SnBuilder *b, SnChainStaged *s, size_t from, size_t to, bool is_a, MlirValue slot,
                       MlirValue outer, MlirValue sum, MlirValue more, MlirValue full) {
  int64_t bytes = 0, offset = 0;
  for (size_t p = from; p < to; ++p) {
    const SnGpuChainSide *side = is_a ? &s->c->products[p].staged_a : &s->c->products[p].staged_b;
    bytes += side->pieces * side->map.bytes;
  }
  sn_gpu_arrive_expecting(b, full, sn_none(more) ? i32_of(b, bytes) : plus(b, more, i32_of(b, bytes)));
  for (size_t p = from; p < to; ++p) {
    const SnGpuChainSide *side = is_a ? &s->c->products[p].staged_a : &s->c->products[p].staged_b;
    copy_side(b, s, p, is_a, offset ? plus(b, slot, i32_of(b, offset)) : slot, outer, sum, full);
    offset += side->pieces * side->lines * LINE;
  }
}

MlirValue sn_chain_slot_at(SnBuilder *b, SnChainStaged *s, MlirValue slot) {
  return plus(b, sn_gpu_shared_address(b, s->at), sn(b, "arith.muli", slot, i32_of(b, s->c->plan->slot_bytes)));
}

MlirValue sn_chain_rows_at(SnBuilder *b, SnChainStaged *s, MlirValue slot) {
  return plus(b, sn_gpu_shared_address(b, s->rows_at), sn(b, "arith.muli", slot, i32_of(b, s->c->plan->rows_bytes)));
}

// Numbers of the columns from `first` on, so many bytes (i32) of each input, behind the sides of a slot.
static void copy_numbers(SnBuilder *b, SnChainStaged *s, MlirValue slot, MlirValue first, MlirValue bytes,
                         MlirValue full) {
  SnGpuChain *c = s->c;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  MlirValue dims[SN_MAX_DIMS];
  int64_t at = c->plan->numbers_at;
  memcpy(dims, c->dims, sizeof dims);
  dims[sn_group(&c->first, 0).first] = first;
  for (size_t k = 0; k < c->first.inputs.size; ++k) {
    const SnAccess *a = &c->first.inputs.data[k];
    if (!sn_gpu_chain_is_numbers(&c->first, &c->plan->points, k))
      continue;
    MlirValue place = sn_index(b, 0);
    for (intptr_t p = 0; p < sn_rank(sn_type_of(a->value)); ++p)
      place = plus(b, sn(b, "arith.muli", place, sn_index(b, p ? sn_dim(sn_type_of(a->value), p) : 1)),
                   sn_affine(b, mlirAffineMapGetResult(a->map, p), dims));
    MlirValue offset = sn(b, "arith.muli", sn(b, "arith.index_cast", place, i64), sn_int(b, i64, sizeof(float)));
    sn_gpu_bulk_copy(b, plus(b, slot, i32_of(b, at)), plus(b, c->first_addresses[k], offset), bytes, full);
    at += c->plan->n * (int64_t)sizeof(float);
  }
}

// Into the next slot: columns of a block, or what they are multiplied by.
static void fetch_slot(SnBuilder *b, SnChainStaged *s, bool matrices, MlirValue block, SnGpuTurn *turn) {
  SnGpuChain *c = s->c;
  MlirValue zero = sn_index(b, 0), first = sn(b, "arith.muli", block, sn_index(b, c->plan->n));
  sn_gpu_ring_await_empty(b, &s->blocks, *turn);
  MlirValue full = sn_gpu_ring_full(b, &s->blocks, *turn), slot = sn_chain_slot_at(b, s, turn->slot), bytes = {0},
            more = {0};
  if (c->plan->numbers && !matrices) {
    MlirValue left = sn(b, "arith.minui", sn_index(b, c->plan->n), sn(b, "arith.subi", c->num_columns, first));
    bytes = sn(b, "arith.muli", sn(b, "arith.index_cast", left, i32_type(b)), i32_of(b, sizeof(float)));
    more = sn(b, "arith.muli", bytes, i32_of(b, c->plan->numbers));
  }
  copy_sides(b, s, matrices ? num_first(c) : 0, matrices ? num_all(c) : num_first(c), false, slot,
             matrices ? zero : first, matrices ? first : zero, more, full);
  if (!sn_none(more))
    copy_numbers(b, s, slot, first, bytes, full);
  *turn = sn_gpu_ring_behind(b, &s->blocks, *turn, 1);
}

static void fetch_tile(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  SnChainCarried *carry = user;
  SnChainStaged *s = carry->s;
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1), *carried = carry->carried;
  SnGpuTurn rows = {carried[0], carried[1]}, turn = {carried[2], carried[3]};
  sn_gpu_chain_place_tile(b, s->c, tile->number);
  sn_gpu_ring_await_empty(b, &s->rows, rows);
  copy_sides(b, s, 0, num_first(s->c), true, sn_chain_rows_at(b, s, rows.slot), s->c->first_row, zero, (MlirValue){0},
             sn_gpu_ring_full(b, &s->rows, rows));
  rows = sn_gpu_ring_behind(b, &s->rows, rows, 1);
  MlirValue first, blocks;
  sn_gpu_chain_blocks(b, s->c, &first, &blocks);
  bool matrices = !s->c->plan->same_slots, ahead = s->c->plan->ahead;
  if (ahead)
    fetch_slot(b, s, false, first, &turn);
  SnLoop l = sn_for_values(b, ahead ? plus(b, first, one) : first, blocks, one, SN_VALUE_LIST(turn.slot, turn.parity));
  turn = (SnGpuTurn){l.carried[0], l.carried[1]};
  fetch_slot(b, s, false, l.index, &turn);
  if (matrices)
    fetch_slot(b, s, true, ahead ? less(b, l.index, 1) : l.index, &turn);
  MlirValue at[] = {turn.slot, turn.parity};
  sn_next_values(b, &l, sn_values(2, at));
  turn = (SnGpuTurn){sn_result(l.op, 0), sn_result(l.op, 1)};
  if (matrices && ahead)
    fetch_slot(b, s, true, less(b, blocks, 1), &turn);
  carried[0] = rows.slot, carried[1] = rows.parity, carried[2] = turn.slot, carried[3] = turn.parity;
}

void sn_chain_fetch(SnBuilder *b, SnGpuKernel *k, void *user) {
  SnChainStaged *s = user;
  MlirValue zero = i32_of(b, 0), carried[SN_CHAIN_CARRIED + 1] = {zero, zero, zero, zero};
  s->c->k = k;
  int64_t registers = sn_gpu_chain_registers[sn_chain_groups(s->c)].fetcher;
  if (registers)
    sn_wgmma_registers(b, "decrease", registers);
  SnIf warp = sn_if(b, sn(b, "arith.cmpi", k->warp, sn_index(b, k->warps), sn_attr("predicate", sn_i64(b->ctx, 0))));
  SnIf one = sn_if(b, sn(b, "nvvm.elect.sync", mlirIntegerTypeGet(b->ctx, 1)));
  sn_chain_each_tile(b, s, carried, fetch_tile, false);
  sn_end_if(b, &one);
  sn_end_if(b, &warp);
}
