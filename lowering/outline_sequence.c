// outline_sequence.c: a sequence becomes one function on memrefs.
//
// What one of its forms makes for another is a buffer of the caller's, too, which several have one after the other
// where forms say for how many they wait. What a loop of it carries has two, by turns, and its slices are parts of the
// whole.
//
// test: test/lowering/outline_sequence.mlir

#include "capi/shim.h"
#include "dialect/sequence.h"
#include "dialect/steps.h"
#include "lowering/outline.h"

// Memory of what a form makes for others.
typedef struct {
  MlirValue buffer;
  size_t place; // which argument it is
  int64_t user; // the last form that touches it
} Reused;

// What a value of a sequence's body is: memory of an argument, or of an operation in the kernel's body.
typedef struct {
  SnArguments a;
  SnResults results;
  SnTable place; // of a value: which argument it is
  SnMap memory;  // of a value, in the kernel
  SnValueVec made; // by forms for others
  SN_VEC(Reused) reused;
  SnTable last; // of a value: 1 + the last form that touches it
} Outlined;

// The value is made by the sequence, or carried by a loop of it.
static bool is_made_in(const SnSequence *s, MlirValue v) {
  MlirBlock block =
      mlirValueIsABlockArgument(v) ? mlirBlockArgumentGetOwner(v) : mlirOperationGetBlock(mlirOpResultGetOwner(v));
  MlirOperation parent = mlirBlockGetParentOperation(block);
  if (sn_is(parent, "scf.for"))
    parent = mlirOperationGetParentOperation(parent);
  return mlirOperationEqual(parent, s->op);
}

// What an operand is, under reshapes and slices of the body; one of the host's is a value as any other.
static void take_argument(SnBuilder *host, Outlined *x, const SnSequence *s, MlirValue v) {
  while (is_made_in(s, v)) {
    MlirOperation made = sn_definer(v);
    if (!sn_is_view(made) && !sn_is_slice(made))
      return;
    v = sn_operand(made, 0);
  }
  sn_table_put(&x->place, v.ptr, sn_outline_argument(host, &x->a, v));
}

static void take_buffer(Outlined *x, MlirValue made, MlirValue buffer) {
  sn_table_put(&x->place, made.ptr, sn_outline_add(&x->a, made, buffer));
}

// What lies in memory of the host that forms store to in place, newer or older: one argument.
static void take_shared(Outlined *x, MlirValue made, MlirValue buffer) {
  MlirValue first = sn_shared(made);
  uintptr_t place;
  if (!sn_table_get(&x->place, first.ptr, &place)) {
    take_buffer(x, first, buffer);
    place = x->a.values.size - 1;
  }
  sn_table_put(&x->place, made.ptr, place);
  sn_push(&x->made, made);
}

// The same of what the sequence does not give.
static void take_inner(SnBuilder *host, Outlined *x, MlirValue made) {
  MlirValue first = sn_shared(made);
  SnResults none = {0};
  bool has = sn_table_has(&x->place, first.ptr);
  take_shared(x, made, has ? (MlirValue){0} : sn_outline_place(host, &none, made, first));
  sn_vec_free(&none.seen);
  sn_vec_free(&none.made);
  sn_table_free(&none.shared);
}

static void note_users(SnTable *last, MlirOperation op, size_t form) {
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    sn_table_put(last, sn_viewed(sn_operand(op, k)).ptr, form + 1);
}

// Of each value, 1 + the last form that touches it. What a loop begins with is used by its forms.
static SnTable last_users(const SnSequence *s) {
  SnTable last = {0};
  for (size_t i = 0; i < s->forms.size; ++i) {
    const SnSequenceLoop *loop = sn_sequence_loop(s, i);
    note_users(&last, s->forms.data[i], i);
    if (loop && i + 1 == loop->first + loop->forms)
      note_users(&last, loop->op, i);
  }
  return last;
}

// The last form that touches what this one makes: another one, or itself.
static int64_t last_user(const Outlined *x, MlirValue made, size_t form) {
  uintptr_t last = 0;
  sn_table_get(&x->last, made.ptr, &last);
  return last > form + 1 ? (int64_t)last - 1 : (int64_t)form;
}

