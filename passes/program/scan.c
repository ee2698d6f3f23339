// scan.c: cumulative sums and their like become steps.
//
//   %y:2 = tm_tensor.scan dimension(1) inclusive(true)    ->    %y = sinter.steps rows(0) ins(%x : tensor<4x9x5xf32>)
//   outs(%e : tensor<4x9x5xf32>) {
//       ins(%x : tensor<4x9x5xf32>) outs(%e, %z : ...) {        ^row(%i: index, %a: memref<4x9x5xf32>, %b:
//       memref<4x9x5xf32>):
//   ^bb0(%p: f32, %v: f32):                                       scf.parallel (%j) ... { b[i, 0, j] = a[i, 0, j] }
//     %s = arith.addf %p, %v : f32                                scf.for %t = 1 to 9 {
//     tm_tensor.yield %s : f32                                      scf.parallel (%j) ... { b[i, t, j] = b[i, t - 1, j]
//     + a[i, t, j] }
//   }                                                             }
//
// Exporters have no linalg for what depends on its neighbour along a dimension. Dimensions before the one that is
// scanned are collapsed into rows, those behind it into lanes; without lanes the row keeps what it has so far in a
// register. With `sinter.reverse`, which gradients and definitions write, it goes from the last element to the first.
//
// runs in: sinter-tm-tensor    test: test/passes/program/scan.mlir

#include "capi/size_parts.h"
#include "dialect/attributes.h"
#include "passes/program/tensor_steps.h"

typedef struct {
  MlirOperation op;
  MlirValue row, x, y;
  MlirAttribute filled; // the number that x holds everywhere, which is not read; else null
  intptr_t lanes;       // 1 if there is a dimension of them
  bool inclusive, reverse;
  MlirValue last; // where a scan in reverse begins
} Body;

static bool is_reverse(MlirOperation op) { return sn_get_attr(op, SN_REVERSE).ptr; }

// Where the scan is after t elements.
static MlirValue place(SnBuilder *b, const Body *s, MlirValue t) {
  return s->reverse ? sn(b, "arith.subi", s->last, t) : t;
}

static MlirValue load(SnBuilder *b, const Body *s, MlirValue from, MlirValue t, MlirValue j) {
  MlirValue at[] = {s->row, place(b, s, t), j};
  return sn(b, "memref.load", from, sn_values(2 + s->lanes, at), sn_element(sn_type_of(from)));
}

static void store(SnBuilder *b, const Body *s, MlirValue v, MlirValue t, MlirValue j) {
  MlirValue at[] = {s->row, place(b, s, t), j};
  sn_op(b, "memref.store", v, s->y, sn_values(2 + s->lanes, at));
}

static MlirValue load_x(SnBuilder *b, const Body *s, MlirValue t, MlirValue j) {
  return s->filled.ptr ? sn_constant(b, s->filled) : load(b, s, s->x, t, j);
}

static MlirValue first(SnBuilder *b, const Body *s, MlirValue init, MlirValue j) {
  MlirValue zero = sn_index(b, 0), at[] = {s->row, j};
  MlirValue v = s->inclusive ? load_x(b, s, zero, j)
                             : sn(b, "memref.load", init, sn_values(1 + s->lanes, at), sn_element(sn_type_of(init)));
  store(b, s, v, zero, j);
  return v;
}

static MlirValue next(SnBuilder *b, const Body *s, MlirValue before, MlirValue t, MlirValue j) {
  MlirValue from = s->inclusive ? t : sn(b, "arith.subi", t, sn_index(b, 1));
  MlirValue v = sn_inline_combiner(b, s->op, (MlirValue[]){before, load_x(b, s, from, j)});
  store(b, s, v, t, j);
  return v;
}

static void make_body(SnBuilder *b, Body *s, MlirValue init) {
  MlirType t = sn_type_of(s->y), index = sn_index_type(b->ctx);
  MlirValue one = sn_index(b, 1), n = sn(b, "memref.dim", s->y, one, index), j;
  s->last = s->reverse ? sn(b, "arith.subi", n, one) : (MlirValue){0};
  MlirValue lanes = s->lanes ? sn(b, "memref.dim", s->y, sn_index(b, 2), index) : one;
  if (sn_dim(t, 1) <= 0) { // nothing to scan has no first element
    MlirValue none = sn_index(b, 0);
    lanes = sn(b, "arith.select", sn(b, "arith.cmpi", n, none, sn_attr("predicate", sn_i64(b->ctx, 0))), none, lanes);
  }
  SnBuilder in = sn_lanes_begin(b, lanes, &j);
  MlirValue v = first(&in, s, init, j);
  if (!s->lanes) {
    SnLoop loop = sn_for(&in, one, n, one, v);
    MlirValue made = next(&in, s, loop.carried[0], loop.index, j);
    sn_next(&in, &loop, made);
    sn_lanes_end(&in);
  } else {
    sn_lanes_end(&in);
    SnLoop loop = sn_for(b, one, n, one);
    in = sn_lanes_begin(b, lanes, &j);
    MlirValue before = load(&in, s, s->y, sn(&in, "arith.subi", loop.index, one), j);
    next(&in, s, before, loop.index, j);
    sn_lanes_end(&in);
    sn_next(b, &loop);
  }
}

