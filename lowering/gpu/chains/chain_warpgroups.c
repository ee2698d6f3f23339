// chain_warpgroups.c: rows that are multiplied again, by warpgroups: copies fetch, wgmma multiplies from registers.
//
//   one thread, for each tile:
//     a[m][k] into its slot;  b 0;  b 1, matrix 0;  b 2, matrix 1;  ...  matrix of the last block
//   warpgroups of 64 rows, for each tile:
//     sums = a . b 0;  words = the row program
//     for each further block i:
//       sums = a . b i;  grown += words . matrix i - 1        both are under way at a time
//       sums are there:   b's slot is empty
//       grown is there:   matrix's slot is empty;  words = the row program;  grown comes under the new maximum
//     grown += words . matrix of the last;  the second program
//
// Where the schedule says `ahead = 0`, a block's rows are multiplied before the next one's are made, and the other
// warpgroup alone multiplies meanwhile. Matrices that are sides b, as those of gradients, have no slots of their own.
//
// While one warpgroup is at its row program, the other one multiplies. A block of columns beside the row's end is
// zeros, which the row program leaves out, so there is one block at least.
//
// A tile in which more counts than was made (chain_left_out.c) is made again behind the block's last one, whole: who
// fetches is ahead of it by then.
//
// test: test/lowering/gpu/chain_warpgroups.mlir, test/gpu/chains.test

#include "lowering/gpu/chains/chains_gpu.h"
#include "lowering/gpu/products/wgmma.h"
#include "lowering/rows/rowmemory.h"
#include <assert.h>

enum {
  MOST_PARTS = 2, // of an element that is multiplied again
  LINE = SN_GPU_SWIZZLED_BYTES,
  STEP_ALONG = 32,
  STEP_ACROSS = 16 * LINE
}; // bytes; of an instruction's 16 elements of the sum

// Of a thread, by warpgroups that multiply: what the one that fetches leaves of what a launch gives; one has enough.
static const struct {
  int64_t fetcher, multiplier;
} registers_of[] = {[2] = {24, 240}};

typedef struct {
  SnGpuChain *c;
  SnGpuRing rows, blocks; // of sides a; of sides b and matrices
  MlirValue rows_at, at;  // their slots in shared memory: bytes
  MlirValue group;        // i32: which warpgroup
  MlirValue tiles;        // index: how many
  MlirValue flags;        // shared memory: whether a warpgroup is the last that has a part of a tile
  int parts[2];           // numbers of barriers: a warpgroup's threads meet
  int order[2];           // numbers of barriers: whose turn to multiply it is; 0: there is one warpgroup
  // Where tiles may be made again: words of warps, which tiles those are; filled once; i1: now it is, i32: those asked.
  MlirValue words, again, asked;
  SnGpuRing rounds;
} Staged;

static MlirType i32_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 32); }
static MlirValue i32_of(SnBuilder *b, int64_t v) { return sn_int(b, i32_type(b), v); }
static MlirValue plus(SnBuilder *b, MlirValue x, MlirValue y) { return sn(b, "arith.addi", x, y); }
static MlirValue less(SnBuilder *b, MlirValue x, int64_t n) { return sn(b, "arith.subi", x, sn_index(b, n)); }
static size_t num_first(const SnGpuChain *c) { return c->first.products.size; }
static size_t num_all(const SnGpuChain *c) { return c->first.products.size + c->second.products.size; }

static int64_t groups_of(const SnGpuChain *c) { return c->plan->launch.threads / SN_GPU_WARPGROUP; }

// ---- who fetches -------------------------------------------------------------------------------

// All of a side: lines of the sum's pieces one behind the other. From `outer` of rows or columns on, `sum` of the sum.
static void copy_side(SnBuilder *b, Staged *s, size_t product, bool is_a, MlirValue to, MlirValue outer, MlirValue sum,
                      MlirValue full) {
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
                        i ? plus(b, sum, sn_index(b, i * line)) : sum, full);
    }
}

