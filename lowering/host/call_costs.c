// call_costs.c: what a call will cost, computed from the sizes of its arguments alone.
//
//   func.func @main(%x: memref<?x8xf32>, %y: memref<?xf32>) {
//     call @main_kernel0(%x, %y)
//     return
//   }
//   ->
//   func.func private @main_costs(%x: memref<?x8xf32>, %y: memref<?xf32>, %costs: !llvm.ptr) {
//     %n = memref.dim %x, %c0
//     ...
//     call @sinter_rt_cost(%costs, %kernel, %launches, %read, %written, %flops)
//     return
//   }
//
// Accounts of numbers that are known, and that every call has once, are rows of a table, which one call adds: a program
// of many layers does not grow by a call for each.
//
// A copy of the host's code in which every kernel became the account of what it costs, and everything else that touches
// memory is gone: what is left is arithmetic on sizes, loops over them included. Where it still reads data, what a call
// costs is known only afterwards, and there is no such function.
//
// runs in: sinter-count    test: test/lowering/host_costs.mlir

#include "lowering/host/cost.h"
#include "lowering/host/host.h"
#include "lowering/host/names.h"

enum { LIBRARY_CALLS = -1, TEMPORARY_BYTES = -2 }; // SINTER_COST_* of runtime/runtime.h

typedef struct {
  SnHost *host;
  MlirBlock body;
  MlirValue costs;
  int64_t kernels;
  SnOpVec ops; // in order
  SN_VEC(int64_t) table; // rows of known numbers: what, n, read, written, flops
} Costs;

static MlirWalkResult collect(MlirOperation op, void *user) {
  Costs *c = user;
  sn_push(&c->ops, op);
  return sn_host_work(c->host, op).what == SN_HOST_KERNEL ? MlirWalkResultSkip : MlirWalkResultAdvance;
}

static SnNumber known(int64_t n) { return (SnNumber){.known = n}; }

// In front of op: so many of what, and what they cost.
static void account(Costs *c, MlirOperation op, SnBuilder *b, int64_t what, SnNumber n, SnKernelCost cost) {
  SnNumber all[] = {known(what), n, cost.read, cost.written, cost.flops};
  MlirValue arguments[6] = {c->costs};
  bool row = mlirBlockEqual(mlirOperationGetBlock(op), c->body);
  for (size_t i = 0; i < 5; ++i)
    row &= sn_none(all[i].value);
  for (size_t i = 0; i < 5; ++i)
    if (row)
      sn_push(&c->table, all[i].known);
    else
      arguments[i + 1] = sn_number_value(b, all[i]);
  if (!row)
    sn_call_runtime(b, c->host->module, "sinter_rt_cost", sn_values(6, arguments));
}

static SnNumber bytes_of(SnBuilder *b, MlirOperation alloc, int64_t element) {
  MlirType type = sn_type_of(sn_result(alloc, 0)), i64 = sn_type(b->ctx, "i64");
  intptr_t next = 0;
  SnNumber bytes = known(element);
  for (intptr_t d = 0; d < sn_rank(type); ++d)
    if (sn_dim(type, d) != SN_DYNAMIC && __builtin_mul_overflow(bytes.known, sn_dim(type, d), &bytes.known))
      bytes.known = INT64_MAX;
  for (intptr_t d = 0; d < sn_rank(type); ++d)
    if (sn_dim(type, d) == SN_DYNAMIC)
      bytes.value =
          sn(b, "arith.muli", sn_number_value(b, bytes), sn(b, "arith.index_cast", i64, sn_operand(alloc, next++)));
  return bytes;
}

