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
// Where the schedule says `ahead = 0`, a block's rows are multiplied before the next one's are made. Matrices that are
// sides b, as those of gradients, have no slots of their own. With `held = 1` sides a are in registers, and their slot
// is free for the next tile's.
//
// While one warpgroup is at its row program, the others multiply: one asks for all of its products between two row
// programs, then it is the next one's turn. A block of columns beside the row's end is zeros, which the row program
// leaves out, so there is one block at least.
//
// A tile in which more counts than was made (chain_left_out.c) is made again behind the block's last one, whole: who
// fetches is ahead of it by then.
//
// test: test/lowering/gpu/chain_warpgroups.mlir, test/gpu/chains.test

#include "lowering/gpu/chains/chain_staged.h"
#include "lowering/rows/index.h"
#include "lowering/rows/rowmemory.h"
#include <assert.h>

enum {
  MOST_PARTS = 2, // of an element that is multiplied again
  STEP = 16,      // summed elements of an instruction
  LINE = SN_GPU_SWIZZLED_BYTES,
  STEP_ALONG = 32,
  STEP_ACROSS = 16 * LINE
}; // bytes; of an instruction's 16 elements of the sum

static MlirType i32_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 32); }
static MlirValue i32_of(SnBuilder *b, int64_t v) { return sn_int(b, i32_type(b), v); }
static size_t num_first(const SnGpuChain *c) { return c->first.products.size; }
static size_t num_all(const SnGpuChain *c) { return c->first.products.size + c->second.products.size; }

int64_t sn_chain_groups(const SnGpuChain *c) { return c->plan->launch.threads / SN_GPU_WARPGROUP; }

// ---- who multiplies ----------------------------------------------------------------------------

static void release(SnBuilder *b, SnChainStaged *s, const SnGpuRing *ring, MlirValue slot) {
  SnIf one = sn_if(b, s->c->k->first_of_warp);
  sn_gpu_ring_emptied(b, ring, (SnGpuTurn){.slot = slot});
  sn_end_if(b, &one);
}

static MlirValue is_group(SnBuilder *b, const SnChainStaged *s, int64_t group) {
  return sn(b, "arith.cmpi", s->group, i32_of(b, group), sn_attr("predicate", sn_i64(b->ctx, 0)));
}

// One warpgroup asks for all products between two row programs, then the next one: each is at its row program
// meanwhile. By its own barrier one waits for its turn; at the next one's it says that it is over.
static void order(SnBuilder *b, const SnChainStaged *s, bool over) {
  if (!s->order[0])
    return;
  int64_t last = sn_chain_groups(s->c) - 1;
  MlirValue group = s->group;
  if (over)
    group = sn(b, "arith.select", is_group(b, s, last), i32_of(b, 0), plus(b, group, i32_of(b, 1)));
  MlirValue operands[] = {plus(b, i32_of(b, s->order[0]), group), i32_of(b, 2 * SN_GPU_WARPGROUP)};
  if (over)
    sn_op(b, "nvvm.barrier.arrive", sn_values(2, operands), sn_types(0, NULL));
  else
    sn_op(b, "nvvm.barrier", sn_values(2, operands), sn_types(0, NULL),
          sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 3, (int32_t[]){1, 1, 0})));
}

static int64_t steps_of(int64_t sum) { return sn_pieces(sum, STEP); }

// Sides a of the tile, as wgmma takes them from registers; their slot is free. A lane names one of the warp's 16 lines,
// and which half of a step's 16 elements; units of 16 bytes of a line are swizzled by its number.
static void hold_rows(SnBuilder *b, SnChainStaged *s, SnGpuTurn turn) {
  enum { UNIT = 16, LINES = 16, PERIOD = 8 }; // bytes; of a warp; after which lines are swizzled alike
  SnGpuChain *c = s->c;
  MlirValue lane = sn(b, "arith.index_cast", c->k->lane, i32_type(b)),
            warp = sn(b, "arith.index_cast", c->k->warp, i32_type(b)),
            line = plus(b, sn(b, "arith.muli", warp, i32_of(b, LINES)), sn(b, "arith.remui", lane, i32_of(b, LINES))),
            half = sn(b, "arith.divui", lane, i32_of(b, LINES)),
            swizzle = sn(b, "arith.remui", lane, i32_of(b, PERIOD)),
            rows = plus(b, sn_chain_rows_at(b, s, turn.slot), sn(b, "arith.muli", line, i32_of(b, LINE)));
  int64_t of_a = 0;
  for (size_t p = 0; p < num_first(c); ++p) {
    const SnGpuChained *q = &c->products[p];
    int64_t of_line = sn_gpu_map_sum(&q->product) / 16;
    for (int64_t i = 0; i < steps_of(q->sum); ++i) {
      MlirValue unit = sn(b, "arith.xori", plus(b, half, i32_of(b, 2 * (i % of_line))), swizzle),
                at = plus(b, rows, sn(b, "arith.muli", unit, i32_of(b, UNIT)));
      sn_gpu_load_matrices(b, plus(b, at, i32_of(b, of_a + i / of_line * q->staged_a.lines * LINE)), false,
                           s->held[p] + 4 * i);
    }
    of_a += q->staged_a.pieces * q->staged_a.lines * LINE;
  }
  sn_gpu_fence_copies(b);
  sn_op(b, "nvvm.bar.warp.sync", i32_of(b, -1), sn_types(0, NULL));
  release(b, s, &s->rows, turn.slot);
}

