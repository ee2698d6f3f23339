// memory_gpu.c: host code leaves the memory of a GPU to the driver.
//
//   memref.copy %x, %y : memref<4x8xf32> to memref<4x8xf32>
//   ->
//   func.call @sinter_rt_copy(%to, %from, %bytes) : (!llvm.ptr, !llvm.ptr, i64) -> ()
//
//   %v = memref.load %x[%i] : memref<4xf32>      ->   call @sinter_rt_read(%word, %from, 4), then the load of %word
//   memref.store %v, %x[%i] : memref<4xf32>      ->   call @sinter_rt_put(%to, %bits, 4)
//
//   %m = memref.alloc(%n) : memref<?xf32>        ->   call @sinter_rt_device_allocate(%bytes, %to), and a memref of it
//
//   %c = memref.get_global @w : memref<64xf32>      of a constant
//   ->
//   %d = func.call @sinter_rt_device_constant(%host, %bytes) : (!llvm.ptr, i64) -> !llvm.ptr      and a memref of it
//
// Upstream would do all of this by the CPU, which does not reach that memory. A copy, as of an argument that is
// returned, is queued on the call's stream; one that is not contiguous as many. An element that host code reads makes
// it wait for the device, so one that is only stored again is a copy; an element of a constant is the host's. What is
// still allocated here is used in loops or branches, or has a size that the caller was not told of (sinter-workspace
// took the others). Upstream's lists of buffers that may be freed stay the host's.
//
// relies on: sinter-workspace, memref-expand    runs in: sinter-gpu    test: test/lowering/gpu/memory_gpu.mlir

#include "lowering/host/host.h"
#include "lowering/rows/memrefs.h"

static MlirValue pointer_at(SnBuilder *b, MlirValue address) {
  return sn(b, "llvm.inttoptr", sn(b, "arith.index_cast", address, sn_type(b->ctx, "i64")),
            sn_type(b->ctx, "!llvm.ptr"));
}

static MlirValue pointer_to(SnBuilder *b, MlirValue memref) {
  return pointer_at(b, sn(b, "memref.extract_aligned_pointer_as_index", memref, sn_index_type(b->ctx)));
}

static int64_t element_bytes(MlirType memref) {
  MlirType element = sn_element(memref);
  return mlirTypeIsAIndex(element) ? 8 : (sn_bits(element) + 7) / 8;
}

static MlirValue size_of(SnBuilder *b, MlirValue memref, intptr_t d) {
  return sn(b, "memref.dim", memref, sn_index(b, d), sn_index_type(b->ctx));
}

// Of the dimensions from `first` on.
static MlirValue bytes_of(SnBuilder *b, MlirValue memref, intptr_t first) {
  MlirType type = sn_type_of(memref);
  int64_t known = element_bytes(type);
  for (intptr_t d = first; d < sn_rank(type); ++d)
    known = sn_times(known, sn_dim(type, d) == SN_DYNAMIC ? 1 : sn_dim(type, d));
  MlirValue bytes = sn_index(b, known);
  for (intptr_t d = first; d < sn_rank(type); ++d)
    if (sn_dim(type, d) == SN_DYNAMIC)
      bytes = sn(b, "arith.muli", bytes, size_of(b, memref, d));
  return sn(b, "arith.index_cast", bytes, sn_type(b->ctx, "i64"));
}

// Where an element is: its first `n` subscripts, the others are 0.
static MlirValue element_at(SnBuilder *b, MlirValue memref, intptr_t n, const MlirValue *at) {
  MlirType type = sn_type_of(memref), index = sn_index_type(b->ctx);
  intptr_t rank = sn_rank(type);
  MlirType base = mlirMemRefTypeContiguousGet(sn_element(type), 0, NULL, (MlirAttribute){0});
  MlirType *types = sn_alloc((size_t)(2 * rank + 2) * sizeof *types);
  types[0] = base;
  for (intptr_t k = 1; k < 2 * rank + 2; ++k)
    types[k] = index;
  MlirOperation view = sn_op(b, "memref.extract_strided_metadata", memref, sn_types(2 * rank + 2, types));
  free(types);
  MlirValue offset = sn_result(view, 1);
  for (intptr_t d = 0; d < n; ++d)
    offset = sn(b, "arith.addi", offset, sn(b, "arith.muli", at[d], sn_result(view, 2 + rank + d)));
  MlirValue first = sn(b, "memref.extract_aligned_pointer_as_index", memref, index);
  return pointer_at(b, sn(b, "arith.addi", first, sn(b, "arith.muli", offset, sn_index(b, element_bytes(type)))));
}

// ---- copies ------------------------------------------------------------------------------------

