// apart.c: products that a target does not make in the form where they are.
//
// A GPU's, where the rows are needed whole:
//
//   contract (i) by (j) product (k) (x, w)            %p = contract (i) by (j) product (k) (x, w) { %acc }
//     { %s = row_reduce add (exp %acc) ... }     ->   rowwise (i) by (j) (%p[i, j]) { %s = row_reduce add (exp %p) ...
//     }
//
// Products that are rounded in any case are stored so.
//
// A CPU's, where both sides use columns: those of one of them are rows.
//
//   contract (i) by (h, j)                            %p = contract (i, h) by (j)
//     product (k) (x[i, h, k], w[h, j, k])       ->     product (k) (x[i, h, k], w[h, j, k]) { %acc } -> [i, h, j]
//     { tanh %acc }                                   rowwise (i) by (h, j) (%p[i, h, j]) { tanh %p }
//
// runs in: split    test: test/passes/split/gpu.mlir, test/passes/split/columns.mlir

#include "passes/split/pieces.h"

// The products alone, over all rows and columns, in the order of the form.
static SnForm products_of(const SnForm *f) {
  SnForm to = {.contract = true, .num_rows = f->num_rows, .num_cols = f->num_cols};
  for (size_t d = 0; d < f->dims.size; ++d)
    sn_push(&to.dims, f->dims.data[d]);
  for (size_t p = 0; p < f->products.size; ++p)
    sn_push(&to.products, f->products.data[p]);
  for (size_t k = 0; k < sn_first_input(f); ++k) {
    SnAccess a = sn_with_own_indices(f, f->inputs.data[k], &to);
    sn_push(&to.inputs, a);
  }
  return to;
}

MlirAffineMap sn_without_sums(const SnForm *f, MlirAffineMap map) {
  MlirAffineExpr same[SN_MAX_DIMS];
  MlirContext ctx = mlirAffineMapGetContext(map);
  intptr_t n = (intptr_t)(f->num_rows + f->num_cols);
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d)
    same[d] = d < n ? mlirAffineDimExprGet(ctx, d) : mlirAffineConstantExprGet(ctx, 0);
  return sn_map_replace(map, n, same);
}

// The form over its products, which are inputs in front of all others: its body's arguments are the same.
static SnForm form_over(const SnForm *f, const SnAccess *products) {
  SnForm to = {.num_rows = f->num_rows, .num_cols = f->num_cols};
  for (int64_t d = 0; d < f->num_rows + f->num_cols; ++d)
    sn_push(&to.dims, f->dims.data[d]);
  for (size_t p = 0; p < f->products.size; ++p)
    sn_push(&to.inputs, products[p]);
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k) {
    SnAccess a = sn_with_own_indices(f, f->inputs.data[k], &to);
    sn_push(&to.inputs, a);
  }
  for (size_t k = 0; k < f->outputs.size; ++k) {
    SnAccess a = sn_with_own_indices(f, f->outputs.data[k], &to);
    sn_push(&to.outputs, a);
  }
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    sn_push(&to.accumulators, f->accumulators.data[k]);
    to.accumulators.data[k].map = sn_without_sums(f, f->accumulators.data[k].map);
  }
  for (size_t k = 0; k < to.inputs.size + to.indices.size + to.outputs.size; ++k) {
    SnAccess *a = (SnAccess *)sn_form_access(&to, k);
    a->map = sn_without_sums(f, a->map);
  }
  return to;
}

MlirType sn_stored_type(const SnForm *f, size_t product) {
  MlirType sums = f->products.data[product].type, type = {0};
  MlirOpOperand use = mlirValueGetFirstUse(sn_product_argument(f, product));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    MlirType to = sn_is(op, "arith.truncf") ? sn_element(sn_type_of(sn_result(op, 0))) : sums;
    if (type.ptr && !mlirTypeEqual(type, to))
      return sums;
    type = to;
  }
  return type.ptr ? type : sums;
}

// x, of a narrower type than `like`, as one of that; and what rounds that again is x.
MlirValue sn_unrounded(SnBuilder *b, MlirValue x, MlirType like) {
  return mlirTypeEqual(sn_type_of(x), like) ? x : sn(b, "arith.extf", x, like);
}
static void round_no_more(MlirValue widened, MlirValue x) {
  if (sn_same(widened, x))
    return;
  for (MlirOpOperand use = mlirValueGetFirstUse(widened), next; !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation round = mlirOpOperandGetOwner(use);
    if (!sn_is(round, "arith.truncf") || !mlirTypeEqual(sn_type_of(sn_result(round, 0)), sn_type_of(x)))
      continue;
    mlirValueReplaceAllUsesOfWith(sn_result(round, 0), x);
    mlirOperationDestroy(round);
  }
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(widened)))
    mlirOperationDestroy(sn_definer(widened));
}

