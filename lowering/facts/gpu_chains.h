// gpu_chains.h: forms that multiply their rows again, as one kernel of a GPU: which can be one, and its schedule,
// decoded.
//
// The scheduler asks before it chooses, sinter-split before it cuts, the lowering when it writes the kernel. No IR is
// made here.

#ifndef SINTER_LOWERING_FACTS_GPU_CHAINS_H
#define SINTER_LOWERING_FACTS_GPU_CHAINS_H

#include "lowering/facts/cpu_forms.h"
#include "lowering/facts/gpu_tensor_maps.h"

// A side that copies fetch whole: for each piece of its sum, a line's length, so many lines of 128 bytes.
typedef struct {
  SnGpuSideMap map;
  int64_t pieces, lines;
} SnGpuChainSide;

enum { SN_GPU_CHAIN_PRODUCTS = 4 }; // and as many rows that are multiplied again

typedef struct {
  SnGpuLaunch launch;
  SnGpuPoints points;   // batch and rows of the form; columns: of its first group, a block of which is made at a time
  int64_t m, n;         // rows of a block of threads; columns at a time
  bool tickets;         // tiles go to the block that is done first
  int64_t split;        // blocks of threads that share a tile's columns; then:
  int64_t tiles, units; // how many there are; warpgroups of a block, which count themselves one by one
  const char *kernel;   // a name of sn_micro_gpu_names
  bool ends_early, begins_late; // columns from `end` on are not asked for, nor those below `begin`
  SnCpuEnd end, begin;
  bool is_given; // columns, or rows, from a number on that the batch has, are not asked for either
  SnCpuEnd given;
  MlirAffineMap given_at; // where it is in its operand, by the form's rows
  // What of columns is left out by these counts after all in rows whose references are not above this; 0: it never
  // does.
  double above;
  int64_t under;          // then: 1 + the input that has references of columns, or of rows; 0: rows' own
  MlirAffineMap under_at; // where they are in it, by the form's rows and columns
  // Of "wgmma": slots of sides with columns and of matrices; sides a and b of products, then matrices (b), in order.
  int64_t stages, rows_bytes, slot_bytes;
  int64_t row_tiles; // of so many tiles sides of rows have a slot
  SnGpuChainSide a[SN_GPU_CHAIN_PRODUCTS], b[2 * SN_GPU_CHAIN_PRODUCTS];
  int64_t group; // batches whose tiles are dealt together, row by row
  bool ahead;    // sums of the next block are made while rows of the last one are multiplied
  bool held;     // sides a are in registers while a tile is made
  // Matrices are what products have for sides with columns, too, as gradients' are: one slot has both. Which of them.
  bool same_slots;
  size_t side_of[SN_GPU_CHAIN_PRODUCTS];
  // Of such slots: bytes of columns and matrices, behind which are n f32 of each input of which there are `numbers`.
  int64_t numbers, numbers_at;
} SnGpuChainPlan;

// Warpgroups of a block of threads, at most.
enum { SN_GPU_CHAIN_GROUPS = 3 };
// Of blocks of so many warpgroups, a thread's: what the warpgroup that fetches leaves of what a launch gives, and what
// one that multiplies takes. 0: what it has is enough. Together they are what a launch gives.
typedef struct {
  int64_t fetcher, multiplier;
} SnGpuChainRegisters;
extern const SnGpuChainRegisters sn_gpu_chain_registers[SN_GPU_CHAIN_GROUPS + 1];
// Rows that a warp has.
enum { SN_GPU_CHAIN_WARP_ROWS = 16 };
// Of sums and of results in a warp's registers, columns at most, and summed elements.
enum { SN_GPU_CHAIN_COLUMNS = 256, SN_GPU_CHAIN_SUM = 256 };
// Of an f32 that is multiplied in parts.
enum { SN_GPU_CHAIN_PARTS = 3 };

