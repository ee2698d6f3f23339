// asserted_sizes.c: what a program asserts of its arguments' sizes is known from its beginning.
//
//   cf.assert %n == %m             %m is %n
//   cf.assert %n % 3 == 0          %n is 3 * (%n / 3)       (or <= 0, as PyTorch's guards have it)
//   cf.assert min(%n, %m) == %n    and so is this
//
// An exporter says so where it met it: where two tensors are added, where a batch is cut in equal parts. Nothing but
// another message comes of it when that is asked first, and then it holds for all that the program does.
//
// runs in: sinter-known-sizes    test: test/passes/program/asserted_sizes.mlir

#include "passes/program/known_sizes.h"

typedef struct {
  SnBuilder b;
  MlirOperation last; // the last operation that is there already; null if there is none
  SnSizeReader *reader;
  SnTable *made;
} Head;

// The size of which a comparison says that it is a multiple of a number; the number is 0 if it is no such comparison.
static MlirValue multiple_of(MlirOperation compare, int64_t *of) {
  MlirOperation rest = sn_def(sn_operand(compare, 0), "arith.remsi");
  bool is = !sn_null(rest) && sn_is_constant(sn_operand(compare, 1), 0);
  MlirAttribute by = is ? sn_constant_of(sn_operand(rest, 1)) : mlirAttributeGetNull();
  *of = by.ptr && mlirAttributeIsAInteger(by) ? mlirIntegerAttrGetValueInt(by) : 0;
  return *of > 1 ? sn_operand(rest, 0) : (MlirValue){0};
}

// The reader takes it, where it says something new of arguments alone: x and y are what they are made of.
static bool take(Head *h, MlirOperation compare, SnSizeReader *r, SnSize *x, SnSize *y, int64_t *of) {
  MlirValue multiple = multiple_of(compare, of);
  bool equal = sn_none(multiple);
  *of = equal ? 0 : *of;
  MlirValue sides[] = {equal ? sn_operand(compare, 0) : multiple, sn_operand(compare, 1)};
  *x = sn_size_of_value(r, sides[0]);
  *y = sn_size_of_value(r, sides[1]);
  if (!sn_size_of_arguments(r, x, h->b.block) || !sn_size_of_arguments(r, y, h->b.block))
    return false;
  // The remainder of what is 0 or more is, so at most 0 is 0.
  if (sn_int_attr(compare, "predicate", -1) != SN_EQUAL && (equal || !sn_size_at_least(r, x, 0)))
    return false;
  SnSize is = sn_size_of_value(h->reader, sides[0]), other = sn_size_of_value(h->reader, sides[1]);
  return equal ? sn_size_assume_equal(h->reader, &is, &other) : sn_size_assume_multiple(h->reader, &is, *of);
}

static void take_assert(Head *h, MlirOperation assert) {
  MlirOperation compare = sn_def(sn_operand(assert, 0), "arith.cmpi");
  int64_t predicate = sn_null(compare) ? -1 : sn_int_attr(compare, "predicate", -1);
  if (predicate != SN_EQUAL && predicate != SN_LESS_OR_EQUAL)
    return;
  SnSizeReader r = {.forgets = true};
  SnSize x, y;
  int64_t of;
  if (take(h, compare, &r, &x, &y, &of)) {
    SnBuilder *b = &h->b;
    b->loc = mlirOperationGetLocation(assert);
    MlirValue sides[] = {sn_size_emit(&r, b, &x), sn_size_emit(&r, b, &y)};
    if (of > 1)
      sides[0] = sn(b, "arith.remsi", sides[0], sn_index(b, of));
    MlirValue same = sn(b, "arith.cmpi", sn_values(2, sides), sn_attr("predicate", sn_i64(b->ctx, SN_EQUAL)));
    MlirOperation op = sn_null(h->last) ? mlirBlockGetFirstOperation(b->block) : mlirOperationGetNextInBlock(h->last);
    for (; !mlirOperationEqual(op, b->before); op = mlirOperationGetNextInBlock(op))
      sn_table_put(h->made, op.ptr, 1);
    h->last = sn_op(b, "cf.assert", same, sn_types(0, NULL), sn_attr("msg", sn_get_attr(assert, "msg")));
    mlirOperationDestroy(assert);
  }
  sn_size_reader_free(&r);
}

void sn_take_asserted_sizes(MlirOperation func, SnSizeReader *reader, SnTable *made) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  if (mlirBlockIsNull(body) || !mlirBlockIsNull(mlirBlockGetNextInRegion(body)))
    return;
  SnOpVec found = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "cf.assert"))
      sn_push(&found, op);
  Head head = {.b = sn_at_start(body, mlirOperationGetLocation(func)), .reader = reader, .made = made};
  reader->forgets = true; // what is said later is true of what was read before
  for (size_t i = 0; i < found.size; ++i)
    take_assert(&head, found.data[i]);
  reader->forgets = false;
  sn_vec_free(&found);
}
