// merge_sums.c: summed dimensions that lie behind one another in both sides are one.
//
//   product (k = 8, l = 128) (%x[i, k * 128 + l] : tensor<512x1024xbf16>, %w[j, k, l] : tensor<1024x8x128xbf16>)
// ->
//   %v = tensor.collapse_shape %w [[0], [1, 2]]
//   product (k = 1024) (%x[i, k], %v[j, k])
//
// Weights with a scale for each group of 128 are multiplied so. Lines that are a plain subscript are what copies take;
// of a sum of two they know nothing.
//
// Columns of a row program that it gives nothing for, which lie behind one another in all that it reads, are one, too:
// a column's place is then no quotient and remainder of its number. So are rows that are only reduced (turned_sums.c).
//
// test: test/passes/arrange/merge_sums.mlir

#include "dialect/row_ops.h"
#include "lowering/rows/rowmemory.h"
#include "passes/arrange/arrange.h"

// Where the access has dimensions d and d + 1 as two subscripts that are all of two dimensions of its tensor; -1: it
// does not.
static intptr_t subscripts_of(const SnForm *f, const SnAccess *a, int64_t d) {
  MlirType t = sn_type_of(a->value);
  for (intptr_t i = 0; i + 1 < mlirAffineMapGetNumResults(a->map); ++i) {
    bool are = true;
    for (int64_t k = 0; k < 2; ++k) {
      MlirAffineExpr e = mlirAffineMapGetResult(a->map, i + k);
      are &= mlirAffineExprIsADim(e) && mlirAffineDimExprGetPosition(e) == d + k &&
             sn_dim(t, i + k) == f->dims.data[d + k].size;
    }
    if (are)
      return i;
  }
  return -1;
}

// Subscripts other than i and i + 1 name d and d + 1 as d * size + (d + 1), or not at all.
static bool others_merge(const SnForm *f, const SnAccess *a, int64_t d, intptr_t i) {
  bool merge = !a->fill.ptr && !a->through.ptr;
  for (intptr_t k = 0; k < mlirAffineMapGetNumResults(a->map) && merge; ++k) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, k);
    int64_t factors[SN_MAX_DIMS] = {0};
    if ((i >= 0 && (k == i || k == i + 1)) ||
        (!mlirAffineExprIsFunctionOfDim(e, d) && !mlirAffineExprIsFunctionOfDim(e, d + 1)))
      continue;
    merge = i < 0 && sn_affine_factors(e, factors) && factors[d] == f->dims.data[d + 1].size * factors[d + 1];
  }
  return merge;
}

static bool merges(const SnForm *f, const SnAccess *a, int64_t d) {
  return others_merge(f, a, d, subscripts_of(f, a, d));
}

static MlirValue collapsed(SnBuilder *b, MlirValue v, intptr_t at) {
  MlirType t = sn_type_of(v);
  MlirAttribute groups[SN_MAX_DIMS], pair[2] = {sn_i64(b->ctx, at), sn_i64(b->ctx, at + 1)};
  int64_t shape[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t i = 0; i < sn_rank(t); ++i) {
    MlirAttribute one = sn_i64(b->ctx, i);
    shape[n] = i == at ? sn_times(sn_dim(t, i), sn_dim(t, i + 1)) : sn_dim(t, i);
    groups[n++] = i == at ? mlirArrayAttrGet(b->ctx, 2, pair) : mlirArrayAttrGet(b->ctx, 1, &one);
    i += i == at;
  }
  return sn(b, "tensor.collapse_shape", v, sn_tensor(sn_element(t), n, shape),
            sn_attr("reassociation", mlirArrayAttrGet(b->ctx, n, groups)));
}

static void merge_access(SnBuilder *b, const SnForm *f, SnAccess *a, int64_t d) {
  intptr_t at = subscripts_of(f, a, d), n = 0;
  MlirAffineExpr e[SN_MAX_DIMS];
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i)
    if (at < 0 || i != at) // what was d is gone; d + 1 becomes the merged one
      e[n++] = mlirAffineMapGetResult(a->map, i);
  if (at >= 0)
    a->value = collapsed(b, a->value, at);
  a->map = mlirAffineMapGet(b->ctx, mlirAffineMapGetNumDims(a->map), mlirAffineMapGetNumSymbols(a->map), n, e);
}

// The form without dimension d, which is 0 in every map.
static void drop(SnForm *to, int64_t d, MlirContext ctx) {
  MlirAffineExpr e[SN_MAX_DIMS];
  for (int64_t k = 0; k < (int64_t)to->dims.size; ++k)
    e[k] = k == d ? mlirAffineConstantExprGet(ctx, 0) : mlirAffineDimExprGet(ctx, k - (k > d));
  memmove(to->dims.data + d, to->dims.data + d + 1, (to->dims.size - (size_t)d - 1) * sizeof *to->dims.data);
  --to->dims.size;
  for (size_t k = 0; k < to->inputs.size + to->indices.size + to->outputs.size; ++k) {
    SnAccess *a = (SnAccess *)sn_form_access(to, k);
    a->map = sn_map_replace(a->map, (intptr_t)to->dims.size, e);
  }
  for (size_t k = 0; k < to->accumulators.size; ++k)
    to->accumulators.data[k].map = sn_map_replace(to->accumulators.data[k].map, (intptr_t)to->dims.size, e);
}

