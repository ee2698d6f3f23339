// merge.c: two kernels made one.
//
//   %m = rowwise { row_reduce maximumf }          %y = rowwise {
//   %y = rowwise { x - broadcast %m }      ->       %m = row_reduce maximumf
//                                                   x - broadcast %m }
//
// Operations move from one region into another. What is a row and what a scalar
// is found again on the way: a value that used a column of its old form may be a
// scalar in the new one.
//
// new row operation: how it moves into the body of another form.
// new way to fuse: nothing, unless operations move otherwise than one by one.
//
// runs in: fuse    test: test/passes/fuse/fuse.mlir

#include "capi/size_parts.h"
#include "dialect/row_ops.h"
#include "passes/merge/merge.h"
#include <assert.h>

// ---- copying a body into another domain ------------------------------------------

typedef struct {
  const SnForm *from;
  const MlirAffineExpr *dims; // from's dimensions in `to`
  const SnForm *to;
  SnMap *map;
  bool total, columns; // `from` is a total; it has the columns of `to`
  MlirValue inside;    // where what is moved counts; null: everywhere
  bool taken;          // the body is read for the last time: operations that stay as they are leave it
} Move;

static int64_t *sizes_of(const SnForm *f) {
  int64_t *sizes = sn_alloc((f->dims.size + 1) * sizeof *sizes);
  for (size_t d = 0; d < f->dims.size; ++d)
    sizes[d] = f->dims.data[d].size;
  return sizes;
}

MlirValue sn_emit_inside(SnBuilder *b, const SnForm *f, MlirAffineMap map, MlirType t) {
  enum { BELOW = 2, FROM = 5 }; // signed
  int64_t *sizes = sizes_of(f), low, high;
  MlirValue all = {0};
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(map); ++p) {
    MlirAffineExpr e = mlirAffineMapGetResult(map, p);
    bool known = sn_affine_range(e, sizes, &low, &high);
    for (int end = 0; end < 2; ++end) {
      if (sn_dim(t, p) == SN_DYNAMIC || (known && (end ? high < sn_dim(t, p) : low >= 0)))
        continue;
      MlirValue at = sn_affine_value(b, f, e), bound = sn_index(b, end ? sn_dim(t, p) : 0);
      if (sn_is_row(at))
        bound = sn_as_row(b, bound, sn_type_of(at));
      MlirValue both[] = {all,
                          sn(b, "arith.cmpi", at, bound, sn_attr("predicate", sn_i64(b->ctx, end ? BELOW : FROM)))};
      all = sn_none(all) ? both[1] : sn_row_op(b, "arith.andi", (MlirType){0}, 2, both);
    }
  }
  free(sizes);
  return all;
}

static void move_index(SnBuilder *b, const Move *move, MlirOperation op) {
  MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(op, "dim"));
  intptr_t d = 0;
  while (!mlirStringRefEqual(move->from->dims.data[d].name, name))
    ++d;
  assert(sn_has_affine_value(move->to, move->dims[d]) && "sn_can_merge and sn_can_move_into_side check this");
  sn_map(move->map, sn_result(op, 0), sn_affine_value(b, move->to, move->dims[d]));
}

static void move_gather(SnBuilder *b, const Move *move, MlirOperation op) {
  MlirValue operands[SN_MAX_DIMS + 2];
  MlirType y = sn_element(sn_type_of(sn_result(op, 0)));
  intptr_t n = sn_num_operands(op);
  bool row = false;
  assert(n <= SN_MAX_DIMS + 2 && "the table, its subscripts, and what is outside");
  for (intptr_t i = 0; i < n; ++i) {
    operands[i] = sn_lookup(move->map, sn_operand(op, i));
    row |= sn_is_row(operands[i]);
  }
  sn_map(move->map, sn_result(op, 0),
         sn(b, "sinter.gather", sn_values(n, operands), row ? sn_row_type(move->to, y) : y));
}

