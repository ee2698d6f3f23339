// shell.h: what every kernel of a GPU has, whatever it computes.
//
//   gpu_kernel.c        the gpu.func and the host's launch; kernel_arguments.c: what is passed; numbers.c: by value
//   teams.c             which threads work on a tile together, and what each of them is called
//   tiles.c             which tiles a team works on, one after another
//   roles.c             which warps of a block do what, and the barriers at which they meet
//   arena.c             shared memory
//   mbarrier.c, ring.c  barriers in shared memory that threads and copies arrive at; slots that are filled and emptied
//   tag_counters.c      counters in the workspace: the last one of so many, and waiting for so many
//   status.c            asserts
//
// A kernel is a SnGpuBody: what it is launched with, and a function that writes it. Nothing here knows what a row is.
//
// decides: what every kernel of a GPU has: arguments, launch, tiles, roles, shared memory, barriers.

#ifndef SINTER_LOWERING_GPU_SHELL_H
#define SINTER_LOWERING_GPU_SHELL_H

#include "lowering/facts/gpu_tensor_maps.h"
#include "lowering/host/host.h"

// ---- a kernel --------------------------------------------------------------------------------

typedef struct SnGpuArena SnGpuArena;
typedef struct SnGpuBarriers SnGpuBarriers;
typedef struct SnGpuRole SnGpuRole;

// Words that an output of a form hands to the next turn (meet/words.c).
typedef struct {
  size_t output;
  MlirValue address, tag; // i64: of its elements' words; the turn, above an element
} SnGpuSent;

// What those who write a kernel know of it. A copy may stand for fewer threads (sn_gpu_first_warp).
typedef struct {
  MlirOperation func;
  MlirBlock entry;
  SnGpuArena *arena;
  SnGpuBarriers *barriers;
  const SnGpuRole *role;                   // whose code is being written; null: all of the block's
  MlirValue barrier;                       // i32: at which its warps meet, where blocks of it run side by side
  int64_t threads, warps, blocks, cluster; // as launched
  SnGpuTeams teams;
  int64_t team;               // threads that share a tile, of all blocks
  const MlirValue *operands;  // the op's, as memrefs of the device
  const MlirValue *addresses; // theirs: i64, if the body asks for them
  size_t num_operands;
  MlirValue scratch, scratch_address, tag; // memref<?xi8>, its address as i64, and i64; null: no scratch memory
  MlirValue status;                        // the address of the status word as i64; null: no asserts
  const MlirValue *maps;                   // tensor maps that the body asks for: !llvm.ptr
  MlirValue thread, block;                 // index
  MlirValue grid;                          // index: how many blocks the host has launched; null: `blocks`
  MlirValue group, rank;                   // index: which cluster or group, which block of it; the block and null
  MlirValue member;                        // index: which thread of the team
  MlirValue first;                         // i1: thread 0 of the block
  MlirValue first_of_team;                 // i1
  MlirValue lane, warp, first_of_warp;     // index, index, i1; null before sn_gpu_know_lanes
  MlirOperation entered;                   // of a cluster: where a block says that it has begun
  bool cluster_began;                      // the wait for all blocks of the cluster to have begun is written
  bool single_tile;                        // each team has one
  const SnValueVec *held;                  // what was read in front of the loop; null: nothing was
  const SnValueVec *early;                 // numbers of rows that were read before the turn's words came; null: none
  const SnGpuSent *sent;                   // what is handed to the next turn
  size_t num_sent;
  const bool *may_hold, *may_early;        // of each operand: what it has was
  MlirValue turn, half;                    // i32: 0 and 1 by turns, tile by tile, and every two tiles
} SnGpuKernel;

// Bytes that tensors and the workspace begin at multiples of, by the ABI.
#define SN_GPU_OPERANDS_ALIGNED 16

