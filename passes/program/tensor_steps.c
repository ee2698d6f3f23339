// tensor_steps.c: rows x what is worked along x lanes, and forms of steps on them.
//
// Dimensions before the one that is worked along are collapsed into rows, those behind it into lanes.
//
// runs in: sinter-tm-tensor    test: test/passes/program/scan.mlir

#include "passes/program/tensor_steps.h"
#include "capi/size_parts.h"
#include <assert.h>

// ---- three dimensions of many ------------------------------------------------------------

MlirAttribute sn_members(MlirContext ctx, intptr_t from, intptr_t to) {
  MlirAttribute all[SN_MAX_DIMS];
  for (intptr_t d = from; d < to; ++d)
    all[d - from] = sn_i64(ctx, d);
  return mlirArrayAttrGet(ctx, to - from, all);
}

static int64_t product(MlirType t, intptr_t from, intptr_t to) {
  int64_t n = 1;
  for (intptr_t d = from; d < to; ++d)
    n = n == SN_DYNAMIC || sn_dim(t, d) == SN_DYNAMIC ? SN_DYNAMIC : n * sn_dim(t, d);
  return n;
}

SnLayout sn_lay_out(MlirContext ctx, MlirType t, intptr_t dim) {
  intptr_t rank = sn_rank(t), n = 0;
  SnLayout l = {.wide = t, .lifted = !dim, .collapsed = dim > 1 || rank - dim > 2, .dim = dim};
  MlirAttribute groups[3];
  int64_t shape[3];
  intptr_t ends[] = {0, dim, dim + 1, rank};
  for (int k = 0; k < 3; ++k) {
    if (k == 0 && l.lifted)
      shape[n++] = 1;
    if (ends[k] == ends[k + 1])
      continue;
    groups[n - l.lifted] = sn_members(ctx, ends[k], ends[k + 1]);
    shape[n++] = product(t, ends[k], ends[k + 1]);
  }
  l.groups = mlirArrayAttrGet(ctx, n - l.lifted, groups);
  l.narrow = sn_tensor(sn_element(t), n, shape);
  return l;
}

// Without the row that was added.
static MlirType without_row(const SnLayout *l) {
  int64_t shape[3];
  intptr_t rank = sn_rank(l->narrow) - l->lifted;
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = sn_dim(l->narrow, d + l->lifted);
  return sn_tensor(sn_element(l->narrow), rank, shape);
}

static MlirAttribute row_groups(MlirContext ctx, intptr_t rank) {
  MlirAttribute groups[] = {sn_members(ctx, 0, 2), sn_members(ctx, 2, 3)};
  return mlirArrayAttrGet(ctx, rank - 1, groups);
}

MlirValue sn_unfold(SnBuilder *b, MlirValue v, MlirType t, MlirAttribute groups, MlirValue like, intptr_t from) {
  int64_t shape[SN_MAX_DIMS];
  MlirValue sizes[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    if ((shape[d] = sn_dim(t, d)) == SN_DYNAMIC)
      sizes[n++] = sn(b, "tensor.dim", like, sn_index(b, d - from), sn_index_type(b->ctx));
  return sn(b, "tensor.expand_shape", v, sn_values(n, sizes), t, sn_attr("reassociation", groups),
            sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, sn_rank(t), shape)));
}

MlirValue sn_narrowed(SnBuilder *b, const SnLayout *l, MlirValue v) {
  if (l->collapsed)
    v = sn(b, "tensor.collapse_shape", v, without_row(l), sn_attr("reassociation", l->groups));
  return l->lifted ? sn_unfold(b, v, l->narrow, row_groups(b->ctx, sn_rank(l->narrow)), v, 1) : v;
}

MlirValue sn_widened(SnBuilder *b, const SnLayout *l, MlirValue v, MlirValue like) {
  if (l->lifted)
    v = sn(b, "tensor.collapse_shape", v, without_row(l),
           sn_attr("reassociation", row_groups(b->ctx, sn_rank(l->narrow))));
  return l->collapsed ? sn_unfold(b, v, l->wide, l->groups, like, 0) : v;
}

