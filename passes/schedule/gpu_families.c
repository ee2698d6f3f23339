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

#define MOST_TAPS 128      // of a window
#define LEAST_OVERLAP 16   // rows of the last dimension, of which a thread's last ones may be another's, too
#define WRITTEN_OUT 100    // of all rows of a thread, for which 64 registers are enough
#define MOST_STRIDE 8      // of its neighbours in memory
#define SHARED_THREADS 512 // of a block of a sequence: more leave each too few registers
#define SHARED_UNROLL 8    // vectors that a thread of a sequence has under way
#define SUM_BLOCKS 7       // of a multiprocessor, that leave sums over rows
#define SHARED_WORDS 64    // of vectors that a thread of a sequence has at once
#define MOST_WORDS 96      // the same of a form by itself, where a row is read again or once
#define MANY_REDUCES 6     // of a row program
#define MOST_BLOCKS (1 << 20)
#define MOST_VECTORS 32        // that the lowering keeps of a row
#define LEAST_OF_WARP 8        // columns of a row, where warps share it
#define CLUSTER_COST 1.05      // of a row that blocks share, of one that is a block's own
#define LEAST_SHARING 128      // threads of blocks that share a row of which nothing meets
#define LEAST_TURNED (1 << 16) // elements whose operands are turned
#define LEAST_LINE 64   // bytes of a row, and of rows that lie together, that are worth it (an H200: f16 89x8x112x115,
#define LEAST_EXTENT 12 // channels to the end: 0.016 ms turned, 0.011 by a thread for each pixel),
#define MOST_STORES 8   // where a thread has so many: each of them is sectors of L2 by itself
#define TURNED_BYTES 8192 // of the widest operand in a tile,
#define TURNED_LINE 128   // and of its columns
#define MOST_TURNED_BYTES (40 << 10)
#define MOST_TILE_LOADS (8 << 10) // of a block, under way at once: 64 registers of each of 1024 threads have no more
#define LEAST_TURN 4   // vectors of a thread, of a row that is read by more threads than 256
#define TEAM_SHARED (40 << 10) // bytes of sums of columns of the teams of a block

// Bytes of rows at work that stay in L2, beside what is written.
static int64_t l2_rows(const SnGpuRowFacts *a) { return a->gpu->l2_bytes / 25 * 16; }

// Clusters that run at once: their blocks share a GPC, and some of its multiprocessors
// stay idle if their number is no multiple (cuOccupancyMaxActiveClusters, H200).
static int64_t clusters_at_once(const SnGpuChip *gpu, int64_t size, int64_t occupancy) {
  static const int64_t of_4[] = {0, 30, 62, 92, 124}, of_8[] = {0, 15, 30, 45, 62};
  if (size <= 2 || gpu->number != 90)
    return occupancy * (gpu->multiprocessors / size);
  return occupancy > 4 ? occupancy * (size == 4 ? 31 : 15) : size == 4 ? of_4[occupancy] : of_8[occupancy];
}

// Vectors that a thread may keep in so many registers. Sums of columns take as many each.
static int64_t most_kept(const SnGpuRowFacts *a, int64_t registers) {
  bool packed = a->packed && a->vector > 1, halves = a->halves && a->vector > 1 && !a->columns;
  int64_t kept = packed   ? registers * 2 / a->vector / a->packed
                 : halves ? registers * 4 / 3 / a->vector / a->halves // some are widened before the last is loaded
                          : registers / a->vector / (a->live + (int64_t)a->columns);
  return kept < 1 ? 1 : kept > MOST_VECTORS ? MOST_VECTORS : kept;
}

int64_t sn_gpu_row_occupancy(const SnGpuRowSchedule *s) {
  int64_t blocks = (s->at_once ? s->at_once : SN_GPU_ROW_THREADS) / s->threads;
  return blocks < 1 ? 1 : blocks > 32 ? 32 : blocks;
}

