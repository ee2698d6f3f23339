// bags.c: a reduction that takes a range of positions for each row visits that range alone.
//
//   linalg.generic (i, p, e) ins(%t[p], %o[i]) outs(%zero[i, e])    sinter.steps rows(0) ins(%o, %t, %w) outs(%y) {
//     %in = %o[i] <= p && p < (i + 1 == 8 ? 24 : %o[i + 1])         ^row(%i, ...):
//     %v = tensor.extract %w[%t[p], e]                       ->       scf.parallel: y[i, e] = 0
//     %s = arith.addf %v, %acc                                        scf.for %p = o[i] to o[i + 1]
//     yield %in ? %s : %acc                                             scf.parallel: y[i, e] += w[t[p], e]
//
// torch-mlir writes an embedding bag so: each bag looks at the positions of all. Where the range comes from and what is
// added is read from the body, and computed there again, with the row programs that only the range is made of; so a bag
// is one kernel, whatever gives its offsets.
//
// Where gradients are asked for, a bag is three: the ends of the ranges, what is added for each position, and steps
// marked as sums of ranges, which differentiate/range_gradients.c knows.
//
// runs in: sinter-cpu    test: test/passes/program/bags.mlir, bags_gradients.mlir, test/run/bags.test

#include "dialect/dialect.h"
#include "mlir-c/Dialect/Linalg.h"
#include "passes/edit/size_terms.h"
#include "passes/program/tensor_steps.h"

enum { LOOPS = 3 };

typedef struct {
  MlirOperation op;
  MlirBlock body;
  intptr_t inputs, bag, position, element; // its loops
  MlirValue low, high, next;               // the range, and what the accumulator becomes inside of it
  SnValueVec operands;                     // what the steps read: tensors, and numbers from outside
  MlirValue *memory;                       // of each operand
} Bag;

// A body that is computed again: where its loops stand, and values that are known already.
typedef struct {
  MlirOperation op;
  MlirBlock body;
  MlirValue at[LOOPS];
  SnMap *known;
} Frame;

static MlirBlock body_of(MlirOperation op) { return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)); }
static MlirAffineMap map_of(MlirOperation op, intptr_t k) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(mlirLinalgGetIndexingMapsAttribute(op), k));
}
static bool is_inside(MlirBlock body, MlirValue v) {
  return mlirBlockEqual(body, mlirValueIsABlockArgument(v) ? mlirBlockArgumentGetOwner(v)
                                                           : mlirOperationGetBlock(sn_definer(v)));
}
static bool is_scalar(MlirValue v) { return !mlirTypeIsAShaped(sn_type_of(v)); }

// A value that is computed element by element from numbers and positions: it is no kernel.
static bool is_formula(MlirValue v) {
  MlirOperation op = sn_def(v, "linalg.generic");
  if (sn_null(op) || sn_num_results(op) != 1 || sn_rank(sn_type_of(v)) > LOOPS)
    return false;
  intptr_t n = sn_num_operands(op);
  MlirAffineMap out = map_of(op, n - 1);
  if (!mlirAffineMapIsIdentity(out))
    return false;
  for (intptr_t k = 0; k + 1 < n; ++k)
    if (!is_scalar(sn_operand(op, k)) && !is_formula(sn_operand(op, k)))
      return false;
  for (MlirOperation in = mlirBlockGetFirstOperation(body_of(op)); !sn_null(in); in = mlirOperationGetNextInBlock(in))
    if (!sn_is(in, "linalg.index") && !sn_is(in, "linalg.yield") && !sn_in_dialect(in, "arith"))
      return false;
  return true;
}

// ---- what a value needs ---------------------------------------------------------------------

static intptr_t add_operand(Bag *g, MlirValue v) {
  for (size_t k = 0; k < g->operands.size; ++k)
    if (sn_same(g->operands.data[k], v))
      return (intptr_t)k;
  sn_push(&g->operands, v);
  return (intptr_t)g->operands.size - 1;
}