// How many of the last dimensions lie one behind the other, without gaps.
static intptr_t consecutive(MlirType type) {
  intptr_t rank = sn_rank(type), n = 0;
  int64_t strides[SN_MAX_DIMS], offset, step = 1;
  if (mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)))
    return rank;
  if (rank > SN_MAX_DIMS || sn_failed(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    return 0;
  for (; n < rank && step != SN_DYNAMIC && (strides[rank - 1 - n] == step || sn_dim(type, rank - 1 - n) == 1); ++n)
    step = sn_dim(type, rank - 1 - n) == SN_DYNAMIC ? SN_DYNAMIC : sn_times(step, sn_dim(type, rank - 1 - n));
  return n;
}

static MlirLogicalResult copy(MlirOperation module, MlirOperation op) {
  MlirValue from = sn_operand(op, 0), to = sn_operand(op, 1);
  SnBuilder b = sn_before(op);
  MlirType type = sn_type_of(from);
  intptr_t rank = sn_rank(type), one_from = consecutive(type), one_to = consecutive(sn_type_of(to));
  intptr_t loops = rank - (one_from < one_to ? one_from : one_to);
  if (rank > SN_MAX_DIMS)
    return sn_error(op, "copies memory of %td dimensions, at most %d", rank, SN_MAX_DIMS);
  SnLoop all[SN_MAX_DIMS];
  MlirValue at[SN_MAX_DIMS], zero = sn_index(&b, 0), one = sn_index(&b, 1);
  for (intptr_t d = 0; d < loops; ++d) {
    all[d] = sn_for(&b, zero, size_of(&b, from, d), one);
    at[d] = all[d].index;
  }
  MlirValue arguments[] = {element_at(&b, to, loops, at), element_at(&b, from, loops, at),
                           bytes_of(&b, from, loops)};
  sn_call_runtime(&b, module, "sinter_rt_copy", sn_values(3, arguments));
  for (intptr_t d = loops; d-- > 0;)
    sn_next(&b, &all[d]);
  mlirOperationDestroy(op);
  return SN_OK;
}

// ---- elements ----------------------------------------------------------------------------------

static bool is_list_for(MlirOperation op, MlirValue memref);

// Upstream's own memory: lists of buffers that it hands to the function that says which of them to free.
static bool is_list(MlirValue memref) {
  for (MlirOpOperand use = mlirValueGetFirstUse(memref); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (is_list_for(mlirOpOperandGetOwner(use), memref))
      return true;
  return false;
}

static bool is_helper(MlirStringRef name) { return name.length >= 14 && !memcmp(name.data, "dealloc_helper", 14); }

static bool is_list_for(MlirOperation op, MlirValue memref) {
  if (sn_is(op, "memref.cast"))
    return is_list(sn_result(op, 0));
  return sn_is(op, "func.call") && is_helper(mlirFlatSymbolRefAttrGetValue(sn_get_attr(op, "callee")));
}

static MlirOperation function_of(MlirOperation op) {
  while (!sn_is(op, "func.func"))
    op = mlirOperationGetParentOperation(op);
  return op;
}

// Memory that host code reaches: such a list, a constant or a word of its own.
static bool is_of_host(MlirOperation op, MlirValue memref) {
  MlirOperation func = function_of(op);
  return !sn_null(sn_def(memref, "memref.get_global")) || !sn_null(sn_def(memref, "memref.alloca")) ||
         is_list(memref) || (!sn_is_public(func) && is_helper(mlirStringAttrGetValue(sn_get_attr(func, "sym_name"))));
}

// A word of the host for one element, at the top of the function, as loops come back here.
static MlirValue word_of(MlirOperation op, MlirType memref) {
  SnBuilder top = sn_at_start(sn_function_body(function_of(op)), mlirOperationGetLocation(op));
  MlirType word = mlirMemRefTypeContiguousGet(sn_element(memref), 0, NULL, (MlirAttribute){0});
  const int32_t segments[] = {0, 0};
  return sn(&top, "memref.alloca", word, sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(top.ctx, 2, segments)));
}

static MlirValue element_of(SnBuilder *b, MlirOperation op, intptr_t memref) {
  MlirValue at[SN_MAX_DIMS];
  intptr_t n = sn_num_operands(op) - memref - 1;
  for (intptr_t d = 0; d < n; ++d)
    at[d] = sn_operand(op, memref + 1 + d);
  return element_at(b, sn_operand(op, memref), n, at);
}

// Nothing between the two ops of one block writes memory.
static bool nothing_written(MlirOperation load, MlirOperation store) {
  if (!mlirBlockEqual(mlirOperationGetBlock(load), mlirOperationGetBlock(store)))
    return false;
  for (MlirOperation op = mlirOperationGetNextInBlock(load); !sn_null(op) && !mlirOperationEqual(op, store);
       op = mlirOperationGetNextInBlock(op))
    if (!sn_in_dialect(op, "arith") && !sn_is(op, "memref.alloc") && !sn_is(op, "memref.view") &&
        !sn_is(op, "memref.load"))
      return false;
  return true;
}

// An argument of the program, which nobody writes.
static bool is_input(MlirOperation op, MlirValue memref) {
  MlirOperation func = function_of(op);
  MlirAttribute inputs = sn_get_attr(func, SN_INPUTS);
  return inputs.ptr && mlirValueIsABlockArgument(memref) &&
         mlirBlockEqual(mlirBlockArgumentGetOwner(memref), sn_function_body(func)) &&
         mlirBlockArgumentGetArgNumber(memref) < mlirArrayAttrGetNumElements(inputs);
}

static MlirValue bits_of(SnBuilder *b, MlirValue number) {
  MlirType type = sn_type_of(number), i64 = sn_type(b->ctx, "i64");
  if (sn_is_float(type))
    number = sn(b, "arith.bitcast", number, mlirIntegerTypeGet(b->ctx, sn_bits(type)));
  if (mlirTypeIsAIndex(type))
    return sn(b, "arith.index_cast", number, i64);
  return sn_bits(type) < 64 ? sn(b, "arith.extui", number, i64) : number;
}

static MlirLogicalResult store(MlirOperation module, MlirOperation op) {
  MlirValue memref = sn_operand(op, 1);
  if (is_of_host(op, memref))
    return SN_OK;
  if (sn_num_operands(op) - 2 > SN_MAX_DIMS)
    return sn_error(op, "writes an element of %td dimensions, at most %d", sn_num_operands(op) - 2, SN_MAX_DIMS);
  SnBuilder b = sn_before(op);
  MlirValue bytes = sn_int(&b, sn_type(b.ctx, "i64"), element_bytes(sn_type_of(memref)));
  MlirOperation load = sn_def(sn_operand(op, 0), "memref.load");
  if (!sn_null(load) && !is_of_host(load, sn_operand(load, 0)) &&
      (is_input(load, sn_operand(load, 0)) || nothing_written(load, op))) {
    MlirValue arguments[] = {element_of(&b, op, 1), element_of(&b, load, 0), bytes};
    sn_call_runtime(&b, module, "sinter_rt_copy", sn_values(3, arguments));
  } else {
    MlirValue arguments[] = {element_of(&b, op, 1), bits_of(&b, sn_operand(op, 0)), bytes};
    sn_call_runtime(&b, module, "sinter_rt_put", sn_values(3, arguments));
  }
  mlirOperationDestroy(op);
  return SN_OK;
}

static MlirLogicalResult load(MlirOperation module, MlirOperation op) {
  MlirValue memref = sn_operand(op, 0);
  if (sn_unused(op)) { // it was stored again only
    mlirOperationDestroy(op);
    return SN_OK;
  }
  if (is_of_host(op, memref))
    return SN_OK;
  if (sn_num_operands(op) - 1 > SN_MAX_DIMS)
    return sn_error(op, "reads an element of %td dimensions, at most %d", sn_num_operands(op) - 1, SN_MAX_DIMS);
  SnBuilder b = sn_before(op);
  MlirValue word = word_of(op, sn_type_of(memref));
  MlirValue arguments[] = {pointer_to(&b, word), element_of(&b, op, 0),
                           sn_int(&b, sn_type(b.ctx, "i64"), element_bytes(sn_type_of(memref)))};
  sn_call_runtime(&b, module, "sinter_rt_read", sn_values(3, arguments));
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn(&b, "memref.load", word, sn_element(sn_type_of(memref))));
  mlirOperationDestroy(op);
  return SN_OK;
}

