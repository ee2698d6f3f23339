// gpu_families.c: a rowwise form on a GPU.
//
//   #sinter.gpu_rows<threads = 512, blocks = 264, occupancy = 2, vector = 4, unroll = 4, shape = "flat">
//   #sinter.gpu_rows<threads = 512, blocks = 240, occupancy = 2, vector = 4, residency = "registers", cluster = 8>
//   #sinter.gpu_rows<threads = 256, blocks = 4096, occupancy = 4, vector = 4, residency = "registers", team = 8>
//
// `families` has the ways to run a form, the first that fits is taken. What decides (facts: schedule/gpu_facts.c):
//
// * A thread loads `vector` consecutive columns at once, 16 bytes of the widest row in memory, and `unroll` such
//   vectors before it uses the first. 1024 threads on a multiprocessor have 64 registers each, and with 4 vectors of
//   16 bytes 64 KB under way, more than the latency of memory needs.
// * A row whose output waits for a reduction stays in registers, of a part of a warp, a block, or a cluster of up to 8
// blocks: what of an
//   element is taken from phase to phase, and sums of columns that go from row to row, take 32 of a thread's 64
//   registers, or with half the threads on a multiprocessor 96 of 128. Several blocks on a multiprocessor, at different
//   rows, fill each other's waits.
// * The grid is what runs at once where rows are only read, or sums of columns go from row to row in registers. Other
// rows get
//   a block each: they end when they end. It is fixed here, because the order of a reduction over rows depends on it.
// * Where sums of columns go from row to row, the next row is on its way into shared memory meanwhile (`ahead`).
// * Rows longer than a cluster holds are shared by many blocks (schedule/gpu_grid.c), or, where sums of columns go from
// row to row, read
//   again; all the rows at work should fit in half of L2 (50 to 60 MB) then, for what is written passes through it too:
//   blocks are fewer and larger.
//
// Measured on an H200, f32, percent of a copy (bench/results/gpu_rowwise_h200.md, gpu_rows_h200.md): rows of 65536
// (softmax) in registers 97 and read again 65; with an element's live values not counted, triplet's gradients 43, else
// 96; layer norm's gradients (sums of columns) with 1024 threads on a multiprocessor 47, with 512 72. Cross entropy's
// gradient: blocks of 256 threads for each row, four on a multiprocessor, bf16 8192x128256 100 and f32 4096x32000 96;
// blocks that stay and go from row to row 90 and 89; of 512 threads 97 and 94 with 1536 on a multiprocessor.
//
// new family of rows: its line of `families`, and when it fits.

#include "passes/schedule/gpu_families.h"
#include "dialect/row_ops.h"
#include "dialect/sequence.h"
#include "lowering/rows/rowmemory.h"
#include "passes/schedule/schedule.h"
#include <stdio.h>

#define SHARED_THREADS 512 // of a block of a sequence: more leave each too few registers
#define SHARED_UNROLL 8    // vectors that a thread of a sequence has under way
#define SUM_BLOCKS 7       // of a multiprocessor, that leave sums over rows
#define SHARED_WORDS 64    // of vectors that a thread of a sequence has at once
#define MOST_WORDS 96      // the same of a form by itself, where a row is read again or once
#define MANY_REDUCES 6     // of a row program
#define MOST_VECTORS 32    // that the lowering keeps of a row
#define CLUSTER_COST 1.05  // of a row that blocks share, of one that is a block's own
#define LEAST_SHARING 128  // threads of blocks that share a row of which nothing meets
#define FEW_THREADS 128    // of a block, for few elements that are added up,
#define FEW_VECTORS 4      // and vectors of each
#define MOST_OF_TURN 8     // vectors of a thread
#define ALL_AT_ONCE 16     // elements of a thread of a block that has a row of which nothing meets
#define FEW_TURNS 2        // of all threads, of a sum that half of the blocks had better leave
#define LEAST_TURN 4       // vectors of a thread, of a row that is read by more threads than 256

// Bytes of rows at work that stay in L2, beside what is written.
int64_t sn_gpu_row_l2(const SnGpuRowFacts *a) { return a->gpu->l2_bytes / 25 * 16; }

// Clusters that run at once: their blocks share a GPC, and some of its multiprocessors
// stay idle if their number is no multiple (cuOccupancyMaxActiveClusters, H200).
static int64_t clusters_at_once(const SnGpuChip *gpu, int64_t size, int64_t occupancy) {
  static const int64_t of_4[] = {0, 30, 62, 92, 124}, of_8[] = {0, 15, 30, 45, 62};
  if (size <= 2 || gpu->number != 90)
    return occupancy * (gpu->multiprocessors / size);
  return occupancy > 4 ? occupancy * (size == 4 ? 31 : 15) : size == 4 ? of_4[occupancy] : of_8[occupancy];
}

