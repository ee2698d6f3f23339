// outline.c: each kernel form becomes a function of its own, on memrefs.
//
//   %y = sinter.rowwise ... ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {...}
// ->
//   %mx = bufferization.to_buffer %x read_only : tensor<4x8xf32> to memref<4x8xf32>
//   %my = memref.alloc() : memref<4x8xf32>
//   call @main_kernel0(%mx, %my)
//   %y = bufferization.to_tensor %my restrict writable : memref<4x8xf32> to tensor<4x8xf32>
//
//   func.func private @main_kernel0(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
//     sinter.rowwise ... ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {...}
//     return
//   }
//
// One-shot bufferization takes this without a copy. What a destination held is
// never read, so each is a new buffer; one that is returned becomes the
// caller's own later (buffer-results-to-out-params). A result that is only
// reshaped and returned is allocated as it is returned, and given to the kernel
// reshaped back: bufferization would copy it.
//
// Forms that do the same to operands of the same types share one function, which is lowered once: a stack of a
// thousand equal layers is one kernel that is called a thousand times.
//
// What a sinter.steps in place stores to is no new buffer but that of the program's result, which is an argument's, too
// (SN_SHARES).
//
// A sequence becomes one function: what one of its forms makes for another is a buffer of the caller's, too.
//
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/outline.mlir, outline_sequence.mlir

#include "capi/pass.h"
#include "capi/shim.h"
#include "dialect/attributes.h"
#include "dialect/sequence.h"
#include "lowering/host/made_functions.h"
#include "lowering/rows/rowsteps.h"
#include "passes/edit/size_terms.h"

// ---- the host's side ------------------------------------------------------------

static MlirType buffer_type(MlirType t) { return sn_memref_like(t, sn_element(t)); }

// On a bufferization.to_tensor of the memory that an argument and a result share: kernels store there in place.
#define SHARED "sinter.shared"

static MlirValue shared_buffer(MlirValue v) {
  MlirOperation op = sn_definer(v);
  return sn_is(op, "bufferization.to_tensor") && sn_get_attr(op, SHARED).ptr ? sn_operand(op, 0) : (MlirValue){0};
}

static MlirValue to_buffer(SnBuilder *b, MlirValue v) {
  if (!mlirTypeIsATensor(sn_type_of(v)))
    return v;
  if (!sn_none(shared_buffer(v)))
    return shared_buffer(v);
  return sn(b, "bufferization.to_buffer", v, buffer_type(sn_type_of(v)), sn_attr("read_only", sn_unit(b->ctx)));
}

static MlirValue allocate(SnBuilder *b, MlirValue destination) {
  MlirType t = sn_type_of(destination);
  if (!mlirTypeIsATensor(t))
    return destination;
  SnValueVec sizes = {0};
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    if (sn_dim(t, i) == SN_DYNAMIC)
      sn_push(&sizes, sn(b, "tensor.dim", destination, sn_index(b, i), sn_index_type(b->ctx)));
  int32_t segments[] = {(int32_t)sizes.size, 0};
  MlirValue memref = sn(b, "memref.alloc", buffer_type(t), sn_values((intptr_t)sizes.size, sizes.data),
                        sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, segments)));
  sn_vec_free(&sizes);
  return memref;
}

// The only reader of a value, if it is a reshape; else null.
static MlirOperation only_reshape(MlirValue v) {
  MlirOperation op = sn_one_use(v) ? mlirOpOperandGetOwner(mlirValueGetFirstUse(v)) : (MlirOperation){0};
  return sn_is(op, "tensor.expand_shape") || sn_is(op, "tensor.collapse_shape") ? op : (MlirOperation){0};
}

// Sizes of a value that does not stand yet, one for each dimension.
typedef struct {
  SnSize size[SN_MAX_DIMS];
  intptr_t n;
} Shape;

static intptr_t in_group(MlirAttribute groups, intptr_t g) {
  return mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(groups, g));
}

