// conditions.c: what holds in some columns, or in all, of which numbers of columns say most.
//
//   row_reduce and (broadcast %s | %m)     ->  %s | row_reduce and %m           (and so of `or` and `&`)
//   row_reduce and (j - 384 < 0), j < 512  ->  false
//   select (j + 16 < 8), %x, %y            ->  %y
//
// A lookup that is one piece of a concatenation asserts its index where its columns are: such an assert is of one
// index, not of a row. What reads one piece of a concatenation that was merged into it chooses among all of them; it
// reads that one.
//
// runs in: simplify, fuse    test: test/passes/simplify/conditions.mlir

#include "passes/edit/rewrite.h"

#define FAR ((int64_t)1 << 40) // from 0: what is added up of such numbers stays in 64 bits

// ---- what is the same in every column ---------------------------------------------------------------

static bool scalars_leave(SnRewriter *rw, MlirOperation reduce) {
  const char *kind = sn_is_reduce(reduce, "and") ? "and" : sn_is_reduce(reduce, "or") ? "or" : NULL;
  MlirOperation both = sn_definer(sn_operand(reduce, 0));
  if (!kind || sn_null(both) || !(sn_is(both, "arith.andi") || sn_is(both, "arith.ori")))
    return false;
  int64_t n = sn_dim(sn_type_of(sn_operand(reduce, 0)), 0);
  if (n == SN_DYNAMIC || !n)
    return sn_no(reduce, "the row may be empty");
  MlirType type = sn_type_of(sn_result(reduce, 0));
  const char *op = sn_is(both, "arith.andi") ? "arith.andi" : "arith.ori";
  for (int k = 0; k < 2; ++k) {
    MlirValue s = sn_broadcast_of(sn_operand(both, k));
    if (sn_none(s) || !mlirTypeEqual(sn_type_of(s), type))
      continue;
    sn_replace(rw, reduce, sn(rw->b, op, s, sn_row_reduce(rw->b, kind, sn_operand(both, 1 - k), type)));
    return true;
  }
  return false;
}

// ---- what columns alone say -------------------------------------------------------------------------

// slope * j + from
typedef struct {
  int64_t slope, from;
} Line;

static bool number(MlirValue v, int64_t *n) {
  MlirValue s = sn_broadcast_of(v);
  MlirAttribute a = sn_constant_of(sn_none(s) ? v : s);
  if (!a.ptr || !mlirAttributeIsAInteger(a))
    return false;
  *n = mlirIntegerAttrGetValueInt(a);
  return *n > -FAR && *n < FAR;
}

// In columns of a form that has one dimension of them: else the number of one is not the place in the row.
static bool line(MlirValue v, Line *l) {
  MlirOperation index = sn_def(v, "sinter.index"), add = sn_def(v, "arith.addi"), sub = sn_def(v, "arith.subi");
  *l = (Line){0, 0};
  if (number(v, &l->from))
    return true;
  if (!sn_null(index)) {
    l->slope = 1;
    return sn_is_row(v) && sn_int_attr(mlirOperationGetParentOperation(index), "num_cols", 0) == 1;
  }
  MlirOperation op = sn_null(add) ? sub : add;
  Line x, y;
  if (sn_null(op) || !line(sn_operand(op, 0), &x) || !line(sn_operand(op, 1), &y))
    return false;
  int64_t sign = sn_null(add) ? -1 : 1;
  *l = (Line){x.slope + sign * y.slope, x.from + sign * y.from};
  return l->slope >= 0 && l->slope <= 1 && l->from > -FAR && l->from < FAR;
}

static bool compare(int64_t predicate, int64_t x, int64_t y) {
  uint64_t u = (uint64_t)x, w = (uint64_t)y;
  const bool says[] = {x == y, x != y, x<y, x <= y, x> y, x >= y, u<w, u <= w, u> w, u >= w};
  return says[predicate];
}

enum { MOST_PLACES = 96, MOST_ASKED = 256, NOBODY_KNOWS = 2 }; // beside 0 and 1

// Where a condition may change.
typedef struct {
  int64_t at[MOST_PLACES], columns;
  size_t n, asked;
} Places;

static void add_place(Places *p, int64_t at) {
  for (int64_t near = at - 1; near <= at + 1; ++near)
    if (near >= 0 && near < p->columns && p->n < MOST_PLACES)
      p->at[p->n++] = near;
}

