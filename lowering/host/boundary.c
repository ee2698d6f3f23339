// boundary.c: what a host may pass, fixed before buffers exist.
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
//   tensor<4xindex> is passed as tensor<4xi64>, which is what sinter.inputs and sinter.outputs say.
//
//   return %y, %y   ->   %z = bufferization.alloc_tensor() copy(%y)   return %y, %z
//
//   func.func @main(%x: tensor<?x8xf32>) -> tensor<?xf32>
//   ->
//   the same with sinter.shapes = "main_shapes", and
//   func.func private @main_shapes(%in: !llvm.ptr, %out: !llvm.ptr) {
//     %n = llvm.load %in[0]       sizes of all inputs, one after another
//     llvm.store %n, %out[0]      sizes of all outputs
//   }
//
// A size that depends on data is INT64_MIN there, which a caller has to know; sinter-results compares it with what was
// made.
//
// A host passes arrays (runtime/abi.h), so numbers become tensors of rank 0, and
// what has no place in the table of a library is refused here, by name. Inputs
// are never written. The types are kept as attributes: the descriptor table
// is made from them.
//
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_boundary.mlir

#include "lowering/host/host.h"
#include "lowering/host/host_sizes.h"
#include "lowering/host/names.h"
#include "mlir-c/Dialect/Func.h"

static bool travels(MlirType element) {
  if (sn_is_float(element)) {
    unsigned bits = sn_bits(element);
    return bits == 64 || bits == 32 || mlirTypeIsAF16(element) || mlirTypeIsABF16(element) || sn_is_float8(element);
  }
  if (mlirTypeIsAIndex(element))
    return true;
  if (!mlirTypeIsAInteger(element) || !mlirIntegerTypeIsSignless(element))
    return false;
  unsigned bits = mlirIntegerTypeGetWidth(element);
  return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static MlirLogicalResult check(MlirOperation func, const char *what, intptr_t i, MlirType type) {
  char *text = sn_type_text(type);
  MlirLogicalResult result = SN_OK;
  if (mlirTypeIsAShaped(type) && !mlirTypeIsARankedTensor(type))
    result = sn_error(func, "%s %ld is %s: expected a tensor of known rank, or a number", what,
                      (long)i, text);
  else if (!travels(sn_element(type)))
    result = sn_error(func,
                      "%s %ld is %s: expected elements of f64, f32, f16, bf16, f8E4M3FN, f8E5M2, index, i64, i32, i16, "
                      "i8 or i1",
                      what, (long)i, text);
  else if (mlirTypeIsARankedTensor(type) && mlirRankedTensorTypeGetEncoding(type).ptr)
    result =
        sn_error(func, "%s %ld is %s: a host passes row-major tensors only", what, (long)i, text);
  free(text);
  return result;
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
  }
}

// Whether some use of an input might be made a write: any but those of kernels, which say that they only read it.
static bool may_be_written(MlirValue x) {
  for (MlirOpOperand use = mlirValueGetFirstUse(x); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!sn_is(user, "bufferization.to_buffer") || !sn_get_attr(user, "read_only").ptr)
      return true;
  }
  return false;
}

// No input is written. Whatever else was said of arguments has been read, and is about layouts of somebody else's. It
// is said of those alone that might be: one-shot-bufferize takes the attributes of all others anew for each that it
// drops.
static void say_read_only(MlirOperation func, intptr_t n) {
  MlirContext ctx = mlirOperationGetContext(func);
  MlirBlock body = sn_function_body(func);
  bool any = false;
  MlirNamedAttribute writable =
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("bufferization.writable")), mlirBoolAttrGet(ctx, 0));
  MlirAttribute *each = sn_alloc((size_t)(n + 1) * sizeof *each);
  for (intptr_t i = 0; i < n; ++i) {
    bool may = may_be_written(mlirBlockGetArgument(body, i));
    each[i] = mlirDictionaryAttrGet(ctx, may, &writable);
    any |= may;
  }
  mlirOperationRemoveAttributeByName(func, SN_STR("arg_attrs"));
  if (any)
    sn_set_attr(func, "arg_attrs", mlirArrayAttrGet(ctx, n, each));
  free(each);
}

static MlirValue copied(SnBuilder *b, MlirValue y) {
  const int32_t segments[] = {0, 1, 0};
  return sn_result(sn_op(b, "bufferization.alloc_tensor", sn_type_of(y), y,
                         sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 3, segments))),
                   0);
}

// Which result gives each value itself: what lies in an argument's memory, or the first.
static void own_results(MlirOperation func, MlirOperation ret, SnTable *own) {
  MlirAttribute all = sn_get_attr(func, "res_attrs");
  for (intptr_t i = sn_num_operands(ret); i-- > 0;)
    sn_table_put(own, sn_operand(ret, i).ptr, (uintptr_t)i);
  for (intptr_t i = 0; all.ptr && i < sn_num_operands(ret); ++i)
    if (mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, i), SN_STR(SN_SHARES)).ptr)
      sn_table_put(own, sn_operand(ret, i).ptr, (uintptr_t)i);
}

