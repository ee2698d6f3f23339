// gpu_chain_tiles.c: a form on a GPU that multiplies its rows again.
//
//   #sinter.mma<kernel = "mma.sync", m = 128, n = 64, threads = 256, occupancy = 1>
//
//   #sinter.mma<kernel = "wgmma", m = 192, n = 128, threads = 384, stages = 4, deal = "ticket">
//
// Which of both, and of how many columns at a time, is a table (schedule/chain_families.c). Warpgroups have 64 rows
// each. A block reads both sides with columns once for its m rows, so m is as large as leaves every multiprocessor a
// tile. What grows is in registers: of many results there are fewer columns at a time. What a row program has beside
// sums is more where it reads something of each element: then there are no three warpgroups, and its rows' sides stay
// in shared memory.
//
// new schedule key: of rows that a GPU multiplies again: when it is said.
//
// test: test/passes/schedule/gpu_chains.mlir

#include "dialect/row_ops.h"
#include "dialect/sequence.h"
#include "lowering/facts/gpu_chains.h"
#include "passes/schedule/chain_families.h"
#include "target/chips.h"
#include <stdio.h>

enum {
  REGISTERS = 1 << 16, // of a multiprocessor
  OF_A_THREAD = 255,
  BESIDE_SUMS = 72,  // of a thread: places, fragments, what the row program has under way
  BESIDE_ONE = 56,   // the same, where a block is done before the next one begins
  BESIDE_PLAIN = 32, // where nothing of each element is read or drawn
};

static int64_t smaller(int64_t x, int64_t y) { return x < y ? x : y; }

// Of a thread: sums of both kinds, and words that are multiplied, at a time (`ahead`), or one become the other.
static int64_t of_sums(const SnForm *f, int64_t n, bool ahead) {
  int64_t grown = (int64_t)f->matrices.size * sn_gpu_chain_whole(sn_group_length(f, 1)) / 2,
          sums = (int64_t)f->products.size * n / 2, words = sn_gpu_chain_words(f) * n / 4;
  return grown + (ahead ? sums + words : sums > words ? sums : words);
}

static int64_t registers(const SnForm *f, int64_t n, bool ahead) {
  return of_sums(f, n, ahead) + (ahead ? BESIDE_SUMS : BESIDE_ONE);
}

// ---- by warpgroups ---------------------------------------------------------------------------------

enum { MOST_STAGES = 8, BARRIER_BYTES = 2048 };

// Nothing of each element is read from memory, but numbers that copies fetch, nor drawn.
static bool is_plain(const SnForm *f, const SnGpuPoints *points, const SnGpuChainPlan *plan) {
  SnGroup columns = sn_group(f, 0);
  bool plain = true;
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    for (int64_t d = columns.first; d < columns.first + columns.num_dims; ++d)
      plain &= !sn_map_uses(f->inputs.data[k].map, d) || (plan->same_slots && sn_gpu_chain_is_numbers(f, points, k));
  return plain && sn_row_op_shared_columns(f->body) <= 1;
}

static int64_t multiplier(int64_t m) {
  int64_t of = sn_gpu_chain_registers[m / SN_GPU_WARPGROUP_ROWS].multiplier;
  return of ? of : OF_A_THREAD;
}

// Products' sides of rows are in registers, where there are enough. A product of 64 columns reads as much of that side
// as of the other one, and both are all that shared memory gives: it is worth the last register of a plain program.
// A tile has a few blocks at least: its first product waits for those registers. (An H200: 1 % of gradients by queries,
// of a bias, and of heads of 32; of two blocks a loss of 8 %, of values of heads of 128 one of 1 %. What one warpgroup
// has by itself, or shares with other blocks, was not measured.)
static bool holds_rows(const SnForm *f, const SnGpuChainPlan *plan, int64_t m, int64_t n, bool plain) {
  enum { OF_A_PIECE = 16, SMALL = 64, FEW = 3 }; // words of a line of 64 elements; columns; blocks
  int64_t words = 0, length = sn_group_length(f, 0);
  bool along = length == SN_DYNAMIC || length > FEW * n;
  for (size_t i = 0; i < f->products.size; ++i) {
    words += plan->a[i].pieces * OF_A_PIECE;
    along &= plan->a[i].map.along_sum;
  }
  int64_t beside = plain && n == SMALL ? BESIDE_PLAIN : BESIDE_SUMS;
  return along && m > SN_GPU_WARPGROUP_ROWS && of_sums(f, n, true) + words + beside <= multiplier(m);
}

// Warpgroups' products hide the others' row programs: three of them take THREE per cent of the time for a row that two
// take. But for what tiles have beside all rows, or multiprocessors beside all tiles.
static bool three_are_faster(int64_t batch, int64_t rows, const SnGpuChip *chip) {
  enum { THREE = 80, ALL = 100 };
  int64_t two = sn_pieces(sn_times(batch, sn_pieces(rows, 128)), chip->multiprocessors) * 128 * ALL,
          three = sn_pieces(sn_times(batch, sn_pieces(rows, 192)), chip->multiprocessors) * 192 * THREE;
  return three < two;
}