// What the condition says in column j; places are noted where they are asked for.
static int says(MlirValue v, int64_t j, Places *places) {
  int64_t n;
  if (number(v, &n))
    return n & 1;
  MlirOperation op = sn_definer(v);
  if (sn_null(op) || (places && places->asked++ == MOST_ASKED))
    return NOBODY_KNOWS;
  if (sn_is(op, "arith.cmpi")) {
    Line x, y;
    MlirType type = sn_element(sn_type_of(sn_operand(op, 0)));
    if (!mlirTypeIsAIndex(type) || !line(sn_operand(op, 0), &x) || !line(sn_operand(op, 1), &y))
      return NOBODY_KNOWS;
    if (places && x.slope != y.slope)
      add_place(places, (y.from - x.from) * (x.slope - y.slope));
    if (places && x.slope) // unsigned numbers
      add_place(places, -x.from);
    if (places && y.slope)
      add_place(places, -y.from);
    return compare(sn_int_attr(op, "predicate", 0), x.slope * j + x.from, y.slope * j + y.from);
  }
  bool and = sn_is(op, "arith.andi"), or = sn_is(op, "arith.ori");
  if (!and && !or && !sn_is(op, "arith.xori"))
    return NOBODY_KNOWS;
  int x = says(sn_operand(op, 0), j, places), y = x == NOBODY_KNOWS ? x : says(sn_operand(op, 1), j, places);
  return y == NOBODY_KNOWS ? y : and ? x & y : or ? x | y : x ^ y;
}

// What the condition, a row, says in all columns (`all`), or in any; NOBODY_KNOWS if not numbers of columns alone say
// that.
static int said(MlirOperation asked, MlirValue x, bool all) {
  Places p = {.columns = sn_dim(sn_type_of(x), 0)};
  if (p.columns == SN_DYNAMIC || p.columns < 1 || p.columns > FAR || says(x, 0, &p) == NOBODY_KNOWS)
    return NOBODY_KNOWS;
  if (p.n == MOST_PLACES) {
    sn_no(asked, "a condition of too many comparisons");
    return NOBODY_KNOWS;
  }
  int found = says(x, 0, NULL);
  for (size_t k = 0; k < p.n; ++k) {
    int here = says(x, p.at[k], NULL);
    found = all ? found & here : found | here;
  }
  return found;
}

static bool columns_say(SnRewriter *rw, MlirOperation reduce) {
  bool all = sn_is_reduce(reduce, "and");
  MlirValue x = sn_operand(reduce, 0);
  if ((!all && !sn_is_reduce(reduce, "or")) || !mlirTypeIsAInteger(sn_element(sn_type_of(x))) ||
      sn_bits(sn_element(sn_type_of(x))) != 1 ||
      !mlirTypeEqual(sn_type_of(sn_result(reduce, 0)), sn_element(sn_type_of(x))))
    return false;
  int found = said(reduce, x, all);
  if (found == NOBODY_KNOWS)
    return false;
  sn_replace(rw, reduce, sn_int(rw->b, sn_type_of(sn_result(reduce, 0)), found));
  return true;
}

// In the program of a side a row is what is summed, and no row of columns.
static bool is_in_side(MlirOperation op) {
  MlirOperation form = mlirOperationGetParentOperation(op);
  MlirBlock block = mlirOperationGetBlock(op);
  return sn_is(form, "sinter.contract") &&
         !mlirBlockEqual(block, mlirRegionGetFirstBlock(mlirOperationGetRegion(form, 0))) &&
         !mlirBlockEqual(block, mlirRegionGetFirstBlock(mlirOperationGetRegion(form, 1)));
}

static bool one_is_chosen(SnRewriter *rw, MlirOperation select) {
  MlirValue condition = sn_operand(select, 0);
  if (!sn_is_row(condition) || sn_null(sn_definer(condition)) || is_in_side(select))
    return false;
  int all = said(select, condition, true);
  if (all == NOBODY_KNOWS || (!all && said(select, condition, false)))
    return false;
  sn_replace(rw, select, sn_operand(select, all ? 1 : 2));
  return true;
}

static bool conditions(SnRewriter *rw, MlirOperation reduce) {
  return columns_say(rw, reduce) || scalars_leave(rw, reduce);
}

SnRules sn_simplify_conditions = {{"sinter.row_reduce", conditions}, {"arith.select", one_is_chosen}, {0}};
