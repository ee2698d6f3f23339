// raise.c: linalg on tensors becomes kernel forms, by structure.
//
//   linalg.generic {parallel, reduction}       %m = sinter.rowwise (i = 4) by (j = 8)
//       ins(%x : tensor<4x8xf32>)        ->        ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i] : tensor<4xf32>) {
//       outs(%fill : tensor<4xf32>)             ^row(%a: tensor<8xf32>):
//     maximumf                                    %s = sinter.row_reduce maximumf %a
//
// An exporter's program is thousands of small linalg ops; what each one is shows
// in its maps and its body, never in its name. A named op is read like a
// generic: a dimension in the map of a result is parallel, any other reduced.
// Without reductions it is a row program over all (raise/elementwise.c), with
// multiply and add over two operands a product (raise/products.c), else a
// reduction (raise/reductions.c). What none of them takes stays linalg, and goes
// down the ordinary road; `remarks` says why.
//
// Ops are visited from the last to the first: a result that only dropped ops
// read is seen to be dead, and a view is read through while it is still there.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/raise/raise.mlir

#include "dialect/dialect.h"
#include "mlir-c/Dialect/Linalg.h"
#include "passes/raise/raise.h"
#include <stdio.h>

// ---- reading --------------------------------------------------------------------------

MlirAffineMap sn_raise_map(const SnRaise *r, intptr_t operand) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(mlirLinalgGetIndexingMapsAttribute(r->op), operand));
}

static bool read_sizes(SnRaise *r) {
  bool known[SN_MAX_DIMS] = {0};
  for (intptr_t k = 0; k < r->num_inputs + r->num_outputs; ++k) {
    MlirAffineMap map = sn_raise_map(r, k);
    MlirType t = sn_type_of(sn_operand(r->op, k)), e = sn_element(t);
    if (!sn_is_float(e) && !sn_is_int(e))
      return sn_no(r->op, "an operand that does not hold numbers");
    if (mlirTypeIsAShaped(t) && !mlirTypeIsARankedTensor(t))
      return sn_no(r->op, "not on tensors");
    if (mlirAffineMapGetNumSymbols(map))
      return sn_no(r->op, "a map with symbols");
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i) {
      intptr_t d = sn_map_dim(map, i);
      if (d < 0)
        continue;
      int64_t size = sn_dim(t, i);
      if (!known[d] || size != SN_DYNAMIC)
        r->sizes[d] = size;
      known[d] = true;
    }
  }
  for (intptr_t d = 0; d < r->num_loops; ++d)
    if (!known[d])
      return sn_no(r->op, "nothing has the size of dimension %ld", (long)d);
  return true;
}

// Results that are read, and the dimensions that they have.
static bool read_results(SnRaise *r) {
  for (intptr_t k = 0; k < r->num_outputs; ++k)
    if (mlirValueGetFirstUse(sn_result(r->op, k)).ptr)
      r->used[r->num_used++] = k;
  if (!r->num_used)
    return sn_no(r->op, "nobody reads its results");
  for (intptr_t u = 0; u < r->num_used; ++u) {
    MlirAffineMap map = sn_raise_map(r, r->num_inputs + r->used[u]);
    MlirType t = sn_type_of(sn_result(r->op, r->used[u]));
    bool here[SN_MAX_DIMS] = {0};
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i) {
      intptr_t d = sn_map_dim(map, i);
      MlirAffineExpr e = mlirAffineMapGetResult(map, i);
      if (d < 0 && sn_dim(t, i) == 1 && mlirAffineExprIsAConstant(e) && !mlirAffineConstantExprGetValue(e))
        continue;
      if (d < 0 || here[d])
        return sn_no(r->op, "a result whose subscripts are not distinct dimensions");
      here[d] = true;
      if (!u)
        r->order[r->num_parallel++] = d;
    }
    for (intptr_t d = 0; d < r->num_loops; ++d)
      if (u && here[d] != r->parallel[d])
        return sn_no(r->op, "results over different dimensions");
    memcpy(r->parallel, here, sizeof here);
  }
  return true;
}

static MlirWalkResult effect_free(MlirOperation op, void *pure) {
  if (!sn_is(op, "linalg.yield") && !sn_is(op, "linalg.index") && !sn_is(op, "cf.assert") && !sn_shim_is_pure(op))
    *(MlirOperation *)pure = op;
  return MlirWalkResultAdvance;
}

