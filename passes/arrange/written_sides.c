// written_sides.c: a side of a product in another order, or in longer lines.
//
//   %x[n, c, h, w]          ->   %y[n, h, w, c] = %x[n, c, h, w]
//   %x[n, c, 2 h, 2 w]      ->   %y[n, h, w, c8, e] = %x[n, 8 c8 + e, 2 h, 2 w], c8 and e as one
//   %a[i, k = 4097]         ->   %p[i, k = 4104] = %a[i, k] else 0.0
//   %s = rowwise (i) by (k = 6694) { ... }   ->   the same by (k = 6696)
//
// Which, and when, arrange.c says.
//
// runs in: sinter-gpu    test: test/passes/arrange/arrange.mlir, test/passes/arrange/computed_sides.mlir

#include "dialect/row_ops.h"
#include "passes/arrange/arrange.h"
#include "passes/edit/edit.h"

// Elements of `from`, over the dimensions of `shape`; beyond its ends zeros, if `fill`.
static MlirValue copied(SnBuilder *b, MlirValue from, MlirAffineMap read, intptr_t rank, const int64_t *shape,
                        MlirAffineMap written, bool fill) {
  MlirType element = sn_element(sn_type_of(from));
  SnAccess in = {.value = from, .map = read};
  if (fill)
    in.fill = sn_is_float(element) ? mlirFloatAttrDoubleGet(b->ctx, element, 0) : mlirIntegerAttrGet(element, 0);
  return sn_copy_form(b, in, rank, shape, written);
}

// Its last dimension only grows.
static MlirValue write_longer(SnBuilder *b, MlirValue from, int64_t length) {
  MlirType t = sn_type_of(from);
  intptr_t rank = sn_rank(t);
  int64_t shape[SN_MAX_DIMS];
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = i + 1 < rank ? sn_dim(t, i) : length;
  MlirAffineMap same = mlirAffineMapMultiDimIdentityGet(b->ctx, rank);
  return copied(b, from, same, rank, shape, same, true);
}

// The same operations on rows of another length.
static void copy_body(SnBuilder *b, const SnForm *f, const SnForm *to) {
  SnMap map = {0};
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_map(&map, sn_input_argument(f, k), sn_input_argument(to, k));
  MlirOperation end = mlirBlockGetTerminator(f->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    MlirValue was = sn_result(op, 0), operands[SN_MAX_ELEMENTWISE];
    for (intptr_t i = 0; i < sn_num_operands(op); ++i)
      operands[i] = sn_lookup(&map, sn_operand(op, i));
    MlirType t = sn_type_of(was);
    bool is_row = mlirTypeIsARankedTensor(t);
    MlirType is = is_row ? sn_row_type(to, sn_element(t)) : t;
    b->loc = mlirOperationGetLocation(op);
    sn_map(&map, was,
           is_row && sn_row_op_of(op)->id == SN_OP_constant
               ? sn_as_row(b, sn_constant(b, sn_constant_of(was)), is)
               : sn_result(sn_clone_as(b, op, sn_values(sn_num_operands(op), operands), sn_types(1, &is)), 0));
  }
  sn_op(b, "sinter.yield", sn_lookup(&map, sn_operand(end, 0)), sn_types(0, NULL));
  sn_map_free(&map);
}

// The form that computes it, with longer lines: behind the end it reads zeros, and nobody reads what it makes of them.
MlirValue sn_compute_longer(MlirValue from, int64_t length) {
  MlirOperation op = mlirOpResultGetOwner(from);
  SnBuilder b = sn_before(op);
  SnForm f = sn_form_read(op), to = sn_form_read(op);
  MlirType t = sn_type_of(from);
  int64_t shape[SN_MAX_DIMS];
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    shape[i] = i + 1 < sn_rank(t) ? sn_dim(t, i) : length;
  to.dims.data[f.num_rows].size = length;
  for (size_t k = 0; k < to.inputs.size; ++k) {
    SnAccess *a = &to.inputs.data[k];
    MlirType element = sn_element(sn_type_of(a->value));
    if (!a->fill.ptr && sn_map_uses(a->map, (intptr_t)f.num_rows))
      a->fill = sn_is_float(element) ? mlirFloatAttrDoubleGet(b.ctx, element, 0) : mlirIntegerAttrGet(element, 0);
  }
  to.outputs.data[0].value = sn(&b, "tensor.empty", sn_values(0, NULL), sn_tensor(sn_element(t), sn_rank(t), shape));
  MlirOperation made = sn_form_create(&b, &to, false);
  SnBuilder in = sn_at_end(to.body, b.loc);
  copy_body(&in, &f, &to);
  sn_form_free(&to);
  sn_form_free(&f);
  return sn_result(made, 0);
}

