// chains_gpu.h: forms that multiply their rows again, as kernels of a GPU; for lower_gpu.c, and what the files here
// have of each other.

#ifndef SINTER_LOWERING_GPU_CHAINS_H
#define SINTER_LOWERING_GPU_CHAINS_H

#include "lowering/facts/gpu_chains.h"
#include "lowering/gpu/products/product_fetch.h"
#include "lowering/gpu/products/product_fragments.h"

// A sinter.contract on memrefs in its kernel function: `take` is given what writes the kernel.
MlirLogicalResult sn_gpu_lower_chain(MlirOperation contract, SnGpuTakeBody take, void *taker);
// The same where rows go through the products whole (layers_gpu.c).
MlirLogicalResult sn_gpu_lower_layers(MlirOperation contract, SnGpuTakeBody take, void *taker);
// Of a piece's inputs, as the kernel has them: i64; null: it is none of its operands. Free it.
MlirValue *sn_gpu_piece_addresses(const SnGpuKernel *k, const SnForm *f);

// A value that crosses from the first piece to the second: of each row a number, or a streamed row.
typedef struct {
  MlirValue memory; // that both pieces name, and nobody has
  bool streamed;
} SnGpuCrossing;

// On a row_reduce: its result is that of the row times 1 / power.
#define SN_GPU_SCALED "sinter.scaled"

// A product of one of the pieces, and where its sides are.
typedef struct {
  SnGpuProduct product;
  SnGpuProductPlan tile; // of it: m, n and k
  SnGpuWarpSide a, b;    // as fragments are taken from them; of what is multiplied again there is no a
  MlirValue a_bytes, b_bytes;
  intptr_t yield; // of what is multiplied again: which operand of the first piece's terminator
  size_t parts;   // then: numbers of the instruction's type that an element is the sum of
  // Of wgmma: what copies fetch, which of the kernel's maps they take, and how many elements are summed.
  SnGpuChainSide staged_a, staged_b;
  size_t map_a, map_b;
  int64_t sum;
} SnGpuChained;

// Columns of a row that a thread has, in pairs of neighbours that are 8 apart.
typedef struct {
  int64_t pairs, lanes; // lanes: of a fragment, 2 or 1
  MlirValue first;      // index: of all threads of the warp
  MlirValue size;       // index: how many there are
  bool whole;           // all are
} SnGpuOwnColumns;

typedef struct {
  SnGpuKernel *k;
  const SnGpuChainPlan *plan;
  SnForm first, second; // pieces, over the kernel's operands
  SN_VEC(SnGpuCrossing) crossings;
  SnGpuChained *products;  // of the first piece, then of the second
  SnRowProgram rows[2];    // the first piece's program for both rows of a thread, 8 apart
  SnRowProgram results[2]; // the second's
  MlirOperation maximum;   // of the first, that exponentials are under; null: none
  intptr_t sum;       // which state is the exponentials' sum, where nobody else asks for the maximum; -1: somebody does
  SnCpuCompare end, begin; // of the first: what leaves columns out from `plan->end` on, below `plan->begin`; null: none
  // Rows of exponentials would be times one by `power`, 0: they would not, in these products of the second piece.
  int64_t power;
  bool scaled[SN_GPU_CHAIN_PRODUCTS];
  MlirValue dims[SN_MAX_DIMS];                   // of the batch
  MlirValue tile, part;                          // index: its number; which part of its columns
  MlirValue num_batch, num_rows, num_columns;    // index
  MlirValue first_row, own_row;                  // index: of the tile; of the warpgroup's part, null: it is the tile
  MlirValue *first_addresses, *second_addresses; // of the pieces' inputs: i64
  SnBuilder *maker;                              // who writes now
  MlirValue numbers, slot;     // of plan->numbers: slots, as lines of 64 f32; index: in which the columns are
  MlirValue row[2], row_is[2]; // index: a thread's rows, inside; i1: it is one
  MlirValue whole;             // i1: no columns are left out, as some of them would have counted; null: some always are
} SnGpuChain;

