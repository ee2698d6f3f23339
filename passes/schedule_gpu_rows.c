// schedule_gpu_rows.c: a rowwise form on a GPU.
//
//   #sinter.gpu_rows<threads = 512, blocks = 264, occupancy = 2, vector = 4, unroll = 4, residency = "reread">
//   #sinter.gpu_rows<threads = 512, blocks = 240, occupancy = 2, vector = 4, residency = "registers", cluster = 8>
//
// A block of threads runs a row; a thread loads `vector` consecutive columns at once, 16 bytes
// of the widest row in memory, and `unroll` such vectors before it uses the first. 1024
// threads on a multiprocessor have 64 registers each, and with 4 vectors of 16 bytes
// 64 KB under way, more than the latency of memory needs. The grid is what runs at once, so that
// a block goes from row to row and its part of a reduction stays in registers; it is fixed
// here, because the order of a reduction depends on it.
//
// A row whose output waits for a reduction stays in registers, at most 32 values a thread (16 if
// some are f64), if need be of a cluster of up to 8 blocks. Several blocks on a
// multiprocessor, at different rows, fill each other's waits: 512 threads at most. Rows that
// feed no reduction over rows get a block each, not a place in turn: they end when they end. Rows longer than 131072
// values are read again; all the rows at work should fit in half of L2 (50 to 60 MB) then, for what is
// written passes through it too: blocks are fewer and larger.
//
// Measured on an H200 (f32, percent of a copy, registers and read again): layer norm of 4096 columns 97 and 83,
// softmax of 65536 91 and 65, cross entropy with its gradient of 128256 86 and 65 (bench/results).

#include "passes/schedule.h"
#include <stdio.h>

#define MULTIPROCESSORS 132
#define THREADS 1024           // on each of them
#define L2_BYTES (32 << 20)    // of rows at work
#define MOST_BLOCKS (1 << 20)

static int64_t bytes_of(MlirType element) { return (sn_bits(element) + 7) / 8; }

// The widest element of a row in memory, and all the row inputs' bytes.
static int64_t widest(const SnForm *f, int64_t *row_bytes) {
  int64_t most = 1, length = sn_row_length(f);
  if (length == SN_DYNAMIC) // the lowering refuses it by name, whatever the schedule
    length = 1;
  *row_bytes = 0;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    MlirType element = sn_element(sn_type_of(f->inputs.data[k].value));
    if (!mlirTypeIsARankedTensor(sn_access_type(f, &f->inputs.data[k])))
      continue;
    most = bytes_of(element) > most ? bytes_of(element) : most;
    if (sn_uses_rows(f, f->inputs.data[k].map)) // others stay in cache
      *row_bytes += length * bytes_of(element);
  }
  for (size_t k = 0; k < f->outputs.size; ++k) {
    MlirType element = sn_element(sn_type_of(f->outputs.data[k].value));
    if (sn_uses_cols(f, f->outputs.data[k].map) && bytes_of(element) > most)
      most = bytes_of(element);
  }
  return most;
}

// Some row that is stored needs the result of a row_reduce.
static bool reads_again(const SnForm *f) {
  SnMap behind = {0}; // values that do
  bool found = false;
  MlirOperation end = mlirBlockGetTerminator(f->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op)) {
    bool is = sn_is(op, "sinter.row_reduce");
    for (intptr_t k = 0; k < sn_num_operands(op); ++k)
      is |= !sn_none(sn_mapped(&behind, sn_operand(op, k)));
    for (intptr_t k = 0; is && k < sn_num_results(op); ++k)
      sn_map(&behind, sn_result(op, k), sn_result(op, k));
  }
  for (intptr_t k = 0; k < sn_num_operands(end); ++k)
    found |= sn_is_row(sn_operand(end, k)) && !sn_none(sn_mapped(&behind, sn_operand(end, k)));
  sn_map_free(&behind);
  return found;
}

typedef struct {
  int64_t threads, blocks, vector, unroll, cluster;
  bool registers;
} Schedule;

