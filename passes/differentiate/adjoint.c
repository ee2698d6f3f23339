// adjoint.c: the gradients of one kernel form.
//
//   %l = rowwise ins(%x, %t) reduce(add, add) { body } finish { sum / count }
//   ->
//   %n = rowwise ins(%t) reduce(add) { body }                  the sums that the gradient depends on
//   %dx = rowwise ins(%x, %t, %g[], %n[]) { body; finish; their reverse }
//   %du = rowwise () ins(%g[], %n[]) { finish; its reverse }    of what finish reads besides sums
//
// The second form computes again what it needs, in the words of the forward form and from the same inputs,
// so that sinter-fuse makes one kernel of both. The first has all accumulators to begin with; what nothing
// reads is pruned, and so are inputs and columns: a count of labels reads labels alone.
//
// runs in: differentiate    test: test/passes/differentiate/differentiate.mlir

#include "passes/differentiate/differentiate.h"
#include <assert.h>

typedef struct {
  SnBuilder *b;
  SnForm f;
  const SnGradient *upstream;
  const bool *active;
  const MlirType *elements;
  SnGive give;
  void *user;
  SnReverse activity; // only its list of active values
  MlirOperation sums; // a form with a result for each accumulator, or null
} Adjoint;

// The finish's argument for input k.
MlirValue sn_finish_argument(const SnForm *f, size_t input) {
  intptr_t place = (intptr_t)f->accumulators.size;
  for (size_t k = sn_first_input(f); k < input; ++k)
    place += sn_is_uniform(f, k);
  return mlirBlockGetArgument(f->finish, place);
}

static bool has_gradient(const Adjoint *a, bool reduced) {
  for (size_t k = 0; k < a->f.outputs.size; ++k)
    if (a->upstream[k].given && sn_is_reduced(&a->f, k) == reduced)
      return true;
  return false;
}

static void find_active(Adjoint *a) {
  SnForm *f = &a->f;
  SnReverse *r = &a->activity;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (a->active[k])
      sn_activate(r, sn_input_argument(f, k));
  sn_find_active(r, f->body);
  if (!f->finish.ptr)
    return;
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_is_active(r, sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)k)))
      sn_activate(r, mlirBlockGetArgument(f->finish, (intptr_t)k));
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (a->active[k] && sn_is_uniform(f, k))
      sn_activate(r, sn_finish_argument(f, k));
  sn_find_active(r, f->finish);
}

// ---- the sums ----------------------------------------------------------------------------

// The form's dimensions, inputs and index tensors; no results yet.
static SnForm same_inputs(const SnForm *f) {
  SnForm to = {.num_rows = f->num_rows, .num_cols = f->num_cols};
  for (size_t d = 0; d < f->dims.size; ++d)
    sn_push(&to.dims, f->dims.data[d]);
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_push(&to.inputs, f->inputs.data[k]);
  for (size_t k = 0; k < f->indices.size; ++k)
    sn_push(&to.indices, f->indices.data[k]);
  return to;
}

static void map_inputs(SnReverse *r, const SnForm *f, const SnForm *to) {
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_map(&r->copies, sn_input_argument(f, k), sn_input_argument(to, k));
}

static MlirOperation make_sums(Adjoint *a) {
  SnForm *f = &a->f, to = same_inputs(f);
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    SnAccumulator acc = f->accumulators.data[k];
    SnAccess out = {.value = sn_empty_at(a->b, f, acc.map, acc.type), .map = acc.map};
    sn_push(&to.accumulators, acc);
    sn_push(&to.outputs, out);
  }
  MlirOperation made = sn_form_create(a->b, &to, false);
  SnBuilder body = sn_at_end(to.body, a->b->loc);
  SnReverse copy = {.b = &body, .form = &to};
  map_inputs(&copy, f, &to);
  sn_copy_forward(&copy, f->body);
  SnValueVec yields = {0};
  for (size_t k = 0; k < f->accumulators.size; ++k)
    sn_push(&yields, sn_lookup(&copy.copies, sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)k)));
  sn_op(&body, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  sn_vec_free(&yields);
  sn_reverse_free(&copy);
  sn_form_free(&to);
  return made;
}

