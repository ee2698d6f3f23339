// inside.c: what a slice takes is inside of its tensor, or the call fails.
//
//   %s = tensor.extract_slice %x[%i] [%n] [2]   ->   %in = the first and the last element, if there are any, are in %x
//                                                    cf.assert %in, "model.mlir:4:8: a slice is outside of the tensor"
//
// What the verifier has seen is not compared. sinter-guard asserts this of the slices that are left, sinter-raise of
// those of which nothing will be left.
//
// test: test/passes/guard/indices.mlir, test/passes/raise/views.mlir, test/run/slice_ends.mlir

#include "passes/edit/inside.h"
#include "dialect/attributes.h"
#include "dialect/sequence.h"

static MlirValue compare(SnBuilder *b, int predicate, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, sn_attr("predicate", sn_i64(b->ctx, predicate)));
}
enum { EQ = 0, SGE = 5, ULT = 6, ULE = 7 };

static MlirValue size_of(SnBuilder *b, MlirValue tensor, intptr_t i) {
  int64_t n = sn_dim(sn_type_of(tensor), i);
  return n == SN_DYNAMIC ? sn(b, "tensor.dim", tensor, sn_index(b, i)) : sn_index(b, n);
}

static bool constant(MlirValue v, int64_t *n) {
  MlirAttribute a = sn_constant_of(v);
  if (!a.ptr || !mlirAttributeIsAInteger(a))
    return false;
  *n = mlirIntegerAttrGetValueInt(a);
  return true;
}

// A loop's induction variable whose ends are known.
static bool is_turn(MlirValue v, int64_t *low, int64_t *high) {
  if (!mlirValueIsABlockArgument(v) || mlirBlockArgumentGetArgNumber(v))
    return false;
  SnSequenceLoop loop;
  if (!sn_loop_read(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(v)), &loop))
    return false;
  *low = loop.from;
  *high = loop.from + loop.step * (loop.turns - 1);
  return true;
}

bool sn_is_inside(MlirValue v, int64_t more, int64_t size) {
  int64_t low, high;
  if (constant(v, &low))
    high = low;
  else if (!is_turn(v, &low, &high))
    return false;
  return low >= 0 && high < size - more;
}

static void both(SnBuilder *b, MlirValue *all, MlirValue more) {
  *all = sn_none(*all) ? more : sn(b, "arith.andi", *all, more);
}

// An offset, a size or a stride: a number, or the next operand.
static MlirValue part(SnBuilder *b, MlirOperation op, const char *name, intptr_t i, intptr_t *next, bool *fixed) {
  int64_t n = mlirDenseI64ArrayGetElement(sn_get_attr(op, name), i);
  if (n != SN_DYNAMIC)
    return sn_index(b, n);
  *fixed = false;
  return sn_operand(op, (*next)++);
}

void sn_guard_slice(MlirOperation op, MlirValue tensor, intptr_t next) {
  SnBuilder b = sn_before(op);
  intptr_t rank = sn_rank(sn_type_of(tensor)), at[3] = {next};
  if (sn_get_attr(op, SN_INSIDE).ptr)
    return;
  static const char *const names[] = {"static_offsets", "static_sizes", "static_strides"};
  for (int k = 0; k < 2; ++k) {
    at[k + 1] = at[k];
    for (intptr_t i = 0; i < rank; ++i)
      at[k + 1] += mlirDenseI64ArrayGetElement(sn_get_attr(op, names[k]), i) == SN_DYNAMIC;
  }
  MlirValue inside = {0}, zero = sn_index(&b, 0), one = sn_index(&b, 1), source = sn_operand(op, 0);
  bool into = sn_is(op, "tensor.insert_slice"), alike = into && sn_rank(sn_type_of(source)) == rank;
  for (intptr_t i = 0; i < rank; ++i) {
    int64_t whole = sn_dim(sn_type_of(tensor), i), elements;
    bool fixed = whole != SN_DYNAMIC;
    MlirValue offset = part(&b, op, names[0], i, &at[0], &fixed), size = part(&b, op, names[1], i, &at[1], &fixed),
              stride = part(&b, op, names[2], i, &at[2], &fixed);
    if (alike && (sn_dim(sn_type_of(source), i) == SN_DYNAMIC || !constant(size, &(int64_t){0})))
      both(&b, &inside, compare(&b, EQ, size_of(&b, source, i), size));
    if (fixed || (whole != SN_DYNAMIC && sn_is_constant(stride, 1) && constant(size, &elements) && elements > 0 &&
                  sn_is_inside(offset, elements - 1, whole)))
      continue;
    // Numbers below 0 are beyond every size. The last element is the first and size - 1 strides: size - 1 <= (n - 1 -
    // offset) / stride.
    MlirValue n = size_of(&b, tensor, i), no_less = sn(&b, "arith.maxsi", stride, one);
    MlirValue room = sn(&b, "arith.divui", sn(&b, "arith.subi", sn(&b, "arith.subi", n, one), offset), no_less);
    MlirValue some =
        sn(&b, "arith.andi", compare(&b, ULT, offset, n), compare(&b, ULE, sn(&b, "arith.subi", size, one), room));
    MlirValue none = sn(&b, "arith.andi", compare(&b, EQ, size, zero), compare(&b, ULE, offset, n));
    both(&b, &inside, sn(&b, "arith.andi", compare(&b, SGE, stride, one), sn(&b, "arith.ori", none, some)));
  }
  if (sn_none(inside))
    return;
  const char *message =
      into ? "a slice is outside of the tensor that it is put into, or has another size than what is put there"
           : "a slice is outside of the tensor";
  sn_op(&b, "cf.assert", inside, sn_types(0, NULL), sn_attr("msg", sn_located_message(b.loc, message)));
  sn_set_attr(op, SN_INSIDE, sn_unit(b.ctx));
}
