// gpu_neighbours.c: rows whose neighbours in memory are other rows, on a GPU.
//
//   #sinter.gpu_rows<threads = 256, blocks = 1056, occupancy = 4, vector = 1, unroll = 9, team = 1, rows = 4>
//   #sinter.gpu_rows<threads = 256, blocks = 528, occupancy = 4, vector = 1, residency = "registers", shape = "tile">
//   #sinter.gpu_rows<threads = 256, blocks = 784, occupancy = 4, vector = 1, shape = "turned", ...>
//
// Threads of a warp are at neighbouring rows, so that they load what lies together: classes in front of the last
// dimension, the taps of a window, an operand that is turned. The families of gpu_families.c's table whose lanes are
// rows.
//
// test: test/passes/schedule/gpu_families.mlir

#include "dialect/row_ops.h"
#include "dialect/sequence.h"
#include "lowering/rows/rowmemory.h"
#include "passes/schedule/gpu_families.h"

#define MOST_TAPS 128          // of a window
#define LEAST_TAPS 4           // of a thread, where several share a window
#define FEW_TAPS 4             // whose loads are less than what else a thread does
#define MANY_TAPS 30           // of which a thread has two rows of f32; of half types four (an H200, a depthwise 7x7 of
                               // bf16 89x132x37x38: two rows of a thread 0.228 ms, four 0.146)
#define LEAST_OVERLAP 16       // rows of the last dimension, of which a thread's last ones may be another's, too
#define WRITTEN_OUT 100        // of all rows of a thread, for which 64 registers are enough; of half types twice that
#define MOST_STRIDE 8          // of its neighbours in memory
#define LEAST_OF_WARP 8        // columns of a row, where warps share it
#define LEAST_OF_ROW 2048      // the same, where a block has it
#define MOST_INTERLEAVED 4     // columns of a row that stands between its neighbours'
#define LEAST_TURNED (1 << 16) // elements whose operands are turned
#define LEAST_LINE 64          // bytes of a row, and of rows that lie together, that pay (an H200: f16 89x8x112x115,
#define LEAST_EXTENT 12        // to the channels' end: 0.016 ms turned, 0.011 by a thread for each pixel),
#define MOST_STORES 4          // where a thread has more: each of them is sectors of L2 by itself
#define SECTOR 32              // bytes that memory moves at once
#define TURNED_BYTES 8192      // of the widest operand in a tile,
#define MOST_WHOLE 256         // columns of a tile of 32 rows
#define LEAST_TILE 16          // rows of a tile, where there are fewer tiles than the device has at once
#define TURNED_LINE 128        // and of its columns
#define MOST_TURNED_BYTES (40 << 10)
#define MOST_TILE_LOADS (8 << 10) // of a block, under way at once: 64 registers of each of 1024 threads have no more

// A row's parts, of about so many columns: the row, or sectors, as many for each part as for others. (An H200, f16
// 62x177x176x22 to the front: parts of 128 columns leave a third of the threads' turns empty.) One part less, where it
// leaves fewer empty and parts are no more than a quarter larger. (f16 7x253x253x36, 253 columns: three parts of
// 96 39.6 us, two of 128 34.9.)
static int64_t even_parts(int64_t length, int64_t most, int64_t sector) {
  if (length <= most)
    return length;
  int64_t sectors = sn_pieces(length, sector), each = most / sector, parts = sn_pieces(sectors, each < 1 ? 1 : each),
          size = sn_pieces(sectors, parts);
  if (parts > 1) {
    int64_t larger = sn_pieces(sectors, parts - 1);
    size = 4 * larger * sector <= 5 * most && larger * (parts - 1) < size * parts ? larger : size;
  }
  return size * sector;
}

