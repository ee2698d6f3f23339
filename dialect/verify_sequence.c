// verify_sequence.c: the rules of sinter.sequence.
//
// Labels are those of the ODS description; each has a test of its name.
//
// test: test/dialect/invalid_sequence.mlir, @q1.. to @q7 and @q11, invalid_sequence_loops.mlir, @q8.. to @q10

#include "dialect/dialect.h"
#include "dialect/sequence.h"
#include "dialect/steps.h"
#include "dialect/verify.h"

enum { MOST_CARRIED = 768 }; // memory of a loop of 256 tensors

MlirLogicalResult sinter_sequence_verify(MlirOperation op);

static MlirLogicalResult check_loop(MlirOperation op);

static MlirLogicalResult check_body(MlirOperation op, MlirBlock body) {
  MlirOperation yield = body.ptr ? mlirBlockGetTerminator(body) : (MlirOperation){0};
  if (!sn_is(yield, "sinter.yield") || mlirBlockGetNextInRegion(body).ptr || mlirBlockGetNumArguments(body)) // Q1
    return sn_error(op, "has a body that is not one block without arguments which ends in sinter.yield");
  for (MlirOperation o = mlirBlockGetFirstOperation(body); !mlirOperationEqual(o, yield);
       o = mlirOperationGetNextInBlock(o)) {
    if (sn_is_sequence(o)) // Q6
      return sn_error(o, "stands in another sequence");
    if (sn_is(o, "scf.for")) {
      if (sn_failed(check_loop(o)))
        return SN_FAIL;
    } else if (!sn_is_form(o) && !sn_is_steps(o) && !sn_is_view(o)) { // Q1
      return sn_error(o, "stands in a sequence, which holds sinter.rowwise, contract and steps, reshapes, and loops");
    }
  }
  return SN_OK;
}

// ---- loops ------------------------------------------------------------------------------------

// A place for each turn: what is stored there is all that the loop does with the tensor.
static MlirLogicalResult check_place(const SnSequenceLoop *loop, MlirOperation insert, MlirOperation yield) {
  MlirBlock body = mlirOperationGetBlock(yield);
  MlirValue whole = sn_operand(insert, 1), made = sn_operand(insert, 0);
  MlirOperation form = sn_definer(made), slice = {0};
  if ((sn_is_form(form) || sn_is_steps(form)) && mlirBlockEqual(mlirOperationGetBlock(form), body))
    slice = sn_def(sn_destination(made), "tensor.extract_slice");
  SnSlice from;
  bool fits = !sn_null(slice) && sn_slice_read(slice, loop, &from) && sn_same(from.whole, whole) &&
              mlirAttributeEqual(sn_get_attr(slice, "static_sizes"), sn_get_attr(insert, "static_sizes"));
  if (!fits) // Q9
    return sn_error(insert, "puts in what no form of its loop stores there: the form's destination is the same slice");
  intptr_t k = mlirValueIsABlockArgument(whole) ? mlirBlockArgumentGetArgNumber(whole) - 1 : -1;
  if (k < 0 || !mlirBlockEqual(mlirBlockArgumentGetOwner(whole), body) || !sn_one_use(sn_result(insert, 0)) ||
      !sn_one_use(sn_result(slice, 0)) || !sn_one_use(made) || !sn_same(sn_operand(yield, k), sn_result(insert, 0)))
    return sn_error(insert, "stores a slice of a tensor that the loop does not carry, and yield in its place"); // Q9
  for (MlirOpOperand use = mlirValueGetFirstUse(whole); use.ptr; use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!mlirOperationEqual(user, slice) && !mlirOperationEqual(user, insert)) // Q9
      return sn_error(user, "uses a tensor whose slices the loop stores");
  }
  return SN_OK;
}

