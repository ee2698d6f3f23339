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
#include "passes/program/bags.h"
#include "passes/program/tensor_steps.h"

// A body that is computed again: where its loops stand, and values that are known already.
typedef struct {
  MlirOperation op;
  MlirBlock body;
  MlirValue at[SN_BAG_LOOPS];
  SnMap *known;
} Frame;

// ---- computing it again ---------------------------------------------------------------------------

static MlirValue again(const SnBag *g, SnBuilder *b, Frame *f, MlirValue v);

static MlirValue load(const SnBag *g, SnBuilder *b, MlirValue x, intptr_t n, const MlirValue *at) {
  for (size_t k = 0; k < g->operands.size; ++k)
    if (sn_same(g->operands.data[k], x))
      return sn(b, "memref.load", g->memory[k], sn_values(n, at), sn_element(sn_type_of(x)));
  return (MlirValue){0};
}

static MlirValue element_of(const SnBag *g, SnBuilder *b, MlirValue x, intptr_t n, const MlirValue *at) {
  if (!sn_bag_formula(x))
    return load(g, b, x, n, at);
  SnMap known = {0};
  Frame f = {.op = sn_definer(x), .body = sn_bag_body(sn_definer(x)), .known = &known};
  for (intptr_t i = 0; i < n; ++i)
    f.at[i] = at[i];
  MlirValue v = again(g, b, &f, sn_operand(mlirBlockGetTerminator(f.body), 0));
  sn_map_free(&known);
  return v;
}

static MlirValue argument(const SnBag *g, SnBuilder *b, Frame *f, MlirValue v) {
  intptr_t k = mlirBlockArgumentGetArgNumber(v);
  MlirAffineMap map = sn_bag_map(f->op, k);
  MlirValue at[SN_BAG_LOOPS];
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
    at[i] = f->at[sn_map_dim(map, i)];
  return element_of(g, b, sn_operand(f->op, k), mlirAffineMapGetNumResults(map), at);
}