static void replace(Costs *c, MlirOperation op) {
  SnHostWork work = sn_host_work(c->host, op);
  if (work.what == SN_HOST_NOTHING)
    return;
  SnBuilder b = sn_before(op);
  SnKernelCost none = {known(0), known(0), known(0)};
  if (work.what == SN_HOST_KERNEL)
    account(c, op, &b, c->kernels++, known(work.n),
            sn_null(work.kernel) ? sn_cost_of_op(&b, op) : sn_cost_of_call(&b, op, work.kernel));
  else if (work.what == SN_HOST_LIBRARY)
    account(c, op, &b, LIBRARY_CALLS, known(work.n), none);
  else
    account(c, op, &b, TEMPORARY_BYTES, bytes_of(&b, op, work.n), none);
}

// At the start of the clone: all rows of the table.
static void add_table(Costs *c, const char *base) {
  MlirOperation clone = mlirBlockGetParentOperation(c->body);
  MlirContext ctx = mlirOperationGetContext(clone);
  int64_t n = (int64_t)c->table.size;
  char *name = sn_new_symbol(c->host->symbols, base, "_costs_table");
  SnBuilder top = sn_before(clone);
  MlirAttribute rows = mlirDenseElementsAttrInt64Get(sn_tensor(sn_type(ctx, "i64"), 1, &n), n, c->table.data);
  MlirOperation global = sn_op(&top, "llvm.mlir.global", sn_types(0, NULL), sn_attr("sym_name", sn_string(ctx, name)),
                               sn_attr("global_type", mlirTypeAttrGet(sn_type(ctx, "!llvm.array<%ld x i64>", (long)n))),
                               sn_attr("linkage", sn_parse_attr(ctx, "#llvm.linkage<internal>")),
                               sn_attr("constant", sn_unit(ctx)), sn_attr("value", rows), mlirRegionCreate());
  mlirSymbolTableInsert(c->host->symbols, global);
  SnBuilder b = sn_at_start(c->body, mlirOperationGetLocation(clone));
  MlirValue arguments[] = {c->costs,
                           sn(&b, "llvm.mlir.addressof", sn_type(ctx, "!llvm.ptr"),
                              sn_attr("global_name", mlirFlatSymbolRefAttrGet(ctx, SN_STR(name)))),
                           sn_int(&b, sn_type(ctx, "i64"), n / 5)};
  sn_call_runtime(&b, c->host->module, "sinter_rt_cost_table", sn_values(3, arguments));
  free(name);
}

static bool calls(MlirOperation op, const char *name) {
  return sn_is(op, "func.call") &&
         mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(sn_get_attr(op, "callee")), SN_STR(name));
}

// Whether a number comes of what memory holds: all that it is computed from is looked at once.
static bool is_data(MlirValue v) {
  SnOpVec todo = {0};
  SnTable seen = {0};
  bool data = false;
  if (!sn_null(sn_definer(v)))
    sn_push(&todo, sn_definer(v));
  for (size_t k = 0; k < todo.size && !data; ++k) {
    MlirOperation op = todo.data[k];
    data = sn_is(op, "memref.load") || mlirOperationGetNumRegions(op);
    for (intptr_t i = 0; i < sn_num_operands(op); ++i) {
      MlirOperation from = sn_definer(sn_operand(op, i));
      if (sn_null(from) || sn_is(from, "arith.constant") || sn_table_has(&seen, from.ptr))
        continue;
      sn_table_put(&seen, from.ptr, 1);
      sn_push(&todo, from);
    }
  }
  sn_table_free(&seen);
  sn_vec_free(&todo);
  return data;
}

// What runs for what it does to memory or says to the call. That sizes agree is still said.
static bool is_effect(MlirOperation op) {
  if (sn_is(op, "cf.assert"))
    return is_data(sn_operand(op, 0));
  return sn_is(op, "memref.store") || sn_is(op, "memref.dealloc") || sn_is(op, "bufferization.dealloc") ||
         (sn_is(op, "func.call") && !sn_num_results(op));
}

