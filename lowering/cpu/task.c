// task.c: a function that the runtime calls for each task, and the call.
//
//   %d = llvm.alloca struct of memref descriptors       func.func private @k_task(%context: !llvm.ptr, %i: i64)
//   llvm.store each descriptor                            llvm.load each descriptor
//   call @sinter_rt_parallel(@k_task, %d, count)          ...
//
// Descriptors and memrefs are exchanged by unrealized casts, which upstream's
// conversion to LLVM resolves.

#include "lowering/cpu/lower_cpu.h"
#include "lowering/cpu/micro_block.h"
#include "mlir-c/Dialect/LLVM.h"
#include <stdio.h>

static MlirType pointer(MlirContext ctx) { return mlirLLVMPointerTypeGet(ctx, 0); }

MlirType sn_cpu_descriptor(MlirContext ctx, MlirType memref) {
  MlirType i64 = mlirIntegerTypeGet(ctx, 64);
  unsigned rank = (unsigned)sn_rank(memref);
  MlirType dims = mlirLLVMArrayTypeGet(i64, rank);
  MlirType fields[] = {pointer(ctx), pointer(ctx), i64, dims, dims};
  return mlirLLVMStructTypeLiteralGet(ctx, rank ? 5 : 3, fields, false);
}

static MlirType context_type(MlirContext ctx, const SnValueVec *captured) {
  SN_VEC(MlirType) fields = {0};
  for (size_t k = 0; k < captured->size; ++k)
    sn_push(&fields, sn_cpu_descriptor(ctx, sn_type_of(captured->data[k])));
  MlirType t = mlirLLVMStructTypeLiteralGet(ctx, (intptr_t)fields.size, fields.data, false);
  sn_vec_free(&fields);
  return t;
}

static MlirValue field(SnBuilder *b, MlirValue context, MlirType type, size_t k) {
  int32_t at[] = {0, (int32_t)k};
  return sn(b, "llvm.getelementptr", context, pointer(b->ctx), sn_attr("elem_type", mlirTypeAttrGet(type)),
            sn_attr("rawConstantIndices", mlirDenseI32ArrayGet(b->ctx, 2, at)));
}

static MlirValue cast(SnBuilder *b, MlirValue v, MlirType t) {
  return sn(b, "builtin.unrealized_conversion_cast", v, t);
}

SnTask sn_cpu_task_begin(SnKernel *k) {
  sn_cpu_stage_ends(k);
  return sn_cpu_task_here(k);
}

SnTask sn_cpu_task_here(SnKernel *k) {
  SnTask t = {0};
  MlirContext ctx = k->b.ctx;
  char name[600];
  MlirStringRef kernel = mlirStringAttrGetValue(sn_get_attr(k->func, "sym_name"));
  snprintf(name, sizeof name, "%.*s_task", (int)kernel.length, kernel.data);
  for (int i = 1; !sn_null(sn_symbol(k->module, name)); ++i) // a kernel may have several
    snprintf(name, sizeof name, "%.*s_task%d", (int)kernel.length, kernel.data, i);
  MlirType arguments[] = {pointer(ctx), mlirIntegerTypeGet(ctx, 64)};
  MlirLocation locs[] = {k->b.loc, k->b.loc};
  MlirBlock block = mlirBlockCreate(2, arguments, locs);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  SnBuilder after = sn_after(k->func);
  after.loc = k->b.loc;
  t.func = sn_op(&after, "func.func", sn_attr("sym_name", sn_string(ctx, name)),
                 sn_attr("function_type", mlirTypeAttrGet(mlirFunctionTypeGet(ctx, 2, arguments, 0, NULL))),
                 sn_attr("sym_visibility", sn_string(ctx, "private")), region);
  t.b = sn_at_end(block, k->b.loc);
  MlirBlock host = mlirRegionGetFirstBlock(mlirOperationGetRegion(k->func, 0));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(host); ++i) {
    MlirValue v = mlirBlockGetArgument(host, i);
    if (!sn_same(v, k->workspace) && !sn_same(v, k->sequence) && !sn_same(v, k->shared))
      sn_push(&t.captured, v);
  }
  for (size_t i = 0; i < k->scratch.size; ++i)
    sn_push(&t.captured, k->scratch.data[i]);
  MlirType type = context_type(ctx, &t.captured);
  for (size_t i = 0; i < t.captured.size; ++i) {
    MlirType memref = sn_type_of(t.captured.data[i]);
    MlirValue at = field(&t.b, mlirBlockGetArgument(block, 0), type, i);
    MlirValue d = sn(&t.b, "llvm.load", at, sn_cpu_descriptor(ctx, memref));
    sn_map(&t.map, t.captured.data[i], cast(&t.b, d, memref));
  }
  t.index = sn(&t.b, "arith.index_cast", mlirBlockGetArgument(block, 1), sn_index_type(ctx));
  return t;
}

