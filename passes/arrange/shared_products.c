// shared_products.c: one query of each of several heads that share keys is a row of one product.
//
//   rowwise (i = 32, k = 16384) by (l = 64) ins(%k[i floordiv 4, k, l], %q[i, l])
//     %s = row_reduce add (%q * c) * (%k * d)           yield %s
// ->
//   contract (i = 8, g = 4) by (k = 16384) product (l = 64) (%q'[i, g, l], %k[i, k, l])
//     yield %acc * (c * d)                              %q' = expand_shape %q [8, 4]
//
// A product of one row is raised as rows that are reduced, which is as fast as keys are read: once for each head. As
// rows of one product they are read once for all heads of a group. Factors are constant numbers from 2^-20 to 2^20, as
// in behind_products.c.
//
// decides: which products of one row are rows of one product, since they share a side.
//
// runs in: sinter-cpu    test: test/passes/arrange/shared_products.mlir, test/run/shared_products.test

#include "capi/form.h"
#include "capi/pass.h"
#include "dialect/row_ops.h"
#include "passes/arrange/arrange.h"
#include "passes/edit/edit.h"
#include "passes/merge/merge.h"
#include <math.h>

// ---- what is summed -------------------------------------------------------------------------------

static bool is_f32(MlirValue v) { return mlirTypeIsAF32(sn_element(sn_type_of(v))); }

// The factors of v: constant numbers, and two arguments of the body, in f32 or widened to it.
static bool find_factors(MlirValue v, SnRowProduct *s) {
  double number;
  MlirOperation mul = sn_def(v, "arith.mulf"), wide = sn_def(v, "arith.extf");
  if (!sn_null(mul))
    return find_factors(sn_operand(mul, 0), s) && find_factors(sn_operand(mul, 1), s);
  MlirValue scalar = sn_broadcast_of(v), x = sn_null(wide) ? v : sn_operand(wide, 0);
  if (!sn_none(scalar) && sn_attr_number(sn_constant_of(scalar), &number)) {
    s->factor *= number;
    return true;
  }
  if (!mlirValueIsABlockArgument(x) || !sn_is_row(x) || s->num_sides == 2)
    return false;
  s->sides[s->num_sides++] = x;
  return true;
}

static bool find_sum(const SnForm *f, SnRowProduct *s) {
  enum { MOST = 20 }; // of two, what is moved behind
  bool fits = true;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op) && fits;
       op = mlirOperationGetNextInBlock(op)) {
    if (sn_row_op_has(op, SN_READS_ALL)) {
      fits = sn_null(s->sum) && sn_is_reduce(op, "add") && is_f32(sn_result(op, 0));
      s->sum = op;
    }
    fits &= !sn_is(op, "cf.assert") && !sn_row_op_has(op, SN_READS_ONE);
  }
  s->factor = 1;
  fits = fits && !sn_null(s->sum) && is_f32(sn_operand(s->sum, 0)) && find_factors(sn_operand(s->sum, 0), s) &&
         s->num_sides == 2 && fabs(s->factor) >= ldexp(1, -MOST) && fabs(s->factor) <= ldexp(1, MOST);
  for (size_t k = 0; k < f->inputs.size && fits; ++k)
    for (int i = 0; i < 2; ++i)
      if (sn_same(s->sides[i], sn_input_argument(f, k)))
        s->inputs[i] = k;
  return fits && s->inputs[0] != s->inputs[1];
}

// ---- who shares -----------------------------------------------------------------------------------

static bool is_dim(MlirAffineExpr e, int64_t d) {
  return mlirAffineExprIsADim(e) && mlirAffineDimExprGetPosition(e) == d;
}

// Row dimension d of a, of which b has d floordiv n alone; n, or 0.
static int64_t shared_by(const SnAccess *b, int64_t d) {
  int64_t n = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(b->map); ++i) {
    MlirAffineExpr e = mlirAffineMapGetResult(b->map, i);
    if (!mlirAffineExprIsFunctionOfDim(e, d))
      continue;
    if (n || !mlirAffineExprIsAFloorDiv(e) || !is_dim(mlirAffineBinaryOpExprGetLHS(e), d) ||
        !mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(e)))
      return 0;
    n = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e));
  }
  return n;
}