// What form i makes for others. Where forms say for how many they wait, as on a CPU, it has memory of this type that an
// earlier one had, and that nobody reads any more when it begins: the verifier sees that in the kernel, where both
// write one memref. Without, 100 steps of an LSTM would walk through 100 times the memory.
static void take_made(SnBuilder *host, Outlined *x, const SnSequence *s, size_t i, MlirValue made) {
  MlirType t = sn_outline_type(sn_type_of(made));
  bool turns = sn_sequence_loop(s, i); // what a loop makes has memory of its own
  int64_t waits = s->waits.size ? s->waits.data[i] : 0, user = last_user(x, made, i);
  sn_push(&x->made, made);
  for (size_t k = 0; k < x->reused.size && !turns; ++k) {
    Reused *r = &x->reused.data[k];
    if (r->user >= waits || !mlirTypeEqual(sn_type_of(r->buffer), t))
      continue;
    sn_table_put(&x->place, made.ptr, r->place);
    r->user = user;
    return;
  }
  MlirValue buffer = sn_outline_allocate(host, sn_destination(made));
  take_buffer(x, made, buffer);
  if (!turns)
    sn_push(&x->reused, (Reused){buffer, x->a.values.size - 1, user});
}

// ---- memory of loops -------------------------------------------------------------------

static MlirBlock body_of(MlirOperation loop) { return mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)); }

// The loop stores slices of what it carries in place k, and nothing else happens to that.
static bool is_sliced(MlirOperation loop, intptr_t k) {
  return sn_is(sn_definer(sn_operand(mlirBlockGetTerminator(body_of(loop)), k)), "tensor.insert_slice");
}

// Memory of what the loop gives as result k, beside what the sequence's results are: of slices, it begins with what
// there was.
static void take_given(SnBuilder *host, Outlined *x, MlirOperation loop, intptr_t k, MlirValue result) {
  MlirValue begin = sn_operand(loop, 3 + k), made = sn_result(loop, k);
  SnResults none = {0}, *r = sn_none(result) ? &none : &x->results;
  if (is_sliced(loop, k) && !sn_is(sn_definer(begin), "tensor.empty")) {
    const int32_t segments[] = {0, 1, 0};
    MlirValue copy = sn(host, "bufferization.alloc_tensor", sn_type_of(begin), begin,
                        sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(host->ctx, 3, segments))),
              buffer = sn(host, "bufferization.to_buffer", copy, sn_outline_type(sn_type_of(begin)));
    sn_push(&r->seen, result);
    sn_push(&r->made, buffer);
    take_buffer(x, made, buffer);
  } else {
    take_buffer(x, made,
                sn_none(result) ? sn_outline_allocate(host, begin) : sn_outline_result(host, r, result, begin));
  }
  sn_push(&x->made, made);
  sn_vec_free(&none.seen);
  sn_vec_free(&none.made);
}

// What a loop carries has two memories, by turns, and the last turn stores to that of its result.
static void take_carried(SnBuilder *host, Outlined *x, const SnSequence *s, const SnSequenceLoop *loop) {
  for (intptr_t k = 0; k < sn_num_results(loop->op); ++k) {
    MlirValue begin = sn_operand(loop->op, 3 + k), carried = mlirBlockGetArgument(body_of(loop->op), k + 1);
    if (!sn_table_has(&x->place, sn_result(loop->op, k).ptr))
      take_given(host, x, loop->op, k, (MlirValue){0});
    if (is_sliced(loop->op, k))
      continue;
    take_argument(host, x, s, begin);
    take_buffer(x, carried, sn_outline_allocate(host, begin)); // the other one
    sn_push(&x->made, carried);
  }
}

// The loop has other memory for it: what it carries, or a slice.
static bool is_placed(const SnSequenceLoop *loop, MlirValue made) {
  MlirOperation yield = mlirBlockGetTerminator(body_of(loop->op));
  for (intptr_t k = 0; k < sn_num_operands(yield); ++k)
    if (sn_same(sn_viewed(sn_operand(yield, k)), made))
      return true;
  return false;
}

