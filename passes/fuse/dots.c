// dots.c: a sum over a row of weights times products is a product of what the weights give.
//
//   a: p = exp(q k - m) / z                 o = p v
//      ds = p * (g v - sum_j p * (g v))     sum_j p[j] * (sum_e g[e] * v[j, e])  =  sum_e g[e] * o[e]
//   ->
//   a: p, which stores m and z              o = p v, as it was
//   d: delta = sum_e g[e] * o[e]
//   b: p and ds again, element by element, from m, z and delta
//
// A kernel that reads g and o again in place of one that needs its rows whole: those of b may be made a block of
// columns at a time, and made again as columns (fuse/turns.c). `o` is rounded as it is stored, and its weights as they
// were multiplied. Weights may be 0 by one condition for a row (%dead) where the sum is, too.
//
// Where tensor cores multiply, and on a CPU where all rows are so many bytes that they leave its cache: else it keeps a
// block of whole rows.
//
// runs in: fuse    test: test/passes/fuse/dots.mlir, test/passes/fuse/dots_cpu.mlir

#include "dialect/attributes.h"
#include "dialect/row_ops.h"
#include "passes/fuse/fuse.h"
#include "passes/simplify/row_terms.h"
#include "passes/simplify/simplify.h"

typedef struct {
  SnForm f, g;      // makes rows; multiplies its weights
  size_t weights;   // output of f that g multiplies
  size_t input;     // of g, that it is
  size_t given;     // output of g that is the weights' sum
  size_t product;   // of f, of which sums over weights are asked
  bool b_is_shared; // side b of it is what g multiplies by
  SnTerm weight;    // that output, and one of its products with the product's row
  MlirOperation choice; // of 0 for weights, by one condition for the row; null: there is none
  SnRowFactors dotted;
  SnValueVec stored; // scalars that the rows of f take
  SnValueVec leaves; // those, and what they follow from, that f knows without the sums
} Dots;

// ---- which sums ---------------------------------------------------------------------------

// Which operand of a choice by one condition is 0; 0: it is no such choice.
static int zero_of(MlirOperation select) {
  for (int k = 1; k < 3 && !sn_null(select) && !sn_is_row(sn_operand(select, 0)); ++k) {
    MlirValue scalar = sn_broadcast_of(sn_operand(select, k));
    if (sn_is_constant(sn_none(scalar) ? sn_operand(select, k) : scalar, 0))
      return k;
  }
  return 0;
}

// Nobody asks for the sum where weights are chosen to be 0: `o` is 0 there, and weights may be no numbers.
static bool asked_where_chosen(const Dots *d, MlirOperation sum) {
  bool fits = true;
  for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(sum, 0)); fits && !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    fits = sn_is(user, "arith.select") && zero_of(user) == zero_of(d->choice) &&
           sn_same(sn_operand(user, 0), sn_operand(d->choice, 0));
  }
  return fits;
}

static bool is_dot(const Dots *d, MlirOperation op, SnTerm *rest) {
  if (!sn_is_reduce(op, "add") || (!sn_null(d->choice) && !asked_where_chosen(d, op)))
    return false;
  SnTerms t = sn_terms(sn_result(op, 0), false);
  if (!t.known || t.n != 1)
    return false;
  *rest = t.terms[0];
  for (size_t i = 0; i < rest->n; ++i)
    if (sn_none(rest->scalars[i].value) && rest->scalars[i].power == 1 &&
        sn_same_rows(&rest->scalars[i].rows, &d->dotted)) {
      rest->scalars[i] = rest->scalars[--rest->n];
      SnTerm of_weight = d->weight;
      of_weight.rows.n = 0;
      of_weight = sn_term_inverse(&of_weight);
      return sn_term_times(rest, &of_weight, rest);
    }
  return false;
}

static bool reads_rows(MlirOperation op) {
  return !sn_row_op_of(op) || sn_row_op_has(op, SN_READS_ALL) || sn_row_op_has(op, SN_READS_ONE) ||
         sn_row_op_has(op, SN_READS_SCALAR) || sn_row_op_has(op, SN_READS_TABLE) || sn_row_op_has(op, SN_READS_MATRIX);
}

static bool holds(const SnValueVec *values, MlirValue v) {
  bool found = false;
  for (size_t i = 0; i < values->size; ++i)
    found |= sn_same(values->data[i], v);
  return found;
}