// Rows get blocks of their own, but where sums of columns are kept from row to row. They end when they end, and several
// are at different phases: an H200, cross entropy's gradient bf16 8192x128256: 90 % of a copy by blocks that stay, 93
// by blocks of a row each.
int64_t sn_gpu_row_blocks(const SnGpuRowFacts *a, const SnGpuRowSchedule *s, int64_t rows_at_once) {
  int64_t at_once = s->cluster * clusters_at_once(a->gpu, s->cluster, sn_gpu_row_occupancy(s));
  bool alone = !a->columns && a->rows != SN_DYNAMIC && sn_pieces(a->rows, rows_at_once) <= MOST_BLOCKS / s->cluster;
  int64_t blocks = alone ? s->cluster * sn_pieces(a->rows, rows_at_once) : at_once;
  if (a->columns && a->rows != SN_DYNAMIC && s->cluster * sn_pieces(a->rows, rows_at_once) < blocks)
    blocks = s->cluster * sn_pieces(a->rows, rows_at_once); // what blocks leave that had no row would be added up, too
  return blocks < 1 ? 1 : blocks;
}

// ---- the families -----------------------------------------------------------------

// Something of a row is of more than one element.
bool sn_gpu_row_meets(const SnGpuRowFacts *a) { return a->sums || sn_row_op_count(a->form->body, SN_READS_ALL); }

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
    return true;
  }
  while (s->threads > 128 && all / (s->threads * s->vector) < a->gpu->multiprocessors)
    s->threads /= 2;
  while (s->unroll > 1 &&
         all / (s->threads * s->vector * s->unroll) < a->gpu->multiprocessors * (SN_GPU_ROW_THREADS / s->threads))
    s->unroll /= 2;
  s->blocks = sn_gpu_row_occupancy(s) * a->gpu->multiprocessors;
  return true;
}

// Some operand's neighbours are rows, others' are columns: tiles of 8 KB of the widest, so that threads have 32 bytes
// of each operand under way. A short dimension is in a tile as a whole, since memory goes on behind it.
static bool turned(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  if (sn_in_sequence(a->form->op) || sn_gpu_not_turned(a->form))
    return false;
  int64_t bytes = 16 / a->lanes, most = TURNED_BYTES / bytes,
          wide = TURNED_LINE / bytes < 32 ? 32 : TURNED_LINE / bytes, extent = sn_gpu_turned_extent(a->form),
          length = a->length;
  bool known = a->rows != SN_DYNAMIC && length != SN_DYNAMIC;
  if (known && sn_times(a->rows, length) < LEAST_TURNED)
    return false;
  if ((length != SN_DYNAMIC && length * bytes < LEAST_LINE && length / a->vector <= MOST_STORES) ||
      (extent != SN_DYNAMIC && extent * bytes < LEAST_EXTENT))
    return false; // a thread has them itself
  *s = (SnGpuRowSchedule){.threads = 256, .cluster = 1, .team = 1024, .unroll = 1, .vector = bytes < 4 ? 4 / bytes : 1};
  while (s->vector > a->vector)
    s->vector /= 2;
  s->tile_columns = length == SN_DYNAMIC || length >= 4 * wide ? wide : length;
  s->tile_rows = most / s->tile_columns < 64 ? 64 : most / s->tile_columns;
  if (extent != SN_DYNAMIC && extent < 64) {
    s->tile_rows = extent;
    most = most / extent / wide * wide;
    s->tile_columns = length == SN_DYNAMIC ? wide : length < most ? length : most;
    s->tile_rows *=
        TURNED_BYTES / bytes / extent / s->tile_columns > 1 ? TURNED_BYTES / bytes / extent / s->tile_columns : 1;
  } else if (s->tile_rows > 64) {
    s->tile_rows = s->tile_rows / 32 * 32;
  }
  s->tile_rows = s->tile_rows > 1024 ? 1024 : s->tile_rows;
  while (sn_gpu_turned(a->form, s->tile_rows, s->tile_columns).bytes > MOST_TURNED_BYTES && s->tile_rows > 1)
    s->tile_rows /= 2;
  s->turned = true;
  int64_t tiles = known ? sn_times(sn_pieces(a->rows, s->tile_rows), sn_pieces(length, s->tile_columns)) : SN_DYNAMIC,
          at_once = sn_gpu_row_occupancy(s) * a->gpu->multiprocessors;
  s->blocks = known && tiles <= MOST_BLOCKS ? tiles : at_once;
  return s->tile_columns % s->vector == 0;
}

