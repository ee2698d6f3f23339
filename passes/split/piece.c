// piece.c: a piece as a form of its own.
//
// runs in: split    test: test/passes/split/split.mlir

#include "passes/split/pieces.h"
#include <stdio.h>

// ---- the piece as a form -------------------------------------------------------------------------

static void push_dim(SnPiece *p, int64_t d) {
  SnDim dim = p->s->f.dims.data[d];
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)dim.name.length, dim.name.data);
  dim.name = sn_fresh_name(p->s->b.ctx, &p->to, name);
  p->dims[d] = mlirAffineDimExprGet(p->s->b.ctx, (intptr_t)p->to.dims.size);
  p->from[p->to.dims.size] = d;
  sn_push(&p->to.dims, dim);
}

// The access over the piece's dimensions, with the index tensors that it goes through.
static SnAccess moved(SnPiece *p, SnAccess a) {
  a.map = sn_map_replace(a.map, SN_MAX_DIMS, p->dims); // how many the piece has is known at the end
  if (a.through.ptr) {
    int64_t through[SN_MAX_DIMS];
    intptr_t n = mlirDenseArrayGetNumElements(a.through);
    for (intptr_t i = 0; i < n; ++i) {
      through[i] = (int64_t)p->to.indices.size;
      SnAccess index = moved(p, p->s->f.indices.data[mlirDenseI64ArrayGetElement(a.through, i)]);
      sn_push(&p->to.indices, index);
    }
    a.through = mlirDenseI64ArrayGet(p->s->b.ctx, n, through);
  }
  return a;
}

static void push_side(SnPiece *p, size_t side) {
  SnSide s = sn_side(&p->s->f, side);
  sn_push(&p->to.sides, ((SnSide){p->to.inputs.size, s.count, s.program}));
  for (size_t k = s.first; k < s.first + s.count; ++k)
    sn_push(&p->to.inputs, moved(p, p->s->f.inputs.data[k]));
}

static void push_access(SnPiece *p, SnAccess a) {
  sn_push(&p->to.sides, ((SnSide){p->to.inputs.size, 1, {0}}));
  sn_push(&p->to.inputs, moved(p, a));
}

// Where operands are memrefs, a piece has the form's schedule.
MlirOperation sn_create_piece(SnCut *s, SnForm *to, bool finish) {
  if (s->crossing)
    to->schedule = s->f.schedule;
  return sn_form_create(&s->b, to, finish);
}

// What the form's destination `i` holds then: its result, or the memref that it is.
MlirValue sn_written(const SnForm *f, size_t i) {
  return (intptr_t)i < sn_num_results(f->op) ? sn_result(f->op, (intptr_t)i) : f->outputs.data[i].value;
}

void sn_replace_result(SnCut *s, size_t result, MlirValue with) {
  if ((intptr_t)result < sn_num_results(s->f.op))
    mlirValueReplaceAllUsesOfWith(sn_result(s->f.op, (intptr_t)result), with);
}

// A product of the form, or a row times a matrix: the row is the first side, its columns are the product's own.
static void push_product(SnPiece *p, MlirValue v) {
  SnForm *f = &p->s->f;
  MlirOperation op = sn_definer(v);
  SnGroup own;
  if (sn_null(op)) {
    intptr_t number = mlirBlockArgumentGetArgNumber(v);
    own = sn_side_summed(f, 2 * (size_t)number);
    sn_push(&p->to.products, f->products.data[number]);
    for (int64_t d = own.first; d < own.first + own.num_dims; ++d)
      push_dim(p, d);
    push_side(p, 2 * (size_t)number);
    push_side(p, 2 * (size_t)number + 1);
  } else {
    size_t matrix = (size_t)mlirBlockArgumentGetArgNumber(sn_operand(op, 1)) - f->products.size;
    own = sn_group(f, (size_t)f->matrices.data[matrix].from);
    MlirValue row = sn_operand(op, 0);
    sn_push(&p->to.products, ((SnProduct){own.num_dims, sn_element(sn_type_of(v))}));
    for (int64_t d = own.first; d < own.first + own.num_dims; ++d)
      push_dim(p, d);
    if (sn_null(sn_definer(row)) && sn_placed(p->s, row)->stage == SN_FREE) {
      for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
        if (sn_same(row, sn_input_argument(f, k)))
          push_access(p, f->inputs.data[k]);
    } else {
      push_access(p, sn_placed(p->s, row)->stored);
    }
    push_side(p, 2 * f->products.size + matrix);
  }
  for (int64_t d = own.first; d < own.first + own.num_dims; ++d) // the next product's are others
    p->dims[d] = mlirAffineConstantExprGet(p->s->b.ctx, 0);
}

static MlirValue piece_argument(SnPiece *p, MlirValue v) {
  for (size_t i = 0; i < p->products.size; ++i)
    if (sn_same(p->products.data[i], v))
      return sn_product_argument(&p->to, i);
  for (size_t i = 0; i < p->reads.size; ++i)
    if (sn_same(p->reads.data[i], v))
      return sn_input_argument(&p->to, sn_first_input(&p->to) + i);
  return (MlirValue){0};
}

