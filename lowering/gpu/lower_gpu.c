// lower_gpu.c: each kernel function becomes a gpu.func and its launch.
//
//   func.func private @main_kernel0(%x: memref<4x8xf32>, %y: memref<f32>) attributes {sinter.kernel} {
//     sinter.rowwise ... schedule(#sinter.gpu_rows<threads = 256, ...>) {...}
//   ->
//   gpu.module @kernels { gpu.func @main_kernel0(%x: memref<4x8xf32>, ...) kernel {...} }
//   func.func private @main_kernel0(%x: memref<4x8xf32>, %y: memref<f32>, %scratch: memref<320xi8>) {
//     call @sinter_rt_launch(image, bytes, "main_kernel0", blocks, 1, 1, threads, 1, 1, 0, pointers to arguments)
//
// The gpu.func takes one memref for each operand of the form (a number, where callers have one: numbers.c), then their
// sizes that are `?`; where blocks have to meet, scratch memory, a piece of the caller's workspace, its address once
// more as a number, and the launch's tag (grid.c); where there are asserts, the address of the status word (status.c).
// On the device a memref is a bare pointer (where a kernel copies in bulk, with its address once more as a number); one
// with sizes `?` or 0 is of one element, and seen anew with its sizes. The image's bytes and their number are globals
// that sinter-embed-gpu fills.
//
// What stays in host code runs on the CPU: shapes, allocations, loops and branches around kernels, copies, and single
// elements that it waits for, with a remark. What computes a tensor there is refused.
//
// runs in: sinter-gpu    test: test/lowering/gpu/lower_gpu.mlir, refused.mlir

#include "lowering/gpu/lower_gpu.h"
#include "dialect/dialect.h"
#include "dialect/sequence.h"
#include "lowering/facts/gpu_layers.h"
#include "lowering/gpu/chains/chains_gpu.h"
#include "lowering/gpu/products/products_gpu.h"
#include "lowering/gpu/rows/rowwise_gpu.h"
#include "lowering/gpu/shell/shell.h"
#include "lowering/rows/rowsteps.h"

static MlirLogicalResult lower_contract(MlirOperation contract, SnGpuTakeBody take, void *taker) {
  SnForm f = sn_form_read(contract);
  bool again = f.matrices.size, whole = again && sn_gpu_not_chain(&f) && !sn_gpu_not_layers(&f);
  sn_form_free(&f);
  return (whole ? sn_gpu_lower_layers : again ? sn_gpu_lower_chain : sn_gpu_lower_products)(contract, take, taker);
}

MlirLogicalResult sn_gpu_lower_form(MlirOperation form, SnGpuTakeBody take, void *taker) {
  return (sn_is_sequence(form)             ? sn_gpu_lower_sequence
          : sn_is_steps(form)              ? sn_gpu_lower_steps
          : sn_is(form, "sinter.contract") ? lower_contract
                                           : sn_gpu_lower_rows)(form, take, taker);
}

static MlirLogicalResult make_kernel(MlirOperation form, const SnGpuBody *body, void *user) {
  return sn_gpu_make_kernel(user, form, body);
}

static MlirLogicalResult lower_kernel(MlirOperation module, const SnCalls *calls, MlirOperation func) {
  MlirOperation form = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(sn_function_body(func)); !sn_null(op);
       op = mlirOperationGetNextInBlock(op)) {
    if ((sn_is_form(op) || sn_is_steps(op) || sn_is_sequence(op)) && sn_null(form))
      form = op;
    else if (!sn_is(op, "func.return") && !sn_is_view(op) && !sn_is(op, "arith.constant"))
      return sn_error(op, "stands beside the form in a kernel function: run sinter-outline before sinter-lower-gpu");
  }
  if (sn_null(form))
    return SN_OK; // lowered before
  SnGpuHost host = {module, func, calls};
  sn_gpu_mark_numbers(&host);
  MlirLogicalResult result = sn_gpu_lower_form(form, make_kernel, &host);
  if (!sn_failed(result)) {
    mlirOperationDestroy(form);
    sn_gpu_take_numbers(&host);
  }
  return result;
}

static bool is_of_numbers(MlirOperation op) {
  intptr_t operands = sn_num_operands(op), n = operands + sn_num_results(op);
  for (intptr_t k = 0; k < n; ++k)
    if (mlirTypeIsAShaped(sn_type_of(k < operands ? sn_operand(op, k) : sn_result(op, k - operands))))
      return false;
  return n && !mlirOperationGetNumRegions(op);
}