// ---- one scan ---------------------------------------------------------------------------------

static MlirLogicalResult check(MlirOperation op) {
  if (sn_num_operands(op) != 3 || sn_num_results(op) != 2 ||
      mlirDenseI32ArrayGetElement(sn_get_attr(op, "operandSegmentSizes"), 0) != 1)
    return sn_error(op, "has %ld operands and %ld results; expected one input, two destinations, two results",
                    (long)sn_num_operands(op), (long)sn_num_results(op));
  MlirType t = sn_type_of(sn_operand(op, 0)), init = sn_type_of(sn_operand(op, 2));
  int64_t dim = sn_int_attr(op, "dimension", 0);
  if (dim < 0 || dim >= sn_rank(t))
    return sn_error(op, "scans dimension %ld of %ld", (long)dim, (long)sn_rank(t));
  if (sn_rank(t) > SN_MAX_DIMS)
    return sn_error(op, "has %ld dimensions; at most %d are known", (long)sn_rank(t), SN_MAX_DIMS);
  if (!sn_is_float(sn_element(t)) && !sn_is_int(sn_element(t)))
    return sn_error(op, "scans what are no numbers");
  if (!mlirTypeEqual(sn_type_of(sn_operand(op, 1)), t) || !mlirTypeEqual(sn_type_of(sn_result(op, 0)), t))
    return sn_error(op, "has an input, a destination and a result of different types");
  bool fits = sn_rank(init) == sn_rank(t) - 1 && mlirTypeEqual(sn_element(init), sn_element(t));
  for (intptr_t d = 0; fits && d < sn_rank(init); ++d)
    fits = sn_dim(init, d) == sn_dim(t, d + (d >= dim));
  if (!fits)
    return sn_error(op, "keeps its last values in a tensor that is not the input without dimension %ld", (long)dim);
  MlirType number = sn_element(t);
  return sn_check_combiner(op, 2, (MlirType[]){number, number}, number);
}

// What an exclusive scan begins with, as rows (x lanes).
static MlirValue narrowed_init(SnBuilder *b, const SnLayout *l, MlirValue v) {
  MlirType t = sn_type_of(v);
  MlirAttribute groups[2];
  intptr_t rank = sn_rank(t), n = 0, out = sn_rank(l->narrow) - 1;
  int64_t shape[2];
  if (!l->lifted)
    groups[n++] = sn_members(b->ctx, 0, l->dim);
  if (rank > l->dim)
    groups[n++] = sn_members(b->ctx, l->dim, rank);
  for (intptr_t d = 0; d < out; ++d)
    shape[d] = sn_dim(l->narrow, d ? 2 : 0);
  if (rank > n)
    v = sn(b, "tensor.collapse_shape", v, sn_tensor(sn_element(t), n, shape + l->lifted),
           sn_attr("reassociation", mlirArrayAttrGet(b->ctx, n, groups)));
  if (!l->lifted)
    return v;
  MlirAttribute pair = sn_members(b->ctx, 0, 2);
  return sn_unfold(b, v, sn_tensor(sn_element(t), out, shape), mlirArrayAttrGet(b->ctx, n ? 1 : 0, &pair), v, 1);
}

