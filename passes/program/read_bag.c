// read_bag.c: whether a generic is an embedding bag, its loops and its range, and what it reads. See bags.c.
//
// test: test/passes/program/bags.mlir

#include "passes/edit/size_terms.h"
#include "passes/program/bags.h"

bool sn_bag_formula(MlirValue v) {
  MlirOperation op = sn_def(v, "linalg.generic");
  if (sn_null(op) || sn_num_results(op) != 1 || sn_rank(sn_type_of(v)) > SN_BAG_LOOPS)
    return false;
  intptr_t n = sn_num_operands(op);
  MlirAffineMap out = sn_bag_map(op, n - 1);
  if (!mlirAffineMapIsIdentity(out))
    return false;
  for (intptr_t k = 0; k + 1 < n; ++k)
    if (!sn_bag_number(sn_operand(op, k)) && !sn_bag_formula(sn_operand(op, k)))
      return false;
  for (MlirOperation in = mlirBlockGetFirstOperation(sn_bag_body(op)); !sn_null(in);
       in = mlirOperationGetNextInBlock(in))
    if (!sn_is(in, "linalg.index") && !sn_is(in, "linalg.yield") && !sn_in_dialect(in, "arith"))
      return false;
  return true;
}

// ---- what a value needs ---------------------------------------------------------------------

intptr_t sn_bag_operand(SnBag *g, MlirValue v) {
  for (size_t k = 0; k < g->operands.size; ++k)
    if (sn_same(g->operands.data[k], v))
      return (intptr_t)k;
  sn_push(&g->operands, v);
  return (intptr_t)g->operands.size - 1;
}

bool sn_bag_depends(const SnBag *g, MlirValue v, intptr_t loop) {
  if (!sn_bag_has(g->body, v))
    return false;
  if (mlirValueIsABlockArgument(v))
    return sn_map_uses(sn_bag_map(g->op, mlirBlockArgumentGetArgNumber(v)), loop);
  MlirOperation op = sn_definer(v);
  bool found = sn_is(op, "linalg.index") && sn_int_attr(op, "dim", -1) == loop;
  for (intptr_t k = 0; k < sn_num_operands(op) && !found; ++k)
    found = sn_bag_depends(g, sn_operand(op, k), loop);
  return found;
}

static bool has_extract(const SnBag *g, MlirValue v) {
  MlirOperation op = sn_definer(v);
  bool found = sn_bag_has(g->body, v) && sn_is(op, "tensor.extract");
  for (intptr_t k = 0; !sn_null(op) && sn_bag_has(g->body, v) && k < sn_num_operands(op) && !found; ++k)
    found = has_extract(g, sn_operand(op, k));
  return found;
}

// Subscripts of a table are checked, but for the loop that runs over one of its dimensions.
static bool element_fits(const SnBag *g, MlirOperation extract) {
  MlirValue x = sn_operand(extract, 0), out = sn_operand(g->op, sn_num_operands(g->op) - 1);
  SnSizeReader r = {.forgets = true};
  bool fits = true;
  for (intptr_t i = 0; i < sn_rank(sn_type_of(x)) && fits; ++i) {
    MlirValue at = sn_operand(extract, i + 1);
    fits = !has_extract(g, at); // which would be checked first
    if (!sn_bag_depends(g, at, g->element))
      continue;
    SnSize is = sn_size_of_dim(&r, x, i), all = sn_size_of_dim(&r, out, 1);
    fits &= sn_is(sn_definer(at), "linalg.index") && sn_size_equal(&is, &all);
  }
  sn_size_reader_free(&r);
  return fits;
}

bool sn_bag_needs(SnBag *g, MlirBlock body, MlirOperation generic, MlirValue v) {
  if (sn_constant_of(v).ptr)
    return true;
  if (!sn_bag_has(body, v)) {
    sn_bag_operand(g, v);
    return sn_bag_number(v);
  }
  if (mlirValueIsABlockArgument(v)) {
    intptr_t k = mlirBlockArgumentGetArgNumber(v);
    MlirValue x = sn_operand(generic, k);
    if (mlirOperationEqual(generic, g->op) && k >= g->inputs)
      return true; // the accumulator
    if (sn_bag_formula(x)) {
      MlirOperation made = sn_definer(x);
      return sn_bag_needs(g, sn_bag_body(made), made, sn_operand(mlirBlockGetTerminator(sn_bag_body(made)), 0));
    }
    sn_bag_operand(g, x);
    return true;
  }
  MlirOperation op = sn_definer(v);
  if (sn_is(op, "linalg.index"))
    return true;
  intptr_t from = sn_is(op, "tensor.extract");
  if (from && (!element_fits(g, op) || !mlirTypeIsARankedTensor(sn_type_of(sn_operand(op, 0)))))
    return sn_no(g->op, "a table whose dimension is not the loop's");
  if (!from && !sn_shim_is_elementwise(op))
    return sn_no(g->op, "'%s' in its body is not computed again", sn_name(op));
  if (from && !sn_bag_formula(sn_operand(op, 0)))
    sn_bag_operand(g, sn_operand(op, 0));
  else if (from && !sn_bag_needs(g, sn_bag_body(sn_definer(sn_operand(op, 0))), sn_definer(sn_operand(op, 0)),
                          sn_operand(mlirBlockGetTerminator(sn_bag_body(sn_definer(sn_operand(op, 0)))), 0)))
    return false;
  for (intptr_t k = from; k < sn_num_operands(op); ++k)
    if (!sn_bag_needs(g, body, generic, sn_operand(op, k)))
      return false;
  return true;
}

// ---- reading the body -----------------------------------------------------------------------------

enum { EQUAL = 0, LESS = 2, LESS_OR_EQUAL = 3, GREATER = 4, GREATER_OR_EQUAL = 5 };