static MlirWalkResult find_account(MlirOperation op, void *user) {
  bool is = calls(op, "sinter_rt_cost"); // a table's rows are of no loop
  *(bool *)user |= is;
  return is ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool is_terminator(MlirOperation op) { return sn_null(mlirOperationGetNextInBlock(op)); }

// From the end to the front, each op that is for data, or whose results nobody needs any more.
static void erase(Costs *c) {
  for (size_t k = c->ops.size; k-- > 0;) {
    MlirOperation op = c->ops.data[k];
    SnHostWork work = sn_host_work(c->host, op);
    bool kernel = work.what == SN_HOST_KERNEL || work.what == SN_HOST_LIBRARY;
    bool accounts = false, loop = mlirOperationGetNumRegions(op) && !kernel;
    if (loop)
      mlirOperationWalk(op, find_account, &accounts, MlirWalkPreOrder);
    bool dead = !sn_is(op, "func.func") && !is_terminator(op) && sn_unused(op) && !accounts;
    if (dead && (kernel || loop || is_effect(op) || sn_num_results(op)))
      mlirOperationDestroy(op);
  }
}

// What memory is left for its sizes is asked of nobody: what is not used of it, LLVM drops.
static void allocate_nothing(MlirOperation clone) {
  SnOpVec allocs = sn_collect(clone, "memref.alloc");
  for (size_t k = 0; k < allocs.size; ++k) {
    MlirOperation op = allocs.data[k];
    SnBuilder b = sn_before(op);
    SnValueVec sizes = {0};
    for (intptr_t i = 0; i < sn_num_operands(op); ++i)
      sn_push(&sizes, sn_operand(op, i));
    MlirValue none = sn(&b, "memref.alloca", sn_type_of(sn_result(op, 0)), sn_values((intptr_t)sizes.size, sizes.data),
                        sn_attr("operandSegmentSizes", sn_get_attr(op, "operandSegmentSizes")));
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), none);
    mlirOperationDestroy(op);
    sn_vec_free(&sizes);
  }
  sn_vec_free(&allocs);
}

// Numbers that only the data has, or that code elsewhere computes.
static MlirWalkResult find_data(MlirOperation op, void *user) {
  bool known = calls(op, "sinter_rt_cost") || calls(op, "sinter_rt_cost_table") || calls(op, "sinter_rt_same_size");
  bool data = sn_is(op, "memref.load") || sn_is(op, "llvm.load") || sn_is(op, "cf.br") || sn_is(op, "cf.cond_br") ||
              sn_is(op, "scf.while") || (sn_is(op, "func.call") && !known);
  *(bool *)user |= data;
  return data ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether all that runs runs once, on memory of known sizes, and nothing is asserted: what a call costs are numbers.
static bool is_known(SnHost *host, MlirOperation func) {
  MlirBlock body = sn_function_body(func);
  bool all = !mlirBlockGetNextInRegion(body).ptr;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); all && !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    SnHostWork work = sn_host_work(host, op);
    all = work.what != SN_HOST_NOTHING ||
          (!mlirOperationGetNumRegions(op) && !sn_is(op, "func.call") && !sn_is(op, "cf.assert"));
    for (intptr_t k = 0; all && work.what != SN_HOST_NOTHING && k < sn_num_operands(op) + sn_num_results(op); ++k) {
      intptr_t n = sn_num_operands(op);
      MlirType type = sn_type_of(k < n ? sn_operand(op, k) : sn_result(op, k - n));
      all = !mlirTypeIsAShaped(type) || mlirShapedTypeHasStaticShape(type);
    }
  }
  return all;
}