// An element for each column, or a scalar: which it is, its operands say.
static void move_elementwise(SnBuilder *b, const Move *move, MlirOperation op) {
  MlirValue operands[SN_MAX_ELEMENTWISE];
  intptr_t n = sn_num_operands(op);
  if (sn_num_results(op) != 1) {
    sn_clone(b, op, move->map);
    return;
  }
  bool same = true;
  for (intptr_t i = 0; i < n; ++i) {
    operands[i] = sn_lookup(move->map, sn_operand(op, i));
    same &= mlirTypeEqual(sn_type_of(operands[i]), sn_type_of(sn_operand(op, i)));
  }
  if (same && move->taken)
    sn_move(b, op, move->map);
  else
    sn_map(move->map, sn_result(op, 0), sn_elementwise(b, op, n, operands));
}
static void move_random(SnBuilder *b, const Move *move, MlirOperation op) { move_elementwise(b, move, op); }
static void move_detach(SnBuilder *b, const Move *move, MlirOperation op) { move_elementwise(b, move, op); }

static void move_constant(SnBuilder *b, const Move *move, MlirOperation op) {
  MlirAttribute scalar = sn_constant_of(sn_result(op, 0));
  if (scalar.ptr)
    sn_map(move->map, sn_result(op, 0), sn_constant(b, scalar));
  else
    sn_clone(b, op, move->map);
}

// Made again where a row is needed.
static void move_broadcast(SnBuilder *b, const Move *move, MlirOperation op) {
  sn_map(move->map, sn_result(op, 0), sn_lookup(move->map, sn_operand(op, 0)));
}

// What it reads is a row in the other form too.
static void move_of_row(SnBuilder *b, const Move *move, MlirOperation op) {
  MlirValue x = sn_operand(op, 0);
  sn_map(move->map, x, sn_as_row(b, sn_lookup(move->map, x), sn_row_type(move->to, sn_element(sn_type_of(x)))));
  sn_clone(b, op, move->map);
}
static void move_pick(SnBuilder *b, const Move *move, MlirOperation op) { move_of_row(b, move, op); }
static void move_row_reduce(SnBuilder *b, const Move *move, MlirOperation op) {
  if (move->total) // made again at the yield if there are columns
    sn_map(move->map, sn_result(op, 0), sn_lookup(move->map, sn_operand(op, 0)));
  else
    move_of_row(b, move, op);
}

// The matrix is one of the other form too.
static void move_row_product(SnBuilder *b, const Move *move, MlirOperation op) {
  MlirValue x = sn_operand(op, 0);
  sn_map(move->map, x, sn_as_row(b, sn_lookup(move->map, x), sn_type_of(x)));
  sn_clone(b, op, move->map);
}

static void move_cf_assert(SnBuilder *b, const Move *move, MlirOperation op) {
  MlirValue holds = sn_lookup(move->map, sn_operand(op, 0));
  if (!sn_none(move->inside)) {
    MlirValue outside[] = {move->inside, sn_int(b, mlirIntegerTypeGet(b->ctx, 1), 1)}, either[2] = {holds};
    either[1] = sn_row_op(b, "arith.xori", (MlirType){0}, 2, outside);
    holds = sn_row_op(b, "arith.ori", (MlirType){0}, 2, either);
  }
  sn_row_assert(b, holds, sn_get_attr(op, "msg"));
}

#define MOVE(id, ...) [SN_OP_##id] = move_##id,
static void (*const moves[SN_NUM_ROW_OPS])(SnBuilder *, const Move *, MlirOperation) = {SN_ROW_OPS(MOVE)};
#undef MOVE

static void move_op(SnBuilder *b, const Move *move, MlirOperation op) {
  b->loc = mlirOperationGetLocation(op);
  moves[sn_row_op_of(op)->id](b, move, op);
}

