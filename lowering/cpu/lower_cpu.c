// lower_cpu.c: kernel functions become loops, vectors and runtime calls.
//
//   func.func private @main_kernel0(...) attributes {sinter.kernel} {
//     sinter.rowwise ... schedule(#sinter.rows<...>) {...}
//     return
//   }
// ->
//   the same function with scratch memory, a call of sinter_rt_parallel on
//   @main_kernel0_task, and the finish (cpu.h shows it)
//
// Everything that could be chosen is in the schedule. A kernel that needs more
// scratch memory than fits on a stack gets an extra argument, and its call an
// extra `memref.alloc() {sinter.workspace}`.
//
// runs in: sinter-cpu    test: test/lowering/cpu/

#include "lowering/cpu/lower_cpu.h"
#include "capi/pass.h"
#include "dialect/dialect.h"
#include "dialect/sequence.h"
#include "lowering/rows/rowsteps.h"
#include "mlir-c/Dialect/LLVM.h"
#include <assert.h>

#define STACK_BYTES 16384 // for one kernel's scratch; an embedder's threads may have small stacks
#define LINE 64           // bytes; every scratch buffer begins at a cache line

// ---- scratch memory -----------------------------------------------------------

static int64_t bytes_of(MlirType memref) {
  int64_t n = (sn_bits(sn_element(memref)) + 7) / 8;
  for (intptr_t i = 0; i < sn_rank(memref); ++i)
    n = sn_times(n, sn_dim(memref, i));
  return n;
}

static MlirType workspace_type(MlirContext ctx, int64_t bytes) {
  return sn_memref(mlirIntegerTypeGet(ctx, 8), 1, &bytes);
}

static MlirValue argument_of_bytes(SnKernel *k) { // their number is known at the end
  return mlirBlockAddArgument(sn_function_body(k->func), workspace_type(k->b.ctx, 0), k->b.loc);
}

static MlirValue view_of(SnKernel *k, MlirValue memory, int64_t *bytes, MlirType memref) {
  MlirValue v = sn(&k->b, "memref.view", memory, sn_index(&k->b, *bytes), memref);
  *bytes += (bytes_of(memref) + LINE - 1) / LINE * LINE;
  return v;
}

MlirValue sn_cpu_workspace(SnKernel *k, MlirType memref) {
  if (sn_none(k->workspace))
    k->workspace = argument_of_bytes(k);
  return view_of(k, k->workspace, &k->workspace_bytes, memref);
}

// What a stage works with outlives the function that notes it. Words that are set there are this form's alone; the rest
// is nothing before the form begins, and nobody's when it has ended.
static MlirValue fixed_scratch(SnKernel *k, MlirType memref) {
  SnBuilder *b = &k->b;
  int32_t segments[] = {0, 0};
  if (k->stages && bytes_of(memref) > LINE)
    return view_of(k, k->shared, &k->shared_bytes, memref);
  return bytes_of(memref) > STACK_BYTES || k->stages
             ? sn_cpu_workspace(k, memref)
             : sn(b, "memref.alloca", memref, sn_attr("alignment", sn_i64(b->ctx, LINE)),
                  sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, segments)));
}

MlirValue sn_cpu_scratch(SnKernel *k, MlirType element, intptr_t n, const MlirValue *sizes) {
  SnBuilder *b = &k->b;
  int64_t shape[2];
  MlirValue unknown[2], v;
  int32_t segments[] = {0, 0};
  for (intptr_t i = 0; i < n; ++i)
    if (!sn_known(sizes[i], &shape[i])) {
      shape[i] = SN_DYNAMIC;
      unknown[segments[0]++] = sizes[i];
    }
  MlirType memref = sn_memref(sn_scratch_type(element), n, shape);
  v = !segments[0]
          ? fixed_scratch(k, memref)
          : sn(b, "memref.alloc", sn_values(segments[0], unknown), memref, sn_attr("alignment", sn_i64(b->ctx, LINE)),
               sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, segments)));
  sn_push(&k->scratch, v);
  return v;
}

MlirValue sn_cpu_end(SnBuilder *b, MlirValue from, MlirValue share, MlirValue all) {
  int64_t m, n;
  MlirValue end = sn(b, "arith.addi", from, share);
  return sn_known(share, &m) && sn_known(all, &n) && n % m == 0 ? end : sn(b, "arith.minsi", end, all);
}