// A row of one element, made of x: what is reduced of it is x.
static void reduce_no_more(MlirValue row, MlirValue x) {
  for (MlirOpOperand use = mlirValueGetFirstUse(row), next; !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation reduce = mlirOpOperandGetOwner(use);
    if (!sn_is(reduce, "sinter.row_reduce") || !sn_get_attr(reduce, "kind").ptr ||
        !mlirTypeEqual(sn_type_of(sn_result(reduce, 0)), sn_type_of(x)))
      continue;
    mlirValueReplaceAllUsesOfWith(sn_result(reduce, 0), x);
    mlirOperationDestroy(reduce);
  }
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(row)))
    mlirOperationDestroy(sn_definer(row));
}

// The block, of arguments that may be narrower now, and numbers where they were rows of one element.
static void copy_block(MlirBlock from, MlirBlock into, MlirLocation loc) {
  SnBuilder in = sn_at_end(into, loc);
  intptr_t n = mlirBlockGetNumArguments(from);
  MlirValue *widened = sn_alloc((size_t)(n + 1) * sizeof *widened);
  SnMap map = {0};
  for (intptr_t k = 0; k < n; ++k) {
    MlirValue was = mlirBlockGetArgument(from, k), x = mlirBlockGetArgument(into, k);
    MlirType type = sn_type_of(was);
    widened[k] = sn_unrounded(&in, x, sn_is_row(was) && !sn_is_row(x) ? sn_element(type) : type);
    sn_map(&map, was, sn_is_row(was) ? sn_as_row(&in, widened[k], type) : widened[k]);
  }
  sn_copy_block(&in, from, &map);
  for (intptr_t k = 0; k < n; ++k) {
    MlirValue row = sn_mapped(&map, mlirBlockGetArgument(from, k));
    if (!sn_same(row, widened[k]))
      reduce_no_more(row, widened[k]);
    round_no_more(widened[k], mlirBlockGetArgument(into, k));
  }
  sn_map_free(&map);
  free(widened);
}

// For --explain.
static void say_why(const SnCut *s, MlirOperation made) {
  if (s->cut.ptr)
    sn_set_attr(made, "sinter.cut", s->cut);
}

// The contract over what has been stored of its products, in its place.
static void replace_products(SnCut *s, const SnAccess *stored) {
  SnForm *f = &s->f, to = form_over(f, stored);
  MlirOperation made = sn_form_create(&s->b, &to, f->finish.ptr);
  copy_block(f->body, to.body, s->b.loc);
  if (f->finish.ptr)
    copy_block(f->finish, to.finish, s->b.loc);
  sn_replace_results(f->op, made);
  mlirOperationDestroy(f->op);
  say_why(s, made);
  sn_form_free(&to);
}

