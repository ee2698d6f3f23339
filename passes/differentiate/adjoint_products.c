// adjoint_products.c: the reverse of sinter.contract.
//
//   %y = sinter.contract (i) by (j) product (k) (%a[i, k], %w[j, k])     its row program is differentiated as a
//   sinter.rowwise
//     { relu }                                                     ->    over %c = the product alone, which gives %dc;
//     and then
//                                                                        %da = sinter.contract (i) by (k) product (j)
//                                                                        (%dc[i, j], %w[j, k]) %dw = sinter.contract
//                                                                        (j) by (k) product (i) (%dc[i, j], %a[i, k])
//
// The product is computed again only where the row program's gradient reads it. A gradient of a product is a
// product over the dimensions that the side does not have (differentiate/side_gradients.c).
//
// runs in: differentiate    test: test/passes/differentiate/adjoint_products.mlir

#include "passes/differentiate/differentiate.h"
#include <assert.h>

typedef struct {
  SnBuilder *b;
  SnForm f;          // the contract
  MlirValue *of_product; // the gradient with respect to each product, over rows and columns; null while none
  SnGive give;
  void *user;
} Products;

static intptr_t num_points(const SnForm *f) { return (intptr_t)(f->num_rows + f->num_cols); }

// ---- the form in two ------------------------------------------------------------------

static MlirAffineMap all_points(const SnForm *f, MlirContext ctx, intptr_t dims) {
  MlirAffineExpr exprs[SN_MAX_DIMS];
  for (intptr_t d = 0; d < num_points(f); ++d)
    exprs[d] = mlirAffineDimExprGet(ctx, d);
  return mlirAffineMapGet(ctx, dims, 0, num_points(f), exprs);
}

static intptr_t first_own(const SnForm *f, size_t p) {
  intptr_t first = num_points(f);
  for (size_t k = 0; k < p; ++k)
    first += (intptr_t)f->products.data[k].num_dims;
  return first;
}

// Product p without a row program.
static MlirValue product_alone(SnBuilder *b, const SnForm *f, size_t p) {
  SnForm to = {.contract = true, .num_rows = f->num_rows, .num_cols = f->num_cols};
  MlirAffineExpr exprs[SN_MAX_DIMS];
  intptr_t own = first_own(f, p), end = own + (intptr_t)f->products.data[p].num_dims;
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    bool kept = d < num_points(f) || (d >= own && d < end);
    exprs[d] = kept ? mlirAffineDimExprGet(b->ctx, (intptr_t)to.dims.size) : mlirAffineConstantExprGet(b->ctx, 0);
    if (kept)
      sn_push(&to.dims, f->dims.data[d]);
  }
  sn_push(&to.products, f->products.data[p]);
  for (size_t s = 0; s < 2; ++s) {
    SnAccess a = f->inputs.data[2 * p + s];
    a.map = sn_map_replace(a.map, (intptr_t)to.dims.size, exprs);
    sn_push(&to.inputs, a);
  }
  MlirValue sums = sn_empty_at(b, f, all_points(f, b->ctx, (intptr_t)f->dims.size), f->products.data[p].type);
  SnAccess out = {.value = sums, .map = all_points(f, b->ctx, (intptr_t)to.dims.size)};
  sn_push(&to.outputs, out);
  MlirOperation made = sn_form_create(b, &to, false);
  SnBuilder in = sn_at_end(to.body, b->loc);
  sn_op(&in, "sinter.yield", sn_product_argument(&to, 0), sn_types(0, NULL));
  sn_form_free(&to);
  return sn_result(made, 0);
}

static void copy_block(MlirBlock from, MlirBlock to, SnMap *map, MlirLocation loc) {
  SnBuilder b = sn_at_end(to, loc);
  sn_copy_block(&b, from, map);
}

// The row program over products that are tensors.
static MlirOperation row_program(SnBuilder *b, const SnForm *f, const MlirValue *products) {
  SnForm to = {.num_rows = f->num_rows, .num_cols = f->num_cols};
  MlirAffineExpr exprs[SN_MAX_DIMS];
  intptr_t n = num_points(f);
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    exprs[d] = d < n ? mlirAffineDimExprGet(b->ctx, d) : mlirAffineConstantExprGet(b->ctx, 0);
    if (d < n)
      sn_push(&to.dims, f->dims.data[d]);
  }
  for (size_t p = 0; p < f->products.size; ++p) {
    SnAccess a = {.value = products[p], .map = all_points(f, b->ctx, n)};
    sn_push(&to.inputs, a);
  }
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    sn_push(&to.inputs, f->inputs.data[k]);
  for (size_t k = 0; k < f->indices.size; ++k)
    sn_push(&to.indices, f->indices.data[k]);
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&to.outputs, f->outputs.data[k]);
  for (size_t k = f->products.size; k < to.inputs.size; ++k)
    to.inputs.data[k].map = sn_map_replace(to.inputs.data[k].map, n, exprs);
  for (size_t k = 0; k < to.indices.size; ++k)
    to.indices.data[k].map = sn_map_replace(to.indices.data[k].map, n, exprs);
  for (size_t k = 0; k < to.outputs.size; ++k)
    to.outputs.data[k].map = sn_map_replace(to.outputs.data[k].map, n, exprs);
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    SnAccumulator a = f->accumulators.data[k];
    a.map = sn_map_replace(a.map, n, exprs);
    sn_push(&to.accumulators, a);
  }
  sn_form_create(b, &to, f->finish.ptr != NULL);
  SnMap map = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(f->body); ++k)
    sn_map(&map, mlirBlockGetArgument(f->body, k), mlirBlockGetArgument(to.body, k));
  copy_block(f->body, to.body, &map, b->loc);
  if (f->finish.ptr) {
    for (intptr_t k = 0; k < mlirBlockGetNumArguments(f->finish); ++k)
      sn_map(&map, mlirBlockGetArgument(f->finish, k), mlirBlockGetArgument(to.finish, k));
    copy_block(f->finish, to.finish, &map, b->loc);
  }
  sn_map_free(&map);
  MlirOperation made = to.op;
  sn_form_free(&to);
  return made;
}

