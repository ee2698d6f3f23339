// bodies.c: the body of a linalg op as a row program.
//
//   ^bb0(%in: f32, %bias: f32, %out: f32):        ^row(%x: tensor<8xf32>, %c: f32):
//     %s = arith.addf %in, %bias           ->       %r = sinter.broadcast %c
//     linalg.yield %s                               %s = arith.addf %x, %r : tensor<8xf32>
//
// A value that does not depend on the columns stays a scalar until it meets a
// row. Operands are read through views first (raise/views.c).
//
// runs in: raise    test: test/passes/raise/raise.mlir

#include "capi/size_parts.h"
#include "dialect/row_ops.h"
#include "mlir-c/Dialect/Linalg.h"
#include "passes/raise/raise.h"

// ---- structured ops -----------------------------------------------------------------

intptr_t sn_raise_inputs(MlirOperation op, MlirBlock *body) {
  intptr_t results = sn_num_results(op), operands = sn_num_operands(op);
  if (!sn_in_dialect(op, "linalg") || !results || operands < results || mlirOperationGetNumRegions(op) != 1)
    return -1;
  *body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  if (!body->ptr || mlirBlockGetNumArguments(*body) != operands ||
      !sn_is(mlirBlockGetTerminator(*body), "linalg.yield"))
    return -1;
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  return maps.ptr && mlirArrayAttrGetNumElements(maps) == operands ? operands - results : -1;
}

// ---- what the form repeats ------------------------------------------------------------------

static bool is_inside(const SnRaise *r, MlirValue v) {
  return mlirValueIsABlockArgument(v) ? mlirBlockEqual(mlirBlockArgumentGetOwner(v), r->body)
                                      : mlirBlockEqual(mlirOperationGetBlock(sn_definer(v)), r->body);
}

static bool has_source(const SnRaise *r, MlirValue v) {
  for (size_t i = 0; i < r->sources.size; ++i)
    if (sn_same(r->sources.data[i].inside, v))
      return true;
  return false;
}

static bool is_needed(const SnRaise *r, MlirOperation op) {
  for (size_t i = 0; i < r->needed.size; ++i)
    if (mlirOperationEqual(r->needed.data[i], op))
      return true;
  return false;
}

bool sn_raise_want(SnRaise *r, MlirValue v) {
  MlirOperation op = sn_definer(v);
  MlirType t = sn_type_of(v);
  if (!is_inside(r, v) || sn_null(op) || sn_raise_is_access(r, op)) {
    if (!sn_is_float(t) && !sn_is_int(t))
      return sn_no(r->op, "its body reads a value that is no number");
    if (!has_source(r, v))
      sn_push(&r->sources, (SnSource){.inside = v});
    return true;
  }
  if (is_needed(r, op))
    return true;
  if (sn_is(op, "tensor.extract"))
    return sn_raise_want_extract(r, op);
  bool position = sn_is(op, "linalg.index");
  bool few =
      (sn_num_results(op) == 1 || sn_is(op, "math.sincos")) && (position || sn_num_operands(op) <= SN_MAX_ELEMENTWISE);
  bool row = position || sn_row_op_is_elementwise(op) || sn_shim_is_elementwise(op);
  if (!sn_is(op, "affine.apply") && (!few || !row))
    return sn_no(r->op, "'%s' in its body is no row operation", sn_name(op));
  for (intptr_t i = 0; i < sn_num_operands(op); ++i)
    if (!sn_raise_want(r, sn_operand(op, i)))
      return false;
  sn_push(&r->needed, op); // after what it reads
  return true;
}

bool sn_raise_wants_output(const SnRaise *r, intptr_t output) {
  return has_source(r, sn_raise_out_argument(r, output));
}

// ---- inputs ------------------------------------------------------------------------------------

