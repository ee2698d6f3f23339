// product_warpgroups.c: tiles whose sides copies fetch, and whose sums warpgroups have in registers.
//
//   those who fetch, for each tile, product and piece of the sum:
//     wait until a slot is empty; a[m][128 bytes], b[n][128 bytes] into it: by the copy engine, or by themselves
//   the warpgroups, for each tile:
//     for each product: for each piece: wait until its slot is full; sum += a . b by wgmma
//     for each 32 columns: sums -> shared memory of a warp -> the row program
//
// Warpgroups share the rows of a tile, or have tiles by turns, so that one multiplies while the other stores. By turns
// they multiply one after the other: a parity of a slot says its turn only to who is at most one behind.
//
// Lines of a slot are 128 bytes, swizzled as copies write them and wgmma reads them. Sides along the sum: one line for
// each row or column, and 16 bytes times 2 further for the next step of the sum. Others: pieces of 64 rows or columns,
// one line for each element of the sum. (PTX ISA, "Matrix Descriptor Format" and "Strides" of wgmma.mma_async.)
//
// What threads fetch by pieces comes later than they ask for it: a slot is full when the piece two further is asked
// for.
//
// Blocks of a cluster have tiles below each other, so that they multiply the same columns' side: each copies half of
// it, to both. A slot is filled when all that is said to come has come, whoever asked for it, and empty when the warps
// of both blocks have read their own.
//
// test: test/lowering/gpu/product_warpgroups.mlir, product_pairs.mlir, product_slots.mlir,
// test/gpu/emulate_warpgroups.test

#include "lowering/gpu/products/product_slots.h"
#include "lowering/gpu/products/wgmma.h"
#include "lowering/rows/index.h"
#include "lowering/rows/rowmemory.h"

enum {
  STEPS = 4,      // of wgmma in a line: 32 bytes of the sum each
  MOST_AHEAD = 2, // slots that pieces are on their way to
};

// Of a thread: what those who fetch leave of what a launch gives is for those that have sums. Many: two warpgroups
// fetch. Who asks for windows of an image has their corners and taps beside the slots, and with 24 registers some of
// them are in local memory, to wait for in each turn.
typedef struct {
  int64_t fetcher, sum;
} Registers;
static const Registers of_images = {40, 232};
static const Registers registers_of[][2] = {[SN_GPU_BY_COPIES] = {{24, 240}},
                                            [SN_GPU_BY_PIECES] = {{72, 216}, {56, 200}},
                                            [SN_GPU_BY_VECTORS] = {{136, 184}, {88, 168}},
                                            [SN_GPU_BY_ELEMENTS] = {{136, 184}, {88, 168}}};

typedef struct {
  SnGpuProducts *g;
  SnGpuRing ring;
  MlirValue slots;      // bytes in shared memory: of each stage, a and then b
  MlirValue group;      // i32: which warpgroup, of those that have sums
  MlirValue stored;     // memref<all lines x SN_GPU_STORED_LINE> of f32, 16 lines of each warp, for each product
  int64_t blocks;       // of 64 rows that a warpgroup has
  int turn_barrier[2];  // numbers: where a warpgroup waits for its turn
  int group_barrier[2]; // where its threads meet, if they share sums with other blocks
  MlirValue flags;      // i32 in shared memory, of each warpgroup: its part came last
  SnGpuSlot *sides;     // two for each product
  SnGpuSlotFetch fetch; // what needs most of those who fetch
  bool many;            // two warpgroups fetch
  bool pieces;          // some side is fetched by pieces
  bool copies;          // some side is fetched by the copy engine
  bool images;          // as windows of an image
  int64_t ahead;        // slots that are filled before the first of them is said to be full
  SnGpuFetchers who;
  MlirValue *sums; // of each product and block: a struct of registers
} Staged;

static Registers registers(const Staged *s) {
  return s->images && s->fetch == SN_GPU_BY_COPIES ? of_images : registers_of[s->fetch][s->many];
}

static MlirType i32_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 32); }
static MlirValue i32_of(SnBuilder *b, int64_t v) { return sn_int(b, i32_type(b), v); }
static MlirValue as_i32(SnBuilder *b, MlirValue index) { return sn(b, "arith.index_cast", index, i32_type(b)); }

static int64_t stage_bytes(const Staged *s) { return sn_gpu_stage_bytes(s->g->plan->m, s->g->plan->n); }
// Of this block's part; those beyond the end are zeros.
static int64_t pieces_of_sum(const Staged *s, size_t product) {
  return sn_gpu_pieces(s->g->form, product, s->g->plan->k, s->g->plan->split);
}

