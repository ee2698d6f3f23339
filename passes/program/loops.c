// loops.c: linalg that is no kernel form, as a kernel of plain loops.
//
//   %v, %i = linalg.generic (r, c) ins(%x) outs(%m, %n)     sinter.steps rows(0) ins(%m, %x, %n) outs(%y, %j) {
//     %g = arith.cmpf ogt, %a, %p                           ^row(%r, ...):
//     %k = arith.select %g, ...                       ->      y[r] = m[r]; j[r] = n[r]
//     yield %s, %k                                            scf.for %c: y[r], j[r] = the body of x[r, c], y[r], j[r]
//                                                           }
//
// A program for a GPU runs nothing but kernels. Rows are a loop that every result has as a subscript, the lanes of a
// step another one; all other loops are one turn after the other. What a body reads from outside is a constant, or an
// element of a tensor.
//
// runs in: sinter-gpu    test: test/passes/program/loops.mlir

#include "capi/shim.h"
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
  MlirValue *from;   // memory of each operand, null of a number; of an output, what it begins with, null: not read
  MlirValue *to;     // memory of each result
  SnValueVec tables; // tensors that the body reads by subscripts of its own
  MlirValue *table;  // memory of each of them
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

static void add_table(Loops *l, MlirValue table) {
  for (size_t t = 0; t < l->tables.size; ++t)
    if (sn_same(l->tables.data[t], table))
      return;
  sn_push(&l->tables, table);
}

static bool is_inside(const Loops *l, MlirValue v) {
  return mlirBlockEqual(
      mlirValueIsABlockArgument(v) ? mlirBlockArgumentGetOwner(v) : mlirOperationGetBlock(sn_definer(v)), l->body);
}