static bool is_position(const SnBag *g, MlirValue v) {
  while (sn_is(sn_definer(v), "arith.index_cast"))
    v = sn_operand(sn_definer(v), 0);
  MlirOperation op = sn_definer(v);
  return sn_is(op, "linalg.index") && sn_int_attr(op, "dim", -1) == g->position;
}

// v compares an end of the range with the position so, or the other way round.
static bool compares(const SnBag *g, MlirValue v, int64_t end_first, int64_t position_first, MlirValue *end) {
  MlirOperation op = sn_def(v, "arith.cmpi");
  if (sn_null(op))
    return false;
  bool first = is_position(g, sn_operand(op, 0));
  if (!first && !is_position(g, sn_operand(op, 1)))
    return false;
  *end = sn_operand(op, first);
  return sn_int_attr(op, "predicate", -1) == (first ? position_first : end_first);
}

static bool is_low(const SnBag *g, MlirValue v, MlirValue *low) {
  MlirOperation either = sn_def(v, "arith.ori");
  if (sn_null(either))
    return compares(g, v, LESS_OR_EQUAL, GREATER_OR_EQUAL, low);
  MlirValue less, equal;
  for (intptr_t k = 0; k < 2; ++k)
    if (compares(g, sn_operand(either, k), LESS, GREATER, &less) &&
        compares(g, sn_operand(either, 1 - k), EQUAL, EQUAL, &equal) && sn_same(less, equal)) {
      *low = less;
      return true;
    }
  return false;
}

static bool read_range(SnBag *g, MlirValue condition) {
  MlirOperation both = sn_def(condition, "arith.andi");
  for (intptr_t k = 0; !sn_null(both) && k < 2; ++k)
    if (is_low(g, sn_operand(both, k), &g->low) && compares(g, sn_operand(both, 1 - k), GREATER, LESS, &g->high)) {
      for (intptr_t loop = 0; loop < SN_BAG_LOOPS; ++loop)
        if (loop != g->bag && (sn_bag_depends(g, g->low, loop) || sn_bag_depends(g, g->high, loop)))
          return sn_no(g->op, "a range that is not one for each row");
      return true;
    }
  return sn_no(g->op, "no range of positions");
}

static bool read_loops(SnBag *g) {
  intptr_t n = sn_num_operands(g->op);
  MlirAffineMap out = sn_bag_map(g->op, n - 1);
  if (sn_num_results(g->op) != 1 || mlirAffineMapGetNumDims(out) != SN_BAG_LOOPS ||
      mlirAffineMapGetNumResults(out) != 2)
    return false;
  g->bag = sn_map_dim(out, 0);
  g->element = sn_map_dim(out, 1);
  g->position = SN_BAG_LOOPS - g->bag - g->element;
  g->inputs = n - 1;
  if (g->bag < 0 || g->element < 0 || g->bag == g->element)
    return false;
  MlirOperation fill = sn_def(sn_operand(g->op, n - 1), "linalg.fill");
  return !sn_null(fill) && sn_constant_of(sn_operand(fill, 0)).ptr;
}

MlirValue sn_bag_list(const SnBag *g, intptr_t loop) {
  for (intptr_t k = 0; k < g->inputs; ++k)
    if (mlirAffineMapGetNumResults(sn_bag_map(g->op, k)) == 1 && sn_map_dim(sn_bag_map(g->op, k), 0) == loop)
      return sn_operand(g->op, k);
  return (MlirValue){0};
}

static bool same_size(SnSizeReader *r, MlirValue x, intptr_t i, MlirValue y, intptr_t j) {
  SnSize a = sn_size_of_dim(r, x, i), b = sn_size_of_dim(r, y, j);
  return sn_size_equal(&a, &b);
}

// Each operand is as long as its loops: nobody compares sizes of steps.
static bool sizes_fit(const SnBag *g) {
  MlirValue out = sn_operand(g->op, g->inputs), list = sn_bag_list(g, g->position);
  SnSizeReader r = {.forgets = true};
  bool fit = true;
  for (intptr_t k = 0; k < g->inputs; ++k) {
    MlirAffineMap map = sn_bag_map(g->op, k);
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i) {
      intptr_t loop = sn_map_dim(map, i);
      fit &= loop == g->position ? same_size(&r, sn_operand(g->op, k), i, list, 0)
                                 : same_size(&r, sn_operand(g->op, k), i, out, loop == g->element);
    }
  }
  sn_size_reader_free(&r);
  return fit || sn_no(g->op, "operands whose sizes are not known to agree");
}

bool sn_read_bag(SnBag *g, MlirOperation op) {
  *g = (SnBag){.op = op, .body = sn_bag_body(op)};
  MlirOperation yield = mlirBlockGetTerminator(g->body), select = sn_def(sn_operand(yield, 0), "arith.select");
  if (sn_null(select) || !read_loops(g))
    return false;
  MlirValue acc = mlirBlockGetArgument(g->body, g->inputs);
  if (!sn_same(sn_operand(select, 2), acc) || !read_range(g, sn_operand(select, 0)))
    return false;
  g->next = sn_operand(select, 1);
  for (intptr_t k = 0; k < g->inputs; ++k)
    if (mlirAffineMapGetNumResults(sn_bag_map(op, k)) > SN_BAG_LOOPS ||
        !mlirAffineMapIsProjectedPermutation(sn_bag_map(op, k)))
      return sn_no(op, "an operand that is not read at its loops");
  if (sn_none(sn_bag_list(g, g->position)) || sn_none(sn_bag_list(g, g->bag)))
    return sn_no(op, "nothing has one element for each row, or for each position");
  return sizes_fit(g);
}