static SnGpuTurn next_turn(SnBuilder *b, const Staged *s, SnGpuTurn turn) {
  return sn_gpu_ring_behind(b, &s->ring, turn, 1);
}

// ---- who fetches -------------------------------------------------------------------------------

static MlirValue map_of(const Staged *s, size_t side) {
  size_t number = 0;
  for (size_t i = 0; i < side; ++i)
    number += s->sides[i].fetch == SN_GPU_BY_COPIES;
  return s->g->k->maps[number];
}

typedef struct {
  SnGpuImageSide image; // of a side of boxes: the side and its access
  MlirValue map, to, first, sum, full;
} Box;

// From `first` on to `to`, for these blocks of the cluster, or this one.
static void copy_one(SnBuilder *b, Staged *s, const Box *box, MlirValue to, MlirValue first, MlirValue blocks) {
  const SnGpuImageSide *image = &box->image;
  if (image->side->map.num_windows)
    sn_gpu_copy_image(b, s->g, image, box->map, to, first, box->sum, box->full, blocks);
  else
    sn_wgmma_copy_box(b, image->side, box->map, image->access, s->g->dims, to, first, box->sum, box->full, blocks);
}

// Every other copy of a side, from this block's number in the cluster on, to all of its blocks. What a block's mbarrier
// gets is all copies' bytes, whoever asked for them.
static void copy_for_cluster(SnBuilder *b, Staged *s, const Box *box) {
  SnGpuProducts *g = s->g;
  const SnGpuSideMap *m = box->image.side;
  MlirValue rank = g->k->rank, all = sn_int(b, mlirIntegerTypeGet(b->ctx, 16), (1 << g->plan->cluster) - 1);
  for (int64_t i = 0; i < m->copies; i += g->plan->cluster) {
    MlirValue number = plus(b, sn_index(b, i), rank),
              to = plus(b, box->to, sn(b, "arith.muli", as_i32(b, number), i32_of(b, SN_WGMMA_PIECE))),
              first = plus(b, box->first, sn(b, "arith.muli", number, sn_index(b, SN_GPU_COPY_LINES)));
    bool some = i + g->plan->cluster > m->copies; // of an odd number of copies one block has the last
    SnIf there;
    if (some)
      there = sn_if(b, sn(b, "arith.cmpi", number, sn_index(b, m->copies), sn_attr("predicate", sn_i64(b->ctx, 6))));
    copy_one(b, s, box, to, first, all);
    if (some)
      sn_end_if(b, &there);
  }
}

static void copy_side(SnBuilder *b, Staged *s, size_t product, bool is_a, MlirValue to, MlirValue sum, MlirValue full) {
  SnGpuProducts *g = s->g;
  SnGpuProduct p = sn_gpu_product(g->form, product, g->plan->kernel);
  size_t side = 2 * product + !is_a;
  const SnAccess *access = &g->form->inputs.data[sn_side(g->form, is_a ? p.a : p.b).first];
  MlirValue first = is_a ? g->first_row : g->first_column;
  Box box = {{&s->sides[side].map, access, is_a ? &g->plan->points.rows : &g->plan->points.columns, p.summed},
             map_of(s, side), to, first, sum, full};
  if (g->plan->cluster > 1 && !is_a) {
    copy_for_cluster(b, s, &box);
    return;
  }
  for (int64_t i = 0; i < s->sides[side].map.copies; ++i)
    copy_one(b, s, &box, i ? plus(b, to, i32_of(b, i * SN_WGMMA_PIECE)) : to,
             i ? plus(b, first, sn_index(b, i * SN_GPU_WARPGROUP_ROWS)) : first, (MlirValue){0});
}

// Where a piece of the sum goes: bytes of the slots, the slot's mbarrier.
typedef struct {
  MlirValue begin, full, sum;
} Piece;

// By one thread: what the copy engine fetches.
static void copy_sides(SnBuilder *b, Staged *s, size_t product, const Piece *to) {
  int64_t bytes = 0, of_a = s->g->plan->m * SN_GPU_SWIZZLED_BYTES;
  for (size_t i = 2 * product; i < 2 * product + 2; ++i)
    bytes += s->sides[i].fetch == SN_GPU_BY_COPIES ? s->sides[i].map.bytes : 0;
  sn_gpu_arrive_expecting(b, to->full, i32_of(b, bytes));
  MlirValue at = plus(b, sn_gpu_shared_address(b, s->slots), as_i32(b, to->begin));
  if (s->sides[2 * product].fetch == SN_GPU_BY_COPIES)
    copy_side(b, s, product, true, at, to->sum, to->full);
  if (s->sides[2 * product + 1].fetch == SN_GPU_BY_COPIES)
    copy_side(b, s, product, false, plus(b, at, i32_of(b, of_a)), to->sum, to->full);
}

