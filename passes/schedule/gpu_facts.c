// gpu_facts.c: what a rowwise form is like, for its schedule on a GPU.
//
//   ^row(%x: tensor<8192xf32>):                       lanes = 4: of the widest row in memory, in 16 bytes
//     %m = sinter.row_reduce maximumf %x
//     %y = arith.subf %x, %m                          again: what is stored waits for %m
//     sinter.yield %y                                 live = 1: %x, from phase to phase
//
// `live` counts registers: what phases make of an element and later ones take, at most. What costs nothing to make
// again is not counted, and what is widened counts as it waits. Where less is read than made, what was read is kept
// alone, and the rest is made again (`remake`); of long rows halves stay two in a register then.
//
// test: test/passes/schedule/gpu_families.mlir, schedule/gpu_elements.mlir

#include "passes/schedule/gpu_facts.h"
#include "dialect/row_ops.h"
#include "dialect/sequence.h"
#include "lowering/rows/rowmemory.h"

#define MOST_OF_BLOCK 4096 // elements of a row that a block has by itself, with two registers each
#define LEAST_APART 8 // bytes of a vector that is loaded by elements

static int64_t bytes_of(MlirType element) { return (sn_bits(element) + 7) / 8; }

// The widest element of a row in memory, and all the row inputs' bytes.
static int64_t widest(const SnForm *f, int64_t *row_bytes) {
  int64_t most = 1, length = sn_row_length(f);
  if (length == SN_DYNAMIC)
    length = 1;
  *row_bytes = 0;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    MlirType element = sn_element(sn_type_of(f->inputs.data[k].value));
    if (!mlirTypeIsARankedTensor(sn_access_type(f, &f->inputs.data[k])))
      continue;
    if ((f->num_rows || sn_in_sequence(f->op)) && !sn_uses_rows(f, f->inputs.data[k].map)) // stays in cache
      continue;
    most = bytes_of(element) > most ? bytes_of(element) : most;
    *row_bytes = sn_times(1, *row_bytes + sn_times(length, bytes_of(element)));
  }
  for (size_t k = 0; k < f->outputs.size; ++k) {
    MlirType element = sn_element(sn_type_of(f->outputs.data[k].value));
    if (sn_uses_cols(f, f->outputs.data[k].map) && !sn_is_reduced(f, k) && bytes_of(element) > most)
      most = bytes_of(element);
  }
  return most;
}