// Of a slot: sides of products `from` to `to` of all; bytes more that are on their way: i32, or null.
static void copy_sides(SnBuilder *b, Staged *s, size_t from, size_t to, bool is_a, MlirValue slot, MlirValue outer,
                       MlirValue sum, MlirValue more, MlirValue full) {
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

static MlirValue slot_at(SnBuilder *b, Staged *s, MlirValue slot) {
  return plus(b, sn_gpu_shared_address(b, s->at), sn(b, "arith.muli", slot, i32_of(b, s->c->plan->slot_bytes)));
}

// Numbers of the columns from `first` on, so many bytes (i32) of each input, behind the sides of a slot.
static void copy_numbers(SnBuilder *b, Staged *s, MlirValue slot, MlirValue first, MlirValue bytes, MlirValue full) {
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
static void fetch_slot(SnBuilder *b, Staged *s, bool matrices, MlirValue block, SnGpuTurn *turn) {
  SnGpuChain *c = s->c;
  MlirValue zero = sn_index(b, 0), first = sn(b, "arith.muli", block, sn_index(b, c->plan->n));
  sn_gpu_ring_await_empty(b, &s->blocks, *turn);
  MlirValue full = sn_gpu_ring_full(b, &s->blocks, *turn), slot = slot_at(b, s, turn->slot), bytes = {0}, more = {0};
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

// Carried from tile to tile: the turn of rows, and of blocks.
enum { CARRIED = 4 };
typedef struct {
  Staged *s;
  MlirValue *carried;
  MlirValue counts; // i1, of the tile: what was left out counts; null: it cannot
} Carried;

static void fetch_tile(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  Carried *carry = user;
  Staged *s = carry->s;
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1), *carried = carry->carried;
  SnGpuTurn rows = {carried[0], carried[1]}, turn = {carried[2], carried[3]};
  sn_gpu_chain_place_tile(b, s->c, tile->number);
  sn_gpu_ring_await_empty(b, &s->rows, rows);
  copy_sides(b, s, 0, num_first(s->c), true, sn_gpu_shared_address(b, s->rows_at), s->c->first_row, zero,
             (MlirValue){0}, sn_gpu_ring_full(b, &s->rows, rows));
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

// ---- tiles, and tiles again --------------------------------------------------------------------------

//   for round 0, 1:    the tiles that are asked for: all, then those of which something that was left out counts
//     behind round 0   each warp says which: bits by the tile's place among the block's, modulo 32;  all wait for that

enum { BITS = 32, ROUNDS = 2 };
enum { EQ = 0, NE = 1 }; // of arith.cmpi

static MlirValue compare(SnBuilder *b, int predicate, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, sn_attr("predicate", sn_i64(b->ctx, predicate)));
}

typedef struct {
  Carried *c;
  SnGpuEmitTile emit;
  bool multiplies; // then a word is carried behind the others
} Asked;

static void asked_tile(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  Asked *a = user;
  Staged *s = a->c->s;
  size_t n = CARRIED + a->multiplies;
  MlirType types[CARRIED + 1];
  MlirValue *carried = a->c->carried, was[CARRIED + 1];
  MlirValue place = sn(b, "arith.andi", sn(b, "arith.index_cast", tile->count, i32_type(b)), i32_of(b, BITS - 1)),
            bit = sn(b, "arith.shli", i32_of(b, 1), place);
  memcpy(was, carried, n * sizeof *was);
  for (size_t i = 0; i < n; ++i)
    types[i] = sn_type_of(was[i]);
  SnIf is = sn_if_types(b, compare(b, NE, sn(b, "arith.andi", s->asked, bit), i32_of(b, 0)),
                        sn_types((intptr_t)n, types));
  a->emit(b, k, tile, a->c);
  if (a->multiplies)
    carried[CARRIED] =
        sn(b, "arith.ori", was[CARRIED], sn(b, "arith.select", a->c->counts, bit, i32_of(b, 0)));
  sn_else_values(b, &is, sn_values((intptr_t)n, carried));
  sn_end_if_values(b, &is, sn_values((intptr_t)n, was));
  for (size_t i = 0; i < n; ++i)
    carried[i] = sn_result(is.op, (intptr_t)i);
}

static MlirValue await_words(SnBuilder *b, Staged *s, MlirValue word) {
  SnGpuTurn once = {i32_of(b, 0), i32_of(b, 0)};
  if (!sn_none(word)) {
    SnIf one = sn_if(b, s->c->k->first_of_warp);
    sn_op(b, "memref.store", word, s->words, s->c->k->warp);
    sn_gpu_ring_filled(b, &s->rounds, once);
    sn_end_if(b, &one);
  }
  sn_gpu_ring_await_full(b, &s->rounds, once);
  return sn_gpu_chain_all_words(b, s->c, s->words);
}

// All tiles of the block; carried: CARRIED, and of who multiplies room for one more.
static void each_tile(SnBuilder *b, Staged *s, MlirValue *carried, SnGpuEmitTile emit, bool multiplies) {
  SnGpuKernel *k = s->c->k;
  SnGpuTiles tiles = sn_gpu_tiles_in_steps(k, k->block, s->tiles, k->blocks);
  Carried c = {.s = s, .carried = carried};
  if (!sn_gpu_chain_may_count(s->c)) {
    sn_gpu_each_tile(b, k, &tiles, carried, CARRIED, emit, &c);
    return;
  }
  size_t n = CARRIED + multiplies;
  Asked asked = {&c, emit, multiplies};
  MlirValue all[CARRIED + 2];
  carried[CARRIED] = i32_of(b, 0);
  memcpy(all, carried, n * sizeof *all);
  all[n] = i32_of(b, -1);
  SnLoop round = sn_for_values(b, sn_index(b, 0), sn_index(b, ROUNDS), sn_index(b, 1), sn_values((intptr_t)n + 1, all));
  memcpy(carried, round.carried, n * sizeof *all);
  s->asked = round.carried[n];
  MlirType types[CARRIED + 1];
  for (size_t i = 0; i < n; ++i)
    types[i] = sn_type_of(carried[i]);
  SnIf any = sn_if_types(b, compare(b, NE, s->asked, i32_of(b, 0)), sn_types((intptr_t)n, types));
  s->c->whole = compare(b, EQ, round.index, sn_index(b, 1));
  memcpy(all, carried, n * sizeof *all);
  sn_gpu_each_tile(b, k, &tiles, carried, n, asked_tile, &asked);
  sn_else_values(b, &any, sn_values((intptr_t)n, carried));
  sn_end_if_values(b, &any, sn_values((intptr_t)n, all));
  for (size_t i = 0; i < n; ++i)
    carried[i] = sn_result(any.op, (intptr_t)i);
  MlirType i32 = i32_type(b);
  MlirValue none = i32_of(b, 0);
  SnIf first = sn_if_types(b, compare(b, EQ, round.index, sn_index(b, 0)), sn_types(1, &i32));
  MlirValue words = await_words(b, s, multiplies ? carried[CARRIED] : (MlirValue){0});
  sn_else_values(b, &first, sn_values(1, &words));
  sn_end_if_values(b, &first, sn_values(1, &none));
  memcpy(all, carried, n * sizeof *all);
  all[n] = sn_result(first.op, 0);
  sn_next_values(b, &round, sn_values((intptr_t)n + 1, all));
  s->c->whole = (MlirValue){0};
}

static void emit_fetch(SnBuilder *b, SnGpuKernel *k, void *user) {
  Staged *s = user;
  MlirValue zero = i32_of(b, 0), carried[CARRIED + 1] = {zero, zero, zero, zero};
  s->c->k = k;
  if (registers_of[groups_of(s->c)].fetcher)
    sn_wgmma_registers(b, "decrease", registers_of[groups_of(s->c)].fetcher);
  SnIf warp = sn_if(b, sn(b, "arith.cmpi", k->warp, sn_index(b, k->warps), sn_attr("predicate", sn_i64(b->ctx, 0))));
  SnIf one = sn_if(b, sn(b, "nvvm.elect.sync", mlirIntegerTypeGet(b->ctx, 1)));
  each_tile(b, s, carried, fetch_tile, false);
  sn_end_if(b, &one);
  sn_end_if(b, &warp);
}

// ---- who multiplies ----------------------------------------------------------------------------

static void release(SnBuilder *b, Staged *s, const SnGpuRing *ring, MlirValue slot) {
  SnIf one = sn_if(b, s->c->k->first_of_warp);
  sn_gpu_ring_emptied(b, ring, (SnGpuTurn){.slot = slot});
  sn_end_if(b, &one);
}

// One warpgroup asks for both products of a block, then the other one: each is at its row program meanwhile. By its own
// barrier one waits for its turn; at the other's it says that it is over.
static void order(SnBuilder *b, const Staged *s, bool over) {
  if (!s->order[0])
    return;
  MlirValue group = over ? sn(b, "arith.subi", i32_of(b, 1), s->group) : s->group,
            operands[] = {plus(b, i32_of(b, s->order[0]), group), i32_of(b, 2 * SN_GPU_WARPGROUP)};
  if (over)
    sn_op(b, "nvvm.barrier.arrive", sn_values(2, operands), sn_types(0, NULL));
  else
    sn_op(b, "nvvm.barrier", sn_values(2, operands), sn_types(0, NULL),
          sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 3, (int32_t[]){1, 1, 0})));
}

