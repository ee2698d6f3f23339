// graph.c: from a loss back to what it is differentiated by, tensor by tensor.
//
//   %y = op(%x), %z = op(%y), %w = op(%y)          dy = z's part + w's part; dx = that of dy through the first
//
// Each op hands the gradients of its results to what it reads, the last first. Parts of one gradient are added in the
// order in which they come. What a loop or a branch does, differentiate/control_gradients.c says with a graph of its
// own for each of their blocks.
//
// runs in: differentiate    test: test/passes/differentiate/differentiate.mlir

#include "passes/differentiate/graph.h"
#include "dialect/dialect.h"
#include "passes/differentiate/reach.h"
#include <assert.h>

// ---- what lies between -----------------------------------------------------------------

static bool lies_between(const SnGraph *g, MlirOperation op) {
  uintptr_t between;
  return sn_table_get(&g->seen, op.ptr, &between) && between;
}

bool sn_graph_depends(const SnGraph *g, MlirValue v) {
  MlirType t = sn_type_of(v);
  if (!sn_is_float(sn_element(t)))
    return false; // labels, sizes, masks: nothing flows through them
  MlirOperation def = sn_definer(v);
  return sn_table_has(&g->is_wrt, v.ptr) || (!sn_null(def) && lies_between(g, def) && !sn_table_has(&g->idle, v.ptr));
}

typedef struct {
  SnGraph *g;
  MlirOperation around; // the op that is visited
  bool depends, ok;
} Inside;

static bool is_inside(MlirOperation op, MlirOperation around) {
  for (; !sn_null(op); op = mlirOperationGetParentOperation(op))
    if (mlirOperationEqual(op, around))
      return true;
  return false;
}

intptr_t sn_graph_reads(MlirOperation op, bool *closed) {
  *closed = sn_is_form(op) || sn_is(op, "sinter.steps");
  return *closed ? mlirDenseI32ArrayGetElement(sn_get_attr(op, "operandSegmentSizes"), 0) : sn_num_operands(op);
}

// A condition or a subscript of one: nothing flows through it.
static bool gives_no_floats(MlirOperation op) {
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    if (sn_is_float(sn_element(sn_type_of(sn_result(op, k)))))
      return false;
  return sn_num_results(op) && !mlirOperationGetNumRegions(op);
}

// What an op or its regions read; of a form not the destinations.
static MlirWalkResult visit_operands(MlirOperation op, void *user) {
  Inside *in = user;
  if (gives_no_floats(op))
    return MlirWalkResultAdvance;
  bool closed;
  intptr_t n = sn_graph_reads(op, &closed);
  bool *reached = sn_is(op, "sinter.rowwise") ? sn_alloc((size_t)n + 1) : NULL;
  if (reached)
    sn_find_reached(op, NULL, reached);
  for (intptr_t i = 0; i < n && in->ok; ++i) {
    MlirValue v = sn_operand(op, i);
    MlirOperation def = sn_definer(v);
    if (reached && !reached[i])
      continue;
    if (!sn_null(def) && sn_is_float(sn_element(sn_type_of(v))) && !is_inside(def, in->around))
      in->ok = sn_graph_visit(in->g, def);
    in->depends |= sn_graph_depends(in->g, v);
  }
  free(reached);
  if (!in->ok)
    return MlirWalkResultInterrupt;
  return closed ? MlirWalkResultSkip : MlirWalkResultAdvance; // a body sees nothing from outside
}

static bool is_reshape(MlirOperation op) {
  return sn_is(op, "tensor.expand_shape") || sn_is(op, "tensor.collapse_shape") || sn_is(op, "tensor.cast") ||
         sn_is(op, "tensor.reshape");
}

// Of this type, with the sizes of x: what tensor.reshape took x apart from.
static MlirValue reshaped_back(SnBuilder *b, MlirValue v, MlirValue x, MlirType to) {
  intptr_t rank = sn_rank(to);
  MlirValue sizes[SN_MAX_DIMS];
  for (intptr_t p = 0; p < rank; ++p)
    sizes[p] = sn(b, "tensor.dim", x, sn_index(b, p));
  int64_t shape[] = {rank};
  MlirType index = sn_index_type(b->ctx);
  MlirValue all = sn(b, "tensor.from_elements", sn_values(rank, sizes), sn_tensor(index, 1, shape));
  MlirValue made = sn(b, "tensor.reshape", v, all, to);
  return sn_elementwise_form(b, sn_element(to), x, 1, &made, NULL, false, 0); // whose sizes are seen to be those of x
}