// All that forms touch, from outside or made in the body, becomes memory of the caller.
static void take_arguments(SnBuilder *host, Outlined *x, const SnSequence *s) {
  MlirOperation yield = mlirBlockGetTerminator(s->body);
  for (intptr_t k = 0; k < sn_num_results(s->op); ++k) {
    MlirValue made = sn_operand(yield, k), result = sn_result(s->op, k);
    MlirOperation maker = sn_definer(made);
    if (sn_is(maker, "scf.for"))
      take_given(host, x, maker, mlirOpResultGetResultNumber(made), result);
    else if (sn_is_in_place(maker))
      take_shared(x, made, sn_outline_place(host, &x->results, result, sn_shared(made)));
    else
      take_buffer(x, made, sn_outline_result(host, &x->results, result, sn_destination(made)));
  }
  for (size_t i = 0; i < s->loops.size; ++i)
    take_carried(host, x, s, &s->loops.data[i]);
  for (size_t i = 0; i < s->forms.size; ++i) {
    MlirOperation form = s->forms.data[i];
    const SnSequenceLoop *loop = sn_sequence_loop(s, i);
    for (intptr_t k = 0; k < sn_num_operands(form); ++k)
      if (!sn_form_writes(form, k))
        take_argument(host, x, s, sn_operand(form, k));
    for (intptr_t k = 0; k < sn_num_results(form); ++k) {
      MlirValue made = sn_result(form, k);
      if (sn_table_has(&x->place, made.ptr) || (loop && is_placed(loop, made)))
        continue;
      if (sn_is_in_place(form))
        take_inner(host, x, made);
      else
        take_made(host, x, s, i, made);
    }
  }
}

static void view_over(SnBuilder *kernel, Outlined *x, MlirOperation op) {
  MlirType t = sn_outline_type(sn_type_of(sn_result(op, 0)));
  MlirValue from = sn_lookup(&x->memory, sn_operand(op, 0)), view;
  SnAttr groups = sn_attr("reassociation", sn_get_attr(op, "reassociation"));
  if (sn_is(op, "tensor.cast"))
    view = sn(kernel, "memref.cast", from, t);
  else if (sn_is(op, "tensor.collapse_shape"))
    view = sn(kernel, "memref.collapse_shape", from, t, groups);
  else
    view = sn(kernel, "memref.expand_shape", from, t, groups,
              sn_attr("static_output_shape", sn_get_attr(op, "static_output_shape")));
  sn_map(&x->memory, sn_result(op, 0), view);
}

// A turn's part of memory, and that as memory by itself.
static void slice_over(SnBuilder *kernel, Outlined *x, MlirOperation op) {
  MlirValue whole = sn_lookup(&x->memory, sn_operand(op, 0));
  MlirType own = sn_outline_type(sn_type_of(sn_result(op, 0)));
  int64_t strides[SN_MAX_DIMS + 1], shape[SN_MAX_DIMS + 1], next = 1;
  intptr_t rank = sn_rank(own);
  for (intptr_t d = rank; d-- > 0; next = sn_times(next, shape[d])) {
    shape[d] = sn_dim(own, d);
    strides[d] = next;
  }
  MlirAttribute layout = mlirStridedLayoutAttrGet(kernel->ctx, SN_DYNAMIC, rank, strides);
  MlirType part = mlirMemRefTypeGet(sn_element(own), rank, shape, layout, mlirAttributeGetNull());
  MlirValue view = sn(kernel, "memref.subview", whole, sn_lookup(&x->memory, sn_operand(op, 1)), part,
                      sn_attr("static_offsets", sn_get_attr(op, "static_offsets")),
                      sn_attr("static_sizes", sn_get_attr(op, "static_sizes")),
                      sn_attr("static_strides", sn_get_attr(op, "static_strides")),
                      sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(kernel->ctx, 4, (int32_t[]){1, 1, 0, 0})));
  sn_map(&x->memory, sn_result(op, 0), sn(kernel, "builtin.unrealized_conversion_cast", view, own));
}

static void body_over(SnBuilder *kernel, Outlined *x, MlirBlock body);

// What it carries goes round: %from is read, %to is stored, and the next turn reads %to and stores %next.
//
//   scf.for ... iter_args(%from = %begin, %to = %a, %next = %b) { ... scf.yield %to, %next, %to }
static void loop_over(SnBuilder *kernel, Outlined *x, MlirOperation op) {
  SnSequenceLoop of;
  sn_loop_read(op, &of);
  SnBuilder before = sn_before(mlirBlockGetParentOperation(kernel->block));
  MlirOperation yield = mlirBlockGetTerminator(body_of(op));
  SnValueVec init = {0}, next = {0};
  for (intptr_t k = 0; k < sn_num_results(op); ++k) {
    if (is_sliced(op, k))
      continue;
    MlirValue given = sn_lookup(&x->memory, sn_result(op, k)),
              other = sn_lookup(&x->memory, mlirBlockGetArgument(body_of(op), k + 1));
    sn_push(&init, sn_lookup(&x->memory, sn_operand(op, 3 + k)));
    sn_push(&init, of.turns % 2 ? given : other);
    sn_push(&init, of.turns % 2 ? other : given);
  }
  SnLoop loop = sn_for_values(kernel, sn_index(&before, of.from), sn_index(&before, of.from + of.step * of.turns),
                              sn_index(&before, of.step), sn_values((intptr_t)init.size, init.data));
  sn_map(&x->memory, mlirBlockGetArgument(body_of(op), 0), loop.index);
  for (intptr_t k = 0, i = 0; k < sn_num_results(op); ++k) {
    MlirValue carried = mlirBlockGetArgument(body_of(op), k + 1), made = sn_operand(yield, k);
    if (is_sliced(op, k)) {
      sn_map(&x->memory, carried, sn_lookup(&x->memory, sn_result(op, k)));
      continue;
    }
    sn_map(&x->memory, carried, loop.carried[i]);
    sn_map(&x->memory, made, loop.carried[i + 1]);
    sn_push(&next, loop.carried[i + 1]);
    sn_push(&next, loop.carried[i + 2]);
    sn_push(&next, loop.carried[i + 1]);
    i += 3;
  }
  body_over(kernel, x, body_of(op));
  sn_next_values(kernel, &loop, sn_values((intptr_t)next.size, next.data));
  sn_vec_free(&init);
  sn_vec_free(&next);
}