// Some row that is stored, or added to sums of columns, needs the result of a row_reduce.
static bool reads_again(const SnForm *f) {
  SnMap behind = {0}; // values that do
  bool found = false;
  MlirOperation end = mlirBlockGetTerminator(f->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    bool is = sn_row_op_has(op, SN_READS_ALL);
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

// Adds what a phase has to make for `v` to `made`, and to `live` what it takes for that from earlier ones, in registers
// of 32 bits.
static void make(const SnRowProgram *p, MlirValue v, SnValueVec *made, size_t before, SnValueVec *taken) {
  for (size_t i = 0; i < made->size; ++i)
    if (sn_same(made->data[i], v)) {
      bool again = i >= before;
      for (size_t t = 0; t < taken->size && !again; ++t)
        again = sn_same(taken->data[t], v);
      if (!again)
        sn_push(taken, v);
      return;
    }
  MlirOperation op = sn_definer(v);
  if (!sn_is_row(v) || (!sn_null(op) && sn_row_op_cost(op) == SN_COST_NONE))
    return; // costs nothing to make again
  for (intptr_t k = 0; !sn_null(op) && k < sn_num_operands(op); ++k)
    if (sn_is_row(sn_operand(op, k)))
      make(p, sn_operand(op, k), made, before, taken);
  sn_push(made, v);
}

// Registers that one element takes from phase to phase at most.
static int64_t live_values(const SnForm *f, bool longer) {
  SnRowProgram p = sn_row_program(f, sn_values(0, NULL));
  SnValueVec made = {0};
  int64_t most = 1;
  SnValueVec *taken = sn_alloc((p.phases.size + 1) * sizeof *taken);
  size_t *made_before = sn_alloc((p.phases.size + 1) * sizeof *made_before);
  for (size_t i = 0; i < p.phases.size; ++i) {
    taken[i] = (SnValueVec){0};
    made_before[i] = made.size;
    for (size_t r = 0; r < p.phases.data[i].reduces.size; ++r)
      make(&p, sn_operand(p.phases.data[i].reduces.data[r], 0), &made, made_before[i], &taken[i]);
    for (size_t y = 0; y < p.phases.data[i].yields.size; ++y)
      make(&p, sn_row_yield(&p, p.phases.data[i].yields.data[y]), &made, made_before[i], &taken[i]);
  }
  for (size_t i = 1; i < p.phases.size; ++i) { // what was made in front of phase i and is taken in it or behind it
    int64_t bits = 0;
    for (size_t m = 0; m < made_before[i]; ++m) {
      bool is = false;
      for (size_t k = i; k < p.phases.size; ++k)
        for (size_t t = 0; t < taken[k].size; ++t)
          is |= sn_same(taken[k].data[t], made.data[m]);
      MlirOperation extended = longer ? (MlirOperation){0} : sn_def(made.data[m], "arith.extf"); // of what waits for it
      unsigned own = sn_bits(sn_element(sn_type_of(sn_null(extended) ? made.data[m] : sn_operand(extended, 0))));
      bits += is ? own < 32 ? 32 : own : 0;
    }
    most = bits / 32 > most ? bits / 32 : most;
  }
  for (size_t i = 0; i < p.phases.size; ++i)
    sn_vec_free(&taken[i]);
  free(taken);
  free(made_before);
  sn_vec_free(&made);
  sn_row_program_free(&p);
  return most;
}

// Registers of what is read of an element in any phase.
static int64_t all_values(const SnForm *f) {
  int64_t bits = 0;
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(f->body); ++k) {
    MlirValue v = mlirBlockGetArgument(f->body, k);
    unsigned own = sn_bits(sn_element(sn_type_of(v)));
    bits += sn_is_row(v) ? own < 32 ? 32 : own : 0;
  }
  return bits < 32 ? 1 : bits / 32;
}

// Notes of every row that is read for v that phase i needs it. `seen`: of this phase, of which each is looked at once.
static void note_reads(const SnForm *f, MlirValue v, size_t i, SnValueVec *seen, size_t *first, size_t *last) {
  MlirOperation op = sn_definer(v);
  for (size_t k = 0; k < seen->size; ++k)
    if (sn_same(seen->data[k], v))
      return;
  if (!sn_is_row(v))
    return;
  sn_push(seen, v);
  if (!mlirValueIsABlockArgument(v)) {
    for (intptr_t k = 0; !sn_null(op) && k < sn_num_operands(op); ++k)
      note_reads(f, sn_operand(op, k), i, seen, first, last);
    return;
  }
  size_t k = (size_t)mlirBlockArgumentGetArgNumber(v);
  first[k] = first[k] < i ? first[k] : i;
  last[k] = i;
}

// The same as live_values, where only what is read waits. `halves`: of so many elements of 16 bits each, of which two
// share a register; 0: not all of it is.
static int64_t read_values(const SnForm *f, int64_t *halves) {
  SnRowProgram p = sn_row_program(f, sn_values(0, NULL));
  intptr_t n = mlirBlockGetNumArguments(f->body);
  size_t *first = sn_alloc((size_t)(n + 1) * sizeof *first), *last = sn_alloc((size_t)(n + 1) * sizeof *last);
  int64_t most = 1, narrow = 0;
  for (intptr_t k = 0; k < n; ++k) {
    first[k] = p.phases.size;
    last[k] = 0;
  }
  for (size_t i = 0; i < p.phases.size; ++i) {
    SnValueVec seen = {0};
    for (size_t r = 0; r < p.phases.data[i].reduces.size; ++r)
      note_reads(f, sn_operand(p.phases.data[i].reduces.data[r], 0), i, &seen, first, last);
    for (size_t y = 0; y < p.phases.data[i].yields.size; ++y)
      note_reads(f, sn_row_yield(&p, p.phases.data[i].yields.data[y]), i, &seen, first, last);
    sn_vec_free(&seen);
  }
  *halves = 1;
  for (size_t i = 1; i < p.phases.size; ++i) {
    int64_t bits = 0, half = 0;
    for (intptr_t k = 0; k < n; ++k) {
      unsigned own = sn_bits(sn_element(sn_type_of(mlirBlockGetArgument(f->body, k))));
      if (first[k] >= i || last[k] < i)
        continue;
      bits += own < 32 ? 32 : own;
      half += own == 16;
      *halves = own == 16 ? *halves : 0;
    }
    most = bits / 32 > most ? bits / 32 : most;
    narrow = half > narrow ? half : narrow;
  }
  *halves *= narrow;
  free(first);
  free(last);
  sn_row_program_free(&p);
  return most;
}

// No row that differs from row to row would have to be put together of elements: (j, k) of x[j, i, k] with k of an odd
// size. (Gathered ones are, whatever their vectors.) With `aligned`, none is loaded by elements: x[i, j + 1].
static bool has_vectors(const SnForm *f, int64_t width, bool aligned) {
  for (size_t k = 0; k < f->inputs.size; ++k) {
    const SnAccess *a = &f->inputs.data[k];
    int64_t factors[SN_MAX_DIMS];
    bool plain = (f->num_cols > 1 || aligned) && !a->through.ptr && !a->fill.ptr && !sn_is_table(a) &&
                 sn_uses_cols(f, a->map) && sn_uses_rows(f, a->map) &&
                 mlirShapedTypeHasStaticShape(sn_type_of(a->value)) &&
                 sn_linear_factors(a->map, sn_type_of(a->value), factors);
    if (plain && factors[f->num_rows + f->num_cols - 1] == 1 &&
        !(aligned ? sn_row_is_aligned(f, a, width, false) : sn_row_has_vectors(f, a, width)))
      return false;
  }
  return true;
}

SnGpuRowFacts sn_schedule_gpu_facts(const SnForm *f, const SnGpuChip *gpu) {
  SnGpuRowFacts a = {.form = f,
                     .gpu = gpu,
                     .rows = sn_num_rows(f),
                     .length = sn_row_length(f),
                     .least = 1,
                     .again = reads_again(f),
                     .sums = sn_joins_rows(f)};
  a.packed = sn_gpu_packed_rows(f);
  a.lanes = a.vector = 16 / widest(f, &a.row_bytes);
  if (a.length == SN_DYNAMIC)
    a.vector = 1;
  while (a.vector > 1 && a.length % a.vector)
    a.vector /= 2;
  while (a.vector > 1 && a.length != SN_DYNAMIC && !has_vectors(f, a.vector, false))
    a.vector /= 2;
  // Elements that threads load one by one lie a vector apart: L1 takes a turn for each 128 bytes between them.
  bool meets = a.again || a.sums || sn_row_op_count(f->body, SN_READS_ALL);
  while (a.vector > LEAST_APART * a.lanes / 16 && !meets && f->num_cols && a.length != SN_DYNAMIC &&
         !has_vectors(f, a.vector, true))
    a.vector /= 2;
  // Of rows that blocks share, counts are exact: fewer registers are fewer blocks that wait for each other.
  bool longer = a.length != SN_DYNAMIC && a.length > MOST_OF_BLOCK;
  int64_t halves = 0, read = longer ? read_values(f, &halves) : all_values(f);
  a.live = live_values(f, longer);
  a.remake = !(a.packed && a.vector > 1) && (read < a.live || (halves && a.vector > 1 && halves < 2 * a.live));
  a.live = a.remake ? read : a.live;
  a.halves = a.remake && a.vector > 1 ? halves : 0;
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map)) {
      int64_t bytes = bytes_of(f->accumulators.data[k].type);
      a.column_bytes = bytes > a.column_bytes ? bytes : a.column_bytes;
      ++a.columns;
    }
  return a;
}