// Rows of halves that are added up in f64, by way of f32, take registers beside those that hold them (bf16 layer norm
// of 4096 columns by 64 threads: 684 bytes of each were spilled, and it took 4.3 of the time on an H200).
static bool sums_in_f64(const SnForm *f) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is_reduce(op, "add") && sn_bits(sn_type_of(sn_result(op, 0))) > 32)
      return true;
  return false;
}

// Vectors that a thread may keep in so many registers. Sums of columns take as many each.
int64_t sn_gpu_row_kept(const SnGpuRowFacts *a, int64_t registers) {
  bool packed = a->packed && a->vector > 1, halves = a->halves && a->vector > 1 && !a->columns;
  int64_t kept = packed   ? registers * (sums_in_f64(a->form) ? 1 : 2) / a->vector / a->packed
                 : halves ? registers * 4 / 3 / a->vector / a->halves // some are widened before the last is loaded
                          : registers / a->vector / (a->live + (int64_t)a->columns);
  return kept < 1 ? 1 : kept > MOST_VECTORS ? MOST_VECTORS : kept;
}

int64_t sn_gpu_row_fill(const SnGpuRowFacts *a, int64_t threads) {
  return sn_pieces(a->gpu->multiprocessors * SN_GPU_ROW_THREADS, threads);
}

int64_t sn_gpu_row_occupancy(const SnGpuRowSchedule *s) {
  int64_t blocks = (s->at_once ? s->at_once : SN_GPU_ROW_THREADS) / s->threads;
  return blocks < 1 ? 1 : blocks > 32 ? 32 : blocks;
}

// Rows get blocks of their own, but where sums of columns are kept from row to row. They end when they end, and several
// are at different phases: an H200, cross entropy's gradient bf16 8192x128256: 90 % of a copy by blocks that stay, 93
// by blocks of a row each. But short rows of which a block has several, and that are added up, go on in blocks that
// stay: to meet takes a block longer than a row (cross entropy of 140,911 rows of 128 f32 0.0551 ms by 17,614 blocks,
// 0.0258 by 1584).
int64_t sn_gpu_row_blocks(const SnGpuRowFacts *a, const SnGpuRowSchedule *s, int64_t rows_at_once) {
  int64_t at_once = s->cluster * clusters_at_once(a->gpu, s->cluster, sn_gpu_row_occupancy(s));
  bool stay = a->columns || (a->sums && s->team < s->threads);
  bool alone = !stay && a->rows != SN_DYNAMIC &&
               sn_pieces(a->rows, rows_at_once) <= SN_GPU_ROW_MOST_BLOCKS / s->cluster;
  int64_t blocks = alone ? s->cluster * sn_pieces(a->rows, rows_at_once) : at_once;
  if (stay && a->rows != SN_DYNAMIC && s->cluster * sn_pieces(a->rows, rows_at_once) < blocks)
    blocks = s->cluster * sn_pieces(a->rows, rows_at_once); // what blocks leave that had no row would be added up, too
  return blocks < 1 ? 1 : blocks;
}

// ---- the families -----------------------------------------------------------------

// Something of a row is of more than one element.
bool sn_gpu_row_meets(const SnGpuRowFacts *a) { return sn_gpu_row_threads_meet(a->form); }

// Exponentials, logarithms, divisions of each element: their registers are not there for more vectors.
int64_t sn_gpu_row_expensive(const SnForm *f) {
  int64_t n = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    n += sn_num_results(op) && sn_is_row(sn_result(op, 0)) && sn_row_op_cost(op) >= SN_COST_DIVISION;
  return n;
}

