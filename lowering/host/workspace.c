// workspace.c: buffers of fixed size become pieces of one workspace.
//
//   func.func @main(%x: memref<4x8xf32>, %y: memref<4xf32>) {
//     %m = memref.alloc() : memref<4xf32>
//     ...
//   ->
//   func.func @main(%x: memref<4x8xf32>, %y: memref<4xf32>, %w: memref<?xi8>)
//       attributes {sinter.workspace_bytes = 16 : i64} {
//     %o = arith.constant 0 : index
//     %m = memref.view %w[%o][] : memref<?xi8> to memref<4xf32>
//     ...
//
// The caller owns the workspace, so a call allocates nothing. Two buffers share
// bytes if the last use of one is in front of the first use of the other. Offsets
// are multiples of 256, which is what a GPU's widest copies like. Buffers that
// are allocated inside of a loop, or whose size is computed, stay allocations.
//
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_workspace.mlir

#include "lowering/host/host.h"

enum { ALIGNMENT = 256 };

typedef struct {
  MlirOperation alloc;
  int64_t bytes, offset;
  size_t first, last; // ops of the body that use it, by their order
} Buffer;
typedef SN_VEC(Buffer) Buffers;

// The op of `body` that holds `op`.
static MlirOperation in_body(MlirOperation op, MlirBlock body) {
  while (!mlirBlockEqual(mlirOperationGetBlock(op), body))
    op = mlirOperationGetParentOperation(op);
  return op;
}

static size_t order_in(MlirBlock body, MlirOperation op) {
  size_t n = 0;
  for (MlirOperation o = mlirBlockGetFirstOperation(body);
       !sn_null(o) && !mlirOperationEqual(o, op); ++n)
    o = mlirOperationGetNextInBlock(o);
  return n;
}

// Extends a buffer's life to the uses of a value that may be a part of it.
static void follow(Buffer *buffer, MlirBlock body, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (sn_is(user, "memref.dealloc"))
      continue;
    MlirOperation top = in_body(user, body);
    size_t at = order_in(body, top);
    buffer->first = at < buffer->first ? at : buffer->first;
    buffer->last = at > buffer->last ? at : buffer->last;
    // Views of it, and what loops and branches carry of it.
    for (intptr_t i = 0; i < sn_num_results(user); ++i)
      if (mlirTypeIsAMemRef(sn_type_of(sn_result(user, i))))
        follow(buffer, body, sn_result(user, i));
    if (!mlirOperationEqual(top, user))
      for (intptr_t i = 0; i < sn_num_results(top); ++i)
        if (mlirTypeIsAMemRef(sn_type_of(sn_result(top, i))))
          follow(buffer, body, sn_result(top, i));
  }
}

static Buffers find(MlirBlock body, bool straight) {
  Buffers buffers = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op);
       op = mlirOperationGetNextInBlock(op)) {
    int64_t bytes = sn_is(op, "memref.alloc") ? sn_memref_bytes(sn_type_of(sn_result(op, 0))) : -1;
    if (bytes < 0)
      continue;
    Buffer b = {op, bytes, 0, SIZE_MAX, 0};
    if (straight)
      follow(&b, body, sn_result(op, 0));
    else // with branches, the order of ops says nothing
      b = (Buffer){op, bytes, 0, 0, SIZE_MAX};
    sn_push(&buffers, b);
  }
  return buffers;
}

static bool together(const Buffer *a, const Buffer *b) {
  return a->first <= b->last && b->first <= a->last;
}

static int64_t round_up(int64_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

// The lowest offset where no buffer placed before is alive at the same time.
// Answers the size of it all; -1 if that passes 2^63.
static int64_t place(Buffers *buffers) {
  int64_t all = 0;
  for (size_t i = 0; i < buffers->size; ++i) {
    Buffer *b = &buffers->data[i];
    for (size_t k = 0; k < i; ++k) {
      const Buffer *other = &buffers->data[k];
      bool apart =
          b->offset + b->bytes <= other->offset || other->offset + other->bytes <= b->offset;
      if (!together(b, other) || apart || !b->bytes)
        continue;
      int64_t end = other->offset + other->bytes; // has passed below
      if (end > INT64_MAX - ALIGNMENT || round_up(end) > INT64_MAX - b->bytes)
        return -1;
      b->offset = round_up(end);
      k = (size_t)-1; // those before may be in the way there
    }
    all = b->offset + b->bytes > all ? b->offset + b->bytes : all;
  }
  return all;
}

static void free_nothing(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  while (!mlirOpOperandIsNull(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    use = mlirOpOperandGetNextUse(use);
    if (sn_is(user, "memref.dealloc"))
      mlirOperationDestroy(user);
  }
}

static void view(const Buffer *buffer, MlirValue workspace) {
  SnBuilder b = sn_before(buffer->alloc);
  MlirValue old = sn_result(buffer->alloc, 0);
  free_nothing(old);
  MlirValue piece = sn(&b, "memref.view", sn_type_of(old), workspace, sn_index(&b, buffer->offset));
  mlirValueReplaceAllUsesOfWith(old, piece);
  mlirOperationDestroy(buffer->alloc);
}

static MlirValue add_argument(MlirOperation func, MlirBlock body, MlirType type) {
  MlirContext ctx = mlirOperationGetContext(func);
  MlirType old = mlirTypeAttrGetValue(sn_get_attr(func, "function_type"));
  intptr_t n = mlirFunctionTypeGetNumInputs(old);
  MlirType *types = sn_alloc((size_t)(n + 1) * sizeof *types);
  for (intptr_t i = 0; i < n; ++i)
    types[i] = mlirFunctionTypeGetInput(old, i);
  types[n] = type;
  sn_set_attr(func, "function_type",
              mlirTypeAttrGet(mlirFunctionTypeGet(ctx, n + 1, types, 0, NULL)));
  free(types);
  // What was said of the arguments was for bufferization.
  mlirOperationRemoveAttributeByName(func, SN_STR("arg_attrs"));
  return mlirBlockAddArgument(body, type, mlirOperationGetLocation(func));
}

static MlirLogicalResult function(MlirOperation module, MlirOperation func) {
  MlirType type = mlirTypeAttrGetValue(sn_get_attr(func, "function_type"));
  if (mlirFunctionTypeGetNumResults(type))
    return sn_error(func, "has %ld results: expected out arguments",
                    (long)mlirFunctionTypeGetNumResults(type));
  MlirBlock body = sn_function_body(func);
  Buffers buffers = find(body, !mlirBlockGetNextInRegion(body).ptr);
  int64_t bytes = place(&buffers);
  if (bytes < 0) {
    sn_vec_free(&buffers);
    return sn_error(func, "needs a workspace of more bytes than memory can address");
  }
  MlirContext ctx = mlirOperationGetContext(func);
  MlirValue workspace = add_argument(func, body, sn_type(ctx, "memref<?xi8>"));
  for (size_t i = 0; i < buffers.size; ++i)
    view(&buffers.data[i], workspace);
  sn_set_attr(func, SN_WORKSPACE_BYTES, sn_i64(ctx, bytes));
  sn_vec_free(&buffers);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  return sn_each_public(module, function);
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__,
                                                      mlirGetDialectHandle__memref__, NULL};

const SnPass sn_pass_host_workspace = {
    .argument = "sinter-workspace",
    .summary = "buffers of fixed size in public functions become views of one workspace argument",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
