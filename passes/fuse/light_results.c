// light_results.c: what is a light function of another result of its kernel is made by who reads it.
//
//   form -> %x, %y = select(j < 4, %x * s[j], 0), %z = select(j < 4, 0, %x * s[j])      three matrices
//   z: reads %x[i, j], %y[i, j - 4], %z[i, j + 4]
//     ->  form -> %x      z: reads %x at all three places, and s
//
// A rotation's gradient is that. What is added to a kernel for its neighbour's sake is written once and read again, and
// where the neighbour reads it at another place the two are no one kernel: the matrix that it is made of is stored
// anyway. Behind the pairs, which would take it back; before products take what makes their sides.
//
// runs in: fuse    test: test/passes/fuse/light_results.mlir

#include "dialect/row_ops.h"
#include "passes/fuse/fuse.h"
#include "passes/simplify/simplify.h"

// Result `result` of f as a function of result `of`.
typedef struct {
  const SnForm *f;
  size_t result, of;
  SnOpVec ops;
  bool *reads; // inputs of f
} Light;

static MlirValue yielded(const SnForm *f, size_t output) {
  return sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)sn_output_position(f, output));
}

// A place for each element, which a form of its own could read.
static bool is_place(const SnForm *f, const SnAccess *a) {
  bool is = !a->through.ptr && !a->fill.ptr && !sn_is_table(a);
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(a->map) && is; ++p)
    is = sn_map_dim(a->map, p) >= 0 || mlirAffineExprIsAConstant(mlirAffineMapGetResult(a->map, p));
  for (intptr_t d = f->num_rows + f->num_cols; d < (intptr_t)f->dims.size && is; ++d)
    is = !sn_map_uses(a->map, d);
  return is;
}

static bool is_light(MlirOperation op) {
  return sn_num_results(op) == 1 && !mlirOperationGetNumRegions(op) && sn_row_op_cost(op) < SN_COST_DIVISION &&
         !sn_row_op_has(op, SN_READS_ALL) && !sn_row_op_has(op, SN_READS_ONE) && !sn_row_op_has(op, SN_READS_SCALAR);
}

// The input of f that the argument of its body is; false if it is a product.
static bool input_of(const SnForm *f, MlirValue argument, size_t *input) {
  size_t first = sn_first_input(f);
  if (first == f->inputs.size)
    return false;
  intptr_t at = mlirBlockArgumentGetArgNumber(argument) - mlirBlockArgumentGetArgNumber(sn_input_argument(f, first));
  *input = first + (size_t)at;
  return at >= 0 && *input < f->inputs.size && sn_same(sn_input_argument(f, *input), argument);
}

// Whether the result is made of the other, and of inputs, by a few light operations.
enum { MOST_OPERATIONS = 16 };
static bool is_function(Light *l) {
  const SnForm *f = l->f;
  MlirValue v = yielded(f, l->result), of = yielded(f, l->of);
  SnMap known = {0};
  sn_map(&known, of, of);
  sn_needed_ops(v, &known, &l->ops);
  sn_map_free(&known);
  bool light = l->ops.size > 0 && l->ops.size <= MOST_OPERATIONS;
  for (size_t i = 0; i < l->ops.size && light; ++i) {
    light = is_light(l->ops.data[i]);
    for (intptr_t k = 0; k < sn_num_operands(l->ops.data[i]) && light; ++k) {
      MlirValue x = sn_operand(l->ops.data[i], k);
      size_t input;
      if (sn_same(x, of) || !sn_null(sn_definer(x)))
        continue;
      light = input_of(f, x, &input) && is_place(f, &f->inputs.data[input]);
      if (light)
        l->reads[input] = true;
    }
  }
  return light;
}

// 1 + a result that `v` is made of, if it is near; `given`: values -> 1 + results. Looks at *left values at most.
static uintptr_t made_of(const SnTable *given, MlirValue v, int *left) {
  MlirOperation op = sn_definer(v);
  uintptr_t found = 0;
  for (intptr_t k = 0; !sn_null(op) && k < sn_num_operands(op) && !found && *left > 0; ++k) {
    MlirValue x = sn_operand(op, k);
    --*left;
    if (!sn_table_get(given, x.ptr, &found))
      found = made_of(given, x, left);
  }
  return found;
}