static void fill_sides(SnBuilder *b, Staged *s, size_t product, const SnGpuSide *sides, const Piece *to) {
  int64_t of_a = s->g->plan->m * SN_GPU_SWIZZLED_BYTES;
  for (size_t i = 0; i < 2; ++i)
    if (s->sides[2 * product + i].fetch != SN_GPU_BY_COPIES)
      sn_gpu_fill_slot(b, &sides[i], &s->sides[2 * product + i], &s->who, s->slots,
                       i ? plus(b, to->begin, sn_index(b, of_a)) : to->begin, to->sum);
}

// This warp's part of a slot is there.
static void filled(SnBuilder *b, const Staged *s, SnGpuTurn turn) {
  SnGpuKernel warp = *s->g->k;
  SnGpuRole role = {.name = "a warp", .warps = 1};
  warp.role = &role;
  sn_gpu_fence_copies(b);
  sn_gpu_sync(b, &warp);
  SnIf one = sn_if(b, s->g->k->first_of_warp);
  sn_gpu_ring_filled(b, &s->ring, turn);
  sn_end_if(b, &one);
}

// What a tile, or a piece, hands to the next: the turn; by pieces also that of the slot that is full next, and how many
// are on their way.
enum { TURN_SLOT, TURN_PARITY, FULL_SLOT, UNDER_WAY, FETCH_CARRIED };

// Those whose pieces have been asked for longest are full.
static void say_full(SnBuilder *b, Staged *s, MlirValue *carried) {
  SnGpuTurn full = {.slot = carried[FULL_SLOT]};
  if (s->pieces) {
    sn_gpu_commit_copies(b);
    sn_gpu_await_copies(b, s->ahead);
  }
  if (!s->ahead) {
    filled(b, s, (SnGpuTurn){.slot = carried[TURN_SLOT]});
    return;
  }
  MlirValue all = i32_of(b, s->ahead),
            is_full = sn(b, "arith.cmpi", carried[UNDER_WAY], all, sn_attr("predicate", sn_i64(b->ctx, 0)));
  SnIf then = sn_if(b, is_full, i32_type(b), i32_type(b));
  filled(b, s, full);
  SnGpuTurn next = next_turn(b, s, (SnGpuTurn){full.slot, i32_of(b, 0)});
  sn_else(b, &then, next.slot, all);
  sn_end_if(b, &then, full.slot, plus(b, carried[UNDER_WAY], i32_of(b, 1)));
  carried[FULL_SLOT] = sn_result(then.op, 0);
  carried[UNDER_WAY] = sn_result(then.op, 1);
}

// Behind the last tile.
static void say_rest_full(SnBuilder *b, Staged *s, const MlirValue *carried) {
  if (!s->ahead)
    return;
  sn_gpu_await_copies(b, 0);
  SnGpuTurn full = {carried[FULL_SLOT], i32_of(b, 0)};
  for (int64_t i = 0; i < s->ahead; ++i) {
    SnIf one = sn_if(b, sn(b, "arith.cmpi", i32_of(b, i), carried[UNDER_WAY], sn_attr("predicate", sn_i64(b->ctx, 6))));
    filled(b, s, full);
    sn_end_if(b, &one);
    full = next_turn(b, s, full);
  }
}

static SnGpuSide side_of(SnBuilder *b, Staged *s, size_t product, bool is_a) {
  SnGpuProduct p = sn_gpu_product(s->g->form, product, s->g->plan->kernel);
  return sn_gpu_side(b, s->g, &p, is_a, sn_micro_packed(is_a ? p.line->a : p.line->b, p.type));
}