// Results have places of their own: buffer-results-to-out-params takes each value once.
static void return_tensors(MlirOperation func) {
  SnOpVec returns = sn_collect(func, "func.return");
  for (size_t k = 0; k < returns.size; ++k) {
    SnBuilder b = sn_before(returns.data[k]);
    SnTable own = {0};
    own_results(func, returns.data[k], &own);
    for (intptr_t i = 0; i < sn_num_operands(returns.data[k]); ++i) {
      MlirValue y = sn_operand(returns.data[k], i);
      MlirType type = sn_type_of(y);
      uintptr_t first;
      if (!mlirTypeIsARankedTensor(type))
        mlirOperationSetOperand(returns.data[k], i,
                                sn(&b, "tensor.from_elements", boundary_type(type), y));
      else if (sn_table_get(&own, y.ptr, &first) && first != (uintptr_t)i)
        mlirOperationSetOperand(returns.data[k], i, copied(&b, y));
    }
    sn_table_free(&own);
  }
  sn_vec_free(&returns);
}

// ---- sizes of results ---------------------------------------------------------------

typedef struct {
  MlirValue in, out; // arrays of i64
  int *first;        // where in `in` the sizes of each argument begin
} Shapes;

static bool is_dynamic(MlirType type) {
  return mlirTypeIsARankedTensor(type) && !mlirShapedTypeHasStaticShape(type);
}

static MlirValue element_of(SnBuilder *b, MlirValue array, int i) {
  return sn(b, "llvm.getelementptr", sn_type(b->ctx, "!llvm.ptr"), array,
            sn_attr("elem_type", mlirTypeAttrGet(sn_type(b->ctx, "i64"))),
            sn_attr("rawConstantIndices", sn_parse_attr(b->ctx, "array<i32: %d>", i)));
}

static MlirValue load_size(SnSizes *s, MlirValue argument, intptr_t dim) {
  const Shapes *shapes = s->user;
  int at = shapes->first[mlirBlockArgumentGetArgNumber(argument)] + (int)dim;
  MlirValue n = sn(&s->b, "llvm.load", sn_type(s->b.ctx, "i64"), element_of(&s->b, shapes->in, at));
  return sn(&s->b, "arith.index_cast", n, sn_index_type(s->b.ctx));
}

static MlirBlock make_shapes(MlirOperation func, MlirSymbolTable symbols, const char *name) {
  SnBuilder b = sn_after(func);
  MlirType pointer = sn_type(b.ctx, "!llvm.ptr"), arguments[] = {pointer, pointer};
  MlirLocation locs[] = {b.loc, b.loc};
  MlirRegion region = mlirRegionCreate();
  MlirBlock body = mlirBlockCreate(2, arguments, locs);
  mlirRegionAppendOwnedBlock(region, body);
  MlirType type = mlirFunctionTypeGet(b.ctx, 2, arguments, 0, NULL);
  MlirOperation shapes =
      sn_op(&b, "func.func", region, sn_attr("sym_name", sn_string(b.ctx, name)),
            sn_attr("sym_visibility", sn_string(b.ctx, "private")), sn_attr("function_type", mlirTypeAttrGet(type)));
  mlirSymbolTableInsert(symbols, shapes);
  return body;
}

// Of each argument, how many sizes those in front of it have.
static int *first_sizes(MlirBlock body) {
  intptr_t n = mlirBlockGetNumArguments(body), at = 0;
  int *first = sn_alloc((size_t)(n + 1) * sizeof *first);
  for (intptr_t k = 0; k < n; ++k) {
    first[k] = (int)at;
    at += sn_rank(sn_type_of(mlirBlockGetArgument(body, k)));
  }
  return first;
}

static void store_sizes(MlirOperation func, MlirOperation ret, MlirBlock body) {
  Shapes shapes = {mlirBlockGetArgument(body, 0), mlirBlockGetArgument(body, 1), first_sizes(sn_function_body(func))};
  SnSizes sizes = {.b = sn_at_end(body, mlirOperationGetLocation(func)),
                   .argument = load_size,
                   .user = &shapes};
  SnBuilder *b = &sizes.b;
  MlirType i64 = sn_type(b->ctx, "i64");
  int at = 0;
  for (intptr_t i = 0; i < sn_num_operands(ret); ++i)
    for (intptr_t d = 0; d < sn_rank(sn_type_of(sn_operand(ret, i))); ++d) {
      MlirValue n = sn_size_of(&sizes, sn_operand(ret, i), d);
      if (sn_none(n))
        sn_set_attr(func, SN_SIZES_OF_DATA, sn_unit(b->ctx));
      n = sn_none(n) ? sn_int(b, i64, INT64_MIN) : sn(b, "arith.index_cast", n, i64);
      sn_op(b, "llvm.store", n, element_of(b, shapes.out, at++));
    }
  sn_op(b, "func.return", sn_values(0, NULL));
  sn_sizes_free(&sizes);
  free(shapes.first);
}