static bool form_reads(MlirOperation form, MlirValue v) {
  for (intptr_t k = 0; k < sn_num_operands(form); ++k)
    if (sn_same(sn_operand(form, k), v))
      return true;
  return false;
}

// Bytes that are not moved when each reader makes it.
static double saved_by(const Light *l) {
  const SnForm *f = l->f;
  MlirValue v = sn_result(f->op, (intptr_t)l->result), of = sn_result(f->op, (intptr_t)l->of);
  double bytes = sn_bytes(sn_type_of(v)), saved = bytes;
  SnTable seen = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    if (sn_table_has(&seen, reader.ptr))
      continue;
    sn_table_put(&seen, reader.ptr, 1);
    saved += bytes - (form_reads(reader, of) ? 0 : sn_bytes(sn_type_of(of)));
    for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
      if (l->reads[k] && !form_reads(reader, f->inputs.data[k].value))
        saved -= sn_bytes(sn_type_of(f->inputs.data[k].value));
  }
  sn_table_free(&seen);
  return saved;
}

static SnAccess over(const SnForm *to, SnAccess a, MlirAffineExpr *dims) {
  a.map = sn_map_replace(a.map, (intptr_t)to->dims.size, dims);
  return a;
}

// The result is a number of a row, made of such.
static bool has_no_columns(const Light *l) {
  const SnForm *f = l->f;
  bool uses = sn_is_row(yielded(f, l->result)) || sn_is_row(yielded(f, l->of));
  for (size_t i = 0; i < l->ops.size; ++i)
    uses |= sn_is_row(sn_result(l->ops.data[i], 0));
  return !uses;
}

// A form of its own that makes the result, behind f; null if it would not know its sizes.
static MlirOperation make(const Light *l) {
  const SnForm *f = l->f;
  SnBuilder b = sn_before(mlirOperationGetNextInBlock(f->op));
  b.loc = mlirOperationGetLocation(f->op);
  SnForm to = {.num_rows = f->num_rows, .num_cols = has_no_columns(l) ? 0 : f->num_cols};
  MlirAffineExpr *dims = sn_alloc((f->dims.size + 1) * sizeof *dims);
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    bool gone = d >= to.num_rows + to.num_cols;
    dims[d] = gone ? mlirAffineConstantExprGet(b.ctx, 0) : mlirAffineDimExprGet(b.ctx, d);
    if (!gone)
      sn_push(&to.dims, f->dims.data[d]);
  }
  SnAccess of = f->outputs.data[l->of];
  of.value = sn_result(f->op, (intptr_t)l->of);
  sn_push(&to.inputs, over(&to, of, dims));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (l->reads[k])
      sn_push(&to.inputs, over(&to, f->inputs.data[k], dims));
  sn_push(&to.outputs, over(&to, f->outputs.data[l->result], dims));
  MlirOperation made = {0};
  if (sn_sizes_known(&to)) {
    made = sn_form_create(&b, &to, false);
    SnBuilder in = sn_at_end(to.body, b.loc);
    SnMap map = {0};
    size_t at = 0;
    sn_map(&map, yielded(f, l->of), sn_input_argument(&to, at++));
    for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
      if (l->reads[k])
        sn_map(&map, sn_input_argument(f, k), sn_input_argument(&to, at++));
    for (size_t i = 0; i < l->ops.size; ++i)
      (void)sn_clone(&in, l->ops.data[i], &map);
    MlirValue v = sn_lookup(&map, yielded(f, l->result));
    sn_op(&in, "sinter.yield", sn_values(1, &v), sn_types(0, NULL));
    sn_map_free(&map);
  }
  free(dims);
  sn_form_free(&to);
  return made;
}

