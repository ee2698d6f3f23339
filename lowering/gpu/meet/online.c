// online.c: a maximum and the sum of exponentials under it, in one phase.
//
//   %m = sinter.row_reduce maximumf %x          for each step's elements x:
//   %e = math.exp (arith.subf %x, %m)     ->      n = max(m, x...)
//   %s = sinter.row_reduce add %e                 s = s * exp(m - n) + exp(x - n) + ...
//                                                 m = n
//                                               then, of threads, warps, blocks with maximum M: s * exp(m - M)
//
// The row is read once for both; a softmax reads it twice instead of three
// times, and where it stays in registers those who share it meet once instead of twice. m is one value of a thread, so
// that a step costs one more exponential and not one for each element. (Milakov, Gimelshein: Online normalizer
// calculation for softmax, 2018.)
//
// While there is nothing but -inf, exponentials are taken from 0 and not
// from -inf, so they are 0 and not NaN. A row of -inf alone is NaN at the end as without this:
// exp(-inf - -inf) is. An infinity or a NaN in the row also gives what it gave.

#include "lowering/gpu/meet/online.h"
#include "dialect/under_maximum.h"
#include <math.h>

#define NOT_POSITIVE sn_attr("sinter.not_positive", sn_unit(b->ctx)) // for math.c

void sn_gpu_mark_exponentials(const SnRowProgram *p) {
  sn_row_mark_exponentials(p);
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    MlirAttribute unit = sn_unit(mlirOperationGetContext(op));
    MlirOperation under = sn_is(op, "math.exp") ? sn_exp_under_sum(sn_result(op, 0)) : (MlirOperation){0};
    if (!sn_null(under) && sn_get_attr(under, "sinter.not_positive").ptr) { // the sum is 1 or more
      sn_set_attr(op, "sinter.not_positive", unit);
      sn_set_attr(op, "sinter.under_sum", unit);
    } else if (sn_is(op, "math.exp") && sn_get_attr(op, "sinter.not_positive").ptr) {
      sn_set_attr(op, "sinter.under_maximum", unit);
    }
  }
}

static MlirValue on_lanes_of(SnBuilder *b, MlirValue scalar, MlirValue like) {
  return mlirTypeIsAVector(sn_type_of(like)) ? sn(b, "vector.broadcast", scalar, sn_type_of(like)) : scalar;
}

// Exponentials are taken from 0 where nothing is above -inf yet.
static MlirValue reference(SnBuilder *b, MlirValue m) {
  MlirType t = sn_type_of(m);
  MlirValue nothing = sn(b, "arith.cmpf", m, sn_float(b, t, -INFINITY), sn_attr("predicate", sn_i64(b->ctx, 1))); // oeq
  return sn(b, "arith.select", nothing, sn_float(b, t, 0), m);
}

static bool by_powers(MlirValue m) { return mlirTypeIsAF32(sn_type_of(m)); }

SnGpuOnlineStep sn_gpu_online_begin(SnBuilder *b, SnRowProgram *p, MlirOperation max, MlirValue top, MlirValue *m,
                                    MlirValue *s) {
  bool first = sn_none(*m);
  SnGpuOnlineStep step = {0};
  MlirValue next = first ? top : sn_row_combine(b, p, max, *m, top), scale;
  step.from = reference(b, next);
  if (by_powers(next))
    step.power = sn_gpu_power_of(b, step.from);
  if (!first) {
    if (by_powers(next)) // what was taken from *m times the factor, rounded
      scale = sn_gpu_each_lane(b, "llvm.nvvm.ex2.approx.ftz",
                               sn(b, "arith.addf", sn(b, "arith.mulf", *m, step.power.factor), step.power.minus,
                                  sn_attr("sinter.not_fused", sn_unit(b->ctx))));
    else
      scale = sn(b, "math.exp", sn(b, "arith.subf", *m, step.from), NOT_POSITIVE);
    *s = sn(b, "arith.mulf", *s, on_lanes_of(b, scale, *s));
  }
  *m = next;
  return step;
}

void sn_gpu_online_add(SnBuilder *b, const SnGpuOnlineStep *step, MlirValue x, MlirValue *s) {
  MlirValue e = by_powers(step->from)
                    ? sn_gpu_power_at(b, &step->power, x)
                    : sn(b, "math.exp", sn(b, "arith.subf", x, on_lanes_of(b, step->from, x)), NOT_POSITIVE);
  *s = sn_none(*s) ? e : sn(b, "arith.addf", *s, e);
}

MlirValue sn_gpu_online_end(SnBuilder *b, MlirValue m, MlirValue s) {
  if (!by_powers(m))
    return s;
  MlirValue from = reference(b, m);
  SnGpuPower power = sn_gpu_power_of(b, from);
  return sn(b, "arith.mulf", s, sn_gpu_power_rest(b, &power, from));
}

static MlirValue under(SnBuilder *b, MlirValue x, MlirValue own, MlirValue common, bool last) {
  MlirValue from = last ? common : reference(b, common);
  return sn(b, "arith.mulf", x, sn(b, "math.exp", sn(b, "arith.subf", own, from), NOT_POSITIVE));
}

const SnReductionMoves sn_gpu_moves = {.under = under, .about = sn_gpu_squares_about};