// The map over the form's dimensions instead of the op's loops.
static MlirAffineMap placed(const SnRaise *r, MlirAffineMap map) {
  MlirAffineExpr dims[SN_MAX_DIMS];
  for (intptr_t d = 0; d < mlirAffineMapGetNumDims(map); ++d) // one more than loops in the row of a pick
    dims[d] = mlirAffineDimExprGet(r->ctx, r->place[d]);
  return sn_map_replace(map, (intptr_t)r->form.dims.size, dims);
}

MlirValue sn_raise_empty(SnBuilder *b, MlirValue like) {
  MlirType t = sn_type_of(like);
  MlirValue sizes[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    if (sn_dim(t, d) == SN_DYNAMIC)
      sizes[n++] = sn_emit_size(b, like, d);
  return sn(b, "tensor.empty", sn_values(n, sizes), t);
}

void sn_raise_destination(SnRaise *r, SnBuilder *b, intptr_t output) {
  MlirValue init = sn_raise_init(r, output), from = init;
  while (!sn_null(sn_def(from, "linalg.fill")))
    from = sn_operand(sn_definer(from), 1);
  if (sn_null(sn_def(from, "tensor.empty")))
    from = sn_raise_empty(b, init);
  sn_push(&r->form.outputs, (SnAccess){.value = from, .map = placed(r, sn_raise_map(r, r->num_inputs + output))});
}

size_t sn_raise_input(SnRaise *r, SnBuilder *b, SnView view) {
  SnAccess a = {.value = view.value, .fill = view.fill};
  if (mlirTypeIsARankedTensor(sn_type_of(view.value)) && view.map.ptr) {
    a.map = placed(r, view.map);
  } else {
    if (!mlirTypeIsARankedTensor(sn_type_of(view.value)))
      a.value = sn(b, "tensor.from_elements", view.value, sn_tensor(sn_type_of(view.value), 0, NULL));
    a.map = mlirAffineMapGet(r->ctx, (intptr_t)r->form.dims.size, 0, 0, NULL);
  }
  for (size_t k = sn_first_input(&r->form); k < r->form.inputs.size; ++k)
    if (sn_same(r->form.inputs.data[k].value, a.value) && mlirAffineMapEqual(r->form.inputs.data[k].map, a.map) &&
        mlirAttributeEqual(r->form.inputs.data[k].fill, a.fill))
      return k;
  sn_push(&r->form.inputs, a);
  return r->form.inputs.size - 1;
}

// Wanting follows the yielded values; a form reads better in the op's own order.
static int by_argument(const void *a, const void *b) {
  size_t x = ((const SnSource *)a)->input, y = ((const SnSource *)b)->input;
  return (x > y) - (x < y);
}
static void in_order(SnRaise *r) {
  size_t n = 0, arguments = (size_t)sn_num_operands(r->op);
  for (size_t i = 0; i < r->sources.size; ++i) {
    MlirValue v = r->sources.data[i].inside;
    bool argument = mlirValueIsABlockArgument(v) && is_inside(r, v);
    r->sources.data[i].input = argument ? (size_t)mlirBlockArgumentGetArgNumber(v) : arguments + i;
  }
  if (r->sources.size)
    qsort(r->sources.data, r->sources.size, sizeof *r->sources.data, by_argument);
  SnOpVec sorted = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(r->body); n < r->needed.size; op = mlirOperationGetNextInBlock(op))
    if (is_needed(r, op)) {
      sn_push(&sorted, op);
      ++n;
    }
  sn_vec_free(&r->needed);
  r->needed = sorted;
}

void sn_raise_sources(SnRaise *r, SnBuilder *b) {
  in_order(r);
  for (size_t i = 0; i < r->sources.size; ++i) {
    SnSource *s = &r->sources.data[i];
    SnView view;
    if (mlirValueIsABlockArgument(s->inside) && is_inside(r, s->inside)) {
      intptr_t k = mlirBlockArgumentGetArgNumber(s->inside);
      view = sn_raise_view(sn_operand(r->op, k), sn_raise_map(r, k));
    } else if (is_inside(r, s->inside)) { // loaded in its body
      view = sn_raise_extracted(r, sn_definer(s->inside));
    } else { // a scalar from around the op
      view = sn_raise_view(s->inside, mlirAffineMapGet(r->ctx, r->num_loops, 0, 0, NULL));
    }
    view = r->parts ? sn_raise_part(r, view) : view;
    s->constant = view.constant;
    if (!s->constant.ptr)
      s->input = sn_raise_input(r, b, view);
  }
  sn_raise_tables(r, b);
}

