// reduced_pieces.c: a product whose rows are reduced becomes one of pieces of them, and rows that join these.
//
//   contract (i) by (j = 1000)  ->  contract (i, p = 6) by (j = 192), which gives numbers of each piece [p, i]
//                                   rowwise (i) by (p = 6), which joins them in order
//
// What is kept of a piece, and what joins it, is reduced.c's plan.
//
// runs in: split    test: test/passes/split/reduced.mlir, test/gpu/heads.test

#include "lowering/rows/rowmemory.h"
#include "passes/split/reduced.h"

// ---- the pieces ----------------------------------------------------------------------------------------

typedef struct {
  SnPartCopy in; // of the form's body, in that of the pieces
  const SnReducedJoin *join;
  const SnReducedRange *range;
  SnForm to;
  MlirValue start; // of the range, in the body; or null
  MlirAffineExpr dims[SN_MAX_DIMS];
} Pieces;

static int64_t number_dim(const SnReducedJoin *s) { return s->f->num_rows; }

// Rows' dimensions, the number of the piece, its columns, what is summed if it is.
static void set_dims(Pieces *p, MlirContext ctx) {
  const SnForm *f = p->join->f;
  int64_t at = number_dim(p->join);
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
    bool summed = d >= f->num_rows + f->num_cols;
    if (d == at) {
      sn_push(&p->to.dims, ((SnDim){sn_fresh_name(ctx, f, "p"), p->range->count}));
      sn_push(&p->to.dims, ((SnDim){f->dims.data[d].name, p->join->piece}));
    } else if (!summed || p->to.contract) {
      sn_push(&p->to.dims, f->dims.data[d]);
    }
    p->dims[d] = summed && !p->to.contract ? mlirAffineConstantExprGet(ctx, 0)
                                           : mlirAffineDimExprGet(ctx, d < at ? d : d + 1);
  }
  p->dims[at] = mlirAffineAddExprGet(
      mlirAffineMulExprGet(mlirAffineDimExprGet(ctx, at), mlirAffineConstantExprGet(ctx, p->join->piece)),
      mlirAffineDimExprGet(ctx, at + 1));
}

// The last piece may go on behind the row's end.
static bool is_uneven(const Pieces *p) { return p->join->columns % p->join->piece != 0 && !p->range->whole; }

static MlirAttribute zero_of(MlirContext ctx, MlirType t) {
  return sn_is_float(t) ? mlirFloatAttrDoubleGet(ctx, t, 0) : mlirIntegerAttrGet(t, 0);
}

static void add_input(Pieces *p, MlirContext ctx, size_t k) {
  const SnForm *f = p->join->f;
  SnAccess a = sn_with_own_indices(f, f->inputs.data[k], &p->to);
  if (is_uneven(p) && !a.fill.ptr && sn_map_uses(a.map, number_dim(p->join)))
    a.fill = zero_of(ctx, sn_element(sn_type_of(a.value)));
  sn_push(&p->to.inputs, a);
}

static void add_output(Pieces *p, SnBuilder *b, size_t part) {
  const SnForm *f = p->join->f;
  MlirType element = p->join->parts.data[part].type;
  int64_t shape[SN_MAX_DIMS] = {p->range->count};
  MlirValue sizes[SN_MAX_DIMS];
  MlirAffineExpr exprs[SN_MAX_DIMS] = {mlirAffineDimExprGet(b->ctx, number_dim(p->join))};
  intptr_t n = 0;
  for (int64_t d = 0; d < f->num_rows; ++d) {
    shape[d + 1] = f->dims.data[d].size;
    if (shape[d + 1] == SN_DYNAMIC)
      sizes[n++] = sn_size_value(b, f, d);
    exprs[d + 1] = mlirAffineDimExprGet(b->ctx, d);
  }
  MlirValue v = p->range->places
                    ? p->range->places[part]
                    : sn(b, "tensor.empty", sn_values(n, sizes), sn_tensor(element, f->num_rows + 1, shape));
  MlirAffineMap map = mlirAffineMapGet(b->ctx, (intptr_t)p->to.dims.size, 0, f->num_rows + 1, exprs);
  sn_push(&p->to.outputs, ((SnAccess){.value = v, .map = map}));
}

