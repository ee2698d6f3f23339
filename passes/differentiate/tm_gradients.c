// tm_gradients.c: gradients of torch-mlir's cumulative sums, sorts and scatters.
//
//   %y = tm_tensor.scan inclusive %x by addf    ->  %dx = the same of the gradient, from the end
//   %y = tm_tensor.sort %x                      ->  %y, %p = sort of %x and of positions
//                                                   %p, %dx = sort of %p and the gradient, by %p
//   %y = tm_tensor.scatter %u at %t, addf       ->  %du = the gradient at %t; %dx = the gradient
//   %y = tm_tensor.scatter %u at %t, the update ->  %du the same;  %dx = the gradient, and 0 at %t
//
// runs in: differentiate    test: test/run/gradients.test

#include "dialect/attributes.h"
#include "passes/differentiate/differentiate.h"

typedef struct {
  SnBuilder *b;
  MlirOperation op;
  const SnGradient *upstream;
  const bool *active;
  const MlirType *elements;
  SnGive give;
  void *user;
} Rule;

bool sn_is_tm_tensor(MlirOperation op) {
  return sn_is(op, "tm_tensor.scan") || sn_is(op, "tm_tensor.sort") || sn_is(op, "tm_tensor.scatter");
}

// The gradient with respect to result k, in the wide type.
static MlirValue upstream(const Rule *r, intptr_t k) {
  MlirValue y = sn_result(r->op, k), g = r->upstream[k].value;
  MlirType wide = sn_wide_type(sn_element(sn_type_of(y)));
  if (!r->upstream[k].given || sn_none(g))
    return sn_elementwise_form(r->b, wide, y, 0, NULL, NULL, false, r->upstream[k].given);
  return mlirTypeEqual(sn_element(sn_type_of(g)), wide) ? g : sn_elementwise_form(r->b, wide, y, 1, &g, NULL, false, 0);
}

static void give(const Rule *r, size_t k, MlirValue g) {
  MlirType element = r->elements[k];
  if (!mlirTypeEqual(sn_element(sn_type_of(g)), element))
    g = sn_elementwise_form(r->b, element, sn_operand(r->op, (intptr_t)k), 1, &g, NULL, false, 0);
  r->give(r->user, k, g);
}

// A block on these, and a builder in it.
static MlirRegion region(SnBuilder *b, intptr_t n, const MlirType *types, SnBuilder *in) {
  MlirLocation *locs = sn_alloc((size_t)(n + 1) * sizeof *locs);
  for (intptr_t k = 0; k < n; ++k)
    locs[k] = b->loc;
  MlirBlock block = mlirBlockCreate(n, types, locs);
  MlirRegion made = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(made, block);
  *in = sn_at_end(block, b->loc);
  free(locs);
  return made;
}

// What the region yields: argument 0, or the sum of both; -1 for anything else.
typedef enum { THE_FIRST, THE_SUM, OTHER } Combiner;
static Combiner combiner(MlirOperation op) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirValue v = sn_operand(mlirBlockGetTerminator(block), 0), p = mlirBlockGetArgument(block, 0),
            q = mlirBlockGetArgument(block, 1);
  MlirOperation add = sn_def(v, "arith.addf");
  if (sn_same(v, p))
    return THE_FIRST;
  bool both = !sn_null(add) && ((sn_same(sn_operand(add, 0), p) && sn_same(sn_operand(add, 1), q)) ||
                                (sn_same(sn_operand(add, 0), q) && sn_same(sn_operand(add, 1), p)));
  return both ? THE_SUM : OTHER;
}

static bool refused(const Rule *r, const char *why) {
  sn_error(r->op, "has no gradient here: %s", why);
  return false;
}

// ---- scan ----------------------------------------------------------------------------------

static bool scan(const Rule *r) {
  SnBuilder *b = r->b;
  MlirValue x = sn_operand(r->op, 0), init = sn_operand(r->op, 2);
  if (combiner(r->op) != THE_SUM)
    return refused(r, "it combines by something other than a sum");
  if (r->upstream[1].given || (r->active[2] && !mlirBoolAttrGetValue(sn_get_attr(r->op, "inclusive"))))
    return refused(r, "its last values, or what it begins with, are differentiated; use its first result and a sum");
  if (!r->active[0])
    return true;
  MlirValue g = upstream(r, 0);
  MlirType wide = sn_element(sn_type_of(g)), two[] = {wide, wide};
  SnBuilder in;
  MlirRegion body = region(b, 2, two, &in);
  MlirValue arguments[] = {mlirBlockGetArgument(in.block, 0), mlirBlockGetArgument(in.block, 1)};
  sn_op(&in, "tm_tensor.yield", sn(&in, "arith.addf", arguments[0], arguments[1]), sn_types(0, NULL));
  MlirValue zeros = sn_elementwise_form(b, wide, init, 0, NULL, NULL, false, 0);
  MlirType results[] = {sn_type_of(g), sn_type_of(zeros)};
  MlirOperation made = sn_op(b, "tm_tensor.scan", g, sn_empty_like(b, results[0], x), zeros, sn_types(2, results), body,
                             sn_attr("dimension", sn_get_attr(r->op, "dimension")),
                             sn_attr("inclusive", sn_get_attr(r->op, "inclusive")),
                             sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){1, 2})));
  if (!sn_get_attr(r->op, SN_REVERSE).ptr)
    sn_set_attr(made, SN_REVERSE, sn_unit(b->ctx));
  give(r, 0, sn_result(made, 0));
  return true;
}

