// turn.c: rows that another product sums over are made again, with columns for rows.
//
//   a: (i) by (j)  s = q k, p = exp(s - m[i]) / z[i]       dv: (j) by (e)  product (i) (p[i, j], g[i, e])
//     ->  a stores m and z too, a number a row of each, and
//   t: (j) by (i)  s = k q, p = exp(s - m[i]) / z[i]       whose row j has all i that dv sums over
//
// What goes element by element is the same wherever it stands, so it is computed again there. What a row is reduced to
// is not: it is stored for each row, and read for each column. A chain is then made of t and dv, and p is no tensor.
//
// runs in: fuse    test: test/passes/fuse/turns.mlir

#include "dialect/row_ops.h"
#include "passes/merge/merge.h"

static bool needs_more(MlirOperation op) {
  return !sn_row_op_of(op) || sn_row_op_has(op, SN_READS_ALL) || sn_row_op_has(op, SN_READS_ONE) ||
         sn_row_op_has(op, SN_READS_SCALAR) || sn_row_op_has(op, SN_READS_TABLE) || sn_row_op_has(op, SN_READS_MATRIX);
}

// Scalars that follow from more than one element of a row.
static void find_reduced(const SnForm *f, SnMap *reduced) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    bool is = sn_num_results(op) == 1 && !sn_is_row(sn_result(op, 0)), from = sn_row_op_of(op) && needs_more(op);
    for (intptr_t k = 0; k < sn_num_operands(op) && is; ++k)
      from |= !sn_none(sn_mapped(reduced, sn_operand(op, k)));
    if (is && from)
      sn_map(reduced, sn_result(op, 0), sn_result(op, 0));
  }
}

static bool holds(const SnValueVec *values, MlirValue v) {
  for (size_t i = 0; i < values->size; ++i)
    if (sn_same(values->data[i], v))
      return true;
  return false;
}

// What the results need: operations, scalars of the row, arguments.
static bool find_needs(SnTurn *t) {
  const SnForm *f = &t->f;
  SnMap reduced = {0};
  SnValueVec values = {0}; // that are read
  MlirOperation yield = mlirBlockGetTerminator(f->body);
  find_reduced(f, &reduced);
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (t->results[k]) {
      MlirValue v = sn_operand(yield, (intptr_t)sn_output_position(f, k));
      sn_push(&values, v);
      sn_needed_ops(v, &reduced, &t->ops);
    }
  bool fits = true;
  for (size_t i = 0; i < t->ops.size && fits; ++i) {
    fits = !needs_more(t->ops.data[i]);
    for (intptr_t k = 0; k < sn_num_operands(t->ops.data[i]); ++k)
      sn_push(&values, sn_operand(t->ops.data[i], k));
  }
  for (size_t i = 0; i < values.size; ++i)
    if (!sn_none(sn_mapped(&reduced, values.data[i])) && !holds(&t->stored, values.data[i]))
      sn_push(&t->stored, values.data[i]);
  for (size_t p = 0; p < f->products.size; ++p)
    t->products[p] = holds(&values, sn_product_argument(f, p));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    t->inputs[k] = holds(&values, sn_input_argument(f, k));
  sn_map_free(&reduced);
  sn_vec_free(&values);
  return fits || sn_refuse(f->op, SN_WHY_TURN_ROW);
}