static int64_t steps_of(int64_t sum) { return sn_pieces(sum, 16); }

// sums = a . b of a slot, of each product: structs.
static void multiply_rows(SnBuilder *b, Staged *s, MlirValue slot, MlirValue *sums) {
  SnGpuChain *c = s->c;
  int64_t of_a = 0, of_b = 0;
  MlirValue rows = sn_gpu_shared_address(b, s->rows_at), at = slot_at(b, s, slot),
            of_group = sn(b, "arith.muli", s->group, i32_of(b, SN_WGMMA_PIECE));
  sn_wgmma_fence(b);
  for (size_t p = 0; p < num_first(c); ++p) {
    const SnGpuChained *q = &c->products[p];
    const SnGpuChainSide *side_a = &q->staged_a, *side_b = &q->staged_b;
    MlirValue x = sn_wgmma_descriptor(b, plus(b, plus(b, rows, of_group), i32_of(b, of_a)), side_a->map.along_sum),
              y = sn_wgmma_descriptor(b, plus(b, at, i32_of(b, of_b)), side_b->map.along_sum),
              sum = sn(b, "llvm.mlir.undef", sn_wgmma_sums(b, q->product.type, c->plan->n));
    int64_t of_line = sn_gpu_map_sum(&q->product) / 16;
    for (int64_t i = 0; i < steps_of(q->sum); ++i) {
      int64_t piece = i / of_line, step = i % of_line;
      sum =
          sn_wgmma(b, q->product.line, c->plan->n, sum,
                   sn_wgmma_further(
                       b, x, piece * side_a->lines * LINE + step * (side_a->map.along_sum ? STEP_ALONG : STEP_ACROSS)),
                   side_a->map.along_sum,
                   sn_wgmma_further(
                       b, y, piece * side_b->lines * LINE + step * (side_b->map.along_sum ? STEP_ALONG : STEP_ACROSS)),
                   side_b->map.along_sum, !i);
    }
    sums[p] = sum;
    of_a += side_a->pieces * side_a->lines * LINE;
    of_b += side_b->pieces * side_b->lines * LINE;
  }
  sn_wgmma_commit(b);
}

