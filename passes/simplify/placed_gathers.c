// placed_gathers.c: a gather by subscripts that the dimensions alone say is an access.
//
//   sinter.rowwise (n, c, y) by (x = 15) ins(%t[?, ?, ?, ?] : tensor<2x16x33x33xf32>)
//     %j = x * 2 + 3        %k = %j < 0 ? %j + 33 : %j
//     sinter.gather %table[n, c, y, %k] else 0
// ->
//   sinter.rowwise (n, c, y) by (x = 15) ins(%t[n, c, y, x * 2 + 3] : tensor<2x16x33x33xf32>)
//
// So come windows that a program makes by lists of subscripts (F.unfold, x[:, idx] of an arange), whose lists are
// computed where they are read by now. A product reads such an access as a side; of a gather it knows nothing.
//
// runs in: simplify, fuse    test: test/passes/simplify/placed_gathers.mlir, test/run/placed_gathers.test

#include "dialect/row_ops.h"
#include "passes/edit/edit.h"
#include "passes/simplify/simplify.h"

#define FAR ((int64_t)1 << 31) // from 0: what is computed of such numbers stays in 64 bits, and in an index
#define DEEP 24                // operations behind a subscript

typedef struct {
  const SnForm *f;
  MlirContext ctx;
  int64_t sizes[SN_MAX_DIMS];
} Dims;

static bool is_near(const Dims *d, MlirAffineExpr e, int64_t *low, int64_t *high) {
  return sn_affine_range(e, d->sizes, low, high) && *low > -FAR && *high < FAR;
}

static bool expression(const Dims *d, MlirValue v, int deep, MlirAffineExpr *e);

static bool of_index(const Dims *d, MlirOperation index, MlirAffineExpr *e) {
  for (size_t k = 0; k < d->f->dims.size; ++k)
    if (sn_row_op_names(index, d->f->dims.data[k].name)) {
      *e = mlirAffineDimExprGet(d->ctx, (intptr_t)k);
      return true;
    }
  return false;
}

// %a < %b ? %x : %y, where the sizes say which one it always is.
static bool chosen(const Dims *d, MlirOperation select, int deep, MlirAffineExpr *e) {
  MlirOperation compare = sn_def(sn_operand(select, 0), "arith.cmpi");
  MlirAffineExpr a, b;
  int64_t low, high;
  enum { SLT = 2, SGE = 5 };
  int64_t predicate = sn_null(compare) ? -1 : sn_int_attr(compare, "predicate", -1);
  if ((predicate != SLT && predicate != SGE) || !expression(d, sn_operand(compare, 0), deep, &a) ||
      !expression(d, sn_operand(compare, 1), deep, &b))
    return false;
  MlirAffineExpr minus = mlirAffineMulExprGet(b, mlirAffineConstantExprGet(d->ctx, -1));
  if (!is_near(d, mlirAffineAddExprGet(a, minus), &low, &high) || (low < 0 && high >= 0))
    return false;
  bool less = high < 0;
  return expression(d, sn_operand(select, less == (predicate == SLT) ? 1 : 2), deep, e);
}

static bool computed(const Dims *d, MlirOperation op, int deep, MlirAffineExpr *e) {
  bool add = sn_is(op, "arith.addi"), sub = sn_is(op, "arith.subi"), times = sn_is(op, "arith.muli");
  MlirAffineExpr a, b;
  int64_t low, high;
  if ((!add && !sub && !times) || !expression(d, sn_operand(op, 0), deep, &a) ||
      !expression(d, sn_operand(op, 1), deep, &b))
    return false;
  if (times && !mlirAffineExprIsAConstant(a) && !mlirAffineExprIsAConstant(b))
    return false;
  if (sub)
    b = mlirAffineMulExprGet(b, mlirAffineConstantExprGet(d->ctx, -1));
  *e = times ? mlirAffineMulExprGet(a, b) : mlirAffineAddExprGet(a, b);
  return is_near(d, *e, &low, &high);
}

// What is near does not wrap around in it.
static bool is_wide(MlirValue v) {
  MlirType t = sn_element(sn_type_of(v));
  return mlirTypeIsAIndex(t) || sn_bits(t) >= 32;
}