static bool depends(const Bag *g, MlirValue v, intptr_t loop) {
  if (!is_inside(g->body, v))
    return false;
  if (mlirValueIsABlockArgument(v))
    return sn_map_uses(map_of(g->op, mlirBlockArgumentGetArgNumber(v)), loop);
  MlirOperation op = sn_definer(v);
  bool found = sn_is(op, "linalg.index") && sn_int_attr(op, "dim", -1) == loop;
  for (intptr_t k = 0; k < sn_num_operands(op) && !found; ++k)
    found = depends(g, sn_operand(op, k), loop);
  return found;
}

static bool has_extract(const Bag *g, MlirValue v) {
  MlirOperation op = sn_definer(v);
  bool found = is_inside(g->body, v) && sn_is(op, "tensor.extract");
  for (intptr_t k = 0; !sn_null(op) && is_inside(g->body, v) && k < sn_num_operands(op) && !found; ++k)
    found = has_extract(g, sn_operand(op, k));
  return found;
}

// Subscripts of a table are checked, but for the loop that runs over one of its dimensions.
static bool element_fits(const Bag *g, MlirOperation extract) {
  MlirValue x = sn_operand(extract, 0), out = sn_operand(g->op, sn_num_operands(g->op) - 1);
  SnSizeReader r = {.forgets = true};
  bool fits = true;
  for (intptr_t i = 0; i < sn_rank(sn_type_of(x)) && fits; ++i) {
    MlirValue at = sn_operand(extract, i + 1);
    fits = !has_extract(g, at); // which would be checked first
    if (!depends(g, at, g->element))
      continue;
    SnSize is = sn_size_of_dim(&r, x, i), all = sn_size_of_dim(&r, out, 1);
    fits &= sn_is(sn_definer(at), "linalg.index") && sn_size_equal(&is, &all);
  }
  sn_size_reader_free(&r);
  return fits;
}