// Of matrix i in its slot: bytes.
static int64_t place_of_matrix(const SnGpuChain *c, size_t i) {
  const SnGpuChainPlan *plan = c->plan;
  size_t first = plan->same_slots ? 0 : num_first(c), end = plan->same_slots ? plan->side_of[i] : num_first(c) + i;
  int64_t bytes = 0;
  for (size_t p = first; p < end; ++p)
    bytes += c->products[p].staged_b.pieces * c->products[p].staged_b.lines * LINE;
  return bytes;
}

// grown += words . matrices of a slot: structs.
static void multiply_again(SnBuilder *b, Staged *s, MlirValue slot, const MlirValue *words, const MlirValue *grown,
                           MlirValue *to) {
  SnGpuChain *c = s->c;
  int64_t steps = c->plan->n / 16, n = sn_gpu_chain_pairs(c) * 8;
  MlirValue base = slot_at(b, s, slot), *descriptors = sn_alloc((size_t)steps * MOST_PARTS * sizeof *descriptors);
  sn_wgmma_fence(b);
  for (size_t p = num_first(c), i = 0; p < num_all(c); ++p, ++i) {
    const SnGpuChained *q = &c->products[p];
    const SnGpuChainSide *side = &q->staged_b;
    MlirValue first = sn_wgmma_descriptor(b, plus(b, base, i32_of(b, place_of_matrix(c, i))), side->map.along_sum);
    int64_t of_line = sn_gpu_map_sum(&q->product) / 16;
    for (int64_t t = 0; t < steps; ++t)
      descriptors[t] = sn_wgmma_further(
          b, first, t / of_line * side->lines * LINE + t % of_line * (side->map.along_sum ? STEP_ALONG : STEP_ACROSS));
    assert(q->parts <= MOST_PARTS && "facts/gpu_chains.c makes no more");
    for (size_t part = 1; part < q->parts; ++part)
      memcpy(descriptors + part * (size_t)steps, descriptors, (size_t)steps * sizeof *descriptors);
    to[i] =
        sn_wgmma_of_registers(b, q->product.line, n, steps * (int64_t)q->parts, words + sn_gpu_chain_words_before(c, i),
                              descriptors, side->map.along_sum, grown + i * (size_t)n / 2);
  }
  sn_wgmma_commit(b);
  free(descriptors);
}

