// sequence_cpu.c: a sinter.sequence becomes stages of one parallel region.
//
//   func.func private @main_kernel0(%x, %y, %z, %workspace) attributes {sinter.kernel} {
//     call @sinter_rt_sequence_begin(%stages)
//     call @sinter_rt_sequence_form(%stages, 0)             waits [0, ...]: it waits for none
//     call @main_kernel0_form0(%x, %y, %stages, %own0, %shared)
//     call @sinter_rt_sequence_form(%stages, 1)             waits [., 1]: for the first form
//     call @main_kernel0_form1(%y, %z, %stages, %own1, %shared)
//     call @sinter_rt_sequence_run(%stages)
//   }
//   func.func private @main_kernel0_form0(...) {            what there is to do, and with what:
//     call @sinter_rt_sequence_stage(@main_kernel0_form0_task, {x, y, scratch}, 16, %stages)
//     call @sinter_rt_sequence_stage(@main_kernel0_form0_task1, {x, y, scratch}, 1, %stages)
//   }
//
// A form's function is what writes its own kernel writes, with a stage where that has a parallel region; what that does
// in front of or behind a region (partial sums combined, results finished) is a stage of one task. Forms that do the
// same are one function, called with other operands: a hundred steps of an LSTM are lowered once.
//
// Scratch memory is no stack's: it lives in the workspace until all has run, each form's by itself, since forms
// overlap.
//
// test: test/lowering/cpu/sequence.mlir, test/run/sequence_cpu.test

#include "capi/shim.h"
#include "dialect/attributes.h"
#include "dialect/sequence.h"
#include "dialect/steps.h"
#include "lowering/cpu/lower_cpu.h"
#include "lowering/cpu/micro_block.h"
#include "lowering/host/made_functions.h"
#include "runtime/runtime.h"
#include <assert.h>

// ---- what is not in a region, as a task ------------------------------------------------------

// Words of scratch that say "nothing yet" are set before anything runs: no other form touches them.
static bool is_reset(const SnKernel *k, MlirOperation op) {
  if (!sn_is(op, "memref.store") || sn_null(sn_def(sn_operand(op, 0), "arith.constant")))
    return false;
  for (size_t i = 0; i < k->scratch.size; ++i)
    if (sn_same(k->scratch.data[i], sn_operand(op, 1)))
      return true;
  return false;
}

static bool has_to_wait(const SnKernel *k, MlirOperation op) {
  return !sn_is_form(op) && !sn_is_steps(op) && !sn_is(op, "func.return") && !sn_shim_is_pure(op) &&
         !sn_is(op, "memref.alloca") && !is_reset(k, op);
}

typedef struct {
  SnTask *t;
  MlirBlock host;
} Inside;

static void bring(Inside *in, MlirOperation op);

// A value of the function inside of the task: a memref that it captures, or computed again.
static void bring_value(Inside *in, MlirValue v) {
  MlirOperation op = sn_definer(v);
  if (sn_null(op) || !mlirBlockEqual(mlirOperationGetBlock(op), in->host) || !sn_none(sn_mapped(&in->t->map, v)))
    return;
  bring(in, op);
}

static MlirWalkResult bring_operands(MlirOperation op, void *user) {
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    bring_value(user, sn_operand(op, k));
  return MlirWalkResultAdvance;
}

static void bring(Inside *in, MlirOperation op) {
  mlirOperationWalk(op, bring_operands, in, MlirWalkPreOrder);
  sn_clone(&in->t->b, op, &in->t->map);
}

// Of what is in `ops`, or uses what is.
static bool is_of(const SnTable *ops, MlirOperation op) {
  bool is = sn_table_has(ops, op.ptr);
  for (intptr_t k = 0; k < sn_num_operands(op) && !is; ++k)
    is = sn_table_has(ops, sn_definer(sn_operand(op, k)).ptr);
  return is;
}

