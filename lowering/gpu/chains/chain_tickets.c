// chain_tickets.c: a block's tiles by ticket: who fetches draws, and hands the numbers to who multiplies.
//
//   who fetches       number = the block's own;  as long as it is one:
//                       a slot <- number;  the tile's copies;  number = how many blocks there are + a ticket
//   who multiplies    number <- the slot;  the tile
//
// The ticket is drawn when all of a tile's copies are under way, and nobody waits for it before those have come. As
// each tile that is made draws once, the last ticket is known, and its counter is left as it was. A number past the end
// ends both roles.
//
// test: test/lowering/gpu/chain_warpgroups.mlir, test/gpu/chains.test

#include "lowering/gpu/chains/chain_staged.h"
#include "lowering/rows/index.h"

// Carried behind those of a tile: the turn of numbers, and by who fetches the next one.
enum { SLOT = SN_CHAIN_CARRIED, PARITY, NUMBER, CARRIED };

static SnGpuTurn turn_of(const MlirValue *carried) { return (SnGpuTurn){carried[SLOT], carried[PARITY]}; }

static void go_on(SnBuilder *b, SnChainStaged *s, MlirValue *carried) {
  SnGpuTurn turn = sn_gpu_ring_behind(b, &s->handed, turn_of(carried), 1);
  carried[SLOT] = turn.slot, carried[PARITY] = turn.parity;
}

static MlirValue place_of(SnBuilder *b, SnGpuTurn turn) {
  return sn(b, "arith.index_cast", turn.slot, sn_index_type(b->ctx));
}

static MlirValue hand_out(SnBuilder *b, SnGpuKernel *k, const SnGpuTiles *tiles, MlirValue *carried, void *user) {
  SnChainStaged *s = ((SnChainCarried *)user)->s;
  SnGpuTurn turn = turn_of(carried);
  sn_gpu_ring_await_empty(b, &s->handed, turn);
  sn_op(b, "memref.store", sn(b, "arith.index_cast", carried[NUMBER], mlirIntegerTypeGet(b->ctx, 32)), s->numbers,
        place_of(b, turn));
  sn_gpu_ring_filled(b, &s->handed, turn);
  go_on(b, s, carried);
  return carried[NUMBER];
}

// By all lanes, before the first one says so.
static MlirValue take(SnBuilder *b, SnGpuKernel *k, const SnGpuTiles *tiles, MlirValue *carried, void *user) {
  SnChainStaged *s = ((SnChainCarried *)user)->s;
  SnGpuTurn turn = turn_of(carried);
  sn_gpu_ring_await_full(b, &s->handed, turn);
  MlirValue number =
      sn_wgmma_same_in_warp(b, sn(b, "memref.load", s->numbers, place_of(b, turn), mlirIntegerTypeGet(b->ctx, 32)));
  SnIf one = sn_if(b, k->first_of_warp);
  sn_gpu_ring_emptied(b, &s->handed, turn);
  sn_end_if(b, &one);
  go_on(b, s, carried);
  return sn(b, "arith.index_cast", number, sn_index_type(b->ctx));
}

typedef struct {
  SnChainCarried c; // first: what `next` is given
  SnGpuEmitTile emit;
  bool multiplies;
} Dealt;

static void dealt_tile(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  Dealt *d = user;
  d->emit(b, k, tile, &d->c);
  if (d->multiplies)
    return;
  // 32 bits have the number of any tile: of a wider one all subscripts would be (narrow.c).
  MlirValue drawn =
      sn(b, "arith.trunci", sn_gpu_ticket(b, k, sn_index(b, 0), d->c.s->tiles), mlirIntegerTypeGet(b->ctx, 32));
  d->c.carried[NUMBER] = plus(b, sn(b, "arith.index_cast", drawn, sn_index_type(b->ctx)), sn_index(b, k->blocks));
}

void sn_chain_each_ticket(SnBuilder *b, SnChainStaged *s, const MlirValue *began, SnGpuEmitTile emit, bool multiplies) {
  SnGpuKernel *k = s->c->k;
  MlirValue zero = sn_int(b, mlirIntegerTypeGet(b->ctx, 32), 0), carried[CARRIED];
  memcpy(carried, began, SN_CHAIN_CARRIED * sizeof *carried);
  carried[SLOT] = carried[PARITY] = zero;
  carried[NUMBER] = k->block;
  Dealt d = {.c = {.s = s, .carried = carried}, .emit = emit, .multiplies = multiplies};
  SnGpuTiles tiles = sn_gpu_tiles_handed(s->tiles, multiplies ? take : hand_out, &d);
  sn_gpu_each_tile(b, k, &tiles, carried, multiplies ? NUMBER : CARRIED, dealt_tile, &d);
}
