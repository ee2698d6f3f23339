// concatenations.c: the parts of a concatenation have one size in every other dimension, or the call fails.
//
//   %z = tensor.concat dim(1) %x, %y          ->   %ok = arith.cmpi eq, %rows_of_x, %rows_of_y
//       : (?x?xf32, ?x?xf32) -> ?x?xf32            cf.assert %ok, "model.mlir:4:8: parts of a concatenation ..."
//
// Behind it, each part is read by the sizes of the whole. Where the whole has a number of elements along the dimension
// itself, the parts have as many together. What follows from how the sizes are computed is not asserted.
//
// runs in: sinter-guard-reshapes    test: test/passes/guard/concatenations.mlir, test/run/guards.test

#include "passes/guard/guard.h"

void sn_guard_equal(SnSizeReader *r, SnBuilder *b, MlirValue *all, const SnSize *x, const SnSize *y) {
  if (sn_size_equal(x, y))
    return;
  MlirValue one =
      sn(b, "arith.cmpi", sn_size_emit(r, b, x), sn_size_emit(r, b, y), sn_attr("predicate", sn_i64(b->ctx, 0))); // eq
  *all = sn_none(*all) ? one : sn(b, "arith.andi", *all, one);
}

// The size that all parts have in dimension d: a number, where one of them or the whole has one there.
static SnSize shared_size(SnSizeReader *r, MlirOperation concat, intptr_t d) {
  int64_t n = sn_dim(sn_type_of(sn_result(concat, 0)), d);
  for (intptr_t k = 0; k < sn_num_operands(concat) && n == SN_DYNAMIC; ++k)
    n = sn_dim(sn_type_of(sn_operand(concat, k)), d);
  return n == SN_DYNAMIC ? sn_size_of_dim(r, sn_operand(concat, 0), d) : sn_size_number(n);
}

void sn_guard_concatenation(SnSizeReader *r, MlirOperation concat) {
  SnBuilder b = sn_before(concat);
  MlirType whole = sn_type_of(sn_result(concat, 0));
  intptr_t dim = sn_int_attr(concat, "dim", 0);
  MlirValue all = {0};
  SnSize sum = sn_size_number(0);
  for (intptr_t d = 0; d < sn_rank(whole); ++d) {
    SnSize shared = d == dim ? sum : shared_size(r, concat, d);
    for (intptr_t k = 0; k < sn_num_operands(concat); ++k) {
      SnSize part = sn_size_of_dim(r, sn_operand(concat, k), d);
      if (d == dim)
        sum = sn_size_sum(&sum, 1, &part);
      else
        sn_guard_equal(r, &b, &all, &part, &shared);
    }
  }
  SnSize asked = sn_size_number(sn_dim(whole, dim));
  if (sn_dim(whole, dim) != SN_DYNAMIC && sum.known)
    sn_guard_equal(r, &b, &all, &sum, &asked);
  if (!sn_none(all))
    sn_op(&b, "cf.assert", all, sn_types(0, NULL),
          sn_attr("msg", sn_located_message(b.loc, "parts of a concatenation have other sizes than the whole")));
}