static void fetch_piece(SnBuilder *b, Staged *s, size_t product, const SnGpuSide *sides, MlirValue piece,
                        MlirValue *carried) {
  SnGpuTurn at = {carried[TURN_SLOT], carried[TURN_PARITY]};
  MlirValue slot = sn(b, "arith.index_cast", at.slot, sn_index_type(b->ctx));
  sn_gpu_ring_await_empty(b, &s->ring, at);
  Piece to = {.begin = sn(b, "arith.muli", slot, sn_index(b, stage_bytes(s))),
              .full = sn_gpu_ring_full(b, &s->ring, at),
              .sum = sn(b, "arith.muli", piece, sn_index(b, s->g->plan->k))};
  if (s->fetch == SN_GPU_BY_COPIES) {
    copy_sides(b, s, product, &to);
  } else {
    if (s->copies) {
      MlirValue first = sn_index(b, s->g->plan->launch.threads);
      SnIf one = sn_if(b, sn(b, "arith.cmpi", s->g->k->thread, first, sn_attr("predicate", sn_i64(b->ctx, 0))));
      copy_sides(b, s, product, &to);
      sn_end_if(b, &one);
    }
    fill_sides(b, s, product, sides, &to);
    say_full(b, s, carried);
  }
  at = next_turn(b, s, at);
  carried[TURN_SLOT] = at.slot;
  carried[TURN_PARITY] = at.parity;
}

static void fetch_tile(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, Staged *s, MlirValue *carried) {
  SnGpuProducts *g = s->g;
  sn_gpu_place_tile(b, g, tile->number);
  for (size_t p = 0; p < g->form->products.size; ++p) {
    SnGpuSide sides[2] = {{0}};
    if (s->fetch != SN_GPU_BY_COPIES)
      sides[0] = side_of(b, s, p, true), sides[1] = side_of(b, s, p, false);
    SnLoop l = sn_for_values(b, sn_index(b, 0), sn_index(b, pieces_of_sum(s, p)), sn_index(b, 1),
                             sn_values(FETCH_CARRIED, carried));
    MlirValue piece = l.index, at[FETCH_CARRIED];
    memcpy(at, l.carried, sizeof at);
    if (g->plan->split > 1)
      piece = plus(b, piece, sn(b, "arith.muli", g->part, sn_index(b, pieces_of_sum(s, p))));
    fetch_piece(b, s, p, sides, piece, at);
    sn_next_values(b, &l, sn_values(FETCH_CARRIED, at));
    for (int i = 0; i < FETCH_CARRIED; ++i)
      carried[i] = sn_result(l.op, i);
  }
}

typedef struct {
  Staged *s;
  MlirValue *carried;
} Carried;

static void emit_fetched(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  Carried *c = user;
  fetch_tile(b, k, tile, c->s, c->carried);
}

typedef struct {
  Staged staged;
  MlirValue tiles;
} Roles;

static void fetch_tiles(SnBuilder *b, SnGpuKernel *k, Roles *r) {
  MlirValue zero = i32_of(b, 0), carried[FETCH_CARRIED] = {zero, zero, zero, zero};
  Carried c = {&r->staged, carried};
  SnGpuTiles tiles = sn_gpu_tiles_in_steps(k, k->block, r->tiles, k->blocks);
  sn_gpu_each_tile(b, k, &tiles, carried, FETCH_CARRIED, emit_fetched, &c);
  say_rest_full(b, &r->staged, carried);
}

static void emit_fetch(SnBuilder *b, SnGpuKernel *k, void *user) {
  Roles *r = user;
  Staged *s = &r->staged;
  if (s->g->plan->launch.threads > SN_GPU_WARPGROUP)
    sn_wgmma_registers(b, "decrease", registers(s).fetcher);
  if (s->fetch != SN_GPU_BY_COPIES) {
    MlirValue warp = as_i32(b, sn(b, "arith.subi", k->warp, sn_index(b, k->warps)));
    s->who = (SnGpuFetchers){.warps = s->g->plan->launch.more_threads / 32,
                             .warp = sn(b, "arith.index_cast", sn_wgmma_same_in_warp(b, warp), sn_index_type(b->ctx)),
                             .lane = k->lane};
    fetch_tiles(b, k, r);
    return;
  }
  SnIf warp = sn_if(b, sn(b, "arith.cmpi", k->warp, sn_index(b, k->warps), sn_attr("predicate", sn_i64(b->ctx, 0))));
  SnIf one = sn_if(b, sn(b, "nvvm.elect.sync", mlirIntegerTypeGet(b->ctx, 1)));
  fetch_tiles(b, k, r);
  sn_end_if(b, &one);
  sn_end_if(b, &warp);
}

// ---- who multiplies ----------------------------------------------------------------------------