// What a tile has from block to block: states, words, what grows, a turn.
typedef struct {
  size_t states, words, grown, all;
  MlirValue *v, *sums, *structs;
} Tile;

static Tile new_tile(const SnGpuChain *c) {
  Tile t = {.states = 2 * sn_gpu_chain_states(c),
            .words = sn_gpu_chain_words_before(c, c->second.products.size),
            .grown = sn_gpu_chain_grown(c)};
  t.all = t.states + t.words + t.grown + 2;
  t.v = sn_alloc(t.all * sizeof *t.v);
  t.sums = sn_alloc(num_first(c) * (size_t)c->plan->n / 2 * sizeof *t.sums);
  t.structs = sn_alloc((num_all(c) + 1) * sizeof *t.structs);
  return t;
}

static MlirValue *words_of(const Tile *t) { return t->v + t->states; }
static MlirValue *grown_of(const Tile *t) { return words_of(t) + t->words; }
static MlirValue *turn_of(const Tile *t) { return grown_of(t) + t->grown; }

// What is multiplied again, and what it is added to, are in registers.
static void pin_again(SnBuilder *b, Tile *t) {
  sn_wgmma_pin_values(b, (int64_t)t->words, words_of(t));
  sn_wgmma_pin_values(b, (int64_t)t->grown, grown_of(t));
}

static void pin_sums(SnBuilder *b, Staged *s, Tile *t) {
  int64_t n = s->c->plan->n / 2;
  for (size_t p = 0; p < num_first(s->c); ++p)
    sn_wgmma_pin(b, t->structs[p], s->c->products[p].product.type, n, t->sums + p * (size_t)n);
}

static void pin_grown(SnBuilder *b, Staged *s, Tile *t) {
  size_t n = t->grown / s->c->second.products.size;
  for (size_t p = 0; p < s->c->second.products.size; ++p)
    sn_wgmma_pin(b, t->structs[num_first(s->c) + p], mlirF32TypeGet(b->ctx), (int64_t)n, grown_of(t) + p * n);
}

static void run_program(SnBuilder *b, Staged *s, Tile *t, MlirValue block, MlirValue slot, bool masked,
                        size_t num_grown) {
  s->c->slot = sn(b, "arith.index_cast", slot, sn_index_type(b->ctx));
  MlirValue first = sn(b, "arith.muli", block, sn_index(b, s->c->plan->n));
  sn_gpu_chain_columns(b, s->c, first, masked, num_grown > 0, t->sums, t->v, num_grown, grown_of(t), words_of(t));
}

// A block's slot of columns is free where its matrices are in another one.
static void release_columns(SnBuilder *b, Staged *s, SnGpuTurn turn) {
  if (!s->c->plan->same_slots)
    release(b, s, &s->blocks, turn.slot);
}

static SnGpuTurn behind(SnBuilder *b, Staged *s, SnGpuTurn turn) { return sn_gpu_ring_behind(b, &s->blocks, turn, 1); }

static void begin_grown(SnBuilder *b, Tile *t) {
  for (size_t i = 0; i < t->grown; ++i)
    grown_of(t)[i] = sn_float(b, mlirF32TypeGet(b->ctx), 0);
}

// The turn is that of its matrices behind it, or of what comes next.
static void first_block(SnBuilder *b, Staged *s, Tile *t, MlirValue block, SnGpuTurn *turn) {
  sn_gpu_ring_await_full(b, &s->blocks, *turn);
  MlirValue columns = turn->slot;
  multiply_rows(b, s, columns, t->structs);
  sn_wgmma_await(b, 0);
  pin_sums(b, s, t);
  release_columns(b, s, *turn);
  if (!s->c->plan->same_slots)
    *turn = behind(b, s, *turn);
  run_program(b, s, t, block, columns, true, 0);
  begin_grown(b, t);
}

