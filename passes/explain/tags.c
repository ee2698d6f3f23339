// tags.c: which operations a kernel was made of, carried by its location.
//
//   %a = linalg.exp ... loc("m.mlir":12:8)   ->   loc("sinter.op 3"("m.mlir":12:8)) sinter-explain{record=true} a
//   kernel made of 3 and 5                      loc(fused["sinter.op 3"(...), "sinter.op 5"(...)]) behind the last
//   sinter-explain                loc(fused["m.mlir":12:8, ...])
//
// A form that is merged gets the locations of both, so a number in them survives what fusion does; a line does not tell
// operations apart that an exporter wrote with one place.
//
// runs in: explain    test: test/passes/explain/operations.mlir

#include "passes/explain/explain.h"

#define TAG "sinter.op "

static bool tag_of(MlirLocation location, size_t *number) {
  if (!mlirLocationIsAName(location))
    return false;
  MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(location));
  if (name.length < sizeof TAG || strncmp(name.data, TAG, sizeof TAG - 1))
    return false;
  *number = strtoul(name.data + sizeof TAG - 1, NULL, 10);
  return true;
}

void sn_tag(MlirOperation op, size_t number) {
  char name[40];
  snprintf(name, sizeof name, TAG "%zu", number);
  MlirLocation old = mlirOperationGetLocation(op);
  mlirOperationSetLocation(op, mlirLocationNameGet(mlirOperationGetContext(op), SN_STR(name), old));
}

static MlirLocation *parts_of(MlirLocation fused, unsigned *n) {
  *n = mlirLocationFusedGetNumLocations(fused);
  MlirLocation *all = sn_alloc((*n + 1) * sizeof *all);
  mlirLocationFusedGetLocations(fused, all);
  return all;
}

void sn_tags(MlirLocation location, SnIndices *to) {
  size_t number;
  if (mlirLocationIsAFused(location)) {
    unsigned n;
    MlirLocation *all = parts_of(location, &n);
    for (unsigned i = 0; i < n; ++i)
      sn_tags(all[i], to);
    free(all);
  } else if (tag_of(location, &number)) {
    for (size_t i = 0; i < to->size; ++i)
      if (to->data[i] == number)
        return;
    sn_push(to, number);
  }
}

static MlirLocation without_tags(MlirLocation location) {
  size_t number;
  if (tag_of(location, &number))
    return without_tags(mlirLocationNameGetChildLoc(location));
  if (!mlirLocationIsAFused(location))
    return location;
  unsigned n;
  MlirLocation *all = parts_of(location, &n);
  for (unsigned i = 0; i < n; ++i)
    all[i] = without_tags(all[i]);
  MlirLocation plain =
      mlirLocationFusedGet(mlirLocationGetContext(location), n, all, mlirLocationFusedGetMetadata(location));
  free(all);
  return plain;
}

static MlirWalkResult strip(MlirOperation op, void *user) {
  mlirOperationSetLocation(op, without_tags(mlirOperationGetLocation(op)));
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); block.ptr;
         block = mlirBlockGetNextInRegion(block))
      for (intptr_t k = 0; k < mlirBlockGetNumArguments(block); ++k) {
        MlirValue v = mlirBlockGetArgument(block, k);
        mlirBlockArgumentSetLocation(v, without_tags(mlirValueGetLocation(v)));
      }
  return MlirWalkResultAdvance;
}

void sn_untag(MlirOperation func) { mlirOperationWalk(func, strip, NULL, MlirWalkPreOrder); }
