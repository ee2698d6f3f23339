// host.c: what the passes over host code share.

#include "lowering/host/host.h"

SnOpVec sn_host_functions(MlirOperation module) {
  SnOpVec host = {0};
  SnTable known = {0};
  SnOpVec all = sn_collect(module, "func.func");
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  for (size_t i = 0; i < all.size; ++i)
    if (sn_is_public(all.data[i]) && sn_function_body(all.data[i]).ptr) {
      sn_push(&host, all.data[i]);
      sn_table_put(&known, all.data[i].ptr, 1);
    }
  sn_vec_free(&all);
  // And what they call; `host` grows while it is read.
  for (size_t i = 0; i < host.size; ++i) {
    SnOpVec calls = sn_collect(host.data[i], "func.call");
    for (size_t k = 0; k < calls.size; ++k) {
      MlirStringRef callee = mlirFlatSymbolRefAttrGetValue(sn_get_attr(calls.data[k], "callee"));
      MlirOperation f = mlirSymbolTableLookup(symbols, callee);
      if (sn_null(f) || sn_table_has(&known, f.ptr))
        continue;
      sn_table_put(&known, f.ptr, 1);
      if (mlirAttributeIsNull(sn_get_attr(f, SN_KERNEL)) && sn_function_body(f).ptr)
        sn_push(&host, f);
    }
    sn_vec_free(&calls);
  }
  mlirSymbolTableDestroy(symbols);
  sn_table_free(&known);
  return host;
}

SnCalls sn_calls(MlirOperation module) {
  SnCalls calls = {0};
  SnOpVec all = sn_collect(module, "func.call");
  for (size_t i = 0; i < all.size; ++i) {
    const void *callee = sn_get_attr(all.data[i], "callee").ptr; // equal ones are one
    uintptr_t at = 0;
    if (!sn_table_get(&calls.of_callee, callee, &at)) {
      sn_push(&calls.lists, ((SnOpVec){0}));
      sn_table_put(&calls.of_callee, callee, at = calls.lists.size);
    }
    sn_push(&calls.lists.data[at - 1], all.data[i]);
  }
  sn_vec_free(&all);
  return calls;
}

void sn_calls_free(SnCalls *calls) {
  for (size_t i = 0; i < calls->lists.size; ++i)
    sn_vec_free(&calls->lists.data[i]);
  sn_vec_free(&calls->lists);
  sn_table_free(&calls->of_callee);
}

SnOpVec sn_calls_of(const SnCalls *calls, MlirOperation func) {
  MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(func, "sym_name"));
  uintptr_t at = 0;
  sn_table_get(&calls->of_callee, mlirFlatSymbolRefAttrGet(mlirOperationGetContext(func), name).ptr, &at);
  return at ? calls->lists.data[at - 1] : (SnOpVec){0};
}

MlirOperation sn_module_of(MlirOperation op) {
  while (!sn_null(op) && !sn_is(op, "builtin.module"))
    op = mlirOperationGetParentOperation(op);
  return op;
}

MlirOperation sn_call_runtime(SnBuilder *b, MlirOperation module, const char *name,
                              SnValues arguments) {
  if (sn_take_symbol(module, name)) {
    MlirType *types = sn_alloc((size_t)(arguments.n + 1) * sizeof *types);
    for (intptr_t i = 0; i < arguments.n; ++i)
      types[i] = sn_type_of(arguments.data[i]);
    MlirBlock body = mlirModuleGetBody(mlirModuleFromOperation(module));
    SnBuilder top = sn_at_start(body, mlirOperationGetLocation(module));
    MlirType type = mlirFunctionTypeGet(b->ctx, arguments.n, types, 0, NULL);
    sn_op(&top, "func.func", sn_attr("sym_name", sn_string(b->ctx, name)),
          sn_attr("function_type", mlirTypeAttrGet(type)),
          sn_attr("sym_visibility", sn_string(b->ctx, "private")), mlirRegionCreate());
    free(types);
  }
  return sn_op(b, "func.call", arguments,
               sn_attr("callee", mlirFlatSymbolRefAttrGet(b->ctx, SN_STR(name))),
               sn_types(0, NULL));
}

int64_t sn_memref_bytes(MlirType memref) {
  if (!mlirTypeIsAMemRef(memref) || !mlirShapedTypeHasStaticShape(memref) ||
      !mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(memref)))
    return -1;
  MlirType element = sn_element(memref);
  if (!sn_is_float(element) && !sn_is_int(element))
    return -1;
  int64_t bytes = (sn_bits(element) + 7) / 8;
  for (intptr_t i = 0; i < sn_rank(memref); ++i)
    if (__builtin_mul_overflow(bytes, sn_dim(memref, i), &bytes))
      return -1; // sinter-allocations refuses it
  return bytes;
}

void sn_host_keep_as_it_stands(MlirOperation func) {
  MlirContext ctx = mlirOperationGetContext(func);
  sn_set_attr(func, "passthrough", sn_parse_attr(ctx, "[\"noinline\", \"optnone\"]"));
}