// ---- the row program -----------------------------------------------------------------------------

MlirValue sn_raise_value(const SnRaise *r, MlirValue inside) { return sn_mapped(&r->values, inside); }

static MlirValue position(const SnRaise *r, SnBuilder *b, MlirOperation index) {
  return sn_position(b, &r->form, r->place[sn_int_attr(index, "dim", 0)]);
}

// An expression over the operands of an affine.apply.
static MlirValue applied(const SnRaise *r, SnBuilder *b, MlirOperation op, MlirAffineExpr e) {
  if (mlirAffineExprIsAConstant(e))
    return sn_index(b, mlirAffineConstantExprGetValue(e));
  if (!mlirAffineExprIsABinary(e))
    return sn_raise_value(r, sn_operand(op, sn_applied_operand(op, e)));
  MlirValue sides[] = {applied(r, b, op, mlirAffineBinaryOpExprGetLHS(e)),
                       applied(r, b, op, mlirAffineBinaryOpExprGetRHS(e))};
  const char *name = mlirAffineExprIsAAdd(e)       ? "arith.addi"
                     : mlirAffineExprIsAMul(e)     ? "arith.muli"
                     : mlirAffineExprIsACeilDiv(e) ? "arith.ceildivsi"
                                                   : "arith.floordivsi";
  MlirValue v = sn_row_op(b, name, (MlirType){0}, 2, sides);
  if (!mlirAffineExprIsAMod(e))
    return v;
  MlirValue whole[] = {v, sides[1]}, rest[] = {sides[0], sn_row_op(b, "arith.muli", (MlirType){0}, 2, whole)};
  return sn_row_op(b, "arith.subi", (MlirType){0}, 2, rest);
}

// A row operation gives one value: the cosine is mapped here, the sine returned.
static MlirValue sine_and_cosine(SnRaise *r, SnBuilder *b, MlirOperation op, MlirValue x) {
  sn_map(&r->values, sn_result(op, 1), sn(b, "math.cos", x));
  return sn(b, "math.sin", x);
}

void sn_raise_body(SnRaise *r, SnBuilder *b) {
  for (size_t i = 0; i < r->sources.size; ++i) {
    SnSource *s = &r->sources.data[i];
    sn_map(&r->values, s->inside,
           s->constant.ptr ? sn_constant(b, s->constant) : sn_input_argument(&r->form, s->input));
  }
  MlirLocation loc = b->loc;
  for (size_t i = 0; i < r->needed.size; ++i) {
    MlirOperation op = r->needed.data[i];
    MlirValue operands[SN_MAX_ELEMENTWISE], v;
    b->loc = mlirOperationGetLocation(op);
    if (sn_is(op, "cf.assert")) {
      sn_raise_assert(r, b, op);
      continue;
    }
    for (intptr_t k = 0; k < sn_num_operands(op) && k < SN_MAX_ELEMENTWISE; ++k)
      operands[k] = sn_raise_value(r, sn_operand(op, k));
    if (sn_is(op, "linalg.index"))
      v = position(r, b, op);
    else if (sn_is(op, "affine.apply"))
      v = applied(r, b, op, sn_applied_expr(op));
    else if (sn_is(op, "tensor.extract"))
      v = sn_raise_gather(r, b, op);
    else if (sn_is(op, "arith.constant"))
      v = sn_constant(b, sn_get_attr(op, "value"));
    else if (sn_is(op, "math.sincos"))
      v = sine_and_cosine(r, b, op, operands[0]);
    else
      v = sn_elementwise(b, op, sn_num_operands(op), operands);
    sn_map(&r->values, sn_result(op, 0), v);
  }
  b->loc = loc;
}
