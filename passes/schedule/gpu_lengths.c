// gpu_lengths.c: a GPU's schedule of rows as an attribute, and of rows whose length is `?` several.
//
//   #sinter.gpu_rows<threads = 256, blocks = 1056, ..., residency = "registers", most = 5120,
//                    shorter = #sinter.gpu_rows<threads = 128, ..., team = 32, most = 512>>
//
// Nobody knows how long a row of length `?` will be: each line of a table is a kernel for rows up to a length, of which
// the host takes the first that is long enough; the longest takes any.
//
// new schedule key: of a GPU's rows: when it is said.
//
// test: test/passes/schedule/gpu_families.mlir, gpu_elements.mlir

#include "dialect/sequence.h"
#include "lowering/rows/rowmemory.h"
#include "passes/schedule/gpu_families.h"
#include "passes/schedule/schedule.h"
#include <stdio.h>

#define SHORT_TILE 256  // columns of rows that lie together, and threads for 32 of them, where nobody knows how many
#define ALONE 64        // of those, that a thread has by itself
#define MOST_VECTORS 32 // that a thread keeps of a row
#define LEAST_OF_BLOCK 64 // threads, of rows that several warps share
#define SHORT_ROW 1024  // columns that a warp reads by itself, where nobody knows how many there are

// Where sums of columns go from row to row, and shared memory has the place. Clusters of other rows are faster without:
// what is under way delays what they post to each other (an H200, cross entropy's gradient of probabilities: 72 % of a
// copy with, 91 without).
static bool ahead(const SnGpuRowFacts *a, const SnGpuRowSchedule *s) {
  if (!a->columns || !s->registers || s->tile || s->team < s->threads ||
      (a->rows != SN_DYNAMIC && s->blocks / s->cluster >= a->rows))
    return false;
  SnGpuRows rows = {.threads = s->threads,
                    .team = s->threads,
                    .vector = s->vector,
                    .cluster = s->cluster,
                    .group = 1,
                    .residency = SN_GPU_REGISTERS,
                    .ahead = true};
  SnGpuRowPlan plan = sn_gpu_plan_rows(a->form, &rows);
  int64_t bytes = sn_gpu_fetched_bytes(&plan);
  return bytes && sn_gpu_row_occupancy(s) * (bytes + SN_GPU_ROW_OTHER_SHARED) <= a->gpu->shared_bytes;
}

// Rows get blocks of their own, as they do where their number is known.
static bool has_each(const SnGpuRowFacts *a, const SnGpuRowSchedule *s) {
  return a->rows == SN_DYNAMIC && !a->sums && !a->columns && s->registers && !s->tile && s->team > 1 &&
         !sn_in_sequence(a->form->op);
}

// ---- the attribute -------------------------------------------------------------------------------

// A maximum goes with the sums of exponentials under it, but where those who share a row shuffle: they meet soon enough
// twice.
static bool shuffles_maxima(const SnForm *f, const SnGpuRowSchedule *s) {
  SnRowJoints joints = {0};
  if (!s->registers || s->tile || (s->team < s->threads ? s->team : s->threads) > 32)
    return false;
  SnRowProgram p = sn_row_program(f, sn_values(0, NULL));
  sn_row_join_exponentials(&joints, &p);
  sn_row_program_free(&p);
  return joints.n > 0;
}

static MlirAttribute with(MlirAttribute params, const char *key, MlirAttribute value) {
  SN_VEC(MlirNamedAttribute) all = {0};
  MlirContext ctx = mlirAttributeGetContext(params);
  for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(params); ++i)
    sn_push(&all, mlirDictionaryAttrGetElement(params, i));
  sn_push(&all, mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR(key)), value));
  MlirAttribute made = mlirDictionaryAttrGet(ctx, (intptr_t)all.size, all.data);
  sn_vec_free(&all);
  return made;
}