// Rows that follow each other in the access as they do in the form: of the last dimension, and those in front of it.
static int64_t rows_in_turn(const SnForm *f, const SnAccess *a) {
  int64_t factors[SN_MAX_DIMS], count = 1;
  if (!sn_linear_factors(a->map, sn_type_of(a->value), factors))
    return f->dims.data[f->num_rows - 1].size;
  for (int64_t d = f->num_rows; d-- > 0 && factors[d] == count;) {
    if (f->dims.data[d].size == SN_DYNAMIC)
      return SN_DYNAMIC;
    count = sn_times(count, f->dims.data[d].size);
  }
  return count;
}

// Neighbours in the last row dimensions are neighbours in memory, and columns are not.
bool sn_gpu_rows_together(const SnForm *f) {
  int64_t last = f->num_rows - 1, inner = f->num_rows + f->num_cols - 1;
  bool any = false;
  if (!f->num_rows)
    return false;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
    if (!sn_uses_cols(f, a->map) || !sn_map_uses(a->map, last) || sn_is_table(a))
      continue;
    if (sn_unit_stride(a->map, inner) || !sn_unit_stride(a->map, last))
      return false;
    int64_t count = rows_in_turn(f, a);
    if (count > 0 && count < 16)
      return false;
    any = true;
  }
  return any;
}

// Some input is read around a row's own place: columns are a window's taps, and neighbouring rows share what they read.
// A window's outputs are the lanes.
static bool windows(const SnForm *f) {
  int64_t last = f->num_rows - 1, length = sn_row_length(f), factors[SN_MAX_DIMS];
  bool any = false;
  if (!f->num_rows || !f->num_cols || f->dims.data[last].size < 2 || length == SN_DYNAMIC || length > MOST_TAPS)
    return false;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
    intptr_t n = mlirAffineMapGetNumResults(a->map);
    if (a->through.ptr || sn_is_table(a))
      return false;
    if (!sn_map_uses(a->map, last)) // a weight, one for all neighbours
      continue;
    // (A gradient's subscripts are quotients, of neighbours that read the same or the next.)
    if (k >= f->inputs.size ? !sn_unit_stride(a->map, last)
                            : sn_linear_factors(a->map, sn_type_of(a->value), factors) && factors[last] > MOST_STRIDE)
      return false;
    for (intptr_t i = 0; i < n && k < f->inputs.size; ++i)
      for (intptr_t c = f->num_rows; c < f->num_rows + f->num_cols; ++c)
        any |= mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(a->map, i), last) &&
               mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(a->map, i), c);
  }
  return any;
}

// Lanes of 64 bits take registers that a second row had better have. (Subscripts have 32 where tensors are small.)
bool sn_gpu_row_is_wide(const SnForm *f) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    for (intptr_t k = 0; k < sn_num_results(op); ++k)
      if (sn_is_row(sn_result(op, k)) && !mlirTypeIsAIndex(sn_element(sn_type_of(sn_result(op, k)))) &&
          sn_bits(sn_element(sn_type_of(sn_result(op, k)))) > 32)
        return true;
  return false;
}

// Elements from one neighbour to the next, of the input that has most.
static int64_t widest_step(const SnForm *f) {
  int64_t factors[SN_MAX_DIMS], most = 1, last = f->num_rows - 1;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_linear_factors(f->inputs.data[k].map, sn_type_of(f->inputs.data[k].value), factors) && factors[last] > most)
      most = factors[last];
  return most;
}

// Rows of a thread: as many as make 16 bytes of the widest, while threads are there that fill the device; of windows,
// so that what neighbours share is loaded once, and registers hold it.
static int64_t rows_of_thread(const SnGpuRowFacts *a, bool window) {
  const SnForm *f = a->form;
  int64_t most = window ? a->length > 30 ? 2 : 4 : a->lanes, last = f->dims.data[f->num_rows - 1].size, rows = 1;
  if (a->sums || a->again || sn_gpu_asserts(f) || a->rows == SN_DYNAMIC ||
      (sn_gpu_row_is_wide(f) && (window || a->lanes < 8)))
    return 1;
  if (sn_gpu_row_is_wide(f)) // of half types: two make a word
    most = 2;
  while (rows * 2 <= most && last % (rows * 2) == 0 &&
         a->rows / (rows * 2) >= a->gpu->multiprocessors * SN_GPU_ROW_THREADS / 2)
    rows *= 2;
  // Of an odd number the last thread's are its neighbour's, too; lanes that are loaded one by one lie 8 bytes apart.
  if (window && last % 2 && last >= LEAST_OVERLAP && sn_gpu_not_overlapped(f) == NULL)
    while (rows * 2 <= most && rows * 2 * widest_step(f) <= a->lanes / 2 &&
           a->rows / (rows * 2) >= a->gpu->multiprocessors * SN_GPU_ROW_THREADS / 2)
      rows *= 2;
  return rows;
}

