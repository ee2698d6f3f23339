// schedule_gpu_rows.c: a rowwise form on a GPU.
//
//   #sinter.gpu_rows<threads = 512, blocks = 264, occupancy = 2, vector = 4, unroll = 4, residency = "reread">
//
// A block of threads runs a row; a thread loads `vector` consecutive columns at
// once, 16 bytes of the widest row in memory, and `unroll` such vectors before it uses the
// first. The grid is as large as what runs at once, so that a block goes from row to row
// and its part of a reduction stays in registers; it is fixed here, because the order of a
// reduction depends on it. 1024 threads on each of 132 multiprocessors (H100 SXM, H200)
// have 64 registers each, and with 4 vectors of 16 bytes 64 KB under way, more than the
// latency of memory needs.
//
// A row whose output waits for a reduction is read again. Then all the rows at work should fit in L2 (50 to 60 MB),
// half of it, for what is written passes through it too: blocks are fewer and larger.

#include "passes/schedule.h"

#define MULTIPROCESSORS 132
#define THREADS 1024           // on each of them
#define L2_BYTES (32 << 20)    // of rows at work

static int64_t bytes_of(MlirType element) { return (sn_bits(element) + 7) / 8; }

// The widest element of a row in memory, and all the row inputs' bytes.
static int64_t widest(const SnForm *f, int64_t *row_bytes) {
  int64_t most = 1, length = sn_row_length(f);
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

MlirAttribute sn_schedule_gpu_rows(const SnForm *f, const SnScheduleOptions *options) {
  int64_t length = sn_row_length(f), row_bytes, vector = 16 / widest(f, &row_bytes), most = 512;
  if (length == SN_DYNAMIC)
    length = 1;
  // Every row begins at a whole vector.
  while (vector > 1 && length % vector)
    vector /= 2;
  int64_t vectors = length / vector, rows_at_once = THREADS / 32;
  if (reads_again(f)) {
    most = THREADS;
    while (rows_at_once > 1 && rows_at_once * MULTIPROCESSORS * row_bytes > L2_BYTES)
      rows_at_once /= 2;
  }
  // Two vectors or more for each thread, but no fewer threads than fill a multiprocessor.
  int64_t threads = most;
  while (threads > 32 && (threads * 2 > vectors) && THREADS / threads < rows_at_once)
    threads /= 2;
  if (f->num_cols == 0) // a thread runs a row
    threads = 256;
  int64_t occupancy = THREADS / threads, unroll = 4;
  while (unroll > 1 && threads * unroll > vectors)
    unroll /= 2;
  MlirLocation loc = mlirOperationGetLocation(f->op);
  return sn_schedule_attr(loc, "gpu_rows",
                          sn_parse_attr(mlirLocationGetContext(loc),
                                        "{threads = %lld, blocks = %lld, occupancy = %lld, vector = %lld, unroll = %lld, residency = \"reread\"}",
                                        (long long)threads, (long long)(occupancy * MULTIPROCESSORS), (long long)occupancy, (long long)vector,
                                        (long long)unroll));
}
