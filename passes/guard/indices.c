// indices.c: what a function itself reads and writes by subscripts is inside, or the call fails.
//
//   %v = tensor.extract %x[%i]                          ->   %in = arith.cmpi ult, %i, 5
//                                                            cf.assert %in, "model.mlir:4:8: an index is outside of the
//                                                            tensor"
//   %s = tensor.extract_slice %x[%i] [%n] [2]           ->   the same of its ends (passes/edit/inside.c)
//
// A subscript that is a number is the verifier's where the size is one too. What stands in the body of a linalg op is
// guarded without an assert (guard.c).
//
// runs in: sinter-cpu    test: test/passes/guard/indices.mlir, test/run/guards.test

#include "passes/edit/inside.h"
#include "passes/guard/guard.h"

static MlirValue compare(SnBuilder *b, int predicate, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, sn_attr("predicate", sn_i64(b->ctx, predicate)));
}
enum { ULT = 6 };

static MlirValue size_of(SnBuilder *b, MlirValue tensor, intptr_t i) {
  int64_t n = sn_dim(sn_type_of(tensor), i);
  return n == SN_DYNAMIC ? sn(b, "tensor.dim", tensor, sn_index(b, i)) : sn_index(b, n);
}

static void both(SnBuilder *b, MlirValue *all, MlirValue more) {
  *all = sn_none(*all) ? more : sn(b, "arith.andi", *all, more);
}

static void fail_unless(SnBuilder *b, MlirValue inside, const char *text) {
  if (!sn_none(inside))
    sn_op(b, "cf.assert", inside, sn_types(0, NULL), sn_attr("msg", sn_located_message(b->loc, text)));
}

// tensor.extract %x[...], tensor.insert %v into %x[...]
static void guard_element(MlirOperation op, intptr_t tensor) {
  SnBuilder b = sn_before(op);
  MlirValue x = sn_operand(op, tensor), inside = {0};
  for (intptr_t i = 0; i < sn_rank(sn_type_of(x)); ++i) {
    MlirValue at = sn_operand(op, tensor + 1 + i);
    int64_t size = sn_dim(sn_type_of(x), i);
    if (size == SN_DYNAMIC || !sn_is_inside(at, 0, size))
      both(&b, &inside, compare(&b, ULT, at, size_of(&b, x, i)));
  }
  fail_unless(&b, inside, "an index is outside of the tensor");
}

static bool in_body(MlirOperation op) {
  for (MlirOperation p = mlirOperationGetParentOperation(op); !sn_null(p) && !sn_is(p, "func.func");
       p = mlirOperationGetParentOperation(p))
    if (!sn_in_dialect(p, "scf"))
      return true;
  return false;
}

void sn_guard_indices(MlirOperation func) {
  static const char *const names[] = {"tensor.extract", "tensor.insert", "tensor.extract_slice", "tensor.insert_slice"};
  for (int k = 0; k < 4; ++k) {
    SnOpVec all = sn_collect(func, names[k]);
    for (size_t i = 0; i < all.size; ++i) {
      MlirOperation op = all.data[i];
      if (in_body(op))
        continue;
      if (k < 2)
        guard_element(op, k);
      else
        sn_guard_slice(op, sn_operand(op, k - 2), k - 1);
    }
    sn_vec_free(&all);
  }
}