static bool is_plain_access(const SnAccess *a) { return !a->fill.ptr && !a->through.ptr && !sn_is_table(a); }

// A vector has them: nothing is read again.
static bool is_few(const SnForm *f, int64_t d) {
  enum { FEW = 16 };
  return f->dims.data[d].size != SN_DYNAMIC && f->dims.data[d].size < FEW;
}

static bool find_dims(const SnForm *f, SnRowProduct *s, bool alone) {
  const SnAccess *a = &f->inputs.data[s->inputs[0]], *b = &f->inputs.data[s->inputs[1]];
  s->shared = s->columns = -1;
  for (int64_t d = 0; d < f->num_rows; ++d) {
    bool in_a = sn_access_uses(f, a, d), in_b = sn_access_uses(f, b, d);
    int64_t n = shared_by(b, d);
    if (in_b && !in_a) {
      if (s->columns >= 0)
        return false;
      s->columns = d;
    } else if (s->shared < 0 && in_a && !in_b && f->dims.data[d].size != 1) { // all of them
      s->shared = d;
      s->n = 1;
    } else if (n > 1 && s->shared < 0 && f->dims.data[d].size != SN_DYNAMIC && f->dims.data[d].size % n == 0) {
      s->shared = d;
      s->n = f->dims.data[d].size == n ? 1 : n;
    }
  }
  bool few = s->columns >= 0 && (is_few(f, s->columns) || is_few(f, f->num_rows));
  return (s->shared >= 0 || alone) && s->columns == f->num_rows - 1 && !few; // results lie so
}

static bool same_types(const SnRowProduct *s) {
  return mlirTypeEqual(sn_type_of(s->sides[0]), sn_type_of(s->sides[1]));
}

bool sn_find_row_product(const SnForm *f, SnRowProduct *s, bool alone) {
  *s = (SnRowProduct){0};
  if (f->contract || !sn_is_plain(f) || f->schedule.ptr || f->num_rows < 2 || f->num_cols != 1 ||
      f->accumulators.size || f->indices.size || f->dims.size + 1 > SN_MAX_DIMS || f->outputs.size > SN_MAX_DIMS ||
      !find_sum(f, s) || (!alone && !same_types(s)))
    return false;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (!is_plain_access(&f->inputs.data[k]) ||
        (k != s->inputs[0] && k != s->inputs[1] && sn_uses_cols(f, f->inputs.data[k].map)))
      return false;
  for (size_t o = 0; o < f->outputs.size; ++o)
    if (sn_uses_cols(f, f->outputs.data[o].map) || sn_is_reduced(f, o) ||
        sn_rank(sn_type_of(f->outputs.data[o].value)) + 1 > SN_MAX_DIMS)
      return false;
  if (find_dims(f, s, alone))
    return true;
  size_t input = s->inputs[0]; // the other way round
  MlirValue side = s->sides[0];
  s->inputs[0] = s->inputs[1], s->sides[0] = s->sides[1];
  s->inputs[1] = input, s->sides[1] = side;
  return find_dims(f, s, alone);
}

// ---- the product ----------------------------------------------------------------------------------

// Dimensions of the product: rows but the columns, `shared` as two of them; the columns; what is summed.
static void set_dims(MlirContext ctx, const SnForm *f, const SnRowProduct *s, SnForm *to, MlirAffineExpr *dims) {
  for (int64_t d = 0; d < f->num_rows; ++d) {
    if (d == s->columns)
      continue;
    SnDim dim = f->dims.data[d];
    dims[d] = mlirAffineDimExprGet(ctx, (intptr_t)to->dims.size);
    bool apart = d == s->shared && s->n > 1;
    dim.size = apart ? dim.size / s->n : dim.size;
    sn_push(&to->dims, dim);
    if (!apart)
      continue;
    dims[d] = mlirAffineAddExprGet(mlirAffineMulExprGet(dims[d], mlirAffineConstantExprGet(ctx, s->n)),
                                   mlirAffineDimExprGet(ctx, (intptr_t)to->dims.size));
    sn_push(&to->dims, ((SnDim){.name = sn_fresh_name(ctx, f, "g"), .size = s->n}));
  }
  to->num_rows = (int64_t)to->dims.size;
  to->num_cols = 1;
  int64_t last[] = {s->columns, f->num_rows};
  for (int i = 0; i < 2; ++i) {
    dims[last[i]] = mlirAffineDimExprGet(ctx, (intptr_t)to->dims.size);
    sn_push(&to->dims, f->dims.data[last[i]]);
  }
}