bool sn_graph_visit(SnGraph *g, MlirOperation op) {
  if (sn_table_has(&g->seen, op.ptr) || (g->block.ptr && !mlirBlockEqual(mlirOperationGetBlock(op), g->block)))
    return true;
  sn_table_put(&g->seen, op.ptr, false);
  Inside in = {g, op, false, true};
  mlirOperationWalk(op, visit_operands, &in, MlirWalkPreOrder);
  if (in.ok && !in.depends && sn_reads_reached_memory(op)) {
    sn_error(op, "reads memory, and what the loss is differentiated by is written to some, through which no gradient "
                 "goes; keep it in tensors, or write a sinter.detach of it");
    return false;
  }
  if (!in.ok || !in.depends)
    return in.ok;
  if (sn_is_control(op)) {
    if (!sn_control_visit(g, op))
      return false;
  } else if (!sn_is_form(op) && !sn_is(op, "sinter.steps") && !is_reshape(op) && !sn_is_tm_tensor(op) &&
             !sn_slice_tensors(op)) {
    sn_error(op, "stands between the loss and what the loss is differentiated by, and gradients go through kernel "
                 "forms, reshapes, slices, arith and math on numbers, and scf's loops and branches alone; write it as "
                 "a row program, or differentiate by its result");
    return false;
  }
  sn_table_put(&g->seen, op.ptr, true);
  sn_push(&g->order, op);
  return true;
}

bool sn_graph_reach(SnGraph *g, intptr_t n, const MlirValue *values) {
  bool ok = true;
  for (intptr_t k = 0; k < n && ok; ++k) {
    MlirOperation def = sn_none(values[k]) ? (MlirOperation){0} : sn_definer(values[k]);
    ok = sn_null(def) || sn_graph_visit(g, def);
  }
  return ok;
}

// ---- gradients of tensors ---------------------------------------------------------------------

static void add_part(SnGraph *g, MlirValue of, SnGradient part, bool placed) {
  uintptr_t before = 0;
  sn_table_get(&g->last, of.ptr, &before);
  sn_push(&g->parts, ((SnGradientPart){part, placed, before}));
  sn_table_put(&g->last, of.ptr, g->parts.size);
}

void sn_graph_add(SnGraph *g, MlirValue v, SnGradient part) { add_part(g, v, part, false); }

void sn_graph_set(SnGraph *g, MlirValue v, MlirValue gradient) {
  sn_push(&g->parts, ((SnGradientPart){{true, gradient}, false, 0}));
  sn_table_put(&g->last, v.ptr, g->parts.size);
}

static MlirValue part_value(SnGraph *g, MlirValue of, MlirType element, SnGradient part) {
  return sn_none(part.value) ? sn_elementwise_form(&g->b, element, of, 0, NULL, NULL, false, 1) : part.value;
}

// The sum of parts, or one of them, as a tensor of this element type and the sizes of `like`. What is a collapsed
// tensor is computed before it is collapsed, so that it fuses with what made it.
static MlirValue sum_of(SnBuilder *b, MlirType element, MlirValue like, intptr_t n, const MlirValue *parts) {
  static const char collapse[] = "tensor.collapse_shape";
  MlirValue from[2];
  MlirOperation first = sn_def(parts[0], collapse);
  bool same = !sn_null(first);
  for (intptr_t k = 0; k < n && same; ++k) {
    MlirOperation op = sn_def(parts[k], collapse);
    same = !sn_null(op) && mlirAttributeEqual(sn_get_attr(op, "reassociation"), sn_get_attr(first, "reassociation"));
    from[k] = same ? sn_operand(op, 0) : parts[k];
    for (intptr_t p = 0; same && p < sn_rank(sn_type_of(from[k])); ++p)
      same = p < sn_rank(sn_type_of(from[0])) && sn_dim(sn_type_of(from[k]), p) == sn_dim(sn_type_of(from[0]), p);
  }
  if (!same)
    return sn_elementwise_form(b, element, like, n, parts, NULL, false, 0);
  MlirType t = sn_type_of(like);
  return sn(b, collapse, sn_elementwise_form(b, element, from[0], n, from, NULL, false, 0), sn_tensor_like(t, element),
            sn_attr("reassociation", sn_get_attr(first, "reassociation")));
}

// A slice in zeros is added where it is, in a sum that a loop carries: not all of it in each turn.
static bool add_in_place(SnGraph *g, SnGradient *sum, MlirValue part) {
  MlirOperation insert = sn_def(part, "tensor.insert_slice");
  if (sn_none(sum->value) || sn_null(insert) || !mlirTypeEqual(sn_type_of(sum->value), sn_type_of(part)))
    return false;
  sum->value = sn_add_to_slice(&g->b, insert, sum->value);
  return true;
}

