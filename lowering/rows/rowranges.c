// rowranges.c: columns of which is known between which they are.
//
//   %y = arith.select (j < 16), %a[i, j], %b[i, j - 16] else 0.0     columns 0 .. 48
//     ->   columns  0 .. 16:   vector.load %a[i, j]
//          columns 16 .. 32:   vector.load %b[i, j - 16]
//          columns 32 .. 48:   0.0
//
// Pieces that lie one behind the other, or a row with something around it, are read by a mask for each piece, at every
// column. Where a loop over columns is cut at the pieces' ends, each of its parts reads what is there.
//
// test: test/lowering/cpu/ranges.mlir, test/run/ranges.test

#include "lowering/rows/rowmemory.h"
#include <math.h>
#include <stdlib.h>

// ---- where a row is cut ----------------------------------------------------------------------

// The first subscript that depends on columns is %j + first, and on nothing else; -1 where there is none.
static intptr_t subscript_of_columns(const SnForm *f, const SnAccess *a, int64_t *first) {
  intptr_t n = mlirAffineMapGetNumResults(a->map);
  for (intptr_t i = 0; i < n; ++i) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, i), c;
    if (!mlirAffineExprIsFunctionOfDim(e, f->num_rows))
      continue;
    MlirAffineExpr j = mlirAffineDimExprGet(mlirAffineMapGetContext(a->map), f->num_rows);
    *first = 0;
    if (mlirAffineExprEqual(e, j))
      return i;
    if (!mlirAffineExprIsAAdd(e) || !mlirAffineExprEqual(mlirAffineBinaryOpExprGetLHS(e), j))
      return -1;
    c = mlirAffineBinaryOpExprGetRHS(e);
    *first = mlirAffineExprIsAConstant(c) ? mlirAffineConstantExprGetValue(c) : 0;
    return mlirAffineExprIsAConstant(c) ? i : -1;
  }
  return -1;
}

static int by_number(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static bool names_dim(MlirOperation op) { return sn_row_op_of(op) && sn_row_op_of(op)->names_dim; }

// Operations that are written once more in each part of the loop.
static int64_t work_of(MlirBlock block) {
  int64_t n = 4;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    bool of_columns = sn_num_results(op) == 1 && (!sn_none(sn_broadcast_of(sn_result(op, 0))) || names_dim(op));
    n += !of_columns && !sn_is(op, "arith.select") && !sn_is(op, "arith.cmpi") && !sn_is(op, "arith.constant");
  }
  return n;
}

size_t sn_row_cuts(const SnRowProgram *p, int64_t lanes, SnColumnCuts *cuts) {
  enum { MOST_WORK = 2048 }; // of all parts together: more takes longer to compile than it is worth
  const SnForm *f = p->form;
  int64_t length = sn_row_length(f), first;
  cuts->size = 0;
  if (f->num_cols != 1 || length == SN_DYNAMIC || p->row.rows > 1)
    return 0;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    const SnAccess *a = &f->inputs.data[k];
    intptr_t i = a->fill.ptr && !a->through.ptr && !sn_is_table(a) ? subscript_of_columns(f, a, &first) : -1;
    if (i < 0 || sn_dim(sn_type_of(a->value), i) == SN_DYNAMIC)
      continue;
    int64_t ends[] = {-first, sn_dim(sn_type_of(a->value), i) - first};
    for (int e = 0; e < 2; ++e)
      for (int up = 0; up < 2; ++up) { // the vector that an end lies in is a part of its own
        int64_t at = (ends[e] + up * (lanes - 1)) / lanes * lanes;
        if (ends[e] > 0 && ends[e] < length && at > 0 && at < length / lanes * lanes)
          sn_push(cuts, at);
      }
  }
  if (!cuts->size)
    return 0;
  qsort(cuts->data, cuts->size, sizeof *cuts->data, by_number);
  size_t n = 0;
  for (size_t i = 0; i < cuts->size; ++i)
    if (!n || cuts->data[n - 1] != cuts->data[i])
      cuts->data[n++] = cuts->data[i];
  cuts->size = (int64_t)(n + 1) * work_of(p->block) > MOST_WORK ? 0 : n;
  return cuts->size;
}

// ---- what is known in a part -----------------------------------------------------------------

