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
// Sequences: outline_sequence.c.
//
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/outline.mlir, outline_sequence.mlir

#include "lowering/outline.h"
#include "capi/pass.h"
#include "capi/shim.h"
#include "dialect/attributes.h"
#include "dialect/sequence.h"
#include "lowering/rows/rowsteps.h"
#include "passes/edit/size_terms.h"

// ---- the host's side ------------------------------------------------------------

MlirType sn_outline_type(MlirType t) { return sn_memref_like(t, sn_element(t)); }

// On a bufferization.to_tensor of the memory that an argument and a result share: kernels store there in place.
#define SHARED "sinter.shared"

static MlirValue shared_buffer(MlirValue v) {
  MlirOperation op = sn_definer(v);
  return sn_is(op, "bufferization.to_tensor") && sn_get_attr(op, SHARED).ptr ? sn_operand(op, 0) : (MlirValue){0};
}

MlirValue sn_outline_buffer(SnBuilder *b, MlirValue v) {
  if (!mlirTypeIsATensor(sn_type_of(v)))
    return v;
  if (!sn_none(shared_buffer(v)))
    return shared_buffer(v);
  return sn(b, "bufferization.to_buffer", v, sn_outline_type(sn_type_of(v)), sn_attr("read_only", sn_unit(b->ctx)));
}