// ---- all of it ---------------------------------------------------------------------------------

// What a form hands on as it is, is what it took: a row program that is the product alone has nothing to reverse.
static MlirValue behind_copies(MlirValue v) {
  MlirOperation def = sn_definer(v);
  if (!sn_is(def, "sinter.rowwise"))
    return v;
  SnForm f = sn_form_read(def);
  MlirOperation yield = mlirBlockGetTerminator(f.body);
  size_t output = 0;
  while (!sn_same(sn_result(def, (intptr_t)output), v))
    ++output;
  MlirValue from = {0};
  for (size_t k = 0; k < f.inputs.size && !sn_is_reduced(&f, output); ++k) {
    const SnAccess *a = &f.inputs.data[k];
    bool plain = !a->fill.ptr && !a->through.ptr && mlirAffineMapEqual(a->map, f.outputs.data[output].map);
    if (plain && mlirTypeEqual(sn_type_of(a->value), sn_type_of(v)) &&
        sn_same(sn_operand(yield, (intptr_t)sn_output_position(&f, output)), sn_input_argument(&f, k)))
      from = a->value;
  }
  sn_form_free(&f);
  return sn_none(from) ? v : from;
}

static void collect(void *user, size_t input, MlirValue gradient) {
  Products *x = user;
  size_t products = x->f.products.size;
  if (input >= products) {
    x->give(x->user, input + products, gradient);
    return;
  }
  MlirValue *sum = &x->of_product[input];
  MlirValue both[] = {*sum, gradient};
  *sum = sn_none(*sum) ? gradient
                       : sn_elementwise_form(x->b, sn_element(sn_type_of(gradient)), gradient, 2, both, NULL, false, 0);
}

bool sn_differentiate_product(SnBuilder *b, MlirOperation op, const SnGradient *upstream, const bool *active,
                              const MlirType *elements, SnGive give, void *user) {
  Products x = {.b = b, .f = sn_form_read(op), .give = give, .user = user};
  b->loc = mlirOperationGetLocation(op);
  size_t products = x.f.products.size, n = x.f.inputs.size;
  MlirValue *alone = sn_alloc((products + 1) * sizeof *alone);
  x.of_product = sn_alloc((products + 1) * sizeof *x.of_product);
  bool *row_active = sn_alloc(n + 1);
  MlirType *row_elements = sn_alloc((n + 1) * sizeof *row_elements);
  for (size_t p = 0; p < products; ++p) {
    MlirType left = sn_element(sn_type_of(x.f.inputs.data[2 * p].value)),
             right = sn_element(sn_type_of(x.f.inputs.data[2 * p + 1].value));
    alone[p] = product_alone(b, &x.f, p);
    row_active[p] = active[2 * p] || active[2 * p + 1];
    row_elements[p] =
        mlirTypeEqual(left, right) ? left : x.f.products.data[p].type; // a product of one type, as the forward's
  }
  for (size_t k = sn_first_input(&x.f); k < n; ++k) {
    row_active[k - products] = active[k];
    row_elements[k - products] = elements[k];
  }
  MlirOperation rows = row_program(b, &x.f, alone);
  bool ok = sn_differentiate_split(b, rows, upstream, row_active, row_elements, collect, &x), left = false;
  for (size_t k = 0; k < n - products; ++k)
    left |= row_active[k];
  ok = ok && (!left || sn_differentiate_form(b, rows, upstream, row_active, row_elements, collect, &x));
  b->loc = mlirOperationGetLocation(op);
  for (size_t k = 0; k < sn_first_input(&x.f) && ok; ++k)
    if (active[k] && !sn_none(x.of_product[k / 2])) {
      x.of_product[k / 2] = behind_copies(x.of_product[k / 2]);
      MlirValue made;
      ok = sn_side_gradient(b, &x.f, k, x.of_product[k / 2], elements[k], &made);
      if (ok)
        give(user, k, made);
    }
  free(alone);
  free(x.of_product);
  free(row_active);
  free(row_elements);
  sn_form_free(&x.f);
  return ok;
}
