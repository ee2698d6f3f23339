// gpu_held.c: what a form in a loop of a launch keeps in registers from turn to turn.
//
//   scf.for ... { %y = rowwise (i = 1024) by (k = 1024) ins(%h[k], %w[k, i], ...) }      %w is from outside
//   ->
//   64 threads for each row, 8 rows side by side in a block of the launch: a thread has 16 elements of each %w[k, i]
//
// Each row has threads of its own, so that a thread works on the same elements in each turn. All rows are at work at
// once, and each is read once in the launch and not once in a turn. (An H200: registers of 132 blocks of 512 threads
// with 64 of 128 for that hold 17 MB.)
//
// test: test/passes/schedule/gpu_held.mlir, test/gpu/sequence_loops.test

#include "lowering/facts/gpu_forms.h"

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

bool sn_gpu_plan_held(const SnForm *f, int64_t multiprocessors, SnGpuHeld *held) {
  int64_t rows = sn_num_rows(f), length = sn_row_length(f), widest = 8, words = 0, any = 0;
  if (!is_in_loop(f) || f->contract || !f->num_cols || f->accumulators.size || rows == SN_DYNAMIC ||
      length == SN_DYNAMIC || !rows || !length)
    return false;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_uses_cols(f, f->inputs.data[k].map) && bits_of(f, k) > widest)
      widest = bits_of(f, k);
  *held = (SnGpuHeld){.team = THREADS, .vector = 128 / widest};
  while (held->team > THREADS / MOST_BESIDE && multiprocessors * (THREADS / held->team) < rows)
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
  return any && words <= WORDS && held->vectors <= SN_GPU_MOST_RESIDENT &&
         multiprocessors * (THREADS / held->team) >= rows;
}