// All of a slot, as one group of wgmma. x, y: descriptors of slot 0.
static void multiply_slot(SnBuilder *b, const Staged *s, size_t product, MlirValue slot, MlirValue x, MlirValue y,
                          bool fresh, MlirValue *sums) {
  MlirValue offset = sn(b, "arith.muli", slot, i32_of(b, stage_bytes(s) >> 4));
  const SnMicroKernel *line = sn_gpu_product(s->g->form, product, s->g->plan->kernel).line;
  bool a_along = s->sides[2 * product].along_sum, b_along = s->sides[2 * product + 1].along_sum;
  int64_t step_a = a_along ? 32 : 16 * 128, step_b = b_along ? 32 : 16 * 128;
  x = plus(b, x, offset);
  y = plus(b, y, offset);
  sn_op(b, "nvvm.wgmma.fence.aligned");
  for (int64_t i = 0; i < STEPS; ++i)
    for (int64_t block = 0; block < s->blocks; ++block)
      sums[block] =
          sn_wgmma(b, line, s->g->plan->n, sums[block], sn_wgmma_further(b, x, i * step_a + block * SN_WGMMA_PIECE),
                   a_along, sn_wgmma_further(b, y, i * step_b), b_along, fresh && !i);
  sn_op(b, "nvvm.wgmma.commit.group.sync.aligned");
}

static void release(SnBuilder *b, const Staged *s, MlirValue slot) {
  int64_t cluster = s->g->plan->cluster;
  if (cluster > 1) { // a lane for each of its blocks, which fill this block's slots, too
    SnIf each = sn_if(b, sn(b, "arith.cmpi", s->g->k->lane, sn_index(b, cluster),
                            sn_attr("predicate", sn_i64(b->ctx, 6))));
    sn_gpu_ring_emptied_of(b, &s->ring, (SnGpuTurn){.slot = slot}, as_i32(b, s->g->k->lane));
    sn_end_if(b, &each);
    return;
  }
  SnIf one = sn_if(b, s->g->k->first_of_warp);
  sn_gpu_ring_emptied(b, &s->ring, (SnGpuTurn){.slot = slot});
  sn_end_if(b, &one);
}

// The product's sums over the tile, and the turn behind it. The last group of wgmma is not waited for, its slot not
// released: `last`.
static void sum_product(SnBuilder *b, const Staged *s, size_t product, MlirValue x, MlirValue y, SnGpuTurn *turn,
                        MlirValue *last, MlirValue *sums) {
  enum { TURN = 3 };
  MlirType type = sn_wgmma_sums(b, s->g->form->products.data[product].type, s->g->plan->n);
  MlirValue values[TURN + 8];
  for (int64_t i = 0; i < s->blocks; ++i)
    values[TURN + i] = sn(b, "llvm.mlir.undef", type);
  sn_gpu_ring_await_full(b, &s->ring, *turn);
  multiply_slot(b, s, product, turn->slot, x, y, true, values + TURN);
  *last = turn->slot;
  *turn = next_turn(b, s, *turn);
  int64_t pieces = pieces_of_sum(s, product);
  if (pieces > 1) {
    values[0] = turn->slot, values[1] = turn->parity, values[2] = *last;
    SnLoop l =
        sn_for_values(b, sn_index(b, 1), sn_index(b, pieces), sn_index(b, 1), sn_values(TURN + s->blocks, values));
    SnGpuTurn at = {l.carried[0], l.carried[1]};
    MlirValue before = l.carried[2];
    memcpy(values + TURN, l.carried + TURN, (size_t)s->blocks * sizeof *values);
    sn_gpu_ring_await_full(b, &s->ring, at);
    multiply_slot(b, s, product, at.slot, x, y, false, values + TURN);
    sn_wgmma_await(b, 1);
    release(b, s, before);
    values[2] = at.slot;
    at = next_turn(b, s, at);
    values[0] = at.slot, values[1] = at.parity;
    sn_next_values(b, &l, sn_values(TURN + s->blocks, values));
    *turn = (SnGpuTurn){sn_result(l.op, 0), sn_result(l.op, 1)};
    *last = sn_result(l.op, 2);
    for (int64_t i = 0; i < s->blocks; ++i)
      values[TURN + i] = sn_result(l.op, TURN + i);
  }
  memcpy(sums, values + TURN, (size_t)s->blocks * sizeof *sums);
}

// ---- the row program ---------------------------------------------------------------------------

// So many columns from `first` on, of 64 rows, to the warp's lines; pairs of two rows are a thread's.
static void store_columns(SnBuilder *b, const Staged *s, MlirType type, const MlirValue *values, int64_t first,
                          MlirValue memory) {
  SnGpuKernel *k = s->g->k;
  MlirValue line =
                plus(b, sn(b, "arith.muli", k->warp, sn_index(b, 16)), sn(b, "arith.divui", k->lane, sn_index(b, 4))),
            pair = sn(b, "arith.muli", sn(b, "arith.remui", k->lane, sn_index(b, 4)), sn_index(b, 2));
  for (int64_t column = 0; column < SN_GPU_STORED_COLUMNS; column += 8)
    for (int64_t row = 0; row < 16; row += 8) {
      int64_t v = (first + column) / 2 + row / 4;
      MlirValue x = sn(b, "vector.from_elements", values[v], values[v + 1], sn_vector(type, 2)),
                at[] = {plus(b, line, sn_index(b, row)), plus(b, pair, sn_index(b, column))};
      sn_scratch_store(b, x, memory, sn_values(2, at), sn_attr("alignment", sn_i64(b->ctx, 8)));
    }
}