// `rounded`: as what all that reads them rounds them to. The contract that stores them.
static MlirOperation store_products(MlirOperation contract, MlirAttribute cut, bool rounded) {
  SnCut s = {.f = sn_form_read(contract), .b = sn_before(contract), .cut = cut};
  SnForm *f = &s.f, products = products_of(f);
  int64_t dims[SN_MAX_DIMS];
  intptr_t n = sn_rows_and_columns(f, 0, dims);
  SN_VEC(MlirType) types = {0};
  for (size_t p = 0; p < f->products.size; ++p) {
    sn_push(&types, rounded ? sn_stored_type(f, p) : f->products.data[p].type);
    SnAccess place = sn_piece_place(&s, types.data[p], dims, n, false);
    sn_push(&products.outputs, place);
  }
  MlirOperation made = sn_form_create(&s.b, &products, false);
  say_why(&s, made);
  SnBuilder in = sn_at_end(products.body, s.b.loc);
  SnValueVec yields = {0};
  SN_VEC(SnAccess) stored = {0};
  for (size_t p = 0; p < f->products.size; ++p) {
    MlirValue sums = sn_product_argument(&products, p);
    MlirType type = f->num_cols ? sn_row_type(f, types.data[p]) : types.data[p];
    if (!f->num_cols) // a row of one element
      sums = sn_row_reduce(&in, "add", sums, f->products.data[p].type);
    sn_push(&yields, mlirTypeEqual(sn_type_of(sums), type) ? sums : sn(&in, "arith.truncf", sums, type));
    sn_push(&stored, products.outputs.data[p]);
    stored.data[p].value = sn_result(products.op, (intptr_t)p);
  }
  sn_op(&in, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  replace_products(&s, stored.data);
  sn_vec_free(&stored);
  sn_vec_free(&yields);
  sn_vec_free(&types);
  sn_form_free(&products);
  sn_form_free(f);
  return made;
}

void sn_store_products(MlirOperation contract, MlirAttribute cut) { store_products(contract, cut, true); }
MlirOperation sn_store_sums(MlirOperation contract, MlirAttribute cut) { return store_products(contract, cut, false); }

// ---- columns of both sides ----------------------------------------------------------------------

// The side whose columns become rows: the other one has some that it does not use, if any has.
static size_t side_of_rows(const SnForm *f, size_t product) {
  for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
    if (!sn_side_uses(f, 2 * product, d))
      return 2 * product;
  return 2 * product + 1;
}

// The product alone. dims[d]: which expression of it dimension d of the form is.
static SnForm product_by_rows(const SnForm *f, size_t product, MlirAffineExpr *dims) {
  SnForm to = {.contract = true};
  MlirContext ctx = mlirOperationGetContext(f->op);
  size_t rows = side_of_rows(f, product);
  int64_t own = sn_first_own(f, product), end = own + f->products.data[product].num_dims;
  for (size_t d = 0; d < f->dims.size; ++d)
    dims[d] = mlirAffineConstantExprGet(ctx, 0);
  for (int part = 0; part < 3; ++part) { // rows, columns, what is summed
    for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
      bool row = d < f->num_rows || (sn_is_col_dim(f, d) && sn_side_uses(f, rows, d)),
           column = !row && sn_is_col_dim(f, d), summed = d >= own && d < end;
      if (part == 0 ? !row : part == 1 ? !column : !summed)
        continue;
      dims[d] = mlirAffineDimExprGet(ctx, (intptr_t)to.dims.size);
      sn_push(&to.dims, f->dims.data[d]);
    }
    if (part == 0)
      to.num_rows = (int64_t)to.dims.size;
  }
  to.num_cols = (int64_t)to.dims.size - to.num_rows - (end - own);
  sn_push(&to.products, f->products.data[product]);
  bool programs = false;
  for (size_t s = 2 * product; s < 2 * product + 2; ++s) {
    SnSide side = sn_side(f, s);
    sn_push(&to.sides, ((SnSide){to.inputs.size, side.count, side.program}));
    programs |= side.program.ptr != NULL;
    for (size_t k = side.first; k < side.first + side.count; ++k) {
      SnAccess a = sn_with_own_indices(f, f->inputs.data[k], &to);
      sn_push(&to.inputs, a);
    }
  }
  if (!programs)
    sn_vec_free(&to.sides);
  for (size_t k = 0; k < to.inputs.size + to.indices.size; ++k) {
    SnAccess *a = (SnAccess *)sn_form_access(&to, k);
    a->map = sn_map_replace(a->map, (intptr_t)to.dims.size, dims);
  }
  return to;
}

// What a form of its own stores of the product, over the rows and columns of s->f.
static SnAccess store_product(SnCut *s, size_t product) {
  SnForm *f = &s->f;
  MlirAffineExpr dims[SN_MAX_DIMS];
  int64_t all[SN_MAX_DIMS];
  SnForm to = product_by_rows(f, product, dims);
  MlirType type = f->products.data[product].type;
  SnAccess stored = sn_piece_place(s, type, all, sn_rows_and_columns(f, 0, all), false), into = stored;
  into.map = sn_map_replace(stored.map, (intptr_t)to.dims.size, dims);
  sn_push(&to.outputs, into);
  MlirOperation made = sn_form_create(&s->b, &to, false);
  SnBuilder in = sn_at_end(to.body, s->b.loc);
  MlirValue sum = sn_product_argument(&to, 0);
  if (!to.num_cols) // a row of one element
    sum = sn_row_reduce(&in, "add", sum, type);
  sn_op(&in, "sinter.yield", sum, sn_types(0, NULL));
  say_why(s, made);
  stored.value = sn_result(made, 0);
  sn_form_free(&to);
  return stored;
}

void sn_store_products_by_rows(MlirOperation contract, MlirAttribute cut) {
  SnCut s = {.f = sn_form_read(contract), .b = sn_before(contract), .cut = cut};
  SN_VEC(SnAccess) stored = {0};
  for (size_t p = 0; p < s.f.products.size; ++p) {
    SnAccess a = store_product(&s, p);
    sn_push(&stored, a);
  }
  replace_products(&s, stored.data);
  sn_vec_free(&stored);
  sn_form_free(&s.f);
}
