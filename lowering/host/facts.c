// facts.c: names of arguments and results, and what is the gradient of what.
//
//   func.func @loss(%x: T {sinter.name = "x"}, %g: tensor<f32> {sinter.upstream_of = 0})
//       -> (tensor<f32>, T {sinter.gradient_of = 0})
//   ->
//   attributes {sinter.input_facts = [{name = "x"}, {gradient_of = 0}],
//               sinter.output_facts = [{}, {gradient_of = 0}]}
//
// Kept where bufferization does not look, for the library's table (serialise.c) and header.
//
// test: test/lowering/host_boundary.mlir

#include "lowering/host/host.h"
#include "lowering/host/names.h"

// The dictionary of an argument or a result; null if nothing was said of it.
static MlirAttribute said_of(MlirOperation func, const char *list, intptr_t i) {
  MlirAttribute all = sn_get_attr(func, list);
  return mlirAttributeIsNull(all) ? all : mlirArrayAttrGetElement(all, i);
}

static MlirAttribute fact(MlirAttribute said, const char *name) {
  return mlirAttributeIsNull(said) ? said : mlirDictionaryAttrGetElementByName(said, SN_STR(name));
}

// Says of one argument or result what the table will: {name = "x", gradient_of = 0}. A gradient
// has the type of what it is the gradient of, one of n others; n = -1: they are another function's.
static MlirLogicalResult facts_of(MlirOperation func, const char *what, intptr_t i,
                                  MlirAttribute said, const char *gradient, MlirType type,
                                  intptr_t n, const MlirType *others, MlirAttribute *facts) {
  MlirContext ctx = mlirOperationGetContext(func);
  MlirAttribute name = fact(said, SN_NAME), of = fact(said, gradient);
  *facts = mlirDictionaryAttrGet(ctx, 0, NULL);
  if (!mlirAttributeIsNull(name) && !mlirAttributeIsAString(name))
    return sn_error(func, "%s %ld has a " SN_NAME " that is no string", what, (long)i);
  if (!mlirAttributeIsNull(name) && !sn_is_text(mlirStringAttrGetValue(name)))
    return sn_error(func, "%s %ld has a " SN_NAME " that holds a control character, or is not UTF-8", what, (long)i);
  int64_t index = -1;
  if (!mlirAttributeIsNull(of)) {
    index = mlirAttributeIsAInteger(of) ? mlirIntegerAttrGetValueInt(of) : -1;
    if (index < 0 || (index >= n && n >= 0))
      return sn_error(func, "%s %ld has %s = %lld: expected one of %ld", what, (long)i, gradient,
                      (long long)index, (long)n);
    if (n >= 0 && !mlirTypeEqual(type, others[index])) {
      char *own = sn_type_text(type), *other = sn_type_text(others[index]);
      MlirLogicalResult failed = sn_error(func, "%s %ld is %s, and what %s = %lld names is %s",
                                          what, (long)i, own, gradient, (long long)index, other);
      free(own);
      free(other);
      return failed;
    }
  }
  MlirAttribute range = fact(said, SN_RANGE);
  MlirAttribute shares = fact(said, SN_SHARES);
  MlirNamedAttribute entries[4];
  intptr_t count = 0;
  if (index >= 0)
    entries[count++] =
        mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("gradient_of")), sn_i64(ctx, index));
  if (!mlirAttributeIsNull(name))
    entries[count++] = mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("name")), name);
  if (!mlirAttributeIsNull(range))
    entries[count++] = mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("range")), range);
  if (!mlirAttributeIsNull(shares))
    entries[count++] = mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("shares")), shares);
  *facts = mlirDictionaryAttrGet(ctx, count, entries);
  return SN_OK;
}

static bool any_fact(intptr_t n, const MlirAttribute *facts) {
  for (intptr_t i = 0; i < n; ++i)
    if (mlirDictionaryAttrGetNumElements(facts[i]))
      return true;
  return false;
}

MlirLogicalResult sn_host_keep_facts(MlirOperation func, intptr_t num_inputs,
                                     const MlirType *inputs, intptr_t num_outputs,
                                     const MlirType *outputs) {
  MlirContext ctx = mlirOperationGetContext(func);
  MlirAttribute *facts = sn_alloc((size_t)(num_inputs + num_outputs + 1) * sizeof *facts),
                *of_outputs = facts + num_inputs;
  MlirLogicalResult result = SN_OK;
  bool values = false;
  for (intptr_t i = 0; i < num_outputs && !sn_failed(result); ++i) {
    MlirAttribute said = said_of(func, "res_attrs", i);
    values |= mlirAttributeIsNull(fact(said, SN_GRADIENT_OF));
    result = facts_of(func, "result", i, said, SN_GRADIENT_OF, outputs[i], num_inputs, inputs,
                      &of_outputs[i]);
  }
  for (intptr_t i = 0; i < num_inputs && !sn_failed(result); ++i) {
    result = facts_of(func, "argument", i, said_of(func, "arg_attrs", i), SN_UPSTREAM_OF, inputs[i],
                      values ? num_outputs : -1, outputs, &facts[i]);
    MlirAttribute of =
        sn_failed(result) || !values ? mlirAttributeGetNull() : fact(facts[i], "gradient_of");
    if (!mlirAttributeIsNull(of) &&
        !mlirAttributeIsNull(fact(of_outputs[mlirIntegerAttrGetValueInt(of)], "gradient_of")))
      result =
          sn_error(func, "argument %ld is the upstream of result %lld, which is a gradient itself",
                   (long)i, (long long)mlirIntegerAttrGetValueInt(of));
  }
  if (!sn_failed(result) && any_fact(num_inputs, facts))
    sn_set_attr(func, SN_INPUT_FACTS, mlirArrayAttrGet(ctx, num_inputs, facts));
  if (!sn_failed(result) && any_fact(num_outputs, of_outputs))
    sn_set_attr(func, SN_OUTPUT_FACTS, mlirArrayAttrGet(ctx, num_outputs, of_outputs));
  mlirOperationRemoveAttributeByName(func, SN_STR("res_attrs"));
  free(facts);
  return result;
}
