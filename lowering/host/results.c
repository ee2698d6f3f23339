// results.c: a result whose size depends on data is as long as its caller said.
//
//   func.func @main(...) -> memref<?xf32> {sinter.sizes_of_data} { ... return %y }
//   ->
//   func.func @main(..., %out: memref<?xf32>) {
//     cf.assert memref.dim %y == memref.dim %out
//     memref.copy %y, %out
//     return
//   }
//
// Upstream would let %y be %out, and write as much as %y is long.
//
// relies on: sinter-boundary
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_results.mlir, test/run/every_op.test

#include "lowering/host/host.h"
#include "mlir-c/Dialect/Func.h"
#include <stdio.h>

static void compare(SnBuilder *b, MlirValue y, MlirValue out, intptr_t i, intptr_t d) {
  MlirType index = sn_index_type(b->ctx);
  MlirValue made = sn(b, "memref.dim", y, sn_index(b, d), index),
            room = sn(b, "memref.dim", out, sn_index(b, d), index);
  MlirValue same = sn(b, "arith.cmpi", made, room, sn_attr("predicate", sn_i64(b->ctx, 0 /* eq */)));
  char text[128];
  snprintf(text, sizeof text,
           "output %ld has another size in dimension %ld, by its inputs' elements, than its caller gave", (long)i,
           (long)d);
  sn_op(b, "cf.assert", same, sn_types(0, NULL), sn_attr("msg", sn_string(b->ctx, text)));
}

// All results of the function, or upstream would put the others behind them.
static MlirLogicalResult function(MlirOperation module, MlirOperation func) {
  if (!sn_get_attr(func, SN_SIZES_OF_DATA).ptr)
    return SN_OK;
  MlirBlock body = sn_function_body(func);
  MlirOperation ret = mlirBlockGetTerminator(body);
  MlirContext ctx = mlirOperationGetContext(func);
  SN_VEC(MlirType) types = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(body); ++k)
    sn_push(&types, sn_type_of(mlirBlockGetArgument(body, k)));
  SnBuilder b = sn_before(ret);
  for (intptr_t i = 0; i < sn_num_operands(ret); ++i) {
    MlirValue y = sn_operand(ret, i);
    MlirType t = sn_memref_like(sn_type_of(y), sn_element(sn_type_of(y)));
    MlirValue out = mlirBlockAddArgument(body, t, b.loc);
    sn_push(&types, t);
    for (intptr_t d = 0; d < sn_rank(t); ++d)
      if (sn_dim(t, d) == SN_DYNAMIC)
        compare(&b, y, out, i, d);
    sn_op(&b, "memref.copy", y, out, sn_types(0, NULL));
  }
  sn_op(&b, "func.return", sn_values(0, NULL), sn_types(0, NULL));
  mlirOperationDestroy(ret);
  sn_set_attr(func, "function_type",
              mlirTypeAttrGet(mlirFunctionTypeGet(ctx, (intptr_t)types.size, types.data, 0, NULL)));
  mlirOperationRemoveAttributeByName(func, SN_STR("res_attrs"));
  mlirOperationRemoveAttributeByName(func, SN_STR("arg_attrs"));
  mlirOperationRemoveAttributeByName(func, SN_STR(SN_SIZES_OF_DATA));
  sn_vec_free(&types);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) { return sn_each_public(module, function); }

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__cf__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__cf__,
                                                      mlirGetDialectHandle__memref__, NULL};

const SnPass sn_pass_host_results = {
    .argument = "sinter-results",
    .summary = "results whose sizes depend on data are compared with the memory that a caller gave, and copied there",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
