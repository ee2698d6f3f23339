// form_create.c: the operation of a kernel form, from its parts. See form.h.
//
// test: test/dialect (forms as they print), test/passes (whatever a pass makes)

#include "capi/form.h"

typedef SN_VEC(MlirAttribute) Attrs;
typedef SN_VEC(MlirType) Types;
typedef SN_VEC(int64_t) Numbers;

static MlirBlock block_of(MlirRegion region, Types *types, MlirLocation loc) {
  MlirLocation *locs = sn_alloc(types->size * sizeof *locs);
  for (size_t i = 0; i < types->size; ++i)
    locs[i] = loc;
  MlirBlock block = mlirBlockCreate((intptr_t)types->size, types->data, locs);
  mlirRegionAppendOwnedBlock(region, block);
  free(locs);
  sn_vec_free(types);
  return block;
}

// A row program's operation on other operands: its rows become as long as `row`. A constant row that is not one value
// keeps its length.
static void copy_row_op(SnBuilder *b, MlirOperation op, MlirType row, SnMap *map) {
  MlirAttribute one = sn_num_results(op) == 1 ? sn_constant_of(sn_result(op, 0)) : mlirAttributeGetNull();
  int64_t n = sn_dim(row, 0);
  if (one.ptr && sn_is_row(sn_result(op, 0))) {
    MlirValue scalar = sn_constant(b, one);
    sn_map(map, sn_result(op, 0), sn(b, "sinter.broadcast", scalar, sn_tensor(sn_type_of(scalar), 1, &n)));
    return;
  }
  if (sn_num_results(op) != 1 || !sn_is_row(sn_result(op, 0)) || sn_is(op, "arith.constant")) {
    sn_clone(b, op, map);
    return;
  }
  MlirType to = sn_tensor(sn_element(sn_type_of(sn_result(op, 0))), 1, &n);
  SnValueVec operands = {0};
  for (intptr_t i = 0; i < sn_num_operands(op); ++i)
    sn_push(&operands, sn_lookup(map, sn_operand(op, i)));
  MlirOperation copy = sn_clone_as(b, op, sn_values((intptr_t)operands.size, operands.data), sn_types(1, &to));
  sn_map(map, sn_result(op, 0), sn_result(copy, 0));
  sn_vec_free(&operands);
}

// The side's program in a region of its own, empty if it has none.
static MlirRegion side_region(SnBuilder *b, SnForm *f, size_t side) {
  MlirRegion region = mlirRegionCreate();
  SnSide *s = &f->sides.data[side];
  if (!s->program.ptr)
    return region;
  int64_t dims[SN_MAX_DIMS];
  SnForm alone = sn_side_form(f, side, dims);
  Types types = {0};
  for (size_t k = 0; k < alone.inputs.size; ++k)
    sn_push(&types, sn_access_type(&alone, &alone.inputs.data[k]));
  MlirBlock block = block_of(region, &types, b->loc);
  SnBuilder in = sn_at_end(block, b->loc);
  SnMap map = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(block); ++k)
    sn_map(&map, mlirBlockGetArgument(s->program, k), mlirBlockGetArgument(block, k));
  MlirType row = sn_row_type(&alone, sn_index_type(b->ctx));
  for (MlirOperation op = mlirBlockGetFirstOperation(s->program); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    copy_row_op(&in, op, row, &map);
  sn_map_free(&map);
  sn_form_free(&alone);
  s->program = block;
  return region;
}

// ---- the operation ----------------------------------------------------------------------

// What the operation is built of, in order, and the types of its blocks' arguments.
typedef struct {
  const SnForm *form;
  SnValueVec operands;
  Types results, body, finish;
  Attrs maps;
  SN_VEC(SnArg) args;
} Making;

static void add(Making *m, SnArg arg) { sn_push(&m->args, arg); }

static void add_array(Making *m, MlirContext ctx, const char *name, Attrs *attrs) {
  add(m, SN_ARG(sn_attr(name, mlirArrayAttrGet(ctx, (intptr_t)attrs->size, attrs->data))));
  sn_vec_free(attrs);
}

static void add_numbers(Making *m, MlirContext ctx, const char *name, Numbers *numbers) {
  add(m, SN_ARG(sn_attr(name, mlirDenseI64ArrayGet(ctx, (intptr_t)numbers->size, numbers->data))));
  sn_vec_free(numbers);
}

static void add_dims(Making *m, MlirContext ctx) {
  const SnForm *f = m->form;
  Attrs names = {0};
  Numbers sizes = {0};
  for (size_t i = 0; i < f->dims.size; ++i) {
    sn_push(&names, mlirStringAttrGet(ctx, f->dims.data[i].name));
    sn_push(&sizes, f->dims.data[i].size);
  }
  add_array(m, ctx, "dims", &names);
  add_numbers(m, ctx, "sizes", &sizes);
  add(m, SN_ARG(sn_attr("num_rows", sn_i64(ctx, f->num_rows))));
  add(m, SN_ARG(sn_attr("num_cols", sn_i64(ctx, f->num_cols))));
}