typedef struct {
  const char *name; // of the gpu.func; null: the kernel function's
  const SnGpuLaunch *launch;
  MlirValue blocks;           // index, as the host has it: how many there are; null: launch says
  int64_t scratch;            // bytes of the caller's workspace; 0: none
  bool asserts;               // the kernel has some
  bool addresses;             // k->addresses are asked for
  const SnGpuTensorMap *maps; // k->maps that are
  size_t num_maps;
  bool mbarriers;             // it makes barriers in shared memory, which can be made once
  SnValues operands;          // the host's memrefs; none: the op's operands
  const bool *written;        // of these: it may be written, or overlap with one that is; NULL: none overlap
  void (*emit)(SnBuilder *b, SnGpuKernel *k, const void *user); // at the head of the gpu.func
  // In front of a loop of a sequence, or null: of operand k, where `may` says so, what threads keep over turns is read
  // into `held`, which k->held has in turns. `numbers`: those that are one for a row, in the turn, for k->early; else
  // what has columns.
  void (*hold)(SnBuilder *b, SnGpuKernel *k, bool numbers, const bool *may, SnValueVec *held, const void *user);
  const void *user;
} SnGpuBody;

// Who is given a body, while what it points to lives.
typedef MlirLogicalResult (*SnGpuTakeBody)(MlirOperation op, const SnGpuBody *body, void *taker);

// Where a form's kernel is made: its function, those who call it, and their module.
typedef struct {
  MlirOperation module, func;
  const SnCalls *calls; // of the whole module: a call that is made anew takes its place in them
} SnGpuHost;

// gpu_kernel.c, launch.c

// The gpu.func of an op on memrefs in its kernel function, and the launch in front of the op. An error where the kernel
// has more shared memory than a block can have.
MlirLogicalResult sn_gpu_make_kernel(const SnGpuHost *host, MlirOperation op, const SnGpuBody *body);
// numbers.c: a kernel function's arguments that all callers have as numbers are noted before its kernels are made, and
// are numbers of it behind that.
void sn_gpu_mark_numbers(const SnGpuHost *host);
void sn_gpu_take_numbers(const SnGpuHost *host);
// The gpu.module of a program's kernels; null before the first.
MlirOperation sn_gpu_module(MlirOperation module);
// Contiguous memory as a memref of type `t`, with the sizes that are `?` in it.
MlirValue sn_gpu_view(SnBuilder *b, MlirValue memref, MlirType t, const MlirValue *dynamic_sizes);
// Inline PTX with side effects; `result` may be null.
MlirOperation sn_gpu_ptx(SnBuilder *b, const char *text, const char *constraints, SnValues operands, MlirType result);
// An f32 of global memory that nobody writes meanwhile: operands[0] is its address, i64. Of the `words` i32 behind that
// some bit is set in all; else 0 is given, and memory is not read.
MlirValue sn_gpu_load_inside(SnBuilder *b, intptr_t words, const MlirValue *operands);

// teams.c

// Names threads, blocks and teams. Where teams are clusters, the block says that it has begun.
void sn_gpu_number_threads(SnBuilder *b, SnGpuKernel *k);
// The same where k->block and k->thread are there already.
void sn_gpu_number_teams(SnBuilder *b, SnGpuKernel *k);
// Sets k->lane, k->warp and k->first_of_warp.
void sn_gpu_know_lanes(SnGpuKernel *k);
// Not before this have all blocks of a cluster begun, and their shared memory is there. Once in a kernel.
void sn_gpu_await_cluster(SnBuilder *b, SnGpuKernel *k);
// The same, and they see what each has stored in front of this. Nobody has waited for them before.
void sn_gpu_meet_cluster(SnBuilder *b, SnGpuKernel *k);
// All have come here: none ends while another one still reaches into its shared memory. Of any number of roles.
void sn_gpu_leave_cluster(SnBuilder *b);

// ---- tiles dealt out: tiles.c --------------------------------------------------------------------

typedef enum {
  SN_GPU_ONE_EACH,  // each team has one
  SN_GPU_IN_STEPS,  // first, first + step, ... below end
  SN_GPU_COUNTED,   // so many of each block or group: its own, and then one of each round of all
  SN_GPU_BY_TICKET, // the next that no block has had yet, for blocks as teams; takes counter 0 of the scratch memory
  SN_GPU_HANDED,    // what `next` says, below end
} SnGpuDeal;

typedef struct SnGpuTiles SnGpuTiles;
// index: the number of a tile, or one past the end; changes in `carried` what it needs for the next one.
typedef MlirValue (*SnGpuNextTile)(SnBuilder *b, SnGpuKernel *k, const SnGpuTiles *tiles, MlirValue *carried,
                                   void *user);