// The last block's matrices, where they are its slot, are in front of these columns; else behind them.
static void further_block(SnBuilder *b, Staged *s, Tile *t, MlirValue block, bool masked) {
  bool same = s->c->plan->same_slots;
  SnGpuTurn turn = {turn_of(t)[0], turn_of(t)[1]}, next = behind(b, s, turn), columns = same ? next : turn,
            matrices = same ? turn : next;
  pin_again(b, t);
  sn_gpu_ring_await_full(b, &s->blocks, columns);
  order(b, s, false);
  multiply_rows(b, s, columns.slot, t->structs);
  if (!same)
    sn_gpu_ring_await_full(b, &s->blocks, matrices);
  multiply_again(b, s, matrices.slot, words_of(t), grown_of(t), t->structs + num_first(s->c));
  order(b, s, true);
  sn_wgmma_await(b, 1);
  pin_sums(b, s, t);
  release_columns(b, s, columns);
  sn_wgmma_await(b, 0);
  pin_grown(b, s, t);
  release(b, s, &s->blocks, matrices.slot);
  run_program(b, s, t, block, columns.slot, masked, t->grown);
  if (!same)
    next = behind(b, s, next);
  turn_of(t)[0] = next.slot, turn_of(t)[1] = next.parity;
}

static void last_block(SnBuilder *b, Staged *s, Tile *t, SnGpuTurn *turn) {
  pin_again(b, t);
  if (!s->c->plan->same_slots)
    sn_gpu_ring_await_full(b, &s->blocks, *turn);
  multiply_again(b, s, turn->slot, words_of(t), grown_of(t), t->structs + num_first(s->c));
  sn_wgmma_await(b, 0);
  pin_grown(b, s, t);
  release(b, s, &s->blocks, turn->slot);
  *turn = behind(b, s, *turn);
}

// A block whose rows are multiplied before the next one's are made.
static void whole_block(SnBuilder *b, Staged *s, Tile *t, MlirValue block, bool masked, bool further) {
  SnGpuTurn turn = {turn_of(t)[0], turn_of(t)[1]};
  sn_gpu_ring_await_full(b, &s->blocks, turn);
  MlirValue columns = turn.slot;
  multiply_rows(b, s, columns, t->structs);
  sn_wgmma_await(b, 0);
  pin_sums(b, s, t);
  release_columns(b, s, turn);
  if (!s->c->plan->same_slots)
    turn = behind(b, s, turn);
  run_program(b, s, t, block, columns, masked, further ? t->grown : 0);
  pin_again(b, t);
  if (!s->c->plan->same_slots)
    sn_gpu_ring_await_full(b, &s->blocks, turn);
  multiply_again(b, s, turn.slot, words_of(t), grown_of(t), t->structs + num_first(s->c));
  sn_wgmma_await(b, 0);
  pin_grown(b, s, t);
  release(b, s, &s->blocks, turn.slot);
  turn = behind(b, s, turn);
  turn_of(t)[0] = turn.slot, turn_of(t)[1] = turn.parity;
}

// The first block, where something follows from it that the others need.
static void begin_blocks(SnBuilder *b, Staged *s, Tile *t, MlirValue block, SnGpuTurn *turn) {
  if (s->c->plan->ahead)
    first_block(b, s, t, block, turn);
  turn_of(t)[0] = turn->slot, turn_of(t)[1] = turn->parity;
  if (s->c->plan->ahead)
    return;
  begin_grown(b, t);
  for (size_t i = 0; i < t->words; ++i)
    words_of(t)[i] = i32_of(b, 0);
  if (!sn_null(s->c->maximum))
    whole_block(b, s, t, block, true, false);
}

static void further_blocks(SnBuilder *b, Staged *s, Tile *t, MlirValue from, MlirValue to, bool masked) {
  SnLoop l = sn_for_values(b, from, to, sn_index(b, 1), sn_values((intptr_t)t->all, t->v));
  memcpy(t->v, l.carried, t->all * sizeof *t->v);
  if (s->c->plan->ahead)
    further_block(b, s, t, l.index, masked);
  else
    whole_block(b, s, t, l.index, masked, true);
  sn_next_values(b, &l, sn_values((intptr_t)t->all, t->v));
  for (size_t i = 0; i < t->all; ++i)
    t->v[i] = sn_result(l.op, (intptr_t)i);
}

