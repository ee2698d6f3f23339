// kernel_arguments.c: what the host passes to a kernel, a line for each kind.
//
//   sinter.rowwise on %x : memref<4x?xf32>, %y : memref<4xf32>, with scratch memory
//   ->
//   gpu.func(%x: memref<1xf32> {llvm.noalias}, %y: memref<4xf32> {llvm.noalias}, %size: i64, %scratch: memref<320xi8>,
//   %address: i64, %tag: i64)
//
// On the device a memref is a bare pointer; one with sizes `?` or 0 is of one element, and seen anew with its sizes.
// Scratch memory is one more argument of the kernel function, which its callers allocate of the workspace. What the
// launch takes is for each argument the address of a place that holds it.
//
// test: test/lowering/gpu/lower_gpu.mlir, dynamic.mlir

#include "lowering/gpu/shell/kernel_arguments.h"

enum { SN_GPU_MAP_BYTES = 128, SN_GPU_MAP_ALIGNED = 64 }; // CUtensorMap

typedef struct {
  const SnGpuHost *host;
  MlirOperation op;
  const SnGpuBody *body;
  const SnGpuArgument *a;
} Passed;

// An operand of the kernel, as the host has it.
static MlirValue given(MlirOperation op, const SnGpuBody *body, intptr_t k) {
  return body->operands.n ? body->operands.data[k] : sn_operand(op, k);
}
static MlirValue operand(const Passed *p, intptr_t k) { return given(p->op, p->body, k); }

intptr_t sn_gpu_num_operands(MlirOperation op, const SnGpuBody *body) {
  return body->operands.n ? body->operands.n : sn_num_operands(op);
}
MlirType sn_gpu_operand_type(MlirOperation op, const SnGpuBody *body, intptr_t k) {
  return sn_type_of(given(op, body, k));
}

static MlirType i64_type(MlirContext ctx) { return mlirIntegerTypeGet(ctx, 64); }

MlirValue sn_gpu_on_stack(SnBuilder *b, MlirType type, int64_t count) {
  return sn(b, "llvm.alloca", sn_int(b, i64_type(b->ctx), count), sn_type(b->ctx, "!llvm.ptr"),
            sn_attr("elem_type", mlirTypeAttrGet(type)));
}

// ---- types on the device ---------------------------------------------------------------------

bool sn_gpu_is_bare(MlirType t) {
  bool bare = mlirShapedTypeHasStaticShape(t);
  for (int64_t i = 0; i < sn_rank(t); ++i)
    bare &= sn_dim(t, i) != 0;
  return bare;
}

static MlirType operand_type(const Passed *p) {
  int64_t one = 1;
  MlirType t = sn_type_of(operand(p, p->a->operand));
  return sn_gpu_is_bare(t) ? t : sn_memref(sn_element(t), 1, &one);
}

static MlirType element_type(const Passed *p) { return sn_element(sn_type_of(operand(p, p->a->operand))); }

static MlirType number_type(const Passed *p) { return i64_type(mlirOperationGetContext(p->op)); }

static MlirType scratch_type(const Passed *p) {
  return sn_memref(mlirIntegerTypeGet(mlirOperationGetContext(p->op), 8), 1, &p->body->scratch);
}

// ---- values on the host ------------------------------------------------------------------------

static MlirValue pass(SnBuilder *b, MlirValue number) {
  MlirValue place = sn_gpu_on_stack(b, sn_type_of(number), 1);
  sn_op(b, "llvm.store", number, place, sn_types(0, NULL));
  return place;
}

static MlirValue pass_address(SnBuilder *b, MlirValue memref) {
  MlirValue address = sn(b, "memref.extract_aligned_pointer_as_index", memref, sn_index_type(b->ctx));
  return pass(b, sn(b, "arith.index_cast", address, i64_type(b->ctx)));
}

static MlirValue pass_operand(SnBuilder *b, const Passed *p) { return pass_address(b, operand(p, p->a->operand)); }

// A load that numbers.c takes for the number itself.
static MlirValue pass_number(SnBuilder *b, const Passed *p) {
  MlirType t = element_type(p);
  MlirValue number = sn(b, "memref.load", operand(p, p->a->operand), t);
  return pass(b, mlirTypeIsAIndex(t) ? sn(b, "arith.index_cast", number, i64_type(b->ctx)) : number);
}

static MlirValue pass_own_address(SnBuilder *b, const Passed *p) {
  return sn_gpu_is_number(operand(p, p->a->operand)) ? pass(b, sn_int(b, i64_type(b->ctx), 0)) : pass_operand(b, p);
}

static MlirValue pass_size(SnBuilder *b, const Passed *p) {
  MlirValue size = sn(b, "memref.dim", operand(p, p->a->operand), sn_index(b, p->a->dim), sn_index_type(b->ctx));
  return pass(b, sn(b, "arith.index_cast", size, i64_type(b->ctx)));
}