// ---- what the reverse reads besides the form's inputs -----------------------------------------------

typedef struct {
  SN_VEC(size_t)
  of_output; // input k of the new form: the gradient with respect to output k of the old, SIZE_MAX if none
  size_t first_sum;         // where the sums begin
} Extra;

static void add_extra(const Adjoint *a, SnForm *to, bool whole, Extra *extra) {
  const SnForm *f = &a->f;
  for (size_t k = 0; k < f->outputs.size; ++k) {
    bool read = a->upstream[k].given && !sn_none(a->upstream[k].value) && (whole || sn_is_reduced(f, k));
    sn_push(&extra->of_output, read ? to->inputs.size : SIZE_MAX);
    SnAccess in = {.value = a->upstream[k].value, .map = f->outputs.data[k].map};
    if (read)
      sn_push(&to->inputs, in);
  }
  extra->first_sum = to->inputs.size;
  for (size_t k = 0; k < f->accumulators.size && !sn_null(a->sums); ++k) {
    SnAccess in = {.value = sn_result(a->sums, (intptr_t)k), .map = f->accumulators.data[k].map};
    sn_push(&to->inputs, in);
  }
}

// The gradient with respect to output k, in the body: one where nothing is read.
static MlirValue upstream_value(const Adjoint *a, SnBuilder *b, const SnForm *to, const Extra *extra, size_t k) {
  MlirType element = sn_wide_type(sn_element(sn_type_of(a->f.outputs.data[k].value)));
  if (extra->of_output.data[k] == SIZE_MAX)
    return sn_float(b, element, 1);
  return sn_to_float(b, sn_input_argument(to, extra->of_output.data[k]), element);
}

// Seeds what finish yields and reverses it; what it reads of sums are inputs of the new form.
static bool reverse_finish(const Adjoint *a, SnReverse *r, const SnForm *to, const Extra *extra) {
  const SnForm *f = &a->f;
  MlirOperation yield = mlirBlockGetTerminator(f->finish);
  for (size_t k = 0; k < f->accumulators.size; ++k)
    sn_map(&r->copies, mlirBlockGetArgument(f->finish, (intptr_t)k), sn_input_argument(to, extra->first_sum + k));
  sn_copy_forward(r, f->finish);
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (a->upstream[k].given && sn_is_reduced(f, k))
      sn_add_adjoint(r, sn_operand(yield, (intptr_t)sn_output_position(f, k)), upstream_value(a, r->b, to, extra, k));
  return sn_reverse_block(r, f->finish);
}

// ---- the gradients ----------------------------------------------------------------------------------

// Active values of the form, for a reverse of its own.
static void take_active(const Adjoint *a, SnReverse *r) {
  for (size_t i = 0; i < a->activity.active.size; ++i)
    sn_activate(r, a->activity.active.data[i]);
}

static bool is_sum(const SnForm *f, size_t accumulator) {
  MlirStringRef kind = f->accumulators.data[accumulator].kind;
  if (mlirStringRefEqual(kind, SN_STR("add")))
    return true;
  sn_error(f->op,
           "accumulator %zu is combined by '%.*s' over rows, and only sums have a gradient there; combine columns by "
           "sinter.row_reduce instead",
           accumulator, (int)kind.length, kind.data);
  return false;
}

// The adjoints of what the body yields, from the gradients with respect to the form's results.
static bool seed_body(const Adjoint *a, SnReverse *r, const SnForm *to, const Extra *extra) {
  const SnForm *f = &a->f;
  MlirOperation yield = mlirBlockGetTerminator(f->body);
  if (f->finish.ptr && has_gradient(a, true) && !reverse_finish(a, r, to, extra))
    return false;
  for (size_t k = 0; k < f->outputs.size; ++k) {
    if (!a->upstream[k].given || (sn_is_reduced(f, k) && f->finish.ptr))
      continue;
    size_t position = sn_output_position(f, k);
    MlirValue v = sn_operand(yield, (intptr_t)position);
    if (sn_is_reduced(f, k) && sn_is_active(r, v) && !is_sum(f, position))
      return false;
    sn_add_adjoint(r, v, upstream_value(a, r->b, to, extra, k));
  }
  for (size_t k = 0; k < f->accumulators.size && f->finish.ptr; ++k) {
    MlirValue g = sn_adjoint_of(r, mlirBlockGetArgument(f->finish, (intptr_t)k));
    if (sn_none(g))
      continue;
    if (!is_sum(f, k))
      return false;
    sn_add_adjoint(r, sn_operand(yield, (intptr_t)k), g);
  }
  return true;
}