static void needed_ops(MlirValue v, const SnMap *known, SnTable *seen, SnOpVec *ops) {
  MlirOperation op = sn_definer(v);
  if (sn_null(op) || !sn_none(sn_mapped(known, v)) || sn_table_has(seen, op.ptr))
    return;
  sn_table_put(seen, op.ptr, 1);
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    needed_ops(sn_operand(op, k), known, seen, ops);
  sn_push(ops, op);
}

void sn_needed_ops(MlirValue v, const SnMap *known, SnOpVec *ops) {
  SnTable seen = {0};
  for (size_t i = 0; i < ops->size; ++i)
    sn_table_put(&seen, ops->data[i].ptr, 1);
  needed_ops(v, known, &seen, ops);
  sn_table_free(&seen);
}

MlirValue sn_move_value(SnBuilder *b, const SnForm *from, MlirValue v, const MlirAffineExpr *dims, const SnForm *to,
                        SnMap *map) {
  Move move = {.from = from, .dims = dims, .to = to, .map = map};
  SnOpVec ops = {0};
  sn_needed_ops(v, map, &ops);
  for (size_t i = 0; i < ops.size; ++i)
    move_op(b, &move, ops.data[i]);
  sn_vec_free(&ops);
  return sn_lookup(map, v);
}

static void move_body(SnBuilder *b, const Move *move, MlirBlock block) {
  MlirOperation end = mlirBlockGetTerminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !mlirOperationEqual(op, end); op = next) {
    next = mlirOperationGetNextInBlock(op);
    move_op(b, move, op);
  }
}

// ---- operands -----------------------------------------------------------------------

static SnAccess moved_access(const SnMerge *m, SnAccess a, const MlirAffineExpr *dims, size_t index_base) {
  a.map = sn_map_replace(a.map, (intptr_t)m->merged.dims.size, dims);
  if (a.through.ptr && index_base) {
    int64_t through[SN_MAX_DIMS];
    intptr_t n = mlirDenseArrayGetNumElements(a.through);
    for (intptr_t s = 0; s < n; ++s)
      through[s] = mlirDenseI64ArrayGetElement(a.through, s) + (int64_t)index_base;
    a.through = mlirDenseI64ArrayGet(mlirAttributeGetContext(a.through), n, through);
  }
  return a;
}

static MlirAttribute zero_of(MlirType e, bool minus) {
  return sn_is_float(e) ? mlirFloatAttrDoubleGet(mlirTypeGetContext(e), e, minus ? -0.0 : 0.0)
                        : mlirIntegerAttrGet(e, 0);
}

// What a's input k is where b does not read a: anything, so zero, unless it is inside there too.
static SnAccess bounded(const SnMerge *m, SnAccess a, size_t k) {
  const SnAccess *before = &m->a.inputs.data[k];
  if (!m->guard || a.fill.ptr || sn_is_table(&a))
    return a;
  int64_t *sizes = sizes_of(&m->merged), low, high;
  MlirType t = sn_type_of(a.value), e = sn_element(t);
  bool inside = true;
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(a.map); ++p) {
    intptr_t d = sn_map_dim(a.map, p), old = sn_map_dim(before->map, p);
    // A size `?` is that of the dimension, unless it has another size now.
    bool same = d >= 0 && old >= 0 && m->merged.dims.data[d].size == m->a.dims.data[old].size;
    if (same && m->zeros) // b's dimensions are the merged form's
      same = sn_same_size(&m->a, old, &m->b, d);
    inside &= sn_dim(t, p) == SN_DYNAMIC
                  ? same
                  : sn_affine_range(mlirAffineMapGetResult(a.map, p), sizes, &low, &high) && low >= 0 &&
                        high < sn_dim(t, p);
  }
  if (!inside)
    a.fill = zero_of(e, m->zeros && m->zeros[k] < 0);
  free(sizes);
  return a;
}