// One more argument of the kernel function, allocated where it is called.
static MlirValue pass_scratch(SnBuilder *b, const Passed *p) {
  MlirContext ctx = b->ctx;
  MlirOperation func = p->host->func;
  MlirType type = scratch_type(p), old = mlirTypeAttrGetValue(sn_get_attr(func, "function_type"));
  SN_VEC(MlirType) types = {0};
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(old); ++i)
    sn_push(&types, mlirFunctionTypeGetInput(old, i));
  sn_push(&types, type);
  sn_set_attr(func, "function_type",
              mlirTypeAttrGet(mlirFunctionTypeGet(ctx, (intptr_t)types.size, types.data, 0, NULL)));
  sn_vec_free(&types);
  mlirOperationRemoveAttributeByName(func, SN_STR("arg_attrs"));
  SnOpVec calls = sn_calls_of(p->host->calls, func);
  for (size_t i = 0; i < calls.size; ++i) {
    MlirOperation call = calls.data[i];
    SnBuilder at = sn_before(call);
    SnValueVec operands = {0};
    for (intptr_t k = 0; k < sn_num_operands(call); ++k)
      sn_push(&operands, sn_operand(call, k));
    sn_push(&operands, sn(&at, "memref.alloc", type,
                          sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(ctx, 2, (int32_t[]){0, 0})),
                          sn_attr(SN_WORKSPACE, sn_unit(ctx))));
    calls.data[i] = sn_clone_as(&at, call, sn_values((intptr_t)operands.size, operands.data), sn_types(0, NULL));
    mlirOperationDestroy(call);
    sn_vec_free(&operands);
  }
  return pass_address(b, mlirBlockAddArgument(sn_function_body(func), type, mlirOperationGetLocation(func)));
}

static MlirValue pass_scratch_address(SnBuilder *b, const Passed *p) {
  MlirBlock body = sn_function_body(p->host->func); // behind the scratch memory itself, which is its last argument
  return pass_address(b, mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - 1));
}

static MlirValue pass_tag(SnBuilder *b, const Passed *p) { return pass(b, sn_gpu_launch_tag(b, p->host->module)); }
static MlirValue pass_status(SnBuilder *b, const Passed *p) { return sn_gpu_status_word(b, p->host->module); }

static MlirType map_type(const Passed *p) { return sn_type(mlirOperationGetContext(p->op), "!llvm.ptr"); }

static void store_number(SnBuilder *b, MlirValue number, MlirValue numbers, int32_t i) {
  MlirType i64 = i64_type(b->ctx);
  MlirValue at = sn(b, "llvm.getelementptr", numbers, sn_type(b->ctx, "!llvm.ptr"),
                    sn_attr("elem_type", mlirTypeAttrGet(i64)),
                    sn_attr("rawConstantIndices", mlirDenseI32ArrayGet(b->ctx, 1, &i)));
  sn_op(b, "llvm.store", number, at, sn_types(0, NULL));
}

// Sizes of the map's dimensions, bytes from one to the next (of the fastest: of an element), elements of a box; of
// windows steps and corners behind them.
static MlirValue pass_map(SnBuilder *b, const Passed *p) {
  const SnGpuTensorMap *map = p->a->map;
  MlirValue memref = operand(p, map->operand);
  MlirType i64 = i64_type(b->ctx), pointer = sn_type(b->ctx, "!llvm.ptr");
  int64_t element = (int64_t)sn_bits(sn_element(sn_type_of(memref))) / 8;
  MlirValue numbers = sn_gpu_on_stack(b, i64, 3 * (map->rank + map->num_windows)), stride = sn_int(b, i64, element);
  for (int i = 0; i < map->rank; ++i) {
    const SnGpuMapDim *d = &map->dims[i];
    MlirValue size = sn_int(b, i64, 1), parts[3];
    for (int64_t n = d->first; n < d->first + d->count; ++n)
      size = sn(b, "arith.muli", size,
                sn(b, "arith.index_cast", sn(b, "memref.dim", memref, sn_index(b, n), sn_index_type(b->ctx)), i64));
    parts[0] = d->size ? sn_int(b, i64, d->size) : size, parts[1] = stride, parts[2] = sn_int(b, i64, d->box);
    for (int32_t n = 0; n < 3; ++n)
      store_number(b, parts[n], numbers, 3 * i + n);
    stride = sn(b, "arith.muli", stride, size);
  }
  for (int i = 0; i < map->num_windows; ++i) {
    int64_t window[] = {map->windows[i].step, map->windows[i].lower, map->windows[i].upper};
    for (int32_t n = 0; n < 3; ++n)
      store_number(b, sn_int(b, i64, window[n]), numbers, 3 * (map->rank + i) + n);
  }
  MlirType bytes = sn_type(b->ctx, "!llvm.array<%d x i8>", SN_GPU_MAP_BYTES);
  MlirValue place = sn(b, "llvm.alloca", sn_int(b, i64, 1), pointer, sn_attr("elem_type", mlirTypeAttrGet(bytes)),
                       sn_attr("alignment", sn_i64(b->ctx, SN_GPU_MAP_ALIGNED))),
            address = sn(b, "memref.extract_aligned_pointer_as_index", memref, sn_index_type(b->ctx));
  MlirValue arguments[] = {place, sn_int(b, i64, map->tf32),
                           sn(b, "llvm.inttoptr", sn(b, "arith.index_cast", address, i64), pointer),
                           sn_int(b, i64, map->rank), numbers};
  sn_call_runtime(b, p->host->module, map->num_windows ? "sinter_rt_image_map" : "sinter_rt_tensor_map",
                  sn_values(5, arguments));
  return place;
}

