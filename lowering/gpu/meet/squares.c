// squares.c: a sum, and the sum of squares of what its elements differ from a number that depends on it, in one phase.
//
//   %s = sinter.row_reduce add %x                     of any set of elements: their sum S, number n,
//   %m = f(%s)                                  ->    and the sum Q of squares about their mean S / n
//   %d = arith.subf %x, %m                            of two sets:  S = S1 + S2, n = n1 + n2,
//   %v = sinter.row_reduce add (%d * %d)              Q = sum of Qi + ni * (Si / ni - S / n)^2
//                                                     at last       Q + n * (S / n - m)^2
//
// A variance takes one phase, and those who share a row meet once. Nothing is lost where the mean is large: the
// differences of means are what is squared. (Chan, Golub, LeVeque: Algorithms for computing the sample variance, 1983.)
//
// test: test/lowering/gpu/grid_rows.mlir

#include "lowering/gpu/meet/online.h"
#include "lowering/rows/rowmemory.h"

static MlirValue splat(SnBuilder *b, MlirType t, double v) {
  return sn_splat(b, t, mlirFloatAttrDoubleGet(b->ctx, sn_element(t), v));
}
static MlirValue add(SnBuilder *b, MlirValue x, MlirValue y) { return sn(b, "arith.addf", x, y); }
static MlirValue sub(SnBuilder *b, MlirValue x, MlirValue y) { return sn(b, "arith.subf", x, y); }
static MlirValue mul(SnBuilder *b, MlirValue x, MlirValue y) { return sn(b, "arith.mulf", x, y); }
// x / number, 0 where there are none.
static MlirValue over(SnBuilder *b, MlirValue x, MlirValue number) {
  MlirType t = sn_type_of(x);
  double known;
  if (sn_attr_number(sn_constant_of(number), &known))
    return mul(b, x, splat(b, t, known > 0 ? 1 / known : 0));
  MlirValue some = sn(b, "arith.maximumf", number, splat(b, t, 1));
  return mlirTypeIsAF32(sn_element(t)) ? mul(b, x, sn_gpu_each_lane(b, "llvm.nvvm.rcp.approx.ftz.f", some))
                                       : sn(b, "arith.divf", x, some);
}

// Of elements that are none of the row there is 0.
static MlirValue only(SnBuilder *b, const MlirValue *inside, size_t u, MlirValue x) {
  if (!inside || sn_none(inside[u]))
    return x;
  MlirType t = sn_type_of(x), i1s = sn_type_of(inside[u]);
  MlirValue in = inside[u];
  if (mlirTypeIsAVector(t) && !mlirTypeIsAVector(i1s))
    in = sn(b, "vector.broadcast", in, sn_vector(i1s, sn_dim(t, 0)));
  return sn(b, "arith.select", in, x, splat(b, t, 0));
}

void sn_gpu_squares_step(SnBuilder *b, size_t count, const MlirValue *x, const MlirValue *inside, MlirValue *sum,
                         MlirValue *squares, MlirValue *number) {
  MlirType t = sn_type_of(*sum);
  MlirValue s = x[0], q = {0}, n = {0}, one = splat(b, t, 1), weight; // of these vectors
  double before = -1;
  bool all = true, known = sn_attr_number(sn_constant_of(*number), &before);
  for (size_t u = 0; u < count; ++u)
    all &= !inside || sn_none(inside[u]);
  for (size_t u = 1; u < count; ++u)
    s = add(b, s, x[u]);
  for (size_t u = 0; u < count && !all; ++u)
    n = u ? add(b, n, only(b, inside, u, one)) : only(b, inside, u, one);
  if (all)
    n = splat(b, t, (double)count);
  MlirValue mean = all && count == 1 ? s : over(b, s, n);
  for (size_t u = 0; u < count && !(all && count == 1); ++u) {
    MlirValue d = only(b, inside, u, sub(b, x[u], mean)), d2 = mul(b, d, d);
    q = u ? add(b, q, d2) : d2;
  }
  if (!(known && before == 0)) { // (S1 / n1 - S2 / n2)^2 * n1 * n2 / (n1 + n2)
    MlirValue d = sub(b, mean, over(b, *sum, *number));
    weight = all && known ? splat(b, t, before * (double)count / (before + (double)count))
                          : over(b, mul(b, *number, n), add(b, *number, n));
    MlirValue between = mul(b, mul(b, d, d), weight);
    q = sn_none(q) ? between : add(b, q, between);
    s = add(b, *sum, s);
  }
  if (!sn_none(q))
    *squares = add(b, *squares, q);
  *sum = s;
  *number = all && known ? splat(b, t, before + (double)count) : add(b, *number, n);
}

void sn_gpu_squares_lanes(SnBuilder *b, MlirValue *sum, MlirValue *squares, MlirValue *number) {
  if (!mlirTypeIsAVector(sn_type_of(*sum)))
    return;
  int64_t width = sn_dim(sn_type_of(*sum), 0);
  MlirValue all[2], own[2], q;
  for (int64_t l = 0; l < width; ++l) {
    MlirValue at[] = {sn_lane(b, *sum, l), sn_lane(b, *number, l)};
    for (int i = 0; i < 2; ++i)
      all[i] = l ? add(b, all[i], at[i]) : at[i];
  }
  for (int64_t l = 0; l < width; ++l) {
    own[0] = sn_lane(b, *sum, l);
    own[1] = sn_lane(b, *number, l);
    MlirValue x = sn_gpu_squares_about(b, sn_lane(b, *squares, l), own, all);
    q = l ? add(b, q, x) : x;
  }
  *sum = all[0];
  *number = all[1];
  *squares = q;
}

MlirValue sn_gpu_squares_about(SnBuilder *b, MlirValue squares, const MlirValue *own, const MlirValue *all) {
  MlirValue d = sub(b, over(b, own[0], own[1]), over(b, all[0], all[1]));
  return add(b, squares, mul(b, mul(b, d, d), own[1]));
}

MlirValue sn_gpu_squares_finish(SnBuilder *b, const SnRowJoints *o, MlirOperation sum, SnRowProgram *p,
                                MlirValue squares, const MlirValue *all) {
  MlirValue d = sub(b, over(b, all[0], all[1]), sn_row_scalar(p, sn_row_joint_of_first(o, sum)->from));
  return add(b, squares, mul(b, mul(b, d, d), all[1]));
}