// A thread has a row, or a few neighbours: there are no columns, or the threads of a warp read what lies together.
static bool thread(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  bool window = windows(a->form);
  if (a->columns || (a->form->num_cols && !window && !sn_gpu_rows_together(a->form)))
    return false;
  *s = (SnGpuRowSchedule){.threads = 256, .vector = 1, .unroll = 1, .cluster = 1, .team = 1};
  if (a->form->num_cols)
    s->rows = rows_of_thread(a, window);
  while (a->form->num_cols && s->unroll < (s->rows > 1 ? 4 : 16) && s->unroll * 2 <= a->length)
    s->unroll *= 2;
  // No loop: which taps are outside is known. (An H200, f32 depthwise, ms by 512 and 1024 threads on a multiprocessor:
  // 7x7 in steps of 2 0.51 and 0.38, 5x5 by four rows of a thread 0.61 and 0.48; 7x7 by halves of the taps 1.07.)
  if (window) {
    s->unroll = a->length;
    s->at_once = a->length * s->rows > WRITTEN_OUT ? SN_GPU_ROW_THREADS / 2 : SN_GPU_ROW_THREADS;
  }
  s->blocks = sn_gpu_row_blocks(a, s, s->threads * (s->rows > 1 ? s->rows : 1));
  int64_t at_once = sn_gpu_row_occupancy(s) * a->gpu->multiprocessors;
  if (a->sums && !a->form->num_cols && a->rows != SN_DYNAMIC && a->rows <= SN_GPU_ROW_FEW_EACH * SN_GPU_ROW_THREADS) {
    s->threads = SN_GPU_ROW_THREADS; // nothing meets in memory
    s->blocks = 1;
    return true;
  }
  if (a->sums && s->blocks > at_once) // a thread adds up many rows before threads meet
    s->blocks = at_once;
  if (a->again) { // what is read again should be in L2 still
    s->threads = 128;
    int64_t fit = 2 * l2_rows(a) / (a->row_bytes > 0 ? a->row_bytes : 1) / s->threads / a->gpu->multiprocessors,
            most = SN_GPU_ROW_THREADS / s->threads;
    int64_t blocks = a->gpu->multiprocessors * (fit < 2 ? 2 : fit > most ? most : fit);
    int64_t most_blocks = a->rows ? sn_pieces(a->rows, s->threads) : 1;
    s->blocks = blocks < most_blocks ? blocks : most_blocks;
  }
  return true;
}

// Of a row, whose first vector may begin before it.
static int64_t vectors_of(const SnGpuRowFacts *a) {
  return sn_pieces(a->length + (a->length % a->vector ? a->vector - 1 : 0), a->vector);
}

// A block has 32 rows that lie together, in registers: each warp some of the columns, of which a thread keeps up to 24
// registers.
static bool tile(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  if (a->columns || !a->again || !a->form->num_cols || a->length == SN_DYNAMIC || a->length < 4 ||
      !sn_gpu_rows_together(a->form))
    return false;
  *s = (SnGpuRowSchedule){.threads = 64, .vector = 1, .unroll = 1, .cluster = 1, .registers = true, .tile = true};
  while (s->threads < SN_GPU_ROW_THREADS && sn_pieces(a->length, s->threads / 32) * a->live > 24)
    s->threads *= 2;
  if (sn_pieces(a->length, s->threads / 32) * a->live > SN_GPU_ROW_HELD)
    return false;
  s->team = s->threads; // not said
  s->blocks = SN_GPU_ROW_THREADS / s->threads * a->gpu->multiprocessors;
  return true;
}

// The same where a row is read as often as it takes, of rows whose length is `?`.
bool sn_gpu_row_warps(const SnGpuRowFacts *a, SnGpuRowSchedule *s, int64_t most_threads) {
  if (a->columns || !a->form->num_cols || a->length != SN_DYNAMIC || !sn_gpu_rows_together(a->form))
    return false;
  int64_t values = (int64_t)sn_row_op_count(a->form->body, SN_READS_ALL) * 8; // of a thread, in shared memory
  *s = (SnGpuRowSchedule){.threads = 64, .vector = 1, .unroll = 8, .cluster = 1, .tile = true};
  while (s->threads < most_threads && 2 * s->threads * values <= TEAM_SHARED)
    s->threads *= 2;
  s->team = s->threads; // not said
  s->blocks = sn_gpu_row_blocks(a, s, 32);
  return true;
}