// Reads and writes together are faster with few bytes under way, reads alone with many. An H200, f32, percent of a
// copy: bce_with_logits with its gradient 97 with unroll = 4, 100 with 1 (hinge_embedding and kl_div the same, mse 97
// with both); where a thread only reads, and waits for exponentials or logarithms, twice the threads with 32 registers:
// gaussian_nll 103 and 108, bce 89 and 101.
static bool flat(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  if (sn_gpu_not_flat(a->form))
    return false;
  int64_t all = a->rows == SN_DYNAMIC || a->length == SN_DYNAMIC ? INT64_MAX : sn_times(a->rows, a->length);
  *s = (SnGpuRowSchedule){.threads = 512, .vector = a->lanes, .unroll = 4, .cluster = 1, .team = 1024, .flat = true};
  int64_t cost = sn_gpu_row_expensive(a->form);
  bool stores = a->form->outputs.size > sn_num_reduced(a->form);
  if (all == INT64_MAX && (stores || !a->sums)) // blocks are as many as have work, which are few if they are large
    s->threads = 128;
  if (stores || cost > 3)
    s->unroll = 1;
  if (cost && cost <= 3 && !stores)
    *s = (SnGpuRowSchedule){.threads = 1024,
                            .at_once = 2 * SN_GPU_ROW_THREADS,
                            .vector = a->lanes,
                            .unroll = 1,
                            .cluster = 1,
                            .team = 1024,
                            .flat = true};
  if (a->sums && all <= SN_GPU_ONE_BLOCK * s->vector) { // nothing meets in memory
    *s = (SnGpuRowSchedule){
        .threads = SN_GPU_ROW_THREADS, .blocks = 1, .vector = s->vector, .cluster = 1, .team = 1024, .flat = true};
    s->unroll = !stores && all > SN_GPU_ROW_THREADS * s->vector ? 2 : 1;
    // Few: all that a warp has is under way at once, and few warps meet. (An H200, a huber loss of bf16 131x18 by 1024
    // threads 2.30 us, by 128 with four vectors each 2.15.)
    if (!stores && all <= FEW_THREADS * FEW_VECTORS * s->vector) {
      s->threads = FEW_THREADS;
      s->unroll = FEW_VECTORS;
    }
    return true;
  }
  while (s->threads > 128 && all / (s->threads * s->vector) < a->gpu->multiprocessors)
    s->threads /= 2;
  // Of sums a block on each multiprocessor is enough, with as many vectors under way as it has: the fewer meet. (An
  // H200, a sum of 1,246,016 bf16: by 264 blocks of two vectors of each thread 0.0043 ms, by 132 of four 0.0035; of
  // 680,472 f32 `?`, by blocks of 128 threads 0.0064, of 512 0.0043.)
  int64_t least = a->sums && !stores ? a->gpu->multiprocessors / 2
                                     : a->gpu->multiprocessors * (SN_GPU_ROW_THREADS / s->threads);
  while (s->unroll > 1 && all / (s->threads * s->vector * s->unroll) < least)
    s->unroll /= 2;
  s->blocks = sn_gpu_row_occupancy(s) * a->gpu->multiprocessors;
  if (a->sums && !stores && all <= s->blocks * s->threads * s->vector * s->unroll * FEW_TURNS)
    s->blocks = a->gpu->multiprocessors;
  return true;
}

// A block or a cluster of at most these sizes has a row, in so many registers of a thread, with so many threads on a
// multiprocessor.
static bool held(const SnGpuRowFacts *a, SnGpuRowSchedule *s, int64_t registers, int64_t at_once, int64_t most_threads,
                 int64_t most_cluster) {
  int64_t vectors = sn_gpu_row_vectors(a), kept = sn_gpu_row_kept(a, registers),
          rows = a->rows == SN_DYNAMIC ? a->least : a->rows < 1 ? 1 : a->rows;
  *s = (SnGpuRowSchedule){.threads = 32,
                          .vector = a->vector,
                          .unroll = 1,
                          .cluster = 1,
                          .team = 1024,
                          .at_once = at_once,
                          .registers = true};
  while (s->threads < most_threads && s->threads * kept < vectors)
    s->threads *= 2;
  most_cluster = most_cluster < a->gpu->largest_cluster ? most_cluster : a->gpu->largest_cluster;
  while (s->cluster <= most_cluster && s->threads * s->cluster * kept < vectors)
    s->cluster *= 2;
  if (s->cluster > most_cluster)
    return false;
  // A row does not wait alone: few rows get more threads.
  while (s->threads < most_threads && s->threads < vectors &&
         sn_times(rows, s->threads) < a->gpu->multiprocessors * SN_GPU_ROW_THREADS)
    s->threads *= 2;
  s->blocks = sn_gpu_row_blocks(a, s, 1);
  return true;
}

// Rows that a warp holds, whose columns are summed over all rows, of which each warp has one at least: those of a block
// meet in shared memory, so that fewer sums of columns meet in memory. (An H200, the gradient of a layer norm of 5840
// rows of 246 f32, ms: by 2112 blocks of a warp 0.048, by 1056 of 64 threads for a row 0.031, by 528 of 128 0.022, by
// 528 of four warps 0.0155. Of 366 bf16 and a number of rows `?`, by a block each and by a warp: 33,279 of them 0.200
// and 0.064, 1000 0.0134 and 0.0164.)
static bool by_warps_of_block(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  *s = (SnGpuRowSchedule){.threads = 128,
                          .vector = a->vector,
                          .unroll = 1,
                          .cluster = 1,
                          .team = 32,
                          .at_once = SN_GPU_ROW_THREADS / 2,
                          .registers = true};
  int64_t warps = a->gpu->multiprocessors * s->at_once / s->team;
  if ((a->rows == SN_DYNAMIC ? a->least : a->rows) < warps || a->length % a->vector ||
      s->team * sn_gpu_row_kept(a, SN_GPU_ROW_HELD_BY_HALF) < a->length / a->vector ||
      sn_times(s->threads / s->team * a->column_bytes, a->length) > SN_GPU_ROW_TEAM_SHARED)
    return false;
  s->blocks = sn_gpu_row_blocks(a, s, s->threads / s->team);
  return true;
}