// With how long rows are at most, and how shorter ones run, where their length is `?`.
static MlirAttribute attribute_with(const SnGpuRowFacts *facts, const SnGpuRowSchedule *s, MlirAttribute shorter) {
  const SnForm *f = facts->form;
  MlirLocation loc = mlirOperationGetLocation(f->op);
  if (s->grid.group)
    return sn_schedule_gpu_grid_attr(loc, &s->grid, facts->remake);
  char unroll[32] = "", cluster[32] = "", team[32] = "", rows[32] = "", most[32] = "", tile[64] = "", multiple[48] = "",
       least[48] = "";
  const char *next = s->held ? ", held = 1" : ahead(facts, s) ? ", ahead = 1" : "",
             *remake = s->registers && facts->remake ? ", remake = 1" : "",
             *deal = has_each(facts, s) ? ", deal = \"each\"" : "",
             *maximum = shuffles_maxima(f, s) ? ", maximum = \"before\"" : "";
  if (s->unroll > 1)
    snprintf(unroll, sizeof unroll, ", unroll = %lld", (long long)s->unroll);
  if (s->cluster > 1)
    snprintf(cluster, sizeof cluster, ", cluster = %lld", (long long)s->cluster);
  if (s->team < s->threads)
    snprintf(team, sizeof team, ", team = %lld", (long long)s->team);
  if (s->rows > 1)
    snprintf(rows, sizeof rows, ", rows = %lld", (long long)s->rows);
  if (s->most)
    snprintf(most, sizeof most, ", most = %lld", (long long)s->most);
  if (facts->multiple > 1)
    snprintf(multiple, sizeof multiple, ", multiple = %lld", (long long)facts->multiple);
  if (s->least)
    snprintf(least, sizeof least, ", least = %lld", (long long)s->least);
  if (s->turned)
    snprintf(tile, sizeof tile, ", tile_rows = %lld, tile_columns = %lld", (long long)s->tile_rows,
             (long long)s->tile_columns);
  MlirAttribute params = sn_parse_attr(
      mlirLocationGetContext(loc),
      "{threads = %lld, blocks = %lld, occupancy = %lld, vector = %lld%s, %s%s%s%s%s%s%s%s%s%s%s%s}",
      (long long)s->threads, (long long)s->blocks, (long long)sn_gpu_row_occupancy(s), (long long)s->vector, unroll,
      s->flat     ? "shape = \"flat\""
      : s->turned ? "shape = \"turned\""
      : s->tile
          ? s->registers ? "shape = \"tile\", residency = \"registers\"" : "shape = \"tile\", residency = \"reread\""
      : s->registers ? "residency = \"registers\""
      : s->shared    ? "residency = \"shared\""
                     : "residency = \"reread\"",
      remake, next, cluster, team, rows, maximum, most, tile, multiple, least, deal);
  return sn_schedule_attr(loc, "gpu_rows", shorter.ptr ? with(params, "shorter", shorter) : params);
}

MlirAttribute sn_gpu_row_beside(MlirLocation loc, MlirAttribute schedule, const char *key, MlirAttribute other) {
  return sn_schedule_attr(loc, "gpu_rows", with(sn_schedule_params(schedule), key, other));
}

MlirAttribute sn_gpu_row_attribute_alone(const SnGpuRowFacts *facts, const SnGpuRowSchedule *s) {
  return attribute_with(facts, s, (MlirAttribute){0});
}

// ---- rows of any length --------------------------------------------------------------------------

// How rows run that turn out to have no more columns than so many threads hold: those of a warp, or of a block or
// cluster. Each line is a kernel of its own, and less than half of its places stay empty beyond the first. `all`: only
// where all threads of a multiprocessor have registers for as many elements.
//
// A multiprocessor is shared by two blocks or more, of other rows: one of 512 threads waits for its own row alone. (An
// H200, us of rows of 6800 and 7232 by one block of 512, and by clusters of 2 of 256: cross entropy's value 318 and
// 276, its gradient 958 and 474, a layer norm 520 and 330; softmax of 3413 by a block of 256 with 20 elements a thread,
// and by clusters of 2 with 8: 321 and 282.) A block of 512 is for chips without clusters. `even`: of rows that have
// vectors, which so few threads read in one.
//
// `added`: of rows that are read once and added up alone, whose blocks had better be few, and go from row to row. (An
// H200, cross entropy of 40000 rows of 1000 f32: by a block of 64 threads for each row 0.0477 ms, by a warp 0.0422.)
//
// `odd`: of rows that have none: places that stay empty cost as many instructions as others. (An H200, us with and
// without these: a log_softmax of f32 with its gradient, 35.8 million elements in rows of 190: 227 and 277, of 601: 206
// and 508, of 999: 181 and 344; of 44.5 million f16 in rows of 201: 168 and 230, of 601: 131 and 319, of 999: 124 and
// 210.)
static const struct {
  int64_t team, threads, cluster, each;
  bool all, even, odd, added;
} lengths[] = {{2, 128, 1, 8, .even = true},
               {4, 128, 1, 4, .odd = true},
               {4, 128, 1, 8, .even = true},
               {16, 128, 1, 4, .odd = true},
               {8, 128, 1, 8, .even = true},
               {16, 128, 1, 8, .even = true},
               {32, 128, 1, 4},
               {32, 128, 1, 8, .odd = true},
               {32, 128, 1, 16},
               {32, 128, 1, 32, .even = true, .added = true},
               {1024, 64, 1, 10, .odd = true},
               {1024, 128, 1, 8, .odd = true},
               {1024, 256, 1, 8},
               {1024, 256, 2, 8, true},
               {1024, 256, 1, 20},
               {1024, 256, 2, 20},
               {1024, 512, 1, 20},
               {1024, 256, 4, 20},
               {1024, 256, 8, 20}};