// ---- sort ----------------------------------------------------------------------------------

// Positions along a dimension, in the shape of `like`.
static MlirValue positions(SnBuilder *b, MlirValue like, intptr_t dim) {
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64), t = sn_tensor_like(sn_type_of(like), i64);
  intptr_t rank = sn_rank(t);
  SnForm f = {.num_rows = rank - 1, .num_cols = 1};
  for (intptr_t d = 0; d < rank; ++d) {
    SnDim size = {sn_fresh_name(b->ctx, &f, "d"), sn_dim(t, d)};
    sn_push(&f.dims, size);
  }
  sn_push(&f.outputs,
          (SnAccess){.value = sn_empty_like(b, t, like), .map = mlirAffineMapMultiDimIdentityGet(b->ctx, rank)});
  MlirOperation made = sn_form_create(b, &f, false);
  SnBuilder in = sn_at_end(f.body, b->loc);
  MlirValue at = sn_position(&in, &f, dim);
  at = sn_row_op(&in, "arith.index_cast", i64, 1, &at);
  sn_op(&in, "sinter.yield", sn_as_row(&in, at, sn_row_type(&f, i64)), sn_types(0, NULL));
  sn_form_free(&f);
  return sn_result(made, 0);
}

// The sort with positions beside all else, in its place.
static MlirValue sorted_positions(const Rule *r) {
  SnBuilder b = sn_before(r->op);
  intptr_t n = sn_num_operands(r->op);
  SnValueVec operands = {0};
  SN_VEC(MlirType) results = {0}, types = {0};
  for (intptr_t k = 0; k < n; ++k)
    sn_push(&operands, sn_operand(r->op, k));
  sn_push(&operands, positions(&b, operands.data[0], sn_int_attr(r->op, "dimension", 0)));
  for (intptr_t k = 0; k <= n; ++k) {
    sn_push(&results, sn_type_of(operands.data[k]));
    sn_push(&types, sn_element(results.data[k]));
    sn_push(&types, sn_element(results.data[k]));
  }
  SnBuilder in;
  MlirRegion body = region(&b, 2 * n + 2, types.data, &in);
  MlirBlock old = mlirRegionGetFirstBlock(mlirOperationGetRegion(r->op, 0));
  SnMap map = {0};
  for (intptr_t k = 0; k < 2 * n; ++k)
    sn_map(&map, mlirBlockGetArgument(old, k), mlirBlockGetArgument(in.block, k));
  sn_copy_ops(&in, old, &map);
  sn_op(&in, "tm_tensor.yield", sn_lookup(&map, sn_operand(mlirBlockGetTerminator(old), 0)), sn_types(0, NULL));
  MlirOperation made =
      sn_op(&b, "tm_tensor.sort", sn_values(n + 1, operands.data), sn_types(n + 1, results.data), body,
            sn_attr("dimension", sn_get_attr(r->op, "dimension")),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 2, (int32_t[]){0, (int32_t)n + 1})));
  for (intptr_t k = 0; k < n; ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(r->op, k), sn_result(made, k));
  sn_map_free(&map);
  sn_vec_free(&operands);
  sn_vec_free(&results);
  sn_vec_free(&types);
  return sn_result(made, n);
}

static bool sort(const Rule *r) {
  SnBuilder *b = r->b;
  SnValueVec operands = {0};
  SN_VEC(MlirType) results = {0}, types = {0};
  SN_VEC(size_t) which = {0};
  sn_push(&operands, (MlirValue){0});
  for (intptr_t k = 0; k < sn_num_operands(r->op); ++k)
    if (r->active[k]) {
      sn_push(&operands, upstream(r, k));
      sn_push(&which, (size_t)k);
    }
  operands.data[0] = sorted_positions(r);
  intptr_t n = (intptr_t)operands.size;
  for (intptr_t k = 0; k < n; ++k) {
    sn_push(&results, sn_type_of(operands.data[k]));
    sn_push(&types, sn_element(results.data[k]));
    sn_push(&types, sn_element(results.data[k]));
  }
  SnBuilder in;
  MlirRegion body = region(b, 2 * n, types.data, &in);
  MlirValue before = sn(&in, "arith.cmpi", mlirBlockGetArgument(in.block, 0), mlirBlockGetArgument(in.block, 1),
                        sn_attr("predicate", sn_i64(b->ctx, 2 /* slt */)));
  sn_op(&in, "tm_tensor.yield", before, sn_types(0, NULL));
  MlirOperation made =
      sn_op(b, "tm_tensor.sort", sn_values(n, operands.data), sn_types(n, results.data), body,
            sn_attr("dimension", sn_get_attr(r->op, "dimension")),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){0, (int32_t)n})));
  for (size_t k = 0; k < which.size; ++k)
    give(r, which.data[k], sn_result(made, (intptr_t)k + 1));
  sn_vec_free(&operands);
  sn_vec_free(&results);
  sn_vec_free(&types);
  sn_vec_free(&which);
  return true;
}

