// scatter_gradients.c: gradients of torch-mlir's scatters.
//
//   %y = tm_tensor.scatter %u at %t into %x
//     a sum         %du = the gradient at %t                          %dx = the gradient
//     a count       %du = 0                                           %dx = the gradient
//     the update    %du = the gradient at %t                          %dx = the gradient, and 0 at %t
//     a maximum     both: the gradient over the number of equal ones, where they are what was kept
//     a product     both: the gradient times the product of all others, beside zeros too
//
// runs in: differentiate    test: test/run/gradients.test

#include "passes/differentiate/tm_gradients.h"

// Column k of the indices, and the place in the window: where each element of an update goes. An index tensor over the
// update's dimensions 0 and `d`.
static MlirValue moved_index(const SnTmRule *r, intptr_t k, intptr_t d) {
  SnBuilder *b = r->b;
  MlirValue updates = sn_operand(r->op, 0), indices = sn_operand(r->op, 1);
  MlirType t = sn_type_of(updates), number = sn_element(sn_type_of(indices));
  SnForm f = {.num_rows = 1, .num_cols = 1};
  int64_t shape[] = {sn_dim(t, 0), sn_dim(t, d)};
  SnValueVec sizes = {0};
  for (intptr_t p = 0; p < 2; ++p) {
    sn_push(&f.dims, ((SnDim){sn_fresh_name(b->ctx, &f, "d"), shape[p]}));
    if (shape[p] == SN_DYNAMIC)
      sn_push(&sizes, sn(b, "tensor.dim", updates, sn_index(b, p ? d : 0)));
  }
  MlirAffineExpr place[] = {mlirAffineDimExprGet(b->ctx, 0), mlirAffineConstantExprGet(b->ctx, k)};
  sn_push(&f.inputs, ((SnAccess){.value = indices, .map = mlirAffineMapGet(b->ctx, 2, 0, 2, place)}));
  MlirValue e = sn(b, "tensor.empty", sn_tensor(number, 2, shape), sn_values((intptr_t)sizes.size, sizes.data));
  sn_push(&f.outputs, ((SnAccess){.value = e, .map = mlirAffineMapMultiDimIdentityGet(b->ctx, 2)}));
  MlirOperation made = sn_form_create(b, &f, false);
  SnBuilder in = sn_at_end(f.body, b->loc);
  MlirValue at = sn_position(&in, &f, 1);
  if (!mlirTypeIsAIndex(number))
    at = sn_row_op(&in, "arith.index_cast", number, 1, &at);
  MlirValue both[] = {at, sn_input_argument(&f, 0)};
  sn_op(&in, "sinter.yield", sn_row_op(&in, "arith.addi", (MlirType){0}, 2, both), sn_types(0, NULL));
  sn_vec_free(&sizes);
  sn_form_free(&f);
  return sn_result(made, 0);
}