// The same where a is held: of one product.
static MlirValue multiply_held(SnBuilder *b, SnChainStaged *s, size_t p, MlirValue y) {
  const SnGpuChained *q = &s->c->products[p];
  const SnGpuChainSide *side = &q->staged_b;
  int64_t steps = steps_of(q->sum), of_line = sn_gpu_map_sum(&q->product) / 16;
  MlirValue *descriptors = sn_alloc((size_t)steps * sizeof *descriptors);
  for (int64_t i = 0; i < steps; ++i)
    descriptors[i] = sn_wgmma_further(
        b, y, i / of_line * side->lines * LINE + i % of_line * (side->map.along_sum ? STEP_ALONG : STEP_ACROSS));
  MlirValue sums = sn_wgmma_of_registers(b, q->product.line, s->c->plan->n, steps, s->held[p], descriptors,
                                         side->map.along_sum, NULL);
  free(descriptors);
  return sums;
}

// sums = a . b of a slot, of each product: structs.
static void multiply_rows(SnBuilder *b, SnChainStaged *s, MlirValue slot, MlirValue *sums) {
  SnGpuChain *c = s->c;
  int64_t of_a = 0, of_b = 0;
  MlirValue rows = sn_chain_rows_at(b, s, s->rows_slot), at = sn_chain_slot_at(b, s, slot),
            of_group = sn(b, "arith.muli", s->group, i32_of(b, SN_WGMMA_PIECE));
  sn_wgmma_fence(b);
  for (size_t p = 0; p < num_first(c); ++p) {
    const SnGpuChained *q = &c->products[p];
    const SnGpuChainSide *side_a = &q->staged_a, *side_b = &q->staged_b;
    MlirValue x = sn_wgmma_descriptor(b, plus(b, plus(b, rows, of_group), i32_of(b, of_a)), side_a->map.along_sum),
              y = sn_wgmma_descriptor(b, plus(b, at, i32_of(b, of_b)), side_b->map.along_sum),
              sum = sn(b, "llvm.mlir.undef", sn_wgmma_sums(b, q->product.type, c->plan->n));
    int64_t of_line = sn_gpu_map_sum(&q->product) / 16;
    if (s->held[p])
      sum = multiply_held(b, s, p, y);
    for (int64_t i = 0; i < steps_of(q->sum) && !s->held[p]; ++i) {
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
static void multiply_again(SnBuilder *b, SnChainStaged *s, MlirValue slot, const MlirValue *words,
                           const MlirValue *grown, MlirValue *to) {
  SnGpuChain *c = s->c;
  int64_t steps = c->plan->n / 16, n = sn_gpu_chain_pairs(c) * 8;
  MlirValue base = sn_chain_slot_at(b, s, slot),
            *descriptors = sn_alloc((size_t)steps * MOST_PARTS * sizeof *descriptors);
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

static void pin_sums(SnBuilder *b, SnChainStaged *s, Tile *t) {
  int64_t n = s->c->plan->n / 2;
  for (size_t p = 0; p < num_first(s->c); ++p)
    sn_wgmma_pin(b, t->structs[p], s->c->products[p].product.type, n, t->sums + p * (size_t)n);
}

static void pin_grown(SnBuilder *b, SnChainStaged *s, Tile *t) {
  size_t n = t->grown / s->c->second.products.size;
  for (size_t p = 0; p < s->c->second.products.size; ++p)
    sn_wgmma_pin(b, t->structs[num_first(s->c) + p], mlirF32TypeGet(b->ctx), (int64_t)n, grown_of(t) + p * n);
}

static void run_program(SnBuilder *b, SnChainStaged *s, Tile *t, MlirValue block, MlirValue slot, bool masked,
                        size_t num_grown) {
  s->c->slot = sn(b, "arith.index_cast", slot, sn_index_type(b->ctx));
  MlirValue first = sn(b, "arith.muli", block, sn_index(b, s->c->plan->n));
  sn_gpu_chain_columns(b, s->c, first, masked, num_grown > 0, t->sums, t->v, num_grown, grown_of(t), words_of(t));
}

// A block's slot of columns is free where its matrices are in another one.
static void release_columns(SnBuilder *b, SnChainStaged *s, SnGpuTurn turn) {
  if (!s->c->plan->same_slots)
    release(b, s, &s->blocks, turn.slot);
}

static SnGpuTurn behind(SnBuilder *b, SnChainStaged *s, SnGpuTurn turn) {
  return sn_gpu_ring_behind(b, &s->blocks, turn, 1);
}

static void begin_grown(SnBuilder *b, Tile *t) {
  for (size_t i = 0; i < t->grown; ++i)
    grown_of(t)[i] = sn_float(b, mlirF32TypeGet(b->ctx), 0);
}

// The turn is that of its matrices behind it, or of what comes next.
static void first_block(SnBuilder *b, SnChainStaged *s, Tile *t, MlirValue block, SnGpuTurn *turn) {
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
static void further_block(SnBuilder *b, SnChainStaged *s, Tile *t, MlirValue block, bool masked) {
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

static void last_block(SnBuilder *b, SnChainStaged *s, Tile *t, SnGpuTurn *turn) {
  pin_again(b, t);
  if (!s->c->plan->same_slots)
    sn_gpu_ring_await_full(b, &s->blocks, *turn);
  multiply_again(b, s, turn->slot, words_of(t), grown_of(t), t->structs + num_first(s->c));
  sn_wgmma_await(b, 0);
  pin_grown(b, s, t);
  release(b, s, &s->blocks, turn->slot);
  *turn = behind(b, s, *turn);
}

// A block whose rows are multiplied before the next one's are made. It is this warpgroup's turn from the last one's on.
static void whole_block(SnBuilder *b, SnChainStaged *s, Tile *t, MlirValue block, bool masked, bool further) {
  SnGpuTurn turn = {turn_of(t)[0], turn_of(t)[1]};
  sn_gpu_ring_await_full(b, &s->blocks, turn);
  MlirValue columns = turn.slot;
  multiply_rows(b, s, columns, t->structs);
  order(b, s, true);
  sn_wgmma_await(b, 0);
  pin_sums(b, s, t);
  release_columns(b, s, turn);
  if (!s->c->plan->same_slots)
    turn = behind(b, s, turn);
  run_program(b, s, t, block, columns, masked, further ? t->grown : 0);
  pin_again(b, t);
  if (!s->c->plan->same_slots)
    sn_gpu_ring_await_full(b, &s->blocks, turn);
  order(b, s, false);
  multiply_again(b, s, turn.slot, words_of(t), grown_of(t), t->structs + num_first(s->c));
  sn_wgmma_await(b, 0);
  pin_grown(b, s, t);
  release(b, s, &s->blocks, turn.slot);
  turn = behind(b, s, turn);
  turn_of(t)[0] = turn.slot, turn_of(t)[1] = turn.parity;
}

// The first block, where something follows from it that the others need.
static void begin_blocks(SnBuilder *b, SnChainStaged *s, Tile *t, MlirValue block, SnGpuTurn *turn) {
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

static void further_blocks(SnBuilder *b, SnChainStaged *s, Tile *t, MlirValue from, MlirValue to, bool masked) {
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
  const SnChainStaged *s = user;
  MlirValue operands[] = {plus(b, i32_of(b, s->parts[0]), s->group), i32_of(b, SN_GPU_WARPGROUP)};
  sn_op(b, "nvvm.barrier", sn_values(2, operands), sn_types(0, NULL),
        sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 3, (int32_t[]){1, 1, 0})));
}

static void end_rows(SnBuilder *b, SnChainStaged *s, Tile *t) {
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
  SnChainCarried *carry = user;
  SnChainStaged *s = carry->s;
  MlirValue one = sn_index(b, 1), *carried = carry->carried;
  SnGpuTurn rows = {carried[0], carried[1]}, turn = {carried[2], carried[3]};
  Tile t = new_tile(s->c);
  sn_gpu_chain_place_tile(b, s->c, tile->number);
  s->c->own_row = plus(b, s->c->first_row,
                       sn(b, "arith.muli", sn(b, "arith.index_cast", s->group, sn_index_type(b->ctx)),
                          sn_index(b, SN_GPU_WARPGROUP_ROWS)));
  sn_gpu_chain_rows(b, s->c);
  sn_gpu_chain_begin(b, s->c, t.v);
  MlirValue first, blocks;
  sn_gpu_chain_blocks(b, s->c, &first, &blocks);
  sn_gpu_ring_await_full(b, &s->rows, rows);
  s->rows_slot = rows.slot;
  if (s->c->plan->held)
    hold_rows(b, s, rows);
  if (!s->c->plan->ahead)
    order(b, s, false);
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
  if (!s->c->plan->held)
    release(b, s, &s->rows, rows.slot);
  turn = (SnGpuTurn){turn_of(&t)[0], turn_of(&t)[1]};
  if (s->c->plan->ahead)
    last_block(b, s, &t, &turn);
  else
    order(b, s, true);
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
  SnChainStaged *s = user;
  MlirValue zero = i32_of(b, 0), carried[SN_CHAIN_CARRIED + 1] = {zero, zero, zero, zero};
  s->c->k = k;
  int64_t registers = sn_gpu_chain_registers[sn_chain_groups(s->c)].multiplier;
  if (registers)
    sn_wgmma_registers(b, "increase", registers);
  MlirValue group = sn(b, "arith.divui", k->warp, sn_index(b, SN_GPU_WARPGROUP / 32));
  s->group = sn_wgmma_same_in_warp(b, sn(b, "arith.index_cast", group, i32_type(b)));
  if (s->order[0]) { // the first one's turn
    SnIf last = sn_if(b, is_group(b, s, sn_chain_groups(s->c) - 1));
    order(b, s, true);
    sn_end_if(b, &last);
  }
  for (size_t p = 0; p < num_first(s->c) && s->c->plan->held; ++p)
    s->held[p] = sn_alloc(4 * (size_t)steps_of(s->c->products[p].sum) * sizeof *s->held[p]);
  sn_chain_each_tile(b, s, carried, multiply_tile, true);
  for (size_t p = 0; p < num_first(s->c) && s->c->plan->held; ++p)
    free(s->held[p]);
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
  SnChainStaged s = {.c = c, .tiles = tiles};
  int64_t rows = plan->row_tiles * plan->rows_bytes, slots = plan->stages * plan->slot_bytes;
  MlirType i8 = mlirIntegerTypeGet(b->ctx, 8);
  s.rows_at = sn_gpu_launched_shared(b, k, "rows of sides", 1, &rows, i8, SN_GPU_FOR_TILES);
  s.at = sn_gpu_launched_shared(b, k, "slots of sides", 1, &slots, i8, SN_GPU_FOR_TILES);
  if (plan->numbers)
    c->numbers = sn_gpu_side_view(b, s.at, slots / (64 * (int64_t)sizeof(float)), 64, mlirF32TypeGet(b->ctx));
  if (plan->split > 1)
    s.flags = sn_gpu_shared(k, "the last part", 1, &plan->units, mlirIntegerTypeGet(b->ctx, 32), 8);
  for (int i = 0; i < sn_chain_groups(c) && plan->split > 1; ++i)
    s.parts[i] = sn_gpu_name_barrier(k, "parts");
  s.rows = sn_gpu_ring(b, k, "rows", plan->row_tiles, 1, k->warps);
  s.blocks = sn_gpu_ring(b, k, "blocks", plan->stages, 1, k->warps);
  if (plan->tickets) {
    enum { NUMBERS = 2 };
    int64_t numbers = NUMBERS;
    s.numbers = sn_gpu_shared(k, "numbers of tiles", 1, &numbers, mlirIntegerTypeGet(b->ctx, 32), 8);
    s.handed = sn_gpu_ring(b, k, "numbers of tiles", numbers, 1, k->warps);
  }
  if (sn_gpu_chain_may_count(c)) {
    s.words = sn_gpu_chain_words_of_warps(b, k);
    s.rounds = sn_gpu_ring(b, k, "rounds", 1, k->warps, 0);
  }
  sn_gpu_fence_mbarriers(b);
  sn_gpu_sync(b, k);
  for (int i = 0; i < sn_chain_groups(c) && sn_chain_groups(c) > 1; ++i)
    s.order[i] = sn_gpu_name_barrier(k, "whose turn to multiply it is");
  SnGpuRole roles[] = {{.name = "rows", .warps = k->warps, .emit = emit_multiply},
                       {.name = "fetch", .warps = plan->launch.more_threads / 32, .emit = sn_chain_fetch}};
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
