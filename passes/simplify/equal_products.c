// equal_products.c: a form computes each product once, and none that nobody reads.
//
//   product (k) (%x[i, k], %w[j, k])   product (l) (%x[i, l], %w[j, l])     ->    product (k) (%x[i, k], %w[j, k])
//
// A gradient computes again what the forward has; merged, the two have one product twice. What is summed may have
// another name, and the sides another order. A side with a program is nobody else's.
//
// runs in: simplify, fuse    test: test/passes/simplify/equal_products.mlir

#include "passes/edit/edit.h"
#include "passes/simplify/simplify.h"

static bool same_side(const SnForm *f, size_t side, size_t other, const MlirAffineExpr *dims) {
  SnSide a = sn_side(f, side), b = sn_side(f, other);
  if (a.program.ptr || b.program.ptr)
    return false;
  SnAccess read = f->inputs.data[a.first];
  read.map = sn_map_replace(read.map, (intptr_t)f->dims.size, dims);
  return sn_same_access(f, &read, f, &f->inputs.data[b.first]);
}

// Product p is product e.
static bool is_same(const SnForm *f, size_t p, size_t e) {
  const SnProduct *a = &f->products.data[p], *b = &f->products.data[e];
  int64_t own = sn_first_own(f, p), other = sn_first_own(f, e);
  MlirAffineExpr dims[SN_MAX_DIMS];
  bool same = a->num_dims == b->num_dims && mlirTypeEqual(a->type, b->type) && f->dims.size <= SN_MAX_DIMS;
  for (int64_t d = 0; d < (int64_t)f->dims.size && same; ++d) {
    int64_t to = d >= own && d < own + a->num_dims ? other + d - own : d;
    same = f->dims.data[d].size == f->dims.data[to].size;
    dims[d] = mlirAffineDimExprGet(mlirOperationGetContext(f->op), to);
  }
  return same && ((same_side(f, 2 * p, 2 * e, dims) && same_side(f, 2 * p + 1, 2 * e + 1, dims)) ||
                  (same_side(f, 2 * p, 2 * e + 1, dims) && same_side(f, 2 * p + 1, 2 * e, dims)));
}

static SnAccess moved(const SnForm *f, SnAccess a, SnForm *to, const MlirAffineExpr *dims) {
  size_t before = to->indices.size;
  a.map = sn_map_replace(a.map, (intptr_t)to->dims.size, dims);
  a = sn_with_own_indices(f, a, to);
  for (size_t k = before; k < to->indices.size; ++k)
    to->indices.data[k].map = sn_map_replace(to->indices.data[k].map, (intptr_t)to->dims.size, dims);
  return a;
}

// Everything but product p, its sides and its dimensions; no blocks.
static SnForm without(const SnForm *f, size_t p) {
  SnForm to = {.contract = f->contract, .num_rows = f->num_rows, .num_cols = f->num_cols};
  int64_t own = sn_first_own(f, p), end = own + f->products.data[p].num_dims;
  MlirAffineExpr dims[SN_MAX_DIMS];
  MlirContext ctx = mlirOperationGetContext(f->op);
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
    bool gone = d >= own && d < end;
    dims[d] = gone ? mlirAffineConstantExprGet(ctx, 0) : mlirAffineDimExprGet(ctx, (intptr_t)to.dims.size);
    if (!gone)
      sn_push(&to.dims, f->dims.data[d]);
  }
  for (size_t k = 0; k < f->products.size; ++k)
    if (k != p)
      sn_push(&to.products, f->products.data[k]);
  for (size_t g = 0; g < f->groups.size; ++g)
    sn_push(&to.groups, f->groups.data[g]);
  for (size_t m = 0; m < f->matrices.size; ++m)
    sn_push(&to.matrices, f->matrices.data[m]);
  for (size_t s = 0; s < sn_num_sides(f); ++s) {
    SnSide side = sn_side(f, s);
    if (s / 2 == p && s < 2 * f->products.size)
      continue;
    if (f->sides.size)
      sn_push(&to.sides, ((SnSide){to.inputs.size, side.count, side.program}));
    for (size_t k = side.first; k < side.first + side.count; ++k)
      sn_push(&to.inputs, moved(f, f->inputs.data[k], &to, dims));
  }
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    sn_push(&to.inputs, moved(f, f->inputs.data[k], &to, dims));
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&to.outputs, moved(f, f->outputs.data[k], &to, dims));
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    SnAccumulator a = f->accumulators.data[k];
    a.map = sn_map_replace(a.map, (intptr_t)to.dims.size, dims);
    sn_push(&to.accumulators, a);
  }
  return to;
}

// The form without product p, whose row is product e's.
static void drop(const SnForm *f, SnForm *to, size_t p, size_t e) {
  SnBuilder b = sn_before(f->op);
  MlirOperation made;
  SnMap map = {0};
  sn_form_create(&b, to, f->finish.ptr != NULL);
  made = to->op;
  for (size_t k = 0; k < f->products.size; ++k) {
    size_t is = k == p ? e : k;
    if (is != p)
      sn_map(&map, sn_product_argument(f, k), sn_product_argument(to, is - (is > p)));
  }
  for (size_t m = 0; m < f->matrices.size; ++m)
    sn_map(&map, sn_matrix_argument(f, m), sn_matrix_argument(to, m));
  size_t from = sn_first_input(f), first = sn_first_input(to);
  for (size_t k = from; k < f->inputs.size; ++k)
    sn_map(&map, sn_input_argument(f, k), sn_input_argument(to, first + k - from));
  for (intptr_t k = 0; f->finish.ptr && k < mlirBlockGetNumArguments(f->finish); ++k)
    sn_map(&map, mlirBlockGetArgument(f->finish, k), mlirBlockGetArgument(to->finish, k));
  MlirBlock was[] = {f->body, f->finish}, is[] = {to->body, to->finish};
  for (int i = 0; i < 2 && was[i].ptr; ++i) {
    SnBuilder in = sn_at_end(is[i], b.loc);
    sn_copy_ops(&in, was[i], &map);
    sn_clone(&in, mlirBlockGetTerminator(was[i]), &map);
  }
  for (intptr_t k = 0; k < sn_num_results(made); ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(f->op, k), sn_result(made, k));
  mlirOperationDestroy(f->op);
  sn_map_free(&map);
}

bool sn_drop_equal_products(MlirOperation op) {
  SnForm f = sn_form_read(op);
  bool dropped = false;
  for (size_t p = f.products.size; p-- > 0 && f.products.size > 1 && !f.schedule.ptr && !dropped;) {
    size_t e = 0;
    bool read = mlirValueGetFirstUse(sn_product_argument(&f, p)).ptr;
    while (read && e < p && !is_same(&f, p, e))
      ++e;
    if (read && e == p)
      continue;
    SnForm to = without(&f, p);
    dropped = read || sn_sizes_known(&to);
    if (dropped)
      drop(&f, &to, p, read ? e : p);
    sn_form_free(&to);
  }
  sn_form_free(&f);
  return dropped;
}
