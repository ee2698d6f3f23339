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
  MlirValue costs;
  int64_t kernels;
  SnOpVec ops; // in order
} Costs;

static MlirWalkResult collect(MlirOperation op, void *user) {
  Costs *c = user;
  sn_push(&c->ops, op);
  return sn_host_work(c->host, op).what == SN_HOST_KERNEL ? MlirWalkResultSkip : MlirWalkResultAdvance;
}

// In front of op: so many of what, and what they cost.
static void account(Costs *c, SnBuilder *b, int64_t what, MlirValue n, SnKernelCost cost) {
  MlirType i64 = sn_type(b->ctx, "i64");
  MlirValue arguments[] = {c->costs, sn_int(b, i64, what), n, cost.read, cost.written, cost.flops};
  sn_call_runtime(b, c->host->module, "sinter_rt_cost", sn_values(6, arguments));
}

static MlirValue bytes_of(SnBuilder *b, MlirOperation alloc, int64_t element) {
  MlirType type = sn_type_of(sn_result(alloc, 0)), i64 = sn_type(b->ctx, "i64");
  intptr_t next = 0;
  MlirValue bytes = sn_int(b, i64, element);
  for (intptr_t d = 0; d < sn_rank(type); ++d) {
    int64_t n = sn_dim(type, d);
    MlirValue size = n == SN_DYNAMIC ? sn(b, "arith.index_cast", i64, sn_operand(alloc, next++)) : sn_int(b, i64, n);
    bytes = sn(b, "arith.muli", bytes, size);
  }
  return bytes;
}

static void replace(Costs *c, MlirOperation op) {
  SnHostWork work = sn_host_work(c->host, op);
  if (work.what == SN_HOST_NOTHING)
    return;
  SnBuilder b = sn_before(op);
  MlirType i64 = sn_type(b.ctx, "i64");
  MlirValue zero = sn_int(&b, i64, 0);
  SnKernelCost none = {zero, zero, zero};
  if (work.what == SN_HOST_KERNEL)
    account(c, &b, c->kernels++, sn_int(&b, i64, work.n),
            sn_null(work.kernel) ? sn_cost_of_op(&b, op) : sn_cost_of_call(&b, op, work.kernel));
  else if (work.what == SN_HOST_LIBRARY)
    account(c, &b, LIBRARY_CALLS, sn_int(&b, i64, work.n), none);
  else
    account(c, &b, TEMPORARY_BYTES, bytes_of(&b, op, work.n), none);
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
  bool is = calls(op, "sinter_rt_cost");
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
  bool known = calls(op, "sinter_rt_cost") || calls(op, "sinter_rt_same_size");
  bool data = sn_is(op, "memref.load") || sn_is(op, "llvm.load") || sn_is(op, "cf.br") || sn_is(op, "cf.cond_br") ||
              sn_is(op, "scf.while") || (sn_is(op, "func.call") && !known);
  *(bool *)user |= data;
  return data ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static MlirOperation copy(MlirOperation func, const char *name, MlirValue *costs) {
  MlirOperation clone = mlirOperationClone(func);
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
  MlirOperation clone = copy(func, name, &c.costs);
  mlirOperationWalk(clone, collect, &c, MlirWalkPreOrder);
  for (size_t k = 0; k < c.ops.size; ++k)
    replace(&c, c.ops.data[k]);
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
    sn_set_attr(func, SN_COSTS, sn_string(mlirOperationGetContext(func), name));
  }
  free(base);
  free(name);
}