static void set_dims(SnTurn *t) {
  const SnForm *f = &t->f;
  SnForm *to = &t->turned;
  MlirContext ctx = mlirOperationGetContext(f->op);
  intptr_t points = (intptr_t)(f->num_rows + f->num_cols);
  for (size_t d = 0; d < f->dims.size; ++d)
    t->dims[d] = mlirAffineConstantExprGet(ctx, 0);
  for (intptr_t i = 0; i <= points; ++i) {
    intptr_t d = i == points ? t->row : i;
    if (i == t->row)
      continue;
    t->dims[d] = mlirAffineDimExprGet(ctx, (intptr_t)to->dims.size);
    sn_push(&to->dims, f->dims.data[d]);
  }
  to->num_rows = points - 1;
  to->num_cols = 1;
  for (size_t p = 0; p < f->products.size; ++p)
    for (int64_t d = sn_first_own(f, p); d < sn_first_own(f, p) + f->products.data[p].num_dims && t->products[p]; ++d) {
      t->dims[d] = mlirAffineDimExprGet(ctx, (intptr_t)to->dims.size);
      sn_push(&to->dims, f->dims.data[d]);
    }
}

static SnAccess moved(SnTurn *t, SnAccess a) {
  SnForm *to = &t->turned;
  size_t first = to->indices.size;
  a = sn_with_own_indices(&t->f, a, to);
  a.map = sn_map_replace(a.map, (intptr_t)to->dims.size, t->dims);
  for (size_t k = first; k < to->indices.size; ++k)
    to->indices.data[k].map = sn_map_replace(to->indices.data[k].map, (intptr_t)to->dims.size, t->dims);
  return a;
}

// A number for each row of f, without its value.
static SnAccess of_row(const SnForm *f) {
  MlirContext ctx = mlirOperationGetContext(f->op);
  MlirAffineExpr rows[SN_MAX_DIMS];
  for (intptr_t d = 0; d < f->num_rows; ++d)
    rows[d] = mlirAffineDimExprGet(ctx, d);
  return (SnAccess){.map = mlirAffineMapGet(ctx, (intptr_t)f->dims.size, 0, (intptr_t)f->num_rows, rows)};
}

// The accesses of the turned form: sides, what else its operations read, and the stored numbers at the end.
static void set_accesses(SnTurn *t) {
  const SnForm *f = &t->f;
  SnForm *to = &t->turned;
  for (size_t p = 0; p < f->products.size; ++p)
    if (t->products[p]) {
      sn_push(&to->products, f->products.data[p]);
      for (size_t s = 0; s < 2; ++s)
        sn_push(&to->inputs, moved(t, f->inputs.data[2 * p + s]));
    }
  to->contract = to->products.size > 0;
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (t->inputs[k])
      sn_push(&to->inputs, moved(t, f->inputs.data[k]));
  for (size_t i = 0; i < t->stored.size; ++i)
    sn_push(&to->inputs, moved(t, of_row(f)));
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (t->results[k])
      sn_push(&to->outputs, moved(t, f->outputs.data[k]));
}

bool sn_can_turn(MlirOperation op, intptr_t row, const bool *results, SnTurn *t) {
  *t = (SnTurn){.f = sn_form_read(op), .row = row};
  const SnForm *f = &t->f;
  t->results = sn_alloc(f->outputs.size + 1);
  t->products = sn_alloc(f->products.size + 1);
  t->inputs = sn_alloc(f->inputs.size + 1);
  t->dims = sn_alloc((f->dims.size + 1) * sizeof *t->dims);
  memcpy(t->results, results, f->outputs.size);
  if (!sn_is_plain(f) || f->schedule.ptr || !sn_num_results(op) || !f->num_cols || !sn_is_row_dim(f, row))
    return sn_refuse(op, SN_WHY_TURN_ROW);
  for (size_t k = 0; k < f->outputs.size; ++k)
    for (intptr_t d = 0; d < f->num_rows + f->num_cols && results[k]; ++d)
      if (!sn_map_uses(f->outputs.data[k].map, d))
        return sn_refuse(op, SN_WHY_TURN_ROW);
  if (!find_needs(t))
    return false;
  set_dims(t);
  set_accesses(t);
  return sn_sizes_known(&t->turned) || sn_refuse(op, SN_WHY_UNKNOWN_SIZE);
}