// Rows for which all blocks are better than a cluster each (an H200, softmax of a row of 300,000: 0.0058 ms, 0.0078 by
// a cluster; of 4 rows 0.0074 and 0.0078, of 8 0.0091 and 0.0082; of a row of 128,256 0.0054 and 0.0043).
static bool few_long(const SnGpuRowFacts *a) {
  return a->rows != SN_DYNAMIC && a->rows <= 4 && a->row_bytes >= 1 << 20;
}

// Half the threads hold half as much again. Where that, and sizes that are powers of two, make the clusters so much
// smaller that twice the rows are at work, what they exchange is hidden by others.
static void twice_the_rows(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  SnGpuRowSchedule few;
  if (s->cluster > 1 && held(a, &few, SN_GPU_ROW_HELD_BY_HALF, SN_GPU_ROW_THREADS / 2, 256, 8) &&
      clusters_at_once(a->gpu, few.cluster, sn_gpu_row_occupancy(&few)) >=
          2 * clusters_at_once(a->gpu, s->cluster, sn_gpu_row_occupancy(s)) &&
      (a->rows == SN_DYNAMIC || a->rows > clusters_at_once(a->gpu, s->cluster, sn_gpu_row_occupancy(s))))
    *s = few;
}

// Elements of a thread, where a row's sums of columns are in its registers, take five or more each: half a vector less
// may be 20 registers. (The gradient of a layer norm of 43,648 bf16, whose 5456 vectors 4096 threads have: two each are
// 16 elements, and ptxas spills 300 bytes; three of half the size are 12, and 84.)
static void narrower(const SnGpuRowFacts *a, SnGpuRowSchedule *s, int64_t most_threads) {
  SnGpuRowFacts half = *a;
  SnGpuRowSchedule other;
  half.vector /= 2;
  int64_t team = s->threads * s->cluster;
  if (a->vector * 2 > a->lanes && half.vector > 1 &&
      held(&half, &other, SN_GPU_ROW_HELD_BY_HALF, SN_GPU_ROW_THREADS / 2, most_threads, 8) &&
      other.threads * other.cluster == team &&
      sn_pieces(sn_gpu_row_vectors(&half), team) * half.vector < sn_pieces(sn_gpu_row_vectors(a), team) * a->vector)
    *s = other;
}

// Four blocks on a multiprocessor are better than two; sums of columns, and a row that takes a cluster of 8 all of its
// 64 registers, are better off with 128. So are many reductions: what a thread does to hand them on is shared by more
// elements (an H200, distillation's gradient: 71 % of a copy with 64 registers, 76 with 128).
static bool grid(const SnGpuRowFacts *a, SnGpuRowSchedule *s);
static bool registers(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  SnGpuRowFacts peeled = *a;
  bool peels = false;
  if (a->vector < a->lanes && !a->columns && a->length >= 32 * a->lanes && sn_row_is_placed(a->form)) {
    peeled.vector = a->lanes; // where memory is aligned, wherever rows begin
    a = &peeled;
    peels = true;
  }
  SnGpuRowSchedule many;
  if (a->length == SN_DYNAMIC || a->length < 1 || (few_long(a) && grid(a, &many)))
    return false;
  // What is read once, too, where it has vectors here and none else, and a block is enough for a row, or nothing meets,
  // so that blocks that share a row wait for nothing. (An H200, two f32 of 912x21797 and a number of each row, by
  // elements 77.3 us, by blocks of 8 vectors a thread 58.4; bf16 41.7 and 31.4.)
  if (!a->again && !a->columns)
    return peels && !a->sums && held(a, s, SN_GPU_ROW_HELD, SN_GPU_ROW_THREADS, 256, sn_gpu_row_meets(a) ? 1 : 8);
  if (a->columns && by_warps_of_block(a, s))
    return true;
  for (int64_t threads = 256; a->columns && threads <= 512; threads *= 2)
    if (held(a, s, SN_GPU_ROW_HELD_BY_HALF, SN_GPU_ROW_THREADS / 2, threads, 8)) {
      narrower(a, s, threads);
      return true;
    }
  if (!a->columns && sn_row_op_count(a->form->body, SN_READS_ALL) >= MANY_REDUCES &&
      held(a, s, SN_GPU_ROW_HELD_BY_HALF, SN_GPU_ROW_THREADS / 2, 128, 8))
    return true;
  if (!a->columns && held(a, s, SN_GPU_ROW_HELD, SN_GPU_ROW_THREADS, 256, 8)) {
    twice_the_rows(a, s);
    return true;
  }
  if (held(a, s, SN_GPU_ROW_HELD, SN_GPU_ROW_THREADS, 512, 8) && !(s->cluster == 8 && a->live == 1))
    return true;
  // (Of halves shared memory holds as much, and two blocks.)
  return held(a, s, SN_GPU_ROW_HELD_BY_HALF, SN_GPU_ROW_THREADS / 2, 256, 8) ||
         (!a->halves && held(a, s, SN_GPU_ROW_HELD_BY_HALF, SN_GPU_ROW_THREADS / 2, 512, 8));
}