// What is behind the reshape, of what is in front of it. False where it may have another number of elements than what
// it reads, which is asserted behind the kernel. Where it has as many, and some, its sizes are made of what those that
// it reads are made of, so they are known in front of the kernel.
static bool follow(SnSizeReader *r, MlirOperation reshape, Shape *shape) {
  MlirAttribute groups = sn_get_attr(reshape, "reassociation");
  MlirType t = sn_type_of(sn_result(reshape, 0));
  bool up = sn_is(reshape, "tensor.expand_shape"), fits = sn_rank(t) <= SN_MAX_DIMS;
  Shape behind = {.n = sn_rank(t)};
  for (intptr_t g = 0, d = 0, given = 1; g < mlirArrayAttrGetNumElements(groups) && fits; ++g) {
    SnSize all = sn_size_number(1);
    for (intptr_t k = 0; k < in_group(groups, g); ++k, ++d) {
      SnSize size = up ? sn_size_number(sn_dim(t, d)) : shape->size[d];
      if (up && sn_dim(t, d) == SN_DYNAMIC)
        size = sn_size_of_value(r, sn_operand(reshape, given++));
      if (up)
        behind.size[d] = size;
      all = sn_size_product(&all, &size);
    }
    if (!up)
      behind.size[g] = all;
    fits = all.known && all.n && (!up || sn_size_equal(&all, &shape->size[g]));
  }
  *shape = behind;
  return fits;
}

// What the host sees of a result with the destination `out`: the value itself, or what it is returned as, behind
// reshapes. Sets its shape.
static MlirValue seen_by_host(SnSizeReader *r, MlirValue result, MlirValue out, Shape *shape) {
  MlirValue v = result;
  bool fits = sn_rank(sn_type_of(v)) <= SN_MAX_DIMS;
  shape->n = sn_rank(sn_type_of(v));
  for (intptr_t i = 0; i < shape->n && fits; ++i)
    shape->size[i] = sn_size_of_dim(r, out, i);
  for (MlirOperation op = only_reshape(v); !sn_null(op) && fits; op = only_reshape(v)) {
    fits = follow(r, op, shape);
    v = sn_result(op, 0);
  }
  bool is_returned = sn_one_use(v) && sn_is(mlirOpOperandGetOwner(mlirValueGetFirstUse(v)), "func.return");
  return fits && is_returned ? v : result;
}

static MlirValue empty(SnBuilder *b, const SnSizeReader *r, MlirType t, const Shape *shape) {
  MlirValue sizes[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t i = 0; i < shape->n; ++i)
    if (sn_dim(t, i) == SN_DYNAMIC)
      sizes[n++] = sn_size_emit(r, b, &shape->size[i]);
  return sn(b, "tensor.empty", sn_values(n, sizes), t);
}

// The buffer of `seen`, in the shape of `result`, whose destination is `out`: the reshapes between them, backwards.
static MlirValue shaped_back(SnBuilder *b, SnSizeReader *r, MlirValue buffer, MlirValue seen, MlirValue result,
                             MlirValue out) {
  if (sn_same(seen, result))
    return buffer;
  MlirOperation op = sn_definer(seen);
  MlirValue x = sn_operand(op, 0), sizes[SN_MAX_DIMS], back;
  MlirType t = buffer_type(sn_type_of(x));
  SnAttr groups = sn_attr("reassociation", sn_get_attr(op, "reassociation"));
  if (sn_is(op, "tensor.expand_shape")) {
    back = sn(b, "memref.collapse_shape", buffer, t, groups);
  } else {
    int64_t shape[SN_MAX_DIMS];
    intptr_t n = 0;
    for (intptr_t i = 0; i < sn_rank(t); ++i) {
      SnSize size = sn_size_of_dim(r, sn_same(x, result) ? out : x, i);
      shape[i] = sn_dim(t, i);
      if (shape[i] == SN_DYNAMIC)
        sizes[n++] = sn_size_emit(r, b, &size);
    }
    back = sn(b, "memref.expand_shape", buffer, sn_values(n, sizes), t, groups,
              sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, sn_rank(t), shape)));
  }
  return shaped_back(b, r, back, x, result, out);
}