// Part number k - 1 and those in front of it, in the order in which they were given.
static SnGradient sum_to(SnGraph *g, MlirValue v, MlirType wide, uintptr_t k) {
  SnGradientPart last = g->parts.data[k - 1];
  if (!last.before)
    return last.gradient;
  SnGradient sum = sum_to(g, v, wide, last.before);
  if (last.placed && g->block.ptr && add_in_place(g, &sum, last.gradient.value))
    return sum;
  MlirValue both[] = {part_value(g, v, wide, sum), part_value(g, v, wide, last.gradient)};
  sum.value = sum_of(&g->b, wide, v, 2, both);
  return sum;
}

SnGradient sn_graph_sum(SnGraph *g, MlirValue v) {
  SnGradient sum = {0};
  uintptr_t last = 0;
  if (!sn_table_get(&g->last, v.ptr, &last))
    return sum;
  sum = sum_to(g, v, sn_wide_type(sn_element(sn_type_of(v))), last);
  sn_push(&g->parts, ((SnGradientPart){sum, false, 0}));
  sn_table_put(&g->last, v.ptr, g->parts.size);
  return sum;
}

typedef struct {
  SnGraph *g;
  MlirOperation form;
} Giving;
static void give(void *user, size_t input, MlirValue gradient) {
  Giving *to = user;
  add_part(to->g, sn_operand(to->form, (intptr_t)input), (SnGradient){true, gradient},
           sn_is(to->form, "tensor.extract_slice"));
}

// It lies between, or a loop or branch around it does.
static bool is_reader(const SnGraph *g, MlirOperation op) {
  for (; !sn_null(op) && !sn_is(op, "func.func"); op = mlirOperationGetParentOperation(op))
    if (lies_between(g, op))
      return true;
  return false;
}

// A gradient comes from several readers of `v`. Which those are is known before the first is asked.
static bool has_readers(SnGraph *g, MlirValue v) {
  uintptr_t n = 0;
  if (!sn_table_get(&g->readers, v.ptr, &n)) {
    for (size_t k = 0; k < g->of.size; ++k)
      n += sn_same(v, g->of.data[k]);
    for (MlirOpOperand use = mlirValueGetFirstUse(v); use.ptr; use = mlirOpOperandGetNextUse(use))
      n += is_reader(g, mlirOpOperandGetOwner(use));
    sn_table_put(&g->readers, v.ptr, n);
  }
  return n > 1;
}

static bool through_form(SnGraph *g, MlirOperation op) {
  bool product = sn_is(op, "sinter.contract"), steps = sn_is(op, "sinter.steps"), tm = sn_is_tm_tensor(op);
  // Those of tm_tensor read what they begin with.
  intptr_t slice = sn_slice_tensors(op);
  intptr_t n = slice ? slice
               : tm  ? sn_num_operands(op)
                     : mlirDenseI32ArrayGetElement(sn_get_attr(op, "operandSegmentSizes"), 0);
  SnGradient *upstream = sn_alloc((size_t)(sn_num_results(op) + 1) * sizeof *upstream);
  bool *active = sn_alloc((size_t)n + 1), any = false;
  MlirType *elements = sn_alloc((size_t)(n + 1) * sizeof *elements);
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    any |= (upstream[k] = sn_graph_sum(g, sn_result(op, k))).given;
  bool rows = any && sn_is(op, "sinter.rowwise"); // of the others each input has one
  if (rows)
    sn_find_reached(op, upstream, active);
  for (intptr_t k = 0; k < n; ++k) {
    MlirValue v = sn_operand(op, k);
    MlirOperation def = sn_definer(v);
    active[k] = (!rows || active[k]) && sn_graph_depends(g, v);
    elements[k] = sn_element(sn_type_of(v));
    // Added up, or handed on: rounded once, at the end.
    if (sn_is_float(elements[k]) && (has_readers(g, v) || (!sn_null(def) && lies_between(g, def))))
      elements[k] = sn_wide_type(elements[k]);
  }
  Giving to = {g, op};
  bool ok = !any || product || steps || tm || slice ||
            (sn_differentiate_pieces(&g->b, op, upstream, active, elements, give, &to) &&
             sn_differentiate_split(&g->b, op, upstream, active, elements, give, &to));
  bool left = false;
  for (intptr_t k = 0; k < n; ++k)
    left |= active[k];
  if (ok && any && left)
    ok = (product ? sn_differentiate_product
          : steps ? sn_differentiate_steps
          : tm    ? sn_differentiate_tm_tensor
          : slice ? sn_differentiate_slice
                  : sn_differentiate_form)(&g->b, op, upstream, active, elements, give, &to);
  free(upstream);
  free(active);
  free(elements);
  return ok;
}

