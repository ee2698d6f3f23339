// range_gradients.c: the gradient of sums of ranges of rows, as embedding bags are.
//
//   %y = sinter.steps rows(0) ins(%low, %high, %v)    ->   %dv = sinter.steps rows(0) ins(%dy, %low, %high) outs(%e) {
//   y[i] = v[low i] + ... + v[high i - 1]                    dv = 0
//                                                            scf.for %i = 0 to bags, scf.for %p = low[i] to high[i]
//                                                              scf.parallel: dv[p, e] += dy[i, e]
//
// Ranges may overlap, so there is one row, and it adds one range after the other: each time in the same order. The
// gradient of that is sums of ranges again.
//
// runs in: differentiate    test: test/passes/differentiate/range_gradients.mlir, test/run/bags.test

#include "passes/differentiate/differentiate.h"
#include "passes/program/tensor_steps.h"

static MlirValue converted(SnBuilder *b, MlirValue v, MlirType to) {
  unsigned from = (unsigned)sn_bits(sn_type_of(v)), bits = (unsigned)sn_bits(to);
  return from == bits ? v : sn(b, from < bits ? "arith.extf" : "arith.truncf", v, to);
}

// With one row in front.
static MlirValue as_one_row(SnBuilder *b, MlirValue v) {
  MlirType t = sn_type_of(v);
  int64_t shape[] = {1, sn_dim(t, 0), sn_dim(t, 1)};
  SnValueVec sizes = {0};
  for (intptr_t d = 0; d < 2; ++d)
    if (sn_dim(t, d) == SN_DYNAMIC)
      sn_push(&sizes, sn(b, "tensor.dim", v, sn_index(b, d), sn_index_type(b->ctx)));
  MlirAttribute groups[] = {sn_members(b->ctx, 0, 2), sn_members(b->ctx, 2, 3)};
  MlirValue made = sn(b, "tensor.expand_shape", v, sn_values((intptr_t)sizes.size, sizes.data),
                      sn_tensor(sn_element(t), 3, shape), sn_attr("reassociation", mlirArrayAttrGet(b->ctx, 2, groups)),
                      sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, 3, shape)));
  sn_vec_free(&sizes);
  return made;
}

static void clear(SnBuilder *b, MlirValue m, MlirType element, MlirValue elements) {
  MlirValue rows = sn(b, "memref.dim", m, sn_index(b, 0), sn_index_type(b->ctx)), e;
  SnLoop p = sn_for(b, sn_index(b, 0), rows, sn_index(b, 1));
  SnBuilder in = sn_lanes_begin(b, elements, &e);
  sn_op(&in, "memref.store", sn_float(&in, element, 0), m, p.index, e, sn_types(0, NULL));
  sn_lanes_end(&in);
  sn_next(b, &p);
}

// y[i] = v[low i] + ... + v[high i - 1], in v's type.
static MlirValue sums(SnBuilder *b, MlirValue low, MlirValue high, MlirValue v) {
  int64_t shape[] = {sn_dim(sn_type_of(low), 0), sn_dim(sn_type_of(v), 1)};
  MlirType element = sn_element(sn_type_of(v)), index = sn_index_type(b->ctx);
  MlirValue sizes[2], e;
  intptr_t n = 0;
  if (shape[0] == SN_DYNAMIC)
    sizes[n++] = sn(b, "tensor.dim", low, sn_index(b, 0), index);
  if (shape[1] == SN_DYNAMIC)
    sizes[n++] = sn(b, "tensor.dim", v, sn_index(b, 1), index);
  MlirValue operands[] = {low, high, v, sn(b, "tensor.empty", sn_values(n, sizes), sn_tensor(element, 2, shape))};
  SnStepsBody body = sn_steps_begin(b, 4, operands);
  SnBuilder *in = &body.in;
  MlirValue y = body.memory[3], elements = sn(in, "memref.dim", y, sn_index(in, 1), index);
  SnBuilder lane = sn_lanes_begin(in, elements, &e);
  sn_op(&lane, "memref.store", sn_float(&lane, element, 0), y, body.row, e, sn_types(0, NULL));
  sn_lanes_end(&lane);
  SnLoop p = sn_for(in, sn(in, "memref.load", body.memory[0], body.row, index),
                    sn(in, "memref.load", body.memory[1], body.row, index), sn_index(in, 1));
  lane = sn_lanes_begin(in, elements, &e);
  MlirValue more = sn(&lane, "memref.load", body.memory[2], p.index, e, element);
  more = sn(&lane, "arith.addf", more, sn(&lane, "memref.load", y, body.row, e, element));
  sn_op(&lane, "memref.store", more, y, body.row, e, sn_types(0, NULL));
  sn_lanes_end(&lane);
  sn_next(in, &p);
  MlirOperation made = sn_steps_end(b, &body, 0, 3, 4, operands);
  sn_set_attr(made, SN_SUMS_OF_RANGES, sn_unit(b->ctx));
  return sn_result(made, 0);
}

MlirValue sn_spread_gradient(SnBuilder *b, MlirOperation steps, MlirValue upstream) {
  return as_one_row(b, sums(b, sn_operand(steps, 1), sn_operand(steps, 2), upstream));
}

MlirValue sn_sums_gradient(SnBuilder *b, MlirOperation steps, MlirValue upstream, MlirType element) {
  MlirValue v = sn_operand(steps, 2);
  MlirValue operands[] = {as_one_row(b, upstream), sn_operand(steps, 0), sn_operand(steps, 1),
                          sn_empty_like(b, sn_tensor_like(sn_type_of(v), element), v)};
  SnStepsBody body = sn_steps_begin(b, 4, operands);
  SnBuilder *in = &body.in;
  MlirType index = sn_index_type(b->ctx), wide = sn_element(sn_type_of(upstream));
  MlirValue g = body.memory[0], dv = body.memory[3], zero = sn_index(in, 0), one = sn_index(in, 1), e;
  MlirValue bags = sn(in, "memref.dim", g, one, index), elements = sn(in, "memref.dim", dv, one, index);
  clear(in, dv, element, elements);
  SnLoop i = sn_for(in, zero, bags, one);
  SnLoop p = sn_for(in, sn(in, "memref.load", body.memory[1], i.index, index),
                    sn(in, "memref.load", body.memory[2], i.index, index), one);
  SnBuilder lane = sn_lanes_begin(in, elements, &e);
  MlirValue more = converted(&lane, sn(&lane, "memref.load", g, body.row, i.index, e, wide), element);
  more = sn(&lane, "arith.addf", more, sn(&lane, "memref.load", dv, p.index, e, element));
  sn_op(&lane, "memref.store", more, dv, p.index, e, sn_types(0, NULL));
  sn_lanes_end(&lane);
  sn_next(in, &p);
  sn_next(in, &i);
  MlirOperation made = sn_steps_end(b, &body, 0, 3, 4, operands);
  sn_set_attr(made, SN_SPREAD_OVER_RANGES, sn_unit(b->ctx));
  return sn_result(made, 0);
}