// Some operand's neighbours are rows, others' are columns: tiles of 8 KB of the widest, so that threads have 32 bytes
// of each operand under way. A short dimension is in a tile as a whole, since memory goes on behind it.
bool sn_gpu_row_turned(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
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
  // Rows that do not begin with sectors are whole, as long as threads hold 32 of them: their parts would share sectors.
  // So are those whose last part would be nearly empty. (f32 182x136x21x22, 136 columns: by 32 29.6 us, whole 25.8.)
  bool whole = length != SN_DYNAMIC && length <= MOST_WHOLE &&
               (length * bytes % SECTOR || 8 * (sn_pieces(length, wide) * wide - length) > length);
  s->tile_columns = length == SN_DYNAMIC || (length >= 4 * wide && !whole) ? wide : length;
  s->tile_rows = s->tile_columns >= 4 * wide    ? 32
                 : most / s->tile_columns < 64 ? 64
                                               : most / s->tile_columns;
  if (extent != SN_DYNAMIC && extent < 64) {
    s->tile_rows = extent;
    int64_t whole_of = most * 5 / 4 / extent; // a little more than that, where it is all there is
    s->tile_columns = length == SN_DYNAMIC   ? wide
                      : length <= whole_of ? length
                                           : even_parts(length, most / extent, SECTOR / bytes);
    s->tile_rows *=
        TURNED_BYTES / bytes / extent / s->tile_columns > 1 ? TURNED_BYTES / bytes / extent / s->tile_columns : 1;
  } else { // a part of all threads, or all: a thread has one of them then
    int64_t rows = s->tile_rows < s->threads ? s->tile_rows : s->threads;
    for (s->tile_rows = 32; s->tile_rows * 2 <= rows; s->tile_rows *= 2)
      ;
    while (known && s->tile_rows > LEAST_TILE &&
           sn_times(sn_pieces(a->rows, s->tile_rows), sn_pieces(length, s->tile_columns)) < 2 * a->gpu->multiprocessors)
      s->tile_rows /= 2;
  }
  s->tile_rows = s->tile_rows > 1024 ? 1024 : s->tile_rows;
  while (sn_gpu_turned(a->form, s->tile_rows, s->tile_columns).bytes > MOST_TURNED_BYTES && s->tile_rows > 1)
    s->tile_rows /= 2;
  s->turned = true;
  s->at_once = SN_GPU_ROW_THREADS * 3 / 2;
  int64_t tiles = known ? sn_times(sn_pieces(a->rows, s->tile_rows), sn_pieces(length, s->tile_columns)) : SN_DYNAMIC,
          at_once = sn_gpu_row_occupancy(s) * a->gpu->multiprocessors;
  s->blocks = known && tiles <= SN_GPU_ROW_MOST_BLOCKS ? tiles : at_once;
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

// Neighbours are stored into one sector, in whose other bytes are results of other rows: few channels, the last ones.
static bool stores_near(const SnAccess *a, int64_t step) {
  return step > 0 && step * (int64_t)sn_bits(sn_element(sn_type_of(a->value))) <= SECTOR * 8;
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
    bool linear = sn_linear_factors(a->map, sn_type_of(a->value), factors);
    if (k >= f->inputs.size ? !sn_unit_stride(a->map, last) && !(linear && stores_near(a, factors[last]))
                            : linear && factors[last] > MOST_STRIDE)
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

// Something else is read for each tap, as a weight, which all rows of a thread share.
static bool has_weights(const SnForm *f) {
  bool any = false;
  for (size_t k = 0; k < f->inputs.size; ++k)
    any |= sn_uses_cols(f, f->inputs.data[k].map) && !sn_map_uses(f->inputs.data[k].map, f->num_rows - 1);
  return any;
}

// Rows of a thread where windows go on in steps of several elements: what a warp loads at once lies apart by these,
// too, and L1 takes a turn for each 128 bytes. 8 bytes from thread to thread, or 16 where a thread has little else to
// do, or weights to share. (An H200, ms by four, two, one rows of a thread: an average of 3x3 in steps of 2 of f32
// 4x102x202x202 0.0299, 0.0239, 0.0236; a maximum of 3x3x3 in steps of 3 of f32 26x5x87x87x86 0.0960 by four, 0.0835 by
// one; of 3x3 in steps of 2 of bf16 1435x3x149x149 0.0998 by four, 0.0898 by two; of 3 in steps of 3 of f16
// 6x148x18628 0.0143, 0.0120, 0.0166, of 3 in steps of 3 of f32 144x51x12091 0.118 by four, 0.110, 0.122; a depthwise
// 7x7 in steps of 2 of f32 73x120x42x42 0.0851 by two, 0.0970 by one.)
static int64_t rows_in_steps(const SnGpuRowFacts *a, int64_t step) {
  int64_t most = (a->length <= FEW_TAPS || has_weights(a->form) ? a->lanes : a->lanes / 2) / step;
  return most < 2 && a->length <= FEW_TAPS ? 2 : most < 1 ? 1 : most;
}

// Rows of a thread: as many as make 16 bytes of the widest, while threads are there that fill the device; of windows,
// so that what neighbours share is loaded once, and registers hold it.
static int64_t rows_of_thread(const SnGpuRowFacts *a, bool window) {
  const SnForm *f = a->form;
  // In steps what is loaded is shared by few: a thread has less of it while others are without work.
  int64_t least = a->gpu->multiprocessors * SN_GPU_ROW_THREADS / (window && widest_step(f) > 1 ? 1 : 2);
  int64_t most = window ? a->length > MANY_TAPS && a->lanes < 8 ? 2 : 4 : a->lanes,
          last = f->dims.data[f->num_rows - 1].size, rows = 1, step = window ? widest_step(f) : 1;
  if (a->sums || a->again || sn_gpu_asserts(f) || a->rows == SN_DYNAMIC ||
      (sn_gpu_row_is_wide(f) && (window || a->lanes < 8)))
    return 1;
  if (sn_gpu_row_is_wide(f)) // of half types: two make a word
    most = 2;
  if (step > 1 && most > rows_in_steps(a, step))
    most = rows_in_steps(a, step);
  while (rows * 2 <= most && last % (rows * 2) == 0 &&
         a->rows / (rows * 2) >= least)
    rows *= 2;
  // Of a number that they do not divide the last thread's are its neighbour's, too; lanes that are loaded one by one
  // lie 8 bytes apart.
  if (window && last % (rows * 2) && last >= LEAST_OVERLAP && sn_gpu_not_overlapped(f) == NULL)
    while (rows * 2 <= most && (step > 1 || rows * 2 <= a->lanes / 2) &&
           a->rows / (rows * 2) >= least)
      rows *= 2;
  return rows;
}

// Windows whose outputs are too few for the device's threads: several threads share the taps, four each, and a window
// that stays a thread's is in smaller blocks, which more multiprocessors have. (An H200, an average of 4x4x4 f16 for
// 208 outputs, us: by a block 2.6, by blocks of 32 threads 2.1, by 8 threads each 1.7.)
static void few_windows(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  int64_t all = a->gpu->multiprocessors * SN_GPU_ROW_THREADS, team = 1;
  if (a->rows == SN_DYNAMIC || a->rows < 1 || a->sums || sn_in_sequence(a->form->op))
    return;
  while (team < 32 && team * 2 * LEAST_TAPS <= a->length && sn_times(a->rows, team * 2) <= all / 4)
    team *= 2;
  if (a->length >= 4 * LEAST_TAPS && team > 1) {
    *s = (SnGpuRowSchedule){
        .threads = 128, .vector = 1, .unroll = 1, .cluster = 1, .team = team, .registers = true};
    s->blocks = sn_gpu_row_blocks(a, s, s->threads / team);
    return;
  }
  while (s->threads > 32 && s->rows <= 1 && sn_pieces(a->rows, s->threads) < a->gpu->multiprocessors)
    s->threads /= 2;
}

// Few columns, of which each is a row of neighbours where it is read, and that stand side by side where they are
// written, as pixels are shuffled: a thread has neighbours of each, and writes a vector of them. (An H200, bf16
// 6x512x405x402 by 2: a thread for a pair 1.13 ms, for two neighbouring pairs 0.64.)
static bool interleaves(const SnForm *f) {
  int64_t last = f->num_rows - 1, factors[SN_MAX_DIMS], length = sn_row_length(f);
  if (!f->num_rows || !f->num_cols || !f->inputs.size || length == SN_DYNAMIC || length < 2 ||
      length > MOST_INTERLEAVED)
    return false;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
    if (a->through.ptr || a->fill.ptr || sn_is_table(a) ||
        !sn_linear_factors(a->map, sn_type_of(a->value), factors) || factors[last] != (k < f->inputs.size ? 1 : length))
      return false;
    for (int64_t d = f->num_rows; k < f->inputs.size && d < f->num_rows + f->num_cols; ++d)
      if (factors[d] == 1)
        return false;
  }
  return true;
}

// A thread has a row, or a few neighbours: there are no columns, or the threads of a warp read what lies together.
bool sn_gpu_row_thread(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  bool window = windows(a->form), pairs = !window && interleaves(a->form);
  if (a->columns || (a->form->num_cols && !window && !pairs && !sn_gpu_rows_together(a->form)))
    return false;
  *s = (SnGpuRowSchedule){.threads = 256, .vector = 1, .unroll = 1, .cluster = 1, .team = 1};
  if (a->form->num_cols)
    s->rows = rows_of_thread(a, window);
  if (pairs && s->rows < 2)
    return false;
  // 64 bytes of neighbours under way. (Of squares of 63,264 rows of 320 f32, pairs of columns by a thread, 32 bytes are
  // 17 KB of each multiprocessor of an H200, and its memory needs about 30.)
  int64_t most = s->rows <= 1 ? 16 : window || pairs ? 4 : 4 * a->lanes / s->rows;
  while (a->form->num_cols && s->unroll < most && s->unroll * 2 <= a->length)
    s->unroll *= 2;
  // No loop: which taps are outside is known. (An H200, f32 depthwise, ms by 512 and 1024 threads on a multiprocessor:
  // 7x7 in steps of 2 0.51 and 0.38, 5x5 by four rows of a thread 0.61 and 0.48; 7x7 by halves of the taps 1.07.)
  if (window) {
    s->unroll = a->length;
    int64_t most_taps = a->lanes < 8 ? WRITTEN_OUT : 2 * WRITTEN_OUT;
    s->at_once = a->length * s->rows > most_taps ? SN_GPU_ROW_THREADS / 2 : SN_GPU_ROW_THREADS;
    few_windows(a, s);
    if (s->registers)
      return true;
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
    int64_t fit = 2 * sn_gpu_row_l2(a) / (a->row_bytes > 0 ? a->row_bytes : 1) / s->threads / a->gpu->multiprocessors,
            most = SN_GPU_ROW_THREADS / s->threads;
    int64_t blocks = a->gpu->multiprocessors * (fit < 2 ? 2 : fit > most ? most : fit);
    int64_t most_blocks = a->rows == SN_DYNAMIC ? blocks : a->rows ? sn_pieces(a->rows, s->threads) : 1;
    s->blocks = blocks < most_blocks ? blocks : most_blocks;
  }
  return true;
}

// Bytes that a thread leaves for other warps where each has a part of a row: a number of each reduction, in places of
// their own (lowering/gpu/meet/cluster.c).
static int64_t left_by_thread(const SnForm *f) {
  int64_t bytes = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    for (intptr_t k = 0; k < sn_num_results(op) && sn_row_op_has(op, SN_READS_ALL); ++k)
      bytes += sn_bits(sn_element(sn_type_of(sn_result(op, k)))) > 32 ? 8 : 4;
  return bytes;
}

// A block has 32 rows that lie together, in registers: each warp some of the columns, of which a thread keeps up to 24
// registers.
bool sn_gpu_row_tile(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  if (a->columns || !a->again || !a->form->num_cols || a->length == SN_DYNAMIC || a->length < 4 ||
      !sn_gpu_rows_together(a->form))
    return false;
  *s = (SnGpuRowSchedule){.threads = 64, .vector = 1, .unroll = 1, .cluster = 1, .registers = true, .tile = true};
  while (s->threads < SN_GPU_ROW_THREADS && sn_pieces(a->length, s->threads / 32) * a->live > 24)
    s->threads *= 2;
  if (sn_pieces(a->length, s->threads / 32) * a->live > SN_GPU_ROW_HELD ||
      s->threads / 32 * 33 * left_by_thread(a->form) > SN_GPU_ROW_TEAM_SHARED)
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
  if (sn_gpu_row_is_wide(a->form)) // each element takes two registers more as soon as it is there
    s->unroll = 4;
  // Where something is stored of each as well, its place takes two more. (An H200, a softmax over the first dimension
  // of f16 1852x48x72x11 `?`, ms by 8 loads at once 0.231, 260 bytes of them spilled, by 4 0.182, by 2 0.162.)
  if (a->again)
    s->unroll = 2;
  while (s->threads < most_threads && 2 * s->threads * values <= SN_GPU_ROW_TEAM_SHARED)
    s->threads *= 2;
  s->team = s->threads; // not said
  s->blocks = sn_gpu_row_blocks(a, s, 32);
  return true;
}

// Rows so few that tiles of 32 would leave most multiprocessors idle: a block has one by itself, though what it loads
// lies in a sector of its own, and the sector comes from L2 once for each row in it. That moves 32 bytes for each
// element at 5 TB/s, and a tile's multiprocessor takes in 33 GB/s. (An H200, a minimum with its index of 5814 f32 over
// 129 columns: 0.0194 ms by 5 tiles, 0.0067 by 129 blocks of 256 threads.)
static bool row_of_block(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  int64_t tiles = sn_pieces(a->rows, 32), bytes = 16 / a->lanes;
  if (tiles * 32 >= a->gpu->multiprocessors * bytes || a->length < LEAST_OF_ROW || sn_in_sequence(a->form->op))
    return false;
  *s = (SnGpuRowSchedule){.threads = 256, .vector = 1, .unroll = 8, .cluster = 1, .team = 1024};
  s->blocks = sn_gpu_row_blocks(a, s, 1);
  return true;
}

// And where there are fewer rows than threads: warps share a row's columns. Blocks take the size by which all tiles
// take the fewest turns of all threads. (A minimum with its index of 4278 f32 over 19,926 columns, by a thread each: 78
// blocks of 256 threads have 1.3 MB under way, which is a third of what memory needs.)
bool sn_gpu_row_by_warps(const SnGpuRowFacts *a, SnGpuRowSchedule *s) {
  int64_t all = a->gpu->multiprocessors * SN_GPU_ROW_THREADS;
  if (sn_gpu_row_warps(a, s, SN_GPU_ROW_THREADS))
    return true;
  if (a->columns || !a->form->num_cols || a->length == SN_DYNAMIC || a->length < 4 * LEAST_OF_WARP ||
      a->rows == SN_DYNAMIC || a->rows > all / 2 || !sn_gpu_rows_together(a->form))
    return false;
  if (row_of_block(a, s))
    return true;
  *s = (SnGpuRowSchedule){.threads = 64, .vector = 1, .unroll = 1, .cluster = 1, .tile = true};
  int64_t values = (int64_t)sn_row_op_count(a->form->body, SN_READS_ALL) * 8, // of a thread, in shared memory
      tiles = sn_pieces(a->rows, 32), least = INT64_MAX;
  for (int64_t threads = 64; threads <= SN_GPU_ROW_THREADS; threads *= 2) {
    int64_t turns = sn_pieces(tiles, a->gpu->multiprocessors * (SN_GPU_ROW_THREADS / threads));
    if (threads > 64 && (threads * values > SN_GPU_ROW_TEAM_SHARED || a->length < LEAST_OF_WARP * (threads / 32)))
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
