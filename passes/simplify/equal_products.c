// equal_products.c: a form computes each product once, and has no product, matrix or group that nobody reads.
//
//   product (k) (%x[i, k], %w[j, k])   product (l) (%x[i, l], %w[j, l])     ->    product (k) (%x[i, k], %w[j, k])
//
//   by (j) by (e)   matrix (j) to (e) (%v[j, e])   { nothing of e }     ->   by (j)
//
// A gradient computes again what the forward has; merged, the two have one product twice. What is summed may have
// another name, and the sides another order. A side with a program is nobody else's.
//
// runs in: simplify, fuse    test: test/passes/simplify/equal_products.mlir

#include "dialect/row_groups.h"
#include "passes/edit/edit.h"
#include "passes/merge/merge.h"
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

// What of a form goes; -1: nothing of this kind. With `others` all products and results but one go.
typedef struct {
  int64_t product, matrix, group;
  bool others;
  size_t result; // the one that stays
} Part;

static bool is_product_gone(Part part, size_t product) { return ((int64_t)product == part.product) != part.others; }

static bool is_gone(const SnForm *f, Part part, int64_t d) {
  SnGroup own = part.product >= 0 ? sn_side_summed(f, 2 * (size_t)part.product)
                : part.group >= 0 ? sn_group(f, (size_t)part.group)
                                  : (SnGroup){0};
  bool in = d >= own.first && d < own.first + own.num_dims;
  return part.others ? !in && d >= f->num_rows + f->num_cols : in;
}

static void keep_groups(const SnForm *f, Part part, SnForm *to) {
  for (size_t g = 0, first = (size_t)f->num_rows; g < f->groups.size; ++g)
    if ((int64_t)g != part.group) {
      SnGroup group = f->groups.data[g];
      group.first = (int64_t)first;
      first += (size_t)group.num_dims;
      to->num_cols += group.num_dims;
      sn_push(&to->groups, group);
    }
  if (!f->groups.size)
    to->num_cols = f->num_cols;
  if (to->groups.size == 1) // a plain form says none
    sn_vec_free(&to->groups);
  for (size_t m = 0; m < f->matrices.size; ++m)
    if ((int64_t)m != part.matrix) {
      SnMatrix matrix = f->matrices.data[m];
      matrix.from -= part.group >= 0 && matrix.from > part.group;
      matrix.to -= part.group >= 0 && matrix.to > part.group;
      sn_push(&to->matrices, matrix);
    }
}

static bool is_side_of(const SnForm *f, size_t side, Part part) {
  size_t matrices = 2 * f->products.size;
  return side < matrices ? is_product_gone(part, side / 2) : (int64_t)(side - matrices) == part.matrix;
}

// Everything but the part, its sides and its dimensions; no blocks.
static SnForm without(const SnForm *f, Part part) {
  SnForm to = {.num_rows = f->num_rows};
  MlirAffineExpr dims[SN_MAX_DIMS];
  MlirContext ctx = mlirOperationGetContext(f->op);
  bool programs = false;
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
    bool gone = is_gone(f, part, d);
    dims[d] = gone ? mlirAffineConstantExprGet(ctx, 0) : mlirAffineDimExprGet(ctx, (intptr_t)to.dims.size);
    if (!gone)
      sn_push(&to.dims, f->dims.data[d]);
  }
  for (size_t k = 0; k < f->products.size; ++k)
    if (!is_product_gone(part, k))
      sn_push(&to.products, f->products.data[k]);
  to.contract = to.products.size;
  keep_groups(f, part, &to);
  for (size_t s = 0; s < sn_num_sides(f); ++s) {
    SnSide side = sn_side(f, s);
    if (is_side_of(f, s, part))
      continue;
    programs |= side.program.ptr != NULL;
    sn_push(&to.sides, ((SnSide){to.inputs.size, side.count, side.program}));
    for (size_t k = side.first; k < side.first + side.count; ++k)
      sn_push(&to.inputs, moved(f, f->inputs.data[k], &to, dims));
  }
  if (!programs)
    sn_vec_free(&to.sides);
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    sn_push(&to.inputs, moved(f, f->inputs.data[k], &to, dims));
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (!part.others || k == part.result)
      sn_push(&to.outputs, moved(f, f->outputs.data[k], &to, dims));
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    SnAccumulator a = f->accumulators.data[k];
    a.map = sn_map_replace(a.map, (intptr_t)to.dims.size, dims);
    sn_push(&to.accumulators, a);
  }
  return to;
}

