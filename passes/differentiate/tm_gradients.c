// tm_gradients.c: gradients of torch-mlir's sorts, and of the first k; what those of scans and scatters share with
// them.
//
//   %y = tm_tensor.sort %x              ->  %y, %p = sort of %x and of positions
//                                           %p, %dx = sort of %p and the gradient, by %p
//   %y, %n = tm_tensor.topk %x          ->  %v, %p = the same of %x, with positions
//                                           %dx[.., %p[.., k]] += the gradient[.., k]
//
// runs in: differentiate    test: test/run/gradients.test

#include "dialect/attributes.h"
#include "passes/differentiate/tm_gradients.h"
#include "passes/program/sorted.h"

// The gradient with respect to result k, in the wide type.
MlirValue sn_tm_upstream(const SnTmRule *r, intptr_t k) {
  MlirValue y = sn_result(r->op, k), g = r->upstream[k].value;
  MlirType wide = sn_wide_type(sn_element(sn_type_of(y)));
  if (!r->upstream[k].given || sn_none(g))
    return sn_elementwise_form(r->b, wide, y, 0, NULL, NULL, false, r->upstream[k].given);
  return mlirTypeEqual(sn_element(sn_type_of(g)), wide) ? g : sn_elementwise_form(r->b, wide, y, 1, &g, NULL, false, 0);
}

void sn_tm_give(const SnTmRule *r, size_t k, MlirValue g) {
  MlirType element = r->elements[k];
  if (!mlirTypeEqual(sn_element(sn_type_of(g)), element))
    g = sn_elementwise_form(r->b, element, sn_operand(r->op, (intptr_t)k), 1, &g, NULL, false, 0);
  r->give(r->user, k, g);
}

// A block on these, and a builder in it.
MlirRegion sn_tm_region(SnBuilder *b, intptr_t n, const MlirType *types, SnBuilder *in) {
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

MlirValue sn_tm_scatter(SnBuilder *b, MlirValue updates, MlirValue indices, MlirValue into, const char *by,
                        MlirAttribute dimension_map, MlirAttribute unique) {
  SnBuilder in;
  MlirType number = sn_element(sn_type_of(into)), two[] = {number, number};
  MlirRegion body = sn_tm_region(b, 2, two, &in);
  MlirValue p = mlirBlockGetArgument(in.block, 0), q = mlirBlockGetArgument(in.block, 1);
  sn_op(&in, "tm_tensor.yield", by ? sn(&in, by, p, q) : p, sn_types(0, NULL));
  return sn(b, "tm_tensor.scatter", updates, indices, into, sn_type_of(into), body,
            sn_attr("dimension_map", dimension_map), sn_attr("unique_indices", unique),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){2, 1})));
}

bool sn_tm_refused(const SnTmRule *r, const char *why) {
  sn_error(r->op, "has no gradient here: %s", why);
  return false;
}

SnTmCombiner sn_tm_combiner(MlirOperation op) {
  static const struct {
    const char *name;
    SnTmCombiner is;
  } known[] = {{"arith.addf", SN_TM_SUM},
               {"arith.mulf", SN_TM_PRODUCT},
               {"arith.maximumf", SN_TM_MAXIMUM},
               {"arith.minimumf", SN_TM_MINIMUM}};
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirValue v = sn_operand(mlirBlockGetTerminator(block), 0), p = mlirBlockGetArgument(block, 0),
            q = mlirBlockGetArgument(block, 1);
  if (sn_same(v, p))
    return SN_TM_FIRST;
  for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
    MlirOperation by = sn_def(v, known[k].name);
    if (!sn_null(by) && ((sn_same(sn_operand(by, 0), p) && sn_same(sn_operand(by, 1), q)) ||
                         (sn_same(sn_operand(by, 0), q) && sn_same(sn_operand(by, 1), p))))
      return known[k].is;
  }
  MlirOperation add = sn_def(v, "arith.addf");
  bool counts = !sn_null(add) && ((sn_same(sn_operand(add, 0), q) && sn_constant_of(sn_operand(add, 1)).ptr) ||
                                  (sn_same(sn_operand(add, 1), q) && sn_constant_of(sn_operand(add, 0)).ptr));
  return counts ? SN_TM_COUNT : SN_TM_OTHER;
}