static MlirLogicalResult check_carried(const SnSequenceLoop *loop, MlirOperation yield) {
  MlirBlock body = mlirOperationGetBlock(yield);
  for (intptr_t k = 0; k < sn_num_results(loop->op); ++k) {
    MlirValue v = sn_operand(yield, k);
    MlirOperation made = sn_definer(v);
    MlirType t = sn_type_of(sn_operand(loop->op, 3 + k));
    if (!mlirTypeEqual(sn_type_of(v), sn_type_of(sn_result(loop->op, k))) || !mlirTypeEqual(sn_type_of(v), t)) // Q9
      return sn_error(loop->op, "carries a %s, and yields a %s", sn_show_type(t).text,
                      sn_show_type(sn_type_of(v)).text);
    if (mlirTypeIsAMemRef(sn_type_of(v))) {
      if (!mlirValueIsABlockArgument(v) || !mlirBlockEqual(mlirBlockArgumentGetOwner(v), body)) // Q9
        return sn_error(loop->op, "yields memory that it does not carry");
      if (mlirValueGetFirstUse(sn_result(loop->op, k)).ptr) // Q9
        return sn_error(loop->op, "gives memory to what is behind it, which has it by its own name");
      continue;
    }
    if (sn_is(made, "tensor.insert_slice") && mlirBlockEqual(mlirOperationGetBlock(made), body)) {
      if (sn_failed(check_place(loop, made, yield)))
        return SN_FAIL;
    } else if (sn_null(made) || !mlirBlockEqual(mlirOperationGetBlock(made), body) ||
               (!sn_is_form(made) && !sn_is_steps(made))) { // Q9
      return sn_error(loop->op, "yields a value in place %td that is no result of a form in it", k);
    }
    for (intptr_t i = 0; i < k; ++i)
      if (sn_same(v, sn_operand(yield, i))) // Q9
        return sn_error(loop->op, "yields one value in places %td and %td", i, k);
  }
  return SN_OK;
}

static bool is_used_by(MlirOperation op, MlirOperation user) {
  return sn_one_use(sn_result(op, 0)) &&
         mlirOperationEqual(mlirOpOperandGetOwner(mlirValueGetFirstUse(sn_result(op, 0))), user);
}

static MlirLogicalResult check_loop(MlirOperation op) {
  SnSequenceLoop loop;
  if (sn_num_operands(op) != 3 + sn_num_results(op) || !sn_loop_read(op, &loop)) // Q8
    return sn_error(op, "stands in a sequence, and its bounds are not constants with a turn between them");
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirOperation yield = body.ptr ? mlirBlockGetTerminator(body) : (MlirOperation){0};
  if (!sn_is(yield, "scf.yield") || sn_num_operands(yield) != sn_num_results(op) ||
      mlirBlockGetNumArguments(body) != 1 + sn_num_results(op)) // Q8
    return sn_error(op, "does not yield a value for each that it carries");
  if (sn_num_results(op) > MOST_CARRIED) // Q8
    return sn_error(op, "carries %td values, at most %d", sn_num_results(op), MOST_CARRIED);
  for (intptr_t k = 0; k < sn_num_results(op); ++k) {
    MlirType t = sn_type_of(sn_operand(op, 3 + k));
    if (!mlirTypeIsARankedTensor(t) && !mlirTypeIsAMemRef(t)) // Q8
      return sn_error(op, "carries a %s", sn_show_type(t).text);
  }
  size_t forms = 0;
  for (MlirOperation o = mlirBlockGetFirstOperation(body); !mlirOperationEqual(o, yield);
       o = mlirOperationGetNextInBlock(o)) {
    SnSlice slice;
    if (sn_is_in_place(o)) // Q8
      return sn_error(o, "stores in place, in a loop of a sequence");
    if (sn_is_form(o) || sn_is_steps(o))
      ++forms;
    else if (sn_is_slice(o) ? !sn_slice_read(o, &loop, &slice) : !sn_is_view(o)) // Q8
      return sn_error(o, sn_is_slice(o)
                             ? "is a slice in a loop of a sequence, and not one turn's part of dimension 0"
                             : "stands in a loop of a sequence, which holds forms, reshapes, and slices of a turn");
    if (sn_is(o, "tensor.insert_slice") && !is_used_by(o, yield)) // Q9
      return sn_error(o, "stores a slice of a tensor that the loop does not carry, and yield in its place");
  }
  if (!forms) // Q8
    return sn_error(op, "stands in a sequence, and holds no form");
  return check_carried(&loop, yield);
}

