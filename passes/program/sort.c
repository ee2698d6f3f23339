// sort.c: sorting, and the first k of a dimension, become steps.
//
//   %v, %i = tm_tensor.sort dimension(1)            ->    sinter.steps rows(0) ins(%x, %n) outs(%e, %f) {
//   outs(%x, %n : tensor<4x9xf32>, tensor<4x9xi64>) {     ^row(%r, %a, %b, %c, %d):
//   ^bb0(%p: f32, %q: f32, %s: i64, %t: i64):               scf.parallel: c, d = a, b
//     %l = arith.cmpf oge, %p, %q                             scf.while w = 1, 2, 4, ... < 9
//     tm_tensor.yield %l                                        pairs of sorted runs of w are merged
//   }                                                     }
//
// On a CPU short runs are counted before (counted_sort.c). Runs are merged stably, whether the comparison holds for
// equal ones or not: the left one goes first unless only the right one is before the other. Sorts that are read in
// part, or bring places back, are less (first_sorted.c). The first k keep a list that each element is let down through;
// of equal ones the smaller index goes first.
//
// runs in: sinter-tm-tensor    test: test/passes/program/tm_tensor.mlir, test/run/tm_tensor.test

#include "passes/program/sorted.h"

MlirValue sn_place_load(SnBuilder *b, const SnPlace *p, MlirValue from, MlirValue t) {
  MlirValue at[] = {p->row, t, p->lane};
  return sn(b, "memref.load", from, sn_values(2 + p->lanes, at), sn_element(sn_type_of(from)));
}

void sn_place_store(SnBuilder *b, const SnPlace *p, MlirValue v, MlirValue to, MlirValue t) {
  MlirValue at[] = {p->row, t, p->lane};
  sn_op(b, "memref.store", v, to, sn_values(2 + p->lanes, at));
}

static MlirValue less(SnBuilder *b, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, sn_attr("predicate", sn_i64(b->ctx, 2 /* slt */)));
}

// ---- sort ----------------------------------------------------------------------------------

// Element t of the merged run: the next of the left run or of the right one, which are moved on.
static void merge_one(SnBuilder *b, const SnSort *s, MlirValue t, MlirValue mid, MlirValue end, MlirValue *left,
                      MlirValue *right) {
  MlirValue one = sn_index(b, 1), most = sn(b, "arith.subi", s->size, one);
  // A run that is at its end is not read from; what stands there does not matter.
  MlirValue l = sn(b, "arith.minsi", *left, most), r = sn(b, "arith.minsi", *right, most), at[] = {t, s->at.lane};
  MlirValue *forth = sn_alloc((size_t)(2 * s->n) * sizeof *forth), *back = sn_alloc((size_t)(2 * s->n) * sizeof *back);
  for (intptr_t k = 0; k < s->n; ++k) {
    back[2 * k + 1] = forth[2 * k] = sn_place_load(b, &s->at, s->data[k], l);
    back[2 * k] = forth[2 * k + 1] = sn_place_load(b, &s->at, s->data[k], r);
  }
  MlirType i1 = mlirIntegerTypeGet(b->ctx, 1);
  MlirValue before = sn_inline_combiner(b, s->at.op, forth), behind = sn_inline_combiner(b, s->at.op, back);
  MlirValue not_behind = sn(b, "arith.xori", behind, sn_int(b, i1, 1));
  MlirValue first = sn(b, "arith.ori", before, not_behind);
  first = sn(b, "arith.ori", first, sn(b, "arith.xori", less(b, *right, end), sn_int(b, i1, 1)));
  first = sn(b, "arith.andi", first, less(b, *left, mid));
  for (intptr_t k = 0; k < s->n; ++k)
    sn_op(b, "memref.store", sn(b, "arith.select", first, forth[2 * k], forth[2 * k + 1]), s->spare[k],
          sn_values(1 + s->at.lanes, at));
  MlirValue went = sn(b, "arith.select", first, one, sn_index(b, 0));
  *left = sn(b, "arith.addi", *left, went);
  *right = sn(b, "arith.addi", *right, sn(b, "arith.subi", one, went));
  free(forth);
  free(back);
}