// The form without the part; the row of a product that goes is product `same`'s, if anybody reads it.
static void drop(const SnForm *f, SnForm *to, Part part, size_t same) {
  SnBuilder b = sn_before(f->op);
  MlirOperation made;
  SnMap map = {0};
  sn_form_create(&b, to, f->finish.ptr != NULL);
  made = to->op;
  for (size_t k = 0; k < f->products.size; ++k) {
    int64_t is = (int64_t)k == part.product ? (int64_t)same : (int64_t)k;
    if (is != part.product)
      sn_map(&map, sn_product_argument(f, k),
             sn_product_argument(to, (size_t)(is - (part.product >= 0 && is > part.product))));
  }
  for (size_t m = 0, at = 0; m < f->matrices.size; ++m)
    if ((int64_t)m != part.matrix)
      sn_map(&map, sn_matrix_argument(f, m), sn_matrix_argument(to, at++));
  size_t from = sn_first_input(f), first = sn_first_input(to);
  for (size_t k = from; k < f->inputs.size; ++k)
    sn_map(&map, sn_input_argument(f, k), sn_input_argument(to, first + k - from));
  for (intptr_t k = 0; f->finish.ptr && k < mlirBlockGetNumArguments(f->finish); ++k)
    sn_map(&map, mlirBlockGetArgument(f->finish, k), mlirBlockGetArgument(to->finish, k));
  MlirBlock was[] = {f->body, f->finish}, is[] = {to->body, to->finish};
  for (int i = 0; i < 2 && was[i].ptr; ++i) {
    SnBuilder in = sn_at_end(is[i], b.loc);
    sn_copy_block(&in, was[i], &map);
  }
  sn_replace_results(f->op, made);
  mlirOperationDestroy(f->op);
  sn_map_free(&map);
}

static bool drop_part(const SnForm *f, Part part, size_t same, bool read) {
  SnForm to = without(f, part);
  bool ok = read || sn_sizes_known(&to);
  if (ok)
    drop(f, &to, part, same);
  sn_form_free(&to);
  return ok;
}

static bool has_uses(MlirValue v) { return mlirValueGetFirstUse(v).ptr; }

// Rows of the body or the finish are of the group.
static bool has_rows(const SnForm *f, bool finish, int64_t group) {
  SnRowGroups groups;
  int64_t one, other;
  bool found = false;
  sn_row_groups(f, finish, &groups, &one, &other);
  for (size_t i = 0; i < groups.n; ++i)
    found |= groups.group[i] == group;
  sn_row_groups_free(&groups);
  return found;
}

// What is looked at first says it of most: rows are told apart for all groups at a time.
static bool is_group_read(const SnForm *f, int64_t group) {
  SnGroup g = sn_group(f, (size_t)group);
  bool read = false;
  for (size_t m = 0; m < f->matrices.size && !read; ++m)
    read = f->matrices.data[m].from == group || f->matrices.data[m].to == group;
  for (size_t p = 0; p < f->products.size && !read; ++p)
    read = sn_group_of_product(f, p) == group;
  for (int64_t d = g.first; d < g.first + g.num_dims && !read; ++d) {
    for (size_t k = 0; k < f->inputs.size + f->indices.size + f->outputs.size && !read; ++k)
      read = sn_access_uses(f, sn_form_access(f, k), d);
    for (size_t s = 0; s < sn_num_sides(f) && !read; ++s)
      read = sn_side_uses(f, s, d);
  }
  for (size_t a = 0; a < f->accumulators.size && !read; ++a)
    read = sn_group_of_map(f, f->accumulators.data[a].map) == group;
  return read || has_rows(f, false, group) || (f->finish.ptr && has_rows(f, true, group));
}