// The workspace becomes an argument of the function, and of each call of it that there was.
static void add_workspace(SnKernel *k) {
  MlirType type = workspace_type(k->b.ctx, k->workspace_bytes);
  mlirValueSetType(k->workspace, type);
  if (k->stages)
    mlirValueSetType(k->shared, workspace_type(k->b.ctx, k->shared_bytes));
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(k->func, 0));
  SN_VEC(MlirType) types = {0};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    sn_push(&types, sn_type_of(mlirBlockGetArgument(block, i)));
  sn_set_attr(k->func, "function_type",
              mlirTypeAttrGet(mlirFunctionTypeGet(k->b.ctx, (intptr_t)types.size, types.data, 0, NULL)));
  sn_vec_free(&types);
  if (k->stages)
    return; // its sequence calls it
  SnOpVec calls = sn_calls_of(k->calls, k->func);
  for (size_t i = 0; i < calls.size; ++i) {
    MlirOperation call = calls.data[i];
    MlirOperation whole = call; // one of two that are called gets its part of the workspace, too
    while (sn_is(mlirOperationGetParentOperation(whole), "scf.if"))
      whole = mlirOperationGetParentOperation(whole);
    SnBuilder b = sn_before(whole);
    int32_t segments[] = {0, 0};
    SnValueVec operands = {0};
    for (intptr_t o = 0; o < sn_num_operands(call); ++o)
      sn_push(&operands, sn_operand(call, o));
    sn_push(&operands, sn(&b, "memref.alloc", type, sn_attr("alignment", sn_i64(b.ctx, LINE)),
                          sn_attr("sinter.workspace", sn_unit(b.ctx)),
                          sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 2, segments))));
    mlirOperationSetOperands(call, (intptr_t)operands.size, operands.data);
    sn_vec_free(&operands);
  }
}

// What is made; null where it is declared.
static MlirOperation declare(SnKernel *k, const char *name, intptr_t n, const MlirType *arguments, SnTypes results) {
  if (!sn_take_symbol(k->module, name))
    return (MlirOperation){0};
  SnBuilder b =
      sn_at_end(mlirRegionGetFirstBlock(mlirOperationGetRegion(k->module, 0)), mlirLocationUnknownGet(k->b.ctx));
  MlirType type = mlirFunctionTypeGet(b.ctx, n, arguments, results.n, results.data);
  return sn_op(&b, "func.func", sn_attr("sym_name", sn_string(b.ctx, name)),
               sn_attr("function_type", mlirTypeAttrGet(type)),
               sn_attr("sym_visibility", sn_string(b.ctx, "private")), mlirRegionCreate());
}

void sn_cpu_declare(SnKernel *k, const char *name, intptr_t n, const MlirType *arguments) {
  declare(k, name, n, arguments, sn_types(0, NULL));
}

static MlirOperation call(SnKernel *k, SnBuilder *b, const char *name, SnValues operands, SnTypes results,
                          bool intrinsic) {
  MlirType types[16];
  assert(operands.n <= 16);
  for (intptr_t i = 0; i < operands.n; ++i)
    types[i] = sn_type_of(operands.data[i]);
  MlirOperation made = declare(k, name, operands.n, types, results);
  if (intrinsic && !sn_null(made))
    sn_set_attr(made, "sinter.intrinsic", sn_unit(b->ctx));
  return sn_op(b, "func.call", operands, results, sn_attr("callee", mlirFlatSymbolRefAttrGet(b->ctx, SN_STR(name))));
}

MlirOperation sn_cpu_call(SnKernel *k, SnBuilder *b, const char *name, SnValues operands, SnTypes results) {
  return call(k, b, name, operands, results, false);
}

MlirOperation sn_cpu_intrinsic(SnKernel *k, SnBuilder *b, const char *name, SnValues operands, SnTypes results) {
  return call(k, b, name, operands, results, true);
}

// ---- one kernel ------------------------------------------------------------------