static bool reads_itself(Loops *l) {
  for (MlirOperation op = mlirBlockGetFirstOperation(l->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    bool extract = sn_is(op, "tensor.extract");
    bool known = extract || sn_is(op, "linalg.index") || sn_is(op, "linalg.yield") || sn_in_dialect(op, "arith") ||
                 sn_in_dialect(op, "math");
    if (!known || mlirOperationGetNumRegions(op))
      return sn_no(l->op, "'%s' in its body", sn_name(op));
    if (extract && !is_element(sn_type_of(sn_result(op, 0))))
      return sn_no(l->op, "its body reads a tensor of no type that kernels have");
    if (extract)
      add_table(l, sn_operand(op, 0));
    for (intptr_t k = extract; k < sn_num_operands(op); ++k)
      if (!is_inside(l, sn_operand(op, k)) && !sn_constant_of(sn_operand(op, k)).ptr)
        return sn_no(l->op, "its body reads a value from outside that is no constant");
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
      MlirValue memory = k < l->inputs ? l->from[k] : l->to[k - l->inputs];
      if (p >= 0)
        l->size[d] = sn(b, "memref.dim", memory, sn_index(b, p), sn_index_type(b->ctx));
    }
}

// The number that a tensor has everywhere, as a linalg.fill wrote it; null: it has others.
static MlirAttribute filled_with(MlirValue v) {
  MlirOperation fill = sn_def(v, "linalg.fill");
  return sn_null(fill) ? (MlirAttribute){0} : sn_constant_of(sn_operand(fill, 0));
}

// What each result begins with, at the loops that stand.
static void begin_results(SnBuilder *b, Loops *l) {
  for (intptr_t k = 0; k < l->outputs; ++k) {
    MlirAttribute number = filled_with(sn_operand(l->op, l->inputs + k));
    if (number.ptr)
      store(b, l, k, sn_constant(b, number));
    else if (!sn_none(l->from[l->inputs + k]))
      store(b, l, k, load(b, l, l->inputs + k, l->from[l->inputs + k]));
  }
}

// An element of a table; 0 where a subscript is outside, as on a CPU (guard.c).
static MlirValue read_table(SnBuilder *b, const Loops *l, MlirOperation extract, const SnMap *map) {
  size_t t = 0;
  while (!sn_same(l->tables.data[t], sn_operand(extract, 0)))
    ++t;
  MlirValue memory = l->table[t], inside = sn_int(b, sn_type(b->ctx, "i1"), 1), at[SN_MAX_DIMS];
  MlirType element = sn_element(sn_type_of(memory));
  intptr_t rank = sn_num_operands(extract) - 1;
  for (intptr_t i = 0; i < rank; ++i) {
    at[i] = sn_mapped(map, sn_operand(extract, i + 1));
    MlirValue size = sn(b, "memref.dim", memory, sn_index(b, i), sn_index_type(b->ctx));
    inside = sn(b, "arith.andi", inside, sn(b, "arith.cmpi", at[i], size, sn_attr("predicate", sn_i64(b->ctx, 6))));
  }
  SnIf there = sn_if(b, inside, element);
  sn_else(b, &there, sn(b, "memref.load", memory, sn_values(rank, at), element));
  sn_end_if(b, &there, sn_zero(b, element));
  return sn_result(there.op, 0);
}

static void run_body(SnBuilder *b, Loops *l) {
  SnMap map = {0};
  for (intptr_t k = 0; k < l->inputs + l->outputs; ++k) {
    MlirValue argument = mlirBlockGetArgument(l->body, k), v = sn_operand(l->op, k);
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(argument)))
      continue;
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
    bool extract = sn_is(op, "tensor.extract");
    for (intptr_t k = extract; k < sn_num_operands(op); ++k)
      if (sn_none(sn_mapped(&map, sn_operand(op, k))))
        sn_map(&map, sn_operand(op, k), sn_constant(b, sn_constant_of(sn_operand(op, k))));
    if (extract)
      sn_map(&map, sn_result(op, 0), read_table(b, l, op, &map));
    else
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

// An operand that has the rows as a dimension: one that is read anyway, if there is one.
static intptr_t operand_with_rows(const Loops *l) {
  for (intptr_t k = 0; k < l->inputs; ++k)
    if (mlirTypeIsARankedTensor(sn_type_of(sn_operand(l->op, k))) && place_of(map_of(l, k), l->row) >= 0)
      return k;
  return l->inputs;
}

// Nothing of it has to be read.
static bool is_known(MlirValue v) { return !sn_null(sn_def(v, "tensor.empty")) || filled_with(v).ptr; }

// A tensor of the same sizes that nothing has filled.
static MlirValue unwritten(MlirValue v) {
  MlirOperation fill = sn_def(v, "linalg.fill");
  return sn_null(fill) ? v : sn_operand(fill, 1);
}

static void become_steps(Loops *l) {
  SnBuilder b = sn_before(l->op);
  intptr_t n = l->inputs + l->outputs;
  SnValueVec operands = {0};
  SN_VEC(intptr_t) of = {0};
  // The first says how many rows there are.
  intptr_t first = l->row < 0 ? -1 : operand_with_rows(l);
  sn_push(&operands, l->row < 0 ? one_row(&b) : sn_operand(l->op, first));
  for (intptr_t k = 0; k < n; ++k) {
    MlirValue v = sn_operand(l->op, k);
    bool read = mlirTypeIsARankedTensor(sn_type_of(v)) && (k < l->inputs || !is_known(v));
    sn_push(&of, !read ? -1 : k == first ? 0 : (intptr_t)operands.size);
    if (read && k != first)
      sn_push(&operands, v);
  }
  intptr_t first_table = (intptr_t)operands.size;
  for (size_t t = 0; t < l->tables.size; ++t)
    sn_push(&operands, l->tables.data[t]);
  intptr_t inputs = (intptr_t)operands.size, rows = l->row < 0 ? 0 : place_of(map_of(l, first), l->row);
  for (intptr_t k = 0; k < l->outputs; ++k)
    sn_push(&operands, sn_layout_empty(&b, unwritten(sn_operand(l->op, l->inputs + k))));
  SnStepsBody body = sn_steps_begin(&b, (intptr_t)operands.size, operands.data);
  l->from = sn_alloc((size_t)n * sizeof *l->from);
  for (intptr_t k = 0; k < n; ++k)
    l->from[k] = of.data[k] < 0 ? (MlirValue){0} : body.memory[of.data[k]];
  l->to = body.memory + inputs;
  l->table = body.memory + first_table;
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
  for (size_t k = found.size; k-- > 0;) { // from the last on: what nobody reads any more is gone
    Loops l = {0};
    if (sn_shim_is_dead(found.data[k])) {
      mlirOperationDestroy(found.data[k]);
      continue;
    }
    if (!read_loops(&l, found.data[k])) {
      sn_vec_free(&l.tables);
      continue;
    }
    if (!sn_is(found.data[k], "linalg.fill"))
      sn_remark(found.data[k], "becomes a kernel of plain loops, as no form holds it");
    choose(&l);
    become_steps(&l);
    sn_vec_free(&l.tables);
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