static MlirValue again(const SnBag *g, SnBuilder *b, Frame *f, MlirValue v) {
  MlirValue made = sn_mapped(f->known, v);
  if (!sn_none(made))
    return made;
  MlirOperation op = sn_definer(v);
  if (sn_constant_of(v).ptr) {
    made = sn_constant(b, sn_constant_of(v));
  } else if (!sn_bag_has(f->body, v)) {
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
  const SnBag *bag;
  Frame *frame; // the bag is known
  MlirValue low;
} Positions;

static MlirValue as_index(SnBuilder *b, MlirValue v) {
  MlirType index = sn_index_type(b->ctx);
  return mlirTypeEqual(sn_type_of(v), index) ? v : sn(b, "arith.index_cast", v, index);
}

// Subscripts that are not the loop over elements: known before it, in f. Whether they are inside of their tables.
static MlirValue subscripts(const SnBag *g, SnBuilder *b, Frame *f, MlirValue v, MlirValue all) {
  MlirOperation op = sn_definer(v);
  if (!sn_bag_has(g->body, v) || sn_null(op))
    return all;
  bool from = sn_is(op, "tensor.extract");
  for (intptr_t k = from; k < sn_num_operands(op); ++k)
    all = subscripts(g, b, f, sn_operand(op, k), all);
  for (intptr_t i = 0; from && i + 1 < sn_num_operands(op); ++i) {
    MlirValue at = sn_operand(op, i + 1);
    if (sn_bag_depends(g, at, g->element))
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

static void store_first(const SnBag *g, SnBuilder *b, MlirValue y, MlirValue row, MlirValue elements) {
  MlirValue e, init = sn_operand(sn_definer(sn_operand(g->op, g->inputs)), 0);
  SnBuilder in = sn_lanes_begin(b, elements, &e);
  MlirValue at[] = {row, e};
  sn_op(&in, "memref.store", sn_constant(&in, sn_constant_of(init)), y, sn_values(2, at));
  sn_lanes_end(&in);
}

static void add_position(const SnBag *g, SnBuilder *b, const Frame *row, MlirValue p, MlirValue y, MlirValue elements) {
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
static void range_of(const SnBag *g, SnBuilder *b, Frame *f, MlirValue *low, MlirValue *high) {
  MlirValue zero = sn_index(b, 0), positions = zero;
  for (size_t k = 0; k < g->operands.size; ++k)
    if (sn_same(g->operands.data[k], sn_bag_list(g, g->position)))
      positions = sn(b, "memref.dim", g->memory[k], zero, sn_index_type(b->ctx));
  MlirValue yes = sn_int(b, mlirIntegerTypeGet(b->ctx, 1), 1), ends = subscripts(g, b, f, g->low, yes);
  fail_unless(b, subscripts(g, b, f, g->high, ends));
  *low = sn(b, "arith.maxsi", as_index(b, again(g, b, f, g->low)), zero);
  *high = sn(b, "arith.minsi", as_index(b, again(g, b, f, g->high)), positions);
}

static void write_body(const SnBag *g, SnBuilder *b, MlirValue row, MlirValue y) {
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
  return sn_bag_number(v) ? sn(b, "tensor.from_elements", v, sn_tensor(sn_type_of(v), 0, NULL)) : v;
}

// What has one element for each row comes first: it gives the rows. A formula's destination does so, too.
static void add_loops(SnBag *g) {
  MlirValue rows = sn_bag_list(g, g->bag);
  sn_bag_operand(g, sn_bag_formula(rows) ? sn_operand(sn_definer(rows), sn_num_operands(sn_definer(rows)) - 1) : rows);
  sn_bag_operand(g, sn_bag_list(g, g->position));
}

static void replace(const SnBag *g, MlirOperation made) {
  mlirValueReplaceAllUsesOfWith(sn_result(g->op, 0), sn_result(made, 0));
  mlirOperationDestroy(g->op);
}

static bool become_steps(SnBag *g) {
  add_loops(g);
  if (!sn_bag_needs(g, g->body, g->op, g->low) || !sn_bag_needs(g, g->body, g->op, g->high) ||
      !sn_bag_needs(g, g->body, g->op, g->next))
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
static bool read_summand(const SnBag *g, MlirValue *summand) {
  MlirOperation add = sn_def(g->next, "arith.addf");
  MlirValue acc = mlirBlockGetArgument(g->body, g->inputs);
  for (intptr_t k = 0; !sn_null(add) && k < 2; ++k)
    if (sn_same(sn_operand(add, k), acc) && !sn_bag_depends(g, sn_operand(add, 1 - k), g->bag)) {
      *summand = sn_operand(add, 1 - k);
      return true;
    }
  return sn_no(g->op, "what it adds is not the same for all bags: it has no gradient");
}

// The ends of all ranges, as two lists.
static bool make_ends(SnBag *g, SnBuilder *b, MlirValue *ends) {
  add_loops(g);
  if (!sn_bag_needs(g, g->body, g->op, g->low) || !sn_bag_needs(g, g->body, g->op, g->high))
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

static MlirValue copied(const SnBag *g, SnBuilder *in, SnMap *map, MlirValue v) {
  MlirValue made = sn_mapped(map, v);
  if (!sn_none(made) || !sn_bag_has(g->body, v))
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
static MlirValue make_summands(const SnBag *g, SnBuilder *b, MlirValue summand) {
  MlirValue list = sn_bag_list(g, g->position), y = sn_operand(g->op, g->inputs);
  int64_t shape[] = {sn_dim(sn_type_of(list), 0), sn_dim(sn_type_of(y), 1)};
  SnValueVec operands = {0}, sizes = {0};
  SN_VEC(MlirAttribute) maps = {0};
  SN_VEC(MlirType) types = {0};
  SN_VEC(MlirLocation) locs = {0};
  SN_VEC(intptr_t) kept = {0};
  for (intptr_t k = 0; k < g->inputs; ++k) {
    MlirAffineMap map = sn_bag_map(g->op, k);
    MlirAffineExpr at[SN_BAG_LOOPS];
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

static bool become_sums(SnBag *g) {
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
    SnBag g;
    if (sn_read_bag(&g, generics.data[i]))
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