// In shared memory, where an element has too many values for registers: at least two blocks of a cluster of 8 on a
// multiprocessor, or three in smaller ones.
static bool shared(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  SnGpuRows rows = {
      .threads = 256, .team = 256, .vector = a->vector, .cluster = 1, .group = 1, .residency = SN_GPU_SHARED};
  if (a->vector < a->lanes && sn_row_is_placed(a->form))
    rows.vector = a->lanes;
  if (a->gpu->number < 90 || !a->again || a->columns || a->length == SN_DYNAMIC || a->length < 32 * a->lanes)
    return false;
  int64_t piece = sn_gpu_plan_rows(a->form, &rows).fetch.piece_bytes,
          vectors = sn_pieces(a->length + (a->length % rows.vector ? rows.vector - 1 : 0), rows.vector);
  for (int64_t cluster = 1; piece && cluster <= a->gpu->largest_cluster; cluster *= 2) {
    int64_t pieces = sn_pieces(vectors, rows.threads * cluster), most = SN_GPU_ROW_THREADS / rows.threads;
    int64_t blocks = a->gpu->shared_bytes / (sn_times(pieces, piece) + SN_GPU_ROW_OTHER_SHARED);
    if (pieces > MOST_VECTORS || blocks < (cluster < a->gpu->largest_cluster ? 3 : 2))
      continue;
    *s = (SnGpuRowSchedule){.threads = rows.threads,
                            .vector = rows.vector,
                            .unroll = 1,
                            .cluster = cluster,
                            .team = 1024,
                            .at_once = rows.threads * (blocks < most ? blocks : most),
                            .shared = true};
    s->blocks = sn_gpu_row_blocks(a, s, 1);
    return true;
  }
  return false;
}

// All blocks run at once, groups of them share rows.
static bool grid(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  SnGpuRowFacts wide = *a;
  wide.vector = a->lanes;
  *s = (SnGpuRowSchedule){.cluster = 1, .team = 1024};
  SnGpuGridFacts facts = {.form = a->form,
                          .gpu = a->gpu,
                          .rows = a->rows,
                          .length = a->length,
                          .lanes = a->lanes,
                          .vector = a->vector,
                          .row_bytes = a->row_bytes,
                          .kept = a->lanes * sn_gpu_row_kept(&wide, 2 * SN_GPU_ROW_HELD),
                          .again = a->again};
  return !a->columns && !sn_in_sequence(a->form->op) && sn_schedule_gpu_grid(&facts, &s->grid);
}

// Blocks that share a row, so that all rows take the least time in turns of all blocks: an H200, 352 rows of 528 blocks
// take as long as 528. A turn costs what blocks exchange.
static int64_t cluster_of_turns(const SnGpuRowFacts *a, const SnGpuRowSchedule *s, int64_t vectors) {
  int64_t best = 1;
  double least = 0;
  for (int64_t c = 1; c <= a->gpu->largest_cluster; c *= 2) {
    int64_t at_once = clusters_at_once(a->gpu, c, SN_GPU_ROW_THREADS / s->threads);
    if (c > 1 && (!at_once || (s->threads < LEAST_SHARING && !sn_gpu_row_meets(a)) ||
                  s->threads * c * (sn_gpu_row_meets(a) ? s->unroll : 1) * 2 > vectors))
      break;
    double time = (double)sn_pieces(a->rows, at_once) / (double)c * (c > 1 ? CLUSTER_COST : 1);
    if (c == 1 || time < least * 0.98) {
      best = c;
      least = time;
    }
  }
  return best;
}

// Vectors that a thread has before it uses the first take registers, one set for each row that is read. (A window that
// is written out has its loads where ptxas likes them.)
static void unroll_less(const SnGpuRowFacts *a, SnGpuRowSchedule *s, int64_t most) {
  int64_t words = 0;
  if (s->team == 1 && a->form->num_cols && s->unroll == a->length)
    return;
  for (size_t k = 0; k < a->form->inputs.size; ++k)
    if (sn_uses_cols(a->form, a->form->inputs.data[k].map))
      words += sn_pieces(s->vector * sn_bits(sn_element(sn_type_of(a->form->inputs.data[k].value))), 32);
  while (s->unroll > 1 && s->unroll * words > most)
    s->unroll /= 2;
}

