// chain_staged.h: what warpgroups and the thread that fetches for them have of each other; for chain_warpgroups.c,
// chain_fetch.c and chain_rounds.c.

#ifndef SINTER_LOWERING_GPU_CHAIN_STAGED_H
#define SINTER_LOWERING_GPU_CHAIN_STAGED_H

#include "lowering/gpu/chains/chains_gpu.h"
#include "lowering/gpu/products/wgmma.h"

typedef struct {
  SnGpuChain *c;
  SnGpuRing rows, blocks;         // of sides a; of sides b and matrices
  MlirValue rows_at, at;          // their slots in shared memory: bytes
  MlirValue rows_slot;            // i32: where the tile's sides a are
  MlirValue group;                // i32: which warpgroup
  MlirValue tiles;                // index: how many
  MlirValue flags;                // shared memory: whether a warpgroup is the last that has a part of a tile
  int parts[SN_GPU_CHAIN_GROUPS]; // numbers of barriers: a warpgroup's threads meet
  int order[SN_GPU_CHAIN_GROUPS]; // numbers of barriers: whose turn to multiply it is; 0: there is one warpgroup
  MlirValue *held[SN_GPU_CHAIN_PRODUCTS]; // of a tile: words of sides a, four for each step of the sum; NULL: they stay
  // Of tiles by ticket: their numbers in shared memory, i32, and who has filled and emptied them.
  MlirValue numbers;
  SnGpuRing handed;
  // Where tiles may be made again: words of warps, which tiles those are; filled once; i1: now it is, i32: those asked.
  MlirValue words, again, asked;
  SnGpuRing rounds;
} SnChainStaged;

// Carried from tile to tile: the turn of rows, and of blocks.
enum { SN_CHAIN_CARRIED = 4 };
typedef struct {
  SnChainStaged *s;
  MlirValue *carried;
  MlirValue counts; // i1, of the tile: what was left out counts; null: it cannot
} SnChainCarried;

// chain_fetch.c: the role that fetches, `user` being what is staged; where a slot is in shared memory: i32.
void sn_chain_fetch(SnBuilder *b, SnGpuKernel *k, void *user);
MlirValue sn_chain_slot_at(SnBuilder *b, SnChainStaged *s, MlirValue slot);
MlirValue sn_chain_rows_at(SnBuilder *b, SnChainStaged *s, MlirValue slot); // of sides a

// chain_rounds.c: all tiles of the block, once, and again those in which more counts than was made. carried:
// SN_CHAIN_CARRIED, and of who multiplies room for one more; `emit` is given a SnChainCarried.
void sn_chain_each_tile(SnBuilder *b, SnChainStaged *s, MlirValue *carried, SnGpuEmitTile emit, bool multiplies);

// chain_tickets.c: the same by ticket, where no tile is made again. began: SN_CHAIN_CARRIED.
void sn_chain_each_ticket(SnBuilder *b, SnChainStaged *s, const MlirValue *began, SnGpuEmitTile emit, bool multiplies);

// chain_warpgroups.c: how many warpgroups multiply.
int64_t sn_chain_groups(const SnGpuChain *c);

#endif
