// scan_gradients.c: gradients of torch-mlir's cumulative sums, products and their like.
//
//   %y = tm_tensor.scan inclusive %x by f       y[t] = f(y[t - 1], x[t]), y[0] = x[0]
//   ->
//   %a[t] = the derivative of y[t + 1] by y[t], 0 at the end
//   %r = sinter.steps: r[t] = g[t] + a[t] * r[t + 1], from the end          the whole gradient by y[t]
//   %dx[t] = %r[t] times the derivative of y[t] by x[t]
//
// f is differentiated as a row program, of which one form is made; a product beside zeros needs no rule of its own.
// Of a sum, all derivatives are 1: the gradient is the sum from the end. An exclusive scan begins with what it is given
// and reads x[t - 1].
//
// runs in: differentiate    test: test/run/gradients.test

#include "dialect/attributes.h"
#include "passes/differentiate/tm_gradients.h"
#include "passes/program/tensor_steps.h"
#include <assert.h>

typedef struct {
  const SnTmRule *r;
  intptr_t dim, rank;
  int64_t size; // of the dimension
  bool reverse, inclusive;
} Scan;

// The dimensions, with one further on.
static MlirAffineMap moved(const Scan *s, int64_t by) {
  MlirContext ctx = s->r->b->ctx;
  MlirAffineExpr all[SN_MAX_DIMS];
  for (intptr_t d = 0; d < s->rank; ++d)
    all[d] = mlirAffineDimExprGet(ctx, d);
  all[s->dim] = mlirAffineAddExprGet(all[s->dim], mlirAffineConstantExprGet(ctx, by));
  return mlirAffineMapGet(ctx, s->rank, 0, s->rank, all);
}

// The dimensions but for the one.
static MlirAffineMap without(const Scan *s) {
  MlirContext ctx = s->r->b->ctx;
  MlirAffineExpr all[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t d = 0; d < s->rank; ++d)
    if (d != s->dim)
      all[n++] = mlirAffineDimExprGet(ctx, d);
  return mlirAffineMapGet(ctx, s->rank, 0, n, all);
}

// ---- one step of it ------------------------------------------------------------------------------

// What the region yields of rows.
static MlirValue combined(SnBuilder *b, MlirOperation op, MlirValue p, MlirValue q) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirOperation end = mlirBlockGetTerminator(block);
  SnMap map = {0};
  sn_map(&map, mlirBlockGetArgument(block, 0), p);
  sn_map(&map, mlirBlockGetArgument(block, 1), q);
  for (MlirOperation in = mlirBlockGetFirstOperation(block);; in = mlirOperationGetNextInBlock(in)) {
    MlirValue operands[SN_MAX_ELEMENTWISE];
    for (intptr_t k = 0; k < sn_num_operands(in); ++k) {
      operands[k] = sn_mapped(&map, sn_operand(in, k));
      if (sn_none(operands[k])) // from outside
        operands[k] = sn_constant(b, sn_constant_of(sn_operand(in, k)));
    }
    if (mlirOperationEqual(in, end)) {
      sn_map_free(&map);
      return operands[0];
    }
    MlirAttribute constant = sn_constant_of(sn_result(in, 0));
    sn_map(&map, sn_result(in, 0),
           constant.ptr ? sn_constant(b, constant) : sn_elementwise(b, in, sn_num_operands(in), operands));
  }
}

// One more input of the form where the number of the last element is not known: the size.
static void add_size(const Scan *s, SnForm *f, bool last) {
  SnBuilder *b = s->r->b;
  if (!last || s->size != SN_DYNAMIC)
    return;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  MlirValue n = sn(b, "tensor.dim", sn_operand(s->r->op, 0), sn_index(b, s->dim), sn_index_type(b->ctx));
  n = sn(b, "tensor.from_elements", sn(b, "arith.index_cast", n, i64), sn_tensor(i64, 0, NULL));
  sn_push(&f->inputs, ((SnAccess){.value = n, .map = mlirAffineMapGet(b->ctx, s->rank, 0, 0, NULL)}));
}

// Whether the form stands at the first element, or the last one.
static MlirValue is_at(SnBuilder *in, const Scan *s, const SnForm *f, bool last) {
  MlirValue at = sn_position(in, f, s->dim), end = sn_index(in, last && s->size != SN_DYNAMIC ? s->size - 1 : 0);
  if (last && s->size == SN_DYNAMIC)
    end = sn(in, "arith.subi",
             sn(in, "arith.index_cast", sn_input_argument(f, f->inputs.size - 1), sn_index_type(in->ctx)),
             sn_index(in, 1));
  if (sn_is_row(at))
    end = sn_as_row(in, end, sn_type_of(at));
  return sn(in, "arith.cmpi", at, end, sn_attr("predicate", sn_i64(in->ctx, 0 /* eq */)));
}