// So many rows and columns by wgmma: stages, 0 and why where it does not fit. *tiles: of so many rows' sides have a
// slot, of fewer where that leaves few stages: who fetches waits for a tile's last product then, before the next one's.
static int64_t stages_of(const SnForm *f, int64_t m, int64_t n, bool ahead, const SnGpuChip *chip, int64_t *tiles,
                         SnWhyNot *why) {
  enum { LEAST = 4 };
  SnGpuChainPlan plan;
  const char *unfit = "a side cannot be fetched by copies";
  int64_t needed = registers(f, n, ahead);
  if (needed > OF_A_THREAD)
    return sn_why_not(why, "a thread would have %lld registers of %d", (long long)needed, OF_A_THREAD);
  if (!sn_gpu_chain_staged(f, m, n, &plan, &unfit))
    return sn_why_not(why, "%s", unfit);
  int64_t room = chip->shared_bytes - plan.rows_bytes - BARRIER_BYTES,
          stages = plan.slot_bytes ? room / plan.slot_bytes : 0,
          fewer = plan.slot_bytes ? (room - plan.rows_bytes) / plan.slot_bytes : 0;
  if (*tiles > 1 && fewer >= LEAST)
    stages = fewer;
  else
    *tiles = 1;
  if (stages < 2)
    return sn_why_not(why, "%lld rows and two slots of %lld bytes are more than shared memory has", (long long)m,
                      (long long)plan.slot_bytes);
  return smaller(stages, MOST_STAGES);
}

// Blocks of threads that share a tile's columns, where tiles are few: as many as all multiprocessors have one, and each
// has a few blocks of columns.
static int64_t split_of(const SnForm *f, const SnGpuPoints *points, int64_t m, int64_t n, const SnGpuChip *chip) {
  enum { LEAST_BLOCKS = 2, MOST = 256, UNKNOWN = 64 };
  int64_t tiles = sn_gpu_chain_tiles(f, points, m), length = sn_group_length(f, 0),
          blocks = length == SN_DYNAMIC ? UNKNOWN : sn_pieces(length, n);
  if (tiles == SN_DYNAMIC || tiles < 1 || sn_gpu_chain_unshared(f))
    return 1;
  int64_t split = smaller(smaller(chip->multiprocessors / tiles, blocks / LEAST_BLOCKS), MOST);
  return split < 2 ? 1 : split;
}

// Batches beside each other, so many that multiprocessors have two tiles each, and few, so that their columns stay in
// the second cache.
static int64_t group_of(int64_t batch, int64_t down, const SnGpuChip *chip) {
  enum { MOST = 1024 };
  return smaller(smaller(batch, sn_pieces(2 * chip->multiprocessors, down)), MOST);
}

// How tiles go to blocks of threads.
typedef struct {
  int64_t split;     // blocks that share one
  int64_t group;     // batches whose tiles are dealt together, 0: a mask makes none longer than others
  bool by_ticket;    // the next one is who is done's; else, where there is a group, each has a block
  int64_t row_tiles; // sides of rows that a block has slots for
} Deal;

// A ticket is there when a tile of several blocks of columns is over. Of three warpgroups that take all registers
// tickets took 4 % (an H200, heads of 64: 1.239 of cuDNN's speed, 1.275 without; of two they gave 1 to 3 %, and of
// short rows 10).
static Deal deal_of(const SnForm *f, const SnGpuPoints *points, int64_t m, int64_t n, bool ahead,
                    const SnGpuChip *chip) {
  enum { OF_TICKETS = 8 }; // registers
  int64_t rows = sn_gpu_dims_size(f, &points->rows), batch = sn_gpu_dims_size(f, &points->batch),
          tiles = sn_gpu_chain_tiles(f, points, m), length = sn_group_length(f, 0);
  bool several = tiles == SN_DYNAMIC || tiles > chip->multiprocessors, blocks = length == SN_DYNAMIC || length > n,
       room = m <= 2 * SN_GPU_WARPGROUP_ROWS || of_sums(f, n, ahead) + BESIDE_PLAIN + OF_TICKETS <= multiplier(m);
  Deal d = {.split = split_of(f, points, m, n, chip), .row_tiles = 1};
  d.by_ticket = d.split == 1 && several && blocks && room && !sn_gpu_chain_made_again(f);
  if (tiles != SN_DYNAMIC && d.split == 1 && sn_gpu_chain_uneven(f))
    d.group = group_of(batch, sn_pieces(rows, m), chip);
  if (several && (!d.group || d.by_ticket))
    d.row_tiles = 2;
  return d;
}