// ---- elementwise forms ------------------------------------------------------------------------

MlirValue sn_pointwise(SnBuilder *b, MlirType element, MlirValue like, intptr_t n, const MlirValue *values,
                       const MlirAffineMap *maps, SnPointwise emit) {
  MlirType t = sn_tensor_like(sn_type_of(like), element);
  intptr_t rank = sn_rank(t);
  SnForm f = {.num_rows = rank ? rank - 1 : 0, .num_cols = rank ? 1 : 0};
  SnValueVec arguments = {0};
  for (intptr_t d = 0; d < rank; ++d)
    sn_push(&f.dims, ((SnDim){sn_fresh_name(b->ctx, &f, "d"), sn_dim(t, d)}));
  MlirAffineMap all = mlirAffineMapMultiDimIdentityGet(b->ctx, rank);
  for (intptr_t k = 0; k < n; ++k)
    sn_push(&f.inputs, ((SnAccess){.value = values[k], .map = maps && maps[k].ptr ? maps[k] : all}));
  sn_push(&f.outputs, ((SnAccess){.value = sn_empty_like(b, t, like), .map = all}));
  MlirOperation made = sn_form_create(b, &f, false);
  SnBuilder in = sn_at_end(f.body, b->loc);
  for (intptr_t k = 0; k < n; ++k)
    sn_push(&arguments, sn_input_argument(&f, (size_t)k));
  MlirValue v = emit(&in, &f, arguments.data);
  v = sn_is_float(element) ? sn_to_float(&in, v, element) : v;
  sn_op(&in, "sinter.yield", rank ? sn_as_row(&in, v, sn_row_type(&f, element)) : v, sn_types(0, NULL));
  sn_vec_free(&arguments);
  sn_form_free(&f);
  return sn_result(made, 0);
}

MlirValue sn_are_equal(SnBuilder *b, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpf", x, y, sn_attr("predicate", sn_i64(b->ctx, 1 /* oeq */)));
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
static MlirValue sorted_positions(const SnTmRule *r) {
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
  MlirRegion body = sn_tm_region(&b, 2 * n + 2, types.data, &in);
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

static bool sort(const SnTmRule *r) {
  SnBuilder *b = r->b;
  int64_t first = sn_first_read(r->op); // of others nobody reads anything, and the gradient is 0
  SnValueVec operands = {0};
  SN_VEC(MlirType) results = {0}, types = {0};
  SN_VEC(size_t) which = {0};
  sn_push(&operands, (MlirValue){0});
  for (intptr_t k = 0; k < sn_num_operands(r->op); ++k)
    if (r->active[k]) {
      sn_push(&operands, sn_tm_upstream(r, k));
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
  MlirRegion body = sn_tm_region(b, 2 * n, types.data, &in);
  MlirValue before = sn(&in, "arith.cmpi", mlirBlockGetArgument(in.block, 0), mlirBlockGetArgument(in.block, 1),
                        sn_attr("predicate", sn_i64(b->ctx, 2 /* slt */)));
  sn_op(&in, "tm_tensor.yield", before, sn_types(0, NULL));
  MlirOperation made =
      sn_op(b, "tm_tensor.sort", sn_values(n, operands.data), sn_types(n, results.data), body,
            sn_attr("dimension", sn_get_attr(r->op, "dimension")),
            sn_attr(SN_PLACES, sn_i64(b->ctx, first == SN_DYNAMIC ? -1 : first)),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){0, (int32_t)n})));
  for (size_t k = 0; k < which.size; ++k)
    sn_tm_give(r, which.data[k], sn_result(made, (intptr_t)k + 1));
  sn_vec_free(&operands);
  sn_vec_free(&results);
  sn_vec_free(&types);
  sn_vec_free(&which);
  return true;
}

// ---- the first k -----------------------------------------------------------------------------

static MlirValue minus_one(SnBuilder *b, const SnForm *f, const MlirValue *values) {
  (void)f, (void)values;
  return sn_int(b, mlirIntegerTypeGet(b->ctx, 64), -1);
}

