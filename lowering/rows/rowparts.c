// rowparts.c: parts of a value that several had, made one. See rowparts.h.
//
//   parts   m0, s0    m1, s1            a maximum, and a sum of exponentials under it, of two who share a row
//   values  m = max(m0, m1)             first what depends on nothing
//           s = s0 exp(m0 - m) + s1 exp(m1 - m)
//
// Every order is fixed: equal inputs give equal bits.

#include "lowering/rows/rowparts.h"
#include "lowering/rows/rowmemory.h"
#include <assert.h>

SnReduction sn_reduction_of(SnRowProgram *p, MlirOperation reduce) {
  MlirAttribute kind = sn_get_attr(reduce, "kind");
  return (SnReduction){.type = sn_type_of(sn_result(reduce, 0)),
                       .combiner = kind.ptr ? sn_combiner(mlirStringAttrGetValue(kind)) : NULL,
                       .program = p,
                       .reduce = reduce};
}

SnReduction sn_reduction_of_accumulator(const SnForm *f, size_t k) {
  return (SnReduction){.type = f->accumulators.data[k].type, .combiner = sn_combiner(f->accumulators.data[k].kind)};
}

MlirValue sn_reduction_identity(SnBuilder *b, const SnReduction *r, int64_t width) {
  return r->combiner ? sn_splat(b, sn_lanes_of(r->type, width), sn_combiner_identity(r->combiner, r->type))
                     : sn_row_identity(b, r->program, r->reduce, width);
}

MlirValue sn_reduction_combine(SnBuilder *b, const SnReduction *r, MlirValue acc, MlirValue x) {
  return r->combiner ? sn_combine(b, r->combiner, acc, x) : sn_row_combine(b, r->program, r->reduce, acc, x);
}

MlirValue sn_reduction_lanes(SnBuilder *b, const SnReduction *r, MlirValue v) {
  for (int64_t n = sn_dim(sn_type_of(v), 0); n > 2; n /= 2) {
    int64_t low[SN_MAX_LANES], high[SN_MAX_LANES];
    assert(n <= 128 && n % 2 == 0 && "a schedule's lanes are a power of two");
    for (int64_t i = 0; i < n / 2; ++i) {
      low[i] = i;
      high[i] = i + n / 2;
    }
    MlirValue l = sn(b, "vector.shuffle", v, v, sn_attr("mask", mlirDenseI64ArrayGet(b->ctx, n / 2, low)));
    MlirValue h = sn(b, "vector.shuffle", v, v, sn_attr("mask", mlirDenseI64ArrayGet(b->ctx, n / 2, high)));
    v = sn_reduction_combine(b, r, l, h);
  }
  MlirValue low = sn_lane(b, v, 0), high = sn_lane(b, v, 1); // a vector of one lane is no scalar
  return sn_reduction_combine(b, r, low, high);
}

MlirValue sn_reduction_in_memory(SnBuilder *b, const SnReduction *r, MlirValue memref, MlirValue from, MlirValue to,
                                 const MlirValue *column) {
  SnLoop i = sn_for(b, from, to, sn_index(b, 1), sn_reduction_identity(b, r, 1));
  MlirValue at[] = {i.index, column ? *column : i.index},
            x = sn_scratch_load(b, memref, sn_values(column ? 2 : 1, at), r->type, sn_no_attr());
  sn_next(b, &i, sn_reduction_combine(b, r, i.carried[0], x));
  return sn_result(i.op, 0);
}

MlirValue sn_reduction_moved(SnBuilder *b, const SnReductionMoves *moves, const SnReduction *r, MlirValue x,
                             const MlirValue *own, const MlirValue *common, bool last) {
  if (r->about)
    return moves->about(b, x, own + r->about - 1, common + r->about - 1);
  return r->under ? moves->under(b, x, own[r->under - 1], common[r->under - 1], last) : x;
}

void sn_reduction_parts(SnBuilder *b, const SnReductionMoves *moves, size_t n, const SnReduction *r, size_t count,
                        const MlirValue *parts, MlirValue *values, bool last) {
  for (int depend = 0; depend < 2; ++depend)
    for (size_t i = 0; i < n; ++i)
      for (size_t p = 0; p < count && (r[i].under || r[i].about) == depend; ++p) {
        const MlirValue *own = parts + p * n;
        MlirValue x = count > 1 ? sn_reduction_moved(b, moves, &r[i], own[i], own, values, last) : own[i];
        values[i] = p ? sn_reduction_combine(b, &r[i], values[i], x) : x;
      }
}