// And where there are fewer rows than threads: warps share a row's columns. Blocks take the size by which all tiles
// take the fewest turns of all threads. (A minimum with its index of 4278 f32 over 19,926 columns, by a thread each: 78
// blocks of 256 threads have 1.3 MB under way, which is a third of what memory needs.)
static bool warps(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  int64_t all = a->gpu->multiprocessors * SN_GPU_ROW_THREADS;
  if (sn_gpu_row_warps(a, s, SN_GPU_ROW_THREADS))
    return true;
  if (a->columns || !a->form->num_cols || a->length == SN_DYNAMIC || a->length < 4 * LEAST_OF_WARP ||
      a->rows == SN_DYNAMIC || a->rows > all / 2 || !sn_gpu_rows_together(a->form))
    return false;
  *s = (SnGpuRowSchedule){.threads = 64, .vector = 1, .unroll = 1, .cluster = 1, .tile = true};
  int64_t values = (int64_t)sn_row_op_count(a->form->body, SN_READS_ALL) * 8, // of a thread, in shared memory
      tiles = sn_pieces(a->rows, 32), least = INT64_MAX;
  for (int64_t threads = 64; threads <= SN_GPU_ROW_THREADS; threads *= 2) {
    int64_t turns = sn_pieces(tiles, a->gpu->multiprocessors * (SN_GPU_ROW_THREADS / threads));
    if (threads > 64 && (threads * values > TEAM_SHARED || a->length < LEAST_OF_WARP * (threads / 32)))
      break;
    if (turns * (SN_GPU_ROW_THREADS / threads) < least) {
      least = turns * (SN_GPU_ROW_THREADS / threads);
      s->threads = threads;
    }
  }
  while (s->unroll * s->threads < MOST_TILE_LOADS && s->unroll < 16 &&
         s->unroll * 2 <= a->length / (s->threads / 32))
    s->unroll *= 2;
  s->team = s->threads; // not said
  s->blocks = sn_gpu_row_blocks(a, s, 32);
  return true;
}

// A part of a warp has a row, in registers.
static bool warp(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  if (a->length == SN_DYNAMIC || a->length < 1)
    return false;
  int64_t vectors = a->length / a->vector, rows = a->rows == SN_DYNAMIC ? INT64_MAX : a->rows,
          kept = most_kept(a, SN_GPU_ROW_HELD);
  *s = (SnGpuRowSchedule){.threads = 128, .vector = a->vector, .unroll = 1, .cluster = 1, .team = 1, .registers = true};
  int64_t each = a->lanes / a->vector < kept ? a->lanes / a->vector : kept; // 16 bytes a thread
  while (s->team < 32 && s->team * each < vectors)
    s->team *= 2;
  s->team = sn_gpu_row_fewer(a, s->team, vectors, kept);
  bool few = s->team == 32 && sn_times(rows, s->team) < a->gpu->multiprocessors * SN_GPU_ROW_THREADS;
  if (s->team * kept < vectors || (few && vectors > 32))
    return false; // a block has more threads for it
  while (a->columns && s->threads > 32 && sn_times(s->threads / s->team * a->column_bytes, a->length) > TEAM_SHARED)
    s->threads /= 2;

  s->blocks = sn_gpu_row_blocks(a, s, s->threads / s->team);
  return true;
}