// The sum over the row that a factor is, where it has no value: an operation of the body; null if there is none.
static MlirOperation sum_of(const Dots *d, const SnScalarFactor *s) {
  for (MlirOperation op = mlirBlockGetFirstOperation(d->f.body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    SnTerms t = {0};
    if (sn_is_reduce(op, "add"))
      t = sn_terms(sn_result(op, 0), false);
    if (t.known && t.n == 1 && t.terms[0].n == 1 && t.terms[0].number == 1 && t.terms[0].scalars[0].power == 1 &&
        sn_same_scalar(&t.terms[0].scalars[0], s))
      return op;
  }
  return (MlirOperation){0};
}

static MlirValue value_of(const Dots *d, const SnScalarFactor *s) {
  MlirOperation op = sn_none(s->value) ? sum_of(d, s) : (MlirOperation){0};
  return sn_null(op) ? s->value : sn_result(op, 0);
}

// v follows from a sum that is no longer there.
static bool needs_dot(const Dots *d, MlirValue v) {
  MlirOperation op = sn_definer(v);
  SnTerm rest;
  bool needs = !sn_null(op) && is_dot(d, op, &rest);
  for (intptr_t k = 0; !sn_null(op) && k < sn_num_operands(op) && !needs; ++k)
    needs = needs_dot(d, sn_operand(op, k));
  return needs;
}

// What the scalar is made of in the new kernel: leaves are pushed. False where it cannot be made there.
static bool find_leaves(Dots *d, MlirValue v) {
  MlirOperation op = sn_definer(v);
  SnTerm rest;
  if (sn_null(op) || sn_is_row(v))
    return false;
  if (is_dot(d, op, &rest)) {
    bool ok = true;
    for (size_t i = 0; i < rest.n && ok; ++i) {
      MlirValue factor = value_of(d, &rest.scalars[i]);
      ok = !sn_none(factor) && find_leaves(d, factor);
    }
    return ok;
  }
  if (reads_rows(op)) {
    bool ok = !needs_dot(d, v);
    if (ok && !holds(&d->leaves, v))
      sn_push(&d->leaves, v);
    return ok;
  }
  bool ok = true;
  for (intptr_t k = 0; k < sn_num_operands(op) && ok; ++k)
    ok = find_leaves(d, sn_operand(op, k));
  return ok;
}

// ---- which forms --------------------------------------------------------------------------

// Dimensions of g over those of f, where g reads the weights as f writes them, and g's columns are what the product
// sums. False where they are not.
static bool match_dims(const Dots *d, MlirAffineExpr *dims) {
  const SnForm *f = &d->f, *g = &d->g;
  MlirContext ctx = mlirOperationGetContext(f->op);
  int64_t own = sn_first_own(f, d->product);
  MlirAffineMap written = f->outputs.data[d->weights].map, read = g->inputs.data[d->input].map;
  if (g->num_cols != f->products.data[d->product].num_dims || g->inputs.data[d->input].fill.ptr)
    return false;
  bool fits = true, found[SN_MAX_DIMS] = {false};
  for (intptr_t e = 0; e < (intptr_t)g->dims.size; ++e)
    dims[e] = mlirAffineConstantExprGet(ctx, 0);
  for (int64_t c = 0; c < g->num_cols && fits; ++c) {
    dims[g->num_rows + c] = mlirAffineDimExprGet(ctx, own + c);
    fits = g->dims.data[g->num_rows + c].size == f->dims.data[own + c].size;
  }
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(written) && fits; ++p) {
    intptr_t of_f = sn_map_dim(written, p), of_g = sn_map_dim(read, p);
    if (of_f < 0 && mlirAffineExprEqual(mlirAffineMapGetResult(written, p), mlirAffineMapGetResult(read, p)))
      continue; // the only element
    fits = of_f >= 0 && of_g >= 0 && !sn_is_col_dim(g, of_g) && sn_is_row_dim(f, of_f) == sn_is_row_dim(g, of_g);
    if (fits)
      dims[of_g] = mlirAffineDimExprGet(ctx, of_f), found[of_g] = true;
  }
  for (intptr_t e = 0; e < g->num_rows && fits; ++e)
    fits = found[e];
  return fits && g->num_rows == f->num_rows;
}