bool sn_drop_unread_parts(MlirOperation op) {
  SnForm f = sn_form_read(op);
  bool dropped = f.schedule.ptr;
  for (size_t m = f.matrices.size; m-- > 0 && !dropped;)
    dropped = !has_uses(sn_matrix_argument(&f, m)) && drop_part(&f, (Part){-1, (int64_t)m, -1}, 0, false);
  for (size_t g = f.groups.size; g-- > 0 && !dropped;)
    dropped = !is_group_read(&f, (int64_t)g) && drop_part(&f, (Part){-1, -1, (int64_t)g}, 0, false);
  dropped &= !f.schedule.ptr;
  sn_form_free(&f);
  return dropped;
}

bool sn_drop_equal_products(MlirOperation op) {
  SnForm f = sn_form_read(op);
  bool dropped = false;
  for (size_t p = f.products.size; p-- > 0 && !f.schedule.ptr && !dropped;) {
    size_t e = 0;
    bool read = has_uses(sn_product_argument(&f, p));
    while (read && e < p && !is_same(&f, p, e))
      ++e;
    if (!read || e < p)
      dropped = drop_part(&f, (Part){(int64_t)p, -1, -1}, read ? e : p, read);
  }
  sn_form_free(&f);
  return dropped;
}

// ---- results apart ------------------------------------------------------------------------------

// Which products a value of the body is made of, one bit each.
static size_t products_in(const SnForm *f, MlirValue v) {
  size_t found = 0;
  for (size_t p = 0; p < f->products.size; ++p)
    if (sn_same(v, sn_product_argument(f, p)))
      found |= (size_t)1 << p;
  MlirOperation op = sn_definer(v);
  for (intptr_t k = 0; !sn_null(op) && k < sn_num_operands(op); ++k)
    found |= products_in(f, sn_operand(op, k));
  return found;
}

// A form that makes this result alone, of this product.
static void make_alone(const SnForm *f, size_t result, size_t product) {
  Part others = {(int64_t)product, -1, -1, true, result};
  MlirValue v = sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)sn_output_position(f, result));
  SnForm to = without(f, others);
  SnBuilder b = sn_before(f->op);
  MlirOperation made = sn_form_create(&b, &to, false);
  SnBuilder in = sn_at_end(to.body, b.loc);
  SnMap map = {0};
  SnOpVec ops = {0};
  size_t from = sn_first_input(f), first = sn_first_input(&to);
  sn_map(&map, sn_product_argument(f, product), sn_product_argument(&to, 0));
  for (size_t k = from; k < f->inputs.size; ++k)
    sn_map(&map, sn_input_argument(f, k), sn_input_argument(&to, first + k - from));
  sn_needed_ops(v, &map, &ops);
  for (size_t k = 0; k < ops.size; ++k)
    sn_clone(&in, ops.data[k], &map);
  sn_op(&in, "sinter.yield", sn_lookup(&map, v), sn_types(0, NULL));
  mlirValueReplaceAllUsesOfWith(sn_result(f->op, (intptr_t)result), sn_result(made, 0));
  sn_tidy(made);
  sn_vec_free(&ops);
  sn_map_free(&map);
  sn_form_free(&to);
}

bool sn_part_results(MlirOperation op) {
  SnForm f = sn_form_read(op);
  MlirOperation end = mlirBlockGetTerminator(f.body);
  size_t n = f.outputs.size, seen = 0, of[SN_MAX_DIMS];
  bool apart = f.contract && n > 1 && f.products.size == n && n <= SN_MAX_DIMS && !f.matrices.size &&
               !f.accumulators.size && !f.schedule.ptr && !sn_form_asserts(&f);
  for (size_t k = 0; k < n && apart; ++k) {
    of[k] = products_in(&f, sn_operand(end, (intptr_t)sn_output_position(&f, k)));
    apart = of[k] && !(of[k] & (of[k] - 1)) && !(of[k] & seen) && !sn_is_reduced(&f, k);
    seen |= of[k];
  }
  for (size_t i = 1; i <= n && apart; ++i) {
    size_t k = i % n; // the first one stands behind the others
    if (mlirValueGetFirstUse(sn_result(op, (intptr_t)k)).ptr)
      make_alone(&f, k, (size_t)__builtin_ctzll(of[k]));
  }
  if (apart)
    mlirOperationDestroy(op);
  sn_form_free(&f);
  return apart;
}