// A form's result that is put into a slice lies there.
static MlirValue memory_of(const Outlined *x, MlirOperation op, intptr_t result) {
  MlirValue made = sn_result(op, result), slice = sn_destination(made);
  MlirValue own = sn_mapped(&x->memory, made);
  return sn_none(own) ? sn_lookup(&x->memory, slice) : own;
}

static void form_of_body(SnBuilder *kernel, Outlined *x, MlirOperation op) {
  SnValueVec memory = {0};
  intptr_t destinations = sn_num_operands(op) - sn_num_results(op);
  for (intptr_t k = 0; k < destinations; ++k)
    sn_push(&memory, sn_lookup(&x->memory, sn_operand(op, k)));
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    sn_push(&memory, memory_of(x, op, k));
  if (sn_is_steps(op)) {
    sn_outline_steps(kernel, op, memory.data);
  } else {
    SnForm form = sn_form_read(op);
    sn_outline_form(kernel, &form, memory.data);
    sn_form_free(&form);
  }
  sn_vec_free(&memory);
}

static void body_over(SnBuilder *kernel, Outlined *x, MlirBlock body) {
  MlirOperation end = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !mlirOperationEqual(op, end); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (sn_is(op, "tensor.insert_slice"))
      continue; // stored there
    if (sn_is_slice(op))
      slice_over(kernel, x, op);
    else if (sn_is_view(op))
      view_over(kernel, x, op);
    else if (sn_is(op, "scf.for"))
      loop_over(kernel, x, op);
    else
      form_of_body(kernel, x, op);
  }
}

void sn_outline_sequence(SnOutline *o, MlirOperation op) {
  SnSequence s = sn_sequence_read(op);
  SnBuilder host = sn_before(op), after = sn_after(o->last);
  after.loc = host.loc;
  Outlined x = {.last = last_users(&s)};
  take_arguments(&host, &x, &s);
  MlirBlock block;
  MlirOperation func = sn_outline_function(&after, &x.a, &block);
  for (size_t i = 0; i < x.a.values.size; ++i) {
    uintptr_t place;
    if (sn_table_get(&x.place, x.a.values.data[i].ptr, &place))
      sn_map(&x.memory, x.a.values.data[i], mlirBlockGetArgument(block, (intptr_t)place));
  }
  for (size_t i = 0; i < x.made.size; ++i) {
    uintptr_t place;
    if (sn_table_get(&x.place, x.made.data[i].ptr, &place))
      sn_map(&x.memory, x.made.data[i], mlirBlockGetArgument(block, (intptr_t)place));
  }
  SnBuilder kernel = sn_at_end(block, host.loc);
  MlirRegion region = mlirRegionCreate();
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, body);
  sn_op(&kernel, "sinter.sequence", sn_types(0, NULL), sn_attr("phases", sn_get_attr(op, "phases")),
        sn_attr("waits", sn_get_attr(op, "waits")), sn_attr("schedule", s.schedule), region);
  SnBuilder in = sn_at_end(body, host.loc);
  body_over(&in, &x, s.body);
  sn_op(&in, "sinter.yield", sn_types(0, NULL));
  sn_table_free(&x.place);
  sn_table_free(&x.last);
  sn_map_free(&x.memory);
  sn_vec_free(&x.made);
  sn_vec_free(&x.reused);
  sn_sequence_free(&s);
  sn_outline_call(o, &host, &kernel, op, func, &x.a, &x.results);
}