// ---- results, phases, waits -------------------------------------------------------------------

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
      return sn_error(op, "yields a value for result %td that is no result of a form or a loop in its body", k);
    for (intptr_t i = 0; i < k; ++i)
      if (sn_same(v, sn_operand(yield, i))) // Q2
        return sn_error(op, "yields one value for results %td and %td", i, k);
  }
  return SN_OK;
}

// `last`: of each form, 1 + the last in front of it that it has to wait for.
static MlirLogicalResult check_phases(const SnSequence *s, const size_t *last) {
  MlirAttribute given = sn_get_attr(s->op, "phases");
  if (given.ptr && mlirDenseArrayGetNumElements(given) != (intptr_t)s->forms.size) // Q3
    return sn_error(s->op, "has %td phases for %zu forms", mlirDenseArrayGetNumElements(given), s->forms.size);
  for (size_t k = 0; k < s->forms.size; ++k) {
    int64_t before = k ? s->phase.data[k - 1] : 0, is = s->phase.data[k];
    if (is != before && (!k || is != before + 1)) // Q3
      return sn_error(s->op, "has phase %lld for form %zu; it is %s", (long long)is, k,
                      k ? "that of the one before, or the next" : "0");
    if (k && is == before && s->loop.data[k] != s->loop.data[k - 1]) // Q10
      return sn_error(s->op,
                      "has forms %zu and %zu in phase %lld, and a loop between them: it begins a phase, and so does "
                      "what is behind it",
                      k - 1, k, (long long)is);
    if (last[k] && s->phase.data[last[k] - 1] == is) // Q4
      return sn_error(s->op,
                      "has forms %zu and %zu in phase %lld, and the second has to wait for the first: one of "
                      "them writes what the other touches",
                      last[k] - 1, k, (long long)is);
  }
  return SN_OK;
}

// Of the turn before a form of a loop waits for itself, and so for all turns before that.
static MlirLogicalResult check_turns(const SnSequence *s, size_t k) {
  const SnSequenceLoop *loop = sn_sequence_loop(s, k);
  int64_t ended = sn_sequence_ended(s, k, s->waits.data[k]);
  for (size_t i = loop->first; i < loop->first + loop->forms; ++i) {
    if (ended > sn_sequence_ended(s, k, (int64_t)i) - (int64_t)loop->forms)
      continue;
    if (i == k) // Q10
      return sn_error(s->op, "has form %zu of a loop wait for %lld forms, and not for itself of the turn before", k,
                      (long long)s->waits.data[k]);
    if (i > k && !sn_none(sn_sequence_conflict_behind_turn(s, i, k))) // Q10
      return sn_error(s->op,
                      "has form %zu wait for %lld forms, and it has to wait for form %zu of the turn before: one of "
                      "them writes what the other touches",
                      k, (long long)s->waits.data[k], i);
  }
  return SN_OK;
}

// Forms wait for earlier ones alone, so the first that has not ended waits for none: all end.
static MlirLogicalResult check_waits(const SnSequence *s, const size_t *last) {
  if (s->waits.size && s->waits.size != s->forms.size) // Q7
    return sn_error(s->op, "has %zu waits for %zu forms", s->waits.size, s->forms.size);
  for (size_t k = 0; k < s->waits.size; ++k) {
    int64_t is = s->waits.data[k];
    if (is < 0 || is > (int64_t)k) // Q7
      return sn_error(s->op, "has form %zu wait for %lld forms, and there are %zu in front of it", k, (long long)is, k);
    if (last[k] > (size_t)is) // Q7
      return sn_error(s->op,
                      "has form %zu wait for %lld forms, and it has to wait for form %zu: one of them writes what "
                      "the other touches",
                      k, (long long)is, last[k] - 1);
    if (sn_sequence_loop(s, k) && sn_failed(check_turns(s, k)))
      return SN_FAIL;
  }
  return SN_OK;
}