struct SnGpuTiles {
  SnGpuDeal deal;
  MlirValue first, end; // index
  int64_t step;
  SnGpuNextTile next; // of those that are handed
  void *user;
};

// One of them, at work.
typedef struct {
  MlirValue number; // index: which; of those that are counted null, until sn_gpu_counted_tile is asked
  MlirValue count;  // index: how many its team has had before; null by ticket, or handed
} SnGpuTile;
typedef void (*SnGpuEmitTile)(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user);

// A team's first tile, and how far it is to its next. One each where that is all.
SnGpuTiles sn_gpu_tiles_in_steps(const SnGpuKernel *k, MlirValue first, MlirValue end, int64_t step);
// Tiles 0 to end of blocks or groups, counted by each, so that the roles of its warps agree.
SnGpuTiles sn_gpu_tiles_counted(SnBuilder *b, const SnGpuKernel *k, MlirValue end);
// Tiles 0 to end, whoever comes first. The body's scratch memory has SN_GPU_TICKETS bytes for that at its begin.
SnGpuTiles sn_gpu_tiles_by_ticket(SnBuilder *b, MlirValue end);
enum { SN_GPU_TICKETS = 8 };
SnGpuTiles sn_gpu_tiles_handed(MlirValue end, SnGpuNextTile next, void *user);
// The number of one of those that are counted.
MlirValue sn_gpu_counted_tile(SnBuilder *b, const SnGpuKernel *k, MlirValue count);
// Writes what is done with a tile, for all of them. `emit` finds in `carried` what the tile before left, and leaves
// there what it hands on.
void sn_gpu_each_tile(SnBuilder *b, SnGpuKernel *k, const SnGpuTiles *tiles, MlirValue *carried, size_t n,
                      SnGpuEmitTile emit, void *user);

// ---- shared memory: arena.c ----------------------------------------------------------------------

// Vectors of 16 bytes may be loaded from there.
#define SN_GPU_FOR_VECTORS 16
// Bulk copies may end there.
#define SN_GPU_FOR_COPIES 128
// Copies of tiles whose lines are swizzled.
#define SN_GPU_FOR_TILES SN_GPU_TILES_ALIGNED

// One piece of it.
typedef struct {
  const char *name; // what it is for; errors say it
  int64_t bytes, alignment;
  int64_t offset; // from the begin of what the launch gives; -1: the kernel has it by itself
} SnGpuPiece;

struct SnGpuArena {
  SN_VEC(SnGpuPiece) pieces;
  MlirValue launched;       // memref<? bytes>: what the launch gives; null: nothing
  int64_t launched_bytes;   // so far
  int64_t launched_aligned; // what it begins at a multiple of
  int64_t own_bytes;        // of pieces that the kernel has by itself
  int64_t most_bytes;       // of the launch's, that an earlier tenant had
  int64_t kept_bytes;       // in front of those of tenants
  int64_t tenants;          // blocks of the form at work that run side by side in one; 0: it is one kernel's
  MlirValue tenant;         // index: which of them; null where there is one
};

// Shared memory changes hands: from now on it is that of so many blocks side by side, a form of a sequence. All of it
// is what the launch gives.
void sn_gpu_new_tenants(SnGpuArena *arena, int64_t tenants, MlirValue tenant);

// Memory of one block, of a memref's shape. Its size is compiled in: 48 KiB at most, of all such pieces.
MlirValue sn_gpu_shared(SnGpuKernel *k, const char *name, intptr_t rank, const int64_t *shape, MlirType element,
                        int64_t alignment);
// The same of what the launch gives, which may be all that a multiprocessor has.
MlirValue sn_gpu_launched_shared(SnBuilder *b, SnGpuKernel *k, const char *name, intptr_t rank, const int64_t *shape,
                                 MlirType element, int64_t alignment);
// An error at `op` if there are more bytes than a block can have.
MlirLogicalResult sn_gpu_check_arena(const SnGpuArena *arena, MlirOperation op);
// The address of shared memory, as PTX has it: 32 bits.
MlirValue sn_gpu_shared_address(SnBuilder *b, MlirValue memref);

