// located.c: what an assert says, with the place in the user's file that it is of.
//
//   loc("folder/model.mlir":4:8), "a slice is outside"   ->   "model.mlir:4:8: a slice is outside"
//
// test: test/run/guards.test, test/lowering/check_sizes.mlir

#include "capi/sn.h"
#include <stdio.h>

static MlirLocation place(MlirLocation where) {
  MlirLocation none = {0}, found = none;
  if (mlirLocationIsAFused(where)) {
    unsigned n = mlirLocationFusedGetNumLocations(where);
    MlirLocation *all = sn_alloc((n + 1) * sizeof *all);
    mlirLocationFusedGetLocations(where, all);
    for (unsigned i = 0; i < n && !found.ptr; ++i)
      found = place(all[i]);
    free(all);
    return found;
  }
  if (mlirLocationIsACallSite(where))
    return place(mlirLocationCallSiteGetCallee(where));
  if (mlirLocationIsAName(where))
    return place(mlirLocationNameGetChildLoc(where));
  return mlirLocationIsAFileLineColRange(where) ? where : none;
}

MlirAttribute sn_located_message(MlirLocation where, const char *text) {
  MlirContext ctx = mlirLocationGetContext(where);
  where = place(where);
  if (!where.ptr)
    return sn_string(ctx, text);
  MlirStringRef name = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(where));
  size_t folder = name.length;
  while (folder && name.data[folder - 1] != '/')
    --folder;
  size_t size = name.length - folder + strlen(text) + 40;
  char *message = sn_alloc(size);
  int length = snprintf(message, size, "%.*s:%d:%d: %s", (int)(name.length - folder), name.data + folder,
                        mlirLocationFileLineColRangeGetStartLine(where),
                        mlirLocationFileLineColRangeGetStartColumn(where), text);
  MlirAttribute a = mlirStringAttrGet(ctx, mlirStringRefCreate(message, (size_t)length));
  free(message);
  return a;
}