// ---- the kernel's side -------------------------------------------------------------

// The operands of a call, each value once.
typedef struct {
  SnValueVec values, buffers;
} Arguments;

static size_t argument(SnBuilder *b, Arguments *a, MlirValue v) {
  for (size_t i = 0; i < a->values.size; ++i)
    if (sn_same(a->values.data[i], v))
      return i;
  sn_push(&a->values, v);
  sn_push(&a->buffers, to_buffer(b, v));
  return a->values.size - 1;
}

static void move_block(MlirBlock from, MlirBlock to) {
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(from); ++k)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(from, k), mlirBlockGetArgument(to, k));
  for (MlirOperation op = mlirBlockGetFirstOperation(from), next; !sn_null(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(to, op);
  }
}

static MlirOperation make_function(SnBuilder *b, const Arguments *a, MlirBlock *body) {
  intptr_t n = (intptr_t)a->buffers.size;
  MlirType *types = sn_alloc((size_t)n * sizeof *types);
  MlirLocation *locs = sn_alloc((size_t)n * sizeof *locs);
  for (intptr_t k = 0; k < n; ++k) {
    types[k] = sn_type_of(a->buffers.data[k]);
    locs[k] = b->loc;
  }
  MlirRegion region = mlirRegionCreate();
  *body = mlirBlockCreate(n, types, locs);
  mlirRegionAppendOwnedBlock(region, *body);
  MlirOperation func =
      sn_op(b, "func.func", sn_attr("sym_name", sn_string(b->ctx, "kernel")), // until it is known to be needed
            sn_attr("function_type", mlirTypeAttrGet(mlirFunctionTypeGet(b->ctx, n, types, 0, NULL))),
            sn_attr("sym_visibility", sn_string(b->ctx, "private")), sn_attr("sinter.kernel", sn_unit(b->ctx)), region);
  free(types);
  free(locs);
  return func;
}

// Results of an op as the host sees them, and the buffers that are made for them.
typedef struct {
  SnValueVec seen, made;
  SnTable shared; // those of `made` that are stored to in place
} Results;

// Where a sinter.steps in place stores what it gives as `result`: to memory that an argument and a result of the
// program share, or to a copy.
static MlirValue place_of(SnBuilder *host, Results *r, MlirValue result, MlirValue out) {
  MlirValue buffer = shared_buffer(out);
  const int32_t segments[] = {0, 1, 0};
  if (sn_none(buffer)) {
    MlirValue copy = sn(host, "bufferization.alloc_tensor", sn_type_of(out), out,
                        sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(host->ctx, 3, segments)));
    buffer = sn(host, "bufferization.to_buffer", copy, buffer_type(sn_type_of(out)));
  }
  sn_push(&r->seen, result);
  sn_push(&r->made, buffer);
  sn_table_put(&r->shared, buffer.ptr, 1);
  return buffer;
}

// The buffer of a result whose destination is `out`, in the result's shape.
static MlirValue buffer_of(SnBuilder *host, Results *r, MlirValue result, MlirValue out) {
  SnSizeReader sizes = {.forgets = true};
  Shape shape;
  MlirValue v = seen_by_host(&sizes, result, out, &shape),
            buffer = allocate(host, sn_same(v, result) ? out : empty(host, &sizes, sn_type_of(v), &shape));
  sn_push(&r->seen, v);
  sn_push(&r->made, buffer);
  MlirValue back = shaped_back(host, &sizes, buffer, v, result, out);
  sn_size_reader_free(&sizes);
  return back;
}

typedef struct {
  MlirOperation func, last; // whose forms are outlined; what its next kernel stands behind
  int n;                    // of its names: counted up for each form, so that reports tell two calls of one apart
  SnMadeFunctions made;
} Outline;