// Where they stand along the dimension; -1 for what was in the list before and stayed.
static MlirValue first_positions(const SnTmRule *r) {
  SnBuilder *b = r->b;
  intptr_t inputs = sn_num_operands(r->op) - 2;
  MlirValue x = sn_operand(r->op, 0), list = sn_operand(r->op, inputs);
  MlirValue none = sn_pointwise(b, mlirIntegerTypeGet(b->ctx, 64), list, 0, NULL, NULL, minus_one);
  MlirType number = sn_element(sn_type_of(x)), two[] = {number, number};
  MlirType results[] = {sn_type_of(list), sn_type_of(none)};
  SnBuilder in;
  MlirRegion body = sn_tm_region(b, 2, two, &in);
  MlirBlock old = mlirRegionGetFirstBlock(mlirOperationGetRegion(r->op, 0));
  SnMap map = {0};
  for (intptr_t k = 0; k < 2; ++k)
    sn_map(&map, mlirBlockGetArgument(old, k), mlirBlockGetArgument(in.block, k));
  sn_copy_ops(&in, old, &map);
  sn_op(&in, "tm_tensor.yield", sn_lookup(&map, sn_operand(mlirBlockGetTerminator(old), 0)), sn_types(0, NULL));
  sn_map_free(&map);
  MlirOperation made = sn_op(b, "tm_tensor.topk", x, list, none, sn_types(2, results), body,
                             sn_attr("dimension", sn_get_attr(r->op, "dimension")),
                             sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){1, 2})));
  return sn_result(made, 1);
}

static bool topk(const SnTmRule *r) {
  SnBuilder *b = r->b;
  intptr_t inputs = sn_num_operands(r->op) - 2, dim = sn_int_attr(r->op, "dimension", 0);
  if (r->active[inputs])
    return sn_tm_refused(r, "the list that it begins with is differentiated");
  if (!r->active[0] || !r->upstream[0].given)
    return true;
  MlirValue x = sn_operand(r->op, 0), g = sn_tm_upstream(r, 0), at = first_positions(r);
  MlirType t = sn_type_of(g);
  intptr_t rank = sn_rank(t);
  // What was read: x[.., at[.., k], ..], and nothing where that is -1.
  SnForm f = {.op = r->op, .num_rows = rank - 1, .num_cols = 1};
  MlirAffineExpr subscripts[SN_MAX_DIMS];
  MlirAffineMap all = mlirAffineMapMultiDimIdentityGet(b->ctx, rank);
  for (intptr_t d = 0; d < rank; ++d) {
    sn_push(&f.dims, ((SnDim){sn_fresh_name(b->ctx, &f, "d"), sn_dim(t, d)}));
    subscripts[d] = d == dim ? mlirAffineSymbolExprGet(b->ctx, 0) : mlirAffineDimExprGet(b->ctx, d);
  }
  sn_push(&f.indices, ((SnAccess){.value = at, .map = all}));
  SnAccess read = {.value = x,
                   .map = mlirAffineMapGet(b->ctx, rank, 1, rank, subscripts),
                   .fill = mlirFloatAttrDoubleGet(b->ctx, sn_element(sn_type_of(x)), 0),
                   .through = mlirDenseI64ArrayGet(b->ctx, 1, (int64_t[]){0})};
  sn_push(&f.inputs, read);
  sn_push(&f.outputs, ((SnAccess){.value = g, .map = all}));
  sn_tm_give(r, 0, sn_scatter_gradient(b, &f, &f, 0, all, g, r->elements[0]));
  sn_form_free(&f);
  return true;
}

static const struct {
  const char *name;
  bool (*gradient)(const SnTmRule *r);
} rules[] = {{"tm_tensor.scan", sn_scan_gradient},
             {"tm_tensor.sort", sort},
             {"tm_tensor.topk", topk},
             {"tm_tensor.scatter", sn_scatter_gradients}};

bool sn_is_tm_tensor(MlirOperation op) {
  for (size_t k = 0; k < sizeof rules / sizeof *rules; ++k)
    if (sn_is(op, rules[k].name))
      return true;
  return false;
}

bool sn_differentiate_tm_tensor(SnBuilder *b, MlirOperation op, const SnGradient *given, const bool *active,
                                const MlirType *elements, SnGive to, void *user) {
  SnTmRule r = {b, op, given, active, elements, to, user};
  size_t k = 0;
  b->loc = mlirOperationGetLocation(op);
  while (!sn_is(op, rules[k].name))
    ++k;
  return rules[k].gradient(&r);
}