// Every pair of runs of `width`, into scratch memory and back.
static void merge_runs(SnBuilder *b, const SnSort *s, MlirValue width) {
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1), twice = sn(b, "arith.addi", width, width);
  SnLoop run = sn_for(b, zero, s->size, twice);
  MlirValue mid = sn(b, "arith.minsi", sn(b, "arith.addi", run.index, width), s->size);
  MlirValue end = sn(b, "arith.minsi", sn(b, "arith.addi", run.index, twice), s->size);
  SnLoop t = sn_for(b, run.index, end, one, run.index, mid);
  MlirValue left = t.carried[0], right = t.carried[1];
  merge_one(b, s, t.index, mid, end, &left, &right);
  sn_next(b, &t, left, right);
  sn_next(b, &run);
  SnLoop back = sn_for(b, zero, s->size, one);
  MlirValue at[] = {back.index, s->at.lane};
  for (intptr_t k = 0; k < s->n; ++k)
    sn_place_store(b, &s->at,
          sn(b, "memref.load", s->spare[k], sn_values(1 + s->at.lanes, at), sn_element(sn_type_of(s->spare[k]))),
          s->data[k], back.index);
  sn_next(b, &back);
}

MlirRegion sn_on_index(SnBuilder *b, SnBuilder *in, MlirValue *argument) {
  MlirType index = sn_index_type(b->ctx);
  MlirBlock block = mlirBlockCreate(1, &index, &b->loc);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  *in = sn_at_end(block, b->loc);
  *argument = mlirBlockGetArgument(block, 0);
  return region;
}

static void sort_lane(SnBuilder *b, const SnSort *s, const SnCounted *counted, const MlirValue *from) {
  SnBuilder before, after;
  MlirValue w, width, sorted = sn_index(b, 1);
  if (counted) {
    sorted = sn_sort_counted(b, s, counted, from);
  } else {
    SnLoop t = sn_for(b, sn_index(b, 0), s->size, sn_index(b, 1));
    for (intptr_t k = 0; k < s->n; ++k)
      sn_place_store(b, &s->at, sn_place_load(b, &s->at, from[k], t.index), s->data[k], t.index);
    sn_next(b, &t);
  }
  MlirRegion until = sn_on_index(b, &before, &w), body = sn_on_index(b, &after, &width);
  sn_op(&before, "scf.condition", less(&before, w, s->size), w, sn_types(0, NULL));
  merge_runs(&after, s, width);
  sn_op(&after, "scf.yield", sn(&after, "arith.addi", width, width), sn_types(0, NULL));
  sn_op(b, "scf.while", sorted, sn_index_type(b->ctx), until, body);
}

// Scratch memory of a row (x lanes) for what `data` holds.
static MlirValue scratch(SnBuilder *b, MlirValue data) {
  MlirType t = sn_type_of(data);
  int64_t shape[2];
  MlirValue sizes[2];
  int32_t segments[] = {0, 0};
  for (intptr_t d = 1; d < sn_rank(t); ++d)
    if ((shape[d - 1] = sn_dim(t, d)) == SN_DYNAMIC)
      sizes[segments[0]++] = sn(b, "memref.dim", data, sn_index(b, d), sn_index_type(b->ctx));
  return sn(b, "memref.alloca", sn_values(segments[0], sizes), sn_memref(sn_element(t), sn_rank(t) - 1, shape),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, segments)));
}

static MlirValue lanes_of(SnBuilder *b, const SnPlace *p, MlirValue data) {
  return p->lanes ? sn(b, "memref.dim", data, sn_index(b, 2), sn_index_type(b->ctx)) : sn_index(b, 1);
}

static MlirLogicalResult check_dimension(MlirOperation op, MlirType t) {
  int64_t dim = sn_int_attr(op, "dimension", 0);
  if (sn_rank(t) > SN_MAX_DIMS)
    return sn_error(op, "has %ld dimensions; at most %d are known", (long)sn_rank(t), SN_MAX_DIMS);
  if (dim < 0 || dim >= sn_rank(t))
    return sn_error(op, "works along dimension %ld of %ld", (long)dim, (long)sn_rank(t));
  return SN_OK;
}

static MlirLogicalResult check_sort(MlirOperation op) {
  intptr_t n = sn_num_operands(op);
  if (!n || sn_num_results(op) != n || mlirDenseI32ArrayGetElement(sn_get_attr(op, "operandSegmentSizes"), 0))
    return sn_error(op, "has %td operands and %td results; expected destinations that are sorted, and a result of each",
                    n, sn_num_results(op));
  MlirType t = sn_type_of(sn_operand(op, 0));
  if (sn_failed(check_dimension(op, t)))
    return SN_FAIL;
  SN_VEC(MlirType) types = {0};
  bool fits = true;
  for (intptr_t k = 0; k < n; ++k) {
    MlirType is = sn_type_of(sn_operand(op, k));
    fits &= mlirTypeEqual(sn_tensor_like(is, sn_element(t)), t) && mlirTypeEqual(sn_type_of(sn_result(op, k)), is);
    sn_push(&types, sn_element(is));
    sn_push(&types, sn_element(is));
  }
  MlirLogicalResult result =
      fits ? sn_check_combiner(op, 2 * n, types.data, mlirIntegerTypeGet(mlirOperationGetContext(op), 1))
           : sn_error(op, "sorts tensors of different shapes");
  sn_vec_free(&types);
  return result;
}

