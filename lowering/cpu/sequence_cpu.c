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
// A loop of the sequence is a loop of this function, which notes each turn's stages: the region is one for all turns.
//
// Forms that run by turns are functions as kernels by themselves are, which one task calls.
//
// test: test/lowering/cpu/sequence.mlir, test/run/sequence_cpu.test

#include "capi/shim.h"
#include "dialect/attributes.h"
#include "dialect/sequence.h"
#include "dialect/steps.h"
#include "lowering/cpu/lower_cpu.h"
#include "lowering/cpu/micro_block.h"
#include "lowering/host/made_functions.h"
#include "lowering/rows/sequence_turns.h"
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

// Writes the form's function, which is new. With stages it has three arguments more, the stages and two pieces of
// memory; else one where it needs memory.
static MlirLogicalResult lower_form(Sequence *q, MlirOperation func, bool stages) {
  MlirBlock block = sn_function_body(func);
  MlirOperation form = mlirBlockGetFirstOperation(block);
  SnCalls none = {0};
  SnKernel k = {
      .module = q->module, .calls = &none, .func = func, .b = sn_before(form), .op = form, .stages = stages};
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
  int64_t bytes;
  size_t first, user; // the first of its loop, and the last one: those before that had ended when it began
  MlirValue memory;
} Shared;
typedef SN_VEC(Shared) SharedVec;

// The last form that had the memory has ended when this one begins; in a loop, this one has when the first of the loop
// that has it begins in the next turn.
static bool may_have(const SnSequence *s, const Shared *memory, size_t form) {
  const SnSequenceLoop *loop = sn_sequence_loop(s, form);
  if (s->waits.data[form] <= (int64_t)memory->user)
    return false;
  return !loop || s->loop.data[memory->user] != s->loop.data[form] ||
         sn_sequence_ended(s, memory->first, s->waits.data[memory->first]) >
             sn_sequence_ended(s, form, (int64_t)form) - (int64_t)loop->forms;
}

// Which each form has: the largest that is free when it begins, or one more.
static void share_memory(const Sequence *q, const SnSequence *s, const SnOpVec *functions, SharedVec *all,
                         size_t *which) {
  for (size_t i = 0; i < functions->size; ++i) {
    size_t found = all->size;
    for (size_t k = 0; k < all->size; ++k)
      if (may_have(s, &all->data[k], i) && (found == all->size || all->data[k].bytes > all->data[found].bytes))
        found = k;
    bool is_new = found == all->size;
    if (is_new)
      sn_push(all, (Shared){.first = i});
    int64_t bytes = (int64_t)number_of(&q->shared, functions->data[i]);
    Shared *has = &all->data[found];
    has->bytes = bytes > has->bytes ? bytes : has->bytes;
    if (!is_new && s->loop.data[has->user] != s->loop.data[i])
      has->first = i;
    has->user = i;
    which[i] = found;
  }
}

static MlirValue bytes_of_workspace(SnKernel *k, int64_t bytes) {
  return sn_cpu_workspace(k, sn_memref(mlirIntegerTypeGet(k->b.ctx, 8), 1, &bytes));
}

// So many bytes of a piece of memory.
static MlirValue bytes_at(SnBuilder *b, MlirValue memory, MlirValue at, int64_t bytes) {
  return sn(b, "memref.view", memory, at, sn_memref(mlirIntegerTypeGet(b->ctx, 8), 1, &bytes));
}

static void call_runtime(SnKernel *k, const char *name, MlirValue stages, const MlirValue *number) {
  MlirValue operands[] = {stages, number ? *number : stages};
  sn_cpu_call(k, &k->b, name, sn_values(number ? 2 : 1, operands), sn_types(0, NULL));
}

// ---- what is noted ---------------------------------------------------------------------------

// The sequence, while calls of its forms are written.
typedef struct {
  SnKernel *k;
  const Sequence *q;
  const SnSequence *s;
  const SnOpVec *functions;
  const SnValueVec *operands; // of each form, as the sequence has them
  const MlirValue *shared;    // of each form: scratch memory
  MlirValue at;               // where stages are noted
} Noting;

static MlirValue address_of(SnBuilder *b, MlirValue memory, void *user) {
  (void)user;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  return sn(b, "arith.index_cast", sn(b, "memref.extract_aligned_pointer_as_index", memory, sn_index_type(b->ctx)),
            i64);
}

// A loop's forms wait for as many more as it has in each turn. `own` is the memory of such a form, of each turn by
// itself.
static void note_form(const Noting *n, size_t i, const SnTurns *t, MlirValue own) {
  SnBuilder *b = &n->k->b;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  MlirOperation func = n->functions->data[i];
  int64_t bytes = (int64_t)number_of(&n->q->bytes, func);
  MlirValue waits = sn_int(b, i64, sn_sequence_ended(n->s, i, n->s->waits.data[i]));
  if (t) {
    MlirValue turn = sn(b, "arith.index_cast", t->at.index, i64);
    waits = sn(b, "arith.addi", waits, sn(b, "arith.muli", turn, sn_int(b, i64, (int64_t)t->loop->forms)));
    own = bytes_at(b, own, sn(b, "arith.muli", t->at.index, sn_index(b, bytes)), bytes);
  }
  call_runtime(n->k, "sinter_rt_sequence_form", n->at, &waits);
  if (!t)
    own = bytes_of_workspace(n->k, bytes);
  SnValueVec operands = {0};
  for (size_t o = 0; o < n->operands[i].size; ++o)
    sn_push(&operands, t ? sn_turns_memref(b, t, n->operands[i].data[o]) : n->operands[i].data[o]);
  sn_push(&operands, n->at);
  sn_push(&operands, own);
  sn_push(&operands, bytes_at(b, n->shared[i], sn_index(b, 0), (int64_t)number_of(&n->q->shared, func)));
  MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(func, "sym_name"));
  sn_op(b, "func.call", sn_values((intptr_t)operands.size, operands.data), sn_types(0, NULL),
        sn_attr("callee", mlirFlatSymbolRefAttrGet(b->ctx, name)));
  sn_vec_free(&operands);
}