// Its sum, rounded or not, is one of the results of g, whole.
static bool find_given(Dots *d) {
  const SnForm *g = &d->g;
  bool found = false;
  for (size_t k = 0; k < g->outputs.size && !found; ++k) {
    SnTerms t = sn_terms(sn_operand(mlirBlockGetTerminator(g->body), (intptr_t)sn_output_position(g, k)), true);
    found = t.known && t.n == 1 && t.terms[0].number == 1 && !t.terms[0].n && t.terms[0].rows.n == 1 &&
            sn_same(t.terms[0].rows.v[0], sn_product_argument(g, d->input / 2));
    for (intptr_t e = 0; e < g->num_rows + g->num_cols && found; ++e)
      found = sn_map_uses(g->outputs.data[k].map, e);
    d->given = k;
  }
  return found;
}

static bool uses_columns(const SnForm *f, size_t side) {
  return sn_uses_cols(f, f->inputs.data[side].map) || f->inputs.data[side].through.ptr;
}

// The product of f whose columns' side is what g multiplies the weights by.
static bool find_product(Dots *d) {
  const SnForm *f = &d->f, *g = &d->g;
  const SnAccess *by = &g->inputs.data[d->input ^ 1];
  MlirAffineExpr dims[SN_MAX_DIMS];
  for (size_t p = 0; p < f->products.size; ++p)
    for (size_t s = 0; s < 2; ++s) {
      const SnAccess *side = &f->inputs.data[2 * p + s];
      d->product = p;
      d->b_is_shared = s;
      if (sn_same(side->value, by->value) && !side->through.ptr && !by->through.ptr && !side->fill.ptr &&
          !by->fill.ptr && !uses_columns(f, 2 * p + 1 - s) && match_dims(d, dims) &&
          mlirAffineMapEqual(side->map, sn_map_replace(by->map, (intptr_t)f->dims.size, dims)))
        return true;
    }
  return false;
}

// Some row of f is multiplied by g, and a sum of its products with a product of f is asked for.
static bool find_dots(Dots *d) {
  const SnForm *f = &d->f;
  MlirValue argument = sn_product_argument(f, d->product);
  SnTerm with = d->weight, rest;
  SnTerm row = {.number = 1, .rows = {1, {argument}}};
  if (!sn_term_times(&with, &row, &with))
    return false;
  d->dotted = with.rows;
  bool any = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op) && !any;
       op = mlirOperationGetNextInBlock(op))
    any = is_dot(d, op, &rest);
  return any;
}

// Scalars that rows take, as they would be stored if these were made again.
static bool find_stored(Dots *d) {
  bool *all = sn_alloc(d->f.outputs.size + 1), can = false;
  for (size_t k = 0; k < d->f.outputs.size; ++k)
    all[k] = true;
  for (intptr_t row = 0; row < d->f.num_rows && !can; ++row) {
    SnTurn t;
    can = sn_can_turn(d->f.op, row, all, &t);
    for (size_t i = 0; i < t.stored.size && can; ++i)
      sn_push(&d->stored, t.stored.data[i]);
    sn_turn_free(&t);
  }
  free(all);
  bool ok = can;
  for (size_t i = 0; i < d->stored.size && ok; ++i)
    ok = find_leaves(d, d->stored.data[i]);
  return ok;
}

static bool is_free(const SnForm *f) {
  return sn_is_plain(f) && f->contract && !f->schedule.ptr && !f->accumulators.size && sn_num_results(f->op);
}

// What `op` reads stands in front of `before`, or is of it, or can be moved there.
static bool can_stand_behind(MlirOperation op, MlirOperation before) {
  bool can = true;
  for (intptr_t k = 0; k < sn_num_operands(op) && can; ++k) {
    MlirOperation def = sn_definer(sn_operand(op, k));
    can = sn_null(def) || mlirOperationEqual(def, before) ||
          !mlirBlockEqual(mlirOperationGetBlock(def), mlirOperationGetBlock(op)) ||
          mlirOperationIsBeforeInBlock(def, before) || (sn_is(def, "tensor.empty") && !sn_num_operands(def));
  }
  return can;
}