// Few rows of which nothing meets: any number of blocks has each, a turn of their threads all of it, and a thread as
// many vectors as leave all of the device's threads with work. (An H200, a gate of f16 32x73472: by a block of 1024
// threads for each row 0.0050 ms, by 5 of 256 with four vectors each 0.0034, by 9 with two 0.0029, by 18 with one
// 0.0027.)
static bool beside(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  enum { THREADS = 256, UNROLL = 4, LEAST_THREADS = 128 };
  if (a->again || sn_gpu_row_meets(a) || a->rows == SN_DYNAMIC || a->length == SN_DYNAMIC ||
      a->rows >= a->gpu->multiprocessors || sn_in_sequence(a->form->op))
    return false;
  int64_t vectors = a->length / a->vector, rows = a->rows < 1 ? 1 : a->rows;
  *s = (SnGpuRowSchedule){.threads = THREADS, .vector = a->vector, .unroll = UNROLL, .cluster = 1, .team = 1024};
  unroll_less(a, s, MOST_WORDS);
  int64_t least = a->gpu->multiprocessors * SN_GPU_ROW_THREADS / rows; // of a row's threads
  while (s->unroll > 1 && vectors / s->unroll < least)
    s->unroll /= 2;
  while (s->threads > LEAST_THREADS && vectors / s->unroll < least)
    s->threads /= 2;
  s->cluster = sn_pieces(vectors, s->threads * s->unroll);
  s->blocks = sn_times(rows, s->cluster);
  return s->cluster > 1 && s->blocks <= SN_GPU_ROW_MOST_BLOCKS;
}

// Long rows whose groups of blocks would wait for each other most of the time: each is read again by a cluster, and
// other clusters read meanwhile.
static bool clusters(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  SnGpuRowSchedule held;
  int64_t vectors = a->length == SN_DYNAMIC ? 0 : a->length / a->vector;
  if (2 * a->vector < a->lanes || !grid(a, &held) || !held.grid.less_again)
    return false;
  *s = (SnGpuRowSchedule){.threads = 256, .vector = a->vector, .unroll = 4, .cluster = 1, .team = 1024};
  s->cluster = cluster_of_turns(a, s, vectors);
  s->blocks = s->cluster * clusters_at_once(a->gpu, s->cluster, SN_GPU_ROW_THREADS / s->threads);
  return true;
}

// The row is read once, by a block, or a few where there are fewer rows than blocks.
static bool stream(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  if (beside(a, s))
    return true;
  if (a->again ||
      (a->rows != SN_DYNAMIC && sn_times(a->rows, 4) < a->gpu->multiprocessors)) // few rows: several blocks for each
    return false;
  int64_t vectors = a->length == SN_DYNAMIC ? INT64_MAX : a->length / a->vector;
  *s = (SnGpuRowSchedule){.threads = 256, .vector = a->vector, .unroll = 4, .cluster = 1, .team = 1024};
  if (sn_gpu_row_by_parts(a, s, vectors))
    return true;
  while (s->threads > 32 && s->threads * 4 > vectors)
    s->threads /= 2;
  if (a->vector == 1)
    s->unroll = 8;
  // Two blocks of 32 threads for each row are slower than one, where rows are many enough (an H200, f32 789x680).
  while (!sn_gpu_row_meets(a) && a->rows != SN_DYNAMIC && s->threads < 256 && s->threads < vectors &&
         sn_times(a->rows, s->threads) < a->gpu->multiprocessors * SN_GPU_ROW_THREADS)
    s->threads *= 2;
  // Where blocks leave most of their multiprocessors empty they are larger, so that a row is there in fewer turns.
  while (sn_gpu_row_meets(a) && !a->columns && a->rows != SN_DYNAMIC && s->threads < SN_GPU_ROW_THREADS &&
         s->threads * 2 * LEAST_TURN <= vectors &&
         sn_times(a->rows, s->threads * 2) <= a->gpu->multiprocessors * SN_GPU_ROW_THREADS)
    s->threads *= 2;
  while (s->unroll > 1 && s->threads * s->unroll > vectors)
    s->unroll /= 2;
  // Rows that do not fill the device are shared by clusters; so are long ones of which there may be few.
  if (a->rows == SN_DYNAMIC && vectors / s->threads / s->unroll >= SN_GPU_ROW_LONG_ROW && !a->columns)
    s->cluster = a->gpu->largest_cluster;
  if (!a->columns && a->rows != SN_DYNAMIC)
    s->cluster = cluster_of_turns(a, s, vectors);
  while (s->cluster > 1 && s->unroll > 1 && s->threads * s->cluster * s->unroll > vectors)
    s->unroll /= 2;
  // No last turn for a few vectors that are left. (An H200, a log-sum-exp of 2312 f32, us by 128 threads with four
  // vectors at once 2.34, with as many as each has 2.05.)
  int64_t turn = sn_pieces(vectors, s->threads * s->cluster);
  if (a->length != SN_DYNAMIC && a->vector > 1 && turn > s->unroll && turn < 2 * s->unroll && turn <= MOST_OF_TURN)
    s->unroll = turn;
  s->blocks = s->cluster * clusters_at_once(a->gpu, s->cluster, SN_GPU_ROW_THREADS / s->threads);
  // Rows without vectors of which nothing meets: a block of a few warps has each, and all of it under way at once. (An
  // H200, the gradient of a pool of bf16 950x17x1273: by 528 blocks that go from row to row 31.1 us, by one for each
  // row 23.9, by a thread for each element 61.5.)
  int64_t each = sn_pieces(vectors, FEW_THREADS);
  if (a->vector == 1 && !sn_gpu_row_meets(a) && s->cluster == 1 && s->threads > FEW_THREADS && each <= ALL_AT_ONCE &&
      a->rows != SN_DYNAMIC && a->rows <= SN_GPU_ROW_MOST_BLOCKS && !sn_in_sequence(a->form->op)) {
    s->threads = FEW_THREADS;
    s->unroll = each;
    s->blocks = a->rows;
  }
  // None waits.
  if (s->cluster > 1 && !sn_gpu_row_meets(a) && a->rows != SN_DYNAMIC && a->rows <= SN_GPU_ROW_MOST_BLOCKS / s->cluster)
    s->blocks = s->cluster * a->rows;
  return true;
}