// ---- buffers -----------------------------------------------------------------------------------

static MlirLogicalResult place(MlirOperation module, MlirOperation op) {
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(sn_get_attr(op, "name"));
  if (!sn_get_attr(sn_symbol(module, name.data), "constant").ptr)
    return SN_OK; // the host's own
  SnBuilder top = sn_at_start(mlirOperationGetBlock(op), mlirOperationGetLocation(op)), b = sn_after(op);
  MlirType pointer = sn_type(b.ctx, "!llvm.ptr"), i64 = sn_type(b.ctx, "i64");
  MlirValue host = sn_result(op, 0), word = sn(&top, "llvm.alloca", sn_int(&top, i64, 1), pointer,
                                               sn_attr("elem_type", mlirTypeAttrGet(pointer)));
  MlirValue address = sn(&b, "memref.extract_aligned_pointer_as_index", host, sn_index_type(b.ctx)),
            from = sn(&b, "llvm.inttoptr", sn(&b, "arith.index_cast", address, i64), pointer);
  MlirValue arguments[] = {from, bytes_of(&b, host, 0), word};
  sn_call_runtime(&b, module, "sinter_rt_device_constant", sn_values(3, arguments));
  MlirValue there = sn_memref_at(&b, sn(&b, "llvm.load", word, pointer), sn_type_of(host), NULL);
  MlirOperation reads = sn_definer(address);
  SnOpVec on_host = {0};
  sn_push(&on_host, reads);
  for (MlirOpOperand use = mlirValueGetFirstUse(host); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (sn_is(mlirOpOperandGetOwner(use), "memref.load"))
      sn_push(&on_host, mlirOpOperandGetOwner(use));
  mlirValueReplaceAllUsesExcept(host, there, (intptr_t)on_host.size, on_host.data);
  sn_vec_free(&on_host);
  return SN_OK;
}

// A part of memory as memory by itself: %m = unrealized_conversion_cast %view, a memref of another type.
static MlirLogicalResult see_anew(MlirOperation module, MlirOperation op) {
  (void)module;
  MlirType to = sn_type_of(sn_result(op, 0)), from = sn_type_of(sn_operand(op, 0));
  if (!mlirTypeIsAMemRef(to) || !mlirTypeIsAMemRef(from))
    return SN_OK;
  SnBuilder b = sn_before(op);
  MlirValue pointer = element_at(&b, sn_operand(op, 0), 0, NULL);
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn_memref_at(&b, pointer, to, NULL));
  mlirOperationDestroy(op);
  return SN_OK;
}

