// module_functions.c: the functions of a module, one by one.

#include "capi/pass.h"

MlirBlock sn_function_body(MlirOperation func) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
}

bool sn_is_public(MlirOperation func) {
  MlirAttribute visibility = sn_get_attr(func, "sym_visibility");
  return mlirAttributeIsNull(visibility) ||
         mlirStringRefEqual(mlirStringAttrGetValue(visibility), SN_STR("public"));
}

MlirLogicalResult sn_each_function(MlirOperation op, MlirLogicalResult (*f)(MlirOperation, void *), void *user) {
  if (sn_is(op, "func.func"))
    return sn_function_body(op).ptr ? f(op, user) : SN_OK;
  MlirLogicalResult result = SN_OK;
  SnOpVec functions = sn_collect(op, "func.func");
  for (size_t i = 0; i < functions.size && !sn_failed(result); ++i)
    if (sn_function_body(functions.data[i]).ptr)
      result = f(functions.data[i], user);
  sn_vec_free(&functions);
  return result;
}

MlirLogicalResult sn_each(MlirOperation module, const char *name, SnEach each) {
  MlirLogicalResult result = SN_OK;
  SnOpVec found = sn_collect(module, name);
  for (size_t i = 0; i < found.size && !sn_failed(result); ++i)
    result = each(module, found.data[i]);
  sn_vec_free(&found);
  return result;
}

MlirLogicalResult sn_each_public(MlirOperation module, SnEach each) {
  MlirLogicalResult result = SN_OK;
  SnOpVec all = sn_collect(module, "func.func");
  for (size_t i = 0; i < all.size && !sn_failed(result); ++i)
    if (sn_is_public(all.data[i]) && sn_function_body(all.data[i]).ptr)
      result = each(module, all.data[i]);
  sn_vec_free(&all);
  return result;
}