static void emit_columns(SnBuilder *b, Staged *s, MlirValue row, int64_t first, const MlirValue *memory) {
  SnGpuProducts *g = s->g;
  SnGpuKernel *k = g->k;
  int64_t lanes = sn_gpu_product_lanes(g->form, g->plan), across = SN_GPU_STORED_COLUMNS / lanes;
  // A lane has several below each other: each of them waits for its operands and its row program.
  int64_t apart = 32 / across, count = sn_gpu_rows_below(g->form, lanes, 16 / apart);
  SnLoop l = sn_for(b, sn_index(b, 0), sn_index(b, 16), sn_index(b, count * apart));
  MlirValue line = plus(b, l.index, sn(b, "arith.divui", k->lane, sn_index(b, across))),
            column = sn(b, "arith.muli", sn(b, "arith.remui", k->lane, sn_index(b, across)), sn_index(b, lanes));
  sn_gpu_emit_below(b, g, memory,
                    &(SnGpuBelow){.line = plus(b, sn(b, "arith.muli", k->warp, sn_index(b, 16)), line),
                                  .element = column,
                                  .row = plus(b, row, line),
                                  .column = plus(b, column, sn_index(b, first)),
                                  .lanes = lanes,
                                  .count = count,
                                  .apart = apart});
  sn_next(b, &l);
}

// All threads of the warpgroup meet.
static void sync_group(SnBuilder *b, void *user) {
  const Staged *s = user;
  MlirValue operands[] = {plus(b, i32_of(b, s->group_barrier[0]), s->group), i32_of(b, SN_GPU_WARPGROUP)};
  sn_op(b, "nvvm.barrier", sn_values(2, operands), sn_types(0, NULL),
        sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 3, (int32_t[]){1, 1, 0})));
}

static SnIf meet(SnBuilder *b, Staged *s, int64_t lists, int64_t n, MlirValue *values) {
  SnGpuProducts *g = s->g;
  MlirType *types = sn_alloc((size_t)lists * sizeof *types);
  MlirValue group = sn(b, "arith.index_cast", s->group, sn_index_type(b->ctx)),
            unit = g->plan->by_turns ? sn_index(b, 0) : group;
  for (int64_t i = 0; i < lists; ++i)
    types[i] = g->form->products.data[i / s->blocks].type;
  SnIf last = sn_gpu_meet_in_registers(b, g, unit, lists, n, types, values, s->flags, group, sync_group, s);
  free(types);
  return last;
}

static void emit_program(SnBuilder *b, Staged *s, MlirValue row) {
  SnGpuProducts *g = s->g;
  const SnForm *f = g->form;
  int64_t n = g->plan->n / 2, lists = (int64_t)f->products.size * s->blocks;
  MlirValue *values = sn_alloc((size_t)(n * lists) * sizeof *values);
  MlirValue in_group = sn(b, "arith.remui", g->k->warp, sn_index(b, 4)),
            of_warp = plus(b, row, sn(b, "arith.muli", in_group, sn_index(b, 16)));
  SnGpuKernel warp = *g->k;
  SnGpuRole role = {.name = "a warp", .warps = 1};
  SnIf last;
  warp.role = &role;
  for (int64_t i = 0; i < lists; ++i)
    sn_wgmma_pin(b, s->sums[i], f->products.data[i / s->blocks].type, n, values + i * n);
  if (g->plan->split > 1)
    last = meet(b, s, lists, n, values);
  for (int64_t block = 0; block < s->blocks; ++block) {
    MlirValue first = block ? plus(b, of_warp, sn_index(b, block * SN_GPU_WARPGROUP_ROWS)) : of_warp;
    if (g->plan->whole_rows) {
      sn_gpu_emit_rows_of_pairs(b, g, first, values + block * n, s->blocks * n);
      continue;
    }
    for (int64_t column = 0; column < g->plan->n; column += SN_GPU_STORED_COLUMNS) {
      for (size_t p = 0; p < f->products.size; ++p)
        store_columns(b, s, f->products.data[p].type, values + ((int64_t)p * s->blocks + block) * n, column,
                      g->sums[p]);
      sn_gpu_sync(b, &warp);
      emit_columns(b, s, first, column, g->sums);
      sn_gpu_sync(b, &warp);
    }
  }
  if (g->plan->split > 1)
    sn_end_if(b, &last);
  free(values);
}