// The programs of the piece's sides name what is summed as the form does.
static void rename_indices(SnPiece *p) {
  for (size_t i = 0; i < p->products.size; ++i) {
    MlirOperation product = sn_definer(p->products.data[i]);
    SnGroup is = sn_side_summed(&p->to, 2 * i), was = is;
    if (sn_null(product))
      was = sn_side_summed(&p->s->f, 2 * (size_t)mlirBlockArgumentGetArgNumber(p->products.data[i]));
    else
      was = sn_group(&p->s->f,
                     (size_t)p->s->f.matrices
                         .data[mlirBlockArgumentGetArgNumber(sn_operand(product, 1)) - (intptr_t)p->s->f.products.size]
                         .from);
    for (size_t side = 2 * i; side < 2 * i + 2; ++side) {
      MlirBlock program = sn_side(&p->to, side).program;
      MlirOperation op = program.ptr ? mlirBlockGetFirstOperation(program) : (MlirOperation){0};
      for (; !sn_null(op); op = mlirOperationGetNextInBlock(op))
        for (int64_t d = 0; d < was.num_dims; ++d)
          if (sn_row_op_names(op, p->s->f.dims.data[was.first + d].name)) {
            sn_set_attr(op, "dim", mlirStringAttrGet(p->s->b.ctx, p->to.dims.data[is.first + d].name));
            break;
          }
    }
  }
}

static SnAccess destination(SnPiece *p, size_t i, SnAccess *stored) {
  SnCut *s = p->s;
  if (p->results.data[i] != (size_t)SN_NO_RESULT)
    return s->f.outputs.data[p->results.data[i]];
  MlirValue v = p->gives.data[i];
  int64_t dims[SN_MAX_DIMS];
  intptr_t n = sn_rows_and_columns(&s->f, sn_is_row(v) ? p->group : SN_NO_GROUP, dims);
  return *stored = sn_piece_place(s, sn_element(sn_type_of(v)), dims, n, false);
}

static bool has_row(MlirOperation op) {
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    if (sn_is_row(sn_operand(op, k)))
      return true;
  return sn_num_results(op) && sn_is_row(sn_result(op, 0));
}

static bool uses_columns(const SnPiece *p) {
  const SnForm *f = &p->s->f;
  bool uses = p->products.size || (sn_has_finish(p) && p->s->finish_group >= 0);
  for (size_t i = 0; i < p->ops.size && !uses; ++i)
    uses = has_row(p->ops.data[i]);
  for (size_t i = 0; i < p->gives.size && !uses; ++i)
    uses = sn_is_row(p->gives.data[i]);
  for (size_t i = 0; i < p->accumulators.size && !uses; ++i)
    uses = sn_group_of_map(f, f->accumulators.data[p->accumulators.data[i]].map) >= 0;
  return uses;
}

static void trim_maps(SnPiece *p) {
  MlirAffineExpr same[SN_MAX_DIMS];
  MlirContext ctx = p->s->b.ctx;
  intptr_t n = (intptr_t)p->to.dims.size;
  for (intptr_t d = 0; d < SN_MAX_DIMS; ++d)
    same[d] = d < n ? mlirAffineDimExprGet(ctx, d) : mlirAffineConstantExprGet(ctx, 0);
  for (size_t k = 0; k < p->to.inputs.size; ++k)
    p->to.inputs.data[k].map = sn_map_replace(p->to.inputs.data[k].map, n, same);
  for (size_t k = 0; k < p->to.indices.size; ++k)
    p->to.indices.data[k].map = sn_map_replace(p->to.indices.data[k].map, n, same);
  for (size_t k = 0; k < p->to.outputs.size; ++k)
    p->to.outputs.data[k].map = sn_map_replace(p->to.outputs.data[k].map, n, same);
  for (size_t k = 0; k < p->to.accumulators.size; ++k)
    p->to.accumulators.data[k].map = sn_map_replace(p->to.accumulators.data[k].map, n, same);
}

// Where what it multiplies stands in the program, or what it reads.
static MlirLocation location(const SnPiece *p) {
  const SnCut *s = p->s;
  SN_VEC(MlirValue) from = {0};
  for (size_t i = 0; i < p->products.size; ++i) {
    MlirOperation op = sn_definer(p->products.data[i]);
    sn_push(&from, sn_null(op) ? p->products.data[i] : sn_operand(op, 1));
  }
  for (size_t i = 0; i < p->reads.size && !p->products.size; ++i)
    if (mlirValueIsABlockArgument(p->reads.data[i]))
      sn_push(&from, p->reads.data[i]);
  MlirLocation found = from.size ? mlirValueGetLocation(from.data[0]) : s->b.loc;
  for (size_t i = 1; i < from.size; ++i)
    found = sn_fuse_loc(found, mlirValueGetLocation(from.data[i]));
  sn_vec_free(&from);
  return found;
}