// Shapes, addresses, asserts about them, loops and branches; copies of tensors and of parts of them, and single
// elements (sinter-gpu-memory). Nothing that computes a tensor.
static bool may_stay(MlirOperation op) {
  static const char *const names[] = {"arith.constant",
                                      "cf.assert",
                                      "func.func",
                                      "func.call",
                                      "func.return",
                                      "tensor.empty",
                                      "tensor.cast",
                                      "tensor.dim",
                                      "tensor.collapse_shape",
                                      "tensor.expand_shape",
                                      "tensor.reshape",
                                      "tensor.extract",
                                      "tensor.insert",
                                      "tensor.from_elements",
                                      "tensor.extract_slice",
                                      "tensor.insert_slice",
                                      "tensor.parallel_insert_slice",
                                      "tensor.concat",
                                      "bufferization.to_buffer",
                                      "bufferization.to_tensor",
                                      "bufferization.alloc_tensor",
                                      "memref.alloc",
                                      "memref.dealloc",
                                      "memref.cast",
                                      "memref.subview",
                                      "builtin.unrealized_conversion_cast",
                                      "memref.dim",
                                      "memref.collapse_shape",
                                      "memref.expand_shape",
                                      "ub.poison"};
  static const char *const dialects[] = {"llvm", "scf", "affine"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (sn_is(op, names[i]))
      return true;
  for (size_t i = 0; i < sizeof dialects / sizeof *dialects; ++i)
    if (sn_in_dialect(op, dialects[i]))
      return true;
  return is_of_numbers(op);
}

// One that becomes an element of a tensor again is copied there.
static bool is_waited_for(MlirOperation extract) {
  for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(extract, 0)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (!sn_is(mlirOpOperandGetOwner(use), "tensor.from_elements"))
      return true;
  return false;
}

static MlirWalkResult check_host(MlirOperation op, void *result) {
  if (sn_is(op, "tensor.extract") && is_waited_for(op))
    sn_remark(op, "is an element that the host reads, for which it waits until the kernels before it are done");
  if (may_stay(op))
    return MlirWalkResultAdvance;
  sn_error(op, "stays outside of every kernel, and a program for a GPU runs nothing else: raise and fuse it into a "
               "form, or compile with --target=cpu");
  *(MlirLogicalResult *)result = SN_FAIL;
  return MlirWalkResultSkip;
}

// LLVM's code generator for NVIDIA's GPUs ends the process at a conversion to or from these.
static MlirWalkResult check_widths(MlirOperation op, void *result) {
  for (intptr_t i = 0; i < sn_num_results(op); ++i) {
    MlirType t = sn_element(sn_type_of(sn_result(op, i)));
    if ((!sn_is_float(t) && !sn_is_int(t)) || sn_bits(t) <= 64)
      continue;
    char *text = sn_type_text(t);
    sn_error(op, "makes numbers of %s, and a GPU has none of more than 64 bits: compile with --target=cpu", text);
    free(text);
    *(MlirLogicalResult *)result = SN_FAIL;
    return MlirWalkResultInterrupt;
  }
  return MlirWalkResultAdvance;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  MlirLogicalResult result = SN_OK;
  SnOpVec host = sn_host_functions(module);
  for (size_t i = 0; i < host.size; ++i)
    mlirOperationWalk(host.data[i], check_host, &result, MlirWalkPreOrder);
  sn_vec_free(&host);
  SnOpVec functions = sn_collect(module, "func.func");
  SnCalls calls = sn_calls(module);
  for (size_t i = 0; i < functions.size; ++i)
    if (sn_get_attr(functions.data[i], SN_KERNEL).ptr && sn_function_body(functions.data[i]).ptr) {
      MlirLogicalResult fits = SN_OK;
      mlirOperationWalk(functions.data[i], check_widths, &fits, MlirWalkPreOrder);
      if (sn_failed(fits) || sn_failed(lower_kernel(module, &calls, functions.data[i])))
        result = SN_FAIL;
    }
  sn_vec_free(&functions);
  sn_calls_free(&calls);
  MlirOperation kernels = sn_gpu_module(module);
  if (!sn_failed(result) && !sn_null(kernels))
    sn_gpu_narrow(kernels);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__dlti__(void);
MlirDialectHandle mlirGetDialectHandle__func__(void);
MlirDialectHandle mlirGetDialectHandle__gpu__(void);
MlirDialectHandle mlirGetDialectHandle__llvm__(void);
MlirDialectHandle mlirGetDialectHandle__math__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
MlirDialectHandle mlirGetDialectHandle__nvvm__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__vector__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__,
                                                      mlirGetDialectHandle__dlti__,
                                                      mlirGetDialectHandle__func__,
                                                      mlirGetDialectHandle__gpu__,
                                                      mlirGetDialectHandle__llvm__,
                                                      mlirGetDialectHandle__math__,
                                                      mlirGetDialectHandle__memref__,
                                                      mlirGetDialectHandle__nvvm__,
                                                      mlirGetDialectHandle__scf__,
                                                      mlirGetDialectHandle__vector__,
                                                      NULL};

const SnPass sn_pass_lower_gpu = {
    .argument = "sinter-lower-gpu",
    .summary = "each kernel function -> a gpu.func and its launch",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