MlirAttribute sn_schedule_gpu_chain_wgmma(const SnForm *f, const SnScheduleOptions *options, int64_t n, bool ahead,
                                          SnWhyNot *why) {
  enum { NARROW = 64 };
  const SnGpuChip *chip = sn_gpu_chip(options->chip);
  SnGpuPoints of = sn_gpu_chain_points(f), *points = &of;
  SnGpuChainPlan plan = {0};
  int64_t rows = sn_gpu_dims_size(f, &points->rows), batch = sn_gpu_dims_size(f, &points->batch), m = 128,
          length = sn_group_length(f, 0), stages = 0;
  bool known = rows != SN_DYNAMIC && batch != SN_DYNAMIC, staged = sn_gpu_chain_staged(f, m, n, &plan, NULL),
       plain = staged && ahead && is_plain(f, points, &plan);
  if (known && (rows <= 64 || sn_times(batch, sn_pieces(rows, 128)) < chip->multiprocessors / 2))
    m = 64;
  else if (known && plain && of_sums(f, n, ahead) + BESIDE_PLAIN <= multiplier(192) &&
           three_are_faster(batch, rows, chip))
    m = 192;
  Deal deal = deal_of(f, points, m, n, ahead, chip);
  if (!sn_gpu_chip_has(options->chip, "sm_90a"))
    (void)sn_why_not(why, "it needs sm_90a, and the chip is %s", options->chip);
  else if (sn_in_sequence(f->op))
    (void)sn_why_not(why, "it shares its launch with other kernels");
  else if (n > NARROW && length != SN_DYNAMIC && length <= NARROW)
    (void)sn_why_not(why, "its rows have %lld columns", (long long)length);
  else if (n > NARROW && !ahead && staged && (!plan.same_slots || f->matrices.size < 2))
    (void)sn_why_not(why, "it has one result, or slots of its own for matrices");
  else
    stages = stages_of(f, m, n, ahead, chip, &deal.row_tiles, why);
  if (!stages)
    return mlirAttributeGetNull();
  MlirLocation loc = mlirOperationGetLocation(f->op);
  char more[128] = "", blocks[32] = "";
  if (deal.split > 1)
    snprintf(more, sizeof more, ", split = %lld", (long long)deal.split);
  if (deal.group)
    snprintf(more, sizeof more, ", group = %lld", (long long)deal.group);
  if (!deal.group || deal.by_ticket)
    snprintf(blocks, sizeof blocks, "blocks = %lld, ", (long long)chip->multiprocessors);
  if (deal.split == 1 && ahead && holds_rows(f, &plan, m, n, plain))
    strcat(more, ", held = 1");
  if (deal.row_tiles > 1)
    strcat(more, ", tiles = 2");
  if (deal.by_ticket)
    strcat(more, ", deal = \"ticket\"");
  if (!ahead)
    strcat(more, ", ahead = 0");
  return sn_schedule_attr(
      loc, "mma",
      sn_parse_attr(mlirLocationGetContext(loc),
                    "{kernel = \"wgmma\", %sm = %lld, n = %lld, k = 64, threads = %lld, stages = %lld%s}", blocks,
                    (long long)m, (long long)n, (long long)(2 * m), (long long)stages, more));
}

// ---- by warps --------------------------------------------------------------------------------------

MlirAttribute sn_schedule_gpu_chain_mma(const SnForm *f, const SnScheduleOptions *options) {
  const SnGpuChip *chip = sn_gpu_chip(options->chip);
  SnGpuPoints points = sn_gpu_chain_points(f);
  int64_t rows = sn_gpu_dims_size(f, &points.rows), batch = sn_gpu_dims_size(f, &points.batch), m = 128, n = 64,
          length = sn_group_length(f, 0);
  bool known = rows != SN_DYNAMIC && batch != SN_DYNAMIC;
  while (n > 16 && ((length != SN_DYNAMIC && length <= n / 2) || registers(f, n, true) > OF_A_THREAD ||
                    sn_gpu_chain_bytes(f, 16, n) > chip->shared_bytes))
    n /= 2;
  while (m > 16 && (sn_gpu_chain_bytes(f, m, n) > chip->shared_bytes || (rows != SN_DYNAMIC && rows <= m / 2) ||
                    (known && sn_times(batch, sn_pieces(rows, m)) < chip->multiprocessors)))
    m /= 2;
  int64_t threads = m * 32 / SN_GPU_CHAIN_WARP_ROWS, by_registers = REGISTERS / (threads * registers(f, n, true)),
          occupancy = smaller(by_registers, chip->shared_bytes / (sn_gpu_chain_bytes(f, m, n) + 1024));
  char blocks[40] = "";
  occupancy = occupancy < 1 ? 1 : smaller(occupancy, 8);
  if (!known || f->dims.data[f->num_rows].size == SN_DYNAMIC) // as many as run at once
    snprintf(blocks, sizeof blocks, "blocks = %lld, ", (long long)(chip->multiprocessors * occupancy));
  MlirLocation loc = mlirOperationGetLocation(f->op);
  return sn_schedule_attr(
      loc, "mma",
      sn_parse_attr(mlirLocationGetContext(loc),
                    "{kernel = \"%s\", %sm = %lld, n = %lld, k = 16, threads = %lld, occupancy = %lld}",
                    sn_gpu_chain_kernel(f), blocks, (long long)m, (long long)n, (long long)threads,
                    (long long)occupancy));
}