MlirValue sn_layout_empty(SnBuilder *b, MlirValue v) {
  MlirType t = sn_type_of(v);
  int64_t shape[SN_MAX_DIMS];
  MlirValue sizes[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    if ((shape[d] = sn_dim(t, d)) == SN_DYNAMIC)
      sizes[n++] = sn_emit_size(b, v, d);
  return sn(b, "tensor.empty", sn_values(n, sizes), sn_tensor(sn_element(t), sn_rank(t), shape));
}

// ---- a number everywhere -------------------------------------------------------------------

MlirAttribute sn_filled_with(MlirValue v) {
  MlirOperation op = sn_definer(v);
  while (!sn_null(op) && (sn_is(op, "tensor.expand_shape") || sn_is(op, "tensor.collapse_shape"))) {
    v = sn_operand(op, 0);
    op = sn_definer(v);
  }
  MlirAttribute number = sn_constant_of(v);
  if (!sn_null(op) && sn_is(op, "linalg.fill"))
    number = sn_constant_of(sn_operand(op, 0));
  if (!sn_null(op) && sn_is(op, "sinter.rowwise")) {
    SnForm f = sn_form_read(op);
    size_t k = (size_t)mlirOpResultGetResultNumber(v);
    if (!sn_is_reduced(&f, k))
      number = sn_constant_of(sn_operand(mlirBlockGetTerminator(f.body), (intptr_t)sn_output_position(&f, k)));
    sn_form_free(&f);
  }
  return number;
}

// ---- a form --------------------------------------------------------------------------------

SnStepsBody sn_steps_begin(SnBuilder *b, intptr_t n, const MlirValue *operands) {
  SN_VEC(MlirType) types = {0};
  SN_VEC(MlirLocation) locs = {0};
  sn_push(&types, sn_index_type(b->ctx));
  sn_push(&locs, b->loc);
  for (intptr_t k = 0; k < n; ++k) {
    MlirType t = sn_type_of(operands[k]);
    sn_push(&types, sn_memref_like(t, sn_element(t)));
    sn_push(&locs, b->loc);
  }
  MlirBlock block = mlirBlockCreate(1 + n, types.data, locs.data);
  SnStepsBody body = {.in = sn_at_end(block, b->loc), .region = mlirRegionCreate()};
  mlirRegionAppendOwnedBlock(body.region, block);
  body.row = mlirBlockGetArgument(block, 0);
  body.memory = sn_alloc((size_t)(n + 1) * sizeof *body.memory);
  for (intptr_t k = 0; k < n; ++k)
    body.memory[k] = mlirBlockGetArgument(block, 1 + k);
  sn_vec_free(&types);
  sn_vec_free(&locs);
  return body;
}

MlirOperation sn_steps_end(SnBuilder *b, SnStepsBody *body, intptr_t rows, intptr_t inputs, intptr_t n,
                           const MlirValue *operands) {
  SN_VEC(MlirType) results = {0};
  for (intptr_t k = inputs; k < n; ++k)
    sn_push(&results, sn_type_of(operands[k]));
  int32_t segments[] = {(int32_t)inputs, (int32_t)(n - inputs), 0};
  sn_op(&body->in, "sinter.yield", sn_types(0, NULL));
  MlirOperation made = sn_op(b, "sinter.steps", sn_values(n, operands), sn_types(n - inputs, results.data),
                             sn_attr("rows", sn_i64(b->ctx, rows)),
                             sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 3, segments)), body->region,
                             mlirRegionCreate());
  free(body->memory);
  sn_vec_free(&results);
  return made;
}

static MlirOperation lanes(SnBuilder *b, MlirValue n, MlirRegion region, MlirValue *init) {
  int32_t segments[] = {1, 1, 1, init != NULL};
  MlirValue operands[] = {sn_index(b, 0), n, sn_index(b, 1), init ? *init : (MlirValue){0}};
  MlirType t = init ? sn_type_of(*init) : (MlirType){0};
  return sn_op(b, "scf.parallel", sn_values(3 + segments[3], operands), region, sn_types(segments[3], &t),
               sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 4, segments)));
}

static MlirRegion one_block(SnBuilder *b, intptr_t n, MlirType type, SnBuilder *in) {
  MlirType types[] = {type, type};
  MlirLocation locs[] = {b->loc, b->loc};
  MlirBlock block = mlirBlockCreate(n, types, locs);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  *in = sn_at_end(block, b->loc);
  return region;
}