// The gradient gets the shape that the reshape took its value from.
static void through_reshape(SnGraph *g, MlirOperation op) {
  MlirValue x = sn_operand(op, 0);
  SnGradient part = sn_graph_sum(g, sn_result(op, 0));
  if (part.given && !sn_none(part.value)) {
    SnBuilder *b = &g->b;
    MlirType is = sn_type_of(x);
    int64_t shape[SN_MAX_DIMS];
    SnValueVec sizes = {0};
    assert(sn_rank(is) <= 64);
    for (intptr_t p = 0; p < sn_rank(is); ++p) {
      shape[p] = sn_dim(is, p);
      if (shape[p] == SN_DYNAMIC)
        sn_push(&sizes, sn(b, "tensor.dim", x, sn_index(b, p)));
    }
    MlirType to = sn_tensor(sn_element(sn_type_of(part.value)), sn_rank(is), shape);
    MlirAttribute groups = sn_get_attr(op, "reassociation");
    if (sn_is(op, "tensor.cast"))
      part.value = sn(b, "tensor.cast", part.value, to);
    else if (sn_is(op, "tensor.reshape"))
      part.value = reshaped_back(b, part.value, x, to);
    else if (sn_is(op, "tensor.expand_shape"))
      part.value = sn(b, "tensor.collapse_shape", part.value, to, sn_attr("reassociation", groups));
    else
      part.value = sn(b, "tensor.expand_shape", part.value, sn_values((intptr_t)sizes.size, sizes.data), to,
                      sn_attr("reassociation", groups),
                      sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, sn_rank(is), shape)));
    sn_vec_free(&sizes);
  }
  if (part.given)
    sn_graph_add(g, x, part);
}

MlirValue sn_graph_value(SnGraph *g, MlirValue v, MlirType element, SnGradient part) {
  SnBuilder *b = &g->b;
  MlirType t = sn_tensor_like(sn_type_of(v), element);
  MlirValue made =
      part.given ? part_value(g, v, element, part) : sn_elementwise_form(b, element, v, 0, NULL, NULL, false, 0);
  if (!mlirTypeEqual(sn_element(sn_type_of(made)), element))
    made = sum_of(b, element, v, 1, &made);
  bool same = mlirTypeEqual(sn_type_of(made), t); // else a size `?` that another operand knows
  return same ? made : sn(b, "tensor.cast", made, t);
}

bool sn_graph_reverse(SnGraph *g) {
  bool ok = true;
  for (size_t k = g->order.size; k-- > 0 && ok;) {
    MlirOperation op = g->order.data[k];
    if (is_reshape(op))
      through_reshape(g, op);
    else
      ok = sn_is_control(op) ? sn_control_gradient(g, op) : through_form(g, op);
  }
  return ok;
}

// What was emitted has results and inputs that nobody needs. The last comes first: what it does not read, those in
// front of it need not give.
void sn_graph_tidy(MlirOperation end, MlirOperation begin) {
  MlirBlock block = mlirOperationGetBlock(end);
  for (bool changed = true; changed;) {
    SnOpVec emitted = {0};
    for (MlirOperation op = sn_null(begin) ? mlirBlockGetFirstOperation(block) : mlirOperationGetNextInBlock(begin);
         !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op))
      sn_push(&emitted, op);
    changed = false;
    for (size_t k = emitted.size; k-- > 0;) {
      MlirOperation op = emitted.data[k];
      if (sn_is(op, "sinter.rowwise"))
        changed |= !mlirOperationEqual(sn_tidy(op), op);
      else if (sn_shim_is_dead(op))
        mlirOperationDestroy(op), changed = true;
    }
    sn_vec_free(&emitted);
  }
}

void sn_graph_free(SnGraph *g) {
  sn_table_free(&g->is_wrt);
  sn_table_free(&g->seen);
  sn_table_free(&g->idle);
  sn_table_free(&g->last);
  sn_table_free(&g->readers);
  sn_vec_free(&g->of);
  sn_vec_free(&g->order);
  sn_vec_free(&g->parts);
  sn_vec_free(&g->tapes);
}