// All readers can make it themselves, and ask for each element a few times at most: a window asks for more.
enum { MOST_TIMES = 4 };
static bool can_serve_all(MlirOperation made) {
  bool can = true;
  for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(made, 0)); !mlirOpOperandIsNull(use) && can;
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    size_t input = (size_t)mlirOpOperandGetOperandNumber(use);
    can = sn_is_form(reader) && sn_num_results(reader) && !sn_get_attr(reader, "schedule").ptr &&
          mlirBlockEqual(mlirOperationGetBlock(reader), mlirOperationGetBlock(made));
    if (!can)
      break;
    SnForm g = sn_form_read(reader);
    can = input >= sn_first_input(&g) && input < g.inputs.size &&
          sn_points(&g) <= MOST_TIMES * sn_elements(sn_type_of(sn_result(made, 0)));
    sn_form_free(&g);
    if (can) {
      SnMerge m;
      can = sn_can_serve(made, reader, input, &m);
      sn_merge_free(&m);
    }
  }
  return can;
}

static void serve_all(MlirOperation made) {
  for (MlirOpOperand use; use = mlirValueGetFirstUse(sn_result(made, 0)), !mlirOpOperandIsNull(use);) {
    SnMerge m;
    bool can =
        sn_can_serve(made, mlirOpOperandGetOwner(use), (size_t)mlirOpOperandGetOperandNumber(use), &m);
    if (can)
      (void)sn_tidy(sn_merge(&m));
    sn_merge_free(&m);
    if (!can) // it has grown with another of its inputs
      return;
  }
}

static bool move_one(const SnForm *f, size_t result, size_t of) {
  Light l = {.f = f, .result = result, .of = of, .reads = sn_alloc(f->inputs.size + 1)};
  bool moved = is_function(&l) && saved_by(&l) > 0;
  MlirOperation made = moved ? make(&l) : (MlirOperation){0};
  sn_vec_free(&l.ops);
  free(l.reads);
  if (sn_null(made))
    return false;
  MlirValue was = sn_result(f->op, (intptr_t)result), is = sn_result(made, 0);
  mlirValueReplaceAllUsesOfWith(was, is);
  moved = can_serve_all(made);
  if (moved)
    serve_all(made);
  else
    mlirValueReplaceAllUsesOfWith(is, was);
  if (!mlirValueGetFirstUse(is).ptr)
    mlirOperationDestroy(made);
  return moved;
}

// Results that somebody reads, and nobody reduces.
static bool may_be(const SnForm *f, size_t output) {
  return !sn_is_reduced(f, output) && mlirValueGetFirstUse(sn_result(f->op, (intptr_t)output)).ptr &&
         is_place(f, &f->outputs.data[output]);
}

static bool lighten(MlirOperation op) {
  SnForm f = sn_form_read(op);
  bool changed = false, may = sn_is_plain(&f) && !f.schedule.ptr && f.outputs.size > 1 && sn_num_results(op);
  SnTable given = {0};
  for (size_t k = 0; k < f.outputs.size && may; ++k) {
    size_t input; // a copy of an input is nothing to read in its place
    MlirValue v = yielded(&f, k);
    if (may_be(&f, k) && !(sn_null(sn_definer(v)) && input_of(&f, v, &input)))
      sn_table_put(&given, v.ptr, k + 1);
  }
  for (size_t k = 0; k < f.outputs.size && may && !changed; ++k) {
    int left = MOST_OPERATIONS;
    uintptr_t of = may_be(&f, k) ? made_of(&given, yielded(&f, k), &left) : 0;
    changed = of && move_one(&f, k, of - 1);
  }
  sn_table_free(&given);
  sn_form_free(&f);
  return changed;
}

bool sn_fuse_light_results(MlirBlock block) {
  bool any = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op);) {
    bool changed = sn_is_form(op) && lighten(op);
    any |= changed;
    MlirOperation next = changed ? sn_tidy(op) : mlirOperationGetNextInBlock(op); // again, until there is none
    op = next;
  }
  return any;
}