// A block or a cluster of at most these sizes has a row, in so many registers of a thread, with so many threads on a
// multiprocessor.
static bool held(const SnGpuRowFacts *a, SnGpuRowSchedule *s, int64_t registers, int64_t at_once, int64_t most_threads,
                 int64_t most_cluster) {
  int64_t vectors = vectors_of(a), kept = most_kept(a, registers),
          rows = a->rows == SN_DYNAMIC || a->rows < 1 ? 1 : a->rows;
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
  // What is read once, too, where it has vectors here and none else, and a block is enough for a row.
  if (!a->again && !a->columns)
    return peels && sn_gpu_row_meets(a) && !a->sums &&
           held(a, s, SN_GPU_ROW_HELD, SN_GPU_ROW_THREADS, 256, 1);
  if (a->columns && held(a, s, SN_GPU_ROW_HELD_BY_HALF, SN_GPU_ROW_THREADS / 2, 256, 8))
    return true;
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
                          .kept = a->lanes * most_kept(&wide, 2 * SN_GPU_ROW_HELD),
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

// The row is read once, by a block, or a few where there are fewer rows than blocks.
static bool stream(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  if (a->again ||
      (a->rows != SN_DYNAMIC && sn_times(a->rows, 4) < a->gpu->multiprocessors)) // few rows: several blocks for each
    return false;
  int64_t vectors = a->length == SN_DYNAMIC ? INT64_MAX : a->length / a->vector;
  *s = (SnGpuRowSchedule){.threads = 256, .vector = a->vector, .unroll = 4, .cluster = 1, .team = 1024};
  while (s->threads > 32 && s->threads * 4 > vectors)
    s->threads /= 2;
  if (a->vector == 1)
    s->unroll = 8;
  // Two blocks of 32 threads for each row are slower than one, where rows are many enough (an H200, f32 789x680).
  while (!sn_gpu_row_meets(a) && a->rows != SN_DYNAMIC && s->threads < 256 && s->threads * 2 <= vectors &&
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
  s->blocks = s->cluster * clusters_at_once(a->gpu, s->cluster, SN_GPU_ROW_THREADS / s->threads);
  // None waits.
  if (s->cluster > 1 && !sn_gpu_row_meets(a) && a->rows != SN_DYNAMIC && a->rows <= MOST_BLOCKS / s->cluster)
    s->blocks = s->cluster * a->rows;
  return true;
}

// The row is read in each phase, from L2 if it is lucky.
static bool reread(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  int64_t vectors = a->length == SN_DYNAMIC ? INT64_MAX : a->length / a->vector, rows_at_once = SN_GPU_ROW_THREADS / 32;
  while (rows_at_once > 1 && sn_times(rows_at_once * a->gpu->multiprocessors, a->row_bytes) > l2_rows(a))
    rows_at_once /= 2;
  // Four vectors or more for each thread, but no fewer threads than fill a multiprocessor.
  *s = (SnGpuRowSchedule){.threads = SN_GPU_ROW_THREADS, .vector = a->vector, .unroll = 4, .cluster = 1, .team = 1024};
  while (s->threads > 32 && s->threads * 4 > vectors && SN_GPU_ROW_THREADS / s->threads < rows_at_once)
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
    {"turned", turned, "nowhere: a block has a tile, and turns what has its neighbours elsewhere"},
    {"tile", tile, "registers of a block, for 32 neighbouring rows"},
    {"warps", warps, "read again, by the warps of a block, for 32 neighbouring rows"},
    {"thread", thread, "read again, a column at a time by neighbouring threads"},
    {"warp", warp, "registers of 1 to 32 threads"},
    {"registers", registers, "registers of a block, or of a cluster of up to 8"},
    {"shared", shared, "shared memory of a block, or of a cluster of up to 8"},
    {"grid", grid, "registers of many blocks, the next row in shared memory"},
    {"stream", stream, "nowhere: they are read once"},
    {"reread", reread, "memory; few long rows are shared by clusters"}, // fits every form
};

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

MlirAttribute sn_schedule_gpu_rows(const SnForm *f, const SnScheduleOptions *options) {
  SnGpuChip chip = *sn_gpu_chip(options->chip);
  if (sn_in_sequence(f->op)) { // what blocks share beside memory is there once for all forms
    chip.largest_cluster = 1;
    chip.number = SN_GPU_FIRST_CHIP;
  }
  SnGpuRowFacts facts = sn_schedule_gpu_facts(f, &chip);
  SnGpuRowSchedule s = {0};
  sn_gpu_row_spread(&facts);
  for (size_t i = 0; i < sizeof families / sizeof *families && !families[i].fits(&facts, &s); ++i)
    ;
  if (!s.registers && !s.shared && !s.grid.group && !s.turned)
    unroll_less(&facts, &s, MOST_WORDS);
  if (sn_in_sequence(f->op))
    share_blocks(&facts, &s);
  return sn_gpu_row_with_even(&facts, &s, sn_gpu_row_attribute(&facts, &s));
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
