// adjacent.c: a thread's elements that are neighbours in memory have one address, and it is known how that is aligned.
//
//   llvm.store %a, getelementptr %y[2 i] : f32                  llvm.store %a, %p {alignment = 8}
//   llvm.store %b, getelementptr %y[2 i + 1] : f32     ->       llvm.store %b, getelementptr %p[4 bytes]
//
// LLVM makes one access of neighbours where their addresses differ by a constant that it sees, and the first of them is
// aligned to the size of all. Subscripts of 32 bits hide both: of 2 i it makes an index by zext, of 2 i + 1 by sext and
// an addition behind it, and 16 bytes that a thread has then go to memory by fours. (Pixels of f32 19x32x512x512
// shuffled by 2 were stored by eight instructions, each with a gap behind every element, at 0.27 of torch.compile.)
//
// An integer of 64 bits that stands alone is aligned to all of them: where nothing is said, LLVM takes it to be aligned
// to 32, and stores it in halves.
//
// Both accesses are made, so both elements are inside and the difference of their places is that of their subscripts,
// whatever the sums before it wrap around. Tensors and the workspace begin at SN_GPU_OPERANDS_ALIGNED. Other accesses
// that have no neighbour stay as they are.
//
// runs in: sinter-gpu, in front of sinter-gpu-target    test: test/lowering/gpu/adjacent.mlir

#include "capi/pass.h"
#include "lowering/gpu/lower_gpu.h"

enum { MOST_TERMS = 12, MOST_PHIS = 4, MOST_VALUES = 512, MOST_BYTES = 16 };

// terms[0].v * terms[0].times + ... + constant, in bytes. Equal ones have their terms in one order, that of addresses.
typedef struct {
  struct {
    MlirValue v;
    int64_t times;
  } terms[MOST_TERMS];
  size_t n, values; // values: that were looked at
  int64_t constant;
} Sum;

typedef struct {
  MlirOperation op; // a load or a store
  MlirValue base;   // the kernel's argument
  Sum at;           // bytes behind it
  int64_t bytes;
  bool store;
  size_t order; // in its block
} Access;
typedef SN_VEC(Access) Accesses;

// ---- places ----------------------------------------------------------------------------------

static bool constant_of(MlirValue v, int64_t *n) {
  MlirOperation op = sn_def(v, "llvm.mlir.constant");
  MlirAttribute value = sn_null(op) ? (MlirAttribute){0} : sn_get_attr(op, "value");
  if (!value.ptr || !mlirAttributeIsAInteger(value) || !mlirTypeIsAInteger(sn_type_of(v)) ||
      sn_bits(sn_type_of(v)) > 64)
    return false;
  *n = mlirIntegerAttrGetValueInt(value);
  return true;
}

static bool add_term(Sum *s, MlirValue v, int64_t times) {
  size_t i = 0;
  while (i < s->n && (uintptr_t)s->terms[i].v.ptr < (uintptr_t)v.ptr)
    ++i;
  if (i == s->n || !sn_same(s->terms[i].v, v)) {
    if (s->n == MOST_TERMS)
      return false;
    memmove(&s->terms[i + 1], &s->terms[i], (s->n++ - i) * sizeof *s->terms);
    s->terms[i].v = v, s->terms[i].times = 0;
  }
  if (__builtin_add_overflow(s->terms[i].times, times, &s->terms[i].times))
    return false;
  if (!s->terms[i].times)
    memmove(&s->terms[i], &s->terms[i + 1], (--s->n - i) * sizeof *s->terms);
  return true;
}

// s + v * times; false: it has too many terms, or numbers that are too large.
static bool add(Sum *s, MlirValue v, int64_t times) {
  MlirOperation op = sn_definer(v);
  int64_t n;
  if (++s->values > MOST_VALUES)
    return false;
  if (constant_of(v, &n))
    return !__builtin_mul_overflow(n, times, &n) && !__builtin_add_overflow(s->constant, n, &s->constant);
  if (sn_is(op, "llvm.add") || sn_is(op, "llvm.sub"))
    return add(s, sn_operand(op, 0), times) && add(s, sn_operand(op, 1), sn_is(op, "llvm.add") ? times : -times);
  if (sn_is(op, "llvm.mul") && constant_of(sn_operand(op, 1), &n))
    return !__builtin_mul_overflow(n, times, &times) && add(s, sn_operand(op, 0), times);
  return add_term(s, v, times);
}

// ---- what divides them -------------------------------------------------------------------------

// What values of blocks are taken to be multiples of while it is looked at what they are given.
typedef struct {
  struct {
    MlirValue v;
    int64_t multiple;
  } phis[MOST_PHIS];
  size_t n, values; // values: that were looked at
} Phis;

static int64_t power_in(int64_t n) {
  int64_t p = n & -n;
  return !n || p > MOST_BYTES || p < 0 ? MOST_BYTES : p;
}
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t multiple_of(MlirValue v, Phis *phis);