// The op gives way to the buffers that were made of its results, and so do the reshapes behind it.
static void become(SnBuilder *host, MlirOperation op, const Results *r) {
  for (intptr_t k = 0; k < sn_num_results(op); ++k) {
    MlirValue v = r->seen.data[k];
    MlirValue result = sn(host, "bufferization.to_tensor", r->made.data[k], sn_type_of(v),
                          sn_attr("restrict", sn_unit(host->ctx)), sn_attr("writable", sn_unit(host->ctx)));
    if (sn_table_has(&r->shared, r->made.data[k].ptr))
      sn_set_attr(sn_definer(result), SHARED, sn_unit(host->ctx));
    mlirValueReplaceAllUsesOfWith(v, result);
    for (MlirOperation reshape = sn_definer(v); !mlirOperationEqual(reshape, op);) {
      MlirOperation next = sn_definer(sn_operand(reshape, 0));
      mlirOperationDestroy(reshape);
      reshape = next;
    }
  }
  mlirOperationDestroy(op);
}

// The end of the kernel's function; the host calls it, or one that does the same, in place of the op.
static void call(Outline *o, SnBuilder *host, SnBuilder *kernel, MlirOperation op, MlirOperation func, Arguments *a,
                 Results *r) {
  sn_op(kernel, "func.return", sn_values(0, NULL));
  char name[160];
  sn_made_name(&o->made, o->func, "kernel", &o->n, name, sizeof name);
  MlirOperation callee = sn_made_add(&o->made, func, name);
  if (mlirOperationEqual(callee, func))
    o->last = func;
  MlirStringRef symbol = mlirStringAttrGetValue(sn_get_attr(callee, "sym_name"));
  MlirLocation loc = host->loc;
  // sinter-count reads it: passes between keep locations.
  host->loc = mlirLocationFusedGet(host->ctx, 1, &loc, sn_string(host->ctx, name));
  sn_op(host, "func.call", sn_values((intptr_t)a->buffers.size, a->buffers.data),
        sn_attr("callee", mlirFlatSymbolRefAttrGet(host->ctx, symbol)), sn_types(0, NULL));
  host->loc = loc;
  become(host, op, r);
  sn_vec_free(&r->seen);
  sn_vec_free(&r->made);
  sn_table_free(&r->shared);
  sn_vec_free(&a->values);
  sn_vec_free(&a->buffers);
}

// The form again, over memory: what each of its operands is.
static void form_over(SnBuilder *kernel, SnForm *form, const MlirValue *memory) {
  for (size_t k = 0; k < form->inputs.size; ++k)
    form->inputs.data[k].value = *memory++;
  for (size_t k = 0; k < form->indices.size; ++k)
    form->indices.data[k].value = *memory++;
  for (size_t k = 0; k < form->outputs.size; ++k)
    form->outputs.data[k].value = *memory++;
  MlirBlock body = form->body, finish = form->finish;
  sn_form_create(kernel, form, finish.ptr != NULL);
  move_block(body, form->body);
  if (finish.ptr)
    move_block(finish, form->finish);
}

// The same of a sinter.steps.
static void steps_over(SnBuilder *kernel, MlirOperation op, const MlirValue *memory) {
  MlirRegion body = mlirRegionCreate(), finish = mlirRegionCreate();
  mlirRegionTakeBody(body, mlirOperationGetRegion(op, 0));
  mlirRegionTakeBody(finish, mlirOperationGetRegion(op, 1));
  sn_op(kernel, "sinter.steps", sn_values(sn_num_operands(op), memory), sn_types(0, NULL),
        sn_attr("rows", sn_get_attr(op, "rows")), sn_attr("in_place", sn_get_attr(op, "in_place")),
        sn_attr("operandSegmentSizes", sn_get_attr(op, "operandSegmentSizes")),
        sn_attr("schedule", sn_get_attr(op, "schedule")), body, finish);
}

