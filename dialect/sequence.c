// sequence.c: a sinter.sequence read into plain C: its forms, those that a loop repeats, and what memory values are.
//
// Who waits for whom is sequence_order.c.
//
// test: test/dialect/sequence.mlir, invalid_sequence.mlir, invalid_sequence_loops.mlir

#include "dialect/sequence.h"
#include "dialect/dialect.h"
#include "dialect/schedules.h"
#include "dialect/steps.h"

bool sn_is_sequence(MlirOperation op) { return sn_is(op, "sinter.sequence"); }

bool sn_in_sequence(MlirOperation op) {
  MlirOperation parent = sn_null(op) ? op : mlirOperationGetParentOperation(op);
  if (sn_is(parent, "scf.for"))
    parent = mlirOperationGetParentOperation(parent);
  return sn_is_sequence(parent);
}

// ---- loops ------------------------------------------------------------------------------------

static bool constant(MlirValue v, int64_t *number) {
  MlirOperation op = sn_def(v, "arith.constant");
  MlirAttribute value = sn_null(op) ? mlirAttributeGetNull() : sn_get_attr(op, "value");
  if (!value.ptr || !mlirAttributeIsAInteger(value))
    return false;
  *number = mlirIntegerAttrGetValueInt(value);
  return true;
}

bool sn_loop_read(MlirOperation op, SnSequenceLoop *loop) {
  int64_t to;
  *loop = (SnSequenceLoop){.op = op};
  if (!sn_is(op, "scf.for") || !mlirTypeIsAIndex(sn_type_of(sn_operand(op, 0))) ||
      !constant(sn_operand(op, 0), &loop->from) || !constant(sn_operand(op, 1), &to) ||
      !constant(sn_operand(op, 2), &loop->step) || loop->step < 1 || to <= loop->from)
    return false;
  loop->turns = sn_pieces(to - loop->from, loop->step);
  return true;
}

int64_t sn_loop_first_phase(const SnSequence *s, const SnSequenceLoop *loop) {
  return loop->forms ? s->phase.data[loop->first] : 0;
}

int64_t sn_loop_phases(const SnSequence *s, const SnSequenceLoop *loop) {
  return loop->forms ? s->phase.data[loop->first + loop->forms - 1] - s->phase.data[loop->first] + 1 : 0;
}

int64_t sn_sequence_phases_before(const SnSequence *s, int64_t phase) {
  int64_t n = phase;
  for (size_t i = 0; i < s->loops.size; ++i) {
    const SnSequenceLoop *loop = &s->loops.data[i];
    if (phase >= sn_loop_first_phase(s, loop) + sn_loop_phases(s, loop))
      n += (loop->turns - 1) * sn_loop_phases(s, loop);
  }
  return n;
}

// ---- reading ----------------------------------------------------------------------------------

static void take(SnSequence *s, MlirOperation op, intptr_t loop) {
  if (!sn_is_form(op) && !sn_is_steps(op))
    return;
  sn_push(&s->forms, op);
  sn_push(&s->loop, loop);
}

static void take_all(SnSequence *s, MlirOperation op) {
  if (!sn_is(op, "scf.for")) {
    take(s, op, -1);
    return;
  }
  SnSequenceLoop loop;
  sn_loop_read(op, &loop);
  loop.first = s->forms.size;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (MlirOperation o = mlirBlockGetFirstOperation(body); !sn_null(o); o = mlirOperationGetNextInBlock(o))
    take(s, o, (intptr_t)s->loops.size);
  loop.forms = s->forms.size - loop.first;
  sn_push(&s->loops, loop);
}

static void take_numbers(SnSequence *s) {
  MlirAttribute phases = sn_null(s->op) ? mlirAttributeGetNull() : sn_get_attr(s->op, "phases"),
                waits = sn_null(s->op) ? mlirAttributeGetNull() : sn_get_attr(s->op, "waits");
  for (intptr_t k = 0; k < (intptr_t)s->forms.size; ++k) {
    bool given = phases.ptr && k < mlirDenseArrayGetNumElements(phases);
    sn_push(&s->phase, given ? mlirDenseI64ArrayGetElement(phases, k) : k);
  }
  for (intptr_t k = 0; waits.ptr && k < mlirDenseArrayGetNumElements(waits); ++k)
    sn_push(&s->waits, mlirDenseI64ArrayGetElement(waits, k));
}

