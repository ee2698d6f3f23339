// loops.c: linalg that is no kernel form, as a kernel of plain loops.
//
//   %v, %i = linalg.generic (r, c) ins(%x) outs(%m, %n)     sinter.steps rows(0) ins(%m, %x, %n) outs(%y, %j) {
//     %g = arith.cmpf ogt, %a, %p                           ^row(%r, ...):
//     %k = arith.select %g, ...                       ->      y[r] = m[r]; j[r] = n[r]
//     yield %s, %k                                            scf.for %c: y[r], j[r] = the body of x[r, c], y[r], j[r]
//                                                           }
//
// A program for a GPU runs nothing but kernels. Rows are a loop that every result has as a subscript, the lanes of a
// step another one; all other loops are one turn after the other. What a body reads from outside is a constant.
//
// runs in: sinter-gpu    test: test/passes/program/loops.mlir

#include "dialect/dialect.h"
#include "dialect/steps.h"
#include "mlir-c/Dialect/Linalg.h"
#include "passes/program/tensor_steps.h"

typedef struct {
  MlirOperation op;
  MlirBlock body;
  intptr_t inputs, outputs, loops;
  intptr_t row, lane;          // which loops; -1: none
  MlirValue size[SN_MAX_DIMS]; // of each loop
  MlirValue at[SN_MAX_DIMS];
  MlirValue *from; // memory of each operand, null of a number; of an output, what it begins with
  MlirValue *to;   // memory of each result
} Loops;

static MlirAffineMap map_of(const Loops *l, intptr_t k) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(mlirLinalgGetIndexingMapsAttribute(l->op), k));
}

static intptr_t place_of(MlirAffineMap map, intptr_t loop) {
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(map); ++p)
    if (sn_map_dim(map, p) == loop)
      return p;
  return -1;
}

// ---- whether it can be -----------------------------------------------------------------------

static bool has_value(MlirAffineExpr e) {
  if (!mlirAffineExprIsABinary(e))
    return mlirAffineExprIsADim(e) || mlirAffineExprIsAConstant(e);
  return (mlirAffineExprIsAAdd(e) || mlirAffineExprIsAMul(e)) && has_value(mlirAffineBinaryOpExprGetLHS(e)) &&
         has_value(mlirAffineBinaryOpExprGetRHS(e));
}

static bool is_element(MlirType t) {
  return mlirTypeIsAIndex(t) || (sn_is_float(t) && (sn_bits(t) > 8 || sn_is_float8(t))) || mlirTypeIsAInteger(t);
}

static bool reads_itself(const Loops *l) {
  for (MlirOperation op = mlirBlockGetFirstOperation(l->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    bool known = sn_is(op, "linalg.index") || sn_is(op, "linalg.yield") || sn_in_dialect(op, "arith") ||
                 sn_in_dialect(op, "math");
    if (!known || mlirOperationGetNumRegions(op))
      return sn_no(l->op, "'%s' in its body", sn_name(op));
    for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
      MlirValue v = sn_operand(op, k);
      bool inside = mlirBlockEqual(
          mlirValueIsABlockArgument(v) ? mlirBlockArgumentGetOwner(v) : mlirOperationGetBlock(sn_definer(v)), l->body);
      if (!inside && !sn_constant_of(v).ptr)
        return sn_no(l->op, "its body reads a value from outside that is no constant");
    }
  }
  return true;
}

static bool has_size(const Loops *l, intptr_t loop) {
  for (intptr_t k = 0; k < l->inputs + l->outputs; ++k)
    if (place_of(map_of(l, k), loop) >= 0)
      return true;
  return sn_no(l->op, "no operand says how long a loop is");
}

static bool read_loops(Loops *l, MlirOperation op) {
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  if (!maps.ptr || mlirOperationGetNumRegions(op) != 1 || !sn_num_results(op))
    return false;
  *l = (Loops){.op = op, .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)), .row = -1, .lane = -1};
  l->outputs = sn_num_results(op);
  l->inputs = sn_num_operands(op) - l->outputs;
  l->loops = mlirAffineMapGetNumDims(map_of(l, 0));
  if (l->loops > SN_MAX_DIMS)
    return false;
  for (intptr_t k = 0; k < l->inputs + l->outputs; ++k) {
    MlirType t = sn_type_of(sn_operand(op, k));
    bool tensor = mlirTypeIsARankedTensor(t);
    if (!is_element(tensor ? sn_element(t) : t) || (!tensor && !sn_constant_of(sn_operand(op, k)).ptr))
      return sn_no(op, "operand %td is a number that is computed outside of kernels, or of no type of theirs", k);
    for (intptr_t p = 0; p < mlirAffineMapGetNumResults(map_of(l, k)); ++p)
      if (!has_value(mlirAffineMapGetResult(map_of(l, k), p)))
        return sn_no(op, "a subscript that is no sum of loops");
  }
  for (intptr_t d = 0; d < l->loops; ++d)
    if (!has_size(l, d))
      return false;
  return reads_itself(l);
}