// On a gpu.func, and the llvm.func that it becomes: which of its pieces the launch gives (sinter-gpu-target).
#define SN_GPU_LAUNCHED "sinter.launched_shared"
// On the same: how many arguments, the last ones, are tensor maps, which are passed by value (sinter-gpu-target).
#define SN_GPU_MAPS "sinter.tensor_maps"

// ---- roles of warps: roles.c -----------------------------------------------------------------------

// Barriers of a block by their names; number 0 is that of all its threads.
enum { SN_GPU_BARRIERS = 16 };
struct SnGpuBarriers {
  const char *names[SN_GPU_BARRIERS];
  int count;
};

// Warps that do one thing. Roles follow each other in a block, in the order of their list.
struct SnGpuRole {
  const char *name;
  int64_t warps;
  void (*emit)(SnBuilder *b, SnGpuKernel *k, void *user);
  int barrier; // at which its warps meet; 0: of the block
};

// Writes what each role does, in a branch of its own. A role of more than one warp is given a barrier.
void sn_gpu_run_roles(SnBuilder *b, SnGpuKernel *k, SnGpuRole *roles, size_t n, void *user);
// The number of a barrier of the block that is nobody else's.
int sn_gpu_name_barrier(SnGpuKernel *k, const char *name);
// All threads of the role whose code is written wait for each other: those of the block, of its warps, or of its warp.
void sn_gpu_sync(SnBuilder *b, const SnGpuKernel *k);
// The kernel as the first warp of a block sees it, where the others are done.
SnGpuKernel sn_gpu_first_warp(const SnGpuKernel *k);
// The code that is written is of a role with one warp.
bool sn_gpu_is_one_warp(const SnGpuKernel *k);

// ---- barriers in shared memory: mbarrier.c ------------------------------------------------------------

// n mbarriers on which so many arrive: memref<n x i64>. sn_gpu_fence_mbarriers and a barrier of the block have to
// follow.
MlirValue sn_gpu_mbarriers(SnBuilder *b, SnGpuKernel *k, const char *name, int64_t n, int64_t arrivals);
void sn_gpu_fence_mbarriers(SnBuilder *b);
// n mbarriers at which one thread of the block arrives, and the bytes that other blocks store, made before the block
// says that it has begun. Where there is one tile, the first of them expects so many bytes already.
MlirValue sn_gpu_cluster_mbarriers(SnGpuKernel *k, const char *name, int64_t n, int64_t bytes);
// The address of one of them, i an i32.
MlirValue sn_gpu_mbarrier(SnBuilder *b, MlirValue mbarriers, MlirValue i);
void sn_gpu_arrive(SnBuilder *b, MlirValue mbarrier);
void sn_gpu_arrive_expecting(SnBuilder *b, MlirValue mbarrier, MlirValue bytes);
// Until the phase of this parity is over: phases of one mbarrier are counted from 0.
void sn_gpu_await(SnBuilder *b, MlirValue mbarrier, MlirValue parity);
// An address of shared memory, as it is in block `rank` (i32) of the cluster.
MlirValue sn_gpu_in_block(SnBuilder *b, MlirValue address, MlirValue rank);
// At the mbarrier that is there in block `rank` of the cluster.
void sn_gpu_arrive_at(SnBuilder *b, MlirValue mbarrier, MlirValue rank);
// The same where other blocks of the cluster arrive, behind what they have stored here.
void sn_gpu_await_from_cluster(SnBuilder *b, MlirValue mbarrier, MlirValue parity);
// From memory (i64) to shared memory (i32): multiples of 16 bytes, counted on the mbarrier.
void sn_gpu_bulk_copy(SnBuilder *b, MlirValue to, MlirValue from, MlirValue bytes, MlirValue mbarrier);
// From memory (i64) to shared memory (i32) behind this thread's back: 4, 8 or 16 bytes, of which `there` (i32, null:
// all) are read, and the others are zero. Then: those asked for since the last commit are a group; until all but the
// last `left` groups are there, as far as this thread is concerned.
void sn_gpu_copy_async(SnBuilder *b, MlirValue to, MlirValue from, int64_t bytes, MlirValue there);
void sn_gpu_commit_copies(SnBuilder *b);
void sn_gpu_await_copies(SnBuilder *b, int64_t left);
// Loads of shared memory are over before copies that are asked for later may write there.
void sn_gpu_fence_copies(SnBuilder *b);

