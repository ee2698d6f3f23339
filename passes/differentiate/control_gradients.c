// control_gradients.c: gradients of loops and branches that carry tensors.
//
//   %y = scf.for / scf.if / scf.while ... { reads %w }    dy  ->  what the values that go in get, and %w
//
// A block of such an op is differentiated where a copy of it stands, by a graph of its own (differentiate/graph.h):
// what it yields are the losses, and its arguments and what it reads from outside are what it is differentiated by.
// What the copy computes once more and nobody reads goes.
//
// runs in: differentiate    test: test/passes/differentiate/loop_gradients.mlir, test/run/loop_gradients.test

#include "capi/shim.h"
#include "passes/differentiate/graph.h"

bool sn_is_control(MlirOperation op) {
  if (sn_is(op, "scf.while"))
    return true;
  return sn_is(op, "scf.for") || (sn_is(op, "scf.if") && sn_num_results(op));
}

MlirBlock sn_control_block(MlirOperation op, intptr_t k) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, k));
}

// ---- what depends ----------------------------------------------------------------------

typedef struct {
  const SnGraph *g;
  MlirOperation op;
  SnValueVec *to;
  SnTable there;
} Captured;

static bool stands_inside(MlirValue v, MlirOperation op) {
  MlirBlock block = mlirValueIsABlockArgument(v) ? mlirBlockArgumentGetOwner(v) : mlirOperationGetBlock(sn_definer(v));
  for (MlirOperation around = mlirBlockGetParentOperation(block); !sn_null(around);
       around = mlirOperationGetParentOperation(around))
    if (mlirOperationEqual(around, op))
      return true;
  return false;
}

static MlirWalkResult add_captured(MlirOperation op, void *user) {
  Captured *c = user;
  bool closed;
  intptr_t n = sn_graph_reads(op, &closed);
  for (intptr_t k = 0; k < n && !mlirOperationEqual(op, c->op); ++k) {
    MlirValue v = sn_operand(op, k);
    if (sn_table_has(&c->there, v.ptr) || !sn_graph_depends(c->g, v) || stands_inside(v, c->op))
      continue;
    sn_table_put(&c->there, v.ptr, 1);
    sn_push(c->to, v);
  }
  return closed ? MlirWalkResultSkip : MlirWalkResultAdvance;
}

SnValueVec sn_control_captured(const SnGraph *g, MlirOperation op) {
  SnValueVec all = {0};
  Captured c = {.g = g, .op = op, .to = &all};
  mlirOperationWalk(op, add_captured, &c, MlirWalkPreOrder);
  sn_table_free(&c.there);
  return all;
}

// A block: how many of its first arguments carry nothing, and of what it ends with.
typedef struct {
  MlirBlock block;
  intptr_t arguments, yields;
} Part;

// Which of what a block ends with depends, where these of its arguments do. False after an error.
static bool find_yields(Part p, const SnValueVec *captured, const bool *arguments, bool *yields) {
  SnGraph g = {.block = p.block};
  MlirOperation end = mlirBlockGetTerminator(p.block);
  for (size_t k = 0; k < captured->size; ++k)
    sn_table_put(&g.is_wrt, captured->data[k].ptr, 1);
  for (intptr_t k = p.arguments; k < mlirBlockGetNumArguments(p.block); ++k)
    if (arguments[k - p.arguments])
      sn_table_put(&g.is_wrt, mlirBlockGetArgument(p.block, k).ptr, 1);
  bool ok = true;
  for (intptr_t k = p.yields; k < sn_num_operands(end) && ok; ++k) {
    MlirValue v = sn_operand(end, k);
    if (!sn_is_float(sn_element(sn_type_of(v))))
      continue;
    ok = sn_graph_reach(&g, 1, &v);
    yields[k - p.yields] |= ok && sn_graph_depends(&g, v);
  }
  sn_graph_free(&g);
  return ok;
}

static size_t count(const bool *all, intptr_t n) {
  size_t sum = 0;
  for (intptr_t k = 0; k < n; ++k)
    sum += all[k];
  return sum;
}