// What the branch at the end of the block gives for argument k of `to`, the least of what all its ways give.
static int64_t given_by(MlirBlock from, MlirBlock to, intptr_t k, Phis *phis) {
  MlirOperation branch = mlirBlockGetTerminator(from);
  bool plain = sn_is(branch, "llvm.br"), two = sn_is(branch, "llvm.cond_br");
  int64_t multiple = plain || two ? MOST_BYTES : 1;
  MlirAttribute sizes = two ? sn_get_attr(branch, "operandSegmentSizes") : (MlirAttribute){0};
  intptr_t first = two;
  for (intptr_t s = 0; s < (two ? 2 : 1) && multiple > 1; ++s) {
    if (mlirBlockEqual(mlirOperationGetSuccessor(branch, s), to))
      multiple = least(multiple, multiple_of(sn_operand(branch, first + k), phis));
    first += two ? mlirDenseI32ArrayGetElement(sizes, s + 1) : 0;
  }
  return multiple;
}

// Of a block's argument: what all blocks give that come before, if the argument is that where they use it themselves.
static int64_t phi_multiple(MlirValue v, Phis *phis) {
  MlirBlock block = mlirBlockArgumentGetOwner(v);
  intptr_t before = mlirBlockGetNumPredecessors(block);
  if (!before || phis->n == MOST_PHIS)
    return 1;
  size_t own = phis->n++;
  int64_t taken, multiple = MOST_BYTES;
  do {
    taken = multiple;
    phis->phis[own].v = v, phis->phis[own].multiple = taken;
    for (intptr_t i = 0; i < before && multiple > 1; ++i)
      multiple = least(multiple, given_by(mlirBlockGetPredecessor(block, i), block,
                                          mlirBlockArgumentGetArgNumber(v), phis));
  } while (multiple != taken);
  phis->n = own;
  return multiple;
}

// A power of two, of MOST_BYTES at most, that divides an integer, whatever bits of it are lost above.
static int64_t multiple_of(MlirValue v, Phis *phis) {
  MlirOperation op = sn_definer(v);
  int64_t n;
  if (constant_of(v, &n))
    return power_in(n);
  for (size_t i = 0; i < phis->n; ++i)
    if (sn_same(phis->phis[i].v, v))
      return phis->phis[i].multiple;
  if (++phis->values > MOST_VALUES)
    return 1;
  if (sn_null(op))
    return phi_multiple(v, phis);
  if (sn_is(op, "llvm.mul"))
    return least(MOST_BYTES, multiple_of(sn_operand(op, 0), phis) * multiple_of(sn_operand(op, 1), phis));
  if (sn_is(op, "llvm.add") || sn_is(op, "llvm.sub") || sn_is(op, "llvm.urem") || sn_is(op, "llvm.srem") ||
      sn_is(op, "llvm.intr.umin") || sn_is(op, "llvm.intr.smin") || sn_is(op, "llvm.intr.umax") ||
      sn_is(op, "llvm.intr.smax"))
    return least(multiple_of(sn_operand(op, 0), phis), multiple_of(sn_operand(op, 1), phis));
  if (sn_is(op, "llvm.select"))
    return least(multiple_of(sn_operand(op, 1), phis), multiple_of(sn_operand(op, 2), phis));
  if (sn_is(op, "llvm.sext") || sn_is(op, "llvm.zext") || sn_is(op, "llvm.trunc"))
    return multiple_of(sn_operand(op, 0), phis);
  return 1;
}

static int64_t aligned(const Access *a) {
  int64_t bytes = power_in(a->at.constant);
  for (size_t i = 0; i < a->at.n && bytes > 1; ++i)
    bytes = least(bytes, power_in(a->at.terms[i].times) * multiple_of(a->at.terms[i].v, &(Phis){0}));
  return bytes;
}

// ---- accesses -------------------------------------------------------------------------------------

static int64_t bytes_of(MlirType t) {
  MlirType element = sn_element(t);
  int64_t lanes = mlirTypeIsAVector(t) ? sn_dim(t, 0) : 1;
  bool number = sn_is_float(element) || mlirTypeIsAInteger(element);
  return number && sn_bits(element) % 8 == 0 && (!mlirTypeIsAVector(t) || sn_rank(t) == 1)
             ? lanes * (int64_t)sn_bits(element) / 8
             : 0;
}

// Of one subscript into a kernel's argument; false: it is another kind.
static bool read_access(MlirOperation op, MlirBlock entry, Access *a) {
  bool store = sn_is(op, "llvm.store");
  if ((!store && !sn_is(op, "llvm.load")) || sn_get_attr(op, "volatile_").ptr ||
      sn_int_attr(op, "ordering", 0))
    return false;
  MlirValue pointer = sn_operand(op, store);
  MlirOperation gep = sn_def(pointer, "llvm.getelementptr");
  *a = (Access){.op = op, .store = store, .base = sn_null(gep) ? pointer : sn_operand(gep, 0)};
  a->bytes = bytes_of(sn_type_of(store ? sn_operand(op, 0) : sn_result(op, 0)));
  if (!a->bytes || !mlirValueIsABlockArgument(a->base) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(a->base), entry) ||
      !mlirTypeEqual(sn_type_of(a->base), sn_type(mlirOperationGetContext(op), "!llvm.ptr")))
    return false;
  if (sn_null(gep))
    return true;
  MlirAttribute raw = sn_get_attr(gep, "rawConstantIndices");
  int64_t element = bytes_of(mlirTypeAttrGetValue(sn_get_attr(gep, "elem_type")));
  if (!element || mlirDenseArrayGetNumElements(raw) != 1)
    return false;
  if (sn_num_operands(gep) == 2)
    return add(&a->at, sn_operand(gep, 1), element);
  a->at.constant = element * mlirDenseI32ArrayGetElement(raw, 0);
  return true;
}