// Whether v can be computed again; what it reads is in g->operands then.
static bool needs(Bag *g, MlirBlock body, MlirOperation generic, MlirValue v) {
  if (sn_constant_of(v).ptr)
    return true;
  if (!is_inside(body, v)) {
    add_operand(g, v);
    return is_scalar(v);
  }
  if (mlirValueIsABlockArgument(v)) {
    intptr_t k = mlirBlockArgumentGetArgNumber(v);
    MlirValue x = sn_operand(generic, k);
    if (mlirOperationEqual(generic, g->op) && k >= g->inputs)
      return true; // the accumulator
    if (is_formula(x)) {
      MlirOperation made = sn_definer(x);
      return needs(g, body_of(made), made, sn_operand(mlirBlockGetTerminator(body_of(made)), 0));
    }
    add_operand(g, x);
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
  if (from && !is_formula(sn_operand(op, 0)))
    add_operand(g, sn_operand(op, 0));
  else if (from && !needs(g, body_of(sn_definer(sn_operand(op, 0))), sn_definer(sn_operand(op, 0)),
                          sn_operand(mlirBlockGetTerminator(body_of(sn_definer(sn_operand(op, 0)))), 0)))
    return false;
  for (intptr_t k = from; k < sn_num_operands(op); ++k)
    if (!needs(g, body, generic, sn_operand(op, k)))
      return false;
  return true;
}

// ---- reading the body -----------------------------------------------------------------------------

enum { EQUAL = 0, LESS = 2, LESS_OR_EQUAL = 3, GREATER = 4, GREATER_OR_EQUAL = 5 };

static bool is_position(const Bag *g, MlirValue v) {
  while (sn_is(sn_definer(v), "arith.index_cast"))
    v = sn_operand(sn_definer(v), 0);
  MlirOperation op = sn_definer(v);
  return sn_is(op, "linalg.index") && sn_int_attr(op, "dim", -1) == g->position;
}

// v compares an end of the range with the position so, or the other way round.
static bool compares(const Bag *g, MlirValue v, int64_t end_first, int64_t position_first, MlirValue *end) {
  MlirOperation op = sn_def(v, "arith.cmpi");
  if (sn_null(op))
    return false;
  bool first = is_position(g, sn_operand(op, 0));
  if (!first && !is_position(g, sn_operand(op, 1)))
    return false;
  *end = sn_operand(op, first);
  return sn_int_attr(op, "predicate", -1) == (first ? position_first : end_first);
}

static bool is_low(const Bag *g, MlirValue v, MlirValue *low) {
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

static bool read_range(Bag *g, MlirValue condition) {
  MlirOperation both = sn_def(condition, "arith.andi");
  for (intptr_t k = 0; !sn_null(both) && k < 2; ++k)
    if (is_low(g, sn_operand(both, k), &g->low) && compares(g, sn_operand(both, 1 - k), GREATER, LESS, &g->high)) {
      for (intptr_t loop = 0; loop < LOOPS; ++loop)
        if (loop != g->bag && (depends(g, g->low, loop) || depends(g, g->high, loop)))
          return sn_no(g->op, "a range that is not one for each row");
      return true;
    }
  return sn_no(g->op, "no range of positions");
}

static bool read_loops(Bag *g) {
  intptr_t n = sn_num_operands(g->op);
  MlirAffineMap out = map_of(g->op, n - 1);
  if (sn_num_results(g->op) != 1 || mlirAffineMapGetNumDims(out) != LOOPS || mlirAffineMapGetNumResults(out) != 2)
    return false;
  g->bag = sn_map_dim(out, 0);
  g->element = sn_map_dim(out, 1);
  g->position = LOOPS - g->bag - g->element;
  g->inputs = n - 1;
  if (g->bag < 0 || g->element < 0 || g->bag == g->element)
    return false;
  MlirOperation fill = sn_def(sn_operand(g->op, n - 1), "linalg.fill");
  return !sn_null(fill) && sn_constant_of(sn_operand(fill, 0)).ptr;
}

// The operand that has a loop as its only subscript: it says how many turns that has.
static MlirValue list_of(const Bag *g, intptr_t loop) {
  for (intptr_t k = 0; k < g->inputs; ++k)
    if (mlirAffineMapGetNumResults(map_of(g->op, k)) == 1 && sn_map_dim(map_of(g->op, k), 0) == loop)
      return sn_operand(g->op, k);
  return (MlirValue){0};
}

static bool same_size(SnSizeReader *r, MlirValue x, intptr_t i, MlirValue y, intptr_t j) {
  SnSize a = sn_size_of_dim(r, x, i), b = sn_size_of_dim(r, y, j);
  return sn_size_equal(&a, &b);
}

// Each operand is as long as its loops: nobody compares sizes of steps.
static bool sizes_fit(const Bag *g) {
  MlirValue out = sn_operand(g->op, g->inputs), list = list_of(g, g->position);
  SnSizeReader r = {.forgets = true};
  bool fit = true;
  for (intptr_t k = 0; k < g->inputs; ++k) {
    MlirAffineMap map = map_of(g->op, k);
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i) {
      intptr_t loop = sn_map_dim(map, i);
      fit &= loop == g->position ? same_size(&r, sn_operand(g->op, k), i, list, 0)
                                 : same_size(&r, sn_operand(g->op, k), i, out, loop == g->element);
    }
  }
  sn_size_reader_free(&r);
  return fit || sn_no(g->op, "operands whose sizes are not known to agree");
}

static bool read_bag(Bag *g, MlirOperation op) {
  *g = (Bag){.op = op, .body = body_of(op)};
  MlirOperation yield = mlirBlockGetTerminator(g->body), select = sn_def(sn_operand(yield, 0), "arith.select");
  if (sn_null(select) || !read_loops(g))
    return false;
  MlirValue acc = mlirBlockGetArgument(g->body, g->inputs);
  if (!sn_same(sn_operand(select, 2), acc) || !read_range(g, sn_operand(select, 0)))
    return false;
  g->next = sn_operand(select, 1);
  for (intptr_t k = 0; k < g->inputs; ++k)
    if (mlirAffineMapGetNumResults(map_of(op, k)) > LOOPS || !mlirAffineMapIsProjectedPermutation(map_of(op, k)))
      return sn_no(op, "an operand that is not read at its loops");
  if (sn_none(list_of(g, g->position)) || sn_none(list_of(g, g->bag)))
    return sn_no(op, "nothing has one element for each row, or for each position");
  return sizes_fit(g);
}

// ---- computing it again ---------------------------------------------------------------------------

static MlirValue again(const Bag *g, SnBuilder *b, Frame *f, MlirValue v);

static MlirValue load(const Bag *g, SnBuilder *b, MlirValue x, intptr_t n, const MlirValue *at) {
  for (size_t k = 0; k < g->operands.size; ++k)
    if (sn_same(g->operands.data[k], x))
      return sn(b, "memref.load", g->memory[k], sn_values(n, at), sn_element(sn_type_of(x)));
  return (MlirValue){0};
}

static MlirValue element_of(const Bag *g, SnBuilder *b, MlirValue x, intptr_t n, const MlirValue *at) {
  if (!is_formula(x))
    return load(g, b, x, n, at);
  SnMap known = {0};
  Frame f = {.op = sn_definer(x), .body = body_of(sn_definer(x)), .known = &known};
  for (intptr_t i = 0; i < n; ++i)
    f.at[i] = at[i];
  MlirValue v = again(g, b, &f, sn_operand(mlirBlockGetTerminator(f.body), 0));
  sn_map_free(&known);
  return v;
}

static MlirValue argument(const Bag *g, SnBuilder *b, Frame *f, MlirValue v) {
  intptr_t k = mlirBlockArgumentGetArgNumber(v);
  MlirAffineMap map = map_of(f->op, k);
  MlirValue at[LOOPS];
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
    at[i] = f->at[sn_map_dim(map, i)];
  return element_of(g, b, sn_operand(f->op, k), mlirAffineMapGetNumResults(map), at);
}

static MlirValue again(const Bag *g, SnBuilder *b, Frame *f, MlirValue v) {
  MlirValue made = sn_mapped(f->known, v);
  if (!sn_none(made))
    return made;
  MlirOperation op = sn_definer(v);
  if (sn_constant_of(v).ptr) {
    made = sn_constant(b, sn_constant_of(v));
  } else if (!is_inside(f->body, v)) {
    made = load(g, b, v, 0, NULL);
  } else if (sn_null(op)) {
    made = argument(g, b, f, v);
  } else if (sn_is(op, "linalg.index")) {
    made = f->at[sn_int_attr(op, "dim", 0)];
  } else {
    intptr_t n = sn_num_operands(op), from = sn_is(op, "tensor.extract");
    SnValueVec operands = {0};
    for (intptr_t k = from; k < n; ++k)
      sn_push(&operands, again(g, b, f, sn_operand(op, k)));
    MlirType t = sn_type_of(v);
    made = from ? element_of(g, b, sn_operand(op, 0), n - 1, operands.data)
                : sn_result(sn_clone_as(b, op, sn_values(n, operands.data), sn_types(1, &t)), 0);
    sn_vec_free(&operands);
  }
  sn_map(f->known, v, made);
  return made;
}

// ---- the steps ------------------------------------------------------------------------------------------

typedef struct {
  const Bag *bag;
  Frame *frame; // the bag is known
  MlirValue low;
} Positions;

static MlirValue as_index(SnBuilder *b, MlirValue v) {
  MlirType index = sn_index_type(b->ctx);
  return mlirTypeEqual(sn_type_of(v), index) ? v : sn(b, "arith.index_cast", v, index);
}

// Subscripts that are not the loop over elements: known before it, in f. Whether they are inside of their tables.
static MlirValue subscripts(const Bag *g, SnBuilder *b, Frame *f, MlirValue v, MlirValue all) {
  MlirOperation op = sn_definer(v);
  if (!is_inside(g->body, v) || sn_null(op))
    return all;
  bool from = sn_is(op, "tensor.extract");
  for (intptr_t k = from; k < sn_num_operands(op); ++k)
    all = subscripts(g, b, f, sn_operand(op, k), all);
  for (intptr_t i = 0; from && i + 1 < sn_num_operands(op); ++i) {
    MlirValue at = sn_operand(op, i + 1);
    if (depends(g, at, g->element))
      continue;
    MlirValue x = sn_operand(op, 0), size = sn_index(b, sn_dim(sn_type_of(x), i));
    for (size_t k = 0; sn_dim(sn_type_of(x), i) == SN_DYNAMIC && k < g->operands.size; ++k)
      if (sn_same(g->operands.data[k], x))
        size = sn(b, "memref.dim", g->memory[k], sn_index(b, i), sn_index_type(b->ctx));
    MlirValue inside = sn(b, "arith.cmpi", again(g, b, f, at), size, sn_attr("predicate", sn_i64(b->ctx, 6 /* ult */)));
    all = sn(b, "arith.andi", all, inside);
  }
  return all;
}

static MlirValue inside(SnBuilder *b, MlirValue lane, void *user) {
  const Positions *p = user;
  SnMap known = {0};
  Frame f = *p->frame;
  f.known = &known;
  f.at[p->bag->position] = sn(b, "arith.addi", p->low, lane);
  MlirValue all = subscripts(p->bag, b, &f, p->bag->next, sn_int(b, mlirIntegerTypeGet(b->ctx, 1), 1));
  sn_map_free(&known);
  return all;
}

static void store_first(const Bag *g, SnBuilder *b, MlirValue y, MlirValue row, MlirValue elements) {
  MlirValue e, init = sn_operand(sn_definer(sn_operand(g->op, g->inputs)), 0);
  SnBuilder in = sn_lanes_begin(b, elements, &e);
  MlirValue at[] = {row, e};
  sn_op(&in, "memref.store", sn_constant(&in, sn_constant_of(init)), y, sn_values(2, at));
  sn_lanes_end(&in);
}

static void add_position(const Bag *g, SnBuilder *b, const Frame *row, MlirValue p, MlirValue y, MlirValue elements) {
  SnMap known = {0};
  Frame f = *row;
  f.known = &known;
  f.at[g->position] = p;
  subscripts(g, b, &f, g->next, sn_int(b, mlirIntegerTypeGet(b->ctx, 1), 1)); // known in front of the step
  MlirValue e;
  SnBuilder in = sn_lanes_begin(b, elements, &e);
  f.at[g->element] = e;
  MlirValue at[] = {f.at[g->bag], e}, acc = mlirBlockGetArgument(g->body, g->inputs);
  sn_map(&known, acc, sn(&in, "memref.load", y, sn_values(2, at), sn_type_of(acc)));
  MlirValue v = again(g, &in, &f, g->next);
  sn_op(&in, "memref.store", v, y, sn_values(2, at));
  sn_lanes_end(&in);
  sn_map_free(&known);
}

static void fail_unless(SnBuilder *b, MlirValue inside) {
  sn_op(b, "cf.assert", inside, sn_attr("msg", sn_string(b->ctx, "an index of a bag is out of range")),
        sn_types(0, NULL));
}

// The range of the row, of positions that there are.
static void range_of(const Bag *g, SnBuilder *b, Frame *f, MlirValue *low, MlirValue *high) {
  MlirValue zero = sn_index(b, 0), positions = zero;
  for (size_t k = 0; k < g->operands.size; ++k)
    if (sn_same(g->operands.data[k], list_of(g, g->position)))
      positions = sn(b, "memref.dim", g->memory[k], zero, sn_index_type(b->ctx));
  MlirValue yes = sn_int(b, mlirIntegerTypeGet(b->ctx, 1), 1), ends = subscripts(g, b, f, g->low, yes);
  fail_unless(b, subscripts(g, b, f, g->high, ends));
  *low = sn(b, "arith.maxsi", as_index(b, again(g, b, f, g->low)), zero);
  *high = sn(b, "arith.minsi", as_index(b, again(g, b, f, g->high)), positions);
}

static void write_body(const Bag *g, SnBuilder *b, MlirValue row, MlirValue y) {
  SnMap known = {0};
  Frame f = {.op = g->op, .body = g->body, .known = &known};
  f.at[g->bag] = row;
  MlirValue elements = sn(b, "memref.dim", y, sn_index(b, 1), sn_index_type(b->ctx)), low, high;
  store_first(g, b, y, row, elements);
  range_of(g, b, &f, &low, &high);
  MlirValue count = sn(b, "arith.maxsi", sn(b, "arith.subi", high, low), sn_index(b, 0));
  Positions p = {g, &f, low};
  fail_unless(b, sn_all_lanes(b, count, inside, &p));
  SnLoop loop = sn_for(b, low, high, sn_index(b, 1));
  add_position(g, b, &f, loop.index, y, elements);
  sn_next(b, &loop);
  sn_map_free(&known);
}

// Numbers from outside come as tensors of one.
static MlirValue as_operand(SnBuilder *b, MlirValue v) {
  return is_scalar(v) ? sn(b, "tensor.from_elements", v, sn_tensor(sn_type_of(v), 0, NULL)) : v;
}

// What has one element for each row comes first: it gives the rows. A formula's destination does so, too.
static void add_loops(Bag *g) {
  MlirValue rows = list_of(g, g->bag);
  add_operand(g, is_formula(rows) ? sn_operand(sn_definer(rows), sn_num_operands(sn_definer(rows)) - 1) : rows);
  add_operand(g, list_of(g, g->position));
}

static void replace(const Bag *g, MlirOperation made) {
  mlirValueReplaceAllUsesOfWith(sn_result(g->op, 0), sn_result(made, 0));
  mlirOperationDestroy(g->op);
}

static bool become_steps(Bag *g) {
  add_loops(g);
  if (!needs(g, g->body, g->op, g->low) || !needs(g, g->body, g->op, g->high) || !needs(g, g->body, g->op, g->next))
    return false;
  SnBuilder b = sn_before(g->op);
  SnValueVec operands = {0};
  for (size_t k = 0; k < g->operands.size; ++k)
    sn_push(&operands, as_operand(&b, g->operands.data[k]));
  intptr_t inputs = (intptr_t)operands.size;
  sn_push(&operands, sn_layout_empty(&b, sn_operand(g->op, g->inputs))); // the result is what is replaced
  SnStepsBody body = sn_steps_begin(&b, inputs + 1, operands.data);
  g->memory = body.memory;
  write_body(g, &body.in, body.row, body.memory[inputs]);
  replace(g, sn_steps_end(&b, &body, 0, inputs, inputs + 1, operands.data));
  sn_vec_free(&operands);
  return true;
}

// ---- with a gradient ----------------------------------------------------------------------------------------

// What is added to the accumulator, if it is the same for all bags.
static bool read_summand(const Bag *g, MlirValue *summand) {
  MlirOperation add = sn_def(g->next, "arith.addf");
  MlirValue acc = mlirBlockGetArgument(g->body, g->inputs);
  for (intptr_t k = 0; !sn_null(add) && k < 2; ++k)
    if (sn_same(sn_operand(add, k), acc) && !depends(g, sn_operand(add, 1 - k), g->bag)) {
      *summand = sn_operand(add, 1 - k);
      return true;
    }
  return sn_no(g->op, "what it adds is not the same for all bags: it has no gradient");
}

// The ends of all ranges, as two lists.
static bool make_ends(Bag *g, SnBuilder *b, MlirValue *ends) {
  add_loops(g);
  if (!needs(g, g->body, g->op, g->low) || !needs(g, g->body, g->op, g->high))
    return false;
  MlirValue y = sn_operand(g->op, g->inputs), size = {0}, low, high;
  int64_t bags = sn_dim(sn_type_of(y), 0);
  if (bags == SN_DYNAMIC)
    size = sn(b, "tensor.dim", y, sn_index(b, 0), sn_index_type(b->ctx));
  SnValueVec operands = {0};
  for (size_t k = 0; k < g->operands.size; ++k)
    sn_push(&operands, as_operand(b, g->operands.data[k]));
  intptr_t inputs = (intptr_t)operands.size;
  for (intptr_t k = 0; k < 2; ++k)
    sn_push(&operands,
            sn(b, "tensor.empty", sn_values(!sn_none(size), &size), sn_tensor(sn_index_type(b->ctx), 1, &bags)));
  SnStepsBody body = sn_steps_begin(b, inputs + 2, operands.data);
  g->memory = body.memory;
  SnMap known = {0};
  Frame f = {.op = g->op, .body = g->body, .known = &known};
  f.at[g->bag] = body.row;
  range_of(g, &body.in, &f, &low, &high);
  sn_op(&body.in, "memref.store", low, body.memory[inputs], body.row, sn_types(0, NULL));
  sn_op(&body.in, "memref.store", high, body.memory[inputs + 1], body.row, sn_types(0, NULL));
  MlirOperation made = sn_steps_end(b, &body, 0, inputs, inputs + 2, operands.data);
  ends[0] = sn_result(made, 0);
  ends[1] = sn_result(made, 1);
  sn_map_free(&known);
  sn_vec_free(&operands);
  return true;
}

static MlirValue copied(const Bag *g, SnBuilder *in, SnMap *map, MlirValue v) {
  MlirValue made = sn_mapped(map, v);
  if (!sn_none(made) || !is_inside(g->body, v))
    return sn_none(made) ? v : made;
  MlirOperation op = sn_definer(v);
  SnValueVec operands = {0};
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    sn_push(&operands, copied(g, in, map, sn_operand(op, k)));
  MlirType t = sn_type_of(v);
  MlirOperation copy = sn_clone_as(in, op, sn_values((intptr_t)operands.size, operands.data), sn_types(1, &t));
  if (sn_is(op, "linalg.index"))
    sn_set_attr(copy, "dim", sn_i64(in->ctx, sn_int_attr(op, "dim", 0) == g->element));
  sn_vec_free(&operands);
  sn_map(map, v, sn_result(copy, 0));
  return sn_result(copy, 0);
}

// A matrix: what is added for each position.
static MlirValue make_summands(const Bag *g, SnBuilder *b, MlirValue summand) {
  MlirValue list = list_of(g, g->position), y = sn_operand(g->op, g->inputs);
  int64_t shape[] = {sn_dim(sn_type_of(list), 0), sn_dim(sn_type_of(y), 1)};
  SnValueVec operands = {0}, sizes = {0};
  SN_VEC(MlirAttribute) maps = {0};
  SN_VEC(MlirType) types = {0};
  SN_VEC(MlirLocation) locs = {0};
  SN_VEC(intptr_t) kept = {0};
  for (intptr_t k = 0; k < g->inputs; ++k) {
    MlirAffineMap map = map_of(g->op, k);
    MlirAffineExpr at[LOOPS];
    intptr_t rank = mlirAffineMapGetNumResults(map);
    if (sn_map_uses(map, g->bag))
      continue;
    for (intptr_t i = 0; i < rank; ++i)
      at[i] = mlirAffineDimExprGet(b->ctx, sn_map_dim(map, i) == g->element);
    sn_push(&maps, mlirAffineMapAttrGet(mlirAffineMapGet(b->ctx, 2, 0, rank, at)));
    sn_push(&operands, sn_operand(g->op, k));
    sn_push(&types, sn_type_of(mlirBlockGetArgument(g->body, k)));
    sn_push(&locs, b->loc);
    sn_push(&kept, k);
  }
  for (intptr_t i = 0; i < 2; ++i)
    if (shape[i] == SN_DYNAMIC)
      sn_push(&sizes, sn(b, "tensor.dim", i ? y : list, sn_index(b, i), sn_index_type(b->ctx)));
  MlirType element = sn_type_of(summand), t = sn_tensor(element, 2, shape);
  sn_push(&operands, sn(b, "tensor.empty", sn_values((intptr_t)sizes.size, sizes.data), t));
  sn_push(&maps, mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(b->ctx, 2)));
  sn_push(&types, element);
  sn_push(&locs, b->loc);
  intptr_t n = (intptr_t)operands.size;
  MlirBlock block = mlirBlockCreate(n, types.data, locs.data);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  SnBuilder in = sn_at_end(block, b->loc);
  SnMap map = {0};
  for (size_t k = 0; k < kept.size; ++k)
    sn_map(&map, mlirBlockGetArgument(g->body, kept.data[k]), mlirBlockGetArgument(block, (intptr_t)k));
  sn_op(&in, "linalg.yield", copied(g, &in, &map, summand), sn_types(0, NULL));
  MlirAttribute parallel = sn_parse_attr(b->ctx, "#linalg.iterator_type<parallel>"), kinds[] = {parallel, parallel};
  MlirValue made = sn(b, "linalg.generic", sn_values(n, operands.data), t, region,
                      sn_attr("indexing_maps", mlirArrayAttrGet(b->ctx, n, maps.data)),
                      sn_attr("iterator_types", mlirArrayAttrGet(b->ctx, 2, kinds)),
                      sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){(int32_t)n - 1, 1})));
  sn_map_free(&map);
  sn_vec_free(&operands);
  sn_vec_free(&sizes);
  sn_vec_free(&maps);
  sn_vec_free(&types);
  sn_vec_free(&locs);
  sn_vec_free(&kept);
  return made;
}