void sn_turn_free(SnTurn *t) {
  sn_form_free(&t->f);
  sn_form_free(&t->turned);
  sn_vec_free(&t->ops);
  sn_vec_free(&t->stored);
  free(t->results);
  free(t->products);
  free(t->inputs);
  free(t->dims);
}

// ---- doing it ---------------------------------------------------------------------------------

MlirOperation sn_with_stored(const SnForm *f, const SnValueVec *stored, SnBuilder *b) {
  SnForm to = *f;
  to.outputs.data = NULL;
  to.outputs.size = to.outputs.capacity = 0;
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&to.outputs, f->outputs.data[k]);
  for (size_t i = 0; i < stored->size; ++i) {
    SnAccess a = of_row(f);
    a.value = sn_empty_at(b, f, a.map, sn_type_of(stored->data[i]));
    sn_push(&to.outputs, a);
  }
  MlirOperation made = sn_form_create(b, &to, f->finish.ptr != NULL);
  SnMap map = {0};
  MlirBlock was[] = {f->body, f->finish}, is[] = {to.body, to.finish};
  for (int i = 0; i < 2 && was[i].ptr; ++i) {
    for (intptr_t k = 0; k < mlirBlockGetNumArguments(was[i]); ++k)
      sn_map(&map, mlirBlockGetArgument(was[i], k), mlirBlockGetArgument(is[i], k));
    SnBuilder in = sn_at_end(is[i], b->loc);
    sn_copy_ops(&in, was[i], &map);
    MlirOperation yield = mlirBlockGetTerminator(was[i]);
    SnValueVec values = {0};
    for (intptr_t k = 0; k < sn_num_operands(yield); ++k)
      sn_push(&values, sn_lookup(&map, sn_operand(yield, k)));
    for (size_t k = 0; k < stored->size && !i; ++k)
      sn_push(&values, sn_lookup(&map, stored->data[k]));
    sn_op(&in, "sinter.yield", sn_values((intptr_t)values.size, values.data), sn_types(0, NULL));
    sn_vec_free(&values);
  }
  sn_replace_results(f->op, made);
  sn_map_free(&map);
  sn_vec_free(&to.outputs);
  return made;
}

MlirOperation sn_turn(SnTurn *t, MlirOperation *kept) {
  SnForm *f = &t->f, *to = &t->turned;
  SnBuilder b = sn_before(f->op);
  *kept = t->stored.size ? sn_with_stored(f, &t->stored, &b) : f->op;
  size_t first = to->inputs.size - t->stored.size;
  for (size_t i = 0; i < t->stored.size; ++i)
    to->inputs.data[first + i].value = sn_result(*kept, (intptr_t)(f->outputs.size + i));
  MlirOperation made = sn_form_create(&b, to, false);
  SnMap map = {0};
  for (size_t p = 0, at = 0; p < f->products.size; ++p)
    if (t->products[p])
      sn_map(&map, sn_product_argument(f, p), sn_product_argument(to, at++));
  for (size_t k = sn_first_input(f), at = sn_first_input(to); k < f->inputs.size; ++k)
    if (t->inputs[k])
      sn_map(&map, sn_input_argument(f, k), sn_input_argument(to, at++));
  for (size_t i = 0; i < t->stored.size; ++i)
    sn_map(&map, t->stored.data[i], sn_input_argument(to, first + i));
  SnBuilder in = sn_at_end(to->body, b.loc);
  SnValueVec values = {0};
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (t->results[k]) {
      MlirValue v = sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)sn_output_position(f, k));
      v = sn_move_value(&in, f, v, t->dims, to, &map);
      sn_push(&values, sn_as_row(&in, v, sn_row_type(to, sn_element(sn_type_of(v)))));
    }
  sn_op(&in, "sinter.yield", sn_values((intptr_t)values.size, values.data), sn_types(0, NULL));
  sn_vec_free(&values);
  sn_map_free(&map);
  if (t->stored.size)
    mlirOperationDestroy(f->op);
  return made;
}