// Where the piece begins: an index.
static MlirValue first_column(SnBuilder *b, const Pieces *p) {
  MlirValue first = sn(b, "arith.muli", sn_position(b, &p->to, number_dim(p->join)), sn_index(b, p->join->piece));
  if (!sn_none(p->start))
    return sn(b, "arith.addi", first, p->start);
  return p->range->first ? sn(b, "arith.addi", first, sn_index(b, p->range->first * p->join->piece)) : first;
}

static MlirValue columns(SnBuilder *b, const SnPartCopy *in) {
  const Pieces *p = (const Pieces *)in;
  MlirValue operands[] = {first_column(b, p), sn_position(b, &p->to, number_dim(p->join) + 1)};
  return sn_row_op(b, "arith.addi", (MlirType){0}, 2, operands);
}

static MlirValue in_piece(SnBuilder *b, void *user, MlirValue v) {
  Pieces *p = user;
  return sn_copy_in_part(b, &p->in, v);
}

static MlirValue as_row(SnBuilder *b, const Pieces *p, MlirValue v) {
  return sn_as_row(b, v, sn_reduced_row(sn_reduced_element(v), p->join->piece));
}

// Columns behind the row's end are the combiner's identity.
static MlirValue within(SnBuilder *b, const Pieces *p, MlirValue v, MlirAttribute kind) {
  if (!is_uneven(p))
    return v;
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32); // comparisons of 64 bits take twice as long
  MlirValue j = sn_position(b, &p->to, number_dim(p->join) + 1),
            left = sn(b, "arith.subi", sn_index(b, p->join->columns), first_column(b, p)),
            end = as_row(b, p, sn(b, "arith.index_cast", left, i32)),
            in = sn(b, "arith.cmpi", sn(b, "arith.index_cast", j, sn_reduced_row(i32, p->join->piece)), end,
                    sn_attr("predicate", sn_i64(b->ctx, SN_REDUCED_BELOW)));
  MlirAttribute identity = sn_combiner_identity(sn_combiner(mlirStringAttrGetValue(kind)), sn_reduced_element(v));
  return sn(b, "arith.select", in, v, as_row(b, p, sn_constant(b, identity)));
}

static MlirValue pick_in_piece(SnBuilder *b, Pieces *p, const SnReducedPart *part) {
  MlirValue t = in_piece(b, p, sn_operand(part->op, 1)), first = first_column(b, p),
            row = as_row(b, p, in_piece(b, p, part->row));
  if (!mlirTypeIsAIndex(sn_type_of(t)))
    first = sn(b, "arith.index_cast", first, sn_type_of(t));
  return sn(b, "sinter.pick", row, sn(b, "arith.subi", t, first), sn_zero(b, part->type));
}

// Under the piece's own maximum, which a GPU's arithmetic is told.
static MlirValue exponential_in_piece(SnBuilder *b, const SnReducedPart *part, MlirValue x) {
  MlirValue e = sn_elementwise(b, part->exp, 1, &x);
  if (sn_same(part->reference, sn_result(part->op, 0)) && sn_is_reduce(part->op, "maximumf") &&
      mlirTypeIsAF32(part->type)) {
    sn_set_attr(sn_definer(e), "sinter.not_positive", sn_unit(b->ctx));
    sn_set_attr(sn_definer(e), "sinter.under_maximum", sn_unit(b->ctx));
  }
  return e;
}

static MlirValue part_in_piece(SnBuilder *b, Pieces *p, const SnReducedPart *part, const MlirValue *before) {
  MlirAttribute add = sn_string(b->ctx, "add"), kind = sn_get_attr(part->op, "kind");
  if (part->kind == SN_PART_PICKED)
    return pick_in_piece(b, p, part);
  MlirValue x = as_row(b, p, in_piece(b, p, part->row));
  if (part->kind == SN_PART_REDUCED)
    return sn_reduce_row_as(b, part->op, within(b, p, x, kind));
  MlirValue r = sn_reduced_own_reference(b, p->join, part->reference, part->op, before[part->maximum], in_piece, p);
  x = sn(b, "arith.subf", x, as_row(b, p, sn_reduced_above_least(b, r)));
  if (part->kind == SN_PART_EXPONENTIALS)
    x = exponential_in_piece(b, part, x);
  if (!sn_none(part->factor))
    x = sn(b, "arith.mulf", x, as_row(b, p, in_piece(b, p, part->factor)));
  return sn_row_reduce(b, "add", within(b, p, x, add), part->type);
}