// There are blocks behind those in front of a mask, and of the row's end.
static bool asks_more(const SnGpuChain *c) {
  int64_t length = sn_row_length(&c->first);
  return c->plan->ends_early || c->plan->split > 1 || length == SN_DYNAMIC || length % c->plan->n;
}

// All threads of the warpgroup meet.
static void sync_group(SnBuilder *b, void *user) {
  const Staged *s = user;
  MlirValue operands[] = {plus(b, i32_of(b, s->parts[0]), s->group), i32_of(b, SN_GPU_WARPGROUP)};
  sn_op(b, "nvvm.barrier", sn_values(2, operands), sn_types(0, NULL),
        sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 3, (int32_t[]){1, 1, 0})));
}

static void end_rows(SnBuilder *b, Staged *s, Tile *t) {
  SnGpuChain *c = s->c;
  if (c->plan->split < 2) {
    sn_gpu_chain_end(b, c, t->v, t->grown, grown_of(t));
    return;
  }
  size_t n = t->states + t->grown;
  MlirValue *values = sn_alloc(n * sizeof *values), unit = sn(b, "arith.index_cast", s->group, sn_index_type(b->ctx));
  memcpy(values, t->v, t->states * sizeof *values);
  memcpy(values + t->states, grown_of(t), t->grown * sizeof *values);
  SnIf last = sn_gpu_chain_meet(b, c, unit, s->flags, sync_group, s, t->grown, values);
  sn_gpu_chain_end(b, c, values, t->grown, values + t->states);
  sn_end_if(b, &last);
  free(values);
}

static void multiply_tile(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  Carried *carry = user;
  Staged *s = carry->s;
  MlirValue one = sn_index(b, 1), *carried = carry->carried;
  SnGpuTurn rows = {carried[0], carried[1]}, turn = {carried[2], carried[3]};
  Tile t = new_tile(s->c);
  sn_gpu_chain_place_tile(b, s->c, tile->number);
  sn_gpu_chain_rows(b, s->c);
  sn_gpu_chain_begin(b, s->c, t.v);
  MlirValue first, blocks;
  sn_gpu_chain_blocks(b, s->c, &first, &blocks);
  sn_gpu_ring_await_full(b, &s->rows, rows);
  begin_blocks(b, s, &t, first, &turn);
  MlirValue second = s->c->plan->ahead || !sn_null(s->c->maximum) ? plus(b, first, one) : first, from, masked;
  sn_gpu_chain_unmasked(b, s->c, &from, &masked);
  if (!sn_none(from)) {
    from = sn(b, "arith.minui", sn(b, "arith.maxui", from, second), blocks);
    further_blocks(b, s, &t, second, from, true);
    second = from;
  }
  masked = sn(b, "arith.minui", sn(b, "arith.maxui", masked, second), blocks);
  further_blocks(b, s, &t, second, masked, false);
  if (asks_more(s->c))
    further_blocks(b, s, &t, masked, blocks, true);
  release(b, s, &s->rows, rows.slot);
  turn = (SnGpuTurn){turn_of(&t)[0], turn_of(&t)[1]};
  if (s->c->plan->ahead)
    last_block(b, s, &t, &turn);
  if (sn_gpu_chain_may_count(s->c))
    carry->counts = sn_gpu_chain_counts(b, s->c, first, blocks, t.v);
  end_rows(b, s, &t);
  rows = sn_gpu_ring_behind(b, &s->rows, rows, 1);
  carried[0] = rows.slot, carried[1] = rows.parity, carried[2] = turn.slot, carried[3] = turn.parity;
  free(t.v);
  free(t.sums);
  free(t.structs);
}

static void emit_multiply(SnBuilder *b, SnGpuKernel *k, void *user) {
  Staged *s = user;
  MlirValue zero = i32_of(b, 0), carried[CARRIED + 1] = {zero, zero, zero, zero};
  s->c->k = k;
  if (registers_of[groups_of(s->c)].multiplier)
    sn_wgmma_registers(b, "increase", registers_of[groups_of(s->c)].multiplier);
  MlirValue group = sn(b, "arith.divui", k->warp, sn_index(b, SN_GPU_WARPGROUP / 32));
  s->group = sn_wgmma_same_in_warp(b, sn(b, "arith.index_cast", group, i32_type(b)));
  if (s->order[0]) { // the first one's turn
    SnIf second = sn_if(b, sn(b, "arith.cmpi", s->group, i32_of(b, 1), sn_attr("predicate", sn_i64(b->ctx, 0))));
    order(b, s, true);
    sn_end_if(b, &second);
  }
  each_tile(b, s, carried, multiply_tile, true);
}