// Elements that so many registers hold, in whole vectors: each has an address of its own in every tensor, which is held
// as well.
static int64_t elements_kept(const SnGpuRowFacts *a, int64_t registers) {
  const SnForm *f = a->form;
  int64_t held = a->live * a->vector + (a->vector == 1);
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k)
    held += sn_uses_cols(f, k < f->inputs.size ? f->inputs.data[k].map : f->outputs.data[k - f->inputs.size].map);
  int64_t kept = registers * a->vector / held / a->vector;
  return a->vector * (kept < 1 ? 1 : kept > MOST_VECTORS ? MOST_VECTORS : kept);
}

// A line of them, if its rows are longer than `below`.
static bool of_length(const SnGpuRowFacts *a, size_t i, int64_t below, SnGpuRowSchedule *s) {
  int64_t few = a->vector > SN_GPU_ROW_FEW_EACH ? a->vector : SN_GPU_ROW_FEW_EACH;
  int64_t kept = elements_kept(a, SN_GPU_ROW_HELD), wide = elements_kept(a, SN_GPU_ROW_HELD_BY_HALF),
          each = (lengths[i].each + a->vector / 2) / a->vector * a->vector;
  *s = (SnGpuRowSchedule){.threads = lengths[i].threads,
                          .vector = a->vector,
                          .unroll = 1,
                          .cluster = lengths[i].cluster,
                          .team = lengths[i].team,
                          .at_once = kept < each                       ? SN_GPU_ROW_THREADS / 2
                                     : each <= few && kept >= 2 * each ? SN_GPU_ROW_THREADS * 3 / 2
                                                                       : SN_GPU_ROW_THREADS,
                          .registers = true};
  if (kept < each)
    each = wide < each ? wide : each;
  s->most = (s->team < s->threads ? s->team : s->threads) * s->cluster * each;
  if (s->cluster > a->gpu->largest_cluster || s->most <= below || (lengths[i].all && kept < lengths[i].each) ||
      (a->vector == 1 ? lengths[i].even : lengths[i].odd) || (lengths[i].added && (a->again || !a->sums)))
    return false;
  s->blocks = sn_gpu_row_blocks(a, s, s->team < s->threads ? s->threads / s->team : 1);
  return true;
}

// Rows of more columns than a warp's, which have vectors: as those of a known length, a block of as few threads as
// registers hold a row, where rows are many (`many`), and of 256 where they are few; then clusters.
#define FIRST_OF_BLOCK 1024 // columns
#define THREADS_OF_ROW 256  // of a block, or of each of a cluster
#define FEW_OF_CLUSTER 20    // elements of a thread

static SnGpuRowSchedule of_block(const SnGpuRowFacts *a, int64_t threads, int64_t cluster, int64_t each,
                                 int64_t at_once) {
  SnGpuRowSchedule s = {.threads = threads,
                        .vector = a->vector,
                        .unroll = 1,
                        .cluster = cluster,
                        .team = 1024,
                        .at_once = at_once,
                        .registers = true};
  s.most = threads * cluster * (each < a->vector ? a->vector : each / a->vector * a->vector);
  s.blocks = sn_gpu_row_blocks(a, &s, 1);
  return s;
}

// Elements that so many registers of a thread hold. Where each vector may be behind the row's end its place is held as
// well; and where blocks go from row to row, or elements are computed anew, there are registers for half as many.
static int64_t elements_of_block(const SnGpuRowFacts *a, int64_t registers) {
  int64_t kept = a->vector * sn_gpu_row_kept(a, registers), most = a->sums || a->remake ? registers / 2 : registers;
  return kept < most ? kept : most;
}

