// gpu_repeated.c: short rows that all blocks wait for are computed by each of them.
//
//   sinter.sequence phases [0, 1, 2] {
//     %t = ...                                                              // by all blocks
//     %n = rowwise () by (i = 2048) { norm of %t } schedule(<..., blocks = 1>)
//     %y = rowwise (j = 8192) by (k = 2048) { sums of %n and weights }
//   ->
//     %n = ... schedule(<..., blocks = 1, repeated = 1>)     // no block waits for another between %n and %y
//
// One block would compute what all others wait for, and a wait of all blocks costs what it computes. So a phase is
// repeated whose forms take a block of the launch one turn each, and few of them. Rule Q11 of sinter.sequence says when
// that is right; where it is not the phase stays one block's.
//
// test: test/passes/schedule/gpu_repeated.mlir

#include "capi/form.h"
#include "dialect/dialect.h"
#include "dialect/schedules.h"
#include "dialect/sequence.h"
#include "passes/schedule/schedule.h"

enum {
  MOST_THREADS = 1024,   // of all forms of a phase
  MOST_ELEMENTS = 16384, // that a form reads
};

// How many threads compute the form; 0: it cannot be repeated.
static int64_t threads_of(const SnSequence *s, size_t k) {
  MlirOperation op = s->forms.data[k];
  MlirAttribute schedule = sn_get_attr(op, "schedule");
  if (!sn_is(op, "sinter.rowwise") || sn_sequence_loop(s, k) || !schedule.ptr ||
      strcmp(sn_schedule_mnemonic(schedule), "gpu_rows") || sn_schedule_number(schedule, "held"))
    return 0;
  SnForm f = sn_form_read(op);
  int64_t elements = 1, threads = 0;
  for (size_t d = 0; d < f.dims.size; ++d)
    elements = f.dims.data[d].size == SN_DYNAMIC ? MOST_ELEMENTS + 1 : sn_times(elements, f.dims.data[d].size);
  if (elements * (int64_t)(f.inputs.size + 1) <= MOST_ELEMENTS && !sn_joins_rows(&f))
    threads = sn_schedule_number(schedule, "blocks") * sn_schedule_number(schedule, "threads");
  sn_form_free(&f);
  return threads;
}

// Forms from `first` on, of one phase, may be: rule Q11. `behind`: the first form of a later phase.
static bool may_be_repeated(const SnSequence *s, size_t first, size_t behind) {
  bool may = behind < s->forms.size;
  for (size_t k = first; k < behind; ++k)
    for (size_t i = k; i < s->forms.size && s->phase.data[i] <= s->phase.data[first] + 1 && may; ++i)
      may = !sn_sequence_loop(s, i) && sn_none(sn_sequence_overwritten(s, k, i));
  return may;
}

static void repeat(MlirOperation op) {
  MlirAttribute params = sn_schedule_params(sn_get_attr(op, "schedule"));
  MlirContext ctx = mlirOperationGetContext(op);
  SN_VEC(MlirNamedAttribute) all = {0};
  for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(params); ++i)
    sn_push(&all, mlirDictionaryAttrGetElement(params, i));
  sn_push(&all, mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("repeated")), sn_i64(ctx, 1)));
  sn_set_attr(op, "schedule",
              sn_schedule_attr(mlirOperationGetLocation(op), "gpu_rows",
                               mlirDictionaryAttrGet(ctx, (intptr_t)all.size, all.data)));
  sn_vec_free(&all);
}

void sn_schedule_gpu_repeated(MlirOperation sequence) {
  SnSequence s = sn_sequence_read(sequence);
  bool before = false; // the phase before is repeated: two of them would be compared with what follows both
  for (size_t first = 0, behind; first < s.forms.size; first = behind) {
    int64_t all = 0;
    bool fits = !before;
    for (behind = first; behind < s.forms.size && s.phase.data[behind] == s.phase.data[first]; ++behind) {
      int64_t threads = threads_of(&s, behind);
      fits &= threads > 0;
      all += threads;
    }
    before = fits && all <= MOST_THREADS && may_be_repeated(&s, first, behind);
    for (size_t k = first; k < behind && before; ++k)
      repeat(s.forms.data[k]);
  }
  sn_sequence_free(&s);
}
