// sequence.c: a sinter.sequence read into plain C, and which of its forms wait for which.
//
// On tensors a form waits for those whose results it reads, at whatever remove; on memrefs for those that write what it
// reads or writes, and for those that read what it writes.
//
// test: test/dialect/sequence.mlir, invalid_sequence.mlir

#include "dialect/sequence.h"
#include "dialect/steps.h"

bool sn_is_sequence(MlirOperation op) { return sn_is(op, "sinter.sequence"); }

bool sn_in_sequence(MlirOperation op) { return !sn_null(op) && sn_is_sequence(mlirOperationGetParentOperation(op)); }

SnSequence sn_sequence_read(MlirOperation op) {
  SnSequence s = {.op = op,
                  .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)),
                  .schedule = sn_get_attr(op, "schedule")};
  MlirAttribute phases = sn_get_attr(op, "phases"), waits = sn_get_attr(op, "waits");
  for (MlirOperation o = mlirBlockGetFirstOperation(s.body); !sn_null(o); o = mlirOperationGetNextInBlock(o)) {
    if (!sn_is_form(o) && !sn_is_steps(o))
      continue;
    intptr_t k = (intptr_t)s.forms.size;
    bool given = phases.ptr && k < mlirDenseArrayGetNumElements(phases);
    sn_push(&s.phase, given ? mlirDenseI64ArrayGetElement(phases, k) : k);
    sn_push(&s.forms, o);
  }
  for (intptr_t k = 0; waits.ptr && k < mlirDenseArrayGetNumElements(waits); ++k)
    sn_push(&s.waits, mlirDenseI64ArrayGetElement(waits, k));
  return s;
}

void sn_sequence_free(SnSequence *s) {
  sn_vec_free(&s->waits);
  sn_vec_free(&s->forms);
  sn_vec_free(&s->phase);
}

bool sn_is_view(MlirOperation op) {
  static const char *const names[] = {"tensor.expand_shape", "tensor.collapse_shape", "tensor.cast",
                                      "memref.expand_shape", "memref.collapse_shape", "memref.cast"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (sn_is(op, names[i]))
      return true;
  return false;
}

void sn_sequence_move_views(const SnSequence *s) {
  SnMap none = {0};
  SnBuilder b = sn_before(s->op);
  for (MlirOperation op = mlirBlockGetFirstOperation(s->body), next; !sn_null(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (sn_is_view(op))
      sn_move(&b, op, &none);
  }
  sn_map_free(&none);
}

MlirValue sn_viewed(MlirValue v) {
  for (MlirOperation op = sn_definer(v); sn_is_view(op); op = sn_definer(v))
    v = sn_operand(op, 0);
  return v;
}

// ---- who waits for whom ---------------------------------------------------------------------

MlirValue sn_destination(MlirValue result) {
  MlirOperation op = mlirOpResultGetOwner(result);
  return sn_operand(op, sn_num_operands(op) - sn_num_results(op) + mlirOpResultGetResultNumber(result));
}

// Destinations stand behind inputs, and a form's behind its index tensors. The form need not be verified yet.
bool sn_form_writes(MlirOperation form, intptr_t k) {
  MlirAttribute segments = sn_get_attr(form, "operandSegmentSizes");
  if (!segments.ptr || mlirDenseArrayGetNumElements(segments) < 2)
    return true;
  int32_t first = mlirDenseI32ArrayGetElement(segments, 0);
  return k >= (sn_is_steps(form) ? first : first + mlirDenseI32ArrayGetElement(segments, 1));
}

bool sn_is_in_place(MlirOperation op) { return sn_is_steps(op) && sn_get_attr(op, "in_place").ptr; }

MlirValue sn_shared(MlirValue v) {
  for (;;) {
    v = sn_viewed(v);
    if (!mlirTypeIsARankedTensor(sn_type_of(v)) || !sn_is_in_place(sn_definer(v)))
      return v;
    v = sn_destination(v);
  }
}

// On tensors: what one of them stores in place, the other has an older or a newer value of.
static MlirValue in_place_conflict(MlirOperation a, MlirOperation b) {
  for (intptr_t k = 0; k < sn_num_operands(b); ++k)
    for (intptr_t i = 0; i < sn_num_operands(a); ++i)
      if (((sn_is_in_place(a) && sn_form_writes(a, i)) || (sn_is_in_place(b) && sn_form_writes(b, k))) &&
          sn_same(sn_shared(sn_operand(a, i)), sn_shared(sn_operand(b, k))))
        return sn_operand(a, i);
  return (MlirValue){0};
}

MlirValue sn_sequence_conflict(MlirOperation a, MlirOperation b) {
  for (intptr_t k = 0; k < sn_num_operands(b); ++k) {
    MlirValue of_b = sn_viewed(sn_operand(b, k));
    for (intptr_t r = 0; r < sn_num_results(a); ++r)
      if (sn_same(of_b, sn_result(a, r)))
        return of_b;
    if (!mlirTypeIsAMemRef(sn_type_of(of_b)))
      continue; // tensors are values: what a destination held does not matter
    for (intptr_t i = 0; i < sn_num_operands(a); ++i)
      if (sn_same(of_b, sn_viewed(sn_operand(a, i))) && (sn_form_writes(a, i) || sn_form_writes(b, k)))
        return sn_operand(a, i);
  }
  return sn_is_in_place(a) || sn_is_in_place(b) ? in_place_conflict(a, b) : (MlirValue){0};
}

void sn_sequence_least_phases(const SnOpVec *forms, int64_t *phases) {
  for (size_t k = 0; k < forms->size; ++k) {
    phases[k] = k ? phases[k - 1] : 0; // blocks take forms in their order
    for (size_t i = 0; i < k; ++i)
      if (phases[i] == phases[k] && !sn_none(sn_sequence_conflict(forms->data[i], forms->data[k])))
        phases[k] = phases[i] + 1;
  }
}

void sn_sequence_least_waits(const SnOpVec *forms, int64_t *waits) {
  for (size_t k = 0; k < forms->size; ++k) {
    size_t i = k;
    while (i && sn_none(sn_sequence_conflict(forms->data[i - 1], forms->data[k])))
      --i;
    waits[k] = (int64_t)i;
  }
}