// The product is read where it is stored, and so may be the number of the range's first column.
static void add_inputs(Pieces *p, MlirContext ctx) {
  const SnForm *f = p->join->f;
  const SnReducedRange *r = p->range;
  for (size_t k = p->to.contract ? 0 : sn_first_input(f); k < f->inputs.size; ++k)
    add_input(p, ctx, k);
  intptr_t n = (intptr_t)p->to.dims.size;
  for (size_t k = 0; k < p->to.inputs.size + p->to.indices.size; ++k) {
    SnAccess *a = (SnAccess *)sn_form_access(&p->to, k);
    a->map = sn_map_replace(a->map, n, p->dims);
  }
  if (!sn_none(r->start))
    sn_push(&p->to.inputs, ((SnAccess){.value = r->start, .map = mlirAffineMapGet(ctx, n, 0, 0, NULL)}));
  if (!p->to.contract)
    sn_push(&p->to.inputs, ((SnAccess){.value = r->stored, .map = mlirAffineMapMultiDimIdentityGet(ctx, n)}));
}

static void map_arguments(Pieces *p, SnBuilder *in) {
  const SnForm *f = p->join->f;
  size_t at = p->to.contract ? sn_first_input(f) : 0;
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    sn_map(&p->in.made, sn_input_argument(f, k), sn_input_argument(&p->to, at++));
  if (!sn_none(p->range->start))
    p->start = sn(in, "arith.index_cast", sn_input_argument(&p->to, at++), sn_index_type(in->ctx));
  for (size_t i = 0; i < f->products.size; ++i)
    sn_map(&p->in.made, sn_product_argument(f, i),
           p->to.contract ? sn_product_argument(&p->to, i)
                          : sn_unrounded(in, sn_input_argument(&p->to, at),
                                       sn_reduced_row(f->products.data[i].type, p->join->piece)));
}

MlirOperation sn_make_pieces(SnBuilder *b, const SnReducedJoin *s, const SnReducedRange *range) {
  const SnForm *f = s->f;
  bool made_here = sn_none(range->stored);
  Pieces p = {.join = s, .range = range, .to = {.contract = made_here, .num_rows = f->num_rows + 1, .num_cols = 1}};
  p.in = (SnPartCopy){.f = f, .to = &p.to, .dim = number_dim(s), .position = columns};
  set_dims(&p, b->ctx);
  for (size_t i = 0; i < f->products.size && made_here; ++i)
    sn_push(&p.to.products, f->products.data[i]);
  add_inputs(&p, b->ctx);
  for (size_t i = 0; i < s->parts.size; ++i)
    add_output(&p, b, i);
  MlirOperation made = sn_form_create(b, &p.to, false);
  SnBuilder in = sn_at_end(p.to.body, b->loc);
  map_arguments(&p, &in);
  MlirValue *values = sn_alloc((s->parts.size + 1) * sizeof *values);
  for (size_t i = 0; i < s->parts.size; ++i)
    values[i] = part_in_piece(&in, &p, &s->parts.data[i], values);
  sn_op(&in, "sinter.yield", sn_values((intptr_t)s->parts.size, values), sn_types(0, NULL));
  free(values);
  sn_map_free(&p.in.made);
  sn_form_free(&p.to);
  return made;
}

// ---- behind them -----------------------------------------------------------------------------------------

void sn_copy_finish_whole(const SnForm *f, const SnForm *to, MlirLocation loc) {
  SnBuilder in = sn_at_end(to->finish, loc);
  SnMap map = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(f->finish); ++k)
    sn_map(&map, mlirBlockGetArgument(f->finish, k), mlirBlockGetArgument(to->finish, k));
  sn_copy_block(&in, f->finish, &map);
  sn_map_free(&map);
}