static MlirAttribute of_blocks(const SnGpuRowFacts *a, MlirAttribute shorter) {
  MlirLocation loc = mlirOperationGetLocation(a->form->op);
  int64_t kept = elements_of_block(a, SN_GPU_ROW_HELD), most = FIRST_OF_BLOCK;
  for (; most <= THREADS_OF_ROW * kept; most *= 2) {
    int64_t fewest = sn_pieces(most, kept), threads = most > FIRST_OF_BLOCK ? THREADS_OF_ROW : LEAST_OF_BLOCK;
    fewest = fewest < LEAST_OF_BLOCK ? LEAST_OF_BLOCK : fewest;
    threads = threads < fewest ? fewest : threads;
    SnGpuRowSchedule few = of_block(a, threads, 1, most / threads, 0), many = of_block(a, fewest, 1, most / fewest, 0);
    shorter = attribute_with(a, &few, shorter);
    if (fewest == threads)
      continue;
    many.least = sn_gpu_row_fill(a, fewest);
    shorter = sn_gpu_row_beside(loc, shorter, "many", attribute_with(a, &many, (MlirAttribute){0}));
  }
  // Clusters hold as many each; where that is few, and for the longest, half the threads twice as many.
  int64_t more = elements_of_block(a, 2 * SN_GPU_ROW_HELD), largest = a->gpu->largest_cluster,
          threads = largest > 1 ? THREADS_OF_ROW : 2 * THREADS_OF_ROW;
  for (int64_t cluster = 1; cluster <= largest; cluster *= 2)
    for (int half = 0; half < 2; ++half) {
      SnGpuRowSchedule s = of_block(a, threads, cluster, half ? more : kept,
                                    half ? SN_GPU_ROW_THREADS / 2 : SN_GPU_ROW_THREADS);
      bool is = half == (kept < FEW_OF_CLUSTER) || (half && cluster == largest);
      if (is && s.most >= most) {
        shorter = attribute_with(a, &s, shorter);
        most = s.most + 1;
      }
    }
  return shorter;
}

// Rows that are read once, for a maximum and the exponentials under it, and wait for nothing but what their row is
// added to: as long as threads have them at once there is no loop, so that what else the row reads, as its label, is
// under way with it, and not in front of it or behind. The longest of them in *most.
#define AT_ONCE 4 // vectors of a thread
static MlirAttribute held_once(const SnGpuRowFacts *a, const SnGpuRowSchedule *longest, int64_t *most) {
  SnRowJoints joints = {0};
  MlirAttribute shorter = {0};
  SnGpuRowSchedule s;
  SnRowProgram p = sn_row_program(a->form, sn_values(0, NULL));
  sn_row_join_exponentials(&joints, &p);
  sn_row_program_free(&p);
  if (!joints.n || (a->vector == 1 && a->sums))
    return shorter;
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths && lengths[i].team <= 32; ++i)
    if (of_length(a, i, *most, &s)) {
      *most = s.most;
      shorter = attribute_with(a, &s, shorter);
    }
  for (int64_t threads = LEAST_OF_BLOCK; threads <= longest->threads; threads *= 2) {
    s = of_block(a, threads, 1, AT_ONCE * a->vector, 0);
    if (s.most <= *most)
      continue;
    *most = s.most;
    shorter = attribute_with(a, &s, shorter);
  }
  return shorter;
}

// Rows that are read once: the shortest by part of a warp, short ones by a warp each, others by a block, the longest
// by clusters. Where elements cost more than to be read, a thread has one vector at a time: those behind the end of a
// short row would be made as well, and dropped, and several of a long one are more than its registers hold (tanh of
// four f16 operands: 400 bytes spilled). (An H200, sums of 2,980,297 rows of 64 bf16 by a warp each: 0.63 ms,
// 16 % of a copy; instructions, not memory, take that long.)
#define SHORT_PART 128 // columns
#define COSTLY 4 // elements without vectors that cost more, of a thread at once,
#define LESS_COSTLY 2 // or half as many, where more than so many operations cost more

// Vectors of a thread at once, of rows that are read once.
static int64_t most_once(const SnGpuRowFacts *a, int64_t wanted) {
  int64_t cost = sn_gpu_row_expensive(a->form), most = wanted;
  if (cost && !sn_gpu_row_meets(a))
    most = a->vector > 1 ? 1 : cost > LESS_COSTLY ? COSTLY / 2 : COSTLY;
  return wanted < most ? wanted : most;
}

