// chain_rounds.c: a block's tiles, and again those in which a mask left out what counts.
//
//   for round 0, 1:    the tiles that are asked for: all, then those of which something that was left out counts
//     behind round 0   each warp says which: bits by the tile's place among the block's, modulo 32;  all wait for that
//
// Who fetches and who multiplies go over the same tiles: the one that fetches is tiles ahead, so that a tile is made
// again behind the block's last one. Why a tile is asked for again: chain_left_out.c.
//
// test: test/lowering/gpu/chain_finite.mlir, test/gpu/finite_masks.test

#include "lowering/gpu/chains/chain_staged.h"

enum { BITS = 32, ROUNDS = 2 };
enum { EQ = 0, NE = 1 }; // of arith.cmpi

static MlirType i32_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 32); }
static MlirValue i32_of(SnBuilder *b, int64_t v) { return sn_int(b, i32_type(b), v); }

static MlirValue compare(SnBuilder *b, int predicate, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, sn_attr("predicate", sn_i64(b->ctx, predicate)));
}

typedef struct {
  SnChainCarried *c;
  SnGpuEmitTile emit;
  bool multiplies; // then a word is carried behind the others
} Asked;

static void asked_tile(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  Asked *a = user;
  SnChainStaged *s = a->c->s;
  size_t n = SN_CHAIN_CARRIED + a->multiplies;
  MlirType types[SN_CHAIN_CARRIED + 1];
  MlirValue *carried = a->c->carried, was[SN_CHAIN_CARRIED + 1];
  MlirValue place = sn(b, "arith.andi", sn(b, "arith.index_cast", tile->count, i32_type(b)), i32_of(b, BITS - 1)),
            bit = sn(b, "arith.shli", i32_of(b, 1), place);
  memcpy(was, carried, n * sizeof *was);
  for (size_t i = 0; i < n; ++i)
    types[i] = sn_type_of(was[i]);
  SnIf is = sn_if_types(b, compare(b, NE, sn(b, "arith.andi", s->asked, bit), i32_of(b, 0)),
                        sn_types((intptr_t)n, types));
  a->emit(b, k, tile, a->c);
  if (a->multiplies)
    carried[SN_CHAIN_CARRIED] =
        sn(b, "arith.ori", was[SN_CHAIN_CARRIED], sn(b, "arith.select", a->c->counts, bit, i32_of(b, 0)));
  sn_else_values(b, &is, sn_values((intptr_t)n, carried));
  sn_end_if_values(b, &is, sn_values((intptr_t)n, was));
  for (size_t i = 0; i < n; ++i)
    carried[i] = sn_result(is.op, (intptr_t)i);
}

static MlirValue await_words(SnBuilder *b, SnChainStaged *s, MlirValue word) {
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

// All tiles of the block; carried: SN_CHAIN_CARRIED, and of who multiplies room for one more.
void sn_chain_each_tile(SnBuilder *b, SnChainStaged *s, MlirValue *carried, SnGpuEmitTile emit, bool multiplies) {
  SnGpuKernel *k = s->c->k;
  if (s->c->plan->tickets) {
    sn_chain_each_ticket(b, s, carried, emit, multiplies);
    return;
  }
  SnGpuTiles tiles = sn_gpu_tiles_in_steps(k, k->block, s->tiles, k->blocks);
  SnChainCarried c = {.s = s, .carried = carried};
  if (!sn_gpu_chain_may_count(s->c)) {
    sn_gpu_each_tile(b, k, &tiles, carried, SN_CHAIN_CARRIED, emit, &c);
    return;
  }
  size_t n = SN_CHAIN_CARRIED + multiplies;
  Asked asked = {&c, emit, multiplies};
  MlirValue all[SN_CHAIN_CARRIED + 2];
  carried[SN_CHAIN_CARRIED] = i32_of(b, 0);
  memcpy(all, carried, n * sizeof *all);
  all[n] = i32_of(b, -1);
  SnLoop round = sn_for_values(b, sn_index(b, 0), sn_index(b, ROUNDS), sn_index(b, 1), sn_values((intptr_t)n + 1, all));
  memcpy(carried, round.carried, n * sizeof *all);
  s->asked = round.carried[n];
  MlirType types[SN_CHAIN_CARRIED + 1];
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
  MlirValue words = await_words(b, s, multiplies ? carried[SN_CHAIN_CARRIED] : (MlirValue){0});
  sn_else_values(b, &first, sn_values(1, &words));
  sn_end_if_values(b, &first, sn_values(1, &none));
  memcpy(all, carried, n * sizeof *all);
  all[n] = sn_result(first.op, 0);
  sn_next_values(b, &round, sn_values((intptr_t)n + 1, all));
  s->c->whole = (MlirValue){0};
}