MlirLogicalResult sn_sort_steps(MlirOperation op, int64_t counted) {
  if (sn_failed(check_sort(op)))
    return SN_FAIL;
  SnBuilder b = sn_before(op);
  intptr_t n = sn_num_operands(op), dim = sn_int_attr(op, "dimension", 0);
  int64_t kept = 0;
  MlirValue *operands = sn_alloc((size_t)(2 * n) * sizeof *operands), *spare = sn_alloc((size_t)n * sizeof *spare);
  SnLayout *layouts = sn_alloc((size_t)n * sizeof *layouts);
  for (intptr_t k = 0; k < n; ++k) {
    layouts[k] = sn_lay_out(b.ctx, sn_type_of(sn_operand(op, k)), dim);
    operands[k] = sn_narrowed(&b, &layouts[k], sn_operand(op, k));
    operands[n + k] = sn_layout_empty(&b, operands[k]);
  }
  SnStepsBody body = sn_steps_begin(&b, 2 * n, operands);
  SnBuilder *row = &body.in;
  MlirValue *from = body.memory, one = sn_index(row, 1);
  SnSort s = {.at = {.op = op, .row = body.row, .lanes = sn_rank(layouts[0].narrow) - 2},
            .n = n,
            .data = from + n,
            .spare = spare,
            .size = sn(row, "memref.dim", from[0], one, sn_index_type(b.ctx))};
  bool back = sn_sorts_places(op), first = !back && sn_sorts_first(op, &kept);
  for (intptr_t k = 0; k < n && !back && !first; ++k)
    spare[k] = scratch(row, s.data[k]);
  bool counts = counted && !back && !first && !s.at.lanes;
  SnCounted runs = {0};
  if (counts)
    runs = sn_counted_begin(row, &s, counted);
  SnBuilder in = sn_lanes_begin(row, lanes_of(row, &s.at, from[0]), &s.at.lane);
  if (back)
    sn_sort_back(&in, &s, from, sn_sort_places(op));
  else if (first)
    sn_sort_first(&in, &s, from, kept);
  else
    sort_lane(&in, &s, counts ? &runs : NULL, from);
  sn_lanes_end(&in);
  sn_counted_end(&runs);
  MlirOperation made = sn_steps_end(&b, &body, 0, n, 2 * n, operands);
  for (intptr_t k = 0; k < n; ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(op, k), sn_widened(&b, &layouts[k], sn_result(made, k), sn_operand(op, k)));
  mlirOperationDestroy(op);
  free(operands);
  free(spare);
  free(layouts);
  return SN_OK;
}

// ---- the first k ------------------------------------------------------------------------------

// The element and its index at place t of the list, or those that are let down.
static void let_down(SnBuilder *b, const SnPlace *p, const MlirValue *list, MlirValue t, MlirValue *value,
                     MlirValue *index) {
  MlirValue kept = sn_place_load(b, p, list[0], t), kept_at = sn_place_load(b, p, list[1], t);
  MlirValue before = sn_inline_combiner(b, p->op, (MlirValue[]){*value, kept});
  MlirValue behind = sn_inline_combiner(b, p->op, (MlirValue[]){kept, *value});
  MlirValue equal = sn(b, "arith.cmpi", before, behind, sn_attr("predicate", sn_i64(b->ctx, 0 /* eq */)));
  MlirValue earlier = sn(b, "arith.andi", equal, less(b, *index, kept_at));
  MlirValue goes_here = sn(b, "arith.ori", before, earlier);
  sn_place_store(b, p, sn(b, "arith.select", goes_here, *value, kept), list[0], t);
  sn_place_store(b, p, sn(b, "arith.select", goes_here, *index, kept_at), list[1], t);
  *value = sn(b, "arith.select", goes_here, kept, *value);
  *index = sn(b, "arith.select", goes_here, kept_at, *index);
}