void sn_emit_piece(SnPiece *p, SnTotals *totals) {
  SnCut *s = p->s;
  SnForm *f = &s->f;
  SnGroup group = sn_group(f, (size_t)p->group);
  MlirLocation whole = s->b.loc;
  s->b.loc = location(p);
  if (!uses_columns(p))
    group.num_dims = 0;
  for (int64_t d = 0; d < SN_MAX_DIMS; ++d)
    p->dims[d] = mlirAffineConstantExprGet(s->b.ctx, 0);
  for (int64_t d = 0; d < f->num_rows; ++d)
    push_dim(p, d);
  for (int64_t d = group.first; d < group.first + group.num_dims; ++d)
    push_dim(p, d);
  p->to.num_rows = f->num_rows;
  p->to.num_cols = group.num_dims;
  p->to.contract = p->products.size > 0;
  bool finish = sn_has_finish(p);
  if (finish)
    sn_need_uniform(p);
  for (size_t i = 0; i < p->products.size; ++i)
    push_product(p, p->products.data[i]);
  if (!sn_any_program(&p->to))
    sn_vec_free(&p->to.sides);
  for (size_t i = 0; i < p->reads.size; ++i)
    sn_push(&p->to.inputs, moved(p, p->read_from.data[i]));
  SnAccess *stored = sn_alloc((p->gives.size + f->outputs.size + f->accumulators.size + 1) * sizeof *stored);
  SN_VEC(size_t) of = {0}, total_of = {0}; // which result of the form each destination is, or which accumulator
  SnValueVec handed_on = {0};
  for (size_t i = 0; i < p->gives.size; ++i) {
    sn_push(&p->to.outputs, moved(p, destination(p, i, &stored[i])));
    sn_push(&of, p->results.data[i]);
  }
  for (size_t i = 0; i < p->accumulators.size; ++i) {
    SnAccumulator a = f->accumulators.data[p->accumulators.data[i]];
    int64_t dims[SN_MAX_DIMS], cols = sn_group_of_map(f, a.map);
    intptr_t n = 0;
    SnGroup g = cols >= 0 ? sn_group(f, (size_t)cols) : (SnGroup){0};
    for (int64_t d = g.first; d < g.first + g.num_dims; ++d)
      dims[n++] = d;
    a.map = sn_map_replace(a.map, SN_MAX_DIMS, p->dims);
    sn_push(&p->to.accumulators, a);
    if (f->finish.ptr && (!finish || sn_is_needed_elsewhere(p, p->accumulators.data[i]))) {
      sn_push(&p->to.outputs, moved(p, sn_piece_place(s, a.type, dims, n, true)));
      sn_push(&of, (size_t)SN_NO_RESULT);
      sn_push(&total_of, p->accumulators.data[i]);
      sn_push(&handed_on, mlirBlockGetArgument(f->finish, (intptr_t)p->accumulators.data[i]));
    }
  }
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (sn_finishes(p, k)) {
      sn_push(&p->to.outputs, moved(p, f->outputs.data[k]));
      sn_push(&of, k);
    }
  trim_maps(p);
  sn_add_sizes(s, &p->to, p->from);
  MlirOperation made = sn_create_piece(s, &p->to, finish);
  if (s->crossing)
    sn_push(s->ending ? &s->crossing->ends : &s->crossing->pieces, made);
  rename_indices(p);
  SnBuilder in = sn_at_end(p->to.body, s->b.loc);
  SnMap map = {0};
  for (size_t i = 0; i < p->products.size; ++i)
    sn_map(&map, p->products.data[i], piece_argument(p, p->products.data[i]));
  for (size_t i = 0; i < p->reads.size; ++i)
    sn_map(&map, p->reads.data[i], piece_argument(p, p->reads.data[i]));
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    for (size_t i = 0; i < p->ops.size; ++i)
      if (mlirOperationEqual(p->ops.data[i], op))
        sn_clone(&in, op, &map);
  SnValueVec yields = {0};
  MlirOperation yield = mlirBlockGetTerminator(f->body);
  for (size_t i = 0; i < p->accumulators.size; ++i)
    sn_push(&yields, sn_lookup(&map, sn_operand(yield, (intptr_t)p->accumulators.data[i])));
  for (size_t i = 0; i < p->gives.size; ++i)
    sn_push(&yields, sn_lookup(&map, p->gives.data[i]));
  sn_op(&in, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  sn_vec_free(&yields);
  sn_map_free(&map);
  if (finish)
    sn_copy_finish(p, f, &handed_on);
  for (size_t i = 0, total = 0; i < of.size; ++i) {
    MlirValue result = sn_written(&p->to, i);
    if (of.data[i] != (size_t)SN_NO_RESULT) {
      sn_replace_result(s, of.data[i], result);
      stored[i] = f->outputs.data[of.data[i]];
    }
    if (i < p->gives.size) {
      stored[i].value = result;
      sn_placed(s, p->gives.data[i])->stored = stored[i];
    } else if (of.data[i] != (size_t)SN_NO_RESULT) {
      s->done[of.data[i]] = true;
    } else {
      totals->data[total_of.data[total++]] = result;
    }
  }
  if (s->cut.ptr)
    sn_set_attr(made, "sinter.cut", s->cut);
  s->b.loc = whole;
  sn_vec_free(&total_of);
  sn_vec_free(&handed_on);
  sn_vec_free(&of);
  free(stored);
}