// Fills d for one reader of one result.
static bool fits(Dots *d, size_t weights, MlirOpOperand use) {
  MlirOperation reader = mlirOpOperandGetOwner(use);
  if (!sn_is(reader, "sinter.contract") ||
      !mlirBlockEqual(mlirOperationGetBlock(reader), mlirOperationGetBlock(d->f.op)))
    return false;
  d->g = sn_form_read(reader);
  MlirValue row = sn_operand(mlirBlockGetTerminator(d->f.body), (intptr_t)sn_output_position(&d->f, weights));
  MlirOperation select = sn_def(row, "arith.select");
  int zero = zero_of(select);
  d->choice = zero ? select : (MlirOperation){0};
  SnTerms t = sn_terms(zero ? sn_operand(select, 3 - zero) : row, true);
  d->input = (size_t)mlirOpOperandGetOperandNumber(use);
  bool ok = is_free(&d->g) && d->input < 2 * d->g.products.size && t.known && t.n == 1 && t.terms[0].rows.n;
  d->weights = weights;
  d->weight = t.terms[0];
  ok = ok && find_product(d) && find_given(d) && find_dots(d) && find_stored(d) && can_stand_behind(reader, d->f.op);
  if (!ok) {
    sn_form_free(&d->g);
    sn_vec_free(&d->stored);
    sn_vec_free(&d->leaves);
  }
  return ok;
}

// ---- doing it -----------------------------------------------------------------------------

typedef struct {
  const Dots *d;
  SnBuilder b;
  SnMap map;       // scalars of f to those of the new kernel
  MlirValue delta; // of the new kernel
} Maker;

static MlirValue power_of(SnBuilder *b, MlirValue x, int n) {
  MlirValue y = x;
  for (int i = 1; i < n; ++i)
    y = sn(b, "arith.mulf", y, x);
  return y;
}

static MlirValue made(Maker *m, MlirValue v);

// The sum: number * delta * factors, those below a bar in one division.
static MlirValue made_dot(Maker *m, MlirOperation op, const SnTerm *rest) {
  MlirType t = sn_type_of(sn_result(op, 0));
  MlirValue y = sn_row_op(&m->b, "arith.mulf", (MlirType){0}, 2,
                          (MlirValue[]){m->delta, sn_float(&m->b, t, rest->number)}),
            below = {0};
  for (size_t i = 0; i < rest->n; ++i) {
    const SnScalarFactor *s = &rest->scalars[i];
    MlirValue x = power_of(&m->b, made(m, value_of(m->d, s)), abs(s->power));
    if (s->power > 0)
      y = sn(&m->b, "arith.mulf", y, x);
    else
      below = sn_none(below) ? x : sn(&m->b, "arith.mulf", below, x);
  }
  return sn_none(below) ? y : sn(&m->b, "arith.divf", y, below);
}

static MlirValue made(Maker *m, MlirValue v) {
  MlirValue there = sn_mapped(&m->map, v);
  SnTerm rest;
  if (!sn_none(there))
    return there;
  MlirOperation op = sn_definer(v);
  if (is_dot(m->d, op, &rest)) {
    there = made_dot(m, op, &rest);
    sn_map(&m->map, v, there);
    return there;
  }
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    made(m, sn_operand(op, k));
  sn_clone(&m->b, op, &m->map);
  return sn_mapped(&m->map, v);
}

static SnAccess with_dims(SnAccess a, intptr_t n, const MlirAffineExpr *dims) {
  a.map = sn_map_replace(a.map, n, dims);
  return a;
}

// A number for each row of so many.
static SnAccess of_rows(MlirContext ctx, MlirValue value, intptr_t rows, intptr_t dims) {
  MlirAffineExpr exprs[SN_MAX_DIMS];
  for (intptr_t d = 0; d < rows; ++d)
    exprs[d] = mlirAffineDimExprGet(ctx, d);
  return (SnAccess){.value = value, .map = mlirAffineMapGet(ctx, dims, 0, rows, exprs)};
}