static bool computes_f64(const SnForm *f) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    for (intptr_t k = 0; k < sn_num_results(op); ++k)
      if (sn_is_row(sn_result(op, k)) && sn_is_float(sn_element(sn_type_of(sn_result(op, k)))) && sn_bits(sn_element(sn_type_of(sn_result(op, k)))) > 32)
        return true;
  return false;
}

// Clusters that run at once: their blocks share a GPC, and some of its multiprocessors
// stay idle if their number is no multiple (cuOccupancyMaxActiveClusters, H200).
static int64_t clusters_at_once(int64_t size, int64_t occupancy) {
  return occupancy * (size == 1 ? MULTIPROCESSORS : size == 2 ? 66 : size == 4 ? 30 : 15);
}

static bool in_registers(const SnForm *f, int64_t vectors, int64_t rows, Schedule *s) {
  int64_t kept = (computes_f64(f) ? 16 : 32) / s->vector;
  kept = kept < 1 ? 1 : kept > 16 ? 16 : kept;
  s->threads = 32;
  s->cluster = 1;
  while (s->threads < 512 && s->threads * kept < vectors)
    s->threads *= 2;
  while (s->cluster <= 8 && s->threads * s->cluster * kept < vectors)
    s->cluster *= 2;
  if (s->cluster > 8)
    return false;
  // A row does not wait alone: few rows get more threads.
  while (s->threads < 512 && s->threads < vectors && rows * s->threads < MULTIPROCESSORS * THREADS)
    s->threads *= 2;
  bool alone = !f->accumulators.size && rows <= MOST_BLOCKS / s->cluster;
  s->blocks = s->cluster * (alone ? rows : clusters_at_once(s->cluster, THREADS / s->threads));
  s->registers = true;
  return true;
}

static void read_again(int64_t vectors, int64_t row_bytes, bool again, Schedule *s) {
  int64_t rows_at_once = THREADS / 32;
  while (again && rows_at_once > 1 && rows_at_once * MULTIPROCESSORS * row_bytes > L2_BYTES)
    rows_at_once /= 2;
  // Four vectors or more for each thread, but no fewer threads than fill a multiprocessor.
  s->threads = again ? THREADS : 512;
  while (s->threads > 32 && s->threads * 4 > vectors && THREADS / s->threads < rows_at_once)
    s->threads /= 2;
  s->unroll = 4;
  while (s->unroll > 1 && s->threads * s->unroll > vectors)
    s->unroll /= 2;
  s->cluster = 1;
  s->registers = false;
  s->blocks = THREADS / s->threads * MULTIPROCESSORS;
}

MlirAttribute sn_schedule_gpu_rows(const SnForm *f, const SnScheduleOptions *options) {
  int64_t length = sn_row_length(f), rows = sn_num_rows(f), row_bytes;
  Schedule s = {.vector = 16 / widest(f, &row_bytes), .unroll = 1, .cluster = 1};
  if (length == SN_DYNAMIC)
    length = 1;
  if (rows == SN_DYNAMIC || rows < 1)
    rows = 1;
  // Every row begins at a whole vector.
  while (s.vector > 1 && length % s.vector)
    s.vector /= 2;
  int64_t vectors = length / s.vector;
  bool again = reads_again(f);
  if (!f->num_cols) { // a thread runs a row
    s.threads = 256;
    s.blocks = THREADS / s.threads * MULTIPROCESSORS;
  } else if (!again || !in_registers(f, vectors, rows, &s)) {
    read_again(vectors, row_bytes, again, &s);
  }
  MlirLocation loc = mlirOperationGetLocation(f->op);
  char residency[64];
  if (s.registers)
    snprintf(residency, sizeof residency, "residency = \"registers\", cluster = %lld", (long long)s.cluster);
  else
    snprintf(residency, sizeof residency, "unroll = %lld, residency = \"reread\"", (long long)s.unroll);
  return sn_schedule_attr(loc, "gpu_rows",
                          sn_parse_attr(mlirLocationGetContext(loc), "{threads = %lld, blocks = %lld, occupancy = %lld, vector = %lld, %s}",
                                        (long long)s.threads, (long long)s.blocks, (long long)(THREADS / s.threads), (long long)s.vector, residency));
}