// ---- the kernel ----------------------------------------------------------------------------------

// A tile whose rows have no columns.
static void end_tile(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  SnGpuChain *c = user;
  size_t num_states = 2 * sn_gpu_chain_states(c), num_grown = sn_gpu_chain_grown(c);
  MlirValue *states = sn_alloc((num_states + num_grown) * sizeof *states), *grown = states + num_states;
  sn_gpu_chain_place_tile(b, c, tile->number);
  sn_gpu_chain_rows(b, c);
  sn_gpu_chain_begin(b, c, states);
  for (size_t i = 0; i < num_grown; ++i)
    grown[i] = sn_float(b, mlirF32TypeGet(b->ctx), 0);
  sn_gpu_chain_end(b, c, states, num_grown, grown);
  free(states);
}

// Of a tensor without elements there is no copy.
static void emit_no_columns(SnBuilder *b, SnGpuChain *c, MlirValue tiles) {
  SnGpuKernel *k = c->k;
  SnIf rows = sn_if(b, sn(b, "arith.cmpi", k->warp, sn_index(b, k->warps), sn_attr("predicate", sn_i64(b->ctx, 6))));
  SnGpuTiles deal = sn_gpu_tiles_in_steps(k, k->block, tiles, k->blocks);
  sn_gpu_each_tile(b, k, &deal, NULL, 0, end_tile, c);
  sn_end_if(b, &rows);
}

static void emit_columns(SnBuilder *b, SnGpuChain *c, MlirValue tiles) {
  SnGpuKernel *k = c->k;
  const SnGpuChainPlan *plan = c->plan;
  Staged s = {.c = c, .tiles = tiles};
  int64_t rows = plan->rows_bytes, slots = plan->stages * plan->slot_bytes;
  MlirType i8 = mlirIntegerTypeGet(b->ctx, 8);
  s.rows_at = sn_gpu_launched_shared(b, k, "rows of sides", 1, &rows, i8, SN_GPU_FOR_TILES);
  s.at = sn_gpu_launched_shared(b, k, "slots of sides", 1, &slots, i8, SN_GPU_FOR_TILES);
  if (plan->numbers)
    c->numbers = sn_gpu_side_view(b, s.at, slots / (64 * (int64_t)sizeof(float)), 64, mlirF32TypeGet(b->ctx));
  if (plan->split > 1)
    s.flags = sn_gpu_shared(k, "the last part", 1, &plan->units, mlirIntegerTypeGet(b->ctx, 32), 8);
  for (int i = 0; i < groups_of(c) && plan->split > 1; ++i)
    s.parts[i] = sn_gpu_name_barrier(k, "parts");
  s.rows = sn_gpu_ring(b, k, "rows", 1, 1, k->warps);
  s.blocks = sn_gpu_ring(b, k, "blocks", plan->stages, 1, k->warps);
  if (sn_gpu_chain_may_count(c)) {
    s.words = sn_gpu_chain_words_of_warps(b, k);
    s.rounds = sn_gpu_ring(b, k, "rounds", 1, k->warps, 0);
  }
  sn_gpu_fence_mbarriers(b);
  sn_gpu_sync(b, k);
  for (int i = 0; i < 2 && groups_of(c) == 2; ++i)
    s.order[i] = sn_gpu_name_barrier(k, "whose turn to multiply it is");
  SnGpuRole roles[] = {{.name = "rows", .warps = k->warps, .emit = emit_multiply},
                       {.name = "fetch", .warps = plan->launch.more_threads / 32, .emit = emit_fetch}};
  sn_gpu_run_roles(b, k, roles, 2, &s);
}

void sn_gpu_chain_by_warpgroups(SnBuilder *b, SnGpuChain *c, MlirValue tiles) {
  if (sn_row_length(&c->first) != SN_DYNAMIC) {
    emit_columns(b, c, tiles);
    return;
  }
  SnIf none = sn_if(b, sn(b, "arith.cmpi", c->num_columns, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 0))));
  emit_no_columns(b, c, tiles);
  sn_else(b, &none);
  emit_columns(b, c, tiles);
  sn_end_if(b, &none);
}
