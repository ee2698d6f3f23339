// references.c: a maximum of which nothing is asked but exponentials over their sum may be any number near it.
//
//   %m = row_reduce maximumf %x     %e = exp(%x - %m)     %z = row_reduce add %e     %p = %e / %z
//     ->  row_reduce maximumf %x {sinter.any_reference}
//
// Where %m and %z are stored so that %p is made again, and every result is one of quotients, another number in the
// place of %m, which %z is under as well, gives the same. Kernels that look for maxima block by block then need not
// find the last one (lowering/gpu/chains).
//
// runs in: fuse    test: test/passes/fuse/dots.mlir

#include "dialect/attributes.h"
#include "dialect/row_ops.h"
#include "dialect/under_maximum.h"
#include "passes/fuse/fuse.h"

// By which power of c a value grows where all exponentials are c times what they are: of zero any, of others none.
enum { ANY = 100, NONE = 101 };

typedef struct {
  MlirOperation maximum;
  SnOpVec ops;
  SN_VEC(int) degrees;
} Degrees;

static int degree_of(const Degrees *d, MlirValue v) {
  double number;
  if (sn_attr_number(sn_constant_of(v), &number))
    return number == 0 ? ANY : 0;
  for (size_t i = 0; i < d->ops.size; ++i)
    if (mlirOperationEqual(d->ops.data[i], sn_definer(v)))
      return d->degrees.data[i];
  return 0;
}

static int alike(int a, int b) { return a == ANY ? b : b == ANY || a == b ? a : NONE; }

static int degree_of_operation(const Degrees *d, MlirOperation op) {
  int of[3] = {0}, worst = 0;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    int degree = degree_of(d, sn_operand(op, k));
    worst = degree == NONE || worst == NONE ? NONE : degree != 0 && degree != ANY ? 1 : worst;
    of[k < 3 ? k : 2] = degree;
  }
  if (mlirOperationEqual(op, d->maximum))
    return NONE;
  if (sn_num_results(op) == 1 && mlirOperationEqual(sn_exp_under_maximum(sn_result(op, 0)), d->maximum))
    return 1;
  if (!worst || worst == NONE)
    return worst;
  if (sn_is(op, "arith.mulf") || sn_is(op, "arith.divf"))
    return of[0] == ANY || of[1] == ANY ? ANY : sn_is(op, "arith.mulf") ? of[0] + of[1] : of[0] - of[1];
  if (sn_is(op, "arith.addf") || sn_is(op, "arith.subf"))
    return alike(of[0], of[1]);
  if (sn_is(op, "arith.select"))
    return of[0] ? NONE : alike(of[1], of[2]);
  bool broadcast = sn_num_results(op) == 1 && !sn_none(sn_broadcast_of(sn_result(op, 0))),
       same = broadcast || sn_is(op, "arith.negf") || sn_is(op, "arith.extf") || sn_is_reduce(op, "add") ||
              (sn_row_op_has(op, SN_READS_MATRIX) && !of[1]);
  return same ? of[0] : NONE;
}

bool sn_is_any_reference(const SnForm *f, MlirValue v) {
  Degrees d = {.maximum = sn_definer(v)};
  bool any = sn_is_reduce(d.maximum, "maximumf");
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op) && any;
       op = mlirOperationGetNextInBlock(op)) {
    int degree = degree_of_operation(&d, op);
    sn_push(&d.ops, op);
    sn_push(&d.degrees, degree);
  }
  MlirOperation yield = mlirBlockGetTerminator(f->body);
  for (intptr_t k = 0; k < sn_num_operands(yield) && any; ++k) {
    int degree = degree_of(&d, sn_operand(yield, k));
    any = degree == 0 || degree == ANY;
  }
  sn_vec_free(&d.ops);
  sn_vec_free(&d.degrees);
  return any;
}