// Products, groups of columns, matrices and the counts of sides' inputs: a plain form has none.
static void add_products(Making *m, MlirContext ctx) {
  const SnForm *f = m->form;
  Attrs types = {0};
  Numbers own = {0}, groups = {0}, matrices = {0}, counts = {0};
  for (size_t p = 0; p < f->products.size; ++p) {
    sn_push(&own, f->products.data[p].num_dims);
    sn_push(&types, mlirTypeAttrGet(f->products.data[p].type));
    sn_push(&m->body, sn_group_type(f, (size_t)sn_group_of_product(f, p), f->products.data[p].type));
  }
  if (f->contract) {
    add_array(m, ctx, "product_types", &types);
    add_numbers(m, ctx, "product_dims", &own);
  }
  for (size_t g = 0; g < f->groups.size && f->groups.size > 1; ++g)
    sn_push(&groups, f->groups.data[g].num_dims);
  for (size_t i = 0; i < f->matrices.size; ++i) {
    sn_push(&m->body, sn_matrix_type(f, i));
    sn_push(&matrices, f->matrices.data[i].from);
    sn_push(&matrices, f->matrices.data[i].to);
  }
  for (size_t s = 0; s < f->sides.size; ++s)
    sn_push(&counts, (int64_t)f->sides.data[s].count);
  if (groups.size)
    add_numbers(m, ctx, "groups", &groups);
  if (matrices.size)
    add_numbers(m, ctx, "matrices", &matrices);
  if (counts.size)
    add_numbers(m, ctx, "side_sizes", &counts);
}

static void add_inputs(Making *m, MlirContext ctx) {
  const SnForm *f = m->form;
  Attrs fills = {0}, indirect = {0};
  bool filled = false;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    const SnAccess *a = &f->inputs.data[k];
    sn_push(&m->operands, a->value);
    sn_push(&m->maps, mlirAffineMapAttrGet(a->map));
    sn_push(&fills, a->fill.ptr ? a->fill : mlirUnitAttrGet(ctx));
    sn_push(&indirect, a->through.ptr ? a->through : mlirDenseI64ArrayGet(ctx, 0, NULL));
    filled |= a->fill.ptr != NULL;
    if (k >= sn_first_input(f))
      sn_push(&m->body, sn_access_type(f, a));
  }
  for (size_t k = 0; k < f->indices.size; ++k) {
    sn_push(&m->operands, f->indices.data[k].value);
    sn_push(&m->maps, mlirAffineMapAttrGet(f->indices.data[k].map));
  }
  if (filled)
    add_array(m, ctx, "fills", &fills);
  if (f->indices.size)
    add_array(m, ctx, "indirect", &indirect);
  sn_vec_free(&fills);
  sn_vec_free(&indirect);
}

static void add_outputs(Making *m) {
  const SnForm *f = m->form;
  for (size_t k = 0; k < f->outputs.size; ++k) {
    MlirType t = sn_type_of(f->outputs.data[k].value);
    sn_push(&m->operands, f->outputs.data[k].value);
    sn_push(&m->maps, mlirAffineMapAttrGet(f->outputs.data[k].map));
    if (mlirTypeIsARankedTensor(t))
      sn_push(&m->results, t);
  }
}

static void add_accumulators(Making *m, MlirContext ctx) {
  const SnForm *f = m->form;
  Attrs kinds = {0}, maps = {0}, types = {0};
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    const SnAccumulator *a = &f->accumulators.data[k];
    sn_push(&kinds, mlirStringAttrGet(ctx, a->kind));
    sn_push(&maps, mlirAffineMapAttrGet(a->map));
    sn_push(&types, mlirTypeAttrGet(a->type));
    int64_t group = sn_group_of_map(f, a->map);
    sn_push(&m->finish, group >= 0 ? sn_group_type(f, (size_t)group, a->type) : a->type);
  }
  add_array(m, ctx, "accumulators", &kinds);
  add_array(m, ctx, "accumulator_maps", &maps);
  add_array(m, ctx, "accumulator_types", &types);
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (sn_is_uniform(f, k))
      sn_push(&m->finish, sn_access_type(f, &f->inputs.data[k]));
}

MlirOperation sn_form_create(SnBuilder *b, SnForm *f, bool with_finish) {
  MlirContext ctx = b->ctx;
  Making m = {.form = f};
  add_dims(&m, ctx);
  add_products(&m, ctx);
  add_inputs(&m, ctx);
  add_outputs(&m);
  add_accumulators(&m, ctx);
  add_array(&m, ctx, "maps", &m.maps);
  if (f->schedule.ptr)
    add(&m, SN_ARG(sn_attr("schedule", f->schedule)));
  int32_t segments[] = {(int32_t)f->inputs.size, (int32_t)f->indices.size, (int32_t)f->outputs.size};
  add(&m, SN_ARG(sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(ctx, 3, segments))));
  add(&m, SN_ARG(sn_values((intptr_t)m.operands.size, m.operands.data)));
  add(&m, SN_ARG(sn_types((intptr_t)m.results.size, m.results.data)));
  MlirRegion regions[2] = {mlirRegionCreate(), mlirRegionCreate()};
  f->body = block_of(regions[0], &m.body, b->loc);
  f->finish = with_finish ? block_of(regions[1], &m.finish, b->loc) : (MlirBlock){0};
  add(&m, SN_ARG(regions[0]));
  add(&m, SN_ARG(regions[1]));
  for (size_t s = 0; s < f->sides.size; ++s)
    add(&m, SN_ARG(side_region(b, f, s)));
  add(&m, (SnArg){.kind = SN_END});
  f->op = sn_build(b, f->contract ? "sinter.contract" : "sinter.rowwise", m.args.data);
  sn_vec_free(&m.args);
  sn_vec_free(&m.operands);
  sn_vec_free(&m.results);
  sn_vec_free(&m.finish);
  return f->op;
}