static MlirLogicalResult check_topk(MlirOperation op) {
  intptr_t inputs = mlirDenseI32ArrayGetElement(sn_get_attr(op, "operandSegmentSizes"), 0);
  if (inputs < 1 || inputs > 2 || sn_num_operands(op) != inputs + 2 || sn_num_results(op) != 2)
    return sn_error(op,
                    "has %td inputs and %td destinations; expected values, indices or not, and both as destinations",
                    inputs, sn_num_operands(op) - inputs);
  MlirType t = sn_type_of(sn_operand(op, 0)), values = sn_type_of(sn_operand(op, inputs)),
           indices = sn_type_of(sn_operand(op, inputs + 1));
  if (sn_failed(check_dimension(op, t)))
    return SN_FAIL;
  bool fits = sn_rank(values) == sn_rank(t) && mlirTypeEqual(sn_element(values), sn_element(t)) &&
              mlirTypeEqual(sn_tensor_like(indices, sn_element(t)), values) && sn_is_int(sn_element(indices));
  for (intptr_t d = 0; fits && d < sn_rank(t); ++d)
    fits = d == sn_int_attr(op, "dimension", 0) || sn_dim(t, d) == sn_dim(values, d);
  if (inputs == 2)
    fits &= mlirTypeEqual(sn_type_of(sn_operand(op, 1)), sn_tensor_like(t, sn_element(indices)));
  for (intptr_t k = 0; k < 2; ++k)
    fits &= mlirTypeEqual(sn_type_of(sn_result(op, k)), sn_type_of(sn_operand(op, inputs + k)));
  if (!fits)
    return sn_error(op, "has inputs and destinations that differ in more than the size of dimension %ld",
                    (long)sn_int_attr(op, "dimension", 0));
  MlirType two[] = {sn_element(t), sn_element(t)};
  return sn_check_combiner(op, 2, two, mlirIntegerTypeGet(mlirOperationGetContext(op), 1));
}

MlirLogicalResult sn_topk_steps(MlirOperation op, int64_t most) {
  (void)most;
  if (sn_failed(check_topk(op)))
    return SN_FAIL;
  SnBuilder b = sn_before(op);
  intptr_t dim = sn_int_attr(op, "dimension", 0), given = sn_num_operands(op), inputs = given - 2;
  MlirValue operands[6];
  SnLayout layouts[4];
  for (intptr_t k = 0; k < given; ++k) {
    layouts[k] = sn_lay_out(b.ctx, sn_type_of(sn_operand(op, k)), dim);
    operands[k] = sn_narrowed(&b, &layouts[k], sn_operand(op, k));
  }
  for (intptr_t k = 0; k < 2; ++k)
    operands[given + k] = sn_layout_empty(&b, operands[inputs + k]);
  SnStepsBody body = sn_steps_begin(&b, given + 2, operands);
  SnBuilder *row = &body.in;
  MlirValue *from = body.memory, *list = from + given, one = sn_index(row, 1), zero = sn_index(row, 0);
  MlirType index = sn_index_type(b.ctx), counted = sn_element(sn_type_of(list[1]));
  SnPlace p = {.op = op, .row = body.row, .lanes = sn_rank(layouts[0].narrow) - 2};
  MlirValue size = sn(row, "memref.dim", from[0], one, index), kept = sn(row, "memref.dim", list[0], one, index);
  SnBuilder in = sn_lanes_begin(row, lanes_of(row, &p, from[0]), &p.lane);
  SnLoop copy = sn_for(&in, zero, kept, one);
  for (intptr_t k = 0; k < 2; ++k)
    sn_place_store(&in, &p, sn_place_load(&in, &p, from[inputs + k], copy.index), list[k], copy.index);
  sn_next(&in, &copy);
  SnLoop t = sn_for(&in, zero, size, one);
  MlirValue value = sn_place_load(&in, &p, from[0], t.index);
  MlirValue at = inputs == 2 ? sn_place_load(&in, &p, from[1], t.index) : sn(&in, "arith.index_cast", t.index, counted);
  SnLoop down = sn_for(&in, zero, kept, one, value, at);
  MlirValue carried[] = {down.carried[0], down.carried[1]};
  let_down(&in, &p, list, down.index, &carried[0], &carried[1]);
  sn_next(&in, &down, carried[0], carried[1]);
  sn_next(&in, &t);
  sn_lanes_end(&in);
  MlirOperation made = sn_steps_end(&b, &body, 0, given, given + 2, operands);
  for (intptr_t k = 0; k < 2; ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(op, k),
                                  sn_widened(&b, &layouts[inputs + k], sn_result(made, k), sn_operand(op, inputs + k)));
  mlirOperationDestroy(op);
  return SN_OK;
}