static void note_loop(const Noting *n, const SnSequenceLoop *loop) {
  SnBuilder *b = &n->k->b;
  SnValueVec own = {0};
  for (size_t i = loop->first; i < loop->first + loop->forms; ++i)
    sn_push(&own, bytes_of_workspace(n->k, loop->turns * (int64_t)number_of(&n->q->bytes, n->functions->data[i])));
  SnTurns t = {.loop = loop, .base = address_of};
  sn_turns_begin(b, &t);
  for (size_t i = 0; i < loop->forms; ++i)
    note_form(n, loop->first + i, &t, own.data[i]);
  sn_turns_end(b, &t);
  sn_vec_free(&own);
}

static void note_all(const Noting *n) {
  for (size_t i = 0; i < n->functions->size; ++i) {
    const SnSequenceLoop *loop = sn_sequence_loop(n->s, i);
    if (!loop)
      note_form(n, i, NULL, (MlirValue){0});
    else if (i == loop->first)
      note_loop(n, loop);
  }
}

static int64_t count_stages(const Sequence *q, const SnSequence *s, const SnOpVec *functions) {
  int64_t stages = 0;
  for (size_t i = 0; i < functions->size; ++i) {
    const SnSequenceLoop *loop = sn_sequence_loop(s, i);
    stages += sn_times(loop ? loop->turns : 1, (int64_t)number_of(&q->stages, functions->data[i]));
  }
  return stages;
}

static void run_all(SnKernel *k, const Sequence *q, const SnSequence *s, const SnOpVec *functions,
                    const SnValueVec *operands) {
  MlirValue memory =
      bytes_of_workspace(k, SINTER_SEQUENCE_HEADER + SINTER_SEQUENCE_STAGE * count_stages(q, s, functions));
  SharedVec shared = {0};
  size_t *which = sn_alloc((functions->size + 1) * sizeof *which);
  MlirValue *of_form = sn_alloc((functions->size + 1) * sizeof *of_form);
  share_memory(q, s, functions, &shared, which);
  for (size_t i = 0; i < shared.size; ++i)
    shared.data[i].memory = bytes_of_workspace(k, shared.data[i].bytes);
  for (size_t i = 0; i < functions->size; ++i)
    of_form[i] = shared.data[which[i]].memory;
  Noting n = {k, q, s, functions, operands, of_form, sn_cpu_address(&k->b, memory, sn_index(&k->b, 0))};
  call_runtime(k, "sinter_rt_sequence_begin", n.at, NULL);
  note_all(&n);
  call_runtime(k, "sinter_rt_sequence_run", n.at, NULL);
  free(which);
  free(of_form);
  sn_vec_free(&shared);
}

// One task calls each form's function.
static void run_by_turns(SnKernel *k, const Sequence *q, const SnOpVec *functions, const SnValueVec *operands) {
  MlirType byte = mlirIntegerTypeGet(k->b.ctx, 8);
  SnValueVec memory = {0};
  for (size_t i = 0; i < functions->size; ++i) {
    MlirValue bytes = sn_index(&k->b, (int64_t)number_of(&q->bytes, functions->data[i]));
    sn_push(&memory, number_of(&q->bytes, functions->data[i]) ? sn_cpu_scratch(k, byte, 1, &bytes) : (MlirValue){0});
  }
  SnTask t = sn_cpu_task_begin(k);
  for (size_t i = 0; i < functions->size; ++i) {
    SnValueVec given = {0};
    for (size_t o = 0; o < operands[i].size; ++o)
      sn_push(&given, sn_lookup(&t.map, operands[i].data[o]));
    if (!sn_none(memory.data[i]))
      sn_push(&given, sn_lookup(&t.map, memory.data[i]));
    MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(functions->data[i], "sym_name"));
    sn_op(&t.b, "func.call", sn_values((intptr_t)given.size, given.data), sn_types(0, NULL),
          sn_attr("callee", mlirFlatSymbolRefAttrGet(t.b.ctx, name)));
    sn_vec_free(&given);
  }
  sn_cpu_task_end(k, &t, sn_index(&k->b, 1));
  sn_vec_free(&memory);
}

MlirLogicalResult sn_cpu_lower_sequence(SnKernel *k) {
  SnSequence s = sn_sequence_read(k->op);
  bool by_turns = sn_sequence_by_turns(&s);
  if (!by_turns && s.waits.size != s.forms.size) {
    sn_sequence_free(&s);
    return sn_error(k->op, "has no waits: run sinter-schedule{target=cpu} before sinter-lower-cpu");
  }
  Sequence q = {.module = k->module, .func = k->func, .b = k->b, .made = sn_made_begin(k->module)};
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
      result = lower_form(&q, functions.data[i], !by_turns);
  if (!sn_failed(result) && by_turns)
    run_by_turns(k, &q, &functions, operands.data);
  else if (!sn_failed(result))
    run_all(k, &q, &s, &functions, operands.data);
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