// Of a stage: it runs when this function has returned.
static MlirValue context_in_workspace(SnKernel *k, const SnValueVec *captured) {
  int64_t bytes = 0;
  for (size_t i = 0; i < captured->size; ++i)
    bytes += 8 * (3 + 2 * sn_rank(sn_type_of(captured->data[i]))); // as sn_cpu_descriptor has them
  MlirValue memory = sn_cpu_workspace(k, sn_memref(mlirIntegerTypeGet(k->b.ctx, 8), 1, &bytes));
  return sn_cpu_address(&k->b, memory, sn_index(&k->b, 0));
}

void sn_cpu_task_end(SnKernel *k, SnTask *t, MlirValue count) {
  SnBuilder *b = &k->b;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64), ptr = pointer(b->ctx);
  sn_op(&t->b, "func.return", sn_values(0, NULL));
  MlirType type = context_type(b->ctx, &t->captured);
  MlirValue context = k->stages
                          ? context_in_workspace(k, &t->captured)
                          : sn(b, "llvm.alloca", sn_int(b, i64, 1), ptr, sn_attr("elem_type", mlirTypeAttrGet(type)));
  for (size_t i = 0; i < t->captured.size; ++i) {
    MlirValue memref = t->captured.data[i];
    MlirValue d = cast(b, memref, sn_cpu_descriptor(b->ctx, sn_type_of(memref)));
    sn_op(b, "llvm.store", d, field(b, context, type, i));
  }
  MlirAttribute name = mlirFlatSymbolRefAttrGet(b->ctx, mlirStringAttrGetValue(sn_get_attr(t->func, "sym_name")));
  MlirValue task =
      sn(b, "func.constant", mlirTypeAttrGetValue(sn_get_attr(t->func, "function_type")), sn_attr("value", name));
  int64_t known;
  MlirValue number = sn_known(count, &known) ? sn_int(b, i64, known) : sn(b, "arith.index_cast", count, i64);
  MlirValue operands[] = {cast(b, task, ptr), context, number, k->sequence};
  if (k->stages) {
    k->last_stage = sn_cpu_call(k, b, "sinter_rt_sequence_stage", sn_values(4, operands), sn_types(0, NULL));
    k->num_stages++;
  } else {
    sn_cpu_call(k, b, "sinter_rt_parallel", sn_values(3, operands), sn_types(0, NULL));
  }
  sn_vec_free(&t->captured);
  sn_map_free(&t->map);
}

SnForm sn_cpu_form_in_task(const SnForm *form, const SnTask *t) {
  SnForm f = sn_form_read(form->op);
  f.finish = form->finish;
  for (size_t k = 0; k < f.inputs.size; ++k)
    f.inputs.data[k].value = sn_lookup(&t->map, f.inputs.data[k].value);
  for (size_t k = 0; k < f.indices.size; ++k)
    f.indices.data[k].value = sn_lookup(&t->map, f.indices.data[k].value);
  for (size_t k = 0; k < f.outputs.size; ++k)
    f.outputs.data[k].value = sn_lookup(&t->map, f.outputs.data[k].value);
  return f;
}