// The value as an expression of the form's dimensions.
static bool expression(const Dims *d, MlirValue v, int deep, MlirAffineExpr *e) {
  MlirValue same = sn_broadcast_of(v);
  MlirAttribute number = sn_constant_of(sn_none(same) ? v : same);
  MlirOperation op = sn_definer(v);
  if (number.ptr && mlirAttributeIsAInteger(number)) {
    *e = mlirAffineConstantExprGet(d->ctx, mlirIntegerAttrGetValueInt(number));
    return true;
  }
  if (sn_null(op) || deep >= DEEP || !is_wide(v))
    return false;
  if (!sn_none(same))
    return expression(d, same, deep + 1, e);
  if (sn_is(op, "sinter.index"))
    return of_index(d, op, e);
  if (sn_is(op, "arith.index_cast"))
    return expression(d, sn_operand(op, 0), deep + 1, e);
  return sn_is(op, "arith.select") ? chosen(d, op, deep + 1, e) : computed(d, op, deep + 1, e);
}

// What the gather reads as an access of the form.
static bool access_of(const Dims *d, MlirOperation gather, SnAccess *a) {
  MlirValue table = sn_operand(gather, 0);
  intptr_t rank = sn_num_operands(gather) - 2;
  MlirAffineExpr e[SN_MAX_DIMS];
  bool inside = true;
  *a = (SnAccess){0};
  for (size_t k = sn_first_input(d->f); k < d->f->inputs.size; ++k)
    if (sn_is_table(&d->f->inputs.data[k]) && sn_same(sn_input_argument(d->f, k), table))
      a->value = d->f->inputs.data[k].value;
  if (sn_none(a->value) || !mlirShapedTypeHasStaticShape(sn_type_of(a->value)))
    return false;
  for (intptr_t i = 0; i < rank; ++i) {
    int64_t low, high;
    if (!expression(d, sn_operand(gather, i + 1), 0, &e[i]) || !is_near(d, e[i], &low, &high))
      return false;
    inside &= low >= 0 && high < sn_dim(sn_type_of(a->value), i);
  }
  a->map = mlirAffineMapGet(d->ctx, (intptr_t)d->f->dims.size, 0, rank, e);
  a->fill = inside ? (MlirAttribute){0} : sn_constant_of(sn_operand(gather, rank + 1));
  return (inside || a->fill.ptr) && sn_map_fits(a->map);
}

static MlirOperation nth(MlirBlock block, intptr_t n) {
  MlirOperation op = mlirBlockGetFirstOperation(block);
  while (n-- > 0)
    op = mlirOperationGetNextInBlock(op);
  return op;
}

static void rewrite(const SnForm *f, intptr_t place, SnAccess a) {
  SnBuilder b = sn_before(f->op);
  SnForm to = sn_form_read(f->op);
  sn_push(&to.inputs, a);
  sn_with_other_sides(&b, f, &to);
  MlirOperation gather = nth(to.body, place);
  MlirValue got = sn_input_argument(&to, to.inputs.size - 1);
  MlirType t = sn_type_of(sn_result(gather, 0));
  SnBuilder in = sn_before(gather);
  mlirValueReplaceAllUsesOfWith(sn_result(gather, 0),
                                mlirTypeEqual(sn_type_of(got), t) ? got : sn(&in, "sinter.broadcast", got, t));
  mlirOperationDestroy(gather);
  mlirOperationDestroy(f->op);
  sn_form_free(&to);
}

bool sn_place_gathers(MlirOperation op) {
  SnForm f = sn_form_read(op);
  Dims d = {.f = &f, .ctx = mlirOperationGetContext(op)};
  bool tables = false, placed = false;
  intptr_t place = 0;
  for (size_t k = 0; k < f.inputs.size; ++k)
    tables |= sn_is_table(&f.inputs.data[k]);
  for (size_t k = 0; k < f.dims.size; ++k)
    d.sizes[k] = f.dims.data[k].size;
  MlirOperation body =
      tables && !f.schedule.ptr && sn_is_plain(&f) ? mlirBlockGetFirstOperation(f.body) : (MlirOperation){0};
  for (; !sn_null(body) && !placed; body = mlirOperationGetNextInBlock(body), ++place) {
    SnAccess a;
    placed = sn_is(body, "sinter.gather") && access_of(&d, body, &a);
    if (placed) {
      rewrite(&f, place, a);
      break;
    }
  }
  sn_form_free(&f);
  return placed;
}
