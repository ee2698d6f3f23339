// online.c: a maximum and the sum of exponentials under it, in one phase.
//
//   %m = sinter.row_reduce maximumf %x          for each step's elements x:
//   %e = math.exp (arith.subf %x, %m)     ->      n = max(m, x...)
//   %s = sinter.row_reduce add %e                 s = s * exp(m - n) + exp(x - n) + ...
//                                                 m = n
//                                               then, with the maximum M of the row: s * exp(m - M)
//
// The row is read once for both; a softmax reads it twice instead of three
// times. m is one value of a thread, so that a step costs one more exponential and not
// one for each element. (Milakov, Gimelshein: Online normalizer calculation for
// softmax, 2018.)
//
// While a thread has seen nothing but -inf, exponentials are taken from 0 and not
// from -inf, so they are 0 and not NaN. A row of -inf alone is NaN at the end as without this:
// exp(-inf - -inf) is. An infinity or a NaN in the row also gives what it gave.

#include "lowering/gpu/online.h"
#include <math.h>

#define NOT_POSITIVE sn_attr("sinter.not_positive", sn_unit(b->ctx)) // for math.c

// The exp in `sum of exp(x - max of x)`, if max and sum are that.
static MlirOperation exp_between(MlirOperation max, MlirOperation sum) {
  MlirOperation none = {0}, exp = sn_def(sn_operand(sum, 0), "math.exp");
  MlirOperation sub = sn_null(exp) ? none : sn_def(sn_operand(exp, 0), "arith.subf");
  MlirOperation broadcast = sn_null(sub) ? none : sn_def(sn_operand(sub, 1), "sinter.broadcast");
  if (sn_null(broadcast) || !sn_same(sn_operand(broadcast, 0), sn_result(max, 0)) || !sn_same(sn_operand(sub, 0), sn_operand(max, 0)))
    return none;
  MlirType t = sn_type_of(sn_result(max, 0));
  // Of one type: what accumulates wider stays with two phases.
  bool same = mlirTypeEqual(t, sn_type_of(sn_result(sum, 0))) && mlirTypeEqual(t, sn_element(sn_type_of(sn_operand(max, 0))));
  return same && sn_bits(t) >= 32 ? exp : none;
}

static bool is_kind(MlirOperation reduce, const char *kind) {
  MlirAttribute k = sn_get_attr(reduce, "kind");
  return k.ptr && mlirStringRefEqual(mlirStringAttrGetValue(k), SN_STR(kind));
}

void sn_gpu_online_find(SnGpuOnline *o, const SnRowProgram *p) {
  o->n = 0;
  if (!sn_row_length(p->form)) // the sum of no exponentials is 0
    return;
  for (size_t i = 0; i + 1 < p->phases.size; ++i)
    for (size_t r = 0; r < p->phases.data[i].reduces.size; ++r) {
      MlirOperation max = p->phases.data[i].reduces.data[r];
      if (!is_kind(max, "maximumf") && !is_kind(max, "maxnumf"))
        continue;
      const SnPhase *next = &p->phases.data[i + 1];
      for (size_t k = 0; k < next->reduces.size && o->n < SN_GPU_ONLINE; ++k) {
        MlirOperation sum = next->reduces.data[k], exp = is_kind(sum, "add") ? exp_between(max, sum) : (MlirOperation){0};
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
  MlirOperation none = {0}, sub = sn_def(sn_operand(exp, 0), "arith.subf"), inner = sn_null(sub) ? none : sn_def(sn_operand(sub, 0), "arith.subf");
  MlirOperation broadcast = sn_null(inner) ? none : sn_def(sn_operand(sub, 1), "sinter.broadcast");
  MlirOperation log = sn_null(broadcast) ? none : sn_def(sn_operand(broadcast, 0), "math.log");
  MlirOperation sum = sn_null(log) ? none : sn_def(sn_operand(log, 0), "sinter.row_reduce");
  MlirOperation of = sn_null(sum) || !is_kind(sum, "add") ? none : sn_def(sn_operand(sum, 0), "math.exp");
  return !sn_null(of) && sn_same(sn_operand(of, 0), sn_result(inner, 0)) && sn_get_attr(of, "sinter.not_positive").ptr;
}

void sn_gpu_mark_exponentials(const SnRowProgram *p) {
  sn_row_mark_exponentials(p);
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "math.exp") && is_log_softmax(op))
      sn_set_attr(op, "sinter.not_positive", sn_unit(mlirOperationGetContext(op)));
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

void sn_gpu_online_step(SnBuilder *b, SnRowProgram *p, MlirOperation max, size_t count, const MlirValue *x, MlirValue *m, MlirValue *s) {
  MlirType t = sn_type_of(*m);
  MlirValue top = x[0];
  for (size_t u = 1; u < count; ++u)
    top = sn_row_combine(b, p, max, top, x[u]);
  if (mlirTypeIsAVector(sn_type_of(top)))
    top = sn_row_horizontal(b, p, max, top);
  MlirValue next = sn_row_combine(b, p, max, *m, top);
  MlirValue nothing = sn(b, "arith.cmpf", next, sn_float(b, t, -INFINITY), sn_attr("predicate", sn_i64(b->ctx, 1))); // oeq
  MlirValue from = sn(b, "arith.select", nothing, sn_float(b, t, 0), next);
  MlirValue scale = sn(b, "math.exp", sn(b, "arith.subf", *m, from), NOT_POSITIVE);
  MlirValue sum = sn(b, "arith.mulf", *s, on_lanes_of(b, scale, *s));
  for (size_t u = 0; u < count; ++u)
    sum = sn(b, "arith.addf", sum, sn(b, "math.exp", sn(b, "arith.subf", x[u], on_lanes_of(b, from, x[u])), NOT_POSITIVE));
  *m = next;
  *s = sum;
}

void sn_gpu_online_keep(SnGpuOnline *o, MlirOperation max, MlirValue m, MlirValue s) {
  intptr_t i = pair_of(o, max);
  o->pairs[i].m = m;
  o->pairs[i].s = s;
}

MlirValue sn_gpu_online_finish(SnBuilder *b, const SnGpuOnline *o, MlirOperation max, MlirValue row_max) {
  intptr_t i = pair_of(o, max);
  MlirValue scale = sn(b, "math.exp", sn(b, "arith.subf", o->pairs[i].m, row_max), NOT_POSITIVE);
  return sn(b, "arith.mulf", o->pairs[i].s, scale);
}