// What a form has room for (capi/limits.h). A tensor.extract may need a table and an index tensor for each subscript.
static bool fits(const SnRaise *r) {
  intptr_t operands = r->num_inputs + r->num_outputs;
  bool small = r->num_loops < SN_MAX_DIMS; // one more for what is picked
  for (intptr_t k = 0; k < r->num_inputs + r->num_outputs && small; ++k) {
    small = sn_map_fits(sn_raise_map(r, k));
    if (mlirTypeIsARankedTensor(sn_type_of(sn_operand(r->op, k))))
      small &= sn_rank(sn_type_of(sn_operand(r->op, k))) <= SN_MAX_DIMS;
  }
  for (MlirOperation in = mlirBlockGetFirstOperation(r->body); !sn_null(in); in = mlirOperationGetNextInBlock(in))
    if (sn_is(in, "tensor.extract")) {
      operands += sn_num_operands(in);
      small &= sn_num_operands(in) <= SN_MAX_DIMS;
    }
  if (!small)
    return sn_no(r->op, "a dimension or a subscript more than a form has: %d dimensions, subscripts of %d parts",
                 SN_MAX_DIMS, SN_MAX_SUBSCRIPT_PARTS);
  if (r->num_outputs > SN_MAX_ACCUMULATORS || operands > SN_MAX_OPERANDS)
    return sn_no(r->op, "%ld operands and %ld results, and a form has at most %d and %d", (long)operands,
                 (long)r->num_outputs, SN_MAX_OPERANDS, SN_MAX_ACCUMULATORS);
  return true;
}

bool sn_raise_open(SnRaise *r, MlirOperation op) {
  *r = (SnRaise){.op = op, .ctx = mlirOperationGetContext(op), .num_outputs = sn_num_results(op)};
  r->num_inputs = sn_raise_inputs(op, &r->body);
  if (r->num_inputs < 0)
    return sn_no(op, "not a structured op on tensors");
  r->yield = mlirBlockGetTerminator(r->body);
  r->num_loops = mlirAffineMapGetNumDims(sn_raise_map(r, 0));
  if (!fits(r))
    return false;
  MlirOperation impure = {0};
  for (MlirOperation in = mlirBlockGetFirstOperation(r->body); !sn_null(in); in = mlirOperationGetNextInBlock(in))
    effect_free(in, &impure);
  if (!sn_null(impure))
    return sn_no(op, "'%s' in its body has an effect", sn_name(impure));
  return read_sizes(r) && read_results(r);
}

void sn_raise_close(SnRaise *r) {
  sn_form_free(&r->form);
  sn_vec_free(&r->needed);
  sn_vec_free(&r->sources);
  sn_vec_free(&r->tables);
  sn_map_free(&r->values);
}

// ---- what the rules share --------------------------------------------------------------

static void add_dims(SnRaise *r, intptr_t n, const intptr_t *loops) {
  for (intptr_t i = 0; i < n; ++i) {
    char name[16] = {(char)('i' + r->form.dims.size), 0};
    if (name[0] > 'z')
      snprintf(name, sizeof name, "d%zu", r->form.dims.size);
    r->place[loops[i]] = (intptr_t)r->form.dims.size;
    sn_push(&r->form.dims, (SnDim){mlirIdentifierStr(mlirIdentifierGet(r->ctx, SN_STR(name))), r->sizes[loops[i]]});
  }
}

void sn_raise_layout(SnRaise *r, intptr_t rows, const intptr_t *row, intptr_t cols, const intptr_t *col, intptr_t own,
                     const intptr_t *inner) {
  r->form.num_rows = rows;
  r->form.num_cols = cols;
  add_dims(r, rows, row);
  add_dims(r, cols, col);
  add_dims(r, own, inner);
}

bool sn_raise_sized(const SnRaise *r) {
  const SnForm *f = &r->form;
  for (size_t d = 0; d < f->dims.size; ++d) {
    bool found = f->dims.data[d].size != SN_DYNAMIC;
    for (size_t k = 0; k < f->inputs.size + f->outputs.size && !found; ++k) {
      const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
      MlirAffineMap map = a->map;
      for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map) && !a->fill.ptr; ++i)
        found |= sn_map_dim(map, i) == (intptr_t)d;
    }
    if (!found)
      return sn_no(r->op, "no operand that is left has the size of dimension %zu", d);
  }
  return true;
}