// Adds f's inputs to the merged form; place[k] is where input k went, -1 if it flows inside.
static void add_inputs(SnMerge *m, const SnForm *f, const MlirAffineExpr *dims, bool products, intptr_t *place) {
  size_t base = f == &m->b ? m->a.indices.size : 0, from = products ? 0 : sn_first_input(f),
         to = products ? sn_first_input(f) : f->inputs.size;
  for (size_t k = 0; !products && k < f->indices.size; ++k)
    sn_push(&m->merged.indices, moved_access(m, f->indices.data[k], dims, 0));
  for (size_t k = from; k < to; ++k) {
    size_t result;
    bool flows = f == &m->b && sn_flows(m, k, &result);
    place[k] = flows ? -1 : (intptr_t)m->merged.inputs.size;
    SnAccess moved = flows ? (SnAccess){0} : moved_access(m, f->inputs.data[k], dims, base);
    if (!flows)
      sn_push(&m->merged.inputs, f == &m->a ? bounded(m, moved, k) : moved);
  }
}

static bool kept(const SnMerge *m, const SnForm *f, size_t output) { return f == &m->b || m->keep[output]; }

// Whether the merged form needs what f accumulates.
static bool accumulates(const SnMerge *m, const SnForm *f) {
  bool needed = m->into_finish;
  for (size_t k = 0; k < f->outputs.size; ++k)
    needed |= kept(m, f, k) && sn_is_reduced(f, k);
  return needed;
}

static void add_outputs(SnMerge *m, const SnForm *f, const MlirAffineExpr *dims) {
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (kept(m, f, k))
      sn_push(&m->merged.outputs, moved_access(m, f->outputs.data[k], dims, 0));
  for (size_t k = 0; accumulates(m, f) && k < f->accumulators.size; ++k) {
    SnAccumulator acc = f->accumulators.data[k];
    acc.map = sn_map_replace(acc.map, (intptr_t)m->merged.dims.size, dims);
    sn_push(&m->merged.accumulators, acc);
  }
}

// A size `?` that only a destination of a said, to which nothing is written any more, comes in by an input without
// elements of its own: an empty tensor as large, which nobody reads.
static void add_sizes(SnMerge *m, SnBuilder *b) {
  SnForm *to = &m->merged;
  for (intptr_t d = 0; d < (intptr_t)to->dims.size; ++d) {
    bool given = to->dims.data[d].size != SN_DYNAMIC;
    for (size_t k = 0; k < to->inputs.size + to->indices.size + to->outputs.size && !given; ++k)
      given = sn_gives_size(sn_form_access(to, k), d);
    for (size_t k = 0; k < m->a.outputs.size && !given; ++k) {
      MlirAffineMap map = sn_map_replace(m->a.outputs.data[k].map, (intptr_t)to->dims.size, m->a_dims);
      for (intptr_t p = 0; p < mlirAffineMapGetNumResults(map) && !given; ++p) {
        if (sn_map_dim(map, p) != d)
          continue;
        int64_t any = SN_DYNAMIC;
        MlirValue size = sn_emit_size(b, m->a.outputs.data[k].value, p);
        MlirAffineExpr e = mlirAffineDimExprGet(b->ctx, d);
        SnAccess a = {.value = sn(b, "tensor.empty", size, sn_tensor(mlirIntegerTypeGet(b->ctx, 1), 1, &any)),
                      .map = mlirAffineMapGet(b->ctx, (intptr_t)to->dims.size, 0, 1, &e)};
        sn_push(&to->inputs, a);
        given = true;
      }
    }
  }
}

// The sides of f, whose inputs go to the merged form from `first` on.
static void add_sides(SnMerge *m, const SnForm *f, size_t first) {
  for (size_t s = 0; s < sn_num_sides(f); ++s) {
    SnSide side = sn_side(f, s);
    side.first += first;
    sn_push(&m->merged.sides, side);
  }
}

static bool has_programs(const SnForm *f) {
  for (size_t s = 0; s < f->sides.size; ++s)
    if (f->sides.data[s].program.ptr)
      return true;
  return false;
}