// A table's gradient is taken from what is gathered.
static bool has_route(const Adjoint *a, size_t k) { return a->active[k] && !sn_is_table(&a->f.inputs.data[k]); }

// Where the gradient of input k goes: a destination, and for a sum over rows what accumulates it.
static void add_destination(const Adjoint *a, SnForm *to, const SnRoute *route, size_t k) {
  const SnForm *f = &a->f;
  SnAccess out = {.value = sn_route_destination(a->b, f, k, route, a->elements[k]), .map = route->map};
  sn_push(&to->outputs, out);
  if (!route->sum)
    return;
  MlirAffineExpr columns[SN_MAX_DIMS];
  intptr_t n = sn_uses_cols(f, route->map) ? f->num_cols : 0;
  for (intptr_t c = 0; c < n; ++c)
    columns[c] = mlirAffineDimExprGet(a->b->ctx, f->num_rows + c);
  SnAccumulator acc = {SN_STR("add"), mlirAffineMapGet(a->b->ctx, (intptr_t)f->dims.size, 0, n, columns),
                       sn_wide_type(sn_element(sn_type_of(out.value)))};
  sn_push(&to->accumulators, acc);
}

// Ends the body, sums first, and a finish that rounds them.
static void yield_gradients(const Adjoint *a, SnReverse *r, const SnForm *to, const SnRoute *routes,
                            const SnOpVec *gathers) {
  const SnForm *f = &a->f;
  SnValueVec yields = {0}, rounded = {0};
  r->b->loc = a->b->loc;
  SnBuilder finish = to->finish.ptr ? sn_at_end(to->finish, a->b->loc) : *r->b;
  for (int sums = 1; sums >= 0; --sums)
    for (size_t k = 0, output = 0; k < f->inputs.size; output += has_route(a, k++)) {
      if (!has_route(a, k) || routes[k].sum != sums)
        continue;
      const SnAccess *out = &to->outputs.data[output];
      MlirType element = sn_element(sn_type_of(out->value)), is = sums ? sn_wide_type(element) : element;
      MlirValue g = sn_adjoint_of(r, sn_input_argument(f, k));
      g = sn_none(g) ? sn_float(r->b, is, 0) : sn_to_float(r->b, g, is);
      sn_push(&yields, sn_uses_cols(f, out->map) ? sn_as_row(r->b, g, sn_row_type(f, is)) : g);
      if (sums && to->finish.ptr)
        sn_push(&rounded, sn_to_float(&finish, mlirBlockGetArgument(to->finish, (intptr_t)yields.size - 1), element));
    }
  for (size_t k = 0; k < gathers->size; ++k)
    sn_gathered_yields(r, f, gathers->data[k], &yields);
  sn_op(r->b, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  if (to->finish.ptr)
    sn_op(&finish, "sinter.yield", sn_values((intptr_t)rounded.size, rounded.data), sn_types(0, NULL));
  sn_vec_free(&yields);
  sn_vec_free(&rounded);
}

static bool find_routes(const Adjoint *a, SnRoute *routes) {
  for (size_t k = 0; k < a->f.inputs.size; ++k)
    if (has_route(a, k) && !sn_find_route(&a->f, k, &routes[k]))
      return false;
  return true;
}

static bool make_gradients(Adjoint *a) {
  SnForm *f = &a->f;
  SnRoute *routes = sn_alloc((f->inputs.size + 1) * sizeof *routes);
  if (!find_routes(a, routes)) {
    free(routes);
    return false;
  }
  SnForm to = same_inputs(f);
  Extra extra = {0};
  bool rounds = false;
  add_extra(a, &to, true, &extra);
  SnOpVec gathers = sn_active_gathers(f, a->active);
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (has_route(a, k)) {
      add_destination(a, &to, &routes[k], k);
      MlirType written = sn_element(sn_type_of(to.outputs.data[to.outputs.size - 1].value));
      rounds |= routes[k].sum && !mlirTypeEqual(written, sn_wide_type(written));
    }
  for (size_t k = 0; k < gathers.size; ++k)
    sn_gathered_destinations(a->b, f, gathers.data[k], &to);
  MlirOperation made = sn_form_create(a->b, &to, rounds);
  SnBuilder body = sn_at_end(to.body, a->b->loc);
  SnReverse r = {.b = &body, .form = &to};
  take_active(a, &r);
  map_inputs(&r, f, &to);
  for (size_t k = 0; k < f->inputs.size && f->finish.ptr; ++k)
    if (sn_is_uniform(f, k))
      sn_map(&r.copies, sn_finish_argument(f, k), sn_input_argument(&to, k));
  sn_copy_forward(&r, f->body);
  bool ok = seed_body(a, &r, &to, &extra) && sn_reverse_block(&r, f->body);
  yield_gradients(a, &r, &to, routes, &gathers);
  size_t output = 0;
  for (size_t k = 0; k < f->inputs.size && ok; ++k)
    if (has_route(a, k))
      a->give(a->user, k, sn_route_finish(a->b, f, k, &routes[k], sn_result(made, (intptr_t)output++), a->elements[k]));
  for (size_t k = 0; k < gathers.size && ok; ++k) {
    size_t table = sn_gathered_input(f, gathers.data[k]);
    a->give(a->user, table, sn_gathered_gradient(a->b, f, gathers.data[k], made, &output, a->elements[table]));
  }
  sn_vec_free(&gathers);
  sn_reverse_free(&r);
  sn_vec_free(&extra.of_output);
  sn_form_free(&to);
  free(routes);
  return ok;
}

// How many gradients one form may give: all, as long as a form may have their operands and sums.
static bool most_gradients(const Adjoint *a, size_t *most) {
  const SnForm *f = &a->f;
  SnRoute *routes = sn_alloc((f->inputs.size + 1) * sizeof *routes);
  size_t read = f->inputs.size + f->indices.size + f->outputs.size + (sn_null(a->sums) ? 0 : f->accumulators.size);
  size_t given = 0, sums = 0;
  bool found = find_routes(a, routes);
  for (size_t k = 0; k < f->inputs.size && found; ++k)
    if (has_route(a, k)) {
      ++given;
      sums += routes[k].sum;
    }
  *most = SN_MAX_ACCUMULATORS;
  if (read + given <= SN_MAX_OPERANDS && sums <= SN_MAX_ACCUMULATORS)
    *most = SIZE_MAX;
  else if (read + *most > SN_MAX_OPERANDS)
    *most = read < SN_MAX_OPERANDS ? SN_MAX_OPERANDS - read : 1;
  free(routes);
  return found;
}

// By as many forms as that takes, each of which computes the body again: one of 576 inputs has 1153 operands.
static bool make_gradients_in_parts(Adjoint *a) {
  const bool *all = a->active;
  size_t n = a->f.inputs.size, k = 0, most;
  bool *some = sn_alloc(n + 1), ok = most_gradients(a, &most);
  a->active = some;
  do {
    memset(some, 0, n + 1);
    for (size_t given = 0; k < n && given < most; given += all[k++])
      some[k] = all[k];
    ok = ok && make_gradients(a);
  } while (ok && k < n);
  a->active = all;
  free(some);
  return ok;
}

// What finish reads besides sums is read once, so its gradient through finish is added once: a form without rows.
static bool make_finish_gradients(Adjoint *a) {
  SnForm *f = &a->f, to = {0};
  bool columns = false, any = false;
  for (size_t k = 0; k < f->inputs.size; ++k)
    any |= a->active[k] && sn_is_uniform(f, k) && mlirValueGetFirstUse(sn_finish_argument(f, k)).ptr;
  if (!any)
    return true;
  for (size_t k = 0; k < f->accumulators.size; ++k)
    columns |= sn_uses_cols(f, f->accumulators.data[k].map);
  MlirAffineExpr dims[SN_MAX_DIMS];
  to.num_cols = columns ? f->num_cols : 0;
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    bool kept = columns && sn_is_col_dim(f, d);
    dims[d] = kept ? mlirAffineDimExprGet(a->b->ctx, (intptr_t)to.dims.size) : mlirAffineConstantExprGet(a->b->ctx, 0);
    if (kept)
      sn_push(&to.dims, f->dims.data[d]);
  }
  size_t *place = sn_alloc((f->inputs.size + 1) * sizeof *place);
  Extra extra = {0};
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_is_uniform(f, k)) {
      place[k] = to.inputs.size;
      sn_push(&to.inputs, f->inputs.data[k]);
    }
  add_extra(a, &to, false, &extra);
  for (size_t k = 0; k < to.inputs.size; ++k)
    to.inputs.data[k].map = sn_map_replace(to.inputs.data[k].map, (intptr_t)to.dims.size, dims);
  SnRoute *routes = sn_alloc((f->inputs.size + 1) * sizeof *routes);
  to.op = f->op; // for what is asked of routes, which make_gradients found already
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (a->active[k] && sn_is_uniform(f, k) && sn_find_route(&to, place[k], &routes[k])) {
      SnAccess out = {.value = sn_route_destination(a->b, &to, place[k], &routes[k], a->elements[k]),
                      .map = routes[k].map};
      sn_push(&to.outputs, out);
    }
  MlirOperation made = sn_form_create(a->b, &to, false);
  SnBuilder body = sn_at_end(to.body, a->b->loc);
  SnReverse r = {.b = &body, .form = &to};
  take_active(a, &r);
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_is_uniform(f, k))
      sn_map(&r.copies, sn_finish_argument(f, k), sn_input_argument(&to, place[k]));
  bool ok = reverse_finish(a, &r, &to, &extra);
  SnValueVec yields = {0};
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (a->active[k] && sn_is_uniform(f, k)) {
      MlirValue g = sn_adjoint_of(&r, sn_finish_argument(f, k));
      MlirType element = sn_element(sn_type_of(to.outputs.data[yields.size].value));
      sn_push(&yields, sn_none(g) ? sn_float(&body, element, 0) : sn_to_float(&body, g, element));
    }
  sn_op(&body, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  for (size_t k = 0, output = 0; k < f->inputs.size && ok; ++k)
    if (a->active[k] && sn_is_uniform(f, k))
      a->give(a->user, k,
              sn_route_finish(a->b, &to, place[k], &routes[k], sn_result(made, (intptr_t)output++), a->elements[k]));
  sn_vec_free(&yields);
  sn_reverse_free(&r);
  sn_vec_free(&extra.of_output);
  sn_form_free(&to);
  free(place);
  free(routes);
  return ok;
}