// What the function does behind its last stage is a stage of one task.
static void end_stage(SnKernel *k) {
  MlirBlock host = mlirRegionGetFirstBlock(mlirOperationGetRegion(k->func, 0));
  SnOpVec waiting = {0};
  SnTable moved = {0};
  for (MlirOperation op = sn_null(k->last_stage) ? mlirBlockGetFirstOperation(host)
                                                 : mlirOperationGetNextInBlock(k->last_stage);
       !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (has_to_wait(k, op) || is_of(&moved, op)) {
      sn_push(&waiting, op);
      sn_table_put(&moved, op.ptr, 1);
    }
  if (waiting.size) {
    SnTask t = sn_cpu_task_here(k);
    Inside in = {&t, host};
    for (size_t i = 0; i < waiting.size; ++i)
      bring(&in, waiting.data[i]);
    sn_cpu_task_end(k, &t, sn_index(&k->b, 1));
  }
  for (size_t i = waiting.size; i-- > 0;)
    mlirOperationDestroy(waiting.data[i]);
  sn_vec_free(&waiting);
  sn_table_free(&moved);
}

void sn_cpu_stage_ends(SnKernel *k) {
  if (k->stages)
    end_stage(k);
}

// ---- a form's function -----------------------------------------------------------------------

typedef struct {
  MlirOperation module, func; // of the sequence
  SnBuilder b;                // in front of the sequence
  SnMadeFunctions made;
  SnTable stages, bytes, shared; // of a form's function: how many it has, and bytes of its own and of scratch
} Sequence;

// The form by itself, on arguments that are its operands, then the stages. Null where it cannot be lowered.
static MlirOperation function_of(Sequence *q, MlirOperation form, int *number) {
  MlirContext ctx = q->b.ctx;
  SN_VEC(MlirType) types = {0};
  SN_VEC(MlirLocation) locs = {0};
  for (intptr_t k = 0; k < sn_num_operands(form); ++k) {
    sn_push(&types, sn_type_of(sn_operand(form, k)));
    sn_push(&locs, mlirOperationGetLocation(form));
  }
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate((intptr_t)types.size, types.data, locs.data);
  mlirRegionAppendOwnedBlock(region, block);
  SnBuilder after = sn_after(q->func);
  after.loc = mlirOperationGetLocation(form);
  MlirOperation func = sn_op(
      &after, "func.func", sn_attr("sym_name", sn_string(ctx, "form")), // until it is known to be needed
      sn_attr("function_type", mlirTypeAttrGet(mlirFunctionTypeGet(ctx, (intptr_t)types.size, types.data, 0, NULL))),
      sn_attr("sym_visibility", sn_string(ctx, "private")), sn_attr(SN_KERNEL, sn_unit(ctx)), region);
  mlirOperationRemoveFromParent(form);
  mlirBlockAppendOwnedOperation(block, form);
  for (intptr_t k = 0; k < sn_num_operands(form); ++k)
    mlirOperationSetOperand(form, k, mlirBlockGetArgument(block, k));
  SnBuilder end = sn_at_end(block, after.loc);
  sn_op(&end, "func.return", sn_values(0, NULL));
  sn_vec_free(&types);
  sn_vec_free(&locs);
  char name[600];
  sn_made_name(&q->made, q->func, "form", number, name, sizeof name);
  return sn_made_add(&q->made, func, name);
}

// Writes the form's function, which is new: it has three arguments more, the stages and two pieces of memory.
static MlirLogicalResult lower_form(Sequence *q, MlirOperation func) {
  MlirBlock block = sn_function_body(func);
  MlirOperation form = mlirBlockGetFirstOperation(block);
  SnKernel k = {.module = q->module, .func = func, .b = sn_before(form), .op = form, .stages = true};
  MlirLogicalResult result = sn_cpu_lower_form(&k);
  if (sn_failed(result))
    return result;
  sn_table_put(&q->stages, func.ptr, (uintptr_t)k.num_stages);
  sn_table_put(&q->bytes, func.ptr, (uintptr_t)k.workspace_bytes);
  sn_table_put(&q->shared, func.ptr, (uintptr_t)k.shared_bytes);
  return SN_OK;
}

// ---- the sequence ------------------------------------------------------------------------------

static uintptr_t number_of(const SnTable *t, MlirOperation func) {
  uintptr_t n = 0;
  sn_table_get(t, func.ptr, &n);
  return n;
}

// Scratch memory that forms have one after the other.
typedef struct {
  int64_t bytes, user; // the last one: those before it had ended when it began
  MlirValue memory;
} Shared;
typedef SN_VEC(Shared) SharedVec;

// Which each form has: the largest that is free when it begins, or one more.
static void share_memory(const Sequence *q, const SnSequence *s, const SnOpVec *functions, SharedVec *all,
                         size_t *which) {
  for (size_t i = 0; i < functions->size; ++i) {
    size_t found = all->size;
    for (size_t k = 0; k < all->size; ++k)
      if (all->data[k].user < s->waits.data[i] && (found == all->size || all->data[k].bytes > all->data[found].bytes))
        found = k;
    if (found == all->size)
      sn_push(all, (Shared){0});
    int64_t bytes = (int64_t)number_of(&q->shared, functions->data[i]);
    Shared *has = &all->data[found];
    has->bytes = bytes > has->bytes ? bytes : has->bytes;
    has->user = (int64_t)i;
    which[i] = found;
  }
}

static MlirValue bytes_of_workspace(SnKernel *k, int64_t bytes) {
  return sn_cpu_workspace(k, sn_memref(mlirIntegerTypeGet(k->b.ctx, 8), 1, &bytes));
}

// The first bytes of a piece of memory.
static MlirValue first_of(SnBuilder *b, MlirValue memory, int64_t bytes) {
  return sn(b, "memref.view", memory, sn_index(b, 0), sn_memref(mlirIntegerTypeGet(b->ctx, 8), 1, &bytes));
}

static void call_runtime(SnKernel *k, const char *name, MlirValue stages, const MlirValue *number) {
  MlirValue operands[] = {stages, number ? *number : stages};
  sn_cpu_call(k, &k->b, name, sn_values(number ? 2 : 1, operands), sn_types(0, NULL));
}

MlirLogicalResult sn_cpu_lower_sequence(SnKernel *k) {
  SnSequence s = sn_sequence_read(k->op);
  if (s.waits.size != s.forms.size) {
    sn_sequence_free(&s);
    return sn_error(k->op, "has no waits: run sinter-schedule{target=cpu} before sinter-lower-cpu");
  }
  Sequence q = {.module = k->module, .func = k->func, .b = k->b, .made = sn_made_begin(k->module)};
  MlirType i64 = mlirIntegerTypeGet(k->b.ctx, 64);
  SnOpVec functions = {0};
  SN_VEC(SnValueVec) operands = {0};
  MlirLogicalResult result = SN_OK;
  int number = 0;
  sn_sequence_move_views(&s);
  for (size_t i = 0; i < s.forms.size && !sn_failed(result); ++i) {
    SnValueVec of_form = {0};
    for (intptr_t o = 0; o < sn_num_operands(s.forms.data[i]); ++o)
      sn_push(&of_form, sn_operand(s.forms.data[i], o));
    sn_push(&operands, of_form);
    sn_push(&functions, function_of(&q, s.forms.data[i], &number));
  }
  for (size_t i = 0; i < functions.size && !sn_failed(result); ++i)
    if (!sn_table_has(&q.stages, functions.data[i].ptr))
      result = lower_form(&q, functions.data[i]);
  if (!sn_failed(result)) {
    int64_t stages = 0;
    for (size_t i = 0; i < functions.size; ++i)
      stages += (int64_t)number_of(&q.stages, functions.data[i]);
    MlirValue memory = bytes_of_workspace(k, SINTER_SEQUENCE_HEADER + SINTER_SEQUENCE_STAGE * stages);
    SharedVec shared = {0};
    size_t *which = sn_alloc((functions.size + 1) * sizeof *which);
    share_memory(&q, &s, &functions, &shared, which);
    for (size_t i = 0; i < shared.size; ++i)
      shared.data[i].memory = bytes_of_workspace(k, shared.data[i].bytes);
    MlirValue at = sn_cpu_address(&k->b, memory, sn_index(&k->b, 0));
    call_runtime(k, "sinter_rt_sequence_begin", at, NULL);
    for (size_t i = 0; i < functions.size; ++i) {
      MlirValue waits = sn_int(&k->b, i64, s.waits.data[i]);
      call_runtime(k, "sinter_rt_sequence_form", at, &waits);
      SnValueVec *of_form = &operands.data[i];
      sn_push(of_form, at);
      sn_push(of_form, bytes_of_workspace(k, (int64_t)number_of(&q.bytes, functions.data[i])));
      sn_push(of_form, first_of(&k->b, shared.data[which[i]].memory, (int64_t)number_of(&q.shared, functions.data[i])));
      MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(functions.data[i], "sym_name"));
      sn_op(&k->b, "func.call", sn_values((intptr_t)of_form->size, of_form->data), sn_types(0, NULL),
            sn_attr("callee", mlirFlatSymbolRefAttrGet(k->b.ctx, name)));
    }
    free(which);
    sn_vec_free(&shared);
    call_runtime(k, "sinter_rt_sequence_run", at, NULL);
  }
  for (size_t i = 0; i < operands.size; ++i)
    sn_vec_free(&operands.data[i]);
  sn_vec_free(&operands);
  sn_vec_free(&functions);
  sn_table_free(&q.stages);
  sn_table_free(&q.bytes);
  sn_table_free(&q.shared);
  sn_made_end(&q.made);
  sn_sequence_free(&s);
  return result;
}