// The programs of f's sides, the first of which is the merged form's side `first`, name its dimensions. (A form with
// products gives each of them a dimension.)
static void rename_dims(const SnMerge *m, const SnForm *f, const MlirAffineExpr *dims, size_t first) {
  MlirContext ctx = mlirOperationGetContext(m->merged.op);
  for (size_t s = 0; s < f->sides.size; ++s) {
    MlirBlock program = sn_side(&m->merged, first + s).program;
    for (MlirOperation op = program.ptr ? mlirBlockGetFirstOperation(program) : (MlirOperation){0}; !sn_null(op);
         op = mlirOperationGetNextInBlock(op))
      for (size_t d = 0; d < f->dims.size; ++d)
        if (sn_row_op_names(op, f->dims.data[d].name)) {
          assert(mlirAffineExprIsADim(dims[d]) && "rows and columns of a product are dimensions of the merged form");
          SnDim to = m->merged.dims.data[mlirAffineDimExprGetPosition(dims[d])];
          sn_set_attr(op, "dim", mlirStringAttrGet(ctx, to.name));
          break;
        }
  }
}

// The place of uniform input `input` among finish's arguments.
static MlirValue finish_input(const SnForm *f, size_t input) {
  intptr_t place = (intptr_t)f->accumulators.size;
  for (size_t k = sn_first_input(f); k < input; ++k)
    place += sn_is_uniform(f, k);
  return mlirBlockGetArgument(f->finish, place);
}

// ---- the two regions ----------------------------------------------------------------------

typedef struct {
  SnValueVec accumulated, yielded;
} Yields;

// An output's value as the merged form yields it.
static MlirValue as_yield(SnBuilder *b, const SnMerge *m, MlirAffineMap map, MlirValue v) {
  return sn_uses_cols(&m->merged, map) ? sn_as_row(b, v, sn_row_type(&m->merged, sn_type_of(v))) : v;
}

static void map_inputs(const SnMerge *m, const SnForm *f, const intptr_t *place, SnMap *map) {
  size_t first = f == &m->b ? m->a.products.size : 0;
  for (size_t p = 0; p < f->products.size; ++p)
    sn_map(map, sn_product_argument(f, p), sn_product_argument(&m->merged, first + p));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (place[k] >= 0)
      sn_map(map, sn_input_argument(f, k), sn_input_argument(&m->merged, (size_t)place[k]));
}

// The body of f, moved; what it accumulates and yields is added to `to`.
static void move_form(SnMerge *m, SnBuilder *b, const SnForm *f, const MlirAffineExpr *dims, SnMap *map, Yields *to,
                      MlirValue inside) {
  Move move = {f, dims, &m->merged, map, sn_is_total(f), f == &m->b ? m->b_columns : m->a_columns, inside,
               // b's finish may need what a computes once more
               f == &m->b || (!m->duplicate && !m->b.finish.ptr)};
  move_body(b, &move, f->body);
  MlirOperation yield = mlirBlockGetTerminator(f->body);
  for (size_t k = 0; accumulates(m, f) && k < f->accumulators.size; ++k) {
    const SnAccumulator *acc = &f->accumulators.data[k];
    MlirAffineMap to_map = sn_map_replace(acc->map, (intptr_t)m->merged.dims.size, dims);
    MlirValue v = sn_lookup(map, sn_operand(yield, (intptr_t)k));
    if (move.total && move.columns)
      v = sn_row_reduce(b, sn_combiner(acc->kind)->kind, sn_as_row(b, v, sn_row_type(&m->merged, acc->type)),
                        acc->type);
    sn_push(&to->accumulated, as_yield(b, m, to_map, v));
  }
  size_t seen[2] = {0};
  for (size_t k = 0; k < f->outputs.size; ++k) {
    intptr_t position = (intptr_t)sn_next_position(f, k, seen);
    if (sn_is_reduced(f, k) || !kept(m, f, k))
      continue;
    MlirAffineMap to_map = sn_map_replace(f->outputs.data[k].map, (intptr_t)m->merged.dims.size, dims);
    sn_push(&to->yielded,
            as_yield(b, m, to_map, sn_lookup(map, sn_operand(yield, position))));
  }
}