static bool become_sums(Bag *g) {
  MlirValue summand, operands[4];
  SnBuilder b = sn_before(g->op);
  if (!read_summand(g, &summand) || !make_ends(g, &b, operands))
    return false;
  operands[2] = make_summands(g, &b, summand);
  operands[3] = sn_layout_empty(&b, sn_operand(g->op, g->inputs));
  SnStepsBody body = sn_steps_begin(&b, 4, operands);
  SnBuilder *in = &body.in;
  MlirType index = sn_index_type(b.ctx), element = sn_type_of(summand);
  MlirValue y = body.memory[3], elements = sn(in, "memref.dim", y, sn_index(in, 1), index), e;
  store_first(g, in, y, body.row, elements);
  SnLoop p = sn_for(in, sn(in, "memref.load", body.memory[0], body.row, index),
                    sn(in, "memref.load", body.memory[1], body.row, index), sn_index(in, 1));
  SnBuilder lane = sn_lanes_begin(in, elements, &e);
  MlirValue v = sn(&lane, "memref.load", body.memory[2], p.index, e, element);
  v = sn(&lane, "arith.addf", v, sn(&lane, "memref.load", y, body.row, e, element));
  sn_op(&lane, "memref.store", v, y, body.row, e, sn_types(0, NULL));
  sn_lanes_end(&lane);
  sn_next(in, &p);
  MlirOperation made = sn_steps_end(&b, &body, 0, 3, 4, operands);
  sn_set_attr(made, SN_SUMS_OF_RANGES, mlirUnitAttrGet(b.ctx));
  replace(g, made);
  return true;
}