// What stands where the updates went, as large as they are.
static MlirValue gather(const SnTmRule *r, MlirValue g) {
  SnBuilder *b = r->b;
  MlirValue updates = sn_operand(r->op, 0), indices = sn_operand(r->op, 1);
  MlirType t = sn_type_of(updates), element = sn_element(sn_type_of(g));
  intptr_t rank = sn_rank(t), of = sn_rank(sn_type_of(g)), offset = of - (rank - 1);
  MlirAttribute map = sn_get_attr(r->op, "dimension_map");
  SnForm f = {.num_rows = rank - 1, .num_cols = 1};
  MlirAffineExpr at[SN_MAX_DIMS];
  int64_t through[SN_MAX_DIMS];
  for (intptr_t d = 0; d < rank; ++d)
    sn_push(&f.dims, ((SnDim){sn_fresh_name(b->ctx, &f, "d"), sn_dim(t, d)}));
  for (intptr_t d = 0; d < of; ++d)
    at[d] = d >= offset ? mlirAffineDimExprGet(b->ctx, d - offset + 1) : (MlirAffineExpr){0};
  for (intptr_t k = 0; k < mlirDenseArrayGetNumElements(map); ++k) {
    intptr_t d = mlirDenseI64ArrayGetElement(map, k), own = d - offset + 1;
    bool window = at[d].ptr && sn_dim(t, own) != 1;
    MlirAffineExpr place[] = {mlirAffineDimExprGet(b->ctx, 0),
                              window ? mlirAffineDimExprGet(b->ctx, own) : mlirAffineConstantExprGet(b->ctx, k)};
    sn_push(&f.indices, ((SnAccess){.value = window ? moved_index(r, k, own) : indices,
                                    .map = mlirAffineMapGet(b->ctx, rank, 0, 2, place)}));
    at[d] = mlirAffineSymbolExprGet(b->ctx, k);
    through[k] = k;
  }
  intptr_t n = (intptr_t)f.indices.size;
  SnAccess in = {.value = g, .map = mlirAffineMapGet(b->ctx, rank, n, of, at)};
  if (n)
    in.through = mlirDenseI64ArrayGet(b->ctx, n, through);
  sn_push(&f.inputs, in);
  sn_push(&f.outputs, ((SnAccess){.value = sn_empty_like(b, sn_tensor_like(t, element), updates),
                                  .map = mlirAffineMapMultiDimIdentityGet(b->ctx, rank)}));
  MlirValue made = sn_result(sn_form_create(b, &f, false), 0);
  SnBuilder body = sn_at_end(f.body, b->loc);
  sn_op(&body, "sinter.yield", sn_as_row(&body, sn_input_argument(&f, 0), sn_row_type(&f, element)), sn_types(0, NULL));
  sn_form_free(&f);
  return made;
}

// The same scatter of other numbers; `by` combines them, null: the update alone.
static MlirValue scattered(const SnTmRule *r, MlirValue updates, MlirValue into, const char *by) {
  return sn_tm_scatter(r->b, updates, sn_operand(r->op, 1), into, by, sn_get_attr(r->op, "dimension_map"),
                       sn_get_attr(r->op, "unique_indices"));
}

// The gradient, and 0 where the updates went.
static MlirValue cleared(const SnTmRule *r, MlirValue g) {
  MlirValue u = sn_operand(r->op, 0);
  MlirValue zeros = sn_elementwise_form(r->b, sn_element(sn_type_of(g)), u, 0, NULL, NULL, false, 0);
  return scattered(r, zeros, g, NULL);
}

// ---- maxima and minima ------------------------------------------------------------------------

static MlirValue is_kept(SnBuilder *b, const SnForm *f, const MlirValue *values) {
  (void)f;
  MlirValue same = sn_are_equal(b, values[0], values[1]);
  return sn_row_op(b, "arith.uitofp", mlirF32TypeGet(b->ctx), 1, &same);
}

// values: x, what was kept, the gradient, the number of equal ones.
static MlirValue share(SnBuilder *b, const SnForm *f, const MlirValue *values) {
  (void)f;
  MlirValue part = sn_row_op(b, "arith.divf", (MlirType){0}, 2, values + 2);
  MlirValue chosen[] = {sn_are_equal(b, values[0], values[1]), part, sn_float(b, sn_element(sn_type_of(part)), 0)};
  return sn_row_op(b, "arith.select", (MlirType){0}, 3, chosen);
}

static void extremum(const SnTmRule *r, MlirValue g) {
  SnBuilder *b = r->b;
  MlirType wide = sn_element(sn_type_of(g));
  MlirValue u = sn_operand(r->op, 0), x = sn_operand(r->op, 2), y = sn_result(r->op, 0), kept = gather(r, y);
  MlirValue of_u = sn_pointwise(b, wide, u, 2, (MlirValue[]){u, kept}, NULL, is_kept),
            of_x = sn_pointwise(b, wide, x, 2, (MlirValue[]){x, y}, NULL, is_kept);
  MlirValue count = scattered(r, of_u, of_x, "arith.addf");
  if (r->active[0])
    sn_tm_give(r, 0, sn_pointwise(b, wide, u, 4, (MlirValue[]){u, kept, gather(r, g), gather(r, count)}, NULL, share));
  if (r->active[2])
    sn_tm_give(r, 2, sn_pointwise(b, wide, x, 4, (MlirValue[]){x, y, g, count}, NULL, share));
}

