// take_apart.c: a subscript that is two dimensions becomes both.
//
//   %x[b, i, h * 64 + k]             ->  %x'[b, i, h, k]        %x' = expand_shape %x, of h by 64
//   %x[b, i, h * 128 + g * 64 + k]   ->  %x'[b, i, h, g, k]     one after the other
//   %x[b, i, (h floordiv 4) * 64 + k]  ->  %x'[b, i, h floordiv 4, k]     heads that groups of others read
//
// Copies fetch what each subscript is a dimension of. And arguments are taken apart before they are differentiated by,
// so that a gradient by heads that are columns of one matrix is stored as it is made, and not put in other places by a
// kernel of its own.
//
// test: test/passes/arrange/head_groups.mlir, test/gpu/sdpa_masked_bias.test

#include "capi/form.h"
#include "passes/edit/edit.h"

// A subscript as a sum of dimensions, or of quotients of them, times numbers.
typedef struct {
  int64_t dims[SN_MAX_DIMS], by[SN_MAX_DIMS], times[SN_MAX_DIMS]; // by: 1 of a dimension itself
  size_t n;
} Terms;

static bool read_terms(MlirAffineExpr e, int64_t times, Terms *t) {
  int64_t by = 1;
  if (mlirAffineExprIsAAdd(e))
    return read_terms(mlirAffineBinaryOpExprGetLHS(e), times, t) &&
           read_terms(mlirAffineBinaryOpExprGetRHS(e), times, t);
  if (mlirAffineExprIsAMul(e) && mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(e)))
    return read_terms(mlirAffineBinaryOpExprGetLHS(e),
                      sn_times(times, mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e))), t);
  if (mlirAffineExprIsAFloorDiv(e) && mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(e))) {
    by = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e));
    e = mlirAffineBinaryOpExprGetLHS(e);
  }
  if (!mlirAffineExprIsADim(e) || by < 1 || t->n == SN_MAX_DIMS)
    return false;
  t->dims[t->n] = mlirAffineDimExprGetPosition(e);
  t->by[t->n] = by;
  t->times[t->n++] = times;
  return true;
}

// e is outer * n + d, and n is how many d has; `all` in all. The outer one is a dimension, or more of them.
static bool is_two(const SnForm *f, MlirAffineExpr e, int64_t all, MlirAffineExpr *outer, int64_t *d) {
  Terms t = {.n = 0};
  size_t inner = 0;
  if (!mlirAffineExprIsAAdd(e) || !read_terms(e, 1, &t))
    return false;
  while (inner < t.n && (t.times[inner] != 1 || t.by[inner] != 1))
    ++inner;
  int64_t n = inner < t.n ? f->dims.data[t.dims[inner]].size : SN_DYNAMIC, most = 0;
  if (n == SN_DYNAMIC || n < 1)
    return false;
  *d = t.dims[inner];
  *outer = (MlirAffineExpr){0};
  for (size_t i = 0; i < t.n; ++i) {
    int64_t size = f->dims.data[t.dims[i]].size;
    if (i == inner)
      continue;
    if (t.times[i] < n || t.times[i] % n || t.dims[i] == *d || size == SN_DYNAMIC || size < 1)
      return false;
    int64_t last = (size - 1) / t.by[i];
    if (sn_times(last, t.times[i] / n) > all - most)
      return false;
    most += last * (t.times[i] / n);
    MlirContext ctx = mlirAffineExprGetContext(e);
    MlirAffineExpr quotient = mlirAffineFloorDivExprGet(mlirAffineDimExprGet(ctx, (intptr_t)t.dims[i]),
                                                        mlirAffineConstantExprGet(ctx, t.by[i])),
                   one = mlirAffineMulExprGet(quotient, mlirAffineConstantExprGet(ctx, t.times[i] / n));
    *outer = outer->ptr ? mlirAffineAddExprGet(*outer, one) : one;
  }
  return outer->ptr && sn_times(most + 1, n) == all;
}