// ---- a tile -------------------------------------------------------------------------------------

static void turn_barrier(SnBuilder *b, const Staged *s, const char *op, bool own) {
  MlirValue first = i32_of(b, s->turn_barrier[0]),
            id = plus(b, first, own ? s->group : sn(b, "arith.subi", i32_of(b, 1), s->group));
  MlirValue operands[] = {id, i32_of(b, 2 * SN_GPU_WARPGROUP)};
  if (!strcmp(op, "nvvm.barrier"))
    sn_op(b, op, sn_values(2, operands), sn_types(0, NULL),
          sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 3, (int32_t[]){1, 1, 0})));
  else
    sn_op(b, op, sn_values(2, operands), sn_types(0, NULL));
}

static MlirValue side_address(SnBuilder *b, Staged *s, size_t product, bool is_a) {
  SnGpuProducts *g = s->g;
  MlirValue at = sn_gpu_shared_address(b, s->slots);
  if (!is_a)
    return plus(b, at, i32_of(b, g->plan->m * SN_GPU_SWIZZLED_BYTES));
  return g->plan->by_turns ? at : plus(b, at, sn(b, "arith.muli", s->group, i32_of(b, s->blocks * SN_WGMMA_PIECE)));
}

static void emit_summed(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  Carried *c = user;
  Staged *s = c->s;
  SnGpuProducts *g = s->g;
  bool by_turns = g->plan->by_turns;
  SnGpuTurn turn = {c->carried[0], c->carried[1]};
  size_t products = g->form->products.size;
  MlirValue last;
  sn_gpu_place_tile(b, g, tile->number);
  if (by_turns) {
    turn = sn_gpu_ring_turn(b, &s->ring, c->carried[0]);
    turn_barrier(b, s, "nvvm.barrier", true);
  }
  for (size_t p = 0; p < products; ++p) {
    MlirValue x = sn_wgmma_descriptor(b, side_address(b, s, p, true), s->sides[2 * p].along_sum),
              y = sn_wgmma_descriptor(b, side_address(b, s, p, false), s->sides[2 * p + 1].along_sum);
    sum_product(b, s, p, x, y, &turn, &last, s->sums + p * (size_t)s->blocks);
    if (p + 1 < products) {
      sn_wgmma_await(b, 0);
      release(b, s, last);
    }
  }
  if (by_turns)
    turn_barrier(b, s, "nvvm.barrier.arrive", false);
  if (!g->plan->whole_rows)
    sn_gpu_know_numbers(b, g);
  sn_wgmma_await(b, 0);
  release(b, s, last);
  MlirValue rows = sn_index(b, s->blocks * SN_GPU_WARPGROUP_ROWS), zero = sn_index(b, 0);
  emit_program(b, s,
               by_turns ? zero : sn(b, "arith.muli", sn(b, "arith.index_cast", s->group, sn_index_type(b->ctx)), rows));
  if (by_turns) {
    int64_t pieces = 0;
    for (size_t p = 0; p < products; ++p)
      pieces += pieces_of_sum(s, p);
    c->carried[0] = plus(b, c->carried[0], i32_of(b, 2 * pieces));
    return;
  }
  c->carried[0] = turn.slot;
  c->carried[1] = turn.parity;
}

static void emit_sums(SnBuilder *b, SnGpuKernel *k, void *user) {
  Roles *r = user;
  Staged *s = &r->staged;
  const SnGpuProductPlan *plan = s->g->plan;
  if (plan->launch.threads > SN_GPU_WARPGROUP)
    sn_wgmma_registers(b, "increase", registers(s).sum);
  MlirValue zero = i32_of(b, 0), carried[] = {zero, zero}, first = k->block;
  int64_t step = k->blocks, pieces = 0;
  s->group = sn_wgmma_same_in_warp(b, as_i32(b, sn(b, "arith.divui", k->warp, sn_index(b, 4))));
  for (size_t p = 0; p < s->g->form->products.size; ++p)
    pieces += pieces_of_sum(s, p);
  if (plan->by_turns) {
    MlirValue group = sn(b, "arith.index_cast", s->group, sn_index_type(b->ctx));
    first = plus(b, first, sn(b, "arith.muli", group, sn_index(b, k->blocks)));
    step *= 2;
    carried[0] = sn(b, "arith.muli", s->group, i32_of(b, pieces));
    SnIf second = sn_if(b, sn(b, "arith.cmpi", s->group, i32_of(b, 1), sn_attr("predicate", sn_i64(b->ctx, 0))));
    turn_barrier(b, s, "nvvm.barrier.arrive", false);
    sn_end_if(b, &second);
  }
  Carried c = {s, carried};
  SnGpuTiles tiles = sn_gpu_tiles_in_steps(k, first, r->tiles, step);
  sn_gpu_each_tile(b, k, &tiles, carried, 2, emit_summed, &c);
}