enum { BEFORE, X, INIT }; // inputs of the form; the size may be one more

// y as a form of y one step before, x, and what an exclusive scan begins with.
static MlirOperation step(const Scan *s) {
  SnBuilder *b = s->r->b;
  MlirOperation op = s->r->op;
  MlirValue x = sn_operand(op, 0), y = sn_result(op, 0);
  MlirType t = sn_type_of(x), element = sn_element(t);
  MlirAttribute zero = mlirFloatAttrDoubleGet(b->ctx, element, 0);
  MlirAffineMap here = moved(s, 0), back = moved(s, s->reverse ? 1 : -1);
  SnForm f = {.num_rows = s->rank - 1, .num_cols = 1};
  for (intptr_t d = 0; d < s->rank; ++d)
    sn_push(&f.dims, ((SnDim){sn_fresh_name(b->ctx, &f, "d"), sn_dim(t, d)}));
  sn_push(&f.inputs, ((SnAccess){.value = y, .map = back, .fill = zero}));
  sn_push(
      &f.inputs,
      ((SnAccess){.value = x, .map = s->inclusive ? here : back, .fill = s->inclusive ? (MlirAttribute){0} : zero}));
  if (!s->inclusive)
    sn_push(&f.inputs, ((SnAccess){.value = sn_operand(op, 2), .map = without(s)}));
  add_size(s, &f, s->reverse);
  sn_push(&f.outputs, ((SnAccess){.value = sn_empty_like(b, t, x), .map = here}));
  MlirOperation made = sn_form_create(b, &f, false);
  SnBuilder in = sn_at_end(f.body, b->loc);
  MlirValue before = sn_input_argument(&f, BEFORE), given = sn_input_argument(&f, X);
  MlirValue chosen[] = {is_at(&in, s, &f, s->reverse), s->inclusive ? given : sn_input_argument(&f, INIT),
                        combined(&in, op, before, given)};
  sn_op(&in, "sinter.yield",
        sn_as_row(&in, sn_row_op(&in, "arith.select", (MlirType){0}, 3, chosen), sn_row_type(&f, element)),
        sn_types(0, NULL));
  sn_form_free(&f);
  return made;
}

typedef struct {
  MlirValue of[3];
} Taken;
static void take(void *user, size_t input, MlirValue gradient) { ((Taken *)user)->of[input] = gradient; }

// ---- from the end ------------------------------------------------------------------------------------

static MlirValue from_the_end(const Scan *s, MlirValue g, MlirValue a) {
  SnBuilder *b = s->r->b;
  SnLayout l = sn_lay_out(b->ctx, sn_type_of(g), s->dim);
  return sn_widened(b, &l, sn_recurrence(b, sn_narrowed(b, &l, g), sn_narrowed(b, &l, a), s->reverse), g);
}

// The sum from the end.
static MlirValue summed(const Scan *s, MlirValue g) {
  SnBuilder *b = s->r->b;
  MlirValue x = sn_operand(s->r->op, 0);
  MlirType wide = sn_element(sn_type_of(g)), two[] = {wide, wide};
  SnBuilder in;
  MlirRegion body = sn_tm_region(b, 2, two, &in);
  MlirValue arguments[] = {mlirBlockGetArgument(in.block, 0), mlirBlockGetArgument(in.block, 1)};
  sn_op(&in, "tm_tensor.yield", sn(&in, "arith.addf", arguments[0], arguments[1]), sn_types(0, NULL));
  MlirValue zeros = sn_elementwise_form(b, wide, sn_operand(s->r->op, 2), 0, NULL, NULL, false, 0);
  MlirType results[] = {sn_type_of(g), sn_type_of(zeros)};
  MlirOperation made = sn_op(b, "tm_tensor.scan", g, sn_empty_like(b, results[0], x), zeros, sn_types(2, results), body,
                             sn_attr("dimension", sn_get_attr(s->r->op, "dimension")),
                             sn_attr("inclusive", mlirBoolAttrGet(b->ctx, true)),
                             sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){1, 2})));
  if (!s->reverse)
    sn_set_attr(made, SN_REVERSE, sn_unit(b->ctx));
  return sn_result(made, 0);
}