// Of a function that is_known, one with its arguments and a return alone: nothing that is dropped again is copied.
static MlirOperation without_body(MlirOperation func) {
  MlirBlock body = sn_function_body(func), empty = mlirBlockCreate(0, NULL, NULL);
  MlirOperationState state = mlirOperationStateGet(SN_STR("func.func"), mlirOperationGetLocation(func));
  MlirRegion region = mlirRegionCreate();
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(body); ++k)
    mlirBlockAddArgument(empty, sn_type_of(mlirBlockGetArgument(body, k)), state.location);
  mlirRegionAppendOwnedBlock(region, empty);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirNamedAttribute type = mlirNamedAttributeGet(
      mlirIdentifierGet(mlirOperationGetContext(func), SN_STR("function_type")), sn_get_attr(func, "function_type"));
  MlirNamedAttribute name = mlirNamedAttributeGet(mlirIdentifierGet(mlirOperationGetContext(func), SN_STR("sym_name")),
                                                  sn_get_attr(func, "sym_name"));
  MlirNamedAttribute all[] = {type, name};
  mlirOperationStateAddAttributes(&state, 2, all);
  SnBuilder b = sn_at_end(empty, state.location);
  sn_op(&b, "func.return", sn_values(0, NULL));
  return mlirOperationCreate(&state);
}

static MlirOperation copy(MlirOperation func, MlirOperation clone, const char *name, MlirValue *costs) {
  SnBuilder b = sn_after(func);
  sn_insert(&b, clone);
  MlirBlock body = sn_function_body(clone);
  MlirType pointer = sn_type(b.ctx, "!llvm.ptr"), type = mlirTypeAttrGetValue(sn_get_attr(func, "function_type"));
  *costs = mlirBlockAddArgument(body, pointer, b.loc);
  intptr_t n = mlirFunctionTypeGetNumInputs(type);
  MlirType *types = sn_alloc((size_t)(n + 1) * sizeof *types);
  for (intptr_t k = 0; k < n; ++k)
    types[k] = mlirFunctionTypeGetInput(type, k);
  types[n] = pointer;
  intptr_t attributes = mlirOperationGetNumAttributes(clone);
  for (intptr_t k = attributes; k-- > 0;)
    mlirOperationRemoveAttributeByName(clone, mlirIdentifierStr(mlirOperationGetAttribute(clone, k).name));
  sn_set_attr(clone, "sym_name", sn_string(b.ctx, name));
  sn_set_attr(clone, "function_type", mlirTypeAttrGet(mlirFunctionTypeGet(b.ctx, n + 1, types, 0, NULL)));
  sn_set_attr(clone, "sym_visibility", sn_string(b.ctx, "private"));
  sn_set_attr(clone, "llvm.linkage", sn_parse_attr(b.ctx, "#llvm.linkage<internal>"));
  free(types);
  return clone;
}

void sn_host_costs(SnHost *host, MlirOperation func) {
  if (mlirFunctionTypeGetNumResults(mlirTypeAttrGetValue(sn_get_attr(func, "function_type"))))
    return; // not yet destination style
  char *base = sn_symbol_base(func), *name = sn_new_symbol(host->symbols, base, "_costs");
  Costs c = {.host = host};
  bool known = is_known(host, func);
  MlirOperation clone = copy(func, known ? without_body(func) : mlirOperationClone(func), name, &c.costs);
  c.body = sn_function_body(known ? func : clone);
  mlirOperationWalk(known ? func : clone, collect, &c, MlirWalkPreOrder);
  for (size_t k = 0; k < c.ops.size; ++k)
    replace(&c, c.ops.data[k]);
  if (known) {
    c.body = sn_function_body(clone);
    c.ops.size = 0;
  }
  erase(&c);
  allocate_nothing(clone);
  sn_erase_dead(sn_function_body(clone));
  sn_vec_free(&c.ops);
  bool data = false;
  mlirOperationWalk(clone, find_data, &data, MlirWalkPreOrder);
  if (data) {
    mlirOperationDestroy(clone);
  } else {
    mlirSymbolTableInsert(host->symbols, clone);
    if (c.table.size)
      add_table(&c, base);
    sn_set_attr(func, SN_COSTS, sn_string(mlirOperationGetContext(func), name));
  }
  sn_vec_free(&c.table);
  free(base);
  free(name);
}