static void outline(Outline *o, MlirOperation op) {
  SnForm form = sn_form_read(op);
  SnBuilder host = sn_before(op), after = sn_after(o->last);
  after.loc = host.loc;
  Arguments a = {0};
  SN_VEC(size_t) places = {0};
  for (size_t k = 0; k < form.inputs.size; ++k)
    sn_push(&places, argument(&host, &a, form.inputs.data[k].value));
  for (size_t k = 0; k < form.indices.size; ++k)
    sn_push(&places, argument(&host, &a, form.indices.data[k].value));
  Results results = {0};
  for (size_t k = 0; k < form.outputs.size; ++k) {
    MlirValue out = form.outputs.data[k].value;
    if ((intptr_t)k < sn_num_results(op))
      out = buffer_of(&host, &results, sn_result(op, (intptr_t)k), out);
    sn_push(&a.values, out);
    sn_push(&a.buffers, out);
    sn_push(&places, a.values.size - 1);
  }
  MlirBlock block;
  MlirOperation func = make_function(&after, &a, &block);

  SnBuilder kernel = sn_at_end(block, host.loc);
  SnValueVec memory = {0};
  for (size_t k = 0; k < places.size; ++k)
    sn_push(&memory, mlirBlockGetArgument(block, (intptr_t)places.data[k]));
  form_over(&kernel, &form, memory.data);
  sn_vec_free(&memory);
  call(o, &host, &kernel, op, func, &a, &results);
  sn_vec_free(&places);
  sn_form_free(&form);
}

// A sinter.steps: its operands are inputs, then destinations.
static void outline_steps(Outline *o, MlirOperation op) {
  SnSteps s = sn_steps_read(op);
  SnBuilder host = sn_before(op), after = sn_after(o->last);
  after.loc = host.loc;
  Arguments a = {0};
  Results results = {0};
  for (intptr_t k = 0; k < sn_num_operands(op);
       ++k) { // an input given twice is two arguments: the body has one for each
    MlirValue v = sn_operand(op, k);
    if (k < s.inputs)
      v = to_buffer(&host, v);
    else if (sn_is_in_place(op) && sn_num_results(op))
      v = place_of(&host, &results, sn_result(op, k - s.inputs), v);
    else if (k - s.inputs < sn_num_results(op))
      v = buffer_of(&host, &results, sn_result(op, k - s.inputs), v);
    sn_push(&a.buffers, v);
  }
  MlirBlock block;
  MlirOperation func = make_function(&after, &a, &block);
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    sn_push(&a.values, mlirBlockGetArgument(block, k));
  SnBuilder kernel = sn_at_end(block, host.loc);
  steps_over(&kernel, op, a.values.data);
  call(o, &host, &kernel, op, func, &a, &results);
}

// ---- sequences ------------------------------------------------------------------------

// Memory of what a form makes for others.
typedef struct {
  MlirValue buffer;
  size_t place; // which argument it is
  int64_t user; // the last form that touches it
} Reused;

// What a value of a sequence's body is: memory of an argument, or of an operation in the kernel's body.
typedef struct {
  Arguments a;
  Results results;
  SnTable place; // of a value: which argument it is
  SnMap memory;  // of a value, in the kernel
  SnValueVec made; // by forms for others
  SN_VEC(Reused) reused;
} Outlined;

static bool is_made_in(MlirBlock body, MlirOperation op) {
  return !sn_null(op) && mlirBlockEqual(mlirOperationGetBlock(op), body);
}

// What an operand is, under reshapes of the body; one of the host's is a value as any other.
static void take_argument(SnBuilder *host, Outlined *x, MlirBlock body, MlirValue v) {
  MlirOperation made = sn_definer(v);
  for (; is_made_in(body, made) && sn_is_view(made); made = sn_definer(v))
    v = sn_operand(made, 0);
  if (is_made_in(body, made))
    return;
  sn_table_put(&x->place, v.ptr, argument(host, &x->a, v));
}