// To the end, from what it begins with: what depends in one turn may make more depend in the next.
static bool find_results(SnGraph *g, MlirOperation op, const SnValueVec *captured, bool *results) {
  bool loop = sn_is(op, "scf.for"), branch = sn_is(op, "scf.if");
  intptr_t first = loop ? 3 : branch ? 1 : 0, inits = sn_num_operands(op) - first, n = sn_num_results(op);
  bool *carried = sn_alloc((size_t)inits + 1), ok = true;
  for (intptr_t k = 0; k < inits; ++k)
    carried[k] = sn_graph_depends(g, sn_operand(op, first + k));
  for (size_t before = SIZE_MAX, now = 0; ok && before != now;) {
    before = count(carried, inits) + count(results, n);
    for (intptr_t k = 0; loop && k < n; ++k)
      results[k] |= carried[k];
    ok = find_yields((Part){sn_control_block(op, 0), loop, !loop && !branch}, captured, carried, results);
    if (ok && branch)
      ok = find_yields((Part){sn_control_block(op, 1), 0, 0}, captured, carried, results);
    else if (ok && !loop)
      ok = find_yields((Part){sn_control_block(op, 1), 0, 0}, captured, results, carried);
    for (intptr_t k = 0; loop && k < n; ++k)
      carried[k] |= results[k];
    now = count(carried, inits) + count(results, n);
  }
  free(carried);
  return ok;
}

bool sn_control_visit(SnGraph *g, MlirOperation op) {
  SnValueVec captured = sn_control_captured(g, op);
  intptr_t n = sn_num_results(op);
  bool *results = sn_alloc((size_t)n + 1), ok = find_results(g, op, &captured, results);
  for (intptr_t k = 0; k < n && ok; ++k)
    if (!results[k]) // numbers that depend were refused where they are read from a tensor
      sn_table_put(&g->idle, sn_result(op, k).ptr, 1);
  free(results);
  sn_vec_free(&captured);
  return ok;
}

// ---- a block ---------------------------------------------------------------------------

void sn_block_begin(SnBlockGradient *s, MlirBlock copy, MlirLocation loc) {
  *s = (SnBlockGradient){.graph = {.b = sn_at_end(copy, loc), .block = copy}};
}

void sn_block_by(SnBlockGradient *s, MlirValue v, SnGradient has) {
  if (sn_table_has(&s->graph.is_wrt, v.ptr))
    return;
  sn_table_put(&s->graph.is_wrt, v.ptr, 1);
  sn_push(&s->by, v);
  if (has.given)
    sn_graph_add(&s->graph, v, has);
}

MlirOperation sn_block_end(SnBlockGradient *s, intptr_t n, const MlirValue *values, const SnGradient *upstream,
                           const SnValueVec *keep) {
  SnGraph *g = &s->graph;
  SnValueVec all = {0};
  MlirOperation end = {0};
  MlirLocation loc = g->b.loc;
  bool ok = sn_graph_reach(g, n, values);
  for (intptr_t k = 0; k < n && ok; ++k)
    if (upstream[k].given && !sn_none(values[k]) && sn_graph_depends(g, values[k])) {
      sn_push(&g->of, values[k]);
      sn_graph_add(g, values[k], upstream[k]);
    }
  ok = ok && sn_graph_reverse(g);
  g->b.loc = loc;
  if (ok) {
    for (size_t k = 0; k < s->by.size; ++k) {
      MlirValue x = s->by.data[k];
      sn_push(&all, sn_graph_value(g, x, sn_wide_type(sn_element(sn_type_of(x))), sn_graph_sum(g, x)));
    }
    for (size_t k = 0; k < keep->size; ++k)
      sn_push(&all, keep->data[k]);
    end = sn_op(&g->b, "scf.yield", sn_values((intptr_t)all.size, all.data), sn_types(0, NULL));
    sn_tapes_keep(g);
    sn_graph_tidy(end, (MlirOperation){0});
    sn_erase_dead(g->block);
  }
  sn_graph_free(g);
  sn_vec_free(&s->by);
  sn_vec_free(&all);
  return end;
}

bool sn_control_gradient(SnGraph *g, MlirOperation op) {
  bool any = false;
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    any |= sn_graph_depends(g, sn_result(op, k)) && sn_graph_sum(g, sn_result(op, k)).given;
  if (!any)
    return true;
  g->b.loc = mlirOperationGetLocation(op);
  return sn_is(op, "scf.for")  ? sn_loop_gradient(g, op)
         : sn_is(op, "scf.if") ? sn_branch_gradient(g, op)
                               : sn_while_gradient(g, op);
}