void sn_raise_replace(SnRaise *r) {
  for (intptr_t u = 0; u < r->num_used; ++u)
    mlirValueReplaceAllUsesOfWith(sn_result(r->op, r->used[u]), sn_result(r->form.op, u));
  mlirOperationDestroy(r->op);
}

// ---- the pass ------------------------------------------------------------------------------

// A fill that only starts ops which stay linalg stays with them.
static bool starts_linalg(MlirOperation op) {
  if (!sn_is(op, "linalg.fill") || !sn_num_results(op)) // of buffers it has none
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(op, 0)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (!sn_in_dialect(mlirOpOperandGetOwner(use), "linalg"))
      return false;
  return true;
}

// Sizes of tensors that its body asks for are asked in front of it: no row program holds a tensor.
static void hoist_sizes(MlirOperation op) {
  if (!sn_in_dialect(op, "linalg") || mlirOperationGetNumRegions(op) != 1)
    return;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (MlirOperation in = mlirBlockGetFirstOperation(body), next; !sn_null(in); in = next) {
    next = mlirOperationGetNextInBlock(in);
    if (!sn_is(in, "tensor.dim"))
      continue;
    bool outside = true;
    for (intptr_t k = 0; k < 2; ++k) {
      MlirValue v = sn_operand(in, k);
      MlirBlock of = mlirValueIsABlockArgument(v) ? mlirBlockArgumentGetOwner(v) : mlirOperationGetBlock(sn_definer(v));
      outside &= !mlirBlockEqual(of, body);
    }
    if (outside)
      mlirOperationMoveBefore(in, op);
  }
}

static void raise(MlirOperation op) {
  if (sn_shim_is_dead(op)) {
    mlirOperationDestroy(op);
    return;
  }
  if (sn_in_dialect(op, "tensor")) {
    sn_raise_move(op);
    return;
  }
  if (starts_linalg(op)) {
    sn_no(op, "fills the destination of an op that stays");
    return;
  }
  SnRaise r;
  hoist_sizes(op);
  sn_raise_take_counts(op);
  bool open = sn_raise_open(&r, op), again = open && sn_raise_reshapes(&r);
  if (!open || again)
    ;
  else if (r.num_parallel == r.num_loops)
    sn_raise_elementwise(&r);
  else if (sn_raise_has_asserts(&r) || !sn_raise_is_product(&r))
    sn_raise_reduce(&r);
  else if (!sn_raise_contract(&r)) {
    sn_raise_close(&r);
    if (sn_raise_open(&r, op))
      sn_raise_reduce(&r);
  }
  sn_raise_close(&r);
  if (again)
    raise(op); // without the results that are reshapes
}

static MlirWalkResult collect(MlirOperation op, void *found) {
  if (!sn_in_dialect(op, "linalg") && !sn_in_dialect(op, "tensor"))
    return MlirWalkResultAdvance;
  sn_push((SnOpVec *)found, op);
  return MlirWalkResultSkip; // what is inside is its body
}

static MlirLogicalResult raise_function(MlirOperation func, void *user) {
  SnOpVec ops = {0};
  mlirOperationWalk(func, collect, &ops, MlirWalkPreOrder);
  for (size_t i = ops.size; i-- > 0;)
    raise(ops.data[i]);
  sn_vec_free(&ops);
  sn_erase_dead(sn_function_body(func));
  return SN_OK;
}

MlirLogicalResult sn_raise(MlirOperation root) { return sn_each_function(root, raise_function, NULL); }

typedef struct {
  bool remarks, reasons;
} Options;

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  const Options *options = run->options;
  sn_show_refusals(options->remarks);
  sn_keep_refusals(options->reasons);
  MlirLogicalResult result = sn_raise(op);
  sn_show_refusals(false);
  sn_keep_refusals(false);
  return result;
}

static const SnOption options[] = {
    {SN_OPTION_BOOL, "remarks", "say at each op that stays linalg why it does", "false", NULL,
     offsetof(Options, remarks)},
    {SN_OPTION_BOOL, "reasons", "keep it at the op as an attribute, for sinter-explain", "false", NULL,
     offsetof(Options, reasons)},
    {0},
};

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__cf__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
MlirDialectHandle mlirGetDialectHandle__sinter__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__cf__,
                                                      mlirGetDialectHandle__tensor__, mlirGetDialectHandle__sinter__,
                                                      NULL};

const SnPass sn_pass_raise = {
    .argument = "sinter-raise",
    .summary = "linalg on tensors as kernel forms, by structure",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};
