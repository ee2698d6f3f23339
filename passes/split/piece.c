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

// Which matrix of the form a row_product reads.
static size_t matrix_of(const SnForm *f, MlirOperation row_product) {
  return (size_t)mlirBlockArgumentGetArgNumber(sn_operand(row_product, 1)) - f->products.size;
}

// What a product of the form, or a row_product, sums over.
static SnGroup summed_by(const SnForm *f, MlirValue product) {
  MlirOperation op = sn_definer(product);
  return sn_null(op) ? sn_side_summed(f, 2 * (size_t)mlirBlockArgumentGetArgNumber(product))
                     : sn_group(f, (size_t)f->matrices.data[matrix_of(f, op)].from);
}

// Where a row lies that is multiplied: an input does already, and any other was stored.
static SnAccess access_of_row(SnCut *s, MlirValue row) {
  const SnKnown *x = sn_placed(s, row);
  for (size_t k = sn_first_input(&s->f); k < s->f.inputs.size; ++k)
    if (x->stage == SN_FREE && sn_same(row, sn_input_argument(&s->f, k)))
      return s->f.inputs.data[k];
  return x->stored;
}

// A product of the form, or a row times a matrix: the row is the first side, its columns are the product's own.
static void push_product(SnPiece *p, MlirValue v) {
  SnForm *f = &p->s->f;
  MlirOperation op = sn_definer(v);
  SnGroup own = summed_by(f, v);
  for (int64_t d = own.first; d < own.first + own.num_dims; ++d)
    push_dim(p, d);
  if (sn_null(op)) {
    size_t number = (size_t)mlirBlockArgumentGetArgNumber(v);
    sn_push(&p->to.products, f->products.data[number]);
    push_side(p, 2 * number);
    push_side(p, 2 * number + 1);
  } else {
    sn_push(&p->to.products, ((SnProduct){own.num_dims, sn_element(sn_type_of(v))}));
    push_access(p, access_of_row(p->s, sn_operand(op, 0)));
    push_side(p, 2 * f->products.size + matrix_of(f, op));
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
    SnGroup is = sn_side_summed(&p->to, 2 * i), was = summed_by(&p->s->f, p->products.data[i]);
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

static SnAccess destination(SnPiece *p, size_t i) {
  SnCut *s = p->s;
  if (p->results.data[i] != SN_NO_RESULT)
    return s->f.outputs.data[p->results.data[i]];
  MlirValue v = p->gives.data[i];
  int64_t dims[SN_MAX_DIMS];
  intptr_t n = sn_rows_and_columns(&s->f, sn_is_row(v) ? p->group : SN_NO_GROUP, dims);
  return sn_piece_place(s, sn_element(sn_type_of(v)), dims, n, false);
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

// Where what it multiplies stands in the program, or what it reads. A form that was made of several says at its
// arguments where each was written; one that a person wrote stands where it stands.
static MlirLocation location(const SnPiece *p) {
  const SnCut *s = p->s;
  bool merged = mlirLocationIsAFused(s->b.loc);
  MlirLocation found = {0};
  const SnValueVec *from = p->products.size ? &p->products : &p->reads;
  for (size_t i = 0; i < from->size; ++i) {
    MlirOperation op = sn_definer(from->data[i]);
    if (sn_null(op) ? !merged : !p->products.size)
      continue;
    MlirLocation here = mlirValueGetLocation(from->data[i]);
    found = found.ptr ? sn_fuse_loc(found, here) : here;
  }
  return found.ptr ? found : s->b.loc;
}

// ---- what the piece gives ---------------------------------------------------------------------------

// The piece's destinations: what it gives for each row, then totals that a later form finishes, then results of its
// own finish.
typedef struct {
  SnAccess *given;        // as the form's dimensions have it, one for each of `p->gives`
  SN_VEC(size_t) results; // which result of the form each destination is, or SN_NO_RESULT
  SN_VEC(size_t) totals;  // of which accumulator of the form each total is
  SnValueVec handed_on;   // and which argument of the form's finish
} Destinations;

static void push_given(SnPiece *p, Destinations *to) {
  to->given = sn_alloc((p->gives.size + 1) * sizeof *to->given);
  for (size_t i = 0; i < p->gives.size; ++i) {
    to->given[i] = destination(p, i);
    sn_push(&p->to.outputs, moved(p, to->given[i]));
    sn_push(&to->results, p->results.data[i]);
  }
}

static void push_total(SnPiece *p, size_t accumulator, Destinations *to) {
  SnForm *f = &p->s->f;
  int64_t dims[SN_MAX_DIMS];
  const SnAccumulator *a = &f->accumulators.data[accumulator];
  intptr_t n = sn_columns_of_group(f, sn_group_of_map(f, a->map), dims);
  sn_push(&p->to.outputs, moved(p, sn_piece_place(p->s, a->type, dims, n, true)));
  sn_push(&to->results, SN_NO_RESULT);
  sn_push(&to->totals, accumulator);
  sn_push(&to->handed_on, mlirBlockGetArgument(f->finish, (intptr_t)accumulator));
}

static void push_accumulators(SnPiece *p, bool finish, Destinations *to) {
  for (size_t i = 0; i < p->accumulators.size; ++i) {
    size_t accumulator = p->accumulators.data[i];
    SnAccumulator a = p->s->f.accumulators.data[accumulator];
    a.map = sn_map_replace(a.map, SN_MAX_DIMS, p->dims);
    sn_push(&p->to.accumulators, a);
    if (p->s->f.finish.ptr && (!finish || sn_is_needed_elsewhere(p, accumulator)))
      push_total(p, accumulator, to);
  }
}

static void push_finished(SnPiece *p, Destinations *to) {
  for (size_t k = 0; k < p->s->f.outputs.size; ++k)
    if (sn_finishes(p, k)) {
      sn_push(&p->to.outputs, moved(p, p->s->f.outputs.data[k]));
      sn_push(&to->results, k);
    }
}

// Where later pieces and the form's users find what this one has given.
static void hand_on(SnPiece *p, const Destinations *to, SnTotals *totals) {
  SnCut *s = p->s;
  for (size_t i = 0, total = 0; i < to->results.size; ++i) {
    MlirValue written = sn_written(&p->to, i);
    size_t result = to->results.data[i];
    if (result != SN_NO_RESULT)
      sn_replace_result(s, result, written);
    if (i < p->gives.size) {
      SnAccess *stored = &sn_placed(s, p->gives.data[i])->stored;
      *stored = to->given[i];
      stored->value = written;
    } else if (result != SN_NO_RESULT) {
      s->done[result] = true;
    } else {
      totals->data[to->totals.data[total++]] = written;
    }
  }
}

// ---- the piece ---------------------------------------------------------------------------------------

static void push_dims(SnPiece *p) {
  SnForm *f = &p->s->f;
  SnGroup group = sn_group(f, (size_t)p->group);
  if (!uses_columns(p))
    group.num_dims = 0;
  for (int64_t d = 0; d < SN_MAX_DIMS; ++d)
    p->dims[d] = mlirAffineConstantExprGet(p->s->b.ctx, 0);
  for (int64_t d = 0; d < f->num_rows; ++d)
    push_dim(p, d);
  for (int64_t d = group.first; d < group.first + group.num_dims; ++d)
    push_dim(p, d);
  p->to.num_rows = f->num_rows;
  p->to.num_cols = group.num_dims;
}

static void push_operands(SnPiece *p) {
  p->to.contract = p->products.size > 0;
  for (size_t i = 0; i < p->products.size; ++i)
    push_product(p, p->products.data[i]);
  if (!sn_any_program(&p->to))
    sn_vec_free(&p->to.sides);
  for (size_t i = 0; i < p->reads.size; ++i)
    sn_push(&p->to.inputs, moved(p, p->read_from.data[i]));
}

static int in_order(const void *a, const void *b) {
  return mlirOperationIsBeforeInBlock(*(const MlirOperation *)a, *(const MlirOperation *)b) ? -1 : 1;
}

// The operations of the form's body that are computed here, in their order.
static void copy_body(SnPiece *p) {
  SnForm *f = &p->s->f;
  SnBuilder in = sn_at_end(p->to.body, p->s->b.loc);
  SnMap map = {0};
  for (size_t i = 0; i < p->products.size; ++i)
    sn_map(&map, p->products.data[i], piece_argument(p, p->products.data[i]));
  for (size_t i = 0; i < p->reads.size; ++i)
    sn_map(&map, p->reads.data[i], piece_argument(p, p->reads.data[i]));
  qsort(p->ops.data, p->ops.size, sizeof *p->ops.data, in_order);
  for (size_t i = 0; i < p->ops.size; ++i)
    sn_clone(&in, p->ops.data[i], &map);
  SnValueVec yields = {0};
  MlirOperation yield = mlirBlockGetTerminator(f->body);
  for (size_t i = 0; i < p->accumulators.size; ++i)
    sn_push(&yields, sn_lookup(&map, sn_operand(yield, (intptr_t)p->accumulators.data[i])));
  for (size_t i = 0; i < p->gives.size; ++i)
    sn_push(&yields, sn_lookup(&map, p->gives.data[i]));
  sn_op(&in, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  sn_vec_free(&yields);
  sn_map_free(&map);
}

void sn_emit_piece(SnPiece *p, SnTotals *totals) {
  SnCut *s = p->s;
  MlirLocation whole = s->b.loc;
  Destinations to = {0};
  s->b.loc = location(p);
  push_dims(p);
  bool finish = sn_has_finish(p);
  if (finish)
    sn_need_uniform(p);
  push_operands(p);
  push_given(p, &to);
  push_accumulators(p, finish, &to);
  push_finished(p, &to);
  trim_maps(p);
  sn_add_sizes(s, &p->to, p->from);
  MlirOperation made = sn_create_piece(s, &p->to, finish);
  if (s->crossing)
    sn_push(s->ending ? &s->crossing->ends : &s->crossing->pieces, made);
  if (s->cut.ptr)
    sn_set_attr(made, "sinter.cut", s->cut);
  rename_indices(p);
  copy_body(p);
  if (finish)
    sn_copy_finish(p, &s->f, &to.handed_on);
  hand_on(p, &to, totals);
  s->b.loc = whole;
  sn_vec_free(&to.totals);
  sn_vec_free(&to.handed_on);
  sn_vec_free(&to.results);
  free(to.given);
}