// ---- the pass ----------------------------------------------------------------------------------------------

typedef struct {
  const char *wrt;
  bool gradients;
} Options;
static const SnOption options[] = {
    {SN_OPTION_STRING, "wrt", "arguments that the program is differentiated by later", "", NULL,
     offsetof(Options, wrt)},
    {SN_OPTION_BOOL, "gradients", "only where gradients are asked for, which need it", "false", NULL,
     offsetof(Options, gradients)},
    {0},
};

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  const Options *o = run->options;
  SnOpVec generics = sn_collect(root, "linalg.generic"), asked = sn_collect(root, "sinter.differentiate");
  bool gradients = *o->wrt || asked.size;
  for (size_t i = o->gradients && !gradients ? 0 : generics.size; i-- > 0;) {
    Bag g;
    if (read_bag(&g, generics.data[i]))
      (gradients ? become_sums : become_steps)(&g);
    sn_vec_free(&g.operands);
  }
  sn_vec_free(&generics);
  sn_vec_free(&asked);
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__cf__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__,
                                                      mlirGetDialectHandle__cf__,
                                                      mlirGetDialectHandle__memref__,
                                                      mlirGetDialectHandle__scf__,
                                                      mlirGetDialectHandle__tensor__,
                                                      mlirGetDialectHandle__sinter__,
                                                      NULL};

const SnPass sn_pass_bags = {
    .argument = "sinter-bags",
    .summary = "embedding bags as torch-mlir writes them: sums over a range of positions for each row",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};