static MlirLogicalResult check(const SnForm *f) {
  const char *wanted = sn_multiplies(f) ? "brgemm" : "rows", *found = sn_schedule_mnemonic(f->schedule);
  if (!f->schedule.ptr)
    return sn_error(f->op, "has no schedule: run sinter-schedule{target=cpu} first");
  if (!found || strcmp(found, wanted))
    return sn_error(f->op, "has a schedule #sinter.%s, but a CPU needs #sinter.%s: run sinter-schedule{target=cpu}",
                    found ? found : "?", wanted);
  return sn_row_program_check(f);
}

static MlirLogicalResult lower_steps(SnKernel *k) {
  const char *found = sn_schedule_mnemonic(sn_get_attr(k->op, "schedule"));
  if (!found || strcmp(found, "rows"))
    return sn_error(k->op, "has no schedule #sinter.rows: run sinter-schedule{target=cpu} first");
  return sn_cpu_lower_steps(k, k->op);
}

static MlirLogicalResult lower_rows(SnKernel *k) {
  sn_erase_dead(mlirRegionGetFirstBlock(mlirOperationGetRegion(k->op, 0)));
  k->form = sn_form_read(k->op);
  MlirLogicalResult result = check(&k->form);
  if (!sn_failed(result))
    result = sn_multiplies(&k->form) ? sn_cpu_lower_contract(k) : sn_cpu_lower_rowwise(k);
  k->op = k->form.op; // may be another than it was
  sn_form_free(&k->form);
  return result;
}

MlirLogicalResult sn_cpu_lower_form(SnKernel *k) {
  if (k->stages) {
    k->sequence = mlirBlockAddArgument(sn_function_body(k->func), mlirLLVMPointerTypeGet(k->b.ctx, 0), k->b.loc);
    k->workspace = argument_of_bytes(k);
    k->shared = argument_of_bytes(k);
    k->shared_bytes = LINE; // an address is of something
  }
  MlirLogicalResult result = sn_is_sequence(k->op) ? sn_cpu_lower_sequence(k)
                             : sn_is_steps(k->op)  ? lower_steps(k)
                                                   : lower_rows(k);
  if (!sn_failed(result)) {
    sn_cpu_stage_ends(k);
    mlirOperationDestroy(k->op);
    if (!sn_none(k->workspace))
      add_workspace(k);
  }
  sn_vec_free(&k->scratch);
  return result;
}

static MlirLogicalResult lower(MlirOperation module, const SnCalls *calls, MlirOperation func, MlirOperation op) {
  if (!mlirBlockEqual(mlirOperationGetBlock(op), sn_function_body(func)))
    return sn_error(op, "stands inside control flow of its kernel function: run sinter-outline");
  SnKernel k = {.module = module, .calls = calls, .func = func, .b = sn_before(op), .op = op};
  return sn_cpu_lower_form(&k);
}

static MlirWalkResult find_forms(MlirOperation op, void *found) {
  if (!sn_is_form(op) && !sn_is_steps(op) && !sn_is_sequence(op))
    return MlirWalkResultAdvance;
  sn_push((SnOpVec *)found, op);
  return MlirWalkResultSkip;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  SnOpVec functions = sn_collect(module, "func.func");
  SnCalls calls = sn_calls(module);
  MlirLogicalResult result = SN_OK;
  for (size_t i = 0; i < functions.size && !sn_failed(result); ++i) {
    if (!sn_get_attr(functions.data[i], "sinter.kernel").ptr)
      continue;
    SnOpVec forms = {0};
    mlirOperationWalk(functions.data[i], find_forms, &forms, MlirWalkPreOrder);
    if (forms.size > 1)
      result = sn_error(forms.data[1], "is a second kernel form in one kernel function: run sinter-outline");
    else if (forms.size)
      result = lower(module, &calls, functions.data[i], forms.data[0]);
    sn_vec_free(&forms);
  }
  sn_vec_free(&functions);
  sn_calls_free(&calls);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__func__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__vector__(void);
MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__math__(void);
MlirDialectHandle mlirGetDialectHandle__llvm__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__func__,  mlirGetDialectHandle__memref__,
                                                      mlirGetDialectHandle__scf__,   mlirGetDialectHandle__vector__,
                                                      mlirGetDialectHandle__arith__, mlirGetDialectHandle__math__,
                                                      mlirGetDialectHandle__llvm__,  NULL};

const SnPass sn_pass_lower_cpu = {
    .argument = "sinter-lower-cpu",
    .summary = "kernel functions as loops, vectors and runtime calls on a CPU",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