static void take_buffer(Outlined *x, MlirValue made, MlirValue buffer) {
  sn_push(&x->a.values, made);
  sn_push(&x->a.buffers, buffer);
  sn_table_put(&x->place, made.ptr, x->a.values.size - 1);
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
  Results none = {0};
  take_shared(x, made, sn_table_has(&x->place, first.ptr) ? (MlirValue){0} : place_of(host, &none, made, first));
  sn_vec_free(&none.seen);
  sn_vec_free(&none.made);
  sn_table_free(&none.shared);
}

static int64_t last_user(const SnSequence *s, MlirValue made, int64_t form) {
  for (int64_t i = (int64_t)s->forms.size - 1; i > form; --i)
    for (intptr_t k = 0; k < sn_num_operands(s->forms.data[i]); ++k)
      if (sn_same(sn_viewed(sn_operand(s->forms.data[i], k)), made))
        return i;
  return form;
}

// What form i makes for others. Where forms say for how many they wait, as on a CPU, it has memory of this type that an
// earlier one had, and that nobody reads any more when it begins: the verifier sees that in the kernel, where both
// write one memref. Without, 100 steps of an LSTM would walk through 100 times the memory.
static void take_made(SnBuilder *host, Outlined *x, const SnSequence *s, size_t i, MlirValue made) {
  MlirType t = buffer_type(sn_type_of(made));
  int64_t waits = s->waits.size ? s->waits.data[i] : 0, user = last_user(s, made, (int64_t)i);
  sn_push(&x->made, made);
  for (size_t k = 0; k < x->reused.size; ++k) {
    Reused *r = &x->reused.data[k];
    if (r->user >= waits || !mlirTypeEqual(sn_type_of(r->buffer), t))
      continue;
    sn_table_put(&x->place, made.ptr, r->place);
    r->user = user;
    return;
  }
  MlirValue buffer = allocate(host, sn_destination(made));
  take_buffer(x, made, buffer);
  sn_push(&x->reused, (Reused){buffer, x->a.values.size - 1, user});
}

// All that forms touch, from outside or made in the body, becomes memory of the caller.
static void take_arguments(SnBuilder *host, Outlined *x, const SnSequence *s) {
  MlirOperation yield = mlirBlockGetTerminator(s->body);
  for (intptr_t k = 0; k < sn_num_results(s->op); ++k) {
    MlirValue made = sn_operand(yield, k), result = sn_result(s->op, k);
    if (sn_is_in_place(sn_definer(made)))
      take_shared(x, made, place_of(host, &x->results, result, sn_shared(made)));
    else
      take_buffer(x, made, buffer_of(host, &x->results, result, sn_destination(made)));
  }
  for (size_t i = 0; i < s->forms.size; ++i) {
    MlirOperation form = s->forms.data[i];
    for (intptr_t k = 0; k < sn_num_operands(form); ++k)
      if (!sn_form_writes(form, k))
        take_argument(host, x, s->body, sn_operand(form, k));
    for (intptr_t k = 0; k < sn_num_results(form); ++k) {
      MlirValue made = sn_result(form, k);
      if (sn_table_has(&x->place, made.ptr))
        continue;
      if (sn_is_in_place(form))
        take_inner(host, x, made);
      else
        take_made(host, x, s, i, made);
    }
  }
}