// Result k of form f as a value of the merged body.
static MlirValue body_value(const SnForm *f, size_t output, const SnMap *map) {
  return sn_lookup(map, sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)sn_output_position(f, output)));
}

// The uniform value that a makes for input k of b, computed in the merged finish.
static MlirValue uniform_in_finish(SnMerge *m, SnBuilder *b, size_t input, const intptr_t *a_place) {
  SnMap map = {0};
  size_t result;
  sn_producer(&m->b, input, &result);
  for (size_t k = 0; k < m->a.inputs.size; ++k)
    sn_map(&map, sn_input_argument(&m->a, k), finish_input(&m->merged, (size_t)a_place[k]));
  Move move = {.from = &m->a, .dims = m->a_dims, .to = &m->merged, .map = &map};
  move_body(b, &move, m->a.body);
  MlirValue v = body_value(&m->a, result, &map);
  sn_map_free(&map);
  return v;
}

// What f's finish gives, inside the merged finish. first: its first accumulator there.
static void move_finish(SnMerge *m, SnBuilder *b, const SnForm *f, const intptr_t *place, const intptr_t *a_place,
                        size_t first, SnValueVec *values) {
  if (!f->finish.ptr) {
    for (size_t k = 0; k < f->accumulators.size; ++k)
      sn_push(values, mlirBlockGetArgument(m->merged.finish, (intptr_t)(first + k)));
    return;
  }
  SnMap map = {0};
  intptr_t argument = 0;
  for (size_t k = 0; k < f->accumulators.size; ++k)
    sn_map(&map, mlirBlockGetArgument(f->finish, argument++),
           mlirBlockGetArgument(m->merged.finish, (intptr_t)(first + k)));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k) {
    if (!sn_is_uniform(f, k))
      continue;
    MlirValue from = mlirBlockGetArgument(f->finish, argument++);
    if (place[k] >= 0)
      sn_map(&map, from, finish_input(&m->merged, (size_t)place[k]));
    else if (mlirValueGetFirstUse(from).ptr) // sn_can_merge checks that a fits here
      sn_map(&map, from, uniform_in_finish(m, b, k, a_place));
  }
  sn_copy_ops(b, f->finish, &map);
  MlirOperation yield = mlirBlockGetTerminator(f->finish);
  for (intptr_t k = 0; k < sn_num_operands(yield); ++k)
    sn_push(values, sn_lookup(&map, sn_operand(yield, k)));
  sn_map_free(&map);
}

// Of what f's finish gives, what the merged form's finish yields.
static void yield_finished(const SnMerge *m, const SnForm *f, const SnValueVec *values, SnValueVec *to) {
  size_t seen[2] = {0};
  for (size_t k = 0; k < f->outputs.size; ++k) {
    size_t position = sn_next_position(f, k, seen);
    if (sn_is_reduced(f, k) && kept(m, f, k))
      sn_push(to, values->data[position]);
  }
}

// b's body in the finish of a.
static void finish_with(SnMerge *m, SnBuilder *at, const SnValueVec *a_values, const intptr_t *b_place,
                        SnValueVec *to) {
  SnForm *b = &m->b;
  SnMap map = {0};
  for (size_t k = 0; k < b->inputs.size; ++k) {
    size_t result;
    bool flows = sn_flows(m, k, &result);
    sn_map(&map, sn_input_argument(b, k),
           flows ? a_values->data[sn_output_position(&m->a, result)] : finish_input(&m->merged, (size_t)b_place[k]));
  }
  Move move = {.from = b, .dims = m->b_dims, .to = &m->merged, .map = &map};
  move_body(at, &move, b->body);
  for (size_t k = 0; k < b->outputs.size; ++k) {
    MlirAffineMap out = sn_map_replace(b->outputs.data[k].map, (intptr_t)m->merged.dims.size, m->b_dims);
    sn_push(to, as_yield(at, m, out, body_value(b, k, &map)));
  }
  sn_map_free(&map);
}

