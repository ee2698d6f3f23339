// symbol_names.c: which names a module's symbols have, while one pass runs.
//
// A lookup in a module goes over all of its symbols, and a lowering asks for each kernel whether a function of the
// runtime is declared yet. The names that there are when a pass asks first are a table; what it makes is added. A name
// that a pass takes away stays in the table until the pass ends: what is asked for here is never taken away.
//
// test: test/limits/growth.test

#include "capi/shim.h"
#include "capi/sn.h"

static _Thread_local struct {
  bool in_pass; // outside of one, a module may have gone and another one stand in its place
  MlirOperation module;
  SnTable names; // of symbols, attributes of the context
} known;

void sn_forget_symbols(bool in_pass) {
  sn_table_free(&known.names);
  known.names = (SnTable){0};
  known.module = (MlirOperation){0};
  known.in_pass = in_pass;
}

static void know(MlirOperation module) {
  sn_forget_symbols(true);
  known.module = module;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    MlirAttribute name = sn_get_attr(op, "sym_name");
    if (name.ptr)
      sn_table_put(&known.names, name.ptr, 1);
  }
}

bool sn_take_symbol(MlirOperation module, const char *name) {
  if (!known.in_pass)
    return sn_null(sn_symbol(module, name));
  if (known.module.ptr != module.ptr)
    know(module);
  MlirAttribute key = sn_string(mlirOperationGetContext(module), name);
  bool is_new = !sn_table_has(&known.names, key.ptr);
  sn_table_put(&known.names, key.ptr, 1);
  return is_new;
}
