// host_boundary.c: what a host may pass, fixed before buffers exist.
//
//   func.func @main(%x: tensor<4x8xf32>, %a: f32) -> f32 { ... return %s : f32 }
//   ->
//   func.func @main(%x: tensor<4x8xf32> {bufferization.writable = false},
//                   %a: tensor<f32> {bufferization.writable = false}) -> tensor<f32>
//       attributes {sinter.inputs = [tensor<4x8xf32>, tensor<f32>], sinter.outputs = [tensor<f32>]}
//       {
//     %n = tensor.extract %a[] : tensor<f32>
//     ...
//     %r = tensor.from_elements %s : tensor<f32>
//     return %r : tensor<f32>
//   }
//
//   return %y, %y   ->   %z = bufferization.alloc_tensor() copy(%y)   return %y, %z
//
// A host passes arrays (runtime/abi.h), so numbers become tensors of rank 0, and
// what has no place in the table of a library is refused here, by name. Inputs
// are never written. The types are kept as attributes: the descriptor table
// is made from them.
//
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_boundary.mlir

#include "lowering/host.h"
#include "mlir-c/Dialect/Func.h"

static bool travels(MlirType element) {
  if (sn_is_float(element)) {
    unsigned bits = sn_bits(element);
    return bits == 64 || bits == 32 || mlirTypeIsAF16(element) || mlirTypeIsABF16(element);
  }
  if (!mlirTypeIsAInteger(element) || !mlirIntegerTypeIsSignless(element))
    return false;
  unsigned bits = mlirIntegerTypeGetWidth(element);
  return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static char *type_text(MlirType type);

static MlirLogicalResult check(MlirOperation func, const char *what, intptr_t i, MlirType type) {
  char *text = type_text(type);
  MlirLogicalResult result = SN_OK;
  if (mlirTypeIsAShaped(type) && !mlirTypeIsARankedTensor(type))
    result = sn_error(func, "%s %ld is %s: expected a tensor of known rank, or a number", what,
                      (long)i, text);
  else if (!travels(sn_element(type)))
    result = sn_error(
        func, "%s %ld is %s: expected elements of f64, f32, f16, bf16, i64, i32, i16, i8 or i1",
        what, (long)i, text);
  else if (mlirTypeIsARankedTensor(type) && !mlirShapedTypeHasStaticShape(type))
    result =
        sn_error(func, "%s %ld is %s: only static shapes can be compiled", what, (long)i, text);
  else if (mlirTypeIsARankedTensor(type) && mlirRankedTensorTypeGetEncoding(type).ptr)
    result =
        sn_error(func, "%s %ld is %s: a host passes row-major tensors only", what, (long)i, text);
  free(text);
  return result;
}

typedef struct {
  char *text;
  size_t size;
} Text;

static void append(MlirStringRef piece, void *user) {
  Text *t = user;
  char *longer = sn_alloc(t->size + piece.length + 1);
  if (t->text)
    memcpy(longer, t->text, t->size);
  memcpy(longer + t->size, piece.data, piece.length);
  free(t->text);
  t->text = longer;
  t->size += piece.length;
}

static char *type_text(MlirType type) {
  Text t = {0};
  mlirTypePrint(type, append, &t);
  return t.text;
}

static MlirType boundary_type(MlirType type) {
  return mlirTypeIsARankedTensor(type) ? type : sn_tensor(type, 0, NULL);
}

// Arguments: numbers are read out of tensors of rank 0.
static void take_tensors(MlirOperation func, MlirBlock body, MlirType *inputs) {
  SnBuilder b = sn_at_start(body, mlirOperationGetLocation(func));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    MlirValue x = mlirBlockGetArgument(body, i);
    MlirType type = sn_type_of(x);
    inputs[i] = boundary_type(type);
    if (!mlirTypeEqual(type, inputs[i])) {
      mlirBlockArgumentSetType(x, inputs[i]);
      MlirOperation number = sn_op(&b, "tensor.extract", type, x);
      mlirValueReplaceAllUsesExcept(x, sn_result(number, 0), 1, &number);
    }
    mlirFuncSetArgAttr(func, i, SN_STR("bufferization.writable"), mlirBoolAttrGet(b.ctx, 0));
  }
}