// What loops carry goes in short circles, so that all pairs of turns that differ can be looked at.
static MlirLogicalResult check_circles(const SnSequence *s) {
  for (size_t i = 0; i < s->loops.size; ++i)
    if (!sn_sequence_turns_apart(s, s->loops.data[i].first)) // Q9
      return sn_error(s->loops.data[i].op, "carries memory in a circle of more than %d turns", SN_MOST_TURNS_APART);
  return SN_OK;
}

// Forms that each block computes: until all blocks meet again, nobody may store where one of them still reads, or
// stores what others have already read.
static MlirLogicalResult check_repeated(const SnSequence *s, size_t k) {
  MlirOperation form = s->forms.data[k];
  int64_t phase = s->phase.data[k], last = phase + 1; // of those that begin before all blocks have met
  if (sn_sequence_loop(s, k)) // Q11
    return sn_error(form, "is computed by each block, in a loop");
  MlirAttribute sums = sn_get_attr(form, "accumulators");
  if (sums.ptr && mlirArrayAttrGetNumElements(sums)) // Q11
    return sn_error(form, "is computed by each block, and leaves sums over its rows");
  if (!sn_none(sn_sequence_overwritten(s, k, k))) // Q11
    return sn_error(form, "is computed by each block, and writes what it reads");
  for (size_t i = 0; i < s->forms.size; ++i)
    if (s->phase.data[i] == phase && !sn_sequence_is_repeated(s, i)) // Q11
      return sn_error(form, "is computed by each block, and form %zu of its phase is not", i);
  if (phase + 1 == sn_sequence_phases(s)) // Q11
    return sn_error(form, "is computed by each block, and no phase comes behind it");
  for (size_t i = k + 1; i < s->forms.size && s->phase.data[i] <= last; ++i) {
    if (sn_sequence_loop(s, i)) // Q11
      return sn_error(form, "is computed by each block, and form %zu, of the next phase, is in a loop", i);
    if (!sn_none(sn_sequence_overwritten(s, k, i))) // Q11
      return sn_error(form,
                      "is computed by each block, and form %zu writes what it touches before all blocks have met", i);
    if (s->phase.data[i] == last && sn_sequence_is_repeated(s, i))
      ++last;
  }
  return SN_OK;
}

static MlirLogicalResult check_turns_alone(const SnSequence *s, MlirBlock body) {
  MlirOperation end = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); sn_sequence_by_turns(s) && !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    if (!sn_is_form(op) && !sn_is_steps(op)) // Q5
      return sn_error(op, "stands in a sequence whose forms run by turns, which holds nothing else");
  return SN_OK;
}

MlirLogicalResult sinter_sequence_verify(MlirOperation op) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  if (sn_failed(check_body(op, body)) || sn_failed(check_results(op, body)))
    return SN_FAIL;
  MlirAttribute schedule = sn_get_attr(op, "schedule");
  const char *mnemonic = schedule.ptr ? sn_schedule_mnemonic(schedule) : "gpu_sequence";
  if (!mnemonic || (strcmp(mnemonic, "gpu_sequence") && strcmp(mnemonic, "cpu_sequence"))) // Q5
    return sn_error(op, "has a schedule that is no #sinter.gpu_sequence or cpu_sequence");
  SnSequence s = sn_sequence_read(op);
  MlirLogicalResult result = check_turns_alone(&s, body);
  if (!sn_failed(result))
    result = check_circles(&s);
  size_t *last = sn_alloc((s.forms.size + 1) * sizeof *last);
  if (!sn_failed(result)) {
    sn_sequence_last_before(&s, last);
    result = check_phases(&s, last);
  }
  if (!sn_failed(result))
    result = check_waits(&s, last);
  for (size_t k = 0; k < s.forms.size && !sn_failed(result); ++k)
    if (sn_sequence_is_repeated(&s, k))
      result = check_repeated(&s, k);
  free(last);
  sn_sequence_free(&s);
  return result;
}
