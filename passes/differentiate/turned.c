// turned.c: maxima and products over rows become those of columns, which have gradients.
//
//   rowwise (i) by (j) ins(%x[i, j]) reduce(maximumf [j]) { yield f(x) }
//   ->
//   %v = rowwise (i) by (j) ins(%x[i, j]) { yield f(x) }            left out where f(x) is an input as it is
//   rowwise (j) by (i) ins(%v[i, j]) { row_reduce maximumf v }
//   rowwise () by (j) of those and the form's finish, if it has one
//
// An accumulator forgets who won; a row is there, so the gradient goes to the largest of it.
//
// runs in: differentiate    test: test/passes/differentiate/turned.mlir

#include "passes/differentiate/differentiate.h"

typedef struct {
  SnForm f;
  size_t accumulator;
  MlirValue yielded;
  bool columns;                      // what is yielded has an element for each column
  MlirAffineExpr place[SN_MAX_DIMS]; // of each dimension of f, in the form that is made
} Turn;

// All results are accumulated, and one accumulator is no sum.
static bool is_turned(const SnForm *f) {
  bool other = false;
  if (f->contract || !sn_is_plain(f) || !f->num_rows || sn_form_asserts(f))
    return false;
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (!sn_is_reduced(f, k))
      return false;
  for (size_t k = 0; k < f->accumulators.size; ++k)
    other |=
        sn_is_float(f->accumulators.data[k].type) && !mlirStringRefEqual(f->accumulators.data[k].kind, SN_STR("add"));
  return other;
}

// The input whose argument is yielded, SIZE_MAX if none is.
static size_t input_of(const Turn *t) {
  for (size_t k = 0; k < t->f.inputs.size; ++k) {
    const SnAccess *a = &t->f.inputs.data[k];
    if (!a->through.ptr && !sn_is_table(a) && sn_same(sn_input_argument(&t->f, k), t->yielded))
      return k;
  }
  return SIZE_MAX;
}

// What is yielded, stored; the access is over the dimensions of f.
static SnAccess stored(SnBuilder *b, const Turn *t) {
  const SnForm *f = &t->f;
  MlirAffineExpr dims[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t d = 0; d < f->num_rows + (t->columns ? f->num_cols : 0); ++d)
    dims[n++] = mlirAffineDimExprGet(b->ctx, d);
  SnForm to = {.num_rows = f->num_rows, .num_cols = f->num_cols};
  for (size_t d = 0; d < f->dims.size; ++d)
    sn_push(&to.dims, f->dims.data[d]);
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_push(&to.inputs, f->inputs.data[k]);
  for (size_t k = 0; k < f->indices.size; ++k)
    sn_push(&to.indices, f->indices.data[k]);
  SnAccess out = {.map = mlirAffineMapGet(b->ctx, (intptr_t)f->dims.size, 0, n, dims)};
  out.value = sn_empty_at(b, f, out.map, sn_element(sn_type_of(t->yielded)));
  sn_push(&to.outputs, out);
  MlirOperation made = sn_form_create(b, &to, false);
  SnBuilder body = sn_at_end(to.body, b->loc);
  SnMap map = {0};
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_map(&map, sn_input_argument(f, k), sn_input_argument(&to, k));
  sn_copy_ops(&body, f->body, &map);
  sn_op(&body, "sinter.yield", sn_lookup(&map, t->yielded), sn_types(0, NULL));
  sn_map_free(&map);
  sn_form_free(&to);
  out.value = sn_result(made, 0);
  return out;
}

static void push(Turn *t, SnForm *to, MlirContext ctx, intptr_t d, bool column) {
  t->place[d] = mlirAffineDimExprGet(ctx, (intptr_t)to->dims.size);
  sn_push(&to->dims, t->f.dims.data[d]);
  *(column ? &to->num_cols : &to->num_rows) += 1;
}