// delta = sum_e g[e] * o[e], and from it what rows take: a result for each of `stored`. kept: f, which has a result for
// each leaf behind its own.
static MlirOperation make_delta(Dots *d, MlirOperation kept) {
  const SnForm *f = &d->f, *g = &d->g;
  MlirContext ctx = mlirOperationGetContext(f->op);
  int64_t own = sn_first_own(f, d->product), columns = f->products.data[d->product].num_dims;
  intptr_t n = (intptr_t)(f->num_rows + columns);
  MlirAffineExpr of_f[SN_MAX_DIMS], of_g[SN_MAX_DIMS], over_f[SN_MAX_DIMS];
  SnForm to = {.num_rows = f->num_rows, .num_cols = columns};
  for (size_t i = 0; i < f->dims.size; ++i)
    of_f[i] = mlirAffineConstantExprGet(ctx, 0);
  for (intptr_t i = 0; i < n; ++i) {
    intptr_t from = i < f->num_rows ? i : (intptr_t)own + i - (intptr_t)f->num_rows;
    sn_push(&to.dims, f->dims.data[from]);
    of_f[from] = mlirAffineDimExprGet(ctx, i);
  }
  match_dims(d, over_f);
  for (size_t e = 0; e < g->dims.size; ++e)
    of_g[e] = mlirAffineExprIsADim(over_f[e]) ? of_f[mlirAffineDimExprGetPosition(over_f[e])] : over_f[e];
  SnAccess o = g->outputs.data[d->given];
  o.value = sn_result(g->op, (intptr_t)d->given);
  sn_push(&to.inputs, with_dims(f->inputs.data[2 * d->product + !d->b_is_shared], n, of_f));
  sn_push(&to.inputs, with_dims(o, n, of_g));
  for (size_t i = 0; i < d->leaves.size; ++i)
    sn_push(&to.inputs, of_rows(ctx, sn_result(kept, (intptr_t)(f->outputs.size + i)), f->num_rows, n));
  SnBuilder b = sn_after(g->op);
  for (size_t i = 0; i < d->stored.size; ++i) {
    SnAccess a = of_rows(ctx, (MlirValue){0}, f->num_rows, n);
    a.value = sn_empty_at(&b, &to, a.map, sn_type_of(d->stored.data[i]));
    sn_push(&to.outputs, a);
  }
  MlirOperation op = sn_form_create(&b, &to, false);
  Maker m = {.d = d, .b = sn_at_end(to.body, b.loc)};
  MlirType product = f->products.data[d->product].type, sum = sn_bits(product) > 32 ? product : mlirF32TypeGet(ctx);
  MlirValue sides[2];
  for (size_t i = 0; i < 2; ++i) {
    MlirValue x = sn_input_argument(&to, i);
    sides[i] = sn_bits(sn_element(sn_type_of(x))) < sn_bits(sum) ? sn_row_op(&m.b, "arith.extf", sum, 1, &x) : x;
  }
  m.delta = sn_row_reduce(&m.b, "add", sn_row_op(&m.b, "arith.mulf", (MlirType){0}, 2, sides), sum);
  for (size_t i = 0; i < d->leaves.size; ++i)
    sn_map(&m.map, d->leaves.data[i], sn_input_argument(&to, 2 + i));
  SnValueVec values = {0};
  for (size_t i = 0; i < d->stored.size; ++i)
    sn_push(&values, made(&m, d->stored.data[i]));
  sn_op(&m.b, "sinter.yield", sn_values((intptr_t)values.size, values.data), sn_types(0, NULL));
  sn_vec_free(&values);
  sn_map_free(&m.map);
  sn_vec_free(&to.dims);
  sn_vec_free(&to.inputs);
  sn_vec_free(&to.outputs);
  return op;
}

// f's rows again, from scalars: what f itself knows is read of it, all else of delta.
static MlirOperation make_rows(Dots *d, MlirOperation kept, MlirOperation delta) {
  const SnForm *f = &d->f;
  MlirContext ctx = mlirOperationGetContext(f->op);
  SnForm to = *f;
  to.inputs.data = NULL;
  to.inputs.size = to.inputs.capacity = 0;
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_push(&to.inputs, f->inputs.data[k]);
  for (size_t i = 0; i < d->stored.size; ++i) {
    MlirValue from = sn_result(delta, (intptr_t)i);
    for (size_t l = 0; l < d->leaves.size; ++l)
      if (sn_same(d->leaves.data[l], d->stored.data[i]))
        from = sn_result(kept, (intptr_t)(f->outputs.size + l));
    sn_push(&to.inputs, of_rows(ctx, from, f->num_rows, (intptr_t)f->dims.size));
  }
  SnBuilder b = sn_after(delta);
  MlirOperation op = sn_form_create(&b, &to, false);
  SnMap map = {0};
  size_t arguments = (size_t)mlirBlockGetNumArguments(f->body);
  for (size_t k = 0; k < arguments; ++k)
    sn_map(&map, mlirBlockGetArgument(f->body, (intptr_t)k), mlirBlockGetArgument(to.body, (intptr_t)k));
  for (size_t i = 0; i < d->stored.size; ++i)
    sn_map(&map, d->stored.data[i], sn_input_argument(&to, f->inputs.size + i));
  SnBuilder in = sn_at_end(to.body, b.loc);
  SnValueVec values = {0};
  SnOpVec ops = {0};
  MlirOperation yield = mlirBlockGetTerminator(f->body);
  for (intptr_t k = 0; k < sn_num_operands(yield); ++k)
    sn_needed_ops(sn_operand(yield, k), &map, &ops);
  for (size_t i = 0; i < ops.size; ++i)
    if (sn_none(sn_mapped(&map, sn_result(ops.data[i], 0))))
      sn_clone(&in, ops.data[i], &map);
  for (intptr_t k = 0; k < sn_num_operands(yield); ++k)
    sn_push(&values, sn_lookup(&map, sn_operand(yield, k)));
  sn_op(&in, "sinter.yield", sn_values((intptr_t)values.size, values.data), sn_types(0, NULL));
  sn_vec_free(&values);
  sn_vec_free(&ops);
  sn_map_free(&map);
  sn_vec_free(&to.inputs);
  return op;
}

