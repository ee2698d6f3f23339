// elementwise.c: a linalg op without reductions becomes a row program.
//
//   linalg.generic (d0, d1) parallel          sinter.rowwise (i) by (j)
//       ins(%x[d0, d1], %b[d1])        ->         ins(%x[i, j], %b[j]) outs(%e[i, j])
//
// Rows are all dimensions of the result but the last, which is the column. All are rows where
// an assert depends on the last one, or where an element of a row is picked (raise/lookups.c).
//
// runs in: raise    test: test/passes/raise/elementwise.mlir

#include "passes/raise/raise.h"

// Some result has a subscript of its own for each dimension.
static bool say_all_sizes(const SnRaise *r) {
  bool all = false;
  for (intptr_t u = 0; u < r->num_used && !all; ++u)
    all = mlirAffineMapIsPermutation(sn_raise_map(r, r->num_inputs + r->used[u]));
  return all;
}

bool sn_raise_elementwise(SnRaise *r) {
  if (!sn_raise_want_asserts(r))
    return false;
  for (intptr_t u = 0; u < r->num_used; ++u)
    if (!sn_raise_want(r, sn_operand(r->yield, r->used[u])))
      return false;
  for (intptr_t k = 0; k < r->num_outputs; ++k)
    if (sn_raise_wants_output(r, k) && sn_raise_view(sn_raise_init(r, k), sn_raise_map(r, r->num_inputs + k)).unwritten)
      return sn_no(r->op, "its body reads a destination that nothing has written");

  SnBuilder b = sn_before(r->op);
  intptr_t n = r->num_parallel;
  r->parts = say_all_sizes(r);
  bool cols = n > 0 && !sn_raise_asserts_over(r, r->order[n - 1]);
  if (sn_raise_pick_column(r)) {
    sn_raise_layout(r, n, r->order, 1, &r->num_loops, 0, NULL);
    cols = r->parts = false; // of what is yielded
  } else {
    sn_raise_layout(r, n - cols, r->order, cols, r->order + n - cols, 0, NULL);
  }
  sn_raise_sources(r, &b);
  for (intptr_t u = 0; u < r->num_used; ++u)
    sn_raise_destination(r, &b, r->used[u]);
  if (!sn_raise_sized(r))
    return false;
  sn_form_create(&b, &r->form, false);

  SnBuilder in = sn_at_end(r->form.body, b.loc);
  sn_raise_body(r, &in);
  SnValueVec yields = {0};
  for (intptr_t u = 0; u < r->num_used; ++u) {
    MlirValue v = sn_raise_value(r, sn_operand(r->yield, r->used[u]));
    sn_push(&yields, cols ? sn_as_row(&in, v, sn_row_type(&r->form, sn_element(sn_type_of(v)))) : v);
  }
  sn_op(&in, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  sn_vec_free(&yields);
  sn_raise_replace(r);
  return true;
}
