// numbers.c: a number of the host goes to a kernel as an argument, not by way of the GPU's memory.
//
//   %t = tensor.from_elements %n : tensor<i64>
//   %b = bufferization.to_buffer %t                    call @main_kernel0(%b, %x) : (memref<i64>, ...)
// ->
//   call @main_kernel0(%n, %x) : (i64, ...)            gpu.func @main_kernel0(%n: i64, ...)
//
// A count of elements that only the call knows, as a mean over sizes `?` divides by, or labels are less than, is such.
// Stored it would be one more thing to do on the stream, in front of the kernel that waits for it. The kernel keeps it
// in memory of the thread, which LLVM makes a register.
//
// test: test/lowering/gpu/numbers.mlir, test/gpu/numbers.test

#include "lowering/gpu/shell/kernel_arguments.h"
#include <assert.h>

#define NUMBERS "sinter.numbers" // of a kernel function: its arguments that are

static MlirValue number_of(MlirValue buffer) {
  MlirOperation view = sn_def(buffer, "bufferization.to_buffer");
  MlirOperation made = sn_null(view) ? view : sn_def(sn_operand(view, 0), "tensor.from_elements");
  return sn_null(made) || sn_rank(sn_type_of(sn_result(made, 0))) ? (MlirValue){0} : sn_operand(made, 0);
}

static bool is_number(const SnOpVec *calls, MlirValue argument, intptr_t k) {
  MlirType t = sn_type_of(argument), e = sn_element(t);
  bool is = calls->size && mlirTypeIsAMemRef(t) && !sn_rank(t) &&
            (mlirTypeIsAIndex(e) || sn_bits(e) == 32 || sn_bits(e) == 64);
  for (MlirOpOperand use = mlirValueGetFirstUse(argument); !mlirOpOperandIsNull(use) && is;
       use = mlirOpOperandGetNextUse(use))
    is = sn_is(mlirOpOperandGetOwner(use), "sinter.rowwise");
  for (size_t i = 0; i < calls->size && is; ++i)
    is = !sn_none(number_of(sn_operand(calls->data[i], k)));
  return is;
}

void sn_gpu_mark_numbers(const SnGpuHost *host) {
  MlirOperation func = host->func;
  MlirBlock body = sn_function_body(func);
  SnOpVec calls = sn_calls_of(host->calls, func);
  SN_VEC(int64_t) found = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(body); ++k)
    if (is_number(&calls, mlirBlockGetArgument(body, k), k))
      sn_push(&found, k);
  if (found.size)
    sn_set_attr(func, NUMBERS, mlirDenseI64ArrayGet(mlirOperationGetContext(func), (intptr_t)found.size, found.data));
  sn_vec_free(&found);
}

bool sn_gpu_is_number(MlirValue operand) {
  if (!mlirValueIsABlockArgument(operand))
    return false;
  MlirOperation func = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(operand));
  MlirAttribute numbers = sn_is(func, "func.func") ? sn_get_attr(func, NUMBERS) : mlirAttributeGetNull();
  bool is = false;
  for (intptr_t i = 0; numbers.ptr && i < mlirDenseArrayGetNumElements(numbers); ++i)
    is |= mlirDenseI64ArrayGetElement(numbers, i) == mlirBlockArgumentGetArgNumber(operand);
  return is;
}

// What launches load of it is the argument itself.
static MlirType take(MlirOperation func, intptr_t k) {
  MlirValue argument = mlirBlockGetArgument(sn_function_body(func), k);
  MlirType type = sn_element(sn_type_of(argument));
  SnOpVec loads = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(argument); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    sn_push(&loads, mlirOpOperandGetOwner(use));
  mlirValueSetType(argument, type);
  for (size_t i = 0; i < loads.size; ++i) {
    assert(sn_is(loads.data[i], "memref.load") && "a launch passes its element");
    mlirValueReplaceAllUsesOfWith(sn_result(loads.data[i], 0), argument);
    mlirOperationDestroy(loads.data[i]);
  }
  sn_vec_free(&loads);
  return type;
}

void sn_gpu_take_numbers(const SnGpuHost *host) {
  MlirOperation func = host->func;
  MlirAttribute numbers = sn_get_attr(func, NUMBERS);
  if (!numbers.ptr)
    return;
  MlirContext ctx = mlirOperationGetContext(func);
  MlirType old = mlirTypeAttrGetValue(sn_get_attr(func, "function_type"));
  SnOpVec calls = sn_calls_of(host->calls, func);
  SN_VEC(MlirType) types = {0};
  for (intptr_t k = 0; k < mlirFunctionTypeGetNumInputs(old); ++k)
    sn_push(&types, mlirFunctionTypeGetInput(old, k));
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(numbers); ++i) {
    intptr_t k = (intptr_t)mlirDenseI64ArrayGetElement(numbers, i);
    types.data[k] = take(func, k);
    for (size_t c = 0; c < calls.size; ++c)
      mlirOperationSetOperand(calls.data[c], k, number_of(sn_operand(calls.data[c], k)));
  }
  sn_set_attr(func, "function_type",
              mlirTypeAttrGet(mlirFunctionTypeGet(ctx, (intptr_t)types.size, types.data, 0, NULL)));
  mlirOperationRemoveAttributeByName(func, SN_STR(NUMBERS));
  sn_vec_free(&types);
}
