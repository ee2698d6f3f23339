// made_functions.c: functions that are made of operations. Those that do the same are one, which is lowered once.

#include "lowering/host/made_functions.h"
#include "capi/shim.h"
#include "lowering/host/names.h"
#include <stdio.h>

SnMadeFunctions sn_made_begin(MlirOperation module) {
  return (SnMadeFunctions){.symbols = mlirSymbolTableCreate(module)};
}

void sn_made_end(SnMadeFunctions *m) {
  mlirSymbolTableDestroy(m->symbols);
  sn_vec_free(&m->all);
  sn_table_free(&m->by_hash);
}

void sn_made_name(const SnMadeFunctions *m, MlirOperation host, const char *suffix, int *n, char *name, size_t size) {
  char *base = sn_symbol_base(host);
  do
    snprintf(name, size, "%s_%s%d", base, suffix, (*n)++);
  while (!sn_null(mlirSymbolTableLookup(m->symbols, SN_STR(name))));
  free(base);
}

// The function that does the same as the new one, which it may be itself.
static MlirOperation same(SnMadeFunctions *m, MlirOperation func) {
  const void *hash = (const void *)(sn_shim_regions_hash(func) | 1);
  uintptr_t place = 0;
  sn_table_get(&m->by_hash, hash, &place);
  for (uintptr_t k = place; k; k = m->all.data[k - 1].next)
    if (sn_shim_same_regions(func, m->all.data[k - 1].function))
      return m->all.data[k - 1].function;
  sn_push(&m->all, (SnMadeFunction){func, place});
  sn_table_put(&m->by_hash, hash, m->all.size);
  return func;
}

MlirOperation sn_made_add(SnMadeFunctions *m, MlirOperation func, const char *name) {
  MlirOperation one = same(m, func);
  if (mlirOperationEqual(one, func)) {
    sn_set_attr(func, "sym_name", sn_string(mlirOperationGetContext(func), name));
    mlirSymbolTableInsert(m->symbols, func);
  } else {
    mlirOperationDestroy(func);
  }
  return one;
}