// ---- products -----------------------------------------------------------------------------------

static MlirValue is_zero(SnBuilder *b, MlirValue x) {
  MlirValue both[] = {x, sn_float(b, sn_element(sn_type_of(x)), 0)};
  if (sn_is_row(x))
    both[1] = sn_as_row(b, both[1], sn_type_of(x));
  return sn_are_equal(b, both[0], both[1]);
}

static MlirValue one_if_zero(SnBuilder *b, const SnForm *f, const MlirValue *values) {
  (void)f;
  MlirValue zero = is_zero(b, values[0]);
  return sn_row_op(b, "arith.uitofp", mlirF32TypeGet(b->ctx), 1, &zero);
}

static MlirValue not_zero(SnBuilder *b, const SnForm *f, const MlirValue *values) {
  (void)f;
  MlirType wide = sn_wide_type(sn_element(sn_type_of(values[0])));
  MlirValue chosen[] = {is_zero(b, values[0]), sn_float(b, wide, 1), sn_to_float(b, values[0], wide)};
  return sn_row_op(b, "arith.select", (MlirType){0}, 3, chosen);
}

// values: x, the gradient, how many are 0, the product of those that are not. The product of all others is 0 where
// another one is 0.
static MlirValue by_the_others(SnBuilder *b, const SnForm *f, const MlirValue *values) {
  MlirType wide = sn_element(sn_type_of(values[1]));
  MlirValue own = one_if_zero(b, f, values), x = not_zero(b, f, values);
  own = sn_to_float(b, own, wide);
  MlirValue others[] = {values[2], own}, quotient[] = {values[3], x};
  MlirValue left = sn_row_op(b, "arith.subf", (MlirType){0}, 2, others);
  MlirValue product[] = {values[1], sn_row_op(b, "arith.divf", (MlirType){0}, 2, quotient)};
  MlirValue chosen[] = {is_zero(b, left), sn_row_op(b, "arith.mulf", (MlirType){0}, 2, product), sn_float(b, wide, 0)};
  return sn_row_op(b, "arith.select", (MlirType){0}, 3, chosen);
}

static void product(const SnTmRule *r, MlirValue g) {
  SnBuilder *b = r->b;
  MlirType wide = sn_element(sn_type_of(g));
  MlirValue u = sn_operand(r->op, 0), x = sn_operand(r->op, 2);
  MlirValue zeros = scattered(r, sn_pointwise(b, wide, u, 1, &u, NULL, one_if_zero),
                              sn_pointwise(b, wide, x, 1, &x, NULL, one_if_zero), "arith.addf");
  MlirValue all = scattered(r, sn_pointwise(b, wide, u, 1, &u, NULL, not_zero),
                            sn_pointwise(b, wide, x, 1, &x, NULL, not_zero), "arith.mulf");
  if (r->active[0])
    sn_tm_give(r, 0,
               sn_pointwise(b, wide, u, 4, (MlirValue[]){u, gather(r, g), gather(r, zeros), gather(r, all)}, NULL,
                            by_the_others));
  if (r->active[2])
    sn_tm_give(r, 2, sn_pointwise(b, wide, x, 4, (MlirValue[]){x, g, zeros, all}, NULL, by_the_others));
}

// ---- all of them --------------------------------------------------------------------------------

bool sn_scatter_gradients(const SnTmRule *r) {
  SnTmCombiner by = sn_tm_combiner(r->op);
  if (by == SN_TM_OTHER)
    return sn_tm_refused(r,
                         "it combines by something other than a sum, product, maximum, minimum, or the update alone");
  MlirValue g = sn_tm_upstream(r, 0);
  if (by == SN_TM_MAXIMUM || by == SN_TM_MINIMUM) {
    extremum(r, g);
  } else if (by == SN_TM_PRODUCT) {
    product(r, g);
  } else {
    if (r->active[0] && by != SN_TM_COUNT)
      sn_tm_give(r, 0, gather(r, g));
    if (r->active[2])
      sn_tm_give(r, 2, by == SN_TM_FIRST ? cleared(r, g) : g);
  }
  return true;
}
