// verify_gradient.c: the rules of sinter.differentiate and sinter.detach.
//
// test: test/dialect/invalid.mlir, @a1.. @t1..

#include "dialect/verify.h"

MlirLogicalResult sinter_detach_verify(MlirOperation op);
MlirLogicalResult sinter_differentiate_verify(MlirOperation op);

MlirLogicalResult sinter_detach_verify(MlirOperation op) {
  MlirType t = sn_type_of(sn_operand(op, 0));
  if (!(sn_is_row_type(t) || sn_is_scalar_type(t)) || !sn_is_float(sn_element(t))) // T1
    return sn_error(op, "detaches %s; give a float or a row of them", sn_show_type(t).text);
  return SN_OK;
}

static bool is_float_tensor(MlirValue v) {
  return mlirTypeIsARankedTensor(sn_type_of(v)) && sn_is_float(sn_element(sn_type_of(v)));
}

MlirLogicalResult sinter_differentiate_verify(MlirOperation op) {
  MlirAttribute segments = sn_get_attr(op, "operandSegmentSizes");
  intptr_t given = mlirDenseI32ArrayGetElement(segments, 1), n = mlirDenseI32ArrayGetElement(segments, 2),
           first = 1 + given;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    if ((k == 0 || k >= first) && !is_float_tensor(sn_operand(op, k))) // A1
      return sn_error(op, "%s has type %s; gradients are of ranked tensors of floats",
                      k ? "what is differentiated by" : "the loss", sn_show_type(sn_type_of(sn_operand(op, k))).text);
  if (given && !mlirTypeEqual(sn_type_of(sn_operand(op, 1)), sn_type_of(sn_operand(op, 0)))) // A2
    return sn_error(op, "the upstream gradient has type %s, and the loss %s; they have one type",
                    sn_show_type(sn_type_of(sn_operand(op, 1))).text, sn_show_type(sn_type_of(sn_operand(op, 0))).text);
  if (n == 0 || n != sn_num_results(op)) // A3
    return sn_error(op, "gives %td gradients with respect to %td values; give one for each, and at least one",
                    sn_num_results(op), n);
  for (intptr_t k = 0; k < n; ++k)
    if (!mlirTypeEqual(sn_type_of(sn_result(op, k)), sn_type_of(sn_operand(op, first + k)))) // A3
      return sn_error(op, "gradient %td has type %s, and is with respect to %s; they have one type", k,
                      sn_show_type(sn_type_of(sn_result(op, k))).text,
                      sn_show_type(sn_type_of(sn_operand(op, first + k))).text);
  return SN_OK;
}