static MlirValue copied(SnBuilder *b, MlirValue y) {
  const int32_t segments[] = {0, 1, 0};
  return sn_result(sn_op(b, "bufferization.alloc_tensor", sn_type_of(y), y,
                         sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 3, segments))),
                   0);
}

static bool returned_before(MlirOperation ret, intptr_t i) {
  for (intptr_t before = 0; before < i; ++before)
    if (sn_same(sn_operand(ret, before), sn_operand(ret, i)))
      return true;
  return false;
}

// Results have places of their own: buffer-results-to-out-params takes each value once.
static void return_tensors(MlirOperation func) {
  SnOpVec returns = sn_collect(func, "func.return");
  for (size_t k = 0; k < returns.size; ++k) {
    SnBuilder b = sn_before(returns.data[k]);
    for (intptr_t i = 0; i < sn_num_operands(returns.data[k]); ++i) {
      MlirValue y = sn_operand(returns.data[k], i);
      MlirType type = sn_type_of(y);
      if (!mlirTypeIsARankedTensor(type))
        mlirOperationSetOperand(returns.data[k], i,
                                sn(&b, "tensor.from_elements", boundary_type(type), y));
      else if (returned_before(returns.data[k], i))
        mlirOperationSetOperand(returns.data[k], i, copied(&b, y));
    }
  }
  sn_vec_free(&returns);
}

static MlirAttribute type_array(MlirContext ctx, intptr_t n, const MlirType *types) {
  MlirAttribute *attrs = sn_alloc((size_t)(n + 1) * sizeof *attrs);
  for (intptr_t i = 0; i < n; ++i)
    attrs[i] = mlirTypeAttrGet(types[i]);
  MlirAttribute array = mlirArrayAttrGet(ctx, n, attrs);
  free(attrs);
  return array;
}

static MlirLogicalResult function(MlirOperation func) {
  MlirBlock body = sn_function_body(func);
  MlirType type = mlirTypeAttrGetValue(sn_get_attr(func, "function_type"));
  intptr_t num_inputs = mlirFunctionTypeGetNumInputs(type);
  intptr_t num_outputs = mlirFunctionTypeGetNumResults(type);
  for (intptr_t i = 0; i < num_inputs; ++i)
    if (sn_failed(check(func, "argument", i, mlirFunctionTypeGetInput(type, i))))
      return SN_FAIL;
  for (intptr_t i = 0; i < num_outputs; ++i)
    if (sn_failed(check(func, "result", i, mlirFunctionTypeGetResult(type, i))))
      return SN_FAIL;

  MlirContext ctx = mlirOperationGetContext(func);
  MlirType *inputs = sn_alloc((size_t)(num_inputs + num_outputs + 1) * sizeof *inputs);
  MlirType *outputs = inputs + num_inputs;
  take_tensors(func, body, inputs);
  return_tensors(func);
  for (intptr_t i = 0; i < num_outputs; ++i)
    outputs[i] = boundary_type(mlirFunctionTypeGetResult(type, i));
  MlirType tensors = mlirFunctionTypeGet(ctx, num_inputs, inputs, num_outputs, outputs);
  sn_set_attr(func, "function_type", mlirTypeAttrGet(tensors));
  sn_set_attr(func, SN_INPUTS, type_array(ctx, num_inputs, inputs));
  sn_set_attr(func, SN_OUTPUTS, type_array(ctx, num_outputs, outputs));
  free(inputs);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  SnOpVec functions = sn_collect(module, "func.func");
  MlirLogicalResult result = SN_OK;
  for (size_t i = 0; i < functions.size && !sn_failed(result); ++i) {
    MlirOperation func = functions.data[i];
    MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(func, "sym_name"));
    bool runtime = name.length >= 10 && !memcmp(name.data, "sinter_rt_", 10);
    if (!sn_function_body(func).ptr && !runtime)
      result = sn_error(func, "is declared, and nothing defines it");
    else if (sn_function_body(func).ptr && sn_is_public(func))
      result = function(func);
  }
  sn_vec_free(&functions);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__bufferization__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__bufferization__,
                                                      mlirGetDialectHandle__tensor__, NULL};

const SnPass sn_pass_host_boundary = {
    .argument = "sinter-boundary",
    .summary =
        "public functions take and return tensors of static shape, and inputs are never written",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