// The form gives way to the other, in which dimensions d and d + 1 are one.
static MlirOperation become(SnBuilder *b, SnForm *f, SnForm *to, int64_t d) {
  to->dims.data[d + 1].size = sn_times(f->dims.data[d].size, f->dims.data[d + 1].size);
  drop(to, d, b->ctx);
  MlirOperation made = sn_with_other_sides(b, f, to);
  mlirOperationDestroy(f->op);
  sn_form_free(to);
  sn_form_free(f);
  return made;
}

static bool side_merges(const SnForm *f, size_t side, int64_t d) {
  return merges(f, &f->inputs.data[sn_side(f, side).first], d);
}

// The first of two summed dimensions that can be one, and their product; -1: there are none.
static int64_t find(const SnForm *f, size_t *product) {
  for (size_t p = 0; p < f->products.size; ++p) {
    SnGroup sum = sn_side_summed(f, 2 * p);
    for (int64_t d = sum.first + sum.num_dims - 1; d-- > sum.first;)
      if (f->dims.data[d].size != SN_DYNAMIC && f->dims.data[d + 1].size != SN_DYNAMIC && side_merges(f, 2 * p, d) &&
          side_merges(f, 2 * p + 1, d)) {
        *product = p;
        return d;
      }
  }
  return -1;
}

// ---- columns of a row program ------------------------------------------------------------------

static bool uses(const SnAccess *a, int64_t d) { return sn_map_uses(a->map, d) || sn_map_uses(a->map, d + 1); }

// An operation knows a dimension by its number.
static bool names_dims(MlirBlock body) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    const SnRowOp *line = sn_row_op_of(op);
    if (line && line->names_dim)
      return true;
  }
  return false;
}

// Dimensions d and d + 1, two columns or two rows.
static bool dims_merge(const SnForm *f, int64_t d) {
  bool some = false, merge = f->dims.data[d].size != SN_DYNAMIC && f->dims.data[d + 1].size != SN_DYNAMIC;
  for (size_t k = 0; k < f->inputs.size && merge; ++k) {
    const SnAccess *a = &f->inputs.data[k];
    some |= uses(a, d);
    merge = !sn_is_table(a) && (!uses(a, d) || merges(f, a, d));
  }
  for (size_t k = 0; k < f->indices.size && merge; ++k)
    merge = !uses(&f->indices.data[k], d);
  for (size_t k = 0; k < f->outputs.size && merge; ++k)
    merge = !uses(&f->outputs.data[k], d);
  for (size_t k = 0; k < f->accumulators.size && merge; ++k)
    merge = d < f->num_rows ? !sn_map_uses(f->accumulators.data[k].map, d) &&
                                  !sn_map_uses(f->accumulators.data[k].map, d + 1)
                            : !sn_uses_cols(f, f->accumulators.data[k].map);
  return merge && some;
}

// Columns that merge are one, or rows.
static MlirOperation merge_dims(MlirOperation op, bool rows) {
  for (;;) {
    SnForm f = sn_form_read(op);
    bool may = sn_is_plain(&f) && !f.contract && sn_num_results(op) && !f.schedule.ptr && !names_dims(f.body) &&
               (!f.finish.ptr || !names_dims(f.finish));
    int64_t first = rows ? 0 : f.num_rows, d = first + (rows ? f.num_rows : f.num_cols) - 2;
    while (d >= first && !dims_merge(&f, d))
      --d;
    if (!may || d < first) {
      sn_form_free(&f);
      return op;
    }
    SnBuilder b = sn_before(op);
    SnForm to = sn_form_read(op);
    for (size_t k = 0; k < to.inputs.size; ++k)
      if (uses(&f.inputs.data[k], d))
        merge_access(&b, &f, &to.inputs.data[k], d);
    if (rows)
      --to.num_rows;
    else
      --to.num_cols;
    op = become(&b, &f, &to, d);
  }
}

MlirOperation sn_merge_columns(MlirOperation op) { return merge_dims(op, false); }
MlirOperation sn_merge_rows(MlirOperation op) { return merge_dims(op, true); }

MlirOperation sn_merge_sums(MlirOperation op) {
  for (;;) {
    SnForm f = sn_form_read(op);
    size_t product = 0;
    int64_t d = sn_is_plain(&f) && sn_num_results(op) && !f.schedule.ptr ? find(&f, &product) : -1;
    if (d < 0) {
      sn_form_free(&f);
      return op;
    }
    SnBuilder b = sn_before(op);
    SnForm to = sn_form_read(op);
    for (size_t side = 2 * product; side < 2 * product + 2; ++side)
      merge_access(&b, &f, &to.inputs.data[sn_side(&f, side).first], d);
    --to.products.data[product].num_dims;
    op = become(&b, &f, &to, d);
  }
}