// ---- the table ---------------------------------------------------------------------------------

static const struct {
  MlirType (*type)(const Passed *p);                // on the device
  const char *attributes;                           // there
  MlirValue (*pass)(SnBuilder *b, const Passed *p); // by the host
} kinds[] = {
    [SN_GPU_OPERAND] = {operand_type, "{llvm.noalias}", pass_operand},
    [SN_GPU_NUMBER] = {element_type, "{}", pass_number},
    [SN_GPU_SIZE] = {number_type, "{}", pass_size},
    [SN_GPU_ADDRESS] = {number_type, "{}", pass_own_address},
    [SN_GPU_SCRATCH] = {scratch_type, "{}", pass_scratch},
    [SN_GPU_SCRATCH_ADDRESS] = {number_type, "{}", pass_scratch_address},
    [SN_GPU_TAG] = {number_type, "{}", pass_tag},
    [SN_GPU_STATUS] = {number_type, "{}", pass_status},
    [SN_GPU_TENSOR_MAP] = {map_type, "{llvm.align = 64 : i64}", pass_map},
};

SnGpuArguments sn_gpu_arguments(MlirOperation op, const SnGpuBody *body) {
  SnGpuArguments list = {0};
  intptr_t n = sn_gpu_num_operands(op, body);
  for (intptr_t o = 0; o < n; ++o)
    sn_push(&list, (SnGpuArgument){sn_gpu_is_number(given(op, body, o)) ? SN_GPU_NUMBER : SN_GPU_OPERAND, o, 0});
  for (intptr_t o = 0; o < n; ++o)
    for (intptr_t i = 0; i < sn_rank(sn_gpu_operand_type(op, body, o)); ++i)
      if (sn_dim(sn_gpu_operand_type(op, body, o), i) == SN_DYNAMIC)
        sn_push(&list, (SnGpuArgument){SN_GPU_SIZE, o, i});
  for (intptr_t o = 0; o < n && body->addresses; ++o)
    sn_push(&list, (SnGpuArgument){SN_GPU_ADDRESS, o, 0});
  for (int kind = SN_GPU_SCRATCH; kind <= SN_GPU_TAG && body->scratch; ++kind)
    sn_push(&list, (SnGpuArgument){(SnGpuArgumentKind)kind, 0, 0});
  if (body->asserts)
    sn_push(&list, (SnGpuArgument){SN_GPU_STATUS, 0, 0});
  for (size_t i = 0; i < body->num_maps; ++i)
    sn_push(&list, (SnGpuArgument){.kind = SN_GPU_TENSOR_MAP, .map = &body->maps[i]});
  return list;
}

intptr_t sn_gpu_find_argument(const SnGpuArguments *list, SnGpuArgumentKind kind) {
  for (size_t i = 0; i < list->size; ++i)
    if (list->data[i].kind == kind)
      return (intptr_t)i;
  return -1;
}

MlirType sn_gpu_argument_type(MlirOperation op, const SnGpuBody *body, const SnGpuArgument *a) {
  return kinds[a->kind].type(&(Passed){.op = op, .body = body, .a = a});
}

MlirAttribute sn_gpu_argument_attributes(MlirContext ctx, const SnGpuBody *body, const SnGpuArgument *a) {
  if (a->kind == SN_GPU_OPERAND && body->written && body->written[a->operand])
    return sn_parse_attr(ctx, "{}");
  return sn_parse_attr(ctx, "%s", kinds[a->kind].attributes);
}

MlirValue sn_gpu_pass(SnBuilder *b, const SnGpuHost *host, MlirOperation op, const SnGpuBody *body,
                      const SnGpuArgument *a) {
  return kinds[a->kind].pass(b, &(Passed){host, op, body, a});
}