// The tile of this number: its batch and first row; and where the columns end of which something is asked in
// its rows.
void sn_gpu_chain_place_tile(SnBuilder *b, SnGpuChain *c, MlirValue number);
MlirValue sn_gpu_chain_end_of_columns(SnBuilder *b, const SnGpuChain *c);
// Blocks of columns that the tile has, from `first` on below `end`: one at least.
void sn_gpu_chain_blocks(SnBuilder *b, const SnGpuChain *c, MlirValue *first, MlirValue *end);
// Blocks from *from on and below *end are whole, and behind and in front of all rows' masks, which need not be asked
// there. *from: null, where there is no mask in front of them.
void sn_gpu_chain_unmasked(SnBuilder *b, const SnGpuChain *c, MlirValue *from, MlirValue *end);
// Sets c->sum; when programs are there.
void sn_gpu_chain_find_sum(SnGpuChain *c);
// Places of a tile's rows that the thread has: row and row_is, and what programs ask for.
void sn_gpu_chain_rows(SnBuilder *b, SnGpuChain *c);
// What a row has so far, of both rows of a thread: so many values each, and what they are in the beginning. The last is
// what exponentials are under, if there are some.
size_t sn_gpu_chain_states(const SnGpuChain *c);
void sn_gpu_chain_begin(SnBuilder *b, SnGpuChain *c, MlirValue *states);
// Columns from `first` on, which a mask may leave out, `further` behind a block of the same tile, of which `sums` are
// given, four for each pair and product: what
// is multiplied again, a word for each pair of each row and product of the second piece. `grown`: that many sums of the
// second piece, which come under a higher maximum.
void sn_gpu_chain_columns(SnBuilder *b, SnGpuChain *c, MlirValue first, bool masked, bool further,
                          const MlirValue *sums, MlirValue *states, size_t num_grown, MlirValue *grown,
                          MlirValue *words);
// The rows' ends, and results of the second piece from its sums.
void sn_gpu_chain_end(SnBuilder *b, SnGpuChain *c, MlirValue *states, size_t num_grown, MlirValue *grown);
// Words of the second piece's products in front of product p, its parts one behind the other; of all, `p` being how
// many.
size_t sn_gpu_chain_words_before(const SnGpuChain *c, size_t p);
// Of product p of the second piece, and in all.
int64_t sn_gpu_chain_pairs(const SnGpuChain *c); // of a row of results
size_t sn_gpu_chain_grown(const SnGpuChain *c);

// chain_parts.c: a tile's columns of which each of `split` blocks has had a part. values: states, then what grew. Opens
// a branch for the last of them, with the values of all parts. A unit's threads, a warpgroup, meet by `sync`; flags:
// memref<units x i32> of shared memory.
typedef void (*SnChainSync)(SnBuilder *b, void *user);
SnIf sn_gpu_chain_meet(SnBuilder *b, SnGpuChain *c, MlirValue unit, MlirValue flags, SnChainSync sync, void *user,
                       size_t num_grown, MlirValue *values);

// chain_left_out.c: what a mask of a finite number leaves out of tiles counts where nothing greater by far was kept.
// Whether it may at all; whether it does in this tile, of which blocks from `first` on below `end` were made: i1, the
// same in a warp. `states` are those of the thread's rows.
bool sn_gpu_chain_may_count(const SnGpuChain *c);
MlirValue sn_gpu_chain_counts(SnBuilder *b, SnGpuChain *c, MlirValue first, MlirValue end, const MlirValue *states);
// Shared memory: a word of each warp that multiplies. The warp's own into it, when `is` its first thread; all of them,
// or-ed.
MlirValue sn_gpu_chain_words_of_warps(SnBuilder *b, SnGpuKernel *k);
void sn_gpu_chain_put_word(SnBuilder *b, SnGpuChain *c, MlirValue words, MlirValue word);
MlirValue sn_gpu_chain_all_words(SnBuilder *b, SnGpuChain *c, MlirValue words);

// chain_warpgroups.c: so many tiles, by wgmma.
void sn_gpu_chain_by_warpgroups(SnBuilder *b, SnGpuChain *c, MlirValue tiles);

#endif
