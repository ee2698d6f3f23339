// bounds.c: what one form reads of the other with bounds.
//
//   %a:2 = rowwise (i) by (j) ... outs(%e[i, j], %n[i])
//   rowwise (i) by (k) ins(%a#0[i, k - 3] else 0.0, %a#1[i]) { ... }
//
// What is merged makes a#0 for each k, and takes 0.0 outside of the bounds of k - 3. %a#1 has no k, and no bounds: both
// at once are not merged, each by itself is.
//
// runs in: fuse    test: test/passes/fuse/bounds.mlir, test/passes/fuse/unknown_sizes.mlir

#include "dialect/row_ops.h"
#include "passes/merge/merge.h"

static bool may_trap(const SnForm *f) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_may_trap(op))
      return true;
  return false;
}

// All that b reads of a is 0 where what a reads is outside.
static bool all_zero_outside(SnMerge *m) {
  bool all = true;
  m->zeros = sn_alloc(m->a.inputs.size + 1);
  for (size_t k = 0; k < m->b.inputs.size && all; ++k) {
    size_t result;
    all = !sn_flows(m, k, &result) || sn_makes_zero_outside(&m->a, result, m->b.inputs.data[k].fill, m->zeros);
  }
  return all;
}

// a computes more than is read of it: what it reads for that gets bounds too, and its sizes are known, or it makes
// nothing of what is outside of them.
static bool guard_fits(SnMerge *m) {
  if (!sn_inside_of_unknown(&m->b, m->guard) && !all_zero_outside(m))
    return sn_refuse(m->b.op, SN_WHY_UNKNOWN_SIZE);
  for (size_t k = 0; k < m->a.inputs.size; ++k)
    if (m->a.inputs.data[k].through.ptr)
      return sn_refuse(m->a.op, SN_WHY_BOUNDED_INDEX);
  for (size_t k = 0; k < m->a.outputs.size; ++k)
    if (m->keep[k])
      return sn_refuse(m->a.op, SN_WHY_BOUNDED_SHARED);
  if (may_trap(&m->a))
    return sn_refuse(m->a.op, SN_WHY_BOUNDED_DIVISION);
  return true;
}

static bool is_at_one_place(const SnAccess *x, const SnAccess *y) {
  MlirType of = sn_type_of(x->value), other = sn_type_of(y->value);
  bool one = mlirAffineMapEqual(x->map, y->map);
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(x->map) && one; ++p)
    one = sn_dim(of, p) == sn_dim(other, p);
  return one;
}

static bool has_bounds(const SnForm *f, const SnAccess *read) { return read->fill.ptr && !sn_always_inside(f, read); }

// What b reads of a with bounds, if it reads nothing of it at that place without. It may read no more of a than what
// stands there: a number of a row would be made with the bounds of a column.
bool sn_find_guard(SnMerge *m) {
  const SnForm *b = &m->b;
  bool everywhere = false;
  size_t result;
  for (size_t k = sn_first_input(b); k < b->inputs.size && !m->guard; ++k)
    if (sn_flows(m, k, &result) && has_bounds(b, &b->inputs.data[k]))
      m->guard = &b->inputs.data[k];
  for (size_t k = sn_first_input(b); m->guard && k < b->inputs.size; ++k) {
    if (!sn_flows(m, k, &result))
      continue;
    if (!is_at_one_place(m->guard, &b->inputs.data[k]))
      return sn_refuse(b->op, SN_WHY_TWO_PLACES);
    everywhere |= !has_bounds(b, &b->inputs.data[k]);
  }
  if (everywhere)
    m->guard = NULL;
  return !m->guard || guard_fits(m);
}