// A thread has 64 bytes of such a row, and twice as much where elements have 64 bits, or of a long one four times, in
// turns: what a row costs beside its elements, to shuffle and to store, is each warp's, which has more rows then. (An
// H200, a variance of 90240x152 f32 `?`, us by 32 threads for a row 38.1, by 8 with eight vectors at once 22.2, by 4
// with four in each turn 18.0; of 192 columns 18.7 by 8, and 16.7, of 256 16.6 and 16.4.)
static int64_t fewest_of_part(const SnGpuRowFacts *a, int64_t team, int64_t most) {
  int64_t each = (!sn_gpu_row_is_wide(a->form) ? 4 : most <= SHORT_PART ? 8 : 16) * a->lanes;
  while (a->vector == a->lanes && a->vector > 1 && sn_gpu_row_meets(a) && team > 1 && most <= team / 2 * each)
    team /= 2;
  return team;
}

static SnGpuRowSchedule part_once(const SnGpuRowFacts *a, int64_t team, int64_t most) {
  team = fewest_of_part(a, team, most);
  int64_t vectors = sn_pieces(most, team * a->vector);
  SnGpuRowSchedule s = {.threads = 128,
                        .vector = a->vector,
                        .unroll = most_once(a, vectors > 2 * AT_ONCE ? AT_ONCE : vectors),
                        .cluster = 1,
                        .team = team,
                        .most = most};
  if (a->vector > 1 && s.unroll == 1 && !sn_gpu_row_is_wide(a->form)) // a thread has one load: there are more threads
    s.at_once = SN_GPU_ROW_THREADS * 3 / 2;
  s.blocks = sn_gpu_row_blocks(a, &s, s.threads / team);
  return s;
}

// Those of parts of a warp, longer than *most: as many threads as leave less than half of their places behind a row's
// end, but of the shortest. Where a vector is an element and rows are few, a warp has each: nothing else hides what a
// thread does, one behind the other.
static const struct {
  int64_t team, most;
  bool even, odd, halves;
} parts[] = {{2, 16, .even = true},
             {4, 16, .odd = true},
             {4, 32, .even = true},
             {8, 64},
             {16, 128, .even = true},
             {32, 256, .even = true},
             {32, 512, .even = true, .halves = true}};

static MlirAttribute parts_once(const SnGpuRowFacts *a, int64_t *most, MlirAttribute shorter) {
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    SnGpuRowSchedule s = part_once(a, parts[i].team, parts[i].most);
    if (s.most <= *most || (a->vector == 1 ? parts[i].even : parts[i].odd) || (parts[i].halves && a->lanes < 8))
      continue;
    *most = s.most;
    if (a->vector > 1 || a->rows != SN_DYNAMIC || a->sums || s.most <= 32) {
      shorter = attribute_with(a, &s, shorter);
      continue;
    }
    SnGpuRowSchedule few = part_once(a, 32, s.most);
    s.least = sn_gpu_row_fill(a, 2 * s.team);
    shorter = sn_gpu_row_beside(mlirOperationGetLocation(a->form->op), attribute_with(a, &few, shorter), "many",
                                attribute_with(a, &s, (MlirAttribute){0}));
  }
  return shorter;
}

static MlirAttribute read_once(const SnGpuRowFacts *a, const SnGpuRowSchedule *longest) {
  SnGpuRowSchedule s = {.threads = 128, .vector = a->vector, .cluster = 1, .team = 32, .most = SHORT_ROW},
                   all = *longest, block;
  s.unroll = most_once(a, 4);
  all.unroll = most_once(a, all.unroll);
  longest = &all;
  block = all;
  s.blocks = sn_gpu_row_blocks(a, &s, s.threads / s.team);
  int64_t most = 0;
  MlirAttribute shorter = held_once(a, longest, &most);
  shorter = parts_once(a, &most, shorter);
  if (s.most > most)
    shorter = attribute_with(a, &s, shorter);
  most = most < SHORT_ROW ? SHORT_ROW : most;
  for (int64_t threads = LEAST_OF_BLOCK; a->vector > 1 && threads < longest->threads; threads *= 2) {
    SnGpuRowSchedule turn = *longest; // all of a row is under way at once
    turn.threads = threads;
    turn.cluster = 1;
    turn.most = threads * turn.unroll * a->vector;
    turn.blocks = sn_gpu_row_blocks(a, &turn, 1);
    if (turn.most > most)
      shorter = attribute_with(a, &turn, shorter);
  }
  if (longest->cluster > 1) {
    block.cluster = 1;
    block.most = block.threads * block.unroll * SN_GPU_ROW_LONG_ROW * a->vector;
    block.blocks = sn_gpu_row_blocks(a, &block, 1);
    shorter = attribute_with(a, &block, shorter);
  }
  return attribute_with(a, longest, shorter);
}