// ---- scatter -------------------------------------------------------------------------------

// The gradient where the updates went.
static bool gather(const Rule *r, MlirValue g, MlirValue *made) {
  SnBuilder *b = r->b;
  MlirValue updates = sn_operand(r->op, 0), indices = sn_operand(r->op, 1);
  MlirType t = sn_type_of(updates), wide = sn_element(sn_type_of(g));
  intptr_t rank = sn_rank(t), of = sn_rank(sn_type_of(g)), offset = of - (rank - 1);
  MlirAttribute map = sn_get_attr(r->op, "dimension_map");
  SnForm f = {.num_rows = rank - 1, .num_cols = 1};
  MlirAffineExpr at[SN_MAX_DIMS];
  int64_t through[SN_MAX_DIMS];
  for (intptr_t d = 0; d < rank; ++d) {
    SnDim size = {sn_fresh_name(b->ctx, &f, "d"), sn_dim(t, d)};
    sn_push(&f.dims, size);
  }
  for (intptr_t d = 0; d < of; ++d)
    at[d] = d >= offset ? mlirAffineDimExprGet(b->ctx, d - offset + 1) : (MlirAffineExpr){0};
  for (intptr_t k = 0; k < mlirDenseArrayGetNumElements(map); ++k) {
    intptr_t d = mlirDenseI64ArrayGetElement(map, k);
    if (at[d].ptr && sn_dim(t, d - offset + 1) != 1)
      return refused(r, "updates are windows that its indices move");
    MlirAffineExpr place[] = {mlirAffineDimExprGet(b->ctx, 0), mlirAffineConstantExprGet(b->ctx, k)};
    sn_push(&f.indices, (SnAccess){.value = indices, .map = mlirAffineMapGet(b->ctx, rank, 0, 2, place)});
    at[d] = mlirAffineSymbolExprGet(b->ctx, k);
    through[k] = k;
  }
  intptr_t n = (intptr_t)f.indices.size;
  SnAccess in = {.value = g,
                 .map = mlirAffineMapGet(b->ctx, rank, n, of, at),
                 .through = mlirDenseI64ArrayGet(b->ctx, n, through)};
  sn_push(&f.inputs, in);
  sn_push(&f.outputs, (SnAccess){.value = sn_empty_like(b, sn_tensor_like(t, wide), updates),
                                 .map = mlirAffineMapMultiDimIdentityGet(b->ctx, rank)});
  *made = sn_result(sn_form_create(b, &f, false), 0);
  SnBuilder body = sn_at_end(f.body, b->loc);
  sn_op(&body, "sinter.yield", sn_as_row(&body, sn_input_argument(&f, 0), sn_row_type(&f, wide)), sn_types(0, NULL));
  sn_form_free(&f);
  return true;
}

// The gradient, and 0 where the updates went.
static MlirValue cleared(const Rule *r, MlirValue g) {
  SnBuilder *b = r->b, in;
  MlirType wide = sn_element(sn_type_of(g)), two[] = {wide, wide};
  MlirRegion body = region(b, 2, two, &in);
  sn_op(&in, "tm_tensor.yield", mlirBlockGetArgument(in.block, 0), sn_types(0, NULL));
  MlirValue zeros = sn_elementwise_form(b, wide, sn_operand(r->op, 0), 0, NULL, NULL, false, 0);
  return sn(b, "tm_tensor.scatter", zeros, sn_operand(r->op, 1), g, sn_type_of(g), body,
            sn_attr("dimension_map", sn_get_attr(r->op, "dimension_map")),
            sn_attr("unique_indices", sn_get_attr(r->op, "unique_indices")),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){2, 1})));
}

static bool scatter(const Rule *r) {
  Combiner by = combiner(r->op);
  if (by == OTHER)
    return refused(r, "it combines by something other than a sum, or the update alone");
  MlirValue g = upstream(r, 0), of_updates;
  if (r->active[0]) {
    if (!gather(r, g, &of_updates))
      return false;
    give(r, 0, of_updates);
  }
  if (r->active[2])
    give(r, 2, by == THE_SUM ? g : cleared(r, g));
  return true;
}

bool sn_differentiate_tm_tensor(SnBuilder *b, MlirOperation op, const SnGradient *given, const bool *active,
                                const MlirType *elements, SnGive to, void *user) {
  Rule r = {b, op, given, active, elements, to, user};
  b->loc = mlirOperationGetLocation(op);
  return sn_is(op, "tm_tensor.scan") ? scan(&r) : sn_is(op, "tm_tensor.sort") ? sort(&r) : scatter(&r);
}