SnSequence sn_sequence_read(MlirOperation op) {
  SnSequence s = {.op = op,
                  .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)),
                  .schedule = sn_get_attr(op, "schedule")};
  for (MlirOperation o = mlirBlockGetFirstOperation(s.body); !sn_null(o); o = mlirOperationGetNextInBlock(o))
    take_all(&s, o);
  take_numbers(&s);
  return s;
}

SnSequence sn_sequence_of(const SnOpVec *ops) {
  SnSequence s = {0};
  for (size_t i = 0; i < ops->size; ++i)
    take_all(&s, ops->data[i]);
  take_numbers(&s);
  return s;
}

void sn_sequence_free(SnSequence *s) {
  sn_vec_free(&s->waits);
  sn_vec_free(&s->forms);
  sn_vec_free(&s->phase);
  sn_vec_free(&s->loops);
  sn_vec_free(&s->loop);
}

bool sn_sequence_by_turns(const SnSequence *s) {
  const char *mnemonic = s->schedule.ptr ? sn_schedule_mnemonic(s->schedule) : NULL;
  return mnemonic && !strcmp(mnemonic, "cpu_sequence") && sn_schedule_word_is(s->schedule, "forms", "turns");
}

// ---- views and slices -------------------------------------------------------------------------

bool sn_is_view(MlirOperation op) {
  static const char *const names[] = {"tensor.expand_shape", "tensor.collapse_shape", "tensor.cast",
                                      "memref.expand_shape", "memref.collapse_shape", "memref.cast"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (sn_is(op, names[i]))
      return true;
  return false;
}

// Memory of a part as memory by itself.
static bool is_own(MlirOperation op) {
  return sn_is(op, "builtin.unrealized_conversion_cast") && sn_num_operands(op) == 1 && sn_num_results(op) == 1 &&
         mlirTypeIsAMemRef(sn_type_of(sn_operand(op, 0))) && mlirTypeIsAMemRef(sn_type_of(sn_result(op, 0)));
}

bool sn_is_slice(MlirOperation op) {
  return sn_is(op, "tensor.extract_slice") || sn_is(op, "tensor.insert_slice") || sn_is(op, "memref.subview") ||
         is_own(op);
}

static int64_t element_of(MlirOperation op, const char *name, intptr_t i) {
  MlirAttribute all = sn_get_attr(op, name); // need not be verified yet
  return all.ptr && i < mlirDenseArrayGetNumElements(all) ? mlirDenseI64ArrayGetElement(all, i) : SN_DYNAMIC;
}

bool sn_slice_read(MlirOperation op, const SnSequenceLoop *loop, SnSlice *of) {
  if (is_own(op))
    return sn_is(sn_definer(sn_operand(op, 0)), "memref.subview") &&
           sn_slice_read(sn_definer(sn_operand(op, 0)), loop, of);
  intptr_t offsets = sn_is(op, "tensor.insert_slice") ? 2 : 1;
  MlirBlock turn = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop->op, 0));
  if (!sn_is_slice(op) || sn_num_operands(op) != offsets + 1 ||
      !sn_same(sn_operand(op, offsets), mlirBlockGetArgument(turn, 0)))
    return false;
  of->whole = sn_operand(op, offsets - 1);
  MlirType t = sn_type_of(of->whole);
  if (!mlirShapedTypeHasStaticShape(t) || !sn_rank(t) || element_of(op, "static_offsets", 0) != SN_DYNAMIC)
    return false;
  of->inner = 1;
  for (intptr_t d = 0; d < sn_rank(t); ++d) {
    int64_t size = element_of(op, "static_sizes", d);
    if (size == SN_DYNAMIC || element_of(op, "static_strides", d) != 1)
      return false;
    if (d && (size != sn_dim(t, d) || element_of(op, "static_offsets", d)))
      return false;
    if (d)
      of->inner = sn_times(of->inner, size);
    else
      of->size = size;
  }
  return loop->from >= 0 && loop->from + loop->step * (loop->turns - 1) <= sn_dim(t, 0) - of->size;
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
  for (MlirOperation op = sn_definer(v); sn_is_view(op) || sn_is_slice(op); op = sn_definer(v))
    v = sn_operand(op, 0);
  return v;
}

// ---- what forms write -------------------------------------------------------------------------

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