// [first, first + 1, ...]
static MlirAttribute numbers(MlirContext ctx, int64_t first, intptr_t n) {
  MlirAttribute all[2];
  for (intptr_t i = 0; i < n; ++i)
    all[i] = sn_i64(ctx, first + i);
  return mlirArrayAttrGet(ctx, n, all);
}

// Rows are what lies together where it is read, columns where it is written: blocks turn tiles of them in shared
// memory. (An H200, bf16 40x502x115x115: 0.309 ms, 3.4 TB/s; by a thread for each pixel of eight channels, as below,
// 0.936.)
static MlirValue write_turned(SnBuilder *b, MlirValue from, intptr_t moved, int64_t length, const int64_t *steps) {
  MlirType t = sn_type_of(from);
  intptr_t rank = sn_rank(t), n = 0;
  int64_t shape[SN_MAX_DIMS];
  MlirAffineExpr read[SN_MAX_DIMS];
  for (intptr_t i = 0; i < rank; ++i) {
    intptr_t d = i == moved ? rank - 1 : n++;
    shape[d] = i == moved ? length : sn_pieces(sn_dim(t, i), steps[i]);
    read[i] = mlirAffineMulExprGet(mlirAffineDimExprGet(b->ctx, d), mlirAffineConstantExprGet(b->ctx, steps[i]));
  }
  return copied(b, from, mlirAffineMapGet(b->ctx, rank, 0, rank, read), rank, shape,
                mlirAffineMapMultiDimIdentityGet(b->ctx, rank), length != sn_dim(t, moved));
}

// Rows are in the order of what is read, so that neighbouring threads read neighbours; each writes so many elements of
// the moved dimension. What is left out between neighbours no tile has to hold.
//
//   %y[n, h, w, c8, e] = %x[n, 8 c8 + e, h, 2 w], then c8 and e are one
static MlirValue write_apart(SnBuilder *b, MlirValue from, intptr_t moved, int64_t length, const int64_t *steps) {
  MlirType t = sn_type_of(from);
  intptr_t rank = sn_rank(t), n = 0;
  int64_t shape[SN_MAX_DIMS], result[SN_MAX_DIMS], lanes = SN_LINE_BYTES * 8 / (int64_t)sn_bits(sn_element(t));
  MlirAffineExpr read[SN_MAX_DIMS], written[SN_MAX_DIMS], lane = mlirAffineDimExprGet(b->ctx, rank);
  MlirAttribute groups[SN_MAX_DIMS];
  while (length % lanes)
    lanes /= 2;
  for (intptr_t i = 0; i < rank; ++i) {
    MlirAffineExpr d = mlirAffineDimExprGet(b->ctx, i);
    shape[i] = i == moved ? length / lanes : sn_pieces(sn_dim(t, i), steps[i]);
    read[i] = mlirAffineMulExprGet(d, mlirAffineConstantExprGet(b->ctx, i == moved ? lanes : steps[i]));
    read[i] = i == moved ? mlirAffineAddExprGet(read[i], lane) : read[i];
    if (i == moved)
      continue;
    groups[n] = numbers(b->ctx, n, 1);
    result[n] = shape[i];
    written[n++] = d;
  }
  shape[rank] = lanes;
  written[n] = mlirAffineDimExprGet(b->ctx, moved), written[n + 1] = lane;
  groups[n] = numbers(b->ctx, n, 2);
  result[n] = length;
  MlirValue apart = copied(b, from, mlirAffineMapGet(b->ctx, rank + 1, 0, rank, read), rank + 1, shape,
                           mlirAffineMapGet(b->ctx, rank + 1, 0, rank + 1, written), length != sn_dim(t, moved));
  return sn(b, "tensor.collapse_shape", apart, sn_tensor(sn_element(t), rank, result),
            sn_attr("reassociation", mlirArrayAttrGet(b->ctx, rank, groups)));
}

MlirValue sn_write_arranged(SnBuilder *b, MlirValue from, intptr_t moved, int64_t length, const int64_t *steps) {
  intptr_t last = sn_rank(sn_type_of(from)) - 1;
  return moved == last      ? write_longer(b, from, length)
         : steps[last] == 1 ? write_turned(b, from, moved, length, steps)
                            : write_apart(b, from, moved, length, steps);
}