// A piece that grows is still one, for --explain.
static void keep_cut(const SnForm *f, MlirOperation made) {
  MlirAttribute cut = sn_null(f->op) ? mlirAttributeGetNull() : sn_get_attr(f->op, "sinter.cut");
  if (cut.ptr)
    sn_set_attr(made, "sinter.cut", cut);
}

// The body of a, then of b, whose inputs that flow are what a's gives. `a_map`, `b_map`: empty.
static void merge_bodies(SnMerge *m, SnBuilder *body, const intptr_t *a_place, const intptr_t *b_place, SnMap *a_map,
                         SnMap *b_map) {
  SnForm *a = &m->a, *b = &m->b, *to = &m->merged;
  Yields y = {0};
  MlirValue inside = {0};
  MlirAffineMap bounds = {0};
  if (!sn_null(a->op)) {
    map_inputs(m, a, a_place, a_map);
    if (m->guard && !m->zeros) {
      bounds = sn_map_replace(m->guard->map, (intptr_t)to->dims.size, m->b_dims);
      inside = sn_emit_inside(body, to, bounds, sn_type_of(m->guard->value));
    }
    move_form(m, body, a, m->a_dims, a_map, &y, inside);
  }
  for (size_t k = sn_first_input(b); k < b->inputs.size && !m->into_finish; ++k) {
    size_t result;
    if (!sn_flows(m, k, &result))
      continue;
    MlirValue v = body_value(a, result, a_map);
    MlirAttribute fill = b->inputs.data[k].fill;
    if (!sn_none(inside) && !sn_is_fill_outside(to, v, fill, bounds, sn_type_of(m->guard->value))) {
      MlirValue chosen[] = {inside, v, sn_constant(body, fill)};
      v = sn_row_op(body, "arith.select", (MlirType){0}, 3, chosen);
    }
    sn_map(b_map, sn_input_argument(b, k), v);
  }
  if (!m->into_finish) {
    map_inputs(m, b, b_place, b_map);
    move_form(m, body, b, m->b_dims, b_map, &y, (MlirValue){0});
  }
  for (size_t k = 0; k < y.yielded.size; ++k)
    sn_push(&y.accumulated, y.yielded.data[k]);
  sn_op(body, "sinter.yield", sn_values((intptr_t)y.accumulated.size, y.accumulated.data), sn_types(0, NULL));
  sn_vec_free(&y.accumulated);
  sn_vec_free(&y.yielded);
}

// What a's finish gives, then b's, or b's body where it is part of the finish.
static void merge_finishes(SnMerge *m, SnBuilder *end, const intptr_t *a_place, const intptr_t *b_place) {
  SnForm *a = &m->a, *b = &m->b;
  SnValueVec a_values = {0}, b_values = {0}, finished = {0};
  size_t first = 0;
  if (accumulates(m, a)) {
    move_finish(m, end, a, a_place, a_place, 0, &a_values);
    yield_finished(m, a, &a_values, &finished);
    first = a->accumulators.size;
  }
  if (m->into_finish) {
    finish_with(m, end, &a_values, b_place, &finished);
  } else if (accumulates(m, b)) {
    move_finish(m, end, b, b_place, a_place, first, &b_values);
    yield_finished(m, b, &b_values, &finished);
  }
  sn_op(end, "sinter.yield", sn_values((intptr_t)finished.size, finished.data), sn_types(0, NULL));
  sn_vec_free(&a_values);
  sn_vec_free(&b_values);
  sn_vec_free(&finished);
}