MlirValue sn_outline_allocate(SnBuilder *b, MlirValue destination) {
  MlirType t = sn_type_of(destination);
  if (!mlirTypeIsATensor(t))
    return destination;
  SnValueVec sizes = {0};
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    if (sn_dim(t, i) == SN_DYNAMIC)
      sn_push(&sizes, sn(b, "tensor.dim", destination, sn_index(b, i), sn_index_type(b->ctx)));
  int32_t segments[] = {(int32_t)sizes.size, 0};
  MlirValue memref = sn(b, "memref.alloc", sn_outline_type(t), sn_values((intptr_t)sizes.size, sizes.data),
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

// The function returns it, or gives it back from a branch whose result nobody else reads.
static bool is_returned(MlirValue v) {
  MlirOpOperand use = sn_one_use(v) ? mlirValueGetFirstUse(v) : (MlirOpOperand){0};
  MlirOperation op = mlirOpOperandIsNull(use) ? (MlirOperation){0} : mlirOpOperandGetOwner(use);
  MlirOperation branch = sn_is(op, "scf.yield") ? mlirOperationGetParentOperation(op) : (MlirOperation){0};
  if (sn_is(branch, "scf.if"))
    return is_returned(sn_result(branch, (intptr_t)mlirOpOperandGetOperandNumber(use)));
  return sn_is(op, "func.return");
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
  return fits && is_returned(v) ? v : result;
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
  MlirType t = sn_outline_type(sn_type_of(x));
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

size_t sn_outline_add(SnArguments *a, MlirValue v, MlirValue buffer) {
  if (!sn_table_has(&a->place, v.ptr))
    sn_table_put(&a->place, v.ptr, a->values.size);
  sn_push(&a->values, v);
  sn_push(&a->buffers, buffer);
  return a->values.size - 1;
}

size_t sn_outline_argument(SnBuilder *b, SnArguments *a, MlirValue v) {
  uintptr_t place;
  return sn_table_get(&a->place, v.ptr, &place) ? place : sn_outline_add(a, v, sn_outline_buffer(b, v));
}

MlirOperation sn_outline_function(SnBuilder *b, const SnArguments *a, MlirBlock *body) {
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

// Where a sinter.steps in place stores what it gives as `result`: to memory that an argument and a result of the
// program share, or to a copy.
MlirValue sn_outline_place(SnBuilder *host, SnResults *r, MlirValue result, MlirValue out) {
  MlirValue buffer = shared_buffer(out);
  const int32_t segments[] = {0, 1, 0};
  if (sn_none(buffer)) {
    MlirValue copy = sn(host, "bufferization.alloc_tensor", sn_type_of(out), out,
                        sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(host->ctx, 3, segments)));
    buffer = sn(host, "bufferization.to_buffer", copy, sn_outline_type(sn_type_of(out)));
  }
  sn_push(&r->seen, result);
  sn_push(&r->made, buffer);
  sn_table_put(&r->shared, buffer.ptr, 1);
  return buffer;
}

// The buffer of a result whose destination is `out`, in the result's shape.
MlirValue sn_outline_result(SnBuilder *host, SnResults *r, MlirValue result, MlirValue out) {
  SnSizeReader sizes = {.forgets = true};
  Shape shape;
  MlirValue v = seen_by_host(&sizes, result, out, &shape),
            buffer = sn_outline_allocate(host, sn_same(v, result) ? out : empty(host, &sizes, sn_type_of(v), &shape));
  sn_push(&r->seen, v);
  sn_push(&r->made, buffer);
  MlirValue back = shaped_back(host, &sizes, buffer, v, result, out);
  sn_size_reader_free(&sizes);
  return back;
}

// The op gives way to the buffers that were made of its results, and so do the reshapes behind it.
static void become(SnBuilder *host, MlirOperation op, const SnResults *r) {
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
void sn_outline_call(SnOutline *o, SnBuilder *host, SnBuilder *kernel, MlirOperation op, MlirOperation func,
                     SnArguments *a, SnResults *r) {
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
  sn_table_free(&a->place);
}

// The form again, over memory: what each of its operands is.
void sn_outline_form(SnBuilder *kernel, SnForm *form, const MlirValue *memory) {
  for (size_t k = 0; k < form->inputs.size; ++k)
    form->inputs.data[k].value = *memory++;
  for (size_t k = 0; k < form->indices.size; ++k)
    form->indices.data[k].value = *memory++;
  for (size_t k = 0; k < form->outputs.size; ++k)
    form->outputs.data[k].value = *memory++;
  MlirBlock body = form->body, finish = form->finish;
  sn_form_create(kernel, form, finish.ptr != NULL);
  sn_move_block(body, form->body);
  if (finish.ptr)
    sn_move_block(finish, form->finish);
}

// The same of a sinter.steps.
void sn_outline_steps(SnBuilder *kernel, MlirOperation op, const MlirValue *memory) {
  MlirRegion body = mlirRegionCreate(), finish = mlirRegionCreate();
  mlirRegionTakeBody(body, mlirOperationGetRegion(op, 0));
  mlirRegionTakeBody(finish, mlirOperationGetRegion(op, 1));
  sn_op(kernel, "sinter.steps", sn_values(sn_num_operands(op), memory), sn_types(0, NULL),
        sn_attr("rows", sn_get_attr(op, "rows")), sn_attr("in_place", sn_get_attr(op, "in_place")),
        sn_attr("operandSegmentSizes", sn_get_attr(op, "operandSegmentSizes")),
        sn_attr("schedule", sn_get_attr(op, "schedule")), body, finish);
}

static void outline(SnOutline *o, MlirOperation op) {
  SnForm form = sn_form_read(op);
  SnBuilder host = sn_before(op), after = sn_after(o->last);
  after.loc = host.loc;
  SnArguments a = {0};
  SN_VEC(size_t) places = {0};
  for (size_t k = 0; k < form.inputs.size; ++k)
    sn_push(&places, sn_outline_argument(&host, &a, form.inputs.data[k].value));
  for (size_t k = 0; k < form.indices.size; ++k)
    sn_push(&places, sn_outline_argument(&host, &a, form.indices.data[k].value));
  SnResults results = {0};
  for (size_t k = 0; k < form.outputs.size; ++k) {
    MlirValue out = form.outputs.data[k].value;
    if ((intptr_t)k < sn_num_results(op))
      out = sn_outline_result(&host, &results, sn_result(op, (intptr_t)k), out);
    sn_push(&places, sn_outline_add(&a, out, out));
  }
  MlirBlock block;
  MlirOperation func = sn_outline_function(&after, &a, &block);

  SnBuilder kernel = sn_at_end(block, host.loc);
  SnValueVec memory = {0};
  for (size_t k = 0; k < places.size; ++k)
    sn_push(&memory, mlirBlockGetArgument(block, (intptr_t)places.data[k]));
  sn_outline_form(&kernel, &form, memory.data);
  sn_vec_free(&memory);
  sn_outline_call(o, &host, &kernel, op, func, &a, &results);
  sn_vec_free(&places);
  sn_form_free(&form);
}

// A sinter.steps: its operands are inputs, then destinations.
static void outline_steps(SnOutline *o, MlirOperation op) {
  SnSteps s = sn_steps_read(op);
  SnBuilder host = sn_before(op), after = sn_after(o->last);
  after.loc = host.loc;
  SnArguments a = {0};
  SnResults results = {0};
  for (intptr_t k = 0; k < sn_num_operands(op);
       ++k) { // an input given twice is two arguments: the body has one for each
    MlirValue v = sn_operand(op, k);
    if (k < s.inputs)
      v = sn_outline_buffer(&host, v);
    else if (sn_is_in_place(op) && sn_num_results(op))
      v = sn_outline_place(&host, &results, sn_result(op, k - s.inputs), v);
    else if (k - s.inputs < sn_num_results(op))
      v = sn_outline_result(&host, &results, sn_result(op, k - s.inputs), v);
    sn_push(&a.buffers, v);
  }
  MlirBlock block;
  MlirOperation func = sn_outline_function(&after, &a, &block);
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    sn_push(&a.values, mlirBlockGetArgument(block, k));
  SnBuilder kernel = sn_at_end(block, host.loc);
  sn_outline_steps(&kernel, op, a.values.data);
  sn_outline_call(o, &host, &kernel, op, func, &a, &results);
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
        sn(&b, "bufferization.to_tensor", sn_outline_allocate(&b, argument), sn_type_of(argument),
           sn_attr("restrict", sn_unit(b.ctx)), sn_attr("writable", sn_unit(b.ctx)), sn_attr(SHARED, sn_unit(b.ctx)));
    mlirValueReplaceAllUsesOfWith(argument, both);
  }
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  SnOpVec functions = sn_collect(module, "func.func");
  SnOutline o = {.made = sn_made_begin(module)};
  for (size_t i = 0; i < functions.size; ++i) {
    o.func = o.last = functions.data[i];
    o.n = 0;
    if (!sn_function_body(o.func).ptr || sn_get_attr(o.func, "sinter.kernel").ptr)
      continue;
    share(o.func);
    SnOpVec forms = {0};
    mlirOperationWalk(o.func, find_forms, &forms, MlirWalkPreOrder);
    for (size_t k = 0; k < forms.size; ++k)
      (sn_is_sequence(forms.data[k]) ? sn_outline_sequence
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
