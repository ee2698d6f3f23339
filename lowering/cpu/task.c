// task.c: a function that the runtime calls for each task, and the call.
//
//   %d = llvm.alloca struct of pointers                 func.func private @k_task(%context: !llvm.ptr, %i: i64)
//   llvm.store each memref's pointer                      llvm.load each pointer: a memref there
//   call @sinter_rt_parallel(@k_task, %d, count)          ...
//
// What a memref's type does not say, sizes that are `?`, is stored as well, as its whole descriptor: LLVM compares each
// store with those beside it, and a descriptor of two dimensions is seven. Descriptors and memrefs are exchanged by
// unrealized casts, which upstream's conversion to LLVM resolves.

#include "lowering/cpu/lower_cpu.h"
#include "lowering/cpu/micro_block.h"
#include "mlir-c/Dialect/LLVM.h"
#include <stdio.h>

static MlirType pointer(MlirContext ctx) { return mlirLLVMPointerTypeGet(ctx, 0); }

static MlirValue cast(SnBuilder *b, MlirValue v, MlirType t) {
  return sn(b, "builtin.unrealized_conversion_cast", v, t);
}

// ---- memrefs in LLVM's dialect ---------------------------------------------------------------------

MlirType sn_cpu_descriptor(MlirContext ctx, MlirType memref) {
  MlirType i64 = mlirIntegerTypeGet(ctx, 64);
  unsigned rank = (unsigned)sn_rank(memref);
  MlirType dims = mlirLLVMArrayTypeGet(i64, rank);
  MlirType fields[] = {pointer(ctx), pointer(ctx), i64, dims, dims};
  return mlirLLVMStructTypeLiteralGet(ctx, rank ? 5 : 3, fields, false);
}

static MlirValue as_i64(SnBuilder *b, MlirValue index) {
  int64_t known;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  return sn_known(index, &known) ? sn_int(b, i64, known) : sn(b, "arith.index_cast", index, i64);
}

static MlirValue insert(SnBuilder *b, MlirValue to, MlirValue x, int64_t at, int64_t element) {
  int64_t position[] = {at, element};
  return sn(b, "llvm.insertvalue", to, x, sn_type_of(to),
            sn_attr("position", mlirDenseI64ArrayGet(b->ctx, element < 0 ? 1 : 2, position)));
}

MlirValue sn_cpu_memref_at(SnBuilder *b, MlirType memref, const MlirValue *sizes, MlirValue pointer) {
  MlirType descriptor = sn_cpu_descriptor(b->ctx, memref);
  MlirValue d = sn(b, "llvm.mlir.poison", descriptor), stride = sn_index(b, 1);
  d = insert(b, insert(b, d, pointer, 0, -1), pointer, 1, -1);
  d = insert(b, d, as_i64(b, sn_index(b, 0)), 2, -1);
  for (int64_t i = sn_rank(memref); i-- > 0;) {
    d = insert(b, insert(b, d, as_i64(b, sizes[i]), 3, i), as_i64(b, stride), 4, i);
    stride = sn_size_mul(b, stride, sizes[i]);
  }
  return cast(b, d, memref);
}

// ---- what a task is given of the memrefs around it -------------------------------------------------

// The type says all but where it is.
static bool is_pointer(MlirType memref) {
  return sn_rank(memref) <= SN_MAX_DIMS && mlirShapedTypeHasStaticShape(memref) &&
         mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(memref));
}

static MlirType field_type(MlirContext ctx, MlirType memref) {
  return is_pointer(memref) ? pointer(ctx) : sn_cpu_descriptor(ctx, memref);
}

static int64_t field_bytes(MlirType memref) { return 8 * (is_pointer(memref) ? 1 : 3 + 2 * sn_rank(memref)); }

static MlirValue field_value(SnBuilder *b, MlirValue memref) {
  MlirType t = sn_type_of(memref);
  MlirValue d = cast(b, memref, sn_cpu_descriptor(b->ctx, t));
  int64_t aligned = 1;
  return is_pointer(t) ? sn(b, "llvm.extractvalue", d, pointer(b->ctx),
                            sn_attr("position", mlirDenseI64ArrayGet(b->ctx, 1, &aligned)))
                       : d;
}

static MlirValue memref_of_field(SnBuilder *b, MlirValue field, MlirType memref) {
  MlirValue sizes[SN_MAX_DIMS];
  if (!is_pointer(memref))
    return cast(b, field, memref);
  for (int64_t i = 0; i < sn_rank(memref); ++i)
    sizes[i] = sn_index(b, sn_dim(memref, i));
  return sn_cpu_memref_at(b, memref, sizes, field);
}

static MlirType context_type(MlirContext ctx, const SnValueVec *captured) {
  SN_VEC(MlirType) fields = {0};
  for (size_t k = 0; k < captured->size; ++k)
    sn_push(&fields, field_type(ctx, sn_type_of(captured->data[k])));
  MlirType t = mlirLLVMStructTypeLiteralGet(ctx, (intptr_t)fields.size, fields.data, false);
  sn_vec_free(&fields);
  return t;
}

static MlirValue field(SnBuilder *b, MlirValue context, MlirType type, size_t k) {
  int32_t at[] = {0, (int32_t)k};
  return sn(b, "llvm.getelementptr", context, pointer(b->ctx), sn_attr("elem_type", mlirTypeAttrGet(type)),
            sn_attr("rawConstantIndices", mlirDenseI32ArrayGet(b->ctx, 2, at)));
}

// ---- tasks -----------------------------------------------------------------------------------------

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
  for (int i = 1; !sn_take_symbol(k->module, name); ++i) // a kernel may have several
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
    MlirValue loaded = sn(&t.b, "llvm.load", at, field_type(ctx, memref));
    sn_map(&t.map, t.captured.data[i], memref_of_field(&t.b, loaded, memref));
  }
  t.index = sn(&t.b, "arith.index_cast", mlirBlockGetArgument(block, 1), sn_index_type(ctx));
  return t;
}

// Of a stage: it runs when this function has returned.
static MlirValue context_in_workspace(SnKernel *k, const SnValueVec *captured) {
  int64_t bytes = 0;
  for (size_t i = 0; i < captured->size; ++i)
    bytes += field_bytes(sn_type_of(captured->data[i]));
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
  for (size_t i = 0; i < t->captured.size; ++i)
    sn_op(b, "llvm.store", field_value(b, t->captured.data[i]), field(b, context, type, i));
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
