// recurrence.c: r[t] = g[t] + a[t] * r[t + 1] from the end, or of r[t - 1] from the beginning, and its gradient.
//
//   %r = sinter.steps rows(0) ins(%g, %a) outs(%e) {sinter.recurrence}    from the end
//   ->
//   %u = sinter.steps: u[t] = dr[t] + a[t - 1] * u[t - 1]                  from the beginning
//   %dg = %u    %da[t] = u[t] * r[t + 1]
//
// So what the gradient of a scan is made of (scan_gradients.c) is differentiated again by more of its kind. Dimension 1
// is t; what is behind the last one is 0.
//
// runs in: differentiate    test: test/passes/differentiate/recurrence.mlir

#include "passes/differentiate/tm_gradients.h"
#include "passes/program/tensor_steps.h"

typedef struct {
  MlirValue row, g, a, r; // memory
  intptr_t lanes;         // 1 if there is a dimension of them
  bool forward;           // from the beginning
} Body;

static MlirValue load(SnBuilder *b, const Body *s, MlirValue from, MlirValue t, MlirValue j) {
  MlirValue at[] = {s->row, t, j};
  return sn(b, "memref.load", from, sn_values(2 + s->lanes, at), sn_element(sn_type_of(from)));
}

static MlirValue store(SnBuilder *b, const Body *s, MlirValue v, MlirValue t, MlirValue j) {
  MlirValue at[] = {s->row, t, j};
  sn_op(b, "memref.store", v, s->r, sn_values(2 + s->lanes, at));
  return v;
}

static MlirValue next(SnBuilder *b, const Body *s, MlirValue behind, MlirValue t, MlirValue j) {
  MlirValue part = sn(b, "arith.mulf", load(b, s, s->a, t, j), behind);
  return store(b, s, sn(b, "arith.addf", load(b, s, s->g, t, j), part), t, j);
}

static void make_body(SnBuilder *b, const Body *s) {
  MlirType index = sn_index_type(b->ctx);
  MlirValue one = sn_index(b, 1), zero = sn_index(b, 0), n = sn(b, "memref.dim", s->g, one, index), j;
  MlirValue lanes = s->lanes ? sn(b, "memref.dim", s->g, sn_index(b, 2), index) : one;
  MlirValue last = sn(b, "arith.subi", n, one), begin = s->forward ? zero : last;
  // Nothing has no last element.
  lanes = sn(b, "arith.select", sn(b, "arith.cmpi", n, zero, sn_attr("predicate", sn_i64(b->ctx, 0 /* eq */))), zero,
             lanes);
  SnBuilder in = sn_lanes_begin(b, lanes, &j);
  MlirValue v = store(&in, s, load(&in, s, s->g, begin, j), begin, j);
  if (s->lanes)
    sn_lanes_end(&in);
  SnBuilder *at = s->lanes ? b : &in;
  SnLoop loop = s->lanes ? sn_for(b, one, n, one) : sn_for(&in, one, n, one, v);
  MlirValue t = s->forward ? loop.index : sn(at, "arith.subi", last, loop.index);
  MlirValue behind = sn(at, s->forward ? "arith.subi" : "arith.addi", t, one);
  if (s->lanes) {
    in = sn_lanes_begin(b, lanes, &j);
    next(&in, s, load(&in, s, s->r, behind, j), t, j);
    sn_lanes_end(&in);
    sn_next(b, &loop);
  } else {
    v = next(&in, s, loop.carried[0], t, j);
    sn_next(&in, &loop, v);
    sn_lanes_end(&in);
  }
}

MlirValue sn_recurrence(SnBuilder *b, MlirValue g, MlirValue a, bool forward) {
  MlirValue operands[3] = {g, a, sn_layout_empty(b, g)};
  SnStepsBody body = sn_steps_begin(b, 3, operands);
  Body in = {body.row, body.memory[0], body.memory[1], body.memory[2], sn_rank(sn_type_of(g)) - 2, forward};
  make_body(&body.in, &in);
  MlirOperation made = sn_steps_end(b, &body, 0, 2, 3, operands);
  sn_set_attr(made, SN_RECURRENCE, sn_string(b->ctx, forward ? "forward" : "backward"));
  return sn_result(made, 0);
}

// ---- its gradient ----------------------------------------------------------------------------------

static MlirValue product(SnBuilder *b, const SnForm *f, const MlirValue *values) {
  (void)f;
  return sn_row_op(b, "arith.mulf", (MlirType){0}, 2, values);
}

// v[t + by], 0 outside.
static MlirValue moved(SnBuilder *b, MlirValue v, int64_t by) {
  intptr_t rank = sn_rank(sn_type_of(v));
  MlirAffineExpr all[3];
  for (intptr_t d = 0; d < rank; ++d)
    all[d] = mlirAffineDimExprGet(b->ctx, d);
  all[1] = mlirAffineAddExprGet(all[1], mlirAffineConstantExprGet(b->ctx, by));
  MlirAffineMap map = mlirAffineMapGet(b->ctx, rank, 0, rank, all);
  return sn_elementwise_form(b, sn_element(sn_type_of(v)), v, 1, &v, &map, true, 0);
}

void sn_recurrence_gradient(SnBuilder *b, MlirOperation steps, MlirValue upstream, const bool *active, SnGive give,
                            void *user) {
  MlirValue a = sn_operand(steps, 1), r = sn_result(steps, 0);
  bool forward = mlirStringRefEqual(mlirStringAttrGetValue(sn_get_attr(steps, SN_RECURRENCE)), SN_STR("forward"));
  MlirValue u = sn_recurrence(b, upstream, moved(b, a, forward ? 1 : -1), !forward);
  if (active[0])
    give(user, 0, u);
  if (active[1])
    give(user, 1,
         sn_pointwise(b, sn_element(sn_type_of(u)), u, 2, (MlirValue[]){u, moved(b, r, forward ? -1 : 1)}, NULL,
                      product));
}