// Neighbouring rows of a block: those that registers hold, else those that few warps share. Two blocks share a
// multiprocessor as long as they can, though a thread spills some of ten elements (`over`: registers hold so many of
// them); then one of 512 threads, which have all registers. (An H200, a log_softmax over the first dimension of bf16
// 147x128x9x320 `?`, with a mask: a block of 1024 threads with 8 elements each 0.237 ms, of 512 with 16 0.216, two of
// 512 with 10 0.180.)
static const struct {
  int64_t threads, each, over, at_once;
} tiles[] = {{128, 8}, {512, 8}, {512, 10, .over = 8}, {512, 16, .at_once = 512}, {1024, 16}, {1024, 24}};

static MlirAttribute any_tile(const SnGpuRowFacts *a, const SnGpuRowSchedule *s) {
  MlirAttribute shorter = {0};
  SnGpuRowSchedule few = *s;
  int64_t below = 0;
  for (size_t i = 0; a->again && i < sizeof tiles / sizeof *tiles; ++i) {
    SnGpuRowSchedule held = {.threads = tiles[i].threads,
                             .team = tiles[i].threads, // not said
                             .vector = 1,
                             .unroll = 1,
                             .cluster = 1,
                             .at_once = tiles[i].at_once,
                             .registers = true,
                             .tile = true};
    int64_t kept = elements_kept(a, tiles[i].at_once ? SN_GPU_ROW_HELD_BY_HALF : SN_GPU_ROW_HELD);
    kept = tiles[i].over && kept >= tiles[i].over && kept < tiles[i].each ? tiles[i].each : kept;
    held.most = held.threads / 32 * (tiles[i].each < kept ? tiles[i].each : kept);
    if (held.most <= below)
      continue;
    held.blocks = sn_gpu_row_blocks(a, &held, 32);
    below = held.most;
    shorter = attribute_with(a, &held, shorter);
  }
  if (!a->again && sn_gpu_row_warps(a, &few, SHORT_TILE)) {
    SnGpuRowSchedule alone = {.threads = 256, .vector = 1, .unroll = 8, .cluster = 1, .team = 1, .most = ALONE};
    alone.blocks = sn_gpu_row_blocks(a, &alone, alone.threads);
    few.most = 4 * SHORT_TILE;
    shorter = attribute_with(a, &few, attribute_with(a, &alone, shorter));
  }
  return attribute_with(a, s, shorter);
}

// Elements that are all alike, and are added up, of a number that is `?`: a block by itself where they are few, which
// meets no others.
static MlirAttribute flat_sums(const SnGpuRowFacts *a, const SnGpuRowSchedule *s) {
  SnGpuRowSchedule few = *s;
  few.threads = SN_GPU_ROW_THREADS;
  few.at_once = 0;
  few.blocks = 1;
  few.unroll = 1;
  few.most = SN_GPU_ONE_BLOCK * s->vector;
  return attribute_with(a, s, attribute_with(a, &few, (MlirAttribute){0}));
}

// Rows whose length is `?` and that are read as a whole: the longest by `s`, which takes any.
MlirAttribute sn_gpu_row_attribute(const SnGpuRowFacts *a, const SnGpuRowSchedule *s) {
  MlirAttribute shorter = {0};
  int64_t below = 0;
  if (s->flat && (a->length == SN_DYNAMIC || a->rows == SN_DYNAMIC) && a->sums && !sn_in_sequence(a->form->op))
    return flat_sums(a, s);
  if (a->length != SN_DYNAMIC || !a->form->num_cols || a->columns || s->flat || s->turned || s->team == 1)
    return sn_gpu_row_attribute_alone(a, s);
  if (s->tile)
    return any_tile(a, s);
  if (!a->again)
    return read_once(a, s);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
    SnGpuRowSchedule shorter_one;
    if ((a->vector > 1 && lengths[i].team > 32) || !of_length(a, i, below, &shorter_one))
      continue;
    below = shorter_one.most;
    shorter = attribute_with(a, &shorter_one, shorter);
  }
  return attribute_with(a, s, a->vector > 1 ? of_blocks(a, shorter) : shorter);
}