// Other forms may have the same destination, in front of it: that stays where it is.
static void stand_behind(MlirOperation op, MlirOperation before) {
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    MlirOperation def = sn_definer(sn_operand(op, k));
    if (!sn_null(def) && sn_is(def, "tensor.empty") && !sn_num_operands(def) &&
        !mlirOperationIsBeforeInBlock(def, before))
      mlirOperationMoveBefore(def, before);
  }
  mlirOperationMoveAfter(op, before);
}

static void take_apart(Dots *d) {
  MlirOperation reader = d->g.op, kept, delta, rows;
  size_t num_results = d->f.outputs.size;
  SnBuilder b = sn_before(d->f.op);
  for (size_t l = 0; l < d->leaves.size; ++l)
    if (sn_is_any_reference(&d->f, d->leaves.data[l]))
      sn_set_attr(sn_definer(d->leaves.data[l]), SN_ANY_REFERENCE, mlirUnitAttrGet(b.ctx));
  kept = sn_with_stored(&d->f, &d->leaves, &b);
  stand_behind(reader, kept);
  delta = make_delta(d, kept);
  rows = make_rows(d, kept, delta);
  for (size_t k = 0; k < num_results; ++k) {
    MlirValue was = sn_result(kept, (intptr_t)k);
    for (MlirOpOperand use = mlirValueGetFirstUse(was), next; !mlirOpOperandIsNull(use); use = next) {
      next = mlirOpOperandGetNextUse(use);
      MlirOperation user = mlirOpOperandGetOwner(use);
      if (!mlirOperationEqual(user, reader))
        mlirOperationSetOperand(user, mlirOpOperandGetOperandNumber(use), sn_result(rows, (intptr_t)k));
    }
  }
  mlirOperationDestroy(d->f.op);
  sn_tidy(rows);
  sn_tidy(delta);
  sn_tidy(kept);
}

static bool dots_of(MlirOperation op, const SnPolicy *policy) {
  Dots d = {.f = sn_form_read(op)};
  bool found = false;
  for (size_t k = 0; k < d.f.outputs.size && is_free(&d.f) && !found; ++k)
    for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(op, (intptr_t)k)); !mlirOpOperandIsNull(use) && !found;
         use = mlirOpOperandGetNextUse(use))
      found = sn_bytes(sn_type_of(sn_result(op, (intptr_t)k))) >= policy->rows_again && fits(&d, k, use);
  if (found) {
    if (d.g.products.size < 2 || !sn_part_results(d.g.op)) // what it multiplies beside waits for the sum
      take_apart(&d);
    sn_form_free(&d.g);
    sn_vec_free(&d.stored);
    sn_vec_free(&d.leaves);
  }
  sn_form_free(&d.f);
  return found;
}

bool sn_fuse_dots(MlirBlock block, const SnPolicy *policy) {
  bool changed = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !sn_null(op); op = next) {
    bool found = sn_is(op, "sinter.contract") && dots_of(op, policy);
    changed |= found;
    next = found ? mlirBlockGetFirstOperation(block) : mlirOperationGetNextInBlock(op); // forms were made anew
  }
  return changed;
}