// ---- slots that are filled and emptied: ring.c ---------------------------------------------------------

// Pieces go through the slots in their order, again and again: piece i through slot i mod slots. Threads or copies fill
// a slot, and arrive at its `full`; who has emptied it arrives at its `empty`.
typedef struct {
  int64_t slots;
  MlirValue full, empty; // mbarriers; empty is null where all slots are emptied at a barrier of the block
} SnGpuRing;

// Where a piece is: its slot, and the parity of its turn there.
typedef struct {
  MlirValue slot, parity; // i32
} SnGpuTurn;

// So many arrive when a slot is full, and when it is empty; 0: nobody does, and there are no such mbarriers.
SnGpuRing sn_gpu_ring(SnBuilder *b, SnGpuKernel *k, const char *name, int64_t slots, int64_t fillers, int64_t emptiers);
// Of the piece with this number, an i32; and of the one that is n behind it, n < slots.
SnGpuTurn sn_gpu_ring_turn(SnBuilder *b, const SnGpuRing *ring, MlirValue number);
SnGpuTurn sn_gpu_ring_behind(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn turn, int64_t n);
// By who fills: until the slot is empty; the mbarrier at which copies into it arrive; the piece is there, as far as
// this thread is concerned; until those who empty are done with it.
void sn_gpu_ring_await_empty(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn turn);
MlirValue sn_gpu_ring_full(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn turn);
void sn_gpu_ring_filled(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn turn);
void sn_gpu_ring_await_emptied(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn turn);
// By who empties: until the piece is there; it is no longer needed.
void sn_gpu_ring_await_full(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn turn);
void sn_gpu_ring_emptied(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn turn);
// The same at the ring of block `rank` (i32) of the cluster.
void sn_gpu_ring_emptied_of(SnBuilder *b, const SnGpuRing *ring, SnGpuTurn turn, MlirValue rank);

// ---- counters in the workspace: tag_counters.c ------------------------------------------------------------

// In host code: a number that no other launch of this process has; the counters' upper halves are its.
MlirValue sn_gpu_launch_tag(SnBuilder *b, MlirOperation module);
// The address of a counter, whose place in scratch memory is an index of 8 bytes.
MlirValue sn_gpu_counter(SnBuilder *b, SnGpuKernel *k, MlirValue which);
// Makes the counter one of this launch, for one thread of each block that counts at it. Its address.
MlirValue sn_gpu_take_counter(SnBuilder *b, SnGpuKernel *k, MlirValue which);
// i1, for one thread of a block: this block is the last of `count` (i64) of its launch to come to a counter.
MlirValue sn_gpu_is_last(SnBuilder *b, SnGpuKernel *k, MlirValue which, MlirValue count);
// The same of a counter that the same thread has asked for when the kernel began, so that nobody waits for that at the
// end: i64, what it found there.
MlirValue sn_gpu_take_early(SnBuilder *b, SnGpuKernel *k, MlirValue which);
MlirValue sn_gpu_is_last_of_taken(SnBuilder *b, SnGpuKernel *k, MlirValue which, MlirValue found, MlirValue count);
// i64, for one thread: how many drew from a counter before in this launch; the last of `draws` (index) leaves 0. In no
// order with what threads store and load.
MlirValue sn_gpu_ticket(SnBuilder *b, SnGpuKernel *k, MlirValue which, MlirValue draws);
// Of a counter that was taken: adds 1, behind all that this thread has stored; and waits until it is `count` (i64) more
// than the launch's tag, in front of all that this thread loads.
void sn_gpu_count(SnBuilder *b, MlirValue counter);
void sn_gpu_await_count(SnBuilder *b, SnGpuKernel *k, MlirValue counter, MlirValue count);
// Puts a taken counter back to 0, which is no launch's.
void sn_gpu_reset_counter(SnBuilder *b, MlirValue counter);

// ---- asserts: status.c --------------------------------------------------------------------------------------

// Each cf.assert of the kernel -> a number in the status word where it fails; what follows runs on.
void sn_gpu_lower_asserts(SnGpuKernel *k, MlirOperation module);
// In host code: the place (a pointer) that holds the address of the status word.
MlirValue sn_gpu_status_word(SnBuilder *b, MlirOperation module);

#endif