// Who read a result of either reads the merged form's.
static void replace_results(SnMerge *m) {
  SnForm *a = &m->a, *b = &m->b, *to = &m->merged;
  intptr_t result = 0;
  for (size_t k = 0; k < a->outputs.size; ++k)
    if (m->keep[k])
      mlirValueReplaceAllUsesOfWith(sn_result(a->op, (intptr_t)k), sn_result(to->op, result++));
  for (size_t k = 0; k < b->outputs.size; ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(b->op, (intptr_t)k), sn_result(to->op, result++));
  mlirOperationDestroy(b->op);
  if (!m->duplicate && !sn_null(a->op))
    mlirOperationDestroy(a->op);
}

MlirOperation sn_merge(SnMerge *m) {
  SnForm *a = &m->a, *b = &m->b, *to = &m->merged;
  SnBuilder at = sn_before(b->op);
  if (!sn_null(a->op)) // sn_resplit has no a
    at.loc = sn_fuse_loc(mlirOperationGetLocation(a->op), at.loc);
  intptr_t *a_place = sn_alloc((a->inputs.size + 1) * sizeof *a_place),
           *b_place = sn_alloc((b->inputs.size + 1) * sizeof *b_place);
  add_inputs(m, a, m->a_dims, true, a_place);
  add_inputs(m, b, m->b_dims, true, b_place);
  if (has_programs(a) || has_programs(b)) {
    add_sides(m, a, 0);
    add_sides(m, b, sn_first_input(a));
  }
  add_inputs(m, a, m->a_dims, false, a_place);
  add_inputs(m, b, m->b_dims, false, b_place);
  add_outputs(m, a, m->a_dims);
  add_outputs(m, b, m->b_dims);
  add_sizes(m, &at);
  // Also of what needs no accumulator: a finish of constants.
  bool finish = to->accumulators.size > 0 || sn_num_reduced(to) > 0;
  MlirOperation made = sn_form_create(&at, to, finish);
  keep_cut(a, made);
  keep_cut(b, made);
  rename_dims(m, a, m->a_dims, 0);
  rename_dims(m, b, m->b_dims, sn_num_sides(a));
  SnBuilder body = sn_at_end(to->body, at.loc);
  SnMap a_map = {0}, b_map = {0};
  merge_bodies(m, &body, a_place, b_place, &a_map, &b_map);
  if (finish) {
    SnBuilder end = sn_at_end(to->finish, at.loc);
    merge_finishes(m, &end, a_place, b_place);
  }
  replace_results(m);
  sn_map_free(&a_map);
  sn_map_free(&b_map);
  free(a_place);
  free(b_place);
  return to->op;
}

MlirOperation sn_resplit(MlirOperation op, const bool *is_column) {
  SnMerge m = {.b = sn_form_read(op)};
  SnForm *f = &m.merged;
  intptr_t n = (intptr_t)m.b.dims.size, points = (intptr_t)(m.b.num_rows + m.b.num_cols);
  MlirContext ctx = mlirOperationGetContext(op);
  assert(sn_can_resplit(&m.b, is_column));
  m.a_dims = sn_alloc(sizeof *m.a_dims);
  m.b_dims = sn_alloc(((size_t)n + 1) * sizeof *m.b_dims);
  for (int columns = 0; columns < 2; ++columns)
    for (intptr_t d = 0; d < points; ++d)
      if (is_column[d] == columns) {
        m.b_dims[d] = mlirAffineDimExprGet(ctx, (intptr_t)f->dims.size);
        sn_push(&f->dims, m.b.dims.data[d]);
        *(columns ? &f->num_cols : &f->num_rows) += 1;
      }
  for (intptr_t d = points; d < n; ++d) { // what products sum over
    m.b_dims[d] = mlirAffineDimExprGet(ctx, d);
    sn_push(&f->dims, m.b.dims.data[d]);
  }
  f->contract = m.b.contract;
  for (size_t p = 0; p < m.b.products.size; ++p)
    sn_push(&f->products, m.b.products.data[p]);
  m.b_columns = f->num_cols > 0;
  MlirOperation made = sn_merge(&m);
  sn_merge_free(&m);
  return made;
}