// [[0], [1, 2], [3]], for dimension `at` of `rank`.
static MlirAttribute groups_of(MlirContext ctx, intptr_t rank, intptr_t at) {
  MlirAttribute groups[SN_MAX_DIMS];
  for (intptr_t i = 0; i < rank; ++i) {
    MlirAttribute members[] = {sn_i64(ctx, i + (i > at)), sn_i64(ctx, i + 1)};
    groups[i] = mlirArrayAttrGet(ctx, i == at ? 2 : 1, members);
  }
  return mlirArrayAttrGet(ctx, rank, groups);
}

static MlirValue expanded(SnBuilder *b, MlirValue v, intptr_t at, int64_t n1, int64_t n2) {
  MlirType t = sn_type_of(v);
  intptr_t rank = sn_rank(t), n = 0, dynamic = 0;
  int64_t shape[SN_MAX_DIMS];
  MlirValue sizes[SN_MAX_DIMS];
  for (intptr_t i = 0; i < rank; ++i) {
    shape[n++] = i == at ? n1 : sn_dim(t, i);
    if (i == at)
      shape[n++] = n2;
    else if (sn_dim(t, i) == SN_DYNAMIC)
      sizes[dynamic++] = sn(b, "tensor.dim", v, sn_index(b, i), sn_index_type(b->ctx));
  }
  return sn(b, "tensor.expand_shape", v, sn_values(dynamic, sizes), sn_tensor(sn_element(t), n, shape),
            sn_attr("reassociation", groups_of(b->ctx, rank, at)),
            sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, n, shape)));
}

intptr_t sn_take_apart(SnBuilder *b, const SnForm *f, SnAccess *a) {
  MlirType t = sn_type_of(a->value);
  intptr_t rank = sn_rank(t), n = 0, at = -1;
  int64_t d = 0;
  MlirAffineExpr e[SN_MAX_DIMS], outer;
  if (a->fill.ptr || a->through.ptr || sn_is_table(a) || rank + 1 > SN_MAX_DIMS)
    return -1;
  for (intptr_t i = 0; i < rank; ++i) {
    MlirAffineExpr is = mlirAffineMapGetResult(a->map, i);
    if (at < 0 && is_two(f, is, sn_dim(t, i), &outer, &d)) {
      at = i;
      e[n++] = outer;
      is = mlirAffineDimExprGet(b->ctx, (intptr_t)d);
    }
    e[n++] = is;
  }
  if (at < 0)
    return -1;
  int64_t size = f->dims.data[d].size;
  a->value = expanded(b, a->value, at, sn_dim(t, at) / size, size);
  a->map = mlirAffineMapGet(b->ctx, mlirAffineMapGetNumDims(a->map), 0, n, e);
  return at;
}

bool sn_take_all_apart(SnBuilder *b, const SnForm *f, SnAccess *a) {
  bool any = false;
  while (sn_take_apart(b, f, a) >= 0)
    any = true;
  return any;
}

MlirValue sn_put_together(SnBuilder *b, MlirValue v, MlirType to, intptr_t at) {
  return sn(b, "tensor.collapse_shape", v, to, sn_attr("reassociation", groups_of(b->ctx, sn_rank(to), at)));
}

// ---- arguments ------------------------------------------------------------------------------------------

static void arguments_of(MlirOperation op) {
  SnForm f = sn_form_read(op), to = sn_form_read(op);
  SnBuilder b = sn_before(op);
  bool changed = false;
  for (size_t k = 0; k < to.inputs.size && !f.schedule.ptr; ++k)
    if (mlirValueIsABlockArgument(to.inputs.data[k].value))
      changed |= sn_take_all_apart(&b, &to, &to.inputs.data[k]);
  if (changed) {
    sn_with_other_sides(&b, &f, &to);
    mlirOperationDestroy(op);
  }
  sn_form_free(&f);
  sn_form_free(&to);
}

void sn_take_arguments_apart(MlirOperation func) {
  static const char *const names[] = {"sinter.rowwise", "sinter.contract"};
  for (int i = 0; i < 2; ++i) {
    SnOpVec forms = sn_collect(func, names[i]);
    for (size_t k = 0; k < forms.size; ++k)
      arguments_of(forms.data[k]);
    sn_vec_free(&forms);
  }
}