// A loop that every result has as a subscript: no two of its turns write to one place.
static bool is_shared(const Loops *l, intptr_t loop) {
  for (intptr_t k = 0; k < l->outputs; ++k)
    if (place_of(map_of(l, l->inputs + k), loop) < 0)
      return false;
  return true;
}

static void choose(Loops *l) {
  for (intptr_t d = 0; d < l->loops; ++d)
    if (is_shared(l, d)) {
      if (l->row < 0)
        l->row = d;
      else
        l->lane = d;
    }
}

// ---- the body --------------------------------------------------------------------------------

static MlirValue value_of(SnBuilder *b, const Loops *l, MlirAffineExpr e) {
  if (mlirAffineExprIsADim(e))
    return l->at[mlirAffineDimExprGetPosition(e)];
  if (mlirAffineExprIsAConstant(e))
    return sn_index(b, mlirAffineConstantExprGetValue(e));
  MlirValue x = value_of(b, l, mlirAffineBinaryOpExprGetLHS(e)), y = value_of(b, l, mlirAffineBinaryOpExprGetRHS(e));
  return sn(b, mlirAffineExprIsAAdd(e) ? "arith.addi" : "arith.muli", x, y);
}

static intptr_t subscripts(SnBuilder *b, const Loops *l, intptr_t operand, MlirValue *at) {
  MlirAffineMap map = map_of(l, operand);
  intptr_t n = mlirAffineMapGetNumResults(map);
  for (intptr_t p = 0; p < n; ++p)
    at[p] = value_of(b, l, mlirAffineMapGetResult(map, p));
  return n;
}

static MlirValue load(SnBuilder *b, const Loops *l, intptr_t operand, MlirValue memory) {
  MlirValue at[SN_MAX_DIMS];
  intptr_t n = subscripts(b, l, operand, at);
  return sn(b, "memref.load", memory, sn_values(n, at), sn_element(sn_type_of(memory)));
}

static void store(SnBuilder *b, const Loops *l, intptr_t output, MlirValue v) {
  MlirValue at[SN_MAX_DIMS];
  intptr_t n = subscripts(b, l, l->inputs + output, at);
  sn_op(b, "memref.store", v, l->to[output], sn_values(n, at));
}

static void take_sizes(SnBuilder *b, Loops *l) {
  for (intptr_t d = 0; d < l->loops; ++d)
    for (intptr_t k = l->inputs + l->outputs; k-- > 0 && sn_none(l->size[d]);) {
      intptr_t p = place_of(map_of(l, k), d);
      if (p >= 0)
        l->size[d] = sn(b, "memref.dim", l->from[k], sn_index(b, p), sn_index_type(b->ctx));
    }
}

// What each result begins with, at the loops that stand.
static void begin_results(SnBuilder *b, Loops *l) {
  for (intptr_t k = 0; k < l->outputs; ++k)
    store(b, l, k, load(b, l, l->inputs + k, l->from[l->inputs + k]));
}

