// gpu_held.c: what a form of a launch keeps in registers from turn to turn of a loop, or over the wait for its phase.
//
//   scf.for ... { %y = rowwise (i = 1024) by (k = 1024) ins(%h[k], %w[k, i], ...) }      %w is from outside
//   ->
//   64 threads for each row, 8 rows side by side in a block of the launch: a thread has 16 elements of each %w[k, i]
//
// Each row has threads of its own, so that a thread works on the same elements in each turn. All rows are at work at
// once, and each is read once in the launch and not once in a turn. (An H200: registers of 132 blocks of 512 threads
// with 64 of 128 for that hold 17 MB.)
//
// A form in no loop reads what it holds while its block waits for others to be done with the phase before; 2048 rows of
// 2048 bf16 have a warp each, with 32 registers of a thread.
//
// test: test/passes/schedule/gpu_held.mlir, test/gpu/sequence_loops.test

#include "lowering/facts/gpu_forms.h"
#include "lowering/rows/rowmemory.h"

enum {
  THREADS = 512,   // of a block of the launch (passes/schedule/gpu_sequences.c)
  WORDS = 64,      // of 128 registers of a thread
  MOST_BESIDE = 8, // rows of a block whose threads meet at barriers of their own
};

static bool is_of_loop(const SnForm *f, MlirValue v) {
  MlirOperation made = sn_definer(v);
  MlirBlock block = sn_null(made) ? mlirBlockArgumentGetOwner(v) : mlirOperationGetBlock(made);
  return mlirBlockEqual(block, mlirOperationGetBlock(f->op));
}

bool sn_gpu_may_hold(const SnForm *f, size_t k) {
  const SnAccess *a = &f->inputs.data[k];
  return sn_uses_cols(f, a->map) && !a->fill.ptr && !a->through.ptr && !sn_is_table(a) && !is_of_loop(f, a->value);
}

static int64_t bits_of(const SnForm *f, size_t k) {
  MlirType element = sn_element(sn_type_of(f->inputs.data[k].value));
  return mlirTypeIsAIndex(element) ? 64 : (int64_t)sn_bits(element);
}

static bool is_in_loop(const SnForm *f) { return sn_is(mlirOperationGetParentOperation(f->op), "scf.for"); }

bool sn_gpu_has_room_to_hold(const SnForm *f, int64_t multiprocessors) {
  int64_t elements = sn_times(sn_num_rows(f), sn_row_length(f)), bytes = 0;
  if (!is_in_loop(f) || sn_num_rows(f) == SN_DYNAMIC || sn_row_length(f) == SN_DYNAMIC)
    return false;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_gpu_may_hold(f, k) && sn_uses_rows(f, f->inputs.data[k].map))
      bytes += sn_times(elements, bits_of(f, k)) / 8;
  return bytes && bytes <= multiprocessors * THREADS * WORDS * 4;
}

// Of a form in no loop it is worth it where the wait for its phase hides what memory takes of much that lies together.
enum { LEAST_OVER_WAIT = 1 << 20, WORDS_OVER_WAIT = 32 };
static bool is_worth_over_wait(const SnForm *f) {
  int64_t elements = sn_times(sn_num_rows(f), sn_row_length(f)), bytes = 0;
  bool together = true;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_gpu_may_hold(f, k) && sn_uses_rows(f, f->inputs.data[k].map)) {
      bytes += sn_times(elements, bits_of(f, k)) / 8;
      together &= sn_unit_stride(f->inputs.data[k].map, (intptr_t)(f->num_rows + f->num_cols) - 1);
    }
  return together && bytes >= LEAST_OVER_WAIT;
}

bool sn_gpu_plan_held(const SnForm *f, int64_t multiprocessors, SnGpuHeld *held) {
  int64_t rows = sn_num_rows(f), length = sn_row_length(f), widest = 8, words = 0, any = 0;
  bool turns = is_in_loop(f);
  if (f->contract || !f->num_cols || sn_joins_rows(f) || rows == SN_DYNAMIC || length == SN_DYNAMIC || !rows ||
      !length || (!turns && !is_worth_over_wait(f)))
    return false;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_uses_cols(f, f->inputs.data[k].map) && bits_of(f, k) > widest)
      widest = bits_of(f, k);
  *held = (SnGpuHeld){.team = THREADS, .vector = 128 / widest};
  while (held->team > (turns ? THREADS / MOST_BESIDE : 32) && multiprocessors * (THREADS / held->team) < rows)
    held->team /= 2;
  while (held->vector > 1 && (length % held->vector || 32 * held->vector > length))
    held->vector /= 2;
  while (held->team > 32 && held->team / 2 * held->vector >= length)
    held->team /= 2;
  held->vectors = sn_pieces(length, held->team * held->vector);
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_gpu_may_hold(f, k)) {
      words += held->vectors * sn_pieces(held->vector * bits_of(f, k), 32);
      any |= sn_uses_rows(f, f->inputs.data[k].map);
    }
  return any && words <= (turns ? WORDS : WORDS_OVER_WAIT) && held->vectors <= SN_GPU_MOST_RESIDENT &&
         multiprocessors * (THREADS / held->team) >= rows;
}