// A caller allocates the results, so it has to learn their sizes before.
static void add_shapes(MlirOperation func, MlirSymbolTable symbols) {
  MlirOperation ret = mlirBlockGetTerminator(sn_function_body(func));
  bool any = false;
  for (intptr_t i = 0; i < sn_num_operands(ret); ++i)
    any |= is_dynamic(sn_type_of(sn_operand(ret, i)));
  if (!any)
    return;
  char *base = sn_symbol_base(func), *name = sn_new_symbol(symbols, base, "_shapes");
  store_sizes(func, ret, make_shapes(func, symbols, name));
  sn_set_attr(func, SN_SHAPES, sn_string(mlirOperationGetContext(func), name));
  free(base);
  free(name);
}

// What a caller passes for a type: an index is 64 bits in memory, and C has no other name for it.
static MlirType passed_type(MlirType type) {
  MlirType i64 = sn_type(mlirTypeGetContext(type), "i64");
  return mlirTypeIsAIndex(sn_element(type)) ? sn_tensor_like(type, i64) : type;
}

static MlirAttribute type_array(MlirContext ctx, intptr_t n, const MlirType *types) {
  MlirAttribute *attrs = sn_alloc((size_t)(n + 1) * sizeof *attrs);
  for (intptr_t i = 0; i < n; ++i)
    attrs[i] = mlirTypeAttrGet(passed_type(types[i]));
  MlirAttribute array = mlirArrayAttrGet(ctx, n, attrs);
  free(attrs);
  return array;
}

// A tensor that nobody reads, as branches leave it where they do not come along, is any memory.
static void read_nothing(MlirOperation func) {
  SnOpVec poisons = sn_collect(func, "ub.poison");
  for (size_t k = 0; k < poisons.size; ++k) {
    MlirType t = sn_type_of(sn_result(poisons.data[k], 0));
    if (!mlirTypeIsARankedTensor(t))
      continue;
    SnBuilder b = sn_before(poisons.data[k]);
    SnValueVec sizes = {0};
    for (intptr_t d = 0; d < sn_rank(t); ++d)
      if (sn_dim(t, d) == SN_DYNAMIC)
        sn_push(&sizes, sn_index(&b, 0));
    mlirValueReplaceAllUsesOfWith(sn_result(poisons.data[k], 0),
                                  sn(&b, "tensor.empty", sn_values((intptr_t)sizes.size, sizes.data), t));
    mlirOperationDestroy(poisons.data[k]);
    sn_vec_free(&sizes);
  }
  sn_vec_free(&poisons);
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  const MlirSymbolTable *symbols = user;
  if (!sn_is_public(func))
    return SN_OK;
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

  // What a program says of itself by our own words is not true.
  static const char *const own[] = {SN_SHAPES, SN_SIZES_OF_DATA, SN_INPUT_FACTS, SN_OUTPUT_FACTS};
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
    mlirOperationRemoveAttributeByName(func, SN_STR(own[i]));

  MlirContext ctx = mlirOperationGetContext(func);
  MlirType *inputs = sn_alloc((size_t)(num_inputs + num_outputs + 1) * sizeof *inputs);
  MlirType *outputs = inputs + num_inputs;
  take_tensors(func, body, inputs);
  return_tensors(func);
  for (intptr_t i = 0; i < num_outputs; ++i)
    outputs[i] = boundary_type(mlirFunctionTypeGetResult(type, i));
  MlirLogicalResult result = sn_host_keep_facts(func, num_inputs, inputs, num_outputs, outputs);
  say_read_only(func, num_inputs);
  MlirType tensors = mlirFunctionTypeGet(ctx, num_inputs, inputs, num_outputs, outputs);
  sn_set_attr(func, "function_type", mlirTypeAttrGet(tensors));
  sn_set_attr(func, SN_INPUTS, type_array(ctx, num_inputs, inputs));
  sn_set_attr(func, SN_OUTPUTS, type_array(ctx, num_outputs, outputs));
  free(inputs);
  add_shapes(func, *symbols);
  read_nothing(func);
  return result;
}

static MlirLogicalResult defined(MlirOperation module, MlirOperation func) {
  MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(func, "sym_name"));
  bool runtime = name.length >= 10 && !memcmp(name.data, "sinter_rt_", 10);
  bool intrinsic = sn_get_attr(func, "sinter.intrinsic").ptr; // LLVM knows it
  return sn_function_body(func).ptr || runtime || intrinsic
             ? SN_OK
             : sn_error(func, "is declared, and nothing defines it");
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  if (sn_failed(sn_each(module, "func.func", defined)))
    return SN_FAIL;
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  MlirLogicalResult result = sn_each_function(module, function, &symbols);
  mlirSymbolTableDestroy(symbols);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__bufferization__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__llvm__(void);
static MlirDialectHandle (*const dialects[])(void) = {
    mlirGetDialectHandle__bufferization__, mlirGetDialectHandle__tensor__,
    mlirGetDialectHandle__arith__, mlirGetDialectHandle__llvm__, NULL};

const SnPass sn_pass_host_boundary = {
    .argument = "sinter-boundary",
    .summary =
        "public functions take and return tensors, say of which sizes, and never write inputs",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