// A word of the host for an address, at the top of the function.
static MlirValue address_word(MlirOperation op) {
  SnBuilder top = sn_at_start(sn_function_body(function_of(op)), mlirOperationGetLocation(op));
  MlirType pointer = sn_type(top.ctx, "!llvm.ptr");
  return sn(&top, "llvm.alloca", sn_int(&top, sn_type(top.ctx, "i64"), 1), pointer,
            sn_attr("elem_type", mlirTypeAttrGet(pointer)));
}

static MlirLogicalResult allocate(MlirOperation module, MlirOperation op) {
  MlirValue memref = sn_result(op, 0), sizes[SN_MAX_DIMS];
  MlirType type = sn_type_of(memref), i64 = sn_type(mlirOperationGetContext(op), "i64");
  if (is_list(memref))
    return SN_OK;
  if (sn_rank(type) > SN_MAX_DIMS)
    return sn_error(op, "is memory of %td dimensions, at most %d", sn_rank(type), SN_MAX_DIMS);
  SnBuilder b = sn_before(op);
  int64_t known = element_bytes(type);
  for (intptr_t d = 0; d < sn_rank(type); ++d)
    known = sn_times(known, sn_dim(type, d) == SN_DYNAMIC ? 1 : sn_dim(type, d));
  MlirValue bytes = sn_int(&b, i64, known), word = address_word(op);
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    sizes[k] = sn_operand(op, k);
    bytes = sn(&b, "arith.muli", bytes, sn(&b, "arith.index_cast", sizes[k], i64));
  }
  MlirValue arguments[] = {bytes, word};
  sn_call_runtime(&b, module, "sinter_rt_device_allocate", sn_values(2, arguments));
  MlirValue address = sn(&b, "llvm.load", word, sn_type(b.ctx, "!llvm.ptr"));
  mlirValueReplaceAllUsesOfWith(memref, sn_memref_at(&b, address, type, sizes));
  mlirOperationDestroy(op);
  return SN_OK;
}

static MlirLogicalResult release(MlirOperation module, MlirOperation op) {
  if (is_list(sn_operand(op, 0)))
    return SN_OK;
  SnBuilder b = sn_before(op);
  MlirValue memory = pointer_to(&b, sn_operand(op, 0));
  sn_call_runtime(&b, module, "sinter_rt_device_release", sn_values(1, &memory));
  mlirOperationDestroy(op);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  static const struct {
    const char *name;
    MlirLogicalResult (*become)(MlirOperation module, MlirOperation op);
  } steps[] = {{"builtin.unrealized_conversion_cast", see_anew},
               {"memref.copy", copy},
               {"memref.store", store},
               {"memref.load", load},
               {"memref.get_global", place},
               {"memref.dealloc", release},
               {"memref.alloc", allocate}};
  MlirLogicalResult result = SN_OK;
  for (size_t k = 0; k < sizeof steps / sizeof *steps && !sn_failed(result); ++k)
    result = sn_each(module, steps[k].name, steps[k].become);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__func__(void);
MlirDialectHandle mlirGetDialectHandle__llvm__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__func__,
                                                      mlirGetDialectHandle__llvm__,  mlirGetDialectHandle__memref__,
                                                      mlirGetDialectHandle__scf__,   NULL};

const SnPass sn_pass_memory_gpu = {
    .argument = "sinter-gpu-memory",
    .summary = "copies, elements and buffers in host code -> the driver's, constants -> the device's",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