// The form behind the pieces, without a body: rows by numbers of pieces.
static SnForm form_of_join(SnBuilder *b, const SnReducedJoin *s, const MlirValue *pieces) {
  const SnForm *f = s->f;
  SnForm to = {.num_rows = f->num_rows, .num_cols = 1};
  MlirAffineExpr dims[SN_MAX_DIMS], own[SN_MAX_DIMS];
  intptr_t n = f->num_rows + 1;
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d)
    dims[d] = d < f->num_rows ? mlirAffineDimExprGet(b->ctx, d) : mlirAffineConstantExprGet(b->ctx, 0);
  for (int64_t d = 0; d < f->num_rows; ++d)
    sn_push(&to.dims, f->dims.data[d]);
  sn_push(&to.dims, ((SnDim){sn_fresh_name(b->ctx, f, "p"), s->pieces}));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (!sn_is_row(sn_input_argument(f, k))) {
      SnAccess a = sn_with_own_indices(f, f->inputs.data[k], &to);
      sn_push(&to.inputs, a);
    }
  for (size_t k = 0; k < f->outputs.size; ++k) {
    SnAccess a = sn_with_own_indices(f, f->outputs.data[k], &to);
    sn_push(&to.outputs, a);
  }
  for (size_t k = 0; k < to.inputs.size + to.indices.size + to.outputs.size; ++k) {
    SnAccess *a = (SnAccess *)sn_form_access(&to, k);
    a->map = sn_map_replace(a->map, n, dims);
  }
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    sn_push(&to.accumulators, f->accumulators.data[k]);
    to.accumulators.data[k].map = sn_map_replace(to.accumulators.data[k].map, n, dims);
  }
  for (intptr_t i = 0; i < n; ++i)
    own[i] = mlirAffineDimExprGet(b->ctx, i ? i - 1 : n - 1);
  for (size_t i = 0; i < s->parts.size; ++i)
    sn_push(&to.inputs, ((SnAccess){.value = pieces[i], .map = mlirAffineMapGet(b->ctx, n, 0, n, own)}));
  return to;
}

MlirOperation sn_join_pieces(SnBuilder *b, SnReducedJoin *s, const MlirValue *pieces) {
  const SnForm *f = s->f;
  SnForm to = form_of_join(b, s, pieces);
  MlirOperation made = sn_form_create(b, &to, f->finish.ptr), end = mlirBlockGetTerminator(f->body);
  SnMap map = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(s->joined); ++k)
    sn_map(&map, mlirBlockGetArgument(s->joined, k), mlirBlockGetArgument(to.body, k));
  SnValueVec yields = {0};
  for (intptr_t k = 0; k < sn_num_operands(end); ++k)
    sn_push(&yields, sn_lookup(&s->made, sn_operand(end, k)));
  sn_op(&s->b, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  SnBuilder in = sn_at_end(to.body, b->loc);
  sn_copy_block(&in, s->joined, &map);
  if (f->finish.ptr)
    sn_copy_finish_whole(f, &to, b->loc);
  sn_vec_free(&yields);
  sn_map_free(&map);
  sn_form_free(&to);
  return made;
}

void sn_reduce_in_parts(MlirOperation contract, MlirAttribute cut) {
  SnForm f = sn_form_read(contract);
  SnReducedJoin s = sn_plan_reduced(&f);
  SnBuilder b = sn_before(contract);
  SnReducedRange all = {.count = s.pieces};
  MlirOperation pieces = sn_make_pieces(&b, &s, &all);
  SnValueVec parts = {0};
  for (size_t i = 0; i < s.parts.size; ++i)
    sn_push(&parts, sn_result(pieces, (intptr_t)i));
  MlirOperation join = sn_join_pieces(&b, &s, parts.data);
  sn_vec_free(&parts);
  if (cut.ptr) {
    sn_set_attr(pieces, "sinter.cut", cut);
    sn_set_attr(join, "sinter.cut", cut);
  }
  sn_replace_results(contract, join);
  mlirOperationDestroy(contract);
  sn_free_reduced(&s);
  sn_form_free(&f);
  sn_tidy(pieces);
  sn_tidy(join);
}