bool sn_differentiate_form(SnBuilder *b, MlirOperation form, const SnGradient *upstream, const bool *active,
                           const MlirType *elements, SnGive give, void *user) {
  Adjoint a = {.b = b,
               .f = sn_form_read(form),
               .upstream = upstream,
               .active = active,
               .elements = elements,
               .give = give,
               .user = user};
  assert(!a.f.contract && "a product is taken apart first");
  assert(a.f.dims.size <= 64 && "no form has so many dimensions");
  b->loc = mlirOperationGetLocation(form);
  find_active(&a);
  // What the body and finish both read has a part from each: rounded when they are added.
  MlirType *own = sn_alloc((a.f.inputs.size + 1) * sizeof *own);
  for (size_t k = 0; k < a.f.inputs.size; ++k) {
    bool twice =
        active[k] && a.f.finish.ptr && sn_is_uniform(&a.f, k) && mlirValueGetFirstUse(sn_finish_argument(&a.f, k)).ptr;
    own[k] = twice ? sn_wide_type(elements[k]) : elements[k];
  }
  a.elements = own;
  bool reduced = a.f.finish.ptr && has_gradient(&a, true);
  if (reduced)
    a.sums = make_sums(&a);
  bool ok = make_gradients_in_parts(&a) && (!reduced || make_finish_gradients(&a));
  sn_reverse_free(&a.activity);
  sn_form_free(&a.f);
  free(own);
  return ok;
}