// The row is read in each phase, from L2 if it is lucky.
static bool reread(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  int64_t vectors = a->length == SN_DYNAMIC ? INT64_MAX : a->length / a->vector, rows_at_once = SN_GPU_ROW_THREADS / 32;
  while (rows_at_once > 1 && sn_times(rows_at_once * a->gpu->multiprocessors, a->row_bytes) > sn_gpu_row_l2(a))
    rows_at_once /= 2;
  // Four vectors or more for each thread, but no fewer threads than fill a multiprocessor.
  *s = (SnGpuRowSchedule){.threads = SN_GPU_ROW_THREADS, .vector = a->vector, .unroll = 4, .cluster = 1, .team = 1024};
  // Of few rows a thread has a vector: nothing else hides the time until it is there.
  bool few = a->rows != SN_DYNAMIC && sn_times(a->rows, 4) < a->gpu->multiprocessors;
  while (s->threads > 32 &&
         (few ? s->threads / 2 >= vectors : s->threads * 4 > vectors && SN_GPU_ROW_THREADS / s->threads < rows_at_once))
    s->threads /= 2;
  if (a->length == SN_DYNAMIC)
    s->threads = 256;
  while (s->unroll > 1 && s->threads * s->unroll > vectors)
    s->unroll /= 2;
  while (s->cluster < a->gpu->largest_cluster && a->rows != SN_DYNAMIC &&
         sn_times(a->rows, s->cluster * s->threads * 2) <= a->gpu->multiprocessors * SN_GPU_ROW_THREADS &&
         s->threads * s->cluster * s->unroll * 4 <= vectors)
    s->cluster *= 2;
  if (a->length == SN_DYNAMIC && a->again && !a->columns) // what registers hold has a kernel of its own
    s->cluster = a->gpu->largest_cluster;
  s->blocks = s->cluster * clusters_at_once(a->gpu, s->cluster, SN_GPU_ROW_THREADS / s->threads);
  return true;
}

static const struct {
  const char *name;
  bool (*fits)(const SnGpuRowFacts *facts, SnGpuRowSchedule *schedule);
  const char *where; // a row's elements are between its phases
} families[] = {
    {"flat", flat, "nowhere: all elements are alike, the grid shares them evenly"},
    {"turned", sn_gpu_row_turned, "nowhere: a block has a tile, and turns what has its neighbours elsewhere"},
    {"tile", sn_gpu_row_tile, "registers of a block, for 32 neighbouring rows"},
    {"warps", sn_gpu_row_by_warps, "read again, by the warps of a block, for 32 neighbouring rows"},
    {"thread", sn_gpu_row_thread, "read again, a column at a time by neighbouring threads"},
    {"warp", sn_gpu_row_warp, "registers of 1 to 32 threads"},
    {"registers", registers, "registers of a block, or of a cluster of up to 8"},
    {"shared", shared, "shared memory of a block, or of a cluster of up to 8"},
    {"clusters", clusters, "memory, read again by clusters, while others exchange"},
    {"grid", grid, "registers of many blocks, the next row in shared memory"},
    {"stream", stream, "nowhere: they are read once"},
    {"reread", reread, "memory; few long rows are shared by clusters"}, // fits every form
};