int sn_row_inside(const SnForm *f, const SnFragment *c, const SnAccess *a) {
  MlirContext ctx = mlirAffineMapGetContext(a->map);
  MlirAffineExpr dims[SN_MAX_DIMS];
  int64_t sizes[SN_MAX_DIMS], low, high;
  if (!c->to || f->num_cols != 1 || !a->fill.ptr || a->through.ptr)
    return 0;
  for (size_t d = 0; d < f->dims.size; ++d) {
    dims[d] = mlirAffineDimExprGet(ctx, (intptr_t)d);
    sizes[d] = f->dims.data[d].size;
  }
  dims[f->num_rows] = mlirAffineAddExprGet(dims[f->num_rows], mlirAffineConstantExprGet(ctx, c->from));
  sizes[f->num_rows] = c->to - c->from;
  MlirAffineMap map = sn_map_replace(a->map, (intptr_t)f->dims.size, dims);
  int all = 1;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i) {
    int64_t size = sn_dim(sn_type_of(a->value), i);
    bool known = sn_affine_range(mlirAffineMapGetResult(map, i), sizes, &low, &high);
    if (known && (high < 0 || (size != SN_DYNAMIC && low >= size)))
      return -1;
    all &= known && low >= 0 && size != SN_DYNAMIC && high < size;
  }
  return all;
}

// Both ends of a row of whole numbers, included.
static bool ends_of(const SnForm *f, const SnFragment *c, MlirValue v, int64_t *low, int64_t *high) {
  double number;
  int64_t x[2], y[2];
  MlirOperation op = sn_definer(v);
  if (sn_null(op))
    return false;
  if (sn_attr_number(sn_constant_of(v), &number)) {
    *low = *high = (int64_t)number;
    return fabs(number) < (double)SN_NARROW_MOST;
  }
  if (names_dim(op)) {
    intptr_t d = sn_row_named_dim(f, op);
    *low = d < f->num_rows ? 0 : c->from;
    *high = d < f->num_rows ? f->dims.data[d].size - 1 : c->to - 1;
    return (d >= f->num_rows || f->dims.data[d].size != SN_DYNAMIC) && *high < SN_NARROW_MOST;
  }
  bool cast = sn_is(op, "arith.index_cast") && (mlirTypeIsAIndex(sn_element(sn_type_of(v))) ||
                                                sn_bits(sn_element(sn_type_of(v))) >= 32);
  if (cast)
    return ends_of(f, c, sn_operand(op, 0), low, high);
  if (!sn_none(sn_broadcast_of(v)))
    return ends_of(f, c, sn_broadcast_of(v), low, high);
  bool wide = mlirTypeIsAIndex(sn_element(sn_type_of(v))) || sn_bits(sn_element(sn_type_of(v))) >= 32; // none wraps
  if (!wide || !sn_is(op, "arith.addi") || !ends_of(f, c, sn_operand(op, 0), &x[0], &x[1]) ||
      !ends_of(f, c, sn_operand(op, 1), &y[0], &y[1]))
    return false;
  *low = x[0] + y[0];
  *high = x[1] + y[1];
  return *low > -SN_NARROW_MOST && *high < SN_NARROW_MOST;
}

// 1: the comparison holds in all columns, -1: in none; 0: that is not known.
static int compared(int64_t predicate, const int64_t *x, const int64_t *y) {
  enum { EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE, UGT, UGE };
  if (predicate >= ULT && (x[0] < 0 || y[0] < 0))
    return 0;
  bool below = x[1] < y[0], not_above = x[1] <= y[0], above = x[0] > y[1], not_below = x[0] >= y[1];
  switch (predicate) {
  case EQ:
    return below || above ? -1 : 0;
  case NE:
    return below || above;
  case SLT:
  case ULT:
    return below ? 1 : not_below ? -1 : 0;
  case SLE:
  case ULE:
    return not_above ? 1 : above ? -1 : 0;
  case SGT:
  case UGT:
    return above ? 1 : not_above ? -1 : 0;
  default:
    return not_below ? 1 : below ? -1 : 0;
  }
}

MlirValue sn_row_chosen(const SnForm *f, const SnFragment *c, MlirOperation op) {
  MlirValue none = {0};
  MlirOperation compare = c->to && f->num_cols == 1 && sn_is(op, "arith.select")
                              ? sn_def(sn_operand(op, 0), "arith.cmpi")
                              : (MlirOperation){0};
  int64_t x[2], y[2];
  if (sn_null(compare) || !ends_of(f, c, sn_operand(compare, 0), &x[0], &x[1]) ||
      !ends_of(f, c, sn_operand(compare, 1), &y[0], &y[1]))
    return none;
  int holds = compared(mlirIntegerAttrGetValueInt(sn_get_attr(compare, "predicate")), x, y);
  return holds ? sn_operand(op, holds > 0 ? 1 : 2) : none;
}
