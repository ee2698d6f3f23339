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
// bytes if the last use of one is in front of the first use of the other. They are placed in the order of their first
// use, or the largest first, whichever takes less. Offsets
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

// ---- lives ------------------------------------------------------------------------------

// The op of `body` that holds `op`.
static MlirOperation in_body(MlirOperation op, MlirBlock body) {
  while (!mlirBlockEqual(mlirOperationGetBlock(op), body))
    op = mlirOperationGetParentOperation(op);
  return op;
}

typedef struct {
  MlirBlock body;
  SnTable order; // of its ops, from 0
  SnTable seen;  // values of the buffer that is followed
} Lives;

// Extends a buffer's life to the uses of a value that may be a part of it.
static void follow(Lives *lives, Buffer *buffer, MlirValue value) {
  if (sn_table_has(&lives->seen, value.ptr))
    return;
  sn_table_put(&lives->seen, value.ptr, 1);
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (sn_is(user, "memref.dealloc"))
      continue;
    MlirOperation top = in_body(user, lives->body);
    uintptr_t at = 0;
    sn_table_get(&lives->order, top.ptr, &at);
    buffer->first = at < buffer->first ? at : buffer->first;
    buffer->last = at > buffer->last ? at : buffer->last;
    // Views of it, and what loops and branches carry of it.
    for (intptr_t i = 0; i < sn_num_results(user); ++i)
      if (mlirTypeIsAMemRef(sn_type_of(sn_result(user, i))))
        follow(lives, buffer, sn_result(user, i));
    if (!mlirOperationEqual(top, user))
      for (intptr_t i = 0; i < sn_num_results(top); ++i)
        if (mlirTypeIsAMemRef(sn_type_of(sn_result(top, i))))
          follow(lives, buffer, sn_result(top, i));
  }
}

static Buffers find(MlirBlock body, bool straight) {
  Buffers buffers = {0};
  Lives lives = {.body = body};
  size_t n = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    sn_table_put(&lives.order, op.ptr, n++);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op);
       op = mlirOperationGetNextInBlock(op)) {
    int64_t bytes = sn_is(op, "memref.alloc") ? sn_memref_bytes(sn_type_of(sn_result(op, 0))) : -1;
    if (bytes < 0)
      continue;
    Buffer b = {op, bytes, 0, SIZE_MAX, 0};
    if (straight)
      follow(&lives, &b, sn_result(op, 0));
    else // with branches, the order of ops says nothing
      b = (Buffer){op, bytes, 0, 0, SIZE_MAX};
    sn_table_clear(&lives.seen);
    sn_push(&buffers, b);
  }
  sn_table_free(&lives.order);
  sn_table_free(&lives.seen);
  return buffers;
}

// ---- places --------------------------------------------------------------------------------

typedef struct {
  int64_t offset, end;
} Gap;

typedef struct {
  SN_VEC(Gap) gaps;      // free bytes, in order, with others between any two; the last ends at INT64_MAX
  SN_VEC(Buffer *) live; // a heap: the one whose life ends first at its root
} Places;