static void view_over(SnBuilder *kernel, Outlined *x, MlirOperation op) {
  MlirType t = buffer_type(sn_type_of(sn_result(op, 0)));
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

static void write_body(SnBuilder *kernel, Outlined *x, const SnSequence *s) {
  for (MlirOperation op = mlirBlockGetFirstOperation(s->body), next; !sn_is(op, "sinter.yield"); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (sn_is_view(op)) {
      view_over(kernel, x, op);
      continue;
    }
    SnValueVec memory = {0};
    intptr_t destinations = sn_num_operands(op) - sn_num_results(op);
    for (intptr_t k = 0; k < sn_num_operands(op); ++k)
      sn_push(&memory, sn_lookup(&x->memory, k < destinations ? sn_operand(op, k) : sn_result(op, k - destinations)));
    if (sn_is_steps(op)) {
      steps_over(kernel, op, memory.data);
    } else {
      SnForm form = sn_form_read(op);
      form_over(kernel, &form, memory.data);
      sn_form_free(&form);
    }
    sn_vec_free(&memory);
  }
  sn_op(kernel, "sinter.yield", sn_types(0, NULL));
}

static void outline_sequence(Outline *o, MlirOperation op) {
  SnSequence s = sn_sequence_read(op);
  SnBuilder host = sn_before(op), after = sn_after(o->last);
  after.loc = host.loc;
  Outlined x = {0};
  take_arguments(&host, &x, &s);
  MlirBlock block;
  MlirOperation func = make_function(&after, &x.a, &block);
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
  SnBuilder in = sn_at_end(body, host.loc);
  write_body(&in, &x, &s);
  sn_op(&kernel, "sinter.sequence", sn_types(0, NULL), sn_attr("phases", sn_get_attr(op, "phases")),
        sn_attr("waits", sn_get_attr(op, "waits")), sn_attr("schedule", s.schedule), region);
  sn_table_free(&x.place);
  sn_map_free(&x.memory);
  sn_vec_free(&x.made);
  sn_vec_free(&x.reused);
  sn_sequence_free(&s);
  call(o, &host, &kernel, op, func, &x.a, &x.results);
}

// ---- the pass -----------------------------------------------------------------------

static MlirWalkResult find_forms(MlirOperation op, void *found) {
  if (!sn_is_form(op) && !sn_is_steps(op) && !sn_is_sequence(op))
    return MlirWalkResultAdvance;
  sn_push((SnOpVec *)found, op);
  return MlirWalkResultSkip;
}

// Results that say which argument's memory they lie in: a buffer of both, which becomes the caller's own later. All
// that kernels do with the argument they do there.
static void share(MlirOperation func) {
  MlirAttribute all = sn_get_attr(func, "res_attrs");
  for (intptr_t i = 0; all.ptr && i < mlirArrayAttrGetNumElements(all); ++i) {
    MlirAttribute of = mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, i), SN_STR(SN_SHARES));
    if (!of.ptr)
      continue;
    MlirBlock body = sn_function_body(func);
    SnBuilder b = sn_at_start(body, mlirOperationGetLocation(func));
    MlirValue argument = mlirBlockGetArgument(body, mlirIntegerAttrGetValueInt(of));
    MlirValue both =
        sn(&b, "bufferization.to_tensor", allocate(&b, argument), sn_type_of(argument),
           sn_attr("restrict", sn_unit(b.ctx)), sn_attr("writable", sn_unit(b.ctx)), sn_attr(SHARED, sn_unit(b.ctx)));
    mlirValueReplaceAllUsesOfWith(argument, both);
  }
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  SnOpVec functions = sn_collect(module, "func.func");
  Outline o = {.made = sn_made_begin(module)};
  for (size_t i = 0; i < functions.size; ++i) {
    o.func = o.last = functions.data[i];
    o.n = 0;
    if (!sn_function_body(o.func).ptr || sn_get_attr(o.func, "sinter.kernel").ptr)
      continue;
    share(o.func);
    SnOpVec forms = {0};
    mlirOperationWalk(o.func, find_forms, &forms, MlirWalkPreOrder);
    for (size_t k = 0; k < forms.size; ++k)
      (sn_is_sequence(forms.data[k]) ? outline_sequence
       : sn_is_steps(forms.data[k])  ? outline_steps
                                     : outline)(&o, forms.data[k]);
    sn_vec_free(&forms);
  }
  sn_made_end(&o.made);
  sn_vec_free(&functions);
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__func__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__bufferization__(void);
static MlirDialectHandle (*const dialects[])(void) = {
    mlirGetDialectHandle__func__,  mlirGetDialectHandle__memref__,        mlirGetDialectHandle__tensor__,
    mlirGetDialectHandle__arith__, mlirGetDialectHandle__bufferization__, NULL};

const SnPass sn_pass_outline = {
    .argument = "sinter-outline",
    .summary = "each kernel form in a function of its own, on memrefs",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