static SnAccess moved(const SnAccess *a, const SnForm *to, const MlirAffineExpr *dims) {
  int64_t sizes[SN_MAX_DIMS];
  for (size_t d = 0; d < to->dims.size; ++d)
    sizes[d] = to->dims.data[d].size;
  SnAccess x = *a;
  x.map = sn_map_simplify(sn_map_replace(a->map, (intptr_t)to->dims.size, dims), sizes);
  return x;
}

MlirOperation sn_multiply_rows(MlirOperation op, const SnForm *f, const SnRowProduct *s) {
  SnBuilder b = sn_before(op);
  SnForm to = {.contract = true};
  MlirAffineExpr dims[SN_MAX_DIMS];
  set_dims(b.ctx, f, s, &to, dims);
  sn_push(&to.products, ((SnProduct){.num_dims = 1, .type = sn_type_of(sn_result(s->sum, 0))}));
  for (int i = 0; i < 2; ++i)
    sn_push(&to.inputs, moved(&f->inputs.data[s->inputs[i]], &to, dims));
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (k != s->inputs[0] && k != s->inputs[1])
      sn_push(&to.inputs, moved(&f->inputs.data[k], &to, dims));
  intptr_t apart[SN_MAX_DIMS];
  for (size_t o = 0; o < f->outputs.size; ++o) {
    sn_push(&to.outputs, moved(&f->outputs.data[o], &to, dims));
    apart[o] = sn_take_apart(&b, &to, &to.outputs.data[o]);
  }
  MlirOperation made = sn_form_create(&b, &to, false);
  SnBuilder in = sn_at_end(to.body, b.loc);
  SnMap map = {0};
  for (size_t k = 0, next = 2; k < f->inputs.size; ++k)
    if (k != s->inputs[0] && k != s->inputs[1])
      sn_map(&map, sn_input_argument(f, k), sn_input_argument(&to, next++));
  MlirValue acc = sn_product_argument(&to, 0);
  if (s->factor != 1)
    acc =
        sn(&in, "arith.mulf", acc, sn_as_row(&in, sn_float(&in, to.products.data[0].type, s->factor), sn_type_of(acc)));
  sn_map(&map, sn_result(s->sum, 0), acc);
  MlirOperation end = mlirBlockGetTerminator(f->body);
  SnValueVec values = {0};
  for (intptr_t k = 0; k < sn_num_operands(end); ++k) {
    MlirValue v = sn_move_value(&in, f, sn_operand(end, k), dims, &to, &map);
    sn_push(&values, sn_as_row(&in, v, sn_row_type(&to, sn_element(sn_type_of(v)))));
  }
  sn_op(&in, "sinter.yield", sn_values((intptr_t)values.size, values.data), sn_types(0, NULL));
  for (intptr_t r = 0; r < sn_num_results(op); ++r) {
    MlirValue was = sn_result(op, r), is = sn_result(made, r);
    mlirValueReplaceAllUsesOfWith(was, apart[r] < 0 ? is : sn_put_together(&b, is, sn_type_of(was), apart[r]));
  }
  mlirOperationDestroy(op);
  sn_vec_free(&values);
  sn_map_free(&map);
  sn_form_free(&to);
  return made;
}

// ---- the pass -------------------------------------------------------------------------------------

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  (void)run;
  SnOpVec forms = sn_collect(root, "sinter.rowwise");
  for (size_t k = 0; k < forms.size; ++k) {
    SnForm f = sn_form_read(forms.data[k]);
    SnRowProduct s;
    if (sn_num_results(f.op) && sn_find_row_product(&f, &s, false))
      sn_multiply_rows(f.op, &f, &s);
    sn_form_free(&f);
  }
  sn_vec_free(&forms);
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_shared_products = {
    .argument = "sinter-shared-products",
    .summary = "products of one row that share a side -> rows of one product",
    .dialects = dialects,
    .run = run,
};
