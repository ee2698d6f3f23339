// verify_sequence.c: the rules of sinter.sequence.
//
// Labels are those of the ODS description; each has a test of its name.
//
// test: test/dialect/invalid_sequence.mlir, @q1.. to @q7

#include "dialect/dialect.h"
#include "dialect/sequence.h"
#include "dialect/steps.h"
#include "dialect/verify.h"

MlirLogicalResult sinter_sequence_verify(MlirOperation op);

static MlirLogicalResult check_body(MlirOperation op, MlirBlock body) {
  MlirOperation yield = body.ptr ? mlirBlockGetTerminator(body) : (MlirOperation){0};
  if (!sn_is(yield, "sinter.yield") || mlirBlockGetNextInRegion(body).ptr || mlirBlockGetNumArguments(body)) // Q1
    return sn_error(op, "has a body that is not one block without arguments which ends in sinter.yield");
  for (MlirOperation o = mlirBlockGetFirstOperation(body); !mlirOperationEqual(o, yield);
       o = mlirOperationGetNextInBlock(o)) {
    if (sn_is_sequence(o)) // Q6
      return sn_error(o, "stands in another sequence");
    if (!sn_is_form(o) && !sn_is_steps(o) && !sn_is_view(o)) // Q1
      return sn_error(o, "stands in a sequence, which holds sinter.rowwise, contract and steps, and reshapes");
  }
  return SN_OK;
}

static MlirLogicalResult check_results(MlirOperation op, MlirBlock body) {
  MlirOperation yield = mlirBlockGetTerminator(body);
  if (sn_num_operands(yield) != sn_num_results(op)) // Q2
    return sn_error(op, "yields %td values, and has %td results", sn_num_operands(yield), sn_num_results(op));
  for (intptr_t k = 0; k < sn_num_results(op); ++k) {
    MlirValue v = sn_operand(yield, k);
    MlirOperation made = sn_definer(v);
    if (!mlirTypeEqual(sn_type_of(v), sn_type_of(sn_result(op, k)))) // Q2
      return sn_error(op, "yields a %s for result %td, which is a %s", sn_show_type(sn_type_of(v)).text, k,
                      sn_show_type(sn_type_of(sn_result(op, k))).text);
    if (sn_null(made) || !mlirBlockEqual(mlirOperationGetBlock(made), body) || sn_is_view(made)) // Q2
      return sn_error(op, "yields a value for result %td that is no result of a form in its body", k);
    for (intptr_t i = 0; i < k; ++i)
      if (sn_same(v, sn_operand(yield, i))) // Q2
        return sn_error(op, "yields one value for results %td and %td", i, k);
  }
  return SN_OK;
}

static MlirLogicalResult check_phases(const SnSequence *s) {
  MlirAttribute given = sn_get_attr(s->op, "phases");
  if (given.ptr && mlirDenseArrayGetNumElements(given) != (intptr_t)s->forms.size) // Q3
    return sn_error(s->op, "has %td phases for %zu forms", mlirDenseArrayGetNumElements(given), s->forms.size);
  for (size_t k = 0; k < s->forms.size; ++k) {
    int64_t before = k ? s->phase.data[k - 1] : 0, is = s->phase.data[k];
    if (is != before && (!k || is != before + 1)) // Q3
      return sn_error(s->op, "has phase %lld for form %zu; it is %s", (long long)is, k,
                      k ? "that of the one before, or the next" : "0");
    for (size_t i = k; i-- > 0 && s->phase.data[i] == is;)
      if (!sn_none(sn_sequence_conflict(s->forms.data[i], s->forms.data[k]))) // Q4
        return sn_error(s->op,
                        "has forms %zu and %zu in phase %lld, and the second has to wait for the first: one of "
                        "them writes what the other touches",
                        i, k, (long long)is);
  }
  return SN_OK;
}

// Forms wait for earlier ones alone, so the first that has not ended waits for none: all end.
static MlirLogicalResult check_waits(const SnSequence *s) {
  if (s->waits.size && s->waits.size != s->forms.size) // Q7
    return sn_error(s->op, "has %zu waits for %zu forms", s->waits.size, s->forms.size);
  for (size_t k = 0; k < s->waits.size; ++k) {
    int64_t is = s->waits.data[k];
    if (is < 0 || is > (int64_t)k) // Q7
      return sn_error(s->op, "has form %zu wait for %lld forms, and there are %zu in front of it", k, (long long)is, k);
    for (size_t i = k; i-- > (size_t)is;)
      if (!sn_none(sn_sequence_conflict(s->forms.data[i], s->forms.data[k]))) // Q7
        return sn_error(s->op,
                        "has form %zu wait for %lld forms, and it has to wait for form %zu: one of them writes what "
                        "the other touches",
                        k, (long long)is, i);
  }
  return SN_OK;
}

MlirLogicalResult sinter_sequence_verify(MlirOperation op) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  if (sn_failed(check_body(op, body)) || sn_failed(check_results(op, body)))
    return SN_FAIL;
  MlirAttribute schedule = sn_get_attr(op, "schedule");
  const char *mnemonic = schedule.ptr ? sn_schedule_mnemonic(schedule) : "gpu_sequence";
  if (!mnemonic || strcmp(mnemonic, "gpu_sequence")) // Q5
    return sn_error(op, "has a schedule that is no #sinter.gpu_sequence");
  SnSequence s = sn_sequence_read(op);
  MlirLogicalResult result = check_phases(&s);
  if (!sn_failed(result))
    result = check_waits(&s);
  sn_sequence_free(&s);
  return result;
}