SnBuilder sn_lanes_begin(SnBuilder *b, MlirValue n, MlirValue *lane) {
  SnBuilder in;
  MlirRegion region = one_block(b, 1, sn_index_type(b->ctx), &in);
  lanes(b, n, region, NULL);
  *lane = mlirBlockGetArgument(in.block, 0);
  return in;
}

void sn_lanes_end(SnBuilder *in) { sn_op(in, "scf.reduce", sn_types(0, NULL)); }

MlirValue sn_all_lanes(SnBuilder *b, MlirValue n, MlirValue (*f)(SnBuilder *in, MlirValue lane, void *user),
                       void *user) {
  SnBuilder in, both;
  MlirType i1 = mlirIntegerTypeGet(b->ctx, 1);
  MlirValue yes = sn_int(b, i1, 1);
  MlirRegion region = one_block(b, 1, sn_index_type(b->ctx), &in), reduce = one_block(b, 2, i1, &both);
  MlirOperation made = lanes(b, n, region, &yes);
  sn_op(&in, "scf.reduce", f(&in, mlirBlockGetArgument(in.block, 0), user), reduce, sn_types(0, NULL));
  MlirValue and = sn(&both, "arith.andi", mlirBlockGetArgument(both.block, 0), mlirBlockGetArgument(both.block, 1));
  sn_op(&both, "scf.reduce.return", and, sn_types(0, NULL));
  return sn_result(made, 0);
}

// ---- regions of tm_tensor ------------------------------------------------------------------

MlirLogicalResult sn_check_combiner(MlirOperation op, intptr_t n, const MlirType *types, MlirType to) {
  MlirBlock region = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirOperation end = mlirBlockGetTerminator(region);
  if (mlirBlockGetNumArguments(region) != n || sn_null(end) || sn_num_operands(end) != 1)
    return sn_error(op, "has a region of %td arguments; expected %td, and one value that it yields",
                    mlirBlockGetNumArguments(region), n);
  bool fits = mlirTypeEqual(sn_type_of(sn_operand(end, 0)), to);
  for (intptr_t k = 0; k < n; ++k)
    fits &= mlirTypeEqual(sn_type_of(mlirBlockGetArgument(region, k)), types[k]);
  if (!fits)
    return sn_error(op, "has a region on other types than its tensors hold");
  for (MlirOperation in = mlirBlockGetFirstOperation(region); !sn_null(in); in = mlirOperationGetNextInBlock(in)) {
    if (!mlirOperationEqual(in, end) && !sn_in_dialect(in, "arith") && !sn_in_dialect(in, "math"))
      return sn_error(in, "is in the region of %s, which holds arith and math alone", sn_name(op));
    for (intptr_t k = 0; k < sn_num_operands(in); ++k) {
      MlirValue v = sn_operand(in, k);
      MlirOperation from = sn_definer(v);
      bool inside = sn_null(from) ? mlirBlockEqual(mlirBlockArgumentGetOwner(v), region)
                                  : mlirBlockEqual(mlirOperationGetBlock(from), region);
      if (!inside && !sn_constant_of(v).ptr)
        return sn_error(in, "in the region of %s takes a value from outside that is no constant", sn_name(op));
    }
  }
  return SN_OK;
}

MlirValue sn_inline_combiner(SnBuilder *b, MlirOperation op, const MlirValue *arguments) {
  MlirBlock region = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirOperation end = mlirBlockGetTerminator(region);
  SnMap map = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(region); ++k)
    sn_map(&map, mlirBlockGetArgument(region, k), arguments[k]);
  for (MlirOperation in = mlirBlockGetFirstOperation(region); !mlirOperationEqual(in, end);
       in = mlirOperationGetNextInBlock(in)) {
    for (intptr_t k = 0; k < sn_num_operands(in); ++k)
      if (sn_none(sn_mapped(&map, sn_operand(in, k))))
        sn_map(&map, sn_operand(in, k), sn_constant(b, sn_constant_of(sn_operand(in, k))));
    sn_clone(b, in, &map);
  }
  MlirValue last = sn_operand(end, 0), made = sn_mapped(&map, last);
  made = sn_none(made) ? sn_constant(b, sn_constant_of(last)) : made;
  sn_map_free(&map);
  return made;
}
