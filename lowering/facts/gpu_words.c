// gpu_words.c: what turns of a loop hand each other as words that say by themselves of which turn they are.
//
//   scf.for %t iter_args(%h, %c) { %h1, %c1 = rowwise (i = 1024) by (k = 1024) ins(%h[k], %c[i], %w[k, i]) }
//   ->
//   %h: each element is a word of 64 bits, its turn above; who reads %h waits for all words of the turn
//   %c: read where its own row made it, by the same threads
//
// A barrier of all blocks stores, counts, polls the counter, and only then reads: four times across the chip. A word is
// stored and polled. What makes it right:
//
// * (W1) the loop has one form, whose rows have threads of their own that hold what they read (`held`): all of its
//   blocks run at once, and the same one has a row in each turn.
// * (W2) what a turn reads of the turn before is words, or its own row's. Else what the loop stores is not read in it.
// * (W3) a row makes one element of what is handed on, and all of them are made: none is waited for in vain.
// * (W4) a block takes all words, at once, before it works, and makes one or more. So one who has all words of turn t
//   knows that all others have taken those of t - 1, whose memory is the next ones': two memories are enough.
// * (W5) there is a phase in front of the loop: words of an earlier launch are cleared before it ends.
//
// test: test/passes/schedule/gpu_words.mlir, test/lowering/gpu/sequence_words.mlir, test/gpu/recurrent.test

#include "lowering/facts/gpu_sequence.h"
#include "dialect/dialect.h"
#include "dialect/schedules.h"
#include "lowering/rows/rowmemory.h"

static MlirBlock body_of(const SnSequenceLoop *loop) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(loop->op, 0));
}

// Under reshapes alone.
static MlirValue base_of(MlirValue v) {
  for (MlirOperation op = sn_definer(v); sn_is_view(op); op = sn_definer(v))
    v = sn_operand(op, 0);
  return v;
}

// Which of the form's outputs the loop carries there in the next turn; SIZE_MAX: none.
static size_t carried_by(const SnForm *f, MlirValue yielded) {
  for (size_t o = 0; o < f->outputs.size; ++o) {
    MlirValue made = sn_num_results(f->op) ? sn_result(f->op, (intptr_t)o) : f->outputs.data[o].value;
    if (sn_same(sn_viewed(made), sn_viewed(yielded)))
      return o;
  }
  return SIZE_MAX;
}

// Each subscript is a dimension, or 0.
static bool is_plain(const SnAccess *a) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, i);
    if (sn_map_dim(a->map, i) < 0 && !(mlirAffineExprIsAConstant(e) && !mlirAffineConstantExprGetValue(e)))
      return false;
  }
  return !a->fill.ptr && !a->through.ptr && !sn_is_table(a);
}

// The row's own element, as the output made it.
static bool is_own(const SnForm *f, const SnAccess *read, const SnAccess *made) {
  int64_t of_read[SN_MAX_DIMS], of_made[SN_MAX_DIMS];
  if (!is_plain(read) || !is_plain(made) || sn_uses_cols(f, read->map) || sn_uses_cols(f, made->map) ||
      !sn_linear_factors(read->map, sn_type_of(read->value), of_read) ||
      !sn_linear_factors(made->map, sn_type_of(made->value), of_made))
    return false;
  for (size_t d = 0; d < f->dims.size; ++d)
    if (f->dims.data[d].size != 1 && of_read[d] != of_made[d])
      return false;
  return true;
}

// Its rows make all elements, one each.
static bool is_handed(const SnForm *f, size_t o) {
  const SnAccess *a = &f->outputs.data[o];
  MlirType t = sn_type_of(a->value), element = sn_element(t);
  int64_t elements = 1;
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    elements = sn_times(elements, sn_dim(t, d));
  return is_plain(a) && !sn_uses_cols(f, a->map) && !sn_is_reduced(f, o) && elements == sn_num_rows(f) &&
         !mlirTypeIsAIndex(element) && sn_bits(element) >= 8 && sn_bits(element) <= 32;
}

static bool is_written(const SnSequence *s, const SnSequenceLoop *loop, const SnForm *f, MlirValue v) {
  return !sn_num_results(f->op) && sn_sequence_writes(s, loop->first, sn_viewed(v));
}

static bool reads_words(const SnSequence *s, const SnSequenceLoop *loop, const SnForm *f, SnGpuWords *words) {
  MlirOperation yield = mlirBlockGetTerminator(body_of(loop));
  for (size_t k = 0; k < f->inputs.size; ++k) {
    const SnAccess *a = &f->inputs.data[k];
    MlirValue base = base_of(a->value), under = sn_viewed(a->value);
    bool carried = mlirValueIsABlockArgument(under) && mlirBlockEqual(mlirBlockArgumentGetOwner(under), body_of(loop));
    if (!carried && is_written(s, loop, f, a->value))
      return false;
    if (!carried)
      continue;
    size_t o = sn_same(base, under)
                   ? carried_by(f, sn_operand(yield, mlirBlockArgumentGetArgNumber(base) - 1))
                   : SIZE_MAX; // a part of what is carried
    if (o == SIZE_MAX)
      return false;
    if (is_own(f, a, &f->outputs.data[o]))
      continue;
    if (!is_handed(f, o) || a->through.ptr || sn_is_table(a))
      return false;
    sn_push(words, ((SnGpuWord){.input = k, .output = o, .elements = sn_num_rows(f)}));
  }
  return words->size > 0;
}

bool sn_gpu_plan_words(const SnSequence *s, const SnSequenceLoop *loop, SnGpuWords *words) {
  MlirOperation op = s->forms.data[loop->first];
  MlirAttribute schedule = sn_get_attr(op, "schedule");
  const char *mnemonic = schedule.ptr ? sn_schedule_mnemonic(schedule) : NULL;
  if (loop->forms != 1 || !s->phase.data[loop->first] || !sn_is_form(op) || !mnemonic ||
      strcmp(mnemonic, "gpu_rows") != 0 || !sn_schedule_number(schedule, "held"))
    return false;
  SnForm f = sn_form_read(op);
  bool fits = !f.indices.size && !sn_joins_rows(&f) && sn_num_rows(&f) != SN_DYNAMIC &&
              sn_schedule_number(schedule, "blocks") >= sn_num_rows(&f) && reads_words(s, loop, &f, words);
  sn_form_free(&f);
  if (!fits)
    sn_vec_free(words);
  return fits;
}