// One element of the dimension that is scanned: at `at`, or where that is null, at `known`.
static MlirValue element(SnBuilder *b, MlirOperation op, MlirValue made, MlirValue at, int64_t known) {
  MlirType t = sn_type_of(made);
  intptr_t rank = sn_rank(t), dim = sn_int_attr(op, "dimension", 0);
  int64_t offsets[SN_MAX_DIMS], sizes[SN_MAX_DIMS], strides[SN_MAX_DIMS];
  SnValueVec operands = {0};
  sn_push(&operands, made);
  if (!sn_none(at))
    sn_push(&operands, at);
  for (intptr_t d = 0; d < rank; ++d) {
    offsets[d] = d == dim ? known : 0;
    sizes[d] = d == dim ? 1 : sn_dim(t, d);
    strides[d] = 1;
    if (sizes[d] == SN_DYNAMIC)
      sn_push(&operands, sn(b, "tensor.dim", made, sn_index(b, d), sn_index_type(b->ctx)));
  }
  int32_t offset = !sn_none(at), segments[] = {1, offset, (int32_t)operands.size - 1 - offset, 0};
  MlirValue v = sn(b, "tensor.extract_slice", sn_values((intptr_t)operands.size, operands.data),
                   sn_type_of(sn_result(op, 1)), sn_attr("static_offsets", mlirDenseI64ArrayGet(b->ctx, rank, offsets)),
                   sn_attr("static_sizes", mlirDenseI64ArrayGet(b->ctx, rank, sizes)),
                   sn_attr("static_strides", mlirDenseI64ArrayGet(b->ctx, rank, strides)),
                   sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 4, segments)));
  sn_vec_free(&operands);
  return v;
}

// What the scan has in the end: the last element, and what it began with where there is no second one.
static MlirValue last(SnBuilder *b, MlirOperation op, MlirValue made) {
  int64_t n = sn_dim(sn_type_of(made), sn_int_attr(op, "dimension", 0));
  bool reverse = is_reverse(op);
  if (n != SN_DYNAMIC)
    return n < 2 ? sn_operand(op, 2) : element(b, op, made, (MlirValue){0}, reverse ? 0 : n - 1);
  MlirType index = sn_index_type(b->ctx), t = sn_type_of(sn_result(op, 1));
  MlirValue size = sn(b, "tensor.dim", made, sn_index(b, sn_int_attr(op, "dimension", 0)), index), one = sn_index(b, 1);
  MlirValue more = sn(b, "arith.cmpi", size, one, sn_attr("predicate", sn_i64(b->ctx, 4 /* sgt */)));
  SnIf branch = sn_if(b, more, t);
  MlirValue v = reverse ? element(b, op, made, (MlirValue){0}, 0)
                        : element(b, op, made, sn(b, "arith.subi", size, one), SN_DYNAMIC);
  sn_else(b, &branch, v);
  sn_end_if(b, &branch, sn_operand(op, 2));
  return sn_result(branch.op, 0);
}

// A tensor that nobody reads, whose size says how many rows there are.
static MlirValue rows_of(SnBuilder *b, MlirValue narrow) {
  int64_t rows = sn_dim(sn_type_of(narrow), 0);
  MlirValue size[1];
  if (rows == SN_DYNAMIC)
    size[0] = sn_emit_size(b, narrow, 0);
  return sn(b, "tensor.empty", sn_values(rows == SN_DYNAMIC, size), sn_tensor(mlirIntegerTypeGet(b->ctx, 8), 1, &rows));
}

MlirLogicalResult sn_scan_steps(MlirOperation op, int64_t counted) {
  (void)counted;
  if (sn_failed(check(op)))
    return SN_FAIL;
  SnBuilder b = sn_before(op);
  MlirValue input = sn_operand(op, 0), operands[3];
  SnLayout l = sn_lay_out(b.ctx, sn_type_of(input), sn_int_attr(op, "dimension", 0));
  Body s = {.op = op,
            .lanes = sn_rank(l.narrow) - 2,
            .inclusive = mlirBoolAttrGetValue(sn_get_attr(op, "inclusive")),
            .reverse = is_reverse(op)};
  intptr_t inputs = 0;
  s.filled = sn_filled_with(input);
  MlirValue x = s.filled.ptr ? sn_narrowed(&b, &l, sn_layout_empty(&b, input)) : sn_narrowed(&b, &l, input);
  operands[inputs++] = s.filled.ptr ? rows_of(&b, x) : x;
  if (!s.inclusive)
    operands[inputs++] = narrowed_init(&b, &l, sn_operand(op, 2));
  operands[inputs] = sn_layout_empty(&b, x);

  SnStepsBody body = sn_steps_begin(&b, inputs + 1, operands);
  s.row = body.row;
  s.x = body.memory[0];
  s.y = body.memory[inputs];
  make_body(&body.in, &s, body.memory[1]);
  MlirValue made = sn_result(sn_steps_end(&b, &body, 0, inputs, inputs + 1, operands), 0);
  made = sn_widened(&b, &l, made, input);
  if (!mlirOpOperandIsNull(mlirValueGetFirstUse(sn_result(op, 1))))
    mlirValueReplaceAllUsesOfWith(sn_result(op, 1), last(&b, op, made));
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), made);
  mlirOperationDestroy(op);
  return SN_OK;
}