// In a sequence: blocks are not too large, and where rows are read once or again, a block has many vectors under way,
// so that a few blocks keep memory busy while others add up. What is summed over rows is left by few blocks. Of rows of
// which there are few a thread has a vector: nothing else hides the time until it is there.
static void share_blocks(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  while (s->threads > SHARED_THREADS && !s->tile)
    s->threads /= 2;
  if (s->registers || s->shared || s->flat || s->tile || s->team < s->threads)
    return;
  if (a->rows != SN_DYNAMIC && a->rows <= a->gpu->multiprocessors) {
    for (; s->unroll > 1 && s->threads < SHARED_THREADS; s->unroll /= 2)
      s->threads *= 2;
    return;
  }
  int64_t vectors = a->length == SN_DYNAMIC ? 0 : a->length / s->vector;
  while (s->threads > (a->sums ? 64 : 32) && s->unroll < SHARED_UNROLL && vectors / s->threads < SHARED_UNROLL) {
    s->threads /= 2;
    s->unroll = vectors / s->threads < SHARED_UNROLL ? s->unroll : SHARED_UNROLL;
  }
  // A warp has a row by itself, where there is one for nearly each: it waits for no other, and goes on while they load.
  while (s->threads > 32 && !a->sums && a->rows != SN_DYNAMIC &&
         a->rows * s->threads / 2 >= a->gpu->multiprocessors * SHARED_THREADS * 7 / 8)
    s->threads /= 2;
  unroll_less(a, s, SHARED_WORDS);
  s->blocks = a->gpu->multiprocessors * (a->sums ? SUM_BLOCKS : SN_GPU_ROW_THREADS / s->threads);
}

bool sn_gpu_row_read(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  bool fits = stream(a, s) || reread(a, s);
  unroll_less(a, s, MOST_WORDS);
  return fits;
}

// In a loop of a launch: what no turn makes stays in registers.
static bool hold(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  SnGpuHeld held;
  if (!sn_in_sequence(a->form->op) || !sn_gpu_plan_held(a->form, a->gpu->multiprocessors, &held))
    return false;
  *s = (SnGpuRowSchedule){.threads = held.team, .team = held.team, .vector = held.vector, .unroll = 1, .cluster = 1,
                          .blocks = a->rows, .registers = true, .held = true};
  return true;
}

static SnGpuRowSchedule choose(const SnGpuRowFacts *a) {
  SnGpuRowSchedule s = {0};
  for (size_t i = 0; i < sizeof families / sizeof *families && !families[i].fits(a, &s); ++i)
    ;
  if (!s.registers && !s.shared && !s.grid.group && !s.turned)
    unroll_less(a, &s, MOST_WORDS);
  if (sn_in_sequence(a->form->op))
    share_blocks(a, &s);
  return s;
}

// Rows of a known length whose number is `?`: few have more threads each than many, which have a kernel of their own.
static MlirAttribute with_many(const SnGpuRowFacts *a, const SnGpuRowSchedule *few, MlirAttribute schedule) {
  SnGpuRowFacts filled = *a;
  if (a->rows != SN_DYNAMIC || a->length == SN_DYNAMIC || !few->registers || sn_in_sequence(a->form->op))
    return schedule;
  filled.least = INT32_MAX;
  SnGpuRowSchedule many = choose(&filled);
  if (!many.registers || (many.threads == few->threads && many.team == few->team && many.cluster == few->cluster))
    return schedule;
  many.least = sn_gpu_row_fill(a, many.team < many.threads ? many.team : many.threads * many.cluster);
  return sn_gpu_row_beside(mlirOperationGetLocation(a->form->op), schedule, "many",
                           sn_gpu_row_attribute_alone(&filled, &many));
}

MlirAttribute sn_schedule_gpu_rows(const SnForm *f, const SnScheduleOptions *options) {
  SnGpuChip chip = *sn_gpu_chip(options->chip);
  if (sn_in_sequence(f->op)) { // what blocks share beside memory is there once for all forms
    chip.largest_cluster = 1;
    chip.number = SN_GPU_FIRST_CHIP;
  }
  SnGpuRowFacts facts = sn_schedule_gpu_facts(f, &chip);
  SnGpuRowSchedule s = {0};
  if (hold(&facts, &s))
    return sn_gpu_row_attribute_alone(&facts, &s);
  sn_gpu_row_spread(&facts);
  s = choose(&facts);
  return sn_gpu_row_with_even(&facts, &s, with_many(&facts, &s, sn_gpu_row_attribute(&facts, &s)));
}

bool sn_schedule_gpu_family(const SnForm *f, const char *chip, size_t i, MlirAttribute *schedule) {
  *schedule = (MlirAttribute){NULL};
  if (i >= sizeof families / sizeof *families)
    return false;
  SnGpuRowFacts facts = sn_schedule_gpu_facts(f, sn_gpu_chip(chip));
  SnGpuRowSchedule s = {0};
  if (families[i].fits(&facts, &s))
    *schedule = sn_gpu_row_attribute_alone(&facts, &s);
  return true;
}
