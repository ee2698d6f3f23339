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

#include "lowering/gpu/online.h"
#include <math.h>

#define NOT_POSITIVE sn_attr("sinter.not_positive", sn_unit(b->ctx)) // for math.c

// The exp in `sum of exp(x - max of x)`, if max and sum are that.
static MlirOperation exp_between(MlirOperation max, MlirOperation sum) {
  MlirOperation none = {0}, exp = sn_def(sn_operand(sum, 0), "math.exp");
  MlirOperation sub = sn_null(exp) ? none : sn_def(sn_operand(exp, 0), "arith.subf");
  MlirValue from = sn_null(sub) ? (MlirValue){0} : sn_broadcast_of(sn_operand(sub, 1));
  if (sn_none(from) || !sn_same(from, sn_result(max, 0)) || !sn_same(sn_operand(sub, 0), sn_operand(max, 0)))
    return none;
  MlirType t = sn_type_of(sn_result(max, 0));
  // Of one type: what accumulates wider stays with two phases.
  bool same =
      mlirTypeEqual(t, sn_type_of(sn_result(sum, 0))) && mlirTypeEqual(t, sn_element(sn_type_of(sn_operand(max, 0))));
  return same && sn_bits(t) >= 32 ? exp : none;
}

void sn_gpu_online_find(SnGpuOnline *o, const SnRowProgram *p) {
  o->n = 0;
  if (!sn_row_length(p->form)) // the sum of no exponentials is 0
    return;
  for (size_t i = 0; i + 1 < p->phases.size; ++i)
    for (size_t r = 0; r < p->phases.data[i].reduces.size; ++r) {
      MlirOperation max = p->phases.data[i].reduces.data[r];
      if (!sn_is_reduce(max, "maximumf") && !sn_is_reduce(max, "maxnumf"))
        continue;
      const SnPhase *next = &p->phases.data[i + 1];
      for (size_t k = 0; k < next->reduces.size && o->n < SN_GPU_ONLINE; ++k) {
        MlirOperation sum = next->reduces.data[k],
                      exp = sn_is_reduce(sum, "add") ? exp_between(max, sum) : (MlirOperation){0};
        if (!sn_null(exp) && sn_null(sn_gpu_online_sum(o, max))) {
          o->pairs[o->n].max = max;
          o->pairs[o->n].sum = sum;
          o->pairs[o->n++].exp = exp;
        }
      }
    }
}

// x - max of x less log(sum of exp(x - max of x)), which is log 1 or more.
static bool is_log_softmax(MlirOperation exp) {
  MlirOperation none = {0}, sub = sn_def(sn_operand(exp, 0), "arith.subf"),
                inner = sn_null(sub) ? none : sn_def(sn_operand(sub, 0), "arith.subf");
  MlirValue scalar = sn_null(inner) ? (MlirValue){0} : sn_broadcast_of(sn_operand(sub, 1));
  MlirOperation log = sn_none(scalar) ? none : sn_def(scalar, "math.log"),
                sum = sn_null(log) ? none : sn_reduce_of(sn_operand(log, 0), "add");
  MlirOperation of = sn_null(sum) ? none : sn_def(sn_operand(sum, 0), "math.exp");
  return !sn_null(of) && sn_same(sn_operand(of, 0), sn_result(inner, 0)) && sn_get_attr(of, "sinter.not_positive").ptr;
}

void sn_gpu_mark_exponentials(const SnRowProgram *p) {
  sn_row_mark_exponentials(p);
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    MlirAttribute unit = sn_unit(mlirOperationGetContext(op));
    if (sn_is(op, "math.exp") && is_log_softmax(op)) {
      sn_set_attr(op, "sinter.not_positive", unit);
      sn_set_attr(op, "sinter.under_sum", unit);
    } else if (sn_is(op, "math.exp") && sn_get_attr(op, "sinter.not_positive").ptr) {
      sn_set_attr(op, "sinter.under_maximum", unit);
    }
  }
}

static intptr_t pair_of(const SnGpuOnline *o, MlirOperation max) {
  for (size_t i = 0; i < o->n; ++i)
    if (mlirOperationEqual(o->pairs[i].max, max))
      return (intptr_t)i;
  return -1;
}

MlirOperation sn_gpu_online_sum(const SnGpuOnline *o, MlirOperation max) {
  intptr_t i = pair_of(o, max);
  return i < 0 ? (MlirOperation){0} : o->pairs[i].sum;
}

MlirOperation sn_gpu_online_max(const SnGpuOnline *o, MlirOperation sum) {
  for (size_t i = 0; i < o->n; ++i)
    if (mlirOperationEqual(o->pairs[i].sum, sum))
      return o->pairs[i].max;
  return (MlirOperation){0};
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

MlirValue sn_gpu_online_scale(SnBuilder *b, MlirValue own, MlirValue common, bool last) {
  return sn(b, "math.exp", sn(b, "arith.subf", own, last ? common : reference(b, common)), NOT_POSITIVE);
}