static MlirValue turn(SnBuilder *b, Turn *t, const SnAccess *output) {
  const SnForm *f = &t->f;
  const SnAccumulator *acc = &f->accumulators.data[t->accumulator];
  SnForm to = {0};
  bool kept = sn_uses_cols(f, acc->map);
  size_t input = input_of(t);
  SnAccess in = input == SIZE_MAX ? stored(b, t) : f->inputs.data[input];
  for (size_t d = 0; d < f->dims.size; ++d)
    t->place[d] = mlirAffineConstantExprGet(b->ctx, 0);
  for (intptr_t d = f->num_rows; kept && d < f->num_rows + f->num_cols; ++d)
    push(t, &to, b->ctx, d, false);
  for (intptr_t d = 0; d < f->num_rows; ++d)
    push(t, &to, b->ctx, d, true);
  for (intptr_t d = f->num_rows; !kept && t->columns && d < f->num_rows + f->num_cols; ++d)
    push(t, &to, b->ctx, d, true);
  in.map = sn_map_replace(in.map, (intptr_t)to.dims.size, t->place);
  SnAccess out = {.value = output->value, .map = sn_map_replace(output->map, (intptr_t)to.dims.size, t->place)};
  sn_push(&to.inputs, in);
  sn_push(&to.outputs, out);
  MlirOperation made = sn_form_create(b, &to, false);
  SnBuilder body = sn_at_end(to.body, b->loc);
  MlirValue x = sn_input_argument(&to, 0);
  char *kind = strndup(acc->kind.data, acc->kind.length);
  x = sn_row_reduce(&body, kind, sn_as_row(&body, x, sn_row_type(&to, sn_element(sn_type_of(x)))), acc->type);
  free(kind);
  MlirType element = sn_element(sn_type_of(out.value));
  sn_op(&body, "sinter.yield", sn_is_float(element) ? sn_to_float(&body, x, element) : x, sn_types(0, NULL));
  sn_form_free(&to);
  return sn_result(made, 0);
}

// The finish on accumulators that were stored, as a form without rows.
static MlirOperation finish(SnBuilder *b, const SnForm *f, const MlirValue *stored) {
  SnForm to = {0};
  MlirAffineExpr place[SN_MAX_DIMS];
  bool columns = false;
  for (size_t k = 0; k < f->accumulators.size; ++k)
    columns |= sn_uses_cols(f, f->accumulators.data[k].map);
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    bool kept = columns && sn_is_col_dim(f, d);
    place[d] = kept ? mlirAffineDimExprGet(b->ctx, to.num_cols++) : mlirAffineConstantExprGet(b->ctx, 0);
    if (kept)
      sn_push(&to.dims, f->dims.data[d]);
  }
  for (size_t k = 0; k < f->accumulators.size; ++k)
    sn_push(&to.inputs, (SnAccess){.value = stored[k], .map = f->accumulators.data[k].map});
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (sn_is_uniform(f, k))
      sn_push(&to.inputs, f->inputs.data[k]);
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&to.outputs, f->outputs.data[k]);
  for (size_t k = 0; k < to.inputs.size; ++k)
    to.inputs.data[k].map = sn_map_replace(to.inputs.data[k].map, to.num_cols, place);
  for (size_t k = 0; k < to.outputs.size; ++k)
    to.outputs.data[k].map = sn_map_replace(to.outputs.data[k].map, to.num_cols, place);
  MlirOperation made = sn_form_create(b, &to, false);
  SnBuilder body = sn_at_end(to.body, b->loc);
  SnMap map = {0};
  for (size_t k = 0; k < to.inputs.size; ++k)
    sn_map(&map, mlirBlockGetArgument(f->finish, (intptr_t)k), sn_input_argument(&to, k));
  sn_copy_ops(&body, f->finish, &map);
  SnValueVec yields = {0};
  for (size_t k = 0; k < f->outputs.size; ++k) {
    MlirValue v = sn_operand(mlirBlockGetTerminator(f->finish), (intptr_t)sn_output_position(f, k));
    sn_push(&yields, sn_lookup(&map, v));
  }
  sn_op(&body, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  sn_vec_free(&yields);
  sn_map_free(&map);
  sn_form_free(&to);
  return made;
}

static void turn_form(Turn *t) {
  const SnForm *f = &t->f;
  SnBuilder b = sn_before(f->op);
  MlirValue *stored = sn_alloc((f->accumulators.size + 1) * sizeof *stored);
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    const SnAccumulator *acc = &f->accumulators.data[k];
    SnAccess out = {.map = acc->map};
    for (size_t o = 0; o < f->outputs.size && !f->finish.ptr; ++o)
      if (sn_output_position(f, o) == k)
        out = f->outputs.data[o];
    if (sn_none(out.value))
      out.value = sn_empty_at(&b, f, acc->map, acc->type);
    t->accumulator = k;
    t->yielded = sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)k);
    t->columns = sn_is_row(t->yielded);
    stored[k] = turn(&b, t, &out);
  }
  MlirOperation made = f->finish.ptr ? finish(&b, f, stored) : (MlirOperation){0};
  for (size_t k = 0; k < f->outputs.size; ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(f->op, (intptr_t)k),
                                  sn_null(made) ? stored[sn_output_position(f, k)] : sn_result(made, (intptr_t)k));
  free(stored);
}

void sn_turn_maxima(MlirOperation func) {
  SnOpVec all = sn_collect(func, "sinter.rowwise");
  for (size_t i = 0; i < all.size; ++i) {
    Turn t = {.f = sn_form_read(all.data[i])};
    bool turned = is_turned(&t.f);
    if (turned)
      turn_form(&t);
    sn_form_free(&t.f);
    if (turned)
      mlirOperationDestroy(all.data[i]);
  }
  sn_vec_free(&all);
}