// Why a GPU cannot run the form as one kernel, NULL if it can: rows of its first group are made a block of columns at a
// time and multiplied by matrices, whose sums grow in registers. f32 is multiplied in parts, where a schedule says so.
const char *sn_gpu_not_chain(const SnForm *form);
// The same where a schedule may say that of products that have so many bytes.
const char *sn_gpu_not_chain_in(const SnForm *form, int64_t parts_from);
// The same where sides of a warp's rows may be computed as they are fetched, by mma.sync alone.
const char *sn_gpu_not_chain_by_warps(const SnForm *form, int64_t parts_from);
// The side of a product may be: it has few rows, and a program of its elements.
bool sn_gpu_computes_side(const SnForm *form, size_t side);
// And of the form whose sides that are computed are stored.
const char *sn_gpu_not_chain_of_stored(const SnForm *form, int64_t parts_from);
// All products of the form have so many bytes, as they would be stored; a size `?` counts as 1,024.
bool sn_gpu_stores_much(const SnForm *form, int64_t bytes);
// f32 is multiplied in parts where products have so many bytes, and rows are reduced or each head has its own: no
// hidden layer's. 0: everywhere.
bool sn_gpu_takes_parts(const SnForm *form, int64_t parts_from);
// Its products are of operands in f32 (or of what programs make of such) that heads have of their own, sum no more than
// a chain's do, and have so many bytes: rows that might be multiplied in parts, if something multiplies them again.
bool sn_gpu_may_have_parts(const SnForm *form, int64_t parts_from);
// Some form of a program has such products.
bool sn_gpu_any_parts(MlirOperation root, int64_t parts_from);
// The instruction of warps for all that the form multiplies.
const char *sn_gpu_chain_kernel(const SnForm *form);
// What is multiplied in its place: batch, both sides' rows, and streamed columns.
SnGpuPoints sn_gpu_chain_points(const SnForm *form);
// Bytes of shared memory of so many rows and columns.
int64_t sn_gpu_chain_bytes(const SnForm *form, int64_t m, int64_t n);
// Input k is a number of each column, f32 that lie one behind the other, the same for all rows of a tile: copies fetch
// it.
bool sn_gpu_chain_is_numbers(const SnForm *form, const SnGpuPoints *points, size_t k);
// Whether copies can fetch all sides for wgmma, for so many rows and columns at a time: sets bytes and sides of the
// plan. `why`, if it is not NULL: why not.
bool sn_gpu_chain_staged(const SnForm *form, int64_t m, int64_t n, SnGpuChainPlan *plan, const char **why);
// A mask makes some rows longer than others.
bool sn_gpu_chain_uneven(const SnForm *form);
// Tiles may be made a second time, as a mask left out what counts.
bool sn_gpu_chain_made_again(const SnForm *form);
// Why several blocks of threads cannot share a tile's columns, NULL if they can.
const char *sn_gpu_chain_unshared(const SnForm *form);
// Tiles of m rows; SN_DYNAMIC. Of scratch memory: bytes of counters; in all, 0 where nothing is shared.
int64_t sn_gpu_chain_tiles(const SnForm *form, const SnGpuPoints *points, int64_t m);
int64_t sn_gpu_chain_counters(const SnGpuChainPlan *plan);
int64_t sn_gpu_chain_scratch(const SnForm *form, const SnGpuChainPlan *plan);
// Rows that are multiplied again.
int64_t sn_gpu_chain_products(const SnForm *form);
// An error if the form has no #sinter.mma, or one whose numbers do not fit each other.
MlirLogicalResult sn_gpu_plan_chain(const SnForm *form, SnGpuChainPlan *plan);

// Of the form's rows that are multiplied again: their parts in all.
int64_t sn_gpu_chain_words(const SnForm *form);

// A number of summed elements or of columns in whole steps of the instruction.
int64_t sn_gpu_chain_whole(int64_t n);

#endif