static int compare(uintptr_t a, uintptr_t b) { return a < b ? -1 : a > b; }

// 0: their places differ by a constant. Which group comes first is all the same.
static int compare_groups(const Access *a, const Access *b) {
  int order = compare((uintptr_t)a->base.ptr, (uintptr_t)b->base.ptr);
  order = order ? order : a->store - b->store;
  order = order ? order : compare(a->at.n, b->at.n);
  for (size_t i = 0; i < a->at.n && !order; ++i) {
    order = compare((uintptr_t)a->at.terms[i].v.ptr, (uintptr_t)b->at.terms[i].v.ptr);
    order = order ? order : compare((uintptr_t)a->at.terms[i].times, (uintptr_t)b->at.terms[i].times);
  }
  return order;
}

static int by_group_and_place(const void *a, const void *b) {
  const Access *x = a, *y = b;
  int order = compare_groups(x, y);
  if (order)
    return order;
  if (x->at.constant != y->at.constant)
    return x->at.constant < y->at.constant ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

static void align(MlirOperation op, int64_t bytes) {
  if (sn_int_attr(op, "alignment", 1) < bytes)
    sn_set_attr(op, "alignment", sn_i64(mlirOperationGetContext(op), bytes));
}

// Accesses that lie behind each other: from the first one's address.
static void join(Access *run, size_t n) {
  const Access *first = run;
  bool whole = false; // two of them are an aligned piece
  for (size_t i = 0; i < n; ++i) {
    first = run[i].order < first->order ? &run[i] : first;
    whole |= i + 1 < n && run[i + 1].at.constant != run[i].at.constant && aligned(&run[i]) > run[i].bytes;
  }
  if (!whole)
    return;
  MlirContext ctx = mlirOperationGetContext(first->op);
  MlirType i8 = mlirIntegerTypeGet(ctx, 8);
  MlirValue pointer = sn_operand(first->op, first->store);
  for (size_t i = 0; i < n; ++i) {
    int32_t distance = (int32_t)(run[i].at.constant - first->at.constant);
    align(run[i].op, aligned(&run[i]));
    if (&run[i] == first)
      continue;
    SnBuilder b = sn_before(run[i].op);
    MlirValue own = sn(&b, "llvm.getelementptr", pointer, sn_type_of(pointer),
                       sn_attr("elem_type", mlirTypeAttrGet(i8)),
                       sn_attr("rawConstantIndices", mlirDenseI32ArrayGet(ctx, 1, &distance)));
    mlirOperationSetOperand(run[i].op, run[i].store, own);
  }
}

static bool is_i64(const Access *a) {
  MlirType t = sn_type_of(sn_is(a->op, "llvm.store") ? sn_operand(a->op, 0) : sn_result(a->op, 0));
  return mlirTypeIsAInteger(t) && sn_bits(t) == 64;
}

static void look_at_block(MlirBlock block, MlirBlock entry) {
  Accesses all = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    Access a;
    if (!read_access(op, entry, &a))
      continue;
    a.order = all.size;
    if (is_i64(&a))
      align(op, least(a.bytes, aligned(&a)));
    sn_push(&all, a);
  }
  if (all.size)
    qsort(all.data, all.size, sizeof *all.data, by_group_and_place);
  for (size_t i = 0, n; i < all.size; i += n) {
    const Access *a = &all.data[i];
    for (n = 1; i + n < all.size && !compare_groups(&a[n], a) && a[n].bytes == a->bytes &&
                (a[n].at.constant == a[n - 1].at.constant || a[n].at.constant == a[n - 1].at.constant + a->bytes);
         ++n)
      ;
    join(&all.data[i], n);
  }
  sn_vec_free(&all);
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  (void)run;
  SnOpVec functions = sn_collect(root, "llvm.func");
  for (size_t i = 0; i < functions.size; ++i) {
    MlirRegion body = mlirOperationGetRegion(functions.data[i], 0);
    MlirBlock entry = mlirRegionGetFirstBlock(body);
    for (MlirBlock b = entry; b.ptr; b = mlirBlockGetNextInRegion(b))
      look_at_block(b, entry);
  }
  sn_vec_free(&functions);
  return SN_OK;
}

const SnPass sn_pass_adjacent = {
    .argument = "sinter-adjacent",
    .summary = "a GPU thread's neighbours in memory have one address",
    .run = run,
};