// ---- the scan ------------------------------------------------------------------------------------------

// The gradient by the last values is one by the last elements.
static MlirValue with_last(const Scan *s, MlirValue g) {
  const SnTmRule *r = s->r;
  SnBuilder *b = r->b;
  MlirValue last = sn_tm_upstream(r, 1);
  MlirType t = sn_type_of(g), element = sn_element(t);
  SnForm f = {.num_rows = s->rank - 1, .num_cols = 1};
  for (intptr_t d = 0; d < s->rank; ++d)
    sn_push(&f.dims, ((SnDim){sn_fresh_name(b->ctx, &f, "d"), sn_dim(t, d)}));
  sn_push(&f.inputs, ((SnAccess){.value = g, .map = moved(s, 0)}));
  sn_push(&f.inputs, ((SnAccess){.value = last, .map = without(s)}));
  add_size(s, &f, !s->reverse);
  sn_push(&f.outputs, ((SnAccess){.value = sn_empty_like(b, t, g), .map = moved(s, 0)}));
  MlirOperation made = sn_form_create(b, &f, false);
  SnBuilder in = sn_at_end(f.body, b->loc);
  MlirValue both[] = {sn_input_argument(&f, 0), sn_input_argument(&f, 1)};
  MlirValue chosen[] = {is_at(&in, s, &f, !s->reverse), sn_row_op(&in, "arith.addf", (MlirType){0}, 2, both), both[0]};
  sn_op(&in, "sinter.yield",
        sn_as_row(&in, sn_row_op(&in, "arith.select", (MlirType){0}, 3, chosen), sn_row_type(&f, element)),
        sn_types(0, NULL));
  sn_form_free(&f);
  return sn_result(made, 0);
}

// Differentiates a step by some of its inputs, all of whose results have this gradient (null: ones).
static bool by_inputs(const Scan *s, MlirOperation form, MlirValue upstream, const bool *active, Taken *to) {
  const SnTmRule *r = s->r;
  MlirType wide = sn_wide_type(sn_element(sn_type_of(sn_operand(r->op, 0))));
  MlirType elements[] = {[BEFORE] = wide, [X] = r->elements[0], [INIT] = r->elements[2], [INIT + 1] = wide};
  SnGradient given = {true, upstream};
  return sn_differentiate_form(r->b, form, &given, active, elements, take, to);
}

bool sn_scan_gradient(const SnTmRule *r) {
  MlirType t = sn_type_of(sn_operand(r->op, 0));
  Scan s = {.r = r, .dim = sn_int_attr(r->op, "dimension", 0), .rank = sn_rank(t)};
  s.size = sn_dim(t, s.dim);
  s.reverse = sn_get_attr(r->op, SN_REVERSE).ptr;
  s.inclusive = mlirBoolAttrGetValue(sn_get_attr(r->op, "inclusive"));
  bool sum = sn_tm_combiner(r->op) == SN_TM_SUM, short_one = s.size == 0 || s.size == 1;
  if (r->upstream[1].given && short_one && r->active[2]) // the last values are what it begins with
    sn_tm_give(r, 2, sn_tm_upstream(r, 1));
  if (!r->active[0] && (s.inclusive || !r->active[2]))
    return true;
  MlirValue g = sn_tm_upstream(r, 0);
  if (r->upstream[1].given && !short_one)
    g = with_last(&s, g);
  MlirOperation form = step(&s);
  Taken before = {0}, taken = {0};
  bool ok =
      sum || by_inputs(&s, form, (MlirValue){0}, (bool[]){[BEFORE] = true, [X] = false, [INIT + 1] = false}, &before);
  if (ok) {
    MlirValue whole = sum ? summed(&s, g) : from_the_end(&s, g, before.of[BEFORE]);
    bool init = !s.inclusive && r->active[2];
    ok = by_inputs(&s, form, whole, (bool[]){[BEFORE] = false, [X] = r->active[0], [INIT] = init, [INIT + 1] = false},
                   &taken);
    if (ok && r->active[0])
      sn_tm_give(r, 0, taken.of[X]);
    if (ok && init)
      sn_tm_give(r, 2, taken.of[INIT]);
  }
  mlirValueReplaceAllUsesOfWith(sn_result(form, 0), sn_operand(form, sn_num_operands(form) - 1));
  mlirOperationDestroy(form);
  return ok;
}