void sn_gpu_emit_staged(SnBuilder *b, SnGpuProducts *g, MlirValue tiles) {
  SnGpuKernel *k = g->k;
  const SnGpuProductPlan *plan = g->plan;
  size_t products = g->form->products.size;
  Roles r = {.staged = {.g = g, .blocks = sn_gpu_warpgroup_rows(plan) / SN_GPU_WARPGROUP_ROWS}, .tiles = tiles};
  Staged *s = &r.staged;
  s->sides = sn_alloc((2 * products + 1) * sizeof *s->sides);
  s->sums = sn_alloc((products * (size_t)s->blocks + 1) * sizeof *s->sums);
  int64_t bytes = plan->stages * stage_bytes(s), stored[] = {k->warps * 16, SN_GPU_STORED_LINE};
  s->slots = sn_gpu_launched_shared(b, k, "slots of sides", 1, &bytes, mlirIntegerTypeGet(b->ctx, 8), SN_GPU_FOR_TILES);
  for (size_t p = 0; p < products; ++p) {
    SnGpuProduct product = sn_gpu_product(g->form, p, plan->kernel);
    sn_gpu_slot(g->form, &plan->points, &product, true, plan->m, &s->sides[2 * p], NULL);
    sn_gpu_slot(g->form, &plan->points, &product, false, plan->n, &s->sides[2 * p + 1], NULL);
    if (plan->cluster > 1)
      sn_gpu_divide_copies(&s->sides[2 * p + 1].map);
    g->sums[p] =
        sn_gpu_launched_shared(b, k, "sums of warps", 2, stored, sn_scratch_type(product.type), SN_GPU_FOR_VECTORS);
  }
  for (size_t i = 0; i < 2 * products; ++i) {
    s->fetch = s->sides[i].fetch > s->fetch ? s->sides[i].fetch : s->fetch;
    s->copies |= s->sides[i].fetch == SN_GPU_BY_COPIES;
    s->images |= s->sides[i].fetch == SN_GPU_BY_COPIES && s->sides[i].map.map.num_windows > 0;
    s->pieces |= s->sides[i].fetch == SN_GPU_BY_PIECES;
  }
  int64_t fillers = (s->copies ? 1 : 0) + (s->fetch == SN_GPU_BY_COPIES ? 0 : plan->launch.more_threads / 32);
  s->many = plan->launch.more_threads > SN_GPU_WARPGROUP;
  s->ahead = !s->pieces ? 0 : plan->stages - 2 < MOST_AHEAD ? plan->stages - 2 : MOST_AHEAD;
  int64_t readers = plan->by_turns ? k->warps / 2 : k->warps; // of a slot
  s->ring = sn_gpu_ring(b, k, "sides", plan->stages, fillers, readers * plan->cluster);
  sn_gpu_fence_mbarriers(b);
  if (plan->cluster > 1)
    sn_gpu_meet_cluster(b, k);
  else
    sn_gpu_sync(b, k);
  if (plan->by_turns)
    for (int i = 0; i < 2; ++i)
      s->turn_barrier[i] = sn_gpu_name_barrier(k, "turns");
  if (plan->split > 1) {
    int64_t groups = plan->launch.threads / SN_GPU_WARPGROUP;
    s->flags = sn_gpu_shared(k, "the last part", 1, &groups, i32_type(b), 8);
    for (int i = 0; i < 2; ++i)
      s->group_barrier[i] = sn_gpu_name_barrier(k, "parts");
  }
  SnGpuRole roles[] = {{.name = "sums", .warps = k->warps, .emit = emit_sums},
                       {.name = "fetch", .warps = plan->launch.more_threads / 32, .emit = emit_fetch}};
  sn_gpu_run_roles(b, k, roles, 2, &r);
  if (plan->cluster > 1)
    sn_gpu_leave_cluster(b);
  free(s->sides);
  free(s->sums);
}