static void run_body(SnBuilder *b, Loops *l) {
  SnMap map = {0};
  for (intptr_t k = 0; k < l->inputs + l->outputs; ++k) {
    MlirValue argument = mlirBlockGetArgument(l->body, k), v = sn_operand(l->op, k);
    sn_map(&map, argument,
           k >= l->inputs        ? load(b, l, k, l->to[k - l->inputs])
           : sn_none(l->from[k]) ? sn_constant(b, sn_constant_of(v))
                                 : load(b, l, k, l->from[k]));
  }
  MlirOperation end = mlirBlockGetTerminator(l->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(l->body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    if (sn_is(op, "linalg.index")) {
      sn_map(&map, sn_result(op, 0), l->at[sn_int_attr(op, "dim", 0)]);
      continue;
    }
    for (intptr_t k = 0; k < sn_num_operands(op); ++k)
      if (sn_none(sn_mapped(&map, sn_operand(op, k))))
        sn_map(&map, sn_operand(op, k), sn_constant(b, sn_constant_of(sn_operand(op, k))));
    sn_clone(b, op, &map);
  }
  for (intptr_t k = 0; k < l->outputs; ++k) {
    MlirValue v = sn_operand(end, k), made = sn_mapped(&map, v);
    store(b, l, k, sn_none(made) ? sn_constant(b, sn_constant_of(v)) : made);
  }
  sn_map_free(&map);
}

// The loops from d on that results share, or that they do not: `then` stands in all of them.
static void nest(SnBuilder *b, Loops *l, intptr_t d, bool shared, void (*then)(SnBuilder *b, Loops *l)) {
  if (d == l->loops) {
    then(b, l);
    return;
  }
  if (d == l->row || d == l->lane || is_shared(l, d) != shared) {
    nest(b, l, d + 1, shared, then);
    return;
  }
  SnLoop turn = sn_for(b, sn_index(b, 0), l->size[d], sn_index(b, 1));
  l->at[d] = turn.index;
  nest(b, l, d + 1, shared, then);
  sn_next(b, &turn);
}

static void one_place(SnBuilder *b, Loops *l) {
  begin_results(b, l);
  nest(b, l, 0, false, run_body);
}

static void lanes(SnBuilder *b, Loops *l) {
  if (l->lane < 0) {
    one_place(b, l);
    return;
  }
  SnBuilder in = sn_lanes_begin(b, l->size[l->lane], &l->at[l->lane]);
  one_place(&in, l);
  sn_lanes_end(&in);
}

// ---- the form ----------------------------------------------------------------------------------

static MlirValue one_row(SnBuilder *b) {
  int64_t one = 1;
  return sn(b, "tensor.empty", sn_tensor(mlirIntegerTypeGet(b->ctx, 8), 1, &one));
}

static void become_steps(Loops *l) {
  SnBuilder b = sn_before(l->op);
  intptr_t n = l->inputs + l->outputs;
  SnValueVec operands = {0};
  SN_VEC(intptr_t) of = {0};
  // The first says how many rows there are.
  sn_push(&operands, l->row < 0 ? one_row(&b) : sn_operand(l->op, l->inputs));
  for (intptr_t k = 0; k < n; ++k) {
    bool first = l->row >= 0 && k == l->inputs, tensor = mlirTypeIsARankedTensor(sn_type_of(sn_operand(l->op, k)));
    sn_push(&of, first ? 0 : tensor ? (intptr_t)operands.size : -1);
    if (!first && tensor)
      sn_push(&operands, sn_operand(l->op, k));
  }
  intptr_t inputs = (intptr_t)operands.size, rows = l->row < 0 ? 0 : place_of(map_of(l, l->inputs), l->row);
  for (intptr_t k = 0; k < l->outputs; ++k)
    sn_push(&operands, sn_layout_empty(&b, sn_operand(l->op, l->inputs + k)));
  SnStepsBody body = sn_steps_begin(&b, (intptr_t)operands.size, operands.data);
  l->from = sn_alloc((size_t)n * sizeof *l->from);
  for (intptr_t k = 0; k < n; ++k)
    l->from[k] = of.data[k] < 0 ? (MlirValue){0} : body.memory[of.data[k]];
  l->to = body.memory + inputs;
  take_sizes(&body.in, l);
  if (l->row >= 0)
    l->at[l->row] = body.row;
  nest(&body.in, l, 0, true, lanes);
  MlirOperation made = sn_steps_end(&b, &body, rows, inputs, (intptr_t)operands.size, operands.data);
  for (intptr_t k = 0; k < l->outputs; ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(l->op, k), sn_result(made, k));
  mlirOperationDestroy(l->op);
  free(l->from);
  sn_vec_free(&of);
  sn_vec_free(&operands);
}

static MlirWalkResult look(MlirOperation op, void *user) {
  if (sn_is_form(op) || sn_is_steps(op))
    return MlirWalkResultSkip;
  if (sn_in_dialect(op, "linalg") && mlirOperationGetNumRegions(op))
    sn_push((SnOpVec *)user, op);
  return MlirWalkResultAdvance;
}

static MlirLogicalResult run_function(MlirOperation func, void *user) {
  (void)user;
  SnOpVec found = {0};
  sn_erase_dead(sn_function_body(func));
  mlirOperationWalk(func, look, &found, MlirWalkPreOrder);
  for (size_t k = 0; k < found.size; ++k) {
    Loops l;
    if (!read_loops(&l, found.data[k]))
      continue;
    if (!sn_is(found.data[k], "linalg.fill"))
      sn_remark(found.data[k], "becomes a kernel of plain loops, as no form holds it");
    choose(&l);
    become_steps(&l);
  }
  sn_vec_free(&found);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  (void)run;
  return sn_each_function(root, run_function, NULL);
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__,  mlirGetDialectHandle__memref__,
                                                      mlirGetDialectHandle__scf__,    mlirGetDialectHandle__tensor__,
                                                      mlirGetDialectHandle__sinter__, NULL};

const SnPass sn_pass_loops = {
    .argument = "sinter-loops",
    .summary = "linalg that is no kernel form becomes sinter.steps: a kernel of plain loops",
    .dialects = dialects,
    .run = run,
};