// What a buffer takes: the next one begins at a multiple of the alignment.
static int64_t whole(int64_t bytes) {
  return bytes > INT64_MAX - ALIGNMENT ? INT64_MAX : (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static int64_t end_of(int64_t offset, int64_t bytes) {
  return bytes > INT64_MAX - offset ? INT64_MAX : offset + bytes;
}

// The lowest offset where so many bytes are free; -1 if that passes 2^63.
static int64_t take(Places *p, int64_t bytes) {
  size_t k = 0;
  while (k < p->gaps.size && p->gaps.data[k].end - p->gaps.data[k].offset < bytes)
    ++k;
  if (k == p->gaps.size)
    return -1;
  Gap *gap = &p->gaps.data[k];
  int64_t offset = gap->offset;
  gap->offset = end_of(offset, whole(bytes));
  if (gap->offset > gap->end)
    gap->offset = gap->end;
  if (gap->offset == gap->end && k + 1 < p->gaps.size) {
    memmove(gap, gap + 1, (p->gaps.size - k - 1) * sizeof *gap);
    --p->gaps.size;
  }
  return offset;
}

static void give_back(Places *p, const Buffer *buffer) {
  Gap free = {buffer->offset, end_of(buffer->offset, whole(buffer->bytes))};
  size_t low = 0, high = p->gaps.size;
  while (low < high) { // the first gap behind it
    size_t middle = (low + high) / 2;
    if (p->gaps.data[middle].offset < free.end)
      low = middle + 1;
    else
      high = middle;
  }
  bool joins_next = low < p->gaps.size && p->gaps.data[low].offset == free.end,
       joins_last = low > 0 && p->gaps.data[low - 1].end == free.offset;
  if (joins_next && joins_last) {
    p->gaps.data[low - 1].end = p->gaps.data[low].end;
    memmove(&p->gaps.data[low], &p->gaps.data[low + 1], (--p->gaps.size - low) * sizeof free);
  } else if (joins_next) {
    p->gaps.data[low].offset = free.offset;
  } else if (joins_last) {
    p->gaps.data[low - 1].end = free.end;
  } else {
    sn_push(&p->gaps, free);
    memmove(&p->gaps.data[low + 1], &p->gaps.data[low], (p->gaps.size - 1 - low) * sizeof free);
    p->gaps.data[low] = free;
  }
}

static void begin(Places *p, Buffer *b) {
  sn_push(&p->live, b);
  Buffer **heap = p->live.data;
  for (size_t i = p->live.size - 1, up; i && heap[up = (i - 1) / 2]->last > heap[i]->last; i = up) {
    Buffer *other = heap[up];
    heap[up] = heap[i];
    heap[i] = other;
  }
}

// Those whose last use is in front of `at` are gone.
static void end_before(Places *p, size_t at) {
  Buffer **heap = p->live.data;
  while (p->live.size && heap[0]->last < at) {
    give_back(p, heap[0]);
    heap[0] = heap[--p->live.size];
    for (size_t i = 0, child; (child = 2 * i + 1) < p->live.size; i = child) {
      child += child + 1 < p->live.size && heap[child + 1]->last < heap[child]->last;
      if (heap[i]->last <= heap[child]->last)
        break;
      Buffer *other = heap[child];
      heap[child] = heap[i];
      heap[i] = other;
    }
  }
}

static int by_first_use(const void *x, const void *y) {
  const Buffer *const *a = x, *const *b = y;
  if ((*a)->first != (*b)->first)
    return (*a)->first < (*b)->first ? -1 : 1;
  return (*a > *b) - (*a < *b); // as they stand
}

// Each gets the lowest offset where no buffer that was used before is alive at the same time. Answers the size of it
// all; -1 if that passes 2^63.
static int64_t place_in_order(Buffers *buffers) {
  int64_t all = 0;
  Places p = {0};
  Buffer **in_order = sn_alloc((buffers->size + 1) * sizeof *in_order);
  sn_push(&p.gaps, (Gap){0, INT64_MAX});
  for (size_t i = 0; i < buffers->size; ++i)
    in_order[i] = &buffers->data[i];
  qsort(in_order, buffers->size, sizeof *in_order, by_first_use);
  for (size_t i = 0; i < buffers->size && all >= 0; ++i) {
    Buffer *b = in_order[i];
    bool needed = b->bytes && b->first <= b->last;
    end_before(&p, b->first);
    b->offset = needed ? take(&p, b->bytes) : 0;
    if (needed && b->offset >= 0)
      begin(&p, b);
    all = b->offset < 0 ? -1 : b->offset + b->bytes > all ? b->offset + b->bytes : all;
  }
  free(in_order);
  sn_vec_free(&p.gaps);
  sn_vec_free(&p.live);
  return all;
}

static int by_size(const void *x, const void *y) {
  const Buffer *const *a = x, *const *b = y;
  return (*a)->bytes != (*b)->bytes ? ((*a)->bytes < (*b)->bytes) - ((*a)->bytes > (*b)->bytes) : by_first_use(x, y);
}

static bool meet(const Buffer *a, const Buffer *b) { return a->first <= b->last && b->first <= a->last; }

// The lowest offset beside all of the `n` that are placed and alive at the same time: they are in order of offsets.
static int64_t beside(const Buffer *const *placed, size_t n, const Buffer *b) {
  int64_t offset = 0;
  for (size_t i = 0; i < n; ++i)
    if (meet(placed[i], b) && placed[i]->offset < end_of(offset, whole(b->bytes))) {
      int64_t end = end_of(placed[i]->offset, whole(placed[i]->bytes));
      offset = end > offset ? end : offset;
    }
  return offset;
}

enum { FEW = 512 }; // buffers, of which each is compared with all others

// The largest one first: small ones that came before it do not keep it from the beginning.
static int64_t place_by_size(Buffers *buffers) {
  const Buffer **placed = sn_alloc((buffers->size + 1) * sizeof *placed);
  Buffer **in_order = sn_alloc((buffers->size + 1) * sizeof *in_order);
  int64_t all = 0;
  size_t n = 0;
  for (size_t i = 0; i < buffers->size; ++i)
    in_order[i] = &buffers->data[i];
  qsort(in_order, buffers->size, sizeof *in_order, by_size);
  for (size_t i = 0; i < buffers->size; ++i) {
    Buffer *b = in_order[i];
    b->offset = 0;
    if (!b->bytes || b->first > b->last)
      continue;
    b->offset = beside(placed, n, b);
    size_t at = n++;
    for (; at && placed[at - 1]->offset > b->offset; --at)
      placed[at] = placed[at - 1];
    placed[at] = b;
    all = end_of(b->offset, b->bytes) > all ? end_of(b->offset, b->bytes) : all;
  }
  free(placed);
  free(in_order);
  return all;
}

// In the order in which they are used, or the largest first: what takes less.
static int64_t place(Buffers *buffers) {
  int64_t in_order = place_in_order(buffers);
  if (in_order < 0 || buffers->size > FEW)
    return in_order;
  int64_t by_size = place_by_size(buffers);
  return by_size < in_order ? by_size : place_in_order(buffers);
}

// ---- the pass -------------------------------------------------------------------------------

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
